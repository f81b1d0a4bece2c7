"""Cross-fitting: what the folds say of the samples, by closed form and against counts of fresh samples."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy import optimize, special, stats

from audits.privacy.bet import events, folds
from audits.privacy.learn import fits, regressions
from audits.privacy.outputs.score import Score, fold_of
from audits.privacy.tuning import TUNING
from tests.audits.privacy_runs import encoded


def test_folds_that_order_alike_say_what_the_mean_says() -> None:
    rng = np.random.default_rng(0)
    first, second = encoded(rng.normal(size=(401, 1))), encoded(rng.normal(size=(401, 1)))
    x, y = first.values[:, 0], second.values[:, 0]
    same = folds.judged(
        (lambda e: np.exp(e.values[:, 0]), lambda e: e.values[:, 0] ** 3), first, second, x, y
    )
    np.testing.assert_array_equal(same[0], x)
    np.testing.assert_array_equal(same[1], y)


def test_each_half_is_judged_by_its_own_fold_and_ties_stay_ties() -> None:
    first, second = encoded([[1.0], [2.0], [3.0], [4.0]]), encoded([[2.0], [1.0], [4.0], [4.0]])
    x, y = first.values[:, 0], second.values[:, 0]
    # The first half turned round, the second half all alike: of equal rank is the largest value.
    found = folds.judged((lambda e: -e.values[:, 0], lambda e: np.zeros(len(e))), first, second, x, y)
    assert found[0].tolist() == [2.0, 1.0, 4.0, 4.0]
    assert found[1].tolist() == [1.0, 2.0, 4.0, 4.0]


@pytest.mark.parametrize("learner", [regressions.smooth, regressions.logistic])
def test_no_side_is_flattered(learner: Any) -> None:
    # Both sides alike: in the highest sixteenth of the scores there must be as many of one as of the other.
    # In-sample there are many more of the first. Two-sided binomial test at 1e-7.
    rng = np.random.default_rng(1)
    own, fair = np.zeros(2, dtype=int), np.zeros(2, dtype=int)
    for _ in range(20):
        # Two columns hardly flatter a score that adds up columns.
        drawn = rng.normal(size=(2, 600, 40 if learner is regressions.logistic else 2))
        first, second = (encoded(side) for side in drawn)
        score = learner(first, second)
        assert score is not None
        assert score.folds is not None
        x, y = score.evaluate(first), score.evaluate(second)
        top = np.quantile(np.concatenate([x, y]), [15 / 16])
        u, v = folds.judged(score.folds, first, second, x, y)
        own += [int(events.count(side, top)[0]) for side in (x, y)]
        fair += [int(events.count(side, top)[0]) for side in (u, v)]
    assert stats.binomtest(int(fair[0]), int(fair.sum())).pvalue > 1e-7
    assert stats.binomtest(int(own[0]), int(own.sum())).pvalue < 1e-7


def _oracle(x: Any, keep: Any, ridge: float) -> Any:
    """Weights and intercept of penalised logistic regression, by a general-purpose optimiser."""
    rows = np.concatenate([x[0][keep], x[1][keep]])
    sign = np.r_[np.ones(int(keep.sum())), -np.ones(int(keep.sum()))]

    def cost(w: Any) -> Any:
        at = sign * (rows @ w[:-1] + w[-1])
        pull = -sign * special.expit(-at)
        slope = np.append(rows.T @ pull + ridge * w[:-1], pull.sum())
        return -special.log_expit(at).sum() + 0.5 * ridge * (w[:-1] @ w[:-1]), slope

    return optimize.minimize(cost, np.zeros(rows.shape[1] + 1), jac=True, method="BFGS").x


@pytest.mark.parametrize("effect", [0.0, 0.5])
@pytest.mark.parametrize("size", [400, 3000])
def test_folds_are_fits_without_their_samples(size: int, effect: float) -> None:
    # To all samples and without a fold's, with whichever of two ridges predicts the folds better.
    x = np.random.default_rng(size).normal(size=(2, size, 6))
    x[0] += effect
    fold = fold_of(size, TUNING.folds)
    whole, without = fits.cross_fit(x[0], x[1], fold)
    assert len(without) == TUNING.folds

    def held_out(ridge: float) -> float:
        found = [_oracle(x, fold != k, ridge) for k in range(TUNING.folds)]
        scores = [x[:, fold == k] @ w[:-1] + w[-1] for k, w in enumerate(found)]
        return -float(special.log_expit([np.concatenate(scores, axis=1) * [[1.0], [-1.0]]]).sum())

    shrunk = fits.shrinkage(x[0], x[1])
    assert shrunk > 1.0
    ridge = min(1.0, shrunk, key=held_out)
    np.testing.assert_allclose(whole, _oracle(x, fold >= 0, ridge)[:-1], atol=0.01)
    for k, found in enumerate(without):
        np.testing.assert_allclose(found, _oracle(x, fold != k, ridge)[:-1], atol=0.02)


def test_folds_of_few_samples_are_ridge_regressions_of_the_labels() -> None:
    # More columns than samples: against the normal equations of (X, ±1) with four times the ridge.
    x = np.random.default_rng(30).normal(size=(2, 30, 80))
    fold = fold_of(30, TUNING.folds)
    _, without = fits.cross_fit(x[0], x[1], fold)
    ridge = 4.0 * fits.shrinkage(x[0], x[1])
    assert len(without) == TUNING.folds
    for k, found in enumerate(without):
        rows, sign = np.concatenate(x[:, fold != k]), np.repeat([1.0, -1.0], np.count_nonzero(fold != k))
        expected = np.linalg.solve(rows.T @ rows + ridge * np.eye(80), rows.T @ sign)
        np.testing.assert_allclose(found, expected)


@pytest.mark.parametrize(("rows", "columns"), [(400, 20), (40, 200), (2, 3)])
def test_the_ridge_is_that_of_ledoit_and_wolf(rows: int, columns: int) -> None:
    # Against scikit-learn: weights for the shrunk covariance are those of a ridge on the sum of squares.
    covariance = pytest.importorskip("sklearn.covariance")
    x = np.random.default_rng(rows).normal(size=(2, rows, columns)) * np.linspace(1.0, 5.0, columns)
    centred = np.concatenate([side - side.mean(axis=0) for side in x])
    part = min(covariance.ledoit_wolf_shrinkage(centred, assume_centered=True), 0.999)
    mean = np.square(centred).mean()
    expected = max(1.0, 0.25 * len(centred) * part / (1.0 - part) * mean)
    assert fits.shrinkage(*x) == pytest.approx(expected, rel=1e-9)


def test_atoms_on_a_threshold_lie_on_the_side_that_the_event_says() -> None:
    # Where outputs repeat, thresholds are scores of some of them, rounded like all scores. Folds that order
    # as the mean does must count exactly what the event will hold.
    rng = np.random.default_rng(3)
    weights = np.array([1.0, math.sqrt(2.0)])
    mean = Score(
        "any",
        lambda e: e.values @ weights,
        lambda t, upper: "",
        folds=(lambda e: 3.0 * (e.values @ weights) + 0.1, lambda e: (e.values @ weights) ** 3),
    )
    assert mean.folds is not None
    for _ in range(10):
        first, second = (
            encoded(np.where(rng.random((600, 1)) < 0.8, rng.integers(0, 4, (600, 2)), rng.random((600, 2))))
            for _ in range(2)
        )
        x, y = mean.evaluate(first), mean.evaluate(second)
        found = events.build(
            mean, x, y, 300, steady=True, judge=partial(folds.judged, mean.folds, first, second)
        )
        assert found is not None
        inside = [found.score.evaluate(side) for side in (first, second)]
        assert np.isin(found.thresholds, np.concatenate(inside)).any()
        assert found.first.tolist() == [int(np.count_nonzero(inside[0] >= t)) for t in found.thresholds]
        assert found.second.tolist() == [int(np.count_nonzero(inside[1] >= t)) for t in found.thresholds]
