import asyncio
import io
import json
import sys
import threading
import time

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

pytest.importorskip("fastapi", reason="needs the serve extra")

from tests.serve.client import HEADERS, Here
from tests.serve.held_back import held_back
from tests.serve.tables import TARGET, TOKEN, fit, objects, rows, write_model
from unnaive.models import MODELS
from unnaive.persist import content_hash, load, save
from unnaive.serve import app
from unnaive.serve.answers import form_of
from unnaive.serve.journal import Journal
from unnaive.serve.refusal import Refusal
from unnaive.serve.request_rows import ARROW, CSV, JSON

BASE = rows(0, 40)


@pytest.fixture
def path(tmp_path):
    return write_model(tmp_path / "m.unnaive", BASE)


@pytest.fixture
def here(path):
    with Here(path) as service:
        yield service


def as_stream(frame):
    sink = io.BytesIO()
    table = frame if isinstance(frame, pa.Table) else pa.Table.from_pandas(frame, preserve_index=False)
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def read_stream(content):
    return pa.ipc.open_stream(content).read_all().to_pandas()


def bodies(frame):
    """The same rows in every form."""
    return {
        JSON: json.dumps(objects(frame)).encode(),
        CSV: frame.to_csv(index=False).encode(),
        ARROW: as_stream(frame),
    }


def test_predictions_are_those_of_the_model_in_every_form(here):
    frame = rows(1, 30)[["word", "number"]]
    model = fit(BASE)
    expected = model.predict_proba(frame)
    for media, body in bodies(frame).items():
        answers = {
            form: here.request("POST", "/predict", content=body, headers={"content-type": media, "accept": form})
            for form in (JSON, CSV, ARROW)
        }
        assert [answer.status_code for answer in answers.values()] == [200] * 3
        assert answers[CSV].headers["content-type"].startswith(CSV)
        found = answers[JSON].json()
        assert found["classes"] == ["no", "yes"]
        assert found["labels"] == model.predict(frame).tolist()
        assert np.array_equal(found["probabilities"], expected)
        as_csv = pd.read_csv(io.BytesIO(answers[CSV].content), dtype=str)  # older pandas would round numbers
        for table in (as_csv, read_stream(answers[ARROW].content)):
            assert table.columns.tolist() == [TARGET, "p(no)", "p(yes)"]
            assert np.array_equal(table[["p(no)", "p(yes)"]].astype(float), expected)


@pytest.mark.parametrize("name", ["nb", "bat"])  # which takes tables of arrow, and which does not
@pytest.mark.parametrize(
    "text", [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())]
)
@pytest.mark.parametrize("date", [pa.string(), pa.date32(), pa.timestamp("ms")])
def test_predictions_are_those_of_the_model_whatever_the_types_of_arrow(tmp_path, name, text, date):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"word": rng.choice(["a", "b", None], 60), "day": rng.integers(0, 9, 60).astype(float)})
    frame["count"], frame["number"] = rng.integers(0, 9, 60), rng.normal(size=60).round(2)
    y = np.where(frame["count"] + frame["day"] > 8, "high", "low")
    frame.loc[::7, ["day", "number"]] = np.nan
    model = MODELS[name].make_for_table().fit(frame, y)
    kinds = {"word": "text", "day": "date", "count": "integer", "number": "number"}
    save(model, tmp_path / "m.unnaive", target=TARGET, notes={"kinds": kinds, "text": [], "reading": {}})
    frame.loc[1, "word"] = "unseen"
    days = pa.array(frame["day"], from_pandas=True).cast(pa.int32()).cast(pa.date32())
    columns = {"extra": pa.nulls(60), "number": pa.array(frame["number"], pa.float32(), from_pandas=True)}
    columns |= {"day": days.cast(date), "count": pa.array(frame["count"], pa.uint8())}
    columns["word"] = pa.array(frame["word"].astype(object).where(frame["word"].notna(), None).tolist(), text)
    expected = model.predict_proba(frame.assign(number=frame["number"].astype("float32")))
    with Here(tmp_path / "m.unnaive") as here:
        answer = here.request("POST", "/predict", content=as_stream(pa.table(columns)), headers={"content-type": ARROW})
    assert answer.status_code == 200, answer.text
    assert np.array_equal(answer.json()["probabilities"], expected)


def test_a_single_object_is_one_row(here):
    found = here.post("/predict", {"word": "a", "number": None}).json()
    assert found["labels"] == fit(BASE).predict(pd.DataFrame({"word": ["a"], "number": [np.nan]})).tolist()


def test_explanations_add_up(here):
    found = here.post("/explain", objects(rows(1, 3)[["word", "number"]])).json()
    for one in found["explanations"]:
        assert {part["column"] for part in one["contributions"]} == {"prior", "word", "number"}
        assert sum(part["log_odds"] for part in one["contributions"]) == pytest.approx(one["log_odds"])
    assert here.post("/explain", objects(rows(1, 101))).status_code == 413


def test_changes_are_those_of_a_fit_in_every_form(here, path):
    more = rows(1, 12)
    for media, body in bodies(more).items():
        learned = here.request("POST", "/learn", content=body, headers={**HEADERS, "content-type": media})
        assert learned.json()["rows"] == 12, learned.text
    for body in (bodies(more)[ARROW], bodies(BASE[:5])[ARROW]):
        forgotten = here.request("POST", "/forget", content=body, headers={**HEADERS, "content-type": ARROW})
        assert forgotten.status_code == 200, forgotten.text
    found = here.get("/model")
    expected = fit(pd.concat([BASE[5:], more, more]))
    assert found["hash"] == content_hash(expected)
    assert (found["entry"], found["weight"]) == (5, 59.0)
    assert found["class_counts"] == expected.class_count_.tolist()
    assert found["contract"]["bins"] == "exact"
    assert found["read_only"] is None


def test_two_services_count_apart_and_are_merged(here, tmp_path):
    with Here(write_model(tmp_path / "other.unnaive", rows(1, 10))) as other:
        other.post("/learn", objects(rows(2, 10)))
    merged = here.request("POST", "/merge", content=(tmp_path / "other.unnaive").read_bytes())
    assert merged.json()["total"] == 60.0
    assert here.get("/model")["hash"] == content_hash(fit(pd.concat([BASE, rows(1, 10), rows(2, 10)])))


def test_a_retried_request_counts_once(here):
    answers = [here.post("/learn", objects(BASE[:2]), {"idempotency-key": "one"}) for _ in range(3)]
    assert len({answer.text for answer in answers}) == 1
    assert [answer.headers.get("idempotency-replayed") for answer in answers] == [None, "true", "true"]
    assert here.get("/model")["weight"] == 42.0
    assert here.post("/learn", objects(BASE[:3]), {"idempotency-key": "one"}).status_code == 422
    assert here.post("/forget", objects(BASE[:2]), {"idempotency-key": "one"}).status_code == 422
    for key in ("", "x" * 256):
        assert here.post("/learn", objects(BASE[:2]), {"idempotency-key": key}).status_code == 400
    assert here.get("/model")["weight"] == 42.0


@pytest.mark.parametrize(
    ("endpoint", "content", "status", "words"),
    [
        (
            "/learn",
            [{"word": "a", "number": 1.0, "play": "yes"}, {"word": "a", "number": "x", "play": "no"}],
            422,
            "Row 2",
        ),
        ("/learn", [{"word": "a", "number": 1.0, "play": "yes"}, {"word": "a", "number": 1.0}], 422, "row 2"),
        ("/learn", [{"word": "a", "number": 1.0}], 422, "'play'"),
        ("/learn", [{"word": "a", "number": 1.0, "play": "perhaps"}], 422, "perhaps"),
        ("/learn", [{"word": "a", "number": {"x": 1}, "play": "yes"}], 422, "object 1: column 'number'"),
        ("/forget", [{"word": "zebra", "number": 1.0, "play": "yes"}], 422, "column 'word'"),
        ("/predict", [{"word": "a"}], 422, "'number'"),
        ("/predict", [{"word": "a", "number": "x"}], 422, "'number'"),
        ("/predict", [{"word": [1, "x"], "number": 1.0}], 422, "lists in column 'word'"),
        ("/predict", [], 422, "empty"),
        ("/predict", 5, 422, "a number"),
        ("/predict", [[1, 2]], 422, "entry 1"),
        ("/predict", [{"word": "a", "number": 10**400}], 422, "'number'"),
        ("/explain", [{"word": "a"}], 422, "'number'"),
    ],
)
def test_what_cannot_be_used_is_refused_by_row_and_column(here, endpoint, content, status, words):
    before = here.get("/model")
    answer = here.post(endpoint, content)
    assert (answer.status_code, list(answer.json())) == (status, ["error"])
    assert words in answer.json()["error"]
    assert here.get("/model") == before


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        (b"", {"content-type": JSON}, 400),
        (b"{", {"content-type": JSON}, 400),
        (b'[{"word": "a", "number": NaN}]', {"content-type": JSON}, 400),
        (b'[{"word": "a", "number": -Infinity}]', {"content-type": JSON}, 400),
        (b'[{"word": "a", "number": 1e999}]', {"content-type": JSON}, 422),
        (b'[{"word": "\\ud800", "number": 1}]', {"content-type": JSON}, 400),
        (b'[{"word": "\xff", "number": 1}]', {"content-type": JSON}, 400),
        (b"[" * 100_000, {"content-type": JSON}, 400),
        (b'{"a":' * 6 + b"1" + b"}" * 6, {"content-type": JSON}, 400),
        (b"word,number\na\n", {"content-type": CSV}, 422),
        (b"word,number\n", {"content-type": CSV}, 422),
        (b"word,number\n\xff,1\n", {"content-type": CSV}, 422),
        (b"word,number\na,1\n", {"content-type": "text/csv; charset=klingon"}, 422),
        (b"not a stream", {"content-type": ARROW}, 400),
        (b'{"word": "a", "number": 1}', {}, 415),
        (b'{"word": "a", "number": 1}', {"content-type": "application/x-www-form-urlencoded"}, 415),
        (b'{"word": "a", "number": 1}', {"content-type": JSON, "accept": "image/png"}, 406),
        (b'{"word": "a", "number": 1}', {"content-type": JSON, "content-encoding": "gzip"}, 415),
    ],
)
def test_what_cannot_be_read_is_refused(here, body, headers, status):
    answer = here.request("POST", "/predict", content=body, headers=headers)
    assert (answer.status_code, list(answer.json())) == (status, ["error"]), answer.text


def test_a_charset_is_heeded(tmp_path):
    frame = rows(0, 40).replace({"word": {"a": "é"}})
    with Here(write_model(tmp_path / "m.unnaive", frame)) as here:
        body = frame.to_csv(index=False).encode("latin1")
        sent = {**HEADERS, "content-type": "text/csv; charset=latin1"}
        assert here.request("POST", "/forget", content=body, headers=sent).status_code == 200


def test_a_date_in_a_column_of_text_is_text(tmp_path):
    frame = rows(0, 40).replace({"word": {"a": "2020-01-01"}})
    with Here(write_model(tmp_path / "m.unnaive", frame)) as here:
        row = objects(frame[frame["word"] == "2020-01-01"][:1])
        assert here.post("/forget", row).status_code == 200
        assert "(unseen)" not in here.post("/explain", row).text


@pytest.mark.parametrize(
    ("accept", "form"),
    [
        (None, JSON),
        ("*/*", JSON),
        ("text/html, application/*;q=0.5", JSON),
        ("text/csv;q=0.4, application/vnd.apache.arrow.stream;q=0.9", ARROW),
        ("TEXT/CSV", CSV),
        ("image/png", None),
        ("text/csv;q=0", None),
        ("text/csv;q=nonsense", None),
    ],
)
def test_the_form_of_an_answer_is_the_one_asked_for(accept, form):
    if form is None:
        with pytest.raises(Refusal, match="Accept"):
            form_of(accept)
    else:
        assert form_of(accept) == form


def test_readers_do_not_wait_for_a_slow_write(here, monkeypatch):
    began, go = held_back(monkeypatch, Journal, "add")

    async def main():
        writing = asyncio.create_task(here.ask("POST", "/learn", json=objects(BASE[:3]), headers=HEADERS))
        await asyncio.to_thread(began.wait, 60)
        read = await asyncio.gather(*(here.ask("POST", "/predict", json=objects(BASE[:2])) for _ in range(20)))
        assert not writing.done()
        go.set()
        return read, await writing

    read, written = asyncio.run(main())
    assert {answer.json()["entry"] for answer in read} == {0}
    assert written.json()["entry"] == 1


def test_predictions_do_not_wait_for_explanations(here, monkeypatch):
    began, go = threading.Event(), threading.Event()

    def slow(*_):
        began.set()
        assert go.wait(60)
        return b"{}", 1

    monkeypatch.setattr(here.service, "explain", slow)

    async def main():
        explaining = [asyncio.create_task(here.ask("POST", "/explain", json=objects(BASE[:1]))) for _ in range(8)]
        await asyncio.to_thread(began.wait, 60)
        answer = await here.ask("POST", "/predict", json=objects(BASE[:1]))
        go.set()
        await asyncio.gather(*explaining)
        return answer.status_code

    assert asyncio.run(main()) == 200


@pytest.mark.parametrize("is_short", [True, False])
def test_only_predictions_that_take_long_are_handed_to_a_thread(here, monkeypatch, is_short):
    predict, threads = app.predict_table, []

    def told(*args):
        threads.append(threading.current_thread().name)
        began = time.thread_time()
        while not is_short and time.thread_time() < began + 2 * sys.getswitchinterval():
            pass
        return predict(*args)

    monkeypatch.setattr(app, "predict_table", told)
    answers = [here.post("/predict", objects(rows(1, 1))).json() for _ in range(40)]
    assert all(answer == answers[0] for answer in answers)
    assert threads[0].startswith("unnaive-predict")  # as it is not known how long it takes
    assert all(name.startswith("unnaive-predict") for name in threads[20:]) != is_short


def test_a_refusal_of_a_short_request_is_the_same(here):
    wrong = {**objects(rows(1, 1))[0], "number": "many"}
    first = here.post("/predict", wrong)
    here.service._seconds.update(dict.fromkeys(range(30), 0.0))
    second = here.post("/predict", wrong)
    assert (first.status_code, first.content) == (second.status_code, second.content) == (422, first.content)


def test_a_change_whose_turn_does_not_come_is_not_made(path, monkeypatch):
    began, go = held_back(monkeypatch, Journal, "add")
    with Here(path, seconds=0.3) as here:

        async def main():
            first = asyncio.create_task(here.ask("POST", "/learn", json=objects(BASE[:3]), headers=HEADERS))
            await asyncio.to_thread(began.wait, 60)
            second = await here.ask("POST", "/learn", json=objects(BASE[:5]), headers=HEADERS)
            go.set()
            return await first, second

        first, second = asyncio.run(main())
    assert (first.status_code, second.status_code) == (200, 408)
    assert load(path).model.class_count_.sum() == 43


def test_a_read_only_model_predicts_and_says_why_it_does_not_learn(tmp_path):
    from unnaive.models import MODELS
    from unnaive.persist import save

    model = MODELS["forest"].make_for_table().fit(BASE[["word", "number"]], BASE[TARGET].to_numpy(dtype=str))
    save(model, tmp_path / "m.unnaive", target=TARGET, notes={})
    with Here(tmp_path / "m.unnaive") as here:
        assert here.post("/predict", objects(BASE[:3])).status_code == 200
        for verb in ("/learn", "/forget", "/merge"):
            answer = here.post(verb, objects(BASE[:3]))
            assert answer.status_code == 409
            assert "read-only" in answer.json()["error"]
        assert here.post("/explain", objects(BASE[:3])).status_code == 409
        page = here.request("GET", "/")
        assert page.status_code == 409
        assert "A page can ask what if of" in page.json()["error"]
        assert "read-only" in here.get("/model")["read_only"]


def test_a_follower_refuses_changes_and_says_where_to_send_them(path):
    for token in (TOKEN, None):
        with Here(path, follow=True, token=token) as here:
            assert here.post("/predict", objects(BASE[:3])).status_code == 200
            answer = here.post("/learn", objects(BASE[:3]))
            assert (answer.status_code, "send changes to that one" in answer.json()["error"]) == (409, True)


def test_a_model_without_rows_does_not_predict(here):
    assert here.post("/forget", objects(BASE)).status_code == 200
    answer = here.post("/predict", objects(BASE[:1]))
    assert answer.status_code == 409
    assert "holds no rows" in answer.json()["error"]
    assert here.request("GET", "/").status_code == 409
    assert here.get("/model")["weight"] == 0
    assert here.get("/health")["entry"] == 1


def test_the_page_is_of_the_model_as_it_is_now(here):
    def page():
        answer = here.request("GET", "/")
        assert answer.headers["content-type"].startswith("text/html")
        assert answer.headers["cache-control"] == "no-store"
        return answer.text

    before = page()
    assert "learned from <b>40</b> rows" in before
    here.post("/learn", objects(BASE[:3]))
    assert "learned from <b>43</b> rows" in page()
    here.post("/forget", objects(BASE[:3]))
    assert page() == before


def test_metrics_count_requests_and_rows(here):
    here.post("/predict", objects(BASE[:7]))
    here.post("/predict", [])
    here.post("/learn", objects(BASE[:2]))
    text = here.request("GET", "/metrics").text
    assert 'unnaive_requests_total{path="/predict",status="200"} 1\n' in text
    assert 'unnaive_requests_total{path="/predict",status="422"} 1\n' in text
    assert 'unnaive_rows_total{path="/predict"} 7\n' in text
    assert 'unnaive_request_seconds_count{path="/predict"} 2\n' in text
    assert 'unnaive_request_seconds_bucket{path="/predict",le="+Inf"} 2\n' in text
    assert "\nunnaive_entry 1\n" in text
    assert "\nunnaive_model_weight 42\n" in text


def test_openapi_names_every_endpoint(here):
    schema = here.get("/openapi.json")
    assert {*schema["paths"]} == {
        "/",
        "/predict",
        "/explain",
        "/learn",
        "/forget",
        "/merge",
        "/model",
        "/health",
        "/metrics",
    }
    assert {*schema["paths"]["/learn"]["post"]["requestBody"]["content"]} == {JSON, CSV, ARROW}
    assert schema["components"]["securitySchemes"]["token"]["scheme"] == "bearer"


def test_other_paths_and_methods_are_refused(here):
    assert here.request("GET", "/docs").status_code == 404
    assert here.request("GET", "/predict").status_code == 405
    assert here.request("DELETE", "/model").status_code == 405


def test_a_model_of_text_learns_and_forgets(tmp_path):
    from unnaive.streaming import fit_file

    words = pd.DataFrame(
        {"text": ["red wine", "old red wine", "cold beer", "beer and beer"] * 3, "kind": list("wwbb") * 3}
    )
    words.to_json(tmp_path / "t.jsonl", orient="records", lines=True)
    fit_file("honb", tmp_path / "t.jsonl", "kind", text=["text"]).save(tmp_path / "m.unnaive")
    with Here(tmp_path / "m.unnaive") as here:
        before = here.get("/model")["hash"]
        more = [{"text": "red beer", "kind": "b"}]
        assert here.post("/learn", more).status_code == 200
        assert here.get("/model")["hash"] != before
        assert here.post("/predict", [{"text": "red wine"}]).json()["labels"] == ["w"]
        assert here.post("/explain", [{"text": "red wine"}]).status_code == 200
        assert here.post("/forget", [{"text": "what is this", "kind": "b"}]).status_code == 422
        assert here.post("/forget", more).status_code == 200
        assert here.get("/model")["hash"] == before
