"""Shared measurements of Theorem 3 and Corollary 2: Algorithm 3 on a family of losses, by the oracle A′ and
in full.

The losses are f(θ) + ⟨θ, z⟩ with f known and z ~ N(0, σ²I): smooth, with σ²-sub-Gaussian gradients; user
u's gradient is ∇f(θ) + z̄_u, so the user means are all that is needed. By Theorem 2 each answer is β-close
to the exact mean plus rotated Laplace noise; rates are measured with that oracle (free in n), and the full
algorithm is run next to it.

What such a rate can show: the scale of the oracle's noise is computed from (n, m, d, ε), not found. The
exponents test how the method turns noise of that variance into risk, not that the noise suffices for privacy
(theorem-2-privacy, theorem-3-privacy) nor that the data concentrate (proposition-1). In each cell the worst
loss is chosen on the same runs; the bias, a fraction of a standard error, is nearly the same in all cells and
goes into the constant."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from claims import Evidence, Side, Tier, Verdict
from claims import constant as largest
from implementations.levy2021 import first_order, winsorized_mean_highd
from implementations.levy2021.users import gaussian_radius

if TYPE_CHECKING:
    from implementations.interfaces import Array
    from implementations.levy2021.winsorized_mean_highd import Plan

DELTA = 1e-6
GAMMA = 1e-6
SIGMA = 1.0
ORACLE = (
    "oracle A′ of Theorem 2: the noise has its printed variance by construction, only the method is tested"
)
"""Said in the note of every exponent that rests on the oracle."""


@dataclass(frozen=True, slots=True)
class Smooth:
    """f with its gradient (trials, d) → (trials, d), the risk of a point (trials, d) → (trials,), and a
    start (d,).
    """

    name: str
    gradient: Callable[[Array], Array]
    risk: Callable[[Array], Array]
    start: Array


@dataclass(frozen=True, slots=True)
class Setting:
    """One grid point: sizes, number of steps T, the plan of one answer and ν² = its variance."""

    n: int
    m: int
    d: int
    epsilon: float
    steps: int
    tau: float
    bound: float
    plan: Plan
    variance: float
    constants: str

    @property
    def unit(self) -> float:
        """ν²/T without log factors: σ²d²/(n²mε²)."""
        return (SIGMA * self.d / (self.n * self.epsilon)) ** 2 / self.m

    @property
    def logs(self) -> float:
        """The exact log factors (and constants): ν²/T over `unit`."""
        return self.variance / self.steps / self.unit


def setting(n: int, m: int, d: int, epsilon: float, steps: int, constants: str = "paper") -> Setting:
    """The parameters of Algorithm 3 at one grid point; gradients are bounded by 100 times their radius."""
    tau = gaussian_radius(n, d, m, SIGMA, GAMMA)
    step_epsilon, step_delta = first_order.query_budget(epsilon, DELTA, steps, constants)  # type: ignore[arg-type]
    bound = 100.0 * tau
    plan = winsorized_mean_highd.highd_plan(
        n,
        d,
        step_epsilon,
        step_delta,
        tau,
        bound,
        GAMMA,
        constants,  # type: ignore[arg-type]
    )
    variance = winsorized_mean_highd.highd_variance(plan, n)
    return Setting(n, m, d, epsilon, steps, tau, bound, plan, variance, constants)


def run_oracle(
    s: Setting, loss: Smooth, method: first_order.Method, trials: int, rng: np.random.Generator
) -> Array:
    """Risks of Algorithm 3 with every answer replaced by A′ of Theorem 2."""

    def answer(theta: Array) -> Array:
        return winsorized_mean_highd.noisy_mean(loss.gradient(theta), s.plan, s.n, rng)

    start = np.tile(loss.start, (trials, 1))
    return loss.risk(first_order.run_method(method, answer, start, s.steps))


def run_full(
    s: Setting, loss: Smooth, method: first_order.Method, trials: int, rng: np.random.Generator
) -> Array:
    """Risks of Algorithm 3 itself on n users; their means are centred, so that the empirical risk is f."""
    risks = []
    batch = max(1, 200_000 // (s.n * s.d))
    for begin in range(0, trials, batch):
        size = min(batch, trials - begin)
        z = SIGMA / math.sqrt(s.m) * rng.standard_normal((size, s.n, s.d))
        z -= z.mean(axis=1, keepdims=True)
        final = first_order.winsorized_first_order(
            lambda theta, z=z: loss.gradient(theta)[:, None, :] + z,
            method, np.tile(loss.start, (size, 1)), s.steps, s.epsilon, DELTA, s.tau, s.bound, GAMMA, rng,
            constants=s.constants,  # type: ignore[arg-type]
            failure=1e-3,
        )  # fmt: skip
        risks.append(loss.risk(final))
    return np.concatenate(risks)


def ball(radius: float) -> Callable[[Array], Array]:
    """Projection onto the centred ball."""

    def project(theta: Array) -> Array:
        norm = np.linalg.norm(theta, axis=-1, keepdims=True)
        return theta * np.minimum(1.0, radius / np.maximum(norm, 1e-300))

    return project


def fraction(axes: dict[str, tuple[float, ...]]) -> list[dict[str, Any]]:
    """27 cells of a full factorial design of three values an axis (a third of it, or a ninth for five
    axes), balanced.
    """
    return [
        {name: values[i] for (name, values), i in zip(axes.items(), index, strict=True)}
        for index in itertools.product(*(range(len(values)) for values in axes.values()))
        if sum(index) % 3 == 0 and (len(index) < 5 or (index[0] + 2 * index[1] + index[4]) % 3 == 0)
    ]


def eighteen(axes: dict[str, tuple[float, ...]]) -> list[dict[str, Any]]:
    """Eighteen cells of four axes of three values each, orthogonal (Taguchi's L9 and a shifted copy)."""
    index = [
        (i, j, (i + j + shift) % 3, (i + 2 * j + shift) % 3)
        for shift in (0, 1)
        for i in range(3)
        for j in range(3)
    ]
    return [{name: values[i] for (name, values), i in zip(axes.items(), row, strict=True)} for row in index]


def rate_evidence(rows: Any, claimed: dict[str, float], alpha: float, tolerance: float) -> list[Evidence]:
    """One-sided exponents of the supremum over the losses, after division by the exact log factors."""
    from audits.rates import fit_rate

    axes = list(claimed)
    oracle = rows[rows["full"] == 0]
    cells = oracle.groupby([*axes, "loss"], as_index=False).mean(numeric_only=True)
    worst = cells.loc[cells.groupby(axes)["normalised"].idxmax()].reset_index(drop=True)
    fit = fit_rate(
        worst,
        "normalised",
        axes,
        claimed,
        tolerance,
        alpha=alpha,
        equivalence_alpha=1e-3,
        vanishing=_vanishing(axes),
        standard_error="normalised_error",
        side=Side.UPPER,
        seed=1,
    )
    names = ", ".join(sorted({str(loss) for loss in _names(oracle, worst, axes)}))
    first, *rest = [replace(e, note=f"{e.note}; {ORACLE}".lstrip("; ")) for e in fit.evidence()]
    return [replace(first, note=f"{first.note}; worst losses on the grid: {names}"), *rest]


def _vanishing(axes: list[str]) -> tuple[str, ...]:
    return tuple(a for a in ("epsilon", "strong_convexity") if a in axes)


def _names(oracle: Any, worst: Any, axes: list[str]) -> set[str]:
    merged = worst[[*axes, "loss"]].merge(oracle[[*axes, "loss", "name"]], on=[*axes, "loss"])
    return set(merged["name"])


def agreement(rows: Any, alpha: float) -> list[Evidence]:
    """Risk of the full algorithm against the oracle at the same point: the ratio should be 1 (t-test).

    Above 1 the full algorithm is worse than the bound's oracle: REFUTED. Below 1 it is better, which no upper
    bound forbids, but the rates of the oracle are not its own: INCONCLUSIVE.
    """
    from scipy.stats import t

    evidence = []
    keys = ["n", "m", "d", "epsilon", "loss"]
    full = rows[rows["full"] == 1]
    tests = max(1, len(full))
    for row in full.itertuples():
        twin = rows[
            (rows["full"] == 2) & np.logical_and.reduce([rows[k] == getattr(row, k) for k in keys])
        ].iloc[0]
        ratio = row.risk / twin["risk"]
        error = ratio * math.hypot(row.error / row.risk, twin["error"] / twin["risk"])
        z = float(
            t.isf(alpha / tests / 2.0, row.runs - 1)
        )  # Welch: the oracle's error is much the smaller one
        verdict = Verdict.CONSISTENT
        if abs(ratio - 1.0) > z * error:
            verdict = Verdict.REFUTED if ratio > 1.0 else Verdict.INCONCLUSIVE
        evidence.append(
            Evidence(
                quantity=f"risk of the full algorithm over the oracle's ({row.name})",
                estimate=ratio,
                low=ratio - z * error,
                high=ratio + z * error,
                confidence=1.0 - alpha / tests,
                method="student-t",
                samples=int(row.runs),
                claimed=1.0,
                point={k: getattr(row, k) for k in keys[:4]},
                verdict=verdict,
                resolution=(z + 1.282) * error,
                alpha_spent=alpha / tests,
            )
        )
    return evidence


def columns(risks: list[Array], names: list[str], full: int, scale: float, form: float) -> dict[str, Any]:
    """Rows of one cell: one for each loss; form: the claimed bound here, exact log factors included."""
    mean = np.array([r.mean() for r in risks])
    error = np.array([r.std(ddof=1) / math.sqrt(r.size) for r in risks])
    return {
        "loss": np.arange(len(names)),
        "name": np.array(names),
        "risk": mean,
        "error": error,
        "normalised": mean / scale,
        "normalised_error": error / scale,
        "form": np.full(len(names), form),
        "runs": np.array([r.size for r in risks]),
        "full": np.full(len(names), full),
    }


def stack(*parts: dict[str, Any]) -> dict[str, Any]:
    """Rows of several cells one after another."""
    return {k: np.concatenate([p[k] for p in parts]) for k in parts[0]}


def constant(rows: Any, form: str, power: float) -> list[Evidence]:
    """The hidden constant: largest risk over (σ²d²/(n²mε²))^{power/2} and its log factors, on the grid."""
    oracle = rows[rows["full"] == 0]
    unit = ((SIGMA * oracle["d"] / (oracle["n"] * oracle["epsilon"])) ** 2 / oracle["m"]) ** (power / 2.0)
    means, errors = oracle["normalised"] / unit, oracle["normalised_error"] / unit
    runs = int(oracle["runs"].min())
    name = f"risk over {form} and the exact log factors, largest"
    return [largest(name, means, errors, runs)]


def full_trials(trials: int) -> int:
    """Runs of the full algorithm where the oracle has `trials`: enough for a t-test."""
    return max(40, trials // 4)


def tiers(extra: dict[str, tuple[float, ...]] | None = None) -> dict[str, Tier]:
    """Oracle cells on a third of a factorial design, and cells of the full algorithm next to its oracle."""
    axes: dict[str, tuple[float, ...]] = {
        "n": (10**5, 10**6, 10**7), "m": (10, 1000, 100_000), "d": (2, 8, 32), "epsilon": (0.1, 0.3, 1.0)
    }  # fmt: skip
    more = extra or {}
    small = [p | {"mode": "oracle"} for p in fraction(axes | more)]
    wide = {
        "n": (10**5, 10**6, 10**7, 10**8),
        "m": (10, 1000, 100_000),
        "d": (2, 4, 16, 64),
        "epsilon": (0.1, 0.3, 1.0),
    }
    large = [p | {"mode": "oracle"} for p in fraction(wide | more)]
    fixed = {name: values[1] for name, values in more.items()}
    full = [{"n": 8000, "m": 100, "d": d, "epsilon": 1.0, "mode": "full"} | fixed for d in (2, 4)]
    return {
        "smoke": Tier(points=small + (full[:1] if not more else []), trials=60),
        "ci": Tier(points=large + full, trials=240),
        "full": Tier(points=large + full, trials=2000, chunk=500),
    }
