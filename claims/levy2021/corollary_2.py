"""Corollary 2 (localisation): E‖θ̂ − θ*_S‖² = Õ(σ²d²/(μ² n² m ε²)) for μ-strongly convex losses.

Printed with n = Ω̃(√(dH/μ)/ε) (damaged in the text at hand) and T = (H/μ) log(…) steps of Algorithm 3 (Levy
et al. 2021, Corollary 2).

Checked on samples like theorem-3-strongly-convex, with the squared distance to the minimiser as risk:
exponents in n, m, d, ε, μ of the worst over six quadratics, divided by the exact log factors, must not be
worse than −2, −1, 2, −2, −2."""

from __future__ import annotations

from typing import Any

from claims import CONSISTENT, Budget, Claim, Evidence, Kind, Plot, Point
from claims.levy2021 import PAPER, _strongly_convex
from claims.levy2021 import _first_order as shared


def measure(point: Point) -> dict[str, Any]:
    return _strongly_convex.measure(point, distance=True)


def judge(rows: Any, budget: Budget) -> list[Evidence]:
    claimed = {"n": -2.0, "m": -1.0, "d": 2.0, "epsilon": -2.0, "strong_convexity": -2.0}
    return [
        *shared.rate_evidence(rows, claimed, budget.share(0.8), 0.15),
        *shared.agreement(rows, budget.share(0.2)),
        *shared.constant(rows, "σ²d²/(n²mε²) (μ ≥ 0.1 not divided out)", 2.0),
    ]


CLAIM = Claim(
    PAPER,
    "Corollary 2",
    "section 4",
    kind=Kind.RATE,
    title="Localisation of the minimiser",
    statement=r"For $\mu$-strongly convex losses, Algorithm 3 with $T=\tilde O(H/\mu)$ steps has $\mathbb "
    r"E\|\hat\theta-"
    r"\theta^*_S\|^2=\tilde O\big(\frac{\sigma^2d^2}{\mu^2n^2m\varepsilon^2}\big)$.",
    expected=CONSISTENT,
    fits_exponents=True,
    **shared.tiers({"strong_convexity": (0.1, 1.0, 10.0)}),
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
