"""The experiment of the paper on decomposed tensor classifiers is rebuilt on data sets that stand for its own."""

import json
import math
import pickle
from collections import Counter
from dataclasses import replace

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import mutual_info_score
from sklearn.model_selection import StratifiedKFold

from tests.cli.conftest import run  # noqa: F401 - a fixture
from tests.examples import thorough
from unnaive import DecomposedTensorClassifier
from unnaive.decomposition.cp import greedy_terms
from unnaive.decomposition.joint_tensor import joint_tensor
from unnaive.evaluate.comparison import Comparison, FoldResult
from unnaive.io.datasets import Dataset
from unnaive.papers.dtc import experiment as dtc
from unnaive.papers.dtc import figures as dtc_figures
from unnaive.papers.dtc import folds as dtc_folds
from unnaive.papers.dtc.experiment import MARGIN, against_naive_bayes, disagreements, reproduce, tables, verdict_of
from unnaive.papers.dtc.figures import squared_errors
from unnaive.papers.dtc.folds import (
    BEST,
    HELD_OUT,
    MEASURES,
    NAIVE,
    VARIANTS,
    Fold,
    Task,
    at,
    best_components,
    complete_sets,
    key_of,
    measure,
    staged,
)
from unnaive.papers.reproduction import Request


def table_of(n_rows, seed=0, missing=0.1):
    """Four columns of categories, the last of which says nothing, and three classes."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, n_rows)
    columns = {}
    for number, noise in enumerate((0.2, 0.3, 0.5, 1.0)):
        values = np.where(rng.random(n_rows) < noise, rng.integers(0, 3, n_rows), labels)
        letters = np.array(["p", "q", "r"], dtype=object)[values]
        letters[rng.random(n_rows) < missing] = None
        columns[f"c{number}"] = letters
    return pd.DataFrame(columns), np.array(["one", "three", "two"])[labels]


def dataset_of(n_rows, seed=0):
    X, y = table_of(n_rows, seed, missing=0.0)
    return Dataset("few", X, y, "class")


@pytest.fixture
def small(monkeypatch, tmp_path):
    """A folder of small data sets, three folds, and few columns."""
    for seed, name in enumerate(("lymph", "zoo", "nursery")):
        X, y = table_of(45, seed)
        X.assign(**{"class": y}).to_csv(tmp_path / f"uci_{name}.csv.gz", index=False)
    for module in (dtc, dtc_folds):
        monkeypatch.setattr(module, "FOLDS", 3)
    for name in set(dtc.RIVALS) - {"mixture", "NB"}:
        monkeypatch.delitem(dtc.RIVALS, name)
    for module in (dtc_figures, dtc_folds):
        monkeypatch.setattr(module, "N_FEATURES", 3)
    return tmp_path


def leave_only(monkeypatch, *names):
    """Measure these variants alone; mixtures take their time."""
    for name in set(VARIANTS) - set(names):
        monkeypatch.delitem(VARIANTS, name)


def naive_answers(X_train, y_train, X_test, classes):
    """Naive Bayes with Laplace's estimates, row by row."""
    counts = Counter(y_train)
    found = []
    for _, row in X_test.iterrows():
        joint = []
        for label in classes:
            product = (counts[label] + 1) / (len(y_train) + len(classes))
            for column in X_train:
                of_class = X_train[column][y_train == label]
                product *= ((of_class == row[column]).sum() + 1) / (len(of_class) + X_train[column].nunique())
            joint.append(product)
        found.append([each / sum(joint) for each in joint])
    return found


def counted(probabilities, truth, naive, classes):
    """The measures of some answers, one row after the other."""
    right, log_score, different, right_then = 0, 0.0, 0, 0
    for row, label, other in zip(probabilities, truth, naive):
        said, said_naively = classes[int(np.argmax(row))], classes[int(np.argmax(other))]
        right += said == label
        log_score -= math.log(max(row[classes.index(label)], 1e-6))
        different += said != said_naively
        right_then += said != said_naively and said == label
    return [right, log_score, different, right_then]


# Folds


@pytest.mark.parametrize("name", ["cp", thorough("cp, literal"), "mixture"])
def test_a_fold_is_measured_as_by_hand(small, name):
    _, completed = complete_sets("lymph", small, 2, seed=5)
    dataset, imputation, number = completed[1], 1, 2
    results = {result.model: result for result in measure(Task(dataset, imputation, number, 5))}
    assert [*results] == [NAIVE, *VARIANTS]
    assert not any(result.error for result in results.values())

    labels = dataset.y
    train, test = [*StratifiedKFold(3, shuffle=True, random_state=6).split(labels, labels)][number]
    X, y = dataset.X.iloc[train], labels[train]
    telling = sorted(X, key=lambda column: -mutual_info_score(X[column], y))[:3]
    telling.sort()
    classes = ["one", "three", "two"]
    naive = naive_answers(X[telling], y, dataset.X.iloc[test][telling], classes)
    expected = counted(naive, labels[test], naive, classes)
    assert [results[NAIVE].scores[each] for each in MEASURES] == pytest.approx(expected)
    assert results[NAIVE].scores["accuracy"] == pytest.approx(expected[0] / len(test))

    seed = int(np.random.SeedSequence([5, 1, 2]).generate_state(1)[0])
    how = {"n_features": 3, "random_state": seed, **VARIANTS[name]}
    scores = results[name].scores
    for stage in (1, 4, 9, HELD_OUT):
        n_components = "cv" if stage == HELD_OUT else stage
        model = DecomposedTensorClassifier(n_components=n_components, **how).fit(X, y)
        answers = model.predict_proba(dataset.X.iloc[test])
        expected = counted(answers, labels[test], naive, classes)
        assert [scores[key_of(each, stage)] for each in MEASURES] == pytest.approx(expected)
        if stage == HELD_OUT:
            assert scores["n_components"] == model.n_components_
            assert scores["log_loss"] == pytest.approx(expected[1] / len(test))


def test_a_class_that_training_lacks_has_the_least_probability():
    dataset = dataset_of(60)
    dataset.y[7] = "zebra"
    for number in range(dtc_folds.FOLDS):
        fold = Fold.of(dataset, 0, number, 0)
        if "zebra" not in fold.y_train:
            break
    model = fold.decomposed(3, decomposition="cp")
    found = fold.over_all_classes(model, model.predict_proba(fold.X_test))
    assert found.shape == (len(fold.truth), 4)
    unknown = fold.truth == 3
    assert unknown.sum() == 1
    assert found[unknown, 3] == 0
    alone = Fold(fold.X_train, fold.y_train, fold.X_test[unknown], fold.truth[unknown], fold.classes, 0)
    assert alone.tally(found[unknown], found[unknown]) == {
        "right": 0,
        "log_score": pytest.approx(-math.log(1e-6)),
        "different": 0,
        "right_then": 0,
    }


def test_a_model_with_fewer_components_stays_as_it_is_beyond_them():
    X = pd.DataFrame({"a": ["p", "q"] * 20, "b": ["p", "q"] * 20})
    fold = Fold.of(Dataset("plain", X, np.array(["x", "y"] * 20), "class"), 0, 0, 0)
    model = fold.decomposed(dtc_folds.N_COMPONENTS, decomposition="cp", max_sweeps=500)
    stages = fold.staged(model)
    assert model.n_components_ < len(stages) == dtc_folds.N_COMPONENTS
    np.testing.assert_array_equal(stages[-1], stages[model.n_components_ - 1])
    assert len(squared_errors(model, fold.X_train, fold.y_train)) == dtc_folds.N_COMPONENTS


def test_a_variant_that_fails_is_named_and_leaves_the_others_alone(monkeypatch):
    monkeypatch.setitem(VARIANTS, "cp", {"decomposition": "nonsense"})
    results = {result.model: result for result in measure(Task(dataset_of(40), 0, 0, 0))}
    assert results["cp"].error.startswith("InvalidParameterError: ")
    assert not any(result.error for name, result in results.items() if name != "cp")


def test_completed_tables_differ_in_what_was_missing_alone(small):
    whole, completed = complete_sets("lymph", small, 2, seed=0)
    gaps = whole.X.isna().to_numpy()
    assert gaps.any()
    one, other = (each.X.to_numpy() for each in completed)
    assert (one[~gaps] == other[~gaps]).all()
    assert (one[gaps] != other[gaps]).any()


# Numbers of components


def result_of(data, model, fold, right, log_score, **more):
    """A result of 10 rows with as many right ones, and log scores, for each number of components."""
    scores = {}
    for number, (rows, score) in enumerate(zip(right, log_score), start=1):
        figures = rows, score, more.get("different", 4), more.get("right_then", 1)
        scores |= {key_of(each, number): figure for each, figure in zip(MEASURES, figures)}
    held_out = more.get("held_out", right[0]), log_score[0], 2, 1
    scores |= {key_of(each, HELD_OUT): figure for each, figure in zip(MEASURES, held_out)}
    return FoldResult(data, model, 0, fold, 90, 10, {"n_components": 3, **scores})


def comparison_of(naive, variants, n_folds=2):
    """By data set, rows of 10 that naive Bayes and each variant have right, with any number of components."""
    results = []
    for data, right in naive.items():
        for fold in range(n_folds):
            scores = {"right": right, "log_score": 5.0, "different": 0, "right_then": 0}
            scores |= {"accuracy": right / 10, "log_loss": 0.5}
            results.append(FoldResult(data, NAIVE, 0, fold, 90, 10, scores))
            for model, by_data in variants.items():
                rows = np.full(dtc_folds.N_COMPONENTS, by_data[data])
                results.append(result_of(data, model, fold, rows.tolist(), np.linspace(8, 4, len(rows)).tolist()))
    settings = {
        "models": dict.fromkeys([NAIVE, *variants], ""),
        "data": {name: {} for name in naive},
        "repeats": 1,
        "cv": n_folds,
        "test_size": None,
        "metrics": ["accuracy", "log_loss"],
        "baseline": NAIVE,
    }
    return Comparison.of(settings, results)


def test_the_best_number_is_that_of_the_highest_mean_accuracy_and_the_least_of_several():
    comparison = comparison_of({"zoo": 5}, {"cp": {"zoo": 5}})
    first, second = comparison.folds("zoo", "cp")
    for fold, rows in ((first, {4: 9, 6: 7, 7: 9}), (second, {4: 6, 6: 8, 7: 6})):
        fold.scores.update({key_of("right", number): right for number, right in rows.items()})
    assert staged(comparison, "zoo", "cp", "accuracy").mean(axis=0)[[3, 5, 6]].tolist() == [0.75, 0.75, 0.75]
    assert best_components(comparison, "zoo", "cp") == 4
    chosen = at(comparison, BEST)
    assert [fold.scores["accuracy"] for fold in chosen.folds("zoo", "cp")] == [0.9, 0.6]
    assert chosen.fold_scores("accuracy", "zoo", NAIVE).tolist() == [0.5, 0.5]
    assert [fold.scores["right"] for fold in at(comparison, 6).folds("zoo", "cp")] == [7, 8]
    assert chosen.folds("zoo", "cp")[0].scores["log_loss"] == pytest.approx(np.linspace(8, 4, 30)[3] / 10)


def test_claims_are_judged_by_wilcoxon_and_by_the_size_of_the_difference():
    assert verdict_of(1, 0.001, MARGIN) == "better"
    assert verdict_of(-1, -0.001, MARGIN) == "worse"
    assert verdict_of(0, MARGIN, MARGIN) == "comparable"
    assert verdict_of(0, -0.02, MARGIN) == "no difference shown"
    names = dtc.SETS[:8]
    naive = dict.fromkeys(names, 5)
    variants = {
        "cp": dict.fromkeys(names, 4),
        "tucker": {name: 5 + (-1) ** place for place, name in enumerate(names)},
        "mixture": {name: 7 + place % 2 for place, name in enumerate(names)},
        "uneven": {name: 5 - 4 * (place == 0) for place, name in enumerate(names)},
    }
    comparison = comparison_of(naive, variants)
    accuracy = against_naive_bayes({"K = 20": at(comparison, 20)}, "accuracy")
    assert accuracy.rows == [
        "cp, K = 20: worse",
        "tucker, K = 20: comparable",
        "mixture, K = 20: better",
        "uneven, K = 20: no difference shown",
    ]
    line = {column: accuracy.cells["cp, K = 20: worse", column].measured for column in accuracy.columns}
    assert line == {
        "difference": pytest.approx(-10),
        # Last but one or two, as tucker does no better on every other data set, and "uneven" worse on one.
        "average rank": (4 + 3 * 5 + 4 * 4.5) / 8,
        "wins": 0,
        "ties": 0,
        "losses": 8,
        "Wilcoxon p": pytest.approx(2 / 2**8),
        "Holm p": pytest.approx(4 * 2 / 2**8),
    }
    # Log scores fall from 8 to 4 a fold, and those of naive Bayes are 5.
    log_score = against_naive_bayes({"K = 1": at(comparison, 1), "K = 30": at(comparison, 30)}, "log_loss")
    assert log_score.rows[0] == "cp, K = 1: worse"
    assert "cp, K = 30: better" in log_score.rows
    assert log_score.cells["cp, K = 30: better", "difference"].measured == pytest.approx(-0.1)


def test_the_paper_s_figures_stand_beside_the_measured_ones():
    comparison = comparison_of({"zoo": 5, "vote": 6}, {name: {"zoo": 4, "vote": 7} for name in VARIANTS})
    rebuilt = tables(comparison)
    accuracy = next(table for table in rebuilt if "accuracy in %" in table.title)
    assert accuracy.format(accuracy.cells["COMIK (printed)", NAIVE]) == "– (77.25 ± 3.40)"
    assert accuracy.format(accuracy.cells["COMIK (printed)", "cp, best K"]) == "– (76.75 ± 3.24)"
    assert accuracy.format(accuracy.cells["COMIK (printed)", "cp, held-out K"]) == "–"
    assert accuracy.cells["mean", "cp, best K"].measured == pytest.approx(0.55)
    scores = next(table for table in rebuilt if "log scores S" in table.title)
    assert scores.cells["COMIK (printed)", "best K"].printed == 19
    # From 8 to 4 in 29 steps, below 5 after 21.75 of them.
    assert scores.cells["zoo", "S first lower at K"].measured == 23
    assert scores.cells["zoo", "S, K = 30"].measured == pytest.approx(4)
    differing = next(table for table in rebuilt if "with the best K differ" in table.title)
    assert [differing.cells["COMIK (printed)", column].printed for column in differing.columns] == [
        2955,
        254,
        107,
        93,
        8.6,
    ]
    assert round(100 * 254 / 2955, 1) == 8.6


def test_disagreements_count_who_is_right_where_the_two_differ():
    rng = np.random.default_rng(0)
    comparison = comparison_of({"zoo": 5}, {"cp": {"zoo": 5}}, n_folds=4)
    expected = np.zeros(4)
    for ours, theirs in zip(comparison.folds("zoo", "cp"), comparison.folds("zoo", NAIVE)):
        truth, said, said_naively = rng.integers(0, 3, (3, 10))
        differ = said != said_naively
        figures = [(said == truth).sum(), 1.0, differ.sum(), (differ & (said == truth)).sum()]
        ours.scores.update({key_of(each, 20): float(figure) for each, figure in zip(MEASURES, figures)})
        theirs.scores["right"] = float((said_naively == truth).sum())
        expected += [10, differ.sum(), (differ & (said_naively == truth)).sum(), figures[3]]
    table = disagreements(at(comparison, 20), "cp")
    assert table.rows == ["zoo", "all", "COMIK (printed)"]
    for row in ("zoo", "all"):
        assert [table.cells[row, column].measured for column in table.columns[:4]] == expected.tolist()


def test_a_variant_that_failed_on_a_fold_has_no_score():
    comparison = comparison_of({"zoo": 5, "vote": 6}, {name: {"zoo": 4, "vote": 7} for name in VARIANTS})
    results = [
        FoldResult(*result.key, 90, 10, error="ValueError: no") if result.key == ("zoo", "cp", 0, 1) else result
        for result in comparison.results
    ]
    rebuilt = tables(Comparison.of(comparison.settings, results))
    by_choice = [table for table in rebuilt if table.title.startswith("Accuracy in %")]
    assert len(by_choice) == 4
    for table in by_choice:
        assert table.format(table.cells["zoo", "cp"]) == "failed"
        assert table.format(table.cells["mean", "cp"]) == "failed"
        assert table.cells["vote", "cp"].measured == pytest.approx(0.7)
        assert table.cells["zoo", "mixture"].measured == pytest.approx(0.4)


# Errors of the approximation


def test_squared_errors_are_those_of_the_search():
    fold = Fold.of(dataset_of(80), 0, 0, 0, n_features=3)
    model = fold.decomposed(10, decomposition="cp", init="svd", max_sweeps=500)
    classes = np.searchsorted(model.classes_, fold.y_train)
    codes = model.encoder_.transform(fold.X_train)
    tensor = joint_tensor(codes, classes, np.ones(len(codes)), model.encoder_.n_values_, len(model.classes_))
    how = {"mask": True, "init": "svd", "n_init": 1, "tol": 1e-6, "max_iter": 500}
    expected = greedy_terms(tensor, 10, random=np.random.default_rng(0), **how).errors
    np.testing.assert_allclose(squared_errors(model, fold.X_train, fold.y_train)[:10], expected, atol=1e-12)


# The whole of it


def markdown(found):
    """Tables and, of the last, which has times, the scores."""
    *tables, worth = found.tables
    return [*(table.to_markdown() for table in tables), *(worth.cells[row, "mean %"] for row in worth.rows)]


@pytest.mark.thorough
def test_an_interrupted_run_gives_what_there_is_and_is_resumed_with_the_same_tables(small, tmp_path, monkeypatch):
    leave_only(monkeypatch, "cp")
    ways = {"sets": ["lymph", "zoo", "nursery"], "trials": 2, "folder": small}
    whole = reproduce(Request(**ways))
    assert whole.complete
    assert not whole.pictures
    assert whole.tables[2].rows == ["lymph", "zoo", "nursery", "mean", "COMIK (printed)"]
    _, labels = table_of(45, 0)
    assert whole.tables[2].cells["lymph", "largest class"].measured == max(Counter(labels).values()) / 45
    path = tmp_path / "dtc.jsonl"
    told = []

    def interrupt(result, done, total):
        told.append((result.data, result.model, done, total))
        if done == 10:
            raise KeyboardInterrupt

    part = reproduce(Request(**ways, results=path, on_result=interrupt))
    assert not part.complete
    assert told[-1] == ("lymph", "cp", 10, 2 * 2 * 3 * 2)
    assert part.tables[2].rows == ["lymph", "mean", "COMIK (printed)"]
    # As if killed amid a line.
    file = tmp_path / "dtc-folds.jsonl"
    file.write_text(file.read_text()[:-300])
    with pytest.raises(ValueError, match=r"unfinished run \(9 of 24 results\): continue it with --resume"):
        reproduce(Request(**ways, results=path))
    told.clear()
    again = reproduce(Request(**ways, results=path, resume=True, on_result=lambda *one: told.append(one[1:])))
    assert again.complete
    assert told[0] == (10, 24)
    assert told[14:16] == [(24, 24), (1, 6)]
    assert told[20:22] == [(6, 6), (1, 18)]
    assert len(told) == 24 - 9 + 6 + 18  # nursery is completed once, and there are two rivals on three data sets
    assert markdown(again) == markdown(whole)


@pytest.mark.thorough
def test_figures_are_drawn_with_the_long_experiments(small, monkeypatch):
    leave_only(monkeypatch, "cp", "mixture")
    found = reproduce(Request(sets=["lymph", "nursery"], trials=2, full=True, folder=small))
    assert found.complete
    # Both data sets twice.
    assert found.tables[4].cells["nursery", "rows"].measured == found.tables[4].cells["lymph", "rows"].measured == 90
    assert [*found.pictures] == [
        "Figure 2: accuracy",
        "Figure 2: squared error",
        *(f"Figure {number}" for number in range(3, 8)),
        "All data sets",
    ]
    for picture in found.pictures.values():
        picture.plot()
    error = found.pictures["Figure 2: squared error"]
    assert all((np.diff(curve) <= 1e-12).all() for curve in error.scores.values())
    best = int(found.tables[3].cells["lymph", "best K"].measured)
    accuracy = found.pictures["Figure 4"]
    assert accuracy.chosen == best
    assert accuracy.scores["cp"][best - 1] == found.tables[2].cells["lymph", "cp, best K"].measured
    assert accuracy.reference[1] == pytest.approx(found.tables[2].cells["lymph", NAIVE].measured)
    assert found.pictures["Figure 7"].contributions.shape == (3, best)
    assert found.pictures["Figure 3"].chosen.sum() == 3
    mean = np.mean([found.tables[6].cells[data, "mixture"].measured for data in ("lymph", "nursery")])
    assert found.pictures["All data sets"].scores["mixture"].max() <= mean + 1e-12


@pytest.mark.thorough
def test_workers_measure_the_same(small, monkeypatch):
    leave_only(monkeypatch, "cp", "tucker")
    request = Request(["lymph", "zoo"], 1, folder=small, n_jobs=2)
    with joblib.parallel_config(backend="threading"):  # other processes would not know of changed constants
        together = reproduce(request)
    assert markdown(together) == markdown(reproduce(replace(request, n_jobs=1)))
    task = Task(dataset_of(40), 0, 1, 0)
    there, here = (measure(each) for each in (pickle.loads(pickle.dumps(task)), task))
    assert [result.scores for result in there] == [result.scores for result in here]


def test_an_unknown_data_set_is_named():
    with pytest.raises(ValueError, match="no data set 'COMIK'; it has lymph, primary-tumor"):
        reproduce(Request(["COMIK"]))


@pytest.mark.usefixtures("data_folder")
def test_the_command_prints_the_tables(run, tmp_path, monkeypatch):  # noqa: F811
    monkeypatch.chdir(tmp_path)
    leave_only(monkeypatch, "cp")
    code, printed, _ = run("reproduce", "dtc", "--sets", "zoo", "--trials", "1", "--jobs", "1", "--json")
    assert code == 0
    table = next(table for table in json.loads(printed)["tables"] if "deviation over folds" in table["title"])
    (naive,) = [cell for cell in table["cells"] if (cell["row"], cell["column"]) == ("zoo", NAIVE)]
    assert naive["measured"] > 0.85
    assert (tmp_path / "dtc-folds.jsonl").exists()


@pytest.mark.usefixtures("data_folder")
@pytest.mark.parametrize("name", dtc.SETS)
def test_all_data_sets_can_be_completed(name):
    whole, (completed,) = complete_sets(name, None, 1, 0)
    assert completed.n_rows == whole.n_rows > 100
    assert not completed.X.isna().to_numpy().any()
