"""What is asked of fitted exponents, and the answer: claimed values, tolerance, directions, error levels."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from audits.evidence import Side, Verdict
from audits.rates.advice import Open
from audits.rates.diagnostics import Diagnosis
from audits.rates.directions import which_is_worse
from audits.rates.exponents import Exponent, t_quantile
from audits.rates.result import AxisFit

_Z90 = 1.2815515655446004
_ROUNDING = 1e-9
"""Of the exponents of exact tables."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """A reason why no exponent of a table decides: what is wrong, and what would mend it.

    stands  whether a refutation stands all the same.
    """

    note: str
    advice: str
    stands: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """The options of `fit_rate` that say what is claimed; ValueError for those that make no sense."""

    names: tuple[str, ...]
    claimed: Mapping[str, float]
    tolerance: float
    side: Side
    alpha: float
    equivalence_alpha: float | None
    falling: Mapping[str, bool | None] = field(default_factory=dict[str, "bool | None"])
    """Whether each axis goes to 0; None where nobody knows and nothing depends on it."""

    def __post_init__(self) -> None:
        names = list(self.names)
        if not names or len(set(names)) != len(names):
            raise ValueError(f"axes must be different column names, at least one, got {names}")
        if any(axis not in names for axis in self.claimed):
            raise ValueError(f"claimed must name axes out of {names}, got {dict(self.claimed)!r}")
        for axis, value in self.claimed.items():
            if not math.isfinite(value):
                raise ValueError(f"claimed exponent of {axis} must be finite, got {value}")
        if not (math.isfinite(self.tolerance) and self.tolerance >= 0.0):
            raise ValueError(f"tolerance must be finite and ≥ 0, got {self.tolerance}")
        for name, level in (("alpha", self.alpha), ("equivalence_alpha", self.equivalence_alpha)):
            if level is not None and not 0.0 < level < 0.5:
                raise ValueError(f"{name} must be in (0, 0.5), got {level}")

    @property
    def share(self) -> float:
        """The probability that one true claimed exponent is refuted."""
        return self.alpha / max(len(self.claimed), 1)

    @property
    def level(self) -> float:
        """Of one limit of the interval that refutes."""
        return self.share / 2.0 if self.side is Side.TIGHT else self.share

    def forbidden(self, axis: str) -> tuple[bool, bool]:
        """Whether a lower, and whether a higher exponent than claimed breaks the claim.

        UPPER forbids faster growth: a higher exponent, or a lower one where the axis goes to 0.
        """
        high = self.side is Side.TIGHT or (self.side is Side.UPPER) != bool(self.falling.get(axis))
        return self.side is Side.TIGHT or not high, high

    def held_against(self, exponent: Exponent, diagnosis: Diagnosis, doubts: Sequence[Doubt]) -> AxisFit:
        """The exponent of one axis against what is claimed of it."""
        axis = diagnosis.axis
        claimed = self.claimed.get(axis)
        low, high = exponent.interval(self.level)
        notes: list[str] = []
        verdict: Verdict | None = None
        reach = math.inf
        if claimed is not None:
            if self.side is not Side.TIGHT:
                notes.append(self._direction(axis, claimed))
            verdict = self._verdict(axis, exponent, claimed, notes)
            if diagnosis.plainly_curved and not self._at_both_ends(diagnosis, claimed, verdict):
                verdict = Verdict.INCONCLUSIVE
            for doubt in doubts:
                notes.append(doubt.note)
                verdict = verdict if doubt.stands and verdict is Verdict.REFUTED else Verdict.INCONCLUSIVE
            reach = self.tolerance + _reach(self.level, exponent)
        lower, higher = self.forbidden(axis)
        return AxisFit(
            axis=axis, exponent=exponent, low=low, high=high, confidence=1.0 - 2.0 * self.level,
            claimed=claimed, tolerance=self.tolerance, side=self.side,
            worse="either" if lower and higher else "higher" if higher else "lower", verdict=verdict,
            resolution=reach if math.isfinite(reach) else None,
            alpha_spent=0.0 if claimed is None else self.share, diagnosis=diagnosis,
            note="; ".join([*notes, *diagnosis.warnings()]),
            harm=which_is_worse(self.falling.get(axis)),
        )  # fmt: skip

    @property
    def equivalence_level(self) -> float:
        """Of one limit of the interval that must lie within the tolerance for CONSISTENT."""
        return self.level if self.equivalence_alpha is None else self.equivalence_alpha

    def left_open(self, fit: AxisFit, doubts: Sequence[Doubt]) -> Open | str:
        """What keeps an INCONCLUSIVE exponent open: an interval, or a reason that no interval mends; "" where
        nothing is open."""
        if fit.verdict is not Verdict.INCONCLUSIVE or fit.claimed is None:
            return ""
        if doubts:
            return doubts[0].advice
        if fit.diagnosis.plainly_curved:
            return (
                f"no exponent fits all of the range: measure at values of {fit.axis} where the slope has "
                "settled, or fit the printed form with all its terms (--form, fit_form)"
            )
        if fit.diagnosis.seems_curved:
            first, last = fit.diagnosis.ends
            return (
                f"the local exponent seems to go from {first:.3g} to {last:.3g}: more of {fit.axis} "
                "would move the exponent and not only narrow its interval; fit the terms of the law (--form, "
                "fit_form), or measure where the slope has settled"
            )
        deviation = fit.exponent.estimate - fit.claimed
        lower, higher = self.forbidden(fit.axis)
        beyond = max(deviation if higher else -math.inf, -deviation if lower else -math.inf)
        room = self.tolerance - beyond
        return Open(fit.exponent, room, self.equivalence_level if room > 0.0 else self.level)

    def _verdict(self, axis: str, exponent: Exponent, claimed: float, notes: list[str]) -> Verdict:
        low, high = exponent.interval(self.equivalence_level)
        within = not any(self._breaks(axis, claimed, low, high))
        if self.equivalence_alpha is not None and within:
            notes.append(self._passed(axis, claimed, low, high))
        low, high = exponent.interval(self.level)
        if any(self._breaks(axis, claimed, high, low)):
            return Verdict.REFUTED
        return Verdict.CONSISTENT if within else Verdict.INCONCLUSIVE

    def _direction(self, axis: str, claimed: float) -> str:
        """Which way the axis goes, and which exponent breaks a one-sided claim."""
        way = "falls" if self.falling.get(axis) else "grows"
        word = "above" if self.forbidden(axis)[1] else "below"
        worse = "is worse" if self.side is Side.UPPER else "breaks the lower bound"
        return f"{axis} {way}: an exponent {word} {claimed:g} {worse}"

    def _passed(self, axis: str, claimed: float, low: float, high: float) -> str:
        """Where the exponent lies at the level of equivalence, and what is allowed."""
        level = f"at one-sided level {self.equivalence_level:g}"
        lower, higher = self.forbidden(axis)
        if lower and higher:
            return f"[{low:.4g}, {high:.4g}] {level}, within {self.tolerance:g} of {claimed:g}"
        if higher:
            return f"at most {high:.4g} {level}, {claimed + self.tolerance:.4g} is allowed"
        return f"at least {low:.4g} {level}, {claimed - self.tolerance:.4g} is allowed"

    def _breaks(self, axis: str, claimed: float, lowest: float, highest: float) -> tuple[bool, bool]:
        """Whether the first is too low and the second too high, in a direction that is forbidden."""
        lower, higher = self.forbidden(axis)
        slack = self.tolerance + _ROUNDING
        return lower and lowest < claimed - slack, higher and highest > claimed + slack

    def _at_both_ends(self, diagnosis: Diagnosis, claimed: float, verdict: Verdict) -> bool:
        """Whether the local exponents at both ends of the range say what the verdict says."""
        first, last = (self._breaks(diagnosis.axis, claimed, end, end) for end in diagnosis.ends)
        return any(first) == any(last) == (verdict is Verdict.REFUTED) and first == last


def _reach(level: float, exponent: Exponent) -> float:
    """How far beyond the tolerance an exponent must lie to be refuted with probability 0.9.

    P(Z + c > q·W) = 0.9 with W² = χ²_df/df, W normal to first order: mean 1 − 1/(4df), variance 1/(2df).
    """
    q, df = t_quantile(level, exponent.degrees_of_freedom), exponent.degrees_of_freedom
    return (q * (1.0 - 0.25 / df) + _Z90 * math.sqrt(1.0 + q**2 / (2.0 * df))) * exponent.standard_error
