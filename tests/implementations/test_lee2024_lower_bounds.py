"""Fingerprinting, coalitions, packings, extensions and reductions of lee2024 against brute force."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import optimize, stats

from implementations import domains
from implementations.lee2024 import (
    coalitions,
    fingerprinting,
    l1_instance,
    lipschitz_extension,
    packing,
    subsampling,
)


def test_scores_are_the_double_sum_of_trace() -> None:
    rng = np.random.default_rng(0)
    code = fingerprinting.generate(3, 0.3, rng)
    pirate = rng.integers(0, 2, code.means.size).astype(np.int8)
    for i in range(3):
        expected = 0.0
        for j in range(code.means.size):
            q = math.sqrt((1 - code.means[j]) / code.means[j])
            expected += pirate[j] * (q if code.words[i, j] else -1 / q)
        assert fingerprinting.scores(code, pirate)[i] == pytest.approx(expected)


def test_generated_bits_have_the_printed_law() -> None:
    code = fingerprinting.generate(8, 1e-4, np.random.default_rng(1))
    t = fingerprinting.cutoff(8)
    assert code.words.shape == (8, math.ceil(6400 * math.log(8e4)))
    assert code.means.min() >= t - 1e-15
    assert code.means.max() <= 1 - t + 1e-15
    # arcsin√p is uniform; 1e-6
    edge = math.asin(math.sqrt(t))
    uniform = stats.uniform(edge, math.pi / 2 - 2 * edge)
    assert stats.kstest(np.arcsin(np.sqrt(code.means)), uniform.cdf).pvalue > 1e-6
    # standardised residuals of the bits given the means: 5 standard errors
    residual = (code.words - code.means) / np.sqrt(code.means * (1 - code.means))
    assert abs(residual.mean()) < 5 / math.sqrt(residual.size)
    assert (residual**2).mean() == pytest.approx(1.0, abs=0.1)


def test_trace_undoes_gen() -> None:
    rng = np.random.default_rng(2)
    hidden = fingerprinting.generate_hidden(4, 0.1, rng)
    d = hidden.inner.means.size
    assert hidden.words.shape == (4, 5 * d)
    for user in range(4):
        assert (fingerprinting.uncover(hidden, hidden.words[user]) == hidden.inner.words[user]).all()
    constant = (hidden.words == hidden.words[0]).all(axis=0)
    assert constant.sum() >= 4 * d


def test_trace_finds_the_owner_of_a_copied_word() -> None:
    rng = np.random.default_rng(3)
    hidden = fingerprinting.generate_hidden(6, 1e-3, rng)
    for user in range(6):
        assert fingerprinting.trace(hidden, hidden.words[user], rng, threshold="tardos") == user
    nothing = np.zeros(hidden.order.size, dtype=np.int8)
    assert fingerprinting.trace(hidden, nothing, rng, threshold="printed") is None


@pytest.mark.parametrize("threshold", ["printed", "tardos"])
def test_coalitions_are_traced_to_a_member(threshold: str) -> None:
    rng = np.random.default_rng(4)
    for name, rule in coalitions.rules(4).items():
        code = fingerprinting.generate(5, 1e-3, rng)
        pirate = coalitions.by_count(code.words[:4], rule, rng)
        guilty = fingerprinting.accused(code, pirate, threshold=threshold)
        assert guilty[:4].any(), name


def test_strategies_keep_the_marking_condition() -> None:
    rng = np.random.default_rng(5)
    words = rng.integers(0, 2, (3, 4000)).astype(np.int8)
    pirates = [coalitions.by_count(words, rule, rng) for rule in coalitions.rules(3).values()]
    pirates += [coalitions.average_then_round(words), coalitions.copy_member(words, rng)]
    agree = (words == words[0]).all(axis=0)
    for pirate in pirates:
        assert (pirate[agree] == words[0, agree]).all()
    broken = coalitions.break_columns(pirates[0], words, 0.1, rng)
    differs = broken != pirates[0]
    assert differs.sum() == 400
    assert agree[differs].all()


def test_average_then_round_is_the_majority() -> None:
    words = np.array(list(itertools.product((0, 1), repeat=4)), dtype=np.int8).T
    majority = coalitions.by_count(words, coalitions.rules(4)["majority"], np.random.default_rng(0))
    assert (coalitions.average_then_round(words) == majority).all()


def test_bad_pirates_and_rules_are_refused() -> None:
    rng = np.random.default_rng(6)
    code = fingerprinting.generate(2, 0.5, rng)
    with pytest.raises(ValueError, match="pirate must have shape"):
        fingerprinting.scores(code, np.zeros(3, dtype=np.int8))
    with pytest.raises(ValueError, match="zeros and ones"):
        fingerprinting.scores(code, np.full(code.means.size, 2, dtype=np.int8))
    with pytest.raises(ValueError, match="marking condition"):
        coalitions.by_count(code.words, np.array([1.0, 0.0, 1.0]), rng)
    with pytest.raises(ValueError, match="threshold"):
        fingerprinting.accused(code, code.words[0], threshold="half")
    with pytest.raises(ValueError, match="security"):
        fingerprinting.length(3, 0.0)


def test_linear_extension_is_the_minimum_over_the_ball() -> None:
    rng = np.random.default_rng(7)
    for _ in range(30):
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


def test_reduction_projects() -> None:
    out = lipschitz_extension.unconstrained_reduction(np.array([[3.0, 4.0]]), domains.ball(1.0))
    assert out == pytest.approx(np.array([[0.6, 0.8]]))


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


def test_l1_risk_against_brute_force() -> None:
    rng = np.random.default_rng(8)
    data = rng.choice([0.0, 0.5, 1.0], (7, 3))
    theta = rng.uniform(-1, 2, (4, 3))
    brute = [[sum(abs(t - z) for t, z in zip(row, record, strict=True)) for record in data] for row in theta]
    assert l1_instance.risk(theta, data) == pytest.approx(np.mean(brute, axis=1))
    grid = np.array(list(itertools.product(np.linspace(0, 1, 5), repeat=3)))
    assert l1_instance.excess_risk(grid, data).min() == pytest.approx(0.0)
    bits = rng.integers(0, 2, (9, 3)).astype(float)
    direct = l1_instance.excess_risk(theta, bits)
    assert l1_instance.excess_risk_of_bits(theta, bits.sum(axis=0), 9) == pytest.approx(direct)


def test_copies_and_padding() -> None:
    data = np.array([[1.0, 0.0], [1.0, 1.0]])
    copied = l1_instance.copy_and_append(data, 7, 3)
    assert copied.tolist() == [[1.0, 0.0]] * 3 + [[1.0, 1.0]] * 3 + [[0.0, 0.0]]
    assert l1_instance.pad(data, 5).tolist() == data.tolist() + [[0.0, 0.0], [1.0, 1.0], [0.5, 0.5]]
    with pytest.raises(ValueError, match="copies"):
        l1_instance.copy_and_append(data, 7, 2)


def test_private_algorithms_of_the_instance_find_the_minimiser_with_many_records() -> None:
    ones = np.array([10_000, 90_000, 99_000])
    for algorithm in (
        l1_instance.noisy_median_sign,
        l1_instance.noisy_mean,
        l1_instance.exponential_mechanism,
    ):
        theta = algorithm(ones, 100_000, 50, np.random.default_rng(9), epsilon=0.4, delta=1e-6)
        assert theta.shape == (50, 3)
        assert abs(theta.mean(axis=0) - [0.0, 1.0, 1.0]).max() < 0.15


def test_subsampling_law_against_samples() -> None:
    def law(sample: tuple[int, ...]) -> dict[int, float]:
        return {sum(sample): 1.0}

    exact = subsampling.exact_law(law, (1, 1, 1, 0), 0.3)
    for total in range(4):
        assert exact[total] == pytest.approx(stats.binom.pmf(total, 3, 0.3))
    rng = np.random.default_rng(10)
    drawn = [
        subsampling.subsampled(lambda data, _: int(data.sum()), np.array([1, 1, 1, 0]), 0.3, rng)
        for _ in range(4000)
    ]
    # 5 standard errors
    assert abs(np.mean(drawn) - 0.9) < 5 * math.sqrt(0.63 / 4000)


def test_against_members_keeps_the_marking_condition_and_takes_turns() -> None:
    words = np.array([[0, 0, 1, 1, 1, 0], [1, 0, 0, 1, 0, 1], [1, 0, 0, 1, 1, 1]], dtype=np.int8)
    # Columns 1 and 3 agree; column j is written against member j mod 3 elsewhere.
    assert coalitions.against_members(words).tolist() == [1, 0, 1, 1, 1, 0]
