"""What the displays draw: where things are, what the words say, and that nothing covers anything else."""

import json
import math
import os
import re
import subprocess
import sys
from copy import copy
from itertools import combinations
from xml.etree import ElementTree

import matplotlib

matplotlib.use("Agg")

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, PathPatch, Rectangle
from matplotlib.path import Path as Curve
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.naive_bayes import GaussianNB

import unnaive.show
from tests.examples import examples, thorough
from tests.show.svg import VARIABLES, colours_of
from unnaive import AODE, KDB, TAN, BayesNet, NaiveBayes, WeightedNaiveBayes
from unnaive.evaluate.comparison import Comparison, FoldResult
from unnaive.evaluate.significance import average_ranks, friedman, nemenyi_critical_difference
from unnaive.show import (
    CriticalDifferenceDisplay,
    EvidenceDisplay,
    NetworkDisplay,
    ReliabilityDisplay,
    ScoreTimeDisplay,
    WinTieLossDisplay,
)
from unnaive.show.score_time import place_labels
from unnaive.show.style import PALETTE, THEME, shorten, spread, to_svg

METRICS = ["accuracy", "log_loss"]
MODELS = ["nb", "gnb", "kde-nb", "aode", "waode", "aodesr", "a2de", "a3de", "hnb", "tan", "kdb", "k2", "logistic"] + [
    f"a model with a rather long name, number {number}" for number in range(12)
]
# Names that mean something to matplotlib, to XML or to nobody.
HOSTILE = ['<b id="x">&', "$x_1$", "_hidden", "two\nlines", "\x00", "naïve ✓", 'style="fill: #1a1b1c"', "$"]


@pytest.fixture(autouse=True)
def _no_figure_stays_open():
    yield
    plt.close("all")


def new_axes(size=(6.4, 4.8)):
    return Figure(figsize=size).subplots()


def make_comparison(models, data, failing=(), without_probabilities=(), seed=0):
    """A run with made-up scores; ``failing`` holds pairs of model and data set."""
    rng = np.random.default_rng(seed)
    skill = {model: rng.normal(0.8, 0.03) for model in models}
    cost = {model: 10 ** rng.uniform(-3, 1) for model in models}
    results = []
    for name in data:
        for fold in range(5):
            for model in models:
                if (model, name) in failing:
                    results.append(FoldResult(name, model, 0, fold, 80, 20, error="ValueError: no."))
                    continue
                accuracy = min(1.0, skill[model] + rng.normal(0, 0.02))
                scores, table = {"accuracy": accuracy}, None
                if model not in without_probabilities:
                    scores["log_loss"] = -math.log(accuracy)
                    table = [[0.0, 0.0, 0.0], [8.0, 5.0, 6.0], [12.0, 11.0, float(rng.integers(6, 12))]]
                times = cost[model] * rng.uniform(0.8, 1.2), 0.1 * cost[model]
                results.append(FoldResult(name, model, 0, fold, 80, 20, scores, *times, table))
    run = {
        "models": {model: {} for model in models},
        "data": {name: {"n_classes": 2} for name in data},
        "cv": 5,
        "repeats": 1,
        "test_size": None,
        "metrics": METRICS,
        "baseline": models[0],
    }
    return Comparison.of(run, results)


FOUR = [f"data {number}" for number in range(4)]


@pytest.fixture(scope="module")
def comparison():
    """Twenty models on four data sets: one fails on one of them, one fails everywhere, two have no probabilities."""
    failing = {("tan", "data 1")} | {("kdb", name) for name in FOUR}
    return make_comparison(MODELS[:20], FOUR, failing, {"hnb", "logistic"})


@pytest.fixture(scope="module")
def few(comparison):
    """Twelve of these models, among them those that fail."""
    return comparison.restricted(MODELS[:12])


def texts(ax):
    return [text.get_text() for text in ax.texts]


def boxes_of(artists):
    return [artist.get_window_extent() for artist in artists]


def overlapping(boxes):
    """Pairs of boxes that share more than a hair's breadth."""
    return [
        (one, other)
        for (one, a), (other, b) in combinations(enumerate(boxes), 2)
        if min(a.x1, b.x1) - max(a.x0, b.x0) > 0.5 and min(a.y1, b.y1) - max(a.y0, b.y0) > 0.5
    ]


# Critical difference


def leaders_of(display):
    """The lines from ranks to names, by name."""
    return {line.get_label(): line.get_xydata() for line in display.ax_.lines if len(line.get_xydata()) == 4}


def lines_labelled(display, label):
    return [line.get_xydata() for line in display.ax_.lines if line.get_label() == label]


def random_scores(n_data, n_models, decimals=3, seed=0):
    rng = np.random.default_rng(seed)
    return np.round(np.linspace(0.9, 0.8, n_models) + rng.normal(0, 0.04, (n_data, n_models)), decimals)


def test_every_model_has_a_mark_at_its_average_rank():
    scores = random_scores(20, 12)
    display = CriticalDifferenceDisplay.from_scores(scores, MODELS[:12], ax=new_axes())
    marks = [line.get_xydata()[0] for line in display.ax_.lines if line.get_marker() == "o"]
    np.testing.assert_allclose(sorted(mark[0] for mark in marks), np.sort(average_ranks(scores)))
    assert {mark[1] for mark in marks} == {0.0}


def test_names_go_down_the_left_by_rank_and_up_the_right():
    scores = random_scores(20, 7)
    display = CriticalDifferenceDisplay.from_scores(scores, MODELS[:7], ax=new_axes())
    ends = {name: points[-1] for name, points in leaders_of(display).items()}
    middle = np.mean(display.ax_.get_xlim())
    left = sorted((name for name in ends if ends[name][0] < middle), key=lambda name: -ends[name][1])
    right = sorted((name for name in ends if ends[name][0] > middle), key=lambda name: ends[name][1])
    assert left + right == [MODELS[place] for place in np.argsort(average_ranks(scores))]
    assert len(left) == 4


def test_the_rank_is_written_beside_the_name():
    display = CriticalDifferenceDisplay.from_scores(random_scores(20, 5), MODELS[:5], ax=new_axes())
    for name, rank in zip(display.names, display.average_ranks):
        near = [text for text in display.ax_.texts if text.get_text() in (name, f"{rank:.2f}")]
        assert len({text.xy for text in near}) == 1
        assert len(near) == 2


def test_the_ruler_is_as_long_as_the_critical_difference():
    display = CriticalDifferenceDisplay.from_scores(random_scores(20, 12), MODELS[:12], alpha=0.1, ax=new_axes())
    ((start, end),) = lines_labelled(display, "ruler")
    assert end[0] - start[0] == pytest.approx(nemenyi_critical_difference(12, 20, 0.1))
    assert f"critical difference {display.critical_difference:.2f} (Nemenyi, α = 0.1)" in texts(display.ax_)


@examples(25)
@given(st.integers(2, 25), st.integers(2, 30), st.integers(1, 3), st.integers(0, 99))
def test_bars_cover_their_clique_and_nothing_else(n_models, n_data, decimals, seed):
    scores = random_scores(n_data, n_models, decimals, seed)
    display = CriticalDifferenceDisplay.from_scores(scores, MODELS[:n_models], ax=new_axes())
    by_rank = np.argsort(display.average_ranks, kind="stable")
    drops = np.sort([points[1, 0] for points in leaders_of(display).values()])
    assert len(drops) == n_models
    bars = sorted(lines_labelled(display, "clique"), key=lambda bar: bar[0, 0])
    assert len(bars) == len(display.cliques)
    for bar, clique in zip(bars, display.cliques):
        covered = (drops > bar[0, 0]) & (drops < bar[1, 0])
        assert set(by_rank[covered]) == set(clique)
    for one, other in combinations(bars, 2):
        assert one[0, 1] != other[0, 1] or one[1, 0] < other[0, 0] or other[1, 0] < one[0, 0]


@examples(25)
@given(st.integers(2, 25), st.integers(2, 30), st.integers(1, 3), st.integers(0, 99))
def test_lines_to_the_names_neither_cross_nor_lie_on_each_other(n_models, n_data, decimals, seed):
    scores = random_scores(n_data, n_models, decimals, seed)
    display = CriticalDifferenceDisplay.from_scores(scores, MODELS[:n_models], ax=new_axes())
    for one, other in combinations(leaders_of(display).values(), 2):
        # A line goes down at one place and then out at one height; the last two stretches could meet another's.
        for a, b in ((one, other), (other, one)):
            out_from, out_to = sorted((b[2, 0], b[3, 0]))
            assert not (a[2, 1] <= b[2, 1] <= a[1, 1] and out_from <= a[1, 0] <= out_to)
        assert one[1, 0] != other[1, 0]


@pytest.mark.parametrize("size", [(6.4, 4.8), thorough((9, 6)), (4.5, 3.2)])
@pytest.mark.parametrize("n_models", [2, thorough(11), 25])
def test_names_stay_within_the_axes_and_apart(n_models, size):
    display = CriticalDifferenceDisplay.from_scores(random_scores(6, n_models), MODELS[-n_models:], ax=new_axes(size))
    frame = display.ax_.get_window_extent()
    boxes = boxes_of(display.ax_.texts)
    assert min(box.x0 for box in boxes) >= frame.x0 - 1
    assert max(box.x1 for box in boxes) <= frame.x1 + 1
    assert min(box.y0 for box in boxes) >= frame.y0 - 1
    names = [text for text in display.ax_.texts if not re.fullmatch(r"[\d.]+", text.get_text())]
    assert len(names) == n_models + 1
    assert not overlapping(boxes_of(names))


def test_a_failure_ranks_last():
    scores = np.array([[0.9, 0.8, 0.7], [0.9, 0.8, np.nan], [0.9, np.nan, 0.1], [0.9, 0.8, 0.7]])
    display = CriticalDifferenceDisplay.from_scores(scores, "abc", ax=new_axes())
    np.testing.assert_allclose(display.average_ranks, [1, 2.25, 2.75])
    display = CriticalDifferenceDisplay.from_scores(scores, "abc", higher_is_better=False, ax=new_axes())
    np.testing.assert_allclose(display.average_ranks, [2.5, 2, 1.5])


def test_the_title_says_what_the_tests_found():
    differ = random_scores(20, 8)
    alike = np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 2.0], [2.0, 1.0]])
    for scores, words in ((differ, "20 data sets differ:"), (alike, "4 data sets do not differ significantly:")):
        found = friedman(scores)
        display = CriticalDifferenceDisplay.from_scores(scores, MODELS[: scores.shape[1]], ax=new_axes())
        title = " ".join(display.ax_.get_title(loc="left").split())
        assert words in title
        p_values = [float(p) for p in re.findall(r"p [=<] ([\d.e-]+)", title)]
        assert len(p_values) == 2
        for said, p_value in zip(p_values, (found.p_value, found.f_p_value)):
            assert said == pytest.approx(max(p_value, 0.0001), rel=0.05)


@pytest.mark.parametrize("scores", [np.ones((1, 3)), np.ones((0, 3))])
def test_one_data_set_is_too_few_for_ranks(scores):
    with pytest.raises(ValueError, match="needs at least two data sets"):
        CriticalDifferenceDisplay.from_scores(scores, "abc")
    one = make_comparison(MODELS[:3], ["iris"])
    with pytest.raises(ValueError, match="needs at least two data sets"):
        CriticalDifferenceDisplay.from_comparison(one)


def test_scores_that_do_not_fit_the_names_are_refused():
    with pytest.raises(ValueError, match=r"scores has shape \(4, 2\), but there are 3 names"):
        CriticalDifferenceDisplay.from_scores(np.ones((4, 2)), "abc")


def test_ranks_of_a_comparison_are_its_own_and_models_without_scores_are_left_out(comparison):
    display = CriticalDifferenceDisplay.from_comparison(comparison, ax=new_axes())
    assert set(comparison.models) - set(display.names) == {"kdb"}
    np.testing.assert_allclose(display.average_ranks, comparison.restricted(display.names).ranks("accuracy"))
    display = CriticalDifferenceDisplay.from_comparison(comparison, "log_loss", ax=new_axes())
    assert set(comparison.models) - set(display.names) == {"kdb", "hnb", "logistic"}
    np.testing.assert_allclose(display.average_ranks, comparison.restricted(display.names).ranks("log_loss"))


def test_a_metric_that_was_not_measured_is_named(comparison):
    for display in (CriticalDifferenceDisplay, ScoreTimeDisplay, WinTieLossDisplay):
        with pytest.raises(ValueError, match="No model has a score in 'brier'; the comparison measured accuracy, log"):
            display.from_comparison(comparison, "brier")


# Score and time


def test_points_are_at_mean_scores_and_summed_times(comparison):
    display = ScoreTimeDisplay.from_comparison(comparison, time="predict_seconds", ax=new_axes())
    points = [tuple(line.get_xydata()[0]) for line in display.ax_.lines if line.get_marker() == "o"]
    expected = [(s.predict_seconds, s.score) for s in comparison.leaderboard() if s.model != "kdb"]
    assert points == expected
    assert display.ax_.get_xscale() == "log"


@given(st.lists(st.tuples(st.integers(1, 6), st.integers(0, 6), st.booleans()), min_size=1, max_size=12), st.booleans())
def test_the_front_holds_who_is_beaten_by_none(models, higher_is_better):
    seconds, scores, partial = (np.array(column, dtype=float) for column in zip(*models))
    display = ScoreTimeDisplay(range(len(models)), scores, seconds, partial=partial, higher_is_better=higher_is_better)
    sign = 1 if higher_is_better else -1
    whole = [place for place in range(len(models)) if not partial[place]]

    def beats(one, other):
        at_least = seconds[one] <= seconds[other] and sign * scores[one] >= sign * scores[other]
        return at_least and (seconds[one] < seconds[other] or scores[one] != scores[other])

    expected = {place for place in whole if not any(beats(other, place) for other in whole)}
    # Of equal ones the front holds one.
    values = {(seconds[place], scores[place]) for place in expected}
    assert {(seconds[place], scores[place]) for place in display.front} == values
    assert len(display.front) == len(values)
    assert np.all(np.diff(seconds[display.front]) > 0)


def test_the_front_is_emphasised_and_partial_models_are_hollow(comparison):
    display = ScoreTimeDisplay.from_comparison(comparison, ax=new_axes())
    marks = [line for line in display.ax_.lines if line.get_marker() == "o"]
    for place, (name, mark, label) in enumerate(zip(display.names, marks, display.labels_)):
        on_front = place in display.front
        assert (mark.get_color() == PALETTE[0]) == on_front
        assert label.get_text() == shorten(name, 24)
        assert label.get_fontweight() == ("bold" if on_front else "normal")
        assert (mark.get_markerfacecolor() == "none") == (name == "tan")
    (front,) = lines_labelled(display, "front")
    np.testing.assert_array_equal(front[:, 1], display.scores[display.front])
    assert "hollow: failed on some" in display.ax_.get_xlabel()


@pytest.mark.parametrize("seed", [0, 1, thorough(2), thorough(3)])
@pytest.mark.parametrize("size", [(6.4, 4.8), thorough((8, 6))])
def test_labels_of_twenty_models_cover_neither_each_other_nor_a_point(size, seed):
    display = ScoreTimeDisplay.from_comparison(make_comparison(MODELS[:20], FOUR, seed=seed), ax=new_axes(size))
    marks = [line for line in display.ax_.lines if line.get_marker() == "o"]
    display.figure_.draw_without_rendering()
    words = [super(type(label), label).get_window_extent() for label in display.labels_]
    assert len(words) == 20
    assert not overlapping(words)
    for line, mark in enumerate(marks):
        x, y = display.ax_.transData.transform(mark.get_xydata()[0])
        assert not any(box.x0 < x < box.x1 and box.y0 < y < box.y1 for box in words), line
    frame = display.ax_.get_window_extent()
    assert all(frame.x0 - 1 <= box.x0 and box.x1 <= frame.x1 + 1 for box in words)


def test_labels_of_points_in_one_place_go_to_different_sides():
    points, sizes = np.zeros((5, 2)), np.full((5, 2), 10.0)
    found = place_labels(points, sizes, np.array([-99.0, -99, 99, 99]), np.empty((0, 4)))
    assert len(set(found)) == 5


def test_less_is_better_turns_the_axis_round(comparison):
    display = ScoreTimeDisplay.from_comparison(comparison, "log_loss", ax=new_axes())
    bottom, top = display.ax_.get_ylim()
    assert bottom > top
    assert display.ax_.get_ylabel() == "log loss, mean over 4 data sets; lower is better"
    best = int(display.scores.argmin())
    assert best in display.front


def test_a_time_of_zero_is_drawn_and_an_unknown_time_refused(comparison):
    display = ScoreTimeDisplay(["a", "b"], [0.5, 0.5], [0.0, 1.0]).plot(ax=new_axes())
    assert display.seconds[0] > 0
    with pytest.raises(ValueError, match="no time 'seconds': choose 'fit_seconds' or 'predict_seconds'"):
        ScoreTimeDisplay.from_comparison(comparison, time="seconds")


# Wins, ties and losses


def cells_of(display):
    """What is written in the cells, and their colour and opacity, by row and column."""
    words = {(int(text.get_position()[1]), int(text.get_position()[0])): text.get_text() for text in display.ax_.texts}
    looks = {
        (int(patch.get_y()), int(patch.get_x())): (matplotlib.colors.to_hex(patch.get_facecolor()), patch.get_alpha())
        for patch in display.ax_.patches
        if isinstance(patch, Rectangle)
    }
    return words, looks


@pytest.mark.parametrize("test", ["t", "two_se"])
def test_cells_hold_the_verdicts_of_the_comparison(few, test):
    display = WinTieLossDisplay.from_comparison(few, test=test, ax=new_axes())
    names = [standing.model for standing in few.leaderboard() if standing.model != "kdb"]
    assert display.names == names
    labels = [shorten(name, 24) for name in names]
    assert [label.get_text() for label in display.ax_.get_yticklabels()] == labels
    assert [label.get_text() for label in display.ax_.get_xticklabels()] == labels
    words, looks = cells_of(display)
    by_lead = {}
    assert len(words) == len(names) * (len(names) - 1)
    for (row, column), text in words.items():
        wins, ties, losses = few.win_tie_loss("accuracy", names[row], names[column], test)
        assert text == f"{wins}/{ties}/{losses}"
        colour, opacity = looks[row, column]
        if wins != losses:
            assert colour == PALETTE[0 if wins > losses else 1]
        by_lead.setdefault(abs(wins - losses), set()).add(opacity)
    # The same lead, the same strength; more lead, more of it; none, none.
    assert all(len(opacities) == 1 for opacities in by_lead.values())
    strengths = [by_lead[lead].pop() for lead in sorted(by_lead)]
    assert strengths == sorted(set(strengths))
    assert strengths[0] == 0
    assert len(strengths) > 2


def test_the_words_fit_their_cells(comparison, few):
    for compared, size in ((comparison, (6.4, 4.8)), (few, (12, 8))):
        display = WinTieLossDisplay.from_comparison(compared, ax=new_axes(size))
        frame = display.ax_.get_window_extent()
        cell = frame.width / len(display.names), frame.height / len(display.names)
        for box in boxes_of(display.ax_.texts[::13]):
            assert box.width <= cell[0]
            assert box.height <= cell[1] * 1.1


def test_one_data_set_is_named_and_an_unknown_test_refused(comparison):
    display = WinTieLossDisplay.from_comparison(make_comparison(MODELS[:3], ["iris"]), ax=new_axes())
    title = " ".join(display.ax_.get_title(loc="left").split())
    assert title == "Row against column: wins/ties/losses in accuracy on iris (corrected paired t-test, 5 %)"
    with pytest.raises(ValueError, match="no test 'z': choose 't' or 'two_se'"):
        WinTieLossDisplay.from_comparison(comparison, test="z")


# Reliability


@pytest.fixture(scope="module")
def predictions():
    rng = np.random.default_rng(1)
    probabilities = rng.dirichlet(np.ones(3), 300)
    return np.array(["a", "b", "c"])[rng.integers(0, 3, 300)], probabilities


def test_the_curve_is_the_share_right_by_bins_of_the_top_probability(predictions):
    truth, probabilities = predictions
    display = ReliabilityDisplay.from_predictions(truth, probabilities, n_bins=5, name="mine", ax=new_axes())
    confidence, right = probabilities.max(axis=1), np.array(list("abc"))[probabilities.argmax(axis=1)] == truth
    expected, rows, error = [], [], 0.0
    for lower in (0.0, 0.2, 0.4, 0.6, 0.8):
        inside = (confidence > lower) & (confidence <= lower + 0.2)
        if inside.any():
            expected.append((confidence[inside].mean(), right[inside].mean()))
            rows.append(inside.sum())
            error += abs(confidence[inside].sum() - right[inside].sum()) / 300
    np.testing.assert_allclose(display.curves_["mine"], expected)
    np.testing.assert_allclose(display.ax_.lines[0].get_xydata(), expected)
    (marks,) = display.ax_.collections
    np.testing.assert_allclose(marks.get_offsets(), expected)
    large = np.array(rows) > 0.1 * max(rows)
    np.testing.assert_allclose((marks.get_sizes() / max(marks.get_sizes()))[large], (rows / max(rows))[large])
    assert [text.get_text() for text in display.ax_.get_legend().get_texts()] == [f"mine: ECE {error:.3f}"]
    assert display.ax_.get_xlim() == display.ax_.get_ylim()


def test_a_line_leaves_out_bins_of_less_than_one_row_in_a_hundred():
    table = [[1, 0.2, 1], [60, 30, 40], [140, 130, 130]]
    display = ReliabilityDisplay({"mine": table}).plot(ax=new_axes())
    assert len(display.ax_.collections[0].get_offsets()) == 3
    np.testing.assert_allclose(display.ax_.lines[0].get_xydata(), display.curves_["mine"][1:])
    assert len(display.curves_["mine"]) == 3


@pytest.mark.parametrize("seconds", [[0.01], [0.001, 9], [0.04, 0.06], [1e-5, 3e-5]])
def test_the_axis_of_time_has_numbers(seconds):
    display = ScoreTimeDisplay("abc"[: len(seconds)], [0.5] * len(seconds), seconds).plot(ax=new_axes())
    low, high = display.ax_.get_xlim()
    shown = [place for place in display.ax_.get_xticks() if low <= place <= high]
    assert 2 <= len(shown) <= 8
    words = [label.get_text() for label in display.ax_.get_xticklabels()]
    assert all(re.fullmatch(r"[\d.e+]+ (s|ms|µs)", word) for word in words)


def test_two_classes_may_be_given_by_the_second_alone():
    truth, second = np.array([0, 1, 1, 0]), np.array([0.2, 0.9, 0.4, 0.3])
    one = ReliabilityDisplay.from_predictions(truth, second, ax=new_axes())
    both = ReliabilityDisplay.from_predictions(truth, np.column_stack([1 - second, second]), ax=new_axes())
    np.testing.assert_array_equal(one.curves_["predictions"], both.curves_["predictions"])


def test_a_label_the_model_does_not_know_was_predicted_wrongly():
    probabilities = np.array([[0.9, 0.1], [0.9, 0.1]])
    display = ReliabilityDisplay.from_predictions(["a", "z"], probabilities, classes=["a", "b"], ax=new_axes())
    np.testing.assert_allclose(display.curves_["predictions"], [[0.9, 0.5]])


def test_probabilities_that_do_not_fit_are_refused(predictions):
    truth, probabilities = predictions
    with pytest.raises(ValueError, match="300 labels and 2 classes"):
        ReliabilityDisplay.from_predictions(truth, probabilities, classes=["a", "b"])
    broken = probabilities.copy()
    broken[7, 1] = np.nan
    with pytest.raises(ValueError, match="NaN in row 7"):
        ReliabilityDisplay.from_predictions(truth, broken)


def test_an_estimator_is_drawn_under_its_name_with_a_histogram_of_its_own():
    X, y = load_iris(return_X_y=True)
    model = NaiveBayes().fit(X[::2], y[::2])
    display = ReliabilityDisplay.from_estimator(model, X[1::2], y[1::2])
    again = ReliabilityDisplay.from_predictions(y[1::2], model.predict_proba(X[1::2]), ax=new_axes())
    np.testing.assert_array_equal(display.tables["NaiveBayes"], again.tables["predictions"])
    assert again.histogram_ax_ is None
    assert display.figure_.axes == [display.ax_, display.histogram_ax_]
    (steps,) = display.histogram_ax_.patches
    np.testing.assert_allclose(steps.get_data().values, display.tables["NaiveBayes"][:, 0] / 75)


def test_a_comparison_shows_its_six_best_models_with_probabilities(comparison):
    display = ReliabilityDisplay.from_comparison(comparison, ax=new_axes())
    ranked = [s.model for s in comparison.leaderboard() if s.model not in ("hnb", "logistic", "kdb")]
    assert list(display.tables) == ranked[:6]
    for name, table in display.tables.items():
        np.testing.assert_array_equal(table, comparison.reliability(name))
    chosen = ReliabilityDisplay.from_comparison(comparison, ["nb", "aode"], ax=new_axes())
    assert list(chosen.tables) == ["nb", "aode"]
    with pytest.raises(ValueError, match="no probabilities of 'hnb', 'logistic' in the comparison"):
        ReliabilityDisplay.from_comparison(comparison, ["nb", "hnb", "logistic"])
    with pytest.raises(ValueError, match="no probabilities of any model"):
        ReliabilityDisplay.from_comparison(make_comparison(["a"], ["iris"], without_probabilities={"a"}))


# Evidence


class Oracle:
    """Three classes, five columns, and evidence that is easy to add up."""

    classes_ = np.array(["fair", "rain", "snow"])
    n_features_in_ = 5

    def predict_evidence(self, X):
        prior = np.log([0.5, 0.3, 0.2])
        columns = np.array([[0, 1, 0], [0, -3, 0], [0, 0.5, 0], [0, 0.25, 9], [0, 2, 0]])
        return np.tile(np.vstack([prior, columns]), (len(X), 1, 1))


def test_bars_are_the_prior_the_weightiest_columns_the_others_and_the_total():
    display = EvidenceDisplay.from_estimator(
        Oracle(), np.ones((1, 5)), label="rain", against="fair", top=2, ax=new_axes()
    )
    prior = math.log(0.3 / 0.5)
    assert [(name, round(size, 6)) for name, _, size in display.contributions_] == [
        ("prior", round(prior, 6)),
        ("column 1", -3),
        ("column 4", 2),
        ("column 0", 1),
        ("column 2", 0.5),
        ("column 3", 0.25),
    ]
    assert display.total_ == pytest.approx(prior + 0.75)
    words, sizes = zip(*display.bars_)
    assert words[:4] == ("prior", "column 1 = 1", "column 4 = 1", "3 other columns")
    assert words[4].startswith("total, p = ")
    np.testing.assert_allclose(sizes, [prior, -3, 2, 1.75, prior + 0.75])
    assert [label.get_text() for label in display.ax_.get_yticklabels()] == list(words)
    np.testing.assert_allclose([bar.get_width() for bar in display.ax_.patches], sizes)
    tops = [bar.get_y() for bar in display.ax_.patches]
    assert tops == sorted(tops)
    assert display.ax_.yaxis_inverted()
    colours = [matplotlib.colors.to_hex(bar.get_facecolor()) for bar in display.ax_.patches]
    assert colours == [PALETTE[0] if size >= 0 else PALETTE[1] for size in sizes]
    assert texts(display.ax_) == [f"{size:+.2f}".replace("-", "−") for size in sizes]


def test_one_column_more_than_the_top_is_shown_itself():
    display = EvidenceDisplay.of(Oracle(), np.ones((1, 5)), top=4).plot(ax=new_axes())
    assert len(display.bars_) == 1 + 5 + 1


def test_the_two_most_probable_classes_are_opposed_unless_others_are_named():
    X = np.ones((1, 5))

    def opposed(**named):
        display = EvidenceDisplay.of(Oracle(), X, **named)
        return display.label_, display.against_

    assert opposed() == ("snow", "rain")
    assert opposed(label="rain") == ("rain", "snow")
    assert opposed(against="snow") == ("rain", "snow")
    assert opposed(label="fair", against="rain") == ("fair", "rain")
    with pytest.raises(ValueError, match=r"no class 'hail'; its classes are 'fair', 'rain', 'snow'"):
        opposed(label="hail")
    with pytest.raises(ValueError, match="both are 'rain'"):
        opposed(label="rain", against="rain")


def test_a_row_that_is_not_there_and_a_model_without_evidence_are_refused():
    with pytest.raises(ValueError, match="no row 3: X has 3 rows"):
        EvidenceDisplay.of(Oracle(), np.ones((3, 5)), row=3)
    with pytest.raises(ValueError, match="GaussianNB cannot explain its predictions"):
        EvidenceDisplay.of(GaussianNB(), np.ones((3, 5)))
    X = np.ones((3, 2))
    with pytest.raises(ValueError, match="only the class 1"):
        EvidenceDisplay.of(NaiveBayes().fit(X, [1, 1, 1]), X)


@pytest.fixture(scope="module")
def weather():
    rng = np.random.default_rng(0)
    sky = rng.choice(["clear", "grey"], 80)
    frame = pd.DataFrame(
        {"sky": sky, "warmth": rng.normal(15, 5, 80) + 8 * (sky == "clear"), "wind": rng.random(80) < 0.5}
    )
    frame.loc[3, "sky"] = None
    return frame, np.where(frame["warmth"] + rng.normal(0, 2, 80) > 18, "beach", "museum")


@pytest.mark.parametrize(
    "model", [NaiveBayes(), NaiveBayes(numeric="gaussian"), TAN(), AODE(), KDB(), BayesNet()], ids=str
)
@pytest.mark.parametrize("engine", [lambda frame: frame, pl.from_pandas], ids=["pandas", "polars"])
def test_contributions_of_real_models_sum_to_their_log_odds(weather, model, engine):
    X, y = weather
    X = engine(X)
    model.fit(X, y)
    joint, probabilities = model.predict_joint_log_proba(X), model.predict_proba(X)
    for row in (0, 3, -1):
        display = EvidenceDisplay.of(model, X, row=row)
        chosen = list(model.classes_).index(display.label_)
        assert chosen == probabilities[row].argmax()
        assert display.total_ == pytest.approx(joint[row, chosen] - joint[row, 1 - chosen])
        assert sum(size for *_, size in display.contributions_) == pytest.approx(display.total_)
        np.testing.assert_allclose(display.probabilities_, probabilities[row])
        assert {name for name, *_ in display.contributions_} == {"prior", "sky", "warmth", "wind"}


@pytest.mark.parametrize("numeric", ["discretize", "gaussian"])
def test_missing_and_unseen_values_are_called_so(weather, numeric):
    X, y = weather
    model = NaiveBayes(numeric=numeric).fit(X, y)
    rows = pd.DataFrame(
        {"sky": ["purple", None, "grey"], "warmth": [np.nan, 19.123456789, 20], "wind": [True, False, None]}
    )
    rows["wind"] = rows["wind"].astype(object)
    values = [
        {name: value for name, value, _ in EvidenceDisplay.of(model, rows, row=row).contributions_} for row in range(3)
    ]
    assert values == [
        {"prior": "", "sky": "purple (unseen)", "warmth": "missing", "wind": "True"},
        {"prior": "", "sky": "missing", "warmth": "19.1235", "wind": "False"},
        {"prior": "", "sky": "grey", "warmth": "20", "wind": "missing"},
    ]


def test_columns_of_an_array_are_named_by_position():
    X, y = load_iris(return_X_y=True)
    display = EvidenceDisplay.of(TAN().fit(X, y), X, row=70)
    assert {name: value for name, value, _ in display.contributions_ if name != "prior"} == {
        f"column {place}": f"{value:g}" for place, value in enumerate(X[70])
    }
    assert isinstance(display.label_, int)


def ages(model):
    """A model of an age cut at 40.5 and 52, of a number in one bin, and of a category."""
    age = np.repeat([30.0, 51.0, 53.0], 40)
    frame = pd.DataFrame({"age": age, "noise": [1.0, 1.0, 2.0, 2.0] * 30, "sex": ["f", "m"] * 60})
    return model.fit(frame, np.repeat(["young", "old", "young"], 40))


@pytest.mark.parametrize("model", [NaiveBayes(), AODE(), WeightedNaiveBayes()], ids=str)
def test_a_number_is_shown_with_the_bin_that_it_fell_into(model):
    model = ages(model)
    rows = pd.DataFrame({"age": [43, 52, 40.5, np.nan, 99], "noise": 1.5, "sex": "f"})
    shown = [
        {name: value for name, value, _ in EvidenceDisplay.of(model, rows, row=row).lines_} for row in range(len(rows))
    ]
    assert [values["age"] for values in shown] == [
        *("43, in 40.5 to 52", "52, in 40.5 to 52", "40.5, up to 40.5", "missing", "99, above 52")
    ]
    assert {values["noise"] for values in shown} == {"1.5, in the only bin"}
    assert {values["sex"] for values in shown} == {"f"}
    display = EvidenceDisplay.from_estimator(model, rows, ax=new_axes())
    assert display.bins == {"age": (40.5, 52.0), "noise": (-math.inf, math.inf)}
    assert "age = 43, in 40.5 to 52" in [label.get_text() for label in display.ax_.get_yticklabels()]


def test_numbers_that_are_not_cut_are_shown_alone():
    model = ages(NaiveBayes(numeric="gaussian"))
    display = EvidenceDisplay.of(model, pd.DataFrame({"age": [43.0], "noise": [-1.0], "sex": ["x"]}))
    values = {name: value for name, value, _ in display.lines_}
    assert values == {"prior": "", "age": "43", "noise": "-1", "sex": "x (unseen)"}


@pytest.mark.parametrize("largest", [9.9, 40.0, math.inf])
def test_a_bar_beyond_log_odds_of_10_is_cut_with_its_number_at_the_end(largest):
    contributions = [("prior", "", -0.5), ("age", "43", largest), ("size", "2", -3.0)]
    display = EvidenceDisplay(contributions, "a", "b", ["a", "b"], [0.9, 0.1]).plot(ax=new_axes())
    ends = [bar.get_x() + bar.get_width() for bar in display.ax_.patches]
    number = f"+{largest:.2f}".replace("inf", "∞")
    assert number in texts(display.ax_)
    (written,) = [text for text in display.ax_.texts if text.get_text() == number and text.xy[1] == 1]
    if largest < 10:
        assert max(ends) == written.xy[0] == largest
        assert "cut" not in display.ax_.get_xlabel()
    elif math.isfinite(largest):
        assert max(ends) == written.xy[0] == 10
        assert "bars cut at ±10" in display.ax_.get_xlabel()
    else:
        assert max(ends) == written.xy[0] <= 10
    assert min(ends) == -3.0


def test_a_class_that_cannot_be_is_infinitely_unlikely():
    class Never(Oracle):
        def predict_evidence(self, X):
            evidence = super().predict_evidence(X)
            evidence[:, 0, 0] = -np.inf
            evidence[:, 1:, 0] = np.nan
            return evidence

    display = EvidenceDisplay.from_estimator(Never(), np.ones((1, 5)), against="fair", ax=new_axes())
    assert display.total_ == np.inf
    assert display.probabilities_[0] == 0
    assert texts(display.ax_)[-1] == "+∞"
    assert all(math.isfinite(bar.get_width()) for bar in display.ax_.patches)


# Networks


def boxes_by_column(display):
    corners = display.positions_ - display.sizes_ / 2
    return list(zip(corners, display.positions_ + display.sizes_ / 2))


def points_on(patch):
    """Points on a curve, in data coordinates."""
    path = patch._path_original if isinstance(patch, FancyArrowPatch) else patch.get_path()
    pieces = []
    for curve, code in path.iter_bezier():
        pieces.append(curve(np.linspace(0, 1, 40)) if code != Curve.MOVETO else curve(np.zeros(1)))
    return np.concatenate(pieces)


def assert_readable(display, links):
    """No box covers another, and links run from box to box without a gap and through no third one."""
    arrows = [patch for patch in display.ax_.patches if isinstance(patch, FancyArrowPatch)]
    assert len(arrows) == links
    boxes = boxes_by_column(display)
    for (one_low, one_high), (low, high) in combinations(boxes, 2):
        assert not np.all(np.minimum(one_high, high) - np.maximum(one_low, low) > 1e-9)
    curves = [points_on(patch) for patch in display.ax_.patches if isinstance(patch, FancyArrowPatch | PathPatch)]
    curves += [line for lines in display.ax_.collections for line in lines.get_segments()]
    ends = np.array([curve[-1] for curve in curves]).reshape(-1, 2)
    for curve in curves:
        on_box = [np.all((curve[0] >= low - 1e-6) & (curve[0] <= high + 1e-6)) for low, high in boxes]
        assert any(on_box) or np.abs(ends - curve[0]).max(axis=1).min() < 1e-6
        for low, high in boxes:
            assert not np.all((curve > low + 1e-6) & (curve < high - 1e-6), axis=1).any()


@st.composite
def structures(draw):
    """Parents of up to 20 columns in any order without circles."""
    n = draw(st.integers(1, 20))
    order = draw(st.permutations(range(n)))
    parents = [()] * n
    for rank, child in enumerate(order):
        parents[child] = tuple(draw(st.lists(st.sampled_from(order[:rank]), max_size=3, unique=True)) if rank else ())
    return parents


@examples(25)
@given(structures(), st.booleans())
def test_links_go_forward_and_through_no_box(parents, long_names):
    names = [f"{'a column of a long name, ' * long_names}{place}" for place in range(len(parents))]
    display = NetworkDisplay(parents, names).plot(ax=new_axes())
    assert_readable(display, sum(map(len, parents)))
    layer_of = {column: place for place, layer in enumerate(display.layers) for column in layer}
    linked = {column for child, of_child in enumerate(parents) for column in (child, *of_child) if of_child}
    assert set(layer_of) == linked
    for child, of_child in enumerate(parents):
        for parent in of_child:
            assert layer_of[parent] < layer_of[child]


@pytest.mark.parametrize("n_children", [3, 30])
def test_wide_layers_stand_side_by_side(n_children):
    # A root, its children, grandchildren by one of them whose name is short, and links that skip a generation.
    children, middle = range(1, n_children + 1), n_children // 2
    parents = [(), *((0,) for _ in children), *((0, middle) for _ in children)]
    names = ["root", *("x" if child == middle else "a long name" for child in children), *map(str, children)]
    display = NetworkDisplay(parents, names).plot(ax=new_axes())
    assert_readable(display, 3 * n_children)
    x, y = display.positions_.T
    if n_children > 10:
        assert x[0] < x[1] < x[-1]
        assert len(np.unique(y[1 : n_children + 1])) == n_children
    else:
        assert y[0] > y[1] > y[-1]


def test_an_arrow_ends_at_the_child():
    display = NetworkDisplay([(), (0,), (0, 1), ()]).plot(ax=new_axes())
    ends = {}
    for arrow in (patch for patch in display.ax_.patches if isinstance(patch, FancyArrowPatch)):
        end = points_on(arrow)[-1]
        near = [np.all((end >= low - 1e-9) & (end <= high + 1e-9)) for low, high in boxes_by_column(display)]
        ends[arrow.get_label()] = near.index(True)
    assert sorted(ends.values()) == [1, 2, 2]
    assert all(label.endswith(f" {child}") for label, child in ends.items())


@pytest.mark.parametrize("model", [TAN(), KDB(), BayesNet(max_parents=3)], ids=str)
@pytest.mark.parametrize("size", [(6.4, 4.8), thorough((11, 8))])
def test_models_are_drawn_with_the_names_of_their_columns(model, size):
    X, y = load_iris(return_X_y=True, as_frame=True)
    model.fit(X, y)
    display = NetworkDisplay.from_estimator(model, ax=new_axes(size))
    assert display.parents == model.parents_
    assert texts(display.ax_) == [*X.columns, "class → every column"]
    assert_readable(display, sum(map(len, model.parents_)))
    for text, position in zip(display.ax_.texts, display.positions_):
        assert text.get_position() == tuple(position)
    unnamed = NetworkDisplay.from_estimator(model.fit(X.to_numpy(), y), ax=new_axes(size))
    assert texts(unnamed.ax_)[:4] == ["0", "1", "2", "3"]


def test_words_fit_their_boxes_and_the_axes():
    parents = [(), *((0,) for _ in range(59))]
    for size in ((6.4, 4.8), (16, 8)):
        display = NetworkDisplay(parents, [f"a-column-number-{place}" for place in range(60)]).plot(ax=new_axes(size))
        frame = display.ax_.get_window_extent()
        for text, (low, high) in zip(display.ax_.texts, boxes_by_column(display)):
            box, shape = text.get_window_extent(), display.ax_.transData.transform([low, high])
            assert shape[0, 0] <= box.x0
            assert box.x1 <= shape[1, 0]
            assert frame.x0 <= shape[0, 0] <= shape[1, 0] <= frame.x1
            assert frame.y0 <= shape[0, 1] <= shape[1, 1] <= frame.y1


def test_columns_that_do_not_depend_on_the_class_are_dashed():
    display = NetworkDisplay([(), (0,), ()], class_is_parent=[True, False, True]).plot(ax=new_axes())
    *columns, of_class = [patch for patch in display.ax_.patches if isinstance(patch, FancyBboxPatch)]
    assert [box.get_linestyle() == "-" for box in columns] == [True, False, True]
    assert matplotlib.colors.to_hex(of_class.get_edgecolor()) == THEME["faint"]
    assert texts(display.ax_)[-1] == "class → every column but the dashed"


def test_only_models_with_a_structure_are_drawn():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="AODE has no structure to draw; TAN, KDB and BayesNet have one"):
        NetworkDisplay.from_estimator(AODE().fit(X, y))
    with pytest.raises(NotFittedError):
        NetworkDisplay.from_estimator(TAN())
    with pytest.raises(ValueError, match="in a cycle"):
        NetworkDisplay([(1,), (0,)])


@pytest.mark.parametrize("data", ["uci_mushroom", "uci_vote", "uci_soybean"])
def test_structures_and_evidence_of_real_tables_are_readable(data, data_folder):
    frame = pd.read_csv(data_folder / f"{data}.csv.gz", keep_default_na=False, na_values=[""], dtype=object)
    X, y = frame.drop(columns="class"), frame["class"]
    for model in (TAN(), KDB()):
        model.fit(X, y)
        display = NetworkDisplay.from_estimator(model)
        assert_readable(display, sum(map(len, model.parents_)))
        evidence = EvidenceDisplay.from_estimator(model, X, row=5, ax=new_axes())
        joint = model.predict_joint_log_proba(X.iloc[[5]])[0]
        chosen, other = (list(model.classes_).index(label) for label in (evidence.label_, evidence.against_))
        assert evidence.total_ == pytest.approx(joint[chosen] - joint[other])
        assert len(evidence.bars_) == 1 + 12 + 1 + 1


# What all displays share


@pytest.fixture(scope="module")
def given_axes():
    """The axes that displays of all kinds draw in."""
    return [new_axes() for _ in range(7)]


@pytest.fixture(scope="module")
def drawn(few, given_axes):
    """One display of each kind."""
    names = HOSTILE * 2
    axes = iter(given_axes)
    return [
        CriticalDifferenceDisplay.from_scores(random_scores(6, len(HOSTILE)), HOSTILE, ax=next(axes)),
        ScoreTimeDisplay(HOSTILE, np.linspace(0.8, 0.9, 8), np.geomspace(0.001, 9, 8)).plot(ax=next(axes)),
        WinTieLossDisplay(np.ones((8, 8, 3)), HOSTILE, title=HOSTILE[0]).plot(ax=next(axes)),
        WinTieLossDisplay.from_comparison(few, ax=next(axes)),
        ReliabilityDisplay({name: [[2, 1, 1], [5, 4, 5]] for name in HOSTILE}).plot(ax=next(axes)),
        EvidenceDisplay(
            [("prior", "", -0.5), *((name, name, size) for size, name in enumerate(names))],
            *HOSTILE[:2],
            HOSTILE[:2],
            [0.3, 0.7],
        ).plot(ax=next(axes)),
        NetworkDisplay([(), *((0,) for _ in HOSTILE[1:])], HOSTILE).plot(ax=next(axes)),
    ]


@pytest.fixture(scope="module")
def svgs(drawn):
    return [to_svg(display, prefix=f"p{place}") for place, display in enumerate(drawn)]


def test_a_display_draws_in_the_axes_given_and_again_in_others(drawn, given_axes):
    for display, ax in zip(map(copy, drawn), given_axes, strict=True):  # the others stay where they are
        assert display.ax_ is ax
        assert display.figure_ is ax.figure
        words = texts(ax)
        other = new_axes()
        assert display.plot(ax=other) is display
        assert display.ax_ is other
        assert texts(other) == words


def test_without_axes_a_pyplot_figure_of_the_displays_size_is_made(comparison):
    display = CriticalDifferenceDisplay.from_comparison(comparison)
    assert plt.get_fignums() == [display.figure_.number]
    np.testing.assert_allclose(display.figure_.get_size_inches(), display.size)


def test_backgrounds_are_transparent(drawn):
    assert {display.ax_.get_facecolor()[3] for display in drawn} == {0.0}
    assert NetworkDisplay([()]).plot().figure_.get_facecolor()[3] == 0.0


def test_svg_is_one_element_that_parses_with_all_ids_its_own(svgs):
    for place, text in enumerate(svgs):
        assert text.startswith('<svg class="figure" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ')
        assert text.endswith("</svg>")
        root = ElementTree.fromstring(text)
        assert not {"width", "height"} & set(root.attrib)
        ids = [element.attrib["id"] for element in root.iter() if "id" in element.attrib]
        assert len(ids) == len(set(ids))
        assert all(name.startswith(f"p{place}-") for name in ids)
        referred = re.findall(r'href="#([^"]*)"|url\(#([^)]*)\)', text)
        assert {one or other for one, other in referred} <= set(ids)
        assert "<style" not in text
        assert "<metadata" not in text
        assert "<!--" not in text
        assert "font-family" not in text


def test_svg_has_no_colours_but_variables(drawn, svgs):
    for display, text in zip(drawn, svgs, strict=True):
        assert colours_of(text) <= VARIABLES, type(display).__name__


def test_svg_writes_names_as_they_are(drawn, svgs):
    for display, text in zip(drawn, svgs, strict=True):
        if display.ax_.get_title(loc="left").startswith("Row"):
            continue
        written = "\n".join(ElementTree.fromstring(text).itertext())
        for name in HOSTILE[:2] if isinstance(display, EvidenceDisplay) else HOSTILE:
            assert shorten(name, 24) in written or shorten(name, 12) in written, (type(display).__name__, name)


@pytest.mark.thorough
def test_svg_of_the_same_drawing_is_the_same_in_any_process():
    code = """
    import hashlib, numpy as np
    from matplotlib.figure import Figure
    from unnaive.show import CriticalDifferenceDisplay, NetworkDisplay
    from unnaive.show.style import to_svg
    scores = np.random.default_rng(0).random((6, 5))
    one = CriticalDifferenceDisplay.from_scores(scores, "abcde", ax=Figure().subplots())
    two = NetworkDisplay([(), (0,), (0, 1), (2,), ()]).plot(ax=Figure().subplots())
    texts = [to_svg(one, "a"), to_svg(one, "a"), to_svg(two, "b"), to_svg(two.figure_, "b")]
    assert texts[0] == texts[1] and texts[2] == texts[3]
    print([hashlib.sha256(text.encode()).hexdigest() for text in texts])
    """
    first, second = (run(code, PYTHONHASHSEED=seed) for seed in ("1", "2"))
    assert first == second


def test_svg_leaves_the_figure_and_the_settings_as_they_were(drawn):
    before = matplotlib.rcParams["svg.fonttype"], drawn[0].figure_.get_size_inches().tolist()
    to_svg(drawn[0])
    assert (matplotlib.rcParams["svg.fonttype"], drawn[0].figure_.get_size_inches().tolist()) == before
    display = NetworkDisplay([()]).plot()
    to_svg(display)
    assert plt.get_fignums() == [display.figure_.number]


def run(code, **environment):
    """What a fresh interpreter prints."""
    lines = [line[4:] for line in code.strip("\n").split("\n")]
    return subprocess.run(
        [sys.executable, "-c", "\n".join(lines)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **environment},
    ).stdout.strip()


@pytest.mark.thorough
def test_pyplot_is_not_imported_where_axes_are_given():
    code = """
    import sys
    sys.modules["matplotlib.pyplot"] = None  # importing it is an error
    import numpy as np
    from matplotlib.figure import Figure
    from sklearn.datasets import load_iris
    from unnaive import TAN
    from unnaive.show import *
    from unnaive.show.style import to_svg
    X, y = load_iris(return_X_y=True)
    model = TAN().fit(X, y)
    def new():
        return Figure(layout="constrained").subplots()
    drawn = [
        CriticalDifferenceDisplay.from_scores(np.random.default_rng(0).random((5, 4)), "abcd", ax=new()),
        ScoreTimeDisplay("ab", [0.5, 0.6], [1, 2]).plot(ax=new()),
        WinTieLossDisplay(np.ones((2, 2, 3)), "ab").plot(ax=new()),
        ReliabilityDisplay.from_estimator(model, X, y, ax=new()),
        EvidenceDisplay.from_estimator(model, X, ax=new()),
        NetworkDisplay.from_estimator(model, ax=new()),
    ]
    print(len([to_svg(display) for display in drawn]))
    """
    assert run(code) == "6"


@pytest.mark.thorough
def test_finding_evidence_does_without_matplotlib():
    code = """
    import sys
    sys.modules["matplotlib"] = None  # importing it is an error
    import json
    from sklearn.datasets import load_iris
    from unnaive import TAN
    from unnaive.show import EvidenceDisplay
    X, y = load_iris(return_X_y=True)
    print(json.dumps(EvidenceDisplay.of(TAN().fit(X, y), X).contributions_))
    """
    assert json.loads(run(code))[0][:2] == ["prior", ""]


def test_displays_are_found_by_name_and_imported_only_then():
    assert dir(unnaive.show) == sorted(unnaive.show.__all__)
    for name in unnaive.show.__all__:
        assert getattr(unnaive.show, name).__name__ == name
    with pytest.raises(AttributeError, match=r"module 'unnaive.show' has no attribute 'Display'"):
        unnaive.show.Display  # noqa: B018
    assert (
        run("    import sys, unnaive.show; print('matplotlib' in sys.modules, 'numpy' in sys.modules)") == "False False"
    )


@given(arrays(float, st.integers(0, 12), elements=st.floats(-5, 5)), st.floats(0, 2))
def test_spreading_keeps_order_and_gaps_and_moves_nothing_that_is_apart(wanted, gap):
    wanted = np.sort(wanted)
    moved = spread(wanted, gap)
    assert np.all(np.diff(moved) >= gap - 1e-9)
    assert moved.sum() == pytest.approx(wanted.sum(), abs=1e-6)
    np.testing.assert_allclose(spread(moved, gap), moved, atol=1e-9)


@given(st.text(max_size=60), st.integers(2, 30))
def test_a_shortened_name_is_one_line_that_fits(name, limit):
    short = shorten(name, limit)
    assert len(short) <= limit
    assert len(short.splitlines()) <= 1
    plain = " ".join(name.split())
    if plain.isprintable() and len(plain) <= limit:
        assert short == plain
