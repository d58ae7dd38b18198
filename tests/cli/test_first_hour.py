"""Files as people have them: what would succeed and be wrong is read right, refused, or said."""

import gzip
import io
import json
import sys
import warnings
from functools import partial
from pathlib import Path

import distributed
import numpy as np
import pandas as pd
import pytest

from tests.test_common import random_table
from unnaive.io import open_table
from unnaive.persist import load, read_manifest


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def numbers_and(odd, n_rows=100):
    """A column of numbers with one odd value in line 41, and classes."""
    values = [f"{row % 17 + row / 100:.2f}" for row in range(n_rows)]
    values[39] = odd
    return "x,y,class\n" + "".join(f"{value},{row % 2},{'ab'[row % 17 < 8]}\n" for row, value in enumerate(values))


def sentences(err):
    return [line.removeprefix("unnaive: ") for line in err.splitlines()]


# Values


@pytest.mark.parametrize("marker", ["N/A", "n/a", "#N/A", "null", "None", "-", "NA", "?", ""])
def test_a_common_marker_in_a_column_of_numbers_is_a_missing_value(marker, run):
    Path("t.csv").write_text(numbers_and(marker))
    assert run("fit", "t.csv", "-m", "nb", "-o", "m.unnaive")[::2] == (0, "")
    assert open_table("t.csv").kinds == {"x": "number", "y": "integer", "class": "text"}
    assert np.flatnonzero(open_table("t.csv").read()["x"].isna()).tolist() == [39]
    assert read_manifest("m.unnaive")["columns"][0]["kind"] == "number"


@pytest.mark.parametrize("infinite", ["inf", "-inf", "Infinity"])
def test_an_infinite_number_is_a_missing_value_and_said(infinite, run):
    Path("t.csv").write_text(numbers_and(infinite))
    code, _, err = run("fit", "t.csv", "-m", "nb", "-o", "m.unnaive")
    assert code == 0
    assert sentences(err) == [f"t.csv: {infinite!r} in column 'x' is infinite, and read as a missing value."]


@pytest.mark.parametrize("command", ["fit t.csv -m nb -o m.unnaive", "compare t.csv -m nb --cv 2 -j 1"])
def test_a_column_that_is_nearly_numeric_is_named_with_line_and_value(command, run, undrawn):
    Path("t.csv").write_text(numbers_and("12 cm"))
    code, _, err = run(*command.split())
    assert code == 0
    assert sentences(err)[0] == (
        "t.csv, line 41: column 'x' holds numbers but for '12 cm', so it is read as text; correct it, name the value "
        "with --na-values, or ask for it with --categorical."
    )
    assert "column 'x' left out, with another text in nearly every row" in sentences(err)[1]
    code, _, err = run(*command.split(), "--na-values", "12 cm")
    assert (code, err) == (0, "")


def test_markers_in_a_column_of_text_are_categories_unless_they_mean_nothing_else(run):
    Path("t.csv").write_text("wall,class\n" + "brick,a\nNone,b\n-,a\nN/A,b\n" * 10)
    assert run("fit", "t.csv", "-m", "nb", "-o", "m.unnaive")[0] == 0
    assert read_manifest("m.unnaive")["columns"][0]["values"] == 3


def test_integers_beyond_64_bits_are_not_rounded(run):
    Path("t.csv").write_text("card,class\n" + "".join(f"{10**19 + row % 3},{'ab'[row % 2]}\n" for row in range(60)))
    code, _, err = run("fit", "t.csv", "-m", "nb", "-o", "m.unnaive")
    assert code == 0
    assert "the whole numbers of column 'card' are too long to be read as numbers without rounding" in err
    assert read_manifest("m.unnaive")["columns"][0]["values"] == 3


@pytest.mark.parametrize("markers", [["x", "-9"], ["-9,x"]])
def test_markers_may_be_named_and_are_kept_for_predictions(markers, run):
    text = numbers_and("-9")
    Path("t.csv").write_text(text)
    options = [word for marker in markers for word in ("--na-values", marker)]
    assert run("fit", "t.csv", "-m", "nb", "-o", "m.unnaive", *options)[0] == 0
    assert read_manifest("m.unnaive")["notes"]["reading"] == {
        "missing": ["x", "-9"] if len(markers) == 2 else ["-9", "x"]
    }
    Path("new.csv").write_text("x,y\n-9,0\n")
    assert run("predict", "m.unnaive", "new.csv", "-o", "out.csv")[0] == 0
    assert run("predict", "m.unnaive", "new.csv", "-o", "other.csv", "--na-values", "?")[0] == 0
    first, other = (pd.read_csv(name)["p(a)"][0] for name in ("out.csv", "other.csv"))
    assert first == pytest.approx(0.5, abs=0.1)
    assert other < 0.1


# Rows


def test_fit_says_the_number_of_rows_of_large_files(run):
    table, labels = random_table(0, 1000)
    frame = pd.concat([table.assign(mood=labels)] * 51, ignore_index=True).head(50_900)
    frame["size"] = np.random.default_rng(0).normal(size=len(frame))
    frame.to_csv("t.csv", index=False)
    code, out, _ = run("fit", "t.csv", "-m", "nb", "-o", "m.unnaive", "--json")
    assert (code, json.loads(out)["n_rows"], json.loads(out)["n_unlabelled"]) == (0, 50_900, 0)


def unlabelled(n_rows=60):
    rng = np.random.default_rng(0)
    classes = np.array(["a", "b"])[np.arange(n_rows) % 2]
    frame = pd.DataFrame({"x": rng.normal(size=n_rows) + 3 * (classes == "b"), "y": rng.normal(size=n_rows)})
    frame["class"] = [None if row % 3 == 0 else label for row, label in enumerate(classes)]
    frame.to_csv("nantarget.csv", index=False)
    return frame


def test_a_semi_supervised_model_learns_from_rows_without_a_label(run):
    frame = unlabelled()
    code, out, _ = run("fit", "nantarget.csv", "-m", "icgnb", "-o", "m.unnaive")
    assert code == 0
    assert "icgnb of 40 rows and 2 columns" in out
    assert "20 rows without a label were learned from too." in out
    model = load("m.unnaive").model
    frame[frame["class"].notna()].to_csv("labelled.csv", index=False)
    run("fit", "labelled.csv", "-m", "icgnb", "-o", "other.unnaive")
    X = frame[["x", "y"]]
    assert not np.allclose(model.predict_proba(X), load("other.unnaive").model.predict_proba(X))


def test_rows_without_a_label_are_dropped_on_a_cluster_as_elsewhere(run, monkeypatch):
    monkeypatch.setattr("distributed.LocalCluster", partial(distributed.LocalCluster, n_workers=2, processes=False))
    unlabelled()
    said = []
    for more in ((), ("--dask", "local")):
        code, out, _ = run("fit", "nantarget.csv", "-m", "nb", "-o", f"m{len(more)}.unnaive", *more)
        assert code == 0
        said.append(out.split(": ", 1)[1].replace(", the column named class", ""))
    assert said[0] == said[1]
    assert "20 rows without a label were dropped." in said[0]


def test_a_class_with_fewer_rows_than_folds_is_said(run, undrawn):
    Path("t.csv").write_text("x,class\n" + "".join(f"{row % 7},{'ab'[row % 2]}\n" for row in range(40)) + "1,rare\n")
    code, _, err = run("compare", "t.csv", "-m", "nb", "-j", "1")
    assert code == 0
    assert sentences(err) == [
        "t: class 'rare' has 1 row, too few for 10 folds: a model that has to predict it has never seen it; drop it, "
        "or use fewer."
    ]


def test_fit_names_classes_that_are_rare_beside_the_largest(run):
    rows = [f"{row % 7},{'ab'[row % 2]}\n" for row in range(400)]
    Path("t.csv").write_text("x,class\n" + "".join(rows) + "1,ill\n" * 9 + "2,odd\n" * 2 + "3,fair\n" * 10)
    code, _, err = run("fit", "t.csv", "-m", "nb", "-o", "m.unnaive")
    assert code == 0
    assert sentences(err) == [
        "t.csv: rare beside the largest class of 200 rows: 'odd' (2), 'ill' (9); accuracy says little of them."
    ]
    Path("t.csv").write_text("x,class\n" + "".join(rows) + "3,fair\n" * 10)
    assert run("fit", "t.csv", "-m", "nb", "-o", "m.unnaive")[::2] == (0, "")


def test_the_report_of_a_comparison_says_what_the_file_holds(run, undrawn, monkeypatch):
    text = "id,x,flat,class\n" + "".join(f"k{row},{row % 5},same,{'ab'[row % 2]}\n" for row in range(60))
    Path("t.csv").write_text(text)
    for source in ("t.csv", "-"):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        assert run("compare", source, "-m", "nb", "--cv", "2", "-j", "1")[0] == 0
        page = Path("report.html").read_text()
        name = "standard input" if source == "-" else source
        assert (
            f"{name}: 60 rows. Target &#39;class&#39;, the column named class, with 2 classes: a (30), b (30)." in page
        )
        assert "constant: --drop flat" in page
        assert "another text in nearly every row, left out: --categorical id uses it" in page
        assert f"{name}: column &#39;id&#39; left out, with another text in nearly every row" in page


# Columns


def test_the_target_is_named_with_how_it_was_chosen(run, undrawn):
    Path("t.csv").write_text("x,kind\n" + "1,a\n2,b\n" * 10)
    code, out, _ = run("compare", "t.csv", "-m", "nb", "--cv", "2", "-j", "1")
    assert code == 0
    assert "t: 20 rows, predicting 'kind' (the last column, as none is named class), 2 classes: a, b." in out
    assert "kind: a, b (the last column, as none is named class)" in Path("report.html").read_text()
    code, out, _ = run("compare", "t.csv", "-m", "nb", "--cv", "2", "-j", "1", "--json")
    facts = json.loads(out)["data"]["t"]
    assert (facts["target"], facts["classes"]) == ("kind", ["a", "b"])
    assert facts["why_target"] == "the last column, as none is named class"
    assert "predicting 'kind' (2 classes), the last column, as none" in run("fit", "t.csv", "-m", "nb", "-o", "m")[1]


@pytest.mark.parametrize("command", ["fit first.csv -m nb -o m.unnaive", "compare first.csv -m nb --cv 2 -j 1"])
def test_a_target_that_looks_like_no_class_is_asked_about(command, run, undrawn):
    Path("first.csv").write_text("kind,day\n" + "".join(f"{'ab'[row % 2]},{row % 31}\n" for row in range(620)))
    code, out, err = run(*command.split())
    assert (code, out) == (2, "")
    assert "the last column, 'day', has 31 different numbers in 620 rows, which look like no classes" in err
    assert "name the column to predict with --target" in err
    assert run(*command.split(), "-t", "kind")[0] == 0
    assert run(*command.split(), "-t", "day")[0] == 0


@pytest.mark.parametrize(
    ("first", "why"), [("5.1,3.5,setosa", "'5.1' is a number"), ("red,big,setosa", "'red' also stands below it")]
)
def test_a_file_without_a_header_is_pointed_out(first, why, run):
    row = "red,big" if "red" in first else "5.0,3.4"
    Path("t.csv").write_text(first + "\n" + f"{row},setosa\n{row.replace('5', '6')},other\n" * 10)
    code, _, err = run("fit", "t.csv", "-m", "nb", "-o", "m.unnaive")
    assert code == 0
    assert sentences(err) == [
        f"t.csv: the first row is taken for names, but {why}; add --no-header (header=False) if it is data."
    ]
    code, out, err = run("fit", "t.csv", "-m", "nb", "-o", "m.unnaive", "--no-header")
    assert (code, err) == (0, "")
    assert "21 rows and 2 columns, predicting 'x3'" in out
    code, out, _ = run("predict", "m.unnaive", "t.csv", "-o", "out.csv")
    assert (code, len(pd.read_csv("out.csv"))) == (0, 21)


def test_a_first_row_of_equal_numbers_is_no_header(run):
    Path("t.csv").write_text("1,1,a\n" + "2,3,b\n" * 5)
    code, _, err = run("fit", "t.csv", "-m", "nb", "-o", "m.unnaive")
    assert code == 2
    assert "t.csv, line 1: the first row has numbers, not names; add --no-header (header=False) if it is data." in err


def test_a_column_with_a_value_per_row_is_named_and_left_out_unless_asked_for(run):
    rows = [f"k{row},{row % 5},2020-01-{1 + row % 28:02},{'ab'[row % 2]}\n" for row in range(60)]
    Path("t.csv").write_text("id,x,when,class\n" + "".join(rows))
    code, out, err = run("fit", "t.csv", "-m", "nb", "-o", "m.unnaive")
    assert code == 0
    assert sentences(err) == [
        "t.csv: column 'id' left out, with another text in nearly every row; ask for it with --categorical id."
    ]
    assert [column["name"] for column in read_manifest("m.unnaive")["columns"]] == ["x", "when"]
    assert [column["kind"] for column in read_manifest("m.unnaive")["columns"]] == ["number", "number"]
    assert run("predict", "m.unnaive", "t.csv", "-o", "out.csv")[0] == 0
    code, out, err = run("fit", "t.csv", "-m", "nb", "-o", "m.unnaive", "--categorical", "id")
    assert (code, err) == (0, "")
    assert "3 columns" in out
    code, out, err = run("fit", "t.csv", "-m", "nb", "-o", "m.unnaive", "--drop", "id,when")
    assert (code, err) == (0, "")
    assert "1 columns" in out


def test_semicolons_and_decimal_commas_are_recognised(run):
    Path("t.csv").write_text("x;y;kind\n" + "1,5;2;a\n2,25;3;b\n" * 10)
    code, _, err = run("fit", "t.csv", "-m", "nb", "-o", "m.unnaive")
    assert code == 0
    assert sentences(err) == ["t.csv: fields are separated by semicolons and numbers have decimal commas."]
    assert open_table("t.csv").read()["x"].tolist()[:2] == [1.5, 2.25]
    assert read_manifest("m.unnaive")["notes"]["reading"] == {"decimal": ","}
    Path("new.csv").write_text("x;y\n1,5;2\n")
    assert run("predict", "m.unnaive", "new.csv", "-o", "out.csv")[::2] == (0, "")
    code, _, err = run("fit", "t.csv", "-m", "nb", "-o", "m.unnaive", "--sep", ";", "--decimal", ",")
    assert (code, err) == (0, "")


def test_a_row_that_does_not_fit_names_the_option_that_helps(run):
    Path("t.csv").write_text("x y kind\n1 2 a\n1,2 3 b\n")
    code, _, err = run("fit", "t.csv", "-m", "nb", "-o", "m.unnaive")
    assert code == 2
    assert "line 3: this row has 2 fields, but the header has 1; correct the row" in err
    assert "name another separator with --sep." in err


@pytest.mark.parametrize("encoding", ["utf-16", "latin1"])
def test_encodings_are_recognised_or_named_with_the_option_that_helps(encoding, run):
    Path("t.csv").write_bytes(("x,class\n" + "café,a\nthé,b\n" * 10).encode(encoding))
    code, _, err = run("fit", "t.csv", "-m", "nb", "-o", "m.unnaive")
    if encoding == "latin1":
        assert code == 2
        assert "line 2: byte 12 (0xe9) is not UTF-8; name the file's encoding, as in --encoding latin1" in err
        code, _, err = run("fit", "t.csv", "-m", "nb", "-o", "m.unnaive", "--encoding", "latin1")
    assert (code, err) == (0, "")
    assert run("explain", "m.unnaive", "t.csv", "--row", "1")[1].count("thé") == 1


def test_the_standard_input_is_read_and_predictions_are_printed(run, monkeypatch):
    text = "x,class\n" + "1,a\n2,b\n" * 10
    for number, data in enumerate((text.encode(), gzip.compress(text.encode()), b'{"x": 1, "class": "a"}\n')):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        command = ("predict", "m.unnaive", "-", "-o", "-") if number else ("fit", "-", "-m", "nb", "-o", "m.unnaive")
        code, out, err = run(*command)
        assert (code, err) == (0, "")
        assert not number or out.splitlines()[:2] == ["class,p(a),p(b)", out.splitlines()[1]]
        assert number != 1 or len(out.splitlines()) == 21
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"x,class\n1\n")))
    assert "standard input, line 2: this row has 1 field" in run("predict", "m.unnaive", "-", "-o", "-")[2]


# Threads


def test_no_model_of_a_comparison_uses_more_threads_than_it_is_told_to(monkeypatch):
    from sklearn.dummy import DummyClassifier
    from threadpoolctl import threadpool_info, threadpool_limits

    from unnaive.evaluate.compare import compare

    seen = []

    class Watching(DummyClassifier):
        def fit(self, X, y):
            seen.append({pool["num_threads"] for pool in threadpool_info()})
            return super().fit(X, y)

    data = {"t": (np.arange(60.0).reshape(-1, 1), np.arange(60) % 2)}
    with threadpool_limits(2), warnings.catch_warnings():  # as if the machine gave two threads to each
        warnings.simplefilter("error")
        compare({"watching": Watching()}, data, cv=2, n_jobs=1)
    assert len(seen) == 3  # a few rows to warm up, and two folds
    assert set.union(*seen) == {1}
