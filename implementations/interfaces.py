"""The few types that algorithms, instruments and claims share.

A mechanism is any callable ``mechanism(data, size, rng)`` that returns `size` independent outputs on
`data`, first axis first. Everything here is a frozen dataclass, an enumeration or a protocol: there is no
class to inherit from.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

BOTTOM: Final = None
"""The failure symbol ⊥ of a mechanism that may refuse to answer: an atom of its own among the outputs."""


class Adjacency(StrEnum):
    """When two datasets are neighbours. It never has a default: the three give three different claims.

    A dataset is a sequence of records (users); a user-level dataset is a sequence of sequences of items.
    """

    REPLACE = "replace"
    """Same number of records, one of them replaced (Dwork et al. 2006; Definition 2.5 of song2021)."""
    REPLACE_ITEM = "replace-item"
    """Same users, one single item of one user replaced."""
    ADD_REMOVE = "add-remove"
    """One dataset is the other with one record added."""


class Mechanism(Protocol):
    """A randomised algorithm, vectorised over Monte Carlo draws."""

    def __call__(self, data: Any, size: int, rng: np.random.Generator, /) -> NDArray[Any]:
        """Return `size` independent outputs on `data`, shape (size, …)."""
        ...


@dataclass(frozen=True, slots=True)
class Loss:
    """A scalar link loss φ(z; y) of a generalised linear model, ℓ(θ; (x, y)) = φ(⟨θ, x⟩; y).

    `value(z, y)` and `slope(z, y)` broadcast; `slope` is one subgradient in z, |slope| ≤ `lipschitz`.
    `smoothness` bounds the second derivative (``inf`` where there is a kink).
    """

    name: str
    value: Callable[[Array, Array], Array]
    slope: Callable[[Array, Array], Array]
    lipschitz: float
    smoothness: float
    convex: bool


@dataclass(frozen=True, slots=True)
class Domain:
    """A closed convex set with its Euclidean projection; `diameter` is ``inf`` for ℝᵖ.

    `project` maps an array (…, p) to the nearest points of the set, row by row.
    """

    name: str
    project: Callable[[Array], Array]
    diameter: float


@dataclass(frozen=True, slots=True)
class Problem:
    """An empirical risk minimisation problem over a generalised linear model.

    features  (n, p), one record a row; targets (n,).
    loss      the link loss.
    optimum   a minimiser of the empirical risk, (p,), of least seminorm; None where it is not known.
    """

    features: Array
    targets: Array
    loss: Loss
    optimum: Array | None = None
