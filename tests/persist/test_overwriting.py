"""A file that is read, or that this library did not write, is not overwritten."""

import os

import pytest

from unnaive.persist.output_file import OutputError
from unnaive.persist.overwriting import are_predictions, check_overwriting, is_same_file


@pytest.mark.parametrize("link", [os.symlink, os.link], ids=["symbolic", "hard"])
def test_a_link_to_an_input_is_that_input(tmp_path, link):
    (tmp_path / "a.csv").write_text("x")
    link(tmp_path / "a.csv", tmp_path / "b.csv")
    assert is_same_file(tmp_path / "a.csv", tmp_path / "b.csv")
    with pytest.raises(OutputError, match=r"is also read, as '.*a.csv': name another file"):
        check_overwriting(tmp_path / "b.csv", [tmp_path / "a.csv"], "a model file", lambda there: True, force=True)


def test_what_is_not_ours_needs_force_and_what_is_empty_does_not(tmp_path):
    there = tmp_path / "notes.csv"
    check_overwriting(there, [], "predictions", lambda there: False)
    there.write_text("")
    check_overwriting(there, [], "predictions", lambda there: False)
    there.write_text("mine")
    with pytest.raises(OutputError, match=r"notes.csv' exists and is not predictions: .* --force"):
        check_overwriting(there, [], "predictions", lambda there: False)
    check_overwriting(there, [], "predictions", lambda there: False, force=True)
    check_overwriting(there, [], "predictions", lambda there: True)


@pytest.mark.parametrize(
    ("header", "ours"),
    [
        ("mood,p(good),p(bad)", True),
        ("anything,p(a)", True),
        ("id,mood", True),
        ("mood,age", False),
        ("mood", False),
        ("mood,age,p(good)", False),
        ("\x00\x01", False),
    ],
)
def test_predictions_are_known_by_their_columns(tmp_path, header, ours):
    (tmp_path / "out.csv").write_text(header + "\n1,2\n")
    assert are_predictions(tmp_path / "out.csv", ["id", "mood"]) is ours


def test_a_file_that_is_no_text_holds_no_predictions(tmp_path):
    for name in ("out.csv", "out.parquet"):
        (tmp_path / name).write_bytes(b"\xff\xfe\x00PAR1")
        assert not are_predictions(tmp_path / name, ["mood"])
