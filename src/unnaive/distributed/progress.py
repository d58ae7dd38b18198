"""How far a run on a cluster is: workers tell of every partition that is done, if somebody listens."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Any
from uuid import uuid4

from unnaive.streaming import Progress

# Each run has a topic of its own: others may be under way on the same cluster.
_topic: ContextVar[str | None] = ContextVar("topic", default=None)


def topic_heard() -> str | None:
    """Where to tell of progress; None if nobody listens."""
    return _topic.get()


def tell(topic: str, task: str, number: int) -> None:
    """Say on a worker that a partition is done; nothing where there is no cluster."""
    with suppress(ImportError, ValueError):
        from distributed import get_worker

        get_worker().log_event(topic, {"task": task, "partition": number})


@contextmanager
def listening(client: Any, n_partitions: int, progress: Progress) -> Iterator[None]:
    """Pass on what workers tell. A partition that is done twice, because a worker was lost, counts once."""
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
