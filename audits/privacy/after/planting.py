"""What a passed audit is worth: leaks of stated size are planted into the outputs that it drew.

A resolution that is worked out from the events at hand says nothing of leaks that no score sees. So the audit
is run again on its own outputs with a leak in them, ever smaller ones until one is missed. These runs are
short: a sequential test that refutes within n samples has refuted when it comes to N ≥ n of them. So what is
caught twice, on different outputs, in a tenth of the samples is listed as caught by an audit of all of them.

The outputs are independent draws, and what is planted into one of them depends on that output, its dataset
and fresh randomness alone. So planted outputs are independent draws of a mechanism that leaks, and whatever
the mechanism shows anyway adds to it. Runs share outputs with each other.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from audits.privacy.outputs.outputs import Raw
from audits.privacy.result import Planted
from audits.privacy.tuning import TUNING

Rng = np.random.Generator
Plant = Callable[[Raw, int, float, Rng], Raw]
"""plant(outputs, dataset, size, rng): outputs with the leak in them; dataset 0 is the first, 1 the second."""

PART = 10
"""A planted run takes at most this part of the audit's samples."""
KEPT = 5
"""This part of the audit's outputs is kept to plant leaks into: enough for two runs."""
LEAST = 64
"""Outputs of a planted run, at least."""
SIZES = {
    "chance": [1.0 / (first * 10**power) for power in range(6) for first in (2, 5, 10)],
    "noise": [0.9, 0.75, 0.5, 0.4, 0.3, 0.25, 0.2, 0.15, 0.1, 0.05, 0.02, 0.01],
}
"""Sizes of leaks, the largest first. A *chance* is that with which an output of the first dataset is replaced
by what no other output is, *noise* the share by which the distance of every output to the median of its
dataset is made smaller."""
PATIENCE, LEAST_SECONDS = 2.0, 10.0
"""No planted run begins after twice the audit's processor time, or after 10 seconds if that is more."""


@dataclass(frozen=True, slots=True)
class Leak:
    """A kind of leak, what its sizes are (see `SIZES`), and what plants it."""

    words: str
    measure: str
    plant: Plant


def plant(
    run: Callable[[Callable[..., Any], int], bool],
    outputs: Sequence[Raw],
    samples: int,
    seconds: float,
    rng: Rng,
) -> tuple[Planted, ...]:
    """What planted leaks are caught, kind by kind; empty where there are too few outputs.

    run      ``run(mechanism, samples)``: whether the same audit refutes a mechanism on the pair (0, 1).
    outputs  of the audit on both datasets; samples that it drew of each.
    seconds  of the processor's time, after which no planted run begins.
    """
    size = min(samples // PART, min(map(len, outputs)) // 2)
    if size < LEAST:
        return ()
    until = time.process_time() + seconds

    def caught(leak: Leak, amount: float, half: int) -> bool:
        """Whether there was time to plant a leak, and it is caught."""
        if time.process_time() > until:
            return False
        part = slice(half * size, (half + 1) * size)
        return run(Leaky([side[part] for side in outputs], leak, amount, rng), size)

    found: list[Planted] = []
    for leak in leaks(outputs):
        sizes, place = SIZES[leak.measure], 0
        while place < len(sizes) and caught(leak, sizes[place], 0):
            place += 1
        while place > 0 and not caught(leak, sizes[place - 1], 1):
            place -= 1
        missed = place < len(sizes) and time.process_time() <= until
        found.append(
            Planted(
                leak.words,
                leak.measure,
                caught=sizes[place - 1] if place > 0 else None,
                missed=sizes[place] if missed else None,
                samples=size,
            )
        )
    return tuple(found)


class Leaky:
    """A mechanism that hands out outputs that were drawn before, once each, with a leak in them."""

    def __init__(self, outputs: Sequence[Raw], leak: Leak, amount: float, rng: Rng) -> None:
        self.outputs, self.leak, self.amount, self.rng = outputs, leak, amount, rng
        self.places = [0, 0]

    def __call__(self, data: int, size: int, rng: Rng) -> Raw:
        start = self.places[data]
        self.places[data] += size
        return self.leak.plant(self.outputs[data][start : start + size], data, self.amount, self.rng)


def leaks(outputs: Sequence[Raw]) -> list[Leak]:
    """The leaks that suit outputs of this kind, the commonest mistakes first."""
    found: list[Leak] = []
    columns = [side.reshape(len(side), -1) for side in outputs]
    some = [side[: TUNING.some_rows] for side in columns]
    if all(side.dtype.kind == "f" and np.isfinite(side).all() for side in columns):
        repeated = np.diff(np.sort(np.concatenate(some), axis=0), axis=0) == 0.0
        if (repeated.mean(axis=0) < 1.0 - TUNING.nearly).any():
            middles = [np.median(side, axis=0) for side in outputs]
            found.append(Leak("noise", "noise", partial(less_noise, middles)))
    if all(side.dtype.kind in "iuf" and side.shape[1] for side in columns):
        # Nothing is special about the column in the middle.
        place = columns[0].shape[1] // 2
        new = new_number(np.concatenate([side[:, place] for side in columns]))
        found.append(Leak("a value released", "chance", partial(a_number, new, place)))
    return [*found, Leak("None in place of an output", "chance", none_in_place)]


def less_noise(middles: Sequence[Raw], outputs: Raw, dataset: int, size: float, rng: Rng) -> Raw:
    """Outputs nearer to the median of their dataset."""
    return middles[dataset] + (1.0 - size) * (outputs - middles[dataset])


def new_number(seen: Raw) -> Any:
    """A number that is not among these: between two of them in the middle, or a whole one above all."""
    ordered = np.unique(seen)
    half = len(ordered) // 2
    return 0.5 * (ordered[half - 1] + ordered[half]) if half and seen.dtype.kind == "f" else ordered[-1] + 1


def a_number(number: Any, place: int, outputs: Raw, dataset: int, size: float, rng: Rng) -> Raw:
    """The number in this column of some outputs of the first dataset."""
    found = outputs.copy()
    found.reshape(len(found), -1)[_hit(len(found), dataset, size, rng), place] = number
    return found


def none_in_place(outputs: Raw, dataset: int, size: float, rng: Rng) -> Any:
    """None in place of some outputs of the first dataset."""
    hit = _hit(len(outputs), dataset, size, rng)
    return [None if leaks else output for leaks, output in zip(hit, outputs, strict=True)]


def _hit(count: int, dataset: int, size: float, rng: Rng) -> Raw:
    return (rng.random(count) < size) & (dataset == 0)
