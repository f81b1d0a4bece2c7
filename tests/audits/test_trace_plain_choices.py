"""Choices among plain numbers: noise that is too small for its claim is not passed over.

In each program noise becomes a plain number before it is added to the data, and only a choice is released.
Its scale is a fifth of what the claim needs, or less, so that runs on D and on D′ differ but rarely.
"""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from audits.trace import trace_privacy

D = np.array([0] * 9 + [1] * 12 + [2] * 3)
PAIR = [(D, D[1:])]


def counts(data):
    return [int(np.sum(data == i)) for i in range(3)]


def winner_of_a_list(data, rng):
    noise = rng.laplace(scale=0.2, size=3).tolist()
    scores = [c + float(z) for c, z in zip(counts(data), noise, strict=True)]
    return scores.index(max(scores))


def winner_of_an_array(data, rng):
    noise = np.array([rng.laplace(scale=0.2) for _ in range(3)])
    return int(np.argmax(np.array(counts(data)) + noise))


def threshold(data, rng):
    return "large" if len(data) + float(rng.laplace(scale=0.1)) > 20 else "small"


def order(data, rng):
    noise = [float(random.gauss(0.0, 0.3)) for _ in range(3)]
    return sorted(range(3), key=lambda i: counts(data)[i] + noise[i])


def whole_numbers(data, rng):
    return len(data) + int(rng.geometric(0.95)) - int(rng.geometric(0.95)) >= 21


def logarithm(data, rng):
    u = rng.random() - 0.5
    return len(data) + float(-0.1 * math.copysign(math.log(1 - 2 * abs(u)), u)) > 21.3


@pytest.mark.parametrize(
    "program", [winner_of_a_list, winner_of_an_array, threshold, order, whole_numbers, logarithm]
)
def test_a_choice_by_plain_noise_that_is_too_small_is_not_passed(program):
    result = trace_privacy(program, PAIR, epsilon=1.0, adjacency="add-remove", seeds=2, black_box=False)
    assert result.verdict == "lost", result.summary()


def start(data, rng):
    return [float(rng.normal()) for _ in range(3)], len(data) + rng.laplace()


def people(data, rng):
    noisy = [max(0.0, (data == i).sum() + rng.laplace()) for i in range(3)]
    ends = np.cumsum(noisy) / (sum(noisy) or 1.0)
    return [int(np.sum(float(rng.random()) > ends)) for _ in range(8)]


@pytest.mark.parametrize("program", [start, people])
def test_plain_noise_that_hides_nothing_is_nothing(program):
    result = trace_privacy(program, PAIR, epsilon=1.0, adjacency="add-remove", seeds=2, black_box=False)
    assert result.verdict == "nothing-found", result.summary()
