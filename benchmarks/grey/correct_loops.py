"""Noisy descent as people write it: noise first or last, numbers or vectors, coins in the loop."""

import numpy as np

SHARES = np.array([0.2, 0.9, 0.5, 0.7, 0.1, 0.3])
ONE_LESS = [(SHARES, SHARES[:-1]), (SHARES, SHARES[1:])]


def noise_after_the_loop(data, rng):
    weights = np.zeros(2)
    for _ in range(3):
        total = np.zeros(2)
        for x in data:
            gradient = np.array([x, 1 - x]) - weights
            total = total + gradient / max(1.0, np.linalg.norm(gradient))
        weights = weights + 0.1 * (total + rng.normal(0, 6.0, size=2))
    return weights


def noise_before_the_loop(data, rng):
    weights = np.zeros(2)
    for _ in range(3):
        total = rng.normal(0, 6.0, size=2)
        for x in data:
            gradient = np.array([x, 1 - x]) - weights
            total = total + gradient / max(1.0, np.linalg.norm(gradient))
        weights = weights + 0.1 * total
    return weights


def numbers_that_are_clamped(data, rng):
    weight = 0.0
    for _ in range(4):
        total = rng.normal(0, 6.0)
        for x in data:
            total = total + min(max(x - weight, -1), 1)
        weight = weight + 0.1 * total
    return weight


def coins_in_each_step(data, rng):
    answers = []
    for _ in range(3):
        total = rng.normal(0, 2.0)
        for x in data:
            if rng.random() < 0.3:
                total += x
        answers.append(total)
    return answers
