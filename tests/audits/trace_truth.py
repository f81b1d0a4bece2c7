"""Programs that the grey box once passed wrongly, accused wrongly, or could not follow.

As in `trace_programs`: each is a `Case` with the verdict that is right, in the same table.
"""

from __future__ import annotations

import math
import random
from collections import Counter

import numpy as np
import pandas as pd
from scipy import optimize, special, stats

from audits.trace.ledger.losses import gaussian_epsilon
from benchmarks.grey.correct_loops import noise_after_the_loop
from tests.audits.trace_programs import CLEAN, EXCEEDS, LEAK, LOST, REMOVED, case, cases

FOUR = np.array([1.0, 1.0, 1.0, 1.0, 0.0, 0.5, 0.25, 0.75])
FOURTH = [(FOUR, FOUR[1:])]
WORDS = ["a"] * 30 + ["b"] * 30
RARE = [([*WORDS, "c"], WORDS), ([*WORDS[:30], "aa", *WORDS[30:]], WORDS)]


# --- Amplification ---


@case(EXCEEDS, FOURTH, epsilon=0.5)
def a_batch_beside_a_sum_of_all_records(data, rng):
    taken = rng.random(len(data)) < 0.25
    return taken.sum() * 0 + data.sum() + rng.laplace(0, 1.0)


@case(EXCEEDS, FOURTH)
def one_batch_for_eight_steps(data, rng):
    taken = rng.random(len(data)) < 0.25
    return [data[taken].sum() + rng.laplace(0, 1.0) for _ in range(8)]


@case(
    CLEAN,
    FOURTH,
    epsilon=math.log(1 + 0.25 * math.expm1(2.0)),
    cost=math.log(1 + 0.25 * math.expm1(2.0)),
)
def one_batch_for_two_statistics(data, rng):
    taken = rng.random(len(data)) < 0.25
    return [data[taken].sum() + rng.laplace(0, 1.0), taken.sum() * 1.0 + rng.laplace(0, 1.0)]


@case(
    CLEAN,
    FOURTH,
    epsilon=2 * math.log(1 + 0.25 * math.expm1(1.0)),
    cost=2 * math.log(1 + 0.25 * math.expm1(1.0)),
)
def a_batch_for_each_step(data, rng):
    return [data[rng.random(len(data)) < 0.25].sum() + rng.laplace(0, 1.0) for _ in range(2)]


@case(EXCEEDS, [(FOUR, np.append(0.0, FOUR[1:]))], epsilon=0.5)
def a_batch_whose_members_are_released(data, rng):
    taken = rng.choice(len(data), 2, replace=False)
    return sorted(data[taken].round(1) * 0 + taken), data[taken].sum() + rng.laplace(0, 1.0)


@case(EXCEEDS, FOURTH, epsilon=0.5)
def initial_centres_before_all_records(data, rng):
    centres = data[rng.choice(len(data), 2, replace=False)]
    start = float(np.clip(centres.mean() + rng.laplace(0, 50.0), 0, 1))
    return start, data.sum() + rng.laplace(0, 1.0)


def descent_from_random_weights(data, rng):
    rows, w = np.stack([data, 1 - data], 1), rng.normal(scale=0.1, size=2)
    for _ in range(3):
        batch = rows[rng.random(len(data)) < 0.25]
        gradients = (batch @ w - 0.3)[:, None] * batch
        gradients /= np.maximum(1, np.linalg.norm(gradients, axis=1))[:, None]
        w = w - 0.5 * (gradients.sum(0) + 1.5 * rng.normal(size=2)) / 5.0
    return w


case(CLEAN, FOURTH, epsilon=3.0, delta=1e-2)(noise_after_the_loop)

cases(
    CLEAN,
    {
        "descent from random weights": descent_from_random_weights,
    },
    FOURTH,
    epsilon=3.0,
    delta=1e-5,
)


def clipped_batch(data, rng):
    return np.clip(data[rng.random(len(data)) < 0.25], 0.0, 1.0).sum() + rng.laplace()


def of_a_fixed_batch(data, rng):
    return data[np.random.default_rng(1).random(len(data)) < 0.5].sum() + rng.laplace()


HALF = math.log(1.0 + 0.25 * math.expm1(1.0))
cases(CLEAN, {"a batch of no records": clipped_batch}, [(FOUR[:1], FOUR[:0])], epsilon=HALF, cost=HALF)
# The second record is in the batch, whose members are the same in every run.
cases(EXCEEDS, {"a fixed batch": of_a_fixed_batch}, [(FOUR, np.delete(FOUR, 1))], epsilon=0.7, cost=1.0)


# --- Coins that are tossed in a loop ---

SHARES = np.array([0.3, 0.9, 0.1, 0.5, 0.7, 0.2, 1.0, 0.4])
ANOTHER = [(SHARES, np.append(1.0, SHARES[1:]))]


@case(EXCEEDS, ANOTHER, cost=7.0)
def little_noise_for_those_that_are_sampled(data, rng):
    shown = []
    for x in data:
        if rng.random() < 0.02:
            shown.append(x + rng.laplace(0, 0.1))
    return shown


@case(LOST, ANOTHER)
def no_noise_for_those_that_are_sampled(data, rng):
    """It leaks; what is seen in one run may be the work of the coin."""
    log = []
    for i, x in enumerate(data):
        if rng.random() < 0.01:
            log.append((i, round(x, 1), rng.random()))
    return log, sum(data) + rng.laplace(0, 1.0)


# --- Coins of one record among many ---

# Ten records whose paths are too many; a record costs ln P(1 | 1)/P(1 | 0) whatever the coins of the others.
TEN = np.array([1, 0, 1, 1, 0, 0, 1, 0, 1, 1])
BITS_OF_TEN = [(TEN, np.append(0, TEN[1:])), (TEN, np.append(TEN[:-1], 0))]


def two_coins(data, rng):
    return [int(x) if rng.random() < 0.9 else int(rng.random() < 0.5) for x in data]


def two_arrays(data, rng):
    return np.where(rng.random(len(data)) < 0.9, data, rng.integers(2, size=len(data)))


def sum_of_binomials(data, rng):
    kept = rng.binomial(1, 0.9, size=len(data))
    return (kept * data + (1 - kept) * rng.binomial(1, 0.5, size=len(data))).sum()


def rows_of_coins(data, rng):
    """The bits of unary encoding: two of them change."""
    bits = np.eye(2, dtype=int)[data]
    return np.where(rng.random(bits.shape) < 0.75, bits, 1 - bits)


def choices_of_random(data, rng):
    return [random.choices([int(x), 1 - int(x)], weights=[19, 1])[0] for x in data]


def in_any_order(data, rng):
    return rng.permutation(two_arrays(data, rng))


NINETEEN, NINE = math.log(0.95 / 0.05), 2.0 * math.log(3.0)
OF_ONE = {f.__name__: f for f in (two_coins, two_arrays, sum_of_binomials, choices_of_random)}
cases(CLEAN, OF_ONE, BITS_OF_TEN, epsilon=2.95, cost=NINETEEN)
cases(CLEAN, {"rows of coins": rows_of_coins}, BITS_OF_TEN, epsilon=2.2, cost=NINE)
# Shuffled reports show less than the report of one.
cases(LOST, {"in any order": in_any_order}, BITS_OF_TEN, epsilon=2.5)


# --- Draws whose arguments were not compared ---


@case(LOST)
def a_histogram_of_the_data_is_drawn_from(data, rng):
    return float(stats.rv_histogram(np.histogram(data, bins=3, range=(0, 1))).rvs(random_state=rng))


# --- Fixed seeds ---


@case(LEAK)
def a_fixed_generator(data, rng):
    own = np.random.default_rng(0)  # here
    return data.mean() + own.laplace(0, 0.2)


@case(LEAK)
def a_fixed_seed_of_random(data, rng):
    own = random.Random(7)  # here
    return float(data.mean()) + own.gauss(0, 100) + own.expovariate(5) - own.expovariate(5)


def reported(data, coins):
    return [int(x) if coins.random() < 0.75 else int(1 - x) for x in data]


BIT = [(np.array([1.0, 0.0, 1.0]), np.array([0.0, 0.0, 1.0]))]
cases(
    LEAK,
    {"coins of a fixed generator": lambda data, rng: reported(data, np.random.default_rng(0))},  # here
    BIT,
    epsilon=2.0,
)
cases(
    CLEAN,
    {"coins of the system": lambda data, rng: reported(data, np.random.default_rng())},
    BIT,
    epsilon=1.1,
    cost=math.log(3.0),
)


@case(CLEAN)
def a_fixed_projection_before_noise(data, rng):
    signs = np.random.default_rng(0).choice([-1.0, 1.0], size=5)
    return (signs * data).sum() + rng.laplace(0, 1.0)


# --- What comes and goes with the noise ---


@case(LEAK, REMOVED, seeds=None)
def a_count_that_is_clamped_now_and_then(data, rng):
    noisy = (data > 0.4).sum() + rng.laplace(0, 1.0)
    return min(noisy, float(len(data)))  # here


@case(LEAK, seeds=None)
def an_exact_value_now_and_then(data, rng):
    noisy = data.sum() + rng.laplace(0, 1.0)
    return data.sum() if noisy > 4.5 else noisy  # here


# --- Thresholds with δ ---


@case(CLEAN, RARE, delta=1e-4)
def stability_histogram(data, rng):
    released = {}
    for key, count in sorted(Counter(data).items()):
        noisy = count + rng.laplace(0, 1.0)
        if noisy > 12:
            released[key] = noisy
    return released


@case(LOST, RARE, delta=1e-4)
def stability_histogram_of_arrays(data, rng):
    keys, counts = np.unique(data, return_counts=True)
    noisy = counts + rng.laplace(0, 1.0, len(counts))
    return {str(k): float(v) for k, v in zip(keys, noisy, strict=True) if v > 12}


@case(CLEAN, [(list("aaaaabbbccd"), list("aaaaabbbcc"))], delta=1e-6)
def a_threshold_that_no_key_passes(data, rng):
    noisy = {key: count + rng.laplace(0, 1.0) for key, count in sorted(Counter(data).items())}
    return {key: value for key, value in noisy.items() if value > 14.2}


@case(LEAK, RARE, delta=1e-4)
def a_threshold_that_is_too_low(data, rng):
    released = {}
    for key, count in sorted(Counter(data).items()):
        noisy = count + rng.laplace(0, 1.0)
        if noisy > 3:
            released[key] = noisy
    return released


@case(LEAK, RARE, delta=1e-4)
def keys_without_a_threshold(data, rng):
    return {key: count + rng.laplace(0, 1.0) for key, count in sorted(Counter(data).items())}


# --- Noise that is not independent ---


def _of_functions(data, rng):
    first, second = rng.normal(0, 9.0, size=2)
    return data.sum() + (first + second), data[1] + (first + second)


def _differences(data, rng):
    noise = rng.normal(0, 9.0, size=len(data))
    return data + (noise - np.roll(noise, 1))


def _on_a_sphere(data, rng):
    direction = rng.normal(size=len(data))
    return data + 900.0 * direction / np.linalg.norm(direction)


def _through_the_norm(data, rng):
    noise = rng.normal(0, 9.0, size=len(data))
    return data + noise * min(1.0, 30.0 / np.linalg.norm(noise))


cases(
    LOST,
    {
        "functions of the same draws": _of_functions,
        "differences of noise, which add up to 0": _differences,
        "a direction of fixed length": _on_a_sphere,
        "noise that is clipped": _through_the_norm,
    },
    [(FOUR, np.append(0.5, FOUR[1:]))],
    epsilon=3.0,
    delta=1e-5,
)


def _with_the_sign_shown(data, rng):
    sign = rng.choice([-1, 1])
    return sign, data.sum() + sign * rng.exponential(2.0)


def _with_a_part_shown(data, rng):
    first, second = rng.exponential(2.0), rng.exponential(2.0)
    return first, data.sum() + (first - second)


cases(
    LOST,
    {
        "noise whose sign is shown": _with_the_sign_shown,
        "noise, a part of which is shown": _with_a_part_shown,
    },
)


@case(CLEAN, cost=0.5)
def a_random_sign(data):
    return float(data.sum()) + random.choice((-1, 1)) * random.expovariate(0.5)


PLANE = np.array([[0.1, 0.2, 0.3], [0.4, 0.1, 0.0], [0.3, 0.3, 0.9]])
PLANES = [(PLANE, PLANE + [[0.3, 0.0, -0.4], [0, 0, 0], [0, 0, 0]])]


# ln of exp(−‖x‖/θ)/exp(−‖x + v‖/θ) is at most ‖v‖/θ, which is 0.5/0.5.
@case(CLEAN, PLANES, cost=1.0)
def a_direction_times_a_gamma_length(data, rng):
    direction = rng.normal(size=3)
    return data.sum(axis=0) + rng.gamma(3, 0.5) * (direction / np.linalg.norm(direction))


@case(LOST, PLANES)
def a_direction_times_a_length_of_another_shape(data, rng):
    direction = rng.normal(size=3)
    return data.sum(axis=0) + rng.gamma(1, 0.5) * (direction / np.linalg.norm(direction))


APPROVED = np.array([[1, 0, 0, 1], [1, 1, 0, 0], [0, 1, 1, 0], [1, 0, 1, 0]])
BALLOTS = [(APPROVED, np.vstack([1 - APPROVED[:1], APPROVED[1:]]))]


def _scores(votes):
    return [n + (random.expovariate(0.5) - random.expovariate(0.5)) for n in votes.sum(axis=0).tolist()]


@case(CLEAN, BALLOTS)
def the_largest_in_turn(votes):
    best, found = -1e9, None
    for place, score in enumerate(_scores(votes)):
        if score > best:
            best, found = score, place
    return found


@case(LOST, BALLOTS)
def the_largest_in_turn_and_the_one_before(votes):
    best, found = -1e9, [None, None]
    for place, score in enumerate(_scores(votes)):
        if score > best:
            best, found = score, [found[1], place]
    return found


@case(LOST, [(FOUR, np.append(0.5, FOUR[1:]))], epsilon=3.0, delta=1e-5)
def one_noise_for_two_sums(data, rng):
    noise = rng.normal(0, 9.0)
    return data.sum() + noise, data[:2].sum() + noise


def _laplace(scale):
    u = random.random() - 0.5
    return -math.copysign(scale, u) * math.log(1 - 2 * abs(u))


def _of_another_width(data, rng):
    width = 0.5 + float(data.max() - data[0])
    return float(data.sum()) + (rng.exponential(1.0) * width - rng.exponential(1.0) * width)


def _inverted_with_another_width(data):
    return float(data.sum()) + _laplace(0.5 + float(data.max() - data[0]))


cases(
    LEAK,
    {
        "noise that is made with another width": _of_another_width,
        "noise that is inverted with another width": _inverted_with_another_width,
    },
    [(FOUR, np.append(0.5, FOUR[1:]))],
)


# A normal number by its inverse distribution function: the ratio of shift and deviation is 1/9.
@case(CLEAN, REMOVED, delta=1e-5, cost=gaussian_epsilon(1 / 9, 1e-5))
def noise_by_a_function_of_scipy(data, rng):
    return float(data.sum()) + 9.0 * special.ndtri(rng.random())


@case(CLEAN, PLANES, epsilon=1.0, delta=1e-5)
def a_symmetric_matrix(data, rng):
    upper = np.triu(rng.normal(0, 6.0, size=(3, 3)))
    return data.T @ data + (upper + np.triu(upper, 1).T)


# A sum of numbers that are noised already is no loop that adds to noise.
@case(CLEAN, [(FOUR, np.append(0.5, FOUR[1:]))], cost=1.0)
def partial_sums_of_noisy_numbers(data, rng):
    noisy = [float(x) + rng.laplace(0, 0.5) for x in data]
    return [sum(noisy[:k]) for k in range(len(noisy))] + [sum(noisy)]


# --- Intervals that a private draw chose ---

SPREAD = np.array([0.1, 0.3, 0.45, 0.7, 0.9])
SPREADS = [(SPREAD, np.array([0.6, 0.3, 0.45, 0.7, 0.9]))]


def _gaps(data, by_length=True):
    """The ends of the gaps between records, and logarithms of the weights of the exponential mechanism."""
    edges = np.concatenate([[0.0], np.sort(data), [1.0]])
    scores = -np.abs(np.arange(len(edges) - 1) - len(data) / 2)
    return edges, (np.log(np.diff(edges)) if by_length else 0.0) + scores / 2


def _loss(by_length=True):
    """The largest log-ratio of the densities of the median on the two datasets, on a fine grid."""
    points, logs = np.linspace(1e-3, 1 - 1e-3, 1997), []
    for edges, weights in (_gaps(data, by_length) for data in SPREADS[0]):
        chances = np.exp(weights) / np.exp(weights).sum()
        logs.append(np.log((chances / np.diff(edges))[np.searchsorted(edges, points) - 1]))
    return float(np.max(np.abs(logs[0] - logs[1])))


def _chosen(data, rng, **options):
    edges, weights = _gaps(data, **options)
    return edges, rng.choice(len(weights), p=np.exp(weights) / np.exp(weights).sum())


@case(CLEAN, SPREADS, cost=_loss())
def median_in_a_gap(data, rng):
    edges, chosen = _chosen(data, rng)
    return rng.uniform(edges[chosen], edges[chosen + 1])


@case(CLEAN, SPREADS, cost=_loss())
def median_in_a_gap_in_plain_python(data):
    edges, weights = _gaps(data)
    gaps = list(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True))
    low, high = random.choices(gaps, weights=np.exp(weights).tolist())[0]
    return min(max(low + (high - low) * random.random(), 0.05), 0.95)


@case(CLEAN, SPREADS)
def median_in_a_gap_by_gumbel_noise(data, rng):
    edges, weights = _gaps(data)
    chosen = np.argmax(weights + rng.gumbel(size=len(weights)))
    return rng.uniform(edges[chosen], edges[chosen + 1])


@case(EXCEEDS, SPREADS, cost=_loss(by_length=False))
def median_in_a_gap_whatever_its_length(data, rng):
    edges, chosen = _chosen(data, rng, by_length=False)
    return rng.uniform(edges[chosen], edges[chosen + 1])


@case(LOST, SPREADS)
def median_in_a_gap_and_its_place(data, rng):
    edges, chosen = _chosen(data, rng)
    return chosen, rng.uniform(edges[chosen], edges[chosen + 1])


@case(LOST, SPREADS)
def median_in_a_gap_by_cumulative_weights(data):
    edges, weights = _gaps(data)
    left, place = random.random() * np.exp(weights).sum(), 0
    while left > np.exp(weights[place]):
        left, place = left - np.exp(weights[place]), place + 1
    return random.uniform(float(edges[place]), float(edges[place + 1]))


@case(LEAK, SPREADS)
def median_in_a_gap_against_the_mean(data, rng):
    edges, chosen = _chosen(data, rng)
    released = rng.uniform(edges[chosen], edges[chosen + 1])
    return released, int((data > released).sum())


# --- Rejection and redraw ---


@case(LOST, epsilon=2.0)
def bounded_laplace_by_redraw(data, rng):
    while True:
        noisy = data.mean() + rng.laplace(0, 0.2)
        if 0.0 <= noisy <= 1.0:
            return noisy


# --- Noise in ordinary style ---


@case(CLEAN)
def inverse_distribution_function_in_math(data, rng):
    u = random.random() - 0.5
    return float(data.mean()) - 0.201 * math.copysign(1.0, u) * math.log(1 - 2 * abs(u))


@case(CLEAN)
def inverse_distribution_function_of_scipy(data, rng):
    return data.mean() + stats.laplace.ppf(rng.uniform(), scale=0.201)


@case(CLEAN)
def whole_numbers_of_geometric_draws(data, rng):
    p = 1 - math.exp(-1.0)
    return int((data > 0.7).sum()) + int(rng.geometric(p)) - int(rng.geometric(p))


@case(CLEAN, delta=1e-5)
def eigenvectors_of_a_noisy_matrix(data, rng):
    matrix = np.outer(data, data)[:3, :3]
    noise = np.triu(rng.normal(0, 10.0, (3, 3)))
    noisy = matrix + noise + noise.T - np.diag(np.diag(noise))
    return np.linalg.eigh(noisy)[1][:, -1]


@case(CLEAN, delta=1e-5)
def gaussian_of_two_uniform_numbers(data, rng):
    u, v = 1 - random.random(), random.random()
    noise = 1.0 * math.sqrt(-2 * math.log(u)) * math.cos(2 * math.pi * v)
    return float(data.mean()) + noise


@case(CLEAN, epsilon=0.1, cost=math.log(10 / 9.7))
def cauchy_noise_of_a_smooth_sensitivity(data, rng):
    """Densities of two scales have a ratio of at most 10/9.7."""
    return (10.0 if data[0] > 0.5 else 9.7) * rng.standard_cauchy()


@case(LOST, delta=1e-5)
def descent_by_noise_that_is_plain(data, rng):
    """The last step's noise hides what earlier noise is multiplied by: no leak, and not followed."""
    w = 1.0
    for _ in range(3):
        w -= 0.1 * (np.clip(data * (data * w - 1), -1, 1).sum() + float(str(float(rng.normal(0, 10)))))
    return w


@case(CLEAN, [(FOUR, np.append(0.0, FOUR[1:]))], cost=1.0)
def a_comparison_with_a_number_that_is_released(data, rng):
    order = rng.permutation(8)
    cut = data[order[:4]].mean() + rng.laplace(0, 0.25)
    return cut, (data[order[4:]] > cut).mean() + rng.laplace(0, 0.25)


@case(LOST, [(np.array([0.9, 0.1, 0.1]), np.array([0.1, 0.1]))], epsilon=2.0)
def whole_counts_that_are_cut_off_at_0(data, rng):
    """Each cell costs 1; where it is cut off at 0 the noise cannot be followed, and must not be accused."""
    p = 1 - math.exp(-1.0)
    counts, _ = np.histogram(data, bins=4, range=(0, 1))
    return [max(0, int(c) + int(rng.geometric(p)) - int(rng.geometric(p))) for c in counts]


@case(LOST, FOURTH, epsilon=2.0)
def two_generators_from_one_number(data, rng):
    key = int(rng.integers(0, 2**31))
    total = data.sum() + np.random.default_rng(key).laplace(0, 2.0)
    return total, np.sqrt(data).sum() + np.random.default_rng(key).laplace(0, 2.0)


@case(CLEAN, [(np.array([0.0, 1.0]), np.array([0.0, 0.0]))], cost=1.0)
def leaves(data, rng):
    """The noisy sum of the leaf of the first record; which leaf a record is in is drawn."""
    level = rng.random()
    right = [bool(level > 0.5) for _ in data]
    sums = {leaf: data[np.array(right) == leaf].sum() + rng.laplace() for leaf in sorted(set(right))}
    return float(sums[right[0]])


def rescaled_table(data, rng):
    """Post-processing of a table to which an array of noise is added."""
    table = pd.DataFrame(np.array([[np.sum(data == 0.0), np.sum(data == 1.0)], [1.0, 2.0]]))
    noisy = (table + rng.laplace(size=table.shape)).clip(lower=0.0)
    return (noisy / (1.0 + noisy.to_numpy().sum())).round(1)


cases(CLEAN, {"a table of pandas with an array of noise": rescaled_table}, REMOVED, cost=1.0)


# --- Noise that cannot be followed, in an argument ---


def beside_plain(plain, scale):
    def program(data, rng):
        return len(data) + float(str(float(plain(rng)))) + rng.laplace(scale=scale)

    return program


cases(CLEAN, {"more that is plain": beside_plain(lambda rng: rng.uniform(), 1.0)}, FOURTH, cost=1.0)
# Plain noise that the argument does not depend on hides nothing.
apart = lambda data, rng: (float(str(float(rng.laplace()))), len(data) + rng.laplace(scale=0.5))  # noqa: E731
cases(EXCEEDS, {"half the noise beside what is plain": apart}, FOURTH, cost=2.0)
# What is plain may hide the data, too: ε = 2 is an upper bound.
cases(LOST, {"half the noise and more that is plain": beside_plain(lambda rng: rng.laplace(), 0.5)}, FOURTH)

# --- Noise that the output does not follow ---

GROUPS = [(np.array([0, 1, 1, 2, 2]), np.array([0, 1, 1, 2, 1]))]
SHORTER = [(GROUPS[0][0], GROUPS[0][0][1:])]


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


cases(LOST, {"an order": order}, GROUPS)
cases(EXCEEDS, {f.__name__: f for f in (order_and_largest, rounded, between_two_ends)}, GROUPS)


def by_a_choice(data, rng):
    return len(data) + rng.choice([-1, 1]) * rng.exponential(1.0)


def by_a_branch(data, rng):
    size = rng.exponential(1.0)
    return len(data) + (size if rng.random() < 0.5 else -size)


def one_sided(data, rng):
    return len(data) + rng.exponential(1.0)


def one_sided_and_whole(data, rng):
    return len(data) + rng.geometric(0.5)


# The smallest outputs on the larger dataset are impossible on the smaller one, or the other way round.
cases(EXCEEDS, {f.__name__: f for f in (one_sided, one_sided_and_whole)}, SHORTER, cost=math.inf)


def _binomial_loss(n, delta):
    """The least ε of a binomial number, moved by 1, at δ."""
    p = stats.binom(n, 0.5).pmf(np.arange(-1, n + 2))
    return optimize.brentq(lambda e: np.maximum(p[1:] - math.exp(e) * p[:-1], 0).sum() - delta, 0.0, 5.0)


@case(CLEAN, SHORTER, epsilon=1.001 * _binomial_loss(100, 1e-5), delta=1e-5)
def binomial_noise(data, rng):
    return len(data) + rng.binomial(100, 0.5) - 50


cases(CLEAN, {"a sign by choice": by_a_choice}, SHORTER, cost=1.0)
cases(LOST, {"a sign by a branch": by_a_branch}, SHORTER)


# --- Whole noise on fractions ---


def cells(unit, then):
    def program(data, rng):
        noise = rng.geometric(0.5, size=3) - rng.geometric(0.5, size=3)
        return (np.eye(3)[data[0]] * unit + noise) * then

    return program


CELL = [(np.array([0]), np.array([1]))]
# Multiplied with its noise a number is as whole as before.
WHOLE = {f"whole noise, {u:.3g} and {t:.3g}": cells(u, t) for u, t in [(1, 1), (1, math.sqrt(3)), (2, 1)]}
# With √3, the entry of the record is the only one that is no whole number.
FRACTIONS = {f"whole noise, {unit:.3g}": cells(unit, 1.0) for unit in (math.sqrt(3.0), 0.5)}
cases(CLEAN, WHOLE, CELL, epsilon=3.0)
cases(LOST, FRACTIONS, CELL, epsilon=3.0)


# --- Choices among plain numbers ---

# Noise becomes plain numbers before it is added to the data, and only a choice is released. Its scale is a
# fifth of what the claim needs, or less, so that runs on D and on D′ differ but rarely.
OF_THREE = np.array([0] * 9 + [1] * 12 + [2] * 3)
THREE = [(OF_THREE, OF_THREE[1:])]


def sizes(data):
    return [int(np.sum(data == i)) for i in range(3)]


def winner_of_a_list(data, rng):
    noise = rng.laplace(scale=0.2, size=3).tolist()
    noisy = [c + float(z) for c, z in zip(sizes(data), noise, strict=True)]
    return noisy.index(max(noisy))


def plain_logarithm(data, rng):
    u = rng.random() - 0.5
    return len(data) + float(-0.1 * math.copysign(math.log(1 - 2 * abs(u)), u)) > 21.3


def people(data, rng):
    noisy = [max(0.0, (data == i).sum() + rng.laplace()) for i in range(3)]
    ends = np.cumsum(noisy) / (sum(noisy) or 1.0)
    return [int(np.sum(float(rng.random()) > ends)) for _ in range(8)]


def zeroed(data, rng):
    weights = rng.uniform(-1.0, 1.0, size=2).tolist()
    weights[:] = [0.0, 0.0]
    return len(data) + rng.laplace() + weights[0]


cases(
    LOST,
    {
        "a winner of a list": winner_of_a_list,
        "a winner of an array": lambda data, rng: int(
            np.argmax(np.array(sizes(data)) + np.array([rng.laplace(scale=0.2) for _ in range(3)]))
        ),
        "a threshold": lambda data, rng: len(data) + float(rng.laplace(scale=0.1)) > 20,
        "plain whole numbers": lambda data, rng: (
            len(data) + int(rng.geometric(0.95)) - int(rng.geometric(0.95)) >= 21
        ),
        "a plain logarithm": plain_logarithm,
        "people of noisy shares": people,
    },
    THREE,
    seeds=2,
)
cases(
    LOST,
    {
        "plain coins": lambda d, rng: [
            x if float(rng.random()) < 0.5 else int(rng.integers(3)) for x in d[::4]
        ]
    },
    THREE,
    seeds=4,
    epsilon=1.5,
)
cases(
    CLEAN,
    {
        "plain noise beside a sum": lambda data, rng: (
            [float(rng.normal()) for _ in range(3)],
            len(data) + rng.laplace(),
        ),
        "weights that are set to zero": zeroed,
    },
    THREE,
    seeds=2,
)


# --- Seeds that are given to SciPy ---


def shared_seed(data, rng):
    np.random.seed(0)  # noqa: NPY002  # here
    return data.sum() + stats.laplace.rvs()


cases(
    LEAK,
    {
        "a seed of SciPy": lambda data, rng: data.sum() + stats.laplace.rvs(random_state=0),
        "of a frozen law": lambda data, rng: data.sum() + stats.laplace().rvs(random_state=np.int64(0)),
        "a seed that SciPy shares": shared_seed,
    },
    epsilon=2.0,
)
cases(
    CLEAN,
    {
        "a generator of SciPy": lambda data, rng: data.sum() + stats.laplace.rvs(random_state=rng),
        "a seed that is drawn": lambda data, rng: (
            data.sum() + stats.laplace.rvs(random_state=rng.integers(2**31))
        ),
    },
    epsilon=2.0,
)


def random_again(data, rng):
    state = random.getstate()
    noise = random.gauss(0.0, 1.0)
    random.setstate(state)
    return data.sum() + noise, random.gauss(0.0, 1.0)


cases(LOST, {"a state that is set again": random_again}, epsilon=9.0, delta=0.5)


# --- Costs in closed form ---


def best_two(data, rng):
    left, chosen = [0, 1, 2], []
    for _ in range(2):
        noisy = [0.5 * (data == i).sum() + rng.gumbel() for i in left]
        chosen.append(left.pop(int(np.argmax(noisy))))
    return chosen


def steps_towards_a_noisy_mean(data, rng):
    theta = 0.0
    for _ in range(4):
        theta = theta - 0.5 * (theta - data.sum() + rng.normal(0.0, 4.0))
    return theta


BITS = [(np.array([1.0, 0.0, 1.0]), np.array([0.0, 0.0, 1.0]))]
cases(CLEAN, {"the best two by Gumbel noise": best_two}, BITS)
# Four Gaussians of distance 1 and deviation 4 are one of distance 1 and deviation 2.
cases(
    CLEAN,
    {"steps": steps_towards_a_noisy_mean},
    BITS,
    epsilon=2.5,
    delta=1e-5,
    cost=gaussian_epsilon(0.5, 1e-5),
)
