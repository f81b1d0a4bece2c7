"""Programs for the tests of the grey box: clean ones, and ones with a planted leak whose line is marked.

Each is a `Case`: its pairs, claim and adjacency, and the verdict that is right. The line of a leak has the
comment `# here`.
"""

from __future__ import annotations

import inspect
import math
import os
import random
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

DATA = np.array([1.0, 0.0, 0.0, 1.0, 0.5])
OTHER = np.array([0.0, 0.0, 0.0, 1.0, 0.5])
NEW = np.array([0.8, 0.0, 0.0, 1.0, 0.5])
REPLACED = [(DATA, OTHER)]
REMOVED = [(DATA, DATA[1:])]
LN3 = math.log(3.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A program and what the grey box must say of it; `cost` is the ledger's ε where it is known exactly.

    seeds   runs of the pair in each direction; None: as many as the trace makes by itself.
    """

    program: Callable[..., Any]
    pairs: Any
    adjacency: str
    verdict: str
    epsilon: float = 1.0
    delta: float = 0.0
    cost: float | None = None
    seeds: int | None = 3

    @property
    def line(self) -> int | None:
        """The line with the mark, None where there is none."""
        if self.program.__name__ == "<lambda>":
            return None
        lines, first = inspect.getsourcelines(self.program)
        return next((first + i for i, text in enumerate(lines) if text.rstrip().endswith("# here")), None)


CASES: dict[str, Case] = {}


def case(verdict: str, pairs: Any = REPLACED, **more: Any) -> Callable[..., Any]:
    """Register a function by its name; `more` as in `Case`."""

    def register(program: Callable[..., Any]) -> Callable[..., Any]:
        cases(verdict, {program.__name__: program}, pairs, **more)
        return program

    return register


def cases(verdict: str, programs: dict[str, Callable[..., Any]], pairs: Any = REPLACED, **more: Any) -> None:
    """Register programs by names."""
    adjacency = "add-remove" if len(pairs[0][0]) != len(pairs[0][1]) else "replace"
    for name, program in programs.items():
        assert name not in CASES
        CASES[name] = Case(program=program, pairs=pairs, adjacency=adjacency, verdict=verdict, **more)


CLEAN, LEAK, EXCEEDS, LOST = "nothing-found", "leak", "ledger-exceeds", "lost"


# --- Clean: one release ---

cases(
    CLEAN,
    {
        "a mean": lambda data, rng: data.clip(0, 1).mean() + rng.laplace(scale=1 / len(data)),
        "many outputs": lambda data, size, rng: data.mean() + rng.laplace(scale=1 / len(data), size=size),
        "noise is scaled afterwards": lambda data, rng: data.mean() + 0.2 * rng.laplace(),
        "noise is centred at the statistic": lambda data, rng: rng.laplace(data.mean(), 0.2),
        "noise becomes a plain number": lambda data, rng: float(rng.laplace(0, 0.2)) + data.mean(),
        "exponentials": lambda data, rng: data.mean() + rng.exponential(0.2) - rng.exponential(0.2),
        "functions of NumPy": lambda data, rng: data.mean() + np.random.laplace(0, 0.2),  # noqa: NPY002
        "SciPy with a location": lambda data, rng: stats.laplace.rvs(loc=data.mean(), scale=0.2),
        "the module random": lambda data, rng: data.sum() + random.expovariate(1.0) - random.expovariate(1.0),
    },
    cost=1.0,
)


@case(CLEAN, cost=1.0)
def noise_is_added_in_place(data, rng):
    released = np.array([data.mean(), 3.0])
    released += rng.laplace(0, 0.2, 2)
    return released


@case(LOST, REMOVED)
def records_are_added_to_the_noise(data, rng):
    total = rng.laplace(0, 1.0)
    for x in data:
        total = total + x
    return total


@case(CLEAN, cost=1.0)
def two_sided_geometric(data, rng):
    p = 1 - math.exp(-1.0)
    return int((data > 0.7).sum()) + rng.geometric(p) - rng.geometric(p)


# --- Clean: choices and comparisons ---


@case(CLEAN, epsilon=LN3, cost=LN3)
def randomised_response_by_random(data, rng):
    released = []
    for x in data:
        bit = x > 0.6
        released.append(bool(bit) if random.random() < 0.75 else not bit)
    return released


@case(CLEAN)
def exponential_mechanism(data, rng):
    candidates = np.array([0, 0.25, 0.5, 0.75, 1.0])
    p = np.exp(-np.abs(candidates[:, None] - data).sum(1) / 2)
    return rng.choice(candidates, p=p / p.sum())


@case(EXCEEDS, [(NEW, OTHER)], epsilon=2.0, cost=math.inf)
def a_record_at_a_private_rank(data, rng):
    ordered = np.sort(data)
    p = np.exp(-np.abs(np.arange(len(data)) - len(data) / 2) / 2)
    place = rng.choice(len(data), p=p / p.sum())
    return ordered[place]


@case(CLEAN, delta=1e-6)
def noise_from_a_table(data, rng):
    values = np.arange(-60, 61)
    p = np.exp(-np.abs(values))
    return int((data > 0.7).sum()) + rng.choice(values, p=p / p.sum())


# Of 122 outputs two are possible on one dataset alone, with a probability of 10⁻²⁶.
cases(EXCEEDS, {"noise of a table without δ": noise_from_a_table}, cost=math.inf)


@case(EXCEEDS, cost=2.0)
def a_place_by_digitize(data, rng):
    p = np.exp(2.0 * np.array([data[0], 1.0 - data[0]]))
    return int(np.digitize(rng.random(), np.cumsum(p / p.sum())))


@case(CLEAN)
def report_noisy_max(data, rng):
    counts = np.array([(data < 0.3).sum(), (data >= 0.3).sum(), (data > 0.8).sum()])
    return int(np.argmax(counts + rng.laplace(0, 2.0, 3)))


@case(CLEAN)
def report_noisy_max_of_a_dictionary(data, rng):
    noisy = {low: ((data >= low) & (data < low + 0.25)).sum() + rng.laplace(0, 2.0) for low in (0, 0.25, 0.5)}
    return max(noisy, key=noisy.get)


@case(CLEAN)
def report_noisy_max_in_a_loop(data, rng):
    best, largest = None, -math.inf
    for low in (0, 0.25, 0.5):
        noisy = ((data >= low) & (data < low + 0.25)).sum() + rng.laplace(0, 2.0)
        if noisy > largest:
            best, largest = low, noisy
    return best


@case(LOST)
def one_answer_against_one_threshold_twice(data, rng):
    threshold, answer = 2 + rng.laplace(0, 2.0), (data > 0.3).sum() + rng.laplace(0, 4.0)
    other = (data > 0.6).sum() + rng.laplace(0, 4.0)
    return bool(answer > threshold), bool(answer > threshold + 1), bool(other > threshold)


@case(LOST)
def a_threshold_against_itself(data, rng):
    threshold, answer = 2 + rng.laplace(0, 2.0), (data > 0.3).sum() + rng.laplace(0, 4.0)
    return bool(answer > threshold), bool(threshold + data.sum() > threshold)


@case(CLEAN)
def sparse_vector(data, rng):
    threshold = 2 + rng.laplace(0, 2.0)
    released = []
    for level in (0.9, 0.7, 0.4, 0.2):
        if (data > level).sum() + rng.laplace(0, 4.0) >= threshold:
            released.append(True)
            break
        released.append(False)
    return released


# --- Clean: many releases ---


@case(CLEAN, REMOVED, delta=1e-5)
def subsampled_gradient_descent(data, rng):
    w = np.zeros(2)
    for _ in range(10):
        taken = rng.random(len(data)) < 0.1
        total = np.zeros(2)
        for x in data[taken]:
            gradient = w - np.array([x, 1 - x])
            total += gradient / max(1, np.linalg.norm(gradient))
        w = w - 0.1 * (total + rng.normal(0, 2.5, 2))
    return w


@case(CLEAN, [((DATA, DATA > 0.7), (OTHER, DATA > 0.7))], cost=math.log1p(0.25 * math.expm1(1.0)))
def a_batch_of_two_columns(data, rng):
    taken = rng.random(len(data[0])) < 0.25
    return (data[0] * data[1])[taken].sum() + rng.laplace(0, 1.0)


@case(EXCEEDS, REMOVED, cost=math.log1p(0.02 * math.expm1(10.0)))
def coins_of_a_small_rate_in_a_list(data, rng):
    return sum([x for x in data if rng.random() < 0.02]) + rng.laplace(0, 0.1)


@case(CLEAN, REMOVED, cost=1.0)
def fresh_randomness_afterwards(data, rng):
    count = len(data) + rng.laplace(0, 1.0)
    size = max(1, round(count))
    return np.sort(rng.random(size)) + rng.permutation(size)


# --- Above the claim ---

cases(
    EXCEEDS,
    {
        "half the noise": lambda data, rng: data.mean() + rng.laplace(scale=0.5 / len(data)),
        "a histogram of replaced records": lambda data, rng: (
            np.histogram(data, bins=3, range=(0, 1))[0] + rng.laplace(0, 1.0, 3)
        ),
        "a budget that is not split": lambda data, rng: (
            data.mean() + rng.laplace(0, 0.2),
            (1 - data).mean() + rng.laplace(0, 0.2),
        ),
        "integers up to a total": lambda data, rng: rng.integers(2 * int(data.sum()) - 2, endpoint=True),
        "randrange up to a total": lambda data, rng: random.randrange(2 * int(data.sum()) - 1),
    },
)


# --- Leaks ---

cases(
    LEAK,
    {
        "noise times nothing": lambda data, rng: data.mean() + np.array([0.0, 1.0]) * rng.laplace(0, 5, 2),
        "as many draws as the data say": lambda data, rng: (
            data.mean() + rng.laplace(0, 1, size=1 + int(data.sum()))
        ).tolist(),
        "records in another order": lambda data, rng: rng.permutation(data),
    },
)
cases(LEAK, {"division by a count": lambda data, rng: (data.sum() + rng.laplace()) / len(data)}, REMOVED)


@case(LEAK)
def one_output_is_not_noised(data, rng):
    mean = data.mean()
    variance = data.var()  # here
    return {"mean": mean + rng.laplace(0, 0.3), "variance": variance}


@case(LEAK)
def the_largest_count_beside_its_place(data, rng):
    counts = np.array([(data < 0.3).sum(), (data >= 0.3).sum(), (data > 0.8).sum()])
    place = int(np.argmax(counts + rng.laplace(0, 2.0, 3)))
    best = counts[place]  # here
    return place, best


@case(LEAK)
def scale_from_the_data_afterwards(data, rng):
    noise = rng.normal(size=2)
    scale = np.median(data) + data[0]
    return np.array([data.sum(), data.max()]) + scale * noise  # here


@case(LEAK)
def another_output_on_a_private_branch(data, rng):
    noisy = data.mean() + rng.laplace(0, 1)
    if data[0] > 0.5:
        return "high", noisy  # here
    return "low", noisy


@case(LEAK, [(np.array([np.nan, 0.0, 1.0]), np.array([0.5, 0.0, 1.0]))])
def a_record_that_is_no_number(data, rng):
    return np.clip(data, 0, 1).mean() + rng.laplace(0, 1.0)  # here


@case(LOST)
def a_function_of_noise_beside_its_sum(data, rng):
    noise = rng.laplace(0, 5)  # here
    return math.exp(0.1 * noise), np.exp(0.1 * noise), data.mean() + noise


@case(LEAK)
def a_plain_entry_beside_a_noisy_one(data, rng):
    released = np.append(data.mean(), data.mean() + rng.laplace(0, 5))
    return released + 1.0


@case(LEAK)
def a_generator_seeded_by_the_data(data, rng):
    own = np.random.default_rng(int(1000 * data.sum()))  # here
    return data.mean() + own.laplace(0, 0.2)


# --- Lost ---


@case(LOST)
def laplace_of_bits_of_the_system(data, rng):
    u = int.from_bytes(os.urandom(7), "big") / 2**56 - 0.5  # here
    return data.mean() - 0.2 * math.copysign(1, u) * math.log(1 - 2 * abs(u) + 1e-300)


@case(CLEAN)
def laplace_of_secrets(data, rng):
    u = (secrets.randbelow(2**53 - 1) + 1) / 2**53 - 0.5
    return data.mean() - 0.201 * math.copysign(1, u) * math.log(1 - 2 * abs(u), math.e)


@case(LOST)
def a_sum_of_coins(data, rng):
    noise = sum(2 * random.SystemRandom().getrandbits(1) - 1 for _ in range(20))
    return int(2 * data.sum()) + noise


@case(LOST)
def coins_laplace(data, rng):
    """An exact sampler of P(k) ∝ e^(−|k|): the sum moves by 1, so that it is 1-DP."""
    while True:
        size, negative = 0, rng.random() < 0.5
        while rng.random() < math.exp(-1.0):
            size += 1
        if size or not negative:
            return int(data.sum() - 0.5) + (-size if negative else size)


UNWATCHED = type(random.Random(0)).__mro__[1]()
"""The generator of C that `random.Random` is made of."""
cases(
    LOST,
    {
        "a source that is not watched": lambda data, rng: (
            data.mean() + 0.2 * (UNWATCHED.random() - UNWATCHED.random())
        ),
        "raw numbers": lambda data, rng: (
            data.mean() + stats.laplace.ppf((np.random.PCG64().random_raw() >> 11) / 2**53, scale=0.2)
        ),
        "a product with a power of noise": lambda data, rng: (1 + data.mean()) * np.exp(rng.laplace(0, 0.5)),
        "time": lambda data, rng: data.mean() + rng.laplace(0, 0.2) + 1e-9 * time.perf_counter_ns(),
        "a draw that is in no table": lambda data, rng: rng.multivariate_hypergeometric(
            [3, int(data.sum()) + 1], 2
        ),
        "a law of one's own": lambda data, rng: stats.rv_discrete(values=([0, 1], [0.5, 0.5])).rvs(
            random_state=rng
        ),
    },
)
