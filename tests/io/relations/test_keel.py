"""KEEL's .dat files."""

import pytest

from unnaive.io.formats import DataError, open_table

HEADER = """@relation trips
@attribute Place {beach, museum}
@attribute Warmth real [0.0, 40.0]
@attribute People integer[1,9]
@attribute Sky{clear,grey}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("keel")


def table_of(folder, text):
    (folder / "table.dat").write_text(text)
    return open_table(folder / "table.dat")


def test_inputs_and_outputs_are_the_columns_and_the_target(folder):
    table = table_of(
        folder, HEADER + "@inputs Warmth, Sky\n@outputs Place\n@data\nbeach, 21.5, 2, clear\nmuseum,<null>,3, ?\n"
    )
    assert table.columns == ["Warmth", "Sky", "Place"]
    assert table.target == "Place"
    assert table.kinds == {"Warmth": "number", "Sky": "category", "Place": "category"}
    frame = table.read()
    assert frame["Place"].tolist() == ["beach", "museum"]
    assert frame["Sky"].cat.categories.tolist() == ["clear", "grey"]
    assert frame.isna().to_numpy().tolist() == [[False] * 3, [True, True, False]]


def test_keywords_may_be_in_the_singular_and_in_capitals(folder):
    table = table_of(
        folder, HEADER.replace("@attribute", "@Attribute") + "@Input Sky\n@OUTPUT People\n@DATA\nbeach,1,2,grey\n"
    )
    assert (table.columns, table.target) == (["Sky", "People"], "People")
    assert table.kinds["People"] == "integer"


def test_without_inputs_all_attributes_are_columns_and_the_last_is_the_target(folder):
    table = table_of(folder, HEADER + "@data\nbeach,1,2,grey\n")
    assert table.columns == ["Place", "Warmth", "People", "Sky"]
    assert table.target == "Sky"
    assert table_of(folder, HEADER.replace("People", "class") + "@data\nbeach,1,2,grey\n").target == "class"
    assert table_of(folder, HEADER + "@outputs Place\n@data\nbeach,1,2,grey\n").target == "Place"
    assert table_of(folder, HEADER + "@inputs Place, Warmth\n@data\nbeach,1,2,grey\n").columns == [
        "Place",
        "Warmth",
        "Sky",
    ]


def test_values_beyond_the_declared_range_are_values(folder):
    assert table_of(folder, HEADER + "@data\nbeach,99,20,grey\n").read()["Warmth"].tolist() == [99.0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            HEADER + "@inputs Warmht\n@data\nbeach,1,2,grey\n",
            "'Warmht' is listed in the header but not declared. Did you mean",
        ),
        (HEADER + "@data\nbeach,1,2\n", "line 7: this row has 3 values, but 4 attributes are declared"),
        (
            HEADER + "@data\nbeach,1,2,null\n",
            "line 7: 'null' is not among the declared values (clear, grey) in column 'Sky'",
        ),
        (HEADER + "@bounds a\n@data\n", "line 6: @bounds means nothing in KEEL"),
        ("1,2,3\n", "line 1: this is not KEEL"),
    ],
)
def test_what_is_wrong_is_said(folder, text, message):
    with pytest.raises(DataError) as caught:
        table_of(folder, text)
    assert message in str(caught.value)


def test_null_is_missing_and_values_are_in_the_order_of_inputs_and_outputs(folder):
    table = table_of(
        folder,
        "@relation trips\n@attribute place {beach, museum}\n@attribute warmth real [0.0, 40.0]\n"
        "@inputs warmth\n@outputs place\n@data\nbeach, 21.0\nmuseum, <null>\n",
    )
    frame = table.read()
    assert (list(frame), table.target) == (["warmth", "place"], "place")
    assert frame["warmth"].fillna(-1).tolist() == [21.0, -1]
    assert frame["place"].tolist() == ["beach", "museum"]
