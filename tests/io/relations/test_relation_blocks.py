"""ARFF and KEEL files read in blocks are what they are line by line, and ordinary ones are read in blocks."""

import warnings
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.examples import examples
from unnaive.io import line_blocks
from unnaive.io.limits import Limits
from unnaive.io.relations import relation
from unnaive.io.relations.arff import read_arff
from unnaive.io.relations.keel import read_keel
from unnaive.io.source import DataError, Source

TYPES = ["real", "integer", "{red, 'dark blue', x, '?', ''}", "string"]


def source_of(rows, types=TYPES, **limits):
    header = [f"@attribute a{place} {type_}" for place, type_ in enumerate(types)]
    text = "\n".join(["@relation r", *header, "@data", rows])
    return Source(Path("table.arff"), content=text.encode(), limits=Limits(**limits))


def outcome(source, read):
    """The kinds and frame of a table, or what is said of it, and all warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            table = read(source)
            found = table.kinds, table.target, table.read()
        except DataError as error:
            found = str(error)
    return found, [(str(warning.message), warning.filename) for warning in caught]


def assert_same(source, size=1 << 24, read=read_arff):
    """That blocks of some bytes make no difference; whether the file was read in these."""
    by_blocks, taken = relation._fill_by_blocks, []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(line_blocks, "_BLOCK", size)
        patch.setattr(relation, "_fill_by_blocks", lambda *given: taken.append(by_blocks(*given)) or taken[-1])
        found, said = outcome(source, read)
        patch.setattr(relation, "_fill_by_blocks", lambda *given: False)
        expected, expected_said = outcome(source, read)
    assert said == expected_said
    if isinstance(expected, str):
        assert found == expected
    else:
        assert found[:2] == expected[:2]
        pd.testing.assert_frame_equal(found[2], expected[2], check_exact=True)
        signs = [frame.select_dtypes(float).map(str).to_numpy().tolist() for frame in (found[2], expected[2])]
        assert signs[0] == signs[1]  # of zeros too
    return taken == [True]


LETTERS = st.characters(exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp"], exclude_characters="'\"%{,\\")
BARE = st.text(LETTERS, min_size=1, max_size=4)
PLAIN = {
    "real": st.floats(allow_nan=False, allow_infinity=False).map(repr) | st.integers(-(10**20), 10**20).map(str),
    "integer": st.integers(-99, 99).map(str) | st.sampled_from(["1.0", "2e3", str(2**53)]),
    TYPES[2]: st.sampled_from(["red", "x"]),
    "string": BARE | st.sampled_from(["2020-01-01", "a b", "<null>"]),
}


@st.composite
def tables(draw):
    """Types, and rows of bare values with space around them, or of quoted ones without; one value may be missing."""
    types = draw(st.lists(st.sampled_from(TYPES), min_size=1, max_size=4))
    quote = draw(st.sampled_from(["", "", "'", '"']))
    values = {type_: plain | st.just("?") for type_, plain in PLAIN.items()}
    if quote:
        for type_, more in {TYPES[2]: ["dark blue", "?", ""], "string": ["?", "", "a, b", "it is"]}.items():
            values[type_] |= st.sampled_from([f"{quote}{text}{quote}" for text in more])
    separator = draw(st.sampled_from([","] if quote else [",", ", ", "\t ,"]))
    rows = draw(st.lists(st.tuples(*(values[type_] for type_ in types)), min_size=1, max_size=12))
    end = draw(st.sampled_from(["\n", "\r\n", "\n\n", '\n% it\'s, "so" {\n', *([] if quote else [" \n"])]))
    return types, end.join(map(separator.join, rows)) + draw(st.sampled_from(["", end]))


@examples(500)
@given(tables(), st.integers(1, 8), st.sampled_from([read_arff, read_keel]))
@example((["string"], "x\n'?'\n''\n?\n"), 1, read_arff)
def test_ordinary_files_are_read_in_blocks(table, n_blocks, read):
    types, rows = table
    longest = max(map(len, rows.split("\n")))
    size = 8 * (longest + 4) + 4 * len(rows) // n_blocks
    assert assert_same(source_of(rows, types), size, read)


PARTS = [
    "red",
    "x",
    "?",
    "'?'",
    "''",
    '""',
    "'dark blue'",
    "pink",
    "1",
    "-0",
    "2.5",
    "1_0",
    "nan",
    "inf",
    "+5",
    "1e400",
]
PARTS += [
    "1e-400",
    ".5",
    "1.",
    "1e",
    "0x1",
    "nan(1)",
    "-nan",
    "'1'",
    "' 1'",
    "' x '",
    "it's",
    "'it\\'s'",
    "a\\b",
    '"y"',
]
PARTS += [
    ",",
    ",",
    ",",
    ",",
    ",",
    ", ",
    " ",
    "\t",
    "\n",
    "\n",
    "\r\n",
    "\r",
    "% c",
    "{",
    "}",
    "{0 1}",
    ",{0.5}",
    "<null>",
]
PARTS += ["\x0b", "\x1c", "\x85", "\xa0", "\u2003", "\u3000", "\ufeff", "\x00", "é", "٣", "'", '"', "\\"]


@st.composite
def odd_files(draw):
    types = draw(st.lists(st.sampled_from(TYPES), min_size=1, max_size=3))
    if draw(st.booleans()):
        return types, "".join(draw(st.lists(st.sampled_from(PARTS), max_size=12)))
    rows = draw(st.lists(st.lists(st.sampled_from(PARTS[:32]), min_size=len(types), max_size=len(types)), max_size=6))
    text = "\n".join(map(",".join, rows))
    for _ in range(draw(st.integers(0, 2))):
        place = draw(st.integers(0, len(text)))
        text = text[:place] + draw(st.sampled_from(PARTS)) + text[place + draw(st.integers(0, 1)) :]
    return types, text


@examples(2000)
@given(odd_files(), st.integers(20, 200), st.sampled_from([read_arff, read_keel]))
@example((["real", TYPES[2], TYPES[2]], ",'?',"), 24, read_arff)
def test_odd_files_are_read_or_refused_as_line_by_line(table, size, read):
    types, rows = table
    assert_same(source_of(rows, types), size, read)


@pytest.mark.parametrize(
    "row",
    [
        *("{0 1, 2 red}", "1,2,red,y,{0.5}", "1 2 red y", "1,2,red", "1,2,red,y,z", "1,2,pink,y", "1,2.x,red,y", "1,2"),
        *("inf,2,red,y", "nan,2,red,y", "1_0,2,red,y", "1,2,red,y % z", "1,2,red,50%", "1,2,red,it's", "1,2,red,' y'"),
        *(r"1,2,red,'it\'s'", "1,2, 'dark blue',y", "1,2,'dark blue' ,y", "1,2,'red' x,y", "1,2,'red,y", "'',2,red,y"),
        *("1,2,'red',\"y\"", "1,2,red,\xa0y", "1,2,red,y\x0b", "\x0c", " "),
    ],
)
def test_unusual_rows_are_left_to_the_other_reader(row):
    for rows in (row, f"1,2,red,y\n{row}\n3,4,x,z\n", "1,2,'red',y\n" * 100 + f"{row}\n"):
        assert not assert_same(source_of(rows))


def test_types_of_whole_columns_are_those_of_all_blocks():
    rows = "1,1,red,2020-01-01\n" * 20 + "1,2.5,red,2020-01-02\n"
    for size in (200, 400, 1 << 24):
        assert assert_same(source_of(rows), size)
        assert assert_same(source_of(rows.replace("2.5", "?").replace("-02", "-xx")), size)


def test_empty_data_limits_and_wide_rows_are_left_to_the_other_reader():
    for rows in ("", "\n\n", "% nothing\n"):
        assert not assert_same(source_of(rows))
    rows = "1,2,red,xxxxxxxxxxxxxxxxxxxx\n" * 2
    for limits in ({"field_bytes": 12}, {"line_bytes": 40}, {"columns": 3}):
        assert not assert_same(source_of(rows, **limits))
    assert assert_same(source_of(rows, columns=4, field_bytes=160, line_bytes=160))
    wide = ["real"] * (line_blocks.WIDE + 1)
    assert not assert_same(source_of(",".join("1" * len(wide)), wide))


def test_data_begin_below_a_header_of_any_line_ends_and_comments():
    text = "\ufeff% c\r@relation r\r\n\n@attribute a real\r@attribute b {é,ü}\r\n@data\r\n1,é\r\n2,ü\r\n"
    for encoding in ("utf-8", "utf-16-le"):
        assert assert_same(Source(Path("table.arff"), content=text.encode(encoding), encoding=encoding), 80)
    assert not assert_same(Source(Path("table.arff"), content=text.encode("latin1", "replace")), 80)
