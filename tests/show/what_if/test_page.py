"""The page: it needs nothing but itself, and in a browser its answers are those of the model."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from tests.attack.pages import NAMES
from tests.show.what_if.models import MODELS, fitted
from tests.test_common import random_table
from unnaive import AODE, NaiveBayes
from unnaive.show.what_if.page import render_what_if

ENTER, SPACE, TAB, END, HOME, RIGHT, DOWN = "\ue007", " ", "\ue004", "\ue010", "\ue011", "\ue014", "\ue015"
ROW = "return whatIf.state.row"
SHOWN = (
    """return [...document.querySelectorAll("#chances li, #evidence li, #flips li")].map((line) => line.innerText)"""
)


def written(path, model, rows=None, labels=None, **options):
    path.write_text(render_what_if(model, rows, labels, **options)[0], encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """A page of AODE, three classes, with rows."""
    model, rows = fitted("aode")
    return written(tmp_path_factory.mktemp("what-if") / "page.html", model, rows, ["yes"] * len(rows), target="mood")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """Columns, categories, classes and the target have hostile names, some of them long."""
    names = [*NAMES, "x" * 5000, "\u202eright to left"]
    table = pd.DataFrame(
        {name: [names[k % len(names)], names[(k + at) % 5]] * 6 for k, name in enumerate(names) for at in [k]}
    )
    table["number"] = np.arange(12.0)
    model = AODE().fit(table, [names[1], names[10]] * 6)
    return written(tmp_path_factory.mktemp("hostile") / "page.html", model, table, names, target=names[2])


def press(browser, *keys):
    for key in keys:
        browser.chrome.switch_to.active_element.send_keys(key)


def tab_to(browser, selector):
    """Reach an element by the tabulator alone."""
    browser.run("document.activeElement.blur()")
    for _ in range(60):
        press(browser, TAB)
        if browser.run("return document.activeElement.matches(arguments[0])", selector):
            return
    pytest.fail(f"{selector} is not reached")


def test_twenty_columns_of_ten_values_take_less_than_two_megabytes():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.integers(10, size=(400, 20))).astype(str)
    table.columns = [f"column {k}" for k in range(20)]
    page, _ = render_what_if(AODE().fit(table, rng.integers(2, size=400)), table)
    assert len(page.encode()) < 500_000


def test_the_page_asks_for_nothing_from_outside_and_forbids_it():
    page, _ = render_what_if(*fitted("tan"))
    assert not re.search(r"""(src|href)="(?!data:,")|url\(|@import|fetch\(|XMLHttpRequest|import\(""", page)
    assert "default-src 'none'" in page


# In a browser


@pytest.mark.parametrize("name", MODELS)
def test_answers_and_evidence_are_those_of_the_model(name, tmp_path, browser):
    model, rows = fitted(name)
    browser.open(written(tmp_path / "page.html", model, rows))
    np.testing.assert_allclose(
        browser.run("return whatIf.rows.map(whatIf.probabilities)"), model.predict_proba(rows), atol=1e-9
    )
    np.testing.assert_allclose(
        browser.run("return whatIf.rows.map(whatIf.evidence)"), model.predict_evidence(rows), atol=1e-9
    )
    assert browser.messages() == []


@pytest.mark.parametrize("name", ["aode", "a2de", "a2de-weighted", "a3de", "hnb"])
def test_one_column_is_enough(name, tmp_path, browser):
    table, labels = random_table(5, 60)
    model = MODELS[name].fit(table[["width"]], labels)
    browser.open(written(tmp_path / "page.html", model, table[["width"]]))
    found = browser.run("return whatIf.rows.map(whatIf.probabilities)")
    np.testing.assert_allclose(found, model.predict_proba(table[["width"]]), atol=1e-9)
    assert browser.messages() == []


def test_a_model_that_was_not_fitted_is_refused():
    with pytest.raises(NotFittedError):
        render_what_if(AODE())


def test_products_do_not_leave_the_range_of_numbers(tmp_path, browser):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(np.repeat(np.arange(60)[:, None] % 4, 40, axis=1)).astype(str).add_prefix("x")
    model = AODE(m=1e-25).fit(table, rng.integers(2, size=60))
    rows = rng.permuted(np.tile(np.arange(40) % 4, (4, 1)), axis=1)  # values that no row of training has together
    frame = pd.DataFrame(rows).astype(str).add_prefix("x")
    assert model.predict_joint_log_proba(frame).max() < np.log(1e-300) * 2
    browser.open(written(tmp_path / "page.html", model))
    found = browser.run("return arguments[0].map(whatIf.probabilities)", rows.tolist())
    np.testing.assert_allclose(found, model.predict_proba(frame), atol=1e-9)


def test_the_page_says_nothing_to_the_console_and_asks_for_nothing(page, browser):
    browser.open(page)
    browser.find("#pin").click()
    browser.find("#clear").click()
    assert browser.messages() == []
    assert [url for url in browser.requests() if not url.startswith("data:")] == [page.as_uri()]


def test_the_state_is_in_the_address_and_survives_a_reload(page, browser):
    browser.open(page)
    browser.run(
        "const start = document.getElementById('start'); start.value = '4'; start.dispatchEvent(new Event('change'))"
    )
    browser.find("#pin").click()
    browser.find("#flips button").click()
    browser.run(
        "const other = document.getElementById('against'); other.value = '0'; other.dispatchEvent(new Event('change'))"
    )
    before = browser.run(SHOWN), browser.run(ROW), browser.run("return document.getElementById('truth').innerText")
    assert before[1] != browser.run("return whatIf.rows[4]")
    assert before[2] == "Row 4, changed · labelled yes"
    browser.chrome.refresh()
    assert browser.becomes(lambda: browser.run("return Boolean(window.whatIf)"))
    assert (
        browser.run(SHOWN),
        browser.run(ROW),
        browser.run("return document.getElementById('truth').innerText"),
    ) == before
    assert browser.run("return whatIf.state.pinned") == browser.run("return whatIf.rows[4]")
    browser.find("#back").click()
    assert browser.run(ROW) == browser.run("return whatIf.rows[4]")


@pytest.mark.parametrize(
    "address", ["#row=1", "#row=9,9,9,9,9&from=999&pinned=x", "#row=,,,,&for=77&against=-1", "#%%%"]
)
def test_an_address_that_makes_no_sense_gives_a_page_that_does(address, page, browser):
    browser.open(page)
    browser.run("location.hash = arguments[0]", address)
    browser.chrome.refresh()
    assert browser.becomes(lambda: browser.run("return Boolean(window.whatIf)"))
    assert len(browser.run(ROW)) == 5
    assert sum(browser.run("return whatIf.probabilities(whatIf.state.row)")) == pytest.approx(1.0)
    assert browser.messages() == []


def test_everything_is_done_with_the_keyboard_alone(page, browser):
    browser.open(page)
    tab_to(browser, "#start")
    press(browser, DOWN, DOWN, DOWN, DOWN)
    assert browser.run("return whatIf.state.from") == 4
    tab_to(browser, "#pin")
    press(browser, ENTER)
    assert browser.run("return whatIf.state.pinned") == browser.run("return whatIf.rows[4]")
    assert browser.run("return document.activeElement.id") == "back"
    tab_to(browser, "#column-0")
    press(browser, END)
    assert browser.run(ROW)[0] is None
    tab_to(browser, "#column-4")
    press(browser, HOME)
    assert browser.run(ROW)[4] == 0
    press(browser, RIGHT)
    assert browser.run(ROW)[4] == 1
    assert browser.style("#column-4", "outlineStyle") == "solid"
    tab_to(browser, ".column:nth-child(5) .toggle")
    press(browser, SPACE)
    assert browser.run(ROW)[4] is None
    answer = browser.run("return document.getElementById('answer').innerText")
    tab_to(browser, "#flips button")
    press(browser, ENTER)
    assert browser.run("return document.getElementById('answer').innerText") != answer
    assert browser.run("return document.activeElement.id").startswith("column-")


def test_every_control_has_a_name_and_the_answer_is_read_out_after_a_pause(page, browser):
    browser.open(page)
    nodes = browser.command("Accessibility.getFullAXTree")["nodes"]
    controls = [
        node for node in nodes if node.get("role", {}).get("value") in ("combobox", "slider", "button", "spinbutton")
    ]
    assert len(controls) >= 12
    assert all(node["name"]["value"] for node in controls)
    assert {"colour", "width", "width: missing"} <= {node["name"]["value"] for node in controls}
    live = browser.find("#spoken")
    assert (live.get_attribute("role"), live.get_attribute("aria-live")) == ("status", "polite")
    browser.find("#clear").click()
    told = "return document.getElementById('spoken').textContent"
    answer, chance = (browser.find(f"#{name}").text for name in ("answer", "chance"))
    assert browser.becomes(lambda: browser.run(told) == f"The answer is {answer}, probability {chance}.")


@pytest.mark.parametrize("name", ["tan", "hnb", "aode"])
def test_the_changes_are_all_that_flip_the_answer_and_the_nearest_of_numbers(name, tmp_path, browser):
    model, rows = fitted(name)
    browser.open(written(tmp_path / "page.html", model, rows))
    columns = browser.run("return JSON.parse(document.getElementById('data').textContent).columns")
    for row in browser.run("return whatIf.rows")[2:8]:
        before, expected = np.argmax(browser.run("return whatIf.probabilities(arguments[0])", row)), set()
        for place, column in enumerate(columns):
            tried = [[*row[:place], value, *row[place + 1 :]] for value in range(len(column["values"]))]
            chances = np.array(browser.run("return arguments[0].map(whatIf.probabilities)", tried))
            flips = np.flatnonzero(chances.argmax(axis=1) != before).tolist()
            if column["kind"] == "number" and row[place] is None:
                flips = sorted(flips, key=lambda value: -chances[value].max())[:1]
            elif column["kind"] == "number":
                flips = [*[v for v in flips if v < row[place]][-1:], *[v for v in flips if v > row[place]][:1]]
            expected |= {(place, value) for value in flips}
        found = browser.run("return whatIf.flips(arguments[0])", row)
        assert {(flip["column"], flip["value"]) for flip in found} == expected
        order = [(np.ceil(flip["steps"]), -flip["chance"]) for flip in found]
        assert order == sorted(order)


def test_a_gaussian_column_flips_just_beyond_where_two_classes_are_equal(tmp_path, browser):
    rng = np.random.default_rng(0)
    labels = rng.integers(2, size=200)
    X = pd.DataFrame({"a": rng.normal(labels, 1), "b": rng.normal(2 * labels, 1 + labels)})
    model = NaiveBayes(numeric="gaussian").fit(X, labels)
    browser.open(written(tmp_path / "page.html", model, X))
    found = browser.run("return whatIf.flips([0.2, 0.3])")
    assert found
    for flip in found:
        beyond, before = pd.DataFrame([[0.2, 0.3]] * 2, columns=["a", "b"]), 0.2 if flip["column"] == 0 else 0.3
        beyond.iloc[:, flip["column"]] = [flip["value"], flip["value"] - 1e-4 * np.sign(flip["value"] - before)]
        answer = model.predict(pd.DataFrame({"a": [0.2], "b": [0.3]}))[0]
        assert (model.predict(beyond) != answer).tolist() == [True, False]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_shows_the_page_without_sideways_scrolling(scheme, page, hostile, browser):
    for one in (page, hostile):
        browser.open(one, width=375, height=812, scheme=scheme)
        browser.find("#pin").click()
        assert browser.run("return document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def test_hostile_names_are_text_and_nothing_else(hostile, browser):
    browser.open(hostile)
    assert browser.chrome.title == "What if?"
    assert browser.messages() == []
    assert browser.run("return document.querySelectorAll('img, iframe, main svg[onload], [onfocus], a').length") == 0
    shown = browser.run("return document.body.innerText")
    for name in NAMES:
        assert name in shown
    svg = browser.run("return whatIf.evidenceSvg()")
    assert {element.tag.split("}")[1] for element in ET.fromstring(svg).iter()} == {"svg", "rect", "path", "text"}


def test_the_evidence_is_saved_as_a_picture_of_its_own(page, tmp_path, browser):
    browser.open(page, scheme="dark")
    picture = ET.fromstring(browser.run("return whatIf.evidenceSvg()"))
    words = [text.text for text in picture.iter("{http://www.w3.org/2000/svg}text")]
    lines = browser.run(
        "return [...document.querySelectorAll('#evidence li > span:nth-child(2)')].map((odds) => odds.innerText)"
    )
    assert [word for word in words if re.fullmatch(r"[+−]\d+\.\d\d", word)] == lines
    assert "var(" not in ET.tostring(picture, encoding="unicode")
    browser.command("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    browser.find("#save").click()
    saved = tmp_path / "evidence.svg"
    assert browser.becomes(saved.exists)
    assert browser.becomes(lambda: len(saved.read_bytes()) > 0)
    assert ET.fromstring(saved.read_bytes()).get("viewBox") == picture.get("viewBox")


def test_of_many_classes_the_most_probable_have_lines_and_colors_of_their_own(tmp_path, browser):
    rng = np.random.default_rng(0)
    labels = rng.integers(12, size=600)
    table = pd.DataFrame({"a": (labels + rng.integers(3, size=600)) % 12, "b": labels // 3}).astype(str)
    browser.open(written(tmp_path / "page.html", AODE().fit(table, labels), table))
    for row in (0, 5, 9):
        browser.run("location.hash = `from=${arguments[0]}`", row)
        assert browser.becomes(lambda row=row: browser.run("return whatIf.state.from") == row)
        chances = np.array(browser.run("return whatIf.probabilities(whatIf.state.row)"))
        order = np.argsort(-chances, kind="stable")
        names = browser.run(
            "return [...document.querySelectorAll('#chances li > :first-child')].map((e) => e.innerText)"
        )
        assert names == [*map(str, order[:5]), "7 other classes"]
        colors = browser.run(
            "return [...document.querySelectorAll('#legend i')].map((e) => getComputedStyle(e).backgroundColor)"
        )
        legend = browser.run("return [...document.querySelectorAll('#legend li')].map((e) => e.innerText.trim())")
        assert set(legend) == {*map(str, order[:7]), "other classes"}
        assert len(set(colors)) == 8
        script = "return [...document.querySelectorAll('#chances i')].map((e) => getComputedStyle(e).backgroundColor)"
        assert [colors[legend.index(name)] for name in names[:5]] == browser.run(script)[:5]


def test_values_of_a_category_with_the_same_answer_share_a_line(tmp_path, browser):
    table = pd.DataFrame({"sky": ["grey", "clear", "hazy", "foggy"] * 5})
    model = NaiveBayes().fit(table, ["dry" if sky == "clear" else "wet" for sky in table["sky"]])
    browser.open(written(tmp_path / "page.html", model, table[1:2]))
    assert len(browser.run("return whatIf.flips(whatIf.state.row)")) == 3
    assert [line.text for line in browser.chrome.find_elements("css selector", "#flips li")] == [
        "sky → foggy, or 2 other values\nwet 0.883"
    ]


def test_a_page_without_rows_starts_with_nothing_known(tmp_path, browser):
    model, _ = fitted("a2de")
    browser.open(written(tmp_path / "page.html", model))
    assert browser.run(ROW) == [None] * 5
    assert browser.run("return document.getElementById('start')") is None
    empty = pd.DataFrame([[None] * 5], columns=model.feature_names_in_)
    np.testing.assert_allclose(
        browser.run("return whatIf.probabilities(whatIf.state.row)"), model.predict_proba(empty)[0], atol=1e-9
    )


def test_a_model_of_one_class_has_an_answer_and_no_evidence(tmp_path, browser):
    model = NaiveBayes().fit(pd.DataFrame({"sky": ["grey", "clear"]}), ["wet", "wet"])
    browser.open(written(tmp_path / "page.html", model))
    assert (browser.find("#answer").text, browser.find("#chance").text) == ("wet", "1.000")
    assert not browser.find(".evidence").is_displayed()
    assert browser.messages() == []


def test_without_scripts_the_page_says_what_it_needs(page, browser):
    browser.open(page, scripts=False)
    try:
        assert "allow scripts" in browser.chrome.find_element("css selector", "noscript").text
    finally:
        browser.command("Emulation.setScriptExecutionDisabled", value=False)
