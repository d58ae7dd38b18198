"""How a cell that does not hold its default changes the scores of the parents that share a dimension with it.

A state of a cell is its default, or another value it had in training. The states of a cell are numbered consecutively,
its default first, cell after cell. The changes of a state may be stored in a block of lines: for each cell that shares
a dimension with its own, one line per state of that cell as a parent.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unnaive.core.compiled import njit
from unnaive.tensors.bat_neighbours import Groups, find_neighbours


class TensorTables(NamedTuple):
    """What scoring needs, for the cells that were not constant in training; classes are innermost."""

    class_count: NDArray[np.float64]
    cells: NDArray[np.int64]
    entries: NDArray[np.int64]
    first_state: NDArray[np.int64]  # cell p has states first_state[p] to first_state[p + 1]
    default_of: NDArray[np.int64]  # the default of each state's cell
    state_count: NDArray[np.float64]
    n_values: NDArray[np.float64]
    groups: Groups
    beside_starts: NDArray[np.int64]  # where the pairs of each state begin, in both directions; defaults have none
    beside: NDArray[np.int64]  # the other states of these pairs
    pair_count: NDArray[np.float64]
    opened: NDArray[np.float64]  # scores of parents in each state, without naive Bayes' product
    constant_open: NDArray[np.float64]  # the same for cells that always held their default
    nothing: NDArray[np.float64]  # naive Bayes' product of all defaults
    logs: NDArray[np.float64]  # log 1, log 2, ..., if all counts are whole
    block_starts: NDArray[np.int64]  # where the block of each state begins; empty without blocks
    blocks: NDArray[np.float64]


class Change(NamedTuple):
    """A state that is not a default, and its counts: room for one at a time."""

    held: NDArray[np.float64]  # tensors that have it
    other: NDArray[np.float64]  # tensors in which its cell is not at its default
    naive: NDArray[np.float64]  # log (N(b) + 1) / (N(0) + 1): its change of naive Bayes' product
    with_held: NDArray[np.float64]  # of those that have it, by state of other cells; at defaults, the complement
    with_other: NDArray[np.float64]  # the same of those in which its cell is not at its default


def no_change(tables: TensorTables) -> Change:
    """Room for one change at a time."""
    return Change(*np.zeros((3, len(tables.class_count))), *np.zeros((2, *tables.state_count.shape)))


# Compiled functions take arrays one by one: tuples of many arrays take seconds to compile.


@njit(cache=True, nogil=True, no_cpython_wrapper=True)
def log_after(logs, count):
    """log(count + 1), from a table where possible, which is far faster; counts are negative only by rounding."""
    count = max(count, 0.0)
    return logs[int(count)] if count < logs.shape[0] else np.log(count + 1.0)


@njit(cache=True, nogil=True, no_cpython_wrapper=True)
def begin_change(class_count, state_count, logs, default, state, held, other, naive):
    """Count a state of a cell; default -1 is of a cell that always held its default, state -1 a value never seen."""
    for y in range(held.shape[0]):
        of_default = state_count[default, y] if default >= 0 else class_count[y]
        held[y] = state_count[state, y] if state >= 0 else 0.0
        other[y] = class_count[y] - of_default
        naive[y] = log_after(logs, held[y]) - log_after(logs, of_default)


@njit(cache=True, nogil=True, no_cpython_wrapper=True)
def count_pairs(begin, end, beside, default_of, pair_count, out, clears):
    """Add the counts of a range of pairs to those of their other states and of their defaults, or clear these."""
    for place in range(begin, end):
        state = beside[place]
        default = default_of[state]
        for y in range(out.shape[1]):  # compiles much faster than whole rows
            count = pair_count[place, y]
            out[state, y] = 0.0 if clears else out[state, y] + count
            out[default, y] = 0.0 if clears else out[default, y] + count


@njit(cache=True, nogil=True, no_cpython_wrapper=True)
def count_with(count, among, state, default, y):
    """How many of some tensors have a state: counted, or for a default what is left."""
    return count[y] - among[state, y] if state == default else among[state, y]


@njit(cache=True, nogil=True, no_cpython_wrapper=True)
def change_of(state_count, logs, held, other, naive, with_held, with_other, state, default, y):
    """What a change adds to the score of a parent in some state, without naive Bayes' product."""
    together = count_with(held, with_held, state, default, y)
    apart = state_count[state, y] - count_with(other, with_other, state, default, y)
    return log_after(logs, together) - log_after(logs, apart) - naive[y]


def block_sizes(tables: TensorTables) -> NDArray[np.int64]:
    """Number of lines of each state's block; defaults have none."""
    sizes = np.zeros(len(tables.default_of), np.int64)
    _fill_block_sizes(*tables.groups, tables.first_state, np.empty(len(tables.cells), np.int64), sizes)
    return sizes


@njit(cache=True, nogil=True)
def _fill_block_sizes(indices, first, starts, members, first_state, nearby, sizes):
    for cell in range(nearby.shape[0]):
        n_lines = 0
        for place in range(find_neighbours(indices, first, starts, members, indices, cell, cell, nearby)):
            n_lines += first_state[nearby[place] + 1] - first_state[nearby[place]]
        for state in range(first_state[cell] + 1, first_state[cell + 1]):
            sizes[state] = n_lines
