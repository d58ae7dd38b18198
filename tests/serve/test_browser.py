"""In a browser: the page of a running service follows what the service learns and forgets."""

import pytest

pytest.importorskip("fastapi", reason="needs the serve extra")

from tests.serve.client import Process
from tests.serve.tables import TARGET, rows, write_model

ROW = {"word": "a", "number": None}


@pytest.fixture
def service(tmp_path):
    process = Process(write_model(tmp_path / "m.unnaive", rows(0, 60), name="aode"))
    process.start()
    yield process
    process.stop()


def test_the_probability_moves_with_twenty_rows_and_returns_without_them(service, browser):
    def ask(path, content):
        answer = service.client.post(path, json=content)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def shown():
        """What the page computes for the row, and the text that a reader sees of it."""
        browser.chrome.refresh()
        assert browser.becomes(lambda: browser.run("return Boolean(window.whatIf)"))
        chances = browser.run("return whatIf.probabilities(whatIf.state.row)")
        assert chances == pytest.approx(ask("/predict", ROW)["probabilities"][0], abs=1e-9)
        return chances, browser.find("#chances").text, browser.run("return whatIf.state.row")

    browser.chrome.get(service.url + "/")
    browser.messages()
    browser.requests()
    browser.find("#column-0").send_keys("a")
    before = shown()
    assert before[2] == [0, None]
    new = [{**ROW, TARGET: "no"}] * 20
    ask("/learn", new)
    taught = shown()
    assert taught[0][0] > before[0][0] + 0.1
    assert taught[1] != before[1]
    ask("/forget", new)
    assert shown() == before
    assert browser.messages() == []
    assert {url.split("#")[0] for url in browser.requests() if not url.startswith("data:")} == {service.url + "/"}
