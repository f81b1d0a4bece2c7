"""One run of a program: its draws, what was done with them, and what a replay puts in their place."""

from __future__ import annotations

import os
import sys
import threading
from dataclasses import dataclass, field, replace
from typing import Any, Callable, Dict, FrozenSet, List, Mapping, Optional, Sequence, Set, Tuple

import numpy as np

from ..records import BITS, Comparison, Draw, Part, Recipe, Seed, Use, Where

HOME = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_AUDITS = os.path.dirname(HOME)
OWN = os.path.join(_AUDITS if os.path.basename(_AUDITS) == "audits" else HOME, "")
"""The folder of dpclaims itself, whose lines call a program and compute nothing of it."""
FOLDERS = ("numpy", "scipy", "torch", "pandas", "jax")
FILES = ("random.py", "copy.py", "secrets.py", "functools.py", "contextlib.py")
NOISE_CODE = (*(os.path.join(os.sep + name, "") for name in FOLDERS), *(os.sep + name for name in FILES))
"""Files that draw or compute for somebody else: a draw is said to be at the first line outside of them."""
MOST_DERIVED = 5000
"""Functions of noise that are followed in one run; what comes later is a plain number."""
INSERTED = 1 << 23
"""Draws that a replay makes and the run on D did not are called by numbers from here on."""
FUNCTIONS = 1 << 24
"""Functions of noise are called by numbers from here on, draws by their places."""

own_rng = np.random.default_rng
"""The generator of this package, which nobody watches."""
ONE_SIDED = ("geometric", "exponential", "gamma", "poisson", "negative_binomial", "chisquare", "binomial")
"""Laws of numbers ≥ 0: noise is made of two of them."""
PLACE_LAWS = ("choice", "integers", "permutation", "randint", "randrange", "sample", "randbelow")
"""Laws of places among records."""


@dataclass(frozen=True)
class Changes:
    """What a replay does otherwise than the run on D.

    release   "first": noise is public, with its value on the tape, as soon as anything but numbers of the
              program's text is added; "last": every sum is given its value on the tape, and is followed
              further; "none": sums are computed.
    shifts    what draws are moved by.
    flips     other outcomes than those of the tape: of comparisons by their keys, of draws by their places.
    records   (n, n′, place): a draw with an entry for each of n records is given one for each of n′, the
              record at `place` being the one that only the longer dataset has.
    forced    place of a record whose coins all show "takes part"; None: coins are fair.
    loops     (line, law) → how often a loop tosses coins, one for each record. Later coins of the line
              fall as they are drawn: a loop that is left by a coin would never end else.
    redraw    draws that a replay makes anew.
    gap       (first, how many) of draws on the tape that a replay leaves out.
    opened    draws that the output shows: what they are compared with is post-processing.
    fixed     draws that are plain numbers, the same on D and on D′: see `initial`.
    """

    release: str = "first"
    shifts: Mapping[int, Any] = field(default_factory=dict)
    flips: Mapping[Any, Any] = field(default_factory=dict)
    records: Optional[Tuple[int, int, int]] = None
    forced: Optional[int] = None
    loops: Mapping[Any, int] = field(default_factory=dict)
    redraw: FrozenSet[int] = frozenset()
    gap: Tuple[int, int] = (-1, 0)
    opened: FrozenSet[int] = frozenset()
    fixed: FrozenSet[int] = frozenset()


class Session:
    """Randomness of one run, and what becomes of it; `draws`, `uses` and `compared` are its records.

    rng       draws where there is no tape.
    tape      the session on D, for a replay; None for the first run.
    changes   what a replay does otherwise.

    `tracer`, set after that, watches the program line by line: it has `trace`, a trace function of Python.
    `script` decides how coins fall, see `paths.Script`. `others` are the threads
    that are not the program's, see `threads.others`: what they draw is no matter.
    """

    def __init__(self, rng: Any, tape: Any = None, changes: Optional[Changes] = None) -> None:
        self.rng, self.tape, self.changes = rng, tape, changes or Changes()
        self.tracer: Any = None
        self.script: Any = None
        self.others: FrozenSet[int] = frozenset()
        self.seeds: List[Seed] = []
        self.origin: Optional[Seed] = None
        self.seed_: Optional[Seed] = None
        self.torch_seed: Optional[Seed] = None
        self.strangers: List[Tuple[Where, str]] = []
        self.opaque: List[Tuple[Where, str]] = []
        self.draws: List[Draw] = []
        self.rows: Dict[int, Draw] = {}
        self.functions: Dict[int, Draw] = {}
        self.names: Dict[Any, int] = {}
        self.uses: List[Use] = []
        self.about: Dict[Any, Use] = {}
        self.compared: List[Comparison] = []
        self.used: Dict[Any, int] = {}
        self.alone: Set[int] = set()
        self.opening: Dict[int, Tuple[Any, Any]] = {}
        self.loop: Optional[Where] = None
        self.sums = self.last = self.read = self.inside = self.derived = 0
        self.diverged: Optional[int] = None
        self.known_uses: Mapping[Any, Use] = {} if tape is None else tape.sums_by_key()
        self.outcomes = {} if tape is None else {event.key: event for event in tape.compared}

    def __deepcopy__(self, memo: Any) -> Session:
        return self

    @property
    def depth(self) -> int:
        """In how many draws a call is; what it draws is no draw of the program unless this is 0."""
        return 1 if threading.get_ident() in self.others else self.inside

    def row(self, index: int) -> Optional[Draw]:
        """A draw, or a function of noise, by its name."""
        return self.functions.get(index) or self.rows.get(index)

    # --- Draws ---

    def draw(
        self,
        law: str,
        params: Mapping[str, Any],
        value: Any,
        kind: str = "noise",
        argument: Any = None,
        **more: Any,
    ) -> Any:
        """The value of the next draw: `value`, freshly drawn, in a first run, and that of the tape in a
        replay. The other arguments are those of `Draw`."""
        place, shape = len(self.draws), tuple(np.shape(value))
        more.update(params=params, shape=shape, argument=argument, origin=self.origin, at=place)
        row = Draw(place, law, kind, here(), **more)
        if self.script is not None:
            value = self.script.draw(row, value)
        elif self.tape is not None:
            row, value = self._replayed(row, value)
        elif self.changes.forced is not None:
            value = self._participating(row, value)
        row = replace(row, value=own(value))
        self.last = row.index
        self.draws.append(row)
        self.rows[row.index] = row
        return value

    def seeded(self, seed: Any) -> Optional[Seed]:
        """Notes what the program starts a generator with; None stands for the system's randomness. Returns
        the line and the seed, which the generator keeps."""
        if seed is None or self.depth:
            return None
        self.seeds.append((here(), repr(seed)[:200]))
        return self.seeds[-1]

    def stranger(self, name: str) -> None:
        """Notes a draw of a law that is not followed."""
        self.strangers.append((here(), name))

    def function(self, value: Any, recipe: Recipe) -> int:
        """The name of a function of noise; the same one in a replay as on D."""
        first = next(part.ids for part in recipe.parts if part.ids is not None)
        name = ("function", *self.key(first, "function"))
        known = None if self.tape is None else self.tape.names.get(name)
        new = FUNCTIONS + len(self.names) + (0 if self.tape is None else FUNCTIONS)
        index = new if known is None else known
        self.names[name] = index
        shape, at = tuple(np.shape(value)), len(self.draws)
        self.functions[index] = Draw(index, "derived", "derived", here(), shape, recipe=recipe, at=at)
        return index

    def _replayed(self, row: Draw, fresh: Any) -> Tuple[Draw, Any]:
        """The draw by its name on D, and its value."""
        changes, drawn = self.changes, self.tape.draws
        if self.diverged is not None:
            return row, fresh
        if self.read == changes.gap[0]:
            self.read += changes.gap[1]
        if changes.flips and not self._aligned(row):
            return replace(row, index=INSERTED + len(self.draws)), fresh
        index = self.read
        known: Optional[Draw] = drawn[index] if index < len(drawn) else None
        self.read += 1
        row = replace(row, index=index)
        if known is None or (known.law, known.kind) != (row.law, row.kind):
            self.diverged = index
            return row, fresh
        if index in changes.redraw:
            return row, fresh
        value = own(changes.flips.get(("draw", index), known.value))
        if row.kind == "coin" and changes.records is not None and row.law in PLACE_LAWS:
            places = self._places(known, row, value)
            if places is not None:
                return replace(row, adapted=True), places
        if known.shape != row.shape:
            adapted = self._by_record(value, fresh)
            if adapted is not None:
                return replace(row, adapted=True), adapted
            if row.kind != "mechanism":
                self.diverged, value = index, fresh
            return row, value
        if row.kind == "noise":
            centres = [0.0 if draw.argument is None else draw.argument for draw in (known, row)]
            if changes.release == "none" and np.any(centres[0] != centres[1]):
                value = value - centres[0] + centres[1]
            if index in changes.shifts:
                value = value + changes.shifts[index]
        return row, value

    def _places(self, known: Draw, row: Draw, drawn: Any) -> Any:
        """Places among the records of D as places among those of D′; None where they are no such places."""
        have, want, place = self.changes.records or (0, 0, 0)
        if have == want or [_range(known), _range(row)] != [have, want]:
            return None
        value, order = np.asarray(drawn), row.law == "permutation" and np.ndim(drawn) == 1
        if have < want:
            value = value + (value >= place)
            value = np.append(value, place) if order else value
        else:
            value = value[value != place] if order else np.where(value == place, (place + 1) % have, value)
            value = value - (value > place)
        if value.shape != row.shape:
            return None
        return value if isinstance(known.value, np.ndarray) else type(known.value)(value)

    def _aligned(self, row: Draw) -> bool:
        """Whether a draw is one of the tape: after another outcome there may be draws more, or fewer, than
        on D."""
        known = self.tape.draws[self.read : self.read + 1]
        return any((other.where[:2], other.law) == (row.where[:2], row.law) for other in known)

    def _by_record(self, value: Any, fresh: Any) -> Any:
        """A draw with an entry for each record of D, for the records of D′, freshly drawn where D has none;
        None where it is no such draw."""
        shape = np.shape(fresh)
        if self.changes.records is None or not isinstance(value, np.ndarray) or not value.shape or not shape:
            return None
        have, want, place = self.changes.records
        if value.shape[0] != have or shape[0] != want or value.shape[1:] != shape[1:]:
            return None
        if have > want:
            return np.delete(value, place, axis=0)
        return np.insert(value, place, value[:1], axis=0) if have else fresh

    def _participating(self, row: Draw, value: Any) -> Any:
        """A draw for each record, or a subset of them, in which the record takes part at whatever rate."""
        have, forced = self.changes.records[0] if self.changes.records else None, self.changes.forced
        if have is None or forced is None or forced >= have:
            return value
        law, params, line = row.law, row.params, (row.where[:2], row.law)
        if line in self.changes.loops and not row.shape:
            self.used[line] = self.used.get(line, 0) + 1
            # With it one more, so that the subset is not empty without the record.
            taken = (self.used[line] - 1 - forced) % have < 2 and self.used[line] <= self.changes.loops[line]
            return type(value)(0.0) if taken else value
        if not isinstance(value, np.ndarray):
            return value
        value = value.copy()
        each = value.shape[:1] == (have,)
        if law == "choice" and params.get("a") == have and params.get("replace") is False:
            if value.ndim == 1 and value.size and forced not in value:
                value[0] = forced
        elif law == "uniform" and each and params.get("low", 0.0) == 0.0:
            value[forced] = 0.0
        elif law == "binomial" and each and np.ndim(params["n"]) == 0:
            value[forced] = params["n"]
        return value

    # --- What is done with noise ---

    def key(self, ids: np.ndarray, what: Any) -> Tuple[Any, ...]:
        """(first element, what is done with it, how often that was done before) of an event."""
        first = int(ids.flat[0]) if ids.size else -1
        count = self.used.get((what, first), 0)
        self.used[what, first] = count + 1
        return first, what, count

    def drawn_about(self, ids: Any, argument: Any, value: Any, soft: bool) -> Tuple[Any, bool]:
        """`use` of noise that was drawn about a number. Where that is 0 it is no sum, unless the tape has
        another one there; it is kept for replays that have."""
        where, operation = site()
        key = (int(ids.flat[0]) if ids.size else -1, operation, 0)
        known = self.known_uses.get(key)
        if np.any(argument) or (known is not None and np.any(known.argument)):
            return self.use(ids, np.ones(np.shape(ids)), argument, value, soft)
        ones = np.ones(np.shape(ids))
        self.about[key] = Use(key, ids, ones, argument, own(value), True, where, len(self.draws))
        return value, False

    def sums_by_key(self) -> Dict[Any, Use]:
        """All sums with noise, those with it that was drawn about 0 as well."""
        return {**self.about, **{use.key: use for use in self.uses}}

    def use(
        self, ids: Any, factor: Any, argument: Any, value: Any, soft: bool, before: Any = None
    ) -> Tuple[Any, bool]:
        """(value, whether it is public from now on) of a sum factor · noise + argument.

        soft     nothing was added but numbers of the program's text.
        before   the argument that the noise had before; None for none. Where the operation that was the first
                 to add to some noise adds to what it made, the line is noted as a loop.
        """
        where, operation = site()
        key, public, release = self.key(ids, operation), False, self.changes.release
        first, made = self.opening.get(key[0], (None, None))
        if first == operation and before is not None and same(before, made) and not same(before, argument):
            self.loop = self.loop or where
        if not soft and key[0] >= 0 and first in (None, operation):
            self.opening[key[0]] = operation, argument
        known = self.known_uses.get(key)
        if known is not None and self.diverged is None and np.shape(known.value) == np.shape(value):
            if release == "last":
                value = _released(known.value, value, ids, factor)
            elif release == "first":
                public = not (soft and same(known.argument, argument) and same(known.factor, factor))
                value = _released(known.value, value, ids, factor) if public else value
        fresh = before is None
        self.uses.append(Use(key, ids, factor, argument, own(value), soft, where, len(self.draws), fresh))
        return value, public

    def used_alone(self, ids: Any, factor: Any, argument: Any, value: Any) -> None:
        """Notes what noise is added to that is noisy itself: a replay in which that sum is public adds the
        noise, by its own name, to a number."""
        where, operation = site()
        key = self.key(ids, operation)
        self.alone |= places_of(ids)
        if self.tape is None:
            self.uses.append(Use(key, ids, factor, argument, own(value), False, where, len(self.draws)))

    def outcome(self, event: Comparison) -> Any:
        """The outcome of a comparison with noise; in a replay it is that of the tape."""
        key, outcome, changes = self.key(event.ids, "compare"), event.outcome, self.changes
        opened = False
        if self.script is not None:
            outcome = self.script.outcome(self, event)
        if ("outcome", key) in changes.flips:
            outcome = self._fitted(changes.flips["outcome", key], outcome)
        elif changes.opened and drawn_by(event) <= changes.opened:
            opened = True
        elif self.tape is not None and self.diverged is None and not drawn_by(event) & changes.redraw:
            known = self.outcomes.get(key)
            # A place among others than on D says nothing.
            if known is not None and known.size == event.size:
                outcome = self._fitted(known.outcome, outcome)
            outcome = own(outcome)
        kept = replace(event, key=key, outcome=own(outcome), where=here(), at=len(self.draws), opened=opened)
        self.compared.append(kept)
        return outcome

    def _fitted(self, frozen: Any, outcome: Any) -> Any:
        """A known outcome for the records of D′, else the one that was computed."""
        if np.shape(frozen) == np.shape(outcome):
            return frozen
        adapted = self._by_record(frozen, outcome)
        return outcome if adapted is None else adapted


def drawn_by(event: Comparison) -> Set[int]:
    """The draws, and functions of noise, that are compared."""
    parts = [event.ids, *(part.ids for part in event.parts)]
    return set().union(*(places_of(ids) for ids in parts))


def places_of(ids: Any) -> Set[int]:
    """The draws that elements are of."""
    return set() if ids is None else {int(e) >> BITS for e in np.ravel(ids) if e >= 0}


def event(what: str, ids: Any, outcome: Any, first: Part, **more: Any) -> Comparison:
    """A comparison that is going on: the session gives it its key, line and outcome."""
    return Comparison(what, more.pop("name", what), None, ids, outcome, ("", 0, ""), 0, first, **more)


def _released(known: Any, value: Any, ids: Any, factor: Any) -> Any:
    """The value on the tape where there is noise in it, and elsewhere the number that was computed."""
    noisy = (np.asarray(ids) >= 0) & (np.asarray(factor) != 0.0)
    if np.all(noisy):
        return own(known)
    return np.where(noisy, known, value) if np.ndim(value) else value


class Current:
    """Stands for the session of the run that is going on: sources are put in place once for many runs.

    others   threads that are not the program's.
    """

    def __init__(self, others: FrozenSet[int] = frozenset()) -> None:
        self.__dict__["actual"] = None
        self.__dict__["others"] = others

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["actual"], name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "actual":
            self.__dict__["actual"] = value
        else:
            setattr(self.__dict__["actual"], name, value)


def own(value: Any) -> Any:
    """A copy of an array: the program may write into its own."""
    return value.copy() if isinstance(value, np.ndarray) else value


def same(one: Any, other: Any) -> bool:
    """Whether arguments of two sums are the same but for roundings."""
    a, b = np.asarray(one, dtype=float), np.asarray(other, dtype=float)
    if a.shape != b.shape:
        return False
    with np.errstate(all="ignore"):
        close = np.abs(a - b) <= 1e-12 * np.maximum(np.abs(a), np.abs(b))
    return bool(np.all(close | (a == b) | (np.isnan(a) & np.isnan(b))))


def is_ours(file: str) -> bool:
    """Whether a file is of this package, or computes for somebody else."""
    return file.startswith((OWN, "<")) or any(part in file for part in NOISE_CODE)


def here() -> Where:
    """File, line and function of the first frame outside of this package and of `NOISE_CODE`."""
    return site()[0]


def site() -> Tuple[Where, Tuple[str, int, int]]:
    """`here`, and the very operation of that line: its file, its function and the place in the code."""
    frame: Any = getattr(sys, "_getframe")(1)  # noqa: B009
    while is_ours(frame.f_code.co_filename) and frame.f_back is not None:
        frame = frame.f_back
    code = frame.f_code
    where = code.co_filename, frame.f_lineno, code.co_name
    return where, (code.co_filename, code.co_firstlineno, frame.f_lasti)


def _range(row: Draw) -> Optional[int]:
    """How many places a draw is from; None where that is not known."""
    params = row.params
    for name in ("a", "x", "low"):
        if name in params:
            value = params["high"] if name == "low" and params.get("high") is not None else params[name]
            if isinstance(value, (int, np.integer)):
                return int(value)
            return len(value) if hasattr(value, "__len__") else None
    return None


def elements(index: int, shape: Sequence[int]) -> np.ndarray:
    """Names of the elements of a draw."""
    count = int(np.prod(shape, dtype=np.int64)) if len(shape) else 1
    return ((np.int64(index) << BITS) + np.arange(count, dtype=np.int64)).reshape(tuple(shape))


def call_outside(session: Any, call: Callable[[], Any]) -> Any:
    """The result of a call whose own draws are no draws of the program: they are inside of one draw."""
    session.inside += 1
    try:
        return call()
    finally:
        session.inside -= 1
