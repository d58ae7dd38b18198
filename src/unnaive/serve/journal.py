"""Journal: the changes that were acknowledged, on the disk before they are.

An entry keeps what was sent until a model file contains it. Then its number, count and hash remain, with the hash of
its idempotency key, so that a request that is repeated later counts once.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

_SCHEMA = """
CREATE TABLE IF NOT EXISTS journal (id TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS entries (
    number INTEGER PRIMARY KEY,
    verb TEXT NOT NULL,
    key TEXT UNIQUE,
    sha256 TEXT NOT NULL,
    n_rows INTEGER NOT NULL,
    total REAL NOT NULL,
    written TEXT NOT NULL,
    media TEXT,
    body BLOB
);
CREATE INDEX IF NOT EXISTS kept ON entries (number) WHERE body IS NOT NULL;
"""


class JournalError(ValueError):
    """The journal cannot be written or read; nothing was added."""

    def __init__(self, sentence: str, *, is_full: bool = False) -> None:
        super().__init__(sentence)
        self.is_full = is_full  # and can be written again when there is room


@dataclass(frozen=True)
class Sent:
    """What a request asks to change: the verb, the type and bytes of its body, and its idempotency key, if any."""

    verb: str
    media: str
    body: bytes
    key: str | None = None

    @property
    def sha256(self) -> str:
        """The hash of what was sent."""
        return hashlib.sha256(self.body).hexdigest()


@dataclass(frozen=True)
class Entry:
    """What the journal says of a change when its rows are gone."""

    number: int
    verb: str
    sha256: str
    n_rows: int
    total: float  # weight of all rows of the model after it


class Journal:
    """A SQLite database beside a model file; one process has it open at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        try:
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))  # rows are nobody else's business
            self._base = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            # Exclusive, so that a second process is refused; deleted rows are overwritten.
            for setting in ("locking_mode = EXCLUSIVE", "journal_mode = WAL", "synchronous = FULL"):
                self._base.execute(f"PRAGMA {setting}").fetchall()
            for setting in ("secure_delete = ON", "temp_store = MEMORY"):
                self._base.execute(f"PRAGMA {setting}").fetchall()
            self._base.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} COMMIT;")
            if not self._base.execute("SELECT id FROM journal").fetchall():
                self._base.execute("INSERT INTO journal VALUES (?)", (os.urandom(16).hex(),))
            (self.id,) = self._base.execute("SELECT id FROM journal").fetchone()
        except (sqlite3.Error, OSError) as problem:
            raise JournalError(f"{path} cannot be opened as a journal: {problem}.") from problem

    @property
    def last(self) -> int:
        """The number of the last entry, 0 if there is none."""
        with self._lock:
            return self._base.execute("SELECT coalesce(max(number), 0) FROM entries").fetchone()[0]

    @property
    def n_kept(self) -> int:
        """How many entries still have their rows."""
        with self._lock:
            return self._base.execute("SELECT count(*) FROM entries WHERE body IS NOT NULL").fetchone()[0]

    def add(self, changes: Sequence[tuple[Sent, Entry]]) -> None:
        """Put changes on the disk, all of them or none."""
        now = datetime.now(timezone.utc).isoformat(timespec="seconds")
        rows: list[tuple[Any, ...]] = [
            (new.number, new.verb, _hashed(sent.key), new.sha256, new.n_rows, new.total, now, sent.media, sent.body)
            for sent, new in changes
        ]
        with self._lock:
            try:
                self._base.execute("BEGIN IMMEDIATE")
                self._base.executemany("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
                self._base.execute("COMMIT")
            except sqlite3.Error as problem:
                is_full = "full" in str(problem)
                if self._base.in_transaction:
                    self._base.execute("ROLLBACK")
                raise JournalError(f"The journal cannot be written: {problem}.", is_full=is_full) from problem

    def with_key(self, key: str) -> Entry | None:
        """The entry that was added with an idempotency key."""
        with self._lock:
            found = self._base.execute(
                "SELECT number, verb, sha256, n_rows, total FROM entries WHERE key = ?", (_hashed(key),)
            ).fetchone()
        return None if found is None else Entry(*found)

    def after(self, number: int) -> Iterator[tuple[int, Sent]]:
        """The changes after one, in their order."""
        while True:
            with self._lock:
                found = self._base.execute(
                    "SELECT number, verb, media, body FROM entries WHERE number > ? ORDER BY number LIMIT 1", (number,)
                ).fetchone()
            if found is None:
                return
            number, *sent = found
            if sent[-1] is None:
                raise JournalError(
                    f"Entry {number} of {self.path} has no rows any more, and the model file does not contain it: put "
                    "the newest model file back."
                )
            yield number, Sent(*sent)

    def release(self, number: int) -> None:
        """Overwrite the rows of all entries up to one, which a model file contains, here and in the log of SQLite."""
        with self._lock:
            self._base.execute(
                "UPDATE entries SET body = NULL, media = NULL WHERE body IS NOT NULL AND number <= ?", (number,)
            )
            self._base.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def close(self) -> None:
        """Let another process open it."""
        with self._lock:
            self._base.close()


def _hashed(key: str | None) -> str | None:
    return None if key is None else hashlib.sha256(key.encode()).hexdigest()
