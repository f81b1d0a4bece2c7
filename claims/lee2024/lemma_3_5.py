r"""Lemma 3.5: a condition Q has sample complexity n* for (1, o(1/n))-DP algorithms if and only if it has
sample complexity Θ(n*/ε) for (ε, o(1/n))-DP algorithms. The proof runs a (1, δ)-DP algorithm A on a
sample that keeps each record with probability ε, and says that this is (2ε, εδ)-DP.

What the proof shows depends on the adjacency of A.

* Addition and removal of a record (`:add-remove`): it holds, with log(1 + ε(e − 1)) ≤ 2ε; the other
  direction, P₁ ≥ e^{−ε}P₂ − εδ/e, holds too, for 1 − ε(1 − 1/e) ≥ e^{−ε}... from above: at ε = 0 and 1
  both are equal, and e^{−ε} is convex. * Replacement, the paper's adjacency (printed): it falls. The
  proof compares A on T with A on T without record i, which have different sizes. If A also publishes |T|,
  which costs nothing under replacement, then |T| = n shows that record i is in, and the output on that
  event is only 1-DP: ε = ½ and n = 2 give a divergence above 0 at 2ε < 1.

Nor does the equivalence hold for every Q: the constant answer has sample complexity 1 at every ε
. And composing 1/ε runs on one dataset, as the proof does for the other direction, does not
make the dataset smaller; copying each record 1/ε times would, by group privacy.

How it is checked. The law of A′ is added up over all samples for randomised response on the parity of the
bits, n up to 9, and held against (2ε, εδ) with δ = 0 over all neighbouring pairs of bit strings up to
order."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from claims import (
    CONFIRMED,
    CONSISTENT,
    REFUTED,
    Claim,
    Evidence,
    Finding,
    Kind,
    Point,
    Weight,
    at_most,
    drawn_from,
    equals,
    grid,
)
from claims.lee2024 import PAPER
from implementations.lee2024 import subsampling

KEEP = math.e / (1.0 + math.e)


def sized_parity(sample: tuple[int, ...]) -> dict[Any, float]:
    """1-DP under replacement: the size, and randomised response on the parity of the bits."""
    parity = sum(sample) % 2
    return {(len(sample), parity): KEEP, (len(sample), 1 - parity): 1.0 - KEEP}


def parity(sample: tuple[int, ...]) -> dict[Any, float]:
    """1-DP under both adjacencies: randomised response on the parity of the bits."""
    odd = sum(sample) % 2
    return {odd: KEEP, 1 - odd: 1.0 - KEEP}


def pairs(n: int, adjacency: str) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Neighbouring bit strings, one of each kind: the number of ones is all that matters."""
    for ones in range(n):
        rest = (1,) * ones + (0,) * (n - 1 - ones)
        if adjacency == "replace":
            yield (*rest, 0), (*rest, 1)
        else:
            yield rest, (*rest, 1)
            yield rest, (*rest, 0)


def divergence(base: Any, n: int, epsilon: float, at: float, adjacency: str) -> float:
    """The largest hockey-stick divergence of A′ over the pairs, both orders."""
    from audits.divergence import hockey_stick
    from audits.laws import Finite

    worst = 0.0
    for first, second in pairs(n, adjacency):
        laws = [Finite(subsampling.exact_law(base, x, epsilon)) for x in (first, second)]
        worst = max(worst, hockey_stick(laws[0], laws[1], at), hockey_stick(laws[1], laws[0], at))
    return worst


def sample_law(point: Point) -> Iterator[Evidence]:
    """The law of the sample itself: every part of three records, by inclusion and exclusion."""
    rate = point.epsilon
    found = subsampling.exact_law(lambda sample: {sample: 1.0}, (1, 2, 3), rate)
    yield equals("parts of three records", len(found), 8, decides=False)
    for part, probability in found.items():
        kept = math.prod(rate if record in part else 1.0 - rate for record in (1, 2, 3))
        yield equals(f"probability of the sample {part}", probability, kept, error=1e-12, decides=False)


def check_program(point: Point) -> Iterator[Evidence]:
    """The program that draws the sample, over all 2ⁿ parts of n records."""
    n, rate, rng = point.n, point.epsilon, point.rng
    data = np.arange(n, dtype=float)
    drawn = [
        subsampling.subsampled(lambda part, _: int((2.0**part).sum()), data, rate, rng)
        for _ in range(point.runs)
    ]
    bits = np.array([[mask >> i & 1 for i in range(n)] for mask in range(2**n)])
    law = (rate**bits * (1.0 - rate) ** (1 - bits)).prod(axis=1)
    below = np.concatenate([[0.0], np.cumsum(law)])
    yield drawn_from(
        "number of the sample", np.array(drawn) + rng.random(point.runs),
        lambda x: np.interp(x, np.arange(below.size), below), alpha=point.alpha, point=point.axes,
    )  # fmt: skip


def check(adjacency: str, point: Point) -> Iterator[Evidence]:
    base = sized_parity if adjacency == "replace" else parity
    yield from sample_law(point)
    found = divergence(base, point.n, point.epsilon, 2.0 * point.epsilon, adjacency)
    # P − e^{2ε}Q of probabilities that are sums of 2ⁿ terms
    yield at_most("δ of A′ at 2ε", found, 1e-12, point=point.axes)
    if adjacency == "add-remove":
        sharp = math.log1p(point.epsilon * math.expm1(1.0))
        yield at_most("sharp ε, log(1 + ε(e − 1))", sharp, 2.0 * point.epsilon, point=point.axes)
        below = divergence(base, point.n, point.epsilon, sharp - 1e-4, adjacency)
        note = "the sharp ε is reached by one record, so a rate other than ε is seen"
        if point.n == 1:
            yield equals("δ of A′ just below the sharp ε is above 0", float(below > 0.0), 1.0, note=note)


CLAIM = Claim(
    PAPER,
    "Lemma 3.5",
    "section 3.2",
    kind=Kind.PRIVACY,
    title="Secrecy of the sample",
    statement=r"""If $A$ is $(1,\delta)$-DP under replacement of a record, then $A$ on a sample
that keeps each record
with probability $\varepsilon$ is $(2\varepsilon,\varepsilon\delta)$-DP (appendix G.3).""",
    expected=REFUTED,
    check=partial(check, "replace"),
    smoke=grid(n=(2, 4), epsilon=0.25),
    ci=grid(n=(2, 4, 9), epsilon=(0.1, 0.25, 0.45)),
    finding=Finding(
        Weight.THEOREM,
        what=(r"False under replacement when $A$ shows the size of its sample."),
        favour="",
        survives="",
    ),
)
ADD_REMOVE = CLAIM.reading(
    "add-remove",
    statement=r"""As printed, with $A$ and the result private under addition or removal of a record; the sharp
value is $\log(1+\varepsilon(e-1))$.""",
    expected=CONFIRMED,
    check=partial(check, "add-remove"),
    ci=grid(n=(1, 2, 4, 8), epsilon=(0.01, 0.1, 0.5, 1.0)),
    summary=r"Holds when $A$ is private under addition and removal.",
)
PROGRAM = CLAIM.reading(
    "program",
    kind=Kind.IDENTITY,
    title="The program that draws the sample",
    statement=r"""The implementation keeps each record with probability $\varepsilon$, independently, so that
a part with $m$ of $n$ records has probability $\varepsilon^m(1-\varepsilon)^{n-m}$.""",
    expected=CONSISTENT,
    check=check_program,
    smoke=grid(n=3, epsilon=0.3, runs=4000),
    ci=grid(n=(3, 5), epsilon=(0.1, 0.6), runs=20_000),
    largest_resolution=0.08,
)
CLAIMS = [ADD_REMOVE, PROGRAM]
