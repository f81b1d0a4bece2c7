"""A run that is watched line by line: after which lines a value stands in a variable that had another one."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

import numpy as np

from ..record.noise import number, plain
from ..record.run import Run
from ..record.session import is_ours
from ..record.values import shown
from ..records import About, Step, Where
from ..replay.shifts import Difference

MOST_LINES = 200_000
"""Lines of a run that are looked at."""
MOST_HELD = 10_000
"""Entries of an array, and ten times those of a list, in which a value is looked for."""
LIBRARY = os.path.dirname(os.__file__) + os.sep
"""The standard library of Python, with installed packages below it."""
Runner = Callable[..., Run]
"""(data of D: True, of D′: False; tracer) → a replay with what D released."""


class Seen(NamedTuple):
    """A value stands in a variable, "" for what a function returns: itself (alone), or as an entry."""

    where: Where
    name: str
    alone: bool


def line_of(runner: Runner, unlike: Difference) -> Optional[Where]:
    """The line that first holds the differing value of an output, on D as on D′."""
    path, one, other = unlike
    both, first = _seen(runner, one, other, path.startswith("the "))
    return next((seen.where for seen in (*both, *first)), None)


def computed(runner: Runner, about: Optional[About]) -> Optional[Step]:
    """The line after which a variable first is one number on D and the other one on D′."""
    if about is None or not (number(about.one) and number(about.other)):
        return None
    both, _ = _seen(runner, about.one, about.other, False)
    found = next((seen for seen in both if seen.alone), None)
    return found and Step("computed", found.where, found.name, shown(about.one), shown(about.other))


def _seen(runner: Runner, one: Any, other: Any, shape: bool) -> Tuple[List[Seen], List[Seen]]:
    """(where two values stand, on D and on D′, those that stand alone first; where that of D stands)."""
    watchers = Watcher(one, shape), Watcher(other, shape)
    for on_first, watcher in zip((True, False), watchers):
        runner(on_first, watcher)
    first, second = (watcher.seen for watcher in watchers)
    both = [s for s in first if s.alone and any(s.where == t.where and t.alone for t in second)]
    return both + [s for s in first if any(s.where == t.where for t in second)], first


class Watcher:
    """The lines after which a value stands where it did not before: in a variable, in an attribute of `self`,
    in what a function returns.

    shape   the value is a length or a shape.
    """

    def __init__(self, wanted: Any, shape: bool) -> None:
        self.wanted, self.shape = wanted, shape
        self.seen: List[Seen] = []
        self.lines = 0

    def trace(self, frame: Any, event: str, argument: Any) -> Any:
        """The trace function of Python."""
        if self.lines >= MOST_LINES or _is_foreign(frame.f_code.co_filename):
            return None
        held, before = self._holding(frame), 0

        def line(frame: Any, event: str, argument: Any) -> Any:
            nonlocal held, before
            self.lines += 1
            if self.lines >= MOST_LINES:
                return None
            if event not in ("line", "return"):
                return line
            now = self._holding(frame)
            for name, value in now.items() if before else ():
                if name not in held:
                    self._note(frame, before, name, value)
            # What is returned by the variable that holds it is no news.
            if event == "return" and self._holds(argument) and all(v is not argument for v in now.values()):
                self._note(frame, frame.f_lineno, "", argument)
            held, before = now, frame.f_lineno
            return line

        return line

    def _note(self, frame: Any, line: int, name: str, value: Any) -> None:
        code = frame.f_code
        alone = self.shape or not hasattr(plain(value), "__len__") or isinstance(value, (str, bytes))
        self.seen.append(Seen((code.co_filename, line, code.co_name), name, alone))

    def _holding(self, frame: Any) -> Dict[str, Any]:
        """The variables, and attributes of `self`, that hold the value."""
        found = dict(frame.f_locals)
        if hasattr(found.get("self"), "__dict__"):
            found.update({"self." + name: value for name, value in vars(found.pop("self")).items()})
        return {name: value for name, value in found.items() if self._holds(value)}

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
            close = number(wanted) and np.isclose(float(value), wanted, rtol=1e-9, atol=0.0, equal_nan=True)
            return bool(close)
        items = (
            value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
        )
        return 10 * len(items) <= MOST_HELD and any(self._is(plain(item)) for item in items)

    def _sized(self, value: Any) -> bool:
        if isinstance(self.wanted, list):
            return hasattr(value, "shape") and list(value.shape) == self.wanted
        return isinstance(value, (list, tuple, dict, set)) and len(value) == self.wanted


@lru_cache(maxsize=None)
def _is_foreign(file: str) -> bool:
    """Whether a file is of this package, of the standard library, or computes for somebody else."""
    return is_ours(file) or (file.startswith(LIBRARY) and "-packages" not in file)
