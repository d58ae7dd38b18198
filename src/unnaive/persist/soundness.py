"""Whether a loaded model is safe to predict with: what compiled code, which does not check bounds, relies on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from unnaive.core.sound_numbers import LARGEST, are_numbers
from unnaive.persist.allow_list import TREE, TYPES, leads_to_leaves, type_name
from unnaive.persist.linear_pattern import is_linear

_MAX_JOBS = 1024


class UnsafePatternError(ValueError):
    """A regular expression could take forever."""


def check_model(model: Any) -> None:
    """Refuse a model that would make compiled code access memory out of bounds, or answer with what is no number.

    A type of this package is checked by its own method ``check_state``, which is required.
    """
    for part in parts_of(model):
        kind, name = type(part), type_name(type(part))
        if any(hasattr(kind, attribute) for attribute in vars(part)):
            raise ValueError(f"A {kind.__name__} has attributes that hide those of its class.")
        for attribute in ("token_pattern", "pattern"):
            pattern = vars(part).get(attribute)
            if isinstance(pattern, str) and not is_linear(pattern):
                raise UnsafePatternError(f"{attribute}={pattern[:80]!r}")
        if not _has_sound_columns(part):
            raise ValueError(f"The columns of a {kind.__name__} are not sound.")
        if name.startswith("unnaive."):
            kind.check_state(part)
        else:
            if hasattr(kind, "_parameter_constraints"):
                part._validate_params()
            if not (_has_sound_classes(part) and (name not in _CHECKS or _CHECKS[name](part))):
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
        elif type(part).__module__.startswith("unnaive.") and hasattr(part, "__dict__"):
            rest.extend(vars(part).values())


def _fitted(part: Any, attribute: str) -> bool:
    """Whether a part has a fitted attribute; ValueError if it lacks only that one."""
    if attribute not in vars(part) and "n_features_in_" in vars(part):
        raise ValueError(f"A {type(part).__name__} lacks {attribute}.")
    return attribute in vars(part)


def _are_numbers(numbers: Any, shape: tuple[int, ...]) -> bool:
    """As of this package's models, and scikit-learn's may be of single precision."""
    return numbers.dtype.kind == "f" and are_numbers(numbers.astype(np.float64), shape)


def _are_shares(numbers: Any, shape: tuple[int, ...]) -> bool:
    """Whether these are probabilities that sum to 1."""
    return _are_numbers(numbers, shape) and bool((numbers >= 0).all() and np.allclose(numbers.sum(axis=-1), 1.0))


def _has_sound_columns(part: Any) -> bool:
    """Whether the number of columns is one, their names are as many, and what is made of them is known."""
    n_columns, names = vars(part).get("n_features_in_", 0), vars(part).get("feature_names_in_")
    made = vars(part).get("_sklearn_output_config", {})
    return (
        isinstance(n_columns, int | np.integer)
        and bool(n_columns >= 0)
        and (names is None or "n_features_in_" not in vars(part) or names.shape == (n_columns,))
        and isinstance(made, dict)
        and all(container in ("default", "pandas", "polars") for container in made.values())
    )


def _has_sound_classes(part: Any) -> bool:
    if "classes_" not in vars(part):
        return True
    classes = part.classes_
    return isinstance(classes, np.ndarray) and classes.ndim == 1 and np.array_equal(np.unique(classes), classes)


def _is_sound_tfidf(weights: Any) -> bool:
    if "idf_" not in vars(weights):
        return not weights.use_idf or not _fitted(weights, "n_features_in_")
    return _are_numbers(weights.idf_, (weights.n_features_in_,))


def _is_sound_linear(model: Any) -> bool:
    if not _fitted(model, "coef_"):  # classes_ may be a property
        return True
    n_rows = 1 if len(model.classes_) == 2 else len(model.classes_)
    return (
        len(model.classes_) > 1
        and _are_numbers(model.coef_, (n_rows, model.n_features_in_))
        and _are_numbers(np.asarray(model.intercept_), np.shape(model.intercept_))
        and np.shape(model.intercept_) in ((), (n_rows,))
    )


def _is_sound_gaussian(model: Any) -> bool:
    if not _fitted(model, "classes_"):
        return True
    shape = (len(model.classes_), model.n_features_in_)
    return (
        all(_are_numbers(numbers, shape) for numbers in (model.theta_, model.var_))
        and bool((model.var_ >= 1 / LARGEST).all())
        and _are_shares(model.class_prior_, shape[:1])
    )


def _is_sound_counting(model: Any) -> bool:
    """Naive Bayes of scikit-learn on counts."""
    if not _fitted(model, "classes_"):
        return True
    shape = (len(model.classes_), model.n_features_in_)
    with np.errstate(divide="ignore"):
        prior = np.exp(model.class_log_prior_)
    if not (_are_numbers(model.feature_log_prob_, shape) and _are_shares(prior, shape[:1])):
        return False
    kind, log_shares = type(model).__name__, model.feature_log_prob_
    return kind == "ComplementNB" or bool((log_shares < 0).all() if kind == "BernoulliNB" else (log_shares <= 0).all())


def _is_sound_scaler(scaler: Any) -> bool:
    if not _fitted(scaler, "n_features_in_"):
        return True
    parts = [np.asarray(part) for part in (scaler.mean_, scaler.scale_) if part is not None]
    # A column without values has neither.
    empty = [np.isnan(part) for part in parts]
    scale = np.ones(1) if scaler.scale_ is None else np.nan_to_num(scaler.scale_.astype(np.float64), nan=1.0)
    return bool((scale >= 1 / LARGEST).all()) and all(
        _are_numbers(np.where(nothing, 0.0, part), (scaler.n_features_in_,)) and np.array_equal(nothing, empty[0])
        for nothing, part in zip(empty, parts)
    )


def _is_sound_imputer(imputer: Any) -> bool:
    if not _fitted(imputer, "n_features_in_"):
        return True
    filled, shape = imputer.statistics_, (imputer.n_features_in_,)
    # What it predicts with: `_fill_dtype` only since some release of scikit-learn.
    if not {"_fit_dtype", "_fill_dtype"} & vars(type(imputer)().fit([[0.0]])).keys() <= vars(imputer).keys():
        return False
    if filled.dtype.kind in "fiu" and not isinstance(imputer.missing_values, int | float):
        return False
    if bool(imputer.add_indicator) != (imputer.indicator_ is not None):
        return False
    if filled.dtype.kind == "f":
        return _are_numbers(np.where(np.isnan(filled), 0.0, filled), shape)
    return filled.dtype.kind in "OUSbiu" and bool(filled.shape == shape)


def _is_sound_binning(bins: Any) -> bool:
    if not _fitted(bins, "bin_edges_"):
        return True
    edges, n_bins = bins.bin_edges_.tolist(), bins.n_bins_
    return (
        n_bins.dtype.kind == "i"
        and n_bins.shape == (bins.n_features_in_,)
        and [np.shape(of_column) for of_column in edges] == [(n + 1,) for n in n_bins.tolist()]
        and all(c.dtype.kind == "f" and bool((c[:-1] <= c[1:]).all()) for c in edges)  # of one value: infinite ones
        and (
            bins.encode == "ordinal"
            or [c.tolist() for c in bins._encoder.categories_] == [[*range(n)] for n in n_bins.tolist()]
        )
    )


def _is_sound_tree(tree: Any) -> bool:
    """Whether a tree fits its estimator; that it leads to leaves was checked before it was made."""
    if not _fitted(tree, "classes_"):
        return True
    nodes, n_classes = tree.tree_, len(tree.classes_)
    return (
        type_name(type(nodes)) == TREE
        and nodes.n_features == tree.n_features_in_ > 0
        and nodes.n_classes.tolist() == [n_classes]
        and np.ndim(tree.n_classes_) == 0
        and tree.n_classes_ == n_classes
        and tree.n_outputs_ == 1
        and _are_shares(nodes.value, (nodes.node_count, 1, n_classes))
    )


def _is_sound_forest(forest: Any) -> bool:
    # The trees of a forest do not check the number of columns.
    return not _fitted(forest, "estimators_") or (
        forest.n_outputs_ == 1
        and forest.n_classes_ == len(forest.classes_)
        and len(forest.estimators_) > 0
        and 0 < forest.n_estimators <= np.iinfo(np.int32).max
        and all(
            type_name(type(tree)) in _TREES
            and _fitted(tree, "tree_")
            and tree.n_features_in_ == forest.n_features_in_
            and tree.n_classes_ == forest.n_classes_
            for tree in forest.estimators_
        )
    )


def _is_sound_boosting(model: Any) -> bool:
    from sklearn.ensemble._hist_gradient_boosting.common import PREDICTOR_RECORD_DTYPE

    if not _fitted(model, "classes_"):
        return True
    categorical, n_columns = model._bin_mapper.is_categorical_, model.n_features_in_
    n_trees = 1 if len(model.classes_) == 2 else len(model.classes_)
    if not (
        categorical.dtype.kind in "bu"
        and categorical.shape == (n_columns,)
        and _keeps_columns(model)
        and model.n_trees_per_iteration_ == n_trees
        and _are_numbers(model._baseline_prediction, (1, n_trees))
        and all(len(of_iteration) == n_trees for of_iteration in model._predictors)
        and len(model._bin_mapper.bin_thresholds_) == n_columns
        and bool((categorical <= 1).all())
        and all(
            of_column.ndim == 1 and bool(not coded or ((of_column >= 0) & (of_column < 256)).all())
            for of_column, coded in zip(model._bin_mapper.bin_thresholds_, categorical)
        )
        and type(model._loss).__name__ == ("HalfBinomialLoss" if n_trees == 1 else "HalfMultinomialLoss")
        and {"link", "closs"} <= vars(model._loss).keys()
    ):
        return False
    for predictor in (predictor for of_iteration in model._predictors for predictor in of_iteration):
        nodes, bits = predictor.nodes, predictor.raw_left_cat_bitsets
        if nodes.dtype != PREDICTOR_RECORD_DTYPE or nodes.ndim != 1:
            return False
        inner = nodes["is_leaf"] == 0
        by_category = nodes[inner & (nodes["is_categorical"] != 0)]
        if not (
            len(nodes) > 0
            and _are_numbers(nodes["value"], nodes.shape)
            and bits.dtype == np.uint32
            and bits.ndim == 2
            and bits.shape[1] == 8
            and bits.flags.c_contiguous
            and leads_to_leaves(inner, nodes["left"], nodes["right"], nodes["feature_idx"], n_columns)
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
    if not _fitted(svc, "classes_"):
        return True
    n_classes, n_vectors = len(svc.classes_), len(svc.support_)
    n_pairs = n_classes * (n_classes - 1) // 2
    numbers = (svc.support_vectors_, svc._dual_coef_, svc._intercept_, svc._probA, svc._probB)
    places = (svc.support_, svc._n_support)
    return (
        all(_are_numbers(array, array.shape) and array.dtype == np.float64 for array in numbers)
        and all(array.dtype == np.int32 for array in places)
        and all(array.flags.c_contiguous for array in (*numbers, *places))
        and isinstance(svc._gamma, float)
        and 0 < svc._gamma <= LARGEST
        and svc.kernel in ("linear", "poly", "rbf", "sigmoid")
        and 0 <= svc.degree <= np.iinfo(np.int32).max
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
        and svc._probA.shape == (0 if svc.probability in (False, "deprecated") else n_pairs,)
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
        if not (
            _are_categories(categories)
            and len(np.unique(codes)) == size
            and codes.min(initial=0) == 0
            and codes.max(initial=-1) == size - 1
        ):
            return False
    return True


def _are_categories(categories: Any) -> bool:
    """Whether these are different values, numbers in order, NaN last."""
    if not (isinstance(categories, np.ndarray) and categories.ndim == 1 and categories.dtype.kind in "OUSbiuf"):
        return False
    # Numbers are found by binary search, which would run past the end if they were not sorted.
    numbers = [value for value in categories.tolist() if isinstance(value, int | float)]
    known = numbers[:-1] if numbers and numbers[-1] != numbers[-1] else numbers
    words = [value for value in categories.tolist() if isinstance(value, str | bytes)]
    return (
        all(one < other for one, other in pairwise(known))
        and known == [value for value in known if value == value]
        and len(set(words)) == len(words)
    )


def _is_sound_ordinal(encoder: Any) -> bool:
    """Whether every column has its categories, and every group of rare ones its code."""
    if not _fitted(encoder, "categories_"):
        return True
    columns, enabled = encoder.categories_, encoder._infrequent_enabled
    grouped = encoder._default_to_infrequent_mappings if enabled is True else [None] * len(columns)
    return (
        type(enabled) is bool
        and len(columns) == len(grouped) == encoder.n_features_in_
        and all(map(_are_categories, columns))
        and all(
            0 <= column < len(columns) and 0 <= place < len(columns[column])
            for column, place in encoder._missing_indices.items()
        )
        and all(
            codes is None or (codes.dtype.kind == "i" and codes.shape == categories.shape and (codes >= 0).all())
            for codes, categories in zip(grouped, columns)
        )
    )


def _is_sound_column_transformer(columns: Any) -> bool:
    """Whether every transformer is given as many columns as it was fitted on."""
    if not _fitted(columns, "transformers_"):
        return True
    names, given = ([name for name, _, _ in steps] for steps in (columns.transformers_, columns.transformers))
    taken = columns._transformer_to_input_indices
    return (
        (columns.sparse_output_ is False or (columns.sparse_output_ is True and _may_be_sparse(columns.transformers_)))
        and len(set(names)) == len(names)
        and names[: len(given)] == given
        and all(type(p) is int and 0 <= p < columns.n_features_in_ for places in taken.values() for p in places)
        and len(getattr(columns, "feature_names_in_", ())) in (0, columns.n_features_in_)
        and all(_takes(transformer, columns, taken[name]) for name, transformer, _ in columns.transformers_)
    )


def _may_be_sparse(transformers: Any) -> bool:
    return any(
        getattr(part, "sparse_output", False) or getattr(part, "encode", "") == "onehot" or hasattr(part, "vocabulary_")
        for part in parts_of(transformers)
    )


def _takes(transformer: Any, columns: Any, places: list[int]) -> bool:
    if not (hasattr(transformer, "transform") or transformer in ("drop", "passthrough")):
        return False
    expected, given = (getattr(of, "feature_names_in_", None) for of in (transformer, columns))
    return getattr(transformer, "n_features_in_", len(places)) == len(places) and (
        expected is None or given is None or given[places].tolist() == expected.tolist()
    )


def _is_sound_transformer(transformer: Any) -> bool:
    if transformer.func is None:
        return transformer.inverse_func is None
    options = transformer.func.keywords if isinstance(transformer.func, partial) else {}
    return (
        transformer.inverse_func is None
        and bool(options.get("dtype"))
        and options.get("ensure_all_finite", True) in (True, False, "allow-nan")
    )


def _is_sound_pipeline(pipeline: Any) -> bool:
    pipeline._validate_steps()
    # A cache is a folder of pickle files.
    return pipeline.memory is None and all(
        _width(step) in (None, getattr(following, "n_features_in_", None))
        for (_, step), (_, following) in pairwise(pipeline.steps)
    )


def _width(step: Any) -> int | None:
    """Number of columns that a step of a pipeline makes; None if it does not tell."""
    from sklearn.exceptions import NotFittedError

    try:
        n_names = len(step.get_feature_names_out())
    except (AttributeError, NotFittedError):
        return None
    n_modes = getattr(step, "n_modes", 1)
    if not 0 < n_modes < 64:  # the cells of tensors are numbered by 64 bits
        raise ValueError("Tensors have too many modes.")
    return int(n_names**n_modes)


_TREES = ("sklearn.tree._classes.DecisionTreeClassifier", "sklearn.tree._classes.ExtraTreeClassifier")
_COUNTING = ("Bernoulli", "Complement", "Multinomial")
_LINEAR = ("linear_model._logistic.LogisticRegression", "linear_model._ridge.RidgeClassifier", "svm._classes.LinearSVC")
_CHECKS: dict[str, Callable[[Any], bool]] = {
    "sklearn.compose._column_transformer.ColumnTransformer": _is_sound_column_transformer,
    "sklearn.ensemble._forest.ExtraTreesClassifier": _is_sound_forest,
    "sklearn.ensemble._forest.RandomForestClassifier": _is_sound_forest,
    "sklearn.ensemble._hist_gradient_boosting.gradient_boosting.HistGradientBoostingClassifier": _is_sound_boosting,
    "sklearn.feature_extraction.text.TfidfTransformer": _is_sound_tfidf,
    "sklearn.impute._base.SimpleImputer": _is_sound_imputer,
    "sklearn.naive_bayes.GaussianNB": _is_sound_gaussian,
    "sklearn.pipeline.Pipeline": _is_sound_pipeline,
    "sklearn.preprocessing._data.StandardScaler": _is_sound_scaler,
    "sklearn.preprocessing._discretization.KBinsDiscretizer": _is_sound_binning,
    "sklearn.preprocessing._encoders.OneHotEncoder": _is_sound_one_hot,
    "sklearn.preprocessing._encoders.OrdinalEncoder": _is_sound_ordinal,
    "sklearn.preprocessing._function_transformer.FunctionTransformer": _is_sound_transformer,
    "sklearn.svm._classes.SVC": _is_sound_svc,
    **dict.fromkeys((f"sklearn.naive_bayes.{name}NB" for name in _COUNTING), _is_sound_counting),
    **dict.fromkeys((f"sklearn.{name}" for name in _LINEAR), _is_sound_linear),
    **dict.fromkeys(_TREES, _is_sound_tree),
}
