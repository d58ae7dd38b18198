"""Tables in files of all formats, and data sets by name."""

from __future__ import annotations

from unnaive.lazy import lazy_names

_HOME = {
    "DataError": "source",
    "DataWarning": "reading",
    "Dataset": "datasets",
    "NoSuchDataError": "fetch",
    "Reading": "reading",
    "TableFile": "table_file",
    "load": "datasets",
    "names": "datasets",
    "one_big": "synthetic",
    "open_table": "formats",
    "ring_curve": "synthetic",
    "ring_curve_wave_tri_gaussian": "synthetic",
    "wave": "synthetic",
}

__all__ = [*_HOME]

__getattr__, __dir__ = lazy_names(__name__, _HOME)
