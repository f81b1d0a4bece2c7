"""Cross-fitting: a score learned from all samples, judged by all of them.

Samples that a score was fitted to would flatter it. Fitted twice, to each half without the other, every
sample is judged by the fit that has not seen it (Chernozhukov et al., 2018); what is betted on is the mean of
both.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audits.privacy import scores
from audits.privacy.outputs import Encoded

Floats = NDArray[np.floating[Any]]
CROSS_FITTED = (scores.smooth, scores.bends)
"""Learners whose scores come with folds."""

Folds = tuple[Callable[[Encoded], Floats], Callable[[Encoded], Floats]]


def judged(folds: Folds, first: Encoded, second: Encoded, x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Scores of the samples of both sides by the fold that has not seen them, in the units of x, y.

    x, y are the scores of the samples by the mean of both folds. The two fits differ in spread, so the ranks
    of a half's scores by its fold are given the values of x and y of these ranks.
    """
    half = len(first) // 2
    found: list[tuple[Floats, Floats]] = []
    for evaluate, part in zip(folds, (slice(0, half), slice(half, None)), strict=True):
        u, v = evaluate(first.take(part)), evaluate(second.take(part))
        ordered, values = np.sort(np.concatenate([u, v])), np.sort(np.concatenate([x[part], y[part]]))
        # Equal scores stay equal, whichever side they are of.
        places = [np.searchsorted(ordered, side, side="right") - 1 for side in (u, v)]
        found.append((values[places[0]], values[places[1]]))
    return np.concatenate([x for x, _ in found]), np.concatenate([y for _, y in found])
