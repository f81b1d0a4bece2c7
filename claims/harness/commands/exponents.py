"""A baseline of exponents and levels of the user's own measurements: written, read, compared with."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from claims.harness import exchange
from claims.harness.exchange import Case
from claims.harness.run.provenance import numerics
from claims.harness.run.result import DIFFERS, PASSED, UNDECIDED
from claims.harness.run.serialise import number, optional, read_json

if TYPE_CHECKING:
    from audits.rates import Exponent, ExponentChange, RateFit

FORMAT = "dpclaims-exponents/2"
OLDER = "dpclaims-exponents/1"
LEVEL_TOLERANCE = 0.1
"""How far a level may move where nothing else is asked. An undecided level then changes no status."""

STATUS = {"worse": "regressed", "better": "moved", "same": "same", "no worse": "same", "undecided": "same"}
"""The words of "status" in JSON before there were four answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What a baseline holds of one fit.

    exponents  by axis. `level` is the log risk at the place `centre`, the geometric mean of the cells; None
               in baselines of the first format.
    harm       by axis, the direction in which the risk grows faster, where it is known.
    """

    exponents: Mapping[str, Exponent]
    centre: Mapping[str, float]
    level: Exponent | None
    harm: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """When something has moved.

    each       error level of one comparison; `tolerance` of exponents, level_tolerance a share of the risk.
    """

    each: float
    tolerance: float
    level_tolerance: float | None = None

    def of_level(self) -> float:
        """The tolerance of the log risk."""
        share = LEVEL_TOLERANCE if self.level_tolerance is None else self.level_tolerance
        return math.log1p(share)


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """An exponent, or the level, beside the baseline.

    answer  of `compare_exponents`; "new" (the baseline has none) or "missing" (the measurements have none).
    what    "exponent of n", or the level and its place. `group` says of which fit, "" of the only one.
    axis    "" for the level.
    binding whether an undecided answer counts; advice what would decide it.
    """

    group: str
    axis: str
    what: str
    answer: str
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
            moved, low, high = (math.exp(min(v, 700.0)) for v in (c.difference, c.low, c.high))
            return (
                f"{self.name}: {self.answer}, {moved:.4g} times that of the baseline, in "
                f"[{low:.4g}, {high:.4g}]"
            )
        return (
            f"{self.name}: {self.answer}, baseline {self.baseline.estimate:.4f}, difference "
            f"{c.difference:+.4f} in [{c.low:.4f}, {c.high:.4f}]"
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
            "baseline": None if self.baseline is None else self.baseline.estimate,
            "difference": None if c is None else c.difference,
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
    limits: Limits,
    *,
    worse: str = "higher",
    binding: bool = True,
) -> Compared:
    """An exponent, or the level where `axis` is "", beside the baseline; None where one of them has none."""
    from audits.rates import compare_exponents
    from audits.rates.advice import change_advice

    found = Compared(
        group=group, axis=axis, what=what, answer="new" if old is None else "missing", baseline=old,
        binding=binding,
    )  # fmt: skip
    if new is None or old is None:
        return found
    tolerance = limits.tolerance if axis else limits.of_level()
    change = compare_exponents(new, old, tolerance=tolerance, alpha=limits.each, worse=worse)
    advice = change_advice(change.both, tolerance) if change.answer == "undecided" else ""
    return replace(found, answer=change.answer, change=change, advice=advice)


def against(group: str, fit: RateFit, old: Kept, limits: Limits) -> Iterator[Compared]:
    """Each exponent, and the level at the place of the baseline, beside the baseline."""
    for one in fit.axes:
        before = old.exponents.get(one.axis)
        what = f"exponent of {one.axis}"
        yield compared(group, one.axis, what, one.exponent, before, limits, worse=one.harm)
    for axis in sorted(old.exponents.keys() - {one.axis for one in fit.axes}):
        yield compared(group, axis, f"exponent of {axis}", None, old.exponents[axis], limits)
    if old.level is not None and old.centre.keys() == fit.centre().keys():
        at = ", ".join(f"{name}={value:.4g}" for name, value in old.centre.items())
        level, binding = fit.level(old.centre), limits.level_tolerance is not None
        yield compared(group, "", f"level at {at}", level, old.level, limits, binding=binding)


# --- The file ------------------------------------------------------------------------------------------


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


def read(file: Path, risk: str, group: Sequence[str]) -> dict[str, Kept]:
    """The fits of a baseline by group.

    Raises ValueError, naming the file, where it is missing, malformed, empty, or holds another risk or other
    groups than these.
    """
    if not file.exists():
        raise ValueError(f"--baseline {str(file)!r} does not exist: write it with --update")
    content = read_json(file)
    if not isinstance(content, dict) or content.get("format") not in (FORMAT, OLDER):
        raise ValueError(f"--baseline {str(file)!r} does not hold exponents of a table ({FORMAT})")
    if content.get("risk", risk) != risk:
        raise ValueError(f"--baseline {str(file)!r} is of the risk {content['risk']!r}, not of {risk!r}")
    if content.get("group", []) != list(group):
        known = ",".join(content.get("group", [])) or "none"
        raise ValueError(f"--baseline {str(file)!r} has --group {known}, got {','.join(group) or 'none'}")
    try:
        fits = {str(fit.get("group", "")): _kept(fit) for fit in content.get("fits", [content])}
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ValueError(f"--baseline {str(file)!r}: malformed exponent ({error})") from error
    if not any(fit.exponents for fit in fits.values()):
        raise ValueError(f"--baseline {str(file)!r} is empty: it holds no exponent")
    return fits


def _kept(fit: Mapping[str, Any]) -> Kept:
    level = fit.get("level")
    return Kept(
        exponents={str(axis): exponent_of(entry) for axis, entry in fit["exponents"].items()},
        centre={} if level is None else {str(a): number(v) for a, v in level["at"].items()},
        level=None if level is None else exponent_of(level),
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
