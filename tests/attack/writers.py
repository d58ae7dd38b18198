"""Several commands that change the same model at once: it ends as if they had run one after the other."""

import numpy as np
import pandas as pd

from tests.attack import command
from tests.attack.violation import Violation
from unnaive.models import MODELS
from unnaive.persist import content_hash, load, save

WRITERS = 4


def attempt(seed, folder):
    """Some updates, and some forgets of rows that were there, all at once."""
    rng = np.random.default_rng(seed)
    parts = [command.small_table(10 * seed + k, 100) for k in range(WRITERS + 1)]
    kinds = ["update", *rng.choice(["update", "forget"], WRITERS - 1).tolist()]
    held = pd.concat([parts[-1], *(part for part, kind in zip(parts, kinds) if kind == "forget")])
    save(fitted(held), folder / "m.unnaive", target="play", notes={"name": "nb", "kinds": {}, "text": []})
    for place, part in enumerate(parts[:-1]):
        part.to_csv(folder / f"{place}.csv", index=False)
    running = [command.Command(kind, "m.unnaive", f"{place}.csv", folder=folder) for place, kind in enumerate(kinds)]
    expected, done = [parts[-1]], []
    for part, kind, one in zip(parts, kinds, running):
        code, told = one.end()
        done.append(f"{kind}: exit code {code} {told.strip()}")
        if code != 0 and not command.is_refusal(code, told):
            yield Violation(f"{kind} beside others ended with {code}", told)
        if (code == 0) == (kind == "update"):
            expected.append(part)
    model = load(folder / "m.unnaive").model
    rows = pd.concat(expected)
    if content_hash(model) != content_hash(fitted(rows)):
        held = f"the model holds {model.class_count_.sum():g} rows instead of {len(rows)}"
        yield Violation("changes were lost", "\n".join([held, *done]))


def fitted(rows):
    """The model of a fit."""
    return MODELS["nb"].make(bins="exact").fit(rows[["word", "number"]], rows["play"].to_numpy(dtype=str))
