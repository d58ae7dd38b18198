"""KEEL .dat files."""

from __future__ import annotations

from unnaive.io.relations.relation import read_relation
from unnaive.io.source import Source, near
from unnaive.io.table_file import FrameTable

_LISTS = frozenset({"input", "inputs", "output", "outputs"})


def read_keel(source: Source) -> FrameTable:
    """Read a KEEL file whole; the target is the last output, else the attribute named class, else the last.

    If the header lists inputs, only these and the outputs are columns.
    """
    frame, lists = read_relation(source, "KEEL", missing=frozenset({"?", "<null>"}), lists=_LISTS)
    outputs = lists.get("output", [])
    for name in lists.get("input", []) + outputs:
        if name not in frame.columns:
            raise source.error(f"{name!r} is listed in the header but not declared.{near(name, frame.columns)}")
    target = "class" if "class" in frame.columns else frame.columns[-1]
    if outputs:
        target = outputs[-1]
    if "input" in lists:
        chosen = [*lists["input"], *(outputs or [target])]
        frame = frame[list(dict.fromkeys(chosen))]
    return FrameTable(source, frame, target)
