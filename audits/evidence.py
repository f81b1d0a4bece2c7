"""Evidence and verdicts: what an instrument found, with its interval, and what that alone says of a claim."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum


class Verdict(StrEnum):
    """What a computation says of a statement."""

    CONFIRMED = "CONFIRMED"
    """Decided over the whole domain of the statement at the tested parameters: closed form, enumeration."""
    CONSISTENT = "CONSISTENT"
    """Samples do not contradict it; always with the smallest violation that would have been caught."""
    REFUTED = "REFUTED"
    """An exact counterexample, or data that contradict it at the run's error level."""
    INCONCLUSIVE = "INCONCLUSIVE"
    """Neither: the interval lies across the limit, or the resolution is worse than the claim asks for."""


class Side(StrEnum):
    """The side from which a statement bounds a quantity."""

    UPPER = "upper"
    LOWER = "lower"
    TIGHT = "tight"


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One number with its interval, the claimed value it is held against, and what that alone says.

    quantity     what was measured, in words ("exponent of n", "ε at δ = 1e-05").
    estimate, low, high   the value and its interval; an exact value has low = estimate = high.
    confidence   of the interval; 1.0 for an exact value.
    method       the instrument ("exact", "sequential", "tost", …).
    samples      Monte Carlo draws behind it; 0 for an exact value.
    claimed      the claimed value at this point; None where nothing is claimed (a reported constant).
    axis         the axis whose exponent this is ("n"); None for everything that is not a fitted exponent.
    worse        the direction in which this quantity gets worse: "higher", "lower" or "either"; None where no
                 direction is meant. `dpclaims rates` and the plots go by it.
    point        the grid point, empty where the evidence is about the whole grid.
    verdict      what this piece alone says of the claim; None for context that decides nothing.
    resolution   the smallest violation caught with probability 0.9; required with CONSISTENT.
    alpha_spent  the part of the run's error budget that this test used; 0 for an exact value.
    standard_error, degrees_of_freedom  of the estimate, where it has them (differences of rates use them).
    note         one sentence for the reader: the counterexample, the reading, the reason.

    Raises ValueError for a CONFIRMED that rests on samples and for a CONSISTENT without a resolution.
    """

    quantity: str
    estimate: float
    low: float
    high: float
    confidence: float
    method: str
    samples: int = 0
    claimed: float | None = None
    axis: str | None = None
    worse: str | None = None
    point: Mapping[str, float | int | str] = field(default_factory=dict[str, "float | int | str"])
    verdict: Verdict | None = None
    resolution: float | None = None
    alpha_spent: float = 0.0
    standard_error: float | None = None
    degrees_of_freedom: float | None = None
    note: str = ""

    def __post_init__(self) -> None:
        if any(math.isnan(v) for v in (self.estimate, self.low, self.high)):
            raise ValueError(f"evidence needs numbers, got {self.quantity!r}: {self.estimate}")
        if not self.low <= self.estimate <= self.high:
            raise ValueError(
                f"the interval must hold the estimate, got {self.quantity!r}: "
                f"{self.estimate} outside [{self.low}, {self.high}]"
            )
        if not 0.0 < self.confidence <= 1.0:
            raise ValueError(f"confidence must be in (0, 1], got {self.confidence}")
        if self.verdict is Verdict.CONFIRMED and (self.confidence < 1.0 or self.samples > 0):
            raise ValueError(f"CONFIRMED needs an exact computation, got {self.quantity!r} from samples")
        if self.verdict is Verdict.CONSISTENT and self.resolution is None:
            raise ValueError(f"CONSISTENT needs a resolution, got none for {self.quantity!r}")
        if self.worse not in (None, "higher", "lower", "either"):
            raise ValueError(f"worse must be 'higher', 'lower', 'either' or None, got {self.worse!r}")


def no_coarser(evidence: Evidence, largest_resolution: float | None) -> Evidence:
    """The evidence, INCONCLUSIVE where it passes by sampling with a larger resolution; None accepts any.

    Raises ValueError for a limit that is not > 0.
    """
    limit, found = largest_resolution, evidence.resolution
    if limit is not None and not limit > 0.0:
        raise ValueError(f"largest_resolution must be > 0, got {limit}")
    if limit is None or found is None or evidence.verdict is not Verdict.CONSISTENT or found <= limit:
        return evidence
    why = f"resolution {found:.3g} is worse than the {limit:.3g} asked for"
    note = "; ".join(n for n in (evidence.note, why) if n)
    return replace(evidence, verdict=Verdict.INCONCLUSIVE, note=note)


def combine(evidence: Iterable[Evidence]) -> Verdict:
    """The verdict that all pieces together carry.

    One refutation refutes; without one, one inconclusive piece leaves all open; samples that merely do not
    contradict weaken an exact confirmation to CONSISTENT. No deciding evidence at all is INCONCLUSIVE.

    >>> combine([]).value
    'INCONCLUSIVE'
    """
    verdicts = {e.verdict for e in evidence if e.verdict is not None}
    for verdict in (Verdict.REFUTED, Verdict.INCONCLUSIVE, Verdict.CONSISTENT, Verdict.CONFIRMED):
        if verdict in verdicts:
            return verdict
    return Verdict.INCONCLUSIVE
