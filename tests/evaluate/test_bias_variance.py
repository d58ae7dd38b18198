import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.naive_reference import evaluation as reference
from unnaive.evaluate.bias_variance import kohavi_wolpert, webb

N_CLASSES = 4


@st.composite
def predicted_rows(draw, min_repeats=1):
    """Few classes and repeats, so that modes are often tied."""
    n_repeats = draw(st.integers(min_repeats, 6))
    label = st.integers(0, N_CLASSES - 1)
    rows = draw(st.lists(st.tuples(label, *[label] * n_repeats), min_size=1, max_size=6))
    return [list(row[1:]) for row in rows], [row[0] for row in rows]


@given(data=predicted_rows())
@examples(150)
def test_webb_is_that_of_the_definition_and_adds_up(data):
    predictions, truth = data
    expected = reference.webb(predictions, truth)
    assert expected[0] == expected[1] + expected[2]
    found = webb(np.array(predictions), np.array(truth))
    np.testing.assert_allclose(found, [float(part) for part in expected], rtol=0, atol=1e-12)
    assert found.bias + found.variance == pytest.approx(found.error, abs=1e-15)


@pytest.mark.parametrize("corrected", [False, True])
@given(data=predicted_rows(min_repeats=2))
@examples(150)
def test_kohavi_and_wolpert_is_that_of_the_definition(corrected, data):
    predictions, truth = data
    found = kohavi_wolpert(np.array(predictions), np.array(truth), N_CLASSES, corrected)
    bias, variance = reference.kohavi_wolpert(predictions, truth, N_CLASSES, corrected)
    np.testing.assert_allclose(found[1:], [float(bias), float(variance)], rtol=0, atol=1e-12)
    assert found.error == pytest.approx(float(reference.webb(predictions, truth)[0]), abs=1e-12)


@given(data=predicted_rows(min_repeats=2))
@examples(150)
def test_kohavi_and_wolpert_adds_up_without_the_correction_only(data):
    predictions, truth = np.array(data[0]), np.array(data[1])
    plain = kohavi_wolpert(predictions, truth, N_CLASSES, corrected=False)
    assert plain.bias + plain.variance == pytest.approx(plain.error, abs=1e-12)
    corrected = kohavi_wolpert(predictions, truth, N_CLASSES)
    missing = plain.variance / (predictions.shape[1] - 1)
    assert corrected.bias + corrected.variance == pytest.approx(plain.error - missing, abs=1e-12)


def test_tied_modes_are_averaged():
    """Of two modes, one is right: half of the wrong predictions are bias, half variance."""
    assert webb(np.array([[0, 0, 1, 1]]), np.array([0])) == (0.5, 0.25, 0.25)
    # Three modes, all wrong: whichever is the mode, a third is bias and two thirds are variance.
    np.testing.assert_allclose(webb(np.array([[1, 2, 3]]), np.array([0])), (1, 1 / 3, 2 / 3), rtol=1e-15)
    # The mode is right: all errors are variance. The mode is wrong: all of its predictions are bias.
    assert webb(np.array([[0, 0, 0, 1]]), np.array([0])) == (0.25, 0.0, 0.25)
    assert webb(np.array([[1, 1, 1, 0]]), np.array([0])) == (0.75, 0.75, 0.0)


def test_predictions_that_never_change_have_no_variance():
    predictions, truth = np.repeat([[0], [1], [1], [2]], 5, axis=1), np.array([0, 1, 2, 0])
    assert webb(predictions, truth) == (0.5, 0.5, 0.0)
    assert kohavi_wolpert(predictions, truth, 3) == (0.5, 0.5, 0.0)


@pytest.mark.parametrize(
    ("predictions", "truth", "message"),
    [
        ([[0, -1], [1, 1]], [0, 1], "-1 is not one of 2 classes"),
        ([[0, 1], [1, 2]], [0, 1], "2 is not one of 2 classes"),
        ([[0, 1], [1, 1]], [0, 5], "5 is not one of 2 classes"),
        ([[0, 1], [1, 1]], [0], r"truth \(1,\)"),
        ([0, 1], [0, 1], r"predictions has shape \(2,\)"),
        ([[], []], [0, 1], r"predictions has shape \(2, 0\)"),
        ([[0], [1]], [0, 1], "no variance to correct for"),
    ],
)
def test_incomplete_predictions_are_refused(predictions, truth, message):
    with pytest.raises(ValueError, match=message):
        kohavi_wolpert(np.array(predictions, dtype=int), np.array(truth), 2)


def test_webb_refuses_missing_predictions_too():
    with pytest.raises(ValueError, match="-1 is not one of"):
        webb(np.array([[0, -1]]), np.array([0]))


def test_decompositions_of_a_small_example():
    predictions, truth = np.array([[0, 0, 0, 1], [0, 0, 1, 1]]), np.array([1, 1])
    assert webb(predictions, truth) == (0.625, 0.5, 0.125)
    assert kohavi_wolpert(predictions, truth, n_classes=2, corrected=False) == (0.625, 0.40625, 0.21875)
