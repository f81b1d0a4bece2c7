"""The unseen leaks and mistakes are what they say: their laws are those of their mechanisms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from benchmarks import peers
from benchmarks.mistakes import MISTAKES, best_and_value, best_two, laplace, together
from benchmarks.unseen import README, alarms, read, table
from benchmarks.unseen_leaks import FAINT, LEAKS, RARE, RIGHT
from benchmarks.unseen_second import LEAKS as SECOND
from benchmarks.unseen_second import PROPERTIES

BY_NAME = {mistake.name: mistake for mistake in MISTAKES}


def test_numbers_of_cases_and_their_ideal_numbers() -> None:
    assert (len(LEAKS), len(SECOND), len(MISTAKES)) == (36, 36, 42)
    assert len({leak.name for leak in LEAKS + SECOND}) == 72
    assert len(BY_NAME) == 42
    assert all(30 <= leak.ideal() <= 300 for leak in LEAKS + SECOND)


# Two-sided at 1e-8 on either dataset: 72 tests in all, false alarms below 1e-6 together.
@pytest.mark.parametrize("one", PROPERTIES, ids=lambda one: one.name)
def test_shares_of_a_property_are_those_of_its_leak(one) -> None:
    expected = (RARE, 0.0) if one.change else (one.right, 1.0 - one.right)
    assert one.right in (RIGHT, FAINT)
    leak = one.leak()
    assert leak.shares == expected
    n = 1_000 if one.alone else 10_000
    for data, share in ((1, expected[0]), (0, expected[1])):
        outputs = leak.mechanism(data, n, np.random.default_rng(data))
        hits = sum(map(one.holds, outputs)) if one.alone else one.holds(outputs).sum()
        assert stats.binomtest(int(hits), n, share).pvalue > 1e-8


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda m: m.name)
def test_laws_sum_to_one_and_break_the_claim(mistake) -> None:
    p, q = mistake.laws()
    assert p.sum() == pytest.approx(1.0, abs=2e-3)
    assert q.sum() == pytest.approx(1.0, abs=2e-3)
    a = math.exp(mistake.epsilon)
    assert max(np.maximum(p - a * q, 0).sum(), np.maximum(q - a * p, 0).sum()) > mistake.delta


# Each event is tested two-sided at 1e-8, sixteen tests in all.
EVENTS = {
    "randomised response of two answers for four": (lambda x: x == 0, [0]),
    "exponential mechanism without the factor 2": (lambda x: x == 0, [0]),
    "whole part of Laplace noise": (lambda x: x == 0, [30]),
    "size of the sample released": (lambda x: x[:, 1] == 3, [9]),
    "noise that only adds": (lambda x: x == 1, [201]),
    "no noise on one path of ten": (lambda x: x == 1.0, [0]),
    "sparse vector that answers all": (lambda x: (x == [1, 1, 1, 0, 0, 0]).all(axis=1), [0b111000]),
    "two winners with the noise of one": (lambda x: (x == [0, 1]).all(axis=1), [0]),
}


@pytest.mark.parametrize("name", EVENTS)
def test_shares_of_an_event_are_those_of_the_law(name) -> None:
    mistake, (holds, cells) = BY_NAME[name], EVENTS[name]
    for side, data in enumerate(mistake.pair):
        n = 20_000
        hits = int(holds(mistake.mechanism(data, n, np.random.default_rng(side))).sum())
        share = float(mistake.laws()[side][cells].sum())
        assert stats.binomtest(hits, n, min(share, 1.0)).pvalue > 1e-8


def test_laws_of_winners_against_simulation_of_the_largest() -> None:
    p = best_and_value(np.zeros(6))
    assert p.reshape(6, -1).sum(axis=1) == pytest.approx(np.full(6, 1 / 6), abs=1e-3)
    assert best_two(np.zeros(4)) == pytest.approx(np.full(12, 1 / 12), abs=1e-4)


def test_independent_parts_compose_to_the_sum_of_their_losses() -> None:
    p, q = together(*[laplace(0.0, 1.0)()] * 2)
    # P(both above the middle) of two Laplace laws a distance 1 apart: ratio e² with probability ¼.
    at = np.log(p[q > 0] / q[q > 0])
    assert at.max() == pytest.approx(2.0, abs=1e-3)
    assert p[q > 0][at > 1.999].sum() == pytest.approx(0.25, abs=1e-2)


def test_table_counts_what_most_runs_refute() -> None:
    row = {"label": "a", "set": "leaks", "name": "x", "ideal": "30", "seconds": "1.0"}
    rows = [
        {**row, "seed": "0", "samples": "90", "verdict": "refuted"},
        {**row, "seed": "1", "samples": "120", "verdict": "refuted"},
        {**row, "seed": "2", "samples": "20000", "verdict": "not-refuted"},
    ]
    assert "| leaks | 1 of 1 (1 refuted), 4.0 ×, 1.00 s |" in table(rows)


def test_the_page_says_what_was_measured() -> None:
    text = README.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 80
    for found in (table(read()), alarms(read()), peers.table()):
        assert found in text
