import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests.examples import examples
from tests.naive_reference import spanning as reference
from unnaive.instance_graph import nearest_neighbours as nearest
from unnaive.instance_graph.nearest_neighbours import NearestRows, build_tree, nearest_rows

ties = st.sampled_from([0.0, 0.0, 1.0, 1.0, 2.0, 3.0])
any_size = st.floats(-1e100, 1e100)


@pytest.fixture(params=["tree", "all rows"])
def route(request, monkeypatch):
    monkeypatch.setattr(nearest, "is_worth_a_tree", lambda *shape: request.param == "tree")


@st.composite
def rows_and_queries(draw):
    """Up to 60 rows, so that trees have several levels, many of them equal; some queries are rows."""
    n_columns = draw(st.integers(1, 4))
    elements = draw(st.sampled_from([ties, any_size]))
    rows = draw(arrays(np.float64, (draw(st.integers(1, 60)), n_columns), elements=elements, fill=st.just(1.0)))
    queries = draw(arrays(np.float64, (draw(st.integers(0, 9)), n_columns), elements=elements))
    return rows, np.concatenate([queries, rows[::7]])


@given(drawn=rows_and_queries())
@settings(examples(100), suppress_health_check=["function_scoped_fixture"])
def test_the_first_of_the_nearest_rows_is_found(route, drawn):
    rows, queries = drawn
    indices, squares = nearest_rows(rows, queries)
    expected = [reference.nearest_row(rows.tolist(), query) for query in queries.tolist()]
    assert list(zip(indices.tolist(), squares.tolist())) == expected


@given(drawn=rows_and_queries())
@examples(100)
def test_no_box_is_further_away_than_a_row_in_it(drawn):
    rows, queries = drawn
    tree = build_tree(rows)
    for query in queries:
        for node in range(len(tree.start)):
            bound = nearest.squared_distance_to_box(query, tree.box[node])
            for point in tree.points[tree.start[node] : tree.stop[node]]:
                assert bound <= nearest.squared_distance(query, point)


@given(drawn=rows_and_queries())
@examples(100)
def test_every_row_is_in_one_leaf_of_few_rows(drawn):
    rows, _ = drawn
    tree = build_tree(rows)
    np.testing.assert_array_equal(tree.points, rows[tree.order])
    np.testing.assert_array_equal(np.sort(tree.order), np.arange(len(rows)))
    leaves = range(len(tree.start) // 2, len(tree.start))
    assert [tree.start[leaf] for leaf in leaves][1:] == [tree.stop[leaf] for leaf in leaves][:-1]
    assert (tree.start[leaves[0]], tree.stop[leaves[-1]]) == (0, len(rows))
    for node in range(len(tree.start)):
        assert tree.stop[node] > tree.start[node]
        assert tree.lowest[node] == tree.order[tree.start[node] : tree.stop[node]].min()
    assert all(tree.stop[leaf] - tree.start[leaf] <= 10 for leaf in leaves)


@pytest.mark.parametrize("scale", [1e-90, 1.0, 1e90])
@pytest.mark.parametrize(("n_rows", "n_columns"), [(3000, 1), (3000, 3), (700, 40), (513, 12)])
def test_both_routes_give_the_same_bits(n_rows, n_columns, scale, monkeypatch):
    rng = np.random.default_rng(n_rows + n_columns)
    rows, queries = scale * rng.normal(size=(n_rows, n_columns)), scale * rng.normal(size=(200, n_columns))
    answers = []
    for by_tree in (True, False):
        monkeypatch.setattr(nearest, "is_worth_a_tree", lambda *shape, by_tree=by_tree: by_tree)
        answers.append(nearest_rows(rows, queries))
    np.testing.assert_array_equal(*[indices for indices, _ in answers])
    np.testing.assert_array_equal(*[squares for _, squares in answers])
    expected = ((queries[:, None] - rows) ** 2).sum(axis=2)
    np.testing.assert_array_equal(answers[0][0], expected.argmin(axis=1))
    np.testing.assert_allclose(answers[0][1], expected.min(axis=1), rtol=1e-12)


def test_any_number_of_threads_gives_the_same_answer(route):
    rng = np.random.default_rng(0)
    rows, queries = rng.integers(0, 5, (1000, 4)), rng.integers(0, 5, (500, 4))
    found = NearestRows(rows)
    indices, squares = found.find(queries)
    for n_jobs in (2, 3, -1):
        others = found.find(queries, n_jobs=n_jobs)
        np.testing.assert_array_equal(indices, others[0])
        np.testing.assert_array_equal(squares, others[1])


def test_rows_may_change_after_they_were_given(route):
    rows = np.array([[0.0], [1.0], [2.0]])
    found = NearestRows(rows)
    rows[:] = 100.0
    assert found.find([[1.9]])[0].tolist() == [2]


def test_sorted_and_constant_columns_make_balanced_trees():
    n_rows = 20_000
    for column in (np.arange(n_rows), np.arange(n_rows)[::-1], np.ones(n_rows)):
        tree = build_tree(np.column_stack([column, np.zeros(n_rows)]).astype(np.float64))
        sizes = (tree.stop - tree.start)[len(tree.start) // 2 :]
        assert sizes.max() - sizes.min() <= 1


def test_a_tree_is_not_cut_along_a_column_with_a_few_outliers():
    rng = np.random.default_rng(0)
    rows = np.column_stack([rng.uniform(size=2000), np.zeros(2000)])
    rows[:3, 1] = 50.0
    tree = build_tree(rows)
    assert tree.box[1, 0, 1] <= tree.box[2, 0, 0]


def test_no_queries_have_no_nearest_rows(route):
    indices, squares = nearest_rows([[1.0, 2.0]], np.empty((0, 2)))
    assert indices.shape == squares.shape == (0,)


@pytest.mark.parametrize(
    ("rows", "queries", "message"),
    [
        (np.empty((0, 2)), [[0.0, 0.0]], "Expected a table of rows and columns"),
        (np.empty((2, 0)), np.empty((2, 0)), "Expected a table of rows and columns"),
        ([1.0, 2.0], [[1.0]], "Expected a table of rows and columns"),
        ([[1.0, 2.0]], [[1.0]], "The queries have 1 columns, but the rows have 2"),
        ([[1.0, np.nan]], [[1.0, 2.0]], "Column 1 has the value nan.*impute it"),
        ([[1.0, 2.0]], [[-np.inf, 2.0]], "Column 0 has the value -inf.*scale the column"),
        ([[2e100]], [[1.0]], "Column 0 has the value 2e\\+100.*scale the column"),
    ],
)
def test_what_has_no_distance_is_refused(rows, queries, message):
    with pytest.raises(ValueError, match=message):
        nearest_rows(rows, queries)


def test_small_examples_of_trees_and_queries():
    assert build_tree(np.array([[3.0, 0.0], [1.0, 0.5]])).box[0].tolist() == [[1.0, 3.0], [0.0, 0.5]]
    assert (nearest.is_worth_a_tree(20_000, 3), nearest.is_worth_a_tree(20_000, 30)) == (True, False)
    indices, squares = NearestRows([[0.0, 0.0], [3.0, 4.0]]).find([[1.0, 0.0], [3.0, 3.0]])
    assert (indices.tolist(), squares.tolist()) == ([0, 1], [1, 1])
    indices, squares = nearest_rows([[2.0], [0.0], [0.0]], [[0.5], [1.0]])
    assert (indices.tolist(), squares.tolist()) == ([1, 0], [0.25, 1])
