r"""Algorithm 3: the version of Roth's lecture notes prints the noisy answer in place of ⊤ and is not private.

The printed number is the one that was compared with the threshold, so it shows that ρ is smaller. Let c =
1, T = 0, queries $(0,…,0,1)$ on D and $(1,…,1,0)$ on D′, and the event E: m times ⊥, then a number at
most 0. In E the noise ρ is at most 0, where all laws are exponential. With $\lambda=\varepsilon/2$ the
probability of E is $2^{-m-2}\lambda^2/(\kappa(\kappa+\lambda))$ times $e^{-\lambda\sum q_i}$, the sum
over all m + 1 queries and $\kappa=(m+1)\lambda$: the loss is exactly $(m-1)\varepsilon/2$, and grows
without bound with the number of queries.

The paper says so itself, of an algorithm that it quotes. With ⊤ in place of the number the
substitution of Algorithm 1 gives 3ε/2 (`:indicator`).

How it is checked. The probability of E on both datasets in closed form, with the scales of the
implementation; the substitution for the reading that survives, with the exact law; the program against
the law and against the probability of E.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

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
    grid,
    mean_equals,
)
from lyu2017 import PAPER
from lyu2017._evidence import frequencies, program, substitution, worst_answers
from lyu2017._plots import growing_loss
from lyu2017._variants import BELOW, Variant, algorithm_3, run


def log_probability(variant: Variant, queries: Sequence[float]) -> float:
    """log P(E): ⊥ on all queries but the last, then a number ≤ 0; all queries ≥ 0, T = 0.

    ∫_{y ≤ 0} density of the number y · ∫_{z ≤ y} density of ρ · ∏ F((z − q_i)/b) dz dy, all exponentials.
    """
    slow, fast = 1.0 / variant.threshold_scale, 1.0 / variant.query_scale
    kappa = slow + (len(queries) - 1) * fast
    constant = math.log(slow / 2.0) + math.log(fast / 2.0) - math.log(kappa) - math.log(kappa + fast)
    return constant - (len(queries) - 1) * math.log(2.0) - fast * sum(queries)


def loss_of_event(variant: Variant, m: int) -> float:
    """log of P(E) on D over P(E) on D′."""
    return log_probability(variant, [0.0] * m + [1.0]) - log_probability(variant, [1.0] * m + [0.0])


def check(point: Point) -> Iterator[Evidence]:
    variant = algorithm_3(point.epsilon, 1)
    if not variant.numeric:
        yield from substitution(variant, 1, point.epsilon)
        return
    loss = loss_of_event(variant, point.m)
    yield at_most("loss of m times ⊥, then a number ≤ 0", loss, point.epsilon, decides=False)


def check_unbounded(point: Point) -> Iterator[Evidence]:
    """For a target ε′ the number of queries that shows more."""
    m = 2 + math.ceil(2.0 * point.target / point.epsilon)
    loss = loss_of_event(algorithm_3(point.epsilon, 1), m)
    yield at_least(f"loss of {m} times ⊥, then a number ≤ 0", loss, point.target)


def check_indicator(point: Point) -> Iterator[Evidence]:
    variant = replace(algorithm_3(point.epsilon, point.c), numeric=False)
    claimed = 1.5 * point.epsilon
    yield from substitution(variant, point.c, claimed)
    yield from worst_answers(variant, point.m, point.c, claimed, 0.99 * claimed)


def check_program(point: Point) -> Iterator[Evidence]:
    laws, event = point.split(2)
    yield from frequencies(algorithm_3(point.epsilon, point.c), point, laws)
    variant = algorithm_3(point.epsilon, 1)
    outputs = run(variant, [0.0, 1.0], point.samples, point.rng)
    hits = (outputs[:, 0] == BELOW) & (outputs[:, 1] < 0.0)
    chance = math.exp(log_probability(variant, [0.0, 1.0]))
    yield mean_equals(
        "frequency of ⊥, then a number ≤ 0", hits.astype(float), chance, alpha=event, method="clopper-pearson"
    )


CLAIM = Claim(
    PAPER,
    "Algorithm 3",
    "Figure 1",
    kind=Kind.PRIVACY,
    title="The sparse vector algorithm that prints the noisy answer, of Roth's lecture notes",
    statement=r"For all $\varepsilon>0$ and $c$, Algorithm 3 (threshold noise "
    r"$\mathrm{Lap}(2\Delta/\varepsilon)$, query noise "
    r"$\mathrm{Lap}(2c\Delta/\varepsilon)$, the noisy answer $q_i(D)+\nu_i$ in place of ⊤) is "
    r"$\varepsilon$-DP.",
    expected=REFUTED,
    finding=Finding(
        Weight.ALGORITHM,
        what="on m + 1 queries of sensitivity 1 an event has the loss (m − 1)ε/2: 4.5ε at m = 10",
        favour="quoted: Lyu, Su and Li print the algorithm to show this, and no reading of it is private",
        survives="3ε/2-DP with ⊤ in place of the number",
    ),
    check=check,
    smoke=grid(epsilon=1.0, m=(2, 10)),
    ci=grid(epsilon=(0.1, 1.0, 4.0), m=(2, 3, 4, 10, 100, 1000)),
    plots=[
        growing_loss("Privacy loss of one event against the number of queries", "answers ⊥ before the number")
    ],
)
UNBOUNDED = CLAIM.reading(
    "unbounded",
    title="Algorithm 3 is ε′-private for no finite ε′",
    statement=r"For every $\varepsilon>0$ and every $\varepsilon'$ there are queries on which Algorithm 3 is "
    r"not $\varepsilon'$-DP.",
    expected=CONFIRMED,
    summary="for no finite ε′",
    check=check_unbounded,
    smoke=grid(epsilon=1.0, target=(1.0, 100.0)),
    ci=grid(epsilon=(0.1, 1.0, 4.0), target=(1.0, 10.0, 100.0, 1000.0)),
    plots=(),
)
INDICATOR = CLAIM.reading(
    "indicator",
    title="With ⊤ in place of the number Algorithm 3 is 3ε/2-private",
    statement=r"Algorithm 3 that prints ⊤ in place of $q_i(D)+\nu_i$ is $\frac{3}{2}\varepsilon$-DP.",
    expected=CONFIRMED,
    summary="3ε/2 with ⊤ in place of the number",
    check=check_indicator,
    smoke=grid(epsilon=1.0, c=(1, 3), m=60),
    ci=grid(epsilon=(0.1, 1.0, 4.0), c=(1, 3, 10), m=200),
    plots=(),
)
PROGRAM = program(CLAIM, check_program)
CLAIMS = [UNBOUNDED, INDICATOR, PROGRAM]
