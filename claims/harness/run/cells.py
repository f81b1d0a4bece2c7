"""What one cell of a claim computes, and how the cells of a claim become its evidence."""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from audits.evidence import Evidence, no_coarser
from audits.foreign.calls import Failed, called
from audits.judge import deciding_first
from claims.harness.claim import RESERVED, Budget, Claim, Point, Scalar
from claims.harness.words import ROOM, TIERS

if TYPE_CHECKING:
    import pandas as pd


ALPHA = 0.001
"""Default probability that a run calls any true claim refuted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The parameters of a run that change its results."""

    tier: str = "ci"
    seed: int = 0
    alpha: float = ALPHA
    data: Path | None = None

    def __post_init__(self) -> None:
        if self.tier not in TIERS:
            raise ValueError(f"tier must be one of {', '.join(TIERS)}, got {self.tier!r}")
        if not 0.0 < self.alpha < 1.0:
            raise ValueError(f"alpha must be in (0, 1), got {self.alpha}")
        if self.seed < 0:
            raise ValueError(f"seed must be ≥ 0, got {self.seed}")
        if self.data is not None and not self.data.exists():
            raise ValueError(f"data (--data or DPCLAIMS_DATA) {str(self.data)!r} does not exist")

    @property
    def share(self) -> float:
        """What each claim may spend: a run has room for `ROOM` claims, however many there are."""
        return self.alpha / ROOM


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """The smallest unit of work: one chunk of one grid point of one claim."""

    claim: str
    index: int
    chunk: int
    trials: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a cell gave: its columns, its evidence (where points are checked one by one), or its traceback."""

    cell: Cell
    columns: Mapping[str, Any] | None
    evidence: tuple[Evidence, ...]
    seconds: float
    error: str | None


def cells_of(claim: Claim, tier: str) -> Iterator[Cell]:
    """The cells of a claim in a tier, in order."""
    work = claim.tier(tier)
    chunks = [work.trials] if claim.check is not None else work.chunks()
    for index in range(len(work.points)):
        for chunk, trials in enumerate(chunks):
            yield Cell(claim=claim.id, index=index, chunk=chunk, trials=trials)


def compute(claim: Claim, cell: Cell, settings: Settings) -> Outcome:
    """Compute one cell; whatever the claim does in place of that becomes its traceback."""
    started = time.perf_counter()
    found = called(_computed, claim, cell, settings)
    error = found.traceback if type(found) is Failed else None
    columns, evidence = (None, ()) if type(found) is Failed else found
    return Outcome(
        cell=cell, columns=columns, evidence=evidence, seconds=time.perf_counter() - started, error=error
    )


def generator(seed: int, claim_id: str, axes: Mapping[str, Scalar], chunk: int) -> np.random.Generator:
    """The generator of one cell, from (master seed, claim id, grid point, chunk).

    Neither order, nor number of workers, nor backend changes a bit of it.

    >>> a = generator(0, "p/t", {"n": 2, "d": 3}, 0).integers(10**9)
    >>> a == generator(0, "p/t", {"d": 3, "n": 2}, 0).integers(10**9)
    np.True_
    """
    name = json.dumps([seed, claim_id, sorted(axes.items()), chunk], separators=(",", ":"))
    digest = hashlib.blake2b(name.encode(), digest_size=32).digest()
    return np.random.default_rng(np.random.SeedSequence(int.from_bytes(digest, "big")))


def _computed(
    claim: Claim, cell: Cell, settings: Settings
) -> tuple[Mapping[str, Any] | None, tuple[Evidence, ...]]:
    points = claim.tier(settings.tier).points
    axes = dict(points[cell.index])
    point = Point(
        axes=axes,
        rng=generator(settings.seed, claim.id, axes, cell.chunk),
        # Points are judged one by one: each has its part of the share.
        alpha=settings.share / len(points) if claim.check is not None else settings.share,
        trials=cell.trials,
        data=settings.data if claim.check_data is not None else None,
    )
    if claim.check is not None:
        evidence = _checked(claim, point)
        return _table(cell, axes, evidence), evidence
    assert claim.measure is not None
    return _columns(claim, cell, axes, claim.measure(point)), ()


def conclude(
    claim: Claim, outcomes: Sequence[Outcome], share: float
) -> tuple[tuple[Evidence, ...], pd.DataFrame]:
    """The evidence of a claim whose cells are all in, the deciding piece first, and its rows.

    Raises what `judge` raises, and ValueError where it overspends its budget or yields nothing.
    """
    import pandas as pd

    ordered = sorted(outcomes, key=lambda o: (o.cell.index, o.cell.chunk))
    rows = pd.concat([pd.DataFrame(o.columns) for o in ordered], ignore_index=True)
    if claim.check is not None:
        found = [e for o in ordered for e in o.evidence]
    else:
        assert claim.judge is not None
        found = list(claim.judge(rows.copy(), Budget(share)))
        if not found:
            raise ValueError(f"{claim.id}: judge() gave no evidence ({claim.file})")
    spent = math.fsum(e.alpha_spent for e in found)
    if spent > share * (1 + 1e-9):
        raise ValueError(f"{claim.id}: judge() spent {spent:.3g} of an error budget of {share:.3g}")
    return deciding_first(no_coarser(e, claim.largest_resolution) for e in found), rows


def _checked(claim: Claim, point: Point) -> tuple[Evidence, ...]:
    assert claim.check is not None
    found = tuple(claim.check(point))
    if not found:
        raise ValueError(f"{claim.id}: check() yielded no evidence at {dict(point)} ({claim.file})")
    spent = math.fsum(e.alpha_spent for e in found)
    if spent > point.alpha * (1 + 1e-9):
        raise ValueError(
            f"{claim.id}: check() spent {spent:.3g}, this point has {point.alpha:.3g}: use point.split(k)"
        )
    # Evidence that names no grid point is about the point that was checked.
    return tuple(replace(e, point=dict(point)) if not e.point else e for e in found)


def _table(cell: Cell, axes: Mapping[str, Any], evidence: Sequence[Evidence]) -> dict[str, Any]:
    """The evidence of a point as rows: what plots and readers of the stored table see."""
    columns: dict[str, Any] = {name: [value] * len(evidence) for name, value in axes.items()}
    columns |= {"chunk": [cell.chunk] * len(evidence), "trials": [cell.trials] * len(evidence)}
    # Sorted: the order of a set of strings differs from process to process.
    for name in sorted({k for e in evidence for k in e.point} - set(axes)):
        columns[name] = [e.point.get(name) for e in evidence]
    return columns | {
        "quantity": [e.quantity for e in evidence],
        "value": [e.estimate for e in evidence],
        "low": [e.low for e in evidence],
        "high": [e.high for e in evidence],
        "claimed": [np.nan if e.claimed is None else e.claimed for e in evidence],
    }


def _columns(
    claim: Claim, cell: Cell, axes: Mapping[str, Any], measured: Mapping[str, Any]
) -> dict[str, Any]:
    """The rows of a cell as equal-length columns: axes, chunk, trials, then what was measured."""
    taken = ({*axes} | RESERVED) & set(measured)
    if taken:
        raise ValueError(
            f"{claim.id}: measure() returns the columns {sorted(taken)}, which are taken: rename"
        )
    if not measured:
        raise ValueError(f"{claim.id}: measure() returned no columns")
    values = {name: np.asarray(value) for name, value in measured.items()}
    lengths = {name: value.shape for name, value in values.items() if value.ndim}
    if len(set(lengths.values())) > 1 or any(value.ndim > 1 for value in values.values()):
        raise ValueError(f"{claim.id}: measure() must return columns of one length, got {lengths}")
    size = next(iter(lengths.values()), (1,))[0]
    # A scalar beside arrays holds for all rows of the cell.
    columns = {name: value if value.ndim else np.repeat(value, size) for name, value in values.items()}
    for name, value in columns.items():
        if value.dtype.kind not in "biufU":
            raise ValueError(f"{claim.id}: column {name!r} must hold numbers or strings, got {value.dtype}")
    fixed = {**axes, "chunk": cell.chunk, "trials": cell.trials}
    return {name: np.repeat(value, size) for name, value in fixed.items()} | columns
