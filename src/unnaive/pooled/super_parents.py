"""Super-parent ensemble: naive Bayes networks whose columns share a few random parents, each on its own random bins.

Every member cuts the numbers anew, draws a few columns as common parents of all others, and counts. Its estimates back
off from all parents to none, so its answers for a counted row without that row need no other counts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from unnaive.core.compiled import njit
from unnaive.encoding.byte_codes import MISSING

_MAX_PARENT_VALUES = 8  # of a category; more are grouped at random
_MAX_CELLS = 2**20  # probabilities per member
_MEMBERS_PER_LOG = 8  # whose probabilities are multiplied before a logarithm is taken; see _score
_ROOT = 1.0  # weight of the uniform distribution in the estimates without parents
_BACK_OFF = 2.0  # weight of the estimate with one parent less


class Views(NamedTuple):
    """What each member sees of a byte: a slot of its tables, and as a parent one of a few values."""

    slots: NDArray[np.int32]  # (n_members, n_columns, 256); the last slot is that of no value
    n_slots: NDArray[np.int64]  # (n_members,), without the last
    sizes: NDArray[np.int64]  # (n_members, n_columns), slots of each column
    parents: NDArray[np.int64]  # (n_members, n_parents)
    parent_values: NDArray[np.uint8]  # (n_members, n_parents, 256), MISSING: not seen as a parent


class Contexts(NamedTuple):
    """Combinations of parents' values that occur, of all members: the empty one of each, then those that extend it."""

    first: NDArray[np.int64]  # (n_members,), the empty combination
    child: NDArray[np.int32]  # (n_contexts, _MAX_PARENT_VALUES + 1), -1: does not occur
    above: NDArray[np.int32]  # (n_contexts,), -1: none
    cells: NDArray[np.int64]  # (n_contexts,), where the probabilities begin


class SuperParents(NamedTuple):
    """A counted ensemble: ``counts`` and ``probabilities`` have the class innermost."""

    views: Views
    contexts: Contexts
    counts: NDArray[np.float64]
    weight: NDArray[np.float64]  # (n_contexts, n_classes)
    probabilities: NDArray[np.float64]
    log_prior: NDArray[np.float64]


def draw_views(
    ranks: NDArray[np.float64],
    n_bytes: NDArray[np.int64],
    has_missing: NDArray[np.bool_],
    is_categorical: NDArray[np.bool_],
    n_members: int,
    n_parents: int,
    n_bins: NDArray[np.int64],
    random: Generator,
) -> Views:
    """Draw bins and parents.

    ``ranks[j, q]`` is the share of the rows below the middle of byte q of column j, and ``n_bins`` are the numbers of
    bins that members take in turn. Nothing here depends on the classes.
    """
    n_columns = len(n_bytes)
    n_parents = min(n_parents, n_columns - 1)
    n_rounds = -(-n_members * n_parents // n_columns)
    turns = [random.permutation(n_columns) for _ in range(n_rounds)]
    parents = np.empty((n_members, n_parents), np.int64)
    if n_parents:
        parents[:] = _distinct_in_turn(np.concatenate(turns), n_members, n_parents)
    shifts = random.random((n_members, n_columns))
    parent_shifts = random.random((n_members, n_parents))
    parent_bins = random.integers(1, 4, (n_members, n_parents))
    groups = random.integers(0, _MAX_PARENT_VALUES, (n_members, n_parents, 256)).astype(np.uint8)
    slots = np.empty((n_members, n_columns, 256), np.int32)
    sizes = np.empty((n_members, n_columns), np.int64)
    values = np.full((n_members, n_parents, 256), MISSING, np.uint8)
    bins = n_bins[np.arange(n_members) % len(n_bins)]
    _fill_views(ranks, n_bytes, has_missing, is_categorical, bins, shifts, slots, sizes)
    _fill_parents(ranks, n_bytes, has_missing, is_categorical, parents, parent_shifts, parent_bins, groups, values)
    return Views(slots, sizes.sum(axis=1), sizes, parents, values)


def _distinct_in_turn(queue: NDArray[np.int64], n_members: int, n_parents: int) -> list[list[int]]:
    """Parents of every member from a queue of columns; one that a member already has waits for the next member."""
    waiting = queue.tolist()
    drawn = []
    for _ in range(n_members):
        taken: list[int] = []
        at = 0
        while len(taken) < n_parents:
            if at == len(waiting):
                waiting.extend(column for column in dict.fromkeys(queue.tolist()) if column not in taken)
            if waiting[at] in taken:
                at += 1
            else:
                taken.append(waiting.pop(at))
        drawn.append(taken)
    return drawn


@njit(cache=True, nogil=True)
def _fill_views(ranks, n_bytes, has_missing, is_categorical, bins, shifts, slots, sizes):
    for member in range(slots.shape[0]):
        start = 0
        for column in range(slots.shape[1]):
            n = n_bytes[column]
            size = 0
            before = -1
            for q in range(n):
                # Numbers: shifted bins of equal frequency, without those that hold no byte.
                value = (
                    q if is_categorical[column] else int(bins[member] * ranks[column, q] + 1 - shifts[member, column])
                )
                if value != before:
                    size += 1
                    before = value
                slots[member, column, q] = start + size - 1
            slots[member, column, n:] = -1
            if has_missing[column]:
                slots[member, column, MISSING] = start + size
                size += 1
            sizes[member, column] = size
            start += size
        for column in range(slots.shape[1]):
            for q in range(256):
                if slots[member, column, q] < 0:
                    slots[member, column, q] = start


@njit(cache=True, nogil=True)
def _fill_parents(ranks, n_bytes, has_missing, is_categorical, parents, shifts, bins, groups, values):
    for member in range(parents.shape[0]):
        for place in range(parents.shape[1]):
            column = parents[member, place]
            n = n_bytes[column]
            largest = 0
            for q in range(n):
                if not is_categorical[column]:
                    value = int(bins[member, place] * ranks[column, q] + shifts[member, place])
                elif n <= _MAX_PARENT_VALUES:
                    value = q
                else:
                    value = groups[member, place, q]
                values[member, place, q] = value
                largest = max(largest, value)
            if has_missing[column]:
                values[member, place, MISSING] = largest + 1


def count_members(
    codes: NDArray[np.uint8],
    classes: NDArray[np.int32],
    weights: NDArray[np.float64],
    n_classes: int,
    views: Views,
) -> SuperParents:
    """Count rows of bytes."""
    n_members, n_parents = views.parents.shape
    found = []
    for member in range(n_members):
        most = max(1, _MAX_CELLS // int((views.n_slots[member] + 1) * n_classes))
        possible = sum((_MAX_PARENT_VALUES + 1) ** level for level in range(n_parents + 1))
        most = min(most, possible, 1 + len(codes) * n_parents)
        child = np.full((most, _MAX_PARENT_VALUES + 1), -1, np.int32)
        above = np.full(most, -1, np.int32)
        n_found = _find_contexts(codes, views.parents[member], views.parent_values[member], child, above)
        found.append((child[:n_found], above[:n_found]))
    numbers = np.array([len(above) for _, above in found])
    first = np.cumsum(numbers) - numbers
    contexts = Contexts(
        first,
        np.concatenate([np.where(child < 0, -1, child + start) for (child, _), start in zip(found, first)]),
        np.concatenate([np.where(above < 0, -1, above + start) for (_, above), start in zip(found, first)]),
        np.empty(int(numbers.sum()), np.int64),
    )
    table_sizes = np.repeat((views.n_slots + 1) * n_classes, numbers)
    contexts.cells[:] = np.cumsum(table_sizes) - table_sizes
    counts = np.zeros(int(table_sizes.sum()))
    weight = np.zeros((len(contexts.above), n_classes))
    _count(codes, classes, weights, views, contexts, counts, weight)
    probabilities = np.empty_like(counts)
    _estimate(views, contexts, counts, weight, probabilities)
    total = weight[0] + _ROOT / n_classes
    return SuperParents(views, contexts, counts, weight, probabilities, np.log(total / total.sum()))


@njit(cache=True, nogil=True)
def _find_contexts(codes, parents, values, child, above):
    """Number the combinations of parents' values that occur, as long as there is room."""
    n_found = 1
    for row in range(codes.shape[0]):
        context = 0
        for place in range(parents.shape[0]):
            value = values[place, codes[row, parents[place]]]
            if value == MISSING:
                break
            below = child[context, value]
            if below < 0:
                if n_found == above.shape[0]:
                    break
                below = n_found
                child[context, value] = below
                above[below] = context
                n_found += 1
            context = below
    return n_found


@njit(cache=True, nogil=True, inline="always")
def _context(code, member, views, contexts):
    """The most special combination that occurred of a row of bytes."""
    context = contexts.first[member]
    for place in range(views.parents.shape[1]):
        value = views.parent_values[member, place, code[views.parents[member, place]]]
        if value == MISSING:
            break
        below = contexts.child[context, value]
        if below < 0:
            break
        context = below
    return context


@njit(cache=True, nogil=True)
def _count(codes, classes, weights, views, contexts, counts, weight):
    n_members, n_columns = views.sizes.shape
    n_classes = weight.shape[1]
    for member in range(n_members):
        slots = views.slots[member]
        for row in range(codes.shape[0]):
            context = _context(codes[row], member, views, contexts)
            y = classes[row]
            weight[context, y] += weights[row]
            start = contexts.cells[context] + y
            for column in range(n_columns):
                counts[start + slots[column, codes[row, column]] * n_classes] += weights[row]
        end = contexts.first[member + 1] if member + 1 < n_members else len(contexts.above)
        size = (views.n_slots[member] + 1) * n_classes
        for context in range(end - 1, contexts.first[member], -1):
            above = contexts.above[context]
            for y in range(n_classes):
                weight[above, y] += weight[context, y]
            into, of = contexts.cells[above], contexts.cells[context]
            for cell in range(size):
                counts[into + cell] += counts[of + cell]


@njit(cache=True, nogil=True)
def _estimate(views, contexts, counts, weight, probabilities):
    """Estimates without parents, and from each context those of the contexts that extend it."""
    n_members, n_columns = views.sizes.shape
    n_classes = weight.shape[1]
    scale = np.empty(n_classes)
    for member in range(n_members):
        first = contexts.first[member]
        end = contexts.first[member + 1] if member + 1 < n_members else len(contexts.above)
        at = contexts.cells[first]
        for y in range(n_classes):
            scale[y] = 1.0 / (weight[first, y] + _ROOT)
        for column in range(n_columns):
            share = _ROOT / views.sizes[member, column]
            for _ in range(views.sizes[member, column]):
                for y in range(n_classes):
                    probabilities[at] = (counts[at] + share) * scale[y]
                    at += 1
        probabilities[at : at + n_classes] = 1.0
        for context in range(first + 1, end):
            above = contexts.above[context]
            at, before = contexts.cells[context], contexts.cells[above]
            for y in range(n_classes):
                scale[y] = 1.0 / (weight[context, y] + _BACK_OFF)
            for _ in range(views.n_slots[member]):
                for y in range(n_classes):
                    probabilities[at] = (counts[at] + _BACK_OFF * probabilities[before]) * scale[y]
                    at += 1
                    before += 1
            probabilities[at : at + n_classes] = 1.0
            # The parents that made this context keep the estimates of the contexts before it.
            level = 0
            up = above
            while up >= 0:
                level += 1
                up = contexts.above[up]
            for place in range(level):
                column = views.parents[member, place]
                start = 0
                for c in range(column):
                    start += views.sizes[member, c]
                at = contexts.cells[context] + start * n_classes
                before = contexts.cells[above] + start * n_classes
                for cell in range(views.sizes[member, column] * n_classes):
                    probabilities[at + cell] = probabilities[before + cell]


def score_members(
    codes: NDArray[np.uint8],
    ensemble: SuperParents,
    posterior: NDArray[np.float64],
    evidence: NDArray[np.float64],
    classes: NDArray[np.int32] | None = None,
    left_out: NDArray[np.float64] | None = None,
) -> None:
    """The log of the members' mean posterior (n_rows, n_classes), and their mean log factors by column.

    ``evidence`` has the shape (n_rows, n_columns, n_classes). If ``classes`` and weights ``left_out`` are given, the
    rows were counted, and each is answered as if so much of its weight had not been.
    """
    nothing = np.empty(0, np.int32), np.empty(0)
    _score(
        codes,
        *ensemble,
        *(nothing if classes is None or left_out is None else (classes, left_out)),
        posterior,
        evidence,
    )


@njit(cache=True, nogil=True)
def _score(codes, views, contexts, counts, weight, probabilities, log_prior, classes, left_out, posterior, evidence):
    n_members, n_columns = views.sizes.shape
    n_parents = views.parents.shape[1]
    n_classes = weight.shape[1]
    # Products over members by column, and over columns by member. A probability is above 1e-26 for up to a million
    # rows, so the product of eight is a normal number; over columns only ratios between classes matter.
    by_column = np.empty((n_columns, n_classes))
    product = np.empty(n_classes)
    prior = np.empty(n_classes)
    for y in range(n_classes):
        prior[y] = np.exp(log_prior[y])
    path = np.empty(n_parents + 1, np.int64)
    level_of = np.empty(n_columns, np.int64)
    own_prior = np.empty(n_classes)
    for row in range(codes.shape[0]):
        code = codes[row]
        y_out = classes[row] if classes.shape[0] else -1
        out = left_out[row] if classes.shape[0] else 0.0
        posterior[row] = 0.0
        by_column[:] = 1.0
        for y in range(n_classes):
            own_prior[y] = prior[y]
        if y_out >= 0:
            total = _ROOT - out
            for y in range(n_classes):
                total += weight[0, y]
            for y in range(n_classes):
                own_prior[y] = (weight[0, y] + _ROOT / n_classes - (out if y == y_out else 0.0)) / total
        evidence[row] = 0.0
        for member in range(n_members):
            slots = views.slots[member]
            context = _context(code, member, views, contexts)
            start = contexts.cells[context]
            for y in range(n_classes):
                product[y] = own_prior[y]
            depth = 0
            if y_out >= 0:
                up = context
                while up >= 0:
                    depth += 1
                    up = contexts.above[up]
                up = context
                for level in range(depth - 1, -1, -1):
                    path[level] = up
                    up = contexts.above[up]
                level_of[:] = depth
                for place in range(min(n_parents, depth)):
                    level_of[views.parents[member, place]] = place + 1
            for column in range(n_columns):
                slot = slots[column, code[column]]
                at = start + slot * n_classes
                of_column = by_column[column]
                p_out = 1.0
                if y_out >= 0 and slot < views.n_slots[member]:
                    p_out = 1.0 / views.sizes[member, column]
                    back_off = _ROOT
                    for level in range(level_of[column]):
                        n = counts[contexts.cells[path[level]] + slot * n_classes + y_out] - out
                        p_out = (n + back_off * p_out) / (weight[path[level], y_out] - out + back_off)
                        back_off = _BACK_OFF
                for y in range(n_classes):
                    p = p_out if y == y_out else probabilities[at + y]
                    product[y] *= p
                    of_column[y] *= p
                if column % 8 == 7:
                    largest = 0.0
                    for y in range(n_classes):
                        largest = max(largest, product[y])
                    for y in range(n_classes):
                        product[y] /= largest
            total = 0.0
            for y in range(n_classes):
                total += product[y]
            for y in range(n_classes):
                posterior[row, y] += product[y] / total
            if member % _MEMBERS_PER_LOG == _MEMBERS_PER_LOG - 1 or member == n_members - 1:
                for column in range(n_columns):
                    for y in range(n_classes):
                        evidence[row, column, y] += np.log(by_column[column, y])
                        by_column[column, y] = 1.0
        for y in range(n_classes):
            posterior[row, y] = np.log(posterior[row, y] / n_members + 1e-9)
            for column in range(n_columns):
                evidence[row, column, y] /= n_members
