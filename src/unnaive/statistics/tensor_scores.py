"""Scores of Bat (Liu et al.) from sparse counts: what a tensor of nothing but defaults scores, and what differs.

With x_p the value of a parent cell, N the counts of a class y and v_c the number of values of cell c,

    S(p) = P(y, x_p) Π_{c shares a dimension with p} P(x_c | y, x_p) Π_{other c ≠ p} P(x_c | y)

is naive Bayes' Π_c P(x_c | y) times P(y, x_p) / P(x_p | y) times the ratios P(x_c | y, x_p) / P(x_c | y) of the cells
that share a dimension with p. The product of these ratios over cells with their defaults is prepared for every value
of every parent. A cell with another value b changes it by

    (N(x_p, b) + 1) / (N(x_p, 0) + 1) · (N(0) + 1) / (N(b) + 1)

in which v_c has cancelled. Cells that held their default in all of training have ratios of one; as parents they all
have the same score, that of naive Bayes.
"""

from __future__ import annotations

from math import prod
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from unnaive.statistics.tensor_counts import CodedTensors
from unnaive.statistics.tensor_neighbours import (
    find_neighbours,
    find_pairs,
    indices_of,
    most_nearby,
    most_pairs,
    sizes_of_groups,
)
from unnaive.statistics.tensor_tables import TensorTables, log_after, scatter

_BLOCK_BYTES = 1 << 25  # scores of parents that are held at a time
_MOST_ROWS = 512
_SAFE_RANGE = 600.0  # exp(-745) is zero


class Averaged(NamedTuple):
    """The parents of an average, and what those amount to that no item has changed."""

    cell: NDArray[np.int64]
    parent_of: NDArray[np.int64]  # the place of every cell among the parents, or -1
    weight: NDArray[np.float64]
    largest: NDArray[np.float64]  # of the scores of parents with their default
    share: NDArray[np.float64]  # weight times exp(score - largest)
    in_range: bool  # whether no share is lost to underflow
    constant_weight: float
    n_constant: int


def score_tensors(
    tensors: CodedTensors, tables: TensorTables, weight: NDArray[np.float64], constant_weight: float, part: slice
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Joint log scores of some of the tensors, averaged over parents.

    Parameters
    ----------
    tensors : CodedTensors
    tables : TensorTables
    weight : ndarray of shape (n_cells_of_tables,)
        Weights of the parents.
    constant_weight : float
        Weight of each cell that held its default in all of training.
    part : slice
        Which tensors, without a step.

    Returns
    -------
    scores : ndarray of shape (n_tensors, n_classes)
    lacking : ndarray of bool
        Which tensors have no parent of any weight whose value occurred in training: they are scored by naive Bayes.
    """
    n_classes = len(tables.class_count)
    scores = np.empty((part.stop - part.start, n_classes))
    lacking = np.zeros(len(scores), dtype=bool)
    parents = np.flatnonzero(weight > 0)
    parent_of = np.full(len(weight), -1, dtype=np.int64)
    parent_of[parents] = np.arange(len(parents))
    averaged = Averaged(
        parents,
        parent_of,
        weight[parents],
        *_parents_with_defaults(tables.default_open[parents], weight[parents]),
        constant_weight,
        prod(tensors.mode_sizes) - len(tables.cells),
    )
    n_rows = int(np.clip(_BLOCK_BYTES // max(1, 8 * n_classes * len(parents)), 1, _MOST_ROWS))
    nearby, widest = most_nearby(tensors.mode_sizes), max(sizes_of_groups(tensors.mode_sizes))
    for first in range(part.start, part.stop, n_rows):
        stop = min(first + n_rows, part.stop)
        items = slice(int(tensors.indptr[first]), int(tensors.indptr[stop]))
        cells = tensors.cells[items]
        entries = cells * tensors.width + tensors.codes[items]
        order = np.argsort(entries, kind="stable")
        _, starts = np.unique(entries[order], return_index=True)
        block = slice(first - part.start, stop - part.start)
        _score_block(
            tables,
            averaged,
            tensors.indptr[first : stop + 1] - items.start,
            _places(tables.cells, cells),
            _places(tables.entries, entries),
            indices_of(cells, tensors.mode_sizes),
            order,
            np.append(starts, len(order)),
            nearby,
            widest,
            scores[block],
            lacking[block],
        )
    return scores, lacking


def _parents_with_defaults(
    opened: NDArray[np.float64], weight: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], bool]:
    possible = np.isfinite(opened)
    largest = opened.max(axis=0, initial=-np.inf)
    largest[~possible.any(axis=0)] = 0.0
    in_range = bool((opened > largest - _SAFE_RANGE)[possible].all())
    return largest, weight[:, None] * np.exp(opened - largest), in_range


def _places(known: NDArray[np.int64], keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where keys are among those known, -1 if they are not."""
    if not len(known):
        return np.full(len(keys), -1, dtype=np.int64)
    places = np.minimum(np.searchsorted(known, keys), len(known) - 1)
    return np.where(known[places] == keys, places, -1)


@njit(cache=True, nogil=True)
def _find(table, owner, partner):
    """The place of a partner beside its owner, -1 if it is not there."""
    low, high = table.starts[owner], table.starts[owner + 1]
    while low < high:
        middle = (low + high) // 2
        if table.partner[middle] < partner:
            low = middle + 1
        else:
            high = middle
    return low if low < table.starts[owner + 1] and table.partner[low] == partner else -1


@njit(cache=True, nogil=True)
def _score_block(tables, averaged, row_starts, cells, entries, indices, order, starts, nearby, widest, scores, lacking):
    parents, parent_of = averaged.cell, averaged.parent_of
    n_rows, n_classes = scores.shape
    opened = np.empty((n_rows, parents.shape[0], n_classes))
    changed = np.full((n_rows, parents.shape[0]), not averaged.in_range)
    row_of = np.empty(cells.shape[0], np.int64)
    longest = 0
    for row in range(n_rows):
        for j in range(parents.shape[0]):
            for y in range(n_classes):
                opened[row, j, y] = tables.default_open[parents[j], y]
        for item in range(row_starts[row], row_starts[row + 1]):
            row_of[item] = row
        longest = max(longest, row_starts[row + 1] - row_starts[row])
    # log (N(b) + 1) / (N(0) + 1) of every item: what naive Bayes makes of it.
    naive_change = np.empty((cells.shape[0], n_classes))
    _correct_default_parents(
        tables, parent_of, row_of, cells, entries, indices, order, starts, opened, changed, naive_change
    )
    room = most_pairs(longest, nearby)
    one, other = np.empty(room, np.int64), np.empty(room, np.int64)
    last = np.full((indices.shape[0], widest), -1, np.int64)
    before = np.empty(longest, np.int64)
    naive = np.empty(n_classes)
    for row in range(n_rows):
        start, stop = row_starts[row], row_starts[row + 1]
        for y in range(n_classes):
            naive[y] = tables.nothing[y]
        n_left = averaged.n_constant
        for item in range(start, stop):
            n_left -= cells[item] < 0
            parent = parent_of[cells[item]] if cells[item] >= 0 else -1
            if parent >= 0:
                changed[row, parent] = True
            for y in range(n_classes):
                naive[y] += naive_change[item, y]
                if parent >= 0:
                    # A value that never occurred is no parent.
                    opened[row, parent, y] = tables.entry_open[entries[item], y] if entries[item] >= 0 else -np.inf
        n_found = find_pairs(indices, start, stop, last, before, one, other)
        for pair in range(n_found):
            _correct_pair(tables, parent_of, cells, entries, one[pair], other[pair], naive_change, opened[row])
        constant_weight = averaged.constant_weight * n_left
        lacking[row] = _average(
            averaged, opened[row], changed[row], tables.constant_open, constant_weight, naive, scores[row]
        )


@njit(cache=True, nogil=True)
def _correct_default_parents(
    tables, parent_of, row_of, cells, entries, indices, order, starts, opened, changed, naive_change
):
    """What cells that do not hold their default change in parents that do, a value of a cell at a time."""
    n_cells, n_classes = tables.other_count.shape
    logs = tables.logs
    neighbours = np.empty(n_cells, np.int64)
    with_entry = np.zeros((n_cells, n_classes))
    with_cell = np.zeros((n_cells, n_classes))
    change = np.empty((n_cells, n_classes))
    held, default, naive = np.empty(n_classes), np.empty(n_classes), np.empty(n_classes)
    for distinct in range(starts.shape[0] - 1):
        item = order[starts[distinct]]
        cell, entry = cells[item], entries[item]
        n_found = find_neighbours(tables.groups, indices, item, cell, neighbours)
        if entry >= 0:
            scatter(tables.cells_beside, entry, with_entry)
        if cell >= 0:
            scatter(tables.both_other, cell, with_cell)
        for y in range(n_classes):
            held[y] = tables.entry_count[entry, y] if entry >= 0 else 0.0
            default[y] = max(tables.class_count[y] - (tables.other_count[cell, y] if cell >= 0 else 0.0), 0.0)
            naive[y] = log_after(logs, held[y]) - log_after(logs, default[y])
        n_kept = 0
        for place in range(n_found):
            p = neighbours[place]
            if parent_of[p] >= 0:
                for y in range(n_classes):
                    both = held[y] - with_entry[p, y]
                    neither = default[y] - tables.other_count[p, y] + with_cell[p, y]
                    change[n_kept, y] = log_after(logs, both) - log_after(logs, neither) - naive[y]
                neighbours[n_kept] = parent_of[p]
                n_kept += 1
            for y in range(n_classes):
                with_entry[p, y] = 0.0
                with_cell[p, y] = 0.0
        for place in range(starts[distinct], starts[distinct + 1]):
            row = row_of[order[place]]
            mine = opened[row]
            for y in range(n_classes):
                naive_change[order[place], y] = naive[y]
            for j in range(n_kept):
                changed[row, neighbours[j]] = True
                for y in range(n_classes):
                    mine[neighbours[j], y] += change[j, y]


@njit(cache=True, nogil=True)
def _correct_pair(tables, parent_of, cells, entries, one, other, naive_change, opened):
    """What two items that share a dimension change in each other as parents."""
    both = -1
    if entries[one] >= 0 and entries[other] >= 0:
        both = _find(tables.entries_beside, entries[one], entries[other])
    for parent, child in ((one, other), (other, one)):
        entry, cell = entries[parent], cells[child]
        if entry < 0 or parent_of[cells[parent]] < 0:
            continue
        mine = opened[parent_of[cells[parent]]]
        beside = _find(tables.cells_beside, entry, cell) if cell >= 0 else -1
        for y in range(mine.shape[0]):
            together = tables.entries_beside.counts[both, y] if both >= 0 else 0.0
            apart = tables.entry_count[entry, y] - (tables.cells_beside.counts[beside, y] if beside >= 0 else 0.0)
            mine[y] += log_after(tables.logs, together) - log_after(tables.logs, apart) - naive_change[child, y]


@njit(cache=True, nogil=True)
def _average(averaged, opened, changed, constant_open, constant_weight, naive, out):
    """The weighted average over parents, in logarithms; whether there is none, so that naive Bayes has to do."""
    n_parents = opened.shape[0]
    total = constant_weight
    for j in range(n_parents):
        if opened[j, 0] > -np.inf:
            total += averaged.weight[j]
    if total == 0.0:
        for y in range(out.shape[0]):
            out[y] = naive[y] + constant_open[y]
        return True
    for y in range(out.shape[0]):
        largest = constant_open[y] if constant_weight > 0.0 else -np.inf
        unchanged = 0.0
        for j in range(n_parents):
            if changed[j]:
                largest = max(largest, opened[j, y])
            else:
                unchanged += averaged.share[j, y]
        if unchanged > 0.0:
            largest = max(largest, averaged.largest[y])
        score = constant_weight * np.exp(constant_open[y] - largest)
        score += unchanged * np.exp(averaged.largest[y] - largest) if unchanged > 0.0 else 0.0
        for j in range(n_parents):
            if changed[j]:
                score += averaged.weight[j] * np.exp(opened[j, y] - largest)
        out[y] = naive[y] + largest + np.log(score / total)
    return False
