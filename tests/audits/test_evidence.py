"""Evidence refuses what it must not say, and pieces combine as stated."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audits.evidence import Evidence, Verdict, combine, exact_evidence

GOOD = {"quantity": "ε", "estimate": 1.0, "low": 0.5, "high": 2.0, "confidence": 0.99, "method": "sequential"}


def test_exact_evidence_has_no_width_and_spends_nothing():
    found = exact_evidence("δ", 0.25, claimed=0.3, verdict=Verdict.CONFIRMED, point={"n": 3})
    assert (found.low, found.estimate, found.high) == (0.25, 0.25, 0.25)
    assert (found.confidence, found.samples, found.alpha_spent) == (1.0, 0, 0.0)
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.estimate = 1.0  # type: ignore[misc]


def piece(verdict):
    return (
        Evidence(**GOOD | {"verdict": verdict, "resolution": 0.1})
        if verdict is not Verdict.CONFIRMED
        else (exact_evidence("x", 1.0, verdict=verdict))
    )


@given(st.lists(st.sampled_from([None, *Verdict])))
def test_combine_is_the_worst_piece(verdicts):
    rank = [Verdict.CONFIRMED, Verdict.CONSISTENT, Verdict.INCONCLUSIVE, Verdict.REFUTED]
    deciding = [v for v in verdicts if v is not None]
    wanted = max(deciding, key=rank.index, default=Verdict.INCONCLUSIVE)
    assert combine(map(piece, verdicts)) is wanted
    assert combine(map(piece, reversed(verdicts))) is wanted
