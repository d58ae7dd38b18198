import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests.examples import examples
from tests.naive_reference import bottleneck as reference
from unnaive.text.information_bottleneck import (
    Merges,
    _cost,
    class_information,
    cluster_terms,
    clusters_after,
    equal_profiles,
    merge_clusters,
)


@st.composite
def term_counts(draw):
    """Small counts, with ties and proportional rows galore; every term occurs."""
    n_terms, n_classes = draw(st.integers(1, 9)), draw(st.integers(1, 4))
    counts = draw(arrays(np.float64, (n_terms, n_classes), elements=st.sampled_from([0.0, 0.0, 1.0, 2.0, 3.0, 7.0])))
    counts[counts.sum(axis=1) == 0, draw(st.integers(0, n_classes - 1))] = 1.0
    return counts


def random_joint(seed, n, n_classes, share_of_zeros=0.0):
    """Probabilities of all sizes, without ties: every row has something of the first two classes."""
    rng = np.random.default_rng(seed)
    joint = rng.gamma(0.5, size=(n, n_classes)) * rng.exponential(size=(n, 1)) ** 3
    joint[:, 2:][rng.random((n, n_classes - 2)) < share_of_zeros] = 0.0
    joint[:, :2] += 0.01 * rng.random((n, 2))
    return joint / joint.sum()


def summed(joint, clusters):
    return np.array([joint[clusters == cluster].sum(axis=0) for cluster in np.unique(clusters)])


@given(counts=term_counts())
@examples(150)
def test_every_step_merges_a_cheapest_pair_of_all(counts):
    joint = counts / counts.sum()
    merges = merge_clusters(joint, 1, np.inf)
    assert len(merges.pairs) == len(merges.costs) == len(counts) - 1
    clusters = dict(enumerate(joint.tolist()))
    for (i, j), cost in zip(merges.pairs.tolist(), merges.costs):
        costs = reference.costs_of_all_pairs(clusters)
        assert i < j
        assert cost == pytest.approx(costs[i, j], abs=1e-14)
        assert cost == pytest.approx(min(costs.values()), abs=1e-14)
        clusters = reference.merge(clusters, i, j)


@pytest.mark.parametrize("share_of_zeros", [0.0, 0.4, 0.8])
@pytest.mark.parametrize(("n", "n_classes"), [(2, 3), (25, 2), (30, 5), (30, 12)])
@pytest.mark.parametrize("seed", range(3))
def test_merges_are_those_of_the_definition_where_nothing_ties(seed, n, n_classes, share_of_zeros):
    joint = random_joint(seed, n, n_classes, share_of_zeros)
    expected = reference.greedy_merges(joint.tolist())
    merges = merge_clusters(joint, 1, np.inf)
    assert [tuple(pair) for pair in merges.pairs.tolist()] == [(i, j) for i, j, _ in expected]
    np.testing.assert_allclose(merges.costs, [cost for *_, cost in expected], rtol=1e-6, atol=1e-15)


@given(counts=term_counts())
@examples(150)
def test_what_is_lost_is_the_difference_of_the_information_before_and_after(counts):
    joint = counts / counts.sum()
    merges = merge_clusters(joint, 1, np.inf)
    before = reference.mutual_information(joint.tolist())
    assert class_information(joint) == pytest.approx(before, abs=1e-14)
    for n_merges in range(len(counts)):
        done = type(merges)(merges.pairs[:n_merges], merges.costs[:n_merges])
        clusters = clusters_after(done, len(joint))
        assert len(np.unique(clusters)) == len(joint) - n_merges
        after = reference.mutual_information(summed(joint, clusters).tolist())
        assert before - after == pytest.approx(done.costs.sum(), abs=1e-13)


@pytest.mark.parametrize("n_clusters", [1, 2, 7, 19, 20, 21])
def test_merging_stops_at_the_number_asked_for_and_is_the_start_of_merging_further(n_clusters):
    joint = random_joint(0, 20, 4)
    merges, all_merges = merge_clusters(joint, n_clusters, np.inf), merge_clusters(joint, 1, np.inf)
    assert len(merges.pairs) == max(0, 20 - n_clusters)
    np.testing.assert_array_equal(merges.pairs, all_merges.pairs[: len(merges.pairs)])


@pytest.mark.parametrize("share", [0.0, 0.01, 0.1, 0.5, 0.99])
def test_merging_stops_before_more_is_lost_than_may_be(share):
    joint = random_joint(1, 40, 3)
    most = share * class_information(joint)
    merges, all_merges = merge_clusters(joint, 1, most), merge_clusters(joint, 1, np.inf)
    n_merges = len(merges.costs)
    assert merges.costs.sum() <= most
    assert n_merges < 39
    assert all_merges.costs[: n_merges + 1].sum() > most


def test_of_pairs_that_cost_the_same_the_first_is_merged():
    # Four corners of a square of two classes each: all neighbouring corners are equally far apart.
    joint = np.array([[2.0, 0.0, 0.0, 2.0], [2.0, 2.0, 0.0, 0.0], [0.0, 2.0, 2.0, 0.0], [0.0, 0.0, 2.0, 2.0]]) / 16
    assert merge_clusters(joint, 1, np.inf).pairs.tolist() == [[0, 1], [2, 3], [0, 2]]


def test_a_merged_cluster_that_costs_the_same_as_a_later_one_comes_first():
    # After six merges, what became of clusters 1 and 4 mirrors each other, and both are as far from cluster 0.
    counts = ["02021", "41131", "22022", "02012", "11413", "01240", "21004", "24400", "02222", "44200"]
    joint = np.array([[int(count) for count in row] for row in counts]) / 64
    pairs = merge_clusters(joint, 1, np.inf).pairs.tolist()
    assert len(pairs) == 9
    for i, j in pairs:
        mass = joint.sum(axis=1)
        left = np.flatnonzero(mass)
        costs = {(a, b): _cost(joint, mass, a, b, np.inf) for a, b in itertools.combinations(left.tolist(), 2)}
        assert (i, j) == min(costs, key=lambda pair: (costs[pair], pair))
        joint[i] += joint[j]
        joint[j] = 0.0


def test_merging_leaves_what_it_was_given_as_it_was():
    joint = random_joint(0, 10, 3)
    before = joint.copy()
    merge_clusters(joint, 1, np.inf)
    np.testing.assert_array_equal(joint, before)


@given(counts=term_counts())
@examples(150)
def test_terms_of_proportional_counts_have_equal_profiles_and_others_have_not(counts):
    places = equal_profiles(counts)
    for one, row in enumerate(counts):
        for other, another in enumerate(counts):
            proportional = np.array_equal(row * another.sum(), another * row.sum())  # exact, in whole numbers
            assert (places[one] == places[other]) == proportional
    assert np.array_equal(np.unique(places), np.arange(places.max() + 1))


def test_weights_that_rounding_makes_differ_are_still_proportional():
    counts = np.outer([0.1, 0.3, 1.7, 1e-5, 3.3e7], [1.0, 2.0, 7.0])
    assert len(np.unique(counts / counts.sum(axis=1, keepdims=True), axis=0)) > 1
    assert equal_profiles(counts).tolist() == [0] * 5


def test_profiles_that_lie_on_the_edge_of_rounding_are_equal_for_whole_numbers():
    # 1 / 2**13 has a 5 as its thirteenth decimal.
    counts = np.array([[1.0, 8191.0], [3.0, 3 * 8191.0], [7.0, 7 * 8191.0]])
    assert equal_profiles(counts).tolist() == [0, 0, 0]


@given(counts=term_counts(), n_clusters=st.one_of(st.none(), st.integers(1, 9)), data=st.data())
@examples(150)
def test_the_order_of_the_terms_does_not_matter(counts, n_clusters, data):
    order = np.array(data.draw(st.permutations(range(len(counts)))))
    clusters, kept = cluster_terms(counts, n_clusters, 0.8)
    reordered, kept_reordered = cluster_terms(counts[order], n_clusters, 0.8)
    same, same_reordered = (np.equal.outer(found, found) for found in (clusters, reordered))
    np.testing.assert_array_equal(same[np.ix_(order, order)], same_reordered)
    assert kept == kept_reordered


def test_the_share_kept_does_not_depend_on_the_order_in_which_equal_terms_are_added():
    counts = np.array([[3.0, 0.0], [7.0, 0.0], [1.0, 1.0], [1.0, 0.0]])
    assert cluster_terms(counts, 1, 0.8)[1] == cluster_terms(counts[[0, 2, 3, 1]], 1, 0.8)[1]


@given(counts=term_counts(), information=st.sampled_from([0.05, 0.5, 0.9, 1.0]))
@examples(150)
def test_clusters_keep_the_share_that_was_asked_for_and_are_numbered_by_their_first_terms(counts, information):
    clusters, kept = cluster_terms(counts, None, information)
    joint = counts / counts.sum()
    whole = reference.mutual_information(joint.tolist())
    left = reference.mutual_information(summed(joint, clusters).tolist())
    assert left >= information * whole - 1e-12
    if whole > 1e-9:
        assert kept == pytest.approx(left / whole, abs=1e-9)
    assert kept >= information - 1e-12
    _, first = np.unique(clusters, return_index=True)
    assert (np.diff(first) > 0).all()
    assert np.array_equal(np.unique(clusters), np.arange(clusters.max() + 1))


def test_equal_profiles_are_merged_even_where_more_clusters_are_asked_for():
    clusters, kept = cluster_terms(np.array([[1.0, 2.0], [1.0, 0.0], [2.0, 4.0]]), 3, 0.9)
    assert clusters.tolist() == [0, 1, 0]
    assert kept == 1.0


def test_one_class_or_no_term_has_no_information_to_lose():
    clusters, kept = cluster_terms(np.array([[1.0], [2.0], [5.0]]), None, 1.0)
    assert (clusters.tolist(), kept) == ([0, 0, 0], 1.0)
    clusters, kept = cluster_terms(np.empty((0, 3)), 5, 0.9)
    assert (len(clusters), kept) == (0, 1.0)


@pytest.mark.parametrize("scale", [1e-290, 1e-3, 1e290])
def test_clusters_do_not_depend_on_the_unit_of_the_counts(scale):
    counts = random_joint(2, 60, 4, 0.3)
    expected, share = cluster_terms(counts, None, 0.9)
    clusters, kept = cluster_terms(counts * scale, None, 0.9)
    np.testing.assert_array_equal(clusters, expected)
    assert kept == pytest.approx(share, rel=1e-9)


def test_masses_of_very_different_sizes_lead_to_no_overflow():
    counts = np.array([[1.0, 1e300], [1e300, 1.0], [1e-5, 1e-7], [1e-7, 1e-5], [1e150, 1e150]])
    clusters, kept = cluster_terms(counts, 2, 0.9)
    assert clusters[0] != clusters[1]
    assert kept == pytest.approx(1.0)


def test_small_examples_of_clusters_profiles_and_merges():
    clusters, kept = cluster_terms(np.array([[4.0, 0.0], [1.0, 9.0], [2.0, 0.0], [1.0, 8.0]]), 2, 0.9)
    assert (clusters.tolist(), round(kept, 4)) == ([0, 1, 0, 1], 0.9997)
    assert equal_profiles(np.array([[3.0, 6.0], [1.0, 0.0], [1.0, 2.0]])).tolist() == [0, 1, 0]
    assert class_information(np.array([[0.5, 0.0], [0.0, 0.5]])) == pytest.approx(np.log(2))
    merges = merge_clusters(np.array([[0.5, 0.0], [0.0, 0.25], [0.1, 0.15]]), n_clusters=2, most=1.0)
    assert merges.pairs.tolist() == [[1, 2]]
    assert merges.costs == pytest.approx([0.0819], abs=1e-4)
    chain = Merges(np.array([[1, 3], [0, 1]]), np.array([0.1, 0.2]))
    assert clusters_after(chain, 4).tolist() == [0, 0, 2, 0]
