"""Entropy, mutual information and conditional mutual information, in bits, term by term."""

import itertools
import math

from tests.naive_reference.naive import MISSING, smooth


def entropy(weights):
    """Entropy of the distribution proportional to the weights."""
    total = sum(weights)
    return -sum(weight / total * math.log2(weight / total) for weight in weights if weight > 0)


def _joint_weights(w, *codes):
    """Weight of every combination of codes, over the rows in which all of them are observed."""
    cells = {}
    for weight, *cell in zip(w, *codes):
        if MISSING not in cell and weight > 0:
            cells[tuple(cell)] = cells.get(tuple(cell), 0.0) + weight
    return cells


def _sum_over(cells, *kept):
    """Marginal weights: the cells with only the kept positions."""
    marginal = {}
    for cell, weight in cells.items():
        key = tuple(cell[position] for position in kept)
        marginal[key] = marginal.get(key, 0.0) + weight
    return marginal


def mutual_information(x, y, w, smallest=0.0):
    """I(X; Y) of two code vectors, from the rows in which both are observed.

    A term is left out if its joint probability, or the product of its marginals, is below `smallest`
    (WEKA's rule, with 1e-6).
    """
    cells = _joint_weights(w, x, y)
    n = sum(cells.values())
    of_x, of_y = _sum_over(cells, 0), _sum_over(cells, 1)
    information = 0.0
    for (a, c), weight in cells.items():
        p, independent = weight / n, of_x[a,] / n * of_y[c,] / n
        if p >= smallest and independent >= smallest:
            # The ratio from counts, not from probabilities: independent columns then give zero, not 1e-17.
            information += p * math.log2(weight * n / (of_x[a,] * of_y[c,]))
    return information


def conditional_mutual_information(a, b, y, w, smallest=0.0):
    """I(A; B | Y) of code vectors, from the rows in which all three are observed.

    A term is left out if p(a,b,y) p(y) or p(a,y) p(b,y) is below `smallest` (WEKA's rule, with 1e-6).
    """
    cells = _joint_weights(w, a, b, y)
    n = sum(cells.values())
    with_a, with_b, of_y = _sum_over(cells, 0, 2), _sum_over(cells, 1, 2), _sum_over(cells, 2)
    information = 0.0
    for (i, j, c), weight in cells.items():
        p = weight / n
        together, apart = p * of_y[c,] / n, with_a[i, c] / n * with_b[j, c] / n
        if together >= smallest and apart >= smallest:
            information += p * math.log2(weight * of_y[c,] / (with_a[i, c] * with_b[j, c]))
    return information


def smoothed_mutual_information(counts, n_values, columns, smoothing, m, smallest=1e-6):
    """Mutual information of a set of columns with the class, from smoothed probabilities of every cell.

    The weights of the averaged n-dependence estimators. For a single column P(a) is relative to all rows,
    even where the column is missing; for several columns to the rows in which all are observed. Both are
    WEKA's.
    """
    in_class = counts.per_class()
    everything = counts.total_weight
    complete = counts.observed(*columns)
    n_cells = math.prod(n_values[column] for column in columns)
    of_class = smooth(in_class, everything, counts.n_classes, smoothing, m)
    information = 0.0
    for codes in itertools.product(*(range(n_values[column]) for column in columns)):
        joint = counts.per_class(*zip(columns, codes))
        of_cell = smooth(joint.sum(), everything if len(columns) == 1 else complete, n_cells, smoothing, m)
        for k in range(counts.n_classes):
            p = smooth(joint[k], complete, counts.n_classes * n_cells, smoothing, m)
            independent = of_class[k] * of_cell
            if p >= smallest and independent >= smallest:
                information += p * math.log2(p / independent)
    return information
