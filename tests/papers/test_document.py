"""The document and the report of papers show all that came out, and are written by the command alone."""

import json
import tarfile
from itertools import pairwise

import pytest
from sklearn.datasets import load_iris

from unnaive.evaluate.compare import compare
from unnaive.papers import PAPERS
from unnaive.papers.claims import Claim
from unnaive.papers.document import write_document
from unnaive.papers.html import write_paper_report
from unnaive.papers.rebuilt_table import Cell, Percents
from unnaive.papers.reproduction import Reproduction, Request
from unnaive.show.critical_difference import CriticalDifferenceDisplay


@pytest.fixture(scope="module")
def found():
    """A small reproduction with everything in it, and names that a page or a table must not take for its own."""
    columns = ["NB", "a | b <b>", *(f"model {number}" for number in range(14))]
    cells = {("iris", column): Cell(0.5, 0.01, 0.52) for column in columns}
    cells |= {("wine", column): Cell(None, None, 0.5) for column in columns}
    comparison = compare(["nb", "aode", "tan"], {name: load_iris(return_X_y=True) for name in "ab"}, cv=2)
    return Reproduction(
        [Percents("Table 1: accuracy", ["iris", "wine"], columns, cells)],
        {"Figure 1: ranks": CriticalDifferenceDisplay(comparison.friedman("accuracy"), comparison.models)},
        claims=[Claim("A | B", "reproduced", "it is so"), Claim("C", "not possible", "no data")],
        conclusions=["Take it."],
        missing={"COMIK": "nowhere"},
        undrawn=["Figure 2"],
        notes=["A note."],
    )


def test_the_document_has_claims_tables_pictures_and_what_is_missing(found, tmp_path):
    path = write_document(tmp_path, "honb", found, "unnaive reproduce honb")
    text = path.read_text(encoding="utf-8")
    for words in (
        "| [honb](#honb) | A \\| B | reproduced | it is so |",
        "- Take it.",
        "`unnaive reproduce honb`, 20",
        "### Table 1: accuracy",
        "50.00 (52.00, -2.00)",
        "failed (50.00)",
        "![Figure 1: ranks](papers/honb-figure-1-ranks.svg)",
        "- COMIK: nowhere.",
        "`--full`): Figure 2.",
        "- A note.",
    ):
        assert words in text, words
    assert (tmp_path / "papers" / "honb-figure-1-ranks.svg").stat().st_size > 1000


def test_papers_are_written_one_by_one_in_their_order(found, tmp_path):
    write_document(tmp_path, "bat", found, "unnaive reproduce bat")
    text = write_document(tmp_path, "honb", Reproduction([]), "unnaive reproduce honb").read_text(encoding="utf-8")
    assert 0 < text.index("\n## honb\n") < text.index("\n## bat\n")
    assert PAPERS["bat"] in text
    again = write_document(tmp_path, "bat", Reproduction([]), "unnaive reproduce bat --quick").read_text(
        encoding="utf-8"
    )
    assert "Table 1" not in again
    assert "unnaive reproduce bat --quick" in again
    assert not list(tmp_path.glob("papers/*.svg"))  # those of the run before are gone


def test_the_document_is_the_same_when_it_is_written_again(found, tmp_path):
    texts = [write_document(tmp_path, "honb", found, "x").read_bytes() for _ in range(2)]
    assert texts[0] == texts[1]
    record = json.loads((tmp_path / "papers" / "honb.json").read_text(encoding="utf-8"))
    assert record["claims"][0]["verdict"] == "reproduced"
    assert str(tmp_path) not in json.dumps(record)


def test_a_report_that_is_no_report_is_not_replaced(found, tmp_path):
    path = tmp_path / "mine.html"
    path.write_text("my own", encoding="utf-8")
    with pytest.raises(ValueError, match="not a report of unnaive"):
        write_paper_report(found, path, title="T", command="c")
    assert path.read_text(encoding="utf-8") == "my own"


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (1280, "dark"), (390, "light")])
def test_the_report_is_legible_in_a_browser(browser, found, tmp_path, width, scheme):
    path = write_paper_report(found, tmp_path / "it.html", title=PAPERS["honb"], command="unnaive reproduce honb")
    browser.open(path, width=width, scheme=scheme)
    assert browser.messages() == []
    assert [address for address in browser.requests() if not address.startswith(("file:", "data:"))] == []
    assert browser.run("return document.documentElement.scrollWidth") <= width
    boxes = browser.run(
        "return [...document.querySelectorAll('section')].map(s => [s.getBoundingClientRect().top, "
        "s.getBoundingClientRect().bottom])"
    )
    assert all(after[0] >= before[1] for before, after in pairwise(boxes))
    overlaps = browser.run(
        "const c = [...document.querySelectorAll('.rebuilt tbody td')].map(e => e.getBoundingClientRect());"
        "return c.filter((a, i) => c.slice(i + 1).some(b => a.left < b.right - 1 && b.left < a.right - 1 && "
        "a.top < b.bottom - 1 && b.top < a.bottom - 1)).length"
    )
    assert overlaps == 0
    words = browser.run("return document.body.innerText")
    for expected in ("reproduced", "A | B", "a | b <b>", "Take it.", "COMIK", "unnaive reproduce honb", "Figure 2"):
        assert expected in words, expected
    assert browser.style("body", "backgroundColor") == ("rgb(20, 23, 26)" if scheme == "dark" else "rgb(251, 251, 249)")


def test_results_of_folds_are_packed_with_the_record(found, tmp_path):
    request = Request(results=tmp_path / "runs" / "honb.jsonl")
    (tmp_path / "runs").mkdir()
    for name, text in (("honb-5.jsonl", "{}\n" * 9), ("honb-10.jsonl", "[]\n"), ("bat-5.jsonl", "no")):
        (tmp_path / "runs" / name).write_text(text, encoding="utf-8")
    page = write_document(tmp_path, "honb", found, "unnaive reproduce honb", request.result_files())
    assert "`unnaive reproduce honb --resume --results FOLDER/honb.jsonl`" in page.read_text(encoding="utf-8")
    with tarfile.open(tmp_path / "papers" / "honb-folds.tar.xz") as archive:
        assert archive.getnames() == ["honb-10.jsonl", "honb-5.jsonl"]
    assert Request().result_files() == []
