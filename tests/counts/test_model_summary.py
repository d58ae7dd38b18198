"""A summary says what a model has learned from, as text and as HTML."""

from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import mutual_info_classif

from tests.test_common import COUNTING_MODELS, MODELS
from unnaive import AODE, BayesNet, NaiveBayes, PooledBayes

HOSTILE = '</td><script>alert(1)</script>\u202e\x1b[2J\n"&'


@pytest.fixture
def weather():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "noise": rng.choice(["a", "b"], 60),
            "sky": rng.choice(["clear", "grey", None], 60),
            "warmth": rng.normal(size=60),
        }
    )
    return X, np.where((X["warmth"] > 0) | (X["sky"] == "clear"), "dry", "wet")


class Parts(HTMLParser):
    """The tags of a page, its cells, and whether all tags are closed in order."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.open, self.text = [], [], []
        self.feed(page)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


@pytest.mark.parametrize("name", [name for name in COUNTING_MODELS if name not in ("gnb", "kde-nb", "pooled")])
def test_classes_and_columns_are_those_of_the_training_rows(name, weather):
    X, y = weather
    summary = MODELS[name].make().fit(X, y).summary()
    assert summary.classes == [(label, (y == label).sum(), (y == label).mean()) for label in ("dry", "wet")]
    columns = {column.name: column for column in summary.columns}
    assert columns["sky"][1:5] == ("categories", 2, ["clear", "grey"], X["sky"].isna().sum())
    assert columns["warmth"][1:3] == ("bins", 2)
    assert columns["warmth"].values[0].startswith("up to ")
    assert summary.bins == "fixed"


@pytest.mark.parametrize("model", [AODE(), BayesNet(), NaiveBayes(bins="exact")])
def test_columns_are_ranked_by_their_information_about_the_class(model, weather):
    X, y = weather
    found = model.fit(X, y).summary().columns
    assert [column.name for column in found][-1] == "noise"
    assert [column.information for column in found] == sorted((column.information for column in found), reverse=True)
    (noise,) = (column.information for column in found if column.name == "noise")
    (expected,) = mutual_info_classif((X[["noise"]] == "a").astype(int), y, discrete_features=True)
    assert noise == pytest.approx(expected / np.log(2))


def test_columns_of_which_nothing_is_known_come_last(weather):
    X, y = weather
    gaussian = NaiveBayes(numeric="gaussian").fit(X, y).summary().columns
    assert gaussian[-1] == ("warmth", "numbers", 0, [], None, None)
    assert {column.information for column in PooledBayes(random_state=0).fit(X, y).summary().columns} == {None}


def test_the_size_is_that_of_what_is_kept(weather):
    X, y = weather
    model = AODE().fit(X, y)
    assert model.summary().n_bytes == sum(counts.nbytes for counts in model.statistic_.counted())
    assert "its counts take " in repr(model.summary())
    assert "the rows it keeps take " in repr(AODE(bins="exact").fit(X, y).summary())
    large = NaiveBayes(categorical_features="all").fit(np.arange(2000)[:, None], np.arange(2000) % 2).summary()
    assert "its counts take 31.3 KiB" in repr(large)


def test_the_text_is_a_page_of_aligned_tables(weather):
    X = pd.DataFrame({"sky": ["clear", "grey", "grey", None]})
    assert repr(NaiveBayes().fit(X, ["dry", "wet", "wet", "dry"]).summary()) == (
        "NaiveBayes of 4 rows, 2 classes and 1 columns; its counts take 64 bytes (bins='fixed').\n\n"
        "class  rows  share\n"
        "dry    2     50.0%\n"
        "wet    2     50.0%\n\n"
        "column  bits about the class  holds         values       missing\n"
        "sky     0.918                 2 categories  clear; grey  1"
    )


def test_the_html_is_plain_and_its_tables_have_captions_and_headers(weather):
    page = AODE().fit(*weather).summary()._repr_html_()
    parts = Parts(page)
    names = [name for name, _ in parts.tags]
    assert set(names) == {"div", "style", "p", "table", "caption", "thead", "tbody", "tr", "th", "td", "bdi"}
    assert names.count("table") == names.count("caption") == 2
    assert all(attributes.get("scope") in ("row", "col") for name, attributes in parts.tags if name == "th")
    assert "warmth" in parts.text
    assert "color:" not in page.replace("border-color", "")  # that of the page around it, light or dark


def test_hostile_names_are_shown_and_not_obeyed():
    X = pd.DataFrame({HOSTILE: [HOSTILE, "b", HOSTILE, "b"]})
    summary = NaiveBayes().fit(X, [HOSTILE, "x", HOSTILE, "x"]).summary()
    shown = HOSTILE.replace("\u202e", r"\u202e").replace("\x1b", r"\x1b").replace("\n", r"\n")
    parts = Parts(summary._repr_html_())
    assert "script" not in {name for name, _ in parts.tags}
    assert parts.text.count(shown) == 2  # as a class and as a column
    assert f"b; {shown}" in parts.text or f"{shown}; b" in parts.text
    text = repr(summary)
    assert shown in text
    assert not {"\x1b", "\u202e"} & set(text)


def test_long_lists_are_cut_and_counted():
    X = pd.DataFrame(np.random.default_rng(0).integers(0, 30, (300, 25)), columns=[f"c{k}" for k in range(25)])
    summary = NaiveBayes(categorical_features="all").fit(X, np.arange(300) % 40).summary()
    assert len(summary.columns) == 25
    text = repr(summary)
    assert "and 5 more" in text
    assert "and 20 more" in text
    assert "30 categories  0; 1; 2; 3; 4; …" in text
    assert "x" * 59 + "…" in repr(NaiveBayes().fit(pd.DataFrame({"x" * 99: ["a", "b"]}), [0, 1]).summary())


def test_scikit_learns_own_representation_stays(weather):
    model = AODE(m=2).fit(*weather)
    assert "unnaive-summary" not in model._repr_html_()
    assert repr(model) == "AODE(m=2)"


def test_a_model_that_is_not_fitted_says_so():
    with pytest.raises(NotFittedError):
        AODE().summary()
