"""Training and test rows of cross-validation and hold-out."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit, train_test_split

from unnaive.io.datasets import Dataset


def split(
    dataset: Dataset,
    repeat: int,
    fold: int,
    cv: int,
    test_size: float | None,
    random_state: int,
    seeds: Sequence[int] | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The training and test rows of a fold.

    Folds are stratified by class. A class too rare for that is spread over some of them; hold-out with a class
    of one row is not stratified, nor is hold-out with seeds of its own.
    """
    labels = np.asarray(dataset.y)
    seed = random_state + repeat
    rows = np.arange(len(labels))
    if seeds is not None:
        train, test = train_test_split(rows, test_size=test_size, random_state=seeds[repeat])
        return train, test
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about classes with fewer rows than folds
        _, counts = np.unique(labels, return_counts=True)
        if test_size is None:
            folds = StratifiedKFold(cv, shuffle=True, random_state=seed)
            if counts.max() < cv:  # which scikit-learn refuses
                order = np.random.default_rng(seed).permutation(rows)
                test = np.sort(order[fold::cv])
                return np.setdiff1d(rows, test), test
            return list(folds.split(rows, labels))[fold]
        if counts.min() < 2:
            train, test = train_test_split(rows, test_size=test_size, random_state=seed)
            return np.sort(train), np.sort(test)
        return next(StratifiedShuffleSplit(1, test_size=test_size, random_state=seed).split(rows, labels))
