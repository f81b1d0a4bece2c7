"""The best that any fixed event could show: the yardstick of `benchmarks/measure.py`.

A fixed event S, counted in `samples` outputs of each dataset, shows what a claim must allow at least to have
P(S) = p⁻ and Q(S) = q⁺, with p⁻ the lower Clopper–Pearson bound of P(S) and q⁺ the upper one of Q(S), α/2 a
side; of (ε, δ) that is ε ≥ ln((p⁻ − δ)/q⁺). With the exact laws known, the counts are put at their
expectation and S runs over the events of the Neyman–Pearson lemma: for a given Q(S) the largest P(S) belongs
to the outputs of largest likelihood ratio.
"""

from __future__ import annotations

import numpy as np

from audits.bounds import clopper_pearson_limits
from benchmarks.cases import Array, Case

ALPHA = 0.05


def frontier(p: Array, q: Array) -> tuple[Array, Array]:
    """(P(S), Q(S)) for the events S of largest likelihood ratio p/q, from the smallest to the whole space.

    p, q are the masses (k,) of the same cells; cells that neither law reaches are left out.
    """
    seen = (p > 0.0) | (q > 0.0)
    p, q = p[seen], q[seen]
    with np.errstate(divide="ignore"):
        order = np.argsort(-(np.log(p) - np.log(q)), kind="stable")
    return np.minimum(np.cumsum(p[order]), 1.0), np.minimum(np.cumsum(q[order]), 1.0)


def reachable(case: Case, samples: int) -> float:
    """The largest value of the claim's parameter that a fixed event shows, the better of the two orders."""
    assert case.laws is not None, case.name
    found = 0.0
    for p, q in ((laws := case.laws()), laws[::-1]):
        above, below = frontier(p, q)
        low = clopper_pearson_limits(above * samples, samples, ALPHA / 2)[0]
        high = clopper_pearson_limits(below * samples, samples, ALPHA / 2)[1]
        shown = low > high
        found = max(found, np.max(case.claim.least(low[shown], high[shown]), initial=0.0))
    return float(found)


def ideal_samples(case: Case, limit: int = 10**9) -> int | None:
    """The smallest number of samples of each dataset at which a fixed event shows more than the claim; None
    where `limit` is not enough."""
    high = 1
    while reachable(case, high) <= case.claim.value:
        high *= 2
        if high > limit:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reachable(case, middle) > case.claim.value else (middle, high)
    return high
