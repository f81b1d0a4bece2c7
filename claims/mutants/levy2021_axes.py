"""A wrong exponent in one axis of each rate of levy2021, one bug for each claim and axis that it judges."""

from __future__ import annotations

from claims.mutants.mutant import AxisBug, axis_bugs

_SCALE = "implementations.levy2021.winsorized_mean_1d:noise_scale"
_COORDINATE = "implementations.levy2021.composition:printed_coordinate_epsilon"
_ANSWER = "implementations.levy2021.composition:printed_query_budget"
_PLAN = "implementations.levy2021.winsorized_mean_highd:highd_plan"
_GAUSSIAN = "implementations.levy2021.gaussian_mean"
_METHODS = "implementations.levy2021.first_order"
_SIGNS = "implementations.levy2021.users:SignPopulation.user_means"

USERS: AxisBug = (
    "Noise that falls with √n in place of n.",
    _SCALE,
    ("tau / (n * epsilon)", "tau / (math.sqrt(1000.0 * n) * epsilon)"),
)
SAMPLES: AxisBug = (
    "A radius that falls with the fourth root of m, at every d, in place of √m.",
    _PLAN,
    ("radius = 10.0 * tau * math", "radius = 10.0 * math.sqrt(tau * math.sqrt(dimension)) * math"),
)
SAMPLES_OF_MEANS: AxisBug = (
    "A radius that falls with the fourth root of m in place of √m, where τ knows nothing of d.",
    _PLAN,
    ("radius = 10.0 * tau * math", "radius = 10.0 * math.sqrt(0.01 * tau) * math"),
)
DIMENSION: AxisBug = (
    "A budget of a coordinate that falls with d in place of √d.",
    _COORDINATE,
    ("8.0 * d *", "8.0 * d**2 *"),
)
FLAT_DIMENSION: AxisBug = (
    "A budget of a coordinate that does not know d.",
    _COORDINATE,
    ("8.0 * d *", "8.0 *"),
)
EPSILON: AxisBug = (
    "A budget of an answer that falls with ε to the power 3/2.",
    _ANSWER,
    ("return epsilon / (2.0", "return 0.5 * epsilon**1.5 / (2.0"),
)
FLAT_EPSILON: AxisBug = (
    "A budget of an answer that falls with √ε.",
    _ANSWER,
    ("return epsilon / (2.0", "return 2.0 * epsilon**0.5 / (2.0"),
)
EPSILON_OF_ONE: AxisBug = (
    "A budget of a coordinate that falls with ε to the power 3/2.",
    _COORDINATE,
    ("return epsilon /", "return epsilon**1.5 /"),
)
STEPS: AxisBug = (
    "A budget of an answer that does not know T.",
    _ANSWER,
    ("2.0 * queries * math", "2.0 * math"),
)
HORIZON: AxisBug = (
    "√T steps in place of T.",
    f"{_METHODS}:run_method",
    ("range(steps)", "range(round(steps**0.5))"),
)
LONG_HORIZON: AxisBug = (
    "T^(3/2) steps in place of the T over which the budget is split.",
    f"{_METHODS}:run_method",
    ("range(steps)", "range(round(steps**1.5))"),
)
NOISE = {"n": USERS, "m": SAMPLES, "d": FLAT_DIMENSION, "epsilon": FLAT_EPSILON, "steps": STEPS}
"""Where the program refuses users that are too few, smaller budgets would crash it: these are larger."""

_TAIL = f"{_METHODS}:strongly_convex_sgd"
STRONG_CONVEXITY: AxisBug = (
    "A decaying step ∝ 1/√μ in place of 1/μ.",
    _TAIL,
    ("2.0 / (strong_convexity * (t", "1.5 / (math.sqrt(strong_convexity) * (t"),
)
CONDITION: AxisBug = (
    "A decaying step and weights that know κ by its square.",
    _TAIL,
    ("2.0 * smoothness / strong_convexity\n", "4.0 * (smoothness / strong_convexity) ** 2\n"),
)
STRONGLY_CONVEX = {"strong_convexity": STRONG_CONVEXITY, "condition": CONDITION}

_NONCONVEX = f"{_METHODS}:nonconvex_sgd"
_CONVEX = f"{_METHODS}:averaged_sgd"

BY_CLAIM: dict[str, dict[str, AxisBug]] = {
    "theorem-10": NOISE,
    "theorem-3-convex": {
        **NOISE,
        "horizon": HORIZON,
        "smoothness": (
            "A step that falls with √H.",
            _CONVEX,
            ("1.0 / (smoothness +", "1.0 / (math.sqrt(smoothness) +"),
        ),
        "step-of-noise": (
            "A step that falls with T in place of √T.",
            _CONVEX,
            ("noise * math.sqrt(steps / 2.0)", "noise * steps"),
        ),
    },
    "theorem-3-strongly-convex": {**NOISE, "horizon": LONG_HORIZON, **STRONGLY_CONVEX},
    "corollary-2": {**NOISE, "horizon": LONG_HORIZON, **STRONGLY_CONVEX},
    "theorem-3-nonconvex": {
        **NOISE,
        "horizon": HORIZON,
        "smoothness": (
            "A step ∝ H^(−3/4) in place of √(1/H).",
            _NONCONVEX,
            ("(smoothness * noise**2", "((2.0 * smoothness) ** 1.5 * noise**2"),
        ),
        "gap": (
            "A step that grows with the fourth root of Δ.",
            _NONCONVEX,
            ("math.sqrt(gap /", "math.sqrt(math.sqrt(gap) /"),
        ),
        "step-of-noise": (
            "A step that falls with T in place of √T.",
            _NONCONVEX,
            ("noise**2 * steps", "noise**2 * steps**2"),
        ),
        "height": (
            "A step without noise ∝ 1/√H.",
            _NONCONVEX,
            ("size = 1.0 / (2.0 * smoothness)", "size = 1.0 / (3.0 * math.sqrt(smoothness))"),
        ),
    },
    "theorem-4:feasible": {
        "n": USERS,
        "m": SAMPLES,
        "d": DIMENSION,
        "epsilon": EPSILON,
        "statistical-n": (
            "A regulariser that knows the number of samples by its fourth root.",
            "implementations.levy2021.phased_erm:phases",
            ("p.lipschitz * least / (p.n * p.m)", "p.lipschitz * least / math.sqrt(p.n * p.m)"),
        ),
    },
    "corollary-1": {"n": USERS, "m": SAMPLES_OF_MEANS, "d": DIMENSION, "epsilon": EPSILON_OF_ONE},
    "theorem-5": {
        "n": (
            "Noise that falls with n^(3/2).",
            f"{_GAUSSIAN}:gaussian_scale",
            ("2.0 * reach / (n *", "2.0 * reach / (0.2 * n**1.5 *"),
        ),
        "m": (
            "Noise ∝ the square of the radius, at every d: it falls with m in place of √m.",
            f"{_GAUSSIAN}:gaussian_scale",
            ("2.0 * reach / (n *", "2.0 * reach * min(1.0, reach / 20.0) / (n *"),
        ),
        "d": (
            "Noise of one length in all dimensions.",
            f"{_GAUSSIAN}:gaussian_mean",
            ("scale * rng", "scale * (64.0 / clipped.shape[-1]) ** 0.5 * rng"),
        ),
        "mu": (
            "Noise ∝ 1/√μ*.",
            f"{_GAUSSIAN}:gaussian_scale",
            ("float(mu_star(epsilon, delta))", "float(mu_star(epsilon, delta)) ** 0.5"),
        ),
    },
    "proposition-1": {
        "n": (
            "User means that lie further apart where there are more users.",
            _SIGNS,
            ("step = self.radius /", "step = math.sqrt(n) * self.radius /"),
        ),
        "m": (
            "Means of √m samples.",
            _SIGNS,
            (
                "return step * (2.0 * rng.binomial(m, up, size=shape) / m - 1.0)",
                "return step * (2.0 * rng.binomial(math.isqrt(m), up, size=shape) / math.isqrt(m) - 1.0)",
            ),
        ),
        "d": (
            "Coordinates of samples that grow with d.",
            _SIGNS,
            ("math.sqrt(self.dimension)", "self.dimension**0.25"),
        ),
    },
}  # fmt: skip

MUTANTS = axis_bugs("levy2021", BY_CLAIM)
