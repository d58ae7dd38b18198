"""The API reference: one page for every public class and function, written when the site is built."""

import inspect
import pkgutil
import shutil
from importlib import import_module
from pathlib import Path

import unnaive.evaluate
from unnaive.models import MODELS, PUBLIC_NAMES, TRANSFORMERS

FAMILIES = {
    "pooled": "The pool",
    "bayes": "Naive Bayes, averages and networks",
    "mass": "Mass",
    "decomposition": "Decompositions",
    "instance_graph": "Instance graphs",
    "neural": "Neural",
    "text": "Text",
    "tensors": "Tensors",
    "graphs": "Graphs",
    "encoding": "Encoding",
}
# Public by name within the package, but of no use outside it.
INTERNAL = {
    "calibration_error_of",
    "collect",
    "describe_estimator",
    "differences_of",
    "higher_is_better",
    "ignore_sigint",
    "judge",
    "label_of",
    "ResultsFile",
    "to_json_values",
}
# What scikit-learn documents itself.
OF_SKLEARN = "BaseEstimator, ClassifierMixin, TransformerMixin, _SetOutputMixin, _MetadataRequester"


def sections():
    """Titles, and the public names under each by module."""
    for family, title in FAMILIES.items():
        names = sorted(name for name, module in PUBLIC_NAMES.items() if module.split(".")[0] == family)
        yield title, [("unnaive", name) for name in names]
    yield (
        "What a model holds",
        [
            ("unnaive.bayes.probability_tables", "ProbabilityTables"),
            ("unnaive.counts.model_summary", "ModelSummary"),
        ],
    )
    for title, package in (
        ("Displays", "unnaive.show"),
        ("Displays of the papers", "unnaive.papers"),
        ("Data", "unnaive.io"),
        ("Model files", "unnaive.persist"),
        ("Dask", "unnaive.distributed"),
    ):
        yield title, [(package, name) for name in sorted(import_module(package).__all__) if name != "PAPERS"]
    modules = [f"unnaive.evaluate.{module.name}" for module in pkgutil.iter_modules(unnaive.evaluate.__path__)]
    yield "Evaluation", [(module, name) for module in modules for name in defined_in(module)]
    yield "Looking at a file", [("unnaive.look", name) for name in defined_in("unnaive.look")]
    yield "The registry", [("unnaive.models", "Model"), ("unnaive.models", "find_models")]


def defined_in(module):
    """The public classes and functions of a module, in its order."""
    for name, value in vars(import_module(module)).items():
        is_own = getattr(value, "__module__", None) == module and (inspect.isclass(value) or inspect.isfunction(value))
        if is_own and not name.startswith("_") and name not in INTERNAL:
            yield name


def page_name(module, name):
    """The page of a public name: estimators by their name alone."""
    return name if module == "unnaive" else f"{module.removeprefix('unnaive.')}.{name}"


def entry(module, name):
    """The page of one class or function."""
    value = getattr(import_module(module), name)
    lines = [name, "=" * len(name), "", f".. currentmodule:: {module}", ""]
    registered = [model.name for model in MODELS.values() if model.estimator == name]
    if registered:
        lines += [f"On the command line: {', '.join(f'``{short}``' for short in registered)}.", ""]
    if inspect.isclass(value):
        lines += [f".. autoclass:: {name}", "   :members:"]
        if module == "unnaive" or name in TRANSFORMERS:
            requests = [member for member in dir(value) if member.startswith("set_") and member.endswith("_request")]
            lines += [f"   :inherited-members: {OF_SKLEARN}", f"   :exclude-members: {', '.join(requests)}"]
        if hasattr(value, "get_params"):
            lines += ["", "From scikit-learn: ``get_params``, ``set_params``, ``get_metadata_routing``"]
            lines[-1] += ", ``score``." if hasattr(value, "predict") else ", ``set_output``."
    else:
        lines += [f".. autofunction:: {name}"]
    return "\n".join(lines) + "\n"


def summary(module, name):
    """The first sentence of a docstring."""
    text = inspect.getdoc(getattr(import_module(module), name)) or ""
    return text.split("\n\n")[0].replace("\n", " ")


def write_reference(app):
    """Write the pages and their index."""
    folder = Path(app.srcdir, "api")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    lines = ["API reference", "=============", ""]
    for title, names in sections():
        lines += [title, "-" * len(title), "", ".. list-table::", "   :class: api", ""]
        for module, name in names:
            page = page_name(module, name)
            (folder / f"{page}.rst").write_text(entry(module, name), encoding="utf-8")
            lines += [f"   * - :doc:`{name} <{page}>`", f"     - {summary(module, name)}"]
        lines += ["", ".. toctree::", "   :hidden:", ""]
        lines += [f"   {name} <{page_name(module, name)}>" for module, name in names] + [""]
    (folder / "index.rst").write_text("\n".join(lines) + "\n", encoding="utf-8")


def setup(app):
    app.connect("builder-inited", write_reference)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
