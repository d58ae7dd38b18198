"""The commands that run long experiments: reproduce and leaderboard."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from unnaive.cli.console import appending, check_figure, draw, print_error, print_json, printer, result_progress
from unnaive.cli.options import INTERRUPTED, AsJson, Folder, Force, Jobs, NoWait, Resume, check_jobs, split_names
from unnaive.papers import PAPERS


def reproduce(
    paper: Annotated[str, typer.Argument(help=f"One of {', '.join(PAPERS)}, or all.")],
    sets: Annotated[list[str] | None, typer.Option("--sets", help="Only these of its data sets.")] = None,
    trials: Annotated[int | None, typer.Option(help="Number of trials; default: as in the paper.", min=1)] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Two minutes at most, with or without the data sets.")] = False,
    full: Annotated[bool, typer.Option("--full", help="Also run the long experiments.")] = False,
    report: Annotated[Path | None, typer.Option(help="Write claims, tables and figures to this .html file.")] = None,
    write: Annotated[
        Path | None, typer.Option(help="Write them to papers.md in this folder, next to those of other papers.")
    ] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw its figures into this .png, .svg or .pdf file.")] = None,
    results: Annotated[
        Path | None,
        typer.Option(
            help="File of the single results, or a folder for all papers; default: PAPER.jsonl, none if --quick."
        ),
    ] = None,
    resume: Resume = False,
    no_wait: NoWait = False,
    jobs: Jobs = -1,
    seed: Annotated[
        int, typer.Option(help="Seed of everything random, but for the hold-outs of icgnb, whose seeds are published.")
    ] = 0,
    folder: Folder = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Run a paper's experiments, and print the results next to those it reports."""
    from unnaive.papers.reproduction import Request
    from unnaive.show.page import check_report_path

    if paper != "all" and paper not in PAPERS:
        raise ValueError(f"There is no paper {paper!r}; there are {', '.join(PAPERS)}.")
    names = [*PAPERS] if paper == "all" else [paper]
    if len(names) > 1 and (sets or plot):
        raise ValueError("--sets and --plot apply to a single paper: name it instead of all.")
    several = len(names) > 1
    reports = {name: report.with_stem(f"{report.stem}-{name}") if report and several else report for name in names}
    for path in reports.values():
        if path is not None:
            check_report_path(path)
    if plot is not None:
        check_figure(plot, [], force)
    if write is not None:
        from unnaive.papers.document import check_document

        check_document(write, names)
    found = []
    for name in names:
        kept = results / f"{name}.jsonl" if results and several else results
        request = Request(
            sets=split_names(sets),
            trials=trials,
            full=full,
            folder=folder,
            n_jobs=jobs,
            seed=seed,
            results=kept or (None if quick else Path(f"{name}.jsonl")),
            resume=resume,
            quick=quick,
        )
        with appending(request.results, no_wait):
            found.append(_reproduce(name, request, reports[name], write, plot, as_json))
    if as_json:
        print_json(found if several else found[0])
    if not all(entry["complete"] for entry in found):
        raise typer.Exit(INTERRUPTED)


def _reproduce(
    name: str, request: Any, report: Path | None, write: Path | None, plot: Path | None, as_json: bool
) -> dict[str, Any]:
    """Run one paper, print and write what was asked for, and return its results as JSON values."""
    from dataclasses import replace
    from importlib import import_module

    with result_progress(name, as_json) as progress:
        found = import_module(f"unnaive.papers.{name}.experiment").reproduce(replace(request, on_result=progress))
    if not as_json:
        from unnaive.papers.terminal_tables import print_reproduction

        print_reproduction(printer(), PAPERS[name], found)
    command = request.command(name)
    if report is not None:
        from unnaive.papers.html import write_paper_report

        write_paper_report(found, report, title=PAPERS[name], command=command)
    if write is not None:
        from unnaive.papers.document import write_document

        write_document(write, name, found, command, request.result_files())
    if plot is not None:
        if not found.pictures:
            raise ValueError("There are no figures to draw without the long experiments: add --full.")
        draw(list(found.pictures.values()), plot)
    return {"paper": PAPERS[name], **found.to_json()}


def leaderboard(
    write: Annotated[
        Path | None, typer.Option(help="Write leaderboard.md and its figure to this folder.", metavar="DIR")
    ] = None,
    sets: Annotated[list[str] | None, typer.Option("--sets", help="Only these tables.")] = None,
    models: Annotated[
        list[str] | None, typer.Option("--models", "-m", help="Only these, besides naive Bayes; see `unnaive models`.")
    ] = None,
    rows: Annotated[int, typer.Option(help="Maximum number of rows per table.", min=50)] = 2000,
    cv: Annotated[int, typer.Option(help="Number of folds.", min=2)] = 5,
    results: Annotated[Path, typer.Option(help="File of the single results.")] = Path("leaderboard.jsonl"),
    resume: Resume = False,
    no_wait: NoWait = False,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", help="Processes; more than one distorts the times.", callback=check_jobs)
    ] = 1,
    seed: Annotated[int, typer.Option(help="Seed of the rows and the folds.")] = 0,
    folder: Folder = None,
    as_json: AsJson = False,
) -> None:
    """Compare all models on all tables: ranks, times, and which ones to use for which data."""
    from unnaive.papers import leaderboard as board
    from unnaive.show import terminal

    if write is not None:
        board.check(write)
    with appending(results, no_wait), result_progress("leaderboard", as_json) as progress:
        tables = board.find_tables(folder, rows, seed, split_names(sets))
        found = board.run(
            tables,
            split_names(models),
            cv=cv,
            n_jobs=jobs,
            seed=seed,
            results=results,
            resume=resume,
            on_result=progress,
        )
    if not found.comparison.complete:
        print_error("repeat the command with --resume to continue.")
        raise typer.Exit(INTERRUPTED)
    if write is not None:
        # Without local paths.
        settings = {
            "rows": rows,
            "cv": cv,
            "seed": seed,
            "sets": ",".join(split_names(sets)),
            "models": ",".join(split_names(models)),
            "jobs": jobs if jobs != 1 else "",
        }
        options = [f"--{name} {value}" for name, value in settings.items() if value != ""]
        board.write(found, write, " ".join(["unnaive leaderboard", *options, "--write docs"]), results)
    if as_json:
        print_json(
            {
                "leaderboard": [standing._asdict() for standing in found.comparison.leaderboard()],
                "recommendations": [
                    {
                        **choice._asdict(),
                        "rivals": [
                            {**rival._asdict(), "posterior": asdict(rival.posterior)} for rival in choice.rivals
                        ],
                    }
                    for choice in found.recommendations
                ],
            }
        )
        return
    out = printer()
    out.print(terminal.leaderboard(found.comparison, out.width))
    out.print(f"\nRecommended, {board.RULE}:", highlight=False, soft_wrap=True)
    for choice in found.recommendations:
        fast = "" if choice.max_time == float("inf") else ", fast"
        out.print(f"For {choice.kind}{fast}: {choice.model}, then {', '.join(choice.next)}.", highlight=False)
