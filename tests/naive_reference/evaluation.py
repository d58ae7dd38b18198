"""Metrics, tests of significance and decompositions of the error, as their definitions read."""

import itertools
import math
from fractions import Fraction


def average_precision(positive, scores):
    """Sum over all thresholds of the gain in recall times the precision there."""
    total, before = 0.0, 0.0
    for threshold in sorted(set(scores), reverse=True):
        chosen = [is_positive for is_positive, score in zip(positive, scores) if score >= threshold]
        recall = sum(chosen) / sum(positive)
        total += (recall - before) * sum(chosen) / len(chosen)
        before = recall
    return total


def auc_pr(truth, ranking):
    """Mean average precision over the classes that have a row."""
    found = []
    for label in range(len(ranking[0])):
        positive = [int(of_row == label) for of_row in truth]
        if any(positive):
            found.append(average_precision(positive, [scores[label] for scores in ranking]))
    return sum(found) / len(found)


def log_loss(truth, probabilities, smallest):
    return sum(-math.log(max(p[label], smallest)) for label, p in zip(truth, probabilities)) / len(truth)


def brier(truth, probabilities):
    total = 0.0
    for label, p in zip(truth, probabilities):
        for c in range(len(p)):
            total += (p[c] - (1 if c == label else 0)) ** 2
    return total / len(truth)


def calibration_error(truth, predicted, probabilities, n_bins):
    """Sum over bins (low, high] of their share of the rows times |share of right ones - mean confidence|."""
    total = 0.0
    for b in range(1, n_bins + 1):
        inside = []
        for label, guess, p in zip(truth, predicted, probabilities):
            if (b - 1) / n_bins < p[guess] <= b / n_bins or (b == 1 and p[guess] == 0):
                inside.append((p[guess], guess == label))
        if inside:
            confidence = sum(row[0] for row in inside) / len(inside)
            right = sum(row[1] for row in inside) / len(inside)
            total += len(inside) / len(truth) * abs(right - confidence)
    return total


def rank(values):
    """1 for the smallest; equal values have the mean of their places."""
    return [sum(v < value for v in values) + (1 + sum(v == value for v in values)) / 2 for value in values]


def average_ranks(scores):
    """Mean ranks of the columns, the highest score first."""
    ranks = [rank([-score for score in row]) for row in scores]
    return [sum(column) / len(ranks) for column in zip(*ranks)]


def friedman(scores):
    """Friedman's chi-squared and Iman and Davenport's F, as printed by Demšar."""
    n, k = len(scores), len(scores[0])
    chi2 = 12 * n / (k * (k + 1)) * (sum(r**2 for r in average_ranks(scores)) - k * (k + 1) ** 2 / 4)
    below = n * (k - 1) - chi2
    return chi2, (math.inf if abs(below) < 1e-9 else (n - 1) * chi2 / below)


def tie_correction(scores):
    """What Friedman's chi-squared is divided by."""
    n, k = len(scores), len(scores[0])
    ties = sum(row.count(value) ** 3 - row.count(value) for row in scores for value in set(row))
    return 1 - ties / (n * k * (k * k - 1))


def cliques(ranks, critical_difference):
    """Sets of two or more models, all nearer than the critical difference, that no other such set contains."""
    groups = []
    for size in range(2, len(ranks) + 1):
        for group in itertools.combinations(range(len(ranks)), size):
            if all(abs(ranks[i] - ranks[j]) < critical_difference for i, j in itertools.combinations(group, 2)):
                groups.append(set(group))
    return [group for group in groups if not any(group < other for other in groups)]


def wilcoxon(differences):
    """R+, R-, z and the exact p over all signs; zeros are split, one of an odd number is dropped."""
    differences = list(differences)
    if differences.count(0) % 2:
        differences.remove(0)
    n = len(differences)
    ranks = rank([abs(d) for d in differences])
    r_plus = sum(r if d > 0 else r / 2 if d == 0 else 0 for d, r in zip(differences, ranks))
    r_minus = sum(r if d < 0 else r / 2 if d == 0 else 0 for d, r in zip(differences, ranks))
    smaller = min(r_plus, r_minus)
    z = (smaller - n * (n + 1) / 4) / math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    as_small = sum(
        sum(itertools.compress(ranks, signs)) <= smaller for signs in itertools.product((False, True), repeat=n)
    )
    return r_plus, r_minus, z, min(1.0, 2 * as_small / 2**n)


def sign_test(wins, ties, losses):
    """Chance of a fair coin to fall as unevenly, in either direction."""
    wins, losses = wins + ties // 2, losses + ties // 2
    n = wins + losses
    as_uneven = sum(math.comb(n, heads) for heads in range(n + 1) if abs(2 * heads - n) >= abs(wins - losses))
    return as_uneven / 2**n


def corrected_t(a, b, test_share):
    """Mean, standard error and t of the differences, with the variance of Nadeau and Bengio."""
    differences = [one - other for one, other in zip(a, b)]
    n = len(differences)
    mean = sum(differences) / n
    variance = sum((d - mean) ** 2 for d in differences) / (n - 1)
    error = math.sqrt((1 / n + test_share) * variance)
    return mean, error, mean / error


def holm(p_values):
    """The smallest level at which each hypothesis is rejected, step by step from the smallest p."""
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for step, place in enumerate(sorted(range(len(p_values)), key=lambda place: p_values[place])):
        highest = max(highest, (len(p_values) - step) * p_values[place])
        adjusted[place] = min(1.0, highest)
    return adjusted


def webb(predictions, truth):
    """Error, bias and variance as fractions, averaged over rows and over the modes of a row."""
    error = bias = variance = Fraction(0)
    for row, label in zip(predictions, truth):
        most = max(row.count(c) for c in row)
        modes = [c for c in set(row) if row.count(c) == most]
        error += Fraction(sum(c != label for c in row), len(row))
        for mode in modes:
            bias += Fraction(sum(c != label and c == mode for c in row), len(row) * len(modes))
            variance += Fraction(sum(c != label and c != mode for c in row), len(row) * len(modes))
    return error / len(truth), bias / len(truth), variance / len(truth)


def kohavi_wolpert(predictions, truth, n_classes, corrected):
    """Squared bias and variance as fractions."""
    bias = variance = Fraction(0)
    for row, label in zip(predictions, truth):
        shares = [Fraction(row.count(c), len(row)) for c in range(n_classes)]
        for c, share in enumerate(shares):
            bias += (int(c == label) - share) ** 2 / 2
            if corrected:
                bias -= share * (1 - share) / (len(row) - 1) / 2
        variance += (1 - sum(share**2 for share in shares)) / 2
    return bias / len(truth), variance / len(truth)
