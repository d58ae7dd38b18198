"""Limits on what a line of a text file may hold: a small packed file can otherwise unpack to more than the memory."""

from __future__ import annotations

import os
from dataclasses import dataclass, fields

VARIABLE = "UNNAIVE_LIMITS"  # environment variable, such as line_bytes=200000000,columns=2000000

_EXCEEDED = {
    "line_bytes": "this line has more than {:,} bytes",
    "field_bytes": "a field of this line has more than {:,} bytes",
    "columns": "there are more than {:,} columns",
    "values": "this line declares more than {:,} values",
}

_MAX_CELLS, _MAX_EMPTY = 10**8, 100  # a larger table must have a value in at least one of 100 cells


@dataclass(frozen=True)
class Limits:
    """Bytes of a line (in CSV and TSV files: a row) and of a field in it, numbers of columns and of declared values."""

    line_bytes: int = 2**26
    field_bytes: int = 2**24
    columns: int = 2**20
    values: int = 2**20

    @classmethod
    def of_environment(cls) -> Limits:
        """The limits that the environment variable UNNAIVE_LIMITS names, and the default ones."""
        chosen: dict[str, int] = {}
        known = [field.name for field in fields(cls)]
        for setting in filter(None, os.environ.get(VARIABLE, "").replace(" ", "").split(",")):
            name, _, number = setting.partition("=")
            if name not in known or not number.isdecimal() or int(number) == 0:
                raise ValueError(
                    f"The environment variable {VARIABLE} holds {setting!r}, but it names limits and their numbers, "
                    f"as in {known[0]}=200000000; the limits are {', '.join(known)}."
                )
            chosen[name] = int(number)
        return cls(**chosen)

    def exceeded(self, name: str) -> str:
        """What to say of a line that exceeds one of the limits."""
        problem = _EXCEEDED[name].format(getattr(self, name))
        return f"{problem}; correct it, or raise the limit with the environment variable {VARIABLE}={name}=N"


DEFAULT_LIMITS = Limits()


def takes_more(text: str, n_bytes: int) -> bool:
    """Whether a text has more bytes than some in UTF-8."""
    return len(text) > n_bytes or (4 * len(text) > n_bytes and len(text.encode()) > n_bytes)


def is_mostly_empty(n_cells: int, n_values: int) -> bool:
    """Whether a table is large and nearly all its cells are empty, as only sparse rows and absent keys make them."""
    return n_cells > _MAX_CELLS and n_cells > _MAX_EMPTY * n_values
