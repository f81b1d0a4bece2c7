"""What of an output `trace` looks at: exact data are found in whatever holds them, numbers of any size.

Programs that leak release an exact number; the others add noise to it. Seeds are fixed.
"""

from __future__ import annotations

import collections
import dataclasses
import datetime
import decimal
import enum
import fractions
import functools
import io
import json
import uuid
from array import array
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from audits.trace import trace_privacy

Data = np.ndarray
FIRST, SECOND = np.array([1.0, 1.0, 1.0]), np.array([1.0, 1.0, 0.0])


def traced(program: Callable[..., Any], seed: int = 0) -> Any:
    return trace_privacy(
        program, [(FIRST, SECOND)], epsilon=1.0, adjacency="replace", seed=seed, seeds=1, black_box=False
    )


@dataclasses.dataclass(frozen=True, slots=True)
class Release:
    mean: float
    total: float


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Private:
    def __init__(self, value: float) -> None:
        self._value = value


class Model:
    """Parameters in private attributes, as PyTorch has them."""

    def __init__(self, value: float) -> None:
        self.training, self._parameters = True, {"weight": value}

    def state_dict(self) -> dict[str, float]:
        return self._parameters


def ordered(total: float) -> dict[str, int]:
    return {"a": 1, "b": 2} if total > 2.0 else {"b": 2, "a": 1}


READ: dict[str, Callable[[float], Any]] = {
    "slots": lambda total: Release(0.0, total),
    "enumeration": lambda total: Colour.RED if total > 2.0 else Colour.BLUE,
    "decimal": decimal.Decimal,
    "fraction": lambda total: fractions.Fraction(int(total), 7),
    "time": lambda total: datetime.datetime(2020, 1, int(total)),
    "identifier": lambda total: uuid.UUID(int=int(total)),
    "deque": lambda total: collections.deque([total]),
    "array": lambda total: array("d", [total]),
    "memory": lambda total: memoryview(np.array([total])),
    "bytes": lambda total: bytearray(int(total)),
    "range": lambda total: range(int(total)),
    "keys": lambda total: {total: 1}.keys(),
    "values": lambda total: {"total": total}.values(),
    "order of keys": ordered,
    "exception": lambda total: ValueError(total),
    "mask": lambda total: np.ma.masked_array([1.0, 2.0], mask=[total > 2.0, False]),
    "model": Model,
}
UNREAD: dict[str, Callable[[float], Any]] = {
    "generator": lambda total: (x for x in [total]),
    "map": lambda total: map(float, [total]),
    "file": lambda total: io.StringIO(str(total)),
    "function": lambda total: lambda: total,
    "partial": lambda total: functools.partial(max, total),
    "private attributes": Private,
}


@pytest.mark.parametrize("name", READ)
def test_an_exact_number_is_found_in_what_holds_it(name: str) -> None:
    assert traced(lambda data, rng: READ[name](float(data.sum()))).verdict == "leak"
    noisy = traced(lambda data, rng: [READ[name](2.0), data.mean() + rng.laplace(scale=1 / 3)])
    assert noisy.verdict != "leak"


async def coroutine(data: Data, rng: np.random.Generator) -> float:
    return float(data.sum())


def test_what_cannot_be_looked_into_is_lost() -> None:
    for make in UNREAD.values():
        result = traced(lambda data, rng, make=make: (data.mean() + rng.laplace(), make(float(data.sum()))))
        assert result.verdict == "lost"
        assert "cannot be looked into" in result.lost[0].text
    assert traced(coroutine).verdict == "lost"  # without a warning


def test_what_draws_may_be_a_part_of_the_output() -> None:
    result = traced(lambda data, rng: [data.mean() + rng.laplace(scale=1 / 3), np.random.default_rng(0)])
    assert result.verdict == "nothing-found"


@pytest.mark.parametrize("whole", [float, int], ids=["float", "integer"])
def test_an_exact_large_count_is_a_leak(whole: Callable[[float], Any]) -> None:
    base = 1.6e9
    programs = (
        lambda data, rng: {"count": whole(base + data.sum()), "mean": data.mean() + rng.laplace(scale=1 / 3)},
        lambda data, rng: [whole(base + data.sum()), rng.laplace()],
        lambda data, rng: np.append(base + data, data.mean() + rng.laplace(scale=1 / 3)),
    )
    assert [traced(each).verdict for each in programs] == ["leak"] * 3


@pytest.mark.parametrize("seed", [0, *(pytest.param(k, marks=pytest.mark.slow) for k in (1, 2))])
@pytest.mark.parametrize("base", [5e7, 1.6e9])
def test_noise_beside_large_numbers_is_seen(base: float, seed: int) -> None:
    def of_two_laws(data: Data, rng: np.random.Generator) -> Any:
        down, up = (int(rng.geometric(1 - np.exp(-1))) for _ in range(2))
        return int(base + data.sum()) + up - down

    def in_single_precision(data: Data, rng: np.random.Generator) -> Any:
        return [np.float32(base) + np.float32(data.sum()) + np.float32(rng.laplace(scale=100.0)), 7]

    programs = (
        lambda data, rng: base + data.sum() + rng.laplace(),
        lambda data, rng: int(base + round(data.sum() + rng.laplace())),
        lambda data, rng: [base + data.sum() + json.loads(json.dumps(float(rng.laplace()))), base],
        of_two_laws,
        in_single_precision,
    )
    assert {traced(each, seed).verdict for each in programs} <= {"nothing-found", "lost"}
