"""Progress of an audit, and its end in time, by signal or by the clock."""

from __future__ import annotations

import contextlib
import math
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from claims.harness.commands.stopping import signals_raise

if TYPE_CHECKING:
    from audits.privacy import AuditResult, Look

GRACE = 15.0
"""Seconds after the time limit at which a call is interrupted: the limit counts from the first output, and
the first call may import a library."""
PAUSE = 4.0
"""Seconds between lines of progress."""


@contextlib.contextmanager
def stdout_to_stderr() -> Iterator[None]:
    """What is written to standard output goes to standard error: by Python, and by libraries and processes
    that write to the descriptor itself."""
    with contextlib.redirect_stdout(sys.stderr):
        if sys.__stdout__ is not None:
            sys.__stdout__.flush()
        try:
            kept = os.dup(1)
        except OSError:  # standard output is closed
            yield
            return
        try:
            os.dup2(2, 1)
            yield
        finally:
            os.dup2(kept, 1)
            os.close(kept)


class Watch:
    """Progress on stderr, and an end in time: signals and the time limit stop the run with the bound reached.

    An audit ends by itself between two calls of the mechanism. A call that does not return is interrupted,
    where Python can do that.

    so_far  ``so_far(look, seconds, note)``: the result of an audit that ends here.
    """

    def __init__(self, limit: float | None, so_far: Callable[..., AuditResult]) -> None:
        self.limit, self.so_far = limit, so_far
        self.started = time.monotonic()
        self.last: Look | None = None
        self.ended = threading.Event()
        self.stack = contextlib.ExitStack()

    def __enter__(self) -> None:
        if threading.current_thread() is not threading.main_thread():
            return
        from audits.privacy import Stopped

        names = signal.Signals
        self.stack.enter_context(signals_raise(lambda number: Stopped(f"Stopped by {names(number).name}.")))
        if self.limit is not None:
            self.stack.callback(signal.signal, signal.SIGALRM, signal.signal(signal.SIGALRM, self._late))
            self.stack.callback(signal.setitimer, signal.ITIMER_REAL, 0.0)
            signal.setitimer(signal.ITIMER_REAL, self.limit + GRACE, 1.0)
        threading.Thread(target=self._tell, daemon=True).start()
        self.stack.callback(self.ended.set)

    def __exit__(self, *exception: object) -> None:
        self.stack.close()

    def look(self, look: Look) -> None:
        """Remember the last look, for the next line of progress."""
        self.last = look

    def _late(self, number: int, frame: object) -> None:
        from audits.privacy import Stopped
        from audits.privacy.bet.sequential import LATE

        raise Stopped(LATE)

    def _tell(self) -> None:
        """In a thread of its own: progress, also while a call does not return."""
        while not self.ended.wait(PAUSE):
            print(f"dpclaims: {self.words()}", file=sys.stderr, flush=True)

    def result(self, note: str) -> AuditResult:
        """What is known by now."""
        return self.so_far(self.last, time.monotonic() - self.started, note)

    def words(self) -> str:
        """Where the run stands."""
        spent = f"{time.monotonic() - self.started:.0f} s"
        if self.last is None:
            return f"outputs are drawn, and the assumptions tested, {spent}"
        look, log_e = self.last, self.last.log_e_value / math.log(10.0)
        next_step = f"; {look.next}" if look.next else ""
        return (
            f"{look.unit} ≥ {look.lower:.4g}, evidence (e-value) 10^{log_e:.1f}, {look.samples:,} samples, "
            f"{spent}{next_step}"
        )
