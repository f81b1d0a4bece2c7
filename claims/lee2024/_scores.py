"""Scores of the fingerprinting code of Algorithm 2 of lee2024: exact laws, and bounds for every adversary.

The columns of Gen′ are independent: p = sin² r with r uniform on [t′, π/2 − t′], then bits of mean p. A
column contributes c·U to the score of a user, U = q for a 1 and −1/q for a 0, q = √((1 − p)/p). All
expectations over p are by Gauss–Legendre in r. Nothing here calls the implementation."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Column:
    """Quadrature over the mean p of a column: nodes and probabilities (N,)."""

    p: Array
    weight: Array

    @property
    def q(self) -> Array:
        return np.sqrt((1.0 - self.p) / self.p)


def column(n: int, panels: int = 60) -> Column:
    """The law of p for n users: t = 1/(300n)."""
    edge = math.asin(math.sqrt(1.0 / (300.0 * n)))
    node, weight = np.polynomial.legendre.leggauss(16)
    edges = np.linspace(edge, math.pi / 2.0 - edge, panels + 1)
    half = 0.5 * np.diff(edges)[:, None]
    r = (edges[:-1, None] + half * (node + 1.0)).ravel()
    return Column(np.sin(r) ** 2, (half * weight).ravel() / (math.pi / 2.0 - 2.0 * edge))


def length(n: int, security: float) -> int:
    """The printed d = 100·n²·log(n/ξ), rounded up."""
    return math.ceil(100.0 * n**2 * math.log(n / security))


def scale(n: int, security: float) -> float:
    """The printed Z = 20·n·log(n/ξ)."""
    return 20.0 * n * math.log(n / security)


def counts(s: int, p: Array) -> Array:
    """P(k of s members have a 1), k = 0 … s, for each p: (s + 1, N)."""
    from scipy.stats import binom

    return np.asarray(binom.pmf(np.arange(s + 1)[:, None], s, p), dtype=np.float64)


# --- Exact laws for strategies that look at one column at a time -------------------------------------------


def share_of_ones(law: Column, rule: Array) -> float:
    """P(c = 1) in a column."""
    return float((law.weight * (rule[:, None] * counts(rule.size - 1, law.p)).sum(axis=0)).sum())


def coalition_mean(law: Column, rule: Array) -> float:
    """E c·Σ U over the members, in a column."""
    s = rule.size - 1
    k = np.arange(s + 1)[:, None]
    total = k * law.q - (s - k) / law.q
    return float((law.weight * (rule[:, None] * counts(s, law.p) * total).sum(axis=0)).sum())


def innocent_tail(law: Column, rule: Array, d: int, z: float) -> tuple[float, float]:
    """P(score of an innocent user > z) after d columns, z > 0, and a bound of the relative numerical error.

    P = (1/π)·∫₀^∞ Re[M(s)^d·e^{−sz}/s] du along s = c + iu, with c the saddle point: the trapezoidal rule
    converges geometrically there, and beyond twelve standard deviations |M|^d is below its bound.
    """
    from scipy.optimize import brentq

    ones = (rule[:, None] * counts(rule.size - 1, law.p)).sum(axis=0)
    p, q = law.p, law.q

    def derivatives(s: float) -> tuple[float, float, float]:
        up, down = p * np.exp(s * q), (1.0 - p) * np.exp(-s / q)
        m = float(law.weight @ (1.0 - ones + ones * (up + down)))
        first = float(law.weight @ (ones * (up * q - down / q))) / m
        second = float(law.weight @ (ones * (up * q**2 + down / q**2))) / m - first**2
        return math.log(m), first, second

    # K′(0) = 0 and K″ is about the share of ones, so the saddle is near z/(d·share)
    c: float = brentq(lambda s: d * derivatives(s)[1] - z, 1e-12, 4.0 * z / (d * share_of_ones(law, rule)))  # pyright: ignore
    log_m, _, curvature = derivatives(c)
    sd = 1.0 / math.sqrt(d * curvature)

    def log_ratio(u: Array) -> NDArray[np.complex128]:
        s = c + 1j * u[:, None]
        m = (1.0 - ones + ones * (p * np.exp(s * q) + (1.0 - p) * np.exp(-s / q))) @ law.weight
        return np.log(m) - log_m

    step = 0.05 * sd
    u = step * np.arange(240, dtype=np.float64)
    terms = (np.exp(d * log_ratio(u) - 1j * u * z) / (c + 1j * u)).real
    integral = step * (terms.sum() - 0.5 * terms[0])
    beyond = np.asarray(np.geomspace(12.0 * sd, 1e3 * c, 60), dtype=np.float64)
    leftover = float(np.exp(d * log_ratio(beyond).real.max()) * math.log(1e3 * c / (12.0 * sd) + 1.0))
    probability = math.exp(d * log_m - c * z) * integral / math.pi
    return probability, (leftover + abs(float(terms[-1])) * u[-1]) / integral


def score_distribution(law: Column, rule: Array, d: int, *, member: bool) -> Callable[[Array], Array]:
    """P(score ≤ x) after d columns, of a member of the coalition or of an innocent user, at many x.

    By Gil-Pelaez: ½ − (1/π)·∫₀^∞ Im[M(iu)^d·e^{−iux}]/u du. The summands are bounded by √(300n), far below
    the standard deviation √d, so M(iu)^d is below 1e-30 from twelve over that deviation on.
    """
    s = rule.size - 1
    if member:
        # c given the member's own bit b and k of the other s − 1 members
        others = counts(s - 1, law.p)
        ones = [(rule[b : s + b, None] * others).sum(axis=0) for b in (0, 1)]
    else:
        ones = [(rule[:, None] * counts(s, law.p)).sum(axis=0)] * 2
    step = 0.02 / math.sqrt(d)
    u = step * (np.arange(1200, dtype=np.float64) + 0.5)
    up, down = np.exp(1j * u[:, None] * law.q), np.exp(-1j * u[:, None] / law.q)
    each = law.p * (1.0 + ones[1] * (up - 1.0)) + (1.0 - law.p) * (1.0 + ones[0] * (down - 1.0))
    whole = np.exp(d * np.log(each @ law.weight))

    def cdf(x: Array) -> Array:
        points = np.asarray(x, dtype=np.float64)
        waves = np.exp(-1j * points[..., None] * u)
        return np.clip(0.5 - step / math.pi * ((whole * waves).imag / u).sum(axis=-1), 0.0, 1.0)

    return cdf


def cheapest_rule(law: Column, s: int) -> Array:
    """The rule by counts that makes the coalition's total smallest: a 1 where E[c·ΣU | k] is negative."""
    k = np.arange(s + 1)[:, None]
    total = (counts(s, law.p) * law.weight * (k * law.q - (s - k) / law.q)).sum(axis=1)
    rule = (total < 0.0).astype(np.float64)
    rule[0], rule[-1] = 0.0, 1.0
    return rule


# --- Bounds for every adversary ------------------------------------------------------------------------


def soundness_bound(law: Column, d: int, z: float) -> float:
    """An upper bound of P(score of an innocent user > z), whatever the coalition does.

    Given all p, the coalition's words and the pirate word, the innocent's bits are independent with means
    p. So E e^{αS} ≤ max(1, sup_p E e^{αU})^d, and Markov's inequality gives the bound, minimised over α.
    """
    t = float(law.p.min()) * (1.0 - 1e-3)
    p = np.concatenate([np.geomspace(t, 0.5, 4000), 1.0 - np.geomspace(t, 0.5, 4000)])
    q = np.sqrt((1.0 - p) / p)
    alphas = z / d * np.geomspace(0.2, 5.0, 200)
    log_m = np.array([np.log(p * np.exp(a * q) + (1.0 - p) * np.exp(-a / q)).max() for a in alphas])
    return float(np.exp((d * np.maximum(log_m, 0.0) - alphas * z).min()))


def completeness_bound(law: Column, s: int, d: int, z: float, broken: float = 0.0) -> float:
    """An upper bound of P(no member has a score > z), whatever a coalition of s members does.

    If no member has, the scores of the members add up to at most s·z. Summing over all codebooks, E
    e^{−βΣS} ≤ (Σ_k max over allowed c of E_p[P(k ones | p)·e^{−βc·T(k, p)}])^d, for the posterior of p
    factors over the columns and c may depend on the whole codebook. Where the marking condition may fail
    in at most `broken` columns, a forbidden c costs a factor e^{−λ}, paid back by e^{λ·broken}. Minimised
    over β and λ."""
    k = np.arange(s + 1)[:, None]
    total = k * law.q - (s - k) / law.q
    mass = counts(s, law.p) * law.weight
    silent = mass.sum(axis=1)
    best = math.inf
    # β is about the margin over the variance of the total: 0.1/s at most, 1/(s√d) at least
    for beta in np.geomspace(0.05 / (s * math.sqrt(d)), 1.0 / s, 60):
        penalties = beta * math.sqrt(s) * np.geomspace(0.1, 30.0, 25) if broken > 0.0 else [math.inf]
        spoken = (mass * np.exp(-beta * total)).sum(axis=1)
        for penalty in penalties:
            factor = math.exp(-penalty)
            terms = np.maximum(silent, spoken)
            terms[0] = max(silent[0], factor * spoken[0])
            terms[-1] = max(spoken[-1], factor * silent[-1])
            cost = penalty * broken if broken > 0.0 else 0.0
            best = min(best, beta * s * z + cost + d * math.log(terms.sum()))
    return math.exp(min(0.0, best))


def broken_bound(law: Column, s: int, d: int, failure: float) -> float:
    """A number of columns of Gen′ that the adversary breaks at most, but for a probability `failure`.

    It breaks d/15 = 5d/75 of the 5d columns. The N columns of Gen′ with zeros alone among the s members
    hide among 2d dummy columns of zeros, so whatever has been broken before, the next broken one is of
    Gen′ with probability ≤ N/(N + 2d − d/15); the same for ones, whose law is the same. N is binomial.
    """
    from scipy.stats import binom

    zeros = float(law.weight @ (1.0 - law.p) ** s)
    agreed = float(binom.isf(failure / 4.0, d, zeros))
    share = agreed / (agreed + 2.0 * d - d / 15.0)
    return float(binom.isf(failure / 2.0, math.floor(d / 15.0), share))
