"""The serve command."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from unnaive.cli.console import print_result
from unnaive.cli.options import AsJson, ModelFile


def serve(
    model: ModelFile,
    host: Annotated[
        str, typer.Option(help="Address to listen on; any but this machine's own needs a token.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on; 0 for any that is free.", min=0, max=65535)] = 8000,
    token_file: Annotated[
        Path | None,
        typer.Option(
            help="File that holds the token of those who may change the model; default: environment variable "
            "UNNAIVE_TOKEN."
        ),
    ] = None,
    max_bytes: Annotated[int, typer.Option(help="Most bytes of a request.", min=1)] = 2**24,
    max_rows: Annotated[int, typer.Option(help="Most rows of a request.", min=1)] = 50_000,
    max_requests: Annotated[int, typer.Option(help="Most requests at a time.", min=1)] = 128,
    timeout: Annotated[float, typer.Option(help="Seconds for a request to arrive and for its turn to come.")] = 30.0,
    threads: Annotated[int, typer.Option(help="Number of threads that predict.", min=1)] = 2,
    save_after: Annotated[
        float, typer.Option(help="Seconds until a change is in the model file; it is in the journal at once.", min=0)
    ] = 5.0,
    follow: Annotated[
        bool,
        typer.Option("--follow", help="Change nothing; take over what another service saves, within --save-after."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Serve a model over HTTP: it predicts, explains, learns and forgets, and loses no change when it is killed."""
    from unnaive.serve.settings import Settings, read_token

    if timeout <= 0:
        raise ValueError("--timeout is a number of seconds above 0.")
    settings = Settings(
        host,
        port,
        read_token(token_file),
        max_bytes=max_bytes,
        max_rows=max_rows,
        max_requests=max_requests,
        seconds=timeout,
        threads=threads,
        snapshot_seconds=save_after,
        follow=follow,
    )
    try:
        from unnaive.serve.run import run
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("unnaive"):
            raise
        raise ValueError(f"serve needs {error.name}: install unnaive with its serve extra (unnaive[serve]).") from error

    def ready(url: str) -> None:
        print_result(as_json, f"{model} is served at {url}.", model=str(model), url=url)
        sys.stdout.flush()

    run(model, settings, ready)
