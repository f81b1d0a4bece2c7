"""What a trace found, in words, as a table, as JSON and as a plot."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from audits.trace.ledger.claim import Claim
from audits.trace.records import Finding, Lost, Step, short

FORMAT = "dpclaims-trace/1"
PLACE = ("file", "line", "function")
HEADLINES = {
    "leak": "LEAK",
    "ledger-exceeds": "LEDGER EXCEEDS THE CLAIM",
    "nothing-found": "NOTHING FOUND",
    "lost": "LOST",
}


@dataclass(frozen=True, slots=True)
class Line:
    """The draws of one line and law of the ledger.

    times      draws, or comparisons.
    distance   of the arguments of one of them on D and D′, in words.
    epsilon    their ε at the claim's δ, composed by themselves; None where it is not known.
    share      epsilon over the sum of those of all lines.
    largest    the largest loss of one of them: its ε at δ = 0.
    ratio      of Gaussians: √Σ(distance/σ)² of all of them; 0 for other laws.
    """

    file: str
    line: int
    function: str
    law: str
    distance: str
    times: int
    epsilon: float | None
    share: float | None
    why: str = ""
    largest: float = math.inf
    ratio: float = 0.0


@dataclass(frozen=True, slots=True)
class BlackBox:
    """The verdict of a short audit by samples, in words, and its lower bound of ε."""

    verdict: str
    words: str
    epsilon_lower: float | None = None
    samples: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceResult:
    """What a trace found; no verdict says that a program is private.

    verdict   "leak", "ledger-exceeds", "nothing-found" or "lost".
    claim     what is claimed.
    epsilon_ledger   what the most expensive path costs, in the unit of the claim (ε at its δ, ρ, μ …); None
              where a draw of it is not known.
    seen      by how much the dearest draw exceeds the claim's ε: the least δ that it would need.
    epsilon_stated   what of it libraries state of themselves, by their own maps and claims.
    ledger    its lines; findings; lost.
    pairs, draws     how many pairs were traced, and draws seen; runs: of each pair, at least.
    exact     the dearest path is the law of the output: all paths of a program of coins were run.
    black_box        the verdict of an audit by samples on the pair whose ledger exceeds the claim, or whose
              leak was found; None where there was none.
    """

    verdict: str
    claim: Claim
    epsilon_ledger: float | None
    ledger: tuple[Line, ...]
    findings: tuple[Finding, ...]
    lost: tuple[Lost, ...]
    pairs: int
    draws: int
    seed: int
    seconds: float
    runs: int = 1
    epsilon_stated: float = 0.0
    seen: float = 0.0
    pair_index: int = 0
    exact: bool = False
    black_box: BlackBox | None = None
    versions: Mapping[str, str] = field(default_factory=lambda: {})

    @property
    def epsilon_claimed(self) -> float:
        """What is claimed, in the unit of the claim."""
        return self.claim.value

    @property
    def delta(self) -> float:
        """δ of a claim of (ε, δ); of others 0."""
        return self.claim.delta if self.claim.of is None else 0.0

    @property
    def cause(self) -> tuple[Step, ...]:
        """The line that computes the numbers of the first finding; () where that is not known."""
        step = self.findings[0].cause if self.findings else None
        return () if step is None else (step,)

    @property
    def headline(self) -> str:
        """The verdict in capital letters, with the line of a leak."""
        words = HEADLINES[self.verdict]
        if self.verdict == "nothing-found" and self.epsilon_stated > 0.0:
            return f"{words}, as the library states"
        return f"{words} at {self.findings[0].place}" if self.verdict == "leak" else words

    def summary(self) -> str:
        """The result in sentences, one a line."""
        claim = f"(ε = {self.epsilon_claimed:g}, δ = {self.delta:g})"
        if self.claim.of is not None:
            claim = f"{self.claim.unit} = {self.claim.value:g}"
        seen = f"{_count(self.pairs, 'pair')}, {_count(self.draws, 'draw')} seen, {len(self.lost)} lost"
        lines: list[str] = []
        if self.verdict == "leak":
            lines.append(f"{self.headline}: {self.findings[0].text}.")
            lines += [f"  {step.text}" for step in self.cause]
            lines += [f"  also at {f.place}: {f.text}" for f in self.findings[1:]]
            lines.append(f"  Seen on pair {self.findings[0].pair}; {seen}.")
        elif self.verdict == "ledger-exceeds":
            lines.append(
                f"{self.headline}: the draws of one run cost {self.claim.words(self.epsilon_ledger or 0.0)}, "
                f"claimed {self.epsilon_claimed:g}."
            )
            if self.exact:
                lines.append("  All outcomes of its coins were run: this is the exact law of the output,")
                lines.append(f"  which refutes the claim; {seen}.")
            else:
                lines.append(f"  The cost of one run, not yet a violation of the output; {seen}.")
        elif self.verdict == "lost":
            lines.append(f"{self.headline}: nothing is known of {claim}; on {seen}.")
        else:
            lines.append(f"{self.headline} against {claim} on {seen}. This is no proof that it is private.")
            often = 1.0 / (1.0 - 0.05 ** (1.0 / self.runs))
            missed = f"what differs in one of {often:.3g} is missed with probability 0.05"
            every = (
                "  All outcomes of its coins were run: this is the exact law of the output on these pairs."
            )
            lines.append(every if self.exact else f"  {_count(self.runs, 'run')} of each pair: {missed}")
        if self.epsilon_ledger is not None:
            cost = self.claim.words(self.epsilon_ledger)
            stated = f"; by libraries' own maps {self.epsilon_stated:.4g}" if self.epsilon_stated else ""
            lines.append(f"  ledger: the draws of the most expensive run cost {cost}{stated}")
        lines += [f"  lost{_at(x)}: {x.text}" for x in self.lost[:5]]
        if self.black_box is not None:
            lines.append(f"  black box: {self.black_box.words}")
        return "\n".join(lines)

    def table(self) -> str:
        """The ledger of the dearest path, a line of the program a row."""
        heads = ["line", "draws", "law", "distance", self.claim.unit, "share"]
        rows = [
            [
                f"{short(x.file)}:{x.line}",
                f"{x.times:,}",
                x.law,
                x.distance,
                "unknown" if x.epsilon is None else f"{x.epsilon:.4g}",
                "" if x.share is None else f"{100.0 * x.share:.0f} %",
            ]
            for x in self.ledger
        ]
        widths = [max(len(row[i]) for row in [heads, *rows]) for i in range(len(heads))]
        return "\n".join(
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in [heads, *rows]
        )

    def to_dict(self) -> dict[str, Any]:
        """The document of `dpclaims trace --json`."""
        lines = [asdict(line) for line in self.ledger]
        for line in lines:
            del line["ratio"]
            line.update(epsilon=_number(line["epsilon"]), largest=_number(line["largest"]))
        audit = self.black_box
        told = {} if audit is None else {k: v for k, v in asdict(audit).items() if v is not None}
        return {
            "format": FORMAT,
            "verdict": self.verdict,
            "headline": self.headline,
            "unit": self.claim.unit,
            "epsilon_claimed": self.epsilon_claimed,
            "delta": self.delta,
            "epsilon_ledger": _number(self.epsilon_ledger),
            "epsilon_stated": _number(self.epsilon_stated),
            "pairs": self.pairs,
            "draws": self.draws,
            "runs": self.runs,
            "findings": [_told(f, "kind", *PLACE, "text", "pair", "seed") for f in self.findings],
            "exact": self.exact,
            "cause": [_told(s, "role", *PLACE, "name", "first", "second", "text") for s in self.cause],
            "ledger": lines,
            "lost": [_told(lost, *PLACE, "text", "pair") for lost in self.lost],
            "black_box": None if audit is None else told,
            "seconds": self.seconds,
            "seed": self.seed,
            "versions": dict(self.versions),
        }

    def plot(self, axes: Any = None) -> Any:
        """Bars: the ε of each line of the ledger, and the claim as a line. Returns Matplotlib axes."""
        from matplotlib import pyplot

        if axes is None:
            _, axes = pyplot.subplots(figsize=(7, 0.5 * len(self.ledger) + 1.5), layout="constrained")
        known = [x for x in self.ledger if x.epsilon is not None and math.isfinite(x.epsilon)]
        names = [f"{short(x.file)}:{x.line}" for x in known]
        axes.barh(range(len(known)), [x.epsilon for x in known])
        axes.set_yticks(range(len(known)), names)
        axes.invert_yaxis()
        axes.axvline(self.epsilon_claimed, color="black", linestyle="--", label="claim")
        axes.set_xlabel(self.claim.unit + (f" at δ = {self.delta:g}" if self.claim.of is None else ""))
        axes.set_title(self.headline)
        axes.legend()
        return axes

    def _repr_markdown_(self) -> str:
        return f"```\n{self.summary()}\n\n{self.table()}\n```"


def _at(lost: Lost) -> str:
    return f" at {short(lost.file)}:{lost.line}" if lost.line else ""


def _told(found: Finding | Lost | Step, *names: str) -> dict[str, Any]:
    """Fields of what was found, in the order of the document."""
    where = dict(zip(PLACE, found.where, strict=True))
    return {name: where[name] if name in where else getattr(found, name) for name in names}


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _number(value: float | None) -> float | str | None:
    return None if value is None else value if math.isfinite(value) else "inf"
