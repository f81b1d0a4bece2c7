"""What an audit promises to see, a leak of every kind: tails, atoms, missing values, symbols, types, columns.

Each mechanism leaks by one event whose probabilities (p, q) on the datasets 1 and 0 follow from the law that
it is written with; ε = 1 is claimed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from audits.privacy import each
from benchmarks.cases import Case, Rng, masses

TOLD = (0.9, 0.1)
"""A bit that is right in 90 % of the outputs."""


def leak(name: str, mechanism: Any, shares: tuple[float, float] = TOLD, errors: str = "raise") -> Case:
    """A mechanism on the datasets 0 and 1, and the probabilities (p, q) of its telling event."""
    p, q = shares
    return Case(name, mechanism, [(0, 1)], laws=lambda: masses([p, 1 - p], [q, 1 - q]), errors=errors)


def bit(data: int, size: int, rng: Rng, right: float = 0.9) -> Any:
    """A bit that is the dataset with probability `right`."""
    return (rng.random(size) < right) == bool(data)


def sometimes(data: int, size: int, rng: Rng, chance: float) -> Any:
    """Which outputs leak: each with the given chance on the dataset 1, none on the dataset 0."""
    return (rng.random(size) < chance) & (data == 1)


def noise_with(place: Callable[[int, Any, Rng], Any], chance: float) -> Callable[..., Any]:
    """Gaussian noise of scale 3; what leaks is replaced by `place(size, noise, rng)`."""

    def mechanism(data: int, size: int, rng: Rng) -> Any:
        noise = rng.normal(0.0, 3.0, size)
        return np.where(sometimes(data, size, rng, chance), place(size, noise, rng), noise)

    return mechanism


def column_of(width: int) -> Callable[..., Any]:
    """The bit in one of many columns of noise."""

    def mechanism(data: int, size: int, rng: Rng) -> Any:
        outputs = rng.normal(size=(size, width))
        outputs[:, width // 2] = bit(data, size, rng)
        return outputs

    return mechanism


def signs_agree(data: int, size: int, rng: Rng) -> Any:
    """Two columns of Gaussian noise whose signs agree where the bit is 1; a column alone tells nothing."""
    outputs = rng.normal(size=(size, 2))
    wrong = (outputs.prod(axis=1) > 0.0) != bit(data, size, rng)
    outputs[wrong, 0] *= -1.0
    return outputs


def same_value(data: int, size: int, rng: Rng) -> Any:
    """Two releases of one number: fresh noise where the bit is 0, the same noise where it is 1."""
    outputs = rng.normal(size=(size, 2))
    again = bit(data, size, rng)
    outputs[again, 1] = outputs[again, 0]
    return outputs


def correlated(data: int, size: int, rng: Rng) -> Any:
    """Two standard normal columns of correlation 0.8 or −0.8."""
    sign = 1.0 if data else -1.0
    outputs = rng.normal(size=(size, 2))
    outputs[:, 1] = sign * 0.8 * outputs[:, 0] + 0.6 * outputs[:, 1]
    return outputs


def shift_over(width: int) -> Callable[..., Any]:
    """Gaussian noise of scale 1 in columns that all move by 2.5 / √width, so that their mean moves by 2.5."""
    return lambda data, size, rng: 2.5 * data / math.sqrt(width) + rng.normal(size=(size, width))


def of_bit(wrap: Callable[[bool, Rng], Any]) -> Callable[..., Any]:
    """One output a call, made from the bit."""
    return each(lambda data, rng: wrap(bool(bit(data, 1, rng)[0]), rng))


def fails(data: int, rng: Rng) -> float:
    """Raises in 1 % of the calls, on the dataset 1 only."""
    if sometimes(data, 1, rng, 0.01)[0]:
        raise ArithmeticError
    return rng.normal()


def normal_tail(mean: float, cut: float) -> float:
    """P(N(mean, 1) > cut)."""
    return 0.5 * math.erfc((cut - mean) / math.sqrt(2.0))


# P(both signs of two normals agree) at correlation ρ is 1/2 + arcsin(ρ)/π (Sheppard).
AGREE = 0.5 + math.asin(0.8) / math.pi

LEAKS = (
    leak(
        "tail: Gaussian noise for a claim without δ",
        lambda data, size, rng: data + rng.normal(size=size),
        (normal_tail(1.0, 2.0), normal_tail(0.0, 2.0)),
    ),
    leak("tail: far out, once in 200", noise_with(lambda n, x, r: 1e3 + x, 0.005), (0.005, 0.0)),
    leak("atom: the true value, once in 500", noise_with(lambda n, x, r: 0.25, 0.002), (0.002, 0.0)),
    leak("atom: a number that is cut at its bound", noise_with(lambda n, x, r: 9.0, 0.02), (0.02, 0.0)),
    leak("atom: rounded numbers", noise_with(lambda n, x, r: np.round(x, 1), 0.02), (0.02, 0.0)),
    leak(
        "atom: zero of a count",
        lambda data, size, rng: rng.poisson(6.0 - 3.0 * data, size),
        (math.exp(-3.0), math.exp(-6.0)),
    ),
    leak("missing: infinity, once in 200", noise_with(lambda n, x, r: np.inf, 0.005), (0.005, 0.0)),
    leak(
        "missing: None beside numbers, once in 50",
        lambda data, size, rng: np.where(sometimes(data, size, rng, 0.02), None, rng.normal(size=size)),
        (0.02, 0.0),
    ),
    leak("missing: a failure, once in 100", each(fails), (0.01, 0.0), errors="symbol"),
    leak("missing: an empty list", of_bit(lambda b, rng: [] if b else [rng.normal()])),
    leak("symbol: the word", of_bit(lambda b, rng: "yes" if b else "no")),
    leak(
        "symbol: a rare one of a thousand",
        lambda data, size, rng: np.where(
            sometimes(data, size, rng, 0.01), "rare", rng.integers(0, 1000, size).astype(str)
        ),
        (0.01, 0.0),
    ),
    leak(
        "symbol: which keys a dictionary has",
        of_bit(lambda b, rng: {"a": rng.normal()} | ({"b": 1} if b else {})),
    ),
    leak("symbol: member of a set", of_bit(lambda b, rng: {1, 2, 3} if b else {1, 2})),
    leak("type: rows of a table", of_bit(lambda b, rng: pd.DataFrame({"x": rng.normal(size=3 + b)}))),
    leak("columns: one of 20", column_of(20)),
    leak("columns: one of 200", column_of(200)),
    leak("columns: the signs of two", signs_agree),
    leak("columns: noise that is used twice", same_value),
    leak("columns: correlation of two", correlated, (AGREE, 1.0 - AGREE)),
    leak(
        "columns: a small shift in each of 10",
        shift_over(10),
        (normal_tail(2.5, 1.25), normal_tail(0.0, 1.25)),
    ),
)
