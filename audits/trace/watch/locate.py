"""The line at which a value that was never noised was computed: found by running the program line by line."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from .noise import plain
from .session import NOISE_CODE, OWN

MOST_LINES = 200_000
"""Lines after which the search gives up."""
MOST_SIZE = 10_000
"""Entries of an array that is looked at."""

Where = Tuple[str, int, str]


def line_of(run: Any, first: Any, second: Any, tape: Any, unlike: Any) -> Optional[Where]:
    """File, line and function that first hold the differing value of an output, on D as on D′.

    Both runs are watched line by line: a local variable, or an attribute of `self`, that comes to hold the
    value of the output on D in the one and that on D′ in the other, at the same line.
    """
    path, a, b = unlike
    found = []
    for data, wanted in ((first, a), (second, b)):
        watcher = Watcher(wanted, path.startswith("the "))
        run(data, tape=tape, tracer=watcher)
        found.append(watcher)
    for kind in ("exact", "lines"):
        one, other = getattr(found[0], kind), getattr(found[1], kind)
        for where in one:
            if where in other:
                return where
    return found[0].lines[0] if found[0].lines else None


class Watcher:
    """Collects the lines after which a value stands in a variable that had another one before.

    exact   those after which it is the value itself; lines: those after which it is an entry, too.
    """

    def __init__(self, wanted: Any, shape: bool) -> None:
        self.wanted, self.shape = wanted, shape
        self.lines: List[Where] = []
        self.exact: List[Where] = []
        self.session: Any = None
        self.left = MOST_LINES
        self.known: Dict[int, bool] = {}

    def trace(self, frame: Any, event: str, argument: Any) -> Any:
        """The trace function of Python."""
        name = frame.f_code.co_filename
        if name.startswith((OWN, "<")) or any(part in name for part in NOISE_CODE):
            return None
        if self.left <= 0:
            return None
        return Frame(self).line

    def alone(self, value: Any) -> bool:
        """Whether a value is the wanted one itself, and not only has it as an entry."""
        return self.shape or not hasattr(plain(value), "__len__") or isinstance(value, (str, bytes))

    def holds(self, value: Any) -> bool:
        """Whether a value is the wanted one, or has it as an entry."""
        value = plain(value)
        try:
            if self.shape:
                return self._size(value)
            if isinstance(value, np.ndarray):
                if value.size > MOST_SIZE or value.dtype == object:
                    return False
                return bool(np.any(np.isclose(value, self.wanted, rtol=1e-9, atol=0.0)))
            if isinstance(value, (int, float, np.generic)) and not isinstance(value, bool):
                if isinstance(self.wanted, (int, float, np.generic)):
                    return bool(np.isclose(value, self.wanted, rtol=1e-9, atol=0.0, equal_nan=True))
                return False
            if isinstance(value, (str, bytes, bool)):
                return type(value) is type(self.wanted) and value == self.wanted
            if isinstance(value, (list, tuple)) and len(value) < 1000:
                return any(self.holds(item) for item in value)
            if isinstance(value, dict) and len(value) < 1000:
                return any(self.holds(item) for item in value.values())
        except Exception:
            return False
        return False

    def _size(self, value: Any) -> bool:
        wanted = self.wanted
        if isinstance(wanted, list):
            return hasattr(value, "shape") and list(value.shape) == wanted
        return isinstance(value, (list, tuple, dict, set)) and len(value) == wanted


class Frame:
    """One call of a function, as its lines are executed."""

    def __init__(self, watcher: Watcher) -> None:
        self.watcher = watcher
        self.before: Optional[int] = None
        self.held: Optional[Dict[str, Any]] = None

    def line(self, frame: Any, event: str, argument: Any) -> Any:
        """After each line: whether a variable has come to hold the value."""
        watcher = self.watcher
        watcher.left -= 1
        if watcher.left <= 0:
            return None
        if event in ("line", "return"):
            held = self._holders(frame)
            new = set(held) - set(self.held) if self.held is not None else set()
            if new and self.before is not None:
                self._note(frame, self.before, [held[name] for name in new])
            elif event == "return" and argument is not None and watcher.holds(argument):
                known = any(value is argument for value in held.values())
                self._note(frame, frame.f_lineno, [] if known else [argument])
            self.held, self.before = held, frame.f_lineno
        return self.line

    def _note(self, frame: Any, line: int, values: List[Any]) -> None:
        if not values or self.watcher.session.depth:
            return  # what a mechanism does with its argument is part of the draw
        where = (frame.f_code.co_filename, line, frame.f_code.co_name)
        self.watcher.lines.append(where)
        if any(self.watcher.alone(value) for value in values):
            self.watcher.exact.append(where)

    def _holders(self, frame: Any) -> Dict[str, Any]:
        """The variables, and the attributes of `self`, that hold the value, by their names."""
        found: Dict[str, Any] = {}
        for name, value in list(frame.f_locals.items()):
            if name == "self" and hasattr(value, "__dict__"):
                found.update({"self." + k: v for k, v in list(vars(value).items()) if self.watcher.holds(v)})
            elif self.watcher.holds(value):
                found[name] = value
        return found
