"""Noise that a library turns into plain numbers: what is made of it afterwards is no leak.

Each program releases a noisy count, of which the trace sees only a plain number, and goes on with it. With
the count itself in its place the program leaks. Whichever seed the trace takes, the first must never be
accused and the second always.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from audits.trace import trace_privacy

D = [1.0, 1.0, 0.0, 1.0, 1.0]
PAIRS = [(D, D[1:])]


class Adds:
    """A mechanism that is given 0: its noise is added elsewhere."""

    epsilon, sensitivity = 1.0, 1.0

    def randomise(self, value: float) -> float:
        return value + random.expovariate(1.0) - random.expovariate(1.0)


def of_a_mechanism(count: float, rng: np.random.Generator) -> float:
    return count + Adds().randomise(0.0)


def through_json(count: float, rng: np.random.Generator) -> float:
    return float(json.loads(json.dumps([count + float(str(float(rng.laplace())))]))[0])


def raises(known: float, data: Any, rng: np.random.Generator) -> Any:
    if int(np.floor(known)) % 2:
        raise ValueError("an odd number of records")
    return known


def draws_more(known: float, data: Any, rng: np.random.Generator) -> Any:
    return known + (rng.laplace() if int(np.floor(known)) % 2 else 0.0)


def permutes(known: float, data: Any, rng: np.random.Generator) -> Any:
    return known, rng.permutation(max(2, round(known)))


def scales(known: float, data: Any, rng: np.random.Generator) -> Any:
    return known, rng.normal(0.0, 1.0 + abs(known))


def multiplies(known: float, data: Any, rng: np.random.Generator) -> Any:
    return known, 3.0 + abs(known) * rng.normal()


def hides_again(known: float, data: Any, rng: np.random.Generator) -> Any:
    return known, 5.0 * known + rng.laplace()


def may_be_infinite(known: float, data: Any, rng: np.random.Generator) -> Any:
    with np.errstate(all="ignore"):
        return known, np.divide(1.0, float(int(np.floor(known)) % 2)) + rng.laplace()


def seeds(known: float, data: Any, rng: np.random.Generator) -> Any:
    return known, np.random.default_rng(int(1e6 * abs(known))).normal()


def chooses(known: float, data: Any, rng: np.random.Generator) -> Any:
    p = 1.0 / (1.0 + np.exp(-4.0 * (known - 4.5)))
    return known, rng.choice(2, p=[p, 1.0 - p])


USES = [raises, draws_more, permutes, scales, multiplies, hides_again, may_be_infinite, seeds, chooses]
PLAIN = [of_a_mechanism, through_json]


def verdict(program: Callable[..., Any], seed: int) -> str:
    result = trace_privacy(
        program, PAIRS, epsilon=1.0, adjacency="add-remove", seed=seed, seeds=3, black_box=False
    )
    return result.verdict


@pytest.mark.parametrize("seed", [0, *(pytest.param(k, marks=pytest.mark.slow) for k in (1, 2))])
@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("noisy", PLAIN)
def test_what_is_made_of_plain_noise_is_not_accused_and_a_count_beside_it_is(noisy, use, seed):
    def made_of_noise(data, rng):
        return use(noisy(float(sum(data)), rng), data, rng)

    def made_of_the_count(data, rng):
        count = float(sum(data))
        released = noisy(count, rng)
        made = use(count, data, rng)
        return released, made[1] if isinstance(made, tuple) else made

    assert verdict(made_of_noise, seed) in ("lost", "nothing-found")
    assert verdict(made_of_the_count, seed) in ("leak", "ledger-exceeds")


def test_a_mechanism_that_is_given_no_number_on_one_dataset_hides_nothing():
    pairs = [([1.0, np.nan, 0.5], [1.0, 0.5, 0.5])]
    result = trace_privacy(
        lambda data, rng: Adds().randomise(float(sum(data))), pairs, epsilon=1.0, adjacency="replace"
    )
    assert result.verdict == "leak"
    assert "noise is added to nan on D and to 2 on D′" in result.summary()
