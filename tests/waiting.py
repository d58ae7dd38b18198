"""Wait for what another thread or process does before long."""

import time


def becomes(condition, seconds=30.0):
    """Whether something is so before long."""
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.05)
    return condition()
