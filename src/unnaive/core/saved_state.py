"""KeptState: what a model file keeps of an estimator, and how that is checked when it is loaded."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator


class KeptState(BaseEstimator, metaclass=ABCMeta):
    """Base of the estimators of which a model file keeps only some attributes.

    It keeps the parameters and the attributes named in ``_kept``, made plain by ``_plain``, checked by ``_check_kept``
    and taken over by ``_restore``; everything else follows from them.
    """

    _kept: ClassVar[tuple[str, ...]]

    @abstractmethod
    def _plain(self, kept: dict[str, Any]) -> dict[str, Any]:
        """Fitted attributes as a model file keeps them."""

    @abstractmethod
    def _check_kept(self, kept: dict[str, Any]) -> Any:
        """What ``_restore`` needs; ValueError if attributes and parameters are inconsistent."""

    @abstractmethod
    def _restore(self, kept: dict[str, Any], checked: Any) -> None:
        """Take over what was kept and checked, and recompute the rest."""

    def __getstate__(self) -> dict[str, Any]:
        """What a model file keeps."""
        parameters = {name: vars(self)[name] for name in self._get_param_names()}
        return {**parameters, **self._plain({name: vars(self)[name] for name in self._kept if name in vars(self)})}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take over what a model file keeps, if it is consistent."""
        parameters = set(self._get_param_names())
        self.__dict__.update({name: state[name] for name in parameters})
        kept = {name: value for name, value in state.items() if name not in parameters}
        if not kept.keys() <= set(self._kept):
            raise ValueError("The state has attributes that no model of this kind has.")
        if kept:
            self._restore(kept, self._check_kept(kept))

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        # Copies and pickles keep the model as it is; model files recompute what can be derived.
        return _remade, (type(self), dict(vars(self)))

    def check_state(self) -> None:
        """Check that a fitted model is consistent, parameters included, which may have been changed since."""
        kept = {name: value for name, value in self.__getstate__().items() if name in self._kept}
        if kept:
            self._check_kept(kept)


def check_names(classes: Any, n_features: Any, names: Any) -> None:
    """ValueError unless classes are sorted and distinct, and there is one name per column, if any."""
    listed = None if names is None else names.tolist()
    if not (
        classes.ndim == 1
        and len(classes) > 0
        and np.array_equal(np.unique(classes), classes)
        and (listed is None or (len(listed) == n_features and all(isinstance(name, str) for name in listed)))
    ):
        raise ValueError("The model's columns and classes do not fit together.")


def _remade(kind: type[KeptState], attributes: dict[str, Any]) -> KeptState:
    model = kind.__new__(kind)
    model.__dict__.update(attributes)
    return model
