"""The commands that describe a model file, and all models that there are."""

from __future__ import annotations

from dataclasses import asdict

from unnaive.cli.console import print_json, printer
from unnaive.cli.options import AsJson, ModelFile
from unnaive.models import MODELS


def info(model: ModelFile, as_json: AsJson = False) -> None:
    """Describe a model file."""
    from unnaive.persist import read_manifest
    from unnaive.show import terminal

    manifest = read_manifest(model)
    if as_json:
        print_json(manifest)
        return
    printer().print(terminal.facts(terminal.describe_manifest(manifest)))


def list_models(as_json: AsJson = False) -> None:
    """List all models with their descriptions and papers."""
    from unnaive.show import terminal

    if as_json:
        print_json([{**asdict(model), "home": model.home} for model in MODELS.values()])
        return
    printer().print(terminal.model_table())
