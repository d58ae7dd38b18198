"""Discriminants beside their definitions."""

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from tests.naive_reference.pooled import linear_answer, quadratic_answer
from unnaive.pooled.gaussian_experts import (
    choose_indicators,
    dimensions,
    linear_discriminant,
    moments_of,
    quadratic_discriminant,
    score_linear,
    score_quadratic,
)


def drawn(seed, n_rows=40, n_numbers=3, n_classes=3):
    rng = np.random.default_rng(seed)
    classes = np.append(np.repeat(np.arange(n_classes), 3), rng.integers(n_classes, size=n_rows - 3 * n_classes))
    numbers = rng.normal(size=(n_rows, n_numbers)) * [1, 10, 0.1][:n_numbers] + classes[:, None]
    numbers[rng.random(numbers.shape) < 0.05] = np.nan
    codes = rng.integers(0, 3, (n_rows, n_numbers + 1)).astype(np.uint8)
    is_categorical = np.arange(n_numbers + 1) == n_numbers
    weights = rng.random(n_rows) + 0.2
    indicators = choose_indicators(codes, weights, is_categorical, n_numbers)
    moments = moments_of(
        numbers, codes, classes.astype(np.int32), weights, n_classes, indicators, of_classes=n_numbers > 0
    )
    return dimensions(numbers, codes, moments), classes.astype(np.int32), weights, moments


def linear(X, classes, weights, moments):
    shrinkage = 0.05 * np.diag(moments.scatter).mean() + 1e-9
    return score_linear, linear_discriminant(moments), linear_answer, X, shrinkage


def quadratic(X, classes, weights, moments):
    common = moments.scatter[:3, :3] / weights.sum()
    prior = 10 * (0.7 * common + 0.3 * np.diag(np.diag(common)) + 1e-3 * np.eye(3))
    return score_quadratic, quadratic_discriminant(moments), quadratic_answer, X[:, :3], prior


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", [linear, quadratic])
def test_discriminants_are_those_of_their_definitions_and_leave_rows_out(kind, seed):
    X, classes, weights, moments = drawn(seed)
    assert X.shape[1] == 6
    score, discriminant, answer, seen, prior = kind(X, classes, weights, moments)
    found = score(X, moments, discriminant)
    left_out = score(X, moments, discriminant, classes, weights)
    for row in range(len(X)):
        expected = answer(seen, classes, weights, 3, prior, seen[row])
        np.testing.assert_allclose(found[row], np.maximum(expected, -25), rtol=1e-9, atol=1e-9)
        rest = np.arange(len(X)) != row
        expected = answer(seen[rest], classes[rest], weights[rest], 3, prior, seen[row])
        np.testing.assert_allclose(left_out[row], np.maximum(expected, -25), rtol=1e-9, atol=1e-9)


def test_the_linear_discriminant_is_about_scikit_learns():
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=400)
    numbers = rng.normal(size=(400, 4)) + y[:, None]
    none = np.empty((0, 2), np.int64)
    moments = moments_of(
        numbers, np.zeros((400, 4), np.uint8), y.astype(np.int32), np.ones(400), 3, none, of_classes=False
    )
    found = score_linear(
        dimensions(numbers, np.zeros((400, 4), np.uint8), moments), moments, linear_discriminant(moments)
    )
    theirs = LinearDiscriminantAnalysis().fit(numbers, y).predict_proba(numbers)
    np.testing.assert_allclose(np.exp(found), theirs, atol=0.05)


def test_only_the_commonest_categories_have_indicators_if_there_are_too_many():
    codes = np.repeat(np.arange(250, dtype=np.uint8), np.arange(1, 251))[:, None].repeat(2, axis=1)
    chosen = choose_indicators(codes, np.ones(len(codes)), np.ones(2, dtype=bool), 56)
    assert len(chosen) == 200
    assert chosen[:, 1].min() == 150


def test_a_class_of_a_single_row_is_ruled_out_where_that_row_is_left_out():
    X, classes, weights, moments = drawn(0)
    alone = np.where(classes == 2, 1, classes)
    alone[5] = 2
    moments = moments_of(
        X[:, :3], np.zeros((len(X), 3), np.uint8), alone, weights, 3, np.empty((0, 2), np.int64), of_classes=True
    )
    X = dimensions(X[:, :3], np.zeros((len(X), 3), np.uint8), moments)
    for score, made in ((score_linear, linear_discriminant), (score_quadratic, quadratic_discriminant)):
        found = score(X, moments, made(moments), alone, weights)
        assert np.isfinite(found).all()
        assert found[5, 2] == -25
