"""Commands that are run when the site is built, with what they print, and tables of their options."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective
from typer.main import get_command

from unnaive.cli.main import app as cli


class Command(SphinxDirective):
    """``{command} unnaive ...``: what it prints, run in the folder of the page's other commands."""

    required_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar = {"hidden": directives.flag, "fails": directives.flag}
    folders: ClassVar = {}

    def run(self):
        command = self.arguments[0]
        folder = self.folders.setdefault(self.env.docname, tempfile.TemporaryDirectory())
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        environment = {**os.environ, "PATH": path, "COLUMNS": "88", "NO_COLOR": "1", "TERM": "dumb"}
        done = subprocess.run(
            ["bash", "-c", command], cwd=folder.name, env=environment, text=True, capture_output=True, check=False
        )
        if (done.returncode != 0) != ("fails" in self.options):
            raise self.error(f"{command} exits with {done.returncode}: {done.stderr}")
        if "hidden" in self.options:
            return []
        printed = "\n".join(line.rstrip() for line in (done.stdout + done.stderr).splitlines())
        text = f"$ {command}\n{printed}".replace(folder.name, "~")
        block = nodes.literal_block(text, text, classes=["command"])
        block["language"] = "console"
        return [block]


class CommandOptions(SphinxDirective):
    """``{command-options} fit``: what the command is for, its arguments and its options."""

    required_arguments = 1

    def run(self):
        command = get_command(cli).commands[self.arguments[0]]
        lines = [f"{command.help.strip()}", "", "| option | meaning |", "|---|---|"]
        for parameter in command.params:
            if getattr(parameter, "hidden", False):
                continue
            is_argument = parameter.param_type_name == "argument"
            names = [parameter.metavar or parameter.name.upper()] if is_argument else parameter.opts
            meaning = " ".join((parameter.help or "").split()).replace("|", r"\|")
            lines.append(f"| {', '.join(f'`{name}`' for name in names)} | {meaning} |")
        return self.parse_text_to_nodes("\n".join(lines))


def setup(app):
    app.add_directive("command", Command)
    app.add_directive("command-options", CommandOptions)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
