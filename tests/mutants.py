"""Do the tests notice when a kernel is wrong? Change one thing of a kernel at a time, and run its tests.

    python -m tests.mutants [TARGET ...]

A mutant has one operator, constant, condition, bound or statement changed. Its tests run with the kernels as plain
Python, in a process of its own in which the function has the changed code. A mutant that fails a test, or loops
forever, is killed. One that survives is a hole in the tests, or equivalent: `equivalent_mutants.py` says
why. The exit status is 1 if a mutant survives that is not listed there, or if a listed one is killed.
"""

import ast
import importlib
import os
import re
import resource
import sys
import time
from collections import Counter
from operator import attrgetter
from pathlib import Path
from types import CodeType
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, settings

from tests.equivalent_mutants import EQUIVALENT

PACKAGE = Path(__file__).parents[1] / "src" / "unnaive"
WORKERS = 2
MAX_BYTES = 8 * 2**30
# Compiled code does not warn.
OPTIONS = ["-o", "addopts=", "-p", "no:terminal", "-p", "no:cacheprovider", "-s", "-W", "ignore"]


class Target(NamedTuple):
    """A module, the functions to change, the test files, the most specific first, and which tests of these (``-k``)."""

    module: str
    functions: str
    files: str
    only: str = ""


# The functions that decide results; set-up, dispatch and the special cases that only save time are left out.
TARGETS = {
    "counts": Target(
        "counts/count_table.py",
        "Smoothing.extra Smoothing.added Smoothing.estimate CountTable.merge CountTable.contains CountTable.subtract "
        "CountTable.block CountTable.grown _count_pairs _count",
        "tests/counts/test_count_table.py tests/counts/test_mutual_information.py",
    ),
    "information": Target(
        "counts/mutual_information.py",
        "mutual_information smoothed_mutual_information _conditional_information _information",
        "tests/counts/test_mutual_information.py",
    ),
    "averages": Target(
        "bayes/aode_kernels.py",
        "fill_parent_factor _divide_by_powers _divide_by_observed add_scaled",
        "tests/bayes/test_against_references.py tests/test_common.py",
        "test_aode or test_waode or test_ande[2] or kept_as_logarithms and 30.0-3-1",
    ),
    "hidden": Target(
        "bayes/hidden_kernels.py",
        "_fill_hidden _score_hidden",
        "tests/bayes/test_hidden_kernels.py tests/bayes/test_against_references.py",
        "test_hidden",
    ),
    "structure": Target(
        "bayes/structure_learning.py",
        "family_scores _sum_dirichlet _sum_entropy maximum_spanning_tree greedy_tree "
        "k2_parents k2_gains _count_candidates",
        "tests/bayes/test_structure_learning.py",
    ),
    "network": Target(
        "bayes/network_tables.py",
        "NetworkTables.score NetworkTables.evidence stack_tables with_dropped_parents add_log_tables",
        "tests/bayes/test_network_tables.py",
    ),
    "paths": Target(
        "text/path_kernels.py",
        "neighbours pure_paths",
        "tests/text/test_higher_order_paths.py",
        "worked or enumeration",
    ),
    "trees": Target(
        "mass/hd_tree.py",
        "work_space _difference _middle _highest _partition add_shares",
        "tests/mass/test_hd_tree.py",
        "not reservoir and not sample",
    ),
    "spanning_tree": Target(
        "instance_graph/minimum_spanning_tree.py",
        "_precedes _grow _root",
        "tests/instance_graph/test_minimum_spanning_tree.py",
        "kruskal or hang_on_the_first or scipy and 700-3-prim",
    ),
    "mixture": Target(
        "decomposition/mixture.py",
        "_from_shares _estimated _em_sweep _expect",
        "tests/decomposition/test_mixture.py",
        "definition or independence or anew or underflow",
    ),
}

SWAPPED = {
    **{ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq},
    **{ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.And: ast.Or, ast.Or: ast.And},
    **{ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult},
    **{ast.Mod: ast.Mult, ast.Pow: ast.Mult, ast.LShift: ast.RShift, ast.RShift: ast.LShift},
    **{ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.BitXor: ast.BitOr, ast.Break: ast.Continue},
    ast.Continue: ast.Break,
}
OPPOSITE = {"min": "max", "max": "min", "minimum": "maximum", "maximum": "minimum", "any": "all", "all": "any"}


class Mutant(NamedTuple):
    """The code of a changed module; file, function and ``change`` identify it without its line."""

    module: str
    function: str
    change: str
    line: int
    code: CodeType


def replacements(node, bound):
    """What to put in the place of a node; ``bound`` counts how often each name of the function is bound."""
    match node:
        case _ if type(node) in SWAPPED:
            yield SWAPPED[type(node)]()
        case ast.Constant(bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(int(value) | float(value)):
            yield ast.Constant(value + 1)
        case ast.Name(name, ast.Load()) if name in OPPOSITE:
            yield ast.Name(OPPOSITE[name], ast.Load())
        case ast.Attribute(value, name) if name in OPPOSITE:
            yield ast.Attribute(value, OPPOSITE[name], ast.Load())
        case ast.UnaryOp(_, operand):
            yield operand
        case ast.Call(ast.Name("range"), [stop]):
            yield ast.Call(node.func, [ast.BinOp(stop, ast.Sub(), ast.Constant(1))], [])
        case ast.Call(ast.Name("range"), [start, stop, *step]):
            if not isinstance(start, ast.Constant):  # which is changed anyway
                yield ast.Call(node.func, [ast.BinOp(start, ast.Add(), ast.Constant(1)), stop, *step], [])
            yield ast.Call(node.func, [start, ast.BinOp(stop, ast.Sub(), ast.Constant(1)), *step], [])
        case ast.If(ast.Compare(ops=[ast.Eq() | ast.NotEq()]) | ast.UnaryOp()):
            pass  # their operator is changed already
        case ast.If(test, body, orelse) | ast.IfExp(test, body, orelse):
            yield type(node)(ast.UnaryOp(ast.Not(), test), body, orelse)
        case ast.AugAssign() | ast.Expr(ast.Call()):
            yield ast.Pass()
        case ast.Assign():
            names = [name for target in node.targets for name in ast.walk(target) if isinstance(name, ast.Name)]
            # A name that is never bound is noticed by any test.
            if any(isinstance(name.ctx, ast.Load) or bound[name.id] > 1 for name in names):
                yield ast.Pass()


def sites(parent, statement=None):
    """Every node below a node that may be replaced, as (parent, field, index, node, the statement around it)."""
    for field, value in ast.iter_fields(parent):
        for place, node in enumerate(value if isinstance(value, list) else [value]):
            skipped = field in ("decorator_list", "returns", "annotation") or isinstance(
                node, (ast.Raise, ast.arguments)
            )
            if isinstance(node, ast.AST) and not skipped:
                own = node if isinstance(node, ast.stmt) else statement
                yield parent, field, place, node, own
                if not isinstance(getattr(node, "operand", None), ast.Constant):  # of -1, only the sign is changed
                    yield from sites(node, own)


def mutants_of(target, root=PACKAGE):
    """All mutants of a target, one after the other."""
    tree = ast.parse((root / target.module).read_text(encoding="utf-8"))
    for name in target.functions.split():
        function = tree
        for part in name.split("."):
            function = next(node for node in function.body if getattr(node, "name", None) == part)
        names = [node for node in ast.walk(function) if isinstance(node, ast.Name)]
        bound = Counter(node.id for node in names if isinstance(node.ctx, ast.Store))
        bound.update(argument.arg for argument in function.args.args)
        seen = Counter()
        for parent, field, place, node, statement in sites(function):
            for new in replacements(node, bound):
                before = _first_line(statement)
                _put(parent, field, place, ast.copy_location(new, node))
                change = f"{before} -> {_first_line(new if node is statement else statement)}"
                seen[change] += 1
                change += f" ({seen[change]})" * (seen[change] > 1)
                yield Mutant(target.module, name, change, statement.lineno, _code(function))
                _put(parent, field, place, node)


def _code(function):
    """The compiled body of a function."""
    module = compile(ast.fix_missing_locations(ast.Module([function], [])), "mutant", "exec")
    return next(part for part in module.co_consts if isinstance(part, CodeType) and part.co_name == function.name)


def _first_line(node):
    line = ast.unparse(node).strip().split("\n")[0]
    return re.sub(r"^\(([\w, ]+)\) = ", r"\1 = ", line)  # as Python 3.10 writes it


def _put(parent, field, place, node):
    if isinstance(getattr(parent, field), list):
        getattr(parent, field)[place] = node
    else:
        setattr(parent, field, node)


class Runner:
    """A pytest plugin: once the tests are collected, it runs them on every mutant in a process of its own."""

    def __init__(self, target):
        self.target = target
        self.items = []  # what killed the last mutants comes first
        self.running = {}
        self.verdicts = []

    def pytest_runtestloop(self, session):
        """Collect the verdicts, a few mutants at a time."""
        module = importlib.import_module(f"unnaive.{self.target.module[:-3].replace('/', '.')}")
        self.items = session.items
        session.config.option.tbstyle = "no"
        start(session, self.items, 600)
        _, status, used = os.wait3(0)
        if status != 0:
            raise pytest.UsageError("The tests fail without any change.")
        cpu_seconds = round(5 + 3 * used.ru_utime)
        for mutant in mutants_of(self.target):
            function = attrgetter(mutant.function)(module)
            self.running[start(session, self.items, cpu_seconds, function, mutant.code)] = mutant, self.items
            if len(self.running) == WORKERS:
                self.end_one()
        while self.running:
            self.end_one()
        return True

    def end_one(self):
        """Wait for the first of the processes, and keep its verdict."""
        process, status = os.wait()
        status = os.waitstatus_to_exitcode(status)  # negative is the signal that ended it
        mutant, items = self.running.pop(process)
        listed = mutant.change in EQUIVALENT.get((mutant.module, mutant.function), {})
        survived = "equivalent" if listed else "SURVIVED"
        self.verdicts.append(survived if status == 0 else "KILLED" if listed else "killed")
        if self.verdicts[-1].isupper():
            where = f"{mutant.module}:{mutant.line} {mutant.function}"
            print(f"  {self.verdicts[-1]}: {where}: {mutant.change}", flush=True)
        if status > 0:
            killer = items[status - 1]
            self.items = [killer, *(item for item in self.items if item is not killer)]


def start(session, items, cpu_seconds, function=None, code=None):
    """Run tests in a process in which a function has other code; its exit code is the place of the one that fails."""
    process = os.fork()
    if process:
        return process
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds))
        resource.setrlimit(resource.RLIMIT_AS, (MAX_BYTES, MAX_BYTES))
        np.empty = filled
        if function is not None:
            for stream in (1, 2):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
            function.__code__ = code
        for place, (item, following) in enumerate(zip(items, [*items[1:], None])):
            item.ihook.pytest_runtest_protocol(item=item, nextitem=following)
            if session.testsfailed:
                os._exit(place + 1)
        os._exit(0)
    finally:
        os._exit(1)


def check(name):
    """Whether every mutant of a target is killed, or survives as one of the equivalent ones."""
    began = time.monotonic()
    runner = Runner(TARGETS[name])
    options = ["--hypothesis-profile=mutants", *runner.target.files.split(), "-k", runner.target.only]
    pytest.main([*OPTIONS, *options], plugins=[runner])
    parts = ", ".join(f"{count} {verdict}" for verdict, count in sorted(Counter(runner.verdicts).items()))
    print(f"{name}: {len(runner.verdicts)} mutants: {parts} ({time.monotonic() - began:.0f} s)", flush=True)
    return bool(runner.verdicts) and not any(verdict.isupper() for verdict in runner.verdicts)


def filled(*arguments, empty=np.empty, **options):
    """An empty array, with initial values that are noticed wherever they are used."""
    array = empty(*arguments, **options)
    if array.dtype.kind in "iuf":
        array.reshape(-1).view(np.uint8)[:] = 0xFF  # -1, the largest integer, or NaN
    return array


if __name__ == "__main__":
    os.environ["NUMBA_DISABLE_JIT"] = "1"  # numba is not yet imported
    # A failure is enough; the smallest one is not needed.
    settings.register_profile(
        "mutants",
        settings.get_profile("default"),
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
    )
    results = [check(name) for name in sys.argv[1:] or TARGETS]
    sys.exit(not all(results))
