"""JSON lines read in blocks are what they are line by line, and ordinary ones are read in blocks."""

import gzip
import json
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.examples import examples
from unnaive.io import line_blocks
from unnaive.io.limits import Limits
from unnaive.io.objects import json_lines
from unnaive.io.objects.json_blocks import read_columns
from unnaive.io.source import DataError, Source


def source_of(text, **limits):
    return Source(Path("table.jsonl"), content=text.encode(), limits=Limits(**limits))


def outcome(source):
    """The kinds, types, bytes and frame of a table, or what is said of it, and of the columns that cannot be read."""
    try:
        table = json_lines.read_json_lines(source)
        types = [(name, column.kind, column.values.type) for name, column in table._columns.items()]
        return types, table.kinds, table.read()
    except DataError as error:
        return str(error)


def assert_same(source, size=1 << 24):
    """That blocks of some bytes make no difference; whether the file was read in these."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(line_blocks, "_BLOCK", size)
        columns = read_columns(source)
        found = outcome(source)
        patch.setattr(json_lines, "read_columns", lambda source: None)
        expected = outcome(source)
    if isinstance(expected, str):
        assert found == expected
        assert columns is None or "has no name" in expected
    else:
        assert found[:2] == expected[:2]
        pd.testing.assert_frame_equal(found[2], expected[2], check_exact=True)
        signs = [frame.select_dtypes(float).map(str).to_numpy().tolist() for frame in (found[2], expected[2])]
        assert signs[0] == signs[1]  # of zeros too
    return columns is not None


NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
VALUES = {
    "integer": st.integers(-(2**63), 2**63 - 1) | st.integers(-3, 3),
    "number": st.integers(1, 9) | NUMBERS | st.sampled_from([-0.0, 1e-7, 2.0**70]),
    "text": st.text(st.characters(exclude_categories=["Cs"]), max_size=5) | st.sampled_from(["2020-01-01", "1", ""]),
    "bool": st.booleans(),
    "nothing": st.none(),
}


@st.composite
def tables(draw):
    """The text of an ordinary file, whatever it holds otherwise."""
    kinds = draw(st.lists(st.sampled_from(sorted(VALUES)), min_size=1, max_size=5))
    names = draw(st.lists(st.text(max_size=4).filter(str.strip), min_size=len(kinds), max_size=len(kinds), unique=True))
    values = st.tuples(*(st.none() | VALUES[kind] for kind in kinds))
    n_rows = draw(st.integers(1, 12))
    rows = [dict(zip(names, draw(values))) for _ in range(n_rows)]
    form = {"ensure_ascii": draw(st.booleans()), "separators": draw(st.sampled_from([(",", ":"), (", ", ": ")]))}
    end = draw(st.sampled_from(["\n", "\r\n", "\n\n", " \n\t"]))
    return "".join(json.dumps(row, **form) + end for row in rows)


@examples(300)
@given(tables(), st.integers(1, 8))
@example('{"a":-0.0}\n{"a":-0.5}\n', 2)
@example('{"a": null}\n{"a": 9007199254740993}\n{"a": 0.5}\n', 1)
def test_ordinary_files_are_read_in_blocks(text, n_blocks):
    longest = max(map(len, text.splitlines(keepends=True)))
    assert assert_same(source_of(text), 8 * longest + 4 * len(text) // n_blocks)


TOKENS = [
    "1",
    "-0",
    "-0.0",
    "0.5",
    "1e5",
    "1E400",
    "1e-400",
    "12345678901234567890",
    "9223372036854775808",
    "01",
    "NaN",
]
TOKENS += ["Infinity", "-Infinity", "nan", "Inf", "null", "true", "false", '"x"', '"\\ud83d"', '"\\ud83d\\ude00"', "[]"]
TOKENS += [
    '"\\u00e9\\n"',
    '"\\u0000"',
    '"é"',
    '"a\tb"',
    '["x"]',
    "[1, null]",
    "{}",
    '{"b": 1}',
    '"2020-01-01"',
    "x",
    "",
]
LINES = [
    "",
    " ",
    "\x0c",
    "\ufeff",
    "{}",
    "[]",
    "3",
    "null",
    '{"a": 1} {"a": 2}',
    '{"a":',
    "1}",
    '{"a": 1, "a": 2}',
    "{,}",
]
LINES += ['{"a": [{}', "{}]}", '{"a": 1}\x00', '\xa0{"a": 2}', '{"": 3}', '{"a": "', '"}', '{"\\udc00": 1}', "[", "{"]


@st.composite
def odd_files(draw):
    """Lines of any tokens, with letters changed here and there."""
    pairs = st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from(TOKENS[: draw(st.integers(1, len(TOKENS)))])))
    plain = pairs.map(lambda row: "{" + ", ".join(f'"{name}": {token}' for name, token in dict(row).items()) + "}")
    lines = draw(st.lists(plain | plain | plain | st.sampled_from(LINES), min_size=1, max_size=8))
    text = draw(st.sampled_from(["", "", "\ufeff"])) + draw(st.sampled_from(["\n", "\r\n", "\r"])).join(lines)
    for _ in range(draw(st.integers(0, 2))):
        place = draw(st.integers(0, len(text)))
        new = draw(st.sampled_from(["", *'{}[]",: \t\n\r\\0-.ex\x00\x0b\x85é']))
        text = text[:place] + new + text[place + draw(st.integers(0, 1)) :]
    return text


@examples(1000)
@given(odd_files(), st.integers(20, 200))
@example('{}\n{"a": 0.5}', 44)
@example('{"a": 1, "b": 1}\n{"a": -0, "b": 0.5}\n{"a": 0.5, "b": -0}', 200)
def test_odd_files_are_read_or_refused_as_line_by_line(text, size):
    assert_same(source_of(text), size)


@pytest.mark.parametrize(
    "line",
    [
        *('{"a": 1} {"a": 2}', '{"a": 1, "a": 2}', '{"a": NaN}', '{"a": Infinity}', '{"a": -0}', '{"a": 1e400}'),
        *('{"a": [1]}', '{"a": {}}', '{"a": "x"}', '{"a": true}', '{"a": "\\ud83d"}', '{"b": "\\udc00"}', '{"a": 1'),
        *('\x0c{"a": 1}', '{"a": 1}\x00', '\ufeff{"a": 1}', '{"a":\n1}', '{"a": 1},', "[]", '{"a": Inf}'),
    ],
)
def test_unusual_lines_are_left_to_the_other_reader(line):
    assert_same(source_of(line))
    for text in ('{"a": 0.5}\n' * 300 + line, '{"a": 0.5}\n' + line + '\n{"a": 0.5}'):
        assert not assert_same(source_of(text))


def test_types_and_keys_that_appear_late_are_ordinary():
    rows = [{"a": row, "b": None} for row in range(500)]
    rows += [{"a": 0.5, "c": "x"}, {"b": True, "a": 2**60}, {"b": False, "c": None, "d": 3}]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    for size in (400, 4000, 1 << 24):
        assert assert_same(source_of(text), size)


def test_limits_are_those_of_lines():
    text = '{"a": "xxxxxxxxxxxxxxxxxxxx", "b": 1}\n' * 3
    for limits in ({"columns": 1}, {"field_bytes": 10}, {"line_bytes": 10}, {"field_bytes": 25, "line_bytes": 160}):
        assert not assert_same(source_of(text, **limits))
    assert assert_same(source_of(text, columns=2, field_bytes=160, line_bytes=160))


def test_objects_of_other_keys_each_make_no_table_of_empty_columns(monkeypatch):
    text = "".join(json.dumps({f"user {row}": 1}) + "\n" for row in range(3000))
    assert not assert_same(source_of(text[:5000]))
    wide = json.dumps({f"x{column}": 1 for column in range(line_blocks.WIDE + 1)})
    assert not assert_same(source_of(f"{wide}\n{wide}"))
    monkeypatch.setattr("unnaive.io.limits._MAX_CELLS", 100)
    few = '{"a": 1' + "".join(f', "b{column}": null' for column in range(200)) + "}"
    assert not assert_same(source_of(f"{few}\n{few}"))


def test_packed_files_and_other_encodings_are_read_in_blocks(tmp_path):
    text = '{"a": "é", "b": 1}\r\n' * 50
    (tmp_path / "table.jsonl.gz").write_bytes(gzip.compress(text.encode()))
    assert assert_same(Source(tmp_path / "table.jsonl.gz", ".gz"), 400)
    (tmp_path / "cut.jsonl.gz").write_bytes(gzip.compress(text.encode())[:-9])
    assert not assert_same(Source(tmp_path / "cut.jsonl.gz", ".gz"), 400)
    for encoding in ("utf-16", "latin1", "utf-8-sig"):
        content = text.encode(encoding)
        assert assert_same(Source(Path("table.jsonl"), content=content, encoding=encoding), 400)
    assert not assert_same(Source(Path("table.jsonl"), content=text.encode("latin1")), 400)
