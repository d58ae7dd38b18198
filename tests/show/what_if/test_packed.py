"""Arrays come back as they were, names end no script, and what is too large is refused before it is made."""

import numpy as np
import pytest

from tests.show.what_if.evaluation import unpacked
from unnaive.show.what_if import packed
from unnaive.show.what_if.packed import packed_json


@pytest.mark.parametrize(
    ("numbers", "name"),
    [
        ([], "u1"),
        ([0.0, 255.0], "u1"),
        ([0, 256], "u2"),
        ([65536], "u4"),
        ([2.0**32], "f8"),
        ([-1], "f8"),
        ([0.1, -np.inf], "f8"),
    ],
)
def test_an_array_takes_the_smallest_type_that_holds_it(numbers, name):
    text = packed_json({"array": np.array(numbers, dtype=float)})
    assert f'"type":"{name}"' in text
    np.testing.assert_array_equal(unpacked(text)["array"], numbers)


def test_no_name_looks_like_the_end_of_a_script_or_a_comment():
    name = "</script><!-- & \u2028 \ud800"
    text = packed_json({"name": name})
    assert not set("<>&") & set(text)
    assert text.isascii()
    assert unpacked(text)["name"] == name


def test_what_is_too_large_is_refused_before_it_is_encoded(monkeypatch):
    monkeypatch.setattr(packed, "_pack", lambda array: pytest.fail("it was encoded"))
    with pytest.raises(ValueError, match=r"would hold 10\.7 MB of tables and rows, more than 8 MB\. Fit on fewer"):
        packed_json({"tables": [{"one": np.full(10**6, 0.5)}]})
    with pytest.raises(ValueError, match="more than 8 MB"):
        packed_json({"names": ["x" * 1000] * 8000})
