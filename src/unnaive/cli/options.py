"""Options that several commands have, and how they are read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

INTERRUPTED = 130  # the exit code of a run that was

Data = Annotated[
    str, typer.Argument(help="A CSV, TSV, JSON lines, Parquet, ARFF or KEEL file (.gz too), or a named data set.")
]
ModelFile = Annotated[Path, typer.Argument(help="A file written by `unnaive fit`.")]
Dask = Annotated[
    str | None,
    typer.Option("--dask", help="Work on a cluster: tcp://HOST:PORT, or local to start one; DATA is a pattern then."),
]
Target = Annotated[str | None, typer.Option("--target", "-t", help="The column to predict.")]
Folder = Annotated[Path | None, typer.Option("--data", help="Where named data sets are; else $UNNAIVE_DATA.")]
Categorical = Annotated[
    list[str] | None,
    typer.Option("--categorical", "-c", help="Columns of numbers that are codes, separated by commas, or all."),
]
Text = Annotated[
    list[str] | None,
    typer.Option("--text", help="Columns of text to learn from, separated by commas; others are left out."),
]
Mail = Annotated[
    list[str] | None,
    typer.Option("--mail", help="Parts of mail to leave out of text: headers,quotes,signatures.", metavar="PARTS"),
]
MinDocuments = Annotated[int | None, typer.Option(help="Leave out terms of fewer training documents.", min=1)]
MaxTerms = Annotated[int | None, typer.Option(help="Keep so many terms, the most telling ones.", min=1)]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for machines.")]


def split_names(names: list[str] | None) -> list[str]:
    """Names that were given several times, or several at a time with commas between."""
    return [name.strip() for several in names or [] for name in several.split(",") if name.strip()]
