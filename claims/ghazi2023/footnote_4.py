r"""Footnote 4: "f is μ-strongly convex iff ‖∇f(θ) − ∇f(θ′)‖ ≥ μ‖θ − θ′‖".

The losses are convex there, and for convex f it is true. Only if: strong convexity gives ⟨∇f(θ) −
∇f(θ′), θ − θ′⟩ ≥ μ‖θ − θ′‖², and the inequality follows by that of Cauchy and Schwarz; this direction is
what the proof of Theorem 3.6 uses. If: the conjugate of f has a gradient that is 1/μ-Lipschitz, so that
f is μ-strongly convex. (Without convexity −(μ/2)θ² has the property and is concave.)

How it is checked. Quadratic forms with given eigenvalues, some 0: the least ‖∇f(θ) − ∇f(θ′)‖/‖θ − θ′‖
over all θ, θ′ against the least eigenvalue, which is the strong convexity.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from claims import CONFIRMED, Claim, Evidence, Kind, Point, equals, grid
from claims.ghazi2023 import PAPER


def form(eigenvalues: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A symmetric matrix with these eigenvalues, in a random basis."""
    basis = np.linalg.qr(rng.normal(size=(len(eigenvalues),) * 2))[0]
    return basis @ np.diag(eigenvalues) @ basis.T


def expansion(matrix: np.ndarray, rng: np.random.Generator) -> float:
    """The least ‖∇f(θ) − ∇f(θ′)‖/‖θ − θ′‖ of f = ½⟨θ, Aθ⟩: the least singular value, or that of a sample."""
    least = float(np.linalg.svd(matrix, compute_uv=False).min())
    step = rng.normal(size=(len(matrix), 1000))
    met = np.linalg.norm(matrix @ step, axis=0) / np.linalg.norm(step, axis=0)
    return min(least, float(met.min()))


def check(point: Point) -> Iterator[Evidence]:
    for least, top in ((0.0, 2.0), (0.3, 5.0), (1.0, 1.0), (1.0, 1e3)):
        matrix = form(np.linspace(least, top, point.d), point.rng)
        place = {**point.axes, "least eigenvalue": least}
        words = "least ‖∇f(θ) − ∇f(θ′)‖/‖θ − θ′‖ against the strong convexity"
        curvature = float(np.linalg.eigvalsh(matrix).min())
        yield equals(words, expansion(matrix, point.rng), curvature, error=1e-9 * top, point=place)


CLAIM = Claim(
    PAPER,
    "Footnote 4",
    "section 3.2",
    kind=Kind.IDENTITY,
    title="Gradients that expand characterise strong convexity",
    statement=r"A convex $f$ is $\mu$-strongly convex if and only if $\|\nabla f(\theta)-\nabla "
    r"f(\theta')\|\ge\mu\|\theta-\theta'\|$ for all $\theta,\theta'$; on quadratic forms.",
    expected=CONFIRMED,
    check=check,
    smoke=grid(d=2),
    ci=grid(d=(2, 3, 10)),
)
