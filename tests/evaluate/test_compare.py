"""compare measures every model on the same folds, honestly, and survives what happens to long runs."""

import json
import math
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.metrics import accuracy_score, average_precision_score, log_loss
from sklearn.model_selection import StratifiedKFold, cross_val_predict, train_test_split
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from tests.test_common import random_table
from unnaive.evaluate.compare import compare, ignore_sigint
from unnaive.evaluate.comparison import Comparison, FoldResult
from unnaive.evaluate.results_file import read_results
from unnaive.io.datasets import Dataset
from unnaive.models import MODELS, Model
from unnaive.show import terminal

BASELINES = [name for name, model in MODELS.items() if model.is_baseline and model.data == "table" and model.installed]


@pytest.fixture(scope="module")
def table():
    return random_table(0, 120)


def test_training_rows_are_tested_once_where_that_is_asked_for(table):
    y = table[1]
    tree = {"tree": DecisionTreeClassifier(random_state=0)}
    numbers = {"numbers": (np.arange(len(y))[:, None], y)}
    found = compare(tree, numbers, on_training_rows=True, metrics=["accuracy"])
    assert [(result.n_train, result.n_test, result.scores) for result in found.results] == [
        (len(y), len(y), {"accuracy": 1.0})
    ]
    assert found.complete
    with pytest.raises(ValueError, match="no hold-outs and no repeats"):
        compare(tree, numbers, on_training_rows=True, repeats=2)


def scores(comparison):
    """All that does not depend on the clock."""
    return [
        (result.key, result.n_train, result.n_test, result.scores, result.reliability, result.error)
        for result in comparison.results
    ]


class Spy(ClassifierMixin, BaseEstimator):
    """Writes down the rows it was given."""

    seen: list = []  # noqa: RUF012

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.seen.append((X.index.tolist(), None))
        return self

    def predict_proba(self, X):
        self.seen.append((None, X.index.tolist()))
        return np.full((len(X), len(self.classes_)), 1 / len(self.classes_))


class Moody(ClassifierMixin, BaseEstimator):
    """Fails when it is given too few rows of a colour."""

    def fit(self, X, y):
        if X.index[0] != 0:
            raise RuntimeError("row 0 is\nnot here")
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        return np.full((len(X), len(self.classes_)), 1 / len(self.classes_))


def test_scores_are_those_of_cross_validation_by_hand(table):
    X, y = table
    comparison = compare(["nb", "tan"], {"table": table}, cv=4, random_state=3)
    folds = StratifiedKFold(4, shuffle=True, random_state=3)
    classes, truth = np.unique(y, return_inverse=True)
    for name in ("nb", "tan"):
        by_hand = cross_val_predict(MODELS[name].make(), X, y, cv=folds, method="predict_proba")
        for fold, (_, test) in enumerate(folds.split(X, y)):
            result = comparison.folds("table", name)[fold]
            probabilities = by_hand[test]
            assert result.scores["accuracy"] == accuracy_score(y[test], classes[probabilities.argmax(axis=1)])
            assert math.isclose(result.scores["log_loss"], log_loss(y[test], probabilities))
            ap = [average_precision_score(truth[test] == c, probabilities[:, c]) for c in range(len(classes))]
            assert math.isclose(result.scores["auc_pr"], np.mean(ap))


def test_every_model_sees_the_same_folds_and_no_test_row_in_training(table):
    Spy.seen.clear()
    compare({"one": Spy(), "two": Spy()}, {"table": table}, cv=3, repeats=2)
    trained = [set(rows) for rows, _ in Spy.seen if rows is not None and len(rows) == 80]
    tested = [set(rows) for _, rows in Spy.seen if rows is not None and len(rows) == 40]
    assert len(Spy.seen) == 28  # and once 50 training rows of each, to load code before time is taken
    assert len(trained) == len(tested) == 12
    for first in range(0, 12, 2):
        assert trained[first] == trained[first + 1]
        assert tested[first] == tested[first + 1]
    for train, test in zip(trained, tested):
        assert train.isdisjoint(test)
        assert train | test == set(range(120))
    for repeat in (slice(0, 6, 2), slice(6, 12, 2)):
        assert set().union(*tested[repeat]) == set(range(120))
    assert tested[0] != tested[6]


def test_a_transductive_model_gets_the_test_rows_without_labels(table, monkeypatch):
    seen = []

    class Peeking(Spy):
        def fit(self, X, y):
            known = np.array([label is not None for label in y])
            if not known.all():
                seen.append((X.index[known].tolist(), X.index[~known].tolist(), list(X)))
            return super().fit(X[known], y[known].astype(type(y[0])))

    import unnaive.baselines.tables

    monkeypatch.setattr(unnaive.baselines.tables, "peeking", Peeking, raising=False)
    model = Model("peeking", "peeking", "baselines.tables", "", "", transductive=True)
    compare([model], {"table": table}, cv=3)
    assert len(seen) == 3
    for train, unlabelled, columns in seen:
        assert sorted(train + unlabelled) == list(range(120))
        assert columns == list(table[0])


def test_an_estimator_of_your_own_is_transductive_on_request(table):
    seen = []

    class Transductive(Spy):
        def fit(self, X, y):
            known = np.array([label is not None for label in y])
            seen.append((X.index.tolist(), np.flatnonzero(~known).tolist()))
            super().fit(X[known], y[known].astype(type(y[0])))
            self.label_distributions_ = np.full((len(y), len(self.classes_)), 1 / len(self.classes_))
            return self

    models = {"transductive": Transductive(), "dummy": DummyClassifier()}
    comparison = compare(models, {"table": table}, cv=3, metrics=["log_loss"], transductive=["transductive"])
    in_folds = [(rows, unlabelled) for rows, unlabelled in seen if unlabelled]
    assert len(in_folds) == 3
    assert all(rows == list(range(120)) for rows, _ in in_folds)
    assert sorted(row for _, unlabelled in in_folds for row in unlabelled) == list(range(120))
    n_classes = len(np.unique(table[1]))
    np.testing.assert_allclose(comparison.fold_scores("log_loss", "table", "transductive"), np.log(n_classes))


def test_where_a_model_caches_does_not_make_it_another(table, tmp_path):
    def run(memory, resume=False):
        model = Pipeline([("scale", StandardScaler()), ("classifier", DummyClassifier())], memory=memory)
        return compare({"cached": model}, {"table": table}, cv=2, results=tmp_path / "results.jsonl", resume=resume)

    first, second = run(str(tmp_path / "a")), run(str(tmp_path / "b"), resume=True)
    assert [result.to_json() for result in second.results] == [result.to_json() for result in first.results]


def test_a_model_that_fails_is_written_down_and_the_run_goes_on(table):
    comparison = compare({"moody": Moody(), "dummy": DummyClassifier()}, {"table": table}, cv=3)
    assert comparison.complete
    errors = comparison.errors
    assert {result.model for result in errors} == {"moody"}
    assert errors[0].error == "RuntimeError: row 0 is not here"
    assert np.isnan(comparison.scores("accuracy")[0, 0])
    assert comparison.ranks("accuracy").tolist() == [2, 1]
    best, worst = comparison.leaderboard()
    assert (best.model, worst.model, worst.n_data) == ("dummy", "moody", 0)
    assert comparison.verdict("accuracy", "table", "dummy", "moody") == 1
    assert comparison.verdict("accuracy", "table", "moody", "dummy") == -1


def test_processes_give_the_same_scores_as_one(table):
    apart = compare(["nb", "aode", "logistic"], {"a": table, "b": random_table(1, 60)}, cv=3, n_jobs=2)
    together = compare(["nb", "aode", "logistic"], {"a": table, "b": random_table(1, 60)}, cv=3)
    assert scores(apart) == scores(together)


def test_results_are_written_as_they_come_and_read_back(table, tmp_path):
    path = tmp_path / "deep" / "results.jsonl"
    lines = []
    comparison = compare(
        ["nb", "linear-svm"],
        {"table": table},
        cv=3,
        results=path,
        on_result=lambda result, done, total: lines.append((len(path.read_text().splitlines()), done, total)),
    )
    assert lines == [(1 + done, done, 6) for done in range(1, 7)]
    again = read_results(path)
    assert again.settings == comparison.settings
    assert json.dumps([r.to_json() for r in again.results]) == json.dumps([r.to_json() for r in comparison.results])
    assert math.isnan(again.results[1].scores["log_loss"])


def test_an_interrupted_run_is_resumed_where_it_stopped(table, tmp_path):
    whole = compare(["nb", "aode"], {"table": table}, cv=4)
    path = tmp_path / "results.jsonl"

    def stop(result, done, total):
        if done == 3:
            raise KeyboardInterrupt

    partial = compare(["nb", "aode"], {"table": table}, cv=4, results=path, on_result=stop)
    assert not partial.complete
    assert len(partial.results) == 3
    assert len(partial.folds("table", "nb")) == 1  # the folds that both have
    with open(path, "a") as file:
        file.write('{"data": "table", "mod')  # as a process killed in the middle of a line leaves it
    done = []
    resumed = compare(
        ["nb", "aode"], {"table": table}, cv=4, results=path, resume=True, on_result=lambda r, *_: done.append(r.key)
    )
    assert len(done) == 5
    assert scores(resumed) == scores(whole)
    assert scores(read_results(path)) == scores(whole)


def test_a_model_is_told_by_its_parameters_not_by_where_they_are_in_memory(table, tmp_path):
    def unchanged():
        return FunctionTransformer(lambda X: X)

    path = tmp_path / "results.jsonl"
    for once_more in (False, True):
        models = {"own": Pipeline([("same", unchanged()), ("classifier", MODELS["nb"].make())])}
        compare(models, {"table": table}, cv=3, results=path, resume=once_more)
    assert " at 0x" not in path.read_text()


def test_a_comparison_can_be_restricted_to_models_and_data_sets(table):
    other = random_table(1, 120)
    whole = compare(["nb", "aode", "tan"], {"one": table, "other": other}, cv=3)
    part = whole.restricted(["tan", "aode"], ["other"])
    assert (part.models, part.data, part.complete, part.baseline) == (["aode", "tan"], ["other"], True, "aode")
    assert part.scores("accuracy").tolist() == whole.scores("accuracy")[1:, 1:].tolist()
    assert whole.restricted(data=["one"]).baseline == "nb"
    assert whole.restricted() == whole


def test_resuming_may_add_models_and_repeats_but_not_change_anything_else(table, tmp_path):
    path = tmp_path / "results.jsonl"
    compare(["nb"], {"table": table}, cv=3, results=path)
    done = []
    more = compare(
        ["nb", "tan"], {"table": table}, cv=3, results=path, resume=True, on_result=lambda r, *_: done.append(r.model)
    )
    assert done == ["tan"] * 3
    assert more.complete
    twice = compare(["nb", "tan"], {"table": table}, cv=3, repeats=2, results=path, resume=True)
    assert scores(twice) == scores(compare(["nb", "tan"], {"table": table}, cv=3, repeats=2))
    for change, word in (
        ({"cv": 5, "repeats": 2}, "cv"),
        ({"random_state": 1, "repeats": 2}, "random_state"),
        ({"repeats": 1}, "repeats"),
        ({"metrics": ["brier"], "repeats": 2}, "metrics"),
    ):
        with pytest.raises(ValueError, match=word):
            compare(["nb"], {"table": table}, results=path, resume=True, **{"cv": 3, **change})
    with pytest.raises(ValueError, match="another 'table'"):
        compare(["nb"], {"table": random_table(1, 120)}, cv=3, repeats=2, results=path, resume=True)
    with pytest.raises(ValueError, match="another 'nb'"):
        compare({"nb": DummyClassifier()}, {"table": table}, cv=3, repeats=2, results=path, resume=True)


def test_an_unfinished_run_and_foreign_files_are_not_overwritten(table, tmp_path):
    path = tmp_path / "results.jsonl"

    def stop(*_):
        raise KeyboardInterrupt

    compare(["nb"], {"table": table}, cv=3, results=path, on_result=stop)
    before = path.read_text()
    with pytest.raises(ValueError, match="unfinished run"):
        compare(["nb"], {"table": table}, cv=3, results=path)
    assert path.read_text() == before
    foreign = tmp_path / "letters.txt"
    for text in ("my novel", "{}", '{"settings": 3}', '{"settings": {}}\n{"data": 1}\n'):
        foreign.write_text(text)
        for resume in (False, True):
            with pytest.raises(ValueError, match="does not hold results"):
                compare(["nb"], {"table": table}, cv=3, results=foreign, resume=resume)
        assert foreign.read_text() == text
    finished = tmp_path / "finished.jsonl"
    compare(["nb"], {"table": table}, cv=3, results=finished)
    compare(["nb"], {"table": table}, cv=4, results=finished)
    assert len(read_results(finished).results) == 4


@pytest.mark.thorough
def test_a_run_killed_at_any_moment_resumes_to_the_same_table(table, tmp_path):
    path = tmp_path / "results.jsonl"
    code = f"""
import time
from tests.test_common import random_table
from unnaive.evaluate.compare import compare
compare(["nb", "aode", "tan"], {{"table": random_table(0, 120)}}, cv=5, results={str(path)!r},
        on_result=lambda *_: time.sleep(0.4))
"""
    process = subprocess.Popen([sys.executable, "-c", code], cwd=Path(__file__).parents[2])
    deadline = time.monotonic() + 120
    while not (path.exists() and len(path.read_text().splitlines()) > 4) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    n_before = len(path.read_text().splitlines()) - 1
    assert 4 <= n_before < 15
    resumed = compare(["nb", "aode", "tan"], {"table": table}, cv=5, results=path, resume=True)
    whole = compare(["nb", "aode", "tan"], {"table": table}, cv=5)
    assert scores(resumed) == scores(whole)


def test_hold_out_tests_on_the_share_asked_for(table):
    comparison = compare(["nb"], {"table": table}, test_size=0.25, repeats=5)
    assert [(result.repeat, result.n_test) for result in comparison.results] == [(r, 30) for r in range(5)]


@pytest.mark.filterwarnings("ignore:.*too few for")
def test_classes_too_rare_for_the_folds_are_measured_all_the_same():
    X = pd.DataFrame({"a": list("xyxyxyxyxyz"), "b": range(11)})
    y = np.array(["p", "q"] * 5 + ["r"])
    for keywords in ({"cv": 3}, {"test_size": 0.3}, {"cv": 11}):
        comparison = compare(["nb", "tree", "linear-svm"], {"rare": (X, y)}, **keywords)
        assert not comparison.errors
        assert np.isfinite(comparison.scores("accuracy")).all()


def test_bias_and_variance_come_from_the_repeats(table):
    comparison = compare(["nb", "tree"], {"table": table}, cv=3, repeats=4, bias_variance=True)
    for model in ("nb", "tree"):
        parts = comparison.bias_variance("table", model)
        errors = 1 - comparison.fold_scores("accuracy", "table", model)
        assert math.isclose(parts["error"], errors.mean(), abs_tol=1e-12)  # folds of equal size
        assert math.isclose(parts["bias"] + parts["variance"], parts["error"], abs_tol=1e-12)
    nb, tree = (comparison.bias_variance("table", model) for model in ("nb", "tree"))
    assert tree["variance"] > nb["variance"]
    assert compare(["nb"], {"table": table}, cv=3).bias_variance("table", "nb") is None
    once = compare(["nb"], {"table": table}, cv=3, bias_variance=True)
    assert once.bias_variance("table", "nb") is None


def test_hold_outs_with_seeds_are_those_of_scikit_learn(table):
    X, y = table
    comparison = compare("nb", {"table": table}, test_size=0.25, seeds=[5, 3])
    for result, seed in zip(comparison.results, (5, 3), strict=True):
        X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.25, random_state=seed)
        assert result.scores["accuracy"] == MODELS["nb"].make().fit(X_train, y_train).score(X_test, y_test)


def test_interrupts_are_ignored_in_the_main_thread_alone():
    # Only the main thread may set signal handlers.
    def handler():
        with ignore_sigint():
            return signal.getsignal(signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    assert handler() is signal.SIG_IGN
    assert signal.getsignal(signal.SIGINT) is before
    with ThreadPoolExecutor(1) as other:
        assert other.submit(handler).result() is before


@pytest.mark.parametrize("name", BASELINES)
def test_baselines_take_mixed_tables_with_holes_and_values_never_seen(name, table):
    X, y = table
    model = MODELS[name].make().fit(X.head(60), y[:60])
    new = X.tail(60).copy()
    new["colour"] = new["colour"].where(new.index % 2 == 0, "purple")
    assert set(model.predict(new)) <= set(y)
    assert (model.predict(X.head(60)) == y[:60]).mean() > 0.6


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"models": []}, "no models"),
        ({"models": ["aoed"]}, "did you mean 'aode'"),
        ({"models": ["zzz"]}, "there are pooled, nb, gnb"),
        ({"data": {}}, "no data sets"),
        ({"metrics": ["acuracy"]}, "no metric called 'acuracy'"),
        ({"metrics": []}, "no metrics"),
        ({"baseline": "tan"}, "not among the models"),
        ({"cv": 1}, "at least two folds"),
        ({"cv": 1000}, "lower cv"),
        ({"repeats": 0}, "repeats is 0"),
        ({"test_size": 1.5}, "between 0 and 1"),
        ({"seeds": [1, 2]}, "seeds are of hold-outs, so they need a test_size"),
    ],
)
def test_what_cannot_be_measured_is_refused_before_anything_is(change, word, table):
    with pytest.raises(ValueError, match=word):
        compare(**{"models": ["nb"], "data": {"table": table}, **change})


def test_two_data_sets_of_one_name_are_refused(table):
    from unnaive.io.datasets import load

    with pytest.raises(ValueError, match="Two data sets are called 'iris'"):
        compare(["nb"], [load("iris"), load("iris")])


def test_estimators_of_the_user_take_part_under_their_own_names():
    X = pd.DataFrame({"a": range(40)})
    comparison = compare({"my tree": DecisionTreeClassifier()}, (X, np.arange(40) // 20), cv=4, metrics=["accuracy"])
    assert comparison.models == ["my tree"]
    assert comparison.baseline == "my tree"
    assert comparison.leaderboard()[0].score > 0.9


def made_up(accuracies, baseline="a"):
    """A comparison of models with given accuracies by data set."""
    n_folds = len(next(iter(next(iter(accuracies.values())).values())))
    settings = {
        "models": dict.fromkeys(next(iter(accuracies.values())), ""),
        "data": {name: {} for name in accuracies},
        "cv": n_folds,
        "repeats": 1,
        "test_size": None,
        "metrics": ["accuracy", "log_loss"],
        "baseline": baseline,
    }
    results = [
        FoldResult(data, model, 0, fold, 90, 10, {"accuracy": accuracy, "log_loss": 1 - accuracy}, 1.0, 2.0)
        for data, by_model in accuracies.items()
        for model, folds in by_model.items()
        for fold, accuracy in enumerate(folds)
    ]
    return Comparison.of(settings, results[::-1])


def test_the_leaderboard_ranks_by_average_rank_and_counts_wins():
    comparison = made_up(
        {
            "one": {"a": [0.5, 0.52, 0.51], "b": [0.9, 0.91, 0.92], "c": [0.5, 0.52, 0.51]},
            "two": {"a": [0.7, 0.72, 0.71], "b": [0.6, 0.61, 0.62], "c": [0.7, 0.72, 0.71]},
            "three": {"a": [0.3, 0.31, 0.31], "b": [0.8, 0.82, 0.81], "c": [0.31, 0.3, 0.31]},
        }
    )
    b, a, c = comparison.leaderboard()
    assert [b.model, a.model, c.model] == ["b", "a", "c"]
    assert (b.rank, a.rank, c.rank) == (pytest.approx(5 / 3), pytest.approx(13 / 6), pytest.approx(13 / 6))
    assert (b.wins, b.ties, b.losses) == (2, 0, 1)
    assert (c.wins, c.ties, c.losses) == (0, 3, 0)
    assert comparison.ranks("log_loss").tolist() == comparison.ranks("accuracy").tolist()
    assert comparison.verdict("log_loss", "one", "b", "a") == 1
    assert comparison.win_tie_loss("accuracy", "b", "a", test="two_se") == (2, 0, 1)


def test_contests_hold_every_test_against_the_baseline():
    rng = np.random.default_rng(0)
    accuracies = {
        f"data {number}": {
            "a": rng.normal(0.7, 0.02, 5),
            "b": rng.normal(0.75, 0.02, 5),
            "c": rng.normal(0.7, 0.02, 5),
        }
        for number in range(12)
    }
    accuracies["data 0"]["c"] = np.full(5, np.nan)
    comparison = made_up(accuracies)
    by_model = {contest.model: contest for contest in comparison.contests()}
    assert set(by_model) == {"b", "c"}
    table = comparison.scores("accuracy")
    for place, name in ((1, "b"), (2, "c")):
        contest = by_model[name]
        wins = int((table[:, place] > table[:, 0]).sum())
        assert contest.by_mean == (wins, 0, 12 - wins)  # a failure is a loss
        assert contest.by_t == comparison.win_tie_loss("accuracy", name, "a")
        assert contest.by_two_errors == comparison.win_tie_loss("accuracy", name, "a", test="two_se")
        assert contest.sign == pytest.approx(stats.binomtest(wins, 12).pvalue)
        both = ~np.isnan(table[:, place])
        expected = stats.wilcoxon(table[both, place], table[both, 0], method="exact").pvalue
        assert contest.wilcoxon == pytest.approx(expected)
    p_values = [by_model["b"].wilcoxon, by_model["c"].wilcoxon]
    assert by_model["b"].wilcoxon_holm == pytest.approx(min(1, 2 * min(p_values)))
    assert by_model["c"].wilcoxon_holm == pytest.approx(max(p_values))
    mirrored = {contest.model: contest for contest in comparison.contests("log_loss")}
    assert mirrored["b"].by_mean == by_model["b"].by_mean
    assert mirrored["b"].nemenyi == pytest.approx(by_model["b"].nemenyi)
    assert made_up({"one": {"a": [0.5, 0.6]}}).contests() == []


def test_a_data_set_without_a_fold_of_every_model_is_left_out():
    comparison = made_up({"one": {"a": [0.5], "b": [0.9]}, "two": {"a": [0.5], "b": [0.9]}})
    partial = Comparison.of(comparison.settings, comparison.results[:3])
    assert partial.data == ["one"]
    assert not partial.complete
    assert len(partial.leaderboard()) == 2
    assert Comparison.of(comparison.settings, []).leaderboard() == []


# Text


def weather(n):
    """Documents of words that tell the label, and some that do not."""
    rng = np.random.default_rng(0)
    labels = rng.choice(["dry", "wet"], n)
    words = {"dry": ["sun", "heat", "desert", "cloud"], "wet": ["rain", "storm", "flood", "cloud"]}
    texts = [" ".join(rng.choice(words[label], 4)) for label in labels]
    return Dataset("weather", pd.DataFrame({"text": texts}), labels, "label", "text")


def test_models_of_text_learn_their_terms_from_the_training_rows():
    data = weather(60)
    comparison = compare(["multinomial-nb", "bernoulli-nb"], data, cv=3, terms={"max_terms": 2})
    assert comparison.errors == []
    assert comparison.baseline == "bernoulli-nb"
    by_hand = cross_val_predict(
        MODELS["multinomial-nb"].make_for_documents(max_terms=2),
        data.X,
        data.y,
        cv=StratifiedKFold(3, shuffle=True, random_state=0),
    )
    accuracies = [fold.scores["accuracy"] for fold in comparison.folds("weather", "multinomial-nb")]
    assert math.isclose(np.mean(accuracies), (by_hand == data.y).mean())
    assert "max_terms=2" in comparison.settings["models"]["multinomial-nb"]


def test_processes_give_the_same_scores_on_text_as_one():
    apart, together = (compare(["multinomial-nb", "honb"], weather(40), cv=3, n_jobs=n_jobs) for n_jobs in (2, 1))
    assert scores(apart) == scores(together)


def test_an_estimator_of_ones_own_gets_the_documents_as_they_are():
    class Reader(Spy):
        def fit(self, X, y):
            assert list(X) == ["text"]
            assert all(isinstance(text, str) for text in X["text"])
            return super().fit(X, y)

    comparison = compare({"reader": Reader()}, weather(40), cv=2)
    assert comparison.errors == []


def test_a_fold_without_any_term_is_written_down_and_the_run_goes_on():
    few = Dataset("few", pd.DataFrame({"text": ["rain", None, None, None]}), np.array(list("abab")), "label", "text")
    comparison = compare(["multinomial-nb"], few, cv=2)
    assert comparison.complete
    (error,) = comparison.errors  # that of the fold that trains on the empty documents
    assert error.error.startswith("ValueError: No document has any term")


def test_tables_and_text_are_not_compared_in_one_run(table):
    with pytest.raises(ValueError, match="'weather' is text and 'table' is a table, and no model takes both"):
        compare(["nb"], {"weather": weather(20), "table": table}, cv=2)
    with pytest.raises(ValueError, match="'nb' takes tables, not text"):
        compare(["nb"], weather(20), cv=2)
    for honb in ("honb", MODELS["honb"]):
        with pytest.raises(ValueError, match="'honb' takes text"):
            compare([honb], {"table": table}, cv=2)
    with pytest.raises(ValueError, match="did you mean 'headers'"):
        compare(["honb"], weather(20), cv=2, terms={"mail": ["header"]})


def test_a_run_on_text_with_other_terms_is_another_run(tmp_path):
    path = tmp_path / "results.jsonl"
    compare(["multinomial-nb"], weather(20), cv=2, results=path)
    with pytest.raises(ValueError, match="results of another 'multinomial-nb'"):
        compare(["multinomial-nb"], weather(20), cv=2, results=path, resume=True, terms={"min_documents": 2})


@pytest.mark.filterwarnings("ignore:.*too few for")
@pytest.mark.parametrize(("n_rare", "first"), [(2, "accuracy"), (1, "balanced_accuracy")])
def test_a_rare_class_changes_what_ranks_and_is_named(n_rare, first):
    """One row to every 20 of the largest class is not yet rare."""
    n_rows = 40 + n_rare
    X, y = np.arange(2.0 * n_rows).reshape(n_rows, 2), np.array(["common"] * 40 + ["rare"] * n_rare)
    comparison = compare(["nb"], {"shop": (X, y)}, cv=2)
    assert comparison.metrics[0] == first
    why = comparison.settings.get("rare_class")
    assert why == (None if n_rare == 2 else "rare of shop has 1 row, and the largest class 40")
    assert ("Ranked by balanced accuracy, as class rare" in terminal.legend(comparison)) == (n_rare == 1)
    chosen = compare(["nb"], {"shop": (X, y)}, cv=2, metrics=["accuracy"])
    assert "rare_class" not in chosen.settings
