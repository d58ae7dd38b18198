"""Derive the records of docs again from the results of folds that are packed beside them, and print what differs.

UNNAIVE_DATA=FOLDER python -m tests.docs.derived_again [bat dtc honb icgnb leaderboard massbayes]

The records are those of `unnaive reproduce` and `unnaive leaderboard`. Times that are not of folds are measured again
(training a graph of icgnb, Figure 3 of massbayes), and so differ.
"""

import argparse
import json
import re
import shlex
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
LEADERBOARD = "leaderboard"


def archives():
    """The archives of results by name."""
    files = (*DOCS.glob("papers/*-folds.tar.xz"), DOCS / f"{LEADERBOARD}-folds.tar.xz")
    return {file.name.removesuffix("-folds.tar.xz"): file for file in files}


def command_of(name):
    """The command that a record says it was written by, without where it writes."""
    if name != LEADERBOARD:
        return json.loads((DOCS / "papers" / f"{name}.json").read_text(encoding="utf-8"))["command"]
    page = (DOCS / f"{LEADERBOARD}.md").read_text(encoding="utf-8")
    return re.search(r"^    (unnaive leaderboard .*) --write docs$", page, re.MULTILINE)[1]


def figures_of(name, docs):
    """All that a record says, by its place, but for date and machine."""
    if name == LEADERBOARD:
        lines = (docs / f"{LEADERBOARD}.md").read_text(encoding="utf-8").splitlines()
        return {f"line {place}": line for place, line in enumerate(lines, 1) if not line.startswith("here on ")}
    record = json.loads((docs / "papers" / f"{name}.json").read_text(encoding="utf-8"))
    return dict(_leaves({key: value for key, value in record.items() if key not in ("written", "machine")}, ""))


def _leaves(value, place):
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _leaves(inner, f"{place}/{key}")
    elif isinstance(value, str):
        yield from ((f"{place}, line {number}", line) for number, line in enumerate(value.splitlines(), 1))
    else:
        yield place, value


def derive(name, archive):
    """The figures of a record as they are, and as they come out again."""
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(archive) as packed:
            packed.extractall(folder, filter="data")
        words = [*shlex.split(command_of(name)), "--resume", "--results", f"{folder}/{name}.jsonl", "--write", folder]
        subprocess.run([sys.executable, "-m", *words], check=True, stdout=subprocess.DEVNULL)
        return figures_of(name, DOCS), figures_of(name, Path(folder))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="all by default")
    found = archives()
    for name in parser.parse_args().names or sorted(found):
        before, after = derive(name, found[name])
        different = [place for place in {**before, **after} if before.get(place) != after.get(place)]
        print(f"{name}: {len(before):,} lines, {len(different)} different")
        for place in different:
            print(f"  {place}\n    {before.get(place)}\n    {after.get(place)}")


if __name__ == "__main__":
    main()
