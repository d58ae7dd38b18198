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
_MAX_BYTE = 256
_MAX_TERMS = 2**22  # 32 MiB
_BLOCK = 64  # values that are passed over together if no cut between them can be the best
NOT_WHOLE = np.empty(0)


def value_counts(
    values: np.ndarray, classes: np.ndarray, weights: np.ndarray, n_classes: int
) -> tuple[np.ndarray, np.ndarray]:
    """The distinct values of a column, ascending, and their class weights (n_distinct, n_classes).

    NaN and rows of zero weight are left out; values are finite.
    """
    kept, lowest, highest, whole, unit = _survey(values, weights)
    if kept == 0:
        return np.empty(0), np.empty((0, n_classes))
    # Small integers index a table directly, as long as clearing it costs no more than reading the rows.
    if whole and (highest - lowest + 1.0) * n_classes <= 2.0 * len(values) + 1024.0:
        table = _count_integers(values, classes, weights, n_classes, lowest, int(highest - lowest) + 1)
        present = np.flatnonzero(table.any(axis=1))
        return lowest + present, table[present]
    if unit and n_classes <= _MAX_BYTE:
        return _count_units(values, classes, weights, n_classes, kept)
    return _count_sorted(values, classes, weights, n_classes, np.argsort(values), kept)


def whole_terms(total: float) -> np.ndarray:
    """n log n of the whole numbers up to a total, or to a limit of memory: to look up instead of taking logarithms."""
    terms = np.zeros(int(min(total, _MAX_TERMS)) + 1)
    _fill_terms(terms)
    return terms


@njit(cache=True, nogil=True)
def _survey(values, weights):
    """Number of rows that count, their lowest and highest value, and whether values are whole and weights are one."""
    kept = 0
    lowest = np.inf
    highest = -np.inf
    whole = True
    unit = True
    for row in range(len(values)):
        value = values[row]
        if np.isnan(value) or weights[row] == 0.0:
            continue
        kept += 1
        lowest = min(lowest, value)
        highest = max(highest, value)
        if value != np.floor(value):
            whole = False
        if weights[row] != 1.0:
            unit = False
    return kept, lowest, highest, whole, unit


@njit(cache=True, nogil=True)
def _count_integers(values, classes, weights, n_classes, lowest, n_values):
    table = np.zeros((n_values, n_classes))
    for row in range(len(values)):
        if not np.isnan(values[row]) and weights[row] != 0.0:
            table[int(values[row] - lowest), classes[row]] += weights[row]
    return table


def _count_units(values, classes, weights, n_classes, kept):
    """Distinct values and their class counts, of rows of weight one: a radix sort by one byte after another.

    Keys are unsigned integers in the order of the doubles; both zeros have the same.
    """
    keys, labels = np.empty((2, kept), np.uint64), np.empty((2, kept), np.uint8)
    now, n_distinct = _sort_units(
        values, values.view(np.uint64), classes, weights, keys, labels, np.zeros((8, 256), np.int64)
    )
    distinct, counts = np.empty(n_distinct, np.uint64), np.zeros((n_distinct, n_classes))
    _count_runs(keys[now], labels[now], distinct, counts)
    return distinct.view(np.float64), counts


@njit(cache=True, nogil=True)
def _sort_units(values, bits, classes, weights, keys, labels, places):
    """Sort keys and labels in two arrays by turns; the last one's number, and the number of distinct keys."""
    negative, digits = np.uint64(1 << 63), np.uint64(255)
    n = 0
    for row in range(len(values)):
        if np.isnan(values[row]) or weights[row] == 0.0:
            continue
        key = ~bits[row] if bits[row] > negative else bits[row] | negative
        keys[0, n] = key
        labels[0, n] = classes[row]
        n += 1
        for byte in range(8):
            places[byte, (key >> np.uint64(8 * byte)) & digits] += 1
    now = 0
    for byte in range(8):
        shift = np.uint64(8 * byte)
        if places[byte, (keys[now, 0] >> shift) & digits] == n:
            continue
        start = 0
        for digit in range(256):
            start += places[byte, digit]
            places[byte, digit] = start - places[byte, digit]
        for i in range(n):
            key = keys[now, i]
            digit = (key >> shift) & digits
            at = places[byte, digit]
            places[byte, digit] = at + 1
            keys[1 - now, at] = key
            labels[1 - now, at] = labels[now, i]
        now = 1 - now
    n_distinct = 1
    for i in range(1, n):
        n_distinct += keys[now, i] != keys[now, i - 1]
    return now, n_distinct


@njit(cache=True, nogil=True)
def _count_runs(keys, labels, distinct, counts):
    """The doubles of sorted keys without repetition, as bits, and how often each has each label."""
    negative = np.uint64(1 << 63)
    at = -1
    for i in range(len(keys)):
        key = keys[i]
        if i == 0 or key != keys[i - 1]:
            at += 1
            distinct[at] = key ^ negative if key >= negative else ~key
        counts[at, labels[i]] += 1.0


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


@njit(cache=True, nogil=True, no_cpython_wrapper=True)
def _n_log_n(n):
    # Rounding of fractional weights can leave slightly less than zero.
    return n * math.log(n) if n > 0.0 else 0.0


@njit(cache=True, nogil=True)
def _fill_terms(terms):
    for n in range(len(terms)):
        terms[n] = _n_log_n(float(n))


@njit(cache=True, nogil=True, no_cpython_wrapper=True)
def _term(n, terms):
    at = np.uint64(n)
    return terms[at] if at < np.uint64(len(terms)) else _n_log_n(n)


@njit(cache=True, nogil=True, no_cpython_wrapper=True)
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


@njit(cache=True, nogil=True, no_cpython_wrapper=True)
def _lowest_possible(sums, before, after, base, totals, weight, whole):
    """A lower bound of the entropies of all cuts between two; if both are the same, its entropy but for rounding.

    Times the weight, the entropy is the sum of a concave function of every class's weight on the left, and of a convex
    function of their total. A tangent bounds the latter from below, and what it adds to every class is linear, so that
    each class is lowest at one of the two cuts. What is left of them are the ``sums`` of the blocks ``before`` and
    ``after``, less ``base``.
    """
    middle = 0.0
    for c in range(len(base)):
        middle += (sums[before, c] + sums[after, c]) / 2.0 - base[c]
    slope = math.log(middle / (weight - middle))
    bound = middle * math.log(middle) + (weight - middle) * math.log(weight - middle) - slope * middle
    for c in range(len(base)):
        low, high = sums[before, c] - base[c], sums[after, c] - base[c]
        at_low = slope * low - _term(low, whole) - _term(totals[c] - low, whole)
        at_high = slope * high - _term(high, whole) - _term(totals[c] - high, whole)
        bound += min(at_low, at_high)
    return bound / (weight * _LN2)


@njit(cache=True, nogil=True, inline="always")
def _lowest_entropy_cut(counts, first, stop, totals, weight, left, right, left_terms, right_terms, base, whole, sums):
    """Index of the last value left of the best cut, and the class entropy given that cut.

    Sums run in one fixed order, left classes then right classes, because the last bit decides between cuts that are
    equal in exact arithmetic. Terms of classes that a value lacks are reused, which saves most logarithms; those of
    ``whole`` numbers are looked up. With ``sums``, of the counts before every block of values, blocks that cannot hold
    the best cut are passed over.
    """
    n_classes = counts.shape[1]
    begin, end = (first + _BLOCK) // _BLOCK, (stop - 1) // _BLOCK  # the cuts between blocks within this part
    skips = len(sums) > 0 and begin < end
    bar = np.inf
    if skips:
        _sum_rows(counts, sums, first, begin * _BLOCK, base)
        for c in range(n_classes):
            base[c] = sums[begin, c] - base[c]
        for block in range(begin, end + 1):
            bar = min(bar, _lowest_possible(sums, block, block, base, totals, weight, whole))
        bar += _ROUNDING * math.log(weight)  # far above the rounding errors of entropies
    best = -1
    lowest = np.inf
    start = first
    while start < stop - 1:
        block = start // _BLOCK
        done = min(stop - 1, (block + 1) * _BLOCK) if skips else stop - 1
        if (
            skips
            and begin <= block < end
            and _lowest_possible(sums, block, block + 1, base, totals, weight, whole) > bar
        ):
            start = done
            continue
        for c in range(n_classes):
            left[c] = sums[block, c] - base[c] if start > first else 0.0
            right[c] = totals[c] - left[c]
            left_terms[c] = _term(left[c], whole)
            right_terms[c] = _term(right[c], whole)
        for i in range(start, done):
            for c in range(n_classes):
                moved = counts[i, c]
                if moved != 0.0:
                    left[c] += moved
                    right[c] -= moved
                    left_terms[c] = _term(left[c], whole)
                    right_terms[c] = _term(right[c], whole)
            left_total = 0.0
            right_total = 0.0
            terms = 0.0
            for c in range(n_classes):
                terms += left_terms[c]
                left_total += left[c]
            terms -= _term(left_total, whole)
            for c in range(n_classes):
                terms += right_terms[c]
                right_total += right[c]
            terms -= _term(right_total, whole)
            entropy = -terms / ((left_total + right_total) * _LN2)
            if entropy < lowest:
                lowest = entropy
                best = i
        start = done
    return best, lowest


@njit(cache=True, nogil=True, no_cpython_wrapper=True)
def _sum_rows(counts, sums, first, stop, out):
    """Counts of some values; with ``sums`` of blocks, which are exact, most need not be read."""
    for c in range(counts.shape[1]):
        out[c] = 0.0
    begin, end = (first + _BLOCK - 1) // _BLOCK, stop // _BLOCK
    if len(sums) == 0 or begin >= end:
        begin = end = stop // _BLOCK + 1
    else:
        for c in range(counts.shape[1]):
            out[c] = sums[end, c] - sums[begin, c]
    for i in range(first, min(stop, begin * _BLOCK)):
        for c in range(counts.shape[1]):
            out[c] += counts[i, c]
    for i in range(end * _BLOCK, stop):
        for c in range(counts.shape[1]):
            out[c] += counts[i, c]


@njit(cache=True, nogil=True, no_cpython_wrapper=True)
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


def mdl_cut_points_between_cells(
    lowest: np.ndarray,
    highest: np.ndarray,
    counts: np.ndarray,
    kononenko: bool,
    better_encoding: bool,
    whole: np.ndarray = NOT_WHOLE,
) -> np.ndarray:
    """Ascending MDL cut points between cells of values, from the lowest and highest value of each cell.

    `counts` are the class weights of each cell, none all zero. `kononenko` takes Kononenko's (1995) rule to accept a
    cut; `better_encoding` charges for the choice among candidate cuts instead of rows. `whole` are the `whole_terms` of
    the total, if all counts are whole.
    """
    # Counts before every block of values; those of fractional weights would depend on the order of the sums.
    sums = np.zeros((1 + (len(counts) - 1) // _BLOCK + 1 if len(whole) else 0, counts.shape[1]))
    if len(whole):
        np.cumsum(np.add.reduceat(counts, np.arange(0, len(counts), _BLOCK), axis=0), axis=0, out=sums[1:])
    is_cut = np.zeros(len(counts), np.bool_)
    parts = np.empty((len(counts) + 1, 2), np.int64)
    _find_cuts(counts, kononenko, better_encoding, whole, sums, np.empty((6, counts.shape[1])), parts, is_cut)
    before = np.flatnonzero(is_cut)
    low, high = highest[before], lowest[before + 1]
    with np.errstate(over="ignore"):
        middle = (low + high) / 2.0
    # Overflow and adjacent doubles: the midpoint must still separate the two values.
    return np.where((low <= middle) & (middle < high), middle, low)


def mdl_cut_points(
    distinct: np.ndarray, counts: np.ndarray, kononenko: bool, better_encoding: bool, whole: np.ndarray = NOT_WHOLE
) -> np.ndarray:
    """Ascending MDL cut points of distinct ascending values; a value larger than a cut belongs to its right."""
    return mdl_cut_points_between_cells(distinct, distinct, counts, kononenko, better_encoding, whole)


@njit(cache=True, nogil=True)
def _find_cuts(counts, kononenko, better_encoding, whole, sums, work, parts, is_cut):
    """Mark the last value before every cut; ``parts`` has room for the parts that are pending.

    They are disjoint and not empty, so there are never more than there are values.
    """
    totals, left, right, left_terms, right_terms, base = work[0], work[1], work[2], work[3], work[4], work[5]
    parts[0, 0], parts[0, 1] = 0, len(counts)
    pending = 1
    while pending > 0:
        pending -= 1
        first, stop = parts[pending, 0], parts[pending, 1]
        if stop - first < 2:
            continue
        _sum_rows(counts, sums, first, stop, totals)
        entropy, present, weight = _entropy(totals)
        if weight <= 1.0 or present < 2:
            continue
        best, entropy_after = _lowest_entropy_cut(
            counts, first, stop, totals, weight, left, right, left_terms, right_terms, base, whole, sums
        )
        if not entropy_after < entropy:
            continue
        # Summed anew, so that a rounding error is not mistaken for a class that is present.
        _sum_rows(counts, sums, first, best + 1, left)
        _sum_rows(counts, sums, best + 1, stop, right)
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
            parts[pending, 0], parts[pending, 1] = first, best + 1
            parts[pending + 1, 0], parts[pending + 1, 1] = best + 1, stop
            pending += 2
