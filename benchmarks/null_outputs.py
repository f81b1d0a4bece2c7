"""True claims whose outputs are of many kinds: text, times, containers, records, long vectors, wide integers.

Every mechanism says one bit by randomised response, or one number with Laplace noise, at ε = 1 and wraps it
in an output with chance beside it. What is done to a private answer keeps it private (post-processing), and
the answer can be read off each output: the claim is true, and tight on the event that reads it.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

Rng = np.random.Generator
Wrap = Callable[[Any, Rng], Any]
START = datetime.datetime(2026, 1, 1)


@dataclass(frozen=True, slots=True)
class Query:
    """An output of a user's own type."""

    tag: str
    values: tuple[float, int]


# --- One bit, said by randomised response ------------------------------------------------------------


def _permutation(bit: bool, rng: Rng) -> list[int]:
    order = [int(x) for x in rng.permutation(6)]
    return order if (order.index(2) < order.index(4)) == bit else order[::-1]


def _relation(bit: bool, rng: Rng) -> Any:
    values = rng.normal(size=6)
    values[5] = values[:5].sum() + (0.0 if bit else rng.normal())
    return values


def _keys(bit: bool, rng: Rng) -> dict[str, Any]:
    keys = [f"k{i}" for i in rng.choice(50, 3, replace=False)]
    return {key: round(rng.normal(), 2) for key in keys} | {"answer": "yes" if bit else "no"}


def _shapes(bit: bool, rng: Rng) -> Any:
    values = rng.normal(size=(int(rng.integers(1, 6)), int(rng.integers(1, 6))))
    values[0, 0] = abs(values[0, 0]) if bit else -abs(values[0, 0])
    return values


def _ranks(bit: bool, rng: Rng) -> Any:
    values = rng.normal(size=120)
    values[[11, 90]] = np.sort(values[[11, 90]])[:: 1 if bit else -1]
    return values


BITS: dict[str, Wrap] = {
    "flag and count, or None": lambda bit, rng: None if rng.random() < 0.02 else (bit, int(rng.poisson(3))),
    "dictionary of few of many keys": _keys,
    "set of words": lambda bit, rng: {f"w{i}" for i in rng.choice(20, 4)} | ({"in"} if bit else set()),
    "arrays of many shapes": _shapes,
    "pairs in a list, mostly few": lambda bit, rng: [("x", int(bit))] + [("y", 2)] * int(rng.poisson(0.1)),
    "linear relation of 6 columns": _relation,
    "order of 6 elements": _permutation,
    "which of 2 of 120 columns is larger": _ranks,
    "dataclass": lambda bit, rng: Query("yes" if bit else "no", (rng.normal(), int(rng.poisson(2)))),
    "frame of two rows": lambda bit, rng: pd.DataFrame(
        {"name": ["a", "b"], "value": [rng.normal(), float(bit)]}
    ),
    "parity of the day of a time": lambda bit, rng: (
        START + datetime.timedelta(days=2 * int(rng.integers(400)) + bit)
    ),
    "fraction": lambda bit, rng: Fraction(2 * int(rng.integers(1, 99)) + 1, 64 if bit else 128),
    "one-hot of 30": lambda bit, rng: np.eye(30, dtype=int)[2 * rng.integers(15) + bit],
    "infinity among numbers": lambda bit, rng: (
        rng.normal() if rng.random() < 0.8 else math.copysign(math.inf, bit - 0.5)
    ),
    "length of a list": lambda bit, rng: [rng.normal()] * (2 + int(bit) + 2 * int(rng.poisson(0.3))),
}


# --- One number with Laplace noise -------------------------------------------------------------------

NUMBERS: dict[str, Wrap] = {
    "complex number, or None": lambda x, rng: None if rng.random() < 0.02 else complex(x, rng.normal()),
    "time, or None": lambda x, rng: None if rng.random() < 0.02 else START + datetime.timedelta(hours=x),
    "lists nested now and then": lambda x, rng: [[x, 1.0]] if rng.random() < 0.05 else [x, rng.normal()],
    "numbers up to infinity": lambda x, rng: 2e307 * x,
    "decimal of two places": lambda x, rng: Decimal(f"{math.floor(100 * x) / 100:.2f}"),
    "dictionary in a dictionary": lambda x, rng: {"a": {"b": [x, rng.normal()]}, "c": int(rng.poisson(1))},
    "number in 40 columns": lambda x, rng: np.r_[rng.normal(size=39), x],
    "number in 200 columns": lambda x, rng: np.r_[rng.normal(size=100), x, rng.poisson(2, 99)],
    "series": lambda x, rng: pd.Series({"mean": x, "std": abs(rng.normal())}),
    "number or word": lambda x, rng: x if rng.random() < 0.9 else "refused",
    "number and its rounded self": lambda x, rng: (x, round(x, 1), int(x)),
}


def said(wrap: Wrap, data: int, rng: Rng) -> Any:
    """One output that holds randomised response at ε = 1."""
    return wrap((rng.random() < 1.0 / (1.0 + math.exp(-1.0))) == bool(data), rng)


def noisy(wrap: Wrap, data: int, rng: Rng) -> Any:
    """One output that holds a number with Laplace noise at ε = 1."""
    return wrap(data + rng.laplace(), rng)
