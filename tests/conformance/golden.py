"""WEKA's answers, as packed by `tests.conformance.pack`: data, probabilities, structures and cut points."""

import io
import json
import lzma
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).parent / "golden"
SUFFIX = ".npz.xz"
TOLERANCE = 1e-9


@dataclass(frozen=True)
class GoldenSet:
    """One data set with what WEKA answered for its test rows.

    Attributes
    ----------
    train_codes, test_codes : (n, d) int array
        Position of each value among the declared ones; -1 is missing.
    train_classes, test_classes : (n,) int array
        The test classes of the exhaustive sets (weather_nominal, contact_lenses) are placeholders.
    sample_weight : (n,) float array or None
    n_values : tuple of int
        Declared values per column, whether they occur or not.
    n_classes : int
        Declared classes.
    settings : list of str
        Names of the classifiers with their options, such as "AODE_M_W3".
    """

    name: str
    train_codes: np.ndarray
    train_classes: np.ndarray
    sample_weight: np.ndarray | None
    test_codes: np.ndarray
    test_classes: np.ndarray
    n_values: tuple[int, ...]
    n_classes: int
    column_names: list[str]
    settings: list[str]
    _probabilities: np.ndarray = field(repr=False)
    _parents: dict[str, list[list[int]]] = field(repr=False)

    def probabilities(self, setting: str) -> np.ndarray:
        """WEKA's class probabilities, (n_test, n_classes), exact to the last bit."""
        return self._probabilities[self.settings.index(setting)]

    def has_parents(self, setting: str) -> bool:
        """Whether WEKA printed a network structure for this setting."""
        return setting in self._parents

    def parents(self, setting: str) -> list[list[int]]:
        """Parents of every node in WEKA's order; node number d, the last one, is the class."""
        return self._parents[setting]


@cache
def _read(set_name: str) -> tuple[dict[str, np.ndarray], dict]:
    packed = (FOLDER / f"{set_name}{SUFFIX}").read_bytes()
    with np.load(io.BytesIO(lzma.decompress(packed)), allow_pickle=False) as archive:
        arrays = {name: archive[name] for name in archive.files}
    about = json.loads(str(arrays.pop("about")))
    for array in arrays.values():
        array.setflags(write=False)
    return arrays, about


def _names_with(kind: str) -> list[str]:
    names = sorted(path.name.removesuffix(SUFFIX) for path in FOLDER.glob(f"*{SUFFIX}"))
    return [name for name in names if kind in _read(name)[1]["holds"]]


SETS = _names_with("classifiers")
NUMERIC_SETS = _names_with("numeric")
CUT_SETS = _names_with("cuts")


def load(set_name: str) -> GoldenSet:
    """The coded data set and the answers of every classifier."""
    arrays, about = _read(set_name)
    return GoldenSet(
        name=set_name,
        train_codes=arrays["train_codes"].astype(np.int64),
        train_classes=arrays["train_classes"].astype(np.int64),
        sample_weight=arrays.get("sample_weight"),
        test_codes=arrays["test_codes"].astype(np.int64),
        test_classes=arrays["test_classes"].astype(np.int64),
        n_values=tuple(about["n_values"]),
        n_classes=about["n_classes"],
        column_names=about["column_names"],
        settings=about["settings"],
        _probabilities=arrays["probabilities"],
        _parents=about["parents"],
    )


def load_cuts(set_name: str, which: str) -> dict[str, list[np.ndarray]]:
    """Cut points of the supervised discretization.

    Parameters
    ----------
    set_name : str
        One of `CUT_SETS`.
    which : {"train", "full"}
        Learned on the training rows (with their weights, if any; only the default variant), or on training
        and test rows together (without weights; all variants). The 20,000 rows behind the set "letter" are
        not packed.

    Returns
    -------
    dict of str to list of array
        For each variant ("fayyad_irani", "fayyad_irani_better", "kononenko", "kononenko_better") one
        ascending array per numeric column, in the order of `numeric_columns`.
    """
    variants = _read(set_name)[1]["cuts"][which]
    return {variant: [np.array(cuts, dtype=float) for cuts in columns] for variant, columns in variants.items()}


def numeric_columns(set_name: str) -> np.ndarray:
    """Boolean mask of the numeric columns; all of them but for mixed sets (labor)."""
    return np.array(_read(set_name)[1]["numeric_columns"], dtype=bool)


def load_numeric(set_name: str, part: str) -> tuple[np.ndarray, np.ndarray, np.ndarray | None, int]:
    """The raw values of a set with numeric columns.

    Parameters
    ----------
    set_name : str
        One of `NUMERIC_SETS`.
    part : {"train", "test"}

    Returns
    -------
    X : (n, d) float array
        NaN is missing; columns outside `numeric_columns` hold the codes of their categories.
    y : (n,) int array
    sample_weight : (n,) float array or None
        Always None for the test rows.
    n_classes : int
        Declared classes.
    """
    arrays, about = _read(set_name)
    y = arrays[f"{part}_classes"].astype(np.int64)
    weight = arrays.get("sample_weight") if part == "train" else None
    return arrays[f"{part}_numeric"], y, weight, about["n_classes"]


def numeric_problem(set_name: str) -> tuple:
    """Training rows, classes, weights, values (None if numeric), number of classes, test rows: for naive Bayes."""
    X, y, weight, n_classes = load_numeric(set_name, "train")
    values = zip(numeric_columns(set_name), load(set_name).n_values)
    n_values = [None if numeric else v for numeric, v in values]
    return X, y, np.ones(len(y)) if weight is None else weight, n_values, n_classes, load_numeric(set_name, "test")[0]


def assert_close(ours: np.ndarray, weka: np.ndarray) -> None:
    """Equal probabilities, except in a row of missing values for which WEKA overflowed and returned zeros."""
    answered = weka.sum(axis=1) > 0
    assert np.sum(~answered) <= 1
    np.testing.assert_allclose(ours[answered], weka[answered], rtol=0, atol=TOLERANCE)
    np.testing.assert_allclose(ours.sum(axis=1), 1)


def fill_with_modes(golden: GoldenSet) -> tuple[np.ndarray, np.ndarray]:
    """Training and test codes as WEKA's BayesNet sees them: missing is the column's most frequent code.

    Frequencies are those of the training rows, with their weights; of equally frequent codes the lowest.
    """
    train, test = golden.train_codes.copy(), golden.test_codes.copy()
    weight = np.ones(len(train)) if golden.sample_weight is None else golden.sample_weight
    for j in range(train.shape[1]):
        observed = train[:, j] >= 0
        mode = np.argmax(np.bincount(train[observed, j], weights=weight[observed]))
        for codes in (train, test):
            codes[codes[:, j] < 0, j] = mode
    return train, test


def truncated_total(sample_weight: np.ndarray) -> int:
    """Total weight as WEKA's A2DE adds it up: cut to an integer after every row."""
    total = 0
    for weight in sample_weight:
        total = int(total + weight)
    return total
