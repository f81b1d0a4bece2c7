r"""Corollary 5.2: clipped DP-GD minimises the clipped objective as fast as DP-GD minimises the original.

With θ₀ = 0, C = ℝᵖ, T = n²ε², clipping norm B and the noise of Theorem 2.6 with the clipping norm as gradient
bound, some learning rate gives E[L_clipped(θ^priv; D)] − L_clipped(θ*_clipped; D) ≤ L·‖θ*_clipped‖_M·√(1 +
2·rank(M)·log(1/δ))/(εn), where L_clipped averages the surrogates of Lemma 5.1 and θ*_clipped minimises it
(Song et al. 2021, section 5.2).

The corollary says "clipping norm L", so its L is B, which is also what section 1.1 says in words. (With the
Lipschitz constant of the losses in its place the bound would be weaker for B ≤ L, and for B > L, where
nothing is clipped and the noise is that of B, it would not hold; the corollary does not say that.)

θ*_clipped need not exist. Section 5 opens with "For all values of clipping norm B > 0, the convergence is
always to the minimum of a well-defined convex objective function". Of 10·max(z, 0), −z, −z, −z with x = 1 the
average has its minimum at 0, but with slopes clipped to ±1 it is (max(θ, 0) − 3θ)/4, which has none
(`:minimum`). Where every single loss is bounded from below so is L_clipped. The proof works for any
comparator θ in the place of θ*_clipped.

The learning rate of the proof is a function of the data here too, of ‖θ*_clipped‖_M and rank(M). Absolute
losses with x = 1 and y ∈ {0, 1}, clipped or not, have their minimum at the median of y: with 50 of 101
targets 1 the output is 0 with probability 1, with 51 it is 0 with probability 0 (`:learning-rate`, as
`theorem-3.1:learning-rate`).

How it is checked. By Lemma 5.1 the run is one of Algorithm 1 on surrogates of Lipschitz constant B; so the
worst cases of Theorem 3.1 carry over. Measured: pinball losses whose clipped slopes are −B and κB, absolute,
Huber and pseudo-Huber losses with B from far below to above L, features of norm 1 and ½ and x = 0 in one
dataset, and the logistic instance of Theorem D.4, whose optimum clipping moves to 2·log(1/B − 1). The
learning rate is the proof's, ‖θ*_clipped‖/√(T(B² + rank·σ²)). As in Theorem 3.1 the statement is one about
the algorithm with the printed noise; `theorem-3.1:private` tells what happens when that noise is made
private. `:minimum` in rational arithmetic, `:learning-rate` by the program.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from audits.judge import at_least, at_most, constant, equals, mean_at_most
from claims import CONSISTENT, REFUTED, Claim, Evidence, Finding, Kind, Plot, Point, Tier, Weight, grid
from claims.song2021 import PAPER
from implementations import losses
from implementations.interfaces import Adjacency, Array, Loss, Problem
from implementations.song2021 import clipped_dp_gd, dp_gd, logistic_instance

EXCESS = "excess clipped risk over the bound"


def problems(rank: int, bound: float) -> list[tuple[str, Problem]]:
    """Datasets of `rank` basis directions with ‖θ*_clipped‖ = 1, and the logistic instance (rank 1, B <
    1/4).
    """
    place = np.full(rank, -1.0 / math.sqrt(rank))
    basis = np.eye(rank)
    found = [
        # Clipped slopes −B and 0.3·B where B ≤ 1; the pinball loss itself beyond.
        ("pinball", Problem(basis, place, losses.pinball(0.3 * min(bound, 1.0)), place)),
        ("absolute", Problem(basis, place, losses.absolute(), place)),
        ("huber", Problem(basis, place, losses.huber(0.2), place)),
        ("pseudo-huber", Problem(basis, place, losses.pseudo_huber(0.5), place)),
        (
            "mixed norms",
            Problem(
                np.concatenate([basis, 0.5 * basis, np.zeros((1, rank))]),
                np.concatenate([place, 0.5 * place, [3.0]]),
                losses.absolute(),
                place,
            ),
        ),
    ]
    if rank == 1 and bound < 0.25:
        optimum = np.array([logistic_instance.clipped_optimum(bound)])
        instance = logistic_instance.problem(3)
        found.append(("logistic", Problem(instance.features, instance.targets, instance.loss, optimum)))
    return found


def plan(point: Point) -> tuple[int, float]:
    """(T, σ): T = n²ε², the noise of Theorem 2.6 with the clipping norm as gradient bound."""
    steps = max(1, math.ceil((point.n * point.epsilon) ** 2 - 1e-9))
    sigma = dp_gd.noise_scale(
        epsilon=point.epsilon, delta=point.delta, n=point.n, steps=steps, lipschitz=point.B,
        noise="printed", adjacency=Adjacency.REPLACE,
    )  # fmt: skip
    return steps, sigma


def excess(problem: Problem, point: Point) -> tuple[Array, float]:
    """Excess clipped risk of every trial, and ‖θ*_clipped‖."""
    assert problem.optimum is not None
    steps, sigma = plan(point)
    rank = problem.features.shape[1]
    radius = float(np.linalg.norm(problem.optimum))
    eta = dp_gd.learning_rate(radius=radius, lipschitz=point.B, rank=rank, noise=sigma, steps=steps)
    run = clipped_dp_gd.clipped_dp_gd(
        problem, point.trials, point.rng, bound=point.B, steps=steps, learning_rate=eta,
        noise_scale=sigma,
    )  # fmt: skip
    risk = clipped_dp_gd.surrogate_risk(problem, point.B)
    return risk(run.printed) - risk(problem.optimum[None, :])[0], radius


def form(point: Point) -> float:
    """√(1 + 2·rank·log(1/δ))/(εn)."""
    spread = 2.0 * point.rank * math.log(1.0 / point.delta)
    return math.sqrt(1.0 + spread) / (point.epsilon * point.n)


def check_objective(point: Point) -> Iterator[Evidence]:
    """L_clipped as a program: its gradient is the clipped gradient, and without clipping it is the risk."""
    apart = unclipped = 0.0
    for _, problem in problems(point.rank, point.B):
        theta = point.rng.normal(0.0, 2.0, (200, point.rank))
        risk = clipped_dp_gd.surrogate_risk(problem, point.B)
        steps = point.step * np.eye(point.rank)
        slopes = [(risk(theta + h) - risk(theta - h)) / (2.0 * point.step) for h in steps]
        few = 64 * len(problem.targets)  # eight θ at a time
        gradient = clipped_dp_gd.clipped_gradient(problem, point.B, most_bytes=few)(theta)
        apart = max(apart, float(np.abs(np.stack(slopes, axis=-1) - gradient).max()))
        free = clipped_dp_gd.surrogate_risk(problem, 1e9)(theta)
        scores = theta @ problem.features.T
        plain = problem.loss.value(scores, problem.targets).mean(axis=-1)
        unclipped = max(unclipped, float(np.abs(free - plain).max()))
    # A loss of smoothness β is off by β·step/2; the largest β here is 5 (Huber). Values are at most 10.
    error = 2.5 * point.step + 10.0 * 2.0**-52 / point.step
    method = f"central difference, step {point.step:g}"
    quantity = "largest |∇L_clipped − averaged clipped gradient|"
    yield equals(quantity, apart, 0.0, error=error, decides=False, method=method)
    yield equals("largest |L_clipped − L| where B is above L", unclipped, 0.0, error=1e-13, decides=False)


def check(point: Point) -> Iterator[Evidence]:
    """Mean excess of every problem against the bound, and the constant that the worst of them needs."""
    if "step" in point:
        yield from check_objective(point)
        return
    cases = problems(point.rank, point.B)
    ratios: list[Array] = []
    for (name, problem), alpha in zip(cases, point.split(len(cases)), strict=True):
        values, radius = excess(problem, point)
        ratios.append(values / (point.B * radius * form(point)))
        yield mean_at_most(EXCESS, ratios[-1], 1.0, alpha=alpha, point={**point, "loss": name})
    yield constant(
        "largest excess clipped risk of the problems, over the bound",
        [r.mean() for r in ratios], [r.std(ddof=1) / math.sqrt(r.size) for r in ratios], point.trials,
        points=[{**point, "loss": name} for name, _ in cases], note="simultaneous over the problems",
    )  # fmt: skip


def share_of_zeros(ones: int, point: Point) -> float:
    """How often the output is exactly 0 on n absolute losses, x = 1, of which so many have the target 1."""
    problem = Problem(np.ones((point.n, 1)), (np.arange(point.n) < ones).astype(float), losses.absolute())
    radius = abs(float(np.median(problem.targets)))
    eta = dp_gd.learning_rate(
        radius=radius, lipschitz=point.B, rank=1, noise=point.sigma, steps=point.steps
    )  # fmt: skip
    run = clipped_dp_gd.clipped_dp_gd(
        problem, 256, point.rng, bound=point.B, steps=point.steps, learning_rate=eta, noise_scale=point.sigma
    )
    return float((run.printed == 0.0).mean())


def check_rate(point: Point) -> Iterator[Evidence]:
    """One target is replaced, and the output, 0 with probability 1, is 0 with probability 0."""
    half = point.n // 2
    moved = share_of_zeros(half, point) - share_of_zeros(half + 1, point)
    note = f"{half} of {point.n} targets are 1, or {half + 1}: η = 0 or η > 0; so δ = 1 at every ε"
    quantity = "P(output = 0) less that on a neighbour"
    yield at_most(quantity, moved, 0.0, method="closed form", note=note)


def average_slope(theta: Fraction, clip: Fraction | None) -> Fraction:
    """Slope at θ ≠ 0 of the average of 10·max(z, 0) and three times −z, each slope clipped to ±clip."""
    slopes = [Fraction(10 if theta > 0 else 0), *[Fraction(-1)] * 3]
    if clip is not None:
        slopes = [max(-clip, min(clip, slope)) for slope in slopes]
    return sum(slopes, Fraction(0)) / 4


def check_minimum(point: Point) -> Iterator[Evidence]:
    """L falls up to 0 and rises after it; L_clipped falls everywhere: it has no lower bound."""
    far, clip = Fraction(10**6), Fraction(point.B)
    method = "exact rational arithmetic"
    yield at_most("slope of L left of 0", average_slope(-far, None), 0, decides=False, method=method)
    yield at_least("slope of L right of 0", average_slope(far, None), 0, decides=False, method=method)
    targets = np.array([10.0, -1.0, -1.0, -1.0])
    records = Problem(np.ones((4, 1)), targets, hinge_or_line())
    by_program = float(clipped_dp_gd.clipped_gradient(records, float(clip))(np.array([[1e6]]))[0, 0])
    stated = average_slope(far, clip)
    note = "piecewise linear with its only kink at 0: L_clipped(θ) → −∞ as θ → ∞, no minimum"
    # The program's own slope decides; that it is the exact one can refute only.
    yield at_least("slope of L_clipped on (0, ∞)", by_program, 0, method="clipped gradient", note=note)
    yield equals("that slope in rational arithmetic", by_program, float(stated), error=1e-12, decides=False)


def hinge_or_line() -> Loss:
    """y·max(z, 0) for y > 0, y·z for y < 0: convex."""
    return Loss(
        "hinge or line", lambda z, y: np.where(y > 0.0, y * np.maximum(z, 0.0), y * z),
        lambda z, y: np.where(y > 0.0, y * (z > 0.0), y * np.ones_like(z)), 10.0, math.inf, convex=True,
    )  # fmt: skip


def points(*axes: tuple[int, float, float, int, float]) -> list[dict[str, Any]]:
    return [{"n": n, "epsilon": e, "delta": d, "rank": r, "B": b} for n, e, d, r, b in axes]


CI = points(
    *((64, 1.0, 1e-3, 1, b) for b in (0.01, 0.1, 0.2, 0.5, 1.0, 3.0)),
    *((48, 1.0, 1e-5, 3, b) for b in (0.05, 0.5, 2.0)),
    (16, 1.0, 1e-3, 1, 0.1),
    (128, 0.5, 1e-3, 2, 0.1),
    (3, 0.5, 0.1, 2, 0.2),
)
OBJECTIVE = grid(rank=(1, 3), B=(0.05, 0.3, 0.9, 3.0), step=1e-6)
LARGE = points(*((192, 1.0, 1e-5, r, b) for r in (1, 4) for b in (0.01, 0.1, 1.0)))

CLAIM = Claim(
    PAPER,
    "Corollary 5.2",
    "section 5.2",
    kind=Kind.BOUND,
    title="Excess clipped risk of clipped DP-GD",
    uses=("lemma-5.1", "theorem-3.1"),
    statement=r"Clipped DP-GD with clipping norm $B>0$, $\theta_0=0$, $C=\mathbb R^p$, "
    r"$T=n^2\varepsilon^2$, $\sigma^2=2B^2T\log(1/\delta)/(n\varepsilon)^2$, appropriate $\eta$: "
    r"$\mathbb E[L_{clipped}(\theta^{priv};D)]-L_{clipped}(\theta^*_{clipped};D)\le "
    r"B\,\|\theta^*_{clipped}\|_M\sqrt{1+2\,\mathrm{rank}(M)\log(1/\delta)}/(\varepsilon n)$ (the "
    r"printed $L$ read as the clipping norm).",
    expected=CONSISTENT,
    rests_on=("song2021/lemma-5.1",),
    check=check,
    # In units of the bound. Noise that is doubled multiplies the half of the bound that is noise by four.
    largest_resolution=0.5,
    smoke=Tier([*OBJECTIVE, *points((24, 1.0, 1e-3, 1, 0.1), (24, 1.0, 1e-3, 2, 2.0))], trials=200),
    ci=Tier([*OBJECTIVE, *CI], trials=400),
    full=Tier([*OBJECTIVE, *CI, *LARGE], trials=1_200),
    plots=[
        Plot(
            kind="loglog",
            title="Corollary 5.2: excess clipped risk over the bound against the clipping norm",
            x="B",
            y="value",
            x_label="clipping norm B",
            y_label="excess clipped risk over the bound",
            claimed="claimed",
            series="loss",
            select={"quantity": EXCESS, "n": 64, "rank": 1, "epsilon": 1.0, "delta": 1e-3},
        )
    ],
)
MINIMUM = CLAIM.reading(
    "minimum",
    place="section 5, opening",
    kind=Kind.IDENTITY,
    title="What clipped DP-GD converges to has a minimum",
    statement=r"For all values of the clipping norm $B>0$ the convergence of clipped DP-GD on a convex "
    r"generalised linear model whose $L(\cdot;D)$ has a minimiser is to the minimum of a well-defined convex "
    r"objective function: $L_{clipped}(\cdot;D)$ has a minimum.",
    expected=REFUTED,
    finding=Finding(
        Weight.RANGE,
        what=(
            "Clipping can remove the minimum. Of the losses 10·max(z, 0), −z, −z, −z with x = 1 the average "
            "has its minimum at 0; clipped at B = 1 it is (max(θ, 0) − 3θ)/4, which falls without bound, so "
            "that θ*_clipped does not exist and the steps lead ever further away."
        ),
        favour=(
            "The corollary itself speaks of θ*_clipped and so takes it for granted, and the objective is "
            "well defined and convex for every B. Where each single loss is bounded from below (logistic, "
            "hinge, absolute losses), so is L_clipped."
        ),
        survives=(
            "The corollary with any θ in the place of θ*_clipped: (6) holds for every comparator; and as "
            "printed wherever θ*_clipped exists (`corollary-5.2`)."
        ),
    ),
    check=check_minimum,
    smoke=grid(B="1"),
    ci=grid(B=("1/10", "1", "2")),
    full=None,
    plots=(),
)
LEARNING_RATE = CLAIM.reading(
    "learning-rate",
    kind=Kind.PRIVACY,
    title="Privacy of clipped DP-GD with the learning rate of the proof",
    statement=r"Clipped DP-GD as Corollary 5.2 runs it, with the learning rate that the proof of Theorem 3.1 "
    r"sets, $\eta=\|\theta^*_{clipped}\|_M/\sqrt{T(B^2+\mathrm{rank}(M)\sigma^2)}$, is "
    r"$(\varepsilon,\delta)$-differentially private under replacement of one record when the noise $\sigma$ "
    r"of its steps is large enough.",
    expected=REFUTED,
    finding=Finding(
        Weight.ALGORITHM,
        what=(
            "The learning rate is a function of the private data, as in Theorem 3.1: one of 101 targets "
            "decides whether the output is 0 with probability 1 or 0."
        ),
        favour=(
            "As a statement about the clipped risk at the best learning rate: CONSISTENT (`corollary-5.2`)."
        ),
        survives="A learning rate from public bounds, as in `theorem-3.1:corrected`.",
        follows_from="song2021/theorem-3.1:learning-rate",
    ),
    check=check_rate,
    smoke=grid(n=101, steps=20, sigma=1.0, B=(0.5, 2.0)),
    ci=grid(n=101, steps=20, sigma=(0.1, 1e6), B=(0.5, 2.0)),
    full=None,
    plots=(),
)
CLAIMS = [LEARNING_RATE, MINIMUM]
