r"""Proposition 4.10: SGD has average excess R²/(ηT) + ησ², and (β + 1/η)R²/T + ησ²/2 for β-smooth losses.

Two slips of the pen are read as they are meant. Part 1 is printed with $\mathbb E\|x_0-x^*\|\le R^2$, a
first moment against a square; $\mathbb E\|x_1-x^*\|^2\le R^2$ is meant. Part 2 says "with step size η", and
gradient descent on $\beta x^2/2$ diverges for η > 2/β; Bubeck's Theorem 6.3, which is cited, has the step
$1/(\beta+1/\eta)$. Both parts average x₂ … x_{T+1}.

Part 1: the average of $f(x_t)$, t = 1..T, is at most $(R^2-D^2)/(2\eta T)+\eta\sigma^2/2$ with $D^2=\mathbb
E\|x_{T+1}-x^*\|^2$, and moving on by one index costs $(f(x_{T+1})-f^*)/T\le\sigma D/T\le D^2/(2\eta T)+
\eta\sigma^2/(2T)$; together at most $R^2/(2\eta T)+\eta\sigma^2$. Part 2: $f(x_+)\le f(x)+\langle\tilde
g,x_+-x\rangle+ \frac{\beta+1/\eta}2\|x_+-x\|^2+\frac\eta2\|\xi\|^2$ for $\tilde g=\nabla f+\xi$, the
projection with step $1/(\beta+1/\eta)$ gives $\langle\tilde
g,x_+-x^*\rangle\le\frac{\beta+1/\eta}2(\|x-x^*\|^2-\|x_+-x^*\|^2-\|x_+-x\|^2)$, and the sum telescopes to
half of the first term.

With the printed step η itself part 2 holds on $\mathbb R^d$ for $\eta\le1/\beta$, which
Theorem 4.1 respects. Proof: $2\eta\,\mathbb E\langle\nabla f,x-x^*\rangle=\mathbb E\|x-x^*\|^2-\mathbb
E\|x_+-x^*\|^2+ \eta^2(\mathbb E\|\nabla f\|^2+\sigma^2)$ and $f-f^*\le\langle\nabla f,x-x^*\rangle-\|\nabla
f\|^2/(2\beta)$, so that the average over $x_1,\dots,x_T$ is at most $(R^2-D^2)/(2\eta T)+\eta\sigma^2/2$,
and moving on by one index costs at most $\beta D^2/(2T)\le D^2/(2\eta T)$.

How it is checked. Exactly, on
quadratics of every curvature up to β with Gaussian noise, whose second moments follow a linear recursion,
and on G|x| with signs for gradients, by the exact law of the walk.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from claims import CONFIRMED, Claim, Evidence, Kind, Point, at_most, grid
from claims.asi2024 import PAPER


def absolute_excess(start: float, eta: float, steps: int) -> float:
    """Average of |x₂|, …, |x_{T+1}| for gradient descent on |x| from `start`, subgradient 0 at 0."""
    x, total = start, 0.0
    for _ in range(steps):
        x -= eta * float(np.sign(x))
        total += abs(x)
    return total / steps


def quadratic_excess(curvature: float, distance: float, sigma: float, step: float, steps: int) -> float:
    """Average of E λx²/2 over x₂ … x_{T+1} on λx²/2 with gradient noise of variance σ², exactly."""
    second, total = distance**2, 0.0
    for _ in range(steps):
        second = (1.0 - step * curvature) ** 2 * second + (step * sigma) ** 2
        total += 0.5 * curvature * second
    return total / steps


def sign_walk_excess(eta: float, steps: int) -> float:
    """Average of E|x₂|, …, E|x_{T+1}| on |x| from the optimum, where the gradient at 0 is a random sign.

    The walk on multiples of η goes towards 0 from elsewhere; its law is computed exactly.
    """
    law = {0: 1.0}
    total = 0.0
    for _ in range(steps):
        moved: dict[int, float] = {}
        for place, mass in law.items():
            targets = [(1, 0.5), (-1, 0.5)] if place == 0 else [(place - int(np.sign(place)), 1.0)]
            for target, share in targets:
                moved[target] = moved.get(target, 0.0) + mass * share
        law = moved
        total += sum(abs(place) * mass for place, mass in law.items())
    return eta * total / steps


def check(point: Point) -> Iterator[Evidence]:
    """Quadratics of all curvatures, and the walk of signs."""
    steps, eta, sigma = point.T, point.eta, point.sigma
    if point.part == 1:
        yield at_most("signs from the optimum", sign_walk_excess(eta, steps), eta)
        for distance in (0.0, 1.0, 7.3):
            found = absolute_excess(distance, eta, steps)
            yield at_most("gradient descent on |x|", found, distance**2 / (eta * steps) + eta)
        return
    step = 1.0 / (1.0 + 1.0 / eta)  # β = 1
    worst = 0.0
    for curvature in np.linspace(0.0, 1.0, 101):
        for distance in (0.0, 1.0, 30.0):
            claimed = (1.0 + 1.0 / eta) * distance**2 / steps + eta * sigma**2 / 2.0
            worst = max(worst, quadratic_excess(float(curvature), distance, sigma, step, steps) / claimed)
    yield at_most("worst quadratic over the bound", worst, 1.0)
    if eta <= 1.0:  # the printed step itself
        found = [quadratic_excess(float(k), 1.0, sigma, eta, steps) for k in np.linspace(0.0, 1.0, 101)]
        most = 1.0 / (2.0 * eta * steps) + eta * sigma**2 / 2.0
        yield at_most("worst quadratic with the step η ≤ 1/β over R²/(2ηT) + ησ²/2", max(found) / most, 1.0)
    # one step of the proof for quadratics: coefficients of x² and of σ² in it, over all curvatures
    s = np.linspace(0.0, 1.0, 1001) * step
    yield at_most("coefficient of x²", float((s * (1.0 - s) ** 2 - (2.0 * s - s**2)).max()), 1e-15)
    noise = s * step + step  # λγ² + γ, against η
    yield at_most("coefficient of σ²", float(noise.max()), eta)


CLAIM = Claim(
    PAPER,
    "Proposition 4.10",
    "section 4",
    kind=Kind.BOUND,
    title="Convergence of SGD with second moments and Bubeck's step",
    statement=r"If $\mathbb E\|x_1-x^*\|^2\le R^2$ and $\mathbb E\|\tilde g\|^2\le\sigma^2$, SGD with step "
    r"$\eta$ has average excess at most $R^2/(\eta T)+\eta\sigma^2$; if $f$ is $\beta$-smooth and $\mathbb "
    r"E\|\tilde g-\nabla f\|^2\le\sigma^2$, with step $1/(\beta+1/\eta)$ at most "
    r"$(\beta+1/\eta)R^2/T+\eta\sigma^2/2$.",
    expected=CONFIRMED,
    summary="second moment, and step 1/(β + 1/η) in part 2; argument on the page, exact on "
    "quadratics and |x|",
    check=check,
    smoke=grid(part=(1, 2), eta=(0.1, 3.0), T=(1, 10), sigma=(1.0,)),
    ci=grid(part=(1, 2), eta=(0.01, 0.3, 1.0, 10.0), T=(1, 3, 30, 100), sigma=(0.1, 1.0)),
)
