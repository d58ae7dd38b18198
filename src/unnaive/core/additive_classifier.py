"""AdditiveClassifier: what classifiers share that keep of their training only a statistic that can be added to."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from unnaive.core.bayes_classifier import BayesClassifier
from unnaive.core.saved_state import KeptState

# Parameters that change how a model is computed, not what it is.
_COMPUTING = ("n_jobs", "max_bytes")


class AdditiveClassifier(KeptState, BayesClassifier):
    """Base of the classifiers with ``partial_fit``, ``forget`` and ``merge``."""

    # Parameters that need not be the same in models that are merged, as fitted attributes say it better.
    _settled_in_fit: ClassVar[tuple[str, ...]] = ()

    def _check_mergeable(self, other: Any) -> None:
        """An error if another model is not one that could have been fitted with this one."""
        check_is_fitted(self)
        if type(other) is not type(self):
            raise TypeError(f"Cannot merge {type(other).__name__} into {type(self).__name__}.")
        check_is_fitted(other)
        for parameter, value in self.get_params(deep=False).items():
            if parameter not in (*_COMPUTING, *self._settled_in_fit) and not _equal(value, getattr(other, parameter)):
                raise ValueError(
                    f"Cannot merge models with different parameters: {parameter} is {value!r} here and "
                    f"{getattr(other, parameter)!r} there."
                )
        if not _equal(*(getattr(model, "feature_names_in_", None) for model in (self, other))):
            raise ValueError("Cannot merge models that were fitted on columns of different names.")
        if (self.classes_.dtype.kind in "OUS") != (other.classes_.dtype.kind in "OUS"):
            raise ValueError(
                f"Cannot merge models of labels of different kinds: {self.classes_.tolist()} here and "
                f"{other.classes_.tolist()} there."
            )


def _equal(one: Any, other: Any) -> bool:
    if one is None or other is None:
        return one is other
    return bool(np.array_equal(np.asarray(one, dtype=object), np.asarray(other, dtype=object)))
