"""The line at which a value that was never noised was computed: found by running the program line by line."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Set, Tuple

import numpy as np

from .noise import plain
from .session import HOME, NOISE_CODE

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
        run(data, tape=tape, tracer=watcher.trace)
        found.append(watcher.lines)
    for where in found[0]:
        if where in found[1]:
            return where
    return found[0][0] if found[0] else None


class Watcher:
    """Collects the lines after which a value stands in a variable that had another one before."""

    def __init__(self, wanted: Any, shape: bool) -> None:
        self.wanted, self.shape = wanted, shape
        self.lines: List[Where] = []
        self.left = MOST_LINES
        self.known: Dict[int, bool] = {}

    def trace(self, frame: Any, event: str, argument: Any) -> Any:
        """The trace function of Python."""
        name = frame.f_code.co_filename
        if name.startswith(HOME) or name.startswith("<") or any(part in name for part in NOISE_CODE):
            return None
        if self.left <= 0:
            return None
        return Frame(self).line

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
        self.held: Optional[Set[str]] = None

    def line(self, frame: Any, event: str, argument: Any) -> Any:
        """After each line: whether a variable has come to hold the value."""
        watcher = self.watcher
        watcher.left -= 1
        if watcher.left <= 0:
            return None
        if event in ("line", "return"):
            held = self._holders(frame)
            new = bool(held - self.held) if self.held is not None else False
            code = frame.f_code
            if new and self.before is not None:
                watcher.lines.append((code.co_filename, self.before, code.co_name))
            elif event == "return" and not held and argument is not None and watcher.holds(argument):
                watcher.lines.append((code.co_filename, frame.f_lineno, code.co_name))
            self.held, self.before = held, frame.f_lineno
        return self.line

    def _holders(self, frame: Any) -> Set[str]:
        """Names of the variables, and of attributes of `self`, that hold the value."""
        found = set()
        for name, value in list(frame.f_locals.items()):
            if name == "self" and hasattr(value, "__dict__"):
                found |= {"self." + k for k, item in list(vars(value).items()) if self.watcher.holds(item)}
            elif self.watcher.holds(value):
                found.add(name)
        return found
