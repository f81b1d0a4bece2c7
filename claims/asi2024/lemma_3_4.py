r"""Lemma 3.4: selections with ‖p − p′‖₁ ≤ 10 couple so that they differ in O(log(1/ζ)) places.

It holds for ζ ≤ 1/2, and with 1 + log(1/ζ) for all ζ in (0, 1), which is how an O(log(1/ζ)) is meant.
Under the coupling $x_j=1[u_j<p_j],\ y_j=1[u_j<p_j']$ the number of differences is a sum of independent
Bernoulli variables of mean at most 10. Beyond its mean plus 1 no such sum has a heavier tail than the
Poisson law of mean 10 (Hoeffding 1956, Theorem 4; Anderson and Samuels 1967), whose quantiles are at
most $C\log(1/\zeta)$ with C = 10/log 2.

The proof has the indicator of $x_i=y_i$ where it needs that of $x_i\ne y_i$, a misprint.

How it is checked. Exactly: the quantiles of the Poisson law over all steps of its distribution function,
and by exact convolution of the Bernoulli sums for worst-case shapes of p − p′.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from claims import CONFIRMED, Claim, Evidence, Kind, Point, at_most, grid
from claims.asi2024 import PAPER
from implementations.asi2024.outlier_removal import flips

MEAN = 10.0
CONSTANT = MEAN / math.log(2.0)


def bernoulli_tail(p: np.ndarray) -> np.ndarray:
    """P(Σ > k) for k = 0..n, independent Bernoulli variables with probabilities p."""
    law = np.ones(1)
    for chance in p:
        law = np.convolve(law, [1.0 - chance, chance])
    return np.append(np.cumsum(law[:0:-1])[::-1], 0.0)


def check(point: Point) -> Iterator[Evidence]:
    """Quantiles of the Poisson law, and of Bernoulli sums of several shapes, over C·log(1/ζ)."""
    from scipy.stats import poisson

    k = np.arange(10, 200)
    # k differences suffice for all ζ from P(> k) up to P(> k − 1); the ratio is worst at the upper end
    upper = np.minimum(poisson.sf(k - 1, MEAN), 0.5)
    yield at_most("Poisson quantile over log(1/ζ)", float((k / -np.log(upper)).max()), CONSTANT)
    n = point.n
    shapes = [
        np.full(n, min(1.0, MEAN / n)),
        np.concatenate([np.ones(5), np.full(n - 5, min(1.0, 5.0 / (n - 5)))]),
        np.minimum(1.0, MEAN * 2.0 ** -np.arange(1.0, n + 1.0)),
    ]
    zetas = np.geomspace(1e-12, 0.5, 60)
    worst = 0.0
    for p in shapes:
        tail = bernoulli_tail(p)
        needed = np.array([np.flatnonzero(tail <= zeta)[0] for zeta in zetas])
        worst = max(worst, float((needed / -np.log(zetas)).max()))
    yield at_most("quantile of Bernoulli sums over log(1/ζ)", worst, CONSTANT, decides=False)
    for zeta in (0.4, 1e-3, 1e-9):  # what the corrected plan uses, at its own mean 6
        tail = bernoulli_tail(np.full(n, min(1.0, 6.0 / n)))
        yield at_most(
            f"P(more than k({zeta:g}) flips)", float(tail[min(flips(zeta), n)]), zeta, decides=False
        )


CLAIM = Claim(
    PAPER,
    "Lemma 3.4",
    "section 3, appendix B.2",
    kind=Kind.BOUND,
    title="Selections couple within 14.5·log(1/ζ) differences for ζ ≤ 1/2",
    statement=r"For all $n$, $p,p'\in[0,1]^n$ with $\|p-p'\|_1\le10$ and $\zeta\in(0,1/2]$ the "
    r"coordinatewise coupling "
    r"has $\|x-y\|_1\le\frac{10}{\log2}\log(1/\zeta)$ with probability at least $1-\zeta$.",
    uses=("lemma-a.1",),
    expected=CONFIRMED,
    check=check,
    smoke=grid(n=(20, 200)),
    ci=grid(n=(12, 20, 50, 200, 1000)),
)
