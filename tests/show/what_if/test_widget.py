"""WhatIf in a notebook: a frame that cannot reach the notebook, and a widget that tells Python what is chosen."""

import json
import sys
from html.parser import HTMLParser

import pytest

from tests.show.what_if.models import fitted
from unnaive.show import WhatIf
from unnaive.show.what_if.widget import _MODULE

NOTEBOOK = """<!doctype html><title>notebook</title><div id="cell"></div><script type="module">
const traits = FRAME;
const set = (name, value) => { traits[name] = value; };
const model = { get: (name) => traits[name], set, save_changes() { window.saved = traits.row; } };
const module = await import(URL.createObjectURL(new Blob([MODULE], { type: "text/javascript" })));
module.default.render({ model, el: document.getElementById("cell") });
</script>"""


class Frames(HTMLParser):
    def __init__(self, page):
        super().__init__()
        self.found = []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))


def test_the_page_is_a_frame_of_its_own_where_there_is_no_anywidget(monkeypatch):
    monkeypatch.setitem(sys.modules, "anywidget", None)
    model, rows = fitted("aode")
    shown = WhatIf(model, rows[5:], height=500)
    ((tag, attributes),) = Frames(shown._repr_html_()).found
    assert tag == "iframe"
    assert attributes["srcdoc"] == shown.html
    assert attributes["sandbox"] == "allow-scripts allow-downloads"
    assert "height: 500px" in attributes["style"]
    bundle = shown._repr_mimebundle_(include=None, exclude=None)
    assert bundle["text/html"] == shown._repr_html_()
    assert shown.values["tall"] == str(rows["tall"][5])


def test_with_anywidget_the_values_follow_the_page():
    pytest.importorskip("anywidget")
    model, rows = fitted("nb-gaussian")
    shown = WhatIf(model, rows)
    assert "application/vnd.jupyter.widget-view+json" in shown._repr_mimebundle_()[0]
    assert set(shown.values.values()) == {None}  # as the first row holds nothing
    shown._widget.row = [0, 1, None, 2.5, None]
    assert shown.values == {"colour": "amber", "size": "large", "tall": None, "width": 2.5, "length": None}


def test_the_page_is_saved_and_nothing_else_is_replaced(tmp_path):
    model, rows = fitted("tan")
    shown = WhatIf(model, rows)
    path = shown.save(tmp_path / "new" / "page.html")
    assert path.read_text(encoding="utf-8") == shown.html
    shown.save(path)
    path.write_text("mine")
    with pytest.raises(ValueError, match="is not a report of unnaive"):
        shown.save(path)


def test_a_change_on_the_page_reaches_the_notebook(tmp_path, browser):
    model, rows = fitted("aode")
    shown = WhatIf(model, rows[4:])
    frame = json.dumps({"frame": {**shown._frame, "srcdoc": shown.html}, "row": []}).replace("<", "\\u003c")
    notebook = tmp_path / "notebook.html"
    notebook.write_text(NOTEBOOK.replace("FRAME", frame).replace("MODULE", json.dumps(_MODULE)), encoding="utf-8")
    browser.open(notebook)
    assert browser.becomes(lambda: browser.run("return window.saved !== undefined"))
    assert browser.run("return window.saved") == shown._start
    browser.chrome.switch_to.frame(0)
    browser.find("#clear").click()
    browser.chrome.switch_to.default_content()
    assert browser.becomes(lambda: browser.run("return window.saved") == [None] * 5)
    assert browser.messages() == []
