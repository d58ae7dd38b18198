"""The data sets of the experiments with MassBayes: large tables of numbers, and some that are drawn."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from unnaive.io.datasets import Dataset, NoSuchDataError, load
from unnaive.io.synthetic import one_big, ring_curve, wave
from unnaive.papers.data_sources import FOLDER, KEEL, uci

DRAWN: dict[str, Callable[..., Dataset]] = {"OneBig": one_big, "RingCurve": ring_curve, "Wave": wave}
# By its name in the paper, the names it may be had under, and which of its columns the paper has.
FILES = {
    "CoverType": (("covertype",), slice(10)),
    "Shuttle": (("shuttle",), slice(1, None)),
    "Letters": (("letter", "keel_letter"), slice(None)),
    "Magic04": (("keel_magic",), slice(None)),
    "Mamograph": (("mammography",), slice(None)),
    "Pendigits": (("pendigits", "keel_penbased"), slice(None)),
}
WHERE = {
    "CoverType": f"the UCI repository: scikit-learn's fetch_covtype(), or {FOLDER}",
    "Shuttle": uci("shuttle"),
    "Letters": f"{uci('letter')}, or {KEEL}",
    "Magic04": KEEL,
    "Mamograph": f"OpenML; as mammography.csv.gz in {FOLDER}",
    "Pendigits": f"{uci('pendigits')}, or {KEEL}",
}


def read_set(
    name: str,
    folder: str | Path | None = None,
    seed: int = 0,
    *,
    n_drawn: int | None = None,
    download: bool = True,
) -> Dataset:
    """One of the paper's data sets, with the columns that it has in Table 2.

    ``n_drawn`` is the number of rows of those drawn at random, ``download`` that of ``load``.
    """
    if name in DRAWN:
        rows = {} if n_drawn is None else {"n_rows": n_drawn}
        return DRAWN[name](random_state=seed, **rows)
    sources, columns = FILES[name]
    for source in sources[:-1]:
        with suppress(NoSuchDataError):
            return _of_columns(load(source, folder=folder), columns)
    return _of_columns(load(sources[-1], folder=folder, download=download), columns)


def _of_columns(whole: Dataset, columns: slice) -> Dataset:
    return replace(whole, X=whole.X.iloc[:, columns])
