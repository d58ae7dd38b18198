"""What may be overwritten: what this library wrote itself, and never a file that the same command reads."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from unnaive.persist.certificate import read_certificate
from unnaive.persist.model_file import read_manifest
from unnaive.persist.output_file import OutputError, check_output

FIGURE_MARK = "made by unnaive"  # in the metadata of figures
CARD_MARK = "<!-- model card made by unnaive -->"  # in the first line of model cards

_LINE = 100  # bytes to look for it in


def check_overwriting(
    path: str | Path, inputs: Iterable[str | Path], what: str, is_ours: Callable[[Path], bool], force: bool = False
) -> None:
    """Raise OutputError if a file to write is also read, or exists and is something else, unless by ``force``.

    ``what`` says what is to be written, as in "a model file"; an empty file may always be replaced.
    """
    target = refuse_inputs(path, inputs)
    if not force and target.exists() and target.stat().st_size and not is_ours(target):
        raise OutputError(
            f"{os.fspath(path)!r} exists and is not {what}: name another file, or replace it with --force."
        )


def refuse_inputs(path: str | Path, inputs: Iterable[str | Path]) -> Path:
    """The file that a path names; OutputError if it is also read, through links too, or cannot be written."""
    target = check_output(path)
    for source in inputs:
        if is_same_file(path, source):
            raise OutputError(f"{os.fspath(path)!r} is also read, as {os.fspath(source)!r}: name another file.")
    return target


def is_same_file(one: str | Path, other: str | Path) -> bool:
    """Whether two paths name one file, through links too, whether or not it exists."""
    try:
        return os.path.samefile(one, other)
    except (OSError, ValueError):
        return os.path.realpath(one) == os.path.realpath(other)


def is_model(path: Path) -> bool:
    """Whether a file is a model file."""
    return _can(lambda: read_manifest(path))


def is_certificate(path: Path) -> bool:
    """Whether a file is a certificate of forgetting."""
    return _can(lambda: read_certificate(path))


def is_figure(path: Path) -> bool:
    """Whether a file is a figure of this library, whose metadata say so."""
    return FIGURE_MARK.encode() in path.read_bytes()


def is_card(path: Path) -> bool:
    """Whether a file is a model card of this library, whose first line says so."""
    with open(path, "rb") as there:
        return there.readline(_LINE).rstrip() == CARD_MARK.encode()


def are_predictions(path: Path, columns: Sequence[str]) -> bool:
    """Whether a file has just these columns, or a label and probabilities, as the predictions of any model."""
    try:
        found = _columns(path)
    except (OSError, ValueError, csv.Error, StopIteration, pa.ArrowException):
        return False
    found = [name.removeprefix("'") for name in found]  # put before formulas, for spreadsheets
    chances = [name for name in found[1:] if name.startswith("p(") and name.endswith(")")]
    return found == list(columns) or 1 < len(found) == 1 + len(chances)


def _columns(path: Path) -> list[str]:
    if path.suffix == ".parquet":
        return pq.read_schema(path).names
    with open(path, newline="", encoding="utf-8") as lines:
        return next(csv.reader(lines))


def _can(read: Callable[[], object]) -> bool:
    try:
        read()
    except (OSError, ValueError):
        return False
    return True
