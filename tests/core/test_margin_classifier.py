import numpy as np
import pytest

from unnaive.core.margin_classifier import MarginClassifier


class Given(MarginClassifier):
    """Decisions are what it is asked about."""

    def __init__(self, classes=("a", "b")):
        self.classes = classes
        self.classes_ = np.array(classes)

    def decision_function(self, X):
        return np.asarray(X)


@pytest.mark.parametrize(
    ("classes", "decisions", "expected"),
    [
        ("ab", [0.5, 0.0, -1.0], "baa"),
        ("abc", [[0.0, 2.0, 1.0], [3.0, 3.0, 1.0]], "ba"),
    ],
)
def test_the_largest_decision_wins_and_the_first_class_wins_ties(classes, decisions, expected):
    assert Given(tuple(classes)).predict(decisions).tolist() == list(expected)
