"""Programs whose randomness is coins of few outcomes: every path is run, the law of the output is exact.

Where the paths are too many, those of the coins of the record that differs are run, with all other coins as
they fell once: what the record's own coins cost given the others, as in local privacy.
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple
from typing import Counter as Count

import numpy as np

from audits.values import text

from ..record.laws import MIRRORED, reach
from ..record.run import Run
from ..record.session import places_of, site
from ..records import BITS, Comparison, Draw, Part, Row
from ..replay.shifts import in_comparisons

MOST_PATHS, MOST_DRAWS = 256, 40_000
"""Paths that are run on a dataset, and draws on all of them: a second where the program itself is fast.
Both limits are counts and no times, so that the result does not depend on the speed of the machine."""
PATIENCE = 60.0
"""Processor seconds after which a program is given up that is itself slow."""
FIRST, AGAIN = 4, 16
"""Paths that are run more often than twice, and how often."""
MOST_OUTCOMES, MOST_COINS = 256, 64
"""Outcomes of a coin, and coins on a path: a loop that only a coin ends has paths of any length."""
EACH = -1
"""The record of a draw with entries for each record."""
RUNS = 3
"""Runs on each dataset that tell which places of the code draw as often for every record."""
GIVEN = "coins of no record, as of an order, are taken as they fell: what the output shows may be less"
"""Why the cost of the coins of one record is no more than an upper bound."""
Entry = Tuple[Any, float, float, float]
"""(element of a uniform draw or None, factor, argument, value) of an entry of a comparison."""


@dataclass(frozen=True)
class Own:
    """The coins of one record; those of the others fall as they fell once.

    place, count   of the record, among how many.
    places         how often a place of the code draws for each record.
    rng, rest      how the others fall: a uniform number for each, by its record (None: of none) and name.
    """

    place: int
    count: int
    places: Mapping[Any, int]
    rng: Any
    rest: Dict[Any, float] = field(default_factory=dict)

    def fallen(self, name: Any, weights: Any) -> int:
        """The outcome of a coin of another record."""
        level = self.rest.setdefault(name, float(self.rng.random())) * float(np.sum(weights))
        return min(int(np.searchsorted(np.cumsum(weights), level, side="right")), int(np.size(weights)) - 1)


class Script:
    """The outcomes of the coins along one path: those of the plan, and from its end on the first of each.

    taken    which of its possible outcomes each coin has shown; options: how many it had.
    chance   probability of the path.
    failed   something was drawn that has no few outcomes.
    own      the coins that the plan is for; None: all.
    names    of draws, with the record that they are for, EACH where each has an entry, None where none has.
    """

    def __init__(self, plan: Sequence[int], own: Optional[Own] = None) -> None:
        self.plan, self.own = list(plan), own
        self.names: Dict[int, Tuple[Any, Optional[int]]] = {}
        self.drawn: Count[Any] = Counter()
        self.record: Optional[int] = None
        self.taken: List[int] = []
        self.options: List[int] = []
        self.chance = 1.0
        self.failed = False
        self.ranges: Dict[int, Tuple[float, float]] = {}

    def _named(self, row: Draw, own: Own) -> Tuple[Any, Optional[int]]:
        """The name of a draw, which is the same on all paths, and its record."""
        place = site()[1]
        self.drawn[place] += 1
        often = own.places.get(place)
        if often:
            self.record = (self.drawn[place] - 1) // often
            return (place, self.drawn[place]), self.record
        # A place that draws more or less often for a record follows one that does not.
        self.drawn[place, self.record] += 1
        name = place, self.record, self.drawn[place, self.record]
        apart = row.law == "permutation" or row.params.get("replace") is False
        each = row.shape[:1] == (own.count,) and not apart
        return name, EACH if each else None if apart else self.record

    def choose(self, chances: Any, row: Draw, entry: int, known: Any = None) -> int:
        """The outcome of a coin, an entry of a draw, by its place; known: what is known of it before."""
        weights = np.asarray(chances, dtype=float)
        if self.own is not None:
            name, record = self.names[row.index]
            if record == EACH:
                record = entry * self.own.count // int(np.prod(row.shape))
            if record != self.own.place:
                return self.own.fallen((record, name, entry, known), weights)
        possible = np.flatnonzero(weights > 0.0)
        many = sum(option > 1 for option in self.options) > MOST_COINS
        if not 0 < possible.size <= MOST_OUTCOMES or self.failed or many:
            self.failed = True
            return 0
        place = len(self.taken)
        taken = self.plan[place] if place < len(self.plan) else 0
        if taken >= possible.size:
            self.failed = True
            return 0
        self.taken.append(taken)
        self.options.append(int(possible.size))
        self.chance *= float(weights[possible[taken]])
        return int(possible[taken])

    def next(self) -> Optional[List[int]]:
        """The plan of the next path; None after the last one."""
        plan = list(self.taken)
        while plan and plan[-1] + 1 >= self.options[len(plan) - 1]:
            plan.pop()
        return plan[:-1] + [plan[-1] + 1] if plan else None

    def draw(self, row: Draw, value: Any) -> Any:
        """The value of a draw on this path."""
        law, params, shape = row.law, row.params, row.shape
        if self.own is not None:
            self.names[row.index] = self._named(row, self.own)
        if self.failed:
            return value  # as fresh draws are, so that a loop of the program ends
        if law == "uniform" and row.kind == "noise" and row.argument is None:
            return value  # what it is compared with decides
        if law == "choice":
            weights = params.get("p")
            count = int(params["a"])
            chances = np.full(count, 1.0 / max(count, 1)) if weights is None else np.asarray(weights, float)
            apart = params.get("replace") is False
            return _like(value, shape, self._places(row, chances, int(np.prod(shape, dtype=int)), apart))
        if law == "permutation" and isinstance(params.get("x"), (int, np.integer)):
            return _like(value, shape, self._places(row, np.full(shape[0], 1.0 / shape[0]), shape[0], True))
        size = reach(law, params) if law == "integers" else None
        if size is not None and 0 < size[1] - size[0] <= MOST_OUTCOMES:
            even = np.full(size[1] - size[0], 1.0 / (size[1] - size[0]))
            places = self._places(row, even, int(np.prod(shape, dtype=int)), False)
            return _like(value, shape, [size[0] + place for place in places])
        if law == "binomial":
            return self._binomial(row, value)
        self.failed = True
        return value

    def _places(self, row: Draw, chances: Any, times: int, apart: bool) -> List[int]:
        """Places that are drawn one after the other; apart: each at most once."""
        found: List[int] = []
        left = np.array(chances, dtype=float)
        for entry in range(times):
            total = float(left.sum())
            if self.failed or total <= 0.0:
                self.failed = True
                return [0] * times
            found.append(self.choose(left / total, row, entry))
            if apart:
                left[found[-1]] = 0.0
        return found

    def _binomial(self, row: Draw, value: Any) -> Any:
        """Sums of few coins."""
        params, shape = row.params, row.shape
        counts = np.ravel(np.broadcast_to(np.asarray(params["n"]), shape))
        chances = np.ravel(np.broadcast_to(np.asarray(params["p"], dtype=float), shape))
        found: List[int] = []
        for entry, (n, p) in enumerate(zip(counts, chances)):
            if not 0 <= n < MOST_OUTCOMES:
                self.failed = True
                return value
            law = np.ones(1)
            for _ in range(int(n)):
                law = np.convolve(law, [1.0 - p, p])
            found.append(self.choose(law, row, entry))
        return _like(value, shape, found)

    def outcome(self, session: Any, event: Comparison) -> Any:
        """The result of a comparison on this path: of a uniform number with a constant it is a coin."""
        self.failed = self.failed or event.second is None
        if self.failed or event.second is None:
            return event.outcome
        shape = np.shape(event.outcome)
        computed, found = np.ravel(np.asarray(event.outcome)), []
        sides = [self._side(session, part, shape) for part in event.parts]
        for k in range(computed.size):
            one, other = sides[0][k], sides[1][k]
            if one[0] is None and other[0] is None:
                found.append(bool(computed[k]))
                continue
            name = event.name if one[0] is not None else MIRRORED.get(event.name, "")
            noise, level = (one, other) if one[0] is not None else (other, one)
            if level[0] is not None or np.isnan(level[3]):
                self.failed = True  # two draws are compared with each other
                return event.outcome
            found.append(self._coin(session, noise, name, level[3]))
        return np.array(found, dtype=bool).reshape(shape) if shape else np.bool_(found[0])

    def _side(self, session: Any, part: Part, shape: Any) -> List[Entry]:
        """The entries of one side."""
        if part.ids is None:
            return [(None, 0.0, 0.0, float(v)) for v in np.ravel(np.broadcast_to(part.argument, shape))]
        found: List[Entry] = []
        columns = (np.ravel(np.broadcast_to(x, shape)) for x in (part.ids, part.factor, part.argument))
        for e, f, a in zip(*columns):
            row = session.rows.get(int(e) >> BITS) if e >= 0 else None
            uniform = row is not None and row.law == "uniform" and f != 0.0
            if not uniform and e >= 0 and (row is None or row.law not in ("integers", "binomial")):
                self.failed = True
            found.append((int(e) if uniform else None, float(f), float(a), float(a) if e < 0 else np.nan))
        return found

    def _coin(self, session: Any, noise: Entry, name: str, level: float) -> bool:
        """Whether a uniform number, of which some bounds are known already, lies on one side of a level."""
        element, factor, argument, _ = noise
        row, place = session.rows[element >> BITS], element & ((1 << BITS) - 1)
        params = row.params
        name = MIRRORED.get(name, name) if factor < 0.0 else name
        if np.ndim(params["low"]) or np.ndim(params["high"]) or name not in MIRRORED:
            self.failed = True
            return False
        low, high = self.ranges.get(element, (float(params["low"]), float(params["high"])))
        edge = min(max((level - argument) / factor, low), high)
        below = (edge - low) / (high - low) if high > low else 0.0
        less = self.choose([1.0 - below, below], row, place, (low, high)) == 1
        self.ranges[element] = (low, edge) if less else (edge, high)
        return less == name.startswith("less")


def _like(value: Any, shape: Any, entries: List[int]) -> Any:
    """Entries as a value of the same kind as the one that was drawn."""
    if isinstance(value, np.ndarray):
        return np.array(entries, dtype=value.dtype).reshape(shape)
    return type(value)(entries[0])


def law(run: Callable[..., Run], data: Any, own: Optional[Own] = None) -> Optional[Dict[str, float]]:
    """The probability of each output, as text; None where the paths are too many, or not of coins alone.

    own   the coins whose outcomes are run, after those of all coins were tried; None: all.

    Every path is run again with other uniform numbers: one that is more than compared shows itself then.
    """
    found: Dict[str, float] = {}
    plan: Optional[List[int]] = []
    began, paths, draws = time.process_time(), 0, 0
    while plan is not None:
        texts: List[str] = []
        script = Script(plan, own)
        for variant in range(1 if own is not None else AGAIN if paths < FIRST else 2):
            script = Script(plan, own)
            one = run(data, variant=variant, script=script)
            if one.error is not None or script.failed or _more_than_compared(one.session):
                return None
            texts.append(text(one.output))
            draws += len(one.session.draws)
        paths += 1
        slow = time.process_time() - began > PATIENCE
        if len(set(texts)) > 1 or paths > MOST_PATHS or draws > MOST_DRAWS or slow:
            return None
        found[texts[0]] = found.get(texts[0], 0.0) + script.chance
        plan = script.next()
    return found


def enumerated(run: Callable[..., Run], datasets: Sequence[Any], recorded: Run) -> Optional[Row]:
    """A row of the ledger: the laws of the output on D and on D′; None where they cannot be enumerated, or
    some coins are those of a seed and others are not."""
    row = _row(recorded)
    chances = () if row is None else _chances(law(run, data) for data in datasets)
    return replace(row, chances=chances) if row is not None and chances else None


def of_one(
    run: Callable[..., Run], datasets: Sequence[Any], recorded: Run, records: Tuple[int, int, int], rng: Any
) -> Optional[Row]:
    """As `enumerated`, the laws given the coins of all records but the one that differs; None where they
    cannot be enumerated, or an output is possible on one dataset alone: by other coins it may be on both."""
    have, want, place = records
    row = _row(recorded)
    if row is None or have != want:
        return None
    own = Own(place, have, _each(run, datasets, have), rng)
    chances = _chances(law(run, data, own) for data in datasets)
    possible = chances and all(chance > 0.0 for one in chances for chance in one)
    bound = GIVEN if any(key[0] is None for key in own.rest) else ""
    return replace(row, kind="own coins", chances=chances, bound=bound) if possible else None


def _row(recorded: Run) -> Optional[Row]:
    """The row, without laws; None where not all draws are coins, of one seed or of none."""
    origins = {row.origin for row in recorded.session.draws}
    if len(origins) != 1 or not few(recorded.session):
        return None
    last = recorded.session.compared[-1] if recorded.session.compared else recorded.session.draws[-1]
    return Row(-3, "coins", "enumerated", last.where, origin=origins.pop())


def _chances(laws: Iterator[Optional[Dict[str, float]]]) -> Tuple[Tuple[float, ...], ...]:
    """The probabilities of all outputs in each law; () where a law is not known: the next is not worked out
    then."""
    known: List[Dict[str, float]] = []
    for one in laws:
        if one is None:
            return ()
        known.append(one)
    outputs = sorted(set().union(*known))
    return tuple(tuple(one.get(text, 0.0) for text in outputs) for one in known)


class Places:
    """A script that only counts how often each place of the code draws."""

    def __init__(self) -> None:
        self.times: Count[Any] = Counter()

    def draw(self, row: Draw, value: Any) -> Any:
        """The value as it was drawn."""
        self.times[site()[1]] += 1
        return value

    def outcome(self, session: Any, event: Comparison) -> Any:
        """The outcome as it is."""
        return event.outcome


def _each(run: Callable[..., Run], datasets: Sequence[Any], count: int) -> Dict[Any, int]:
    """How often a place of the code draws for each record, of places that do so as often in every run."""
    scripts = [Places() for _ in range(RUNS * len(datasets))]
    for k, script in enumerate(scripts):
        run(datasets[k % len(datasets)], variant=k + 1, script=script)
    first, *others = (script.times for script in scripts)
    alike = [place for place in first if all(times[place] == first[place] for times in others)]
    return {place: first[place] // count for place in alike if first[place] % count == 0}


def few(session: Any) -> bool:
    """Whether all draws of a run may be coins of few outcomes."""
    laws = ("uniform", "choice", "integers", "binomial", "permutation")
    return all(row.law in laws and row.kind in ("coin", "noise") for row in session.draws)


def _more_than_compared(session: Any) -> bool:
    """Whether a uniform number was added to something, or made into another, or never compared."""
    known = in_comparisons(session)
    if any(row.law == "uniform" and row.index not in known for row in session.draws):
        return True
    parts = [use.ids for use in session.uses]
    parts += [part.ids for row in session.functions.values() for part in row.recipe.parts]
    # What a function is made of stands among the parts itself.
    drawn = {index for ids in parts for index in places_of(ids)} - set(session.functions)
    rows = [session.rows.get(index) for index in drawn]
    return any(row is None or row.law == "uniform" for row in rows)
