"""The command in processes of their own, which start with everything imported, and files for it."""

import multiprocessing
import os
import resource
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

SENTENCE = "unnaive: "
_server = multiprocessing.get_context("forkserver")
_server.set_forkserver_preload(
    [
        *("tests.attack.command", "unnaive.cli.main", "unnaive.evaluate.compare", "skops.io", "unnaive.show.report"),
        *("unnaive.baselines.peers", "unnaive.streaming.fitting", "unnaive.streaming.predicting"),
        *("unnaive.streaming.changing", "unnaive.streaming.explaining"),
    ]
)


class Command:
    """``unnaive`` with some arguments in a folder, running; ``max_bytes`` is the most memory that it may have."""

    def __init__(self, *arguments, folder, max_bytes=None):
        handle, path = tempfile.mkstemp(suffix=".stderr")
        os.close(handle)
        self.told = Path(path)
        self.process = _server.Process(target=_work, args=(list(map(str, arguments)), folder, path, max_bytes))
        self.process.start()

    def end(self, seconds=None):
        """Wait, and kill it after some seconds: exit code (negative: a signal), and what it printed to stderr."""
        self.process.join(seconds)
        self.process.kill()
        self.process.join()
        told = self.told.read_text(errors="replace")
        self.told.unlink()
        return self.process.exitcode, told


def _work(arguments, folder, told, max_bytes):
    from unnaive.cli.main import main

    os.chdir(folder)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.dup2(os.open(told, os.O_WRONLY), 2)
    sys.argv = ["unnaive", *arguments]
    if max_bytes is not None:
        resource.setrlimit(resource.RLIMIT_AS, (max_bytes, max_bytes))
    main()


def run(*arguments, **options):
    """Run ``unnaive`` to its end: exit code, and what it printed to stderr."""
    return Command(*arguments, **options).end()


def is_refusal(code, told):
    """Whether a command ended with one sentence, and not one about an error that nobody expected."""
    first = told.removeprefix(SENTENCE).split(":")[0]
    unexpected = first.endswith(("Error", "Warning", "Exception"))
    return code == 2 and told.startswith(SENTENCE) and "Traceback" not in told and not unexpected


def small_table(seed, n_rows):
    """A table of text and numbers, with labels of two classes, to write to files."""
    rng = np.random.default_rng(seed)
    label = np.where(np.arange(n_rows) % 2 == 0, "no", "yes")
    return pd.DataFrame(
        {
            "word": rng.choice(["u", "v", "w"], n_rows),
            "number": (rng.normal(size=n_rows) + (label == "yes")).round(3),
            "play": label,
        }
    )
