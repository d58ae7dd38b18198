import numpy as np
import pytest

from tests.counts.test_count_table import counted
from tests.naive_reference.hidden import hidden_naive_bayes
from unnaive import HiddenNaiveBayes
from unnaive.bayes.hidden_kernels import hidden_evidence, score_hidden


def dependent_rows(n_classes, n_columns, missing):
    """Columns of three values that follow the class and the column before."""
    rng = np.random.default_rng(n_classes)
    y = rng.integers(n_classes, size=60)
    codes = np.cumsum(rng.integers(2, size=(60, n_columns)), axis=1) + y[:, None]
    codes %= 3
    codes[rng.random(codes.shape) < missing] = -1
    return codes.astype(np.int32), y


def tables_of(codes, y, n_classes, **parameters):
    counts = counted(codes, y, np.ones(len(y)), [3] * codes.shape[1], n_classes, 2)
    return counts, HiddenNaiveBayes(**parameters)._derive(counts)


@pytest.mark.parametrize("n_classes", [2, 3, 4])
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_rows_of_dependent_columns_have_the_probabilities_of_the_definition(n_classes, missing):
    codes, y = dependent_rows(n_classes, 5, missing)
    counts, tables = tables_of(codes, y, n_classes)
    assert (tables.dependence[np.triu_indices(5, 1)] > 0).all()
    scores = score_hidden(codes, counts, tables)
    found = np.exp(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True))
    expected = hidden_naive_bayes(codes, y, np.ones(60), [3] * 5, n_classes, codes)
    # Scores are sums of six logarithms below ten, each rounded by less than 2e-15.
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_mixtures_of_all_values_of_a_column_sum_to_one_and_those_of_all_columns_make_the_score(n_classes):
    codes, y = dependent_rows(n_classes, 4, 0.0)
    counts, tables = tables_of(codes, y, n_classes)
    row = codes[0]
    for column in range(4):
        rows = np.tile(row, (3, 1))
        rows[:, column] = np.arange(3)
        evidence = hidden_evidence(rows, counts, tables)
        np.testing.assert_allclose(np.exp(evidence[:, column]).sum(axis=0), 1.0, rtol=1e-14)
        expected = tables.log_prior + evidence.sum(axis=1)
        np.testing.assert_allclose(score_hidden(rows, counts, tables), expected, rtol=1e-13)


@pytest.mark.parametrize("m", [1e-30, 1e-210])
def test_scores_of_values_that_never_met_do_not_underflow(m):
    # In the first and last class every column had the value 2, but no two at once: about m / 3 for each.
    apart, others = 2 * np.eye(14, dtype=int), np.random.default_rng(0).integers(3, size=(14, 14))
    codes, y = np.vstack([apart, others, apart]).astype(np.int32), np.repeat([0, 1, 2], 14)
    counts, tables = tables_of(codes, y, 3, m=m)
    rows = np.vstack([np.full((1, 14), 2), codes[::5]]).astype(np.int32)
    scores = score_hidden(rows, counts, tables)
    assert scores[0, [0, 2]].max() < np.log(np.nextafter(0.0, 1.0)) < scores[0, 1]
    expected = tables.log_prior + hidden_evidence(rows, counts, tables).sum(axis=1)
    np.testing.assert_allclose(scores, expected, rtol=1e-13)
