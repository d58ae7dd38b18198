"""Model files: a fitted classifier in one file, which can be loaded without running anything that is in it.

A file is a zip archive of two members. ``manifest.json`` tells what the model is and has the hash of
``model.skops``, the model in the format of skops. Before skops makes anything of it, every type it names is
looked up in a list that is written down here, type by type and by the way it is to be made; skops' own lists of
what it trusts play no part. What was made is then checked, for a hash only tells that nothing changed since
somebody wrote it: predictions are made by compiled code that checks no bounds.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import secrets
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timezone
from functools import partial
from pathlib import Path
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile

import numpy as np

from unnaive import __version__

_FORMAT = 1
_MANIFEST, _MODEL, _SCHEMA = "manifest.json", "model.skops", "schema.json"
_FIELDS: dict[str, type | tuple[type, ...]] = {
    "format": int,
    "unnaive": str,
    "libraries": dict,
    "written": str,
    "estimator": str,
    "parameters": dict,
    "columns": list,
    "classes": list,
    "weight": (int, float, type(None)),
    "target": str,
    "sha256": str,
}

_KINDS: dict[type, str] = {str: "text", bool: "booleans"}

# A file may unpack to so many times its size, and small files to so many bytes; no file to more than the last.
_RATIO, _SMALL, _LARGEST = 64, 2**28, 2**33
_LEVEL = 3  # of compression: a third of the time of the usual one, for a fifth more bytes
_CHUNK = 2**20
_DEEPEST = 300
_MOST_JOBS = 1024

# Every type that may be in a file, by how skops makes it. Types that are made by calling them with what is in
# the file have an entry in _ARGUMENTS, which says what that may be.
_UNNAIVE = (
    "classifiers.naive.NaiveBayes",
    "classifiers.dependence.AODE",
    "classifiers.dependence.WAODE",
    "classifiers.dependence.AODEsr",
    "classifiers.dependence.AnDE",
    "classifiers.hidden.HiddenNaiveBayes",
    "classifiers.network.TAN",
    "classifiers.network.KDB",
    "classifiers.network.BayesNet",
    "represent.table.TableEncoder",
    "represent.categories.Categories",
    "represent.discretize.MDLDiscretizer",
    "baselines.TextAsCategories",
)
# Models to compare with and what is put in front of them, as far as they predict in Python, or _CHECKS knows
# what their compiled code relies on.
_SKLEARN = (
    "compose._column_transformer.ColumnTransformer",
    "compose._column_transformer.make_column_selector",
    "decomposition._pca.PCA",
    "discriminant_analysis.LinearDiscriminantAnalysis",
    "discriminant_analysis.QuadraticDiscriminantAnalysis",
    "dummy.DummyClassifier",
    "ensemble._bagging.BaggingClassifier",
    "ensemble._forest.ExtraTreesClassifier",
    "ensemble._forest.RandomForestClassifier",
    "ensemble._hist_gradient_boosting.gradient_boosting.HistGradientBoostingClassifier",
    "ensemble._stacking.StackingClassifier",
    "ensemble._voting.VotingClassifier",
    "ensemble._weight_boosting.AdaBoostClassifier",
    "frozen._frozen.FrozenEstimator",
    "impute._base.SimpleImputer",
    "linear_model._logistic.LogisticRegression",
    "linear_model._ridge.RidgeClassifier",
    "naive_bayes.BernoulliNB",
    "naive_bayes.CategoricalNB",
    "naive_bayes.ComplementNB",
    "naive_bayes.GaussianNB",
    "naive_bayes.MultinomialNB",
    "pipeline.FeatureUnion",
    "pipeline.Pipeline",
    "preprocessing._data.MaxAbsScaler",
    "preprocessing._data.MinMaxScaler",
    "preprocessing._data.PowerTransformer",
    "preprocessing._data.QuantileTransformer",
    "preprocessing._data.RobustScaler",
    "preprocessing._data.StandardScaler",
    "preprocessing._discretization.KBinsDiscretizer",
    "preprocessing._encoders.OneHotEncoder",
    "preprocessing._encoders.OrdinalEncoder",
    "preprocessing._function_transformer.FunctionTransformer",
    "preprocessing._label.LabelBinarizer",
    "preprocessing._label.LabelEncoder",
    "svm._classes.LinearSVC",
    "svm._classes.SVC",
    "tree._classes.DecisionTreeClassifier",
    "tree._classes.ExtraTreeClassifier",
    # Gradient boosting's bins, trees and loss: numbers, no code.
    "_loss.link.Interval",
    "_loss.link.LogitLink",
    "_loss.link.MultinomialLogit",
    "_loss.loss.HalfBinomialLoss",
    "_loss.loss.HalfMultinomialLoss",
    "ensemble._hist_gradient_boosting.binning._BinMapper",
    "ensemble._hist_gradient_boosting.predictor.TreePredictor",
)
_TREE = "sklearn.tree._tree.Tree"
_CHECK_ARRAY = "sklearn.utils.validation.check_array"
_SCALARS = {
    "number",
    "bool",
    "bool_",
    "str_",
    "bytes_",
    "float16",
    "float32",
    "float64",
    "datetime64",
    "timedelta64",
} | {f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)}
_TYPES: dict[str, set[str]] = {
    "JsonNode": {"builtins.str"},  # of text and numbers, too
    "ListNode": {"builtins.list"},
    "TupleNode": {"builtins.tuple"},
    "SetNode": {"builtins.set"},
    "SliceNode": {"builtins.slice"},
    "DictNode": {"builtins.dict", "collections.OrderedDict", "sklearn.utils._bunch.Bunch"},
    "TypeNode": {f"builtins.{name}" for name in ("str", "int", "float", "bool", "object")}
    | {f"numpy.{name}" for name in _SCALARS},
    "NdArrayNode": {"numpy.ndarray"} | {f"numpy.{name}" for name in _SCALARS},
    "DTypeNode": {"numpy.dtype"},
    "ObjectNode": {f"unnaive.{name}" for name in _UNNAIVE} | {f"sklearn.{name}" for name in _SKLEARN},
    "LossNode": {f"sklearn._loss._loss.{name}" for name in ("CyHalfBinomialLoss", "CyHalfMultinomialLoss")},
    # The nodes of decision trees.
    "TreeNode": {_TREE},
    # Gradient boosting keeps the random numbers it would go on with, and the check it makes of a row's numbers,
    # the only function in any file; it changes nothing but the type of an array.
    "RandomGeneratorNode": {"numpy.random._generator.Generator"},
    "PartialNode": {"functools.partial"},
    "FunctionNode": {_CHECK_ARRAY},
}


class ModelFileError(ValueError):
    """A file is no model file, is damaged, is not to be trusted, or a model cannot be kept in one.

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
    """What a model file holds.

    Attributes
    ----------
    model : estimator
        Fitted, as it was saved.
    target : str
        Name of the column it predicts.
    manifest : dict
        What :func:`read_manifest` tells about it.

    Examples
    --------
    >>> from unnaive.persist import SavedModel
    >>> SavedModel(model=None, target="species", manifest={}).target
    'species'
    """

    model: Any
    target: str
    manifest: dict[str, Any]


def save(model: Any, path: str | os.PathLike[str], *, target: str = "class", notes: Any = None) -> None:
    """Write a fitted classifier to a file.

    The file appears in one step: it is complete, or what was there before is still there.

    Parameters
    ----------
    model : estimator
        A classifier of this package, or one of scikit-learn's that model files can hold, in pipelines too.
    path : str or path
        By custom the name ends in ``.unnaive``.
    target : str, default="class"
        Name of the column that the model predicts.
    notes : object, optional
        What else to put in the manifest: anything that JSON can hold.

    Raises
    ------
    ModelFileError
        If the model holds what a file cannot hold, or the file cannot be written.

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
        raise ModelFileError(f"The target {target!r} is no name of a column.")
    payload = _pack(model)
    manifest = {
        "format": _FORMAT,
        "unnaive": __version__,
        "libraries": _libraries(),
        "written": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        **_describe(model),
        "target": target,
        "notes": notes,
        "sha256": hashlib.sha256(payload).hexdigest(),
    }
    try:
        text = json.dumps(manifest, indent=1, allow_nan=False)
    except (TypeError, ValueError) as problem:
        raise ModelFileError("The notes cannot be kept, as they hold more than JSON can.") from problem
    with _Replacing(path) as stream:
        for compression in (ZIP_DEFLATED, ZIP_STORED):
            stream.seek(0)
            stream.truncate()
            with ZipFile(stream, "w", compression, compresslevel=_LEVEL) as archive:
                archive.writestr(_MANIFEST, text)
                archive.writestr(_MODEL, payload)
            # Counts that are nearly all zero shrink so far that they look like an attack: those are not compressed.
            if len(payload) <= _limit(stream.tell()):
                break


def load(path: str | os.PathLike[str]) -> SavedModel:
    """Read a model file; nothing in it is run, and what it holds is checked.

    Parameters
    ----------
    path : str or path

    Returns
    -------
    SavedModel

    Raises
    ------
    ModelFileError
        If the file is missing, damaged, newer than this package, or holds anything else than a sound model.

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
    >>> saved.model.partial_fit([["blue", "cold"]], ["museum"]).class_count_  # it goes on learning
    array([1., 2.])
    """
    file = _quoted(path)
    manifest, payload = _read(path)
    unsound = f"{file} does not hold a sound model, as its parts do not fit together: fit and save it again."
    try:
        types, others = _audit(payload)
        if not others:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                model = _unpack(payload, types)
                described = _describe(model)
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
    """Tell what a model file holds without loading the model; that it is complete and unchanged is checked.

    Parameters
    ----------
    path : str or path

    Returns
    -------
    dict
        ``format``, ``unnaive`` and ``libraries`` (versions), ``written`` (time, UTC), ``estimator``,
        ``parameters`` (texts), ``columns`` (``name``, ``kind``, ``holds`` and number of ``values``), ``classes``,
        ``weight`` of the rows learnt from, ``target``, ``notes`` and ``sha256`` of the model.

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
    [{'name': None, 'kind': 'category', 'holds': 'text', 'values': 2}]
    """
    return _read(path)[0]


# The file


class _Replacing:
    """A file to write to that takes the place of another when all went well, and vanishes otherwise."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(os.path.realpath(path))
        self.file = _quoted(path)
        self.draft = self.path.with_name(f".{secrets.token_hex(8)}.draft")

    def __enter__(self) -> IO[bytes]:
        if self.path.is_dir():
            raise ModelFileError(f"{self.file} is a folder: name a file in it.")
        try:
            self.stream = open(self.draft, "xb+")
        except OSError as problem:
            raise ModelFileError(f"{self.file} cannot be written: {problem.strerror}.") from problem
        return self.stream

    def __exit__(self, kind: type[BaseException] | None, problem: BaseException | None, _: Any) -> None:
        try:
            with self.stream:
                if problem is None:
                    self.stream.flush()
                    os.fsync(self.stream.fileno())
            if problem is None:
                os.replace(self.draft, self.path)
        except OSError as failure:
            problem = problem or failure
        finally:
            self.draft.unlink(missing_ok=True)
        if isinstance(problem, OSError):
            raise ModelFileError(f"{self.file} cannot be written: {problem.strerror}.") from problem


def _read(path: str | os.PathLike[str]) -> tuple[dict[str, Any], bytes]:
    """Manifest and model of a file, as they were written."""
    file = _quoted(path)
    corrupted = f"{file} is corrupted, as it is not what was written: copy or save it again."
    try:
        if not os.path.exists(path):
            raise ModelFileError(f"There is no file {file}.")
        if not os.path.isfile(path):
            raise ModelFileError(f"{file} is a folder or a device, not a model file.")
        with open(path, "rb") as stream:
            archive = _open(stream, file)
            limit = _limit(os.path.getsize(path))
            members = archive.namelist()
            if _MANIFEST not in members:
                raise ModelFileError(f"{file} is not a model file, but another archive.")
            manifest = json.loads(_member(archive, _MANIFEST, limit, file))
            if _is(manifest.get("format"), int) and manifest["format"] > _FORMAT:
                named = re.fullmatch(r"[\w.+-]{1,40}", str(manifest.get("unnaive")), re.ASCII)
                release = f"unnaive {named.group()}" if named else "a release of unnaive"
                raise ModelFileError(
                    f"{file} was written by {release}, newer than this {__version__}: upgrade to read it."
                )
            if not _is_manifest(manifest) or sorted(members) != [_MANIFEST, _MODEL]:
                raise ModelFileError(corrupted)
            payload = _member(archive, _MODEL, limit, file)
    except ModelFileError:
        raise
    except PermissionError as problem:
        raise ModelFileError(f"{file} cannot be read: permission denied.") from problem
    except Exception as problem:  # whatever zipfile, zlib and json stumble over
        raise ModelFileError(corrupted) from problem
    if hashlib.sha256(payload).hexdigest() != manifest["sha256"]:
        raise ModelFileError(corrupted)
    return manifest, payload


def _open(stream: IO[bytes], file: str) -> ZipFile:
    start = stream.read(4)
    try:
        return ZipFile(stream)
    except BadZipFile as problem:
        if b"PK\x03\x04".startswith(start):
            raise ModelFileError(f"{file} is truncated, as its end is missing: copy or save it again.") from problem
        raise ModelFileError(f"{file} is not a model file: unnaive did not write it.") from problem


def _member(archive: ZipFile, name: str, limit: int, file: str) -> bytes:
    info = archive.getinfo(name)
    if info.file_size > limit:
        raise ModelFileError(
            f"{file} would unpack to {info.file_size:,} bytes, more than a model file of its size can."
        )
    if info.compress_type not in (ZIP_DEFLATED, ZIP_STORED):
        raise ValueError("Model files are compressed by deflate.")
    content = bytearray()
    with archive.open(info) as member:
        # In pieces: a member that lies about its size would be unpacked at once otherwise.
        while piece := member.read(_CHUNK):
            content += piece
    if len(content) != info.file_size:
        raise ValueError("The member ends too early.")
    return bytes(content)


def _limit(size: int) -> int:
    return min(_LARGEST, max(_SMALL, _RATIO * size))


def _quoted(path: str | os.PathLike[str]) -> str:
    return repr(os.fspath(path))


def _is(value: Any, kind: type | tuple[type, ...]) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)


def _is_manifest(manifest: dict[str, Any]) -> bool:
    return (
        all(field in manifest and _is(manifest[field], kind) for field, kind in _FIELDS.items())
        and "notes" in manifest
        and all(isinstance(text, str) for field in ("libraries", "parameters") for text in manifest[field].values())
        and all(column.keys() == {"name", "kind", "holds", "values"} for column in manifest["columns"])
        and manifest["format"] > 0
    )


# What the manifest tells


def _describe(model: Any) -> dict[str, Any]:
    counted = getattr(model, "class_count_", None)
    facts = {
        "estimator": _public_name(type(model)),
        "parameters": {name: repr(value) for name, value in model.get_params(deep=False).items()},
        "columns": _columns(model),
        "classes": np.asarray(model.classes_).tolist(),
        "weight": None if counted is None else float(np.sum(counted)),
    }
    return json.loads(json.dumps(facts, default=str))


def _public_name(kind: type) -> str:
    if kind.__module__.startswith("unnaive."):
        return kind.__name__
    return ".".join([part for part in kind.__module__.split(".") if not part.startswith("_")] + [kind.__name__])


def _columns(model: Any) -> list[dict[str, Any]]:
    n_columns = getattr(model, "n_features_in_", 0)
    names = getattr(model, "feature_names_in_", [None] * n_columns)
    encoder = getattr(model, "encoder_", None)
    if encoder is None:
        return [{"name": name, "kind": None, "holds": None, "values": None} for name in names]
    columns = []
    for name, categories, n_values in zip(names, encoder.categories_, encoder.n_values_.tolist()):
        kind, holds = "number", "numbers"
        if categories is not None:
            kind = "category"
            holds = " and ".join(sorted({_KINDS.get(type(value), "numbers") for value in categories}))
        columns.append({"name": name, "kind": kind, "holds": holds, "values": n_values or None})
    return columns


def _libraries() -> dict[str, str]:
    import sklearn
    import skops

    return {"numpy": np.__version__, "scikit-learn": sklearn.__version__, "skops": skops.__version__}


def _warn_of_another_release(manifest: dict[str, Any], types: list[str]) -> None:
    """scikit-learn's own warning, once a file and not once a tree."""
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
    import skops.io

    _check_kind(model)
    refusal = f"This {type(model).__name__} cannot be saved, as"
    try:
        payload = skops.io.dumps(model)
        _, others = _audit(payload)
        if not others:
            _check(model)
            for part in _parts(model):
                if _full_name(type(part)).startswith("unnaive.classifiers."):
                    part.check_state()
    except Exception as problem:
        raise ModelFileError(
            f"{refusal} it was changed since it was fitted, or has what no file can keep."
        ) from problem
    if others:
        raise ModelFileError(f"{refusal} it holds {_listed(others)}, which no model file may hold.")
    if len(payload) > _LARGEST:
        raise ModelFileError(f"{refusal} it takes {len(payload):,} bytes.")
    return payload


def _unpack(payload: bytes, types: list[str]) -> Any:
    import skops.io

    model = skops.io.loads(payload, trusted=types)
    _check_kind(model)
    _check(model)
    return model


def _check_kind(model: Any) -> None:
    from sklearn.base import is_classifier
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(model)
    if not is_classifier(model):
        raise ModelFileError(f"This {type(model).__name__} is no classifier, and model files are for classifiers.")


def _audit(payload: bytes) -> tuple[list[str], list[str]]:
    """The names of all types in a model: those that may be in a file, and the others."""
    with ZipFile(io.BytesIO(payload)) as archive:
        members = archive.infolist()
        if len({member.filename for member in members}) < len(members):
            raise ValueError("Two members have the same name.")
        if any(member.compress_type != ZIP_STORED for member in members):
            raise ValueError("The model is compressed as a whole, not in parts.")
        if sum(max(member.file_size, member.compress_size) for member in members) > len(payload):
            raise ValueError("Members overlap.")
        nodes = list(_nodes(json.loads(archive.read(_SCHEMA))))
        named = {(node["__loader__"], f"{node['__module__']}.{node['__class__']}") for node in nodes}
        others = {name for loader, name in named if name not in _TYPES.get(loader, ())}
        if not others:
            for member in members:
                if member.filename != _SCHEMA:
                    with archive.open(member) as array:
                        _check_array_file(array, member.file_size)
            _check_nodes(nodes, archive)
    return sorted({name for _, name in named} - others), sorted(others)


def _check_nodes(nodes: list[dict[str, Any]], archive: ZipFile) -> None:
    users: dict[str, int] = {}
    known: dict[int, Any] = {}
    for node in nodes:
        identity, loader = node["__id__"], node["__loader__"]
        # skops makes one object of all that have the same identity, so they have to be the same.
        if type(identity) is not int or not _same(known.setdefault(identity, node), node, archive):
            raise ValueError("Two objects have the same identity.")
        if "file" in node and users.setdefault(node["file"], identity) != identity:
            raise ValueError("An array is used twice.")
        if loader in _ARGUMENTS and not _ARGUMENTS[loader](node, archive):
            raise ValueError(f"A {loader} has other arguments than it can have.")


def _nodes(schema: Any) -> Iterator[dict[str, Any]]:
    """Everything in a schema that skops could make an object of."""
    rest = [(schema, 0)]
    while rest:
        part, depth = rest.pop()
        if depth > _DEEPEST:
            raise ValueError("The schema is nested too deeply.")
        if isinstance(part, dict):
            if "__loader__" in part:
                yield part
            rest.extend((value, depth + 1) for value in part.values())
        elif isinstance(part, list):
            rest.extend((value, depth + 1) for value in part)


def _same(one: Any, other: Any, archive: ZipFile) -> bool:
    """Whether two parts of a schema make the same object; what is in them may have other identities."""
    if one is other:
        return True
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(
            _same_array(one[key], other[key], archive) if key == "file" else _same(one[key], other[key], archive)
            for key in one
            if key != "__id__"
        )
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(_same(*pair, archive) for pair in zip(one, other))
    return type(one) is type(other) and one == other


def _same_array(one: str, other: str, archive: ZipFile) -> bool:
    if one == other:
        return True
    same_size = archive.getinfo(one).file_size == archive.getinfo(other).file_size
    return same_size and archive.read(one) == archive.read(other)


def _check_array_file(stream: IO[bytes], size: int) -> None:
    """An array that has as many bytes as it says: numpy allocates first and reads then."""
    if np.lib.format.read_magic(stream) != (1, 0):
        raise ValueError("An array is stored in another format.")
    shape, _, dtype = np.lib.format.read_array_header_1_0(stream)
    n_bytes = dtype.itemsize
    for length in shape:
        n_bytes *= length
    if dtype.hasobject or dtype.itemsize == 0 or min(shape, default=0) < 0 or stream.tell() + n_bytes != size:
        raise ValueError("An array has not the size it says.")


def _is_plain(node: dict[str, Any], _: ZipFile) -> bool:
    return not isinstance(json.loads(node["content"]), list | dict)


def _is_tree(node: dict[str, Any], archive: ZipFile) -> bool:
    """Tree(n_features, n_classes, n_outputs) with a single output, for which there is a number of classes."""
    n_features, n_classes, n_outputs = node["__reduce__"]["args"]["content"]
    if [n_features["__loader__"], n_classes["type"], n_outputs["__loader__"]] != ["JsonNode", "numpy", "JsonNode"]:
        return False
    numbers = np.load(io.BytesIO(archive.read(n_classes["file"])), allow_pickle=False)
    right = numbers.dtype == np.int64 and numbers.shape == (1,) and numbers[0] > 0
    return right and json.loads(n_outputs["content"]) == 1


def _is_generator(node: dict[str, Any], _: ZipFile) -> bool:
    """PCG64 seeded as usual: a huge pool of seeds would take for ever to mix."""
    generator, seed = (node["content"][part]["content"] for part in ("bit_generator", "seed_seq"))
    return (generator["bit_generator"]["content"], seed["pool_size"]["content"]) == ('"PCG64"', "4")


def _is_array_check(node: dict[str, Any], _: ZipFile) -> bool:
    content = node["content"]
    return (
        (content["func"]["__loader__"], content["args"]["content"]) == ("FunctionNode", [])
        and content["kwds"]["content"].keys() == {"dtype", "ensure_all_finite"}
        and content["namespace"]["content"] in ({}, "null")
    )


_ARGUMENTS: dict[str, Callable[[dict[str, Any], ZipFile], bool]] = {
    "JsonNode": _is_plain,
    "TreeNode": _is_tree,
    "RandomGeneratorNode": _is_generator,
    "PartialNode": _is_array_check,
}


def _listed(names: list[str]) -> str:
    shown = [ascii(name[:80])[1:-1] for name in names[:3]]
    return ", ".join(shown) + (f" and {len(names) - 3} more types" if len(names) > 3 else "")


# What compiled code relies on


def _check(model: Any) -> None:
    """Refuse a model that would make compiled code read or write where it must not.

    Counting classifiers look after themselves when they are made.
    """
    for part in _parts(model):
        kind = type(part)
        check = _CHECKS.get(_full_name(kind))
        if check is not None and not check(part):
            raise ValueError(f"A {kind.__name__} is not sound.")
        if any(hasattr(kind, name) for name in vars(part)):
            raise ValueError(f"A {kind.__name__} has its own form of what its class has.")
        n_jobs = getattr(part, "n_jobs", None)
        if n_jobs is not None and (n_jobs == 0 or n_jobs > _MOST_JOBS):
            raise ValueError(f"A {kind.__name__} would start no processes, or too many.")


def _parts(model: Any) -> Iterator[Any]:
    """Everything in a model that has attributes, estimators first of all."""
    rest, seen = [model], set()
    while rest:
        part = rest.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        name = _full_name(type(part))
        if isinstance(part, dict):
            rest.extend(part.values())
        elif isinstance(part, list | tuple | set):
            rest.extend(part)
        elif isinstance(part, np.ndarray) and part.dtype == object:
            rest.extend(part.ravel().tolist())
        elif name in _TYPES["ObjectNode"]:
            yield part
            rest.extend(value for key, value in vars(part).items() if key != "tree_" or name not in _TREES)
        elif name == _TREE:
            raise ValueError("A tree has no estimator that would check what it is given.")


def _full_name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__name__}"


def _fitted(part: Any, attribute: str) -> bool:
    return attribute in vars(part)


def _is_sound_encoder(encoder: Any) -> bool:
    return not _fitted(encoder, "_categories") or encoder.check_state() is None


def _is_sound_discretizer(mdl: Any) -> bool:
    if not _fitted(mdl, "n_bins_"):
        return not _fitted(mdl, "cut_points_")
    cuts = mdl.cut_points_
    return (
        len(cuts) == mdl.n_features_in_ > 0
        and mdl.n_bins_.dtype == np.int64
        and mdl.n_bins_.tolist() == [len(of_column) + 1 for of_column in cuts]
        and all(c.dtype == np.float64 and c.ndim == 1 and not np.isnan(c).any() for c in cuts)
    )


def _is_sound_tree(tree: Any) -> bool:
    if not _fitted(tree, "tree_"):
        return True
    nodes = tree.tree_
    if _full_name(type(nodes)) != _TREE or not nodes.n_features == tree.n_features_in_ > 0:
        return False
    return nodes.node_count == nodes.capacity > 0 and _leads_to_leaves(
        nodes.children_left != -1, nodes.children_left, nodes.children_right, nodes.feature, nodes.n_features
    )


def _leads_to_leaves(inner: Any, left: Any, right: Any, feature: Any, n_features: int) -> bool:
    """Whether children come after their parents, so that every path ends, and only known columns are asked for."""
    at = np.flatnonzero(inner)
    left, right, feature = left[at].astype(np.int64), right[at].astype(np.int64), feature[at]
    return bool(
        (left > at).all()
        and (right > at).all()
        and (np.maximum(left, right) < len(inner)).all()
        and ((feature >= 0) & (feature < n_features)).all()
    )


def _is_sound_forest(forest: Any) -> bool:
    # The trees of a forest do not look at the number of columns again.
    return not _fitted(forest, "estimators_") or all(
        _full_name(type(tree)) in _TREES and _fitted(tree, "tree_") and tree.n_features_in_ == forest.n_features_in_
        for tree in forest.estimators_
    )


def _is_sound_boosting(model: Any) -> bool:
    if not _fitted(model, "_predictors"):
        return True
    categorical, n_columns = model._bin_mapper.is_categorical_, model.n_features_in_
    if not (categorical.dtype.kind in "bu" and categorical.shape == (n_columns,) and _keeps_columns(model)):
        return False
    for predictor in (predictor for of_iteration in model._predictors for predictor in of_iteration):
        nodes, bits = predictor.nodes, predictor.raw_left_cat_bitsets
        inner = nodes["is_leaf"] == 0
        by_category = nodes[inner & (nodes["is_categorical"] != 0)]
        if not (
            nodes.ndim == 1
            and len(nodes) > 0
            and bits.ndim == 2
            and bits.shape[1] == 8
            and _leads_to_leaves(inner, nodes["left"], nodes["right"], nodes["feature_idx"], n_columns)
            and (by_category["bitset_idx"] < len(bits)).all()
            and categorical[by_category["feature_idx"]].all()
        ):
            return False
    return True


def _keeps_columns(model: Any) -> bool:
    """Whether what gradient boosting does to a row first, categories to codes, leaves as many columns."""
    columns, n_columns = model._preprocessor, model.n_features_in_
    if columns is None:
        return True
    (first, encoder, coded), (second, check, numbers), *rest = columns.transformers_
    return (
        [first, second] == ["encoder", "numerical"]
        and [type(encoder).__name__, type(check).__name__] == ["OrdinalEncoder", "FunctionTransformer"]
        and all(transformer == "drop" for _, transformer, _ in rest)
        and coded.dtype == numbers.dtype == bool
        and coded.shape == numbers.shape == (n_columns,)
        and bool((coded != numbers).all())
        and columns.n_features_in_ == n_columns
        and columns._transformer_to_input_indices["encoder"] == np.flatnonzero(coded).tolist()
        and columns._transformer_to_input_indices["numerical"] == np.flatnonzero(numbers).tolist()
        and getattr(columns, "feature_names_in_", coded).shape == (n_columns,)
    )


def _is_sound_svc(svc: Any) -> bool:
    if not _fitted(svc, "support_vectors_"):
        return True
    n_classes, n_vectors = len(svc.classes_), len(svc.support_)
    n_pairs = n_classes * (n_classes - 1) // 2
    return (
        svc.kernel in ("linear", "poly", "rbf", "sigmoid")
        and svc._sparse is False
        and n_classes > 1
        and svc.support_.ndim == 1
        and svc.support_vectors_.shape == (n_vectors, svc.n_features_in_)
        and svc._n_support.shape == (n_classes,)
        and bool((svc._n_support >= 0).all())
        and svc._n_support.sum() == n_vectors > 0
        and svc._dual_coef_.shape == (n_classes - 1, n_vectors)
        and svc._intercept_.shape == (n_pairs,)
        and svc._probA.shape == svc._probB.shape
        and svc._probA.shape in ((0,), (n_pairs,))
    )


def _is_sound_one_hot(encoder: Any) -> bool:
    """Whether every category gets a column that the (sparse) result has."""
    if not _fitted(encoder, "categories_"):
        return True
    dropped, sizes = encoder._drop_idx_after_grouping, encoder._n_features_outs
    if not (isinstance(sizes, list) and len(encoder.categories_) == len(sizes) == encoder.n_features_in_ > 0):
        return False
    for column, (categories, size) in enumerate(zip(encoder.categories_, sizes)):
        codes = np.arange(len(categories))
        if encoder._infrequent_enabled:
            rare, grouped = encoder._infrequent_indices[column], encoder._default_to_infrequent_mappings[column]
            codes = codes if rare is None else np.append(codes, rare[0])
            codes = codes if grouped is None else np.take(grouped, codes)
        if dropped is not None and dropped[column] is not None:
            codes = codes[codes != dropped[column]]
            codes = codes - (codes > dropped[column])
        # Numbers are looked up by a search, which would end beyond the last of them if they were not in order.
        numbers = [value for value in categories.tolist() if isinstance(value, int | float) and value == value]
        if not (size >= 0 and ((codes >= 0) & (codes < size)).all() and numbers == sorted(set(numbers))):
            return False
    return True


def _is_sound_transformer(transformer: Any) -> bool:
    return transformer.inverse_func is None and (transformer.func is None or isinstance(transformer.func, partial))


def _is_sound_pipeline(pipeline: Any) -> bool:
    # A cache is a folder of pickles.
    return pipeline.memory is None


_TREES = ("sklearn.tree._classes.DecisionTreeClassifier", "sklearn.tree._classes.ExtraTreeClassifier")
_CHECKS: dict[str, Callable[[Any], bool]] = {
    "unnaive.represent.table.TableEncoder": _is_sound_encoder,
    "unnaive.represent.discretize.MDLDiscretizer": _is_sound_discretizer,
    "sklearn.ensemble._forest.ExtraTreesClassifier": _is_sound_forest,
    "sklearn.ensemble._forest.RandomForestClassifier": _is_sound_forest,
    "sklearn.ensemble._hist_gradient_boosting.gradient_boosting.HistGradientBoostingClassifier": _is_sound_boosting,
    "sklearn.pipeline.Pipeline": _is_sound_pipeline,
    "sklearn.preprocessing._encoders.OneHotEncoder": _is_sound_one_hot,
    "sklearn.preprocessing._function_transformer.FunctionTransformer": _is_sound_transformer,
    "sklearn.svm._classes.SVC": _is_sound_svc,
    **dict.fromkeys(_TREES, _is_sound_tree),
}
