"""How good predictions are: labels, rankings, probabilities, calibration."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

_SMALLEST = float(np.finfo(np.float64).eps)  # smallest probability in the log loss
_N_BINS = 15


@dataclass(frozen=True, eq=False)
class Outcome:
    """Predictions of a model for test rows, and their true classes.

    Attributes
    ----------
    truth : int array of shape (n_rows,)
        True classes, as places in the list of all classes of the data set.
    predicted : int array of shape (n_rows,)
        Predicted classes, likewise.
    ranking : array of shape (n_rows, n_classes), optional
        Scores that order the rows of a class against the rest: the higher, the more of that class.
        Minus infinity is allowed.
    probabilities : array of shape (n_rows, n_classes), optional

    Examples
    --------
    >>> import numpy as np
    >>> outcome = Outcome(np.array([0, 1]), np.array([0, 0]), probabilities=np.array([[0.9, 0.1], [0.6, 0.4]]))
    >>> accuracy(outcome), auc_pr(outcome)
    (0.5, nan)
    """

    truth: NDArray[np.integer]
    predicted: NDArray[np.integer]
    ranking: NDArray[np.floating] | None = None
    probabilities: NDArray[np.floating] | None = None

    def __post_init__(self) -> None:
        if self.truth.ndim != 1 or self.truth.shape != self.predicted.shape:
            raise ValueError(
                f"truth has shape {self.truth.shape} and predicted {self.predicted.shape}: give one class for each row."
            )
        for name in ("ranking", "probabilities"):
            scores = getattr(self, name)
            if scores is None:
                continue
            if scores.ndim != 2 or len(scores) != len(self.truth):
                raise ValueError(
                    f"{name} has shape {scores.shape}: give one row for each of {len(self.truth)} rows, "
                    "one column for each class."
                )
            for classes in (self.truth, self.predicted):
                if len(classes) and not 0 <= classes.min() <= classes.max() < scores.shape[1]:
                    wrong = classes.min() if classes.min() < 0 else classes.max()
                    raise ValueError(
                        f"Class {wrong} has no column in {name}, which has {scores.shape[1]}: "
                        "give a column to every class of the data set."
                    )


def accuracy(outcome: Outcome) -> float:
    """Share of the rows whose class was predicted.

    Examples
    --------
    >>> import numpy as np
    >>> accuracy(Outcome(np.array([0, 1, 1, 2]), np.array([0, 1, 2, 2])))
    0.75
    """
    return float(np.mean(outcome.predicted == outcome.truth)) if len(outcome.truth) else np.nan


def balanced_accuracy(outcome: Outcome) -> float:
    """Mean over the classes of the share of their rows that was found, each class with equal weight.

    Classes without a row are skipped.

    Examples
    --------
    >>> import numpy as np
    >>> balanced_accuracy(Outcome(np.array([0, 0, 0, 1]), np.array([0, 0, 0, 0])))
    0.5
    """
    right, of_class, _ = _confusion(outcome)
    return float(np.mean((right / np.maximum(of_class, 1))[of_class > 0])) if of_class.any() else np.nan


def f1(outcome: Outcome) -> float:
    """Mean over the classes of F1, the harmonic mean of precision and recall, each class with equal weight.

    Classes that are neither among the rows nor among the predictions are skipped.

    Examples
    --------
    >>> import numpy as np
    >>> round(f1(Outcome(np.array([0, 0, 0, 1]), np.array([0, 0, 1, 1]))), 4)
    0.7333
    """
    right, of_class, predicted = _confusion(outcome)
    both = of_class + predicted
    return float(np.mean((2 * right / np.maximum(both, 1))[both > 0])) if both.any() else np.nan


def mcc(outcome: Outcome) -> float:
    """Matthews' correlation of predicted and true classes: 1 if all are right, 0 as good as chance.

    For more than two classes this is Gorodkin's R_K; it is 0 if only one class was predicted, or is there.

    Examples
    --------
    >>> import numpy as np
    >>> round(mcc(Outcome(np.array([0, 0, 0, 1]), np.array([0, 0, 1, 1]))), 4)
    0.5774
    """
    right, of_class, predicted = _confusion(outcome)
    n_rows = of_class.sum()
    if not n_rows:
        return np.nan
    spread = (n_rows**2 - predicted @ predicted) * (n_rows**2 - of_class @ of_class)
    return float((n_rows * right.sum() - of_class @ predicted) / np.sqrt(spread)) if spread > 0 else 0.0


def roc_auc(outcome: Outcome) -> float:
    """Chance that a row of a class is ranked above a row of the others, as the mean over the classes.

    One class against the rest, averaged over classes with equal weight. Equal scores count one half. Classes of no
    row, or of all rows, are skipped.

    Examples
    --------
    >>> import numpy as np
    >>> ranking = np.array([[0.9, 0.1], [0.8, 0.2], [0.7, 0.3], [0.6, 0.4]])
    >>> roc_auc(Outcome(np.array([0, 1, 0, 1]), np.zeros(4, dtype=int), ranking))
    0.75
    """
    truth, ranking = outcome.truth, outcome.ranking
    if ranking is None or not len(truth) or np.isnan(ranking).any():
        return np.nan
    found = []
    for positive in np.unique(truth):
        of_class, rest = (np.sort(ranking[chosen, positive]) for chosen in (truth == positive, truth != positive))
        if len(rest):
            above = np.searchsorted(rest, of_class, side="left") + np.searchsorted(rest, of_class, side="right")
            found.append(above.mean() / (2 * len(rest)))
    return float(np.mean(found)) if found else np.nan


def _confusion(outcome: Outcome) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """For each class the numbers of rows that were found, that there are, and that were predicted."""
    classes = outcome.truth, outcome.predicted
    n_classes = 1 + max((int(of_rows.max()) for of_rows in classes if len(of_rows)), default=0)
    right = outcome.truth[outcome.truth == outcome.predicted]
    counts = (np.bincount(of_rows, minlength=n_classes).astype(np.float64) for of_rows in (right, *classes))
    found, of_class, predicted = counts
    return found, of_class, predicted


def auc_pr(outcome: Outcome) -> float:
    """Area under the curve of precision over recall, as the mean over the classes of average precision.

    One class against the rest, averaged over classes with equal weight; classes without a row are skipped.
    Rows with equal scores come at once, so their order does not matter.

    Examples
    --------
    >>> import numpy as np
    >>> ranking = np.array([[0.9, 0.1], [0.8, 0.2], [0.7, 0.3], [0.6, 0.4]])
    >>> round(auc_pr(Outcome(np.array([0, 1, 0, 1]), np.zeros(4, dtype=int), ranking)), 4)
    0.8333
    """
    found = _average_precisions(outcome)
    return float(np.nanmean(found)) if found is not None else np.nan


def _average_precisions(outcome: Outcome) -> NDArray[np.float64] | None:
    """Average precision of each class, NaN if it has no row; None without a ranking."""
    truth, ranking = outcome.truth, outcome.ranking
    if ranking is None or not len(truth) or np.isnan(ranking).any():
        return None
    by_class = np.ascontiguousarray(ranking.T)
    in_order = np.sort(by_class, axis=1)
    found = np.full(len(by_class), np.nan)
    for positive in np.unique(truth):
        scores = np.sort(by_class[positive, truth == positive])
        # Average precision is the mean, over the positives, of the precision at the positive's own score.
        positives_above = len(scores) - np.searchsorted(scores, scores)
        all_above = len(truth) - np.searchsorted(in_order[positive], scores)
        found[positive] = np.mean(positives_above / all_above)
    return found


def auc_pr_weighted(outcome: Outcome) -> float:
    """Area under the curve of precision over recall, as the mean over the rows of their class's average precision.

    As :func:`auc_pr`, but classes count by their rows, so that a frequent class hides how well a rare one is found.

    Examples
    --------
    >>> import numpy as np
    >>> ranking = np.array([[0.9, 0.1], [0.8, 0.2], [0.7, 0.3], [0.6, 0.4]])
    >>> round(auc_pr_weighted(Outcome(np.array([0, 1, 0, 0]), np.zeros(4, dtype=int), ranking)), 4)
    0.6875
    """
    found = _average_precisions(outcome)
    return float(np.mean(found[outcome.truth])) if found is not None else np.nan


def log_odds(log_scores: NDArray[np.floating]) -> NDArray[np.float64]:
    """Log odds of each class against all others, from logs of probabilities or of joint scores.

    They rank rows whose probabilities are all rounded to 1. A class that no other one competes with has infinite odds.

    Examples
    --------
    >>> import numpy as np
    >>> log_odds(np.array([[0.0, -800.0], [0.0, -900.0]]))
    array([[ 800., -800.],
           [ 900., -900.]])
    """
    scores = np.asarray(log_scores, dtype=np.float64)
    odds = np.empty_like(scores)
    with np.errstate(divide="ignore", invalid="ignore"):
        for place in range(scores.shape[1]):
            others = np.delete(scores, place, axis=1)
            odds[:, place] = scores[:, place] - logsumexp(others, axis=1) if others.shape[1] else np.inf
    odds[np.isneginf(scores) & ~np.isnan(scores).any(axis=1, keepdims=True)] = -np.inf
    return odds


def log_loss(outcome: Outcome) -> float:
    """Mean of -ln p of the true class: the negative log score.

    Probabilities are clipped at the float64 epsilon (2.2e-16), so a row costs at most 36.04.

    Examples
    --------
    >>> import numpy as np
    >>> probabilities = np.array([[0.5, 0.5], [1.0, 0.0]])
    >>> round(log_loss(Outcome(np.array([0, 1]), np.array([0, 0]), probabilities=probabilities)), 4)
    18.3684
    """
    if outcome.probabilities is None or not len(outcome.truth):
        return np.nan
    of_truth = _of_class(outcome.probabilities, outcome.truth)
    return float(-np.mean(np.log(np.maximum(of_truth, _SMALLEST))))


def brier(outcome: Outcome) -> float:
    """Mean over the rows of the squared distance between probabilities and truth, from 0 to 2.

    The distance runs over all classes: Σ_c (p_c − 1[c = y])². With two classes this is twice the Brier score
    of one of them.

    Examples
    --------
    >>> import numpy as np
    >>> probabilities = np.array([[0.5, 0.5], [1.0, 0.0]])
    >>> brier(Outcome(np.array([0, 1]), np.array([0, 0]), probabilities=probabilities))
    1.25
    """
    if outcome.probabilities is None or not len(outcome.truth):
        return np.nan
    distance = np.array(outcome.probabilities, dtype=np.float64)
    distance[np.arange(len(distance)), outcome.truth] -= 1.0
    return float(np.einsum("ij,ij->", distance, distance) / len(distance))


def reliability(outcome: Outcome, n_bins: int = _N_BINS) -> NDArray[np.float64]:
    """How often predictions are right, by the probability they were made with.

    Parameters
    ----------
    outcome : Outcome
    n_bins : int
        Bins of equal width, ((b − 1) / n_bins, b / n_bins]; the first one includes 0.

    Returns
    -------
    ndarray of shape (n_bins, 3)
        For each bin the number of rows, the sum of the probabilities of the predicted classes, and the number
        of right predictions. The tables of several folds may be added. NaN without probabilities.

    Examples
    --------
    >>> import numpy as np
    >>> probabilities = np.array([[0.9, 0.1], [0.8, 0.2], [0.3, 0.7]])
    >>> outcome = Outcome(np.array([0, 1, 1]), np.array([0, 0, 1]), probabilities=probabilities)
    >>> reliability(outcome, n_bins=4)
    array([[0. , 0. , 0. ],
           [0. , 0. , 0. ],
           [1. , 0.7, 1. ],
           [2. , 1.7, 1. ]])
    """
    if outcome.probabilities is None:
        return np.full((n_bins, 3), np.nan)
    confidence = _of_class(outcome.probabilities, outcome.predicted)
    right = (outcome.predicted == outcome.truth).astype(np.float64)
    bins = np.searchsorted(np.arange(1, n_bins) / n_bins, confidence)
    columns = (np.bincount(bins, weights, n_bins) for weights in (None, confidence, right))
    return np.column_stack([column.astype(np.float64) for column in columns])


def calibration_error_of(table: NDArray[np.float64]) -> float:
    """Expected calibration error of a table of ``reliability``, or of a sum of such tables.

    Examples
    --------
    >>> import numpy as np
    >>> round(calibration_error_of(np.array([[2.0, 1.5, 1.0], [2.0, 1.8, 2.0]])), 3)
    0.175
    """
    n_rows = table[:, 0].sum()
    return float(np.abs(table[:, 1] - table[:, 2]).sum() / n_rows) if n_rows > 0 else np.nan


def calibration_error(outcome: Outcome) -> float:
    """Expected calibration error of the predicted class: how far its probability is from how often it is right.

    The mean, over 15 bins of equal width weighted by their rows, of the distance between mean probability and
    share of right predictions. Bins of equal width are fixed beforehand, so the tables behind the figure add
    up over folds, which bins of equal numbers of rows would not.

    Examples
    --------
    >>> import numpy as np
    >>> probabilities = np.array([[0.9, 0.1], [0.9, 0.1], [0.3, 0.7]])
    >>> outcome = Outcome(np.array([0, 1, 1]), np.array([0, 0, 1]), probabilities=probabilities)
    >>> round(calibration_error(outcome), 4)
    0.3667
    """
    return calibration_error_of(reliability(outcome))


def _of_class(scores: NDArray[np.floating], classes: NDArray[np.integer]) -> NDArray[np.float64]:
    """Each row's score of one class."""
    return scores[np.arange(len(scores)), classes].astype(np.float64)


@dataclass(frozen=True)
class Metric:
    """One way to measure predictions.

    Attributes
    ----------
    name : str
        Short name, as used on the command line.
    label : str
        Name to display.
    higher_is_better : bool
    needs : {"labels", "ranking", "probabilities"}
        What it needs of the outcome besides the truth; without it the score is NaN.
    function : callable
        From an Outcome to a float.

    Examples
    --------
    >>> METRICS["brier"].label, METRICS["brier"].higher_is_better
    ('Brier', False)
    """

    name: str
    label: str
    higher_is_better: bool
    needs: Literal["labels", "ranking", "probabilities"]
    function: Callable[[Outcome], float]

    def of(self, outcome: Outcome) -> float:
        """The score of an outcome; NaN if the outcome lacks what the metric needs."""
        return self.function(outcome)


METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric("accuracy", "accuracy", True, "labels", accuracy),
        Metric("auc_pr", "AUC-PR", True, "ranking", auc_pr),
        Metric("auc_pr_weighted", "AUC-PR, classes by rows", True, "ranking", auc_pr_weighted),
        Metric("log_loss", "log loss", False, "probabilities", log_loss),
        Metric("brier", "Brier", False, "probabilities", brier),
        Metric("calibration_error", "calibration error", False, "probabilities", calibration_error),
        Metric("balanced_accuracy", "balanced accuracy", True, "labels", balanced_accuracy),
        Metric("f1", "macro F1", True, "labels", f1),
        Metric("mcc", "MCC", True, "labels", mcc),
        Metric("roc_auc", "ROC AUC", True, "ranking", roc_auc),
    )
}
STANDARD = ("accuracy", "auc_pr", "log_loss", "brier", "calibration_error")
UNBALANCED = ("balanced_accuracy", "f1", "mcc", "roc_auc", "auc_pr", "log_loss")
