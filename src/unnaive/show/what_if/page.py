"""The page as one self-contained HTML file."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from unnaive.core.validation import as_fitted
from unnaive.show.page import render_page
from unnaive.show.what_if.columns import columns_of, rows_of, text_of
from unnaive.show.what_if.packed import packed_json
from unnaive.show.what_if.tables import check_model, tables_of

_MEANING = {
    "product": "Each number is the logarithm of the factor that the column adds; they sum to the log odds.",
    "hidden": "Each number is the logarithm of the column's factor given its hidden parent; they sum to the log odds.",
    "average": "Each number is the column's Shapley value: what it adds to those before it, in the mean over all "
    "orders of up to four columns, else over 64. They are those of predict_evidence, and sum to the log odds.",
}


def render_what_if(
    model: Any, X: Any = None, y: Any = None, *, first: int = 0, target: str | None = None
) -> tuple[str, dict[str, Any]]:
    """The page of :class:`WhatIf` as text, and the data in it."""
    check_model(model)
    check_is_fitted(model)
    model = as_fitted(model)
    classes = [text_of(label) for label in model.classes_.tolist()]
    columns = columns_of(model)
    rows = [] if X is None else rows_of(model, X, y)
    data: dict[str, Any] = {
        "model": tables_of(model),
        "classes": classes,
        "columns": columns,
        "rows": rows,
        "first": first,
    }
    page = render_page(
        "what_if.html.jinja",
        styles=("what_if.css",),
        scripts=("what_if_model.js", "what_if.js"),
        title="What if?",
        target=None if target is None else text_of(target),
        data=packed_json(data),
        meaning=_MEANING[data["model"]["kind"]],
        model=type(model).__name__,
        n_columns=len(columns),
        n_classes=len(classes),
        n_trained=float(np.sum(model.class_count_)),
        n_rows=len(rows),
    )
    return page, data
