"""Naive Bayes with an exponent a column, as its formulas read: what rows score, how wrong it is, and its gradient.

``log_factors[i][j][y]`` is log P(x_ij | y), 0 where the value is missing.
"""

import math

from tests.naive_reference.information import mutual_information


def log_normal(x, mean, variance):
    """The logarithm of a Gaussian density."""
    return -0.5 * math.log(2 * math.pi * variance) - (x - mean) ** 2 / (2 * variance)


def posterior(log_prior, of_row, exponents):
    """P(y | x) ∝ P(y) Π P(x_j | y)^w_j."""
    scores = []
    for y in range(len(log_prior)):
        score = log_prior[y]
        for j, w in enumerate(exponents):
            score += w * of_row[j][y]
        scores.append(score)
    shares = [math.exp(score - max(scores)) for score in scores]
    return [share / sum(shares) for share in shares]


def log_loss(log_prior, log_factors, classes, weights, exponents):
    """The mean of -log P(y_i | x_i), and Σ_i [-log θ_j,y_i + Σ_y P(y | x_i) log θ_jy] / n for every j."""
    loss, gradient = 0.0, [0.0] * len(exponents)
    for of_row, own, weight in zip(log_factors, classes, weights):
        p = posterior(log_prior, of_row, exponents)
        loss -= weight * math.log(p[own])
        for j in range(len(exponents)):
            expected = 0.0
            for y in range(len(log_prior)):
                expected += p[y] * of_row[j][y]
            gradient[j] += weight * (expected - of_row[j][own])
    total = sum(weights)
    return loss / total, [slope / total for slope in gradient]


def squared_loss(log_prior, log_factors, classes, weights, exponents):
    """The mean of ½ Σ_y (1[y = y_i] - P(y | x_i))², and its gradient."""
    loss, gradient = 0.0, [0.0] * len(exponents)
    for of_row, own, weight in zip(log_factors, classes, weights):
        p = posterior(log_prior, of_row, exponents)
        for y in range(len(log_prior)):
            error = (y == own) - p[y]
            loss += weight * 0.5 * error**2
            for j in range(len(exponents)):
                expected = sum(p[other] * of_row[j][other] for other in range(len(log_prior)))
                gradient[j] -= weight * error * p[y] * (of_row[j][y] - expected)
    total = sum(weights)
    return loss / total, [slope / total for slope in gradient]


def equal_width_bins(column, n_bins):
    """The bin of every number of a column; -1 where there is none."""
    known = [x for x in column if not math.isnan(x)]
    low, high = min(known, default=0.0), max(known, default=0.0)
    bins = []
    for x in column:
        if math.isnan(x):
            bins.append(-1)
        elif low == high:
            bins.append(0)
        else:
            bins.append(min(math.floor((x - low) / (high - low) * n_bins), n_bins - 1))
    return bins


def correlation_weights(codes, classes, weights):
    """CFWNB: sigmoid(NI(A_j; C) - 1/(m-1) Σ_{i≠j} NI(A_j; A_i)), each divided by its mean."""
    columns = [list(column) for column in zip(*codes)]
    m = len(columns)
    relevance = [mutual_information(column, classes, weights) for column in columns]
    redundancy = {
        (i, j): mutual_information(columns[i], columns[j], weights) for i in range(m) for j in range(m) if i != j
    }
    mean_relevance = sum(relevance) / m
    mean_redundancy = sum(redundancy.values()) / (m * (m - 1)) if m > 1 else 0.0
    found = []
    for j in range(m):
        difference = relevance[j] / mean_relevance if mean_relevance > 0 else 0.0
        for i in range(m):
            if i != j and mean_redundancy > 0:
                difference -= redundancy[j, i] / mean_redundancy / (m - 1)
        found.append(1 / (1 + math.exp(-difference)))
    return found
