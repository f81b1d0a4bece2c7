r"""Theorem 2.2, utility: E[L(θ^DP; D) − L(θ*; D)] ≲ GC·√(k·log(1/δ))/(nε), if G_k is at most about
G/(nε√d).

It holds, though two lemmas of its proof fall: integration by parts (`lemma-2.8-proof`) gives

    E excess ≤ k/η + (μ/4)·C² + G_k·√(2d/(ημ) + C²),

and with η = nε√(k/log(1/δ))/(GC) and μ = 8ηG²·log(1/δ)/(n²ε²), the private reading (`theorem-2.2-privacy`),
the first two terms are (1 + 2)·GC√(k·log(1/δ))/(nε), and the third, for G_k = G/(nε√d), is √(1/(4k) +
1/d)/√log(1/δ) times that: the constant is 3 + √(1/(4k) + 1/d)/√log(1/δ), below 4 for δ ≤ 0.2 and below 4.4
for all δ < ½. Here θ* is the minimiser of the empirical risk, within C of the origin: Assumption 1.2 as
printed does not give that (`assumption-1.2`). With the reading η = nε√(k·log(1/δ))/(GC), μ = 8ηG²/(n²ε²) the
risk has the same bound, without privacy. With the log in both (`:both-logs`) the statement falls: μC² carries
log(1/δ)^{3/2}.

How it is checked. The exact sampler runs in ℝᵈ on losses Σ_{j≤k} a|θ_j − z_j| + (G_k/√(d − k))·Σ_{j>k}|θ_j|,
minimisers at distance C, G_k = 0 and G_k = G/(nε√d). Members of the family differ in how many records
disagree: the slope of the risk ranges from its largest value to half of μC, where the regulariser costs most.
(1) The mean of each member at each point against its constant times the printed form GC√(k·log(1/δ))/(nε),
both computed here. (2) Exponents of n, k, ε, d and log(1/δ) of the supremum over the family against −1, ½,
−1, 0 and ½; δ goes from 0.4 to 10⁻⁸⁰."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from audits.rates import family
from claims import (
    CONSISTENT,
    REFUTED,
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
    constant,
    mean_at_most,
)
from claims.lee2024 import PAPER
from implementations.lee2024 import product_sampler, regularised_exponential

G, C, CONSTANT = 1.0, 2.0, 4.0
EXPONENTS = {"n": -1.0, "k": 0.5, "epsilon": -1.0, "d": 0.0, "log(1/delta)": 0.5}
SHARES = (1.0, 0.3, 2.0, 1.0, 0.5)
"""Slope of the risk: the first two in units of G, the others in units of μC."""
MEMBERS = ("slope G", "slope 0.3 G", "slope 2 μC", "slope μC", "slope μC/2")


def slopes(n: int, mu: float) -> list[float]:
    """Slopes of the members in units of G, as n records of two kinds can have them, above 0."""
    wanted = [SHARES[0], SHARES[1], *(s * mu * C / G for s in SHARES[2:])]
    return [max(1.0 / n, min(1.0, round(n * s) / n)) for s in wanted]


def measure(temperature: str, regulariser: str, point: Point) -> dict[str, Any]:
    n, k, d, epsilon, delta = point.n, point.k, point.d, point.epsilon, point.delta
    small = 0.0 if point.tail == "none" else G / (n * epsilon * math.sqrt(d))
    chosen = regularised_exponential.parameters(
        n=n, epsilon=epsilon, delta=delta, rank=k, lipschitz=G, radius=C,
        inverse_temperature=temperature, regulariser=regulariser,
    )  # fmt: skip
    a = math.sqrt(G**2 - small**2) / math.sqrt(k)
    centre = C / math.sqrt(k)
    columns: dict[str, Any] = {"member": [], "trial": [], "risk": []}
    for i, slope in enumerate(slopes(n, chosen.mu)):
        # a share (1 + slope)/2 of the records at +C/√k in the first k coordinates, the others at −C/√k
        weights = np.zeros((d, 2))
        weights[:k] = chosen.eta * a * np.array([(1.0 - slope) / 2.0, (1.0 + slope) / 2.0])
        weights[k:, 0] = chosen.eta * small / math.sqrt(max(d - k, 1))
        knots = np.zeros((d, 2))
        knots[:k] = [-centre, centre]
        law = product_sampler.potential(knots, weights)
        theta = product_sampler.sample(law, point.trials, point.rng, strength=chosen.strength)
        signal, rest = theta[:, :k], theta[:, k:]
        low, high = np.abs(signal + centre), np.abs(signal - centre)
        excess = a * (0.5 * (1.0 - slope) * (low - 2.0 * centre) + 0.5 * (1.0 + slope) * high).sum(axis=1)
        excess += small / math.sqrt(max(d - k, 1)) * np.abs(rest).sum(axis=1)
        columns["member"] += [MEMBERS[i]] * point.trials
        columns["trial"] += range(point.trials)
        columns["risk"] += excess.tolist()
    return columns


def printed(row: Any) -> float:
    """GC·√(k·log(1/δ))/(nε)."""
    return G * C * math.sqrt(row["k"] * math.log(1.0 / row["delta"])) / (row["n"] * row["epsilon"])


def proved(row: Any) -> float:
    """The constant of the docstring: k/η and (μ/4)C² make 3, G_k = G/(nε√d) adds the rest."""
    tail = 0.0 if row["tail"] == "none" else math.sqrt(1.0 / (4.0 * row["k"]) + 1.0 / row["d"])
    return 3.0 + tail / math.sqrt(math.log(1.0 / row["delta"]))


def judge(rates: bool, rows: Any, budget: Budget) -> Iterator[Evidence]:
    axes = ["n", "k", "epsilon", "d"]
    cells = list(rows.groupby([*axes, "delta", "tail", "member"]))
    share = budget.share(0.5) / len(cells)
    ratios, errors, points = [], [], []
    for key, cell in cells:
        point = dict(zip([*axes, "delta", "tail", "member"], key, strict=True))
        scaled = cell["risk"].to_numpy() / printed(point)
        yield mean_at_most(
            "excess risk over the printed form", scaled, proved(point), alpha=share, point=point,
            largest_resolution=1.0,
        )  # fmt: skip
        ratios.append(float(scaled.mean()))
        errors.append(float(scaled.std(ddof=1)) / math.sqrt(scaled.size))
        points.append(point)
    trials = int(rows["trial"].max()) + 1
    yield constant("hidden constant, largest over the points", ratios, errors, trials, points=points)
    for tail, part in zip(("none", "small"), budget.split(2) if rates else (), strict=False):
        worst = family.worst_member(rows[rows["tail"] == tail], [*axes, "delta"], "member", "risk")
        worst["log(1/delta)"] = np.log(1.0 / worst["delta"])
        yield from family.exponents(
            worst, "risk", EXPONENTS, 0.1, side=Side.UPPER, alpha=part,
            equivalence_alpha=0.001, standard_error="standard_error", vanishing=("epsilon",),
            point={"tail": tail},
        )  # fmt: skip
        form = worst.assign(form=[printed(row) for row in worst.to_dict("records")])
        longer = form["form"] * np.log(form["n"])
        words = f"the form times log n, {tail} tail"
        yield from family.beside(form, "risk", "form", longer, words, error="standard_error")


_BASE = {"n": 800, "k": 4, "epsilon": 0.2, "d": 64, "delta": 1e-4}
_ARMS = family.star(
    _BASE,
    n=(800, 400, 3200, 12_800),
    k=(1, 16),
    epsilon=(0.05, 0.1, 0.4, 0.8),
    d=(8, 16, 256, 1024),
    delta=(1e-80, 1e-20, 0.1, 0.4),
)
_STAR = [
    cell | {"tail": tail}
    for tail in ("none", "small")
    for cell in [*_ARMS, _BASE | {"n": 3200, "k": 16, "epsilon": 0.4, "d": 256, "delta": 1e-6}]
]


def _plot(label: str, axis: str, **others: float) -> Plot:
    """The risk of every member along one axis, the other parameters as in the middle of the star."""
    return Plot(
        kind="loglog", title=f"Excess risk against the {label}", x=axis, y="risk", x_label=label,
        y_label="excess risk", series="member", select={"delta": 1e-4, **others, "tail": "small"},
    )  # fmt: skip


CLAIM = Claim(
    PAPER,
    "Theorem 2.2",
    "section 2",
    name="theorem-2.2-utility",
    kind=Kind.RATE,
    title="Rank-dependent risk of the regularised exponential mechanism",
    statement=r"""With $\eta=n\varepsilon\sqrt{k/\log(1/\delta)}/(GC)$ and $\mu=8\eta
G^2\log(1/\delta)/(n^2\varepsilon^2)$ and $G_k\le G/(n\varepsilon\sqrt d)$, for $\theta^*$ within $C$ of the
origin: $\mathbb E[L(\theta)-L(\theta^*)]\le c\,GC\sqrt{k\log(1/\delta)}/(n\varepsilon)$, whatever $d$ is,
$c=3+\sqrt{1/(4k)+1/d}/\sqrt{\log(1/\delta)}$, at most 4 for $\delta\le\frac15$ (printed with $\lesssim$; the
constant is ours).""",
    uses={"lemma-2.8": "", "assumption-1.2": "its hypothesis"},
    expected=CONSISTENT,
    fits_exponents=True,
    measure=partial(measure, "log-below", "log"),
    judge=partial(judge, True),
    smoke=Tier([{**_BASE, "tail": "none"}, {**_BASE, "k": 1, "tail": "small"}], trials=400),
    ci=Tier(_STAR, trials=3000),
    largest_resolution=1.0,
    plots=[
        _plot("records n", "n", k=4, d=64, epsilon=0.2),
        _plot("rank k", "k", n=800, d=64, epsilon=0.2),
        _plot("ambient dimension d", "d", n=800, k=4, epsilon=0.2),
        _plot("privacy parameter ε", "epsilon", n=800, k=4, d=64),
    ],
)  # fmt: skip
PLAIN = CLAIM.reading(
    "log-above",
    statement=r"""The same bound with $\eta=n\varepsilon\sqrt{k\log(1/\delta)}/(GC)$ and $\mu=8\eta
G^2/(n^2\varepsilon^2)$, which is not private.""",
    measure=partial(measure, "log-above", "plain"),
    judge=partial(judge, False),
    fits_exponents=False,
    plots=(),
)
BOTH = CLAIM.reading(
    "both-logs",
    statement=r"""The same bound with $\eta=n\varepsilon\sqrt{k\log(1/\delta)}/(GC)$ and
$\mu=8\eta G^2\log(1/\delta)/(n^2\varepsilon^2)$.""",
    expected=REFUTED,
    measure=partial(measure, "log-above", "log"),
    judge=partial(judge, False),
    fits_exponents=False,
    plots=(),
    finding=Finding(
        Weight.RANGE,
        what=r"""Not printed, but the repair that comes to mind first: with the factor $\log(1/\delta)$ added
to $\mu$ alone the regulariser costs $\mu C^2/4$, above the bound by a factor $\log(1/\delta)/2$: 6.8 measured
at $\delta=10^{-4}$.""",
        favour=r"""With the logarithm below the fraction in $\eta$ at the same time, the bound is as printed
(`theorem-2.2-utility`).""",
        survives=r"""The bound times $\log(1/\delta)$.""",
        follows_from="lee2024/theorem-2.2-privacy",
    ),
)
CLAIMS = [PLAIN, BOTH]
