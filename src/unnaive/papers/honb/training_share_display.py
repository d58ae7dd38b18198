"""TrainingShareDisplay: how scores grow with the share of the rows used for training."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
from numpy.typing import ArrayLike

from unnaive.core.docstrings import shared_docs
from unnaive.show.curves import CurvesDisplay, metric_axis


@shared_docs
class TrainingShareDisplay(CurvesDisplay):
    """Mean scores against the share of rows trained on, one labeled curve per model.

    Figure 2 of the paper on higher-order naive Bayes (HONB) is of this kind.

    Parameters
    ----------
    shares : array-like of shape (n_shares,)
        Above 0 and at most 1, in any order.
    scores : dict of str to array-like of shape (n_shares,)
        Mean scores of each model. NaN leaves a gap.
    deviations : dict of str to array-like of shape (n_shares,), optional
        Standard deviations of some of the models, drawn as bands.
    metric : str, default="accuracy"
        What the scores are. If lower is better, the y axis is inverted, so that better is always up.
    title : str, optional
    faint : collection of str, default=()
        Models drawn gray and dashed, such as baselines.

    Attributes
    ----------
    {drawn_curves}

    Examples
    --------
    >>> from unnaive.papers import TrainingShareDisplay
    >>> scores = {"honb": [0.78, 0.84, 0.88], "nb": [0.61, 0.72, 0.86]}
    >>> display = TrainingShareDisplay([0.05, 0.1, 0.6], scores, faint=["nb"], title="three newsgroups").plot()
    >>> display.lines_["honb"].get_xdata()
    array([ 5., 10., 60.])
    """

    _x_name, _curves_name = "shares", "scores"

    def __init__(
        self,
        shares: ArrayLike,
        scores: Mapping[str, ArrayLike],
        *,
        deviations: Mapping[str, ArrayLike] | None = None,
        metric: str = "accuracy",
        title: str | None = None,
        faint: Collection[str] = (),
    ) -> None:
        given = np.asarray(shares, dtype=np.float64)
        if given.ndim != 1 or not len(given) or not ((given > 0) & (given <= 1)).all():
            raise ValueError(f"shares is {given.tolist()}, but a share is above 0 and at most 1: write 5 % as 0.05.")
        label, higher_is_better = metric_axis(metric)
        super().__init__(
            100 * given,
            scores,
            deviations=deviations,
            x_label="share of the rows trained on, in percent",
            y_label=label,
            higher_is_better=higher_is_better,
            faint=faint,
            title=title,
        )
        self.shares, self.scores = np.sort(given), self.curves
        self.metric = metric
