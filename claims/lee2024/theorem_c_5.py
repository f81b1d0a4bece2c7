r"""Theorem C.5: for every d and γ there is an (n, d)-fingerprinting code with security γ, robust to a
1/75 fraction of errors, for n = Ω(√(d/log(1/γ))) (Theorem 3.4 of Bun, Ullman and Vadhan 2018).

The theorem is about the existence of a code, and it is quoted. Algorithm 2 with accusation above Z, the
threshold of Tardos (2008), is such a code: completeness survives 5d/75 broken columns for every adversary. A
broken column of the code costs the coalition's total at most s/q there, but few of the broken columns belong
to the code, for its unanimous columns hide among 2d dummies. "They prove the fingerprinting code Algorithm 2
has the following property", the sentence before the theorem, does not hold for the threshold Z/2 that
Algorithm 2 prints; that is `definition-c.4`, not this theorem.

The length is 500n²·log(n/γ), which is O(n²·log(1/γ)), as the theorem says, for γ ≤ n^{−c}; for larger γ the
printed n hides a log n, unless the code of another construction is taken. The ratio is reported.

How it is checked. The bound for every adversary of `_scores`, with the number of broken columns of the
code bounded up to a probability γ/1000; coalitions of all sizes, n up to 60, γ down to 1e-8. `:simulated`
breaks columns in real runs.

What it does not see. The length is the one of this code, stated with its constant, and γ is at most 1/100;
for γ near 1 nothing is computed."""

from __future__ import annotations

import math
from collections.abc import Iterator

from audits.judge import at_most, mean_at_most, reported
from claims import CONFIRMED, CONSISTENT, Claim, Evidence, Kind, Point, grid
from claims.lee2024 import PAPER, _scores
from implementations.lee2024 import coalitions, fingerprinting

ERRORS = 1.0 / 75.0


def check(point: Point) -> Iterator[Evidence]:
    n, security = point.n, point.security
    law = _scores.column(n)
    d = fingerprinting.length(n, security)
    z = fingerprinting.THRESHOLDS["tardos"] * fingerprinting.score_scale(n, security)
    for s in sorted({1, 2, 3, n // 2, n - 1, n} - {0}):
        if s <= n:
            spare = 1e-3 * security
            broken = _scores.broken_bound(law, s, d, spare)
            silent = _scores.completeness_bound(law, s, d, z, broken) + spare
            yield at_most(f"P(nobody of {s} is accused), with errors", silent, security, point=point.axes)
    sound = (n - 1) * _scores.soundness_bound(law, d, z)
    yield at_most("P(an innocent user is accused), every adversary", sound, security, point=point.axes)
    ratio = 5.0 * d / (n**2 * math.log(1.0 / security))
    yield reported("length over n²·log(1/γ)", ratio, point=point.axes)


def check_simulated(point: Point) -> Iterator[Evidence]:
    n, rng = point.n, point.rng
    nobody, innocent = [], []
    for run in range(point.runs):
        s = int(rng.integers(1, n))
        hidden = fingerprinting.generate_hidden(n, point.security, rng)
        members = hidden.words[:s]
        rules = coalitions.rules(s)
        pirate = coalitions.by_count(members, list(rules.values())[run % len(rules)], rng)
        pirate = coalitions.break_columns(pirate, members, ERRORS, rng)
        traced = fingerprinting.trace(hidden, pirate, rng, threshold="tardos")
        nobody.append(float(traced is None))
        innocent.append(float(traced is not None and traced >= s))
    for name, values, alpha in zip(
        ("nobody traced", "innocent user traced"), (nobody, innocent), point.split(2), strict=True
    ):
        yield mean_at_most(
            f"share of runs: {name}", values, point.security, alpha=alpha, method="clopper-pearson",
            point=point.axes,
        )  # fmt: skip


CLAIM = Claim(
    PAPER,
    "Theorem C.5",
    "appendix C.2",
    kind=Kind.BOUND,
    title="Robust fingerprinting codes",
    statement=r"""For every $n$ and $\gamma$ there is a fingerprinting code of length
$5\lceil100n^2\log(n/\gamma)\rceil$ that has security $\gamma$, also where the marking condition fails in a
fraction $1/75$ of the columns: Algorithm 2 with accusation at $S_i>Z$, for every adversary.""",
    expected=CONFIRMED,
    check=check,
    smoke=grid(n=4, security=1e-5),
    ci=grid(n=(2, 4, 8, 20, 60), security=(1e-2, 1e-5, 1e-8)),
    summary=r"Such a code exists: Algorithm 2 with the threshold $Z$, not $Z/2$ (`definition-c.4`).",
)
SIMULATED = CLAIM.reading(
    "simulated",
    title="Runs of the code with broken columns",
    statement="The same code, for nine strategies and random unanimous columns broken.",
    expected=CONSISTENT,
    check=check_simulated,
    smoke=grid(n=3, security=0.1, runs=200),
    ci=grid(n=6, security=0.02, runs=600),
    largest_resolution=0.2,
)
CLAIMS = [SIMULATED]
