"""What a page needs to compute a fitted model's answers: the tables that the model itself scores rows with."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from unnaive.bayes.aode import AODE, WAODE, AnDE
from unnaive.bayes.hidden_naive_bayes import HiddenNaiveBayes
from unnaive.bayes.naive_bayes import NaiveBayes
from unnaive.bayes.networks import KDB, TAN, BayesNet
from unnaive.core.shapley import orders_of_columns
from unnaive.core.validation import as_fitted
from unnaive.counts.count_table import CountTable, Smoothing
from unnaive.models import classifier_of

_MODELS = (NaiveBayes, TAN, KDB, BayesNet, HiddenNaiveBayes, AODE, WAODE, AnDE)


def check_model(model: Any) -> None:
    """Refuse a model whose answers a page cannot compute, and say which ones it can."""
    kind, why = type(classifier_of(model)).__name__, ""
    if classifier_of(model) is not model:
        why = " within a pipeline, whose steps would have to run in the page"
    elif type(model) not in _MODELS:
        why = ", whose answers do not follow from tables that fit into a page"
    else:
        fitted = as_fitted(model)
        if getattr(fitted, "numeric", None) == "kernel":
            why = ' with numeric="kernel", which keeps every number of its training'
        elif getattr(fitted, "subsumption", None) is not None:
            why = " with subsumption, which leaves values out row by row"
    if why:
        names = ", ".join(known.__name__ for known in _MODELS)
        raise ValueError(
            f"The model is {kind}{why}. A page can ask what if of {names}: NaiveBayes with "
            'numeric="discretize" or "gaussian", AnDE without subsumption.'
        )


def tables_of(model: Any) -> dict[str, Any]:
    """The tables of a model, as numbers, lists and arrays; ``kind`` says how the page computes with them."""
    fitted = as_fitted(model)
    derived, statistic = fitted._derived, fitted.statistic_
    if isinstance(fitted, HiddenNaiveBayes):
        return _hidden(derived, statistic, Smoothing(fitted.smoothing, fitted.m))
    if isinstance(fitted, AODE):
        return _product(derived.naive.network, derived.naive.log_prior) if derived.n == 0 else _average(derived)
    if isinstance(fitted, NaiveBayes):
        naive, gaussian = derived
        tables = _product(naive.network, naive.log_prior)
        return tables if gaussian is None else {**tables, "mean": gaussian[0], "variance": gaussian[1]}
    return _product(derived.tables, derived.log_prior)


def _product(network: Any, log_prior: Any) -> dict[str, Any]:
    """log P(y) + Σ log P(x_i | y, parents): where a table starts, and the rows between two values of each parent."""
    ends = network.link_starts.tolist()
    links = network.links.T.tolist()
    return {
        "kind": "product",
        "log_prior": log_prior,
        "starts": network.starts.tolist(),
        "links": [links[first:last] for first, last in pairwise(ends)],
        "logs": network.tables,
    }


def _counts(counts: CountTable) -> dict[str, Any]:
    return {
        "starts": counts.starts.tolist(),
        "has_missing": counts.has_missing.tolist(),
        "tables": list(counts.tables),
    }


def _hidden(hidden: Any, counts: CountTable, smoothing: Smoothing) -> dict[str, Any]:
    """P(y) Π_i Σ_j W_ij P(x_i | x_j, y), from counts of pairs."""
    values = counts.n_values.astype(float)
    return {
        "kind": "hidden",
        **_counts(counts),
        "dependence": hidden.dependence,
        "extra": smoothing.extra(values).tolist(),
        "added": smoothing.added(values).tolist(),
        "naive": hidden.naive,
        "log_prior": hidden.log_prior,
    }


def _average(average: Any) -> dict[str, Any]:
    """Σ_s u_s P(y, x_s) Π P(x_l | y, x_s), and the averages for rows that have no admissible set of parents."""
    levels = [average]
    if (average.factors.weight != 1.0).any():
        levels.append(average.unweighted)
    while levels[-1].n > 1:
        levels.append(levels[-1].one_parent_less)
    factors = average.factors
    n_columns = average.counts.n_columns
    return {
        "kind": "average",
        **_counts(average.counts),
        "extra": factors.extra.tolist(),
        "added": factors.added.tolist(),
        "frequency_limit": factors.frequency_limit,
        "levels": [
            {
                "n": level.n,
                "weight": level.factors.weight,
                "prior_extra": level.factors.prior_extra,
                "prior_total": level.factors.prior_total,
            }
            for level in levels
        ],
        "naive": average.naive.network.tables,
        "log_prior": average.naive.log_prior,
        "orders": np.argsort(orders_of_columns(n_columns), axis=1),  # the columns in the order they are shown
    }
