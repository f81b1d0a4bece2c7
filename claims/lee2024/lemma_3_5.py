r"""Lemma 3.5: a condition Q has sample complexity n* for (1, o(1/n))-DP algorithms if and only if it has
sample complexity Θ(n*/ε) for (ε, o(1/n))-DP algorithms. The proof runs a (1, δ)-DP algorithm A on a sample
that keeps each record with probability ε, and says that this is (2ε, εδ)-DP. That step is checked here.

G.3 compares A on T with A on T without record i, and A on the rest is "the same as a run on X₂": its
neighbours differ by the presence of a record. For them the step holds, with log(1 + ε(e − 1)) ≤ 2ε, and so
does the other direction, P₁ ≥ e^{−ε}·P₂ − εδ/e, for 1 − ε(1 − 1/e) ≥ e^{−ε} on [0, 1]: both are equal at ε =
0, and the difference is concave and positive at ε = 1.

The rest of the paper replaces a record (Proposition C.2: datasets in Xⁿ that differ in at most k places;
the μ of Theorem 2.2; Theorem 3.7, where n is fixed). For that adjacency (`:replacement`) the step fails: an A
that also publishes |T| loses nothing where a record is replaced, but |T| = n then shows that record i is in,
and on that event A′ is only 1-DP: ε = ¼ and n = 2 give δ = 0.039 at 2ε. At ε ≥ ½ there is nothing to see, for
A′ is 1-DP whatever is sampled. A sample of a fixed size εn repairs it (`:fixed-size`): record i is in it with
probability ε, and replacing it replaces one record of T.

Not checked, for they are no inequalities: the equivalence needs a Q that depends on n (the constant answer
has sample complexity 1 at every ε); and composing 1/ε runs on one dataset, as the proof does for the other
direction, does not make the dataset smaller, while copying each record 1/ε times does, by group privacy.

How it is checked. The law of A′ is added up over all samples for randomised response on the parity of the
bits, n up to 9, and held against (2ε, εδ) with δ = 0 over all neighbouring pairs of bit strings up to
order."""

from __future__ import annotations

import itertools
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


def fixed_size_law(n: int, size: int, data: tuple[int, ...]) -> dict[Any, float]:
    """The law of A on a uniform sample of `size` of the records, by adding up over all of them."""
    total: dict[Any, float] = {}
    for kept in itertools.combinations(range(n), size):
        for outcome, probability in sized_parity(tuple(data[i] for i in kept)).items():
            total[outcome] = total.get(outcome, 0.0) + probability / math.comb(n, size)
    return total


def check_fixed_size(point: Point) -> Iterator[Evidence]:
    from audits.divergence import hockey_stick
    from audits.laws import Finite

    n, size = point.n, point.size
    share = size / n
    sharp = math.log1p(share * math.expm1(1.0))
    worst = just_below = 0.0
    for first, second in pairs(n, "replace"):
        laws = [Finite(fixed_size_law(n, size, x)) for x in (first, second)]
        for a, b in (laws, laws[::-1]):
            worst = max(worst, hockey_stick(a, b, sharp))
            just_below = max(just_below, hockey_stick(a, b, sharp - 1e-4))
    yield at_most("δ of A′ at log(1 + (m/n)(e − 1))", worst, 1e-12, point=point.axes)
    yield at_most("log(1 + (m/n)(e − 1))", sharp, 2.0 * share, point=point.axes)
    if size == 1:
        yield equals("δ of A′ just below that ε is above 0", float(just_below > 0.0), 1.0, point=point.axes)


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
    title="Secrecy of the sample, the step behind the lemma",
    statement=r"""If $A$ is $(1,\delta)$-DP under addition and removal of a record, as appendix G.3 reads,
then $A$ on a sample that keeps each record with probability $\varepsilon$ is
$(2\varepsilon,\varepsilon\delta)$-DP; the sharp value is $\log(1+\varepsilon(e-1))$.""",
    expected=CONFIRMED,
    check=partial(check, "add-remove"),
    smoke=grid(n=(2, 4), epsilon=0.25),
    ci=grid(n=(1, 2, 4, 8), epsilon=(0.01, 0.1, 0.5, 1.0)),
    summary=r"The privacy step of the proof, for neighbours that differ by the presence of a record.",
)
REPLACEMENT = CLAIM.reading(
    "replacement",
    title="Secrecy of the sample, where a record is replaced",
    statement=r"""The same with $A$ and the result private under replacement of a record, the neighbours that
Theorem 3.7 and Proposition C.2 have.""",
    expected=REFUTED,
    check=partial(check, "replace"),
    ci=grid(n=(2, 4, 9), epsilon=(0.1, 0.25, 0.45)),
    finding=Finding(
        Weight.PROOF,
        what=r"""G.3 compares a run on the sample with a run on the sample without record $i$, which has
another size; in Theorem 3.7 a record is replaced. An $A$ that publishes the size of its sample and a
randomised response to a parity is 1-DP where a record is replaced; on a sample of two records with
$\varepsilon=\frac14$ it has $\delta=0.039$ at $2\varepsilon$, where 0 is stated: a full sample shows that the
record is in it.""",
        favour=r""""Two neighbouring datasets that differ by a single element $i$" can be read as its
presence; so read, the step is confirmed (`lemma-3.5`).""",
        survives=r"""With a sample of the fixed size $\varepsilon n$ the step holds where a record is replaced
(`:fixed-size`), with the same $\log(1+\varepsilon(e-1))\le2\varepsilon$, and Theorem 3.7 can use it.""",
    ),
)
FIXED = CLAIM.reading(
    "fixed-size",
    title="Secrecy of a sample of fixed size",
    statement=r"""If $A$ is $1$-DP under replacement of a record, then $A$ on a uniform sample of $m$ of the
$n$ records is $\log(1+\frac mn(e-1))$-DP under replacement, for the $A$ that refutes `:replacement`.""",
    expected=CONFIRMED,
    check=check_fixed_size,
    smoke=grid(n=(2, 4), size=1),
    ci=grid(n=(4, 8), size=(1, 2, 4)),
    summary=r"A fixed size repairs the step where a record is replaced.",
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
CLAIMS = [REPLACEMENT, FIXED, PROGRAM]
