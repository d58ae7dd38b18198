"""Options of reading: what they refuse, what they are by default, and how model files keep them."""

import pytest

from unnaive.io import DataError, Reading


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"sep": ";;"}, "The separator ';;' is not a single ASCII character"),
        ({"sep": '"'}, "is not a single ASCII character"),
        ({"decimal": "x"}, "The decimal mark 'x' is neither"),
        ({"sep": ",", "decimal": ","}, "',' cannot be both the separator and the decimal mark"),
        ({"encoding": "utf8859"}, "There is no encoding 'utf8859'; usual ones are utf-8, latin1"),
        ({"encoding": "zlib"}, "There is no encoding 'zlib'"),
        ({"encoding": "rot13"}, "There is no encoding 'rot13'"),
        ({"encoding": "a\0b"}, "There is no encoding"),
    ],
)
def test_what_cannot_be_meant_is_refused(options, sentence):
    with pytest.raises(DataError) as caught:
        Reading(**options)
    assert sentence in str(caught.value)


def test_what_stands_for_missing_values_by_default_and_by_name():
    assert {"", "NA", "N/A", "null"} < set(Reading().markers)
    assert {"None", "-", "inf", "-Infinity"} < set(Reading().number_markers)
    assert Reading(missing="-9").markers == ["", "-9"]
    assert Reading(missing="-9").number_markers == []


def test_notes_hold_what_is_not_the_default_but_for_columns_left_out():
    reading = Reading(sep=";", missing=["-9"], header=False, drop=["id"])
    assert reading.to_notes() == {"sep": ";", "missing": ["-9"], "header": False}
    assert Reading.of_notes(reading.to_notes(), {"sep": "|"}) == Reading(sep="|", missing=["-9"], header=False)
    assert Reading.of_notes(None) == Reading.of_notes({"unknown": 1}) == Reading()
    with pytest.raises(DataError, match="notes of the model do not say how to read"):
        Reading.of_notes({"missing": 5})
