from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import MinMaxScaler

from tests.examples import examples
from tests.naive_reference import sigmoid_units as reference
from tests.neural import common_checks as checks
from unnaive.neural.autoencoder_nb import AutoencoderNB
from unnaive.neural.sigmoid_autoencoder import draw_units, encoding_error, hidden_units, train_units


def random_rows(seed, n_rows=60, n_columns=4, n_classes=3):
    """Numbers that differ by class and depend on each other, and class indices of which none is missing."""
    rng = np.random.default_rng(seed)
    classes = np.append(np.arange(n_classes), rng.integers(n_classes, size=n_rows - n_classes))
    mixed = rng.normal(size=(n_rows, n_columns)) @ rng.normal(size=(n_columns, n_columns))
    return mixed + 2 * rng.normal(size=(n_classes, n_columns))[classes], classes


def in_unit_range(seed, n_rows, n_columns):
    return np.random.default_rng(seed).uniform(size=(n_rows, n_columns))


def trained(rows, units, **settings):
    """The weights after the last epoch."""
    *_, last = train_units(rows, units, **settings)
    return last


# The auto-encoder


@given(
    seed=st.integers(0, 10_000),
    n_columns=st.integers(1, 4),
    n_hidden=st.integers(1, 5),
    learning_rate=st.floats(0.001, 2),
    momentum=st.floats(0, 1),
)
@examples(40)
def test_epochs_are_those_of_the_plain_loops(seed, n_columns, n_hidden, learning_rate, momentum):
    rows = in_unit_range(seed, 7, n_columns)
    start = draw_units(n_columns, n_hidden, np.random.RandomState(seed))
    orders = np.random.RandomState(seed)
    expected = reference.train(
        rows.tolist(),
        [orders.permutation(7).tolist() for _ in range(3)],
        start.encoder.tolist(),
        start.decoder.tolist(),
        learning_rate,
        momentum,
    )
    found = trained(
        rows,
        start,
        n_epochs=3,
        learning_rate=learning_rate,
        momentum=momentum,
        random=np.random.RandomState(seed),
    )
    for layer, others in zip(found, expected):
        np.testing.assert_allclose(layer, others, rtol=1e-9, atol=1e-12)


@given(seed=st.integers(0, 10_000))
@examples(30)
def test_a_row_moves_the_weights_against_the_gradient_by_differences(seed):
    rows = in_unit_range(seed, 1, 3)
    start = draw_units(3, 2, np.random.RandomState(seed))
    found = trained(rows, start, n_epochs=1, learning_rate=0.5, momentum=0.0, random=np.random.RandomState(0))
    for place, (before, after) in enumerate(zip(start, found)):
        for at in np.ndindex(before.shape):
            losses = []
            for step in (1e-5, -1e-5):
                layers = [start.encoder.copy(), start.decoder.copy()]
                layers[place][at] += step
                losses.append(reference.loss(rows[0].tolist(), *(layer.tolist() for layer in layers)))
            slope = (losses[0] - losses[1]) / 2e-5
            assert (before[at] - after[at]) / 0.5 == pytest.approx(slope, rel=1e-6, abs=1e-9)


@given(seed=st.integers(0, 10_000), n_columns=st.integers(1, 4), n_hidden=st.integers(1, 5))
@examples(30)
def test_hidden_units_and_their_error_are_those_of_the_plain_loops(seed, n_columns, n_hidden):
    rows = in_unit_range(seed, 8, n_columns)
    encoder, decoder = draw_units(n_columns, n_hidden, np.random.RandomState(seed))
    hidden = hidden_units(rows, encoder)
    np.testing.assert_allclose(hidden, [reference.encode(row, encoder.tolist()) for row in rows.tolist()], rtol=1e-12)
    expected = reference.encoding_error(rows.tolist(), encoder.tolist(), decoder.tolist())
    assert encoding_error(rows, hidden, decoder) == pytest.approx(expected, rel=1e-9)


def test_a_unit_that_is_the_same_for_all_rows_correlates_with_none():
    rows, hidden = in_unit_range(0, 50, 2), in_unit_range(1, 50, 3)
    decoder = np.zeros((3, 2))  # of which all is restored as 0.5
    alone = encoding_error(rows, hidden[:, :2], decoder[:2])
    hidden[:, 2] = 0.1 * 3  # whose mean is not exactly itself
    assert encoding_error(rows, hidden, decoder) == alone
    assert encoding_error(rows[:1], hidden[:1], decoder) == pytest.approx(0.5 * np.square(rows[0] - 0.5).sum())


def test_the_weights_to_start_from_are_left_as_they_are():
    start = draw_units(3, 2, np.random.RandomState(0))
    before = [layer.copy() for layer in start]
    found = trained(
        in_unit_range(0, 9, 3), start, n_epochs=2, learning_rate=0.1, momentum=0.1, random=np.random.RandomState(0)
    )
    for layer, same, other in zip(start, before, found):
        np.testing.assert_array_equal(layer, same)
        assert not np.array_equal(layer, other)


def test_training_restores_rows_ever_better():
    rows = np.repeat(in_unit_range(0, 80, 2), 2, axis=1)
    units = draw_units(4, 2, np.random.RandomState(0))
    epochs = train_units(rows, units, n_epochs=300, learning_rate=0.2, momentum=0.1, random=np.random.RandomState(0))
    errors = [encoding_error(rows, np.zeros((80, 2)) + hidden_units(rows, u.encoder), u.decoder) for u in epochs]
    assert errors[-1] < 0.5 * errors[0]


# The classifier


@given(seed=st.integers(0, 10_000), n_hidden=st.sampled_from([None, 1, 3, 7]))
@examples(20)
def test_it_is_gaussian_naive_bayes_on_the_hidden_units(seed, n_hidden):
    X, y = random_rows(seed)
    new, _ = random_rows(seed + 1)
    model = AutoencoderNB(n_hidden=n_hidden, n_epochs=5, random_state=seed).fit(X, y)
    assert model.hidden_weights_.shape == (5, n_hidden or 4)
    scaler = MinMaxScaler().fit(X)
    hidden, of_new = (
        np.array([reference.encode(row, model.hidden_weights_.tolist()) for row in scaler.transform(rows).tolist()])
        for rows in (X, new)
    )
    peer = GaussianNB().fit(hidden, y)
    np.testing.assert_allclose(model.theta_, peer.theta_, rtol=1e-9)
    np.testing.assert_allclose(model.var_, peer.var_, rtol=1e-7)
    np.testing.assert_allclose(
        model.predict_joint_log_proba(new), peer.predict_joint_log_proba(of_new), rtol=1e-6, atol=1e-6
    )


def kept_epoch(errors, scores, by_error=True, by_score=True):
    """The last epoch that is better than the one kept before it, by the rules that are asked for."""
    kept = 0
    for epoch in range(1, len(errors)):
        is_less_wrong = errors[epoch] < errors[kept] or not by_error
        if is_less_wrong and (scores[epoch] >= scores[kept] or not by_score):
            kept = epoch
    return kept


def test_the_epoch_that_is_kept_has_the_least_error_so_far_and_is_no_worse_at_the_training_rows():
    by_one_rule = []
    for seed in range(6):
        X, y = random_rows(seed)
        rows = MinMaxScaler().fit_transform(X)
        random = np.random.RandomState(seed)
        units = draw_units(4, 4, random)
        errors, scores, encoders = [], [], []
        for encoder, decoder in train_units(rows, units, n_epochs=60, learning_rate=3.0, momentum=0.1, random=random):
            hidden = hidden_units(rows, encoder)
            errors.append(encoding_error(rows, hidden, decoder))
            scores.append(GaussianNB().fit(hidden, y).score(hidden, y))
            encoders.append(encoder.copy())
        kept = kept_epoch(errors, scores)
        model = AutoencoderNB(n_epochs=60, learning_rate=3.0, random_state=seed).fit(X, y)
        assert model.epoch_ == kept + 1
        assert model.error_ == pytest.approx(errors[kept], rel=1e-9)
        np.testing.assert_allclose(model.hidden_weights_, encoders[kept], rtol=1e-7)
        assert model.score(X, y) == pytest.approx(scores[kept])
        by_one_rule.append(
            [kept_epoch(errors, scores, by_score=False) != kept, kept_epoch(errors, scores, by_error=False) != kept]
        )
    assert np.any(by_one_rule, axis=0).all()  # or a rule would not have been tried


def test_columns_that_repeat_each_other_are_no_reason_to_be_sure():
    rng = np.random.default_rng(0)
    y = np.arange(400) % 2
    X = np.repeat(rng.normal(size=(400, 1)) + 0.5 * y[:, None], 8, axis=1)
    naive = GaussianNB().fit(X, y).predict_proba(X).max(axis=1).mean()
    few = AutoencoderNB(n_hidden=1, random_state=0).fit(X, y).predict_proba(X).max(axis=1).mean()
    assert few < 0.75 < naive


def test_columns_that_are_constant_tell_nothing():
    X, y = random_rows(0)
    wide = np.column_stack([X, np.full(60, 3.0)])
    model = AutoencoderNB(random_state=0).fit(wide, y)
    other = wide.copy()
    other[:, -1] = 1e9
    np.testing.assert_array_equal(model.predict_proba(wide), model.predict_proba(other))
    assert model.score(wide, y) > 0.7
    nothing = AutoencoderNB(random_state=0).fit(np.ones((4, 2)), ["a", "b", "b", "b"])
    np.testing.assert_allclose(nothing.predict_proba([[5.0, 1.0]]), [[0.25, 0.75]])
    nothing.check_state()


@pytest.mark.parametrize("n_rows", [1, 2, 3])
@pytest.mark.parametrize("labels", [["a", "a", "a"], ["a", "b", "a"]])
def test_very_few_rows_will_do(n_rows, labels):
    checks.check_few_rows(AutoencoderNB(n_epochs=10, random_state=0), n_rows, labels)


def test_units_of_measurement_do_not_matter():
    X, y = random_rows(0)
    factors = 2.0 ** np.array([-3, 0, 5, 1])  # by which nothing but the place of the point moves
    one, other = AutoencoderNB(random_state=0).fit(X, y), AutoencoderNB(random_state=0).fit(X * factors, y)
    np.testing.assert_array_equal(one.hidden_weights_, other.hidden_weights_)
    np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(X * factors))


def test_numbers_near_the_largest_and_rows_far_from_all_others_are_taken():
    X, y = random_rows(0)
    vast = X * (4e307 / np.abs(X).max())
    model = AutoencoderNB(n_epochs=5, random_state=0).fit(vast, y)
    assert np.isfinite(model.predict_proba(np.vstack([vast, 1e308 * np.sign(X), X]))).all()
    near = AutoencoderNB(n_epochs=5, random_state=0).fit(X, y)
    assert np.isfinite(near.predict_proba(vast)).all()
    with pytest.raises(ValueError, match="Column 1 spans more than a float can hold"):
        model.fit([[1.0, -1e308], [2.0, 1e308]], [0, 1])


def test_the_order_of_sorted_rows_does_no_harm():
    X, y = random_rows(0, n_rows=150)
    shuffled = np.random.default_rng(0).permutation(150)
    by_class = np.argsort(y)
    scores = [AutoencoderNB(random_state=0).fit(X[order], y[order]).score(X, y) for order in (shuffled, by_class)]
    assert abs(scores[0] - scores[1]) < 0.05


def test_any_number_of_threads_and_any_other_rows_give_the_same_answer():
    checks.check_threads_and_other_rows(partial(AutoencoderNB, n_epochs=5), *random_rows(0, n_rows=1500))


def test_the_same_seed_gives_the_same_model_and_another_seed_another():
    X, y = random_rows(0)
    first, again, other = (AutoencoderNB(n_epochs=5, random_state=seed).fit(X, y).hidden_weights_ for seed in (0, 0, 1))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_a_fit_that_fails_leaves_the_model_as_it_was():
    X, y = random_rows(0)
    model = AutoencoderNB(n_epochs=5, random_state=0).fit(X, y)
    before = model.predict_proba(X)
    with pytest.raises(ValueError, match=r"Column 2 contains NaN.*SimpleImputer"):
        model.fit(np.where(np.arange(4) == 2, np.nan, X), y)
    np.testing.assert_array_equal(model.predict_proba(X), before)


@pytest.mark.parametrize(
    "bad",
    [{"n_hidden": 0}, {"n_epochs": 0}, {"learning_rate": 0.0}, {"learning_rate": 1e9}, {"momentum": -0.1}],
)
def test_parameters_out_of_range_are_refused(bad):
    with pytest.raises(ValueError, match=f"'{next(iter(bad))}' parameter of AutoencoderNB"):
        AutoencoderNB(**bad).fit([[1.0], [0.0]], ["a", "b"])


def test_the_largest_steps_allowed_end_in_numbers():
    X, y = random_rows(0)
    model = AutoencoderNB(learning_rate=100, momentum=100, random_state=0).fit(X, y)
    assert np.isfinite(model.predict_proba(X)).all()


# Model files


def test_a_fitted_model_and_its_copies_are_sound():
    X, y = random_rows(0)
    checks.check_copies(AutoencoderNB(n_epochs=5, random_state=0).fit(pd.DataFrame(X, columns=list("abcd")), y))


@pytest.mark.parametrize(
    "change",
    [
        lambda state: state.update(n_epochs=0),
        lambda state: state.update(classes_=state["classes_"][::-1]),
        lambda state: state.update(n_features_in_=5),
        lambda state: state.update(feature_names_in_=np.array(["one"], dtype=object)),
        lambda state: state.update(class_count_=state["class_count_"] * 0),
        lambda state: state.update(hidden_weights_=state["hidden_weights_"][1:]),
        lambda state: state.update(hidden_weights_=state["hidden_weights_"][:, 1:]),
        lambda state: state.update(hidden_weights_=state["hidden_weights_"] * np.nan),
        lambda state: state.update(theta_=state["theta_"].astype(np.float32)),
        lambda state: state.update(var_=state["var_"] * 0),
        lambda state: state.update(_low=state["_low"][1:]),
        lambda state: state.update(_width=-state["_width"]),
        lambda state: state.update(epoch_=0),
        lambda state: state.update(error_=np.nan),
        lambda state: state.update(something=1),
    ],
)
def test_a_state_that_does_not_fit_together_is_refused(change):
    model = AutoencoderNB(n_epochs=5, random_state=0).fit(*random_rows(0))
    checks.check_refuses_state(model, change)


# What is printed of it


@pytest.mark.parametrize(("name", "printed"), [("ecoli", 78.53), ("led7digit", 71.70), ("yeast", 55.49)])
def test_accuracy_is_within_three_points_of_what_was_printed(name, printed, data_folder):
    checks.check_printed_accuracy(AutoencoderNB(random_state=0), data_folder / f"keel_{name}.csv.gz", printed)


def test_rows_without_a_label_train_the_auto_encoder_alone():
    X, y = random_rows(0, n_rows=60)
    some = np.where(np.arange(60) % 3 == 0, -1, y)
    model = AutoencoderNB(n_epochs=5, transductive=True, random_state=0).fit(X, some)
    known = some != -1
    order = np.concatenate([X[known], X[~known]])
    assert model.class_count_.tolist() == np.bincount(y[known]).tolist()
    assert model._low.tolist() == X.min(axis=0).tolist()
    rows = MinMaxScaler().fit_transform(order)
    random = np.random.RandomState(0)
    start = draw_units(4, 4, random)
    settings = {"n_epochs": model.epoch_, "learning_rate": 0.05, "momentum": 0.1, "random": random}
    units = trained(rows, start, **settings)
    np.testing.assert_allclose(model.hidden_weights_, units.encoder, rtol=1e-9)
    hidden = hidden_units(rows, units.encoder)[: known.sum()]
    np.testing.assert_allclose(model.theta_, [hidden[y[known] == c].mean(axis=0) for c in range(3)], rtol=1e-6)
    of_none = [None if label == -1 else f"class {label}" for label in some]
    named = AutoencoderNB(n_epochs=5, transductive=True, random_state=0).fit(X, of_none)
    np.testing.assert_array_equal(named.predict_proba(X), model.predict_proba(X))
    all_known = AutoencoderNB(n_epochs=5, transductive=True, random_state=0).fit(X, y)
    plain = AutoencoderNB(n_epochs=5, random_state=0).fit(X, y)
    np.testing.assert_array_equal(all_known.predict_proba(X), plain.predict_proba(X))
    with pytest.raises(ValueError, match="No row has a label"):
        AutoencoderNB(transductive=True).fit(X, [None] * 60)
