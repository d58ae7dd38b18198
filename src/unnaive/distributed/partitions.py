"""Part: a partition of a Dask collection, how it is made on a worker, and what it is called in a message."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import dask
import pandas as pd
from dask.delayed import Delayed
from dask.optimization import cull

from unnaive.io.source import DataError, excerpt

_DEEPEST = 12  # nested arguments that are searched for the name of a file
_ENDINGS = (".parquet", ".parq", ".pq", ".csv", ".tsv", ".txt", ".dat", ".jsonl", ".ndjson", ".json", ".orc")


class Part:
    """One partition.

    A partition that needs nothing but itself (a file, or rows that are kept) is made inside the task that uses it and
    is gone when that ends: it never waits in memory, and is never sent. All others are left to Dask, as what the task
    depends on.

    Parameters
    ----------
    number : int
        Its place among the partitions, from 0.
    graph : dict
        The tasks that make it, none if it is left to Dask.
    key : object
        Its key in the graph.
    """

    # No dataclass: Dask would look into it for collections.
    def __init__(self, number: int, graph: dict[Any, Any], key: Any) -> None:
        self.number = number
        self._graph = graph
        self._key = key

    @property
    def is_made_here(self) -> bool:
        """Whether it is made by the task that uses it."""
        return bool(self._graph)

    def made(self) -> Any:
        """What is in the partition."""
        return dask.get(self._graph, self._key)

    @property
    def name(self) -> str:
        """What to call it: its number, and the file that it is read from as far as that can be told."""
        files = list(dict.fromkeys(_files_in(list(self._graph.values()), _DEEPEST)))
        others = f" or one of {len(files) - 1} more" if len(files) > 1 else ""
        return f"Partition {self.number}" + (f" ({files[0]}{others})" if files else "")

    def error(self, problem: Any) -> DataError:
        """What is wrong with it in one sentence."""
        return DataError(f"{self.name}: {excerpt(str(problem))}")

    def lacks(self, column: Any) -> DataError:
        """That a column is not there."""
        return self.error(f"it lacks the column {column!r}; add it, empty where values are missing.")

    def unreadable(self, error: Exception) -> DataError:
        """What went wrong when it was made, in one sentence."""
        absent = re.search(r"'([^']*)'.*not in index|Index\(\['([^']*)'.*in the \[columns\]", str(error))
        if isinstance(error, KeyError) and absent:  # how pandas says it
            return self.lacks(absent.group(1) or absent.group(2))
        text = re.search(r"^- (.*)\n.*could not convert string to float: ('.*')", str(error), flags=re.MULTILINE)
        if text:  # how Dask says it of CSV files
            return self.error(
                f"column {text.group(1)!r} holds {text.group(2)}, but numbers where the files begin; name it as "
                "categorical, or make its type the same in all files."
            )
        return self.error(f"it cannot be read ({error}).")


def some_columns(frame: Any, names: Iterable[str]) -> Any:
    """Some columns of a frame, in its own order: in any other, Dask would read several files as one partition.

    Parameters
    ----------
    frame : dask.dataframe.DataFrame
    names : iterable of str

    Returns
    -------
    dask.dataframe.DataFrame

    Examples
    --------
    >>> import dask.dataframe
    >>> import pandas
    >>> from unnaive.distributed.partitions import some_columns
    >>> frame = dask.dataframe.from_pandas(pandas.DataFrame({"a": [1], "b": [2], "c": [3]}))
    >>> list(some_columns(frame, ["c", "a"]).columns)
    ['a', 'c']
    """
    wanted = set(names)
    return frame[[name for name in frame.columns if name in wanted]]


def parts_of(collection: Any) -> list[tuple[Part, Delayed | None]]:
    """The partitions of a Dask DataFrame or bag in order, each with what it is left to, if it is left to Dask.

    Parameters
    ----------
    collection : dask.dataframe.DataFrame or dask.bag.Bag

    Returns
    -------
    list of (Part, Delayed or None)

    Examples
    --------
    >>> import dask.bag
    >>> from unnaive.distributed.partitions import parts_of
    >>> parts = parts_of(dask.bag.from_sequence("abcd", npartitions=2))
    >>> [(part.name, list(part.made())) for part, _ in parts]
    [('Partition 0', ['a', 'b']), ('Partition 1', ['c', 'd'])]
    """
    best = collection.optimize() if hasattr(collection, "expr") else dask.optimize(collection)[0]
    graph = dict(best.__dask_graph__())
    keys = list(dask.core.flatten(best.__dask_keys__()))
    of_parts = [cull(graph, [key])[0] for key in keys]
    apart = sum(map(len, of_parts)) == len(graph) and not any(map(_is_elsewhere, graph.values()))
    if apart:
        return [(Part(number, own, key), None) for number, (own, key) in enumerate(zip(of_parts, keys))]
    return [(Part(number, {}, None), delayed) for number, delayed in enumerate(best.to_delayed())]


def _is_elsewhere(node: Any) -> bool:
    """Whether a node of a graph is a result that a cluster holds already."""
    return hasattr(getattr(node, "value", node), "add_done_callback")


def _files_in(item: Any, depth: int) -> Iterator[str]:
    """The names of files among what a task is made of."""
    if isinstance(item, str):
        if item.lower().removesuffix(".gz").endswith(_ENDINGS):
            yield item
        return
    if isinstance(item, pd.DataFrame | pd.Series) or depth == 0:
        return
    if isinstance(item, Mapping):
        inside: Iterable[Any] = list(item.values())
    elif isinstance(item, list | tuple | set):
        inside = item
    else:
        inside = [getattr(item, name) for name in ("path", "args", "kwargs", "value") if hasattr(item, name)]
    for each in inside:
        yield from _files_in(each, depth - 1)
