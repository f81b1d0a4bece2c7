r"""Algorithm 2: the version of Dwork and Roth's book is ε-differentially private.

Between two answers ⊤ the threshold has a noise of its own, of scale $c/\varepsilon_1$. The substitution
of Algorithm 1 costs $\varepsilon_1/c$ for each of the c noises, and
$2/(2c/\varepsilon_1)=\varepsilon_1/c$ for each answer ⊤: together $2\varepsilon_1=\varepsilon$. The
second noise of the threshold is not needed: Algorithm 1 draws one, c times smaller.

How it is checked. As Algorithm 1: the allowed loss from the scales of the implementation, the exact law
of the worst answers, which uses it up, and the program against the law.
"""

from __future__ import annotations

from collections.abc import Iterator

from claims import CONFIRMED, Claim, Evidence, Kind, Point, grid
from lyu2017 import PAPER
from lyu2017._evidence import frequencies, program, substitution, worst_answers
from lyu2017._variants import algorithm_2


def check(point: Point) -> Iterator[Evidence]:
    variant = algorithm_2(point.epsilon, point.c)
    yield from substitution(variant, point.c, point.epsilon)
    yield from worst_answers(variant, point.m, point.c, point.epsilon, 0.99 * point.epsilon)


def check_program(point: Point) -> Iterator[Evidence]:
    yield from frequencies(algorithm_2(point.epsilon, point.c), point, point.alpha)


CLAIM = Claim(
    PAPER,
    "Algorithm 2",
    "Figure 1",
    kind=Kind.PRIVACY,
    title="The sparse vector algorithm of Dwork and Roth is ε-private",
    statement=r"For all $\varepsilon>0$ and $c$, Algorithm 2 (threshold noise "
    r"$\mathrm{Lap}(2c\Delta/\varepsilon)$, drawn again after each answer ⊤, query noise "
    r" $\mathrm{Lap}(4c\Delta/\varepsilon)$) is $\varepsilon$-DP.",
    expected=CONFIRMED,
    summary="a threshold noise of 2c/ε for each answer ⊤",
    check=check,
    smoke=grid(epsilon=1.0, c=(1, 3), m=40),
    ci=grid(epsilon=(0.1, 1.0, 4.0), c=(1, 3, 5), m=100),
)
PROGRAM = program(CLAIM, check_program)
CLAIMS = [PROGRAM]
