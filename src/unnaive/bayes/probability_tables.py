"""ProbabilityTables: what a model has counted, and the probabilities it makes of that, as frames that can be read."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from itertools import combinations
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from unnaive.bayes.kernel_density import KernelDensities
from unnaive.core.validation import FloatArray, on_one_state
from unnaive.counts.count_table import CountTable, Smoothing
from unnaive.counts.counting_classifier import CountingClassifier
from unnaive.counts.distinct_rows import DistinctRows
from unnaive.encoding.column_values import ColumnValues, column_values
from unnaive.encoding.table_encoder import TableEncoder

if TYPE_CHECKING:
    import pandas as pd

MAX_ROWS = 1_000_000  # of the frames of all columns and sets of parents together
_MANY = 10**9  # parents
_NOTHING = np.array([None], dtype=object)

Axis: TypeAlias = dict[str, NDArray[Any]]  # labels along an axis, by the name that they have in a frame


class ProbabilityTables(Mapping[Any, "pd.DataFrame"]):
    """The probability tables of a fitted model: a mapping from the names of its columns to frames.

    The frame of a column has a row for every value, class and combination of its parents' values:

    - ``column`` and ``value``, a category or a bin;
    - ``parent_1`` and ``parent_1_value``, and so on for further parents. None is no condition: the row says what
      holds without that parent;
    - ``class``, None where the column does not depend on it;
    - ``count``, the weight of the training rows with all of these;
    - ``total``, the weight of the rows of this class with these values of the parents in which the column is observed;
    - ``probability``, P(value | class, parents), smoothed.

    Numbers modeled by Gaussians have ``count``, ``mean`` and ``variance`` of each class instead; numbers modeled by
    kernels have the ``center``, ``share`` and ``width`` of every kernel, and the ``precision`` of the column.

    Attributes
    ----------
    prior : DataFrame
        ``class``, ``count`` and ``probability``.
    domains : DataFrame
        What columns hold: ``column``, ``kind``, ``value``, the ends ``low`` and ``high`` of bins, and the ``count`` of
        training rows. ``kind`` is "category", "bin", or "missing" in the row that counts a column's missing values.
    joint : DataFrame or None
        Of averages over sets of parents: P(class, values of the parents) as ``probability``, with ``count`` and
        ``total``. Values are parents if they are ``admissible``: frequent enough.
    weights : DataFrame or None
        The ``weight`` of each set of parents in the average, or of each parent in the mixture of a column.
    implications : DataFrame or None
        Of subsumption resolution: next to ``implying_value`` of the column ``implying``, ``value`` of ``column`` is
        left out.

    Notes
    -----
    The score of class y for a row with the observed values x; divided by the sum over all classes it is the
    probability that ``predict_proba`` gives:

    - Naive Bayes, TAN, KDB, K2: prior(y) Π_i P(x_i | y, parents), where parents that the row misses are no condition.
      In KDB, the last parent is none either where the class and the other values were never seen with its value
      (``total`` is 0). A number's factor is its Gaussian density, or the sum over the kernels of share times
      probability of the interval of one precision around it, at least 1e-75.
    - Hidden naive Bayes: prior(y) Π_i Σ_j w_ij P(x_i | y, x_j) / Σ_j w_ij over the other columns j; P(x_i | y) if these
      weights are all 0.
    - AODE and its relatives: Σ_s w_s joint(y, x_s) Π_l P(x_l | y, x_s) over the admissible sets s of n parents and the
      other columns l; unweighted if the weights of these sets are all 0. Without any admissible set, the same with one
      parent less and unweighted, and in the end naive Bayes. Values that others imply are left out, but not by naive
      Bayes as this last resort.

    Examples
    --------
    >>> import pandas as pd
    >>> from unnaive import TAN
    >>> X = pd.DataFrame({"sky": ["clear", "grey", "grey", "clear"], "wind": ["no", "yes", "no", "no"]})
    >>> tables = TAN().fit(X, ["dry", "wet", "wet", "dry"]).probability_tables()
    >>> list(tables)
    ['sky', 'wind']
    >>> tables["wind"].query("parent_1_value == 'grey' and `class` == 'wet'").drop(columns="column")
       value parent_1 parent_1_value class  count  total  probability
    9     no      sky           grey   wet    1.0    2.0          0.5
    11   yes      sky           grey   wet    1.0    2.0          0.5
    """

    def __init__(
        self,
        tables: dict[Any, pd.DataFrame],
        prior: pd.DataFrame,
        domains: pd.DataFrame,
        joint: pd.DataFrame | None = None,
        weights: pd.DataFrame | None = None,
        implications: pd.DataFrame | None = None,
    ) -> None:
        self._tables = tables
        self.prior = prior
        self.domains = domains
        self.joint = joint
        self.weights = weights
        self.implications = implications

    def __getitem__(self, column: Any) -> pd.DataFrame:
        return self._tables[column]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)

    def __repr__(self) -> str:
        return f"<ProbabilityTables of {len(self)} columns: {', '.join(map(repr, self))}>"

    @property
    def parts(self) -> dict[str, pd.DataFrame]:
        """The other frames that the model has, by the names of their attributes."""
        found = {name: getattr(self, name) for name in ("prior", "domains", "joint", "weights", "implications")}
        return {name: frame for name, frame in found.items() if frame is not None}

    def to_frame(self) -> pd.DataFrame:
        """All tables in one frame, whose first column ``table`` says which: a part, or "column" for those of columns.

        Returns
        -------
        DataFrame
        """
        import pandas as pd

        frames = [*self.parts.items(), *(("column", frame) for frame in self.values())]
        stacked = pd.concat([frame.astype(object).assign(table=name) for name, frame in frames], ignore_index=True)
        names = sorted((str(name) for name in stacked.columns), key=_rank)
        return stacked[names]


class ReadableClassifier(CountingClassifier):
    """Base of the classifiers whose tables can be read: a subclass gives them (``_tables``)."""

    @abstractmethod
    def _tables(self, frames: TableFrames, statistic: Any, derived: Any) -> ProbabilityTables:
        """The tables of the columns that ``frames`` chooses."""

    @on_one_state
    def probability_tables(self, columns: Sequence[Any] | None = None) -> ProbabilityTables:
        """The probabilities that predictions are made of, with the counts they come from, as pandas frames.

        Parameters
        ----------
        columns : list, optional
            Names of the columns whose tables are wanted, positions if columns have no names; all by default. A column's
            tables are those in which it is the child, and those sets of parents that it is part of.

        Returns
        -------
        ProbabilityTables
            A mapping from columns to frames, with the prior and what else the model needs as attributes; see
            :class:`~unnaive.bayes.probability_tables.ProbabilityTables`. More than a million rows are refused.

        Examples
        --------
        >>> import pandas as pd
        >>> from unnaive import NaiveBayes
        >>> X = pd.DataFrame({"sky": ["clear", "grey", "grey", None, "clear"]})
        >>> tables = NaiveBayes().fit(X, ["dry", "wet", "wet", "dry", "dry"]).probability_tables()
        >>> tables["sky"]
          column  value class  count  total  probability
        0    sky  clear   dry    2.0    2.0         0.75
        1    sky  clear   wet    0.0    2.0         0.25
        2    sky   grey   dry    0.0    2.0         0.25
        3    sky   grey   wet    2.0    2.0         0.75
        """
        check_is_fitted(self)
        frames = TableFrames(self.encoder_, self.classes_, columns)
        return self._tables(frames, self.statistic_, self._derived)


class TableFrames:
    """Writes the frames of chosen columns. Columns of codes are counted from 0, as in the counts."""

    def __init__(self, encoder: TableEncoder, classes: NDArray[Any], columns: Sequence[Any] | None) -> None:
        known = column_values(encoder)
        names = {column.name: None for column in known}  # in their order
        if isinstance(columns, str) or (columns is not None and not len(columns)):
            first = next(iter(names))
            raise ValueError(f"columns={columns!r} is not a list of columns: give one, as in columns=[{first!r}].")
        for name in () if columns is None else columns:
            if name not in names:
                near = get_close_matches(str(name), map(str, names))
                hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(map(repr, names))}."
                raise ValueError(f"The model has no column {name!r}: {hint}")
        wanted = names if columns is None else {*columns}
        self.names = [name for name in names if name in wanted]
        self.coded = [column for column in known if column.kind != "number"]
        self.numeric = [column for column in known if column.kind == "number"]
        self.chosen = [place for place, column in enumerate(self.coded) if column.name in wanted]
        self.chosen_numeric = [place for place, column in enumerate(self.numeric) if column.name in wanted]
        self.classes = _objects(classes.tolist())

    def check_size(self, n_rows: int) -> None:
        """Refuse frames of too many rows before they are made."""
        if n_rows > MAX_ROWS:
            raise ValueError(
                f"The tables of {len(self.names)} columns would have {n_rows:,} rows, more than {MAX_ROWS:,}. Choose "
                f"some of the columns with columns=, as in probability_tables(columns=[{self.names[0]!r}]), or on the "
                "command line with --column."
            )

    def prior(self, class_count: FloatArray, probability: FloatArray) -> pd.DataFrame:
        """The frame of the classes."""
        return frame_of([_rows([{"class": self.classes}], count=class_count, probability=probability)])

    def domains(self, statistic: CountTable | DistinctRows) -> pd.DataFrame:
        """The frame of the values that the chosen columns hold."""
        pieces = []
        for place in self.chosen:
            column, counts = self.coded[place], statistic.of_column(place).sum(axis=-1)
            values: Axis = {"value": column.values, "low": column.low, "high": column.high}
            pieces.append(_rows([values], {"column": column.name, "kind": column.kind}, count=counts[1:]))
            if counts[0]:
                values = {"value": _NOTHING, "low": np.array([np.nan]), "high": np.array([np.nan])}
                pieces.append(_rows([values], {"column": column.name, "kind": "missing"}, count=counts[:1]))
        empty: Axis = dict.fromkeys(("column", "kind", "value"), _NOTHING[:0])
        empty |= dict.fromkeys(("low", "high", "count"), np.empty(0))
        return frame_of([empty, *pieces])

    def family(
        self,
        child: int,
        parents: Sequence[int],
        n_slots: int,
        count: FloatArray,
        probability: FloatArray,
        *,
        droppable: bool = False,
        with_class: bool = True,
    ) -> Axis:
        """Rows of P(child | class, parents), from arrays (parents' values..., child's values, classes).

        ``droppable`` parents have a position in front that stands for no condition.
        """
        axes: list[Axis] = [self._slot(slot, parent, droppable) for slot, parent in enumerate(parents, start=1)]
        axes += [{"value": self.coded[child].values}, {"class": self.classes if with_class else _NOTHING}]
        names = {"column": self.coded[child].name, **_empty_slots(len(parents), n_slots)}
        total = count.sum(axis=-2, keepdims=True)
        return _rows(axes, names, count=count, total=total, probability=probability)

    def averaged(self, counts: CountTable, smoothing: Smoothing, n: int) -> dict[Any, pd.DataFrame]:
        """The frames of columns that depend on any set of up to ``n`` others."""
        frames = {}
        for child in self.chosen:
            others, pieces = [other for other in range(counts.n_columns) if other != child], []
            for parents in (parents for size in range(n + 1) for parents in combinations(others, size)):
                count = counts.observed(*parents, child)
                probability = smoothing.estimate(count, count.sum(axis=-2, keepdims=True), count.shape[-2])
                pieces.append(self.family(child, parents, n, count, probability))
            frames[self.coded[child].name] = frame_of(pieces)
        return frames

    def n_averaged(self, n: int) -> int:
        """The number of rows of :meth:`averaged`."""
        sizes = [len(column.values) for column in self.coded]
        return len(self.classes) * sum(
            sizes[child] * sum(_n_combinations(sizes[:child] + sizes[child + 1 :], n)) for child in self.chosen
        )

    def joint(self, counts: CountTable, smoothing: Smoothing, n: int, frequency_limit: float) -> pd.DataFrame:
        """The frame of the class with any set of up to ``n`` parents."""
        pieces = []
        for size in range(1, n + 1):
            for parents in self.parent_sets(size):
                count = counts.observed(*parents)
                axes = [self._slot(slot, parent) for slot, parent in enumerate(parents, start=1)]
                pieces.append(
                    _rows(
                        [*axes, {"class": self.classes}],
                        _empty_slots(size, n),
                        count=count,
                        total=count.sum(),
                        probability=smoothing.estimate(count, count.sum(), count.size),
                        admissible=count.sum(axis=-1, keepdims=True) >= frequency_limit,
                    )
                )
        return frame_of(pieces)

    def n_joint(self, n: int) -> int:
        """The number of rows of :meth:`joint`."""
        sizes = [len(column.values) for column in self.coded]
        chosen = {*self.chosen}
        others = [size for place, size in enumerate(sizes) if place not in chosen]
        return len(self.classes) * (sum(_n_combinations(sizes, n)) - sum(_n_combinations(others, n)))

    def parent_sets(self, size: int) -> list[tuple[int, ...]]:
        """Sets of parents with a chosen column among them."""
        chosen = set(self.chosen)
        return [parents for parents in combinations(range(len(self.coded)), size) if chosen & set(parents)]

    def weights_of_sets(self, weight: FloatArray) -> pd.DataFrame:
        """The frame of the weights of sets of parents i > j > k."""
        n = weight.ndim
        sets = self.parent_sets(n)
        slots = {
            f"parent_{slot + 1}": _objects([self.coded[parents[slot]].name for parents in sets]) for slot in range(n)
        }
        return frame_of([{**slots, "weight": np.array([max(0.0, weight[parents[::-1]]) for parents in sets])}])

    def weights_of_parents(self, weight: FloatArray) -> pd.DataFrame:
        """The frame of the weights of other columns (second axis) as parents of a column."""
        pairs = [(child, parent) for child in self.chosen for parent in range(len(self.coded)) if parent != child]
        children, parents = (_objects([self.coded[pair[side]].name for pair in pairs]) for side in (0, 1))
        return frame_of(
            [{"column": children, "parent_1": parents, "weight": np.array([weight[pair] for pair in pairs], float)}]
        )

    def implied(self, pairs: Sequence[tuple[int, int, int, int]]) -> pd.DataFrame:
        """The frame of values of columns that values of others imply: (column, value, implying column, its value)."""
        chosen = {*self.chosen}
        pairs = [pair for pair in pairs if pair[0] in chosen]
        columns = {}
        for side, (name, value) in enumerate((("column", "value"), ("implying", "implying_value"))):
            of_pairs = [(self.coded[pair[2 * side]], pair[2 * side + 1]) for pair in pairs]
            columns[name] = _objects([column.name for column, _ in of_pairs])
            columns[value] = _objects([column.values[code] for column, code in of_pairs])
        return frame_of([columns])

    def gaussians(self, count: FloatArray, mean: FloatArray, variance: FloatArray) -> dict[Any, pd.DataFrame]:
        """The frames of numbers that are modeled by Gaussians (n_columns, n_classes)."""
        frames = {}
        for at in self.chosen_numeric:
            name = self.numeric[at].name
            of_class = {"count": count[at], "mean": mean[at], "variance": variance[at]}
            frames[name] = frame_of([_rows([{"class": self.classes}], {"column": name}, **of_class)])
        return frames

    def kernels(self, densities: KernelDensities) -> dict[Any, pd.DataFrame]:
        """The frames of numbers that are modeled by kernels; a class without numbers has one at 0."""
        centers, shares, starts, width, precision = densities
        frames, n_classes = {}, len(self.classes)
        for at in self.chosen_numeric:
            name, pieces = self.numeric[at].name, []
            for y, label in enumerate(self.classes):
                own = slice(*starts[at * n_classes + y : at * n_classes + y + 2])
                center, share = (centers[own], shares[own]) if own.stop > own.start else (np.zeros(1), np.ones(1))
                of_class = {"share": share, "width": width[at, y], "precision": precision[at]}
                pieces.append(_rows([{"center": center}], {"column": name, "class": label}, **of_class))
            frames[name] = frame_of(pieces)
        return frames

    def in_order(self, tables: Mapping[Any, pd.DataFrame]) -> dict[Any, pd.DataFrame]:
        """The tables in the order of the columns."""
        return {name: tables[name] for name in self.names}

    def _slot(self, slot: int, parent: int, droppable: bool = False) -> Axis:
        column: ColumnValues = self.coded[parent]
        names = _objects([column.name] * len(column.values))
        dropped = _NOTHING if droppable else _NOTHING[:0]
        return {
            f"parent_{slot}": np.concatenate([dropped, names]),
            f"parent_{slot}_value": np.concatenate([dropped, column.values]),
        }


def _rows(axes: Sequence[Axis], constants: Mapping[str, Any] | None = None, **numbers: Any) -> Axis:
    """Arrays with one axis per group of labels, cut to the number of labels, as columns of a frame."""
    shape = tuple(len(next(iter(axis.values()))) for axis in axes)
    rows: Axis = {}
    for name, value in (constants or {}).items():
        rows[name] = _objects([value] * int(np.prod(shape)))
    for at, axis in enumerate(axes):
        for name, labels in axis.items():
            along = labels.reshape((-1,) + (1,) * (len(shape) - at - 1))
            rows[name] = np.broadcast_to(along, shape).ravel()
    for name, array in numbers.items():
        full = np.asarray(array)
        if full.ndim:  # a column in which nothing was observed has a cell, but no value
            full = full[tuple(slice(size) for size in shape)]
        rows[name] = np.broadcast_to(full, shape).ravel()
    return rows


def _empty_slots(n_used: int, n_slots: int) -> dict[str, None]:
    return {f"parent_{slot}{of}": None for slot in range(n_used + 1, n_slots + 1) for of in ("", "_value")}


def _n_combinations(sizes: Sequence[int], n: int) -> list[int]:
    """How many combinations of values sets of 0 to ``n`` columns have, by the size of the set."""
    found = [1] + [0] * n
    for size in sizes:
        for k in range(n, 0, -1):
            found[k] += size * found[k - 1]
    return found


def frame_of(pieces: Sequence[Axis]) -> pd.DataFrame:
    """Rows one below the other, as a frame: column and value, then parents, class and numbers."""
    import pandas as pd

    names = sorted(pieces[0], key=_rank)
    columns = {name: np.concatenate([piece[name] for piece in pieces]) for name in names}
    return pd.DataFrame({name: pd.Series(values, dtype=values.dtype) for name, values in columns.items()})


def _rank(name: str) -> tuple[int, int]:
    first = ("table", "column", "kind", "value", "low", "high", "implying", "implying_value")
    last = ("class", "count", "total", "probability")
    if name.startswith("parent_"):
        _, slot, *value = name.split("_")
        return int(slot), len(value)
    return (first.index(name) - len(first), 0) if name in first else (_MANY, [*last, name].index(name))


def _objects(values: Sequence[Any]) -> NDArray[Any]:
    objects = np.empty(len(values), dtype=object)
    objects[:] = values
    return objects
