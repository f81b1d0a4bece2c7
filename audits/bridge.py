"""Mechanisms that run in another Python: an older interpreter, another environment, another release.

`remote(python, file, name)` is a mechanism like others: `audit_privacy` and the pytest fixture take it. Its
outputs are drawn by worker processes (`bridge_worker`) of that Python. Data and a seed go in, outputs come
back, as values and never as code. What a library does to the generators of its process, to the data or to
standard output stays in the worker.
"""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import numpy as np

from audits import bridge_worker as protocol
from audits import values
from audits.privacy.draw.processes import WorkerFailed
from audits.trace.records import Asked, Report, read

TIMEOUT = 120.0
"""Seconds that one answer may take; importing a large library takes some of them."""
TRACE = Path(__file__).resolve().parent / "trace"
"""The package that watches draws; a worker loads it by its path."""
SHARE = 0.1
"""Share of the timeout that a question about many runs is expected to take."""
SEED_WORDS = 8
LAST_WORDS = 300
GRACE = 1.0
"""Seconds that a worker has to end by itself."""


def remote(
    python: str | os.PathLike[str],
    file: str | os.PathLike[str],
    name: str = "mechanism",
    *,
    timeout: float = TIMEOUT,
) -> Remote:
    """The mechanism `name` of a file, run by another Python.

    python   the interpreter: Python 3.6 or later with NumPy and what the file imports.
    file     a file as for `dpclaims audit`; `audits.each` and `audits.unseeded` can be imported there even
             where this project is not installed.
    timeout  seconds that one call of the mechanism may take.

    Data and outputs may hold numbers, strings, None, arrays, lists, tuples, sets, dictionaries, data frames.
    Each call is seeded from the generator that it gets, as are the global generators of the worker, so that
    neither the number of workers nor what a worker did before changes an output. With `jobs` of
    `audit_privacy` as many workers draw at once.
    Raises ValueError, one sentence, where the interpreter does not start or the file cannot be loaded; later
    where a worker dies, is slow, or sends what is no answer.
    """
    return Remote(Path(python), Path(file), name, float(timeout))


class Remote:
    """A mechanism `(data, size, rng) → outputs` of another Python, with what its file says of it.

    pairs, adjacency   what the file has, None where it has nothing.
    epsilon, delta     the file's claim, None where it makes none.
    python_version, libraries   what runs there; versions by name.
    replayable, one_by_one      as `unseeded` and `each` set them in the file.
    changed            set as soon as the mechanism has changed its data.
    in_workers         True: as many threads as wish may call at once.
    """

    def __init__(self, python: Path, file: Path, name: str, timeout: float) -> None:
        for what, path in (("python", python), ("file", file)):
            if not path.is_file():
                raise ValueError(f"{what} must be a file, got {str(path)!r}")
        if not 0.0 < timeout < float("inf"):
            raise ValueError(f"timeout must be a positive number of seconds, got {timeout}")
        self._start = lambda: Worker(python, file, name, timeout)
        self._timeout = timeout
        self._idle: list[Worker] = []
        self._all: list[Worker] = []
        self._lock = threading.Lock()
        self._finalizer = weakref.finalize(self, _close, self._all)
        self.in_workers = True
        self.changed = threading.Event()
        worker = self._taken()
        self._loaded = worker.loaded
        self._idle.append(worker)
        self.replayable = bool(self._loaded["replayable"])
        self.one_by_one = bool(self._loaded["one_by_one"])
        self.epsilon, self.delta = map(_number, ("epsilon", "delta"), worker.claim)
        self.python_version = str(self._loaded["python"])
        self.libraries: dict[str, str] = dict(self._loaded["libraries"])
        self.__name__ = name

    def __call__(self, data: Any, size: int, rng: np.random.Generator) -> Any:
        """`size` independent outputs on `data`."""
        header, outputs = self._ask({"ask": "draw", "size": int(size), "seed": _seed(rng)}, data)
        if header.get("changed"):
            self.changed.set()
        return outputs

    def trace(
        self, runs: Sequence[Asked], primitives: Sequence[str], kept: list[Report] | None = None
    ) -> list[Report]:
        """The reports of runs of the grey-box audit, see `audits.trace`; they are put into `kept` as they
        come, so that those are known which came before a time limit."""
        question = {"ask": "trace", "package": str(TRACE), "primitives": list(primitives)}
        found: list[Report] = []
        many = 1
        while len(found) < len(runs):
            # To put watched sources in place takes as long as a short run: one question for many of these.
            asked = [dict(vars(run)) for run in runs[len(found) : len(found) + many]]
            began = time.monotonic()
            new = read(self._ask(question, asked)[1])
            found += new
            if kept is not None:
                kept += new
            one = (time.monotonic() - began) / len(asked)
            many = max(1, int(self._timeout * SHARE / max(one, 1e-3)))
        return found

    def close(self) -> None:
        """End the workers; they also end with this object."""
        self._finalizer()

    @property
    def pairs(self) -> Callable[[np.random.Generator], Any] | None:
        """The file's pairs as a function of a generator, for `audit_privacy`."""
        if "pairs" not in self._loaded["has"]:
            return None
        return lambda rng: self._ask({"ask": "pairs", "seed": _seed(rng)})[1]

    @property
    def adjacency(self) -> Any:
        """The file's adjacency: its name, or a function (D, D′) → bool that asks the worker."""
        if self._loaded["adjacency"] is not None:
            return self._loaded["adjacency"]
        if "adjacency" not in self._loaded["has"]:
            return None
        return lambda first, second: self._ask({"ask": "adjacent"}, (first, second))[1]

    def _ask(self, question: dict[str, Any], value: Any = None) -> tuple[dict[str, Any], Any]:
        worker = self._taken()
        # A worker that fails has ended: it is not used again.
        header, result, error = worker.ask(question, value)
        with self._lock:
            self._idle.append(worker)
        if error is not None:
            raise error
        return header, result

    def _taken(self) -> Worker:
        with self._lock:
            if self._idle:
                return self._idle.pop()
        worker = self._start()
        with self._lock:
            self._all.append(worker)
        return worker


class Worker:
    """One process that draws outputs. Raises `WorkerFailed` where it does not answer as it should."""

    def __init__(self, python: Path, file: Path, name: str, timeout: float) -> None:
        self._python, self._timeout = python, timeout
        # A file, not a pipe: a library may print more than a pipe holds while nobody reads.
        self._printed: IO[bytes] = tempfile.TemporaryFile(mode="a+b")  # noqa: SIM115
        script = str(Path(protocol.__file__).resolve())
        # An environment of this process must not lend its packages to another Python.
        environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME")}
        try:
            self._process = subprocess.Popen(
                [str(python), "-u", script],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._printed,
                env=environment,
                start_new_session=True,
            )
        except OSError as error:
            self._printed.close()
            raise WorkerFailed(f"{python} cannot be started: {error}") from error
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._to, self._from = self._process.stdin, self._process.stdout
        try:
            header, claim, error = self.ask({"ask": "load", "file": str(file.resolve()), "name": name}, None)
            if error is not None:
                raise WorkerFailed(f"{file} in {python}: {type(error).__name__}: {error}")
        except BaseException:
            self.close()
            raise
        self.loaded, self.claim = header, claim

    def ask(self, question: dict[str, Any], value: Any) -> tuple[dict[str, Any], Any, BaseException | None]:
        """(header, value, error) of the answer: the error is what the user's code raised, under its name."""
        blocks: list[bytes] = []
        try:
            question = question | {"value": values.encode(value, blocks)}
        except TypeError as error:
            raise WorkerFailed(f"the data: {error}") from error
        try:
            return self._asked(protocol.frame(question, blocks))
        except BaseException:
            # A worker whose answer was not read whole can answer nothing else.
            self.close()
            raise

    def _asked(self, sent: bytes) -> tuple[dict[str, Any], Any, BaseException | None]:
        late = threading.Event()
        timer = threading.Timer(self._timeout, self._too_late, (late,))
        timer.start()
        try:
            self._to.write(sent)
            self._to.flush()
            answer = protocol.read_frame(self._from.read)
        except OSError as error:
            raise self._died(late) from error
        except (ValueError, RecursionError) as error:
            raise (self._died(late) if late.is_set() else self._lied(str(error))) from error
        finally:
            timer.cancel()
        if answer is None:
            raise self._died(late)
        header, found = answer
        if "error" in header:
            kind, message = str(header["error"]), str(header.get("message", ""))
            # The user's errors keep their names: with errors="symbol" each kind is an output of its own.
            name = kind if kind.isidentifier() else "RemoteError"
            return header, None, type(name, (RuntimeError,), {})(message)
        try:
            return header, values.decode(header.get("value"), found), None
        except (ValueError, TypeError, KeyError, IndexError, AttributeError) as error:
            raise self._lied(str(error)) from error

    def _too_late(self, late: threading.Event) -> None:
        """End the worker, and what it has started, which would keep the pipe open."""
        late.set()
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def _died(self, late: threading.Event) -> WorkerFailed:
        if late.is_set():
            return WorkerFailed(
                f"the worker in {self._python} did not answer within {self._timeout:g} s{self._last_words()}"
            )
        try:
            status: int | str = self._process.wait(GRACE)
        except subprocess.TimeoutExpired:
            status = "unknown"
        how = (
            f"was killed by signal {-status}"
            if isinstance(status, int) and status < 0
            else f"ended ({status})"
        )
        return WorkerFailed(f"the worker in {self._python} {how} before it answered{self._last_words()}")

    def _lied(self, how: str) -> WorkerFailed:
        return WorkerFailed(f"the worker in {self._python} sent what is no answer: {how}")

    def _last_words(self) -> str:
        size = os.fstat(self._printed.fileno()).st_size
        text = os.pread(self._printed.fileno(), LAST_WORDS, max(0, size - LAST_WORDS))
        words = " ".join(text.decode("utf-8", "replace").split())
        return f"; its last words: {words}" if words else ""

    def close(self) -> None:
        """End the process."""
        process = self._process
        for stream in (self._to, self._from):
            with suppress(OSError):  # what was not sent is lost
                stream.close()
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(GRACE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self._printed.close()


def _seed(rng: np.random.Generator) -> list[int]:
    """Words of 32 bits from the caller's generator: the seed of one call."""
    return [int(word) for word in rng.integers(0, 2**32, size=SEED_WORDS, dtype=np.uint64)]


def _number(name: str, value: Any) -> float | None:
    try:
        return None if value is None else float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be a number, got {value!r}") from None


def _close(workers: list[Worker]) -> None:
    while workers:
        workers.pop().close()
