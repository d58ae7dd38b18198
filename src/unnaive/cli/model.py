"""The commands that work on one model: fit, predict, update, forget, explain, info, and the list of all models."""

from __future__ import annotations

from dataclasses import asdict
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer

from unnaive.cli.console import changing, check_figure, draw, print_json, print_result, printer, rows_progress
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
    ModelFile,
    NoWait,
    Set,
    Target,
    Text,
    costs_of,
    reads_tables,
    settings_of,
    split_columns,
    split_names,
    term_options,
    threshold_of,
)
from unnaive.models import MODELS, classifier_of


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
            fitted = _distributed_files().fit_files(model, data, dask, target, progress, codes, rule, how, chosen)
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


@reads_tables
def predict(
    model: ModelFile,
    data: Data,
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", help="A .csv or .parquet file to write, - to print CSV; with --dask a folder to make."
        ),
    ],
    dask: Dask = None,
    for_spreadsheets: Annotated[
        bool,
        typer.Option(
            "--for-spreadsheets", help="Put an apostrophe before text that spreadsheets take for a formula (.csv)."
        ),
    ] = False,
    keep: Annotated[
        list[str] | None, typer.Option(help="Columns of the file to write too, comma-separated, or all.")
    ] = None,
    threshold: Annotated[
        str | None,
        typer.Option(help="Predict a label from this probability on, as in ill=0.2.", metavar="LABEL=PROBABILITY"),
    ] = None,
    cost: Annotated[
        list[str] | None,
        typer.Option(
            help="What a wrong label costs, as in 'ill>well=10', else 1; the label of the lowest expected cost is "
            "predicted. May be repeated.",
            metavar="TRUE>PREDICTED=COST",
        ),
    ] = None,
    top: Annotated[int | None, typer.Option(help="Write only the most probable labels, so many.", min=1)] = None,
    force: Force = False,
    reading: Any = None,
    as_json: AsJson = False,
) -> None:
    """Write the label and the class probabilities of every row."""
    from unnaive.core.decisions import Decision
    from unnaive.io.datasets import files_read
    from unnaive.persist import load
    from unnaive.persist.overwriting import refuse_inputs
    from unnaive.persist.predictions_file import STDOUT
    from unnaive.streaming.predicting import predict_file

    if str(output) != STDOUT and dask is None:
        refuse_inputs(output, [model, *files_read(data)])

    with rows_progress(as_json) as progress:
        if dask is None:
            predicted = predict_file(
                load(model),
                data,
                output,
                progress,
                for_spreadsheets,
                force,
                reading,
                split_columns(keep),
                Decision(threshold_of(threshold), costs_of(cost)) if threshold or cost else None,
                top,
            )
        else:
            if for_spreadsheets:
                raise ValueError("--for-spreadsheets applies to .csv files, and --dask writes Parquet files.")
            if keep or threshold or cost or top:
                raise ValueError("--keep, --threshold, --cost and --top do not apply to clusters: leave out --dask.")
            predicted = _distributed_files().predict_files(load(model), data, output, dask, progress, reading)
    if str(output) == STDOUT:
        return
    accuracy = predicted.accuracy
    print_result(
        as_json,
        f"{output}: {predicted.n_rows} rows predicted"
        + ("." if accuracy is None else f", {accuracy:.4f} of them as labelled."),
        output=str(output),
        n_rows=predicted.n_rows,
        accuracy=accuracy,
    )


def _distributed_files() -> Any:
    """The module that works on clusters, if Dask is installed."""
    try:
        from unnaive.distributed import files
    except ImportError as error:
        raise ValueError(f"--dask needs {error.name}: install unnaive with its dask extra (unnaive[dask]).") from error
    return files


@reads_tables
def update(model: ModelFile, data: Data, no_wait: NoWait = False, reading: Any = None, as_json: AsJson = False) -> None:
    """Count more rows into a saved model.

    Numbers stay cut as they were, unless it was fitted with --bins exact; a model of text keeps its terms.
    """
    from unnaive.persist import load

    with changing(model, no_wait):
        saved = load(model)
        changed = _change(saved, data, "update", reading, as_json)
        _save(saved, model)
    _print_change(model, saved, changed, "counted into", as_json)


def merge(
    models: Annotated[list[Path], typer.Argument(help="Two or more model files, fitted alike on different rows.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The model file to write.")],
    force: Force = False,
    no_wait: NoWait = False,
    as_json: AsJson = False,
) -> None:
    """Unite models that were fitted alike on different rows: the counts of all of them, exactly.

    Numbers must be cut at the same points, unless the models were fitted with --bins exact.
    """
    from unnaive.persist import load
    from unnaive.persist.overwriting import check_overwriting, is_model
    from unnaive.streaming.changing import merge_models

    if len(models) < 2:
        raise ValueError("merge unites two models or more: name another file.")
    check_overwriting(output, models, "a model file", is_model, force)
    with changing(output, no_wait):
        saved, *others = map(load, models)
        for path, other in zip(models[1:], others):
            try:
                merge_models(saved, other)
            except ValueError as problem:
                raise ValueError(f"{path} and {models[0]}: {problem}") from problem
        if isinstance(notes := saved.manifest["notes"], dict):
            notes.pop("journal", None)  # of a service, which has not counted the others
        _save(saved, output)
    total = float(classifier_of(saved.model).class_count_.sum())
    print_result(
        as_json,
        f"{output}: {len(models)} models, which hold {total:g} rows together.",
        model=str(output),
        n_models=len(models),
        total=total,
    )


@reads_tables
def forget(
    model: ModelFile,
    data: Data,
    proof: Annotated[
        Path | None,
        typer.Option(help="Also write a certificate to this .json file, which `unnaive verify` can check."),
    ] = None,
    force: Force = False,
    no_wait: NoWait = False,
    reading: Any = None,
    as_json: AsJson = False,
) -> None:
    """Remove rows from a saved model, and the categories and labels that only they had.

    If it was fitted with --bins exact, or has no numbers to cut, it is then the model of a fit that never saw them.
    """
    from unnaive.io.datasets import files_read
    from unnaive.persist import content_hash, load
    from unnaive.persist.certificate import certificate, what_stays
    from unnaive.persist.output_file import replacing
    from unnaive.persist.overwriting import check_overwriting, is_certificate

    if proof is not None:
        check_overwriting(proof, [model, *files_read(data)], "a certificate", is_certificate, force)
    with changing(model, no_wait):
        saved = load(model)
        if proof is None:
            changed = _change(saved, data, "forget", reading, as_json)
            _save(saved, model)
        else:
            if (stays := what_stays(saved)) is not None:
                raise ValueError(f"{model} cannot prove to have forgotten rows, as it keeps {stays}.")
            before = content_hash(saved.model)
            changed = _change(saved, data, "forget", reading, as_json)
            with replacing(proof) as out:  # which can fail before the rows are gone, not after
                out.write(certificate(before, content_hash(saved.model), changed.n_rows).encode())
                out.flush()
                _save(saved, model)
    _print_change(model, saved, changed, "removed from", as_json)


@reads_tables
def verify(
    model: ModelFile,
    data: Data,
    certificate: Annotated[
        Path | None, typer.Option(help="Also check that this certificate was written for the model.")
    ] = None,
    reading: Any = None,
    as_json: AsJson = False,
) -> None:
    """Check that a saved model is the one that a fit on these rows gives, to the last bit."""
    from unnaive.persist import content_hash, load
    from unnaive.persist.certificate import read_certificate
    from unnaive.streaming.fitting import refitted

    saved = load(model)
    if certificate is not None and read_certificate(certificate)["after"] != content_hash(saved.model):
        raise ValueError(f"{certificate} was written for another model, or {model} has changed since.")
    with rows_progress(as_json) as progress:
        other = refitted(saved, data, progress, reading)
    hashes = content_hash(saved.model), content_hash(other)
    if hashes[0] != hashes[1]:
        raise ValueError(
            f"{model} is not what a fit on {data} gives: the model's hash is {hashes[0][:16]}…, that of the fit "
            f"{hashes[1][:16]}…."
        )
    print_result(
        as_json,
        f"{model} is what a fit on {data} gives: both have the hash {hashes[0]}.",
        model=str(model),
        hash=hashes[0],
    )


def _change(saved: Any, data: str, change: str, reading: Any, as_json: bool) -> Any:
    from unnaive.streaming.changing import change_rows

    with rows_progress(as_json) as progress:
        return change_rows(saved, data, change, progress, reading)


def _save(saved: Any, path: Path) -> None:
    from unnaive.persist import save

    save(saved.model, path, target=saved.target, notes=saved.manifest["notes"])


def _print_change(path: Path, saved: Any, changed: Any, words: str, as_json: bool) -> None:
    from unnaive.streaming.model_columns import is_of_text

    total = float(classifier_of(saved.model).class_count_.sum())
    print_result(
        as_json,
        f"{changed.n_rows} rows {words} {path}, which now holds {total:g}. Changed with them: {changed.n_classes} "
        f"classes, "
        + (
            f"{changed.n_terms} terms; the others are still those of its training."
            if is_of_text(saved)
            else f"{changed.n_categories} categories, {changed.n_cut_points} cut points."
        )
        + (
            " Numbers stay cut at points that forgotten rows may have decided: fit with --bins exact to avoid that."
            if changed.cut_by_forgotten
            else ""
        ),
        model=str(path),
        total=total,
        **asdict(changed),
    )


@reads_tables
def explain(
    model: ModelFile,
    data: Annotated[str | None, typer.Argument(help="A file of rows, as for fit; --interactive works without.")] = None,
    row: Annotated[int, typer.Option("--row", "-r", help="Which row, counted from 0.", min=0)] = 0,
    importance: Annotated[
        bool, typer.Option("--importance", help="Instead of a row: how much each column matters, over all rows.")
    ] = False,
    label: Annotated[str | None, typer.Option(help="The class to explain; default: the predicted one.")] = None,
    against: Annotated[str | None, typer.Option(help="The class to compare it with; default: the runner-up.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Also draw it into this .png, .svg or .pdf file.")] = None,
    interactive: Annotated[
        Path | None,
        typer.Option(help="Instead: write an .html page on which to ask what if, with up to 200 rows from --row on."),
    ] = None,
    force: Force = False,
    reading: Any = None,
    as_json: AsJson = False,
) -> None:
    """Why this prediction? What every column of a row, term of a document or cell of a tensor contributed."""
    from unnaive.io.datasets import files_read
    from unnaive.persist import load
    from unnaive.show import terminal
    from unnaive.show.cell_evidence import CellEvidenceDisplay
    from unnaive.show.evidence import EvidenceDisplay
    from unnaive.streaming.explaining import mean_evidence, read_rows

    if interactive is not None:
        if importance or plot is not None or label is not None or against is not None:
            raise ValueError("--interactive writes a page: leave out --importance, --plot, --label and --against.")
        return _write_what_if(model, data, interactive, row, reading, force, as_json)
    if data is None:
        raise ValueError(f"Name the file of the row to explain, as in: unnaive explain {model} FILE --row {row}")
    if plot is not None:
        check_figure(plot, [model, *files_read(data)], force)
    saved = load(model)
    of_cells = hasattr(classifier_of(saved.model), "cell_evidence")
    if not of_cells and not hasattr(classifier_of(saved.model), "predict_evidence"):
        kind = type(classifier_of(saved.model)).__name__
        raise ValueError(f"{model} holds a {kind}, which cannot say what its columns contribute.")
    if importance:
        if plot is not None or label is not None or against is not None:
            raise ValueError("--importance is of all rows and classes: leave out --plot, --label and --against.")
        if of_cells:
            raise ValueError(
                f"{model} weighs cells of tensors, which are explained row by row: leave out --importance."
            )
        return _print_importance(mean_evidence(saved, data, reading), as_json)
    frame, (truth,) = read_rows(saved, data, row, 1, reading)
    display = CellEvidenceDisplay if of_cells else EvidenceDisplay
    found = display.of(saved.model, frame, label=_as_class(saved.model, label), against=_as_class(saved.model, against))
    if plot is not None:
        draw([found], plot)
    if as_json:
        print_json({"truth": truth, **found.facts_})
        return
    out = printer()
    chance = dict(zip(saved.model.classes_.tolist(), found.probabilities_))
    out.print(
        f"{found.label_} ({chance[found.label_]:.3f}) rather than {found.against_} ({chance[found.against_]:.3f})"
        + (f"; labelled {truth}\n" if truth is not None else "\n")
    )
    out.print(terminal.evidence(found.lines_, found.total_, found.label_, found.against_, found.noun))


def _write_what_if(
    model: Path, data: str | None, path: Path, first: int, reading: Any, force: bool, as_json: bool
) -> None:
    from unnaive.io.datasets import files_read
    from unnaive.persist import load
    from unnaive.persist.overwriting import check_overwriting
    from unnaive.show.page import is_page, write_page
    from unnaive.show.what_if.columns import MAX_ROWS
    from unnaive.show.what_if.page import render_what_if
    from unnaive.show.what_if.tables import check_model
    from unnaive.streaming.explaining import read_rows

    check_overwriting(path, [model, *(files_read(data) if data else [])], "a page of unnaive", is_page, force)
    saved = load(model)
    check_model(saved.model)
    rows, labels = read_rows(saved, data, first, MAX_ROWS, reading) if data else (None, [])
    page, _ = render_what_if(saved.model, rows, labels, first=first, target=saved.target)
    write_page(page, path)
    print_result(
        as_json,
        f"{path}: a page of {len(page) / 1e6:.1f} MB on which to ask what if"
        + (f", from {len(labels)} rows of {data}." if data else "."),
        page=str(path),
        n_bytes=len(page.encode()),
        n_rows=len(labels),
    )


def _print_importance(found: dict[str, float], as_json: bool) -> None:
    from unnaive.show import terminal

    if as_json:
        print_json({"importance": found})
        return
    out = printer()
    out.print("Mean absolute evidence for the predicted class against the runner-up, in log odds\n", highlight=False)
    out.print(terminal.facts({name: f"{value:.3f}" for name, value in found.items()}))


def _as_class(model: Any, label: str | None) -> Any:
    """The class with this text, or None."""
    if label is None:
        return None
    found = [known for known in model.classes_.tolist() if str(known) == label]
    if not found:
        raise ValueError(f"There is no class {label!r}; there are {', '.join(map(str, model.classes_.tolist()))}.")
    return found[0]


def info(model: ModelFile, as_json: AsJson = False) -> None:
    """Describe a model file."""
    from unnaive.persist import read_manifest
    from unnaive.show import terminal

    manifest = read_manifest(model)
    if as_json:
        print_json(manifest)
        return
    printer().print(terminal.facts(terminal.describe_manifest(manifest)))


def list_models(as_json: AsJson = False) -> None:
    """List all models with their descriptions and papers."""
    from unnaive.show import terminal

    if as_json:
        print_json([{**asdict(model), "home": model.home} for model in MODELS.values()])
        return
    printer().print(terminal.model_table())
