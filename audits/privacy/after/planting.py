"""What a passed audit is worth: leaks of stated size are planted into the outputs that it drew.

A resolution that is worked out from the events at hand says nothing of leaks that no score sees. So the audit
is run again on its own outputs with a leak in them. The runs are short ones: a sequential test that refutes
within n samples has refuted when it comes to N ≥ n of them. So what is caught twice, on different outputs,
within at most a sixth of the samples is listed as caught by an audit of all the samples. The sizes to try
follow from what a test that knows the telling event S would expect to need: log wealth grows by at most
KL((P(S), Q(S)) ‖ claim) a sample, and log(1/α) of it is needed.

Each dataset's own outputs are used, so that a leak adds to whatever the mechanism shows anyway. Within a run
every output is used once, so its samples are independent; runs share outputs with each other.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from audits.privacy.after.leaks import PlantedLeak, battery
from audits.privacy.bet import binomial, nulls
from audits.privacy.claims import Claim
from audits.privacy.draw.datasets import Dataset
from audits.privacy.draw.draws import joined
from audits.privacy.outputs.describe import rendered
from audits.privacy.outputs.encoder import Encoder
from audits.privacy.outputs.outputs import Encoded
from audits.privacy.result import Planted
from audits.privacy.tuning import TUNING

KEPT = 3
"""This part of the outputs is kept to plant leaks into."""
ROUNDS = (1.0 / 30.0, 1.0 / 10.0, 1.0 / 4.0, 1.0 / 2.0)
"""Samples of planted runs, as parts of the outputs kept. A leak is planted into two runs on different
outputs, so a run has at most half of them. Longer rounds follow as far as the samples go."""
SHORT = 250
"""Rounds whose runs have fewer samples are left out."""
CAUGHT, MISSED = 4.0, (10.0, 60.0, 1000.0)
"""Samples of a planted run in units of what a test that knows the event expects to need: for a kind of leak
that was caught before, and for a kind that was missed never, once or twice."""
SHARE, LEAST = 0.3, 10_000
"""Samples of all planted runs together: this share of the audit's, or 10,000 if that is more."""
PATIENCE, LEAST_SECONDS = 2.0, 10.0
"""No planted run begins after twice the audit's processor time, or after 10 seconds if that is more: what is
left is "not tried". Few audits come to that, as planting goes by samples, which a seed repeats. A run ends
when twice what is left has passed on the clock, as others may use the processor too."""
LEAST_ROWS = 64
MOST = {"chance": 1.0, "noise": 0.9}
"""The largest size of a leak, by its measure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Passed:
    """The audit that passed.

    samples          that it drew on each dataset of a pair.
    claim            that was audited; alpha its error level for one pair.
    run              ``run(source, samples, seconds, rng)``: the same audit of the pair (0, 1) with outputs
                     from elsewhere; whether it refuted, and whether it came to its end in time.
    """

    samples: int
    claim: Claim
    alpha: float
    run: Callable[[Leaky, int, float, np.random.Generator], tuple[bool, bool]]


class Leaky:
    """Outputs that were drawn before, with a leak of this size in them: handed out once each from place
    `start` on; after the last come the first. It stands for a `Drawer`, and for the drawer's `Encoder`: the
    outputs are columns already."""

    def __init__(
        self, pools: Sequence[Encoded], start: int, leak: PlantedLeak, size: float, rng: np.random.Generator
    ) -> None:
        self.pools, self.places, self.leak, self.size, self.rng = pools, [start, start], leak, size, rng
        self.drawn = True
        self.samples = 0  # of dataset 0
        self.first_output: float | None = None
        self.seconds = 0.0

    def draw(self, data: Dataset, size: int, rng: np.random.Generator, where: str) -> Encoded:
        """The next outputs of dataset 0 or 1, with the leak."""
        place = int(data.data)
        self.samples += size if place == 0 else 0
        if self.first_output is None:
            self.first_output = time.perf_counter()
        pool, start = self.pools[place], self.places[place]
        self.places[place] += size
        outputs = pool.take(np.arange(start, start + size) % len(pool))
        return self.leak.plant(outputs, place, self.size, self.rng)

    def encoder(self) -> Leaky:
        return self

    def encode(self, outputs: Encoded, where: str) -> Encoded:
        return outputs

    def said(self, text: str) -> str:
        return rendered(text)


def size_for(leak: PlantedLeak, samples: float, audit: Passed) -> float | None:
    """The least size at which a test that knows the event expects to refute with this number of samples; None
    where no size does."""
    needed, lines = math.log(1.0 / audit.alpha) / samples, np.unique(nulls.lines(audit.claim), axis=1)
    best: float | None = None
    sizes = np.geomspace(1e-8, 1.0, 129) * MOST[leak.measure]
    # The second grid lies between two neighbouring sizes of the first.
    for _ in range(2):
        laws = np.array([leak.law(size, nulls.pivot(audit.claim)) for size in sizes])
        p, q = np.clip(laws.T, 1e-12, 1.0 - 1e-12)
        growth = np.max([binomial.divergence(p, q, *one) for one in zip(*lines, strict=True)], axis=0)
        enough = np.flatnonzero(growth >= needed)
        if len(enough) > 0:
            best = float(sizes[enough[0]])
            sizes = np.linspace(sizes[max(enough[0] - 1, 0)], best, 33)
    return best


@dataclass(slots=True)
class Budget:
    """Samples of each dataset that planted runs may still take, and when the last of them begins by the
    processor's time."""

    samples: int
    until: float

    def seconds(self) -> float:
        """Seconds on the clock that a run may take; no run begins where none are left."""
        return PATIENCE * (self.until - time.process_time()) if self.samples > 0 else 0.0


@dataclass(slots=True)
class Trial:
    """One kind of leak: the least size that was caught and the largest that was missed so far."""

    leak: PlantedLeak
    audit: Passed
    pools: Sequence[Encoded]
    rng: np.random.Generator
    caught: float | None = None
    missed: float | None = None
    misses: int = 0
    samples: int = 0

    def next_size(self, samples: int) -> float | None:
        """The size to plant into a run with this number of samples; None where none is left to try."""
        known = self.caught is not None
        size = size_for(self.leak, samples / (CAUGHT if known else MISSED[self.misses]), self.audit)
        if self.caught is not None:
            return size if size is not None and size < self.caught else None
        return MOST[self.leak.measure] if size is None else size

    def run(self, samples: int, budget: Budget) -> None:
        """Plant a leak of one size into two runs; it is caught where both refute. Then try the next size."""
        for _ in MISSED:
            size, known = self.next_size(samples), self.caught is not None
            if size is None:
                return
            start = int(self.rng.integers(len(self.pools[0])))
            for turn in range(2):
                seconds = budget.seconds()
                if seconds <= 0.0:
                    return
                place = start + turn * len(self.pools[0]) // 2
                leaky = Leaky(self.pools, place, self.leak, size, self.rng)
                refuted, ended = self.audit.run(leaky, samples, seconds, self.rng)
                budget.samples -= leaky.samples
                if not refuted:
                    if ended and not known:
                        self.missed, self.samples = size, samples
                        self.misses = min(self.misses + 1, len(MISSED) - 1)
                    break
            else:
                self.caught, self.missed, self.samples = size, None, samples
            if known:
                return

    def said(self) -> Planted:
        """What came of it."""
        leak = self.leak
        return Planted(
            leak.words, leak.measure, self.caught, self.missed, self.samples, leak.brief or leak.words
        )


def plant(
    audit: Passed, outputs: Sequence[Any], encoder: Encoder, seconds: float, rng: np.random.Generator
) -> tuple[Planted, ...]:
    """What planted leaks were caught and missed, kind by kind; empty where there are too few outputs.

    outputs  on both datasets, as many as there are, as `encoder` takes them.
    seconds  of the processor's time, after which no planted run begins; see `PATIENCE`.
    """
    rows = min(len(outputs[0]), len(outputs[1]), audit.samples // KEPT)
    if rows < LEAST_ROWS:
        return ()
    encoder.draw(joined([some[: TUNING.glance] for some in outputs]))
    pools = [encoder.encode(some[:rows], "planted outputs") for some in outputs]
    first, second = (pool.take(slice(0, TUNING.some_rows)) for pool in pools)
    trials = [Trial(leak, audit, pools, rng) for leak in battery(first, second, encoder)]
    budget = Budget(max(int(SHARE * audit.samples), LEAST), time.process_time() + seconds)
    lengths = [max(LEAST_ROWS, int(part * rows)) for part in ROUNDS]
    for samples in [n for n in lengths if n >= SHORT] or lengths[-1:]:
        for trial in trials:
            trial.run(samples, budget)
    return tuple(trial.said() for trial in trials)
