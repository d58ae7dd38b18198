"""The command that writes the predictions of a saved model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from unnaive.cli.console import print_result, rows_progress
from unnaive.cli.options import (
    AsJson,
    Dask,
    Data,
    Force,
    ModelFile,
    costs_of,
    distributed_files,
    reads_tables,
    split_columns,
    threshold_of,
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
            predicted = distributed_files().predict_files(load(model), data, output, dask, progress, reading)
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
