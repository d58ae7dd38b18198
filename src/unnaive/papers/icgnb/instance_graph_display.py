"""InstanceGraphDisplay: rows by original attributes, the graph that connects them, and rows by new attributes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from unnaive.core.docstrings import shared_docs
from unnaive.models import classifier_of
from unnaive.papers.icgnb.gaussianity import read_attributes, standardize
from unnaive.show.curves import curve_style
from unnaive.show.display import Display
from unnaive.show.panels import class_name, inset, largest_classes, legend_below
from unnaive.show.style import FAINT, INK, TEXT_SIZE, set_title, settle, shorten, text_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MAX_CLASSES = 31  # with a color and marker of their own
_TITLE_LINE, _LEGEND_LINE = 0.19, 0.2  # inches
_BESIDE, _BELOW = 0.27, 0.27  # inches for the names of the axes
_HANDLE = 0.32  # inches for a mark in the legend, with padding


@shared_docs
class InstanceGraphDisplay(Display):
    """Rows by their original attributes, the graph that connects them, and the rows by new attributes.

    There are three panels: (a) the rows, colored by class, (b) the same with the edges of the graph, dark between rows
    of different classes, (c) the rows by new attributes. The slides of the paper on the instance correlation graph
    (ICGNB) have these three.

    Parameters
    ----------
    points, new_points : array-like of shape (n_samples, 2)
        Positions of the rows, by original and by new attributes.
    edges : array-like of int of shape (n_edges, 2)
        Pairs of connected rows.
    labels : array-like of shape (n_samples,)
    axis_names, new_axis_names : pair of str, optional
        Labels of the axes.
    max_rows : int, default=1500
        Of more rows, a sample is drawn: the ends of half as many random edges, filled up with random rows. All edges
        between them are drawn.

    Attributes
    ----------
    classes : list of labels
    share_within : float
        Share of all edges that connect rows of the same class; NaN without edges.
    drawn_rows, drawn_edges : ndarray of int
        Indices of the rows and edges that are drawn.
    panels_ : list of matplotlib Axes
    edge_lines_ : dict of str to matplotlib Line2D
        The edges "within" classes and "between" them.
    legend_ : matplotlib Legend
    {drawn}

    Notes
    -----
    More than two attributes are reduced to their first two principal components; original attributes are standardized
    first. Labels are not used, so that classes that are separate in the drawing are separate in the attributes.

    Examples
    --------
    >>> from unnaive.papers import InstanceGraphDisplay
    >>> X = [[0.0, 0.1], [0.2, 0.0], [1.0, 1.1], [1.2, 0.9]]
    >>> Z = [[-1.0, 0.0], [-0.9, 0.1], [0.9, 0.0], [1.0, 0.1]]
    >>> display = InstanceGraphDisplay.from_attributes(X, Z, [[0, 1], [1, 2], [2, 3]], ["a", "a", "b", "b"])
    >>> round(display.share_within, 3)
    0.667
    """

    def __init__(
        self,
        points: ArrayLike,
        new_points: ArrayLike,
        edges: ArrayLike,
        labels: ArrayLike,
        *,
        axis_names: tuple[str, str] = ("", ""),
        new_axis_names: tuple[str, str] = ("", ""),
        max_rows: int = 1500,
    ) -> None:
        self.points, self.labels = read_attributes(points, labels, "points")
        self.new_points, _ = read_attributes(new_points, labels, "new_points")
        for what, given in (("points", self.points), ("new_points", self.new_points)):
            if given.shape[1] != 2:
                raise ValueError(f"{what} has {given.shape[1]} columns, but a plane has 2.")
        self.edges = _pairs(edges, len(self.points))
        if max_rows < 2:
            raise ValueError(f"max_rows is {max_rows}, but an edge takes 2 rows.")
        self.axis_names = axis_names
        self.new_axis_names = new_axis_names
        self.max_rows = max_rows
        found, self._indices = np.unique(self.labels, return_inverse=True)
        self.classes = found.tolist()
        self._within = self._indices[self.edges[:, 0]] == self._indices[self.edges[:, 1]]
        self.share_within = float(self._within.mean()) if len(self.edges) else math.nan
        self.drawn_rows, self.drawn_edges = self._choose()

    @classmethod
    @shared_docs
    def from_attributes(
        cls, X: Any, Z: Any, edges: ArrayLike, y: Any, *, max_rows: int = 1500, ax: Axes | None = None
    ) -> InstanceGraphDisplay:
        """Draw rows by original and new attributes, and the graph that connects them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_attributes)
            Original attributes: numbers without missing values.
        Z : array-like of shape (n_samples, n_new_attributes)
            New attributes.
        y : array-like of shape (n_samples,)
        edges, max_rows
            As in the constructor.
        {plotted}
        """
        original, labels = read_attributes(X, y, "X")
        new, _ = read_attributes(Z, y, "Z")
        points, axis_names = _plane(original, standardized=True)
        new_points, new_axis_names = _plane(new, standardized=False)
        names: dict[str, Any] = {"axis_names": axis_names, "new_axis_names": new_axis_names}
        return cls(points, new_points, edges, labels, **names, max_rows=max_rows).plot(ax=ax)

    @classmethod
    @shared_docs
    def from_estimator(
        cls, model: Any, X: Any, y: Any, *, max_rows: int = 1500, ax: Axes | None = None
    ) -> InstanceGraphDisplay:
        """Draw the graph and the new attributes of a fitted model.

        Parameters
        ----------
        model : InstanceGraphNB or InstanceGraphEmbedding
            Fitted, or the last step of a fitted pipeline.
        X : frame or array-like of shape (n_samples, n_features)
            All rows of the model's graph, in the same order.
        y : array-like of shape (n_samples,)
        max_rows : int, default=1500
            As in the constructor.
        {plotted}
        """
        fitted = classifier_of(model)
        check_is_fitted(fitted)
        graph = getattr(fitted, "graph_", fitted)  # a classifier keeps its embedding here
        for name in ("attributes_", "edges_", "embedding_"):
            if not hasattr(graph, name):
                raise ValueError(f"{type(fitted).__name__} has no {name}: give a model with a graph of its rows.")
        original, _ = read_attributes(X if fitted is model else model[:-1].transform(X), y, "X")
        in_graph = np.asarray(graph.attributes_, dtype=np.float64)
        # Compared after standardization, as the model may scale its attributes.
        if original.shape != in_graph.shape or not np.allclose(
            standardize(original), standardize(in_graph), atol=1e-6, equal_nan=True
        ):
            raise ValueError(
                f"X has {len(original)} rows that are not the {len(in_graph)} of the graph: give all rows of the "
                "graph, in the same order, and their labels."
            )
        return cls.from_attributes(original, graph.embedding_, graph.edges_, y, max_rows=max_rows, ax=ax)

    @property
    def size(self) -> tuple[float, float]:
        return 10.0, 3.9 + _LEGEND_LINE * len(self._legend_rows(9.8))

    def _choose(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Rows and edges to draw: all of them, or a random sample that is always the same."""
        n_rows, n_edges = len(self.points), len(self.edges)
        if n_rows <= self.max_rows:
            return np.arange(n_rows), np.arange(n_edges)
        rng = np.random.default_rng(0)
        # Hardly any edges would have both ends among random rows.
        edges = rng.permutation(n_edges)[: self.max_rows // 2]
        joined = np.zeros(n_rows, dtype=bool)
        joined[self.edges[edges].ravel()] = True
        others = rng.permutation(np.flatnonzero(~joined))
        joined[others[: self.max_rows - int(joined.sum())]] = True
        return np.flatnonzero(joined), np.flatnonzero(joined[self.edges].all(axis=1))

    def _groups(self) -> list[tuple[str, NDArray[np.bool_], str, str]]:
        """Name, rows, color and marker of each class; small classes beyond the maximum share one."""
        named = largest_classes(self.labels, _MAX_CLASSES)
        places = [self.classes.index(label) for label in named]
        groups = [
            (shorten(class_name(label), 24), self._indices == of_class, *curve_style(place))
            for place, (label, of_class) in enumerate(zip(named, places))
        ]
        n_others = len(self.classes) - len(named)
        if n_others:
            groups.append((f"{n_others} smaller classes", ~np.isin(self._indices, places), FAINT, "x"))
        return groups

    def _legend_rows(self, width: float) -> list[int]:
        """Number of entries in each row of the legend, at a width in inches."""
        names = [name for name, *_ in self._groups()]
        widest = max(text_width(name, TEXT_SIZE) for name in names) + _HANDLE
        columns = max(1, min(len(names), int(width / widest)))
        return [len(names[start : start + columns]) for start in range(0, len(names), columns)]

    def _draw(self, ax: Axes) -> None:
        ax.set_axis_off()
        n_drawn, n_rows, n_edges = len(self.drawn_rows), len(self.points), len(self.edges)
        if n_drawn < n_rows:
            drawn = f"{n_drawn:,} of {n_rows:,} rows and {len(self.drawn_edges):,} of {n_edges:,} edges"
            set_title(ax, f"{drawn} are drawn")
        width, height = settle(ax)
        wide = max(width / 3 - _BESIDE, 0.3)
        titles = (
            "(a) original attributes",
            f"(b) graph: {100 * self.share_within:.0f} % of {n_edges:,} edges within classes"
            if n_edges
            else "(b) no edges",
            "(c) new attributes",
        )
        above = _TITLE_LINE * max(math.ceil(text_width(title, TEXT_SIZE + 1) / (0.8 * wide)) for title in titles) + 0.08
        rows = self._legend_rows(width)
        below = _LEGEND_LINE * len(rows) + 0.08 + _BELOW
        self.panels_ = []
        for place, title in enumerate(titles):
            left = place * (wide + _BESIDE) + _BESIDE
            panel = inset(ax, (width, height), left, below, wide, max(height - above - below, 0.3))
            panel.spines[:].set(visible=True, color=FAINT, linewidth=0.6)
            panel.set(xticks=[], yticks=[])
            points, names = (self.new_points, self.new_axis_names) if place == 2 else (self.points, self.axis_names)
            self._draw_points(panel, points)
            panel.set_xlabel(names[0], fontsize=TEXT_SIZE)
            panel.set_ylabel(names[1], fontsize=TEXT_SIZE)
            set_title(panel, title)
            self.panels_.append(panel)
        self._draw_edges(self.panels_[1])
        self._write_legend(ax, rows[0])

    def _draw_points(self, ax: Axes, points: NDArray[np.float64]) -> None:
        is_drawn = np.zeros(len(points), dtype=bool)
        is_drawn[self.drawn_rows] = True
        size = float(np.clip(75 / math.sqrt(len(self.drawn_rows)), 2.4, 5))
        for name, rows, color, marker in self._groups():
            ax.plot(
                *points[rows & is_drawn].T,
                linestyle="none",
                marker=marker,
                markersize=size,
                markeredgewidth=0.8 if marker == "x" else 0,
                color=color,
                alpha=0.75,
                zorder=3,
                label=name,
            )

    def _draw_edges(self, ax: Axes) -> None:
        edges, within = self.edges[self.drawn_edges], self._within[self.drawn_edges]
        self.edge_lines_ = {}
        for what, chosen, color, line_width in (
            ("within", edges[within], FAINT, 0.7),
            ("between", edges[~within], INK, 1.3),
        ):
            # One line of many pieces, which keeps the file small.
            ends = np.full((len(chosen), 3, 2), np.nan)
            ends[:, :2] = self.points[chosen]
            (self.edge_lines_[what],) = ax.plot(*ends.reshape(-1, 2).T, color=color, linewidth=line_width, zorder=2)

    def _write_legend(self, ax: Axes, n_columns: int) -> None:
        from matplotlib.lines import Line2D

        groups = self._groups()
        marks = [
            Line2D([], [], linestyle="none", marker=marker, markersize=5.5, color=color, markeredgewidth=0.8)
            for *_, color, marker in groups
        ]
        self.legend_ = legend_below(ax, marks, [name for name, *_ in groups], n_columns, handlelength=0.8)


def _pairs(edges: ArrayLike, n_rows: int) -> NDArray[np.intp]:
    given = np.asarray(edges)
    if not given.size:
        return np.empty((0, 2), dtype=np.intp)
    if given.ndim != 2 or given.shape[1] != 2 or given.dtype.kind not in "iu":
        raise ValueError(f"edges has shape {given.shape} and type {given.dtype}: give pairs of row indices.")
    wrong = given[(given < 0) | (given >= n_rows)]
    if len(wrong):
        raise ValueError(f"edges names row {wrong[0]}, but rows are counted from 0 to {n_rows - 1}.")
    return given.astype(np.intp)


def _plane(numbers: NDArray[np.float64], standardized: bool) -> tuple[NDArray[np.float64], tuple[str, str]]:
    """Rows in two dimensions: up to two attributes as they are, or the first two principal components."""
    n_attributes = numbers.shape[1]
    if n_attributes <= 2:
        names = [f"attribute {column}" for column in range(n_attributes)]
        return np.pad(numbers, ((0, 0), (0, 2 - n_attributes))), (names[0], names[1] if n_attributes == 2 else "")
    centered = np.nan_to_num(standardize(numbers)) if standardized else numbers - numbers.mean(axis=0)
    left, lengths, directions = np.linalg.svd(centered, full_matrices=False)
    directions = directions[:2]
    # The sign with which the largest entry is positive, so that the drawing is always the same.
    strongest = np.abs(directions).argmax(axis=1)
    signs = np.sign(directions[np.arange(len(directions)), strongest])
    points = np.zeros((len(numbers), 2))
    points[:, : len(directions)] = left[:, :2] * lengths[:2] * signs
    relative = np.pad(lengths / (lengths[0] or 1.0), (0, 1)) ** 2  # to the longest, to avoid overflow
    percents = 100 * relative[:2] / max(relative.sum(), 1.0)
    return points, (f"component 1 ({percents[0]:.0f} %)", f"component 2 ({percents[1]:.0f} %)")
