"""What the tables say, multiplied and averaged as their docstring says, is what the models predict."""

import math
from decimal import Decimal
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.preprocessing import KBinsDiscretizer

from tests.examples import examples
from unnaive import AODE, KDB, TAN, WAODE, AnDE, AODEsr, BayesNet, HiddenNaiveBayes, NaiveBayes
from unnaive.bayes import probability_tables as module

FLOOR = 1e-75  # of kernel densities


def given_of(row):
    """The parents of a row of a frame, with their values."""
    slots = [name for name in row if name.startswith("parent_") and name.count("_") == 1]
    return frozenset((row[slot], row[f"{slot}_value"]) for slot in slots if row[slot] is not None)


def log(number):
    return Decimal(float(number)).ln()


class Reader:
    """Answers from the frames alone, with loops."""

    def __init__(self, tables):
        self.tables, self.classes = tables, tables.prior["class"].tolist()
        self.numbers = {name for name in tables if "value" not in tables[name]}
        self.cells = {
            name: {(row["value"], given_of(row), row["class"]): row["probability"] for row in frame.to_dict("records")}
            for name, frame in tables.items()
            if name not in self.numbers
        }
        self.joint = {}
        if tables.joint is not None:
            for row in tables.joint.to_dict("records"):
                self.joint[given_of(row), row["class"]] = row["probability"], row["admissible"]

    def of(self, row):
        """The same reader for a row."""
        found = {name: self._value(name, row[name]) for name in self.tables if name not in self.numbers}
        self.values = {name: value for name, value in found.items() if value is not None}
        self.raw = {name: row[name] for name in self.numbers if not pd.isna(row[name])}
        return self

    def _value(self, name, given_value):
        if pd.isna(given_value):
            return None
        domain = self.tables.domains
        domain = domain[(domain["column"] == name) & (domain["kind"] != "missing")]
        for value, low, high in zip(domain["value"], domain["low"], domain["high"]):
            if (low < given_value <= high) if not math.isnan(low) else value == given_value:
                return value
        return None  # unseen

    def p(self, column, label, *parents):
        """P(value of the column | class, values of the parents)."""
        given = frozenset((parent, self.values[parent]) for parent in parents)
        cells = self.cells[column]
        key = (self.values[column], given)
        return cells[(*key, label)] if (*key, label) in cells else cells[(*key, None)]

    def prior(self, label):
        prior = self.tables.prior
        return prior.loc[prior["class"] == label, "probability"].item()

    def product(self, label, columns):
        return self.prior(label) * math.prod(self.p(column, label) for column in columns)

    def naive(self, label):
        return sum((self.log_density(name, label) for name in self.raw), log(self.product(label, self.values)))

    def log_density(self, name, label):
        frame, x = self.tables[name], self.raw[name]
        rows = frame[frame["class"] == label].to_dict("records")
        if "mean" in frame:
            (row,) = rows
            off = (x - row["mean"]) ** 2 / row["variance"]
            return Decimal(-off / 2) - log(math.sqrt(2 * math.pi * row["variance"]))
        total = 0.0
        for row in rows:
            low, high = ((abs(row["center"] - x) + half * row["precision"] / 2) / row["width"] for half in (-1, 1))
            total += row["share"] * (math.erfc(low / math.sqrt(2)) - math.erfc(high / math.sqrt(2))) / 2
        return log(max(total, FLOOR))

    def network(self, label):
        score = self.prior(label)
        for column in self.values:
            frame = self.tables[column]
            slots = [name for name in frame if name.startswith("parent_") and name.count("_") == 1]
            parents = {parent for slot in slots for parent in frame[slot] if parent is not None}
            score *= self.p(column, label, *(parent for parent in parents if parent in self.values))
        return log(score)

    def hidden(self, label):
        weights = {(row["column"], row["parent_1"]): row["weight"] for row in self.tables.weights.to_dict("records")}
        score = self.prior(label)
        for column in self.values:
            others = [other for other in self.values if other != column]
            total = sum(weights[column, other] for other in others)
            if total > 0:
                score *= sum(weights[column, other] * self.p(column, label, other) for other in others) / total
            else:
                score *= self.p(column, label)
        return log(score)

    def averaged(self, label):
        return log(self.average(label))

    def average(self, label):
        kept = [column for column in self.values if column not in self.implied()]
        if self.tables.joint is None:
            return self.product(label, kept)
        slots = [name for name in self.tables.joint if name.startswith("parent_") and name.count("_") == 1]
        weights = {
            frozenset(row[slot] for slot in slots): row["weight"] for row in self.tables.weights.to_dict("records")
        }
        for n in range(len(slots), 0, -1):
            sets = [
                (parents, self.joint[key][0])
                for parents in combinations(kept, n)
                for key in [(frozenset((parent, self.values[parent]) for parent in parents), label)]
                if self.joint[key][1]
            ]
            if sets:
                of = {parents: weights[frozenset(parents)] if n == len(slots) else 1.0 for parents, _ in sets}
                equal = not any(of.values())
                return sum(
                    (1.0 if equal else of[parents])
                    * first
                    * math.prod(self.p(column, label, *parents) for column in kept if column not in parents)
                    for parents, first in sets
                )
        return self.product(label, self.values)

    def implied(self):
        if self.tables.implications is None:
            return set()
        pairs = {
            ((row["column"], row["value"]), (row["implying"], row["implying_value"]))
            for row in self.tables.implications.to_dict("records")
        }
        because, names = {}, list(self.values)
        for i, one in enumerate(names):
            for j, other in enumerate(names):
                cells = (one, self.values[one]), (other, self.values[other])
                if i == j or because.get(other) == one or cells not in pairs or (cells[::-1] in pairs and i < j):
                    continue
                because[one] = other
                break
        return set(because)


MODELS = {
    "nb": (NaiveBayes(), Reader.naive),
    "nb, m-estimate": (NaiveBayes(smoothing="m_estimate", m=0.3), Reader.naive),
    "gaussian": (NaiveBayes(numeric="gaussian", var_smoothing=0.1), Reader.naive),
    "kernel": (NaiveBayes(numeric="kernel"), Reader.naive),
    "tan": (TAN(), Reader.network),
    "tan of rows": (TAN(bins="exact"), Reader.network),
    "kdb": (KDB(), Reader.network),
    "kdb of three": (KDB(k=3, smoothing="laplace"), Reader.network),
    "k2": (BayesNet(max_parents=3), Reader.network),
    "k2 without class": (BayesNet(initial="empty", criterion="mdl"), Reader.network),
    "hnb": (HiddenNaiveBayes(), Reader.hidden),
    "aode": (AODE(), Reader.averaged),
    "aode of frequent parents": (AODE(frequency_limit=9, smoothing="laplace"), Reader.averaged),
    "waode": (WAODE(), Reader.averaged),
    "aodesr": (AODEsr(critical_value=2), Reader.averaged),
    "a0de": (AnDE(n=0, subsumption=2), Reader.averaged),
    "a2de": (AnDE(n=2, frequency_limit=5), Reader.averaged),
    "a2de, weighted": (AnDE(n=2, weighted=True, subsumption=3), Reader.averaged),
    "a3de": (AnDE(n=3), Reader.averaged),
}


@st.composite
def problems(draw):
    """Mixed columns that lean on the class; missing, unseen and undeclared values, and weights."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.sampled_from([60, 15, 4]))
    labels = np.array(["dry", "wet", "snow"])[: draw(st.integers(2, 3))]

    def rows(n, y):
        leaning = rng.random((4, n)) < draw(st.sampled_from([0.2, 0.9]))
        frame = pd.DataFrame(
            {
                "sky": np.where(leaning[0], np.array(["clear", "grey", "dark"])[y], rng.choice(["clear", "grey"], n)),
                "warmth": np.where(leaning[1], 9.0 - 6.0 * y, 3.0) + rng.normal(size=n).round(1),
                "windy": np.where(leaning[2], y > 0, rng.random(n) < 0.5),
                "month": pd.Categorical(np.where(leaning[3], 1 + y, rng.integers(1, 4, n)), categories=range(1, 6)),
                "wind": (rng.random(n) * 3).round(1),
            }
        )
        frame["wind"] = np.where(frame["windy"], frame["wind"] + 2, frame["wind"])
        return frame

    y = rng.integers(len(labels), size=n)
    train, test = rows(n, y), rows(6, rng.integers(len(labels), size=6))
    columns = draw(st.permutations(list(train)))[: draw(st.sampled_from([5, 4, 3, 2, 1]))]
    train, test = train[columns], test[columns]
    if "sky" in columns:
        test.loc[0, "sky"] = "purple"
    share = draw(st.sampled_from([0.3, 0.0]))
    train, test = (frame.mask(rng.random(frame.shape) < share) for frame in (train, test))
    weights = rng.integers(1, 5, size=n) / 4 if draw(st.booleans()) else None
    return train, labels[y], weights, test


def answers(tables, test, score):
    found, reader = [], Reader(tables)
    for row in test.to_dict("records"):
        logs = [score(reader.of(row), label) for label in reader.classes]  # of densities below any number too
        scores = np.array([(each - max(logs)).exp() for each in logs])
        found.append((scores / scores.sum()).astype(np.float64))
    return np.array(found)


# The variance is 1e-300: densities are far below any number, and the prior is lost beside their logarithms.
LONE = (
    pd.DataFrame({"warmth": [np.nan, np.nan, 3.3, np.nan]}),
    np.array(["wet", "dry", "dry", "dry"]),
    None,
    pd.DataFrame({"warmth": [np.nan, 3.6, 1.9, 1.5, np.nan, 4.2]}),
)


@pytest.mark.parametrize("name", MODELS)
@examples(40)
@example(problem=LONE)
@given(problem=problems())
def test_the_tables_give_the_predictions(name, problem):
    model, score = MODELS[name]
    train, y, weights, test = problem
    model.fit(train, y, sample_weight=weights)
    np.testing.assert_allclose(
        answers(model.probability_tables(), test, score), model.predict_proba(test), rtol=0, atol=1e-12
    )


@pytest.fixture
def weather():
    rng = np.random.default_rng(0)
    sky = rng.choice(["clear", "grey", None], 80, p=[0.5, 0.3, 0.2])
    warmth = np.where(sky == "grey", 10.0, 20.0) + rng.normal(size=80).round(2)
    X = pd.DataFrame({"sky": sky, "warmth": warmth, "windy": rng.random(80) < 0.4})
    return X, np.where((X["warmth"] > 15) ^ X["windy"], "dry", "wet")


@pytest.mark.parametrize("model", [TAN(), KDB(), BayesNet(max_parents=3), HiddenNaiveBayes(), AODE(), AnDE(n=2)])
def test_counts_are_those_of_the_training_rows(model, weather):
    X, y = weather
    tables = model.fit(X, y).probability_tables()
    domains = tables.domains.set_index(["column", "value"])
    assert tables.prior.set_index("class")["count"].to_dict() == pd.Series(y).value_counts().to_dict()

    def holds(column, value):
        bin_ = domains.loc[(column, value)]
        return X[column].eq(value) if bin_["kind"] == "category" else X[column].between(bin_["low"], bin_["high"])

    for name, frame in tables.items():
        for row in frame.to_dict("records"):
            rows = X[name].notna() & (y == row["class"])
            for slot in (1, 2):
                if row.get(f"parent_{slot}") is not None:
                    rows &= holds(row[f"parent_{slot}"], row[f"parent_{slot}_value"])
            assert row["total"] == rows.sum()
            assert row["count"] == (rows & holds(name, row["value"])).sum()
        given = [column for column in frame if column.startswith("parent_")] + ["class"]
        np.testing.assert_allclose(frame.groupby(given, dropna=False)["probability"].sum(), 1.0)


def test_domains_have_bins_as_text_with_their_ends_and_count_missing_values(weather):
    X, _ = weather
    domains = NaiveBayes().fit(X, X["warmth"] > 15).probability_tables().domains
    bins = domains[domains["column"] == "warmth"]
    (cut,) = bins["high"][:-1]
    assert bins["value"].tolist() == [f"up to {cut:g}", f"above {cut:g}"]
    assert bins["low"].tolist() == [-math.inf, cut]
    assert bins["count"].tolist() == [(X["warmth"] <= cut).sum(), (X["warmth"] > cut).sum()]
    (missing,) = domains[domains["kind"] == "missing"].to_dict("records")
    assert (missing["column"], missing["value"], missing["count"]) == ("sky", None, X["sky"].isna().sum())


def test_a_column_that_does_not_depend_on_the_class_is_not_given_for_classes():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"noise": rng.choice(list("ab"), 50), "sky": rng.choice(list("cd"), 50)})
    tables = BayesNet(initial="empty").fit(X, X["sky"].map({"c": "dry", "d": "wet"})).probability_tables()
    assert tables["noise"]["class"].tolist() == [None, None]
    assert tables["noise"]["count"].tolist() == X["noise"].value_counts().sort_index().tolist()
    assert tables["sky"]["class"].tolist() == ["dry", "wet"] * 2


def test_chosen_columns_have_the_tables_that_they_are_part_of(weather):
    X, y = weather
    model = AnDE(n=2).fit(X, y)
    everything, chosen = model.probability_tables(), model.probability_tables(columns=["windy"])
    assert list(chosen) == ["windy"]
    pd.testing.assert_frame_equal(chosen["windy"], everything["windy"])
    pd.testing.assert_frame_equal(chosen.prior, everything.prior)
    with_windy = everything.joint[(everything.joint[["parent_1", "parent_2"]] == "windy").any(axis=1)]
    pd.testing.assert_frame_equal(chosen.joint, with_windy.reset_index(drop=True))
    assert set(chosen.domains["column"]) == {"windy"}
    assert len(chosen.weights) == 2


def test_the_number_of_rows_is_known_before_they_are_made(weather, monkeypatch):
    X, y = weather
    numbers = [NaiveBayes(numeric=how) for how in ("discretize", "gaussian", "kernel")]
    for model in (*numbers, TAN(), KDB(), BayesNet(), HiddenNaiveBayes(), AODE(), AnDE(n=2), AnDE(n=3)):
        for columns in (None, ["sky"]):
            monkeypatch.undo()
            tables = model.fit(X, y).probability_tables(columns)
            n_rows = sum(map(len, tables.values())) + (0 if tables.joint is None else len(tables.joint))
            monkeypatch.setattr(module, "MAX_ROWS", n_rows - 1)
            with pytest.raises(
                ValueError, match=rf"of {len(tables)} columns would have {n_rows:,} rows.*columns=\['sky'\]"
            ):
                model.probability_tables(columns)
            monkeypatch.setattr(module, "MAX_ROWS", n_rows)
            model.probability_tables(columns)


def test_tables_of_more_than_a_million_rows_are_refused():
    codes = np.arange(600)
    X = pd.DataFrame({"id": codes, "other": codes})
    model = AODE(categorical_features="all").fit(X, codes % 2)
    with pytest.raises(ValueError, match=r"1,444,800 rows, more than 1,000,000\. .*columns="):
        model.probability_tables()


def test_ends_of_bins_belong_to_them_as_the_discretizer_has_it(weather):
    X, y = weather
    bins = KBinsDiscretizer(3, encode="ordinal", strategy="uniform").fit(X[["warmth"]])
    model = NaiveBayes(discretizer=FrozenEstimator(bins)).fit(X[["warmth"]], y)
    first, second = bins.bin_edges_[0][1:-1].tolist()
    assert model.probability_tables()["warmth"]["value"].unique().tolist() == [
        f"below {first:g}",
        f"from {first:g} below {second:g}",
        f"from {second:g}",
    ]


def test_columns_without_names_have_their_positions():
    model = AODE(categorical_features="all").fit([[1, 5], [2, 6], [1, 6]], [0, 1, 1])
    tables = model.probability_tables()
    assert list(tables) == [0, 1]
    assert tables[1]["parent_1"].dropna().unique().tolist() == [0]
    assert tables[1]["value"].unique().tolist() == [5, 6]
    assert list(model.probability_tables(columns=[1])) == [1]


def test_a_column_in_which_nothing_was_observed_has_an_empty_table():
    X = pd.DataFrame({"sky": ["a", "b", "a"], "empty": [None, None, None]}).astype(object)
    for model in (NaiveBayes(), TAN(), HiddenNaiveBayes(), AODE(), AnDE(n=2)):
        tables = model.fit(X, [0, 1, 1]).probability_tables()
        assert len(tables["empty"]) == 0
        assert list(tables["empty"]) == list(tables["sky"])
        assert set(tables["sky"].get("parent_1", [None])) <= {None}


def test_values_that_others_imply_are_listed():
    X = pd.DataFrame({"sex": ["female"] * 6 + ["male"] * 4, "state": ["pregnant"] * 4 + ["other"] * 6})
    implications = AODEsr(critical_value=3).fit(X, list("ababababab")).probability_tables().implications
    assert implications.to_dict("records") == [
        {"column": "sex", "value": "female", "implying": "state", "implying_value": "pregnant"},
        {"column": "state", "value": "other", "implying": "sex", "implying_value": "male"},
    ]


def test_a_class_that_no_row_has_keeps_its_prior_of_zero():
    X = pd.DataFrame({"warmth": [1.0, 2.0, 3.5, None]})
    model = NaiveBayes(numeric="gaussian").partial_fit(X, ["a", "a", "b", "b"], classes=["a", "b", "c"])
    tables = model.probability_tables()
    assert tables.prior["probability"].tolist() == [0.5, 0.5, 0.0]
    assert tables["warmth"]["count"].tolist() == [2.0, 1.0, 0.0]


def test_all_tables_fit_in_one_frame(weather):
    X, y = weather
    tables = AODEsr(critical_value=1).fit(X, y).probability_tables()
    stacked = tables.to_frame()
    frames = {**tables.parts, "column": pd.concat(tables.values())}
    assert set(frames) == {"prior", "domains", "joint", "weights", "implications", "column"}
    for name, frame in frames.items():
        found = stacked.loc[stacked["table"] == name, list(frame)]
        pd.testing.assert_frame_equal(found.reset_index(drop=True), frame.reset_index(drop=True).astype(object))


def test_frames_name_what_they_hold_in_one_order(weather):
    X, y = weather
    tables = AnDE(n=2).fit(X, y).probability_tables()
    slots = ["parent_1", "parent_1_value", "parent_2", "parent_2_value"]
    assert list(tables["sky"]) == ["column", "value", *slots, "class", "count", "total", "probability"]
    assert list(tables.joint) == [*slots, "class", "count", "total", "probability", "admissible"]
    assert list(tables.weights) == ["parent_1", "parent_2", "weight"]
    assert repr(tables) == "<ProbabilityTables of 3 columns: 'sky', 'warmth', 'windy'>"


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (["skye"], "no column 'skye': did you mean 'sky'"),
        (["rain"], "no column 'rain': there are 'sky', 'warmth', 'windy'"),
        ("sky", r"columns='sky' is not a list of columns: give one, as in columns=\['sky'\]"),
        ([], r"columns=\[\] is not a list of columns"),
    ],
)
def test_columns_that_do_not_exist_are_named(columns, message, weather):
    model = NaiveBayes().fit(*weather)
    with pytest.raises(ValueError, match=message):
        model.probability_tables(columns=columns)


def test_a_model_that_is_not_fitted_says_so():
    with pytest.raises(NotFittedError):
        AODE().probability_tables()
