"""Distinct rows of codes and numbers."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unnaive.counts.kept_rows import KeptRows, row_hashes
from unnaive.counts.statistic import Growth
from unnaive.encoding.categories import Rows


def drawn(seed, n_rows):
    rng = np.random.default_rng(seed)
    numbers = rng.integers(2, size=(n_rows, 2)) / 2
    numbers[rng.random(numbers.shape) < 0.2] = np.nan
    rows = Rows(rng.integers(-1, 2, (n_rows, 2)).astype(np.int32), numbers)
    return rows, rng.integers(2, size=n_rows), rng.choice([1.0, 2.0, 3.0, 0.5, 1.5], n_rows)


def counted(rows, classes, weights):
    total = Counter()
    for codes, numbers, y, w in zip(rows.codes.tolist(), rows.numbers.tolist(), classes.tolist(), weights.tolist()):
        total[repr((codes, numbers, y))] += w
    return +total


def content(kept):
    return counted(Rows(kept.codes, kept.numbers), kept.classes, kept.weights)


def kept_of(*parts):
    kept = KeptRows(np.array([2, 2]), 2, 2)
    for part in parts:
        kept.add(*part)
    return kept


def arrays(parts):
    return [parts] if isinstance(parts, np.ndarray) else [array for part in parts for array in arrays(part)]


def same(one, other):
    for mine, theirs in zip(arrays(one.counted()), arrays(other.counted()), strict=True):
        assert mine.dtype == theirs.dtype
        np.testing.assert_array_equal(mine, theirs)


@given(st.integers(0, 2**32 - 1), st.integers(0, 30), st.integers(1, 30))
def test_rows_add_up_in_any_order_and_come_apart_again(seed, n_one, n_other):
    one, other = drawn(seed, n_one), drawn(seed + 1, n_other)
    both = kept_of(one, other)
    assert content(both) == counted(*one) + counted(*other)
    same(both, kept_of(other, one))
    merged = kept_of(one)
    merged.merge(kept_of(other))
    same(merged, both)
    assert both.contains(kept_of(other))
    both.subtract(kept_of(other))
    same(both, kept_of(one))
    np.testing.assert_array_equal(both.class_count, np.bincount(one[1], one[2], 2))


def test_what_is_not_there_is_not_contained():
    rows, classes, weights = drawn(0, 20)
    kept = kept_of((rows, classes, weights))
    assert not kept.contains(kept_of((rows[:1], 1 - classes[:1], weights[:1] * 100)))
    assert not kept.contains(kept_of((rows, classes, weights * 2)))


def test_minus_zero_is_zero():
    one, other = (Rows(np.empty((1, 0), np.int32), np.array([[zero]])) for zero in (0.0, -0.0))
    kept = KeptRows(np.empty(0, np.int64), 1, 1)
    kept.add(one, np.array([0]), np.ones(1))
    kept.add(other, np.array([0]), np.ones(1))
    assert kept.weights.tolist() == [2.0]


def test_rows_grow_with_their_categories_and_classes():
    rows, classes, weights = drawn(1, 30)
    new_codes = [np.array([1, 2]), None]
    grown = kept_of((rows, classes, weights)).grown(
        Growth(np.array([3, 2]), np.ones(2, bool), new_codes, 3, np.array([0, 2]))
    )
    codes = rows.codes.copy()
    codes[:, 0] = np.where(codes[:, 0] < 0, -1, codes[:, 0] + 1)
    assert content(grown) == counted(Rows(codes, rows.numbers), 2 * classes, weights)


def test_rows_of_the_same_hash_are_told_apart(monkeypatch):
    monkeypatch.setattr("unnaive.counts.kept_rows._hashes", lambda columns, _: np.zeros(len(columns[0]), np.uint64))
    one, other = drawn(3, 20), drawn(4, 30)
    both = kept_of(one, other)
    assert content(both) == counted(*one) + counted(*other)
    assert both.contains(kept_of(one))
    both.subtract(kept_of(other))
    assert content(both) == counted(*one)
    assert not both.contains(kept_of(one, one))


def test_values_that_no_row_has_any_more_leave_no_trace():
    kept = kept_of(drawn(0, 20))
    kept.subtract(kept_of(drawn(0, 20)))
    same(kept, kept_of())


def test_a_row_takes_few_bytes():
    rng = np.random.default_rng(0)
    n_rows = 50_000
    rows = Rows(rng.integers(10, size=(n_rows, 10)).astype(np.int32), rng.integers(4000, size=(n_rows, 10)) / 8)
    kept = KeptRows(np.full(10, 10), 10, 3)
    kept.add(rows, rng.integers(3, size=n_rows), np.ones(n_rows))
    of_values = 10 * 4000 * 8 + 8
    assert sum(array.nbytes for array in arrays(kept.counted())) == of_values + n_rows * (10 + 2 * 10 + 1 + 1 + 1)


def test_hashes_differ_where_rows_differ():
    codes = np.array([[i, j] for i in range(-1, 60) for j in range(-1, 60)], np.int32)
    hashes = row_hashes(codes, np.zeros((len(codes), 1), np.int64), np.zeros(len(codes), np.int32))
    assert len(set(hashes.tolist())) == len(codes)
    # As good as random: about half of the bits are set.
    assert abs(np.unpackbits(hashes.view(np.uint8)).mean() - 0.5) < 0.01


@pytest.mark.parametrize(
    "change",
    [
        lambda parts: parts[0].__setitem__(0, parts[0][0] + np.uint8(5)),
        lambda parts: parts[0].__setitem__(2, parts[0][2] + np.uint8(5)),
        lambda parts: parts[0].__setitem__(0, parts[0][0].astype(np.int64)),
        lambda parts: parts[0].__setitem__(0, parts[0][0][:-1]),
        lambda parts: parts[0].pop(),
        lambda parts: parts[1].pop(),
        lambda parts: parts[1].__setitem__(0, parts[1][0] + np.inf),
        lambda parts: parts[1].__setitem__(0, parts[1][0][::-1]),
        lambda parts: parts.__setitem__(2, parts[2] + np.uint8(2)),
        lambda parts: parts.__setitem__(3, parts[3] + np.uint8(9)),
        lambda parts: parts.__setitem__(4, -parts[4][::-1]),
        lambda parts: parts.__setitem__(4, parts[4] * np.nan),
        lambda parts: parts.__setitem__(5, parts[5] * np.uint8(0)),
        lambda parts: parts.__setitem__(5, parts[5].astype(float)),
    ],
)
def test_impossible_rows_are_refused(change):
    kept = kept_of(drawn(0, 20))
    same_rows = kept.empty()
    same_rows.recount(kept.counted())
    same(same_rows, kept)
    parts = kept.counted()
    change(parts)
    with pytest.raises(ValueError, match=r"[Rr]ows"):
        kept.empty().recount(parts)
