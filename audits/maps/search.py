"""The search for two neighbours whose outputs are farther apart than the map states.

Hypothesis draws neighbours, climbs on the ratio of the measured to the stated distance, and shrinks what it
finds. Its climb begins after half of a round's examples, so rounds are short, each with a seed of its own.
A function may be random though it looked otherwise twice: before a distance counts, outputs are drawn again.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, cast

from audits.maps import sampled
from audits.maps.distances import Gap, coordinates, exact, gap
from audits.maps.neighbours import pairs
from audits.maps.subject import Found, Raised, Subject
from audits.values import key

ROUND = 300
"""Examples of a round."""
AGAIN = 100
"""Draws of each output before a distance between two of them counts."""
MANY = 2000
"""Fresh draws of each of two random outputs before an accusation."""
OFTEN = 60
"""An output is seen so often on one dataset and nothing near it on the other: by chance at most 2⁻⁶⁰."""
GRACE = 15.0
"""Seconds that shrinking may take on top of the budget."""
ROUNDING = 2.0**-46
"""Relative error of one operation that is not held against idealised numerics: 64 units in the last place."""


class Violation(Exception):
    """Raised within Hypothesis, which then shrinks the pair."""


class TimeIsUp(BaseException):
    """Raised within Hypothesis, which ends its round at once for what is no `Exception`."""


@dataclass(slots=True)
class Search:
    """One search: what was tried, and the last, so the smallest, pair of each kind that was found.

    skipped  why pairs tell nothing: how many, and what the first of them said.
    """

    subject: Subject
    choices: tuple[Any, ...]
    seed: int
    deadline: float
    max_pairs: int | None = None
    pairs: int = 0
    ratio: float = 0.0
    violation: Found | None = None
    rounding: Found | None = None
    raised: Found | None = None
    audits: int = 0
    compared: int = 0
    exhausted: bool = False
    skipped: dict[str, tuple[int, str]] = field(default_factory=dict[str, tuple[int, str]])
    seen: dict[int, float | Found] = field(default_factory=dict[int, "float | Found"])

    def run(self, alpha: float, progress: Callable[[Search], None] | None = None) -> Search:
        """Rounds until a violation is found, the time is up, or the domain is exhausted.

        alpha   the probability that a measurement which keeps its claim is refuted.
        """
        number = 0
        while self.violation is None and not (self.exhausted or self._over()):
            before = self.pairs
            if self.subject.claim is not None:
                sampled.audit(self, number, alpha)
            else:
                self.drawn(number, ROUND, self.choices, self._tried)
            number += 1
            self.exhausted = self.pairs == before and not self._over()
            if progress is not None:
                progress(self)
        return self

    def progress(self) -> str:
        """What is known by now, in words."""
        return f"{self.pairs:,} pairs, at most {self.ratio:.3g} of what is stated"

    def _over(self) -> bool:
        enough = self.max_pairs is not None and self.pairs >= self.max_pairs
        return enough or time.monotonic() > self.deadline

    def drawn(
        self, number: int, examples: int, choices: tuple[Any, ...], judge: Callable[..., float] | None = None
    ) -> list[Any]:
        """The pairs of one round of Hypothesis, each with its d_in; `judge` is what it climbs on."""
        import hypothesis
        from hypothesis import HealthCheck, Phase, Verbosity, given, settings
        from hypothesis.errors import HypothesisException

        found: list[Any] = []

        @hypothesis.seed(self.seed * 1_000_003 + number)
        @settings(
            max_examples=examples,
            database=None,
            deadline=None,
            phases=(Phase.generate, Phase.target, Phase.shrink) if judge else (Phase.generate,),
            suppress_health_check=cast(Any, list(HealthCheck)),
            verbosity=Verbosity.quiet,
            report_multiple_bugs=False,
        )
        @given(pairs(self.subject.domain, self.subject.metric, choices))
        def attempt(pair: tuple[Any, Any, Any]) -> None:
            shrinking = self.violation is not None
            if time.monotonic() > self.deadline + GRACE if shrinking else self._over():
                raise TimeIsUp
            found.append(pair)
            if judge is not None:
                hypothesis.target(judge(*pair))

        # The pair is kept; what is flaky or cannot be satisfied has told all it can.
        with contextlib.suppress(TimeIsUp, Violation, HypothesisException):
            attempt()
        return found

    def _tried(self, first: Any, second: Any, d_in: Any) -> float:
        """The share of the stated distance that is measured. Raises `Violation` where it is more.

        What was said of a pair is said again: Hypothesis takes a judge that changes its mind for a fault.
        """
        tried = hash(repr((first, second, d_in)))
        if tried not in self.seen:
            self.pairs += 1
            self.seen[tried] = self._compared(first, second, d_in)
        found = self.seen[tried]
        if isinstance(found, Found):
            self.violation = found
            raise Violation
        self.ratio = max(self.ratio, found)
        return found

    def _compared(self, first: Any, second: Any, d_in: Any) -> float | Found:
        stated, a, b = self.subject.stated(d_in), self.output(first), self.output(second)
        if self.raises(first, second, d_in, (a, b)):
            return 0.0
        metric = self.subject.output
        if metric == "linf-monotonic" and d_in != 1:
            metric = "linf"  # scores of datasets two steps apart need not move in one direction
        try:
            measured = gap(metric, a, b)
        except (TypeError, ValueError) as error:
            return self.skip("outputs that cannot be compared", error)
        self.compared += 1
        if not measured.exceeds(stated):
            return measured.share(stated)
        found = Found(first, second, d_in, stated, measured)
        if not (self._deterministic(a, first) and self._deterministic(b, second)):
            return self._random(found, metric)
        if self.subject.idealised and not measured.exceeds(_loosened(stated, (first, second), (a, b))):
            self.rounding = found
            return 1.0
        return found

    def output(self, value: Any) -> Any:
        """An output on a value; an exception is one, too."""
        try:
            return self.subject.invoke(self.subject.made(value))
        except Exception as error:
            return Raised.of(error)

    def skip(self, why: str, said: object) -> float:
        """Note why a pair tells nothing; its share of the stated distance, 0."""
        times, first = self.skipped.get(why, (0, str(said)))
        self.skipped[why] = times + 1, first
        return 0.0

    def raises(self, first: Any, second: Any, d_in: Any, outputs: tuple[Any, Any]) -> bool:
        """Whether the function raises on D or on D′; the shortest pair that it so tells apart is kept."""
        raised = [one for one in outputs if isinstance(one, Raised)]
        if len(raised) == 2:
            self.skip("the function raises on both datasets", raised[0])
        elif raised:
            found = Found(first, second, d_in, self.subject.stated(d_in), raised[0])
            self.raised = min(filter(None, (self.raised, found)), key=lambda one: len(repr(one)))
        return bool(raised)

    def _deterministic(self, known: Any, value: Any) -> bool:
        first = key(known)
        return all(key(self.output(value)) == first for _ in range(AGAIN))

    def _random(self, found: Found, metric: str) -> float | Found:
        """Random outputs within d of each other have P(A) ≤ P′(A^d) for every A (Strassen 1965).

        A is one output, A^d all that are within the stated distance of it: seen OFTEN on one dataset and
        never, in as many draws, on the other, it breaks that with an error of at most 2⁻⁶⁰.
        """
        lonely: Gap | None = None
        for draws, least in ((AGAIN, 1 + AGAIN // 20), (MANY, OFTEN)):
            here, there = (self._counted(value, draws) for value in (found.first, found.second))
            lonely = self._lonely(here, there, least, found, metric)
            lonely = lonely or self._lonely(there, here, least, found, metric)
            if lonely is None:
                return self.skip("random outputs that were not told apart", found.measured)
        return replace(found, measured=lonely, certain=False)

    def _counted(self, value: Any, draws: int) -> dict[Any, tuple[Any, int]]:
        """Outputs by what is compared of them: each with how often it came."""
        counts: dict[Any, tuple[Any, int]] = {}
        for output in (self.output(value) for _ in range(draws)):
            known = key(output)
            counts[known] = output, counts.get(known, (output, 0))[1] + 1
        return counts

    def _lonely(self, here: Any, there: Any, least: int, found: Found, metric: str) -> Gap | None:
        """The distance from an output seen often here to the nearest output there, where it is too far."""
        others = [value for value, _ in there.values()]
        often = [value for value, times in here.values() if times >= least]
        if any(isinstance(value, Raised) for value in (*others, *often)):
            return None
        for value in often:
            gaps = [gap(metric, value, other) for other in others]
            if all(one.exceeds(found.stated) for one in gaps):
                return min(gaps, key=lambda one: one.values)
        return None


def _loosened(stated: Any, inputs: Any, outputs: Any) -> Any:
    """The stated distance and what rounding may add: a sum of products of the inputs is allowed for."""
    largest, count = _size(inputs)
    total, numbers = _size(outputs)
    scale = count * max(largest, largest * largest) + numbers * total
    slack = ROUNDING * scale if math.isfinite(scale) else math.inf
    return tuple(limit + slack for limit in stated) if isinstance(stated, tuple) else stated + slack


def _size(values: Any) -> tuple[float, int]:
    """The largest finite number in values of any nesting, and how many there are."""
    pairs = coordinates(values, values) or []
    found = [exact(one) for one, _ in pairs if isinstance(one, int | float)]
    return float(max((abs(one) for one in found if one is not None), default=0)), len(found)
