r"""Lemma 2.7: a constant c exists with ‖ΣXᵢ‖ ≤ c·√(Σσᵢ²·log(2d/δ)) with probability 1 − δ, and which it is.

For independent centred $X_i\in\mathbb R^d$ with $\Pr[\|X_i\|\ge t]\le2\exp(-t^2/(2\sigma_i^2))$. The
heaviest norm N has exactly this tail. For every centred X with it, $\mathbb Ee^{\lambda X}\le1+\mathbb
E(e^{\lambda N}-1-\lambda N)\le e^{K\lambda^2\sigma^2/2}$, where K is the supremum over λ of the
`variance_proxy`; the same bound holds for the Hermitian dilation of a vector. Tropp's bound (2012, Theorem
3.6) then gives $\|\sum X_i\|\le\sqrt{2K\sum\sigma_i^2\log((d+1)/\delta)}$, and d + 1 ≤ 2d: **c = √(2K)
works for all d, n, σ and δ**.

No c below √(2(2 + 2·log 2)) = 2.602 works: the sum of n signed heaviest norms on the line is nearly
Gaussian with variance (2 + 2·log 2)·n, and $\Phi^{-1}(1-\delta/2)^2/\log(2/\delta)\to2$ as δ → 0.

How it is checked. K by a search over all rates, with closed forms; it rises from the variance, has one
maximum and falls to 1, and a Lipschitz bound between the rates makes the maximum certain. The exact law of
sums of n signed heaviest norms on the line, by convolution, must keep the bound with this c and break a
smaller one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from claims import CONFIRMED, Claim, Evidence, Kind, Point, at_least, at_most, equals, grid, reported
from claims.asi2024 import PAPER
from implementations.asi2024.norm_subgaussian import VARIANCE, heaviest_tail, variance_proxy

STEP = 0.01


def largest_proxy() -> float:
    """K, an upper bound: the largest proxy on a grid of rates plus what it can rise between two of them.

    Beyond λ = 8, log E e^{λN} ≤ λ²/2 + log(4λ√(2π)) makes the proxy less than 2. Between neighbouring rates
    λ² · proxy increases, so the proxy at λ is at most the one at the next rate times (next/λ)².
    """
    rates = np.geomspace(0.01, 8.0, 40_001)
    proxy = variance_proxy(rates)
    return float((proxy[1:] * (rates[1:] / rates[:-1]) ** 2).max())


def sum_quantile(n: int, delta: float) -> float:
    """t with P(|Σ εᵢNᵢ| ≥ t) = δ for n signed heaviest norms, by FFT on a lattice of step 0.01 (rounded
    down)."""
    reach = 9.0 * math.sqrt(n) + 12.0
    half = math.ceil(reach / STEP)
    edges = np.arange(half + 1) * STEP
    mass = -np.diff(heaviest_tail(edges), append=0.0)
    mass[-1] = 0.0
    law = np.zeros(4 * half)
    law[: half + 1] = 0.5 * mass
    law[-half:] += 0.5 * mass[:0:-1]
    law[0] += 0.5 * mass[0]
    powers = np.fft.irfft(np.fft.rfft(law) ** n, 4 * half)
    tail = 2.0 * np.cumsum(powers[1 : 2 * half][::-1])[::-1]
    return float(STEP * (1 + np.flatnonzero(tail >= delta)[-1]))


def second_moment() -> float:
    """∫ 2t·P(N ≥ t) dt, the tail written out here."""
    from scipy.integrate import quad

    edge = math.sqrt(2.0 * math.log(2.0))
    return edge**2 + quad(lambda t: 2.0 * t * 2.0 * math.exp(-0.5 * t * t), edge, 40.0, epsabs=1e-13)[0]


def check(point: Point) -> Iterator[Evidence]:
    """K, the constant that follows from it, and the exact quantiles of sums."""
    constant = math.sqrt(2.0 * largest_proxy())
    yield at_most("c = √(2K)", constant, 2.8, note="works for all d, n, σ and δ")
    quantile = sum_quantile(point.n, point.delta) / math.sqrt(point.n * math.log(2.0 / point.delta))
    yield at_most("exact quantile of a sum on the line", quantile, constant, decides=False)
    yield reported("smallest c for sums of n on the line", quantile)
    yield at_least("√(2K) against the Gaussian limit", constant, math.sqrt(2.0 * VARIANCE))
    yield equals("second moment of the heaviest norm", VARIANCE, second_moment())


CLAIM = Claim(
    PAPER,
    "Lemma 2.7",
    "section 2.3",
    kind=Kind.BOUND,
    title="Sums of norm-sub-Gaussian vectors concentrate",
    statement=r"There is $c$ such that for all $d,n,\sigma_i$, $\delta\in(0,1)$ and independent centred "
    r"$X_i$ that are $\mathrm{nSG}(\sigma_i)$, $\|\sum_iX_i\|\le c\sqrt{\sum_i\sigma_i^2\log(2d/\delta)}$ "
    r"with probability at least $1-\delta$.",
    expected=CONFIRMED,
    summary="c = 2.8 works; no c below 2.602 does.",
    check=check,
    smoke=grid(n=(1, 16), delta=(1e-3,)),
    ci=grid(n=(1, 2, 4, 16, 64), delta=(0.1, 1e-3, 1e-6)),
)
