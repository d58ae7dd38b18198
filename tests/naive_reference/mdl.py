"""Minimum description length discretisation, row by row (Fayyad & Irani 1993; Kononenko 1995)."""

import math
from itertools import pairwise


def cut_points(values, classes, weights, n_classes, criterion="fayyad_irani", better_encoding=False):
    """Cut points of one column; missing values and rows of weight zero have no part in them."""
    rows = [
        (value, label, weight)
        for value, label, weight in zip(values, classes, weights)
        if not math.isnan(value) and weight > 0
    ]
    return sorted(_cuts_of_part(rows, n_classes, criterion, better_encoding))


def codes(values, cuts):
    """How many cut points lie below each value, -1 for a missing one."""
    return [-1 if math.isnan(value) else sum(value > cut for cut in cuts) for value in values]


def _cuts_of_part(rows, n_classes, criterion, better_encoding):
    whole = _class_weights(rows, n_classes)
    weight = sum(whole)
    if weight <= 1:
        return []
    neighbours = list(pairwise(sorted({value for value, _, _ in rows})))
    best = None
    lowest = _entropy(whole)
    for low, high in neighbours:
        left = [row for row in rows if row[0] <= low]
        right = [row for row in rows if row[0] >= high]
        entropy = _entropy(_class_weights(left, n_classes), _class_weights(right, n_classes))
        if entropy < lowest:
            lowest = entropy
            best = (low, high, left, right)
    if best is None:
        return []
    low, high, left, right = best
    parts = [_class_weights(left, n_classes), _class_weights(right, n_classes)]
    cut_bits = math.log2(len(neighbours) if better_encoding else weight - 1)
    if criterion == "fayyad_irani":
        k = _present(whole)
        delta = math.log2(3**k - 2) - (k * _entropy(whole) - sum(_present(p) * _entropy(p) for p in parts))
        accepted = _entropy(whole) - lowest > (cut_bits + delta) / weight
    else:
        k = _present(whole)
        before, after = _description(whole, k), cut_bits + sum(_description(part, k) for part in parts)
        accepted = before > after and not math.isclose(before, after, rel_tol=1e-12)
    if not accepted:
        return []
    return [
        (low + high) / 2,
        *_cuts_of_part(left, n_classes, criterion, better_encoding),
        *_cuts_of_part(right, n_classes, criterion, better_encoding),
    ]


def _class_weights(rows, n_classes):
    return [sum(weight for _, label, weight in rows if label == c) for c in range(n_classes)]


def _present(part):
    return sum(n > 0 for n in part)


def _entropy(*parts):
    """Entropy in bits of the class given the part; summed in the order that decides between equal cuts."""
    terms = 0.0
    for part in parts:
        for n in part:
            terms += _n_log_n(n)
        terms -= _n_log_n(sum(part))
    return -terms / (sum(sum(part) for part in parts) * math.log(2))


def _n_log_n(n):
    return n * math.log(n) if n > 0 else 0.0


def _description(part, k):
    """log2 of binomial(W + k - 1, k - 1) and of the multinomial of the class weights."""
    total = sum(part)
    distributions = _log_factorial(total + k - 1) - _log_factorial(k - 1) - _log_factorial(total)
    arrangements = _log_factorial(total) - sum(_log_factorial(n) for n in part)
    return (distributions + arrangements) / math.log(2)


def _log_factorial(n):
    return math.lgamma(n + 1)
