"""One search: of the candidates of some families the best that chance does not explain becomes a score.

A family looks at the outputs of both datasets in one way: at symbols, at what a list holds, at what repeats.
It yields candidates as arrays, how surprising each of them would be if the datasets had one law, and a view
for the winner. The surprise is about −log of the probability of so large a difference, z²/2 for z standard
errors; what is left of it beyond the log of how many candidates there are is what chance does not explain.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from audits.privacy.learn.cells import of_view
from audits.privacy.outputs.outputs import Encoded, Floats
from audits.privacy.outputs.score import Fit, Score, View
from audits.privacy.tuning import TUNING


@dataclass(frozen=True, slots=True)
class Candidates:
    """How surprising each of some candidates is, (c,), and the view of the candidate of a number."""

    surprise: Floats
    view: Callable[[int], View]


Family = Callable[[Encoded, Encoded], Iterator[Candidates]]
"""Samples of both datasets → candidates of one kind; none where that kind of output does not occur."""


def some_rows(numbers: float, first: Encoded, second: Encoded) -> tuple[Encoded, Encoded]:
    """So few samples of both datasets that a family which looks at this many numbers of each of them looks at
    no more than `TUNING.most_numbers` in all."""
    rows = slice(max(TUNING.parts, int(TUNING.most_numbers / max(numbers, 1))))
    return first.take(rows), second.take(rows)


def search(name: str, families: Sequence[Family]) -> Fit:
    """The fit of a learner: the best candidate of all families as a score; None where chance explains it.

    The score comes with folds, which cut the winner's numbers into cells for themselves. The winner is chosen
    once: its family must not fit its candidates to the samples.
    """

    def fit(first: Encoded, second: Encoded) -> Score | None:
        view = best_of(families, first, second)
        return None if view is None else replace(of_view(name, view, first, second), view=view)

    return fit


def best_of(families: Sequence[Family], first: Encoded, second: Encoded) -> View | None:
    """The view of the most surprising candidate, beyond the logs of how many its family has and of how many
    families there are: so a family of thousands costs the others nothing."""
    if len(first) < TUNING.parts:
        return None
    most, best = math.log(len(families)) + TUNING.sure, None
    for one in families:
        found = [some for some in one(first, second) if len(some.surprise)]
        luck = math.log(max(sum(len(some.surprise) for some in found), 1))
        for some in found:
            beyond = float(some.surprise.max()) - luck
            if beyond > most:
                most, best = beyond, some
    return None if best is None else best.view(int(best.surprise.argmax()))
