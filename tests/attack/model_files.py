"""Model files that were changed are refused in a sentence, or load as a model that answers with probabilities."""

from tests.attack.tally import tally
from tests.attack.violation import Violation
from tests.persist.mutants import NAMES, mutants, outcome, save_sound

MUTANTS = 50  # per attempt


def attempt(seed, folder):
    """One sound file, and what becomes of its mutants."""
    name = NAMES[seed % len(NAMES)]
    save_sound(name, folder / "m.unnaive")
    for description, content in mutants(folder / "m.unnaive", seed, MUTANTS):
        tally["changed files"] += 1
        found = outcome(content)
        if found not in ("refused", "sound"):
            yield Violation(f"{found} from a changed file", f"{name}: {description}")
