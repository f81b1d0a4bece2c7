"""Outputs of Gaussian shape: an estimate of ε from μ = Φ⁻¹(p) − Φ⁻¹(q) of one event. It never refutes.

It rests on the shape: that a score of the outputs is N(m, s²) on one dataset and N(m′, s²) on the other. No
number of samples can show that: Huber noise, Gaussian in its middle with exponential tails, keeps an ε of its
own at δ = 0 and passes every test of shape. Scores that the samples speak against are refused all the same.
"""

from __future__ import annotations

import math
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from audits.privacy.events import Ladder

Floats = NDArray[np.floating[Any]]

SHAPE_ALPHA = 0.01
"""Level of the test that refuses scores that are not of Gaussian shape."""
SHAPE_LEAST = 500
"""Fewer scores of a side could not show another shape."""
SHAPE_MOST = 200_000
"""So many scores of a side are looked at, at most."""


def expected_bound(ladder: Ladder, rest: int, alpha: float, caution: float) -> tuple[Floats, Floats]:
    """The bound on μ that each event is expected to give on the testing part, and its lesser share."""
    from scipy.special import ndtri

    p, q = ladder.shares()
    # Rests with the two bounds; noise of the learning part is taken off as well.
    scale = math.sqrt(1.0 / rest) * -float(ndtri(alpha)) + math.sqrt(1.0 / ladder.size) * caution
    spread = np.sqrt(p * (1.0 - p)) / density(ndtri(p)) + np.sqrt(q * (1.0 - q)) / density(ndtri(q))
    return ndtri(p) - ndtri(q) - scale * spread, q


def density(z: Floats) -> Floats:
    """Density of the standard normal law."""
    return np.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)


def epsilon_estimate(hits: int, lesser: int, size: int, delta: float, alpha: float) -> tuple[float, str]:
    """The least ε of Gaussian noise that agrees with the hits of an event on both sides, and its condition in
    words."""
    from scipy.special import ndtri

    from audits.privacy.binomial import clopper_pearson
    from implementations.privacy import gaussian_epsilon

    low, _ = clopper_pearson(hits, size, alpha / 2.0)
    _, high = clopper_pearson(lesser, size, alpha / 2.0)
    if low <= 0.0 or high >= 1.0:
        return 0.0, "No estimate of μ: the event was never, or always, seen."
    mu = max(float(ndtri(low) - ndtri(high)), 0.0)
    condition = f"An estimate, which can refute nothing: were the noise Gaussian, μ ≥ {mu:.4g}"
    if delta <= 0.0:
        return 0.0, f"{condition}. At δ = 0 no Gaussian mechanism has a finite ε: claim a δ > 0."
    lower = float(gaussian_epsilon(delta, mu)) if mu > 0.0 else 0.0
    return lower, f"{condition} and ε ≥ {lower:.4g} at δ = {delta:g}."


def complaint(first: Floats, second: Floats) -> str:
    """Why the scores of both sides are not Gaussians of one variance; empty where nothing speaks against
    it."""
    from scipy import stats

    if len(first) < SHAPE_LEAST:
        return f"Gaussian shape needs at least {SHAPE_LEAST} testing samples to be checked, got {len(first)}."
    for name, values in (("first", first), ("second", second)):
        spread = float(values.std())
        if not spread > 0.0:
            return f"Outputs on the {name} dataset are constant: no Gaussian shape."
        z = (values - values.mean()) / spread
        p_moments = float(cast(Any, stats.jarque_bera(z))[1])
        # The Kolmogorov distance to a fitted Gaussian is smaller than to a fixed one, so this level is
        # conservative.
        p_distance = float(cast(Any, stats.kstest(z, "norm"))[1])
        if min(p_moments, p_distance) < SHAPE_ALPHA / 4.0:
            return f"Outputs on the {name} dataset have no Gaussian shape: a bound on μ would mean nothing."
    if abs(math.log(float(first.var() / second.var()))) > 4.0 * math.sqrt(4.0 / len(first)):
        return "The two datasets' outputs have different variances: a bound on μ would mean nothing."
    return ""
