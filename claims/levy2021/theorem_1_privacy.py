r"""Theorem 1, privacy: WinsorizedMean1D is ε-DP in one user.

PrivateRange spends ε/2; given its interval the clipped mean moves by at most |b − a|/n = 4τ/n, and Laplace
noise of scale 8τ/(εn) pays for that with the other ε/2 (Levy et al. 2021, Theorem 1 and Algorithm 1).

How it is checked. Exactly, in two ways. The two parts: the privacy loss of the range over all count vectors,
and sensitivity over scale of the noise; their sum bounds every dataset of n users. And the whole: the output
is a finite mixture of Laplace laws with known weights, so all datasets on a lattice and all their neighbours
are compared without sampling; this can refute, and shows how much of ε an adversary reaches.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from claims import CONFIRMED, Claim, Evidence, Kind, Point, at_most, grid
from claims.levy2021 import PAPER
from claims.levy2021._shared import count_vectors, mixture_divergence, neighbours, range_divergence
from implementations.levy2021 import private_range, winsorized_mean_1d
from implementations.levy2021.constants import Constants, constants_of


def loss_of_range(point: Point, constants: Constants) -> float:
    """Largest privacy loss of the chosen bin, over all count vectors and their neighbours."""
    bins = private_range.bins_for(1.0, point.ratio, constants)
    centres = np.clip(bins.centre(np.arange(bins.first, bins.last + 1)), -point.ratio, point.ratio)
    counts = count_vectors(point.n, bins.count)
    share = constants.range_share * point.epsilon
    laws = [
        private_range.range_law(np.repeat(centres, row), share, 1.0, point.ratio, constants) for row in counts
    ]
    return max(range_divergence(laws[i], laws[j]) for i, j in neighbours(counts))


def loss_of_noise(point: Point, constants: Constants) -> float:
    """A user moves the clipped mean by at most the length of the interval over n: that over the scale."""
    share = constants.range_share * point.epsilon
    low, high = private_range.private_range(np.zeros(point.n), share, 1.0, point.ratio, point.rng, constants)
    scale = winsorized_mean_1d.noise_scale(point.n, point.epsilon, 1.0, constants)
    return float(high - low) / point.n / scale


def loss_on_lattice(point: Point, constants: Constants) -> float:
    """Largest privacy loss of the whole output over all datasets on a lattice and their neighbours."""
    values = np.linspace(-point.ratio, point.ratio, point.lattice)
    lattice = count_vectors(point.n, values.size)
    laws = [
        winsorized_mean_1d.winsorized_mean_1d_law(
            np.repeat(values, row), point.epsilon, 1.0, point.ratio, constants
        )
        for row in lattice
    ]
    return max(mixture_divergence(laws[i], laws[j]) for i, j in neighbours(lattice))


def check(point: Point) -> Iterator[Evidence]:
    constants = constants_of(point.constants)
    total = loss_of_range(point, constants) + loss_of_noise(point, constants)
    yield at_most("ε of the range and of the noise together, all datasets", total, point.epsilon)
    whole = loss_on_lattice(point, constants)
    yield at_most("ε of the whole output, all lattice datasets", whole, point.epsilon, decides=False)


def cases(
    users: tuple[int, ...], lattice: int, *, variants: bool = False
) -> list[dict[str, float | int | str]]:
    epsilons = (0.2, 1.0, 6.0)
    printed = grid(constants="paper", n=users, epsilon=epsilons, ratio=4.0, lattice=lattice)
    if not variants:
        return printed
    corrected = grid(constants="corrected", n=users, epsilon=epsilons, ratio=4.0, lattice=lattice)
    return [
        *printed,
        *corrected,
        *grid(constants="tuned", n=users, epsilon=epsilons, ratio=1.0, lattice=lattice),
    ]


CLAIM = Claim(
    PAPER,
    "Theorem 1",
    "section 3",
    name="theorem-1-privacy",
    kind=Kind.PRIVACY,
    title="WinsorizedMean1D is ε-DP in one user",
    uses=("private-range-privacy",),
    statement=r"For every $n,\tau,B,\varepsilon$, Algorithm 1 is $\varepsilon$-DP under replacement of one "
    r"user.",
    expected=CONFIRMED,
    check=check,
    smoke=cases((1, 2), 9),
    ci=[*cases((1, 2), 9, variants=True), *cases((4,), 5)],
    full=[*cases((1, 2, 3), 13, variants=True), *cases((6,), 5)],
)
