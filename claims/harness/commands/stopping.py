"""A command that is stopped by a signal says so, and how far it came; its exit status is 128 + the signal."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")


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

    What is ignored stays ignored: `nohup` means it.
    """

    def stop(number: int, frame: object) -> None:
        raise error(number)

    known = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]
    known = [number for number in known if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, stop) for number in known}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
