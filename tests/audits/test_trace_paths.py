"""Programs of coins are run on all paths: their ledger is the loss of the output, in closed form here."""

from __future__ import annotations

import math
import random
import secrets
from typing import Any

import numpy as np
import pytest

from audits.trace import trace_privacy

PAIR = ([0], [1])
P = math.exp(0.5) / (1.0 + math.exp(0.5))
"""Probability of a true bit in symmetric unary encoding at ε = 1."""


def traced(program: Any, epsilon: float = 1.0) -> Any:
    return trace_privacy(program, [PAIR], epsilon=epsilon, adjacency="replace", seeds=1, black_box=False)


def unary(data, rng):
    bits = rng.choice([1, 0], size=4, p=[1 - P, P])
    bits[data[0]] = 0
    if random.random() < P:
        bits[data[0]] = 1
    return bits


def unary_drawn_twice(data, rng):
    bits = rng.choice([1, 0], size=4, p=[1 - P, P])
    if random.random() < P:
        bits[data[0]] = 1
    return bits


def direct(data, rng):
    if random.random() < math.e / (math.e + 3):
        return data[0]
    other = random.randint(0, 2)
    return 3 if other == data[0] else other


def without_replacement(data, rng):
    chosen = rng.choice(3, size=2, replace=False)
    return sorted((chosen + data[0]) % 3), rng.binomial(1, 0.25) == data[0]


def counted(data, rng):
    bits = [int(bit) if secrets.randbelow(2) else secrets.randbelow(2) for bit in (*data, 1, 0)]
    return bits, sum(bits)


TWICE = P + (1 - P) * (1 - P)
"""P(1) of the bit of the own item where either draw sets it."""
LAWS = [
    (unary, 1.0),
    # (TWICE / (1 − P)) for the bit that is 1, and (P / (1 − TWICE)) for the one that is 0.
    (unary_drawn_twice, math.log(TWICE / (1 - P)) + math.log(P / (1 - TWICE))),
    (direct, 1.0),
    # A true bit with probability ¾; the sum of the bits shows nothing more than the bits.
    (counted, math.log(3.0)),
    # Pairs of places are moved to pairs of places, all equally likely; the bit is 1 with 1/4, or with 3/4.
    (without_replacement, math.log(3.0)),
]


@pytest.mark.parametrize(("program", "cost"), LAWS)
def test_the_ledger_is_the_loss_of_the_output(program: Any, cost: float) -> None:
    result = traced(program)
    assert result.exact
    assert result.epsilon_ledger == pytest.approx(cost, rel=1e-9)
    assert result.verdict == ("ledger-exceeds" if cost > 1.001 else "nothing-found")
    assert not result.lost


def test_a_uniform_number_that_is_more_than_compared_is_no_coin() -> None:
    def hidden(data, rng):
        u = rng.random()
        return int(u * 4) + data[0] if u < 0.5 else 0

    def never_compared(data, rng):
        return int(rng.random() * 4) + data[0]

    for program in (hidden, never_compared):
        result = traced(program)
        assert result.verdict == "lost"
        assert not result.exact


def test_a_doubt_of_any_run_is_settled_by_all_paths():
    # Place 7 is possible on the longer dataset alone; the first run may well draw another one.
    result = trace_privacy(
        lambda data: secrets.randbelow(len(data)), [(list(range(8)), list(range(7)))],
        epsilon=1.0, adjacency="add-remove", black_box=False,
    )  # fmt: skip
    assert result.exact
    assert (result.verdict, result.epsilon_ledger) == ("ledger-exceeds", np.inf)


def test_a_loop_that_coins_end_has_no_end_of_paths_and_is_lost():
    def geometric(data, rng):
        while random.random() < 0.5:
            data = [data[0] + 1]
        return data[0]

    result = traced(geometric)
    assert not result.exact
    assert (result.verdict, result.runs > 1) == ("lost", True)
