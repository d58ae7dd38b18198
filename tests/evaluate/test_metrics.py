import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, f1_score, matthews_corrcoef, recall_score, roc_auc_score
from sklearn.metrics import log_loss as sklearn_log_loss

from tests.examples import examples
from tests.naive_reference import evaluation as reference
from unnaive.evaluate.metrics import (
    METRICS,
    Outcome,
    accuracy,
    auc_pr,
    auc_pr_weighted,
    balanced_accuracy,
    brier,
    calibration_error,
    calibration_error_of,
    f1,
    log_loss,
    log_odds,
    mcc,
    reliability,
    roc_auc,
)


@st.composite
def outcomes(draw, grid=8):
    """Outcomes with probabilities of few different values, so that there are ties and bin edges."""
    n_classes = draw(st.integers(2, 4))
    rows = st.lists(st.integers(0, grid), min_size=n_classes, max_size=n_classes).filter(any)
    weights = np.array(draw(st.lists(rows, min_size=1, max_size=12)), dtype=float)
    labels = st.lists(st.integers(0, n_classes - 1), min_size=len(weights), max_size=len(weights))
    probabilities = weights / weights.sum(axis=1, keepdims=True)
    return Outcome(np.array(draw(labels)), np.array(draw(labels)), probabilities, probabilities)


@given(outcome=outcomes())
@examples(150)
def test_metrics_are_those_of_their_definitions(outcome):
    truth, predicted, scores = outcome.truth.tolist(), outcome.predicted.tolist(), outcome.probabilities.tolist()
    smallest = np.finfo(np.float64).eps
    assert accuracy(outcome) == pytest.approx(sum(t == p for t, p in zip(truth, predicted)) / len(truth))
    assert auc_pr(outcome) == pytest.approx(reference.auc_pr(truth, scores), abs=1e-12)
    assert log_loss(outcome) == pytest.approx(reference.log_loss(truth, scores, smallest), abs=1e-12)
    assert brier(outcome) == pytest.approx(reference.brier(truth, scores), abs=1e-12)
    expected = reference.calibration_error(truth, predicted, scores, n_bins=15)
    assert calibration_error(outcome) == pytest.approx(expected, abs=1e-12)


@given(outcome=outcomes(grid=3))
@examples(150)
def test_average_precision_is_that_of_sklearn_with_many_ties(outcome):
    present = np.unique(outcome.truth)
    expected = np.mean([average_precision_score(outcome.truth == c, outcome.ranking[:, c]) for c in present])
    assert auc_pr(outcome) == pytest.approx(expected, abs=1e-12)


@given(outcome=outcomes(grid=3))
@examples(50)
def test_weighted_average_precision_counts_classes_by_their_rows(outcome):
    present, n_rows = np.unique(outcome.truth, return_counts=True)
    areas = [average_precision_score(outcome.truth == c, outcome.ranking[:, c]) for c in present]
    assert auc_pr_weighted(outcome) == pytest.approx(np.average(areas, weights=n_rows), abs=1e-12)


@given(outcome=outcomes())
@examples(50)
def test_log_odds_are_those_of_probabilities(outcome):
    probabilities = outcome.probabilities
    with np.errstate(divide="ignore"):
        found, expected = log_odds(np.log(probabilities)), np.log(probabilities) - np.log1p(-probabilities)
        shifted = log_odds(np.log(probabilities) - 1234.5)
    # A probability of 1 minus rounding errors has log odds of any size above 36.
    clear = (probabilities < 1 - 1e-9) | (probabilities == 1)
    np.testing.assert_allclose(found[clear], expected[clear], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(shifted[clear], expected[clear], rtol=1e-9, atol=1e-9)


@pytest.mark.filterwarnings("ignore:A single label was found")
@given(outcome=outcomes(grid=3))
@examples(150)
def test_metrics_of_rare_classes_are_those_of_sklearn(outcome):
    truth, predicted = outcome.truth, outcome.predicted
    present = np.unique(truth)
    recall = recall_score(truth, predicted, labels=present, average="macro", zero_division=0)
    assert balanced_accuracy(outcome) == pytest.approx(recall, abs=1e-12)
    assert f1(outcome) == pytest.approx(f1_score(truth, predicted, average="macro"), abs=1e-12)
    assert mcc(outcome) == pytest.approx(matthews_corrcoef(truth, predicted), abs=1e-12)
    if len(present) == 1:
        assert math.isnan(roc_auc(outcome))
        return
    areas = [roc_auc_score(truth == c, outcome.ranking[:, c]) for c in present]
    assert roc_auc(outcome) == pytest.approx(np.mean(areas), abs=1e-12)


def test_metrics_are_those_of_sklearn_on_many_rows():
    rng = np.random.default_rng(0)
    probabilities = rng.dirichlet(np.ones(7), 3000).round(2)
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    truth = rng.integers(6, size=3000)  # the last class has no row
    outcome = Outcome(truth, probabilities.argmax(axis=1), probabilities, probabilities)
    expected = np.mean([average_precision_score(truth == c, probabilities[:, c]) for c in range(6)])
    assert auc_pr(outcome) == pytest.approx(expected, abs=1e-12)
    assert log_loss(outcome) == pytest.approx(sklearn_log_loss(truth, probabilities, labels=range(7)), abs=1e-12)


def test_classes_without_a_row_are_skipped():
    ranking = np.array([[0.1, 0.9, 0.5], [0.2, 0.1, 0.9], [0.3, 0.2, 0.1]])
    outcome = Outcome(np.array([0, 1, 0]), np.array([0, 0, 0]), ranking)
    of_first = 0.5 * 1 + 0.5 * 2 / 3  # the best score of class 0 is right, the second is not, the third is
    of_second = 1 / 3
    assert auc_pr(outcome) == pytest.approx((of_first + of_second) / 2)


def test_infinite_scores_rank():
    ranking = np.array([[-np.inf, 0.0], [-np.inf, -np.inf], [2.0, -np.inf]])
    finite = np.where(np.isinf(ranking), -99.0, ranking)
    truth, predicted = np.array([1, 1, 0]), np.array([1, 1, 1])
    assert auc_pr(Outcome(truth, predicted, ranking)) == auc_pr(Outcome(truth, predicted, finite))
    assert auc_pr(Outcome(truth, predicted, ranking)) == pytest.approx((1 + 5 / 6) / 2)


def test_an_impossible_class_costs_what_epsilon_costs():
    outcome = Outcome(np.array([0]), np.array([1]), probabilities=np.array([[0.0, 1.0]]))
    assert log_loss(outcome) == -math.log(2.0**-52)
    assert brier(outcome) == 2.0
    assert calibration_error(outcome) == 1.0


def test_what_is_certain_and_right_has_no_loss():
    outcome = Outcome(np.array([0, 1]), np.array([0, 1]), np.eye(2), np.eye(2))
    assert [METRICS[name].of(outcome) for name in METRICS] == [1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0]


@pytest.mark.parametrize("name", METRICS)
def test_a_metric_without_what_it_needs_is_nan(name):
    truth, scores = np.array([0, 1]), np.array([[0.6, 0.4], [0.3, 0.7]])
    metric = METRICS[name]
    given = {"labels": {}, "ranking": {"ranking": scores}, "probabilities": {"probabilities": scores}}
    lacking = {"ranking": {"probabilities": scores}, "probabilities": {"ranking": scores}}
    assert not math.isnan(metric.of(Outcome(truth, truth, **given[metric.needs])))
    if metric.needs in lacking:
        assert math.isnan(metric.of(Outcome(truth, truth, **lacking[metric.needs])))


@pytest.mark.parametrize("name", METRICS)
def test_nothing_to_measure_is_nan(name):
    nothing, no_scores = np.empty(0, dtype=int), np.empty((0, 3))
    assert math.isnan(METRICS[name].of(Outcome(nothing, nothing, no_scores, no_scores)))


@pytest.mark.parametrize("name", [name for name in METRICS if METRICS[name].needs != "labels"])
def test_a_missing_score_makes_a_metric_nan(name):
    scores = np.array([[np.nan, np.nan], [0.3, 0.7]])
    truth = np.array([0, 1])
    assert math.isnan(METRICS[name].of(Outcome(truth, truth, scores, scores)))


def test_better_predictions_have_better_metrics():
    rng = np.random.default_rng(1)
    truth = rng.integers(3, size=400)
    found = []
    for share in (0.3, 0.9):
        probabilities = (1 - share) * rng.dirichlet(np.ones(3), 400) + share * np.eye(3)[truth]
        outcome = Outcome(truth, probabilities.argmax(axis=1), probabilities, probabilities)
        found.append([METRICS[name].of(outcome) for name in METRICS])
    for worse, better, metric in zip(*found, METRICS.values()):
        assert (better > worse) if metric.higher_is_better else (better < worse)


@given(outcome=outcomes(), share=st.floats(0, 1), n_bins=st.integers(1, 20))
@examples(150)
def test_reliability_adds_up_over_folds(outcome, share, n_bins):
    cut = round(share * len(outcome.truth))
    parts = [
        Outcome(outcome.truth[rows], outcome.predicted[rows], probabilities=outcome.probabilities[rows])
        for rows in (slice(None, cut), slice(cut, None))
    ]
    whole = reliability(outcome, n_bins)
    np.testing.assert_allclose(sum(reliability(part, n_bins) for part in parts), whole, atol=1e-12)
    assert whole.shape == (n_bins, 3)
    assert whole[:, 0].sum() == len(outcome.truth)
    assert whole[:, 2].sum() == (outcome.truth == outcome.predicted).sum()
    scores = outcome.probabilities.tolist()
    expected = reference.calibration_error(outcome.truth.tolist(), outcome.predicted.tolist(), scores, n_bins)
    assert calibration_error_of(whole) == pytest.approx(expected, abs=1e-12)


def test_a_bin_includes_its_upper_edge():
    probabilities = np.array([[0.0, 1.0], [0.2, 0.8], [0.4, 0.6], [1.0, 0.0]])
    outcome = Outcome(np.zeros(4, dtype=int), np.zeros(4, dtype=int), probabilities=probabilities)
    assert reliability(outcome, n_bins=5)[:, 0].tolist() == [2, 1, 0, 0, 1]


def test_reliability_without_probabilities_is_nan():
    outcome = Outcome(np.array([0]), np.array([0]))
    assert np.isnan(reliability(outcome, n_bins=4)).all()


@pytest.mark.parametrize(
    ("truth", "predicted", "shape", "message"),
    [
        ([0, 1], [0], (2, 2), r"truth has shape \(2,\) and predicted \(1,\)"),
        ([0, 1], [0, 1], (3, 2), r"probabilities has shape \(3, 2\)"),
        ([0, 1], [0, 1], (2,), r"probabilities has shape \(2,\)"),
        ([0, 2], [0, 1], (2, 2), "Class 2 has no column in probabilities"),
        ([0, 1], [0, -1], (2, 2), "Class -1 has no column in probabilities"),
    ],
)
def test_an_outcome_that_does_not_fit_together_is_refused(truth, predicted, shape, message):
    with pytest.raises(ValueError, match=message):
        Outcome(np.array(truth), np.array(predicted), probabilities=np.full(shape, 0.5))
