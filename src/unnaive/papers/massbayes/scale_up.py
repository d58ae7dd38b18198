"""How training time and model size grow with the number of rows."""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from unnaive.io.synthetic import ring_curve_wave_tri_gaussian
from unnaive.mass.mass_forest import grow_forest
from unnaive.papers.massbayes.scale_up_display import ScaleUpDisplay
from unnaive.papers.rebuilt_table import Amounts, Cell, RebuiltTable
from unnaive.persist import save
from unnaive.show.display import Display

TREES_ALONE = "MassBayes, trees alone"


def scale_up(
    make_models: Callable[[Sequence[str]], dict[str, Any]],
    sizes: Sequence[int],
    max_rows: Mapping[str, float],
    title: str,
    seed: int,
) -> tuple[list[RebuiltTable], dict[str, Display]]:
    """Figure 3 of the MassBayes paper: training time and size on disk by the number of rows.

    ``max_rows`` gives the models, and the largest number of rows for each.
    """
    seconds: dict[str, list[float]] = {name: [] for name in (*max_rows, TREES_ALONE)}
    megabytes: dict[str, list[float]] = {name: [] for name in max_rows}
    few = ring_curve_wave_tri_gaussian(700, seed)
    for size in sizes:
        X, y = ring_curve_wave_tri_gaussian(size, seed)
        for name, model in make_models([*max_rows]).items():
            if size > max_rows[name]:
                seconds[name].append(math.nan)
                megabytes[name].append(math.nan)
                continue
            model.fit(*few)  # no time is that of loading code
            seconds[name].append(_seconds(lambda model=model, X=X, y=y: model.fit(X, y)))  # type: ignore[misc]
            megabytes[name].append(_size_of_file(model) / 1e6)
            if name == "MassBayes":
                # Exactly what fit does when it has read all rows and drawn its samples.
                parts = model._samples, model._settings, model._tree_seeds, model.n_jobs
                seconds[TREES_ALONE].append(_seconds(lambda parts=parts: grow_forest(*parts)))  # type: ignore[misc]
    rebuilt: list[RebuiltTable] = []
    pictures: dict[str, Display] = {}
    rows = [f"{size:,}" for size in sizes]
    for metric, what, measures in (
        ("training time", "training time in seconds, by rows, bins included", seconds),
        ("size of the model file", "size of the model file in megabytes, by rows", megabytes),
    ):
        cells = {(row, name): Cell(value) for name, values in measures.items() for row, value in zip(rows, values)}
        rebuilt.append(Amounts(f"Figure 3: {what}", rows, [*measures], cells))
        pictures[f"Figure 3: {metric}"] = ScaleUpDisplay(sizes, measures, metric=metric, title=title)
    return rebuilt, pictures


def _seconds(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _size_of_file(model: Any) -> int:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.unnaive"
        save(model, path)
        return path.stat().st_size
