"""What displays with several panels share: panels within axes, outlines of cells, and a legend below."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unnaive.show.style import INK, TEXT_SIZE, axes_for, shorten, text_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def largest_classes(labels: NDArray[Any], most: int) -> list[Any]:
    """The largest classes in order of their labels; of classes of the same size, the first."""
    classes, counts = np.unique(labels, return_counts=True)
    return classes[np.sort(np.argsort(-counts, kind="stable")[:most])].tolist()


def class_name(label: Any) -> str:
    """A label as text; numbers and booleans follow the word "class"."""
    return label if isinstance(label, str) else f"class {label}"


def inset(ax: Axes, whole: tuple[float, float], x: float, y: float, width: float, height: float) -> Axes:
    """Axes within axes of the size ``whole``, all in inches from the lower left corner."""
    inside = ax.inset_axes((x / whole[0], y / whole[1], width / whole[0], height / whole[1]))
    return axes_for(inside, (width, height))


def name_panel(panel: Axes, name: str) -> None:
    """Write a name above a panel."""
    panel.set_title(name, color=INK, fontsize=TEXT_SIZE, parse_math=False, pad=3)


def legend_below(ax: Axes, marks: Sequence[Any], names: Sequence[str], n_columns: int, handlelength: float) -> Any:
    """A legend without a frame in the lower left corner of axes that hold panels."""
    legend = ax.legend(
        marks,
        names,
        loc="lower left",
        bbox_to_anchor=(0, 0),
        borderaxespad=0,
        borderpad=0,
        labelspacing=0.35,
        ncols=n_columns,
        frameon=False,
        fontsize=TEXT_SIZE,
        handlelength=handlelength,
        handletextpad=0.4,
        columnspacing=0.9,
    )
    for text in legend.get_texts():
        text.set(color=INK, parse_math=False)
    return legend


def fitting(name: Any, width: float, size: float) -> str:
    """A name on one line, shortened to a width in inches."""
    few, many = 3, 40  # characters, at least and at most
    while few < many:
        middle = (few + many + 1) // 2
        if text_width(shorten(name, middle), size) > width:
            many = middle - 1
        else:
            few = middle
    return shorten(name, few)


def shade_cells(ax: Axes, shades: NDArray[np.int64], color: str, opacities: Sequence[float]) -> None:
    """Fill the cells of a matrix by shade: 0 for none, 1 for the first opacity."""
    from matplotlib.patches import PathPatch

    for shade, alpha in enumerate(opacities, 1):
        # One path per shade: one per cell would make a web page many times as large.
        cells = _outline(shades == shade)
        if cells is not None:
            look: dict[str, Any] = {"facecolor": color, "edgecolor": "none", "linewidth": 0, "alpha": alpha}
            ax.add_artist(PathPatch(cells, snap=True, zorder=2, **look))  # not add_patch, which updates the limits


def _outline(cells: NDArray[np.bool_]) -> Any:
    """The path around some cells of a matrix, adjacent cells of a row as one; None if there are none."""
    from matplotlib.path import Path

    edges = np.diff(np.pad(cells, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    rows, starts = np.nonzero(edges == 1)
    stops = np.nonzero(edges == -1)[1]
    if not len(rows):
        return None
    left, right, top, bottom = starts - 0.5, stops - 0.5, rows - 0.5, rows + 0.5
    corners = np.stack(
        [
            np.column_stack(corner)
            for corner in ((left, top), (right, top), (right, bottom), (left, bottom), (left, top))
        ],
        axis=1,
    )
    codes = np.tile([Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY], len(rows))
    return Path(corners.reshape(-1, 2), codes)
