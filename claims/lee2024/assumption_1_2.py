r"""Assumption 1.2: there is C > 0 such that every loss ℓ(·; z) has its minimiser within C of the origin.
Appendix E.1 takes from it that ‖θ*‖ ≤ C for the minimiser θ* of the empirical risk.

On the line that is true: to the right of C all losses grow. In the plane it is not, and there is no bound at
all. Let ℓ_i(θ) = max(|⟨u_i, θ − p_i⟩|, s‖θ − p_i‖), i = 1, 2, with p = (0, ±1), the lines ⟨u_i, θ − p_i⟩ = 0
meeting at (D, 0), ‖u_i‖ = 1, s = 1/(2D). Each is convex, 1-Lipschitz, and least at p_i alone, so C = 1; for
half of the records each, the risk is least near (2D/3, 0): at (6.63, 0), (66.7, 0) and (667, 0) for D = 10,
100 and 1000. All points with ‖θ‖ ≤ 1 are worse by 0.56 at D = 10, and by ⅔ as D grows.

Theorem 2.2 has Assumption 1.2 as its hypothesis, with k = d = 2 and G_2 = 0 here. The regulariser, which is
made for ‖θ*‖ ≤ C, keeps θ near the origin: for D = 1000 the expected excess is 0.667 whatever n is, which is
14, 139 and 1,390 times GC√(k·log(1/δ))/(nε) at nε = 10², 10³ and 10⁴ (`theorem-2.2-utility:assumption-1.2`).

In favour of the text: Theorem 3.1 takes C = ‖θ*‖ with θ* a minimiser of L(θ; D). With this C in place of
Assumption 1.2 the step is true by definition, and Theorem 2.2 stands (`theorem-2.2-utility`, and on these
losses `theorem-2.2-utility:empirical-minimiser`).

How it is checked. The risk is even in θ₂ and convex, so it is least on the line θ₂ = 0, where it is a maximum
of |D − θ₁|/√(1 + D²) and s√(1 + θ₁²): the minimiser is a root. `theorem-2.2-utility:assumption-1.2` has the
excess. `:line` takes random convex piecewise-linear losses on the line in rational arithmetic."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from claims import CONFIRMED, REFUTED, Claim, Evidence, Finding, Kind, Point, Weight, at_most, equals, grid
from claims.lee2024 import PAPER

Array = np.ndarray


def risk(x: Array | float, y: Array | float, far: float) -> Array:
    """The mean of the two losses at (x, y); their lines meet at (far, 0)."""
    total = np.zeros(np.broadcast(x, y).shape)
    for sign in (1.0, -1.0):
        line = np.abs(np.asarray(x) + sign * far * (y - sign)) / math.hypot(1.0, far)
        total = total + np.maximum(line, np.hypot(x, np.asarray(y) - sign) / (2.0 * far))
    return total / 2.0


def minimiser(far: float) -> float:
    """θ₁* > 0 with (D − θ₁)/√(1 + D²) = √(1 + θ₁²)/(2D): the falling part meets the growing one."""
    from scipy.optimize import brentq

    root = brentq(
        lambda x: (far - x) / math.hypot(1.0, far) - math.hypot(1.0, x) / (2.0 * far), 0.0, far, xtol=1e-13
    )
    return float(root)  # pyright: ignore


def check(point: Point) -> Iterator[Evidence]:
    far = point.far
    best = minimiser(far)
    yield at_most("norm of the minimiser of the risk", best, 1.0, point=point.axes)
    angle = np.linspace(0.0, math.pi, 2001)[:, None]
    radius = np.linspace(0.0, 1.0, 201)
    inside = float(risk(radius * np.cos(angle), radius * np.sin(angle), far).min())
    excess = inside - float(risk(best, 0.0, far))
    yield at_most("least excess risk within C", excess, 1e-3, point=point.axes)


def check_instance(point: Point) -> Iterator[Evidence]:
    """Convexity, slopes and minimisers of the risk, at points of all sizes; the losses by their own
    formulas."""
    rng = np.random.default_rng(67)
    far = point.far
    x, y = (
        far * 10.0 ** rng.uniform(-3.0, 1.0, (2, 4000)) * rng.choice([-1.0, 1.0], (2, 4000)) for _ in range(2)
    )
    middle = 0.5 * (x + y)
    ends = [risk(points[0], points[1], far) for points in (x, y)]
    bend = risk(middle[0], middle[1], far) - 0.5 * (ends[0] + ends[1])
    yield at_most("risk at a midpoint − mean of the ends", float(bend.max()), 1e-9 * far, point=point.axes)
    slope = np.abs(ends[0] - ends[1]) / np.linalg.norm(x - y, axis=0)
    yield at_most("largest slope of the risk", float(slope.max()), 1.0 + 1e-9, point=point.axes)
    at_p = float(risk(0.0, 1.0, far))
    yield equals("risk at p_1, where the first loss is 0", at_p, _other(far), error=1e-12, point=point.axes)
    best = minimiser(far)
    around = risk(best + far * rng.uniform(-0.5, 0.5, 4000), far * rng.uniform(-0.5, 0.5, 4000), far)
    least = float(risk(best, 0.0, far))
    yield at_most("risk at the minimiser − least nearby", least - float(around.min()), 1e-9, point=point.axes)


def _other(far: float) -> float:
    """Half of the second loss at p_1 = (0, 1): its line is at the distance 2D/√(1 + D²)."""
    return 0.5 * max(2.0 * far / math.hypot(1.0, far), 1.0 / far)


Hinges = list[tuple[Fraction, Fraction, Fraction, Fraction, Fraction]]


def nearest_minimiser(losses: Hinges) -> Fraction:
    """The norm of the minimiser nearest to 0 of the sum of losses on the line, which is piecewise linear."""
    kinks = sorted({k for c, *_, r in losses for k in (c - r, c, c + r)})
    values = [
        sum(
            (
                max(a * (c - x), b * (x - c)) + w * max(Fraction(0), abs(x - c) - r)
                for c, a, b, w, r in losses
            ),
            Fraction(0),
        )
        for x in kinks
    ]
    least = min(values)
    return min(abs(x) for x, v in zip(kinks, values, strict=True) if v == least)


def check_line(point: Point) -> Iterator[Evidence]:
    """Losses max(a(c − x), b(x − c)) + w·max(0, |x − c| − r) with c in [−1, 1], in rational arithmetic."""
    rng = np.random.default_rng(29)
    furthest = Fraction(0)
    for _ in range(point.families):
        rows = [
            [Fraction(int(v)) for v in (rng.integers(-8, 9), *rng.integers(1, 9, 4))]
            for _ in range(int(rng.integers(1, 6)))
        ]
        furthest = max(furthest, nearest_minimiser([(c / 8, a, b, w, r / 4) for c, a, b, w, r in rows]))
    yield at_most("norm of the minimiser of the risk nearest to 0", furthest, Fraction(1), point=point.axes)


CLAIM = Claim(
    PAPER,
    "Assumption 1.2",
    "section 1.1",
    kind=Kind.BOUND,
    title="Minimisers of single losses and of their mean",
    statement=r"""If each loss $\ell(\cdot;z)$ has its minimiser within $C$ of the origin, then the minimiser
$\theta^*$ of the empirical risk has $\|\theta^*\|\le C$ (appendix E.1: "By Assumption 1.2, we know
$\|\theta^*\|\le C$").""",
    expected=REFUTED,
    check=check,
    smoke=grid(far=10.0),
    ci=grid(far=(10.0, 100.0, 1000.0)),
    finding=Finding(
        Weight.THEOREM,
        what=r"""The assumption bounds the minimiser of each loss, and in two dimensions that does not bound
the minimiser of their mean. Two convex 1-Lipschitz losses in the plane, each least at a point of norm $1=C$,
have a mean that is least at $(6.63,0)$, $(66.7,0)$ or $(667,0)$, depending on a parameter. Theorem 2.2, which
has this assumption as its hypothesis, then falls: in the last case the expected excess is $0.667$ whatever
$n$ is, 14, 139 and 1390 times the bound at $n\varepsilon=10^2,10^3,10^4$.""",
        favour=r"""Theorem 3.1 takes $C=\|\theta^*\|$ for a minimiser $\theta^*$ of $L(\theta;D)$. If that is
meant in Assumption 1.2 as well, the step is true and nothing contradicts Theorem 2.2: runs of the exact
sampler on sums of absolute values keep its bound (`theorem-2.2-utility`). On the losses above it holds
by quadrature of the exact law (`theorem-2.2-utility:empirical-minimiser`). The finding is about the
assumption, not about the method.""",
        survives=r"""The step for $d=1$, and Theorem 2.2 with the minimiser of the empirical risk
within $C$ of the origin as its hypothesis.""",
    ),
)
LINE = CLAIM.reading(
    "line",
    title="Minimisers on the line",
    statement=r"""The same for $d=1$: losses on the line with minimisers in $[-C,C]$ have a mean that is least
somewhere in $[-C,C]$.""",
    expected=CONFIRMED,
    check=check_line,
    smoke=grid(families=100),
    ci=grid(families=300),
    summary="True on the line.",
)
INSTANCE = CLAIM.reading(
    "instance",
    title="The two losses and their mean",
    statement=r"""The risk of the two losses is convex and 1-Lipschitz, is half of the second loss at $p_1$,
where the first is 0, and is least at the root that `assumption-1.2` takes.""",
    expected=CONFIRMED,
    check=check_instance,
    summary="The counterexample is convex and 1-Lipschitz, and least where it is said to be.",
)
CLAIMS = [LINE, INSTANCE]
