r"""Algorithm 6: the version of Chen, Xiao, Zhang and Xu does not stop and is not private.

Let 2m queries be 0 on D, on D′ the first m be 1 and the others −1, T = 0, and the answers m times ⊥, then
m times ⊤. For each noise ρ = z the factor of a pair ⊥⊤ on D is $F(z)(1-F(z))$, on D′ $F(z-1)(1-F(z+1))$
in units of Δ = 1. For z ≤ 0 the first factors have the quotient $e^{1/b}$, for z ≥ 0 the second ones, and
the others have at least 1. With $b=2/\varepsilon$ the loss is at least $m\varepsilon/2$.

With a stop after c answers ⊤ the substitution of Algorithm 1 gives $\varepsilon/2+c\varepsilon$
(`:stopped`).

How it is checked. The exact probabilities of the answers on D and D′, between bounds that are proved,
with the scales of the implementation; the substitution for the algorithm that stops; the program against
the law.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from claims import CONFIRMED, REFUTED, Claim, Evidence, Finding, Kind, Point, Weight, grid
from lyu2017 import PAPER
from lyu2017._evidence import frequencies, program, substitution, worst_answers
from lyu2017._plots import growing_loss
from lyu2017._variants import algorithm_6


def check(point: Point) -> Iterator[Evidence]:
    variant = algorithm_6(point.epsilon)
    yield from substitution(variant, 2 * point.m, point.epsilon)
    yield from worst_answers(variant, point.m, point.m, point.epsilon)


def check_unbounded(point: Point) -> Iterator[Evidence]:
    """For a target ε′ the number of queries that shows more."""
    m = 1 + math.ceil(2.0 * point.target / point.epsilon)
    shown = m * point.epsilon / 2.0
    assert shown > point.target
    yield from worst_answers(algorithm_6(point.epsilon), m, m, None, shown)


def check_stopped(point: Point) -> Iterator[Evidence]:
    variant = replace(algorithm_6(point.epsilon), stop=point.c)
    claimed = (0.5 + point.c) * point.epsilon
    yield from substitution(variant, point.c, claimed)
    yield from worst_answers(variant, point.m, point.c, claimed, 0.99 * claimed)


def check_program(point: Point) -> Iterator[Evidence]:
    yield from frequencies(algorithm_6(point.epsilon), point, point.alpha)


CLAIM = Claim(
    PAPER,
    "Algorithm 6",
    "Figure 1",
    kind=Kind.PRIVACY,
    title="The sparse vector algorithm that does not stop, of Chen et al.",
    statement=r"For all $\varepsilon>0$ Algorithm 6 (threshold noise $\mathrm{Lap}(2\Delta/\varepsilon)$, "
    r"query noise $\mathrm{Lap}(2\Delta/\varepsilon)$, no stop) is $\varepsilon$-DP.",
    expected=REFUTED,
    finding=Finding(
        Weight.ALGORITHM,
        what="m times ⊥, then m times ⊤ has a loss of at least mε/2: more than 10ε at m = 20",
        favour="quoted: Lyu, Su and Li print the algorithm to show this, and no reading of it is private",
        survives="(1/2 + c)ε-DP with a stop after c answers ⊤",
    ),
    check=check,
    smoke=grid(epsilon=1.0, m=(1, 5, 20)),
    ci=grid(epsilon=(0.1, 1.0, 4.0), m=(1, 2, 3, 5, 10, 20, 50)),
    plots=[growing_loss("Privacy loss of m times ⊥, then m times ⊤", "answers ⊥, and as many ⊤")],
)
UNBOUNDED = CLAIM.reading(
    "unbounded",
    title="Algorithm 6 is ε′-private for no finite ε′",
    statement=r"For every $\varepsilon>0$ and every $\varepsilon'$ there are queries on which Algorithm 6 is "
    r"not $\varepsilon'$-DP.",
    expected=CONFIRMED,
    summary="for no finite ε′",
    check=check_unbounded,
    smoke=grid(epsilon=1.0, target=(1.0, 10.0)),
    ci=grid(epsilon=(0.1, 1.0, 4.0), target=(1.0, 4.0, 10.0)),
    plots=(),
)
STOPPED = CLAIM.reading(
    "stopped",
    title="With a stop Algorithm 6 is (1/2 + c)ε-private",
    statement=r"Algorithm 6 that stops after $c$ answers ⊤ is $(\frac12+c)\varepsilon$-DP.",
    expected=CONFIRMED,
    summary="(1/2 + c)ε with a stop after c answers ⊤",
    check=check_stopped,
    smoke=grid(epsilon=1.0, c=(1, 3), m=60),
    ci=grid(epsilon=(0.1, 1.0, 4.0), c=(1, 3, 10), m=200),
    plots=(),
)
PROGRAM = program(CLAIM, check_program, stops=False)
CLAIMS = [UNBOUNDED, STOPPED, PROGRAM]
