r"""Lemma D.2: the mean of a Gaussian that is set to zero outside a ball is close to its centre.

If ‖χ‖ + 100√d·σ < B, then ‖χᵗʳ − χ‖ ≤ O((σ + ‖χ‖)e^{−10d}). Much more holds. By Stein's identity
E[Z·h(‖Z‖²)] = χ·E[h(σ²V)], V noncentral chi-squared with d + 2 degrees of freedom and noncentrality
‖χ‖²/σ², so χᵗʳ = χ·P(V ≤ B²/σ²), exactly. √V is the norm of a Gaussian vector about a point of norm ‖χ‖/σ
in d + 2 dimensions: P(√V > B/σ) ≤ P(‖N‖ > 100√d) ≤ exp(−(100√d − √(d + 2))²/2) ≤ exp(−4800·d). So the lemma
holds for all d, σ, χ, B with constant 1, and the distance is at most ‖χ‖e^{−4800d}.

The proof sketch has 70√d for 70d in P(U ≥ 70d) ≤ e^{−10d}, U ~ χ²(d − 1): with 70d it is the tail bound of
Laurent and Massart (2000), d + 2√(10)d + 20d < 28d, and the rest of the sketch needs no more (B² − 70dσ² ≥
(‖χ‖ + 70√d·σ)²).

How it is checked. The exact lost share P(V > B²/σ²) from the implementation where it can be represented,
and its logarithmic bound, against −10d at the edge B = ‖χ‖ + 100√d·σ, d from 1 to 10⁶, ‖χ‖/σ from 0 to 10⁶;
the identity for the mean against quadrature (d = 1) and nested quadrature (d = 2) at small B, where the share
is not small.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np

from claims import CONFIRMED, Claim, Evidence, Kind, Point, at_least, at_most, equals, grid
from claims.ghazi2023 import PAPER
from implementations.ghazi2023 import truncated_gaussian


def mean_by_quadrature(chi: float, d: int, sigma: float, bound: float) -> float:
    """First coordinate of the mean of 𝒩ᵗʳ((χ, 0, …), σ²I; B) for d = 1, 2, 3: the others integrate to a
    known law.
    """
    from scipy.integrate import quad
    from scipy.stats import chi2, norm

    def integrand(z: float) -> float:
        room = (bound**2 - z**2) / sigma**2
        others = 1.0 if d == 1 else float(chi2.cdf(room, d - 1))
        return z * float(norm.pdf(z, chi, sigma)) * others

    return float(quad(integrand, -bound, bound, epsabs=1e-12, limit=200)[0])


def check(point: Point) -> Iterator[Evidence]:
    d = point.d
    for ratio, sigma in itertools.product((0.0, 0.1, 1.0, 30.0, 1e6), (0.02, 1.0, 7.0)):
        bound = sigma * (ratio + 100.0 * math.sqrt(d))
        log_share = truncated_gaussian.log_lost_share_bound(sigma * ratio, d, sigma, bound)
        yield at_most(f"log of the lost share, ‖χ‖ = {ratio:g}σ, σ = {sigma:g}", log_share, -10.0 * d)
    if d <= 3:
        for chi, bound in ((0.4, 1.5), (1.3, 2.0), (0.05, 0.7)):
            exact = chi * (1.0 - truncated_gaussian.lost_share(chi, d, 0.8, bound))
            distance = abs(exact - mean_by_quadrature(chi, d, 0.8, bound))
            yield at_most(f"distance of the mean to quadrature, χ = {chi}, B = {bound}", distance, 1e-8)
    for gap, sigma in itertools.product((0.5, 3.0, 6.0), (0.5, 1.0)):
        bound = sigma * (1.0 + math.sqrt(d + 2) + gap)
        share = truncated_gaussian.lost_share(sigma, d, sigma, bound)
        logged = truncated_gaussian.log_lost_share_bound(sigma, d, sigma, bound)
        where = f"gap {gap}, σ = {sigma:g}"
        yield at_most(f"log of the exact lost share, {where}", math.log(max(share, 1e-300)), logged)
        yield equals(f"bound of the log share over −gap²/2, {where}", logged / (-0.5 * gap**2), 1.0)
    yield from check_draws(d, point.rng)


def check_draws(d: int, rng: np.random.Generator) -> Iterator[Evidence]:
    """The draws against Definition D.1, from the same normal numbers; the share at χ = 0 against χ near 0."""
    d = min(d, 30)
    mean, sigma = np.full(d, 0.4 / math.sqrt(d)), 0.7
    bound, seed = sigma * math.sqrt(d), int(rng.integers(2**31))
    draws = truncated_gaussian.draw(mean, sigma, bound, (500,), np.random.default_rng(seed))
    whole = mean + sigma * np.random.default_rng(seed).standard_normal((500, d))
    kept = np.sqrt((whole**2).sum(axis=1)) <= bound
    yield at_least("draws of either kind, inside the ball and outside", min(kept.sum(), (~kept).sum()), 1)
    yield at_most(
        "distance of the draws to Definition D.1", float(np.abs(draws - kept[:, None] * whole).max()), 1e-12
    )
    near = [truncated_gaussian.lost_share(chi, d, 1.0, 1.3 * math.sqrt(d)) for chi in (0.0, 1e-6)]
    yield at_most("distance of the lost share at χ = 0 to χ = 10⁻⁶", abs(near[0] - near[1]), 1e-9)


CLAIM = Claim(
    PAPER,
    "Lemma D.2",
    "appendix D.1",
    kind=Kind.BOUND,
    title="The mean of a truncated Gaussian",
    statement=r"If $\|\chi\|+100\sqrt d\sigma<B$, then "
    r"$\|\chi^{\mathrm{tr}}(\chi,\sigma^2I;B)-\chi\|\le(\sigma+\|\chi\|)e^{-10d}$.",
    expected=CONFIRMED,
    check=check,
    smoke=grid(d=(1, 30)),
    ci=grid(d=(1, 2, 3, 10, 100, 1000, 10_000, 1_000_000)),
)
