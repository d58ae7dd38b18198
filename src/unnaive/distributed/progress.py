"""Progress of a run on a cluster: workers report every finished partition, if someone listens."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Any
from uuid import uuid4

from unnaive.streaming.batches import Progress

# Each run has its own topic: others may be running on the same cluster.
_topic: ContextVar[str | None] = ContextVar("topic", default=None)


def topic_heard() -> str | None:
    """The topic to report progress to; None if no one listens."""
    return _topic.get()


def report(topic: str, task: str, number: int) -> None:
    """Report from a worker that a partition is done; does nothing without a cluster."""
    with suppress(ImportError, ValueError):
        from distributed import get_worker

        get_worker().log_event(topic, {"task": task, "partition": number})


@contextmanager
def listening(client: Any, n_partitions: int, progress: Progress) -> Iterator[None]:
    """Pass on what workers report; a partition that is done twice, because a worker was lost, counts once."""
    done: dict[str, set[int]] = defaultdict(set)

    def hear(event: tuple[Any, dict[str, Any]]) -> None:
        message = event[1]
        partitions = done[message["task"]]
        partitions.add(message["partition"])
        progress(message["task"], len(partitions), n_partitions)

    topic = f"unnaive-{uuid4().hex}"
    client.subscribe_topic(topic, hear)
    before = _topic.set(topic)
    try:
        yield
    finally:
        _topic.reset(before)
        client.unsubscribe_topic(topic)
