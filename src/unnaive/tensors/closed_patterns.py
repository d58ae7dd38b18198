"""Closed frequent patterns of items, mined from bit sets of rows, and where they occur.

A pattern is a set of items, its support is the number of rows that contain all of them, and it is closed if no larger
pattern has the same support. Every closed pattern but the smallest is reached from exactly one other by adding an item
and then all items that always come with it (prefix-preserving closure extension; Uno et al., "LCM ver. 2", 2004), so no
list of patterns seen is needed.

Alternatives: PyFIM is faster, but is distributed as C sources and has no limit on time or on the number of patterns;
scikit-mine's LCM does not run with current scikit-learn; mlxtend mines all frequent patterns or the maximal ones.
"""

from __future__ import annotations

import time
from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from unnaive.core.compiled import njit

_CHUNK = 32  # patterns that a thread extends at a time
_BITS = 63  # that number the cells of a tensor
MAX_NONZERO = 2**27  # cells made at once: 2 GiB with their values
_FIRST_ROOM = 1 << 10  # new patterns and items; doubled as often as needed
_BATCH = 256  # patterns extended before the most frequent are selected again


class ClosedPatterns(NamedTuple):
    """Patterns, the most frequent first, then the shorter, then by their items.

    The items of pattern p, ascending, are ``items[starts[p]:starts[p + 1]]``. Every pattern with a support above
    ``complete_above`` was found; ``stopped_by`` is the limit that stopped mining, if any. The patterns found are closed
    and their supports correct in any case.
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
    """The rows that contain each item, as bits: row r is bit r % 64 of word r // 64.

    Items are numbered column by column; a code of -1, a missing value, is not an item.
    """
    first_item = np.concatenate([[0], np.cumsum(n_values)])
    rows = np.zeros((first_item[-1], (len(codes) + 63) // 64), np.uint64)
    _pack(np.ascontiguousarray(codes), first_item.astype(np.int64), rows)
    return rows


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
    """All closed patterns with at least one item and a support of ``min_count`` or more.

    ``max_length`` drops longer patterns without making shorter ones closed; only the ``max_mined`` most frequent are
    kept.
    """
    begin = time.monotonic()
    items = np.arange(len(rows), dtype=np.int32)
    everything = np.full((1, rows.shape[1]), ~np.uint64(0))
    support_of_item = _supports(rows, items, np.arange(len(rows) + 1), everything)[0]
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
                # A pattern with more than max_mined above it would not be kept.
                at_least = np.cumsum(with_support[::-1])[::-1]
                least = max(least, int(np.flatnonzero(at_least > max_mined).max(initial=0)))
            # Larger closed patterns have lower support.
            batch: list[_Node] = []
            while waiting and len(batch) < _BATCH and -waiting[0][0] > least:
                batch.append(nodes[heappop(waiting)[1]])
            if max_seconds is not None and batch and len(nodes) > 1:  # at least one batch is extended
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
    """Number of rows of each class that contain each pattern, of shape (n_classes, n_patterns)."""
    return _supports(rows, patterns.items, patterns.starts, rows_of_class)


def find_patterns(
    codes: NDArray[np.int32], columns: NDArray[np.int64], values: NDArray[np.int32], starts: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The patterns in each row, as CSR ``indptr`` and ``indices``."""
    codes = np.ascontiguousarray(codes)
    indptr = np.zeros(len(codes) + 1, np.int64)
    present = np.empty(max(len(codes), len(starts) - 1), np.int64)
    row = 0
    while (row := _find_patterns(codes, columns, values, starts, row, indptr, present)) < len(codes):
        present = np.concatenate((present, np.empty_like(present)))
    return indptr, present[: indptr[-1]].copy()


def check_cells(size: int, n_modes: int, chosen_by: str) -> None:
    """Refuse tensors whose cells cannot be numbered; the parameter ``chosen_by`` decided their size."""
    if n_modes >= _BITS or size**n_modes >= 2**_BITS:
        raise ValueError(
            f"n_modes={n_modes} modes of {size} features each have more cells than 64-bit integers can number. Lower "
            f"n_modes or {chosen_by}."
        )


def outer_cells(
    indptr: NDArray[np.int64], members: NDArray[np.int64], size: int, n_modes: int, chosen_by: str
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The cells (i, ..., j) whose indices are all members of a set, for many sets in CSR form; C order.

    More than ``MAX_NONZERO`` are refused before they are allocated; the parameter ``chosen_by`` decided ``size``.
    """
    check_cells(size, n_modes, chosen_by)
    lengths, times = np.unique(np.diff(indptr), return_counts=True)
    n_nonzero = sum(length**n_modes * n for length, n in zip(lengths.tolist(), times.tolist()))
    if n_nonzero > MAX_NONZERO:
        raise ValueError(
            f"n_modes={n_modes} modes of {size} features each make {n_nonzero:,} nonzero cells, more than the "
            f"{MAX_NONZERO:,} that are made at once. Lower n_modes or {chosen_by}, or transform fewer rows at a time."
        )
    ends = np.concatenate([[0], np.cumsum(np.diff(indptr) ** n_modes)])
    cells = np.empty(ends[-1], np.int64)
    _outer_cells(indptr, members, size, n_modes, ends, cells)
    return ends, cells


def _extensions(
    nodes: list[_Node],
    rows: NDArray[np.uint64],
    min_count: int,
    max_length: int,
) -> list[_Node]:
    """All patterns reached from some patterns in one step."""
    items = np.concatenate([node.items for node in nodes])
    starts = np.cumsum([0] + [len(node.items) for node in nodes])
    added = np.array([node.added for node in nodes])
    new, new_items = np.empty((_FIRST_ROOM, 3), np.int64), np.empty(_FIRST_ROOM, np.int32)
    done = np.zeros(3, np.int64)  # patterns extended, new patterns, and their items
    work = (np.empty((2, rows.shape[1]), np.uint64), np.empty((2, len(rows)), np.int64), np.empty(len(rows), np.bool_))
    while not _extend(rows, items, starts, added, min_count, max_length, done, new, new_items, *work):
        new, new_items = np.tile(new, (2, 1)), np.tile(new_items, 2)
    ends, added, supports = new[: done[1]].T
    parts = np.split(new_items[: done[2]], ends[:-1])
    return [_Node(*node) for node in zip(parts, added.tolist(), supports.tolist())]


def _supports(
    rows: NDArray[np.uint64], items: NDArray[np.int32], starts: NDArray[np.int64], rows_of_class: NDArray[np.uint64]
) -> NDArray[np.int64]:
    """Number of rows of each class that contain all items of each pattern."""
    supports = np.zeros((len(rows_of_class), len(starts) - 1), np.int64)
    _support_in_classes(rows, items, starts, rows_of_class, np.empty(rows.shape[1], np.uint64), supports)
    return supports


@njit(cache=True, nogil=True)
def _pack(codes, first_item, rows):
    n_rows, n_columns = codes.shape
    for row in range(n_rows):
        bit = np.uint64(1) << np.uint64(row % 64)
        for column in range(n_columns):
            if codes[row, column] >= 0:
                rows[first_item[column] + codes[row, column], row // 64] |= bit


@njit(cache=True, nogil=True, inline="always")
def _ones(word):
    """Number of bits set (SWAR popcount)."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    word = word + (word >> np.uint64(8))
    word = word + (word >> np.uint64(16))
    return np.int64((word + (word >> np.uint64(32))) & np.uint64(0x7F))


@njit(cache=True, nogil=True, no_cpython_wrapper=True)
def _find_common(rows, items, begin, end, common):
    """The rows that contain all of some items; bits beyond the last row are set only if there are no items."""
    for word in range(common.shape[0]):
        common[word] = ~np.uint64(0)
    for at in range(begin, end):
        for word in range(common.shape[0]):
            common[word] &= rows[items[at], word]


@njit(cache=True, nogil=True)
def _extend(rows, items, starts, last_added, min_count, max_length, done, new, new_items, both, of_items, inside):
    """Closed patterns reached by an item above the one added last that brings in no item below itself.

    Stop before the pattern for whose extensions there is no room; return whether there was room for all.
    """
    n_items, n_words = rows.shape
    common, narrowed, counts, closure = both[0], both[1], of_items[0], of_items[1]
    for node in range(done[0], len(last_added)):
        n_new, n_used = done[1], done[2]
        begin, end = starts[node], starts[node + 1]
        if end - begin < max_length:
            _find_common(rows, items, begin, end, common)
            for item in range(n_items):
                inside[item] = False
                counts[item] = 0
                for word in range(n_words):
                    counts[item] += _ones(common[word] & rows[item, word])
            for at in range(begin, end):
                inside[items[at]] = True
            for added in range(last_added[node] + 1, n_items):
                support = counts[added]
                if inside[added] or support < min_count:
                    continue
                for word in range(n_words):
                    narrowed[word] = common[word] & rows[added, word]
                length = 0
                for item in range(n_items):
                    if not (inside[item] or item == added):
                        if counts[item] < support:
                            continue
                        word = 0
                        while word < n_words and narrowed[word] & ~rows[item, word] == 0:
                            word += 1
                        if word < n_words:
                            continue
                        if item < added:  # reached by that item instead
                            length = max_length + 1
                    if length >= max_length:
                        length = max_length + 1
                        break
                    closure[length] = item
                    length += 1
                if length > max_length:
                    continue
                if n_new == new.shape[0] or n_used + length > new_items.shape[0]:
                    return False
                for at in range(length):
                    new_items[n_used + at] = closure[at]
                n_used += length
                new[n_new, 0], new[n_new, 1], new[n_new, 2] = n_used, added, support
                n_new += 1
        done[0], done[1], done[2] = node + 1, n_new, n_used
    return True


@njit(cache=True, nogil=True)
def _support_in_classes(rows, items, starts, rows_of_class, common, supports):
    for pattern in range(starts.shape[0] - 1):
        _find_common(rows, items, starts[pattern], starts[pattern + 1], common)
        for k in range(rows_of_class.shape[0]):
            for word in range(common.shape[0]):
                supports[k, pattern] += _ones(common[word] & rows_of_class[k, word])


@njit(cache=True, nogil=True)
def _find_patterns(codes, columns, values, starts, row, indptr, present):
    """Write the patterns of one row after another, as long as there is room; return the next row."""
    n_patterns = starts.shape[0] - 1
    n_present = indptr[row]
    while row < codes.shape[0] and n_present + n_patterns <= present.shape[0]:
        for pattern in range(n_patterns):
            at, end = starts[pattern], starts[pattern + 1]
            while at < end and codes[row, columns[at]] == values[at]:
                at += 1
            if at == end:
                present[n_present] = pattern
                n_present += 1
        row += 1
        indptr[row] = n_present
    return row


@njit(cache=True, nogil=True)
def _outer_cells(indptr, members, size, n_modes, ends, cells):
    for k in range(len(indptr) - 1):
        n_members, n_cells = indptr[k + 1] - indptr[k], ends[k + 1] - ends[k]
        for at in range(n_cells):  # the digits of the position select the members
            cell, left, digit = 0, at, n_cells
            for _ in range(n_modes):
                digit //= n_members
                cell = cell * size + members[indptr[k] + left // digit]
                left %= digit
            cells[ends[k] + at] = cell
