"""The command that says why a model predicts what it does, and writes the page of what-if questions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from unnaive.cli.console import check_figure, draw, print_json, print_result, printer
from unnaive.cli.options import AsJson, Force, ModelFile, reads_tables
from unnaive.models import classifier_of


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
