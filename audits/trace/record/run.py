"""One run of a program: its output as plain values, or the error and its line."""

from __future__ import annotations

import copy
import inspect
import sys
import traceback
from typing import Any, Callable, Optional

from ..records import NOWHERE, Where
from .session import is_ours
from .values import flat


class Run:
    """What came of one run: its session, the output as plain values, or the error and its line."""

    def __init__(self, session: Any) -> None:
        self.session = session
        self.output: Any = None
        self.error: Optional[BaseException] = None
        self.where: Optional[Where] = None

    @property
    def whole(self) -> bool:
        """Whether the run has ended without an error, and draws as the run on D does."""
        return self.error is None and self.session.diverged is None


def run_once(call: Any, data: Any, session: Any, generator: Any) -> Run:
    """One run on a copy of the data."""
    found = Run(session)
    mine = copy.deepcopy(data)
    try:
        outer = sys.gettrace()
        if session.tracer is not None:
            sys.settrace(session.tracer.trace)
        try:
            output = call(mine, generator)
        finally:
            if session.tracer is not None:
                sys.settrace(outer)
        found.output = flat(output)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        if getattr(error, "from_outside", False):
            raise  # it is no error of the program
        found.error, found.where = error, raised(error)
    return found


def caller(program: Callable[..., Any]) -> Callable[[Any, Any], Any]:
    """`program` as a function of (data, rng): one that takes a size gets 1."""
    try:
        parameters = list(inspect.signature(program).parameters.values())
    except (TypeError, ValueError):
        return lambda data, rng: program(data, 1, rng)
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return lambda data, rng: program(data, 1, rng)
    names = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    needed = [p for p in parameters if p.default is p.empty or p.name == "rng"]
    if names[1:2] != ["rng"] and (names[1:2] == ["size"] or len(needed) >= 3):
        return lambda data, rng: program(data, 1, rng)
    if "rng" in names[2:]:
        return lambda data, rng: program(data, rng=rng)
    if len(needed) >= 2:
        return lambda data, rng: program(data, rng)
    return lambda data, rng: program(data)


def raised(error: BaseException) -> Where:
    """The innermost line of the traceback outside of this package and of noise code."""
    frames = traceback.extract_tb(error.__traceback__)
    last = ([f for f in frames if not is_ours(f.filename)] or frames)[-1]
    return last.filename, last.lineno or 0, last.name


def last_line(run: Run) -> Where:
    """The line of the last draw."""
    return run.session.draws[-1].where if run.session.draws else NOWHERE
