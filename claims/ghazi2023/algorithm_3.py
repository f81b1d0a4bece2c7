r"""Algorithm 3 (Phased-ERM), line by line: budgets, regularisers, feasible sets.

Privacy. T = ⌈log(nm)⌉ phases, each SCOutputPert with (ε/T, δ/T) on all users; θ̂ᵢ₋₁, which defines the loss
and the set of phase i, is an output of the phases before, so basic composition gives (ε, δ). This needs
line 11 to read 𝒦ᵢ = 𝒦 ∩ B(θ̂ᵢ₋₁, Rᵢ); the printed θᵢ₋₁ without a hat is not defined in the algorithm, and
as θ*ᵢ₋₁, as in the analysis, it would be data that no noise protects. "log" is taken as natural; base 2 is
checked as well. ⊥ in a phase is taken to end the algorithm with ⊥.

Feasible sets (`:feasible-sets`). θ̂ᵢ = θ*ᵢ + noise need not lie in 𝒦. Then 𝒦ᵢ₊₁ = 𝒦 ∩ B(θ̂ᵢ, G/λᵢ₊₁) may be
empty, and the loss, defined on 𝒦, has no value at θ̂_T. With λ as in Theorem 4.1 the noise of phase 1 is a
constant multiple of R (about 10⁷ to 10⁹, whatever n and m), and R₂ = R·n√m/(16√d): for n√m below that the
second set is empty almost surely. And whenever the optimum lies on the boundary, θ̂_T lies outside 𝒦 with
probability about 1/2, for all n and m. The smallest change (`:feasible-sets-corrected`) projects θ̂ᵢ onto
𝒦, which is post-processing: then θ̂ᵢ₋₁ ∈ 𝒦ᵢ, and the answer lies in 𝒦. It also bounds ‖θ̂ᵢ − θ*ᵢ‖ by R, and
the constant K of the noise enters the excess risk once, not squared.

How it is checked. The implementation is run, and each phase's T, λᵢ, Rᵢ, nᵢ and σᵢ are compared with the
printed formulas, written out here a second time, for both bases, σᵢ at ε/T and δ/T; δ of
Algorithm 1 at the budget of a phase over all abstract cases. The sets: the probability that 𝒦₂ is empty in
closed form (d = 1, equal losses), answers outside 𝒦 among 200 runs, and the same after the change over a
grid of n, m.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

import numpy as np

from audits.judge import at_most, equals, reported
from claims import CONFIRMED, REFUTED, Claim, Evidence, Finding, Kind, Point, Weight, grid
from claims.ghazi2023 import PAPER
from claims.ghazi2023._guards import accepted
from claims.ghazi2023.algorithm_1 import kappa_and_sigma
from claims.ghazi2023.algorithm_2 import printed_target
from claims.ghazi2023.theorem_3_3_privacy import worst_abstract
from implementations.ghazi2023 import del_output_pert, phased_erm
from implementations.ghazi2023.feasible import Ball
from implementations.ghazi2023.phases import Phase
from implementations.ghazi2023.quadratic import Summary
from implementations.ghazi2023.reading import Guarantee, Reading, Variant


def printed_sigma(
    epsilon: float, delta: float, beta: float, lipschitz: float, mu: float, n: int, m: float
) -> float:
    """σ of SCOutputPert by line 3 of Algorithms 1 and 2."""
    return kappa_and_sigma(epsilon, delta, printed_target(lipschitz, mu, n, m, beta))[1]


def line_users(slope: float, n: int, m: float, trials: int) -> Summary:
    """n equal users with a linear loss of this slope on [−1/2, 1/2], so R = 1 and G = 1."""
    return Summary(np.full((trials, 1), slope), np.zeros(trials), n, 0.0, 1.0, m)


def run(
    slope: float,
    n: int,
    m: float,
    trials: int,
    rng: np.random.Generator,
    variant: Variant = "printed",
    base: phased_erm.LogBase = "e",
) -> tuple[Phase, ...]:
    """Algorithm 3 with ε = 1, δ = 0.1, β = 0.05 and λ of Theorem 4.1 for R = G = 1."""
    users = line_users(slope, n, m, trials)
    regulariser = phased_erm.printed_regulariser(1.0, 1.0, n, m, 1)
    ball = [Ball(np.zeros(1), 0.5)]
    return phased_erm.phased_erm(
        users, ball, np.zeros(1), Guarantee(1.0, 0.1, 0.05), regulariser, rng,
        reading=Reading(variant=variant, base=base),
    )  # fmt: skip


def check(point: Point) -> Iterator[Evidence]:
    n, m = point.n, point.m
    ball, start = [Ball(np.zeros(1), 0.5)], np.zeros(1)
    regulariser = phased_erm.printed_regulariser(1.0, 1.0, n, m, 1)
    union = phased_erm.phased_erm(
        line_users(0.3, 8 * n, m, 1), ball, start, Guarantee(1.0, 0.1, 0.05), regulariser, point.rng,
        reading=Reading(variant="corrected", target="corrected"),
    )  # fmt: skip
    budget = (1.0 / len(union), 0.1 / len(union), 0.05 / len(union))
    yield at_most(
        "relative distance of σᵢ to the text with the Δ of the union",
        union_sigma(union, budget, 8 * n, m),
        1e-9,
    )
    far = Summary(np.zeros((1, 1)), np.ones(1), 8000, 0.0, 1.0, 1e16)  # one user is far from the others
    taken = accepted(
        lambda: phased_erm.phased_erm(far, ball, start, Guarantee(1.0, 0.1, 0.05), 0.05, point.rng)
    )
    yield equals("runs without a certificate that have an output", taken, 0)
    bases: tuple[phased_erm.LogBase, ...] = ("e", "2")
    for base, count in zip(bases, (math.log(n * m), math.log2(n * m)), strict=True):
        phases = run(0.3, n, m, 2, point.rng, "corrected", base)
        steps = math.ceil(count)
        yield equals(f"phases, base {base}", len(phases), steps)
        regulariser = 1.0 / (n * math.sqrt(m))
        distance = 0.0
        for i, phase in enumerate(phases, start=1):
            strength = regulariser * 4.0**i
            sigma = printed_sigma(1.0 / steps, 0.1 / steps, 0.05 / steps, 2.0, strength, n, m)
            distance = max(
                distance, abs(phase.regulariser / strength - 1), abs(phase.radius * strength - 1),
                abs(phase.sigma / sigma - 1), abs(phase.users / n - 1),
            )  # fmt: skip
        yield at_most(f"relative distance of λᵢ, Rᵢ, σᵢ, nᵢ to the text, base {base}", distance, 1e-9)
        p = del_output_pert.parameters(1.0 / steps, 0.1 / steps, 1.0)
        yield at_most(
            "δ of one phase at ε/T over all abstract cases", worst_abstract(p, p.sigma), 0.1 / steps
        )


def union_sigma(phases: tuple[Phase, ...], budget: tuple[float, float, float], n: int, m: float) -> float:
    """Relative distance of σᵢ to the text with the Δ of the union over users and subsets, G = 1, μ = λᵢ."""
    epsilon, delta, beta = budget
    kappa = del_output_pert.parameters(epsilon, delta, 1.0).kappa
    level = (4 * kappa + 1) * math.log(n) + math.log(1.0 / beta)
    unit = printed_sigma(epsilon, delta, 1.0 / math.e, 2.0, 1.0, n, m) * math.sqrt(level)
    return max(abs(phase.sigma * phase.regulariser / unit - 1.0) for phase in phases)


def check_sets(variant: Variant, point: Point) -> Iterator[Evidence]:
    from scipy.special import ndtr

    n, m, trials = point.n, 10.0**point.log10_m, 200
    phases = run(0.0, n, m, trials, point.rng, variant)
    if variant == "printed":
        empty = 2.0 * float(ndtr(-(0.5 + phases[1].radius) / phases[0].sigma))
        yield reported("P(𝒦₂ = ∅), closed form, and β", empty, claimed=0.05)
    lost = int((~phases[-1].answered).sum())
    yield at_most(f"runs without an answer, of {trials}, equal losses", lost, 0)
    steep = run(1.0, n, m, trials, point.rng, variant)[-1]
    outside = int((np.abs(steep.theta[steep.answered]) > 0.5 * (1.0 + 1e-9)).sum())
    yield at_most(f"answers outside 𝒦, of {trials}, optimum on the boundary", outside, 0)


CLAIM = Claim(
    PAPER,
    "Algorithm 3",
    "section 4.1",
    kind=Kind.PRIVACY,
    title="Phased-ERM: parameters of each phase and the budget of the whole",
    statement=r"Algorithm 3 with $T=\lceil\log(nm)\rceil$ phases of budget $(\varepsilon/T,\delta/T)$, "
    r"$\lambda_i=4^i\lambda$, $R_i=G/\lambda_i$, is $(\varepsilon,\delta)$-DP for replacement of one user.",
    expected=CONFIRMED,
    rests_on=("ghazi2023/theorem-3.3-privacy",),
    check=check,
    smoke=grid(n=4000, m=1e6),
    ci=grid(n=(5000, 20_000), m=(1.0, 1e6, 1e12)),
)
SETS = CLAIM.reading(
    "feasible-sets",
    kind=Kind.BOUND,
    title="Phased-ERM: no feasible set is empty, and the answer is feasible",
    statement=r"In Algorithm 3 with $\lambda=G\sqrt d/(Rn\sqrt m)$ every $\mathcal K_i=\mathcal "
    r"K\cap\mathcal B(\hat\theta_{i-1},R_i)$ is non-empty, and $\hat\theta_T\in\mathcal K$.",
    expected=REFUTED,
    finding=Finding(
        Weight.ALGORITHM,
        what=(
            "θ̂ᵢ = θ*ᵢ + noise need not lie in 𝒦, and 𝒦ᵢ₊₁ = 𝒦 ∩ B(θ̂ᵢ, G/λᵢ₊₁) may then be empty: with "
            "equal losses on an interval of length R, n = 6,000, m = 10⁴, ε = 1, δ = 0.1, β = 0.05, the "
            "noise of phase 1 is 4·10⁶ times R and 𝒦₂ is empty with probability 0.99. The size of that "
            "noise in units of R hardly depends on n and m, so that n√m must pass 10⁸ before 𝒦₂ is likely "
            "to have a point. At every size the answer lies outside 𝒦, where the loss has no value, in "
            "about half of the runs whose optimum is on the boundary."
        ),
        favour=(
            "Read with a projection of θ̂ᵢ onto 𝒦 in every phase, which is post-processing and which the "
            'phrase "𝒦ᵢ = 𝒦 ∩ B" takes for granted, no set is empty and the answer is feasible '
            "(`:feasible-sets-corrected`)."
        ),
        survives=(
            "The privacy, as printed; and with the projection the rate, with the hidden factor once in "
            "place of squared. The ball of line 11 is not needed then: the minimiser lies in it whenever "
            "θ̂ᵢ₋₁ ∈ 𝒦, and without it the gradients about their mean have the bound G in place of 2G."
        ),
    ),
    check=partial(check_sets, "printed"),
    smoke=grid(n=4000, log10_m=4),
    ci=grid(n=6000, log10_m=(0, 4, 16, 20)),
)
SETS_CORRECTED = SETS.reading(
    "feasible-sets-corrected",
    title="Phased-ERM with projection: no feasible set is empty, and the answer is feasible",
    statement=r"The same with $\hat\theta_i$ projected onto $\mathcal K$ in every phase.",
    expected=CONFIRMED,
    summary="project θ̂ᵢ onto 𝒦; no privacy is lost",
    check=partial(check_sets, "corrected"),
)
CLAIMS = [SETS, SETS_CORRECTED]
