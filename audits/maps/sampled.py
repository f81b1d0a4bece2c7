"""A measurement's stated loss, held against samples of its outputs on pairs that the search proposes.

A pair is proposed where an event, chosen on one half of a few draws by its confidence limits, needs a larger
loss than stated on the other half. What is proposed is audited on fresh draws by `audit_privacy`; the k-th
proposal of a run has the share α·6/(π²·k²) of α, so that all of them err with probability α at most.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from audits.maps.distances import compared, leaves
from audits.maps.subject import Subject

FEW, SOME = 64, 600
"""Draws of each dataset for a first look, and where that is promising."""
PROMISING = 0.1
"""Share of the stated loss that a first look must suggest."""
CONFIDENCE = 0.02
"""Error of each limit in a look: a proposal need not be right, as it is audited."""
COLUMNS, CUTS, VALUES = 6, 8, 12
"""Numbers of an output, thresholds of each, and single outputs: events are made of them."""
GRID = 0.1, 0.25, 0.5, 1.0, 2.0, 3.0, 5.0, 8.0
"""Where lines are taken of a claim that is not made at one ε."""
SLOW = 0.05
"""Seconds of one output; a pair on which it takes longer is left out."""
SAMPLES = 40_000
"""Outputs of each dataset in an audit, at most."""


@dataclass(frozen=True, slots=True)
class Event:
    """A set of outputs, in words and as a predicate."""

    words: str
    holds: Callable[[Any], bool]


def events(outputs: Sequence[Any]) -> list[Event]:
    """Events that these outputs suggest: single outputs, thresholds of their numbers, how many they have."""
    keys = Counter(repr(compared(one)) for one in outputs)
    found = [Event(f"the output is {key}", _is(key)) for key, _ in keys.most_common(VALUES)]
    rows = [leaves(one) for one in outputs]
    lengths = Counter(map(len, rows))
    if len(lengths) > 1:
        found += [Event(f"the output has {n} numbers or more", _has(n)) for n in sorted(lengths)[1:CUTS]]
    for column in range(min(COLUMNS, min(lengths, default=0))):
        values = sorted(row[column] for row in rows)
        cuts = {values[(i * (len(values) - 1)) // CUTS] for i in range(CUTS + 1)}
        for cut in sorted(cuts):
            found.append(Event(f"number {column} is {cut!r} or less", _below(column, cut)))
            found.append(Event(f"number {column} is {cut!r}", _at(column, cut)))
    return found


def _is(key: str) -> Callable[[Any], bool]:
    return lambda output: repr(compared(output)) == key


def _has(n: int) -> Callable[[Any], bool]:
    return lambda output: len(leaves(output)) >= n


def _below(column: int, cut: float) -> Callable[[Any], bool]:
    return lambda output: len(row := leaves(output)) > column and row[column] <= cut


def _at(column: int, cut: float) -> Callable[[Any], bool]:
    return lambda output: len(row := leaves(output)) > column and row[column] == cut


@dataclass(frozen=True, slots=True)
class Lines:
    """Some of the lines P(E) ≤ e^ε·Q(E) + δ(ε) that a claim allows, as arrays ε and δ."""

    epsilon: Any
    delta: Any

    @classmethod
    def of(cls, claim: Any) -> Lines:
        """The line at the own ε of a claim that has one, else those at `GRID`: a δ(ε) may take 0.1 s."""
        import numpy as np

        own = getattr(claim, "epsilon", None)
        epsilon = np.array([own] if isinstance(own, float) and own > 0.0 else GRID)
        return cls(epsilon, np.array([float(claim.delta(float(one))) for one in epsilon]))

    def shares(self, p: Any, q: Any) -> tuple[Any, Any]:
        """(log((p − δ)/q)/ε where it is largest among the lines, above 1 if the claim is broken; that ε)."""
        import numpy as np

        p, q = np.asarray(p)[..., None], np.clip(q, 1e-300, 1.0)[..., None]
        found = np.log(np.maximum(p - self.delta, 1e-300) / q) / self.epsilon
        place = np.argmax(found, axis=-1)
        largest = np.take_along_axis(found, place[..., None], -1)[..., 0]
        return np.maximum(largest, 0.0), self.epsilon[place]


def suggested(first: Sequence[Any], second: Sequence[Any], lines: Lines) -> tuple[float, float]:
    """(the loss that an event needs, as a share of the claimed one; the ε at which it breaks the claim most).

    The event is chosen on the first half of the outputs by confidence limits, never by the plain ratio, which
    picks empty tails; the share is of its limits on the second half.
    """
    import numpy as np

    half, known = len(first) // 2, events([*first[: len(first) // 2], *second[: len(second) // 2]])
    best: tuple[float, Event, bool, bool] | None = None
    parts = first[:half], second[:half]
    counts = np.array([[sum(map(event.holds, part)) for event in known] for part in parts])
    for turned in (False, True):
        low, high = _limits(counts[::-1] if turned else counts, half)
        for other in (False, True):
            p, q = (1.0 - high[0], 1.0 - low[1]) if other else (low[0], high[1])
            shares, _ = lines.shares(p, q)
            place = int(np.argmax(shares))
            if best is None or shares[place] > best[0]:
                best = float(shares[place]), known[place], turned, other
    assert best is not None
    _, event, turned, other = best
    fresh = [sum(map(event.holds, part[half:])) for part in ((second, first) if turned else (first, second))]
    low, high = _limits(np.array(fresh)[:, None], len(first) - half)
    p, q = (1.0 - high[0], 1.0 - low[1]) if other else (low[0], high[1])
    shares, epsilon = lines.shares(p, q)
    return float(shares[0]), float(epsilon[0])


def _limits(counts: Any, draws: int) -> tuple[Any, Any]:
    """Lower and upper limits of probabilities (Clopper and Pearson 1934)."""
    import numpy as np
    from scipy.stats import beta

    low = np.where(counts > 0, beta.ppf(CONFIDENCE, np.maximum(counts, 1), draws - counts + 1), 0.0)
    high = np.where(
        counts < draws, beta.ppf(1.0 - CONFIDENCE, counts + 1, np.maximum(draws - counts, 1)), 1.0
    )
    return low, np.minimum(high, 1.0 - 1e-12)


def audited(
    subject: Subject, pair: tuple[Any, Any], claim: Any, epsilon: float, options: dict[str, Any]
) -> Any:
    """The audit of one proposal at (ε, δ(ε)), which the claim implies: an `AuditResult`."""
    from audits.privacy import audit_privacy, each, unseeded

    return audit_privacy(
        each(unseeded(lambda data: subject.invoke(subject.made(data)))),
        [pair],
        epsilon=epsilon,
        delta=min(float(claim.delta(epsilon)) * (1.0 + 1e-9), 1.0 - 1e-12),
        adjacency=lambda first, second: True,
        max_samples=SAMPLES,
        confirm=True,
        precision=0.1,
        **options,
    )


def share(alpha: float, k: int) -> float:
    """α_k = 6α/(π²k²): they add to α over all k ≥ 1."""
    return 6.0 * alpha / (math.pi * k) ** 2


def left(deadline: float) -> float:
    """Seconds to a deadline, at least a few for an audit."""
    return max(10.0, deadline - time.monotonic())
