r"""Lemma 4.8: two runs of SGD on convex losses stay within 2G√(Σηₜ²) + 2Σηₜaₜ, sums over t ∈ [T − 1].

The trajectories are $(x^t)_{t\in[T]}$, and where they begin is not said. With a common $x^1=y^1$, as in the
cited lemma, $x^T$ is the result of T − 1 steps and the sums have T − 1 terms.

Argument. Let δ be the distance. Monotone
gradients of f′ and $\|\nabla f-\nabla f'\|\le a$ give $\delta_+^2\le\delta^2+2\eta a\delta+4G^2\eta^2$, and
if $\delta\le b+c$ with $b^2=4G^2\sum\eta^2$, $c=2\sum\eta a$ before the step, then also after it, since
$(b_++c_+)^2\ge(b+c)^2+4G^2\eta^2+4\eta a(b+c)$.

How it is checked. The step from (b, c) to (b₊, c₊) on a grid of its four numbers, exactly. Two
trajectories: of linear losses that differ by a, and of $\max(0,x_1,\dots,x_T)$ with and without a tilt so
small that a is nearly 0, where one run stays at 0 and the other moves along a new axis at each step.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np

from claims import CONFIRMED, Claim, Evidence, Kind, Point, at_least, at_most, grid
from claims.asi2024 import PAPER

TILT = 1e-9


def linear_distance(steps: int, eta: float, a: float) -> float:
    """Distance after `steps` steps on ⟨g, x⟩ and ⟨g′, x⟩ with ‖g − g′‖ = a."""
    x = y = 0.0
    for _ in range(steps):
        x, y = x - eta * 0.5 * a, y + eta * 0.5 * a
    return abs(x - y)


def corner_distance(steps: int, eta: float) -> float:
    """Distance after `steps` steps on max(0, x₁, …, x_T), G = 1, and on the same with a tilt of 10⁻⁹."""
    tilt = -TILT * (1.0 + np.arange(steps) / steps) / math.sqrt(steps)
    runs = np.zeros((2, steps))
    for _ in range(steps):
        for k, run in enumerate(runs):
            gradient = np.zeros(steps) if k == 0 else tilt.copy()
            top = int(run.argmax())
            if run[top] > 0.0:
                gradient[top] += 1.0
            runs[k] = run - eta * gradient
    return float(np.linalg.norm(runs[0] - runs[1]))


def bound(terms: int, eta: float, a: float) -> float:
    """2G√(Σ η²) + 2Σηa with this many equal terms, G = 1."""
    return 2.0 * eta * math.sqrt(terms) + 2.0 * eta * a * terms


def induction_gap() -> float:
    """Largest excess of the distance after a step over b₊ + c₊, for δ = b + c, over a grid of b, c, ηG and
    ηa."""
    values = np.concatenate([[0.0], np.geomspace(1e-6, 1e6, 25)])
    worst = -math.inf
    for b, c in itertools.product(values, values):
        step, drift = np.meshgrid(values, values)
        drift = np.minimum(drift, 2.0 * step)  # a ≤ 2G
        distance = np.sqrt((b + c) ** 2 + 2.0 * drift * (b + c) + 4.0 * step**2)
        allowed = np.sqrt(b**2 + 4.0 * step**2) + c + 2.0 * drift
        worst = max(worst, float((distance / np.maximum(allowed, 1e-300)).max()))
    return worst


def check(point: Point) -> Iterator[Evidence]:
    """The induction, and trajectories of T − 1 steps against the sums with T − 1 terms."""
    yield at_most("distance after a step over b₊ + c₊", induction_gap(), 1.0)
    steps = point.T - 1
    claimed = bound(steps, point.eta, point.a)
    yield at_most("‖x^T − y^T‖, linear", linear_distance(steps, point.eta, point.a), claimed, decides=False)
    if steps > 0:
        corner = corner_distance(steps, point.eta)
        yield at_most("‖x^T − y^T‖, corners", corner, bound(steps, point.eta, 2.0 * TILT), decides=False)
        if steps >= 10:
            yield at_least("corners, over 2Gη√(T − 1)", corner / (2.0 * point.eta * math.sqrt(steps)), 0.4)


CLAIM = Claim(
    PAPER,
    "Lemma 4.8",
    "section 4",
    kind=Kind.BOUND,
    title="Stability of SGD from a common first point",
    statement=r"For $x^t=\Pi(x^{t-1}-\eta\nabla f(x^{t-1}))$, $y^t=\Pi(y^{t-1}-\eta\nabla f'(y^{t-1}))$, "
    r"$t=2,\dots,T$, $x^1=y^1$, convex $G$-Lipschitz $f,f'$ and $\|\nabla f(x^t)-\nabla f'(x^t)\|\le "
    r"a_t\le2G$: $\|x^T-y^T\|\le2G\sqrt{\sum_{t\in[T-1]}\eta_t^2}+2\sum_{t\in[T-1]}\eta_ta_t$.",
    expected=CONFIRMED,
    summary="the trajectories are $(x^t)_{t\\in[T]}$, so that T − 1 steps and T − 1 terms agree",
    check=check,
    smoke=grid(T=(1, 21), eta=(0.1,), a=(0.5,)),
    ci=grid(T=(1, 2, 20, 200), eta=(0.01, 1.0), a=(0.0, 0.5, 2.0)),
)
