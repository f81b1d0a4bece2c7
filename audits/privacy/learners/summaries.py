"""A score of what sums up several columns: their sum, how many are positive, a total that is right.

It says nothing unless it finds something that chance hardly explains: a score that is always there would take
its share of the wealth from the others. So do periods, modes, parities and trees.
"""

from __future__ import annotations

import numpy as np

from audits.privacy.learners.cells import of_number
from audits.privacy.learners.relations import RELATIONS
from audits.privacy.learners.score import Score, beyond_chance, telling
from audits.privacy.learners.views import SUMMARIES
from audits.privacy.outputs import Encoded
from audits.privacy.tuning import TUNING


def summary(first: Encoded, second: Encoded) -> Score | None:
    """The one of `SUMMARIES` that tells the datasets apart best, cut into cells."""
    if first.shape[0] < 2 or len(first) < TUNING.hidden_least:
        return None
    # What two numbers tell together is in reach of `smooth`, but for whether they are nearly equal.
    known = [*(SUMMARIES if first.shape[0] > 2 else SUMMARIES[-3:])]
    known += [view for relation in RELATIONS for view in relation(first, second)]
    some = slice(0, max(256, TUNING.most_numbers // first.shape[0]))
    a, b = (np.stack([view.of(e.take(some)) for view in known], axis=1) for e in (first, second))
    apart_by = telling(a, b)
    best = int(apart_by.argmax())
    if apart_by[best] < beyond_chance(len(known)):
        return None
    view = known[best]
    return of_number("summary", view.of, view.words, first, second)
