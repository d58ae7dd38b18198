import asyncio
import json

import pytest

pytest.importorskip("fastapi", reason="needs the serve extra")

from tests.serve.client import HEADERS, Here
from tests.serve.tables import TOKEN, objects, rows, write_model
from unnaive.serve.guard import Guard
from unnaive.serve.json_logs import LOGGER, _JsonLines
from unnaive.serve.metrics import Metrics
from unnaive.serve.settings import Settings

ROWS = objects(rows(0, 3))


@pytest.fixture
def path(tmp_path):
    return write_model(tmp_path / "m.unnaive", rows(0, 40))


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"authorization": ""},
        {"authorization": TOKEN},
        {"authorization": f"Basic {TOKEN}"},
        {"authorization": f"Bearer {TOKEN}x"},
        {"authorization": f"Bearer {TOKEN[:-1]}"},
        {"authorization": "Bearer žluť".encode()},
    ],
)
def test_changes_need_the_token(path, headers):
    with Here(path) as here:
        for verb in ("/learn", "/forget", "/merge"):
            answer = here.request("POST", verb, headers=headers, json=ROWS)
            assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
        assert here.request("POST", "/predict", headers=headers, json=ROWS).status_code == 200
        assert (
            here.request("POST", "/learn", headers={"authorization": f"bearer {TOKEN}"}, json=ROWS).status_code == 200
        )


def test_without_a_token_nothing_can_be_changed(path):
    with Here(path, token=None) as here:
        for headers in (HEADERS, {}, {"authorization": "Bearer "}, {"authorization": "Bearer None"}):
            answer = here.request("POST", "/learn", headers=headers, json=ROWS)
            assert answer.status_code == 403
            assert "without a token" in answer.json()["error"]
        assert here.request("POST", "/predict", headers={}, json=ROWS).status_code == 200


def test_a_service_for_others_needs_the_token_for_everything(path):
    with Here(path, host="0.0.0.0") as here:
        for method, where in [("POST", "/predict"), ("GET", "/model"), ("GET", "/health"), ("GET", "/openapi.json")]:
            assert here.request(method, where, headers={}).status_code == 401
        assert here.get("/health")["status"] == "ok"
        assert here.request("GET", "/health", headers={**HEADERS, "host": "model.example.org"}).status_code == 200


def test_a_page_that_calls_this_machine_by_its_own_name_is_refused(path):
    with Here(path) as here:
        for host in ("evil.example.org", "evil.example.org:8000", "127.0.0.1.example.org", "[2001:db8::1]:80", ""):
            assert here.request("GET", "/model", headers={"host": host}).status_code == 421
        for host in ("localhost", "127.0.0.1:8000", "[::1]:8000"):
            assert here.request("GET", "/health", headers={"host": host}).status_code == 200


def test_large_requests_are_refused(path):
    with Here(path, max_bytes=1000, max_rows=5) as here:
        assert here.request("POST", "/predict", content=b"x" * 1001).status_code == 413

        async def parts():
            for _ in range(200):
                yield b"x" * 10

        assert here.request("POST", "/predict", content=parts()).status_code == 413
        assert here.post("/predict", objects(rows(0, 6))).status_code == 413
        assert here.post("/predict", objects(rows(0, 5))).status_code == 200
        csv = rows(0, 6).to_csv(index=False).encode()
        assert here.request("POST", "/predict", content=csv, headers={"content-type": "text/csv"}).status_code == 413


def talk(app, messages, headers=((b"host", b"localhost"),), path="/predict", method="POST"):
    """What an application sends to a client that sends these messages and then waits."""
    sent, left = [], list(messages)

    async def receive():
        if left:
            return left.pop(0)
        await asyncio.sleep(60)

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "method": method, "path": path, "headers": list(headers), "query_string": b""}
    asyncio.run(app(scope, receive, send))
    return sent


def test_slow_requests_are_refused(path):
    with Here(path, seconds=0.05) as here:
        sent = talk(here.app, [{"type": "http.request", "body": b"[", "more_body": True}])
    assert sent[0]["status"] == 408
    assert b"did not arrive" in sent[1]["body"]


@pytest.mark.parametrize("length", [b"-1", b"abc", "²".encode(), b"9" * 30, b"2000"])
def test_a_wrong_or_large_length_is_refused_before_the_body(path, length):
    with Here(path, max_bytes=1000) as here:
        sent = talk(here.app, [], [(b"host", b"localhost"), (b"content-length", length)])
    assert sent[0]["status"] in (400, 413)


def test_a_client_that_leaves_gets_no_answer(path):
    with Here(path) as here:
        assert talk(here.app, [{"type": "http.disconnect"}]) == []


def test_more_requests_than_allowed_are_refused():
    async def app(scope, receive, send):
        await asyncio.sleep(0.2)
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    guard = Guard(app, Settings(max_requests=3), Metrics(), set())

    async def ask(path):
        statuses = []

        async def receive():
            return {"type": "http.request", "body": b""}

        async def send(message):
            statuses.append(message.get("status"))

        headers = [(b"host", b"localhost")]
        await guard({"type": "http", "method": "GET", "path": path, "headers": headers}, receive, send)
        return statuses[0]

    async def main():
        return await asyncio.gather(*(ask("/predict") for _ in range(8)), ask("/health"))

    assert asyncio.run(main()) == [200] * 3 + [429] * 5 + [200]


def test_a_defect_is_told_without_a_traceback_and_logged_without_rows(path, monkeypatch):
    lines = []
    monkeypatch.setattr(LOGGER, "handle", lambda record: lines.append(_JsonLines().format(record)))
    LOGGER.setLevel("INFO")
    with Here(path) as here:

        def fails(*_):
            raise KeyError("the secret row")

        monkeypatch.setattr(here.service, "predict", fails)
        answer = here.post("/predict", [{"word": "secret", "number": 1}])
    assert answer.status_code == 500
    assert list(answer.json()) == ["error"]
    assert "secret" not in answer.text + "".join(lines)
    assert "Traceback" not in answer.text + "".join(lines)
    failed, request = [json.loads(line) for line in lines]
    assert (failed["event"], failed["error"]) == ("failed", "KeyError")
    assert (request["event"], request["path"], request["status"]) == ("request", "/predict", 500)


def test_logs_name_known_paths_only(path, monkeypatch):
    lines = []
    monkeypatch.setattr(LOGGER, "handle", lambda record: lines.append(_JsonLines().format(record)))
    LOGGER.setLevel("INFO")
    with Here(path) as here:
        here.request("GET", "/secret?row=secret")
        here.post("/learn", ROWS)
    assert "secret" not in "".join(lines)
    other, learned = map(json.loads, lines)
    assert (other["path"], other["status"]) == ("other", 404)
    assert (learned["path"], learned["entry"], learned["rows"]) == ("/learn", 1, 3)
