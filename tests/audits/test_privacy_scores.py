"""Scores and their calibration against closed forms, brute force and SciPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import ndtr

from audits.privacy.bet import calibration, events
from audits.privacy.learn.cells import sets, value
from audits.privacy.learn.regressions import logistic, smooth
from audits.privacy.learn.scaling import flagged
from audits.privacy.outputs.describe import rendered
from audits.privacy.outputs.outputs import LARGE, Encoded
from audits.privacy.outputs.score import Fit, Score


def encoded(values: Any) -> Encoded:
    columns = np.asarray(values, dtype=np.float64)
    columns = columns[:, None] if columns.ndim == 1 else columns
    return Encoded(columns, np.zeros((len(columns), 1), dtype=np.int64))


def family_of(x: Any, y: Any, scale: float = 1.0) -> tuple[events.ThresholdFamily, Any]:
    score = Score("test", lambda e: scale * e.values[:, 0], lambda t, upper: "")
    a, b = score.evaluate(encoded(x)), score.evaluate(encoded(y))
    cuts = events.thresholds(np.concatenate([a, b]))
    family = events.ThresholdFamily(score, cuts, events.count(a, cuts), events.count(b, cuts), len(a))
    return family, calibration.bin_means(cuts, a, b)


def test_bin_means_by_brute_force() -> None:
    x, y, cuts = np.array([0.0, 1.0, 2.5]), np.array([1.5, 7.0]), np.array([1.0, 2.0, 8.0])
    # Below 1: {0}; [1, 2): {1, 1.5}; [2, 8): {2.5, 7}; from 8 on: none.
    assert calibration.bin_means(cuts, x, y) == pytest.approx([0.0, 1.25, 4.75, 0.0])


def test_posterior_is_the_maximum_that_scipy_finds() -> None:
    rng = np.random.default_rng(0)
    basis = rng.normal(size=(30, 4))
    count = rng.integers(0, 50, 30).astype(float)
    hits = rng.binomial(count.astype(int), 0.3).astype(float)
    precision = 3.0

    def loss(w: Any) -> float:
        z = basis @ w
        return float(np.sum(count * np.logaddexp(0.0, z) - hits * z) + 0.5 * precision * np.sum(w * w))

    best = minimize(loss, np.zeros(4), method="BFGS", options={"gtol": 1e-9}).x
    weights, covariance = calibration.posterior(basis, hits, count, precision)
    np.testing.assert_allclose(weights, best, atol=1e-5)
    # The inverse of the second derivatives, here by differences.
    step, eye = 1e-4, np.eye(4)
    second = [
        [
            (loss(best + a + b) - loss(best + a - b) - loss(best - a + b) + loss(best - a - b))
            / (4 * step**2)
            for a in step * eye
        ]
        for b in step * eye
    ]
    np.testing.assert_allclose(covariance, np.linalg.inv(second), rtol=1e-3, atol=1e-6)


@pytest.mark.parametrize("scale", [1.0, -1.0, 50.0])
def test_rare_shares_of_gaussians_are_found_without_hits(scale: float) -> None:
    # P = N(1, 1), Q = N(0, 1): λ(v) = v − 1/2. Beyond 3.8 Q has 1.4 of 20,000 samples, P has 51. The errors
    # that the calibration states are exceeded fivefold with probability 6e-7 at each of the few events.
    rng = np.random.default_rng(1)
    family, means = family_of(rng.normal(1.0, 1.0, 20_000), rng.normal(0.0, 1.0, 20_000), scale)
    q, noise = calibration.lesser_shares(family, means)
    cuts = family.thresholds / scale
    part = slice(0, len(cuts)) if scale > 0 else slice(len(cuts), 2 * len(cuts))
    truth = ndtr(-cuts)
    rare = (truth < 1e-3) & (cuts < 4.5)
    assert rare.sum() >= 5
    error = np.abs(np.log(q[part][rare] / truth[rare]))
    assert np.all(error <= 5.0 * noise[part][rare])
    # The error of counts would be 1/√(expected hits).
    assert np.all(noise[part][rare] < 0.8 / np.sqrt(20_000 * truth[rare]))


def test_common_shares_are_the_counts() -> None:
    rng = np.random.default_rng(2)
    family, means = family_of(rng.normal(1.0, 1.0, 20_000), rng.normal(0.0, 1.0, 20_000))
    q, _ = calibration.lesser_shares(family, means)
    _, less = family.all_hits()
    many = less > 4000
    np.testing.assert_allclose(q[many], less[many] / family.size, rtol=0.02)


@pytest.mark.parametrize("size", [1, 2, 5, 40])
@pytest.mark.parametrize("apart", [0.0, 1.0, 1e6])
def test_calibration_of_few_or_separate_samples_is_finite(size: int, apart: float) -> None:
    rng = np.random.default_rng(3)
    family, means = family_of(rng.normal(size=size) + apart, rng.normal(size=size))
    q, noise = calibration.lesser_shares(family, means)
    assert np.all((q > 0.0) & (q <= 1.0))
    assert np.all(np.isfinite(noise))


def test_smooth_score_reaches_into_the_corner() -> None:
    # Two columns of independent unit exponentials against twice as wide ones: the log-likelihood ratio is
    # log 4 − (u + v)/2. The score must order outputs as it does.
    rng = np.random.default_rng(4)
    first, second = rng.exponential(1.0, (8000, 2)), rng.exponential(2.0, (8000, 2))
    score = smooth(encoded(first), encoded(second))
    assert score is not None
    fresh = rng.exponential(1.5, (4000, 2))
    found, truth = score.evaluate(encoded(fresh)), np.log(4.0) - 0.5 * fresh.sum(axis=1)
    assert np.corrcoef(found, truth)[0, 1] > 0.97
    # The score has no constant term: it says how far apart outputs are, not where the ratio is 1.
    inner = fresh.sum(axis=1) < 6.0
    slope = np.polyfit(truth[inner], found[inner], 1)[0]
    assert 0.8 < slope < 1.2


def test_an_event_of_cells_is_named_by_its_cells_after_rounding_too() -> None:
    # Four repeated outputs, the middle two with the same counts.
    first = encoded(np.repeat([0.0, 1.0, 2.0, 3.0], [60, 20, 20, 20]))
    second = encoded(np.repeat([0.0, 1.0, 2.0, 3.0], [20, 20, 20, 60]))
    score = sets(first, second)
    assert score is not None
    family = events.build(score, score.evaluate(first), score.evaluate(second), 0, steady=True)
    assert family is not None
    assert family.thresholds.tolist() == pytest.approx([0.0, np.log(60.5 / 20.5)], abs=1e-6)
    named = [rendered(family.words(event)[1]).removeprefix("output in ") for event in range(4)]
    assert named == ["{0, 1, 2}", "{0}", "{3}", "{1, 2, 3}"]


def test_symbols_among_numbers_are_cells_of_their_own() -> None:
    values = np.repeat([0.5, 0.0, 0.0], [40, 20, 20])[:, None]
    first = Encoded(values, np.repeat([0, 1, 2], [40, 20, 20])[:, None])
    second = Encoded(values, np.repeat([0, 2, 2], [40, 20, 20])[:, None])
    score = sets(first, second)
    assert score is not None
    # 40 of 40, 20 of 0, 20 of 40; a symbol that was never seen says nothing.
    rows = Encoded(np.array([[0.5], [0.0], [0.0], [0.0]]), np.array([[0], [1], [2], [7]]))
    expected = np.log([1.0, 20.5 / 0.5, 20.5 / 40.5, 1.0])
    assert score.evaluate(rows) == pytest.approx(expected)
    assert rendered(score.describe(1.0, True)) == "output in {symbol 1}"


@pytest.mark.parametrize("learner", [value, sets])
@pytest.mark.parametrize("digits", [17, 2, 1])
def test_thresholds_are_counted_as_by_comparing_one_by_one(learner: Fit, digits: int) -> None:
    rng = np.random.default_rng(7)
    drawn = [rng.laplace(size=4000), rng.laplace(0.5, size=4000)]
    # A mode, a value that repeats, and whole rows of ties.
    drawn[0][::50], drawn[0][1::40] = 0.3 + 1e-5 * rng.random(80), 0.7
    drawn = [np.round(side, digits) for side in drawn]
    drawn[1][7] = LARGE
    first, second = (encoded(side) for side in drawn)
    score = learner(first.take(slice(2000)), second.take(slice(2000)))
    assert score is not None
    family = events.build(score, score.evaluate(first), score.evaluate(second), 2000, steady=False)
    assert family is not None
    for some in (family, family.keep(np.array([0, len(family.thresholds) // 2]))):
        for side in (first, second):
            expected = [np.count_nonzero(score.evaluate(side) >= t) for t in some.thresholds]
            np.testing.assert_array_equal(events.count(score.evaluate(side), some.thresholds), expected)


def test_sentinels_say_nothing_of_the_scale_of_the_other_values() -> None:
    # Half of a column is −1000; the other half is standard normal: its scale is 1, and sentinels are at 0.
    rng = np.random.default_rng(3)
    first, second = (np.where(rng.random((4000, 1)) < 0.5, -1000.0, rng.normal(size=(4000, 1))) for _ in "ab")
    scaled = flagged(first, second)(first)
    sentinel = first[:, 0] == -1000.0
    np.testing.assert_array_equal(scaled[:, 1], sentinel)
    np.testing.assert_array_equal(scaled[sentinel, 0], 0.0)
    # Five standard errors of a robust scale of some 2,000 values: below 1e-6.
    assert scaled[~sentinel, 0].std() == pytest.approx(1.0, abs=0.1)


def test_laplace_noise_in_many_columns_is_told_as_the_exact_ratio_tells_it() -> None:
    # A shift of 1 in four of fifteen columns of scale 3. The log-likelihood ratio is flat beyond both means;
    # a weighted sum of the columns has correlation 0.74 with it.
    rng = np.random.default_rng(0)
    x = rng.laplace(scale=3.0, size=(3, 20_000, 15))
    x[0, :, :4] += 1.0
    first, second, fresh = (Encoded(side, np.zeros((len(side), 1), dtype=np.int64)) for side in x)
    exact = (np.abs(x[2, :, :4]) - np.abs(x[2, :, :4] - 1.0)).sum(axis=1) / 3.0
    assert np.corrcoef(exact, logistic(first, second).evaluate(fresh))[0, 1] > 0.95
