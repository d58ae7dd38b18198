"""Excel files: the first sheet, read whole."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

import pandas as pd

from unnaive.io.objects.json_lines import table_of_objects
from unnaive.io.reading import Reading
from unnaive.io.source import Source, excerpt
from unnaive.io.table_file import TableFile

BEGINNING = b"PK\x03\x04"


def read_excel(source: Source, reading: Reading) -> TableFile:
    """Read the first sheet of an .xlsx file; markers of missing values are those of CSV files, in every column."""
    try:
        with source.unpacked() as stream:
            cells = pd.read_excel(stream, header=None, dtype=object, keep_default_na=False, na_filter=False)
    except ImportError:
        raise source.error("Excel files need a package: pip install 'unnaive[excel]', or save it as .csv.") from None
    except (ValueError, KeyError, OSError) as error:
        raise source.error(f"the Excel file is damaged or of an unsupported kind ({excerpt(str(error))}).") from None
    rows = cells.to_numpy(dtype=object).tolist()
    if not rows:
        raise source.error("its first sheet is empty.")
    names = (
        [str(name) for name in rows.pop(0)] if reading.header else [f"x{place + 1}" for place in range(len(rows[0]))]
    )
    TableFile.check_names(source, names)
    missing = {*reading.markers, *reading.number_markers}
    read = ({name: _value(cell, missing) for name, cell in zip(names, row)} for row in rows)
    return table_of_objects(source, enumerate(read, 2 if reading.header else 1), "row")


def _value(cell: Any, missing: set[str]) -> Any:
    """A cell as JSON has it, with a date as text."""
    if cell is None or cell is pd.NaT or (isinstance(cell, str) and cell in missing):
        return None
    if isinstance(cell, datetime | date):
        return cell.isoformat(" ") if isinstance(cell, datetime) else cell.isoformat()
    return cell.item() if hasattr(cell, "item") else cell
