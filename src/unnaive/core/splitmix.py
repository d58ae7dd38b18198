"""splitmix64: hashes and random numbers that are the same on every machine (Steele, Lea & Flood 2014)."""

from __future__ import annotations

import numpy as np

from unnaive.core.compiled import njit

STEP = np.uint64(0x9E3779B97F4A7C15)


@njit(cache=True, nogil=True)
def mixed(x):
    """A hash of 64 bits."""
    x = x + STEP
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@njit(cache=True, nogil=True)
def uniform(state):
    """The next random number in [0, 1); ``state`` is an array of one integer."""
    x = mixed(state[0])
    state[0] += STEP
    return np.float64(x >> np.uint64(11)) * (1.0 / 9007199254740992.0)
