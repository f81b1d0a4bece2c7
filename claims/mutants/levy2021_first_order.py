"""Algorithm 3 of levy2021 with planted bugs: noise of a wrong rate in each axis, budgets, steps, iterates."""

from __future__ import annotations

import math

from claims.mutants.mutant import Mutant
from implementations.levy2021.constants import Constants, Variant, constants_of

ERM = (
    "levy2021/theorem-3-convex",
    "levy2021/theorem-3-strongly-convex",
    "levy2021/theorem-3-nonconvex",
    "levy2021/corollary-2",
    "levy2021/corollary-1",
    "levy2021/theorem-10",
)


def slow_in_users(n: int, epsilon: float, tau: float, constants: Variant | Constants = "paper") -> float:
    """The reference with √n for n, equal to it at n = 1000."""
    return constants_of(constants).noise * tau / (math.sqrt(1000.0 * n) * epsilon)


def no_epsilon(n: int, epsilon: float, tau: float, constants: Variant | Constants = "paper") -> float:
    """The reference at ε = 0.01, whatever ε is."""
    return constants_of(constants).noise * tau / (n * 0.01)


def no_samples(n: int, epsilon: float, tau: float, constants: Variant | Constants = "paper") -> float:
    """The reference at τ = 1: noise that does not know how many samples a user has."""
    return constants_of(constants).noise / (n * epsilon)


def flat_in_dimension(epsilon: float, delta: float, d: int) -> float:
    """The reference without √d: every coordinate spends as if it were alone."""
    return epsilon / math.sqrt(8.0 * math.log(1.0 / delta))


def flat_in_steps(epsilon: float, delta: float, queries: int) -> tuple[float, float]:
    """The reference without √T: every answer spends as if it were alone."""
    return epsilon / (2.0 * math.sqrt(2.0 * math.log(2.0 / delta))), delta / (2.0 * queries)


def half_noise(n: int, epsilon: float, tau: float, constants: Variant | Constants = "paper") -> float:
    return 0.5 * constants_of(constants).noise * tau / (n * epsilon)


_SCALE = "implementations.levy2021.winsorized_mean_1d:noise_scale"
_FIRST = "implementations.levy2021.first_order"

MUTANTS = [
    Mutant(
        name="levy2021-noise-slow-in-users",
        bug="Noise that falls with √n, as for one record of n, in place of n.",
        replaces=_SCALE,
        by=slow_in_users,
        caught_by=ERM,
    ),
    Mutant(
        name="levy2021-noise-without-epsilon",
        bug="Noise that does not depend on ε.",
        replaces=_SCALE,
        by=no_epsilon,
        caught_by=ERM,
    ),
    Mutant(
        name="levy2021-noise-without-samples",
        bug="Noise that does not depend on τ, hence not on m.",
        replaces=_SCALE,
        by=no_samples,
        caught_by=ERM,
    ),
    Mutant(
        name="levy2021-half-noise",
        bug="Half the scale of the Laplace noise.",
        replaces=_SCALE,
        by=half_noise,
        caught_by=(*ERM, "levy2021/heterogeneity", "levy2021/theorem-4:feasible"),
    ),
    Mutant(
        name="levy2021-noise-flat-in-dimension",
        bug="Gives every coordinate the budget of a single one.",
        replaces="implementations.levy2021.composition:printed_coordinate_epsilon",
        by=flat_in_dimension,
        caught_by=ERM,
    ),
    Mutant(
        name="levy2021-noise-flat-in-steps",
        bug="Gives every answer the budget of a single one.",
        replaces="implementations.levy2021.composition:printed_query_budget",
        by=flat_in_steps,
        caught_by=(*ERM[:4], "levy2021/theorem-10"),
    ),
    Mutant(
        name="levy2021-whole-budget-in-every-step",
        bug="Answers every query with the whole (ε, δ) of the run.",
        replaces=f"{_FIRST}:winsorized_first_order",
        swap=("query_budget(epsilon, delta, steps, constants)", "(epsilon, delta)"),
        caught_by=ERM[:4],
    ),
    Mutant(
        name="levy2021-convex-step-ignores-noise",
        bug="Takes the step 1/H of noiseless descent.",
        replaces=f"{_FIRST}:averaged_sgd",
        swap=("noise * math.sqrt(steps / 2.0) / diameter", "0.0 * noise * math.sqrt(steps / 2.0) / diameter"),
        caught_by=("levy2021/theorem-3-convex",),
    ),
    Mutant(
        name="levy2021-strongly-convex-step-of-smoothness",
        bug="Decays the step with 2/(H·s) in place of 2/(μ·s).",
        replaces=f"{_FIRST}:strongly_convex_sgd",
        swap=("2.0 / (strong_convexity * (t", "2.0 / (smoothness * (t"),
        caught_by=("levy2021/theorem-3-strongly-convex", "levy2021/corollary-2"),
    ),
    Mutant(
        name="levy2021-nonconvex-step-ignores-noise",
        bug="Takes the step 1/(2H) however large the noise is.",
        replaces=f"{_FIRST}:nonconvex_sgd",
        swap=("if noise > 0.0:", "if noise < 0.0:"),
        caught_by=("levy2021/theorem-3-nonconvex",),
    ),
    Mutant(
        name="levy2021-last-iterate-for-random",
        bug="Returns the last iterate where the theorem draws one at random.",
        replaces=f"{_FIRST}:nonconvex_sgd",
        swap=("rng.integers(0, len(path), size=path.shape[1])", "np.full(path.shape[1], len(path) - 1)"),
        caught_by=("levy2021/method-steps",),
    ),
    Mutant(
        name="levy2021-one-step-short",
        bug="Stops one step early.",
        replaces=f"{_FIRST}:run_method",
        swap=("range(steps)", "range(steps - 1)"),
        caught_by=ERM[:4],
    ),
    Mutant(
        name="levy2021-average-with-the-start",
        bug="Averages θ₀, …, θ_T in place of θ₁, …, θ_T.",
        replaces="implementations.levy2021.first_order:averaged_sgd",
        swap=("states[1:]", "states"),
        caught_by=(
            "levy2021/method-steps",
            "levy2021/theorem-3-convex",
        ),
    ),
    Mutant(
        name="levy2021-no-projection",
        bug="Leaves the projection out.",
        replaces="implementations.levy2021.first_order:_step",
        swap=(
            "project(state.theta - size(state.step) * gradient)",
            "state.theta - size(state.step) * gradient",
        ),
        caught_by=("levy2021/method-steps",),
    ),
    Mutant(
        name="levy2021-uniform-average",
        bug="Averages the second half with equal weights.",
        replaces="implementations.levy2021.first_order:strongly_convex_sgd",
        swap=("weights = np.arange(len(tail)) + shift", "weights = np.ones(len(tail))"),
        caught_by=(
            "levy2021/method-steps",
            "levy2021/theorem-3-strongly-convex",
        ),
    ),
    Mutant(
        name="levy2021-random-iterate-with-the-last",
        bug="Draws among θ₁, …, θ_T in place of θ₀, …, θ_{T−1}.",
        replaces="implementations.levy2021.first_order:nonconvex_sgd",
        swap=("states[:-1]", "states[1:]"),
        caught_by=(
            "levy2021/method-steps",
            "levy2021/theorem-3-nonconvex",
        ),
    ),
    Mutant(
        name="levy2021-one-draw-for-all-runs",
        bug="Draws one iterate for all runs of a call.",
        replaces="implementations.levy2021.first_order:nonconvex_sgd",
        swap=(
            "rng.integers(0, len(path), size=path.shape[1])",
            "np.full(path.shape[1], rng.integers(0, len(path)))",
        ),
        caught_by=("levy2021/method-steps",),
    ),
]
