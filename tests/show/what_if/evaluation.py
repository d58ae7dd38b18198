"""The data of a page, read back, and a model's answers from it: formulas as printed, loops and all."""

import base64
import json
from itertools import combinations

import numpy as np

TYPES = {"u1": "<u1", "u2": "<u2", "u4": "<u4", "f8": "<f8"}


def unpacked(text):
    """The data as numbers, lists and flat arrays."""

    def decode(found):
        if found.keys() == {"type", "data"}:
            return np.frombuffer(base64.b64decode(found["data"]), TYPES[found["type"]])
        return found

    return json.loads(text, object_hook=decode)


def probabilities(data, row):
    """The probabilities of the classes for a row of codes, numbers and None."""
    joint = JOINT[data["model"]["kind"]](data, row)
    weights = np.exp(joint - joint.max())
    return weights / weights.sum()


def product(data, row):
    tables, n_classes = data["model"], len(data["classes"])
    coded = [place for place, column in enumerate(data["columns"]) if column["kind"] != "gaussian"]
    numbers = [place for place, column in enumerate(data["columns"]) if column["kind"] == "gaussian"]
    scores = tables["log_prior"].astype(float)
    for node, place in enumerate(coded):
        if row[place] is not None:
            at = tables["starts"][node] + row[place]
            for parent, step in tables["links"][node]:
                at += step * (0 if row[coded[parent]] is None else row[coded[parent]] + 1)
            scores += tables["logs"].reshape(-1, n_classes)[at]
    for k, place in enumerate(numbers):
        if row[place] is not None:
            mean, variance = (tables[name].reshape(-1, n_classes)[k] for name in ("mean", "variance"))
            scores += -0.5 * np.log(2 * np.pi * variance) - (row[place] - mean) ** 2 / (2 * variance)
    return scores


def counted(data, **positions):
    """The counts of some columns' values by class; -1 is a missing value."""
    tables = data["model"]
    at = 0
    columns = sorted((int(name[1:]) for name in positions), reverse=True)
    for depth, column in zip(range(len(columns), 0, -1), columns):
        position = positions[f"x{column}"] + tables["has_missing"][column]
        at += tables["starts"][depth][column] + position * tables["starts"][depth - 1][column]
    return tables["tables"][len(columns) - 1].reshape(-1, len(data["classes"]))[at].astype(float)


def conditional(data, row, child, parents):
    """P(x_child | x_parents, y), from the training rows in which the child is observed."""
    given = {f"x{parent}": row[parent] for parent in parents}
    total = counted(data, **given)
    if data["model"]["has_missing"][child]:
        total = total - counted(data, **given, **{f"x{child}": -1})
    both = counted(data, **given, **{f"x{child}": row[child]})
    return (both + data["model"]["extra"][child]) / (total + data["model"]["added"][child])


def naive(data, row, column):
    tables = data["model"]
    at = tables["starts"][1][column] + row[column] + tables["has_missing"][column]
    return tables["naive"].reshape(-1, len(data["classes"]))[at]


def hidden(data, row):
    tables, n = data["model"], len(row)
    scores = tables["log_prior"].astype(float)
    dependence = tables["dependence"].reshape(n, n)
    shown = [column for column in range(n) if row[column] is not None]
    for child in shown:
        others = [parent for parent in shown if parent != child and dependence[child, parent] > 0]
        weight = sum(dependence[child, parent] for parent in others)
        factor = sum(dependence[child, parent] * conditional(data, row, child, [parent]) for parent in others)
        scores += np.log(factor / weight if others else naive(data, row, child))
    return scores


def average(data, row):
    tables, n = data["model"], len(row)
    shown = [column for column in range(n) if row[column] is not None]
    levels = list(tables["levels"])
    while levels:
        level = levels[0]
        about = {name: level[name].reshape((n,) * level["n"]) for name in ("weight", "prior_extra", "prior_total")}
        total, n_frequent = 0.0, 0
        for parents in combinations(shown, level["n"]):
            own = counted(data, **{f"x{parent}": row[parent] for parent in parents})
            weight, extra, known = (about[name][parents[::-1]] for name in ("weight", "prior_extra", "prior_total"))
            if own.sum() >= tables["frequency_limit"]:
                n_frequent += 1
                if weight > 0:
                    factor = weight * (own + extra) / known
                    for child in set(shown) - set(parents):
                        factor = factor * conditional(data, row, child, parents)
                    total = total + factor
        if np.any(total):
            return np.log(total)
        levels = levels[1:] if n_frequent else [other for other in levels if other["n"] < level["n"]]
    return tables["log_prior"] + sum((naive(data, row, column) for column in shown), np.zeros(len(data["classes"])))


JOINT = {"product": product, "hidden": hidden, "average": average}
