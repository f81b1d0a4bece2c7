"""Propose-test-release for the median (Dwork and Lei 2009; Dwork and Roth 2014, section 7.2)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from implementations.controls._control import Law
from implementations.interfaces import BOTTOM, Array, Mechanism
from implementations.noise_laws import laplace_between, laplace_cdf


def distance_to_instability(data: Any, bound: float) -> int:
    """How many records must be replaced before the local sensitivity of the median exceeds `bound`.

    For n odd and sorted records x (in any fixed range, ±∞ beyond the ends), after k replacements the local
    sensitivity of the median x_m can be made max over 0 ≤ t ≤ k + 1 of x_(m+t) − x_(m+t−k−1), as in the
    smooth-sensitivity formula of Nissim, Raskhodnikova and Smith 2007, Claim 3.3.
    """
    x = np.sort(np.asarray(data, float))
    if len(x) % 2 == 0:
        raise ValueError(f"data must have an odd number of records, got {len(x)}")
    middle = len(x) // 2
    padded = np.concatenate([np.full(len(x), -np.inf), x, np.full(len(x), np.inf)])
    for k in range(middle + 1):
        t = np.arange(k + 2) + len(x) + middle
        if np.max(padded[t] - padded[t - k - 1]) > bound:
            return k
    return middle + 1


def propose_test_release(epsilon: float, delta: float, bound: float) -> Mechanism:
    """The median plus Lap(bound/ε) where the data are stable, None (⊥) otherwise; (2ε, δ)-DP.

    Stable: the distance to instability plus Lap(1/ε) exceeds ln(1/(2δ))/ε, which noise alone does with
    probability δ. Output (size,) objects: floats and None.
    """

    def mechanism(data: Any, size: int, rng: np.random.Generator, /) -> NDArray[np.object_]:
        released = (
            distance_to_instability(data, bound) + rng.laplace(scale=1.0 / epsilon, size=size)
            > math.log(1.0 / (2.0 * delta)) / epsilon
        )
        values = float(np.median(data)) + rng.laplace(scale=bound / epsilon, size=size)
        outputs = values.astype(object)
        outputs[~released] = BOTTOM
        return outputs

    return mechanism


def propose_test_release_law(
    epsilon: float, delta: float, bound: float, edges: Array
) -> Callable[[Any], Law]:
    """Law of `propose_test_release`: cell 0 is ⊥, the others are the cells of the value between `edges`."""
    bounds = np.concatenate([[-np.inf], edges, [np.inf]])

    def law(data: Any) -> Law:
        margin = distance_to_instability(data, bound) - math.log(1.0 / (2.0 * delta)) / epsilon
        release = float(laplace_cdf(margin, 1.0 / epsilon))
        centred = bounds - float(np.median(data))
        values = laplace_between(centred[:-1], centred[1:], bound / epsilon)
        return Law(
            mass=np.concatenate([[laplace_cdf(-margin, 1.0 / epsilon)], release * values]),
            cell=lambda outputs: _cells(outputs, edges),
            atoms=False,
        )

    return law


def _cells(outputs: NDArray[Any], edges: Array) -> NDArray[np.intp]:
    failed = np.fromiter((value is BOTTOM for value in outputs), bool, len(outputs))
    cells = np.zeros(len(outputs), np.intp)
    cells[~failed] = 1 + np.searchsorted(edges, outputs[~failed].astype(float), side="right")
    return cells
