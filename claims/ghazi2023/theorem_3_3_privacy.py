r"""Theorem 3.3, privacy: Algorithm 1 (DelOutputPert) is (ε, δ)-user-level DP for every f and every Δ > 0.

The output law on x is ⊥ with probability P(R₁ < s) and N(f(x₋S), σ²I) otherwise, s = |S| the least
number of deletions that leaves a stable dataset. So a pair of neighbours matters only through (s, s′)
and the distance of the two centres. Observation 3.5 gives |s − s′| ≤ 1 (with 2κ + 1 for "nothing within
reach"). Let x* = x without S ∪ S′ ∪ {i}. One reaches x* from x₋S by at most s′ + 1 deletions, each
starting from a dataset with at most s + s′ ≤ 4κ users deleted, hence each moves f by at most Δ; the same
from x′₋S′. So the centres are at most (s + s′ + 2)Δ apart; the text allows 8κΔ. The divergence grows
with the distance, so the worst case is at this distance, and the finite list of (s, s′) decides the
theorem for all f and all x.

This uses f on the empty dataset where S ∪ S′ ∪ {i} is everybody, and f : 𝒳^{*×m} → ℝᵈ has a value there.
Then no condition on n is needed, and none is printed. A program for which f(∅) has no value (the
minimiser of an average over nobody), and which does not count the deletion of the last user, needs n ≥
4κ + 1 users (`:without-empty`): then somebody always remains, s + s′ + 1 ≤ 4κ in every case where both
answer and s + s′ ≤ 4κ − 1.

The printed σ is seven to over a hundred times what is needed, since 8κΔ stands for at most (4κ + 1)Δ, the
budgets of the test and of the answer are not spent at once, and the Gaussian constant is the classical one.
As the list decides for all f, the least σ is known as well (`:least-noise`), and Algorithms 2 to 6 are
private with it.

Theorem 3.3, noise: σ = O(Δ·log(1/δ)^{1.5}/ε²) and r = O(log(1/δ)/ε), with explicit constants 543 and 35.

Write ℓ = ln(1/δ) ≥ ln 2, L = ln(1/δ̄) = ℓ + ln(e^{ε/2} + 2) ≤ ℓ(1 + ln(√e + 2)/ln 2) ≤ 2.868ℓ for ε ≤ 1. Then
κ ≤ 2 + 2L/ε, so κε ≤ 2 + 5.736ℓ ≤ 8.622ℓ; ln(2/δ̄) = L + ln 2 ≤ 3.868ℓ; and
σ = 32·κ·√ln(2/δ̄)·Δ/ε ≤ 32·8.622·√3.868·Δℓ^{1.5}/ε² ≤ 543·Δℓ^{1.5}/ε². r = 4κ ≤ 34.5·ℓ/ε. As δ → 0 the
constant falls to 64. The text hides it; it decides from which n the rates of sections 4 and 5 mean anything.

How it is checked. Exactly: all (s, s′) at the largest distance, both directions, at each (ε, δ), with
parameters and tails of the implementation against δ, from both sides for the least σ; and the
implementation's law on all neighbouring datasets of three types of users (n = 1, 2, 3 and more) under five
statistics with jumps below and above Δ, all ways to break ties. The noise: σ and κ of the implementation
against line 3 of Algorithm 1 and against these bounds, exactly, on a fine grid of (ε, δ) with the corners
of the range; the largest ratio is reported.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

import numpy as np

from claims import CONFIRMED, Claim, Evidence, Kind, Plot, Point, at_least, at_most, equals, grid, reported
from claims.ghazi2023 import PAPER
from claims.ghazi2023._oracle import datasets, divergence, hockey_stick, mean_of, neighbours, statistics
from claims.ghazi2023.algorithm_1 import kappa_and_sigma
from implementations.ghazi2023 import del_output_pert
from implementations.ghazi2023.deletion_sensitivity import count_table, smallest_stable

Parameters = del_output_pert.Parameters
ABSTRACT = "δ of Algorithm 1 over all abstract cases"


def _curve(delta: float) -> Plot:
    return Plot(
        kind="curve",
        title=f"Exact δ of Algorithm 1 over all abstract cases, claimed {delta:g}",
        x="epsilon",
        y="value",
        x_label="ε",
        y_label="δ at ε",
        claimed="claimed",
        select={"quantity": ABSTRACT, "n": 0, "delta": delta},
        log_y=True,
    )


def abstract_cases(p: Parameters) -> Iterator[tuple[int, int, float]]:
    """(s, s′, largest distance of the centres) of every pair of neighbours; 2κ + 1 stands for ⊥ always."""
    top = 2 * p.kappa + 1
    for s in range(top + 1):
        for other in range(max(0, s - 1), min(top, s + 1) + 1):
            yield s, other, (s + other + 2) * p.target


def worst_abstract(p: Parameters, sigma: float) -> float:
    """The largest divergence at ε over all abstract cases, for Gaussian noise of this standard deviation."""
    answer = np.array([del_output_pert.answer_probability(s, p) for s in range(2 * p.kappa + 2)])
    first, second, distance = map(np.array, zip(*abstract_cases(p), strict=True))
    return float(hockey_stick(p.epsilon, answer[first], answer[second], distance / sigma).max())


def check(noise: del_output_pert.Noise, point: Point) -> Iterator[Evidence]:
    p = del_output_pert.parameters(point.epsilon, point.delta, 1.0, noise)
    note = f"κ = {p.kappa}, all {sum(1 for _ in abstract_cases(p))} cases (s, s′) at the largest distance"
    found = worst_abstract(p, p.sigma)
    yield at_most(ABSTRACT, found, point.delta * (1.0 + 1e-9), note=note)
    if noise == "least":
        yield at_least("the same, so that no noise is wasted", found, 0.999 * point.delta)
        printed = del_output_pert.parameters(point.epsilon, point.delta, 1.0)
        yield at_most("share of the printed σ", p.sigma / printed.sigma, 1.0 / 6.0)
    if point.n == 0:
        return
    for name, statistic in statistics(p.target).items():
        laws = {}
        for counts in datasets(point.n, 3):
            table = count_table(statistic, counts)
            found = smallest_stable(table, p.target, p.kappa)
            ties = range(1 if found is None else len(found[1]))
            laws[counts] = [del_output_pert.output_law(table, p, tie=t) for t in ties]
        worst = max(
            divergence(p.epsilon, a, b)
            for counts in laws
            for other in neighbours(counts)
            for a in laws[counts]
            for b in laws[other]
        )
        words = f"δ on all neighbouring datasets of {point.n} users, {name}"
        yield at_most(words, worst, point.delta, decides=False)


def without_empty(point: Point) -> Iterator[Evidence]:
    """Users at 0 and at 10⁶Δ; the deletion of the last user is not counted; n ≥ 4κ + 1."""
    p = del_output_pert.parameters(point.epsilon, point.delta, 1.0)
    far = mean_of((0.0, 1e6 * p.target))
    for n in (4 * p.kappa + 1, 4 * p.kappa + 2):
        worst = 0.0
        for ones in range(n):
            tables = [count_table(far, (n - k, k), empty=False) for k in (ones, ones + 1)]
            laws = [del_output_pert.output_law(t, p, tie=tie) for t in tables for tie in (0, -1)]
            worst = max([worst, *(divergence(p.epsilon, a, b) for a in laws[:2] for b in laws[2:])])
        point_of_n = {"epsilon": p.epsilon, "delta": p.delta, "n": n}
        yield at_most("δ where f(∅) has no value", worst, p.delta, point=point_of_n, decides=False)
    yield at_most("δ over all abstract cases", worst_abstract(p, p.sigma), p.delta)
    both = [s + o for s, o, _ in abstract_cases(p) if max(s, o) <= 2 * p.kappa]
    most = max(k for k in both if k < 4 * p.kappa) + 1
    yield at_most("users in S ∪ S′ ∪ {i}", most, 4 * p.kappa)


SMALL = grid(epsilon=1.0, delta=0.5, n=(1, 2, 3))
CORNERS = grid(epsilon=(0.05, 0.1, 0.3, 0.6, 1.0), delta=(1e-9, 1e-6, 1e-3, 0.1, 0.5), n=0)

CLAIM = Claim(
    PAPER,
    "Theorem 3.3",
    "section 3.1, Algorithm 1",
    name="theorem-3.3-privacy",
    kind=Kind.PRIVACY,
    title="DelOutputPert is (ε, δ)-user-level DP",
    statement=r"For $f:\mathcal X^{*\times m}\to\mathbb R^d$, $\Delta>0$, $\varepsilon\in(0,1]$, "
    r"$\delta\in(0,1/2]$, Algorithm 1 with $\bar\varepsilon=\varepsilon/2$, "
    r"$\bar\delta=\delta/(e^{\bar\varepsilon}+2)$, $\kappa=\kappa(\bar\varepsilon,\bar\delta)$, "
    r"$\sigma=2\sqrt{\ln(2/\bar\delta)}\cdot8\kappa\Delta/\bar\varepsilon$ is $(\varepsilon,\delta)$-DP for "
    r"replacement of one user, for every number of users.",
    expected=CONFIRMED,
    uses=("observation-3.5", "definition-3.4"),
    rests_on=("ghazi2023/observation-3.5", "ghazi2023/definition-3.4"),
    check=partial(check, "printed"),
    plots=[_curve(1e-6), _curve(0.1)],
    smoke=[*SMALL[:2], CORNERS[1]],
    ci=[*SMALL, *grid(epsilon=1.0, delta=0.5, n=(6, 12, 22)), *CORNERS],
)
WITHOUT = CLAIM.reading(
    "without-empty",
    title="DelOutputPert where f(∅) has no value, n ≥ 4κ + 1",
    statement=r"Algorithm 1 for an $f$ that is defined on non-empty datasets only, deletions of the last "
    r"user not counted in $\bar\Delta_r$, is $(\varepsilon,\delta)$-DP for $n\ge4\kappa+1$ users.",
    expected=CONFIRMED,
    plots=[],
    smoke=grid(epsilon=1.0, delta=0.5),
    ci=grid(epsilon=(0.5, 1.0), delta=(0.01, 0.5)),
    summary="n ≥ 4κ + 1, so that two neighbouring choices always share a user",
    check=without_empty,
)
LEAST = CLAIM.reading(
    "least-noise",
    title="DelOutputPert with a sixth of the noise and less",
    statement=r"Algorithm 1 with the least $\sigma$ at which $\delta$ holds in all cases $(s,s')$, "
    r"$|s-s'|\le1$, at centres $(s+s'+2)\Delta$ apart, is $(\varepsilon,\delta)$-DP for every $f$; this "
    r"$\sigma$ is at most $\frac16$ of that of line 3 where $\delta\ge10^{-9}$.",
    expected=CONFIRMED,
    plots=[],
    summary="an eighth of the noise at (1, 10⁻⁶), a fortieth and less where phases share the budget",
    check=partial(check, "least"),
    smoke=[*SMALL[:2], CORNERS[1]],
)


SCALE, REACH = 543.0, 34.5


def check_noise(point: Point) -> Iterator[Evidence]:
    noise, reach, printed = [], [], []
    for epsilon in np.geomspace(1e-3, 1.0, point.steps):
        for log_delta in np.geomspace(math.log(2.0), 700.0, point.steps):
            epsilon, delta = float(epsilon), min(0.5, math.exp(-float(log_delta)))
            p = del_output_pert.parameters(epsilon, delta, 2.5)
            level = math.log(1.0 / delta)
            noise.append(p.sigma * epsilon**2 / (2.5 * level**1.5))
            reach.append(4 * p.kappa * epsilon / level)
            printed.append(p.sigma / kappa_and_sigma(epsilon, delta, 2.5)[1])
    yield at_most("σ·ε²/(Δ·log(1/δ)^1.5), the largest", max(noise), SCALE)
    yield at_most("4κ·ε/log(1/δ), the largest", max(reach), REACH)
    yield equals("σ over line 3, the largest", max(printed), 1.0)
    yield equals("σ over line 3, the least", min(printed), 1.0)
    yield reported("σ·ε²/(Δ·log(1/δ)^1.5), the least", min(noise))


NOISE = Claim(
    PAPER,
    "Theorem 3.3",
    "section 3.1, Algorithm 1",
    name="theorem-3.3-noise",
    kind=Kind.BOUND,
    title="The noise of DelOutputPert, with its constant",
    statement=r"For $\varepsilon\in(0,1]$, $\delta\in(0,1/2]$: $\sigma\le543\,\Delta\log(1/\delta)^{1.5}/"
    r"\varepsilon^2$ and $r=4\kappa\le34.5\log(1/\delta)/\varepsilon$.",
    expected=CONFIRMED,
    check=check_noise,
    smoke=grid(steps=30),
    ci=grid(steps=300),
)
CLAIMS = [WITHOUT, LEAST, NOISE]
