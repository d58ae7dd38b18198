"""Figures 2 to 7 of van Gerven's paper on stand-ins for its data, and one over all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unnaive import DecomposedTensorClassifier, NaiveBayes
from unnaive.evaluate.comparison import Comparison
from unnaive.io.datasets import Dataset
from unnaive.papers.dtc.column_information_display import ColumnInformationDisplay
from unnaive.papers.dtc.component_scores_display import ComponentScoresDisplay
from unnaive.papers.dtc.components_display import ComponentsDisplay
from unnaive.papers.dtc.folds import (
    MAIN,
    N_COMPONENTS,
    N_FEATURES,
    NAIVE,
    VARIANTS,
    all_folds,
    best_components,
    complete_sets,
    staged,
)
from unnaive.papers.dtc.posteriors_display import PosteriorsDisplay
from unnaive.papers.reproduction import Request
from unnaive.show.display import Display

_DRAWN_SET = "lymph"  # which has four classes, as COMIK has
_FEW = 5  # columns of Figure 2
_NUMBERS = range(1, N_COMPONENTS + 1)
_STARTS: dict[str, dict[str, Any]] = {
    "1 random start": {"n_init": 1},
    "5 random starts": {"n_init": 5},
    "10 random starts": {"n_init": 10},
    "singular vectors": {"init": "svd"},
}


def figures(comparison: Comparison, request: Request) -> dict[str, Display]:
    """Figures 2 to 7 on one data set, and accuracies of all variants over all data sets."""
    name = _DRAWN_SET if _DRAWN_SET in comparison.data else comparison.data[0]
    whole, completed = complete_sets(name, request.folder, comparison.settings["repeats"], request.seed)
    best = best_components(comparison, name, MAIN)
    model = DecomposedTensorClassifier(
        n_components=best, n_features=N_FEATURES, random_state=request.seed, **VARIANTS[MAIN]
    ).fit(completed[0].X, completed[0].y)
    return {
        **_starts(completed, request.seed),
        "Figure 3": ColumnInformationDisplay(
            model.column_information_, [*whole.X], n_chosen=len(model.selected_features_), title=f"Figure 3: {name}"
        ),
        "Figure 4": _by_components("Figure 4", comparison, name, "accuracy", best),
        "Figure 5": _by_components("Figure 5", comparison, name, "log_score", best),
        "Figure 6": _posteriors(completed[0], request.seed, best),
        "Figure 7": ComponentsDisplay(
            model.class_factors_ * model.component_weights_, model.classes_.tolist(), title=f"Figure 7: {name}"
        ),
        "All data sets": _over_all(comparison),
    }


def _starts(completed: Sequence[Dataset], seed: int) -> dict[str, Display]:
    """Figure 2: whether it matters where searches begin, on five columns."""
    accuracies: dict[str, list[Any]] = {name: [] for name in _STARTS}
    errors: dict[str, list[Any]] = {name: [] for name in _STARTS}
    for imputation, dataset in enumerate(completed):
        for fold in all_folds(dataset, imputation, seed, _FEW):
            for name, parameters in _STARTS.items():
                model = fold.decomposed(N_COMPONENTS, **VARIANTS[MAIN], **parameters)
                accuracies[name].append([(proba.argmax(axis=1) == fold.truth).mean() for proba in fold.staged(model)])
                errors[name].append(squared_errors(model, fold.X_train, fold.y_train))
    title = f"Figure 2: {completed[0].name}, {_FEW} columns"
    shown: dict[str, Display] = {}
    for metric, found, higher_is_better in (("accuracy", accuracies, True), ("squared error", errors, False)):
        means = {name: np.mean(of_start, axis=0) for name, of_start in found.items()}
        shown[f"Figure 2: {metric}"] = ComponentScoresDisplay(
            _NUMBERS, means, metric=metric, higher_is_better=higher_is_better, title=title
        )
    return shown


def squared_errors(model: Any, X: Any, y: Any) -> NDArray[np.float64]:
    """Squared errors of the first 1, 2, ... components over the cells of the training tensor that rows define.

    The model was fitted to these rows, without missing values, one term after the other. Beyond its last component, the
    error stays the same.
    """
    codes = model.encoder_.transform(X)[:, model.selected_features_]
    distinct, place = np.unique(codes, axis=0, return_inverse=True)
    shares = np.zeros((len(distinct), len(model.classes_)))
    np.add.at(shares, (place.ravel(), np.searchsorted(model.classes_, y)), 1 / len(codes))
    terms = np.prod([of_column[of_rows] for of_column, of_rows in zip(model.column_factors_, distinct.T)], axis=0)
    sums = np.cumsum((model.component_weights_ * terms)[:, None, :] * model.class_factors_, axis=2)
    left = ((shares[:, :, None] - sums) ** 2).sum(axis=(0, 1))
    return np.append(left, np.full(N_COMPONENTS - len(left), left[-1]))


def _by_components(figure: str, comparison: Comparison, data: str, measure: str, best: int) -> Display:
    """Figures 4 and 5: the paper's model and the mixture against naive Bayes, with deviations over folds."""
    curves = {model: staged(comparison, data, model, measure) for model in (MAIN, "mixture")}
    naive = [fold.scores[measure] for fold in comparison.folds(data, NAIVE)]
    is_accuracy = measure == "accuracy"
    return ComponentScoresDisplay(
        _NUMBERS,
        {model: (found.mean(axis=0), found.std(axis=0)) for model, found in curves.items()},
        reference={NAIVE: (np.mean(naive), np.std(naive))},
        metric=measure if is_accuracy else "log score of a fold",
        higher_is_better=is_accuracy,
        chosen=best,
        title=f"{figure}: {data}",
    )


def _posteriors(dataset: Dataset, seed: int, best: int) -> Display:
    """Figure 6: posteriors of all rows, each in the fold in which it is tested."""
    found: dict[str, list[Any]] = {NAIVE: [], f"DTC, K = {best}": []}
    truth = []
    for fold in all_folds(dataset, 0, seed):
        truth.append(fold.truth)
        models = fold.fitted(NaiveBayes()), fold.decomposed(best, **VARIANTS[MAIN])
        for model, of_model in zip(models, found.values()):
            of_model.append(fold.over_all_classes(model, model.predict_proba(fold.X_test)))
    posteriors = {name: np.concatenate(of_model) for name, of_model in found.items()}
    return PosteriorsDisplay(
        posteriors, np.concatenate(truth), range(dataset.n_classes), title=f"Figure 6: {dataset.name}"
    )


def _over_all(comparison: Comparison) -> Display:
    """Accuracies of all variants, averaged over data sets."""
    curves = {
        model: np.mean([staged(comparison, data, model, "accuracy").mean(axis=0) for data in comparison.data], axis=0)
        for model in VARIANTS
    }
    naive = np.mean([comparison.fold_scores("accuracy", data, NAIVE).mean() for data in comparison.data])
    title = f"mean of {len(comparison.data)} data sets"
    return ComponentScoresDisplay(_NUMBERS, curves, reference={NAIVE: naive}, title=title)
