"""The laws that song2021's programs are held against: closed forms, quadrature, and draws that must fall."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate, stats

from audits.evidence import Verdict, combine
from claims.song2021 import _oracle, section_6_training


@pytest.mark.parametrize("steps", [1, 2, 7])
def test_law_of_the_average_of_linear_losses(steps):
    # H = 0: θ̄ = η·Σ (1 − s/T)(c − b_s), whose weights sum to (T + 1)/2 and their squares to (T+1)(2T+1)/(6T).
    pull, eta, noise = np.array([0.4, -1.0]), 0.3, 1.7
    mean, covariance = _oracle.law_of_average(
        np.zeros((2, 2)), pull, learning_rate=eta, noise=noise, steps=steps
    )
    assert mean == pytest.approx(eta * 0.5 * (steps + 1) * pull)
    share = (steps + 1) * (2 * steps + 1) / (6 * steps)
    assert covariance == pytest.approx((eta * noise) ** 2 * share * np.eye(2))


WRONG = {
    "as stated": lambda normal: normal,
    "one number for both coordinates": lambda normal: normal[:, :1] * np.ones(2),
    "every run twice": lambda normal: np.tile(normal[::2], (2, 1)),
    "10 % more noise": lambda normal: 1.1 * normal,
    "cut at two deviations": lambda normal: np.clip(normal, -2.0, 2.0),
}


# A sampler of the stated law is refuted with probability 1e-7.
@pytest.mark.parametrize("kind", WRONG)
def test_draws_against_their_law(kind):
    rng = np.random.default_rng(3)
    root, mean = np.array([[2.0, 0.0], [-1.0, 0.5]]), np.array([1.0, -3.0])
    values = mean + WRONG[kind](rng.standard_normal((20_000, 2))) @ root.T
    evidence = list(_oracle.gaussian_draws("x", values, mean, root @ root.T, alpha=1e-7))
    expected = Verdict.CONSISTENT if kind == "as stated" else Verdict.REFUTED
    assert combine(evidence) is expected
    assert sum(e.alpha_spent for e in evidence) <= 1e-7 * (1 + 1e-9)


@pytest.mark.parametrize("z", [-2.0, -0.1, 0.0, 0.7, 5.0])
@pytest.mark.parametrize("d", [3, 5])
def test_a_coordinate_of_gamma_noise(d, z):
    # The norm is Gamma(d); the direction's coordinate is uniform for d = 3, of density ¾(1 − u²) for d = 5.
    law = stats.gamma(d)
    tail = {3: section_6_training.tail_of_three, 5: section_6_training.tail_of_five}[d]

    def below(r):
        u = np.clip(z / r, -1.0, 1.0)
        return law.pdf(r) * (0.5 + (0.5 * u if d == 3 else 0.75 * u - 0.25 * u**3))

    exact = integrate.quad(below, 0.0, 80.0, limit=200)[0]
    assert float(tail(np.array(z))) == pytest.approx(exact, abs=1e-7)
