"""Cells on a Dask cluster, each worker of which must have the sources and libraries that the key names.

A worker with another line in a claim, or another NumPy, would compute something else than what is stored
under this process's key. So every worker compares digest and versions before it computes, and one that
differs ends the run with nothing of it stored.
"""

from __future__ import annotations

import logging
import pickle
import re
import socket
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from audits.foreign.calls import Failed, called
from claims.harness.closure import Sources, import_paths, roots_of
from claims.harness.run.cells import Cell, Outcome, compute
from claims.harness.run.provenance import versions
from claims.harness.run.workers import Task, one_thread, pack

if TYPE_CHECKING:
    from distributed import Client, Future

CONNECT = 10.0
"""Seconds after which a scheduler that does not answer is given up."""
CLOSE = 2.0
"""Seconds for a farewell."""


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

    A cluster without a worker is waited for, as Dask does: workers may be in the queue of a batch system.

    paths      other people's papers, or folders of some, which the workers need under the same names.
    libraries  the versions that results depend on, by name.

    Raises ValueError where Dask is missing, the scheduler does not answer, or a worker has other sources or
    libraries; ChildProcessError where workers or the scheduler die.
    """
    with _connected(address) as client:
        from distributed import as_completed

        asked: dict[Future[Any], Cell] = {}
        for task in tasks:
            packed = pack(task)
            expected = Expected(module=task.claim.module, digest=task.digest, versions=libraries)
            for cell in task.cells:
                future = client.submit(_on_worker, packed, cell, tuple(paths), expected, pure=False)
                asked[future] = cell
        with client.as_current():
            ready = as_completed([*asked])
        for future in ready:
            yield _outcome(future, asked[future], address)


def _outcome(future: Future[Any], cell: Cell, address: str) -> Outcome:
    """What a worker found for a cell; the errors of `on_cluster` where it found nothing."""
    from distributed import CancelledError, KilledWorker

    worker = f"a worker of the cluster {address}"
    # The answer is unpickled here, which runs what its worker says.
    found = called(lambda: future.exception() if future.status == "error" else future.result())
    if type(found) is Failed:
        if isinstance(found.error, (OSError, CancelledError)):  # the outcome is on its worker still
            raise ChildProcessError(f"the scheduler {address} is gone") from found.error
        raise ValueError(f"{worker} sent what cannot be read: it {found.sentence}") from found.error
    if isinstance(found, KilledWorker):
        raise ChildProcessError(f"the workers of {address} die again and again on one cell: memory, perhaps")
    if isinstance(found, BaseException):
        raise ValueError(f"{worker} cannot run claims: it {Failed(found).sentence}")
    if isinstance(found, Refused):
        raise ValueError(f"{worker} {found.reason}; nothing of it was stored")
    if not isinstance(found, Outcome) or found.cell != cell:
        raise ValueError(f"{worker} sent no outcome of {cell.claim} but {type(found).__name__}")
    return found


def _on_worker(packed: bytes, cell: Cell, paths: Sequence[str], expected: Expected) -> Outcome | Refused:
    """`compute` in a worker of the cluster, if it would compute the same.

    One cell at a time: the number of BLAS threads and the watch over imports hold for a whole process.
    """
    with _turn():
        sys.path += [path for path in import_paths([*map(Path, paths)]) if path not in sys.path]
        # The sources are read before they are loaded.
        if (refused := _difference(expected, _sources(tuple(paths)))) is not None:
            return refused
        found = called(pickle.loads, packed)
        if type(found) is Failed:
            return Refused(f"cannot load {cell.claim}: it {found.sentence}")
        claim, settings = found
        with one_thread():
            return compute(claim, cell, settings)


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
    with _connected(address):
        pass


def _must_answer(address: str) -> None:
    """ValueError where nobody listens at an address: Dask tries for long, and says so in many lines."""
    found = re.fullmatch(r"(?:(?:tcp|tls)://)?\[?([^/\s]+?)\]?:(\d{1,5})", address)
    if found is None:
        raise ValueError(f"--scheduler must be an address such as tcp://host:8786, got {address!r}")
    try:
        socket.create_connection((found[1], int(found[2])), CONNECT).close()
    except (OSError, OverflowError, UnicodeError) as error:
        raise ValueError(f"--scheduler {address!r} does not answer: {error}") from error


@contextmanager
def _connected(address: str) -> Iterator[Client]:
    """A client; Dask's own words on lost connections, many lines each, are not shown."""
    try:
        from distributed import Client
    except ImportError as error:
        raise ValueError(f"--scheduler needs the library Dask, which is missing here ({error})") from error
    _must_answer(address)
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)  # its loggers have levels of their own
    try:
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
    finally:
        logging.disable(before)
