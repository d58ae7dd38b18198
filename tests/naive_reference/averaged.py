"""Averaged dependence estimators: AODE, AODEsr, AnDE (n = 0 to 3) and WAODE."""

import itertools
import math

from tests.naive_reference.information import mutual_information, smoothed_mutual_information
from tests.naive_reference.naive import MISSING, Counts, naive_scores, normalise, smooth


def generalisations(counts, row, observed, critical_value):
    """Columns whose value is implied by another value of the row, hence adds nothing.

    Value x_j implies x_i if it was seen more often than `critical_value` and never without x_i. Of two
    values that imply each other the one in the later column goes. `because[i]` is the column that made i
    superfluous; a pair settled one way is not looked at the other way round.
    """
    because = dict.fromkeys(observed)
    for i in observed:
        for j in observed:
            if j == i or because[j] == i:
                continue
            frequency = counts.total((j, row[j]))
            if frequency > critical_value and counts.total((i, row[i]), (j, row[j])) == frequency:
                if counts.total((i, row[i])) == frequency and i < j:
                    continue
                because[i] = j
                break
    return {i for i in observed if because[i] is not None}


def parent_set_scores(counts, n_values, row, parents, kept, smoothing, m):
    """P(y, x_parents) times the product of P(x_l | y, x_parents) over the other kept columns."""
    given = [(i, row[i]) for i in parents]
    joint = counts.per_class(*given)
    n_cells = counts.n_classes * math.prod(n_values[i] for i in parents)
    score = smooth(joint, counts.observed(*parents), n_cells, smoothing, m)
    for child in kept:
        if child not in parents:
            count = counts.per_class(*given, (child, row[child]))
            known = joint - counts.per_class(*given, (child, MISSING))
            score = score * smooth(count, known, n_values[child], smoothing, m)
    return score


def averaged_n_dependence(
    train,
    y,
    w,
    n_values,
    n_classes,
    test,
    n=1,
    smoothing="m_estimate",
    m=1,
    frequency_limit=1,
    critical_value=None,
    weighted=False,
    total_weight=None,
):
    """AnDE: the average over all sets of n observed values that serve as parents of all other values.

    A set is admitted if its values were seen together at least `frequency_limit` times. Without any, sets
    of n - 1 columns are used, all alike; in the end naive Bayes, which takes all observed columns, also those
    that subsumption resolution (`critical_value`) removed. Weights that are all zero count as equal.
    """
    counts = Counts(train, y, w, n_classes, total_weight)
    information = {}

    def weight_of(parents):
        if not weighted or len(parents) < n:
            return 1.0
        if parents not in information:
            information[parents] = smoothed_mutual_information(counts, n_values, parents, smoothing, m)
        return information[parents]

    def scores_of(row):
        observed = [j for j in range(len(row)) if row[j] != MISSING]
        superfluous = set()
        if critical_value is not None:
            superfluous = generalisations(counts, row, observed, critical_value)
        kept = [j for j in observed if j not in superfluous]
        for size in range(n, 0, -1):
            admitted = [
                parents
                for parents in itertools.combinations(kept, size)
                if counts.total(*((i, row[i]) for i in parents)) >= frequency_limit
            ]
            if admitted:
                weights = [weight_of(parents) for parents in admitted]
                if sum(weights) == 0:
                    weights = [1.0] * len(admitted)
                return sum(
                    weight * parent_set_scores(counts, n_values, row, parents, kept, smoothing, m)
                    for weight, parents in zip(weights, admitted)
                ) / sum(weights)
        return naive_scores(counts, n_values, row, observed, smoothing, m)

    return normalise([scores_of(row) for row in test])


def aode(train, y, w, n_values, n_classes, test, smoothing="m_estimate", m=1, frequency_limit=1):
    """AODE: every observed value in turn is the parent of all others."""
    return averaged_n_dependence(
        train, y, w, n_values, n_classes, test, 1, smoothing, m, frequency_limit, critical_value=None
    )


def aodesr(train, y, w, n_values, n_classes, test, critical_value=50, smoothing="m_estimate", m=1, frequency_limit=1):
    """AODE after values implied by other values of the same row have been removed."""
    return averaged_n_dependence(
        train, y, w, n_values, n_classes, test, 1, smoothing, m, frequency_limit, critical_value
    )


def waode(train, y, w, n_values, n_classes, test, smoothing="m_estimate", m=1):
    """WAODE: AODE without a frequency limit, parents weighted by their mutual information with the class.

    Information comes from the rows in which the column is observed. Weights that are all zero count as equal.
    """
    counts = Counts(train, y, w, n_classes)
    information = [mutual_information(column, y, w, smallest=1e-6) for column in train.T]
    scores = []
    for row in test:
        observed = [j for j in range(len(row)) if row[j] != MISSING]
        weights = {i: information[i] for i in observed}
        if sum(weights.values()) == 0:
            weights = dict.fromkeys(observed, 1.0)
        if observed:
            total = sum(
                weights[i] * parent_set_scores(counts, n_values, row, (i,), observed, smoothing, m) for i in observed
            )
            scores.append(total / sum(weights.values()))
        else:
            scores.append(naive_scores(counts, n_values, row, [], smoothing, m))
    return normalise(scores)
