"""Work in processes of their own: what a bug breaks, or a claim caches, ends with the process."""

from __future__ import annotations

import multiprocessing
import resource
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from typing import Any

from audits.foreign.ends import end_with_parent

PROCESSOR_SECONDS = 300
"""Processor time after which a process is ended."""
SECONDS = 3600.0
"""The same by the clock, for a process that waits for something that never comes."""
MOST_BYTES = 8 * 2**30
"""Address space of a process: a bug that asks for more memory than the machine has fails by itself alone."""


def each_forked(
    tasks: Sequence[Any],
    work: Callable[[Any, Connection], None],
    *,
    jobs: int,
    processor_seconds: int = PROCESSOR_SECONDS,
) -> Iterator[tuple[int, list[Any]]]:
    """(number, messages) of every task, in the order in which they end; at most `jobs` at a time.

    tasks, work  `work(task, connection)` runs in a forked process and sends what it finds; neither has to be
                 picklable. A process that dies leaves what it had sent.
    processor_seconds  after which a process is ended
    """
    if jobs < 1:
        raise ValueError(f"jobs must be ≥ 1, got {jobs}")
    context = multiprocessing.get_context("fork")
    waiting = list(range(len(tasks)))[::-1]
    running: dict[Connection, tuple[int, Any, float, list[Any]]] = {}
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                number = waiting.pop()
                mine, theirs = context.Pipe(duplex=False)
                process = context.Process(
                    target=_limited, args=(work, tasks[number], theirs, processor_seconds), daemon=True
                )
                process.start()
                theirs.close()
                running[mine] = (number, process, time.monotonic(), [])
            for connection in _ended(running):
                number, process, _, messages = running.pop(connection)
                connection.close()
                process.kill()
                process.join()
                yield number, messages
    finally:
        for _, process, _, _ in running.values():
            process.kill()


def _ended(running: dict[Connection, tuple[int, Any, float, list[Any]]]) -> list[Connection]:
    """Takes the messages that have come; the connections whose process has closed its end or is too late."""
    ended: list[Connection] = []
    for connection in wait(list(running), timeout=1.0):
        assert isinstance(connection, Connection)
        try:
            running[connection][3].append(connection.recv())
        except (EOFError, OSError):
            ended.append(connection)
    now = time.monotonic()
    late = [c for c, (_, _, started, _) in running.items() if now - started > SECONDS and c not in ended]
    return [*ended, *late]


def _limited(
    work: Callable[[Any, Connection], None], task: Any, connection: Connection, seconds: int
) -> None:
    parent = multiprocessing.parent_process()
    if parent is not None and parent.pid is not None:
        end_with_parent(parent.pid)
    # Ctrl-C reaches the whole group of processes: the first of them decides.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    with suppress(ValueError, OSError):  # not above the system's own limits
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, resource.getrlimit(resource.RLIMIT_CPU)[1]))
        resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    try:
        work(task, connection)
    finally:
        connection.close()
