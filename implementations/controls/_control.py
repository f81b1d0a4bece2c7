"""What a control is: a mechanism of known privacy, with the exact law of its outputs where there is one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from implementations.interfaces import Adjacency, Array, Mechanism

Pair = tuple[Any, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Law:
    """Exact probabilities of the cells of a partition of the outputs; the same cells for every dataset.

    mass   (k,), the probability of each cell, summing to 1 up to rounding.
    cell   maps outputs (size, …) to the cell of each, integers (size,) in [0, k).
    atoms  every cell is a single output: the law is finite and the partition loses nothing.
    """

    mass: Array
    cell: Callable[[NDArray[Any]], NDArray[np.intp]]
    atoms: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """A mechanism, what is claimed of it, and what is true of it on one pair of neighbours.

    name          unique ("svt5").
    mechanism     ``mechanism(data, size, rng)`` → `size` outputs, first axis first.
    pair          (D, D′), neighbours under `adjacency`, on which `true_epsilon` is attained.
    adjacency     a word of `Adjacency`, or a function (D, D′) → bool where data are query answers.
    epsilon, delta   what is claimed.
    true_epsilon  the smallest ε at which the pair satisfies (ε, delta), both directions; ``inf`` where no ε
                  does; None where it is not known.
    private       the claim holds for every pair of neighbours, not just for this one.
    outputs       "real", "integer", "bits", "vector", "structured" or "mixed" (numbers and None).
    law           data → exact law; None where it is not known.
    source        where the mechanism, and the flaw, are published.
    exposing      the pair that shows the flaw with the fewest samples, where that is another one.
    """

    name: str
    mechanism: Mechanism
    pair: Pair
    adjacency: Adjacency | Callable[[Any, Any], bool]
    epsilon: float
    delta: float = 0.0
    true_epsilon: float | None
    private: bool
    outputs: str
    law: Callable[[Any], Law] | None
    source: str
    exposing: Pair | None = None


def queries_within_one(data: Any, other: Any) -> bool:
    """Whether two vectors of query answers differ by at most 1 in each coordinate.

    That is what neighbouring datasets do to queries of sensitivity 1, in any direction in each coordinate.

    >>> [queries_within_one((1, 1), other) for other in ((2, 0), (0, 2.5), (1,))]
    [True, False, False]
    """
    a, b = np.asarray(data, float), np.asarray(other, float)
    return a.shape == b.shape and bool(np.all(np.abs(a - b) <= 1.0))


def pure_epsilon(law: Callable[[Any], Law], pair: Pair) -> float:
    """The smallest ε at which a pair with finite laws satisfies ε-DP, both directions; may be ``inf``.

    Raises ValueError where the cells hold more than one output each: then the largest ratio of masses is
    only a lower bound.
    """
    first, second = law(pair[0]), law(pair[1])
    if not (first.atoms and second.atoms):
        raise ValueError(f"law must be finite (atoms), got cells of several outputs for the pair {pair!r}")
    p, q = first.mass, second.mass
    seen = (p > 0.0) | (q > 0.0)
    with np.errstate(divide="ignore"):
        return float(np.max(np.abs(np.log(p[seen]) - np.log(q[seen]))))
