r"""Theorem 9: under heterogeneity Δ in total variation the guarantees survive while Δ is polynomially small.

If every user's law is within Δ of P₀, the law of all mn samples is within mnΔ of P₀^{mn}, so a risk that is
at most (2B)² grows by at most 4B²·mnΔ (section 2 and Theorem 9; appendix C was not at hand: reconstructed as
this black-box argument). The target is the mean of a single user's law, which is within 2BΔ of that of P₀.

How it is checked. Exactly: the total variation between the laws of the data for P_u = (1 − Δ)P₀ + Δ·(a point
mass), in the direction in which all users agree (the number of ones is sufficient: two binomial laws) over a
grid of (mn, p, Δ), against mnΔ, which it reaches to within rounding as Δ → 0. On samples: Algorithm 2 with
its printed constants, even and odd users contaminated at opposite corners. Where mnΔ is so large that 4B²·mnΔ
is far above the homogeneous risk the bound says nothing, so Δ is where both are of one size: at Δ = 0 the
risk must equal Var/(mn) + c₀dτ²·log(dn/γ)·log(1/δ)/(n²ε²) from both sides, and with 4B²·mnΔ equal to a
quarter, to the whole and to four times that risk it must be at most twice it plus 4B²·mnΔ. At Δ = 0.1, where
nothing is promised, the risk is reported."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from audits.judge import at_most, mean_at_most, mean_equals, sample_mean
from claims import CONSISTENT, Claim, Evidence, Kind, Plot, Point, Tier, grid
from claims.levy2021 import PAPER
from implementations.levy2021 import winsorized_mean_highd
from implementations.levy2021.concentration import Concentration
from implementations.levy2021.users import SignPopulation
from implementations.privacy import PrivacyBudget

N, D, EPSILON, DELTA, GAMMA = 1000, 4, 8.0, 1e-6, 1e-8


def radius(m: int) -> float:
    """τ = 2B√(2 log(2n/γ)/m), B = 1."""
    return 2.0 * math.sqrt(2.0 * math.log(2.0 * N / GAMMA) / m)


def homogeneous_risk(m: int) -> float:
    """Var(P₀)/(mn) with Var = B² plus the variance of Theorem 2 with its printed constant."""
    logs = math.log(D * N / GAMMA) * math.log(1.0 / DELTA)
    return 1.0 / (m * N) + 102_400.0 * D * radius(m) ** 2 * logs / (N * EPSILON) ** 2


def total_variation(samples: int, p: float, heterogeneity: float) -> float:
    """Between the numbers of ones among all samples, with and without contamination by ones."""
    from scipy.stats import binom

    k = np.arange(samples + 1)
    moved = (1.0 - heterogeneity) * p + heterogeneity
    return 0.5 * float(np.abs(binom.pmf(k, samples, p) - binom.pmf(k, samples, moved)).sum())


def check(point: Point) -> Iterator[Evidence]:
    if "samples" in point:
        heterogeneity = point.mn_delta / point.samples
        distance = total_variation(point.samples, point.p, heterogeneity)
        yield at_most("total variation of the data over mnΔ", distance / point.mn_delta, 1.0)
        return
    m, base = point.m, homogeneous_risk(point.m)
    heterogeneity = 0.1 if point.share < 0.0 else point.share * base / 4.0 / (m * N)
    people = SignPopulation(1.0, (0.5,) * D, heterogeneity, aligned=False)
    corner = np.ones(D) / math.sqrt(D)
    target = (1.0 - heterogeneity) * people.mean + heterogeneity * corner
    losses = []
    for _ in range(0, point.trials, 50):
        means = people.user_means(N, m, 50, point.rng)
        estimate = winsorized_mean_highd.winsorized_mean_highd(
            means, PrivacyBudget(EPSILON, DELTA), Concentration(radius(m), 1.0, GAMMA, failure=1e-3),
            point.rng,
        )  # fmt: skip
        losses.append(((estimate - target) ** 2).sum(axis=-1) / base)
    ratios = np.concatenate(losses)
    quantity = "risk for a user's own mean over the homogeneous risk"
    if point.share < 0.0:
        yield sample_mean(quantity, ratios, note="Δ = 0.1: nothing is promised here")
    elif point.share == 0.0:
        yield mean_equals(quantity, ratios, 1.0, alpha=point.alpha, largest_resolution=0.25)
    else:
        yield mean_at_most(quantity, ratios, 2.0 + point.share, alpha=point.alpha, largest_resolution=0.25)


EXACT = grid(samples=(100, 10_000, 10**6), p=(0.0, 0.01, 0.5, 0.99), mn_delta=(1e-6, 0.01, 0.5))
SAMPLED = grid(m=(1000, 100_000), share=(0.0, 0.25, 1.0, 4.0))

CLAIM = Claim(
    PAPER,
    "Theorem 9",
    "section 2; appendix C (reconstructed)",
    name="heterogeneity",
    kind=Kind.BOUND,
    title="Algorithm 2 under heterogeneity in total variation",
    uses={"theorem-2-privacy": "by the black-box argument of appendix C", "theorem-2-utility": ""},
    statement=r"If $\|P_u-P_0\|_{TV}\le\Delta$ for all users, the law of the data is within $mn\Delta$ of "
    r"$P_0^{mn}$, and the risk for any user's mean is at most twice the homogeneous one plus $4B^2mn\Delta$ "
    r"(reconstructed).",
    expected=CONSISTENT,
    # A scale that is off by √2 moves the risk by ½ or more: half of that, as for all noise (_first_order).
    largest_resolution=0.25,
    smoke=Tier([*EXACT[:24], *SAMPLED[:4]], trials=2000),
    ci=Tier([*EXACT, *SAMPLED, *grid(m=1000, share=-1.0)], trials=2000),
    full=Tier([*EXACT, *SAMPLED, *grid(m=1000, share=-1.0)], trials=20_000),
    check=check,
    plots=[
        Plot(
            kind="curve",
            title="Total variation of the data under heterogeneity",
            x="samples",
            y="value",
            claimed="claimed",
            x_label="samples mn",
            y_label="total variation over mnΔ",
            series="p",
            log_x=True,
            select={"mn_delta": 0.5},
        )
    ],
)
