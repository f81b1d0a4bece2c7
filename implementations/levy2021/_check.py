"""Validation shared by the algorithms of levy2021."""

from __future__ import annotations

import math

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


def within(x: Array, bound: float) -> None:
    """Raise ValueError where an entry of x is outside [−bound, bound] or not a number."""
    if x.size == 0:
        raise ValueError(f"x must hold at least one user, got shape {x.shape}")
    low, high = float(x.min()), float(x.max())
    if not (low >= -bound and high <= bound):  # NaN fails both comparisons
        raise ValueError(
            f"x must lie in [-{bound:g}, {bound:g}], got values in [{low:g}, {high:g}]; clip it first"
        )
