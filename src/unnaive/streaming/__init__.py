"""What the commands do with files and models: fit, predict, update, forget and explain, batch by batch."""

from __future__ import annotations

from unnaive.lazy import lazy_names

_HOME = {"fit_file": "fitting", "predict_file": "predicting"}

__all__ = [*_HOME]

__getattr__, __dir__ = lazy_names(__name__, _HOME)
