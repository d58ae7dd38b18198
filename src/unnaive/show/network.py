"""NetworkDisplay: the structure of a Bayesian network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from unnaive.core.docstrings import shared_docs
from unnaive.show.display import Display
from unnaive.show.style import FAINT, INK, TEXT_SIZE, bare, shorten, spread, text_width, write

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# In inches, at full text size.
_HIGH = 0.26  # a box
_PADDING = 0.16
_BETWEEN = 0.14  # boxes of a layer
_THROUGH = 0.1  # width of a link that passes through a layer
_LAYERS = {"down": 0.38, "across": 0.5}  # minimum gap between two layers
_STEEP = 0.06  # minimum gap, as a share of the sideways extent of its links, so that they are not too flat
_MARGIN = 0.04
_LARGEST = (16.0, 11.0)  # figure
_SWEEPS = 12


@shared_docs
class NetworkDisplay(Display):
    """The columns of a network in layers, with an arrow to each column from its parents.

    Layers run downwards or from left to right, whichever takes less room. Columns without parents and children are
    listed below.

    Parameters
    ----------
    parents : list of tuple of int
        For each column, the columns it depends on.
    names : list of str, optional
        Names of the columns; their positions by default.
    class_is_parent : array-like of bool of shape (n_columns,), optional
        Whether a column depends on the class; all do by default. Columns that do not have a dashed box.

    Attributes
    ----------
    layers : list of list of int
        Columns by layer, in the order drawn.
    positions_ : ndarray of shape (n_columns, 2)
        Centers of the boxes, in data coordinates.
    sizes_ : ndarray of shape (n_columns, 2)
        Widths and heights of the boxes.
    {drawn}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from unnaive import TAN
    >>> from unnaive.show import NetworkDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> NetworkDisplay.from_estimator(TAN().fit(X, y)).layers
    [[0], [1, 2], [3]]
    """

    def __init__(
        self,
        parents: Sequence[Sequence[int]],
        names: Sequence[Any] | None = None,
        *,
        class_is_parent: ArrayLike | None = None,
    ) -> None:
        self.parents = [tuple(of_child) for of_child in parents]
        self.names = [str(name) for name in (range(len(self.parents)) if names is None else names)]
        everywhere = np.ones(len(self.parents), dtype=bool)
        self.class_is_parent = everywhere if class_is_parent is None else np.asarray(class_is_parent, dtype=bool)
        self._graph = _Graph.of(self.parents)
        n = len(self.parents)
        self.layers = [[node for node in layer if node < n] for layer in self._graph.layers]

    @classmethod
    @shared_docs
    def from_estimator(cls, model: Any, *, ax: Axes | None = None) -> NetworkDisplay:
        """Draw the structure of a fitted model.

        Parameters
        ----------
        model : TAN, KDB or BayesNet
        {plotted}
        """
        check_is_fitted(model)
        if not hasattr(model, "parents_"):
            raise ValueError(f"{type(model).__name__} has no structure to draw; TAN, KDB and BayesNet have one.")
        return cls(
            model.parents_,
            getattr(model, "feature_names_in_", None),
            class_is_parent=getattr(model, "class_is_parent_", None),
        ).plot(ax=ax)

    @property
    def size(self) -> tuple[float, float]:
        needed = self._arrange().size
        scale = min(1.0, _LARGEST[0] / needed[0], _LARGEST[1] / needed[1])
        return max(3.0, needed[0] * scale + 0.2), max(1.5, needed[1] * scale + 0.2)

    def _draw(self, ax: Axes) -> None:
        plan = self._arrange()
        width, height = bare(ax)
        scale = min(1.2, width / plan.size[0], height / plan.size[1])
        middle = np.array(plan.size) / 2
        reach = np.array([width, height]) / scale / 2
        ax.set(xlim=(middle[0] - reach[0], middle[0] + reach[0]), ylim=(middle[1] - reach[1], middle[1] + reach[1]))

        n = len(self.parents)
        self.positions_, self.sizes_ = plan.positions[:n], plan.sizes[:n]
        for node in sorted({parent for parent, _ in self._graph.segments if plan.beyond[parent] > 0}):
            # Links run together as far as wider boxes of the same layer reach.
            start = plan.positions[node, 0] + plan.sizes[node, 0] / 2
            ax.hlines(plan.positions[node, 1], start, start + plan.beyond[node], color=FAINT, linewidth=0.9)
        for parent, child in self._graph.segments:
            self._draw_segment(ax, plan, parent, child, scale)
        for column, label in enumerate(self._labels):
            style = "-" if self.class_is_parent[column] else (0, (3, 2))
            _draw_box(ax, self.positions_[column], self.sizes_[column], label, INK, style, scale)
        _draw_box(ax, plan.class_position, plan.class_size, self._about_class, FAINT, "-", scale)

    @property
    def _labels(self) -> list[str]:
        return [shorten(name, 28) for name in self.names]

    @property
    def _about_class(self) -> str:
        if self.class_is_parent.all():
            return "class → every column"
        return "class → every column but the dashed" if self.class_is_parent.any() else "class → no column"

    def _arrange(self) -> _Plan:
        widths = [text_width(label, TEXT_SIZE) + _PADDING for label in self._labels]
        head = text_width(self._about_class, TEXT_SIZE) + _PADDING
        down, across = (_arrange(self._graph, np.array(widths), head, flow) for flow in ("down", "across"))
        return down if down.squeeze >= across.squeeze else across

    def _draw_segment(self, ax: Axes, plan: _Plan, parent: int, child: int, scale: float) -> None:
        """Draw a link, or a part of it, as a curve that starts and ends in the direction of the layers."""
        from matplotlib.patches import FancyArrowPatch, PathPatch
        from matplotlib.path import Path

        along = np.array([0.0, -1.0]) if plan.flow == "down" else np.array([1.0, 0.0])
        start = plan.positions[parent] + along * plan.sizes[parent] / 2
        end = plan.positions[child] - along * plan.sizes[child] / 2
        turn = start + along * plan.beyond[parent]
        bend = along * np.abs((end - turn) @ along) / 2
        corners = [turn, turn + bend, end - bend, end]
        if child >= len(self.parents):  # straight through a layer that it only passes
            corners.append(end + along * plan.sizes[child])
        path = Path(np.array(corners), [1, 4, 4, 4, 2][: len(corners)])
        if child < len(self.parents):
            arrow = FancyArrowPatch(path=path, arrowstyle="-|>", mutation_scale=8 * scale, color=FAINT, linewidth=0.9)
            arrow.set_label(f"{parent} {child}")
            ax.add_patch(arrow)
        else:
            ax.add_patch(PathPatch(path, facecolor="none", edgecolor=FAINT, linewidth=0.9))


def _draw_box(
    ax: Axes, middle: NDArray[np.float64], size: NDArray[np.float64], label: str, color: str, style: Any, scale: float
) -> None:
    from matplotlib.patches import FancyBboxPatch

    corner = middle - size / 2
    look: dict[str, Any] = {"facecolor": "none", "edgecolor": color, "linestyle": style, "linewidth": 0.9}
    ax.add_patch(
        FancyBboxPatch((corner[0], corner[1]), size[0], size[1], boxstyle="round,pad=0,rounding_size=0.07", **look)
    )
    write(ax, label, middle, size=TEXT_SIZE * scale, color=color)


@dataclass(frozen=True)
class _Graph:
    """Columns in ordered layers, with an extra node wherever links of a column pass through a layer.

    ``segments`` are pairs of nodes of adjacent layers, ``alone`` the columns without links.
    """

    n_nodes: int
    layers: list[list[int]]
    segments: list[tuple[int, int]]
    alone: list[int]

    @classmethod
    def of(cls, parents: list[tuple[int, ...]]) -> _Graph:
        children: list[list[int]] = [[] for _ in parents]
        for child, of_child in enumerate(parents):
            for parent in of_child:
                children[parent].append(child)
        depth = _depths(parents, children)
        n_nodes, segments, layer_of = len(parents), [], dict(enumerate(depth))
        for parent, of_parent in enumerate(children):
            node = parent
            for layer in range(depth[parent] + 1, max((depth[child] for child in of_parent), default=0) + 1):
                segments += [(node, child) for child in of_parent if depth[child] == layer]
                if any(depth[child] > layer for child in of_parent):
                    segments.append((node, n_nodes))
                    node, layer_of[n_nodes] = n_nodes, layer
                    n_nodes += 1
        alone = [column for column, of_column in enumerate(children) if not of_column and not parents[column]]
        for column in alone:
            del layer_of[column]
        return cls(n_nodes, _order(layer_of, segments), segments, alone)


def _depths(parents: list[tuple[int, ...]], children: list[list[int]]) -> list[int]:
    """The layer of each column: below all its parents, and close to its children if it has no parents."""
    depth = [0] * len(parents)
    waiting = [len(of_child) for of_child in parents]
    ready = [column for column, n in enumerate(waiting) if n == 0]
    for column in ready:
        for child in children[column]:
            depth[child] = max(depth[child], depth[column] + 1)
            waiting[child] -= 1
            if waiting[child] == 0:
                ready.append(child)
    if any(waiting):
        raise ValueError("The columns depend on each other in a cycle, so there is no first layer.")
    for column, of_column in enumerate(children):
        if of_column and not parents[column]:
            depth[column] = min(depth[child] for child in of_column) - 1
    return depth


def _order(layer_of: dict[int, int], segments: list[tuple[int, int]]) -> list[list[int]]:
    """Nodes by layer, in the order with the fewest crossings of several sweeps of the barycenter heuristic."""
    above: dict[int, list[int]] = {node: [] for node in layer_of}
    below: dict[int, list[int]] = {node: [] for node in layer_of}
    for parent, child in segments:
        below[parent].append(child)
        above[child].append(parent)
    layers: list[list[int]] = [[] for _ in range(max(layer_of.values(), default=-1) + 1)]
    for node in _depth_first(layer_of, below):
        layers[layer_of[node]].append(node)
    best, fewest = [list(layer) for layer in layers], _n_crossings(layers, below)
    for sweep in range(_SWEEPS):
        downwards = sweep % 2 == 0
        neighbors = above if downwards else below
        for layer in layers if downwards else layers[::-1]:
            place = {node: rank for row in layers for rank, node in enumerate(row)}
            means = {
                node: np.mean([place[other] for other in neighbors[node]]) if neighbors[node] else place[node]
                for node in layer
            }
            layer.sort(key=means.__getitem__)
        crossings = _n_crossings(layers, below)
        if crossings < fewest:
            best, fewest = [list(layer) for layer in layers], crossings
    return best


def _depth_first(layer_of: dict[int, int], below: dict[int, list[int]]) -> list[int]:
    """All nodes in depth-first order, in which trees have no crossings."""
    seen: dict[int, None] = {}
    for root in sorted(layer_of, key=lambda node: (layer_of[node], node)):
        stack = [root]
        while stack:
            node = stack.pop()
            if node not in seen:
                seen[node] = None
                stack += reversed(below[node])
    return list(seen)


def _n_crossings(layers: list[list[int]], below: dict[int, list[int]]) -> int:
    total = 0
    for layer, following in pairwise(layers):
        place = {node: rank for rank, node in enumerate(following)}
        ends = np.array([end for node in layer for end in sorted(place[child] for child in below[node])])
        total += int(np.triu(ends[:, None] > ends[None], 1).sum()) if len(ends) else 0
    return total


@dataclass(frozen=True)
class _Plan:
    """Positions in inches from the lower left corner; a layer extends ``beyond`` each of its nodes along the links."""

    flow: str
    size: tuple[float, float]
    positions: NDArray[np.float64]
    sizes: NDArray[np.float64]
    beyond: NDArray[np.float64]
    class_position: NDArray[np.float64]
    class_size: NDArray[np.float64]

    @property
    def squeeze(self) -> float:
        """The scale at which it fits on a page."""
        return min(1.0, 11.0 / self.size[0], 8.0 / self.size[1])


def _arrange(graph: _Graph, widths: NDArray[np.float64], head: float, flow: str) -> _Plan:
    """Place the layers, with the class above them and the columns without links below."""
    sizes = np.full((graph.n_nodes, 2), _THROUGH)
    sizes[: len(widths)] = np.column_stack([widths, np.full(len(widths), _HIGH)])
    side, way = (0, 1) if flow == "down" else (1, 0)
    positions, beyond = np.zeros((graph.n_nodes, 2)), np.zeros(graph.n_nodes)
    positions[:, side] = _sideways(graph, sizes[:, side])
    aside = np.zeros(graph.n_nodes)
    for parent, child in graph.segments:
        aside[parent] = max(aside[parent], abs(positions[parent, side] - positions[child, side]))
    reached = 0.0
    for layer in graph.layers:
        thick = sizes[layer, way].max()
        sizes[[node for node in layer if node >= len(widths)], way] = thick
        positions[layer, way] = reached + sizes[layer, way] / 2
        beyond[layer] = thick - sizes[layer, way]
        reached += thick + max(_LAYERS[flow], min(1.5, _STEEP * aside[layer].max()))

    linked = np.array([node for layer in graph.layers for node in layer], dtype=np.intp)
    if len(linked):
        positions[linked] -= (positions[linked] - sizes[linked] / 2).min(axis=0)
    extent = (positions[linked] + sizes[linked] / 2).max(axis=0, initial=0.0)
    if flow == "down":
        positions[linked, 1] = extent[1] - positions[linked, 1]
    width = max(float(extent[0]), head, 6.0 if graph.alone else 0.0)
    positions[linked, 0] += (width - extent[0]) / 2
    below = _wrap(graph.alone, positions, sizes, width)
    positions[linked, 1] += below
    height = below + float(extent[1]) + (0.25 if len(linked) else 0.0) + _HIGH
    return _Plan(
        flow,
        (width + 2 * _MARGIN, height + 2 * _MARGIN),
        positions + _MARGIN,
        sizes,
        beyond,
        np.array([width / 2, height - _HIGH / 2]) + _MARGIN,
        np.array([head, _HIGH]),
    )


def _sideways(graph: _Graph, sizes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Positions within the layers: each node close to the mean of its neighbors."""
    positions = np.zeros(graph.n_nodes)
    gaps = [(sizes[layer[:-1]] + sizes[layer[1:]]) / 2 + _BETWEEN for layer in graph.layers]
    neighbors: list[list[int]] = [[] for _ in range(graph.n_nodes)]
    for parent, child in graph.segments:
        neighbors[parent].append(child)
        neighbors[child].append(parent)
    for layer, gap in zip(graph.layers, gaps):
        positions[layer] = np.concatenate([[0.0], np.cumsum(gap)]) - gap.sum() / 2
    for sweep in range(2 * _SWEEPS):
        order = range(len(graph.layers))
        for place in order if sweep % 2 == 0 else reversed(order):
            layer = graph.layers[place]
            wanted = [positions[neighbors[node]].mean() if neighbors[node] else positions[node] for node in layer]
            positions[layer] = spread(wanted, gaps[place])
    return positions


def _wrap(columns: list[int], positions: NDArray[np.float64], sizes: NDArray[np.float64], width: float) -> float:
    """Place columns in lines from the top, and return their height with a gap above them."""
    lines: list[list[int]] = []
    used = np.inf
    for column in columns:
        if used + _BETWEEN + sizes[column, 0] > width:
            lines.append([])
            used = -_BETWEEN
        lines[-1].append(column)
        used += _BETWEEN + sizes[column, 0]
    pitch = _HIGH + _BETWEEN
    for row, line in enumerate(reversed(lines)):
        left = (width - sizes[line, 0].sum() - _BETWEEN * (len(line) - 1)) / 2
        starts = left + np.concatenate([[0.0], np.cumsum(sizes[line, 0] + _BETWEEN)[:-1]])
        positions[line, 0] = starts + sizes[line, 0] / 2
        positions[line, 1] = row * pitch + _HIGH / 2
    return pitch * len(lines) + (0.25 if lines else 0.0)
