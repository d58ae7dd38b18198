"""AdditiveClassifier: what classifiers share that keep of their training only a statistic that can be added to."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from unnaive.classifiers.base import BayesClassifier

# Parameters that change how a model is computed, not what it is.
_COMPUTING = ("n_jobs", "max_bytes")


class AdditiveClassifier(BayesClassifier):
    """Base of the classifiers with ``partial_fit``, ``forget`` and ``merge``.

    A model file keeps their parameters and the attributes named in ``_kept``, made plain by ``_plain``, checked by
    ``_check_kept`` and taken over by ``_restore``; all else follows from them.
    """

    _kept: ClassVar[tuple[str, ...]]
    # Parameters that need not be the same in models that are merged, as fitted attributes say it better.
    _settled_in_fit: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def _plain(self, kept: dict[str, Any]) -> dict[str, Any]:
        """Fitted attributes as a model file keeps them."""

    @abstractmethod
    def _check_kept(self, kept: dict[str, Any]) -> Any:
        """What ``_restore`` needs; ValueError if the parts do not fit together or with the parameters."""

    @abstractmethod
    def _restore(self, kept: dict[str, Any], checked: Any) -> None:
        """Take over what was kept and checked, and compute the rest again."""

    def __getstate__(self) -> dict[str, Any]:
        """What a model file keeps."""
        parameters = {name: vars(self)[name] for name in self._get_param_names()}
        return {**parameters, **self._plain({name: vars(self)[name] for name in self._kept if name in vars(self)})}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take over what a model file keeps, if it fits together."""
        parameters = set(self._get_param_names())
        self.__dict__.update({name: state[name] for name in parameters})
        kept = {name: value for name, value in state.items() if name not in parameters}
        if not kept.keys() <= set(self._kept):
            raise ValueError("The state has what no model of this kind has.")
        if kept:
            self._restore(kept, self._check_kept(kept))

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        # Copies and pickles keep the model as it is, with what was computed; model files do not trust that.
        return _remade, (type(self), dict(vars(self)))

    def check_state(self) -> None:
        """Make sure that a fitted model fits together, its parameters included, which may have been changed since."""
        kept = {name: value for name, value in self.__getstate__().items() if name in self._kept}
        if kept:
            self._check_kept(kept)

    def _known_classes(self, classes: ArrayLike | None) -> NDArray[Any]:
        """The classes of ``partial_fit``: named on the first call, and the same ever after."""
        named = None if classes is None else np.unique(np.asarray(classes))
        if not hasattr(self, "classes_"):
            if named is None:
                raise ValueError("classes must be passed on the first call to partial_fit: all labels that may occur.")
            return named
        if named is not None and not np.array_equal(named, self.classes_):
            raise ValueError(
                f"classes={named.tolist()} is not the same as on the last call to partial_fit: "
                f"{self.classes_.tolist()}."
            )
        return self.classes_

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


def check_names(classes: Any, n_features: Any, names: Any) -> None:
    """A ValueError unless classes are sorted, and there are as many names of columns as columns, if any."""
    listed = None if names is None else names.tolist()
    if not (
        classes.ndim == 1
        and len(classes) > 0
        and np.array_equal(np.unique(classes), classes)
        and (listed is None or (len(listed) == n_features and all(isinstance(name, str) for name in listed)))
    ):
        raise ValueError("The model's columns and classes do not fit together.")


def _remade(kind: type[AdditiveClassifier], attributes: dict[str, Any]) -> AdditiveClassifier:
    model = kind.__new__(kind)
    model.__dict__.update(attributes)
    return model


def _equal(one: Any, other: Any) -> bool:
    if one is None or other is None:
        return one is other
    return bool(np.array_equal(np.asarray(one, dtype=object), np.asarray(other, dtype=object)))
