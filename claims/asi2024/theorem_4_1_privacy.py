r"""Theorem 4.1, privacy: Algorithm 2 is user-level (ε, δ)-private for all 0 < ε < 10 and 0 < δ < 1.

The sentence has no condition on n, and its proof cites Theorem 3.2, which falls (theorem-3.2-privacy). The
same two clusters do it here: linear losses, half of the users with gradient G and half with −G. For large m
the radius τ is far below G, so all are outliers to each other, nobody is kept, and the first step is noise.
In the neighbour one cluster has n/2 + 1 users and the step has length ηG with probability 0.95, if
AboveThreshold passes, which for n = 20 and ε = 1 it does with probability 0.3. The output shows it.

With Algorithm 1 for one query at each step (`:fresh`: "Run Algorithm 1 with query q_t" with T = 1 in its
noise) the T answers compose: users who agree but for one, who stands 2τ to the left or to the right, are
told apart.

What survives (`:corrected`) is Algorithm 2 with the corrected plan of lemma-3.6: everything after the
answers is post-processing.

How it is checked. Exactly: the probability of a long first step, from the law of the mean and the noise;
for `:fresh` the Gaussian law of the averaged iterate, given that no run halts. The programs by sampling
their output.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from claims import (
    CONSISTENT,
    REFUTED,
    Claim,
    Evidence,
    Finding,
    Kind,
    Point,
    Weight,
    at_most,
    audit_privacy,
    grid,
)
from claims.asi2024 import PAPER
from claims.asi2024._transcripts import share_for
from claims.asi2024.theorem_3_2_privacy import one_user
from implementations import domains
from implementations.asi2024 import clusters
from implementations.asi2024.above_threshold import halting_law
from implementations.asi2024.clusters import Clusters
from implementations.asi2024.dp_sgd import Parameters, dp_sgd, mean_plan, printed_parameters
from implementations.asi2024.outlier_removal import Plan, corrected_plan, corrected_users, look, printed_plan
from implementations.interfaces import Array
from implementations.privacy import PrivacyBudget, gaussian_delta


def gradients(n: int, positive: int) -> Clusters:
    """`positive` users with gradient 1 and the others with −1."""
    return clusters.as_clusters([[1.0], [-1.0]], [positive, n - positive])


def long_step(data: Clusters, plan: Plan) -> float:
    """P(⊤ and the first answer is above 1/2)."""
    from scipy.special import ndtr

    mass, values = clusters.mean_law(data, plan.tau)
    return clusters.answer_probability(data, plan) * float(mass @ ndtr((values[:, 0] - 0.5) / plan.noise))


def setting_of(point: Point) -> tuple[Parameters, Plan]:
    """Printed parameters for T = 2, G = R = d = 1."""
    setting = printed_parameters(
        point.n, point.m, 1, PrivacyBudget(point.epsilon, point.delta), 1.0, 1.0, steps=2
    )
    return setting, mean_plan(point.n, point.m, 1, point.epsilon, point.delta, setting)


def check(point: Point) -> Iterator[Evidence]:
    """P(θ̂ on the far side) on the neighbour, less e^ε times the same on the dataset."""
    _, plan = setting_of(point)
    if plan.tau >= 1.0:
        raise ValueError(f"m must put τ below G = 1, got {plan.tau}")
    here, there = (long_step(gradients(point.n, k), plan) for k in (point.n // 2, point.n // 2 + 1))
    found = there - math.exp(point.epsilon) * here
    note = f"n/2 + 1 against n/2 users with gradient G, the others −G; probabilities {there:.4g}, {here:.3g}"
    yield at_most("δ of a long first step", found, point.delta, decides=False, note=note)


def check_program(point: Point) -> Iterator[Evidence]:
    """An audit of the output of Algorithm 2 on the same pair; a dataset is given by its users' signs."""
    setting, plan = setting_of(point)

    def program(signs: Array, size: int, rng: np.random.Generator) -> Array:
        data = gradients(point.n, int((np.asarray(signs) > 0.0).sum()))
        query = look(data.positions, plan.tau, data.weights)
        ball = domains.ball(0.5)
        return dp_sgd(lambda theta: query, np.zeros((size, 1)), plan, setting, ball.project, rng).theta[:, 0]

    even = np.repeat([1.0, -1.0], point.n // 2)
    odd = even.copy()
    odd[-1] = 1.0
    yield audit_privacy(
        program, [(even, odd)], epsilon=point.epsilon, delta=point.delta, adjacency=PAPER.adjacency,
        alpha=point.alpha, rng=point.rng, max_samples=point.samples,
    ).evidence("Algorithm 2 on two clusters")  # fmt: skip


def check_fresh(point: Point) -> Iterator[Evidence]:
    """T plans of one query each; the averaged iterate is Gaussian given that no run halts."""
    n, steps = point.n, point.T
    inner = point.delta / (2.0 * steps * n)
    plan = printed_plan(n, 1, point.epsilon, inner, 1.0)
    data = clusters.as_clusters([[0.0], [2.0]], [n - 1, 1])
    shift = 2.0 * float(clusters.fixed_mean(data, 1.0)[0])  # the user stands at 2τ or at −2τ
    answers = steps - 1  # θ̂ averages θ₁ … θ_T: the answer at step s enters T − s times
    share = math.sqrt(3.0 * answers * (answers + 1) / (2.0 * (2 * answers + 1)))
    passed = halting_law([clusters.score(data, 1.0)], plan.threshold, plan.budget)[-1] ** steps
    found = float(passed * gaussian_delta(point.epsilon, shift / plan.noise * share))
    yield at_most(
        "exact δ of the averaged iterate",
        found,
        point.delta,
        decides=False,
        note=f"P(no halt) = {passed:.4g}",
    )


def check_corrected(point: Point) -> Iterator[Evidence]:
    """An audit of the output with the corrected plan; the last user turns round where the iterate is
    positive."""
    steps = point.T
    n = corrected_users(steps, point.epsilon, point.delta)
    plan = corrected_plan(n, steps, point.epsilon, point.delta, 1.0)
    share = share_for(n, plan.threshold + 4.0 / point.epsilon)
    most = round(share * (n - 1))
    weights = np.array([most, n - 1 - most, 1])
    setting = Parameters(steps=steps, step_size=1.0 / plan.noise, radius=1.0, tau=1.0)

    def program(places: tuple[float, ...], size: int, rng: np.random.Generator) -> Array:
        def users(theta: Array) -> object:
            values = np.zeros((size, 3, 1))
            values[:, 1, 0] = 1.5
            values[:, 2, 0] = np.where(theta[:, 0] > 0.0, places[1], places[0])
            return look(values, plan.tau, weights)

        out = dp_sgd(users, np.zeros((size, 1)), plan, setting, lambda x: x, rng, average="after")  # type: ignore[arg-type]
        return out.theta[:, 0]

    yield audit_privacy(
        program, [((0.75, -2.0), (-2.0, 0.75))], epsilon=point.epsilon, delta=point.delta, adjacency=one_user,
        alpha=point.alpha, rng=point.rng, max_samples=point.samples,
    ).evidence("corrected Algorithm 2")  # fmt: skip


CLAIM = Claim(
    PAPER,
    "Theorem 4.1, privacy",
    "section 4",
    name="theorem-4.1-privacy",
    kind=Kind.PRIVACY,
    title="Algorithm 2 is user-level (ε, δ)-private",
    statement=r"For all $0<\varepsilon<10$ and $0<\delta<1$, Algorithm 2 is user-level "
    r"$(\varepsilon,\delta)$-DP.",
    expected=REFUTED,
    finding=Finding(
        Weight.THEOREM,
        what=(r"Without a condition on $n$ two clusters of outliers show who moved."),
        favour="",
        survives="",
    ),
    check=check,
    smoke=grid(n=(20,), m=(10**8,), epsilon=(1.0,), delta=(1e-6,)),
    ci=grid(n=(2, 20, 60), m=(10**8, 10**10), epsilon=(0.5, 1.0), delta=(1e-3, 1e-6)),
)
PROGRAM = CLAIM.reading(
    "program",
    title="The program of Algorithm 2",
    expected=REFUTED,
    finding=Finding(Weight.RANGE, what=("the same pair, by sampling the output"), favour="", survives=""),
    check=check_program,
    smoke=grid(n=(20,), m=(10**8,), epsilon=(1.0,), delta=(1e-3,), samples=(10_000,)),
    ci=grid(n=(20,), m=(10**8,), epsilon=(1.0,), delta=(1e-3,), samples=(40_000,)),
)
FRESH = CLAIM.reading(
    "fresh",
    title="Algorithm 2 with Algorithm 1 for one query at each step",
    statement=r"Line 4 read as a new run of Algorithm 1 with $T=1$ at each step: Algorithm 2 is user-level "
    r"$(\varepsilon,\delta)$-DP.",
    expected=REFUTED,
    finding=Finding(
        Weight.RANGE, what=("the budget of every step is ε, and T of them compose"), favour="", survives=""
    ),
    check=check_fresh,
    smoke=grid(n=(2000,), T=(10_000,), epsilon=(1.0,), delta=(1e-6,)),
    ci=grid(n=(2000, 10_000), T=(10_000, 100_000), epsilon=(1.0, 5.0), delta=(1e-6,)),
)
CORRECTED = CLAIM.reading(
    "corrected",
    title="Algorithm 2 with the corrected plan",
    statement=r"Algorithm 2 with Algorithm 1 as in lemma-3.6:corrected is user-level "
    r"$(\varepsilon,\delta)$-DP.",
    expected=CONSISTENT,
    summary="post-processing of lemma-3.6:corrected; the program passes the audit",
    check=check_corrected,
    smoke=grid(T=(3,), epsilon=(1.0,), delta=(0.01,), samples=(40_000,)),
    ci=grid(T=(3,), epsilon=(0.5, 1.0), delta=(0.01,), samples=(200_000,)),
    largest_resolution=2.5,
)
CLAIMS = [PROGRAM, FRESH, CORRECTED]
