"""The command on many files and a cluster: the model and the answers of memory, or one sentence and nothing written."""

import os
import signal
import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import numpy as np
import pandas as pd
import psutil
import pytest

from tests.distributed.made import N_ROWS, made
from tests.distributed.same import assert_same
from tests.test_readme import MODELS_PAGE, code_blocks
from unnaive.cli import fit, predict
from unnaive.distributed.files import fit_files, predict_files, read_files
from unnaive.models import MODELS
from unnaive.persist import load
from unnaive.persist.output_file import beside
from unnaive.streaming import fit_file

N_PARTS = 9


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder to work in, with a table in files of Parquet and of CSV."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()
    for number, rows in enumerate(np.array_split(np.arange(len(table())), N_PARTS)):
        part = table().iloc[rows]
        part.to_parquet(f"data/{number}.parquet", index=False)
        part.to_csv(f"data/{number}.csv", index=False)
    return tmp_path


def table():
    """A column of codes that look like numbers, and labels that are numbers, beside what there is."""
    rows = made(N_PARTS)
    codes = rows["weight"].to_numpy() // 4
    return rows.assign(
        calm=rows["weight"] % 3 == 0, code=codes, label=rows["label"].map({"no": 0, "perhaps": 1, "yes": 7})
    )


@pytest.fixture
def address(cluster):
    return cluster.scheduler_address


def whole(name, rows, **parameters):
    return MODELS[name].make().set_params(**parameters).fit(rows.drop(columns="label"), rows["label"])


@pytest.mark.thorough
def test_a_cluster_started_for_a_run_gives_the_model_of_memory_and_ends_with_it(folder, run):
    before = set(psutil.Process().children(recursive=True))
    code, out, err = run("fit", "data/*.parquet", "-m", "aode", "-t", "label", "-o", "m", "--dask", "local")
    assert (code, err) == (0, "")
    assert f"aode of {N_ROWS * N_PARTS} rows and 6 columns, predicting 'label' (3 classes)" in " ".join(out.split())
    assert_same(load("m").model, whole("aode", table()))
    left = set(psutil.Process().children(recursive=True)) - before
    assert not [process for process in left if "spawn_main" in " ".join(process.cmdline())]


@pytest.mark.parametrize("name", ["aode", "gnb", "massbayes"])
def test_parquet_files_give_the_model_of_memory(name, folder, address):
    fitted = fit_files(name, "data/*.parquet", address, "label")
    assert_same(fitted.model, whole(name, table()))
    assert fitted.n_rows == N_ROWS * N_PARTS


@pytest.mark.parametrize("chosen", [["code"], "all"])
def test_text_files_give_the_model_that_the_same_rows_in_one_file_give(chosen, folder, address):
    table().to_csv("all.csv", index=False)
    fitted = fit_files("aode", "data/*.csv", address, "label", categorical=chosen)
    alone = fit_file("aode", "all.csv", "label", categorical=chosen)
    assert_same(fitted.model, alone.model)
    assert fitted.model.classes_.tolist() == [0, 1, 7]
    assert {name: kind for name, kind in fitted.kinds.items() if kind == "text"} == {
        name: kind for name, kind in alone.kinds.items() if kind == "text"
    }


def test_codes_in_parquet_files_are_categories_where_that_is_said(folder, address):
    fitted = fit_files("aode", "data/*.parquet", address, "label", categorical=["code"])
    named = ["colour", "shape", "calm", "code"]
    assert_same(fitted.model, whole("aode", table(), categorical_features=named))


def test_words_in_a_file_in_which_they_all_look_like_numbers_stay_words(folder, address):
    rows = pd.DataFrame({"size": ["S", "07"] * 10, "class": ["a", "b"] * 10})
    (folder / "sizes").mkdir()
    rows.to_csv("sizes/0.csv", index=False)
    rows.assign(size=["07", None] * 10).to_csv("sizes/1.csv", index=False)
    model = fit_files("nb", "sizes/*.csv", address).model
    assert model.encoder_.categories_[0].tolist() == ["07", "S"]


def test_predictions_of_partitions_are_those_of_memory(folder, address, run):
    assert run("fit", "data/*.csv", "-m", "tan", "-t", "label", "-o", "m", "--dask", address)[0] == 0
    assert run("predict", "m", "data/*.csv", "-o", "spread", "--dask", address)[0] == 0
    table().to_csv("all.csv", index=False)
    _, out, _ = run("predict", "m", "all.csv", "-o", "alone.parquet")
    assert sorted(os.listdir("spread")) == [f"part-{number:06}.parquet" for number in range(N_PARTS)]
    pd.testing.assert_frame_equal(pd.read_parquet("spread"), pd.read_parquet("alone.parquet"))
    again = predict_files(load("m"), "data/*.csv", "again", address)
    assert f"{again.n_rows} rows predicted, {again.accuracy:.4f} of them as labelled." in out
    unlabelled = table().drop(columns="label")
    for number in range(2):
        unlabelled.iloc[: 0 if number else 30].to_csv(f"data/new{number}.csv", index=False)
    found = predict_files(load("m"), "data/new*.csv", "new", address)
    assert (found.n_rows, found.accuracy) == (30, None)
    assert pd.read_parquet("new")["label"].tolist() == pd.read_parquet("alone.parquet")["label"].tolist()[:30]


def test_every_partition_is_told_of_once_and_only_to_whom_it_concerns(folder, address):
    def events_of(pattern):
        told = []
        fit_files("aode", pattern, address, "label", lambda *event: told.append(event))
        return told

    with ThreadPoolExecutor() as threads:
        some, others = threads.map(events_of, ["data/*.parquet", "data/[012]*.parquet"])
    for told, n_parts in ((some, N_PARTS), (others, 3)):
        assert told == [(task, n + 1, n_parts) for task in ("unlabelled", "survey", "count") for n in range(n_parts)]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["fit", "data/*.pq", "-m", "aode", "-o", "m"], "data/*.pq matches no file"),
        (["fit", "absent/*.csv", "-m", "aode", "-o", "m"], "absent/*.csv matches no file"),
        (["fit", "data/*.xls", "-m", "aode", "-o", "m"], "data/*.xls does not name .parquet, .csv or .tsv files"),
        (["fit", "data/*.csv", "-m", "aode", "-t", "lable", "-o", "m"], "no column 'lable'. Did you mean 'label'?"),
        (["fit", "data/*.csv", "-m", "aode", "-c", "cod", "-o", "m"], "no column 'cod'. Did you mean 'code'?"),
        (["fit", "data/*.csv", "-m", "wanbia", "-o", "m"], "WeightedNaiveBayes has to see all rows at once"),
        (
            ["fit", "data/*.csv", "-m", "honb", "--text", "colour", "-o", "m"],
            "Models of text are fitted on a cluster from",
        ),
    ],
)
def test_what_cannot_be_is_said_before_a_cluster_is_asked(arguments, complaint, folder, run):
    code, out, err = run(*arguments, "--dask", "tcp://127.0.0.1:1")
    assert (code, out) == (2, "")
    assert complaint in " ".join(err.split())
    assert os.listdir() == ["data"]


@pytest.mark.thorough
def test_a_scheduler_that_is_not_there_is_one_sentence(folder, address, run, monkeypatch):
    monkeypatch.setattr("unnaive.distributed.fitting._SECONDS_TO_CONNECT", 1)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        nowhere = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    fit_files("nb", "data/*.csv", address, "label").save("m")
    for arguments in (["fit", "data/*.csv", "-m", "aode", "-o", "new"], ["predict", "m", "data/*.csv", "-o", "new"]):
        code, out, err = run(*arguments, "--dask", nowhere)
        assert (code, out) == (2, "")
        assert f"No Dask scheduler answers at {nowhere}: start one there" in " ".join(err.split())
    assert sorted(os.listdir()) == ["data", "m"]


def test_a_folder_that_is_there_is_not_written_to(folder, address, run):
    fit_files("nb", "data/*.csv", address, "label").save("m")
    (folder / "mine").mkdir()
    code, _, err = run("predict", "m", "data/*.csv", "-o", "mine", "--dask", address)
    assert code == 2
    assert "mine exists already: name a new folder." in err
    assert os.listdir("mine") == []


def test_a_file_that_lacks_a_column_or_is_damaged_is_named_and_nothing_is_written(folder, address, run):
    fit_files("nb", "data/*.parquet", address, "label").save("m")
    table().drop(columns="width").to_parquet("data/7.parquet", index=False)
    for arguments in (["fit", "-m", "aode", "-t", "label", "data/*.parquet"], ["predict", "m", "data/*.parquet"]):
        code, out, err = run(*arguments, "-o", "new", "--dask", address)
        assert (code, out) == (2, "")
        assert "Partition 7" in err
        assert "data/7.parquet): it lacks the column 'width'" in "".join(err.splitlines())
    with open("data/8.csv", "a") as file:
        file.write("amber,round,wide,3,0,True,1\n")
    code, out, err = run("fit", "data/*.csv", "-m", "aode", "-t", "label", "-o", "new", "--dask", address)
    assert "data/8.csv): column 'width' holds 'wide'" in "".join(err.splitlines())
    assert sorted(os.listdir()) == ["data", "m"]


def test_one_label_is_nothing_to_learn_from(folder, address, run):
    table().assign(label=1).to_parquet("data/same.parq", index=False)
    code, _, err = run("fit", "data/*.parq", "-m", "nb", "-t", "label", "-o", "new", "--dask", address)
    assert code == 2
    assert "the same label in all rows of column 'label'" in " ".join(err.split())
    assert os.listdir() == ["data"]


def test_predictions_into_a_folder_clear_up_after_those_that_were_killed(folder, address):
    fit_files("nb", "data/*.parquet", address, "label").save("m")
    for left in (beside(folder / "new", "-0.part"), folder / "new.part"):
        left.mkdir()
        (left / "part-000000.parquet").touch()
    predict_files(load("m"), "data/*.parquet", "new", address)
    assert sorted(os.listdir()) == ["data", "m", "new", "new.part"]  # the last of which is somebody else's


def test_an_interrupted_run_writes_nothing(folder, address, run, monkeypatch):
    fit_files("nb", "data/*.parquet", address, "label").save("m")
    for number in range(10, 150):
        table().to_parquet(f"data/{number}.parquet", index=False)
    found = []

    @contextmanager
    def interrupting(quiet):
        def progress(task, done, total):
            if done == 3:
                found.extend(path for path in os.listdir() if path.endswith(".part"))
                os.kill(os.getpid(), signal.SIGINT)

        yield progress

    for command in (fit, predict):
        monkeypatch.setattr(command, "rows_progress", interrupting)
    for arguments in (["fit", "-m", "aode", "-t", "label", "data/*.parquet"], ["predict", "m", "data/*.parquet"]):
        code, out, err = run(*arguments, "-o", "new", "--dask", address)
        assert (code, out) == (130, "")
        assert err.endswith("interrupted.\n")
    (draft,) = found
    assert draft.startswith(beside(folder / "new", "-").name)
    assert sorted(os.listdir()) == ["data", "m"]


def test_the_lines_of_the_readme_run():
    (code,) = (block for block in code_blocks(MODELS_PAGE) if "unnaive.distributed" in block)
    names = {}
    exec(code, names)
    rows = names["frame"].compute()
    assert_same(names["model"], names["AODE"]().fit(rows.drop(columns="target"), rows["target"]))


def test_files_of_a_pattern_are_the_partitions_of_one_frame(tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.csv").write_text("sky,warmth,trip\ngrey,14,museum\nclear,?,beach\n")
    frame = read_files(f"{tmp_path}/*.csv")
    assert frame.npartitions == 2
    assert frame["warmth"].sum().compute(scheduler="synchronous") == 28.0
