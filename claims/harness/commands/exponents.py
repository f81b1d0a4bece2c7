"""A baseline of exponents and levels of the user's own measurements: written, read, compared with."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from claims.harness import exchange
from claims.harness.commands.rates_asked import RatesAsked
from claims.harness.exchange import Case
from claims.harness.run.provenance import numerics
from claims.harness.run.result import DIFFERS, PASSED, UNDECIDED
from claims.harness.run.serialise import number, optional, read_json

if TYPE_CHECKING:
    from audits.rates import Exponent, ExponentChange, RateFit

FORMAT = "dpclaims-exponents/2"
LEVEL_TOLERANCE = 0.1
"""How far a level may move where nothing else is asked. An undecided level then changes no status."""

STATUS = {"worse": "regressed", "better": "moved", "same": "same", "no worse": "same", "undecided": "same"}
"""The words of "status" in JSON before there were four answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What a baseline holds of one fit.

    exponents  by axis. `level` is the log risk at the place `centre`, the geometric mean of the cells.
    harm       by axis, the direction in which the risk grows faster, where it is known.
    """

    exponents: Mapping[str, Exponent]
    centre: Mapping[str, float]
    level: Exponent
    harm: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Baseline:
    """A baseline of a table: the name of the risk, the columns that were fitted apart, the fits by group."""

    risk: str
    group: Sequence[str]
    fits: Mapping[str, Kept]


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """An exponent, or the level, beside the baseline.

    answer  of `compare_exponents`; "new" (the baseline has none) or "missing" (the measurements have none).
    now     what was measured, None where it is missing; `baseline` likewise.
    what    "exponent of n", or the level and its place. `group` says of which fit, "" of the only one.
    axis    "" for the level.
    binding whether an undecided answer counts; advice what would decide it.
    """

    group: str
    axis: str
    what: str
    answer: str
    now: Exponent | None = None
    baseline: Exponent | None = None
    change: ExponentChange | None = None
    binding: bool = True
    advice: str = ""

    @property
    def name(self) -> str:
        return f"{self.group}: {self.what}" if self.group else self.what

    @property
    def outcome(self) -> str:
        if self.answer in ("worse", "missing"):
            return exchange.FAILED
        open_ = self.answer == "undecided" and self.binding
        return exchange.UNDECIDED if open_ else exchange.PASSED

    def __str__(self) -> str:
        if self.answer == "missing" and self.baseline is not None:
            return f"{self.name}: missing, the baseline has {self.baseline.estimate:.4f}"
        if self.change is None or self.baseline is None:
            return f"{self.name}: new, the baseline has none"
        c = self.change
        if not self.axis:
            moved, low, high = (math.exp(min(v, 700.0)) for v in (c.difference.estimate, c.low, c.high))
            return (
                f"{self.name}: {self.answer}, {moved:.4g} times that of the baseline, in "
                f"[{low:.4g}, {high:.4g}]"
            )
        return (
            f"{self.name}: {self.answer}, baseline {self.baseline.estimate:.4f}, difference "
            f"{c.difference.estimate:+.4f} in [{c.low:.4f}, {c.high:.4f}]"
        )

    def case(self, group: str, title: str, place: tuple[str, int] = ("", 0)) -> Case:
        """For other tools, by this title."""
        return Case(
            group=group, name=title, title=title, verdict=self.answer, outcome=self.outcome, place=place,
            message=f"{self}{f'; {self.advice}' if self.advice else ''}",
            numbers={} if self.change is None else {"low": self.change.low, "high": self.change.high},
        )  # fmt: skip

    def as_dict(self) -> dict[str, Any]:
        """For JSON; "status" has the words of before there were four answers."""
        c = self.change
        return {
            "group": self.group, "axis": self.axis or None, "what": "exponent" if self.axis else "level",
            "status": STATUS.get(self.answer, self.answer), "answer": self.answer,
            "estimate": None if self.now is None else self.now.estimate,
            "baseline": None if self.baseline is None else self.baseline.estimate,
            "difference": None if c is None else c.difference.estimate,
            "low": None if c is None else c.low, "high": None if c is None else c.high,
            "advice": self.advice,
        }  # fmt: skip


def status_of(outcomes: Iterable[str]) -> int:
    """The exit status of everything that was checked: 1 for a failure, else 3 for something undecided."""
    seen = set(outcomes)
    if exchange.FAILED in seen:
        return DIFFERS
    return UNDECIDED if exchange.UNDECIDED in seen else PASSED


def compared(
    group: str,
    axis: str,
    what: str,
    new: Exponent | None,
    old: Exponent | None,
    asked: RatesAsked,
    each: float,
    *,
    worse: str = "higher",
) -> Compared:
    """An exponent, or the level where `axis` is "", beside the baseline; None where one of them has none.

    each  error level of one comparison.
    """
    from audits.rates import compare_exponents
    from audits.rates.advice import change_advice

    share = asked.level_share
    found = Compared(
        group=group, axis=axis, what=what, answer="new" if old is None else "missing", now=new, baseline=old,
        binding=bool(axis) or share is not None,
    )  # fmt: skip
    if new is None or old is None:
        return found
    tolerance = asked.tolerance if axis else math.log1p(LEVEL_TOLERANCE if share is None else share)
    change = compare_exponents(new, old, tolerance=tolerance, alpha=each, worse=worse)
    advice = change_advice(change.difference, tolerance) if change.answer == "undecided" else ""
    return replace(found, answer=change.answer, change=change, advice=advice)


def against(new: Mapping[str, Kept], old: Mapping[str, Kept], asked: RatesAsked) -> Iterator[Compared]:
    """All exponents and levels beside those of a baseline; levels only where they stand at one place.

    A group or an exponent that one of them lacks is new, or missing. Half of α is for the claims, where there
    are any.
    """
    count = sum(len(kept.exponents) + 1 for kept in new.values())
    each = asked.alpha / (2.0 if asked.claimed else 1.0) / count
    for group in dict.fromkeys([*new, *old]):
        now, before = new.get(group), old.get(group)
        measured, known = ({} if kept is None else kept.exponents for kept in (now, before))
        for axis in dict.fromkeys([*measured, *known]):
            worse = "higher" if now is None else now.harm.get(axis, "higher")
            pair = measured.get(axis), known.get(axis)
            yield compared(group, axis, f"exponent of {axis}", *pair, asked, each, worse=worse)
        if now is not None and before is not None and now.centre == before.centre:
            at = ", ".join(f"{name}={value:.4g}" for name, value in now.centre.items())
            yield compared(group, "", f"level at {at}", now.level, before.level, asked, each)


# --- The file ------------------------------------------------------------------------------------------


def kept(fit: RateFit, old: Kept | None = None) -> Kept:
    """What is kept of a fit: its level in the middle of the cells, or where the older one has it."""
    centre = fit.centre()
    if old is not None and old.centre.keys() == centre.keys():
        centre = dict(old.centre)
    return Kept(
        exponents={axis.axis: axis.exponent for axis in fit.axes}, centre=centre, level=fit.level(centre),
        harm={axis.axis: axis.harm for axis in fit.axes},
    )  # fmt: skip


def document(fits: Mapping[str, RateFit], risk: str, group: Sequence[str]) -> dict[str, Any]:
    """What is written: of each fit its exponents, level, cells and trials."""
    return {
        "format": FORMAT,
        "risk": risk,
        "group": list(group),
        "versions": numerics(),
        "fits": [
            {
                "group": name,
                "rows": fit.samples,
                "trials": fit.trials and {"column": fit.trials[0], "count": fit.trials[1]},
                "exponents": {axis.axis: asdict(axis.exponent) | {"worse": axis.harm} for axis in fit.axes},
                "level": {"at": fit.centre(), **asdict(fit.level(fit.centre()))},
                "cells": {column: values.tolist() for column, values in fit.cells.items()},
            }
            for name, fit in fits.items()
        ],
    }


def read(file: Path, like: Baseline | None = None) -> Baseline:
    """A baseline from its file; ValueError, naming the file, where it is missing, malformed, empty, or holds
    another risk or other groups than the one that it should be like."""
    named = f"--baseline {str(file)!r}"
    if not file.exists():
        raise ValueError(f"{named} does not exist: write it with --update")
    content = read_json(file)
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ValueError(f"{named} does not hold exponents of a table ({FORMAT})")
    try:
        fits = {str(fit["group"]): _kept(fit) for fit in content["fits"]}
        found = Baseline(str(content["risk"]), [str(column) for column in content["group"]], fits)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ValueError(f"{named}: malformed exponent ({error})") from error
    if not any(fit.exponents for fit in fits.values()):
        raise ValueError(f"{named} is empty: it holds no exponent")
    if like is not None and found.risk != like.risk:
        raise ValueError(f"{named} is of the risk {found.risk!r}, not of {like.risk!r}")
    if like is not None and found.group != like.group:
        known, got = (",".join(columns) or "none" for columns in (found.group, like.group))
        raise ValueError(f"{named} has --group {known}, got {got}")
    return found


def _kept(fit: Mapping[str, Any]) -> Kept:
    return Kept(
        exponents={str(axis): exponent_of(entry) for axis, entry in fit["exponents"].items()},
        centre={str(axis): number(value) for axis, value in fit["level"]["at"].items()},
        level=exponent_of(fit["level"]),
        harm={str(axis): str(entry.get("worse", "either")) for axis, entry in fit["exponents"].items()},
    )


def exponent_of(entry: Mapping[str, Any]) -> Exponent:
    """The exponent, or level, that an entry of a baseline holds; KeyError or ValueError where it is none."""
    from audits.rates import Exponent

    freedom = optional(entry["degrees_of_freedom"])
    return Exponent(
        estimate=number(entry["estimate"]),
        standard_error=number(entry["standard_error"]),
        degrees_of_freedom=math.inf if freedom is None else freedom,
    )
