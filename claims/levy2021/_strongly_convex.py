"""Shared by Theorem 3 (ii) and Corollary 2: quadratics with spectrum in [μ, H], strongly convex SGD."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from claims.levy2021 import _first_order as shared
from implementations.levy2021 import first_order

if TYPE_CHECKING:
    from claims import Point
    from implementations.interfaces import Array

CONDITION = 2.0
"""H/μ: with T = 64 the term e^{−μT/(2H)} of the first half is far below the noise."""


def _quadratic(spectrum: Array, distance: bool, offset: float, name: str) -> shared.Smooth:
    d = spectrum.size
    start = offset * np.ones(d) / math.sqrt(d)

    def risk(theta: Array) -> Array:
        return (theta**2 @ np.ones(d)) if distance else 0.5 * (theta**2 @ spectrum)

    return shared.Smooth(name, lambda theta: spectrum * theta, risk, start)


def family(mu: float, d: int, distance: bool) -> list[shared.Smooth]:
    """Isotropic (μ, H) and mixed spectra; started at the minimiser and at distance 1 from it."""
    spectra = {
        "all μ": np.full(d, mu),
        "all H": np.full(d, CONDITION * mu),
        "μ … H": mu * np.linspace(1.0, CONDITION, d),
    }
    return [
        _quadratic(spectrum, distance, offset, f"{name}, start at {offset:g}")
        for name, spectrum in spectra.items()
        for offset in (0.0, 1.0)
    ]


def measure(point: Point, distance: bool) -> dict[str, Any]:
    full = point.mode == "full"
    steps = 8 if full else 64
    mu = point.strong_convexity
    s = shared.setting(
        point.n,
        point.m,
        point.d,
        point.epsilon,
        steps,
        "tuned" if full else "paper",
    )
    method = first_order.strongly_convex_sgd(lambda theta: theta, CONDITION * mu, mu, steps)
    losses = family(mu, s.d, distance)
    form = s.unit * s.logs / (mu**2 if distance else mu)
    if not full:
        risks = [shared.run_oracle(s, loss, method, point.trials, point.rng) for loss in losses]
        return shared.columns(risks, [f.name for f in losses], 0, s.logs, form)
    losses = [losses[0]]
    names = [f.name for f in losses]
    real = [shared.run_full(s, loss, method, shared.full_trials(point.trials), point.rng) for loss in losses]
    twin = [shared.run_oracle(s, loss, method, 8 * point.trials, point.rng) for loss in losses]
    return shared.stack(
        shared.columns(real, names, 1, s.logs, form), shared.columns(twin, names, 2, s.logs, form)
    )
