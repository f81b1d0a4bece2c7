"""A command runs in a child of the process that was called, and only the command gives the exit status.

Code of others may end its process by `os._exit(0)`, start another program in its place, or leave a thread
that never ends. So the child hands over its status where it has a verdict; without one the parent's is 4.
"""

from __future__ import annotations

import mmap
import os
import signal
import sys
import threading
from collections.abc import Callable
from functools import cache
from typing import NoReturn

from audits.foreign.ends import END, end_with_parent, killed_with_parent
from claims.harness.commands.stopping import Signalled, signals_raise

CRASHED = 4
PATIENCE, LATE = 1.0, 20.0
"""Seconds that threads have to end after a command, and that all else has which runs at the end of Python."""
HANDED_ON = ("SIGINT", "SIGTERM", "SIGHUP")


def supervised(command: Callable[[], int]) -> NoReturn:
    """Run the command in a child, and end with the status that it handed over; where nothing can be forked,
    run it here."""
    if not hasattr(os, "fork"):
        raise SystemExit(command())
    handed = _handed_over()
    for stream in filter(None, (sys.stdout, sys.stderr)):
        stream.flush()
    parent = os.getpid()
    child = os.fork()
    if child == 0:
        killed_with_parent(parent) if sys.platform == "linux" else end_with_parent(parent)
        try:
            # To the end of the command: the second of two signals must not meet a handler that kills.
            with signals_raise():
                hand_over(command())
                _end_threads(handed[0] - 1)
        except Signalled as stop:
            if not handed[0]:
                print(f"dpclaims: {stop.sentence()}", file=sys.stderr)
                hand_over(128 + stop.number)
        raise SystemExit(handed[0] - 1)
    for number in (getattr(signal, name) for name in HANDED_ON if hasattr(signal, name)):
        if signal.getsignal(number) is not signal.SIG_IGN:
            # A terminal sends Ctrl-C to both: `signals_raise` heeds one of two that come together.
            signal.signal(number, lambda number, frame: os.kill(child, number))
    ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if handed[0]:
        raise SystemExit(handed[0] - 1)
    how = f"was killed by {signal.Signals(-ended).name}" if ended < 0 else f"ended with status {ended}"
    print(f"dpclaims: the process {how} before there was a verdict", file=sys.stderr)
    raise SystemExit(128 - ended if ended < 0 else CRASHED)


@cache
def _handed_over() -> mmap.mmap:
    """A byte that parent and child share: the status plus 1, and 0 as long as there is none."""
    return mmap.mmap(-1, 1)


def hand_over(status: int) -> None:
    """Make `status` that of the command, whatever ends this process from here on."""
    _handed_over()[0] = status + 1


def leave(status: int) -> NoReturn:
    """End the process with the status of a command that cannot come to its end."""
    hand_over(status)
    sys.stdout.flush()
    END(status)


def _end_threads(status: int) -> None:
    """Python waits for threads and for what runs at its end, perhaps for ever: not here."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, LATE)
    if loky := sys.modules.get("joblib.externals.loky"):  # its workers wait for more work in a thread
        loky.get_reusable_executor().shutdown(wait=False, kill_workers=True)
    left = [t for t in threading.enumerate() if t is not threading.main_thread() and not t.daemon]
    for thread in left:
        thread.join(PATIENCE / len(left))
    if alive := sum(thread.is_alive() for thread in left):
        print(f"dpclaims: threads that are left behind are ended: {alive}", file=sys.stderr)
        leave(status)
