"""The manifest of a model file: what is known about the model without loading it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from unnaive.models import classifier_of

_FIELDS: dict[str, type | tuple[type, ...]] = {
    "format": int,
    "unnaive": str,
    "libraries": dict,
    "written": str,
    "estimator": str,
    "parameters": dict,
    "columns": list,
    "classes": list,
    "weight": (int, float, type(None)),
    "contract": (dict, type(None)),
    "target": str,
    "sha256": str,
}

_KINDS: dict[type, str] = {str: "text", bool: "booleans"}


def describe(model: Any) -> dict[str, Any]:
    """The class, parameters, columns, classes and total row weight of a model."""
    counted = getattr(classifier_of(model), "class_count_", None)
    facts = {
        "estimator": _public_name(type(model)),
        "parameters": {name: repr(value) for name, value in model.get_params(deep=False).items()},
        "columns": _columns(model),
        "classes": np.asarray(model.classes_).tolist(),
        "weight": None if counted is None else float(np.sum(counted)),
        "contract": _contract(model),
    }
    return json.loads(json.dumps(facts, default=str))


def _contract(model: Any) -> dict[str, Any] | None:
    """How many rows decided where numbers are cut, and how many were forgotten since; None if it does not count."""
    counted = getattr(classifier_of(model), "counted_", None)
    if counted is None:
        return None
    return {
        "bins": "exact" if counted.keeps_rows else "fixed",
        "n_cut": counted.n_cut,
        "n_forgotten": counted.n_forgotten,
        "n_grouped": getattr(counted.encoder.discretizer_, "n_grouped_", 0),
    }


def _public_name(kind: type) -> str:
    if kind.__module__.startswith("unnaive."):
        return kind.__name__
    return ".".join([part for part in kind.__module__.split(".") if not part.startswith("_")] + [kind.__name__])


def n_columns(model: Any) -> int:
    """Number of columns a model takes, 0 if unknown."""
    names = getattr(model, "feature_names_in_", None)
    return getattr(model, "n_features_in_", 0) if names is None else len(names)


def _columns(model: Any) -> list[dict[str, Any]]:
    names = getattr(model, "feature_names_in_", [None] * n_columns(model))
    encoder = getattr(model, "encoder_", None)
    if encoder is None:
        return [{"name": name, "kind": None, "holds": None, "values": None, "cuts": None} for name in names]
    columns = []
    for name, categories, n_values in zip(names, encoder.categories_, encoder.n_values_.tolist()):
        kind, holds = "number", "numbers"
        if categories is not None:
            kind = "category"
            holds = " and ".join(sorted({_KINDS.get(type(value), "numbers") for value in categories}))
        columns.append({"name": name, "kind": kind, "holds": holds, "values": n_values or None, "cuts": None})
    cut_points = getattr(encoder.discretizer_, "cut_points_", None) if hasattr(encoder, "discretizer_") else None
    numeric = [column for column in columns if column["kind"] == "number"]
    for column, cuts in zip(numeric, cut_points or ()):
        column["cuts"] = cuts.tolist()
    return columns


def class_weight_of(notes: Mapping[str, Any]) -> dict[str, float] | None:
    """The weights of the rows of each class that a model was fitted with, as its notes have them; None if none."""
    weights = notes.get("class_weight")
    known = isinstance(weights, dict) and all(is_a(weight, (int, float)) for weight in weights.values())
    return weights if known else None


def libraries() -> dict[str, str]:
    """Versions of the libraries that a model file depends on."""
    import sklearn
    import skops

    return {"numpy": np.__version__, "scikit-learn": sklearn.__version__, "skops": skops.__version__}


def is_a(value: Any, kind: type | tuple[type, ...]) -> bool:
    """Like isinstance, but a boolean is not a number."""
    return isinstance(value, kind) and not isinstance(value, bool)


def is_manifest(manifest: dict[str, Any]) -> bool:
    """Whether a manifest is complete, with values of the right types."""
    return (
        all(field in manifest and is_a(manifest[field], kind) for field, kind in _FIELDS.items())
        and "notes" in manifest
        and all(isinstance(text, str) for field in ("libraries", "parameters") for text in manifest[field].values())
        and all(column.keys() == {"name", "kind", "holds", "values", "cuts"} for column in manifest["columns"])
        and manifest["format"] > 0
    )
