"""TensorDisplay: the cells of one tensor, shaded by value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from unnaive.core.docstrings import shared_docs
from unnaive.show.display import Display
from unnaive.show.panels import fitting, inset, name_panel, shade_cells
from unnaive.show.style import GRID, PALETTE, TEXT_SIZE, bare, rounded, set_title, settle, shorten, text_width, write
from unnaive.tensors.sparse_tensor import SparseTensor

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MAX_FEATURES, _MAX_SLICES = 40, 3
_LEVELS = 10
_OPACITIES = [0.1 + (0.5 - 0.1) * shade / (_LEVELS - 1) for shade in range(_LEVELS)]  # numbers are easy to read on
# In inches: sides of cells, maximum room for names, room for slice names, between slices, and for a line of the title.
_SIDE_LEAST, _SIDE, _SIDE_MOST, _NAMES, _ABOVE, _BETWEEN, _TITLE_LINE = 0.13, 0.26, 0.42, 1.9, 0.2, 0.15, 0.19
_NAME_SHARE = 0.35  # of the axes, at most
_LEGIBLE = 5.0  # points


@shared_docs
class TensorDisplay(Display):
    """The cells of one tensor, darker for larger values, which are written in the cells if there is room.

    Only features with a nonzero cell have a row and a column; if there are many, those with the largest sums of
    absolute values (the busiest). The title says how many are left out. Blue cells are positive, orange ones negative.
    A tensor with one mode is drawn as a strip, one with three modes as the busiest slices along the first mode.

    Parameters
    ----------
    batch : SparseTensor, or array-like of shape (n_samples, m1, ..., mk)
        With one to three modes.
    names : list of str, or list of such lists, optional
        Names of the features, as from ``get_feature_names_out``: the same for all modes, or one list per mode. Their
        positions by default.
    row : int, default=0
        Position of the tensor in the batch.

    Attributes
    ----------
    tensor : SparseTensor
        A batch of the tensor that is drawn.
    features : list of ndarray of int
        For each mode, the features with a nonzero cell; if modes share names, the union over the modes.
    drawn_ : list of ndarray of int
        For each mode, the features that were drawn; for the first of three modes, the slices.
    panels_ : list of matplotlib Axes
        The strip, the matrix, or the slices.
    {drawn}

    Examples
    --------
    >>> from unnaive import TextTensor
    >>> from unnaive.show import TensorDisplay
    >>> tensors = TextTensor()
    >>> batch = tensors.fit_transform(["Cats purr.\\n\\nDogs bark at cats.", "Dogs bark, bark, bark."])
    >>> display = TensorDisplay.from_tensor(batch, row=1, names=tensors.get_feature_names_out())
    >>> [label.get_text() for label in display.panels_[0].get_yticklabels()]
    ['bark', 'dog']
    >>> [text.get_text() for text in display.panels_[0].texts]
    ['3', '1', '1', '1']
    """

    def __init__(self, batch: Any, names: Sequence[Any] | None = None, *, row: int = 0) -> None:
        batch = read_batch(batch)
        if batch.n_modes > 3:
            raise ValueError(f"Tensors of {batch.n_modes} modes cannot be drawn: give tensors of one to three modes.")
        if not -len(batch) <= row < len(batch):
            raise ValueError(f"There is no tensor {row}: the batch has {len(batch)} tensors, counted from 0.")
        self.row = row % len(batch)
        self.tensor: SparseTensor = batch[self.row]
        self.names, self._shared = names_of_modes(names, batch.mode_sizes)
        self._indices = np.array(np.unravel_index(self.tensor.cells, batch.mode_sizes))
        self.features = self._having(self._indices)

    @classmethod
    @shared_docs
    def from_tensor(
        cls, batch: Any, *, row: int = 0, names: Sequence[Any] | None = None, ax: Axes | None = None
    ) -> TensorDisplay:
        """Draw one tensor of a batch.

        Parameters
        ----------
        batch, row, names
            As in the constructor.
        {plotted}
        """
        return cls(batch, names, row=row).plot(ax=ax)

    @property
    def size(self) -> tuple[float, float]:
        lines, columns, slices = self._choose(_MAX_FEATURES, _MAX_FEATURES, _MAX_SLICES)
        beside, below = self._room_for_names(lines, columns)
        width = beside + max(len(slices), 1) * (max(len(columns), 1) * _SIDE + _BETWEEN)
        height = below + max(len(lines), 1) * _SIDE + _ABOVE
        return float(np.clip(width + 0.2, 4.0, 12.0)), float(np.clip(height, 1.2, 9.0)) + 2 * _TITLE_LINE

    def _having(self, indices: NDArray[np.intp]) -> list[NDArray[np.intp]]:
        """The features that occur in some cells, per mode."""
        if self._shared:
            return [np.unique(indices)] * len(indices)
        return [np.unique(of_mode) for of_mode in indices]

    def _choose(
        self, most_lines: int, most_columns: int, most_slices: int
    ) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
        """The busiest features, for the rows, the columns and the slices."""
        indices, sizes = self._indices, np.abs(self.tensor.values)
        slices = np.empty(0, dtype=np.intp)
        if len(indices) == 3:
            slices = _busiest(indices[:1], sizes, self.features[0], most_slices)
            inside = np.isin(indices[0], slices)
            indices, sizes = indices[1:, inside], sizes[inside]
        having = self._having(indices)
        if len(indices) == 1:
            return slices, _busiest(indices, sizes, having[0], most_columns), slices
        if self._shared:  # the same rows and columns, to keep the diagonal
            chosen = _busiest(indices, sizes, having[0], min(most_lines, most_columns))
            return chosen, chosen, slices
        lines = _busiest(indices[:1], sizes, having[0], most_lines)
        return lines, _busiest(indices[1:], sizes, having[1], most_columns), slices

    def _room_for_names(self, lines: NDArray[np.intp], columns: NDArray[np.intp]) -> tuple[float, float]:
        """Room in inches that the names of rows and the vertical names of columns need."""
        beside, below = (
            min(_NAMES, max((text_width(shorten(of_mode[place], 40), TEXT_SIZE) for place in chosen), default=0.0))
            for of_mode, chosen in ((self.names[-2 % len(self.names)], lines), (self.names[-1], columns))
        )
        return beside + 0.1, below + 0.1

    def _draw(self, ax: Axes) -> None:
        width, height = bare(ax)
        if ax.figure.canvas.figure.get_layout_engine() is not None:
            height -= 3 * _TITLE_LINE  # for the title
        n_slices = min(_MAX_SLICES, max(1, int(0.65 * width / 1.2)))
        wide, high = (1 - _NAME_SHARE) * width / (n_slices if len(self.names) == 3 else 1), (1 - _NAME_SHARE) * height
        lines, columns, slices = self._choose(
            max(1, min(_MAX_FEATURES, int(high / _SIDE_LEAST))),
            max(1, min(_MAX_FEATURES, int(wide / _SIDE_LEAST))),
            n_slices,
        )
        self.drawn_ = [slices, lines, columns][-len(self.names) :] if len(self.names) != 1 else [columns]
        self.panels_: list[Axes] = []
        if not len(columns):
            set_title(ax, f"Tensor {self.row} is empty: all its cells are zero")
            return
        set_title(ax, self._title(lines, columns, slices))
        width, height = settle(ax)
        above = _ABOVE if len(slices) else 0.0
        n_lines, n_columns, n_panels = max(len(lines), 1), len(columns), max(len(slices), 1)
        beside, below = self._room_for_names(lines, columns)
        # Names get a share of the axes, and what the cells do not need.
        beside = min(beside, max(_NAME_SHARE * width, width - n_panels * (n_columns * _SIDE + _BETWEEN)))
        below = min(below, max(_NAME_SHARE * height, height - above - n_lines * _SIDE))
        side = min(
            _SIDE_MOST,
            ((width - beside) / n_panels - _BETWEEN) / n_columns,
            (height - below - above) / n_lines,
        )
        size = min(TEXT_SIZE, 60 * side)  # so that a line of text is not taller than a cell
        of_lines = [fitting(self.names[-2 % len(self.names)][place], beside - 0.1, size) for place in lines]
        of_columns = [fitting(self.names[-1][place], below - 0.1, size) for place in columns]
        lying = all(text_width(name, size) <= 0.9 * side for name in of_columns)
        look: dict[str, Any] = {"fontsize": size, "parse_math": False}
        for place in range(n_panels):
            left = beside + place * (n_columns * side + _BETWEEN)
            up = height - above - n_lines * side
            panel = inset(ax, (width, height), left, up, n_columns * side, n_lines * side)
            table = self._table(lines, columns, slices[place] if len(slices) else None)
            _draw_cells(panel, table, side, float(np.abs(self.tensor.values).max()))
            panel.set_xticks(range(n_columns), of_columns, rotation=0 if lying else 90, **look)
            panel.set_yticks(range(0 if place else len(lines)), [] if place else of_lines, **look)
            panel.tick_params(length=0, pad=3)
            if len(slices):
                name = fitting(self.names[0][slices[place]], n_columns * side, TEXT_SIZE)
                name_panel(panel, name)
            self.panels_.append(panel)

    def _table(self, lines: NDArray[np.intp], columns: NDArray[np.intp], at: int | None) -> NDArray[np.float64]:
        """The values of a panel."""
        indices, values = self._indices, self.tensor.values
        if at is not None:
            inside = indices[0] == at
            indices, values = indices[1:, inside], values[inside]
        if len(indices) == 1:
            lines, indices = np.zeros(1, dtype=np.intp), np.vstack([np.zeros_like(indices), indices])
        drawn = np.isin(indices[0], lines) & np.isin(indices[1], columns)
        table = np.zeros((len(lines), len(columns)))
        table[np.searchsorted(lines, indices[0, drawn]), np.searchsorted(columns, indices[1, drawn])] = values[drawn]
        return table

    def _title(self, lines: NDArray[np.intp], columns: NDArray[np.intp], slices: NDArray[np.intp]) -> str:
        drawn = [columns] if self._shared or not len(lines) else [lines, columns]
        having, sizes = self.features[-len(drawn) :], self.tensor.mode_sizes[-len(drawn) :]
        if any(len(chosen) < len(of_mode) for chosen, of_mode in zip(drawn, having)):
            counts = " × ".join(f"{len(chosen)} of its {len(of_mode)}" for chosen, of_mode in zip(drawn, having))
            features = f"the busiest {counts} features, of {' × '.join(map(str, sizes))}"
        elif any(len(chosen) < size for chosen, size in zip(drawn, sizes)):
            counts = " × ".join(f"{len(chosen)} of {size}" for chosen, size in zip(drawn, sizes))
            features = f"{counts} features, the others are zero"
        else:
            features = f"all {' × '.join(map(str, sizes))} features"
        said = [f"Tensor {self.row}: {features}"]
        if len(slices):
            n_slices = len(self.features[0])
            busiest = f"the {len(slices)} busiest of {n_slices}" if len(slices) < n_slices else f"all {n_slices}"
            said.append(f"slices of {busiest}")
        values = self.tensor.values
        return "; ".join([*said, f"darkest: {rounded(values[np.abs(values).argmax()])}"])


def names_of_modes(names: Sequence[Any] | None, mode_sizes: tuple[int, ...]) -> tuple[list[list[str]], bool]:
    """Names of the features of each mode, and whether the modes share them; None stands for positions."""
    if names is None:
        return [[str(place) for place in range(size)] for size in mode_sizes], len(set(mode_sizes)) == 1
    given = list(names)
    shared = not any(isinstance(name, list | tuple | np.ndarray) for name in given)
    read = [[str(name) for name in of_mode] for of_mode in ([given] * len(mode_sizes) if shared else given)]
    if [len(of_mode) for of_mode in read] != list(mode_sizes):
        raise ValueError(
            f"names has lists of {', '.join(str(len(of_mode)) for of_mode in read)} names for mode sizes {mode_sizes}: "
            "give one list if the modes share their names, or one list per mode."
        )
    return read, shared


def read_batch(batch: Any) -> SparseTensor:
    if isinstance(batch, SparseTensor):
        return batch
    return SparseTensor.from_matrix(batch) if issparse(batch) else SparseTensor.from_dense(batch)


def _busiest(
    indices: NDArray[np.intp], sizes: NDArray[np.float64], features: NDArray[np.intp], most: int
) -> NDArray[np.intp]:
    """The features with the largest sums of cells, in order; a cell counts once per mode that names the feature."""
    held = np.zeros(len(features))
    for of_mode in indices:
        known = np.isin(of_mode, features)
        np.add.at(held, np.searchsorted(features, of_mode[known]), sizes[known])
    return features[np.sort(np.argsort(-held, kind="stable")[:most])]


def _draw_cells(ax: Axes, table: NDArray[np.float64], side: float, largest: float) -> None:
    n_lines, n_columns = table.shape
    ax.set(xlim=(-0.5, n_columns - 0.5), ylim=(n_lines - 0.5, -0.5))
    ax.spines[:].set(visible=True, color=GRID)
    shades = np.ceil(_LEVELS * np.abs(table) / largest).astype(int)
    for sign, color in ((1.0, PALETTE[0]), (-1.0, PALETTE[1])):
        shade_cells(ax, np.where(np.sign(table) == sign, shades, 0), color, _OPACITIES)
    for rule, n in ((ax.axhline, n_lines), (ax.axvline, n_columns)):
        for place in range(1, n):
            rule(place - 0.5, color=GRID, linewidth=0.5, zorder=3)
    places = np.argwhere(table).tolist()
    numbers = [rounded(table[line, column]) for line, column in places]
    size = min(TEXT_SIZE, 45 * side)
    widest = max((text_width(number, size) for number in numbers), default=0.0)
    size *= min(1.0, 0.85 * side / widest) if widest else 1.0
    if size >= _LEGIBLE:
        for (line, column), number in zip(places, numbers):
            write(ax, number, (column, line), size=size, zorder=4)
