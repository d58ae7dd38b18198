"""ARFF: what WEKA writes and what scipy reads."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.io import arff as scipy_arff

from tests.examples import examples
from unnaive.io.formats import DataError, open_table

HEADER = (
    "@relation r\n@attribute colour {red, 'dark blue', green}\n@attribute size numeric\n@attribute note string\n@data\n"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("arff")


def table_of(folder, text):
    (folder / "table.arff").write_bytes(text.encode())
    return open_table(folder / "table.arff")


def rows_of(folder, *lines):
    """The rows of data lines under the header, None for missing."""
    frame = table_of(folder, HEADER + "\n".join(lines)).read()
    values = frame.astype(object).to_numpy()
    return [
        [None if missing else value for value, missing in zip(*pair)] for pair in zip(values, frame.isna().to_numpy())
    ]


def refusal(folder, text):
    with pytest.raises(DataError) as caught:
        table_of(folder, text)
    return str(caught.value)


def test_declared_values_are_categories_in_the_declared_order(folder):
    table = table_of(folder, HEADER + "green,1,x\nred,2.5,y\n")
    frame = table.read()
    assert frame["colour"].cat.categories.tolist() == ["red", "dark blue", "green"]
    assert frame["colour"].tolist() == ["green", "red"]
    assert table.kinds == {"colour": "category", "size": "number", "note": "text"}


def test_numbers_are_whole_if_declared_and_all_are(folder):
    text = "@relation r\n@ATTRIBUTE a INTEGER\n@Attribute b integer\n@attribute c integer\n@attribute d real\n@DATA\n"
    frame = table_of(folder, text + "1,1,1,1\n2,?,2.5,2\n").read()
    assert [dtype.name for dtype in frame.dtypes] == ["int64", "float64", "float64", "float64"]


def test_quotes_escapes_space_and_comments(folder):
    assert rows_of(
        folder,
        "% a comment",
        "",
        r" 'dark blue' , 1e3 , 'it\'s \"so\"\\\t50\% \u00e9'  % another, with a comma",
        'red,-.5,"a, b"',
        "red,1,50% of it's",
        "red,1,''",
        "red,1,x % of it, all",
    ) == [
        ["dark blue", 1000.0, 'it\'s "so"\\\t50% é'],
        ["red", -0.5, "a, b"],
        ["red", 1.0, "50% of it's"],
        ["red", 1.0, ""],
        ["red", 1.0, "x"],
    ]


def test_a_bare_question_mark_is_missing_and_a_quoted_one_is_not(folder):
    assert rows_of(folder, "?,?,?", "red,nan,'?'", ",,") == [[None] * 3, ["red", None, "?"], [None] * 3]


def test_values_may_be_separated_by_space(folder):
    assert rows_of(folder, "'dark blue'\t2\tx", "red  3 'y z' % comment") == [["dark blue", 2, "x"], ["red", 3, "y z"]]


def test_a_sparse_row_leaves_out_zeros_and_first_categories(folder):
    assert rows_of(folder, "{}", "{1 5, 2 'a, }b'}", "{ 0 green,1 ? } % comment", "{0 'dark blue'}") == [
        ["red", 0.0, None],
        ["red", 5.0, "a, }b"],
        ["green", None, None],
        ["dark blue", 0.0, None],
    ]


def test_weights_of_rows_are_left_out_with_a_warning(folder):
    with pytest.warns(UserWarning, match="the weights of 2 rows are ignored"):
        assert rows_of(folder, "red,1,x,{0.5}", "red,2,y", "{1 3}, {2}") == [
            ["red", 1, "x"],
            ["red", 2, "y"],
            ["red", 3, None],
        ]


def test_dates_are_days(folder):
    frame = table_of(folder, "@relation r\n@attribute d date 'yyyy-MM-dd'\n@data\n'2024-02-29'\n?\n").read()
    assert frame["d"].tolist()[0] == 19782.0
    assert frame["d"].isna().tolist() == [False, True]


def test_the_target_is_the_attribute_named_class_else_the_last(folder):
    text = "@relation r\n@attribute a real\n@attribute {} {{x, y}}\n@attribute b real\n@data\n1,x,2\n"
    assert table_of(folder, text.format("Class")).target == "Class"
    assert table_of(folder, text.format("label")).target == "b"


def test_names_may_be_quoted_and_braces_may_follow_at_once(folder):
    text = "@relation 'a b'\n@attribute 'it\\'s 1' real\n@attribute \"b c\"{x}\n@attribute d,e{y}\n@data\n1,x,y\n"
    assert table_of(folder, text).columns == ["it's 1", "b c", "d,e"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hello\n", "line 1: this is not ARFF"),
        ("% only a comment\n", "there is no @data"),
        ("@relation r\n@attribute a real\n", "there is no @data"),
        ("@relation r\n@data\n1\n", "line 2: no @attribute is declared before @data"),
        ("@relation r\n@attribute a real\n@data\n", "the table has no rows"),
        ("@relation r\n@attribute\n@data\n", "line 2: an attribute has a name and a type"),
        ("@relation r\n@attribute a\n@data\n", "line 2: attribute 'a' is neither numeric"),
        ("@relation r\n@attribute a complex\n@data\n", "line 2: attribute 'a' is neither numeric"),
        ("@relation r\n@attribute a relational\n@data\n", "line 2: attribute 'a' is a table of its own (relational)"),
        ("@relation r\n@attribute a {x, y\n@data\n", "line 2: the closing } is missing"),
        ("@relation r\n@attribute a {x, y, x}\n@data\n", "line 2: the value 'x' is declared twice"),
        ("@relation r\n@attribute 'a real\n@data\n", "line 2: a quote is opened and never closed"),
        ("@relation r\n@attribute a real\n@attribute a real\n@data\n1,2\n", "several columns named 'a'"),
        (HEADER + "red,1\n", "line 6: this row has 2 values, but 3 attributes are declared"),
        (HEADER + "red,1,x,y\n", "line 6: this row has 4 values, but 3 attributes are declared"),
        (HEADER + "red,1,x\npink,1,x\n", "line 7: 'pink' is not among the declared values (red, dark blue, green) in"),
        (HEADER + "red,much,x\n", "line 6: 'much' is not a finite number in column 'size'"),
        (HEADER + "red,1_0,x\n", "line 6: '1_0' is not a finite number in column 'size'"),
        (HEADER + "red,inf,x\n", "line 6: 'inf' is not a finite number in column 'size'"),
        (HEADER + "red,'',x\n", "line 6: '' is not a finite number in column 'size'"),
        (HEADER + "red,1,'x\n", "line 6: a quote is opened and never closed"),
        (HEADER + "red,1,'x' y\n", "line 6: a comma is missing after 'x'"),
        (HEADER + "red, '1' y\n", "line 6: a comma is missing after '1'"),
        (HEADER + "{3 x}\n", "line 6: place 3 in a sparse row, but 3 attributes are declared, from 0 on"),
        (HEADER + "{1 2, 1 3}\n", "line 6: a place is named twice"),
        (HEADER + "{x 2}\n", "line 6: a sparse row holds pairs"),
        (HEADER + "{1 2\n", "line 6: the closing } is missing"),
        (HEADER + "{1 2} 3\n", "line 6: '3' follows a sparse row"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(folder, text, message):
    assert message in refusal(folder, text)


# What both scipy and we can read. scipy takes text for bytes, '?' for a value, and knows no escapes.

PLAIN = st.text("abcXYZ019_-.", min_size=1, max_size=5).filter(lambda text: text.strip(".-"))
NUMBERS = st.one_of(st.integers(-1000, 1000).map(str), st.floats(allow_nan=False, allow_infinity=False).map(repr))


@st.composite
def files(draw):
    """An ARFF file; scipy wants the same separator in all rows."""
    names = draw(st.lists(PLAIN, min_size=1, max_size=5, unique_by=str.lower))
    lines, columns = [f"@{draw(st.sampled_from(['relation', 'RELATION']))} r"], []
    for name in names:
        space = draw(st.sampled_from([" ", "\t", "  "]))
        if draw(st.booleans()):
            word = draw(st.sampled_from(["numeric", "real", "INTEGER", "Numeric"]))
            lines.append(f"@attribute{space}{name}{space}{word}")
            columns.append(NUMBERS if word != "INTEGER" else st.integers(-1000, 1000).map(str))
        else:
            declared = draw(st.lists(PLAIN, min_size=1, max_size=4, unique=True))
            lines.append(f"@ATTRIBUTE{space}{name}{space}{{{draw(st.sampled_from([',', ', '])).join(declared)}}}")
            columns.append(st.sampled_from(declared))
        if draw(st.booleans()):
            lines.append(draw(st.sampled_from(["", "% a comment"])))
    lines.append(draw(st.sampled_from(["@data", "@DATA"])))
    separator = draw(st.sampled_from([",", ", ", "\t"]))
    for _ in range(draw(st.integers(1, 6))):
        lines.append(separator.join(draw(st.one_of(column, st.just("?"))) for column in columns))
    return "\n".join(lines) + "\n"


@examples(200)
@given(files())
def test_what_scipy_can_read_is_read_as_scipy_reads_it(folder, text):
    frame = table_of(folder, text).read()
    records, meta = scipy_arff.loadarff(folder / "table.arff")
    assert list(frame.columns) == meta.names()
    for name in meta.names():
        kind, declared = meta[name]
        if kind == "numeric":
            np.testing.assert_array_equal(frame[name].to_numpy(dtype=float), records[name])
        else:
            assert frame[name].cat.categories.tolist() == list(declared)
            assert frame[name].astype(object).where(frame[name].notna(), "?").tolist() == [
                value.decode() for value in records[name]
            ]


# What is written as WEKA writes it is read back.

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
ESCAPES = {"\\": "\\\\", "'": "\\'", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t", "%": "\\%"}


def quoted(text):
    return "'" + "".join(ESCAPES.get(letter, letter) for letter in text) + "'"


@examples(200)
@given(
    st.lists(TEXTS, min_size=1, max_size=4, unique=True).flatmap(
        lambda declared: st.tuples(
            st.just(declared),
            st.lists(
                st.tuples(st.none() | st.sampled_from(declared), st.none() | st.floats(-1e9, 1e9), st.none() | TEXTS),
                min_size=1,
                max_size=5,
            ),
        )
    ),
    st.integers(1, 6),
    st.booleans(),
)
def test_what_is_written_in_quotes_is_read_back_whole_or_in_batches(folder, content, n_rows, sparse):
    declared, rows = content
    lines = []
    for category, number, text in rows:
        values = [
            "?" if category is None else quoted(category),
            "?" if number is None else repr(number),
            "?" if text is None else quoted(text),
        ]
        lines.append(
            "{" + ", ".join(f"{at} {value}" for at, value in enumerate(values)) + "}" if sparse else ",".join(values)
        )
    types = "{" + ",".join(map(quoted, declared)) + "}", "real", "string"
    header = "\n".join(f"@attribute {name} {type_}" for name, type_ in zip("abc", types))
    table = table_of(folder, "\n".join(["@relation r", header, "@data", *lines]))
    frame = table.read()
    assert frame["a"].cat.categories.tolist() == declared
    missing = frame.isna().to_numpy().tolist()
    values = zip(frame["a"].tolist(), frame["b"].tolist(), frame["c"].tolist())
    assert [tuple(None if gone else value for value, gone in zip(*pair)) for pair in zip(values, missing)] == rows
    pd.testing.assert_frame_equal(pd.concat(list(table.batches(rows=n_rows))), frame)


def test_declared_values_are_categories_and_a_question_mark_is_missing(folder):
    text = "@relation trips\n@attribute sky {clear, grey}\n@attribute warmth numeric\n@data\nclear, 21\n?, 14.5\n"
    frame = table_of(folder, text).read()
    assert frame["sky"].astype(object).fillna("?").tolist() == ["clear", "?"]
    assert frame["sky"].cat.categories.tolist() == ["clear", "grey"]
    assert frame["warmth"].tolist() == [21.0, 14.5]
