r"""A wrong rate that the suite must refute: excess risk of DP-GD falling like n⁻².

The truth is n⁻¹ (Theorem 3.1 of song2021, whose family of losses is used). A suite that fits rates on easy
losses, or with intervals that cover everything, would let this pass.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from audits.evidence import Bound, Evidence, Verdict
from claims.harness.claim import Claim, Kind, Plot, Point, Source, Tier
from claims.song2021 import theorem_3_1
from implementations import losses

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd


def measure(point: Point, rng: np.random.Generator) -> dict[str, Any]:
    """Excess risks of DP-GD with the printed noise on one pinball loss, one row per trial."""
    loss, target = losses.pinball(0.3), -1.0
    result = theorem_3_1.descend(point, "printed", loss, target, point.trials, rng)
    risks = theorem_3_1.excess(loss, target, 1, result.printed)
    return {"risk": risks, "claimed": [30.0 / point["n"] ** 2] * len(risks)}


def judge(rows: pd.DataFrame, alpha: float) -> list[Evidence]:
    """The exponent of n against −2, as an upper bound."""
    from audits.rates import fit_rate

    fit = fit_rate(rows, "risk", ["n"], claimed={"n": -2.0}, tolerance=0.1, bound=Bound.UPPER, alpha=alpha)
    return fit.evidence()


def _tier(trials: int) -> Tier:
    sizes = (24, 28, 32, 38, 45, 54, 64, 76, 90)
    fixed = {"epsilon": 1.0, "delta": 4e-3, "rank": 1, "rounding": "up"}
    return Tier(points=[{"n": n, **fixed} for n in sizes], trials=trials)


CLAIM = Claim(
    id="controls/wrong-exponent",
    kind=Kind.RATE,
    title="Control: a rate that is too fast",
    statement=(
        r"The excess empirical risk of DP-GD is $O(n^{-2})$. (False by construction: it is of order "
        r"$n^{-1}$.)"
    ),
    how="Exponent of n fitted to the risk on a hard convex loss; it must refute.",
    source=Source(
        paper="controls", result="wrong exponent", place="this project", reference="a planted error"
    ),
    bound=Bound.UPPER,
    expected=Verdict.REFUTED,
    tiers={"smoke": _tier(300), "ci": _tier(600), "full": _tier(4000)},
    measure=measure,
    judge=judge,
    fits_exponents=True,
    plots=[
        Plot(
            kind="loglog",
            title="Excess risk against n, and the claimed n⁻²",
            x="n",
            y="risk",
            x_label="n",
            y_label="excess empirical risk",
            claimed="claimed",
            log_x=True,
            log_y=True,
        )
    ],
)
