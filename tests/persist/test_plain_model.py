"""Plain models are written as skops writes them."""

import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.frozen import FrozenEstimator
from sklearn.preprocessing import KBinsDiscretizer

from tests.persist.files import members_of
from unnaive import AODE, NaiveBayes
from unnaive.models import MODELS
from unnaive.persist.allow_list import with_public_names
from unnaive.persist.plain_model import plain_model

OWN = [name for name, model in MODELS.items() if model.data == "table" and not model.is_baseline and model.can_be_saved]
TABLE = pd.DataFrame({"colour": ["red", "blue", None, "red"] * 9, "size": [1.0, 9.0, np.nan, 2.5] * 9, "n": range(36)})
LABELS = np.array(["a", "b", "b", "a"] * 9)


def content_of(payload):
    """All that a payload holds, whatever the identities of its parts."""
    schema, arrays = members_of(payload)

    def plain(part):
        if isinstance(part, dict):
            kept = {name: plain(value) for name, value in part.items() if name != "__id__"}
            return {**kept, "file": arrays[kept["file"]]} if "file" in kept else kept
        return [plain(value) for value in part] if isinstance(part, list) else part

    return plain(schema)


@pytest.mark.filterwarnings("ignore:The tensor of these rows")
@pytest.mark.parametrize("name", OWN)
def test_a_model_of_tables_is_what_skops_writes(name):
    model = MODELS[name].make().fit(TABLE, LABELS)
    assert content_of(plain_model(model)) == content_of(with_public_names(skops.io.dumps(model)))


@pytest.mark.parametrize(
    ("labels", "parameters"),
    [
        (LABELS == "a", {"categorical_features": np.array([True, False, True])}),
        (np.arange(36) % 3, {"bins": "exact", "m": np.float64(0.5)}),
        (LABELS.astype(object), {"categorical_features": ["colour", "n"], "n_jobs": 1}),
        (LABELS, {"categorical_features": (0, 2)}),
    ],
)
def test_labels_and_parameters_are_what_skops_writes(labels, parameters):
    model = AODE(**parameters).fit(TABLE, labels)
    assert content_of(plain_model(model)) == content_of(with_public_names(skops.io.dumps(model)))


def test_an_array_that_occurs_twice_is_written_once():
    mask = np.array([True, False, True])
    model = NaiveBayes(categorical_features=mask).fit(TABLE, LABELS)
    model.counted_.encoder.categorical_features = mask
    parameters = members_of(plain_model(model))[0]["content"]["content"]
    encoder = parameters["counted_"]["content"]["encoder"]["content"]["content"]
    assert parameters["categorical_features"]["file"] == encoder["categorical_features"]["file"]


def test_parts_of_other_packages_are_left_to_skops():
    bins = FrozenEstimator(KBinsDiscretizer(3, encode="ordinal").fit(np.arange(9.0)[:, None]))
    model = AODE(discretizer=bins).fit(TABLE[["colour", "n"]], LABELS)
    assert plain_model(model) is None
