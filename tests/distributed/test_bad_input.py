"""What goes wrong with partitions, frames and clusters is said in a sentence that names the place."""

import socket
from types import SimpleNamespace

import dask
import dask.bag as db
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed import KilledWorker
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import KBinsDiscretizer

from tests.distributed.made import made
from unnaive import AODE, BayesianTensorClassifier, HigherOrderNB, MassBayes, NaiveBayes, WeightedNaiveBayes
from unnaive.distributed import connect, fit, predict, predict_proba
from unnaive.distributed.tree_reduction import reduced

ESTIMATORS = [AODE(), NaiveBayes(numeric="gaussian"), MassBayes(n_trees=3, random_state=0)]
every_estimator = pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda each: type(each).__name__)


@pytest.fixture(autouse=True)
def in_this_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


def files(folder, *parts):
    for number, part in enumerate(parts):
        part.to_parquet(folder / f"part{number}.parquet", index=False)
    return dd.read_parquet(folder / "*.parquet")


def lists_of(*parts):
    return dd.from_map(lambda part: part, list(parts), meta=parts[0].iloc[:0])


@every_estimator
@pytest.mark.parametrize("column", ["colour", "width", "label"])
def test_a_partition_that_lacks_a_column_is_named_with_it(tmp_path, estimator, column):
    rows = made(2)
    for frame in (files(tmp_path, rows, rows, rows.drop(columns=column)), lists_of(rows, rows.drop(columns=column))):
        with pytest.raises(ValueError, match=rf"Partition [12].*{column}") as caught:
            fit(estimator, frame, "label")
        assert len(str(caught.value)) < 400
        assert "\n" not in str(caught.value)
    with pytest.raises(ValueError, match=r"Partition 2 \(\S*part2.parquet\): it lacks the column"):
        fit(estimator, files(tmp_path, rows, rows, rows.drop(columns=column)), "label")


@every_estimator
@pytest.mark.parametrize(("column", "value"), [("width", "wide"), ("colour", 1.5), ("label", 7)])
def test_a_partition_of_another_type_is_named_with_the_column(tmp_path, estimator, column, value):
    rows = made(2)
    message = rf"Partition 1 \(\S*part1.parquet\): column '{column}' holds '?{value}"
    with pytest.raises(ValueError, match=message):
        fit(estimator, files(tmp_path, rows, rows.assign(**{column: value})), "label")


def test_a_csv_file_of_another_type_is_named_with_the_column(tmp_path):
    rows = made(2)
    rows.to_csv(tmp_path / "a.csv", index=False)
    rows.assign(width="wide").to_csv(tmp_path / "b.csv", index=False)
    with pytest.raises(ValueError, match=r"Partition 1 \(\S*b.csv\): .*width"):
        fit(AODE(), dd.read_csv(tmp_path / "*.csv"), "label")


@every_estimator
@pytest.mark.parametrize("column", ["colour", "width", "weight"])
def test_a_partition_in_which_a_column_is_empty_is_no_error(tmp_path, estimator, column):
    rows = made(2)
    empty = rows.assign(**{column: None})
    model = fit(estimator, files(tmp_path, rows, empty), "label")
    assert model.class_count_.sum() == 2 * len(rows)


@every_estimator
def test_frames_without_rows_are_refused_and_empty_partitions_are_not(estimator):
    rows = made(2)
    model = fit(estimator, lists_of(rows.iloc[:0], rows, rows.iloc[:0]), "label")
    assert model.class_count_.sum() == len(rows)
    with pytest.raises(ValueError, match="all partitions are empty"):
        fit(estimator, lists_of(rows.iloc[:0], rows.iloc[:0]), "label")


@every_estimator
def test_missing_labels_and_infinite_numbers_are_refused_with_the_partition(estimator):
    rows = made(2)
    no_label = rows.assign(label=rows["label"].where(np.arange(len(rows)) > 3))
    with pytest.raises(ValueError, match=r"Partition 1: .*labels are missing"):
        fit(estimator, lists_of(rows, no_label), "label")
    with pytest.raises(ValueError, match=r"Partition 1: .*'width' contains infinity"):
        fit(estimator, lists_of(rows, rows.assign(width=np.inf)), "label")


def test_a_file_that_is_gone_is_named(tmp_path):
    frame = files(tmp_path, made(1), made(1))
    (tmp_path / "part1.parquet").unlink()
    with pytest.raises(ValueError, match=r"Partition 1 \(\S*part1.parquet\): it cannot be read"):
        fit(AODE(), frame, "label")


@pytest.mark.parametrize("estimator", [WeightedNaiveBayes(), GaussianNB()])
def test_what_needs_all_rows_at_once_is_refused(estimator):
    with pytest.raises(TypeError, match=f"{type(estimator).__name__} has to see all rows at once.*AODE.*MassBayes"):
        fit(estimator, lists_of(made(2)), "label")


def test_a_discretizer_that_needs_all_rows_is_refused():
    with pytest.raises(ValueError, match=r"KBinsDiscretizer has to see all rows at once.*FrozenEstimator"):
        fit(AODE(discretizer=KBinsDiscretizer(encode="ordinal")), lists_of(made(2)), "label")
    with pytest.raises(ValueError, match="sample_size"):
        fit(MassBayes(sample_size=None), lists_of(made(2)), "label")


def test_wrong_arguments_are_refused():
    frame = lists_of(made(2))
    with pytest.raises(ValueError, match=r"no column 'Label' of labels\. Did you mean 'label'\?"):
        fit(AODE(), frame, "Label")
    with pytest.raises(ValueError, match="needs a target"):
        fit(AODE(), frame)
    with pytest.raises(ValueError, match="nothing to learn from"):
        fit(AODE(), frame[["label"]], "label")
    with pytest.raises(TypeError, match="Expected a Dask DataFrame or bag, got DataFrame"):
        fit(AODE(), made(2), "label")
    with pytest.raises(ValueError, match="takes a Dask DataFrame, not a bag"):
        fit(AODE(), db.from_sequence([1]))
    with pytest.raises(ValueError, match="leave out target"):
        fit(HigherOrderNB(), db.from_sequence([1]), "label")
    with pytest.raises(ValueError, match="max_distinct=1"):
        fit(AODE(), frame, "label", max_distinct=1)
    with pytest.raises(ValueError, match="smoothing"):
        fit(AODE(smoothing="much"), frame, "label")
    with pytest.raises(ValueError, match="neither a number nor a category"):
        fit(AODE(), lists_of(made(2).assign(width=pd.Timestamp("2020-01-01"))), "label")


def test_bags_hold_pairs_of_the_same_columns():
    rows, labels = np.eye(3), [0, 1, 1]
    with pytest.raises(ValueError, match=r"Partition 0: it holds a ndarray"):
        fit(HigherOrderNB(), db.from_sequence([rows]))
    for estimator in (HigherOrderNB(), BayesianTensorClassifier()):
        with pytest.raises(ValueError, match=r"different (terms|mode sizes)"):
            fit(estimator, db.from_sequence([(rows, labels), (np.eye(3, 4), labels)], npartitions=2))
    with pytest.raises(ValueError, match=r"Partition 1: Negative values"):
        fit(HigherOrderNB(), db.from_sequence([(rows, labels), (-rows, labels)], npartitions=2))


def test_predictions_need_the_columns_of_training():
    rows = made(2)
    model = AODE().fit(rows.drop(columns="label"), rows["label"])
    with pytest.raises(ValueError, match="lacks the column 'width'"):
        predict(model, lists_of(rows.drop(columns="width")))


def test_a_scheduler_that_is_not_there_is_one_sentence(monkeypatch):
    monkeypatch.setattr("unnaive.distributed.fitting._SECONDS_TO_CONNECT", 1)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(ValueError, match=f"No Dask scheduler answers at {address}"):
        connect(address)
    with pytest.raises(ValueError, match="is not the address of a Dask scheduler"):
        connect("localhost")


@pytest.mark.parametrize(
    "wrong",
    [None, {"a": 1}, [1, 2], made(1)["width"], made(1).to_numpy()],
    ids=str.split("none dict list series array"),
)
def test_a_partition_that_is_no_frame_is_named_with_its_type(wrong):
    rows = made(1)
    frame = dd.from_map(lambda part: part, [rows, wrong], meta=rows.iloc[:0])
    for estimator in (NaiveBayes(numeric="gaussian"), MassBayes(n_trees=3, random_state=0)):
        with pytest.raises(ValueError, match=f"Partition 1: it holds a {type(wrong).__name__}, but every"):
            fit(estimator, frame, "label")
    with pytest.raises(ValueError, match=r"Partition 1: it cannot be read \("):
        fit(AODE(), frame, "label")  # whose numbers are read first, a few columns at a time
    X = rows.drop(columns="label")
    frame = dd.from_map(lambda part: part, [X, wrong], meta=X.iloc[:0])
    with pytest.raises(ValueError, match=f"Partition 1: it holds a {type(wrong).__name__}, but every"):
        predict(NaiveBayes(numeric="gaussian").fit(X, rows["label"]), frame).compute()


@every_estimator
def test_a_partition_with_a_column_twice_is_named_with_it(estimator):
    rows = made(1)
    twice = pd.concat([rows, rows[["width"]]], axis=1)
    with pytest.raises(ValueError, match="Partition 1: it has several columns named 'width'; rename all but one"):
        fit(estimator, lists_of(rows, twice), "label")


def test_a_partition_that_cannot_be_predicted_is_named():
    rows = made(1)
    X = rows.drop(columns="label")
    frame = dd.from_map(lambda part: part, [X, X.assign(width=np.inf)], meta=X.iloc[:0])
    model = NaiveBayes(numeric="gaussian").fit(X, rows["label"])
    for lazily in (predict, predict_proba):
        with pytest.raises(ValueError, match="Partition 1: Column 'width' contains infinity"):
            lazily(model, frame).compute()


@pytest.mark.parametrize("estimator", [HigherOrderNB(), BayesianTensorClassifier()])
@pytest.mark.parametrize("labels", [None, 3])
def test_a_batch_without_a_list_of_labels_is_named(estimator, labels):
    X = np.eye(2)
    bag = db.from_delayed([dask.delayed([(X, ["a", "b"])]), dask.delayed([(X, labels)])])
    with pytest.raises(ValueError, match=rf"Partition 1: .* \(X, y\) whose labels y are a {type(labels).__name__}"):
        fit(estimator, bag)


class Failing:
    """Work that fails on every partition."""

    def __init__(self, error):
        self.error = error

    def add(self, state, content, part):
        raise self.error

    def merge(self, one, other):
        raise AssertionError


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (KeyError("width"), "Partition 0: KeyError: 'width'"),
        (AttributeError("no dtype"), "Partition 0: AttributeError: no dtype"),
        (MemoryError(), "Partition 0: there is not enough memory for it; make partitions smaller"),
        (ValueError("it is odd"), "Partition 0: it is odd"),
    ],
)
def test_whatever_fails_names_the_partition(error, words):
    with pytest.raises(ValueError, match=words):
        reduced(Failing(error), db.from_sequence([1], npartitions=1), None)


@pytest.mark.parametrize(
    ("task", "words"),
    [("unnaive-count-add-5f-12", "Partition 12: 4 workers died"), ("unnaive-count-merge-5f-2-1", "Merging")],
)
def test_workers_that_die_are_said_to_lack_memory(monkeypatch, task, words):
    def compute(*_, **__):
        raise KilledWorker(task, SimpleNamespace(address="tcp://10.0.0.7:1"), 3)

    monkeypatch.setattr(dask, "compute", compute)
    with pytest.raises(ValueError, match=f"{words}.* most likely for lack of memory; make partitions smaller .*0.7:1"):
        fit(AODE(), lists_of(made(1)), "label")
