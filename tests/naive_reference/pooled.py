"""The experts of PooledBayes by their definitions, row by row, and a pool by a general solver."""

import math

import numpy as np
from scipy.optimize import minimize


def member_answers(slots, sizes, parents, parent_values, train, classes, weights, n_classes, row):
    """Posterior of one super-parent network for a row of bytes, and the log of each column's factor.

    ``slots[j][q]`` and ``parent_values[l][q]`` are what the network sees of byte q; a slot of ``sum(sizes)`` is no
    value, a parent's value of 255 ends the chain of parents.
    """
    nothing = sum(sizes)

    def context(bytes_, length):
        return tuple(parent_values[level][bytes_[parents[level]]] for level in range(length))

    def occurs(wanted):
        return 255 not in wanted and any(context(other, len(wanted)) == wanted for other in train)

    depth = 0
    while depth < len(parents) and occurs(context(row, depth + 1)):
        depth += 1
    total = sum(weights)
    factors = np.zeros((len(sizes), n_classes))
    posterior = np.empty(n_classes)
    for y in range(n_classes):
        prior = (sum(w for w, c in zip(weights, classes) if c == y) + 1 / n_classes) / (total + 1)
        joint = math.log(prior)
        for j, size in enumerate(sizes):
            slot = slots[j][row[j]]
            if slot == nothing:
                continue
            p = 1 / size
            deepest = min(depth, list(parents).index(j)) if j in parents else depth
            for level in range(deepest + 1):
                strength = 1.0 if level == 0 else 2.0
                inside = [
                    (other, w)
                    for other, c, w in zip(train, classes, weights)
                    if c == y and context(other, level) == context(row, level)
                ]
                n = sum(w for other, w in inside if slots[j][other[j]] == slot)
                p = (n + strength * p) / (sum(w for _, w in inside) + strength)
            factors[j, y] = math.log(p)
            joint += factors[j, y]
        posterior[y] = joint
    posterior = np.exp(posterior - posterior.max())
    return posterior / posterior.sum(), factors


def tree_answer(column, value, is_category, child, root, train, classes, weights, n_classes, row):
    """Posterior of one tree for a row of bytes: shares of the classes along its path, backed off from the root."""

    def path(bytes_):
        nodes = [root]
        while child[nodes[-1]]:
            node = nodes[-1]
            x = bytes_[column[node]]
            goes = x == value[node] if is_category[node] else x <= value[node]
            nodes.append(child[node] + (0 if goes else 1))
        return nodes

    p = np.full(n_classes, 1 / n_classes)
    for node in path(row):
        counts = np.zeros(n_classes)
        for other, c, w in zip(train, classes, weights):
            if node in path(other):
                counts[c] += w
        p = (counts + p) / (counts.sum() + 1)
    return p


def linear_answer(X, classes, weights, n_classes, shrinkage, row):
    """Log posterior of the linear discriminant whose scatter is increased by ``shrinkage`` on the diagonal."""
    weight, mean, scatter = _moments(X, classes, weights, n_classes)
    inverse = np.linalg.inv(scatter.sum(axis=0) + shrinkage * np.eye(X.shape[1]))
    degrees = weight.sum() - n_classes
    scores = [math.log(weight[y]) - degrees / 2 * (row - mean[y]) @ inverse @ (row - mean[y]) for y in range(n_classes)]
    return _log_normalized(scores)


def quadratic_answer(X, classes, weights, n_classes, prior, row):
    """Log posterior of one Student distribution per class, with a given prior scatter of strength max(10, columns)."""
    n_columns = X.shape[1]
    weight, mean, scatter = _moments(X, classes, weights, n_classes)
    scores = []
    for y in range(n_classes):
        psi = prior + scatter[y]
        degrees = max(10.0, n_columns) + n_columns + 1 + weight[y]
        kappa = weight[y] + 0.1
        distance = (row - mean[y]) @ np.linalg.inv(psi) @ (row - mean[y])
        scores.append(
            math.log(weight[y])
            + math.lgamma((degrees + 1) / 2)
            - math.lgamma((degrees - n_columns + 1) / 2)
            - 0.5 * np.linalg.slogdet(psi)[1]
            - n_columns / 2 * math.log((kappa + 1) / kappa)
            - (degrees + 1) / 2 * math.log1p(distance * kappa / (kappa + 1))
        )
    return _log_normalized(scores)


def pool_loss(opinions, slots, classes, row_weights, start, weights, steps):
    """What the pool minimizes: ridges of 3 around the start and of 2 around no steps."""
    loss = 3 * sum((w - s) ** 2 for w, s in zip(weights, start)) + 2 * sum(step**2 for step in np.ravel(steps))
    for row, y in enumerate(classes):
        scores = sum(steps[slot] for slot in slots[row]) + sum(
            w * opinion[row] for w, opinion in zip(weights, opinions)
        )
        loss -= row_weights[row] * _log_normalized(scores)[y]
    return loss


def pool(opinions, slots, n_slots, classes, row_weights, start):
    """Weights and steps by sequential quadratic programming, with numeric gradients."""
    n_experts, _, n_classes = opinions.shape

    def parts(at):
        return at[:n_experts], at[n_experts:].reshape(n_slots, n_classes)

    found = minimize(
        lambda at: pool_loss(opinions, slots, classes, row_weights, start, *parts(at)),
        np.concatenate([start, np.zeros(n_slots * n_classes)]),
        method="SLSQP",
        bounds=[(0, None)] * n_experts + [(None, None)] * (n_slots * n_classes),
        options={"maxiter": 1000, "ftol": 1e-13},
    )
    return parts(found.x)


def _moments(X, classes, weights, n_classes):
    weight, mean, scatter = [], [], []
    for y in range(n_classes):
        of_class, own = X[classes == y], weights[classes == y]
        weight.append(own.sum())
        mean.append(own @ of_class / own.sum())
        scatter.append(sum(w * np.outer(x - mean[-1], x - mean[-1]) for x, w in zip(of_class, own)))
    return np.array(weight), np.array(mean), np.array(scatter)


def _log_normalized(scores):
    scores = np.asarray(scores, dtype=float)
    largest = scores.max()
    return scores - largest - math.log(np.exp(scores - largest).sum())
