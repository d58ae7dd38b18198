"""CodesAsText: a table with some numeric columns read as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pandas as pd

from unnaive.io.table_file import TableFile

NUMBERS = ("integer", "number", "date")


class CodesAsText(TableFile):
    """A table with the numbers of the columns ``text`` as text: 3 and 3.0 are "3". Other columns are unchanged."""

    def __init__(self, table: TableFile, text: Sequence[str]) -> None:
        super().__init__(table.source, table.columns)
        self._table = table
        self._codes = set(text)

    @property
    def kinds(self) -> dict[str, str]:
        kinds = {**self._table.kinds, **dict.fromkeys(self._codes, "text")}
        return {name: kinds[name] for name in self.columns}

    @property
    def n_rows(self) -> int:
        return self._table.n_rows

    @property
    def remarks(self) -> list[str]:
        return self._table.remarks

    @property
    def target(self) -> str:
        return self._table.target

    def read(self) -> pd.DataFrame:
        return self._written(self._table.read()[self.columns])

    def _frames(self, columns: list[str], rows: int) -> Iterator[pd.DataFrame]:
        return map(self._written, self._table.batches(columns, rows))

    def _written(self, frame: pd.DataFrame) -> pd.DataFrame:
        if self._codes.isdisjoint(frame.columns):
            return frame
        written = {
            name: column.map(_write, na_action="ignore").astype("str") if name in self._codes else column
            for name, column in frame.items()
        }
        return pd.DataFrame(written, index=frame.index, copy=False)


def _write(number: float) -> str:
    return str(int(number)) if number == int(number) else repr(float(number))
