"""Blocks of lines hold the lines that are read one by one."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from unnaive.io import line_blocks
from unnaive.io.limits import Limits
from unnaive.io.line_blocks import UnusualError, blocks_of_lines
from unnaive.io.source import Source


def source_of(text, **limits):
    return Source(Path("lines.txt"), content=text.encode(), limits=Limits(**limits))


@examples(500)
@given(st.lists(st.sampled_from(["a", "é", "😀", "\n", "\r", "\r\n", "\x85"]), max_size=30).map("".join), st.data())
def test_blocks_hold_the_lines_below_some_others(text, data):
    source = source_of(text, line_bytes=4 * data.draw(st.integers(1, 10)))
    lines = [line for _, line in replace(source, limits=Limits()).lines()]
    n_above = data.draw(st.integers(0, len(lines)))
    try:
        blocks = list(blocks_of_lines(source, n_above))
    except UnusualError:
        assert any(len(line) > source.limits.line_bytes // 4 - 2 for line in text.split("\n"))
        return
    assert all(block.endswith("\n") for block in blocks[:-1])
    assert all(len(block.encode()) <= source.limits.line_bytes for block in blocks)
    found = "".join(blocks)
    assert [line.strip() for line in found.split("\n")][: len(lines) - n_above] == lines[n_above:]
    assert found.count("\n") in (len(lines) - n_above, max(0, len(lines) - n_above - 1))


@pytest.mark.parametrize("limits", [{"line_bytes": 3}, {"field_bytes": 3}, {"line_bytes": 20}])
def test_a_line_that_does_not_fit_is_unusual(limits):
    with pytest.raises(UnusualError):
        list(blocks_of_lines(source_of("abcdefgh\n", **limits)))


def test_a_byte_order_mark_and_other_encodings_make_no_difference(monkeypatch):
    monkeypatch.setattr(line_blocks, "_BLOCK", 16)
    for content, encoding in (("\ufeffä\nb".encode(), None), ("ä\nb".encode("utf-16"), None), (b"\xe4\nb", "latin1")):
        source = Source(Path("lines.txt"), content=content, encoding=encoding)
        assert list(blocks_of_lines(source)) == ["ä\n", "b"]
