r"""Theorem 3, non-convex losses: E‖G_{L,1/H}(θ̂)‖² = Õ(HΔ/T + √(HΔ)·G̃√d/(n√m·ε)), G̃ = σ√d.

G is the gradient mapping, Δ a bound on the initial gap (at most GR). The displayed bound is lost in the text
at hand; this is what projected SGD with the step η = min(1/(2H), √(Δ/(Hν²T))) and a random iterate gives for
the printed variance ν² = O(T·G̃²d/(n²mε²)) of one answer (Davis and Drusvyatskiy 2019; reconstructed).
Without projection the mapping is the gradient, and the descent lemma with η ≤ 1/(2H) gives the constants:

    E‖∇f(θ̂)‖² ≤ (4/3)·(Δ/(ηT) + Hην²/2) ≤ (8/3)·HΔ/T + 2·√(HΔ)·ν/√T.

The noise term is the larger one, and the bound is below the trivial 2HΔ, where HΔ is of the order of ν²: Δ is
an axis in these units, Δ = a·ν²/H.

How it is checked. Algorithm 3 itself, with its printed constants, inside the hypotheses (ε ≤ 1, Tβ ≤ 0.001):
the noise of the answers, the output from the minimum and the place of the chosen iterate must be what the
printed ν² and the uniform choice give, from both sides. Over six decades of n and four of ε and H its steps
have the answers of A′ of Theorem 2: exponents in n, m, d, ε, H of E‖∇f(θ̂)‖²/√(HΔ), as the mean over a bowl
from its minimum, a bowl at full gap and a ridge of cosines, must not be worse than −1, −½, 1, −1, 0 by more
than 0.05 (a tenth of the step ½ between such laws) after division by the printed log factors; without noise
the exponents of HΔ and T must not be worse than 1 and −1; in every cell the mean must be below the bound
above. From the minimum the squared gradient is known for every T and a, and its exponents must not be above
those of √(HΔ)·ν/√T.

What it does not see. The gradient noise of a user is the same at all θ, so that the uniformity in θ of
Proposition 1 is not put to the test."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from claims import CONSISTENT, Budget, Claim, Evidence, Kind, Point, Tier, at_most, grid
from claims.levy2021 import PAPER
from claims.levy2021 import _first_order as shared
from implementations.levy2021 import first_order


def cosine(gap: float, smoothness: float, d: int) -> shared.Loss:
    """A(1 − cos(⟨θ, e⟩/w)), A/w² = H, height 2A = Δ, from where it is steepest."""
    height = gap / 2.0
    width = math.sqrt(height / smoothness)
    e = shared.diagonal(1.0, d)

    def slope(theta: np.ndarray) -> np.ndarray:
        return height / width * np.sin(theta @ e / width)

    return shared.Loss(
        "cosine", lambda t: slope(t)[..., None] * e, lambda t: slope(t) ** 2, 0.5 * math.pi * width * e
    )


def bowl(name: str, curvature: float, gap: float, d: int, weights: np.ndarray | None = None) -> shared.Loss:
    """½·curvature·‖θ‖² from where it is `gap` above its minimum."""
    start = shared.diagonal(math.sqrt(2.0 * gap / curvature), d)
    return shared.Loss(
        name, lambda t: curvature * t, lambda t: curvature**2 * (t**2).sum(axis=-1), start, weights
    )


def measure(point: Point) -> dict[str, Any]:
    quiet, smoothness = point.regime == "quiet", point.smoothness
    s = shared.setting(point, slope=2.0 * math.sqrt(smoothness * point.gap) if quiet else 0.0)
    gap = point.gap if quiet else point.gap * s.variance / smoothness
    method = first_order.nonconvex_sgd(
        lambda t: t, smoothness, gap, math.sqrt(s.variance), s.steps, point.rng
    )
    if quiet:
        # ‖∇f‖² of the start is 8HΔ/T, three times the bound: steps that are not made are seen.
        losses = [bowl("bowl, curvature 4H/T", 4.0 * smoothness / s.steps, gap, s.d)]
    else:
        size = min(0.5 / smoothness, math.sqrt(gap / (smoothness * s.variance * s.steps)))
        weights = shared.noise_weights([size] * s.steps, smoothness)[:-1]
        losses = [
            bowl("bowl from its minimum", smoothness, 0.0, s.d, weights),
            bowl("bowl at full gap", smoothness, gap, s.d),
            cosine(gap, smoothness, s.d),
        ]
    root = math.sqrt(smoothness * gap)
    bound = 8.0 / 3.0 * root**2 / s.steps + 2.0 * root * s.rate
    found = shared.columns(point, s, losses, method, 1.0 if quiet else root * math.sqrt(s.logs), bound)
    if quiet:  # the expectation over the drawn iterate, so that nothing is random
        found |= {"normalised": found["asked"], "share": found["asked"] / bound}
    return found | {"height": smoothness * gap}


def over_bound(steps: int, gap: float = 0.75) -> float:
    """H²·mean over t of Σ_s W[t, s]²·ν² over √(HΔ)·ν/√T from the minimum of a bowl; H = ν = 1, Δ = gap."""
    weights = shared.noise_weights([min(0.5, math.sqrt(gap / steps))] * steps, 1.0)[:-1]
    return float((weights**2).sum(axis=1).mean()) * math.sqrt(steps / gap)


def judge(rows: Any, budget: Budget) -> list[Evidence]:
    noisy, quiet, far = (rows[rows["regime"] == name] for name in ("noise", "quiet", "far"))
    claimed = {"n": -1.0, "m": -0.5, "d": 1.0, "epsilon": -1.0, "smoothness": 0.0}
    still = {"height": 1.0, "steps": -1.0}
    return [
        *shared.rate(far, claimed, budget.share(0.4)),
        *shared.rate(quiet, still, budget.share(0.1), measured="squared gradient without noise"),
        *shared.noise_rate(rows[rows["regime"] != "quiet"], budget.share(0.2)),
        shared.horizon(over_bound, 0.0, "exponent of T of the exact value over √(HΔ)ν/√T"),
        at_most(
            "exponent of Δ of the exact value over √(HΔ)ν/√T, Δ from 1 to 100 ν²/H",
            math.log(over_bound(1600, 100.0) / over_bound(1600, 1.0)) / math.log(100.0),
            shared.TOLERANCE,
            decides=False,
        ),
        shared.below_bound(rows, budget.share(0.1), "squared gradient over (8/3)HΔ/T + 2√(HΔ)ν/√T"),
        *shared.tie(rows, budget.share(0.2)),
        shared.hidden_constant(noisy, "largest squared gradient over (8/3)HΔ/T + 2√(HΔ)ν/√T"),
    ]


BASE = {"regime": "noise", "m": 100, "d": 1, "epsilon": 1.0, "steps": 4, "smoothness": 1.0, "gap": 0.75}
NOISE = shared.star(BASE, **{**shared.ARMS, "steps": (6, 8)}, smoothness=(0.1, 10.0), gap=(0.25, 0.4, 1.0))
FAR = [
    *shared.star(BASE | {"regime": "far"}, **shared.FAR, smoothness=(0.01, 0.1, 10.0, 100.0)),
    *shared.star(BASE | {"regime": "long"}, (), steps=shared.LONG),
]
QUIET = [
    c | {"regime": "quiet", "n": shared.users_for(1, 1.0, c["steps"], 1e7)}
    for h, gap in ((1.0, 0.1), (0.1, 1.0), (1.0, 1.0), (10.0, 1.0), (1.0, 10.0))
    for c in grid(m=shared.QUIET, d=1, epsilon=1.0, steps=(16, 32, 64, 128, 256), smoothness=h, gap=gap)
]

CLAIM = Claim(
    PAPER,
    "Theorem 3",
    "section 4 (reconstructed)",
    name="theorem-3-nonconvex",
    kind=Kind.RATE,
    title="Private ERM, non-convex losses",
    uses=("theorem-10", "proposition-1", "appendix-results"),
    statement=r"For $n=\tilde\Omega(\sqrt{dT}/\varepsilon)$ users with samples of one law (A2) and "
    r"$H$-smooth losses, Algorithm 3 with a random iterate has with probability $1-\gamma$ over the samples "
    r"$\mathbb E\|\mathsf G_{L,1/H}(\hat\theta)\|^2=\tilde "
    r"O\big(\frac{H\Delta}T+\frac{\sqrt{H\Delta}\,\tilde G\sqrt d}{n\sqrt m\,\varepsilon}\big)$, $\Delta\le "
    r"GR$.",
    expected=CONSISTENT,
    fits_exponents=True,
    smoke=Tier(shared.few(NOISE) + QUIET[:1], trials=900),
    ci=Tier(NOISE + QUIET + FAR, trials=220),
    full=Tier(NOISE + QUIET + FAR, trials=4000, chunk=400),
    measure=measure,
    judge=judge,
    plots=[shared.plot("Squared gradient, non-convex losses", "(8/3)HΔ/T + 2√(HΔ)ν/√T", "E‖∇f(θ̂)‖²")],
)
