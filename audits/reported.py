"""Reported sample means and quantiles, with their intervals; they carry no verdict and spend no error."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from audits.evidence import Evidence

CONFIDENCE = 0.997
"""Of every reported interval, simultaneous over the cells that an extreme is taken over."""


def sample_mean(
    quantity: str, values: ArrayLike, *, point: Mapping[str, Any] | None = None, note: str = ""
) -> Evidence:
    """The mean of independent trials, by Student's t."""
    sample = np.asarray(values, dtype=np.float64)
    return extreme_mean(
        quantity,
        [float(sample.mean())],
        [float(sample.std(ddof=1)) / math.sqrt(sample.size)],
        [sample.size],
        [dict(point or {})],
        note=note,
    )


def extreme_mean(
    quantity: str,
    means: Sequence[float],
    errors: Sequence[float],
    trials: Sequence[int],
    points: Sequence[Mapping[str, Any]],
    *,
    least: bool = False,
    bound: float | None = None,
    note: str = "",
) -> Evidence:
    """The largest (or least) of several sample means with their standard errors, trials and grid points.

    The cell is chosen on the same trials, so its interval is simultaneous over all cells (Bonferroni): where
    every mean lies in its own interval, their maximum lies between the largest lower and the largest upper
    limit.
    """
    from scipy.special import stdtrit

    mean, error, size = np.asarray(means), np.asarray(errors), np.asarray(trials)
    reach = stdtrit(size - 1.0, 1.0 - 0.5 * (1.0 - CONFIDENCE) / mean.size) * error
    pick, at = (np.min, np.argmin) if least else (np.max, np.argmax)
    return Evidence(
        quantity=quantity,
        estimate=float(pick(mean)),
        low=float(pick(mean - reach)),
        high=float(pick(mean + reach)),
        confidence=CONFIDENCE,
        method="student-t",
        samples=int(size.sum()),
        bound=bound,
        point=dict(points[int(at(mean))]),
        note=note,
    )


def quantile_interval(values: NDArray[np.float64], level: float, alpha: float) -> tuple[float, float]:
    """Two-sided confidence interval of the `level`-quantile from order statistics, exact at level 1 − alpha.

    The number of values below the quantile is binomial; infinite where the sample is too small.
    """
    from scipy.stats import binom

    ordered = np.sort(values)
    n = ordered.size
    # P(X₍k₎ > q) = P(Bin(n, level) < k) ≤ α/2 and P(X₍k₎ < q) = P(Bin(n, level) ≥ k) ≤ α/2 (1-based k).
    below = int(binom.ppf(0.5 * alpha, n, level))
    above = int(binom.isf(0.5 * alpha, n, level)) + 1
    low = -math.inf if below < 1 else float(ordered[below - 1])
    high = math.inf if above > n else float(ordered[above - 1])
    return low, high
