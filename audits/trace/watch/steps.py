"""What the variables of a run come to hold, line by line; runs in which a variable is given another value.

Only numbers and sizes are noted: they are what a scale, a bound, a shape or a branch is made of.
"""

from __future__ import annotations

import copy
import os
from functools import lru_cache
from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from .noise import plain
from .session import NOISE_CODE, OWN

MOST_LINES = 200_000
"""Lines of a run that are looked at."""
MORE_LINES = 2_000
"""Lines that a run with another value of a variable may have beyond twice those of the run as it is."""
MOST_SIZE = 100_000
"""Entries of a collection that is copied from one run to another."""

LIBRARY = os.path.dirname(os.__file__) + os.sep
"""The standard library of Python, with installed packages below it."""

Where = Tuple[str, int, str]
Key = Tuple[Where, str]


class Stopped(BaseException):
    """A run with another value takes too many lines: a loop may never end with it."""


class Step:
    """A variable has come to hold another value.

    key     line and name; time: how often the line has given the name a value before.
    value   the number, or the size of a collection; sized tells which.
    drawn   how many draws there were before.
    """

    __slots__ = ("drawn", "key", "sized", "time", "value")

    def __init__(self, key: Key, time: int, value: Any, sized: bool, drawn: int) -> None:
        self.key, self.time, self.value, self.sized, self.drawn = key, time, value, sized, drawn


class Steps:
    """The steps of a run; `trace` is a trace function of Python.

    given   values that the variable at `key` gets in place of those that the program computes, by how often
            it has got one before; where this is None, its values are kept as they are, in `kept`.
    limit   lines after which the run is ended; None for none.
    lines   each line that is executed, with the number of draws before it; session: that of the run.
    """

    def __init__(self, key: Optional[Key] = None, given: Optional[Dict[int, Any]] = None) -> None:
        self.key, self.given = key, given
        self.kept: Dict[int, Any] = {}
        self.found: List[Step] = []
        self.lines: List[Tuple[int, Where]] = []
        self.session: Any = None
        self.times: Dict[Key, int] = {}
        self.left = MOST_LINES
        self.limit: Optional[int] = None

    def trace(self, frame: Any, event: str, argument: Any) -> Any:
        """The trace function of Python."""
        if self.left <= 0 or foreign(frame):
            return None
        return _Frame(self, frame).line if self._concerns(frame) else self._counted

    def _concerns(self, frame: Any) -> bool:
        """Whether a call may set the watched variable; any call may where all variables are watched."""
        if self.key is None:
            return True
        file, _, function = self.key[0]
        calls = [call.f_code for call in (frame, frame.f_back) if call is not None]
        return any((code.co_filename, code.co_name) == (file, function) for code in calls)

    def _counted(self, frame: Any, event: str, argument: Any) -> Any:
        """A line of another call: it counts, and nothing more."""
        return self._counted if self.counts() else None

    def counts(self) -> bool:
        """Count a line; whether more may be watched. `Stopped` where the run has become too long."""
        self.left -= 1
        if self.limit is not None and MOST_LINES - self.left > self.limit:
            raise Stopped()
        return self.left > 0

    def note(self, key: Key, name: str, value: Any, holder: Any) -> None:
        """A variable has got a value: note it, or put another one in its place."""
        if self.session is not None and self.session.depth:
            return  # what a mechanism does with its argument is part of the draw
        time = self.times.get(key, 0)
        self.times[key] = time + 1
        if key == self.key:
            if self.given is not None:
                if time in self.given and holder is not None and not _equal(value, self.given[time]):
                    holder[name] = copy.deepcopy(self.given[time])
            else:
                self.kept[time] = _copied(value)
        kind = _size(value)
        shown = plain(value) if kind is None else kind
        self.found.append(Step(key, time, shown, kind is not None, self.drawn()))

    def drawn(self) -> int:
        """How many draws there were."""
        return len(self.session.draws) if self.session is not None else 0


class _Frame:
    """One call of a function, as its lines are executed."""

    def __init__(self, steps: Steps, frame: Any) -> None:
        self.steps = steps
        self.before: Optional[int] = None
        self.held: Dict[str, Any] = {}
        self._begin(frame)

    def _begin(self, frame: Any) -> None:
        """Arguments are noted at the line that passes them."""
        values = frame.f_locals
        self.held = _tokens(values)
        caller = frame.f_back
        if caller is None or foreign(caller):
            return
        where = caller.f_code.co_filename, caller.f_lineno, caller.f_code.co_name
        for name in self.held:
            if "." not in name:
                self.steps.note((where, name), name, values[name], values)

    def line(self, frame: Any, event: str, argument: Any) -> Any:
        steps = self.steps
        if not steps.counts():
            return None
        code = frame.f_code
        if event == "line":
            steps.lines.append((steps.drawn(), (code.co_filename, frame.f_lineno, code.co_name)))
        if event not in ("line", "return"):
            return self.line
        values = frame.f_locals
        now = _tokens(values)
        if self.before is not None:
            where = code.co_filename, self.before, code.co_name
            for name, token in now.items():
                if name not in self.held or not _same(self.held[name], token):
                    owner, attribute = values, name
                    if name.startswith("self."):
                        owner, attribute = vars(values["self"]), name[5:]
                    steps.note((where, name), attribute, owner[attribute], owner)
        if event == "return" and _token(argument) is not None:
            steps.note(((code.co_filename, frame.f_lineno, code.co_name), ""), "", argument, None)
        self.held, self.before = now, frame.f_lineno
        return self.line


def foreign(frame: Any) -> bool:
    """Whether a frame is of this package, of the standard library, or computes for somebody else."""
    return _is_foreign(frame.f_code.co_filename)


@lru_cache(maxsize=None)
def _is_foreign(file: str) -> bool:
    own = file.startswith((OWN, "<")) or (file.startswith(LIBRARY) and "-packages" not in file)
    return own or any(part in file for part in NOISE_CODE)


def same(one: Any, other: Any) -> bool:
    """Whether two numbers are the same but for roundings."""
    try:
        with np.errstate(all="ignore"):
            return bool(np.isclose(float(one), float(other), rtol=1e-9, atol=0.0, equal_nan=True))
    except OverflowError:
        return bool(one == other)


def _equal(one: Any, other: Any) -> bool:
    """Whether two values are one number."""
    return number(one) and number(other) and same(one, other)


def _same(one: Any, other: Any) -> bool:
    try:
        return bool(one == other) or (one != one and other != other)
    except Exception:
        return True


def _tokens(values: Dict[str, Any]) -> Dict[str, Any]:
    """What tells whether a variable has changed: numbers, and identities and sizes of collections."""
    found: Dict[str, Any] = {}
    for name, value in list(values.items()):
        if name == "self" and hasattr(value, "__dict__"):
            for attribute, item in list(vars(value).items()):
                token = _token(item)
                if token is not None:
                    found["self." + attribute] = token
            continue
        token = _token(value)
        if token is not None:
            found[name] = token
    return found


def _token(value: Any) -> Any:
    if number(value):
        return plain(value)
    size = _size(value)
    return None if size is None else (id(value), size)


def number(value: Any) -> bool:
    """Whether a value is one number."""
    value = plain(value)
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


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
    size = _size(value)
    if size is None or size <= MOST_SIZE:
        try:
            return copy.deepcopy(plain(value))
        except Exception:
            return value
    return value
