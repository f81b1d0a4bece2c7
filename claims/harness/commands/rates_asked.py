"""The options of `dpclaims rates`."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer

from audits.evidence import Side

OF_CSV = ("risk", "axis", "claimed", "plot", "group", "trial", "vanishing", "error", "level_tolerance",
          "form", "compare", "side", "predict")  # fmt: skip
"""Options that say something of --csv alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RatesAsked:
    """What `rates` is asked: of the claims of papers, or of a table of measurements (--csv).

    An exponent has regressed where it is off by more than the tolerance, at the error level of all together.
    `alpha` is the probability that a true claim is refuted or an exponent that did not move is worse; half of
    it each where both are asked, and shared by all groups. ValueError for options that make no sense.
    """

    baseline: Annotated[
        Path | None, typer.Option(help="One file for all (default: reports/baseline/<paper>.json).")
    ] = None
    update: Annotated[bool, typer.Option("--update", help="Print what changes, rewrite the baseline.")] = (
        False
    )
    force: Annotated[bool, typer.Option("--force", help="Of --update: after a refutation, too.")] = False
    csv: Annotated[Path | None, typer.Option(help="Your own measurements, one cell a line.")] = None
    risk: Annotated[str | None, typer.Option(help="Column of the risk in --csv.")] = None
    axis: Annotated[list[str], typer.Option(help="Column of an axis in --csv; repeat.")] = field(
        default_factory=list[str]
    )
    claimed: Annotated[str | None, typer.Option(help="Claimed exponents, 'n=-1,m=-0.5'.")] = None
    tolerance: Annotated[float, typer.Option(help="How far an exponent may be off.")] = 0.05
    side: Annotated[
        str, typer.Option(help="Of --csv: tight, or upper where the risk may fall faster, or lower.")
    ] = "tight"
    alpha: Annotated[
        float, typer.Option(help="Probability that a true claim is refuted, or that noise is a regression.")
    ] = 0.001
    group: Annotated[
        str | None, typer.Option(help="Columns of --csv that are fitted apart: 'method,dataset'.")
    ] = None
    trial: Annotated[
        str | None, typer.Option(help="Column of trials that recur over cells, as a seed does; or none.")
    ] = None
    vanishing: Annotated[
        list[str], typer.Option(help="An axis that goes to 0, not to infinity; repeat; or none.")
    ] = field(default_factory=list[str])
    error: Annotated[str | None, typer.Option(help="Column of the standard errors in --csv.")] = None
    level_tolerance: Annotated[
        str | None, typer.Option(help="How far the level may move from the baseline: 5%.")
    ] = None
    form: Annotated[
        str | None, typer.Option(help="Fit a sum of terms to --csv: 'a/n + b*sqrt(d)/(n*sqrt(m))'.")
    ] = None
    compare: Annotated[
        list[str], typer.Option(help="A form; give two: which fits --csv better, 'log(n)/n'?")
    ] = field(default_factory=list[str])
    predict: Annotated[
        str | None, typer.Option(help="The risk at another place, with its interval: 'n=1e6'.")
    ] = None
    history: Annotated[
        Path | None, typer.Option(help="Folder of baselines, a run each: which of them are worse.")
    ] = None
    plot: Annotated[Path | None, typer.Option(help="Write a plot: .svg, .png, .pdf.")] = None

    def __post_init__(self) -> None:
        if not 0.0 < self.alpha < 0.5:
            raise ValueError(f"--alpha must be in (0, 0.5), got {self.alpha}")
        if not 0.0 < self.tolerance < math.inf:
            raise ValueError(f"--tolerance must be positive and finite, got {self.tolerance}")
        if self.force and not self.update:
            raise ValueError("--force is for --update: it writes a baseline after a refutation")
        if self.history is not None and (self.csv is not None or self.update):
            raise ValueError("--history lists runs that are there: leave out --csv and --update")
        if self.side not in list(Side):
            raise ValueError(f"--side must be one of {', '.join(Side)}, got {self.side!r}")
        share = self.level_share
        if share is not None and not 0.0 < share < math.inf:
            raise ValueError(f"--level-tolerance must be positive and finite, got {share}")

    def of_table(self) -> None:
        """ValueError where --csv lacks what it needs."""
        if self.risk is None or not (self.axis or self.form is not None or self.compare):
            raise ValueError("--csv needs --risk COLUMN and at least one --axis COLUMN")
        named = [("--risk", self.risk), *(("--axis", axis) for axis in self.axis)]
        named += [*(("--group", group) for group in self.groups), ("--error", self.error)]
        taken: dict[str, str] = {}
        for flag, name in named:
            if name in taken:
                raise ValueError(f"{flag} must name another column than {taken[name]}, got {name!r}")
            if name is not None:
                taken[name] = flag
        if self.group is not None and not all(name.strip() for name in self.group.split(",")):
            raise ValueError(f"--group must name columns, as 'method,dataset', got {self.group!r}")
        if "none" in self.vanishing and len(self.vanishing) > 1:
            raise ValueError(f"--vanishing must name axes, or none alone, got {', '.join(self.vanishing)}")
        if self.update and self.baseline is None:
            raise ValueError("--update writes the file that --baseline names; with --csv give it, too")

    def without_csv(self) -> None:
        """ValueError for an option that says something of a table only."""
        others = () if self.history is None else ("plot", "level_tolerance")
        asked = [name for name in OF_CSV if getattr(self, name) not in (None, [], "tight")]
        if given := [name for name in asked if name not in others]:
            raise ValueError(f"--{given[0].replace('_', '-')} is for --csv FILE; give it, too")

    @property
    def groups(self) -> list[str]:
        """Columns that name what is fitted apart, a method, a dataset."""
        return [name.strip() for name in (self.group or "").split(",") if name.strip()]

    @property
    def level_share(self) -> float | None:
        """How far the level may move, as a share of the risk; None for a tenth, and then an undecided level
        changes no exit status.

        >>> RatesAsked(level_tolerance="5%").level_share, RatesAsked(level_tolerance="0.05").level_share
        (0.05, 0.05)
        """
        text = self.level_tolerance
        if text is None:
            return None
        try:
            return float(text[:-1]) / 100.0 if text.endswith("%") else float(text)
        except ValueError:
            raise ValueError(f"--level-tolerance must look like '5%', got {text!r}") from None

    @property
    def judged(self) -> bool:
        """Whether something is compared with a baseline whose answers count."""
        return self.baseline is not None and not self.update
