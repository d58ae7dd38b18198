"""The command that compiles ahead what models of tables compile at their first use."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from unnaive.cli.console import print_result, show_progress
from unnaive.cli.options import AsJson
from unnaive.models import Model, find_models

_N_ROWS = 240
_WIDE = 90  # columns, so many that products of probabilities are kept as logarithms


def warm(
    models: Annotated[
        list[str] | None, typer.Argument(help="Short names; all of this library that take tables by default.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compile ahead what models of tables compile at their first use, for images and servers."""
    from unnaive.core.compiled import COMPILATION, check_kept
    from unnaive.io.csv_blocks import may_have_codes

    may_have_codes(b"", ",")  # of the readers of files, nothing else is compiled
    found = find_models(models or ["own"])
    with show_progress(as_json) as bars, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of small tables
        bar = bars.add_task("compiling", total=len(found))
        for model in found:
            bars.update(bar, description=model.name)
            for X, y in _tables(model):
                made = model.make_for_table()
                check_kept()
                fitted = made.fit(X, y)
                (fitted.predict_proba if hasattr(fitted, "predict_proba") else fitted.decision_function)(X)
            bars.advance(bar)
    n_compiled = COMPILATION.n_compiled
    sentence = f"Compiled {n_compiled} functions for {len(found)} models; what was compiled before is kept."
    print_result(as_json, sentence, models=[model.name for model in found], compiled=n_compiled)


def _tables(model: Model) -> Iterator[tuple[Any, Any]]:
    """Small tables that between them need every kernel of a model: kinds of columns, missing values, classes."""
    import numpy as np
    import pandas as pd

    random = np.random.default_rng(0)
    for n_classes in (8, 4, 3, 2):  # one for each number of lanes (`core/lanes.py`)
        y = random.permutation(np.arange(_N_ROWS) % n_classes)
        frame = pd.DataFrame(
            {
                "text": np.array(["a", "b", "c"])[(y + random.integers(2, size=_N_ROWS)) % 3],
                "truth": random.random(_N_ROWS) < 0.5,
                "whole": y + random.integers(5, size=_N_ROWS),
                "number": random.normal(y, 1.0),
                "other": random.normal(y, 1.0),
            }
        )
        frame["twin"] = frame["text"]  # values that imply others, often enough for subsumption resolution
        labels = np.array(list("stuvwxyz"))[y]
        yield frame, labels
        yield frame.mask(random.random(frame.shape) < 0.1), labels
    if model.estimator in ("AODE", "WAODE", "AODEsr"):
        yield random.integers(9, size=(_N_ROWS, _WIDE)).astype(str), labels
