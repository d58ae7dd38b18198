"""Options shared by several commands, and how they are read."""

from __future__ import annotations

from ast import literal_eval
from collections.abc import Callable
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any

import typer

INTERRUPTED = 130  # exit code of an interrupted run

Data = Annotated[
    str,
    typer.Argument(
        help="A CSV, TSV, JSON, JSON lines, Parquet, Feather, Excel, ARFF or KEEL file, packed or not, - for the "
        "standard input, or a named data set."
    ),
]
ModelFile = Annotated[Path, typer.Argument(help="A model file written by `unnaive fit`.")]
Dask = Annotated[
    str | None,
    typer.Option("--dask", help="Use a cluster: tcp://HOST:PORT, or local to start one; DATA is then a glob pattern."),
]
Target = Annotated[
    str | None,
    typer.Option("--target", "-t", help="The column to predict; default: the one named class, else the last."),
]
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


def check_jobs(jobs: int) -> int:
    """A number of processes; ValueError if it is 0."""
    if jobs == 0:
        raise ValueError("--jobs is 0: name a number of processes, or -1 for one per core.")
    return jobs


Jobs = Annotated[
    int, typer.Option("--jobs", "-j", help="Number of processes; -1 for one per core.", callback=check_jobs)
]
NoWait = Annotated[
    bool, typer.Option("--no-wait", help="Do not wait for another process that is changing the same file, but fail.")
]
Force = Annotated[bool, typer.Option("--force", help="Replace an existing file that unnaive did not write.")]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", help="A parameter of the model, may be repeated.", metavar="PARAM=VALUE"),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


Sep = Annotated[
    str | None, typer.Option("--sep", help="Separator of fields in CSV and TSV files; default: recognised.")
]
Decimal = Annotated[
    str | None, typer.Option("--decimal", help="Decimal mark of numbers in them, . or ,; default: recognised.")
]
Encoding = Annotated[
    str | None, typer.Option("--encoding", help="Encoding of text files, such as latin1; default: UTF-8.")
]
NaValues = Annotated[
    list[str] | None,
    typer.Option("--na-values", help="What stands for missing values besides empty fields, comma-separated."),
]
NoHeader = Annotated[
    bool, typer.Option("--no-header", help="The first row is data; columns are called x1, x2 and so on.")
]
Drop = Annotated[list[str] | None, typer.Option("--drop", help="Columns to leave out, comma-separated.")]
_READING = {
    "sep": (Sep, None),
    "decimal": (Decimal, None),
    "encoding": (Encoding, None),
    "na_values": (NaValues, None),
    "no_header": (NoHeader, False),
    "drop": (Drop, None),
}


def reads_tables(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of reading; its parameter ``reading`` is a dict of those that were given."""

    @wraps(command)
    def with_options(**values: Any) -> None:
        given = {name: values.pop(name) for name in _READING}
        command(**values, reading=_given(**given))

    # Not by get_type_hints: on Python 3.10 it hides what is annotated where the default is None.
    parameters = [
        entry
        for name, entry in signature(command, eval_str=True).parameters.items()
        if name not in ("reading", "as_json")
    ]
    kind = Parameter.KEYWORD_ONLY
    parameters += [
        Parameter(name, kind, default=default, annotation=annotation)
        for name, (annotation, default) in [*_READING.items(), ("as_json", (AsJson, False))]
    ]
    del with_options.__wrapped__
    with_options.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    with_options.__annotations__ = {entry.name: entry.annotation for entry in parameters}
    return with_options


def _given(
    sep: str | None,
    decimal: str | None,
    encoding: str | None,
    na_values: list[str] | None,
    no_header: bool,
    drop: list[str] | None,
) -> dict[str, Any]:
    """The parameters of ``Reading`` that were named on the command line."""
    missing = None if na_values is None else [name for names in na_values for name in names.split(",")]
    options = {
        "sep": "\t" if sep in ("\\t", "tab") else sep,
        "decimal": decimal,
        "encoding": encoding,
        "missing": missing,
        "header": False if no_header else None,
        "drop": split_names(drop) or None,
    }
    return {name: value for name, value in options.items() if value is not None}


def split_names(names: list[str] | None) -> list[str]:
    """Names from an option given several times, or with commas."""
    return [name.strip() for several in names or [] for name in several.split(",") if name.strip()]


def split_columns(names: list[str] | None) -> list[str] | str:
    """Names of columns, or "all"."""
    chosen = split_names(names)
    return "all" if chosen == ["all"] else chosen


def settings_of(given: list[str] | None) -> dict[str, Any]:
    """Parameters and their values, which are numbers, None, True or False, lists, or else text."""
    settings = {}
    for setting in given or []:
        name, equals, value = setting.partition("=")
        if not equals or not name:
            raise ValueError(f"--set is given as PARAM=VALUE, not {setting!r}.")
        try:
            settings[name] = literal_eval(value)
        except (ValueError, SyntaxError):
            settings[name] = value
    return settings


def costs_of(given: list[str] | None) -> dict[tuple[str, str], float]:
    """Costs of predicting a label where another is true, by both."""
    costs = {}
    for cost in given or []:
        pair, _, number = cost.rpartition("=")
        true, _, predicted = pair.partition(">")
        try:
            costs[true, predicted] = float(number)
        except ValueError:
            true = ""
        if not true or not predicted:
            raise ValueError(f"--cost is given as TRUE>PREDICTED=COST, as in 'ill>well=10', not {cost!r}.")
    return costs


def threshold_of(given: str | None) -> tuple[str, float] | None:
    """A label and the probability from which on it is predicted."""
    if given is None:
        return None
    label, _, number = given.rpartition("=")
    try:
        if label:
            return label, float(number)
    except ValueError:
        pass
    raise ValueError(f"--threshold is given as LABEL=PROBABILITY, as in 'ill=0.2', not {given!r}.")


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


def distributed_files() -> Any:
    """The module that works on clusters, if Dask is installed."""
    try:
        from unnaive.distributed import files
    except ImportError as error:
        raise ValueError(f"--dask needs {error.name}: install unnaive with its dask extra (unnaive[dask]).") from error
    return files
