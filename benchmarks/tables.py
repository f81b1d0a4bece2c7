"""The lines that `benchmarks/audit.py` measures: as CSV, as text, and as the table of docs/benchmarks.md."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

JUDGED_AT = 10**6
"""Samples a side for which sharpness and speed are asked for."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line: its settings (samples a side, at most; repeats; first seed), then what was found.

    value, low, high, reference, share by section:
    rows     mean, least and largest fraction of reachable; reachable ε
    encodings  likewise
    broken   median, least and most samples to refutation; ideal number; share of runs within 5 × of it
    ladder   likewise
    budget   share refuted; ideal number
    private  `epsilon_lower`; high: resolution; claimed ε; share refuted
    null     share of false alarms and its 95 % interval; α
    speed    times the seconds of plain NumPy; those seconds
    memory   GiB at the peak; GiB asked for; share refuted
    seconds  of one audit: median (null: mean, speed: least), and the worst.
    met      whether `asked` was met; None where nothing was asked.
    """

    section: str
    case: str
    method: str
    samples: int
    repeats: int
    seed: int
    asked: str
    met: bool | None
    value: float
    reference: float
    seconds: float
    low: float = math.nan
    high: float = math.nan
    share: float = math.nan
    worst_seconds: float = math.nan

    @property
    def key(self) -> tuple[Any, ...]:
        """The settings: two lines that share them measured the same."""
        return self.section, self.case, self.method, self.samples, self.repeats, self.seed

    def text(self) -> str:
        """For the terminal."""
        figures = " ".join(f"{cell:>18}" for cell in _CELLS[self.section](self))
        return f"{self.section:8} {self.case:44} {self.method:16} {self.samples:9,} {figures}  {self.asked}"


# --- CSV ---------------------------------------------------------------------------------------------

_NAMES = [field.name for field in fields(Line)]
_READ: dict[str, Callable[[str], Any]] = {
    **dict.fromkeys(_NAMES, float),
    **dict.fromkeys(("section", "case", "method", "asked"), str),
    **dict.fromkeys(("samples", "repeats", "seed"), int),
    "met": {"True": True, "False": False, "": None}.__getitem__,
}


def read(path: Path) -> list[Line]:
    """The lines of a CSV; none where there is no such file."""
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return [Line(**{k: _READ[k](v) for k, v in row.items()}) for row in csv.DictReader(file)]


def rewrite(path: Path, lines: Sequence[Line]) -> None:
    """A CSV of these lines alone."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([_NAMES, *map(_row, lines)])


def append(path: Path, line: Line) -> None:
    """One line more, on disk when this returns."""
    with path.open("a", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerow(_row(line))


def _row(line: Line) -> list[Any]:
    values = [getattr(line, name) for name in _NAMES]
    return [f"{v:.6g}" if isinstance(v, float) else v for v in values]


# --- Markdown ----------------------------------------------------------------------------------------


def fill(path: Path, lines: Sequence[Line]) -> None:
    """Put a table in place of everything between <!-- SECTION --> and <!-- end --> in a Markdown file."""
    text = path.read_text(encoding="utf-8")
    for section in _HEADS:
        body = table(section, lines)
        text = re.sub(
            rf"(<!-- {section} -->\n).*?(<!-- end -->)",
            lambda match, body=body: f"{match[1]}{body}{match[2]}",
            text,
            flags=re.DOTALL,
        )
    path.write_text(text, encoding="utf-8")


def table(section: str, lines: Sequence[Line]) -> str:
    """A Markdown table of one section with a sentence on how it was run."""
    found = [line for line in lines if line.section == section]
    if not found:
        return "Not measured.\n"
    if section == "rows":
        # The others are in the CSV and in the figure.
        sizes = {line.samples for line in found}
        shown = JUDGED_AT if JUDGED_AT in sizes else max(sizes)
        found = [line for line in found if line.samples == shown]
    if section in ("rows", "encodings", "speed"):
        body = _by_method(found)
    else:
        body = [[line.case, *_extra(line), *_CELLS[section](line), _met(line)] for line in found]
    rows = [_HEADS[section], ["---"] * len(_HEADS[section]), *body]
    return f"{_how(found)}\n\n" + "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _extra(line: Line) -> list[str]:
    """What tells lines of one case apart, where they are several."""
    return [line.method, f"{line.samples:,}", f"{line.repeats:,}"] if line.section == "null" else []


def _how(lines: Sequence[Line]) -> str:
    """Samples, repeats, seeds and how many met what was asked, in one line."""
    asked = [line for line in lines if line.met is not None]
    met = sum(line.met is True for line in asked)
    parts = [
        f"Samples a side{' at most' if lines[0].section in ('broken', 'ladder', 'budget', 'null') else ''}: "
        + _listed(line.samples for line in lines),
        "repeats: " + _listed(line.repeats for line in lines),
        "first seed: " + _listed(line.seed for line in lines),
    ]
    return (
        "; ".join([*parts, f"asked for and met: {met} of {len(asked)} lines" if asked else "not judged"])
        + "."
    )


def _listed(numbers: Iterable[int]) -> str:
    found = sorted(set(numbers))
    return f"{found[0]:,} to {found[-1]:,}" if len(found) > 6 else ", ".join(f"{n:,}" for n in found)


def _by_method(lines: Sequence[Line]) -> list[list[str]]:
    """One row for each case, fixed size beside sequential."""
    rows: list[list[str]] = []
    for case in dict.fromkeys(line.case for line in lines):
        both = {line.method: line for line in lines if line.case == case}
        some = next(iter(both.values()))
        shown = f"{some.reference:.3f}" + (" s" if some.section == "speed" else "")
        size = [f"{some.samples:,}"] if some.section == "encodings" else []
        rows.append([case, *size, shown, *(_bold(both[m]) if m in both else "" for m in _SIDE_BY_SIDE)])
    return rows


def _bold(line: Line) -> str:
    figure = " ".join(_CELLS[line.section](line))
    return f"**{figure}**" if line.met is False else figure


def _met(line: Line) -> str:
    return {True: "yes", False: "**no**", None: ""}[line.met]


def _count(number: float) -> str:
    return f"{number:,.0f}" if math.isfinite(number) else "never"


def _refuted(line: Line) -> list[str]:
    times = f" ({line.value / line.reference:.1f} ×)" if math.isfinite(line.value) else ""
    most = f" ({line.high / line.reference:.1f} ×)" if math.isfinite(line.high) else ""
    return [
        _count(line.reference),
        _count(line.value) + times,
        _count(line.high) + most,
        f"{line.share:.0%}",
        f"{line.seconds:.2f}",
        f"{line.worst_seconds:.2f}",
    ]


def _rows_cells(line: Line) -> list[str]:
    span = f" ({line.low:.3f} to {line.high:.3f})" if line.repeats > 1 else ""
    return [f"{line.value:.3f}{span}"]


_CELLS: dict[str, Callable[[Line], list[str]]] = {
    "rows": _rows_cells,
    "encodings": _rows_cells,
    "broken": _refuted,
    "ladder": _refuted,
    "budget": lambda x: [
        f"{x.reference:,.0f}",
        f"{x.samples:,} ({x.samples / x.reference:g} ×)",
        f"{x.value:.0%}",
    ],
    "private": lambda x: [f"{x.reference:.3f}", f"{x.value:.3f}", f"{x.high:.3f}", f"{x.seconds:.1f}"],
    "null": lambda x: [
        f"{round(x.value * x.repeats):,}",
        f"{x.value:.4f} [{x.low:.4f}, {x.high:.4f}]",
    ],
    "speed": lambda x: [f"{x.seconds:.3f} s = {x.value:.1f} ×"],
    "memory": lambda x: [f"{x.value:.2f} GiB", f"{x.seconds:.1f}"],
}
_SIDE_BY_SIDE = ("clopper-pearson", "sequential")
_REFUTED = ["ideal", "median", "worst", "within 5 × ideal", "median s", "worst s", "met"]
_HEADS = {
    "rows": ["row", "reachable ε", "fixed size", "sequential"],
    "encodings": ["row", "samples", "reachable ε", "fixed size", "sequential"],
    "broken": ["row", *_REFUTED],
    "ladder": ["too little by", *_REFUTED],
    "budget": ["row", "ideal", "samples at most", "refuted", ""],
    "private": ["control", "claimed ε", "ε ≥", "would have been caught", "seconds", "not refuted"],
    "null": ["case", "method", "samples", "audits", "alarms", "share", "≤ α"],
    "speed": ["row", "plain NumPy", "fixed size", "sequential"],
    "memory": ["mechanism", "at the peak", "seconds", "≤ 4 GiB"],
}
