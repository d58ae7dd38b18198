"""The types that a model file may hold, and the arguments they may be made with.

Before skops constructs anything, every type in a model is looked up here, together with the way it is constructed;
skops' own lists of trusted types are not used.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from typing import IO, Any
from zipfile import ZIP_STORED, ZipFile

import numpy as np

from unnaive.core.bounded_json import bounded_json
from unnaive.models import FILE_TYPES

SCHEMA = "schema.json"
_MAX_DEPTH = 300
_MAX_SCHEMA = 2**27  # bytes, of at least _BYTES_OF_ITEM per item: skops writes some 20
_BYTES_OF_ITEM = 8

# Types of this package: full names in Python, and the public names that files hold, so that a file can be loaded
# after a class has moved to another module.
OWN_TYPES = {f"unnaive.{module}.{name}": f"unnaive.{name}" for name, module in FILE_TYPES.items()}
# Baselines and preprocessing that predict in Python, or whose compiled code _CHECKS knows the needs of.
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
    "feature_extraction.text.TfidfTransformer",
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
TREE = "sklearn.tree._tree.Tree"
LOSS_MODULE = "_loss"  # name of sklearn._loss._loss in older releases
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
# Every type that may be in a file, by the skops node that constructs it. Nodes that call a type with arguments from
# the file have an entry in _ARGUMENTS, which checks these.
TYPES: dict[str, set[str]] = {
    "JsonNode": {"builtins.str"},  # also for numbers
    "ListNode": {"builtins.list"},
    "TupleNode": {"builtins.tuple"},
    "SetNode": {"builtins.set"},
    "SliceNode": {"builtins.slice"},
    "DictNode": {"builtins.dict", "collections.OrderedDict", "sklearn.utils._bunch.Bunch"},
    "TypeNode": {f"builtins.{name}" for name in ("str", "int", "float", "bool", "object")}
    | {f"numpy.{name}" for name in _SCALARS},
    "NdArrayNode": {"numpy.ndarray"} | {f"numpy.{name}" for name in _SCALARS},
    "DTypeNode": {"numpy.dtype"},
    "ObjectNode": {*OWN_TYPES.values()} | {f"sklearn.{name}" for name in _SKLEARN},
    "LossNode": {
        f"{module}.{name}"
        for module in ("sklearn._loss._loss", LOSS_MODULE)
        for name in ("CyHalfBinomialLoss", "CyHalfMultinomialLoss")
    },
    # The nodes of decision trees.
    "TreeNode": {TREE},
    # Gradient boosting keeps its random generator, and its check of a row's numbers: the only function in any file,
    # which changes nothing but the type of an array.
    "RandomGeneratorNode": {"numpy.random._generator.Generator"},
    "PartialNode": {"functools.partial"},
    "FunctionNode": {_CHECK_ARRAY},
}


def type_name(kind: type) -> str:
    """The name of a type in model files."""
    name = f"{kind.__module__}.{kind.__name__}"
    return OWN_TYPES.get(name, name)


def with_public_names(payload: bytes) -> bytes:
    """A model as skops writes it, with this package's types under their public names."""
    stream = io.BytesIO(payload)
    with ZipFile(stream, "a") as archive:
        schema = json.loads(archive.read(SCHEMA))
        for node in nodes_of(schema):
            if f"{node['__module__']}.{node['__class__']}" in OWN_TYPES:
                node["__module__"] = "unnaive"
        # skops writes the schema last, so that it can be overwritten without copying the arrays.
        last = archive.filelist.pop()
        assert last.filename == SCHEMA
        del archive.NameToInfo[SCHEMA]
        archive.start_dir = last.header_offset
        archive.writestr(SCHEMA, json.dumps(schema))
    return stream.getvalue()


def audit(payload: bytes) -> tuple[list[str], list[str]]:
    """The names of all types in a model: those a file may hold, and the others."""
    with ZipFile(io.BytesIO(payload)) as archive:
        members = archive.infolist()
        if len({member.filename for member in members}) < len(members):
            raise ValueError("Two members have the same name.")
        if any(member.compress_type != ZIP_STORED for member in members):
            raise ValueError("Members of the model are compressed.")
        if sum(max(member.file_size, member.compress_size) for member in members) > len(payload):
            raise ValueError("Members overlap.")
        nodes = list(nodes_of(_schema_of(archive)))
        named = {(node["__loader__"], f"{node['__module__']}.{node['__class__']}") for node in nodes}
        others = {name for loader, name in named if name not in TYPES.get(loader, ())}
        if not others:
            for member in members:
                if member.filename != SCHEMA:
                    with archive.open(member) as array:
                        _check_array_file(array, member.file_size)
            _check_nodes(nodes, archive)
    return sorted({name for _, name in named} - others), sorted(others)


def _schema_of(archive: ZipFile) -> Any:
    size = archive.getinfo(SCHEMA).file_size
    if size > _MAX_SCHEMA:
        raise ValueError("The schema is too long.")
    return bounded_json(archive.read(SCHEMA), max_items=size // _BYTES_OF_ITEM, max_depth=_MAX_DEPTH)


def _check_nodes(nodes: list[dict[str, Any]], archive: ZipFile) -> None:
    users: dict[str, int] = {}
    known: dict[int, Any] = {}
    for node in nodes:
        identity, loader = node["__id__"], node["__loader__"]
        # skops constructs one object for all nodes with the same identity, so these have to be the same.
        if type(identity) is not int or not _same(known.setdefault(identity, node), node, archive):
            raise ValueError("Two objects have the same identity.")
        if "file" in node and users.setdefault(node["file"], identity) != identity:
            raise ValueError("An array is used twice.")
        if loader in _ARGUMENTS and not _ARGUMENTS[loader](node, archive):
            raise ValueError(f"A {loader} has unexpected arguments.")


def nodes_of(schema: Any) -> Iterator[dict[str, Any]]:
    """Everything in a schema that skops could construct an object from."""
    rest = [(schema, 0)]
    while rest:
        part, depth = rest.pop()
        if depth > _MAX_DEPTH:
            raise ValueError("The schema is nested too deeply.")
        if isinstance(part, dict):
            if "__loader__" in part:
                yield part
            rest.extend((value, depth + 1) for value in part.values())
        elif isinstance(part, list):
            rest.extend((value, depth + 1) for value in part)


def _same(one: Any, other: Any, archive: ZipFile) -> bool:
    """Whether two parts of a schema construct the same object; parts in them may have other identities."""
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
    same_size = archive.getinfo(one).file_size == archive.getinfo(other).file_size
    return one == other or (same_size and archive.read(one) == archive.read(other))


def _check_array_file(stream: IO[bytes], size: int) -> None:
    """Refuse an array file whose size is not what its header says: numpy allocates before it reads."""
    if np.lib.format.read_magic(stream) != (1, 0):
        raise ValueError("An array is stored in another format.")
    shape, _, dtype = np.lib.format.read_array_header_1_0(stream)
    n_bytes = dtype.itemsize
    for length in shape:
        n_bytes *= length
    if dtype.hasobject or dtype.itemsize == 0 or min(shape, default=0) < 0 or stream.tell() + n_bytes != size:
        raise ValueError("The size of an array is not what its header says.")


def _is_plain(node: dict[str, Any], _: ZipFile) -> bool:
    # Before skops parses it: neither a list nor an object.
    return node["content"].lstrip()[:1] not in ("[", "{")


def _is_tree(node: dict[str, Any], archive: ZipFile) -> bool:
    """Tree(n_features, n_classes, n_outputs) with one output, and nodes that lead from the first one to leaves."""
    from sklearn.tree._tree import NODE_DTYPE

    arguments, state = node["__reduce__"]["args"], node["content"]
    if arguments["__loader__"] != "TupleNode" or state["__loader__"] != "DictNode":
        return False
    n_features, n_outputs = (_number(arguments["content"][place]) for place in (0, 2))
    n_nodes, _ = (_number(state["content"][name]) for name in ("node_count", "max_depth"))
    n_classes = _array(arguments["content"][1], archive)
    nodes, values = (_array(state["content"][name], archive) for name in ("nodes", "values"))
    return (
        (len(arguments["content"]), len(state["content"]), n_outputs) == (3, 4, 1)
        and n_classes.dtype == np.intp
        and n_classes.shape == (1,)
        and nodes.dtype == NODE_DTYPE
        and nodes.shape == (n_nodes,)
        and values.dtype == np.float64
        and values.shape == (n_nodes, 1, n_classes[0])
        and min(values.shape) > 0
        and leads_to_leaves(
            nodes["left_child"] != -1, nodes["left_child"], nodes["right_child"], nodes["feature"], n_features
        )
    )


def leads_to_leaves(inner: Any, left: Any, right: Any, feature: Any, n_features: int) -> bool:
    """Whether children come after their parents, so that every path ends, and only existing columns are used."""
    at = np.flatnonzero(inner)
    left, right, feature = left[at].astype(np.int64), right[at].astype(np.int64), feature[at]
    return bool(
        (left > at).all()
        and (right > at).all()
        and (np.maximum(left, right) < len(inner)).all()
        and ((feature >= 0) & (feature < n_features)).all()
    )


def _number(node: dict[str, Any]) -> int:
    number = json.loads(node["content"]) if node["__loader__"] == "JsonNode" else None
    if type(number) is not int or not 0 <= number < 2**31:
        raise ValueError("Expected a number.")
    return number


def _array(node: dict[str, Any], archive: ZipFile) -> Any:
    if (node["__loader__"], node["__class__"], node["type"]) != ("NdArrayNode", "ndarray", "numpy"):
        raise ValueError("Expected an array.")
    return np.load(io.BytesIO(archive.read(node["file"])), allow_pickle=False)


def _is_generator(node: dict[str, Any], _: ZipFile) -> bool:
    """PCG64 seeded as usual: a huge seed pool would take forever to mix."""
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
