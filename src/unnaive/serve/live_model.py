"""LiveModel: a model file in service: one thread changes it, another saves it, and readers never wait for either.

A service that follows the file of another has one thread instead, which takes over what the other saves.
"""

from __future__ import annotations

import logging
import os
import queue
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from unnaive.persist import ModelFileError, SavedModel, load, read_manifest, save
from unnaive.persist.output_file import changing
from unnaive.serve.changes import Change, State, changed, read_change, settle, why_not
from unnaive.serve.journal import Entry, Journal, JournalError, Sent
from unnaive.serve.refusal import Refusal
from unnaive.serve.settings import FOLLOWS, NO_TOKEN, Settings
from unnaive.streaming.model_columns import columns_of

NOTE = "journal"  # of a model file: which journal, and its last entry that the file contains
_MAX_BATCH = 64  # changes that are put on the disk together
_LEAST_PAUSE = 0.05  # seconds between two looks at a file that is followed
_LOG = logging.getLogger("unnaive.serve")

_Waiting = tuple[Change, "Future[tuple[Entry, bool]]"]


class LiveModel:
    """The model that a service answers with, ``state``, which is replaced as a whole.

    A change is applied to a copy, committed to the journal, then taken over, then acknowledged. The model file is
    replaced in the background, with the number of the last entry that it contains; entries after it are applied again
    when the service starts.
    """

    def __init__(self, path: Path, settings: Settings) -> None:
        self.path = path
        self._settings = settings
        self._held = ExitStack()
        self._version = _version_of(path)
        saved = _load(path)
        target = Path(os.path.realpath(path))
        self._journal_path = target.with_name(target.name + ".journal")
        self.why_read_only = why_not(saved)
        if self.why_read_only is None and settings.token is None and not self._journal_path.exists():
            self.why_read_only = NO_TOKEN  # so that the file needs neither a lock nor a folder that can be written
        self.state = State(saved, 0)
        self.saved_entry = 0
        self.n_failed_saves = 0
        self._queue: queue.SimpleQueue[_Waiting | None] = queue.SimpleQueue()
        self._news = threading.Condition()
        self._is_urgent = self._is_closing = self._is_broken = False
        self._threads: list[threading.Thread] = []
        if settings.follow:
            self.why_read_only = FOLLOWS
            self._take_over(saved)
            self._start(self._keep_following)
        elif self.why_read_only is None:
            try:
                self._open(saved)
            except BaseException:
                self._held.close()
                raise

    def _open(self, saved: SavedModel) -> None:
        """Lock the model file, apply what the journal has and the file has not, and start the threads."""
        self._held.enter_context(changing(self.path, self._busy))
        if read_manifest(self.path) != saved.manifest:  # it was changed before it was locked
            saved = load(self.path)
        self._journal = Journal(self._journal_path)
        self._held.callback(self._journal.close)
        note = _note_of(saved)
        if note.get("id") == self._journal.id:
            self.saved_entry = int(note["entry"])
        elif self._journal.last:
            raise ValueError(
                f"{self._journal.path} is the journal of another model file than {self.path}: put that file back, or "
                "move the journal away."
            )
        elif note:
            _LOG.warning("journal", extra={"facts": {"problem": "The journal that the model file names is not there."}})
        self.state = State(_without_note(saved), self.saved_entry)
        self._replay()
        if note.get("id") != self._journal.id or self.state.entry > self.saved_entry:
            self._save()
        self._journal.release(self.saved_entry)
        for work in (self._write, self._keep_saving):
            self._start(work)

    def _start(self, work: Callable[[], None]) -> None:
        thread = threading.Thread(target=work, name=f"unnaive-{work.__name__.strip('_')}", daemon=True)
        thread.start()
        self._threads.append(thread)

    def _busy(self) -> None:
        raise ValueError(f"Another process serves or changes {self.path}: stop it first.")

    def _replay(self) -> None:
        """Apply the entries that the model file does not contain, whatever the limits are now."""
        saved, number = self.state.saved, self.state.entry
        unlimited = replace(self._settings, max_rows=sys.maxsize, max_bytes=sys.maxsize)
        for number, sent in self._journal.after(self.state.entry):
            try:
                saved, _ = changed(saved, read_change(saved, sent, unlimited))
            except (Refusal, ValueError) as problem:
                raise ValueError(
                    f"Entry {number} of {self._journal.path} cannot be applied again, though it was once: {problem}"
                ) from problem
        settle(saved)
        self.state = State(saved, number)

    @property
    def n_waiting(self) -> int:
        """How many changes wait to be made."""
        return self._queue.qsize()

    def read(self, sent: Sent) -> Change:
        """What was sent, checked against the model as far as its columns and kinds go; Refusal if it is read-only."""
        if self.why_read_only is not None:
            raise Refusal(409, self.why_read_only)
        return read_change(self.state.saved, sent, self._settings)

    def submit(self, change: Change) -> Future[tuple[Entry, bool]]:
        """Ask for a change; the result is its entry in the journal, and whether it was made by an earlier request.

        As long as it waits, the future can be cancelled.
        """
        future: Future[tuple[Entry, bool]] = Future()
        self._queue.put((change, future))
        return future

    # The thread that changes the model

    def _write(self) -> None:
        while (first := self._queue.get()) is not None:
            batch = [first]
            while len(batch) < _MAX_BATCH and not self._queue.empty():
                more = self._queue.get()
                if more is None:
                    self._queue.put(None)
                    break
                batch.append(more)
            self._make([waiting for waiting in batch if waiting[1].set_running_or_notify_cancel()])

    def _make(self, batch: Sequence[_Waiting]) -> None:
        """Make changes and answer them; a change with the key of another waits until that is made."""
        fresh: list[_Waiting] = []
        later: list[_Waiting] = []
        keys: set[str] = set()
        for change, future in batch:
            key = change.sent.key
            if key is not None and key in keys:
                later.append((change, future))
            elif key is None or not self._answered_before(change.sent, key, future):
                fresh.append((change, future))
                keys.update([] if key is None else [key])
        if fresh:
            try:
                self._commit(fresh)
            except BaseException as problem:  # a defect: those who wait must hear of it, and the thread must live on
                for _, future in fresh:
                    if not future.done():
                        future.set_exception(problem)
        if later:
            self._make(later)

    def _answered_before(self, sent: Sent, key: str, future: Future[tuple[Entry, bool]]) -> bool:
        try:
            found = self._journal.with_key(key)
        except Exception as problem:
            future.set_exception(problem)
            return True
        if found is None:
            return False
        if (found.verb, found.sha256) == (sent.verb, sent.sha256):
            future.set_result((found, True))
        else:
            future.set_exception(Refusal(422, "This Idempotency-Key was used for another request: choose a new one."))
        return True

    def _commit(self, batch: Sequence[_Waiting]) -> None:
        if self._is_broken:
            raise Refusal(503, "The journal could not be written: restart the service.")
        try:
            state, made, refused = self._applied(batch, one_by_one=False)
        except Refusal:  # what follows from all of them cannot be derived: find those to blame
            state, made, refused = self._applied(batch, one_by_one=True)
        if made:
            try:
                self._journal.add([(change.sent, entry) for change, _, entry in made])
            except JournalError as problem:
                self._is_broken = not problem.is_full
                _LOG.error("journal", extra={"facts": {"problem": str(problem)}})
                raise Refusal(507 if problem.is_full else 503, f"{problem} Nothing was changed.") from None
            with self._news:
                self.state = state
                self._is_urgent |= any(change.sent.verb == "forget" for change, _, _ in made)
                self._news.notify()
        for _, future, entry in made:
            future.set_result((entry, False))
        for future, refusal in refused:
            future.set_exception(refusal)

    def _applied(self, batch: Sequence[_Waiting], one_by_one: bool) -> tuple[State, list[Any], list[Any]]:
        """The state after a batch, the changes that it contains with their entries, and the refusals of the others."""
        state = self.state
        made: list[tuple[Change, Future[tuple[Entry, bool]], Entry]] = []
        refused: list[tuple[Future[tuple[Entry, bool]], Refusal]] = []
        for change, future in batch:
            try:
                saved, n_rows = changed(state.saved, change)
                if one_by_one:
                    settle(saved)
            except Refusal as refusal:
                refused.append((future, refusal))
                continue
            state = State(saved, state.entry + 1)
            made.append(
                (change, future, Entry(state.entry, change.sent.verb, change.sent.sha256, n_rows, state.total or 0.0))
            )
        if made:
            settle(state.saved)
        return state, made, refused

    # The thread that saves the model

    def _keep_saving(self) -> None:
        while True:
            with self._news:
                self._news.wait_for(lambda: self._is_closing or self.state.entry > self.saved_entry)
                if not self._is_closing:
                    self._news.wait_for(
                        lambda: self._is_closing or self._is_urgent, timeout=self._settings.snapshot_seconds
                    )
                self._is_urgent = False
                closing = self._is_closing
            if self.state.entry > self.saved_entry:
                self._save_or_retry(closing)
            if closing:
                return

    def _save_or_retry(self, closing: bool) -> None:
        try:
            self._save()
            self._journal.release(self.saved_entry)
        except Exception as problem:  # the journal has everything, so that nothing is lost until it can be saved
            self.n_failed_saves += 1
            _LOG.error("snapshot", extra={"facts": {"problem": type(problem).__name__}})
            if not closing:
                with self._news:
                    self._news.wait_for(lambda: self._is_closing, timeout=self._settings.snapshot_seconds)

    def _save(self) -> None:
        state = self.state
        saved, notes = state.saved, state.saved.manifest["notes"]
        note = {"id": self._journal.id, "entry": state.entry}
        notes = {**(notes if isinstance(notes, dict) else {}), NOTE: note}
        save(saved.model, self.path, target=saved.target, notes=notes)
        self.saved_entry = state.entry

    # The thread that follows the file of another service

    def _keep_following(self) -> None:
        pause = max(self._settings.snapshot_seconds, _LEAST_PAUSE)
        while True:
            with self._news:
                if self._news.wait_for(lambda: self._is_closing, timeout=pause):
                    return
            try:
                if (version := _version_of(self.path)) != self._version:
                    self._take_over(_load(self.path))
                    self._version = version
            except Exception as problem:  # the model of before answers until the file can be read
                _LOG.error("follow", extra={"facts": {"problem": type(problem).__name__}})

    def _take_over(self, saved: SavedModel) -> None:
        self.saved_entry = int(_note_of(saved).get("entry", 0))
        self.state = State(_without_note(saved), self.saved_entry)

    def close(self) -> None:
        """Make the changes that wait, save the model, and let other processes change it."""
        self._queue.put(None)
        for thread in self._threads:
            if thread is self._threads[-1]:
                with self._news:
                    self._is_closing = True
                    self._news.notify()
            thread.join()
        self._held.close()


def _load(path: Path) -> SavedModel:
    saved = load(path)
    columns_of(saved)  # or rows could not be read
    return saved


def _version_of(path: Path) -> tuple[int, int, int]:
    """What changes when a file is replaced."""
    found = os.stat(path)
    return found.st_ino, found.st_mtime_ns, found.st_size


def _note_of(saved: SavedModel) -> dict[str, Any]:
    notes = saved.manifest["notes"]
    note = notes.get(NOTE) if isinstance(notes, dict) else None
    sound = isinstance(note, dict) and isinstance(note.get("id"), str) and type(note.get("entry")) is int
    if note is not None and not (sound and note["entry"] >= 0):
        raise ModelFileError("The model file does not say which journal it belongs to: save it again without the note.")
    return note or {}


def _without_note(saved: SavedModel) -> SavedModel:
    notes = saved.manifest["notes"]
    kept = {name: note for name, note in notes.items() if name != NOTE} if isinstance(notes, dict) else {}
    return SavedModel(saved.model, saved.target, {**saved.manifest, "notes": kept})
