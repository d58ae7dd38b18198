"""compare: cross-validation of models over data sets, every model on the same folds."""

from __future__ import annotations

import re
import signal
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import zip_longest
from pathlib import Path
from typing import Any

import joblib
import narwhals as nw
import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils import _safe_indexing
from threadpoolctl import threadpool_limits

from unnaive import __version__
from unnaive.core.validation import refuse_missing_labels
from unnaive.evaluate.comparison import Comparison, FoldResult
from unnaive.evaluate.metrics import METRICS, STANDARD, UNBALANCED, reliability
from unnaive.evaluate.predicted_outcome import class_log_odds, predicted_outcome
from unnaive.evaluate.results_file import ResultsFile
from unnaive.evaluate.splits import split
from unnaive.io.datasets import Dataset
from unnaive.io.labels import rare_classes
from unnaive.io.reading import DataWarning
from unnaive.models import Model, find_models

_BASELINES = ("nb", "bernoulli-nb")
_WARM_ROWS = 50
_MAX_CLASSES = 10  # whose names are kept with the results


def compare(
    models: Any,
    data: Any,
    *,
    cv: int = 10,
    repeats: int = 1,
    test_size: float | None = None,
    seeds: Sequence[int] | None = None,
    metrics: Iterable[str] | None = None,
    baseline: str | None = None,
    bias_variance: bool = False,
    n_jobs: int | None = None,
    random_state: int = 0,
    results: str | Path | None = None,
    resume: bool = False,
    on_result: Callable[[FoldResult, int, int], None] | None = None,
    terms: Mapping[str, Any] | None = None,
    transductive: Collection[str] = (),
    on_training_rows: bool = False,
) -> Comparison:
    """Measure models on data sets by repeated stratified cross-validation or repeated hold-out.

    All models see the same folds. Everything a model learns (categories, bins, structure) it learns from the
    training rows of a fold. A transductive model is given the test rows without their labels. The error of a
    model that fails on a fold is recorded, and the run continues.

    Parameters
    ----------
    models : list of str, list of Model, or dict of name to estimator
        Short names or groups of the registry, its entries, or estimators of your own under names of your own.
    data : Dataset, (X, y), or a list or dict of these
        Data sets, all of tables or all of text; names of the dict are names of the data sets. Models of the
        registry see text through :class:`unnaive.text.terms.Terms`, which also learns from the training rows.
    cv : int, default=10
        Number of folds.
    repeats : int, default=1
        Number of times that the data is shuffled and split anew.
    test_size : float, optional
        Repeated hold-out instead of cross-validation: the share of rows to test on, ``repeats`` times.
    seeds : sequence of int, optional
        With ``test_size``: hold out once with each of these seeds, without stratification, as scikit-learn's
        ``train_test_split`` does. For experiments that were published with their seeds.
    metrics : list of str, optional
        Of ``unnaive.evaluate.metrics.METRICS``; the first one ranks. By default accuracy ranks, or balanced accuracy
        if some data set has a class with less than one row for every 20 of its largest class; what is measured besides
        then suits such data.
    baseline : str, optional
        The model that the others are compared with; ``"nb"``, of text ``"bernoulli-nb"``, if it takes part, else
        the first one.
    bias_variance : bool, default=False
        Keep the predictions, so that :meth:`Comparison.bias_variance` can take the error apart.
    n_jobs : int, optional
        Processes to work in. Scores do not depend on it, times do.
    random_state : int, default=0
        Seed of the folds.
    results : path, optional
        Write every result there as it comes, one JSON object per line.
    resume : bool, default=False
        Continue the run in ``results``; models, data sets and repeats may have been added.
    on_result : callable, optional
        Called with each result, how many there are now, and how many there will be.
    terms : mapping, optional
        Parameters of ``Terms`` for the models of the registry on text, such as ``{"max_terms": 2000}``.
    transductive : collection of str, default=()
        Names of your own estimators to fit on all rows of the data set, in their order, with a label of None for
        the test rows, and to score by their ``label_distributions_``, if they have any. (Transductive models of the
        registry see the training rows first, then the test rows, and are scored by ``predict_proba``.)
    on_training_rows : bool, default=False
        Fit once on all rows and test on the same ones, instead of folds. Such scores are far too good; they are for
        finding out whether published ones were measured in this way.

    Returns
    -------
    Comparison
        After Ctrl-C: of the results so far.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from unnaive.evaluate.compare import compare
    >>> comparison = compare(["nb", "aode"], {"iris": load_iris(return_X_y=True)}, cv=5)
    >>> [(standing.model, round(standing.score, 3)) for standing in comparison.leaderboard()]
    [('nb', 0.933), ('aode', 0.92)]
    """
    sets = _named_data(data)
    contenders = _named_models(models, _kind_of(sets), terms or {}, transductive)
    drawn = None if seeds is None else [int(seed) for seed in seeds]
    rare = next(filter(None, (_rare_class(name, entry) for name, entry in sets.items())), None)
    chosen = list(metrics) if metrics is not None else list(STANDARD if rare is None else UNBALANCED)
    n_repeats = repeats if drawn is None else len(drawn)
    plan = _Plan(contenders, sets, cv, n_repeats, test_size, chosen, random_state, drawn, on_training_rows)
    plan.check()
    settings = plan.settings(baseline, bias_variance)
    if metrics is None and rare is not None:
        settings["rare_class"] = rare
    file = ResultsFile(results) if results is not None else None
    before = {result.key: result for result in file.begin(settings, resume)} if file is not None else {}
    tasks = list(plan.tasks())
    done = {task.key: before[task.key] for task in tasks if task.key in before}
    left = [task for task in tasks if task.key not in done]
    collect(_work(left, plan, bias_variance, n_jobs), done, len(tasks), file, on_result)
    return Comparison.of(settings, done.values())


def collect(
    results: Iterable[FoldResult],
    done: dict[tuple[str, str, int, int], FoldResult],
    n_expected: int,
    file: ResultsFile | None,
    on_result: Callable[[FoldResult, int, int], None] | None,
) -> None:
    """Add new results to those that are done, and write and report each as it comes, until Ctrl-C."""
    try:
        for result in results:
            if result.key in done:
                continue
            done[result.key] = result
            if file is not None:
                file.append(result)
            if on_result is not None:
                on_result(result, len(done), n_expected)
    except KeyboardInterrupt:
        pass
    finally:
        if file is not None:
            file.close()


@dataclass(frozen=True)
class _Task:
    data: str
    model: str
    repeat: int
    fold: int

    @property
    def key(self) -> tuple[str, str, int, int]:
        return self.data, self.model, self.repeat, self.fold


@dataclass(frozen=True)
class _Contender:
    """A model that takes part: its estimator, and whether it is given the test rows unlabelled, last or in place."""

    estimator: Any
    transductive: bool = False
    in_place: bool = False


@dataclass(frozen=True)
class _Plan:
    models: dict[str, _Contender]
    data: dict[str, Dataset]
    cv: int
    repeats: int
    test_size: float | None
    metrics: list[str]
    random_state: int
    seeds: list[int] | None = None
    on_training_rows: bool = False

    def check(self) -> None:
        """Refuse bad settings before anything is measured."""
        for kind, named in (("models", self.models), ("data sets", self.data), ("metrics", self.metrics)):
            if not named:
                raise ValueError(f"There are no {kind} to compare: name at least one.")
        unknown = [metric for metric in self.metrics if metric not in METRICS]
        if unknown:
            raise ValueError(f"There is no metric called {unknown[0]!r}; there are {', '.join(METRICS)}.")
        if self.repeats < 1:
            raise ValueError(f"repeats is {self.repeats}, but at least one is needed.")
        if self.test_size is not None and not 0 < self.test_size < 1:
            raise ValueError(f"test_size is {self.test_size}; it is a share of the rows, between 0 and 1.")
        if self.seeds is not None and self.test_size is None:
            raise ValueError("seeds are of hold-outs, so they need a test_size.")
        if self.on_training_rows and (self.test_size is not None or self.repeats > 1):
            raise ValueError("on_training_rows has no hold-outs and no repeats: it tests on all rows once.")
        for name, dataset in self.data.items():
            smallest = 2 if self.test_size is not None else self.cv
            if self.cv < 2:
                raise ValueError(f"cv is {self.cv}, but at least two folds are needed.")
            if dataset.n_rows < smallest:
                raise ValueError(
                    f"The data set {name!r} has {dataset.n_rows} rows, too few for {smallest} folds: lower cv."
                )
            self._name_rare_classes(name, dataset)

    def _name_rare_classes(self, name: str, dataset: Dataset) -> None:
        """Warn of classes that cannot be in both parts of every fold."""
        classes, counts = np.unique(np.asarray(dataset.y), return_counts=True)
        few = 2 if self.test_size is not None else self.cv
        rare = [(str(label), int(count)) for label, count in zip(classes.tolist(), counts) if count < few]
        if not rare:
            return
        label, count = min(rare, key=lambda entry: entry[1])
        rows = "1 row" if count == 1 else f"{count} rows"
        others = f" (and {len(rare) - 1} other classes fewer than {few})" if len(rare) > 1 else ""
        why = "a model that has to predict it has never seen it" if count == 1 else "some folds do not test it"
        warnings.warn(
            f"{name}: class {label!r} has {rows}{others}, too few for {self._protocol}: {why}; drop it, or use fewer.",
            DataWarning,
            stacklevel=4,
        )

    @property
    def _protocol(self) -> str:
        return "a hold-out" if self.test_size is not None else f"{self.cv} folds"

    @property
    def n_folds(self) -> int:
        return 1 if self.test_size is not None or self.on_training_rows else self.cv

    def rows(self, task: _Task) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The training and test rows of a task."""
        dataset = self.data[task.data]
        if self.on_training_rows:
            return np.arange(dataset.n_rows), np.arange(dataset.n_rows)
        return split(dataset, task.repeat, task.fold, self.cv, self.test_size, self.random_state, self.seeds)

    def tasks(self) -> Iterator[_Task]:
        """Fold by fold all models, so that an interrupted run compares like with like.

        Models take turns from both halves, as neighbors share kernels: processes then compile different ones at first.
        """
        models = [*self.models]
        half = (len(models) + 1) // 2
        turns = [model for pair in zip_longest(models[:half], models[half:]) for model in pair if model is not None]
        for data in self.data:
            for repeat in range(self.repeats):
                for fold in range(self.n_folds):
                    for model in turns:
                        yield _Task(data, model, repeat, fold)

    def settings(self, baseline: str | None, bias_variance: bool) -> dict[str, Any]:
        if baseline is None:
            baseline = next((name for name in _BASELINES if name in self.models), next(iter(self.models)))
        elif baseline not in self.models:
            raise ValueError(f"The baseline {baseline!r} is not among the models: {', '.join(self.models)}.")
        facts = {}
        for name, dataset in self.data.items():
            classes, truth = np.unique(np.asarray(dataset.y), return_inverse=True)
            facts[name] = {
                "n_rows": dataset.n_rows,
                "n_columns": dataset.n_columns,
                "n_classes": len(classes),
                "target": dataset.target,
                "why_target": dataset.why_target,
                "classes": [str(label) for label in classes[:_MAX_CLASSES].tolist()],
                "largest_class": float(np.bincount(truth).max() / len(truth)),
                "fingerprint": dataset.fingerprint,
                **({"truth": truth.tolist()} if bias_variance else {}),
            }
        return {
            "version": __version__,
            "models": {name: describe_estimator(contender.estimator) for name, contender in self.models.items()},
            "data": facts,
            "cv": 1 if self.on_training_rows else self.cv,
            "repeats": self.repeats,
            "test_size": self.test_size,
            "random_state": self.random_state,
            "metrics": self.metrics,
            "baseline": baseline,
            "bias_variance": bias_variance,
            **({} if self.seeds is None else {"seeds": self.seeds}),
            **({"on_training_rows": True} if self.on_training_rows else {}),
        }


def _rare_class(name: str, dataset: Dataset) -> str | None:
    """The rarest class in words, if it is rare beside the largest."""
    classes, counts = np.unique(np.asarray(dataset.y), return_counts=True)
    rare = rare_classes(dict(zip(classes.tolist(), counts.tolist())))
    if not rare:
        return None
    label, size = rare[0]
    return f"{label} of {name} has {'1 row' if size == 1 else f'{size} rows'}, and the largest class {counts.max()}"


def describe_estimator(estimator: Any) -> str:
    """An estimator and its parameters as text that is the same in every process, without the location of a cache."""
    caches = [name for name in getattr(estimator, "get_params", dict)() if name.split("__")[-1] == "memory"]
    if caches:
        estimator = clone(estimator).set_params(**dict.fromkeys(caches))
    whole = estimator.__repr__(N_CHAR_MAX=10**6) if isinstance(estimator, BaseEstimator) else repr(estimator)
    return re.sub(r"( object)? at 0x[0-9a-f]+", "", " ".join(whole.split()))


def _kind_of(data: Mapping[str, Dataset]) -> str:
    """Whether these are tables or text; tables if there are none."""
    of_kind = {dataset.kind: name for name, dataset in data.items()}
    if len(of_kind) > 1:
        raise ValueError(
            f"{of_kind['text']!r} is text and {of_kind['table']!r} is a table, and no model takes both: compare on one "
            "kind of data at a time."
        )
    return next(iter(of_kind), "table")


def _named_models(
    models: Any, kind: str, terms: Mapping[str, Any], transductive: Collection[str]
) -> dict[str, _Contender]:
    if isinstance(models, Mapping):
        return {str(name): _Contender(estimator, in_place=name in transductive) for name, estimator in models.items()}
    if isinstance(models, str | Model):
        models = [models]
    contenders = {}
    for model in models:
        for entry in [model] if isinstance(model, Model) else find_models([model], kind):
            entry.check_takes(kind)
            estimator = entry.make_for_documents(**terms) if kind == "text" else entry.make_for_table()
            contenders[entry.name] = _Contender(estimator, entry.transductive)
    return contenders


def _named_data(data: Any) -> dict[str, Dataset]:
    if isinstance(data, Mapping):
        return {str(name): _as_dataset(entry, str(name)) for name, entry in data.items()}
    if isinstance(data, Dataset | tuple):
        data = [data]
    named: dict[str, Dataset] = {}
    for number, entry in enumerate(data, start=1):
        dataset = _as_dataset(entry, entry.name if isinstance(entry, Dataset) else f"data {number}")
        if dataset.name in named:
            raise ValueError(f"Two data sets are called {dataset.name!r}: give them names of their own in a dict.")
        named[dataset.name] = dataset
    return named


def _as_dataset(entry: Any, name: str) -> Dataset:
    """A data set, or a pair of columns and labels, as a data set with a frame of pandas."""
    if isinstance(entry, Dataset):
        return replace(entry, name=name)
    X, y = entry
    if nw.dependencies.is_into_dataframe(X):
        frame = nw.from_native(X, eager_only=True).to_pandas()
    else:
        values = np.asarray(X)
        frame = pd.DataFrame(values, columns=[f"x{column}" for column in range(values.shape[1])]).infer_objects()
    refuse_missing_labels(y)
    return Dataset(name, frame.reset_index(drop=True), np.asarray(y), "class")


def _work(tasks: list[_Task], plan: _Plan, keep: bool, n_jobs: int | None) -> Iterator[FoldResult]:
    """Results as they are completed."""
    if joblib.effective_n_jobs(n_jobs) == 1 or len(tasks) < 2:
        for task in tasks:
            yield _measure(task, plan, keep)
        return
    with tempfile.TemporaryDirectory(prefix="unnaive-") as folder:
        path = Path(folder) / "plan.joblib"
        joblib.dump(plan, path)  # once, instead of the data with every task
        parallel = joblib.Parallel(n_jobs=n_jobs, return_as="generator_unordered", pre_dispatch="2*n_jobs")
        with ignore_sigint():
            results = parallel(joblib.delayed(_measure_in_process)(task, str(path), keep) for task in tasks)
        yield from results


@contextmanager
def ignore_sigint() -> Iterator[None]:
    """Start processes that ignore SIGINT, so that only this one handles Ctrl-C."""
    if threading.current_thread() is not threading.main_thread():  # only the main thread may set signal handlers
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@lru_cache(maxsize=1)
def _load_plan(path: str) -> _Plan:
    return joblib.load(path)


def _measure_in_process(task: _Task, path: str, keep: bool) -> FoldResult:
    return _measure(task, _load_plan(path), keep)


def _measure(task: _Task, plan: _Plan, keep: bool) -> FoldResult:
    """Fit and score one model on one fold."""
    dataset, contender = plan.data[task.data], plan.models[task.model]
    train, test = plan.rows(task)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _fit_and_score(task, dataset, contender, train, test, plan.metrics, keep)
    except Exception as error:  # an error of one model must not end the run
        reason = " ".join(str(error).split())
        return FoldResult(*task.key, len(train), len(test), error=f"{type(error).__name__}: {reason}")


def _fit_and_score(
    task: _Task,
    dataset: Dataset,
    contender: _Contender,
    train: NDArray[np.int64],
    test: NDArray[np.int64],
    metrics: list[str],
    keep: bool,
) -> FoldResult:
    labels = np.asarray(dataset.y)
    classes, truth = np.unique(labels, return_inverse=True)
    X_train, X_test = _safe_indexing(dataset.X, train), _safe_indexing(dataset.X, test)
    model = clone(contender.estimator)
    X_fit, y_fit = X_train, labels[train]
    if contender.transductive:
        X_fit = _safe_indexing(dataset.X, np.append(train, test))
        y_fit = np.append(y_fit.astype(object), np.full(len(test), None))
    elif contender.in_place:
        X_fit, y_fit = dataset.X, labels.astype(object)
        y_fit[test] = None
    with threadpool_limits(1):  # threads of matrix products and OpenMP: models use the cores they are told to
        _warm_up(task, contender, X_train, labels[train])
        start = time.perf_counter()
        model.fit(X_fit, y_fit)
        fitted = time.perf_counter()
        in_place = contender.in_place and hasattr(model, "label_distributions_")
        known = model.label_distributions_[test] if in_place else None
        outcome = predicted_outcome(model, X_test, truth[test], classes, known)
        predicted = time.perf_counter()
        if outcome.probabilities is not None and any(METRICS[metric].needs == "ranking" for metric in metrics):
            outcome = replace(outcome, ranking=class_log_odds(model, X_test, outcome.probabilities, classes, known))
    return FoldResult(
        *task.key,
        len(train),
        len(test),
        {metric: float(METRICS[metric].of(outcome)) for metric in metrics},
        fitted - start,
        predicted - fitted,
        None if outcome.probabilities is None else reliability(outcome).tolist(),
        outcome.predicted.tolist() if keep else None,
        test.tolist() if keep else None,
    )


_warm: set[tuple[str, str]] = set()


def _warm_up(task: _Task, contender: _Contender, X: Any, labels: NDArray[Any]) -> None:
    """Fit a few rows first where a process has not fitted this model, so that no time is that of loading code."""
    if (task.data, task.model) in _warm:
        return
    _warm.add((task.data, task.model))
    rows = np.unique(np.linspace(0, len(labels) - 1, _WARM_ROWS).astype(int))
    few = _safe_indexing(X, rows)
    try:
        model = clone(contender.estimator).fit(few, labels[rows])
        (model.predict_proba if hasattr(model, "predict_proba") else model.predict)(few)
    except Exception:
        return  # a few rows may be too few for a model
