"""Labels are chosen by probability, by a threshold, or by expected cost."""

import numpy as np
import pytest

from unnaive.core.decisions import Decision

CLASSES = np.array(["no", "perhaps", "yes"])
CHANCES = np.array([[0.5, 0.2, 0.3], [0.2, 0.7, 0.1], [0.3, 0.3, 0.4]])


def test_the_most_probable_label_is_chosen_by_default():
    assert Decision().places(CHANCES, CLASSES).tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("at", "places"), [(0.3, [2, 1, 2]), (0.1, [2, 2, 2]), (0.41, [0, 1, 0]), (0.0, [2, 2, 2]), (1.0, [0, 1, 0])]
)
def test_a_label_is_chosen_from_its_threshold_on(at, places):
    assert Decision(("yes", at)).places(CHANCES, CLASSES).tolist() == places


def test_the_label_of_the_lowest_expected_cost_is_chosen():
    costs = {("yes", "no"): 10.0, ("yes", "perhaps"): 2.0, ("no", "yes"): 0.0}
    expected = [
        [sum(row[t] * (0 if t == p else costs.get((CLASSES[t], CLASSES[p]), 1)) for t in range(3)) for p in range(3)]
        for row in CHANCES
    ]
    assert Decision(costs=costs).places(CHANCES, CLASSES).tolist() == np.argmin(expected, axis=1).tolist()


def test_what_cannot_be_meant_is_refused():
    for options, words in [
        ({"threshold": ("yes", 1.5)}, "threshold is 1.5"),
        ({"costs": {("yes", "no"): -1.0}}, "a number from 0 on"),
        ({"threshold": ("yes", 0.5), "costs": {("yes", "no"): 2.0}}, "give one of them"),
    ]:
        with pytest.raises(ValueError, match=words):
            Decision(**options)
    with pytest.raises(ValueError, match="There is no class 'maybe'; there are no, perhaps, yes"):
        Decision(("maybe", 0.5)).check(CLASSES)
