"""Work on several processes, for mechanisms that spend their time in Python."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import random
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterable
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

PAUSE = 1.0
"""Seconds between two looks at whether the parent lives."""
_WATCH = "end-with-parent"
_SET_DEATH_SIGNAL = 1
"""PR_SET_PDEATHSIG of Linux' prctl."""


class WorkerFailed(ValueError):
    """A process that draws outputs died, was slow, or sent what is no answer: nothing of the mechanism."""


class Unsendable(Exception):
    """A result that cannot go from one process to another."""


def can_fork() -> bool:
    """Whether processes can be forked safely here: they inherit mechanism and data, whatever these are."""
    return sys.platform == "linux"


def killed_with_parent(parent: int) -> None:
    """In a forked process: the system kills it when `parent` is gone, even by SIGKILL. Linux only.

    The signal comes when the thread that forked ends, so that this thread must outlive the process.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SET_DEATH_SIGNAL, signal.SIGKILL)
        if os.getppid() != parent:  # it was gone before
            os._exit(1)


def end_with_parent(parent: int) -> None:
    """In a worker process that any thread may have started: it ends within `PAUSE` seconds when `parent` is
    gone, even by SIGKILL. A second call does nothing.
    """
    if any(thread.name == _WATCH for thread in threading.enumerate()):
        return

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(PAUSE)
        os._exit(1)

    threading.Thread(target=watch, name=_WATCH, daemon=True).start()


def in_processes(work: Callable[[int], Any], count: int, jobs: int) -> list[Any]:
    """[work(0), …, work(count − 1)], on `jobs` forked processes.

    Results come back pickled. Raises what `work` raises; `Unsendable` where a result cannot be pickled;
    RuntimeError where a process ends before its work does. However it ends, no process is left.
    """
    context = multiprocessing.get_context("fork")
    found: list[Any] = []
    workers: list[tuple[Any, Connection]] = []
    try:
        for job in range(min(jobs, count)):
            receiver, sender = context.Pipe(duplex=False)
            process = context.Process(target=_run, args=(work, range(job, count, jobs), sender, os.getpid()))
            with warnings.catch_warnings():
                # Threads of numerical libraries are idle while a mechanism is called.
                warnings.simplefilter("ignore", DeprecationWarning)
                process.start()
            sender.close()
            workers.append((process, receiver))
        for place in range(count):
            try:
                good, result = workers[place % jobs][1].recv()
            except EOFError:
                raise RuntimeError("a process that draws outputs ended before its work did") from None
            except Exception as error:
                raise Unsendable(str(error)) from error
            if not good:
                raise result
            found.append(result)
        return found
    finally:
        for process, receiver in workers:
            if len(found) < count:
                process.terminate()
            process.join()
            receiver.close()


def _run(work: Callable[[int], Any], places: Iterable[int], sender: Connection, parent: int) -> None:
    """The work of one process."""
    killed_with_parent(parent)
    # Ctrl-C reaches the whole group of processes: the first of them decides.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for other in (signal.SIGTERM, signal.SIGHUP, signal.SIGALRM):
        signal.signal(other, signal.SIG_DFL)
    for place in places:
        # Global generators would be in one state in all processes.
        np.random.seed()  # noqa: NPY002
        random.seed()
        try:
            message = True, work(place)
        except BaseException as error:
            # Whatever a mechanism raises is said by the process that asked for its outputs.
            message = False, error
        try:
            sender.send(message)
        except Exception as error:
            sender.send((False, Unsendable(str(error))))
    sender.close()
