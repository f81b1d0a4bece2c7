"""How a run spends its samples: sizes of batches, and the scores that are kept for large ones."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from audits.privacy.bet import betting
from audits.privacy.bet import sequential as s
from audits.privacy.bet.pair_state import PairState
from audits.privacy.tuning import TUNING
from implementations.controls import Control, classical_rows
from tests.audits.privacy_runs import unbegun
from tests.audits.test_privacy_binomial import divergence

ROWS = {c.name: c for c in classical_rows()}


def sequential(control: Control, pair: Any, max_samples: int) -> s.Sequential:
    options = {"epsilon": control.epsilon, "delta": control.delta, "max_samples": max_samples}
    return unbegun(control.mechanism, pair, **options)


@pytest.mark.parametrize("name", ["laplace", "svt3"])
def test_batches_are_small_where_a_refutation_is_near(name: str) -> None:
    control = ROWS[name]
    run = sequential(control, control.exposing or control.pair, 20_000)
    seen: list[tuple[float, bool]] = []

    def growth(state: PairState) -> float:
        share = s.Sequential.growth(run, state)
        need = run.bar - float(run.log_e()[run.claimed])
        z = run.strength(state) * math.sqrt(state.size) if state.families() else 0.0
        least, largest = TUNING.growth
        if run.refuted():
            assert share == TUNING.afterwards[0 if name == "laplace" else 1]
        else:
            assert least <= share <= largest
            # z²/2 is won on as many samples again: no batch above the least makes more than half of the way.
            assert share == least or share * 0.5 * z * z <= 0.5 * max(need, 0.5) + 1e-9
            assert share == largest or share * 0.5 * max(z, 0.1) ** 2 >= 0.5 * max(need, 0.5) - 1e-9
        seen.append((share, run.refuted()))
        return share

    run.growth = growth  # type: ignore[method-assign]
    run.run()
    assert len({share for share, _ in seen}) > 1
    assert any(refuted for _, refuted in seen) == (name == "svt3")


def test_a_cautious_excess_is_small_where_hits_may_be_missing_by_luck() -> None:
    p, q = np.array([0.002, 0.002, 0.3, 0.1, 1e-9]), np.array([1e-9, 0.0002, 0.05, 0.1, 1e-9])
    epsilon, delta = np.array([0.0, 1.0, 2.0]), 1e-4
    plain = betting.excess(p, q, epsilon, delta)
    cautious = betting.cautious_excess(p, q, epsilon, delta)
    # The nearest point of the null, found by another way, is nearer than the point that is used.
    nearest = [[divergence(a, b, e, delta) for e in epsilon] for a, b in zip(p, q, strict=True)]
    outside = plain > 0.0
    assert (cautious <= plain).all()
    assert (cautious[~outside] == plain[~outside]).all()
    assert (cautious[outside] >= np.minimum(plain, np.sqrt(2.0 * np.array(nearest)))[outside] - 1e-9).all()
    # Where n·p = 20 hits meet none, both agree with the odds of that among Poisson counts, (a/(1 + a))^20.
    odds = -0.0019 * np.log(np.exp(1.0) / (1.0 + np.exp(1.0)))
    np.testing.assert_allclose(0.5 * cautious[0, 1] ** 2, odds, rtol=0.1)
    # An event with many hits on both datasets keeps its excess up to a fifth.
    assert (cautious[2, :2] >= 0.8 * plain[2, :2]).all()
