"""What of an output is one value on D and another one on D′ in every run, whatever is drawn: a proof.

Runs on both datasets are made with draws of their own. A place of the output, or the difference of two of its
numbers (noise that two values share cancels in it), that never changes on a dataset is told by it.
"""

from __future__ import annotations

import time
from typing import Any, Callable, List, Optional

import numpy as np

from ..record.run import Run
from ..record.values import SAME, numbers, shown, unlike_places
from ..records import Certain

SECONDS = 1.0
"""Processor time that the runs may take."""
MOST_NUMBERS, MOST_PLACES = 40, 50
"""Numbers of an output whose differences are looked at, and places that are."""


def certain(fresh: Callable[[int, int], Run], wanted: int) -> Optional[Certain]:
    """Something that tells D from D′ in each of so many runs, of which `wanted` are made
    where there is time; None where nothing does.

    fresh   (0 for D or 1 for D′, number) → a run with draws of its own.
    """
    began, runs = time.process_time(), 1
    first = [_shown(fresh(which, 0)) for which in (0, 1)]
    places = unlike_places(first[0], first[1], SAME, most=MOST_PLACES)
    apart: List[Any] = [_apart(output) for output in first]
    if any(x is None for x in apart) or apart[0].shape != apart[1].shape:
        apart = []
    while (places or apart) and runs < wanted and time.process_time() - began < SECONDS:
        for which in (0, 1):
            output = _shown(fresh(which, runs))
            moved = [path for path, _, _ in unlike_places(first[which], output, 0.0, most=MOST_PLACES)]
            places = [place for place in places if not any(covers(path, place[0]) for path in moved)]
            apart = _kept(apart, which, output)
        runs += 1
    if places:
        path, one, other = places[0]
        name = path if path.startswith("the ") else "output" + path
        return Certain("%s is %s on D and %s on D′" % (name, shown(one), shown(other)), runs)
    if apart:
        unlike = np.abs(apart[0] - apart[1]) > 1e-6 * np.maximum(1.0, np.abs(apart[0]))
        for i, j in np.argwhere(unlike & np.isfinite(apart[0] - apart[1])):
            values = shown(float(apart[0][i, j])), shown(float(apart[1][i, j]))
            text = "number %d of the output less number %d is %s on D and %s on D′" % (i + 1, j + 1, *values)
            return Certain(text, runs)
    return None


def _shown(run: Run) -> Any:
    """The output of a run, or the error that it ends with."""
    return run.output if run.error is None else {"raises": type(run.error).__name__}


def _apart(output: Any) -> Any:
    """The differences of all numbers of an output; None where there are too few or too many."""
    values = numbers(output)
    if values is None or not 2 <= values.size <= MOST_NUMBERS:
        return None
    with np.errstate(all="ignore"):
        return values[:, None] - values[None, :]


def _kept(apart: List[Any], which: int, output: Any) -> List[Any]:
    """The differences that are in another run what they were, the others being no number."""
    now = _apart(output) if apart else None
    if now is None or now.shape != apart[0].shape:
        return []
    values = np.asarray(numbers(output))
    with np.errstate(all="ignore"):
        size = np.maximum(1.0, np.abs(values[:, None]) + np.abs(values[None, :]))
        same = np.abs(now - apart[which]) <= 1e-9 * size
    kept = list(apart)
    kept[which] = np.where(same, apart[which], np.nan)
    return kept if np.any(np.isfinite(kept[0] - kept[1]) & (kept[0] != kept[1])) else []


def covers(changed: str, path: str) -> bool:
    """Whether a change at one place of the output says something of another."""
    for words in ("the shape of output", "the length of output", "the order of keys of output"):
        changed, path = changed.replace(words, ""), path.replace(words, "")
    return path.startswith(changed) or changed.startswith(path)
