"""fit and predict on Dask collections, and the connection to a cluster."""

from __future__ import annotations

import logging
from typing import Any

import dask
import numpy as np
import pandas as pd
from dask.delayed import delayed
from sklearn.utils.validation import check_is_fitted

from unnaive.counts.counting_classifier import CountingClassifier
from unnaive.distributed.counting import fit_counting
from unnaive.distributed.labelled_frame import LabelledFrame
from unnaive.distributed.mass_bayes import fit_mass
from unnaive.distributed.merging import fit_documents
from unnaive.distributed.tensors import fit_tensors
from unnaive.io.source import DataError
from unnaive.mass.mass_bayes import MassBayes
from unnaive.tensors.bat import BayesianTensorClassifier
from unnaive.text.higher_order_nb import HigherOrderNB

_SECONDS_TO_CONNECT = 10


def fit(estimator: Any, frame: Any, target: Any = None, client: Any = None, *, max_distinct: int = 2**16) -> Any:
    """Fit an estimator on a Dask DataFrame or bag: the model that ``fit`` gives on all rows in memory.

    Partitions are read and counted on the workers, and what was counted is merged pairwise; rows stay where they are.
    A worker that is lost is no harm: Dask counts its partitions again.

    Parameters
    ----------
    estimator : estimator
        One that counts (NaiveBayes, AODE, WAODE, AODEsr, AnDE, HiddenNaiveBayes, TAN, KDB, BayesNet), MassBayes,
        HigherOrderNB or BayesianTensorClassifier. It stays as it is.
    frame : dask.dataframe.DataFrame or dask.bag.Bag
        A bag holds pairs (X, y) of a batch of documents or tensors, in any form that the estimator takes, and its
        labels; a partition has any number of them.
    target : str
        The column of labels of a frame.
    client : distributed.Client, optional
        The cluster to work on; by default wherever Dask computes: on the last cluster connected to, or in threads.
    max_distinct : int, default=65536
        Up to so many distinct numbers of a column are told apart where MDLDiscretizer cuts it. See Notes.

    Returns
    -------
    estimator
        An ordinary fitted one, of the same class and parameters.

    Notes
    -----
    Frames are read once, and once more, the columns of numbers only, if these have to be cut.

    A column of more than ``max_distinct`` distinct numbers is cut between cells of neighbouring numbers: those whose
    doubles differ in the last bits alone, in as few as will do. Counts of the cells and the least and the largest
    number of each are exact, so that the cut points are the best of all that do not cut a cell; more than half of
    ``max_distinct`` cells are left. They do not depend on how the rows are cut into partitions. A column takes
    24 + 8 bytes for each class, times ``max_distinct``.

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
        raise DataError(f"max_distinct={max_distinct!r}: two numbers at least are to be told apart.")
    check_supported(estimator)
    is_frame = _is_frame(frame)
    if is_frame and target is None:
        raise DataError("A frame needs a target: name its column of labels.")
    if not is_frame and target is not None:
        raise DataError("A bag holds its labels in its pairs (X, y): leave out target.")
    if isinstance(estimator, HigherOrderNB | BayesianTensorClassifier):
        rows = LabelledFrame(frame, target) if is_frame else None
        if isinstance(estimator, HigherOrderNB):
            return fit_documents(estimator, frame, rows, client)
        return fit_tensors(estimator, frame, rows, client)
    if not is_frame:
        raise DataError(f"{type(estimator).__name__} takes a Dask DataFrame, not a bag.")
    if isinstance(estimator, MassBayes):
        return fit_mass(estimator, frame, target, client)
    return fit_counting(estimator, frame, target, client, max_distinct)


def check_supported(estimator: Any) -> None:
    """An error if an estimator cannot be fitted partition by partition."""
    if not isinstance(estimator, CountingClassifier | MassBayes | HigherOrderNB | BayesianTensorClassifier):
        raise TypeError(
            f"{type(estimator).__name__} has to see all rows at once. NaiveBayes, AODE, WAODE, AODEsr, AnDE, "
            "HiddenNaiveBayes, TAN, KDB, BayesNet, MassBayes, HigherOrderNB and BayesianTensorClassifier can be "
            "fitted on Dask."
        )


def predict(estimator: Any, frame: Any) -> Any:
    """Labels of all rows, partition by partition, computed when they are asked for.

    Parameters
    ----------
    estimator : fitted estimator
    frame : dask.dataframe.DataFrame or dask.bag.Bag
        A frame with the columns of training, others are left out; or a bag of batches.

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
    check_is_fitted(estimator)
    model = delayed(estimator, traverse=False)
    if not _is_frame(frame):
        return frame.map(_call, model, "predict")
    return _known_columns(estimator, frame).map_partitions(_labels, model, meta=_labels(frame._meta[:0], estimator))


def predict_proba(estimator: Any, frame: Any) -> Any:
    """Probabilities of the classes for all rows, partition by partition, computed when they are asked for.

    Parameters
    ----------
    estimator : fitted estimator
    frame : dask.dataframe.DataFrame or dask.bag.Bag
        A frame with the columns of training, others are left out; or a bag of batches.

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
    check_is_fitted(estimator)
    model = delayed(estimator, traverse=False)
    if not _is_frame(frame):
        return frame.map(_call, model, "predict_proba")
    known = _known_columns(estimator, frame)
    return known.map_partitions(_probabilities, model, meta=_probabilities(frame._meta[:0], estimator))


def connect(address: str) -> Any:
    """A client of a cluster.

    Parameters
    ----------
    address : str
        Where its scheduler listens, such as ``"tcp://10.0.0.1:8786"``; or ``"local"`` to start one on this machine, a
        process for each of its cores.

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
    'nowhere' is no address of a Dask scheduler: write tcp://HOST:PORT, or local.
    """
    from distributed import Client, LocalCluster

    if address == "local":
        cluster = LocalCluster(threads_per_worker=1, dashboard_address=":0", silence_logs=logging.CRITICAL)
        return Client(cluster, set_as_default=False)
    if "://" not in address:
        raise DataError(f"{address!r} is no address of a Dask scheduler: write tcp://HOST:PORT, or local.")
    try:
        return Client(address, timeout=_SECONDS_TO_CONNECT, set_as_default=False)
    except (OSError, ValueError) as error:
        raise DataError(
            f"No Dask scheduler answers at {address}: start one there with `dask scheduler`, or check the address."
        ) from error


def _is_frame(collection: Any) -> bool:
    if not dask.is_dask_collection(collection) or not (hasattr(collection, "dtypes") or hasattr(collection, "map")):
        raise TypeError(f"A Dask DataFrame or bag is wanted, not {type(collection).__name__}.")
    return hasattr(collection, "dtypes") and hasattr(collection, "columns")


def _known_columns(estimator: Any, frame: Any) -> Any:
    """The columns that an estimator was fitted on, if it knows their names."""
    names = getattr(estimator, "feature_names_in_", None)
    if names is None:
        return frame
    absent = [name for name in names if name not in frame.columns]
    if absent:
        raise DataError(f"The frame lacks the column {absent[0]!r}, which the model was fitted on.")
    return frame[list(names)]


def _labels(rows: pd.DataFrame, estimator: Any) -> pd.Series:
    labels = estimator.predict(rows) if len(rows) else estimator.classes_[:0]
    # The type of all labels, which those of a few rows would not always tell.
    return pd.Series(labels, index=rows.index, name="prediction", dtype=pd.Series(estimator.classes_).dtype)


def _probabilities(rows: pd.DataFrame, estimator: Any) -> pd.DataFrame:
    classes = estimator.classes_.tolist()
    probabilities = estimator.predict_proba(rows) if len(rows) else np.empty((0, len(classes)))
    return pd.DataFrame(probabilities, index=rows.index, columns=classes)


def _call(batch: Any, estimator: Any, method: str) -> Any:
    return getattr(estimator, method)(batch)
