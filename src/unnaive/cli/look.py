"""The look command."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from unnaive.cli.console import print_json, print_warning, printer
from unnaive.cli.options import AsJson, Categorical, Data, Folder, Target, reads_tables, split_columns


@reads_tables
def look(
    data: Data,
    target: Target = None,
    folder: Folder = None,
    categorical: Categorical = None,
    reading: Any = None,
    as_json: AsJson = False,
) -> None:
    """What is in my file, as it is read? Rows, target, columns, and what is probably not meant so."""
    from unnaive.io import Reading
    from unnaive.look import look as take
    from unnaive.show import terminal

    found = take(data, target, folder, reading=Reading(**reading), categorical=split_columns(categorical))
    if as_json:
        print_json(asdict(found))
        return
    for sentence in found.warnings:
        print_warning(sentence)
    out = printer()
    out.print(terminal.look_words(found), highlight=False, soft_wrap=True)
    out.print()
    out.print(terminal.look_table(found))
