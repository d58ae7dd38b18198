"""AG-NBC as its formulas are written, with a loop for every sum. g is 1 where a column is in a group, else 0."""

import numpy as np


def class_means(rows, classes, n_classes):
    """z_lj."""
    z = [[0.0] * len(rows[0]) for _ in range(n_classes)]
    for label in range(n_classes):
        members = [row for row, of_row in zip(rows, classes) if of_row == label]
        for j in range(len(rows[0])):
            z[label][j] = sum(row[j] for row in members) / len(members)
    return z


def objective(rows, classes, w, v, g, y, beta, eta):
    """Q: scatter of the weighted rows, sizes of the weights, distances within groups, sizes of the emphasis."""
    n_classes, n_columns, n_groups = len(w), len(w[0]), len(v[0])
    z = class_means(rows, classes, n_classes)
    total = 0.0
    for label in range(n_classes):
        for row, of_row in zip(rows, classes):
            u = 1 if of_row == label else 0
            for j in range(n_columns):
                total += u * w[label][j] ** 2 * (row[j] - z[label][j]) ** 2
        for j in range(n_columns):
            total += eta * w[label][j] ** 2
    for t in range(n_groups):
        for j in range(n_columns):
            for label in range(n_classes):
                total += beta * g[j][t] * y[label][t] ** 2 * (w[label][j] - v[label][t]) ** 2
        for label in range(n_classes):
            total += beta * eta * y[label][t] ** 2
    return total


def new_weights(rows, classes, v, g, y, beta, eta):
    """w_lj = B_lj/A_lj + (m − Σ_h B_lh/A_lh) / (A_lj Σ_h 1/A_lh)."""
    n_classes, n_columns, n_groups = len(v), len(rows[0]), len(v[0])
    z = class_means(rows, classes, n_classes)
    w = [[0.0] * n_columns for _ in range(n_classes)]
    for label in range(n_classes):
        A, B = [0.0] * n_columns, [0.0] * n_columns
        for j in range(n_columns):
            A[j] = eta
            for row, of_row in zip(rows, classes):
                if of_row == label:
                    A[j] += (row[j] - z[label][j]) ** 2
            for t in range(n_groups):
                A[j] += beta * g[j][t] * y[label][t] ** 2
                B[j] += beta * g[j][t] * y[label][t] ** 2 * v[label][t]
        for j in range(n_columns):
            rest = n_columns - sum(b / a for a, b in zip(A, B))
            w[label][j] = B[j] / A[j] + rest / (A[j] * sum(1 / a for a in A))
    return w


def new_centres(w, v, g):
    """v_lt: the mean of w_lj over the group, or what it was if there is nothing in the group."""
    centres = [list(row) for row in v]
    for t in range(len(v[0])):
        members = [j for j in range(len(g)) if g[j][t]]
        for label in range(len(v)):
            if members:
                centres[label][t] = sum(w[label][j] for j in members) / len(members)
    return centres


def new_groups(w, v, y):
    """g_jt = 1 for the t that has the least Σ_l y_lt² (w_lj − v_lt)²."""
    n_groups = len(v[0])
    g = []
    for j in range(len(w[0])):
        distances = [
            sum(y[label][t] ** 2 * (w[label][j] - v[label][t]) ** 2 for label in range(len(w))) for t in range(n_groups)
        ]
        g.append([1 if t == distances.index(min(distances)) else 0 for t in range(n_groups)])
    return g


def new_emphasis(w, v, g, eta):
    """y_lt ∝ 1 / (Σ_j g_jt (w_lj − v_lt)² + η), 1 in sum over the classes."""
    y = [[0.0] * len(v[0]) for _ in w]
    for t in range(len(v[0])):
        closeness = [
            1 / (sum(g[j][t] * (w[label][j] - v[label][t]) ** 2 for j in range(len(g))) + eta)
            for label in range(len(w))
        ]
        for label in range(len(w)):
            y[label][t] = closeness[label] / sum(closeness)
    return y


def network_weights(inputs, labels, to_hidden, bias, n_classes, ridge):
    """(DᵀD + λI)⁻¹ DᵀY with D = [inputs, ReLU(inputs W + b), 1]."""
    D = np.array([_expanded(row, to_hidden, bias) for row in inputs])
    Y = np.array([[1.0 if label == of_row else 0.0 for label in range(n_classes)] for of_row in labels])
    return np.linalg.inv(D.T @ D + ridge * np.eye(D.shape[1])) @ D.T @ Y


def network_output(values, to_hidden, bias, weights):
    """What a network says of each class, for one row."""
    expanded = _expanded(values, to_hidden, bias)
    return [sum(value * weights[i][y] for i, value in enumerate(expanded)) for y in range(len(weights[0]))]


def _expanded(values, to_hidden, bias):
    hidden = []
    for unit in range(len(bias)):
        total = bias[unit] + sum(value * to_hidden[j][unit] for j, value in enumerate(values))
        hidden.append(max(total, 0.0))
    return [*values, *hidden, 1.0]


def combined_softmax(outputs):
    """Π_t softmax_t(c | x), normalised; outputs of a row, one list a group."""
    result = [1.0] * len(outputs[0])
    for of_group in outputs:
        exponentials = [np.exp(output) for output in of_group]
        result = [product * share / sum(exponentials) for product, share in zip(result, exponentials)]
    return [product / sum(result) for product in result]


def combined(outputs, class_count):
    """Π_t P_t(c | x) / P(c)^(T − 1), normalised; outputs of a row, one list a group."""
    n, k = sum(class_count), len(class_count)
    result = []
    for label in range(k):
        prior = (class_count[label] + 1 / k) / (n + 1)
        product = prior
        for of_group in outputs:
            positive = [max(output, 0.0) for output in of_group]
            product *= (n * positive[label] + 1 / k) / (n * sum(positive) + 1) / prior
        result.append(product)
    return [product / sum(result) for product in result]
