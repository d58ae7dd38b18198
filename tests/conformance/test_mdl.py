import numpy as np
import pandas as pd
import pytest

from tests.conformance.golden import CUT_SETS, NUMERIC_SETS, load, load_cuts, load_numeric, numeric_columns
from unnaive.encoding.mdl_discretizer import MDLDiscretizer

VARIANTS = {
    "fayyad_irani": MDLDiscretizer(),
    "fayyad_irani_better": MDLDiscretizer(better_encoding=True),
    "kononenko": MDLDiscretizer("kononenko"),
    "kononenko_better": MDLDiscretizer("kononenko", better_encoding=True),
}
# WEKA's cuts on all of Letters are packed, its 20,000 rows are not.
SETS = sorted(set(CUT_SETS) & set(NUMERIC_SETS))


def assert_same_bits(found, expected):
    assert len(found) == len(expected)
    for column, (cuts, others) in enumerate(zip(found, expected)):
        np.testing.assert_array_equal(cuts, others, err_msg=f"column {column}")


@pytest.mark.parametrize("set_name", SETS)
def test_cuts_and_codes_of_the_training_rows_are_those_of_weka(set_name):
    numeric = numeric_columns(set_name)
    X, y, sample_weight, _ = load_numeric(set_name, "train")
    X_test, *_ = load_numeric(set_name, "test")
    discretizer = MDLDiscretizer().fit(X[:, numeric], y, sample_weight)
    assert_same_bits(discretizer.cut_points_, load_cuts(set_name, "train")["fayyad_irani"])
    coded = load(set_name)
    np.testing.assert_array_equal(discretizer.transform(X[:, numeric]), coded.train_codes[:, numeric])
    np.testing.assert_array_equal(discretizer.transform(X_test[:, numeric]), coded.test_codes[:, numeric])


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("set_name", SETS)
def test_cuts_of_all_rows_are_those_of_weka(set_name, variant):
    # WEKA learned these without weights, also those of diabetes_weighted.
    parts = [load_numeric(set_name, part) for part in ("train", "test")]
    X = np.vstack([part[0] for part in parts])[:, numeric_columns(set_name)]
    y = np.concatenate([part[1] for part in parts])
    assert_same_bits(VARIANTS[variant].fit(X, y).cut_points_, load_cuts(set_name, "full")[variant])


@pytest.fixture(scope="module")
def letters(data_folder):
    frame = pd.read_csv(data_folder / "letter.csv.gz")
    return frame.drop(columns="class"), frame["class"]


@pytest.mark.parametrize("variant", VARIANTS)
def test_cuts_of_twenty_thousand_letters_are_those_of_weka(letters, variant):
    assert_same_bits(VARIANTS[variant].fit(*letters).cut_points_, load_cuts("letter", "full")[variant])
