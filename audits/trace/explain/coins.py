"""The probabilities of what coins show: of comparisons of uniform numbers, whole numbers and bits."""

from __future__ import annotations

from typing import Any, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from ..record.laws import MIRRORED, reach
from ..records import BITS, Comparison, Draw


def outcomes(session: Any, event: Comparison) -> Optional[List[float]]:
    """The probabilities of the outcomes of one comparison, entry by entry; None where one is not known."""
    if event.second is None or (event.first.ids is None) == (event.second.ids is None):
        return None
    turned = event.first.ids is None
    noise, other = (event.second, event.first) if turned else (event.first, event.second)
    name = MIRRORED.get(event.name, event.name) if turned else event.name
    shape = np.shape(noise.ids)
    columns = [
        noise.ids,
        noise.factor,
        noise.argument,
        np.asarray(other.argument, dtype=float),
        event.outcome,
    ]
    found: List[float] = []
    for e, f, a, t, seen in zip(*(np.ravel(np.broadcast_to(column, shape)) for column in columns)):
        row = session.rows.get(int(e) >> BITS)
        if row is None or f == 0.0:
            return None
        chance = chance_of(row, name if f > 0 else MIRRORED.get(name, name), (t - a) / f)
        if chance is None:
            return None
        found.append(chance if seen else 1.0 - chance)
    return found


def chance_of(row: Draw, name: str, level: float) -> Optional[float]:
    """P(noise `name` level) for a uniform number, a whole number of a range, or a bit."""
    params: Mapping[str, Any] = row.params
    if row.law == "uniform" and np.ndim(params["low"]) == 0 and np.ndim(params["high"]) == 0:
        below = min(1.0, max(0.0, float((level - params["low"]) / (params["high"] - params["low"]))))
        return None if name not in MIRRORED else below if name.startswith("less") else 1.0 - below
    bounds = reach(row.law, params) if row.law == "integers" else None
    if bounds is not None and bounds[1] - bounds[0] <= 1_000_000:
        return float(np.mean(getattr(np, name)(np.arange(*bounds), level)))
    if row.law == "binomial" and np.ndim(params["p"]) == 0 and params["n"] == 1:
        weights: Sequence[Tuple[int, float]] = ((0, 1.0 - float(params["p"])), (1, float(params["p"])))
        return float(sum(w for value, w in weights if getattr(np, name)(value, level)))
    return None
