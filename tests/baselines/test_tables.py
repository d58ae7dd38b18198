"""Categories of text columns; the classifiers are in test_import.py and test_common.py."""

import numpy as np
import pandas as pd
import pytest

from unnaive.baselines.tables import TextAsCategories, gradient_boosting
from unnaive.baselines.tuned_boosting import tuned_boosting


def test_text_becomes_the_categories_of_training():
    frame = pd.DataFrame({"sky": ["grey", "blue"], "warmth": [1.0, 2.0]})
    model = TextAsCategories().fit(frame)
    assert model.transform(frame)["sky"].dtype.name == "category"
    new = model.transform(frame.assign(sky=["green", "blue"]))
    assert new["sky"].isna().tolist() == [True, False]
    assert new["sky"].cat.categories.tolist() == ["blue", "grey"]


def test_boosting_takes_a_column_that_holds_no_number_in_training(monkeypatch):
    monkeypatch.setattr("unnaive.baselines.tuned_boosting._N_ITERATIONS", (2, 4))
    y = np.arange(40) % 2
    once = np.full(40, np.nan)
    once[7] = 1.0  # in one of the two inner folds
    frame = pd.DataFrame({"never": np.nan, "once": once, "says all": y + 0.5})
    for model in (gradient_boosting(min_samples_leaf=2), tuned_boosting()):
        assert model.fit(frame, y).predict(frame.assign(never=1.0)).shape == (40,)
    assert gradient_boosting().fit(frame, y).predict(frame).tolist() == y.tolist()


def test_categories_that_are_not_text_are_refused():
    model = TextAsCategories().fit(pd.DataFrame({"sky": ["grey", "blue"]}))
    model.check_state()
    model.categories_["sky"].append(1)
    with pytest.raises(ValueError, match="lists of text"):
        model.check_state()


@pytest.mark.parametrize("attribute", ["categories_", "empty_"])
def test_categories_that_are_lost_are_noticed(attribute):
    TextAsCategories().check_state()
    reader = TextAsCategories().fit(pd.DataFrame({"word": ["a", "b"], "number": [1.0, 2.0]}))
    reader.check_state()
    delattr(reader, attribute)
    with pytest.raises(ValueError, match="must be known by column"):
        reader.check_state()
