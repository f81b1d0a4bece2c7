r"""Lemma B.2, the fingerprinting identity with a Beta prior, for every f at once, in rational arithmetic.

Statement (Song et al. 2021, appendix B, after Steinke and Ullman 2017, Lemma 10; the scan is garbled and the
left-hand factors are read off the proof of Theorem B.1): for f : {0,1}ⁿ → ℝ, P ~ Beta(β, β) and, given P,
independent Z₁..Zₙ ∈ {0, 1} of mean P,

    E[f(Z)·Σᵢ(Zᵢ − P)] = β·E[(f(Z) − 1/2)² + (P − 1/2)² − (f(Z) − P)²].

The right-hand side is 2β·E[(f(Z) − 1/2)(P − 1/2)], hence both sides are linear in f up to a term that does
not depend on f and vanishes: with c the constant function 1/2, E[(c − 1/2)(P − 1/2)] = 0 and
E[c·Σ(Zᵢ − P)] = 0. So the identity holds for all f as soon as it holds for the 2ⁿ indicator functions; and
with E[Pᵃ(1 − P)ᵇ] = ∏_{i<a}(β + i)·∏_{i<b}(β + i)/∏_{i<a+b}(2β + i) it is an equation of rational numbers.

For all β > 0 at once: after multiplication by ∏_{i≤n}(2β + i) both sides are polynomials in β of degree at
most n + 2, so they agree everywhere if they agree at n + 3 values.

How it is checked. Every indicator function of every z ∈ {0,1}ⁿ, n ≤ 8 (full: 11), at n + 3 rational β
(1/80, the value used in Theorem B.1, among them), by explicit summation over all of {0,1}ⁿ; and the printed
right-hand side, squares and all, for random f : {0,1}ⁿ → [−2, 3]. The reading with factor 2β instead of β,
which the scan also admits, fails for random f in the same computation.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Any

from audits.evidence import Bound, Evidence, Verdict, exact_evidence
from claims.harness.claim import Claim, Kind, Point, Tier
from claims.song2021._cite import cite
from claims.song2021._rows import records

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import pandas as pd

HALF = Fraction(1, 2)


@cache
def moment(a: int, b: int, beta: Fraction) -> Fraction:
    """E[Pᵃ(1 − P)ᵇ] for P ~ Beta(β, β).

    >>> moment(1, 1, Fraction(1))
    Fraction(1, 6)
    """
    value = Fraction(1)
    for i in range(a):
        value *= beta + i
    for i in range(b):
        value *= beta + i
    for i in range(a + b):
        value /= 2 * beta + i
    return value


def left(f: Sequence[Fraction], n: int, beta: Fraction) -> Fraction:
    """E[f(Z)·Σᵢ(Zᵢ − P)], summed over {0,1}ⁿ in the order of itertools.product."""
    total = Fraction(0)
    for value, z in zip(f, product((0, 1), repeat=n), strict=True):
        if value:
            k = sum(z)
            total += value * (k * moment(k, n - k, beta) - n * moment(k + 1, n - k, beta))
    return total


def right(f: Sequence[Fraction], n: int, beta: Fraction, factor: int = 1) -> Fraction:
    """factor·β·E[(f(Z) − 1/2)² + (P − 1/2)² − (f(Z) − P)²], term by term as printed."""
    total = Fraction(0)
    for value, z in zip(f, product((0, 1), repeat=n), strict=True):
        k = sum(z)
        one, p, p2 = (moment(k + i, n - k, beta) for i in range(3))
        first = (value - HALF) ** 2 * one
        second = p2 - p + one / 4
        third = value**2 * one - 2 * value * p + p2
        total += first + second - third
    return factor * beta * total


def indicators(n: int, beta: Fraction) -> tuple[list[Fraction], list[Fraction]]:
    """Both sides for each of the 2ⁿ indicator functions f = 1[Z = z].

    Changing f(z) from 0 to 1 changes the printed right-hand side by
    β·E[((1/2)² − (1/2)²) − ((1 − P)² − P²); Z = z] = −β·E[1 − 2P; Z = z].
    """
    zero = [Fraction(0)] * 2**n
    base = right(zero, n, beta)
    lefts, rights = [], []
    for z in product((0, 1), repeat=n):
        k = sum(z)
        one, p = moment(k, n - k, beta), moment(k + 1, n - k, beta)
        lefts.append(k * one - n * p)
        rights.append(base - beta * (one - 2 * p))
    return lefts, rights


def betas(count: int) -> list[Fraction]:
    """`count` different rational β > 0, 1/80 first, on both sides of 1."""
    values = [Fraction(1, 80), Fraction(1), Fraction(1, 2), Fraction(7, 3)]
    return (values + [Fraction(k, 5) for k in range(11, 11 + count)])[:count]


def measure(point: Point, rng: np.random.Generator) -> dict[str, Any]:
    """Count the indicator functions and the random functions for which the two sides differ."""
    n = int(point["n"])
    values = betas(n + 3)
    wrong_indicators = wrong_random = equal_doubled = 0
    for beta in values:
        lefts, rights = indicators(n, beta)
        wrong_indicators += sum(a != b for a, b in zip(lefts, rights, strict=True))
    for _ in range(int(point["random"])):
        f = [Fraction(int(v), 7) for v in rng.integers(-14, 22, 2**n)]
        beta = values[int(rng.integers(len(values)))]
        value = left(f, n, beta)
        wrong_random += value != right(f, n, beta)
        equal_doubled += value == right(f, n, beta, factor=2)
    return {
        "betas": len(values),
        "indicators": len(values) * 2**n,
        "wrong_indicators": wrong_indicators,
        "wrong_random": wrong_random,
        "equal_doubled": equal_doubled,
    }


def judge(rows: pd.DataFrame, alpha: float) -> list[Evidence]:
    """One difference refutes; the indicator functions decide every f by linearity."""
    del alpha  # everything is exact
    evidence: list[Evidence] = []
    for row in records(rows):
        for column, words, total in (
            ("wrong_indicators", "indicator functions with unequal sides", row.indicators),
            ("wrong_random", "random functions with unequal sides", row.random),
        ):
            failures = int(getattr(row, column))
            evidence.append(
                exact_evidence(
                    f"{words}, of {total}",
                    float(failures),
                    bound=0.0,
                    verdict=Verdict.REFUTED if failures else Verdict.CONFIRMED,
                    point={"n": int(row.n), "betas": int(row.betas)},
                    method="exact rational arithmetic",
                )
            )
    evidence.append(
        exact_evidence(
            f"random functions, of {int(rows['random'].sum())}, for which a factor 2β would also do",
            float(rows["equal_doubled"].sum()),
            method="exact rational arithmetic",
            note="the reading with 2β in place of β",
        )
    )
    return evidence


def _tier(largest: int, random: int) -> Tier:
    return Tier(points=[{"n": n, "random": random} for n in range(1, largest + 1)])


CLAIM = Claim(
    id="song2021/lemma-b.2",
    kind=Kind.IDENTITY,
    title="Fingerprinting identity with a Beta prior",
    statement=(
        r"Let $f:\{0,1\}^n\to\mathbb R$, $P\sim\mathrm{Beta}(\beta,\beta)$ and, conditioned on $P$, "
        r"$Z_1,\dots,Z_n\in\{0,1\}$ independent with expectation $P$. Then "
        r"$\mathbb E[f(Z)\sum_{i}(Z_i-P)]=\beta\,\mathbb E[(f(Z)-\frac12)^2+(P-\frac12)^2-(f(Z)-P)^2]$."
    ),
    how=(
        "Exact rational summation over {0,1}ⁿ for all 2ⁿ indicator functions at n + 3 values of β: all f, "
        "all β."
    ),
    source=cite("Lemma B.2", "appendix B"),
    bound=Bound.TIGHT,
    expected=Verdict.CONFIRMED,
    tiers={"smoke": _tier(5, 2), "ci": _tier(8, 10), "full": _tier(11, 20)},
    measure=measure,
    judge=judge,
)
