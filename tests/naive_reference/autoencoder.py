"""The variational graph auto-encoder as its equations print it: n × n matrices, one product after the other."""

import numpy as np


def adjacency(edges, n):
    """Ones where rows are joined, and on the diagonal."""
    T = np.eye(n)
    for i, j in edges:
        T[i, j] = T[j, i] = 1.0
    return T


def normalised(T):
    """D^-1/2 T D^-1/2."""
    D = np.diag(1 / np.sqrt(T.sum(axis=1)))
    return D @ T @ D


def encode(X, T, parameters):
    """Two layers of graph convolution."""
    W0, b0, Wm, bm, Ws, bs = parameters
    A = normalised(T)
    H = np.maximum(A @ X @ W0 + b0, 0)
    return A @ H @ Wm + bm, A @ H @ Ws + bs


def sigmoid(s):
    return np.exp(-np.logaddexp(0, -s))


def cross_entropy(Z, T, counted=None):
    """ν times the mean over all cells of ω times the binary cross-entropy.

    ``counted`` says how often each cell counts as a 0; once by default.
    """
    n = len(T)
    e = T.sum()
    # -log p and -log(1 - p) of p = sigmoid(s), which itself may round to 0 or 1.
    as_one, as_zero = np.logaddexp(0, -Z @ Z.T), np.logaddexp(0, Z @ Z.T)
    if e == n * n:
        return 0.5 * np.mean(as_one)
    nu = n**2 / (2 * (n**2 - e))
    omega = np.where(T == 1, (n**2 - e) / e, 1.0)
    cells = omega * (T * as_one + (1 - T) * as_zero)
    if counted is not None:
        # A cell that is 1 is exact however often it counts as a 0, for on average it counts once, and it is known.
        cells = cells + (counted - 1) * as_zero
    return nu * np.mean(cells)


def divergence(mean, log_spread):
    """KL', which is at most 0."""
    n = len(mean)
    return 0.5 / n * np.mean(np.sum(1 + 2 * log_spread - mean**2 - np.exp(2 * log_spread), axis=1))


def loss(X, T, parameters, noise, counted=None):
    """What is minimised."""
    mean, log_spread = encode(X, T, parameters)
    Z = mean + noise * np.exp(log_spread)
    return cross_entropy(Z, T, counted) - divergence(mean, log_spread)


def gradients(X, T, parameters, noise):
    """Derivatives of the loss by back-propagation with all matrices in full."""
    W0, b0, Wm, bm, Ws, bs = parameters
    n, e = len(T), T.sum()
    A = normalised(T)
    before = A @ X @ W0 + b0
    H = np.maximum(before, 0)
    mean, log_spread = A @ H @ Wm + bm, A @ H @ Ws + bs
    spread = np.exp(log_spread)
    Z = mean + noise * spread
    # ν ω is n² / 2e for ones and n² / 2(n² - e) for zeros.
    weights = np.where(T == 1, 1 / (2 * e), 1 / (2 * max(n**2 - e, 1)))
    G = weights * (sigmoid(Z @ Z.T) - T)
    by_Z = (G + G.T) @ Z
    by_mean = by_Z + mean / n**2
    by_spread = by_Z * noise * spread - (1 - spread**2) / n**2
    by_H = A.T @ (by_mean @ Wm.T + by_spread @ Ws.T) * (before > 0)
    return (
        (A @ X).T @ by_H,
        by_H.sum(axis=0),
        (A @ H).T @ by_mean,
        by_mean.sum(axis=0),
        (A @ H).T @ by_spread,
        by_spread.sum(axis=0),
    )
