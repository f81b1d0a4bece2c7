"""Input checks shared by the algorithms of lee2024."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from implementations.interfaces import Array


def positive(**values: float) -> None:
    """Raise ValueError naming the first value that is not a positive finite number."""
    for name, value in values.items():
        if not (math.isfinite(value) and value > 0.0):
            raise ValueError(f"{name} must be positive and finite, got {value}")


def probability(**values: float) -> None:
    """Raise ValueError naming the first value outside (0, 1)."""
    for name, value in values.items():
        if not 0.0 < value < 1.0:
            raise ValueError(f"{name} must be in (0, 1), got {value}")


def at_least_one(**values: int) -> None:
    """Raise ValueError naming the first value that is not an integer ≥ 1."""
    for name, value in values.items():
        if int(value) != value or value < 1:
            raise ValueError(f"{name} must be an integer ≥ 1, got {value}")


def finite(name: str, values: Array) -> Array:
    """`values` as an array of floats; ValueError where an entry is NaN or infinite."""
    array = np.asarray(values, dtype=float)
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite, got {values!r}")
    return array


def bits(name: str, values: NDArray[np.int8]) -> NDArray[np.int8]:
    """`values` as an array of int8; ValueError where an entry is neither 0 nor 1."""
    array = np.asarray(values)
    if not ((array == 0) | (array == 1)).all():
        raise ValueError(f"{name} must hold zeros and ones, got {values!r}")
    return array.astype(np.int8, copy=False)
