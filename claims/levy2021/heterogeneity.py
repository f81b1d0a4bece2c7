"""Theorem 9: under heterogeneity Δ in total variation the guarantees survive while Δ is polynomially small.

If every user's law is within Δ of P₀, the law of all mn samples is within mnΔ of P₀^{mn}, so a risk that is
at most B² grows by at most mnΔ·B² (Levy et al. 2021, section 2 and Theorem 9; appendix C was not at hand:
reconstructed as this black-box argument).

Checked exactly: the total variation between the laws of the data for P_u = (1 − Δ)P₀ + Δ·(a point mass), in
the direction in which all users agree (the number of ones is sufficient: two binomial laws) over a grid of
(mn, p, Δ), against mnΔ. Checked on samples: the risk of Algorithm 2 (tuned) for the mean of a single user's
P_u, where even and odd users are contaminated at opposite corners, against twice the homogeneous risk plus
mnΔ·(2B)²; and, without a verdict, the risk at Δ = 0.1, where nothing is promised."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from claims import (
    CONSISTENT,
    Budget,
    Claim,
    Evidence,
    Kind,
    Plot,
    Point,
    Tier,
    at_most,
    mean_at_most,
    sample_mean,
)
from claims.levy2021 import PAPER
from implementations.levy2021 import winsorized_mean_highd
from implementations.levy2021.users import SignPopulation, bounded_radius

N, D, EPSILON, DELTA, GAMMA = 2000, 4, 8.0, 1e-6, 1e-8


def measure(point: Point) -> dict[str, Any]:
    from scipy.stats import binom

    m, shift = point.m, point.mn_delta
    total = N * m
    heterogeneity = 0.1 if shift < 0 else shift / total
    worst = 0.0
    if total <= 10**6:
        k = np.arange(total + 1)
        for p in (0.0, 0.01, 0.5, 0.99):
            moved = (1.0 - heterogeneity) * p + heterogeneity
            tv = 0.5 * float(np.abs(binom.pmf(k, total, p) - binom.pmf(k, total, moved)).sum())
            worst = max(worst, tv / (total * heterogeneity))
    tau = bounded_radius(N, m, 1.0, GAMMA)
    people = SignPopulation(1.0, (0.5,) * D, heterogeneity, aligned=False)
    homogeneous = SignPopulation(1.0, (0.5,) * D)
    plan = winsorized_mean_highd.highd_plan(N, D, EPSILON, DELTA, tau, 1.0, GAMMA, "tuned")
    corner = np.ones(D) / math.sqrt(D)
    target = (1.0 - heterogeneity) * people.mean + heterogeneity * corner
    means = people.user_means(N, m, point.trials, point.rng)
    estimate = winsorized_mean_highd.winsorized_mean_highd(
        means, EPSILON, DELTA, tau, 1.0, GAMMA, point.rng, constants="tuned"
    )
    loss = ((estimate - target) ** 2).sum(axis=-1)
    base = winsorized_mean_highd.highd_variance(plan, N) + homogeneous.variance / total
    return {
        "loss": loss,
        "tv_ratio": np.full(loss.size, worst),
        "claimed": np.full(loss.size, 2.0 * base + 4.0 * total * heterogeneity),
        "base": np.full(loss.size, base),
        "heterogeneity": np.full(loss.size, heterogeneity),
    }


def judge(rows: Any, budget: Budget) -> list[Evidence]:
    evidence = []
    groups = list(rows.groupby(["m", "mn_delta"]))
    share = budget.split(len(groups))[0]
    for (m, shift), cell in groups:
        point = {"m": int(m), "mn_delta": float(shift)}
        if shift < 0:
            note = "over the homogeneous risk; nothing is promised here"
            evidence.append(
                sample_mean("risk at Δ = 0.1", cell["loss"] / cell["base"], point=point, note=note)
            )
            continue
        if cell["tv_ratio"].iloc[0] > 0.0:
            evidence.append(
                at_most(
                    "total variation of the data over mnΔ", float(cell["tv_ratio"].iloc[0]), 1.0, point=point
                )
            )
        evidence.append(
            mean_at_most(
                "risk for a user's own mean",
                cell["loss"].to_numpy(),
                float(cell["claimed"].iloc[0]),
                alpha=share,
                point=point,
            )
        )
    return evidence


_POINTS = [{"m": m, "mn_delta": s} for m in (100, 10_000) for s in (1e-6, 0.01, 0.5, -1.0)]

CLAIM = Claim(
    PAPER,
    "Theorem 9",
    "section 2; appendix C (reconstructed)",
    name="heterogeneity",
    kind=Kind.BOUND,
    title="Algorithm 2 under heterogeneity in total variation",
    statement=r"If $\|P_u-P_0\|_{TV}\le\Delta$ for all users, the law of the data is within $mn\Delta$ of "
    r"$P_0^{mn}$, and the risk for any "
    r"user's mean is at most twice the homogeneous one plus $4B^2mn\Delta$ (reconstructed).",
    expected=CONSISTENT,
    smoke=Tier(points=_POINTS[:4], trials=40),
    ci=Tier(points=_POINTS, trials=200, chunk=100),
    full=Tier(points=_POINTS, trials=2000, chunk=100),
    measure=measure,
    judge=judge,
    plots=[
        Plot(
            kind="curve",
            title="Risk under heterogeneity",
            x="heterogeneity",
            y="loss",
            claimed="claimed",
            x_label="Δ",
            y_label="squared error",
            series="m",
            log_x=True,
            log_y=True,
        )
    ],
)
