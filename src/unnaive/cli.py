"""The ``unnaive`` command: compare, fit, predict, update, forget, explain, info, models."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn

from unnaive import __version__
from unnaive.evaluate.plain import plain
from unnaive.models import GROUPS, MODELS, find_models

app = typer.Typer(
    help="Bayesian classifiers that drop the naive independence assumption.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
_INTERRUPTED = 130
_PIPED = 160

Data = Annotated[str, typer.Argument(help="A CSV, TSV, Parquet, ARFF or KEEL file (.gz too), or a named data set.")]
ModelFile = Annotated[Path, typer.Argument(help="A file written by `unnaive fit`.")]
Target = Annotated[str | None, typer.Option("--target", "-t", help="The column to predict.")]
Folder = Annotated[Path | None, typer.Option("--data", help="Where named data sets are; else $UNNAIVE_DATA.")]
Categorical = Annotated[
    list[str] | None,
    typer.Option("--categorical", "-c", help="Columns of numbers that are codes, separated by commas, or all."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for machines.")]


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
    baseline: Annotated[str | None, typer.Option(help="The model to compare with; else nb.")] = None,
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
    as_json: AsJson = False,
) -> None:
    """Which of these models is best on my data, and how sure can I be?"""
    from unnaive import datasets
    from unnaive.evaluate.compare import compare as run
    from unnaive.evaluate.metrics import METRICS
    from unnaive.show.report import check_report_path, write_report

    results = results or report.with_suffix(".jsonl")
    check_report_path(report)
    chosen = find_models(_split(models) or ["default"])
    codes = _columns(categorical)
    sets = [datasets.load(source, target, folder, categorical=codes) for source in data or datasets.BUNDLED]
    with _progress(as_json) as bars:
        bar = bars.add_task("compare", total=None)

        def show(result: Any, done: int, total: int) -> None:
            bars.update(bar, completed=done, total=total, description=f"{result.model} on {result.data}")

        comparison = run(
            chosen,
            sets,
            cv=cv if cv is not None else 3 if bias_variance else 10,
            repeats=repeats if repeats is not None else 10 if bias_variance else 1,
            test_size=holdout,
            metrics=_split([metrics] if metrics else None) or list(METRICS),
            baseline=baseline,
            bias_variance=bias_variance,
            n_jobs=jobs,
            random_state=seed,
            results=results,
            resume=resume,
            on_result=show,
        )
        write_report(comparison, report, command=_command())
    _print_comparison(comparison, report, as_json)
    if not comparison.complete:
        raise typer.Exit(_INTERRUPTED)


def _print_comparison(comparison: Any, report: Path, as_json: bool) -> None:
    from unnaive.show import terminal

    if as_json:
        _print_json(
            {
                "leaderboard": [standing._asdict() for standing in comparison.leaderboard()],
                "scores": {
                    metric: {
                        data: dict(zip(comparison.models, row))
                        for data, row in zip(comparison.data, comparison.scores(metric).tolist())
                    }
                    for metric in comparison.metrics
                },
                "tests": [contest._asdict() for contest in comparison.contests()],
                "failures": terminal.failures(comparison),
                "complete": comparison.complete,
                "report": str(report),
            }
        )
        return
    out = _out()
    if comparison.data:
        out.print(terminal.leaderboard(comparison, out.width))
        by_data_set = terminal.by_data_set(comparison)
        if by_data_set is not None:
            out.print()
            out.print(by_data_set)
        out.print()
        out.print(terminal.legend(comparison), style="dim", highlight=False)
    for line in terminal.failures(comparison):
        out.print(line, style="yellow", highlight=False, soft_wrap=True, markup=False)
    if not comparison.complete:
        out.print(
            f"Interrupted after {len(comparison.results)} of {comparison.n_expected} folds; the same command with "
            "--resume goes on.",
            style="yellow",
        )
    out.print(f"Report: {report}", highlight=False, soft_wrap=True, markup=False)


@app.command()
def fit(
    data: Data,
    model: Annotated[str, typer.Option("--model", "-m", help="Short name; see `unnaive models`.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The model file to write.")],
    target: Target = None,
    folder: Folder = None,
    categorical: Categorical = None,
    as_json: AsJson = False,
) -> None:
    """Fit a model on a file of any size and save it."""
    from unnaive.workbench import fit_file

    with _rows_progress(as_json) as progress:
        fitted = fit_file(model, data, target, folder, progress, _columns(categorical))
        fitted.save(output)
    _tell(
        as_json,
        f"{output}: {model} of {fitted.n_rows} rows and {fitted.model.n_features_in_} columns, predicting "
        f"{fitted.target!r} ({len(fitted.model.classes_)} classes)."
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
    output: Annotated[Path, typer.Option("--output", "-o", help="A .csv or .parquet file to write.")],
    as_json: AsJson = False,
) -> None:
    """Write the label and the probabilities of every row."""
    from unnaive.persist import load
    from unnaive.workbench import predict_file

    with _rows_progress(as_json) as progress:
        predicted = predict_file(load(model), data, output, progress)
    accuracy = predicted.accuracy
    _tell(
        as_json,
        f"{output}: {predicted.n_rows} rows predicted"
        + ("." if accuracy is None else f", {accuracy:.4f} of them as labelled."),
        output=str(output),
        n_rows=predicted.n_rows,
        accuracy=accuracy,
    )


@app.command()
def update(model: ModelFile, data: Data, as_json: AsJson = False) -> None:
    """Count more rows into a saved model."""
    _change(model, data, "update", "counted into", as_json)


@app.command()
def forget(model: ModelFile, data: Data, as_json: AsJson = False) -> None:
    """Take rows out of a saved model, exactly, as if it had never seen them."""
    _change(model, data, "forget", "taken out of", as_json)


def _change(path: Path, data: str, change: str, words: str, as_json: bool) -> None:
    from unnaive.persist import load, save
    from unnaive.workbench import change_rows

    with _rows_progress(as_json) as progress:
        saved = load(path)
        n_rows = change_rows(saved, data, change, progress)
        save(saved.model, path, target=saved.target, notes=saved.manifest["notes"])
    total = float(saved.model.class_count_.sum())
    _tell(
        as_json,
        f"{n_rows} rows {words} {path}, which knows {total:g} now.",
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
    """Why did it say that? What every column of a row contributed."""
    from unnaive.persist import load
    from unnaive.show import terminal
    from unnaive.show.evidence import EvidenceDisplay
    from unnaive.workbench import read_row

    saved = load(model)
    if not hasattr(saved.model, "predict_evidence"):
        raise ValueError(
            f"{model} holds a {type(saved.model).__name__}, which does not say what its columns contribute."
        )
    frame = read_row(saved, data, row)
    found = EvidenceDisplay.of(
        saved.model, frame, label=_as_class(saved.model, label), against=_as_class(saved.model, against)
    )
    if plot is not None:
        _draw(found, plot)
    if as_json:
        _print_json(
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
    out = _out()
    chance = dict(zip(saved.model.classes_.tolist(), found.probabilities_))
    out.print(
        f"{found.label_} ({chance[found.label_]:.3f}) rather than {found.against_} ({chance[found.against_]:.3f})\n"
    )
    out.print(terminal.evidence(found.contributions_, found.total_, found.label_, found.against_))


@app.command()
def info(model: ModelFile, as_json: AsJson = False) -> None:
    """What is in a model file."""
    from unnaive.persist import read_manifest
    from unnaive.show import terminal

    manifest = read_manifest(model)
    if as_json:
        _print_json(manifest)
        return
    _out().print(terminal.facts(terminal.describe_manifest(manifest)))


@app.command("models")
def list_models(as_json: AsJson = False) -> None:
    """All models, what they are and where they are from."""
    from dataclasses import asdict

    from unnaive.show import terminal

    if as_json:
        _print_json([asdict(model) for model in MODELS.values()])
        return
    _out().print(terminal.model_table())


def main() -> None:
    """Run the command; errors are one sentence, and exit code 2."""
    arguments = [argument for argument in sys.argv[1:] if argument != "--debug"]  # wherever it stands
    debug = len(arguments) < len(sys.argv) - 1
    try:
        code = app(arguments, standalone_mode=False)
    except KeyboardInterrupt:
        _complain("interrupted.")
        code = _INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nobody reads; do not complain at exit
        code = 0
    except Exception as error:
        if debug:
            raise
        _complain(_sentence(error))
        code = 2
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


def _out() -> Console:
    """Where results are printed; into a file or a pipe, lines are as long as they need to be."""
    return Console() if sys.stdout.isatty() else Console(width=_PIPED)


def _complain(sentence: str) -> None:
    Console(stderr=True).print(f"unnaive: {sentence}", style="red", highlight=False, soft_wrap=True, markup=False)


def _command() -> str:
    return shlex.join(["unnaive", *(argument for argument in sys.argv[1:] if argument != "--resume")])


def _split(names: list[str] | None) -> list[str]:
    return [name.strip() for several in names or [] for name in several.split(",") if name.strip()]


def _columns(names: list[str] | None) -> list[str] | str:
    chosen = _split(names)
    return "all" if chosen == ["all"] else chosen


def _as_class(model: Any, label: str | None) -> Any:
    """The class that is written so, or None."""
    if label is None:
        return None
    found = [known for known in model.classes_.tolist() if str(known) == label]
    if not found:
        raise ValueError(f"There is no class {label!r}; there are {', '.join(map(str, model.classes_.tolist()))}.")
    return found[0]


def _draw(display: Any, path: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 5), layout="constrained", facecolor="white")
    display.plot(ax=figure.subplots())
    figure.savefig(path)


def _tell(as_json: bool, sentence: str, **values: Any) -> None:
    if as_json:
        _print_json(values)
    else:
        _out().print(sentence, highlight=False, soft_wrap=True, markup=False)


def _print_json(value: Any) -> None:
    print(json.dumps(plain(value), indent=2, default=str))


@contextmanager
def _progress(quiet: bool) -> Iterator[Progress]:
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    errors = Console(stderr=True)
    with Progress(*columns, console=errors, transient=True, disable=quiet or not errors.is_terminal) as bars:
        yield bars


@contextmanager
def _rows_progress(quiet: bool) -> Iterator[Any]:
    with _progress(quiet) as bars:
        tasks: dict[str, Any] = {}

        def progress(task: str, done: int, total: int) -> None:
            if task not in tasks:
                tasks[task] = bars.add_task(task, total=total)
            bars.update(tasks[task], completed=done)

        yield progress


if __name__ == "__main__":
    main()
