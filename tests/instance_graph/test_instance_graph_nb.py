import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB

from unnaive import InstanceGraphEmbedding, InstanceGraphNB, NaiveBayes, WeightedGaussianNB
from unnaive.instance_graph.graph_convolution import join
from unnaive.instance_graph.vgae import encode


def quick(**parameters):
    return InstanceGraphNB(**{"n_epochs": 30, "random_state": 0, **parameters})


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True)


# Labels that are missing


@pytest.mark.parametrize("missing", [-1, None, np.nan, pd.NA], ids=str)
def test_rows_without_a_label_get_one_and_the_others_keep_theirs(iris, missing):
    X, y = iris
    known = np.arange(len(y)) % 3 == 0
    labels = pd.Series(y).astype(object).where(known, missing)
    labels = labels.to_numpy(dtype=None if missing is pd.NA else type(missing) if missing is not None else object)
    model = quick(n_epochs=100).fit(X, labels)
    assert model.classes_.tolist() == [0, 1, 2]
    np.testing.assert_array_equal(model.transduction_[known], y[known])
    assert (model.transduction_ == y).mean() > 0.9


def test_words_may_be_labels_and_minus_one_among_them_is_none(iris):
    X, y = iris
    words = load_iris().target_names[y]
    known = np.arange(len(y)) % 3 == 0
    by_none = quick().fit(X, np.where(known, words.astype(object), None))
    by_text = quick().fit(X, np.where(known, words, "-1"))
    by_number = quick().fit(X, np.where(known, words.astype(object), -1))
    assert by_none.classes_.dtype.kind == "U"
    for other in (by_text, by_number):
        np.testing.assert_array_equal(by_none.transduction_, other.transduction_)
        np.testing.assert_array_equal(by_none.classes_, other.classes_)


def test_minus_one_and_one_alone_are_two_classes(iris):
    X, y = iris
    signs = np.where(y == 0, -1, 1)
    model = quick().fit(X, signs)
    assert model.classes_.tolist() == [-1, 1]
    np.testing.assert_array_equal(model.predict(X), signs)


def test_a_class_of_which_no_row_is_labelled_is_never_predicted(iris):
    X, y = iris
    model = quick().fit(X, np.where(y == 2, -1, y))
    assert model.classes_.tolist() == [0, 1]
    assert set(model.transduction_[y == 2]) <= {0, 1}


def test_labels_of_unlabelled_rows_are_used_nowhere(iris):
    X, y = iris
    known = np.arange(len(y)) % 2 == 0
    model = quick().fit(X, np.where(known, y, -1))
    np.testing.assert_array_equal(
        model.naive_.predict_joint_log_proba(model.graph_.transform(X)),
        WeightedGaussianNB(categorical_features=None)
        .fit(model.graph_.fit_transform(X)[known], y[known])
        .predict_joint_log_proba(model.graph_.transform(X)),
    )


# Rows in the graph, and rows that join it


@pytest.mark.parametrize("embedding", ["sample", "mean"])
def test_rows_of_the_graph_keep_their_place(wine, embedding):
    X, y = wine
    model = quick(embedding=embedding).fit(X, np.where(np.arange(len(y)) % 2, y, -1))
    np.testing.assert_array_equal(model.predict_proba(X), model.label_distributions_)
    attributes = model.graph_.transform(X)
    np.testing.assert_array_equal(attributes, np.hstack([model.graph_.attributes_, model.graph_.embedding_]))


def test_a_new_row_gets_what_the_encoder_says_of_it_when_it_is_joined_to_its_nearest_row(wine):
    X, _ = wine
    graph = InstanceGraphEmbedding(n_epochs=30, random_state=0, augment=False).fit(X[:-5])
    found = graph.transform(X[-5:])
    rows = (X - graph.mean_) / graph.scale_
    for place in range(5):
        row = rows[len(rows) - 5 + place]
        nearest = np.argmin(((graph.attributes_ - row) ** 2).sum(axis=1))
        n = len(graph.attributes_)
        edges = np.vstack([graph.edges_, [nearest, n]])
        with_row = np.vstack([graph.attributes_, row]).astype(np.float32)
        mean, _ = encode(with_row, join(edges, n + 1, np.float32), graph.parameters_)
        np.testing.assert_allclose(found[place], mean[-1], rtol=1e-4, atol=1e-5)


def test_a_row_that_the_graph_has_several_times_joins_it_once_more():
    X = np.repeat([[0.0, 0.0], [1.0, 0.0], [5.0, 5.0]], [20, 20, 1], axis=0)
    graph = InstanceGraphEmbedding(n_epochs=30, random_state=0, augment=False).fit(X)
    leaves = graph.embedding_[1:20]  # joined to row 0 and to nothing else, so that they are all alike
    np.testing.assert_allclose(leaves, np.broadcast_to(leaves[0], leaves.shape), rtol=1e-5)
    assert np.abs(graph.transform(X[:1]) - leaves[0]).max() < 0.2 * np.abs(graph.embedding_[0] - leaves[0]).max()
    np.testing.assert_array_equal(graph.transform(X[-1:]), graph.embedding_[-1:])


def test_a_prediction_does_not_depend_on_the_rows_beside_it(wine):
    X, y = wine
    model = quick(embedding="sample").fit(X[::2], y[::2])
    together = model.predict_proba(X[1::2])
    alone = np.vstack([model.predict_proba(row[None]) for row in X[1::2]])
    # Embeddings differ by m roundings of m hidden columns; log-densities of up to 1e3 multiply that: 1e3 m² 2^-52.
    np.testing.assert_allclose(together, alone, rtol=1e3 * 26**2 * 2**-52, atol=0)


def test_new_rows_are_classified_about_as_well_as_rows_of_the_graph(wine):
    X, y = wine
    train, test = train_test_split(np.arange(len(y)), test_size=0.4, random_state=0)
    inductive = InstanceGraphNB(random_state=0).fit(X[train], y[train]).score(X[test], y[test])
    assert inductive > 0.9


# What it is made of


def test_without_weights_it_is_gaussian_naive_bayes_on_the_attributes(wine):
    X, y = wine
    model = quick(weight=False).fit(X, y)
    attributes = model.graph_.transform(X)
    assert attributes.shape == (len(X), 2 * X.shape[1])
    np.testing.assert_allclose(
        model.predict_proba(X), GaussianNB().fit(attributes, y).predict_proba(attributes), rtol=1e-6, atol=1e-12
    )


def test_without_the_original_attributes_only_the_new_ones_are_left(wine):
    X, y = wine
    model = quick(weight=False, augment=False).fit(X, y)
    np.testing.assert_array_equal(model.graph_.transform(X), model.graph_.embedding_)
    assert isinstance(model.naive_, NaiveBayes)


def test_without_new_attributes_it_is_weighted_gaussian_naive_bayes(wine):
    X, y = wine
    model = quick(embedding=None).fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(X), WeightedGaussianNB().fit(X, y).predict_proba(X))
    assert not hasattr(model, "graph_")


def test_a_graph_that_does_not_know_labels_does_not_depend_on_them(wine):
    X, y = wine
    first, second = (InstanceGraphEmbedding(n_epochs=5, random_state=0).fit(X, labels) for labels in (y, None))
    np.testing.assert_array_equal(first.embedding_, second.embedding_)


def test_classes_that_are_moved_apart_have_fewer_edges_between_them(wine):
    X, y = wine
    plain, moved = (InstanceGraphEmbedding(n_epochs=0, apart=apart).fit(X, y).edges_ for apart in (1.0, 5.0))
    between_plain, between_moved = (np.sum(y[edges[:, 0]] != y[edges[:, 1]]) for edges in (plain, moved))
    assert between_moved < between_plain
    assert between_moved >= 2


def test_columns_of_any_scale_give_the_same_attributes(wine):
    X, _ = wine
    scaled = X * np.logspace(-3, 3, X.shape[1]) + 7
    first, second = (InstanceGraphEmbedding(n_epochs=5, random_state=0).fit_transform(rows) for rows in (X, scaled))
    np.testing.assert_allclose(first, second, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("decoder", ["exact", "sampled"])
def test_threads_change_nothing(wine, decoder):
    X, y = wine
    one, two = (quick(n_jobs=n_jobs, decoder=decoder).fit(X, y).predict_proba(X) for n_jobs in (1, 2))
    np.testing.assert_array_equal(one, two)


def test_a_seed_gives_the_same_answer_again_and_another_seed_another(wine):
    X, _ = wine
    first, again, other = (
        InstanceGraphEmbedding(n_epochs=3, random_state=seed).fit(X).embedding_ for seed in (5, 5, 6)
    )
    np.testing.assert_array_equal(first, again)
    assert not np.allclose(first, other)


def test_models_with_the_same_graph_train_it_once_if_they_share_a_cache(wine, tmp_path):
    X, y = wine
    for parameters in ({}, {"embedding": "sample"}, {"augment": False}, {"weight": False}, {"n_jobs": 2}):
        cached = quick(memory=str(tmp_path), **parameters).fit(X, y)
        fresh = quick(**parameters).fit(X, y)
        np.testing.assert_array_equal(cached.predict_proba(X), fresh.predict_proba(X))
        np.testing.assert_array_equal(cached.graph_.edges_, fresh.graph_.edges_)
        assert len([*tmp_path.rglob("output.pkl")]) == 1
    quick(memory=str(tmp_path), random_state=1).fit(X, y)
    quick(memory=str(tmp_path), apart=2).fit(X, y)
    assert len([*tmp_path.rglob("output.pkl")]) == 3


def test_names_of_the_attributes():
    X = pd.DataFrame(load_iris().data, columns=["a", "b", "c", "d"])
    graph = InstanceGraphEmbedding(n_epochs=1).fit(X)
    assert graph.get_feature_names_out().tolist() == [*"abcd", "graph0", "graph1", "graph2", "graph3"]
    assert graph.set_params(augment=False).get_feature_names_out().tolist() == [f"graph{n}" for n in range(4)]
    framed = InstanceGraphEmbedding(n_epochs=1, random_state=0).set_output(transform="pandas").fit_transform(X)
    assert [*framed] == [*"abcd", "graph0", "graph1", "graph2", "graph3"]


def test_a_bar_is_shown_on_request(wine, capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")  # as if standard error were a terminal
    InstanceGraphEmbedding(n_epochs=2, verbose=True).fit(wine[0])
    assert "epochs" in capsys.readouterr().err


# Bad input


@pytest.mark.parametrize("n_rows", [1, 2])
def test_too_few_rows_for_a_graph_are_refused(n_rows):
    with pytest.raises(ValueError, match=f"at least 3 rows for a graph, but n_samples={n_rows}"):
        quick().fit(np.eye(2)[:n_rows], np.arange(n_rows))


def test_three_rows_are_enough():
    model = quick().fit([[0.0], [1.0], [5.0]], ["a", "a", "b"])
    assert np.isfinite(model.predict_proba([[4.0], [0.5]])).all()


@pytest.mark.parametrize("y", [[-1] * 10, [None] * 10, [np.nan] * 10], ids=["-1", "None", "NaN"])
def test_labels_that_are_all_missing_are_refused(y):
    with pytest.raises(ValueError, match="No row has a label"):
        quick().fit(np.arange(20.0).reshape(10, 2), y)


def test_missing_values_are_refused_with_a_remedy():
    X = pd.DataFrame({"width": [1.0, 2.0, None, 3.0], "height": [1.0, 1.0, 2.0, 2.0]})
    with pytest.raises(
        ValueError, match=r"Column 'width' contains NaN.*make_pipeline\(SimpleImputer\(\), InstanceGraph"
    ):
        quick().fit(X, [0, 1, 0, 1])
    fitted = quick().fit(X.fillna(0), [0, 1, 0, 1])
    with pytest.raises(ValueError, match="Column 'width' contains NaN"):
        fitted.predict(X)


def test_text_is_refused_with_a_remedy():
    X = pd.DataFrame({"width": [1.0, 2.0, 3.0], "sky": ["grey", "blue", "grey"]})
    with pytest.raises(ValueError, match="Column 'sky' holds 'grey', but InstanceGraphNB takes only numbers"):
        quick().fit(X, [0, 1, 0])


def test_infinite_numbers_and_numbers_too_far_away_are_refused(wine):
    X, y = wine
    model = quick(n_epochs=1).fit(X, y)
    for far in (np.inf, 1e300):
        bad = X.copy()
        bad[3, 1] = far
        with pytest.raises(ValueError, match="Column 1 "):
            model.predict(bad)


def test_a_refused_fit_changes_nothing(wine):
    X, y = wine
    model = quick(n_epochs=1).fit(X, y)
    before = model.predict_proba(X)
    with pytest.raises(ValueError, match="No row has a label"):
        model.fit(X, np.full(len(y), -1))
    np.testing.assert_array_equal(model.predict_proba(X), before)


def test_labels_for_other_rows_are_refused(wine):
    with pytest.raises(ValueError, match="X has 178 rows, but y has 5 labels"):
        quick().fit(wine[0], wine[1][:5])
    with pytest.raises(ValueError, match="X has 178 rows, but y has 5 labels"):
        InstanceGraphEmbedding(apart=2).fit(wine[0], wine[1][:5])


def test_constant_columns_duplicated_rows_and_a_single_column_do_no_harm():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 30)
    X = np.column_stack([np.full(60, 7.7), np.round(y + rng.normal(size=60) / 4), np.zeros(60)])
    for rows in (X, X[:, 1:2], np.zeros((60, 2))):
        model = quick(n_epochs=100).fit(rows, y)
        assert np.isfinite(model.predict_proba(rows)).all()
    assert quick(n_epochs=100).fit(X, y).score(X, y) > 0.9
