r"""Wrong exponent: a wrong rate that the suite must refute, excess risk of DP-GD falling like n⁻².

The truth is n⁻¹ (Theorem 3.1 of song2021, whose hardest loss is used). A suite that fits rates on easy
losses, or with intervals that cover everything, would let this pass.

How it is checked. The exponent of n fitted to the risk of Algorithm 1 on a pinball loss; it must refute.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from claims import (
    REFUTED,
    Adjacency,
    Budget,
    Claim,
    Evidence,
    Finding,
    Kind,
    Plot,
    Point,
    Side,
    Tier,
    Weight,
    fit_rate,
    grid,
)
from claims.controls import PAPER
from implementations import losses
from implementations.song2021 import dp_gd

if TYPE_CHECKING:
    import pandas as pd


def measure(point: Point) -> dict[str, Any]:
    """Excess risks of DP-GD with the printed noise, T = n²ε², on one pinball loss, one row per trial."""
    steps, trials = round((point.n * point.epsilon) ** 2), point.trials
    sigma = dp_gd.noise_scale(
        epsilon=point.epsilon, delta=point.delta, n=point.n, steps=steps, lipschitz=1.0, noise="printed",
        adjacency=Adjacency.REPLACE,
    )  # fmt: skip
    eta = dp_gd.learning_rate(radius=1.0, lipschitz=1.0, rank=1, noise=sigma, steps=steps)
    loss, targets, weights = losses.pinball(0.3), np.full((1, 1), -1.0), np.ones((1, 1))
    run = dp_gd.run(
        dp_gd.coordinate_gradient(loss, targets, weights), np.zeros((trials, 1)), steps=steps,
        learning_rate=eta, noise=dp_gd.gaussian_noise((trials, 1), sigma, point.rng),
    )  # fmt: skip
    risks = dp_gd.coordinate_risk(loss, targets, weights, run.printed)
    return {"risk": risks, "claimed": np.full(trials, 30.0 / point.n**2)}


def judge(rows: pd.DataFrame, budget: Budget) -> Iterable[Evidence]:
    """The exponent of n against −2, as an upper bound."""
    fit = fit_rate(rows, "risk", ["n"], {"n": -2.0}, 0.1, side=Side.UPPER, alpha=budget.share(1.0))
    return fit.evidence()


POINTS = grid(n=(24, 28, 32, 38, 45, 54, 64, 76, 90), epsilon=1.0, delta=4e-3)
CLAIM = Claim(
    PAPER,
    "Wrong exponent",
    "this project",
    kind=Kind.RATE,
    title="Control: a rate that is too fast",
    statement=r"The excess empirical risk of DP-GD is $O(n^{-2})$. (False by construction: it is of order "
    r"$n^{-1}$.)",
    expected=REFUTED,
    finding=Finding(
        Weight.CORNER, what=("false by construction: the exponent is −1"), favour="", survives=""
    ),
    measure=measure,
    judge=judge,
    smoke=Tier(POINTS, trials=300),
    ci=Tier(POINTS, trials=600),
    full=Tier(POINTS, trials=4000),
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
        )
    ],
)
