"""Every classifier that WEKA has too gives WEKA's probabilities, to 1e-9, on every packed set and setting.

Plain names are classifiers of WEKA 3.6.14, A1DE and A2DE those of the AnDE package. `SETTINGS` says how to
get each of them here. Our classifiers do not share five habits of WEKA:

* BayesNet fills in missing values, ours leave them out (`fill_with_modes`);
* WAODE and HNB take a missing test value for the first declared one, and ignore row weights;
* BayesNet ignores row weights when it looks for a structure;
* A2DE cuts the total weight to an integer after every row;
* A1DE and A2DE may overflow to zeros for a row in which everything is missing; that row is not compared.

Most are applied to the input. Where that is impossible the comparison goes `THROUGH_REFERENCE`: the literal
form in tests/naive_reference gives WEKA's answer with WEKA's habit, and ours without it.
"""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from tests.conformance import golden as packed
from tests.conformance.golden import SETS, assert_close, fill_with_modes, load
from tests.naive_reference.averaged import averaged_n_dependence
from tests.naive_reference.naive import kernel_naive_bayes
from tests.naive_reference.network import bayes_net, network_probabilities, tan
from unnaive import AODE, TAN, WAODE, AnDE, AODEsr, BayesNet, HiddenNaiveBayes, NaiveBayes

SETTINGS = {
    # Laplace smoothing; -D discretizes numeric columns, -K puts kernels on them.
    "NaiveBayes": NaiveBayes(smoothing="laplace"),
    "NaiveBayes_numeric": NaiveBayes(numeric="gaussian", smoothing="laplace"),
    "NaiveBayes_numeric_D": NaiveBayes(numeric="discretize", smoothing="laplace"),
    "NaiveBayes_numeric_K": NaiveBayes(numeric="kernel", smoothing="laplace"),
    # Laplace by default, -M the m-estimate with the weight of -W; -F is the frequency limit.
    "AODE": AODE(smoothing="laplace"),
    "AODE_F30": AODE(smoothing="laplace", frequency_limit=30),
    "AODE_F100000": AODE(smoothing="laplace", frequency_limit=100_000),
    "AODE_M": AODE(smoothing="m_estimate"),
    "AODE_M_F30": AODE(smoothing="m_estimate", frequency_limit=30),
    "AODE_M_W3": AODE(smoothing="m_estimate", m=3),
    # The m-estimate by default, -L Laplace; -C is the critical value.
    "AODEsr": AODEsr(smoothing="m_estimate"),
    "AODEsr_C5": AODEsr(critical_value=5, smoothing="m_estimate"),
    "AODEsr_F100000": AODEsr(smoothing="m_estimate", frequency_limit=100_000),
    "AODEsr_L": AODEsr(smoothing="laplace"),
    "AODEsr_M2.5_F10_C20": AODEsr(critical_value=20, smoothing="m_estimate", m=2.5, frequency_limit=10),
    # -W weights the parents by mutual information, -S resolves subsumption, -M is the m of the m-estimate.
    "A1DE": AnDE(n=1, smoothing="m_estimate"),
    "A1DE_numeric": AnDE(n=1, smoothing="m_estimate"),
    "A1DE_W": AnDE(n=1, weighted=True, smoothing="m_estimate"),
    "A1DE_S20": AnDE(n=1, subsumption=20, smoothing="m_estimate"),
    "A1DE_M3_F30": AnDE(n=1, smoothing="m_estimate", m=3, frequency_limit=30),
    "A1DE_F100000": AnDE(n=1, smoothing="m_estimate", frequency_limit=100_000),
    "A2DE": AnDE(n=2, smoothing="m_estimate"),
    "A2DE_numeric": AnDE(n=2, smoothing="m_estimate"),
    "A2DE_W": AnDE(n=2, weighted=True, smoothing="m_estimate"),
    "A2DE_S20": AnDE(n=2, subsumption=20, smoothing="m_estimate"),
    "A2DE_M3_F30": AnDE(n=2, smoothing="m_estimate", m=3, frequency_limit=30),
    "A2DE_F100000": AnDE(n=2, smoothing="m_estimate", frequency_limit=100_000),
    "A2DE_S20_F100000": AnDE(n=2, subsumption=20, smoothing="m_estimate", frequency_limit=100_000),
    "WAODE": WAODE(),
    "HNB": HiddenNaiveBayes(),
    # K2 -P is the number of parents, the class among them; -N starts without links; -A is alpha.
    "BayesNet_K2_P1": BayesNet(max_parents=1, criterion="bayes", initial="naive", alpha=0.5),
    "BayesNet_K2_P2": BayesNet(max_parents=2, criterion="bayes", initial="naive", alpha=0.5),
    "BayesNet_K2_P2_A1": BayesNet(max_parents=2, criterion="bayes", initial="naive", alpha=1),
    "BayesNet_K2_P2_AIC": BayesNet(max_parents=2, criterion="aic", initial="naive", alpha=0.5),
    "BayesNet_K2_P2_BDEU": BayesNet(max_parents=2, criterion="bdeu", initial="naive", alpha=0.5),
    "BayesNet_K2_P2_MDL": BayesNet(max_parents=2, criterion="mdl", initial="naive", alpha=0.5),
    "BayesNet_K2_P2_N": BayesNet(max_parents=2, criterion="bayes", initial="empty", alpha=0.5),
    "BayesNet_K2_P3": BayesNet(max_parents=3, criterion="bayes", initial="naive", alpha=0.5),
    "BayesNet_TAN": TAN(criterion="bayes", alpha=0.5),
    "BayesNet_TAN_A1": TAN(criterion="bayes", alpha=1),
    "BayesNet_TAN_ENTROPY": TAN(criterion="entropy", alpha=0.5),
    "BayesNet_TAN_MDL": TAN(criterion="mdl", alpha=0.5),
}

_GAUSSIAN = (
    "WEKA rounds values to the mean gap and integrates the density over it; ours is scikit-learn's Gaussian, "
    "which tests/naive_reference compares with scikit-learn."
)
LEFT_OUT = {
    ("diabetes", "NaiveBayes_numeric"): _GAUSSIAN,
    ("diabetes_weighted", "NaiveBayes_numeric"): _GAUSSIAN,
    ("iris", "NaiveBayes_numeric"): _GAUSSIAN,
    ("labor", "NaiveBayes_numeric"): _GAUSSIAN,
}

_KERNEL = "WEKA stops adding kernels when less than one per cent is left; ours adds all of them."
_TOTAL = "WEKA cuts the total weight to an integer after every row (570.75 becomes 382)."
_STRUCTURE = "The row weights, which WEKA's structure scores ignore, change the structure."
THROUGH_REFERENCE = {
    ("diabetes", "NaiveBayes_numeric_K"): _KERNEL,
    ("diabetes_weighted", "NaiveBayes_numeric_K"): _KERNEL,
    ("iris", "NaiveBayes_numeric_K"): _KERNEL,
    ("labor", "NaiveBayes_numeric_K"): _KERNEL,
    # Without -W and without missing values the total cancels, hence only this one of diabetes.
    ("diabetes_weighted", "A2DE_W"): _TOTAL,
    ("vote_weighted", "A2DE"): _TOTAL,
    ("vote_weighted", "A2DE_W"): _TOTAL,
    ("vote_weighted", "A2DE_S20"): _TOTAL,
    ("vote_weighted", "A2DE_M3_F30"): _TOTAL,
    ("diabetes_weighted", "BayesNet_K2_P2"): _STRUCTURE,
    ("diabetes_weighted", "BayesNet_K2_P2_A1"): _STRUCTURE,
    ("diabetes_weighted", "BayesNet_K2_P2_N"): _STRUCTURE,
    ("diabetes_weighted", "BayesNet_K2_P3"): _STRUCTURE,
    ("diabetes_weighted", "BayesNet_TAN"): _STRUCTURE,
    ("diabetes_weighted", "BayesNet_TAN_A1"): _STRUCTURE,
    ("diabetes_weighted", "BayesNet_TAN_ENTROPY"): _STRUCTURE,
    ("vote_weighted", "BayesNet_K2_P2"): _STRUCTURE,
    ("vote_weighted", "BayesNet_K2_P2_A1"): _STRUCTURE,
    ("vote_weighted", "BayesNet_K2_P2_AIC"): _STRUCTURE,
    ("vote_weighted", "BayesNet_K2_P2_BDEU"): _STRUCTURE,
    ("vote_weighted", "BayesNet_K2_P2_MDL"): _STRUCTURE,
    ("vote_weighted", "BayesNet_K2_P2_N"): _STRUCTURE,
    ("vote_weighted", "BayesNet_K2_P3"): _STRUCTURE,
    ("vote_weighted", "BayesNet_TAN"): _STRUCTURE,
    ("vote_weighted", "BayesNet_TAN_A1"): _STRUCTURE,
    ("vote_weighted", "BayesNet_TAN_ENTROPY"): _STRUCTURE,
    ("vote_weighted", "BayesNet_TAN_MDL"): _STRUCTURE,
}

CELLS = [(name, setting) for name in SETS for setting in load(name).settings]


def cells(wanted):
    """Parameters of a test: the cells for which `wanted(name, setting)` holds."""
    return pytest.mark.parametrize(
        ("name", "setting"),
        [pytest.param(*cell, id="-".join(cell)) for cell in CELLS if wanted(*cell)],
    )


def coded_frame(codes, golden):
    """Codes as categorical columns that declare all their values, seen or not."""
    return pd.DataFrame(
        {
            column: pd.Categorical.from_codes(codes[:, j], categories=range(golden.n_values[j]))
            for j, column in enumerate(golden.column_names)
        }
    )


def raw_frame(part, golden):
    """Numeric columns as they were before WEKA discretized them, the others as categories."""
    X, *_ = packed.load_numeric(golden.name, part)
    numeric = packed.numeric_columns(golden.name)
    codes = golden.train_codes if part == "train" else golden.test_codes
    frame = coded_frame(codes, golden)
    return frame.assign(**{golden.column_names[j]: X[:, j] for j in np.flatnonzero(numeric)})


def frames(golden, setting):
    """Training and test frame with WEKA's habits applied."""
    if "_numeric" in setting:
        return raw_frame("train", golden), raw_frame("test", golden)
    train, test = golden.train_codes, golden.test_codes
    if setting.startswith("BayesNet"):
        train, test = fill_with_modes(golden)
    if setting in ("WAODE", "HNB"):
        test = np.maximum(test, 0)
    return coded_frame(train, golden), coded_frame(test, golden)


def fitted(golden, setting, weighted=True):
    """Our estimator for the setting, fitted to the training rows."""
    estimator = clone(SETTINGS[setting])
    X, _ = frames(golden, setting)
    y = golden.train_classes
    weight = golden.sample_weight if weighted and setting not in ("WAODE", "HNB") else None
    if len(np.unique(y)) == golden.n_classes:
        return estimator.fit(X, y, sample_weight=weight)
    # WEKA counts declared classes that never occur; here that takes a list of the classes.
    return estimator.partial_fit(X, y, classes=range(golden.n_classes), sample_weight=weight)


def structure_of(estimator):
    """Parents as WEKA has them, as sets of columns; the class is the column after the last one."""
    n_columns = len(estimator.parents_)
    class_is_parent = getattr(estimator, "class_is_parent_", np.ones(n_columns, dtype=bool))
    return [
        set(parents) | ({n_columns} if with_class else set())
        for parents, with_class in zip(estimator.parents_, class_is_parent)
    ]


@cells(lambda *cell: cell not in LEFT_OUT and cell not in THROUGH_REFERENCE)
def test_probabilities_are_those_of_weka(name, setting):
    golden = load(name)
    _, test = frames(golden, setting)
    assert_close(fitted(golden, setting).predict_proba(test), golden.probabilities(setting))


@cells(lambda name, setting: load(name).has_parents(setting))
def test_structures_are_those_of_weka(name, setting):
    golden = load(name)
    estimator = fitted(golden, setting, weighted=False)
    *of_columns, of_class = golden.parents(setting)
    assert of_class == []
    assert structure_of(estimator) == [set(parents) for parents in of_columns]
    # The order in which parents were found too.
    n_columns = len(of_columns)
    in_order = [tuple(parent for parent in parents if parent != n_columns) for parents in of_columns]
    assert [tuple(parents) for parents in estimator.parents_] == in_order


@pytest.mark.thorough
@cells(lambda *cell: THROUGH_REFERENCE.get(cell) == _KERNEL)
def test_kernels_differ_from_weka_by_its_early_stop_only(name, setting, record_property):
    golden = load(name)
    data = packed.numeric_problem(name)
    whole = kernel_naive_bayes(*data, truncated=False)
    weka = golden.probabilities(setting)
    assert_close(kernel_naive_bayes(*data, truncated=True), weka)
    assert_close(fitted(golden, setting).predict_proba(raw_frame("test", golden)), whole)

    difference = float(np.abs(whole - weka).max())
    record_property("largest difference", difference)
    print(f"{name}: stopping early moves a probability by up to {difference:.1e}")
    assert difference < 0.002


@pytest.mark.thorough
@cells(lambda *cell: THROUGH_REFERENCE.get(cell) == _TOTAL)
def test_a2de_differs_from_weka_by_its_integer_total_only(name, setting):
    golden = load(name)
    estimator = SETTINGS[setting]
    codes = golden.train_codes, golden.train_classes, golden.sample_weight, golden.n_values, golden.n_classes
    # The slow form looks at every triple of values, so a few rows must do.
    rows = slice(None, None, 5)
    data = *codes, golden.test_codes[rows]
    options = {
        "n": estimator.n,
        "weighted": estimator.weighted,
        "critical_value": estimator.subsumption,
        "smoothing": estimator.smoothing,
        "m": estimator.m,
        "frequency_limit": estimator.frequency_limit,
    }
    truncated = averaged_n_dependence(*data, **options, total_weight=packed.truncated_total(golden.sample_weight))
    assert_close(truncated, golden.probabilities(setting)[rows])
    _, test = frames(golden, setting)
    ours = fitted(golden, setting).predict_proba(test[rows])
    assert_close(ours, averaged_n_dependence(*data, **options))


@cells(lambda *cell: THROUGH_REFERENCE.get(cell) == _STRUCTURE)
def test_networks_differ_from_weka_by_weights_in_the_structure_only(name, setting):
    golden = load(name)
    estimator = SETTINGS[setting]
    codes, test_codes = fill_with_modes(golden)
    data = codes, golden.train_classes, golden.sample_weight, golden.n_values, golden.n_classes, test_codes
    *parents, _ = golden.parents(setting)
    assert_close(network_probabilities(*data, parents, estimator.alpha), golden.probabilities(setting))

    ours = fitted(golden, setting)
    assert structure_of(ours) != [set(of_column) for of_column in parents]
    if isinstance(estimator, TAN):
        expected = tan(*data, score=estimator.criterion, alpha=estimator.alpha)
    else:
        options = {key: getattr(estimator, key) for key in ("max_parents", "initial", "alpha")}
        expected = bayes_net(*data, **options, score=estimator.criterion)
    _, test = frames(golden, setting)
    assert_close(ours.predict_proba(test), expected)


def test_every_answer_of_weka_is_accounted_for():
    assert set(SETTINGS) == {setting for _, setting in CELLS}
    assert set(LEFT_OUT) | set(THROUGH_REFERENCE) <= set(CELLS)
    assert not set(LEFT_OUT) & set(THROUGH_REFERENCE)
    direct = len(CELLS) - len(LEFT_OUT) - len(THROUGH_REFERENCE)
    zero_rows = sum(np.sum(load(name).probabilities(setting).sum(axis=1) == 0) for name, setting in CELLS)
    n_rows = sum(len(load(name).test_codes) for name, _ in CELLS)
    print(
        f"{len(CELLS)} answers of WEKA, {n_rows} rows: {direct} compared directly ({zero_rows} rows of zeros "
        f"left out), {len(THROUGH_REFERENCE)} through the reference, {len(LEFT_OUT)} not compared"
    )
