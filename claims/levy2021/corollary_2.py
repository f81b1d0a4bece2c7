"""Corollary 2 (localisation): E‖θ̂ − θ*_S‖² = Õ(σ²d²/(μ² n² m ε²)) for μ-strongly convex losses.

Printed with n = Ω̃(√(dH/μ)/ε) (damaged in the text at hand) and T = (H/μ) log(…) steps of Algorithm 3 (Levy
et al. 2021, Corollary 2).

Checked on samples like theorem-3-strongly-convex, with the squared distance to the minimiser as risk:
exponents in n, m, d, ε, μ of the worst over six quadratics, divided by the exact log factors, must not be
worse than −2, −1, 2, −2, −2."""

from __future__ import annotations

from typing import Any

import numpy as np

from audits.evidence import Bound, Evidence, Verdict
from claims.harness.claim import Claim, Kind, Plot, Point
from claims.levy2021 import _first_order as shared
from claims.levy2021 import _strongly_convex
from claims.levy2021._shared import source


def measure(point: Point, rng: np.random.Generator) -> dict[str, Any]:
    return _strongly_convex.measure(point, rng, distance=True)


def judge(rows: Any, alpha: float) -> list[Evidence]:
    claimed = {"n": -2.0, "m": -1.0, "d": 2.0, "epsilon": -2.0, "strong_convexity": -2.0}
    return [
        *shared.rate_evidence(rows, claimed, 0.8 * alpha, 0.15),
        *shared.agreement(rows, 0.2 * alpha),
        *shared.constant(rows, "σ²d²/(n²mε²) (μ ≥ 0.1 not divided out)", 2.0),
    ]


CLAIM = Claim(
    id="levy2021/corollary-2",
    kind=Kind.RATE,
    title="Localisation of the minimiser",
    statement=r"For $\mu$-strongly convex losses, Algorithm 3 with $T=\tilde O(H/\mu)$ steps has $\mathbb "
    r"E\|\hat\theta-"
    r"\theta^*_S\|^2=\tilde O\big(\frac{\sigma^2d^2}{\mu^2n^2m\varepsilon^2}\big)$.",
    how="Exponents of the supremum over six quadratics, exact log factors divided out; full "
    "algorithm against its oracle. The oracle A′ of Theorem 2 has the printed noise by construction: the "
    "exponents test what the method makes of that noise.",
    source=source("Corollary 2", "section 4"),
    bound=Bound.UPPER,
    expected=Verdict.CONSISTENT,
    fits_exponents=True,
    tiers=shared.tiers({"strong_convexity": (0.1, 1.0, 10.0)}),
    measure=measure,
    judge=judge,
    plots=[
        Plot(
            kind="loglog",
            title="Squared distance to the minimiser",
            x="form",
            y="risk",
            x_label="claimed bound with its log factors",
            y_label="squared distance",
            series="name",
            log_x=True,
            log_y=True,
            select={"full": 0},
        )
    ],
)
