"""Which cells of a tensor share a dimension: those with the same index in at least one mode.

The cells of a tensor with one mode all share it: they count as the cells of a matrix with a single row.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unnaive.core.compiled import njit


class Groups(NamedTuple):
    """Cells by their index in every mode.

    ``members[q, starts[first[q] + i]:starts[first[q] + i + 1]]`` are the positions of those with index i in mode q, and
    ``indices[q]`` the indices of all in that mode.
    """

    indices: NDArray[np.int64]
    first: NDArray[np.int64]
    starts: NDArray[np.int64]
    members: NDArray[np.int64]


def indices_of(cells: NDArray[np.int64], mode_sizes: tuple[int, ...]) -> NDArray[np.int64]:
    """Indices of cells in the modes, of shape (n_modes, n_cells)."""
    if len(mode_sizes) == 1:
        return np.zeros((1, len(cells)), dtype=np.int64)
    return np.stack(np.unravel_index(cells, mode_sizes)).astype(np.int64)


def group_cells(cells: NDArray[np.int64], mode_sizes: tuple[int, ...]) -> Groups:
    """Groups of cells, for :func:`find_neighbours`."""
    indices = indices_of(cells, mode_sizes)
    sizes = sizes_of_groups(mode_sizes)
    starts = [np.concatenate([[0], np.cumsum(np.bincount(of, minlength=n))]) for of, n in zip(indices, sizes)]
    first = np.concatenate([[0], np.cumsum([len(of_mode) for of_mode in starts])])[:-1]
    members = np.argsort(indices, axis=1, kind="stable")
    return Groups(indices, first.astype(np.int64), np.concatenate(starts).astype(np.int64), members.astype(np.int64))


def sizes_of_groups(mode_sizes: tuple[int, ...]) -> tuple[int, ...]:
    """Number of indices of each mode; a single mode counts as one index that all cells have."""
    return (1,) if len(mode_sizes) == 1 else mode_sizes


@njit(cache=True, nogil=True, inline="always")
def share_before(one, one_at, other, other_at, mode):
    """Whether two cells have an index in common in a mode before this one."""
    for q in range(mode):  # noqa: SIM110 - any() of a generator is not compiled
        if one[q, one_at] == other[q, other_at]:
            return True
    return False


@njit(cache=True, nogil=True, no_cpython_wrapper=True)
def find_neighbours(group_indices, first, starts, members, indices, at, itself, out):
    """Write the positions of the grouped cells that share a dimension with a cell; return their number."""
    n_found = 0
    for q in range(indices.shape[0]):
        group = first[q] + indices[q, at]
        for place in range(starts[group], starts[group + 1]):
            member = members[q, place]
            if member != itself and not share_before(group_indices, member, indices, at, q):
                out[n_found] = member
                n_found += 1
    return n_found


def link_neighbours(indices: NDArray[np.int64], row_starts: NDArray[np.int64], widest: int) -> NDArray[np.int64]:
    """For every mode and item, the next item of its row with the same index in that mode, or -1."""
    later = np.empty(indices.shape, np.int64)
    _link_neighbours(indices, row_starts, np.full(widest, -1, np.int64), later)
    return later


@njit(cache=True, nogil=True)
def _link_neighbours(indices, row_starts, following, later):
    for q in range(indices.shape[0]):
        for row in range(row_starts.shape[0] - 1):
            for item in range(row_starts[row + 1] - 1, row_starts[row] - 1, -1):
                later[q, item] = following[indices[q, item]]
                following[indices[q, item]] = item
            for item in range(row_starts[row], row_starts[row + 1]):
                following[indices[q, item]] = -1
