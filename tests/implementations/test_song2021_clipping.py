"""The clipped surrogate, clipped DP-GD and the logistic instance of song2021 against independent oracles."""

import tracemalloc
from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, optimize

from implementations import losses
from implementations.interfaces import Problem
from implementations.song2021 import clipped_dp_gd, logistic_instance
from implementations.song2021 import clipped_surrogate as cs

rationals = st.fractions(min_value=-6, max_value=6, max_denominator=6)


@st.composite
def functions(draw):
    slopes = tuple(sorted(draw(st.sets(rationals, min_size=1, max_size=5))))
    size = len(slopes) - 1
    breaks = tuple(sorted(draw(st.sets(rationals, min_size=size, max_size=size))))
    return cs.PiecewiseLinear(breaks, slopes, draw(rationals))


@given(functions(), rationals)
@settings(max_examples=20)
def test_value_is_a_maximum_of_tangents(f, y):
    # Convex piecewise linear: f(y) = max over its pieces of the line through that piece.
    anchors = [(f.breaks[0] if f.breaks else F(0)) - 1, *f.breaks]
    lines = [f.value(b) + s * (y - b) for b, s in zip(anchors, f.slopes, strict=True)]
    assert f.value(y) == max(lines)
    low, high = f.subdifferential(y)
    step = F(1, 10**6)
    assert low == (f.value(y) - f.value(y - step)) / step
    assert high == (f.value(y + step) - f.value(y)) / step


@pytest.mark.parametrize(
    "loss", [losses.pseudo_huber(0.3), losses.logistic(), losses.huber(0.5)], ids=lambda loss: loss.name
)
@pytest.mark.parametrize("bound", [0.1, 0.4, 0.9])
def test_surrogate_loss_is_the_integral_of_the_clipped_slope(loss, bound):
    g = cs.surrogate_loss(loss, bound)
    y = np.array(1.0)
    for z in (-7.0, -0.4, 0.8, 1.3, 6.0):
        expected, _ = integrate.quad(
            lambda t: float(np.clip(loss.slope(np.array(t), y), -bound, bound)), 0.0, z, limit=400
        )
        found = float(g.value(np.array(z), y) - g.value(np.array(0.0), y))
        assert found == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("bound", [0.3, 5.0])
def test_clipped_gradient_clips_every_record(bound):
    rng = np.random.default_rng(0)
    x, y, theta = rng.normal(size=(9, 4)), rng.normal(size=9), rng.normal(size=(3, 4))
    x[2] = 0.0
    problem = Problem(x, y, losses.absolute())
    found = clipped_dp_gd.clipped_gradient(problem, bound)(theta)
    for row, t in zip(found, theta, strict=True):
        gradients = [np.sign(t @ a - b) * a for a, b in zip(x, y, strict=True)]
        clipped = [g * min(1.0, bound / np.linalg.norm(g)) if g.any() else g for g in gradients]
        assert np.allclose(row, np.mean(clipped, axis=0))


def test_clipped_gradient_of_many_parameters_is_taken_in_parts():
    """The same numbers, and memory that does not grow with the slopes of all records at all θ."""
    rng = np.random.default_rng(1)
    problem = Problem(rng.normal(size=(50, 2)), rng.normal(size=50), losses.huber(1.0))
    theta = rng.normal(size=(4, 5_001, 2))
    whole = clipped_dp_gd.clipped_gradient(problem, 0.3)(theta)
    gradient = clipped_dp_gd.clipped_gradient(problem, 0.3, most_bytes=50 * 8 * 1_000)
    tracemalloc.start()
    try:
        parts = gradient(theta)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    np.testing.assert_allclose(parts, whole, rtol=1e-12, atol=1e-15)
    assert parts.shape == theta.shape
    assert peak < 4e6  # all slopes at once are 8 MB, and there are several such arrays


def test_clipped_gradient_is_the_derivative_of_the_surrogate_risk():
    rng = np.random.default_rng(1)
    problem = Problem(rng.normal(size=(7, 3)), rng.choice([-1.0, 1.0], 7), losses.logistic())
    risk, gradient = clipped_dp_gd.surrogate_risk(problem, 0.3), clipped_dp_gd.clipped_gradient(problem, 0.3)
    theta = rng.normal(size=3)
    for axis in np.eye(3):
        difference = (risk((theta + 1e-6 * axis)[None]) - risk((theta - 1e-6 * axis)[None]))[0] / 2e-6
        assert difference == pytest.approx(float(gradient(theta[None])[0] @ axis), abs=1e-7)


@pytest.mark.parametrize("b", [0.24, 0.1, 0.003])
def test_logistic_instance_closed_forms(b):
    found = optimize.minimize_scalar(
        lambda t: float(logistic_instance.clipped_risk(np.array(t), b)), bounds=(-40, 40), method="bounded",
        options={"xatol": 1e-9},
    )  # fmt: skip
    assert logistic_instance.clipped_optimum(b) == pytest.approx(found.x, abs=1e-3)
    data = logistic_instance.problem(30)
    assert (data.targets == -1).sum() == 10
    scores = data.features @ np.array([0.7])
    assert float(logistic_instance.risk(np.array(0.7))) == pytest.approx(
        float(np.mean(np.log1p(np.exp(-data.targets * scores))))
    )
