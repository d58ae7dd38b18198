"""Model files: a fitted classifier in one file, which can be loaded without running anything that is in it.

A file is a zip archive of two members. ``manifest.json`` describes the model and has the hash of ``model.skops``, the
model in the format of skops. Before skops constructs anything, every type is looked up in an allow-list. The result is
then checked, because a hash only proves that nothing changed since the file was written, and predictions are made by
compiled code that does not check bounds.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile

import numpy as np

from unnaive import __version__
from unnaive.core.bounded_json import bounded_json
from unnaive.persist.allow_list import LOSS_MODULE, audit, with_public_names
from unnaive.persist.manifest import describe, is_a, is_manifest, libraries, n_columns
from unnaive.persist.output_file import OutputError, replacing
from unnaive.persist.plain_model import plain_model
from unnaive.persist.soundness import UnsafePatternError, check_model

_FORMAT = 3
_MANIFEST, _MODEL = "manifest.json", "model.skops"
# Limits of the unpacked size: times the size of the file, bytes allowed for any file, and bytes at most.
_RATIO, _SMALL, _MAX_BYTES = 64, 2**26, 2**33
# Limits of the manifest: bytes, items and depth.
_MAX_MANIFEST, _MAX_ITEMS, _MAX_DEPTH = 2**25, 2**21, 100
_LEVEL = 3  # of compression: a third of the time of the default, for a fifth more bytes
_CHUNK = 2**20
_UNSAFE = (
    "{} could take forever on some texts: in a file, a pattern is a sequence of characters and classes of characters, "
    "and only optional ones follow the first that may be repeated without limit."
)


class ModelFileError(ValueError):
    """A file is not a model file, is damaged or not safe to load, or a model cannot be saved.

    Examples
    --------
    >>> from unnaive.persist import ModelFileError, load
    >>> try:
    ...     load("nowhere.unnaive")
    ... except ModelFileError as error:
    ...     print(error)
    There is no file 'nowhere.unnaive'.
    """


@dataclass(frozen=True)
class SavedModel:
    """The content of a model file.

    Attributes
    ----------
    model : estimator
        The fitted model.
    target : str
        Name of the column it predicts.
    manifest : dict
        What :func:`read_manifest` returns.
    """

    model: Any
    target: str
    manifest: dict[str, Any]


def save(model: Any, path: str | os.PathLike[str], *, target: str = "class", notes: Any = None) -> None:
    """Write a fitted classifier to a file.

    The file is replaced atomically: it is either complete, or what it was before. It keeps its mode, and a link to it
    stays a link.

    Parameters
    ----------
    model : estimator
        A classifier of this package, or one of those of scikit-learn that model files can hold, also in a pipeline.
    path : str or path
        By convention it ends in ``.unnaive``.
    target : str, default="class"
        Name of the column that the model predicts.
    notes : object, optional
        Additional content of the manifest: anything that JSON can represent.

    Raises
    ------
    ModelFileError
        If the model holds types that a file may not hold, or the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sklearn.datasets import load_iris
    >>> from unnaive import AODE
    >>> from unnaive.persist import load, save
    >>> X, y = load_iris(return_X_y=True)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(AODE().fit(X, y), Path(folder) / "iris.unnaive", target="species")
    ...     saved = load(Path(folder) / "iris.unnaive")
    >>> saved.target, saved.model.predict(X[:2])
    ('species', array([0, 0]))
    """
    if not isinstance(target, str):
        raise ModelFileError(f"The target must be the name of a column, not {target!r}.")
    payload = _pack(model)
    manifest = {
        "format": _FORMAT,
        "unnaive": __version__,
        "libraries": libraries(),
        "written": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        **describe(model),
        "target": target,
        "notes": notes,
        "sha256": hashlib.sha256(payload).hexdigest(),
    }
    try:
        text = json.dumps(manifest, indent=1, allow_nan=False)
    except (TypeError, ValueError) as problem:
        raise ModelFileError("The notes cannot be represented in JSON.") from problem
    try:
        _parsed(text.encode())
    except ValueError as problem:
        raise ModelFileError(
            f"The manifest would take {len(text):,} characters, or is nested too deeply: shorten the notes."
        ) from problem
    try:
        with replacing(path) as stream:
            for compression in (ZIP_DEFLATED, ZIP_STORED):
                stream.seek(0)
                stream.truncate()
                with ZipFile(stream, "w", compression, compresslevel=_LEVEL) as archive:
                    archive.writestr(_MANIFEST, text)
                    archive.writestr(_MODEL, payload)
                # Counts that are nearly all zero shrink so much that they look like a zip bomb: store them.
                if len(payload) <= _limit(stream.tell()):
                    break
    except OutputError as problem:
        raise ModelFileError(str(problem)) from problem


def load(path: str | os.PathLike[str], *, max_bytes: int = _MAX_BYTES) -> SavedModel:
    """Load a model file; no code in it is run, and its content is checked.

    Parameters
    ----------
    path : str or path
    max_bytes : int, default=2**33
        Limit of the unpacked size. In any case, a file may unpack to 64 times its own size, or to 64 MiB if that is
        more.

    Returns
    -------
    SavedModel

    Raises
    ------
    ModelFileError
        If the file is missing, damaged, of another format, or does not hold a sound model.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from unnaive import TAN
    >>> from unnaive.persist import load, save
    >>> model = TAN().fit([["grey", "cold"], ["blue", "warm"]], ["museum", "beach"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(model, Path(folder) / "trips.unnaive", target="trip")
    ...     saved = load(Path(folder) / "trips.unnaive")
    >>> saved.model.partial_fit([["blue", "cold"]], ["museum"]).class_count_
    array([1., 2.])
    """
    file = _quoted(path)
    manifest, payload = _read(path, max_bytes)
    unsound = f"{file} does not hold a sound model, as its parts do not fit together: fit and save it again."
    try:
        types, others = audit(payload)
        if not others:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                model = _unpack(payload, types)
                if n_columns(model) != len(manifest["columns"]):
                    raise ValueError("The manifest describes other columns.")
                described = describe(model)
    except UnsafePatternError as problem:
        raise ModelFileError(f"{file} was not loaded, as {_UNSAFE.format(problem)}") from problem
    except Exception as problem:
        raise ModelFileError(unsound) from problem
    if others:
        raise ModelFileError(f"{file} holds {_listed(others)}, which no model file may hold, so it was not loaded.")
    names = [[column["name"] for column in facts["columns"]] for facts in (described, manifest)]
    if names[0] != names[1] or any(described[fact] != manifest[fact] for fact in ("estimator", "classes")):
        raise ModelFileError(unsound)
    _warn_of_another_release(manifest, types)
    return SavedModel(model, manifest["target"], manifest)


def read_manifest(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read the description of a model without loading it; the file is checked to be complete and unchanged.

    Parameters
    ----------
    path : str or path

    Returns
    -------
    dict
        ``format``, ``unnaive`` and ``libraries`` (versions), ``written`` (time, UTC), ``estimator``,
        ``parameters`` (as text), ``columns`` (``name``, ``kind``, ``holds`` and number of ``values``), ``classes``,
        total ``weight`` of the training rows, ``target``, ``notes`` and ``sha256`` of the model.

    Raises
    ------
    ModelFileError
        As :func:`load`.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from unnaive import NaiveBayes
    >>> from unnaive.persist import read_manifest, save
    >>> model = NaiveBayes().fit([["red"], ["blue"]], ["yes", "no"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(model, Path(folder) / "model.unnaive")
    ...     manifest = read_manifest(Path(folder) / "model.unnaive")
    >>> manifest["estimator"], manifest["classes"], manifest["weight"]
    ('NaiveBayes', ['no', 'yes'], 2.0)
    >>> manifest["columns"]
    [{'name': None, 'kind': 'category', 'holds': 'text', 'values': 2, 'cuts': None}]
    """
    return _read(path)[0]


# The file


def _read(path: str | os.PathLike[str], max_bytes: int = _MAX_BYTES) -> tuple[dict[str, Any], bytes]:
    """Manifest and model of a file, if it is complete and unchanged."""
    file = _quoted(path)
    corrupted = f"{file} is corrupted: copy or save it again."
    try:
        if not os.path.exists(path):
            raise ModelFileError(f"There is no file {file}.")
        if not os.path.isfile(path):
            raise ModelFileError(f"{file} is a folder or a device, not a model file.")
        with open(path, "rb") as stream:
            archive = _open(stream, file)
            limit = min(max_bytes, _limit(os.path.getsize(path)))
            members = archive.namelist()
            if _MANIFEST not in members:
                raise ModelFileError(f"{file} is a zip archive, but not a model file.")
            manifest = _parsed(_member(archive, _MANIFEST, min(limit, _MAX_MANIFEST), file))
            if is_a(manifest.get("format"), int) and 0 < manifest["format"] != _FORMAT:
                raise ModelFileError(_other_format(file, manifest))
            if not is_manifest(manifest) or sorted(members) != [_MANIFEST, _MODEL]:
                raise ModelFileError(corrupted)
            payload = _member(archive, _MODEL, limit, file)
    except ModelFileError:
        raise
    except PermissionError as problem:
        raise ModelFileError(f"{file} cannot be read: permission denied.") from problem
    except Exception as problem:  # whatever zipfile, zlib and json raise
        raise ModelFileError(corrupted) from problem
    if hashlib.sha256(payload).hexdigest() != manifest["sha256"]:
        raise ModelFileError(corrupted)
    return manifest, payload


def _parsed(manifest: bytes) -> Any:
    if len(manifest) > _MAX_MANIFEST:
        raise ValueError("The manifest is too long.")
    return bounded_json(manifest, max_items=_MAX_ITEMS, max_depth=_MAX_DEPTH)


def _other_format(file: str, manifest: dict[str, Any]) -> str:
    named = re.fullmatch(r"[\w.+-]{1,40}", str(manifest.get("unnaive")), re.ASCII)
    release = f"unnaive {named.group()}" if named else "a release of unnaive"
    if manifest["format"] > _FORMAT:
        return f"{file} was written by {release}, newer than this {__version__}: upgrade to read it."
    return f"{file} was written by {release} in a format that is no longer read: fit the model again and save it."


def _open(stream: IO[bytes], file: str) -> ZipFile:
    start = stream.read(4)
    try:
        return ZipFile(stream)
    except BadZipFile as problem:
        if b"PK\x03\x04".startswith(start):
            raise ModelFileError(f"{file} is truncated: copy or save it again.") from problem
        raise ModelFileError(f"{file} is not a model file: unnaive did not write it.") from problem


def _member(archive: ZipFile, name: str, limit: int, file: str) -> bytes:
    info = archive.getinfo(name)
    if info.file_size > limit:
        raise ModelFileError(
            f"{file} would unpack to {info.file_size:,} bytes, more than the {limit:,} that its {name} may have."
        )
    if info.compress_type not in (ZIP_DEFLATED, ZIP_STORED):
        raise ValueError("Model files are compressed by deflate.")
    content = bytearray()
    with archive.open(info) as member:
        # In chunks, as a member may lie about its size.
        while piece := member.read(_CHUNK):
            content += piece
    if len(content) != info.file_size:
        raise ValueError("The member ends too early.")
    return bytes(content)


def _limit(size: int) -> int:
    return min(_MAX_BYTES, max(_SMALL, _RATIO * size))


def _quoted(path: str | os.PathLike[str]) -> str:
    return repr(os.fspath(path))


def _warn_of_another_release(manifest: dict[str, Any], types: list[str]) -> None:
    """scikit-learn's own warning, once per file and not once per tree."""
    import sklearn
    from sklearn.exceptions import InconsistentVersionWarning

    then = str(manifest["libraries"].get("scikit-learn"))
    if then != sklearn.__version__ and any(name.startswith("sklearn.") for name in types):
        warnings.warn(
            InconsistentVersionWarning(
                estimator_name=manifest["estimator"],
                current_sklearn_version=sklearn.__version__,
                original_sklearn_version=then,
            ),
            stacklevel=3,
        )


# The model


def _pack(model: Any) -> bytes:
    _check_kind(model)
    refusal = f"This {type(model).__name__} cannot be saved, as"
    try:
        payload = plain_model(model) or _by_skops(model)
        _, others = audit(payload)
        if not others:
            check_model(model)
    except UnsafePatternError as problem:
        raise ModelFileError(f"{refusal} {_UNSAFE.format(problem)}") from problem
    except Exception as problem:
        raise ModelFileError(
            f"{refusal} it was changed after it was fitted, or holds what no file can hold."
        ) from problem
    if others:
        raise ModelFileError(f"{refusal} it holds {_listed(others)}, which no model file may hold.")
    if len(payload) > _MAX_BYTES:
        raise ModelFileError(f"{refusal} it takes {len(payload):,} bytes.")
    return payload


def _by_skops(model: Any) -> bytes:
    import skops.io

    return with_public_names(skops.io.dumps(model))


def _unpack(payload: bytes, types: list[str]) -> Any:
    import skops.io

    with _losses_by_their_old_name():
        model = skops.io.loads(payload, trusted=types)
    _check_kind(model)
    check_model(model)
    return model


@contextmanager
def _losses_by_their_old_name() -> Iterator[None]:
    """Make the module name of older releases of scikit-learn importable, and nothing else under that name."""
    from sklearn._loss import _loss

    before = sys.modules.get(LOSS_MODULE)
    sys.modules[LOSS_MODULE] = _loss
    try:
        yield
    finally:
        del sys.modules[LOSS_MODULE]
        if before is not None:
            sys.modules[LOSS_MODULE] = before


def _check_kind(model: Any) -> None:
    from sklearn.base import is_classifier
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(model)
    if not is_classifier(model):
        raise ModelFileError(f"This {type(model).__name__} is not a classifier; model files hold classifiers only.")


def _listed(names: list[str]) -> str:
    shown = [ascii(name[:80])[1:-1] for name in names[:3]]
    return ", ".join(shown) + (f" and {len(names) - 3} more types" if len(names) > 3 else "")
