"""PooledBayes as users see it: exact learning and forgetting, leave-one-out, and what it shows of itself."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import log_loss
from sklearn.model_selection import cross_val_predict

from tests.examples import thorough
from tests.test_common import random_batches, random_table
from unnaive import PooledBayes


def made(**parameters):
    return PooledBayes(**({"n_members": 6, "n_trees": 16, "random_state": 0} | parameters))


def answers(model):
    return model.predict_proba(random_table(9, 40)[0])


@pytest.mark.parametrize("seed", range(3))
def test_batches_in_any_order_give_the_model_of_all_rows_to_the_last_bit(seed):
    table, labels = random_table(seed, 80)
    whole = made().fit(table, labels)
    model = made()
    for batch in random_batches(seed, 80, 6):
        model.partial_fit(table.iloc[batch], labels[batch], classes=np.unique(labels))
    np.testing.assert_array_equal(answers(model), answers(whole))
    parts = [made().fit(table.iloc[batch], labels[batch]) for batch in random_batches(seed, 80, 3)]
    np.testing.assert_array_equal(answers(parts[0].merge(parts[1]).merge(parts[2])), answers(whole))
    order = np.random.default_rng(seed).permutation(80)
    np.testing.assert_array_equal(answers(made().fit(table.iloc[order], labels[order])), answers(whole))


@pytest.mark.parametrize("seed", range(3))
def test_forgotten_rows_leave_no_trace_in_any_answer(seed):
    table, labels = random_table(seed, 80)
    table.loc[70:, "colour"] = "a colour of its own"
    table.loc[71:, ["width", "length"]] *= 100.0  # beyond all others
    labels[75:] = "a class of its own"
    model = made().fit(table, labels).forget(table[70:], labels[70:])
    rest = made().fit(table[:70], labels[:70])
    kept = np.isin(model.classes_, rest.classes_)
    np.testing.assert_allclose(answers(model)[:, kept], answers(rest), rtol=1e-15)
    assert (answers(model)[:, ~kept] < 1e-300).all()
    assert model.expert_weights_ == rest.expert_weights_
    assert model.leave_one_out_scores_ == rest.leave_one_out_scores_


def test_a_weight_of_two_is_the_row_twice():
    table, labels = random_table(0, 60)
    weights = np.random.default_rng(0).integers(0, 3, 60)
    repeated = np.repeat(np.arange(60), weights)
    one = made().fit(table, labels, sample_weight=weights)
    other = made().fit(table.iloc[repeated], labels[repeated])
    np.testing.assert_array_equal(answers(one), answers(other))
    assert one.leave_one_out_scores_ == other.leave_one_out_scores_


def test_threads_change_nothing():
    table, labels = random_table(0, 2500)
    one = made().fit(table, labels)
    other = made(n_jobs=3).fit(table, labels)
    np.testing.assert_array_equal(other.predict_proba(table), one.predict_proba(table))
    assert other.leave_one_out_scores_ == one.leave_one_out_scores_


def test_leave_one_out_probabilities_are_those_behind_the_scores():
    table, labels = random_table(0, 90)
    model = made().fit(table, labels)
    found = model.leave_one_out_proba(table, labels)
    assert model.leave_one_out_score_ == pytest.approx((model.classes_[found.argmax(axis=1)] == labels).mean())
    scores = model.leave_one_out_scores_
    assert scores["pool"]["log_loss"] == pytest.approx(log_loss(labels, found))
    assert scores["pool"]["accuracy"] == model.leave_one_out_score_
    assert scores.keys() == {"prior", "super_parents", "trees", "linear", "quadratic", "pool"}
    # Answers without the row are less sure of its class.
    own = np.arange(90), np.searchsorted(model.classes_, labels)
    assert np.log(found[own]).mean() < np.log(model.predict_proba(table)[own]).mean()


def test_leave_one_out_does_not_see_labels_that_are_random():
    table, _ = random_table(0, 400)
    labels = np.random.default_rng(1).integers(2, size=400)
    model = PooledBayes(random_state=0).fit(table, labels)
    assert model.leave_one_out_scores_["pool"]["log_loss"] > 0.66  # of log 2 = 0.69
    for expert in ("super_parents", "trees", "linear", "quadratic"):
        assert model.leave_one_out_scores_[expert]["log_loss"] > 0.68


@pytest.mark.parametrize("load", [load_wine, thorough(load_iris), thorough(load_breast_cancer)])
def test_it_is_better_than_a_forest_and_leave_one_out_says_how_good_it_is(load):
    X, y = load(return_X_y=True)
    model = PooledBayes(random_state=0)
    ours, forests = (
        cross_val_predict(each, X, y, cv=5, method="predict_proba")
        for each in (model, RandomForestClassifier(random_state=0))
    )
    assert log_loss(y, ours) < log_loss(y, forests)
    assert (ours.argmax(axis=1) == y).mean() >= (forests.argmax(axis=1) == y).mean()
    assert model.fit(X, y).leave_one_out_score_ == pytest.approx((ours.argmax(axis=1) == y).mean(), abs=0.02)


def test_what_it_learnt_is_shown():
    table, labels = random_table(0, 200)
    table["noise"] = np.random.default_rng(0).normal(size=200)
    model = PooledBayes(random_state=0).fit(table, labels)
    assert list(model.expert_weights_) == ["prior", "super_parents", "trees", "linear", "quadratic"]
    assert all(weight >= 0 for weight in model.expert_weights_.values())
    assert model.column_weights_.shape == (table.shape[1],)
    assert (model.column_weights_ >= 0).all()
    assert model.class_bias_.shape == model.classes_.shape


def test_experts_can_be_chosen():
    table, labels = random_table(0, 120)
    found = {}
    for experts in (["trees"], ["linear", "quadratic"], ["super_parents"], ["columns"]):
        model = made(experts=experts).fit(table, labels)
        posteriors = [name for name in experts if name != "columns"]
        assert list(model.expert_weights_) == ["prior", *posteriors]
        assert model.column_weights_.any() == (experts == ["columns"])
        found[experts[0]] = model.leave_one_out_scores_
    every = made().fit(table, labels).leave_one_out_scores_
    # The same networks and discriminants, whoever else is asked.
    assert found["linear"]["linear"] == every["linear"]
    assert found["super_parents"]["super_parents"] == every["super_parents"]
    with pytest.raises(ValueError, match="'forest' is none of them"):
        made(experts=["forest"]).fit(table, labels)


def test_without_numbers_there_is_no_quadratic_discriminant():
    table, labels = random_table(0, 80)
    model = made().fit(table[["colour", "tall"]], labels)
    assert list(model.expert_weights_) == ["prior", "super_parents", "trees", "linear"]


def test_a_model_that_has_forgotten_everything_says_so():
    table, labels = random_table(0, 40)
    model = made().fit(table, labels).forget(table, labels)
    np.testing.assert_allclose(model.predict_proba(table), 1 / 3)
    with pytest.raises(ValueError, match="forgotten all rows"):
        _ = model.expert_weights_
    model.partial_fit(table, labels)
    np.testing.assert_array_equal(answers(model), answers(made().fit(table, labels)))


def test_hundreds_of_categories_and_numbers_beyond_those_of_training_are_no_trouble():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=900)
    table = pd.DataFrame({"city": [f"city {k}" for k in rng.integers(600, size=900)], "size": rng.normal(size=900) + y})
    model = made().fit(table, y)
    new = pd.DataFrame({"city": ["nowhere", "city 1"], "size": [1e9, -1e9]})
    proba = model.predict_proba(new)
    assert proba[0, 1] > 0.8
    assert proba[1, 0] > 0.8
