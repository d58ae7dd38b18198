import pytest

from unnaive.core.partial_labels import is_labelled


@pytest.mark.parametrize(
    ("labels", "known"),
    [
        (["dry", None, "wet"], [True, False, True]),
        ([0, -1, 1], [True, False, True]),
        ([1, -1, 1], [True, True, True]),
    ],
)
def test_missing_labels_and_minus_one_beside_other_labels_are_unknown(labels, known):
    assert is_labelled(labels).tolist() == known
