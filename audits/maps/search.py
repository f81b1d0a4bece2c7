"""The search for two neighbours whose outputs are farther apart than the map states.

Hypothesis draws neighbours, climbs on the ratio of the measured to the stated distance, and shrinks what it
finds. Its climb begins after half of a round's examples, so rounds are short, each with a seed of its own.
A function may be random though it looked otherwise twice: before a distance counts, outputs are drawn again.
"""

from __future__ import annotations

import contextlib
import math
import re
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, cast

from audits.maps.distances import Gap, Gaps, compared, gap, leaves
from audits.maps.neighbours import near, pairs
from audits.maps.subject import Subject

ROUND = 300
"""Examples of a round."""
AGAIN = 100
"""Draws of each output before a distance between two of them counts."""
MANY = 2000
"""Fresh draws of each of two random outputs before an accusation."""
OFTEN = 60
"""An output is seen so often on one dataset and nothing near it on the other: by chance at most 2⁻⁶⁰."""
MEMORY = 200_000
"""Pairs whose verdict is remembered."""
GRACE = 15.0
"""Seconds that shrinking may take on top of the budget."""
ROUNDING = 2.0**-46
"""Relative error of one operation that is not held against idealised numerics: 64 units in the last place."""


class Violation(Exception):
    """Raised within Hypothesis, which then shrinks the pair."""


class TimeIsUp(BaseException):
    """Raised within Hypothesis, which ends its round at once for what is no `Exception`."""


@dataclass(frozen=True, slots=True)
class Found:
    """A pair of neighbours and what was measured on it.

    certain   the function is deterministic on both: a proof. Else the outputs are random.
    """

    first: Any
    second: Any
    d_in: Any
    stated: Any
    measured: Gap | Gaps | str
    certain: bool = True

    def size(self) -> tuple[int, float, str]:
        """Sorts pairs: fewer numbers first, then smaller ones."""
        text = repr((self.d_in, self.first, self.second))
        numbers = leaves([self.first, self.second])
        return len(numbers) or len(text), sum(math.log1p(abs(x)) + (x < 0.0) for x in numbers), text


@dataclass(slots=True)
class Search:
    """One search: what was tried, and the best that was found.

    violation, rounding, raised   the last, so the smallest, pair of its kind; None where there is none.
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
    undecided: int = 0
    proposal: Found | None = None
    audits: int = 0
    failed: int = 0
    failure: str = ""
    slow: int = 0
    unclear: set[str] = field(default_factory=set[str])
    refused: set[int] = field(default_factory=set[int])
    random: bool = False
    exhausted: bool = False
    lines: dict[str, Any] = field(default_factory=dict[str, Any])
    seen: dict[int, float | None] = field(default_factory=dict[int, "float | None"])

    def run(self, alpha: float, progress: Callable[[Search], None] | None = None) -> Search:
        """Rounds until a violation is found, the time is up, or the domain is exhausted.

        alpha   the probability that the proposals of a measurement that keeps its claim are refuted.
        """
        number = 0
        while self.violation is None and not (self.exhausted or self._over()):
            before = self.pairs
            self._round(number)
            self._decide(alpha)
            number += 1
            self.exhausted = self.pairs == before and self.subject.claim is None and not self._over()
            if progress is not None:
                progress(self)
        return self

    def progress(self) -> str:
        """What is known by now, in words."""
        return f"{self.pairs:,} pairs, at most {self.ratio:.3g} of what is stated"

    def _over(self) -> bool:
        enough = self.max_pairs is not None and self.pairs >= self.max_pairs
        return enough or time.monotonic() > self.deadline

    def _round(self, number: int) -> None:
        import hypothesis
        from hypothesis import HealthCheck, Phase, Verbosity, given, settings
        from hypothesis.errors import HypothesisException

        subject = self.subject

        @hypothesis.seed(self.seed * 1_000_003 + number)
        @settings(
            max_examples=ROUND,
            database=None,
            deadline=None,
            phases=(Phase.generate, Phase.target, Phase.shrink),
            suppress_health_check=cast(Any, list(HealthCheck)),
            verbosity=Verbosity.quiet,
            report_multiple_bugs=False,
        )
        @given(pairs(subject.domain, subject.metric, self.choices))
        def attempt(pair: tuple[Any, Any, Any]) -> None:
            shrinking = self.violation is not None or self.proposal is not None
            if time.monotonic() > self.deadline + GRACE if shrinking else self._over():
                raise TimeIsUp
            first, second, d_in = pair
            close = [*near(subject.domain, subject.metric, first, self.choices)]
            if subject.claim is not None and close:  # sampling costs hundreds of outputs, comparing costs two
                close = [close[zlib.crc32(repr(first).encode()) % len(close)]]
            tried = [(second, d_in), *close]
            ratios: list[float] = []
            for other, distance in tried:
                ratio = self.try_pair(first, other, distance)
                if ratio is None:
                    raise Violation
                ratios.append(ratio)
            hypothesis.target(max(ratios))

        # The pair is kept; what is flaky or cannot be satisfied has told all it can.
        with contextlib.suppress(TimeIsUp, Violation, HypothesisException):
            attempt()

    def try_pair(self, first: Any, second: Any, d_in: Any) -> float | None:
        """The ratio of the measured to the stated distance; None for a violation.

        What was said of a pair is said again: Hypothesis takes a judge that changes its mind for a fault.
        """
        key = hash(repr((first, second, d_in)))
        if key in self.refused:
            return 1.0  # audited, and not refuted
        if key in self.seen:
            return self.seen[key]
        self.pairs += 1
        judge = self._ratio if self.subject.claim is None else self._sampled
        found = judge(first, second, d_in)
        if found is not None:
            self.ratio = max(self.ratio, found)
        if len(self.seen) < MEMORY:
            self.seen[key] = found
        return found

    def _ratio(self, first: Any, second: Any, d_in: Any) -> float | None:
        stated = self.subject.stated(d_in)
        one, other = self._outputs(first), self._outputs(second)
        a, b = one(), other()
        if isinstance(a, Raised) or isinstance(b, Raised):
            words = str(a if isinstance(a, Raised) else b)
            if isinstance(a, Raised) != isinstance(b, Raised):
                self._one_raised(Found(first, second, d_in, stated, words))
            else:
                self.failed, self.failure = self.failed + 1, words
            return 0.0
        try:
            measured = gap(self._metric(d_in), a, b)
        except (TypeError, ValueError) as error:
            self.failed, self.failure = self.failed + 1, f"outputs that cannot be compared: {error}"
            return 0.0
        if not measured.exceeds(stated):
            return measured.share(stated)
        found = Found(first, second, d_in, stated, measured)
        if self._deterministic(a, one) and self._deterministic(b, other):
            if self.subject.idealised and not measured.exceeds(_loosened(stated, first, second, a, b)):
                self.rounding = found
                return 1.0
            self._violated(found)
            return None
        self.random = True
        return self._random(found, one, other)

    def _sampled(self, first: Any, second: Any, d_in: Any) -> float | None:
        """The share of the stated loss that a few samples need; None where an audit shall decide."""
        from audits.maps.sampled import FEW, PROMISING, SLOW, SOME, Lines, suggested

        stated = self.subject.stated(d_in)
        assert self.subject.claim is not None
        claim, one, other = self.subject.claim(stated), self._outputs(first), self._outputs(second)
        if repr(claim) not in self.lines:
            self.lines[repr(claim)] = Lines.of(claim)
        began = time.perf_counter()
        for output in (one, other):
            output()
        if time.perf_counter() - began > 2.0 * SLOW:
            self.slow += 1
            return 0.0
        found, epsilon = 0.0, 0.0
        for draws in (FEW, SOME):
            both = [[output() for _ in range(draws)] for output in (one, other)]
            failed = [sum(isinstance(value, Raised) for value in part) for part in both]
            if any(failed):
                if 0 in failed and draws in failed:
                    words = next(str(v) for part in both for v in part if isinstance(v, Raised))
                    self._one_raised(Found(first, second, d_in, stated, words))
                self.failed += 1
                self.failure = next(str(v) for part in both for v in part if isinstance(v, Raised))
                return 0.0
            found, epsilon = suggested(both[0], both[1], self.lines[repr(claim)])
            if found < PROMISING:
                return found
        if found <= 1.0:
            return found
        pair = Found(first, second, d_in, stated, f"{epsilon}", certain=False)
        if self.proposal is None or pair.size() < self.proposal.size():
            self.proposal = pair
        return None

    def _decide(self, alpha: float) -> None:
        """Audit what a round proposes, on fresh draws."""
        from audits.maps import sampled

        found, self.proposal = self.proposal, None
        if found is None or self.subject.claim is None:
            return
        self.audits += 1
        self.refused.add(hash(repr((found.first, found.second, found.d_in))))
        options = {
            "alpha": sampled.share(alpha, self.audits),
            "seed": self.seed,
            "time_limit": sampled.left(self.deadline),
        }
        claim, epsilon = self.subject.claim(found.stated), float(str(found.measured))
        result = sampled.audited(self.subject, (found.first, found.second), claim, epsilon, options)
        if result.verdict == "refuted":
            words = (
                f"ε ≥ {result.epsilon_lower:.6g} where {epsilon:.6g} is allowed, δ = {abs(result.delta):.3g}"
            )
            self.violation = replace(found, measured=f"{words} ({result.samples:,} samples)")
        elif result.verdict == "undecided":
            self.unclear.add(result.note or "an audit was undecided")

    def _metric(self, d_in: Any) -> str:
        """The output metric; scores of datasets two steps apart need not move in one direction."""
        if self.subject.output == "linf-monotonic" and d_in != 1:
            return "linf"
        return self.subject.output

    def _violated(self, found: Found) -> None:
        if self.violation is None or found.size() < self.violation.size():
            self.violation = found

    def _outputs(self, value: Any) -> Callable[[], Any]:
        """Draws outputs on a value; an exception is an output, too."""

        def output() -> Any:
            try:
                return self.subject.invoke(self.subject.made(value))
            except Exception as error:
                return Raised(error)

        return output

    def _one_raised(self, found: Found) -> None:
        if self.raised is None or found.size() < self.raised.size():
            self.raised = found

    def _deterministic(self, known: Any, output: Callable[[], Any]) -> bool:
        first = compared(known)
        return all(compared(output()) == first for _ in range(AGAIN))

    def _random(self, found: Found, one: Callable[[], Any], other: Callable[[], Any]) -> float | None:
        """Random outputs within d of each other have P(A) ≤ P′(A^d) for every A (Strassen 1965).

        A is one output, A^d all that are within the stated distance of it: seen OFTEN on one dataset and
        never, in as many draws, on the other, it breaks that with an error of at most 2⁻⁶⁰.
        """
        measured: Gap | Gaps | None = None
        for draws, least in ((AGAIN, 1 + AGAIN // 20), (MANY, OFTEN)):
            samples = [self._counted(output, draws) for output in (one, other)]
            lonely = [self._lonely(a, b, least, found) for a, b in (samples, samples[::-1])]
            measured = next((far for far in lonely if far is not None), None)
            if measured is None:
                self.undecided += 1
                return 0.0
        assert measured is not None
        self._violated(replace(found, measured=measured, certain=False))
        return None

    def _counted(self, output: Callable[[], Any], draws: int) -> dict[str, tuple[Any, int]]:
        """Outputs by what is compared of them: each with how often it came."""
        counts: dict[str, tuple[Any, int]] = {}
        for _ in range(draws):
            value = output()
            key = repr(value if isinstance(value, Raised) else compared(value))
            counts[key] = value, counts.get(key, (value, 0))[1] + 1
        return counts

    def _lonely(
        self, here: dict[str, tuple[Any, int]], there: dict[str, tuple[Any, int]], least: int, found: Found
    ) -> Gap | Gaps | None:
        """The distance from an output that is seen often here to the nearest one there, if it is too far."""
        if any(isinstance(value, Raised) for value, _ in (*here.values(), *there.values())):
            return None
        metric, others = self._metric(found.d_in), [value for value, _ in there.values()]
        for value, _ in (pair for pair in here.values() if pair[1] >= least):
            if all(gap(metric, value, other).exceeds(found.stated) for other in others):
                return min((gap(metric, value, other) for other in others), key=lambda one: one.value)
        return None


class Raised:
    """An exception as an output: its kind and its last line in words."""

    def __init__(self, error: Exception) -> None:
        text = str(getattr(error, "message", None) or error)
        lines = [line.strip() for line in text.splitlines() if re.search("[a-z]{3}", line)]
        self.words = f"{type(error).__name__}: {lines[-1] if lines else ''}"[:200]

    def __str__(self) -> str:
        return self.words


def _loosened(stated: Any, *values: Any) -> Any:
    """The stated distance and what rounding may add."""
    slack = _slack(*values)
    return tuple(limit + slack for limit in stated) if isinstance(stated, tuple) else stated + slack


def _slack(first: Any, second: Any, a: Any, b: Any) -> float:
    """How far rounding alone may move two outputs apart: a sum of products of the inputs is allowed for."""
    inputs = [abs(x) for value in (first, second) for x in leaves(value)]
    outputs = [abs(x) for value in (a, b) for x in leaves(value)]
    largest = max(inputs, default=0.0)
    scale = len(inputs) * max(largest, largest * largest) + sum(outputs)
    return ROUNDING * scale if math.isfinite(scale) else math.inf
