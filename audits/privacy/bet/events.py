"""Threshold families: a score cut at many thresholds, and how often each dataset is in each of the events."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from audits.privacy.outputs.outputs import Floats, Ints
from audits.privacy.outputs.score import Score
from audits.privacy.tuning import TUNING


@dataclass(frozen=True, slots=True)
class ThresholdFamily:
    """A score with thresholds and, for each of them, how many samples of each dataset have score ≥ threshold.

    A sample that the score was learned from is counted by the fit of the fold that has not seen it.

    size  samples of each dataset behind the counts.
    Every threshold gives four events: {score ≥ t} and {score < t}, each for both directions. Of an event the
    *lesser dataset* is the one that should have the smaller probability.
    """

    score: Score
    thresholds: Floats
    first: Ints
    second: Ints
    size: int

    def add(self, first: Ints, second: Ints, size: int) -> ThresholdFamily:
        """The family with the counts of another batch added."""
        return replace(self, first=self.first + first, second=self.second + second, size=self.size + size)

    def keep(self, cuts: Ints) -> ThresholdFamily:
        """Only some of the thresholds."""
        return replace(
            self, thresholds=self.thresholds[cuts], first=self.first[cuts], second=self.second[cuts]
        )

    def hits(self, first: Ints, second: Ints, size: int) -> tuple[Ints, Ints]:
        """Counts of the four events of every cut, (4K,) each: on the dataset that should have more, then on
        the other.

        Order: forward ≥, forward <, backward ≥, backward <.
        """
        x = np.concatenate([first, size - first, second, size - second])
        y = np.concatenate([second, size - second, first, size - first])
        return x, y

    def all_hits(self) -> tuple[Ints, Ints]:
        """`hits` of the counts so far."""
        return self.hits(self.first, self.second, self.size)

    def shares(self) -> tuple[Floats, Floats]:
        """Shares of the events, half a hit added to hits and to misses so that none is 0 or 1."""
        x, y = self.all_hits()
        return (x + 0.5) / (self.size + 1.0), (y + 0.5) / (self.size + 1.0)

    def nothing(self) -> Ints:
        """Counts of no samples of either dataset, (2, K)."""
        return np.zeros((2, len(self.thresholds)), np.int64)

    def words(self, event: int) -> tuple[str, str]:
        """Direction and description of one of the 4K events."""
        kind, cut = divmod(event, len(self.thresholds))
        text = self.score.describe(float(self.thresholds[cut]), kind % 2 == 0)
        return ("forward" if kind < 2 else "backward"), text


def count(scores: Floats, thresholds: Floats) -> Ints:
    """How many scores are ≥ each threshold."""
    if len(thresholds) <= TUNING.parts:
        # To compare with few thresholds takes no longer than to put the scores in order.
        return np.array([np.count_nonzero(scores >= t) for t in thresholds], dtype=np.int64)
    ordered = np.sort(scores)
    return len(scores) - np.searchsorted(ordered, thresholds, side="left").astype(np.int64)


def thresholds(pooled: Floats, weights: Ints | None = None) -> Floats:
    """Thresholds at quantiles that thin out geometrically towards both ends; all values where few. `weights`
    says how often each of them occurs."""
    seen = pooled if weights is None else pooled[weights > 0]
    # A few of them tell mostly that there are many.
    if len(np.unique(seen[: TUNING.glance])) <= TUNING.few_values:
        few = np.unique(seen)
        if len(few) <= TUNING.few_values:
            return few[1:]
    if weights is not None:
        pooled = np.repeat(pooled, weights)
    least = TUNING.repeats / len(pooled)
    cuts = int(np.floor(np.log(0.5 / least) / np.log(1.0 / TUNING.tail_ratio))) if least < 0.5 else 0
    tails = 0.5 * TUNING.tail_ratio ** np.arange(cuts + 1)
    levels = np.unique(np.concatenate([tails, 1.0 - tails]))
    # Quantiles by one sort, which is far faster than a partition for many of them.
    ordered = np.sort(pooled)
    found = np.unique(np.interp(levels * (len(ordered) - 1), np.arange(len(ordered)), ordered))
    return found[found > ordered[0]]


def build(
    score: Score,
    first: Floats,
    second: Floats,
    fitted: int,
    *,
    steady: bool,
    judge: Callable[[Floats, Floats], tuple[Floats, Floats]] | None = None,
) -> ThresholdFamily | None:
    """The family of a score with these values on samples of both datasets.

    The samples before place `fitted` were used to fit the score, so they are not counted; with a `judge` they
    are, by the values that it returns for them. `steady`: an output has the same score in every batch, as
    scores are rounded.
    """
    if steady:
        # The last bits of a matrix product depend on its number of rows. Where outputs repeat, a threshold is
        # the score of some output, and two batches could disagree on whether that output is in the event.
        unit, exact = rounding(first, second), score.evaluate
        score = replace(score, evaluate=lambda e: rounded(exact(e), unit))
        first, second = rounded(first, unit), rounded(second, unit)
    cuts = thresholds(np.concatenate([first, second]))
    if len(cuts) == 0:
        return None
    start = fitted if score.learned else 0
    if judge is not None:
        (first, second), start = judge(first, second), 0
    return ThresholdFamily(
        score, cuts, count(first[start:], cuts), count(second[start:], cuts), len(first) - start
    )


def rounding(first: Floats, second: Floats) -> float:
    """The unit that scores are rounded to: far above their last bits, far below a difference that matters."""
    return TUNING.steady * max(np.abs(first).max(initial=0.0), np.abs(second).max(initial=0.0))


def rounded(values: Floats, unit: float) -> Floats:
    """Multiples of `unit`; the values themselves where it is 0."""
    return np.round(values / unit) * unit if unit > 0.0 else values
