r"""Proposition 1: user gradients concentrate uniformly, max_u sup_θ ‖∇L(θ; S_u) − ∇L(θ; P)‖ = Õ(σ√(d/m)).

For H-smooth losses with σ²-sub-Gaussian gradients; the display is damaged in the text at hand, its order is
stated in section 4. A covering of Θ and a union over n users and d coordinates give the logarithms, so the
statement is read with the radius σ√(2d·log(2dnK/α)/m), K the number of points of the covering along an axis.

α ≥ 0 is printed; at α = 0 the radius is infinite and nothing is said. All three losses are separable over the
coordinates, for which a union over d coordinates is enough; a loss that is not needs a covering of the
directions too, hence d²·log K in place of d·log, which Õ may hide or not.

Three losses, σ = 1:

* *bumps*, at the edge of the statement: ℓ(θ; z) = Σ_j Σ_k z_jk·b(θ_j − c_k) with fair signs z and K bumps b
  that do not overlap, of slope at most 1. At each of K^d points θ the gradient deviates on its own: the
  supremum over θ is √(Σ_j max_k z̄_jk²), which grows with log K. Drawn exactly, so that m costs nothing;
* *linear*, ⟨θ, z⟩ with z ~ N(0, I): no dependence on θ, the deviation is a χ variable;
* *log-cosh*, Σ_j log cosh(θ_j − z_j), whose gradient depends on θ and z together: separable, so that the
  supremum over the cube [−2, 2]^d is one over each coordinate (33 points, the deviation being 2-Lipschitz in
  θ_j: the lattice error is of lower order). The population gradient is by quadrature.

How it is checked. On samples. The radius holds: the probability that some user leaves it is at most α = 0.05,
over all losses and cells. The order: the exponents of the mean radius over the root of the logarithm in m, d,
n must not be worse than −½, ½, 0 by more than 0.05 (a tenth of the step ½ between such laws) for the bumps, m
over six decades; for the other two losses those in m and d. The exponent of K is fitted and reported: log K
stands in one logarithm with dn/α, so that for few bumps the radius grows faster than its bound, and from
below. What the largest mean radius is in units of σ√(d/m) and the root of the logarithm is reported: the
order is reached."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from audits.rates import family
from claims import CONSISTENT, Budget, Claim, Evidence, Kind, Plot, Point, Side, Tier, constant, mean_at_most
from claims.levy2021 import PAPER
from claims.levy2021._first_order import TOLERANCE
from implementations.levy2021.users import GaussianPopulation, SignPopulation

if TYPE_CHECKING:
    from implementations.interfaces import Array

THETA = np.linspace(-2.0, 2.0, 33)
ALPHA = 0.05


def population_gradient(theta: Array) -> Array:
    """E tanh(θ − z), z ~ N(0, 1), by Gauss–Hermite quadrature."""
    node, weight = np.polynomial.hermite_e.hermegauss(80)
    return np.tanh(theta[:, None] - node) @ weight / weight.sum()


def logarithm(n: int, d: int, places: int) -> float:
    return math.log(2.0 * d * n * places / ALPHA)


def bumps(point: Point) -> Array:
    """Radius of each trial: the signs of m samples at a bump are a binomial count."""
    radii = np.empty(point.trials)
    signs = SignPopulation(math.sqrt(point.d * point.places), (0.5,) * (point.d * point.places))
    for trial in range(point.trials):
        means = signs.user_means(point.n, point.m, 1, point.rng).reshape(point.n, point.d, point.places)
        deviation = np.abs(means).max(axis=2)
        radii[trial] = math.sqrt(float((deviation**2).sum(axis=1).max()))
    return radii


def linear(point: Point) -> Array:
    means = GaussianPopulation((0.0,) * point.d, 1.0).user_means(point.n, point.m, point.trials, point.rng)
    return np.linalg.norm(means, axis=2).max(axis=1)


def log_cosh(point: Point) -> Array:
    expected, radii = population_gradient(THETA), np.zeros(point.trials)
    for trial in range(point.trials):
        z = point.rng.standard_normal((point.n, point.m, point.d))
        deviation = np.array([np.tanh(t - z).mean(axis=1) - e for t, e in zip(THETA, expected, strict=True)])
        radii[trial] = math.sqrt(float((deviation**2).max(axis=0).sum(axis=-1).max()))
    return radii


LOSSES = {"bumps": bumps, "linear": linear, "log-cosh": log_cosh}


def measure(point: Point) -> dict[str, Any]:
    radii = LOSSES[point.loss](point)
    logs = logarithm(point.n, point.d, point.places)
    unit = math.sqrt(point.d / point.m)
    return {
        "radius": radii,
        "normalised": radii / math.sqrt(logs),
        "scaled": radii / math.sqrt(logs) / unit,
        "left": (radii > math.sqrt(2.0 * logs) * unit).astype(float),
    }


def judge(rows: Any, budget: Budget) -> list[Evidence]:
    claimed = {"m": -0.5, "d": 0.5, "n": 0.0}
    evidence: list[Evidence] = []
    for name, part in rows.groupby("loss"):
        judged = claimed if name == "bumps" else {a: claimed[a] for a in ("m", "d")}
        axes = [*judged, "places"] if name == "bumps" else list(judged)
        evidence += family.exponents(
            part, "normalised", judged, TOLERANCE, axes=axes, side=Side.UPPER, alpha=budget.share(0.3),
            equivalence_alpha=1e-3, point={"loss": str(name)},
        )  # fmt: skip
    quantity = "P(some user leaves σ√(2d·log(2dnK/α)/m))"
    evidence.append(
        mean_at_most(quantity, rows["left"], ALPHA, alpha=budget.share(0.1), method="clopper-pearson")
    )
    grouped = rows.groupby(["loss", "m", "d", "n", "places"])["scaled"]
    quantity = "largest mean radius over σ√(d·log(2dnK/α)/m)"
    evidence.append(constant(quantity, grouped.mean(), grouped.sem(), grouped.size()))
    return evidence


def star(most: int) -> list[dict[str, Any]]:
    """Cells of the bumps that leave a base point along one axis each; `most` samples a user at most."""
    base = {"loss": "bumps", "m": 100, "d": 16, "n": 8, "places": 16}
    return family.star(
        base,
        m=(100, 10, 1000, 100_000, most),
        d=(4, 8, 32, 64, 128, 256),
        n=(2, 4, 16, 32, 64, 128),
        places=(4, 64, 256),
    )


LINEAR = (4, 8, 16, 32, 64, 128)
"""d of linear losses, which cost nothing."""


def others(ms: tuple[int, ...], ds: tuple[int, ...]) -> list[dict[str, Any]]:
    cells = [
        {"loss": "linear", "m": m, "d": d, "n": 4, "places": 1} for m in (10, 10**4, 10**7) for d in LINEAR
    ]
    return cells + [{"loss": "log-cosh", "m": m, "d": d, "n": 4, "places": 33} for m in ms for d in ds]


CLAIM = Claim(
    PAPER,
    "Proposition 1",
    "section 4",
    kind=Kind.RATE,
    title="Uniform concentration of user gradients",
    statement=r"With probability $1-\alpha$, $\max_u\sup_\theta\|\nabla L(\theta;S_u)-\nabla "
    r"L(\theta;P)\|=\tilde O(\sigma\sqrt{d/m})$, read with $\sigma\sqrt{2d\log(2dnK/\alpha)/m}$, $K$ the "
    r"points of a covering of $\Theta$ along an axis.",
    expected=CONSISTENT,
    fits_exponents=True,
    smoke=Tier(points=star(10**6) + others((16, 64, 256), (4, 16, 64)), trials=12),
    # Without the cell of the largest m and d, which costs as much as the four next ones.
    ci=Tier(points=star(10**7) + others((16, 64, 256, 1024), (4, 16, 64, 128))[:-1], trials=40),
    full=Tier(points=star(10**7) + others((16, 64, 256, 1024, 4096), (4, 16, 64, 256)), trials=100, chunk=20),
    measure=measure,
    judge=judge,
    plots=[
        Plot(
            kind="loglog",
            title="Concentration radius of user gradients",
            x="m",
            y="radius",
            x_label="samples per user m",
            y_label="radius",
            series="loss",
            select={"d": 16},
        )
    ],
)
