from typing import ClassVar

import numpy as np
import pytest

from unnaive.core.margin_classifier import MarginClassifier


class Given(MarginClassifier):
    """Decisions are what it is asked about."""

    _parameter_constraints: ClassVar = {}

    def _read(self, X, reset):
        return np.asarray(X)

    def _fit(self, rows, classes):
        self.intercept_ = np.zeros(1)
        self.n_features_in_ = rows.shape[-1]

    def _decide(self, rows):
        return rows

    def _is_consistent(self):
        return self.intercept_.shape == (1,)


@pytest.mark.parametrize(
    ("classes", "decisions", "expected"),
    [
        ("ab", [0.5, 0.0, -1.0], "baa"),
        ("abc", [[0.0, 2.0, 1.0], [3.0, 3.0, 1.0]], "ba"),
    ],
)
def test_the_largest_decision_wins_and_the_first_class_wins_ties(classes, decisions, expected):
    model = Given().fit(np.zeros((len(classes), 1)), list(classes))
    model.check_state()
    assert model.predict(decisions).tolist() == list(expected)


def test_two_classes_are_needed():
    with pytest.raises(ValueError, match="Given needs two classes, but all labels in y are 'a': only one class"):
        Given().fit(np.zeros((2, 1)), ["a", "a"])


def test_weights_that_do_not_fit_are_noticed():
    model = Given().fit(np.zeros((2, 1)), ["a", "b"])
    model.intercept_ = np.zeros(2)
    with pytest.raises(ValueError, match="do not fit together"):
        model.check_state()
    model.intercept_ = None
    with pytest.raises(ValueError, match="not those that fit sets"):
        model.check_state()
