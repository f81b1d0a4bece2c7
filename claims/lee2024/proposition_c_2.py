r"""Proposition C.2, group privacy: if M is (ε, δ)-DP, then M(x) and M(x′) are (kε,
kδe^{kε})-indistinguishable for x, x′ that differ in k records.

It holds: the sharp value is δ_k = δ(1 + e^ε + … + e^{(k−1)ε}), and each of its k terms is at most e^{kε}.
The exponent of e is illegible in the text at hand. It is read as e^{kε}, with which the proposition holds and
which is usual; e^ε alone would be too little from k = 3 on, where 1 + e^ε + e^{2ε} > 3e^ε.

How it is checked. With the mechanism that reaches δ_k: an event whose probability grows by p ↦ e^ε·p + δ
from one dataset to the next. That each step is (ε, δ)-indistinguishable in both directions and on the
complement is checked with the hockey-stick divergence, as is the claim, and that no δ below δ_k would do.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

from claims import CONFIRMED, Claim, Evidence, Kind, Point, at_most, equals, grid
from claims.lee2024 import PAPER


def chain(epsilon: float, delta: float, k: int) -> list[float]:
    """Probability of the event on datasets 0 … k."""
    probability = [0.0]
    for _ in range(k):
        probability.append(math.exp(epsilon) * probability[-1] + delta)
    return probability


def check(point: Point) -> Iterator[Evidence]:
    from audits.divergence import hockey_stick
    from audits.laws import Finite
    from implementations.privacy import group_privacy

    def both(a: Finite, b: Finite, at: float) -> float:
        return max(hockey_stick(a, b, at), hockey_stick(b, a, at))

    epsilon, delta, k = point.epsilon, point.delta, point.k
    probability = chain(epsilon, delta, k)
    laws = [Finite({"in": p, "out": 1.0 - p}) for p in probability]
    if probability[-1] > 0.5:
        raise ValueError(f"delta must leave δ_k ≤ 1/2, got {probability[-1]} at {dict(point.axes)}")
    step = max(both(a, b, epsilon) for a, b in itertools.pairwise(laws))
    yield at_most("δ of a step, which must be (ε, δ)-DP", step, delta * (1.0 + 1e-12), point=point.axes)
    group = both(laws[0], laws[-1], k * epsilon)
    claimed = k * delta * math.exp(k * epsilon)
    yield at_most("δ of the group at kε", group, claimed, point=point.axes)
    yield equals(
        "sharp δ_k of the implementation", group_privacy(epsilon, delta, k)[1], group, point=point.axes
    )


CLAIM = Claim(
    PAPER,
    "Proposition C.2",
    "appendix C",
    kind=Kind.PRIVACY,
    title="Group privacy",
    statement=r"""If $M$ is $(\varepsilon,\delta)$-DP, then $M(x),M(x')$ are
$(k\varepsilon,k\delta e^{k\varepsilon})$-indistinguishable for $x,x'$ that differ in $k$ records.""",
    expected=CONFIRMED,
    check=check,
    smoke=grid(epsilon=(0.1, 1.0), delta=1e-6, k=(1, 3)),
    ci=grid(epsilon=(0.001, 0.1, 0.5, 1.0), delta=(1e-12, 1e-8), k=(1, 2, 3, 5, 12)),
)
