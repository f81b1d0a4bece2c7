"""Audits of many pairs: all are looked at, then mostly the one that shows most, and the bad pair is found."""

from __future__ import annotations

import numpy as np
import pytest

from tests.audits.privacy_runs import audited

LAPLACE = 1.0


def _pairs(count):
    return [(np.array([k, 0.0]), np.array([k, 1.0])) for k in range(count)]


def _mechanism(bad=None, epsilon=1.5):
    def mechanism(data, size, rng):
        scale = 1.0 / (epsilon if data[0] == bad else LAPLACE)
        return data[1] + rng.laplace(scale=scale, size=size)

    return mechanism


def _audit(count, bad, **options):
    return audited(_mechanism(bad), _pairs(count), **({"alpha": 1e-3, "simplest": False} | options))


def test_the_bad_one_of_sixty_four_is_refuted():
    for seed in range(3):
        result = _audit(64, 17, max_samples=200_000, seed=seed)
        assert (result.verdict, result.pair_index) == ("refuted", 17)


def test_how_many_pairs_there_are_is_said():
    result = _audit(3, 1, max_samples=20_000)
    assert result.verdict == "refuted"
    assert "pairs: 3" in result.summary()
    assert "pairs:" not in _audit(1, None, max_samples=2_000).summary()


@pytest.mark.slow
def test_tight_pairs_are_not_refuted_more_often_than_alpha_says():
    """All pairs lie at the claim. Of 12 audits at α = 0.05 8 or more are refuted with probability 2e-8."""
    refuted = 0
    for seed in range(12):
        refuted += _audit(20, None, alpha=0.05, seed=seed, max_samples=8_000).refuted
    assert refuted < 8


@pytest.mark.slow
def test_the_bad_one_of_a_thousand_is_refuted():
    result = _audit(1000, 500, max_samples=1_000_000)
    assert result.verdict == "refuted"
    assert result.pair_index == 500
    assert "pairs: 1,000" in result.summary()
