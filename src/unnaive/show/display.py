"""Display: the base class of all displays, which follow scikit-learn's convention."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, TypeVar

from unnaive.core.docstrings import shared_docs
from unnaive.show.style import axes_for

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

Drawn = TypeVar("Drawn", bound="Display")


class Display(ABC):
    """A drawing in matplotlib axes. Subclasses give its size and draw it."""

    ax_: Axes
    figure_: Figure | SubFigure

    @property
    @abstractmethod
    def size(self) -> tuple[float, float]:
        """Width and height in inches that suit the drawing."""

    @abstractmethod
    def _draw(self, ax: Axes) -> None:
        """Draw into the axes."""

    @shared_docs
    def plot(self: Drawn, *, ax: Axes | None = None) -> Drawn:
        """Draw the display.

        Parameters
        ----------
        {plotted}
        """
        ax = axes_for(ax, self.size)
        self._draw(ax)
        self.ax_, self.figure_ = ax, ax.figure
        return self
