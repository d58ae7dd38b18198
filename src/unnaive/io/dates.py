"""Dates are numbers: days since 1970-01-01, with the time of day as a fraction, in files of all formats."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

# As ISO 8601 writes them: 2020-12-31, 2020-12-31 23:59, 2020-12-31T23:59:59.5Z.
_TIME = r"[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?"
DATE = rf"^[ \t]*[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}(?:{_TIME})?[ \t]*$"
# Other ways to write a day, which leave open what is the month.
OTHER_DATE = r"^[ \t]*[0-9]{1,4}[./-][0-9]{1,2}[./-][0-9]{1,4}(?:[T ,]+[0-9:.]+)?[ \t]*$"

_DAY = 86_400_000_000  # microseconds


def is_date_type(type_: pa.DataType) -> bool:
    """Whether arrow has dates of this type, with or without the time of day."""
    return pa.types.is_date(type_) or pa.types.is_timestamp(type_)


def days_of_dates(values: pa.Array) -> pa.Array:
    """Dates of arrow as numbers of days, those with a time zone in UTC."""
    zone = getattr(values.type, "tz", None)
    microseconds = pc.cast(values, pa.timestamp("us", zone), safe=False)
    return pc.divide(pc.cast(pc.cast(microseconds, pa.int64()), pa.float64(), safe=False), float(_DAY))


def days_of_text(values: pa.Array) -> pa.Array:
    """Dates written as text, as numbers of days; ArrowInvalid if one is none, or only some name their time zone."""
    return _days_of_text(values)[0]


def days_if_dates(texts: pa.Array) -> pa.Array | None:
    """Text as numbers of days if some of it is present, and all of that dates alike."""
    first = texts[0].as_py() if len(texts) else None
    if first is not None and not first.lstrip(" \t")[:1].isdecimal():
        return None  # no date begins like that
    return days_of_text(texts) if texts.null_count < len(texts) and zone_of_dates(texts) is not None else None


def zone_of_dates(values: pa.Array) -> str | None:
    """ "UTC" if all values present are dates with a time zone, "" if without; None if they are not all dates alike."""
    if not pc.all(pc.match_substring_regex(values, DATE)).as_py():
        return None
    try:
        return _days_of_text(values)[1]
    except pa.ArrowInvalid:
        return None


def _days_of_text(values: pa.Array) -> tuple[pa.Array, str]:
    texts = pc.ascii_trim_whitespace(values)
    try:
        return days_of_dates(pc.cast(texts, pa.timestamp("us"))), ""
    except pa.ArrowInvalid:
        return days_of_dates(pc.cast(texts, pa.timestamp("us", "UTC"))), "UTC"
