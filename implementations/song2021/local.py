"""The local variant of DP-GD (section 3.1 of Song et al. 2021, footnote 3).

Every record randomises its own gradient. In each of T rounds a record sends its gradient plus Gaussian
noise. One report moves by at most 2L when the record is replaced, so T rounds are μ-Gaussian differentially
private with noise 2L√T/μ a report. The mean of n reports has noise 2L√T/(μ√n): √n times the central noise
2L√T/(μn), as the footnote says.
"""

from __future__ import annotations

import math

import numpy as np

from implementations.checks import positive, probability, whole_number
from implementations.interfaces import Array, Domain, Problem
from implementations.privacy import mu_star
from implementations.song2021.dp_gd import Averages, gaussian_noise, glm_gradient, run


def report_noise(*, epsilon: float, delta: float, steps: int, lipschitz: float) -> float:
    """Least noise of one report for which all T reports of a record are (ε, δ)-locally private."""
    positive(lipschitz=lipschitz)
    probability(delta=delta)
    whole_number(steps=steps)
    return 2.0 * lipschitz * math.sqrt(steps) / mu_star(epsilon, delta)


def local_reports(problem: Problem, theta: Array, noise: float, rng: np.random.Generator) -> Array:
    """The n reports of one round at θ (p,), shape (n, p): gradient plus N(0, noise²·I) each."""
    slopes = problem.loss.slope(problem.features @ theta, problem.targets)
    return slopes[:, None] * problem.features + noise * rng.standard_normal(problem.features.shape)


def local_dp_gd(
    problem: Problem,
    size: int,
    rng: np.random.Generator,
    *,
    steps: int,
    learning_rate: float,
    noise: float,
    domain: Domain | None = None,
) -> Averages:
    """Gradient descent on the mean of n local reports of noise `noise`, `size` runs, each average (size, p).

    The mean of the reports is drawn at once: it is the gradient plus N(0, noise²/n·I), exactly in law.
    """
    n, p = problem.features.shape
    return run(
        glm_gradient(problem),
        np.zeros((size, p)),
        steps=steps,
        learning_rate=learning_rate,
        noise=gaussian_noise((size, p), noise / math.sqrt(n), rng),
        project=None if domain is None else domain.project,
    )
