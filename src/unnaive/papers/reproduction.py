"""Requests to reproduce a paper, and their results: claims, tables, pictures and conclusions."""

from __future__ import annotations

import glob
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sklearn.base import clone

if TYPE_CHECKING:
    from unnaive.evaluate.comparison import Comparison
    from unnaive.io.datasets import Dataset
    from unnaive.papers.claims import Claim
    from unnaive.papers.rebuilt_table import RebuiltTable
    from unnaive.show.display import Display


@dataclass(frozen=True)
class Request:
    """How to run the experiments of a paper.

    Parameters
    ----------
    sets : sequence of str, default=()
        Names of the paper's data sets; all by default.
    trials : int, default=None
        Number of trials; that of the paper by default.
    full : bool, default=False
        Whether to run the long experiments as well.
    folder : path, default=None
        Where the data are; the environment variable UNNAIVE_DATA by default.
    n_jobs : int, default=None
        Number of processes.
    seed : int, default=0
        Of samples, folds, and models: added to the seeds that these have.
    results : path, default=None
        File to append every result to.
    resume : bool, default=False
        Whether to continue with the results in that file.
    on_result : callable, default=None
        Called with each result, the number of results so far, and their final number.
    quick : bool, default=False
        Whether to run for a minute or two, on few data sets and on what is installed in place of missing ones.
    """

    sets: Sequence[str] = ()
    trials: int | None = None
    full: bool = False
    folder: str | Path | None = None
    n_jobs: int | None = None
    seed: int = 0
    results: Path | None = None
    resume: bool = False
    on_result: Callable[[Any, int, int], None] | None = None
    quick: bool = False

    def __post_init__(self) -> None:
        if self.quick and self.full:
            raise ValueError("A run is either quick or full, not both.")

    def command(self, paper: str) -> str:
        """The command that gives the same figures, wherever data and results are."""
        words = ["unnaive", "reproduce", paper]
        words += ["--quick"] * self.quick + ["--full"] * self.full
        words += ["--sets", ",".join(self.sets)] if self.sets else []
        words += ["--trials", str(self.trials)] if self.trials is not None else []
        words += ["--seed", str(self.seed)] if self.seed else []
        return shlex.join(words)

    def results_of(self, part: str) -> Path | None:
        """The results file for a part of the experiments."""
        path = self.results
        return None if path is None else path.with_name(f"{path.stem}-{part}{path.suffix}")

    def result_files(self) -> list[Path]:
        """The results files of all parts that were run."""
        path = self.results
        return [] if path is None else sorted(path.parent.glob(f"{glob.escape(path.stem)}-*{path.suffix}"))

    def n_measured(self, part: str) -> int:
        """How many results of a part are in its file already, to be continued with."""
        path = self.results_of(part) if self.resume else None
        if path is None or not path.exists():
            return 0
        with open(path, "rb") as lines:
            return sum(1 for _ in lines) - 1  # the first has the settings

    def compare(self, models: Any, sets: Mapping[str, Dataset], part: str, **options: Any) -> Comparison:
        """Compare models on data sets, by accuracy unless the options of :func:`compare` say otherwise."""
        from unnaive.evaluate.compare import compare

        if isinstance(models, Mapping):
            models = {name: self._seeded(model) for name, model in models.items()}

        usual = {
            "metrics": ["accuracy"],
            "n_jobs": self.n_jobs,
            "random_state": self.seed,
            "results": self.results_of(part),
            "resume": self.resume,
            "on_result": self.on_result,
        }
        return compare(models, sets, **{**usual, **options})

    def _seeded(self, model: Any) -> Any:
        """The same estimator with other seeds, unless the seed is 0: its own are those of the paper."""
        parameters = model.get_params() if self.seed and hasattr(model, "get_params") else {}
        seeds = {
            name: value + self.seed
            for name, value in parameters.items()
            if name.split("__")[-1] == "random_state" and isinstance(value, int)
        }
        return clone(model).set_params(**seeds) if seeds else model

    def chosen(self, known: Sequence[str], few: Sequence[str] = ()) -> list[str]:
        """The requested data sets of the paper; by default all, or the few of a quick run."""
        unknown = [name for name in self.sets if name not in known]
        if unknown:
            raise ValueError(f"The paper has no data set {unknown[0]!r}; it has {', '.join(known)}.")
        return list(self.sets or (few if self.quick and few else known))


@dataclass(frozen=True)
class Reproduction:
    """What came out: tables, pictures by title, claims, conclusions, and notes on departures from the paper.

    ``missing`` says where to get data sets that could not be read, ``undrawn`` lists figures of the long experiments.
    ``complete`` is False if the run was interrupted.
    """

    tables: list[RebuiltTable]
    pictures: dict[str, Display] = field(default_factory=dict)
    complete: bool = True
    claims: list[Claim] = field(default_factory=list)
    conclusions: list[str] = field(default_factory=list)
    missing: dict[str, str] = field(default_factory=dict)
    undrawn: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """Everything but the pictures, as JSON values."""
        return {
            "claims": [asdict(claim) for claim in self.claims],
            "conclusions": self.conclusions,
            "tables": [table.to_json() for table in self.tables],
            "missing": self.missing,
            "undrawn": self.undrawn,
            "notes": self.notes,
            "complete": self.complete,
        }
