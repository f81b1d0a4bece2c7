r"""Theorem 4.1, repaired: Phased-ERM with fewer phases, and with smaller changes than a projection and a
ball.

Two of the choices of Algorithm 3 cost more than they bring. Its T = ⌈log(nm)⌉ phases divide the budget,
and with it K, the factor of the noise, grows like T² and more; T is there for 4^T·√d ≥ n√m, and
⌈log₄(n√m/√d)⌉ is enough for that: 30 for 65 at n = 10⁸, m = 10²⁰, d = 1. The ball of line 11 is never
active for θ̂ᵢ₋₁ ∈ 𝒦, since then ‖θ*ᵢ − θ̂ᵢ₋₁‖ ≤ G/λᵢ = Rᵢ; without it no set can be empty. It is there
to make the regularised losses 2G-Lipschitz; but the regulariser has one gradient for all users, and only
differences of users' gradients matter (`theorem-3.6`), so that G stands in the place of 2G, and σᵢ is
half as large. With both changes, and θ̂ᵢ projected onto 𝒦, the algorithm is private for the same reasons
(the budgets add up, Δ is that of Theorem 3.6 for gradients about their mean), and the proof of Theorem
4.1 goes through with the smaller K. A third choice is the noise of Algorithm 1: the least σ that its privacy
needs (`theorem-3.3-privacy:least-noise`) is a fortieth of the printed one at the budget of a phase.

How it is checked. The printed algorithm, with θ̂ᵢ projected onto 𝒦, and the repairs on the same linear
losses, each at the worst slope of its own: K·G·E‖z‖/(n√m) times 10^{−½}, 1 and 10^{½}, and steeper ones.
Each has to be within a constant of its own K·RG·E‖z‖/(n√m), with the first two repairs at most a quarter of
the printed algorithm's risk in every cell, and with all three a tenth of that. K is taken from the text:
the budget of a phase and the Lipschitz constant of its losses; every σᵢ of the program is held against it,
since less noise would only help."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from audits.rates import family
from claims import CONSISTENT, Budget, Claim, Evidence, Kind, Plot, Point, Tier, at_most, grid, mean_at_most
from claims.ghazi2023 import PAPER
from claims.ghazi2023 import _rates as rates
from claims.ghazi2023.algorithm_3 import printed_sigma
from implementations.ghazi2023 import del_output_pert, phased_erm
from implementations.ghazi2023.feasible import Ball
from implementations.ghazi2023.reading import Guarantee, Reading

READINGS = {
    "printed, projected": Reading(variant="corrected"),
    "fewer phases": Reading(variant="corrected", schedule="fewer"),
    "fewer phases, no ball": Reading(variant="corrected", schedule="fewer", sets="domain"),
    "and the least noise": Reading(variant="corrected", schedule="fewer", sets="domain", noise="least"),
}
BEATEN = {
    "fewer phases, no ball": ("printed, projected", 0.25),
    "and the least noise": ("fewer phases, no ball", 0.1),
}
"""Which reading each of these is held against, and its largest share of the other's risk."""
LEVELS = (-0.5, 0.0, 0.5, 1.5)
"""log₁₀ of a slope over K·G·E‖z‖/(n√m)."""
CONSTANT = 4.0


def noise_factor(name: str, n: int, m: float, d: int, beta: float) -> float:
    """K = σᵢλᵢn√m/G of one phase, from the text; the least noise in the share that Algorithm 1 has of it."""
    reading = READINGS[name]
    fewer = reading.schedule == "fewer"
    phases = math.ceil(math.log(n * math.sqrt(m / d)) / math.log(4.0) if fewer else math.log(n * m))
    share = (rates.EPSILON / phases, rates.DELTA / phases, beta / phases)
    factor = printed_sigma(*share, 2.0 if reading.sets == "printed" else 1.0, 1.0, n, m) * n * math.sqrt(m)
    line_3 = del_output_pert.parameters(*share[:2], 1.0).sigma
    return factor * del_output_pert.parameters(*share[:2], 1.0, reading.noise).sigma / line_3


def measure(point: Point) -> dict[str, Any]:
    n, m, d = round(point.n), 10.0**point.log10_m, point.d
    beta = 1.0 / (n * m)
    factor = noise_factor(point.algorithm, n, m, d, beta)
    form = factor * rates.noise_norm(d) / (n * math.sqrt(m))
    ball = Ball(np.zeros(d), 0.5)
    base = phased_erm.printed_regulariser(1.0, 1.0, n, m, d)
    found: list[dict[str, Any]] = []
    for level in LEVELS:
        slope = rates.along(min(0.8, form * 10.0**level), d)
        users = rates.users_about(slope, n, m, point.trials, 0.0, point.rng)
        phases = phased_erm.phased_erm(
            users, [ball], np.zeros(d), Guarantee(rates.EPSILON, rates.DELTA, beta), base, point.rng,
            reading=READINGS[point.algorithm],
        )  # fmt: skip
        spent = max(abs(p.sigma * p.regulariser * n * math.sqrt(m) / factor - 1.0) for p in phases)
        excess = users.excess(phases[-1].theta, rates.linear_minimiser(users.mean, ball))
        columns = rates.columns(np.where(np.isnan(excess), 1.0, excess), 0, form=form, level=level, off=spent)
        found.append(columns)
    return {key: np.concatenate([part[key] for part in found]) for key in found[0]}


def judge(rows: Any, budget: Budget) -> Iterator[Evidence]:
    axes = ["n", "log10_m", "d"]
    yield at_most("relative distance of σᵢ to the text", float(rows["off"].max()), 1e-9)
    worst = family.supremum(rows, [*axes, "algorithm", "form"], "level", "risk")
    groups = [(key, part["risk"].to_numpy()) for key, part in worst.groupby([*axes, "algorithm", "form"])]
    means = {key[:4]: float(risk.mean()) for key, risk in groups}
    levels = iter(budget.split(2 * len(groups)))
    for (*cell, name, form), risk in groups:
        place = {**dict(zip(axes, cell, strict=True)), "algorithm": name}
        words = "worst risk over K·RG·E‖z‖/(n√m)"
        yield mean_at_most(words, risk / form, CONSTANT, alpha=next(levels), point=place)
        share = next(levels)
        if name in BEATEN:
            against, most = BEATEN[str(name)]
            words = f"worst risk over that of: {against}"
            yield mean_at_most(words, risk / means[(*cell, against)], most, alpha=share, point=place)


CLAIM = Claim(
    PAPER,
    "Theorem 4.1",
    "section 4.1",
    variant="repaired",
    kind=Kind.EXPERIMENT,
    title="Phased-ERM with fewer phases, without the ball and with less noise, against the printed one",
    statement=r"With $T=\lceil\log_4(n\sqrt m/\sqrt d)\rceil$ phases, $\mathcal K_i=\mathcal K$, $G$ in "
    r"place of $2G$, and $\hat\theta_i$ projected onto $\mathcal K$, Algorithm 3 has at most a "
    r"quarter of the excess risk that it has with $\lceil\log(nm)\rceil$ phases and the ball, at the "
    r"worst slope of a linear loss for each; and with the least noise of Algorithm 1 a tenth of that.",
    expected=CONSISTENT,
    summary="fewer phases and no ball: a quarter of the risk and less; the least noise: a tenth of that "
    "and less",
    measure=measure,
    judge=judge,
    largest_resolution=1.0,
    plots=[
        Plot(
            kind="curve", title="Worst excess risk of Phased-ERM and of its repairs", x="log10_m", y="risk",
            x_label="log₁₀ of the items of a user", y_label="excess empirical risk", series="algorithm",
            log_y=True, select={"level": 0.0, "d": 1},
        )
    ],
    smoke=Tier(grid(n=1e8, log10_m=20.0, d=10, algorithm=tuple(READINGS)), trials=200),
    ci=Tier(grid(n=1e8, log10_m=(17.0, 20.0, 23.0), d=(1, 10), algorithm=tuple(READINGS)), trials=300),
)  # fmt: skip
