"""Rows of a file to explain, and how much each column matters over all of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from unnaive.io.labels import labels_of
from unnaive.io.source import DataError
from unnaive.models import classifier_of
from unnaive.persist import SavedModel
from unnaive.streaming.batches import ROWS
from unnaive.streaming.model_columns import Given, columns_of, known_columns

_EVIDENCE_ROWS = 1_000  # explained at a time, which takes memory for each class and column


def read_rows(
    saved: SavedModel, source: str | Path, first: int, most: int, given: Given = None
) -> tuple[pd.DataFrame, list[str | None]]:
    """Rows of a file from ``first`` on, with the columns of training, and the text of their labels, None without."""
    names = columns_of(saved)
    table = known_columns(saved, source, names, given)
    known = [saved.target] if saved.target in table.columns else []
    before, found = 0, []
    for frame in table.batches([*names, *known], ROWS):
        if before + len(frame) > first:
            found.append(frame.iloc[max(first - before, 0) : first + most - before])
        before += len(frame)
        if before >= first + most:
            break
    if not found:
        raise DataError(f"{source} has {before} rows, numbered from 0 to {before - 1}: there is no row {first}.")
    rows = found[0] if len(found) == 1 else pd.concat(found, ignore_index=True)
    texts: list[str | None] = [None] * len(rows)
    if known and len(places := np.flatnonzero(rows[saved.target].notna())):
        for place, label in zip(places, labels_of(str(source), rows[saved.target].iloc[places])):
            texts[place] = str(label)
    return rows[names], texts


def mean_evidence(saved: SavedModel, source: str | Path, given: Given = None) -> dict[str, float]:
    """How much each column or term contributes to the log odds of the best class against the next, over all rows.

    It is the mean of absolute values, the largest first. Where a class is impossible, its odds are left out.
    """
    table = known_columns(saved, source, columns_of(saved), given)
    classifier = classifier_of(saved.model)
    total, n_rows, names = np.zeros(0), 0, columns_of(saved)
    for frame in table.batches(columns_of(saved), _EVIDENCE_ROWS):
        X = saved.model[:-1].transform(frame) if hasattr(saved.model, "steps") else frame
        evidence = np.asarray(classifier.predict_evidence(X), dtype=np.float64)
        order = np.argsort(evidence.sum(axis=1), axis=1)
        rows = np.arange(len(evidence))
        odds = np.abs(evidence[rows, :, order[:, -1]] - evidence[rows, :, order[:, -2]])[:, 1:]
        odds = odds[np.isfinite(odds).all(axis=1)]
        total = odds.sum(axis=0) + (total if len(total) else 0.0)
        n_rows += len(odds)
    if not n_rows:
        raise DataError(f"{source} has no row in which more than one class is possible.")
    if hasattr(saved.model, "steps"):
        names = [str(name) for name in saved.model[:-1].get_feature_names_out()]
    means = dict(zip(names, (total / n_rows).tolist()))
    return dict(sorted(means.items(), key=lambda entry: -entry[1]))
