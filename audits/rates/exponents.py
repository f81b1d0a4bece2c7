"""A fitted exponent with its interval, and whether it has moved since a baseline."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Exponent:
    """A fitted exponent: estimate, standard error (inf: not identified), degrees of freedom (inf: normal).

    Raises ValueError for an estimate that is not finite, a negative or NaN error, degrees of freedom ≤ 0.
    """

    estimate: float
    standard_error: float
    degrees_of_freedom: float = math.inf

    def __post_init__(self) -> None:
        if not math.isfinite(self.estimate):
            raise ValueError(f"estimate must be finite, got {self.estimate}")
        if not self.standard_error >= 0.0:
            raise ValueError(f"standard_error must be ≥ 0, got {self.standard_error}")
        if not self.degrees_of_freedom > 0.0:
            raise ValueError(f"degrees_of_freedom must be > 0, got {self.degrees_of_freedom}")

    def interval(self, level: float) -> tuple[float, float]:
        """Lower and upper limit, each one-sided at level 1 − side."""
        if self.standard_error == 0.0:
            return self.estimate, self.estimate
        width = t_quantile(level, self.degrees_of_freedom) * self.standard_error
        return self.estimate - width, self.estimate + width


@dataclass(frozen=True, slots=True, kw_only=True)
class ExponentChange:
    """new − old with its interval; `regressed` where that excludes 0 by more than the tolerance."""

    difference: float
    low: float
    high: float
    confidence: float
    regressed: bool


def compare_exponents(
    new: Exponent, old: Exponent, *, tolerance: float = 0.05, alpha: float = 0.01, worse: str = "either"
) -> ExponentChange:
    """Has a fitted exponent moved since the baseline?

    The two are independent; the interval of new − old has confidence 1 − alpha with the
    Welch–Satterthwaite degrees of freedom. `worse` says which direction counts: "higher", "lower" or
    "either". A regression needs the whole interval beyond ± tolerance, so that noise is not one.
    Raises ValueError for a negative tolerance, alpha outside (0, 0.5) or an unknown direction.

    >>> old = Exponent(estimate=-1.0, standard_error=0.01)
    >>> compare_exponents(Exponent(estimate=-0.98, standard_error=0.01), old).regressed
    False
    >>> compare_exponents(Exponent(estimate=-0.5, standard_error=0.01), old).regressed
    True
    """
    if not (math.isfinite(tolerance) and tolerance >= 0.0):
        raise ValueError(f"tolerance must be finite and ≥ 0, got {tolerance}")
    if not 0.0 < alpha < 0.5:
        raise ValueError(f"alpha must be in (0, 0.5), got {alpha}")
    if worse not in ("higher", "lower", "either"):
        raise ValueError(f"worse must be 'higher', 'lower' or 'either', got {worse!r}")
    squares = [(e.standard_error**2, e.degrees_of_freedom) for e in (new, old)]
    total = sum(s for s, _ in squares)
    # Welch (1947): df = (s₁² + s₂²)² / (s₁⁴/df₁ + s₂⁴/df₂)
    spread = sum((s / total) ** 2 / df for s, df in squares) if total > 0.0 else 0.0
    both = Exponent(
        estimate=new.estimate - old.estimate,
        standard_error=math.sqrt(total),
        degrees_of_freedom=1.0 / spread if spread > 0.0 else math.inf,
    )
    low, high = both.interval(alpha / 2.0)
    up, down = low > tolerance, high < -tolerance
    return ExponentChange(
        difference=both.estimate,
        low=low,
        high=high,
        confidence=1.0 - alpha,
        regressed={"higher": up, "lower": down, "either": up or down}[worse],
    )


def t_quantile(alpha: float, df: float) -> float:
    from scipy.special import ndtri, stdtrit

    return -float(ndtri(alpha) if math.isinf(df) else stdtrit(df, alpha))
