"""Try to break what the library promises, for as long as one likes.

    python -m tests.attack --minutes 60 [--seed N] [--only NAME ...]

A part makes attempts with the seeds N, N + 1, ...; it takes its share of the time, and makes one attempt at least, so
`--minutes 0` with the seed of a violation repeats it. The exit status is 1 if there was any violation.
"""

import argparse
import random
import sys

from tests.attack.run import PARTS, report, run_all

if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.attack", description=__doc__.split("\n")[0])
    parser.add_argument("--minutes", type=float, required=True, help="how long in all")
    parser.add_argument("--seed", type=int, help="of the first attempt; default: a random one")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, metavar="NAME", help=", ".join(PARTS))
    options = parser.parse_args()
    first = random.randrange(10**6) if options.seed is None else options.seed
    print(f"seed {first}", flush=True)
    results = run_all(options.only, first, options.minutes)
    print(f"\n{report(results)}")
    sys.exit(any(found.violations for found in results))
