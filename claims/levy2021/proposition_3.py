"""Proposition 3: user-level DP with m Gaussian samples a user is item-level DP with variance σ²/m.

Each user contributes the sample mean, a sufficient statistic; conversely an item-level record of variance
σ²/m can be blown up to m samples of variance σ², so that a user-level mechanism becomes an item-level one
with the same risk (Levy et al. 2021, section 5.2, Proposition 3).

The reduction as such is an argument, not a computation. Checked exactly: the blown-up samples are a
linear image of independent normal variables; its covariance is σ²I, whatever the location, and their mean
is the record. With one source of randomness, replacing a record changes the samples of that user only, so
neighbouring item-level datasets become neighbouring user-level ones (on drawn records, so that this and
the mean can only refute)."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from audits.evidence import Bound, Evidence, Verdict
from claims.harness.claim import Claim, Kind, Point, Tier
from claims.levy2021._shared import at_most, source
from implementations.levy2021 import reduction


class _Unit:
    """Stands in for a generator: its normal draws are the k-th unit vector along the samples."""

    def __init__(self, k: int) -> None:
        self.k = k

    def standard_normal(self, shape: tuple[int, ...]) -> np.ndarray:
        z = np.zeros(shape)
        z[..., self.k, :] = 1.0
        return z


def measure(point: Point, rng: np.random.Generator) -> dict[str, Any]:
    m, sd, n, d = int(point["m"]), float(point["sd"]), 3, 2
    zero = np.zeros((1, 1))
    units = [cast(np.random.Generator, _Unit(k)) for k in range(m)]
    image = np.array([reduction.samples_given_means(zero, m, sd, unit)[0, :, 0] for unit in units])
    covariance = image.T @ image + sd**2 / m * np.ones((m, m))  # given the mean, plus the mean's own variance
    records = rng.normal(size=(n, d))
    changed = records.copy()
    changed[1] = 100.0
    seed = int(rng.integers(2**31))
    before = reduction.samples_given_means(records, m, sd, np.random.default_rng(seed))
    after = reduction.samples_given_means(changed, m, sd, np.random.default_rng(seed))
    return {
        "covariance_error": float(np.abs(covariance - sd**2 * np.eye(m)).max()) / sd**2,
        "mean_error": float(np.abs(reduction.user_means(before) - records).max()),
        "users_changed": float(np.any(before != after, axis=(1, 2)).sum()),
    }


def judge(rows: Any, alpha: float) -> list[Evidence]:
    evidence = []
    for row in rows.itertuples():
        point = {"m": int(row.m), "sd": float(row.sd)}
        evidence.append(at_most("covariance of the samples against σ²I", row.covariance_error, 1e-12, point))
        drawn = (
            ("mean of the samples against the record", row.mean_error, 1e-11),
            ("users that change with one record", row.users_changed, 1.0),
        )
        evidence += [at_most(name, value, limit, point, decides=False) for name, value, limit in drawn]
    return evidence


CLAIM = Claim(
    id="levy2021/proposition-3",
    kind=Kind.IDENTITY,
    title="User level with m samples is item level with variance σ²/m",
    statement=r"For $N(\mu,\sigma^2I)$ samples, the least risk under $(\varepsilon,\delta)$-user-level DP "
    r"with $m$ samples per user "
    r"equals that under $(\varepsilon,\delta)$-item-level DP with variance $\sigma^2/m$.",
    how="Exact: covariance of the reconstruction, neighbours to neighbours.",
    source=source("Proposition 3", "section 5.2"),
    bound=Bound.TIGHT,
    expected=Verdict.CONFIRMED,
    tiers={
        tier: Tier(points=[{"m": m, "sd": s} for m in (1, 2, 7, 64) for s in (0.1, 3.0)])
        for tier in ("smoke", "ci", "full")
    },
    measure=measure,
    judge=judge,
)
