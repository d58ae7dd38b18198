"""Reading: how the text of a file becomes a table, where the file does not say so itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from unnaive.io.source import DataError

# Fields of CSV and TSV files that stand for a missing value in every column.
MISSING = ("", "?", "NA", "N/A", "n/a", "#N/A", "#NA", "<NA>", "NaN", "nan", "null", "NULL")
# Those that do so in a column of numbers or dates; elsewhere they are a category like any other.
MISSING_NUMBERS = ("None", "none", "NONE", "-", "--", ".", "Null", "n.a.", "N.A.", "NAN")
# Infinite numbers, which no model can use.
INFINITE = tuple(
    sign + word for sign in ("", "+", "-") for word in ("inf", "Inf", "INF", "infinity", "Infinity", "INFINITY")
)


@dataclass(frozen=True)
class Reading:
    """How to read text files; formats that say these things themselves ignore them.

    Parameters
    ----------
    sep : str, optional
        The separator of fields in CSV and TSV files. By default it is recognised: the one of the suffix or, if that
        does not split the first rows alike, a semicolon, a tab, a comma or a vertical bar.
    decimal : str, optional
        The decimal mark of numbers in CSV and TSV files, "." or ",". By default a comma is recognised where fields are
        not separated by commas.
    encoding : str, optional
        The encoding of text; by default UTF-8, or UTF-16 if the file begins with its byte order mark.
    missing : sequence of str, optional
        Fields of CSV and TSV files that stand for a missing value, besides empty ones. By default the usual ones:
        ``MISSING`` everywhere, and in columns of numbers and dates ``MISSING_NUMBERS`` and infinite numbers too.
    header : bool, default=True
        Whether the first row of a CSV, TSV or Excel file has the names of the columns. Without it they are x1, x2, …
    drop : sequence of str, default=()
        Columns to leave out, of files of any format.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from unnaive.io import Reading, open_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "trips.csv"
    ...     _ = path.write_text("21,5;beach\\n-9;museum\\n")
    ...     print(open_table(path, reading=Reading(header=False, missing=["-9"])).read())
         x1      x2
    0  21.5   beach
    1   NaN  museum
    """

    sep: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    missing: Sequence[str] | None = None
    header: bool = True
    drop: Sequence[str] = ()

    def __post_init__(self) -> None:
        for name in ("missing", "drop"):
            if isinstance(value := getattr(self, name), str):
                object.__setattr__(self, name, (value,))
            elif value is not None:
                object.__setattr__(self, name, tuple(value))
        if self.sep is not None and (len(self.sep) != 1 or not self.sep.isascii() or self.sep in '"\r\n'):
            raise DataError(f"The separator {self.sep!r} is not a single ASCII character: name one, such as ';'.")
        if self.decimal not in (None, ".", ","):
            raise DataError(f"The decimal mark {self.decimal!r} is neither '.' nor ','.")
        if self.decimal is not None and self.decimal == self.sep:
            raise DataError(f"{self.sep!r} cannot be both the separator and the decimal mark.")
        if self.encoding is not None:
            try:
                "a".encode(self.encoding)  # which refuses those that are not of text, such as zlib
            except (LookupError, ValueError):
                raise DataError(
                    f"There is no encoding {self.encoding!r}; usual ones are utf-8, latin1, cp1252 and utf-16."
                ) from None

    @property
    def markers(self) -> list[str]:
        """Fields that stand for a missing value in every column."""
        return list(MISSING if self.missing is None else dict.fromkeys(["", *self.missing]))

    @property
    def number_markers(self) -> list[str]:
        """Fields that do so in columns of numbers and dates only."""
        return [*MISSING_NUMBERS, *INFINITE] if self.missing is None else []

    def to_notes(self) -> dict[str, Any]:
        """What is not the default and applies to other files too, as JSON values: a model names its columns itself."""
        usual = asdict(Reading(drop=self.drop))
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in asdict(self).items()
            if value != usual[name]
        }

    @classmethod
    def of_notes(cls, notes: Any, given: Mapping[str, Any] | None = None) -> Reading:
        """From what :meth:`to_notes` gave, but for what is ``given``."""
        known = {field.name for field in fields(cls)}
        kept = {name: value for name, value in notes.items() if name in known} if isinstance(notes, dict) else {}
        try:
            return cls(**{**kept, **(given or {})})
        except (TypeError, AttributeError):
            raise DataError("The notes of the model do not say how to read files: name the options again.") from None


class DataWarning(UserWarning):
    """Something in a file that was probably not meant so; the message says what to do."""
