"""TensorTransformer: base of the transformers that turn samples into a SparseTensor."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from unnaive.core.doc_link import LinkedToDocs
from unnaive.tensors.sparse_tensor import SparseTensor

_Self = TypeVar("_Self", bound="TensorTransformer")


class TensorTransformer(TransformerMixin, LinkedToDocs, BaseEstimator, metaclass=ABCMeta, auto_wrap_output_keys=None):  # type: ignore[call-arg]
    """Base of PatternTensor, TextTensor and SubgraphTensor; a subclass implements the abstract methods."""

    _fitted: ClassVar[str] = "patterns_"  # the attribute that only a fitted transformer has

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(auto_wrap_output_keys=None, **options)  # tensors cannot be wrapped in frames

    @abstractmethod
    def _learn(self, X: Any, y: Any) -> Any:
        """Choose the features, and return the samples in the form that ``_tensors`` takes."""

    @abstractmethod
    def _read(self, X: Any) -> Any:
        """Samples in the form that ``_tensors`` takes."""

    @abstractmethod
    def _tensors(self, samples: Any) -> SparseTensor:
        """One tensor per sample."""

    @abstractmethod
    def _names(self) -> list[str]:
        """The features as strings."""

    @abstractmethod
    def _is_consistent(self) -> bool:
        """Whether the fitted attributes fit together."""

    def fit(self: _Self, X: Any, y: Any = None) -> _Self:
        """Choose the features.

        Parameters
        ----------
        X : frame, collection of documents or list of graphs
            The training samples, in any form that the class accepts.
        y : array-like of shape (n_samples,), optional
            Class labels, for choosing features by information gain.

        Returns
        -------
        self
        """
        self._learn(X, y)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> SparseTensor:
        """Choose the features and return the tensors of the same samples, which are read once.

        Parameters
        ----------
        X : frame, collection of documents or list of graphs
        y : array-like of shape (n_samples,), optional

        Returns
        -------
        SparseTensor
        """
        return self._tensors(self._learn(X, y))

    def transform(self, X: Any) -> SparseTensor:
        """Find the features in samples.

        Parameters
        ----------
        X : frame, collection of documents or list of graphs

        Returns
        -------
        SparseTensor of shape (n_samples, n_features, ...)
            With ``n_modes`` modes.
        """
        check_is_fitted(self, self._fitted)
        return self._tensors(self._read(X))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """The features as strings, in the order of every mode.

        Parameters
        ----------
        input_features : ignored
            Present for API consistency.

        Returns
        -------
        ndarray of str of shape (n_features,)
        """
        check_is_fitted(self, self._fitted)
        return np.array(self._names(), dtype=object)

    def check_state(self) -> None:
        """Raise ValueError if the fitted attributes do not fit together: the kernels check no bounds."""
        self._validate_params()
        n_modes = vars(self)["n_modes"]
        if n_modes >= 64 or (hasattr(self, self._fitted) and len(self._names()) ** n_modes >= 2**63):
            raise ValueError("The cells of tensors are numbered by 64 bits.")
        is_fitted = hasattr(self, self._fitted)
        if (is_fitted and not self._is_consistent()) or (not is_fitted and any(name[-1] == "_" for name in vars(self))):
            raise ValueError(f"The fitted attributes of {type(self).__name__} do not fit together.")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        return tags
