"""PatternTensor: rows of a table as tensors of the closed frequent patterns that co-occur in them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from itertools import pairwise
from math import ceil
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.utils import Tags
from sklearn.utils._param_validation import HasMethods, Interval, RealNotInt

from unnaive.core.docstrings import shared_docs
from unnaive.core.validation import read_table
from unnaive.counts.information_gain import gain_of_counts, read_classes, top_by_information_gain
from unnaive.encoding.table_encoder import TableEncoder
from unnaive.tensors.closed_patterns import (
    check_cells,
    find_patterns,
    mine_closed_patterns,
    outer_cells,
    rows_of_items,
    support_in_classes,
)
from unnaive.tensors.sparse_tensor import SparseTensor
from unnaive.tensors.tensor_transformer import TensorTransformer

_SUPPORT: list[Any] = [Interval(Integral, 1, None, closed="left"), Interval(RealNotInt, 0, 1, closed="right")]
_COUNT: list[Any] = [None, Interval(Integral, 1, None, closed="left")]


@shared_docs
class PatternTensor(TensorTransformer):
    """Turn rows into tensors of the frequent patterns that co-occur in them.

    An item is a value of a column, and a pattern is a set of items. The closed frequent patterns of the training rows
    are mined, and up to ``max_patterns`` of them become the features. In the two-mode tensor of a row, cell (i, j) is 1
    if the row contains both pattern i and pattern j; the diagonal shows which patterns the row contains.

    Parameters
    ----------
    n_modes : int, default=2
        Modes of the tensors. With 1 they are vectors; with 3, cell (i, j, k) is 1 if the row contains three patterns.
        Tensors of 2**63 cells or more, and more than 2**27 nonzero cells at once, are refused.
    min_support : float or int, default=0.1
        Minimum share of the training rows that contain a pattern or, as an int, their minimum number.
    max_length : int or None, default=None
        Maximum number of items of a pattern. Longer patterns are dropped; which patterns are closed does not change.
    max_patterns : int or None, default=60
        Maximum number of patterns, by information gain or, without y, by support. Ties are broken by support, then
        length (shorter first), then the order of columns and values.
    {categorical_features}
    discretizer : transformer, default=None
        How numeric columns are binned; None is :class:`MDLDiscretizer`, which needs y. A numeric column with a single
        bin has no items, unless no column has any.
    max_mined : int or None, default=100_000
        If there are more closed patterns, only this many, the most frequent, are mined, with a warning.
    {max_seconds}
    {n_jobs}

    Attributes
    ----------
    patterns_ : list of dict
        Column to value, a category or the text of a bin; the most frequent pattern first. The order of every mode.
    supports_ : ndarray of int of shape (n_patterns,)
        Number of training rows that contain each pattern.
    information_gain_ : ndarray of float of shape (n_patterns,) or None
        Information gain of each pattern in bits; None without y.
    n_closed_ : int
        Number of closed frequent patterns to choose from.
    complete_above_ : int
        Every closed pattern with a higher support was found: one less than the minimum support, unless ``max_mined`` or
        ``max_seconds`` stopped mining early. The patterns found are closed and their supports correct in any case.
    encoder_ : TableEncoder
    {names}

    Notes
    -----
    A pattern is closed if no larger one is in the same number of rows. A missing value is not an item, and a missing or
    unseen value matches no pattern.

    References
    ----------
    Liu et al., "A Bayesian classifier for learning from tensorial data", Example 1; Uno et al., "LCM ver. 2: efficient
    mining algorithms for frequent/closed/maximal itemsets", 2004.

    Examples
    --------
    >>> import pandas as pd
    >>> from unnaive import PatternTensor
    >>> X = pd.DataFrame({"sky": ["grey", "grey", "blue", "blue"], "wind": ["strong", "strong", "strong", "weak"]})
    >>> tensors = PatternTensor(min_support=0.5).fit(X)
    >>> tensors.patterns_
    [{'wind': 'strong'}, {'sky': 'blue'}, {'sky': 'grey', 'wind': 'strong'}]
    >>> tensors.transform(X[:1]).to_dense()
    array([[[1., 0., 1.],
            [0., 0., 0.],
            [1., 0., 1.]]])
    """

    _parameter_constraints: ClassVar = {
        "n_modes": [Interval(Integral, 1, None, closed="left")],
        "min_support": _SUPPORT,
        "max_length": _COUNT,
        "max_patterns": _COUNT,
        "categorical_features": "no_validation",
        "discretizer": [None, HasMethods(["fit", "transform"])],
        "max_mined": _COUNT,
        "max_seconds": [None, Interval(Real, 0, None, closed="neither")],
        "n_jobs": [None, Integral],
    }

    def __init__(
        self,
        *,
        n_modes: int = 2,
        min_support: float = 0.1,
        max_length: int | None = None,
        max_patterns: int | None = 60,
        categorical_features: Any = "from_dtype",
        discretizer: Any = None,
        max_mined: int | None = 100_000,
        max_seconds: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_modes = n_modes
        self.min_support = min_support
        self.max_length = max_length
        self.max_patterns = max_patterns
        self.categorical_features = categorical_features
        self.discretizer = discretizer
        self.max_mined = max_mined
        self.max_seconds = max_seconds
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    def _learn(self, X: Any, y: Any) -> NDArray[np.int32]:
        self._validate_params()
        table = read_table(self, X, reset=True)
        classes = None if y is None else read_classes(y, table.n_rows, "rows")
        encoder = TableEncoder(categorical_features=self.categorical_features, discretizer=self.discretizer)
        encoder.fit_table(table, y, None)
        codes = encoder.rows(table).codes
        has_items = encoder.is_categorical_ | (encoder.n_values_ > 1)
        has_items |= not has_items.any()  # numbers that say nothing about y have the pattern of all rows
        rows = rows_of_items(np.where(has_items, codes, np.int32(-1)), encoder.n_values_)
        min_count = _min_count(self.min_support, table.n_rows)
        found = mine_closed_patterns(
            rows,
            table.n_rows,
            min_count,
            max_length=self.max_length,
            max_mined=self.max_mined,
            max_seconds=self.max_seconds,
            n_jobs=self.n_jobs,
        )
        if not len(found.supports):
            raise ValueError(
                f"No pattern is in min_support={self.min_support} of the {table.n_rows} rows"
                + (". " if self.max_length is None else f" and has at most max_length={self.max_length} items. ")
                + "Lower min_support, raise max_length, or bin numeric columns with another discretizer."
            )
        if found.stopped_by is not None:
            warnings.warn(
                f"Mining was stopped by {found.stopped_by} after {len(found.supports)} closed patterns: those in more "
                f"than {found.complete_above} rows are complete, but some or all of the others down to min_support "
                f"({min_count}) are missing.",
                stacklevel=3,
            )
        gain = None
        if classes is not None:
            of_class = np.bincount(classes)
            column = classes.astype(np.int32)[:, None]
            counts = support_in_classes(rows, found, rows_of_items(column, np.array([len(of_class)])))
            gain = gain_of_counts(csr_matrix(counts), of_class)
        chosen = top_by_information_gain(found.supports, gain, self.max_patterns)
        check_cells(len(chosen), self.n_modes, "max_patterns")

        items = [found.items[found.starts[place] : found.starts[place + 1]] for place in chosen]
        first_item = np.cumsum(encoder.n_values_) - encoder.n_values_
        self._starts = np.cumsum([0] + [len(pattern) for pattern in items])
        self._columns = np.searchsorted(first_item, np.concatenate(items), side="right") - 1
        self._codes = (np.concatenate(items) - first_item[self._columns]).astype(np.int32)
        names, values = encoder.get_feature_names_out().tolist(), _value_names(encoder)
        places = list(zip(self._columns.tolist(), self._codes.tolist()))
        self.patterns_ = [
            {names[column]: values[column][code] for column, code in places[start:end]}
            for start, end in pairwise(self._starts.tolist())
        ]
        self.supports_ = found.supports[chosen]
        self.information_gain_ = None if gain is None else gain[chosen]
        self.n_closed_ = len(found.supports)
        self.complete_above_ = found.complete_above
        self.encoder_ = encoder
        return codes

    def _read(self, X: Any) -> NDArray[np.int32]:
        return self.encoder_.rows(read_table(self, X, reset=False)).codes

    def _names(self) -> list[str]:
        return [" & ".join(f"{name}={value}" for name, value in pattern.items()) for pattern in self.patterns_]

    def _is_consistent(self) -> bool:
        self.encoder_.check_state()
        columns, codes, starts, gain = self._columns, self._codes, self._starts, self.information_gain_
        n_patterns = len(self.patterns_)
        return (
            [part.dtype for part in (columns, codes, starts, self.supports_)]
            == [np.int64, np.int32, np.int64, np.int64]
            and columns.ndim == starts.ndim == 1
            and columns.shape == codes.shape
            and self.supports_.shape == (n_patterns,)
            and (gain is None or (gain.shape == (n_patterns,) and gain.dtype == np.float64))
            and starts[0] == 0
            and np.diff(starts).tolist() == [len(pattern) for pattern in self.patterns_]
            and starts[-1] == len(columns)
            and self.n_features_in_ == self.encoder_.n_features_in_
            and bool(((columns >= 0) & (columns < self.n_features_in_)).all())
            and bool(((codes >= 0) & (codes < self.encoder_.n_values_[columns])).all())
        )

    def _tensors(self, codes: NDArray[np.int32]) -> SparseTensor:
        size = len(self.patterns_)
        of_rows, present = find_patterns(codes, self._columns, self._codes, self._starts)
        indptr, cells = outer_cells(of_rows, present, size, self.n_modes, "max_patterns")
        return SparseTensor((len(codes),) + (size,) * self.n_modes, indptr, cells, np.ones(len(cells)))


def _min_count(min_support: float, n_rows: int) -> int:
    if isinstance(min_support, Integral):
        return int(min_support)
    # 0.1 of 30 rows is 3 rows, although 0.1 * 30 is slightly more in floating point.
    return max(1, ceil(min_support * n_rows - 1e-9))


def _value_names(encoder: TableEncoder) -> list[Sequence[Any]]:
    """Categories, or bins as text, of every column."""
    discretizer = encoder.discretizer_
    below = iter(getattr(discretizer, "cut_points_", ()))
    edges = iter(getattr(discretizer, "bin_edges_", ()))
    names: list[Sequence[Any]] = []
    for categories, n_values in zip(encoder.categories_, encoder.n_values_.tolist()):
        if categories is not None:
            names.append(categories.tolist())
        elif hasattr(discretizer, "cut_points_"):
            cuts = ["-inf", *_format_cuts(next(below)), "inf"]
            names.append([f"({low}, {high}]" for low, high in pairwise(cuts)])
        elif hasattr(discretizer, "bin_edges_"):
            # scikit-learn's bins are closed on the left, and the outer ones extend to infinity.
            cuts = ["-inf", *_format_cuts(next(edges)[1:-1]), "inf"]
            names.append([f"[{low}, {high})" for low, high in pairwise(cuts)])
        else:
            names.append([f"bin {number}" for number in range(n_values)])
    return names


def _format_cuts(numbers: NDArray[np.float64]) -> list[str]:
    """Numbers with enough digits to be distinct, at least six."""
    texts: list[str] = []
    for digits in range(6, 18):
        texts = [f"{number:.{digits}g}" for number in numbers]
        if len(set(texts)) == len(texts):
            break
    return texts
