"""The HTML report: what it says, that it needs nothing but itself, and how it behaves in a browser."""

import base64
import hashlib
import math
import os
import re
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest

from unnaive.evaluate.comparison import Comparison, FoldResult
from unnaive.evaluate.metrics import METRICS, STANDARD
from unnaive.evaluate.significance import friedman
from unnaive.look import ColumnFacts, Look
from unnaive.models import MODELS, find_models
from unnaive.show import report
from unnaive.show.page import check_report_path
from unnaive.show.report import render_report, write_report
from unnaive.show.verdict import entry_of, verdict_on

VOID = {"meta", "link", "input", "br", "hr", "img"}
SECTIONS = ["leaderboard", "figures", "results", "data", "calibration", "timings", "failures", "reading", "again"]
HOSTILE = (
    "<script>window.hacked = 1</script>",
    "</script><script>window.hacked = 2</script>",
    '"><img src=x onerror="window.hacked = 3">',
    "' onmouseover='window.hacked = 4",
    "--></style><svg onload=window.hacked=5>",
    "{{ 7 * 7 }} {% raw %} $\\frac{$ &lt;b&gt;",
    "a" * 300,
    "\u202egnp.exe \x00\x07\ud800",
)


def recorded(model):
    """What a run notes down of a model."""
    return repr(MODELS[model].make()) if model in MODELS else "Mine()"


def settings_of(models, data, *, cv=5, repeats=1, metrics=STANDARD, baseline=None, truth=None):
    facts = {"n_rows": 1500, "n_columns": 12, "n_classes": 3, "largest_class": 0.625, "fingerprint": "0"}
    return {
        "version": "0.1.0",
        "models": {model: recorded(model) for model in models},
        "data": {name: facts | ({} if truth is None else {"truth": truth}) for name in data},
        "cv": cv,
        "repeats": repeats,
        "test_size": None,
        "random_state": 7,
        "metrics": list(metrics),
        "baseline": baseline or models[0],
    }


def fold(data, model, number, accuracy, n_test=100, **more):
    """A result with all metrics, following from the accuracy."""
    scores = {"accuracy": accuracy, "auc_pr": accuracy, "log_loss": 2 * (1 - accuracy), "brier": 1 - accuracy}
    bins = [[0, 0, 0]] * 14 + [[n_test, 0.95 * n_test, accuracy * n_test]]
    known = {"scores": scores | {"calibration_error": abs(0.95 - accuracy)}, "reliability": bins}
    times = {"fit_seconds": 0.02 * len(model), "predict_seconds": 0.001}
    return FoldResult(data, model, 0, number, 4 * n_test, n_test, **{**known, **times, **more})


def made(accuracies, *, cv=5, noise=0.002, failed=(), unsure=(), **settings):
    """A comparison from {data: {model: accuracy}}, with a little noise that the models of a fold share."""
    random = np.random.default_rng(0)
    data, models = list(accuracies), list(next(iter(accuracies.values())))
    results = []
    for name, of_data in accuracies.items():
        for number in range(cv):
            shared = random.normal(0, noise)
            for model, accuracy in of_data.items():
                scored = fold(name, model, number, accuracy + shared + random.normal(0, noise / 10))
                if (name, model) in failed:
                    scored = FoldResult(name, model, 0, number, 400, 100, error=f"ValueError: no {model} here")
                elif model in unsure:
                    labels = {"accuracy": accuracy, **dict.fromkeys(STANDARD[2:], math.nan), "auc_pr": accuracy}
                    scored = fold(name, model, number, accuracy, scores=labels, reliability=None)
                results.append(scored)
    return Comparison.of(settings_of(models, data, cv=cv, **settings), results)


def usual(n_data=4, **more):
    """Four models, clearly apart on every data set; the last one has no probabilities."""
    accuracies = {"nb": 0.80, "aode": 0.86, "a2de": 0.90, "linear-svm": 0.83}
    shift = {f"set {place}": place / 200 for place in range(n_data)}
    table = {name: {model: value - less for model, value in accuracies.items()} for name, less in shift.items()}
    return made(table, unsure=["linear-svm"], **more)


def tiny():
    """One model on one data set: nothing to draw, and soon written."""
    return made({"one": {"linear-svm": 0.9}}, unsure=["linear-svm"])


@cache
def usual_page():
    return render_report(usual(), command="unnaive compare 'my data.csv' --cv 5 --seed 7")


@cache
def failed_page():
    """As usual, but the best model fails on two data sets."""
    return render_report(usual(failed=[("set 1", "a2de"), ("set 3", "a2de")]), command="unnaive compare")


@pytest.fixture
def without_figures(monkeypatch):
    """Pages of tables and words alone: figures take their time."""
    monkeypatch.setattr(report, "_figures", lambda *_: [])
    monkeypatch.setattr(report, "_reliability", lambda *_: None)


LARGEST = pytest.param("largest", marks=pytest.mark.thorough)


@cache
def largest_page():
    """All models that every installation can compare with each other, and one more, on twenty data sets."""
    random = np.random.default_rng(0)
    models = [*(model.name for model in find_models(["all"]) if not model.requires), "mine"]
    table = {f"data {d}": {model: random.uniform(0.7, 0.9) for model in models} for d in range(20)}
    return render_report(made(table, cv=3))


class _Tree(HTMLParser):
    """Elements of a page; tags that are not closed where they should be are an error."""

    def __init__(self):
        super().__init__()
        self.builder, self.within = ElementTree.TreeBuilder(), []

    def handle_starttag(self, tag, attributes):
        self.builder.start(tag, {name: value or "" for name, value in attributes})
        if tag in VOID:
            self.builder.end(tag)
        else:
            self.within.append(tag)

    def handle_endtag(self, tag):
        assert self.within.pop() == tag
        self.builder.end(tag)

    def handle_data(self, text):
        self.builder.data(text)


@cache
def read(page):
    """The elements of a page."""
    tree = _Tree()
    tree.feed(page.removeprefix("<!doctype html>").strip())
    tree.close()
    assert not tree.within
    return tree.builder.close()


def words(element):
    return " ".join("".join(element.itertext()).split())


def section(page, name):
    return read(page).find(f".//section[@id='{name}']")


def verdict(comparison):
    """The sentences alone: the figures of a page take their time."""
    return verdict_on(comparison).striptags()


def table_of(element):
    """Cells of a table's body as lists of text."""
    return [[words(cell) for cell in row] for row in element.find(".//tbody")]


# What it says


def test_the_verdict_names_the_best_rank_and_what_it_does_to_the_baseline():
    assert verdict(usual()) == (
        "a2de has the best average rank (1) over 4 data sets; it is significantly better than nb on 4 of them "
        "and significantly worse on none."
    )


def test_the_verdict_counts_losses_of_the_best():
    table = {f"set {place}": {"nb": 0.8, "aode": 0.9, "tan": 0.7} for place in range(3)}
    table["odd"] = {"nb": 0.9, "aode": 0.8, "tan": 0.7}
    assert "it is significantly better than nb on 3 of them and significantly worse on 1." in verdict(made(table))


def test_the_verdict_on_one_data_set_names_those_that_are_not_significantly_different():
    comparison = made({"iris": {"nb": 0.8, "aode": 0.9, "a2de": 0.9001, "tan": 0.9}}, noise=0.01)
    best, *_ = comparison.leaderboard()
    others = {"aode", "a2de", "tan"} - {best.model}
    said = verdict(comparison)
    assert said.startswith(f"{best.model} is best on iris with accuracy {best.score:.3f} ± {best.spread:.3f}; not ")
    named = re.search("not significantly different from (.*) at 5 %", said)
    assert set(re.findall(r"[a-z0-9]+", named[1])) - {"and"} == others


def test_the_verdict_lists_a_few_names_and_counts_the_rest():
    models = ["nb", "aode", "waode", "aodesr", "a2de", "hnb", "tan"]
    comparison = made({"iris": {"nb": 0.7} | dict.fromkeys(models[1:], 0.9)}, noise=0.01)
    assert re.search(r"different from \w+, \w+, \w+ and 2 others at 5 %", verdict(comparison))


def test_the_verdict_on_one_data_set_may_be_clear():
    assert "; significantly better than every other model at 5 %." in verdict(usual(1))


def test_the_verdict_says_when_nothing_beats_the_baseline():
    table = {f"set {place}": {"nb": 0.9, "aode": 0.8} for place in range(3)}
    assert verdict(made(table)) == (
        "nb has the best average rank (1) over 3 data sets. No model ranks better than the baseline nb."
    )


def test_the_verdict_says_when_no_model_is_significantly_better_than_the_baseline():
    nearly = {"nb": 0.9, "aode": 0.9025}
    assert verdict(made({f"set {place}": nearly for place in range(3)}, noise=0.02)) == (
        "aode has the best average rank (1) over 3 data sets; it is significantly better than nb on none of them "
        "and significantly worse on none. "
        "No model is significantly better than the baseline nb."
    )
    said = verdict(made({"one": nearly}, noise=0.02))
    assert said.endswith("from any other model at 5 %. No model is significantly better than the baseline nb.")
    assert "No model" not in verdict(made({"one": nearly}, noise=0))


def test_the_verdict_says_when_a_plain_model_is_ahead_of_all_bayesian_ones():
    table = {f"set {place}": {"nb": 0.8, "aode": 0.85, "boosting": 0.9} for place in range(3)}
    ahead = "A model of scikit-learn ranks above all Bayesian models of unnaive; the best of these is aode"
    assert f"{ahead} (average rank 2)." in verdict(made(table))
    assert re.search(f"{re.escape(ahead)} \\(0.8.. ± 0.00.\\)", verdict(made({"one": table["set 0"]})))
    table = {f"set {place}": {"nb": 0.8, "aode": 0.95, "boosting": 0.9} for place in range(3)}
    assert "plain" not in verdict(made(table))


def test_models_that_share_the_best_rank_are_named_together():
    table = {"one": {"nb": 0.7, "aode": 0.9, "tan": 0.8}, "two": {"nb": 0.7, "aode": 0.8, "tan": 0.9}}
    assert verdict(made(table)).startswith("aode and tan share the best average rank (1.5) over 2 data sets.")


def test_the_verdict_says_when_the_ranks_do_not_differ_significantly():
    table = {f"set {place}": {"nb": 0.7, "aode": 0.8, "tan": 0.9} for place in range(4)}
    assert "do not differ" not in verdict(made(table))
    table |= {f"turned {place}": {"nb": 0.9, "aode": 0.8, "tan": 0.7} for place in range(3)}
    comparison = made(table)
    chance = friedman(comparison.scores("accuracy")).f_p_value
    assert chance > 0.5
    assert f". However, the average ranks do not differ significantly (Friedman, p = {chance:.2g})." in verdict(
        comparison
    )


@pytest.mark.usefixtures("without_figures")
def test_an_estimator_of_the_readers_own_is_not_taken_for_the_registered_model_of_its_name():
    comparison = usual()
    assert MODELS["a2de"].description in words(section(render_report(comparison), "leaderboard"))
    comparison.settings["models"]["a2de"] = "GaussianNB()"
    page = render_report(comparison)
    assert MODELS["a2de"].description not in words(section(page, "leaderboard"))
    assert MODELS["aode"].description in words(section(page, "leaderboard"))


def test_the_leaderboard_has_every_model_metric_and_verdict_in_the_order_of_ranks():
    comparison = usual()
    rows = table_of(section(usual_page(), "leaderboard"))
    standings = comparison.leaderboard()
    for row, standing in zip(rows, standings, strict=True):
        assert standing.model in row[0]
        assert row[1] == f"{standing.rank:.2f}"
        assert row[2] == f"{standing.score:.3f} ± {standing.spread:.3f}"
        for cell, metric in zip(row[3:7], comparison.metrics[1:]):
            mean = {line.model: line.score for line in comparison.leaderboard(metric)}[standing.model]
            assert cell == ("–" if math.isnan(mean) else f"{mean:.3f}")
        against = f"{standing.wins} / {standing.ties} / {standing.losses}"
        assert row[7].startswith("baseline" if standing.model == "nb" else against)


@pytest.mark.usefixtures("without_figures")
def test_every_result_is_there_with_its_error_and_mark_and_the_best_are_bold():
    table = {"up": {"nb": 0.8, "aode": 0.9, "tan": 0.8}, "down": {"nb": 0.8, "aode": 0.7, "tan": 0.81}}
    comparison = made(table, noise=0.004)
    panels = section(render_report(comparison), "results").findall(".//div[@class='panel']")
    marks = {1: "▲", 0: "", -1: "▼"}
    for metric, panel in zip(comparison.metrics, panels, strict=True):
        models = [words(head) for head in panel.find(".//thead")[0]][1:]
        best = max if METRICS[metric].higher_is_better else min
        for row, data in zip(panel.find(".//tbody"), comparison.data, strict=True):
            means = {model: comparison.fold_scores(metric, data, model).mean() for model in models}
            for model, cell in zip(models, row[1:], strict=True):
                error = comparison.standard_error(metric, data, model)
                mark = marks[comparison.verdict(metric, data, model, "nb")] if model != "nb" else ""
                assert words(cell) == f"{means[model]:.3f} ± {error:.3f}{mark}"
                is_best = means[model] == best(means.values())
                assert (cell.find(".//span[@class='best']") is not None) == is_best
    first = words(panels[0])
    assert "▲" in first
    assert "▼" in first


def test_failures_are_flagged_grouped_and_told_apart_from_having_no_probabilities():
    page = failed_page()
    board = section(page, "leaderboard")
    flags = board.findall(".//a[@class='flag']")
    assert [words(flag) for flag in flags] == ["2 of 4set 1: ValueError: no a2de here set 3: ValueError: no a2de here"]
    assert table_of(section(page, "failures")) == [
        ["set 1", "a2de", "5", "ValueError: no a2de here"],
        ["set 3", "a2de", "5", "ValueError: no a2de here"],
    ]
    panels = section(page, "results").findall(".//div[@class='panel']")
    assert words(panels[0]).count("failed") == words(panels[2]).count("failed") == 2
    assert words(panels[0].find(".//tbody")).count("–") == 0
    assert words(panels[2].find(".//tbody")).count("–") == 4  # of the one without probabilities


def test_a_mean_over_fewer_data_sets_is_never_the_best_of_its_column():
    board = section(failed_page(), "leaderboard")
    best = board.findall(".//span[@class='best']")
    assert best
    assert max(float(words(cell)) for cell in best if float(words(cell)) > 0.5) < 0.88
    assert words(board.find(".//span[@class='some']")) == "0.895"


def test_an_unfinished_run_says_how_far_it_got_and_how_to_go_on():
    table = {f"set {place}": {"nb": 0.8, "tan": 0.9} for place in range(3)}
    whole = made(table, cv=3, unsure=["nb", "tan"])
    assert "Partial" not in usual_page()
    part = Comparison.of(whole.settings, whole.results[:9])
    notice = words(read(render_report(part)).find(".//p[@class='notice']"))
    assert notice.startswith("Partial: 9 of 18 folds; run the command again with --resume to continue.")
    assert "on 2 of 3 data sets so far" in notice


def test_facts_calibration_and_timings_are_those_of_the_comparison():
    comparison = usual()
    page = usual_page()
    assert table_of(section(page, "data"))[0] == ["set 0", "", "1,500", "12", "3", "62.5 %"]
    rows = {row[0].removesuffix("baseline"): row[1:] for row in table_of(section(page, "calibration"))}
    table = comparison.reliability("a2de").sum(axis=0)
    assert rows["a2de"][-3:] == ["0.950", f"{table[2] / table[0]:.3f}", f"{0.95 - table[2] / table[0]:+.3f}"]
    assert rows["linear-svm"][-1] == "no probabilities"
    fit, predict = section(page, "timings").findall(".//table")
    assert set(table_of(fit)[0]) == {"set 0", "40.0 ms", "80.0 ms", "200 ms"}
    assert set(table_of(predict)[0][1:]) == {"1.00 ms"}


@pytest.mark.usefixtures("without_figures")
def test_bias_and_variance_are_shown_only_where_they_were_measured():
    truth = [0, 1] * 10
    settings = settings_of(["nb", "tan"], ["iris"], cv=2, repeats=2, truth=truth)
    results = []
    for repeat in range(2):
        for part in range(2):
            tested = list(range(part, 20, 2))
            for model, wrong in (("nb", 4), ("tan", 2)):
                predicted = [1 - truth[row] if row < wrong + 2 * repeat else truth[row] for row in tested]
                kept = {"predicted": predicted, "tested": tested, "n_test": 10}
                one = fold("iris", model, part, 0.9)
                results.append(FoldResult(**{**vars(one), **kept, "repeat": repeat}))
    comparison = Comparison.of(settings, results)
    expected = comparison.bias_variance("iris", "tan")
    rows = {
        row[0].removesuffix("baseline"): row[1:]
        for row in table_of(section(render_report(comparison), "bias-variance"))
    }
    assert rows["tan"] == [f"{value:.3f}" for value in expected.values()]
    assert section(render_report(tiny()), "bias-variance") is None


def test_the_command_the_seed_and_the_settings_are_there_to_do_it_again():
    again = section(usual_page(), "again")
    assert words(again.find(".//pre")) == "unnaive compare 'my data.csv' --cv 5 --seed 7"
    facts = [words(entry) for entry in again.find("dl")]
    assert dict(zip(facts[::2], facts[1::2]))["Seed"] == "7"
    assert repr(MODELS["a2de"].make()) in words(again)


@pytest.mark.parametrize("n_folds", [0, 1])
def test_a_run_interrupted_before_anything_can_be_compared_still_gives_a_page(n_folds):
    whole = usual()
    page = render_report(Comparison.of(whole.settings, whole.results[:n_folds]))
    assert "there is nothing to compare" in page
    assert section(page, "leaderboard") is None
    assert section(page, "data") is not None


@pytest.mark.parametrize(
    ("comparison", "said"),
    [
        (made({"one": {"nb": 0.9}}), "nb is the only model, with accuracy 0.90"),
        (made({"one": {"nb": 0.8, "tan": 0.9}}, failed=[("one", "nb"), ("one", "tan")]), "No model has a score"),
        (made({"one": {"nb": 0.8, "tan": 0.9}}, cv=1), "significance cannot be tested on a single fold."),
        (made({"one": {"nb": 0.8, "tan": 0.9}}, unsure=["nb", "tan"], metrics=["brier"]), "No model has a score"),
        (made({"one": {"nb": 1.0, "tan": 1.0}}, noise=0), "nb and tan are best on one"),
    ],
)
def test_small_and_odd_comparisons_give_a_page(comparison, said):
    page = render_report(comparison)
    assert said in words(read(page).find(".//p[@class='verdict']"))


# That it is safe and whole


@pytest.fixture(scope="module")
def hostile():
    """Everything that has a name has a hostile one."""
    data, models = [f"{name} data" for name in HOSTILE], [f"{name} model" for name in HOSTILE]
    random = np.random.default_rng(1)
    results = []
    for name in data:
        for number in range(3):
            for model in models[:-1]:
                results.append(fold(name, model, number, random.uniform(0.7, 0.9)))
            error = f"ValueError: {HOSTILE[number]}" if name == data[0] else None
            results.append(
                FoldResult(name, models[-1], 0, number, 400, 100, error=error)
                if error
                else fold(name, models[-1], number, 0.75)
            )
    settings = settings_of(models, data, cv=3)
    settings["models"] = {model: f"Estimator({model})" for model in models}
    settings["version"] = HOSTILE[0]
    return Comparison.of(settings, results)


@pytest.fixture(scope="module")
def hostile_page(hostile):
    columns = [ColumnFacts(name, name, 0, 1, None, [name]) for name in HOSTILE]
    look = Look(HOSTILE[0], 8, HOSTILE[1], HOSTILE[2], dict.fromkeys(HOSTILE, 1), 0, 0, columns, list(HOSTILE))
    return render_report(hostile, command=" ".join(HOSTILE), title=HOSTILE[1], looks=[look])


def test_hostile_names_are_text_and_nothing_else(hostile_page):
    root = read(hostile_page)
    assert len(root.findall(".//script")) == 1
    assert len(root.findall(".//style")) == 1
    assert not root.findall(".//img")
    assert not [name for element in root.iter() for name in element.attrib if name.startswith("on")]
    assert root.find(".//title").text == root.find(".//h1").text == HOSTILE[1]
    for name in HOSTILE[:-1]:
        for part, kind in (("data", "data"), ("again", "model")):
            assert " ".join(f"{name} {kind}".split()) in words(root.find(f".//section[@id='{part}']"))
    assert HOSTILE[0] in words(root.find(".//section[@id='failures']"))


def test_what_files_hold_is_told_column_by_column():
    columns = [
        ColumnFacts("age", "integer", 3, 40, 5, []),
        ColumnFacts("noise", "number", 0, 1500, 1, []),
        ColumnFacts("id", "text", 0, 1500, None, ["left out: --categorical id uses it"]),
    ]
    few = Look(
        "few.csv", 1500, "ill", "the last column", {"no": 1400, "yes": 80}, 20, 7, columns, ["few.csv: a remark."]
    )
    many = replace(few, name="many.csv", columns=columns * 7)
    (found,) = section(render_report(tiny(), looks=[few]), "data").findall("details")
    assert found.get("open") is not None
    assert words(found.find("summary")) == (
        "few.csv: 1,500 rows, 7 of them as others before. Target 'ill', the last column, with 2 classes: no (1,400), "
        "yes (80). 20 rows have no label."
    )
    assert [words(item) for item in found.iter("li")] == ["few.csv: a remark."]
    assert [[words(cell) for cell in row] for row in found.iter("tr")] == [
        ["column", "holds", "missing", "distinct", "bins", "note"],
        ["age", "integer", "3", "40", "5", ""],
        ["noise", "number", "0", "1,500", "1, not used", ""],
        ["id", "text", "0", "1,500", "–", "left out: --categorical id uses it"],
    ]
    assert section(render_report(tiny(), looks=[many]), "data").find("details").get("open") is None
    folded = section(render_report(tiny(), looks=[few, many]), "data").findall("details")
    assert [details.get("open") for details in folded] == [None, None]
    assert not section(usual_page(), "data").findall("details")


def test_the_page_asks_for_nothing_from_outside(hostile_page):
    for page in (usual_page(), hostile_page):
        root = read(page)
        for element in root.iter():
            for name, value in element.attrib.items():
                if name in ("src", "href", "action", "data", "xlink:href"):
                    assert value.startswith(("#", "data:,")), (element.tag, name, value)
        assert {element.tag for element in root.iter()}.isdisjoint({"iframe", "object", "embed", "base", "form"})
        styles = root.find(".//style").text
        assert "url(" not in styles
        assert "@import" not in styles


def test_only_the_script_that_belongs_to_the_page_may_run():
    root = read(usual_page())
    digest = base64.b64encode(hashlib.sha256(root.find(".//script").text.encode()).digest()).decode()
    policy = root.find(".//meta[@http-equiv='Content-Security-Policy']").get("content")
    assert "default-src 'none'" in policy
    assert f"script-src 'sha256-{digest}'" in policy


def test_tables_figures_and_ids_are_as_readers_of_the_page_by_ear_need_them():
    root = read(failed_page())
    for table in root.findall(".//table"):
        assert words(table.find("caption"))
        assert all(head.get("scope") in ("row", "col") for head in table.findall(".//th"))
        widths = {len(row) for row in table.iter("tr")}
        assert len(widths) == 1
    drawings = root.findall(".//svg")
    assert len(drawings) == 4
    for drawing in drawings:
        assert drawing.get("role") == "img"
        assert "a2de" in drawing.get("aria-label")
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(ids) == len(set(ids))
    for link in root.findall(".//nav//a"):
        assert link.get("href").removeprefix("#") in ids


@pytest.mark.thorough
def test_the_largest_report_is_not_too_large_to_send():
    assert len(largest_page().encode()) < 1_500_000


def test_a_report_replaces_the_one_before_and_leaves_nothing_beside_it(tmp_path):
    path = tmp_path / "new folder" / "report.html"
    assert write_report(tiny(), path, title="First") == path
    write_report(tiny(), str(path), title="Zweiter – ±")
    assert "<h1>Zweiter – ±</h1>" in path.read_text(encoding="utf-8")
    assert os.listdir(path.parent) == ["report.html"]


def test_a_report_that_fails_leaves_the_one_before_alone(tmp_path, monkeypatch):
    path = write_report(tiny(), tmp_path / "report.html", title="First")
    before = path.read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ValueError, match=r"report\.html' cannot be written: No space left on device\.$"):
        write_report(tiny(), path, title="Second")
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["report.html"]


def test_a_file_that_is_not_a_report_is_not_replaced(tmp_path):
    path = tmp_path / "thesis.html"
    path.write_text("<!doctype html><title>Years of work</title>")
    for refuse in (check_report_path, lambda path: write_report(tiny(), path)):
        with pytest.raises(ValueError, match="is not a report of unnaive"):
            refuse(path)
    assert "Years of work" in path.read_text()


def test_a_report_of_hold_outs_says_so():
    comparison = tiny()
    assert "5-fold cross-validation" in render_report(comparison)
    comparison.settings.update(test_size=0.25, repeats=3)
    assert "3 hold-outs of 25 %" in render_report(comparison)


def test_a_path_that_no_report_can_go_to_is_refused_beforehand(tmp_path):
    (tmp_path / "file").write_text("")
    for path, reason in ((tmp_path, "is a folder"), (tmp_path / "file" / "a.html", "is a file, so")):
        for refuse in (check_report_path, lambda path: write_report(tiny(), path)):
            with pytest.raises(ValueError, match=reason):
                refuse(path)
    check_report_path(tmp_path / "new" / "newer" / "a.html")
    assert os.listdir(tmp_path) == ["file"]


# In a browser


@pytest.fixture(scope="module")
def pages(tmp_path_factory, hostile):
    folder = tmp_path_factory.mktemp("reports")
    several = usual(8, failed=[("set 1", "a2de")])
    part = Comparison.of(several.settings, several.results[:-7])
    command = "unnaive compare " + " ".join(several.settings["data"]) + " --models nb,aode,a2de,linear-svm --cv 5"

    class Pages(dict):
        def __missing__(self, name):  # the largest, which takes seconds to make
            (folder / "largest.html").write_text(largest_page(), encoding="utf-8")
            return folder / "largest.html"

    return Pages(
        usual=write_report(part, folder / "usual.html", command=command),
        hostile=write_report(hostile, folder / "hostile.html", command=" ".join(HOSTILE), title=HOSTILE[1]),
        one=write_report(usual(1), folder / "one.html"),
    )


def column(browser, selector, place):
    """What a column of a table says, from top to bottom."""
    script = (
        "return [...document.querySelector(arguments[0]).tBodies[0].rows].map(r => r.cells[arguments[1]].innerText)"
    )
    return [text.split("\n")[0].strip() for text in browser.run(script, selector, place)]


def sort_by(browser, selector, place):
    """Click on the head of a column; gives which way the table says it is sorted."""
    head = browser.chrome.find_elements("css selector", f"{selector} thead th")[place]
    head.find_element("css selector", "button").click()
    return head.get_attribute("aria-sort")


@pytest.mark.parametrize("name", ["usual", "hostile", "one"])
def test_the_page_loads_without_complaint_and_without_the_network(browser, pages, name):
    browser.open(pages[name])
    assert browser.messages() == []
    assert [url for url in browser.requests() if not url.startswith("data:")] == [pages[name].as_uri()]


def test_a_click_on_a_head_sorts_and_another_one_reverses(browser, pages):
    browser.open(pages["usual"])
    heads = browser.run("return [...document.querySelectorAll('#ranking thead th')].map(h => h.innerText.trim())")
    place = heads.index("log loss")
    assert sort_by(browser, "#ranking", place) == "ascending"
    upwards = column(browser, "#ranking", place)
    assert upwards[-1] == "–"
    assert [float(text) for text in upwards[:-1]] == sorted(float(text) for text in upwards[:-1])
    assert sort_by(browser, "#ranking", place) == "descending"
    downwards = column(browser, "#ranking", place)
    assert downwards == [*reversed(upwards[:-1]), "–"]
    assert upwards != downwards
    assert len(browser.chrome.find_elements("css selector", "#ranking th[aria-sort]")) == 1


def test_the_first_click_puts_the_best_on_top(browser, pages):
    browser.open(pages["usual"])
    assert sort_by(browser, "#ranking", 2) == "descending"
    accuracies = [float(text.split()[0]) for text in column(browser, "#ranking", 2)]
    assert accuracies == sorted(accuracies, reverse=True)


def test_numbers_sort_as_numbers_names_as_names_and_equals_stay_in_order(browser, pages):
    browser.open(pages["usual"])
    browser.run("""
        const values = [["10", "b 10"], ["9", "b 9"], ["", "a"], ["-1.5", "c"], ["9", "d"], ["1e3", "e"]];
        const rows = values.map(([v, n]) => `<tr><th>${n}</th><td data-value="${v}">${v}</td></tr>`).join("");
        document.querySelector("#ranking tbody").innerHTML = rows;
    """)
    assert sort_by(browser, "#ranking", 0) == "ascending"
    assert column(browser, "#ranking", 0) == ["a", "b 9", "b 10", "c", "d", "e"]
    browser.run("document.querySelectorAll('#ranking th[aria-sort]').forEach(h => h.removeAttribute('aria-sort'))")
    browser.run("document.querySelectorAll('#ranking thead th')[1].dataset.first = 'descending'")
    sort_by(browser, "#ranking", 1)
    assert column(browser, "#ranking", 0) == ["e", "b 10", "b 9", "d", "c", "a"]
    sort_by(browser, "#ranking", 1)
    assert column(browser, "#ranking", 0) == ["c", "b 9", "d", "b 10", "e", "a"]


def test_every_table_sorts_by_every_column_and_keeps_its_rows(browser, pages):
    browser.open(pages["usual"])
    assert browser.run("""
        return [...document.querySelectorAll("table.sortable")].every(table => {
            const before = [...table.tBodies[0].rows].map(row => row.innerText).sort().join();
            return [...table.querySelectorAll("thead button")].every(button => {
                button.click();
                const now = [...table.tBodies[0].rows].map(row => row.innerText).sort().join();
                return now === before && button.closest("th").hasAttribute("aria-sort");
            });
        });
    """)


def test_the_theme_follows_the_system_until_the_button_is_used_which_is_remembered(browser, pages):
    browser.open(pages["usual"], scheme="light")
    light = browser.style("body", "backgroundColor")
    browser.prefer("dark")
    dark = browser.style("body", "backgroundColor")
    assert light != dark
    browser.prefer("light")
    assert browser.style("body", "backgroundColor") == light
    browser.find("#theme").click()
    assert browser.style("body", "backgroundColor") == dark
    browser.chrome.refresh()
    assert browser.becomes(lambda: browser.style("body", "backgroundColor") == dark)
    browser.find("#theme").click()
    assert browser.style("body", "backgroundColor") == light


def test_the_theme_can_be_changed_where_nothing_may_be_stored(browser, pages):
    no_storage = "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('denied'); } });"
    browser.open(pages["usual"], before=no_storage)
    light = browser.style("body", "backgroundColor")
    browser.find("#theme").click()
    assert browser.style("body", "backgroundColor") != light
    assert browser.messages() == []


def test_figures_change_their_colours_with_the_theme(browser, pages):
    browser.open(pages["usual"])
    light = browser.style("figure svg text", "fill")
    browser.prefer("dark")
    assert browser.style("figure svg text", "fill") != light


@pytest.mark.parametrize("name", ["usual", "hostile", "one", LARGEST])
@pytest.mark.parametrize("width", [360, 1280])
def test_the_page_never_scrolls_sideways(browser, pages, name, width):
    browser.open(pages[name], width=width, height=740)
    for choice in range(1, 6):
        browser.run("document.getElementById(arguments[0]).click()", f"metric-{choice}")
        browser.run("document.querySelectorAll('details').forEach(d => { d.open = true; })")
        seen, window = browser.run("return [document.documentElement.scrollWidth, window.innerWidth]")
        assert seen <= window == width


def test_heads_and_first_columns_stay_in_sight_while_a_table_scrolls(browser, pages):
    browser.open(pages["usual"], width=360, height=740)
    browser.run("document.querySelector('#results .frame').style.maxHeight = '150px'")
    browser.run("document.querySelector('#results .frame').scrollTo(120, 90)")
    place = """
        const frame = document.querySelector("#results .frame");
        const inside = frame.getBoundingClientRect();
        const left = frame.querySelector("tbody tr:last-child th").getBoundingClientRect().left - inside.left;
        const top = frame.querySelector("thead th:last-child").getBoundingClientRect().top - inside.top;
        return [frame.scrollLeft, frame.scrollTop, left, top];
    """
    scrolled_left, scrolled_down, left, top = browser.run(place)
    assert scrolled_left > 0
    assert scrolled_down > 0
    assert left == pytest.approx(1, abs=1)
    assert top == pytest.approx(1, abs=1)


CONTRAST = r"""
    const numbers = colour => colour.match(/[\d.]+/g).map(Number);
    const light = ([r, g, b]) => {
        const [R, G, B] = [r, g, b].map(c => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
        return 0.2126 * R + 0.7152 * G + 0.0722 * B;
    };
    const behind = element => {
        for (let at = element; at; at = at.parentElement) {
            const colour = numbers(getComputedStyle(at).backgroundColor);
            if (colour.length === 3 || colour[3] === 1) return colour;
            if (colour[3] !== 0) throw new Error("half transparent: " + at.outerHTML.slice(0, 80));
        }
    };
    const found = [];
    document.querySelectorAll("details").forEach(d => { d.open = true; });
    for (const element of document.querySelectorAll("body *")) {
        const own = [...element.childNodes].some(node => node.nodeType === 3 && node.data.trim());
        const style = getComputedStyle(element);
        if (!own || (!element.getClientRects().length) || element.matches("script, style, .hidden")) continue;
        const ink = light(numbers(element.closest("svg") ? style.fill : style.color));
        const grounds = [behind(element)];
        for (const tint of style.backgroundImage.match(/rgb\([^)]*\)/g) ?? []) grounds.push(numbers(tint));
        for (const ground of grounds.map(light)) {
            const ratio = (Math.max(ink, ground) + 0.05) / (Math.min(ink, ground) + 0.05);
            found.push([ratio, element.outerHTML.slice(0, 80)]);
        }
    }
    return found;
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_stands_out_from_what_is_behind_it(browser, pages, scheme):
    browser.open(pages["usual"], scheme=scheme)
    found = browser.run(CONTRAST)
    assert len(found) > 300
    assert [entry for entry in found if entry[0] < 4.5] == []


def test_hostile_names_are_shown_and_run_nothing(browser, pages):
    browser.open(pages["hostile"])
    browser.run("document.querySelectorAll('*').forEach(e => e.dispatchEvent(new Event('mouseover')))")
    assert browser.run("return typeof window.hacked") == "undefined"
    assert browser.messages() == []
    shown = " ".join(browser.run("return document.getElementById('data').innerText").split())
    for name in HOSTILE[:6]:
        assert " ".join(name.split()) in shown


def test_without_scripts_everything_is_there_but_the_buttons(browser, pages):
    browser.open(pages["usual"], scripts=False)
    for name in SECTIONS:
        assert browser.find(f"#{name} h2").is_displayed()
    assert len(browser.chrome.find_elements("css selector", "th button")) == 0
    assert not browser.find("#theme").is_displayed()
    assert not browser.find("button[data-copies]").is_displayed()
    panels = browser.chrome.find_elements("css selector", "#results .panel")
    assert [panel.is_displayed() for panel in panels] == [True, False, False, False, False]
    browser.find("label[for=metric-3]").click()
    assert [panel.is_displayed() for panel in panels] == [False, False, True, False, False]


def test_why_a_model_failed_is_shown_in_the_window_when_its_flag_has_the_focus(browser, pages):
    browser.open(pages["usual"], width=360, height=740)
    assert browser.style("#ranking .tip", "visibility") == "hidden"
    browser.run("document.querySelector('#ranking .flag').focus()")
    assert browser.style("#ranking .tip", "visibility") == "visible"
    script = "return document.querySelector('#ranking .tip').getBoundingClientRect().toJSON()"
    left, top, right, bottom = (browser.run(script)[side] for side in ("left", "top", "right", "bottom"))
    assert 0 <= left < right <= 360
    assert 0 <= top < bottom <= 740


def test_the_command_can_be_copied(browser, pages):
    browser.command("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
    browser.open(pages["usual"])
    browser.find("button[data-copies]").click()
    copied = browser.chrome.execute_async_script(
        "const done = arguments[0]; setTimeout(() => navigator.clipboard.readText().then(done, done), 100);"
    )
    assert copied == browser.find("#command").text
    assert browser.find("button[data-copies]").text == "Copied"


@pytest.mark.parametrize("name", ["usual", LARGEST])
def test_on_paper_all_tables_are_printed_in_full(browser, pages, name):
    browser.open(pages[name], width=1032, height=700, scheme="dark")
    browser.command("Emulation.setEmulatedMedia", media="print")
    panels = browser.chrome.find_elements("css selector", ".panel")
    assert all(panel.is_displayed() for panel in panels)
    assert not browser.find("nav").is_displayed()
    assert browser.style("body", "backgroundColor") == "rgb(255, 255, 255)"
    assert browser.style(".frame", "overflowX") == "visible"
    assert browser.run("return document.documentElement.scrollWidth") <= 1032
    browser.command("Emulation.setEmulatedMedia", media="")


@pytest.mark.parametrize("name", ["aode", "ag-nbc", "bat", "honb", "logistic"])
def test_a_registered_model_is_found_by_its_name_behind_its_encoding_too(name):
    model = MODELS[name]
    made = model.make_for_documents() if model.data == "text" else model.make_for_table()
    assert entry_of(SimpleNamespace(settings={"models": {name: repr(made)}}), name) is model
    assert entry_of(SimpleNamespace(settings={"models": {name: "SomebodysModel()"}}), name) is None
