"""Fitting on Dask gives the model of all rows in memory, to the last bit, however they are partitioned."""

import copy

import dask
import dask.bag as db
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.frozen import FrozenEstimator
from sklearn.preprocessing import KBinsDiscretizer

from tests.distributed.same import assert_same
from tests.examples import every_name, examples
from tests.test_common import COUNTING_MODELS, MODELS, given_bins, random_table
from unnaive import AODE, BayesianTensorClassifier, HigherOrderNB, MassBayes, MDLDiscretizer, NaiveBayes, SparseTensor
from unnaive.distributed import fit, predict, predict_proba
from unnaive.persist import content_hash
from unnaive.persist.manifest import describe


@pytest.fixture(autouse=True)
def in_this_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


def partitioned(table, cuts):
    """A Dask frame with a partition between any two cuts, some of them perhaps empty."""
    parts = [table.iloc[start:stop] for start, stop in zip([0, *cuts], [*cuts, len(table)])]
    return dd.from_map(lambda part: part, parts, meta=table.iloc[:0])


def labelled(seed, n_rows, **options):
    table, labels = random_table(seed, n_rows, **options)
    return table.assign(label=labels)


def in_memory(estimator, rows):
    return copy.deepcopy(estimator).fit(rows.drop(columns="label"), rows["label"])


cuts_of_60 = st.lists(st.integers(0, 60), max_size=12).map(sorted)


@every_name(COUNTING_MODELS)
@examples(6)
@given(seed=st.integers(0, 10_000), cuts=cuts_of_60)
def test_any_partitions_give_the_model_of_all_rows(name, seed, cuts):
    rows = labelled(seed, 60)
    model = fit(MODELS[name].make(), partitioned(rows, cuts), "label")
    assert_same(model, in_memory(MODELS[name].make(), rows))
    table = rows.drop(columns="label")
    np.testing.assert_array_equal(model.predict_proba(table), in_memory(MODELS[name].make(), rows).predict_proba(table))


@pytest.mark.parametrize("name", ["nb", "aode", "k2"])
@examples(6)
@given(seed=st.integers(0, 10_000), cuts=cuts_of_60)
def test_rows_that_are_kept_are_those_of_all_partitions(name, seed, cuts):
    rows = labelled(seed, 60)
    model = fit(MODELS[name].make(bins="exact"), partitioned(rows, cuts), "label")
    assert content_hash(model) == content_hash(in_memory(MODELS[name].make(bins="exact"), rows))


def test_a_model_says_that_numbers_were_cut_between_groups():
    rows = labelled(0, 60)
    assert describe(fit(AODE(), partitioned(rows, [20]), "label"))["contract"]["n_grouped"] == 0
    model = fit(AODE(), partitioned(rows, [20]), "label", max_distinct=4)
    assert describe(model)["contract"]["n_grouped"] > 0
    exact = fit(AODE(bins="exact"), partitioned(rows, [20]), "label", max_distinct=4)
    assert describe(exact)["contract"]["n_grouped"] == 0
    assert content_hash(exact) == content_hash(in_memory(AODE(bins="exact"), rows))


@examples(15)
@given(seed=st.integers(0, 10_000), cuts=cuts_of_60, size=st.sampled_from([3, 20, 60, 100]))
def test_any_partitions_give_the_trees_of_all_rows(seed, cuts, size):
    rows = labelled(seed, 60)
    estimator = MassBayes(n_trees=7, sample_size=size, random_state=seed)
    model, whole = fit(estimator, partitioned(rows, cuts), "label"), in_memory(estimator, rows)
    assert_same(model, whole)
    more = labelled(seed + 1, 30)
    X, y = more.drop(columns="label"), more["label"]
    assert_same(model.partial_fit(X, y), whole.partial_fit(X, y))


@examples(15)
@given(seed=st.integers(0, 10_000), cuts=cuts_of_60, order=st.sampled_from([1, 2]), pure=st.booleans())
def test_any_partitions_give_the_paths_of_all_documents(seed, cuts, order, pure):
    rng = np.random.default_rng(seed)
    X, y = csr_matrix(rng.random((60, 12)) < 0.2), np.array(["a", "b", "c"])[rng.integers(3, size=60)]
    pairs = [(X[start:stop], y[start:stop]) for start, stop in zip([0, *cuts], [*cuts, 60])]
    estimator = HigherOrderNB(order=order, pure=pure and order > 1)
    model = fit(estimator, db.from_sequence(pairs, npartitions=min(len(pairs), 3)))
    whole = copy.deepcopy(estimator).fit(X, y)
    assert_same(model, whole)
    np.testing.assert_array_equal(model.path_count_, whole.path_count_)
    np.testing.assert_array_equal(model.predict_proba(X), whole.predict_proba(X))


@examples(30)
@given(seed=st.integers(0, 10_000), cuts=cuts_of_60, cells=st.sampled_from(["auto", "cap", "mdl"]), whole=st.booleans())
def test_any_partitions_give_the_counts_of_all_tensors(seed, cuts, cells, whole):
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=60)
    dense = rng.integers(5, size=(60, 3, 4)) * (rng.random((60, 3, 4)) < 0.3).astype(float)
    dense[:, :2] *= y[:, None, None] > 0
    if not whole and cells != "cap":
        dense = (dense + rng.normal(4 * y, 0.5)[:, None, None] * (dense > 0)).round(1)
    estimator = BayesianTensorClassifier(cells=cells)
    batches = [slice(start, stop) for start, stop in zip([0, *cuts], [*cuts, 60]) if stop > start]
    pairs = [(SparseTensor.from_dense(dense[batch]), y[batch]) for batch in batches]
    model = fit(estimator, db.from_sequence(pairs, npartitions=min(len(pairs), 4)))
    expected = copy.deepcopy(estimator).fit(dense, y)
    assert_same(model, expected)
    np.testing.assert_array_equal(model.predict_proba(dense), expected.predict_proba(dense))


def test_documents_may_be_the_rows_of_a_frame():
    rng = np.random.default_rng(0)
    rows = pd.DataFrame((rng.random((40, 6)) < 0.4).astype(float), columns=list("abcdef"))
    rows["label"] = rng.integers(2, size=40)
    for estimator in (HigherOrderNB(), BayesianTensorClassifier()):
        assert_same(fit(estimator, partitioned(rows, [3, 3, 20]), "label"), in_memory(estimator, rows))


@examples(20)
@given(seed=st.integers(0, 10_000), cuts=cuts_of_60, most=st.integers(2, 20))
def test_bins_beyond_the_budget_do_not_depend_on_partitions(seed, cuts, most):
    rows = labelled(seed, 60)
    model = fit(AODE(), partitioned(rows, cuts), "label", max_distinct=most)
    assert_same(model, fit(AODE(), partitioned(rows, []), "label", max_distinct=most))


def test_columns_are_surveyed_a_few_at_a_time_where_they_are_many(monkeypatch):
    rows = labelled(0, 60)
    monkeypatch.setattr("unnaive.distributed.counting._MAX_CELLS", 1)
    assert_same(fit(AODE(), partitioned(rows, [10, 20]), "label"), in_memory(AODE(), rows))


def test_the_estimator_given_stays_as_it_is():
    estimator = AODE().fit([[0.0], [1.0]], [0, 1])
    before = estimator.counted_
    model = fit(estimator, partitioned(labelled(0, 60), [30]), "label")
    assert model is not estimator
    assert estimator.counted_ is before
    assert estimator.class_count_.tolist() == [1, 1]
    assert model.n_features_in_ == 5


def test_the_model_goes_on_learning_and_merges_with_others():
    rows, more = labelled(0, 60), labelled(1, 40)
    model = fit(NaiveBayes(numeric="gaussian"), partitioned(rows, [7]), "label")
    other = fit(NaiveBayes(numeric="gaussian"), partitioned(more, [7]), "label")
    model.merge(other)
    both = pd.concat([rows, more], ignore_index=True)
    assert_same(model, in_memory(NaiveBayes(numeric="gaussian"), both))


def test_labels_and_categories_of_one_partition_only_are_found():
    rows = pd.DataFrame(
        {
            "sky": ["grey"] * 10 + ["clear"] * 10 + ["amber"],
            "warmth": np.arange(21.0),
            "label": ["wet"] * 10 + ["dry"] * 10 + ["odd"],
        }
    )
    model = fit(AODE(), partitioned(rows, [5, 20]), "label")
    assert model.classes_.tolist() == ["dry", "odd", "wet"]
    assert model.encoder_.categories_[0].tolist() == ["amber", "clear", "grey"]
    assert_same(model, in_memory(AODE(), rows))


@pytest.mark.parametrize(
    ("labels", "dtype"),
    [
        *((labels, dtype) for labels in ([0, 1], [True, False], [1.0, 2.0]) for dtype in (None, "category", "object")),
        *((["a", "bcd"], dtype) for dtype in (None, "category", "object", "string")),
    ],
)
def test_labels_may_be_of_any_type(labels, dtype):
    rows = labelled(0, 40)
    rows["label"] = pd.Series(np.resize(labels, 40), dtype=dtype)
    frame = dd.from_pandas(rows, npartitions=3)
    model = fit(NaiveBayes(), frame, "label")
    assert_same(model, in_memory(NaiveBayes(), frame.compute()))


def test_categories_of_files_are_declared_in_the_order_that_memory_has_them(tmp_path):
    for number, values in enumerate((["v", "u"], ["w", "u"], ["a", "v"])):
        sky = pd.Categorical(values * 3, categories=values)
        pd.DataFrame({"sky": sky, "label": ["yes", "no"] * 3}).to_parquet(tmp_path / f"{number}.parquet")
    frame = dd.read_parquet(tmp_path / "*.parquet")
    assert not frame["sky"].cat.known
    rows = frame.compute()
    model = fit(NaiveBayes(), frame, "label")
    assert model.encoder_.categories_[0].tolist() == ["v", "u", "w", "a"]
    assert_same(model, in_memory(NaiveBayes(), rows))


def test_files_of_any_number_give_the_model_of_all_rows(tmp_path):
    rows = labelled(0, 90)
    for number, part in enumerate(np.array_split(np.arange(90), 4)):
        rows.iloc[part].to_parquet(tmp_path / f"{number}.parquet", index=False)
        rows.iloc[part].to_csv(tmp_path / f"{number}.csv", index=False)
    parquet = dd.read_parquet(tmp_path / "*.parquet")
    assert_same(fit(AODE(), parquet, "label"), in_memory(AODE(), parquet.compute()))
    text = dd.read_csv(tmp_path / "*.csv", dtype={"tall": "object"})
    assert_same(fit(AODE(), text, "label"), in_memory(AODE(), text.compute()))


def test_partitions_that_depend_on_each_other_are_left_to_dask():
    rows = labelled(0, 90)
    frame = dd.from_pandas(rows, npartitions=5).repartition(npartitions=3)
    assert_same(fit(AODE(), frame, "label"), in_memory(AODE(), frame.compute()))
    shuffled = dd.from_pandas(rows, npartitions=5).shuffle("colour")
    assert_same(fit(AODE(), shuffled, "label"), in_memory(AODE(), shuffled.compute()))


def test_bins_may_be_given():
    rows = labelled(0, 60)
    for discretizer in (given_bins(), MDLDiscretizer(criterion="kononenko")):
        estimator = AODE(discretizer=discretizer)
        assert_same(fit(estimator, partitioned(rows, [13, 40]), "label"), in_memory(estimator, rows))
    table = rows[["width", "length"]].fillna(0.0).to_numpy()
    frozen = FrozenEstimator(KBinsDiscretizer(encode="ordinal", subsample=None).fit(table))
    complete = rows.fillna({"width": 0.0, "length": 0.0})
    estimator = AODE(discretizer=frozen)
    assert_same(fit(estimator, partitioned(complete, [13, 40]), "label"), in_memory(estimator, complete))


@pytest.mark.parametrize("chosen", ["all", ["width"], None])
def test_any_columns_may_be_categories(chosen):
    rows = labelled(0, 60)[["width", "length", "label"]]
    estimator = NaiveBayes(categorical_features=chosen)
    assert_same(fit(estimator, partitioned(rows, [13, 40]), "label"), in_memory(estimator, rows))


# Prediction


@pytest.mark.parametrize("name", ["aode", "gnb", "massbayes"])
def test_predictions_are_those_in_memory(name):
    rows = labelled(0, 90)
    model = in_memory(MODELS[name].make(), rows)
    table = rows.drop(columns="label")
    frame = partitioned(rows, [4, 4, 50])
    assert predict(model, frame).compute().tolist() == model.predict(table).tolist()
    probabilities = predict_proba(model, frame).compute()
    assert probabilities.columns.tolist() == model.classes_.tolist()
    np.testing.assert_array_equal(probabilities.to_numpy(), model.predict_proba(table))
    assert probabilities.index.tolist() == table.index.tolist()


def test_nothing_is_read_before_predictions_are_asked_for():
    rows = labelled(0, 30)
    model = in_memory(AODE(), rows)

    def never(part):
        raise AssertionError

    frame = dd.from_map(never, [0, 1], meta=rows.iloc[:0])
    assert predict(model, frame).npartitions == 2
    assert list(predict_proba(model, frame).columns) == ["no", "perhaps", "yes"]


@pytest.mark.parametrize("labels", [[0, 1], ["a", "bcd"], [True, False]])
def test_predictions_are_of_the_type_that_is_promised(labels):
    rows = labelled(0, 40).assign(label=np.resize(labels, 40))
    frame = partitioned(rows, [0, 10])
    lazy = predict(fit(NaiveBayes(), frame, "label"), frame)
    assert lazy.dtype == lazy.compute().dtype
    assert set(lazy.compute()) <= set(labels)


def test_bags_are_predicted_batch_by_batch():
    X = csr_matrix(np.random.default_rng(0).random((30, 8)) < 0.3)
    model = HigherOrderNB().fit(X, np.arange(30) % 2)
    bag = db.from_sequence([X[:10], X[10:]], npartitions=2)
    assert np.concatenate(predict(model, bag).compute()).tolist() == model.predict(X).tolist()
    np.testing.assert_array_equal(np.concatenate(predict_proba(model, bag).compute()), model.predict_proba(X))
