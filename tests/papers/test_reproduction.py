"""A request names its command and its files, and a reproduction is written as JSON values."""

from dataclasses import replace
from pathlib import Path

import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import Pipeline

from unnaive import NaiveBayes
from unnaive.papers.claims import REPRODUCED, Claim
from unnaive.papers.reproduction import Reproduction, Request


def test_a_reproduction_is_plain_values():
    found = Reproduction([], claims=[Claim("a", REPRODUCED, "b")], missing={"X": "UCI"})
    assert found.to_json()["claims"] == [{"statement": "a", "verdict": "reproduced", "because": "b"}]
    assert found.to_json()["missing"] == {"X": "UCI"}


def test_a_run_is_quick_or_full():
    with pytest.raises(ValueError, match="quick or full"):
        Request(quick=True, full=True)
    assert Request(quick=True).chosen(["a", "b"], ["b"]) == ["b"]
    assert Request(["a"], quick=True).chosen(["a", "b"], ["b"]) == ["a"]
    assert Request().chosen(["a", "b"], ["b"]) == ["a", "b"]


def test_the_command_repeats_a_request():
    assert Request(["Wave"], 3, quick=True).command("massbayes") == (
        "unnaive reproduce massbayes --quick --sets Wave --trials 3"
    )


def test_every_part_has_a_results_file_of_its_own():
    assert Request(results=Path("dtc.jsonl")).results_of("folds").name == "dtc-folds.jsonl"
    assert Request().results_of("folds") is None


def test_the_seed_is_added_to_those_of_all_models():
    models = {
        "nb": NaiveBayes(),
        "piped": Pipeline([("forest", RandomForestClassifier(random_state=3))]),
        "none": RandomForestClassifier(random_state=None),
    }
    seen = {}
    for seed in (0, 5):
        seeded = {name: Request(seed=seed)._seeded(model) for name, model in models.items()}
        seen[seed] = [seeded["piped"]["forest"].random_state, seeded["none"].random_state]
        assert isinstance(seeded["nb"], NaiveBayes)
    assert seen == {0: [3, None], 5: [8, None]}
    assert models["piped"]["forest"].random_state == 3


def test_results_of_a_part_are_counted_if_they_are_to_be_continued_with(tmp_path):
    request = Request(results=tmp_path / "r.jsonl", resume=True)
    assert request.n_measured("part") == 0
    (tmp_path / "r-part.jsonl").write_text('{"settings": {}}\n{"data": "a"}\n{"data": "b"}\n')
    assert request.n_measured("part") == 2
    assert replace(request, resume=False).n_measured("part") == 0
    assert Request(resume=True).n_measured("part") == 0
