"""Model files keep models exactly, and are refused in one sentence where they are damaged or hostile.

Run as a program, this is the fuzzer: ``python -m tests.persist.test_model_file seed number folder`` makes that many
bad files from sound ones, loads each, and reports what became of them.
"""

import copy
import hashlib
import io
import itertools
import json
import os
import pickle
import re
import subprocess
import sys
import warnings
import zipfile
from collections import Counter
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
import skops.io
from joblib import parallel_config
from sklearn import config_context
from sklearn._loss._loss import CyHalfBinomialLoss
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.exceptions import InconsistentVersionWarning, NotFittedError
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
)
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

import unnaive
from tests.examples import every_name
from tests.persist.files import as_npy, forged, members_of, parts_of, whole_of
from tests.test_common import (
    COUNTING_MODELS,
    TABLE_MODELS,
    assert_same_model,
    given_bins,
    random_table,
    with_given_bins,
)
from unnaive import (
    AODE,
    TAN,
    AnDE,
    DecomposedTensorClassifier,
    HigherOrderNB,
    HigherOrderTransformer,
    MassBayes,
    MDLDiscretizer,
    NaiveBayes,
    SubgraphTensor,
    TableEncoder,
    Terms,
    __version__,
)
from unnaive.core.saved_state import KeptState
from unnaive.models import MODELS
from unnaive.persist import ModelFileError, SavedModel, load, model_file, read_manifest, save
from unnaive.persist import allow_list as types
from unnaive.persist.soundness import parts_of as parts_with_attributes
from unnaive.tensors.bat import BayesianTensorClassifier
from unnaive.tensors.support_tensor_machine import SupportTensorMachine

ROOT = Path(__file__).parents[2]
TEXT_MODELS = [name for name, model in MODELS.items() if model.data == "text"]
TENSOR_MODELS = [name for name, model in MODELS.items() if model.data == "tensor"]
# Models of numbers, and what makes their files small or their fits short.
NUMERIC_MODELS = {"icgnb": {"n_epochs": 5}, "ag-nbc": {"n_hidden": 3}, "ae-nbc": {"n_epochs": 3}}
SAVED = [name for name, model in MODELS.items() if model.data == "table" and model.can_be_saved]
every_model = every_name(SAVED)
every_text_model = pytest.mark.parametrize("name", TEXT_MODELS)
every_counting_model = every_name(COUNTING_MODELS)


def answer(model, table):
    """Probabilities, or whatever else the model has to say."""
    if hasattr(model, "predict_joint_log_proba"):
        return model.predict_joint_log_proba(table)
    return model.predict_proba(table) if hasattr(model, "predict_proba") else model.decision_function(table)


def there_and_back(model, folder, **kept):
    save(model, folder / "model.unnaive", **kept)
    return load(folder / "model.unnaive")


def assert_kept(model, table, folder):
    loaded = there_and_back(model, folder).model
    assert type(loaded) is type(model)
    without_places = [re.sub("0x[0-9a-f]+", "", repr(each)) for each in (loaded, model)]
    assert without_places[0] == without_places[1]
    np.testing.assert_array_equal(loaded.classes_, model.classes_)
    assert loaded.classes_.dtype == model.classes_.dtype
    np.testing.assert_array_equal(answer(loaded, table), answer(model, table))
    np.testing.assert_array_equal(loaded.predict(table), model.predict(table))
    return loaded


SEA, HILL = ["boat", "sail", "wave", "salt", "harbour", "tide"], ["climb", "rock", "snow", "ridge", "goat", "summit"]


def random_documents(seed, n_documents=60):
    """Texts about the sea, hills or both, one empty, and what they are about."""
    rng = np.random.default_rng(seed)
    labels = np.array(["both", "hill", "sea"])[np.arange(n_documents) % 3]
    words = {"sea": SEA, "hill": HILL, "both": [*SEA, *HILL]}
    texts = [" ".join(rng.choice(words[label], rng.integers(2, 9))) for label in labels]
    return [*texts[:-1], ""], labels


# What was saved is what is loaded


@every_model
def test_every_model_of_the_registry_answers_as_before(name, tmp_path):
    few = {"forest": {"n_estimators": 9}, "boosting": {"max_iter": 3}}.get(name, {})
    model = MODELS[name].make(**few).fit(*random_table(0, 120))
    assert_kept(model, random_table(1, 80)[0], tmp_path)


@every_text_model
def test_every_model_of_text_answers_as_before(name, tmp_path):
    assert_kept(MODELS[name].make_for_documents().fit(*random_documents(0)), random_documents(1)[0], tmp_path)


@pytest.mark.parametrize("name", TENSOR_MODELS)
def test_a_model_of_tensors_of_tables_and_of_text_answers_as_before(name, tmp_path):
    (table, labels), (new, _) = random_table(0, 120), random_table(1, 80)
    assert_kept(MODELS[name].make_for_table().fit(table, labels), new, tmp_path)
    assert_kept(MODELS[name].make_for_documents().fit(*random_documents(0)), random_documents(1)[0], tmp_path)


def graphs_of(seed, n_graphs=20):
    """Chains of atoms, with rings among those of the first class."""
    rng = np.random.default_rng(seed)
    labels = np.array(["ring", "chain"])[np.arange(n_graphs) % 2]
    graphs = []
    for label in labels:
        atoms = rng.choice(["C", "C", "N", "O"], size=6).tolist()
        edges = [[i, i + 1, int(rng.integers(1, 3))] for i in range(5)] + ([[0, 5, 1]] if label == "ring" else [])
        graphs.append({"atoms": atoms, "edges": edges})
    return graphs, labels


def model_of_graphs():
    return make_pipeline(SubgraphTensor(min_support=0.2, max_edges=3, max_patterns=8), BayesianTensorClassifier())


def test_a_model_of_graphs_answers_as_before(tmp_path):
    model = model_of_graphs().fit(*graphs_of(0))
    loaded = assert_kept(model, graphs_of(1)[0], tmp_path)
    assert loaded[0].patterns_ == model[0].patterns_
    assert loaded[0].get_feature_names_out().tolist() == model[0].get_feature_names_out().tolist()


BROKEN_PATTERNS = {
    "none": lambda patterns: patterns.clear(),
    "a vertex that is not there": lambda patterns: patterns[0][1].append([0, 9, 1]),
    "a vertex that no edge has": lambda patterns: patterns[0][0].append("C"),
    "an edge from nowhere": lambda patterns: patterns[-1].__setitem__(slice(2), ["CCCC", [[0, 1, 1], [2, 3, 1]]]),
    "no edges": lambda patterns: patterns[0][1].clear(),
    "an edge twice": lambda patterns: patterns[0][1].append([1, 0, 1]),
    "one pattern less": lambda patterns: patterns.pop(),
}


@pytest.mark.parametrize("broken", BROKEN_PATTERNS)
def test_patterns_that_do_not_fit_together_are_refused(broken):
    def restore(patterns):
        tensors = SubgraphTensor.__new__(SubgraphTensor)
        tensors.__setstate__({**state, "patterns_": json.dumps(patterns)})
        tensors.check_state()

    state = model_of_graphs()[0].fit(*graphs_of(0)).__getstate__()
    patterns = json.loads(state["patterns_"])
    restore(patterns)
    BROKEN_PATTERNS[broken](patterns)
    with pytest.raises(ValueError, match=r"not fit together|Edge \("):
        restore(patterns)


@pytest.mark.parametrize("names", [True, False])
@pytest.mark.parametrize("name", NUMERIC_MODELS)
def test_a_model_of_numbers_answers_as_before(name, names, tmp_path):
    (table, labels), (new, _) = random_table(0, 120, missing=0.0), random_table(1, 80, missing=0.0)
    X, new = (rows[["width", "length"]] if names else rows[["width", "length"]].to_numpy() for rows in (table, new))
    model = MODELS[name].make(n_jobs=2, **NUMERIC_MODELS[name]).fit(X, labels)
    loaded = assert_kept(model, new, tmp_path)
    assert vars(loaded).keys() == vars(model).keys()
    assert hasattr(loaded, "feature_names_in_") == names


@pytest.mark.parametrize("names", [True, False])
@pytest.mark.parametrize("name", [name for name in TEXT_MODELS if not MODELS[name].is_baseline])
def test_a_model_of_a_matrix_of_terms_answers_as_before(name, names, tmp_path):
    documents, labels = random_documents(0)
    terms = Terms().fit(documents)
    X, new = (
        pd.DataFrame(X.toarray(), columns=terms.get_feature_names_out()) if names else X
        for X in (terms.transform(documents), terms.transform(random_documents(1)[0]))
    )
    loaded = assert_kept(MODELS[name].make().fit(X, labels), new, tmp_path)
    assert hasattr(loaded, "feature_names_in_") == names


def test_a_model_of_documents_goes_on_learning_as_if_it_had_never_been_saved(tmp_path):
    (first, y), (more, z) = random_documents(0), random_documents(1)
    terms = Terms().fit(first)
    model = HigherOrderNB().fit(terms.transform(first), y)
    loaded = there_and_back(model, tmp_path).model
    for each in (model, loaded):
        each.partial_fit(terms.transform(more), z).forget(terms.transform(first[:20]), y[:20])
    np.testing.assert_array_equal(loaded.path_count_, model.path_count_)
    empty = there_and_back(model.forget(terms.transform([*first[20:], *more]), [*y[20:], *z]), tmp_path).model
    np.testing.assert_array_equal(empty.class_count_, 0)


def random_counts(seed, n_tensors=40, n_classes=3):
    """Tensors of counts, mostly zero, and what they depend on."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n_tensors) % n_classes
    X = rng.poisson(0.3 + 0.6 * (np.arange(4) == labels[:, None, None]), size=(n_tensors, 5, 4))
    return X, np.array(["hill", "sea", "town"])[labels]


@pytest.mark.parametrize(
    "model",
    [
        BayesianTensorClassifier(),
        BayesianTensorClassifier(cells="mdl", weighting="equal", n_jobs=2),
        SupportTensorMachine(C=0.5, n_jobs=2),
    ],
    ids=repr,
)
@pytest.mark.parametrize("names", [None, True, False])
def test_a_model_of_tensors_answers_as_before(model, names, tmp_path):
    (X, y), (new, _) = random_counts(0), random_counts(1)
    if names is not None:
        X, new = (tensors.reshape(-1, 20) for tensors in (X, new))
    if names:
        X, new = (pd.DataFrame(rows, columns=[f"c{j}" for j in range(20)]) for rows in (X, new))
    model = clone(model).fit(X, y)
    loaded = assert_kept(model, new, tmp_path)
    assert vars(loaded).keys() == vars(model).keys()
    assert loaded.mode_sizes_ == model.mode_sizes_ == ((5, 4) if names is None else (20,))
    assert hasattr(loaded, "feature_names_in_") == bool(names)


def test_a_model_of_tensors_goes_on_learning_as_if_it_had_never_been_saved(tmp_path):
    (X, y), (more, z) = random_counts(0), random_counts(1)
    model = BayesianTensorClassifier().fit(X, y)
    loaded = there_and_back(model, tmp_path).model
    for each in (model, loaded):
        each.partial_fit(more, z).forget(X[:20], y[:20])
    np.testing.assert_array_equal(loaded.predict_joint_log_proba(X), model.predict_joint_log_proba(X))
    empty = there_and_back(model.forget(np.vstack([X[20:], more]), [*y[20:], *z]), tmp_path).model
    np.testing.assert_array_equal(empty.class_count_, 0)
    np.testing.assert_allclose(empty.predict_proba(X), 1 / 3)


@every_counting_model
def test_all_attributes_of_a_counting_model_come_back(name, tmp_path):
    model = MODELS[name].make(n_jobs=2).fit(*random_table(0, 120, n_classes=2))
    loaded = assert_kept(model, random_table(1, 600)[0], tmp_path)
    assert vars(loaded).keys() == vars(model).keys()
    assert str(loaded.get_params()) == str(model.get_params())
    assert getattr(loaded, "parents_", None) == getattr(model, "parents_", None)
    for attribute in ("class_is_parent_", "dependence_", "parent_weight_", "class_count_"):
        if hasattr(model, attribute):
            np.testing.assert_array_equal(getattr(loaded, attribute), getattr(model, attribute))


@every_counting_model
def test_a_loaded_model_goes_on_learning_as_if_it_had_never_been_saved(name, tmp_path):
    first, more, other = (random_table(seed, 60) for seed in range(3))
    classes = ["always", "no", "perhaps", "yes"]
    model = with_given_bins(name).partial_fit(*first, classes=classes)
    loaded = there_and_back(model, tmp_path).model
    more[0]["colour"] = more[0]["colour"].replace("amber", "a colour never seen")
    table = random_table(3, 50)[0]
    for each in (model, loaded):
        each.partial_fit(*more)
    assert_same_model(loaded, model, table)
    apart = clone(model).partial_fit(*other, classes=classes)
    for each in (model, loaded):
        each.merge(there_and_back(apart, tmp_path).model)
    assert_same_model(loaded, model, table)
    for each in (model, loaded):
        each.forget(*first)
    assert_same_model(loaded, model, table)
    np.testing.assert_array_equal(loaded.leave_one_out_proba(*more), model.leave_one_out_proba(*more))


@every_counting_model
def test_a_model_that_has_forgotten_everything_can_be_kept(name, tmp_path):
    rows = random_table(0, 40)
    model = MODELS[name].make().fit(*rows).forget(*rows)
    assert_same_model(there_and_back(model, tmp_path).model.partial_fit(*rows), model.partial_fit(*rows), rows[0])


@every_counting_model
def test_fractional_weights_are_kept_to_the_last_bit(name, tmp_path):
    table, labels = random_table(0, 90)
    weights = np.random.default_rng(0).gamma(1.0, size=90)
    model = MODELS[name].make().fit(table, labels, weights).forget(table[:30], labels[:30], weights[:30])
    assert_kept(model, table, tmp_path)


@pytest.mark.parametrize(
    "labels",
    [
        ["yes", "no"],
        [3, -1, 2**60],
        [True, False],
        [1.0, 2.0],
        ["the only class"],
        np.array(["größer", "a", "a\0", "\ud800"], dtype=object),
        np.array([1, 2], dtype=np.uint8),
        pd.Series(["x", "y"], dtype="category"),
        pd.Series(["x", "y"], dtype="string"),
    ],
    ids=repr,
)
def test_labels_of_any_kind_come_back(labels, tmp_path):
    table = random_table(0, 60)[0]
    order = np.random.default_rng(0).integers(len(labels), size=60)
    y = labels.iloc[order] if isinstance(labels, pd.Series) else np.asarray(labels)[order]
    for model in (TAN(), NaiveBayes(numeric="gaussian")):
        assert_kept(model.fit(table, y), table, tmp_path)


@pytest.mark.parametrize(
    "values",
    [
        ["red", "blue", "", "größe", "a\0"],
        [1, 2**70, -3],
        [0.25, 1e300, -0.0],
        [True, False],
        [1, 2.5, "text", True],
        np.array(["a", "b"]).astype(object),
        np.array([np.int64(4), np.float64(0.5), np.str_("x"), np.bool_(False)], dtype=object),
    ],
    ids=repr,
)
def test_categories_of_any_kind_come_back(values, tmp_path):
    column = np.array(list(itertools.islice(itertools.cycle([*values, None]), 40)) + [None] * 2, dtype=object)
    table = pd.DataFrame({"c": pd.Series(column, dtype=object), "d": ["x", "y"] * 21})
    model = AODE().fit(table, np.arange(42) % 2)
    loaded = assert_kept(model, table, tmp_path)
    assert loaded.encoder_.categories_[0].tolist() == model.encoder_.categories_[0].tolist()


def test_declared_categories_that_never_occur_are_kept(tmp_path):
    table = pd.DataFrame({"size": pd.Categorical(["s", "m"] * 10, ["xl", "m", "s", "xs"], ordered=True)})
    loaded = assert_kept(NaiveBayes().fit(table, np.arange(20) % 2), table, tmp_path)
    assert loaded.encoder_.categories_[0].tolist() == ["xl", "m", "s", "xs"]
    assert loaded.encoder_._categories[0].declared == ["xl", "m", "s", "xs"]


def test_frames_of_polars_and_arrays_without_names_are_kept(tmp_path):
    table, labels = random_table(0, 60)
    frame = pl.from_pandas(table)
    loaded = assert_kept(TAN().fit(frame, labels), frame, tmp_path)
    with pytest.raises(ValueError, match="feature names should match"):
        loaded.predict(frame.rename({"width": "breadth"}))
    numbers = table[["width", "length"]].to_numpy()
    loaded = assert_kept(TAN().fit(numbers, labels), numbers, tmp_path)
    with pytest.raises(ValueError, match="3 features"):
        loaded.predict(np.zeros((2, 3)))


@pytest.mark.parametrize(
    "discretizer",
    [
        None,
        MDLDiscretizer(criterion="kononenko", better_encoding=True),
        KBinsDiscretizer(4, encode="ordinal"),
        given_bins(),
        OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=-1),
    ],
    ids=repr,
)
def test_discretizers_are_kept(discretizer, tmp_path):
    table, labels = random_table(0, 100, missing=0.0)
    loaded = assert_kept(AODE(discretizer=discretizer).fit(table, labels), table, tmp_path)
    if isinstance(discretizer, FrozenEstimator):
        assert loaded.encoder_.discretizer_ is loaded.encoder_.discretizer is loaded.discretizer


@pytest.mark.parametrize(
    "categorical_features", ["all", [0, 1, 2], ["colour", "size", "tall"], np.array([True, True, True, False, True])]
)
def test_the_choice_of_categorical_columns_is_kept(categorical_features, tmp_path):
    table, labels = random_table(0, 60)
    loaded = assert_kept(AODE(categorical_features=categorical_features).fit(table, labels), table, tmp_path)
    np.testing.assert_array_equal(loaded.categorical_features, categorical_features)


def test_a_model_is_loaded_by_another_process(tmp_path):
    table, labels = random_table(0, 80)
    model = AnDE(n=2).fit(table, labels)
    save(model, tmp_path / "model.unnaive", target="answer")
    code = (
        "import pickle, sys; from unnaive.persist import load; saved = load(sys.argv[1]);"
        "told = saved.target, saved.model.predict_proba(pickle.load(sys.stdin.buffer));"
        "sys.stdout.buffer.write(pickle.dumps(told))"
    )
    told = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "model.unnaive"],
        input=pickle.dumps(table),
        capture_output=True,
        check=True,
    )
    assert told.stderr == b""
    target, probabilities = pickle.loads(told.stdout)
    assert target == "answer"
    np.testing.assert_array_equal(probabilities, model.predict_proba(table))


# scikit-learn's models, and ours among them


def mixed(*steps, **settings):
    """A pipeline that takes mixed columns."""
    columns = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False, **settings), ["colour", "size"]),
        (SimpleImputer(), ["width", "length"]),
    )
    return make_pipeline(columns, *steps)


def table_of_objects(seed, n_rows):
    """A table without the dtypes that SimpleImputer stumbles over."""
    table, labels = random_table(seed, n_rows)
    plain = {name: table[name].astype(object).where(table[name].notna(), np.nan) for name in ("size", "tall")}
    return table.assign(**plain), labels


PIPELINES = {
    "logistic": mixed(StandardScaler(), LogisticRegression(max_iter=500)),
    "dropped": mixed(LogisticRegression(max_iter=500), drop="first"),
    "infrequent": mixed(LogisticRegression(max_iter=500), min_frequency=20, drop="if_binary"),
    "ridge": mixed(MinMaxScaler(), RidgeClassifier()),
    "linear-svc": mixed(MaxAbsScaler(), LinearSVC()),
    "svc": mixed(RobustScaler(), SVC(kernel="poly")),
    "lda": mixed(PCA(3), LinearDiscriminantAnalysis()),
    "qda": mixed(PCA(2), QuadraticDiscriminantAnalysis()),
    "dummy": mixed(DummyClassifier()),
    "bernoulli": mixed(KBinsDiscretizer(3), BernoulliNB()),
    "multinomial": mixed(MinMaxScaler(), MultinomialNB()),
    "complement": mixed(MinMaxScaler(), ComplementNB()),
    "categorical": mixed(KBinsDiscretizer(2, encode="ordinal"), CategoricalNB()),
    "gaussian": mixed(QuantileTransformer(n_quantiles=20), PowerTransformer(standardize=False), GaussianNB()),
    "tree": mixed(DecisionTreeClassifier(max_depth=4)),
    "extra-tree": mixed(ExtraTreeClassifier()),
    "forest": mixed(RandomForestClassifier(4)),
    "extra-trees": mixed(ExtraTreesClassifier(4)),
    "boosting": mixed(HistGradientBoostingClassifier(max_iter=3)),
    "boosted-trees": mixed(AdaBoostClassifier(n_estimators=3)),
    "bagging": mixed(BaggingClassifier(DecisionTreeClassifier(), n_estimators=3, max_features=0.5)),
    "voting": VotingClassifier([("tan", TAN()), ("aode", AODE())], voting="soft"),
    "stacking": StackingClassifier([("tan", TAN()), ("nb", NaiveBayes())], LogisticRegression(), cv=2),
    "union": make_pipeline(make_union(TableEncoder(), TableEncoder(discretizer=given_bins())), AODE()),
    "binned": make_pipeline(TableEncoder(), LogisticRegression(max_iter=500)),
    "imputed": make_pipeline(SimpleImputer(strategy="most_frequent").set_output(transform="pandas"), TAN()),
    "text": MODELS["boosting"].make(max_iter=2),
    "selected": MODELS["sk-gnb"].make(),
}


@pytest.mark.parametrize("name", PIPELINES)
def test_pipelines_answer_as_before(name, tmp_path):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Found unknown categories|Bins whose width")
        assert_kept(clone(PIPELINES[name]).fit(*table_of_objects(0, 150)), table_of_objects(1, 60)[0], tmp_path)


@pytest.mark.filterwarnings("ignore:Feature 0 is constant")
def test_a_column_of_one_value_in_bins_is_kept(tmp_path):
    table = pd.DataFrame({"one": np.ones(30), "other": np.arange(30.0)})
    assert_kept(MODELS["sk-bnb"].make().fit(table, np.arange(30) % 2), table, tmp_path)


def ratios_of_two_classes():
    return make_pipeline(Terms(), HigherOrderTransformer(), LogisticRegression())


def test_the_transformation_into_ratios_answers_as_before(tmp_path):
    documents, labels = random_documents(0)
    assert_kept(ratios_of_two_classes().fit(documents, labels == "sea"), random_documents(1)[0], tmp_path)


def fitted_models():
    """A fitted model for every type that may be in a file, those of the registry among them."""
    table, labels = table_of_objects(0, 100)
    for model in [*PIPELINES.values(), *(MODELS[name].make() for name in TABLE_MODELS)]:
        yield clone(model).fit(table, labels)
    numbers = table[["width", "length"]].fillna(0.0)
    for name in NUMERIC_MODELS:
        yield MODELS[name].make(**NUMERIC_MODELS[name]).fit(numbers, labels)
    for name in TENSOR_MODELS:
        yield MODELS[name].make_for_table().fit(table, labels)
    documents = random_documents(0)
    of_text = [MODELS[name].make_for_documents() for name in (*TEXT_MODELS, *TENSOR_MODELS)]
    for model in [*of_text, ratios_of_two_classes()]:
        yield model.fit(documents[0], documents[1] == "sea")
    yield model_of_graphs().fit(*graphs_of(0))
    yield clone(PIPELINES["boosting"]).fit(table, labels == "no")


@pytest.mark.filterwarnings("ignore:Bins whose width")
def test_every_type_that_may_be_in_a_file_is_in_one_under_its_public_name():
    found = set()
    for model in fitted_models():
        payload = model_file._pack(model)
        found |= set(types.audit(payload)[0])
        schema = members_of(payload)[0]
        assert not re.search(r'"unnaive\.', json.dumps(schema))
        assert {node["__module__"] for node in nodes_of(schema) if "unnaive" in node["__module__"]} <= {"unnaive"}
    assert {f"unnaive.{model.estimator}" for model in MODELS.values() if not model.is_baseline} <= found
    here = CyHalfBinomialLoss.__module__
    for kind in ("ObjectNode", "TreeNode", "LossNode", "RandomGeneratorNode", "PartialNode", "FunctionNode"):
        known = {name for name in types.TYPES[kind] if kind != "LossNode" or name.startswith(f"{here}.")}
        assert known <= found


def test_only_classifiers_that_were_fitted_are_saved(tmp_path):
    with pytest.raises(NotFittedError):
        save(AODE(), tmp_path / "model.unnaive")
    with pytest.raises(ModelFileError, match="This MDLDiscretizer is not a classifier"):
        save(MDLDiscretizer().fit([[1.0], [2.0]], [0, 1]), tmp_path / "model.unnaive")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", types.OWN_TYPES.values())
def test_every_type_of_this_package_in_a_file_checks_itself(name):
    kind = getattr(unnaive, name.removeprefix("unnaive."))
    assert types.type_name(kind) == name
    assert callable(kind.check_state)
    kind.check_state(kind([], []) if name == "unnaive.Categories" else kind())  # before it is fitted


def test_a_model_that_cannot_be_checked_is_neither_saved_nor_loaded(fitted, tmp_path, monkeypatch):
    path = tmp_path / "model.unnaive"
    save(fitted, path)
    monkeypatch.delattr(KeptState, "check_state")
    refused(path, "does not hold a sound model")
    with pytest.raises(ModelFileError, match="cannot be saved"):
        save(fitted, tmp_path / "other.unnaive")


def test_parts_that_are_not_fitted_are_kept(tmp_path):
    steps = [(name, make_pipeline(*steps)) for name, steps in {"a": (TableEncoder(), AODE()), "b": (TAN(),)}.items()]
    voting = VotingClassifier(steps, voting="soft").fit(*random_table(0, 60))
    assert_kept(voting, random_table(1, 20)[0], tmp_path)
    with pytest.raises(NotFittedError):
        load(tmp_path / "model.unnaive").model.estimators[0][1][0].transform(random_table(0, 20)[0])


def test_parts_of_scikit_learn_that_are_not_fitted_are_kept(tmp_path):
    weighted = make_pipeline(TfidfTransformer(), MultinomialNB())
    models = {"svc": SVC(), "boosting": HistGradientBoostingClassifier(max_iter=1), "weighted": weighted}
    table, labels = random_table(0, 60, missing=0.0)
    numbers = table[["width", "length"]].abs()
    voting = VotingClassifier(list(models.items())).fit(numbers, labels)
    loaded = there_and_back(voting, tmp_path).model
    assert loaded.predict(numbers).tolist() == voting.predict(numbers).tolist()
    # Votes come from fitted copies; the models that were given stay as they are.
    for _, given in loaded.estimators:
        with pytest.raises(NotFittedError):
            given.predict(numbers)


class OwnAODE(AODE):
    """Somebody's own classifier, whose code a file does not have."""


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (OwnAODE(), "tests.persist.test_model_file.OwnAODE"),
        (make_pipeline(FunctionTransformer(np.log1p), GaussianNB()), "numpy.*log1p"),
        (make_pipeline(FunctionTransformer(partial(np.add, 1)), GaussianNB()), "numpy.*add"),
        (SVC(kernel=np.inner), "no file can hold"),
        (make_pipeline(StandardScaler(), GaussianNB(), memory="somewhere"), "no file can hold"),
        (make_pipeline(OneHotEncoder(handle_unknown="ignore"), SVC()), "csr_"),
        (AODE(discretizer=FrozenEstimator(FunctionTransformer(np.sign))), "numpy.*sign"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_what_a_file_may_not_hold_is_refused_when_it_is_saved(model, reason, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table, labels = random_table(0, 60, missing=0.0)
    model.fit(table[["width", "length"]].abs(), labels)
    with pytest.raises(ModelFileError, match=reason):
        save(model, "model.unnaive")
    assert not Path("model.unnaive").exists()


def test_a_model_whose_parameters_were_changed_since_is_refused(tmp_path):
    model = AnDE(n=2).fit(*random_table(0, 60))
    for changed in ({"n": 1}, {"n": 3}, {"m": -1}, {"smoothing": "none"}):
        with pytest.raises(ModelFileError, match="changed after it was fitted"):
            save(copy.deepcopy(model).set_params(**changed), tmp_path / "model.unnaive")
    with pytest.raises(ModelFileError, match="changed after it was fitted"):
        save(NaiveBayes().fit(*random_table(0, 60)).set_params(numeric="gaussian"), tmp_path / "model.unnaive")


def test_copies_and_pickles_keep_what_files_leave_out():
    with config_context(enable_metadata_routing=True):
        model = AnDE(n=1).set_fit_request(sample_weight=True)
    model.fit(*random_table(0, 60)).note = "mine"
    model.set_params(n=3)  # makes no difference before the next fit
    rows = random_table(1, 20)[0]
    for twin in (copy.copy(model), copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert vars(twin).keys() == vars(model).keys()
        assert twin.note == "mine"
        np.testing.assert_array_equal(twin.predict_proba(rows), model.predict_proba(rows))
    assert copy.copy(model).statistic_ is model.statistic_
    assert copy.deepcopy(model).statistic_.pairs is not model.statistic_.pairs
    assert clone(model).n == 3


# The manifest


def test_the_manifest_tells_what_the_model_is(tmp_path):
    table, labels = random_table(0, 120)
    model = AODE(m=2.5, discretizer=given_bins()).fit(table, labels, np.full(120, 0.5))
    saved = there_and_back(model, tmp_path, target="answer", notes={"data": "table.csv", "folds": [1, 2]})
    manifest = read_manifest(tmp_path / "model.unnaive")
    assert isinstance(saved, SavedModel)
    assert saved.manifest == manifest
    assert saved.target == manifest["target"] == "answer"
    assert manifest["format"] == 3
    assert manifest["unnaive"] == __version__
    assert manifest["estimator"] == "AODE"
    assert manifest["parameters"].keys() == model.get_params(deep=False).keys()
    assert manifest["parameters"]["m"] == "2.5"
    assert manifest["classes"] == ["no", "perhaps", "yes"]
    assert manifest["weight"] == 60.0
    assert manifest["notes"] == {"data": "table.csv", "folds": [1, 2]}
    assert manifest["contract"] == {"bins": "fixed", "n_cut": 120, "n_forgotten": 0, "n_grouped": 0}
    cuts = [points.tolist() for points in model.encoder_.discretizer_.cut_points_]
    facts = [
        ("colour", "category", "text", 5, None),
        ("size", "category", "text", 3, None),
        ("tall", "category", "booleans", 2, None),
        ("width", "number", "numbers", len(cuts[0]) + 1, cuts[0]),
        ("length", "number", "numbers", len(cuts[1]) + 1, cuts[1]),
    ]
    assert manifest["columns"] == [dict(zip(("name", "kind", "holds", "values", "cuts"), fact)) for fact in facts]
    age = pd.Timestamp.now("UTC") - pd.Timestamp(manifest["written"])
    assert pd.Timedelta(0) <= age < pd.Timedelta(minutes=5)
    with pytest.raises(AttributeError):
        saved.target = "other"


def test_the_manifest_of_a_pipeline_names_it_as_it_is_imported(tmp_path):
    saved = there_and_back(clone(PIPELINES["logistic"]).fit(*random_table(0, 60)), tmp_path)
    assert saved.manifest["estimator"] == "sklearn.pipeline.Pipeline"
    assert [column["name"] for column in saved.manifest["columns"]] == ["colour", "size", "tall", "width", "length"]


def test_reading_the_manifest_makes_nothing_of_the_model(tmp_path):
    save(AODE().fit(*random_table(0, 60)), tmp_path / "model.unnaive")
    code = (
        "import sys; from unnaive.persist import read_manifest; read_manifest(sys.argv[1]);"
        "print(sorted({'skops', 'sklearn', 'numba', 'pandas'} & sys.modules.keys()))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "model.unnaive"], capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "[]"


def test_notes_that_json_cannot_hold_are_refused(tmp_path):
    model = NaiveBayes().fit(*random_table(0, 20))
    for notes in ({1, 2}, float("nan")):
        with pytest.raises(ModelFileError, match="notes"):
            save(model, tmp_path / "model.unnaive", notes=notes)
    with pytest.raises(ModelFileError, match="The target must be the name of a column, not 3"):
        save(model, tmp_path / "model.unnaive", target=3)
    assert not list(tmp_path.iterdir())


# Writing


@pytest.fixture
def fitted():
    return NaiveBayes().fit(*random_table(0, 40))


@pytest.mark.parametrize(
    ("where", "error"),
    [
        ("os.fsync", OSError(28, "No space left on device")),
        ("os.replace", OSError(5, "Input/output error")),
        ("os.replace", KeyboardInterrupt()),
        ("ZipFile.writestr", OSError(28, "No space left on device")),
        ("ZipFile.writestr", MemoryError()),
    ],
    ids=repr,
)
def test_a_failure_while_writing_leaves_the_old_file_and_nothing_else(where, error, fitted, tmp_path, monkeypatch):
    path = tmp_path / "model.unnaive"
    save(fitted, path)
    before = path.read_bytes()
    payload = model_file._pack(fitted)
    monkeypatch.setattr(model_file, "_pack", lambda _: payload)

    def fail(*_):
        raise error

    monkeypatch.setattr(f"unnaive.persist.model_file.{where}", fail)
    with pytest.raises(ModelFileError if isinstance(error, OSError) else type(error)) as caught:
        save(fitted, path, target="other")
    if isinstance(error, OSError):
        assert f"cannot be written: {error.strerror}." in str(caught.value)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["model.unnaive"]


def test_a_file_is_replaced_as_a_whole_through_a_link_too(fitted, tmp_path):
    path, link = tmp_path / "model.unnaive", tmp_path / "latest"
    save(fitted, path)
    link.symlink_to(path)
    save(fitted, link, target="newer")
    assert link.is_symlink()
    assert load(path).target == "newer"


@pytest.mark.skipif(os.name != "posix", reason="modes of POSIX")
def test_a_file_has_the_mode_of_any_other_file(fitted, tmp_path):
    (tmp_path / "other").touch()
    save(fitted, tmp_path / "model.unnaive")
    assert (tmp_path / "model.unnaive").stat().st_mode == (tmp_path / "other").stat().st_mode


def test_places_that_cannot_be_written_to_are_named(fitted, tmp_path):
    with pytest.raises(ModelFileError, match="is a folder: name a file in it"):
        save(fitted, tmp_path)
    with pytest.raises(ModelFileError, match=r"nowhere/model.unnaive' cannot be written: No such file or directory\."):
        save(fitted, tmp_path / "nowhere" / "model.unnaive")


def test_counts_that_shrink_as_far_as_a_bomb_are_stored_as_they_are(tmp_path, monkeypatch):
    monkeypatch.setattr(model_file, "_SMALL", 0)
    monkeypatch.setattr(model_file, "_RATIO", 10)
    table = pd.DataFrame({name: [f"{name}{k}" for k in range(80)] for name in "abc"})
    model = AODE().fit(table, np.arange(80) % 2)
    assert_kept(model, table, tmp_path)
    assert (tmp_path / "model.unnaive").stat().st_size > sum(part.nbytes for part in model.statistic_.tables)
    monkeypatch.setattr(model_file, "_MAX_BYTES", 1000)
    with pytest.raises(ModelFileError, match="cannot be saved, as it takes"):
        save(model, tmp_path / "model.unnaive")


# Files that are refused


def is_one_sentence(message):
    return message.endswith(".") and ". " not in message and "\n" not in message and message.isprintable()


def refused(path, reason):
    """Load and read_manifest refuse a file, for a reason."""
    with pytest.raises(ModelFileError, match=reason) as caught:
        load(path)
    assert is_one_sentence(str(caught.value))
    assert path.name in str(caught.value)


def test_missing_files_folders_and_devices_are_named(tmp_path):
    refused(tmp_path / "model.unnaive", "There is no file")
    refused(tmp_path, "is a folder or a device")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        refused(tmp_path / "pipe", "is a folder or a device")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_named(fitted, tmp_path):
    save(fitted, tmp_path / "model.unnaive")
    (tmp_path / "model.unnaive").chmod(0)
    refused(tmp_path / "model.unnaive", r"cannot be read: permission denied\.")


def test_a_file_that_may_not_be_read_is_told_apart_from_a_damaged_one(fitted, tmp_path, monkeypatch):
    save(fitted, tmp_path / "model.unnaive")
    monkeypatch.setattr(model_file.os.path, "getsize", lambda _: (_ for _ in ()).throw(PermissionError(13, "denied")))
    refused(tmp_path / "model.unnaive", r"cannot be read: permission denied\.")


def test_other_files_are_told_from_damaged_ones(fitted, tmp_path):
    path = tmp_path / "model.unnaive"
    for content in (b"sepal,petal\n1,2\n", b"\x80\x04\x95", b"P", bytes(1000)):
        path.write_bytes(content)
        refused(path, "truncated" if content == b"P" else "is not a model file: unnaive did not write it")
    path.write_bytes(b"")
    refused(path, "is truncated")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.text")
    refused(path, "is a zip archive, but not a model file")
    path.write_bytes(skops.io.dumps(fitted))
    refused(path, "is a zip archive, but not a model file")


def test_truncated_and_changed_files_are_refused(fitted, tmp_path):
    path = tmp_path / "model.unnaive"
    save(fitted, path)
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    refused(path, "is truncated")
    with pytest.raises(ModelFileError, match="is truncated"):
        read_manifest(path)
    manifest, payload = parts_of(whole)
    path.write_bytes(whole_of(manifest, payload + b" "))
    refused(path, "is corrupted")
    with pytest.raises(ModelFileError, match="is corrupted"):
        read_manifest(path)


@pytest.mark.parametrize(
    ("release", "told"), [("7.1.0", "unnaive 7.1.0"), ("1\n2\x1b[31m", "a release of unnaive"), (None, "unnaive None")]
)
def test_a_file_from_the_future_asks_for_an_upgrade(fitted, tmp_path, release, told):
    path = tmp_path / "model.unnaive"
    path.write_bytes(whole_of({"format": 4, "unnaive": release}, b"", name="whatever comes"))
    reason = f"was written by {told}, newer than this {__version__}: upgrade to read it"
    refused(path, reason)
    with pytest.raises(ModelFileError, match=reason):
        read_manifest(path)


def test_a_file_of_an_older_format_asks_for_a_new_fit(fitted, tmp_path):
    path = tmp_path / "model.unnaive"
    path.write_bytes(whole_of({"format": 1, "unnaive": "0.0.9"}, b""))
    refused(path, "was written by unnaive 0.0.9 in a format that is no longer read: fit the model again and save it")
    path.write_bytes(whole_of({"format": 0, "unnaive": "0.0.9"}, b""))
    refused(path, "is corrupted")


def test_bombs_are_not_unpacked(fitted, tmp_path, monkeypatch):
    path = tmp_path / "model.unnaive"
    save(fitted, path)
    manifest, _ = parts_of(path.read_bytes())
    bomb = bytes(2**22)
    monkeypatch.setattr(model_file, "_SMALL", 2**20)
    path.write_bytes(whole_of(manifest | {"sha256": hashlib.sha256(bomb).hexdigest()}, bomb))
    refused(path, "would unpack to 4,194,304 bytes, more than the 1,048,576 that its model.skops may have")
    # A member that says it is small is not unpacked beyond what it says.
    content = path.read_bytes().replace((2**22).to_bytes(4, "little"), (2**10).to_bytes(4, "little"))
    path.write_bytes(content)
    refused(path, "is corrupted")


def test_the_limit_of_the_unpacked_size_can_be_lowered(fitted, tmp_path):
    path = tmp_path / "model.unnaive"
    save(fitted, path)
    with pytest.raises(ModelFileError, match=r"would unpack to .* bytes, more than the 5,000 that its model\.skops"):
        load(path, max_bytes=5000)
    load(path, max_bytes=10**6)


@pytest.mark.parametrize(
    "bomb",
    [
        b"[" + b"[]," * 2**21 + b"1]",
        b'{"format": 3, "notes": ' + b"[" * 200 + b"]" * 200 + b"}",
        b'{"format": 3, "notes": [' + b'"\\\\\\"",[' * 2**21 + b"1]}",
    ],
    ids=["many lists", "a deep list", "lists among quotes"],
)
def test_a_manifest_of_lists_within_lists_is_not_parsed(bomb, fitted, tmp_path, monkeypatch):
    path = tmp_path / "model.unnaive"
    save(fitted, path)
    path.write_bytes(whole_of(bomb, parts_of(path.read_bytes())[1]))
    parsed = []
    monkeypatch.setattr(json, "loads", parsed.append)
    refused(path, "is corrupted")
    assert not parsed


def test_a_manifest_is_not_unpacked_beyond_its_own_limit(fitted, tmp_path, monkeypatch):
    path = tmp_path / "model.unnaive"
    save(fitted, path, notes="x" * 10_000)
    monkeypatch.setattr(model_file, "_MAX_MANIFEST", 10_000)
    refused(path, "more than the 10,000 that its manifest.json may have")
    with pytest.raises(ModelFileError, match=r"The manifest would take .* characters, .*: shorten the notes"):
        save(fitted, path, notes="x" * 10_000)
    deep = []
    for _ in range(100):
        deep = [deep]
    with pytest.raises(ModelFileError, match="or is nested too deeply: shorten the notes"):
        save(fitted, path, notes=deep)


@pytest.mark.parametrize(
    "edit",
    [
        lambda schema, _: json.dumps(schema)[:-1] + ', "more": [' + "[]," * 10**5 + "1]}",
        lambda schema, _: json.dumps(schema)[:-1] + ', "deep": ' + "[" * 400 + "]" * 400 + "}",
        lambda schema, _: first(schema, "JsonNode").update(content=" [" + "[]," * 10**5 + "1]", __id__=77),
        lambda schema, _: attributes(first(schema, "ObjectNode", "Categories"))["values"].update(
            content=json.dumps("[" + "[]," * 10**5 + "1]"), __id__=77
        ),
    ],
    ids=["many lists", "a deep list", "a list as a number", "lists as categories"],
)
def test_a_model_of_lists_within_lists_is_not_parsed(edit, fitted, tmp_path, monkeypatch):
    def parsed(text, **options):
        start = (text if isinstance(text, str) else text.decode()).lstrip()
        assert not start.startswith("[[]")
        assert '"more"' not in start
        assert '"deep"' not in start
        return loads(text, **options)

    path, loads = tmp_path / "model.unnaive", json.loads
    save(fitted, path)
    path.write_bytes(forged(path.read_bytes(), edit))
    monkeypatch.setattr(json, "loads", parsed)
    with pytest.raises(ModelFileError, match="does not hold a sound model") as caught:
        load(path)
    assert not isinstance(caught.value.__cause__, AssertionError)


@pytest.mark.parametrize("pattern", ["(a+)+$", r"(\w)\1", r"(?=a)\w+", r"(?:ab|c)+", r"\w+@\w+"])
def test_a_pattern_that_could_take_forever_is_neither_loaded_nor_saved(pattern, tmp_path):
    documents, labels = random_documents(0)
    for make in (MODELS["bernoulli-nb"].make_for_documents, MODELS["bat"].make_for_documents):
        path, model = tmp_path / "model.unnaive", make().fit(documents, labels)
        save(model, path)
        with pytest.raises(ModelFileError, match=r"cannot be saved, as token_pattern=.* could take forever") as caught:
            save(model.set_params(terms__token_pattern=pattern), path)
        assert is_one_sentence(str(caught.value))
        name = type(model[0]).__name__
        path.write_bytes(forged(path.read_bytes(), set_plain(name, "token_pattern", json.dumps(pattern))))
        refused(path, "was not loaded, as token_pattern=.* could take forever")


def test_a_fitted_release_of_scikit_learn_that_differs_is_told_once(tmp_path):
    path = tmp_path / "model.unnaive"
    save(clone(PIPELINES["forest"]).fit(*random_table(0, 60)), path)
    manifest, payload = parts_of(path.read_bytes())
    manifest["libraries"]["scikit-learn"] = "1.2.3"
    path.write_bytes(whole_of(manifest, payload))
    with pytest.warns(InconsistentVersionWarning, match=r"from version 1\.2\.3 ") as told:
        load(path)
    assert len(told) == 1
    assert told[0].filename == __file__
    save(TAN().fit(*random_table(0, 60)), path)
    manifest, payload = parts_of(path.read_bytes())
    manifest["libraries"]["scikit-learn"] = "1.2.3"
    path.write_bytes(whole_of(manifest, payload))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load(path)  # ours do not depend on it


@pytest.mark.parametrize("fact", ["estimator", "classes", "columns"])
def test_a_manifest_that_tells_of_another_model_is_refused(fact, fitted, tmp_path):
    path = tmp_path / "model.unnaive"
    save(fitted, path)
    manifest, payload = parts_of(path.read_bytes())
    manifest[fact] = {"estimator": "TAN", "classes": ["no", "yes"], "columns": manifest["columns"][1:]}[fact]
    path.write_bytes(whole_of(manifest, payload))
    refused(path, "does not hold a sound model")


# Files whose hash is right


def first(schema, loader, name=""):
    return next(node for node in nodes_of(schema) if node["__loader__"] == loader and node["__class__"].endswith(name))


def nodes_of(schema):
    return list(types.nodes_of(schema))


HARMFUL = """
os.system posix.system builtins.eval builtins.exec builtins.open builtins.__import__ subprocess.Popen pickle.loads
importlib.import_module shutil.rmtree socket.create_connection operator.methodcaller operator.attrgetter
functools.partial functools.reduce numpy.load numpy.save numpy.memmap numpy.void numpy.fromfile numpy.add
numpy.lib.format.open_memmap scipy.special.expit joblib.load joblib.memory.Memory skops.io.loads
sklearn.datasets.fetch_openml sklearn.cluster._birch.Birch sklearn.neighbors._classification.KNeighborsClassifier
unnaive.persist.save unnaive.SparseTensor unnaive.lazy_names unnaive.bayes.aode.AODE
unnaive.persist.load unnaive.counts.count_table.CountTable
unnaive.counts.counting_classifier._remade
unnaive.cli.main.main a_module_that_is_not_there.x .
""".split()  # noqa: SIM905
LOADERS = """
FunctionNode TypeNode ObjectNode PartialNode MethodNode OperatorFuncNode ConstructorFromReduceNode LossNode TreeNode
CachedNode DefaultDictNode BytesNode BytearrayNode MaskedArrayNode RandomStateNode RandomGeneratorNode SparseMatrixNode
QuantileForestNode NdArrayNode DTypeNode DictNode ListNode TupleNode SetNode NoNode
""".split()  # noqa: SIM905


@pytest.mark.parametrize("harmful", HARMFUL)
def test_types_that_no_model_needs_are_named_and_not_made(harmful, fitted, tmp_path):
    path = tmp_path / "model.unnaive"
    save(fitted, path)
    whole = path.read_bytes()
    module, name = harmful.rsplit(".", 1)
    for loader in ("FunctionNode", "TypeNode", "ObjectNode", "ConstructorFromReduceNode"):

        def edit(schema, _, loader=loader):
            node = first(schema, "JsonNode")
            node.update(__module__=module, __class__=name, __loader__=loader)
            del node["content"]

        path.write_bytes(forged(whole, edit))
        refused(path, re.escape(f"holds {harmful}, which no model file may hold, so it was not loaded."))


def test_what_skops_trusts_by_itself_is_not_trusted(tmp_path):
    # scikit-learn's and numpy's types that skops would load: our list decides, not its.
    from skops.io import _trusted_types as theirs

    trusted = {*theirs.SKLEARN_ESTIMATOR_TYPE_NAMES, *theirs.SCIPY_UFUNC_TYPE_NAMES, *theirs.NUMPY_UFUNC_TYPE_NAMES}
    ours = set().union(*types.TYPES.values())
    assert len(trusted) > 300
    assert len(ours & trusted) < 45
    functions = {*theirs.SCIPY_UFUNC_TYPE_NAMES, *theirs.NUMPY_UFUNC_TYPE_NAMES}
    assert not ours & functions
    assert types.TYPES["FunctionNode"] == {"sklearn.utils.validation.check_array"}
    for loader in ("MethodNode", "OperatorFuncNode", "ConstructorFromReduceNode", "BytesNode", "CachedNode"):
        assert loader not in types.TYPES


def test_one_object_cannot_pass_for_another(tmp_path):
    # skops makes the object that comes first of all that have the same identity.
    path = tmp_path / "model.unnaive"
    save(clone(PIPELINES["tree"]).fit(*random_table(0, 60)), path)

    def edit(schema, _):
        tree = next(node for node in nodes_of(schema) if node["__loader__"] == "TreeNode")
        n_outputs = tree["__reduce__"]["args"]["content"][2]
        other = next(node for node in nodes_of(schema) if node["__loader__"] == "JsonNode" and node is not n_outputs)
        other["content"] = "1000000000"
        other["__id__"] = n_outputs["__id__"] = 99

    path.write_bytes(forged(path.read_bytes(), edit))
    refused(path, "does not hold a sound model")


def state_of(model):
    """A copy of what a file keeps of a model."""
    return copy.deepcopy(model.__getstate__())


def assert_state_is_refused(model, edit):
    """The state of a model restores it, and is refused once it was edited."""
    kind = type(model)
    kind.__new__(kind).__setstate__(state_of(model))
    state = state_of(model)
    edit(state)
    with np.errstate(invalid="ignore"), pytest.raises((ValueError, TypeError, KeyError, AttributeError)):
        kind.__new__(kind).__setstate__(state)


def put(array, at, value):
    array[at] = value
    return array


# What to do to the state of a model that the kernels would not survive.
BROKEN_STATES = {
    "counts of another shape": lambda s: s["counted_"]["counted"].__setitem__(1, np.zeros((1, 3))),
    "counts of another type": lambda s: s["counted_"]["counted"].__setitem__(
        1, s["counted_"]["counted"][1].astype(np.float32)
    ),
    "counts in the other byte order": lambda s: s["counted_"]["counted"].__setitem__(
        1, s["counted_"]["counted"][1].astype(">f8")
    ),
    "negative counts": lambda s: put(s["counted_"]["counted"][1], 0, -1.0),
    "counts that are not numbers": lambda s: put(s["counted_"]["counted"][0], 0, np.nan),
    "classes that were counted more often": lambda s: put(s["counted_"]["counted"][0], 0, 1000.0),
    "a value that was counted more often than its class": lambda s: put(s["counted_"]["counted"][1], (0, 0), 1000.0),
    "a pair that was counted more often than its values": lambda s: put(s["counted_"]["counted"][2], (0, 0), 1000.0),
    "pairs that were counted less often than their values": lambda s: put(s["counted_"]["counted"][2], ..., 0.0),
    "infinite counts": lambda s: put(s["counted_"]["counted"][1], 0, np.inf),
    "a table missing": lambda s: s["counted_"]["counted"].pop(),
    "a table too many": lambda s: s["counted_"]["counted"].append(np.zeros((4, 3))),
    "no table at all": lambda s: s["counted_"].update(counted=None),
    "missing values in too few columns": lambda s: s["counted_"].update(has_missing=np.ones(2, bool)),
    "missing values elsewhere": lambda s: s["counted_"].update(has_missing=~s["counted_"]["has_missing"]),
    "missing values that are numbers": lambda s: s["counted_"].update(has_missing=np.full(5, 7)),
    "a class too many": lambda s: s.update(classes_=np.array(["a", "b", "c", "d"])),
    "classes twice": lambda s: s.update(classes_=np.array(["a", "a", "b"])),
    "classes out of order": lambda s: s.update(classes_=np.array(["c", "b", "a"])),
    "classes in a list": lambda s: s.update(classes_=["a", "b", "c"]),
    "no classes": lambda s: s.update(classes_=np.array([], dtype="<U1")),
    "another number of columns": lambda s: s.update(n_features_in_=4),
    "names of other columns": lambda s: s.update(feature_names_in_=np.array(["a", "b"], dtype=object)),
    "names that are numbers": lambda s: s.update(feature_names_in_=np.arange(5)),
    "no encoder": lambda s: s["counted_"].update(encoder=None),
    "an encoder of another kind": lambda s: s["counted_"].update(encoder=MDLDiscretizer()),
    "an encoder that was not fitted": lambda s: s["counted_"].update(encoder=TableEncoder()),
    "a category too many": lambda s: (
        s["counted_"]["encoder"]._categories[0].__setstate__({"n_declared": 0, "values": '["x"]'})
    ),
    "categories of a numeric column": lambda s: put(
        s["counted_"]["encoder"]._categories, 4, s["counted_"]["encoder"]._categories[0]
    ),
    "a column's categories missing": lambda s: put(s["counted_"]["encoder"]._categories, 0, None),
    "numbers of values that differ": lambda s: put(s["counted_"]["encoder"].n_values_, 0, 50),
    "numbers of bins that differ": lambda s: put(s["counted_"]["encoder"].n_values_, 4, 50),
    "numbers of values of another type": lambda s: vars(s["counted_"]["encoder"]).update(
        n_values_=s["counted_"]["encoder"].n_values_.astype(np.int32)
    ),
    "kinds of columns of another type": lambda s: vars(s["counted_"]["encoder"]).update(
        is_categorical_=s["counted_"]["encoder"].is_categorical_.astype(int)
    ),
    "kinds of other columns": lambda s: vars(s["counted_"]["encoder"]).update(is_categorical_=np.ones(5, bool)),
    "a discretizer missing": lambda s: vars(s["counted_"]["encoder"]).update(discretizer_=None),
    "numbers passed through": lambda s: vars(s["counted_"]["encoder"]).update(discretizer="passthrough"),
    "an attribute that nobody asked for": lambda s: s.update(_order=3),
    "a method": lambda s: s.update(predict=len),
    "what was computed": lambda s: s.update(_derived=()),
    "a parameter missing": lambda s: s.pop("m"),
    "a parameter that is not allowed": lambda s: s.update(m=-1.0),
}


@pytest.mark.parametrize("broken", BROKEN_STATES)
def test_a_state_that_does_not_fit_together_is_refused(broken):
    model = AODE().fit(*random_table(0, 60))
    assert_state_is_refused(model, BROKEN_STATES[broken])


def first_term(documents, value):
    documents["terms"][0] = value


BROKEN_DOCUMENTS = {
    "a term that is not there": lambda s: first_term(s["documents_"], 12),
    "a negative term": lambda s: first_term(s["documents_"], -1),
    "terms out of order": lambda s: first_term(s["documents_"], 11),
    "a class that is not there": lambda s: put(s["documents_"]["classes"], 0, 3),
    "a negative class": lambda s: put(s["documents_"]["classes"], 0, -1),
    "a class too few": lambda s: s.update(classes_=s["classes_"][:2]),
    "documents that end before they start": lambda s: put(s["documents_"]["starts"], 1, 50),
    "documents that start late": lambda s: put(s["documents_"]["starts"], 0, 1),
    "documents beyond the end": lambda s: put(s["documents_"]["starts"], -1, 10_000),
    "a start too few": lambda s: s["documents_"].update(starts=s["documents_"]["starts"][:-1]),
    "terms of another type": lambda s: s["documents_"].update(terms=s["documents_"]["terms"].astype(np.int64)),
    "starts of another type": lambda s: s["documents_"].update(starts=s["documents_"]["starts"].astype(np.int32)),
    "terms in two dimensions": lambda s: s["documents_"].update(terms=s["documents_"]["terms"][None]),
    "no terms": lambda s: s["documents_"].update(n_terms=0),
    "more terms than columns": lambda s: s["documents_"].update(n_terms=13),
    "too many terms to number": lambda s: (s["documents_"].update(n_terms=2**31), s.update(n_features_in_=2**31)),
    "a part missing": lambda s: s["documents_"].pop("classes"),
    "a part too many": lambda s: s["documents_"].update(weights=np.ones(60)),
    "no documents": lambda s: s.update(documents_=None),
    "an order that is not counted": lambda s: s.update(order=4),
    "pure documents": lambda s: s.update(order=1, pure=True),
    "what was computed": lambda s: s.update(_derived=()),
}


@pytest.mark.parametrize("broken", BROKEN_DOCUMENTS)
def test_documents_that_do_not_fit_together_are_refused(broken):
    documents, labels = random_documents(0)
    model = HigherOrderNB().fit(Terms().fit_transform(documents), labels)
    assert model.n_features_in_ == 12
    assert_state_is_refused(model, BROKEN_DOCUMENTS[broken])


BROKEN_TREES = {
    "a column that is not there": lambda s: put(s["trees_"]["attribute"], 0, 5),
    "a way in a circle": lambda s: put(s["trees_"]["link"], 0, 0),
    "a way into the next tree": lambda s: put(s["trees_"]["link"], 0, s["trees_"]["n_nodes"][0]),
    "a class that is not there": lambda s: put(s["trees_"]["entry_class"], 0, 3),
    "shares that are not numbers": lambda s: put(s["trees_"]["entry_share"], 0, np.nan),
    "a node too few": lambda s: put(s["trees_"]["n_nodes"], 0, s["trees_"]["n_nodes"][0] - 1),
    "nodes of another type": lambda s: s["trees_"].update(link=s["trees_"]["link"].astype(np.int64)),
    "nodes in the other byte order": lambda s: s["trees_"].update(value=s["trees_"]["value"].astype(">f8")),
    "places of fewer categories": lambda s: s["trees_"].update(places=s["trees_"]["places"][:, 1:]),
    "boxes of fewer columns": lambda s: s["trees_"].update(low=s["trees_"]["low"][:, 1:]),
    "levels beyond the address": lambda s: put(s["trees_"]["level"], 0, 51),
    "addresses of fewer levels": lambda s: s["trees_"].update(address=s["trees_"]["address"][:, :0]),
    "a deeper tree than its addresses": lambda s: s.update(depth=100),
    "regions that nobody asked for": lambda s: s.update(strict_region=False),
    "a part missing": lambda s: s["trees_"].pop("mass"),
    "a part too many": lambda s: s["trees_"].update(more=np.ones(3)),
    "no trees": lambda s: s.update(trees_=None),
    "trees of no tree": lambda s: s.update(trees_={name: part[:0] for name, part in s["trees_"].items()}),
    "trees in a list": lambda s: s.update(trees_=list(s["trees_"].values())),
    "a class too few": lambda s: s.update(classes_=s["classes_"][:2], class_count_=s["class_count_"][:2]),
    "counts of fewer classes": lambda s: s.update(class_count_=s["class_count_"][:2]),
    "counts of another type": lambda s: s.update(class_count_=s["class_count_"].astype(int)),
    "counts that are not numbers": lambda s: put(s["class_count_"], 0, np.nan),
    "negative counts": lambda s: put(s["class_count_"], 0, -1.0),
    "no counts": lambda s: put(s["class_count_"], slice(None), 0.0),
    "classes out of order": lambda s: s.update(classes_=s["classes_"][::-1]),
    "another number of columns": lambda s: s.update(n_features_in_=4),
    "names of other columns": lambda s: s.update(feature_names_in_=s["feature_names_in_"][1:]),
    "no encoder": lambda s: s.update(encoder_=None),
    "an encoder of other categories": lambda s: s.update(
        encoder_=TableEncoder(discretizer="passthrough").fit(random_table(0, 60)[0].assign(colour="one"))
    ),
    "an encoder that cuts numbers": lambda s: s.update(encoder_=TableEncoder().fit(*random_table(0, 60))),
    "an encoder that was not fitted": lambda s: s.update(encoder_=TableEncoder(discretizer="passthrough")),
    "a parameter that is not allowed": lambda s: s.update(depth=0),
    "a parameter missing": lambda s: s.pop("n_trees"),
    "samples": lambda s: s.update(_samples=None),
    "seeds": lambda s: s.update(_tree_seeds=[]),
}


@pytest.mark.parametrize("broken", BROKEN_TREES)
def test_trees_that_do_not_fit_together_are_refused(broken):
    model = MassBayes(n_trees=3, strict_region=True, random_state=0).fit(*random_table(0, 60))
    assert_state_is_refused(model, BROKEN_TREES[broken])


BROKEN_COMPONENTS = {
    "a term beyond the last": lambda s: put(s["_stages"][3], (-1, 1), 1000),
    "a term before the first": lambda s: put(s["_stages"][3], (0, 0), -1),
    "a stage without terms": lambda s: put(s["_stages"][3], (0, 1), 0),
    "no stages": lambda s: put(s["_stages"], 3, s["_stages"][3][:0]),
    "stages of three numbers": lambda s: put(s["_stages"], 3, np.ones((2, 3), dtype=np.int64)),
    "fewer values than the columns have": lambda s: put(s["_stages"], 1, s["_stages"][1][1:]),
    "fewer terms": lambda s: put(s["_stages"], 0, s["_stages"][0][1:]),
    "vectors of fewer classes": lambda s: put(s["_stages"], 2, s["_stages"][2][1:]),
    "vectors of another type": lambda s: put(s["_stages"], 1, s["_stages"][1].astype(np.float32)),
    "weights that are not numbers": lambda s: put(s["_stages"][0], 0, np.nan),
    "a part missing": lambda s: s.update(_stages=s["_stages"][:3]),
    "a column beyond the last": lambda s: put(s["selected_features_"], -1, 99),
    "a column before the first": lambda s: put(s["selected_features_"], 0, -1),
    "columns out of order": lambda s: s.update(selected_features_=s["selected_features_"][::-1]),
    "no columns": lambda s: s.update(selected_features_=s["selected_features_"][:0]),
    "another column": lambda s: put(s["selected_features_"], 0, 1),
    "a class too few": lambda s: s.update(classes_=s["classes_"][:2], class_count_=s["class_count_"][:2]),
    "negative counts": lambda s: put(s["class_count_"], 0, -1.0),
    "information of fewer columns": lambda s: s.update(column_information_=s["column_information_"][1:]),
    "scores in a table": lambda s: s.update(held_out_log_scores_=np.zeros((2, 2))),
    "no encoder": lambda s: s.update(encoder_=None),
    "an encoder of other categories": lambda s: s.update(
        encoder_=TableEncoder().fit(random_table(0, 60)[0].assign(colour="one"), random_table(0, 60)[1])
    ),
    "a parameter that is not allowed": lambda s: s.update(floor=-1.0),
    "a parameter missing": lambda s: s.pop("mask"),
    "what was computed": lambda s: s.update(_terms=()),
}


@pytest.mark.parametrize("broken", BROKEN_COMPONENTS)
def test_components_that_do_not_fit_together_are_refused(broken):
    model = DecomposedTensorClassifier(n_components=3, n_features=2, random_state=0).fit(*random_table(0, 60))
    assert model.selected_features_.tolist() != [1, 2]
    assert_state_is_refused(model, BROKEN_COMPONENTS[broken])


BROKEN_TENSORS = {
    "an entry beyond the last": lambda s: put(s["counts_"]["entries"], -1, 20 * 4),
    "a negative entry": lambda s: put(s["counts_"]["entries"], 0, -1),
    "entries out of order": lambda s: put(s["counts_"]["entries"], 0, 79),
    "an entry that is a zero": lambda s: put(s["counts_"]["entries"], 0, 0),
    "an entry missing": lambda s: s["counts_"].update(
        entries=s["counts_"]["entries"][1:], entry_count=s["counts_"]["entry_count"][1:]
    ),
    "a pair beyond the last": lambda s: put(s["counts_"]["pairs"], -1, 80 * 80),
    "a negative pair": lambda s: put(s["counts_"]["pairs"], 0, -1),
    "a pair that shares nothing": lambda s: s["counts_"].update(
        pairs=np.array([1 * 80 + 5 * 4 + 1]), pair_count=np.zeros((1, 3))
    ),
    "a pair of one cell": lambda s: s["counts_"].update(pairs=np.array([1 * 80 + 2]), pair_count=np.zeros((1, 3))),
    "pairs of another type": lambda s: s["counts_"].update(pairs=s["counts_"]["pairs"].astype(np.int32)),
    "counts of fewer pairs": lambda s: s["counts_"].update(pair_count=s["counts_"]["pair_count"][1:]),
    "more pairs than tensors": lambda s: put(s["counts_"]["pair_count"], 0, 50.0),
    "more values than tensors": lambda s: put(s["counts_"]["entry_count"], 0, 50.0),
    "fewer tensors than values": lambda s: put(s["counts_"]["class_count"], 0, 3.0),
    "counts that are not numbers": lambda s: put(s["counts_"]["entry_count"], 0, np.nan),
    "negative counts": lambda s: put(s["counts_"]["entry_count"], 0, -1.0),
    "a class too few": lambda s: s.update(classes_=s["classes_"][:2]),
    "other modes": lambda s: s.update(mode_sizes_=(5, 5)),
    "modes in a list": lambda s: s.update(mode_sizes_=[5, 4]),
    "modes that are not there": lambda s: s.update(mode_sizes_=(-5, -4)),
    "no modes": lambda s: s.update(mode_sizes_=(), n_features_in_=1),
    "vast modes": lambda s: s.update(mode_sizes_=(2**28, 1), n_features_in_=2**28),
    "a lower cap": lambda s: s["cell_values_"].update(cap=2),
    "a cap below one": lambda s: s["cell_values_"].update(cap=-3),
    "cells cut after all": lambda s: s["cell_values_"].update(cap=None),
    "a cut of no cell": lambda s: s["cell_values_"].update(cuts=np.ones(1)),
    "a part missing": lambda s: s["counts_"].pop("pairs"),
    "a part too many": lambda s: s["counts_"].update(width=4),
    "no counts": lambda s: s.pop("counts_"),
    "what was computed": lambda s: s.update(_derived=()),
}


@pytest.mark.parametrize("broken", BROKEN_TENSORS)
def test_tensors_that_do_not_fit_together_are_refused(broken):
    model = BayesianTensorClassifier().fit(*random_counts(0))
    assert_state_is_refused(model, BROKEN_TENSORS[broken])


BROKEN_CUTS = {
    "a cell beyond the last": lambda c: put(c["cells"], -1, 20),
    "a negative cell": lambda c: put(c["cells"], 0, -1),
    "starts beyond the end": lambda c: put(c["starts"], -1, 99),
    "starts out of order": lambda c: put(c["starts"], 1, 0),
    "cuts that are not numbers": lambda c: put(c["cuts"], 0, np.nan),
    "cells of another type": lambda c: c.update(cells=c["cells"].astype(np.int32)),
    "a cap as well": lambda c: c.update(cap=3),
}


@pytest.mark.parametrize("broken", BROKEN_CUTS)
def test_cuts_of_cells_that_do_not_fit_together_are_refused(broken):
    X, y = random_counts(0)
    model = BayesianTensorClassifier(cells="mdl").fit(X + 3.0 * (y == "sea")[:, None, None], y)
    assert_state_is_refused(model, lambda state: BROKEN_CUTS[broken](state["cell_values_"]))


@pytest.mark.parametrize(
    "edit",
    [
        lambda m: m.weights_.pop(),
        lambda m: m.weights_[0].pop(),
        lambda m: put(m.weights_[0], 0, m.weights_[0][0][1:]),
        lambda m: put(m.weights_[0][0], 0, np.nan),
        lambda m: vars(m).update(intercept_=m.intercept_[1:]),
        lambda m: vars(m).update(classes_=m.classes_[:1]),
        lambda m: vars(m).update(mode_sizes_=(4, 5)),
    ],
)
def test_support_tensor_machines_that_do_not_fit_together_are_not_saved(edit, tmp_path):
    model = SupportTensorMachine().fit(*random_counts(0))
    edit(model)
    with pytest.raises(ModelFileError, match="cannot be saved"):
        save(model, tmp_path / "model.unnaive")


BROKEN_TEXT = {
    "weights of other pairs": ("hosvm", lambda m: vars(m).update(coef_=m.coef_[:2])),
    "weights of other terms": ("hosvm", lambda m: vars(m).update(coef_=m.coef_[:, :-1])),
    "weights that are not numbers": ("hosvm", lambda m: put(m.coef_, (0, 0), np.nan)),
    "intercepts missing": ("hosvm", lambda m: vars(m).pop("intercept_")),
    "machines of one class": ("hosvm", lambda m: vars(m).update(classes_=m.classes_[:1])),
    "a machine of weights elsewhere": ("wm-nbsvm", lambda m: put(m._seen, 0, 99)),
    "weights of fewer terms": ("wm-nbsvm", lambda m: vars(m).update(_weights=m._weights[:, 1:])),
    "a cluster that is not there": ("word-clusters", lambda m: put(m.clusters_, 0, 99)),
    "a cluster before the first": ("word-clusters", lambda m: put(m.clusters_, 0, -2)),
    "clusters of other terms": ("word-clusters", lambda m: vars(m).update(clusters_=m.clusters_[1:])),
    "weights of rarity of other terms": ("tfidf-logistic", lambda m: vars(m[0]).update(idf_=m[0].idf_[1:])),
}


@pytest.mark.parametrize("broken", BROKEN_TEXT)
def test_models_of_text_that_do_not_fit_together_are_neither_saved_nor_loaded(broken, tmp_path, monkeypatch):
    name, edit = BROKEN_TEXT[broken]
    model = MODELS[name].make_for_documents().fit(*random_documents(0))
    path = tmp_path / "model.unnaive"
    save(model, path)
    edit(model[-1])
    with pytest.raises(ModelFileError, match="cannot be saved"):
        save(model, path)
    monkeypatch.setattr(model_file, "check_model", lambda model: None)
    try:
        save(model, path)
    except Exception:
        return  # what the manifest asks for is missing, too
    monkeypatch.undo()
    refused(path, "does not hold a sound model")


@pytest.mark.parametrize("edit", [lambda m: m.vocabulary_.update(boat=99), lambda m: m.vocabulary_.pop("boat")])
def test_terms_that_do_not_fit_together_are_not_saved(edit, tmp_path):
    model = MODELS["honb"].make_for_documents().fit(*random_documents(0))
    edit(model[0])
    with pytest.raises(ModelFileError, match="cannot be saved"):
        save(model, tmp_path / "model.unnaive")


@pytest.mark.parametrize(
    ("name", "part", "edit"),
    [
        ("k2", 0, lambda rows: put(rows, (0, 0), 1000)),
        ("k2", 0, lambda rows: put(rows, (0, 0), -2)),
        ("k2", 0, lambda rows: put(rows, (0, -1), -1)),
        ("k2", 0, lambda rows: put(rows, (0, -1), 3)),
        ("k2", 0, lambda rows: rows.astype(np.int64)),
        ("k2", 0, lambda rows: rows[:, :-1]),
        ("k2", 0, lambda rows: rows[:-1]),
        ("k2", 1, lambda weights: -weights),
        ("gnb", (1, 1), lambda sums: -sums),
        ("gnb", (1, 1), lambda sums: sums + 2**40),
        ("gnb", (1, 1), lambda sums: sums[:1]),
        ("gnb", (1, 1), lambda sums: sums.astype(float)),
        ("gnb", (1, 1), lambda sums: sums[:, :2]),
        ("gnb", (1, 0), lambda weight: weight[:, :2]),
        ("gnb", 1, lambda counted: counted[:1]),
        ("gnb", (1, 1), lambda sums: put(sums, (slice(None), slice(None), 2), 0)),
        ("gnb", (1, 1), lambda sums: put(sums, (slice(None), slice(None), 0), 0)),
        ("gnb", (1, 0), lambda weight: 0 * weight),
        ("kde-nb", (1, 0), lambda count: count + 1),
        ("kde-nb", (1, 2), lambda weights: [3 * table for table in weights]),
        ("kde-nb", (1, 1), lambda distinct: [put(put(numbers, 0, -1e308), -1, 1e308) for numbers in distinct]),
        ("a2de", 3, lambda triples: put(triples, (0, 0), 1000.0)),
        ("a2de", 3, lambda triples: 0 * triples),
        ("a3de", 4, lambda quadruples: put(quadruples, (0, 0), 1000.0)),
        ("a3de", 4, lambda quadruples: quadruples[::-1]),
        ("kde-nb", (1, 1), lambda distinct: [numbers[::-1] for numbers in distinct]),
        ("kde-nb", (1, 1), lambda distinct: distinct[:1]),
        ("kde-nb", (1, 1), lambda distinct: [put(numbers, 0, -np.inf) for numbers in distinct]),
        ("kde-nb", (1, 1), lambda distinct: [numbers[:-1] for numbers in distinct]),
        ("kde-nb", (1, 1), lambda distinct: [numbers.astype(np.float32) for numbers in distinct]),
        ("kde-nb", (1, 2), lambda weights: [-table for table in weights]),
        ("kde-nb", (1, 0), lambda weight: put(weight, 0, np.nan)),
    ],
)
def test_every_statistic_refuses_what_it_cannot_have_counted(name, part, edit):
    def edit_part(state):
        at = state["counted_"]["counted"]
        *path, last = part if isinstance(part, tuple) else (part,)
        for step in path:
            at = at[step]
        with np.errstate(invalid="ignore"):
            at[last] = edit(at[last])

    assert_state_is_refused(MODELS[name].make().fit(*random_table(0, 60)), edit_part)


def attributes(node):
    return node["content"]["content"]


def edit_array(of, attribute, change, loader="ObjectNode"):
    """Change an array that is an attribute of the first object of a class."""

    def edit(schema, members):
        node = attributes(first(schema, loader, of))[attribute]
        members[node["file"]] = as_npy(change(np.load(io.BytesIO(members[node["file"]]))))

    return edit


def set_plain(of, attribute, text, loader="ObjectNode"):
    """Change a number or text that is an attribute of the first object of a class."""

    def edit(schema, _):
        node = first(schema, loader, of)["content"]
        types = node["key_types"]["content"]
        types.extend(types[:1] * (attribute not in node["content"]))
        node["content"][attribute] = {
            "__class__": "str",
            "__module__": "builtins",
            "__loader__": "JsonNode",
            "content": text,
            "is_json": True,
            "__id__": 77,
        }

    return edit


def field(name, change):
    def edit(nodes):
        nodes[name] = change(nodes[name])
        return nodes

    return edit


BROKEN_PARTS = {
    "a tree with a child that is not there": (
        "tree",
        edit_array("Tree", "nodes", field("left_child", lambda c: c + 1000), "TreeNode"),
    ),
    "a tree that goes round": (
        "tree",
        edit_array("Tree", "nodes", field("left_child", lambda c: np.minimum(c, 0)), "TreeNode"),
    ),
    "a tree of one number": ("tree", edit_array("Tree", "nodes", lambda _: np.array(7), "TreeNode")),
    "a tree of a table of nodes": ("tree", edit_array("Tree", "nodes", lambda nodes: nodes[None], "TreeNode")),
    "a tree of nodes of another type": (
        "tree",
        edit_array("Tree", "nodes", lambda nodes: np.zeros(nodes.shape, [("left_child", "i8")]), "TreeNode"),
    ),
    "a tree with a node less": ("tree", edit_array("Tree", "nodes", lambda nodes: nodes[:-1], "TreeNode")),
    "a tree without values": ("tree", edit_array("Tree", "values", lambda values: values[:, :, :0], "TreeNode")),
    "a tree of no probabilities": ("tree", edit_array("Tree", "values", lambda values: 2 * values, "TreeNode")),
    "a tree without nodes": (
        "tree",
        lambda schema, _: attributes(first(schema, "TreeNode"))["nodes"].update(
            attributes(first(schema, "TreeNode"))["values"]
        ),
    ),
    "a tree that asks for another column": (
        "tree",
        edit_array("Tree", "nodes", field("feature", lambda f: f + 1000), "TreeNode"),
    ),
    "a tree of a wider table": ("tree", set_plain("DecisionTreeClassifier", "n_features_in_", "2")),
    "a forest of a narrower table": ("forest", set_plain("RandomForestClassifier", "n_features_in_", "5")),
    "boosting with a child that is not there": (
        "boosting",
        edit_array("TreePredictor", "nodes", field("left", lambda c: c + 1000)),
    ),
    "boosting that asks for another column": (
        "boosting",
        edit_array("TreePredictor", "nodes", field("feature_idx", lambda f: f - 1000)),
    ),
    "boosting by categories that are numbers": (
        "boosting",
        edit_array("TreePredictor", "nodes", field("is_categorical", lambda c: c + 1)),
    ),
    "boosting of a narrower table": ("boosting", set_plain("HistGradientBoostingClassifier", "n_features_in_", "3")),
    "a support vector missing": ("svc", edit_array("SVC", "support_vectors_", lambda v: v[1:])),
    "support vectors of a narrower table": ("svc", edit_array("SVC", "support_vectors_", lambda v: v[:, 1:])),
    "support vectors of no class": ("svc", edit_array("SVC", "_n_support", lambda n: n[:-1])),
    "an intercept missing": ("svc", edit_array("SVC", "_intercept_", lambda i: i[:-1])),
    "coefficients missing": ("svc", edit_array("SVC", "_dual_coef_", lambda c: c[1:])),
    "kernels that were computed": ("svc", set_plain("SVC", "kernel", '"precomputed"')),
    "another kind of machine": ("svc", set_plain("SVC", "_impl", '"epsilon_svr"')),
    "probabilities that were not learned": ("svc", set_plain("SVC", "probability", "true")),
    "a dropped category that is not there": (
        "dropped",
        lambda schema, _: [
            attributes(first(schema, "ObjectNode", "OneHotEncoder"))[name]["content"][0].update(content="7", __id__=77)
            for name in ("_drop_idx_after_grouping", "drop_idx_")
        ],
    ),
    "fewer columns than categories": (
        "logistic",
        lambda schema, _: attributes(first(schema, "ObjectNode", "OneHotEncoder"))["_n_features_outs"]["content"][
            0
        ].update(content="1", __id__=77),
    ),
    "more columns than there is memory for": (
        "logistic",
        lambda schema, _: attributes(first(schema, "ObjectNode", "OneHotEncoder"))["_n_features_outs"]["content"][
            0
        ].update(content=str(2**40), __id__=77),
    ),
    "columns of fewer categories": (
        "logistic",
        lambda schema, _: attributes(first(schema, "ObjectNode", "OneHotEncoder"))["_n_features_outs"]["content"].pop(),
    ),
    "a tree of no number of columns": (
        "tree",
        lambda schema, _: first(schema, "TreeNode")["__reduce__"]["args"]["content"][0].update(
            {"__class__": "list", "__loader__": "ListNode", "content": [], "__id__": 77}
        ),
    ),
    "infrequent categories that are not there": (
        "infrequent",
        lambda schema, members: members.update(
            {
                node["file"]: as_npy(np.load(io.BytesIO(members[node["file"]])) + 5)
                for node in attributes(first(schema, "ObjectNode", "OneHotEncoder"))["_default_to_infrequent_mappings"][
                    "content"
                ]
                if "file" in node
            }
        ),
    ),
    "categories out of order": (
        "bernoulli",
        lambda schema, members: [
            members.update({node["file"]: as_npy(np.load(io.BytesIO(members[node["file"]]))[::-1])})
            for encoder in nodes_of(schema)
            if encoder["__class__"] == "OneHotEncoder" and "categories_" in attributes(encoder)
            for node in attributes(encoder)["categories_"]["content"]
            if "file" in node
        ],
    ),
    "boosting with codes under another name": (
        "text",
        lambda schema, _: attributes(first(schema, "ObjectNode", "ColumnTransformer"))["transformers_"]["content"][0][
            "content"
        ][0].update(content='"remainder"', __id__=77),
    ),
    "a cut point missing": ("binned", edit_array("MDLDiscretizer", "cut_points_", lambda cuts: cuts[:-1])),
    "bins without cut points": ("binned", edit_array("MDLDiscretizer", "n_bins_", lambda n: n + 3)),
    "a discretizer that takes any columns": (
        "binned",
        lambda schema, _: attributes(first(schema, "ObjectNode", "MDLDiscretizer")).pop("n_features_in_"),
    ),
    "codes of values that are not there": ("binned", edit_array("TableEncoder", "n_values_", lambda n: n + 3)),
    "boosting with fewer codes": (
        "text",
        lambda schema, _: attributes(first(schema, "ObjectNode", "ColumnTransformer"))["_transformer_to_input_indices"][
            "content"
        ]["encoder"]["content"].pop(),
    ),
}


@pytest.mark.filterwarnings("ignore:Bins whose width")
@pytest.mark.parametrize("broken", BROKEN_PARTS)
def test_parts_that_compiled_code_would_not_survive_are_refused(broken, tmp_path):
    name, edit = BROKEN_PARTS[broken]
    path = tmp_path / "model.unnaive"
    save(clone(PIPELINES[name]).fit(*table_of_objects(0, 120)), path)
    path.write_bytes(forged(path.read_bytes(), lambda *_: None))
    load(path)
    path.write_bytes(forged(path.read_bytes(), edit))
    refused(path, "does not hold a sound model")


@pytest.mark.parametrize("categories", [[np.nan, 1.0, 2.0], [1.0, np.nan, 2.0], [2.0, 1.0, np.nan]])
def test_categories_are_refused_unless_they_are_sorted_with_nan_last(categories, tmp_path):
    path = tmp_path / "model.unnaive"
    encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    model = make_pipeline(encoder, BernoulliNB()).fit([[1.0], [np.nan], [2.0], [np.nan]], [0, 1, 0, 1])
    save(model, path)
    assert load(path).model.predict([[np.nan], [2.0]]).tolist() == [1, 0]

    def edit(schema, members):
        (node,) = attributes(first(schema, "ObjectNode", "OneHotEncoder"))["categories_"]["content"]
        members[node["file"]] = as_npy(np.array(categories))

    path.write_bytes(forged(path.read_bytes(), edit))
    refused(path, "does not hold a sound model")


@pytest.mark.parametrize(
    "change",
    [
        lambda encoder: encoder.categories_.__setitem__(0, np.array(["a", "a"], dtype=object)),
        lambda encoder: encoder.categories_.__setitem__(1, np.array([2.0, 1.0])),
        lambda encoder: encoder.categories_.pop(),
        lambda encoder: setattr(encoder, "_infrequent_enabled", "yes"),
        lambda encoder: encoder._missing_indices.update({0: 9}),
        lambda encoder: encoder.__dict__.update(
            _infrequent_enabled=True, _default_to_infrequent_mappings=[np.array([0, -1]), None]
        ),
    ],
)
def test_an_ordinal_encoder_that_cannot_be_is_not_sound(change, tmp_path):
    path = tmp_path / "model.unnaive"
    rows = np.array([["a", 1.0], ["b", 2.0], ["a", 2.0], ["b", 1.0]], dtype=object)
    model = make_pipeline(OrdinalEncoder(), BernoulliNB()).fit(rows, [0, 1, 0, 1])
    save(model, path)
    assert load(path).model.predict(rows[:2]).tolist() == [0, 1]
    change(model[0])
    with pytest.raises(ModelFileError, match="changed after it was fitted"):
        save(model, path)


@pytest.mark.parametrize(
    ("model", "change"),
    [
        (make_pipeline(OneHotEncoder(), BernoulliNB()), lambda model: delattr(model[0], "categories_")),
        (
            make_pipeline(make_column_transformer((OneHotEncoder(), [0, 1])), BernoulliNB()),
            lambda model: delattr(model[0], "transformers_"),
        ),
        (make_pipeline(SimpleImputer(), BernoulliNB()), lambda model: delattr(model[0], "_fit_dtype")),
        (make_pipeline(SimpleImputer(), BernoulliNB()), lambda model: model[0].set_params(missing_values="a")),
        (make_pipeline(SimpleImputer(), BernoulliNB()), lambda model: model[0].set_params(add_indicator=True)),
        (make_pipeline(SVC()), lambda model: model[0].set_params(degree=2**63)),
        (RandomForestClassifier(2), lambda model: model.set_params(n_estimators=2**63)),
        (make_pipeline(SVC()), lambda model: vars(model[0]).update(_gamma=np.array([0.5]))),
        (HistGradientBoostingClassifier(max_iter=1), lambda model: delattr(model._loss, "link")),
        (
            HistGradientBoostingClassifier(max_iter=1, categorical_features=[0]),
            lambda model: model._preprocessor.transformers_[1][1].func.keywords.update(ensure_all_finite=-1),
        ),
        (
            make_pipeline(make_column_transformer((StandardScaler(), [0, 1])), LogisticRegression()),
            lambda model: vars(model[0]).update(sparse_output_=True),
        ),
        (
            make_pipeline(make_column_transformer((StandardScaler(), [0, 1])), LogisticRegression()),
            lambda model: model[0]._transformer_to_input_indices.update(standardscaler=[0, True]),
        ),
        (
            make_pipeline(KBinsDiscretizer(2, encode="ordinal", strategy="uniform"), BernoulliNB()),
            lambda model: model[0].bin_edges_.__setitem__(0, model[0].bin_edges_[0].astype("datetime64[s]")),
        ),
    ],
)
def test_a_part_that_lacks_what_it_predicts_with_is_not_sound(model, change, tmp_path):
    rows = np.array([[0.0, 1.0], [1.0, 0.0], [0.0, 0.0], [1.0, 1.0]] * 5)
    model = clone(model).fit(rows, [0, 1, 0, 1] * 5)
    save(model, tmp_path / "model.unnaive")
    assert load(tmp_path / "model.unnaive").model.predict(rows).shape == (20,)
    change(model)
    with pytest.raises(ModelFileError, match="changed after it was fitted"):
        save(model, tmp_path / "model.unnaive")


def test_an_ordinal_encoder_that_groups_rare_categories_is_loaded(tmp_path):
    rows = np.array([["a"], ["b"], ["a"], ["c"], ["a"], ["d"]], dtype=object)
    model = make_pipeline(OrdinalEncoder(max_categories=2), BernoulliNB()).fit(rows, [0, 1, 0, 1, 0, 1])
    save(model, tmp_path / "model.unnaive")
    assert load(tmp_path / "model.unnaive").model.predict(rows).tolist() == [0, 1, 0, 1, 0, 1]


def test_an_array_in_a_later_format_of_numpy_is_refused(fitted, tmp_path):
    def edit(schema, members):
        name = first(schema, "NdArrayNode")["file"]
        stream = io.BytesIO()
        np.lib.format.write_array(stream, np.load(io.BytesIO(members[name])), version=(2, 0))
        members[name] = stream.getvalue()

    path = tmp_path / "model.unnaive"
    save(fitted, path)
    path.write_bytes(forged(path.read_bytes(), edit))
    refused(path, "does not hold a sound model")


def longer(content, name, n_bytes):
    """A zip file whose directory says that a member has more bytes than it has."""
    stream = io.BytesIO(content)
    with zipfile.ZipFile(stream, "a") as archive:
        archive.getinfo(name).file_size += n_bytes
        archive.comment = b"."  # so that the directory is written again
    return stream.getvalue()


def test_members_that_claim_more_bytes_than_they_have_are_refused(fitted, tmp_path):
    path = tmp_path / "model.unnaive"
    save(fitted, path)
    whole = path.read_bytes()
    path.write_bytes(longer(whole, "model.skops", 1))
    refused(path, "is corrupted")
    manifest, payload = parts_of(whole)
    payload = longer(payload, "schema.json", len(payload))
    path.write_bytes(whole_of(manifest | {"sha256": hashlib.sha256(payload).hexdigest()}, payload))
    refused(path, "does not hold a sound model")


def test_a_tree_outside_of_an_estimator_is_refused():
    tree = DecisionTreeClassifier().fit([[0.0], [1.0]], [0, 1])
    assert list(parts_with_attributes([tree])) == [tree]
    with pytest.raises(ValueError, match="A tree without an estimator"):
        list(parts_with_attributes([tree.tree_]))


# Thousands of bad files


def sound_files(folder):
    """Small files of every kind of model, and rows for each to predict."""
    table, labels = table_of_objects(0, 60)
    models = {
        name: MODELS[name].make()
        for name in ("nb", "gnb", "kde-nb", "waode", "aodesr", "a2de", "hnb", "tan", "k2", "wanbia-gaussian", "cfwnb")
    }
    models |= {
        name: clone(PIPELINES[name]) for name in ("tree", "forest", "boosting", "svc", "infrequent", "imputed", "text")
    }
    # Few trees, one set of them with the regions of their leaves: a file should be small.
    models |= {
        "massbayes": MassBayes(n_trees=3, random_state=0),
        "massbayes in regions": MassBayes(n_trees=2, strict_region=True, random_state=0),
        "dtc": DecomposedTensorClassifier(n_components=3, decomposition="cp", random_state=0),
        "dtc by cv": DecomposedTensorClassifier(n_components="cv", max_components=3, random_state=0),
    }
    files = {}
    for name, model in models.items():
        # Two classes where there are kernels of their own for two.
        save(model.fit(table, labels == "no" if name in ("waode", "hnb") else labels), folder / "sound.unnaive")
        files[name] = (folder / "sound.unnaive").read_bytes()
    rows = dict.fromkeys(files, table)
    numbers = table[["width", "length"]].fillna(0.0)
    for name, settings in NUMERIC_MODELS.items():
        save(MODELS[name].make(**settings).fit(numbers, labels), folder / "sound.unnaive")
        files[name] = (folder / "sound.unnaive").read_bytes()
        rows[name] = numbers
    tensors, places = random_counts(0, 20)
    for name, model in {"bat": BayesianTensorClassifier(), "stl": SupportTensorMachine()}.items():
        save(model.fit(tensors, places), folder / "sound.unnaive")
        files[name] = (folder / "sound.unnaive").read_bytes()
        rows[name] = tensors
    save(
        MODELS["bat"].make_for_table().set_params(patterns__max_patterns=4).fit(table, labels), folder / "sound.unnaive"
    )
    files["bat of a table"], rows["bat of a table"] = (folder / "sound.unnaive").read_bytes(), table
    documents, about = random_documents(0, 20)
    save(MODELS["bat"].make_for_documents(max_terms=4).fit(documents, about), folder / "sound.unnaive")
    files["bat of text"], rows["bat of text"] = (folder / "sound.unnaive").read_bytes(), documents
    graphs, shapes = graphs_of(0)
    save(model_of_graphs().fit(graphs, shapes), folder / "sound.unnaive")
    files["bat of graphs"], rows["bat of graphs"] = (folder / "sound.unnaive").read_bytes(), graphs
    for name in ("honb", "honb3", "hosvm", "wm-nbsvm", "word-clusters", "tfidf-logistic"):
        save(MODELS[name].make_for_documents().fit(documents, about), folder / "sound.unnaive")
        files[name] = (folder / "sound.unnaive").read_bytes()
        rows[name] = documents
    return files, rows


def flipped(rng, whole):
    content = bytearray(whole)
    for at in rng.integers(len(content), size=rng.integers(1, 20)):
        content[at] ^= 1 << rng.integers(8)
    return bytes(content)


def truncated(rng, whole):
    start, stop = sorted(rng.integers(len(whole), size=2).tolist())
    return [whole[:start], whole[stop:], whole[:start] + whole[stop:], whole[start:stop]][rng.integers(4)]


def noise(rng, whole):
    content = rng.bytes(rng.integers(2000))
    return [content, b"PK\x03\x04" + content, content + whole[-22:], whole[:100] + content + whole[-150:]][
        rng.integers(4)
    ]


def other_members(rng, whole):
    """The two members swapped, doubled, renamed, missing, with others, or compressed in another way."""
    manifest, payload = parts_of(whole)
    names = [["model.skops", "manifest.json"], ["manifest.json", "../model.skops"], ["manifest.json", "model.skops"]]
    methods = [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
    choice = rng.integers(8)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", methods[2 + choice % 2 if choice > 5 else choice % 2]) as archive:
        contents = [json.dumps(manifest).encode(), payload]
        for name, content in zip(names[min(choice, 2)], contents):
            archive.writestr(name, content)
        if choice in (2, 3):
            archive.writestr(["manifest.json", "model.skops"][choice - 2], contents[choice - 2])
        if choice in (4, 5):
            archive.writestr(["../../evil.py", "/etc/cron.d/evil"][choice - 4], b"import os")
    return buffer.getvalue()


JUNK = [None, True, -1, 0, 1, 2**31, 2**63, 10**30, 0.5, 1e300, "", "x" * 50, "\x1b[2J\n", [], [[1]], {}, {"a": 1}]


def other_manifest(rng, whole):
    manifest, payload = parts_of(whole)
    fields = sorted(set(manifest) - {"notes", "written"})
    name = fields[rng.integers(len(fields))]
    choice = rng.integers(4)
    if choice == 0:
        del manifest[name]
    elif choice == 1:
        return whole_of([b"[" * 100_000, b"{}", b"", b"\xff\xfe", b"[]", b"1", b"9" * 10_000][rng.integers(7)], payload)
    else:
        manifest[name] = JUNK[rng.integers(len(JUNK))]
    return whole_of(manifest, payload)


def newer(rng, whole):
    manifest, payload = parts_of(whole)
    return whole_of(
        manifest | {"format": int(rng.integers(4, 10**6)), "unnaive": JUNK[rng.integers(len(JUNK))]}, payload
    )


def any_node(rng, schema, *loaders):
    nodes = [node for node in nodes_of(schema) if not loaders or node["__loader__"] in loaders]
    return nodes[rng.integers(len(nodes))]


def other_types(rng, whole):
    """Names of functions and types that would do harm, by any way that skops has to make something of them."""

    def edit(schema, _):
        node = any_node(rng, schema)
        module, name = HARMFUL[rng.integers(len(HARMFUL))].rsplit(".", 1)
        node.update(__module__=module, __class__=name)
        if rng.random() < 0.7:
            node["__loader__"] = LOADERS[rng.integers(len(LOADERS))]
        argument = dict(any_node(rng, schema, "JsonNode"), content=json.dumps("touch pwned"), __id__=1)
        arguments = {
            "__class__": "tuple",
            "__module__": "builtins",
            "__loader__": "TupleNode",
            "content": [argument],
            "__id__": 2,
        }
        nothing = {"__class__": "dict", "__module__": "builtins", "__loader__": "DictNode", "content": {}, "__id__": 3}
        nothing["key_types"] = {
            "__class__": "list",
            "__module__": "builtins",
            "__loader__": "ListNode",
            "content": [],
            "__id__": 4,
        }
        function = {"__class__": name, "__module__": module, "__loader__": "FunctionNode", "__id__": 5}
        if node["__loader__"] in ("ConstructorFromReduceNode", "ListNode", "TupleNode", "SetNode"):
            node["content"] = arguments
        elif node["__loader__"] == "PartialNode":
            node["content"] = {"func": function, "args": arguments, "kwds": nothing, "namespace": nothing}
        elif node["__loader__"] in ("LossNode", "TreeNode", "QuantileForestNode"):
            node.update(__reduce__={"args": arguments}, content=nothing)
        elif node["__loader__"] == "MethodNode":
            node["content"] = {"func": name, "obj": dict(argument, __class__=name, __module__=module)}
        elif node["__loader__"] == "OperatorFuncNode":
            node["attrs"] = arguments
        node["__id__"] = 6

    return forged(whole, edit)


def other_structure(rng, whole):
    """Parts of a schema in the place of others, missing, nested, or passing for others."""

    def edit(schema, members):
        node, other = any_node(rng, schema), any_node(rng, schema)
        choice = rng.integers(10)
        if choice == 0:
            kept = copy.deepcopy(other)
            node.clear()
            node.update(kept)
        elif choice == 1:
            del node[list(node)[rng.integers(len(node))]]
        elif choice == 2:
            node[list(node)[rng.integers(len(node))]] = JUNK[rng.integers(len(JUNK))]
        elif choice == 3:
            node["__id__"] = other["__id__"]
        elif choice == 4:
            node.update(__loader__="CachedNode", __id__=other["__id__"])
        elif choice == 5:
            depth = int(10 ** rng.uniform(1, 5))
            text = json.dumps(schema)
            return text[:-1] + ', "deep": ' + "[" * depth + "]" * depth + "}"
        elif choice == 6:
            deep = any_node(rng, schema, "JsonNode")
            for _ in range(int(10 ** rng.uniform(1, 2.4))):
                deep = {"__class__": "list", "__module__": "builtins", "__loader__": "ListNode", "content": [deep]}
                deep["__id__"] = int(rng.integers(2**40))
            schema.clear()
            schema.update(deep, protocol=2)
        elif choice == 7:
            schema["protocol"] = [0, 1, 3, -1, True, "2", None][rng.integers(7)]
        elif choice == 8:
            node = any_node(rng, schema, "NdArrayNode")
            node["file"] = ["../../../etc/passwd", "/etc/passwd", "schema.json", "", *members][
                rng.integers(4 + len(members))
            ]
        else:
            node = any_node(rng, schema, "ListNode", "TupleNode", "DictNode")
            content = node["content"]
            if isinstance(content, dict) and content:
                del content[list(content)[rng.integers(len(content))]]
            elif content:
                content[rng.integers(len(content))] = copy.deepcopy(other)
        return None

    return forged(whole, edit)


def other_arrays(rng, whole):
    """Arrays of other shapes, types and values, or that say they are larger than they are."""

    def edit(_, members):
        name = list(members)[rng.integers(len(members))]
        array = np.load(io.BytesIO(members[name]))
        flat = array.ravel()
        choice = rng.integers(9)
        if choice == 0:
            array = flat[: rng.integers(len(flat) + 1)]
        elif choice == 1:
            array = np.concatenate([flat, flat, flat])[: len(flat) + rng.integers(1, 9)]
        elif choice == 2:
            array = array.T.copy() if array.ndim > 1 else flat[None]
        elif choice == 3:
            array = np.zeros(
                array.shape, ["f4", ">f8", "i8", "i4", "u1", "?", "U3", "S2", "M8[s]", "c16", "i4,f8"][rng.integers(11)]
            )
        elif choice == 4 and array.size and array.dtype.kind in "iuf":
            values = [-1, -2, 7, 1000, 2**31 - 1, -(2**31)] + [np.nan, np.inf, -0.5, 1e308] * (array.dtype.kind == "f")
            with np.errstate(over="ignore"):  # of float32, to infinity
                value = np.array(values[rng.integers(len(values))]).astype(array.dtype)
            array.ravel()[rng.integers(array.size, size=3)] = value
        elif choice == 4 and array.dtype.names:
            field = array.dtype.names[rng.integers(len(array.dtype.names))]
            array[field] = rng.integers(200, size=array.shape)
        elif choice == 5:
            content = bytearray(members[name])
            content[rng.integers(len(content))] ^= 1 << rng.integers(8)
            members[name] = bytes(content)
            return
        elif choice == 6:
            members[name] = members[name].replace(b"(", b"(" + b"9" * int(rng.integers(1, 9)), 1)
            return
        elif choice == 7:
            members[name] = rng.bytes(rng.integers(300))
            return
        else:
            members[name] = (
                b"\x93NUMPY\x01\x00v\x00"
                + (
                    b"{'descr': '%b', 'fortran_order': False, 'shape': (%d,), }"
                    % ([b"|O", b"<U0", b"|V0", b"<f8"][rng.integers(4)], 10 ** int(rng.integers(1, 18)))
                ).ljust(117)
                + b"\n"
            )
            return
        members[name] = as_npy(array)

    return forged(whole, edit)


def other_numbers(rng, whole):
    """Another number or text for one of them: a parameter, a size, a name."""

    def edit(schema, _):
        node = any_node(rng, schema, "JsonNode")
        node.update(content=json.dumps(JUNK[rng.integers(len(JUNK))]), __id__=int(rng.integers(2**40)))

    return forged(whole, edit)


def other_payload(rng, whole):
    """A payload with members twice, under other names, compressed, or that is no archive at all."""
    manifest, payload = parts_of(whole)
    schema, members = members_of(payload)
    choice = rng.integers(5)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED if choice == 0 else zipfile.ZIP_STORED) as archive:
        for name, content in members.items():
            archive.writestr("../" + name if choice == 1 else name, content)
        archive.writestr("schema.json", json.dumps(schema))
        if choice == 2:
            archive.writestr("schema.json", json.dumps(schema))
        if choice == 3:
            archive.writestr("evil.py", b"import os")
    payload = rng.bytes(100) if choice == 4 else buffer.getvalue()
    return whole_of(manifest | {"sha256": hashlib.sha256(payload).hexdigest()}, payload)


KINDS = {
    flipped: 15,
    truncated: 10,
    noise: 4,
    other_members: 4,
    other_manifest: 5,
    newer: 2,
    other_types: 20,
    other_structure: 14,
    other_arrays: 18,
    other_numbers: 5,
    other_payload: 3,
}
UNCHANGED = (flipped, truncated, other_members, other_manifest)  # the model is what it was, or the file is refused
SUSPICIOUS = (
    "os.",
    "subprocess",
    "socket",
    "exec",
    "import",
    "ctypes",
    "shutil",
    "pickle",
    "marshal",
    "tempfile",
    "glob",
    "mmap",
)


def called_by(package):
    frame = sys._getframe()
    while frame is not None and f"{os.sep}{package}{os.sep}" not in frame.f_code.co_filename:
        frame = frame.f_back
    return frame is not None


def fuzz(seed, number, folder):
    """Load bad files, predict with those that load, and tell what became of them and what they set off."""
    rng = np.random.default_rng(seed)
    files, rows = sound_files(folder)
    path = folder / "bad.unnaive"
    expected, watching, events = {}, [], []

    def watch(event, arguments):
        writes = event == "open" and isinstance(arguments[1], str) and set(arguments[1]) & set("wax+")
        # An error in a compiled function is told by unpickling its type, and numbers of another type are compiled for.
        told = event == "pickle.find_class" and arguments == ("builtins", "ZeroDivisionError")
        if watching and (writes or event.startswith(SUSPICIOUS)) and not told and not called_by("numba"):
            events.append(f"{watching[-1]}: {event} {arguments!r}"[:300])

    for name, whole in files.items():  # whatever is imported or compiled at first
        path.write_bytes(whole)
        expected[name] = answer(load(path).model, rows[name])
    sys.addaudithook(watch)
    warnings.simplefilter("error")
    warnings.simplefilter("ignore", InconsistentVersionWarning)
    outcomes, wrong = Counter(), []
    names, makers = list(files), [maker for maker, share in KINDS.items() for _ in range(share)]
    for case in range(number):
        maker, name = makers[case % len(makers)], names[rng.integers(len(names))]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of zipfile, about a name that is written twice
            path.write_bytes(maker(rng, files[name]))
        label = f"{case} {maker.__name__} {name}"
        print(label, flush=True)
        watching.append(label)
        try:
            loaded = load(path).model
        except ModelFileError as refusal:
            outcomes[maker.__name__, "refused"] += 1
            if not is_one_sentence(str(refusal)):
                wrong.append(f"{label}: {refusal}")
        except BaseException as problem:
            wrong.append(f"{label}: {problem!r}")
        else:
            outcome = "fails to predict"
            try:
                with warnings.catch_warnings(), np.errstate(all="ignore"), parallel_config("sequential"):
                    warnings.simplefilter("ignore")
                    told = answer(loaded, rows[name])
                outcome = "harmless"
                if maker in UNCHANGED and not np.array_equal(told, expected[name]):
                    wrong.append(f"{label}: loaded, but another model")
            except OverflowError:  # of a parameter that is allowed to be larger than compiled code can count
                pass
            except Exception as problem:
                if name in COUNTING_MODELS:
                    wrong.append(f"{label}: {problem!r}")
            outcomes[maker.__name__, outcome] += 1
        finally:
            watching.clear()
    left = sorted(set(os.listdir(folder)) - {"bad.unnaive", "sound.unnaive"})
    return {"outcomes": {" ".join(key): count for key, count in outcomes.items()}, "wrong": wrong + events + left}


@pytest.mark.thorough
def test_three_thousand_bad_files_are_refused_or_do_no_harm(tmp_path):
    run = subprocess.run(
        [sys.executable, "-m", "tests.persist.test_model_file", "0", "3000", tmp_path],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=os.environ | {"PYTHONFAULTHANDLER": "1"},
    )
    last = run.stdout.splitlines()[-1] if run.stdout else ""
    assert run.returncode == 0, f"{last}\n{run.stderr}"
    assert run.stderr == ""
    told = json.loads(last)
    assert told["wrong"] == []
    outcomes = Counter()
    for key, count in told["outcomes"].items():
        outcomes[key.split()[0]] += count
        if key.split()[0] in ("newer", "other_payload", "noise", "other_types"):
            assert key.endswith("refused"), key
    assert sum(outcomes.values()) == 3000
    assert set(outcomes) == {maker.__name__ for maker in KINDS}


if __name__ == "__main__":
    print(json.dumps(fuzz(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))))
