"""DP-SGD of asi2024 (Algorithm 2) with planted bugs."""

from __future__ import annotations

from claims.mutants.mutant import Mutant

_MODULE = "implementations.asi2024.dp_sgd"
MUTANTS = [
    Mutant(
        name="asi2024-radius-of-one-item",
        bug="Leaves √m out of the concentration radius, as for item-level privacy.",
        replaces=f"{_MODULE}:printed_parameters",
        swap=("+ epsilon) / math.sqrt(m)", "+ epsilon)"),
        caught_by=("asi2024/theorem-4.1-utility:corrected",),
    ),
    Mutant(
        name="asi2024-inner-delta-not-split",
        bug="Passes δ to Algorithm 1 in place of δ/(2Tmnd).",
        replaces=f"{_MODULE}:mean_plan",
        swap=("delta / (2.0 * t * m * n * d)", "delta"),
        caught_by=("asi2024/theorem-4.1-utility:corrected",),
    ),
    Mutant(
        name="asi2024-plan-of-one-step",
        bug="Makes the noise for one query: Algorithm 1 is set up anew at each step.",
        replaces=f"{_MODULE}:mean_plan",
        swap=("printed_plan(n, t, epsilon", "printed_plan(n, 1, epsilon"),
        caught_by=("asi2024/theorem-4.1-utility:corrected",),
    ),
    Mutant(
        name="asi2024-gradient-ascent",
        bug="Adds the gradient.",
        replaces=f"{_MODULE}:dp_sgd",
        swap=("theta - parameters.step_size", "theta + parameters.step_size"),
        caught_by=(
            "asi2024/theorem-4.11:corrected",
            "asi2024/theorem-4.1-utility:corrected",
            "asi2024/table-1",
        ),
    ),
    Mutant(
        name="asi2024-no-projection",
        bug="Leaves the projection out.",
        replaces=f"{_MODULE}:dp_sgd",
        swap=(
            "project(theta - parameters.step_size * answer.values)",
            "theta - parameters.step_size * answer.values",
        ),
        caught_by=("asi2024/theorem-4.1-utility:corrected",),
    ),
    Mutant(
        name="asi2024-average-not-divided",
        bug="Divides the sum of the iterates by T + 1.",
        replaces=f"{_MODULE}:dp_sgd",
        swap=("total / parameters.steps", "total / (parameters.steps + 1.0)"),
        caught_by=("asi2024/lemma-4.9:corrected", "asi2024/theorem-4.1-utility:corrected"),
    ),
    Mutant(
        name="asi2024-step-not-taken",
        bug="Starts every step at θ₀.",
        replaces=f"{_MODULE}:dp_sgd",
        swap=("project(theta - parameters", "project(start - parameters"),
        caught_by=("asi2024/lemma-4.9:corrected", "asi2024/theorem-4.11:corrected"),
    ),
    Mutant(
        name="asi2024-one-point-for-all-items",
        bug="Draws one y for all items of a user.",
        replaces=f"{_MODULE}:smoothed_gradients",
        swap=("(trials, 1 if shared else n, m), d", "(trials, 1 if shared else n, 1), d"),
        caught_by=("asi2024/algorithm-2:smoothing",),
    ),
    Mutant(
        name="asi2024-points-drawn-once",
        bug="Draws the same points of the smoothing at every step.",
        replaces=f"{_MODULE}:smoothed_gradients",
        swap=("n, m), d, radius, rng)", "n, m), d, radius, np.random.default_rng(0))"),
        caught_by=("asi2024/algorithm-2:smoothing",),
    ),
    Mutant(
        name="asi2024-gradient-at-the-start",
        bug="Asks every gradient at θ₀.",
        replaces=f"{_MODULE}:dp_sgd",
        swap=(
            "means.answer(user_gradients(theta))",
            "means.answer(user_gradients(np.array(start, dtype=float)))",
        ),
        caught_by=("asi2024/algorithm-2",),
    ),
    Mutant(
        name="asi2024-average-with-growing-weights",
        bug="Averages the iterates with weights that grow with t.",
        replaces=f"{_MODULE}:dp_sgd",
        swap=(
            'if average == "after":\n            total += theta',
            'if average == "after":\n            total += theta * 2.0 * (_ + 1.0) / (parameters.steps + 1.0)',
        ),
        caught_by=("asi2024/algorithm-2",),
    ),
    Mutant(
        name="asi2024-average-after-only",
        bug="Averages nothing for the printed average.",
        replaces=f"{_MODULE}:dp_sgd",
        swap=('if average == "before":', 'if average == "never":'),
        caught_by=("asi2024/algorithm-2",),
    ),
    Mutant(
        name="asi2024-halted-run-returns-the-average",
        bug="Returns the average where a run has halted, in place of θ₀.",
        replaces=f"{_MODULE}:dp_sgd",
        swap=("np.where(means.running[:, None], mean, start)", "mean"),
        caught_by=("asi2024/algorithm-2",),
    ),
    Mutant(
        name="asi2024-instance-ignored",
        bug="Uses one AboveThreshold also where a new one a step is asked for.",
        replaces=f"{_MODULE}:dp_sgd",
        swap=("rng, instance=instance)", "rng)"),
        caught_by=("asi2024/algorithm-2:halting",),
    ),
    Mutant(
        name="asi2024-algorithm-1-set-up-anew",
        bug="Sets Algorithm 1 up anew at each step, with the noise of T queries.",
        replaces=f"{_MODULE}:dp_sgd",
        swap=(
            "        answer = means.answer(",
            "        means = OutlierRemovingMean(plan, theta.shape[0], rng)\n        answer = means.answer(",
        ),
        caught_by=("asi2024/algorithm-2:halting", "asi2024/algorithm-2"),
    ),
    Mutant(
        name="asi2024-smoothing-radius-root-d",
        bug="Takes √d for d^{1/4} in the smoothing radius.",
        replaces=f"{_MODULE}:printed_parameters",
        swap=("d**0.25", "d**0.5"),
        caught_by=("asi2024/algorithm-2:parameters", "asi2024/algorithm-3"),
    ),
    Mutant(
        name="asi2024-step-size-of-two-terms",
        bug="Leaves √(nm)/T out of the minimum of the step size.",
        replaces=f"{_MODULE}:printed_parameters",
        swap=(", math.sqrt(n * m) / t)", ")"),
        caught_by=("asi2024/algorithm-2:parameters", "asi2024/algorithm-3"),
    ),
    Mutant(
        name="asi2024-radius-without-steps",
        bug="Leaves T out of the logarithm of τ.",
        replaces=f"{_MODULE}:printed_parameters",
        swap=("n * d * m * t", "n * d * m"),
        caught_by=("asi2024/algorithm-2:parameters", "asi2024/algorithm-3"),
    ),
    Mutant(
        name="asi2024-delta-not-divided-by-steps",
        bug="Passes δ/(2mnd) to Algorithm 1, without T.",
        replaces=f"{_MODULE}:mean_plan",
        swap=("2.0 * t * m * n * d", "2.0 * m * n * d"),
        caught_by=("asi2024/algorithm-2:parameters",),
    ),
    Mutant(
        name="asi2024-epsilon-halved-twice",
        bug="Passes ε/2 to Algorithm 1, which halves it again.",
        replaces=f"{_MODULE}:mean_plan",
        swap=("t, epsilon,", "t, epsilon / 2.0,"),
        caught_by=("asi2024/algorithm-2:parameters",),
    ),
    Mutant(
        name="asi2024-steps-of-nm",
        bug="Takes T = mn + mn√d steps.",
        replaces=f"{_MODULE}:printed_steps",
        swap=("(m * n) ** 2", "m * n"),
        caught_by=("asi2024/table-1:work", "asi2024/algorithm-2:parameters"),
    ),
]
