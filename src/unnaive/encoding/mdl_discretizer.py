"""MDLDiscretizer: supervised discretization of numeric columns by the MDL principle."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import narwhals as nw
import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin, clone
from sklearn.utils import Tags
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_n_features,
    _check_y,
    check_array,
    check_consistent_length,
    check_is_fitted,
)

from unnaive.core.additive_classifier import Batches
from unnaive.core.doc_link import LinkedToDocs
from unnaive.core.docstrings import shared_docs
from unnaive.core.validation import (
    FloatArray,
    as_numbers,
    check_frame_names,
    check_weights,
    index_labels,
    numbers_of_array,
    refuse_missing_labels,
    refuse_mixed_labels,
)
from unnaive.encoding.categories import bin_codes
from unnaive.encoding.mdl import NOT_WHOLE, mdl_cut_points, mdl_cut_points_between_cells, value_counts, whole_terms
from unnaive.encoding.value_cells import ValueCells

_MAX_BYTES = 2**27  # of numbers read at a time to find the bins of batches
_MAX_DISTINCT = 2**16  # numbers of a column of batches that are counted, not sorted


@shared_docs
class MDLDiscretizer(OneToOneFeatureMixin, TransformerMixin, LinkedToDocs, BaseEstimator):
    """Cut each numeric column where that shortens the description of the classes (MDL).

    A column is cut in two where the entropy of the class is lowest, then each part again, as long as a cut
    saves more bits than it takes to describe (Fayyad & Irani 1993; Kononenko 1995). A column that carries no
    information about the class keeps a single bin.

    Parameters
    ----------
    criterion : {"fayyad_irani", "kononenko"}, default="fayyad_irani"
        How the bits that a cut saves and costs are counted. Kononenko's criterion counts the possible class
        distributions of the parts exactly; it finds about as many cuts, some of them elsewhere.
    better_encoding : bool, default=False
        Charge log2 of the number of candidate cuts for naming one of them, instead of log2(N - 1) for N
        rows. The same where no value occurs twice; cheaper otherwise, so that more cuts are found.

    Attributes
    ----------
    cut_points_ : list of (n_cuts,) float arrays
        One ascending array per column.
    n_bins_ : (`n_features_in_`,) int array
        Number of bins per column, one more than its cut points.
    n_grouped_ : int
        Number of columns of so many distinct numbers that only cuts between groups of them were tried; 0 but on a
        cluster (see ``max_distinct`` of :func:`unnaive.distributed.fit`).
    {names}

    See Also
    --------
    sklearn.preprocessing.KBinsDiscretizer : Bins that do not look at the class.

    Notes
    -----
    The cut points are those of WEKA's supervised ``Discretize`` (options ``-K`` for Kononenko's criterion and
    ``-E`` for the better encoding), bit for bit, with three departures:

    - A weight means repeated rows, so N is the total weight of a part, and a part of weight one or less is
      not cut. WEKA counts rows for N in log2(N - 1), whatever their weights.
    - A cut whose midpoint does not lie between its two values, because they are adjacent doubles or because
      their sum overflows, is placed on the lower value; WEKA's midpoint would not separate them.
    - A cut that saves exactly what it costs, which happens with Kononenko's criterion, is never made; in WEKA
      rounding decides.

    References
    ----------
    .. [1] U. Fayyad and K. Irani, "Multi-interval discretization of continuous-valued attributes for
       classification learning", IJCAI 1993, 1022-1027.
    .. [2] I. Kononenko, "On biases in estimating multi-valued attributes", IJCAI 1995, 1034-1040.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from unnaive.encoding.mdl_discretizer import MDLDiscretizer
    >>> X, y = load_iris(return_X_y=True)
    >>> discretizer = MDLDiscretizer().fit(X, y)
    >>> for cuts in discretizer.cut_points_:
    ...     print(cuts.round(2))
    [5.55 6.15]
    [2.95 3.35]
    [2.45 4.75]
    [0.8  1.75]
    >>> discretizer.transform([[5.0, 3.0, float("nan"), 1.8]])
    array([[ 0,  1, -1,  2]], dtype=int32)
    """

    _parameter_constraints: ClassVar = {
        "criterion": [StrOptions({"fayyad_irani", "kononenko"})],
        "better_encoding": ["boolean"],
    }

    def __init__(self, criterion: str = "fayyad_irani", better_encoding: bool = False) -> None:
        self.criterion = criterion
        self.better_encoding = better_encoding

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> MDLDiscretizer:
        """Find the cut points of every column.

        Parameters
        ----------
        X : (n_samples, n_features) array-like
            Numbers; NaN is missing and does not affect the cuts of its column.
        y : (n_samples,) array-like
            Class labels of any type, none of them missing.
        sample_weight : (n_samples,) array-like, optional
            A weight of 2 is the same as the row twice, a weight of 0 as no row.

        Returns
        -------
        self
        """
        self._validate_params()
        if y is not None:
            refuse_missing_labels(y)
            refuse_mixed_labels(y)
        return self.fit_columns(self._read(X, reset=True), y, sample_weight)

    def fit_columns(
        self, numbers: FloatArray, y: Any, sample_weight: ArrayLike | None = None, n_jobs: int | None = None
    ) -> MDLDiscretizer:
        """Find the cut points of columns of numbers, ``n_jobs`` of them at a time; for the encoder of tables."""
        self._validate_params()
        y = _check_y(y, estimator=self)
        check_consistent_length(numbers, y)
        self._refuse_infinite(numbers)
        if y.dtype.kind == "f":  # other labels need no sorting to see that they are classes
            check_classification_targets(y)
        labels, classes = index_labels(y)
        weights = check_weights(sample_weight, len(numbers))
        rule = self.criterion == "kononenko", bool(self.better_encoding)
        whole = whole_terms(weights.sum()) if (weights == np.floor(weights)).all() else NOT_WHOLE

        def cut_points_of(j: int) -> FloatArray:
            column = np.ascontiguousarray(numbers[:, j])
            return mdl_cut_points(*value_counts(column, classes, weights, len(labels)), *rule, whole)

        columns = (delayed(cut_points_of)(j) for j in range(numbers.shape[1]))
        return self._take_over(Parallel(n_jobs=n_jobs, prefer="threads")(columns))

    def fit_cells(self, columns: Sequence[ValueCells]) -> MDLDiscretizer:
        """Find the cut points of columns from counts of cells of values; for distributed use.

        They are those of ``fit`` if every distinct number has its own cell, else the best that do not split a cell.
        """
        self._validate_params()
        rule = self.criterion == "kononenko", bool(self.better_encoding)
        is_whole = all((cells.counts == np.floor(cells.counts)).all() for cells in columns)
        whole = whole_terms(max((cells.counts.sum() for cells in columns), default=0.0)) if is_whole else NOT_WHOLE
        return self._take_over(
            [
                mdl_cut_points_between_cells(cells.lowest, cells.highest, cells.counts, *rule, whole)
                for cells in columns
            ],
            sum(not cells.is_exact for cells in columns),
        )

    def _take_over(self, cut_points: list[np.ndarray], n_grouped: int = 0) -> MDLDiscretizer:
        self.cut_points_ = cut_points
        self.n_bins_ = np.array([len(cuts) + 1 for cuts in cut_points])
        self.n_features_in_ = len(cut_points)
        self.n_grouped_ = n_grouped
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Number the bins from 0; a value on a cut point belongs to the bin below it.

        Parameters
        ----------
        X : (n_samples, n_features) array-like

        Returns
        -------
        codes : (n_samples, n_features) int32 array
            -1 for missing values. A frame if ``set_output`` asks for one.
        """
        check_is_fitted(self)
        X = self._read(X, reset=False)
        self._refuse_infinite(X)
        return bin_codes(X, self.cut_points_)

    def check_state(self) -> None:
        """Raise ValueError if what was learned does not fit together."""
        if not {"cut_points_", "n_bins_"} & vars(self).keys():
            return
        cuts, n_bins = self.cut_points_, self.n_bins_
        if not (
            len(cuts) == self.n_features_in_ > 0
            and n_bins.dtype == np.int64
            and n_bins.tolist() == [len(of_column) + 1 for of_column in cuts]
            and all(c.dtype == np.float64 and c.ndim == 1 and not np.isnan(c).any() for c in cuts)
            and all((c[:-1] <= c[1:]).all() for c in cuts)
            and type(self.n_grouped_) is int
            and 0 <= self.n_grouped_ <= len(cuts)
        ):
            raise ValueError("The cut points and numbers of bins do not fit together.")

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        if "cut_points_" in state:
            # One array for all of them: a model file would keep those of every column as a file of their own.
            state = {**state, "cut_points_": np.concatenate([np.empty(0), *self.cut_points_])}
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if "cut_points_" in state:
            self.cut_points_ = np.split(state["cut_points_"], np.cumsum(self.n_bins_[:-1] - 1))

    def _read(self, X: Any, reset: bool) -> np.ndarray:
        if not nw.dependencies.is_into_dataframe(X) or nw.dependencies.is_pandas_dataframe(X):
            return numbers_of_array(self, X, reset)
        check_frame_names(self, X, reset)
        X = check_array(X, estimator=self, dtype=np.float64, ensure_all_finite=False)
        _check_n_features(self, X, reset=reset)
        return X

    def _refuse_infinite(self, X: np.ndarray) -> None:
        infinite = np.isinf(X).any(axis=0)
        if infinite.any():
            j = int(infinite.argmax())
            column = repr(str(self.feature_names_in_[j])) if hasattr(self, "feature_names_in_") else str(j)
            raise ValueError(
                f"MDLDiscretizer found infinite values in column {column}. "
                "Replace them by finite numbers, or by NaN if they stand for missing values."
            )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.target_tags.required = True
        tags.transformer_tags.preserves_dtype = []
        return tags


def bins_of_batches(
    discretizer: MDLDiscretizer, names: list[str], classes: np.ndarray, n_rows: int, batches: Batches
) -> MDLDiscretizer:
    """Bins of the named columns from all their values, in a fixed memory.

    If not all columns fit, one pass counts their distinct numbers. Those of more than ``_MAX_DISTINCT`` are read once
    more, as many columns at a time as fit.
    """
    at_a_time = max(1, _MAX_BYTES // (8 * n_rows))
    columns = {} if at_a_time >= len(names) else _cells_of_batches(names, classes, batches)
    cut_points = dict(zip(columns, clone(discretizer).fit_cells(list(columns.values())).cut_points_))
    rest = [name for name in names if name not in columns]
    for start in range(0, len(rest), at_a_time):
        group = rest[start : start + at_a_time]
        ((numbers, labels),) = _read_batches(group, classes, batches, n_rows)
        cut_points.update(zip(group, clone(discretizer).fit(numbers, labels).cut_points_))
    return clone(discretizer)._take_over([cut_points[name] for name in names])


def _cells_of_batches(names: list[str], classes: np.ndarray, batches: Batches) -> dict[str, ValueCells]:
    """Class counts of the distinct numbers of those columns that do not have too many."""
    cells: dict[str, ValueCells] = {}
    few = list(names)
    for numbers, labels in _read_batches(names, classes, batches, max(1, _MAX_BYTES // (8 * len(names)))):
        for name in few:
            found = ValueCells.of(numbers[:, names.index(name)], labels, len(classes), _MAX_DISTINCT)
            cells[name] = cells[name].plus(found) if name in cells else found
        few = [name for name in few if cells[name].is_exact]
        if not few:
            break
    return {name: cells[name] for name in few}


def _read_batches(
    names: list[str], classes: np.ndarray, batches: Batches, n_rows: int
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Numbers of the named columns and places of the labels among the classes, at most ``n_rows`` rows at a time."""
    numbers, labels, row = np.empty((n_rows, len(names)), order="F"), np.empty(n_rows, dtype=np.int64), 0
    for X, y in batches(names):
        found, places = index_labels(np.asarray(y))
        places = np.searchsorted(classes, found)[places]
        columns = [_numbers(X[name], name) for name in names]
        done = 0
        while done < len(places):
            part = slice(done, min(len(places), done + n_rows - row))
            stop = row + part.stop - done
            labels[row:stop] = places[part]
            for place, column in enumerate(columns):
                numbers[row:stop, place] = column[part]
            row, done = stop, part.stop
            if row == n_rows:
                yield numbers, labels
                row = 0
    if row:
        yield numbers[:row], labels[:row]


def _numbers(column: Any, name: str) -> np.ndarray:
    values = np.asarray(column)
    return values.astype(np.float64) if values.dtype.kind in "iuf" else as_numbers(values.astype(object), repr(name))
