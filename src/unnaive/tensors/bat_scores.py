"""Scores of Bat (Liu et al.) from sparse counts: the score of a tensor of defaults, and the changes to it.

With x_p the value of a parent cell, N the counts of a class y and v_c the number of values of cell c,

    S(p) = P(y, x_p) Π_{c shares a dimension with p} P(x_c | y, x_p) Π_{other c ≠ p} P(x_c | y)

is naive Bayes' Π_c P(x_c | y) times P(y, x_p) / P(x_p | y) times the ratios P(x_c | y, x_p) / P(x_c | y) of the cells
that share a dimension with p. The product of these ratios over cells at their defaults is precomputed for every value
of every parent. A cell with another value b changes it by

    (N(x_p, b) + 1) / (N(x_p, 0) + 1) · (N(0) + 1) / (N(b) + 1)

where v_c has cancelled. Cells that always held their default in training have ratios of one; as parents they all have
the score of naive Bayes.
"""

from __future__ import annotations

from math import prod

import numpy as np
from numpy.typing import NDArray

from unnaive.core.compiled import njit
from unnaive.tensors.bat_changes import TensorTables, begin_change, change_of, count_pairs, no_change
from unnaive.tensors.bat_counts import CodedTensors
from unnaive.tensors.bat_neighbours import find_neighbours, indices_of

_BLOCK_BYTES = 1 << 21  # of parents' scores at a time, so that they stay in cache
_MAX_ROWS = 512
_SAFE_RANGE = 600.0  # exp(-745) is zero


def score_tensors(
    tensors: CodedTensors, tables: TensorTables, weight: NDArray[np.float64], constant_weight: float, part: slice
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Joint log scores of the tensors of a slice, averaged over parents, and which of them have no parent.

    ``constant_weight`` is the weight of each cell that always held its default. A tensor has no parent if none with a
    weight holds a value seen in training; it is scored by naive Bayes.
    """
    n_cells, n_classes = len(tables.cells), len(tables.class_count)
    scores = np.empty((part.stop - part.start, n_classes))
    lacking = np.zeros(len(scores), dtype=bool)
    parent_weight = np.repeat(weight, np.diff(tables.first_state))
    opened = np.where(parent_weight[:, None] > 0, tables.opened, -np.inf)
    default = opened[tables.first_state[:-1]]
    n_constant = prod(tensors.mode_sizes) - n_cells
    largest, share, in_range = _parents_with_defaults(default, weight)
    prior = np.log((tables.class_count + 1) / (tables.class_count.sum() + n_classes))
    change = no_change(tables)
    n_rows = int(np.clip(_BLOCK_BYTES // max(1, 8 * n_classes * n_cells), 1, _MAX_ROWS))
    for first in range(part.start, part.stop, n_rows):
        stop = min(first + n_rows, part.stop)
        items = slice(int(tensors.indptr[first]), int(tensors.indptr[stop]))
        cells = tensors.cells[items]
        entries = cells * tensors.width + tensors.codes[items]
        order = np.argsort(entries, kind="stable")
        _, starts = np.unique(entries[order], return_index=True)
        places, known = _places(tables.cells, cells), _places(tables.entries, entries)
        states = np.where(known >= 0, known + places + 1, -1)
        block = slice(first - part.start, stop - part.start)
        row_of = np.repeat(np.arange(stop - first), np.diff(tensors.indptr[first : stop + 1]))
        varies = places >= 0
        at, held = (row_of[varies], places[varies]), states[varies]
        of_parents = np.empty((stop - first, n_cells, n_classes))
        of_parents[:] = default
        of_parents[at] = np.where(held[:, None] >= 0, opened[held], -np.inf)  # a value never seen is no parent
        shift = np.zeros(of_parents.shape[:2], np.int32)  # from the default of each cell to its state
        shift[at] = np.where(held >= 0, held - tables.first_state[at[1]], 0)
        changed = np.full(shift.shape, not in_range)  # whether a parent's share of the sum is not that of its default
        changed[at] = True
        scores[block] = tables.nothing
        _change_parents(
            tables.class_count,
            tables.first_state,
            tables.default_of,
            tables.state_count,
            *tables.groups,
            tables.beside_starts,
            tables.beside,
            tables.pair_count,
            tables.logs,
            tables.block_starts,
            tables.blocks,
            row_of,
            places,
            states,
            indices_of(cells, tensors.mode_sizes),
            order,
            np.append(starts, len(order)),
            shift,
            np.empty(n_cells, np.int64),
            *change,
            of_parents,
            changed,
            scores[block],
        )
        n_left = n_constant - np.bincount(row_of[~varies], minlength=stop - first)
        weights = weight, constant_weight * n_left
        shares = largest, share, tables.constant_open, prior
        _average(*weights, of_parents, changed, *shares, scores[block], lacking[block])
    return scores, lacking


def _parents_with_defaults(
    opened: NDArray[np.float64], weight: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], bool]:
    """Of parents with their defaults: the largest score, weight times exp(score - largest), and if none underflows."""
    possible = np.isfinite(opened)
    largest = opened.max(axis=0, initial=-np.inf)
    largest[~possible.any(axis=0)] = 0.0
    in_range = bool((opened > largest - _SAFE_RANGE)[possible].all())
    return largest, weight[:, None] * np.exp(opened - largest), in_range


def _places(known: NDArray[np.int64], keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Positions of keys among those known, -1 if absent."""
    if not len(known):
        return np.full(len(keys), -1, dtype=np.int64)
    places = np.minimum(np.searchsorted(known, keys), len(known) - 1)
    return np.where(known[places] == keys, places, -1)


@njit(cache=True, nogil=True)
def _change_parents(
    class_count,
    first_state,
    default_of,
    state_count,
    group_indices,
    group_first,
    group_starts,
    group_members,
    beside_starts,
    beside,
    pair_count,
    logs,
    block_starts,
    blocks,
    row_of,
    cells,
    states,
    indices,
    order,
    starts,
    shift,
    nearby,
    held,
    other,
    naive,
    with_held,
    with_other,
    opened,
    changed,
    scores,
):
    """Add the changes of items to their parents and to naive Bayes' product, one value of a cell at a time."""
    n_classes = scores.shape[1]
    for distinct in range(starts.shape[0] - 1):
        item = order[starts[distinct]]
        cell, state = cells[item], states[item]
        n_nearby = find_neighbours(group_indices, group_first, group_starts, group_members, indices, item, cell, nearby)
        default, end = (first_state[cell], first_state[cell + 1]) if cell >= 0 else (-1, -1)
        begin_change(class_count, state_count, logs, default, state, held, other, naive)
        kept = state >= 0 and block_starts.shape[0] > 0
        begin_held, end_held = (beside_starts[state], beside_starts[state + 1]) if state >= 0 else (0, 0)
        begin_other, end_other = (beside_starts[default], beside_starts[end]) if cell >= 0 else (0, 0)
        if not kept:
            count_pairs(begin_held, end_held, beside, default_of, pair_count, with_held, False)
            count_pairs(begin_other, end_other, beside, default_of, pair_count, with_other, False)
        for place in range(starts[distinct], starts[distinct + 1]):
            row = row_of[order[place]]
            for y in range(n_classes):
                scores[row, y] += naive[y]
            line = block_starts[state] if kept else 0
            for at in range(n_nearby):
                p = nearby[at]
                changed[row, p] = True
                of_default = first_state[p]
                if kept:
                    for y in range(n_classes):
                        opened[row, p, y] += blocks[line + shift[row, p], y]
                    line += first_state[p + 1] - of_default
                else:
                    parent = of_default + shift[row, p]
                    for y in range(n_classes):
                        opened[row, p, y] += change_of(
                            state_count, logs, held, other, naive, with_held, with_other, parent, of_default, y
                        )
        if not kept:
            count_pairs(begin_held, end_held, beside, default_of, pair_count, with_held, True)
            count_pairs(begin_other, end_other, beside, default_of, pair_count, with_other, True)


@njit(cache=True, nogil=True)
def _average(weight, constant_weight, opened, changed, largest_default, share, constant_open, prior, scores, lacking):
    """Add the log of the weighted average over parents, and mark rows without any (naive Bayes' score)."""
    n_rows, n_parents, n_classes = opened.shape
    for row in range(n_rows):
        total = constant_weight[row]
        for j in range(n_parents):
            if opened[row, j, 0] > -np.inf:
                total += weight[j]
        lacking[row] = total == 0.0
        for y in range(n_classes):
            if lacking[row]:
                scores[row, y] += prior[y]
                continue
            largest = constant_open[y] if constant_weight[row] > 0.0 else -np.inf
            unchanged = 0.0
            for j in range(n_parents):
                if changed[row, j]:
                    largest = max(largest, opened[row, j, y])
                else:
                    unchanged += share[j, y]
            if unchanged > 0.0:
                largest = max(largest, largest_default[y])
            score = constant_weight[row] * np.exp(constant_open[y] - largest)
            score += unchanged * np.exp(largest_default[y] - largest) if unchanged > 0.0 else 0.0
            for j in range(n_parents):
                if changed[row, j]:
                    score += weight[j] * np.exp(opened[row, j, y] - largest)
            scores[row, y] += largest + np.log(score / total)
