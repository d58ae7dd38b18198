"""Reduction of a Dask collection to one state: partitions are added to runs one by one, and runs merged pairwise."""

from __future__ import annotations

import os
import pickle
from collections.abc import Sequence
from typing import Any, Protocol
from uuid import uuid4

import dask
import numpy as np
from dask.delayed import Delayed
from distributed import KilledWorker

from unnaive.distributed.partitions import SMALLER, Part, parts_of
from unnaive.distributed.progress import report, topic_heard
from unnaive.io.source import DataError

_RUNS_PER_THREAD = 4  # so that idle threads find more to do, and a lost worker costs only part of its work
_MIN_RUNS = 8


class Held:
    """A state with its size, by which Dask decides what to move where."""

    def __init__(self, content: Any) -> None:
        self.content = content
        buffers: list[pickle.PickleBuffer] = []
        rest = pickle.dumps(content, protocol=5, buffer_callback=buffers.append)  # copies no array
        self.n_bytes = len(rest) + sum(buffer.raw().nbytes for buffer in buffers)

    def __sizeof__(self) -> int:
        return self.n_bytes


class Work(Protocol):
    """A reduction. States are never changed in place: a task may run twice."""

    def add(self, state: Any, content: Any, part: Part) -> Any:
        """The state with one more partition; the first state is None."""

    def merge(self, one: Any, other: Any) -> Any:
        """The state of both; ``other`` is that of later partitions."""


def folded(work: Work, parts: Sequence[tuple[Part, Delayed | None]], client: Any) -> Delayed:
    """The reduction of all partitions, as a task that is not computed yet.

    Neighboring partitions are added one by one to the state of their run, on the worker that has it. The states of
    neighboring runs are merged, so that only a few states per thread travel, and the order of partitions is kept.
    """
    # One plain graph: thousands of Delayed objects, each with its own graph, would take minutes to combine.
    name, run = f"unnaive-{type(work).__name__.lower()}", uuid4().hex
    shared = f"{name}-{run}"  # sent to each worker once
    graph: dict[Any, Any] = {shared: work}
    topic = topic_heard()
    n_runs = len(parts) if any(waits is not None for _, waits in parts) else min(len(parts), _n_runs(client))
    states = []
    for places in np.array_split(np.arange(len(parts)), n_runs):
        state: str | None = None
        for place in places.tolist():
            part, waits = parts[place]
            if waits is not None:
                graph.update(waits.__dask_graph__())
            key = f"{name}-add-{run}-{place}"
            graph[key] = (_added, shared, state, part, None if waits is None else waits.key, topic)
            state = key
        states.append(state)
    while len(states) > 1:
        pairs = [states[place : place + 2] for place in range(0, len(states), 2)]
        for place, pair in enumerate(pairs):
            if len(pair) == 2:
                key = f"{name}-merge-{run}-{len(states)}-{place}"
                graph[key] = (_merged, shared, *pair)
                pairs[place] = [key]
        states = [state for (state,) in pairs]
    return Delayed(states[0], graph)


def computed(client: Any, *tasks: Delayed) -> tuple[Any, ...]:
    """The results of tasks, computed by a client, or else wherever Dask computes by default."""
    try:
        results = dask.compute(*tasks, scheduler=client)
    except KilledWorker as error:
        raise _killed(error) from error
    return tuple(result.content if isinstance(result, Held) else result for result in results)


def _killed(error: KilledWorker) -> DataError:
    """The error that workers died over a task, which names its partition."""
    _, adds, place = str(error.task).rpartition("-add-")
    what = f"Partition {place.rpartition('-')[2]}" if adds else "Merging or growing"
    return DataError(
        f"{what}: {error.allowed_failures + 1} workers died over it, one after the other, most likely for lack of "
        f"memory; {SMALLER}. The last one was {error.last_worker.address}: its log may say more."
    )


def reduced(work: Work, collection: Any, client: Any) -> Any:
    """The final state of all partitions of a collection."""
    (state,) = computed(client, folded(work, parts_of(collection), client))
    if state is None:
        raise DataError("There are no rows to learn from: all partitions are empty.")
    return state


def n_threads(client: Any) -> int:
    """The number of tasks that run at the same time."""
    if client is None:
        try:
            from distributed import default_client

            client = default_client()
        except (ImportError, ValueError):
            return os.cpu_count() or 1
    return sum(client.nthreads().values())


def _n_runs(client: Any) -> int:
    return max(_MIN_RUNS, _RUNS_PER_THREAD * n_threads(client))


def _added(work: Work, state: Held | None, part: Part, waited_for: Any, topic: str | None) -> Held:
    content = waited_for
    if part.is_made_here:
        try:
            content = part.made()
        except Exception as error:
            raise part.unreadable(error) from error
    with part.errors_named():
        added = Held(work.add(None if state is None else state.content, content, part))
    if topic is not None:
        report(topic, type(work).__name__.lower(), part.number)
    return added


def _merged(work: Work, one: Held, other: Held) -> Held:
    if one.content is None or other.content is None:
        return other if one.content is None else one
    return Held(work.merge(one.content, other.content))
