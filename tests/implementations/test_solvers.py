"""Minimisers against closed forms and brute force."""

import numpy as np
import pytest

from implementations import losses, solvers
from implementations.interfaces import Problem


def test_weighted_median_minimises_over_a_grid():
    rng = np.random.default_rng(6)
    for _ in range(50):
        values, weights = rng.integers(-4, 5, 7).astype(float), rng.integers(0, 3, 7) + 0.0
        weights[0] = 1.0
        best = solvers.weighted_median(values, weights)
        objective = lambda t: float((weights * np.abs(t - values)).sum())  # noqa: B023, E731
        grid = np.linspace(-5, 5, 1001)
        risks = np.array([objective(t) for t in grid])
        assert objective(best) <= risks.min() + 1e-9
        # and no minimiser is nearer to zero
        minimisers = grid[risks <= risks.min() + 1e-9]
        if objective(best) >= risks.min() - 1e-9:
            assert abs(best) <= np.abs(minimisers).min() + 1e-9


def test_absolute_regression_is_certified_and_beats_random_points():
    rng = np.random.default_rng(7)
    features = rng.standard_normal((40, 4))
    problem = Problem(
        features, features @ np.array([1.0, -2.0, 0.5, 0.0]) + rng.standard_t(2, 40), losses.absolute()
    )
    minimum = solvers.minimise_absolute(problem)
    assert minimum.gap < 1e-9
    others = minimum.point + 0.1 * rng.standard_normal((500, 4))
    assert minimum.value <= solvers.risk(problem, others).min() + 1e-9


def test_absolute_regression_of_lower_rank():
    features = np.array([[1.0, 1.0], [2.0, 2.0], [-1.0, -1.0]])
    minimum = solvers.minimise_absolute(Problem(features, np.array([1.0, 2.0, -1.0]), losses.absolute()))
    assert minimum.value == pytest.approx(0.0, abs=1e-9)
    assert minimum.gap < 1e-9


@pytest.mark.parametrize("loss", [losses.logistic(), losses.pseudo_huber(0.5)], ids=lambda loss: loss.name)
def test_smooth_minimum_is_certified(loss):
    rng = np.random.default_rng(8)
    features = rng.standard_normal((60, 3))
    problem = Problem(features, np.sign(features[:, 0] + 2.0 * rng.standard_normal(60)), loss)
    minimum = solvers.minimise_smooth(problem, radius=10.0)
    assert minimum.gap < 1e-7
    others = minimum.point + 0.05 * rng.standard_normal((500, 3))
    assert minimum.value <= solvers.risk(problem, others).min()


def test_separable_logistic_regression_has_no_minimum():
    problem = Problem(np.array([[1.0], [-1.0]]), np.array([1.0, -1.0]), losses.logistic())
    # the infimum 0 is not attained: any point the solver stops at has a gap of at most its own value
    minimum = solvers.minimise_smooth(problem, radius=1.0)
    assert minimum.value < 1e-9


def test_wrong_losses_are_refused():
    problem = Problem(np.eye(2), np.zeros(2), losses.hinge())
    with pytest.raises(ValueError, match="hinge"):
        solvers.minimise_absolute(problem)
    with pytest.raises(ValueError, match="hinge"):
        solvers.minimise_smooth(problem, radius=1.0)
