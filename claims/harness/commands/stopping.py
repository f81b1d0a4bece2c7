"""A command that is stopped by a signal says so, and how far it came; its exit status is 128 + the signal."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")
AGAIN = 0.05
"""Seconds after which a signal is sent once more whose exception Python has thrown away."""
TOGETHER = 0.5
"""Seconds within which a second signal is the first: a terminal sends one to the parent of the command, too,
which hands it on."""
NEVER = 0, -float("inf")
"""No signal, at no time."""


class Signalled(BaseException):
    """Raised where a signal arrives; notes added on its way up tell what was done so far.

    It is no KeyboardInterrupt, of which Typer would make exit status 1: that means refuted. `from_outside`
    tells those who run programs of others that it is none of their errors.
    """

    from_outside = True

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number

    def sentence(self) -> str:
        """What stopped the command, and what was done so far."""
        return "; ".join([f"stopped by {signal.Signals(self.number).name}", *getattr(self, "__notes__", [])])


@contextmanager
def signals_raise(error: Callable[[int], BaseException] = Signalled) -> Iterator[None]:
    """While this is open, SIGINT, SIGTERM and SIGHUP raise `error(number)` in the main thread.

    What is ignored stays ignored: `nohup` means it. Python throws exceptions away that are raised in a
    finalizer, or in what runs after a fork: a signal that arrives there is sent once more.
    """
    outer, last = sys.unraisablehook, _last()

    def stop(number: int, frame: object) -> None:
        before, last[:] = last[:], [number, time.monotonic()]
        if before[0] != number or last[1] - before[1] > TOGETHER:
            raise error(number)

    def thrown_away(what: Any) -> None:
        if not getattr(what.exc_type, "from_outside", False):
            outer(what)
            return
        number = int(last[0])
        last[:] = NEVER
        timer = threading.Timer(AGAIN, os.kill, (os.getpid(), number))
        timer.daemon = True
        timer.start()

    known = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]
    known = [number for number in known if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, stop) for number in known}
    sys.unraisablehook = thrown_away
    try:
        yield
    finally:
        sys.unraisablehook = outer
        for number, handler in before.items():
            signal.signal(number, handler)


@cache
def _last() -> list[float]:
    """The last signal that came, and when: the same list for handlers inside of each other."""
    return [*NEVER]
