r"""Algorithm 5: the version of Stoddard, Chen and Machanavajjhala has no noise in its queries and is not
private.

All answers are compared with one noisy threshold, so an answer ⊥ on a query and ⊤ on another shows which
of the two is larger. Let the queries be $(0,1)$ on D and $(1,0)$ on D′, and T = 0. The answers ⊥⊤ come
out on D where $0<\rho\le 1$, with probability $\frac12(1-e^{-\varepsilon/2})$, and never on D′. So the
algorithm is ε′-DP for no finite ε′, and (ε′, δ)-DP only for δ of at least that probability.

How it is checked. The probabilities are those of an interval under the law of ρ, in closed form, with the
scale of the implementation. For a single query one Laplace noise is enough (`:single`). The program
against the law.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from claims import (
    CONFIRMED,
    REFUTED,
    Claim,
    Evidence,
    Finding,
    Kind,
    Point,
    Weight,
    at_least,
    at_most,
    equals,
    grid,
)
from lyu2017 import PAPER
from lyu2017._evidence import frequencies, program, substitution
from lyu2017._law import probability
from lyu2017._variants import algorithm_5


def check(point: Point) -> Iterator[Evidence]:
    """ε-DP wants P(⊥⊤ on D) ≤ e^ε·P(⊥⊤ on D′)."""
    variant = algorithm_5(point.epsilon)
    yield from substitution(variant, 2, point.epsilon)
    on_first, on_second = (probability(variant, q, "⊥⊤").high for q in ([0.0, 1.0], [1.0, 0.0]))
    limit = math.exp(point.epsilon) * on_second
    yield at_most("P(⊥⊤) on D, which ε-DP bounds", on_first, limit, decides=False)


def check_unbounded(point: Point) -> Iterator[Evidence]:
    variant = algorithm_5(point.epsilon)
    yield equals("P(⊥⊤) on D′", probability(variant, [1.0, 0.0], "⊥⊤").high, 0.0)
    stated = (1.0 - math.exp(-point.epsilon / 2.0)) / 2.0
    yield equals("P(⊥⊤) on D, the least δ", probability(variant, [0.0, 1.0], "⊥⊤").low, stated)


def check_single(point: Point) -> Iterator[Evidence]:
    """Both answers to one query, at heights around the threshold: at most ε/2, and reached."""
    variant = algorithm_5(point.epsilon)
    losses = [
        abs(probability(variant, [height], answer).loss(probability(variant, [height - 1.0], answer))[0])
        for height in (-4.0, -1.0, 0.0, 0.5, 1.0, 3.0)
        for answer in "⊥⊤"
    ]
    # One shift of the one noise: Δ/b_ρ bounds every height.
    yield at_most("Δ over the scale of ρ", 1.0 / variant.threshold_scale, point.epsilon / 2.0)
    yield at_most("largest loss of an answer", max(losses), point.epsilon / 2.0, decides=False)
    yield at_least("largest loss of an answer, least", max(losses), point.epsilon / 2.0)


def check_program(point: Point) -> Iterator[Evidence]:
    yield from frequencies(algorithm_5(point.epsilon), point, point.alpha)


CLAIM = Claim(
    PAPER,
    "Algorithm 5",
    "Figure 1",
    kind=Kind.PRIVACY,
    title="The sparse vector algorithm without noise in the queries, of Stoddard et al.",
    statement=r"For all $\varepsilon>0$ Algorithm 5 (threshold noise $\mathrm{Lap}(2\Delta/\varepsilon)$, "
    r"no noise in the queries, no stop) is $\varepsilon$-DP.",
    expected=REFUTED,
    finding=Finding(
        Weight.ALGORITHM,
        what="on two queries the answers ⊥⊤ have probability ½(1 − e^(−ε/2)), 0.197 at ε = 1, on D and "
        "0 on D′",
        favour="quoted: Lyu, Su and Li print the algorithm to show this, and no reading of it is private",
        survives="ε/2-DP for a single query; nothing from two queries on",
    ),
    check=check,
    smoke=grid(epsilon=(0.1, 1.0)),
    ci=grid(epsilon=(0.01, 0.1, 1.0, 4.0, 10.0)),
)
UNBOUNDED = CLAIM.reading(
    "unbounded",
    title="Algorithm 5 is ε′-private for no finite ε′",
    statement=r"For every $\varepsilon>0$ and $\varepsilon'$ Algorithm 5 is not $\varepsilon'$-DP, and "
    r"$(\varepsilon',\delta)$-DP only for $\delta\ge\frac12(1-e^{-\varepsilon/2})$.",
    expected=CONFIRMED,
    summary="for no finite ε′",
    check=check_unbounded,
    smoke=grid(epsilon=(0.1, 1.0)),
    ci=grid(epsilon=(0.01, 0.1, 1.0, 4.0, 10.0)),
)
SINGLE = CLAIM.reading(
    "single",
    title="Algorithm 5 is ε/2-private for a single query",
    statement=r"On one query of sensitivity $\Delta$ Algorithm 5 is $\frac{\varepsilon}{2}$-DP.",
    expected=CONFIRMED,
    summary="ε/2 for a single query",
    check=check_single,
    smoke=grid(epsilon=(0.1, 1.0)),
    ci=grid(epsilon=(0.01, 0.1, 1.0, 4.0, 10.0)),
)
PROGRAM = program(CLAIM, check_program, stops=False)
CLAIMS = [UNBOUNDED, SINGLE, PROGRAM]
