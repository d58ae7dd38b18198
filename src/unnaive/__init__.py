"""Bayesian classifiers that drop the naive independence assumption."""

from __future__ import annotations

from unnaive.lazy import lazy_names
from unnaive.models import FILE_TYPES, PUBLIC_NAMES

__version__ = "0.1.0"

__all__ = [*PUBLIC_NAMES, "__version__"]

# Types that only model files name can be imported from here, too, but are not listed.
__getattr__, __dir__ = lazy_names(__name__, {**FILE_TYPES, **PUBLIC_NAMES})
