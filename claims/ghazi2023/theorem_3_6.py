r"""Theorem 3.6: deleting one user of a random permutation moves the optimum by at most 5G√(log(1/β))/(μ(n −
1)√m).

With v = ∇L(θ*; x) and g the gradients at θ* = θ*(x), strong convexity of L(·; x₋ₙ) gives
μ‖θ* − θ*₋ₙ‖² ≤ ⟨∇L(θ*; x₋ₙ), θ* − θ*₋ₙ⟩, and ∇L(θ*; x₋ₙ) = (n·v − ḡₙ)/(n − 1) with the n-th user's mean
gradient ḡₙ. The text takes v = 0, which holds for an interior optimum only (`theorem-3.6-proof`). On the
boundary ⟨v, θ* − θ*₋ₙ⟩ ≤ 0, because θ* is optimal; so n·v − ḡₙ may be replaced by v − ḡₙ, and
‖θ* − θ*₋ₙ‖ ≤ ‖ḡₙ − v‖/(μ(n − 1)). The centred gradients g − v add up to zero, have mean square ≤ G² and
differ by at most 2G: this is all that the proof of Lemma 3.8 uses of its vectors, so its constant 5 stays.
Hence the theorem holds for all convex sets, and with subgradients for losses with kinks.

How it is checked. That step, ‖θ* − θ*₋ₙ‖ ≤ ‖ḡₙ − v‖/(μ(n − 1)), and the constant that the exact law needs,
over all choices of the deleted user's m items out of nm, on eight problems (optimum inside and on the
boundary, narrow sets, two dimensions, kinks); two-valued items up to nm = 10⁵ by the hypergeometric law; the
inequalities of the proof of Lemma 3.8 between numbers decide.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations

import numpy as np

from claims import CONFIRMED, REFUTED, Claim, Evidence, Finding, Kind, Point, Weight, at_most, grid, reported
from claims.ghazi2023 import PAPER
from claims.ghazi2023._problems import Problem, problems
from claims.ghazi2023._tails import needed_constant, sign_sums
from claims.ghazi2023.lemma_3_8 import CONSTANT, proof_steps
from claims.ghazi2023.lemma_c_1 import gradients as of_optimality


def deletions(problem: Problem, n: int, m: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Over all choices of the last user's items: (move of the optimum, centred bound, ‖∇L(θ*; x)‖)."""
    items = problem.items
    theta = problem.minimise(items)
    gradients = of_optimality(problem)
    mean = gradients.mean(axis=0)
    moves, bounds = [], []
    everybody = np.arange(len(items))
    for chosen in combinations(range(len(items)), m):
        rest = np.delete(everybody, chosen)
        moves.append(np.linalg.norm(theta - problem.minimise(items[rest])))
        own = gradients[list(chosen)].mean(axis=0) - mean
        bounds.append(np.linalg.norm(own) / (problem.strong_convexity * (n - 1)))
    return np.array(moves), np.array(bounds), float(np.linalg.norm(mean))


def check(point: Point) -> Iterator[Evidence]:
    threshold, tail = proof_steps()
    yield at_most("(t + √m·G)/(5G√(m log(1/β))), the largest", threshold, 1.0, note="given Proposition A.1")
    yield at_most("tail of Proposition A.1 over β, the largest", tail, 1.0, note="given Proposition A.1")
    n, m = point.n, point.m
    worst = 0.0
    for problem in problems(n * m, point.rng):
        moves, bounds, _ = deletions(problem, n, m)
        words = f"move beyond ‖ḡₙ − v‖/(μ(n − 1)), {problem.name}"
        yield at_most(words, float((moves - bounds).max()), 1e-9)
        unit = problem.lipschitz / (problem.strong_convexity * (n - 1) * math.sqrt(m))
        worst = max(worst, needed_constant(moves, np.full(moves.size, 1.0 / moves.size), unit))
    yield at_most("constant needed on eight problems", worst, CONSTANT, decides=False)
    large = max(
        needed_constant(*sign_sums(total, max(1, round(s * total)), size), max(s, 1.0 - s) * math.sqrt(size))
        for total in (1000, 100_000)
        for s in (0.5, 0.3)
        for size in (1, 2, 3, 4, 10, 100)
    )
    yield at_most("constant needed by two-valued items of a narrow set", large, CONSTANT, decides=False)
    yield reported("smallest constant consistent with all exact laws", max(worst, large), claimed=CONSTANT)


def check_proof(point: Point) -> Iterator[Evidence]:
    for problem in problems(point.n * point.m, point.rng):
        if problem.name.startswith("signs"):
            _, _, gradient = deletions(problem, point.n, point.m)
            yield at_most(f"‖∇L(θ*; x)‖, {problem.name}", gradient, 1e-9)


CLAIM = Claim(
    PAPER,
    "Theorem 3.6",
    "section 3.2",
    kind=Kind.BOUND,
    title="Deleting one user of a random permutation",
    statement=r"For $\mu$-strongly convex, $G$-Lipschitz $\ell$ on $\mathcal K$, $\beta<1/e$, with "
    r"probability $1-\beta$ over a random permutation: "
    r"$\|\theta^*(x^\pi)-\theta^*(x^\pi_{-n})\|\le5G\sqrt{\log(1/\beta)}/(\mu(n-1)\sqrt m)$.",
    uses=("lemma-3.8",),
    expected=CONFIRMED,
    rests_on=("ghazi2023/lemma-3.8",),
    summary="on the boundary of 𝒦 as well, with gradients about their mean",
    check=check,
    smoke=grid(n=3, m=2),
    ci=[{"n": n, "m": m} for n, m in ((2, 2), (2, 5), (3, 3), (4, 2), (4, 3), (10, 1))],
)
PROOF = Claim(
    PAPER,
    "Theorem 3.6",
    "section 3.2",
    name="theorem-3.6-proof",
    kind=Kind.IDENTITY,
    title="The gradient vanishes at the empirical optimum",
    statement=r"In the proof: $0=\nabla\mathcal L(\theta^*;x^\pi)$ for $\theta^*=\arg\min_{\mathcal K}"
    r"\mathcal L(\theta;x^\pi)$, for every convex set $\mathcal K$.",
    expected=REFUTED,
    finding=Finding(
        Weight.PROOF,
        what=(
            "∇L(θ*; x) = 0 fails where the optimum lies on the boundary of 𝒦: for signs on [−0.55, "
            "−0.05] with the loss (θ − x)²/2 the optimum is −0.05 and the gradient there −0.05."
        ),
        favour="For 𝒦 = ℝᵈ, or an optimum inside 𝒦, the step is right.",
        survives=(
            "The theorem with its constant 5, for every convex 𝒦: with v = ∇L(θ*; x), optimality gives "
            "⟨v, θ* − θ*₋ₙ⟩ ≤ 0, so that v − ḡₙ may stand for n·v − ḡₙ, and the centred gradients add up "
            "to zero, which is all that Lemma 3.8 needs."
        ),
    ),
    check=check_proof,
    smoke=grid(n=3, m=2),
    ci=grid(n=(2, 4), m=2),
)
CLAIMS = [PROOF]
