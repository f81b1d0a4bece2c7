"""An event of a learned score in words of the output: a column beyond a value that says nearly the same; and
any event with its shares."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from audits.privacy.bet.events import ThresholdFamily
from audits.privacy.outputs.describe import Words, listed
from audits.privacy.outputs.outputs import Encoded, Floats, columns_of, digits_of, number_words
from audits.privacy.tuning import BOUND, TUNING

LEVELS = np.linspace(0.01, 0.99, 50)
CHANCE = 4.0
"""Standard errors by which a column must go with a score to be named."""


def with_shares(words: str, direction: str, more: float, less: float) -> str:
    """The words of an event with its share on the dataset that has more in it, and on the other."""
    first, second = (more, less) if direction == "forward" else (less, more)
    return f"{words} (share {first:.4g} on the first dataset, {second:.4g} on the second)"


def plainly(family: ThresholdFamily, event: int, first: Encoded, second: Encoded) -> Words:
    """What to add to the description of an event of a learned score, from samples of both sides; "" for
    nothing."""
    if family.score.in_words or first.is_scalar or first.is_symbol:
        return ""
    of = columns_of(first, second)
    most = min(TUNING.some_rows, max(256, TUNING.most_numbers // sum(first.shape)))
    rows = [e.take(slice(0, most)) for e in (first, second)]
    kind, cut = divmod(event, len(family.thresholds))
    columns = np.concatenate([of(e) for e in rows])
    score = np.concatenate([family.score.evaluate(e) for e in rows])
    inside = score >= family.thresholds[cut]
    if kind % 2 == 1:
        inside, score = ~inside, -score
    if not inside.any() or inside.all():
        return ""
    alike, column, threshold, upper = _stump(columns, inside)
    if alike >= TUNING.nearly:
        name = of.words(column)
        if column >= of.width:
            return (", which is mostly where ", name, f" {'holds' if upper else 'does not hold'}")
        place = number_words(threshold, digits_of(columns[:, column]) - 2)
        return (", which is mostly where ", name, f" {'≥' if upper else '<'} {place}")
    columns = np.clip(columns, -BOUND, BOUND)
    spread = columns.std(axis=0) * score.std()
    centred = columns - columns.mean(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = np.nan_to_num((centred * (score - score.mean())[:, None]).mean(axis=0) / spread)
    largest, least = np.argsort(-np.abs(slope))[:3], max(0.1, CHANCE / len(columns) ** 0.5)
    said: list[Words] = [
        ("large " if slope[j] > 0 else "small ", of.words(int(j))) for j in largest if abs(slope[j]) > least
    ]
    return (", which goes with ", listed(said)) if said else ""


def _stump(columns: Floats, inside: NDArray[np.bool_]) -> tuple[float, int, float, bool]:
    """The threshold of a single column that agrees best with an event: how well, column, threshold, and
    whether the event is above it."""
    best = (0.0, 0, 0.0, True)
    for thresholds in np.quantile(columns, LEVELS, axis=0, method="higher"):
        above = columns >= thresholds
        right = 0.5 * (above[inside].mean(axis=0) + 1.0 - above[~inside].mean(axis=0))
        for share, upper in ((right, True), (1.0 - right, False)):
            j = int(share.argmax())
            if share[j] > best[0]:
                best = (float(share[j]), j, float(thresholds[j]), upper)
    return best
