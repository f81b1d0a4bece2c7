"""Theorem 3 (ii): for μ-strongly convex losses the excess is Õ(GR e^{−μT/H} + G̃²d/(μ n² m ε²)), G̃ = σ√d.

Levy et al. 2021, Theorem 3 (ii); ε ≤ 1; the method (Proposition 4) is reconstructed, and reaches
e^{−μT/(2H)} in the first half of its steps before it averages.

Checked on samples with the printed constants: exponents in n, m, d, ε, μ of the worst excess over six
quadratics with spectrum in [μ, H], divided by the exact log factors, must not be worse than −2, −1, 2, −2,
−1. Rates use the oracle A′ of Theorem 2; the full algorithm (tuned constants) is run against the oracle.
"""

from __future__ import annotations

from typing import Any

from claims import CONSISTENT, Budget, Claim, Evidence, Kind, Plot, Point
from claims.levy2021 import PAPER, _strongly_convex
from claims.levy2021 import _first_order as shared


def measure(point: Point) -> dict[str, Any]:
    return _strongly_convex.measure(point, distance=False)


def judge(rows: Any, budget: Budget) -> list[Evidence]:
    claimed = {"n": -2.0, "m": -1.0, "d": 2.0, "epsilon": -2.0, "strong_convexity": -1.0}
    return [
        *shared.rate_evidence(rows, claimed, budget.share(0.8), 0.15),
        *shared.agreement(rows, budget.share(0.2)),
        *shared.constant(rows, "G̃²d/(μn²mε²)", 2.0),
    ]


CLAIM = Claim(
    PAPER,
    "Theorem 3",
    "section 4",
    name="theorem-3-strongly-convex",
    kind=Kind.RATE,
    title="Private ERM, strongly convex losses",
    statement=r"For $\mu$-strongly convex $H$-smooth losses, Algorithm 3 has excess empirical risk $\tilde "
    r"O\big(GR\,"
    r"e^{-\mu T/H}+\frac{\tilde G^2d}{\mu n^2m\varepsilon^2}\big)$, $\tilde G=\sigma\sqrt d$.",
    expected=CONSISTENT,
    fits_exponents=True,
    **shared.tiers({"strong_convexity": (0.1, 1.0, 10.0)}),
    measure=measure,
    judge=judge,
    plots=[
        Plot(
            kind="loglog",
            title="Excess empirical risk, strongly convex losses",
            x="form",
            y="risk",
            x_label="claimed bound with its log factors",
            y_label="excess risk",
            series="name",
            log_x=True,
            log_y=True,
            select={"full": 0},
        )
    ],
)
