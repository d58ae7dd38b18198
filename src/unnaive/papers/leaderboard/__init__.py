"""The leaderboard: every model of tables on every table there is, and which models to use for which data."""

from unnaive.papers.leaderboard.board import RULE, Leaderboard, contenders, run
from unnaive.papers.leaderboard.page import check, document, write
from unnaive.papers.leaderboard.tables import Tables, cut, find_tables, kind_of, same_table

__all__ = [
    "RULE",
    "Leaderboard",
    "Tables",
    "check",
    "contenders",
    "cut",
    "document",
    "find_tables",
    "kind_of",
    "run",
    "same_table",
    "write",
]
