"""The ``unnaive`` command: compare, fit, predict, update, forget, explain, info, models, reproduce, leaderboard."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from unnaive import __version__
from unnaive.cli import experiments
from unnaive.cli.console import (
    complain,
    draw,
    print_comparison,
    print_json,
    printer,
    rows_progress,
    show_progress,
    tell,
)
from unnaive.cli.options import (
    INTERRUPTED,
    AsJson,
    Categorical,
    Dask,
    Data,
    Folder,
    Mail,
    MaxTerms,
    MinDocuments,
    ModelFile,
    Target,
    Text,
    split_names,
)
from unnaive.models import GROUPS, MODELS, classifier_of, find_models

app = typer.Typer(
    help="Bayesian classifiers that drop the naive independence assumption.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"unnaive {__version__}")
        raise typer.Exit


@app.callback()
def options(
    debug: Annotated[bool, typer.Option("--debug", help="Show where in the code an error comes from.")] = False,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Bayesian classifiers that drop the naive independence assumption."""


@app.command()
def compare(
    data: Annotated[
        list[str] | None,
        typer.Argument(help="Files or named data sets; without any, the four that scikit-learn brings along."),
    ] = None,
    target: Target = None,
    models: Annotated[
        list[str] | None,
        typer.Option(
            "--models", "-m", help=f"Names, separated by commas, or {', '.join(GROUPS)}; see `unnaive models`."
        ),
    ] = None,
    cv: Annotated[int | None, typer.Option(help="Number of folds; 10 by default.")] = None,
    repeats: Annotated[int | None, typer.Option(help="How often to cut into folds anew; 1 by default.")] = None,
    holdout: Annotated[
        float | None, typer.Option(help="Test on this share of the rows instead of on folds.", metavar="SHARE")
    ] = None,
    metrics: Annotated[
        str | None, typer.Option(help="Separated by commas; the first one ranks.", metavar="NAMES")
    ] = None,
    baseline: Annotated[
        str | None, typer.Option(help="The model to compare with; else nb, of text bernoulli-nb.")
    ] = None,
    bias_variance: Annotated[
        bool, typer.Option("--bias-variance", help="Take the error apart; by default then 10 times 3 folds.")
    ] = False,
    report: Annotated[Path, typer.Option(help="Where the report goes.")] = Path("report.html"),
    results: Annotated[
        Path | None, typer.Option(help="Where results go as they come; else beside the report, as .jsonl.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with an interrupted run.")] = False,
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="Processes; -1 for one a core.")] = -1,
    seed: Annotated[int, typer.Option(help="Of the folds.")] = 0,
    folder: Folder = None,
    categorical: Categorical = None,
    text: Text = None,
    mail: Mail = None,
    min_documents: MinDocuments = None,
    max_terms: MaxTerms = None,
    as_json: AsJson = False,
) -> None:
    """Which of these models is best on my data, and how sure can I be?"""
    from unnaive.evaluate.compare import compare as run
    from unnaive.evaluate.metrics import METRICS
    from unnaive.io import datasets
    from unnaive.show.page import check_report_path
    from unnaive.show.report import write_report

    results = results or report.with_suffix(".jsonl")
    check_report_path(report)
    terms = _terms(text, mail, min_documents, max_terms)
    chosen = find_models(split_names(models) or ["default"], "text" if text else "table")
    columns: dict[str, Any] = {"categorical": _columns(categorical), "text": split_names(text)}
    sets = [datasets.load(source, target, folder, **columns) for source in data or datasets.BUNDLED]
    with show_progress(as_json) as bars:
        bar = bars.add_task("compare", total=None)

        def show(result: Any, done: int, total: int) -> None:
            bars.update(bar, completed=done, total=total, description=f"{result.model} on {result.data}")

        comparison = run(
            chosen,
            sets,
            cv=cv if cv is not None else 3 if bias_variance else 10,
            repeats=repeats if repeats is not None else 10 if bias_variance else 1,
            test_size=holdout,
            metrics=split_names([metrics] if metrics else None) or list(METRICS),
            baseline=baseline,
            bias_variance=bias_variance,
            n_jobs=jobs,
            random_state=seed,
            results=results,
            resume=resume,
            on_result=show,
            terms=terms,
        )
        write_report(comparison, report, command=_command())
    print_comparison(comparison, report, as_json)
    if not comparison.complete:
        raise typer.Exit(INTERRUPTED)


@app.command()
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
    dask: Dask = None,
    as_json: AsJson = False,
) -> None:
    """Fit a model on a file of any size, or on many files on a cluster, and save it."""
    from unnaive.streaming import fit_file

    terms = _terms(text, mail, min_documents, max_terms)
    with rows_progress(as_json) as progress:
        if dask is None:
            fitted = fit_file(model, data, target, folder, progress, _columns(categorical), split_names(text), terms)
        else:
            if text or terms:
                raise ValueError("Documents are fitted on a cluster from Python: see unnaive.distributed.fit.")
            fitted = _scaled().fit_files(model, data, dask, target, progress, _columns(categorical))
        fitted.save(output)
    tell(
        as_json,
        f"{output}: {model} of {fitted.size}, predicting {fitted.target!r} ({len(fitted.model.classes_)} classes)."
        + (f" {fitted.n_unlabelled} rows without a label were left out." if fitted.n_unlabelled else ""),
        model=str(output),
        target=fitted.target,
        n_rows=fitted.n_rows,
        n_unlabelled=fitted.n_unlabelled,
        classes=fitted.model.classes_.tolist(),
    )


@app.command()
def predict(
    model: ModelFile,
    data: Data,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="A .csv or .parquet file to write; with --dask a folder.")
    ],
    dask: Dask = None,
    as_json: AsJson = False,
) -> None:
    """Write the label and the probabilities of every row."""
    from unnaive.persist import load
    from unnaive.streaming import predict_file

    with rows_progress(as_json) as progress:
        if dask is None:
            predicted = predict_file(load(model), data, output, progress)
        else:
            predicted = _scaled().predict_files(load(model), data, output, dask, progress)
    accuracy = predicted.accuracy
    tell(
        as_json,
        f"{output}: {predicted.n_rows} rows predicted"
        + ("." if accuracy is None else f", {accuracy:.4f} of them as labelled."),
        output=str(output),
        n_rows=predicted.n_rows,
        accuracy=accuracy,
    )


def _scaled() -> Any:
    """What works on clusters, if Dask is there."""
    try:
        from unnaive.distributed import files
    except ImportError as error:
        raise ValueError(f"--dask needs {error.name}: install unnaive with its dask extra (unnaive[dask]).") from error
    return files


@app.command()
def update(model: ModelFile, data: Data, as_json: AsJson = False) -> None:
    """Count more rows into a saved model; the terms of a model of text stay those of training."""
    _change(model, data, "update", "counted into", as_json)


@app.command()
def forget(model: ModelFile, data: Data, as_json: AsJson = False) -> None:
    """Take rows out of a saved model, exactly, as if it had never seen them."""
    _change(model, data, "forget", "taken out of", as_json)


def _change(path: Path, data: str, change: str, words: str, as_json: bool) -> None:
    from unnaive.persist import load, save
    from unnaive.streaming import change_rows, is_of_text

    with rows_progress(as_json) as progress:
        saved = load(path)
        n_rows = change_rows(saved, data, change, progress)
        save(saved.model, path, target=saved.target, notes=saved.manifest["notes"])
    total = float(classifier_of(saved.model).class_count_.sum())
    tell(
        as_json,
        f"{n_rows} rows {words} {path}, which knows {total:g} now."
        + (" Its terms stay those of its training." if is_of_text(saved) else ""),
        model=str(path),
        n_rows=n_rows,
        total=total,
    )


@app.command()
def explain(
    model: ModelFile,
    data: Data,
    row: Annotated[int, typer.Option("--row", "-r", help="Which row, counted from 0.", min=0)] = 0,
    label: Annotated[str | None, typer.Option(help="The class to explain; else the predicted one.")] = None,
    against: Annotated[str | None, typer.Option(help="The class to set it against; else the runner-up.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Also draw it into this .png, .svg or .pdf file.")] = None,
    as_json: AsJson = False,
) -> None:
    """Why did it say that? What every column of a row, or every term of a document, contributed."""
    from unnaive.persist import load
    from unnaive.show import terminal
    from unnaive.show.evidence import EvidenceDisplay
    from unnaive.streaming import read_row

    saved = load(model)
    if not hasattr(classifier_of(saved.model), "predict_evidence"):
        kind = type(classifier_of(saved.model)).__name__
        raise ValueError(f"{model} holds a {kind}, which does not say what its columns contribute.")
    frame = read_row(saved, data, row)
    found = EvidenceDisplay.of(
        saved.model, frame, label=_as_class(saved.model, label), against=_as_class(saved.model, against)
    )
    if plot is not None:
        draw([found], plot)
    if as_json:
        print_json(
            {
                "label": found.label_,
                "against": found.against_,
                "log_odds": found.total_,
                "probabilities": dict(zip(map(str, saved.model.classes_.tolist()), found.probabilities_)),
                "contributions": [
                    {"column": name, "value": value, "log_odds": odds} for name, value, odds in found.contributions_
                ],
            }
        )
        return
    out = printer()
    chance = dict(zip(saved.model.classes_.tolist(), found.probabilities_))
    out.print(
        f"{found.label_} ({chance[found.label_]:.3f}) rather than {found.against_} ({chance[found.against_]:.3f})\n"
    )
    out.print(terminal.evidence(found.contributions_, found.total_, found.label_, found.against_, found.noun))


@app.command()
def info(model: ModelFile, as_json: AsJson = False) -> None:
    """What is in a model file."""
    from unnaive.persist import read_manifest
    from unnaive.show import terminal

    manifest = read_manifest(model)
    if as_json:
        print_json(manifest)
        return
    printer().print(terminal.facts(terminal.describe_manifest(manifest)))


@app.command("models")
def list_models(as_json: AsJson = False) -> None:
    """All models, what they are and where they are from."""
    from dataclasses import asdict

    from unnaive.show import terminal

    if as_json:
        print_json([{**asdict(model), "home": model.home} for model in MODELS.values()])
        return
    printer().print(terminal.model_table())


app.command()(experiments.reproduce)
app.command()(experiments.leaderboard)


def main() -> None:
    """Run the command; errors are one sentence, and exit code 2."""
    arguments = [argument for argument in sys.argv[1:] if argument != "--debug"]  # wherever it stands
    debug = len(arguments) < len(sys.argv) - 1
    try:
        code = app(arguments, standalone_mode=False)
    except typer.Abort:  # which older releases of typer make of Ctrl-C, and newer ones an exit code
        code = INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nobody reads; do not complain at exit
        code = 0
    except Exception as error:
        if debug:
            raise
        complain(_sentence(error))
        code = 2
    if code == INTERRUPTED:
        complain("interrupted.")
    sys.exit(code if isinstance(code, int) else 0)


def _sentence(error: Exception) -> str:
    if hasattr(error, "format_message"):  # of the command line itself
        return f"{error.format_message().rstrip('.')}. See `unnaive --help`."
    if isinstance(error, MemoryError):
        return "there is not enough memory for that; a counting model (see `unnaive models`) reads data in batches."
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror or error}."
    text = " ".join(str(error).split()) or type(error).__name__
    return text if isinstance(error, ValueError | OSError) else f"{type(error).__name__}: {text}"


def _command() -> str:
    return shlex.join(["unnaive", *(argument for argument in sys.argv[1:] if argument != "--resume")])


def _columns(names: list[str] | None) -> list[str] | str:
    chosen = split_names(names)
    return "all" if chosen == ["all"] else chosen


def _terms(
    text: list[str] | None, mail: list[str] | None, min_documents: int | None, max_terms: int | None
) -> dict[str, Any]:
    """How text is to be read, as far as that was said."""
    options = {"mail": split_names(mail) or None, "min_documents": min_documents, "max_terms": max_terms}
    given = {name: value for name, value in options.items() if value is not None}
    if given and not text:
        option = f"--{next(iter(given)).replace('_', '-')}"
        raise ValueError(f"{option} is about text: name the columns that hold it with --text.")
    return given


def _as_class(model: Any, label: str | None) -> Any:
    """The class that is written so, or None."""
    if label is None:
        return None
    found = [known for known in model.classes_.tolist() if str(known) == label]
    if not found:
        raise ValueError(f"There is no class {label!r}; there are {', '.join(map(str, model.classes_.tolist()))}.")
    return found[0]


if __name__ == "__main__":
    main()
