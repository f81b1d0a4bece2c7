"""One run of a program: its draws, what was done with them, and what a replay puts in their place."""

from __future__ import annotations

import os
import sys
import threading
from dataclasses import dataclass
from typing import Any, Callable, Dict, FrozenSet, List, Optional, Sequence, Set, Tuple

import numpy as np

HOME = os.path.dirname(os.path.abspath(__file__))
_AUDITS = os.path.dirname(os.path.dirname(HOME))
OWN = os.path.join(_AUDITS if os.path.basename(_AUDITS) == "audits" else HOME, "")
"""The folder of dpclaims itself, whose lines call a program and compute nothing of it."""
NOISE_CODE = tuple(
    os.sep + part
    for part in (
        os.path.join("numpy", ""),
        os.path.join("scipy", ""),
        os.path.join("torch", ""),
        os.path.join("pandas", ""),
        "random.py",
        "copy.py",
        "secrets.py",
        "functools.py",
        "contextlib.py",
    )
)
"""Files that draw or compute for somebody else: a draw is said to be at the first line outside of them."""
MOST_DERIVED = 5000
"""Functions of noise that are followed in one run; what comes later is a plain number."""
INSERTED = 1 << 23
"""Draws that a replay makes and the run on D did not are called by numbers from here on."""
FUNCTIONS = 1 << 24
"""Functions of noise are called by numbers from here on, draws by their places."""
BITS = 32
"""An element of a draw is called (place of the draw) · 2³² + (place in the draw)."""

own_rng = np.random.default_rng
"""The generator of this package, which nobody watches."""
PLACES = ("choice", "integers", "permutation", "randint", "randrange", "sample", "randbelow")
"""Laws of places among records."""

Where = Tuple[str, int, str]


class Tape:
    """What a run on D drew and released; a replay on D′ reads it.

    draws     rows of `Session.draws`, in order.
    functions rows of functions of noise, by their names.
    uses      sums that noise was part of, by element and how often the element had been used before.
    outcomes  results of comparisons, by keys of the same form.
    """

    def __init__(self, session: "Session") -> None:
        self.draws = session.draws
        self.functions = dict(session.functions)
        self.names = dict(session.names)
        self.uses = {use["key"]: use for use in session.uses}
        self.outcomes = {event["key"]: (event["outcome"], event.get("size")) for event in session.compared}


@dataclass(frozen=True)
class Changes:
    """What a replay does otherwise than the run on D.

    release   "first": noise is public, with its value on the tape, as soon as anything but numbers of the
              program's text is added; "moved": as soon as the argument is another one; "last": every sum is
              given its value on the tape, and is followed further; "none": sums are computed.
    shifts    what draws are moved by.
    flips     other outcomes than those of the tape: of comparisons by their keys, of draws by their places.
    records   (n, n′, place): a draw with an entry for each of n records is given one for each of n′, the
              record at `place` being the one that only the longer dataset has.
    forced    place of a record whose coins all show "takes part"; None: coins are fair.
    redraw    draws that a replay makes anew.
    gap       (first, how many) of draws on the tape that a replay leaves out.
    opened    draws that the output shows: what they are compared with is post-processing.
    """

    release: str = "first"
    shifts: Optional[Dict[int, Any]] = None
    flips: Optional[Dict[Any, Any]] = None
    records: Optional[Tuple[int, int, int]] = None
    forced: Optional[int] = None
    redraw: FrozenSet[int] = frozenset()
    gap: Tuple[int, int] = (-1, 0)
    opened: FrozenSet[int] = frozenset()


class Session:
    """Randomness of one run, and what becomes of it.

    rng       draws where there is no tape.
    tape      of the run on D, for a replay; None for the first run.
    changes   what a replay does otherwise.

    `tracer`, set after that, watches the program line by line: it has `trace`, a trace function of Python,
    and is told the session. `script` decides how coins fall, see `paths.Script`. `others` are the threads
    that are not the program's, see `threads.others`: what they draw is no matter.
    """

    def __init__(self, rng: Any, tape: Optional[Tape] = None, changes: Optional[Changes] = None) -> None:
        self.tracer: Any = None
        self.script: Any = None
        what = changes or Changes()
        self.redraw, self.gap, self.opened = what.redraw, what.gap, what.opened
        self.rng, self.forced = rng, what.forced
        self.tape: Any = tape
        self.records: Any = what.records
        self.release, self.shifts, self.flips = what.release, what.shifts or {}, what.flips or {}
        self.seeds: List[Tuple[Where, str]] = []
        self.origin: Optional[Tuple[Where, str]] = None
        self.seed_: Optional[Tuple[Where, str]] = None
        self.torch_seed: Optional[Tuple[Where, str]] = None
        self.strangers: List[Tuple[Where, str]] = []
        self.draws: List[Dict[str, Any]] = []
        self.rows: Dict[int, Dict[str, Any]] = {}
        self.functions: Dict[int, Dict[str, Any]] = {}
        self.names: Dict[Any, int] = {}
        self.opaque: List[Tuple[Where, str]] = []
        self.sums = 0
        self.last = 0
        self.read = 0
        self.uses: List[Dict[str, Any]] = []
        self.compared: List[Dict[str, Any]] = []
        self.used: Dict[Any, int] = {}
        self.inside = 0
        self.others: FrozenSet[int] = frozenset()
        self.derived = 0
        self.diverged: Optional[int] = None

    def __deepcopy__(self, memo: Any) -> "Session":
        return self

    @property
    def depth(self) -> int:
        """In how many draws a call is; what it draws is no draw of the program unless this is 0."""
        return 1 if threading.get_ident() in self.others else self.inside

    def draw(
        self,
        law: str,
        params: Dict[str, Any],
        value: Any,
        kind: str = "noise",
        argument: Any = None,
        **more: Any,
    ) -> Any:
        """The value of the next draw: `value`, freshly drawn, in a first run, and that of the tape in a
        replay.

        law       name of the law; params: what it depends on; argument: the number that it is centred at.
        kind      "noise", "coin" (not followed further), "mechanism" (its result is released).
        """
        row = dict(
            more,
            index=len(self.draws),
            law=law,
            params=params,
            kind=kind,
            argument=argument,
            shape=tuple(np.shape(value)),
            where=here(),
            adapted=False,
            origin=self.origin,
        )
        if self.script is not None:
            value = self.script.draw(row, value)
        elif self.tape is not None:
            value = self._replayed(row, value)
        elif self.forced is not None:
            value = self._participating(row, value)
        row["value"] = own(value)
        self.last = row["index"]
        self.draws.append(row)
        self.rows[row["index"]] = row
        return value

    def seeded(self, seed: Any) -> Optional[Tuple[Where, str]]:
        """Notes what the program starts a generator with; None stands for the system's randomness. Returns
        the line and the seed, which the generator keeps."""
        if seed is None or self.depth:
            return None
        self.seeds.append((here(), repr(seed)[:200]))
        return self.seeds[-1]

    def stranger(self, name: str) -> None:
        """Notes a draw of a law that is not followed."""
        self.strangers.append((here(), name))

    def function(self, value: Any, recipe: Dict[str, Any], parents: Sequence[Any]) -> int:
        """The name of a function of noise; the same one in a replay as on D."""
        first = next(ids for ids in parents if ids is not None)
        name = ("function",) + self.key(first, "function")
        known = None if self.tape is None else self.tape.names.get(name)
        index = (
            known
            if known is not None
            else FUNCTIONS + len(self.names) + (0 if self.tape is None else FUNCTIONS)
        )
        self.names[name] = index
        self.functions[index] = {
            "index": index,
            "law": "derived",
            "params": {},
            "kind": "derived",
            "argument": None,
            "shape": tuple(np.shape(value)),
            "where": here(),
            "adapted": False,
            "recipe": recipe,
            "at": len(self.draws),
        }
        return index

    def _replayed(self, row: Dict[str, Any], fresh: Any) -> Any:
        if self.diverged is not None:
            return fresh
        if self.read == self.gap[0]:
            self.read += self.gap[1]
        if self.flips and not self._aligned(row):
            row["index"] = INSERTED + len(self.draws)
            return fresh
        index = self.read
        known = self.tape.draws[index] if index < len(self.tape.draws) else None
        self.read += 1
        row["index"] = index
        if known is None or known["law"] != row["law"] or known["kind"] != row["kind"]:
            self.diverged = index
            return fresh
        if index in self.redraw:
            return fresh
        value = own(self.flips.get(("draw", index), known["value"]))
        if row["kind"] == "coin" and self.records is not None and row["law"] in PLACES:
            places = self._places(known, row, value)
            if places is not None:
                row["adapted"] = True
                return places
        if known["shape"] != row["shape"]:
            adapted = self._by_record(value, row["shape"])
            if adapted is None:
                if row["kind"] == "mechanism":
                    return value
                self.diverged = index
                return fresh
            row["adapted"] = True
            return adapted
        if row["kind"] == "noise":
            if row["argument"] is not None and known["argument"] is not None and self.release == "none":
                value = value - known["argument"] + row["argument"]
            if index in self.shifts:
                value = value + self.shifts[index]
        return value

    def _places(self, known: Dict[str, Any], row: Dict[str, Any], drawn: Any) -> Any:
        """Places among the records of D as places among those of D′; None where they are no such places."""
        have, want, place = self.records
        sizes = [_range(known), _range(row)]
        if have == want or sizes != [have, want]:
            return None
        value = np.asarray(drawn)
        if have < want:
            value = value + (value >= place)
            if row["law"] == "permutation" and value.ndim == 1:
                value = np.append(value, place)
        elif row["law"] == "permutation" and value.ndim == 1:
            value = value[value != place]
            value = value - (value > place)
        else:
            other = (place + 1) % have
            value = np.where(value == place, other, value)
            value = value - (value > place)
        if value.shape != row["shape"]:
            return None
        return value if isinstance(known["value"], np.ndarray) else type(known["value"])(value)

    def _aligned(self, row: Dict[str, Any]) -> bool:
        """Whether a draw is one of the tape: after another outcome there may be draws more, or fewer, than
        on D."""
        ahead = 3 if self.flips.get(("align", 0)) == "skip" else 1
        for place in range(self.read, min(self.read + ahead, len(self.tape.draws))):
            other = self.tape.draws[place]
            if other["where"][:2] == row["where"][:2] and other["law"] == row["law"]:
                self.read = place
                return True
        return False

    def _by_record(self, value: Any, shape: Tuple[int, ...]) -> Any:
        """A draw with an entry for each record of D, for the records of D′; None where it is no such draw."""
        if self.records is None or not isinstance(value, np.ndarray) or not value.shape or not shape:
            return None
        have, want, place = self.records
        if value.shape[0] != have or shape[0] != want or value.shape[1:] != shape[1:]:
            return None
        if have > want:
            return np.delete(value, place, axis=0)
        return np.insert(value, place, value[:1], axis=0) if have else None

    def _participating(self, row: Dict[str, Any], value: Any) -> Any:
        """A draw for each record, or a subset of them, in which the record takes part at whatever rate."""
        have = self.records[0] if self.records is not None else None
        if have is None or self.forced is None or not isinstance(value, np.ndarray) or self.forced >= have:
            return value
        law, params = row["law"], row["params"]
        value = value.copy()
        if law == "choice" and params.get("a") == have and params.get("replace") is False:
            if value.ndim == 1 and value.size and self.forced not in value:
                value[0] = self.forced
        elif law == "uniform" and value.shape[:1] == (have,) and params.get("low", 0.0) == 0.0:
            value[self.forced] = 0.0
        elif law == "binomial" and value.shape[:1] == (have,) and np.ndim(params["n"]) == 0:
            value[self.forced] = params["n"]
        return value

    def key(self, ids: np.ndarray, what: str) -> Tuple[int, int]:
        """(first element, how often it was used before in this way) of an event."""
        first = int(ids.flat[0]) if ids.size else -1
        count = self.used.get((what, first), 0)
        self.used[what, first] = count + 1
        return first, count

    def use(self, ids: Any, factor: Any, argument: Any, value: Any, soft: bool) -> Tuple[Any, bool]:
        """(value, whether it is public from now on) of a sum factor · noise + argument.

        soft   nothing was added but numbers of the program's text.
        """
        key = self.key(ids, "use")
        public = False
        known = None if self.tape is None else self.tape.uses.get(key)
        if known is not None and self.diverged is None and np.shape(known["value"]) == np.shape(value):
            if self.release == "last":
                value = _released(known["value"], value, ids, factor)
            elif self.release in ("first", "moved"):
                public = self.release == "first" and not soft
                public = public or not same(known["argument"], argument) or not same(known["factor"], factor)
                value = _released(known["value"], value, ids, factor) if public else value
        self.uses.append(
            {
                "key": key,
                "ids": ids,
                "factor": factor,
                "argument": argument,
                "value": own(value),
                "soft": soft,
                "where": here(),
            }
        )
        return value, public

    def outcome(self, ids: Any, outcome: Any, **more: Any) -> Any:
        """The result of a comparison with noise; in a replay it is that of the tape."""
        key = self.key(ids, "compare")
        if self.script is not None:
            outcome = self.script.outcome(self, outcome, more)
        if ("outcome", key) in self.flips:
            flipped = self.flips["outcome", key]
            alike = np.shape(flipped) == np.shape(outcome)
            adapted = flipped if alike else self._by_record(flipped, np.shape(outcome))
            outcome = outcome if adapted is None else adapted
        elif self.opened and drawn_by(ids, more) <= self.opened:
            more["opened"] = True
        elif self.tape is not None and self.diverged is None and not self._redrawn(ids, more):
            frozen, size = self.tape.outcomes.get(key, (None, None))
            if size != more.get("size"):
                frozen = None  # a place among others than on D
            if frozen is not None and np.shape(frozen) == np.shape(outcome):
                outcome = frozen
            elif frozen is not None:
                adapted = self._by_record(frozen, np.shape(outcome))
                outcome = outcome if adapted is None else adapted
            outcome = own(outcome)
        self.compared.append(
            dict(more, key=key, ids=ids, outcome=own(outcome), where=here(), at=len(self.draws))
        )
        return outcome

    def _redrawn(self, ids: Any, event: Dict[str, Any]) -> bool:
        """Whether a comparison is of a draw that is made anew."""
        if not self.redraw:
            return False
        return bool(drawn_by(ids, event) & self.redraw)


def drawn_by(ids: Any, event: Dict[str, Any]) -> Set[int]:
    """The draws, and functions of noise, that are compared."""
    parts = [ids] + [part["ids"] for part in (event.get("first"), event.get("second")) if part is not None]
    return {int(e) >> BITS for part in parts if part is not None for e in np.ravel(part) if e >= 0}


def _released(known: Any, value: Any, ids: Any, factor: Any) -> Any:
    """The value on the tape where there is noise in it, and elsewhere the number that was computed."""
    noisy = (np.asarray(ids) >= 0) & (np.asarray(factor) != 0.0)
    if np.all(noisy):
        return own(known)
    return np.where(noisy, known, value) if np.ndim(value) else (known if np.all(noisy) else value)


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


def here() -> Where:
    """File, line and function of the first frame outside of this package and of `NOISE_CODE`."""
    frame: Any = getattr(sys, "_getframe")(1)  # noqa: B009
    last = frame
    while frame is not None:
        name = frame.f_code.co_filename
        inside = name.startswith((OWN, "<")) or any(part in name for part in NOISE_CODE)
        if not inside:
            return name, frame.f_lineno, frame.f_code.co_name
        last, frame = frame, frame.f_back
    return last.f_code.co_filename, last.f_lineno, last.f_code.co_name


def _range(row: Dict[str, Any]) -> Any:
    """How many places a draw is from; None where that is not known."""
    params = row["params"]
    for names in (("a",), ("x",), ("low", "high"), ("0",)):
        if names[0] in params:
            value = params[names[0]]
            if len(names) == 2 and params.get("high") is not None:
                value = params["high"]
            if isinstance(value, (int, np.integer)):
                return int(value)
            return len(value) if hasattr(value, "__len__") else None
    return None


def elements(index: int, shape: Sequence[int]) -> np.ndarray:
    """Names of the elements of a draw."""
    count = int(np.prod(shape, dtype=np.int64)) if len(shape) else 1
    return ((np.int64(index) << BITS) + np.arange(count, dtype=np.int64)).reshape(tuple(shape))


def call_outside(session: Session, call: Callable[[], Any]) -> Any:
    """The result of a call whose own draws are no draws of the program: they are inside of one draw."""
    session.inside += 1
    try:
        return call()
    finally:
        session.inside -= 1
