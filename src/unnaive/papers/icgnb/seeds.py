"""Whether the claims of the paper depend on the seed of its graph, and on the seed and the reading of a rival.

The auto-encoder of ICGNB and the networks of AG-NBC start at random, and a hold-out's deviation does not show it, since
hold-outs share the latent attributes. The outputs of AG-NBC's networks are read in two ways: see ``AttributeGroupNB``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from unnaive.evaluate.comparison import Comparison
from unnaive.evaluate.significance import wilcoxon_signed_ranks
from unnaive.papers.icgnb.models import OURS
from unnaive.papers.rebuilt_table import Cell, Percents, RebuiltTable

READINGS = ("AG-NBC", "AG-NBC, softmax")
PARTS = ("ICGNB-N", "ICGNB-A")
SEEDED = (OURS, *PARTS, *READINGS)  # the models that are measured with every seed
BEST, BETTER, NEEDED = "highest average", "significantly better than each", "every part is needed"


@dataclass(frozen=True)
class Seeds:
    """Accuracies over data sets of the models with each seed, and of the others, which have one."""

    by_seed: Mapping[int, Mapping[str, NDArray[np.float64]]]
    others: Mapping[str, NDArray[np.float64]]

    @classmethod
    def of(cls, comparisons: Mapping[int, Comparison], others: Sequence[str]) -> Seeds:
        """From comparisons by seed, of which the first has the other models too."""
        by_seed = {seed: _scores(comparison, SEEDED) for seed, comparison in comparisons.items()}
        return cls(by_seed, _scores(next(iter(comparisons.values())), others))

    def holds(self, claim: str, reading: str) -> list[bool]:
        """Whether a claim holds, for each seed of the graph with each seed of AG-NBC in a reading."""
        found = []
        for of_graph, of_rival in product(self.by_seed.values(), repeat=2):
            ours = of_graph[OURS]
            rivals = {**self.others, reading: of_rival[reading]}
            if claim == NEEDED:
                rivals = {part: of_graph[part] for part in PARTS} | {"WANBIA": self.others["WANBIA"]}
            if claim == BETTER:
                found.append(all(wilcoxon_signed_ranks(ours, other).verdict == 1 for other in rivals.values()))
            elif claim in (BEST, NEEDED):
                found.append(all(ours.mean() > other.mean() for other in rivals.values()))
            else:
                found.append(wilcoxon_signed_ranks(ours, rivals[_rival(claim, reading)]).verdict == 1)
        return found

    def share(self, claim: str, reading: str) -> float:
        """Share of the seeds with which a claim holds."""
        return float(np.mean(self.holds(claim, reading)))

    @property
    def n_pairs(self) -> int:
        """Pairs of a seed of the graph and one of AG-NBC."""
        return len(self.by_seed) ** 2


def averages_by_seed(seeds: Seeds) -> RebuiltTable:
    """Average accuracy of each model with each seed."""
    means = {f"seed {seed}": {model: of[model].mean() for model in SEEDED} for seed, of in seeds.by_seed.items()}
    table = {row: list(of.values()) for row, of in means.items()}
    stacked = np.array([*table.values()])
    for name, summary in (("mean", stacked.mean(axis=0)), ("lowest", stacked.min(axis=0))):
        table[name] = summary.tolist()
    table["highest"] = stacked.max(axis=0).tolist()
    cells = {(row, model): Cell(float(value)) for row, values in table.items() for model, value in zip(SEEDED, values)}
    n_data = len(next(iter(seeds.others.values())))
    return Percents(f"Average accuracy in % over {n_data} data sets, by seed", [*table], list(SEEDED), cells)


def shares_by_claim(seeds: Seeds) -> RebuiltTable:
    """Share of the seeds with which each claim holds, by reading of AG-NBC."""
    rivals = [*(name for name in seeds.others), READINGS[0]]
    claims = [BEST, BETTER, *(f"significantly better than {rival}" for rival in rivals), NEEDED]
    cells = {(claim, reading): Cell(seeds.share(claim, reading)) for claim in claims for reading in READINGS}
    title = (
        f"Claims by seed: share in % of {seeds.n_pairs} pairs of a seed of the graph and one of AG-NBC, by its reading"
    )
    return Percents(title, claims, list(READINGS), cells)


def _rival(claim: str, reading: str) -> str:
    name = claim.removeprefix("significantly better than ")
    return reading if name == READINGS[0] else name


def _scores(comparison: Comparison, models: Sequence[str]) -> dict[str, NDArray[np.float64]]:
    by_model = dict(zip(comparison.models, comparison.scores("accuracy").T))
    return {model: by_model[model] for model in models}
