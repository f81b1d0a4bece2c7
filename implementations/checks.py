"""Checks of input, once for all: each names the argument, shows its value and says what would do.

Checks of one number take keyword arguments, so that the name of the argument is written once:
``positive(epsilon=epsilon, tau=tau)``. NaN and infinity never do. `numbers` is for arrays and returns them.
Every check raises ValueError.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def positive(**values: object) -> None:
    """Refuse what is not one finite number > 0.

    >>> positive(sigma=1.0, n=3)
    >>> positive(sigma=0.0)
    Traceback (most recent call last):
    ValueError: sigma must be one number > 0, got 0.0
    """
    for name, value in values.items():
        if not _number(value) > 0.0:
            raise ValueError(f"{name} must be one number > 0, got {value!r}")


def non_negative(**values: object) -> None:
    """Refuse what is not one finite number ≥ 0."""
    for name, value in values.items():
        if not _number(value) >= 0.0:
            raise ValueError(f"{name} must be one number ≥ 0, got {value!r}")


def whole_number(least: int = 1, /, **values: object) -> None:
    """Refuse what is not a whole number ≥ `least`; 3.0 is one.

    >>> whole_number(steps=2.5)
    Traceback (most recent call last):
    ValueError: steps must be a whole number ≥ 1, got 2.5
    """
    for name, value in values.items():
        number = _number(value)
        if not (number >= least and number == math.floor(number)):
            raise ValueError(f"{name} must be a whole number ≥ {least}, got {value!r}")


def probability(**values: object) -> None:
    """Refuse what is not one number of the open interval (0, 1): a δ, γ or β whose logarithm is taken."""
    for name, value in values.items():
        if not 0.0 < _number(value) < 1.0:
            raise ValueError(f"{name} must be one number in (0, 1), got {value!r}")


def share(**values: object) -> None:
    """Refuse what is not one number of (0, 1]: a sampling rate."""
    for name, value in values.items():
        if not 0.0 < _number(value) <= 1.0:
            raise ValueError(f"{name} must be one number in (0, 1], got {value!r}")


def unit_interval(**values: object) -> None:
    """Refuse what is not one number of [0, 1]."""
    for name, value in values.items():
        if not 0.0 <= _number(value) <= 1.0:
            raise ValueError(f"{name} must be one number in [0, 1], got {value!r}")


def numbers(name: str, value: object, *, low: float = -math.inf, high: float = math.inf) -> Array:
    """`value` as an array of finite numbers in [low, high], of any shape.

    >>> numbers("delta", [0.1, 2.0], low=0.0, high=1.0)
    Traceback (most recent call last):
    ValueError: delta must be in [0, 1], got 2.0
    """
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be numbers, got {value!r}") from None
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite, got {value!r}")
    outside = array[(array < low) | (array > high)]
    if outside.size:
        wanted = f"≥ {low:g}" if high == math.inf else f"≤ {high:g}" if low == -math.inf else ""
        raise ValueError(f"{name} must be {wanted or f'in [{low:g}, {high:g}]'}, got {float(outside[0])}")
    return array


def probabilities(name: str, value: object) -> Array:
    """`value` as a non-empty vector of probabilities that add up to 1 within 1e-9."""
    array = numbers(name, value, low=0.0)
    if array.ndim != 1 or array.size == 0:
        raise ValueError(f"{name} must be a non-empty list of numbers, got shape {array.shape}")
    total = math.fsum(array)
    if abs(total - 1.0) > 1e-9:
        raise ValueError(f"{name} must add up to 1, got {total}")
    return array


def within(bound: float, /, **arrays: Array) -> None:
    """Refuse an array that is empty or has an entry outside [−bound, bound].

    >>> within(1.0, x=np.array([0.5, 2.0]))
    Traceback (most recent call last):
    ValueError: x must lie in [-1, 1], got values in [0.5, 2]; clip it first
    """
    for name, array in arrays.items():
        if array.size == 0:
            raise ValueError(f"{name} must hold at least one number, got shape {array.shape}")
        low, high = float(array.min()), float(array.max())
        if not (low >= -bound and high <= bound):  # NaN fails both comparisons
            raise ValueError(
                f"{name} must lie in [-{bound:g}, {bound:g}], "
                f"got values in [{low:g}, {high:g}]; clip it first"
            )


def rows_within_unit_ball(**arrays: Array) -> None:
    """Refuse an array (n, p) with a row that is longer than 1 (1e-12 is left to rounding)."""
    for name, array in arrays.items():
        longest = float(np.linalg.norm(array, axis=-1).max(initial=0.0))
        if not longest <= 1.0 + 1e-12:
            raise ValueError(f"{name} must have norm ≤ 1, got {longest}; scale the records first")


def one_of(choices: Iterable[Any], /, **values: object) -> None:
    """Refuse what is not among `choices`.

    >>> one_of(("a", "b"), kind="c")
    Traceback (most recent call last):
    ValueError: kind must be one of 'a', 'b', got 'c'
    """
    allowed = list(choices)
    for name, value in values.items():
        if value not in allowed:
            listed = ", ".join(repr(choice) for choice in allowed)
            raise ValueError(f"{name} must be one of {listed}, got {value!r}")


def _number(value: Any) -> float:
    """The value as a float; NaN, which fails every comparison, where it is not one finite number."""
    if not isinstance(value, float | int) and (
        isinstance(value, str | bytes | list | tuple) or np.ndim(value) > 0
    ):
        return math.nan
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan
    return number if math.isfinite(number) else math.nan
