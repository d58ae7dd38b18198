"""A file of any format is fitted as the library fits its rows, with labels and categories as they are meant."""

import json

import numpy as np
import pandas as pd
import pytest

from unnaive.persist import load


@pytest.mark.parametrize("file", ["table.tsv.gz", "table.parquet"])
def test_every_format_gives_the_same_model(file, folder, run):
    for name, source in (("one", "table.csv"), ("two", file)):
        assert run("fit", source, "-m", "tan", "-o", f"{name}.unnaive")[0] == 0
        assert run("predict", f"{name}.unnaive", "table.csv", "-o", f"{name}.csv")[0] == 0
    assert (folder / "one.csv").read_text() == (folder / "two.csv").read_text()


def test_whole_numbers_as_labels_and_rows_without_one(folder, run):
    frame = pd.DataFrame({"x": ["u", "v"] * 30, "y": [1.0, 2.0] * 30})
    frame.loc[:4, "y"] = None
    frame.to_csv("numbers.csv", index=False)
    code, out, _ = run("fit", "numbers.csv", "-m", "nb", "-o", "m.unnaive", "--json")
    assert code == 0
    told = json.loads(out)
    assert (told["n_rows"], told["n_unlabelled"], told["classes"]) == (55, 5, [1, 2])
    code, out, _ = run("predict", "m.unnaive", "numbers.csv", "-o", "out.parquet", "--json")
    assert json.loads(out)["accuracy"] == 1.0
    assert pd.read_parquet("out.parquet")["y"].tolist() == [1, 2] * 30


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_columns_of_codes_are_categories_where_one_says_so(ending, folder, run):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"code": rng.integers(4, size=200), "shelf": rng.integers(3, size=200)})
    frame["class"] = np.where((frame["code"] % 2 == 0) ^ (rng.random(200) < 0.1), "even", "odd")  # no cut can tell
    getattr(frame, f"to_{ending}")(f"codes.{ending}", index=False)
    for codes in ("all", "code,shelf"):
        assert run("fit", f"codes.{ending}", "-m", "nb", "-o", "m.unnaive", "--categorical", codes)[0] == 0
        code, out, _ = run("predict", "m.unnaive", f"codes.{ending}", "-o", "out.csv", "--json")
        assert json.loads(out)["accuracy"] > 0.85
        assert load("m.unnaive").model.encoder_.categories_[0].tolist() == ["0", "1", "2", "3"]
    code, _, err = run("fit", f"codes.{ending}", "-m", "nb", "-o", "m.unnaive", "-c", "coed")
    assert code == 2
    assert "no column 'coed'. Did you mean 'code'?" in err
    code, out, _ = run("compare", f"codes.{ending}", "-m", "nb", "-c", "all", "--cv", 3, "-j", 1, "--json")
    assert json.loads(out)["leaderboard"][0]["score"] > 0.85
