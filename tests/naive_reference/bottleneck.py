"""The agglomerative information bottleneck of Slonim and Tishby, by its definitions: all pairs in every step."""

import itertools
import math


def _divergence(p, q):
    """Kullback-Leibler divergence, in nats."""
    return sum(a * math.log(a / b) for a, b in zip(p, q) if a > 0)


def mutual_information(joint):
    """I(W; C) of a list of rows p(w, c)."""
    of_class = [sum(column) for column in zip(*joint)]
    information = 0.0
    for row in joint:
        for p, share in zip(row, of_class):
            if p > 0:
                information += p * math.log(p / (sum(row) * share))
    return information


def merge_cost(first, second):
    """(p1 + p2) JS of two rows p(w, c), with the weights p1 and p2."""
    p1, p2 = sum(first), sum(second)
    weight1, weight2 = p1 / (p1 + p2), p2 / (p1 + p2)
    profile1, profile2 = [p / p1 for p in first], [p / p2 for p in second]
    mixed = [weight1 * a + weight2 * b for a, b in zip(profile1, profile2)]
    jensen_shannon = weight1 * _divergence(profile1, mixed) + weight2 * _divergence(profile2, mixed)
    return (p1 + p2) * jensen_shannon


def costs_of_all_pairs(clusters):
    """{(i, j): cost} of a dict of clusters, {index: row p(w, c)}."""
    return {(i, j): merge_cost(clusters[i], clusters[j]) for i, j in itertools.combinations(sorted(clusters), 2)}


def merge(clusters, i, j):
    """The clusters after the second has become a part of the first."""
    merged = [a + b for a, b in zip(clusters[i], clusters[j])]
    return {index: merged if index == i else row for index, row in clusters.items() if index != j}


def greedy_merges(joint):
    """All merges down to one cluster, as (i, j, cost): in every step the cheapest pair, the first of those."""
    clusters = dict(enumerate(joint))
    merges = []
    while len(clusters) > 1:
        costs = costs_of_all_pairs(clusters)
        i, j = min(costs, key=lambda pair: (costs[pair], pair))
        merges.append((i, j, costs[i, j]))
        clusters = merge(clusters, i, j)
    return merges
