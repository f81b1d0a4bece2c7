r"""Lemma 3.5, displays of its proof, and the sum at the end of that of Lemma 3.6.

Lemma 3.5 (i)–(iii): for finite sets S, S′ of values within D of each other, the means differ by at most
D/|S′| times |S′| − |S| + |S∖S′| + |S′∖S|, where |S′| ≥ |S|. The text has D = 10τ, from a distance of 4τ to
Z*; a kept user is within 3τ of it, so that D = 6τ would do (`lemma-3.5`). Equality (i) needs |S′| − |S| +
|S∖S′| = |S′∖S|, which holds for all sets.

Lemma 3.6 (`lemma-3.6-sum`): with ζ′ = δ/(2(e^ε + 1 + T)) and δ′ = δ/(2e^{ε/2}) the sum (T + 1 + e^ε)ζ′ +
e^{ε/2}δ′ is δ exactly. The step Pr[{a_i} = b, E] ≤ e^{ε/2}Pr[{a′_i} = b, E′] + e^{ε/2}ζ′ for each b would
give (T + 1)e^εζ′ when it is summed over the T + 1 values of b; what is meant, and gives e^εζ′, has Pr[{a′_i}
= b, ¬E′] in the place of ζ′, and these add up to ζ′.

How it is checked. In rational arithmetic: the displays for all pairs of sets of up to five of six values,
attained by two of them; the sum for rational e^{ε/2}, and the step for random laws of (b, E).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction

from claims import CONFIRMED, Claim, Evidence, Kind, Point, at_least, at_most, equals, grid
from claims.asi2024 import PAPER

F = Fraction


def displacement(values: tuple[Fraction, ...], first: tuple[int, ...], second: tuple[int, ...]) -> Fraction:
    """|mean of S − mean of S′| over D/|S′|·(|S′| − |S| + |S∖S′| + |S′∖S|), |S′| ≥ |S|."""
    means = [sum((values[i] for i in s), F(0)) / len(s) for s in (first, second)]
    union = [values[i] for i in set(first) | set(second)]
    spread = max(union) - min(union)
    count = len(second) - len(first) + len(set(first) - set(second)) + len(set(second) - set(first))
    return abs(means[0] - means[1]) / (spread * F(count, len(second)))


def check(point: Point) -> Iterator[Evidence]:
    """All pairs of non-empty subsets, values with ties and without."""
    largest = F(0)
    for values in ((0, 0, 0, 1, 1, 1), (0, 1, 2, 4, 7, 11), (0, 0, 0, 0, 0, 1))[: point.families]:
        exact = tuple(F(v) for v in values)
        sets = [s for k in range(1, 6) for s in itertools.combinations(range(6), k)]
        for first, second in itertools.product(sets, sets):
            if first == second or len(second) < len(first) or len({exact[i] for i in (*first, *second)}) == 1:
                continue
            largest = max(largest, displacement(exact, first, second))
            kept = len(second) - len(first) + len(set(first) - set(second))
            if kept != len(set(second) - set(first)):
                yield equals("|S′| − |S| + |S∖S′| against |S′∖S|", kept, len(set(second) - set(first)))
    yield at_most("distance of the means over the bound of (ii)", largest, F(1))
    yield at_least("distance of the means over the bound of (ii), largest", largest, F(1, 2))


def spent(root: Fraction, queries: int) -> Fraction:
    """(T + 1 + e^ε)ζ′ + e^{ε/2}δ′ over δ, e^{ε/2} = root."""
    zeta, step = 1 / (2 * (root**2 + 1 + queries)), 1 / (2 * root)
    return (queries + 1 + root**2) * zeta + root * step


def check_sum(point: Point) -> Iterator[Evidence]:
    """The sum, and the step from E to E′ summed over b."""
    root, queries = F(point.root), point.T
    yield equals("δ spent over δ", spent(root, queries), F(1))
    worst = F(0)
    for _ in range(50):
        # laws of b with and without E′, and the neighbour's law of b within e^{±ε/2} of it
        good = [F(int(v)) for v in point.rng.integers(1, 50, queries + 1)]
        bad = [F(int(v), 40) for v in point.rng.integers(1, 9, queries + 1)]
        total = sum(good) + sum(bad)
        inside, outside = [g / total for g in good], [b / total for b in bad]
        here = [root * (a + b) for a, b in zip(inside, outside, strict=True)]  # the most that privacy allows
        worst = max(
            worst,
            sum((h - root * a for h, a in zip(here, inside, strict=True)), F(0)) / (root * sum(outside)),
        )
    yield at_most("Σ_b (P(b, E) − e^{ε/2}P′(b, E′)) over e^{ε/2}P′(¬E′)", worst, F(1))


CLAIM = Claim(
    PAPER,
    "Lemma 3.5",
    "appendix B.3, displays (i) to (iii)",
    name="lemma-3.5-displays",
    kind=Kind.IDENTITY,
    title="Means of two sets of users differ by their symmetric difference",
    statement=r"For sets $S,S'$ with $|S'|\ge|S|$ whose values lie within $D$ of each other the means "
    r"differ by at most $\frac D{|S'|}(|S'|-|S|+|S\setminus S'|+|S'\setminus S|)$.",
    expected=CONFIRMED,
    check=check,
    smoke=grid(families=2),
    ci=grid(families=3),
)
SUM = Claim(
    PAPER,
    "Lemma 3.5",
    "appendix B.4",
    name="lemma-3.6-sum",
    kind=Kind.IDENTITY,
    title="The sum at the end of the proof of Lemma 3.6",
    statement=r"With $\zeta'=\delta/(2(e^\varepsilon+1+T))$ and $\delta'=\delta/(2e^{\varepsilon/2})$, "
    r"$(T+1+e^\varepsilon)\zeta'+e^{\varepsilon/2}\delta'=\delta$, and the events $\neg E'$ cost "
    r"$e^\varepsilon\zeta'$ in all, not for each of the $T+1$ answers.",
    expected=CONFIRMED,
    check=check_sum,
    smoke=grid(root=("1", "3/2"), T=(1, 10)),
    ci=grid(root=("1", "11/10", "3/2", "20"), T=(1, 10, 100)),
)
CLAIMS = [SUM]
