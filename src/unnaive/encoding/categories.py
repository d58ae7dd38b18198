"""The categories of a column, and how values are found among them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unnaive.core.validation import RawColumn, is_missing


class Categories:
    """The categories of one column: the declared ones in their order, then others, sorted."""

    def __init__(self, declared: Sequence[Any], others: Sequence[Any]) -> None:
        self.declared = list(declared)
        known = set(self.declared)
        self.values = self.declared + _sorted(value for value in others if value not in known)
        self.code = {value: code for code, value in enumerate(self.values)}

    def union(self, other: Categories) -> Categories:
        """Categories of both; the result does not depend on the order in which others were seen."""
        if all(value in self.code for value in other.values):
            return self
        declared = self.declared + [value for value in other.declared if value not in set(self.declared)]
        return Categories(declared, self.values + other.values)

    def codes_in(self, union: Categories) -> NDArray[np.int64] | None:
        """Where each category went, or None if they all kept their codes."""
        if union.values[: len(self.values)] == self.values:
            return None
        return np.array([union.code[value] for value in self.values], dtype=np.int64)

    def kinds(self) -> set[str]:
        """Text, numbers, or both."""
        return {_kind(value) for value in self.values}

    def __getstate__(self) -> dict[str, Any]:
        values = [value.item() if isinstance(value, np.generic) else value for value in self.values]
        # One text for all of them: a file would keep every category as an object of its own.
        plain = all(isinstance(value, str | int | float) for value in values)
        return {"n_declared": len(self.declared), "values": json.dumps(values) if plain else self.values}

    def __setstate__(self, state: dict[str, Any]) -> None:
        values, n_declared = state["values"], state["n_declared"]
        if isinstance(values, str):
            values = json.loads(values)
            if not all(isinstance(value, str | int | float) and not is_missing(value) for value in values):
                raise ValueError("Categories are text or numbers.")
        self.declared = values[:n_declared]
        self.values = values
        self.code = {value: code for code, value in enumerate(values)}
        if len(self.declared) != n_declared:
            raise ValueError("There are fewer categories than were declared.")
        self.check_state()

    def check_state(self) -> None:
        """Raise ValueError if the categories do not fit together."""
        if len(self.code) != len(self.values) or self.values[: len(self.declared)] != self.declared:
            raise ValueError("Categories are distinct, and those that were declared come first.")


def _kind(value: Any) -> str:
    return "text" if isinstance(value, str) else "numbers"


def _sorted(values: Any) -> list[Any]:
    distinct = list(set(values))
    try:
        return sorted(distinct)
    except TypeError:  # text beside numbers has no order of its own
        return sorted(distinct, key=lambda value: (type(value).__name__, str(value)))


def categories_of(raw: RawColumn, name: str) -> Categories:
    if raw.codes is not None:
        assert raw.declared is not None
        return Categories(raw.declared, [])
    assert raw.values is not None
    try:
        return Categories(raw.declared or [], [value for value in set(raw.values) if not is_missing(value)])
    except TypeError:
        raise TypeError(_not_a_value(raw, name)) from None


def encode_objects(raw: RawColumn, known: Categories, name: str) -> NDArray[np.int32]:
    code = known.code
    if raw.codes is not None:
        assert raw.declared is not None
        table = np.array([*(code.get(value, -1) for value in raw.declared), -1], dtype=np.int32)
        codes = table[raw.codes]
        seen = [raw.declared[k] for k in np.unique(raw.codes) if k >= 0] if (codes < 0).all() else []
    else:
        assert raw.values is not None
        try:
            codes = np.fromiter((code.get(value, -1) for value in raw.values), np.int32, len(raw.values))
        except TypeError:
            raise TypeError(_not_a_value(raw, name)) from None
        seen = [value for value in raw.values if not is_missing(value)] if (codes < 0).all() else []
    if seen and known.values:
        now, then = {_kind(value) for value in seen}, known.kinds()
        if not now & then:
            raise kind_changed(name, then.pop(), now.pop(), seen[0])
    return codes


def kind_changed(name: str, then: str, now: str, example: Any) -> ValueError:
    return ValueError(
        f"Column {name} held {then} when the model was fitted but now holds {now}, such as {example!r}. "
        f"Convert the column back to {then}, or fit again."
    )


def _not_a_value(raw: RawColumn, name: str) -> str:
    assert raw.values is not None
    example = next(value for value in raw.values if getattr(type(value), "__hash__", None) is None)
    return f"Column {name} holds {example!r}: a value argument must be a string or a number."


def search_numbers(numbers: NDArray[np.float64], known: Categories) -> NDArray[np.int32]:
    """Codes among categories that are any numbers."""
    pairs = sorted((float(value), code) for value, code in known.code.items() if _kind(value) == "numbers")
    if not pairs:
        return np.full(len(numbers), -1, dtype=np.int32)
    values, codes = (
        np.array([pair[0] for pair in pairs]),
        np.array([pair[1] for pair in pairs], dtype=np.int32),
    )
    at = np.minimum(np.searchsorted(values, numbers), len(values) - 1)
    return np.where(values[at] == numbers, codes[at], np.int32(-1))
