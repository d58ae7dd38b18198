"""The card command."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from unnaive.cli.console import print_result
from unnaive.cli.options import AsJson, Force, ModelFile


def card(
    model: ModelFile,
    output: Annotated[Path, typer.Option("--output", "-o", help="The .md file to write.")],
    intended_use: Annotated[str | None, typer.Option(help="What the model is for, and what not.")] = None,
    scores: Annotated[
        Path | None, typer.Option(help="Results of `unnaive compare --results` in which such a model took part.")
    ] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Write a model card: training, columns, intended use, scores, and how to check the model."""
    from unnaive.evaluate.results_file import read_results
    from unnaive.persist import content_hash, load
    from unnaive.persist.output_file import write_text
    from unnaive.persist.overwriting import check_overwriting, is_card
    from unnaive.show.model_card import render_card

    inputs = [model] if scores is None else [model, scores]
    check_overwriting(output, inputs, "a model card of unnaive", is_card, force)
    saved = load(model)
    comparison = None if scores is None else read_results(scores)
    write_text(output, render_card(saved, str(model), intended_use=intended_use, comparison=comparison))
    print_result(
        as_json,
        f"{output}: the card of {model} ({saved.manifest['estimator']}, predicting {saved.target!r}).",
        card=str(output),
        hash=content_hash(saved.model),
    )
