"""On a disk that is full, or read-only, a command names its file in a sentence, and leaves what was there and no more.

The disks are mounts in a namespace of their own: a small one in memory, and a folder bound read-only.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from unittest import SkipTest

import numpy as np
import pandas as pd

from tests.attack import command
from tests.attack.violation import Violation
from unnaive.evaluate.results_file import read_results
from unnaive.models import MODELS
from unnaive.persist import load, save

N_ROWS, N_MORE = 300, 1000
DISK, PAGE = 2**18, 2**12  # bytes
OLD = b"what was there before"
REPORT = b'<meta name="generator" content="unnaive">'
COMMANDS = {
    "fit": ("fit", "../more.csv", "-m", "nb", "-t", "play", "--bins", "exact", "-o", "m.unnaive"),
    "update": ("update", "m.unnaive", "../more.csv"),
    "predict": ("predict", "m.unnaive", "../more.csv", "-o", "out.csv"),
    "predict parquet": ("predict", "m.unnaive", "../more.csv", "-o", "out.parquet"),
    "compare": ("compare", "../more.csv", "-t", "play", "-m", "nb", "--cv", "2", "-j", "1", "--report", "report.html"),
}
OUTPUTS = {"fit": "m.unnaive", "update": "m.unnaive", "predict": "out.csv", "predict parquet": "out.parquet"}
MOUNTS = {
    "full": 'mount -t tmpfs -o "size=$SIZE,nr_inodes=$FILES" none disk && cp old/* disk',
    "read-only": "mount --bind old disk && mount -o remount,bind,ro disk",
}
THEN = 'cd disk && { "$@" 2>../told >/dev/null; echo $? >../code; cp -a . ../after; }'


def attempt(seed, folder):
    """One command on one disk."""
    if not may_mount():
        raise SkipTest("no namespaces for mounts here")
    rng = np.random.default_rng(seed)
    name = list(COMMANDS)[seed % len(COMMANDS)]
    kind = str(rng.choice(list(MOUNTS), p=[0.8, 0.2]))
    old = prepared(rng, seed, folder)
    n_files = str(len(old) + 1 + rng.choice([0, 1, 2, 1000]))  # with the folder itself
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "SIZE": str(DISK), "FILES": n_files}
    arguments = [sys.executable, "-m", "unnaive", *COMMANDS[name]]
    script = ["unshare", "-rm", "sh", "-c", f"{MOUNTS[kind]} && {THEN}", "sh", *arguments]
    subprocess.run(script, cwd=folder, env=environment, check=True)
    code, told = int((folder / "code").read_text()), (folder / "told").read_text(errors="replace")
    after = {path.name: path.read_bytes() for path in (folder / "after").iterdir()}
    sizes = {file: len(content) for file, content in old.items()}
    story = f"{' '.join(COMMANDS[name])} on a {kind} disk with {sizes}, room for {n_files} files"
    story += f"\nexit code {code}: {told[-500:]}"
    outputs = ("report.html", "report.jsonl") if name == "compare" else (OUTPUTS[name],)
    yield from (Violation(f"{name}: {what}", story) for what in wrong(code, told, old, after, outputs))
    for output in outputs:
        if after.get(output) != old.get(output) and not is_sound(folder / "after" / output):
            yield Violation(f"{name}: half of {output} is on the disk", story)


def prepared(rng, seed, folder):
    """Make the folders, the data, and the content of a disk with some room left; that content."""
    for made in ("old", "disk", "after"):
        (folder / made).mkdir()
    command.small_table(seed, N_MORE).to_csv(folder / "more.csv", index=False)
    rows = command.small_table(seed + 1, N_ROWS)
    model = MODELS["nb"].make(bins="exact").fit(rows[["word", "number"]], rows["play"].to_numpy(dtype=str))
    notes = {"name": "nb", "kinds": {"word": "text", "number": "number", "play": "text"}, "text": []}
    save(model, folder / "old" / "m.unnaive", target="play", notes=notes)
    for name, content in (("out.csv", OLD), ("out.parquet", OLD), ("report.html", REPORT)):
        (folder / "old" / name).write_bytes(content)
    used = sum(-(-path.stat().st_size // PAGE) for path in (folder / "old").iterdir())
    room = int(rng.choice([0, 1, 2, rng.integers(3, 12), rng.integers(12, 40)]))
    (folder / "old" / "filler").write_bytes(bytes(DISK - PAGE * (used + room)))
    return {path.name: path.read_bytes() for path in (folder / "old").iterdir()}


def wrong(code, told, old, after, outputs):
    """What is wrong with the end of a command, and with the files that it leaves."""
    if code != 0:
        if not command.is_refusal(code, told) or told.count("\n") != 1:
            yield "ended without a sentence"
        elif not any(output in told for output in outputs):
            yield "does not name the file"
        if after.get(outputs[0]) != old[outputs[0]]:
            yield "failed, and its output changed"
    elif after.get(outputs[0]) == old[outputs[0]]:
        yield "ended well without an output"
    if any(after.get(name) != content for name, content in old.items() if name not in outputs):
        yield "changed another file"
    if litter := after.keys() - old.keys() - set(outputs):
        yield f"left {len(litter)} files behind"


def is_sound(path):
    """Whether an output is complete; results may be some of all."""
    if path.suffix == ".unnaive":
        return load(path).model.class_count_.sum() in (N_MORE, N_ROWS + N_MORE)
    if path.suffix in (".csv", ".parquet"):
        return len(pd.read_csv(path) if path.suffix == ".csv" else pd.read_parquet(path)) == N_MORE
    if path.suffix == ".jsonl":
        return bool(read_results(path).models)
    return path.read_bytes().endswith(b"</html>\n")


@cache
def may_mount():
    """Whether this process may make a namespace and mount a disk of memory in it."""
    mount = ["unshare", "-rm", "mount", "-t", "tmpfs", "none", tempfile.gettempdir()]
    return shutil.which("unshare") is not None and subprocess.run(mount, capture_output=True).returncode == 0
