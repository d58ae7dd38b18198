import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import cdist

from tests.examples import examples
from tests.naive_reference import spanning as reference
from unnaive.instance_graph import minimum_spanning_tree as spanning
from unnaive.instance_graph.minimum_spanning_tree import boruvka, prim, spanning_tree

ROUTES = (prim, boruvka, spanning_tree)


@st.composite
def tables(draw):
    """Up to 45 rows, so that k-d trees have some levels: of a few integers, with ties galore, or of random floats."""
    n_rows, n_columns = draw(st.integers(1, 45)), draw(st.integers(1, 4))
    if draw(st.booleans()):
        elements = st.integers(0, draw(st.integers(0, 5))).map(float)
        return draw(arrays(np.float64, (n_rows, n_columns), elements=elements, fill=st.nothing()))
    return np.random.default_rng(draw(st.integers(0, 10_000))).normal(size=(n_rows, n_columns))


@st.composite
def grouped_tables(draw):
    rows = draw(tables())
    groups = draw(arrays(np.int64, len(rows), elements=st.integers(draw(st.integers(-1, 0)), 2), fill=st.nothing()))
    return rows, groups, draw(st.sampled_from([1.0, 1.1, 2.0, 3.0, 1e6, np.inf]))


def assert_is_the_tree(tree, expected):
    edges, lengths = expected
    assert list(map(tuple, tree.edges.tolist())) == edges
    assert tree.lengths.tolist() == lengths
    assert tree.edges.shape == (len(edges), 2)
    assert (tree.edges.dtype, tree.lengths.dtype) == (np.int64, np.float64)


def assert_same(tree, other):
    np.testing.assert_array_equal(tree.edges, other.edges)
    np.testing.assert_array_equal(tree.lengths, other.lengths)


@pytest.mark.parametrize("route", ROUTES)
@given(rows=tables())
@examples(150)
def test_the_tree_is_the_one_of_kruskal(route, rows):
    assert_is_the_tree(route(rows), reference.spanning_tree(rows))


@pytest.mark.parametrize("route", ROUTES)
@given(drawn=grouped_tables())
@examples(150)
def test_the_tree_of_groups_set_apart_is_the_one_of_kruskal(route, drawn):
    assert_is_the_tree(route(*drawn), reference.spanning_tree(*drawn))


@pytest.mark.parametrize("apart", [1.0, 1.5, np.inf])
@pytest.mark.parametrize("lowest_group", [-1, 0])
@pytest.mark.parametrize(("n_rows", "n_columns", "n_values"), [(1500, 2, 30), (1500, 3, 6), (1200, 8, 3), (900, 30, 2)])
def test_both_routes_agree_on_many_ties(n_rows, n_columns, n_values, lowest_group, apart):
    rng = np.random.default_rng(n_rows + n_columns)
    rows = rng.integers(0, n_values, (n_rows, n_columns)).astype(np.float64)
    groups = rng.integers(lowest_group, 4, n_rows)
    assert_same(prim(rows, groups, apart), boruvka(rows, groups, apart))


@pytest.mark.parametrize("apart", [1.2, 2.0, np.inf])
@pytest.mark.parametrize("share_unknown", [0.0, 0.02])
def test_both_routes_agree_on_groups_that_keep_to_themselves(share_unknown, apart):
    rng = np.random.default_rng(2)
    rows = rng.uniform(size=(1500, 2))
    groups = np.where(rng.random(1500) < share_unknown, -1, (4 * rows[:, 0]).astype(np.int64))
    assert_same(prim(rows, groups, apart), boruvka(rows, groups, apart))


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize(("n_rows", "n_columns"), [(2, 1), (3, 5), (400, 1), (700, 3), (300, 12)])
def test_the_lengths_are_those_of_scipy(route, n_rows, n_columns):
    rows = np.random.default_rng(n_rows).standard_t(2, size=(n_rows, n_columns))
    tree = route(rows)
    expected = minimum_spanning_tree(cdist(rows, rows)).tocoo()
    np.testing.assert_allclose(tree.lengths, np.sort(expected.data), rtol=1e-9)
    pairs = np.sort(np.column_stack([expected.row, expected.col]), axis=1)
    assert set(map(tuple, tree.edges.tolist())) == set(map(tuple, pairs.tolist()))


@pytest.mark.parametrize("route", ROUTES)
def test_one_row_has_no_edges(route):
    for apart in (1.0, np.inf):
        assert_is_the_tree(route([[3.0, 1.0]], [0], apart), ([], []))


@pytest.mark.parametrize("route", ROUTES)
def test_equal_rows_all_hang_on_the_first(route):
    tree = route(np.tile([[2.0, 0.0], [1.0, 0.0], [2.0, -0.0]], (4, 1)))
    assert tree.edges[tree.lengths == 0].tolist() == [
        *([0, j] for j in (2, 3, 5, 6, 8, 9, 11)),
        [1, 4],
        [1, 7],
        [1, 10],
    ]
    assert tree.edges[tree.lengths > 0].tolist() == [[0, 1]]


@pytest.mark.parametrize("route", ROUTES)
def test_constant_columns_change_nothing(route):
    rows = np.random.default_rng(3).normal(size=(200, 2))
    assert_same(route(np.column_stack([np.full(200, 7.7), rows, np.zeros(200)])), route(rows))


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("scale", [2.0**-300, 2.0**300])
def test_the_unit_of_measurement_changes_no_edge(route, scale):
    rows = np.random.default_rng(4).normal(size=(150, 3))
    tree, scaled = route(rows, np.arange(150) % 2, 1e50), route(scale * rows, np.arange(150) % 2, 1e50)
    np.testing.assert_array_equal(tree.edges, scaled.edges)
    np.testing.assert_allclose(scaled.lengths, scale * tree.lengths, rtol=1e-15)


@pytest.mark.parametrize("route", ROUTES)
def test_numbers_whose_squares_vanish_count_as_zero(route):
    rows = np.array([[0.0], [1e-170], [1e-170], [-1e-120], [1e-99], [1.0]])
    assert_is_the_tree(route(rows), reference.spanning_tree(np.where(np.abs(rows) < 1e-100, 0.0, rows)))


@pytest.mark.parametrize("route", ROUTES)
def test_infinitely_distant_groups_are_joined_by_one_edge_each(route):
    rng = np.random.default_rng(5)
    rows, groups = rng.normal(size=(120, 2)), rng.integers(0, 4, 120)
    tree = route(rows, groups, np.inf)
    between = groups[tree.edges[:, 0]] != groups[tree.edges[:, 1]]
    np.testing.assert_array_equal(np.isinf(tree.lengths), between)
    assert between.sum() == 3
    squares = ((rows[tree.edges[between, 0]] - rows[tree.edges[between, 1]]) ** 2).sum(axis=1)
    assert (np.diff(squares) >= 0).all()


@pytest.mark.parametrize("route", ROUTES)
def test_rows_of_unknown_groups_spare_infinite_edges(route):
    rng = np.random.default_rng(6)
    rows, groups = rng.normal(size=(120, 2)), rng.integers(0, 4, 120)
    groups[17] = -1
    assert np.isfinite(route(rows, groups, np.inf).lengths).all()


def test_equal_groups_are_as_good_as_none():
    rows = np.random.default_rng(7).normal(size=(100, 2))
    for groups in (np.full(100, -1), np.full(100, 3)):
        assert_same(spanning_tree(rows, groups, 5.0), spanning_tree(rows))


def test_what_is_given_is_not_changed():
    rows, groups = np.random.default_rng(8).normal(size=(60, 2)), np.arange(60) % 3
    before = rows.copy(), groups.copy()
    for route in ROUTES:
        route(rows, groups, 2.0)
    np.testing.assert_array_equal(rows, before[0])
    np.testing.assert_array_equal(groups, before[1])


@pytest.mark.parametrize(("n_rows", "n_columns", "expected"), [(50, 2, "_prim"), (5000, 2, "_boruvka")])
def test_large_tables_of_few_columns_take_the_route_of_boruvka(n_rows, n_columns, expected, monkeypatch):
    taken = []
    for name in ("_prim", "_boruvka"):
        kept = getattr(spanning, name)
        monkeypatch.setattr(spanning, name, lambda rows, name=name, kept=kept: taken.append(name) or kept(rows))
    spanning_tree(np.random.default_rng(9).normal(size=(n_rows, n_columns)))
    assert taken == [expected]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((np.empty((0, 3)),), "Expected a table of rows and columns"),
        (([[np.nan], [1.0]],), "Column 0 has the value nan.*impute it"),
        (([[1e120], [1.0]],), "Column 0 has the value 1e\\+120.*scale the column"),
        (([[0.0], [1.0]], [0]), "groups must hold 2 integers"),
        (([[0.0], [1.0]], [0, -2]), "groups must hold 2 integers"),
        (([[0.0], [1.0]], [0.0, 1.0]), "groups must hold 2 integers"),
        (([[0.0], [1.0]], None, 0.5), "apart=0.5 must be at least 1"),
        (([[0.0], [1.0]], None, np.nan), "apart=nan must be at least 1"),
        (([[0.0], [1.0]], None, 1e60), "apart=1e\\+60 must be at least 1"),
    ],
)
def test_what_makes_no_tree_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        spanning_tree(*arguments)


@pytest.mark.parametrize("name", ["titanic", "led7digit", "balance", "phoneme", "mammography"])
def test_both_routes_agree_on_real_tables(name, data_folder):
    rows = pd.read_csv(next(data_folder.glob(f"*{name}.csv.gz"))).select_dtypes("number").to_numpy(np.float64)
    tree = prim(rows)
    assert_same(tree, boruvka(rows))
    assert len(tree.lengths) == len(rows) - 1


def test_small_examples_of_trees():
    tree = spanning_tree([[0.0], [5.0], [1.0], [1.0]])
    assert (tree.edges.tolist(), tree.lengths.tolist()) == ([[2, 3], [0, 2], [1, 2]], [0, 1, 4])
    assert spanning_tree([[0.0], [1.0], [3.0]], groups=[0, 1, -1], apart=10.0).lengths.tolist() == [2, 3]
    for route in (prim, boruvka):
        assert route([[0.0], [5.0], [1.0]]).edges.tolist() == [[0, 2], [1, 2]]
