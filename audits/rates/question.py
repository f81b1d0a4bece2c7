"""What is asked of fitted exponents, and the answer: claimed values, tolerance, directions, error levels.

A statement sends an axis to infinity, like n, or to 0, like ε; faster growth of the risk is worse in both.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from audits.bounds import noncentrality, t_quantile
from audits.evidence import Evidence, Side, Verdict
from audits.rates.advice import advice
from audits.rates.cells import Cells
from audits.rates.diagnostics import SEEMING, Diagnosis, diagnose
from audits.rates.exponents import Exponent
from audits.rates.regression import Regression, exponent_of
from audits.rates.result import AxisFit

_ROUNDING = 1e-9
"""Of the exponents of exact tables."""
VANISHING = ("epsilon", "eps", "ε", "delta", "δ", "mu", "μ", "µ", "rho", "ρ", "strong_convexity")
"""Parameters of privacy, and of strong convexity: they go to 0."""
GROWING = (
    "n", "m", "d", "p", "k", "t", "size", "samples", "users", "items", "steps", "dimension", "rank",
    "smoothness", "condition",
)  # fmt: skip
"""Axes that go to infinity whatever their values; so does any other axis of integers ≥ 1 only."""


def falls(axis: str, values: NDArray[np.float64]) -> bool | None:
    """Whether the axis goes to 0, by its name or values; None where neither tells.

    >>> falls("epsilon", np.ones(1)), falls("users", np.ones(1)), falls("eta", np.array([0.1]))
    (True, False, None)
    >>> falls("1/n", np.ones(1)), falls("log(1/δ)", np.ones(1))
    (True, False)
    """
    name = axis.strip().lower()
    if name.startswith("1/"):
        inverse = falls(name[2:], np.ones(0))
        return None if inverse is None else not inverse
    if name.startswith("log(") and name.endswith(")"):
        return falls(name[4:-1], values)
    if name in VANISHING:
        return True
    if name in GROWING or bool(values.size and (values >= 1.0).all() and (values == np.round(values)).all()):
        return False
    return None


def which_is_worse(falling: bool | None) -> str:
    """The direction in which an exponent of the risk gets worse: "higher", "lower"; "either" if not known."""
    return "either" if falling is None else "lower" if falling else "higher"


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
    equivalence_alpha: float
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
            if not 0.0 < level < 0.5:
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

    def answer(self, cells: Cells, fit: Regression, j: int, doubts: Sequence[Doubt]) -> AxisFit:
        """The exponent of axis j against what is claimed of it."""
        axis, exponent = self.names[j], exponent_of(fit, j + 1)
        diagnosis, claimed = diagnose(cells, fit, j, self.tolerance), self.claimed.get(axis)
        verdict: Verdict | None = None
        resolution: float | None = None
        notes: list[str] = []
        if claimed is not None:
            verdict, notes = self._judged(axis, exponent, claimed, diagnosis, doubts)
            df = exponent.degrees_of_freedom
            reach = noncentrality(t_quantile(self.level, df), df) * exponent.standard_error + self.tolerance
            resolution = reach if math.isfinite(reach) else None
        notes += [*diagnosis.warnings(), *filter(None, [cells.unusable])]
        if verdict is Verdict.CONSISTENT and claimed is not None and resolution is not None:
            notes += self._unseen(axis, exponent, claimed, resolution, diagnosis.logarithm)
        lower, higher = self.forbidden(axis)
        low, high = exponent.interval(self.level)
        error = exponent.standard_error
        open_ = verdict is Verdict.INCONCLUSIVE and claimed is not None
        return AxisFit(
            axis=axis, exponent=exponent, diagnosis=diagnosis, harm=which_is_worse(self.falling.get(axis)),
            advice=self._advice(cells, fit, j, diagnosis, doubts) if open_ else "",
            evidence=Evidence(
                quantity=f"exponent of {axis}", estimate=exponent.estimate, low=low, high=high,
                confidence=1.0 - 2.0 * self.level, samples=cells.rows, claimed=claimed, axis=axis,
                method="tost" if self.side is Side.TIGHT else "one-sided",
                worse="either" if lower and higher else "higher" if higher else "lower", verdict=verdict,
                resolution=resolution, alpha_spent=0.0 if claimed is None else self.share,
                standard_error=error if math.isfinite(error) else None,
                degrees_of_freedom=exponent.degrees_of_freedom, note="; ".join(notes),
            ),
        )  # fmt: skip

    def _judged(
        self, axis: str, exponent: Exponent, claimed: float, diagnosis: Diagnosis, doubts: Sequence[Doubt]
    ) -> tuple[Verdict, list[str]]:
        """The verdict on one axis, with what a reader should know of it."""
        notes = [] if self.side is Side.TIGHT else [self._direction(axis, claimed)]
        low, high = exponent.interval(self.equivalence_alpha)
        within = not any(self._breaks(axis, claimed, low, high))
        if within:
            notes.append(self._passed(axis, claimed, low, high))
        low, high = exponent.interval(self.level)
        verdict = Verdict.CONSISTENT if within else Verdict.INCONCLUSIVE
        if any(self._breaks(axis, claimed, high, low)):
            verdict = Verdict.REFUTED
        # Of a curve a verdict stands where the local exponents at both ends say the same.
        first, last = (self._breaks(axis, claimed, end, end) for end in diagnosis.ends)
        alike = first == last and any(first) == (verdict is Verdict.REFUTED)
        if diagnosis.plainly_curved and not alike:
            verdict = Verdict.INCONCLUSIVE
        for doubt in doubts:
            verdict = verdict if doubt.stands and verdict is Verdict.REFUTED else Verdict.INCONCLUSIVE
        return verdict, [*notes, *(doubt.note for doubt in doubts)]

    def _advice(
        self, cells: Cells, fit: Regression, j: int, diagnosis: Diagnosis, doubts: Sequence[Doubt]
    ) -> str:
        """What would decide an exponent that is open: more measurements, or what mends a reason."""
        axis, exponent = self.names[j], exponent_of(fit, j + 1)
        if doubts:
            return doubts[0].advice
        if diagnosis.curved(SEEMING):
            first, last = diagnosis.ends
            return (
                f"the local exponent seems to go from {first:.3g} to {last:.3g}: more of {axis} "
                "would move the exponent and not only narrow its interval; fit the terms of the law (--form, "
                "fit_form), or measure where the slope has settled"
            )
        deviation, (lower, higher) = exponent.estimate - self.claimed[axis], self.forbidden(axis)
        beyond = max(deviation if higher else -math.inf, -deviation if lower else -math.inf)
        room = self.tolerance - beyond
        return advice(cells, fit, j, room, self.equivalence_alpha if room > 0.0 else self.level)

    def _unseen(
        self, axis: str, exponent: Exponent, claimed: float, resolution: float, logarithm: float | None
    ) -> Iterator[str]:
        """What a CONSISTENT exponent leaves unseen, a phrase each.

        That no exponent near the claimed one was measured, where the interval of confidence 0.99 excludes it
        in the direction that obeys the claim; that a logarithm would not be refuted, where it moves the
        exponent by less than the resolution.
        """
        (low, high), (lower, higher) = exponent.interval(0.005), self.forbidden(axis)
        if not (lower and higher) and (claimed - high if higher else low - claimed) > self.tolerance:
            yield f"nothing measured is tight along {axis}"
        if logarithm is not None and logarithm < resolution:
            yield f"a logarithm of {axis} could not be seen in the exponent: it moves by {logarithm:.2g}"

    def _direction(self, axis: str, claimed: float) -> str:
        """Which way the axis goes, and which exponent breaks a one-sided claim."""
        way = "falls" if self.falling.get(axis) else "grows"
        word = "above" if self.forbidden(axis)[1] else "below"
        worse = "is worse" if self.side is Side.UPPER else "breaks the lower bound"
        return f"{axis} {way}: an exponent {word} {claimed:g} {worse}"

    def _passed(self, axis: str, claimed: float, low: float, high: float) -> str:
        """Where the exponent lies at the level of equivalence, and what is allowed."""
        level = f"at one-sided level {self.equivalence_alpha:g}"
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
