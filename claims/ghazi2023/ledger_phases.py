r"""Algorithm 3, traced: the Gaussian noise of each phase at the distance that its minimiser really moves.

The program is recorded on a dataset, and replayed on its neighbour with every θ̂ᵢ frozen (`audits.trace`). On
linear losses whose regularised minimisers lie inside of 𝒦ᵢ, θ*ᵢ = θ̂ᵢ₋₁ − ā/λᵢ, so that one user whose slope
changes by Δa moves it by Δa/(nλᵢ) in each of the T phases; with the σᵢ of line 3 of Algorithm 1 at
(ε/T, δ/T) the ledger is known. The noise is made for the worst dataset, so that the ledger is far below ε.

How it is checked. The ledger against ε and against the closed form with the σᵢ written down a second time;
nothing else of the output may depend on the data.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from claims import CONFIRMED, Evidence, Kind, Point, at_most, grid
from claims.ghazi2023 import PAPER, _replay
from claims.ghazi2023.algorithm_3 import CLAIM as ALGORITHM_3
from implementations.ghazi2023 import phased_erm
from implementations.ghazi2023.feasible import Ball
from implementations.ghazi2023.quadratic import Users
from implementations.ghazi2023.reading import Guarantee
from implementations.privacy import gaussian_epsilon

CURVATURE, LIPSCHITZ, MOVED, BETA = 0.0, 1.0, 0.05, 0.05
ROUNDING = 1e-5
"""Of distances: the minimisers are up to 10⁹ times as large as what they move by, so that eight digits are
lost."""


def check(point: Point) -> Iterator[Evidence]:
    from audits.trace import trace_privacy

    n, m, epsilon, delta = point.n, 10.0**point.log10_m, point.epsilon, point.delta
    domain = [Ball(np.zeros((1, 1)), 1e3)]
    guarantee = Guarantee(epsilon, delta, BETA)

    def program(slopes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        users = Users(slopes[None, :, None], CURVATURE, LIPSCHITZ, m)
        phases = phased_erm.phased_erm(users.summary(), domain, np.zeros(1), guarantee, 1.0, rng)
        return phases[-1].theta

    slopes = np.full(n, 0.01)
    moved = slopes.copy()
    moved[-1] += MOVED
    result = trace_privacy(
        program, [(slopes, moved)], epsilon=epsilon, delta=delta, adjacency=PAPER.adjacency,
        seed=int(point.rng.integers(2**31)), seeds=1, black_box=False,
    )  # fmt: skip
    total = math.inf if result.epsilon_ledger is None else result.epsilon_ledger
    yield at_most("ε of the ledger over ε", total / epsilon, 1.0 + ROUNDING)
    exact = float(gaussian_epsilon(delta, stated_ratio(n, m, epsilon, delta)))
    yield at_most("distance of the ledger from the closed form", abs(total - exact), ROUNDING)
    ratio = math.sqrt(math.fsum(x.ratio**2 for x in result.ledger))
    stated = stated_ratio(n, m, epsilon, delta)
    yield at_most("relative distance of √Σ(moved/σᵢ)²", abs(ratio / stated - 1.0), ROUNDING)
    yield at_most("values that depend on the data without noise, or of which that is not known",
                  len(result.findings) + len(result.lost), 0)  # fmt: skip


def stated_ratio(n: int, m: float, epsilon: float, delta: float) -> float:
    """√Σᵢ (distance of θ*ᵢ over σᵢ)², from the text."""
    phases = math.ceil(math.log(n * m))
    squares = 0.0
    for i in range(1, phases + 1):
        regulariser = 4.0**i
        call = _replay.Call(
            epsilon=epsilon / phases, delta=delta / phases, beta=BETA / phases, lipschitz=2.0 * LIPSCHITZ,
            mu=regulariser,
        )  # fmt: skip
        distance = MOVED / (n * (CURVATURE + regulariser))
        squares += (distance / call.sigma(n, m)) ** 2
    return math.sqrt(squares)


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
