"""ARFF, the files of WEKA."""

from __future__ import annotations

from unnaive.io.relation import read_relation
from unnaive.io.source import Source
from unnaive.io.table_file import FrameTable


def read_arff(source: Source) -> FrameTable:
    """Read an ARFF file as a whole.

    Declared values are categories in the declared order, strings and dates are text, and a sparse row leaves out
    zeros and first categories. Weights of rows are left out with a warning.

    Parameters
    ----------
    source : Source

    Returns
    -------
    FrameTable
        Its target is the attribute named class, in letters of any size, else the last.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from unnaive.io.open_table import open_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "trips.arff"
    ...     _ = path.write_text(
    ...         "@relation trips\\n@attribute sky {clear, grey}\\n@attribute warmth numeric\\n"
    ...         "@data\\nclear, 21\\n?, 14.5\\n"
    ...     )
    ...     print(open_table(path).read())
         sky  warmth
    0  clear    21.0
    1    NaN    14.5
    """
    frame = read_relation(source, "ARFF", missing=frozenset({"?"}), lists=frozenset()).frame
    named = [name for name in frame.columns if name.lower() == "class"]
    return FrameTable(source, frame, target=named[-1] if named else frame.columns[-1])
