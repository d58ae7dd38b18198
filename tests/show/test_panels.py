"""How panels choose and name classes."""

import numpy as np

from unnaive.show.panels import class_name, largest_classes


def test_the_largest_classes_are_in_order_of_their_labels():
    assert largest_classes(np.array(["c", "a", "b", "c", "b", "d"]), 3) == ["a", "b", "c"]


def test_numbers_are_called_classes():
    assert (class_name("setosa"), class_name(2)) == ("setosa", "class 2")
