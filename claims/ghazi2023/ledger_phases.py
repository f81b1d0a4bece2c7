r"""Algorithm 3, traced: the Gaussian noise of each phase at the distance that its minimiser really moves.

The program is recorded on a dataset, and replayed on its neighbour with every θ̂ᵢ frozen (`audits.trace`). On
linear losses whose regularised minimisers lie inside of 𝒦ᵢ, θ*ᵢ = θ̂ᵢ₋₁ − ā/λᵢ, so that one user whose slope
changes by Δa moves it by Δa/(nλᵢ) in each of the T phases; with the σᵢ of line 3 of Algorithm 1 at
(ε/T, δ/T) the ledger is known. The noise is made for the worst dataset, so that the ledger is far below ε.

Rounding. θ̂ᵢ₋₁ carries the noise of phase 1, of size σ₁, to the end, while the minimiser of phase i moves by
Δa/(n·4ⁱλ). A double near θ is known to 2⁻⁵³|θ|, so that the distance of the two minimisers that the program
computes differs from Δa/(nλᵢ) by up to 2⁻⁵²·|θ*ᵢ|: line 3 divides by λᵢ = 4ⁱ, which is exact, and one
subtraction is rounded on either dataset. At n = 20,000 and m = 100, ε = 0.5, δ = 10⁻⁴, phase 15 moves a
number near 92 by 2.3·10⁻¹⁵ where the next double is 1.4·10⁻¹⁴ away: the program moves it by that, which is
six times as far. Nothing is lost by it, as σ₁₅ is 6·10⁻⁷; but there the closed form cannot be seen in
doubles, and such points are left to the comparison with ε.

How it is checked. The ledger against ε everywhere. Where rounding is below two hundredths, the ledger against
the closed form with the σᵢ written down a second time, to within √Σ(2⁻⁵²|θ*ᵢ|/σᵢ)², the triangle inequality
with the θ*ᵢ of the runs; nothing else of the output may depend on the data.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from claims import CONFIRMED, Evidence, Kind, Point, at_most, grid, reported
from claims.ghazi2023 import PAPER, _replay
from claims.ghazi2023.algorithm_3 import CLAIM as ALGORITHM_3
from implementations.ghazi2023 import phased_erm
from implementations.ghazi2023.feasible import Ball
from implementations.ghazi2023.quadratic import Users
from implementations.ghazi2023.reading import Guarantee
from implementations.privacy import gaussian_epsilon

CURVATURE, LIPSCHITZ, MOVED, BETA = 0.0, 1.0, 0.05, 0.05
SHARPEST = 0.02
"""Largest share of the stated distance that rounding may take where the closed form is compared."""
SUMMED = 1e-9
"""Relative: the rounding of the mean of n slopes, and of the ledger's own sums."""


def check(point: Point) -> Iterator[Evidence]:
    from audits.trace import trace_privacy

    n, m, epsilon, delta = point.n, 10.0**point.log10_m, point.epsilon, point.delta
    domain = [Ball(np.zeros((1, 1)), 1e12)]
    guarantee = Guarantee(epsilon, delta, BETA)
    largest: list[float] = []

    def program(slopes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        users = Users(slopes[None, :, None], CURVATURE, LIPSCHITZ, m)
        phases = phased_erm.phased_erm(users.summary(), domain, np.zeros(1), guarantee, 1.0, rng)
        sizes = [float(np.abs(phase.minimiser).max()) for phase in phases]
        largest[:] = [max(pair) for pair in zip(sizes, largest or sizes, strict=True)]
        return phases[-1].theta

    slopes = np.full(n, 0.01)
    moved = slopes.copy()
    moved[-1] += MOVED
    result = trace_privacy(
        program, [(slopes, moved)], epsilon=epsilon, delta=delta, adjacency=PAPER.adjacency,
        seed=int(point.rng.integers(2**31)), seeds=1, black_box=False,
    )  # fmt: skip
    total = math.inf if result.epsilon_ledger is None else result.epsilon_ledger
    yield at_most("ε of the ledger over ε", total / epsilon, 1.0)
    yield at_most("values that depend on the data without noise, or of which that is not known",
                  len(result.findings) + len(result.lost), 0)  # fmt: skip
    sigmas, steps = stated(n, m, epsilon, delta)
    ratio = math.sqrt(math.fsum((step / sigma) ** 2 for step, sigma in zip(steps, sigmas, strict=True)))
    rounding = math.sqrt(
        math.fsum((2.0**-52 * size / sigma) ** 2 for size, sigma in zip(largest, sigmas, strict=True))
    )
    if rounding <= SHARPEST * ratio:
        traced = math.sqrt(math.fsum(x.ratio**2 for x in result.ledger))
        allowed = rounding + SUMMED * ratio
        yield at_most("distance of √Σ(moved/σᵢ)² from the stated one", abs(traced - ratio), allowed)
        exact = float(gaussian_epsilon(delta, ratio))
        most = float(gaussian_epsilon(delta, ratio + allowed))
        yield at_most(
            "distance of the ledger from the closed form", abs(total - exact), most - exact + SUMMED
        )
    else:
        yield reported("share of rounding in the stated distance", rounding / ratio)


def stated(n: int, m: float, epsilon: float, delta: float) -> tuple[list[float], list[float]]:
    """(σᵢ, distance of θ*ᵢ) of the phases, from the text."""
    phases = math.ceil(math.log(n * m))
    sigmas: list[float] = []
    for i in range(1, phases + 1):
        call = _replay.Call(
            epsilon=epsilon / phases, delta=delta / phases, beta=BETA / phases, lipschitz=2.0 * LIPSCHITZ,
            mu=4.0**i,
        )  # fmt: skip
        sigmas.append(call.sigma(n, m))
    return sigmas, [MOVED / (n * (CURVATURE + 4.0**i)) for i in range(1, phases + 1)]


LEDGER = ALGORITHM_3.reading(
    "ledger",
    title="Phased-ERM: the draws cost what their noise says at the distance of the minimisers",
    statement=r"When one user's slope changes by $\Delta a$ on linear losses, phase $i$ of Algorithm 3 costs "
    r"that of a Gaussian of $\sigma_i$ at distance $\Delta a/(n\lambda_i)$, all of them together less than "
    r"$(\varepsilon,\delta)$; nothing else of the output depends on the data.",
    expected=CONFIRMED,
    kind=Kind.PRIVACY,
    check=check,
    largest_resolution=None,
    smoke=grid(n=4000, log10_m=0, epsilon=1.0, delta=0.1),
    ci=grid(n=[4000, 20_000], log10_m=[0, 2], epsilon=[0.5, 1.0], delta=[1e-4, 0.1]),
)
CLAIMS = [LEDGER]
