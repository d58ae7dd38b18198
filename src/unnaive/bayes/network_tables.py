"""Log probability tables of Bayesian networks: naive Bayes, TAN, KDB and any other.

Each column is a node with a table of log probabilities: one row per combination of its parents' values and its own,
one column per class. Position 0 of a parent stands for a missing value and holds the probability without that parent.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unnaive.core.compiled import njit


@dataclass(frozen=True)
class NetworkTables:
    """The log probability tables of all nodes, one below the other."""

    starts: NDArray[np.int64]  # (n_columns,), first row of each node's table
    links: NDArray[np.int64]  # (2, n_links), the parents of all nodes, and the rows between two values of each parent
    link_starts: NDArray[np.int64]  # (n_columns + 1,), where each node's parents begin in ``links``
    tables: NDArray[np.float64]  # (n_rows, n_classes)

    def score(self, codes: NDArray[np.int32], log_prior: NDArray[np.float64]) -> NDArray[np.float64]:
        """Joint log scores of coded rows."""
        scores = np.empty((len(codes), len(log_prior)))
        scores[:] = log_prior
        nodes = np.arange(len(self.starts))
        add_log_tables(codes, nodes, self.starts, self.links, self.link_starts, self.tables, scores)
        return scores

    def probabilities(self, node: int, shape: tuple[int, ...]) -> NDArray[np.float64]:
        """The table of a node, of shape (positions of its parents..., own values, n_classes)."""
        start = self.starts[node]
        return np.exp(self.tables[start : start + math.prod(shape[:-1])]).reshape(shape)

    def evidence(self, codes: NDArray[np.int32]) -> NDArray[np.float64]:
        """The log probability of each node, of shape (n_rows, n_nodes, n_classes); they sum to the score."""
        terms = np.zeros((len(self.starts), len(codes), self.tables.shape[1]))
        for node, of_node in enumerate(terms):
            add_log_tables(codes, np.array([node]), self.starts, self.links, self.link_starts, self.tables, of_node)
        return terms.transpose(1, 0, 2)


def stack_tables(parents: Sequence[Sequence[int]], tables: Sequence[NDArray[np.float64]]) -> NetworkTables:
    """Lay out one table per node, each of shape (positions of its parents..., own values, n_classes)."""
    links: list[tuple[int, int]] = []
    starts, link_starts, flat = [0], [0], []
    for of_node, table in zip(parents, tables):
        steps = np.array(table.strides[:-2], dtype=np.int64) // table.strides[-2]
        links.extend(zip(of_node, steps.tolist()))
        link_starts.append(len(links))
        flat.append(table.reshape(-1, table.shape[-1]))
        starts.append(starts[-1] + len(flat[-1]))
    return NetworkTables(
        np.array(starts[:-1], dtype=np.int64),
        np.array(links, dtype=np.int64).reshape(-1, 2).T.copy(),
        np.array(link_starts, dtype=np.int64),
        np.concatenate(flat),
    )


def with_dropped_parents(counts: NDArray[np.float64], has_missing: Sequence[bool]) -> NDArray[np.float64]:
    """Put the counts without each parent in front of that parent's axis.

    ``counts`` has the axes (parents..., values of the node, classes). Where ``has_missing``, position 0 of a parent
    counts its missing values, which belong only to the counts without that parent.
    """
    for axis, missing in enumerate(has_missing):
        without = counts.sum(axis=axis, keepdims=True)
        values = counts[(slice(None),) * axis + (slice(int(missing), None),)]
        counts = np.concatenate([without, values], axis=axis)
    return np.ascontiguousarray(counts)


@njit(cache=True, nogil=True)
def add_log_tables(codes, nodes, starts, links, link_starts, tables, scores):
    """Add to each row's scores the log probabilities of the observed values of some nodes."""
    n_rows = codes.shape[0]
    n_classes = scores.shape[1]
    for row in range(n_rows):
        score = scores[row]
        for i in nodes:
            code = codes[row, i]
            if code < 0:
                continue
            at = starts[i] + code
            for link in range(link_starts[i], link_starts[i + 1]):
                at += (codes[row, links[0, link]] + 1) * links[1, link]
            terms = tables[at]
            for y in range(n_classes):
                score[y] += terms[y]
