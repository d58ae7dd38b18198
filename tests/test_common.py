"""What every model of the registry has in common: scikit-learn's contract, and ours."""

import copy
import itertools
import pickle
from functools import cache, reduce

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.utils.estimator_checks import parametrize_with_checks

from tests.examples import every_name, thorough
from tests.naive_reference.averaged import aode, averaged_n_dependence
from tests.naive_reference.hidden import hidden_naive_bayes
from tests.naive_reference.naive import categorical_naive_bayes
from unnaive import HigherOrderSVC, InstanceGraphEmbedding, MDLDiscretizer, NaiveBayes, PatternTensor, TableEncoder
from unnaive.models import MODELS as REGISTRY

# Of a few rows the tensor has fewer components than dtc's default.
pytestmark = pytest.mark.filterwarnings("ignore:The tensor of these rows has no more than")

# Name of a model or transformer -> {name of a check: why it cannot pass}.
EXPECTED_FAILURES: dict[str, dict[str, str]] = {
    # These take what transform gives for an array; tests/tensors/test_pattern_tensor.py has them of its cells.
    "PatternTensor": dict.fromkeys(
        [
            "check_estimators_pickle",
            "check_fit_idempotent",
            "check_methods_sample_order_invariance",
            "check_methods_subset_invariance",
            "check_pipeline_consistency",
            "check_transformer_data_not_an_array",
            "check_transformer_general",
        ],
        "a SparseTensor is no array",
    )
}

TRANSFORMERS = {
    "TableEncoder": TableEncoder(),
    "MDLDiscretizer": MDLDiscretizer(),
    "InstanceGraphEmbedding": InstanceGraphEmbedding(n_epochs=20),
    "PatternTensor": PatternTensor(),
}
MODELS = {name: model for name, model in REGISTRY.items() if not model.is_baseline}
TABLE_MODELS = [name for name, model in MODELS.items() if model.data == "table"]
COUNTING_MODELS = [name for name in TABLE_MODELS if hasattr(MODELS[name].make(), "merge")]
every_table_model = every_name(TABLE_MODELS)
every_counting_model = every_name(COUNTING_MODELS)
a_few_seeds = pytest.mark.parametrize("seed", [0, thorough(1), thorough(2)])

COLOURS = ["amber", "blue", "coral", "drab", "ecru"]
SIZES = ["small", "large", "huge"]


def random_table(seed, n_rows, missing=0.15, n_classes=3):
    """Text, declared categories, booleans and numbers with holes, and labels that depend on them."""
    table, labels = _made_table(seed, n_rows, missing, n_classes)
    return table.copy(), labels.copy()


@cache
def _made_table(seed, n_rows, missing, n_classes):
    rng = np.random.default_rng(seed)
    labels = rng.integers(n_classes, size=n_rows)
    colour = (labels + rng.integers(3, size=n_rows)) % len(COLOURS)
    size = (colour + rng.integers(2, size=n_rows)) % len(SIZES)
    table = pd.DataFrame(
        {
            "colour": pd.Series(np.array(COLOURS, dtype=object)[colour], dtype=object),
            "size": pd.Categorical.from_codes(size, SIZES),
            "tall": pd.Series(rng.random(n_rows) < 0.3 + 0.2 * labels, dtype="boolean"),
            "width": rng.normal(labels, 1.0).round(1),
            "length": rng.normal(3.0 * labels, 2.0),
        }
    )
    for column in table:
        table.loc[rng.random(n_rows) < missing, column] = None
    return table, np.array(["no", "perhaps", "yes", "always"])[labels]


def with_declared_categories(table):
    """The same table with every category declared, so that parts of it know the values of the whole."""
    declared = {"colour": COLOURS, "tall": [False, True]}
    return table.assign(**{name: pd.Categorical(table[name], values) for name, values in declared.items()})


def given_bins(seed=0):
    """A discretizer for the numbers of `random_table` that no training changes."""
    table, labels = random_table(seed, 200)
    fitted = MDLDiscretizer().fit(table[["width", "length"]].to_numpy(), labels)
    assert (fitted.n_bins_ > 1).all()
    return FrozenEstimator(fitted)


def with_given_bins(name):
    """A model whose bins no training changes, if it has any."""
    made = MODELS[name].make()
    return made.set_params(discretizer=given_bins()) if "discretizer" in made.get_params() else made


def random_batches(seed, n_rows, n_batches):
    """The rows in random order, cut into batches of random sizes."""
    rng = np.random.default_rng(seed)
    cuts = np.sort(rng.choice(np.arange(1, n_rows), n_batches - 1, replace=False))
    return np.split(rng.permutation(n_rows), cuts)


def assert_same_model(one, other, table):
    """Bit for bit the same class counts and probabilities."""
    np.testing.assert_array_equal(one.classes_, other.classes_)
    np.testing.assert_array_equal(one.class_count_, other.class_count_)
    np.testing.assert_array_equal(one.predict_proba(table), other.predict_proba(table))


def assert_probabilities(probabilities):
    assert np.isfinite(probabilities).all()
    assert (probabilities >= 0).all()
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0, rtol=1e-12)


def _failures_of(estimator):
    for name, model in MODELS.items():
        if repr(model.make()) == repr(estimator):
            return EXPECTED_FAILURES.get(name, {})
    return EXPECTED_FAILURES.get(type(estimator).__name__, {})


ESTIMATORS = [*(model.make() for model in MODELS.values()), *TRANSFORMERS.values()]
FIRST_OF_CLASS = {type(estimator): estimator for estimator in reversed(ESTIMATORS)}
CHECKS = parametrize_with_checks(ESTIMATORS, expected_failed_checks=_failures_of)


def _with_marks(checked):
    """Leave variants of a class to the thorough tests, and costly checks.

    These are read-only arrays, for which all kernels compile again, and wide random matrices for models of text.
    """
    expected = getattr(checked, "marks", [])  # those of a check that cannot pass
    estimator, check = getattr(checked, "values", checked)
    is_variant = estimator is not FIRST_OF_CLASS[type(estimator)]
    is_read_only = check.keywords.get("readonly_memmap") and type(estimator) is not NaiveBayes
    is_wide = check.func.__name__.startswith("check_estimator_sparse") and type(estimator) is HigherOrderSVC
    is_costly = is_read_only or is_wide
    costly = [pytest.mark.thorough] if is_variant or is_costly else []
    return pytest.param(estimator, check, marks=[*expected, *costly])


@pytest.mark.parametrize(
    ("estimator", "check"), [_with_marks(checked) for checked in CHECKS.args[1]], ids=CHECKS.kwargs["ids"]
)
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


# Missing and unseen values


@every_table_model
def test_missing_values_are_allowed_in_training_and_prediction(name):
    table, labels = random_table(0, 80)
    assert table.isna().any().all()
    model = MODELS[name].make().fit(table, labels)
    probabilities = model.predict_proba(random_table(1, 80)[0])
    assert_probabilities(probabilities)
    assert len(np.unique(probabilities, axis=0)) > 3


@every_table_model
def test_a_row_without_any_value_is_judged_by_the_classes_alone(name):
    if name == "dtc":
        pytest.skip("its terms are near the cells that rows have, and not near the sums of all cells")
    if name == "pooled":
        pytest.skip("a missing value says something about the class, to its networks and trees")
    table, labels = random_table(0, 90)
    model = MODELS[name].make().fit(table, labels)
    nothing = pd.DataFrame({column: pd.Series([None], dtype=table[column].dtype) for column in table})
    probabilities = model.predict_proba(nothing)[0]
    # Smoothing pulls towards even classes, and never beyond.
    assert (np.argsort(probabilities) == np.argsort(model.class_count_)).all()
    assert np.ptp(probabilities) <= np.ptp(model.class_count_ / 90) + 1e-15


@every_table_model
def test_an_unseen_category_is_a_missing_value(name):
    table, labels = random_table(0, 80)
    model = MODELS[name].make().fit(table, labels)
    rows = random_table(1, 30)[0]
    unseen, missing = rows.copy(), rows.copy()
    unseen["colour"] = "violet"
    unseen["size"] = pd.Categorical(["tiny"] * 30, ["tiny", *SIZES])
    missing["colour"] = pd.Series([None] * 30, dtype=object)
    missing["size"] = pd.Categorical([None] * 30, SIZES)
    np.testing.assert_array_equal(model.predict_proba(unseen), model.predict_proba(missing))


# Weights


@every_table_model
@a_few_seeds
def test_whole_weights_are_repeated_rows(name, seed):
    table, labels = random_table(seed, 60)
    weights = np.random.default_rng(seed).integers(1, 4, size=60)
    repeats = np.repeat(np.arange(60), weights)
    weighted = MODELS[name].make().fit(table, labels, sample_weight=weights)
    repeated = MODELS[name].make().fit(table.iloc[repeats], labels[repeats])
    assert_same_model(weighted, repeated, random_table(seed + 10, 50)[0])


@every_table_model
@a_few_seeds
def test_rows_of_zero_weight_are_no_rows(name, seed):
    table, labels = random_table(seed, 60)
    table.loc[:9, "colour"] = "unheard-of"
    labels = np.where(np.arange(60) < 5, "unheard-of", labels)
    weights = np.random.default_rng(seed).integers(3, size=60)
    weights[:10] = 0
    used = weights > 0
    weighted = MODELS[name].make().fit(table, labels, sample_weight=weights)
    dropped = MODELS[name].make().fit(table[used], labels[used], sample_weight=weights[used])
    assert_same_model(weighted, dropped, random_table(seed + 10, 50)[0])


# Rows come and go


@every_counting_model
@a_few_seeds
def test_learning_in_batches_is_learning_at_once(name, seed):
    table, labels = random_table(seed, 70)
    weights = np.random.default_rng(seed).integers(4, size=70)
    weights[0] = 1
    whole = with_given_bins(name).fit(table, labels, sample_weight=weights)
    model = with_given_bins(name)
    for batch in random_batches(seed, 70, 8):
        if weights[batch].any():
            model.partial_fit(table.iloc[batch], labels[batch], classes=np.unique(labels), sample_weight=weights[batch])
    assert_same_model(model, whole, random_table(seed + 10, 50)[0])


@every_counting_model
def test_later_batches_may_bring_new_categories_and_the_first_missing_values(name):
    table, labels = random_table(0, 80)
    incomplete = table.isna().any(axis=1)
    rows = np.argsort(table["colour"].map(COLOURS.index, na_action="ignore").fillna(9) + 10 * incomplete, kind="stable")
    whole = with_given_bins(name).fit(table, labels)
    model = with_given_bins(name)
    known = []
    for batch in np.array_split(rows, 7):
        model.partial_fit(table.iloc[batch], labels[batch], classes=np.unique(labels))
        known.append(len(model.encoder_.categories_[0]))
    assert len(set(known)) > 2
    assert_same_model(model, whole, random_table(10, 50)[0])


@every_counting_model
def test_a_column_may_be_empty_in_the_first_batch(name):
    table, labels = random_table(0, 60)
    table.loc[:19, ["colour", "width"]] = None
    whole = with_given_bins(name).fit(table, labels)
    model = with_given_bins(name)
    for batch in (slice(0, 20), slice(20, 60)):
        model.partial_fit(table[batch], labels[batch], classes=np.unique(labels))
    assert_same_model(model, whole, random_table(10, 50)[0])


@every_counting_model
@a_few_seeds
def test_merging_parts_is_learning_at_once(name, seed):
    table, labels = random_table(seed, 70)
    whole = with_given_bins(name).fit(table, labels)
    parts = [with_given_bins(name).fit(table.iloc[batch], labels[batch]) for batch in random_batches(seed, 70, 6)]
    assert_same_model(reduce(lambda one, other: one.merge(other), parts), whole, random_table(seed + 10, 50)[0])


@every_counting_model
@pytest.mark.parametrize("apart", ["labels", "colour", "missing"])
def test_parts_may_differ_in_classes_categories_and_missing_values(name, apart):
    table, labels = random_table(0, 70)
    key = {"labels": labels, "colour": table["colour"].fillna("?"), "missing": table.isna().any(axis=1)}[apart]
    key = np.asarray(key)
    parts = [with_given_bins(name).fit(table[key == value], labels[key == value]) for value in np.unique(key)]
    assert len(parts) > 1
    whole = with_given_bins(name).fit(table, labels)
    unchanged = parts[-1].predict_proba(table)
    for order in (parts, parts[::-1]):
        merged = reduce(lambda one, other: one.merge(other), order[1:], copy.deepcopy(order[0]))
        assert_same_model(merged, whole, random_table(10, 50)[0])
    np.testing.assert_array_equal(parts[-1].predict_proba(table), unchanged)


@every_counting_model
def test_merging_a_model_with_itself_counts_every_row_twice(name):
    table, labels = random_table(0, 50)
    model = with_given_bins(name).fit(table, labels)
    twice = with_given_bins(name).fit(table, labels, sample_weight=np.full(50, 2))
    assert_same_model(model.merge(model), twice, random_table(10, 50)[0])


@every_counting_model
@a_few_seeds
def test_forgetting_rows_is_never_having_seen_them(name, seed):
    table, labels = random_table(seed, 70)
    table = with_declared_categories(table)
    weights = np.random.default_rng(seed).integers(1, 4, size=70)
    # The rest keeps missing values in every column, so that both models make room for them.
    gone = np.random.default_rng(seed + 1).random(70) < 0.4
    assert table[~gone].isna().any().all()
    model = with_given_bins(name).fit(table, labels, sample_weight=weights)
    model.forget(table[gone], labels[gone], sample_weight=weights[gone])
    rest = with_given_bins(name)
    rest.partial_fit(table[~gone], labels[~gone], classes=np.unique(labels), sample_weight=weights[~gone])
    assert_same_model(model, rest, random_table(seed + 10, 50)[0])


@every_counting_model
def test_forgetting_the_only_rows_with_missing_values_leaves_the_complete_ones(name):
    table, labels = random_table(0, 90)
    table = with_declared_categories(table)
    gone = table.isna().any(axis=1)
    model = with_given_bins(name).fit(table, labels).forget(table[gone], labels[gone])
    rest = with_given_bins(name)
    rest.partial_fit(table[~gone], labels[~gone], classes=np.unique(labels))
    new = random_table(10, 50)[0]
    # A position for missing values is kept, and sums may run in another order.
    np.testing.assert_allclose(model.predict_proba(new), rest.predict_proba(new), rtol=0, atol=1e-12)


@every_counting_model
@a_few_seeds
def test_forgetting_the_last_batch_restores_the_model(name, seed):
    table, labels = random_table(seed, 60)
    table = with_declared_categories(table)
    model = with_given_bins(name).fit(table[:40], labels[:40])
    before = copy.deepcopy(model)
    weights = np.random.default_rng(seed).integers(3, size=20)
    weights[0] = 1
    model.partial_fit(table[40:], labels[40:], sample_weight=weights)
    assert not np.array_equal(model.predict_proba(table), before.predict_proba(table))
    model.forget(table[40:], labels[40:], sample_weight=weights)
    assert_same_model(model, before, random_table(seed + 10, 50)[0])


@every_counting_model
def test_fractional_weights_are_forgotten_without_a_trace(name):
    table, labels = random_table(0, 60)
    table = with_declared_categories(table)
    weights = np.random.default_rng(0).uniform(0.1, 3.0, size=60)
    model = with_given_bins(name)
    model.fit(table, labels, sample_weight=weights).forget(table[:30], labels[:30], sample_weight=weights[:30])
    rest = with_given_bins(name)
    rest.partial_fit(table[30:], labels[30:], classes=np.unique(labels), sample_weight=weights[30:])
    new = random_table(10, 50)[0]
    np.testing.assert_allclose(model.predict_proba(new), rest.predict_proba(new), rtol=0, atol=1e-9)


@every_counting_model
def test_what_was_learnt_with_zero_weights_can_be_forgotten_with_them(name):
    table, labels = random_table(0, 60)
    table.loc[50:52, "colour"] = "unheard-of"
    weights = np.ones(60)
    weights[50:53] = 0
    model = with_given_bins(name).fit(table, labels, sample_weight=weights)
    rest = clone(model).partial_fit(table[:40], labels[:40], classes=np.unique(labels))
    model.forget(table[40:], labels[40:], sample_weight=weights[40:])
    assert_same_model(model, rest, random_table(10, 50)[0])


@every_counting_model
def test_a_model_that_has_forgotten_everything_finds_all_classes_alike(name):
    table, labels = random_table(0, 30)
    model = MODELS[name].make().fit(table, labels).forget(table, labels)
    np.testing.assert_array_equal(model.class_count_, 0)
    np.testing.assert_allclose(model.predict_proba(random_table(1, 5)[0]), 1 / 3, rtol=0, atol=1e-12)


@every_counting_model
def test_leaving_one_out_is_learning_without_that_row(name):
    if name == "pooled":
        pytest.skip("its bins and the weights of its experts stay those of all rows")
    table, labels = random_table(3, 25)
    table = with_declared_categories(table)
    weights = np.random.default_rng(3).integers(1, 4, size=25)
    model = with_given_bins(name).fit(table, labels, sample_weight=weights)
    before = model.predict_proba(table)
    found = model.leave_one_out_proba(table, labels, sample_weight=weights)
    expected = np.empty_like(found)
    for row in range(25):
        others = np.arange(25) != row
        without = clone(model).partial_fit(
            table[others], labels[others], classes=np.unique(labels), sample_weight=weights[others]
        )
        expected[row] = without.predict_proba(table[row : row + 1])[0]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
    assert np.abs(found - before).max() > 1e-3
    np.testing.assert_array_equal(model.predict_proba(table), before)


# The same answer however it is computed


@every_table_model
@pytest.mark.parametrize("n_classes", [2, thorough(4)])
def test_any_number_of_threads_gives_the_same_answer(name, n_classes):
    table, labels = random_table(0, 1100, n_classes=n_classes)
    assert_same_answer_with_any_threads(MODELS[name].make().fit(table, labels), table)


@every_table_model
@pytest.mark.parametrize("n_rows", [2400, thorough(1200), thorough(6000)])
def test_the_work_may_be_cut_where_it_is_done_in_another_way(name, n_rows):
    # Many rows of two classes, enough to prepare tables for them, which half of the rows would not be.
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=n_rows)
    X = (y[:, None] + rng.integers(7, size=(n_rows, 8))) % 8
    new = X.astype(float)
    new[::5, 3] = np.nan
    assert_same_answer_with_any_threads(MODELS[name].make(categorical_features="all").fit(X[:900], y[:900]), new)


def assert_same_answer_with_any_threads(model, table):
    methods = ("predict", "predict_proba", "predict_log_proba", "predict_joint_log_proba")
    answers = [getattr(model, method)(table) for method in methods]
    model.set_params(n_jobs=3)
    for method, answer in zip(methods, answers):
        np.testing.assert_array_equal(getattr(model, method)(table), answer)


@every_table_model
@pytest.mark.parametrize("n_classes", [4, thorough(2)])
def test_a_row_alone_gets_the_answer_it_gets_among_others(name, n_classes):
    table, labels = random_table(0, 900, n_classes=n_classes)
    model = MODELS[name].make().fit(table, labels)
    together = model.predict_proba(table)
    alone = np.concatenate([model.predict_proba(table[row : row + 1]) for row in range(0, 900, 60)])
    np.testing.assert_array_equal(alone, together[::60])


@every_table_model
def test_log_probabilities_are_the_logarithms_of_probabilities(name):
    table, labels = random_table(0, 80)
    model = MODELS[name].make().fit(table, labels)
    np.testing.assert_allclose(
        model.predict_log_proba(table), np.log(model.predict_proba(table)), rtol=1e-9, atol=1e-12
    )
    joint = model.predict_joint_log_proba(table)
    normalised = joint - np.logaddexp.reduce(joint, axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_log_proba(table), normalised, rtol=1e-12, atol=1e-12)


@every_table_model
@pytest.mark.parametrize("order", [[2, 4, 1, 0, 3], thorough([0, 1, 2, 3, 4]), thorough([4, 3, 2, 1, 0])])
def test_the_order_of_categories_does_not_matter(name, order):
    table, labels = random_table(0, 80)
    other, _ = random_table(1, 40)
    shuffled = [COLOURS[k] for k in order]
    answers = []
    for categories in (COLOURS, shuffled):
        model = MODELS[name].make().fit(table.assign(colour=pd.Categorical(table["colour"], categories)), labels)
        answers.append(model.predict_proba(other.assign(colour=pd.Categorical(other["colour"], categories))))
        # Whatever order the new rows declare, or none at all.
        np.testing.assert_array_equal(model.predict_proba(other), answers[-1])
    # What is drawn for values of a column is drawn in the order in which they are declared.
    if name not in ("massbayes", "dtc", "dtc-mixture"):
        np.testing.assert_allclose(answers[0], answers[1], rtol=0, atol=1e-12)


FRAMES = {
    "pandas": pd.DataFrame,
    "polars": lambda columns: pl.DataFrame(columns, strict=False),
    "pyarrow": pa.table,
}


def as_lists(table):
    """A pandas frame as lists with None for what is missing, which every frame library understands."""
    return {name: [None if pd.isna(value) else value for value in table[name].astype(object)] for name in table.columns}


@every_table_model
def test_pandas_polars_and_pyarrow_give_the_same_answer(name):
    table, labels = random_table(0, 80)
    table["count"] = np.random.default_rng(0).integers(5, size=80)
    new = random_table(1, 40)[0]
    new["count"] = np.random.default_rng(1).integers(7, size=40)
    answers = {}
    for library, make in FRAMES.items():
        model = MODELS[name].make().fit(make(as_lists(table)), labels)
        assert list(model.feature_names_in_) == list(table.columns)
        answers[library] = model.predict_proba(make(as_lists(new)))
    np.testing.assert_array_equal(answers["polars"], answers["pandas"])
    np.testing.assert_array_equal(answers["pyarrow"], answers["pandas"])


@every_table_model
def test_a_model_fitted_on_one_kind_of_frame_reads_the_others(name):
    table, labels = random_table(0, 80)
    columns = as_lists(random_table(1, 40)[0])
    model = MODELS[name].make().fit(table, labels)
    for make in FRAMES.values():
        np.testing.assert_array_equal(model.predict_proba(make(columns)), model.predict_proba(pd.DataFrame(columns)))


# Small tables


@every_table_model
def test_one_class_is_certain(name):
    table, _ = random_table(0, 20)
    model = MODELS[name].make().fit(table, ["only"] * 20)
    np.testing.assert_array_equal(model.predict_proba(table), np.ones((20, 1)))
    np.testing.assert_array_equal(model.predict(table), ["only"] * 20)


@every_table_model
def test_one_row_is_enough_to_learn_and_to_predict(name):
    table, labels = random_table(0, 60)
    complete = table.dropna()[:1]
    model = MODELS[name].make().fit(complete, ["first"])
    np.testing.assert_array_equal(model.predict(complete), ["first"])
    model = MODELS[name].make().fit(table, labels)
    assert_probabilities(model.predict_proba(complete))


@every_table_model
@pytest.mark.parametrize("column", ["colour", "tall", "width"])
def test_one_column_is_enough(name, column):
    table, labels = random_table(0, 120, missing=0.0)
    model = MODELS[name].make().fit(table[[column]], labels)
    assert_probabilities(model.predict_proba(table[[column]]))
    assert model.score(table[[column]], labels) > max(model.class_count_) / 120


@every_counting_model
def test_with_one_column_all_models_of_categories_are_naive_bayes(name):
    if name == "pooled":
        pytest.skip("has other experts too")
    table, labels = random_table(0, 60)
    smoothing = [{"smoothing": "laplace"}, {"alpha": 1.0}]
    model = MODELS[name].make()
    model.set_params(**next(choice for choice in smoothing if choice.keys() <= model.get_params().keys()))
    found = model.fit(table[["colour"]], labels).predict_proba(table[["colour"]])
    expected = NaiveBayes(smoothing="laplace").fit(table[["colour"]], labels).predict_proba(table[["colour"]])
    if name == "gnb":  # whose prior is not smoothed
        prior = model.class_count_ / 60 * (60 + 3) / (model.class_count_ + 1)
        expected = expected * prior / (expected * prior).sum(axis=1, keepdims=True)
    if name in ("aode", "waode", "aodesr", "a2de", "a3de"):
        pytest.skip("smooths P(y, x) where naive Bayes smooths P(y) P(x | y)")
    np.testing.assert_allclose(found, expected, rtol=1e-12)


LABELS = {
    "objects": np.array(["x", "yy", "zzz"], dtype=object),
    "text": np.array(["x", "yy", "zzz"]),
    "int8": np.array([-100, 0, 100], dtype=np.int8),
    "uint8": np.array([3, 200, 255], dtype=np.uint8),
    "wide integers": np.array([-(10**12), 0, 10**12]),
    "floats": np.array([1.0, 2.0, 5.0]),
}


# Labels of all types for one model of every way to learn, and for the others in the thorough run.
@pytest.mark.parametrize(
    ("name", "kind"),
    [
        (name, kind) if kind == "objects" or name in ("nb", "gnb", "wanbia", "dtc") else thorough(name, kind)
        for name, kind in itertools.product(TABLE_MODELS, LABELS)
    ],
)
def test_labels_may_be_of_any_type(name, kind):
    classes = LABELS[kind]
    table, _ = random_table(0, 60)
    codes = np.random.default_rng(0).integers(3, size=60)
    expected = MODELS[name].make().fit(table, codes)
    model = MODELS[name].make().fit(table, classes[codes])
    assert model.classes_.dtype == classes.dtype
    np.testing.assert_array_equal(model.classes_, classes)
    np.testing.assert_array_equal(model.predict_proba(table), expected.predict_proba(table))
    np.testing.assert_array_equal(model.predict(table), classes[expected.predict(table)])


@every_table_model
def test_two_classes_may_be_false_and_true(name):
    table, _ = random_table(0, 60)
    codes = np.random.default_rng(0).integers(2, size=60)
    model = MODELS[name].make().fit(table, codes == 1)
    expected = MODELS[name].make().fit(table, codes).predict(table)
    np.testing.assert_array_equal(model.predict(table), expected == 1)
    assert model.predict(table).dtype == bool


# Estimators among estimators


@pytest.mark.parametrize("name", [*MODELS, *TRANSFORMERS])
def test_parameters_can_be_read_set_and_cloned(name):
    estimator = MODELS[name].make() if name in MODELS else TRANSFORMERS[name]
    for parameter in estimator.get_params(deep=False):
        value = object()
        twin = clone(estimator).set_params(**{parameter: value})
        assert twin.get_params(deep=False)[parameter] is value
        assert getattr(clone(estimator), parameter) == getattr(estimator, parameter)


@every_table_model
def test_fitting_leaves_parameters_and_data_alone(name):
    table, labels = random_table(0, 40)
    model = MODELS[name].make()
    before, unchanged = model.get_params(), table.copy()
    model.fit(table, labels).predict(table)
    assert model.get_params() == before
    pd.testing.assert_frame_equal(table, unchanged)


@every_table_model
def test_a_pickled_model_answers_as_before(name):
    table, labels = random_table(0, 60)
    model = MODELS[name].make().fit(table, labels)
    twin = pickle.loads(pickle.dumps(model))
    assert_same_model(twin, model, table)
    if name in COUNTING_MODELS:
        assert_same_model(twin.partial_fit(table, labels), model.partial_fit(table, labels), table)


@pytest.mark.parametrize("name", ["TableEncoder", "MDLDiscretizer"])
@pytest.mark.parametrize(("library", "frame"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)])
def test_transformers_name_their_columns_and_give_the_frame_that_was_asked_for(name, library, frame):
    table, labels = random_table(0, 60)
    numbers = table[["width", "length"]]
    transformer = clone(TRANSFORMERS[name])
    codes = transformer.fit(numbers, labels).transform(numbers)
    assert codes.dtype == np.int32
    assert list(transformer.get_feature_names_out()) == ["width", "length"]
    output = transformer.set_output(transform=library).transform(numbers)
    assert isinstance(output, frame)
    assert list(output.columns) == ["width", "length"]
    np.testing.assert_array_equal(output.to_numpy(), codes)
    unnamed = clone(TRANSFORMERS[name]).fit(numbers.to_numpy(), labels)
    assert list(unnamed.get_feature_names_out()) == ["x0", "x1"]
    assert list(unnamed.get_feature_names_out(["a", "b"])) == ["a", "b"]


# Beside scikit-learn


@a_few_seeds
def test_gaussian_naive_bayes_is_that_of_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(4, size=200)
    X = rng.normal(size=(200, 6)) * [1, 10, 0.1, 1, 3, 1] + y[:, None] * rng.normal(size=6)
    new = rng.normal(size=(50, 6)) * 3
    ours, theirs = MODELS["gnb"].make().fit(X, y), GaussianNB().fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(new), theirs.predict_proba(new), rtol=0, atol=1e-12)
    np.testing.assert_allclose(
        ours.predict_joint_log_proba(new), theirs.predict_joint_log_proba(new), rtol=1e-12, atol=1e-11
    )
    batches = MODELS["gnb"].make()
    for batch in random_batches(seed, 200, 9):
        batches.partial_fit(X[batch], y[batch], classes=range(4))
    np.testing.assert_array_equal(batches.predict_proba(new), ours.predict_proba(new))


@a_few_seeds
def test_weighted_gaussian_naive_bayes_is_that_of_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=150)
    X = rng.normal(size=(150, 4)) + y[:, None]
    weights = rng.uniform(0.1, 4, size=150)
    new = rng.normal(size=(50, 4)) * 2
    # scikit-learn's share of the largest variance ignores weights, so nothing is added here.
    ours = MODELS["gnb"].make(var_smoothing=0.0).fit(X, y, sample_weight=weights)
    theirs = GaussianNB(var_smoothing=0.0).fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(ours.predict_proba(new), theirs.predict_proba(new), rtol=0, atol=1e-12)


@a_few_seeds
def test_naive_bayes_with_laplace_has_the_likelihoods_of_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=100)
    X = (y[:, None] + rng.integers(4, size=(100, 5))) % 5
    X[:5] = np.arange(5)[:, None]
    ours = MODELS["nb"].make(categorical_features="all").fit(X, y)
    theirs = CategoricalNB(alpha=1.0).fit(X, y)
    likelihood = sum(theirs.feature_log_prob_[j][:, X[:, j]].T for j in range(5))
    smoothed_prior = np.log((ours.class_count_ + 1) / (100 + 3))
    np.testing.assert_allclose(ours.predict_joint_log_proba(X), likelihood + smoothed_prior, rtol=1e-12)


# Wide tables


@every_table_model
@pytest.mark.parametrize("n_classes", [2, thorough(5)])
def test_three_hundred_columns_neither_underflow_nor_overflow(name, n_classes):
    if name in ("a2de", "a3de"):
        pytest.skip("counts of three or four columns among 300 do not fit into memory")
    rng = np.random.default_rng(0)
    y = rng.integers(n_classes, size=60)
    X = ((y[:, None] + rng.integers(n_classes + 1, size=(60, 300))) % n_classes > 0).astype(float)
    X[rng.random(X.shape) < 0.02] = np.nan
    new = rng.integers(2, size=(5, 300)).astype(float)
    new[0, ::2] = np.nan
    numbers = name in ("gnb", "kde-nb")
    parameters = {"k": 1} if name == "kdb" else {}
    model = MODELS[name].make(categorical_features=None if numbers else "all", **parameters).fit(X, y)
    assert_probabilities(model.predict_proba(X))
    assert_probabilities(model.predict_proba(new))
    assert np.isfinite(model.predict_joint_log_proba(new)).all()
    assert name == "dtc" or model.score(X, y) > 0.9  # terms of a few sweeps know little of so many columns
    reference = {"nb": categorical_naive_bayes, "aode": aode, "hnb": hidden_naive_bayes}.get(name)
    if reference is not None and n_classes == 2:
        train, rows = (np.where(np.isnan(table), -1, table).astype(int)[:, :50] for table in (X, new[:1]))
        model.fit(X[:, :50], y)
        expected = reference(train, y, np.ones(60), [2] * 50, n_classes, rows)
        np.testing.assert_allclose(model.predict_proba(new[:1, :50]), expected, rtol=0, atol=1e-9)


def coded_table(seed, n_rows, n_columns, n_classes, missing=0.1):
    """Codes, of two and of three values in turn, with -1 for missing, as floats with NaN for the model; and classes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(n_classes, size=n_rows)
    codes = (y[:, None] + rng.integers(3, size=(n_rows, n_columns))) % 3
    codes[:, ::2] = np.minimum(codes[:, ::2], 1)
    codes[rng.random(codes.shape) < missing] = -1
    return codes, np.where(codes < 0, np.nan, codes), y


@pytest.mark.parametrize("n", [1, 2, thorough(3)])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("safe_bits", [5.0, thorough(30.0), thorough(60.0)])
@pytest.mark.parametrize("missing", [0.1, thorough(0.0)])
def test_products_kept_as_logarithms_give_the_same_averages(monkeypatch, n, n_classes, safe_bits, missing):
    _, X, y = coded_table(0, 80, 9, n_classes, missing)
    _, new, _ = coded_table(1, 40, 9, n_classes, missing)
    for parameters in ({}, {"weighted": True}, {"frequency_limit": 3}, {"smoothing": "laplace", "subsumption": 5}):
        model = MODELS["a2de"].make(categorical_features="all", **(parameters | {"n": n})).fit(X, y)
        plain = model.predict_joint_log_proba(new)
        with monkeypatch.context() as patch:
            patch.setattr("unnaive.bayes.aode._SAFE_BITS", safe_bits)
            scaled = model.fit(X, y).predict_joint_log_proba(new)
        np.testing.assert_allclose(scaled, plain, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_order_of_the_rows_to_predict_does_not_matter(n, n_classes):
    rng = np.random.default_rng(0)
    y = rng.integers(n_classes, size=300)
    # Tables so large that rows may be taken in an order in which neighbours share values.
    n_values = {1: 60, 2: 12, 3: 6}[n]
    X = (y[:, None] + rng.integers(n_values, size=(300, 8))) % n_values
    model = MODELS["a2de"].make(categorical_features="all", n=n).fit(X, y)
    assert model.statistic_.tables[n].nbytes > 2**20
    order = rng.permutation(300)
    np.testing.assert_array_equal(model.predict_proba(X[order]), model.predict_proba(X)[order])


@pytest.mark.parametrize(("n", "n_columns", "weight"), [(1, 120, 1e7), thorough(2, 60, 1e7), thorough(3, 34, 1e12)])
@pytest.mark.parametrize("counts", ["tiny", "huge"])
def test_wide_tables_of_tiny_or_huge_counts_give_the_averages_of_the_definition(n, n_columns, weight, counts):
    m, weight = (1 / weight, 1.0) if counts == "tiny" else (1.0, weight)
    y = np.repeat([0, 1, 2], 4)
    codes = np.repeat([[0], [1], [0]], 4, axis=0) * np.ones((1, n_columns), dtype=int)
    codes[:, 0] = np.random.default_rng(0).integers(2, size=12)
    weights = np.full(12, weight)
    model = MODELS["a2de"].make(categorical_features="all", n=n, m=m).fit(codes, y, sample_weight=weights)
    expected = averaged_n_dependence(codes, y, weights, [2] * n_columns, 3, codes[:1], n=n, m=m)
    assert (expected > 0).all()
    np.testing.assert_allclose(model.predict_proba(codes[:1]), expected, rtol=1e-9)


def test_no_two_models_of_the_registry_are_the_same():
    for one, other in itertools.combinations(MODELS.values(), 2):
        assert (one.estimator, one.parameters) != (other.estimator, other.parameters)
    for name, model in MODELS.items():
        assert model.name == name
        assert model.description
        assert model.paper
