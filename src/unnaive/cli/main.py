"""The ``unnaive`` command: its subcommands, and errors as one sentence."""

from __future__ import annotations

import gc
import os
import sys
import warnings
from typing import Annotated

import typer

from unnaive import __version__
from unnaive.cli import card, changes, compare, experiments, explain, fit, info, look, predict, serve, tables, warm
from unnaive.cli.console import print_error, warnings_in_a_line
from unnaive.cli.options import INTERRUPTED
from unnaive.lazy import import_later

_COLLECT_AFTER = 100_000  # new objects: most of them are modules, functions and classes, which stay

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
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Bayesian classifiers that drop the naive independence assumption."""


for command in (
    look.look,
    compare.compare,
    *(fit.fit, predict.predict),
    *(changes.update, changes.forget, changes.verify, changes.merge),
    *(explain.explain, info.info),
    *(serve.serve, tables.tables, card.card),
):
    app.command()(command)
app.command("models")(info.list_models)
app.command()(warm.warm)
app.command()(experiments.reproduce)
app.command()(experiments.leaderboard)


def main() -> None:
    """Run the command; errors are one sentence, and exit code 2."""
    arguments = [argument for argument in sys.argv[1:] if argument != "--debug"]  # allowed anywhere
    debug = len(arguments) < len(sys.argv) - 1
    gc.set_threshold(_COLLECT_AFTER)
    import_later("scipy.stats")  # which scikit-learn imports, and most commands never use
    try:
        with warnings_in_a_line():
            warnings.filterwarnings("ignore", "Glyph ")  # by matplotlib, about characters that a figure cannot show
            code = app(arguments, standalone_mode=False)
    except typer.Abort:  # on Ctrl-C in older releases of typer; newer ones return an exit code
        code = INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # no error when stdout is flushed at exit
        code = 0
    except Exception as error:
        if type(error).__name__ == "NoArgsIsHelpError":  # the help is printed
            sys.exit(0)
        if debug:
            raise
        print_error(_sentence(error))
        code = 2
    if code == INTERRUPTED:
        print_error("interrupted.")
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
