r"""Lemma D.1: for d, n ≥ 2 and an ε-DP algorithm there is a dataset of points of {±1/√d}ᵈ ∪ {0}, n* =
min(n, d/(20ε)) of them not zero, on which ‖A(D) − q(D)‖₂ is at least n*/(16n) with probability at least
½.

The proof packs K = 2^{d/2} points at distance ≥ ⅛ and compares (K/2)·e^{−εn} ≤ 1 with n < n*. The
counting holds for d ≥ 4, where 2^{d/2} > 2e^{d/20}; at d = 2 and 3 the packing has K = 2 points, for
which randomised response succeeds with probability e^{εn*}/(1 + e^{εn*}) > ½, so there the proof (not the
statement: more points fit) does not apply.

How it is checked. The packing is constructed (a linear code): its points, their number, norms and least
distance; the datasets and their sums. The best ε-DP algorithm for telling K datasets apart that differ in
n* records is randomised response at εn*; its exact success probability must be below ½, and it is the
largest that the pairwise constraints allow. ε over four decades, n on both sides of n*."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from audits.judge import at_least
from claims import CONFIRMED, Claim, Evidence, Kind, Point, at_most, equals, grid
from claims.lee2024 import PAPER
from implementations.lee2024 import packing


def check(point: Point) -> Iterator[Evidence]:
    d, epsilon, n = point.d, point.epsilon, point.n
    generator = packing.generator_matrix(d, np.random.default_rng(int(d)))
    points = packing.points(packing.words(generator))
    size = 2 ** (d // 2)
    yield equals("points of the packing", len(np.unique(points, axis=0)), size, point=point.axes)
    yield at_most("largest |‖z‖ − 1|", float(np.abs(np.linalg.norm(points, axis=1) - 1.0).max()), 1e-12)
    yield at_least("least distance of two points", packing.least_distance(generator), 0.125, point=point.axes)
    if size <= 1024:
        gram = points @ points.T
        nearest = float(np.sqrt(np.maximum(2.0 - 2.0 * gram[~np.eye(size, dtype=bool)].max(), 0.0)))
        yield equals("least distance, all pairs", nearest, packing.least_distance(generator), error=1e-7)
    star = min(n, d / (20.0 * epsilon))
    copies = packing.radius_count(d, epsilon)
    yield equals("copies of the datasets, ⌊d/(20ε)⌋ or 1", copies, max(1, math.floor(d / (20.0 * epsilon))))
    if copies <= star:
        data = packing.dataset(points[-1], n, copies)
        expected = min(n, copies)
        yield equals("‖Σ z‖", float(np.linalg.norm(data.sum(axis=0))), float(expected), error=1e-9 * expected)
        mean_gap = packing.least_distance(generator) * expected / n
        yield at_least("distance of two means over n*/(8n)", mean_gap / (expected / (8.0 * n)), 1.0)
    # Success probability p on every dataset: 1 ≥ p + (K − 1)·e^{−εn*}·p for the disjoint balls of the others.
    success = 1.0 / (1.0 + (size - 1) * math.exp(-epsilon * star))
    yield at_most("best success probability at n*", success, 0.5, point=point.axes)
    printed = 0.5 * size * math.exp(-epsilon * star)
    yield at_least("(K/2)·e^{−εn*}, which must exceed 1", printed, 1.0, point=point.axes)


CLAIM = Claim(
    PAPER,
    "Lemma D.1",
    "appendix D",
    kind=Kind.LOWER_BOUND,
    title="Packing for pure privacy",
    statement=r"""There are $2^{d/2}$ points of $\{\pm1/\sqrt d\}^d$ at distances $\ge\frac18$, and with
$n^*=\min(n,d/(20\varepsilon))$ every $\varepsilon$-DP algorithm has an error of at least $n^*/(16n)$ with
probability $\ge\frac12$ on one of the datasets of $n^*$ copies of a point and $n-n^*$ zeros.""",
    expected=CONFIRMED,
    check=check,
    smoke=grid(d=(4, 10), epsilon=0.1, n=100),
    ci=grid(d=(4, 5, 8, 16, 24), epsilon=(0.001, 0.1, 1.0, 10.0), n=(2, 1000)),
    summary=r"For $d=2,3$ the packing of the proof has two points, and the proof does not apply.",
)
