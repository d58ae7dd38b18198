"""JSON is parsed if it is short and flat enough."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unnaive.core.bounded_json import bounded_json

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(alphabet='"\\[]{},a:'),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(alphabet='"\\[{,b'), inner, max_size=4),
)


def depth_of(value):
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if inner is None else 1 + max(map(depth_of, inner), default=0)


def items_of(value):
    """Lists and objects, and one item less than they have."""
    inner = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if inner is None else max(1, len(inner)) + sum(map(items_of, inner))


@given(anything)
def test_what_is_within_the_limits_is_parsed_and_what_is_not_is_refused(value):
    text, items, depth = json.dumps(value), items_of(value), depth_of(value)
    assert bounded_json(text, max_items=items, max_depth=depth) == value
    assert bounded_json(text.encode(), max_items=items, max_depth=depth) == value
    for limits in ({"max_items": items - 1, "max_depth": depth}, {"max_items": items, "max_depth": depth - 1}):
        with pytest.raises(ValueError, match="JSON of more than"):
            bounded_json(text, **limits)


@pytest.mark.parametrize("text", ["", "[", '["', "[1", "}{", '"\\'])
def test_what_is_no_json_is_an_error(text):
    with pytest.raises(json.JSONDecodeError):
        bounded_json(text, max_items=9, max_depth=9)


@pytest.mark.parametrize("constant", ["NaN", "Infinity", "-Infinity"])
def test_numbers_that_json_does_not_have_are_refused_where_one_says_so(constant):
    limits = {"max_items": 9, "max_depth": 9}
    assert isinstance(bounded_json(f"[{constant}]", **limits)[0], float)
    with pytest.raises(ValueError, match="write null"):
        bounded_json(f"[{constant}]", allow_nan=False, **limits)
