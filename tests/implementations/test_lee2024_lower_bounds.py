"""Tracing, coalitions, packings, extensions and copies of lee2024 against brute force."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import optimize

from implementations.lee2024 import (
    coalitions,
    fingerprinting,
    l1_instance,
    lipschitz_extension,
    packing,
)


def test_trace_finds_the_owner_of_a_copied_word() -> None:
    rng = np.random.default_rng(3)
    hidden = fingerprinting.generate_hidden(6, 1e-3, rng)
    for user in range(6):
        assert fingerprinting.trace(hidden, hidden.words[user], rng, threshold="tardos") == user
    nothing = np.zeros(hidden.order.size, dtype=np.int8)
    assert fingerprinting.trace(hidden, nothing, rng, threshold="printed") is None


def test_average_then_round_is_the_majority() -> None:
    words = np.array(list(itertools.product((0, 1), repeat=4)), dtype=np.int8).T
    majority = coalitions.by_count(words, coalitions.rules(4)["majority"], np.random.default_rng(0))
    assert (coalitions.average_then_round(words) == majority).all()


def test_linear_extension_is_the_minimum_over_the_ball() -> None:
    rng = np.random.default_rng(7)
    for _ in range(10):
        z = rng.standard_normal(3)
        z *= rng.uniform(0, 1) / np.linalg.norm(z)
        theta = 1.5 * rng.standard_normal(3)

        def objective(y: np.ndarray, z: np.ndarray = z, theta: np.ndarray = theta) -> float:
            return float(-y @ z + np.linalg.norm(theta - y))

        ball = {"type": "ineq", "fun": lambda y: 1.0 - y @ y}
        starts = [np.zeros(3), 0.9 * theta / np.linalg.norm(theta), 0.9 * z / np.linalg.norm(z)]
        best = min(optimize.minimize(objective, s, constraints=ball).fun for s in starts)
        assert lipschitz_extension.linear_on_ball(theta, z) == pytest.approx(best, abs=2e-5)


def test_extension_on_a_cover_is_the_function_on_the_cover_and_lipschitz() -> None:
    cover = np.linspace(-1.0, 1.0, 201)[:, None]
    values = np.abs(cover[:, 0] - 0.3)
    assert lipschitz_extension.on_cover(values, cover, 1.0, cover) == pytest.approx(values)
    x = np.linspace(-5, 5, 1001)[:, None]
    extended = lipschitz_extension.on_cover(values, cover, 1.0, x)
    assert (np.abs(np.diff(extended)) <= 0.01 + 1e-12).all()
    assert extended == pytest.approx(np.abs(x[:, 0] - 0.3))


@pytest.mark.parametrize("d", [2, 5, 8, 12])
def test_packing_distances(d: int) -> None:
    generator = packing.generator_matrix(d, np.random.default_rng(d))
    points = packing.points(packing.words(generator))
    assert points.shape == (2 ** (d // 2), d)
    assert np.linalg.norm(points, axis=1) == pytest.approx(np.ones(len(points)))
    pairs = itertools.combinations(points, 2)
    least = min(float(np.linalg.norm(a - b)) for a, b in pairs)
    assert packing.least_distance(generator) == pytest.approx(least)
    data = packing.dataset(points[1], 7, 3)
    assert np.linalg.norm(data.sum(axis=0)) == pytest.approx(3.0)


def test_copies_and_padding() -> None:
    data = np.array([[1.0, 0.0], [1.0, 1.0]])
    copied = l1_instance.copy_and_append(data, 7, 3)
    assert copied.tolist() == [[1.0, 0.0]] * 3 + [[1.0, 1.0]] * 3 + [[0.0, 0.0]]
    assert l1_instance.pad(data, 5).tolist() == data.tolist() + [[0.0, 0.0], [1.0, 1.0], [0.5, 0.5]]
