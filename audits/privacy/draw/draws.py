"""Drawing outputs: mechanisms of another shape, and what is checked at every call."""

from __future__ import annotations

import enum
import functools
import itertools
import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import numpy as np

from audits import bridge_worker
from audits.foreign.calls import Failed, called
from audits.privacy.draw.datasets import Dataset
from audits.privacy.draw.processes import Unsendable, WorkerFailed, can_fork, in_processes
from audits.privacy.outputs.encoder import TOO_MANY, Encoder
from audits.privacy.outputs.leaves import Word, objects
from audits.privacy.outputs.outputs import Raw
from audits.privacy.tuning import TUNING
from audits.values import MOST_ITEMS, Refused, brief, digest, foreign

Mechanism = Callable[..., Any]


ERRORS = ("raise", "symbol")
SYMBOLS = '; errors="symbol" takes exceptions for outputs'
"""The end of a message of a mechanism that raised."""
CHUNK = 1 << 16
"""Outputs that a mechanism draws in one call, at most; each chunk has a generator of its own."""
CHUNK_ONE_BY_ONE, MOST_CHUNKS = 32, 64
"""The least chunk of a mechanism that is called for every output, and how many chunks a draw has at most."""
TRIED = 4
"""Outputs that are drawn twice from equal seeds: they differ where a mechanism has a generator of its own."""
WORTH_FORKING = 0.2
"""Seconds that a draw must take to be worth processes of its own."""


class Stopped(BaseException):
    """Raised into a run from outside, as by a handler of signals; its words say what happened. A mechanism
    that catches every `Exception` does not stop it."""

    from_outside = True


def each(f: Mechanism) -> Mechanism:
    """A mechanism from `f(data, rng)` that draws one output a call.

    The result is `mechanism(data, size, rng) -> array (size, …)`; it loops, so it is as slow as `f`. Every
    call of `f` gets its own copy of the data.

    >>> noisy = each(lambda data, rng: data + rng.normal())
    >>> noisy(0.0, 3, np.random.default_rng(0)).shape
    (3,)
    """

    listed = bridge_worker.each(f)

    @functools.wraps(listed)
    def mechanism(data: Any, size: int, rng: np.random.Generator | None = None) -> Any:
        return stack(listed(data, size, rng))

    return mechanism


def stack(outputs: Sequence[Any]) -> Raw:
    """Outputs one by one → an array, outputs along the first axis; all but numbers of one kind and arrays of
    one shape become Python objects."""
    first = outputs[0] if len(outputs) else 0.0
    if isinstance(first, enum.Enum) or any(type(o) is not type(first) for o in outputs):
        return objects(outputs)
    if isinstance(first, int):
        return np.asarray(outputs) if all(-(2**63) <= o < 2**63 for o in outputs) else objects(outputs)
    # Times of several units would all get the same, and bytes would lose zeros at their end.
    if isinstance(first, (float, np.number, np.bool_)) and not isinstance(first, np.timedelta64):
        return np.asarray(outputs)
    arrays = type(first) is np.ndarray and first.ndim > 0 and first.dtype.kind not in "OV"
    if arrays and len({(o.shape, o.dtype) for o in outputs}) == 1:
        return np.stack(list(outputs))
    return objects(outputs)


def named(place: int, index: int) -> str:
    """The name of a dataset in messages: the first, 0, or the second, 1, of a pair."""
    return f"the {('first', 'second')[place]} dataset of pair {index}"


class Drawer:
    """Calls a mechanism on copies of the data and checks what comes back.

    errors    "raise": an exception or NaN is bad input. "symbol": it is an output of its own; outputs are
              then drawn one a call, as a call that raises says nothing of its other outputs.
    jobs      processes that draw where every output takes a call of its own, and threads that draw where
              not: outputs do not depend on it. What takes no generator is drawn by one process, as it may
              draw from one that has the same state in all.
    keep      how many of the first outputs of a dataset are kept, at most.
    patience  seconds after which a draw of one output a call ends with fewer outputs.

    replayable    False for mechanisms wrapped by `unseeded`.
    one_by_one    whether every output comes from a call of its own, as `each` has it.
    changed       whether the mechanism has changed its data so far.
    outcomes      the failures that calls have ended with so far, and "" where one has returned an output.
    answered      by the name of a dataset, how many calls on it have returned outputs, at least.
    first_output  when the first call ended, by `time.perf_counter`.
    row_bytes     bytes that the array of a draw takes for an output, at most.
    """

    def __init__(
        self,
        mechanism: Mechanism,
        errors: str = "raise",
        jobs: int = 1,
        keep: int = 0,
        patience: float = math.inf,
    ) -> None:
        self.mechanism, self.jobs, self.keep, self.patience = mechanism, jobs, keep, patience
        self.seconds, self.drawn, self.row_bytes = 0.0, 0, 1
        self.symbols = self.one_a_call = errors == "symbol"
        self.replayable = bool(getattr(mechanism, "replayable", True))
        self.one_by_one = self.symbols or bool(getattr(mechanism, "one_by_one", False))
        self.changed = False
        self.outcomes: set[str] = set()
        self.answered: dict[str, int] = {}
        self.first_output: float | None = None
        self._kept: dict[str, list[Raw]] = {}
        self._replays: bool | None = None

    @property
    def failure(self) -> str:
        """What every call has ended with so far, in words; "" where they have ended in several ways."""
        return next(iter(self.outcomes)) if len(self.outcomes) == 1 else ""

    def alone(self) -> None:
        """From now on every output comes from a call of its own."""
        self.one_by_one = self.one_a_call = True

    def encoder(self) -> Encoder:
        """A new encoder for the outputs of one pair."""
        return Encoder(nan=self.symbols)

    def draw(self, data: Dataset, size: int, rng: np.random.Generator, where: str) -> Raw:
        """`size` outputs, first axis first. `where` names the dataset in messages.

        Raises ValueError where the mechanism raises, exits, or returns another number of outputs.
        """
        start = time.perf_counter()
        outputs = self._drawn(data, size, rng, where)
        self.seconds, self.drawn = self.seconds + time.perf_counter() - start, self.drawn + size
        if self.symbols:
            self.outcomes.update(map(failure, outputs))
        kept = self._kept.setdefault(where, [])
        self.row_bytes = max(self.row_bytes, outputs[:1].nbytes)
        room = min(self.keep, TUNING.most_bytes // 2 // self.row_bytes) - sum(map(len, kept))
        if room > 0:
            kept.append(outputs[:room].copy())
        return outputs

    def kept(self, where: str) -> Raw:
        """The outputs that are kept of the dataset of that name; nothing where none was drawn."""
        parts = self._kept.get(where)
        return joined(parts) if parts else np.zeros(0)

    def _drawn(self, data: Dataset, size: int, rng: np.random.Generator, where: str) -> Raw:
        chunk = max(CHUNK_ONE_BY_ONE, -(-size // MOST_CHUNKS)) if self.one_by_one else CHUNK
        sizes = [min(chunk, size - start) for start in range(0, size, chunk)]
        until = time.perf_counter() + self.patience
        # Calls in other processes are not counted here, so that a chunk of outputs counts as one call.
        self.answered.setdefault(where, 0)
        if len(sizes) <= 1:
            outputs = self._chunk(data, size, rng, where, until)
            self.answered[where] += 1
            return outputs
        generators = rng.spawn(len(sizes))

        def work(place: int) -> tuple[Raw, bool]:
            return self._chunk(data, sizes[place], generators[place], where, until), self.changed

        def again(place: int) -> bool:
            return self.replays(data, where, until)

        found = self._on_jobs(work, sizes, again)
        self.changed = self.changed or any(changed for _, changed in found)
        self.answered[where] += len(found)
        return joined([outputs for outputs, _ in found])

    def replays(self, data: Dataset, where: str, until: float = math.inf) -> bool:
        """Whether equal generators give equal outputs, of those that are drawn until then."""
        first, second = (self._chunk(data, TRIED, np.random.default_rng(0), where, until) for _ in range(2))
        return list(map(digest, first)) == list(map(digest, second))

    def _on_jobs(
        self, work: Callable[[int], tuple[Raw, bool]], sizes: list[int], again: Callable[[int], bool]
    ) -> list[tuple[Raw, bool]]:
        """The chunks, on as many threads or processes as there are jobs; which draws does not matter.

        again  whether equal generators give equal outputs. Where not, the mechanism draws from a generator of
               its own, too, which would be in the same state in every process.
        """
        count = len(sizes)
        # Where processes of the mechanism's own draw (`audits.remote`), each thread waits for one of them.
        in_workers = bool(getattr(self.mechanism, "in_workers", False))
        if in_workers and self.jobs > 1:
            if self._replays is None:
                self._replays = self.replayable and again(0)
            self.jobs = self.jobs if self._replays else 1
        if self.jobs > 1 and (in_workers or (self.replayable and not self.one_by_one)):
            with ThreadPoolExecutor(self.jobs) as pool:
                return list(pool.map(work, range(count)))
        worth = self.seconds * sum(sizes) > WORTH_FORKING * max(self.drawn, 1)
        if self.jobs > 1 and worth and self.replayable and can_fork():
            found = self._forked(work, count, again)
            if found is not None:
                return found
            self.jobs = 1  # the same chunks again, one after the other
        return [work(place) for place in range(count)]

    def _forked(
        self, work: Callable[[int], tuple[Raw, bool]], count: int, again: Callable[[int], bool]
    ) -> list[tuple[Raw, bool]] | None:
        """The chunks, drawn by processes; None where these repeat each other's draws, or cannot send them."""
        try:
            if self._replays is None:
                self._replays = in_processes(again, 1, 1)[0]
            return in_processes(work, count, self.jobs) if self._replays else None
        except Unsendable:
            return None
        except RuntimeError as error:
            raise ValueError("mechanism ended the process that called it") from error

    def _chunk(self, data: Dataset, size: int, rng: np.random.Generator, where: str, until: float) -> Raw:
        if not self.one_a_call:
            return self._called(data, size, rng, where)
        parts = [self._called(data, 1, rng, where)]
        while len(parts) < size and time.perf_counter() <= until:
            parts.append(self._called(data, 1, rng, where))
        return objects([part[0] for part in parts]) if self.symbols else joined(parts)

    def _called(self, data: Dataset, size: int, rng: np.random.Generator, where: str) -> Raw:
        raw = called(self._outputs, data, size, rng)
        if type(raw) is Failed:
            error = raw.error
            if isinstance(error, WorkerFailed):
                raise WorkerFailed(f"{error}; on {where}") from error
            if self.symbols:
                return objects([Word(f"raised {type(error).__name__}", failed=True)])
            if isinstance(error, SystemExit):
                raise ValueError(f"mechanism {raw.sentence} on {where}") from error
            raise ValueError(f"mechanism {_raised(raw, where)}") from error
        try:
            with foreign():
                return _checked(raw, size)
        except Refused as error:
            raise ValueError(f"mechanism {error} on {where}") from error

    def _outputs(self, data: Dataset, size: int, rng: np.random.Generator) -> Any:
        mine = data.fresh()
        try:
            return self.mechanism(mine, size, rng)
        finally:
            if self.first_output is None:
                self.first_output = time.perf_counter()
            if not self.changed:
                # A mechanism of another process has copies of its own, and says itself what it does to them.
                elsewhere = getattr(getattr(self.mechanism, "changed", None), "is_set", None)
                self.changed = data.differs(mine) or (elsewhere is not None and bool(elsewhere()))


def failure(output: Any) -> str:
    """How the call ended that an output stands for, as "raised KeyError"; "" for an output proper."""
    return output.name if isinstance(output, Word) and output.failed else ""


def _raised(failed: Failed, where: str) -> str:
    """What a mechanism raised, and what would do."""
    error, remedy = failed.error, SYMBOLS
    if isinstance(error, TypeError) and " argument" in failed.sentence:
        remedy = (
            "; a mechanism is called as mechanism(data, size, rng): audits.each wraps f(data, rng), "
            "audits.unseeded f(data, size), and each(unseeded(f)) f(data)"
        )
    elif isinstance(error, (NameError, ImportError, AttributeError)):
        remedy = ""
    return f"{failed.sentence} on {where}{remedy}"


def joined(parts: list[Raw]) -> Raw:
    """Chunks of outputs as one array; of different kinds, as Python objects."""
    if len({(part.dtype, part.shape[1:]) for part in parts}) == 1:
        return np.concatenate(parts)
    return objects([output for part in parts for output in part])


def _checked(raw: Any, size: int) -> Raw:
    if isinstance(raw, np.ma.MaskedArray):
        # Which values are masked is seen by whoever gets the output: None in their place.
        raw = stack(cast(Any, raw).tolist())
    # A mechanism may write its next outputs into the array of these.
    outputs = np.array(raw) if isinstance(raw, np.ndarray) else _listed(raw, size)
    if outputs.ndim == 0 or len(outputs) != size:
        got = "a single value" if outputs.ndim == 0 else f"{len(outputs)} outputs (shape {outputs.shape})"
        raise Refused(f"must return {size} outputs along the first axis, got {got}")
    if math.prod(outputs.shape[1:]) > MOST_ITEMS:
        raise Refused(TOO_MANY)
    return outputs


def _listed(raw: Any, size: int) -> Raw:
    if hasattr(raw, "to_records") and hasattr(raw, "columns"):
        return np.asarray(raw.to_records(index=False))
    if isinstance(raw, (str, bytes)) or not isinstance(raw, Sequence):
        if hasattr(raw, "__array__"):
            return np.array(raw)
        remedy = "; list(…) makes one of it" if isinstance(raw, Iterable) and not isinstance(raw, str) else ""
        if isinstance(raw, (Mapping, AbstractSet)):
            remedy = f"; one {type(cast(Any, raw)).__name__} for each output, in a list, would do"
        elif hasattr(raw, "toarray"):
            remedy = "; .toarray() makes one of it"
        raise Refused(f"must return an array or a list of outputs, got {brief(raw)}{remedy}")
    # A sequence of another type may be longer than any memory: one item too many is enough to see.
    some = raw if isinstance(raw, list) else [*itertools.islice(raw, size + 1)]
    return stack(cast(Sequence[Any], some))
