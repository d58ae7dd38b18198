"""Bat (Liu et al.): Eqs. 2 to 4, over all cells of all tensors, as loops."""

import itertools
import math

import numpy as np


def share_a_dimension(one, other):
    """Whether two cells have an index in common; the cells of a tensor of one mode always do."""
    return len(one) == 1 or any(a == b for a, b in zip(one, other))


class _Counts:
    def __init__(self, train, y, w, n_classes):
        self.train, self.y, self.w, self.n_classes = train, np.asarray(y), np.asarray(w, dtype=float), n_classes

    def of(self, label, *held):
        """Weight of the tensors of a class in which cells hold values."""
        rows = self.y == label
        for cell, value in held:
            rows = rows & (self.train[(slice(None), *cell)] == value)
        return self.w[rows].sum()

    def total(self, *held):
        return sum(self.of(label, *held) for label in range(self.n_classes))

    def n_values(self, cell):
        return len(np.unique(self.train[(slice(None), *cell)][self.w > 0]))


def mutual_information(counts, cell):
    """Eq. 3, summed over the classes as well, in nats and from relative frequencies."""
    n = counts.total()
    information = 0.0
    for value in np.unique(counts.train[(slice(None), *cell)]):
        for label in range(counts.n_classes):
            both = counts.of(label, (cell, value)) / n
            if both > 0:
                apart = counts.total((cell, value)) / n * counts.of(label) / n
                information += both * math.log(both / apart)
    return information


def joint_of_parent(counts, tensor, parent, label, literal=False):
    """Eq. 2: with ``literal``, a second P(y), and the parent among its own children once for every mode."""
    n, k = counts.total(), counts.n_classes
    given = (parent, tensor[parent])
    joint = (counts.of(label, given) + 1) / (n + k * counts.n_values(parent))
    prior = (counts.of(label) + 1) / (n + k)
    for cell in itertools.product(*map(range, tensor.shape)):
        value, v = (cell, tensor[cell]), counts.n_values(cell)
        dependent = (counts.of(label, given, value) + 1) / (counts.of(label, given) + v)
        if cell == parent:
            joint *= prior * dependent**tensor.ndim if literal else 1.0
        elif share_a_dimension(cell, parent):
            joint *= dependent
        else:
            joint *= (counts.of(label, value) + 1) / (counts.of(label) + v)
    return joint


def bat(train, y, w, n_classes, test, weighting="mutual_information", literal=False):
    """Joint scores by Eq. 4, of shape (n_test, n_classes).

    Parents are cells whose value occurred in training. Where all their weights are zero they count alike; where there
    are none, naive Bayes is left.
    """
    counts = _Counts(train, y, w, n_classes)
    cells = list(itertools.product(*map(range, train.shape[1:])))
    weight = {cell: mutual_information(counts, cell) if weighting != "equal" else 1.0 for cell in cells}
    scores = np.empty((len(test), n_classes))
    for row, tensor in enumerate(test):
        parents = [cell for cell in cells if counts.total((cell, tensor[cell])) > 0]
        weights = [weight[cell] if weight[cell] > 1e-14 else 0.0 for cell in parents]
        if sum(weights) == 0:
            weights = [1.0] * len(parents)
        for label in range(n_classes):
            if parents:
                joints = [joint_of_parent(counts, tensor, cell, label, literal) for cell in parents]
                scores[row, label] = np.dot(weights, joints) / sum(weights)
            else:
                scores[row, label] = _naive(counts, tensor, cells, label)
    return scores


def _naive(counts, tensor, cells, label):
    joint = (counts.of(label) + 1) / (counts.total() + counts.n_classes)
    for cell in cells:
        joint *= (counts.of(label, (cell, tensor[cell])) + 1) / (counts.of(label) + counts.n_values(cell))
    return joint
