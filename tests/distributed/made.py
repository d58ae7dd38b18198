"""Partitions that are made on workers, from their numbers; light to import, as every new worker does so."""

import os
import time

import numpy as np
import pandas as pd

N_ROWS = 20  # of a partition


def made(n_parts):
    """Text, declared categories and numbers with holes, and labels that depend on them."""
    rng = np.random.default_rng(0)
    size = N_ROWS * n_parts
    label = rng.integers(3, size=size)
    colour = np.array(["amber", "blue", "coral", "drab"])[(label + rng.integers(2, size=size)) % 4].astype(object)
    colour[rng.random(size) < 0.1] = None
    width = rng.normal(label, 1.0)
    width[rng.random(size) < 0.1] = np.nan
    return pd.DataFrame(
        {
            "colour": colour,
            "shape": pd.Categorical.from_codes((label + rng.integers(2, size=size)) % 3, ["round", "long", "flat"]),
            "width": width,
            "weight": rng.integers(30, size=size) + 10 * label,
            "label": np.array(["no", "perhaps", "yes"])[label],
        }
    )


def part(number, n_parts, folder=None):
    """Partition ``number``; with a folder it leaves a trace there that it was made, and takes its time."""
    if folder is not None:
        (folder / f"{number}-{os.getpid()}-{time.monotonic_ns()}").touch()
        time.sleep(0.05)
    return made(n_parts).iloc[N_ROWS * number : N_ROWS * (number + 1)]
