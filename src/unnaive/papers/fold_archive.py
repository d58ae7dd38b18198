"""The results of all folds, packed beside what is written from them."""

from __future__ import annotations

import tarfile
from collections.abc import Sequence
from pathlib import Path

from unnaive.persist.output_file import replacing


def pack(files: Sequence[Path], path: Path) -> None:
    """Pack files, the same ones to the same bytes."""
    with replacing(path) as out, tarfile.open(fileobj=out, mode="w:xz") as archive:
        for file in sorted(files):
            entry = tarfile.TarInfo(file.name)
            entry.size = file.stat().st_size
            with open(file, "rb") as content:
                archive.addfile(entry, content)
