"""Excess risk of Algorithms 3 to 6 on families of losses, and the printed log factors of their noise."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from claims import Budget, Evidence, Side, fit_rate, slope_against, worst_member
from claims.ghazi2023.algorithm_3 import printed_sigma
from implementations.ghazi2023.feasible import Ball
from implementations.ghazi2023.quadratic import Summary, Users

EPSILON, DELTA = 1.0, 0.1
TOLERANCE = 0.1


def noise_factor(n: int, m: float, phases: int, epsilon: float, delta: float, beta: float) -> float:
    """K = σ·λ·n·√m/G of one phase by the printed formulas: all log factors and constants of the noise."""
    return printed_sigma(epsilon / phases, delta / phases, beta / phases, 2.0, 1.0, n, m) * n * math.sqrt(m)


def sloped_users(
    slope: float, n: int, m: float, d: int, trials: int, curvature: float, rng: np.random.Generator
) -> Summary:
    """Users whose m samples have independent Gaussian slopes about slope·e₁, of total variance 1/4: G = 1
    on 𝒦.

    One dataset of n users is drawn for the spread, which decides about the certificate only and is far from
    its threshold; the mean over all users is drawn afresh, exactly, in each trial.
    """
    sd = 0.5 / math.sqrt(m * d)
    one = Users(sd * rng.standard_normal((1, n, d)), curvature, 1.0, m).summary()
    mean = sd / math.sqrt(n) * rng.standard_normal((trials, d))
    mean[:, 0] += slope
    return Summary(mean, np.full(trials, float(one.spread[0])), n, curvature, 1.0, m)


def linear_minimiser(mean: np.ndarray, ball: Ball) -> np.ndarray:
    """argmin of ⟨ā, θ⟩ over a ball about the origin: −radius·ā/‖ā‖."""
    return -ball.radius * mean / np.linalg.norm(mean, axis=1, keepdims=True)


def columns(excess: np.ndarray, start: int, **constants: float) -> dict[str, Any]:
    """One row a trial, with the same constants in each."""
    size = len(excess)
    return {"risk": excess, "trial": np.arange(start, start + size)} | {
        k: np.full(size, v) for k, v in constants.items()
    }


def judge_rates(
    rows: Any, axes: Sequence[str], claimed: dict[str, float], budget: Budget, upper: bool = True
) -> list[Evidence]:
    """Exponents of the sup over the family divided by the exact log factors, and the slope against the form.

    rows has `axes`, "member", "trial", "risk", "logs" (the log factors) and "form" (the printed form times
    them).
    """
    names = [*axes]
    worst = worst_member(rows, names, "member", "risk")
    extra = rows.groupby(names)[["logs", "form"]].first().reset_index()
    worst = worst.merge(extra, on=names)
    worst["scaled"] = worst["risk"] / worst["logs"]
    worst["scaled_error"] = worst["standard_error"] / worst["logs"]
    side = Side.UPPER if upper else Side.TIGHT
    first, second = budget.split(2)
    vanishing: tuple[str, ...] = ()
    fit = fit_rate(
        worst, "scaled", names, claimed, TOLERANCE, side=side, alpha=first, standard_error="scaled_error",
        vanishing=vanishing,
    )  # fmt: skip
    against = slope_against(
        worst, "risk", "form", TOLERANCE, side=side, alpha=second, standard_error="standard_error"
    )
    return [*fit.evidence(), *against.evidence()]
