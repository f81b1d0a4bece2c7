"""Everything that passes between the parts of the grey box, by name.

A run notes draws, sums with noise and comparisons; what is said of a pair of datasets is a report of rows for
the ledger, findings, and what is lost. Written for Python 3.8: all but the ledger runs where a program's
libraries are, and records of another process arrive by `written` and `read`.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, Callable, Dict, Mapping, Optional, Tuple

Where = Tuple[str, int, str]
"""File, line, function."""
NOWHERE: Where = ("", 0, "")
Seed = Tuple[Where, str]
"""The line that starts a generator, and with what."""
BITS = 32
"""An element of a draw is called (place of the draw) · 2³² + (place in the draw)."""


# --- A run ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Part:
    """factor · noise + argument: an operand of a sum, a comparison or a function, entry by entry.

    ids   elements of draws, None for plain numbers; argument: None where nothing was added to the noise.
    """

    ids: Any
    factor: Any
    argument: Any


@dataclass(frozen=True)
class Recipe:
    """How a function of noise is made: a function of NumPy by its name, or `call`, of its parts."""

    function: str
    parts: Tuple[Part, ...]
    method: str = "__call__"
    options: Mapping[str, Any] = field(default_factory=dict)
    call: Optional[Callable[..., Any]] = None


@dataclass(frozen=True)
class Draw:
    """A draw, or a function of noise.

    index     its name: the place among the draws of D, or from `session.FUNCTIONS` on for a function.
    law       its name; params: what it depends on; argument: what it is centred at, or a mechanism is given.
    kind      "noise", "coin" (not followed further), "mechanism" (its result is released), "derived".
    adapted   a replay has fitted the draw of D to the records of D′.
    origin    the seed of its generator, where the program set one.
    again     (rng, count, shape) → other draws of this law; None where that is not known.
    map       of a measurement of OpenDP, with its input metric and output measure.
    at        how many draws there were before.
    """

    index: int
    law: str
    kind: str
    where: Where
    shape: Tuple[int, ...] = ()
    params: Mapping[str, Any] = field(default_factory=dict)
    argument: Any = None
    value: Any = None
    adapted: bool = False
    origin: Optional[Seed] = None
    again: Optional[Callable[..., Any]] = None
    map: Optional[Callable[..., Any]] = None
    metric: str = ""
    measure: str = ""
    recipe: Optional[Recipe] = None
    at: int = 0


@dataclass(frozen=True)
class Use:
    """A sum factor · noise + argument; key: its first element, the operation that made it, and how often
    that had made one of it before.

    soft   nothing was added but numbers of the program's text.
    at     how many draws there were before.
    fresh  nothing was added to the noise before.
    """

    key: Any
    ids: Any
    factor: Any
    argument: Any
    value: Any
    soft: bool
    where: Where
    at: int = 0
    fresh: bool = False


@dataclass(frozen=True)
class Comparison:
    """What a program learns of noise: the outcome of a comparison, or a place.

    what     "compare", "argmax", "argmin" or "search"; name: of the comparison.
    second   None where a place was found; size: among how many.
    opened   all that is compared is made of what is released.
    """

    what: str
    name: str
    key: Any
    ids: Any
    outcome: Any
    where: Where
    at: int
    first: Part
    second: Optional[Part] = None
    size: Optional[int] = None
    opened: bool = False

    @property
    def parts(self) -> Tuple[Part, ...]:
        """Both operands, or the one."""
        return (self.first,) if self.second is None else (self.first, self.second)


# --- What is asked and answered ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Asked:
    """One traced pair: a run on `first`, its replay on `second`.

    seed         of the run: (the trace's, pair, run); turned: D and D′ are exchanged.
    participate  the record that differs takes part in every random subset.
    task         "" for a report; "paths": the exact law of a program of coins, else what "own coins" asks
                 for: its law given the coins of all records but the one that differs;
                 "moves": whether the output follows the noise of `draws`.
    """

    first: Any
    second: Any
    seed: Tuple[int, ...]
    turned: bool = False
    participate: bool = False
    task: str = ""
    draws: Tuple[int, ...] = ()


@dataclass(frozen=True)
class About:
    """What differs between D and D′: what it is, the key under which a run has it, and its two values."""

    what: str
    key: Any
    one: Any
    other: Any


@dataclass(frozen=True)
class Finding:
    """Something that depends on the data without noise.

    kind      "seed", "output", "shared", "scale", "parameter", "path", "nan", "exception", "threshold".
    draw      of noise of two scales: its index; factors: what it is multiplied by on D and on D′.
    pair      place of the pair that shows it; seed: that of the run.
    cause     the line after which a variable first has the two values.
    """

    kind: str
    where: Where
    text: str
    about: Optional[About] = None
    draw: int = -1
    factors: Tuple[float, float] = (1.0, 1.0)
    pair: int = 0
    seed: int = 0
    cause: Optional[Step] = None

    @property
    def file(self) -> str:
        """The path of its file."""
        return self.where[0]

    @property
    def line(self) -> int:
        """The number of its line."""
        return self.where[1]

    @property
    def place(self) -> str:
        """file:line, the file from the current folder where it is below it."""
        return "%s:%d" % (short(self.file), self.line) if self.line else "the output"


@dataclass(frozen=True)
class Lost:
    """Where the trace cannot say what a value depends on; pair: place of the pair that shows it."""

    where: Where
    text: str
    pair: int = 0

    @property
    def file(self) -> str:
        """The path of its file."""
        return self.where[0]

    @property
    def line(self) -> int:
        """The number of its line."""
        return self.where[1]


@dataclass(frozen=True)
class Mapped:
    """What the map of a measurement says of the distance of its arguments; None: nothing."""

    distance: Any
    cost: Any
    measure: str


@dataclass(frozen=True)
class Term:
    """One of two independent draws that are added: factor · (a draw of a law)."""

    law: str
    params: Mapping[str, Any]
    factor: float


@dataclass(frozen=True)
class Compared:
    """A comparison in a ledger: its operands on D and on D′.

    places, turned   of noise that only D draws: its entries, and whether D had another outcome than D′.
    drawn            rows of the noise that is compared, where they are not rows of the ledger.
    place            the output shows no more of noisy scores than which is the largest, or the smallest.
    """

    name: str
    outcome: Any
    parts: Tuple[Part, ...]
    others: Tuple[Part, ...]
    places: Tuple[int, ...] = ()
    turned: bool = False
    drawn: Tuple[Row, ...] = ()
    place: bool = False


@dataclass(frozen=True)
class Row:
    """A row of a ledger: a draw, a function of noise or a comparison, on D and on D′.

    kind      as of `Draw`, or "comparison", "threshold", "enumerated", "own coins", "filled".
    others    parameters on D′; unlike: names of those that differ.
    shift     what the noise moves by between D and D′.
    parents   draws that a function of noise is made of; terms: of a sum (1) or difference (−1) of two draws;
              samples: of its values.
    unknown   why its cost is not known; bound: why it is no more than an upper bound.
    given     arguments of a mechanism on D and on D′.
    factors   what noise of two scales is multiplied by, on D and on D′.
    chances   the probabilities of all outputs of a program of coins, on D and on D′.
    """

    index: int
    law: str
    kind: str
    where: Where
    shape: Tuple[int, ...] = ()
    params: Mapping[str, Any] = field(default_factory=dict)
    others: Mapping[str, Any] = field(default_factory=dict)
    unlike: Tuple[str, ...] = ()
    shift: Any = None
    at: int = 0
    origin: Optional[Seed] = None
    parents: Tuple[int, ...] = ()
    terms: Tuple[Term, ...] = ()
    samples: Any = None
    unknown: str = ""
    bound: str = ""
    given: Tuple[Any, ...] = ()
    mapped: Optional[Mapped] = None
    factors: Tuple[float, ...] = ()
    compared: Optional[Compared] = None
    chances: Tuple[Tuple[float, ...], ...] = ()


@dataclass(frozen=True)
class Step:
    """The line after which a variable, or with the name "" what a function returns, is a number that differs;
    first, second: its values on D and on D′."""

    role: str
    where: Where
    name: str
    first: str
    second: str

    @property
    def text(self) -> str:
        """The step as a sentence, without a full stop."""
        place = "%s:%d" % (short(self.where[0]), self.where[1])
        what = self.name or "what is returned"
        words = "these numbers are first at %s: %s is %s on D, %s on D′"
        return words % (place, what, self.first, self.second)


@dataclass(frozen=True)
class Batch:
    """From draw `at` on, the record that differs takes part with probability `rate`, until the next batch;
    origin: the seed of the generator that chose, where the program set one."""

    at: int
    rate: float
    origin: Optional[Seed] = None


@dataclass(frozen=True)
class Report:
    """What one traced pair tells; batches: the random subsets of the records.

    seeds    of generators that the program starts itself; raised: the error that ends it on both datasets.
    gap      D draws noise that D′ lacks, and its cost is in the rows; mirror: the other way round.
    coins    all draws may be coins; chances: a row with the exact law of the output, for the task "paths".
    reached  (file, line, factor) of draws that the record reaches through a fresh coin alone; None: untried.
    tried    line and law of entries of noise that became plain numbers and were moved.
    """

    seed: Tuple[int, ...]
    turned: bool = False
    participate: bool = False
    rows: Tuple[Row, ...] = ()
    findings: Tuple[Finding, ...] = ()
    lost: Tuple[Lost, ...] = ()
    batches: Tuple[Batch, ...] = ()
    seeds: Optional[Tuple[Seed, ...]] = None
    raised: str = ""
    gap: bool = False
    mirror: bool = False
    coins: bool = False
    chances: Optional[Row] = None
    reached: Optional[Tuple[Tuple[str, int, float], ...]] = None
    moves: Tuple[bool, ...] = ()
    tried: Tuple[Tuple[Where, str], ...] = ()


def short(path: str) -> str:
    """A file below the current folder from there; one of an installed library from the library on, and one
    of the standard library from the name of that Python on.

    >>> short("/opt/lib/python3.8/copy.py"), short("/opt/lib/python3.8/site-packages/opacus/optimizer.py")
    ('python3.8/copy.py', 'opacus/optimizer.py')
    """
    for mark in ("site-packages" + os.sep, "dist-packages" + os.sep):
        if mark in path:
            return path.split(mark, 1)[1]
    standard = re.search(r"\blib[/\\](python3\.\d+[/\\].*)", path)
    if standard:
        return standard.group(1)
    inside = os.path.relpath(path) if path else ""
    return path if inside.startswith("..") else inside


# --- From one process to another --------------------------------------------------------------------------


def written(value: Any) -> Any:
    """A record as a dictionary with the name of its class, so that another process can read it."""
    if is_dataclass(value):
        # What is observed in runs stays where they are.
        held = {f.name: written(getattr(value, f.name)) for f in fields(value) if f.name != "about"}
        return dict(held, record=type(value).__name__)
    if isinstance(value, (list, tuple)):
        return type(value)(written(item) for item in value)
    return {key: written(item) for key, item in value.items()} if isinstance(value, dict) else value


def read(value: Any) -> Any:
    """The record that `written` wrote."""
    if isinstance(value, (list, tuple)):
        return type(value)(map(read, value))
    if not isinstance(value, dict):
        return value
    held: Dict[str, Any] = {key: read(item) for key, item in value.items() if key != "record"}
    return globals()[value["record"]](**held) if "record" in value else held
