"""How many calls, interrupts and changed files the attempts of a process consist of."""

from collections import Counter

tally: Counter[str] = Counter()
