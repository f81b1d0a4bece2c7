r"""Lemma D.1: for d, n ≥ 2 and an ε-DP algorithm there is a dataset of points of {±1/√d}ᵈ ∪ {0}, n* =
Ω(min(n, d/ε)) of them not zero, on which ‖A(D) − q(D)‖₂ = Ω(min(1, d/(nε))) with probability at least ½.

The proof takes n* = d/(20ε), packs K = 2^{d/2} points at distance ≥ ⅛ and compares (K/2)·e^{−εn} ≤ 1 with n <
n*. The counting holds for d ≥ 4, where 2^{d/2} > 2e^{d/20}; at d = 2 and 3 the packing has K = 2 points, for
which randomised response succeeds with probability e^{εn*}/(1 + e^{εn*}) > ½, so there the proof (not the
statement: more points fit) does not apply. And n* has to be a whole number of records, at least 1: the lemma
is checked for ε ≤ d/20. Above that it is about less than one record, and to the letter, "ε > 0", it is false:
at d = 4, n = 2, ε = 10 randomised response over the 17 values of each record is ε-DP and returns the whole
dataset with probability (e^ε/(e^ε + 16))² = 0.9985.

How it is checked. The packing is constructed (a linear code): its points, their number, norms and least
distance, for d = 520 as well, where distinct words alone would not be far enough apart and only words of
messages with at most two ones can be too light; the datasets and their sums. The best ε-DP algorithm for
telling K datasets apart that differ in n* records is randomised response at εn*; its exact success
probability must be below ½, and it is the largest that the pairwise constraints allow.

What it does not see. No mechanism runs: the packing and the counting are checked, not an algorithm."""

from __future__ import annotations

import itertools
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
    yield from _packed(generator, point) if d <= 40 else _light_words(generator, point)
    size = 2 ** (d // 2)
    copies = packing.radius_count(d, epsilon)
    yield equals("copies of the datasets, ⌊d/(20ε)⌋", copies, math.floor(d / (20.0 * epsilon) + 1e-9))
    star = min(n, copies)
    record = (1.0 - 2.0 * generator[-1]) / math.sqrt(d)
    data = packing.dataset(record, n, copies)
    yield equals("records", len(data), n, point=point.axes)
    yield equals(
        "records that are the point", int((data == record).all(axis=1).sum()), star, point=point.axes
    )
    yield equals("records that are zero", int((data == 0.0).all(axis=1).sum()), n - star, point=point.axes)
    # Success probability p on every dataset: 1 ≥ p + (K − 1)·e^{−εn*}·p for the disjoint balls of the others.
    success = 1.0 / (1.0 + (size - 1) * math.exp(-epsilon * star))
    yield at_most("best success probability at n*", success, 0.5, point=point.axes)
    printed = 0.5 * size * math.exp(-epsilon * star)
    yield at_least("(K/2)·e^{−εn*}, which must exceed 1", printed, 1.0, point=point.axes)


def _packed(generator: packing.Bits, point: Point) -> Iterator[Evidence]:
    """All points of the packing, where they can be written out."""
    points = packing.points(packing.words(generator))
    size = 2 ** (point.d // 2)
    yield equals("points of the packing", len(np.unique(points, axis=0)), size, point=point.axes)
    yield at_most("largest |‖z‖ − 1|", float(np.abs(np.linalg.norm(points, axis=1) - 1.0).max()), 1e-12)
    yield at_least("least distance of two points", packing.least_distance(generator), 0.125, point=point.axes)
    if size <= 1024:
        gram = points @ points.T
        nearest = float(np.sqrt(np.maximum(2.0 - 2.0 * gram[~np.eye(size, dtype=bool)].max(), 0.0)))
        yield equals("least distance, all pairs", nearest, packing.least_distance(generator), error=1e-7)


def _light_words(generator: packing.Bits, point: Point) -> Iterator[Evidence]:
    """Least distance of a packing too large to write out: a word weighs at least as much as its message."""
    k, d = generator.shape
    identity = int((generator[:, :k] != np.eye(k, dtype=np.int8)).sum())
    yield equals("entries of the generator's first part that are not the identity's", identity, 0)
    most = math.floor(d / 256.0)  # a weight of at most d/256 is a distance of at most 1/8
    messages = [m for ones in range(1, most + 1) for m in itertools.combinations(range(k), ones)]
    lightest = min(int((generator[list(m)].sum(axis=0) % 2).sum()) for m in messages)
    least = 2.0 * math.sqrt(min(lightest, most + 1) / d)
    yield at_least("least distance of two points", least, 0.125, point=point.axes)


CLAIM = Claim(
    PAPER,
    "Lemma D.1",
    "appendix D",
    kind=Kind.LOWER_BOUND,
    title="Packing for pure privacy",
    statement=r"""There are $2^{\lfloor d/2\rfloor}$ points of $\{\pm1/\sqrt d\}^d$ at distances $\ge\frac18$,
and with $n^*=\min(n,\lfloor d/(20\varepsilon)\rfloor)$ every $\varepsilon$-DP algorithm,
$\varepsilon\le d/20$ and $d\ge4$, has an error of at least $n^*/(16n)$ with probability $\ge\frac12$ on one
of the datasets of $n^*$ copies of a point and $n-n^*$ zeros.""",
    expected=CONFIRMED,
    check=check,
    smoke=[*grid(d=(4, 10), epsilon=0.1, n=100), {"d": 520, "epsilon": 5.0, "n": 8}],
    ci=[
        *grid(d=(4, 5, 8, 16, 24), epsilon=(0.001, 0.03, 0.2), n=(2, 1000)),
        *grid(d=24, epsilon=(0.5, 1.2), n=(2, 1000)),
        *grid(d=520, epsilon=(0.5, 5.0, 26.0), n=(2, 1000)),
    ],
    summary=r"For $\varepsilon\le d/20$, $d\ge4$; for $d=2,3$ the packing of the proof is too small.",
)
