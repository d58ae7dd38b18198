"""Models of plain parts in the format of skops, written without skops, whose import takes longer than most fits.

Plain parts are objects of this package, lists, tuples, dicts with names, arrays, text, numbers, truths and None.
"""

from __future__ import annotations

import io
import json
from typing import Any
from zipfile import ZipFile

import numpy as np

from unnaive.persist.allow_list import OWN_TYPES, SCHEMA, type_name

_PROTOCOL = 2  # of the format; later releases of skops read it
_VALUES = (str, int, float, bool, type(None))


class _NotPlainError(Exception):
    """The model has a part that is not plain."""


def plain_model(model: Any) -> bytes | None:
    """What skops makes of a model, with this package's types under their public names; None if it is not plain."""
    import skops

    stream = io.BytesIO()
    with ZipFile(stream, "w") as archive:
        try:
            schema = _Nodes(archive).of(model)
        except _NotPlainError:
            return None
        archive.writestr(SCHEMA, json.dumps({**schema, "protocol": _PROTOCOL, "_skops_version": skops.__version__}))
    return stream.getvalue()


class _Nodes:
    """Parts of a model as skops describes them; its arrays are written to an archive."""

    def __init__(self, archive: ZipFile) -> None:
        self._archive = archive
        self._parts: dict[int, Any] = {}  # by their identities, which are not given to others meanwhile

    def of(self, part: Any) -> dict[str, Any]:
        """The description of a part."""
        kind = type(part)
        self._parts[id(part)] = part
        if kind in _VALUES:
            content = {**_named(str, "JsonNode"), "content": json.dumps(part), "is_json": True}
        elif kind is dict and all(type(name) is str for name in part):
            content = {
                **_named(dict, "DictNode"),
                "content": {name: self.of(value) for name, value in part.items()},
                "key_types": self.of([str for _ in part]),
            }
        elif kind is list or kind is tuple:
            loader = "ListNode" if kind is list else "TupleNode"
            content = {**_named(kind, loader), "content": [self.of(value) for value in part]}
        elif part is str:
            content = _named(str, "TypeNode")
        elif kind is np.ndarray or issubclass(kind, np.generic):
            content = {**_named(kind, "NdArrayNode"), **self._of_array(part)}
        elif f"{kind.__module__}.{kind.__qualname__}" in OWN_TYPES and kind.__reduce__ is object.__reduce__:
            content = {**_named(kind, "ObjectNode"), "content": self.of(part.__getstate__())}
        else:
            raise _NotPlainError
        return {**content, "__id__": id(part)}

    def _of_array(self, array: Any) -> dict[str, Any]:
        if array.dtype == object:
            return {"content": self.of(array.tolist())["content"], "type": "json", "shape": self.of(array.shape)}
        name = f"{id(array)}.npy"
        if name not in self._archive.NameToInfo:
            content = io.BytesIO()
            np.save(content, array, allow_pickle=False)
            self._archive.writestr(name, content.getbuffer())
        return {"type": "numpy", "file": name}


def _named(kind: type, loader: str) -> dict[str, Any]:
    module, _, name = type_name(kind).rpartition(".")
    return {"__class__": name, "__module__": module, "__loader__": loader}
