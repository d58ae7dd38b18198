"""The registry: one line in models.py makes a model known everywhere."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import unnaive
from unnaive.models import FILE_TYPES, MODELS, PUBLIC_NAMES, TRANSFORMERS, classifier_of, find_models

TOY = '''
"""The most frequent class, whatever the row."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import validate_data


class Toy(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        validate_data(self, X, skip_check_array=True)
        self.classes_, self.class_count_ = np.unique(y, return_counts=True)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[self.class_count_.argmax()])

    def check_state(self):
        if self.class_count_.shape != self.classes_.shape:
            raise ValueError("There must be one count per class.")
'''
LINE = '    Model("toy", "Toy", "bayes.toy", "always the most frequent class", "Nobody 1763"),\n'

SAVE = """
import pandas as pd
from unnaive import Toy
from unnaive.persist import ModelFileError, load, model_file, save

table = pd.DataFrame({"sky": ["grey", "grey", "blue"]})
model = Toy().fit(table, ["rain", "rain", "sun"])
save(model, "toy.unnaive", target="weather")
assert type(load("toy.unnaive").model) is Toy
model.class_count_ = model.class_count_[:1]
try:
    save(model, "unsound.unnaive")
except ModelFileError as error:
    print(error)
model_file.check_model = lambda model: None
save(model, "unsound.unnaive")
"""
LOAD = """
import sys
from unnaive.persist import load

model = load(sys.argv[1]).model
print(type(model).__module__, *model.predict([[1], [2]]))
"""


@pytest.fixture
def toy_package(tmp_path):
    """A copy of the package with one file and one line more, and a function that runs Python with it."""
    package = tmp_path / "unnaive"
    shutil.copytree(Path(unnaive.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    (package / "bayes" / "toy.py").write_text(TOY)
    registry = package / "models.py"
    before, start, after = registry.read_text().partition("_OWN = (\n")
    registry.write_text(before + start + LINE + after)

    def run(*arguments):
        return subprocess.run(
            [sys.executable, *arguments],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(tmp_path), "NUMBA_DISABLE_JIT": "1"},
        )

    return package, run


@pytest.mark.thorough
def test_a_new_classifier_takes_one_file_and_one_line(toy_package, tmp_path):
    package, run = toy_package
    saved = run("-c", SAVE)
    assert saved.returncode == 0, saved.stderr
    assert saved.stdout.startswith("This Toy cannot be saved")
    refused = run("-c", LOAD, "unsound.unnaive")
    assert "does not hold a sound model" in refused.stderr
    assert "There must be one count per class." in refused.stderr

    assert "always the most frequent class" in run("-m", "unnaive", "models").stdout
    (tmp_path / "table.csv").write_text("sky,weather\ngrey,rain\ngrey,rain\nblue,sun\n")
    fitted = run("-m", "unnaive", "fit", "table.csv", "-m", "toy", "-o", "fitted.unnaive")
    assert (fitted.returncode, fitted.stderr) == (0, "")
    assert "predicting 'weather' (2 classes)" in fitted.stdout

    # Files name the class and not its module, so that it may move.
    assert run("-c", LOAD, "toy.unnaive").stdout == "unnaive.bayes.toy rain rain\n"
    (package / "bayes" / "toy.py").rename(package / "mass" / "moved.py")
    registry = package / "models.py"
    registry.write_text(registry.read_text().replace('"bayes.toy"', '"mass.moved"'))
    assert run("-c", LOAD, "toy.unnaive").stdout == "unnaive.mass.moved rain rain\n"


def test_the_registry_knows_every_public_name_once():
    estimators = {model.estimator for model in MODELS.values() if not model.is_baseline}
    assert not estimators & TRANSFORMERS.keys()
    assert set(PUBLIC_NAMES) == {*estimators, *TRANSFORMERS, "SparseTensor"} == set(unnaive.__all__) - {"__version__"}
    assert set(FILE_TYPES) - set(PUBLIC_NAMES) == {"Categories", "TextAsCategories"}
    for name, module in {**FILE_TYPES, **PUBLIC_NAMES}.items():
        assert getattr(unnaive, name).__module__ == f"unnaive.{module}"


def test_a_misspelled_model_gets_a_suggestion():
    with pytest.raises(ValueError, match="There is no model called 'oade': did you mean 'aode'"):
        find_models(["oade"])


def test_models_are_found_by_name_and_group():
    assert [model.name for model in find_models(["aode", "baselines"])][:3] == ["aode", "logistic", "linear-svm"]
    assert [model.name for model in find_models(["own"], data="text")][:2] == ["bernoulli-nb", "honb"]


def test_a_model_of_numbers_gets_its_columns_prepared():
    name, columns = MODELS["ag-nbc"].make_for_table().steps[0]
    assert (name, type(columns).__name__) == ("columns", "ColumnTransformer")


def test_a_model_of_text_takes_documents():
    model = MODELS["multinomial-nb"].make_for_documents(min_documents=2)
    assert type(classifier_of(model)).__name__ == "MultinomialNB"
    model.fit(["so sunny", "sunny again", "rain, rain", "rain again"], ["dry", "dry", "wet", "wet"])
    assert model.predict(["rain"]).tolist() == ["wet"]


def test_the_documentation_names_the_table_models_that_do_not_count():
    others = [f"`{entry.name}`" for entry in MODELS.values() if entry.data == "table" and not entry.is_baseline]
    others = [name for name in others if not hasattr(MODELS[name.strip("`")].make(), "forget")]
    listed = f"{', '.join(others[:-1])} and {others[-1]}"
    text = (Path(__file__).parents[1] / "docs" / "models.md").read_text(encoding="utf-8")
    assert f"Those that are counts (all but {listed}) share" in " ".join(text.split())
