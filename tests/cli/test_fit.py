"""Fit gives the model of the library, and predict its answers."""

import numpy as np
import pytest

from tests.cli.files import frame_of
from unnaive import NaiveBayes
from unnaive.models import MODELS
from unnaive.persist import content_hash, load


@pytest.mark.parametrize(
    "name", [name for name, model in MODELS.items() if model.data == "table" and model.can_be_saved]
)
def test_every_model_is_fitted_saved_and_predicts_from_files(name, folder, run):
    code, out, err = run("fit", "table.csv", "--model", name, "-o", "m.unnaive")
    assert (code, err) == (0, "")
    assert "200 rows and 5 columns, predicting 'mood' (3 classes)" in out
    code, out, err = run("predict", "m.unnaive", "table.csv", "-o", "out.csv")
    assert (code, err) == (0, "")
    written = frame_of("out.csv")
    saved = load("m.unnaive")
    data = frame_of("table.csv")
    model = MODELS[name].make().fit(data.drop(columns="mood"), data["mood"].to_numpy().astype(str))
    assert written["mood"].tolist() == model.predict(data.drop(columns="mood")).tolist()
    if hasattr(model, "predict_proba"):
        assert list(written) == ["mood", *(f"p({label})" for label in saved.model.classes_)]
        expected = model.predict_proba(data.drop(columns="mood"))
        np.testing.assert_array_equal(written.drop(columns="mood").to_numpy(), expected)
    accuracy = (written["mood"] == data["mood"]).mean()
    assert f"200 rows predicted, {accuracy:.4f} of them as labelled." in out


def test_bins_are_chosen_for_models_that_have_them(folder, run):
    code, _, err = run("fit", "table.csv", "-m", "massbayes", "--bins", "exact", "-o", "m.unnaive")
    assert code == 2
    assert "--bins does not apply" in err
    run("fit", "table.csv", "-m", "nb", "--bins", "exact", "-o", "m.unnaive")
    assert "exact: the model keeps its rows" in run("info", "m.unnaive")[1]


def test_bins_chosen_on_the_command_line_are_those_of_python(folder, run):
    run("fit", "table.csv", "-m", "nb", "--bins", "exact", "-o", "m.unnaive")
    assert "bins='exact'" in run("info", "m.unnaive")[1]
    model, frame = load("m.unnaive").model, frame_of("table.csv")
    fitted = NaiveBayes(bins="exact").fit(frame.drop(columns="mood"), frame["mood"].to_numpy().astype(str))
    assert content_hash(model) == content_hash(fitted)
