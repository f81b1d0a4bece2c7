"""Whether a number of the output follows the noise of a draw, or shows only what was chosen with it.

What the ledger says of noise is the cost of the noised number. For a choice among such numbers (their order,
the place of the largest) it is an upper bound only: for Gumbel noise it has no bound in the tail, and the
choice is the exponential mechanism's. So noise is moved: a number of the output follows it by little steps,
or without end; a choice does neither.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..record.values import unlike_places
from ..records import Draw
from ..replay.shifts import Pair, size_of
from .explain import FAR

LITTLE = 1e-3
"""How little of its own size noise is moved, twice: a choice changes both times with a probability as small
as the square of that."""
STARTS = (1.0, -1.0, 2.0, -2.0, 0.5, -0.5)
"""How far it is moved first where its own place tells nothing, as where a sum is cut off."""


def moves_output(pair: Pair, index: int) -> bool:
    """Whether a number of the output on D follows the noise of a draw; True where that cannot be tried."""
    row = pair.recorded.session.row(index)
    if row is None or (row.kind == "noise" and row.value is None):
        return True
    values = np.asarray(1.0 if row.value is None else row.value, dtype=float)
    size = max(1.0, size_of(row))
    whole = row.value is not None and np.asarray(row.value).dtype.kind in "iu"
    # Entries move by different amounts: a choice among all of them does not see one that is common to all.
    weights = size * (1.0 + np.arange(values.size) / max(1, values.size)).reshape(values.shape)
    little = [(0.0, LITTLE, 2.0 * LITTLE)] + [(x, x + LITTLE, x + 2.0 * LITTLE) for x in STARTS]
    far = [(0.0, FAR, 2.0 * FAR), (0.0, -FAR, -2.0 * FAR)]
    tried = far if whole else [little[0], *far, *little[1:]]
    return any(
        _follows(pair, row, [np.rint(t * weights) if whole else t * weights for t in x]) for x in tried
    )


def _follows(pair: Pair, row: Draw, steps: Any) -> bool:
    """Whether the output is another one after each of the steps of the noise."""
    before: Any = None
    for step in steps:
        now = pair.again(release="none", shifts={row.index: np.broadcast_to(step, row.shape)})
        if now.error is not None:
            return False
        if before is not None and not unlike_places(before.output, now.output, 0.0):
            return False
        before = now
    return True
