"""How a run spends its samples: sizes of batches, and the scores that are kept for large ones."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from audits.privacy import binomial, events
from audits.privacy import sequential as s
from audits.privacy.datasets import kept_apart
from audits.privacy.draws import Drawer
from audits.privacy.pair_state import PairState
from audits.privacy.request import Request
from audits.privacy.tuning import TUNING
from implementations.controls import Control, classical_rows

ROWS = {c.name: c for c in classical_rows()}


def sequential(control: Control, pair: Any, max_samples: int) -> s.Sequential:
    return s.Sequential(
        Request(
            drawer=Drawer(control.mechanism),
            pairs=[kept_apart(pair)],
            epsilon=control.epsilon,
            delta=control.delta,
            alpha=0.05,
            rng=np.random.default_rng(0),
            max_samples=max_samples,
            stop_early=False,
        )
    )


@pytest.mark.parametrize("z", [0.5, 2.0, 4.0])
def test_an_excess_of_z_standard_errors_wins_half_its_square_on_as_many_samples(z: float) -> None:
    # What the size of a batch rests on: n·KL = z²/2 but for terms of the third order.
    n, q, epsilon = 10**6, 0.1, 1.0
    a = math.exp(epsilon)
    null = a * q
    p = null + z * math.sqrt((null * (1.0 - null) + a * a * q * (1.0 - q)) / n)
    growth = float(binomial.divergence(np.array([p]), np.array([q]), epsilon, 0.0)[0])
    assert n * growth == pytest.approx(0.5 * z * z, rel=0.02)


@pytest.mark.parametrize("name", ["laplace", "svt3"])
def test_batches_are_small_where_a_refutation_is_near(name: str) -> None:
    control = ROWS[name]
    run = sequential(control, control.exposing or control.pair, 60_000)
    seen: list[tuple[float, bool]] = []

    def growth(state: PairState) -> float:
        share = s.Sequential.growth(run, state)
        need = run.bar - float(run.log_e()[run.claimed])
        z = run.strength(state) * math.sqrt(state.size) if state.ladders() else 0.0
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


@pytest.mark.parametrize("name", ["laplace", "gaussian", "svt3"])
def test_scores_that_are_dropped_are_not_missed(name: str) -> None:
    # Whatever is dropped before a large batch, the strongest event at every ε that decides is as strong as
    # before, but for what samples cannot tell apart: 1.5 standard errors, where trees have to be worth it.
    control = ROWS[name]
    run = sequential(control, control.pair, 150_000)
    first = run.grid[run.references]
    dropped: list[int] = []

    def strongest(ladders: list[events.Ladder]) -> Any:
        return np.max([run.excess(ladder).max(axis=0) for ladder in ladders], axis=0)

    def prune(state: PairState, size: int) -> None:
        before, slots = strongest(state.ladders()), len(state.live())
        s.Sequential.prune(run, state, size)
        near = (first >= run.epsilon_lower() * 0.9) & (first <= max(run.epsilon_lower() * 1.1, 0.1))
        after = strongest(state.ladders())
        assert np.all(after[near] >= before[near] - 1.5 / math.sqrt(state.size) - 1e-12)
        dropped.append(slots - len(state.live()))

    run.prune = prune  # type: ignore[method-assign]
    run.run()
    assert sum(dropped) > 0
    # To the end single numbers have their value; the scores of vectors are down to few.
    left = [slot.learner.__name__ for slot in run.states[0].live()]
    assert "value" in left if name != "svt3" else 1 <= len(left) <= 3
