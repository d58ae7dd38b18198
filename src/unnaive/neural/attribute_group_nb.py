"""AttributeGroupNB: naive Bayes over groups of columns, with one small network per group."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from unnaive.core.docstrings import shared_docs
from unnaive.core.saved_state import KeptState, check_names
from unnaive.core.sound_numbers import are_numbers
from unnaive.encoding.numeric_columns import NumericClassifier
from unnaive.neural.attribute_grouping import class_scatter, group_columns
from unnaive.neural.min_max_scaling import column_range, rescale
from unnaive.neural.rvfl import Networks, add_log_shares, fit_networks


@shared_docs
class AttributeGroupNB(KeptState, NumericClassifier):
    """Attribute grouping-based naive Bayes (AG-NBC): groups of columns are independent given the class.

    Columns are grouped if they have similar weights in every class, where a column has a higher weight the less it
    varies. Within a group they may depend on each other in any way: a network with random hidden units learns the class
    probabilities from all of them. Across groups naive Bayes multiplies.

    Parameters
    ----------
    n_groups : int, default=2
        T in the paper. Fewer if there are fewer columns, or if a group stays empty.
    n_hidden : int, default=10
        Hidden units per group.
    beta : float, default=1
        How strongly the weights within a group are pulled together (β).
    eta : float, default=1e-4
        Keeps the weights of columns that hardly vary finite (η₁ and η₂).
    ridge : float, default=1
        Penalty on the squared weights of the networks (λ).
    outputs : {"clipped", "softmax"}, default="clipped"
        How the outputs of a network become probabilities: they are probabilities already, those below 0 clipped, and
        the class probability counts once in their product; or by the softmax, whose product is taken as it is. See
        Notes.
    max_iter : int, default=100
        Maximum number of rounds of grouping.
    tol : float, default=1e-5
        Stop when a round improves the grouping's objective by a smaller share.
    {n_jobs}
    {random_state}

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    class_count_ : ndarray of shape (n_classes,)
        Number of rows of each class.
    groups_ : ndarray of shape (`n_features_in_`,)
        The group of each column; -1 for constant columns.
    n_groups_ : int
        Number of groups with columns.
    class_weights_ : ndarray of shape (n_classes, `n_features_in_`)
        Weight of each column in each class (w), 1 on average over the columns that vary, 0 for others.
    n_iter_ : int
        Rounds of grouping.
    {names}

    Notes
    -----
    The probabilities P_t of the groups are combined as Π_t P_t(c | x) / P(c)^(T − 1), with P(c) = (n_c + 1/k) / (n +
    1). The paper takes the softmax of a network's outputs for P_t. But the outputs of a regression on 0 and 1 already
    estimate probabilities, and after a softmax, which makes them nearly equal, the division by P(c) dominates: rare
    classes then nearly always win. Here outputs below 0 are clipped and the rest is smoothed as P(c) is. With
    ``outputs="softmax"`` there is no division: the average of this reading over 24 data sets is that of published
    figures, though its probabilities are far from 0 and 1.

    The emphasis of the classes in a group (y in the paper) sums to 1, which the paper leaves open.

    References
    ----------
    Y. He, G. Ou, P. Fournier-Viger and J. Z. Huang, "Attribute grouping-based naive Bayesian classifier", Science China
    Information Sciences, doi:10.1007/s11432-022-3728-2.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from unnaive import AttributeGroupNB
    >>> X, y = load_iris(return_X_y=True)
    >>> model = AttributeGroupNB(random_state=0).fit(X, y)
    >>> model.groups_.shape
    (4,)
    >>> model.predict([[5.0, 3.4, 1.5, 0.2], [6.5, 3.0, 5.6, 2.1]])
    array([0, 2])
    """

    _parameter_constraints: ClassVar = {
        "n_groups": [Interval(Integral, 1, None, closed="left")],
        "n_hidden": [Interval(Integral, 1, None, closed="left")],
        "beta": [Interval(Real, 0, None, closed="left")],
        "eta": [Interval(Real, 1e-100, None, closed="left")],
        "ridge": [Interval(Real, 1e-100, None, closed="left")],
        "outputs": [StrOptions({"clipped", "softmax"})],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "n_jobs": [None, Integral],
        "random_state": ["random_state"],
    }

    _kept = (
        "classes_",
        "n_features_in_",
        "feature_names_in_",
        "class_count_",
        "groups_",
        "n_groups_",
        "class_weights_",
        "n_iter_",
        "_centre",
        "_spread",
        *(f"_{name}" for name in Networks._fields),
    )

    def __init__(
        self,
        *,
        n_groups: int = 2,
        n_hidden: int = 10,
        beta: float = 1.0,
        eta: float = 1e-4,
        ridge: float = 1.0,
        outputs: str = "clipped",
        max_iter: int = 100,
        tol: float = 1e-5,
        n_jobs: int | None = None,
        random_state: int | RandomState | None = None,
    ) -> None:
        self.n_groups = n_groups
        self.n_hidden = n_hidden
        self.beta = beta
        self.eta = eta
        self.ridge = ridge
        self.outputs = outputs
        self.max_iter = max_iter
        self.tol = tol
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _fit(self, numbers: NDArray[np.float64], classes: NDArray[np.int64]) -> None:
        random = check_random_state(self.random_state)
        n_classes = len(self.classes_)
        self.class_count_ = np.bincount(classes, minlength=n_classes).astype(np.float64)
        low, width = column_range(numbers, getattr(self, "feature_names_in_", None))
        in_range = rescale(numbers, low, width)
        self._group(class_scatter(in_range, classes, n_classes), width > 0, random)
        self._centre = low + in_range.mean(axis=0) * width
        self._spread = in_range.std(axis=0) * width
        networks = fit_networks(
            rescale(numbers, self._centre, self._spread),
            classes,
            self.groups_,
            n_groups=self.n_groups_,
            n_classes=n_classes,
            n_hidden=self.n_hidden,
            ridge=self.ridge,
            random=random,
        )
        for name, weights in networks._asdict().items():
            setattr(self, f"_{name}", weights)

    def _group(self, scatter: NDArray[np.float64], varies: NDArray[np.bool_], random: RandomState) -> None:
        """Group the columns that vary, and drop empty groups."""
        self.groups_ = np.full(len(varies), -1, dtype=np.int64)
        self.class_weights_ = np.zeros_like(scatter)
        self.n_groups_ = self.n_iter_ = 0
        if not varies.any():
            return
        grouping, self.n_iter_ = group_columns(
            scatter[:, varies],
            min(self.n_groups, int(varies.sum())),
            beta=self.beta,
            eta=self.eta,
            max_iter=self.max_iter,
            tol=self.tol,
            random=random,
        )
        used, self.groups_[varies] = np.unique(grouping.groups, return_inverse=True)
        self.n_groups_ = len(used)
        self.class_weights_[:, varies] = grouping.weights

    def _score(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        n_rows, n_classes = self.class_count_.sum(), len(self.classes_)
        log_prior = np.log((self.class_count_ + 1.0 / n_classes) / (n_rows + 1.0))
        weight = n_rows if self.outputs == "clipped" else 0.0
        # Of nothing but constant columns there is no network, and the prior is left.
        times = 1 - self.n_groups_ if weight or not self.n_groups_ else 0
        scores = np.tile(times * log_prior, (len(rows), 1))
        networks = [getattr(self, f"_{name}") for name in Networks._fields]

        def add(part: slice) -> None:
            standard = rescale(rows[part], self._centre, self._spread)
            add_log_shares(standard, self.groups_, *networks, weight, scores[part])

        self._over_rows(add, len(rows))
        return scores

    def _plain(self, kept: dict[str, Any]) -> dict[str, Any]:
        return kept

    def _check_kept(self, kept: dict[str, Any]) -> None:
        self._validate_params()
        n_columns, n_groups = kept["n_features_in_"], kept["n_groups_"]
        check_names(kept["classes_"], n_columns, kept.get("feature_names_in_"))
        n_classes, n_hidden, groups = len(kept["classes_"]), kept["_to_hidden"].shape[-1], kept["groups_"]
        shapes = {
            "class_count_": (n_classes,),
            "class_weights_": (n_classes, n_columns),
            "_centre": (n_columns,),
            "_spread": (n_columns,),
            "_to_hidden": (n_columns, n_hidden),
            "_hidden_bias": (n_groups, n_hidden),
            "_direct": (n_columns, n_classes),
            "_from_hidden": (n_groups, n_hidden, n_classes),
            "_intercept": (n_groups, n_classes),
        }
        if not (
            all(are_numbers(kept[name], shape) for name, shape in shapes.items())
            and groups.dtype == np.int64
            and groups.shape == (n_columns,)
            and np.array_equal(np.union1d(groups, [-1]), np.arange(-1, n_groups))
            and (kept["class_count_"] > 0).all()
            and (kept["_spread"] >= 0).all()
            and kept["n_iter_"] >= 0
        ):
            raise ValueError("The model's columns, groups and classes do not fit together.")

    def _restore(self, kept: dict[str, Any], checked: None) -> None:
        self.__dict__.update(kept)
