"""Audits of many pairs: the half that shows less is dropped again and again, and the bad pair is found."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from audits import audit_privacy
from audits.privacy.bet import sequential
from audits.privacy.bet.betting import log_sum
from audits.privacy.bet.method import Job
from audits.privacy.bet.sequential import Sequential
from audits.privacy.draw.datasets import kept_apart
from audits.privacy.draw.draws import Drawer
from audits.privacy.options import Options
from audits.privacy.tuning import TUNING

LAPLACE = 1.0


def _pairs(count):
    return [(np.array([k, 0.0]), np.array([k, 1.0])) for k in range(count)]


def _mechanism(bad=None, epsilon=1.5):
    def mechanism(data, size, rng):
        scale = 1.0 / (epsilon if data[0] == bad else LAPLACE)
        return data[1] + rng.laplace(scale=scale, size=size)

    return mechanism


def _audit(count, bad, **options):
    values = {"epsilon": 1.0, "adjacency": lambda a, b: True, "alpha": 1e-3, "simplest": False} | options
    return audit_privacy(_mechanism(bad), _pairs(count), **values)


def _run(count, bad=None, max_samples=40_000):
    request = Job(
        Options(epsilon=1.0, delta=0.0, alpha=1e-3, max_samples=max_samples),
        Drawer(_mechanism(bad), "raise", 1),
        [kept_apart(pair) for pair in _pairs(count)],
        np.random.default_rng(0),
    )
    return Sequential(request)


def test_a_dropped_pair_keeps_its_wealth_and_its_share(monkeypatch):
    """The mean is over all pairs to the end, whichever are followed: no part of α moves to another pair."""
    run = _run(64)
    levels: list[tuple[int, list[int]]] = []
    wealth: dict[int, np.ndarray] = {}
    step = Sequential.step

    def watched(self, state, size):
        followed = [s.index for s in self.halving.followed]
        assert state.index in followed
        for s in self.states:
            if s.index not in followed:
                now = self.wealth[s.index].log()
                np.testing.assert_array_equal(wealth.setdefault(s.index, now), now)
        if not levels or levels[-1][1] != followed:
            levels.append((self.halving.level, followed))
        step(self, state, size)
        direct = log_sum(np.stack([w.log() for w in self.wealth])) - np.log(64)
        np.testing.assert_allclose(self.log_e(), direct, rtol=1e-12, atol=1e-12)

    monkeypatch.setattr(sequential.Sequential, "step", watched)
    found = run.run()
    assert [len(f) for _, f in levels] == [64, 32, 16, 12]
    for (size, before), (next_size, after) in pairwise(levels):
        assert set(after) < set(before)
        assert next_size == 2 * size
    assert found.followed == TUNING.followed
    assert "where one is large by chance" in found.event


def test_which_pairs_are_followed_goes_by_earlier_samples_only():
    """`fresh` reads strengths, and strengths read families, which hold no sample that is still to come."""
    run = _run(40)
    state = run.next_pair()
    before = [run.strength(s) for s in run.states]
    assert before == [-np.inf] * 40
    run.step(state, run.batch_size(state))
    assert state.size == run.halving.level


@pytest.mark.slow
def test_the_bad_one_of_two_hundred_is_refuted_and_the_text_tells_how_many_were_followed():
    result = _audit(200, 117, max_samples=400_000)
    assert result.verdict == "refuted"
    assert result.pair_index == 117
    assert result.pairs == 200
    assert f"200 pairs, of which {result.followed} were followed" in result.summary()
    assert result.to_dict()["pairs_followed"] == result.followed < 200
    assert "200 pairs" in result._repr_html_()


def test_few_pairs_are_all_followed():
    result = _audit(3, 1, max_samples=20_000)
    assert result.verdict == "refuted"
    assert result.pairs_said == "3 pairs"
    assert _audit(1, None, max_samples=2_000).pairs_said == ""


@pytest.mark.slow
def test_tight_pairs_are_not_refuted_more_often_than_alpha_says():
    """All pairs lie at the claim. Of 12 audits at α = 0.05 8 or more are refuted with probability 2e-8."""
    refuted = 0
    for seed in range(12):
        result = audit_privacy(
            _mechanism(), _pairs(20), epsilon=1.0, adjacency=lambda a, b: True, alpha=0.05, seed=seed,
            max_samples=8_000, simplest=False,
        )  # fmt: skip
        refuted += result.refuted
    assert refuted < 8


@pytest.mark.slow
def test_the_bad_one_of_a_thousand_is_refuted():
    result = _audit(1000, 500, max_samples=1_000_000)
    assert result.verdict == "refuted"
    assert result.pair_index == 500
    assert result.summary().count("1,000 pairs, of which") == 1
