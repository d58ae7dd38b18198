"""Part: a partition of a Dask collection, how it is made on a worker, and what it is called in a message."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import dask
import pandas as pd
from dask.delayed import Delayed
from dask.optimization import cull

from unnaive.io.source import DataError, excerpt

SMALLER = "make partitions smaller (frame.repartition), or give workers more memory or fewer threads"
_MAX_DEPTH = 12  # nested arguments that are searched for the name of a file
_ENDINGS = (".parquet", ".parq", ".pq", ".csv", ".tsv", ".txt", ".dat", ".jsonl", ".ndjson", ".json", ".orc")


class Part:
    """Partition ``number``, made by the tasks in ``graph`` under ``key``, or by Dask if the graph is empty.

    A partition that depends on nothing else (a file, or rows in memory) is made inside the task that uses it and
    dropped when that ends: it is never kept in memory or sent.
    """

    # Not a dataclass: Dask would search it for collections.
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
        """Its number, and the file that it is read from, if that is known."""
        files = list(dict.fromkeys(_files_in(list(self._graph.values()), _MAX_DEPTH)))
        others = f" or one of {len(files) - 1} more" if len(files) > 1 else ""
        return f"Partition {self.number}" + (f" ({files[0]}{others})" if files else "")

    def error(self, problem: Any) -> DataError:
        """An error about this partition, in one sentence."""
        return DataError(f"{self.name}: {excerpt(str(problem))}")

    @contextmanager
    def errors_named(self) -> Iterator[None]:
        """Make errors name the partition."""
        try:
            yield
        except DataError:  # names it already
            raise
        except MemoryError as error:
            raise self.error(f"there is not enough memory for it; {SMALLER}.") from error
        except Exception as error:
            problem = error if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
            raise self.error(problem) from error

    def frame(self, content: Any) -> pd.DataFrame:
        """What is in the partition, which has to be a pandas DataFrame."""
        if not isinstance(content, pd.DataFrame):
            raise self.error(f"it holds a {type(content).__name__}, but every partition must be a pandas DataFrame.")
        return content

    def lacks(self, column: Any) -> DataError:
        """The error that a column is missing."""
        return self.error(f"it lacks the column {column!r}; add it, empty where values are missing.")

    def unreadable(self, error: Exception) -> DataError:
        """The error that it could not be read, in one sentence."""
        absent = re.search(r"'([^']*)'.*not in index|Index\(\['([^']*)'.*in the \[columns\]", str(error))
        if isinstance(error, KeyError) and absent:  # pandas' wording
            return self.lacks(absent.group(1) or absent.group(2))
        text = re.search(r"^- (.*)\n.*could not convert string to float: ('.*')", str(error), flags=re.MULTILINE)
        if text:  # Dask's wording for CSV files
            return self.error(
                f"column {text.group(1)!r} holds {text.group(2)}, but numbers where the files begin; name it as "
                "categorical, or make its type the same in all files."
            )
        return self.error(f"it cannot be read ({error}).")


def some_columns(frame: Any, names: Iterable[str]) -> Any:
    """Some columns of a frame, in its own order: in any other, Dask would read several files as one partition."""
    wanted = set(names)
    return frame[[name for name in frame.columns if name in wanted]]


def parts_of(collection: Any) -> list[tuple[Part, Delayed | None]]:
    """The partitions of a Dask DataFrame or bag in order, each with its Delayed if Dask has to make it."""
    best = collection.optimize() if hasattr(collection, "expr") else dask.optimize(collection)[0]
    graph = dict(best.__dask_graph__())
    keys = list(dask.core.flatten(best.__dask_keys__()))
    of_parts = [cull(graph, [key])[0] for key in keys]
    apart = sum(map(len, of_parts)) == len(graph) and not any(map(_is_elsewhere, graph.values()))
    if apart:
        return [(Part(number, own, key), None) for number, (own, key) in enumerate(zip(of_parts, keys))]
    return [(Part(number, {}, None), delayed) for number, delayed in enumerate(best.to_delayed())]


def _is_elsewhere(node: Any) -> bool:
    """Whether a node of a graph is a result that a cluster already holds."""
    return hasattr(getattr(node, "value", node), "add_done_callback")


def _files_in(item: Any, depth: int) -> Iterator[str]:
    """The file names in a task, searched up to a depth."""
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
