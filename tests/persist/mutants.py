"""Model files whose content was changed and whose hash is right, and what becomes of each.

``python -m tests.persist.mutants seed number`` makes that many of every model of the registry, and with ``every``
instead all of a kind: each single value replaced by some others, and each attribute and element left out.
"""

import io
import json
import sys
import tempfile
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import parallel_config

from tests.persist.files import as_npy, forged, members_of, parts_of
from unnaive.models import MODELS
from unnaive.persist import ModelFileError, load, save
from unnaive.persist.allow_list import nodes_of

# Parameters that make files small and fits short.
FEW = {
    "forest": {"classifier__n_estimators": 3, "classifier__max_depth": 3},
    "boosting": {"histgradientboostingclassifier__max_iter": 2},
    "massbayes": {"n_trees": 3},
    "icgnb": {"classifier__n_epochs": 3},
    "ag-nbc": {"classifier__n_hidden": 3},
    "ae-nbc": {"classifier__n_epochs": 3},
    "dtc": {"n_components": 3},
    "dtc-mixture": {"n_components": 3},
}
VALUES = (None, True, False, -1, 0, 1, 7, 2**63, 0.5, 1e300, float("nan"), "", "x")  # in place of others
WORDS = ["boat", "sail", "wave", "salt", "harbour", "tide", "rock", "snow", "goat"]


def table_of(seed, n_rows=40, missing=True):
    """Text, booleans, small integers and numbers, a few of them missing, and labels that depend on them."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(3, size=n_rows)
    table = pd.DataFrame(
        {
            "colour": np.array(["red", "green", "blue", "grey"])[(labels + rng.integers(2, size=n_rows)) % 4],
            "tall": np.where(rng.random(n_rows) < 0.2 + 0.3 * labels, "yes", "no"),
            "width": rng.normal(labels, 1.0).round(1),
            "length": rng.normal(3.0 * labels, 2.0),
        }
    )
    table.loc[rng.random(n_rows) < 0.1, "colour"] = None
    if missing:
        table.loc[rng.random(n_rows) < 0.1, "length"] = None
    return table, np.array(["a", "b", "c"])[labels]


def documents_of(seed, n_documents=30):
    """Documents of a few words, and labels that depend on them."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n_documents) % 3
    words = [rng.choice(WORDS[2 * label : 2 * label + 5], rng.integers(2, 9)) for label in labels]
    return [" ".join(chosen) for chosen in words], np.array(["a", "b", "c"])[labels]


NAMES = [name for name, model in MODELS.items() if model.can_be_saved]


def save_sound(name, path):
    """Save a small model of the registry, with rows for it to predict in its notes."""
    of_text = MODELS[name].data == "text"
    (rows, labels), (new, _) = (
        (documents_of(0), documents_of(1, 10)) if of_text else (table_of(0), table_of(1, 10, missing=False))
    )
    made = MODELS[name].make_for_documents() if of_text else MODELS[name].make_for_table()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made.set_params(**FEW.get(name, {})).fit(rows, labels)
    save(made, path, notes=new if of_text else json.loads(new.to_json(orient="split")))


def mutants(path, seed, n):
    """Yield ``n`` descriptions and contents of files that differ from the one at ``path`` in one place."""
    rng = np.random.default_rng(seed)
    whole = Path(path).read_bytes()
    for number in range(n):
        told = []

        def edit(schema, members, told=told):
            changes = [_other_array, _other_value, _other_value, _other_scalar, _other_list]
            while not told:
                description = changes[rng.integers(len(changes))](rng, schema, members)
                if description:
                    told.append(description)

        content = forged(whole, edit)
        yield f"{number}: {told[0]}", content


def outcome(content):
    """What becomes of a file: "refused", "sound", or what is wrong with it."""
    with tempfile.NamedTemporaryFile(suffix=".unnaive") as file:
        file.write(content)
        file.flush()
        try:
            saved = load(file.name)
        except ModelFileError:
            return "refused"
    notes = saved.manifest["notes"]
    rows = notes if isinstance(notes, list) else pd.DataFrame(notes["data"], columns=notes["columns"])
    with warnings.catch_warnings(), np.errstate(all="ignore"), parallel_config("sequential"):
        warnings.simplefilter("ignore")
        try:
            if not hasattr(saved.model, "predict_proba"):
                return "sound" if np.isfinite(saved.model.decision_function(rows)).all() else "not finite"
            probabilities = saved.model.predict_proba(rows)
        except Exception as problem:
            return f"fails to predict: {problem!r}"
    if not np.isfinite(probabilities).all():
        return "not finite"
    return "sound" if np.allclose(probabilities.sum(axis=1), 1.0) else "not probabilities"


def every_mutant(path):
    """Yield a description and the content of all files in which one value is another, or one element is missing."""
    whole = Path(path).read_bytes()
    schema, _ = members_of(parts_of(whole)[1])
    plans = []
    for place, node in enumerate(nodes_of(schema)):
        content = node.get("content")
        if node["__loader__"] == "JsonNode":
            plans += [(place, value) for value in VALUES if not _same(value, json.loads(content))]
        elif isinstance(content, list) or (isinstance(content, dict) and node["__loader__"] == "DictNode"):
            plans += [(place, element) for element in (content if isinstance(content, dict) else range(len(content)))]

    for place, change in plans:
        told = []

        def edit(schema, members, place=place, change=change, told=told):
            node = list(nodes_of(schema))[place]
            content, where = node["content"], _place_of(schema, node)
            if node["__loader__"] == "JsonNode":
                told.append(f"{where} = {change!r}, not {content[:50]}")
                node.update(content=json.dumps(change), __id__=2**40)
                return
            told.append(f"{where} without {change}")
            if isinstance(content, dict):
                node["key_types"]["content"].pop(list(content).index(change))
            del content[change]

        content = forged(whole, edit)
        yield told[0], content


def _same(one, other):
    return type(one) is type(other) and repr(one) == repr(other)


def _place_of(schema, wanted):
    """Where in the model something is, as readable text."""
    rest = [("", schema)]
    while rest:
        path, part = rest.pop()
        if part is wanted:
            return path
        if isinstance(part, dict):
            rest.extend((path if key == "content" else f"{path}.{key}", value) for key, value in part.items())
        elif isinstance(part, list):
            rest.extend((f"{path}[{place}]", value) for place, value in enumerate(part))
    raise AssertionError


def _any_array(rng, schema, members):
    nodes = [node for node in nodes_of(schema) if "file" in node]
    node = nodes[rng.integers(len(nodes))]
    return node["file"], np.load(io.BytesIO(members[node["file"]])), _place_of(schema, node)


def _other_array(rng, schema, members):
    """An array of another shape or type."""
    name, array, place = _any_array(rng, schema, members)
    flat = array.ravel()
    dtypes = ["f4", ">f8", "f8", "i8", "i4", "u1", "?", "U3", "c16", "M8[s]", "i4,f8"]
    dtype = np.dtype(dtypes[rng.integers(len(dtypes))])
    others = {
        "shortened": lambda: flat[: rng.integers(len(flat) + 1)],
        "lengthened": lambda: np.concatenate([flat, flat, flat])[: len(flat) + rng.integers(1, 9)],
        "without its last": lambda: array[:-1],
        "without its last column": lambda: array[..., :-1],
        "with its last twice": lambda: np.concatenate([array, array[-1:]]),
        "in reverse": lambda: array[::-1],
        "transposed": lambda: array.T if array.ndim > 1 else flat[None],
        "by columns": lambda: np.asfortranarray(array),
        "a scalar": lambda: np.array(7),
        "empty": lambda: array[:0],
        f"zeros of type {dtype}": lambda: np.zeros(array.shape, dtype),
        f"of type {dtype}": lambda: array.astype(dtype),
        "all zero": lambda: np.zeros_like(array),
        "all one": lambda: np.ones_like(array),
    }
    how = list(others)[rng.integers(len(others))]
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            members[name] = as_npy(others[how]())
    except (TypeError, ValueError, IndexError):
        return None
    return f"{place} {how}"


def _other_value(rng, schema, members):
    """Other values in a few places of an array."""
    name, array, place = _any_array(rng, schema, members)
    field = None
    if array.dtype.names:
        field = array.dtype.names[rng.integers(len(array.dtype.names))]
    of = array if field is None else array[field]
    if not of.size or not of.ndim:
        return None
    at = np.unravel_index(rng.integers(of.size, size=rng.integers(1, 4)), of.shape)
    values = {
        "f": [np.nan, np.inf, -np.inf, -1.0, 0.0, 1.0, 0.5, 1e-300, 1e9, 1e154, 1e308, -1e308],
        "i": [-2, -1, 0, 1, 7, 1000, 2**31 - 1, -(2**31), 2**62, -(2**63)],
        "u": [0, 1, 7, 255, 1000, 2**31, 2**63],
        "b": [False, True],
        "U": ["", "a", "zz"],
    }.get(of.dtype.kind)
    if values is None:
        return None
    value = values[rng.integers(len(values))]
    with np.errstate(all="ignore"):
        if rng.random() < 0.2 and of.dtype.kind in "fiu":
            of[at] = of[at] + of.dtype.type(1)
            value = "one more"
        else:
            of[at] = np.array(value).astype(of.dtype)
    members[name] = as_npy(array)
    return f"{place}{'' if field is None else f' {field}'}{[i.tolist() for i in at]} = {value}"


def _other_scalar(rng, schema, _):
    """Another number or text."""
    nodes = [node for node in nodes_of(schema) if node["__loader__"] == "JsonNode"]
    node = nodes[rng.integers(len(nodes))]
    now = json.loads(node["content"])
    junk = [
        None,
        True,
        False,
        -1,
        0,
        1,
        2,
        7,
        2**31,
        2**63,
        0.5,
        1e300,
        1e-300,
        float("nan"),
        float("inf"),
        "",
        "x",
        "a",
    ]
    value = junk[rng.integers(len(junk))]
    if type(now) in (int, float) and rng.random() < 0.5:
        value = [now + 1, now - 1, now * 2, -now][rng.integers(4)]
    place = _place_of(schema, node)
    node.update(content=json.dumps(value), __id__=int(rng.integers(2**40)))
    return f"{place} = {value!r}, not {str(now)[:50]!r}"


def _other_list(rng, schema, _):
    """A list, tuple, dict or array of objects with an element less, twice, or two exchanged."""
    nodes = [node for node in nodes_of(schema) if isinstance(node.get("content"), list | dict) and node["content"]]
    node = nodes[rng.integers(len(nodes))]
    content, place = node["content"], _place_of(schema, node)
    if isinstance(content, dict):
        if node["__loader__"] != "DictNode":
            return None
        key = list(content)[rng.integers(len(content))]
        node["key_types"]["content"].pop(list(content).index(key))
        del content[key]
        return f"{place} without {key}"
    one, other = rng.integers(len(content), size=2).tolist()
    how = ["without", "twice", "exchanged"][rng.integers(3)]
    if how == "without":
        del content[one]
    elif how == "twice":
        content.append(content[one])
    else:
        content[one], content[other] = content[other], content[one]
    return f"{place} {how} {one} {other}"


def survey(seed, n, names=NAMES):
    """Tell what becomes of ``n`` mutants of every model, or of all, one line each that is neither refused nor sound."""
    outcomes = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for place, name in enumerate(names):
            path = Path(folder) / "sound.unnaive"
            save_sound(name, path)
            assert outcome(path.read_bytes()) == "sound", name
            made = every_mutant(path) if n is None else mutants(path, seed + 1000 * place, n)
            for description, content in made:
                print(f"trying {name} {description}", file=sys.stderr, flush=True)
                told = outcome(content)
                outcomes[told.split(":")[0]] += 1
                if told not in ("refused", "sound"):
                    print(f"{name} {description}: {told}", flush=True)
    print(json.dumps(outcomes))


if __name__ == "__main__":
    if sys.argv[1] == "every":
        survey(0, None, sys.argv[2:] or NAMES)
    else:
        survey(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:] or NAMES)
