"""Outputs that repeat: the table against np.unique and brute force, and audits that count with it."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
from scipy import stats

from audits.privacy.bet import events
from audits.privacy.bet.atoms import Atoms, count_atoms, family_of_sets, find_atoms
from audits.privacy.learn.regressions import logistic
from audits.privacy.outputs.outputs import Encoded
from audits.privacy.tuning import TUNING
from tests.audits.privacy_runs import audited, encoded, unbegun


def words(e: Encoded) -> list[tuple[Any, ...]]:
    return [(*(float(v) for v in row), *code) for row, code in zip(e.values, e.codes.tolist(), strict=True)]


def table(e: Encoded) -> Atoms:
    found = find_atoms(e)
    assert found is not None
    return found


def samples(rng: np.random.Generator, kind: str, size: int) -> Encoded:
    if kind == "number":
        return encoded(rng.integers(-5, 6, size))
    if kind == "vector":
        return encoded(rng.integers(0, 2, (size, 5)) * np.array([1.0, -0.5, 1e300, 1e-300, -0.0]))
    numbers = rng.integers(0, 3, size)
    return encoded(np.where(numbers, 0, rng.integers(0, 3, size)), numbers)


@pytest.mark.parametrize("kind", ["number", "vector", "symbol"])
def test_table_is_that_of_counting(kind: str) -> None:
    rng = np.random.default_rng(0)
    learned, fresh = samples(rng, kind, 600), samples(rng, kind, 500)
    # Rows that the table has not seen, some twice.
    strange = encoded(
        np.full((5, learned.values.shape[1]), [[7.5], [7.5], [8.5], [-1e-9], [0.25]]),
        np.zeros((5, learned.codes.shape[1])),
    )
    mixed = Encoded(
        np.concatenate([fresh.values, strange.values]), np.concatenate([fresh.codes, strange.codes])
    )
    atoms = table(learned)
    assert sorted(words(atoms.rows)) == sorted(set(words(learned)))
    assert np.all(np.diff(atoms.keys) > 0)
    known = set(words(learned))
    place, inside = atoms.find(mixed)
    names = words(atoms.rows)
    for i, word in enumerate(words(mixed)):
        assert inside[i] == (word in known)
        assert not inside[i] or names[place[i]] == word
    for batch in (fresh, mixed):
        counted = Counter(words(batch))
        assert [*zip(names, atoms.tally(batch).tolist(), strict=True)] == [(w, counted[w]) for w in names]
    counts = count_atoms(atoms, mixed, fresh)
    assert counts.size == len(mixed)
    for side, batch in ((counts.first, mixed), (counts.second, fresh)):
        times_of = Counter(words(batch))
        assert side.tolist() == [times_of[name] for name in names]


def test_only_outputs_that_repeat_make_a_table() -> None:
    rng = np.random.default_rng(1)
    assert find_atoms(encoded(rng.normal(size=3000))) is None
    assert find_atoms(encoded(np.arange(900))) is None
    # Three times each on average is enough, a little less is not.
    assert len(table(encoded(np.repeat(np.arange(200), 3)))) == 200
    assert find_atoms(encoded(np.append(np.repeat(np.arange(200), 3), [200.0]))) is None
    shuffled = rng.permutation(np.repeat(np.arange(128), 256))
    assert len(table(encoded(shuffled))) == 128
    # A minus zero is a zero.
    assert len(table(encoded([0.0, -0.0, 0.0, -0.0]))) == 1


@pytest.mark.parametrize("size", [40, 2000])
def test_family_of_sets_counts_what_its_events_hold(size: int) -> None:
    rng = np.random.default_rng(2)
    first, second = encoded(rng.geometric(0.2, size)), encoded(rng.geometric(0.1, size))
    atoms = table(encoded(np.repeat(np.arange(1, 41), 4)))
    learned = count_atoms(atoms, first, second)
    later = encoded(rng.geometric(0.2, size)), encoded(rng.geometric(0.1, size))
    judged = count_atoms(atoms, *later)
    family = family_of_sets(atoms, learned, judged)
    assert family is not None
    assert family.size == size
    assert np.all(np.diff(family.thresholds) > 0)
    for side, count in zip(later, (family.first, family.second), strict=True):
        score = family.score.evaluate(side)
        assert count.tolist() == [int((score >= t).sum()) for t in family.thresholds]
    # What is no atom counts as one more; among atoms more of the first side is a larger score.
    rest = [side.values[:, 0] > 40 for side in (first, second)]
    x, y = (float(r.sum()) + 0.5 for r in rest)
    shrunk = np.log(x / y) / (1.0 + 1.0 / x + 1.0 / y)
    assert family.score.evaluate(encoded([99.0, -1.0])) == pytest.approx([shrunk, shrunk], abs=1e-8)
    score = family.score.evaluate(atoms.rows)
    a, b = learned.first, learned.second
    assert np.all(np.sign(np.where(np.abs(score) < 1e-8, 0.0, score)) == np.sign(a - b))
    for i in range(len(atoms)):
        for j in range(len(atoms)):
            assert not (a[i] >= a[j] and b[i] <= b[j]) or score[i] >= score[j] - 1e-8 or a[i] < b[i]


def test_a_fair_coin_has_events() -> None:
    # Equal counts are equal ratios: they are told apart by their place.
    coin = encoded([0.0, 1.0] * 20)
    atoms = table(coin)
    counts = count_atoms(atoms, coin, coin)
    family = family_of_sets(atoms, counts, counts)
    assert family is not None
    assert (family.first.tolist(), family.second.tolist()) == ([20], [20])


def test_no_sets_where_all_outputs_are_alike() -> None:
    atoms = table(encoded(np.ones(9)))
    counts = count_atoms(atoms, encoded(np.ones(30)), encoded(np.ones(30)))
    assert family_of_sets(atoms, counts, counts) is None


def test_an_output_has_the_same_score_in_every_batch() -> None:
    # Matrix products differ in the last bits with the number of rows, thresholds are scores of atoms.
    rng = np.random.default_rng(3)
    rows = rng.integers(0, 2, (220, 8)).astype(np.float64)
    first, second = (encoded(rows[rng.integers(0, 220, 900)]) for _ in range(2))
    atoms = table(Encoded(np.vstack([first.values, second.values]), np.zeros((1800, 1), dtype=np.int64)))
    score = logistic(first.take(slice(0, 450)), second.take(slice(0, 450)))
    x, y = score.evaluate(first), score.evaluate(second)
    family = events.build(score, x, y, 450, steady=True)
    assert family is not None
    others = encoded(rng.normal(size=(30, 8)))
    everything = Encoded(
        np.vstack([atoms.rows.values, others.values]), np.zeros((len(atoms) + 30, 1), np.int64)
    )
    one_by_one = np.concatenate([family.score.evaluate(atoms.rows.take([i])) for i in range(len(atoms))])
    inside = one_by_one[:, None] >= family.thresholds
    for extra in range(31):
        found = family.score.evaluate(everything.take(slice(0, len(atoms) + extra)))[: len(atoms)]
        np.testing.assert_array_equal(found[:, None] >= family.thresholds, inside)


def bits(data: int, size: int, rng: np.random.Generator) -> Any:
    # Randomised response on the first of eight bits: exactly ε = 1.
    kept = rng.random(size) < math.e / (1.0 + math.e)
    outputs = rng.integers(0, 2, (size, 8))
    outputs[:, 0] = np.where(kept, data, 1 - data)
    return outputs


def geometric(data: int, size: int, rng: np.random.Generator) -> Any:
    # Two-sided geometric noise: exactly ε = 1 for integers one apart.
    p = 1.0 - math.exp(-1.0)
    return data + rng.geometric(p, size) - rng.geometric(p, size)


@pytest.mark.parametrize(("mechanism", "few"), [(geometric, True), (bits, False)])
def test_counts_of_a_run_are_those_of_its_samples(mechanism: Any, few: bool) -> None:
    drawn: list[list[Any]] = [[], []]

    def recorded(data: int, size: int, rng: np.random.Generator) -> Any:
        outputs = mechanism(data, size, rng)
        drawn[1 - data].append(outputs)
        return outputs

    run = unbegun(recorded, (1, 0), seed=4, epsilon=1.0, max_samples=2500)
    run.run()
    state = run.states[0]
    assert state.atoms is not None
    assert (len(state.atoms) <= TUNING.few_values) == few
    assert state.counts is not None
    first, second = (encoded(np.concatenate(side)) for side in drawn)
    assert len(first) == 2500 == state.size
    again = count_atoms(state.atoms, first, second)
    np.testing.assert_array_equal(state.counts.first, again.first)
    np.testing.assert_array_equal(state.counts.second, again.second)
    plain = [family for family in state.families() if family.score.folds is None]
    assert plain
    for family in plain:
        # A family counts the samples from some place on: those that did not fit its score.
        x, y = (family.score.evaluate(side)[-family.size :] for side in (first, second))
        assert family.first.tolist() == [int((x >= t).sum()) for t in family.thresholds]
        assert family.second.tolist() == [int((y >= t).sum()) for t in family.thresholds]


def letters(data: int, size: int, rng: np.random.Generator) -> Any:
    # Randomised response on two of many letters: exactly ε = 1.
    kept = rng.random(size) < math.e / (1.0 + math.e)
    said = np.array(list("abcdefgh"))[2 * rng.integers(0, 4, size) + np.where(kept, data, 1 - data)]
    return np.where(rng.random(size) < 0.01, "?", said)


@pytest.mark.parametrize("mechanism", [geometric, letters])
@pytest.mark.slow
def test_no_more_false_alarms_than_half_at_an_alpha_of_half(mechanism: Any) -> None:
    # A large α makes a process that is no e-process show. 60 audits, a look after every batch, a tight claim:
    # were each wrong with probability 1/2, the allowance would be passed with probability below 1e-6.
    allowed = int(stats.binom.isf(1e-6, 60, 0.5))
    alarms = sum(
        audited(mechanism, [(1, 0)], alpha=0.5, max_samples=200, seed=seed).refuted for seed in range(60)
    )
    assert alarms <= allowed
