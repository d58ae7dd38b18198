"""Categories of text columns; the classifiers are in test_import.py and test_common.py."""

import pandas as pd
import pytest

from unnaive.baselines.tables import TextAsCategories


def test_text_becomes_the_categories_of_training():
    frame = pd.DataFrame({"sky": ["grey", "blue"], "warmth": [1.0, 2.0]})
    model = TextAsCategories().fit(frame)
    assert model.transform(frame)["sky"].dtype.name == "category"
    new = model.transform(frame.assign(sky=["green", "blue"]))
    assert new["sky"].isna().tolist() == [True, False]
    assert new["sky"].cat.categories.tolist() == ["blue", "grey"]


def test_categories_that_are_not_text_are_refused():
    model = TextAsCategories().fit(pd.DataFrame({"sky": ["grey", "blue"]}))
    model.check_state()
    model.categories_["sky"].append(1)
    with pytest.raises(ValueError, match="lists of text"):
        model.check_state()
