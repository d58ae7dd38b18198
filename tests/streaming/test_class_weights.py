"""Rows may weigh so much that all classes weigh the same, those of later changes too."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.utils.class_weight import compute_sample_weight

from tests.cli.files import frame_of
from unnaive.models import MODELS
from unnaive.persist import content_hash, load


def unbalanced():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=300), "colour": rng.choice(["red", "blue"], 300)})
    frame["class"] = np.where(np.arange(300) % 15 == 0, "ill", "well")
    frame.loc[frame["class"] == "ill", "x"] += 1.5
    frame.to_csv("t.csv", index=False)
    return frame.drop(columns="class"), frame["class"].to_numpy(dtype=str)


@pytest.mark.parametrize("name", ["nb", "wanbia", "logistic"])
def test_balanced_rows_weigh_as_much_in_every_class(name, folder, run):
    X, y = unbalanced()
    code, out, _ = run("fit", "t.csv", "-m", name, "-o", "m.unnaive", "--class-weight", "balanced", "--json")
    assert code == 0
    assert json.loads(out)["class_weight"] == {"ill": 300 / (2 * 20), "well": 300 / (2 * 280)}
    weights, model = compute_sample_weight("balanced", y), MODELS[name].make_for_table()
    step = f"{model.steps[-1][0]}__sample_weight" if hasattr(model, "steps") else "sample_weight"
    expected = model.fit(X, y, **{step: weights}).predict_proba(X)
    np.testing.assert_allclose(load("m.unnaive").model.predict_proba(X), expected, rtol=0, atol=1e-12)
    run("fit", "t.csv", "-m", name, "-o", "plain.unnaive")
    found = [(load(path).model.predict(X) == "ill").sum() for path in ("m.unnaive", "plain.unnaive")]
    assert found[0] > found[1]
    assert "ill 7.5, well 0.535714" in run("info", "m.unnaive")[1]
    assert "class weights" not in run("info", "plain.unnaive")[1]


def test_later_rows_have_the_weights_of_their_classes_too(folder, run):
    unbalanced()
    frame_of("t.csv").head(40).to_csv("some.csv", index=False)
    run("fit", "t.csv", "-m", "nb", "-o", "m.unnaive", "--class-weight", "balanced", "--bins", "exact")
    before = content_hash(load("m.unnaive").model)
    assert run("verify", "m.unnaive", "t.csv")[0] == 0
    assert run("update", "m.unnaive", "some.csv")[0] == 0
    assert load("m.unnaive").model.class_count_.tolist() == pytest.approx([7.5 * 23, 300 / 560 * 317])
    assert run("forget", "m.unnaive", "some.csv")[0] == 0
    assert content_hash(load("m.unnaive").model) == before


def test_weights_of_classes_are_refused_where_rows_cannot_be_weighted(folder, run):
    unbalanced()
    how = ("-o", "m.unnaive", "--class-weight", "balanced")
    code, _, err = run("fit", "t.csv", "-m", "icgnb", *how)
    assert (code, "'icgnb' learns from rows of equal weight only: leave out --class-weight." in err) == (2, True)
    code, _, err = run("fit", "t.csv", "-m", "nb", *how, "--dask", "local")
    assert (code, "--class-weight applies to fits without --dask." in err) == (2, True)
