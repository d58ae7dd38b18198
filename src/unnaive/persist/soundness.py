"""Whether a loaded model is safe to predict with: what compiled code, which does not check bounds, relies on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from unnaive.persist.allow_list import TREE, TYPES, type_name

_MAX_JOBS = 1024


def check_model(model: Any) -> None:
    """Refuse a model that would make compiled code access memory out of bounds.

    A type of this package is checked by its own method ``check_state``, which is required.
    """
    for part in parts_of(model):
        kind, name = type(part), type_name(type(part))
        if any(hasattr(kind, attribute) for attribute in vars(part)):
            raise ValueError(f"A {kind.__name__} has attributes that hide those of its class.")
        if name.startswith("unnaive."):
            kind.check_state(part)
        elif name in _CHECKS and not _CHECKS[name](part):
            raise ValueError(f"A {kind.__name__} is not sound.")
        n_jobs = getattr(part, "n_jobs", None)
        if n_jobs is not None and (n_jobs == 0 or n_jobs > _MAX_JOBS):
            raise ValueError(f"A {kind.__name__} would start no threads or too many.")


def parts_of(model: Any) -> Iterator[Any]:
    """Everything in a model that has attributes."""
    rest, seen = [model], set()
    while rest:
        part = rest.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        name = type_name(type(part))
        if isinstance(part, dict):
            rest.extend(part.values())
        elif isinstance(part, list | tuple | set):
            rest.extend(part)
        elif isinstance(part, np.ndarray) and part.dtype == object:
            rest.extend(part.ravel().tolist())
        elif name in TYPES["ObjectNode"]:
            yield part
            rest.extend(value for key, value in vars(part).items() if key != "tree_" or name not in _TREES)
        elif name == TREE:
            raise ValueError("A tree without an estimator would not check its input.")


def _fitted(part: Any, attribute: str) -> bool:
    return attribute in vars(part)


def _is_sound_tfidf(weights: Any) -> bool:
    if not _fitted(weights, "idf_"):
        return not weights.use_idf or not _fitted(weights, "n_features_in_")
    idf = weights.idf_
    return idf.dtype == np.float64 and idf.shape == (weights.n_features_in_,)


def _is_sound_tree(tree: Any) -> bool:
    if not _fitted(tree, "tree_"):
        return True
    nodes = tree.tree_
    if type_name(type(nodes)) != TREE or not nodes.n_features == tree.n_features_in_ > 0:
        return False
    return nodes.node_count == nodes.capacity > 0 and _leads_to_leaves(
        nodes.children_left != -1, nodes.children_left, nodes.children_right, nodes.feature, nodes.n_features
    )


def _leads_to_leaves(inner: Any, left: Any, right: Any, feature: Any, n_features: int) -> bool:
    """Whether children come after their parents, so that every path ends, and only existing columns are used."""
    at = np.flatnonzero(inner)
    left, right, feature = left[at].astype(np.int64), right[at].astype(np.int64), feature[at]
    return bool(
        (left > at).all()
        and (right > at).all()
        and (np.maximum(left, right) < len(inner)).all()
        and ((feature >= 0) & (feature < n_features)).all()
    )


def _is_sound_forest(forest: Any) -> bool:
    # The trees of a forest do not check the number of columns.
    return not _fitted(forest, "estimators_") or all(
        type_name(type(tree)) in _TREES and _fitted(tree, "tree_") and tree.n_features_in_ == forest.n_features_in_
        for tree in forest.estimators_
    )


def _is_sound_boosting(model: Any) -> bool:
    if not _fitted(model, "_predictors"):
        return True
    categorical, n_columns = model._bin_mapper.is_categorical_, model.n_features_in_
    if not (categorical.dtype.kind in "bu" and categorical.shape == (n_columns,) and _keeps_columns(model)):
        return False
    for predictor in (predictor for of_iteration in model._predictors for predictor in of_iteration):
        nodes, bits = predictor.nodes, predictor.raw_left_cat_bitsets
        inner = nodes["is_leaf"] == 0
        by_category = nodes[inner & (nodes["is_categorical"] != 0)]
        if not (
            nodes.ndim == 1
            and len(nodes) > 0
            and bits.ndim == 2
            and bits.shape[1] == 8
            and _leads_to_leaves(inner, nodes["left"], nodes["right"], nodes["feature_idx"], n_columns)
            and (by_category["bitset_idx"] < len(bits)).all()
            and categorical[by_category["feature_idx"]].all()
        ):
            return False
    return True


def _keeps_columns(model: Any) -> bool:
    """Whether the preprocessing of gradient boosting, from categories to codes, keeps the number of columns."""
    columns, n_columns = model._preprocessor, model.n_features_in_
    if columns is None:
        return True
    (first, encoder, coded), (second, check, numbers), *rest = columns.transformers_
    return (
        [first, second] == ["encoder", "numerical"]
        and [type(encoder).__name__, type(check).__name__] == ["OrdinalEncoder", "FunctionTransformer"]
        and all(transformer == "drop" for _, transformer, _ in rest)
        and coded.dtype == numbers.dtype == bool
        and coded.shape == numbers.shape == (n_columns,)
        and bool((coded != numbers).all())
        and columns.n_features_in_ == n_columns
        and columns._transformer_to_input_indices["encoder"] == np.flatnonzero(coded).tolist()
        and columns._transformer_to_input_indices["numerical"] == np.flatnonzero(numbers).tolist()
        and getattr(columns, "feature_names_in_", coded).shape == (n_columns,)
    )


def _is_sound_svc(svc: Any) -> bool:
    if not _fitted(svc, "support_vectors_"):
        return True
    n_classes, n_vectors = len(svc.classes_), len(svc.support_)
    n_pairs = n_classes * (n_classes - 1) // 2
    return (
        svc.kernel in ("linear", "poly", "rbf", "sigmoid")
        and svc._sparse is False
        and n_classes > 1
        and svc.support_.ndim == 1
        and svc.support_vectors_.shape == (n_vectors, svc.n_features_in_)
        and svc._n_support.shape == (n_classes,)
        and bool((svc._n_support >= 0).all())
        and svc._n_support.sum() == n_vectors > 0
        and svc._dual_coef_.shape == (n_classes - 1, n_vectors)
        and svc._intercept_.shape == (n_pairs,)
        and svc._probA.shape == svc._probB.shape
        and svc._probA.shape in ((0,), (n_pairs,))
    )


def _is_sound_one_hot(encoder: Any) -> bool:
    """Whether every category has a column of the (sparse) result."""
    if not _fitted(encoder, "categories_"):
        return True
    dropped, sizes = encoder._drop_idx_after_grouping, encoder._n_features_outs
    if not (isinstance(sizes, list) and len(encoder.categories_) == len(sizes) == encoder.n_features_in_ > 0):
        return False
    for column, (categories, size) in enumerate(zip(encoder.categories_, sizes)):
        codes = np.arange(len(categories))
        if encoder._infrequent_enabled:
            rare, grouped = encoder._infrequent_indices[column], encoder._default_to_infrequent_mappings[column]
            codes = codes if rare is None else np.append(codes, rare[0])
            codes = codes if grouped is None else np.take(grouped, codes)
        if dropped is not None and dropped[column] is not None:
            codes = codes[codes != dropped[column]]
            codes = codes - (codes > dropped[column])
        # Numbers are found by binary search, which would run past the end if they were not sorted.
        numbers = [value for value in categories.tolist() if isinstance(value, int | float) and value == value]
        if not (size >= 0 and ((codes >= 0) & (codes < size)).all() and numbers == sorted(set(numbers))):
            return False
    return True


def _is_sound_transformer(transformer: Any) -> bool:
    return transformer.inverse_func is None and (transformer.func is None or isinstance(transformer.func, partial))


def _is_sound_pipeline(pipeline: Any) -> bool:
    # A cache is a folder of pickle files.
    return pipeline.memory is None


_TREES = ("sklearn.tree._classes.DecisionTreeClassifier", "sklearn.tree._classes.ExtraTreeClassifier")
_CHECKS: dict[str, Callable[[Any], bool]] = {
    "sklearn.ensemble._forest.ExtraTreesClassifier": _is_sound_forest,
    "sklearn.ensemble._forest.RandomForestClassifier": _is_sound_forest,
    "sklearn.ensemble._hist_gradient_boosting.gradient_boosting.HistGradientBoostingClassifier": _is_sound_boosting,
    "sklearn.feature_extraction.text.TfidfTransformer": _is_sound_tfidf,
    "sklearn.pipeline.Pipeline": _is_sound_pipeline,
    "sklearn.preprocessing._encoders.OneHotEncoder": _is_sound_one_hot,
    "sklearn.preprocessing._function_transformer.FunctionTransformer": _is_sound_transformer,
    "sklearn.svm._classes.SVC": _is_sound_svc,
    **dict.fromkeys(_TREES, _is_sound_tree),
}
