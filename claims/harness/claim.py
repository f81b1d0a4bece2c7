"""What a claim is: a statement of a paper, its expected verdict, and the computation that decides it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from audits.evidence import Evidence, Verdict
from claims.harness.finding import Finding, Misprint
from claims.harness.ids import KEY, LONGEST, NAME, TAKEN
from claims.harness.words import Kind
from implementations.interfaces import Adjacency

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

Scalar = float | int | str
RESERVED = frozenset({"axes", "rng", "alpha", "trials", "data", "chunk", "split"})
"""Names that the runner gives to a grid point; no axis may have one."""


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper: the line ``PAPER = Paper(…)`` in its ``__init__.py`` makes a folder of claims a paper.

    key        the folder's name and the first part of every id ("song2021").
    reference  authors, year, title, place.
    adjacency  which datasets the paper calls neighbours; it never has a default.
    findings   the claims that state what is wrong with it, the gravest first: ids, or what follows the key
               in them ("theorem-3.1:private"). Whatever lists findings has this order.
    misprints  slips of the pen, in the order of the text; they stand in the letter to its authors.
    text       which version of the text was read, for letters to its authors: "arXiv:2006.06783v2".

    Raises ValueError for a key that is no lower-case name, an empty reference, and a finding named twice.
    """

    key: str
    _: KW_ONLY
    reference: str
    adjacency: Adjacency
    findings: Sequence[str] = ()
    misprints: Sequence[Misprint] = ()
    text: str = ""

    def __post_init__(self) -> None:
        if not KEY.fullmatch(self.key) or self.key in TAKEN:
            raise ValueError(f"key must be a lower-case name like 'doe2020', got {self.key!r}")
        if not self.reference.strip():
            raise ValueError(
                f"{self.key}: reference must name authors, year and title, got {self.reference!r}"
            )
        object.__setattr__(self, "adjacency", Adjacency(self.adjacency))
        object.__setattr__(self, "findings", tuple(self.id_of(name) for name in self.findings))
        if twice := sorted({name for name in self.findings if self.findings.count(name) > 1}):
            raise ValueError(f"{self.key}: findings must name each claim once, got {', '.join(twice)} twice")

    def id_of(self, name: str) -> str:
        """The id of a claim of this paper by its id, what follows the paper's key in it, or its label.

        >>> paper = Paper("doe2020", reference="J. Doe: A. 2020", adjacency=Adjacency.REPLACE)
        >>> paper.id_of("Lemma 2.6"), paper.id_of("lemma-2.6:corrected"), paper.id_of("doe2020/lemma-1")
        ('doe2020/lemma-2.6', 'doe2020/lemma-2.6:corrected', 'doe2020/lemma-1')
        """
        return name if "/" in name else f"{self.key}/{name.lower().replace(' ', '-')}"


ROLES = ("printed", "corrected", "reading", "proof", "control", "program")
Points = Sequence[Mapping[str, Any]]


def grid(**axes: Scalar | Iterable[Scalar]) -> list[dict[str, Any]]:
    """All combinations of the axes' values, the last axis fastest; a single value is an axis of one.

    >>> grid(n=(1, 2), d=3)
    [{'n': 1, 'd': 3}, {'n': 2, 'd': 3}]
    >>> grid()
    [{}]
    """
    values = [(v,) if isinstance(v, str | int | float) else tuple(v) for v in axes.values()]
    return [dict(zip(axes, combination, strict=True)) for combination in itertools.product(*values)]


@dataclass(frozen=True, slots=True)
class Tier:
    """How much work one tier does: the grid, the trials of each grid point, and the trials of one chunk.

    Raises ValueError for an empty grid, trials < 0, axes that the runner owns and values that are not finite.
    """

    points: Points
    _: KW_ONLY
    trials: int = 0
    chunk: int = 0

    def __post_init__(self) -> None:
        if not self.points:
            raise ValueError("points must not be empty, got []; an exact claim without axes has grid()")
        if self.trials < 0 or self.chunk < 0:
            raise ValueError(f"trials and chunk must be ≥ 0, got {self.trials} and {self.chunk}")
        for point in self.points:
            if clash := sorted(RESERVED & set(point)):
                raise ValueError(f"axis names {clash} are taken by the runner: rename the axis")
            for axis, value in point.items():
                if isinstance(value, float) and not math.isfinite(value):
                    raise ValueError(f"axis {axis} must be finite, got {value}")

    def chunks(self) -> list[int]:
        """Trials of each chunk; a single chunk of 0 for exact claims."""
        if self.trials == 0:
            return [0]
        size = self.chunk or self.trials
        return [min(size, self.trials - start) for start in range(0, self.trials, size)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Point(Mapping[str, Any]):
    """One grid point as `check` and `measure` see it: ``point.n`` is the axis n, of the type it was given.

    axes    the grid point itself.
    rng     the generator of this cell, from (master seed, claim id, grid point, chunk).
    alpha   the error probability that may be spent here: the claim's share divided by its points.
    trials  Monte Carlo trials that this call must do (0 where the tier states none).
    data    a data file or folder of the user's, for claims that read one; None for the stand-in.
    """

    axes: Mapping[str, Scalar]
    rng: np.random.Generator
    alpha: float
    trials: int = 0
    data: Path | None = None

    def __getattr__(self, name: str) -> Any:
        # Called only for names that are no field: an axis, or a mistake.
        if name.startswith("__") or name in RESERVED:
            raise AttributeError(name)
        try:
            return self.axes[name]
        except KeyError:
            raise AttributeError(f"the point has no axis {name!r}; it has {sorted(self.axes)}") from None

    def split(self, tests: int) -> list[float]:
        """`alpha` in equal parts, for a point whose check makes several tests on samples."""
        return Budget(self.alpha).split(tests)

    def __getitem__(self, key: str) -> Any:
        return self.axes[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.axes)

    def __len__(self) -> int:
        return len(self.axes)


class Budget:
    """The error probability that `judge` may spend; it refuses to hand out more than there is.

    >>> budget = Budget(0.001)
    >>> budget.share(0.8), budget.split(2)
    (0.0008, [0.0001, 0.0001])
    """

    __slots__ = ("_left", "alpha")

    def __init__(self, alpha: float) -> None:
        if not 0.0 < alpha < 1.0:
            raise ValueError(f"alpha must be in (0, 1), got {alpha}")
        self.alpha = alpha
        self._left = alpha

    def share(self, fraction: float) -> float:
        """This fraction of the whole budget; ValueError where so much is no longer left."""
        if not 0.0 < fraction <= 1.0:
            raise ValueError(f"fraction must be in (0, 1], got {fraction}")
        asked = fraction * self.alpha
        if asked > self._left * (1.0 + 1e-9):
            raise ValueError(
                f"asked for {fraction:g} of α = {self.alpha:g}, left is {max(self._left, 0.0) / self.alpha:g}"
            )
        self._left -= asked
        return round(asked, 18)

    def split(self, tests: int) -> list[float]:
        """Everything that is left, in equal parts; ValueError where nothing is left or tests < 1."""
        if tests < 1:
            raise ValueError(f"tests must be ≥ 1, got {tests}")
        if self._left <= 1e-9 * self.alpha:
            raise ValueError(f"nothing is left of α = {self.alpha:g}: hand out smaller shares before")
        part = round(self._left / tests, 18)
        self._left = 0.0
        return [part] * tests


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """A plot of the claim's rows, drawn by the report; it names columns and holds no numbers.

    kind      "curve" (lines, linear or log axes) or "loglog" (points, fitted and claimed line).
    x, y      columns of the rows; rows of equal x are averaged.
    claimed   column of the claimed value; None where there is none.
    series    column that tells the lines apart; None for one line.
    select    keep only the rows whose columns have these values.

    A claim that yields evidence point by point has the axes as columns, and for each quantity "value",
    "low", "high", "claimed" and "quantity".
    """

    kind: str
    title: str
    x: str
    y: str
    x_label: str
    y_label: str
    claimed: str | None = None
    series: str | None = None
    log_x: bool = False
    log_y: bool = False
    select: Mapping[str, Scalar] = field(default_factory=dict[str, "Scalar"])


Check = Callable[[Point], Iterable[Evidence]]
Measure = Callable[[Point], Mapping[str, Any]]
Judge = Callable[["pd.DataFrame", Budget], Iterable[Evidence]]


@dataclass(frozen=True, slots=True)
class Claim:
    """One result of a paper, one reading of it. It decides in one of two forms:

    check      ``check(point)`` yields evidence: everything that is decided point by point.
    measure, judge  ``measure(point)`` → one row (scalars) or several (equal-length arrays);
               ``judge(rows, budget)`` yields evidence, where all points are judged together. `rows` has a
               column for each axis, each measured quantity, `chunk` and `trials`.

    paper, result, place  where it is printed: PAPER, "Theorem 2.6", "section 2".
    kind       what it is about.
    title      a few words for lists.
    statement  the result in our own words with every constant, Markdown with LaTeX between dollars.
    expected   the verdict that the evidence is known to carry; anything else fails the run.
    smoke, ci, full  the work of the tiers: a grid, or a `Tier` with trials; full is ci unless given.
    name       the second part of the id; by default the result's name ("theorem-2.6").
    variant    what stands after the colon of the id; made by `reading`.
    finding    what is wrong with a statement that is expected to fall, its weight, and what speaks for it.
    summary    one line in Markdown for lists: what a statement that holds says or keeps of the printed one.
    rests_on   ids of the claims that this one takes for granted; its verdict is never stronger than theirs.
    uses       what the paper's proof of this result uses, as `Paper.id_of` reads it: ("lemma-2.6", "Theorem
               3.1"); or a mapping from that to a note ({"lemma-2.6": "only in the text before it"}). The map
               of the paper is drawn from it; no verdict depends on it.
    role       "program" for a claim about a program of this project that a paper's claims are checked with;
               filled in for all others, from the name and the reading: "printed", "corrected", "reading",
               "proof" or "control".
    plots      what the report draws.
    fits_exponents  it reports fitted exponents, which `dpclaims rates` holds against the baseline.
    largest_resolution  a pass by sampling whose resolution is worse is INCONCLUSIVE; None accepts any.
    check_data for claims that read the user's data (--data, DPCLAIMS_DATA): reads that file or folder and
               raises ValueError where it is unusable; called before anything is computed.
    module, doc, file  where the claim stands and the docstring of its module; filled in when it is loaded.

    Raises ValueError, naming the id, for a malformed id, neither or both forms, or a missing tier.
    """

    paper: Paper
    result: str
    place: str
    _: KW_ONLY
    kind: Kind
    title: str
    statement: str
    expected: Verdict
    smoke: Tier | Points
    ci: Tier | Points
    full: Tier | Points | None = None
    check: Check | None = None
    measure: Measure | None = None
    judge: Judge | None = None
    name: str = ""
    variant: str = ""
    finding: Finding | None = None
    summary: str = ""
    rests_on: Sequence[str] = ()
    uses: Sequence[str] | Mapping[str, str] = ()
    role: str = ""
    plots: Sequence[Plot] = ()
    fits_exponents: bool = False
    largest_resolution: float | None = None
    check_data: Callable[[Path], object] | None = None
    module: str = ""
    doc: str = ""
    file: Path | None = None

    def __post_init__(self) -> None:
        if not self.name:
            object.__setattr__(self, "name", self.result.lower().replace(" ", "-"))
        for part in (self.name, *([self.variant] if self.variant else [])):
            if not NAME.fullmatch(part):
                raise ValueError(f"{self.id}: name must look like theorem-2.6, got {part!r}")
        if len(self.id) > LONGEST:
            raise ValueError(f"{self.id}: an id has at most {LONGEST} letters, got {len(self.id)}")
        if (self.check is None) == (self.measure is None) or (self.measure is None) != (self.judge is None):
            raise ValueError(f"{self.id}: give either check, or measure and judge")
        if self.finding is not None and self.expected is not Verdict.REFUTED:
            raise ValueError(
                f"{self.id}: finding says what is wrong with a statement that falls, and "
                f"{self.expected} is expected; what a statement keeps goes into summary"
            )
        object.__setattr__(self, "rests_on", tuple(self.rests_on))
        noted = self.uses if isinstance(self.uses, Mapping) else dict.fromkeys(self.uses, "")
        object.__setattr__(self, "uses", {self.paper.id_of(name): note for name, note in noted.items()})
        if self.role not in ("", *ROLES):
            raise ValueError(f"{self.id}: role must be 'program' or left out, got {self.role!r}")
        if self.role != "program":
            object.__setattr__(self, "role", _role(self))
        tiers = (("smoke", self.smoke), ("ci", self.ci), ("full", self.full or self.ci))
        for tier, work in tiers:
            try:
                object.__setattr__(self, tier, work if isinstance(work, Tier) else Tier(work))
            except ValueError as error:
                raise ValueError(f"{self.id}: {tier}: {error}") from None

    @property
    def id(self) -> str:
        """ "<paper>/<name>", with ":<reading>" where it is not the printed one."""
        return f"{self.paper.key}/{self.name}" + (f":{self.variant}" if self.variant else "")

    @property
    def noted(self) -> Mapping[str, str]:
        """`uses` as ids, each with its note or ""."""
        assert isinstance(self.uses, Mapping)
        return self.uses

    def tier(self, name: str) -> Tier:
        """The work of the tier of this name."""
        work = {"smoke": self.smoke, "ci": self.ci, "full": self.full}[name]
        assert isinstance(work, Tier)
        return work

    def reading(self, variant: str, **changes: Any) -> Claim:
        """Another reading of the same result: what is not given is inherited.

        finding, summary, rests_on and uses speak of one reading only and are not inherited.

        A reading that is given `check` drops measure and judge, and the other way round; one that is given
        `ci` drops full.
        """
        alone = {"finding": None, "summary": "", "rests_on": (), "uses": ()}
        if "check" in changes:
            changes = {"measure": None, "judge": None} | changes
        elif "measure" in changes:
            changes = {"check": None} | changes
        if "ci" in changes:
            changes = {"full": None} | changes
        return replace(self, **{"variant": variant, **alone, **changes})


def _role(claim: Claim) -> str:
    """What a claim is to its paper, by its name and its reading; see `Claim.role`."""
    if claim.paper.key == "controls":
        return "control"
    if claim.variant:
        return "corrected" if claim.variant == "corrected" else "reading"
    return "proof" if claim.name.endswith("-proof") else "printed"
