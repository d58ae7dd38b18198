"""Stronger baselines, and those of other libraries."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris, make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import log_loss

from unnaive.baselines.calibrated_forest import CalibratedForest
from unnaive.baselines.peers import PlainTable
from unnaive.baselines.tuned_boosting import TunedBoosting
from unnaive.models import MODELS, find_models
from unnaive.streaming import fit_file


def noisy(n_rows=200):
    return make_classification(n_rows, 8, n_informative=3, flip_y=0.3, random_state=0)


def test_a_forest_is_calibrated_by_the_answers_of_trees_that_did_not_see_a_row():
    X, y = noisy()
    found = CalibratedForest().fit(X, y)
    forest = RandomForestClassifier(100, oob_score=True, random_state=0).fit(X, y)
    probabilities = (100 * forest.oob_decision_function_ + 0.5) / 101

    def loss(temperature):
        scores = probabilities ** (1 / temperature)
        return log_loss(y, scores / scores.sum(axis=1, keepdims=True))

    best = min(np.exp(np.linspace(-2, 2, 401)), key=loss)
    assert abs(best - 1) > 0.05
    assert found.temperature_ == pytest.approx(best, rel=0.01)
    expected = ((100 * forest.predict_proba(X) + 0.5) / 101) ** (1 / found.temperature_)
    np.testing.assert_allclose(found.predict_proba(X), expected / expected.sum(axis=1, keepdims=True))


@pytest.mark.filterwarnings("ignore:Some inputs do not have OOB scores")
def test_of_a_forest_without_out_of_bag_answers_the_temperature_is_one(monkeypatch):
    monkeypatch.setattr(RandomForestClassifier, "oob_decision_function_", np.full((2, 2), np.nan), raising=False)
    monkeypatch.setattr(RandomForestClassifier, "_set_oob_score_and_attributes", lambda *_, **__: None)
    found = CalibratedForest(n_estimators=1).fit([[0.0], [1.0]], ["no", "yes"])
    assert found.temperature_ == 1
    assert set(found.predict([[0.0], [1.0]])) <= {"no", "yes"}


def test_boosting_is_tuned_on_inner_folds_with_every_class(monkeypatch):
    monkeypatch.setattr("unnaive.baselines.tuned_boosting._N_ITERATIONS", (2, 4))
    X, y = noisy(90)
    labels = np.array(["no", "yes"], dtype=object)[y]
    labels[0] = "once"
    found = TunedBoosting().fit(pd.DataFrame(X), labels)
    assert found.learning_rate_ in (0.05, 0.15)
    assert found.max_leaf_nodes_ in (6, 31)
    assert found.max_iter_ in (2, 4)
    assert found.classes_.tolist() == ["no", "once", "yes"]
    assert found.predict_proba(pd.DataFrame(X)).shape == (90, 3)
    for train, test in found._folds(np.unique(labels, return_inverse=True)[1]):
        assert not set(train) & set(test)
        assert set(labels[test]) <= set(labels[train])


class Strict(RandomForestClassifier):
    """Refuses labels other than 0, 1, … and columns with names that are not plain."""

    def fit(self, X, y):
        assert sorted(set(y)) == list(range(len(set(y))))
        assert list(X.columns) == [f"x{place}" for place in range(X.shape[1])]
        return super().fit(X, y)


def test_a_strict_classifier_gets_plain_labels_and_names():
    X, y = load_iris(return_X_y=True, as_frame=True)
    labels = np.array(["setosa", "versicolor", "virginica"])[y]
    found = PlainTable(Strict(5, random_state=0)).fit(X, labels)
    assert found.classes_.tolist() == ["setosa", "versicolor", "virginica"]
    assert (found.predict(X) == labels).mean() > 0.9


def test_what_no_model_file_can_hold_is_refused_before_it_is_fitted(tmp_path):
    with pytest.raises(ValueError, match="'tuned-boosting' takes part in comparisons only: no model file can hold it"):
        fit_file("tuned-boosting", str(tmp_path / "nowhere.csv"))


def test_models_of_packages_that_are_not_installed_are_in_no_group_and_say_what_to_install(monkeypatch):
    monkeypatch.setattr("unnaive.models.find_spec", lambda name: None)
    assert "lightgbm" not in [model.name for model in find_models(["all"])]
    with pytest.raises(ValueError, match=r"'lightgbm' needs the package lightgbm: pip install 'unnaive\[peers\]'"):
        _ = MODELS["lightgbm"].make
