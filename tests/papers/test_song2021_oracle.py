"""The laws that song2021's programs are held against: closed forms, quadrature, and draws that must fall."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate, stats

from audits.evidence import Verdict, combine
from claims.song2021 import _oracle, section_6_training, theorem_4_1_program, theorem_b_1_programs
from implementations.song2021 import stationary_point


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


def test_law_of_the_average_where_one_step_reaches_the_optimum():
    # H = I/η: every iterate is ηc − ηb, so the average has the variance η²σ²/T.
    pull, eta = np.array([0.4, -1.0]), 2.5
    mean, covariance = _oracle.law_of_average(np.eye(2) / eta, pull, learning_rate=eta, noise=0.6, steps=9)
    assert mean == pytest.approx(eta * pull)
    assert covariance == pytest.approx((0.6 * eta) ** 2 / 9.0 * np.eye(2))


def draws(kind, rng, size=20_000):
    normal = rng.standard_normal((size, 2))
    return {
        "as stated": normal,
        "one number for both coordinates": normal[:, :1] * np.ones(2),
        "every run twice": np.tile(normal[: size // 2], (2, 1)),
        "10 % more noise": 1.1 * normal,
        "cut at two deviations": np.clip(normal, -2.0, 2.0),
    }[kind]


KINDS = (
    "as stated",
    "one number for both coordinates",
    "every run twice",
    "10 % more noise",
    "cut at two deviations",
)


# A sampler of the stated law is refuted with probability 1e-7.
@pytest.mark.parametrize("kind", KINDS)
def test_draws_against_their_law(kind):
    rng = np.random.default_rng(3)
    root, mean = np.array([[2.0, 0.0], [-1.0, 0.5]]), np.array([1.0, -3.0])
    values = mean + draws(kind, rng) @ root.T
    evidence = list(_oracle.gaussian_draws("x", values, mean, root @ root.T, alpha=1e-7))
    expected = Verdict.CONSISTENT if kind == "as stated" else Verdict.REFUTED
    assert combine(evidence) is expected
    assert sum(e.alpha_spent for e in evidence) <= 1e-7 * (1 + 1e-9)


@pytest.mark.parametrize("z", [-2.0, -0.1, 0.0, 0.7, 5.0])
def test_a_coordinate_of_gamma_noise_in_five_dimensions(z):
    # The direction's coordinate has the density ¾(1 − u²).
    law = stats.gamma(5)

    def share(r):
        u = np.clip(z / r, -1.0, 1.0)
        return 0.5 + 0.75 * u - 0.25 * u**3

    below = integrate.quad(lambda r: law.pdf(r) * share(r), 0.0, 80.0, limit=200)[0]
    assert float(section_6_training.tail_of_five(np.array(z))) == pytest.approx(below, abs=1e-7)


@pytest.mark.parametrize("z", [-2.0, -0.1, 0.0, 0.7, 5.0])
def test_a_coordinate_of_gamma_noise_in_three_dimensions(z):
    # The direction's coordinate is uniform on [−1, 1], the norm is Gamma(3).
    law = stats.gamma(3)
    below = integrate.quad(
        lambda r: law.pdf(r) * np.clip(0.5 * (1.0 + z / r), 0.0, 1.0), 0.0, 60.0, limit=200
    )
    assert float(section_6_training.tail_of_three(np.array(z))) == pytest.approx(below[0], abs=1e-7)


@pytest.mark.parametrize("gap", [0.0, 0.4, 3.0])
def test_the_last_of_three_candidates(gap):
    found = stationary_point.selection_probability(np.array([0.0, 0.0, gap]), 1.0, 2)
    assert theorem_4_1_program.last_of_three(gap) == pytest.approx(found, abs=1e-10)


@pytest.mark.parametrize(("noise", "scale"), [("laplace", 2.0), ("gaussian", None)])
def test_shares_of_ones(noise, scale):
    shares = theorem_b_1_programs.shares_of_ones(0.8, 0.01, 3)
    law = (
        stats.laplace(scale=scale / 0.8)
        if scale
        else stats.norm(scale=2.0 / theorem_b_1_programs.mu_star(0.8, 0.01))
    )
    assert shares[noise] == pytest.approx(law.cdf(3.0), rel=1e-12)
