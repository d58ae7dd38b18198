"""Files and folders that are written whole or not at all: a draft beside the target takes its name when it is complete.

Whoever writes a draft holds its lock, so a draft without a lock is left over from a process that was killed. The next
write to the same target removes it, where files can be locked by ``flock``.
"""

from __future__ import annotations

import errno
import hashlib
import os
import secrets
import shutil
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from unnaive.persist.file_lock import acquire, release, try_lock

_POSIX = os.name == "posix"
_PAUSE = 0.05  # seconds between two looks at a lock


class OutputError(ValueError):
    """A file cannot be written; the message names it."""


def check_output(path: str | os.PathLike[str]) -> Path:
    """The file that a path names, through links; OutputError if something else is there, or it may not be written."""
    file = repr(os.fspath(path))
    target = Path(os.path.realpath(path))
    with writing(path):
        try:
            there = os.stat(path)
        except (FileNotFoundError, NotADirectoryError):
            return target
    if stat.S_ISDIR(there.st_mode):
        raise OutputError(f"{file} is a folder: name a file in it.")
    if not stat.S_ISREG(there.st_mode) or not target.exists():
        raise OutputError(f"{file} is a pipe or a device: name a file to write to.")
    if any(_is_open_as(printed, there) for printed in (1, 2)):
        raise OutputError(f"{file} is where this process prints to: name another file.")
    if not os.access(target, os.W_OK):
        raise OutputError(f"{file} is write-protected: name another file, or let it be written.")
    return target


def check_place(path: str | os.PathLike[str]) -> None:
    """OutputError if a file could not be written, before there is work to lose; folders may still have to be made."""
    check_output(path)
    folder = next(parent for parent in Path(os.path.abspath(path)).parents if parent.exists())
    if not folder.is_dir():
        raise OutputError(f"{folder} is a file, so {os.fspath(path)} cannot be in it: choose another path.")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise OutputError(f"The folder {folder} is not writable: choose another path than {os.fspath(path)}.")


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """A stream whose content replaces a file at the end, and is dropped if there is an error.

    The file keeps its mode, and its owner and group where that is permitted. On return it is on the disk.
    """
    target = check_output(path)
    with writing(path):
        _sweep(target)
        draft, stream = _new_draft(target)
    try:
        with writing(path, named=False), stream:
            yield stream
            with writing(path):
                stream.flush()
                os.fsync(stream.fileno())
                if not _POSIX:  # where an open file cannot be renamed
                    stream.close()
                os.replace(draft, target)  # while it is locked, so that nobody takes it for a leftover
                _sync_folder(target.parent)
    finally:
        draft.unlink(missing_ok=True)


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Replace a file by a text; characters that are not Unicode become question marks."""
    with replacing(path) as stream:
        stream.write(text.encode("utf-8", errors="replace"))


@contextmanager
def new_folder(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A folder to write files to, which takes its name at the end, and is removed if there is an error."""
    target = Path(os.path.realpath(path))
    with writing(path):
        target.parent.mkdir(parents=True, exist_ok=True)
        _sweep(target)
        draft, file = _new_draft_folder(target)
    try:
        yield draft
        with writing(path):
            os.replace(draft, target)
            _sync_folder(target.parent)
    finally:
        _discard(draft, target)
        if file is not None:
            os.close(file)


@contextmanager
def changing(path: str | os.PathLike[str], busy: Callable[[], None]) -> Iterator[None]:
    """Let no other process that also asks change a file; ``busy`` is called once before waiting for one, or raises."""
    target = check_output(path)
    lock = beside(target, ".lock")
    with writing(path):
        held = acquire(lock)
        if held is None:
            busy()
            while (held := acquire(lock)) is None:
                time.sleep(_PAUSE)
    try:
        yield
    finally:
        release(lock, held)


@contextmanager
def writing(path: str | os.PathLike[str], *, named: bool = True) -> Iterator[None]:
    """Turn errors of the operating system, or only those that name no file, into one that names this file."""
    try:
        yield
    except OSError as problem:
        if problem.filename is not None and not named:
            raise
        raise OutputError(f"{os.fspath(path)!r} cannot be written: {problem.strerror or problem}.") from problem


def beside(target: Path, ending: str) -> Path:
    """A hidden file beside another, whose name is short whatever the other is called."""
    digest = hashlib.sha256(os.fsencode(target.name)).hexdigest()[:16]
    return target.with_name(f".unnaive-{digest}{ending}")


def _is_open_as(file: int, there: os.stat_result) -> bool:
    with suppress(OSError):
        return os.path.samestat(os.fstat(file), there)
    return False


def _new_draft(target: Path) -> tuple[Path, IO[bytes]]:
    """An empty, locked file beside the target, with its owner and mode if it exists."""
    before = os.stat(target) if target.exists() else None
    while True:
        draft = _draft_name(target)
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        stream = os.fdopen(os.open(draft, flags, 0o666 if before is None else 0o600), "w+b")
        try:
            if not _POSIX or _is_locked(draft, stream.fileno()):
                if _POSIX and before is not None:
                    _take_over(stream.fileno(), before)
                return draft, stream
        except BaseException:
            stream.close()
            draft.unlink(missing_ok=True)
            raise
        stream.close()  # another process took it for a leftover before it was locked


def _new_draft_folder(target: Path) -> tuple[Path, int | None]:
    """An empty folder beside the target, and the open file that locks it."""
    while True:
        draft = _draft_name(target)
        draft.mkdir()
        if not _POSIX:  # where a folder cannot be opened
            return draft, None
        with suppress(FileNotFoundError):
            file = os.open(draft, os.O_RDONLY)
            if _is_locked(draft, file):
                return draft, file
            os.close(file)  # another process took it for a leftover before it was locked


def _discard(draft: Path, target: Path) -> None:
    """Remove a folder if it is there, after renaming it, as other processes may still be writing to it."""
    discarded = _draft_name(target)
    with suppress(FileNotFoundError):
        os.replace(draft, discarded)
        shutil.rmtree(discarded, ignore_errors=True)


def _draft_name(target: Path) -> Path:
    return beside(target, f"-{secrets.token_hex(8)}.part")


def _is_locked(draft: Path, file: int) -> bool:
    """Lock a new draft; False if it was taken for a leftover. Without locks there are no leftovers either."""
    try:
        return try_lock(file) and os.path.samestat(os.fstat(file), os.stat(draft))
    except FileNotFoundError:
        return False
    except OSError:
        return True


def _take_over(file: int, before: os.stat_result) -> None:
    """Give a file the owner, group and mode of another."""
    mode = stat.S_IMODE(before.st_mode) & 0o777
    with suppress(OSError):
        os.fchown(file, before.st_uid, -1)
    try:
        os.fchown(file, -1, before.st_gid)
    except OSError:
        mode = mode & ~0o070 | (mode & 0o007) << 3  # another group may do what everybody may
    with suppress(OSError):  # of file systems without modes
        os.fchmod(file, mode)


def _sweep(target: Path) -> None:
    """Remove drafts of the same target whose writers no longer live."""
    if not _POSIX:
        return
    for draft in target.parent.glob(beside(target, "-*.part").name):
        with suppress(OSError):
            is_folder = stat.S_ISDIR(os.lstat(draft).st_mode)
            how = os.O_RDONLY | os.O_DIRECTORY if is_folder else os.O_RDWR | os.O_NONBLOCK
            file = os.open(draft, how | os.O_NOFOLLOW)
            try:
                if is_folder and try_lock(file):
                    _discard(draft, target)
                elif stat.S_ISREG(os.fstat(file).st_mode) and try_lock(file):
                    draft.unlink()
            finally:
                os.close(file)


def _sync_folder(folder: Path) -> None:
    """Put the names in a folder on the disk, where that can be asked for."""
    if not _POSIX:
        return
    try:
        file = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(file)
        finally:
            os.close(file)
    except OSError as problem:
        if problem.errno not in (errno.EACCES, errno.EINVAL, errno.ENOTSUP):
            raise
