# pyright: reportMissingTypeStubs=false, reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false
"""Does a sampler follow its law?

Two questions, each with an error probability of its own:

* are draws distributed as a known distribution function says (Kolmogorov–Smirnov, finite-sample;
  Anderson–Darling, which looks at the tails);
* does a Markov kernel keep its law: a draw from the law, hidden at a random place of a stretch of the chain,
  must have a uniform rank there (Gandy and Scott 2020).

The distribution function comes from quadrature of the density (`distribution_function`), never from the
sampler under test.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from audits.evidence import Evidence, Verdict

Array = NDArray[np.float64]
Distribution = Callable[[Array], Array]
Kernel = Callable[[Array, np.random.Generator], Array]
"""One step of many chains at once: states (chains, …) → states (chains, …)."""

_Z90 = 1.2815515655446004
_NODES = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """The outcome of a test of fit.

    statistic   of the test.
    p_value     probability of a statistic this large where the sampler is right (an upper bound of it).
    resolution  the smallest Kolmogorov distance between the two laws that the test at level `alpha` catches
                with probability 0.9; inf for a test that has no such number.
    samples     draws behind it.
    """

    test: str
    statistic: float
    p_value: float
    resolution: float
    samples: int
    alpha: float

    @property
    def follows(self) -> bool:
        """False where the test refutes the law at its level."""
        return self.p_value >= self.alpha

    def evidence(self, quantity: str, *, point: Mapping[str, float | int | str] | None = None) -> Evidence:
        """The test as evidence: REFUTED, CONSISTENT with its resolution, or no verdict where it has none."""
        verdict = None if math.isinf(self.resolution) else Verdict.CONSISTENT
        return Evidence(
            quantity=f"{self.test} statistic, {quantity}",
            estimate=self.statistic,
            low=self.statistic,
            high=self.statistic,
            confidence=1.0 - self.alpha,
            method=self.test,
            samples=self.samples,
            point=dict(point or {}),
            verdict=verdict if self.follows else Verdict.REFUTED,
            resolution=self.resolution if self.follows and verdict else None,
            alpha_spent=self.alpha,
            note=f"p-value {self.p_value:.3g}",
        )


def distribution_function(
    log_density: Callable[[Array], Array],
    low: float,
    high: float,
    *,
    breaks: Sequence[float] = (),
    cells: int = 400,
) -> Distribution:
    """F(x) = ∫_low^x e^{log density} / ∫_low^high e^{log density}, by Gauss–Legendre quadrature.

    log_density   vectorised, up to a constant; smooth between the breaks.
    low, high     the mass outside must be negligible: the caller chooses them.
    breaks        kinks of the density; cell edges are put there.
    Raises ValueError for low ≥ high, or a density that is not finite in between.
    """
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise ValueError(f"low and high must be finite with low < high, got {low} and {high}")
    inner = [b for b in breaks if low < b < high]
    edges = np.unique(np.concatenate([np.linspace(low, high, cells + 1), inner]))
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    top = float(np.max(log_density(np.linspace(low, high, 4 * cells + 1))))

    def integral(left: Array, right: Array) -> Array:
        half = 0.5 * (right - left)
        x = left[:, None] + half[:, None] * (nodes + 1.0)
        return half * (np.exp(log_density(x.ravel()).reshape(x.shape) - top) @ weights)

    mass = integral(edges[:-1], edges[1:])
    if not np.isfinite(mass).all() or mass.sum() <= 0.0:
        raise ValueError(f"log_density must be finite between {low} and {high}, got masses {mass}")
    below = np.concatenate([[0.0], np.cumsum(mass)])

    def cdf(x: Array) -> Array:
        points = np.clip(np.asarray(x, dtype=np.float64).ravel(), low, high)
        cell = np.clip(np.searchsorted(edges, points, side="right") - 1, 0, edges.size - 2)
        return np.clip((below[cell] + integral(edges[cell], points)) / below[-1], 0.0, 1.0)

    return cdf


def kolmogorov_smirnov(draws: ArrayLike, law: Distribution, *, alpha: float, allowed: float = 0.0) -> Fit:
    """Independent draws against a continuous law: the largest distance of the distribution functions.

    allowed  a Kolmogorov distance that the sampler may have from the law (a stated total variation).
    Valid for every sample size (Kolmogorov's exact law). Raises ValueError for fewer than 8 draws, draws that
    are not finite, or alpha outside (0, 1).

    >>> draws = np.random.default_rng(0).random(1000)
    >>> kolmogorov_smirnov(draws, lambda x: x, alpha=1e-3).follows
    True
    >>> kolmogorov_smirnov(draws**1.5, lambda x: x, alpha=1e-3).follows
    False
    """
    from scipy.stats import kstwo

    x = _draws("draws", draws)
    _level(alpha)
    values = np.sort(law(x))
    ranks = np.arange(x.size + 1) / x.size
    distance = float(max((ranks[1:] - values).max(), (values - ranks[:-1]).max()))
    if not 0.0 <= allowed < 1.0:
        raise ValueError(f"allowed must be in [0, 1), got {allowed}")
    # A law at Kolmogorov distance r is r away at some point, where the empirical function has sd ≤ 1/(2√n).
    critical = float(kstwo.isf(alpha, x.size))
    return Fit(
        test="Kolmogorov–Smirnov",
        statistic=distance,
        p_value=float(kstwo.sf(max(distance - allowed, 0.0), x.size)),
        resolution=allowed + critical + 0.5 * _Z90 / math.sqrt(x.size),
        samples=x.size,
        alpha=alpha,
    )


def anderson_darling(draws: ArrayLike, law: Distribution, *, alpha: float) -> Fit:
    """Independent draws against a continuous law, with weight on the tails.

    A² = −n − Σ (2i − 1)/n·(log F(x_(i)) + log(1 − F(x_(n+1−i)))). Its limit law is Σ Z_j²/(j(j + 1)), and the
    p-value is Chernoff's bound for that,

        P(A² > a) ≤ min over s in (0, 1) of e^{−sa}·√(−2πs/cos(π√(1 + 8s)/2)),

    about ten times the probability itself: it errs towards no alarm, apart from the limit in n, which is good
    from a hundred draws on (Anderson and Darling 1952; Marsaglia and Marsaglia 2004).
    """
    x = _draws("draws", draws)
    _level(alpha)
    values = np.clip(np.sort(law(x)), 1e-300, 1.0 - 1e-16)
    n = x.size
    odd = 2.0 * np.arange(1, n + 1) - 1.0
    statistic = float(-n - (odd * (np.log(values) + np.log1p(-values[::-1]))).sum() / n)
    s = np.linspace(1e-4, 1.0 - 1e-4, 20_000)
    bound = -s * statistic + 0.5 * np.log(-2.0 * math.pi * s / np.cos(0.5 * math.pi * np.sqrt(1.0 + 8.0 * s)))
    return Fit(
        test="Anderson–Darling",
        statistic=statistic,
        p_value=float(min(1.0, math.exp(min(0.0, float(bound.min()))))),
        resolution=math.inf,
        samples=n,
        alpha=alpha,
    )


def rank_statistics(
    start: Array,
    kernel: Kernel,
    statistic: Callable[[Array], Array],
    rng: np.random.Generator,
    *,
    length: int,
    alpha: float,
) -> Fit:
    """Does a reversible kernel keep the law that `start` was drawn from?

    start      independent exact draws of the law (chains, …), one chain each.
    kernel     one step of all chains; it must be reversible for the law, else ranks need not be uniform.
    statistic  states (chains, …) → (chains,); continuous, so that there are no ties.
    length     steps of each chain; the exact draw gets a uniformly random place among the length + 1 states,
               the chain is run from there in both directions, and the rank of the draw's statistic is uniform
               on 0 … length.
    The p-value is that of Pearson's χ² over the ranks, joined to at least 20 expected counts a cell.
    Raises ValueError for fewer than 40 chains, length < 1, a statistic of the wrong shape or with ties.
    """
    from scipy.stats import chi2

    _level(alpha)
    if length < 1:
        raise ValueError(f"length must be ≥ 1, got {length}")
    chains = len(start)
    if chains < 40:
        raise ValueError(f"start must hold at least 40 draws, got {chains}")
    place = rng.integers(0, length + 1, chains)
    own = statistic(start)
    if own.shape != (chains,):
        raise ValueError(f"statistic must return shape ({chains},), got {own.shape}")
    rank = np.zeros(chains, dtype=np.int64)
    for steps in (place, length - place):
        state = start
        for step in range(int(steps.max(initial=0))):
            state = kernel(state, rng)
            value = statistic(state)
            counted = step < steps
            if (value[counted] == own[counted]).any():
                raise ValueError("statistic must be continuous, got ties between states of a chain")
            rank += counted & (value < own)
    cells = max(2, min(length + 1, chains // 20))
    edges = np.floor(np.arange(cells + 1) * (length + 1) / cells).astype(np.int64)
    counts = np.histogram(rank, edges)[0]
    expected = chains * np.diff(edges) / (length + 1)
    value = float(((counts - expected) ** 2 / expected).sum())
    # A kernel moves the law by distance r in one cell: the test sees it when n·r² passes the critical value.
    critical = float(chi2.isf(alpha, cells - 1))
    return Fit(
        test="rank statistics",
        statistic=value,
        p_value=float(chi2.sf(value, cells - 1)),
        resolution=math.sqrt((critical + _Z90 * math.sqrt(2.0 * (cells - 1))) / chains),
        samples=chains * (length + 1),
        alpha=alpha,
    )


def _draws(name: str, values: ArrayLike) -> Array:
    x = np.asarray(values, dtype=np.float64).ravel()
    if x.size < 8 or not np.isfinite(x).all():
        raise ValueError(f"{name} must hold at least 8 finite draws, got {x.size}: {x[:8]}")
    return x


def _level(alpha: float) -> None:
    if not 0.0 < alpha < 1.0:
        raise ValueError(f"alpha must be in (0, 1), got {alpha}")
