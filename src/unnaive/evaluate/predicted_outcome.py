"""What a fitted model predicts for test rows: probabilities or margins, and the log odds that rank the rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from unnaive.evaluate.metrics import Outcome, log_odds


def predicted_outcome(
    model: Any,
    X: Any,
    truth: NDArray[np.int64],
    classes: NDArray[Any],
    known: NDArray[np.float64] | None = None,
) -> Outcome:
    """A model's predictions (known probabilities, or those of X), over all classes of the data set."""
    places = np.searchsorted(classes, model.classes_)
    if known is not None or hasattr(model, "predict_proba"):
        probabilities = np.zeros((len(truth), len(classes)))
        probabilities[:, places] = model.predict_proba(X) if known is None else known
        return Outcome(truth, np.argmax(probabilities, axis=1), None, probabilities)
    decision = np.asarray(model.decision_function(X))
    if decision.ndim == 1:
        decision = np.column_stack([-decision, decision])
    ranking = np.full((len(truth), len(classes)), decision.min() - 1)
    ranking[:, places] = decision
    return Outcome(truth, np.argmax(ranking, axis=1), ranking, None)


def class_log_odds(
    model: Any,
    X: Any,
    probabilities: NDArray[np.floating],
    classes: NDArray[Any],
    known: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Log odds of each class against all others, from log scores where there are any: they order saturated rows too."""
    with np.errstate(divide="ignore"):
        logs = np.log(probabilities)
    if known is None:
        places = np.searchsorted(classes, model.classes_)
        logs[:, places] = _log_scores(model, X, probabilities[:, places], logs[:, places])
    return log_odds(logs)


def _log_scores(
    model: Any, X: Any, probabilities: NDArray[np.floating], logs: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Logs of probabilities up to a constant per row, before rounding: of ``decision_function``, if these are that."""
    if not hasattr(model, "decision_function"):
        with np.errstate(divide="ignore"):
            return np.asarray(model.predict_log_proba(X)) if hasattr(model, "predict_log_proba") else logs
    decision = np.asarray(model.decision_function(X), dtype=np.float64)
    scores = np.column_stack([np.zeros_like(decision), decision]) if decision.ndim == 1 else decision
    are_logs = scores.shape == logs.shape and np.allclose(softmax(scores, axis=1), probabilities, rtol=0, atol=1e-6)
    return scores if are_logs else logs
