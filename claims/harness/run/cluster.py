"""Cells on a Dask cluster, each worker of which must have the sources and libraries that the key names.

A worker with another line in a claim, or another NumPy, would compute something else than what is stored
under this process's key. So every worker compares digest and versions before it computes, and one that
differs ends the run with nothing of it stored.
"""

from __future__ import annotations

import logging
import pickle
import queue
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from claims.harness.closure import Sources, import_paths, roots_of
from claims.harness.run.cells import Cell, Outcome, compute
from claims.harness.run.provenance import versions
from claims.harness.run.workers import Task, one_thread, pack

if TYPE_CHECKING:
    from distributed import Client, Future

CONNECT = 10.0
"""Seconds after which a scheduler that does not answer is given up."""
POLL = 1.0
"""Seconds between two looks at a cluster from which nothing comes."""
CLOSE = 2.0
"""Seconds for a farewell."""
PATIENCE = 20.0
"""Seconds that a cluster may be without a worker, or a scheduler without an answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """What a worker must have: the digest of the claim's sources, and versions of libraries by name."""

    module: str
    digest: str
    versions: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a worker computed nothing, in words that follow "a worker of the cluster"."""

    reason: str


def on_cluster(
    address: str, tasks: Sequence[Task], paths: Sequence[str], libraries: Mapping[str, str]
) -> Iterator[Outcome]:
    """The outcomes of all cells from the workers of a Dask scheduler, in the order in which they are ready.

    paths      other people's papers, or folders of some, which the workers need under the same names.
    libraries  the versions that results depend on, by name.

    Raises ValueError where Dask is missing, the scheduler does not answer, or a worker has other sources or
    libraries; ChildProcessError where workers or the scheduler die.
    """
    with _quiet_logs(), _connected(address) as client:
        ready: queue.Queue[Future[Any]] = queue.Queue()
        waiting: set[Any] = set()
        for task in tasks:
            packed = pack(task)
            expected = Expected(module=task.claim.module, digest=task.digest, versions=libraries)
            for cell in task.cells:
                future = client.submit(_on_worker, packed, cell, tuple(paths), expected, pure=False)
                waiting.add(future.key)
                future.add_done_callback(ready.put)
        health = _Health(client, address)
        while waiting:
            try:
                future = ready.get(timeout=POLL)
            except queue.Empty:
                health.check()
                continue
            try:
                outcome = _outcome(future, address)
            except TimeoutError:
                ready.put(future)
                health.check()
                continue
            waiting.discard(future.key)
            yield outcome
            health.seen()


def _outcome(future: Future[Any], address: str) -> Outcome:
    """What a worker found; the errors of `on_cluster` where it found nothing.

    The outcome of a finished cell is on its worker still, and the scheduler may die while it is fetched.
    Where the worker has died Dask computes the cell again: TimeoutError if that takes longer than `CONNECT`.
    """
    from distributed import CancelledError, KilledWorker

    gone = f"the scheduler {address} is gone"
    if future.status in ("cancelled", "lost"):
        raise ChildProcessError(gone)
    error, found = None, None
    try:
        if future.status == "error":
            error = future.exception()
        else:
            found = future.result(timeout=CONNECT)
    except TimeoutError:
        raise
    except (OSError, CancelledError) as lost:
        raise ChildProcessError(gone) from lost
    if isinstance(error, KilledWorker):
        raise ChildProcessError(f"the workers of {address} die again and again on one cell: memory, perhaps")
    if error is not None:
        words = " ".join(str(error).split())
        raise ValueError(
            f"a worker of the cluster {address} cannot run claims: {type(error).__name__}: {words}"
        )
    if isinstance(found, Refused):
        raise ValueError(f"a worker of the cluster {address} {found.reason}; nothing of it was stored")
    assert isinstance(found, Outcome)
    return found


class _Health:
    """Watches a cluster from which nothing comes."""

    def __init__(self, client: Client, address: str) -> None:
        self._client, self._address = client, address
        self._well = time.monotonic()

    def seen(self) -> None:
        """An outcome came."""
        self._well = time.monotonic()

    def check(self) -> None:
        """ChildProcessError where the scheduler is gone, or no worker was there for `PATIENCE` seconds."""
        if self._client.status == "closed":
            raise ChildProcessError(f"the scheduler {self._address} is gone")
        workers: Any = None
        scheduler: Any = self._client.scheduler
        with suppress(OSError, TimeoutError, RuntimeError):
            workers = self._client.sync(scheduler.ncores, callback_timeout=CONNECT)
        if workers:
            self.seen()
        elif time.monotonic() - self._well > PATIENCE:
            what = "has no worker" if workers is not None else "does not answer"
            raise ChildProcessError(f"the scheduler {self._address} {what} for {PATIENCE:g} s")


def _on_worker(packed: bytes, cell: Cell, paths: Sequence[str], expected: Expected) -> Outcome | Refused:
    """`compute` in a worker of the cluster, if it would compute the same.

    One cell at a time: the number of BLAS threads and the watch over imports hold for a whole process.
    """
    with _turn():
        sys.path += [path for path in import_paths([*map(Path, paths)]) if path not in sys.path]
        # The sources are read before they are loaded.
        if (refused := _difference(expected, _sources(tuple(paths)))) is not None:
            return refused
        try:
            claim, work = pickle.loads(packed)
        except Exception as error:
            return Refused(f"cannot load {cell.claim} ({type(error).__name__}: {error})")
        with one_thread():
            return compute(claim, cell, work)


def _difference(expected: Expected, sources: Sources) -> Refused | None:
    """What this worker has that the key does not name; None where all is the same."""
    mine = versions()
    for name, version in expected.versions.items():
        if mine.get(name) != version:
            return Refused(f"has {name} {mine.get(name, 'absent')}, this process has {version}")
    if not expected.module:
        return None
    if sources.digest(expected.module) != expected.digest:
        return Refused(f"has other sources of {expected.module} than this process")
    if sources.changed(expected.module):
        return Refused(f"has loaded sources of {expected.module} that were changed since: restart it")
    return None


@cache
def _sources(paths: tuple[str, ...]) -> Sources:
    """The sources as this worker read them first, in the lifetime of its process."""
    return Sources(roots_of(*map(Path, paths)))


@cache
def _turn() -> threading.Lock:
    return threading.Lock()


def require_scheduler(address: str) -> None:
    """Raise ValueError where Dask is missing or no scheduler answers at this address."""
    with _quiet_logs(), _connected(address):
        pass


@contextmanager
def _connected(address: str) -> Iterator[Client]:
    try:
        from distributed import Client
    except ImportError as error:
        raise ValueError(f"--scheduler needs the library Dask, which is missing here ({error})") from error
    try:
        client = Client(address, timeout=f"{CONNECT:g}s", set_as_default=False)
    except (OSError, ValueError) as error:
        words = " ".join(str(error).split())
        raise ValueError(f"--scheduler {address!r} does not answer: {words}") from error
    try:
        yield client
    finally:
        # A scheduler that is gone is not waited for. What nobody waits for any more is not computed.
        with suppress(Exception):
            client.close(timeout=CLOSE)


@contextmanager
def _quiet_logs() -> Iterator[None]:
    """Dask tells of lost connections on stderr, many lines each; this module tells in one."""
    logger = logging.getLogger("distributed")
    before = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        logger.setLevel(before)
