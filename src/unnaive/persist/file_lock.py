"""Locks between processes, which end with the process that holds them, however it ends."""

from __future__ import annotations

import os
import sys
import warnings
from contextlib import suppress
from pathlib import Path

if sys.platform == "win32":
    import msvcrt

    def try_lock(file: int) -> bool:
        """Lock an open file until it is closed; False if another process has locked it."""
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        return True
else:
    import fcntl

    def try_lock(file: int) -> bool:
        """Lock an open file until it is closed; False if another process has locked it."""
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def acquire(lock: Path) -> int | None:
    """Make and lock a file, and return it open; None if another process has locked it."""
    while True:
        file = os.open(lock, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            if not try_lock(file):
                os.close(file)
                return None
            if os.path.samestat(os.fstat(file), os.stat(lock)):
                return file
        except FileNotFoundError:
            pass
        except OSError as problem:
            warnings.warn(
                f"{lock.parent} has no locks ({problem.strerror}): change its files from one process at a time.",
                stacklevel=2,
            )
            return file
        os.close(file)  # it was removed before it was locked


def release(lock: Path, file: int) -> None:
    """Unlock a file and remove it, unless another process is about to lock it and will remove it."""
    with suppress(OSError):
        if sys.platform == "win32":  # where an open file cannot be removed
            os.close(file)
            lock.unlink()
        else:
            lock.unlink()  # while it is locked: who waits for it finds that it is gone, and makes a new one
            os.close(file)
