"""Scores against closed forms and brute force."""

from __future__ import annotations

import numpy as np
import pytest

from audits.privacy.bet import events
from audits.privacy.learn.cells import sets, value
from audits.privacy.learn.regressions import logistic, smooth
from audits.privacy.outputs.describe import rendered
from audits.privacy.outputs.outputs import LARGE, Encoded
from audits.privacy.outputs.score import Fit
from tests.audits.privacy_runs import encoded


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


def test_laplace_noise_in_many_columns_is_told_as_the_exact_ratio_tells_it() -> None:
    # A shift of 1 in four of fifteen columns of scale 3. The log-likelihood ratio is flat beyond both means;
    # a weighted sum of the columns has correlation 0.74 with it.
    rng = np.random.default_rng(0)
    x = rng.laplace(scale=3.0, size=(3, 20_000, 15))
    x[0, :, :4] += 1.0
    first, second, fresh = (encoded(side) for side in x)
    exact = (np.abs(x[2, :, :4]) - np.abs(x[2, :, :4] - 1.0)).sum(axis=1) / 3.0
    assert np.corrcoef(exact, logistic(first, second).evaluate(fresh))[0, 1] > 0.95
