"""Answers: predictions as JSON, CSV or an Arrow stream, as the request asks."""

from __future__ import annotations

import io
import json
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from unnaive.persist import SavedModel
from unnaive.persist.predictions_file import write_rows
from unnaive.serve.refusal import Refusal
from unnaive.serve.request_rows import ARROW, CSV, JSON


def form_of(accept: str | None) -> str:
    """The form that an Accept header prefers; JSON if it leaves the choice."""
    wanted = []
    for place, part in enumerate((accept or "*/*").split(",")):
        kind, *parameters = (word.strip().lower() for word in part.split(";"))
        quality = next((_number(word[2:]) for word in parameters if word.startswith("q=")), 1.0)
        wanted.append((-quality, place, kind))
    for quality, _, kind in sorted(wanted):
        if kind in ("*/*", "application/*", "") and quality:
            return JSON
        if kind in (JSON, CSV, ARROW) and quality:
            return kind
    raise Refusal(406, f"Answers are {JSON}, {CSV} or {ARROW}: name one as Accept.")


def _number(text: str) -> float:
    try:
        return min(max(float(text), 0.0), 1.0)
    except ValueError:
        return 0.0


def written(saved: SavedModel, entry: int, predicted: dict[str, Any], form: str) -> bytes:
    """The labels and probabilities of some rows in a form."""
    if form == JSON:
        labels, *chances = predicted.values()
        answer: dict[str, Any] = {
            "target": saved.target,
            "entry": entry,
            "classes": saved.model.classes_.tolist(),
            "labels": labels.tolist(),
        }
        if chances:
            answer["probabilities"] = np.stack(chances, axis=1).tolist()
        return json.dumps(answer, allow_nan=False).encode()
    stream = io.BytesIO()
    if form == CSV:
        write_rows(pd.DataFrame(predicted), stream)
    else:
        table = pa.table({name: pa.array(values) for name, values in predicted.items()})
        with pa.ipc.new_stream(stream, table.schema) as sink:
            sink.write_table(table)
    return stream.getvalue()
