"""The resolution of an audit, by brute force."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import entropy

from audits.privacy.bet.power import smallest_violation
from audits.privacy.claims import Approximate


def divergence(p: float, q: float, epsilon: float, delta: float) -> float:
    """The KL distance of (p, q) from the null p = e^ε·q + δ, whose nearest point is where its slope is 0."""
    a = math.exp(epsilon)

    def slope(y: float) -> float:
        x = a * y + delta
        return a * (x - p) / (x * (1.0 - x)) + (y - q) / (y * (1.0 - y))

    y = brentq(slope, q, (p - delta) / a, xtol=1e-16, rtol=1e-14)
    x = a * y + delta
    return float(entropy([p, 1.0 - p], [x, 1.0 - x]) + entropy([q, 1.0 - q], [y, 1.0 - y]))


@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 0.0), (1.0, 1e-5), (0.0, 0.1), (3.0, 0.0)])
@pytest.mark.parametrize("samples", [200, 20_000, 10**7])
def test_smallest_violation_by_brute_force(epsilon: float, delta: float, samples: int) -> None:
    # The share p of every event at which the claim is left behind fast enough, by SciPy's root finder.
    q = np.concatenate([np.geomspace(2.0 / samples, 0.5, 12), [0.9, 1.0 - 1.0 / samples]])
    growth = 8.0 / samples
    found = smallest_violation(q, growth, Approximate(epsilon, delta))
    gaps, exponents = [], []
    for share in q:
        null = math.exp(epsilon) * share + delta

        def short(p: float, share: float = share) -> float:
            return divergence(p, share, epsilon, delta) - growth

        if null >= 1.0 or short(1.0 - 1e-12) <= 0.0:
            continue
        p = brentq(short, null, 1.0 - 1e-12, xtol=1e-14, rtol=1e-12)
        gaps.append(p - null)
        exponents.append(math.log((p - delta) / share))
    if not gaps:
        assert math.isinf(found.epsilon)
        return
    # Events are sifted by a rough guess first: the best may be missed by a hair, never undercut.
    assert min(exponents) - 1e-6 <= found.epsilon <= 1.01 * min(exponents) + 1e-6
    assert min(gaps) * (1.0 - 1e-3) <= found.delta <= 1.01 * min(gaps)
