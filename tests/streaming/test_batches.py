"""A table that is held and one that is read in batches are the same rows."""

import numpy as np
import pandas as pd
import pytest

from unnaive.persist import content_hash
from unnaive.streaming import batches, fitting


@pytest.mark.parametrize("path", ["t.csv", "t.parquet", "t.feather"])
@pytest.mark.parametrize("with_truths", [False, True])
def test_a_file_that_is_held_gives_the_model_of_one_read_in_batches(path, with_truths, folder, monkeypatch):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "text": np.array(["red", "blue", None], dtype=object)[rng.integers(3, size=60)],
            "size": np.where(rng.random(60) < 0.2, np.nan, rng.normal(size=60)),
            "day": pd.Timestamp("2020-02-27") + pd.to_timedelta(rng.integers(9, size=60), unit="D"),
            "n": rng.integers(5, size=60),
            "some": pd.array([3, None] * 30, dtype="Int64"),
            "label": np.array(["yes", "no", "perhaps", None], dtype=object)[rng.integers(4, size=60)],
        }
    )
    if with_truths:
        frame.insert(0, "truth", rng.random(60) < 0.5)
    suffix = path.split(".")[1]
    frame.to_csv(path, index=False) if suffix == "csv" else getattr(frame, f"to_{suffix}")(path)
    held = fitting.fit_file("aode", path)
    monkeypatch.setattr(fitting, "_MAX_HELD", 0)
    for module in (fitting, batches):
        monkeypatch.setattr(module, "ROWS", 7)
    read = fitting.fit_file("aode", path)
    assert content_hash(held.model) == content_hash(read.model)
    assert (held.kinds, held.n_rows, held.n_unlabelled) == (read.kinds, read.n_rows, read.n_unlabelled)
    assert 0 < held.n_unlabelled < 60
