"""`dpclaims rates --csv`: exponents of the user's own measurements, against claims and against a baseline."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from audits.evidence import Side, Verdict
from claims.harness import exchange
from claims.harness.exchange import Case, Outputs
from claims.harness.report.describe import describe
from claims.harness.run.result import DIFFERS, PASSED, UNDECIDED
from claims.harness.run.serialise import dumps, evidence_to_json, number, read_json

if TYPE_CHECKING:
    from audits.rates import Exponent, ExponentChange, RateFit

FORMAT = "dpclaims-exponents/1"
ALPHA = 0.001
EQUIVALENCE_ALPHA = 0.05
"""Probability that an exponent beyond the tolerance is called consistent, for each axis; see `fit_rate`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What `rates --csv` is asked; ValueError, one sentence, for options that make no sense.

    side      "tight" where exponents must be as claimed, "upper" where the risk may fall faster than claimed,
              or grow more slowly, "lower" for the reverse.
    alpha     probability that a true claim is refuted or an exponent that did not move regresses; half of it
              each where both are asked.
    baseline  file of exponents that the new ones are compared with, or with `update` written.
    plot      file of a plot, one panel an axis.
    """

    csv: Path
    risk: str | None
    axes: Sequence[str]
    claimed: str | None = None
    tolerance: float = 0.05
    side: str = "tight"
    alpha: float = ALPHA
    baseline: Path | None = None
    update: bool = False
    plot: Path | None = None

    def __post_init__(self) -> None:
        if self.risk is None or not self.axes:
            raise ValueError("--csv needs --risk COLUMN and at least one --axis COLUMN")
        if self.risk in self.axes:
            raise ValueError(f"--axis must name what was varied, got the column of --risk, {self.risk!r}")
        if self.side not in list(Side):
            raise ValueError(f"--side must be one of {', '.join(Side)}, got {self.side!r}")
        if not 0.0 < self.alpha < 0.5:
            raise ValueError(f"--alpha must be in (0, 0.5), got {self.alpha}")
        if not 0.0 < self.tolerance < math.inf:
            raise ValueError(f"--tolerance must be positive and finite, got {self.tolerance}")
        if self.update and self.baseline is None:
            raise ValueError("--update writes the file that --baseline names; with --csv give it, too")

    @property
    def compares(self) -> bool:
        """Whether the exponents are held against a baseline."""
        return self.baseline is not None and not self.update


@dataclass(frozen=True, slots=True)
class Compared:
    """The exponent of one axis beside that of the baseline.

    status  "regressed", "moved" (in a direction that is no harm), "same", "new" (the baseline has none) or
            "missing" (the measurements have none).
    """

    axis: str
    status: str
    baseline: Exponent | None
    change: ExponentChange | None

    def __str__(self) -> str:
        if self.status == "missing" and self.baseline is not None:
            return f"exponent of {self.axis}: missing, the baseline has {self.baseline.estimate:.4f}"
        if self.change is None or self.baseline is None:
            return f"exponent of {self.axis}: new, the baseline has none"
        return (
            f"exponent of {self.axis}: {self.status}, baseline {self.baseline.estimate:.4f}, difference "
            f"{self.change.difference:+.4f} in [{self.change.low:.4f}, {self.change.high:.4f}]"
        )


def measurements_command(asked: Measured, outputs: Outputs, *, json: bool) -> int:
    """Fit the exponents of a CSV table, one measured cell a line; prints them, returns the exit status.

    0 as claimed and not regressed · 1 refuted, or regressed against the baseline · 3 undecided.
    Raises ValueError for a file, a column or a text that cannot be used.
    """
    exchange.must_be_writable("--plot", asked.plot, parents=False)
    old = read_exponents(asked.baseline) if asked.compares and asked.baseline else {}
    fit = fitted(asked)
    compared = list(against_baseline(fit, old, asked)) if asked.compares else []
    if asked.plot is not None:
        draw(fit, asked.plot)
    cases = list(_cases(fit, compared, asked))
    exchange.publish("dpclaims rates", f"dpclaims: exponents of {asked.csv}", cases, outputs)
    if asked.update and asked.baseline is not None:
        write_exponents(asked.baseline, fit, asked)
    if json:
        print(dumps(_document(fit, compared, asked)), end="")
    else:
        print("\n".join(_text(fit, compared, asked)))
    outcomes = {case.outcome for case in cases}
    if exchange.FAILED in outcomes:
        return DIFFERS
    return UNDECIDED if exchange.UNDECIDED in outcomes else PASSED


def fitted(asked: Measured) -> RateFit:
    """The fit of the table; a refutation has the error level asked for, a pass one of its own."""
    from audits.rates import fit_rate

    assert asked.risk is not None
    return fit_rate(
        _read_csv(asked.csv, [asked.risk, *asked.axes]),
        risk=asked.risk,
        axes=list(asked.axes),
        claimed=parse_claimed(asked.claimed, asked.axes),
        tolerance=asked.tolerance,
        side=Side(asked.side),
        alpha=asked.alpha / (2.0 if asked.compares else 1.0),
        equivalence_alpha=EQUIVALENCE_ALPHA,
    )


def against_baseline(fit: RateFit, old: Mapping[str, Exponent], asked: Measured) -> Iterator[Compared]:
    """Each axis beside the baseline: regressed where the interval of the difference is beyond tolerance."""
    from audits.rates import compare_exponents

    share = asked.alpha / (2.0 if asked.claimed else 1.0) / len(fit.axes)
    for axis in fit.axes:
        before = old.get(axis.axis)
        if before is None:
            yield Compared(axis.axis, "new", None, None)
            continue
        change = compare_exponents(
            axis.exponent, before, tolerance=asked.tolerance, alpha=share, worse=axis.worse
        )
        moved = change.low > asked.tolerance or change.high < -asked.tolerance
        yield Compared(axis.axis, _status(change.regressed, moved), before, change)
    for name in old.keys() - {axis.axis for axis in fit.axes}:
        yield Compared(name, "missing", old[name], None)


def _status(regressed: bool, moved: bool) -> str:
    return "regressed" if regressed else "moved" if moved else "same"


def write_exponents(file: Path, fit: RateFit, asked: Measured) -> None:
    """Write the exponents as a baseline that people can read, by one rename; ValueError where that fails."""
    exponents = {
        axis.axis: {
            "estimate": axis.exponent.estimate,
            "standard_error": axis.exponent.standard_error,
            "degrees_of_freedom": axis.exponent.degrees_of_freedom,
            "values": len(set(fit.cells[axis.axis].tolist())),
        }
        for axis in fit.axes
    }
    document = {"format": FORMAT, "risk": asked.risk, "rows": fit.samples, "exponents": exponents}
    exchange.write(file, dumps(document))


def read_exponents(file: Path) -> dict[str, Exponent]:
    """The exponents of a baseline by axis; ValueError, naming the file, where it is missing or malformed."""
    from audits.rates import Exponent

    if not file.exists():
        raise ValueError(f"--baseline {str(file)!r} does not exist: write it with --update")
    document = read_json(file)
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ValueError(f"--baseline {str(file)!r} does not hold exponents of a table ({FORMAT})")
    try:
        return {
            str(axis): Exponent(
                estimate=float(entry["estimate"]),
                standard_error=float(entry["standard_error"]),
                degrees_of_freedom=float(number(entry["degrees_of_freedom"]) or 0.0),
            )
            for axis, entry in document["exponents"].items()
        }
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ValueError(f"--baseline {str(file)!r}: malformed exponent ({error})") from error


def draw(fit: RateFit, file: Path) -> None:
    """One panel an axis; the kind of file is that of its suffix. ValueError where it cannot be drawn."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ValueError(f"--plot needs the library Matplotlib, which is not installed ({error})") from error
    figure = Figure(figsize=(4.5 * len(fit.axes), 3.5), layout="constrained")
    panels: Any = figure.subplots(1, len(fit.axes), squeeze=False)[0]
    for axis, panel in zip(fit.axes, panels, strict=True):
        fit.plot(axis.axis, panel)
        panel.set_title(f"{axis.exponent.estimate:.4g} [{axis.low:.4g}, {axis.high:.4g}]")
    exchange.save_plot(figure, file)


def _cases(fit: RateFit, compared: Sequence[Compared], asked: Measured) -> Iterator[Case]:
    place = (exchange.from_here(asked.csv), 1)
    outcomes = {Verdict.REFUTED: exchange.FAILED, Verdict.INCONCLUSIVE: exchange.UNDECIDED}
    for axis, evidence in zip(fit.axes, fit.evidence(), strict=True):
        why = f"{describe(evidence)}{f'; {axis.advice}' if axis.advice else ''}"
        yield Case(
            group="dpclaims.rates", name=evidence.quantity, title=evidence.quantity,
            outcome=exchange.PASSED if axis.verdict is None else outcomes.get(axis.verdict, exchange.PASSED),
            verdict="" if axis.verdict is None else axis.verdict.value, message=why, place=place,
            numbers={
                "estimate": evidence.estimate, "low": evidence.low, "high": evidence.high,
                "claimed": evidence.claimed, "samples": evidence.samples, "resolution": evidence.resolution,
            },
        )  # fmt: skip
    for row in compared:
        bad = row.status in ("regressed", "missing")
        yield Case(
            group="dpclaims.rates", name=f"exponent of {row.axis} against the baseline",
            title=f"exponent of {row.axis} against the baseline", verdict=row.status, message=str(row),
            outcome=exchange.FAILED if bad else exchange.PASSED, place=place,
            numbers={} if row.change is None else {"low": row.change.low, "high": row.change.high},
        )  # fmt: skip


def _text(fit: RateFit, compared: Sequence[Compared], asked: Measured) -> Iterator[str]:
    for axis, evidence in zip(fit.axes, fit.evidence(), strict=True):
        yield describe(evidence)
        if axis.advice:
            yield f"  what would decide: {axis.advice}"
    for row in compared:
        yield str(row)
    if asked.update:
        yield f"baseline {asked.baseline} written: {len(fit.axes)} exponents"


def _document(fit: RateFit, compared: Sequence[Compared], asked: Measured) -> dict[str, Any]:
    return {
        "format": "dpclaims-rates/1",
        "exponents": [
            evidence_to_json(e) | {"diagnosis": axis.diagnosis.as_dict(), "advice": axis.advice}
            for e, axis in zip(fit.evidence(), fit.axes, strict=True)
        ],
        "baseline": None if asked.baseline is None else str(asked.baseline),
        "updated": asked.update,
        "compared": [
            {
                "axis": row.axis, "status": row.status,
                "baseline": None if row.baseline is None else row.baseline.estimate,
                "difference": None if row.change is None else row.change.difference,
                "low": None if row.change is None else row.change.low,
                "high": None if row.change is None else row.change.high,
            }
            for row in compared
        ],
    }  # fmt: skip


def parse_claimed(text: str | None, axes: Sequence[str]) -> dict[str, float] | None:
    """Claimed exponents by axis.

    >>> parse_claimed("n=-1, m=-0.5", ["n", "m"])
    {'n': -1.0, 'm': -0.5}
    """
    if text is None:
        return None
    found: dict[str, float] = {}
    for part in text.split(","):
        name, separator, value = (p.strip() for p in part.partition("="))
        try:
            if not separator:
                raise ValueError
            found[name] = float(value)
        except ValueError:
            raise ValueError(f"--claimed must look like 'n=-1,m=-0.5', got {text!r}") from None
        if name not in axes:
            raise ValueError(f"--claimed names {name!r}, which is no --axis; axes are {', '.join(axes)}")
    return found


def _read_csv(file: Path, columns: Sequence[str]) -> Any:
    import pandas as pd

    try:
        table = pd.read_csv(file)
    except OSError as error:
        raise ValueError(f"--csv {str(file)!r} cannot be read: {error.strerror or error}") from error
    except Exception as error:
        # Each kind of archive has errors of its own where it is cut off, damaged or called by another's name.
        words = " ".join(str(error).split()) or type(error).__name__
        raise ValueError(f"--csv {str(file)!r} is not a CSV table: {words}") from error
    missing = [c for c in columns if c not in table.columns]
    if missing:
        raise ValueError(
            f"--csv {str(file)!r} has no column {missing[0]!r}; it has {', '.join(table.columns)}"
        )
    for column in columns:
        if not pd.api.types.is_numeric_dtype(table[column]):
            raise ValueError(f"--csv {str(file)!r}: column {column!r} must hold numbers only")
    return table
