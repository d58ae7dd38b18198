import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tests.examples import examples
from tests.naive_reference import evaluation as reference
from unnaive.evaluate.paired_tests import paired_t, two_standard_errors
from unnaive.evaluate.significance import (
    average_ranks,
    cliques,
    friedman,
    friedman_of_two,
    holm,
    nemenyi_critical_difference,
    nemenyi_p_values,
    sign_test,
    wilcoxon_signed_ranks,
)

nan = math.nan

# Demšar (2006), table 6: C4.5, +m, +cf, +m+cf on 14 data sets. On the last but one the paper ranks the third
# before the fourth although both are printed as .975.
DEMSAR = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.9751, 0.975],
        [0.957, 0.978, 0.946, 0.970],
    ]
)


def tables(highest=5, min_models=2):
    """Scores of few different values, so that there are ties, in hundredths, so that they are inexact."""
    return st.integers(min_models, 5).flatmap(
        lambda k: st.lists(
            st.lists(st.integers(0, highest).map(lambda score: score / 100), min_size=k, max_size=k),
            min_size=1,
            max_size=8,
        )
    )


@given(scores=tables())
@examples(150)
def test_average_ranks_are_those_of_the_definition(scores):
    np.testing.assert_allclose(average_ranks(scores), reference.average_ranks(scores), atol=1e-12)
    lower = average_ranks(-np.array(scores), higher_is_better=False)
    np.testing.assert_array_equal(lower, average_ranks(scores))


def test_the_same_mean_summed_in_another_order_is_a_tie():
    assert 0.1 + 0.2 != 0.3
    assert average_ranks([[0.1 + 0.2, 0.3, 0.2]]).tolist() == [1.5, 1.5, 3.0]
    assert wilcoxon_signed_ranks([0.1 + 0.2, 0.5], [0.3, 0.4]).r_plus == 1.0  # the tie is a zero, and dropped
    assert paired_t([0.1 + 0.2] * 3, [0.3] * 3).p_value == 1.0


def test_data_sets_with_a_missing_score_are_left_out():
    scores = np.array([[0.9, 0.8, 0.7], [0.1, nan, 0.9], [0.7, 0.9, 0.8], [0.5, 0.4, 0.1]])
    complete = scores[[0, 2, 3]]
    assert average_ranks(scores).tolist() == average_ranks(complete).tolist()
    assert friedman(scores).chi2 == friedman(complete).chi2
    assert friedman(scores).n_data == 3
    nothing = friedman(np.full((2, 3), nan))
    assert nothing.n_data == 0
    assert np.isnan([nothing.chi2, nothing.p_value, nothing.f, nothing.f_p_value, *nothing.average_ranks]).all()


def test_minus_infinity_ranks_last():
    assert average_ranks([[0.5, -np.inf, 0.7], [-np.inf, -np.inf, 0.1]]).tolist() == [2.25, 2.75, 1.0]


@given(scores=tables())
@examples(150)
def test_friedman_is_that_of_demsar_without_correction_for_ties(scores):
    chi2, f = reference.friedman(scores)
    found = friedman(scores, correct_ties=False)
    n, k = len(scores), len(scores[0])
    assert found.chi2 == pytest.approx(chi2, abs=1e-9)
    assert found.p_value == pytest.approx(stats.chi2.sf(chi2, k - 1), abs=1e-9)
    assert (found.n_data, found.df, found.f_df) == (n, k - 1, (k - 1, (k - 1) * (n - 1)))
    if n > 1:
        assert found.f == pytest.approx(f, rel=1e-6, abs=1e-9)
        assert found.f_p_value == pytest.approx(stats.f.sf(f, *found.f_df), abs=1e-9)
    else:
        assert math.isnan(found.f)


@given(scores=tables(min_models=3))
@examples(150)
def test_friedman_corrected_for_ties_is_that_of_scipy(scores):
    found = friedman(scores)
    correction = reference.tie_correction(scores)
    if correction < 1e-9:  # all scores are tied in all data sets; SciPy divides by zero
        assert (found.chi2, found.p_value) == (0.0, 1.0)
        return
    assert found.chi2 == pytest.approx(reference.friedman(scores)[0] / correction, abs=1e-9)
    expected = stats.friedmanchisquare(*zip(*scores))
    assert found.chi2 == pytest.approx(expected.statistic, abs=1e-9)
    assert found.p_value == pytest.approx(expected.pvalue, abs=1e-9)


def test_without_ties_the_correction_changes_nothing():
    scores = np.random.default_rng(0).random((9, 5))
    corrected, plain = friedman(scores), friedman(scores, correct_ties=False)
    assert (corrected.chi2, corrected.f) == (plain.chi2, plain.f)


@pytest.mark.parametrize("n_data", [2, 3, 7, 10, 49])
@pytest.mark.parametrize("n_models", [2, 3, 6, 7, 11])
def test_perfect_agreement_has_an_infinite_f(n_data, n_models):
    scores = np.tile(np.arange(n_models) / 10, (n_data, 1))
    for correct_ties in (False, True):
        found = friedman(scores, correct_ties=correct_ties)
        assert (found.f, found.f_p_value) == (math.inf, 0.0)
        assert found.chi2 == pytest.approx(n_data * (n_models - 1))


def test_models_that_always_tie_do_not_differ():
    for correct_ties in (False, True):
        found = friedman(np.ones((5, 3)), correct_ties=correct_ties)
        assert (found.chi2, found.p_value, found.f, found.f_p_value) == (0.0, 1.0, 0.0, 1.0)


def test_friedman_and_nemenyi_give_the_figures_that_demsar_prints():
    found = friedman(DEMSAR, correct_ties=False)
    assert found.average_ranks.round(3).tolist() == [3.143, 2.0, 2.893, 1.964]
    assert (round(found.chi2, 2), round(found.f, 2), found.f_df) == (9.28, 3.69, (3, 39))
    at_5, at_10 = (nemenyi_critical_difference(4, 14, alpha) for alpha in (0.05, 0.10))
    assert (round(at_5, 2), round(at_10, 2)) == (1.25, 1.12)
    assert cliques(found.average_ranks, at_5) == [(3, 1, 2, 0)]
    assert cliques(found.average_ranks, at_10) == [(3, 1, 2), (2, 0)]


# The p values that the paper on Bayesian tensor classification prints for 21 data sets.
@pytest.mark.parametrize(
    ("wins", "ties", "losses", "printed"),
    [
        (21, 0, 0, "4.59e-06"),
        (20, 0, 1, "3e-05"),
        (19, 0, 2, "0.0002"),
        (17, 1, 3, "0.002"),
        (16, 0, 5, "0.016"),
        (11, 0, 10, "0.827"),
    ],
)
def test_friedman_of_two_gives_printed_p_values(wins, ties, losses, printed):
    digits = len(printed.split("e")[0].replace(".", "").lstrip("0"))
    for correct_ties in (False, True):
        found = friedman_of_two(wins, ties, losses, correct_ties=correct_ties)
        assert float(f"{found.p_value:.{digits - 1}e}") == float(printed)
        assert found.verdict == (1 if wins > 11 else 0)


def test_six_losses_in_21_data_sets_are_just_significant():
    """The paper prints .049, cut off rather than rounded."""
    found = friedman_of_two(15, 0, 6)
    assert found.p_value == pytest.approx(0.04953, abs=1e-5)
    assert (found.verdict, friedman_of_two(6, 0, 15).verdict, friedman_of_two(15, 0, 6, alpha=0.01).verdict) == (
        1,
        -1,
        0,
    )


@given(wins=st.integers(0, 12), ties=st.integers(0, 5), losses=st.integers(0, 12), correct_ties=st.booleans())
@examples(150)
def test_friedman_of_two_is_friedman(wins, ties, losses, correct_ties):
    scores = [[1, 0]] * wins + [[1, 1]] * ties + [[0, 1]] * losses
    found = friedman_of_two(wins, ties, losses, correct_ties=correct_ties)
    if not scores:
        assert math.isnan(found.p_value)
    else:
        assert found.p_value == pytest.approx(friedman(scores, correct_ties=correct_ties).p_value, abs=1e-12)


# Demšar's table 5(a).
@pytest.mark.parametrize(
    ("alpha", "table"),
    [
        (0.05, [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]),
        (0.10, [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920]),
    ],
)
def test_critical_differences_are_those_of_the_table(alpha, table):
    for n_models, q in zip(range(2, 11), table):
        found = nemenyi_critical_difference(n_models, 30, alpha)
        assert found / math.sqrt(n_models * (n_models + 1) / (6 * 30)) == pytest.approx(q, abs=1.001e-3)


@pytest.mark.parametrize("n_models", [2, 11, 25, 60])
def test_the_critical_difference_is_where_the_p_value_is_alpha(n_models):
    difference = nemenyi_critical_difference(n_models, 20, alpha=0.01)
    ranks = np.full(n_models, 1.0)
    ranks[-1] += difference
    assert nemenyi_p_values(ranks, 20)[0, -1] == pytest.approx(0.01, rel=1e-6)


@pytest.mark.parametrize(("n_data", "n_models"), [(5, 3), (14, 4), (30, 12)])
def test_nemenyi_p_values_are_those_of_scikit_posthocs(n_data, n_models):
    peer = pytest.importorskip("scikit_posthocs")
    scores = np.random.default_rng(n_data).integers(0, 9, (n_data, n_models)) + np.arange(n_models)
    expected = peer.posthoc_nemenyi_friedman(scores).to_numpy()
    np.testing.assert_allclose(nemenyi_p_values(average_ranks(scores), n_data), expected, atol=1e-9)


def test_a_model_without_a_rank_has_no_p_value_and_no_clique():
    found = nemenyi_p_values([1.0, nan, 2.0], 5)
    assert np.isnan(found[[0, 1, 1, 2], [1, 0, 2, 1]]).all()
    assert 0 < found[0, 2] < 1
    assert cliques([1.0, nan, 1.5], 1.0) == [(0, 2)]


@given(
    ranks=st.lists(st.integers(4, 24).map(lambda rank: rank / 4), min_size=2, max_size=7),
    critical_difference=st.integers(1, 12).map(lambda rank: rank / 4),
)
@examples(150)
def test_cliques_are_the_largest_sets_without_a_difference(ranks, critical_difference):
    found = cliques(ranks, critical_difference)
    assert sorted(map(sorted, found)) == sorted(map(sorted, reference.cliques(ranks, critical_difference)))
    for clique in found:
        assert [ranks[model] for model in clique] == sorted(ranks[model] for model in clique)
    assert [ranks[clique[0]] for clique in found] == sorted(ranks[clique[0]] for clique in found)


def test_ranks_a_critical_difference_apart_differ():
    assert cliques([1.0, 2.0], 1.0) == []
    assert cliques([1.0, 2.0], 1.001) == [(0, 1)]


@given(steps=st.lists(st.integers(-6, 6), min_size=1, max_size=11), exact=st.booleans())
@examples(150)
def test_wilcoxon_is_that_of_the_definition(steps, exact):
    a = np.array([0.3 + step / 100 for step in steps])
    found = wilcoxon_signed_ranks(a, np.full(len(a), 0.3), exact_up_to=25 if exact else 0)
    if steps == [0]:
        assert (found.verdict, found.p_value, found.n) == (0, 1.0, 0)
        return
    r_plus, r_minus, z, p_value = reference.wilcoxon(steps)
    assert (found.r_plus, found.r_minus) == (r_plus, r_minus)
    assert found.n == len(steps) - steps.count(0) % 2
    assert found.z == pytest.approx(z, abs=1e-12)
    assert found.p_value == pytest.approx(p_value if exact else min(1.0, 2 * stats.norm.cdf(z)), abs=1e-12)


@pytest.mark.parametrize("n", [5, 12, 25])
def test_exact_wilcoxon_without_ties_is_that_of_scipy(n):
    a, b = np.random.default_rng(n).random((2, n))
    expected = stats.wilcoxon(a, b, method="exact")
    found = wilcoxon_signed_ranks(a, b)
    assert found.p_value == pytest.approx(expected.pvalue, rel=1e-9)
    assert min(found.r_plus, found.r_minus) == expected.statistic


def test_wilcoxon_beyond_25_is_normal_and_zeros_are_split_as_by_scipy():
    rng = np.random.default_rng(3)
    a, b = rng.random((2, 30))
    b[:4] = a[:4]
    expected = stats.wilcoxon(a, b, zero_method="zsplit", correction=False, method="approx")
    found = wilcoxon_signed_ranks(a, b)
    assert min(found.r_plus, found.r_minus) == expected.statistic
    assert found.p_value == pytest.approx(2 * stats.norm.cdf(found.z), abs=1e-12)
    # SciPy's variance is corrected for the four ties at zero.
    assert found.p_value == pytest.approx(expected.pvalue, abs=1e-3)
    assert found.p_value != wilcoxon_signed_ranks(a, b, exact_up_to=30).p_value


def test_wilcoxon_gives_the_sums_that_demsar_prints():
    found = wilcoxon_signed_ranks(DEMSAR[:, 1], DEMSAR[:, 0])
    assert (found.r_plus, found.r_minus, found.n, found.verdict) == (93.0, 12.0, 14, 1)
    assert wilcoxon_signed_ranks(DEMSAR[:, 0], DEMSAR[:, 1]).verdict == -1
    assert wilcoxon_signed_ranks(DEMSAR[:, 0], DEMSAR[:, 1], higher_is_better=False).verdict == 1


def test_wilcoxon_becomes_significant_where_the_table_says():
    """For 14 differences without ties, T up to 21 is significant at 5 %, and at 1 % up to 12."""
    for smaller, alpha, verdict in [(21, 0.05, 1), (22, 0.05, 0), (12, 0.01, 1), (13, 0.01, 0)]:
        signs = np.ones(14)
        left = smaller
        for rank in range(14, 0, -1):
            if rank <= left:
                signs[rank - 1], left = -1, left - rank
        found = wilcoxon_signed_ranks(signs * np.arange(1, 15) / 100, np.zeros(14), alpha)
        assert (found.r_minus, found.verdict) == (smaller, verdict)


def test_too_little_to_test_is_no_verdict():
    for found in (wilcoxon_signed_ranks([nan], [1.0]), sign_test(0, 0, 0), friedman_of_two(0, 0, 0)):
        assert found.verdict == 0
        assert math.isnan(found.p_value)
    for test in (paired_t, two_standard_errors):
        for a, b in [([0.9], [0.1]), ([0.9, nan], [0.1, 0.2]), ([], [])]:
            found = test(a, b)
            assert found.verdict == 0
            assert math.isnan(found.p_value)


def test_pairs_with_a_missing_score_are_left_out():
    a, b = [0.9, nan, 0.8, 0.7, 0.6], [0.5, 0.4, 0.5, 0.6, nan]
    for test in (wilcoxon_signed_ranks, paired_t, two_standard_errors):
        assert test(a, b) == test([0.9, 0.8, 0.7], [0.5, 0.5, 0.6])
        assert test(a, b).n == 3


@given(wins=st.integers(0, 15), ties=st.integers(0, 7), losses=st.integers(0, 15))
@examples(150)
def test_the_sign_test_is_that_of_a_fair_coin(wins, ties, losses):
    found = sign_test(wins, ties, losses)
    if wins + ties + losses == 0:
        assert math.isnan(found.p_value)
        return
    expected = reference.sign_test(wins, ties, losses)
    assert found.p_value == pytest.approx(expected, rel=1e-9)
    assert found.verdict == (0 if expected >= 0.05 else 1 if wins > losses else -1)


def test_counts_are_not_negative():
    for test in (sign_test, friedman_of_two):
        with pytest.raises(ValueError, match="are counts"):
            test(3, -1, 2)


scores = st.lists(
    st.tuples(st.integers(0, 20), st.integers(0, 20)).map(lambda pair: (pair[0] / 100, pair[1] / 100)),
    min_size=2,
    max_size=12,
).map(lambda pairs: tuple(zip(*pairs)))


@given(pair=scores, test_share=st.sampled_from([None, 0.0, 1 / 9, 0.5]))
@examples(150)
def test_the_paired_t_test_is_that_of_the_definition(pair, test_share):
    a, b = pair
    found = paired_t(a, b, test_share)
    steps = {round(100 * (one - other)) for one, other in zip(a, b)}
    if len(steps) == 1:
        assert found.p_value == (1.0 if steps == {0} else 0.0)
        assert found.verdict == np.sign(steps.pop())
        return
    mean, error, t = reference.corrected_t(a, b, test_share or 0.0)
    assert (found.mean, found.standard_error) == (pytest.approx(mean, abs=1e-9), pytest.approx(error, abs=1e-9))
    assert found.p_value == pytest.approx(2 * stats.t.sf(abs(t), len(a) - 1), abs=1e-9)
    if not test_share:
        assert found.p_value == pytest.approx(stats.ttest_rel(a, b).pvalue, abs=1e-9)


def test_equal_differences_have_no_variance():
    """Also where their mean, and so their variance, is inexact."""
    assert np.mean([0.1] * 3) != 0.1
    for test in (paired_t, two_standard_errors):
        found = test([0.3, 0.4, 0.5], [0.2, 0.3, 0.4])
        assert (found.verdict, found.p_value, found.standard_error) == (1, 0.0, 0.0)


@given(pair=scores)
@examples(150)
def test_correction_never_finds_more(pair):
    plain, corrected = paired_t(*pair), paired_t(*pair, test_share=1 / 9)
    assert corrected.p_value >= plain.p_value
    assert abs(corrected.verdict) <= abs(plain.verdict)


@given(pair=scores)
@examples(150)
def test_tests_of_pairs_turn_round_with_the_models(pair):
    a, b = pair
    for test in (wilcoxon_signed_ranks, paired_t, two_standard_errors):
        found = test(a, b)
        for turned in (test(b, a), test(a, b, higher_is_better=False)):
            assert turned.verdict == -found.verdict
            assert turned.p_value == pytest.approx(found.p_value, abs=1e-12)


def test_two_standard_errors_are_exceeded_not_met():
    # Mean 2 and standard error 1 by construction, then a little more and less.
    differences = np.array([1.0, 3.0])
    assert two_standard_errors(differences, [0.0, 0.0]).standard_error == 1.0
    for shift, verdict in [(0.0, 0), (0.01, 1), (-0.01, 0), (-4.01, -1)]:
        assert two_standard_errors(differences + shift, [0.0, 0.0]).verdict == verdict
    assert two_standard_errors([0.5, 0.5], [0.4, 0.4]).verdict == 1
    assert two_standard_errors([0.5, 0.5], [0.5, 0.5]).verdict == 0


@given(p_values=st.lists(st.floats(0, 1), max_size=10), missing=st.integers(0, 10))
@examples(150)
def test_holm_is_that_of_the_definition(p_values, missing):
    np.testing.assert_allclose(holm(p_values), reference.holm(p_values), rtol=1e-12)
    place = min(missing, len(p_values))
    with_missing = holm([*p_values[:place], nan, *p_values[place:]])
    assert math.isnan(with_missing[place])
    np.testing.assert_array_equal(np.delete(with_missing, place), holm(p_values))


def test_holm_rejects_what_demsar_rejects():
    """Section 3.2.2, against C4.5 as the control."""
    p_values = [0.016, 0.019, 0.607]
    assert (holm(p_values) < 0.05).tolist() == [True, True, False]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: average_ranks([0.5, 0.6]), r"scores has shape \(2,\)"),
        (lambda: friedman([[0.5], [0.6]]), r"scores has shape \(2, 1\)"),
        (lambda: paired_t([0.5, 0.6], [0.5]), r"shapes \(2,\) and \(1,\)"),
        (lambda: wilcoxon_signed_ranks([0.5, np.inf], [0.5, 0.1]), "infinite"),
        (lambda: nemenyi_critical_difference(1, 10), "1 models on 10 data sets"),
        (lambda: nemenyi_p_values([1.0, 2.0], 0), "2 models on 0 data sets"),
    ],
)
def test_what_cannot_be_tested_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
