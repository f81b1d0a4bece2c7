r"""Theorem 1, running time: Algorithm 1 does work for n users, not for B/τ bins.

Printed: Algorithm 1 runs in time O(n + log(B/τ)), against O(n + B/τ) of earlier work (Levy et al. 2021,
Theorem 1 and the remark after it). The cost of a bin is constant between two neighbouring occupied bins, so n
users leave at most n occupied bins and n + 1 gaps, whose ends are whole numbers of at most log₂(B/τ) + 1
binary digits. A draw is one choice among at most 2n + 1 segments and a whole number below the length of a
gap. Finding the users of each bin takes a sort, n log n comparisons, or a hash table: the printed O(n +
log(B/τ)) is that of the hash table, or of numbers that are sorted by their digits.

How it is checked. Exactly: the segments of the law that the implementation holds, and the digits of their
ends, for B/τ up to 2⁶⁰, users spread so that all gaps are there. Seconds are not measured.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from claims import CONFIRMED, Claim, Evidence, Kind, Point, at_most, equals, grid
from claims.levy2021 import PAPER
from implementations.levy2021 import private_range


def check(point: Point) -> Iterator[Evidence]:
    n, ratio = point.n, 2.0**point.log2_ratio
    inner = np.linspace(-ratio, ratio, n + 2)[1:-1]
    law = private_range.range_law(inner, 1.0, 1.0, ratio)
    yield at_most("segments of the law of PrivateRange", law.start.size, 2 * n + 1)
    if law.bins.count > 8 * n:
        yield equals("segments where every user stands alone", law.start.size, 2 * n + 1)
    digits = max(int(abs(v)).bit_length() for v in law.start)
    yield at_most("binary digits of the end of a segment", digits, math.floor(point.log2_ratio) + 1)
    yield equals("bins that the segments cover", int(law.count.sum()), law.bins.count)


CLAIM = Claim(
    PAPER,
    "Theorem 1",
    "section 3",
    name="theorem-1-time",
    kind=Kind.BOUND,
    title="The work of Algorithm 1 grows with n and the digits of B/τ only",
    statement=r"The law of PrivateRange on $n$ users consists of at most $2n+1$ segments of bins of equal "
    r"probability, with ends of at most $\log_2(B/\tau)+1$ binary digits: one run of Algorithm 1 takes "
    r"$O(n)$ operations on such numbers with hashing, or $O(n\log n)$ comparisons with a sort, whatever the "
    r"number $B/\tau$ of bins.",
    expected=CONFIRMED,
    check=check,
    smoke=grid(n=(1, 10, 1000), log2_ratio=(1, 20, 60)),
    ci=grid(n=(1, 2, 10, 1000, 100_000), log2_ratio=(1, 5, 20, 40, 60)),
)
