r"""Algorithm 4 (AboveThreshold), line by line: the program halts when, and only when, the printed lines do.

The printed lines are: one $\hat\Delta=\Delta-\mathrm{Lap}(2/\varepsilon)$ for all queries; a fresh
$\mathrm{Lap}(4/\varepsilon)$ for each query; ⊥ and a halt where the noisy score is below $\hat\Delta$, else
⊤. Given the noise ρ of the threshold the answers are independent, so that the law of the halting time of
fixed scores is $\int f_{2/\varepsilon}(\rho)\prod_tF_{4/\varepsilon}(q_t-\Delta+\rho)\,d\rho$ and its
differences. A run that has halted never answers again.

The scores include sequences that rise after a low start (a program that goes on after its halt would answer
them), sequences that are equal (independent thresholds a query would make the answers independent), and a
last one far above (all halts before it are final).

How it is checked. The law of the halting time that the other checks use, against an adaptive quadrature of
the integral above written out here, exactly. The program's halting times on all the sequences side by side,
against the same integral, time by time; that nobody answers after a halt, run by run.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

import numpy as np

from claims import CONSISTENT, Claim, Evidence, Kind, Point, at_most, equals, grid, mean_equals
from claims.asi2024 import PAPER
from implementations.asi2024.above_threshold import AboveThreshold, accuracy, halting_law
from implementations.interfaces import Array

THRESHOLD = 3.7
GAPS = (
    (0.0, 0.0, 0.0),
    (2.0, -1.0, 40.0),
    (-2.0, 9.0, -9.0),
    (5.0, 4.0, 3.0),
    (-6.0, 60.0, 60.0),
    (12.0, -12.0, 1.0),
)
"""Scores less Δ, in units of 1/ε, of three queries."""


def laplace_cdf(x: float, scale: float) -> float:
    """P(Lap(scale) ≤ x)."""
    return 0.5 * math.exp(x / scale) if x < 0.0 else 1.0 - 0.5 * math.exp(-x / scale)


def passing(gaps: Sequence[float], epsilon: float) -> float:
    """P(⊤ to every query) by the printed lines: scores less Δ are `gaps`."""
    from scipy.integrate import quad

    threshold, query = 2.0 / epsilon, 4.0 / epsilon

    def density(rho: float) -> float:
        mass = math.exp(-abs(rho) / threshold) / (2.0 * threshold)
        for gap in gaps:
            mass *= laplace_cdf(gap + rho, query)
        return mass

    # the integrand has a kink at 0 and at −gap; what lies beyond 45 scales is below 10⁻¹⁹
    reach = 45.0 * threshold
    kinks = sorted({0.0, *(-gap for gap in gaps if abs(gap) < reach)})
    edges = [-reach, *kinks, reach]
    return math.fsum(
        quad(density, low, high, epsabs=0.0, epsrel=1e-12, limit=200)[0]
        for low, high in itertools.pairwise(edges)
    )


def printed_law(gaps: Sequence[float], epsilon: float) -> Array:
    """P(halt at query t), t = 1..T, and last P(no halt)."""
    passed = [1.0, *(passing(gaps[:t], epsilon) for t in range(1, len(gaps) + 1))]
    return np.append(-np.diff(passed), passed[-1])


def check(point: Point) -> Iterator[Evidence]:
    """The law in closed form, and the program's halting times."""
    epsilon = point.epsilon
    many = [4.0 / epsilon] * point.T
    law = halting_law([THRESHOLD + gap for gap in many], THRESHOLD, epsilon)
    passed = passing(many, epsilon)
    yield equals(f"P(⊤ to {point.T} queries) over the integral", float(law[-1]) / passed, 1.0)
    alpha = 8.0 * math.log(14.0 / 0.3) / epsilon
    yield equals("α of Lemma 2.4 for 7 queries, γ = 0.3", accuracy(7, 0.3, epsilon), alpha)
    runs = point.samples
    gaps = np.array(GAPS) / epsilon
    sequence = np.arange(runs * len(GAPS)) % len(GAPS)
    above = AboveThreshold(epsilon, THRESHOLD, sequence.size, point.rng)
    times, late, before = np.zeros(sequence.size, dtype=int), 0, np.ones(sequence.size, dtype=bool)
    for t in range(gaps.shape[1]):
        answered = above.answer(THRESHOLD + gaps[sequence, t])
        late += int((answered & ~before).sum())
        times, before = times + answered, answered
    yield equals("runs that answer after their halt", late, 0)
    laws = [printed_law(row.tolist(), epsilon) for row in gaps]
    # a time that is rarer than 1 in 500 has no test of its own: these runs could not see it move
    tested = [(k, t) for k, law in enumerate(laws) for t, chance in enumerate(law) if chance > 0.002]
    for (k, t), alpha in zip(tested, point.split(len(tested)), strict=True):
        halted = (times[sequence == k] == t).astype(float)
        yield mean_equals(
            f"P({t} answers), scores {k}", halted, float(laws[k][t]), alpha=alpha, method="clopper-pearson"
        )
    for k, (row, exact) in enumerate(zip(gaps, laws, strict=True)):
        error = float(np.abs(halting_law(THRESHOLD + row, THRESHOLD, epsilon) - exact).max())
        yield at_most(f"largest error of the law, scores {k}", error, 1e-12)


CLAIM = Claim(
    PAPER,
    "Algorithm 4",
    "appendix A.1",
    kind=Kind.IDENTITY,
    title="AboveThreshold, line by line",
    statement=r"For fixed scores $q_1,\dots,q_T$ the program answers ⊤ to the first $t$ with probability "
    r"$\int\frac\varepsilon4e^{-\varepsilon|\rho|/2}\prod_{s\le t}F(q_s-\Delta+\rho)\,d\rho$, $F$ the "
    r"distribution function of $\mathrm{Lap}(4/\varepsilon)$, and never answers after ⊥.",
    role="program",
    expected=CONSISTENT,
    check=check,
    smoke=grid(epsilon=(0.5,), T=(300,), samples=(100_000,)),
    ci=grid(epsilon=(0.5, 3.0), T=(30, 500), samples=(200_000,)),
    largest_resolution=0.02,
)
