"""Noise that the output does not follow: the ledger accuses nobody of what was chosen with it."""

from __future__ import annotations

import numpy as np
import pytest

from audits.trace import trace_privacy

PAIR = [(np.array([0, 1, 1, 2, 2]), np.array([0, 1, 1, 2, 1]))]


def scores(data, rng):
    # Numbers that cannot be followed: the trace takes them as released.
    return [float(str(0.5 * (data == i).sum() + rng.gumbel())) for i in range(3)]


def order(data, rng):
    return np.argsort(scores(data, rng)).tolist()


def order_and_largest(data, rng):
    noisy = scores(data, rng)
    return np.argsort(noisy).tolist(), max(noisy)


def rounded(data, rng):
    return max(0, round(float((data == 1).sum() + rng.laplace(scale=0.5))))


def between_two_ends(data, rng):
    return min(2.5, max(1.5, float((data == 1).sum() + rng.laplace(scale=0.5))))


@pytest.mark.parametrize(
    ("program", "verdict"),
    [
        (order, "lost"),
        (order_and_largest, "ledger-exceeds"),
        (rounded, "ledger-exceeds"),
        (between_two_ends, "ledger-exceeds"),
    ],
)
def test_a_ledger_exceeds_a_claim_by_numbers_that_the_output_shows(program, verdict):
    result = trace_privacy(program, PAIR, epsilon=1.0, adjacency="replace", seeds=3, black_box=False)
    assert result.verdict == verdict, result.summary()
    assert (result.epsilon_ledger is None) == (verdict == "lost")


def by_a_choice(data, rng):
    return len(data) + rng.choice([-1, 1]) * rng.exponential(1.0)


def by_a_branch(data, rng):
    size = rng.exponential(1.0)
    return len(data) + (size if rng.random() < 0.5 else -size)


def beside_a_choice(data, rng):
    return len(data) + rng.exponential(1.0), rng.choice([-1, 1])


@pytest.mark.parametrize(
    ("program", "verdict"),
    [(by_a_choice, "lost"), (by_a_branch, "lost"), (beside_a_choice, "ledger-exceeds")],
)
def test_a_size_with_a_random_sign_is_no_noise_of_one_side(program, verdict):
    shorter = [(PAIR[0][0], PAIR[0][0][1:])]
    result = trace_privacy(program, shorter, epsilon=1.0, adjacency="add-remove", seeds=2, black_box=False)
    assert result.verdict == verdict, result.summary()
