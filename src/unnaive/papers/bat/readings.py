"""Which reading of the paper comes nearest to its figures.

The paper leaves open, or does not say, how many compounds of a sample are active, how the average precisions of the
classes are averaged, how features are chosen, and on which rows it measures.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from scipy.stats import spearmanr

from unnaive.evaluate.comparison import Comparison
from unnaive.papers.bat.printed import (
    OF_TABLE_3,
    PAIRED,
    TABLE_3,
    TABLE_7,
    TABLES_4_TO_6,
    Lines,
    printed_lines,
)
from unnaive.papers.bat.significance import BY_CLASS, Judged
from unnaive.papers.rebuilt_table import Amounts, Cell, RebuiltTable

Readings = Mapping[str, tuple[Comparison, str]]  # what was measured, and the metric
_ALL = "all"


def distances(readings: Readings) -> RebuiltTable:
    """How far the figures of Table 3 are from the printed ones, by reading and data set, in points."""
    models = _measured_by_all(readings)
    cells = {}
    for reading, (comparison, metric) in readings.items():
        apart = {
            data: 100 * np.array([scores[model] - TABLE_3[data][model] for model in models])
            for data, scores in _scores(comparison, metric).items()
            if data in TABLE_3
        }
        for data, differences in (*apart.items(), (_ALL, np.concatenate([*apart.values()]))):
            cells[reading, data] = Cell(float(np.mean(np.abs(differences))))
    rows = [name for name in TABLE_3 if (next(iter(readings)), name) in cells]
    title = f"Mean distance from the printed Table 3 in points, by reading; {', '.join(models)}"
    return Amounts(title, [*readings], [_ALL, *rows], cells)


def tensor_gains(readings: Readings) -> RebuiltTable:
    """What tensors gain over vectors, by reading and classifier, in points on average; and the printed gain."""
    paired = [model for model in PAIRED if {model, f"{model}, vector"} <= set(_measured_by_all(readings))]
    data = [name for name in next(iter(readings.values()))[0].data if name in TABLE_3]
    by_reading = {reading: _scores(*measured) for reading, measured in readings.items()}
    by_reading["printed"] = TABLE_3
    cells = {
        (reading, model): Cell(
            100 * float(np.mean([scores[name][model] - scores[name][f"{model}, vector"] for name in data]))
        )
        for reading, scores in by_reading.items()
        for model in paired
    }
    return Amounts("What tensors gain over vectors in points, by reading", [*by_reading], paired, cells)


def order_agreement(
    readings: Mapping[str, Mapping[str, Judged]], all_against_all: Callable[[str, Judged, Lines], RebuiltTable]
) -> RebuiltTable:
    """Spearman's correlation of wins minus losses, measured and printed, over the classifiers of Tables 4 to 7."""
    bias, variance, auc_pr = printed_lines(TABLES_4_TO_6, 3)
    plans = {
        "Table 4: bias": ("bias", bias),
        "Table 5: variance": ("variance", variance),
        "Table 6: AUC-PR": (BY_CLASS, auc_pr),
        "Table 7: AUC-PR, others": (BY_CLASS, printed_lines(TABLE_7)[0]),
    }
    cells = {}
    for reading, found in readings.items():
        for row, (part, lines) in plans.items():
            cells[row, reading] = Cell(float("nan"))
            if part in found:
                table = all_against_all("", found[part], lines)
                net = np.array([_net(table, model) for model in table.rows])
                if np.ptp(net, axis=0).all():
                    cells[row, reading] = Cell(float(spearmanr(net[:, 0], net[:, 1]).statistic))
    title = "Agreement with the printed order of the classifiers: Spearman's correlation of wins minus losses"
    return Amounts(title, [*plans], [*readings], cells)


def _net(table: RebuiltTable, model: str) -> tuple[float, float]:
    """Wins minus losses, measured and printed."""
    wins, losses = table.cells[model, "wins"], table.cells[model, "losses"]
    return (wins.measured or 0.0) - (losses.measured or 0.0), (wins.printed or 0.0) - (losses.printed or 0.0)


def _measured_by_all(readings: Readings) -> list[str]:
    """The models of Table 3 that took part in every reading."""
    return [model for model in OF_TABLE_3 if all(model in comparison.models for comparison, _ in readings.values())]


def _scores(comparison: Comparison, metric: str) -> dict[str, dict[str, float]]:
    """Means by data set and model."""
    return {
        data: dict(zip(comparison.models, scores))
        for data, scores in zip(comparison.data, comparison.scores(metric).tolist())
    }
