"""Certificates of low deletion sensitivity from the users' gradients at the optimum (appendix C)."""

from __future__ import annotations

from implementations.checks import positive, whole_number
from implementations.interfaces import Array


def _remaining(n: int, r: int) -> int:
    whole_number(n=n)
    whole_number(0, r=r)
    if r > n - 2:
        raise ValueError(f"n must be at least r + 2 = {r + 2}, so that somebody remains, got {n}")
    return n - r


def lemma_factor(n: int, r: int) -> float:
    """The constant of Lemma C.1 by its own proof: Δ̄_r θ* ≤ lemma_factor·γ/μ, γ = max ‖∇L(θ*; xᵢ)‖.

    The proof gives ‖θ* − θ*₋S‖ ≤ |S|γ/(μ(n − |S|)) (strong monotonicity of the gradient; the text's two
    inequalities give twice that). One more deletion and the triangle inequality: r/(n − r) + (r + 1)/(n − r
    − 1).
    """
    left = _remaining(n, r)
    return r / left + (r + 1) / (left - 1)


def quadratic_factor(n: int, r: int) -> float:
    """The same for losses with Hessian μI (squared loss; linear losses with a ridge), on any convex set.

    θ*₋S is the projection of a mean over the remaining users, so the jump when user i leaves is at most
    ‖gᵢ − ḡ₋S‖/(μ(n − s − 1)) with ‖ḡ₋S‖ ≤ sγ/(n − s): in all n·γ/(μ(n − s)(n − s − 1)), largest at s = r. The
    factor r of Lemma C.1 disappears, which a certificate for the printed Δ of Algorithm 2 needs.
    """
    left = _remaining(n, r)
    return n / (left * (left - 1))


def sensitivity_bound(gamma: Array, factor: float, mu: float) -> Array:
    """Upper bound of Δ̄_r θ* from γ (…), the largest norm of a user's mean gradient at θ*: (…)."""
    positive(factor=factor, mu=mu)
    return gamma * factor / mu
