"""What is audited: a mechanism with its pairs and its claim."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audits.privacy.claims import Approximate, Claim
from implementations.controls import Control

Rng = np.random.Generator
Array = NDArray[np.float64]
Laws = tuple[Array, Array]
"""The masses of the same cells under two laws."""


UNIT = Approximate(1.0, 0.0)


def any_two(first: Any, second: Any) -> bool:
    """Any two datasets are neighbours."""
    return True


@dataclass(frozen=True, slots=True)
class Size:
    """A method and a number of samples of each dataset; every `fewer`-th seed is audited with them."""

    method: str
    samples: int
    fewer: int = 1


@dataclass(frozen=True, slots=True)
class Case:
    """A mechanism that keeps its claim on its pairs, or breaks it.

    laws   of what it releases on the two datasets of its pair, or of what of it tells them apart.
    sizes  the audits that are run of it, where its claim is true and tight.
    """

    name: str
    mechanism: Callable[..., Any]
    pairs: Sequence[tuple[Any, Any]] = ((1, 0),)
    adjacency: Any = any_two
    laws: Callable[[], Laws] | None = None
    claim: Claim = UNIT
    errors: str = "raise"
    sizes: tuple[Size, ...] = ()


def of_control(control: Control, pair: tuple[Any, Any] | None = None) -> Case:
    """A control on the given pair; by default on the pair that exposes its flaw best."""
    data, other = pair or control.exposing or control.pair

    def laws() -> Laws:
        if control.law is None:
            raise ValueError(f"control must have an exact law, got {control.name!r} without one")
        return control.law(data).mass, control.law(other).mass

    claim = Approximate(control.epsilon, control.delta)
    return Case(control.name, control.mechanism, [(data, other)], control.adjacency, laws, claim)


def masses(first: Any, second: Any) -> Laws:
    """Masses as they are given."""
    return np.array(first, dtype=np.float64), np.array(second, dtype=np.float64)
