"""Closed frequent patterns of items, mined from bit sets of rows, and where they occur.

A pattern is a set of items, its support is the number of rows that have all of them, and it is closed if no larger
pattern has the same support. Every closed pattern but the smallest is reached from exactly one other by adding an item
and then all that always comes with it (prefix-preserving closure extension; Uno et al., "LCM ver. 2", 2004), so no list
of patterns seen has to be searched.

Among the Python packages for this, PyFIM is faster, but comes as C sources to be compiled and takes no limit on time or
on the number of patterns; scikit-mine's LCM does not run with the scikit-learn of today; mlxtend mines all frequent
patterns or the maximal ones, but not the closed ones.
"""

from __future__ import annotations

import time
from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numba import njit
from numpy.typing import NDArray

_CHUNK = 32  # patterns that a thread extends in one go
_BATCH = 256  # patterns that are extended before the most frequent ones are looked for again


class ClosedPatterns(NamedTuple):
    """Patterns, the most frequent first, then the shorter, then by their items.

    Attributes
    ----------
    items : ndarray of int32
        The items of all patterns one after the other, ascending within a pattern.
    starts : ndarray of int64 of shape (n_patterns + 1,)
        Where the items of each pattern begin.
    supports : ndarray of int64 of shape (n_patterns,)
    complete_above : int
        Every pattern with a higher support was found.
    stopped_by : str or None
        The limit that stopped mining, if one did. The patterns found are closed and their supports right all the same.
    """

    items: NDArray[np.int32]
    starts: NDArray[np.int64]
    supports: NDArray[np.int64]
    complete_above: int
    stopped_by: str | None


class _Node(NamedTuple):
    items: NDArray[np.int32]
    added: int  # the item that led to it
    support: int


def rows_of_items(codes: NDArray[np.int32], n_values: NDArray[np.int64]) -> NDArray[np.uint64]:
    """The rows that have each item, as bits.

    Parameters
    ----------
    codes : ndarray of int32 of shape (n_rows, n_columns)
        -1 for a missing value, which is no item.
    n_values : ndarray of int64 of shape (n_columns,)
        Items are numbered column by column: the values of the first, then those of the second, ...

    Returns
    -------
    ndarray of uint64 of shape (n_items, n_words)
        Row r is bit r % 64 of word r // 64.

    Examples
    --------
    >>> import numpy as np
    >>> from unnaive.tensors.closed_patterns import rows_of_items
    >>> rows_of_items(np.array([[0], [1], [0], [-1]], dtype=np.int32), np.array([2])).tolist()
    [[5], [2]]
    """
    first_item = np.concatenate([[0], np.cumsum(n_values)])
    return _pack(np.ascontiguousarray(codes), first_item.astype(np.int64))


def mine_closed_patterns(
    rows: NDArray[np.uint64],
    n_rows: int,
    min_count: int,
    *,
    max_length: int | None = None,
    max_mined: int | None = None,
    max_seconds: float | None = None,
    n_jobs: int | None = None,
) -> ClosedPatterns:
    """All patterns of one item or more that are in enough rows and that no larger pattern matches in support.

    Parameters
    ----------
    rows : ndarray of uint64 of shape (n_items, n_words)
        What :func:`rows_of_items` gives.
    n_rows : int
    min_count : int
        The least support, 1 or more.
    max_length : int, optional
        Longer patterns are left out. Whether a pattern is closed does not depend on it.
    max_mined : int, optional
        Keep this many, the most frequent ones, and look for no others if there are more.
    max_seconds : float, optional
        Stop after this time.
    n_jobs : int, optional
        Number of threads; the answer does not depend on it.

    Returns
    -------
    ClosedPatterns

    Examples
    --------
    Of three rows, all have item 0, two have items 0 and 1, and one has items 0 and 2.

    >>> import numpy as np
    >>> from unnaive.tensors.closed_patterns import mine_closed_patterns
    >>> found = mine_closed_patterns(np.array([[0b111], [0b011], [0b100]], dtype=np.uint64), 3, 1)
    >>> [part.tolist() for part in np.split(found.items, found.starts[1:-1])], found.supports.tolist()
    ([[0], [0, 1], [0, 2]], [3, 2, 1])
    """
    begin = time.monotonic()
    support_of_item = _count_bits(rows)
    frequent = np.flatnonzero(support_of_item >= min_count).astype(np.int32)
    rows = np.ascontiguousarray(rows[frequent])
    longest = len(frequent) if max_length is None else max_length
    nodes: list[_Node] = []
    waiting: list[tuple[int, int]] = []  # the most frequent first
    with_support = np.zeros(n_rows + 1, dtype=np.int64)  # how many patterns
    everywhere = np.flatnonzero(support_of_item[frequent] == n_rows).astype(np.int32)
    new = [_Node(everywhere, -1, n_rows)] if len(frequent) and len(everywhere) <= longest else []
    least, out_of_time = min_count, False
    with Parallel(n_jobs=n_jobs, prefer="threads") as parallel:
        while True:
            for node in new:
                heappush(waiting, (-node.support, len(nodes)))
                nodes.append(node)
                with_support[node.support] += len(node.items) > 0
            if max_mined is not None:
                # With so many above it, a support is too low for any pattern to be kept.
                at_least = np.cumsum(with_support[::-1])[::-1]
                least = max(least, int(np.flatnonzero(at_least > max_mined).max(initial=0)))
            # A larger closed pattern has a lower support.
            batch: list[_Node] = []
            while waiting and len(batch) < _BATCH and -waiting[0][0] > least:
                batch.append(nodes[heappop(waiting)[1]])
            if max_seconds is not None and batch and len(nodes) > 1:  # the first step is always made
                out_of_time = time.monotonic() - begin > max_seconds
            if not batch or out_of_time:
                break
            chunks = [batch[at : at + _CHUNK] for at in range(0, len(batch), _CHUNK)]
            parts = parallel(delayed(_extensions)(chunk, rows, least, longest) for chunk in chunks)
            new = [node for part in parts for node in part]
    found = sorted((-node.support, len(node.items), frequent[node.items].tolist()) for node in nodes if len(node.items))
    complete_above, stopped_by = min_count - 1, None
    if out_of_time:
        complete_above, stopped_by = batch[0].support - 1, f"max_seconds={max_seconds:g}"
    if max_mined is not None and len(found) > max_mined:
        complete_above = max(complete_above, -found[max_mined][0])
        stopped_by = stopped_by or f"max_mined={max_mined}"
        found = found[:max_mined]
    return ClosedPatterns(
        np.array([item for _, _, items in found for item in items], dtype=np.int32),
        np.cumsum([0] + [length for _, length, _ in found], dtype=np.int64),
        np.array([-support for support, _, _ in found], dtype=np.int64),
        complete_above,
        stopped_by,
    )


def support_in_classes(
    rows: NDArray[np.uint64], patterns: ClosedPatterns, rows_of_class: NDArray[np.uint64]
) -> NDArray[np.int64]:
    """How many rows of each class have each pattern.

    Parameters
    ----------
    rows : ndarray of uint64 of shape (n_items, n_words)
    patterns : ClosedPatterns
    rows_of_class : ndarray of uint64 of shape (n_classes, n_words)
        What :func:`rows_of_items` gives for the classes as a column.

    Returns
    -------
    ndarray of int64 of shape (n_classes, n_patterns)

    Examples
    --------
    >>> import numpy as np
    >>> from unnaive.tensors.closed_patterns import mine_closed_patterns, support_in_classes
    >>> rows = np.array([[0b111], [0b011]], dtype=np.uint64)
    >>> support_in_classes(rows, mine_closed_patterns(rows, 3, 1), np.array([[0b001], [0b110]], dtype=np.uint64))
    array([[1, 1],
           [2, 1]])
    """
    return _support_in_classes(rows, patterns.items, patterns.starts, rows_of_class)


def find_patterns(
    codes: NDArray[np.int32], columns: NDArray[np.int64], values: NDArray[np.int32], starts: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Which patterns each row has.

    Parameters
    ----------
    codes : ndarray of int32 of shape (n_rows, n_columns)
    columns, values : ndarray of shape (n_items,)
        The items of all patterns one after the other.
    starts : ndarray of int64 of shape (n_patterns + 1,)
        Where the items of each pattern begin.

    Returns
    -------
    indptr : ndarray of int64 of shape (n_rows + 1,)
    patterns : ndarray of int64
        Row by row, in their order.

    Examples
    --------
    Two patterns of one item each; the second row has both.

    >>> import numpy as np
    >>> from unnaive.tensors.closed_patterns import find_patterns
    >>> codes = np.array([[0, 0], [0, 1]], dtype=np.int32)
    >>> find_patterns(codes, np.array([0, 1]), np.array([0, 1], dtype=np.int32), np.array([0, 1, 2]))
    (array([0, 1, 3]), array([0, 0, 1]))
    """
    return _find_patterns(np.ascontiguousarray(codes), columns, values, starts)


def outer_cells(
    indptr: NDArray[np.int64], members: NDArray[np.int64], size: int, n_modes: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The cells (i, ..., j) of which all indices are members of a set, for many sets.

    Parameters
    ----------
    indptr : ndarray of int64 of shape (n_sets + 1,)
        Where the members of each set begin.
    members : ndarray of int64
        Numbers from 0 to ``size`` - 1, ascending within a set.
    size : int
        Of every mode.
    n_modes : int

    Returns
    -------
    indptr : ndarray of int64 of shape (n_sets + 1,)
    cells : ndarray of int64
        Their numbers in C order, set by set.

    Examples
    --------
    >>> import numpy as np
    >>> from unnaive.tensors.closed_patterns import outer_cells
    >>> outer_cells(np.array([0, 1, 3]), np.array([1, 0, 2]), 3, 2)
    (array([0, 1, 5]), array([4, 0, 2, 6, 8]))
    """
    ends = np.concatenate([[0], np.cumsum(np.diff(indptr) ** n_modes)])
    return ends, _outer_cells(indptr, members, size, n_modes, ends)


def _extensions(
    nodes: list[_Node],
    rows: NDArray[np.uint64],
    min_count: int,
    max_length: int,
) -> list[_Node]:
    """All that is reached from some patterns in one step."""
    items = np.concatenate([node.items for node in nodes])
    starts = np.cumsum([0] + [len(node.items) for node in nodes])
    added = np.array([node.added for node in nodes])
    items, starts, added, supports = _extend(rows, items, starts, added, min_count, max_length)
    parts = np.split(items, starts[1:-1])
    return [_Node(*node) for node in zip(parts, added.tolist(), supports.tolist())]


@njit(cache=True, nogil=True)
def _pack(codes, first_item):
    n_rows, n_columns = codes.shape
    rows = np.zeros((first_item[-1], (n_rows + 63) // 64), dtype=np.uint64)
    for row in range(n_rows):
        bit = np.uint64(1) << np.uint64(row % 64)
        for column in range(n_columns):
            if codes[row, column] >= 0:
                rows[first_item[column] + codes[row, column], row // 64] |= bit
    return rows


@njit(cache=True, nogil=True)
def _ones(word):
    """Number of bits that are set, added up in pairs, then fours, then bytes, and so on."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    word = word + (word >> np.uint64(8))
    word = word + (word >> np.uint64(16))
    return np.int64((word + (word >> np.uint64(32))) & np.uint64(0x7F))


@njit(cache=True, nogil=True)
def _count_bits(rows):
    counts = np.zeros(len(rows), dtype=np.int64)
    for item in range(len(rows)):
        for word in range(rows.shape[1]):
            counts[item] += _ones(rows[item, word])
    return counts


@njit(cache=True, nogil=True)
def _all_of(rows, items):
    """The rows that have all of some items; bits of no row are set only if there are no items."""
    common = np.empty(rows.shape[1], dtype=np.uint64)
    common[:] = ~np.uint64(0)
    for item in items:
        common &= rows[item]
    return common


@njit(cache=True, nogil=True)
def _is_within(part, whole):
    word = 0
    while word < len(part) and part[word] & ~whole[word] == 0:
        word += 1
    return word == len(part)


@njit(cache=True, nogil=True)
def _extend(rows, items, starts, last_added, min_count, max_length):
    """Closed patterns reached from others by an item above the one added last that brings in none below itself."""
    n_items, n_words = rows.shape
    new_items = np.empty(1024, dtype=np.int32)
    new_starts, new_added, new_support = [0], [0][:0], [0][:0]
    counts = np.empty(n_items, dtype=np.int64)
    inside = np.empty(n_items, dtype=np.bool_)
    closure = np.empty(n_items, dtype=np.int32)
    narrowed = np.empty(n_words, dtype=np.uint64)
    n_used = 0
    for node in range(len(last_added)):
        known = items[starts[node] : starts[node + 1]]
        if len(known) >= max_length:
            continue
        common = _all_of(rows, known)
        inside[:] = False
        for item in known:
            inside[item] = True
        for item in range(n_items):
            counts[item] = 0
            for word in range(n_words):
                counts[item] += _ones(common[word] & rows[item, word])
        for added in range(last_added[node] + 1, n_items):
            support = counts[added]
            if inside[added] or support < min_count:
                continue
            for word in range(n_words):
                narrowed[word] = common[word] & rows[added, word]
            length = 0
            for item in range(n_items):
                if not (inside[item] or item == added):
                    if counts[item] < support or not _is_within(narrowed, rows[item]):
                        continue
                    if item < added:  # the same pattern is reached by that item
                        length = max_length + 1
                if length >= max_length:
                    length = max_length + 1
                    break
                closure[length] = item
                length += 1
            if length > max_length:
                continue
            while n_used + length > len(new_items):
                new_items = np.concatenate((new_items, np.empty_like(new_items)))
            new_items[n_used : n_used + length] = closure[:length]
            n_used += length
            new_starts.append(n_used)
            new_added.append(added)
            new_support.append(support)
    return new_items[:n_used].copy(), np.array(new_starts), np.array(new_added), np.array(new_support)


@njit(cache=True, nogil=True)
def _support_in_classes(rows, items, starts, rows_of_class):
    n_classes, n_words = rows_of_class.shape
    supports = np.zeros((n_classes, len(starts) - 1), dtype=np.int64)
    for pattern in range(len(starts) - 1):
        common = _all_of(rows, items[starts[pattern] : starts[pattern + 1]])
        for k in range(n_classes):
            for word in range(n_words):
                supports[k, pattern] += _ones(common[word] & rows_of_class[k, word])
    return supports


@njit(cache=True, nogil=True)
def _find_patterns(codes, columns, values, starts):
    n_rows, n_patterns = len(codes), len(starts) - 1
    indptr = np.zeros(n_rows + 1, dtype=np.int64)
    present = np.empty(max(n_rows, n_patterns), dtype=np.int64)
    n_present = 0
    for row in range(n_rows):
        if n_present + n_patterns > len(present):
            present = np.concatenate((present, np.empty_like(present)))
        for pattern in range(n_patterns):
            at, end = starts[pattern], starts[pattern + 1]
            while at < end and codes[row, columns[at]] == values[at]:
                at += 1
            if at == end:
                present[n_present] = pattern
                n_present += 1
        indptr[row + 1] = n_present
    return indptr, present[:n_present].copy()


@njit(cache=True, nogil=True)
def _outer_cells(indptr, members, size, n_modes, ends):
    cells = np.empty(ends[-1], dtype=np.int64)
    for k in range(len(indptr) - 1):
        n_members, n_cells = indptr[k + 1] - indptr[k], ends[k + 1] - ends[k]
        for at in range(n_cells):  # the digits of the place say which members meet in the cell
            cell, left, digit = 0, at, n_cells
            for _ in range(n_modes):
                digit //= n_members
                cell = cell * size + members[indptr[k] + left // digit]
                left %= digit
            cells[ends[k] + at] = cell
    return cells
