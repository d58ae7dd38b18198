"""Figures of models on data sets, and which of their differences are significant: AUC-PR, bias and variance."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unnaive.evaluate.bias_variance import webb
from unnaive.evaluate.comparison import Comparison
from unnaive.evaluate.paired_tests import paired_t
from unnaive.evaluate.significance import DECIMALS, Verdict, wilcoxon_signed_ranks

BY_CLASS, BY_ROWS = "auc_pr", "auc_pr_weighted"


@dataclass(frozen=True)
class Judged:
    """Scores by model over data sets, and a function that gives the verdicts (1, 0, -1) of one model over another."""

    scores: Mapping[str, NDArray[np.float64]]
    verdicts: Callable[[str, str], list[int]]
    higher_is_better: bool

    def ranked(self, model: str) -> NDArray[np.float64]:
        """Scores of which the higher is better, rounded; a model that failed ranks last."""
        figures = np.round(self.scores[model] if self.higher_is_better else -self.scores[model], DECIMALS)
        return np.where(np.isnan(figures), -np.inf, figures)

    def signs(self, mine: str, other: str) -> list[int]:
        """Which of two scores is better, significantly or not."""
        a, b = self.ranked(mine), self.ranked(other)
        return ((a > b).astype(int) - (a < b)).tolist()

    def wilcoxon(self, mine: str, other: str) -> Verdict:
        """Wilcoxon's test over the data sets."""
        return wilcoxon_signed_ranks(self.scores[mine], self.scores[other], higher_is_better=self.higher_is_better)


def by_auc_pr(comparison: Comparison, metric: str = BY_CLASS) -> Judged:
    """By the corrected paired t-test over folds."""

    def verdicts(mine: str, other: str) -> list[int]:
        return [comparison.verdict(metric, data, mine, other) for data in comparison.data]

    return Judged(dict(zip(comparison.models, comparison.scores(metric).T)), verdicts, True)


def by_parts(comparison: Comparison, models: Sequence[str]) -> dict[str, Judged]:
    """By the paired t-test over rows, each with the bias and the variance of its predictions."""
    rows = {model: [parts_of_rows(comparison, data, model) for data in comparison.data] for model in models}

    def judged(part: int) -> Judged:
        def verdicts(mine: str, other: str) -> list[int]:
            pairs = zip(rows[mine], rows[other])
            return [paired_t(a[part], b[part], higher_is_better=False).verdict for a, b in pairs]

        means = {model: np.array([of_data[part].mean() for of_data in found]) for model, found in rows.items()}
        return Judged(means, verdicts, False)

    return {"bias": judged(0), "variance": judged(1)}


def parts_of_rows(comparison: Comparison, data: str, model: str) -> NDArray[np.float64]:
    """Webb's bias and variance of every row's predictions, of shape (2, n_rows); NaN if the model failed."""
    truth = comparison.settings["data"][data]["truth"]
    predicted = defaultdict(list)
    for fold in comparison.folds(data, model):
        if fold.error:
            return np.full((2, len(truth)), np.nan)
        for row, label in zip(fold.tested or (), fold.predicted or ()):
            predicted[row].append(label)
    return np.array([webb(np.array([predicted[row]]), np.array([truth[row]]))[1:] for row in sorted(predicted)]).T
