"""Programs that the grey box once passed wrongly, accused wrongly, or could not follow.

As in `trace_programs`: each is a `Case` with the verdict that is right, in a table of its own.
"""

from __future__ import annotations

import math
import random
import secrets
from collections import Counter

import numpy as np
from scipy import stats

from tests.audits.trace_programs import CLEAN, EXCEEDS, LEAK, LN3, LOST, REMOVED, Case, case

TRUTH: dict[str, Case] = {}
FOUR = np.array([1.0, 1.0, 1.0, 1.0, 0.0, 0.5, 0.25, 0.75])
FOURTH = [(FOUR, FOUR[1:])]
WORDS = ["a"] * 30 + ["b"] * 30
RARE = [([*WORDS, "c"], WORDS), ([*WORDS[:30], "aa", *WORDS[30:]], WORDS)]


# --- Amplification ---


@case(EXCEEDS, FOURTH, epsilon=0.5, into=TRUTH)
def a_batch_beside_a_sum_of_all_records(data, rng):
    taken = rng.random(len(data)) < 0.25
    return taken.sum() * 0 + data.sum() + rng.laplace(0, 1.0)


@case(EXCEEDS, FOURTH, epsilon=0.5, into=TRUTH)
def a_hold_out_before_a_mean_of_all_records(data, rng):
    held = rng.choice(len(data), 2, replace=False)
    released = data.sum() + rng.laplace(0, 1.0)
    return released + 0.0 * len(held)


@case(EXCEEDS, FOURTH, epsilon=1.0, into=TRUTH)
def one_batch_for_eight_steps(data, rng):
    taken = rng.random(len(data)) < 0.25
    return [data[taken].sum() + rng.laplace(0, 1.0) for _ in range(8)]


@case(
    CLEAN,
    FOURTH,
    epsilon=math.log(1 + 0.25 * math.expm1(2.0)),
    cost=math.log(1 + 0.25 * math.expm1(2.0)),
    into=TRUTH,
)
def one_batch_for_two_statistics(data, rng):
    taken = rng.random(len(data)) < 0.25
    return [data[taken].sum() + rng.laplace(0, 1.0), taken.sum() * 1.0 + rng.laplace(0, 1.0)]


@case(
    CLEAN,
    FOURTH,
    epsilon=2 * math.log(1 + 0.25 * math.expm1(1.0)),
    cost=2 * math.log(1 + 0.25 * math.expm1(1.0)),
    into=TRUTH,
)
def a_batch_for_each_step(data, rng):
    return [data[rng.random(len(data)) < 0.25].sum() + rng.laplace(0, 1.0) for _ in range(2)]


@case(EXCEEDS, [(FOUR, np.append(0.0, FOUR[1:]))], epsilon=0.5, into=TRUTH)
def a_batch_whose_members_are_released(data, rng):
    taken = rng.choice(len(data), 2, replace=False)
    return sorted(data[taken].round(1) * 0 + taken), data[taken].sum() + rng.laplace(0, 1.0)


@case(EXCEEDS, FOURTH, epsilon=0.5, into=TRUTH)
def initial_centres_before_all_records(data, rng):
    centres = data[rng.choice(len(data), 2, replace=False)]
    start = float(np.clip(centres.mean() + rng.laplace(0, 50.0), 0, 1))
    return start, data.sum() + rng.laplace(0, 1.0)


# --- Draws whose arguments were not compared ---


@case(EXCEEDS, into=TRUTH)
def bounds_of_integers_from_the_data(data, rng):
    return int(rng.integers(0, 2 + int(data.sum())))


@case(LOST, into=TRUTH)
def a_histogram_of_the_data_is_drawn_from(data, rng):
    return float(stats.rv_histogram(np.histogram(data, bins=3, range=(0, 1))).rvs(random_state=rng))


@case(LEAK, into=TRUTH)
def records_in_another_order(data, rng):
    return rng.permuted(data)


# --- Fixed seeds ---


@case(LEAK, into=TRUTH)
def a_fixed_seed_of_numpy(data, rng):
    np.random.seed(42)  # noqa: NPY002  # here
    return data.mean() + np.random.laplace(0, 0.2)  # noqa: NPY002


@case(LEAK, into=TRUTH)
def a_fixed_generator(data, rng):
    own = np.random.default_rng(0)  # here
    return data.mean() + own.laplace(0, 0.2)


@case(LEAK, into=TRUTH)
def a_fixed_seed_of_random(data, rng):
    own = random.Random(7)  # here
    return float(data.mean()) + own.gauss(0, 100) + own.expovariate(5) - own.expovariate(5)


@case(CLEAN, into=TRUTH)
def a_fixed_projection_before_noise(data, rng):
    signs = np.random.default_rng(0).choice([-1.0, 1.0], size=5)
    return (signs * data).sum() + rng.laplace(0, 1.0)


# --- What comes and goes with the noise ---


@case(LEAK, REMOVED, into=TRUTH)
def a_count_that_is_clamped_now_and_then(data, rng):
    noisy = (data > 0.4).sum() + rng.laplace(0, 1.0)
    return min(noisy, float(len(data)))  # here


@case(LEAK, into=TRUTH)
def an_exact_value_now_and_then(data, rng):
    noisy = data.sum() + rng.laplace(0, 1.0)
    return data.sum() if noisy > 4.5 else noisy  # here


# --- Thresholds with δ ---


@case(CLEAN, RARE, delta=1e-4, into=TRUTH)
def stability_histogram(data, rng):
    released = {}
    for key, count in sorted(Counter(data).items()):
        noisy = count + rng.laplace(0, 1.0)
        if noisy > 12:
            released[key] = noisy
    return released


@case(CLEAN, RARE, delta=1e-4, into=TRUTH)
def stability_histogram_of_arrays(data, rng):
    keys, counts = np.unique(data, return_counts=True)
    noisy = counts + rng.laplace(0, 1.0, len(counts))
    return {str(k): float(v) for k, v in zip(keys, noisy, strict=True) if v > 12}


@case(LEAK, RARE, delta=1e-4, into=TRUTH)
def a_threshold_that_is_too_low(data, rng):
    released = {}
    for key, count in sorted(Counter(data).items()):
        noisy = count + rng.laplace(0, 1.0)
        if noisy > 3:
            released[key] = noisy
    return released


@case(LEAK, RARE, delta=1e-4, into=TRUTH)
def keys_without_a_threshold(data, rng):
    return {key: count + rng.laplace(0, 1.0) for key, count in sorted(Counter(data).items())}


# --- Intervals that a private draw chose ---


def _quantile(data, rng, epsilon):
    edges = np.concatenate([[0.0], np.sort(data), [1.0]])
    scores = -np.abs(np.arange(len(edges) - 1) - len(data) / 2)
    weights = np.diff(edges) * np.exp(epsilon * scores / 2)
    chosen = rng.choice(len(weights), p=weights / weights.sum())
    return edges[chosen], edges[chosen + 1]


SPREAD = np.array([0.1, 0.3, 0.45, 0.7, 0.9])
SPREADS = [(SPREAD, np.array([0.6, 0.3, 0.45, 0.7, 0.9]))]


@case(CLEAN, SPREADS, cost=0.3385934980, into=TRUTH)
def quantile_by_intervals(data, rng):
    low, high = _quantile(data, rng, 1.0)
    return rng.uniform(low, high)


@case(CLEAN, SPREADS, into=TRUTH)
def quantile_by_intervals_by_hand(data, rng):
    low, high = _quantile(data, rng, 1.0)
    return low + (high - low) * rng.random()


@case(EXCEEDS, SPREADS, epsilon=0.5, cost=0.7174775181, into=TRUTH)
def quantile_by_intervals_at_four_times_the_budget(data, rng):
    low, high = _quantile(data, rng, 2.0)
    return rng.uniform(low, high)


# --- Rejection and redraw ---


@case(CLEAN, epsilon=2.0, into=TRUTH)
def bounded_laplace_by_redraw(data, rng):
    while True:
        noisy = data.mean() + rng.laplace(0, 0.2)
        if 0.0 <= noisy <= 1.0:
            return noisy


@case(EXCEEDS, epsilon=1.0, into=TRUTH)
def bounded_laplace_by_redraw_at_the_plain_scale(data, rng):
    while True:
        noisy = data.mean() + rng.laplace(0, 0.2)
        if 0.0 <= noisy <= 1.0:
            return noisy


# --- Noise in ordinary style ---


@case(CLEAN, into=TRUTH)
def inverse_distribution_function_in_math(data, rng):
    u = random.random() - 0.5
    return float(data.mean()) - 0.201 * math.copysign(1.0, u) * math.log(1 - 2 * abs(u))


@case(CLEAN, into=TRUTH)
def inverse_distribution_function_of_scipy(data, rng):
    return data.mean() + stats.laplace.ppf(rng.uniform(), scale=0.201)


@case(CLEAN, into=TRUTH)
def whole_numbers_of_geometric_draws(data, rng):
    p = 1 - math.exp(-1.0)
    return int((data > 0.7).sum()) + int(rng.geometric(p)) - int(rng.geometric(p))


@case(CLEAN, epsilon=LN3, into=TRUTH)
def randomised_response_of_bits_of_secrets(data, rng):
    return [bool(x > 0.6) if secrets.randbits(2) else not x > 0.6 for x in data]


@case(CLEAN, delta=1e-5, into=TRUTH)
def eigenvectors_of_a_noisy_matrix(data, rng):
    matrix = np.outer(data, data)[:3, :3]
    noise = np.triu(rng.normal(0, 10.0, (3, 3)))
    noisy = matrix + noise + noise.T - np.diag(np.diag(noise))
    return np.linalg.eigh(noisy)[1][:, -1]


@case(CLEAN, FOURTH, into=TRUTH)
def a_batch_in_a_list(data, rng):
    batch = [x for x in data if rng.random() < 0.25]
    return sum(batch) + rng.laplace(0, 0.6)


@case(CLEAN, delta=1e-5, into=TRUTH)
def gaussian_of_two_uniform_numbers(data, rng):
    u, v = 1 - random.random(), random.random()
    noise = 1.0 * math.sqrt(-2 * math.log(u)) * math.cos(2 * math.pi * v)
    return float(data.mean()) + noise


@case(LEAK, into=TRUTH)
def a_scale_that_differs_a_little(data, rng):
    return data[1:].mean() + rng.laplace(0, 0.1 if data[0] > 0.5 else 0.097)  # here


@case(LEAK, into=TRUTH)
def a_scale_that_differs_a_little_above_zero(data, rng):
    return max(0.0, data[1:].mean() + rng.laplace(0, 0.1 if data[0] > 0.5 else 0.097))  # here


@case(CLEAN, epsilon=0.1, cost=math.log(10 / 9.7), into=TRUTH)
def cauchy_noise_of_a_smooth_sensitivity(data, rng):
    """Densities of two scales have a ratio of at most 10/9.7."""
    return (10.0 if data[0] > 0.5 else 9.7) * rng.standard_cauchy()


@case(LOST, delta=1e-5, into=TRUTH)
def descent_by_noise_that_is_plain(data, rng):
    """The last step's noise hides what earlier noise is multiplied by: no leak, and not followed."""
    w = 1.0
    for _ in range(3):
        w -= 0.1 * (np.clip(data * (data * w - 1), -1, 1).sum() + float(str(float(rng.normal(0, 10)))))
    return w


@case(LEAK, FOURTH, into=TRUTH)
def one_noise_for_a_length_and_a_sum(data, rng):
    noise = rng.laplace(0, 2.0)
    return len(data) + noise, data.sum() / 2 + noise  # here


@case(CLEAN, [(FOUR, np.append(0.0, FOUR[1:]))], cost=1.0, into=TRUTH)
def a_comparison_with_a_number_that_is_released(data, rng):
    order = rng.permutation(8)
    cut = data[order[:4]].mean() + rng.laplace(0, 0.25)
    return cut, (data[order[4:]] > cut).mean() + rng.laplace(0, 0.25)


@case(LOST, [(np.array([0.9, 0.1, 0.1]), np.array([0.1, 0.1]))], epsilon=2.0, into=TRUTH)
def whole_counts_that_are_cut_off_at_0(data, rng):
    """Each cell costs 1; where it is cut off at 0 the noise cannot be followed, and must not be accused."""
    p = 1 - math.exp(-1.0)
    counts, _ = np.histogram(data, bins=4, range=(0, 1))
    return [max(0, int(c) + int(rng.geometric(p)) - int(rng.geometric(p))) for c in counts]


@case(LOST, FOURTH, epsilon=2.0, into=TRUTH)
def two_generators_from_one_number(data, rng):
    key = int(rng.integers(0, 2**31))
    total = data.sum() + np.random.default_rng(key).laplace(0, 2.0)
    return total, np.sqrt(data).sum() + np.random.default_rng(key).laplace(0, 2.0)
