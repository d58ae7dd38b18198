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
    """A state that is not a default, and its counts; made by :func:`no_change`."""

    held: NDArray[np.float64]  # tensors that have it
    other: NDArray[np.float64]  # tensors in which its cell is not at its default
    naive: NDArray[np.float64]  # log (N(b) + 1) / (N(0) + 1): its change of naive Bayes' product
    with_held: NDArray[np.float64]  # of those that have it, by state of other cells; at defaults, the complement
    with_other: NDArray[np.float64]  # the same of those in which its cell is not at its default


@njit(cache=True, nogil=True)
def log_after(logs, count):
    """log(count + 1), from a table where possible, which is far faster; counts are negative only by rounding."""
    count = max(count, 0.0)
    return logs[int(count)] if count < logs.shape[0] else np.log(count + 1.0)


@njit(cache=True, nogil=True, inline="always")
def no_change(tables):
    """Buffers for one change at a time."""
    shape, n_classes = tables.state_count.shape, tables.class_count.shape[0]
    return Change(np.zeros(n_classes), np.zeros(n_classes), np.zeros(n_classes), np.zeros(shape), np.zeros(shape))


@njit(cache=True, nogil=True)
def begin_change(tables, cell, state, change):
    """Count a state of a cell; cell -1 always held its default, state -1 is a value never seen."""
    for y in range(change.held.shape[0]):
        default = tables.state_count[tables.first_state[cell], y] if cell >= 0 else tables.class_count[y]
        change.held[y] = tables.state_count[state, y] if state >= 0 else 0.0
        change.other[y] = tables.class_count[y] - default
        change.naive[y] = log_after(tables.logs, change.held[y]) - log_after(tables.logs, default)


@njit(cache=True, nogil=True)
def count_pairs(tables, cell, state, change):
    """Count the pairs of a state, and of all states of a cell but its default; -1 for none."""
    if state >= 0:
        _add_pairs(tables, state, change.with_held)
    if cell >= 0:
        for other in range(tables.first_state[cell] + 1, tables.first_state[cell + 1]):
            _add_pairs(tables, other, change.with_other)


@njit(cache=True, nogil=True)
def clear_pairs(tables, cell, state, change):
    """Undo :func:`count_pairs`."""
    if state >= 0:
        _clear_pairs(tables, state, change.with_held)
    if cell >= 0:
        for other in range(tables.first_state[cell] + 1, tables.first_state[cell + 1]):
            _clear_pairs(tables, other, change.with_other)


@njit(cache=True, nogil=True)
def _add_pairs(tables, state, out):
    for place in range(tables.beside_starts[state], tables.beside_starts[state + 1]):
        beside = tables.beside[place]
        for y in range(out.shape[1]):  # compiles much faster than whole rows
            out[beside, y] += tables.pair_count[place, y]
            out[tables.default_of[beside], y] += tables.pair_count[place, y]


@njit(cache=True, nogil=True)
def _clear_pairs(tables, state, out):
    for place in range(tables.beside_starts[state], tables.beside_starts[state + 1]):
        beside = tables.beside[place]
        for y in range(out.shape[1]):
            out[beside, y] = 0.0
            out[tables.default_of[beside], y] = 0.0


@njit(cache=True, nogil=True)
def count_with(count, among, state, default, y):
    """How many of some tensors have a state: counted, or for a default what is left."""
    return count[y] - among[state, y] if state == default else among[state, y]


@njit(cache=True, nogil=True, inline="always")
def change_of(tables, change, state, default, y):
    """What a change adds to the score of a parent in some state, without naive Bayes' product."""
    together = count_with(change.held, change.with_held, state, default, y)
    apart = tables.state_count[state, y] - count_with(change.other, change.with_other, state, default, y)
    return log_after(tables.logs, together) - log_after(tables.logs, apart) - change.naive[y]


@njit(cache=True, nogil=True, inline="always")
def lay_out(tables, indices, at, cell, nearby, lines):
    """Write the neighbours of a cell and where their lines in a block are; return the number of neighbours."""
    n_nearby = find_neighbours(tables.groups, indices, at, cell, nearby)
    lines[0] = 0
    for place in range(n_nearby):
        p = nearby[place]
        lines[place + 1] = lines[place] + tables.first_state[p + 1] - tables.first_state[p]
    return n_nearby


@njit(cache=True, nogil=True)
def block_sizes(tables):
    """Number of lines of each state's block; defaults have none."""
    n_cells = tables.cells.shape[0]
    sizes = np.zeros(tables.default_of.shape[0], np.int64)
    nearby, lines = np.empty(n_cells, np.int64), np.empty(n_cells + 1, np.int64)
    for cell in range(n_cells):
        n_lines = lines[lay_out(tables, tables.groups.indices, cell, cell, nearby, lines)]
        for state in range(tables.first_state[cell] + 1, tables.first_state[cell + 1]):
            sizes[state] = n_lines
    return sizes
