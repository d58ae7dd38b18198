"""Files that the commands read and write."""

from contextlib import suppress

import pandas as pd


def frame_of(path):
    """A file as Python reads its numbers: releases of pandas differ in the last digit."""
    frame = pd.read_csv(path, keep_default_na=False, na_values=[""], dtype=object)
    for name in frame:
        with suppress(ValueError):
            frame[name] = [float(value) for value in frame[name]]
    return frame
