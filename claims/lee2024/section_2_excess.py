r"""Section 2, excess: "if we sample from π ∝ exp(−ηf) for some convex f under the low-rank assumption (1.3),
it is straightforward to show E_π f − f(x*) ≤ rank/η".

It holds. On the subspace of dimension k = rank, integration by parts gives ηE⟨∇f(x), x − x*⟩ = k, and
convexity gives f(x) − f(x*) ≤ ⟨∇f(x), x − x*⟩; a norm, or any f homogeneous of degree 1 about x*, reaches it.
(On ℝᵈ with rank < d the density is not integrable: f does not see the complement. The sentence is about the
coordinates in the subspace; the regulariser of Algorithm 1 is what makes the whole law proper.)

How it is checked. By quadrature over the radius for ηf = φ(‖x‖) in k up to 10,000 dimensions, with the
profiles of Lemma 2.4; the norm must reach k within 10⁻⁶, so that the check bites."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from claims import CONFIRMED, Claim, Evidence, Kind, Point, at_most, equals, grid
from claims.lee2024 import PAPER
from claims.lee2024.lemma_2_4 import profiles, radial_moments


def check(point: Point) -> Iterator[Evidence]:
    k = point.k
    for name, (profile, high) in profiles(k, np.random.default_rng(1)).items():
        least = float(profile(np.zeros(1))[0])
        coarse, fine = (radial_moments(profile, k, high, cells)[0] - least for cells in (2000, 4000))
        error = abs(fine - coarse) + 1e-9 * k
        if name == "r^1":
            yield equals("η(E f − f(x*)) for a norm", fine / k, 1.0, error=1e-6, point=point.axes)
        else:
            yield at_most(f"η(E f − f(x*)), ηf = {name}", fine, float(k), error=error, point=point.axes)


CLAIM = Claim(
    PAPER,
    "Section 2, excess",
    "section 2",
    name="section-2-excess",
    kind=Kind.BOUND,
    title="Excess without a regulariser",
    statement=r"""For convex $f$ with Assumption 1.3 and $\pi\propto e^{-\eta f}$ on the subspace of dimension
$\mathrm{rank}$: $\mathbb E_\pi f-f(x^*)\le\mathrm{rank}/\eta$.""",
    expected=CONFIRMED,
    check=check,
    smoke=grid(k=(1, 10)),
    ci=grid(k=(1, 2, 10, 100, 10_000)),
    summary=r"True on the subspace of the gradients; $e^{-\eta f}$ is not integrable on $\mathbb R^d$.",
)
