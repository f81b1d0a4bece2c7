"""Cells on a Dask cluster, each worker of which must have the sources and libraries that the key names.

A worker with another line in a claim, or another NumPy, would compute something else than what is stored
under this process's key. So every worker compares digest and versions before it computes, and one that
differs ends the run with nothing of it stored.
"""

from __future__ import annotations

import logging
import pickle
import socket
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from audits.foreign.calls import Failed
from claims.harness.closure import Sources, import_paths, roots_of
from claims.harness.run.cells import Cell, Outcome, compute
from claims.harness.run.provenance import versions
from claims.harness.run.workers import Task, one_thread, pack

if TYPE_CHECKING:
    from distributed import Client

CONNECT = 10.0
"""Seconds after which a scheduler that does not answer is given up."""
CLOSE = 2.0
"""Seconds for a farewell."""


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
    with connected(address) as client:
        from distributed import CancelledError, KilledWorker, as_completed

        asked = [
            client.submit(
                _on_worker, packed, cell, tuple(paths), task.claim.module, task.digest, libraries, pure=False
            )
            for packed, task in ((pack(task), task) for task in tasks)
            for cell in task.cells
        ]
        with client.as_current():
            ready = as_completed(asked)
        try:
            for future in ready:
                yield future.result()
        except (OSError, CancelledError) as error:  # what is not fetched yet is on its worker still
            raise ChildProcessError(f"the scheduler {address} is gone") from error
        except KilledWorker as error:
            words = f"the workers of {address} die again and again on one cell: memory, perhaps"
            raise ChildProcessError(words) from error
        except ValueError as error:
            raise ValueError(
                f"a worker of the cluster {address} {error}; nothing of it was stored"
            ) from error
        except Exception as error:
            words = f"a worker of the cluster {address} cannot run claims: it {Failed(error).sentence}"
            raise ValueError(words) from error


def _on_worker(
    packed: bytes, cell: Cell, paths: Sequence[str], module: str, digest: str, libraries: Mapping[str, str]
) -> Outcome:
    """`compute` in a worker of the cluster; ValueError where it would compute something else.

    One cell at a time: the number of BLAS threads and the watch over imports hold for a whole process.
    """
    with _TURN:
        sys.path += [path for path in import_paths([*map(Path, paths)]) if path not in sys.path]
        mine = versions()
        for name, version in libraries.items():
            if mine.get(name) != version:
                raise ValueError(f"has {name} {mine.get(name, 'absent')}, this process has {version}")
        # The sources are read before they are loaded.
        if module and _sources(tuple(paths)).digest(module) != digest:
            raise ValueError(f"has other sources of {module} than this process")
        claim, settings = pickle.loads(packed)
        with one_thread():
            return compute(claim, cell, settings)


@cache
def _sources(paths: tuple[str, ...]) -> Sources:
    """The sources as this worker read them first, in the lifetime of its process."""
    return Sources(roots_of(*map(Path, paths)))


_TURN = threading.Lock()


@contextmanager
def connected(address: str) -> Iterator[Client]:
    """A client of a scheduler; ValueError where Dask is missing, or none answers. Dask's own words on lost
    connections, many lines each, are not shown."""
    try:
        from distributed import Client
    except ImportError as error:
        raise ValueError(f"--scheduler needs the library Dask, which is missing here ({error})") from error
    host, _, port = address.rpartition("://")[2].rpartition(":")
    try:  # where nobody listens Dask tries for long, and says so in many lines
        socket.create_connection((host.strip("[]"), int(port)), CONNECT).close()
    except (OSError, OverflowError, ValueError) as error:
        words = f"--scheduler {address!r}, such as tcp://host:8786, does not answer: {error}"
        raise ValueError(words) from error
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
