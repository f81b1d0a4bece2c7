r"""Theorem 3.7, programs traced: what the noise costs at the distance that the counts move.

The lower bound is held against programs that are (ε, δ)-private. The noisy mean adds Gaussian noise of
standard deviation √d/μ(ε, δ) to the counts of ones, which move by √d where every bit of one record changes:
the ledger is that of N(0, 1) against N(μ, 1), and ε at δ by the definition of μ(ε, δ). The noisy sign has
the same noise, compares it with n/2 and shows d bits: they cost no more.

Algorithm 1 itself is not in this claim. Its exact sampler chooses an interval by comparing a uniform number
with probabilities that depend on the data, and fills it by the inverse of a distribution function whose ends
depend on them, too. The trace does not know the density of that and says LOST; `theorem-2.2-privacy` has the
exact curve of the law.

How it is checked. The ledgers against ε at δ; that of the mean against the closed form with μ found here by
bisection; nothing else of the output may depend on the data.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

import numpy as np

from claims import CONFIRMED, Evidence, Kind, Point, at_most, grid
from claims.lee2024 import PAPER
from claims.lee2024.theorem_3_7_programs import CLAIM as PROGRAMS
from implementations.lee2024 import l1_instance
from implementations.privacy import gaussian_epsilon

ROUNDING = 1e-6
"""Of bisections and sums."""


def check(point: Point) -> Iterator[Evidence]:
    from audits.trace import trace_privacy

    n, d, epsilon, delta = point.n, point.d, point.epsilon, point.delta
    programs = {"mean": l1_instance.noisy_mean, "sign": l1_instance.noisy_median_sign}
    mechanism = partial(programs[point.program], epsilon=epsilon, delta=delta)

    def program(data: np.ndarray, size: int, rng: np.random.Generator) -> np.ndarray:
        return mechanism(data.sum(axis=0), len(data), size, rng)

    data = np.zeros((n, d))
    data[: n // 2] = 1.0
    other = data.copy()
    other[0] = 0.0
    result = trace_privacy(
        program, [(data, other)], epsilon=epsilon, delta=delta, adjacency=PAPER.adjacency,
        seed=int(point.rng.integers(2**31)), seeds=1, black_box=False,
    )  # fmt: skip
    total = math.inf if result.epsilon_ledger is None else result.epsilon_ledger
    yield at_most("ε of the ledger over ε", total / epsilon, 1.0 + ROUNDING)
    yield at_most("values that depend on the data without noise, or of which that is not known",
                  len(result.findings) + len(result.lost), 0)  # fmt: skip
    if point.program == "mean":
        exact = float(gaussian_epsilon(delta, found_mu(epsilon, delta)))
        yield at_most("distance of the ledger from the closed form", abs(total - exact), ROUNDING)


def found_mu(epsilon: float, delta: float) -> float:
    """The largest μ with Φ(μ/2 − ε/μ) − e^ε·Φ(−μ/2 − ε/μ) ≤ δ: N(0, 1) and N(μ, 1) are (ε, δ)-close."""

    def curve(mu: float) -> float:
        def below(x: float) -> float:
            return 0.5 * math.erfc(-x / math.sqrt(2.0))

        return below(mu / 2.0 - epsilon / mu) - math.exp(epsilon) * below(-mu / 2.0 - epsilon / mu)

    low, high = 1e-6, 50.0
    for _ in range(100):
        middle = (low + high) / 2.0
        low, high = (middle, high) if curve(middle) <= delta else (low, middle)
    return low


LEDGER = PROGRAMS.reading(
    "ledger",
    kind=Kind.PRIVACY,
    title="The draws of the private programs cost what their noise says",
    statement=r"Where every bit of one record changes, the noise of the noisy mean costs $\varepsilon$ at "
    r"$\delta$, and the comparisons of the noisy sign cost no more; nothing else of the outputs depends on "
    r"the data.",
    expected=CONFIRMED,
    check=check,
    largest_resolution=None,
    smoke=grid(program=["mean", "sign"], n=20, d=3, epsilon=1.0, delta=1e-3),
    ci=grid(program=["mean", "sign"], n=20, d=[1, 3], epsilon=[0.5, 1.0], delta=[1e-6, 1e-3]),
)
CLAIMS = [LEDGER]
