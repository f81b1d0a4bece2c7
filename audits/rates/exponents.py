"""A fitted exponent with its interval, and whether it has moved since a baseline."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from audits.bounds import t_quantile

SAME = 0.05
"""Level of each of two one-sided tests (TOST): both must pass for a change to be within the tolerance."""


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

    def times(self, factor: float) -> Exponent:
        """The same in another unit."""
        return replace(
            self, estimate=factor * self.estimate, standard_error=abs(factor) * self.standard_error
        )

    def interval(self, level: float) -> tuple[float, float]:
        """Lower and upper limit, each one-sided at this level."""
        width = t_quantile(level, self.degrees_of_freedom) * self.standard_error
        return self.estimate - width, self.estimate + width


@dataclass(frozen=True, slots=True, kw_only=True)
class ExponentChange:
    """new − old with its error and its interval, and what that says.

    answer  "same": within ± tolerance by two one-sided tests at the level of equivalence. "worse", "better":
            the whole interval low … high is beyond the tolerance in that direction. "no worse": a change for
            the worse by more than the tolerance is excluded at the level of equivalence; better or the same
            is open. "undecided": none of these.
    """

    difference: Exponent
    low: float
    high: float
    answer: str


def compare_exponents(
    new: Exponent,
    old: Exponent,
    *,
    tolerance: float = 0.05,
    alpha: float = 0.01,
    worse: str = "either",
) -> ExponentChange:
    """Has a fitted exponent moved since the baseline?

    The two are independent; the interval of new − old has confidence 1 − alpha with the Welch–Satterthwaite
    degrees of freedom. `worse` says which direction is worse: "higher", "lower" or "either". An exponent that
    did not move is called worse with probability alpha/2 at most in each direction that is worse, and what
    moved by more than the tolerance is called the same with probability `SAME` at most. Two exponents that
    agree in nine digits come from the same figures: they are the same.
    Raises ValueError for a negative tolerance, alpha outside (0, 0.5) or an unknown direction.

    >>> old = Exponent(estimate=-1.0, standard_error=0.01)
    >>> compare_exponents(Exponent(estimate=-0.98, standard_error=0.01), old).answer
    'same'
    >>> compare_exponents(Exponent(estimate=-0.5, standard_error=0.01), old, worse="higher").answer
    'worse'
    >>> compare_exponents(Exponent(estimate=-0.5, standard_error=1.0), old).answer
    'undecided'
    """
    if not (math.isfinite(tolerance) and tolerance >= 0.0):
        raise ValueError(f"tolerance must be finite and ≥ 0, got {tolerance}")
    if not 0.0 < alpha < 0.5:
        raise ValueError(f"alpha must be in (0, 0.5), got {alpha}")
    if worse not in ("higher", "lower", "either"):
        raise ValueError(f"worse must be 'higher', 'lower' or 'either', got {worse!r}")
    both = _difference(new, old)
    low, high = both.interval(alpha / 2.0)
    inner = both.interval(SAME)
    up, down = low > tolerance, high < -tolerance
    # In units of harm: the limits at the level of equivalence, the larger the worse.
    least, most = inner if worse != "lower" else (-inner[1], -inner[0])
    if up or down:
        bad = {"higher": up, "lower": down, "either": True}[worse]
        answer = "worse" if bad else "better"
    elif -tolerance <= least and most <= tolerance:
        answer = "same"
    else:
        answer = "no worse" if worse != "either" and most <= tolerance else "undecided"
    return ExponentChange(difference=both, low=low, high=high, answer=answer)


def _difference(new: Exponent, old: Exponent) -> Exponent:
    squares = [(e.standard_error**2, e.degrees_of_freedom) for e in (new, old)]
    total = sum(s for s, _ in squares)
    if total == 0.0 or math.isclose(new.estimate, old.estimate, rel_tol=1e-9):
        return Exponent(estimate=new.estimate - old.estimate, standard_error=0.0)
    # Welch (1947): df = (s₁² + s₂²)² / (s₁⁴/df₁ + s₂⁴/df₂)
    spread = sum((s / total) ** 2 / df for s, df in squares)
    return Exponent(
        estimate=new.estimate - old.estimate,
        standard_error=math.sqrt(total),
        degrees_of_freedom=1.0 / spread if spread > 0.0 else math.inf,
    )
