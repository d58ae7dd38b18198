"""The compare command."""

from __future__ import annotations

import shlex
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from unnaive.cli.console import appending, print_comparison, result_progress
from unnaive.cli.options import (
    INTERRUPTED,
    AsJson,
    Categorical,
    Folder,
    Jobs,
    Mail,
    MaxTerms,
    MinDocuments,
    NoWait,
    Resume,
    Set,
    Target,
    Text,
    reads_tables,
    settings_of,
    split_columns,
    split_names,
    term_options,
)
from unnaive.models import GROUPS, Model, find_models


@reads_tables
def compare(
    data: Annotated[
        list[str] | None,
        typer.Argument(help="Files or named data sets; default: the four bundled with scikit-learn."),
    ] = None,
    target: Target = None,
    models: Annotated[
        list[str] | None,
        typer.Option("--models", "-m", help=f"Comma-separated names, or {', '.join(GROUPS)}; see `unnaive models`."),
    ] = None,
    settings: Set = None,
    cv: Annotated[int | None, typer.Option(help="Number of folds; default: 10.")] = None,
    repeats: Annotated[int | None, typer.Option(help="Repeats of the cross-validation; default: 1.")] = None,
    holdout: Annotated[
        float | None, typer.Option(help="Test on this fraction of the rows instead of on folds.", metavar="SHARE")
    ] = None,
    metrics: Annotated[
        str | None,
        typer.Option(
            help="Comma-separated; the first one determines the ranks. Default: accuracy and others; balanced accuracy "
            "and others if a class has less than one row for every 20 of the largest.",
            metavar="NAMES",
        ),
    ] = None,
    baseline: Annotated[
        str | None, typer.Option(help="The model to compare with; default: nb, for text bernoulli-nb.")
    ] = None,
    bias_variance: Annotated[
        bool, typer.Option("--bias-variance", help="Decompose the error; the default is then 10 times 3 folds.")
    ] = False,
    report: Annotated[Path, typer.Option(help="The HTML report to write.")] = Path("report.html"),
    results: Annotated[
        Path | None, typer.Option(help="File of the single results; default: the report's name, as .jsonl.")
    ] = None,
    resume: Resume = False,
    no_wait: NoWait = False,
    jobs: Jobs = -1,
    seed: Annotated[int, typer.Option(help="Seed of the folds.")] = 0,
    folder: Folder = None,
    categorical: Categorical = None,
    text: Text = None,
    mail: Mail = None,
    min_documents: MinDocuments = None,
    max_terms: MaxTerms = None,
    reading: Any = None,
    as_json: AsJson = False,
) -> None:
    """Which of these models is best on my data, and how sure can I be?"""
    from unnaive.evaluate.compare import compare as run
    from unnaive.io import Reading, datasets
    from unnaive.look import look_at
    from unnaive.persist.overwriting import refuse_inputs
    from unnaive.show.page import check_report_path
    from unnaive.show.report import write_report

    check_report_path(report)
    kept = results or report.with_suffix(".jsonl")
    inputs = [path for source in data or () for path in datasets.files_read(source, folder)]
    refuse_inputs(report, [*inputs, kept])
    refuse_inputs(kept, inputs)
    terms = term_options(text, mail, min_documents, max_terms)
    chosen = find_models(split_names(models) or ["default"], "text" if text else "table")
    chosen = _as_set(chosen, settings_of(settings))
    columns: dict[str, Any] = {"categorical": split_columns(categorical), "text": split_names(text)}
    how = Reading(**reading)
    sets, looks = [], []
    for source in data or datasets.BUNDLED:
        table = datasets.open_source(source, folder, target, reading=how, **columns)
        sets.append(datasets.load_table(table, target, **columns))
        if not text:
            looks.append(look_at(table, target, columns["categorical"]))
    if len({dataset.name for dataset in sets}) < len(sets):
        sets = [replace(dataset, name=str(source)) for dataset, source in zip(sets, data or ())]
    kept = results or report.with_suffix(".jsonl")
    with appending(kept, no_wait), result_progress("compare", as_json) as progress:
        comparison = run(
            chosen,
            sets,
            cv=cv if cv is not None else 3 if bias_variance else 10,
            repeats=repeats if repeats is not None else 10 if bias_variance else 1,
            test_size=holdout,
            metrics=split_names([metrics]) if metrics else None,
            baseline=baseline,
            bias_variance=bias_variance,
            n_jobs=jobs,
            random_state=seed,
            results=kept,
            resume=resume,
            on_result=progress,
            terms=terms,
        )
        arguments = [argument for argument in sys.argv[1:] if argument not in ("--resume", "--no-wait")]
        write_report(comparison, report, command=shlex.join(["unnaive", *arguments]), looks=looks)
    print_comparison(comparison, report, as_json)
    if not comparison.complete:
        raise typer.Exit(INTERRUPTED)


def _as_set(models: list[Model], settings: dict[str, Any]) -> list[Model]:
    """The models with parameters set: PARAM of all that have it, or MODEL.PARAM of one."""
    for setting, value in settings.items():
        name, dot, parameter = setting.rpartition(".")
        takers = [model for model in models if model.name == name] if dot else _takers(models, parameter)
        if not takers:
            what = f"model {name!r}" if dot else f"parameter {parameter!r} in any model"
            raise ValueError(f"There is no {what} that is compared: see `unnaive models`.")
        chosen = {model.name for model in takers}
        models = [model.with_settings({parameter: value}) if model.name in chosen else model for model in models]
    return models


def _takers(models: list[Model], parameter: str) -> list[Model]:
    found = []
    for model in models:
        with suppress(ValueError):
            found.append(model.with_settings({parameter: None}))
    return found
