r"""Lemma E.1: for μ-strongly convex F, F̃ with a G-Lipschitz difference, P ∝ e^{−F} and Q ∝ e^{−F̃} have
δ(P‖Q)(ε) ≤ δ(N(0, 1)‖N(G/√μ, 1))(ε), and the Gaussian curve is Φ(−ε/s + s/2) − e^ε·Φ(−ε/s − s/2) (Gopi,
Lee and Liu 2022).

It holds, with equality for quadratic F and linear difference.

How it is checked. By quadrature of random pairs on the line: F is (μ/2)x² plus a random convex
piecewise-linear or quartic function, the difference a random Lipschitz function, convex and concave
pieces mixed where both potentials stay μ-strongly convex; half-lines as events, at several ε. The
equality is checked for linear differences."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from claims import CONFIRMED, Claim, Evidence, Kind, Point, at_most, equals, grid
from claims.lee2024 import PAPER, _line

EPSILONS = (0.0, 0.05, 0.3, 1.0, 3.0)


def curve(epsilon: float, s: float) -> float:
    """The printed formula."""
    from scipy.special import ndtr

    return float(ndtr(-epsilon / s + s / 2.0) - math.exp(epsilon) * ndtr(-epsilon / s - s / 2.0))


def check(point: Point) -> Iterator[Evidence]:
    rng = np.random.default_rng(int(point.family))
    mu, g = point.mu, point.lipschitz
    s = g / math.sqrt(mu)
    reach = 12.0 / math.sqrt(mu) + 3.0 * g / mu
    worst, worst_epsilon = -math.inf, 0.0
    for trial in range(point.pairs):
        a, w = 2.0 * rng.standard_normal(3) / math.sqrt(mu), 2.0 * g * rng.exponential(1.0, 3)
        quartic = float(rng.exponential(0.1)) if trial % 3 == 0 else 0.0
        # A convex difference Σ v|x − b| with Σ v ≤ G is added to the one potential, or taken from both.
        b = rng.standard_normal(2) / math.sqrt(mu)
        v = rng.dirichlet(np.ones(3))[:2] * g
        tilt = (g - v.sum()) * rng.choice([-1.0, 1.0])

        def first(x: np.ndarray, a=a, w=w, quartic=quartic) -> np.ndarray:
            return -(0.5 * mu * x**2 + (w * np.abs(x[:, None] - a)).sum(axis=1) + quartic * mu**2 * x**4)

        def second(x: np.ndarray, b=b, v=v, tilt=tilt, first=first) -> np.ndarray:
            return first(x) - (v * np.abs(x[:, None] - b)).sum(axis=1) - tilt * x

        for epsilon in EPSILONS:
            delta = _line.half_line_delta(first, second, epsilon, -reach, reach, breaks=[*a, *b], cells=1500)
            if delta - curve(epsilon, s) > worst:
                worst, worst_epsilon = delta - curve(epsilon, s), epsilon
    yield at_most(f"largest δ(P‖Q) − δ(Gaussian), at ε = {worst_epsilon:g}", worst, 1e-10, point=point.axes)
    for epsilon in EPSILONS:
        linear = _line.half_line_delta(
            lambda x: -0.5 * mu * x**2,
            lambda x: -0.5 * mu * x**2 - g * x,
            epsilon,
            -reach,
            reach,
            cells=20_000,
        )
        # The best half-line is missed by at most one cell: a second-order loss.
        yield equals(
            f"δ of a linear difference at ε = {epsilon:g}",
            linear,
            curve(epsilon, s),
            error=1e-6,
            point=point.axes,
        )


CLAIM = Claim(
    PAPER,
    "Lemma E.1",
    "appendix E.1",
    kind=Kind.PRIVACY,
    title="Gaussian privacy of strongly log-concave laws",
    statement=r"""For $\mu$-strongly convex $F,\tilde F$ with $G$-Lipschitz difference, $P\propto e^{-F}$,
$Q\propto e^{-\tilde F}$ and every $\varepsilon$:
$\delta(P\|Q)(\varepsilon)\le\delta(N(0,1)\|N(G/\sqrt\mu,1))(\varepsilon)$.""",
    expected=CONFIRMED,
    check=check,
    smoke=grid(family=1, mu=1.0, lipschitz=1.0, pairs=5),
    ci=grid(family=(1, 2), mu=(0.2, 5.0), lipschitz=(0.1, 1.0, 4.0), pairs=25),
)
