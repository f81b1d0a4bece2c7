"""Private selection, the local variant and the softmax fields of song2021 against independent oracles."""

from fractions import Fraction as F

import numpy as np
import pytest
from scipy import integrate, stats

from implementations import losses
from implementations.interfaces import Problem
from implementations.song2021 import local, softmax_fields, stationary_point


@pytest.mark.parametrize("gap", [-7.0, -0.3, 0.0, 2.0])
def test_two_candidate_probability_is_the_convolution(gap):
    b = 0.7
    law = stats.laplace(scale=b)
    expected, _ = integrate.quad(
        lambda z: law.pdf(z) * law.sf(z - gap), -40, 40, points=[0.0, gap], limit=400
    )
    assert float(stationary_point.two_candidate_probability(gap, b)) == pytest.approx(expected, rel=1e-8)
    assert stationary_point.selection_probability(np.array([0.0, gap]), b, 0) == pytest.approx(
        expected, rel=1e-8
    )


def test_selection_probabilities_add_up_and_agree_with_draws():
    scores, b = np.array([0.4, 0.0, 1.1, 0.2]), 0.5
    exact = [stationary_point.selection_probability(scores, b, k) for k in range(4)]
    assert sum(exact) == pytest.approx(1.0, abs=1e-12)
    candidates = ((np.full(40_000, score), np.zeros((40_000, 1))) for score in scores)
    draws = stationary_point.report_noisy_min(candidates, b, np.random.default_rng(0)).index
    # χ² with 3 degrees of freedom; wrong alarm with probability 1e-6.
    assert stats.chisquare(np.bincount(draws, minlength=4), 40_000 * np.array(exact)).pvalue > 1e-6


def test_mean_of_local_reports_has_the_law_of_the_shortcut():
    # One step from 0 of learning rate 1: minus the mean of the reports. Kolmogorov–Smirnov, wrong alarm 1e-6.
    problem = Problem(np.full((5, 1), 0.8), np.array([1.0, -1.0, 2.0, 3.0, 4.0]), losses.absolute())
    rng = np.random.default_rng(0)
    slow = [-local.local_reports(problem, np.zeros(1), 0.6, rng).mean() for _ in range(4_000)]
    fast = local.local_dp_gd(problem, 4_000, rng, steps=1, learning_rate=1.0, noise=0.6).printed[:, 0]
    assert stats.ks_2samp(slow, fast).pvalue > 1e-6
    assert np.mean(fast) == pytest.approx(0.8 * 3 / 5, abs=0.03)


def softmax_coefficients(logits):
    p = np.exp(logits - logits.max())
    p /= p.sum()
    p[0] -= 1.0
    return p


@pytest.mark.parametrize("per_class", [False, True])
@pytest.mark.parametrize("point", [(1, 2, 5), (3, 1, 9), (1, 7, 7, 2)])
def test_exact_curl_is_the_numerical_one(point, per_class):
    b, step = F(11, 20), 1e-6
    logits = np.log(np.array(point, dtype=float))

    def clipped(z):
        c = softmax_coefficients(z)
        return np.clip(c, -0.55, 0.55) if per_class else c * min(1.0, 0.55 / np.linalg.norm(c))

    assert np.allclose(clipped(logits), softmax_fields.field(logits, 0.55, per_class=per_class))
    exact = [F(e) for e in point]
    curl = softmax_fields.per_class_curl if per_class else softmax_fields.clipped_curl
    for j in range(len(point)):
        for k in range(j + 1, len(point)):
            ej, ek = np.eye(len(point))[[j, k]] * step
            numerical = (
                clipped(logits + ek)[j]
                - clipped(logits - ek)[j]
                - clipped(logits + ej)[k]
                + clipped(logits - ej)[k]
            ) / (2 * step)
            assert curl(exact, b, j, k).value == pytest.approx(numerical, abs=1e-7)


def test_loop_integral_of_a_gradient_field_is_zero_and_that_of_a_clipped_one_is_the_curl_times_the_area():
    corner = np.array([-2.0, 0.0, 1.0])
    free, error = softmax_fields.loop_integral(corner, 0, 1, 0.3, 1e9, per_class=False)
    assert abs(free) <= error + 1e-13
    side = 1e-3
    value, _ = softmax_fields.loop_integral(corner, 0, 1, side, 0.5, per_class=False)
    exact = [F(float(e)) for e in np.exp(corner)]
    # Green: ∮ = ∫∫ ∂G_1/∂z_0 − ∂G_0/∂z_1 = −curl(0, 1)·area up to side³.
    assert value == pytest.approx(
        -softmax_fields.clipped_curl(exact, F(1, 2), 0, 1).value * side**2, rel=1e-2
    )
