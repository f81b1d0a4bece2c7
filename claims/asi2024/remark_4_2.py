r"""Remark 4.2: with a random start of E‖θ₀ − θ*‖² ≤ R′² the bound of Theorem 4.1 holds with R′ for R.

The remark takes θ* = argmin L_D, and the proof of Theorem 4.11 uses it with the minimiser of L_P. Both are
right. One step of noisy gradient descent gives, for every comparator c, E‖x_{t+1} − c‖² ≤ E‖x_t − c‖² −
2ηE(f(x_t) − f(c)) + η²(…), so that Proposition 4.10 holds for every comparator with E‖x₀ − c‖² in the place
of R²; the mean over the start is the second moment. With c the population minimiser, E L_D(c) = L_P(c), and
the empirical minimum need not be named at all.

Remark 4.3: other smoothings avoid the extension of the domain, the Moreau envelope
e_λ for one. For a convex G-Lipschitz ℓ, ℓ − G²λ/2 ≤ e_λ ≤ ℓ, e_λ is 1/λ-smooth, G-Lipschitz, and its minimum
over Θ needs ℓ on Θ only. At the smoothness G√d/r of Lemma 2.5 it is off by Gr/(2√d) at most, less than the
Gr of the smoothing over a ball.

How it is checked. Remark 4.2: by the exact recursion of second moments for quadratics of all
curvatures up to β, starts with two values, and comparators that are not the minimiser. Remark 4.3: for the
absolute value and a kinked function on an interval, against the minimum over a fine grid.

What it does not see. Algorithm 2 does not run from a random start: that Theorem 4.1 holds with R′ follows
from the inequality that is checked, by the argument above.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from claims import CONFIRMED, Claim, Evidence, Kind, Point, at_least, at_most, equals, grid
from claims.asi2024 import PAPER


def excess(
    curvatures: np.ndarray, start: np.ndarray, sigma: float, eta: float, steps: int, comparator: float
) -> np.ndarray:
    """The mean over t = 1 … T of E f(x_t) − f(c), f = ½·curvature·x², x₀ one of the values of `start`."""
    second, total = np.full(curvatures.shape, float((start**2).mean())), np.zeros(curvatures.shape)
    for _ in range(steps):
        second = (1.0 - eta * curvatures) ** 2 * second + (eta * sigma) ** 2
        total += 0.5 * curvatures * (second - comparator**2)
    return total / steps


def check(point: Point) -> Iterator[Evidence]:
    """The excess over E‖x₀ − c‖²/(2ηT) + ησ²/2, η ≤ 1/β = 1: the worst of curvatures, starts, comparators."""
    worst = -math.inf
    for start in ([0.0, 6.0], [2.0, 2.0], [-3.0, 5.0], [0.0, 0.0]):
        for comparator in (0.0, 0.5, 2.0, -1.0):
            x = np.array(start)
            moment = float(((x - comparator) ** 2).mean())
            bound = moment / (2.0 * point.eta * point.T) + point.eta * point.sigma**2 / 2.0
            found = excess(np.linspace(0.01, 1.0, 34), x, point.sigma, point.eta, point.T, comparator)
            worst = max(worst, float(found.max()) / max(bound, 1e-300))
    yield at_most("worst excess over E‖x₀ − c‖²/(2ηT) + ησ²/2", worst, 1.0 + 1e-9)
    if point.eta * point.T >= 1.0:
        yield at_least("the same, so that the bound is not empty", worst, 0.2)


def envelope(loss: np.ndarray, grid_points: np.ndarray, x: np.ndarray, smoothing: float) -> np.ndarray:
    """min over y of ℓ(y) + (x − y)²/(2λ), on a grid of the domain."""
    return (loss[None, :] + (x[:, None] - grid_points[None, :]) ** 2 / (2.0 * smoothing)).min(axis=1)


def check_envelope(point: Point) -> Iterator[Evidence]:
    """The envelope of two 1-Lipschitz functions on [−1, 1], at the smoothness √d/r of Lemma 2.5."""
    smoothing = point.r / math.sqrt(point.d)
    y = np.linspace(-1.0, 1.0, 20_001)
    x = np.linspace(-1.0, 1.0, 401)
    fine = (y[1] - y[0]) ** 2 / (8.0 * smoothing) + (y[1] - y[0])
    huber = np.where(np.abs(x) <= smoothing, x**2 / (2.0 * smoothing), np.abs(x) - 0.5 * smoothing)
    for name, loss, at in (
        ("|x|", np.abs(y), np.abs(x)),
        ("max(x/2, −x)", np.maximum(0.5 * y, -y), np.maximum(0.5 * x, -x)),
    ):
        found = envelope(loss, y, x, smoothing)
        gap = at - found
        yield at_most(
            f"largest ℓ − e_λ of {name} over Gr/(2√d)", float(gap.max()) / (0.5 * smoothing), 1.0 + 1e-9
        )
        yield at_most(f"largest e_λ − ℓ of {name}", float(-gap.min()), fine)
        bend = np.diff(found, 2) / (x[1] - x[0]) ** 2
        yield at_most(
            f"largest curvature of e_λ of {name} over √d/r",
            float(bend.max()) * smoothing,
            1.05,
            decides=False,
        )
        slope = np.abs(np.diff(found)) / (x[1] - x[0])
        yield at_most(f"largest slope of e_λ of {name}", float(slope.max()), 1.0 + 1e-6)
        if name == "|x|":
            away = float(np.abs(found - huber).max())
            yield equals("distance of e_λ of |x| to the Huber function", away, 0.0, error=2.0 * fine)


CLAIM = Claim(
    PAPER,
    "Remark 4.2",
    "section 4",
    name="remark-4.2",
    kind=Kind.BOUND,
    title="A random start costs its second moment, about any comparator",
    statement=r"For $\eta\le1/\beta$, a random start $x_0$ and every $c$ the average of $T$ steps of SGD on "
    r"a convex $\beta$-smooth $f$ with noise of variance $\sigma^2$ has $\mathbb E f-f(c)\le\mathbb "
    r"E\|x_0-c\|^2/(2\eta T)+\eta\sigma^2/2$: Theorem 4.1 holds with $R'$ for $\hat R$, for the minimiser "
    r"of $L_D$ and for that of $L_P$.",
    expected=CONFIRMED,
    summary="for every comparator; argument on the page, quadratics by their exact recursion",
    check=check,
    smoke=grid(eta=(0.1, 1.0), sigma=(0.0, 1.0), T=(1, 20)),
    ci=grid(eta=(0.01, 0.1, 1.0), sigma=(0.0, 1.0, 10.0), T=(1, 20, 300)),
)
ENVELOPE = Claim(
    PAPER,
    "Remark 4.3",
    "section 4",
    name="remark-4.3",
    kind=Kind.BOUND,
    title="The Moreau envelope smooths without extending the domain",
    statement=r"For a convex $G$-Lipschitz $\ell$ on $\Theta$ the Moreau envelope at the smoothness $G\sqrt "
    r"d/r$ lies within $Gr/(2\sqrt d)$ below $\ell$ on $\Theta$, is $G$-Lipschitz, and asks for $\ell$ on "
    r"$\Theta$ only.",
    expected=CONFIRMED,
    summary="with half of the error over √d",
    check=check_envelope,
    smoke=grid(r=(0.1, 0.5), d=(1, 4)),
    ci=grid(r=(0.05, 0.1, 0.5), d=(1, 4, 25)),
)
CLAIMS = [ENVELOPE]
