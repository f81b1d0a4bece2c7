"""Noise that became plain numbers, by float() or in a list: whether it hides what it is not seen to.

The trace follows noise as far as sums, functions and comparisons of NumPy and Python go. A choice among plain
numbers is a choice among numbers of the program: it may well fall in the same way on D and on D′ in every run
that is made, and what hides the data in it costs nothing that is known. A number of the output follows each
step of its noise; a choice does not. Noise that nothing shows, however far it moves, hides nothing: random
weights that are set to zero.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, List, Optional, Set, Tuple

import numpy as np

from ..explain.follow import FAR, follows
from ..record.session import drawn_by, places_of
from ..record.values import unlike_places
from ..records import Draw, Lost, Where
from .shifts import Pair, Release, loose_draws, made_of, size_of

MOST = 8
"""Entries of the draws of a line that are moved."""
WORDS = (
    "the noise of %s became plain numbers (by float(), int(), a list, a table) and may hide the data in a "
    "choice: what that costs is not known"
)


def hidden_by_plain(pair: Pair, release: Release, tried: List[Tuple[Where, str]], rng: Any) -> Optional[Lost]:
    """The line of noise that the output does not follow, though it is added to nothing that is followed; None
    where there is none.

    tried   line and law of entries that were moved before, in runs on this pair too; rng chooses among many.
    """
    before = Counter(tried)
    rows = [row for row in _plain(pair) if row.index not in release.solved]
    entries = [(row, place) for row in rows for place in range(int(np.prod(row.shape or (1,))))]
    for k in rng.permutation(len(entries)):
        row, place = entries[k]
        line = row.where, row.law
        if before[line] < MOST:
            before[line] += 1
            tried.append(line)
            if not follows(pair.again, row, far=True, entry=place) and _matters(pair, row, place):
                return Lost(row.where, WORDS % row.law)
    return None


def _matters(pair: Pair, row: Draw, place: int) -> bool:
    """Whether an output changes where one entry of the noise is moved, by its own size or far."""
    entry = np.arange(int(np.prod(row.shape or (1,)))).reshape(row.shape) == place
    for run in (pair.again, pair.replay):
        before = run(release="none")
        for by in (-FAR, -1.0, 1.0, FAR):
            now = run(release="none", shifts={row.index: by * max(1.0, size_of(row)) * entry})
            if now.error is not None or unlike_places(before.output, now.output, 0.0):
                return True
    return False


def _plain(pair: Pair) -> List[Draw]:
    """Draws, and functions of noise, of which nothing is known."""
    sessions = pair.recorded.session, pair.frozen.session
    known: Set[int] = set()
    for session in sessions:
        known |= set().union(*map(drawn_by, session.compared), *(places_of(u.ids) for u in session.uses))
        known |= set().union(*(made_of(session, index) for index in session.functions))
    made = [row for index, row in sessions[0].functions.items() if index not in known]
    return loose_draws(*sessions) + made
