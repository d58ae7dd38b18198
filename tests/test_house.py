"""The layers of the package, held by its import graph: see CONTRIBUTING.md."""

import ast
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "unnaive"

# From top to bottom; imports point down. Families share a level: none imports another but those named below.
FAMILIES = [
    "bayes",
    "pooled",
    "mass",
    "decomposition",
    "instance_graph",
    "neural",
    "text",
    "tensors",
    "graphs",
    "baselines",
]
LAYERS = [
    ["__main__"],
    ["cli"],
    ["serve"],
    ["papers"],
    ["show"],
    ["evaluate"],
    ["distributed"],
    ["streaming", "look"],
    ["persist"],
    ["io"],
    ["__init__"],
    ["models"],
    FAMILIES,
    ["counts"],
    ["encoding"],
    ["core"],
    ["lazy"],
]
LEVEL = {room: level for level, rooms in enumerate(LAYERS) for room in rooms}
BUILDS_ON = {("text", "tensors"), ("graphs", "tensors"), ("instance_graph", "bayes")}
MAX_FILES = 20
MAX_PASSED = 9

# Modules without a test file of their own name, by the file that tests them.
TESTED_IN = {
    "__main__": "cli/test_main.py",
    "baselines.calibrated_forest": "baselines/test_peers.py",
    "baselines.text": "test_common.py",
    "baselines.tuned_boosting": "baselines/test_peers.py",
    "bayes.ande_kernels": "bayes/test_against_references.py",
    "bayes.aode": "bayes/test_against_references.py",
    "bayes.aode_kernels": "bayes/test_against_references.py",
    "bayes.column_pairs": "bayes/test_against_references.py",
    "bayes.hidden_naive_bayes": "bayes/test_against_references.py",
    "bayes.naive_bayes": "bayes/test_against_references.py",
    "bayes.naive_tables": "bayes/test_against_references.py",
    "bayes.networks": "bayes/test_against_references.py",
    "bayes.subsumption_resolution": "bayes/test_against_references.py",
    "bayes.wanbia_objective": "bayes/test_wanbia.py",
    "cli.console": "cli/test_main.py",
    "cli.experiments": "cli/test_main.py",
    "cli.look": "test_look.py",
    "cli.options": "cli/test_main.py",
    "cli.serve": "serve/test_run.py",
    "core.saved_state": "persist/test_model_file.py",
    "core.threads": "test_common.py",
    "counts.counted_table": "counts/test_exact_bins.py",
    "counts.statistic": "counts/test_distinct_rows.py",
    "decomposition.unfoldings": "decomposition/test_cp.py",
    "distributed.counting": "distributed/test_fitting.py",
    "distributed.labelled_frame": "distributed/test_fitting.py",
    "distributed.mass_bayes": "distributed/test_fitting.py",
    "distributed.merging": "distributed/test_fitting.py",
    "distributed.progress": "distributed/test_tree_reduction.py",
    "distributed.tensors": "distributed/test_fitting.py",
    "encoding.distinct_numbers": "counts/test_exact_bins.py",
    "encoding.mdl": "encoding/test_mdl_discretizer.py",
    "encoding.one_hot": "encoding/test_numeric_columns.py",
    "encoding.table_classifier": "encoding/test_table_encoder.py",
    "evaluate.comparison": "evaluate/test_compare.py",
    "evaluate.results_file": "evaluate/test_compare.py",
    "evaluate.splits": "evaluate/test_compare.py",
    "graphs.rightmost_extension": "graphs/test_gspan.py",
    "instance_graph.instance_graph_embedding": "instance_graph/test_instance_graph_nb.py",
    "io.column_scan": "io/test_delimited.py",
    "io.fetch": "io/test_datasets.py",
    "io.fingerprint": "io/test_datasets.py",
    "io.numeric_codes": "io/test_formats.py",
    "io.relations.relation": "io/relations/test_keel.py",
    "io.table_file": "io/test_delimited.py",
    "lazy": "test_import.py",
    "papers.honb.data_sets": "papers/honb/test_experiment.py",
    "papers.html": "papers/test_document.py",
    "papers.leaderboard.board": "papers/leaderboard/test_leaderboard.py",
    "papers.leaderboard.page": "papers/leaderboard/test_leaderboard.py",
    "papers.leaderboard.tables": "papers/leaderboard/test_leaderboard.py",
    "papers.massbayes.scale_up": "papers/massbayes/test_experiment.py",
    "papers.terminal_tables": "papers/test_reproduce.py",
    "persist.allow_list": "persist/test_model_file.py",
    "persist.certificate": "cli/test_changes.py",
    "persist.file_lock": "persist/test_output_file.py",
    "persist.manifest": "persist/test_model_file.py",
    "persist.predictions_file": "cli/test_predict.py",
    "persist.soundness": "persist/test_model_file.py",
    "serve.answers": "serve/test_app.py",
    "serve.changes": "serve/test_live_model.py",
    "serve.json_logs": "serve/test_run.py",
    "serve.metrics": "serve/test_app.py",
    "serve.refusal": "serve/test_app.py",
    "show.critical_difference": "show/test_displays.py",
    "show.display": "show/test_displays.py",
    "show.evidence": "show/test_displays.py",
    "show.network": "show/test_displays.py",
    "show.reliability": "show/test_displays.py",
    "show.terminal": "cli/test_main.py",
    "show.verdict": "show/test_report.py",
    "show.win_tie_loss": "show/test_displays.py",
    "tensors.bat_changes": "tensors/test_bat.py",
    "tensors.bat_neighbours": "tensors/test_bat_counts.py",
    "tensors.bat_scores": "tensors/test_bat.py",
    "tensors.bat_tables": "tensors/test_bat.py",
    "text.higher_order_svm": "text/test_higher_order_nb.py",
    "text.path_kernels": "text/test_higher_order_paths.py",
    "text.term_classifier": "text/test_higher_order_nb.py",
}


def modules(source):
    """Every module of a source tree by its dotted name within the package."""
    return {".".join(path.relative_to(source).with_suffix("").parts): path for path in sorted(source.rglob("*.py"))}


@cache
def import_statements(text):
    """All imports in the text of a file, at the top or inside a function."""
    return [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import | ast.ImportFrom)]


def imports(path):
    """The modules of the package that a file imports, at the top or inside a function, types included."""
    for node in import_statements(path.read_text(encoding="utf-8")):
        if isinstance(node, ast.Import):
            found = [alias.name for alias in node.names]
        else:
            assert node.level == 0, f"{path} has a relative import"
            found = [f"{node.module}.{alias.name}" for alias in node.names]
        yield from (name for name in found if name == "unnaive" or name.startswith("unnaive."))


def room_of(name, rooms):
    """The folder, or the file at the top, that a dotted name is in; public names of ``unnaive`` are in __init__."""
    parts = name.removeprefix("unnaive").strip(".").split(".")
    return parts[0] if parts[0] in rooms else "__init__"


def edges(source):
    """(importing module, its room, room of what it imports), between rooms."""
    known = modules(source)
    rooms = {name.split(".")[0] for name in known}
    for name, path in known.items():
        room = name.split(".")[0]
        for imported in imports(path):
            other = room_of(imported, rooms)
            if other != room:
                yield name, room, other


def points_up(room, other):
    return LEVEL[other] <= LEVEL[room] and (room, other) not in BUILDS_ON


def upward(source):
    return sorted({f"{name} imports {other}" for name, room, other in edges(source) if points_up(room, other)})


def cycles(source):
    """Rooms that reach themselves over imports."""
    below = {}
    for _, room, other in edges(source):
        below.setdefault(room, set()).add(other)
    found = []
    for room in below:
        reached, rest = set(), list(below[room])
        while rest:
            here = rest.pop()
            if here not in reached:
                reached.add(here)
                rest.extend(below.get(here, ()))
        if room in reached:
            found.append(room)
    return sorted(found)


def compiled_beside_sklearn(source):
    """Modules that import scikit-learn and hold compiled functions."""
    found = []
    for name, path in modules(source).items():
        imported = {
            (node.module if isinstance(node, ast.ImportFrom) else alias.name) or ""
            for node in import_statements(path.read_text(encoding="utf-8"))
            for alias in node.names
        }
        if "unnaive.core.compiled" in imported and "sklearn" in {module.split(".")[0] for module in imported}:
            found.append(name)
    return found


def test_every_room_has_its_place_in_the_order():
    assert {name.split(".")[0] for name in modules(SOURCE)} <= LEVEL.keys()


def test_imports_point_down():
    assert upward(SOURCE) == []


def test_folders_import_each_other_in_no_circle():
    assert cycles(SOURCE) == []


def test_nothing_but_the_command_line_imports_the_papers():
    assert {room for _, room, other in edges(SOURCE) if other == "papers"} == {"cli"}


def test_no_compiled_function_stands_beside_scikit_learn():
    assert compiled_beside_sklearn(SOURCE) == []


def test_no_folder_holds_more_files_than_one_can_overlook():
    folders = {path.parent for path in SOURCE.rglob("*.py")}
    assert {
        str(folder.relative_to(SOURCE)): n for folder in folders if (n := len(list(folder.glob("*.py")))) > MAX_FILES
    } == {}


def test_every_module_has_a_test_of_its_name_or_is_listed_with_the_one_it_has():
    tests = ROOT / "tests"
    listed = {name: tests / file for name, file in TESTED_IN.items()}
    unnamed = {}
    for name in modules(SOURCE):
        *folders, module = name.split(".")
        if module != "__init__" and not tests.joinpath(*folders, f"test_{module}.py").exists():
            unnamed[name] = listed.get(name)
    assert unnamed == listed  # no module without a test, and no stale entry
    assert all(file.exists() for file in listed.values())


@pytest.mark.parametrize(
    ("file", "line", "finds"),
    [
        ("core/wrong.py", "from unnaive.bayes.aode import AODE", upward),
        ("mass/wrong.py", "import unnaive.bayes.aode", upward),
        ("counts/wrong.py", "def late():\n    from unnaive import AODE", upward),
        ("show/wrong.py", "from unnaive.papers import PAPERS", upward),
        ("encoding/wrong.py", "from unnaive.counts.count_table import CountTable", cycles),
        ("bayes/wrong.py", "import sklearn.base\nfrom unnaive.core.compiled import njit", compiled_beside_sklearn),
    ],
)
def test_a_breach_would_be_found(tmp_path, file, line, finds):
    for path in SOURCE.rglob("*.py"):
        copy = tmp_path / path.relative_to(SOURCE)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / file).write_text(line + "\n")
    assert finds(tmp_path)


TRACE = """
import sys
import pandas as pd
import unnaive
from unnaive import AODE

root = unnaive.__file__.removesuffix("__init__.py")
frame = pd.DataFrame({"sky": list("abcab") * 4, "warmth": [k % 7 + k / 10 for k in range(20)]})
labels = [0, 1, 2, 1] * 5  # two classes have a fast path of their own, through one file more
AODE().fit(frame, labels).predict_proba(frame)  # imports, and what is done once


def passed(call):
    files = set()
    sys.setprofile(lambda stack, event, _: files.add(stack.f_code.co_filename))
    call()
    sys.setprofile(None)
    return {file.removeprefix(root) for file in files if file.startswith(root)}


model = AODE()
for call in (lambda: model.fit(frame, labels), lambda: model.predict_proba(frame)):
    print(*sorted(passed(call)))
"""


@pytest.mark.thorough
def test_aode_passes_through_few_files():
    done = subprocess.run(
        [sys.executable, "-c", TRACE],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    fit, predict = (line.split() for line in done.stdout.splitlines())
    assert "bayes/aode.py" in fit
    assert "bayes/aode_kernels.py" in predict
    assert len(fit) <= MAX_PASSED
    assert len(predict) <= MAX_PASSED
