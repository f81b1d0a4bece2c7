r"""Theorem 4.1, where it says something: the sizes n, m at which the bound is below the trivial risk RG.

The bound is K·RG√d/(n√m) for the projected algorithm (theorem-4.1), with K the logarithms and constants of
the noise, which depends on n, m by logarithms and on ε by a power. For given n it is below RG from some m on.
On the other hand every phase has the budget ε/T, T = ⌈log(nm)⌉, and needs n ≥ 4κ + 2 users for it: beyond
some m there are too few. Between the two the theorem says something; where they cross (few users) it says
nothing, whatever m is.

How it is checked. Both edges by bisection over log₁₀ m, from the printed formulas. A decade of m beyond or
before the first edge the bound is below or above RG; the program takes a decade less than the second edge,
and refuses a decade more.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from claims import CONFIRMED, Claim, Evidence, Kind, Plot, Point, at_least, at_most, equals, grid, reported
from claims.ghazi2023 import PAPER
from claims.ghazi2023 import _rates as rates
from implementations.ghazi2023 import del_output_pert, phased_erm
from implementations.ghazi2023.feasible import Ball
from implementations.ghazi2023.quadratic import Summary
from implementations.ghazi2023.reading import Guarantee, Reading

LARGEST, PRECISION = 280.0, 0.01
LEAST, MOST = "log₁₀ of the least m with a bound below RG", "log₁₀ of the largest m with enough users"


def bound(n: int, log10_m: float, epsilon: float, delta: float, d: int) -> float:
    """log₁₀ of K√d/(n√m), the bound over RG."""
    m = 10.0**log10_m
    phases = math.ceil(math.log(n * m))
    factor = rates.noise_factor(n, m, phases, epsilon, delta, 1.0 / (n * m))
    return math.log10(factor) + 0.5 * math.log10(d) - math.log10(n) - 0.5 * log10_m


def enough_users(n: int, log10_m: float, epsilon: float, delta: float) -> bool:
    """n ≥ 4κ + 2 for the budget of one of ⌈log(nm)⌉ phases."""
    phases = math.ceil(math.log(n * 10.0**log10_m))
    return 4 * del_output_pert.parameters(epsilon / phases, delta / phases, 1.0).kappa + 2 <= n


def edge(holds: Callable[[float], bool]) -> float:
    """Where a statement of log₁₀ m, true for large m and false for small ones, begins to hold."""
    low, high = 0.0, LARGEST
    while high - low > PRECISION:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def runs(n: int, log10_m: float, epsilon: float, delta: float) -> bool:
    """Whether the program takes these sizes."""
    m = 10.0**log10_m
    users = Summary(np.zeros((1, 1)), np.zeros(1), n, 0.0, 1.0, m)
    strength = phased_erm.printed_regulariser(1.0, 1.0, n, m, 1)
    try:
        phased_erm.phased_erm(
            users, [Ball(np.zeros(1), 0.5)], np.zeros(1), Guarantee(epsilon, delta, 1.0 / (n * m)), strength,
            np.random.default_rng(0), reading=Reading(variant="corrected"),
        )  # fmt: skip
    except ValueError:
        return False
    return True


def check(point: Point) -> Iterator[Evidence]:
    """Both edges of the sizes at which the bound says something, and the program at them."""
    n, d, epsilon, delta = point.n, point.d, point.epsilon, point.delta
    first = edge(lambda log10_m: bound(n, log10_m, epsilon, delta, d) < 0.0)
    last = edge(lambda log10_m: not enough_users(n, log10_m, epsilon, delta))
    yield reported(LEAST, first, point=point.axes)
    yield reported(MOST, last, point=point.axes)
    above = bound(n, first + 1.0, epsilon, delta, d)
    yield at_most("log₁₀ of the bound over RG, a decade of m above the edge", above, 0.0, point=point.axes)
    if first > 1.0:
        below = bound(n, first - 1.0, epsilon, delta, d)
        yield at_least("log₁₀ of the bound over RG, a decade of m below", below, 0.0, point=point.axes)
    size = math.log10(n) + 0.5 * first - 0.5 * math.log10(d)
    yield at_least("log₁₀ of n√m/√d where the bound begins to say something", size, 7.0, point=point.axes)
    if 1.0 < last < 100.0:  # 4ᵀ is a number
        for decades, taken in ((-1.0, True), (1.0, False)):
            found = runs(n, last + decades, epsilon, delta)
            yield equals(
                f"the program runs {decades:+g} decade from the edge", found, taken, point=point.axes
            )


CLAIM = Claim(
    PAPER,
    "Theorem 4.1",
    "section 4.1",
    variant="map",
    kind=Kind.BOUND,
    title="Where the bound of Theorem 4.1 says something",
    statement=r"With its constants the bound of Theorem 4.1 is below the trivial risk $RG$ only where "
    r"$n\sqrt m\ge10^7\sqrt d$, for $\varepsilon\le1$, $\delta\le0.1$, and only as long as $n$ users are "
    r"enough for $\lceil\log(nm)\rceil$ phases.",
    expected=CONFIRMED,
    check=check,
    plots=[
        Plot(
            kind="curve",
            title=f"{edge_name} (ε = 1, δ = 0.1)",
            x="n",
            y="value",
            x_label="users n",
            y_label="log₁₀ m",
            series="d",
            log_x=True,
            select={"epsilon": 1.0, "delta": 0.1, "quantity": edge_name},
        )
        for edge_name in (LEAST, MOST)
    ],
    smoke=grid(n=(10**4, 10**6), d=(1, 100), epsilon=1.0, delta=0.1),
    ci=grid(n=tuple(10**k for k in range(3, 11)), d=(1, 100), epsilon=(0.1, 1.0), delta=(1e-6, 0.1)),
)
