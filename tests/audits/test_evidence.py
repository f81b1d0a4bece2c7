"""Evidence refuses what it must not say, and pieces combine as stated."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audits.evidence import Evidence, Verdict, combine

GOOD = {"quantity": "ε", "estimate": 1.0, "low": 0.5, "high": 2.0, "confidence": 0.99, "method": "sequential"}


def test_evidence_is_not_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Evidence(**GOOD).estimate = 1.0  # type: ignore[misc]


def piece(verdict):
    exact = {"confidence": 1.0} if verdict is Verdict.CONFIRMED else {}
    return Evidence(**GOOD | {"verdict": verdict, "resolution": 0.1} | exact)


@given(st.lists(st.sampled_from([None, *Verdict])))
def test_combine_is_the_worst_piece(verdicts):
    rank = [Verdict.CONFIRMED, Verdict.CONSISTENT, Verdict.INCONCLUSIVE, Verdict.REFUTED]
    deciding = [v for v in verdicts if v is not None]
    wanted = max(deciding, key=rank.index, default=Verdict.INCONCLUSIVE)
    assert combine(map(piece, verdicts)) is wanted
    assert combine(map(piece, reversed(verdicts))) is wanted
