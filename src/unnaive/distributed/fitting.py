"""fit and predict on Dask collections, and the connection to a cluster."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import dask
import numpy as np
import pandas as pd
from dask.delayed import delayed
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from unnaive.counts.counting_classifier import CountingClassifier
from unnaive.distributed.counting import fit_counting
from unnaive.distributed.labelled_frame import LabelledFrame
from unnaive.distributed.mass_bayes import fit_mass
from unnaive.distributed.merging import Batches, fit_merged
from unnaive.distributed.partitions import Part
from unnaive.distributed.tensors import fit_tensors
from unnaive.io.source import DataError
from unnaive.mass.mass_bayes import MassBayes
from unnaive.tensors.bat import BayesianTensorClassifier
from unnaive.text.higher_order_nb import HigherOrderNB

_SECONDS_TO_CONNECT = 10


def fit(estimator: Any, frame: Any, target: Any = None, client: Any = None, *, max_distinct: int = 2**16) -> Any:
    """Fit an estimator on a Dask DataFrame or bag: the model that ``fit`` gives on all rows in memory.

    Partitions are read and counted on the workers, and the counts are merged pairwise; rows stay where they are. If a
    worker is lost, Dask counts its partitions again.

    Parameters
    ----------
    estimator : estimator
        One that counts (NaiveBayes, AODE, WAODE, AODEsr, AnDE, HiddenNaiveBayes, TAN, KDB, BayesNet), MassBayes,
        HigherOrderNB or BayesianTensorClassifier. It stays as it is.
    frame : dask.dataframe.DataFrame or dask.bag.Bag
        A bag holds pairs (X, y) of a batch of documents or tensors, in any form that the estimator takes, and its
        labels; a partition may hold any number of pairs.
    target : str
        The column of labels of a frame.
    client : distributed.Client, optional
        The cluster to work on; by default wherever Dask computes: on the last cluster connected to, or in threads.
    max_distinct : int, default=65536
        Maximum number of cells per column from which MDLDiscretizer finds its cut points. See Notes.

    Returns
    -------
    estimator
        An ordinary fitted model of the same class and parameters.

    Notes
    -----
    Frames are read once. Numeric columns are read once more, before, if they have to be cut.

    A column of more than ``max_distinct`` distinct numbers is cut between cells of neighboring numbers, whose doubles
    differ only in the last bits. The counts, the smallest and the largest number of each cell are exact, so that the
    cut points are the best that do not split a cell; more than half of ``max_distinct`` cells remain. They do not
    depend on the partitions. A column takes ``max_distinct`` times (24 + 8 per class) bytes.

    Examples
    --------
    >>> import dask.dataframe
    >>> from sklearn.datasets import load_iris
    >>> from unnaive import AODE
    >>> from unnaive.distributed import fit
    >>> iris = load_iris(as_frame=True).frame
    >>> model = fit(AODE(), dask.dataframe.from_pandas(iris, npartitions=4), "target")
    >>> model.class_count_
    array([50., 50., 50.])
    >>> model.predict(iris[list(model.feature_names_in_)][:2])
    array([0, 0])
    """
    if not isinstance(max_distinct, int) or max_distinct < 2:
        raise DataError(f"max_distinct={max_distinct!r}: it must be an integer of at least 2.")
    check_supported(estimator)
    is_frame = _is_frame(frame)
    if is_frame and target is None:
        raise DataError("A frame needs a target: name its column of labels.")
    if not is_frame and target is not None:
        raise DataError("A bag holds its labels in its pairs (X, y): leave out target.")
    if isinstance(estimator, HigherOrderNB | BayesianTensorClassifier):
        estimator.check_parameters()
        batches = Batches(clone(estimator), LabelledFrame(frame, target) if is_frame else None)
        if isinstance(estimator, HigherOrderNB):
            return fit_merged(estimator, batches, frame, client)
        return fit_tensors(estimator, frame, batches, client)
    if not is_frame:
        raise DataError(f"{type(estimator).__name__} takes a Dask DataFrame, not a bag.")
    if isinstance(estimator, MassBayes):
        return fit_mass(estimator, frame, target, client)
    return fit_counting(estimator, frame, target, client, max_distinct)


def check_supported(estimator: Any) -> None:
    """Raise an error if an estimator cannot be fitted partition by partition."""
    if not isinstance(estimator, CountingClassifier | MassBayes | HigherOrderNB | BayesianTensorClassifier):
        raise TypeError(
            f"{type(estimator).__name__} has to see all rows at once. NaiveBayes, AODE, WAODE, AODEsr, AnDE, "
            "HiddenNaiveBayes, TAN, KDB, BayesNet, MassBayes, HigherOrderNB and BayesianTensorClassifier can be "
            "fitted on Dask."
        )


def predict(estimator: Any, frame: Any) -> Any:
    """Labels of all rows, partition by partition, computed lazily.

    Parameters
    ----------
    estimator : fitted estimator
    frame : dask.dataframe.DataFrame or dask.bag.Bag
        A frame with the training columns, others are ignored; or a bag of batches.

    Returns
    -------
    dask.dataframe.Series, or dask.bag.Bag of arrays

    Examples
    --------
    >>> import dask.dataframe
    >>> from sklearn.datasets import load_iris
    >>> from unnaive import AODE
    >>> from unnaive.distributed import predict
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> predict(AODE().fit(X, y), dask.dataframe.from_pandas(X, npartitions=4)).compute().tolist()[:3]
    [0, 0, 0]
    """
    return _mapped(estimator, frame, "predict", _labels)


def predict_proba(estimator: Any, frame: Any) -> Any:
    """Class probabilities of all rows, partition by partition, computed lazily.

    Parameters
    ----------
    estimator : fitted estimator
    frame : dask.dataframe.DataFrame or dask.bag.Bag
        A frame with the training columns, others are ignored; or a bag of batches.

    Returns
    -------
    dask.dataframe.DataFrame with a column for each class, or dask.bag.Bag of arrays

    Examples
    --------
    >>> import dask.dataframe
    >>> from sklearn.datasets import load_iris
    >>> from unnaive import AODE
    >>> from unnaive.distributed import predict_proba
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> predict_proba(AODE().fit(X, y), dask.dataframe.from_pandas(X, npartitions=4)).columns.tolist()
    [0, 1, 2]
    """
    return _mapped(estimator, frame, "predict_proba", _probabilities)


def connect(address: str) -> Any:
    """Connect to a Dask cluster.

    Parameters
    ----------
    address : str
        Address of its scheduler, such as ``"tcp://10.0.0.1:8786"``; or ``"local"`` to start a cluster on this machine
        with one process per core.

    Returns
    -------
    distributed.Client

    Examples
    --------
    >>> from unnaive.distributed import connect
    >>> try:
    ...     connect("nowhere")
    ... except ValueError as error:
    ...     print(error)
    'nowhere' is not the address of a Dask scheduler: write tcp://HOST:PORT, or local.
    """
    from distributed import Client, LocalCluster

    if address == "local":
        cluster = LocalCluster(threads_per_worker=1, dashboard_address=":0", silence_logs=logging.CRITICAL)
        return Client(cluster, set_as_default=False)
    if "://" not in address:
        raise DataError(f"{address!r} is not the address of a Dask scheduler: write tcp://HOST:PORT, or local.")
    try:
        return Client(address, timeout=_SECONDS_TO_CONNECT, set_as_default=False)
    except (OSError, ValueError) as error:
        raise DataError(
            f"No Dask scheduler answers at {address}: start one there with `dask scheduler`, or check the address."
        ) from error


def _is_frame(collection: Any) -> bool:
    if not dask.is_dask_collection(collection) or not (hasattr(collection, "dtypes") or hasattr(collection, "map")):
        raise TypeError(f"Expected a Dask DataFrame or bag, got {type(collection).__name__}.")
    return hasattr(collection, "dtypes") and hasattr(collection, "columns")


def _mapped(estimator: Any, collection: Any, method: str, of_rows: Callable[[pd.DataFrame, Any], Any]) -> Any:
    """A method called on each batch of a bag, or a function on each partition of a frame."""
    check_is_fitted(estimator)
    model = delayed(estimator, traverse=False)
    if not _is_frame(collection):
        return collection.map(_call, model, method)
    known = _known_columns(estimator, collection)
    return known.map_partitions(_named, model, of_rows, meta=of_rows(collection._meta[:0], estimator))


def _named(rows: Any, estimator: Any, of_rows: Callable[[pd.DataFrame, Any], Any], partition_info: Any = None) -> Any:
    """A function of a partition, with errors that name it."""
    part = Part(partition_info["number"], {}, None)
    with part.errors_named():
        return of_rows(part.frame(rows), estimator)


def _known_columns(estimator: Any, frame: Any) -> Any:
    """The columns that an estimator was fitted on, if they had names."""
    names = getattr(estimator, "feature_names_in_", None)
    if names is None:
        return frame
    absent = [name for name in names if name not in frame.columns]
    if absent:
        raise DataError(f"The frame lacks the column {absent[0]!r}, which the model was fitted on.")
    return frame if list(frame.columns) == list(names) else frame[list(names)]


def _labels(rows: pd.DataFrame, estimator: Any) -> pd.Series:
    labels = estimator.predict(rows) if len(rows) else estimator.classes_[:0]
    # The dtype of all labels, which those of a few rows do not always have.
    return pd.Series(labels, index=rows.index, name="prediction", dtype=pd.Series(estimator.classes_).dtype)


def _probabilities(rows: pd.DataFrame, estimator: Any) -> pd.DataFrame:
    classes = estimator.classes_.tolist()
    probabilities = estimator.predict_proba(rows) if len(rows) else np.empty((0, len(classes)))
    return pd.DataFrame(probabilities, index=rows.index, columns=classes)


def _call(batch: Any, estimator: Any, method: str) -> Any:
    return getattr(estimator, method)(batch)
