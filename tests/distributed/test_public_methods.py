"""Distributed fits use only the public methods of models."""

import ast
from pathlib import Path

import pytest

import unnaive.distributed

MODULES = sorted(Path(unnaive.distributed.__file__).parent.glob("*.py"))
OF_DASK = {"_meta"}  # the dtypes of a Dask DataFrame


def private_attributes(code):
    """Attributes beginning with one underscore that are read on anything but self and cls."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.startswith("__"):
            owner = node.value.id if isinstance(node.value, ast.Name) else None
            if owner not in ("self", "cls") and node.attr not in OF_DASK:
                yield node.lineno, node.attr


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.stem)
def test_no_private_attribute_of_another_object_is_read(module):
    assert list(private_attributes(module.read_text(encoding="utf-8"))) == []


def test_a_private_attribute_would_be_found():
    assert sorted(private_attributes("model._derive(1)\nself._kinds\nself.model._kinds\nframe._meta")) == [
        (1, "_derive"),
        (3, "_kinds"),
    ]
