"""The service as a process of its own."""

import json
import os
import socket
import subprocess
import sys

import pytest

pytest.importorskip("fastapi", reason="needs the serve extra")

from typer.testing import CliRunner

from tests.serve.client import Here, Process
from tests.serve.hostile import attack
from tests.serve.kills import Run
from tests.serve.tables import TOKEN, fit, objects, rows, write_model
from unnaive.cli.main import app
from unnaive.persist import content_hash, load

BASE = rows(0, 40)


def serve(*arguments):
    return CliRunner().invoke(app, ["serve", *map(str, arguments)], env={"UNNAIVE_TOKEN": None})


def test_a_service_starts_answers_and_stops_with_everything_saved(tmp_path):
    service = Process(write_model(tmp_path / "m.unnaive", BASE), "--save-after", "600")
    service.start()
    assert service.client.post("/learn", json=objects(BASE[:4])).json()["total"] == 44
    assert service.client.post("/predict", json=objects(BASE[:4])).status_code == 200
    with socket.create_connection(("127.0.0.1", int(service.url.rsplit(":", 1)[1]))) as connection:
        connection.sendall(b"this is not HTTP\r\n\r\n")
        assert connection.recv(100).startswith(b"HTTP/1.1 400")
    update = [sys.executable, "-m", "unnaive", "update", "m.unnaive", "m.csv", "--no-wait"]
    BASE[:1].to_csv(tmp_path / "m.csv", index=False)
    refused = subprocess.run(update, cwd=tmp_path, capture_output=True, text=True)
    assert refused.returncode == 2
    assert "another process is changing" in refused.stderr
    assert service.stop() == 0
    lines = [json.loads(line) for line in (tmp_path / "m.log").read_text().splitlines()]
    assert {line["path"] for line in lines if line["event"] == "request"} >= {"/learn", "/predict"}
    assert load(tmp_path / "m.unnaive").model.class_count_.sum() == 44
    left = sorted(file.name for file in tmp_path.iterdir())
    assert left == ["m.csv", "m.log", "m.unnaive", "m.unnaive.journal"]


@pytest.mark.thorough
def test_killed_services_have_exactly_what_was_acknowledged(tmp_path):
    found = Run(tmp_path, seed=1).run(seconds=60, n_clients=2, between=0.3, n_kills=3)
    assert found["problems"] == []
    assert found["kills"] == 3


def test_hostile_requests_are_refused_and_change_nothing(tmp_path):
    path = write_model(tmp_path / "m.unnaive", BASE)
    model = path.read_bytes()
    with Here(path) as here:

        def send(method, path, headers, body):
            return here.request(method, path, headers, content=body)

        statuses, wrong = attack(300, 0, model, send, lambda: here.get("/model")["hash"])
    assert wrong == []
    assert {400, 401, 404, 405, 415, 422} <= statuses.keys()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--host", "0.0.0.0"], "no token"),
        (["--port", "99999"], "65535"),
        (["--timeout", "0"], "--timeout"),
        (["--token-file", "none"], "none cannot be read"),
        (["--host", "256.1.1.1", "--token-file", "token"], "cannot listen"),
    ],
)
def test_what_cannot_be_served_is_said_in_a_sentence(tmp_path, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "token").write_text(TOKEN)
    result = serve(write_model(tmp_path / "m.unnaive", BASE), *arguments)
    assert result.exit_code != 0
    assert words in str(result.exception) + result.output


def test_a_port_that_is_taken_is_said(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        result = serve(write_model(tmp_path / "m.unnaive", BASE), "--port", taken.getsockname()[1])
    assert "choose another" in str(result.exception)


def test_no_option_takes_the_token_itself():
    assert "--token " not in serve("--help").output


def test_without_the_extra_the_command_says_what_to_install(tmp_path, monkeypatch):
    for name in [name for name in sys.modules if name.startswith(("unnaive.serve.run", "unnaive.serve.app"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "fastapi", None)
    result = serve(write_model(tmp_path / "m.unnaive", BASE))
    assert "unnaive[serve]" in str(result.exception)


@pytest.mark.thorough
def test_many_kills_and_many_hostile_requests(tmp_path):
    command = [sys.executable, "-m"]
    environment = dict(os.environ)
    for module, options in [("kills", ["--minutes", "0.4"]), ("hostile", ["--requests", "1000"])]:
        done = subprocess.run(
            [*command, f"tests.serve.{module}", *options], env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_hash_of_a_service_is_that_of_a_fit(tmp_path):
    with Here(write_model(tmp_path / "m.unnaive", BASE)) as here:
        assert here.get("/model")["hash"] == content_hash(fit(BASE))
