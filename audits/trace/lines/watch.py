"""A run that is watched line by line: what variables come to hold, and runs in which one is given another
value."""

from __future__ import annotations

import copy
import os
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple

import numpy as np

from ..record.noise import number, plain
from ..record.session import is_ours
from ..records import Where

MOST_LINES = 200_000
"""Lines of a run that are looked at."""
MOST_SIZE = 100_000
"""Entries of a collection that is copied from one run to another."""
MOST_HELD = 10_000
"""Entries of an array, and ten times those of a list, in which a value is looked for."""

LIBRARY = os.path.dirname(os.__file__) + os.sep
"""The standard library of Python, with installed packages below it."""
Key = Tuple[Where, str]
"""A line, and the name of a variable, "" for what a function returns."""
Note = Callable[[Key, Any, Any], None]
"""(key, value, what holds it) of a variable with another token than before."""


class Stopped(BaseException):
    """A run with another value takes too many lines: a loop may never end with it."""


class Watcher:
    """Tells of variables, attributes of `self`, and returned values whose token has changed.

    token      of a value; None where it does not matter.
    note       is told of each change.
    only       the one key that matters; None: all do.
    limit      lines after which the run is ended; None for none.
    arguments  whether arguments are noted, at the line that passes them.

    lines is how many were executed, `session` that of the run.
    """

    def __init__(
        self,
        token: Callable[[Any], Any],
        note: Note,
        only: Optional[Key] = None,
        limit: Optional[int] = None,
        arguments: bool = True,
    ) -> None:
        self.token, self.tell, self.only, self.limit, self.arguments = token, note, only, limit, arguments
        self.session: Any = None
        self.lines = 0

    def trace(self, frame: Any, event: str, argument: Any) -> Any:
        """The trace function of Python."""
        if self.lines >= MOST_LINES or foreign(frame):
            return None
        return _Frame(self, frame).line if self._concerns(frame) else self._counted

    def _concerns(self, frame: Any) -> bool:
        """Whether a call may set the variable that matters."""
        codes = [call.f_code for call in (frame, frame.f_back) if call is not None]
        places = [(code.co_filename, code.co_name) for code in codes]
        return self.only is None or (self.only[0][0], self.only[0][2]) in places

    def _counted(self, frame: Any, event: str, argument: Any) -> Any:
        """A line of another call: it counts, and nothing more."""
        return self._counted if self.counts() else None

    def counts(self) -> bool:
        """Count a line; whether more may be watched. `Stopped` where the run has become too long."""
        self.lines += 1
        if self.limit is not None and self.lines > self.limit:
            raise Stopped()
        return self.lines < MOST_LINES

    def note(self, key: Key, value: Any, holder: Any) -> None:
        """What a mechanism does with its argument is part of the draw, and not told."""
        if self.session is None or not self.session.depth:
            self.tell(key, value, holder)

    def drawn(self) -> int:
        """How many draws there were."""
        return len(self.session.draws) if self.session is not None else 0


class _Frame:
    """One call of a function, as its lines are executed."""

    def __init__(self, watcher: Watcher, frame: Any) -> None:
        self.watcher = watcher
        self.before: Optional[int] = None
        self.held = self._tokens(frame.f_locals)
        caller = frame.f_back
        if watcher.arguments and caller is not None and not foreign(caller):
            where = caller.f_code.co_filename, caller.f_lineno, caller.f_code.co_name
            for name in self.held:
                if "." not in name:
                    watcher.note((where, name), frame.f_locals[name], frame.f_locals)

    def line(self, frame: Any, event: str, argument: Any) -> Any:
        watcher, code, values = self.watcher, frame.f_code, frame.f_locals
        if not watcher.counts():
            return None
        if event not in ("line", "return"):
            return self.line
        now = self._tokens(values)
        if self.before is not None:
            where = code.co_filename, self.before, code.co_name
            for name, token in now.items():
                if name not in self.held or not _same(self.held[name], token):
                    holder = vars(values["self"]) if name.startswith("self.") else values
                    watcher.note((where, name), holder[name.partition(".")[2] or name], holder)
        if event == "return" and watcher.token(argument) is not None:
            watcher.note(((code.co_filename, frame.f_lineno, code.co_name), ""), argument, values)
        self.held, self.before = now, frame.f_lineno
        return self.line

    def _tokens(self, values: Mapping[str, Any]) -> Dict[str, Any]:
        """What tells whether a variable has changed, by names."""
        found: Dict[str, Any] = {}
        for name, value in list(values.items()):
            held = vars(value).items() if name == "self" and hasattr(value, "__dict__") else None
            items = [(name, value)] if held is None else [("self." + n, v) for n, v in list(held)]
            found.update(
                {n: token for n, v in items for token in [self.watcher.token(v)] if token is not None}
            )
        return found


def foreign(frame: Any) -> bool:
    """Whether a frame is of this package, of the standard library, or computes for somebody else."""
    return _is_foreign(frame.f_code.co_filename)


@lru_cache(maxsize=None)
def _is_foreign(file: str) -> bool:
    return is_ours(file) or (file.startswith(LIBRARY) and "-packages" not in file)


def _same(one: Any, other: Any) -> bool:
    try:
        return bool(one == other) or (one != one and other != other)
    except Exception:
        return True


# --- Numbers and sizes ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Change:
    """A variable has come to hold another value.

    time    how often the line has given the name a value before.
    value   the number, or the size of a collection; sized tells which.
    drawn   how many draws there were before.
    """

    key: Key
    time: int
    value: Any
    sized: bool
    drawn: int


class Changes:
    """The numbers and sizes that variables come to hold: a scale, a bound, a shape or a branch is made of
    them.

    key     of a variable that gets the values `given`, by how often it has got one before, in place of those
            that the program computes; where given is None, its values are kept as they are, in `kept`.
    """

    def __init__(
        self,
        key: Optional[Key] = None,
        given: Optional[Mapping[int, Any]] = None,
        limit: Optional[int] = None,
    ) -> None:
        self.key, self.given = key, given
        self.kept: Dict[int, Any] = {}
        self.found: List[Change] = []
        self.times: Dict[Key, int] = {}
        self.watcher = Watcher(_token, self._note, key, limit)

    def _note(self, key: Key, value: Any, holder: Any) -> None:
        """A variable has got a value: note it, or put another one in its place."""
        time = self.times.get(key, 0)
        self.times[key] = time + 1
        if key == self.key and self.given is None:
            self.kept[time] = _copied(value)
        elif key == self.key and self.given is not None and key[1] and time in self.given:
            if not (number(value) and number(self.given[time]) and same(value, self.given[time])):
                holder[key[1].partition(".")[2] or key[1]] = copy.deepcopy(self.given[time])
        size = _size(value)
        shown = plain(value) if size is None else size
        self.found.append(Change(key, time, shown, size is not None, self.watcher.drawn()))


def same(one: Any, other: Any) -> bool:
    """Whether two numbers are the same but for roundings."""
    try:
        with np.errstate(all="ignore"):
            return bool(np.isclose(float(one), float(other), rtol=1e-9, atol=0.0, equal_nan=True))
    except OverflowError:
        return bool(one == other)


def _token(value: Any) -> Any:
    if number(value):
        return plain(value)
    size = _size(value)
    return None if size is None else (id(value), size)


def _size(value: Any) -> Optional[int]:
    """The length of a collection of values; None for anything else."""
    known = isinstance(value, (list, tuple, dict, set, frozenset, np.ndarray)) or hasattr(value, "iloc")
    if not known or (isinstance(value, np.ndarray) and value.ndim == 0):
        return None
    try:
        return len(value)
    except Exception:
        return None


def _copied(value: Any) -> Any:
    if (_size(value) or 0) > MOST_SIZE:
        return value
    try:
        return copy.deepcopy(plain(value))
    except Exception:
        return value


# --- One value --------------------------------------------------------------------------------------------


class Holders:
    """The lines after which a value stands in a variable that had another one before.

    shape   the value is a length or a shape. exact: lines after which it is the value itself; lines: those
            after which it is an entry, too.
    """

    def __init__(self, wanted: Any, shape: bool) -> None:
        self.wanted, self.shape = wanted, shape
        self.lines: List[Where] = []
        self.exact: List[Where] = []
        self.watcher = Watcher(
            lambda value: True if self._holds(value) else None, self._note, arguments=False
        )

    def _note(self, key: Key, value: Any, holder: Any) -> None:
        if not key[1] and any(held is value for held in holder.values()):
            return  # it is returned by the variable that holds it
        self.lines.append(key[0])
        alone = not hasattr(plain(value), "__len__") or isinstance(value, (str, bytes))
        if self.shape or alone:
            self.exact.append(key[0])

    def _holds(self, value: Any) -> bool:
        """Whether a value is the wanted one, or has it as an entry."""
        try:
            return self._sized(plain(value)) if self.shape else self._is(plain(value))
        except Exception:
            return False

    def _is(self, value: Any) -> bool:
        wanted = self.wanted
        if isinstance(value, np.ndarray):
            fits = value.size <= MOST_HELD and value.dtype != object
            return fits and bool(np.any(np.isclose(value, wanted, rtol=1e-9, atol=0.0)))
        if isinstance(value, (str, bytes, bool)):
            return type(value) is type(wanted) and bool(value == wanted)
        if isinstance(value, (int, float, np.generic)):
            return isinstance(wanted, (int, float, np.generic)) and same(value, wanted)
        items = (
            value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
        )
        return 10 * len(items) <= MOST_HELD and any(self._is(plain(item)) for item in items)

    def _sized(self, value: Any) -> bool:
        if isinstance(self.wanted, list):
            return hasattr(value, "shape") and list(value.shape) == self.wanted
        return isinstance(value, (list, tuple, dict, set)) and len(value) == self.wanted
