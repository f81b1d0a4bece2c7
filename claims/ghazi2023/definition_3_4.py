r"""Definition 3.4: the shifted truncated discrete Laplace distribution that decides how much may be deleted.

TDLap(ε, δ) lives on {0, …, 2κ}, κ = 1 + ⌈ln(1/δ)/ε⌉, with mass ∝ exp(−ε|x − κ|). The proof of Theorem 3.3
uses two properties without stating them: neighbouring masses differ by a factor of at most e^ε, and each
endpoint has mass at most δ. Both follow from the definition: |x − κ| changes by one, and with Z = Σ_x
e^{−ε|x−κ|} > 1 the endpoint has mass e^{−εκ}/Z < e^{−ε}·δ, since εκ ≥ ε + ln(1/δ).

How it is checked. The masses of the implementation against the printed density, value by value, the largest
factor between neighbours and the endpoint masses, exactly, over a grid of (ε, δ) with its corners; and the
upper tails that the law of Algorithm 1 is made of.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from claims import CONFIRMED, Claim, Evidence, Kind, Point, at_most, grid
from claims.ghazi2023 import PAPER
from implementations.ghazi2023 import truncated_laplace


def check(point: Point) -> Iterator[Evidence]:
    epsilon, delta = point.epsilon, point.delta
    kappa = 1 + math.ceil(math.log(1.0 / delta) / epsilon)
    printed = np.array([math.exp(-epsilon * abs(x - kappa)) for x in range(2 * kappa + 1)])
    printed = printed / math.fsum(printed)
    mass = truncated_laplace.mass(epsilon, delta)
    same = mass.shape == printed.shape
    yield at_most("values of the support that differ", 0 if same else 1, 0)
    if not same:
        return
    yield at_most("relative distance to the printed density", float(np.abs(mass / printed - 1).max()), 1e-9)
    yield at_most("log of the factor between neighbours", float(np.abs(np.diff(np.log(mass))).max()), epsilon)
    yield at_most("mass of an endpoint", max(float(mass[0]), float(mass[-1])), delta)
    tails = truncated_laplace.upper_tail(epsilon, delta)
    ends = {0, 1, kappa, kappa + 1, 2 * kappa, 2 * kappa + 1, *range(0, 2 * kappa + 2, 1 + kappa // 50)}
    distance = max(abs(float(tails[s]) - math.fsum(printed[s:])) for s in ends)
    yield at_most("distance of P(R ≥ s) to the sum of the printed masses", distance, 1e-12)


CLAIM = Claim(
    PAPER,
    "Definition 3.4",
    "section 3.1",
    kind=Kind.PRIVACY,
    title="TDLap: neighbouring masses within e^ε, endpoints at most δ",
    statement=r"$\mathsf{TDLap}(\varepsilon,\delta)$ on $\{0,\dots,2\kappa\}$, "
    r"$\kappa=1+\lceil\ln(1/\delta)/\varepsilon\rceil$, with mass $\propto e^{-\varepsilon|x-\kappa|}$: "
    r"$\Pr[R=x]\le e^{\varepsilon}\Pr[R=x\pm1]$ and $\Pr[R=0]=\Pr[R=2\kappa]\le\delta$.",
    expected=CONFIRMED,
    check=check,
    smoke=grid(epsilon=(0.1, 1.0), delta=(1e-6, 0.5)),
    ci=grid(epsilon=(0.003, 0.05, 0.25, 0.5, 1.0), delta=(1e-12, 1e-6, 0.01, 0.2, 0.5, 0.999)),
)
