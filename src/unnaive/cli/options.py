"""Options shared by several commands, and how they are read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

INTERRUPTED = 130  # exit code of an interrupted run

Data = Annotated[
    str, typer.Argument(help="A CSV, TSV, JSON lines, Parquet, ARFF or KEEL file (also .gz), or a named data set.")
]
ModelFile = Annotated[Path, typer.Argument(help="A model file written by `unnaive fit`.")]
Dask = Annotated[
    str | None,
    typer.Option("--dask", help="Use a cluster: tcp://HOST:PORT, or local to start one; DATA is then a glob pattern."),
]
Target = Annotated[str | None, typer.Option("--target", "-t", help="The column to predict.")]
Folder = Annotated[
    Path | None,
    typer.Option("--data", help="Folder of the named data sets; default: environment variable UNNAIVE_DATA."),
]
Categorical = Annotated[
    list[str] | None,
    typer.Option("--categorical", "-c", help="Numeric columns that hold category codes, comma-separated, or all."),
]
Text = Annotated[
    list[str] | None,
    typer.Option("--text", help="Text columns to learn from, comma-separated; other columns are ignored."),
]
Mail = Annotated[
    list[str] | None,
    typer.Option("--mail", help="Parts of e-mails to strip from text: headers,quotes,signatures.", metavar="PARTS"),
]
MinDocuments = Annotated[int | None, typer.Option(help="Drop terms found in fewer training documents.", min=1)]
MaxTerms = Annotated[int | None, typer.Option(help="Maximum number of terms, by information gain.", min=1)]
Resume = Annotated[bool, typer.Option("--resume", help="Continue an interrupted run.")]
Jobs = Annotated[int, typer.Option("--jobs", "-j", help="Number of processes; -1 for one per core.")]
NoWait = Annotated[
    bool, typer.Option("--no-wait", help="Do not wait for another process that is changing the same file, but fail.")
]
Force = Annotated[bool, typer.Option("--force", help="Replace an existing file that unnaive did not write.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def split_names(names: list[str] | None) -> list[str]:
    """Names from an option given several times, or with commas."""
    return [name.strip() for several in names or [] for name in several.split(",") if name.strip()]


def split_columns(names: list[str] | None) -> list[str] | str:
    """Names of columns, or "all"."""
    chosen = split_names(names)
    return "all" if chosen == ["all"] else chosen


def term_options(
    text: list[str] | None, mail: list[str] | None, min_documents: int | None, max_terms: int | None
) -> dict[str, Any]:
    """The parameters of ``Terms`` that were given; an error if there is no text."""
    options = {"mail": split_names(mail) or None, "min_documents": min_documents, "max_terms": max_terms}
    given = {name: value for name, value in options.items() if value is not None}
    if given and not text:
        option = f"--{next(iter(given)).replace('_', '-')}"
        raise ValueError(f"{option} applies to text: name the text columns with --text.")
    return given
