"""AutoencoderNB: Gaussian naive Bayes on the hidden units of an auto-encoder."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval

from unnaive.core.docstrings import shared_docs
from unnaive.core.partial_labels import check_partial_labels
from unnaive.core.saved_state import KeptState, check_names
from unnaive.core.sound_numbers import are_numbers
from unnaive.counts.moments import add_gaussian
from unnaive.encoding.numeric_columns import NumericClassifier
from unnaive.neural.min_max_scaling import column_range, rescale
from unnaive.neural.sigmoid_autoencoder import draw_units, encoding_error, hidden_units, train_units

_VARIANCE_SHARE = 1e-9  # of the largest variance of all units, added to all, as in scikit-learn's GaussianNB
_MIN_VARIANCE = 1e-300


@shared_docs
class AutoencoderNB(KeptState, NumericClassifier):
    """Auto-encoder-based naive Bayes (AE-NBC): Gaussian naive Bayes on hidden units instead of columns.

    An auto-encoder learns hidden units from which the columns can be reconstructed. Of its training epochs, the one is
    kept whose units have the lowest reconstruction error and mutual correlation (naive Bayes assumes independence), as
    long as the training accuracy of naive Bayes on them does not drop.

    Parameters
    ----------
    n_hidden : int, default=None
        Number of hidden units; None for the number of columns.
    n_epochs : int, default=100
        Number of passes over the training rows.
    learning_rate : float, default=0.05
        Step size per row, as a multiple of the gradient.
    momentum : float, default=0.1
        Weight of the previous row's gradient.
    transductive : bool, default=False
        Whether ``fit`` takes rows without a label, -1, None or NaN, such as the rows to predict, on which the
        auto-encoder is trained too.
    {n_jobs}
    {random_state}

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    class_count_ : ndarray of shape (n_classes,)
        Number of rows of each class.
    hidden_weights_ : ndarray of shape (`n_features_in_` + 1, n_hidden)
        Weights from columns, scaled to [0, 1], to hidden units; the last row is the bias.
    epoch_ : int
        The epoch that was kept, counted from 1.
    error_ : float
        Its error: ½Σ‖x − x̂‖² over the rows, plus Σ|r| over all pairs of hidden units.
    theta_, var_ : ndarray of shape (n_classes, n_hidden)
        Means and variances of the hidden units in each class.
    {names}

    Notes
    -----
    The auto-encoder that its authors published is also trained on the rows to classify, without their labels. Here it
    is so if they are passed to ``fit`` with ``transductive=True``.

    References
    ----------
    G. Ou, Y. He, P. Fournier-Viger and J. Z. Huang, "A novel mixed-attribute fusion-based naive Bayesian classifier",
    Applied Sciences 12, 2022.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from unnaive import AutoencoderNB
    >>> X, y = load_iris(return_X_y=True)
    >>> model = AutoencoderNB(random_state=0).fit(X, y)
    >>> model.predict([[5.0, 3.4, 1.5, 0.2], [6.5, 3.0, 5.6, 2.1]])
    array([0, 2])
    """

    _parameter_constraints: ClassVar = {
        "n_hidden": [None, Interval(Integral, 1, None, closed="left")],
        "n_epochs": [Interval(Integral, 1, None, closed="left")],
        "learning_rate": [Interval(Real, 0, 100, closed="right")],
        "momentum": [Interval(Real, 0, 100, closed="both")],
        "transductive": ["boolean"],
        "n_jobs": [None, Integral],
        "random_state": ["random_state"],
    }

    _kept = (
        "classes_",
        "n_features_in_",
        "feature_names_in_",
        "class_count_",
        "hidden_weights_",
        "epoch_",
        "error_",
        "theta_",
        "var_",
        "_low",
        "_width",
    )

    def __init__(
        self,
        *,
        n_hidden: int | None = None,
        n_epochs: int = 100,
        learning_rate: float = 0.05,
        momentum: float = 0.1,
        transductive: bool = False,
        n_jobs: int | None = None,
        random_state: int | RandomState | None = None,
    ) -> None:
        self.n_hidden = n_hidden
        self.n_epochs = n_epochs
        self.learning_rate = learning_rate
        self.momentum = momentum
        self.transductive = transductive
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _labelled(self, numbers: NDArray[np.float64], y: Any) -> tuple[NDArray[np.float64], NDArray[Any]]:
        if not self.transductive:
            return super()._labelled(numbers, y)
        known, labels = check_partial_labels(self, y, len(numbers))
        return np.concatenate([numbers[known], numbers[~known]]), labels

    def _fit(self, numbers: NDArray[np.float64], classes: NDArray[np.int64]) -> None:
        """Train the auto-encoder on all rows, and naive Bayes on the first ones, which have classes."""
        random = check_random_state(self.random_state)
        self.class_count_ = np.bincount(classes, minlength=len(self.classes_)).astype(np.float64)
        self._low, self._width = column_range(numbers, getattr(self, "feature_names_in_", None))
        rows = rescale(numbers, self._low, self._width)
        start = draw_units(rows.shape[1], rows.shape[1] if self.n_hidden is None else self.n_hidden, random)
        epochs = train_units(
            rows,
            start,
            n_epochs=self.n_epochs,
            learning_rate=self.learning_rate,
            momentum=self.momentum,
            random=random,
        )
        least_error, most_right = np.inf, 0
        for epoch, (encoder, decoder) in enumerate(epochs, start=1):
            hidden = hidden_units(rows, encoder)
            error = encoding_error(rows, hidden, decoder)
            if error >= least_error:
                continue
            labelled = hidden[: len(classes)]
            mean, variance = _gaussians(labelled, classes, self.class_count_)
            scores = self._gaussian_scores(labelled, mean, variance)
            n_right = int((np.argmax(scores, axis=1) == classes).sum())
            if n_right >= most_right:
                least_error, most_right = error, n_right
                self.hidden_weights_, self.epoch_, self.error_ = encoder.copy(), epoch, error
                self.theta_, self.var_ = mean, variance

    def _score(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        def score(part: slice) -> NDArray[np.float64]:
            hidden = hidden_units(rescale(rows[part], self._low, self._width), self.hidden_weights_)
            return self._gaussian_scores(hidden, self.theta_, self.var_)

        return np.concatenate(self._over_rows(score, len(rows)))

    def _gaussian_scores(
        self, hidden: NDArray[np.float64], mean: NDArray[np.float64], variance: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        scores = np.tile(np.log(self.class_count_ / self.class_count_.sum()), (len(hidden), 1))
        add_gaussian(hidden, np.ascontiguousarray(mean.T), np.ascontiguousarray(variance.T), scores)
        return scores

    def _plain(self, kept: dict[str, Any]) -> dict[str, Any]:
        return kept

    def _check_kept(self, kept: dict[str, Any]) -> None:
        self._validate_params()
        n_columns = kept["n_features_in_"]
        check_names(kept["classes_"], n_columns, kept.get("feature_names_in_"))
        n_classes, n_hidden = len(kept["classes_"]), kept["hidden_weights_"].shape[-1]
        shapes = {
            "class_count_": (n_classes,),
            "hidden_weights_": (n_columns + 1, n_hidden),
            "theta_": (n_classes, n_hidden),
            "var_": (n_classes, n_hidden),
            "_low": (n_columns,),
            "_width": (n_columns,),
        }
        if not (
            all(are_numbers(kept[name], shape) for name, shape in shapes.items())
            and (kept["class_count_"] > 0).all()
            and (kept["var_"] >= _MIN_VARIANCE).all()
            and ((kept["theta_"] >= 0) & (kept["theta_"] <= 1)).all()  # as all values of hidden units
            and (kept["_width"] >= 0).all()
            and kept["epoch_"] >= 1
            and np.isfinite(kept["error_"])
        ):
            raise ValueError("The model's columns, hidden units and classes do not fit together.")

    def _restore(self, kept: dict[str, Any], checked: None) -> None:
        self.__dict__.update(kept)


def _gaussians(
    hidden: NDArray[np.float64], classes: NDArray[np.int64], class_count: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Means and variances of every unit in every class, of shape (n_classes, n_hidden)."""
    is_class = (classes == np.arange(len(class_count))[:, None]).astype(np.float64)
    mean = is_class @ hidden / class_count[:, None]
    variance = is_class @ np.square(hidden - mean[classes]) / class_count[:, None]
    variance += _VARIANCE_SHARE * hidden.var(axis=0).max()
    return mean, np.maximum(variance, _MIN_VARIANCE)
