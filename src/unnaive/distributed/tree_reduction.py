"""Folding the partitions of a Dask collection into one state: runs of them one by one, then the runs pairwise."""

from __future__ import annotations

import os
import pickle
from collections.abc import Sequence
from typing import Any, Protocol
from uuid import uuid4

import dask
import numpy as np
from dask.delayed import Delayed

from unnaive.distributed.partitions import Part
from unnaive.distributed.progress import tell, topic_heard

_RUNS_A_THREAD = 4  # so that threads that are done early find more to do, and a lost worker costs a part of its work
_FEWEST_RUNS = 8


class Held:
    """A state on its way: Dask is told how large it is, by which it decides what to move, and where to."""

    def __init__(self, content: Any) -> None:
        self.content = content
        buffers: list[pickle.PickleBuffer] = []
        rest = pickle.dumps(content, protocol=5, buffer_callback=buffers.append)  # which copies no array
        self.n_bytes = len(rest) + sum(buffer.raw().nbytes for buffer in buffers)

    def __sizeof__(self) -> int:
        return self.n_bytes


class Work(Protocol):
    """What is done with partitions. States are never changed: a task may have to be done twice."""

    def add(self, state: Any, content: Any, part: Part) -> Any:
        """The state with one more partition; the first state is None."""

    def merge(self, one: Any, other: Any) -> Any:
        """The state of both; the other is that of later partitions."""


def folded(work: Work, parts: Sequence[tuple[Part, Delayed | None]], client: Any) -> Delayed:
    """What becomes of all partitions, as a task that is not computed yet.

    Partitions next to each other are added one by one to the state of their run, where that is. The states of runs
    are merged with those of their neighbours, so that as many states travel as there are runs, a few for each thread
    of the cluster and no more for more partitions, and so that the order of the partitions is kept.

    Parameters
    ----------
    work : Work
    parts : sequence of (Part, Delayed or None)
        What :func:`parts_of` gives.
    client : distributed.Client or None

    Returns
    -------
    Delayed of Held

    Examples
    --------
    >>> import dask.bag
    >>> from unnaive.distributed.tree_reduction import folded
    >>> from unnaive.distributed.partitions import parts_of
    >>> class Sum:
    ...     def add(self, state, content, part):
    ...         return (state or 0) + sum(content)
    ...     def merge(self, one, other):
    ...         return one + other
    >>> numbers = dask.bag.from_sequence(range(100), npartitions=9)
    >>> folded(Sum(), parts_of(numbers), None).compute(scheduler="synchronous").content
    4950
    """
    # One plain graph: thousands of Delayed objects, each with a graph of its own, would take minutes to put together.
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
    """What becomes of tasks: by a client, or else wherever Dask computes by default."""
    results = dask.compute(*tasks, scheduler=client)
    return tuple(result.content if isinstance(result, Held) else result for result in results)


def n_threads(client: Any) -> int:
    """How many tasks run at the same time."""
    if client is None:
        try:
            from distributed import default_client

            client = default_client()
        except (ImportError, ValueError):
            return os.cpu_count() or 1
    return sum(client.nthreads().values())


def _n_runs(client: Any) -> int:
    return max(_FEWEST_RUNS, _RUNS_A_THREAD * n_threads(client))


def _added(work: Work, state: Held | None, part: Part, waited_for: Any, topic: str | None) -> Held:
    content = waited_for
    if part.is_made_here:
        try:
            content = part.made()
        except Exception as error:
            raise part.unreadable(error) from error
    added = Held(work.add(None if state is None else state.content, content, part))
    if topic is not None:
        tell(topic, type(work).__name__.lower(), part.number)
    return added


def _merged(work: Work, one: Held, other: Held) -> Held:
    if one.content is None or other.content is None:
        return other if one.content is None else one
    return Held(work.merge(one.content, other.content))
