"""The commands that change a saved model, and the one that checks a change: update, merge, forget, verify."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from unnaive.cli.console import changing, print_result, rows_progress
from unnaive.cli.options import AsJson, Data, Force, ModelFile, NoWait, reads_tables
from unnaive.models import classifier_of


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
