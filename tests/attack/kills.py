"""A command that is killed at any moment leaves its output as it was or as it should be, and the next one works."""

import time

import numpy as np
import pandas as pd

from tests.attack import command
from tests.attack.violation import Violation
from unnaive.models import MODELS
from unnaive.persist import content_hash, load, save

N_ROWS, N_MORE = 4000, 1000
COMMANDS = {
    "fit": ("fit", "more.csv", "-m", "nb", "-t", "play", "--bins", "exact", "-o", "m.unnaive"),
    "update": ("update", "m.unnaive", "more.csv"),
    "forget": ("forget", "m.unnaive", "more.csv"),
    "predict": ("predict", "m.unnaive", "more.csv", "-o", "out.csv"),
    "predict parquet": ("predict", "m.unnaive", "more.csv", "-o", "out.parquet"),
}
_seconds = {}  # that a command takes when it is left alone


def attempt(seed, folder):
    """One command, killed at one moment, and run again."""
    rng = np.random.default_rng(seed)
    name = list(COMMANDS)[seed % len(COMMANDS)]
    arguments = COMMANDS[name]
    output = folder / arguments[-1] if name.startswith(("fit", "predict")) else folder / "m.unnaive"
    command.small_table(seed, N_MORE).to_csv(folder / "more.csv", index=False)
    whole = pd.concat([command.small_table(seed, N_MORE), command.small_table(seed + 1, N_ROWS)])
    begin = MODELS["nb"].make(bins="exact").fit(whole[["word", "number"]], whole["play"].to_numpy(dtype=str))
    notes = {"name": "nb", "kinds": {"word": "text", "number": "number", "play": "text"}, "text": []}
    save(begin, folder / "m.unnaive", target="play", notes=notes)
    if name.startswith("predict"):
        output.write_bytes(b"what was there before")
    old = content(output)
    if name not in _seconds:
        began = time.monotonic()
        command.run(*arguments, folder=folder)
        _seconds[name] = time.monotonic() - began
        save(begin, folder / "m.unnaive", target="play", notes=notes)
        if name.startswith("predict"):
            output.write_bytes(b"what was there before")
    moment = kill(rng, arguments, folder, _seconds[name])
    seen = content(output)
    left = sorted(path.name for path in folder.iterdir())
    words = f"{' '.join(arguments)}, killed {moment}; the folder then has {left}"
    code, told = command.run(*arguments, folder=folder)
    if seen == old:
        if code != 0:
            yield Violation(f"{name} fails after one that was killed", f"{words}\n{told}")
        return
    # The first one was complete: what it wrote is what another one would write, from the same start.
    if name in ("update", "forget"):
        n_rows = {"update": N_ROWS + 2 * N_MORE, "forget": N_ROWS}[name]
        complete = seen[1] == n_rows
    else:
        complete = code == 0 and content(output) == seen
    if not complete:
        yield Violation(
            f"{name} that was killed leaves an output that is neither old nor new", f"{words}\n{seen}\n{told}"
        )


def kill(rng, arguments, folder, seconds):
    """Kill a command at a random moment of all, or after it has begun to write; the moment, in words."""
    running = command.Command(*arguments, folder=folder)
    if rng.random() < 0.3:
        moment = rng.uniform(0, 1.1 * seconds)
        time.sleep(moment)
        words = f"after {moment:.3f} of {seconds:.3f} s"
    else:
        before = set(folder.iterdir())
        while set(folder.iterdir()) == before and running.process.is_alive():
            time.sleep(0.0005)
        moment = rng.choice([0.0, 0.0002, 0.001, 0.005, 0.02, 0.05])
        time.sleep(moment)
        words = f"{moment:.4f} s after a new file appeared"
    running.end(0)
    return words


def content(path):
    """What an output says: hash and rows of a model, or the bytes of predictions."""
    if path.suffix != ".unnaive":
        return path.read_bytes()
    try:
        model = load(path).model
    except ValueError as error:
        return str(error), -1.0
    return content_hash(model), float(model.class_count_.sum())
