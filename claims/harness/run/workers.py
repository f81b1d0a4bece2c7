"""Where cells are computed: in this process, in local worker processes, or on a cluster (`cluster`)."""

from __future__ import annotations

import os
import pickle
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from audits.foreign.ends import end_with_parent
from claims.harness.claim import Claim
from claims.harness.run.cells import Cell, Outcome, Settings, compute

T = TypeVar("T")
SAFE_PATH = "PYTHONSAFEPATH"


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """The cells of a claim that are to be computed; `digest` is that of its sources, "" without any."""

    claim: Claim
    settings: Settings
    cells: Sequence[Cell]
    digest: str = ""


def in_this_process(tasks: Sequence[Task]) -> Iterator[Outcome]:
    """The outcomes of all cells, in order."""
    with one_thread():
        for task in tasks:
            for cell in task.cells:
                yield compute(task.claim, cell, task.settings)


def in_local_workers(tasks: Sequence[Task], jobs: int, paths: Sequence[str]) -> Iterator[Outcome]:
    """The outcomes of all cells from `jobs` processes, in the order in which they are ready.

    Raises ChildProcessError where a worker dies.
    """
    asked = ((packed, cell) for packed, cells in ((pack(t), t.cells) for t in tasks) for cell in cells)
    return in_workers(_unpacked, asked, jobs, paths)


def in_workers(
    function: Callable[..., T], asked: Iterable[tuple[Any, ...]], jobs: int, paths: Sequence[str] = ()
) -> Iterator[T]:
    """What the function gives for each of these arguments, from `jobs` processes, in the order in which it is
    ready. Workers end with this process, however it ends, and import nothing from the current folder.

    Raises ChildProcessError where a worker dies.
    """
    import joblib
    from joblib.externals.loky import get_reusable_executor
    from joblib.externals.loky.process_executor import BrokenProcessPool

    calls = (joblib.delayed(_in_worker)(function, each, paths, os.getpid()) for each in asked)
    options: dict[str, Any] = {"n_jobs": jobs, "batch_size": 1}
    with _safe_path(), joblib.parallel_config(backend="loky", inner_max_num_threads=1):
        outcomes: Any = joblib.Parallel(return_as="generator_unordered", **options)(calls)
        try:
            yield from outcomes
        except BrokenProcessPool as error:
            raise ChildProcessError("a worker died, killed or out of memory") from error
        except BaseException:
            # Whoever stops the run stops its workers: they may be hours from the end of their cells.
            get_reusable_executor().shutdown(wait=False, kill_workers=True)
            raise


def pack(task: Task) -> bytes:
    """The claim and what it may use, for another process: by value where tests make claims of closures."""
    from joblib.externals.loky.cloudpickle_wrapper import dumps

    return dumps((task.claim, task.settings))


def _in_worker(function: Callable[..., T], arguments: Any, paths: Sequence[str], parent: int) -> T:
    """The call in a worker, which may not know yet where other people's papers stand."""
    end_with_parent(parent)
    # Ctrl-C reaches the whole group of processes: the first of them decides.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ.pop(SAFE_PATH, None)  # programs that a claim starts are its own
    sys.path += [path for path in paths if path not in sys.path]
    return function(*arguments)


def _unpacked(packed: bytes, cell: Cell) -> Outcome:
    claim, settings = pickle.loads(packed)
    return compute(claim, cell, settings)


@contextmanager
def _safe_path() -> Iterator[None]:
    """Processes that start meanwhile do not look for modules in the current folder, as `python -m` does."""
    before = os.environ.get(SAFE_PATH)
    os.environ[SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[SAFE_PATH]
        else:
            os.environ[SAFE_PATH] = before


@contextmanager
def one_thread() -> Iterator[None]:
    """One BLAS thread: with more of them sums may be taken in another order, and bits change."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        yield
