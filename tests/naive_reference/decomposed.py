"""DTC (van Gerven): Definitions 2 and 3, Algorithm 1 and Equations 5, 9 and 10 on a dense tensor; NaN is undefined."""

import itertools

import numpy as np


def unfold(tensor, mode):
    """Definition 2: element by element, to the column that its formula names."""
    sizes = tensor.shape
    others = [other for other in range(tensor.ndim) if other != mode]
    unfolded = np.empty((sizes[mode], int(np.prod([sizes[other] for other in others]))))
    for cell in itertools.product(*map(range, sizes)):
        column = sum(cell[k] * int(np.prod([sizes[m] for m in others if m > k])) for k in others)
        unfolded[cell[mode], column] = tensor[cell]
    return unfolded


def multiply(tensor, matrix, mode):
    """Definition 3: the product with a matrix (n_new, n_old) in a mode."""
    return np.moveaxis(np.tensordot(matrix, tensor, axes=(1, mode)), 0, mode)


def joint(codes, classes, n_values, n_classes):
    """Eq. 9: shares, and NaN for rows that never occur."""
    tensor = np.full((*n_values, n_classes), np.nan)
    for row in codes:
        tensor[tuple(row)] = 0.0
    for row, label in zip(codes, classes):
        tensor[(*row, label)] += 1 / len(codes)
    return tensor


def outer(weight, vectors):
    product = np.array(weight)
    for vector in vectors:
        product = np.multiply.outer(product, vector)
    return product


def leading_vectors(tensor):
    return [np.linalg.svd(unfold(tensor, mode))[0][:, 0] for mode in range(tensor.ndim)]


def power_method(tensor, start, n_sweeps):
    """Algorithm 1, for a number of sweeps."""
    vectors = [vector / np.linalg.norm(vector) for vector in start]
    weight = 0.0
    for _ in range(n_sweeps):
        for mode in range(tensor.ndim):
            contracted = tensor
            for other in range(tensor.ndim):
                if other != mode:
                    contracted = multiply(contracted, vectors[other][None], other)
            contracted = contracted.reshape(-1)
            weight = np.linalg.norm(contracted)
            if weight == 0:
                return 0.0, vectors
            vectors[mode] = contracted / weight
    return weight, vectors


def greedy(tensor, n_terms, mask, starts, n_sweeps):
    """Eq. 5; where undefined cells are masked, they are zero in whatever is approximated."""
    undefined = np.isnan(tensor)
    rest = np.where(undefined, 0.0, tensor)
    terms = []
    for term in range(n_terms):
        weight, vectors = power_method(rest, starts(rest, term), n_sweeps)
        terms.append((weight, vectors))
        rest = rest - outer(weight, vectors)
        if mask:
            rest = np.where(undefined, 0.0, rest)
    return terms


def posterior(terms, row):
    """Eq. 10 for one row; None sums a mode out."""
    values = 0.0
    for weight, (*columns, classes) in terms:
        factors = [vector.sum() if value is None else vector[value] for vector, value in zip(columns, row)]
        values = values + weight * np.prod(factors) * classes
    shifted = values - min(0.0, values.min())
    return shifted / shifted.sum()
