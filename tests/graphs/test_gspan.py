import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.naive_reference import subgraphs as naive
from unnaive.graphs import gspan as graph_mining
from unnaive.graphs.dfs_code import is_minimum, minimum_code, minimum_codes_without_edge
from unnaive.graphs.flat_graphs import flat_graphs
from unnaive.graphs.frequent_subgraphs import frequent_subgraphs, graph_of_code
from unnaive.graphs.gspan import Kinds, Limits, mine_subgraphs
from unnaive.graphs.labelled_graph import Graph, flatten, kinds_of_edges

RING = Graph("CCCCCC", [(k, (k + 1) % 6, 1 + k % 2) for k in range(6)])


@st.composite
def graphs(draw, max_vertices=6, max_edges=8, labels="ab"):
    vertices = draw(st.lists(st.sampled_from(labels), max_size=max_vertices))
    pairs = list(itertools.combinations(range(len(vertices)), 2))
    chosen = draw(st.lists(st.sampled_from(pairs), unique=True, max_size=max_edges)) if pairs else []
    return Graph(vertices, [(*pair, draw(st.integers(0, 1))) for pair in chosen])


@st.composite
def connected_graphs(draw, max_vertices=6):
    """A tree and some more edges, with vertices in any order."""
    n_vertices = draw(st.integers(2, max_vertices))
    tree = {(draw(st.integers(0, k - 1)), k) for k in range(1, n_vertices)}
    more = draw(st.sets(st.sampled_from(list(itertools.combinations(range(n_vertices), 2))), max_size=3))
    order = draw(st.permutations(range(n_vertices)))
    labels = draw(st.lists(st.sampled_from("ab"), min_size=n_vertices, max_size=n_vertices))
    edges = [(order[i], order[j], draw(st.integers(0, 1))) for i, j in sorted(tree | more)]
    return Graph(labels, edges)


def written(graph):
    return graph.labels, graph.edges


def numbered(some):
    """Flat graphs, and the numbers of their kinds of edges."""
    kinds = kinds_of_edges(some)
    labels = list(dict.fromkeys(kind[0] for kind in kinds))
    numbers = Kinds(
        np.array([labels.index(kind[0]) for kind in kinds], dtype=np.int32),
        np.array([kinds.index(kind[::-1]) for kind in kinds], dtype=np.int32),
    )
    return flatten(some, kinds), numbers, kinds


def named(patterns):
    return {naive.name(*written(pattern.graph)): pattern.support for pattern in patterns}


# Codes


def some_code(graph, kinds, order):
    """The code of one depth-first search, in which vertices are tried in some order."""
    between = {(i, j): label for i, j, label in graph.edges} | {(j, i): label for i, j, label in graph.edges}
    place, rows, done = {}, [], set()

    def visit(vertex):
        place[vertex] = len(place)
        for other in sorted(place, key=place.get):
            if (vertex, other) in between and frozenset((vertex, other)) not in done:
                add(vertex, other)
        for other in order:
            if (vertex, other) in between and other not in place:
                rows.append([vertex, other, between[vertex, other]])
                done.add(frozenset((vertex, other)))
                visit(other)

    def add(vertex, other):
        rows.append([vertex, other, between[vertex, other]])
        done.add(frozenset((vertex, other)))

    visit(order[0])
    return np.array(
        [[place[i], place[j], kinds.index((graph.labels[i], label, graph.labels[j]))] for i, j, label in rows],
        dtype=np.int32,
    )


@given(connected_graphs(), st.data())
def test_all_codes_of_a_graph_have_the_same_least_code_and_it_describes_the_graph(graph, data):
    kinds = kinds_of_edges([graph])
    reverse = np.array([kinds.index(kind[::-1]) for kind in kinds], dtype=np.int32)
    one, other = (some_code(graph, kinds, data.draw(st.permutations(range(len(graph.labels))))) for _ in range(2))
    least = minimum_code(one, reverse)
    np.testing.assert_array_equal(least, minimum_code(other, reverse))
    assert is_minimum(least, reverse)
    assert is_minimum(one, reverse) == np.array_equal(one, least)
    assert naive.name(*written(graph_of_code(least, kinds))) == naive.name(*written(graph))


def code_key(code):
    """What puts codes of one graph in order, edge by edge."""
    return [(0, j, kind) if i > j else (1, -i, kind) for i, j, kind in code.tolist()]


@given(connected_graphs(max_vertices=5))
@examples(40)
def test_the_least_code_is_the_least_of_all_depth_first_searches(graph):
    kinds = kinds_of_edges([graph])
    reverse = np.array([kinds.index(kind[::-1]) for kind in kinds], dtype=np.int32)
    codes = [some_code(graph, kinds, order) for order in itertools.permutations(range(len(graph.labels)))]
    np.testing.assert_array_equal(minimum_code(codes[0], reverse), min(codes, key=code_key))


@given(connected_graphs())
def test_codes_without_an_edge_are_those_of_all_connected_parts_of_that_size(graph):
    if len(graph.edges) < 2:
        return
    kinds = kinds_of_edges([graph])
    reverse = np.array([kinds.index(kind[::-1]) for kind in kinds], dtype=np.int32)
    found = minimum_codes_without_edge(some_code(graph, kinds, range(len(graph.labels))), reverse)
    assert all(is_minimum(code, reverse) for code in found)
    parts = [
        chosen for chosen in itertools.combinations(graph.edges, len(graph.edges) - 1) if naive.is_connected(chosen)
    ]
    assert sorted(naive.name(*written(graph_of_code(code, kinds))) for code in found) == sorted(
        naive.name(*naive.part(graph.labels, chosen)) for chosen in parts
    )


# Mining


@given(st.lists(graphs(), min_size=1, max_size=5), st.integers(1, 3), st.integers(1, 4))
@examples(400)
def test_frequent_and_closed_subgraphs_are_those_of_all_subsets_of_edges(some, min_count, max_edges):
    expected = naive.supports([written(graph) for graph in some], min_count, max_edges)
    found = frequent_subgraphs(some, min_count, max_edges=max_edges, only_closed=False)
    assert len(found) == len(expected)
    assert named(found) == expected
    assert named(frequent_subgraphs(some, min_count, max_edges=max_edges)) == naive.closed(expected)


@given(st.lists(graphs(max_edges=5), min_size=1, max_size=4))
@examples(50)
def test_without_a_limit_of_edges_patterns_grow_to_whole_graphs(some):
    found = frequent_subgraphs(some, 1, max_edges=None, only_closed=False)
    assert named(found) == naive.supports([written(graph) for graph in some], 1, 5)


def test_the_graphs_of_a_pattern_are_told():
    flat, numbers, _ = numbered([Graph("ab", [(0, 1)]), Graph("aa", [(0, 1)]), Graph("aba", [(0, 1), (1, 2)])])
    found = mine_subgraphs(flat, numbers, 1).patterns
    assert [pattern.graphs.tolist() for pattern in found] == [[0, 2], [1], [2]]


@pytest.mark.parametrize("n_edges", range(1, 7))
def test_a_ring_has_the_paths_that_can_be_cut_from_it_and_itself(n_edges):
    found = frequent_subgraphs([RING], 1, max_edges=n_edges, only_closed=False)
    by_size = [sum(len(pattern.graph.edges) == size for pattern in found) for size in range(1, n_edges + 1)]
    # Bonds alternate: a path of an odd number of bonds starts with either, one of an even number is its own reverse.
    assert by_size == [2, 1, 2, 1, 2, 1][:n_edges]
    assert len(frequent_subgraphs([RING], 1, max_edges=6)) == 1


@given(st.lists(graphs(), min_size=1, max_size=6), st.integers(1, 2), st.integers(2, 4))
@examples(100)
def test_any_number_of_threads_finds_the_same_in_the_same_order(some, min_count, n_threads):
    flat, numbers, _ = numbered(some)
    one = mine_subgraphs(flat, numbers, min_count, 4)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(graph_mining, "_FEW", 0)
        several = mine_subgraphs(flat, numbers, min_count, 4, n_threads=n_threads)
    assert len(one.patterns) == len(several.patterns)
    for a, b in zip(one.patterns, several.patterns):
        np.testing.assert_array_equal(a.code, b.code)
        np.testing.assert_array_equal(a.graphs, b.graphs)


# Limits


def ring_and_paths():
    paths = [Graph("CCCC", [(0, 1, 1), (1, 2, 2), (2, 3, 1)]), Graph("CCCO", [(0, 1, 1), (1, 2, 2), (2, 3, 1)])]
    return numbered([RING, *paths])


def test_with_a_limit_of_patterns_the_most_frequent_are_found():
    flat, numbers, _ = ring_and_paths()
    everything = mine_subgraphs(flat, numbers, 1)
    ranks = [(-len(pattern.graphs), len(pattern.code)) for pattern in everything.patterns]
    assert ranks == sorted(ranks)
    assert ranks[2:5] == [(-3, 2), (-2, 3), (-1, 1)]  # a larger pattern comes before a rarer one
    assert everything.stopped_by is None
    assert everything.complete_above == 0
    for most in range(1, len(everything.patterns)):
        some = mine_subgraphs(flat, numbers, 1, limits=Limits(patterns=most))
        assert [pattern.code.tolist() for pattern in some.patterns] == [
            pattern.code.tolist() for pattern in everything.patterns[:most]
        ]
        assert some.stopped_by == "max_patterns"
        assert some.complete_above == len(everything.patterns[most].graphs)
    same = mine_subgraphs(flat, numbers, 1, limits=Limits(patterns=len(everything.patterns)))
    assert same.stopped_by is None


@given(st.lists(graphs(), min_size=2, max_size=5), st.integers(1, 2000))
@examples(150)
def test_what_is_found_before_memory_runs_out_is_right_and_complete_above_a_count(some, n_bytes):
    flat, numbers, _ = numbered(some)
    everything = mine_subgraphs(flat, numbers, 1, 4)
    limited = mine_subgraphs(flat, numbers, 1, 4, Limits(bytes=n_bytes))
    right = {pattern.code.tobytes(): pattern.graphs.tolist() for pattern in everything.patterns}
    found = {pattern.code.tobytes(): pattern.graphs.tolist() for pattern in limited.patterns}
    assert found.items() <= right.items()
    assert {code for code, graphs in right.items() if len(graphs) > limited.complete_above} <= set(found)
    assert limited.stopped_by in (None, "max_bytes")
    if limited.stopped_by is None:
        assert found == right
    # What is closed above the count is known, too.
    above = limited.complete_above

    def closed_above(mined):
        kept = graph_mining.closed(mined.patterns, numbers.reverse)
        return [pattern.code.tolist() for pattern in kept if len(pattern.graphs) > above]

    assert closed_above(limited) == closed_above(everything)


def test_the_time_limit_stops_after_the_first_pattern_at_the_earliest():
    flat, numbers, _ = ring_and_paths()
    mined = mine_subgraphs(flat, numbers, 1, limits=Limits(seconds=1e-9))
    assert len(mined.patterns) == 1
    assert mined.stopped_by == "max_seconds"


def test_memory_is_given_back():
    flat, numbers, _ = ring_and_paths()
    search = graph_mining._Search(flat, numbers, 1, None, Limits())
    search.run(None, 1, None)
    assert search._n_bytes == 0


def test_progress_is_told_of_every_pattern():
    flat, numbers, _ = ring_and_paths()
    told = []
    mined = mine_subgraphs(flat, numbers, 2, on_pattern=lambda n_found, count: told.append((n_found, count)))
    assert told == [(k + 1, len(pattern.graphs)) for k, pattern in enumerate(mined.patterns)]


def test_a_path_absorbs_its_edges_where_they_are_in_the_same_graphs():
    kinds = Kinds(np.zeros(1, np.int32), np.zeros(1, np.int32))
    path_and_edge = flat_graphs([3, 2], [[0, 1], [1, 2], [3, 4]], [0] * 3, [0] * 3)
    found = mine_subgraphs(path_and_edge, kinds, min_count=1).patterns
    assert [(pattern.code.tolist(), pattern.graphs.tolist()) for pattern in found] == [
        ([[0, 1, 0]], [0, 1]),
        ([[0, 1, 0], [1, 2, 0]], [0]),
    ]
    paths = flat_graphs([3, 3], [[0, 1], [1, 2], [3, 4], [4, 5]], [0] * 4, [0] * 4)
    absorbing = graph_mining.closed(mine_subgraphs(paths, kinds, 2).patterns, kinds.reverse)
    assert [pattern.code.tolist() for pattern in absorbing] == [[[0, 1, 0], [1, 2, 0]]]
