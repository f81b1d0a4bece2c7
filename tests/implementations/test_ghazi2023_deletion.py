"""TDLap, deletion sensitivity and Algorithm 1 of ghazi2023 against enumeration and closed forms."""

from __future__ import annotations

import math
from itertools import combinations, product

import numpy as np
import pytest
from scipy.stats import chisquare, kstest

from implementations.ghazi2023 import del_output_pert, truncated_laplace
from implementations.ghazi2023.deletion_sensitivity import (
    brute_force,
    count_table,
    local_deletion_sensitivity,
    mean_sensitivity,
    smallest_stable,
    table_counts,
    table_sensitivity,
)


@pytest.mark.parametrize("epsilon", [0.05, 0.3, 1.0, 2.5])
@pytest.mark.parametrize("delta", [0.5, 1e-2, 1e-9])
def test_mass_is_proportional_to_the_printed_density(epsilon: float, delta: float) -> None:
    kappa = truncated_laplace.half_width(epsilon, delta)
    assert kappa >= 1 + math.log(1 / delta) / epsilon > kappa - 1
    mass = truncated_laplace.mass(epsilon, delta)
    assert mass.size == 2 * kappa + 1
    assert mass.sum() == pytest.approx(1.0, abs=1e-12)
    for x in range(2 * kappa + 1):  # the printed density, one value at a time
        assert mass[x] / mass[kappa] == pytest.approx(math.exp(-epsilon * abs(x - kappa)), rel=1e-10)
    tail = truncated_laplace.upper_tail(epsilon, delta)
    assert tail[-1] == 0.0
    assert tail[0] == pytest.approx(1.0)
    assert tail[kappa] == pytest.approx((1.0 + mass[kappa]) / 2.0)


def test_draws_follow_the_mass() -> None:
    # One chi-squared test with a false-alarm probability of 1e-6.
    counts = np.bincount(truncated_laplace.draw(0.7, 0.05, 100_000, np.random.default_rng(1)), minlength=13)
    assert chisquare(counts, 100_000 * truncated_laplace.mass(0.7, 0.05)).pvalue > 1e-6


def test_definition_3_2_by_hand() -> None:
    def mean(x: tuple[float, ...]) -> np.ndarray:
        return np.array([sum(x) / len(x) if x else 0.0])

    users = (0.0, 1.0, 5.0)
    # Deleting 5 moves the mean from 2 to 0.5; from {0, 5}, deleting either moves it by 2.5.
    assert local_deletion_sensitivity(mean, users) == pytest.approx(1.5)
    assert brute_force(mean, users, 1) == pytest.approx(2.5)
    # With f(∅) = 0, two deletions reach {5}, and the third moves the mean by 5.
    assert brute_force(mean, users, 2) == pytest.approx(5.0)
    assert brute_force(mean, users, 2, empty=False) == pytest.approx(2.5)
    assert local_deletion_sensitivity(mean, ()) == 0.0


@pytest.mark.parametrize("r", range(6))
@pytest.mark.parametrize("empty", [True, False])
def test_count_table_agrees_with_enumeration(r: int, empty: bool) -> None:
    """Arbitrary statistics of three types of users, in the plane."""
    rng = np.random.default_rng(r)
    counts = (2, 3, 1)
    table_values = rng.normal(size=(3, 4, 2, 2))

    def of_counts(c: np.ndarray) -> np.ndarray:
        i = c.astype(int)
        return table_values[i[..., 0], i[..., 1], i[..., 2]]

    def of_users(x: tuple[int, ...]) -> np.ndarray:
        return table_values[x.count(0), x.count(1), x.count(2)]

    users = (0, 0, 1, 1, 1, 2)
    table = count_table(of_counts, counts, empty=empty)
    assert table_sensitivity(table, r) == pytest.approx(
        brute_force(of_users, users, r, empty=empty), abs=1e-12
    )


def test_smallest_stable_agrees_with_the_printed_definition() -> None:
    """Line 5 by its own words, Δ̄_{4κ−|S|} by enumeration, on statistics with rare large jumps."""
    rng = np.random.default_rng(7)
    users = (0, 0, 0, 1, 1, 1, 1)
    found_some = set()
    for _ in range(40):
        values = rng.choice([0.0, 0.1, 3.0], p=[0.45, 0.5, 0.05], size=(4, 5))

        def of_users(x: tuple[int, ...], values: np.ndarray = values) -> np.ndarray:
            return np.array([values[x.count(0), x.count(1)]])

        def of_counts(c: np.ndarray, values: np.ndarray = values) -> np.ndarray:
            i = c.astype(int)
            return values[i[..., 0], i[..., 1]][..., None]

        kappa = 1
        least = None
        for size in range(2 * kappa + 1):
            stable = [
                rest
                for gone in combinations(range(7), size)
                if brute_force(
                    of_users, rest := tuple(users[i] for i in range(7) if i not in gone), 4 * kappa - size
                )
                <= 1.0
            ]
            if stable:
                least = (size, {float(of_users(rest)[0]) for rest in stable})
                break
        found = smallest_stable(count_table(of_counts, (3, 4)), 1.0, kappa)
        found_some.add(None if least is None else least[0])
        assert (found is None) == (least is None)
        if found is not None and least is not None:
            assert found[0] == least[0]
            assert set(found[1][:, 0].tolist()) == least[1]
    assert {0, None} < found_some


@pytest.mark.parametrize("n", [3, 4, 6, 7])
def test_closed_form_of_the_mean(n: int) -> None:
    rng = np.random.default_rng(n)
    for _ in range(10):
        x = rng.choice([-3.0, 0.0, 0.5, 2.0, 10.0], size=n)
        for r in range(n - 1):
            expected = brute_force(
                lambda y: np.array([sum(y) / len(y)]) if y else np.zeros(1), tuple(x), r, empty=False
            )
            assert float(mean_sensitivity(x, r)) == pytest.approx(expected, abs=1e-12)
    batch = rng.normal(size=(4, n))
    assert mean_sensitivity(batch, 1).tolist() == pytest.approx(
        [float(mean_sensitivity(row, 1)) for row in batch]
    )
    with pytest.raises(ValueError, match="somebody remains"):
        mean_sensitivity(np.zeros(n), n - 1)


def test_parameters_of_algorithm_1_by_hand() -> None:
    p = del_output_pert.parameters(1.0, 0.5, 2.0)
    delta_bar = 0.5 / (math.exp(0.5) + 2.0)
    assert p.test_delta == pytest.approx(delta_bar)
    assert p.kappa == 1 + math.ceil(2 * math.log(1 / delta_bar)) == 5
    assert p.sigma == pytest.approx(2 * math.sqrt(math.log(2 / delta_bar)) * 8 * 5 * 2.0 / 0.5)
    for bad in ((1.5, 0.1, 1.0), (1.0, 0.6, 1.0), (1.0, 0.1, 0.0), (math.nan, 0.1, 1.0)):
        with pytest.raises(ValueError, match=r"epsilon|delta|target"):
            del_output_pert.parameters(*bad)


def test_law_of_algorithm_1_and_its_runs() -> None:
    """Two outliers of which one must go: the share of answers, the centre, the Gaussian shape."""
    p = del_output_pert.parameters(1.0, 0.5, 1.0)

    def mean(c: np.ndarray) -> np.ndarray:
        total = c.sum(axis=-1, keepdims=True)
        return (c[..., 1:] * 1000.0) / np.maximum(total, 1.0)

    table = count_table(mean, (25, 7))
    law = del_output_pert.output_law(table, p)
    assert law.answer == pytest.approx(truncated_laplace.upper_tail(0.5, p.test_delta)[7])
    assert law.centre.tolist() == [0.0]
    out = del_output_pert.del_output_pert(table, p, 100_000, np.random.default_rng(3))[:, 0]
    answered = ~np.isnan(out)
    # A two-sided deviation of 5 standard errors has a probability below 1e-6.
    assert abs(answered.mean() - law.answer) < 5 * math.sqrt(law.answer * (1 - law.answer) / 100_000)
    assert kstest(out[answered] / law.sigma, "norm").pvalue > 1e-6
    none_stable = count_table(mean, (25, 12))
    assert del_output_pert.output_law(none_stable, p).answer == 0.0
    assert np.isnan(del_output_pert.del_output_pert(none_stable, p, 10, np.random.default_rng(0))).all()


def test_ties_and_the_empty_dataset() -> None:
    """One user at 0 and one at 10⁶: two ties where f(∅) is left out, nothing stable where f(∅) = 0 counts."""
    p = del_output_pert.parameters(1.0, 0.5, 1.0)

    def mean(c: np.ndarray) -> np.ndarray:
        return c[..., 1:] * 1e6 / np.maximum(c.sum(axis=-1, keepdims=True), 1.0)

    found = smallest_stable(count_table(mean, (1, 1), empty=False), p.target, p.kappa)
    assert found is not None
    assert found[0] == 1
    assert sorted(found[1][:, 0].tolist()) == [0.0, 1e6]
    with_empty = smallest_stable(count_table(mean, (1, 1)), p.target, p.kappa)
    assert with_empty is not None
    assert with_empty[1][:, 0].tolist() == [0.0]


def test_subset_counts() -> None:
    for n, kappa in product((3, 8, 11), (1, 2)):
        tested = sum(1 for s in range(2 * kappa + 1) for _ in combinations(range(n), s))
        visited = sum(1 for s in range(4 * kappa + 2) for _ in combinations(range(n), s))
        assert table_counts(n, kappa) == (tested, visited)
