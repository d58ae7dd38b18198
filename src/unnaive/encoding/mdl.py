"""Cut points of a numeric column by the minimum description length rule (Fayyad & Irani 1993).

The work is split in two, so that cut points can also be found from merged counts: `value_counts` reduces a column to
class weights per distinct value, and `mdl_cut_points` sees only those.
"""

import math

import numpy as np

from unnaive.core.compiled import njit

_LN2 = math.log(2.0)
_LOG2_3 = math.log2(3.0)
# Up to this many classes 3**k is a finite double.
_LARGEST_EXACT_POWER = 600
# Kononenko's criterion has exact ties, such as counts (1, 0) beside (1, 1); rounding must not accept them.
_ROUNDING = 1e-12


def value_counts(
    values: np.ndarray, classes: np.ndarray, weights: np.ndarray, n_classes: int
) -> tuple[np.ndarray, np.ndarray]:
    """The distinct values of a column, ascending, and their class weights (n_distinct, n_classes).

    NaN and rows of zero weight are left out; values are finite.
    """
    kept, lowest, highest, whole = _survey(values, weights)
    if kept == 0:
        return np.empty(0), np.empty((0, n_classes))
    # Small integers index a table directly, as long as clearing it costs no more than reading the rows.
    if whole and (highest - lowest + 1.0) * n_classes <= 2.0 * len(values) + 1024.0:
        table = _count_integers(values, classes, weights, n_classes, lowest, int(highest - lowest) + 1)
        present = np.flatnonzero(table.any(axis=1))
        return lowest + present, table[present]
    return _count_sorted(values, classes, weights, n_classes, np.argsort(values), kept)


@njit(cache=True, nogil=True)
def _survey(values, weights):
    """Number of rows that count, their lowest and highest value, and whether all values are integers."""
    kept = 0
    lowest = np.inf
    highest = -np.inf
    whole = True
    for row in range(len(values)):
        value = values[row]
        if np.isnan(value) or weights[row] == 0.0:
            continue
        kept += 1
        lowest = min(lowest, value)
        highest = max(highest, value)
        if value != np.floor(value):
            whole = False
    return kept, lowest, highest, whole


@njit(cache=True, nogil=True)
def _count_integers(values, classes, weights, n_classes, lowest, n_values):
    table = np.zeros((n_values, n_classes))
    for row in range(len(values)):
        if not np.isnan(values[row]) and weights[row] != 0.0:
            table[int(values[row] - lowest), classes[row]] += weights[row]
    return table


@njit(cache=True, nogil=True)
def _count_sorted(values, classes, weights, n_classes, order, kept):
    distinct = np.empty(kept)
    m = 0
    for row in order:
        if np.isnan(values[row]) or weights[row] == 0.0:
            continue
        if m == 0 or values[row] != distinct[m - 1]:
            distinct[m] = values[row]
            m += 1
    distinct = distinct[:m].copy()
    counts = np.zeros((m, n_classes))
    at = 0
    for row in order:
        if np.isnan(values[row]) or weights[row] == 0.0:
            continue
        if values[row] != distinct[at]:
            at += 1
        counts[at, classes[row]] += weights[row]
    return distinct, counts


@njit(cache=True, nogil=True)
def _n_log_n(n):
    # Rounding of fractional weights can leave slightly less than zero.
    return n * math.log(n) if n > 0.0 else 0.0


@njit(cache=True, nogil=True)
def _entropy(counts):
    """Entropy in bits, the number of classes present and their total weight."""
    total = 0.0
    terms = 0.0
    present = 0
    for n in counts:
        terms += _n_log_n(n)
        total += n
        if n > 0.0:
            present += 1
    return -(terms - _n_log_n(total)) / (total * _LN2), present, total


@njit(cache=True, nogil=True)
def _lowest_entropy_cut(counts, first, stop, totals, left, right, left_terms, right_terms):
    """Index of the last value left of the best cut, and the class entropy given that cut.

    Sums run in one fixed order, left classes then right classes, because the last bit decides between cuts that are
    equal in exact arithmetic. Terms of classes that a value lacks are reused, which saves most logarithms.
    """
    n_classes = counts.shape[1]
    for c in range(n_classes):
        left[c] = 0.0
        right[c] = totals[c]
        left_terms[c] = 0.0
        right_terms[c] = _n_log_n(totals[c])
    best = -1
    lowest = np.inf
    for i in range(first, stop - 1):
        for c in range(n_classes):
            moved = counts[i, c]
            if moved != 0.0:
                left[c] += moved
                right[c] -= moved
                left_terms[c] = _n_log_n(left[c])
                right_terms[c] = _n_log_n(right[c])
        left_total = 0.0
        right_total = 0.0
        terms = 0.0
        for c in range(n_classes):
            terms += left_terms[c]
            left_total += left[c]
        terms -= _n_log_n(left_total)
        for c in range(n_classes):
            terms += right_terms[c]
            right_total += right[c]
        terms -= _n_log_n(right_total)
        entropy = -terms / ((left_total + right_total) * _LN2)
        if entropy < lowest:
            lowest = entropy
            best = i
    return best, lowest


@njit(cache=True, nogil=True)
def _sum_rows(counts, first, stop, out):
    out[:] = 0.0
    for i in range(first, stop):
        for c in range(counts.shape[1]):
            out[c] += counts[i, c]


@njit(cache=True, nogil=True)
def _log2_description(counts, present):
    """Bits to encode the counts of `present` classes, and then the class of every row.

    log2 of the binomial (W + k - 1 over k - 1), plus log2 of the multinomial W! / Π n!; the two W! cancel.
    """
    total = 0.0
    factorials = 0.0
    for n in counts:
        total += n
        factorials += math.lgamma(n + 1.0)
    return (math.lgamma(total + present) - math.lgamma(float(present)) - factorials) / _LN2


@njit(cache=True, nogil=True)
def mdl_cut_points_between_cells(lowest, highest, counts, kononenko, better_encoding):
    """Ascending MDL cut points between cells of values, from the lowest and highest value of each cell.

    `counts` are the class weights of each cell, none all zero. `kononenko` takes Kononenko's (1995) rule to accept a
    cut; `better_encoding` charges for the choice among candidate cuts instead of rows.
    """
    m, n_classes = counts.shape
    totals = np.empty(n_classes)
    left = np.empty(n_classes)
    right = np.empty(n_classes)
    left_terms = np.empty(n_classes)
    right_terms = np.empty(n_classes)
    is_cut = np.zeros(m, dtype=np.bool_)
    # Pending parts are disjoint and not empty, so there are never more than m.
    first_of = np.empty(m + 1, dtype=np.int64)
    stop_of = np.empty(m + 1, dtype=np.int64)
    first_of[0] = 0
    stop_of[0] = m
    pending = 1
    while pending > 0:
        pending -= 1
        first = first_of[pending]
        stop = stop_of[pending]
        if stop - first < 2:
            continue
        _sum_rows(counts, first, stop, totals)
        entropy, present, weight = _entropy(totals)
        if weight <= 1.0 or present < 2:
            continue
        best, entropy_after = _lowest_entropy_cut(counts, first, stop, totals, left, right, left_terms, right_terms)
        if not entropy_after < entropy:
            continue
        # Summed anew, so that a rounding error is not mistaken for a class that is present.
        _sum_rows(counts, first, best + 1, left)
        _sum_rows(counts, best + 1, stop, right)
        choices = stop - first - 1.0 if better_encoding else weight - 1.0
        cut_bits = math.log(choices) / _LN2
        if kononenko:
            bits = _log2_description(totals, present)
            bits_after = cut_bits + _log2_description(left, present) + _log2_description(right, present)
            accepted = bits - bits_after > _ROUNDING * bits
        else:
            left_entropy, left_present, _ = _entropy(left)
            right_entropy, right_present, _ = _entropy(right)
            class_bits = math.log(3.0**present - 2.0) / _LN2 if present <= _LARGEST_EXACT_POWER else present * _LOG2_3
            class_bits -= present * entropy - left_present * left_entropy - right_present * right_entropy
            accepted = entropy - entropy_after > (cut_bits + class_bits) / weight
        if accepted:
            is_cut[best] = True
            first_of[pending] = first
            stop_of[pending] = best + 1
            first_of[pending + 1] = best + 1
            stop_of[pending + 1] = stop
            pending += 2

    cuts = np.empty(is_cut.sum())
    found = 0
    for i in range(m):
        if is_cut[i]:
            low = float(highest[i])
            high = float(lowest[i + 1])
            middle = (low + high) / 2.0
            # Overflow and adjacent doubles: the midpoint must still separate the two values.
            cuts[found] = middle if low <= middle < high else low
            found += 1
    return cuts


@njit(cache=True, nogil=True)
def mdl_cut_points(distinct, counts, kononenko, better_encoding):
    """Ascending MDL cut points of distinct ascending values; a value larger than a cut belongs to its right."""
    return mdl_cut_points_between_cells(distinct, distinct, counts, kononenko, better_encoding)
