r"""Footnote 4: "f is μ-strongly convex iff ‖∇f(θ) − ∇f(θ′)‖ ≥ μ‖θ − θ′‖".

Only if: strong convexity gives ⟨∇f(θ) − ∇f(θ′), θ − θ′⟩ ≥ μ‖θ − θ′‖², and the inequality of the footnote
follows by that of Cauchy and Schwarz (`:corrected`); this direction is what the proof of Theorem 3.6 uses.
The other one is false: f(θ) = −(μ/2)θ² has ‖∇f(θ) − ∇f(θ′)‖ = μ‖θ − θ′‖ and is concave.

How it is checked. Quadratic forms with given eigenvalues: the least ‖∇f(θ) − ∇f(θ′)‖/‖θ − θ′‖ over all θ,
θ′ is the least absolute eigenvalue, f is μ-strongly convex exactly if the least eigenvalue is μ or more.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from claims import CONFIRMED, REFUTED, Claim, Evidence, Finding, Kind, Point, Weight, at_least, equals, grid
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
    matrix = form(np.linspace(-3.0, -1.0, point.d), point.rng)
    yield at_least(
        "‖∇f(θ) − ∇f(θ′)‖/‖θ − θ′‖, the least, over μ = 1", expansion(matrix, point.rng), 1.0 - 1e-9
    )
    curvature = float(np.linalg.eigvalsh(matrix).min())
    yield at_least("strong convexity of f, the least eigenvalue", curvature, 1.0)


def check_corrected(point: Point) -> Iterator[Evidence]:
    for top in (1.0, 5.0, 1e3):
        matrix = form(np.linspace(1.0, top, point.d), point.rng)
        yield equals("‖∇f(θ) − ∇f(θ′)‖/‖θ − θ′‖, the least, over μ = 1", expansion(matrix, point.rng), 1.0)


CLAIM = Claim(
    PAPER,
    "Footnote 4",
    "section 3.2",
    kind=Kind.IDENTITY,
    title="Gradients that expand characterise strong convexity",
    statement=r"If $\|\nabla f(\theta)-\nabla f(\theta')\|\ge\mu\|\theta-\theta'\|$ for all "
    r"$\theta,\theta'$, then $f$ is "
    r"$\mu$-strongly convex (\"iff\").",
    expected=REFUTED,
    finding=Finding(
        Weight.TYPO,
        what='"iff" should be "only if": −(μ/2)θ² has ‖∇f(θ) − ∇f(θ′)‖ = μ‖θ − θ′‖ and is concave.',
        favour="Only the true direction is used (CONFIRMED).",
        survives="The direction that the proof of Theorem 3.6 uses.",
    ),
    check=check,
    smoke=grid(d=2),
    ci=grid(d=(1, 3)),
)
CORRECTED = CLAIM.reading(
    "corrected",
    statement=r"If $f$ is $\mu$-strongly convex, then $\|\nabla f(\theta)-\nabla "
    r"f(\theta')\|\ge\mu\|\theta-\theta'\|$ "
    r"for all $\theta,\theta'$; on quadratic forms.",
    expected=CONFIRMED,
    summary="only if",
    check=check_corrected,
)
CLAIMS = [CORRECTED]
