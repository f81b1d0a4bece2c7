"""A wrong exponent in one axis of each rate of song2021, one bug for each claim and axis that it judges."""

from __future__ import annotations

from claims.mutants.mutant import AxisBug, axis_bugs

_NOISE = "implementations.song2021.dp_gd:noise_scale"
_PRINTED = "math.sqrt(2.0 * steps * math.log(1.0 / delta)) / (n * epsilon)"
_SIGNS = "implementations.song2021.hard_instance"

RECORDS: AxisBug = (
    "Noise that falls with √n in place of n.",
    _NOISE,
    (_PRINTED, _PRINTED.replace("(n *", "(math.sqrt(50.0 * n) *")),
)
EPSILON: AxisBug = (
    "Noise that falls with ε² in place of ε.",
    _NOISE,
    (_PRINTED, _PRINTED.replace("epsilon)", "epsilon**2)")),
)
LENGTH: AxisBug = (
    "Noise that grows with log(1/δ) in place of its root.",
    _NOISE,
    (_PRINTED, "math.log(1.0 / delta) * math.sqrt(0.4 * steps) / (n * epsilon)"),
)
DIMENSION: AxisBug = (
    "Noise of a coordinate that grows with the root of the dimension.",
    "implementations.song2021.dp_gd:gaussian_noise",
    ("scale * rng", "math.sqrt(shape[-1]) * scale * rng"),
)
HORIZON: AxisBug = (
    "√T steps in place of T.",
    "implementations.song2021.dp_gd:iterates",
    ("for _ in range(steps):", "for _ in range(round(steps**0.5)):"),
)
SENSITIVITY: AxisBug = (
    "A sensitivity that falls with √n in place of n.",
    "implementations.song2021.dp_gd:sensitivity",
    ("return 2.0 * lipschitz / n", "return 2.0 * lipschitz / math.sqrt(100.0 * n)"),
)
LAPLACE_OF_COORDINATES: AxisBug = (
    "Noise that falls with the root of the number of coordinates.",
    f"{_SIGNS}:laplace_signs",
    ("2.0 / epsilon", "2.0 / epsilon / math.sqrt(sample.zeros.shape[-1])"),
)
LAPLACE_OF_EPSILON: AxisBug = (
    "Noise ∝ 1/√ε in place of 1/ε.",
    f"{_SIGNS}:laplace_signs",
    ("2.0 / epsilon", "2.0 / math.sqrt(epsilon)"),
)

BY_CLAIM: dict[str, dict[str, AxisBug]] = {
    "theorem-2.7": {
        "n": RECORDS,
        "p": DIMENSION,
        "epsilon": EPSILON,
        "log(1/δ)": LENGTH,
        "√(p·log(1/δ))/(εn)": HORIZON,
        "√p/(nμ*)": SENSITIVITY,
    },
    "theorem-3.1": {
        "n": RECORDS,
        "rank": DIMENSION,
        "epsilon": EPSILON,
        "log(1/δ)": LENGTH,
        "bound": HORIZON,
    },
    "theorem-3.2": {
        "n": HORIZON,
        "k": DIMENSION,
        "epsilon": EPSILON,
        "log(1/δ)": LENGTH,
        "1/√n + √(k·log(1/δ))/(εn)": RECORDS,
    },
    "theorem-4.1-utility:corrected": {"n": SENSITIVITY},
    "theorem-3.3": {
        "d": LAPLACE_OF_COORDINATES,
        "epsilon": LAPLACE_OF_EPSILON,
        "1/μ*": (
            "Noise ∝ 1/√μ* in place of 1/μ*.",
            f"{_SIGNS}:gaussian_signs",
            ("2.0 / mu_star(epsilon, delta)", "2.0 / math.sqrt(mu_star(epsilon, delta))"),
        ),
    },
    "theorem-b.1": {"d": LAPLACE_OF_COORDINATES, "epsilon": LAPLACE_OF_EPSILON},
}
"""By claim the axes whose exponents it judges, as its evidence names them."""
SHORT = {
    "log(1/δ)": "length",
    "√(p·log(1/δ))/(εn)": "form",
    "√p/(nμ*)": "calibrated",
    "1/√n + √(k·log(1/δ))/(εn)": "form",
    "1/μ*": "mu",
}

MUTANTS = axis_bugs("song2021", BY_CLAIM, SHORT)
