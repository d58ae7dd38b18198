"""Draw figures of README and docs at random, each with its sentence and its sources, to be derived again by hand.

python -m tests.docs.drawn_figures --seed 1
"""

import argparse
import random
import re
from pathlib import Path

from tests.docs.test_figures import FIGURE, RULES, SOURCE, prose
from tests.docs.test_pages import PAGES

ROOT = Path(__file__).parents[2]


def all_figures():
    """Every figure of every page: page, section, line and number, tables included."""
    for page in sorted(PAGES.keys() - RULES):
        for section in re.split(r"^(?=##+ )", PAGES[page], flags=re.MULTILINE):
            for line in prose(section).splitlines():
                for number in FIGURE.findall(line):
                    yield page, section, line.strip(), number


def sources(section):
    """The commands and pages that a section names."""
    return sorted({match.strip("`]( \n") for match in SOURCE.findall(section)})


def records_with(number):
    """The records that hold a number as it is written."""
    files = [*ROOT.glob("docs/papers/*.json"), *ROOT.glob("benchmarks/results/*.json")]
    files += [ROOT / "docs" / page for page in ("leaderboard.md", "ablation.md")]
    pattern = re.compile(rf"(?<![\d.]){re.escape(number)}(?![\d])")
    return [file.name for file in files if pattern.search(file.read_text(encoding="utf-8"))]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=None, help="of the draw; a random one by default")
    parser.add_argument("--count", type=int, default=40)
    given = parser.parse_args()
    seed = random.randrange(10**6) if given.seed is None else given.seed
    figures = list(all_figures())
    print(f"seed {seed}: {given.count} of {len(figures):,} figures")
    for place, (page, section, line, number) in enumerate(random.Random(seed).sample(figures, given.count), start=1):
        print(f"\n{place}. {number}  {page}, {section.splitlines()[0]}\n   {line[:200]}")
        print(f"   sources: {', '.join(sources(section)) or 'of the page'}; records: {', '.join(records_with(number))}")


if __name__ == "__main__":
    main()
