"""Data sets drawn at random: their shapes, their shares, and how hard they are."""

import gzip
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier

from tests.examples import examples
from unnaive import MDLDiscretizer
from unnaive.io.datasets import BUNDLED, SYNTHETIC, DataError, load, names
from unnaive.io.synthetic import one_big, ring_curve, ring_curve_wave_tri_gaussian, wave
from unnaive.models import MODELS

MAKERS = {"ring_curve": ring_curve, "wave": wave, "one_big": one_big}


def shares_of(labels):
    return dict(zip(*(found.tolist() for found in np.unique(labels, return_counts=True))))


def accuracy(model, data):
    """Of a model trained on 9 rows of 10 and tested on the others."""
    X, X_test, y, y_test = train_test_split(data.X, data.y, test_size=0.1, random_state=0, stratify=data.y)
    model = MODELS[model].make() if isinstance(model, str) else model
    return model.fit(X, y).score(X_test, y_test)


def assert_round(points, centre, radius):
    """Points lie on a circle, no further from it than six standard deviations of 0.03."""
    distances = np.linalg.norm(points - np.array(centre), axis=1)
    assert np.abs(distances - radius).max() < 0.18
    assert distances.std() == pytest.approx(0.03, rel=0.1)


def assert_wave(points, above):
    along, height = points.T
    assert along.min() >= 0
    assert along.max() < 1
    rest = height - np.sin(4 * np.pi * along) - above
    assert np.abs(rest).max() < 0.12
    assert rest.std() == pytest.approx(0.02, rel=0.1)


# Rows, columns and classes


def test_they_have_the_rows_columns_and_classes_of_the_paper():
    found = {name: make() for name, make in MAKERS.items()}
    assert {name: (data.n_rows, data.n_columns, data.n_classes) for name, data in found.items()} == {
        "ring_curve": (20_000, 2, 2),
        "wave": (20_000, 2, 2),
        "one_big": (68_000, 20, 10),
    }
    assert shares_of(found["ring_curve"].y) == {"ring": 10_000, "curve": 10_000}
    assert shares_of(found["wave"].y) == {"lower": 10_000, "upper": 10_000}
    assert shares_of(found["one_big"].y) == {"big": 50_000} | {f"small {place}": 2_000 for place in range(1, 10)}
    for name, data in found.items():
        assert (data.name, data.target, data.kind) == (name, "class", "table")
        assert list(data.X) == [f"x{place}" for place in range(1, data.n_columns + 1)]
        assert data.X.index.tolist() == list(range(data.n_rows))


@examples(30)
@given(st.integers(34, 3000), st.integers(0, 5))
def test_shares_are_exact_for_any_number_of_rows(n_rows, seed):
    half = n_rows // 2
    assert shares_of(ring_curve(n_rows, seed).y) == {"ring": n_rows - half, "curve": half}
    assert shares_of(wave(n_rows, seed).y) == {"lower": n_rows - half, "upper": half}
    small = shares_of(one_big(n_rows, seed).y)
    assert small.pop("big") == n_rows - 9 * (n_rows // 34)
    assert list(small.values()) == [n_rows // 34] * 9
    X, y = ring_curve_wave_tri_gaussian(n_rows, seed)
    assert X.shape == (n_rows, 48)
    assert np.bincount(y).tolist() == [len(range(label, n_rows, 7)) for label in range(7)]


def test_a_seed_gives_the_same_rows_and_another_seed_others():
    for make in MAKERS.values():
        one = make(340, random_state=3)
        assert one.fingerprint == make(340, random_state=3).fingerprint
        assert one.fingerprint == make(340, random_state=np.random.default_rng(3)).fingerprint
        assert one.fingerprint != make(340, random_state=4).fingerprint
        assert make(340).fingerprint == make(340, random_state=0).fingerprint
        assert make(340, random_state=None).fingerprint != make(340, random_state=None).fingerprint
    (X, y), (again, labels) = ring_curve_wave_tri_gaussian(70, 3), ring_curve_wave_tri_gaussian(70, 3)
    np.testing.assert_array_equal(X, again)
    np.testing.assert_array_equal(y, labels)
    assert not np.array_equal(X, ring_curve_wave_tri_gaussian(70, 4)[0])


def test_classes_come_in_random_order():
    for y in (ring_curve(1000).y, wave(1000).y, ring_curve_wave_tri_gaussian(7000)[1]):
        n_classes = len(np.unique(y))
        changes = np.mean(y[1:] != y[:-1])
        assert changes == pytest.approx(1 - 1 / n_classes, abs=0.06)


def test_too_few_rows_for_all_classes_are_refused():
    for make in (ring_curve, wave):
        with pytest.raises(ValueError, match=r"n_rows is 1, but there are 2 classes: ask for a row of each or more\."):
            make(1)
    with pytest.raises(ValueError, match="n_rows is 33, but a small cluster has one row in 34: ask for 34 rows"):
        one_big(33)
    with pytest.raises(ValueError, match="n_rows is 6, but there are 7 classes"):
        ring_curve_wave_tri_gaussian(6)


# Shapes


def test_the_ring_is_a_circle_and_the_curve_half_of_a_larger_one():
    data = ring_curve(5000)
    ring, curve = (data.X[data.y == label].to_numpy() for label in ("ring", "curve"))
    assert_round(ring, (0, 0), 1.0)
    assert_round(curve, (0, 0.3), 1.9)
    assert curve[:, 1].max() < 0.31
    assert {tuple(quadrant) for quadrant in (ring > 0).tolist()} == {
        (right, up) for right in (False, True) for up in (False, True)
    }


def test_the_waves_are_sines_of_the_same_numbers_and_0_75_apart():
    data = wave(5000)
    assert_wave(data.X[data.y == "lower"].to_numpy(), 0.0)
    assert_wave(data.X[data.y == "upper"].to_numpy(), 0.75)


def test_small_clusters_are_away_from_the_big_one_in_two_columns_each():
    data = one_big()
    big = data.X[data.y == "big"].to_numpy()
    np.testing.assert_allclose(big.mean(axis=0), 0, atol=0.03)
    np.testing.assert_allclose(big.std(axis=0), 1, atol=0.03)
    for place in range(9):
        small = data.X[data.y == f"small {place + 1}"].to_numpy()
        centre = np.zeros(20)
        centre[[2 * place, 2 * place + 1]] = 4
        np.testing.assert_allclose(small.mean(axis=0), centre, atol=0.06)
        np.testing.assert_allclose(small.std(axis=0), 0.5, atol=0.05)


def test_the_seven_classes_have_two_columns_each_and_zeros_elsewhere():
    X, y = ring_curve_wave_tri_gaussian(14_000)
    assert X.dtype == np.float64
    assert y.dtype == np.int64
    for label, first in enumerate((0, 0, 2, 2, 4, 4, 4)):
        rows = X[y == label]
        assert np.flatnonzero(rows.any(axis=0)).tolist() == [first, first + 1]
        assert (rows[:, [first, first + 1]] != 0).all()
    assert_round(X[y == 0, :2], (0, 0), 1.0)
    assert_round(X[y == 1, :2], (0, 0.3), 1.9)
    assert_wave(X[y == 2, 2:4], 0.0)
    assert_wave(X[y == 3, 2:4], 0.75)
    side = 3 * np.sqrt(3) / 2
    for label, centre in ((4, (0, 3)), (5, (-side, -1.5)), (6, (side, -1.5))):
        np.testing.assert_allclose(X[y == label, 4:6].mean(axis=0), centre, atol=0.06)
        np.testing.assert_allclose(X[y == label, 4:6].std(axis=0), 0.5, atol=0.04)


def test_the_seven_classes_take_little_more_memory_than_the_result():
    ring_curve_wave_tri_gaussian(70)
    tracemalloc.start()
    X, y = ring_curve_wave_tri_gaussian(200_000)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1.3 * (X.nbytes + y.nbytes)
    assert X.flags.f_contiguous  # columns that stay 0 are never written to


# How hard they are: the figures in the comments are the paper's


def test_ring_and_curve_are_easy_for_naive_bayes_and_easier_for_those_who_know_pairs():
    data = ring_curve()
    assert 0.99 < accuracy("nb", data) < 0.998  # 99.48
    assert accuracy("aode", data) > 0.999  # 99.99
    assert accuracy("tree", data) > 0.999  # 99.91
    assert accuracy(KNeighborsClassifier(1), data) == 1.0
    assert accuracy(LogisticRegression(), data) < 0.95


def test_waves_are_hard_for_all_that_cut_columns_one_by_one():
    data = wave()
    cuts = MDLDiscretizer().fit(data.X, data.y).cut_points_
    assert [len(cut) > 0 for cut in cuts] == [False, True]
    naive = accuracy("nb", data)
    assert 0.77 < naive < 0.80  # 78.51
    assert accuracy("aode", data) == naive  # 78.51
    assert accuracy("tree", data) > 0.995  # 99.79
    assert accuracy(KNeighborsClassifier(1), data) == 1.0


@pytest.mark.thorough
def test_one_big_cluster_is_all_but_solved_by_naive_bayes_and_a_little_less_by_a_tree():
    data = one_big(34_000)
    naive, tree = accuracy("nb", data), accuracy("tree", data)
    assert naive > 0.999  # 99.97
    assert accuracy("aode", data) > 0.998  # 99.69
    assert 0.996 < tree < naive  # 99.84


# By name


@pytest.mark.parametrize("name", SYNTHETIC)
def test_they_are_loaded_by_name_as_they_are_drawn(name):
    data = load(name)
    assert (data.name, data.target) == (name, "class")
    assert data.fingerprint == MAKERS[name]().fingerprint


def test_their_names_are_listed_after_the_bundled_ones_and_are_not_among_them(monkeypatch):
    monkeypatch.delenv("UNNAIVE_DATA", raising=False)
    assert names() == [*BUNDLED, *MAKERS]
    assert list(BUNDLED) == ["iris", "wine", "breast_cancer", "digits"]


def test_a_file_of_the_same_name_is_not_listed_twice_nor_loaded(tmp_path):
    (tmp_path / "wave.csv.gz").write_bytes(gzip.compress(b"a,class\n1,x\n2,y\n"))
    (tmp_path / "other.csv.gz").write_bytes(gzip.compress(b"a,class\n1,x\n2,y\n"))
    assert names(tmp_path) == [*BUNDLED, *SYNTHETIC, "other"]
    assert load("wave", folder=tmp_path).n_rows == 20_000
    assert load(tmp_path / "wave.csv.gz").n_rows == 2


def test_a_name_that_is_near_is_suggested():
    with pytest.raises(DataError, match=r"There is no data set 'ring-curve'\. Did you mean 'ring_curve'"):
        load("ring-curve")
