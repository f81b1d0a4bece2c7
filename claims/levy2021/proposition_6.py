r"""Proposition 6: minimising a linear loss over the ball is as hard as estimating the direction of the mean.

For ℓ(θ; z) = −⟨θ, z⟩ on the ball of radius R the excess risk of θ̂ is R‖μ‖ − ⟨θ̂, μ⟩ ≥ ½R‖μ‖·‖θ̂/R − μ/‖μ‖‖²
(Levy et al. 2021, section 5.2 and Proposition 6; constant reconstructed). Signs are lost in the text at hand:
with ℓ = ⟨θ, z⟩ the minimiser is −Rμ/‖μ‖, with the printed minimiser the loss is −⟨θ, z⟩.

Both expressions depend on ‖θ̂‖/R = r and the cosine c alone, 1 − rc against ½(r² + 1 − 2rc): the difference
is ½(1 − r²) ≥ 0, with equality on the sphere.

How it is checked. Exactly: the difference of the implemented excess risk and the bound against ½(1 − r²), on
a grid of (r, c) in several dimensions. Both are polynomials of degree 2 in r and 1 in c, so that the grid
decides.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from claims import CONFIRMED, Claim, Evidence, Kind, Point, equals, grid
from claims.levy2021 import PAPER
from implementations.levy2021 import hard_instances


def check(point: Point) -> Iterator[Evidence]:
    d, radius = point.d, point.R
    mu = point.rng.standard_normal(d)
    loss = hard_instances.LinearLoss(radius, tuple(mu.tolist()))
    v = mu / np.linalg.norm(mu)
    across = np.linalg.svd(v[None])[2][1] if d > 1 else np.zeros(1)  # a unit vector orthogonal to v
    cosines = np.linspace(-1.0, 1.0, 401) if d > 1 else np.array([-1.0, 1.0])
    r, c = np.meshgrid(np.linspace(0.0, 1.0, 201), cosines)
    theta = radius * r[..., None] * (c[..., None] * v + np.sqrt(1 - c**2)[..., None] * across)
    unit = radius * float(np.linalg.norm(mu))
    excess = loss.excess(theta) / unit
    bound = 0.5 * ((theta / radius - v) ** 2).sum(axis=-1)
    error = float(np.abs(excess - bound - 0.5 * (1.0 - r**2)).max())
    yield equals("error of excess risk − lower bound = ½(1 − r²), in R‖μ‖", error, 0.0, error=1e-12)
    best = float(loss.excess(loss.minimiser)) / unit
    yield equals("excess risk at the minimiser, in R‖μ‖", best, 0.0, error=1e-12)


CLAIM = Claim(
    PAPER,
    "Proposition 6",
    "section 5.2",
    kind=Kind.IDENTITY,
    title="Linear losses: excess risk bounds the error of the direction",
    statement=r"For $\ell(\theta;z)=-\langle\theta,z\rangle$ and $\|\hat\theta\|\le R$: $L(\hat\theta)-L^*\ge"
    r"\tfrac12R\|\mu\|\,\big\|\hat\theta/R-\mu/\|\mu\|\big\|^2$ (constant and sign reconstructed).",
    expected=CONFIRMED,
    check=check,
    smoke=grid(d=(1, 2, 17), R=(0.5, 20.0)),
    ci=grid(d=(1, 2, 17), R=(0.5, 20.0)),
)
