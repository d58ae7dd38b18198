"""h:d-trees as Algorithms 1 and 2 of the MassBayes paper print them, and what is read off them."""

import math


class Node:
    def __init__(self):
        self.left = self.right = self.attribute = self.value = None
        self.rows = self.box = self.level = None


def single_tree(rows, X, low, high, level, order, height):
    """Algorithm 2, with its ranges copied so that a half does not change those of the other."""
    low, high = list(low), list(high)
    node = Node()
    while level < height and len(rows) > 1:
        q = order[level % len(order)]
        middle = (high[q] + low[q]) / 2
        lower = [row for row in rows if X[row][q] < middle]
        upper = [row for row in rows if X[row][q] >= middle]
        if not lower or not upper:
            if lower:
                high[q] = middle
            else:
                low[q] = middle
            level += 1
            continue
        node.attribute, node.value = q, middle
        before, high[q] = high[q], middle
        node.left = single_tree(lower, X, low, high, level + 1, order, height)
        high[q], low[q] = before, middle
        node.right = single_tree(upper, X, low, high, level + 1, order, height)
        break
    node.rows, node.box, node.level = rows, list(zip(low, high)), level
    return node


def leaves(node):
    """The leaves from the lowest half to the highest."""
    return [node] if node.left is None else leaves(node.left) + leaves(node.right)


def look_up(node, x):
    """The leaf that a row comes to."""
    while node.left is not None:
        node = node.left if x[node.attribute] < node.value else node.right
    return node


def in_box(leaf, x, top):
    """Whether a row is in the region of a leaf, halves that were not nodes included; ``top`` is that of the whole box.

    The upper end belongs to the next region, as rows on it do, but for that of the whole box.
    """
    return all(
        low <= value and (value < high or value == high == highest)
        for value, (low, high), highest in zip(x, leaf.box, top)
    )


def around_gaps(node, x):
    """Leaves that a row with missing values (NaN) may come to, and how likely, by the rows of the halves."""
    if node.left is None:
        return [(node, 1.0)]
    if math.isnan(x[node.attribute]):
        return [
            (leaf, part * len(half.rows) / len(node.rows))
            for half in (node.left, node.right)
            for leaf, part in around_gaps(half, x)
        ]
    return around_gaps(node.left if x[node.attribute] < node.value else node.right, x)
