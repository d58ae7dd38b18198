"""JSON lines: columns from the keys of all objects, and one sentence for every line that is none."""

import gzip
import json
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from unnaive.io import Reading
from unnaive.io.formats import DataError, as_text, open_table

GOOD = '{"text": "Rain.", "label": "wet"}\n{"text": "Sun!", "label": "dry"}\n'


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("jsonlines")


def table_of(folder, lines, name="table.jsonl"):
    text = lines if isinstance(lines, str | bytes) else "".join(f"{json.dumps(line)}\n" for line in lines)
    data = text if isinstance(text, bytes) else text.encode()
    (folder / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return open_table(folder / name)


def refusal(folder, lines, columns=None):
    """What is said of a file that cannot be read."""
    with pytest.raises(DataError) as caught:
        list(table_of(folder, lines).batches(columns))
    assert "\n" not in str(caught.value)
    return str(caught.value).removeprefix(str(folder / "table.jsonl"))


def test_kinds_and_types(folder):
    table = table_of(
        folder,
        [
            {
                **{"whole": 1, "gaps": 1, "real": 1.5, "text": "é\n", "yes": True, "maybe": True, "mixed": 7},
                **{"huge": 2**70, "nothing": None, "terms": ["a", "b"], "codes": [3, 3], "flags": True},
            },
            {
                **{"whole": -2, "gaps": None, "real": 2, "text": None, "yes": False, "mixed": "x"},
                **{"huge": 1, "terms": [], "codes": None, "flags": "no", "late": 0.5},
            },
        ],
    )
    assert table.kinds == {
        **{"whole": "integer", "gaps": "number", "real": "number", "text": "text", "yes": "bool", "maybe": "bool"},
        **{"mixed": "text", "huge": "number", "nothing": "number", "terms": "terms", "codes": "terms"},
        **{"flags": "text", "late": "number"},
    }
    frame = table.read()
    assert list(frame) == list(table.kinds) == table.columns
    names = ["whole", "gaps", "real", "huge", "nothing", "late", "yes", "maybe", "terms"]
    assert [frame[name].dtype.name for name in names] == ["int64", *["float64"] * 5, "bool", "object", "object"]
    assert frame["mixed"].tolist() == ["7", "x"]
    assert frame["flags"].tolist() == ["true", "no"]
    assert frame["huge"].tolist() == [2.0**70, 1.0]
    assert frame["terms"].tolist() == [["a", "b"], []]
    assert frame["maybe"].tolist()[0] is True
    missing = {name: rows for name in frame if (rows := frame[name].isna().tolist()) != [False, False]}
    gone = [False, True]
    assert missing == {
        **{"gaps": gone, "text": gone, "maybe": gone, "nothing": [True, True], "codes": gone, "late": [True, False]}
    }


def test_text_and_numbers_have_the_types_of_a_delimited_file(folder):
    rows = [{"sky": "grey", "warmth": 1.5, "n": 1}, {"sky": None, "warmth": None, "n": 2}]
    (folder / "same.csv").write_text("sky,warmth,n\ngrey,1.5,1\n,,2\n")
    pd.testing.assert_frame_equal(table_of(folder, rows).read(), open_table(folder / "same.csv").read())
    assert table_of(folder, rows).kinds == open_table(folder / "same.csv").kinds


@pytest.mark.parametrize("name", ["a.jsonl", "a.ndjson", "a.JSONL", "a.jsonl.gz", "a.ndjson.gz"])
def test_every_ending_is_read(folder, name):
    assert table_of(folder, GOOD, name).read()["label"].tolist() == ["wet", "dry"]


@pytest.mark.parametrize(
    "text",
    [
        "\ufeff" + GOOD,
        GOOD.replace("\n", "\r\n"),
        GOOD.rstrip("\n"),
        "\n \n" + GOOD.replace("\n", "\n\n\t\n"),
        GOOD.replace("{", '  {"label": "twice", '),
    ],
)
def test_marks_line_ends_empty_lines_and_keys_given_twice_do_no_harm(folder, text):
    frame = table_of(folder, text).read()
    assert frame["text"].tolist() == ["Rain.", "Sun!"]
    assert frame["label"].tolist() == ["wet", "dry"]


def test_characters_that_end_lines_elsewhere_are_part_of_a_text(folder):
    text = "a\u2028b\x85c\u2029d"
    assert table_of(folder, json.dumps({"text": text}, ensure_ascii=False)).read()["text"].tolist() == [text]


def test_half_of_a_character_becomes_a_question_mark_and_both_halves_the_character(folder):
    frame = table_of(folder, '{"text": "a\\ud83d", "\\udc00": ["\\uD83d"], "whole": "\\ud83d\\ude00"}').read()
    assert frame.iloc[0].tolist() == ["a?", ["?"], "\U0001f600"]
    assert list(frame) == ["text", "?", "whole"]


def test_what_stands_for_missing_in_delimited_files_is_text_here(folder):
    assert table_of(folder, [{"a": word} for word in ("?", "NA", "", "nan")]).read()["a"].tolist() == [
        *("?", "NA", "", "nan")
    ]


def test_not_a_number_is_missing(folder):
    table = table_of(folder, '{"a": NaN, "b": NaN}\n{"a": 1, "b": "x"}')
    assert table.kinds == {"a": "number", "b": "text"}
    assert table.read().isna().to_numpy().tolist() == [[True, True], [False, False]]


def test_the_target_is_the_column_named_class_or_else_the_last(folder):
    assert table_of(folder, [{"class": 1, "a": 2}]).target == "class"
    assert table_of(folder, [{"a": 2}, {"b": 3}]).target == "b"


# Lines that are no objects


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (GOOD + '{"text": "Fo', ", line 3: the object is not closed, so the line was cut off"),
        (GOOD + '\n{"text": "Fog", "label":', ", line 4: the object is not closed"),
        (GOOD + "Fog\n", ", line 3: this is not JSON (Expecting value at character 1); correct or delete"),
        (GOOD + "{'text': 'Fog'}\n", ", line 3: this is not JSON"),
        (GOOD + '{"a": 1} {"a": 2}\n', ", line 3: this is not JSON (Extra data at character 10)"),
        (GOOD + '["Fog"]\n', ", line 3: this is a list, but every line must be an object"),
        (GOOD + '"Fog"\n', ", line 3: this is text"),
        (GOOD + "3\n", ", line 3: this is a number"),
        (GOOD + "null\n", ", line 3: this is null"),
        ("[\n" + GOOD + "]\n", ", line 1: every object must be on a line of its own"),
        ('{\n  "text": "Fog"\n}\n', ", line 1: every object must be on a line of its own"),
        ('{"a": ' + "9" * 5000 + "}", ", line 1: the line cannot be read"),
        ('{"a": ' + "[" * 100_000 + "]" * 100_000 + "}", ", line 1: the line is nested too deeply."),
        (GOOD.encode() + b'{"text": "caf\xe9"}\n', ", line 3: byte 81 (0xe9) is not UTF-8"),
        ("\n \n", ": it has only empty lines."),
        ("{}\n{}\n", ": its objects have no keys."),
        ('{"": 1}\n', ": column 1 has no name"),
        ("", ": the file is empty."),
    ],
)
def test_a_bad_file_is_refused_with_the_line_and_what_to_do(folder, lines, said):
    assert refusal(folder, lines).startswith(said)


def test_a_gzipped_file_that_ends_too_early_is_refused(folder):
    (folder / "cut.jsonl.gz").write_bytes(gzip.compress(GOOD.encode() * 100)[:-9])
    with pytest.raises(DataError, match="ends too early"):
        open_table(folder / "cut.jsonl.gz")


def test_names_that_are_data_do_not_fill_the_memory(folder, monkeypatch):
    monkeypatch.setattr("unnaive.io.limits._MAX_CELLS", 1000)
    assert "200 different keys, too many for columns" in refusal(folder, [{f"user {row}": 1} for row in range(200)])
    wide = [{f"x{column}": column for column in range(200)} for _ in range(20)]
    assert table_of(folder, wide).read().shape == (20, 200)


# Columns that cannot be read


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([1, {"b": 2}], ", line 1: column 'a' holds a number here and lists or objects elsewhere"),
        ([{"b": 2}], ", line 1: column 'a' holds an object here; drop the column"),
        ([["x"], "x"], ", line 2: column 'a' holds text here and lists"),
        ([["x"], ["y", None]], ", line 2: column 'a' holds a list of other values than text and integers"),
        ([["x"], [[1]]], ", line 2: column 'a' holds a list of other"),
        ([[True]], ", line 1: column 'a' holds a list of other"),
        ([1.0, math.inf], ", line 2: column 'a' holds a number that is infinite or beyond 1e308; write null"),
        ([None, 1.0, math.inf], ", line 3: column 'a' holds a number that is infinite"),
        ([1, 10**400], ", line 2: column 'a' holds a number that is infinite"),
    ],
)
def test_a_column_of_other_things_is_refused_where_it_is_read_and_only_there(folder, values, said):
    rows = [{"a": value, "text": "fog"} for value in values]
    assert refusal(folder, rows).startswith(said)
    table = table_of(folder, rows)
    assert table.kinds == {"a": "nested", "text": "text"}
    with pytest.raises(DataError, match="column 'a' holds"):
        table.read()
    assert next(table.batches(["text"]))["text"].tolist() == ["fog"] * len(values)


# Against a literal reading

PLAIN = {
    "int": st.integers(-5, 5) | st.integers(2**62, 2**65),
    "float": st.floats(allow_infinity=False, allow_nan=False),
    "str": st.text(st.characters(exclude_categories=["Cs"]), max_size=4),
    "bool": st.booleans(),
    "list": st.lists(st.integers(0, 3) | st.text(st.characters(exclude_categories=["Cs"]), max_size=2), max_size=3),
}


def literal_kind(values, n_rows):
    """What a column holds, by the words of the documentation."""
    types = {type(value).__name__ for value in values}
    if types == {"list"}:
        return "terms"
    if types == {"bool"}:
        return "bool"
    if types <= {"int", "float"}:
        whole = types == {"int"} and len(values) == n_rows and all(-(2**63) <= value < 2**63 for value in values)
        return "integer" if whole else "number"
    return "text"


@st.composite
def objects(draw):
    kinds = draw(
        st.lists(
            st.sampled_from([("int",), ("int", "float"), ("str",), ("bool",), ("list",), ("int", "str", "bool")]),
            min_size=1,
            max_size=4,
        )
    )
    values = [st.none() | st.one_of([PLAIN[kind] for kind in of_column]) for of_column in kinds]
    columns = {f"c{place}": strategy for place, strategy in enumerate(values)}
    rows = draw(st.lists(st.fixed_dictionaries({}, optional=columns), min_size=1, max_size=8))
    return [*rows, draw(st.fixed_dictionaries(columns))]  # each key is there at least once


@examples(200)
@given(objects(), st.booleans(), st.integers(1, 10))
def test_batches_and_the_whole_are_the_values_of_the_file(folder, rows, escaped, size):
    lines = "".join(json.dumps(row, ensure_ascii=escaped) + "\n" for row in rows)
    table = table_of(folder, lines)
    frame = table.read()
    pd.testing.assert_frame_equal(pd.concat(list(table.batches(rows=size))), frame)
    assert table.n_rows == len(rows)
    order = dict.fromkeys(name for row in rows for name in row)
    assert list(frame) == list(order)
    for name in order:
        given = [row.get(name) for row in rows]
        present = [value for value in given if value is not None]
        kind = literal_kind(present, len(rows))
        assert table.kinds[name] == kind
        assert frame[name].isna().tolist() == [value is None for value in given]
        expected = {
            "number": [float(value) for value in present if kind == "number"],
            "text": [value if isinstance(value, str) else json.dumps(value) for value in present],
        }.get(kind, present)
        assert frame[name].dropna().tolist() == expected


def test_columns_of_numbers_are_text_where_one_says_so(folder):
    table = as_text(table_of(folder, [{"a": 7, "b": ["x"], "c": 1}, {"a": None, "b": ["y"], "c": 2}]), ["a", "b"])
    assert table.kinds == {"a": "text", "b": "terms", "c": "integer"}
    assert table.read()["a"].tolist()[0] == "7"
    assert table.read()["b"].tolist() == [["x"], ["y"]]
    (folder / "codes.csv").write_text("a,b\n007,1.50\n-,2\n")
    codes = as_text(open_table(folder / "codes.csv", reading=Reading(missing=["-"])), ["a", "b"]).read()
    assert codes["b"].tolist() == ["1.50", "2"]
    assert codes["a"].tolist()[0] == "007"
    assert codes["a"].isna().tolist() == [False, True]


def test_a_frame_that_was_read_may_be_changed(folder):
    table = table_of(folder, [{"a": 1}, {"a": 2}])
    frame = table.read()
    frame["a"] = np.array([5, 6])
    assert table.read()["a"].tolist() == [1, 2]


def test_keys_that_are_not_everywhere_are_missing_values(folder):
    (folder / "posts.jsonl").write_text(
        '{"text": "Rain again.", "likes": 3}\n{"text": "Sun!", "tags": ["sky", "joy"]}\n'
    )
    posts = open_table(folder / "posts.jsonl")
    assert posts.kinds == {"text": "text", "likes": "number", "tags": "terms"}
    frame = posts.read()
    assert frame["text"].tolist() == ["Rain again.", "Sun!"]
    assert frame["likes"].fillna(-1).tolist() == [3.0, -1]
    assert frame["tags"].tolist() == [None, ["sky", "joy"]]


def test_numbers_as_text_are_written_as_they_were(folder):
    (folder / "codes.jsonl").write_text('{"code": 7}\n{"code": 12}\n')
    assert as_text(open_table(folder / "codes.jsonl"), ["code"]).read()["code"].tolist() == ["7", "12"]


def test_dates_are_text_as_they_are_written_where_one_says_so(folder):
    path = folder / "days.json"
    path.write_text('[{"day": "2020-01-01", "n": 1}, {"day": " 2020-01-02", "n": 2}]')
    assert open_table(path).kinds["day"] == "date"
    table = as_text(open_table(path), ["day", "n"])
    assert table.kinds == {"day": "text", "n": "text"}
    assert table.read()["day"].tolist() == ["2020-01-01", " 2020-01-02"]


def test_objects_of_the_same_keys_are_read_as_those_of_others(folder):
    same = [{"a": 1, "b": "x", "c": 0.5, "d": True}, {"a": None, "b": "2020", "c": 2, "d": None}]
    other = [{"d": True, "c": 0.5, "b": "x", "a": 1}, {"b": "2020", "c": 2}]
    (folder / "same.json").write_text(json.dumps(same))
    (folder / "other.json").write_text(json.dumps(other))
    found = [open_table(folder / name) for name in ("same.json", "other.json")]
    assert found[0].kinds == found[1].kinds
    pd.testing.assert_frame_equal(found[0].read(), found[1].read()[[*"abcd"]])
