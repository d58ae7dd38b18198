"""Certificates of forgetting: the hashes of a model before and after, which a refit can confirm."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from unnaive import __version__
from unnaive.models import classifier_of
from unnaive.persist.model_file import SavedModel

_FIELDS = {"unnaive": str, "written": str, "rows_forgotten": int, "before": str, "after": str, "statement": str}
_STATEMENT = "A model with the same parameters, fitted on the remaining rows alone, has the hash 'after'."


def what_stays(saved: SavedModel) -> str | None:
    """What forgotten rows may have decided and forgetting does not change; None if a fit on the others is the same."""
    counted = getattr(classifier_of(saved.model), "counted_", None)
    if counted is not None and counted.is_cut:
        return "cut points of numbers: fit it with --bins exact"
    if not hasattr(saved.model, "steps"):
        return None
    reader = saved.model[0]
    if getattr(reader, "weighting", "count") != "count":
        return "the weights of its training"
    if reader.max_terms is not None:
        return "the most informative terms of its training: fit it without --max-terms"
    if saved.manifest["notes"].get("updated"):
        return "the terms of its training, though it has learned from other documents since"
    return None


def certificate(before: str, after: str, n_rows: int) -> str:
    """What a model was, by its content hash, and what it is without some rows."""
    content = {
        "unnaive": __version__,
        "written": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "rows_forgotten": n_rows,
        "before": before,
        "after": after,
        "statement": _STATEMENT,
    }
    return json.dumps(content, indent=1) + "\n"


def read_certificate(path: Path) -> dict[str, Any]:
    """The content of a certificate; ValueError if it is none."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if not all(isinstance(content[name], kind) for name, kind in _FIELDS.items()):
            raise ValueError
    except (OSError, ValueError, KeyError, TypeError):
        raise ValueError(f"{path} is not a certificate written by `unnaive forget --proof`.") from None
    return content
