"""Tables for scoring tensors: pairs in both directions, initial scores of parents, and changes to them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unnaive.core.compiled import njit
from unnaive.tensors.bat_changes import (
    TensorTables,
    begin_change,
    block_sizes,
    change_of,
    count_pairs,
    count_with,
    log_after,
    no_change,
)
from unnaive.tensors.bat_counts import TensorCounts
from unnaive.tensors.bat_neighbours import find_neighbours, group_cells

_MAX_LOGS = 1 << 20
_MAX_BYTES = 1 << 29  # of blocks; beyond it, changes are computed when needed
_ROUNDING = 1e-12  # of sums of weights that are not whole, relative to the largest
_OFTEN = 8  # mean number of tensors per value from which storing changes pays off


def tensor_tables(counts: TensorCounts) -> TensorTables:
    """Prepare scoring; ValueError if the counts are inconsistent."""
    n_classes = counts.n_classes
    cells, cell_of = np.unique(counts.entries // counts.width, return_inverse=True)
    of_cell = np.bincount(cell_of, minlength=len(cells))
    defaults = np.tile(counts.class_count, (len(cells), 1))
    np.subtract.at(defaults, cell_of, counts.entry_count)
    if defaults.min(initial=0.0) < 0:
        raise ValueError("The counts are inconsistent.")
    possible = defaults.any(axis=1)
    total, default, entry_count = map(counts.in_ones, (counts.class_count, defaults, counts.entry_count))
    n_values = of_cell + possible
    first_state = _ends(of_cell + 1)
    state_of = np.arange(len(cell_of)) + cell_of + 1
    state_count = np.empty((first_state[-1], n_classes))
    state_count[first_state[:-1]] = default
    state_count[state_of] = entry_count
    # P(y, x_p) / P(x_p | y): the count of x_p cancels.
    parent = np.log((total + n_values[:, None]) / (total.sum() + n_classes * n_values[:, None]))
    tables = TensorTables(
        total,
        cells,
        counts.entries,
        first_state,
        np.repeat(first_state[:-1], of_cell + 1),
        state_count,
        n_values.astype(np.float64),
        group_cells(cells, counts.mode_sizes),
        *_both_ways(counts, state_of, len(state_count)),
        np.repeat(parent, of_cell + 1, axis=0),
        np.log((total + 1) / (total.sum() + n_classes)),
        np.log((default + 1) / (total + n_values[:, None])).sum(axis=0),
        _logs(counts, total, int(n_values.max(initial=1))),
        np.zeros(0, dtype=np.int64),
        np.zeros((0, n_classes)),
    )
    starts = _ends(block_sizes(tables))
    often = entry_count.sum() >= _OFTEN * len(counts.entries)
    if often and 8 * n_classes * starts[-1] <= min(_MAX_BYTES, counts.max_bytes):
        tables = tables._replace(block_starts=starts, blocks=np.empty((starts[-1], n_classes)))
    least = _prepare(
        tables.class_count,
        tables.first_state,
        tables.default_of,
        tables.state_count,
        tables.n_values,
        *tables.groups,
        tables.beside_starts,
        tables.beside,
        tables.pair_count,
        tables.opened,
        tables.logs,
        tables.block_starts,
        tables.blocks,
        np.empty(len(cells), np.int64),
        *no_change(tables),
    )
    if least < -_ROUNDING * max(1.0, total.max()):
        raise ValueError("The counts are inconsistent.")
    tables.opened[first_state[:-1][~possible]] = -np.inf
    return tables


def read_literally(tables: TensorTables, n_modes: int) -> TensorTables:
    """Equation 2 as printed: P(y) once more, and P(x_p | y, x_p) once for every mode."""
    total, count = tables.class_count, tables.state_count
    prior = np.log((total + 1) / (total.sum() + len(total)))
    n_values = np.repeat(tables.n_values, np.diff(tables.first_state))[:, None]
    of_itself = np.log((count + 1) / (count + n_values))
    return tables._replace(
        opened=tables.opened + prior + n_modes * of_itself, constant_open=tables.constant_open + prior
    )


def information(tables: TensorTables) -> NDArray[np.float64]:
    """Mutual information of the cells with the class, in bits, from relative frequencies."""
    total = tables.class_count
    joint = tables.state_count
    # Ratios of counts, so that independence gives exactly 0.
    together, apart = joint * total.sum(), joint.sum(axis=1)[:, None] * total
    ratio = np.divide(together, apart, out=np.ones_like(joint), where=joint > 0)
    of_state = (joint * np.log2(ratio)).sum(axis=1)
    bits = np.add.reduceat(of_state, tables.first_state[:-1]) if len(tables.cells) else np.zeros(0)
    return np.maximum(bits / max(total.sum(), np.finfo(float).tiny), 0.0)


def _logs(counts: TensorCounts, total: NDArray[np.float64], most_values: int) -> NDArray[np.float64]:
    """Logarithms of all possible counts, if they are integers and not too large."""
    largest = total.max() + most_values
    if largest > _MAX_LOGS or counts.n_units > 1:
        return np.zeros(0)
    return np.log(np.arange(1.0, largest + 1.0))


def _ends(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Cumulative lengths from 0."""
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def _both_ways(
    counts: TensorCounts, state_of: NDArray[np.int64], n_states: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """The pairs of every state: where they begin, their other states in order, and their counts."""
    entries = np.divmod(counts.pairs, counts.n_entries)
    one, other = (state_of[np.searchsorted(counts.entries, part)] for part in entries)
    starts = _ends(np.bincount(one, minlength=n_states) + np.bincount(other, minlength=n_states))
    pair_count = counts.in_ones(counts.pair_count)
    beside, beside_count = np.empty(2 * len(one), np.int64), np.empty((2 * len(one), counts.n_classes))
    # Pairs are in order, so the states below each state come in order, before those above it.
    free = starts.copy()
    _list_pairs(free, other, one, pair_count, beside, beside_count)
    _list_pairs(free, one, other, pair_count, beside, beside_count)
    return starts, beside, beside_count


@njit(cache=True, nogil=True)
def _list_pairs(free, owners, partners, pair_count, beside, beside_count):
    """Write pairs into the next free places of their owners."""
    for pair in range(owners.shape[0]):
        place = free[owners[pair]]
        free[owners[pair]] = place + 1
        beside[place] = partners[pair]
        for y in range(pair_count.shape[1]):
            beside_count[place, y] = pair_count[pair, y]


@njit(cache=True, nogil=True)
def _prepare(
    class_count,
    first_state,
    default_of,
    state_count,
    n_values,
    indices,
    first,
    starts,
    members,
    beside_starts,
    beside,
    pair_count,
    opened,
    logs,
    block_starts,
    blocks,
    nearby,
    held,
    other,
    naive,
    with_held,
    with_other,
):
    """Add the ratios of default cells to the initial scores, and fill the blocks; return the lowest count."""
    n_classes = class_count.shape[0]
    least = 0.0
    for c in range(n_values.shape[0]):
        n_nearby = find_neighbours(indices, first, starts, members, indices, c, c, nearby)
        default, end = first_state[c], first_state[c + 1]
        begin_pairs, end_pairs = beside_starts[default], beside_starts[end]
        count_pairs(begin_pairs, end_pairs, beside, default_of, pair_count, with_other, False)
        more = n_values[c] - 1.0
        for y in range(n_classes):
            total = class_count[y]
            other[y] = total - state_count[default, y]
            alone = log_after(logs, total + more) - log_after(logs, total - other[y])
            for at in range(n_nearby):
                p = nearby[at]
                for state in range(first_state[p], first_state[p + 1]):
                    count = state_count[state, y]
                    both = count - count_with(other, with_other, state, first_state[p], y)
                    least = min(least, both)
                    opened[state, y] += log_after(logs, both) - log_after(logs, count + more) + alone
        for state in range(default + 1, end if block_starts.shape[0] else 0):
            begin_change(class_count, state_count, logs, default, state, held, other, naive)
            count_pairs(
                beside_starts[state], beside_starts[state + 1], beside, default_of, pair_count, with_held, False
            )
            line = block_starts[state]
            for at in range(n_nearby):
                p = nearby[at]
                for parent in range(first_state[p], first_state[p + 1]):
                    for y in range(n_classes):
                        blocks[line, y] = change_of(
                            state_count, logs, held, other, naive, with_held, with_other, parent, first_state[p], y
                        )
                    line += 1
            count_pairs(beside_starts[state], beside_starts[state + 1], beside, default_of, pair_count, with_held, True)
        count_pairs(begin_pairs, end_pairs, beside, default_of, pair_count, with_other, True)
    return least
