"""What scoring tensors needs beside their counts: counts of pairs both ways round, and what parents begin with."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from unnaive.statistics.tensor_counts import TensorCounts
from unnaive.statistics.tensor_neighbours import Groups, find_neighbours, group_cells

_MOST_LOGS = 1 << 20


class Beside(NamedTuple):
    """A sparse table: what goes with entry or cell i is ``partner[starts[i]:starts[i + 1]]``, ascending."""

    starts: NDArray[np.int64]
    partner: NDArray[np.int64]
    counts: NDArray[np.float64]


class TensorTables(NamedTuple):
    """What scoring needs, for the cells that held more than their default in training; classes are innermost."""

    class_count: NDArray[np.float64]
    cells: NDArray[np.int64]
    entries: NDArray[np.int64]
    cell_of: NDArray[np.int64]  # the place among the cells of every entry
    entry_count: NDArray[np.float64]
    other_count: NDArray[np.float64]  # tensors in which a cell does not hold its default
    n_values: NDArray[np.float64]
    groups: Groups
    entries_beside: Beside  # an entry with others
    cells_beside: Beside  # an entry with cells that do not hold their default
    both_other: Beside  # two cells that do not hold their default
    default_open: NDArray[np.float64]  # scores of parents with their default, but for naive Bayes' product
    entry_open: NDArray[np.float64]  # the same of parents with another value
    constant_open: NDArray[np.float64]  # the same of cells that held their default in all of training
    nothing: NDArray[np.float64]  # naive Bayes' product for nothing but defaults
    logs: NDArray[np.float64]  # log 1, log 2, ..., if all counts are whole


def tensor_tables(counts: TensorCounts) -> TensorTables:
    """Prepare to score; a ValueError if no tensors can have these counts.

    Parameters
    ----------
    counts : TensorCounts

    Returns
    -------
    TensorTables
    """
    total = counts.class_count
    cells, cell_of = np.unique(counts.entries // counts.width, return_inverse=True)
    entry_count = counts.entry_count
    other_count = np.zeros((len(cells), counts.n_classes))
    np.add.at(other_count, cell_of, entry_count)
    default = total - other_count
    entries_beside, cells_beside, both_other = _beside(counts, cell_of, len(cells))
    among = [
        entry_count[_owners(cells_beside)] - cells_beside.counts,
        other_count[_owners(both_other)] - both_other.counts,
        default,
    ]
    if any(table.min(initial=0.0) < -counts.rounding for table in among):
        raise ValueError("The counts are of no tensors.")
    default = np.maximum(default, 0.0)
    n_values = np.bincount(cell_of, minlength=len(cells)) + (default.sum(axis=1) > counts.rounding)
    groups = group_cells(cells, counts.mode_sizes)
    n_classes, weight = counts.n_classes, total.sum()
    # P(y, x_p) / P(x_p | y): the count of x_p has cancelled.
    parent = np.log((total + n_values[:, None]) / (weight + n_classes * n_values[:, None]))
    tables = TensorTables(
        total,
        cells,
        counts.entries,
        cell_of.astype(np.int64),
        entry_count,
        other_count,
        n_values.astype(np.float64),
        groups,
        entries_beside,
        cells_beside,
        both_other,
        parent,
        parent[cell_of],
        np.log((total + 1) / (weight + n_classes)),
        np.log((default + 1) / (total + n_values[:, None])).sum(axis=0),
        _logs(counts, int(n_values.max(initial=1))),
    )
    least = _open_parents(tables)
    if least < -counts.rounding:
        raise ValueError("The counts are of no tensors.")
    tables.default_open[default.sum(axis=1) <= counts.rounding] = -np.inf
    return tables


def information(tables: TensorTables) -> NDArray[np.float64]:
    """Mutual information of the cells with the class, in bits, from relative frequencies."""
    total = tables.class_count
    bits = np.zeros(len(tables.cells))
    for joint, cell in (
        (np.maximum(total - tables.other_count, 0.0), np.arange(len(bits))),
        (tables.entry_count, tables.cell_of),
    ):
        # Ratios are taken of counts, so that what is independent gives exactly nothing.
        together, apart = joint * total.sum(), joint.sum(axis=1)[:, None] * total
        ratio = np.divide(together, apart, out=np.ones_like(joint), where=joint > 0)
        np.add.at(bits, cell, (joint * np.log2(ratio)).sum(axis=1))
    return np.maximum(bits / max(total.sum(), np.finfo(float).tiny), 0.0)


def _logs(counts: TensorCounts, most_values: int) -> NDArray[np.float64]:
    """Logarithms of all numbers that can come up, if they are whole and not too many."""
    tables = (counts.class_count, counts.entry_count, counts.pair_count)
    largest = counts.class_count.max() + most_values
    if largest > _MOST_LOGS or any((table != np.floor(table)).any() for table in tables):
        return np.zeros(0)
    return np.log(np.arange(1.0, largest + 1.0))


def _owners(table: Beside) -> NDArray[np.int64]:
    return np.repeat(np.arange(len(table.starts) - 1), np.diff(table.starts))


def _beside(counts: TensorCounts, cell_of: NDArray[np.int64], n_cells: int) -> tuple[Beside, Beside, Beside]:
    """The pairs both ways round, by entries, by an entry and a cell, and by cells."""
    one, other = (np.searchsorted(counts.entries, part) for part in np.divmod(counts.pairs, counts.n_entries))
    owner, partner = np.concatenate([one, other]), np.concatenate([other, one])
    order = np.lexsort((partner, owner))
    owner, partner = owner[order], partner[order]
    count = np.concatenate([counts.pair_count, counts.pair_count])[order]
    n_entries = len(cell_of)
    by_entries = Beside(_starts(owner, n_entries), partner, count)
    owner, partner, count = _sums_of(owner, cell_of[partner], count, n_cells)
    by_cell = Beside(_starts(owner, n_entries), partner, count)
    owner, partner, count = _sums_of(cell_of[owner], partner, count, n_cells)
    return by_entries, by_cell, Beside(_starts(owner, n_cells), partner, count)


def _starts(owner: NDArray[np.int64], n_owners: int) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=n_owners))]).astype(np.int64)


def _sums_of(
    owner: NDArray[np.int64], partner: NDArray[np.int64], count: NDArray[np.float64], n_cells: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    keys, place = np.unique(owner * n_cells + partner, return_inverse=True)
    sums = np.zeros((len(keys), count.shape[1]))
    np.add.at(sums, place, count)
    return *np.divmod(keys, max(n_cells, 1)), sums


@njit(cache=True, nogil=True)
def _open_parents(tables):
    """Add the ratios of all cells with their defaults to what parents begin with; return the least count in them."""
    n_cells, n_classes = tables.other_count.shape
    neighbours = np.empty(n_cells, np.int64)
    together = np.zeros((n_cells, n_classes))
    least = 0.0
    entry = 0
    left = np.empty(n_classes)
    for p in range(n_cells):
        n_found = find_neighbours(tables.groups, tables.groups.indices, p, p, neighbours)
        nearby = neighbours[:n_found]
        scatter(tables.both_other, p, together)
        for y in range(n_classes):
            left[y] = tables.class_count[y] - tables.other_count[p, y]
            # With p at its default: tensors in which c is not, less those in which neither is.
            for c in nearby:
                together[c, y] = tables.other_count[c, y] - together[c, y]
        least = min(least, _add_defaults(tables, left, together, nearby, tables.default_open[p]))
        while entry < tables.cell_of.shape[0] and tables.cell_of[entry] == p:
            scatter(tables.cells_beside, entry, together)
            count = tables.entry_count[entry]
            least = min(least, _add_defaults(tables, count, together, nearby, tables.entry_open[entry]))
            entry += 1
    return least


@njit(cache=True, nogil=True)
def log_after(logs, count):
    """log(count + 1), looked up where that is possible, which is far faster; no count is below zero but by rounding."""
    count = max(count, 0.0)
    return logs[int(count)] if count < logs.shape[0] else np.log(count + 1.0)


@njit(cache=True, nogil=True)
def scatter(table, owner, out):
    """Write what goes with an entry or a cell to the places of its partners."""
    for place in range(table.starts[owner], table.starts[owner + 1]):
        for y in range(out.shape[1]):  # compiled in a fraction of the time that taking whole rows takes
            out[table.partner[place], y] = table.counts[place, y]


@njit(cache=True, nogil=True)
def _add_defaults(tables, count, together, nearby, out):
    """Add the log ratios of cells with their defaults, where a parent has ``together`` with what is not; clear that."""
    least = 0.0
    for c in nearby:
        values = tables.n_values[c]
        for y in range(count.shape[0]):
            both = count[y] - together[c, y]
            together[c, y] = 0.0
            least = min(least, both)
            total = tables.class_count[y]
            apart = total - tables.other_count[c, y]
            out[y] += log_after(tables.logs, both) - log_after(tables.logs, count[y] + values - 1.0)
            out[y] += log_after(tables.logs, total + values - 1.0) - log_after(tables.logs, apart)
    return least
