"""Selection: report-noisy-max with Laplace or exponential noise, index or value; exponential mechanism."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from implementations.controls._control import Law
from implementations.interfaces import Array, Mechanism
from implementations.noise_laws import (
    exponential_cdf,
    exponential_density,
    laplace_cdf,
    laplace_density,
    quadrature,
    real_cells,
)

Noise = Literal["laplace", "exponential"]


def noisy_argmax(scale: float, noise: Noise) -> Mechanism:
    """The index of the largest query plus noise of the given scale.

    ε-DP with scale 2/ε for queries of sensitivity 1 (Dwork and Roth 2014, section 3.3; exponential noise is
    the permute-and-flip mechanism of McKenna and Sheldon 2020).
    """

    def mechanism(data: Any, size: int, rng: np.random.Generator, /) -> NDArray[np.int64]:
        return np.argmax(_noisy(data, size, rng, scale, noise), axis=1)

    return mechanism


def noisy_maximum(scale: float, noise: Noise) -> Mechanism:
    """The value of the largest query plus noise: the slip of returning the winner's noisy value itself.

    Not ε-DP with scale 2/ε: all queries may move together, and the lower tail of the maximum of d moves d
    times as fast as that of one (Ding, Wang, Wang, Zhang, Kifer 2018, section 7).
    """

    def mechanism(data: Any, size: int, rng: np.random.Generator, /) -> Array:
        return np.max(_noisy(data, size, rng, scale, noise), axis=1)

    return mechanism


def noisy_argmax_law(scale: float, noise: Noise) -> Callable[[Any], Law]:
    """Finite law of `noisy_argmax`, P(k) = ∫ f(x − q_k)·∏_{i≠k} F(x − q_i) dx by quadrature."""

    def law(data: Any) -> Law:
        queries = np.asarray(data, float)
        x, weight = quadrature(queries, scale, scale)
        density, cdf = _DENSITY[noise], _CDF[noise]
        below = np.stack([cdf(x - q, scale) for q in queries])
        mass = np.array(
            [
                weight @ (density(x - q, scale) * np.prod(np.delete(below, k, axis=0), axis=0))
                for k, q in enumerate(queries)
            ]
        )
        return Law(mass=mass, cell=lambda outputs: np.asarray(outputs, np.intp), atoms=True)

    return law


def noisy_maximum_law(scale: float, noise: Noise, edges: Array) -> Callable[[Any], Law]:
    """Law of `noisy_maximum` on the cells between `edges`: its CDF is ∏ F(x − q_i)."""

    def law(data: Any) -> Law:
        below = np.prod([_CDF[noise](edges - q, scale) for q in np.asarray(data, float)], axis=0)
        mass = np.diff(np.concatenate([[0.0], below, [1.0]]))
        return Law(mass=mass, cell=lambda outputs: real_cells(outputs, edges), atoms=False)

    return law


def exponential_mechanism(epsilon: float) -> Mechanism:
    """Index k with probability ∝ exp(ε·u_k/2) for utilities of sensitivity 1 (McSherry and Talwar 2007)."""

    def mechanism(data: Any, size: int, rng: np.random.Generator, /) -> NDArray[np.int64]:
        # The largest of utilities with standard Gumbel noise is a draw from their softmax.
        utilities = 0.5 * epsilon * np.asarray(data, float)
        return np.argmax(utilities + rng.gumbel(size=(size, utilities.size)), axis=1)

    return mechanism


def exponential_mechanism_law(epsilon: float) -> Callable[[Any], Law]:
    """Finite law of `exponential_mechanism`: the softmax itself."""

    def law(data: Any) -> Law:
        utilities = 0.5 * epsilon * np.asarray(data, float)
        weight = np.exp(utilities - utilities.max())
        return Law(mass=weight / weight.sum(), cell=lambda outputs: np.asarray(outputs, np.intp), atoms=True)

    return law


_DENSITY = {"laplace": laplace_density, "exponential": exponential_density}
_CDF = {"laplace": laplace_cdf, "exponential": exponential_cdf}


def _noisy(data: Any, size: int, rng: np.random.Generator, scale: float, noise: Noise) -> Array:
    queries = np.asarray(data, float)
    shape = (size, queries.size)
    if noise == "laplace":
        return queries + rng.laplace(scale=scale, size=shape)
    return queries + rng.exponential(scale=scale, size=shape)
