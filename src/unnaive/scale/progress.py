"""How far a run on a cluster is: workers tell of every partition that is done."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from unnaive.workbench import Progress

_TOPIC = "unnaive-progress"


def tell(task: str, number: int) -> None:
    """Say on a worker that a partition is done; nothing where there is no cluster."""
    with suppress(ImportError, ValueError):
        from distributed import get_worker

        get_worker().log_event(_TOPIC, {"task": task, "partition": number})


@contextmanager
def listening(client: Any, n_partitions: int, progress: Progress) -> Iterator[None]:
    """Pass on what workers tell. A partition that is done twice, because a worker was lost, counts once."""
    done: dict[str, set[int]] = defaultdict(set)

    def hear(event: tuple[Any, dict[str, Any]]) -> None:
        message = event[1]
        partitions = done[message["task"]]
        partitions.add(message["partition"])
        progress(message["task"], len(partitions), n_partitions)

    client.subscribe_topic(_TOPIC, hear)
    try:
        yield
    finally:
        client.unsubscribe_topic(_TOPIC)
