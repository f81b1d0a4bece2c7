"""What is known of laws while a program runs: the reach of whole numbers, other draws, comparisons."""

from __future__ import annotations

from typing import Any, Callable, Mapping, Optional, Tuple

import numpy as np

MIRRORED = {
    "less": "greater",
    "less_equal": "greater_equal",
    "greater": "less",
    "greater_equal": "less_equal",
}
"""Comparisons with their operands exchanged."""


def reach(law: str, params: Mapping[str, Any]) -> Optional[Tuple[int, int]]:
    """(low, high) of a draw of a place or a whole number, high excluded; None where that is not known."""
    try:
        if law == "choice":
            return 0, int(params["a"])
        if law != "integers":
            return None
        low, high = params.get("low"), params.get("high")
        return (0, int(low)) if high is None else (int(low), int(high))  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None


def sampler(law: str, params: Mapping[str, Any]) -> Optional[Callable[[Any, int, Tuple[int, ...]], Any]]:
    """A function (rng, count, shape) → `count` independent draws of the law; None where NumPy has no such
    law."""
    if not hasattr(np.random.Generator, law):
        return None
    values = {name: value for name, value in params.items() if value is not None}
    return lambda rng, count, shape: getattr(rng, law)(**values, size=(count, *shape))
