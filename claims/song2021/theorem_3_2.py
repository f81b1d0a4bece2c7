r"""Theorem 3.2: excess population risk of DP-GD, T = n².

n records drawn from a law τ of (x, y), convex L-Lipschitz GLM losses, θ₀ = 0, C = ℝᵖ, M the projector to the
span of E[xxᵀ], k = min(rank(M), n), T = n² steps with the noise of Theorem 2.6, appropriate η (the proof: η =
‖θ*_pop‖_M/L · min(n^{−3/2}, ε/(n√(k·log(1/δ))))). Then
E[ℓ(⟨θ^priv, x⟩; y)] − E[ℓ(⟨θ*_pop, x⟩; y)] = ‖θ*_pop‖_M·O(max(L/√n, L√(k·log(1/δ))/(εn))) (Song et al. 2021,
section 3.1, appendix A). The scan garbles the first term of the maximum; L stands in both because the
left-hand side scales with the loss. The hidden constant is reported.

Section 1.1 prints the result with a minimum in the place of the maximum, L·min(1/√n, √rank/(εn)) up to logs:
second reading,
`:introduction`. It falls: with ε fixed it would make every population risk O(1/n), while a coin of bias 1/√n
cannot be told from a fair one.

How it is checked. X is a uniformly random basis vector of ℝᵏ, Y = ±1/√k with a bias of order √(k/n) scanned
over a grid (absolute losses: the sign of every coordinate of θ*_pop must be guessed from n/k coins), and
deterministic targets with pinball and pseudo-Huber losses (there privacy alone costs). Datasets are drawn
anew in every trial. Log of the supremum against the log of the sum of both terms (the maximum up to a factor
2; the risk has both parts at once), both regimes in one table, slope 1; exponent of n in the statistical
regime against −½. The private regime alone is narrow: the private term must be between 1/√n and 1/4, below
which the trivial risk of θ₀ takes over.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from audits.bounds import check_bound
from audits.evidence import Bound, Evidence, Verdict
from audits.rates import fit_rate, slope_against
from audits.reported import extreme_mean
from claims.harness.claim import Claim, Kind, Plot, Point, Tier
from claims.song2021._cite import cite
from claims.song2021._rows import cells, dictionaries
from claims.song2021._sample import decisive
from claims.song2021._sup import worst_members
from implementations import losses
from implementations.interfaces import Adjacency, Loss
from implementations.song2021 import dp_gd

if TYPE_CHECKING:
    import pandas as pd

TOLERANCE = 0.1
WIDE = 0.25
"""For the slope over both regimes: their constants differ by up to 1.4, which tilts it over a decade of the
form.
"""
DELTA = 1e-3
CONSTANT = 3.0
"""What is put for the hidden constant in the inequality check."""


def members(n: int, k: int) -> list[tuple[str, Loss, float, float]]:
    """(name, link, target, bias): Y = target with probability (1 + bias)/2, else −target; |target| = 1/√k."""
    place = 1.0 / math.sqrt(k)
    return [
        *((f"coin {c:g}", losses.absolute(), place, min(1.0, c * math.sqrt(k / n))) for c in (0.5, 1.0, 2.0)),
        ("pinball", losses.pinball(0.5), -place, 1.0),
        ("pseudo-huber", losses.pseudo_huber(0.3 * place), place, 1.0),
    ]


def forms(point: Point) -> tuple[float, float]:
    """(1/√n, √(k·log(1/δ))/(εn)); L = ‖θ*_pop‖ = 1."""
    n, k = int(point["n"]), int(point["k"])
    return 1.0 / math.sqrt(n), math.sqrt(min(k, n) * math.log(1.0 / DELTA)) / (float(point["epsilon"]) * n)


def measure(point: Point, rng: np.random.Generator) -> dict[str, Any]:
    """Excess population risks, one row a loss and trial."""
    n, k, trials = int(point["n"]), int(point["k"]), point.trials
    steps = n * n
    sigma = dp_gd.noise_scale(
        epsilon=float(point["epsilon"]),
        delta=DELTA,
        n=n,
        steps=steps,
        lipschitz=1.0,
        noise="printed",
        adjacency=Adjacency.REPLACE,
    )
    statistical, private = forms(point)
    eta = min(n**-1.5, 1.0 / (n * n * private))
    columns: dict[str, list[Any]] = {"loss": [], "trial": [], "excess": []}
    for name, link, target, bias in members(n, k):
        totals = rng.multinomial(n, np.full(k, 1.0 / k), size=trials)
        heads = rng.binomial(totals, 0.5 * (1.0 + bias))
        weights = np.stack([heads, totals - heads]) / n
        targets = np.stack([np.full((trials, k), target), np.full((trials, k), -target)])
        kinds = 1 if bias == 1.0 else 2
        run = dp_gd.run(
            dp_gd.coordinate_gradient(link, targets[:kinds], weights[:kinds]),
            np.zeros((trials, k)),
            steps=steps,
            learning_rate=eta,
            noise=dp_gd.gaussian_noise((trials, k), sigma, rng),
        )
        law = np.stack([np.full(k, 0.5 * (1.0 + bias) / k), np.full(k, 0.5 * (1.0 - bias) / k)])
        ends = np.stack([np.full(k, target), np.full(k, -target)])
        best = dp_gd.coordinate_risk(link, ends, law, np.full(k, target))
        columns["loss"] += [name] * trials
        columns["trial"] += range(trials)
        columns["excess"] += (dp_gd.coordinate_risk(link, ends, law, run.printed) - best).tolist()
    count = len(columns["trial"])
    return {
        **columns,
        "claimed": np.full(count, max(statistical, private)),
        "sum_of_terms": np.full(count, statistical + private),
        "smaller": np.full(count, min(statistical, private)),
        "regime": ["statistical" if statistical >= private else "private"] * count,
    }


AXES = ["n", "k", "epsilon", "claimed", "sum_of_terms", "smaller", "regime"]


def judge(rows: pd.DataFrame, alpha: float) -> list[Evidence]:
    """The supremum against the maximum of both terms; the exponent of n in each regime; the inequality with
    a constant.
    """
    groups = cells(rows, ["n", "k", "epsilon", "loss"])
    checks = [
        check_bound(
            group["excess"].to_numpy() / float(group["claimed"].iloc[0]),
            CONSTANT,
            alpha=alpha / 4.0 / len(groups),
            quantity="population excess risk over max(1/√n, √(k·log(1/δ))/(εn)), worst cell",
            point=point,
        )
        for point, group in groups
    ]
    worst = decisive(checks, lambda e: e.estimate)
    evidence = [replace(worst, alpha_spent=alpha / 4.0, note="the hidden constant, as measured, against 3")]
    table = worst_members(rows, AXES, "loss", "excess")
    if table["n"].nunique() < 3:
        return evidence
    options = {
        "bound": Bound.UPPER,
        "standard_error": "standard_error",
        "alpha": alpha / 4.0,
        "equivalence_alpha": 0.01,
    }
    # Sum and maximum differ by a factor of at most 2; the risk has both parts at once, so the sum fits
    # better.
    near = table[table["claimed"] <= 0.25]
    evidence += slope_against(near, "risk", "sum_of_terms", WIDE, **options).evidence()
    part = table[(table["epsilon"] == 8.0) & (table["k"] == 1)]
    found = fit_rate(part, "risk", ["n"], {"n": -0.5}, TOLERANCE, **options).evidence()
    return evidence + [replace(e, quantity="exponent of n, statistical regime") for e in found]


def judge_introduction(rows: pd.DataFrame, alpha: float) -> list[Evidence]:
    """The supremum against the minimum of both terms."""
    table = worst_members(rows, AXES, "loss", "excess")
    return [
        *slope_against(
            table[table["regime"] == "statistical"],
            "risk",
            "smaller",
            TOLERANCE,
            bound=Bound.UPPER,
            standard_error="standard_error",
            alpha=alpha,
            equivalence_alpha=0.01,
        ).evidence(),
        extreme_mean(
            "largest risk over the minimum of both terms",
            (table["risk"] / table["smaller"]).tolist(),
            (table["standard_error"] / table["smaller"]).tolist(),
            table["trials"].tolist(),
            dictionaries(table[["n", "k", "epsilon", "loss"]]),
            note="interval simultaneous over the grid",
        ),
    ]


def _points(sizes: list[int], levels: list[tuple[int, float]]) -> list[dict[str, Any]]:
    return [{"n": n, "k": k, "epsilon": e} for k, e in levels for n in sizes]


_CLAIM = Claim(
    id="song2021/theorem-3.2",
    kind=Kind.RATE,
    title="Excess population risk of DP-GD",
    statement=(
        r"$D\sim\tau^n$, convex $L$-Lipschitz GLM losses, $\theta_0=0$, $C=\mathbb R^p$, $T=n^2$, "
        r"$\sigma^2=2L^2T\log(1/\delta)/(n\varepsilon)^2$, appropriate $\eta$, $k=\min(\mathrm{rank}(M),n)$: "
        r"$\mathbb E[\ell(\langle\theta^{priv},x\rangle;y)-\ell(\langle\theta^*_{pop},x\rangle;y)]="
        r"\|\theta^*_{pop}\|_M\cdot O\big(\max(\frac L{\sqrt n},\frac{L\sqrt{k\log(1/\delta)}}{\varepsilon "
        r"n})\big)$."
    ),
    how=(
        "Supremum over coins of bias √(k/n) and deterministic targets, fresh datasets; slope against the sum "
        "of both terms within 0.25 (the regimes' constants differ by up to 1.4), exponent of n within 0.1."
    ),
    source=cite("Theorem 3.2", "section 3.1, proof in appendix A"),
    bound=Bound.UPPER,
    expected=Verdict.CONSISTENT,
    tiers={
        "smoke": Tier(points=_points([16, 24], [(1, 8.0), (2, 0.5)]), trials=200),
        "ci": Tier(
            points=[
                *_points([12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 100, 128], [(1, 8.0)]),
                *_points([56, 72, 96, 128, 180], [(1, 0.15)]),
                *_points([32, 64, 96], [(4, 8.0), (4, 1.0)]),
                *_points([40, 60, 90], [(1, 0.6)]),
            ],
            trials=1_200,
        ),
        "full": Tier(
            points=[
                *_points([12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 100, 128, 256], [(1, 8.0)]),
                *_points([56, 72, 96, 128, 180, 256], [(1, 0.15)]),
                *_points([32, 64, 128], [(4, 8.0), (4, 1.0), (16, 8.0)]),
            ],
            trials=1_600,
            chunk=400,
        ),
    },
    measure=measure,
    judge=judge,
    fits_exponents=True,
    plots=[
        Plot(
            kind="loglog",
            title="Theorem 3.2: excess population risk, statistical regime",
            x="n",
            y="excess",
            x_label="n",
            y_label="excess population risk",
            claimed="claimed",
            series="loss",
            log_x=True,
            log_y=True,
            select={"k": 1, "epsilon": 8.0},
        )
    ],
)
CLAIMS = [
    _CLAIM,
    replace(
        _CLAIM,
        id="song2021/theorem-3.2:introduction",
        title="Excess population risk of DP-GD as section 1.1 prints it",
        statement=_CLAIM.statement.replace(r"\max(", r"\min("),
        how="The same runs where the statistical term is the larger one: slope against the minimum.",
        source=cite("Theorem 3.2", "section 1.1"),
        expected=Verdict.REFUTED,
        tiers={
            "smoke": Tier(
                points=_points([8, 9, 10, 11, 12, 14, 16, 18, 20, 23, 26, 30, 34, 40], [(1, 8.0)]), trials=600
            ),
            "ci": Tier(
                points=_points([8, 9, 11, 12, 14, 16, 20, 24, 28, 32, 40, 48, 64, 80], [(1, 8.0)]), trials=600
            ),
            "full": Tier(
                points=_points([8, 9, 11, 12, 14, 16, 20, 24, 28, 32, 40, 48, 64, 80, 128], [(1, 8.0)]),
                trials=1_600,
                chunk=400,
            ),
        },
        judge=judge_introduction,
        plots=(),
    ),
]
