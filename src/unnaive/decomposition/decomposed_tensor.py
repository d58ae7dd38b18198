"""Decomposed tensor classification (DTC)."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator, RandomState, default_rng
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from unnaive.core.docstrings import shared_docs
from unnaive.core.saved_state import KeptState, check_names
from unnaive.core.shapley import shapley_values
from unnaive.core.sound_numbers import are_numbers
from unnaive.core.validation import RawTable
from unnaive.counts.count_table import CountTable
from unnaive.counts.counting_classifier import COMMON_PARAMETERS
from unnaive.counts.mutual_information import mutual_information
from unnaive.counts.statistic import Rows
from unnaive.decomposition.cp import greedy_terms
from unnaive.decomposition.joint_tensor import JointTensor, joint_tensor
from unnaive.decomposition.mixture import mixture_path
from unnaive.decomposition.rank_one import RankOneTerms, Stages
from unnaive.decomposition.tucker import tucker_path
from unnaive.encoding.categories import columns_with_missing
from unnaive.encoding.table_classifier import TableClassifier
from unnaive.encoding.table_encoder import TableEncoder

_COMPLETIONS = 3  # of a row with missing values, where they cannot be summed out
_FOLDS = 5  # of the cross-validation that chooses the number of components
_MAX_SWEEPS = {"cp": 3, "tucker": 100, "mixture": 500}  # defaults
_MIN_EVIDENCE = np.log(np.finfo(np.float64).tiny)  # of a row in which all classes have a value of 0


@shared_docs
class DecomposedTensorClassifier(KeptState, TableClassifier):
    """Decomposed tensor classification (DTC): the joint probability of columns and class as a sum of products.

    The relative frequencies of the training rows form a tensor with one mode per column and one for the class, nearly
    all of whose cells are empty. It is approximated by a sum of few rank-one tensors, each an outer product of one
    vector per mode, which have values for rows that never occurred too. With one component, columns and class are
    independent; each further component approximates what the others leave.

    Parameters
    ----------
    n_components : int or "cv", default=20
        Number of rank-one tensors (K in the paper). "cv" chooses the number up to ``max_components`` with the best
        log score in five-fold cross-validation; each fold is decomposed once for all numbers.
    decomposition : {"mixture", "cp", "tucker"}, default="mixture"
        "cp" is the paper's: one rank-one tensor after the other, each the closest to the residual. In "tucker", they
        share a few orthogonal vectors per mode; there are as many components as the core has cells. In "mixture",
        components are products of probabilities, found by expectation maximization; it is the most accurate.
    init : {"random", "svd"}, default="random"
        Where the search for a component of "cp" starts: at random vectors, or at the leading left singular vectors of
        the tensor's unfoldings.
    n_init : int, default=1
        Number of searches from random vectors; the best is used.
    mask : bool, default=True
        Whether cells of rows that never occurred stay undefined when a component of "cp" is subtracted. Otherwise they
        become negative, and later components bring them back to zero.
    n_features : int, optional
        Use only this many columns, those of the highest mutual information with the class; by default all.
    max_components : int, default=30
        The largest number that "cv" tries.
    tol : float, default=1e-6
        A search ends when a sweep over all modes has a smaller relative gain.
    max_sweeps : int, optional
        Maximum number of sweeps, by default 3 for "cp", 100 for "tucker" and 500 for "mixture". Few sweeps keep
        components of "cp" from overfitting a few rows of a small table; large tables benefit from more, such as 500.
    floor : float, default=1e-6
        Added to the probability of every class before normalization.
    {categorical_features}
    {discretizer}
    {n_jobs}
    random_state : int, RandomState instance or None, default=None
        Seed of the starts of searches, the completion of missing values, and the folds of "cv".

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    class_count_ : ndarray of shape (n_classes,)
        Weight of the training rows of each class.
    n_components_ : int
        Fewer than ``n_components`` if nothing was left to approximate.
    component_weights_ : ndarray of shape (`n_components_`,)
        λ in the paper; the weights of a mixture.
    class_factors_ : ndarray of shape (n_classes, `n_components_`)
        Vectors of the class.
    column_factors_ : list of ndarray of shape (n_values, `n_components_`)
        Vectors of the selected columns.
    selected_features_ : ndarray of int
        Columns used, in order.
    column_information_ : ndarray of shape (`n_features_in_`,)
        Mutual information of each column and the class, in bits.
    held_out_log_scores_ : ndarray of shape (max_components,)
        Mean of -log P(y | x) on held-out rows by number of components; only with "cv".
    encoder_ : TableEncoder
    {names}

    Notes
    -----
    An approximation can be negative. As in the paper, the classes are then shifted so that the smallest is 0 (Eq. 10);
    ``floor`` is the small term by which the paper keeps log scores finite. Where all classes are 0, the prior decides.

    Missing values, which the paper does not allow: in prediction the mode is summed out, as for a category never seen.
    In training, a mixture sums it out too; the others get three completed copies of the row with a third of its weight
    each, drawn from the values of the column, as in the paper's experiment.

    The paper ends a search when the gain is small, without saying how small. Searched to six digits, a component of a
    small table with many columns can be little more than a single row.

    References
    ----------
    M. van Gerven, "Tensor decompositions for probabilistic classification", BIOCOMP 2007.

    Examples
    --------
    >>> import numpy as np
    >>> from unnaive import DecomposedTensorClassifier
    >>> X = np.array([["a", "c"], ["a", "d"], ["a", "d"], ["a", "d"], ["b", "c"], ["a", "c"]])
    >>> y = [1, 1, 1, 2, 2, 2]
    >>> model = DecomposedTensorClassifier(n_components=4, decomposition="cp", init="svd", max_sweeps=500).fit(X, y)
    >>> model.component_weights_.round(4)
    array([0.4389, 0.1596, 0.0417, 0.0223])
    >>> model.predict_proba(np.array([["b", "d"]])).round(2)
    array([[0.71, 0.29]])
    """

    _parameter_constraints: ClassVar = {
        "n_components": [Interval(Integral, 1, None, closed="left"), StrOptions({"cv"})],
        "decomposition": [StrOptions({"cp", "tucker", "mixture"})],
        "init": [StrOptions({"random", "svd"})],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "mask": ["boolean"],
        "n_features": [None, Interval(Integral, 1, None, closed="left")],
        "max_components": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "max_sweeps": [None, Interval(Integral, 1, None, closed="left")],
        "floor": [Interval(Real, 0, 1, closed="left")],
        **{name: allowed for name, allowed in COMMON_PARAMETERS.items() if name != "max_bytes"},
        "random_state": ["random_state"],
    }
    _kept = (
        "classes_",
        "n_features_in_",
        "feature_names_in_",
        "encoder_",
        "class_count_",
        "selected_features_",
        "column_information_",
        "held_out_log_scores_",
        "_stages",
    )

    def __init__(
        self,
        *,
        n_components: int | str = 20,
        decomposition: str = "mixture",
        init: str = "random",
        n_init: int = 1,
        mask: bool = True,
        n_features: int | None = None,
        max_components: int = 30,
        tol: float = 1e-6,
        max_sweeps: int | None = None,
        floor: float = 1e-6,
        categorical_features: Any = "from_dtype",
        discretizer: Any = None,
        n_jobs: int | None = None,
        random_state: int | RandomState | None = None,
    ) -> None:
        self.n_components = n_components
        self.decomposition = decomposition
        self.init = init
        self.n_init = n_init
        self.mask = mask
        self.n_features = n_features
        self.max_components = max_components
        self.tol = tol
        self.max_sweeps = max_sweeps
        self.floor = floor
        self.categorical_features = categorical_features
        self.discretizer = discretizer
        self.n_jobs = n_jobs
        self.random_state = random_state

    def staged_predict_proba(self, X: Any) -> Iterator[NDArray[np.float64]]:
        """Class probabilities with 1, 2, ... components.

        Parameters
        ----------
        X : frame or array-like of shape (n_samples, n_features)

        Yields
        ------
        ndarray of shape (n_samples, n_classes)

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from unnaive import DecomposedTensorClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> model = DecomposedTensorClassifier(n_components=5, random_state=0).fit(X, y)
        >>> [round(float((proba.argmax(axis=1) == y).mean()), 2) for proba in model.staged_predict_proba(X)]
        [0.33, 0.67, 0.95, 0.96, 0.97]
        """
        check_is_fitted(self)
        codes = self._codes(self.encoder_.rows(self._read(X, reset=False)))
        for n_components in range(1, len(self._stages) + 1):
            yield self._posterior(self._stages.at(n_components), codes)[0]

    @property
    def n_components_(self) -> int:
        """Number of components used."""
        check_is_fitted(self)
        return len(self._stages)

    @property
    def component_weights_(self) -> NDArray[np.float64]:
        """Weights of the components."""
        return self._terms.weights.copy()

    @property
    def class_factors_(self) -> NDArray[np.float64]:
        """Vectors of the class."""
        return self._terms.classes.copy()

    @property
    def column_factors_(self) -> list[NDArray[np.float64]]:
        """Vectors of the selected columns."""
        terms = self._terms
        return np.split(terms.columns, terms.starts[1:])

    @property
    def _terms(self) -> RankOneTerms:
        check_is_fitted(self)
        return self._stages.at(len(self._stages))

    def _fit(self, table: RawTable, classes: NDArray[np.int64], weights: NDArray[np.float64], weighted: bool) -> None:
        self.__dict__.pop("held_out_log_scores_", None)  # of an earlier fit
        encoder = TableEncoder(categorical_features=self.categorical_features, discretizer=self.discretizer)
        encoder.fit_table(table, classes, weights if weighted else None)
        rows = encoder.rows(table)
        n_classes = len(self.classes_)
        counts = CountTable(encoder.n_code_values, columns_with_missing(rows.codes), n_classes, 1)
        counts.add(rows, classes, weights)
        self.encoder_ = encoder
        self.class_count_ = counts.class_count.copy()
        self.column_information_ = mutual_information(counts)
        best = np.argsort(-self.column_information_.round(12), kind="stable")
        self.selected_features_ = np.sort(best[: self.n_features])
        codes = self._codes(rows)
        random = default_rng(check_random_state(self.random_state).randint(0, 2**32, size=4, dtype=np.uint32))
        most = self.n_components
        if self.n_components == "cv":
            most = self._choose(codes, classes, weights, random)
        self._stages = self._decompose(codes, classes, weights, int(most), random)
        if len(self._stages) < int(most):
            warnings.warn(
                f"The tensor of these rows has no more than {len(self._stages)} components, of n_components={most}: "
                "nothing is left to approximate.",
                UserWarning,
                stacklevel=4,
            )

    def _choose(
        self, codes: NDArray[np.int32], classes: NDArray[np.int64], weights: NDArray[np.float64], random: Generator
    ) -> int:
        """The number of components with the best log score on held-out rows."""
        n_rows = len(codes)
        n_folds = min(_FOLDS, n_rows)
        if n_folds < 2:
            return 1
        # Shuffled and stratified by class.
        order = random.permutation(n_rows)
        order = order[np.argsort(classes[order], kind="stable")]
        fold = np.empty(n_rows, dtype=np.int64)
        fold[order] = np.arange(n_rows) % n_folds
        loss = np.zeros(self.max_components)
        for held_out in range(n_folds):
            known, new = fold != held_out, fold == held_out
            stages = self._decompose(codes[known], classes[known], weights[known], self.max_components, random)
            for at in range(self.max_components):
                proba, _ = self._posterior(stages.at(min(at + 1, len(stages))), codes[new])
                true_class = proba[np.arange(len(proba)), classes[new]]
                loss[at] -= weights[new] @ np.log(np.maximum(true_class, np.finfo(np.float64).tiny))
        self.held_out_log_scores_ = loss / weights.sum()
        return 1 + int(np.argmin(self.held_out_log_scores_))

    def _decompose(
        self,
        codes: NDArray[np.int32],
        classes: NDArray[np.int64],
        weights: NDArray[np.float64],
        most: int,
        random: Generator,
    ) -> Stages:
        n_values = self.encoder_.n_values_[self.selected_features_]
        tensor = joint_tensor(codes, classes, weights, n_values, len(self.classes_))
        options: dict[str, Any] = {"tol": self.tol, "max_iter": self.max_sweeps or _MAX_SWEEPS[self.decomposition]}
        if self.decomposition == "mixture":
            n_rows = float(weights.sum())
            return Stages.apart(mixture_path(tensor, most, n_rows=n_rows, random=random, **options))
        complete: JointTensor = tensor.completed(random, _COMPLETIONS)
        if self.decomposition == "tucker":
            return Stages.apart([step.terms for step in tucker_path(complete, most, **options)])
        options |= {"mask": self.mask, "init": self.init, "n_init": self.n_init, "random": random}
        return Stages.nested(greedy_terms(complete, most, **options).terms)

    def _codes(self, rows: Rows) -> NDArray[np.int32]:
        return np.ascontiguousarray(rows.codes[:, self.selected_features_])

    def _posterior(
        self, terms: RankOneTerms, codes: NDArray[np.int32]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Class probabilities by Eq. 10, and the log of the sum of their values."""
        values, log_scale = terms.values(codes)
        values -= np.minimum(values.min(axis=1, keepdims=True), 0.0)
        total = values.sum(axis=1)
        all_zero = total <= 0.0
        values[all_zero] = self.class_count_
        proba = values / values.sum(axis=1, keepdims=True) + self.floor
        evidence = np.where(all_zero, _MIN_EVIDENCE, np.log(np.where(all_zero, 1.0, total)) + log_scale)
        return proba / proba.sum(axis=1, keepdims=True), evidence

    def _score_rows(self, rows: Rows) -> NDArray[np.float64]:
        proba, evidence = self._posterior(self._terms, self._codes(rows))
        with np.errstate(divide="ignore"):
            return np.log(proba) + evidence[:, None]

    def _score(self, table: RawTable) -> NDArray[np.float64]:
        rows = self.encoder_.rows(table)
        return np.concatenate(self._over_rows(lambda part: self._score_rows(rows[part]), table.n_rows))

    def _evidence(self, table: RawTable) -> NDArray[np.float64]:
        rows = self.encoder_.rows(table)
        nothing = self.encoder_.only(rows[:1], np.zeros((1, table.n_columns), dtype=bool))
        evidence = np.empty((table.n_rows, 1 + table.n_columns, len(self.classes_)))
        evidence[:, 0] = self._score_rows(nothing)
        evidence[:, 1:] = shapley_values(self._score_rows, self.encoder_.only, rows, self.n_features_in_)
        return evidence

    def _plain(self, kept: dict[str, Any]) -> dict[str, Any]:
        if "_stages" in kept:
            terms = kept["_stages"].terms
            kept["_stages"] = [terms.weights, terms.columns, terms.classes, kept["_stages"].spans]
        return kept

    def _check_kept(self, kept: dict[str, Any]) -> Stages:
        self._validate_params()
        check_names(kept["classes_"], kept["n_features_in_"], kept.get("feature_names_in_"))
        encoder, counts, used = kept["encoder_"], kept["class_count_"], kept["selected_features_"]
        if not isinstance(encoder, TableEncoder):
            raise ValueError("The encoder must be a TableEncoder.")
        encoder.check_state()
        weights, columns, classes, spans = kept["_stages"]
        n_terms, n_classes = len(weights), len(kept["classes_"])
        scores = kept.get("held_out_log_scores_", np.zeros(1))
        numbers = (counts, kept["column_information_"], weights, columns, classes, scores)
        if not (
            encoder.discretizer != "passthrough"
            and encoder.n_features_in_ == kept["n_features_in_"]
            and used.dtype == spans.dtype == np.int64
            and len(used) > 0
            and np.array_equal(np.unique(used), used)
            and 0 <= used[0] <= used[-1] < encoder.n_features_in_
            and all(are_numbers(part, part.shape) for part in numbers)
            and counts.shape == (n_classes,)
            and (counts > 0).all()
            and scores.ndim == 1
            and kept["column_information_"].shape == (encoder.n_features_in_,)
            and weights.shape == (n_terms,)
            and columns.shape == (encoder.n_values_[used].sum(), n_terms)
            and classes.shape == (n_classes, n_terms)
            and spans.ndim == 2
            and spans.shape[1] == 2
            and len(spans) > 0
            and (spans[:, 0] >= 0).all()
            and (spans[:, 0] < spans[:, 1]).all()
            and (spans[:, 1] <= n_terms).all()
        ):
            raise ValueError("The model's columns, classes and components do not fit together.")
        n_values = encoder.n_values_[used]
        return Stages(RankOneTerms(weights, columns, classes, np.cumsum(n_values) - n_values), spans)

    def _restore(self, kept: dict[str, Any], checked: Stages) -> None:
        self.__dict__.update({**kept, "_stages": checked})
