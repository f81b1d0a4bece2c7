"""What a claim is: a statement with its source, a way to measure it, and a way to judge the measurements."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from audits.evidence import Bound, Evidence, Verdict

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

Scalar = float | int | str
TIERS = ("smoke", "ci", "full")
_ID = re.compile(r"[a-z0-9]+/[a-z0-9.]+(-[a-z0-9.]+)*(:[a-z0-9-]+)?")


class Kind(StrEnum):
    """What a claim is about; `dpclaims list --kind` selects by it."""

    PRIVACY = "privacy"
    RATE = "rate"
    BOUND = "bound"
    LOWER_BOUND = "lower-bound"
    IDENTITY = "identity"
    EXPERIMENT = "experiment"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a result is printed: paper (key), result ("Theorem 2.6"), place ("section 2"), reference."""

    paper: str
    result: str
    place: str
    reference: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Point(Mapping[str, Scalar]):
    """One grid point as `measure` sees it: the axes by name, and what the runner adds.

    axes    the grid point itself, ``point["n"]``.
    trials  Monte Carlo trials that this call must do (0 where the claim is exact).
    alpha   the error probability that the whole claim may spend.
    data    a data file or folder of the user's, for claims that read one; None for the stand-in.
    """

    axes: Mapping[str, Scalar]
    trials: int
    alpha: float
    data: Path | None = None

    def __getitem__(self, key: str) -> Any:
        return self.axes[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.axes)

    def __len__(self) -> int:
        return len(self.axes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tier:
    """How much work one tier does: the grid, the trials of each grid point, and the trials of one chunk."""

    points: Sequence[Mapping[str, Scalar]]
    trials: int = 0
    chunk: int = 0

    def __post_init__(self) -> None:
        if not self.points:
            raise ValueError("points must not be empty, got []; an exact claim without axes has [{}]")
        if self.trials < 0 or self.chunk < 0:
            raise ValueError(f"trials and chunk must be ≥ 0, got {self.trials} and {self.chunk}")

    def chunks(self) -> list[int]:
        """Trials of each chunk; a single chunk of 0 for exact claims."""
        if self.trials == 0:
            return [0]
        size = self.chunk or self.trials
        return [min(size, self.trials - start) for start in range(0, self.trials, size)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """A plot of the claim's rows, drawn by the report; it names columns and holds no numbers.

    kind      "curve" (lines, linear or log axes), "loglog" (points, interval, fitted and claimed line) or
              "sandwich" (measured values against a lower and an upper bound).
    x, y      columns of the rows; `low` and `high` columns of an interval; rows of equal x are averaged.
    claimed   column of the claimed value; None where there is none.
    series    column that tells the lines apart; None for one line.
    select    keep only the rows whose columns have these values.
    """

    kind: str
    title: str
    x: str
    y: str
    x_label: str
    y_label: str
    low: str | None = None
    high: str | None = None
    claimed: str | None = None
    series: str | None = None
    log_x: bool = False
    log_y: bool = False
    select: Mapping[str, Scalar] = field(default_factory=dict[str, "Scalar"])


Measure = Callable[[Point, "np.random.Generator"], Mapping[str, Any]]
Judge = Callable[["pd.DataFrame", float], Sequence[Evidence]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One result of a paper, one reading of it.

    id         "<paper>/<result>", with ":corrected" or another reading after a colon.
    statement  the result in our own words with every constant, Markdown with LaTeX between dollars.
    how        how it is checked, one or two sentences.
    bound      whether the statement bounds from above, from below, or both.
    expected   the verdict that the evidence is known to carry; anything else fails the run.
    tiers      the work of the tiers smoke, ci and full.
    measure    ``measure(point, rng)`` → one row (scalars) or several (equal-length arrays).
    judge      ``judge(rows, alpha)`` → evidence; rows is a table with a column for each axis, each measured
               quantity, `chunk` and `trials`; alpha is the error probability this claim may spend.
    plots      what the report draws.
    fits_exponents  judge() reports fitted exponents (quantity "exponent of …", with a standard error), which
               `dpclaims rates` holds against the baseline.
    check_data for claims that read the user's data (--data, DPCLAIMS_DATA): reads that file or folder and
               raises ValueError where it is unusable; called before anything is computed.
    """

    id: str
    kind: Kind
    title: str
    statement: str
    how: str
    source: Source
    bound: Bound
    expected: Verdict
    tiers: Mapping[str, Tier]
    measure: Measure
    judge: Judge
    plots: Sequence[Plot] = ()
    fits_exponents: bool = False
    check_data: Callable[[Path], object] | None = None

    def __post_init__(self) -> None:
        if not _ID.fullmatch(self.id):
            raise ValueError(f"id must look like paper/result or paper/result:reading, got {self.id!r}")
        if set(self.tiers) != set(TIERS):
            raise ValueError(f"{self.id}: tiers must be {TIERS}, got {tuple(self.tiers)}")
        reserved = {"chunk", "trials"}
        for name, tier in self.tiers.items():
            for point in tier.points:
                if clash := reserved & set(point):
                    raise ValueError(f"{self.id}: axis names {sorted(clash)} are taken by the runner")
                for axis, value in point.items():
                    if isinstance(value, float) and not math.isfinite(value):
                        raise ValueError(f"{self.id}: {name} axis {axis} must be finite, got {value}")
