"""ARFF, the file format of WEKA."""

from __future__ import annotations

from unnaive.io.relations.relation import read_relation
from unnaive.io.source import Source
from unnaive.io.table_file import FrameTable


def read_arff(source: Source) -> FrameTable:
    """Read an ARFF file whole; the target is the attribute named class (case-insensitive), else the last.

    Strings and dates are text, or days if they are dates of ISO 8601. A sparse row omits zeros and first categories.
    Row weights are ignored with a warning.
    """
    frame, _ = read_relation(source, "ARFF", missing=frozenset({"?"}), lists=frozenset())
    named = [name for name in frame.columns if name.lower() == "class"]
    return FrameTable(source, frame, target=named[-1] if named else frame.columns[-1])
