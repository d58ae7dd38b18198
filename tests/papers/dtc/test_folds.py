from unnaive.io.datasets import load
from unnaive.papers.dtc.folds import Fold, key_of


def test_a_fold_has_the_columns_that_say_most_about_the_class():
    fold = Fold.of(load("wine"), 0, 0, seed=0, n_features=2)
    assert (len(fold.y_train), len(fold.truth), [*fold.X_test]) == (160, 18, ["flavanoids", "proline"])
    assert key_of("right", 19) == "right@19"
