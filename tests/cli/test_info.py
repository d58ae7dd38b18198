"""Info describes a model file, and models lists the registry."""

import json

from unnaive.models import MODELS
from unnaive.persist import read_manifest


def test_info_says_what_is_in_a_model_file(folder, run):
    run("fit", "table.csv", "-m", "waode", "-o", "m.unnaive")
    code, out, _ = run("info", "m.unnaive")
    assert code == 0
    for words in ("WAODE(", "mood: no, perhaps, yes", "colour (text", "width (numbers", "200"):
        assert words in out
    code, out, _ = run("info", "m.unnaive", "--json")
    assert json.loads(out) == read_manifest("m.unnaive")


def test_models_are_those_of_the_registry(run):
    code, out, _ = run("models")
    assert code == 0
    for model in MODELS.values():
        assert model.name in out
        assert model.description in out
    code, out, _ = run("models", "--json")
    assert [entry["name"] for entry in json.loads(out)] == list(MODELS)
