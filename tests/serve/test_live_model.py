import shutil
import threading
import time
from concurrent.futures import wait

import pandas as pd
import pytest

from tests.serve.held_back import held_back
from tests.serve.tables import TARGET, TOKEN, fit, objects, rows, write_model
from tests.waiting import becomes
from unnaive.persist import content_hash, load, read_manifest
from unnaive.serve import live_model
from unnaive.serve.journal import Journal, JournalError, Sent
from unnaive.serve.live_model import LiveModel
from unnaive.serve.refusal import Refusal
from unnaive.serve.settings import Settings

CSV = "text/csv"
LATER = Settings(token=TOKEN, snapshot_seconds=600)  # after the test


def sent(verb, frame, key=None):
    return Sent(verb, CSV, frame.to_csv(index=False).encode(), key)


def ask(live, verb, frame, key=None):
    return live.submit(live.read(sent(verb, frame, key))).result(60)


def hash_of(live):
    return content_hash(live.state.saved.model)


def killed(path, tmp_path):
    """The files as a service leaves them that is killed now, in another folder."""
    folder = tmp_path / "killed"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for file in path.parent.glob(path.name + "*"):
        shutil.copy(file, folder)
    return folder / path.name


@pytest.fixture
def base():
    return rows(0, 40)


@pytest.fixture
def path(tmp_path, base):
    (tmp_path / "served").mkdir()
    return write_model(tmp_path / "served" / "m.unnaive", base)


def test_a_follower_takes_over_what_the_writer_saves_and_changes_nothing(path, base):
    writer = LiveModel(path, Settings(token=TOKEN, snapshot_seconds=0.01))
    follower = LiveModel(path, Settings(token=TOKEN, snapshot_seconds=0.01, follow=True))
    files = sorted(file.name for file in path.parent.iterdir())
    with pytest.raises(Refusal, match="follows a model file") as refused:
        follower.read(sent("learn", base))
    assert refused.value.status == 409
    for verb in ("learn", "forget"):
        entry, _ = ask(writer, verb, base[:7])
        assert becomes(lambda number=entry.number: follower.state.entry == number)
        assert hash_of(follower) == hash_of(writer)
    assert follower.saved_entry == 2
    follower.close()
    assert sorted(file.name for file in path.parent.iterdir()) == files
    writer.close()


def test_a_follower_answers_with_the_model_of_before_while_the_file_cannot_be_read(path, base):
    follower = LiveModel(path, Settings(snapshot_seconds=0.01, follow=True))
    before = hash_of(follower)
    path.write_bytes(b"no model")
    time.sleep(0.2)
    path.unlink()
    time.sleep(0.2)
    assert hash_of(follower) == before
    write_model(path, rows(3, 50))
    assert becomes(lambda: hash_of(follower) != before)
    assert follower.state.saved.model.class_count_.sum() == 50
    follower.close()


@pytest.mark.parametrize("name", ["nb", "aode", "pooled"])
def test_what_is_learned_and_forgotten_gives_the_model_of_a_fit(tmp_path, name):
    base, more = rows(0, 60), rows(1, 20)
    live = LiveModel(write_model(tmp_path / "m.unnaive", base, name), LATER)
    ask(live, "learn", more)
    entry, again = ask(live, "forget", base[:15])
    assert (entry.number, entry.n_rows, entry.total, again) == (2, 15, 65.0, False)
    live.close()
    expected = content_hash(fit(pd.concat([base[15:], more]), name))
    assert hash_of(live) == content_hash(load(tmp_path / "m.unnaive").model) == expected


def test_what_was_acknowledged_is_there_after_a_kill(tmp_path, path, base):
    more = rows(1, 20)
    live = LiveModel(path, LATER)
    ask(live, "learn", more, "key")
    ask(live, "forget", base[:5])
    copy = killed(path, tmp_path)
    again = LiveModel(copy, LATER)
    assert again.state.entry == 2
    assert hash_of(again) == hash_of(live) == content_hash(fit(pd.concat([base[5:], more])))
    assert ask(again, "learn", more, "key") == (live._journal.with_key("key"), True)
    again.close()
    live.close()


def test_a_kill_between_saving_and_releasing_counts_nothing_twice(tmp_path, path, base, monkeypatch):
    live = LiveModel(path, Settings(token=TOKEN, snapshot_seconds=0))
    release = Journal.release
    reached, go = held_back(monkeypatch, Journal, "release")
    ask(live, "learn", rows(1, 20))
    assert reached.wait(60)
    copy = killed(path, tmp_path)
    assert read_manifest(copy)["notes"]["journal"]["entry"] == 1
    monkeypatch.setattr(Journal, "release", release)
    again = LiveModel(copy, LATER)
    assert again.state.entry == 1
    assert again._journal.n_kept == 0
    assert hash_of(again) == content_hash(fit(pd.concat([base, rows(1, 20)])))
    go.set()
    again.close()
    live.close()


def test_a_kill_before_the_first_save_leaves_a_model_that_can_be_served(tmp_path, path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(live_model, "save", None)
        with pytest.raises(TypeError):
            LiveModel(path, LATER)
    live = LiveModel(path, LATER)
    ask(live, "learn", rows(1, 5))
    live.close()


def test_a_repeated_key_counts_once_even_in_one_batch(path, base):
    live = LiveModel(path, LATER)
    changes = [live.read(sent("learn", rows(1, 5), key)) for key in ("a", "b", "a", "a")]
    futures = [live.submit(change) for change in changes]
    wait(futures, 60)
    assert [future.result()[0].number for future in futures] == [1, 2, 1, 1]
    assert [future.result()[1] for future in futures] == [False, False, True, True]
    with pytest.raises(Refusal, match="used for another request"):
        ask(live, "forget", rows(1, 5), "a")
    live.close()
    assert load(path).model.class_count_.sum() == len(base) + 10


def test_a_refused_change_changes_nothing_and_names_its_row(path, base):
    live = LiveModel(path, LATER)
    before = hash_of(live)
    wrong = pd.concat([base[:7], base[:1].assign(word="unheard"), base[7:9]])
    with pytest.raises(Refusal, match=r"Row 8 cannot be forgotten: .*column 'word' holds categories") as refused:
        ask(live, "forget", wrong)
    assert refused.value.status == 422
    for verb, frame, complaint in [
        ("forget", base[:1].assign(number=77.5), "Row 1 .* no such rows"),
        ("forget", base.iloc[[0] * 60], r"Row \d+ .* no such rows"),
        ("learn", base[:3].assign(play="perhaps"), "Row 1 .*perhaps"),
    ]:
        with pytest.raises(Refusal, match=complaint):
            ask(live, verb, frame)
    with pytest.raises(ValueError, match="row 2: there is no label in column 'play'"):
        live.read(sent("learn", base[:3].assign(play=["yes", None, "no"])))
    assert (live.state.entry, live._journal.last, hash_of(live)) == (0, 0, before)
    live.close()


def test_rows_leave_the_disk_when_they_are_forgotten(path, base):
    secret = base[:3].assign(word="xylophone-73")
    live = LiveModel(path, Settings(token=TOKEN, snapshot_seconds=600))
    ask(live, "learn", secret)
    files = lambda: b"".join(file.read_bytes() for file in path.parent.iterdir())  # noqa: E731
    assert b"xylophone-73" in files()
    ask(live, "forget", secret)  # saves at once
    for _ in range(600):
        if live.saved_entry == 2 and live._journal.n_kept == 0:
            break
        threading.Event().wait(0.05)
    assert b"xylophone-73" not in files()
    assert "xylophone-73" not in str(load(path).model.__getstate__())
    live.close()
    assert b"xylophone-73" not in files()
    assert hash_of(live) == content_hash(fit(base))


def test_readers_see_the_old_model_until_a_change_is_on_the_disk(path, monkeypatch):
    live = LiveModel(path, LATER)
    began, go = held_back(monkeypatch, Journal, "add")
    before = live.state
    future = live.submit(live.read(sent("learn", rows(1, 5))))
    assert began.wait(60)
    assert live.state is before
    waiting = live.submit(live.read(sent("learn", rows(2, 5))))
    assert waiting.cancel()  # as its turn has not come
    go.set()
    assert future.result(60)[0].number == 1
    live.close()
    assert (live.state.entry, before.entry) == (1, 0)


@pytest.mark.parametrize(("is_full", "status"), [(True, 507), (False, 503)])
def test_a_journal_that_cannot_be_written_changes_nothing(path, monkeypatch, is_full, status):
    live = LiveModel(path, LATER)
    before = live.state

    def fails(journal, changes):
        raise JournalError("No.", is_full=is_full)

    with monkeypatch.context() as patch:
        patch.setattr(Journal, "add", fails)
        with pytest.raises(Refusal) as refused:
            ask(live, "learn", rows(1, 5))
    assert refused.value.status == status
    assert live.state is before
    if is_full:
        assert ask(live, "learn", rows(1, 5))[0].number == 1
    else:
        with pytest.raises(Refusal, match="restart"):
            ask(live, "learn", rows(1, 5))
    live.close()


def test_a_model_that_cannot_be_saved_is_saved_later(path, monkeypatch):
    live = LiveModel(path, Settings(token=TOKEN, snapshot_seconds=0.01))
    with monkeypatch.context() as patch:
        patch.setattr(live_model, "save", None)
        ask(live, "learn", rows(1, 5))
        while not live.n_failed_saves:
            threading.Event().wait(0.01)
        assert live._journal.n_kept == 1
    live.close()
    assert read_manifest(path)["notes"]["journal"]["entry"] == 1


def test_changes_whose_consequences_do_not_fit_are_refused_alone(path, monkeypatch):
    live = LiveModel(path, LATER)
    settle = live_model.settle

    def small(saved):
        if saved.model.class_count_.sum() > 48:
            raise Refusal(422, "That is too large.")
        settle(saved)

    monkeypatch.setattr(live_model, "settle", small)
    changes = [live.read(sent("learn", rows(1, n))) for n in (5, 100, 3, 1)]
    futures = [live.submit(change) for change in changes]
    wait(futures, 60)
    assert [future.exception() is None for future in futures] == [True, False, True, False]
    live.close()
    assert live.state.total == 48


def test_a_model_can_forget_all_its_rows(path, base):
    live = LiveModel(path, LATER)
    ask(live, "forget", base)
    live.close()
    assert load(path).model.class_count_.sum() == 0
    again = LiveModel(path, LATER)
    ask(again, "learn", rows(1, 30))
    again.close()
    assert again.state.total == 30


def test_a_model_file_is_served_once(path):
    live = LiveModel(path, LATER)
    with pytest.raises(ValueError, match="Another process serves or changes"):
        LiveModel(path, LATER)
    live.close()
    LiveModel(path, LATER).close()


def test_a_journal_of_another_model_is_refused(path, base):
    live = LiveModel(path, LATER)
    ask(live, "learn", rows(1, 5))
    live.close()
    write_model(path, base)
    with pytest.raises(ValueError, match="the journal of another model file"):
        LiveModel(path, LATER)
    path.with_name("m.unnaive.journal").unlink()
    LiveModel(path, LATER).close()


def test_a_stopped_service_can_start_without_its_journal(path, caplog):
    live = LiveModel(path, LATER)
    ask(live, "learn", rows(1, 5))
    live.close()
    path.with_name("m.unnaive.journal").unlink()
    again = LiveModel(path, LATER)
    assert (again.state.entry, again.state.total) == (0, 45)
    assert "journal" in caplog.text
    ask(again, "learn", rows(2, 5))
    again.close()
    assert read_manifest(path)["notes"]["journal"]["entry"] == 1


def test_an_older_model_file_is_refused(tmp_path, path):
    live = LiveModel(path, LATER)
    old = path.read_bytes()
    ask(live, "learn", rows(1, 5))
    live.close()
    path.write_bytes(old)
    with pytest.raises(ValueError, match="put the newest model file back"):
        LiveModel(path, LATER)


def test_smaller_limits_do_not_hinder_a_restart(tmp_path, path):
    live = LiveModel(path, LATER)
    ask(live, "learn", rows(1, 30))
    again = LiveModel(killed(path, tmp_path), Settings(token=TOKEN, max_rows=2, max_bytes=10))
    assert again.state.total == 70
    again.close()
    live.close()


def test_merging_is_exact_and_survives_a_kill(tmp_path, path, base):
    other = write_model(tmp_path / "other.unnaive", rows(1, 20))
    live = LiveModel(path, LATER)
    change = live.read(Sent("merge", "", other.read_bytes()))
    entry, _ = live.submit(change).result(60)
    assert (entry.n_rows, entry.total) == (20, 60.0)
    again = LiveModel(killed(path, tmp_path), LATER)
    assert hash_of(again) == hash_of(live) == content_hash(fit(pd.concat([base, rows(1, 20)])))
    with pytest.raises(Refusal, match="The request is not a model file"):
        live.read(Sent("merge", "", b"nothing of that kind"))
    tan = write_model(tmp_path / "tan.unnaive", rows(1, 20), "tan")
    with pytest.raises(Refusal, match="Cannot merge TAN into NaiveBayes"):
        live.submit(live.read(Sent("merge", "", tan.read_bytes()))).result(60)
    again.close()
    live.close()


@pytest.mark.parametrize("name", ["forest", "massbayes"])
def test_models_that_do_not_count_are_read_only(tmp_path, name):
    from unnaive.models import MODELS
    from unnaive.persist import save

    frame = rows(0, 40)
    model = MODELS[name].make_for_table().fit(frame[["word", "number"]], frame[TARGET].to_numpy(dtype=str))
    save(model, tmp_path / "m.unnaive", target=TARGET, notes={})
    live = LiveModel(tmp_path / "m.unnaive", LATER)
    with pytest.raises(Refusal, match="read-only") as refused:
        live.read(sent("learn", frame[:2]))
    assert refused.value.status == 409
    live.close()
    assert [file.name for file in tmp_path.iterdir()] == ["m.unnaive"]


def test_objects_and_csv_are_the_same_rows(path, base):
    import json

    live = LiveModel(path, LATER)
    ask(live, "learn", base[:9])
    body = json.dumps(objects(base[:9])).encode()
    live.submit(live.read(Sent("forget", "application/json", body))).result(60)
    live.close()
    assert hash_of(live) == content_hash(fit(base))


def test_a_model_of_columns_without_names_is_not_served(tmp_path):
    from unnaive import AODE
    from unnaive.persist import save

    save(AODE().fit([["a"], ["b"]], ["x", "y"]), tmp_path / "m.unnaive")
    with pytest.raises(ValueError, match="columns without names"):
        LiveModel(tmp_path / "m.unnaive", LATER)


def test_without_a_token_nothing_is_written_and_several_services_share_a_file(tmp_path, path):
    services = [LiveModel(path, Settings()) for _ in range(2)]
    assert "without a token" in services[0].why_read_only
    assert [file.name for file in path.parent.iterdir()] == ["m.unnaive"]
    for live in services:
        live.close()


def test_without_a_token_the_journal_of_a_killed_service_is_still_heeded(tmp_path, path):
    live = LiveModel(path, LATER)
    ask(live, "learn", rows(1, 5))
    again = LiveModel(killed(path, tmp_path), Settings())
    assert again.state.total == 45
    again.close()
    live.close()
