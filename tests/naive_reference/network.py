"""Bayesian network classifiers: structure scores, K2, TAN (two ways to find the tree) and KDB.

A structure is a list of parents a column, in the order found; the class is node number d.

Missing values, where WEKA fills in the most frequent value, are handled thus. Whether a parent is worth
adding is judged on the rows in which it, the child and the parents so far are observed, with and without
it; a score on fewer rows would look better for that reason alone (the n of MDL is the weight of all
rows). Information between columns comes from the rows in which those columns are observed. A test value
that is missing is left out as a child and as a parent, and probabilities are relative to the training
rows in which the child and the remaining parents are observed, whether the others are or not.
"""

import itertools
import math

import numpy as np
from scipy.special import gammaln

from tests.naive_reference.information import conditional_mutual_information, mutual_information
from tests.naive_reference.naive import MISSING, Counts, normalise, smooth


def family_score(train, y, w, n_values, n_classes, child, parents, score, also_observed=()):
    """Score of one column given its parents; larger is better.

    Rows in which a column of `also_observed` is missing are left out, for scores that are to be compared.
    Terms are added one by one into one number, parent configurations in the order of `parents` with the first
    one slowest, because exact ties between structures are decided by rounding.
    """
    table = np.column_stack([train, y])
    sizes = [*n_values, n_classes]
    r = sizes[child]
    q = math.prod(sizes[parent] for parent in parents)
    complete = np.all(table[:, [child, *parents, *also_observed]] != MISSING, axis=1)
    cells = np.zeros((q, r))
    configuration = np.zeros(np.sum(complete), dtype=int)
    for parent in parents:
        configuration = configuration * sizes[parent] + table[complete, parent]
    np.add.at(cells, (configuration, table[complete, child]), w[complete])

    if score in ("bayes", "bdeu"):
        prior = 0.5 if score == "bayes" else 1 / (r * q)
        prior_of_row = r / 2 if score == "bayes" else 1 / q
        log_gamma_cells = gammaln(prior + cells).tolist()
        log_gamma_rows = gammaln(prior_of_row + cells.sum(axis=1)).tolist()
        of_prior, of_prior_row = float(gammaln(prior)), float(gammaln(prior_of_row))
        total = 0.0
        for log_gammas, log_gamma_row in zip(log_gamma_cells, log_gamma_rows):
            for log_gamma in log_gammas:
                total += log_gamma
            total -= log_gamma_row
            total -= r * of_prior
            total += of_prior_row
        return total

    log_likelihood = 0.0
    for row in cells.tolist():
        in_row = sum(row)
        for count in row:
            if count > 0:
                log_likelihood += count * math.log(count / in_row)
    n_parameters = q * (r - 1)
    if score == "entropy":
        return log_likelihood
    if score == "aic":
        return log_likelihood - n_parameters
    if score == "mdl":
        return log_likelihood - 0.5 * n_parameters * math.log(w.sum())
    raise ValueError(score)


def k2_parents(train, y, w, n_values, n_classes, max_parents=2, score="bayes", initial="naive"):
    """K2: each column in turn takes the earlier node that raises its score most, until none does.

    The class is the first node and counts towards `max_parents`.
    """
    d = len(n_values)
    structure = []
    for child in range(d):
        parents = [d] if initial == "naive" else []
        while len(parents) < max_parents:
            best, chosen = 0.0, None
            for candidate in [d, *range(child)]:
                if candidate in parents:
                    continue
                data = train, y, w, n_values, n_classes, child
                gain = family_score(*data, [*parents, candidate], score)
                gain -= family_score(*data, parents, score, also_observed=[candidate])
                if gain > best:
                    best, chosen = gain, candidate
            if chosen is None:
                break
            parents.append(chosen)
        structure.append(parents)
    return structure


def tan_parents(train, y, w, n_values, n_classes, score="bayes"):
    """WEKA's TAN: links joined greedily by the gain in score, directed in the order found.

    A link found as "i gains from parent j" makes i the parent of j unless j has a parent already.
    """
    d = len(n_values)
    parents = [[d] for _ in range(d)]
    if d < 2:
        return parents
    gain = {
        (i, j): family_score(train, y, w, n_values, n_classes, i, [d, j], score)
        - family_score(train, y, w, n_values, n_classes, i, [d], score, also_observed=[j])
        for i, j in itertools.permutations(range(d), 2)
    }
    linked = set()
    for _ in range(d - 1):
        best = None
        for i, j in itertools.permutations(range(d), 2):
            if linked and (i in linked) == (j in linked):
                continue
            if best is None or gain[i, j] > gain[best]:
                best = (i, j)
        child, parent = best
        linked |= {child, parent}
        if len(parents[parent]) == 1:
            parents[parent].append(child)
        else:
            parents[child].append(parent)
    return parents


def _conditional_information(train, y, w):
    d = train.shape[1]
    information = np.zeros((d, d))
    for i in range(d):
        for j in range(i):
            found = conditional_mutual_information(train[:, i], train[:, j], y, w)
            information[i, j] = information[j, i] = found
    return information


def chow_liu_parents(train, y, w):
    """TAN of Friedman, Geiger and Goldszmidt: the tree of largest conditional mutual information, root first.

    Prim's algorithm from column 0; of equal candidates the lowest column, of equal links the older one.
    """
    d = train.shape[1]
    information = _conditional_information(train, y, w)
    parents = [[d] for _ in range(d)]
    in_tree = [0]
    while len(in_tree) < d:
        best, link = -math.inf, None
        for outside in range(d):
            if outside in in_tree:
                continue
            for inside in in_tree:
                if information[inside, outside] > best:
                    best, link = information[inside, outside], (inside, outside)
        inside, outside = link
        parents[outside].append(inside)
        in_tree.append(outside)
    return parents


def kdb_parents(train, y, w, k=2):
    """KDB: columns by mutual information with the class; each gets its k most related predecessors.

    Parents are in descending order of conditional mutual information, so the last one is the weakest.
    """
    d = train.shape[1]
    with_class = [mutual_information(column, y, w) for column in train.T]
    between = _conditional_information(train, y, w)
    ranking = sorted(range(d), key=lambda column: -with_class[column])
    parents = [[d] for _ in range(d)]
    for rank, child in enumerate(ranking):
        related = sorted(ranking[:rank], key=lambda column: -between[child, column])
        parents[child].extend(related[:k])
    return parents


def network_probabilities(train, y, w, n_values, n_classes, test, parents, alpha=0.5):
    """Class probabilities of a network whose tables are (n_ik + alpha) / (n_i + r alpha)."""
    d = len(n_values)
    counts = Counts(train, y, w, n_classes)
    in_class = counts.per_class()
    log_scores = []
    for row in test:
        log_score = np.log((in_class + alpha) / (in_class.sum() + n_classes * alpha))
        for child in range(d):
            if row[child] == MISSING:
                continue
            given = [(p, row[p]) for p in parents[child] if p != d and row[p] != MISSING]
            count = counts.per_class(*given, (child, row[child]))
            known = counts.per_class(*given) - counts.per_class(*given, (child, MISSING))
            if d not in parents[child]:
                count, known = count.sum(), known.sum()
            log_score = log_score + np.log((count + alpha) / (known + n_values[child] * alpha))
        log_scores.append(log_score)
    log_scores = np.array(log_scores)
    return normalise(np.exp(log_scores - log_scores.max(axis=1, keepdims=True)))


def bayes_net(train, y, w, n_values, n_classes, test, max_parents=2, score="bayes", initial="naive", alpha=0.5):
    """A network found by K2."""
    parents = k2_parents(train, y, w, n_values, n_classes, max_parents, score, initial)
    return network_probabilities(train, y, w, n_values, n_classes, test, parents, alpha)


def tan(train, y, w, n_values, n_classes, test, score="cmi", alpha=0.5):
    """Tree augmented naive Bayes; `score="cmi"` is the original tree, any other score WEKA's search."""
    parents = chow_liu_parents(train, y, w) if score == "cmi" else tan_parents(train, y, w, n_values, n_classes, score)
    return network_probabilities(train, y, w, n_values, n_classes, test, parents, alpha)


def kdb(train, y, w, n_values, n_classes, test, k=2, smoothing="m_estimate", m=1):
    """K-dependence Bayes; for each class on its own, parents whose values never occurred are given up.

    The weakest parent goes first, until the remaining ones were seen with the class (and the child observed).
    """
    d = len(n_values)
    counts = Counts(train, y, w, n_classes)
    parents = kdb_parents(train, y, w, k)
    in_class = counts.per_class()
    scores = []
    for row in test:
        score = smooth(in_class, in_class.sum(), n_classes, smoothing, m)
        for child in range(d):
            if row[child] == MISSING:
                continue
            for of_class in range(n_classes):
                given = [(p, row[p]) for p in parents[child] if p != d and row[p] != MISSING]
                while True:
                    known = counts.per_class(*given) - counts.per_class(*given, (child, MISSING))
                    if known[of_class] > 0 or not given:
                        break
                    given.pop()
                count = counts.per_class(*given, (child, row[child]))
                score[of_class] *= smooth(count[of_class], known[of_class], n_values[child], smoothing, m)
        scores.append(score)
    return normalise(scores)
