"""Tables, and model files of them."""

import numpy as np
import pandas as pd

from unnaive.models import MODELS
from unnaive.persist import save

TOKEN = "a-token-of-the-tests-0123456789"
TARGET = "play"


def rows(seed, n_rows):
    """A mixed table with labels and some gaps."""
    rng = np.random.default_rng(seed)
    number = rng.normal(size=n_rows).round(2)
    frame = pd.DataFrame({"word": rng.choice(list("abcd"), n_rows), "number": number})
    frame[TARGET] = np.where(number + (frame["word"] == "a") > rng.normal(size=n_rows), "yes", "no")
    frame.loc[rng.random(n_rows) < 0.1, "number"] = np.nan
    return frame


def objects(frame):
    """Rows as JSON has them."""
    return frame.astype(object).where(frame.notna(), None).to_dict("records")


def fit(frame, name="nb", **parameters):
    """A model of a table."""
    exact = {} if name == "pooled" else {"bins": "exact"}
    model = MODELS[name].make(**{**exact, **parameters})
    return model.fit(frame[["word", "number"]], frame[TARGET].to_numpy(dtype=str))


def write_model(path, frame, name="nb", **parameters):
    """A model file as the command writes it."""
    notes = {"name": name, "kinds": {"word": "text", "number": "number", TARGET: "text"}, "text": [], "reading": {}}
    save(fit(frame, name, **parameters), path, target=TARGET, notes=notes)
    return path
