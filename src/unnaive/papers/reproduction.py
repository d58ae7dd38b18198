"""What a paper is asked for, and what it gives: claims judged, tables, pictures and conclusions."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
    trials : int, optional
        As many as in the paper by default.
    full : bool, default=False
        Whether to run the long experiments, too.
    quick : bool, default=False
        Whether to run in a minute or two instead, on few data sets and what is always at hand in place of others.
    folder : path, optional
        Where the data are; the environment variable UNNAIVE_DATA by default.
    n_jobs : int, optional
        Processes.
    seed : int, default=0
    results : path, optional
        File to write every result to as it comes.
    resume : bool, default=False
        Whether to go on with what that file has.
    on_result : callable, optional
        Called with each result, how many there are now, and how many there will be.
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
        """The command that gives the same figures, wherever data and results are.

        Examples
        --------
        >>> from unnaive.papers.reproduction import Request
        >>> Request(["Wave"], 3, quick=True).command("massbayes")
        'unnaive reproduce massbayes --quick --sets Wave --trials 3'
        """
        words = ["unnaive", "reproduce", paper]
        words += ["--quick"] * self.quick + ["--full"] * self.full
        words += ["--sets", ",".join(self.sets)] if self.sets else []
        words += ["--trials", str(self.trials)] if self.trials is not None else []
        words += ["--seed", str(self.seed)] if self.seed else []
        return shlex.join(words)

    def results_of(self, part: str) -> Path | None:
        """The file for the results of a part of the experiments.

        Examples
        --------
        >>> from pathlib import Path
        >>> from unnaive.papers.reproduction import Request
        >>> Request(results=Path("dtc.jsonl")).results_of("folds").name
        'dtc-folds.jsonl'
        """
        path = self.results
        return None if path is None else path.with_name(f"{path.stem}-{part}{path.suffix}")

    def compare(self, models: Any, sets: Mapping[str, Dataset], part: str, **options: Any) -> Comparison:
        """Compare models on data sets, by accuracy unless the options of :func:`compare` say otherwise."""
        from unnaive.evaluate.compare import compare

        usual = {
            "metrics": ["accuracy"],
            "n_jobs": self.n_jobs,
            "random_state": self.seed,
            "results": self.results_of(part),
            "resume": self.resume,
            "on_result": self.on_result,
        }
        return compare(models, sets, **{**usual, **options})

    def chosen(self, known: Sequence[str], few: Sequence[str] = ()) -> list[str]:
        """The data sets that are asked for, of those of the paper; by default all, or the few of a quick run."""
        unknown = [name for name in self.sets if name not in known]
        if unknown:
            raise ValueError(f"The paper has no data set {unknown[0]!r}; it has {', '.join(known)}.")
        return list(self.sets or (few if self.quick and few else known))


@dataclass(frozen=True)
class Reproduction:
    """What came out.

    Parameters
    ----------
    tables : list of RebuiltTable
    pictures : dict of str to Display
        By title.
    complete : bool, default=True
        Whether the run was not interrupted.
    claims : list of Claim
        What the paper claims, and whether it came out.
    conclusions : list of str
        What a user should conclude from the figures, in sentences.
    missing : dict of str to str
        Data sets that could not be had, and where to get them.
    undrawn : list of str
        Figures that only the long experiments draw.
    notes : list of str
        What was done otherwise than in the paper, in sentences.
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
        """Everything but the pictures, as plain values."""
        return {
            "claims": [asdict(claim) for claim in self.claims],
            "conclusions": self.conclusions,
            "tables": [table.to_json() for table in self.tables],
            "missing": self.missing,
            "undrawn": self.undrawn,
            "notes": self.notes,
            "complete": self.complete,
        }
