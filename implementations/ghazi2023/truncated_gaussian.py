"""Gaussians set to zero outside a ball (Definition D.1), their exact means, the reduction of Lemma D.3."""

from __future__ import annotations

import math

import numpy as np

from implementations.checks import non_negative, positive, whole_number
from implementations.interfaces import Array


def draw(mean: Array, sigma: float, bound: float, shape: tuple[int, ...], rng: np.random.Generator) -> Array:
    """Draws of 𝒩ᵗʳ(χ, σ²I; B): Z′·1[‖Z′‖ ≤ B] with Z′ ~ N(χ, σ²I); mean (d,) → (*shape, d)."""
    positive(sigma=sigma, bound=bound)
    z = mean + sigma * rng.standard_normal((*shape, len(mean)))
    return np.where(np.linalg.norm(z, axis=-1, keepdims=True) <= bound, z, 0.0)


def lost_share(norm: float, d: int, sigma: float, bound: float) -> float:
    """1 − ‖χᵗʳ‖/‖χ‖, exactly: the truncated mean is χ·P(V ≤ B²/σ²), V noncentral chi-squared, d + 2 degrees.

    E[Z·h(‖Z‖²)] = χ·E[h(σ²V)] with noncentrality ‖χ‖²/σ² (Stein's identity), here with h = 1[· ≤ B²].

    >>> round(lost_share(0.0, 1, 1.0, 2.0), 6)  # P(chi-squared with 3 degrees > 4)
    0.261464
    """
    from scipy.stats import chi2, ncx2

    positive(sigma=sigma, bound=bound)
    non_negative(norm=norm)
    whole_number(d=d)
    ratio = (bound / sigma) ** 2
    if norm == 0.0:
        return float(chi2.sf(ratio, d + 2))
    return float(ncx2.sf(ratio, d + 2, (norm / sigma) ** 2))


def log_lost_share_bound(norm: float, d: int, sigma: float, bound: float) -> float:
    """An upper bound of log(lost_share) where the number itself underflows: −(B/σ − ‖χ‖/σ − √(d + 2))²/2.

    √V is the norm of a Gaussian vector in d + 2 dimensions about a point of norm ‖χ‖/σ, hence concentrated.
    """
    gap = (bound - norm) / sigma - math.sqrt(d + 2)
    return -0.5 * max(gap, 0.0) ** 2


def user_from_item(items: Array, m: int, sigma: float, rng: np.random.Generator) -> Array:
    """Lemma D.3: n items of N(χ, (σ²/m)I) → n users of m samples each, jointly exactly N(χ, σ²I)^{n×m}.

    items (n, d) → (n, m, d): x_ij = zᵢ + σ(w_ij − w̄ᵢ). It needs σ and m, not χ; changing one item changes one
    user.
    """
    whole_number(m=m)
    positive(sigma=sigma)
    w = rng.standard_normal((items.shape[0], m, items.shape[1]))
    return items[:, None, :] + sigma * (w - w.mean(axis=1, keepdims=True))
