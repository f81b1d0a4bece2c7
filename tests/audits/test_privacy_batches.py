"""How a run spends its samples: sizes of batches, and the scores that are kept for large ones."""

from __future__ import annotations

import math
from typing import Any

import pytest

from audits.privacy.bet import sequential as s
from audits.privacy.bet.pair_state import PairState
from audits.privacy.tuning import TUNING
from implementations.controls import Control, classical_rows
from tests.audits.privacy_runs import unbegun

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
