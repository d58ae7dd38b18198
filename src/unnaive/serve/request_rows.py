"""Rows of a request: JSON, CSV or an Arrow stream, read as the files that the model was fitted on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from unnaive.core.bounded_json import bounded_json
from unnaive.io.delimited import DelimitedFile
from unnaive.io.feather import FeatherTable
from unnaive.io.objects.json_lines import table_of_json
from unnaive.io.source import DataError, Source, excerpt
from unnaive.io.table_file import TableFile
from unnaive.persist import SavedModel
from unnaive.serve.arrow_streams import checked_rows
from unnaive.serve.refusal import Refusal
from unnaive.serve.settings import Settings
from unnaive.streaming.model_columns import reading_of

JSON, CSV, ARROW = "application/json", "text/csv", "application/vnd.apache.arrow.stream"
_DEPTH = 4  # a list of objects that hold lists of terms, and one more to be told of
_BYTES_OF_ITEM = 2  # at least, of a value in JSON with its comma


def read_rows(saved: SavedModel, media: str, body: bytes, settings: Settings) -> TableFile:
    """The table in the body of a request; its kinds are not yet those of the model."""
    kind, charset = _split(media)
    reading = reading_of(saved, {"drop": ()} if charset is None else {"drop": (), "encoding": charset})
    source = Source(Path("request"), "", reading.encoding, "The request", content=body)
    if not body:
        raise Refusal(400, "The request has no body: send rows.")
    if kind == JSON:
        table = _read_json(replace(source, encoding=None), body)
    elif kind == CSV:
        table = DelimitedFile(source, ",", reading)
    elif kind == ARROW:
        table = FeatherTable(source, checked_rows(body, settings.max_rows, settings.max_bytes))
    else:
        raise Refusal(415, f"Rows are sent as {JSON}, {CSV} or {ARROW}: name one as Content-Type.")
    if table.n_rows > settings.max_rows:
        raise too_many(settings)
    return table


def too_many(settings: Settings) -> Refusal:
    """The refusal of a request of too many rows."""
    return Refusal(413, f"The request has more than {settings.max_rows:,} rows: send fewer at a time.")


def _read_json(source: Source, body: bytes) -> TableFile:
    try:
        max_items = 1 + len(body) // _BYTES_OF_ITEM
        found = bounded_json(body, max_items=max_items, max_depth=_DEPTH, allow_nan=False)
        table = table_of_json(source, found)
    except DataError:
        raise
    except UnicodeError:
        raise Refusal(
            400, "The request holds text that is not Unicode: send UTF-8, and whole surrogate pairs."
        ) from None
    except ValueError as problem:
        raise Refusal(400, f"The request cannot be read as JSON: {excerpt(str(problem))}") from None
    return table


def _split(media: str) -> tuple[str, str | None]:
    """A media type in lowercase, and its charset if it names one."""
    kind, *parameters = media.split(";")
    pairs = [parameter.strip().partition("=") for parameter in parameters]
    charset = next((value.strip('" ') for name, _, value in pairs if name.strip().lower() == "charset"), None)
    return kind.strip().lower(), charset or None
