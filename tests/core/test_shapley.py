"""What each column says: contributions that sum to the prediction."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest

from tests.examples import every_name
from tests.test_common import MODELS, TABLE_MODELS, a_few_seeds, random_table

AVERAGED = ["aode", "waode", "aodesr", "a2de", "a3de"]
NETWORKS = ["tan", "kdb", "k2"]
every_table_model = every_name(TABLE_MODELS)


def fitted(name, seed=0):
    table, labels = random_table(seed, 80)
    return MODELS[name].make().fit(table, labels), random_table(seed + 1, 15)[0]


def with_only(table, columns):
    return table.assign(**{name: pd.Series(dtype=table[name].dtype) for name in table if name not in columns})


@every_table_model
@a_few_seeds
def test_the_evidence_sums_to_the_joint_log_score(name, seed):
    model, table = fitted(name, seed)
    evidence = model.predict_evidence(table)
    assert evidence.shape == (len(table), 1 + table.shape[1], len(model.classes_))
    np.testing.assert_allclose(evidence.sum(axis=1), model.predict_joint_log_proba(table), rtol=0, atol=1e-9)


@every_table_model
def test_log_odds_of_two_classes_are_the_difference_of_their_evidence(name):
    model, table = fitted(name)
    odds = np.diff(model.predict_evidence(table).sum(axis=1)[:, :2], axis=1)
    log_proba = model.predict_log_proba(table)
    np.testing.assert_allclose(odds[:, 0], log_proba[:, 1] - log_proba[:, 0], rtol=0, atol=1e-9)


@every_table_model
def test_a_missing_value_says_nothing(name):
    model, table = fitted(name)
    evidence = model.predict_evidence(table)
    missing = table.isna().to_numpy()
    assert missing.any()
    assert (evidence[:, 1:][missing] == 0).all()


@every_table_model
def test_the_first_entry_is_what_a_row_without_values_scores(name):
    model, table = fitted(name)
    blank = model.predict_joint_log_proba(with_only(table, []))
    np.testing.assert_allclose(model.predict_evidence(table)[:, 0], blank, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", ["nb", "gnb", "kde-nb"])
def test_a_column_of_naive_bayes_says_what_it_says_alone(name):
    model, table = fitted(name)
    evidence = model.predict_evidence(table)
    for place, column in enumerate(table, start=1):
        alone = model.predict_joint_log_proba(with_only(table, [column]))
        np.testing.assert_allclose(evidence[:, 0] + evidence[:, place], alone, rtol=0, atol=1e-9)


@pytest.mark.parametrize("name", NETWORKS)
def test_a_column_of_a_network_says_what_its_parents_leave_to_say(name):
    model, table = fitted(name)
    evidence = model.predict_evidence(table)
    columns = list(table)
    for child, parents in enumerate(model.parents_):
        # The children's factors do not depend on what is not among their parents.
        family = [columns[node] for node in (child, *parents)]
        without = [columns[parent] for parent in parents]
        gain = model.predict_joint_log_proba(with_only(table, family))
        gain -= model.predict_joint_log_proba(with_only(table, without))
        links_among_parents = any(child in model.parents_[parent] for parent in parents)
        assert not links_among_parents
        np.testing.assert_allclose(evidence[:, 1 + child], gain, rtol=0, atol=1e-9)


@pytest.mark.parametrize("name", AVERAGED)
def test_a_column_of_an_average_says_what_it_adds_over_all_orders(name):
    table, labels = random_table(3, 80)
    table = table.iloc[:, :4]
    model = MODELS[name].make().fit(table, labels)
    new = table.head(4)
    literal = np.zeros((len(new), table.shape[1], len(model.classes_)))
    orders = list(permutations(range(table.shape[1])))
    for order in orders:
        before = model.predict_joint_log_proba(with_only(new, []))
        for step, column in enumerate(order, start=1):
            after = model.predict_joint_log_proba(with_only(new, [list(table)[c] for c in order[:step]]))
            literal[:, column] += (after - before) / len(orders)
            before = after
    np.testing.assert_allclose(model.predict_evidence(new)[:, 1:], literal, rtol=0, atol=1e-9)


def test_hidden_naive_bayes_gives_every_column_its_mixture():
    model, table = fitted("hnb")
    counts, dependence = model.statistic_, model.dependence_
    codes = model.encoder_.transform(table)
    row = int(np.flatnonzero((codes >= 0).all(axis=1))[0])
    evidence = model.predict_evidence(table)[row, 1:]
    for i in range(codes.shape[1]):
        others = [j for j in range(codes.shape[1]) if j != i]
        mixture = np.zeros(len(model.classes_))
        for j in others:
            block = counts.block(j, i)[int(counts.has_missing[j]) :, int(counts.has_missing[i]) :]
            both, n_values = block[codes[row, j], codes[row, i]], block.shape[1]
            given = block[codes[row, j]].sum(axis=0)
            mixture += dependence[i, j] * (both + 1 / n_values) / (given + 1)
        np.testing.assert_allclose(evidence[i], np.log(mixture / dependence[i, others].sum()), rtol=0, atol=1e-9)


@pytest.mark.parametrize("name", [name for name in TABLE_MODELS if hasattr(MODELS[name].make(), "partial_fit")])
def test_a_class_that_never_occurred_is_no_reason_to_fail(name):
    table, labels = random_table(0, 80)
    classes = [*np.unique(labels), "zebra"]
    model = MODELS[name].make().partial_fit(table, labels, classes=classes)
    evidence = model.predict_evidence(table.head(10))
    assert not np.isnan(evidence).any()
    joint = model.predict_joint_log_proba(table.head(10))
    np.testing.assert_allclose(evidence.sum(axis=1), joint, rtol=0, atol=1e-9)


@every_table_model
def test_evidence_needs_a_fitted_model_and_the_columns_of_training(name):
    from sklearn.exceptions import NotFittedError

    model, table = fitted(name)
    with pytest.raises(NotFittedError):
        MODELS[name].make().predict_evidence(table)
    with pytest.raises(ValueError, match="feature names"):
        model.predict_evidence(table.iloc[:, ::-1])
