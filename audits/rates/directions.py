"""Where a statement sends an axis: to infinity, like n, or to 0, like ε; faster growth is worse in both."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
from numpy.typing import NDArray

VANISHING = ("epsilon", "eps", "ε", "delta", "δ", "mu", "μ", "µ", "rho", "ρ", "strong_convexity")
"""Parameters of privacy, and of strong convexity: they go to 0."""
GROWING = (
    "n", "m", "d", "p", "k", "t", "size", "samples", "users", "items", "steps", "dimension", "rank",
    "smoothness", "condition",
)  # fmt: skip
"""Axes that go to infinity whatever their values; so does any other axis of integers ≥ 1 only."""


def falls(axis: str, values: NDArray[np.float64]) -> bool | None:
    """Whether the axis goes to 0, by its name or values; None where neither tells.

    >>> falls("epsilon", np.ones(1)), falls("users", np.ones(1)), falls("eta", np.array([0.1]))
    (True, False, None)
    >>> falls("1/n", np.ones(1)), falls("log(1/δ)", np.ones(1))
    (True, False)
    """
    name = axis.strip().lower()
    if name.startswith("1/"):
        inverse = falls(name[2:], np.ones(0))
        return None if inverse is None else not inverse
    if name.startswith("log(") and name.endswith(")"):
        return falls(name[4:-1], values)
    if name in VANISHING:
        return True
    if name in GROWING or bool(values.size and (values >= 1.0).all() and (values == np.round(values)).all()):
        return False
    return None


def directions(
    axes: Mapping[str, NDArray[np.float64]], vanishing: Collection[str] | None
) -> dict[str, bool | None]:
    """Whether each axis goes to 0: as told, where `vanishing` tells of all, else recognised."""
    return {axis: falls(axis, v) if vanishing is None else axis in vanishing for axis, v in axes.items()}


def which_is_worse(falling: bool | None) -> str:
    """The direction in which an exponent of the risk gets worse: "higher", "lower"; "either" if not known."""
    return "either" if falling is None else "lower" if falling else "higher"
