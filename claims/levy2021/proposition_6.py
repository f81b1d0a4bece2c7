"""Proposition 6: minimising a linear loss over the ball is as hard as estimating the direction of the mean.

For ℓ(θ; z) = −⟨θ, z⟩ on the ball of radius R the excess risk of θ̂ is R‖μ‖ − ⟨θ̂, μ⟩ ≥ ½R‖μ‖·‖θ̂/R −
μ/‖μ‖‖² (Levy et al. 2021, section 5.2 and Proposition 6; constant reconstructed). Signs are lost in the
text at hand: with ℓ = ⟨θ, z⟩ the minimiser is −Rμ/‖μ‖, with the printed minimiser the loss is −⟨θ, z⟩.

Checked exactly: both sides depend on ‖θ̂‖/R = r and the cosine c alone, 1 − rc against ½(r² + 1 − 2rc): the
difference is ½(1 − r²) ≥ 0, with equality on the sphere; evaluated on a fine grid of (r, c) in several
dimensions. Both sides are polynomials in (r, c), so that the grid decides."""

from __future__ import annotations

from typing import Any

import numpy as np

from audits.evidence import Bound, Evidence, Verdict
from claims.harness.claim import Claim, Kind, Point, Tier
from claims.levy2021._shared import at_most, source
from implementations.levy2021 import hard_instances


def measure(point: Point, rng: np.random.Generator) -> dict[str, Any]:
    d, radius = int(point["d"]), float(point["R"])
    mu = rng.standard_normal(d)
    loss = hard_instances.LinearLoss(radius, tuple(mu.tolist()))
    v = mu / np.linalg.norm(mu)
    w = np.linalg.svd(v[None])[2][1] if d > 1 else np.zeros(1)
    r, c = np.meshgrid(
        np.linspace(0.0, 1.0, 201), np.linspace(-1.0, 1.0, 401) if d > 1 else np.array([-1.0, 1.0])
    )
    theta = radius * r[..., None] * (c[..., None] * v + np.sqrt(1 - c**2)[..., None] * w)
    excess = loss.excess(theta)
    bound = 0.5 * radius * np.linalg.norm(mu) * ((theta / radius - v) ** 2).sum(axis=-1)
    sphere = np.isclose(r, 1.0)
    scale = radius * float(np.linalg.norm(mu))
    return {
        "violation": float((bound - excess).max()) / scale,
        "sphere": float(np.abs(bound - excess)[sphere].max()) / scale,
        "at_minimiser": abs(float(loss.excess(loss.minimiser))) / scale,
    }


def judge(rows: Any, alpha: float) -> list[Evidence]:
    evidence = []
    for row in rows.itertuples():
        point = {"d": int(row.d), "R": float(row.R)}
        evidence.append(at_most("lower bound minus excess risk, largest", row.violation, 1e-12, point))
        evidence.append(at_most("difference on the sphere", row.sphere, 1e-12, point))
        evidence.append(at_most("excess risk at the minimiser", row.at_minimiser, 1e-12, point))
    return evidence


CLAIM = Claim(
    id="levy2021/proposition-6",
    kind=Kind.IDENTITY,
    title="Linear losses: excess risk bounds the error of the direction",
    statement=r"For $\ell(\theta;z)=-\langle\theta,z\rangle$ and $\|\hat\theta\|\le R$: "
    r"$L(\hat\theta)-L^*\ge\tfrac12R\|\mu\|\,"
    r"\big\|\hat\theta/R-\mu/\|\mu\|\big\|^2$ (constant and sign reconstructed).",
    how="Exact: both sides on a grid of length and angle.",
    source=source("Proposition 6", "section 5.2"),
    bound=Bound.LOWER,
    expected=Verdict.CONFIRMED,
    tiers={
        tier: Tier(points=[{"d": d, "R": r} for d in (1, 2, 17) for r in (0.5, 20.0)])
        for tier in ("smoke", "ci", "full")
    },
    measure=measure,
    judge=judge,
)
