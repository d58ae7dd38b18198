"""Trees packed into a few long arrays for model files, and unpacked with checks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unnaive.mass.hd_tree import WORD
from unnaive.mass.mass_forest import Settings, Tree

_OF_NODES = {"attribute": np.int32, "value": np.float64, "link": np.int32, "mass": np.float32, "level": np.int32}
_OF_ENTRIES = {"entry_class": np.int32, "entry_share": np.float64}
_OF_COLUMNS = {"low": np.float64, "high": np.float64, "order": np.int64}


def pack(trees: Sequence[Tree]) -> dict[str, NDArray[Any]]:
    """The parts of all trees one after the other, and the number of nodes and entries of each."""
    if len({tree.address.shape[1] for tree in trees}) > 1:
        raise ValueError("Trees of different depths, or with and without regions, cannot be saved in one file.")
    packed = {
        name: np.concatenate([getattr(tree, name) for tree in trees]) for name in (*_OF_NODES, *_OF_ENTRIES, "address")
    }
    packed |= {
        name: np.stack([getattr(tree, name) for tree in trees]) for name in (*_OF_COLUMNS, "places", "class_weight")
    }
    packed["n_nodes"] = np.array([len(tree.attribute) for tree in trees])
    packed["n_entries"] = np.array([len(tree.entry_class) for tree in trees])
    return packed


def unpack(packed: dict[str, NDArray[Any]], settings: Settings) -> list[Tree]:
    """The trees; a ValueError if they are inconsistent, as compiled code does not check bounds."""
    types = _OF_NODES | _OF_ENTRIES | _OF_COLUMNS
    types |= {"address": np.uint64, "places": np.float64, "class_weight": np.float64}
    types |= {"n_nodes": np.int64, "n_entries": np.int64}
    if packed.keys() != types.keys() or len(packed["n_nodes"]) == 0:
        raise ValueError("Parts of the trees are missing or unknown.")
    n_trees, n_columns = len(packed["n_nodes"]), len(settings.n_categories)
    height = settings.depth * n_columns
    n_words = -(-height // WORD) if settings.regions else 0
    # Python integers, as sums that overflow could be mistaken for the right ones.
    n_nodes, n_entries = sum(packed["n_nodes"].tolist()), sum(packed["n_entries"].tolist())
    shapes: dict[str, tuple[int, ...]] = {
        **dict.fromkeys(_OF_NODES, (n_nodes,)),
        **dict.fromkeys(_OF_ENTRIES, (n_entries,)),
        **dict.fromkeys(_OF_COLUMNS, (n_trees, n_columns)),
        "level": (n_nodes if settings.regions else 0,),
        "address": (n_nodes if settings.regions else 0, n_words),
        "places": (n_trees, int(settings.n_categories.sum())),
        "class_weight": (n_trees, settings.n_classes),
        "n_nodes": (n_trees,),
        "n_entries": (n_trees,),
    }
    for name, shape in shapes.items():
        if packed[name].dtype != types[name] or packed[name].shape != shape:
            raise ValueError(f"The trees' {name} has the wrong shape or type.")
    if min(packed["n_nodes"].min(), packed["n_entries"].min()) < 1:
        raise ValueError("A tree is empty.")
    nodes = np.append(0, np.cumsum(packed["n_nodes"]))
    entries = np.append(0, np.cumsum(packed["n_entries"]))
    trees = []
    for tree in range(n_trees):
        of_nodes, of_entries = slice(*nodes[tree : tree + 2]), slice(*entries[tree : tree + 2])
        parts = {name: packed[name][of_nodes] for name in (*_OF_NODES, "address")}
        parts |= {name: packed[name][of_entries] for name in _OF_ENTRIES}
        parts |= {name: packed[name][tree] for name in (*_OF_COLUMNS, "places", "class_weight")}
        trees.append(Tree(**parts))
        _check(trees[-1], settings)
    return trees


def _check(tree: Tree, settings: Settings) -> None:
    """Check that exactly one way down leads to each leaf, and that indices and numbers are valid."""
    n_nodes, n_entries, n_columns = len(tree.attribute), len(tree.entry_class), len(settings.n_categories)
    at = np.arange(n_nodes)
    inner = tree.attribute >= 0
    attribute, link = tree.attribute.astype(np.int64), tree.link.astype(np.int64)
    places = tree.places[~np.isnan(tree.places)]
    if not (
        (attribute < n_columns).all()
        and (at[inner] + 1 < link[inner]).all()
        and (link[inner] < n_nodes).all()
        and (np.bincount(np.concatenate([at[inner] + 1, link[inner]]), minlength=n_nodes)[1:] == 1).all()
        and (link[~inner] >= 0).all()
        and (link[~inner] - attribute[~inner] <= n_entries).all()
        and ((tree.entry_class >= 0) & (tree.entry_class < settings.n_classes)).all()
        and np.isfinite(tree.value).all()
        and (np.isfinite(tree.mass) & (tree.mass > 0)).all()
        and (np.isfinite(tree.entry_share) & (tree.entry_share >= 0)).all()
        and (np.isfinite(tree.class_weight) & (tree.class_weight >= 0)).all()
        and tree.class_weight.any()
        and np.isfinite(tree.low).all()
        and np.isfinite(tree.high).all()
        and np.array_equal(np.sort(tree.order), np.arange(n_columns))
        and np.isfinite(places).all()
        and (
            not settings.regions
            or ((tree.level >= 0) & (tree.level <= settings.depth * int((tree.low < tree.high).sum()))).all()
        )
    ):
        raise ValueError("A tree is inconsistent.")
    # Every row is in one leaf: what leaves hold adds up, from the leaves to the first node, which holds all rows.
    of_class = np.bincount(tree.entry_class, weights=tree.entry_share, minlength=settings.n_classes)
    before = np.append(0.0, np.cumsum(tree.entry_share * tree.class_weight[tree.entry_class]))
    mass = tree.mass.astype(np.float64)
    expected = np.empty(n_nodes)
    expected[inner] = mass[at[inner] + 1] + mass[link[inner]]
    expected[~inner] = before[link[~inner] - attribute[~inner]] - before[link[~inner]]
    if not (
        np.allclose(of_class, tree.class_weight > 0, atol=1e-6)
        and np.allclose(mass, expected, rtol=1e-4, atol=1e-6 * mass[0])
        and np.isfinite(tree.high - tree.low).all()
    ):
        raise ValueError("The rows in the leaves of a tree do not add up.")
