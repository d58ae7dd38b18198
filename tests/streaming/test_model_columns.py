"""A model finds its columns in another file, and reads them as those that it was fitted on."""

import pandas as pd

from tests.cli.files import frame_of


def test_text_that_looks_like_numbers_stays_text_in_another_file(folder, run):
    frame = pd.DataFrame({"code": ["1", "2", "x"] * 20, "class": ["a", "b", "c"] * 20})
    frame.to_csv("train.csv", index=False)
    pd.DataFrame({"code": ["1", "2"]}).to_csv("new.csv", index=False)
    run("fit", "train.csv", "-m", "nb", "-o", "m.unnaive")
    code, _, _ = run("predict", "m.unnaive", "new.csv", "-o", "out.csv")
    assert code == 0
    assert frame_of("out.csv")["class"].tolist() == ["a", "b"]


def test_columns_may_stand_in_another_order_with_others_between(folder, run):
    run("fit", "table.csv", "-m", "tan", "-o", "m.unnaive")
    frame = frame_of("table.csv")
    shuffled = frame[list(frame)[::-1]].assign(extra=1)
    shuffled.drop(columns="mood").to_csv("other.csv", index=False)
    run("predict", "m.unnaive", "table.csv", "-o", "one.csv")
    code, out, _ = run("predict", "m.unnaive", "other.csv", "-o", "two.csv")
    assert code == 0
    assert out == "two.csv: 200 rows predicted.\n"
    assert (folder / "one.csv").read_text() == (folder / "two.csv").read_text()
