"""The page as one self-contained HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from unnaive.core.validation import as_fitted
from unnaive.show.page import check_report_path, render_page, write_page
from unnaive.show.what_if.columns import columns_of, rows_of, text_of
from unnaive.show.what_if.packed import packed_json
from unnaive.show.what_if.tables import check_model, tables_of

_MEANING = {
    "product": "Each number is the logarithm of the factor that the column adds; they sum to the log odds.",
    "hidden": "Each number is the logarithm of the column's factor given its hidden parent; they sum to the log odds.",
    "average": "Each number is the column's Shapley value: its mean gain when it is shown after others, over the orders "
    "of the columns that predict_evidence takes (all of up to four columns, else 64). They sum to the log odds.",
}


def write_what_if(
    model: Any, path: str | Path, X: Any = None, y: Any = None, *, first: int = 0, target: str | None = None
) -> Path:
    """Write the page of :class:`WhatIf` to a file, atomically.

    Parameters
    ----------
    model : classifier
    path : path
        Missing folders are created, and an existing page or report is replaced.
    X, y, first, target
        As in :class:`WhatIf`.

    Returns
    -------
    Path
    """
    check_report_path(path)
    return write_page(render_what_if(model, X, y, first=first, target=target), path)


def render_what_if(model: Any, X: Any = None, y: Any = None, *, first: int = 0, target: str | None = None) -> str:
    """The page as text; see :class:`WhatIf`."""
    check_model(model)
    model = as_fitted(model)
    classes = [text_of(label) for label in model.classes_.tolist()]
    columns = columns_of(model)
    rows = [] if X is None else rows_of(model, X, y)
    name = type(model).__name__
    tables = tables_of(model)
    data = packed_json({"model": tables, "classes": classes, "columns": columns, "rows": rows, "first": first})
    return render_page(
        "what_if.html.jinja",
        styles=("what_if.css",),
        scripts=("what_if_model.js", "what_if.js"),
        title="What if?",
        target=None if target is None else text_of(target),
        data=data,
        meaning=_MEANING[tables["kind"]],
        model=name,
        n_columns=len(columns),
        n_classes=len(classes),
        n_trained=float(np.sum(model.class_count_)),
        n_rows=len(rows),
    )
