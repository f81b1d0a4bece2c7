r"""Lemma 3.6: for k < n/1000, n_k = ⌊n/k⌋, z_i in {0, 1, ½} and q in [0, 1], with each z_i copied k times
and n − k·n_k zeros appended: |Σ|q − z_i|/n_k − Σ|q − z′_i|/n| < 3k/n.

It holds, and the sharp bound is (n mod k)/n ≤ (k − 1)/n. With r = n mod k the difference is
(r/n)·(mean|q − z_i| − q), whose absolute value is at most r/n, reached at q = 0 with all z_i = 1.

How it is checked. The datasets are made by the implementation and both sums are added up in rational
arithmetic: by brute force over all multisets of z and q in {0, ¼, ½, ¾, 1} (the difference is piecewise
linear in q with kinks at 0, ½, 1) for small n, also outside the printed range of k, where the bound holds
as well; for n > 1000k over the extreme multisets. `lemma-3.6:sharp` is the bound (n mod k)/n, with
equality reached."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction
from functools import partial

import numpy as np

from claims import CONFIRMED, Claim, Evidence, Kind, Point, at_most, equals
from claims.lee2024 import PAPER
from implementations.lee2024 import l1_instance

LEVELS = (Fraction(0), Fraction(1), Fraction(1, 2))
QS = tuple(Fraction(i, 4) for i in range(5))


def multisets(size: int, everything: bool) -> Iterator[tuple[int, int, int]]:
    """How many z_i are 0, 1, ½: all ways, or those with at most two of the values at quarter steps."""
    if everything:
        for zeros, ones in itertools.product(range(size + 1), repeat=2):
            if zeros + ones <= size:
                yield zeros, ones, size - zeros - ones
        return
    for a in sorted({0, size // 4, size // 2, size}):
        yield from {(a, size - a, 0), (a, 0, size - a), (0, a, size - a)}


def differences(n: int, k: int) -> Iterator[Fraction]:
    """The absolute difference of the lemma, for each multiset and each q."""
    size = n // k
    for counts in multisets(size, everything=n <= 60):
        z = np.repeat([0.0, 1.0, 0.5], counts)[:, None]
        copied = l1_instance.copy_and_append(z, n, k)[:, 0]
        after = [int((copied == float(level)).sum()) for level in LEVELS]
        if sum(after) != n:
            raise ValueError(f"the copied dataset must have {n} records of 0, 1, ½, got {after}")
        for q in QS:
            one = sum(abs(q - level) * c for level, c in zip(LEVELS, counts, strict=True)) / size
            two = sum(abs(q - level) * c for level, c in zip(LEVELS, after, strict=True)) / n
            yield Fraction(abs(one - two))


def check(sharp: bool, point: Point) -> Iterator[Evidence]:
    n, k = point.n, point.k
    largest = max(differences(n, k))
    if sharp:
        yield equals("largest difference", largest, Fraction(n % k, n), point=point.axes)
    else:
        # strictly below 3k/n: the differences are multiples of 1/(4·n·n_k)
        yield at_most("largest difference", largest, Fraction(3 * k, n) - Fraction(1, 4 * n * (n // k)),
                      point=point.axes)  # fmt: skip


_SMALL = [{"n": n, "k": k} for n in (1, 2, 5, 7, 12, 19, 30) for k in range(1, n + 1, max(1, n // 6))]
_LARGE = [{"n": n, "k": k} for n, k in ((1001, 1), (2999, 2), (4007, 4), (9999, 9), (20_019, 20))]
CLAIM = Claim(
    PAPER,
    "Lemma 3.6",
    "section 3.2",
    kind=Kind.BOUND,
    title="Copies and appended zeros",
    statement=r"""For $k<n/1000$, $n_k=\lfloor n/k\rfloor$, $z_i\in\{0,1,\frac12\}$, $q\in[0,1]$, each $z_i$
copied $k$ times and $n-kn_k$ zeros appended:
$\bigl|\frac1{n_k}\sum|q-z_i|-\frac1n\sum|q-z_i'|\bigr|<\frac{3k}n$.""",
    expected=CONFIRMED,
    check=partial(check, False),
    smoke=[{"n": 7, "k": 3}, {"n": 2999, "k": 2}],
    ci=[*_SMALL, *_LARGE],
    summary=r"The sharp bound is $(n\bmod k)/n$.",
)
SHARP = CLAIM.reading(
    "sharp",
    statement=r"The largest difference is $(n\bmod k)/n$.",
    expected=CONFIRMED,
    check=partial(check, True),
)
CLAIMS = [SHARP]
