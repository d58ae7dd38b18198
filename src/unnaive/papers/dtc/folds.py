"""Folds of the experiment on decomposed tensor classifiers: measuring one, and running all."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unnaive import DecomposedTensorClassifier, NaiveBayes, __version__
from unnaive.evaluate.compare import collect, ignore_sigint
from unnaive.evaluate.comparison import Comparison, FoldResult
from unnaive.evaluate.results_file import ResultsFile
from unnaive.evaluate.significance import DECIMALS
from unnaive.evaluate.splits import split
from unnaive.io.datasets import BUNDLED, Dataset, load
from unnaive.papers.dtc.imputation import complete_repeatedly
from unnaive.papers.reproduction import Request

FOLDS = 10
IMPUTATIONS = 3
N_FEATURES = 18
N_COMPONENTS = 30
FLOOR = 1e-6  # of probabilities, for log scores
NAIVE = "naive Bayes"
VARIANTS: dict[str, dict[str, Any]] = {
    "cp": {"decomposition": "cp"},
    "cp, converged": {"decomposition": "cp", "max_sweeps": 500},
    "cp, literal": {"decomposition": "cp", "mask": False},
    "tucker": {"decomposition": "tucker"},
    "mixture": {"decomposition": "mixture"},
}
MAIN = "cp"  # the paper's
# Numbers of components by how they are chosen: by the rows tested on, as in the paper, or by rows of the training fold.
BEST, HELD_OUT = "best", "held-out"
# What is counted of a model's answers: rows that are right, the sum of -log P(class), rows on which naive Bayes says
# something else, and those of them that are right.
MEASURES = ("right", "log_score", "different", "right_then")


def key_of(measure: str, n_components: int | str) -> str:
    """Name of a measure of a model with a number of components in a result."""
    return f"{measure}@{n_components}"


def read_set(name: str, folder: str | Path | None = None) -> Dataset:
    """A data set of the UCI repository by its name, or one of scikit-learn's."""
    return replace(load(name if name in BUNDLED else f"uci_{name}", folder=folder), name=name)


def complete_sets(name: str, folder: str | Path | None, n_imputations: int, seed: int) -> tuple[Dataset, list[Dataset]]:
    """A data set as it is, and completed several times."""
    whole = read_set(name, folder)
    copies = complete_repeatedly(whole.X, n_imputations, random_state=seed)
    return whole, [replace(whole, X=copy) for copy in copies]


@dataclass(frozen=True)
class Fold:
    """Rows to train on and to test on, with the columns that say most about the class in training.

    ``truth`` holds places in ``classes``, those of the whole data set; training may lack rare ones. ``seed`` is for all
    models of the fold.
    """

    X_train: pd.DataFrame
    y_train: NDArray[Any]
    X_test: pd.DataFrame
    truth: NDArray[np.intp]
    classes: NDArray[Any]
    seed: int

    @classmethod
    def of(cls, dataset: Dataset, imputation: int, fold: int, seed: int, n_features: int | None = None) -> Fold:
        """A fold of a completed data set with its best columns; every imputation has folds of its own."""
        train, test = split(dataset, imputation, fold, FOLDS, None, seed)
        labels = np.asarray(dataset.y)
        classes, truth = np.unique(labels, return_inverse=True)
        n_features = N_FEATURES if n_features is None else n_features
        # One component is enough for a model that has chosen its columns.
        chooser = DecomposedTensorClassifier(n_components=1, decomposition="cp", n_features=n_features)
        columns = chooser.fit(dataset.X.iloc[train], labels[train]).selected_features_
        own = int(np.random.SeedSequence([seed, imputation, fold]).generate_state(1)[0])
        X = dataset.X.iloc[:, columns]
        return cls(X.iloc[train], labels[train], X.iloc[test], truth[test], classes, own)

    def fitted(self, model: Any) -> Any:
        """A model after training; warnings of fewer components than asked for are ignored."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            return model.fit(self.X_train, self.y_train)

    def decomposed(self, n_components: int | str, **parameters: Any) -> Any:
        """A decomposed tensor classifier after training."""
        model = DecomposedTensorClassifier(
            n_components=n_components, max_components=N_COMPONENTS, random_state=self.seed, **parameters
        )
        return self.fitted(model)

    def over_all_classes(self, model: Any, probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
        """Probabilities of the test rows, with zeros for classes that training lacks."""
        found = np.zeros((len(self.truth), len(self.classes)))
        found[:, np.searchsorted(self.classes, model.classes_)] = probabilities
        return found

    def staged(self, model: Any) -> list[NDArray[np.float64]]:
        """Probabilities with 1 to ``N_COMPONENTS`` components; beyond its last one, a model stays as it is."""
        stages = [self.over_all_classes(model, found) for found in model.staged_predict_proba(self.X_test)]
        return stages + stages[-1:] * (N_COMPONENTS - len(stages))

    def tally(self, probabilities: NDArray[np.float64], naive: NDArray[np.float64]) -> dict[str, float]:
        """The measures of a model's answers, given those of naive Bayes."""
        said, said_naively = probabilities.argmax(axis=1), naive.argmax(axis=1)
        right, different = said == self.truth, said != said_naively
        of_truth = probabilities[np.arange(len(self.truth)), self.truth]
        figures = (
            int(right.sum()),
            float(-np.log(np.maximum(of_truth, FLOOR)).sum()),
            int(different.sum()),
            int((right & different).sum()),
        )
        return dict(zip(MEASURES, figures))


def all_folds(dataset: Dataset, imputation: int, seed: int, n_features: int | None = None) -> Iterator[Fold]:
    """All folds of a completed data set, one after the other."""
    for fold in range(FOLDS):
        yield Fold.of(dataset, imputation, fold, seed, n_features)


@dataclass(frozen=True)
class Task:
    """A fold of a completed data set to be measured."""

    dataset: Dataset
    imputation: int
    fold: int
    seed: int


def measure(task: Task) -> list[FoldResult]:
    """Results of naive Bayes and all variants on one fold.

    Accuracy, log loss and the measures under ``HELD_OUT`` are those with the number of components chosen on held-out
    rows of the training fold. Times are those of the fit for all numbers.
    """
    fold = Fold.of(task.dataset, task.imputation, task.fold, task.seed)
    start = time.perf_counter()
    model = fold.fitted(NaiveBayes())
    fitted = time.perf_counter()
    naive = fold.over_all_classes(model, model.predict_proba(fold.X_test))
    tallied = fold.tally(naive, naive)
    seconds = fitted - start, time.perf_counter() - fitted
    results = [_result(task, NAIVE, fold, {**_shares(fold, tallied), **tallied}, seconds)]
    for name, parameters in VARIANTS.items():
        try:
            results.append(_measure_variant(task, name, fold, parameters, naive))
        except Exception as error:  # an error of one variant must not end the run
            sentence = f"{type(error).__name__}: {' '.join(str(error).split())}"
            results.append(replace(_result(task, name, fold, {}), error=sentence))
    return results


def _measure_variant(
    task: Task, name: str, fold: Fold, parameters: Mapping[str, Any], naive: NDArray[np.float64]
) -> FoldResult:
    start = time.perf_counter()
    model = fold.decomposed(N_COMPONENTS, **parameters)
    fitted = time.perf_counter()
    stages: dict[int | str, NDArray[np.float64]] = dict(enumerate(fold.staged(model), start=1))
    seconds = fitted - start, time.perf_counter() - fitted
    chosen = fold.decomposed("cv", **parameters)
    stages[HELD_OUT] = fold.over_all_classes(chosen, chosen.predict_proba(fold.X_test))
    tallies = {stage: fold.tally(probabilities, naive) for stage, probabilities in stages.items()}
    figures = {
        key_of(measure, stage): figure for stage, tallied in tallies.items() for measure, figure in tallied.items()
    }
    shares = _shares(fold, tallies[HELD_OUT])
    return _result(task, name, fold, {**shares, "n_components": chosen.n_components_, **figures}, seconds)


def _shares(fold: Fold, tallied: Mapping[str, float]) -> dict[str, float]:
    n_test = len(fold.truth)
    return {"accuracy": tallied["right"] / n_test, "log_loss": tallied["log_score"] / n_test}


def _result(
    task: Task, model: str, fold: Fold, scores: dict[str, float], seconds: tuple[float, float] = (np.nan, np.nan)
) -> FoldResult:
    sizes = len(fold.y_train), len(fold.truth)
    return FoldResult(task.dataset.name, model, task.imputation, task.fold, *sizes, scores, *seconds)


def run(names: Sequence[str], n_imputations: int, request: Request, part: str) -> Comparison:
    """Measure all folds of all imputations of some data sets, in processes; each imputation is a repeat."""
    sets = {name: complete_sets(name, request.folder, n_imputations, request.seed) for name in names}
    settings = _settings({name: whole for name, (whole, _) in sets.items()}, n_imputations, request.seed)
    path = request.results_of(part)
    file = None if path is None else ResultsFile(path)
    before = [] if file is None else file.begin(settings, request.resume)
    done = {result.key: result for result in Comparison.of(settings, before).results if result.repeat < n_imputations}
    total = Comparison.of(settings, ()).n_expected

    tasks = [
        joblib.delayed(measure)(Task(dataset, imputation, fold, request.seed))
        for name, (_, completed) in sets.items()
        for imputation, dataset in enumerate(completed)
        for fold in range(FOLDS)
        if any((name, model, imputation, fold) not in done for model in settings["models"])
    ]

    def results() -> Iterator[FoldResult]:
        with ignore_sigint():
            found = joblib.Parallel(n_jobs=request.n_jobs, return_as="generator_unordered")(tasks)
        for of_fold in found:
            yield from of_fold

    collect(results(), done, total, file, request.on_result)
    return Comparison.of(settings, done.values())


def _settings(sets: Mapping[str, Dataset], n_imputations: int, seed: int) -> dict[str, Any]:
    facts = {
        name: {
            "n_rows": dataset.n_rows,
            "n_classes": dataset.n_classes,
            "largest_class": float(np.unique(dataset.y, return_counts=True)[1].max() / dataset.n_rows),
            "fingerprint": dataset.fingerprint,
        }
        for name, dataset in sets.items()
    }
    return {
        "version": __version__,
        "models": {NAIVE: "", **{name: repr(parameters) for name, parameters in VARIANTS.items()}},
        "data": facts,
        "cv": FOLDS,
        "repeats": n_imputations,
        "test_size": None,
        "random_state": seed,
        "metrics": ["accuracy", "log_loss"],
        "baseline": NAIVE,
        "n_features": N_FEATURES,
        "n_components": N_COMPONENTS,
    }


def staged(comparison: Comparison, data: str, model: str, measure: str) -> NDArray[np.float64]:
    """A measure of a model's answers by fold and number of components; NaN in folds on which the model failed."""
    folds = comparison.folds(data, model)
    counted = "right" if measure == "accuracy" else measure
    keys = [key_of(counted, number) for number in range(1, N_COMPONENTS + 1)]
    found = np.array([[fold.scores.get(key, np.nan) for key in keys] for fold in folds])
    return found / np.array([[fold.n_test] for fold in folds]) if measure == "accuracy" else found


def best_components(comparison: Comparison, data: str, model: str) -> int:
    """The lowest number of components with the highest accuracy on the test rows, as in the paper."""
    return 1 + int(np.argmax(staged(comparison, data, model, "accuracy").mean(axis=0).round(DECIMALS)))


def at(comparison: Comparison, choice: int | str) -> Comparison:
    """The same comparison with one number of components per data set: a number, ``BEST`` or ``HELD_OUT``."""
    results = []
    for data in comparison.data:
        for model in comparison.models:
            stage = choice
            if stage == BEST and model != NAIVE:
                stage = best_components(comparison, data, model)
            for fold in comparison.folds(data, model):
                results.append(fold if model == NAIVE or fold.error else _with_stage(fold, stage))
    return Comparison.of(comparison.settings, results)


def _with_stage(fold: FoldResult, stage: int | str) -> FoldResult:
    scores = {measure: fold.scores[key_of(measure, stage)] for measure in MEASURES}
    scores["accuracy"] = scores["right"] / fold.n_test
    scores["log_loss"] = scores["log_score"] / fold.n_test
    return replace(fold, scores=scores)
