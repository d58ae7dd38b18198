"""The .dat files of KEEL."""

from __future__ import annotations

from unnaive.io.relation import read_relation
from unnaive.io.source import Source, near
from unnaive.io.table_file import FrameTable

_LISTS = frozenset({"input", "inputs", "output", "outputs"})


def read_keel(source: Source) -> FrameTable:
    """Read a KEEL file as a whole.

    Declared values are categories in the declared order. If the file lists inputs, those and the outputs are the
    columns of the table.

    Parameters
    ----------
    source : Source

    Returns
    -------
    FrameTable
        Its target is the last of the outputs, else the attribute named class, else the last.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from unnaive.io.open_table import open_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "trips.dat"
    ...     _ = path.write_text(
    ...         "@relation trips\\n@attribute place {beach, museum}\\n@attribute warmth real [0.0, 40.0]\\n"
    ...         "@inputs warmth\\n@outputs place\\n@data\\nbeach, 21.0\\nmuseum, <null>\\n"
    ...     )
    ...     trips = open_table(path)
    ...     print(trips.read(), trips.target)
       warmth   place
    0    21.0   beach
    1     NaN  museum place
    """
    relation = read_relation(source, "KEEL", missing=frozenset({"?", "<null>"}), lists=_LISTS)
    frame = relation.frame
    outputs = relation.lists.get("output", [])
    for name in relation.lists.get("input", []) + outputs:
        if name not in frame.columns:
            raise source.error(f"{name!r} is listed in the header but not declared.{near(name, frame.columns)}")
    target = "class" if "class" in frame.columns else frame.columns[-1]
    if outputs:
        target = outputs[-1]
    if "input" in relation.lists:
        chosen = [*relation.lists["input"], *(outputs or [target])]
        frame = frame[list(dict.fromkeys(chosen))]
    return FrameTable(source, frame, target)
