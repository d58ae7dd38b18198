"""Shared parameters and attributes, documented once."""

from __future__ import annotations

import re
from textwrap import indent
from typing import Any, TypeVar

Documented = TypeVar("Documented", bound=Any)

# A line of a docstring that holds nothing but {name} is replaced by the text of that name.
SHARED = {
    "smoothing": """\
smoothing : {"m_estimate", "laplace"}, default="m_estimate"
    How probabilities are estimated from counts: the m-estimate, or add one to every count.
m : float, default=1
    Weight of the m-estimate.""",
    "laplace_smoothing": """\
smoothing : {"laplace", "m_estimate"}, default="laplace"
    How probabilities are estimated from counts: add one to every count, or the m-estimate.
m : float, default=1
    Weight of the m-estimate.""",
    "categorical_features": """\
categorical_features : "from_dtype", "all", array of bool, int or str, or None, default="from_dtype"
    Which columns are categorical, see :class:`TableEncoder`.""",
    "discretizer": """\
discretizer : transformer, default=None
    How numeric columns are binned; None is :class:`MDLDiscretizer`.""",
    "n_jobs": """\
n_jobs : int, default=None
    Number of threads; the result does not depend on it.""",
    "max_bytes": """\
max_bytes : int, default=2**31
    Refuse to allocate count tables larger than this.""",
    "bins": """\
bins : {"fixed", "exact"}, default="fixed"
    What holds when rows are added, merged or forgotten. ``"fixed"``: cut points of numbers are learned by the first
    ``fit`` or batch, and counts within them are those of the rows at hand. ``"exact"``: the model is always the one
    that ``fit`` gives on the rows at hand, cut points included; for that it keeps the rows, each distinct one once in
    a few bytes per column, also in its file. The default keeps no rows: nobody should give away a table with a model
    without having asked for it.""",
    "random_state": """\
random_state : int, RandomState instance or None, default=None
    Seed; pass an int for the same result on every call.""",
    "names": """\
n_features_in_ : int
feature_names_in_ : ndarray of str of shape (`n_features_in_`,)
    Only if X is a frame with string names.""",
    "counted": """\
classes_ : ndarray of shape (n_classes,)
class_count_ : ndarray of shape (n_classes,)
    Weight of the training rows of each class.
encoder_ : TableEncoder
    How columns are encoded.
statistic_ : CountTable
    The counts.
n_features_in_ : int
feature_names_in_ : ndarray of str of shape (`n_features_in_`,)
    Only if X is a frame with string names.""",
    "labelled_rows": """\
X : frame, array-like, sparse matrix or SparseTensor
    The rows, in any form that the model takes.
y : array-like of shape (n_samples,)
    Labels of any type.
sample_weight : array-like of shape (n_samples,), optional
    A weight of 2 is the same as the row twice, a weight of 0 as no row. Others must be between 1e-12 and 1e12.""",
    "scored_rows": """\
Parameters
----------
X : frame, array-like, sparse matrix or SparseTensor
    The rows, in any form that the model takes.

Returns
-------
ndarray of shape (n_samples, n_classes)""",
    "ax": """\
ax : matplotlib Axes, optional
    Where to draw; a new figure by default.""",
    "max_seconds": """\
max_seconds : float or None, default=None
    Mining stops after this time, with a warning; the result then depends on the machine.""",
    "paths": """\
order : {1, 2, 3}, default=2
    Number of documents in a path; with order 1 the probabilities are those of naive Bayes.
pure : bool, default=False
    Count only paths whose end terms never share a document.
scope : {"training", "class"}, default="training"
    Whether the end terms of a pure path may share no training document, or none of the path's class.
binarize : float or None, default=0.0
    A term is in a document if X is larger than this; with None, X must hold only zeros and ones.""",
    "plotted": """\
ax : matplotlib Axes, optional
    Where to draw; a new figure by default.

Returns
-------
Display
    The display, drawn.""",
    "drawn": """\
ax_ : matplotlib Axes
figure_ : matplotlib Figure""",
    "drawn_curves": """\
lines_ : dict of str to matplotlib Line2D
bands_ : dict of str to matplotlib PolyCollection
labels_ : dict of str to matplotlib Annotation
    The names at the ends of the curves.
ax_ : matplotlib Axes
figure_ : matplotlib Figure""",
    "comparison": """\
comparison : Comparison
metric : str, optional
    The first metric of the comparison by default.""",
    "var_smoothing": """\
var_smoothing : float, default=1e-9
    Share of the largest variance of all numeric columns that is added to Gaussian variances.""",
    "weighted_naive": """\
naive_ : NaiveBayes
    The model that the weights are applied to.
classes_ : ndarray of shape (n_classes,)
class_count_ : ndarray of shape (n_classes,)
    Weight of the training rows of each class.
n_features_in_ : int
feature_names_in_ : ndarray of str of shape (`n_features_in_`,)
    Only if X is a frame with string names.""",
    "frequency_limit": """\
frequency_limit : float, default=1
    Minimum weight of the training rows with the values of a parent set; rarer values are not used as parents.""",
    "row_seed": """\
random_state : int, Generator or None, default=0
    Seed of the values and of the order of the rows.""",
}
SHARED["table_parameters"] = "\n".join(
    SHARED[name] for name in ("categorical_features", "discretizer", "n_jobs", "max_bytes", "bins")
)


def shared_docs(documented: Documented) -> Documented:
    """Replace each ``{name}`` line in the docstring of a class or function by the shared text."""
    if documented.__doc__:  # absent under python -OO
        documented.__doc__ = re.sub(
            r"^( *)\{(\w+)\}$", lambda line: indent(SHARED[line[2]], line[1]), documented.__doc__, flags=re.MULTILINE
        )
    return documented
