"""One limit for all that a trace runs: what takes longer is ended, and what is known by then is said."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Generator
from dataclasses import dataclass
from types import FrameType
from typing import Any

from audits.trace.record.ended import OutOfTime

AGAIN = 0.3
"""Seconds after which a program that catches everything is told again."""


@dataclass(slots=True)
class Over:
    """reason: why what was to be done was not, "" where all was done."""

    reason: str = ""


@contextlib.contextmanager
def limited(seconds: float | None) -> Generator[Over]:
    """What is done within is ended after so many seconds; None for no limit. Other threads have none."""
    over = Over()
    main = threading.current_thread() is threading.main_thread()
    if seconds is None or not main or not hasattr(signal, "SIGALRM"):
        yield over
        return

    def stop(number: int, frame: FrameType | None) -> None:
        signal.setitimer(signal.ITIMER_REAL, AGAIN)
        if not _restores(frame):
            raise OutOfTime

    before: Any = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, max(seconds, 1e-3))
    try:
        yield over
    except OutOfTime:
        over.reason = f"the time limit of {seconds:.3g} s was over"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def _restores(frame: FrameType | None) -> bool:
    """Whether attributes of modules are being put back, which nothing may interrupt."""
    while frame is not None:
        if frame.f_code.co_name == "exchanged":
            return True
        frame = frame.f_back
    return False
