"""Tucker decompositions of dense tensors by the paper's definitions, and higher-order orthogonal iteration on them."""

import itertools
import math

import numpy as np


def dense(tensor):
    """All cells of a JointTensor; those that are not defined are zero."""
    cells = np.zeros((*tensor.n_values, tensor.mass.shape[1]))
    for row, mass in zip(tensor.rows.T, tensor.mass):
        cells[tuple(row)] = mass
    return cells


def unfolding(cells, j):
    """Definition 2, with columns in the order of its formula."""
    sizes = cells.shape
    others = [k for k in range(cells.ndim) if k != j]
    matrix = np.zeros((sizes[j], math.prod(sizes[k] for k in others)))
    for index in np.ndindex(*sizes):
        column = sum(index[k] * math.prod(sizes[m] for m in others if m > k) for k in others)
        matrix[index[j], column] = cells[index]
    return matrix


def mode_product(cells, matrix, n):
    """Definition 3, for a matrix of shape (J_n, I_n)."""
    result = np.zeros((*cells.shape[:n], len(matrix), *cells.shape[n + 1 :]))
    for j, i in np.ndindex(*matrix.shape):
        result[(slice(None),) * n + (j,)] += cells[(slice(None),) * n + (i,)] * matrix[j, i]
    return result


def project(cells, factors, without=()):
    """The tensor times the transposed factors of all modes but some."""
    for mode, factor in enumerate(factors):
        if mode not in without:
            cells = mode_product(cells, factor.T, mode)
    return cells


def reconstruct(core, factors):
    """Eq. 2."""
    for mode, factor in enumerate(factors):
        core = mode_product(core, factor, mode)
    return core


class Path:
    """Cores that grow; ``gap`` is the smallest relative difference that any choice so far hung on."""

    def __init__(self, cells, tol, max_iter):
        self.cells, self.tol, self.max_iter, self.gap = cells, tol, max_iter, 1.0
        start = [cells.sum(axis=tuple(k for k in range(cells.ndim) if k != n)) for n in range(cells.ndim)]
        self.factors = [(each / np.linalg.norm(each))[:, None] for each in start]
        self.iterate()

    @property
    def sizes(self):
        return tuple(factor.shape[1] for factor in self.factors)

    @property
    def core(self):
        return project(self.cells, self.factors)

    def dominant(self, matrix, n):
        vectors, values, _ = np.linalg.svd(matrix)
        if n < len(values) and values[0] > 0:
            self.gap = min(self.gap, (values[n - 1] - values[n]) / values[0])
        return vectors[:, :n]

    def iterate(self):
        before = 0.0
        for _ in range(self.max_iter):
            for mode, size in enumerate(self.sizes):
                matrix = unfolding(project(self.cells, self.factors, without=[mode]), mode)
                self.factors[mode] = self.dominant(matrix, size)
            after = np.sum(self.core**2)
            if before > 0 and (after - before) / before < self.tol:
                break
            before = after

    def steps(self):
        """(gain for each added cell, grown modes with their next singular vectors' number) of every possible step."""
        sizes, label = self.sizes, self.cells.ndim - 1
        candidates = [(mode,) for mode in range(self.cells.ndim)] + [(mode, label) for mode in range(label)]
        for modes in candidates:
            others = [m for m in range(self.cells.ndim) if m not in modes]
            room = math.prod(sizes[m] for m in others)
            if len(modes) == 2 and not (room == 1 and sizes[modes[0]] == sizes[label]):
                continue
            matrix = unfolding(project(self.cells, self.factors, without=modes), modes[0])
            if sizes[modes[0]] >= min(matrix.shape):
                continue
            value = np.linalg.svd(matrix, compute_uv=False)[sizes[modes[0]]]
            added = math.prod(sizes[m] + (m in modes) for m in range(self.cells.ndim)) - math.prod(sizes)
            yield value**2 / added, modes

    def grow(self):
        """Take the best step; False if there is none."""
        steps = sorted(self.steps(), reverse=True)
        if not steps:
            return False
        if len(steps) > 1:
            top = np.sum(self.core**2)
            self.gap = min(self.gap, (steps[0][0] - steps[1][0]) / top)
        modes = steps[0][1]
        projected = project(self.cells, self.factors, without=modes)
        for mode in modes:
            self.factors[mode] = self.dominant(unfolding(projected, mode), self.sizes[mode] + 1)
        self.iterate()
        return True


def all_cells(sizes):
    """Indices of all cells, a row each."""
    return np.array(list(itertools.product(*map(range, sizes))), dtype=np.int32)
