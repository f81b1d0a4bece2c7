r"""Lemma B.2: the fingerprinting identity with a Beta prior, for every n, every β and every f.

For f : {0,1}ⁿ → ℝ, P ~ Beta(β, β) and, given P, independent Z₁..Zₙ ∈ {0, 1} of mean P,

    E[f(Z)·Σᵢ(Zᵢ − P)] = β·E[(f(Z) − 1/2)² + (P − 1/2)² − (f(Z) − P)²]

(Song et al. 2021, appendix B, after Steinke and Ullman 2017, Lemma 10; the scan is garbled and the left-hand
factors are read off the proof of Theorem B.1).

The squares on the right cancel: (f − 1/2)² + (P − 1/2)² − (f − P)² = 2(f − 1/2)(P − 1/2). Given Z with k
ones, P ~ Beta(β + k, β + n − k), whose mean is (β + k)/(2β + n). So, with k = ΣZᵢ,

    E[Σᵢ(Zᵢ − P) | Z] = k − n(β + k)/(2β + n) = β(2k − n)/(2β + n) = 2β·(E[P | Z] − 1/2),

and E[P − 1/2] = 0 takes the 1/2 from f away. Both sides of the lemma are E[f(Z)·β(2k − n)/(2β + n)]: one line
of algebra that proves it for all n, β > 0 and f.

How it is checked. The line itself is an equation of polynomials in k, n and β of degree at most 2 in each
(after multiplication by 2β + n), so its two sides agree everywhere if they agree at three values of each
variable. The statement as printed, in rational arithmetic, by explicit summation over {0,1}ⁿ with E[Pᵃ(1 −
P)ᵇ] = ∏_{i<a}(β + i)·∏_{i<b}(β + i)/∏_{i<a+b}(2β + i): every indicator function of every z, n ≤ 8, at n + 3
rational β (1/80, the value used in Theorem B.1, among them), and random f : {0,1}ⁿ → [−2, 3], squares and
all. The reading with factor 2β instead of β, which the scan also admits, fails for these random f.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import product

from claims import CONFIRMED, Claim, Evidence, Kind, Point, equals, grid, reported
from claims.song2021 import PAPER

HALF = Fraction(1, 2)
METHOD = "exact rational arithmetic"


def gap_of_the_line(degree: int) -> int:
    """Largest |(k − n·m)(2β + n) − 2β(m − 1/2)(2β + n)|, m = (β + k)/(2β + n), over k, n, β ∈ {0..degree}."""
    return max(
        abs(k * (2 * beta + n) - n * (beta + k) - 2 * beta * (beta + k) + beta * (2 * beta + n))
        for k, n, beta in product(range(degree + 1), repeat=3)
    )


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


def check(point: Point) -> Iterator[Evidence]:
    if "degree" in point:
        note = "degree at most 2 in k, in n and in β: three values of each decide for all n and β"
        quantity = "gap of E[Σ(Zᵢ − P) | Z] = 2β·(E[P | Z] − 1/2) as polynomials"
        yield equals(quantity, gap_of_the_line(point.degree), 0, method=METHOD, note=note)
        return
    n, values = point.n, betas(point.n + 3)
    unequal = sum(a != b for beta in values for a, b in zip(*indicators(n, beta), strict=True))
    quantity = f"indicator functions for which the two expectations differ, of {len(values) * 2**n}"
    yield equals(quantity, unequal, 0, method=METHOD)
    wrong = doubled = 0
    for _ in range(point.random):
        f = [Fraction(int(v), 7) for v in point.rng.integers(-14, 22, 2**n)]
        beta = values[int(point.rng.integers(len(values)))]
        value = left(f, n, beta)
        wrong += value != right(f, n, beta)
        doubled += value == right(f, n, beta, factor=2)
    of = f"of {point.random}"
    yield equals(f"random functions with unequal sides, {of}", wrong, 0, decides=False, method=METHOD)
    yield reported(f"random functions for which a factor 2β would also do, {of}", doubled, method=METHOD)


LINE = grid(degree=2)

CLAIM = Claim(
    PAPER,
    "Lemma B.2",
    "appendix B",
    kind=Kind.IDENTITY,
    title="Fingerprinting identity with a Beta prior",
    statement=r"Let $f:\{0,1\}^n\to\mathbb R$, $P\sim\mathrm{Beta}(\beta,\beta)$ and, conditioned on $P$, "
    r"$Z_1,\dots,Z_n\in\{0,1\}$ independent with expectation $P$. Then $\mathbb E[f(Z)\sum_{i}(Z_i-P)]="
    r"\beta\,\mathbb E[(f(Z)-\frac12)^2+(P-\frac12)^2-(f(Z)-P)^2]$.",
    expected=CONFIRMED,
    check=check,
    smoke=[*LINE, *grid(n=range(1, 6), random=2)],
    ci=[*LINE, *grid(n=range(1, 9), random=10)],
    full=[*LINE, *grid(n=range(1, 11), random=20)],
)
