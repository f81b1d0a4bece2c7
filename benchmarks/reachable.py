"""The best that any fixed event could show: the yardstick of `benchmarks/measure.py`.

A fixed event S, counted in `samples` outputs of each dataset, shows
ε ≥ ln((p⁻ − δ)/q⁺), with p⁻ the lower Clopper–Pearson bound of P(S) and q⁺ the upper one of Q(S), α/2 a side.
With the exact laws known, the counts are put at their expectation and S runs over the events of the
Neyman–Pearson lemma: for a given Q(S) the largest P(S) belongs to the outputs of largest likelihood ratio.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from audits.privacy.claims import Claim
from implementations.controls import Control

Array = NDArray[np.float64]


def frontier(p: Array, q: Array) -> tuple[Array, Array]:
    """(P(S), Q(S)) for the events S of largest likelihood ratio p/q, from the smallest to the whole space.

    p, q are the masses (k,) of the same cells; cells that neither law reaches are left out.
    """
    seen = (p > 0.0) | (q > 0.0)
    p, q = p[seen], q[seen]
    with np.errstate(divide="ignore"):
        order = np.argsort(-(np.log(p) - np.log(q)), kind="stable")
    return np.minimum(np.cumsum(p[order]), 1.0), np.minimum(np.cumsum(q[order]), 1.0)


def clopper_pearson_low(share: Array, samples: float, alpha: float) -> Array:
    """Lower confidence bound at error `alpha` of a probability whose observed share is `share`."""
    from scipy.special import betaincinv

    hits = share * samples
    return np.where(hits > 0.0, betaincinv(np.maximum(hits, 1e-300), samples - hits + 1.0, alpha), 0.0)


def clopper_pearson_high(share: Array, samples: float, alpha: float) -> Array:
    """Upper confidence bound at error `alpha` of a probability whose observed share is `share`."""
    return 1.0 - clopper_pearson_low(1.0 - share, samples, alpha)


def reachable_epsilon(
    p: Array, q: Array, samples: float, *, alpha: float = 0.05, delta: float = 0.0
) -> float:
    """The largest ε that a fixed event shows with `samples` outputs a side, P against Q; at least 0."""
    above, below = frontier(p, q)
    low = clopper_pearson_low(above, samples, alpha / 2) - delta
    high = clopper_pearson_high(below, samples, alpha / 2)
    shown = low > 0.0
    return max(0.0, float(np.max(np.log(low[shown] / high[shown]), initial=0.0)))


def reachable_value(p: Array, q: Array, samples: float, claim: Claim, *, alpha: float = 0.05) -> float:
    """The largest value of a claim's parameter that a fixed event shows, like `reachable_epsilon`."""
    above, below = frontier(p, q)
    low = clopper_pearson_low(above, samples, alpha / 2)
    high = clopper_pearson_high(below, samples, alpha / 2)
    shown = low > high
    return float(np.max(claim.least(low[shown], high[shown]), initial=0.0))


def reachable(control: Control, samples: float, *, alpha: float = 0.05, pair: object = None) -> float:
    """`reachable_epsilon` of a control on its pair (or another one), the better of the two directions."""
    p, q = _masses(control, pair)
    return max(
        reachable_epsilon(p, q, samples, alpha=alpha, delta=control.delta),
        reachable_epsilon(q, p, samples, alpha=alpha, delta=control.delta),
    )


def ideal_samples(
    control: Control, *, alpha: float = 0.05, pair: object = None, limit: int = 10**9
) -> int | None:
    """The smallest number of samples a side at which a fixed event shows more than the claimed ε.

    On the pair that exposes the flaw best, unless another is given. None where `limit` is not enough.
    """
    p, q = _masses(control, pair if pair is not None else control.exposing)

    def shown(samples: int) -> bool:
        options = {"alpha": alpha, "delta": control.delta}
        return any(reachable_epsilon(a, b, samples, **options) > control.epsilon for a, b in ((p, q), (q, p)))

    return least_samples(shown, limit)


def least_samples(shown: Callable[[int], bool], limit: int = 10**9) -> int | None:
    """The smallest number of samples at which something is shown, as it is at every larger one; None where
    `limit` is not enough."""
    high = 1
    while not shown(high):
        high *= 2
        if high > limit:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if shown(middle) else (middle, high)
    return high


def _masses(control: Control, pair: object) -> tuple[Array, Array]:
    if control.law is None:
        raise ValueError(f"control must have an exact law, got {control.name!r} without one")
    data, other = pair or control.pair  # type: ignore[misc]
    return control.law(data).mass, control.law(other).mass
