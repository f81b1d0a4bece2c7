"""Excess risk of Algorithms 3 to 6 on families of losses, and the printed log factors of their noise."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from audits.rates import family, fit_rate
from claims import Budget, Evidence, Plot, Side, reported
from claims.ghazi2023.algorithm_3 import printed_sigma
from implementations.ghazi2023.feasible import Ball
from implementations.ghazi2023.quadratic import Kink, Summary

EPSILON, DELTA = 1.0, 0.1
DELTAS = (0.3, 0.1, 0.01, 1e-3, 1e-5, 1e-8, 1e-12, 1e-17, 1e-24, 1e-32, 1e-42, 1e-55, 1e-70, 1e-90)
"""δ of the readings in which δ is the axis."""
TOLERANCE = 0.1


def noise_factor(n: int, m: float, phases: int, epsilon: float, delta: float, beta: float) -> float:
    """K = σ·λ·n·√m/G of one phase by the printed formulas: all log factors and constants of the noise."""
    return printed_sigma(epsilon / phases, delta / phases, beta / phases, 2.0, 1.0, n, m) * n * math.sqrt(m)


def printed_form(n: int, m: float, d: int) -> float:
    """√d/(n√m) + 1/√(nm): the excess population risk of Phased-SCO by Theorem 5.1, for RG = 1."""
    return math.sqrt(d) / (n * math.sqrt(m)) + 1.0 / math.sqrt(n * m)


def noise_norm(d: int) -> float:
    """E‖z‖ = √2·Γ((d + 1)/2)/Γ(d/2), z standard normal in ℝᵈ: what the proofs bound by √d; 0.8 at d = 1."""
    return math.sqrt(2.0) * math.exp(math.lgamma(0.5 * (d + 1)) - math.lgamma(0.5 * d))


def users_about(
    slope: np.ndarray,
    n: int,
    m: float,
    trials: int,
    curvature: float,
    rng: np.random.Generator,
    kink: Kink | None = None,
) -> Summary:
    """Users whose m samples have independent Gaussian slopes about `slope` (d,), of total variance 1/4: G = 1
    on 𝒦.

    Without a kink the mean over all users is drawn afresh, exactly, in each trial; with a kink the samples
    are those of a population whose slopes average to `slope`, so that the optimum is known. The spread of the
    users is drawn once: the largest norm of n Gaussian vectors plus that of their mean, which is no less than
    the largest distance to it. It decides about the certificate only, and is far from its threshold.
    """
    from scipy.stats import chi2

    d = len(slope)
    sd = 0.5 / math.sqrt(m * d)
    # The largest of n chi-squared numbers, by inversion: P(max ≤ q) = P(χ² ≤ q)ⁿ.
    largest = float(chi2.isf(-math.expm1(math.log(rng.uniform()) / n), d))
    spread = sd * (math.sqrt(largest) + math.sqrt(rng.chisquare(d) / n))
    shift = 0.0 if kink is not None else sd / math.sqrt(n) * rng.standard_normal((trials, d))
    mean = np.broadcast_to(slope, (trials, d)) + shift
    return Summary(mean, np.full(trials, spread), n, curvature, 1.0, m, kink)


def along(value: float, d: int) -> np.ndarray:
    """value·e₁ in ℝᵈ."""
    return np.eye(1, d)[0] * value


def linear_minimiser(mean: np.ndarray, ball: Ball) -> np.ndarray:
    """argmin of ⟨ā, θ⟩ over a ball about the origin: −radius·ā/‖ā‖."""
    return -ball.radius * mean / np.linalg.norm(mean, axis=1, keepdims=True)


def trials_of(point: Any, harmless: Sequence[str]) -> int:
    """The relative spread of an excess falls like 1/√d: as precise with a share 1/d of the trials.

    harmless  members that are far from the worst, unless the noise is too large: a quarter shows that.
    """
    share = point.d * (4 if point.member in harmless else 1)
    return max(60, point.trials // share)


def columns(excess: np.ndarray, start: int, **constants: float) -> dict[str, Any]:
    """One row a trial, with the same constants in each."""
    size = len(excess)
    return {"risk": excess, "trial": np.arange(start, start + size)} | {
        k: np.full(size, v) for k, v in constants.items()
    }


def balanced(members: Sequence[str], **levels: Sequence[float]) -> list[dict[str, Any]]:
    """The fraction of these levels, with all members at each cell."""
    return [cell | {"member": member} for cell in family.fraction(**levels) for member in members]


def plot(title: str, form: str, risk: str) -> Plot:
    """The risk of each member of the family against the form, and the form itself as the claimed line."""
    return Plot(
        kind="loglog",
        title=title,
        x="form",
        y="risk",
        x_label=form,
        y_label=risk,
        claimed="form",
        series="member",
    )


def judge_rates(
    rows: Any, claimed: Mapping[str, float], printed: str, budget: Budget, steepest: float = -2.5
) -> Iterator[Evidence]:
    """Exponents of the sup over the family over the log factors, its slope against the form, raw slopes.

    rows has the axes of `claimed`, "member", "trial", "risk", "logs" (the log factors and powers of ε of the
    noise, K) and "form" (the printed form times them). An upper bound is broken by a risk that falls more
    slowly; ε goes to 0, so that there a lower exponent is worse.

    steepest  the exponent of ε that section 6 states (−2.5, squared for strongly convex losses): shown beside
              the raw slope, and not judged again: the exponents hold it against K, which has the exact power.
    """
    if "m" not in rows:
        rows = rows.assign(m=10.0 ** rows["log10_m"].astype(float))
    vanishing: tuple[str, ...] = ("epsilon",) if "epsilon" in claimed else ()
    worst = family.worst_member(rows, [*claimed, "logs", "form"], "member", "risk")
    fitted, sloped, _ = budget.split(3)
    yield from _judged(worst, claimed, (fitted, sloped), side=Side.UPPER, vanishing=vanishing)
    yield from _raw(worst, [*claimed], dict.fromkeys(vanishing, steepest))
    kept = [axis for axis in ("epsilon",) if axis in claimed]
    yield from family.logarithms(worst, "risk", "form", "logs", kept=kept, error="standard_error")
    yield reported(f"largest excess over {printed}", float((rows["risk"] / rows["form"]).max()))
    yield reported("K, the log factors and constants of the noise, largest", float(rows["logs"].max()))


def delta_of(point: Any) -> float:
    """δ of a cell: that of the rates, but where δ itself is the axis."""
    return float(point.delta) if "delta" in point else DELTA


def judge_delta(rows: Any, budget: Budget) -> Iterator[Evidence]:
    """The slope of the log risk against the log of K·form over δ, where K alone depends on δ: at most 1.

    The form grows as δ → 0, so that a slope above 1 breaks the bound.
    """
    worst = family.worst_member(rows, ["delta", "logs", "form"], "member", "risk")
    yield from family.against_form(
        worst, "risk", "form", TOLERANCE, alpha=budget.share(1.0), standard_error="standard_error",
        equivalence_alpha=1e-3, side=Side.UPPER, vanishing=False,
    )  # fmt: skip
    yield reported(
        "K at the least δ over that at the largest", float(rows["logs"].max() / rows["logs"].min())
    )


def judge_law(rows: Any, claimed: Mapping[str, float], words: str, budget: Budget) -> Iterator[Evidence]:
    """As `judge_rates` for a risk whose order is known, so that too small a risk is a mistake as well."""
    worst = family.worst_member(rows, [*claimed, "logs", "form"], "member", "risk")
    yield from _judged(worst, claimed, budget.split(2))
    yield from _raw(worst, [*claimed], {})
    kept = [axis for axis in ("epsilon",) if axis in claimed]
    yield from family.logarithms(worst, "risk", "form", "logs", kept=kept, error="standard_error")
    yield reported(f"largest sup over {words}", float((worst["risk"] / worst["form"]).max()))


def _raw(worst: Any, axes: Sequence[str], stated: Mapping[str, float]) -> Iterator[Evidence]:
    """Exponents with all log factors left in: reported beside what is stated of them, and not judged."""
    fit = fit_rate(worst, "risk", axes, standard_error="standard_error")
    for axis, exponent in ((each.axis, each.exponent) for each in fit.axes):
        yield reported(f"raw exponent of {axis}", exponent.estimate, claimed=stated.get(axis))


def _judged(
    worst: Any, claimed: Mapping[str, float], alphas: Sequence[float], **options: Any
) -> Iterator[Evidence]:
    """Exponents of the sup over "logs", and its slope against "form"; options of the exponents."""
    scaled = worst.assign(risk=worst["risk"] / worst["logs"], error=worst["standard_error"] / worst["logs"])
    yield from family.exponents(
        scaled,
        "risk",
        claimed,
        TOLERANCE,
        alpha=alphas[0],
        standard_error="error",
        equivalence_alpha=1e-3,
        **options,
    )
    yield from family.against_form(
        worst, "risk", "form", TOLERANCE, alpha=alphas[1], standard_error="standard_error",
        equivalence_alpha=1e-3, side=options.get("side", Side.TIGHT),
    )  # fmt: skip
