"""Randomised response, and the slip of flipping everybody's answer with one shared coin."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from implementations.controls._control import Law
from implementations.interfaces import Mechanism


def randomised_response(epsilon: float) -> Mechanism:
    """Each user's bit, told truly with probability e^ε/(1 + e^ε), coins independent (Warner 1965).

    Data: n bits; output (size, n) booleans.
    """

    def mechanism(data: Any, size: int, rng: np.random.Generator, /) -> NDArray[np.bool_]:
        bits = np.asarray(data, bool)
        return bits ^ (rng.random((size, bits.size)) < _flip(epsilon))

    return mechanism


def shared_coin_response(epsilon: float) -> Mechanism:
    """Randomised response with one coin for all users: the answers are all true or all flipped.

    Whoever sees the answers of two users knows whether their bits are equal, so no ε holds for n ≥ 2.
    """

    def mechanism(data: Any, size: int, rng: np.random.Generator, /) -> NDArray[np.bool_]:
        return np.asarray(data, bool) ^ (rng.random((size, 1)) < _flip(epsilon))

    return mechanism


def randomised_response_law(epsilon: float) -> Callable[[Any], Law]:
    """Finite law of `randomised_response` over the 2ⁿ answers; cell = the answers read as a binary number."""
    flip = _flip(epsilon)

    def law(data: Any) -> Law:
        mass = np.ones(1)
        for bit in np.asarray(data, bool):
            mass = np.outer(mass, [flip, 1.0 - flip] if bit else [1.0 - flip, flip]).ravel()
        return Law(mass=mass, cell=_binary, atoms=True)

    return law


def shared_coin_response_law(epsilon: float) -> Callable[[Any], Law]:
    """Finite law of `shared_coin_response`: two answers of the 2ⁿ."""
    flip = _flip(epsilon)

    def law(data: Any) -> Law:
        bits = np.asarray(data, bool)
        mass = np.zeros(2**bits.size)
        mass[_binary(bits[None])[0]] += 1.0 - flip
        mass[_binary(~bits[None])[0]] += flip
        return Law(mass=mass, cell=_binary, atoms=True)

    return law


def _flip(epsilon: float) -> float:
    return 1.0 / (1.0 + math.exp(epsilon))


def _binary(outputs: NDArray[Any]) -> NDArray[np.intp]:
    return outputs @ (2 ** np.arange(outputs.shape[1] - 1, -1, -1))
