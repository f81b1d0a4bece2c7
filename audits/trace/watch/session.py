"""One run of a program: its draws, what was done with them, and what a replay puts in their place."""

from __future__ import annotations

import os
import sys
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np

HOME = os.path.dirname(os.path.abspath(__file__))
NOISE_CODE = tuple(
    os.sep + part
    for part in (
        os.path.join("numpy", ""),
        os.path.join("scipy", ""),
        os.path.join("torch", ""),
        "random.py",
        "secrets.py",
        "functools.py",
        "contextlib.py",
    )
)
"""Files that draw or compute for somebody else: a draw is said to be at the first line outside of them."""
MOST_DERIVED = 5000
"""Functions of noise that are followed in one run; what comes later is a plain number."""
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
    uses      values that noise was part of, by element and how often the element had been used before.
    outcomes  results of comparisons, by the same keys.
    """

    def __init__(self, session: "Session") -> None:
        self.draws = session.draws
        self.uses = {use["key"]: use["value"] for use in session.uses}
        self.outcomes = {event["key"]: event["outcome"] for event in session.compared}


class Session:
    """Randomness of one run, and what becomes of it.

    rng       draws where there is no tape.
    tape      of the run on D, for a replay; None for the first run.
    shifts    None: sums with noise are given the values of the tape ("frozen"). Otherwise sums are computed,
              and draw k is moved by shifts[k], so that sums agree with those of the tape ("coupled").
    records   (n, n′, place): a draw with an entry for each of n records is given one for each of n′, the
              record at `place` being the one that only the longer dataset has.
    forced    place of a record whose coins all show "takes part"; None: coins are fair.
    tracer    a trace function of Python that is called while the program runs.
    """

    def __init__(
        self,
        rng: Any,
        tape: Optional[Tape] = None,
        shifts: Optional[Dict[int, Any]] = None,
        records: Optional[Tuple[int, int, int]] = None,
        forced: Optional[int] = None,
        tracer: Any = None,
    ) -> None:
        self.tracer = tracer
        self.rng, self.tape, self.shifts, self.records, self.forced = rng, tape, shifts, records, forced
        self.draws: List[Dict[str, Any]] = []
        self.uses: List[Dict[str, Any]] = []
        self.compared: List[Dict[str, Any]] = []
        self.used: Dict[int, int] = {}
        self.depth = 0
        self.derived = 0
        self.diverged: Optional[int] = None

    def __deepcopy__(self, memo: Any) -> "Session":
        return self

    def draw(
        self,
        law: str,
        params: Dict[str, Any],
        value: Any,
        kind: str = "noise",
        argument: Any = None,
        **more: Any,
    ) -> Any:
        """The value of the next draw: `value`, freshly drawn, in a first run, and that of the tape in a replay.

        law       name of the law; params: what it depends on; argument: the number that it is centred at.
        kind      "noise", "coin" (not followed further), "mechanism" (its result is released), "derived".
        """
        index = len(self.draws)
        row = dict(
            more,
            index=index,
            law=law,
            params=params,
            kind=kind,
            argument=argument,
            shape=tuple(np.shape(value)),
            where=here(),
            adapted=False,
        )
        if self.tape is not None:
            value = self._replayed(row, value)
        elif self.forced is not None and kind == "noise":
            value = self._participating(row, value)
        row["value"] = value
        self.draws.append(row)
        return value

    def _replayed(self, row: Dict[str, Any], fresh: Any) -> Any:
        index = row["index"]
        if self.diverged is not None:
            return fresh
        known = self.tape.draws[index] if index < len(self.tape.draws) else None
        if known is None or known["law"] != row["law"] or known["kind"] != row["kind"]:
            self.diverged = index
            return fresh
        value = known["value"]
        if row["kind"] == "derived":
            return fresh
        if row["kind"] == "coin" and self.records is not None and row["law"] in PLACES:
            places = self._places(known, row)
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
        if row["kind"] == "noise" and self.shifts is not None:
            moved = value
            if row["argument"] is not None:
                moved = moved - known["argument"] + row["argument"]
            if index in self.shifts:
                moved = moved + self.shifts[index]
            return moved
        return value

    def _places(self, known: Dict[str, Any], row: Dict[str, Any]) -> Any:
        """Places among the records of D as places among those of D′; None where they are no such places."""
        have, want, place = self.records
        sizes = [_range(known), _range(row)]
        if have == want or sizes != [have, want]:
            return None
        value = np.asarray(known["value"])
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
        """A uniform draw for each record, in which a record gets 0: it takes part at whatever rate."""
        have = self.records[0] if self.records is not None else None
        if row["law"] == "uniform" and isinstance(value, np.ndarray) and value.shape[:1] == (have,):
            if self.forced < have and row["params"].get("low", 0.0) == 0.0:
                value = value.copy()
                value[self.forced] = 0.0
        return value

    def key(self, ids: np.ndarray) -> Tuple[int, int]:
        """(first element, how often it was used before) of an event."""
        first = int(ids.flat[0]) if ids.size else -1
        count = self.used.get(first, 0)
        self.used[first] = count + 1
        return first, count

    def use(self, ids: Any, factor: Any, argument: Any, value: Any, what: str) -> Any:
        """A value = factor · noise + argument; in a frozen replay it is given the value on the tape."""
        key = self.key(ids)
        if self.tape is not None and self.shifts is None and self.diverged is None:
            frozen = self.tape.uses.get(key)
            if frozen is not None and np.shape(frozen) == np.shape(value):
                value = frozen
        self.uses.append(
            {
                "key": key,
                "ids": ids,
                "factor": factor,
                "argument": argument,
                "value": value,
                "where": here(),
                "what": what,
            }
        )
        return value

    def outcome(self, ids: Any, outcome: Any, **more: Any) -> Any:
        """The result of a comparison with noise; in a replay it is that of the tape."""
        key = self.key(ids)
        if self.tape is not None and self.diverged is None:
            frozen = self.tape.outcomes.get(key)
            if frozen is not None and np.shape(frozen) == np.shape(outcome):
                outcome = frozen
            elif frozen is not None:
                adapted = self._by_record(frozen, np.shape(outcome))
                outcome = outcome if adapted is None else adapted
        self.compared.append(dict(more, key=key, ids=ids, outcome=outcome, where=here(), at=len(self.draws)))
        return outcome


class Current:
    """Stands for the session of the run that is going on: sources are put in place once for many runs."""

    def __init__(self) -> None:
        self.__dict__["actual"] = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["actual"], name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "actual":
            self.__dict__["actual"] = value
        else:
            setattr(self.__dict__["actual"], name, value)


def here() -> Where:
    """File, line and function of the first frame outside of this package and of `NOISE_CODE`."""
    frame: Any = sys._getframe(1)
    last = frame
    while frame is not None:
        name = frame.f_code.co_filename
        inside = name.startswith(HOME) or name.startswith("<") or any(part in name for part in NOISE_CODE)
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
    session.depth += 1
    try:
        return call()
    finally:
        session.depth -= 1
