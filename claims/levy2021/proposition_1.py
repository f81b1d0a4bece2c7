r"""Proposition 1: user gradients concentrate uniformly, max_u sup_θ ‖∇L(θ; S_u) − ∇L(θ; P)‖ = Õ(σ√(d/m)).

For H-smooth losses with σ²-sub-Gaussian gradients; the display is damaged in the text at hand, its order is stated
in section 4. The worse of two losses: linear, ⟨θ, z⟩ (no dependence on θ), and log-cosh location,
Σ_j log cosh(θ_j − z_j), whose gradient deviates differently at every θ; z ~ N(0, I). The latter is separable, so
that the supremum over the cube [−2, 2]^d is a supremum over each coordinate (33 points, the deviation being
2-Lipschitz in θ_j; the lattice error below 0.13·√d times the slope of the deviation is of lower order). The population
gradient is by quadrature. For the linear loss the deviation of a user is a χ variable: its radius over √(d/m) falls
with d to 1, so that the exponent of d stays below ½ at the sizes that are measured.

How it is checked. On samples: the exponents of the mean radius of 4 users in m and d must not be worse than −½ and ½.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from claims import CONSISTENT, Budget, Claim, Evidence, Kind, Plot, Point, Side, Tier, constant
from claims.levy2021 import PAPER

if TYPE_CHECKING:
    from implementations.interfaces import Array

THETA = np.linspace(-2.0, 2.0, 33)


def _population(theta: Array) -> Array:
    """E tanh(θ − z), z ~ N(0, 1), by Gauss–Hermite quadrature."""
    node, weight = np.polynomial.hermite_e.hermegauss(80)
    return np.tanh(theta[:, None] - node) @ weight / weight.sum()


def measure(point: Point) -> dict[str, Any]:
    m, d, n = point.m, point.d, point.n
    expected = _population(THETA)
    linear, location = [], []
    for _ in range(point.trials):
        worst = [0.0, 0.0]
        for _user in range(n):
            z = point.rng.standard_normal((m, d))
            worst[0] = max(worst[0], float(np.linalg.norm(z.mean(axis=0))))
            deviation = np.array(
                [np.tanh(t - z).mean(axis=0) - e for t, e in zip(THETA, expected, strict=True)]
            )
            worst[1] = max(worst[1], float(np.sqrt((deviation**2).max(axis=0).sum())))
        linear.append(worst[0])
        location.append(worst[1])
    return {
        "loss": np.repeat(["linear", "log-cosh"], point.trials),
        "radius": np.array(linear + location),
    }


def judge(rows: Any, budget: Budget) -> list[Evidence]:
    from audits.rates import fit_rate

    means = rows.groupby(["m", "d", "loss"], as_index=False)["radius"].mean()
    worst = means.loc[means.groupby(["m", "d"])["radius"].idxmax(), ["m", "d", "loss"]]
    table = rows.merge(worst, on=["m", "d", "loss"])
    fit = fit_rate(
        table,
        "radius",
        ["m", "d"],
        {"m": -0.5, "d": 0.5},
        0.1,
        side=Side.UPPER,
        alpha=budget.share(1.0),
        equivalence_alpha=1e-3,
        seed=4,
    )
    scaled = table.assign(scaled=table["radius"] * np.sqrt(table["m"] / table["d"])).groupby(["m", "d"])[
        "scaled"
    ]
    runs = int(scaled.count().min())
    largest = constant("radius over σ√(d/m), largest", scaled.mean(), scaled.std() / runs**0.5, runs)
    return [*fit.evidence(), largest]


def _grid(ms: tuple[int, ...], ds: tuple[int, ...]) -> list[dict[str, int]]:
    return [{"m": m, "d": d, "n": 4} for m in ms for d in ds]


CLAIM = Claim(
    PAPER,
    "Proposition 1",
    "section 4",
    kind=Kind.RATE,
    title="Uniform concentration of user gradients",
    statement=r"With probability $1-\alpha$, $\max_u\sup_\theta\|\nabla L(\theta;S_u)-\nabla "
    r"L(\theta;P)\|=\tilde O(\sigma\sqrt{d/m})$.",
    expected=CONSISTENT,
    fits_exponents=True,
    smoke=Tier(points=_grid((16, 64, 256, 512), (4, 16, 64)), trials=10),
    ci=Tier(points=_grid((16, 64, 256, 1024), (4, 16, 64, 128)), trials=25),
    full=Tier(points=_grid((16, 64, 256, 1024, 4096), (4, 16, 64, 256)), trials=20),
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
            log_x=True,
            log_y=True,
            select={"d": 16},
        )
    ],
)
