"""The references give WEKA's answers, so they are the formulas that WEKA computes.

Where WEKA does something the references do not do on purpose (fill in missing values, ignore weights, cut the
total weight to an integer), it is done to the input here.
"""

from functools import cache

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from tests.conformance import golden as weka
from tests.conformance.golden import assert_close, load
from tests.naive_reference.averaged import aode, aodesr, averaged_n_dependence, waode
from tests.naive_reference.hidden import hidden_naive_bayes
from tests.naive_reference.naive import categorical_naive_bayes, gaussian_naive_bayes, kernel_naive_bayes
from tests.naive_reference.network import k2_parents, network_probabilities, tan_parents

# The library is compared with WEKA and with the references; this is the third side of the triangle.
pytestmark = pytest.mark.thorough

NEVER = 100_000  # a frequency no value reaches, so that only naive Bayes is left

AVERAGED = {
    "NaiveBayes": (categorical_naive_bayes, {}),
    "AODE": (aode, {"smoothing": "laplace"}),
    "AODE_F30": (aode, {"smoothing": "laplace", "frequency_limit": 30}),
    "AODE_F100000": (aode, {"smoothing": "laplace", "frequency_limit": NEVER}),
    "AODE_M": (aode, {}),
    "AODE_M_F30": (aode, {"frequency_limit": 30}),
    "AODE_M_W3": (aode, {"m": 3}),
    "AODEsr": (aodesr, {}),
    "AODEsr_C5": (aodesr, {"critical_value": 5}),
    "AODEsr_F100000": (aodesr, {"frequency_limit": NEVER}),
    "AODEsr_L": (aodesr, {"smoothing": "laplace"}),
    "AODEsr_M2.5_F10_C20": (aodesr, {"m": 2.5, "frequency_limit": 10, "critical_value": 20}),
    "A1DE": (averaged_n_dependence, {"n": 1}),
    "A1DE_W": (averaged_n_dependence, {"n": 1, "weighted": True}),
    "A1DE_S20": (averaged_n_dependence, {"n": 1, "critical_value": 20}),
    "A1DE_M3_F30": (averaged_n_dependence, {"n": 1, "m": 3, "frequency_limit": 30}),
    "A1DE_F100000": (averaged_n_dependence, {"n": 1, "frequency_limit": NEVER}),
    "A2DE": (averaged_n_dependence, {"n": 2}),
    "A2DE_W": (averaged_n_dependence, {"n": 2, "weighted": True}),
    "A2DE_S20": (averaged_n_dependence, {"n": 2, "critical_value": 20}),
    "A2DE_M3_F30": (averaged_n_dependence, {"n": 2, "m": 3, "frequency_limit": 30}),
    "A2DE_F100000": (averaged_n_dependence, {"n": 2, "frequency_limit": NEVER}),
    "A2DE_S20_F100000": (averaged_n_dependence, {"n": 2, "critical_value": 20, "frequency_limit": NEVER}),
}

WITHOUT_WEIGHTS = {"WAODE": waode, "HNB": hidden_naive_bayes}

NETWORKS = {
    "BayesNet_K2_P1": (k2_parents, {"max_parents": 1}, 0.5),
    "BayesNet_K2_P2": (k2_parents, {"max_parents": 2}, 0.5),
    "BayesNet_K2_P2_A1": (k2_parents, {"max_parents": 2}, 1),
    "BayesNet_K2_P2_AIC": (k2_parents, {"max_parents": 2, "score": "aic"}, 0.5),
    "BayesNet_K2_P2_BDEU": (k2_parents, {"max_parents": 2, "score": "bdeu"}, 0.5),
    "BayesNet_K2_P2_MDL": (k2_parents, {"max_parents": 2, "score": "mdl"}, 0.5),
    "BayesNet_K2_P2_N": (k2_parents, {"max_parents": 2, "initial": "empty"}, 0.5),
    "BayesNet_K2_P3": (k2_parents, {"max_parents": 3}, 0.5),
    "BayesNet_TAN": (tan_parents, {}, 0.5),
    "BayesNet_TAN_A1": (tan_parents, {}, 1),
    "BayesNet_TAN_ENTROPY": (tan_parents, {"score": "entropy"}, 0.5),
    "BayesNet_TAN_MDL": (tan_parents, {"score": "mdl"}, 0.5),
}


def cells(table):
    """Every pair of a data set and a setting of the table for which there is an answer."""
    return [
        pytest.param(name, setting, id=f"{name}-{setting}")
        for name in weka.SETS
        for setting in load(name).settings
        if setting in table
    ]


def some_rows(golden):
    """Test rows to compare: all of a small set, a few spread over a large one, to stay quick."""
    n_rows = {"letter5k": 2, "soybean": 2}.get(golden.name, 150 if len(golden.n_values) < 5 else 12)
    n_test = len(golden.test_codes)
    return np.unique(np.linspace(0, n_test - 1, min(n_rows, n_test)).astype(int))


def weights_of(golden):
    return np.ones(len(golden.train_codes)) if golden.sample_weight is None else golden.sample_weight


@pytest.mark.parametrize(("name", "setting"), cells(AVERAGED))
def test_averaged_estimators_reproduce_weka(name, setting):
    golden = load(name)
    reference, options = AVERAGED[setting]
    rows = some_rows(golden)
    if setting.startswith("A2DE") and golden.sample_weight is not None:
        options = options | {"total_weight": weka.truncated_total(golden.sample_weight)}
    ours = reference(
        golden.train_codes,
        golden.train_classes,
        weights_of(golden),
        golden.n_values,
        golden.n_classes,
        golden.test_codes[rows],
        **options,
    )
    assert_close(ours, golden.probabilities(setting)[rows])


@pytest.mark.parametrize(("name", "setting"), cells(WITHOUT_WEIGHTS))
def test_information_weighted_estimators_reproduce_weka(name, setting):
    golden = load(name)
    rows = some_rows(golden)
    ours = WITHOUT_WEIGHTS[setting](
        golden.train_codes,
        golden.train_classes,
        np.ones(len(golden.train_codes)),
        golden.n_values,
        golden.n_classes,
        # WEKA reads a missing test value as the first declared one.
        np.maximum(golden.test_codes[rows], 0),
    )
    assert_close(ours, golden.probabilities(setting)[rows])


@cache
def _structure(name, search, options):
    golden = load(name)
    train, _ = weka.fill_with_modes(golden)
    # WEKA's structure scores count rows, whatever their weight.
    w = np.ones(len(train))
    return search(train, golden.train_classes, w, golden.n_values, golden.n_classes, **dict(options))


@pytest.mark.parametrize(("name", "setting"), cells(NETWORKS))
def test_networks_reproduce_weka(name, setting):
    golden = load(name)
    search, options, alpha = NETWORKS[setting]
    parents = _structure(name, search, tuple(options.items()))
    assert [*parents, []] == golden.parents(setting)

    train, test = weka.fill_with_modes(golden)
    rows = some_rows(golden)
    ours = network_probabilities(
        train,
        golden.train_classes,
        weights_of(golden),
        golden.n_values,
        golden.n_classes,
        test[rows],
        parents,
        alpha,
    )
    assert_close(ours, golden.probabilities(setting)[rows])


@pytest.mark.parametrize("name", [name for name in weka.NUMERIC_SETS if "NaiveBayes_numeric_K" in load(name).settings])
def test_truncated_kernels_reproduce_weka(name):
    golden = load(name)
    *training, test = weka.numeric_problem(name)
    rows = some_rows(golden)
    ours = kernel_naive_bayes(*training, test[rows], truncated=True)
    assert_close(ours, golden.probabilities("NaiveBayes_numeric_K")[rows])


@pytest.mark.parametrize("name", ["iris", "diabetes", "diabetes_weighted"])
def test_gaussian_naive_bayes_is_that_of_scikit_learn(name):
    X, y, weight, n_classes = weka.load_numeric(name, "train")
    test, *_ = weka.load_numeric(name, "test")
    expected = GaussianNB().fit(X, y, sample_weight=weight).predict_proba(test)
    weight = np.ones(len(y)) if weight is None else weight
    ours = gaussian_naive_bayes(X, y, weight, n_classes, test)
    np.testing.assert_allclose(ours, expected, rtol=0, atol=weka.TOLERANCE)


def test_every_categorical_setting_has_a_reference():
    known = {*AVERAGED, *WITHOUT_WEIGHTS, *NETWORKS}
    asked = {setting for name in weka.SETS for setting in load(name).settings}
    assert {setting for setting in asked if "numeric" not in setting} == known
