"""Labels of a target column; refusals are in test_datasets.py."""

import numpy as np
import pandas as pd

from unnaive.io.labels import LabelReader, labels_of


def test_a_reader_gives_every_batch_the_labels_of_the_whole_file():
    reader = LabelReader.of_values("trips", pd.Series([2.0, 1.0, None], name="class"))
    labels = reader.read(pd.Series([1.0, 2.0, 2.0]))
    np.testing.assert_array_equal(labels, [1, 2, 2])
    assert labels.dtype == np.int64


def test_a_reader_can_give_the_classes_that_are_written_alike():
    reader = LabelReader.of_values("trips", pd.Series([2.0, 1.0, None], name="class"))
    labels = reader.like(np.array(["1", "2"])).read(pd.Series([1.0, 2.0]))
    np.testing.assert_array_equal(labels, ["1", "2"])
    assert labels.dtype == "<U1"


def test_categories_that_are_whole_numbers_are_integers():
    labels = labels_of("trips", pd.Series(pd.Categorical(["3", "10"])))
    np.testing.assert_array_equal(labels, [3, 10])
    assert labels.dtype == np.int64
