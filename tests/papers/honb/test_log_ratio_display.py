"""Where LogRatioDisplay puts terms, which of them it names, and that the words can be read."""

import math

import matplotlib

matplotlib.use("Agg")

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from tests.examples import examples, thorough
from tests.naive_reference.paths import probabilities, transform
from tests.show.svg import assert_drawn_again_in_others, assert_names_and_variables_alone
from tests.show.test_displays import HOSTILE, boxes_of, new_axes, overlapping, run
from unnaive.papers import LogRatioDisplay
from unnaive.show.style import PALETTE, THEME, shorten

# Two classes, of three terms that only "yes" has or only "no" has, and a column that no document has.
X = np.array([[1, 1, 0, 0, 0], [1, 1, 0, 1, 0], [0, 1, 0, 1, 0], [0, 0, 1, 1, 0], [0, 0, 1, 1, 0]])
Y = np.array(["yes", "yes", "yes", "no", "no"])


def colour_of(points):
    return matplotlib.colors.to_hex(points.get_facecolor()[0])


def words_of(display, labels):
    """Boxes of the words of labels alone, without the lines to the points."""
    display.figure_.draw_without_rendering()  # before that, the words are nowhere
    return [super(type(label), label).get_window_extent() for label in labels]


def many_terms(n_terms, seed=0):
    """Ratios like the paper's: two groups far out and one in the middle, many in the same place."""
    rng = np.random.default_rng(seed)
    groups = rng.integers(0, 3, n_terms)
    first = np.round(
        np.select([groups == 0, groups == 1], [1, -1], rng.choice([-1, 1], n_terms)) * rng.exponential(size=n_terms), 1
    )
    higher = first + np.array([8, -8, 0])[groups]
    return higher, first, [f"term-number-{place}" for place in range(n_terms)], groups


# What is drawn


@examples(30)
@given(st.integers(4, 6), st.integers(3, 5), st.integers(0, 999), st.integers(1, 3), st.booleans())
def test_points_are_the_log_ratios_that_the_paper_prints(n_documents, n_terms, seed, order, occurrence):
    documents = (np.random.default_rng(seed).random((n_documents, n_terms)) < 0.7).astype(int)
    y = np.arange(n_documents) % 2
    one, other = documents[y == 0], documents[y == 1]
    used = documents.any(axis=0)

    def ratios(order):
        pairs = zip(probabilities(one, order)[0], probabilities(other, order)[0])
        return [math.log(p / q) if occurrence else math.log((1 - p) / (1 - q)) for p, q in pairs]

    display = LogRatioDisplay.from_documents(documents, y, order=order, occurrence=occurrence, ax=new_axes())
    expected = np.column_stack([ratios(order), ratios(1)])[used]
    np.testing.assert_allclose(display.points_, expected, atol=1e-12)
    normalized = LogRatioDisplay.from_documents(
        documents, y, order=order, occurrence=occurrence, normalized=True, ax=new_axes()
    )
    document = [int(occurrence)] * documents.shape[1]
    higher = np.array(transform(one, other, order, document))[used]
    np.testing.assert_allclose(normalized.points_[:, 0], higher, atol=1e-6)  # a root makes much of little
    np.testing.assert_allclose(normalized.points_[:, 1], expected[:, 1], atol=1e-12)


def test_terms_are_grouped_by_whose_documents_have_them():
    display = LogRatioDisplay.from_documents(X, Y, classes=("yes", "no"), names="abcde", ax=new_axes())
    assert display.names == ["a", "b", "c", "d"]
    assert display.groups.tolist() == [0, 0, 1, 2]
    by_colour = {colour_of(points): len(points.get_offsets()) for points in display.ax_.collections}
    assert by_colour == {PALETTE[0]: 2, PALETTE[1]: 1, THEME["faint"]: 1}
    said = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert said == ["in both (1)", "only in yes (2)", "only in no (1)"]
    assert [colour_of(points) for points in display.ax_.get_legend().legend_handles] == list(by_colour)


def test_the_first_class_is_the_one_spoken_for():
    display = LogRatioDisplay.from_documents(X, Y, classes=("yes", "no"), ax=new_axes())
    turned = LogRatioDisplay.from_documents(X, Y, classes=("no", "yes"), ax=new_axes())
    by_default = LogRatioDisplay.from_documents(X, Y, ax=new_axes())
    assert (display.points_[0] > 0).all()
    np.testing.assert_allclose(turned.points_, -display.points_)
    assert turned.groups.tolist() == [1, 1, 0, 2]
    assert by_default.classes == ("no", "yes")


def test_documents_of_other_classes_do_not_matter():
    more, labels = np.vstack([X, [[1, 1, 1, 1, 1]] * 3]), np.array([*Y, "other", "other", "other"])
    display = LogRatioDisplay.from_documents(X, Y, classes=("yes", "no"), ax=new_axes())
    among = LogRatioDisplay.from_documents(more, labels, classes=("yes", "no"), ax=new_axes())
    np.testing.assert_array_equal(among.points_, display.points_)
    assert among.names == display.names == ["term 0", "term 1", "term 2", "term 3"]


@pytest.mark.parametrize(
    "made",
    [sparse.csr_matrix, sparse.coo_matrix, lambda X: 3 * X, lambda X: X.astype(bool), lambda X: X.tolist()],
    ids=["csr", "coo", "counts", "booleans", "lists"],
)
def test_documents_come_as_any_matrix(made):
    display = LogRatioDisplay.from_documents(X, Y, ax=new_axes())
    np.testing.assert_allclose(LogRatioDisplay.from_documents(made(X), list(Y), ax=new_axes()).points_, display.points_)


def test_columns_of_a_frame_are_the_names_of_the_terms():
    frame = pd.DataFrame(X, columns=["all", "but", "the", "last", "one"])
    display = LogRatioDisplay.from_documents(frame, pd.Series(Y), ax=new_axes())
    assert display.names == ["all", "but", "the", "last"]


def test_without_groups_there_is_one_colour_and_no_legend():
    display = LogRatioDisplay([1.0, -2.0], [0.5, -0.5]).plot(ax=new_axes())
    (points,) = display.ax_.collections
    assert colour_of(points) == PALETTE[0]
    assert display.ax_.get_legend() is None
    assert {label.get_text() for label in display.labels_} == {"term 0", "term 1"}


def test_zero_is_in_the_middle_and_every_point_within():
    display = LogRatioDisplay([9.0, -1.0], [0.5, -3.0]).plot(ax=new_axes())
    for (low, high), furthest in ((display.ax_.get_xlim(), 9.0), (display.ax_.get_ylim(), 3.0)):
        assert low == -high
        assert furthest < high < 2 * furthest
    nothing = LogRatioDisplay([0.0, 0.0], [0.0, 0.0]).plot(ax=new_axes())
    assert nothing.ax_.get_xlim() == nothing.ax_.get_ylim() == (-1.0, 1.0)
    assert nothing.labels_ == []


# What is written


def test_axis_titles_say_what_is_what_and_how_far_it_goes():
    display = LogRatioDisplay([19.84, -20.0, 0.1], [3.96, -3.0, 0.2], classes=("pro", "con")).plot(ax=new_axes())
    assert display.ranges_ == ((-20.0, 19.84), (-3.0, 3.96))
    assert display.ax_.get_xlabel() == "log P(w | pro) / P(w | con)\nsecond order: from −20.0 to 19.8"
    assert display.ax_.get_ylabel() == "log P(w | pro) / P(w | con)\nfirst order: from −3.0 to 4.0"
    assert display.ax_.get_title(loc="left") == "Terms for pro against con"
    display = LogRatioDisplay(
        [0.09, -0.0625], [1.5, -0.123], classes=("pro", "con"), occurrence=False, normalized=True, order=3
    ).plot(ax=new_axes())
    assert display.ax_.get_xlabel() == "log P(no w | pro) / P(no w | con)\nthird order, signed root: from −0.25 to 0.3"
    assert display.ax_.get_ylabel() == "log P(no w | pro) / P(no w | con)\nfirst order: from −0.12 to 1.5"


@pytest.mark.parametrize("size", [(4.5, 3.6), thorough((6.4, 4.8)), (9, 7)])
def test_axis_titles_and_legend_fit_classes_of_long_names(size):
    classes = "a class that has a very long name", "another one, which has a longer name still"
    display = LogRatioDisplay([1.0, -2.0, 0.0], [0.5, -0.5, 0.0], groups=[0, 1, 2], classes=classes)
    display.plot(ax=new_axes(size))
    frame = display.ax_.get_window_extent()
    assert display.ax_.xaxis.label.get_window_extent().width <= 1.02 * frame.width
    assert display.ax_.yaxis.label.get_window_extent().height <= 1.02 * frame.height
    assert display.ax_.get_legend().get_window_extent().x1 <= (frame.x0 + frame.x1) / 2
    if size[0] > 8:
        assert shorten(classes[1], 24) in display.ax_.get_xlabel()


def strongest(higher, first, top):
    """The terms to name, literally: a turn for each side, as long as it has terms."""
    sides = [
        sorted(
            (place for place in range(len(higher)) if sign * higher[place] > 0),
            key=lambda place: (-abs(higher[place]), -abs(first[place]), place),
        )
        for sign in (1, -1)
    ]
    chosen = []
    while any(sides):
        for side in sides:
            if side:
                chosen.append(side.pop(0))
    return chosen[:top]


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=1, max_size=12), st.integers(0, 8))
def test_the_strongest_terms_of_both_classes_are_named_in_turn(terms, top):
    higher, first = zip(*terms)
    assert LogRatioDisplay(higher, first, top=top).top_terms == strongest(higher, first, top)


@pytest.mark.parametrize("top", [0, 1, 6, 14])
def test_labels_name_the_top_terms_at_their_points(top):
    display = LogRatioDisplay(*many_terms(200)[:3], top=top, normalized=True).plot(ax=new_axes())
    assert [label.get_text() for label in display.labels_] == [display.names[place] for place in display.top_terms]
    assert len(display.labels_) == top
    for label, place in zip(display.labels_, display.top_terms):
        np.testing.assert_array_equal(label.xy, display.points_[place])


@pytest.mark.parametrize("seed", [0, 1, thorough(2), thorough(3)])
@pytest.mark.parametrize("size", [(6.4, 4.8), thorough((8, 6))])
def test_labels_cover_neither_each_other_nor_a_named_point_nor_the_legend(size, seed):
    higher, first, names, groups = many_terms(800, seed)
    display = LogRatioDisplay(higher, first, names, groups=groups, classes=("one class", "another class"), top=10)
    display.plot(ax=new_axes(size))
    words = words_of(display, display.labels_)
    assert len(words) == 10
    assert not overlapping([*words, display.ax_.get_legend().get_window_extent()])
    for x, y in display.ax_.transData.transform(display.points_[display.top_terms]):
        assert not any(box.x0 < x < box.x1 and box.y0 < y < box.y1 for box in words)
    frame = display.ax_.get_window_extent()
    assert all(frame.x0 - 1 <= box.x0 and box.x1 <= frame.x1 + 1 for box in words)


def test_a_name_whose_term_lies_under_the_legend_goes_elsewhere():
    higher, first = [-5.0, 5.0, -1.0, 1.0], [4.6, 5.0, -1.0, 1.0]
    display = LogRatioDisplay(higher, first, ["under", "b", "c", "d"], groups=[1, 0, 1, 0], classes=HOSTILE[5:7])
    words = words_of(display.plot(ax=new_axes()), display.labels_)
    legend = display.ax_.get_legend().get_window_extent()
    x, y = display.ax_.transData.transform((-5.0, 4.6))
    assert legend.x0 < x < legend.x1
    assert legend.y0 < y < legend.y1
    assert not overlapping([*words, legend])


def test_the_outermost_terms_have_room_outside_for_names_of_usual_length():
    names = ["christianity", "atheists"]
    display = LogRatioDisplay([-5.0, 5.0], [-1.0, 1.0], names).plot(ax=new_axes())
    frame = display.ax_.get_window_extent()
    low, high = display.ax_.transData.transform(display.points_)[:, 0]
    widest = max(box.width for box in words_of(display, display.labels_))
    assert low - frame.x0 >= widest
    assert frame.x1 - high >= widest


def test_newsgroups_on_religion_fall_into_three_groups(data_folder):
    from sklearn.feature_extraction.text import CountVectorizer

    classes = "alt.atheism", "soc.religion.christian"
    posts = pd.read_json(data_folder / "20newsgroups.jsonl.gz", lines=True, nrows=12000)  # enough to hold both classes
    texts = pd.concat([posts[posts["label"] == label].head(25) for label in classes])
    assert len(texts) == 50
    vectorizer = CountVectorizer(stop_words="english", min_df=3)
    documents = vectorizer.fit_transform(texts["text"])
    names = vectorizer.get_feature_names_out()
    display = LogRatioDisplay.from_documents(documents, texts["label"], classes=classes, names=names)
    higher, first = display.points_.T
    # As the paper remarks, terms of one class alone are far out by paths, though not by documents.
    assert higher[display.groups == 0].min() > higher[display.groups == 2].max()
    assert higher[display.groups == 1].max() < higher[display.groups == 2].min()
    assert first[display.groups == 0].min() < first[display.groups == 2].max()
    assert np.ptp(higher) > 4 * np.ptp(first)
    absent = LogRatioDisplay.from_documents(
        documents, texts["label"], classes=classes, names=names, occurrence=False, ax=new_axes()
    )
    assert 4 * np.ptp(absent.points_[:, 0]) < np.ptp(absent.points_[:, 1])
    assert not overlapping([*words_of(display, display.labels_), *boxes_of([display.ax_.get_legend()])])
    matplotlib.pyplot.close(display.figure_)


# Bad input


def test_arrays_that_do_not_fit_or_hold_no_ratios_are_refused():
    with pytest.raises(ValueError, match="first has 1 entries, but higher has 2: give one per term"):
        LogRatioDisplay([1, 2], [1])
    with pytest.raises(ValueError, match="names has 3 entries, but higher has 2"):
        LogRatioDisplay([1, 2], [1, 2], "abc")
    with pytest.raises(ValueError, match="groups has 1 entries, but higher has 2"):
        LogRatioDisplay([1, 2], [1, 2], groups=[0])
    with pytest.raises(ValueError, match="groups may only hold 0"):
        LogRatioDisplay([1, 2], [1, 2], groups=[0, 3])
    with pytest.raises(ValueError, match="first holds nan at place 1: leave out terms"):
        LogRatioDisplay([1, 2], [1, np.nan])
    with pytest.raises(ValueError, match=r"higher has shape \(0,\)"):
        LogRatioDisplay([], [])
    for classes in (["a"], "ab", ["a", "a"], ["a", "b", "c"]):
        with pytest.raises(ValueError, match="of two different classes, but classes is"):
            LogRatioDisplay([1, 2], [1, 2], classes=classes)


def test_documents_without_two_classes_are_refused():
    three = ["yes", "yes", "no", "no", "other"]
    with pytest.raises(ValueError, match="y has 3 classes, but a ratio is of two: name two labels in `classes`"):
        LogRatioDisplay.from_documents(X, three)
    with pytest.raises(ValueError, match="y has no document of class 'maybe'; its classes are 'no', 'other', 'yes'"):
        LogRatioDisplay.from_documents(X, three, classes=("yes", "maybe"))
    with pytest.raises(ValueError, match="y has 1 classes"):
        LogRatioDisplay.from_documents(X, ["yes"] * 5)
    with pytest.raises(ValueError, match="X has 5 documents, but y has 4 labels"):
        LogRatioDisplay.from_documents(X, Y[:4])
    with pytest.raises(ValueError, match="names has 2 entries, but X has 5 columns"):
        LogRatioDisplay.from_documents(X, Y, names="ab")
    with pytest.raises(ValueError, match="Negative values"):
        LogRatioDisplay.from_documents(-X, Y)
    with pytest.raises(ValueError, match="missing"):
        LogRatioDisplay.from_documents(X, np.array(["yes", "no", None, "no", "yes"], dtype=object))
    with pytest.raises(ValueError, match="No document of 'no' or 'yes' has a term"):
        LogRatioDisplay.from_documents(0 * X, Y)


# What all displays share


def hostile(ax):
    higher = np.linspace(-4, 4, len(HOSTILE))
    groups = [1, 1, 1, 2, 2, 0, 0, 0]
    return LogRatioDisplay(higher, higher / 3, HOSTILE, groups=groups, classes=HOSTILE[:2], top=8).plot(ax=ax)


def test_it_draws_in_the_axes_given_and_again_in_others():
    assert_drawn_again_in_others(hostile, new_axes)


def test_svg_has_all_names_as_they_are_and_no_colours_but_variables():
    assert_names_and_variables_alone(hostile, new_axes, HOSTILE, {"var(--c0)", "var(--c1)", "var(--faint)"})


@pytest.mark.thorough
def test_without_axes_a_figure_of_its_size_is_made_and_pyplot_is_left_alone_otherwise():
    code = """
    import sys
    import unnaive.papers.honb.log_ratio_display, unnaive.papers.honb.training_share_display
    assert "matplotlib" not in sys.modules
    sys.modules["matplotlib.pyplot"] = None  # importing it is an error
    from matplotlib.figure import Figure
    from unnaive.papers import LogRatioDisplay, TrainingShareDisplay
    ax = Figure(layout="constrained").subplots()
    LogRatioDisplay([1, -2], [1, -1], groups=[0, 1]).plot(ax=ax)
    TrainingShareDisplay([0.1], {"nb": [0.5]}, title="t").plot(ax=ax)
    print("drawn")
    """
    assert run(code) == "drawn"
    display = LogRatioDisplay([1, -2], [1, -1]).plot()
    np.testing.assert_allclose(display.figure_.get_size_inches(), display.size)
    matplotlib.pyplot.close(display.figure_)
