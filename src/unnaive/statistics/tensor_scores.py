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

import numpy as np
from numba import njit
from numpy.typing import NDArray

from unnaive.statistics.tensor_counts import CodedTensors
from unnaive.statistics.tensor_neighbours import find_neighbours, find_pairs, indices_of, sizes_of_groups
from unnaive.statistics.tensor_tables import TensorTables, scatter

_BLOCK_BYTES = 1 << 25  # scores of parents that are held at a time
_MOST_ROWS = 512


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
    n_constant = int(np.prod(tensors.mode_sizes)) - len(tables.cells)
    n_rows = int(np.clip(_BLOCK_BYTES // max(1, 8 * n_classes * len(parents)), 1, _MOST_ROWS))
    widest = max(sizes_of_groups(tensors.mode_sizes))
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
            (parents, parent_of, weight, constant_weight, n_constant),
            tensors.indptr[first : stop + 1] - items.start,
            _places(tables.cells, cells),
            _places(tables.entries, entries),
            indices_of(cells, tensors.mode_sizes),
            order,
            np.append(starts, len(order)),
            widest,
            scores[block],
            lacking[block],
        )
    return scores, lacking


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
def _score_block(tables, averaged, row_starts, cells, entries, indices, order, starts, widest, scores, lacking):
    parents, parent_of, weight, constant_weight, n_constant = averaged
    n_rows, n_classes = scores.shape
    opened = np.empty((n_rows, parents.shape[0], n_classes))
    row_of = np.empty(cells.shape[0], np.int64)
    longest = 0
    for row in range(n_rows):
        for j in range(parents.shape[0]):
            for y in range(n_classes):
                opened[row, j, y] = tables.default_open[parents[j], y]
        for item in range(row_starts[row], row_starts[row + 1]):
            row_of[item] = row
        longest = max(longest, row_starts[row + 1] - row_starts[row])
    # (N(b) + 1) / (N(0) + 1) of every item: what naive Bayes makes of it, and what parents make of it is measured by.
    naive_ratio = np.empty((cells.shape[0], n_classes))
    _correct_default_parents(tables, parent_of, row_of, cells, entries, indices, order, starts, opened, naive_ratio)
    room = longest * (longest - 1) // 2
    one, other = np.empty(room, np.int64), np.empty(room, np.int64)
    last = np.full((indices.shape[0], widest), -1, np.int64)
    before = np.empty(longest, np.int64)
    naive = np.empty(n_classes)
    for row in range(n_rows):
        start, stop = row_starts[row], row_starts[row + 1]
        for y in range(n_classes):
            naive[y] = tables.nothing[y]
        n_left = n_constant
        for item in range(start, stop):
            n_left -= cells[item] < 0
            parent = parent_of[cells[item]] if cells[item] >= 0 else -1
            for y in range(n_classes):
                naive[y] += np.log(naive_ratio[item, y])
                if parent >= 0:
                    # A value that never occurred is no parent.
                    opened[row, parent, y] = tables.entry_open[entries[item], y] if entries[item] >= 0 else -np.inf
        n_found = find_pairs(indices, start, stop, last, before, one, other)
        for pair in range(n_found):
            _correct_pair(tables, parent_of, cells, entries, one[pair], other[pair], naive_ratio, opened[row])
        lacking[row] = _average(
            opened[row], parents, weight, tables.constant_open, constant_weight * n_left, naive, scores[row]
        )


@njit(cache=True, nogil=True)
def _correct_default_parents(tables, parent_of, row_of, cells, entries, indices, order, starts, opened, naive_ratio):
    """What cells that do not hold their default change in parents that do, a value of a cell at a time."""
    n_cells, n_classes = tables.other_count.shape
    neighbours = np.empty(n_cells, np.int64)
    with_entry = np.zeros((n_cells, n_classes))
    with_cell = np.zeros((n_cells, n_classes))
    change = np.empty((n_cells, n_classes))
    held, default, ratio = np.empty(n_classes), np.empty(n_classes), np.empty(n_classes)
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
            ratio[y] = (held[y] + 1.0) / (default[y] + 1.0)
        n_kept = 0
        for place in range(n_found):
            p = neighbours[place]
            if parent_of[p] >= 0:
                for y in range(n_classes):
                    both = held[y] - with_entry[p, y]
                    neither = default[y] - tables.other_count[p, y] + with_cell[p, y]
                    change[n_kept, y] = np.log((max(both, 0.0) + 1.0) / ((max(neither, 0.0) + 1.0) * ratio[y]))
                neighbours[n_kept] = parent_of[p]
                n_kept += 1
            for y in range(n_classes):
                with_entry[p, y] = 0.0
                with_cell[p, y] = 0.0
        for place in range(starts[distinct], starts[distinct + 1]):
            mine = opened[row_of[order[place]]]
            for y in range(n_classes):
                naive_ratio[order[place], y] = ratio[y]
            for j in range(n_kept):
                for y in range(n_classes):
                    mine[neighbours[j], y] += change[j, y]


@njit(cache=True, nogil=True)
def _correct_pair(tables, parent_of, cells, entries, one, other, naive_ratio, opened):
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
            mine[y] += np.log((together + 1.0) / ((max(apart, 0.0) + 1.0) * naive_ratio[child, y]))


@njit(cache=True, nogil=True)
def _average(opened, parents, weight, constant_open, constant_weight, naive, out):
    """The weighted average over parents, in logarithms; whether there is none, so that naive Bayes has to do."""
    total = constant_weight
    for j in range(parents.shape[0]):
        if opened[j, 0] > -np.inf:
            total += weight[parents[j]]
    if total == 0.0:
        for y in range(out.shape[0]):
            out[y] = naive[y] + constant_open[y]
        return True
    for y in range(out.shape[0]):
        largest = constant_open[y] if constant_weight > 0.0 else -np.inf
        for j in range(parents.shape[0]):
            largest = max(largest, opened[j, y])
        score = constant_weight * np.exp(constant_open[y] - largest)
        for j in range(parents.shape[0]):
            score += weight[parents[j]] * np.exp(opened[j, y] - largest)
        out[y] = naive[y] + largest + np.log(score / total)
    return False
