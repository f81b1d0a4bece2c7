r"""Shared by Theorem 3 and Corollary 2: Algorithm 3 itself on losses whose noise is known in closed form.

The losses are f(θ) + ⟨θ, z⟩ with f known and z ~ N(0, σ²I): smooth, with σ²-sub-Gaussian gradients. User u's
gradient is ∇f(θ) + z̄_u, so the user means are all that is needed, and m costs nothing. The means are
centred, so that the empirical risk is f.

Every number that a risk is held against is computed here from the printed formulas, and none from what the
implementation computed:

* τ = σ√(2d·log(2dn/γ)/m), the radius of the user gradients (a union over dn coordinates);
* (ε′, δ′) = (ε/(2√(2T·log(2/δ))), δ/(2T)), line 2 of Algorithm 3;
* ν² = 102,400·d·τ²·log(dn/γ)·log(1/δ′)/(nε′)², the variance of one answer (Theorem 2), which is
  T·σ²d²/(n²mε²) times log factors and constants;
* β = 2γ + (d²B/τ)·exp(−nε′/(24√(d·log(1/δ′)))), its failure probability: every cell has Tβ ≤ 0.001.

Steps, slopes and radii of the losses are functions of this ν. Where the losses are quadratics and nothing is
projected, the output is a fixed linear function of the answers' noise (`noise_weights`): it must be that
function in every run, and the noise must have the variance ν². That is the tie between Algorithm 3 and the
oracle of Theorem 2, and it is judged from both sides.

A run costs n·d·T. Where that is too much, over decades of n, ε, d and T, the answers are those of A′ of
Theorem 2, the exact gradient plus the noise of Algorithm 2, to which Algorithm 2 is β-close: in the regimes
"far", "long" and "quiet". Exponents of risks are those of far or quiet cells, and exponents of the noise
those of all."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from audits.rates import family
from claims import Budget, Evidence, Plot, Point, Side, at_most, constant, decisive, mean_at_most, mean_equals
from implementations.levy2021 import first_order, winsorized_mean_highd
from implementations.levy2021.concentration import Concentration
from implementations.privacy import PrivacyBudget

if TYPE_CHECKING:
    import pandas as pd

    from implementations.interfaces import Array

DELTA, GAMMA = 0.1, 1e-6
"""δ, γ. The theorem holds for every δ > 0, which enters the risk by log(1/δ′) alone and is divided out.

The users that a cell needs grow with √(log(2/δ)·log(2T/δ)), 4.5 times as many at δ = 1e-6, and a run is as
much dearer. So the largest round value is taken; small δ are decided exactly in theorem-3-privacy.
"""
SIGMAS = (1.0, 0.02, 30.0)
"""σ of a cell, by its n. R is 1: a loss in other units, and θ in others, change H, σ and R and the risk as
`symmetries` says, so that the risk is σR times a function of HR/σ, and H is varied."""
FAILURE = 1e-3
"""Largest Tβ of a cell."""
SPAN = 200.0
"""B/τ: the bound on the gradients that Algorithm 3 is told, unless a loss needs more."""
QUIET = 10**12
"""Samples per user at which the noise is far below every other term, at σ = 1."""
TOLERANCE = 0.05
"""Of the exponent of a risk or of its square, one rule for all rates of the paper.

Exponents of such risks (in n, m, d, ε, T) are multiples of ½: a tenth of the distance of two laws, and less
than a logarithm of n moves an exponent over the sizes of far cells, 0.065.
"""
LARGEST = 0.2
"""Resolution of a noise or a risk that is held against its printed size from both sides.

The least constant that a slip leaves in a scale is √2, a factor of 2 or ½ in its square, a deviation of at
least ½; a fifth is less than half of that.
"""


@dataclass(frozen=True, slots=True)
class Setting:
    """One grid point and what the paper's formulas say about it; d a power of two.

    slope   bound on the coordinates of ∇f, in absolute units.
    oracle  whether answers are those of A′ of Theorem 2 in place of Algorithm 2.
    """

    n: int
    m: int
    d: int
    epsilon: float
    steps: int
    slope: float = 0.0
    delta: float = DELTA
    oracle: bool = False

    @property
    def sigma(self) -> float:
        return 1.0 if self.m == QUIET else SIGMAS[self.n % len(SIGMAS)]

    @property
    def tau(self) -> float:
        return self.sigma * math.sqrt(2.0 * self.d * math.log(2.0 * self.d * self.n / GAMMA) / self.m)

    @property
    def bound(self) -> float:
        return SPAN * self.tau + self.slope

    @property
    def answer_budget(self) -> tuple[float, float]:
        return self.epsilon / (
            2.0 * math.sqrt(2.0 * self.steps * math.log(2.0 / self.delta))
        ), self.delta / 2 / self.steps

    @property
    def variance(self) -> float:
        """ν²."""
        epsilon, delta = self.answer_budget
        logs = math.log(self.d * self.n / GAMMA) * math.log(1.0 / delta)
        return 102_400.0 * self.d * self.tau**2 * logs / (self.n * epsilon) ** 2

    @property
    def rate(self) -> float:
        """ν/√T, free of T up to log factors."""
        return math.sqrt(self.variance / self.steps)

    @property
    def logs(self) -> float:
        """(ν²/T) / (d²/(n²mε²)): σ², log factors and constants."""
        return self.variance / self.steps * self.m * (self.n * self.epsilon / self.d) ** 2

    @property
    def failure(self) -> float:
        """Tβ."""
        epsilon, delta = self.answer_budget
        exponent = self.n * epsilon / (24.0 * math.sqrt(self.d * math.log(1.0 / delta)))
        return self.steps * (2.0 * GAMMA + self.d**2 * self.bound / self.tau * math.exp(-exponent))


def setting(point: Point, slope: float = 0.0) -> Setting:
    """The setting of a grid point; ValueError where it lies outside the theorem: ε > 1 or Tβ > 0.001."""
    delta = point.delta if "delta" in point else DELTA
    oracle = point.get("regime") in ("far", "long", "quiet")
    s = Setting(point.n, point.m, point.d, point.epsilon, point.steps, slope, delta, oracle)
    if s.epsilon > 1.0 or s.failure > FAILURE:
        raise ValueError(
            f"the theorem does not cover {dict(point)}: ε ≤ 1 and Tβ = {s.failure:.2g} ≤ {FAILURE}"
        )
    return s


def users_for(d: int, epsilon: float, steps: int, span: float = SPAN, delta: float = DELTA) -> int:
    """The least n, rounded up to two digits, with Tβ at most 0.0009 where B/τ is at most `span`."""
    epsilon_answer, delta = Setting(1, 1, d, epsilon, steps, delta=delta).answer_budget
    n = math.log(d**2 * span * steps / (0.9 * FAILURE - 2.0 * steps * GAMMA))
    n *= 24.0 * math.sqrt(d * math.log(1.0 / delta)) / epsilon_answer
    unit = 10 ** (math.floor(math.log10(n)) - 1)
    return unit * math.ceil(n / unit)


@dataclass(frozen=True, slots=True)
class Loss:
    """f with its gradient (trials, d) → (trials, d), the risk of a point (trials, d) → (trials,), a start.

    weights  (k, T) where the output is known to be −Σ_s weights[j, s]·ξ_s, ξ the answers' noise, for one of k
             equally likely j: quadratics that start at their minimiser, nothing projected.
    """

    name: str
    gradient: Callable[[Array], Array]
    risk: Callable[[Array], Array]
    start: Array
    weights: Array | None = None


def diagonal(length: float, d: int) -> Array:
    """The vector of this length along (1, …, 1)."""
    return length * np.ones(d) / math.sqrt(d)


def noise_weights(sizes: Sequence[float], curvature: float) -> Array:
    """W (T + 1, T): θ_t = … − Σ_s W[t, s]·ξ_s for θ_{t+1} = θ_t − η_t(curvature·θ_t + ξ_t), unprojected."""
    steps = len(sizes)
    weights = np.zeros((steps + 1, steps))
    for t, size in enumerate(sizes):
        weights[t + 1] = (1.0 - size * curvature) * weights[t]
        weights[t + 1, t] += size
    return weights


def runs_of(point: Point, s: Setting) -> int:
    """Fewer runs where a run is dear: a fit weighs cells by their error. Eight where noise is negligible."""
    if point.regime == "quiet":
        return 8
    if s.oracle:
        return int(point.trials * max(1.0, OFTEN / (s.d * s.steps) ** 0.5))
    least = users_for(1, 1.0, 2) * 2
    return max(8, int(point.trials * (least / (s.n * s.d * s.steps)) ** 0.5))


def run(
    s: Setting, loss: Loss, method: first_order.Method, runs: int, rng: np.random.Generator
) -> dict[str, Array]:
    """Algorithm 3 itself on n users: its risks, and what the noise of its answers was, one number a run.

    risk   of the output.
    asked  mean of the risks of the points at which gradients are asked: expected risk of a uniform iterate.
    noise  mean of ‖ξ_t‖² over ν².
    inner  mean of ⟨ξ_s, ξ_t⟩, s ≠ t, over ν²: zero for unbiased and independent answers.
    off    distance of the output from the nearest of the k that `loss.weights` allows, over its own size.
    pick   which of the k it is, from 0 to 1.
    """
    parts: list[dict[str, Array]] = []
    batch = runs if s.oracle else max(1, 200_000 // (s.n * s.d))
    for begin in range(0, runs, batch):
        size = min(batch, runs - begin)
        seen: list[Array] = []
        asked: list[Array] = []

        def update(
            state: first_order.State, answer: Array, seen: list[Array] = seen, asked: list[Array] = asked
        ) -> first_order.State:
            asked.append(method.query(state))
            seen.append(answer - loss.gradient(asked[-1]))
            return method.update(state, answer)

        start = np.tile(loss.start, (size, 1))
        optimise = _with_oracle if s.oracle else _on_users
        final = optimise(s, loss, replace(method, update=update), start, rng)
        parts.append(
            {"risk": loss.risk(final), "asked": np.mean([loss.risk(t) for t in asked], axis=0)}
            | _noise(s, np.array(seen))
            | _tied(loss, final, np.array(seen))
        )
    return {k: np.concatenate([p[k] for p in parts]) for k in parts[0]}


def _on_users(s: Setting, loss: Loss, method: first_order.Method, start: Array, rng: Any) -> Array:
    """Algorithm 3 on the gradients of n users in each run."""
    z = s.sigma / math.sqrt(s.m) * rng.standard_normal((len(start), s.n, s.d))
    z -= z.mean(axis=1, keepdims=True)
    return first_order.winsorized_first_order(
        lambda theta: loss.gradient(theta)[:, None, :] + z, method, start, s.steps,
        PrivacyBudget(s.epsilon, s.delta), Concentration(s.tau, s.bound, GAMMA, failure=FAILURE), rng,
    )  # fmt: skip


def _with_oracle(s: Setting, loss: Loss, method: first_order.Method, start: Array, rng: Any) -> Array:
    """The method of Algorithm 3 with the answers of A′ of Theorem 2."""
    answer = oracle(s, rng)
    return first_order.run_method(method, lambda theta: answer(loss.gradient(theta)), start, s.steps)


def oracle(s: Setting, rng: np.random.Generator) -> Callable[[Array], Array]:
    """A′ of Theorem 2 at the budget of one of T answers: exact means (…, d) → answers (…, d)."""
    budget = first_order.query_budget(s.epsilon, s.delta, s.steps)
    plan = winsorized_mean_highd.highd_plan(s.n, s.d, *budget, s.tau, s.bound, GAMMA)
    return lambda mean: winsorized_mean_highd.noisy_mean(mean, plan, s.n, rng)


def _noise(s: Setting, noise: Array) -> dict[str, Array]:
    """noise (T', trials, d) with T' the steps that were taken, which is T unless the method has a bug."""
    squares = (noise**2).sum(axis=(0, 2))
    pairs = max(len(noise) * (len(noise) - 1), 1)
    inner = ((noise.sum(axis=0) ** 2).sum(axis=-1) - squares) / pairs
    return {"noise": squares / s.steps / s.variance, "inner": inner / s.variance}


def _tied(loss: Loss, final: Array, noise: Array) -> dict[str, Array]:
    unknown = np.full(len(final), math.nan)
    if loss.weights is None:
        return {"off": unknown, "pick": unknown}
    if noise.shape[0] != loss.weights.shape[1]:  # fewer or more steps than T: no such function at all
        return {"off": np.ones(len(final)), "pick": unknown}
    allowed = -np.einsum("ks,s...->k...", loss.weights, noise)
    distance = np.abs(final - allowed).max(axis=-1)
    size = np.abs(allowed).max(axis=(0, 2))
    nearest = distance.argmin(axis=0)
    pick = nearest / (len(loss.weights) - 1) if len(loss.weights) > 1 else unknown
    return {"off": distance.min(axis=0) / size, "pick": pick}


def columns(
    point: Point, s: Setting, losses: Sequence[Loss], method: first_order.Method, scale: float, bound: float
) -> dict[str, Any]:
    """One row a run and loss: its risk, and the risk over `scale` and over its bound, beside `run`.

    scale  what the claimed powers leave over: log factors, and gaps that are tied to ν.
    """
    runs = runs_of(point, s)
    parts = []
    for loss in losses:
        found = run(s, loss, method, runs, point.rng)
        parts.append(
            found
            | {
                "loss": np.repeat(loss.name, runs),
                "normalised": found["risk"] / scale,
                "share": found["risk"] / bound,
                "squared_noise": found["noise"] * s.variance / s.logs,
            }
        )
    stacked = {k: np.concatenate([p[k] for p in parts]) for k in parts[0]}
    return stacked | {"form": bound, "failure": s.failure}


def rate(
    rows: pd.DataFrame,
    claimed: Mapping[str, float],
    alpha: float,
    measured: str = "",
) -> list[Evidence]:
    """One-sided exponents of the mean over the family of losses, which is within its size of the supremum.

    measured  tells exponents of one axis apart where a claim fits two.
    """
    return family.exponents(
        rows, "normalised", claimed, TOLERANCE, side=Side.UPPER, alpha=alpha,
        equivalence_alpha=1e-3, vanishing=[a for a in VANISHING if a in claimed],
        point={"measured": measured} if measured else {},
    )  # fmt: skip


def without_a_logarithm(rows: pd.DataFrame, claimed: Mapping[str, float]) -> Iterator[Evidence]:
    """The claimed powers and log factors beside the same times log n: would another logarithm show?"""
    grid = rows.groupby([axis for axis in POINT_AXES if axis in rows], dropna=False)
    cells: Any = grid[["risk", "normalised"]].mean().reset_index()
    cells["error"] = grid["risk"].sem().to_numpy()
    cells["law"] = cells["risk"] / cells["normalised"]
    for axis, power in claimed.items():
        cells["law"] *= cells[axis] ** power
    longer = cells["law"] * np.log(cells["n"])
    yield from family.beside(cells, "risk", "law", longer, "the form times log n", error="error")


def noise_rate(rows: pd.DataFrame, alpha: float) -> list[Evidence]:
    """Exponents of the answers' squared noise over the printed log factors, from both sides."""
    claimed = {"n": -2.0, "m": -1.0, "d": 2.0, "epsilon": -2.0, "steps": 1.0}
    return family.exponents(
        rows, "squared_noise", claimed, TOLERANCE, alpha=alpha, equivalence_alpha=1e-3,
        point={"measured": "squared noise of an answer"},
    )  # fmt: skip


def below_bound(rows: pd.DataFrame, alpha: float, quantity: str) -> Evidence:
    """Mean risk over the explicit bound of the method, at most 1 in every cell and for every loss."""
    cells = [*(c for c in POINT_AXES if c in rows), "loss"]
    groups = list(rows.groupby(cells, dropna=False))
    found = []
    for key, cell in groups:
        point = {name: value for name, value in zip(cells, key, strict=True) if value == value}
        found.append(mean_at_most(quantity, cell["share"], 1.0, alpha=alpha / len(groups), point=point))
    return decisive(found)


VANISHING = ("epsilon", "strong_convexity", "gap")
POINT_AXES = ("n", "m", "d", "epsilon", "steps", "strong_convexity", "condition", "smoothness", "gap")


def answers(rows: pd.DataFrame, alpha: float) -> list[Evidence]:
    """The noise of the answers against the printed ν², from both sides, all cells together.

    Where d > 1 once more: noise without √d has half of the variance or less there, a deviation of ½ at least;
    0.45 is below it, and these runs are dear.
    """
    share = alpha / 3.0
    quantity = "squared noise of an answer over the printed ν²"
    return [
        mean_equals(quantity, rows["noise"], 1.0, alpha=share, largest_resolution=LARGEST),
        mean_equals(
            f"{quantity}, d > 1", rows["noise"][rows["d"] > 1], 1.0, alpha=share, largest_resolution=0.45
        ),
        mean_equals(
            "inner product of the noise of two answers over ν²", rows["inner"], 0.0, alpha=share,
            largest_resolution=LARGEST,
        ),
    ]  # fmt: skip


DELTAS = (1e-3, 1e-12)


def over_delta(base: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The base cell at several δ, each with the users that it needs."""
    d, epsilon, steps = base["d"], base["epsilon"], base["steps"]
    return [{**base, "delta": delta, "n": users_for(d, epsilon, steps, delta=delta)} for delta in DELTAS]


def judge_delta(rows: pd.DataFrame, budget: Budget) -> list[Evidence]:
    """The noise of the answers over the printed ν² at each δ, from both sides.

    ν² has nearly the square of log(1/δ): 5.7 and 74 times what it is at δ = 0.1, the δ of the other cells.
    """
    groups = list(rows.groupby("delta"))
    return [
        mean_equals(
            "squared noise of an answer over the printed ν²", cell["noise"], 1.0, alpha=share,
            point={"delta": delta}, largest_resolution=1.2,
        )
        for (delta, cell), share in zip(groups, budget.split(len(groups)), strict=True)
    ]  # fmt: skip


def tie(rows: pd.DataFrame, alpha: float) -> list[Evidence]:
    """Algorithm 3 against the oracle of Theorem 2 with the printed ν², from both sides, all cells together.

    From the minimiser the output must be the method's linear function of the answers' noise, exactly; this
    noise must have the printed variance and no correlation between steps. Together they fix the
    expected risk. Cells with the oracle say nothing of that.
    """
    rows = rows[rows["regime"].isin(["noise", "tie"])]
    off, picks = float(rows["off"].max()), rows["pick"].dropna()
    found = [
        *answers(rows, alpha * 2.0 / 3.0),
        at_most("deviation of the output from its linear function of the noise", off, 1e-9, decides=False),
    ]
    if len(picks):
        quantity = "mean place of the chosen iterate, 0 first and 1 last"
        found.append(mean_equals(quantity, picks, 0.5, alpha=alpha / 3.0, largest_resolution=LARGEST))
    return found


def horizon(risk: Callable[[int], float], claimed: float, quantity: str) -> Evidence:
    """Exponent of T of an exact expected risk between T = 64 and 1,024, at most the claimed one.

    risk  T → the expected risk by the printed formulas, divided by what else depends on T. That the program
          has this risk is judged at the T of the grid.
    """
    exponent = math.log(risk(1024) / risk(64)) / math.log(16.0)
    note = f"T = 64 to 1,024; up to {TOLERANCE:.2f} more counts as {claimed:g}"
    return at_most(quantity, exponent, claimed + TOLERANCE, decides=False, note=note)


def hidden_constant(rows: pd.DataFrame, quantity: str) -> Evidence:
    """Largest mean risk over the claimed form with its log factors and printed constants."""
    grouped: Any = rows.groupby([c for c in [*POINT_AXES, "loss"] if c in rows], dropna=False)["share"]
    return constant(quantity, grouped.mean(), grouped.sem(), grouped.size())


ARMS: dict[str, Any] = {
    "growth": (1, 2, 4, 8), "m": (1, 10_000, 10**6), "d": (2, 4), "epsilon": (0.5, 0.2, 0.1),
    "steps": (3, 4, 8),
}  # fmt: skip
"""Axes and the values at which a cell leaves the base point; n is what a cell needs, times `growth`."""
FAR: dict[str, Any] = {
    "growth": (1, 10, 10**2, 10**4, 10**6), "m": (1, 10**4, 10**7, 10**10), "d": (4, 16, 64),
    "epsilon": (0.1, 0.01, 1e-3, 1e-4),
}  # fmt: skip
LONG = (16, 32, 64, 128)
OFTEN = 80.0
"""Runs with the oracle, in units of the trials, where d·T = 1; a run costs d·T, so that others have fewer."""


def plot(title: str, form: str, risk: str) -> Plot:
    """The risk of each loss against the form, where noise decides it."""
    return Plot(
        kind="loglog",
        title=title,
        x="form",
        y="risk",
        x_label=form,
        y_label=risk,
        series="loss",
        select={"regime": "noise"},
    )


def star(base: Mapping[str, Any], growth: Sequence[int], **arms: Sequence[Any]) -> list[dict[str, Any]]:
    """Cells that leave the base point along one axis each."""
    least = users_for(base["d"], base["epsilon"], base["steps"])
    return [dict(base) | {"n": least * g} for g in growth] + enough_users(family.star(base, **arms))


def enough_users(cells: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The cells, each with the users that it needs."""
    return [dict(c) | {"n": users_for(c["d"], c["epsilon"], c["steps"])} for c in cells]


def few(cells: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Of a star, the base point, one with m = 1 and one with d = 4: the smallest tier, without exponents."""
    wanted: list[Mapping[str, Any]] = [cells[0]]
    wanted += [next(c for c in cells if c["m"] == 1), next(c for c in cells if c["d"] == 4)]
    return [dict(c) for c in wanted]
