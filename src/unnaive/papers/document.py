"""The document of all papers: written by the command, paper by paper, never by hand."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from unnaive.papers import PAPERS
from unnaive.papers.machine import describe_machine
from unnaive.papers.reproduction import Reproduction

NAME = "papers"
# What people wrote about a paper's results, beside the document.
_DISCUSSED = {
    "honb": "higher-order.md",
    "icgnb": "instance-graph.md",
    "massbayes": "massbayes.md",
    "bat": "tensors.md",
    "dtc": "decomposed.md",
}
_HEAD = """# The papers, rebuilt

Every table of five papers, measured again beside the printed figures. This file is written by `unnaive reproduce
PAPER --write FOLDER`, from the records beside it; do not edit it.

In a cell stands what was measured, with its standard deviation if there is one, and in brackets what the paper prints
and the difference. "failed" is a model that gave an error, "–" what was not tried."""


def write_document(folder: str | Path, name: str, found: Reproduction, command: str) -> Path:
    """Record a reproduction in ``papers/NAME.json`` with its pictures, and write ``papers.md`` from all records."""
    folder = Path(folder)
    records = folder / NAME
    records.mkdir(parents=True, exist_ok=True)
    for old in records.glob(f"{name}-*.svg"):
        old.unlink()
    record = {
        "command": command,
        "written": f"{datetime.now(timezone.utc):%Y-%m-%d}",
        "machine": describe_machine(),
        **found.to_json(),
        "tables": [
            {"title": table.title, "verdict": table.verdict, "markdown": table.to_markdown()} for table in found.tables
        ],
        "pictures": {title: _draw(picture, records, f"{name}-{title}") for title, picture in found.pictures.items()},
    }
    text = json.dumps(record, indent=1, ensure_ascii=False) + "\n"
    (records / f"{name}.json").write_text(text, encoding="utf-8")
    path = folder / f"{NAME}.md"
    path.write_text(_document(folder), encoding="utf-8")
    return path


def _draw(picture: Any, folder: Path, title: str) -> str:
    """Into a file, by whose name it is returned."""
    import matplotlib

    file = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") + ".svg"
    figure = Figure(figsize=picture.size, layout="constrained", facecolor="white")
    picture.plot(ax=figure.subplots())
    figure.set_facecolor("white")
    with matplotlib.rc_context({"svg.hashsalt": "unnaive"}):
        figure.savefig(folder / file, metadata={"Date": None}, bbox_inches="tight", facecolor="white")
    return file


def _document(folder: Path) -> str:
    files = {name: folder / NAME / f"{name}.json" for name in PAPERS}
    records = {name: json.loads(file.read_text(encoding="utf-8")) for name, file in files.items() if file.exists()}
    rows = [
        (f"[{name}](#{name})", claim["statement"], claim["verdict"], claim["because"])
        for name, record in records.items()
        for claim in record["claims"]
    ]
    parts = [_HEAD, "## What holds, and what does not", _table(("paper", "claim", "verdict", "because"), rows)]
    parts.append("## What a user should conclude")
    for name, record in records.items():
        parts += [f"**{name}**", _points(record["conclusions"])] if record["conclusions"] else []
    for name, record in records.items():
        parts += _section(name, record, (folder / _DISCUSSED[name]).exists())
    return "\n\n".join(part for part in parts if part) + "\n"


def _section(name: str, record: Mapping[str, Any], discussed: bool) -> list[str]:
    facts = [f"`{record['command']}`, {record['written']}. " + ". ".join(record["machine"].values()) + "."]
    if not record["complete"]:
        facts.append("**Interrupted: what follows is a part of it.**")
    if discussed:
        facts.append(f"More about it: [{_DISCUSSED[name]}]({_DISCUSSED[name]}).")
    parts = [f"## {name}", PAPERS[name], *facts]
    if record["notes"]:
        parts.append(_points(record["notes"]))
    for table in record["tables"]:
        verdict, _, why = table.get("verdict", "").partition(": ")  # which older records lack
        parts += [f"### {table['title']}", f"**{verdict}**: {why}." if verdict else "", table["markdown"]]
    for title, file in record["pictures"].items():
        parts += [f"### {title}", f"![{title}]({NAME}/{file})"]
    if record["undrawn"]:
        parts.append(f"Not drawn without the long experiments (`--full`): {'; '.join(record['undrawn'])}.")
    if record["missing"]:
        where = [f"{missing}: {place}." for missing, place in record["missing"].items()]
        parts += ["### Not here, and where to get it", _points(where)]
    return parts


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    heads = [*heads]
    lines = [heads, ["---"] * len(heads), *([word.replace("|", "\\|") for word in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _points(sentences: Iterable[str]) -> str:
    return "\n".join(f"- {sentence}" for sentence in sentences)
