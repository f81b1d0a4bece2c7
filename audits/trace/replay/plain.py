"""Noise that became plain numbers, by float() or in a list: whether it hides what it is not seen to.

The trace follows noise as far as sums, functions and comparisons of NumPy and Python go. A choice among plain
numbers is a choice among numbers of the program: it may well fall in the same way on D and on D′ in every run
that is made, and what hides the data in it costs nothing that is known. So noise is moved by the same amount
on D and on D′, one entry at a time and as far as its law can go, to where the output on D changes: where the
outputs differ on the way, the noise hides data.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Callable, Iterator, List, Mapping, Optional, Sequence, Set, Tuple

import numpy as np

from ..record.run import Run
from ..record.session import drawn_by, places_of
from ..record.values import CLOSE, unlike_places
from ..records import Draw, Lost, Where
from .shifts import Pair, Release, loose_draws, made_of, size_of

MOST = 8
"""Entries of the draws of a line that are moved."""
FAR = (10.0, 100.0, 1e3, 1e4)
"""How many times its own size noise is moved."""
HALVINGS = 8
"""Steps to where the output changes: from ten times its size to a twentieth of that."""
FOLLOWING = (1e-3, 0.1, 0.5)
"""Parts of the way to the nearer end at which an output that follows every step is looked at."""
POSITIVE = {"geometric": 1.0, "exponential": 0.0, "gamma": 0.0, "poisson": 0.0, "binomial": 0.0}
"""Laws that have a least value."""
WORDS = (
    "the noise of %s became plain numbers (by float(), int(), a list, a table) before it hid the data in a "
    "choice: what that costs is not known"
)


def hidden_by_plain(pair: Pair, release: Release, tried: List[Tuple[Where, str]], rng: Any) -> Optional[Lost]:
    """The line of noise that hides data though it is added to nothing that is followed; None where there is
    none.

    tried   line and law of entries that were moved before, in runs on this pair too; rng chooses among many.
    """
    before = Counter(tried)
    rows = [row for row in _plain(pair) if before[row.where, row.law] < MOST]
    both = _alike(pair, release) if rows else None
    if both is None:
        return None
    entries = [(row, place) for row in rows for place in range(int(np.prod(row.shape or (1,))))]
    for k in rng.permutation(len(entries)):
        row, place = entries[k]
        line = row.where, row.law
        if before[line] < MOST:
            before[line] += 1
            tried.append(line)
            if _hides(row, place, both):
                return Lost(row.where, WORDS % row.law)
    return None


def _plain(pair: Pair) -> List[Draw]:
    """Draws, and functions of noise, of which nothing is known."""
    sessions = pair.recorded.session, pair.frozen.session
    known: Set[int] = set()
    for session in sessions:
        known |= set().union(*map(drawn_by, session.compared), *(places_of(u.ids) for u in session.uses))
        known |= set().union(*(made_of(session, index) for index in session.functions))
    made = [row for index, row in sessions[0].functions.items() if index not in known]
    return loose_draws(*sessions) + made


def _alike(pair: Pair, release: Release) -> Optional[Callable[[int, Any], Tuple[Run, Run]]]:
    """(name of a draw, by how much) → runs on D and on D′ with that draw moved, which put out the same where
    none is; None where no such runs are known."""
    base = {k: v for k, v in release.shifts.items() if np.any(v != 0.0)}
    # Where noise is public as soon as its argument is moved, runs on D and on D′ are not treated alike; where
    # no sum has its value on D, moved noise may move what other noise hides.
    ways: Sequence[Tuple[str, Mapping[int, Any]]] = (("last", {}), ("none", base))
    for mode, known in ways:

        def both(index: int, by: Any, mode: str = mode, known: Mapping[int, Any] = known) -> Tuple[Run, Run]:
            moved = {**known, index: known.get(index, 0.0) + by}
            return pair.again(release=mode, shifts={index: by}), pair.replay(release=mode, shifts=moved)

        one, other = both(-1, 0.0)
        if one.whole and other.whole and not unlike_places(one.output, other.output, CLOSE):
            return both
    return None


def _hides(row: Draw, place: int, both: Callable[[int, Any], Tuple[Run, Run]]) -> bool:
    """Whether the outputs on D and on D′ differ where an entry of noise is moved by the same amount."""
    value = 0.0 if row.value is None else float(np.ravel(row.value)[place])
    whole = row.value is not None and np.asarray(row.value).dtype.kind in "iu"
    scale = row.params.get("scale", row.params.get("sigma", 0.0))
    size = max(size_of(row), float(np.max(np.abs(scale))) if np.size(scale) else 0.0) or 1.0

    def move(by: float) -> Tuple[Any, bool]:
        """(the output on D, whether the output on D′ differs from it)."""
        step = np.zeros(row.shape)
        step.reshape(-1)[place] = np.rint(by) if whole else by
        one, other = both(row.index, step)
        if not (one.whole and other.whole):
            return None, False
        return one.output, bool(unlike_places(one.output, other.output, CLOSE))

    start, _ = move(0.0)
    return any(_tells(start, move, ends) for ends in _ends(row, value, size))


def _tells(start: Any, move: Callable[[float], Tuple[Any, bool]], ends: Sequence[float]) -> bool:
    """Whether the outputs on D and D′ differ somewhere on the way to the first end that changes the output
    on D."""
    low = 0.0
    for end in ends:
        there, apart = move(end)
        if apart:
            return True
        if there is not None and unlike_places(start, there, 0.0):
            break
        low = end
    else:
        return False  # the output does not follow this noise
    near = [move(times * ends[0]) for times in FOLLOWING]
    if all(output is not None and unlike_places(start, output, 0.0) for output, _ in near):
        return any(apart for _, apart in near)  # it follows every step
    high = end
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        there, apart = move(middle)
        if apart:
            return True
        if there is None or unlike_places(start, there, 0.0):
            high = middle
        else:
            low = middle
    return False


def _ends(row: Draw, value: float, size: float) -> Iterator[Sequence[float]]:
    """How far a number can move down and up, the nearer first."""
    low, high = (np.asarray(row.params.get(name, np.nan), dtype=float) for name in ("low", "high"))
    if row.law == "uniform" and low.ndim == high.ndim == 0:
        inside = 1e-6 * float(high - low)
        yield (float(low) + inside - value,)
        yield (float(high) - inside - value,)
        return
    least = POSITIVE.get(row.law)
    yield [-times * size for times in FAR] if least is None else (least - value,)
    yield [times * size for times in FAR]
