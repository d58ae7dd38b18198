"""One process of the harness: attempts of one part, seed after seed, written to a journal as they happen.

python -m tests.attack.child MODULE SEED SECONDS JOURNAL
"""

import faulthandler
import itertools
import json
import sys
import tempfile
import time
import traceback
from importlib import import_module
from pathlib import Path
from unittest import SkipTest

from tests.attack.tally import tally
from tests.attack.violation import Violation

LONGEST = 180  # seconds: an attempt that takes longer hangs


def attempts(module, seed, seconds, journal):
    """Make attempts until the time is over, at least one; each has a seed and an empty folder."""
    ends = time.monotonic() + seconds
    part = import_module(module)
    for of_attempt in itertools.count(seed):
        journal("tried", of_attempt)
        faulthandler.dump_traceback_later(LONGEST, exit=True)
        with tempfile.TemporaryDirectory(prefix="attack-") as folder:
            try:
                for violation in part.attempt(of_attempt, Path(folder)):
                    journal("violation", of_attempt, *violation)
            except SkipTest as why:
                journal("skipped", str(why))
                break
            except Exception as error:
                last = traceback.format_exc(limit=-6)
                journal("violation", of_attempt, *Violation(f"the attempt itself raised {type(error).__name__}", last))
        faulthandler.cancel_dump_traceback_later()
        journal("tally", dict(tally))
        tally.clear()
        if time.monotonic() > ends:
            break
    journal("done")


if __name__ == "__main__":
    with open(sys.argv[4], "w", encoding="utf-8") as file:
        attempts(
            sys.argv[1],
            int(sys.argv[2]),
            float(sys.argv[3]),
            lambda *line: print(json.dumps(line), file=file, flush=True),
        )
