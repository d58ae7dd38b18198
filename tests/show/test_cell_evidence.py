"""What CellEvidenceDisplay says about cells, that bars sum to the log odds, and that its words can be read."""

import math

import matplotlib

matplotlib.use("Agg")

import numpy as np
import pytest
from matplotlib import pyplot as plt
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

from tests.papers.icgnb.test_attribute_correlation_display import ticks_in_sight
from tests.show.svg import assert_drawn_again_in_others, assert_names_and_variables_alone
from tests.show.test_displays import HOSTILE, boxes_of, new_axes, overlapping
from unnaive import BayesianTensorClassifier, SparseTensor, TextTensor
from unnaive.show import CellEvidenceDisplay

RNG = np.random.default_rng(0)
LABELS = np.array(["hawk", "dove", "owl"])[np.arange(60) % 3]
TENSORS = RNG.integers(0, 3, (60, 4, 4)) * (RNG.random((60, 4, 4)) < 0.5)
TENSORS[LABELS == "hawk", 1, 2] = 2
MODEL = BayesianTensorClassifier().fit(TENSORS, LABELS)


@pytest.fixture(autouse=True)
def _no_figure_stays_open():
    yield
    plt.close("all")


class Oracle:
    """Two classes, and a word for each cell that was given: what it adds to the first class."""

    classes_ = np.array(["for", "against"])

    def __init__(self, said, prior=0.0):
        self.said, self.prior = np.asarray(said, dtype=float), prior

    def predict_joint_log_proba(self, X):
        total = self.said.sum() + self.prior
        return np.array([[total, 0.0]])

    def cell_evidence(self, X):
        return np.stack([self.said.ravel(), np.zeros(self.said.size)], axis=1)[None]


# Numbers


@pytest.mark.parametrize("row", [0, 7, -1])
def test_a_cell_says_what_the_log_odds_lose_without_it_and_all_bars_sum_to_them(row):
    display = CellEvidenceDisplay.of(MODEL, SparseTensor.from_dense(TENSORS), row=row)
    (joint,) = MODEL.predict_joint_log_proba(TENSORS[[row]])
    ranking = np.argsort(-joint)
    assert [display.label_, display.against_] == MODEL.classes_[ranking[:2]].tolist()
    full = joint[ranking[0]] - joint[ranking[1]]
    assert display.total_ == pytest.approx(full)
    np.testing.assert_allclose(display.probabilities_, MODEL.predict_proba(TENSORS[[row]])[0])
    found = {(name, value): size for name, value, size in display.contributions_[1:]}
    expected = {}
    for (i, j), value in np.ndenumerate(TENSORS[row]):
        if value:
            without = TENSORS[[row]].copy()
            without[0, i, j] = 0
            (lacking,) = MODEL.predict_joint_log_proba(without)
            name = str(i) if i == j else f"{i} × {j}"
            expected[name, str(value)] = full - (lacking[ranking[0]] - lacking[ranking[1]])
    assert found == pytest.approx(expected)
    sizes = [abs(size) for *_, size in display.contributions_[1:]]
    assert sizes == sorted(sizes, reverse=True)
    assert math.fsum(size for *_, size in display.contributions_) == pytest.approx(full)
    display.plot(ax=new_axes())
    assert math.fsum(size for _, size in display.bars_[:-1]) == pytest.approx(full)
    assert display.bars_[-1][1] == pytest.approx(full)


def test_classes_can_be_named():
    display = CellEvidenceDisplay.of(MODEL, TENSORS, label="owl", against="dove")
    assert (display.label_, display.against_) == ("owl", "dove")
    (joint,) = MODEL.predict_joint_log_proba(TENSORS[:1])
    assert display.total_ == pytest.approx(joint[2] - joint[0])


def test_equal_cells_of_the_same_features_are_added_up_and_others_are_not():
    said = [[1.0, 0.5, -2.0], [0.5, 0.0, 3.0], [-2.0, 4.0, 0.0]]
    tensor = [[[5, 2, 7], [2, 0, 1], [8, 1, 0]]]
    display = CellEvidenceDisplay.of(Oracle(said), tensor, names=["a", "b", "c"])
    assert display.contributions_[1:] == [
        ("c × b", "1", 4.0),  # holds what b × c does, but says more
        ("b × c", "1", 3.0),
        ("a × c", "7", -2.0),
        ("c × a", "8", -2.0),
        ("a", "5", 1.0),
        ("a × b", "2 (2 cells)", 1.0),
    ]
    apart = CellEvidenceDisplay.of(Oracle(said), tensor, names=[list("abc"), list("abc")])
    assert ("a × b", "2", 0.5) in apart.contributions_
    assert ("a × a", "5", 1.0) in apart.contributions_


def test_six_orders_of_three_features_are_one_bar():
    said, tensor = np.zeros((3, 3, 3)), np.zeros((1, 3, 3, 3))
    for i, j, k in [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]:
        said[i, j, k], tensor[0, i, j, k] = 0.25, 3
    display = CellEvidenceDisplay.of(Oracle(said, prior=-1.0), tensor, names=["a", "b", "c"])
    assert display.contributions_ == [("prior, zeros, overlap", "", -1.0), ("a × b × c", "3 (6 cells)", 1.5)]


def test_all_but_the_weightiest_share_a_bar_unless_there_is_only_one_of_them():
    said = np.arange(9.0).reshape(3, 3)
    tensor = np.arange(1, 10).reshape(1, 3, 3)
    display = CellEvidenceDisplay.from_estimator(Oracle(said, prior=0.5), tensor, top=3, ax=new_axes())
    assert [words for words, _ in display.bars_] == [
        "2 = 9",
        "2 × 1 = 8",
        "2 × 0 = 7",
        "6 others",
        "prior, zeros, overlap",
        "total, p > 0.999",
    ]
    assert [size for _, size in display.bars_] == [8, 7, 6, 15, 0.5, 36.5]
    all_but_one = CellEvidenceDisplay.from_estimator(Oracle(said), tensor, top=8, ax=new_axes())
    assert [words for words, _ in all_but_one.bars_][8:10] == ["0 = 1", "prior, zeros, overlap"]


def test_bars_of_sums_that_are_much_longer_than_those_of_cells_are_broken():
    display = CellEvidenceDisplay.from_estimator(Oracle([[1.0, -2.0]], prior=90.0), [[[1, 1]]], ax=new_axes())
    widths = {}
    for bar in display.ax_.patches:
        widths.setdefault(round(bar.get_y() + bar.get_height() / 2, 3), []).append(bar.get_width())
    cells, sums = [widths[place] for place in sorted(widths)][:2], [widths[place] for place in sorted(widths)][2:]
    assert cells == [[-2.0], [1.0]]
    assert [len(pieces) for pieces in sums] == [2, 2]
    assert all(sum(pieces) < 2.6 for pieces in sums)
    assert [text.get_text() for text in display.ax_.texts] == ["−2.00", "+1.00", "+90.00", "+89.00"]


def test_a_tensor_of_zeros_is_all_prior():
    display = CellEvidenceDisplay.from_estimator(MODEL, np.zeros((1, 4, 4)), ax=new_axes())
    assert [words for words, _ in display.bars_][:1] == ["prior, zeros, overlap"]
    assert display.contributions_[0][2] == pytest.approx(display.total_)


def test_a_pipeline_names_its_terms():
    posts = ["Cats purr.\n\nCats sleep.", "Dogs bark.\n\nDogs sleep.", "Cats purr and sleep.", "Dogs bark, dogs bark."]
    model = make_pipeline(TextTensor(), BayesianTensorClassifier()).fit(posts, ["cat", "dog", "cat", "dog"])
    display = CellEvidenceDisplay.of(model, posts, row=2)
    assert display.label_ == "cat"
    names = {name for name, *_ in display.contributions_[1:]}
    assert names == {"cat", "purr", "sleep", "cat × purr", "cat × sleep", "purr × sleep"}


# Words


@pytest.mark.parametrize("size", [None, (9, 8)])
def test_words_do_not_cover_each_other(size):
    tensor = np.ones((1, 8, 8, 8))
    said = np.random.default_rng(3).normal(size=(8, 8, 8))
    names = [f"a pattern of a rather long name & number {place}" for place in range(8)]
    display = CellEvidenceDisplay.from_estimator(Oracle(said), tensor, names=names, ax=size and new_axes(size))
    display.figure_.draw_without_rendering()
    ax = display.ax_
    words = [ax._left_title, ax.xaxis.label, *ax.get_yticklabels(), *ax.texts, *ticks_in_sight(ax.xaxis)]
    assert not overlapping(boxes_of(words))
    assert all(words.count(" × ") == 2 for words, _ in display.bars_[:20])
    if size is None:
        whole = display.figure_.bbox
        assert all(box.x0 > -1 and box.x1 < whole.x1 + 1 for box in boxes_of(words))


# Bad input


def test_what_says_nothing_about_cells_is_refused():
    with pytest.raises(ValueError, match="GaussianNB cannot explain its predictions: it has no cell_evidence"):
        CellEvidenceDisplay.of(GaussianNB(), TENSORS)
    with pytest.raises(ValueError, match="There is no tensor 60: X has 60"):
        CellEvidenceDisplay.of(MODEL, TENSORS, row=60)
    with pytest.raises(ValueError, match="only the class 'a'"):
        CellEvidenceDisplay.of(BayesianTensorClassifier().fit(TENSORS, ["a"] * 60), TENSORS)
    with pytest.raises(ValueError, match="names has lists of 2, 2 names"):
        CellEvidenceDisplay.of(MODEL, TENSORS, names=["a", "b"])


# What all displays share


def hostile(ax):
    oracle = Oracle(np.diag(np.arange(8.0) - 3.5))
    oracle.classes_ = np.array(HOSTILE[:2], dtype=object)
    return CellEvidenceDisplay.from_estimator(oracle, [np.eye(8)], names=HOSTILE, ax=ax)


def test_it_draws_in_the_axes_given_and_again_in_others():
    assert_drawn_again_in_others(hostile, new_axes)


def test_svg_has_all_names_as_they_are_and_no_colours_but_variables():
    assert_names_and_variables_alone(hostile, new_axes, HOSTILE, {"var(--c0)", "var(--c1)", "var(--ink)"})
