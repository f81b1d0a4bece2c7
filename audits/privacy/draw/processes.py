"""Work on several processes, for mechanisms that spend their time in Python."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import sys
import warnings
from collections.abc import Callable, Iterable
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from audits.foreign.ends import end_with_parent


class WorkerFailed(ValueError):
    """A process that draws outputs died, was slow, or sent what is no answer: nothing of the mechanism."""


class Unsendable(Exception):
    """A result that cannot go from one process to another."""


def can_fork() -> bool:
    """Whether processes can be forked safely here: they inherit mechanism and data, whatever these are."""
    return sys.platform == "linux"


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
    end_with_parent(parent)
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
