"""The tables command."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from unnaive.cli.console import print_json, printer
from unnaive.cli.options import AsJson, ModelFile, split_names
from unnaive.models import classifier_of


def tables(
    model: ModelFile,
    column: Annotated[
        list[str] | None, typer.Option("--column", help="Only the tables of these columns, comma-separated.")
    ] = None,
    as_csv: Annotated[
        bool, typer.Option("--csv", help="Print all tables as one of CSV; its first column says which.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """What do my predictions come from? The probabilities of a model, with the counts they were made of."""
    from unnaive.persist import load
    from unnaive.show import terminal

    if as_csv and as_json:
        raise ValueError("--csv and --json are two ways to print the tables: leave one out.")
    fitted = load(model).model
    if not hasattr(fitted, "probability_tables"):
        kind = type(classifier_of(fitted)).__name__
        raise ValueError(
            f"{model} holds a {kind}, which is not made of probability tables; nb, tan, kdb, k2, hnb, aode and their "
            "relatives are."
        )
    found = fitted.probability_tables(_columns(fitted, column))
    if as_csv:
        found.to_frame().to_csv(sys.stdout, index=False)
    elif as_json:
        parts = {name: frame.to_dict("records") for name, frame in found.parts.items()}
        print_json({**parts, "columns": {str(name): frame.to_dict("records") for name, frame in found.items()}})
    else:
        out = printer()
        for table in terminal.probability_tables(found):
            out.print(table)
            out.print()


def _columns(model: Any, names: list[str] | None) -> list[Any] | None:
    """The columns with these names, which are positions where a model has no names; None for all."""
    known = getattr(model, "feature_names_in_", range(model.n_features_in_))
    by_text = {str(name): name for name in known}
    return None if names is None else [by_text.get(name, name) for name in _split(names, by_text)]


def _split(names: list[str], known: dict[str, Any]) -> list[str]:
    """Names from an option given several times, or with commas unless a column is called so."""
    return [part for name in names for part in ([name] if name in known else split_names([name]))]
