r"""Algorithm 1: the authors' version is ε-differentially private, whatever the number c of answers ⊤.

Let ρ' = ρ + 1. The density of ρ changes by a factor of at most $e^{\varepsilon_1}$. With the threshold
higher by 1 no answer ⊥ is less likely on D′ than on D, since queries move by at most 1. An answer ⊤ has
to make up for 2: a factor $e^{2/b}$ with $b=2c/\varepsilon_2$. At most c answers are ⊤, so the loss is at
most $\varepsilon_1+2c/b=\varepsilon_1+\varepsilon_2=\varepsilon$.

No smaller ε will do (many ⊥ push ρ to where all tails are exponential). Where all queries move in one
direction between neighbours, an answer ⊤ has to make up for 1 only, and noise of scale $c/\varepsilon_2$
is enough (`:monotonic`).

How it is checked. The loss that the substitution allows is computed from the scales of the
implementation. The exact probabilities of worst lists of answers on neighbours, between bounds that are
proved, stay below it and use it up. The program has the law that is computed (`:program`).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from claims import CONFIRMED, Claim, Evidence, Kind, Point, grid
from lyu2017 import PAPER
from lyu2017._evidence import frequencies, loss_between, program, substitution, worst_answers
from lyu2017._variants import algorithm_1, algorithm_1_monotonic


def check(point: Point) -> Iterator[Evidence]:
    variant = algorithm_1(point.epsilon, point.c)
    yield from substitution(variant, point.c, point.epsilon)
    yield from worst_answers(variant, point.m, point.c, point.epsilon, 0.99 * point.epsilon)


def check_monotonic(point: Point) -> Iterator[Evidence]:
    """Queries with answer ⊥ rise by 1 from D to D′; those with answer ⊤ stay, and so none falls."""
    variant = algorithm_1_monotonic(point.epsilon, point.c)
    yield from substitution(variant, point.c, point.epsilon, moves=1.0)
    answers = "⊥" * point.m + "⊤" * point.c
    queries = [0.0] * len(answers), [1.0] * point.m + [0.0] * point.c
    yield from loss_between(variant, answers, queries, point.epsilon, 0.99 * point.epsilon)


def check_program(monotonic: bool, point: Point) -> Iterator[Evidence]:
    variant = (algorithm_1_monotonic if monotonic else algorithm_1)(point.epsilon, point.c)
    yield from frequencies(variant, point, point.alpha)


CLAIM = Claim(
    PAPER,
    "Algorithm 1",
    "Figure 1 and section 3",
    kind=Kind.PRIVACY,
    title="The sparse vector algorithm of Lyu, Su and Li is ε-private",
    statement=r"For all $\varepsilon>0$ and $c$, on any number of adaptively chosen queries of sensitivity "
    r"$\Delta$, Algorithm 1 (threshold noise $\mathrm{Lap}(2\Delta/\varepsilon)$, query noise "
    r"$\mathrm{Lap}(4c\Delta/\varepsilon)$, stop after $c$ answers ⊤) is $\varepsilon$-DP.",
    expected=CONFIRMED,
    summary="threshold noise 2/ε, query noise 4c/ε, and a stop",
    check=check,
    smoke=grid(epsilon=1.0, c=(1, 3), m=60),
    ci=grid(epsilon=(0.1, 1.0, 4.0), c=(1, 3, 10), m=200),
)
MONOTONIC = CLAIM.reading(
    "monotonic",
    title="Half the query noise is enough for queries that move in one direction",
    statement=r"Where all queries rise, or all fall, from $D$ to its neighbour $D'$, Algorithm 1 with query "
    r"noise $\mathrm{Lap}(2c\Delta/\varepsilon)$ is $\varepsilon$-DP.",
    expected=CONFIRMED,
    summary="query noise 2c/ε for queries that move in one direction",
    check=check_monotonic,
    smoke=grid(epsilon=1.0, c=(1, 3), m=60),
    ci=grid(epsilon=(0.1, 1.0, 4.0), c=(1, 3, 10), m=200),
)
PROGRAM = program(CLAIM, partial(check_program, False))
CLAIMS = [MONOTONIC, PROGRAM]
