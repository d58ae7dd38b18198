"""Delimited text: what kind a column is of is decided by all of its values, however the file is read."""

import io
import math
import threading
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from unnaive.io import Reading, delimited
from unnaive.io.formats import DataError, open_table
from unnaive.io.reading import INFINITE, MISSING, MISSING_NUMBERS


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("delimited")


def table_of(folder, text, name="table.csv", **parameters):
    (folder / name).write_bytes(text.encode() if isinstance(text, str) else text)
    return open_table(folder / name, **parameters)


def kind_of(folder, *values):
    """The kind of a column with these fields."""
    return table_of(folder, "\n".join(["a,b", *(f"{value},x" for value in values)])).kinds["a"]


def refusal(folder, text):
    with pytest.raises(DataError) as caught:
        table_of(folder, text).read()
    return str(caught.value)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["1", "-2", "+3", "0"], "integer"),
        (["1", " 2", "3 "], "integer"),
        (["9223372036854775807"], "integer"),
        (["9223372036854775808"], "text"),
        (["1", "", "3"], "number"),
        (["1", "2.5"], "number"),
        (["1.", ".5", "-1e-05", "1E5"], "number"),
        (["1e-400"], "number"),
        (["", "?", "NA", "NaN", "nan"], "number"),
        (["007", "12"], "text"),
        (["-01"], "text"),
        (["00.5"], "text"),
        (["1", "inf"], "number"),
        (["inf", "-inf"], "text"),
        (["1", "None", "-"], "number"),
        (["a", "None", "-"], "text"),
        (["9007199254740993", ""], "text"),
        (["9007199254740992", ""], "number"),
        (["9007199254740993", "-"], "text"),
        (["2020-12-31", "2020-02-29 12:30"], "date"),
        (["2020-12-31", "None"], "date"),
        (["2020-12-31", "2021-02-29"], "text"),
        (["2020-12-31", "1"], "text"),
        (["2020-12-31T10:00Z", "2020-12-31T10:00+01:00"], "date"),
        (["2020-12-31T10:00Z", "2020-12-31"], "text"),
        (["31.12.2020"], "text"),
        (["1", "1e999"], "text"),
        (["0x1F"], "text"),
        (["1_000"], "text"),
        (["٣"], "text"),
        (["1", "null"], "number"),
        (["true", "false"], "text"),
        (["1 2"], "text"),
        (["+-1"], "text"),
    ],
)
def test_the_kind_of_a_column(folder, values, kind):
    assert kind_of(folder, *values) == kind


def test_types_follow_the_kinds(folder):
    frame = table_of(folder, "a,b,c,d\n1,2,x,007\n2,,?,12\n").read()
    assert frame["a"].dtype == np.int64
    assert frame["b"].dtype == np.float64
    assert frame["a"].tolist() == [1, 2]
    assert frame["b"].tolist()[0] == 2.0
    assert frame.isna().to_numpy().tolist() == [[False] * 4, [False, True, True, False]]
    assert frame["d"].tolist() == ["007", "12"]


def test_what_is_missing_may_be_named(folder):
    text = "a,b\n1,?\n-,NA\n3,\n"
    frame = table_of(folder, text, reading=Reading(missing=["-"])).read()
    assert frame["a"].isna().tolist() == [False, True, False]
    assert frame["b"].tolist()[:2] == ["?", "NA"]
    assert frame["b"].isna().tolist() == [False, False, True]
    assert table_of(folder, text, reading=Reading(missing="-")).kinds == {"a": "number", "b": "text"}


def test_quotes_hold_separators_line_ends_and_quotes(folder):
    frame = table_of(folder, 'a,"b, c"\n"x,\ny","say ""no"""\n').read()
    assert frame.to_dict("list") == {"a": ["x,\ny"], "b, c": ['say "no"']}


def test_fields_of_a_tsv_file_are_separated_by_tabs(folder):
    assert table_of(folder, "a\tb\n1,x\t2\n", "table.tsv").read().to_dict("list") == {"a": ["1,x"], "b": [2]}


def test_a_table_of_one_column_may_have_missing_values(folder):
    frame = table_of(folder, 'a\n1\n\n""\n3\n').read()
    assert frame["a"].fillna(-1).tolist() == [1, -1, 3]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_any_line_end_will_do_and_the_last_may_be_left_out(folder, end):
    for last in ("", end):
        assert table_of(folder, f"a,b{end}1,2{end}3,4{last}").read().to_dict("list") == {"a": [1, 3], "b": [2, 4]}


def test_a_row_may_be_longer_than_what_is_read_at_a_time(folder):
    long = "x" * (3 << 20)
    assert table_of(folder, f"a,b\n1,{long}\n2,y\n").read()["b"].tolist() == [long, "y"]


def test_a_header_may_be_longer_than_what_is_read_at_a_time(folder):
    names = [f"{'long' * 2000}{place}" for place in range(300)]
    table = table_of(folder, ",".join(names) + "\n" + ",".join("1" for _ in names))
    assert next(table.batches(names[-2:])).to_dict("list") == {names[-2]: [1], names[-1]: [1]}


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_line_end_in_quotes_is_kept_wherever_a_block_ends(folder, end):
    # Rows of 31 bytes and blocks of 64 put the end of a block at every place of a row.
    value = f"one{end}two".ljust(27, ".")
    rows = [f'1,"{value}"'[: 30 - len(end)] + '"' for _ in range(70)]
    expected = [row[3:-1] for row in rows]
    with patch.object(delimited, "_BLOCK", 64):
        table = table_of(folder, end.join(["a,b", *rows]) + end)
        assert table.read()["b"].tolist() == expected


def test_a_byte_order_mark_may_stand_before_a_quote_and_a_row_may_begin_with_its_letter(folder):
    text = '\ufeff"a\nb",c\n' + "\ufeffx,1\n" * 20
    with patch.object(delimited, "_BLOCK", 16):
        assert table_of(folder, text).read().to_dict("list") == {"a\nb": ["\ufeffx"] * 20, "c": [1] * 20}


def test_the_last_row_decides_as_much_as_the_first(folder):
    rows = "".join(f"{row},{row}\n" for row in range(200_000))  # several blocks
    table = table_of(folder, f"a,b\n{rows}x,1.5\n")
    assert table.kinds == {"a": "text", "b": "number"}
    first = next(iter(table.batches(rows=10)))
    assert first["a"].tolist() == [str(row) for row in range(10)]
    assert first["b"].dtype == np.float64
    assert table.n_rows == 200_001


def test_batches_can_be_left_and_taken_up_again(folder):
    table = table_of(folder, "a,b\n" + "1,x\n" * 300_000)
    for _ in range(3):
        assert len(next(table.batches(rows=1000))) == 1000
    assert sum(len(batch) for batch in table.batches(["b"])) == 300_000


def test_a_file_is_read_by_the_thread_that_asks_for_it(folder):
    # Threads of arrow that are left reading when the program ends make it hang or abort.
    threads = set()

    class Stream(io.BufferedReader):
        def read(self, size=-1):
            threads.add(threading.get_ident())
            return super().read(size)

    table = table_of(folder, "a,b\n" + "1,x\n" * 2_000_000)
    with patch("builtins.open", lambda path, mode: Stream(io.FileIO(path))):
        assert len(next(table.batches(rows=10))) == 10
    assert threads == {threading.get_ident()}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\n\n", "the file is empty"),
        ("a,b\n", "there is a header, but there are no rows"),
        ("a,b", "there is a header, but there are no rows"),
        ("a,b,a\n1,2,3\n", "several columns named 'a'"),
        (",b\n1,2\n", "column 1 has no name"),
        ("a,b\n1,2\n3\n", "line 3: this row has 1 field, but the header has 2"),
        ("a,b\n1,2\n\n3,4,5\n", "line 4: this row has 3 fields, but the header has 2"),
        ('a,b\n"1\n2",2\n3,4,5\n', "line 4: this row has 3 fields, but the header has 2"),
        ("a,b\r1,2\r3\r", "line 3: this row has 1 field"),
        ('a,b\n1,2\n3,"x\n5,6\n', "line 3: a quote is opened in this row and never closed"),
        ('a,b\n1,2\n3,"x', "line 3: a quote is opened in this row and never closed"),
        ('a,b\n1,2\n3,"x""', "line 3: a quote is opened in this row and never closed"),
        ('a,b\n1,2\n3,"', "line 3: a quote is opened in this row and never closed"),
        ('a,"b\n1,2\n', "line 1: a quote is opened"),
        ('a,"' + "b" * 200_000, "line 1: a quote is opened in"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(folder, text, message):
    assert message in refusal(folder, text)


def test_a_row_deep_in_the_file_is_named_by_its_line(folder):
    text = "a,b\n" + "1,x\n" * 500_000 + "2\n" + "1,x\n" * 10
    assert "line 500002: this row has 1 field" in refusal(folder, text)


def test_a_file_that_is_not_held_and_changes_while_it_is_read_is_refused(folder, monkeypatch):
    monkeypatch.setattr(delimited, "_MAX_HELD", 0)
    table = table_of(folder, "a,b\n1,2\n3,4\n")
    assert table.n_rows == 2
    (folder / "table.csv").write_text("a,b\n1,2\n")
    with pytest.raises(DataError, match="1 rows were read, but there should be 2"):
        table.read()
    (folder / "table.csv").write_text("a,b\n1,2\n3,x\n")
    with pytest.raises(DataError, match="changed while it was being read"):
        table.read()


def test_a_file_of_moderate_size_is_read_once(folder):
    table = table_of(folder, "a,b\n1,x\n,y\n")
    assert table.n_rows == 2
    (folder / "table.csv").unlink()
    assert table.read().to_dict("list") == {"a": [1, pytest.approx(math.nan, nan_ok=True)], "b": ["x", "y"]}


def found_in(table):
    """All that a table says of itself, and its values to the last bit."""
    try:
        frame = table.read()
    except DataError as error:
        return str(error)
    values = [column.to_numpy().view(np.int64) if column.dtype == np.float64 else column for _, column in frame.items()]
    return table.kinds, table.remarks, table.decimal, frame.dtypes.tolist(), [of.tolist() for of in values]


LIKE_NUMBERS = (
    *(
        "0",
        "-0",
        "00",
        "007",
        "-007",
        " 01",
        "0x1",
        "+1",
        " 2",
        "1.",
        ".5",
        "-0.5",
        "1e-05",
        "1e5",
        "1e999",
        "1_0",
        "1e",
    ),
    *("", "NA", "-", "inf", "NAN", "nan", "1,5", "1.234,5", "2020-01-02", "31.12.2020", "x", '"', "1 2", "\t3"),
    *("9007199254740993", "9223372036854775807", "9223372036854775808", "1234567"),
)


@pytest.mark.parametrize("usual", ["1", "2.5"])
@pytest.mark.parametrize(("sep", "decimal"), [(",", None), (";", None), ("|", "."), (";", ",")])
def test_numbers_that_are_read_as_such_change_nothing(folder, usual, sep, decimal):
    reading = Reading(sep=sep, decimal=decimal)
    for place, odd in enumerate(LIKE_NUMBERS):
        others = LIKE_NUMBERS[place - 1] if place % 3 else usual  # before or after it, or none
        column = [*[usual] * 9, *[odd] * (1 + place % 2), *[usual] * 9, others, usual]
        fields = [f"{written(field, sep, place % 5 == 0)}{sep}x" for field in column]
        text = "\n".join([f"a{sep}b", *(fields if place % 4 else reversed(fields))])
        with patch.object(delimited, "_BLOCK", 48), patch.object(delimited, "_MAX_HELD", 400 * (place % 2)):
            found = found_in(table_of(folder, text, reading=reading))
            with patch.object(delimited.ColumnScan, "expected", None):
                assert found == found_in(table_of(folder, text, reading=reading))


# The definition, in plain Python.


def is_number(text):
    stripped = text.strip(" \t")
    if (
        not stripped.isascii()
        or "_" in stripped
        or any(letter.isalpha() for letter in stripped.lower().replace("e", ""))
    ):
        return False
    unsigned = stripped.lstrip("+-")
    if len(unsigned) > 1 and unsigned[0] == "0" and unsigned[1].isdigit():
        return False
    try:
        return math.isfinite(float(stripped)) and stripped == stripped.strip()
    except ValueError:
        return False


def is_whole(text):
    return is_number(text) and not set(text) & set(".eE")


def expected_column(fields):
    there = [field for field in fields if field not in MISSING]
    numbers = [field for field in there if field not in SOFT]
    text = "text", [None if field in MISSING else field for field in fields]
    if not all(is_number(field) for field in numbers) or (not numbers and len(set(there)) > 1):
        return text
    whole = [int(field) for field in numbers if is_whole(field)]
    if numbers and len(whole) == len(numbers):
        complete = len(numbers) == len(fields)
        if not all(-(2**63) <= value < 2**63 and (complete or abs(value) <= 2**53) for value in whole):
            return text
        if complete:
            return "integer", whole
    return "number", [float(field) if field in numbers else None for field in fields]


SOFT = {*MISSING_NUMBERS, *INFINITE}
FIELDS = st.one_of(
    st.sampled_from(
        [*MISSING, "0", "-0", "007", "+1", " 2", "3\t", "1e5", "1e999", "inf", "-inf", "Infinity", "1.", ".5", "."]
    ),
    st.sampled_from(
        ["0x1", "1_0", "1e", "e1", "--1", "00", "0.0", "a,b", 'a"b', '"', "a\nb", "\r\n", " ", "x\ty", "-", "None", "é"]
    ),
    st.integers(-(10**20), 10**20).map(str),
    st.floats(allow_nan=False).map(repr),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=4),
)
COLUMNS = st.one_of(
    st.just(st.integers(-5, 5).map(str)),
    st.just(st.one_of(st.integers(-5, 5).map(str), st.sampled_from([*MISSING]))),
    st.just(st.one_of(st.floats(allow_nan=False, allow_infinity=False).map(repr), st.just(""))),
    st.just(FIELDS),
)


@st.composite
def tables(draw):
    names = draw(st.lists(st.text("abc ,\"'é\n", min_size=1, max_size=3), min_size=1, max_size=4, unique=True))
    names = [name if name.strip() else f"{name}_" for name in names]
    n_rows = draw(st.integers(1, 12))
    columns = [draw(st.lists(draw(COLUMNS), min_size=n_rows, max_size=n_rows)) for _ in names]
    return dict(zip(names, columns))


def written(field, delimiter, quote_all):
    if quote_all or not field or set(field) & {delimiter, '"', "\n", "\r"}:
        return '"' + field.replace('"', '""') + '"'
    return field


@examples(300)
@given(
    tables(),
    st.sampled_from([("table.csv", ","), ("table.tsv", "\t")]),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
    st.integers(1, 13),
    st.sampled_from([64, 1 << 20]),
)
def test_batches_and_the_whole_are_what_the_definition_says(folder, columns, form, end, quote_all, rows, block):
    name, delimiter = form
    rows_of_text = [columns, *zip(*columns.values())]
    text = end.join(delimiter.join(written(field, delimiter, quote_all) for field in row) for row in rows_of_text) + end
    with patch.object(delimited, "_BLOCK", block):
        table = table_of(folder, text, name, reading=Reading(sep=delimiter, decimal="."))
        frame = table.read()
        parts = list(table.batches(rows=rows))
    assert table.columns == list(columns)
    assert table.n_rows == len(frame) == len(next(iter(columns.values())))
    for column, fields in columns.items():
        kind, values = expected_column(fields)
        assert (column, table.kinds[column]) == (column, kind)
        found = [None if missing else value for value, missing in zip(frame[column].tolist(), frame[column].isna())]
        assert found == values
    assert [len(part) for part in parts[:-1]] == [rows] * (len(parts) - 1)
    pd.testing.assert_frame_equal(pd.concat(parts), frame)
    last = list(columns)[::-1]
    pd.testing.assert_frame_equal(pd.concat(list(table.batches(last, rows))), frame[last])


PIECES = st.sampled_from(["a", "1", ",", '"', '""', "\n", "\r", "\r\n", ',"', '",', '5" pipe', 'x"y"', "\n\n"])


@examples(500)
@given(st.lists(PIECES, max_size=30).map("".join), st.integers(1, 20))
def test_the_size_of_a_block_does_not_matter_however_odd_the_quotes(folder, text, block):
    def read(size):
        with patch.object(delimited, "_BLOCK", size):
            try:
                return table_of(folder, "a,b\n" + text).read().to_csv()
            except DataError as error:
                return str(error)

    assert read(block) == read(1 << 20)


def test_markers_of_wide_files_are_missing_values_too(tmp_path, monkeypatch):
    path = tmp_path / "wide.csv"
    path.write_text("a,b,c\n1,NA,x\n,2,?\n3,4,\n")
    expected = open_table(path).read()
    monkeypatch.setattr(delimited, "_WIDE", 2)
    pd.testing.assert_frame_equal(open_table(path).read(), expected)
    assert expected.isna().to_numpy().tolist() == [[False, True, False], [True, False, True], [False, False, True]]
