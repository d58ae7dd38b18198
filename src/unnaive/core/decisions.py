"""Labels from probabilities: the most probable one, one from a threshold on, or the one of the lowest expected cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Decision:
    """How a label is chosen; labels are named by their text.

    ``threshold`` names a label and the probability from which on it is chosen, whatever the others have. ``costs``
    gives what it costs to predict the second label of a pair where the first is true; other errors cost 1.
    """

    threshold: tuple[str, float] | None = None
    costs: Mapping[tuple[str, str], float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.threshold is not None and self.costs:
            raise ValueError("A threshold and costs both choose the label: give one of them.")
        if self.threshold is not None and not 0 <= self.threshold[1] <= 1:
            raise ValueError(f"The threshold is {self.threshold[1]:g}, but a probability is between 0 and 1.")
        wrong = next((cost for cost in self.costs.values() if not 0 <= cost < np.inf), None)
        if wrong is not None:
            raise ValueError(f"A cost is {wrong:g}, but it is a number from 0 on.")

    def check(self, classes: NDArray[Any]) -> None:
        """Raise ValueError if a label is named that the model does not know."""
        known = [str(label) for label in classes.tolist()]
        named = [*([self.threshold[0]] if self.threshold else []), *(label for pair in self.costs for label in pair)]
        unknown = next((label for label in named if label not in known), None)
        if unknown is not None:
            raise ValueError(f"There is no class {unknown!r}; there are {', '.join(known)}.")

    def places(self, probabilities: NDArray[np.floating], classes: NDArray[Any]) -> NDArray[np.intp]:
        """The place of the chosen label of each row; of equals the first."""
        known = [str(label) for label in classes.tolist()]
        if self.threshold is not None:
            place = known.index(self.threshold[0])
            others = np.array(probabilities, dtype=np.float64)
            others[:, place] = -1.0
            return np.where(probabilities[:, place] >= self.threshold[1], place, others.argmax(axis=1))
        if self.costs:
            costs = 1.0 - np.eye(len(known))
            for (true, predicted), cost in self.costs.items():
                costs[known.index(true), known.index(predicted)] = cost
            return (probabilities @ costs).argmin(axis=1)
        return probabilities.argmax(axis=1)
