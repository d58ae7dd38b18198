"""Files as lines, and hints at names; errors of files are in test_formats.py."""

from unnaive.io.source import Source, near


def test_lines_are_numbered_and_stripped(tmp_path):
    (tmp_path / "two.txt").write_bytes(b"one\r\ntwo")
    assert list(Source(tmp_path / "two.txt").lines()) == [(1, "one"), (2, "two")]


def test_names_that_are_near_are_hinted_at():
    assert near("Clas", ["age", "class", "colour"]) == " Did you mean 'class'?"
    assert near("weight", ["age"]) == ""
