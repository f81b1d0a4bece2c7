"""Progress of an audit, and its end in time, by signal or by the clock."""

from __future__ import annotations

import contextlib
import functools
import math
import os
import signal
import sys
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from claims.harness.commands.stopping import leave, signals_raise
from claims.harness.run.result import UNDECIDED

if TYPE_CHECKING:
    from audits.privacy import AuditResult, Look

FIRST_OUTPUT = 15.0
"""Seconds beyond the time limit that the first output may take: the call may import a library."""
GRACE, STUCK = 1.0, 5.0
"""Seconds after the time limit at which a call is interrupted, and at which the process ends if that is of no
use."""
PAUSE = 4.0
"""Seconds between lines of progress."""


@contextlib.contextmanager
def stdout_to_stderr() -> Iterator[int | None]:
    """What is written to standard output goes to standard error: by Python, and by libraries and processes
    that write to the descriptor itself. Yields a descriptor of standard output, None where it is closed."""
    with contextlib.redirect_stdout(sys.stderr):
        if sys.__stdout__ is not None:
            sys.__stdout__.flush()
        try:
            kept = os.dup(1)
        except OSError:  # standard output is closed
            yield None
            return
        try:
            os.dup2(2, 1)
            yield kept
        finally:
            os.dup2(kept, 1)
            os.close(kept)


@contextlib.contextmanager
def warnings_counted() -> Iterator[None]:
    """Warnings of libraries are shown once each when all is done, with how often they came."""
    seen = Counter[str]()

    def count(message: Any, category: type[Warning], *where: Any) -> None:
        seen[f"{category.__name__}: {' '.join(str(message).split())}"] += 1

    try:
        with warnings.catch_warnings():
            # Below the filters of Python, which hide what is meant for developers.
            warnings.simplefilter("always", append=True)
            warnings.showwarning = count
            yield
    finally:
        for words, times in seen.items():
            print(f"dpclaims: {words}{f' ({times:,} times)' if times > 1 else ''}", file=sys.stderr)


class Watch:
    """Progress on stderr, and an end in time: signals and the time limit stop the run with the bound reached.

    The limit counts from the first output. A mechanism that returns nothing is stopped after the limit and
    `FIRST_OUTPUT` seconds; one that cannot be stopped, as it waits outside of Python, ends with its process,
    after the bound reached was printed.

    so_far    ``so_far(look, seconds, note)``: the result of an audit that ends here.
    document  ``document(result)``: what is printed of it as JSON.
    out       descriptor that takes the JSON document; None for none.
    """

    def __init__(
        self,
        limit: float | None,
        so_far: Callable[..., AuditResult],
        document: Callable[[AuditResult], str],
        out: int | None = None,
    ) -> None:
        self.limit, self.so_far, self.document, self.out = limit, so_far, document, out
        self.started = time.monotonic()
        self.last: Look | None = None
        self.first = True
        self.ended = threading.Event()
        self.armed = False
        self.stack = contextlib.ExitStack()

    def __enter__(self) -> None:
        if threading.current_thread() is not threading.main_thread():
            return
        from audits.privacy import Stopped

        names = signal.Signals
        self.stack.enter_context(signals_raise(lambda number: Stopped(f"Stopped by {names(number).name}.")))
        if self.limit is not None:
            self.armed = True
            self.stack.callback(signal.signal, signal.SIGALRM, signal.signal(signal.SIGALRM, self._late))
            self.stack.callback(signal.setitimer, signal.ITIMER_REAL, 0.0)
            signal.setitimer(signal.ITIMER_REAL, self.limit + FIRST_OUTPUT, 1.0)
        threading.Thread(target=self._guard, daemon=True).start()
        self.stack.callback(self.ended.set)

    def __exit__(self, *exception: object) -> None:
        self.stack.close()

    def watched(self, mechanism: Callable[..., Any]) -> Callable[..., Any]:
        """The mechanism; its first output starts the clock."""

        @functools.wraps(mechanism)
        def drawn(*arguments: Any) -> Any:
            outputs = mechanism(*arguments)
            if self.first:
                self.first = False
                self.started = time.monotonic()
                if self.armed and self.limit is not None:
                    # The run ends by itself between two calls; the alarm is for a call that does not return.
                    signal.setitimer(signal.ITIMER_REAL, self.limit + GRACE, 1.0)
            return outputs

        return drawn

    def look(self, look: Look) -> None:
        """Remember the last look, for the next line of progress."""
        self.last = look

    def _late(self, number: int, frame: object) -> None:
        from audits.privacy import Stopped
        from audits.privacy.bet.sequential import LATE

        raise Stopped(LATE)

    def _guard(self) -> None:
        """In a thread of its own: progress, also while a call does not return; the end of what is stuck."""
        next_line = self.started + PAUSE
        while not self.ended.wait(0.2):
            now = time.monotonic()
            if now >= next_line:
                print(f"dpclaims: {self.words()}", file=sys.stderr, flush=True)
                next_line = now + PAUSE
            allowed = math.inf if self.limit is None else self.limit + GRACE + STUCK
            if now - self.started > allowed + (FIRST_OUTPUT if self.first else 0.0):
                print(
                    f"dpclaims: the time limit was reached in a call that cannot be stopped; {self.words()}",
                    file=sys.stderr,
                    flush=True,
                )
                if self.out is not None:
                    note = "The time limit was reached in a call that cannot be stopped."
                    os.write(self.out, self.document(self.result(note)).encode())
                leave(UNDECIDED)

    def result(self, note: str) -> AuditResult:
        """What is known by now."""
        return self.so_far(self.last, time.monotonic() - self.started, note)

    def words(self) -> str:
        """Where the run stands."""
        spent = f"{time.monotonic() - self.started:.0f} s"
        if self.last is None:
            return f"no output yet, {spent}" if self.first else f"the assumptions are tested, {spent}"
        look, log_e = self.last, self.last.log_e_value / math.log(10.0)
        next_step = f"; {look.next}" if look.next else ""
        return (
            f"{look.unit} ≥ {look.lower:.4g}, evidence (e-value) 10^{log_e:.1f}, {look.samples:,} samples, "
            f"{spent}{next_step}"
        )
