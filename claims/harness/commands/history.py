"""`dpclaims rates --history DIR`: the runs that a folder keeps, on one plot, and which of them are worse."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from claims.harness import exchange
from claims.harness.commands import exponents
from claims.harness.commands.exponents import Kept, Limits
from claims.harness.commands.rates_asked import RatesAsked
from claims.harness.run.result import DIFFERS, PASSED
from claims.harness.run.serialise import dumps

LAST = 20
"""Runs that are listed and drawn, the newest ones."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a history: when, and the fits of its groups."""

    when: str
    fits: Mapping[str, Kept]


@dataclass(frozen=True, slots=True)
class Change:
    """What one run says of one exponent, or level ("" as axis), beside the baseline."""

    when: str
    group: str
    axis: str
    answer: str
    estimate: float
    low: float
    high: float


def add(folder: Path, document: Mapping[str, Any]) -> None:
    """Keep a run in the folder, under the time of now; ValueError where it cannot be written."""
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H%M%S.%fZ")
    exponents.write(folder / f"{now}.json", document)


def history_command(asked: RatesAsked, *, json: bool) -> int:
    """List the last runs beside the baseline, or beside the first of them; returns the exit status.

    0 · 1 where the newest run is worse. Raises ValueError for a folder without runs, or of other risks.
    """
    assert asked.history is not None
    runs, first = read(asked.history), None
    if asked.baseline is not None:
        first = Run("baseline", exponents.read_any(asked.baseline))
    limits = Limits(each=asked.alpha, tolerance=asked.tolerance, level_tolerance=asked.level_share)
    changes = list(_changes(runs[-LAST:], first or runs[0], limits))
    if asked.plot is not None:
        draw(changes, asked.plot)
    if json:
        document = [asdict(change) for change in changes]
        print(dumps({"format": "dpclaims-history/1", "runs": document}), end="")
    else:
        print("\n".join(_text(runs[-LAST:], changes, (first or runs[0]).when)))
    return DIFFERS if any(c.answer == "worse" for c in changes if c.when == runs[-1].when) else PASSED


def read(folder: Path) -> list[Run]:
    """The runs in a folder, the oldest first; ValueError where there are none, or one is malformed."""
    files = sorted(folder.glob("*.json")) if folder.is_dir() else []
    if not files:
        raise ValueError(f"--history {str(folder)!r} holds no runs: --csv … --history {folder} keeps one")
    return [Run(file.stem, exponents.read_any(file)) for file in files]


def _changes(runs: Sequence[Run], first: Run, limits: Limits) -> Iterator[Change]:
    from audits.rates import compare_exponents

    for run in runs:
        for group, fit in run.fits.items():
            before = first.fits.get(group)
            if before is None:
                continue
            pairs = [(axis, fit.exponents[axis], before.exponents.get(axis)) for axis in fit.exponents]
            # Levels at other places of the design are no comparison.
            level = before.level if before.centre == fit.centre else None
            pairs += [("", fit.level, level)] if fit.level is not None else []
            for axis, new, old in pairs:
                if old is None:
                    continue
                change = compare_exponents(
                    new, old, alpha=limits.each, worse=fit.harm.get(axis, "either") if axis else "higher",
                    tolerance=limits.tolerance if axis else limits.of_level(),
                )  # fmt: skip
                low, high = new.interval(0.025)
                yield Change(run.when, group, axis, change.answer, new.estimate, low, high)


def _text(runs: Sequence[Run], changes: Sequence[Change], beside: str) -> Iterator[str]:
    for run in runs:
        found = [c for c in changes if c.when == run.when]
        words = "; ".join(f"{_name(c)} {_value(c)} {c.answer}" for c in found)
        yield f"{'WORSE' if any(c.answer == 'worse' for c in found) else '     '}  {run.when}  {words}"
    worse = sum(any(c.answer == "worse" for c in changes if c.when == run.when) for run in runs)
    yield f"{worse} of {len(runs)} runs worse than {beside}"


def _name(change: Change) -> str:
    what = f"exponent of {change.axis}" if change.axis else "level"
    return f"{change.group}: {what}" if change.group else what


def _value(change: Change) -> str:
    return f"{change.estimate if change.axis else math.exp(min(change.estimate, 700.0)):.4g}"


def draw(changes: Sequence[Change], file: Path) -> None:
    """One panel an exponent or level, the runs from left to right; ValueError where it cannot be drawn."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ValueError(f"--plot needs the library Matplotlib, which is not installed ({error})") from error
    names = list(dict.fromkeys(map(_name, changes)))
    figure = Figure(figsize=(8.0, 2.4 * len(names)), layout="constrained")
    panels: Any = figure.subplots(len(names), 1, squeeze=False)[:, 0]
    for name, panel in zip(names, panels, strict=True):
        rows = [c for c in changes if _name(c) == name]
        for k, c in enumerate(rows):
            colour = "C3" if c.answer == "worse" else "C0"
            panel.errorbar(
                k, c.estimate, [[c.estimate - c.low], [c.high - c.estimate]], fmt="o", color=colour
            )
        panel.set_xticks(range(len(rows)), [c.when[:10] for c in rows], rotation=45, fontsize="small")
        panel.set_title(name if rows[0].axis else f"{name} (logarithm)")
    exchange.save_plot(figure, file)
