"""SubgraphDisplay: frequent subgraphs as drawings of molecules."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from unnaive.core.docstrings import shared_docs
from unnaive.graphs.frequent_subgraphs import Pattern
from unnaive.graphs.labelled_graph import Graph, Label
from unnaive.show.display import Display
from unnaive.show.graph_layout import lay_out, smallest_gap
from unnaive.show.panels import fitting
from unnaive.show.style import FAINT, INK, TEXT_SIZE, bare, text_width, write

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# In inches: width and height per drawing, maximum length of edges between symbols and between words, a line of the
# caption, and the margin around a drawing.
_WIDE, _HIGH, _EDGE, _LONGEST, _LINE, _MARGIN = 2.0, 1.45, 0.45, 1.1, 0.17, 0.1
_LABEL_SHARE = 0.7  # of the distance to the closest vertex, so that labels do not overlap
_STROKES: dict[Label, int] = {0: 1, 1: 1, 2: 2, 3: 3, "single": 1, "double": 2, "triple": 3}
_DASHED: tuple[Label, ...] = (4, "aromatic")


@shared_docs
class SubgraphDisplay(Display):
    """Drawings of subgraphs, each with the number of graphs that contain it and its information gain.

    Edges labeled 1, 2 and 3 (or ``"single"``, ``"double"``, ``"triple"``) are drawn as one, two and three lines, like
    bonds between atoms. Those labeled 4 or ``"aromatic"`` are dashed; 0 stands for no label. Any other label is
    written on its edge.

    Parameters
    ----------
    patterns : list of Pattern
    information_gain : array-like of shape (n_patterns,), optional
        Information gain of each pattern about the class, in bits.
    top : int, default=12
        Number of patterns drawn, from the first.

    Attributes
    ----------
    positions_ : list of ndarray of shape (n_vertices, 2)
        Positions of the vertices of each drawing, in inches from the lower left corner of the axes.
    {drawn}

    Notes
    -----
    Vertices are placed by stress majorization (Gansner, Koren & North, "Graph drawing by stress majorization", 2004),
    so that distances are close to those of a chain with angles of 120° or, within a small ring, of a regular polygon.
    Of several local optima, one with few crossings is taken. The layout is deterministic.

    Examples
    --------
    >>> from unnaive import SubgraphTensor
    >>> from unnaive.show import SubgraphDisplay
    >>> graphs = [{"atoms": "CCO", "edges": [[0, 1, 1], [1, 2, 2]]}, {"atoms": "CC", "edges": [[0, 1, 1]]}]
    >>> display = SubgraphDisplay.from_estimator(SubgraphTensor().fit(graphs))
    >>> [str(pattern) for pattern in display.patterns]
    ['C-1-C', 'C-1-C-2-O']
    """

    def __init__(
        self, patterns: Sequence[Pattern], information_gain: ArrayLike | None = None, *, top: int = 12
    ) -> None:
        self.patterns = list(patterns)
        self.information_gain = None if information_gain is None else np.asarray(information_gain, dtype=np.float64)
        self.top = top
        if not self.patterns or top < 1:
            raise ValueError(f"There are {len(self.patterns)} patterns and top is {top}: give at least one of each.")
        for place, pattern in enumerate(self.patterns):
            if not isinstance(pattern, Pattern):
                raise ValueError(f"Pattern {place} is a {type(pattern).__name__}, but must be a Pattern.")
            if not pattern.graph.labels:
                raise ValueError(f"Pattern {place} has no vertices: leave it out.")
        if self.information_gain is not None and self.information_gain.shape != (len(self.patterns),):
            raise ValueError(
                f"information_gain has shape {self.information_gain.shape}, but there are {len(self.patterns)} "
                "patterns: give a number for each."
            )

    @classmethod
    @shared_docs
    def from_patterns(
        cls,
        patterns: Sequence[Pattern],
        *,
        information_gain: ArrayLike | None = None,
        top: int = 12,
        ax: Axes | None = None,
    ) -> SubgraphDisplay:
        """Draw patterns, for instance those of :func:`~unnaive.graphs.frequent_subgraphs.frequent_subgraphs`.

        Parameters
        ----------
        patterns, information_gain, top
            As in the constructor.
        {plotted}
        """
        return cls(patterns, information_gain, top=top).plot(ax=ax)

    @classmethod
    @shared_docs
    def from_estimator(cls, model: Any, *, top: int = 12, ax: Axes | None = None) -> SubgraphDisplay:
        """Draw the patterns of a fitted transformer, by information gain or, if fitted without classes, by frequency.

        Parameters
        ----------
        model : SubgraphTensor, or pipeline that has one
        top : int, default=12
            Number of patterns drawn.
        {plotted}
        """
        steps = [step for _, step in model.steps] if hasattr(model, "steps") else [model]
        for step in steps:
            check_is_fitted(step)
        found = [step for step in steps if isinstance((getattr(step, "patterns_", None) or [None])[0], Pattern)]
        if not found:
            raise ValueError(f"{type(model).__name__} has no subgraphs to draw; SubgraphTensor has.")
        patterns, gain = found[0].patterns_, found[0].information_gain_
        weights = np.array([pattern.support for pattern in patterns]) if gain is None else gain
        order = np.argsort(-weights, kind="stable").tolist()
        return cls([patterns[k] for k in order], None if gain is None else gain[order], top=top).plot(ax=ax)

    @property
    def size(self) -> tuple[float, float]:
        wide, high = self._cell
        n_columns = min(max(1, int(9 / wide)), self._n_drawn)
        n_lines = math.ceil(self._n_drawn / n_columns)
        return max(4.0, float(n_columns * wide) + 0.2), float(n_lines * (high + self._caption_room)) + 0.7

    @property
    def _cell(self) -> NDArray[np.float64]:
        """Width and height in inches per drawing: more if one has many vertices or long labels."""
        wanted = [
            0.75 * _wanted_edge(pattern.graph, places) * _extent(places) + 2 * _MARGIN
            for pattern, places in zip(self.patterns, self._layouts)
        ]
        return np.clip(np.max(wanted, axis=0), (_WIDE, _HIGH), (2 * _WIDE, 2 * _HIGH))

    @cached_property
    def _layouts(self) -> list[NDArray[np.float64]]:
        return [lay_out(pattern.graph) for pattern in self.patterns[: self._n_drawn]]

    @property
    def _n_drawn(self) -> int:
        return min(self.top, len(self.patterns))

    @property
    def _caption_room(self) -> float:
        return _LINE * (1 if self.information_gain is None else 2)

    def _draw(self, ax: Axes) -> None:
        width, height = bare(ax, self._title())
        ax.set(xlim=(0, width), ylim=(0, height))
        n_drawn, below, layouts, cell = self._n_drawn, self._caption_room, self._layouts, self._cell
        shapes = {n: (width / n, height / math.ceil(n_drawn / n)) for n in range(1, n_drawn + 1)}
        n_columns = max(shapes, key=lambda n: min(shapes[n][0] / cell[0], shapes[n][1] / (cell[1] + below)))
        wide, high = shapes[n_columns]
        self.positions_: list[NDArray[np.float64]] = []
        for place, pattern in enumerate(self.patterns[:n_drawn]):
            left, top = wide * (place % n_columns), height - high * (place // n_columns)
            middle = np.array([left + wide / 2, top - (high - below) / 2])
            room = np.array([wide, high - below]) - 2 * _MARGIN
            self.positions_.append(_draw_graph(ax, pattern.graph, layouts[place], middle, np.maximum(room, 0.1), place))
            for line, words in enumerate(self._caption(place)):
                at = middle[0], top - high + below - line * _LINE
                write(ax, fitting(words, wide - 0.05, TEXT_SIZE), at, color=FAINT, va="top")

    def _caption(self, place: int) -> list[str]:
        support = self.patterns[place].support
        words = [f"in {support:,} graph{'' if support == 1 else 's'}"]
        if self.information_gain is not None:
            words.append(f"gain {self.information_gain[place]:.3g} bits")
        return words

    def _title(self) -> str:
        n_drawn, n_patterns = self._n_drawn, len(self.patterns)
        said = [f"{n_drawn} of {n_patterns:,} subgraphs" if n_drawn < n_patterns else f"{n_drawn} subgraphs"]
        used = {label for pattern in self.patterns[:n_drawn] for *_, label in pattern.graph.edges}
        for what, labels in (("double line", (2, "double")), ("triple line", (3, "triple")), ("dashed", _DASHED)):
            found = [str(label) for label in labels if label in used]
            if found:
                said.append(f"{what}: label {' or '.join(found)}")
        return "; ".join(said)


def _extent(places: NDArray[np.float64]) -> NDArray[np.float64]:
    """Width and height of a drawing, including the labels of the outermost vertices."""
    return np.ptp(places, axis=0) + np.array([_LABEL_SHARE, 0.5]) * smallest_gap(places)


def _written(graph: Graph) -> list[str]:
    """Edge labels that are written out."""
    return [str(label) for *_, label in graph.edges if label not in _STROKES and label not in _DASHED]


def _share_of_labels(graph: Graph) -> float:
    """Of the distance between vertices: less if edges have labels, too."""
    return 0.5 if _written(graph) else _LABEL_SHARE


def _wanted_edge(graph: Graph, places: NDArray[np.float64]) -> float:
    """Length of an edge in inches that leaves room for the labels."""
    labels = [fitting(label, _LONGEST, TEXT_SIZE) for label in [*map(str, graph.labels), *_written(graph)]]
    widest = max((text_width(label, TEXT_SIZE) for label in labels), default=0.0)
    return float(np.clip(widest / _share_of_labels(graph) / smallest_gap(places), _EDGE, _LONGEST))


def _draw_graph(
    ax: Axes,
    graph: Graph,
    places: NDArray[np.float64],
    middle: NDArray[np.float64],
    room: NDArray[np.float64],
    number: int,
) -> NDArray[np.float64]:
    """Draw a graph in some room around a point, and return the positions of its vertices."""
    edge = min(_wanted_edge(graph, places), float((room / _extent(places)).min()))
    places, closest = middle + edge * places, edge * smallest_gap(places)
    share = _share_of_labels(graph)
    labels, size = _fit([str(label) for label in graph.labels], share * closest, min(TEXT_SIZE, 36 * closest))
    halves = [_half(label, size) for label in labels]
    for i, j, label in graph.edges:
        ends = _between(places[i], places[j], halves[i], halves[j])
        along = ends[1] - ends[0]
        length = max(float(np.linalg.norm(along)), 1e-9)
        aside = np.array([-along[1], along[0]]) / length
        strokes = _STROKES.get(label, 1)
        # One line of several pieces.
        points = np.full((strokes, 3, 2), np.nan)
        for k in range(strokes):
            points[k, :2] = ends + 0.12 * edge * (k - (strokes - 1) / 2) * aside
        style: Any = (0, (2.5, 1.5)) if label in _DASHED else "-"
        ax.plot(*points.reshape(-1, 2).T, color=INK, linewidth=1.1, linestyle=style, label=f"{number}: {i} {j}")
        if label not in _STROKES and label not in _DASHED:
            (words,), small = _fit([str(label)], 0.9 * length, 0.85 * size)
            upright = -1 if (aside[1], -aside[0]) < (0, 0) else 1  # never upside down
            at = ends.mean(axis=0) + upright * (0.65 * small / 72 + 0.02) * aside
            angle = math.degrees(math.atan2(upright * along[1], upright * along[0]))
            write(ax, words, at, size=small, color=FAINT, rotation=angle, rotation_mode="anchor")
    for place, name in zip(places, labels):
        write(ax, name, place, size=size)
    return places


def _fit(labels: list[str], width: float, size: float) -> tuple[list[str], float]:
    """Labels shortened to a width in inches, and the text size at which they fit."""
    cut = [fitting(label, width, size) for label in labels]
    return cut, size * min(1.0, width / max(*(text_width(label, size) for label in cut), 1e-9))


def _half(label: str, size: float) -> NDArray[np.float64]:
    """Half the width and height of a label with a little padding."""
    return np.array([text_width(label, size) / 2 + size / 400, size / 140]) if label else np.zeros(2)


def _between(
    start: NDArray[np.float64], end: NDArray[np.float64], at_start: NDArray[np.float64], at_end: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The part of a line outside the boxes around its ends."""
    along = end - start
    shares = [float(np.min(half / np.maximum(np.abs(along), 1e-9))) for half in (at_start, at_end)]
    return np.array([start + min(shares[0], 0.5) * along, end - min(shares[1], 0.5) * along])
