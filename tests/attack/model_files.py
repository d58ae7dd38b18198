"""Model files that were changed are refused in a sentence, or load as a model that does no harm."""

import unittest
from importlib import import_module

from tests.attack.sequences import KEEPING_ROWS, labelled, made, rows_of
from tests.attack.violation import Violation
from unnaive.persist import save

MUTANTS = 50  # per attempt


def attempt(seed, folder):
    """One sound file, and what becomes of its mutants."""
    try:
        files = import_module("tests.persist.mutants")
    except ModuleNotFoundError:
        raise unittest.SkipTest("skipped, as there is no tests/persist/mutants.py") from None
    name = KEEPING_ROWS[seed % len(KEEPING_ROWS)]
    save(made(name).fit(*labelled(rows_of(seed, 40), False)), folder / "m.unnaive")
    for place, content in enumerate(files.mutants(folder / "m.unnaive", seed, MUTANTS)):
        try:
            files.outcome(content)
        except Exception as error:
            yield Violation(f"{type(error).__name__} from a changed file", f"{name}, mutant {place}: {error!r}")
