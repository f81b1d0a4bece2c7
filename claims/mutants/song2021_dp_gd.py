"""DP-GD of song2021 with planted bugs."""

from __future__ import annotations

import math
from typing import Any

from claims.mutants.mutant import Mutant
from implementations.song2021 import dp_gd

_noise_scale_reference = dp_gd.noise_scale


def half_noise(**parameters: Any) -> float:
    """The reference for a sensitivity of L/n."""
    return 0.5 * _noise_scale_reference(**parameters)


def less_noise(**parameters: Any) -> float:
    """The reference times 0.85."""
    return 0.85 * _noise_scale_reference(**parameters)


def slow_rate(*, radius: float, lipschitz: float, rank: int, noise: float, steps: int) -> float:
    """The reference with √T left out under the outer root: T^(1/4)."""
    return radius / math.sqrt(math.sqrt(steps) * (lipschitz**2 + rank * noise**2))


def steps_not_rooted(**parameters: Any) -> float:
    """The reference times √T."""
    return math.sqrt(parameters["steps"]) * _noise_scale_reference(**parameters)


MUTANTS = [
    Mutant(
        name="song2021-half-noise",
        bug=(
            "Takes L/n for the sensitivity of the averaged gradient: a replaced record is removed and "
            "another one added."
        ),
        replaces="implementations.song2021.dp_gd:noise_scale",
        by=half_noise,
        caught_by=("song2021/theorem-2.6:corrected", "song2021/theorem-2.6:add-remove"),
    ),
    Mutant(
        name="song2021-slow-rate",
        bug="Takes the square root of T twice in the learning rate, so that the risk falls like n^(-1/2).",
        replaces="implementations.song2021.dp_gd:learning_rate",
        by=slow_rate,
        caught_by=("song2021/theorem-3.1:corrected",),
    ),
    Mutant(
        name="song2021-steps-not-rooted",
        bug="Composes T steps linearly: σ grows like T, not like √T. Private, but far too noisy.",
        replaces="implementations.song2021.dp_gd:noise_scale",
        by=steps_not_rooted,
        caught_by=(
            "song2021/theorem-2.7",
            "song2021/theorem-2.7:high-probability",
            "song2021/theorem-3.2",
            "song2021/corollary-5.2",
        ),
    ),
    Mutant(
        name="song2021-less-noise",
        bug="Takes a noise of 0.85 of what is stated: where the formula has slack (ε ≤ 1) it stays private.",
        replaces="implementations.song2021.dp_gd:noise_scale",
        by=less_noise,
        caught_by=("song2021/theorem-2.6:program",),
    ),
    Mutant(
        name="song2021-ascent",
        bug="Adds the gradient in the place of subtracting it: the privacy is the same.",
        replaces="implementations.song2021.dp_gd:iterates",
        swap=("theta - learning_rate", "theta + learning_rate"),
        caught_by=("song2021/theorem-2.6:program", "song2021/theorem-3.1"),
    ),
    Mutant(
        name="song2021-no-projection",
        bug="Forgets the projection to C after a step.",
        replaces="implementations.song2021.dp_gd:iterates",
        swap=("if project is not None:", "if False and project is not None:"),
        caught_by=("song2021/theorem-2.7",),
    ),
    Mutant(
        name="song2021-average-of-one-more",
        bug="Divides the sum of T iterates by T + 1, as if the start were among them.",
        replaces="implementations.song2021.dp_gd:run",
        swap=("printed=(total - first) / steps", "printed=(total - first) / (steps + 1)"),
        caught_by=("song2021/theorem-2.6:program",),
    ),
    Mutant(
        name="song2021-noise-over-root-n",
        bug="Divides the printed noise by √n and not by n.",
        replaces="implementations.song2021.dp_gd:noise_scale",
        swap=(
            "2.0 * steps * math.log(1.0 / delta)) / (n * epsilon)",
            "2.0 * steps * math.log(1.0 / delta)) / (math.sqrt(n) * epsilon)",
        ),
        caught_by=(
            "song2021/theorem-2.7",
            "song2021/theorem-3.1",
            "song2021/theorem-3.2",
        ),
    ),
    Mutant(
        name="song2021-noise-over-epsilon-squared",
        bug="Divides the printed noise by ε², as where ε is taken for ρ.",
        replaces="implementations.song2021.dp_gd:noise_scale",
        swap=(
            "2.0 * steps * math.log(1.0 / delta)) / (n * epsilon)",
            "2.0 * steps * math.log(1.0 / delta)) / (n * epsilon**2)",
        ),
        caught_by=(
            "song2021/theorem-2.7",
            "song2021/theorem-3.1",
            "song2021/theorem-3.2",
        ),
    ),
    Mutant(
        name="song2021-log-not-rooted",
        bug="Leaves log(1/δ) outside the root of the printed noise.",
        replaces="implementations.song2021.dp_gd:noise_scale",
        swap=(
            "math.sqrt(2.0 * steps * math.log(1.0 / delta)) / (n * epsilon)",
            "math.log(1.0 / delta) * math.sqrt(2.0 * steps) / (n * epsilon)",
        ),
        caught_by=(
            "song2021/theorem-2.7",
            "song2021/theorem-3.1",
            "song2021/theorem-3.2",
        ),
    ),
    Mutant(
        name="song2021-calibrated-over-root-n",
        bug="Takes a sensitivity of 2L/√n.",
        replaces="implementations.song2021.dp_gd:sensitivity",
        swap=("return 2.0 * lipschitz / n", "return 2.0 * lipschitz / math.sqrt(n)"),
        caught_by=(
            "song2021/theorem-2.7",
            "song2021/theorem-3.1:corrected",
            "song2021/theorem-4.1-utility:corrected",
        ),
    ),
    Mutant(
        name="song2021-calibrated-without-root-of-steps",
        bug="The calibrated noise of a single step: T steps compose.",
        replaces="implementations.song2021.dp_gd:noise_scale",
        swap=("math.sqrt(steps) / mu_star(epsilon, delta)", "1.0 / mu_star(epsilon, delta)"),
        caught_by=(
            "song2021/theorem-2.6:program",
            "song2021/theorem-4.1-privacy:corrected",
        ),
    ),
    Mutant(
        name="song2021-noise-of-a-norm",
        bug="Multiplies the noise by the root of the dimension, as if σ were meant for its norm.",
        replaces="implementations.song2021.dp_gd:gaussian_noise",
        swap=("scale * rng", "math.sqrt(shape[-1]) * scale * rng"),
        caught_by=(
            "song2021/theorem-2.7",
            "song2021/theorem-3.1",
            "song2021/theorem-4.1-utility:corrected",
        ),
    ),
    Mutant(
        name="song2021-one-noise-for-all-coordinates",
        bug="Draws one number a run and adds it to all coordinates.",
        replaces="implementations.song2021.dp_gd:gaussian_noise",
        swap=("rng.standard_normal(shape)", "rng.standard_normal((*shape[:-1], 1))"),
        caught_by=("song2021/algorithm-1",),
    ),
    Mutant(
        name="song2021-same-noise-in-every-step",
        bug="Draws the noise once and adds it in every step.",
        replaces="implementations.song2021.dp_gd:gaussian_noise",
        swap=(
            "return lambda: scale * rng.standard_normal(shape)",
            "drawn = scale * rng.standard_normal(shape)\n    return lambda: drawn",
        ),
        caught_by=("song2021/algorithm-1",),
    ),
    Mutant(
        name="song2021-truncated-noise",
        bug="Cuts the noise at two deviations, against outliers.",
        replaces="implementations.song2021.dp_gd:gaussian_noise",
        swap=("rng.standard_normal(shape)", "np.clip(rng.standard_normal(shape), -2.0, 2.0)"),
        caught_by=("song2021/algorithm-1",),
    ),
    Mutant(
        name="song2021-projects-only-the-output",
        bug="Projects what is yielded, and goes on from the unprojected iterate.",
        replaces="implementations.song2021.dp_gd:iterates",
        swap=(
            "theta = project(theta)\n        yield theta",
            "yield project(theta)\n            continue\n        yield theta",
        ),
        caught_by=("song2021/algorithm-1",),
    ),
    Mutant(
        name="song2021-last-is-the-average",
        bug="Gives the average where θ_T is asked for.",
        replaces="implementations.song2021.dp_gd:run",
        swap=("last=last)", "last=total / steps)"),
        caught_by=("song2021/algorithm-1",),
    ),
    Mutant(
        name="song2021-whole-space-for-the-span",
        bug="Takes all right singular vectors for a basis of the span.",
        replaces="implementations.song2021.dp_gd:span_basis",
        swap=("rows[singular > tolerance]", "rows"),
        caught_by=("song2021/algorithm-1",),
    ),
    Mutant(
        name="song2021-lipschitz-constant-forgotten",
        bug="The mechanism takes L = 1, whatever the loss is.",
        replaces="implementations.song2021.dp_gd:mechanism",
        swap=("lipschitz=loss.lipschitz", "lipschitz=1.0"),
        caught_by=("song2021/algorithm-1",),
    ),
    Mutant(
        name="song2021-mechanism-without-projection",
        bug="The mechanism takes a constraint set and does not use it.",
        replaces="implementations.song2021.dp_gd:mechanism",
        swap=("domain=domain", "domain=None"),
        caught_by=("song2021/algorithm-1",),
    ),
    Mutant(
        name="song2021-add-remove-doubled",
        bug="Takes the sensitivity of a replacement for one record added or removed.",
        replaces="implementations.song2021.dp_gd:sensitivity",
        swap=(
            "if adjacency is Adjacency.ADD_REMOVE:\n        return lipschitz / n",
            "if adjacency is Adjacency.ADD_REMOVE:\n        return 2.0 * lipschitz / n",
        ),
        caught_by=("song2021/algorithm-1",),
    ),
    Mutant(
        name="song2021-weak-directions-dropped",
        bug="Drops the directions whose singular value is below a hundredth of the largest.",
        replaces="implementations.song2021.dp_gd:span_basis",
        swap=("singular > tolerance", "singular > 0.01 * singular.max()"),
        caught_by=("song2021/algorithm-1",),
    ),
]
