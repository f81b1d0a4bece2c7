"""Validation shared by the algorithms of asi2024."""

from __future__ import annotations

import math

import numpy as np

from implementations.interfaces import Array


def positive(**values: float) -> None:
    """Raise ValueError naming the first value that is not a positive finite number."""
    for name, value in values.items():
        if not (math.isfinite(value) and value > 0):
            raise ValueError(f"{name} must be a positive finite number, got {value}")


def probability(**values: float) -> None:
    """Raise ValueError naming the first value outside (0, 1)."""
    for name, value in values.items():
        if not 0.0 < value < 1.0:
            raise ValueError(f"{name} must be in (0, 1), got {value}")


def finite(name: str, values: Array) -> Array:
    """The array as floats; ValueError where an entry is not a number or infinite."""
    array = np.asarray(values, dtype=float)
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite, got {array[~np.isfinite(array)][0]}")
    return array
