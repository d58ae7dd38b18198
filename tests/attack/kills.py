"""A command that is killed at any moment leaves its output as it was or as it should be, and the next one works."""

import tempfile
import time
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from tests.attack import command
from tests.attack.violation import Violation
from unnaive.evaluate.results_file import read_results
from unnaive.models import MODELS
from unnaive.persist import content_hash, load, save

N_ROWS, N_MORE = 4000, 1000
N_COMPARED = 60
COMMANDS = {
    "fit": ("fit", "more.csv", "-m", "nb", "-t", "play", "--bins", "exact", "-o", "m.unnaive"),
    "update": ("update", "m.unnaive", "more.csv"),
    "forget": ("forget", "m.unnaive", "more.csv"),
    "predict": ("predict", "m.unnaive", "more.csv", "--force", "-o", "out.csv"),
    "predict parquet": ("predict", "m.unnaive", "more.csv", "--force", "-o", "out.parquet"),
}
COMPARE = ("compare", "more.csv", "-t", "play", "--cv", "2", "-j", "1", "--report", "report.html", "-m")
END = b"</html>\n"  # of a report
_seconds = {}  # that a command takes when it is left alone


def attempt(seed, folder):
    """One command, killed at one moment, and run again."""
    rng = np.random.default_rng(seed)
    which = seed % (len(COMMANDS) + 1)
    yield from compare_killed(rng, folder) if which == len(COMMANDS) else killed(rng, seed, folder, which)


def killed(rng, seed, folder, which):
    """A command with one output."""
    name, arguments = list(COMMANDS.items())[which]
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


def compare_killed(rng, folder):
    """A comparison, which has a report and a journal, from nothing or in addition to one that is complete."""
    seconds, expected = undisturbed()
    compared().to_csv(folder / "more.csv", index=False)
    more = rng.random() < 0.5
    if more:
        command.run(*COMPARE, "nb", folder=folder)
    report = folder / "report.html"
    old = report.read_bytes() if more else None
    moment = kill(rng, [*COMPARE, "nb,aode", *["--resume"] * more], folder, seconds)
    words = f"{' '.join(COMPARE)} nb,aode{' --resume' * more}, killed {moment}"
    seen = report.read_bytes() if report.exists() else None
    if seen != old and not (seen and seen.endswith(END)):
        yield Violation("compare that was killed leaves half a report", words)
    code, told = command.run(*COMPARE, "nb,aode", "--resume", folder=folder)
    left = sorted(path.name for path in folder.iterdir())
    if code != 0:
        yield Violation("compare fails after one that was killed", f"{words}\n{told}")
    elif scores(folder) != expected or not report.read_bytes().endswith(END):
        yield Violation("compare that was killed and resumed has other results", f"{words}\n{expected}")
    elif left != ["more.csv", "report.html", "report.jsonl"]:
        yield Violation("compare does not remove what one that was killed left", f"{words}\n{left}")


def compared():
    """The table of comparisons, small and always the same."""
    return command.small_table(0, N_COMPARED)


@cache
def undisturbed():
    """How long a comparison takes that is left alone, and its scores."""
    with tempfile.TemporaryDirectory(prefix="attack-") as folder:
        compared().to_csv(Path(folder, "more.csv"), index=False)
        began = time.monotonic()
        command.run(*COMPARE, "nb,aode", folder=folder)
        return time.monotonic() - began, scores(Path(folder))


def scores(folder):
    """The scores in the journal of a comparison, by fold."""
    return {result.key: (result.error, result.scores) for result in read_results(folder / "report.jsonl").results}


def kill(rng, arguments, folder, seconds):
    """Kill a command at a random moment of all, or after it has begun to write; the moment, in words."""
    running = command.Command(*arguments, folder=folder)
    if rng.random() < 0.3:
        moment = rng.uniform(0, 1.1 * seconds)
        time.sleep(moment)
        words = f"after {moment:.3f} of {seconds:.3f} s"
    else:
        n_changes, before = rng.integers(1, 6), set(folder.iterdir())
        for _ in range(n_changes):
            while (now := set(folder.iterdir())) == before and running.process.is_alive():
                time.sleep(0.0005)
            before = now
        moment = rng.choice([0.0, 0.0002, 0.001, 0.005, 0.02, 0.05])
        time.sleep(moment)
        words = f"{moment:.4f} s after files came or went {n_changes} times"
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
