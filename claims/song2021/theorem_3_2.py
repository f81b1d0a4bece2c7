r"""Theorem 3.2: excess population risk of DP-GD, T = n².

n records drawn from a law τ of (x, y), convex L-Lipschitz GLM losses, θ₀ = 0, C = ℝᵖ, M the projector to the
span of E[xxᵀ], k = min(rank(M), n), T = n² steps with the noise of Theorem 2.6, appropriate η (the proof:
η = ‖θ*_pop‖_M/L · min(n^{−3/2}, ε/(n√(k·log(1/δ))))). Then
E[ℓ(⟨θ^priv, x⟩; y)] − E[ℓ(⟨θ*_pop, x⟩; y)] = ‖θ*_pop‖_M·O(max(L/√n, L√(k·log(1/δ))/(εn))) (Song et al. 2021,
section 3.1, appendix A). The scan garbles the first term of the maximum; L stands in both because the
left-hand side scales with the loss. The hidden constant is reported.

Section 1.1 prints the result with a minimum in the place of the maximum, L·min(1/√n, √rank/(εn)) up to logs,
which cannot be meant: x = 1, Y = ±1 with bias ±γ, absolute losses, so that θ ∈ [−1, 1] has excess γ(1 ∓ θ).
Averaged over the sign of the bias, no function of n coins has less than γ·(1 − TV(P₊, P₋)), binomial laws of
the number of heads. At γ = 1/(2√n) Pinsker's inequality gives TV² ≤ nγ·log((1 + γ)/(1 − γ))/2 ≤ nγ²/(1 − γ²)
≤ 1/3, so that the worse of the two signs has excess above 0.2/√n for every n and every algorithm.

The family. X is a uniformly random basis vector of ℝᵏ, Y = ±1/√k with a bias of order √(k/n) scanned over a
grid (absolute losses: the sign of every coordinate of θ*_pop must be guessed from n/k coins), and
deterministic targets with pinball and pseudo-Huber losses (there privacy alone costs). Datasets are drawn
anew in every trial. The private regime is narrow: the private term must be between 1/√n and the risk of θ₀,
and √k times it so small that descent arrives. There only a pinball loss with deterministic targets is run, at
one n.

The constant of the proof. Put s = 1/√n, q = √(k·log(1/δ))/(εn), m = max(s, q), so that η = 1/(n²m) in
units of ‖θ*‖/L. On any dataset descent has, in expectation and for the average of θ₀..θ_{T−1}, at most
1/(2ηT) + η(1 + kσ²)/2 = m/2 + q²/m + 1/(2n²m). The average of θ₁..θ_T is off by (θ_T − θ₀)/T, at most 3/n²
in mean, because E‖θ_T − θ*‖² ≤ 1 + Tη²(1 + kσ²) ≤ 4. Stability (Lemma A.2, with the 2 that its recursion
shows) adds 2η(√T + T/n) = 4s²/m for the population. For deterministic targets stability is not needed: both
risks are weighted sums of the same k losses, whose minimum is 0 at θ*_pop, so that the population risk
times the least of the k weights n_j·k/n is at most the empirical one.

How it is checked. The mean excess of every loss against the constant of the proof, and that of deterministic
targets, times the least weight, against its part without stability: T, η, m and the constant are the
claim's, σ the program's. The exponent of n in the statistical regime against −½; those of k, ε and log(1/δ)
at one n in the private regime against ½, −1 and ½, as upper bounds. The slope of the supremum against the sum
of both terms (the maximum up to a factor 2; the risk has both parts at once), both regimes in one table, is
reported only: the regimes have constants of their own. Ranks of n, 4n and 16n, for which k = n, against the
constant of the proof.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from audits.judge import cells, constant, decisive, mean_at_most
from audits.rates import family
from claims import CONSISTENT, Adjacency, Budget, Claim, Evidence, Kind, Plot, Point, Side, Tier
from claims.song2021 import PAPER
from claims.song2021._oracle import steeper, units_of
from implementations import losses
from implementations.interfaces import Loss
from implementations.song2021 import dp_gd

if TYPE_CHECKING:
    import pandas as pd

TOLERANCE = 0.05
"""A forgotten root moves an exponent by ½; a tenth of that is allowed."""
SUM, MAXIMUM = "1/√n + √(k·log(1/δ))/(εn)", "max(1/√n, √(k·log(1/δ))/(εn))"


def members(n: int, k: int) -> list[tuple[str, Loss, float, float]]:
    """(name, link, target, bias): Y = target with probability (1 + bias)/2, else −target."""
    lipschitz, length = units_of(n)
    place = length / math.sqrt(k)
    found = [("pinball", losses.pinball(0.4), -place, 1.0)] if n == PRIVATE_N else [
        *((f"coin {c:g}", losses.absolute(), place, min(1.0, c * math.sqrt(k / n))) for c in (0.5, 1.0, 2.0)),
        ("pinball", losses.pinball(0.5), -place, 1.0),
        ("pseudo-huber", losses.pseudo_huber(0.3 * place), place, 1.0),
    ]  # fmt: skip
    return [(name, steeper(link, lipschitz), target, bias) for name, link, target, bias in found]


def forms(point: Point) -> tuple[float, float]:
    """(1/√n, √(k·log(1/δ))/(εn)), in units of L‖θ*_pop‖."""
    n, k = point.n, point.k
    return 1.0 / math.sqrt(n), math.sqrt(min(k, n) * math.log(1.0 / point.delta)) / (point.epsilon * n)


def proven(point: Point) -> tuple[float, float]:
    """What the proof bounds: the mean excess on any dataset, and what stability adds for the population."""
    n, (statistical, private) = point.n, forms(point)
    largest = max(statistical, private)
    descent = largest / 2.0 + private**2 / largest + 0.5 / (n**2 * largest) + 3.0 / n**2
    return descent, 4.0 * statistical**2 / largest


@dataclass(frozen=True, slots=True)
class Drawn:
    """Datasets of the trials, and the runs over which the excess risk of a trial is averaged.

    totals, heads  records of each coordinate, and those with the target: (1, trials, k) or (runs, trials, k).
    shares         (runs,), the weight of each run, which sum to 1.
    mirrored       whether the second run has the noise of the first with the other sign.
    """

    totals: Any
    heads: Any
    shares: Any
    mirrored: bool


def drawn(point: Point, bias: float) -> Drawn:
    """In rank 1 the mean over the coins is exact: a trial has a run for each number of heads, weighted by its
    probability, so that it varies by the noise alone. In the private cells a run and its mirror image make a
    trial: their errors nearly cancel, as the risk is nearly linear in the average."""
    from scipy.stats import binom

    n, k, rng = point.n, point.k, point.rng
    if k == 1 and bias < 1.0:
        heads = np.arange(n + 1)
        trials = max(LEAST_TRIALS, point.trials // heads.size)
        shares = binom.pmf(heads, n, 0.5 * (1 + bias))
        return Drawn(np.full((1, trials, 1), n), heads[:, None, None], shares, False)
    private = n == PRIVATE_N
    trials = PRIVATE_TRIALS // k if private else max(LEAST_TRIALS, point.trials * n // max(n, k))
    totals = rng.multinomial(n, np.full(k, 1.0 / k), size=(1, trials))
    heads = rng.binomial(totals, 0.5 * (1.0 + bias))
    return Drawn(totals, heads, np.full(1 + private, 1.0 / (1 + private)), private)


def mirrored(noise: Callable[[], Any]) -> Callable[[], Any]:
    """Each noise (1, trials, k) and the same with the other sign: (2, trials, k)."""

    def both() -> Any:
        drawn = noise()
        return np.concatenate([drawn, -drawn])

    return both


def measure(point: Point) -> dict[str, Any]:
    """Excess population risks over L‖θ*_pop‖, one row a loss and trial; beside them the bounds of the proof.

    least  the least of the weights k·n_j/n for deterministic targets, 0 for others.
    """
    n, k, rng = point.n, point.k, point.rng
    steps, (lipschitz, length) = n * n, units_of(n)
    sigma = dp_gd.noise_scale(
        epsilon=point.epsilon, delta=point.delta, n=n, steps=steps, lipschitz=lipschitz, noise="printed",
        adjacency=Adjacency.REPLACE,
    )  # fmt: skip
    statistical, private = forms(point)
    names = ("loss", "trial", "excess", "least")
    columns: dict[str, list[Any]] = {name: [] for name in names}
    for name, link, target, bias in members(n, k):
        data = drawn(point, bias)
        shape = runs, trials, _ = len(data.shares), data.totals.shape[1], k
        kinds = 1 if bias == 1.0 else 2
        # Of the full shape, and targets of none: NumPy is slow where it repeats a short axis.
        weights = np.empty((2, *shape))
        weights[0], weights[1] = data.heads / n, (data.totals - data.heads) / n
        targets = np.array([target, -target])[:kinds, None, None, None]
        noise = dp_gd.gaussian_noise((1 if data.mirrored else runs, trials, k), sigma, rng)
        run = dp_gd.run(
            dp_gd.coordinate_gradient(link, targets, weights[:kinds]), np.zeros(shape), steps=steps,
            learning_rate=length / lipschitz * min(n**-1.5, 1.0 / (n * n * private)),
            noise=mirrored(noise) if data.mirrored else noise,
        )  # fmt: skip
        law = np.stack([np.full(k, 0.5 * (1.0 + bias) / k), np.full(k, 0.5 * (1.0 - bias) / k)])
        ends = np.stack([np.full(k, target), np.full(k, -target)])
        best = dp_gd.coordinate_risk(link, ends, law, np.full(k, target))
        columns["loss"] += [name] * trials
        columns["trial"] += range(trials)
        excess = data.shares @ (dp_gd.coordinate_risk(link, ends, law, run.printed) - best)
        columns["excess"] += (excess / (lipschitz * length)).tolist()
        least = data.totals.min(axis=(0, 2)) * k / n if bias == 1.0 else np.zeros(trials)
        columns["least"] += least.tolist()
    count, (descent, stability) = len(columns["trial"]), proven(point)
    return {
        **columns,
        MAXIMUM: np.full(count, max(statistical, private)),
        SUM: np.full(count, statistical + private),
        "descent": np.full(count, descent),
        "stability": np.full(count, stability),
    }


AXES, LENGTH = ["n", "k", "epsilon", "delta"], "log(1/δ)"


def judge(rows: pd.DataFrame, budget: Budget) -> Iterator[Evidence]:
    """The constant of the proof; the supremum against the sum of both terms; exponents in each regime."""
    parts = cells(rows, [*AXES, "loss"])
    yield proven_evidence(parts, budget.share(0.25), certain=False)
    known = [(point, part) for point, part in parts if part["least"].max() > 0.0]
    yield proven_evidence(known, budget.share(0.25), certain=True)
    ratios = [part["excess"] / part[MAXIMUM] for _, part in parts]
    yield constant(
        f"largest population excess risk over {MAXIMUM}", [r.mean() for r in ratios],
        [float(r.std()) / math.sqrt(len(r)) for r in ratios], [len(r) for r in ratios],
        points=[point for point, _ in parts],
        note="the hidden constant, as measured; interval simultaneous over the cells",
    )  # fmt: skip
    if rows["n"].nunique() < 6:  # a few sizes fit no exponents
        return
    table = family.worst_member(rows, [*AXES, MAXIMUM, SUM], "loss", "excess")
    options = {"side": Side.UPPER, "equivalence_alpha": 0.01}
    near = table[(table[MAXIMUM] <= 0.25) & (table["k"] < table["n"])]
    alpha = budget.split(2)
    yield from family.exponents(
        near, "risk", {}, TOLERANCE, axes=[SUM], vanishing=[SUM], standard_error="standard_error"
    )
    longer = near[SUM] * np.log(near["n"])
    yield from family.beside(near, "risk", SUM, longer, "the form times log n", error="standard_error")
    yield from family.exponents(
        table[(table["epsilon"] == 8.0) & (table["k"] == 1)], "risk", {"n": -0.5}, TOLERANCE,
        named="{}, statistical regime", alpha=alpha[0], standard_error="standard_error", **options,
    )  # fmt: skip
    yield from private_evidence(rows, alpha[1], options)


def proven_evidence(
    parts: list[tuple[dict[str, Any], pd.DataFrame]], alpha: float, *, certain: bool
) -> Evidence:
    """Mean excess over the bound of the proof, worst cell; of deterministic targets without stability."""
    quantity = "population excess risk over the constant of the proof"
    if certain:
        quantity = "excess risk of deterministic targets over the bound of descent alone"
    checks: list[Evidence] = []
    for point, part in parts:
        bound = part["descent"] + (0.0 if certain else part["stability"])
        ratios = part["excess"] * (part["least"] if certain else 1.0) / bound
        checks.append(mean_at_most(quantity, ratios, 1.0, alpha=alpha / len(parts), point=point))
    found = decisive(checks, lambda e: e.estimate)
    note = "population risk times the least weight of a coordinate, which is at most the empirical risk"
    return replace(found, note=note) if certain else found


def private_evidence(rows: pd.DataFrame, alpha: float, options: dict[str, Any]) -> Iterator[Evidence]:
    """Exponents of k, ε and log(1/δ) at one n, where the private term is the larger one; one loss is run."""
    part = rows[(rows["n"] == PRIVATE_N) & (rows[MAXIMUM] <= 0.5)]  # a larger form says nothing of the risk
    part = part.assign(**{LENGTH: np.log(1.0 / part["delta"])})
    claimed = {"k": 0.5, "epsilon": -1.0, LENGTH: 0.5}
    yield from family.exponents(
        part, "excess", claimed, TOLERANCE, named="{}, private regime", alpha=alpha, vanishing=("epsilon",),
        trial=False, **options,
    )  # fmt: skip


def sizes(numbers: list[int], levels: list[tuple[int, float]]) -> list[dict[str, int | float]]:
    return [{"n": n, "k": k, "epsilon": e, "delta": 1e-3} for k, e in levels for n in numbers]


LEAST_TRIALS = 16
PRIVATE_N, PRIVATE_TRIALS = 196, 480
"""No other cell has this n: at it k, ε and δ vary, with the private term above 1/√n = 0.0714 in every cell.
A trial in rank k has k coordinates that are alike: as many coordinates are run at every k, here and where k
is n or more."""


def private_cells(levels: dict[int, list[float]], deltas: list[float]) -> list[dict[str, int | float]]:
    """Cells with these values of √(k·log(1/δ))/(εn) at each k, for every δ."""
    return [
        {
            "n": PRIVATE_N,
            "k": k,
            "epsilon": round(math.sqrt(k * -math.log(d)) / (q * PRIVATE_N), 5),
            "delta": d,
        }
        for k, terms in levels.items()
        for d in deltas
        for q in terms
    ]


PRIVATE = private_cells(
    {1: [0.072, 0.12, 0.2], 2: [0.072, 0.1, 0.14], 4: [0.072, 0.085, 0.1]}, [1e-2, 1e-5, 1e-12]
)
"""√k times the private term is at most 0.2."""
WIDE_RANK = [
    {"n": 24, "k": k, "epsilon": e, "delta": 1e-3} for k, e in ((24, 8.0), (96, 8.0), (96, 1.0), (384, 1.0))
]
"""rank(M) = n, 4n and 16n: beyond k = n the bound does not grow. At ε = 1 the private term is the larger one.
No exponents are fitted to these cells."""
NUMBERS = [12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 100, 128]
CLAIM = Claim(
    PAPER,
    "Theorem 3.2",
    "section 3.1, proof in appendix A",
    kind=Kind.RATE,
    title="Excess population risk of DP-GD",
    uses=("theorem-2.6", "theorem-3.1", "lemma-a.2"),
    statement=r"$D\sim\tau^n$, convex $L$-Lipschitz GLM losses, $\theta_0=0$, $C=\mathbb R^p$, $T=n^2$, "
    r"$\sigma^2=2L^2T\log(1/\delta)/(n\varepsilon)^2$, appropriate $\eta$, $k=\min(\mathrm{rank}(M),n)$: "
    r"$\mathbb E[\ell(\langle\theta^{priv},x\rangle;y)-\ell(\langle\theta^*_{pop},x\rangle;y)]="
    r"\|\theta^*_{pop}\|_M\cdot O\big(\max(\frac L{\sqrt n},\frac{L\sqrt{k\log(1/\delta)}}{\varepsilon "
    r"n})\big)$.",
    expected=CONSISTENT,
    rests_on=("song2021/lemma-a.2",),
    measure=measure,
    judge=judge,
    smoke=Tier(
        [
            *sizes([16, 24], [(1, 8.0), (2, 0.5)]),
            *WIDE_RANK[2:3],
            *private_cells({1: [0.072]}, [1e-2]),
            *private_cells({4: [0.072]}, [1e-12]),
        ],
        trials=200,
    ),
    ci=Tier(
        [
            *sizes(NUMBERS, [(1, 8.0)]),
            *sizes([72, 96], [(1, 0.15)]),
            *sizes([32, 64], [(4, 8.0), (4, 1.0)]),
            *sizes([40, 60], [(1, 0.6)]),
            *WIDE_RANK,
            *PRIVATE,
        ],
        trials=600,
    ),
    full=Tier(
        [
            *sizes([*NUMBERS, 256], [(1, 8.0)]),
            *sizes([56, 72, 96, 128, 180, 256], [(1, 0.15)]),
            *sizes([32, 64, 128], [(4, 8.0), (4, 1.0), (16, 8.0)]),
        ],
        trials=1_600,
        chunk=400,
    ),
    fits_exponents=True,
    plots=[
        Plot(
            kind="loglog",
            title="Theorem 3.2: excess population risk, statistical regime",
            x="n",
            y="excess",
            x_label="n",
            y_label="excess population risk",
            claimed=MAXIMUM,
            series="loss",
            select={"k": 1, "epsilon": 8.0},
        )
    ],
)
