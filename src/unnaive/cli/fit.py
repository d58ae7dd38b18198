"""The command that fits a model on a file, or on many files on a cluster."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer

from unnaive.cli.console import changing, print_result, rows_progress
from unnaive.cli.options import (
    AsJson,
    Categorical,
    Dask,
    Data,
    Folder,
    Force,
    Mail,
    MaxTerms,
    MinDocuments,
    NoWait,
    Set,
    Target,
    Text,
    distributed_files,
    reads_tables,
    settings_of,
    split_columns,
    split_names,
    term_options,
)


class Bins(str, Enum):
    """What holds when rows are counted into a model or out of it."""

    fixed = "fixed"
    exact = "exact"


class ClassWeight(str, Enum):
    """How much the rows of a class weigh."""

    balanced = "balanced"


@reads_tables
def fit(
    data: Data,
    model: Annotated[str, typer.Option("--model", "-m", help="Short name; see `unnaive models`.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The model file to write.")],
    target: Target = None,
    folder: Folder = None,
    categorical: Categorical = None,
    text: Text = None,
    mail: Mail = None,
    min_documents: MinDocuments = None,
    max_terms: MaxTerms = None,
    settings: Set = None,
    bins: Annotated[
        Bins | None,
        typer.Option(
            help="When rows come and go later: numbers stay cut as now (fixed, default), or the model keeps its rows "
            "and is always the one that a fit gives (exact)."
        ),
    ] = None,
    class_weight: Annotated[
        ClassWeight | None,
        typer.Option(help="Weight the rows so that all classes weigh the same (balanced); default: one each."),
    ] = None,
    dask: Dask = None,
    force: Force = False,
    no_wait: NoWait = False,
    reading: Any = None,
    as_json: AsJson = False,
) -> None:
    """Fit a model on a file of any size, or on many files on a cluster, and save it."""
    from unnaive.io import Reading
    from unnaive.io.datasets import files_read
    from unnaive.persist.overwriting import check_overwriting, is_model
    from unnaive.streaming.fitting import fit_file

    check_overwriting(output, files_read(data, folder), "a model file", is_model, force)
    how, chosen = Reading(**reading), settings_of(settings)
    rule = None if bins is None else bins.value
    terms, codes = term_options(text, mail, min_documents, max_terms), split_columns(categorical)
    with changing(output, no_wait), rows_progress(as_json) as progress:
        if dask is None:
            texts, balanced = split_names(text), class_weight is not None
            fitted = fit_file(model, data, target, folder, progress, codes, texts, terms, rule, how, chosen, balanced)
        else:
            if class_weight is not None:
                raise ValueError("--class-weight applies to fits without --dask.")
            if text or terms:
                raise ValueError("Models of text are fitted on a cluster from Python: see unnaive.distributed.fit.")
            fitted = distributed_files().fit_files(model, data, dask, target, progress, codes, rule, how, chosen)
        fitted.save(output)
    print_result(
        as_json,
        f"{output}: {model} of {fitted.size}, predicting {fitted.target!r} ({len(fitted.model.classes_)} classes)"
        + (f", {fitted.why_target}." if fitted.why_target else ".")
        + (f" {fitted.unlabelled}" if fitted.n_unlabelled else ""),
        model=str(output),
        target=fitted.target,
        why_target=fitted.why_target,
        n_rows=fitted.n_rows,
        n_unlabelled=fitted.n_unlabelled,
        classes=fitted.model.classes_.tolist(),
        class_weight=fitted.class_weight,
    )
