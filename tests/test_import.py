"""The package is quick to import, and all that it offers is there, documented, and in the registry."""

import inspect
import subprocess
import sys
from importlib import import_module

import pytest
from sklearn.base import ClassifierMixin, TransformerMixin, is_classifier

import unnaive
from unnaive.baselines.peers import PlainTable
from unnaive.lazy import import_later, lazy_names
from unnaive.models import MODELS, classifier_of

PUBLIC = [name for name in unnaive.__all__ if not name.startswith("__")]
SLOW = ["numba", "pandas", "polars", "pyarrow", "matplotlib", "scipy", "sklearn", "numpy"]


def run(code):
    """What a fresh interpreter prints."""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.parametrize("module", ["unnaive", "unnaive.models"])
def test_importing_imports_nothing_slow(module):
    assert run(f"import sys, {module}; print(sorted(set({SLOW}) & sys.modules.keys()))") == "[]"


def test_names_are_found_by_import_and_by_completion():
    assert run("from unnaive import *; print(AODE.__name__, NaiveBayes.__name__)") == "AODE NaiveBayes"
    assert dir(unnaive) == sorted(unnaive.__all__)
    assert set(PUBLIC) == set(unnaive.__all__) - {"__version__"}


def test_a_name_that_does_not_exist_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'unnaive' has no attribute 'Aode'"):
        unnaive.Aode  # noqa: B018
    with pytest.raises(ImportError, match="Aode"):
        exec("from unnaive import Aode")


def test_the_version_is_the_one_installed():
    from importlib.metadata import version

    assert unnaive.__version__ == version("unnaive")


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_is_documented_with_an_example(name):
    member = getattr(unnaive, name)
    assert member.__name__ == name
    documentation = inspect.getdoc(member)
    assert "Examples\n--------\n>>> " in documentation
    assert f"import {name}" in documentation
    parameters = inspect.signature(member).parameters
    assert parameters
    for parameter in parameters:
        assert f"\n{parameter} : " in documentation


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_method_is_documented(name):
    for method, function in inspect.getmembers(getattr(unnaive, name), inspect.isfunction):
        if not method.startswith("_"):
            documentation = inspect.getdoc(function)
            assert documentation, method
            if function.__module__.startswith("unnaive") and "X" in inspect.signature(function).parameters:
                for parameter in list(inspect.signature(function).parameters)[1:]:
                    assert f"{parameter} : " in documentation, (method, parameter)


@pytest.mark.parametrize("name", PUBLIC)
def test_every_estimator_is_in_the_registry_or_transforms(name):
    member = getattr(unnaive, name)
    if issubclass(member, ClassifierMixin):
        assert name in {model.estimator for model in MODELS.values()}
    elif name != "SparseTensor":  # what models of tensors take
        assert issubclass(member, TransformerMixin)


@pytest.mark.parametrize("name", [name for name, model in MODELS.items() if model.is_baseline and model.installed])
def test_every_baseline_is_a_classifier_with_parameters_of_its_own(name):
    model = MODELS[name]
    assert is_classifier(model.make())

    def parameters_of(made):
        last = classifier_of(made)
        return (last.estimator if type(last) is PlainTable else last).get_params(deep=False)

    parameter = next(iter(parameters_of(model.make())))
    value = object()
    assert parameters_of(model.make(**{parameter: value}))[parameter] is value


@pytest.mark.parametrize("name", [name for name, model in MODELS.items() if not model.is_baseline])
def test_every_entry_of_the_registry_makes_an_estimator(name):
    model = MODELS[name]
    assert model.estimator in PUBLIC
    estimator = model.make()
    assert type(estimator) is getattr(unnaive, model.estimator)
    assert estimator.get_params().items() >= model.parameters.items()
    assert model.make(n_jobs=2).n_jobs == 2
    assert model.make() is not model.make()


def test_lazy_names_are_those_of_their_modules():
    get, _ = lazy_names("unnaive", {"lazy_names": "lazy"})
    assert get("lazy_names") is lazy_names
    with pytest.raises(AttributeError, match="has no attribute 'other'"):
        get("other")


@pytest.mark.parametrize("use", ["sys.modules['xml.dom'].Node", "from xml.dom import Node", "import xml.dom.minidom"])
def test_a_module_can_be_imported_later_whoever_imports_it(use, monkeypatch):
    for name in [name for name in sys.modules if f"{name}.".startswith("xml.dom.")]:
        monkeypatch.delitem(sys.modules, name)
    import_later("xml.dom")
    stands_for_it = sys.modules["xml.dom"]
    assert import_module("xml.dom") is stands_for_it
    assert not hasattr(stands_for_it, "__file__")
    exec(use)
    assert sys.modules["xml.dom"] is not stands_for_it
    assert stands_for_it.Node is sys.modules["xml.dom"].Node


def test_a_module_that_is_imported_stays_as_it_is():
    import_later("subprocess")
    assert sys.modules["subprocess"] is subprocess
