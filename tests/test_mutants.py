from pathlib import Path

import pytest

from tests.equivalent_mutants import EQUIVALENT
from tests.mutants import TARGETS, Target, mutants_of

PLANTED = '''
@compiled
def planted(values: list[int], least=0) -> int:
    """Sum what is large."""
    total = -1
    for i in range(2, len(values)):
        if values[i] > least and True:
            total += values[i] * 3
            continue
    return total
'''


def test_everything_that_matters_is_changed_once(tmp_path):
    (tmp_path / "planted.py").write_text(PLANTED)
    mutants = list(mutants_of(Target("planted.py", "planted", ""), tmp_path))
    assert [mutant.change.split(" -> ")[1] for mutant in mutants] == [
        "pass",
        "total = 1",
        "for i in range(2, len(values) - 1):",
        "for i in range(3, len(values)):",
        "if not (values[i] > least and True):",
        "if values[i] > least or True:",
        "if values[i] >= least and True:",
        "if values[i] > least and False:",
        "pass",
        "total -= values[i] * 3",
        "total += values[i] / 3",
        "total += values[i] * 4",
        "break",
    ]
    assert [mutant.line for mutant in mutants] == [5, 5, 6, 6, 7, 7, 7, 7, 8, 8, 8, 8, 9]
    for mutant in mutants[1:]:  # without the first statement there is no total
        namespace = {}
        exec(PLANTED.replace("@compiled", ""), namespace)
        namespace["planted"].__code__ = mutant.code
        assert namespace["planted"]([9, 9, 6, 5, 7], 5) != 3 * (6 + 7) - 1, mutant.change


@pytest.mark.parametrize("name", TARGETS)
def test_equivalent_mutants_are_still_made(name):
    made = {(mutant.module, mutant.function, mutant.change) for mutant in mutants_of(TARGETS[name])}
    listed = {(*place, change) for place, reasons in EQUIVALENT.items() for change in reasons}
    assert {mutant for mutant in listed if mutant[0] == TARGETS[name].module} <= made


def test_equivalent_mutants_are_those_of_targets_and_their_tests_exist():
    assert {module for module, _ in EQUIVALENT} <= {target.module for target in TARGETS.values()}
    root = Path(__file__).parents[1]
    assert all((root / file).exists() for target in TARGETS.values() for file in target.files.split())
