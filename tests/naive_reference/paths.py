"""Higher-order paths, higher-order naive Bayes and its transformation, as the paper prints them."""

import itertools
import math

import numpy as np


def enumerate_paths(X, order, pure_among=None):
    """All chains term-document-term-...-term with ``order`` distinct documents and distinct terms, each once.

    A chain and its reversal are the same path. With ``pure_among``, a matrix of documents, only chains whose end
    terms share none of those documents.
    """
    X = np.asarray(X)
    m, n = X.shape
    paths = []
    for terms in itertools.permutations(range(n), order + 1):
        if terms[0] > terms[-1]:  # the reversal
            continue
        if pure_among is not None and any(d[terms[0]] and d[terms[-1]] for d in np.asarray(pure_among)):
            continue
        for documents in itertools.permutations(range(m), order):
            if all(X[d, i] and X[d, j] for d, i, j in zip(documents, terms, terms[1:])):
                paths.append((terms, documents))
    return paths


def count_by_enumeration(X, order, pure_among=None):
    """How many paths contain each term, and how many there are."""
    counts = [0] * np.asarray(X).shape[1]
    paths = enumerate_paths(X, order, pure_among)
    for terms, _ in paths:
        for term in terms:
            counts[term] += 1
    return counts, len(paths)


def algorithm_1(X):
    """Five loops."""
    m, n = np.asarray(X).shape
    p, t = [0] * n, 0
    for i in range(n):
        for k in set(range(n)) - {i}:
            for j in set(range(n)) - {i, k}:
                for first in range(m - 1):
                    for second in range(first + 1, m):
                        a = int(X[first][i] * X[first][k] * X[second][k] * X[second][j])
                        p[i] += a
                        p[k] += a
                        p[j] += a
                        t += a
    return p, t


def algorithm_2(X):
    """The paper's faster algorithm, step by step."""
    X = np.asarray(X, dtype=np.int64)
    m, n = X.shape
    p, t = np.zeros(n, dtype=np.int64), 0
    lengths = X.sum(axis=1)
    r = (lengths - 1) * (lengths - 2) // 2
    A = X.T @ X
    np.fill_diagonal(A, 0)
    c = A.sum(axis=0) ** 2
    A2 = A @ A
    for i in range(n):
        for j in range(i + 1, n):
            s = sum(X[d, i] * X[d, j] * (lengths[d] - 2) for d in range(m))
            p[i] += A2[i, j] - s
            p[j] += A2[i, j] - s
            t += A2[i, j] - s
        b = np.cumsum(A[:, i])
        p[i] += c[i] - A[:, i] @ b - r @ X[:, i]
    return p.tolist(), int(t)


def algorithm_2_dense(X):
    """The same in whole matrices, as one would write it with numpy."""
    lengths = X.sum(axis=1)
    A = X.T @ X
    np.fill_diagonal(A, 0)
    between = A @ A - (X * (lengths - 2)[:, None]).T @ X
    np.fill_diagonal(between, 0)
    middle = (A.sum(axis=0) ** 2 - (A**2).sum(axis=0)) / 2 - X.T @ ((lengths - 1) * (lengths - 2)) / 2
    return between.sum(axis=1) + middle, between.sum() / 2


def probabilities(X, order):
    """Eqs. 6 and 8 for the documents of one class, and the number of paths (documents for order 1)."""
    X = np.asarray(X)
    counts, total = (X.sum(axis=0).tolist(), len(X)) if order == 1 else count_by_enumeration(X, order)
    return [(1 + count) / (2 + total) for count in counts], total


def joint_probabilities(classes, order, document):
    """P(d, c) of a document by Eqs. 3, 8 and 9, over the terms that some training document has."""
    seen = [any(X[:, i].any() for X in classes) for i in range(len(document))]
    models = [probabilities(X, order) for X in classes]
    totals = [total for _, total in models]
    joint = []
    for terms, total in models:
        chances = [p if present else 1 - p for p, present, known in zip(terms, document, seen) if known]
        joint.append(math.prod(chances) * total / sum(totals))
    return joint


def transform(one, other, order, document):
    """Eq. 12: a document between two classes of training documents."""
    vector = []
    for i, (p, q) in enumerate(zip(probabilities(one, order)[0], probabilities(other, order)[0])):
        if not (one[:, i].any() or other[:, i].any()):
            vector.append(0.0)
            continue
        ratio = math.log(p / q) if document[i] else math.log((1 - p) / (1 - q))
        vector.append(ratio / math.sqrt(abs(ratio)) if ratio != 0 else 0.0)
    return vector
