"""Mixtures of independent columns by their definition, and expectation maximization as loops over everything."""

import itertools
import math


def completions(row, n_values):
    """All rows that a row with missing values (-1) may be."""
    return itertools.product(*(range(size) if value < 0 else [value] for value, size in zip(row, n_values)))


def component(row, label, k, weights, columns, classes):
    """pi_k P(c | k) prod_n P(x_n | k), with ``columns[n][value][k]``."""
    return weights[k] * classes[label][k] * math.prod(columns[n][value][k] for n, value in enumerate(row))


def summed_out(row, label, k, weights, columns, classes):
    """The same, summed over what is missing."""
    n_values = [len(column) for column in columns]
    return sum(component(full, label, k, weights, columns, classes) for full in completions(row, n_values))


def log_likelihood(rows, counts, weights, columns, classes):
    """Sum over rows and classes of count times log P(x, c)."""
    total = 0.0
    for row, of_row in zip(rows, counts):
        for label, count in enumerate(of_row):
            if count > 0:
                joint = sum(summed_out(row, label, k, weights, columns, classes) for k in range(len(weights)))
                total += count * math.log(joint)
    return total


def log_prior(smoothing, weights, columns, classes):
    """Log probabilities times pseudo-counts: ``smoothing`` for every distribution, spread evenly."""
    distributions = [weights]
    for k in range(len(weights)):
        distributions.append([of_class[k] for of_class in classes])
        distributions += [[of_value[k] for of_value in column] for column in columns]
    return sum(smoothing / len(each) * sum(math.log(p) for p in each) for each in distributions)


def smoothed(counts, smoothing):
    """A distribution from counts."""
    return [(count + smoothing / len(counts)) / (sum(counts) + smoothing) for count in counts]


def em_step(rows, counts, smoothing, weights, columns, classes):
    """The next weights, columns and classes."""
    n_terms, n_columns = len(weights), len(columns)
    of_weights = [0.0] * n_terms
    of_columns = [[[0.0] * len(columns[n]) for n in range(n_columns)] for _ in range(n_terms)]
    of_classes = [[0.0] * len(classes) for _ in range(n_terms)]
    for row, of_row in zip(rows, counts):
        for label, count in enumerate(of_row):
            joint = [summed_out(row, label, k, weights, columns, classes) for k in range(n_terms)]
            for k in range(n_terms):
                responsible = count * joint[k] / sum(joint)
                of_weights[k] += responsible
                of_classes[k][label] += responsible
                for n, value in enumerate(row):
                    if value >= 0:
                        of_columns[k][n][value] += responsible
    columns_of = [[smoothed(of_columns[k][n], smoothing) for k in range(n_terms)] for n in range(n_columns)]
    classes_of = [smoothed(of_classes[k], smoothing) for k in range(n_terms)]
    return (
        smoothed(of_weights, smoothing),
        [[list(of_value) for of_value in zip(*column)] for column in columns_of],
        [list(of_class) for of_class in zip(*classes_of)],
    )
