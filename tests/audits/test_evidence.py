"""Evidence refuses what it must not say, and pieces combine as stated."""

from __future__ import annotations

import dataclasses
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audits.evidence import Evidence, Verdict, combine, exact_evidence

GOOD = {"quantity": "ε", "estimate": 1.0, "low": 0.5, "high": 2.0, "confidence": 0.99, "method": "sequential"}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"estimate": math.nan}, "needs numbers"),
        ({"low": math.nan}, "needs numbers"),
        ({"low": 1.5}, "interval must hold the estimate"),
        ({"high": 0.9}, "interval must hold the estimate"),
        ({"confidence": 0.0}, "confidence must be in"),
        ({"confidence": 1.1}, "confidence must be in"),
        ({"verdict": Verdict.CONFIRMED}, "CONFIRMED needs an exact computation"),
        (
            {"verdict": Verdict.CONFIRMED, "confidence": 1.0, "samples": 5},
            "CONFIRMED needs an exact computation",
        ),
        ({"verdict": Verdict.CONSISTENT}, "CONSISTENT needs a resolution"),
    ],
)
def test_refuses(change, words):
    with pytest.raises(ValueError, match=words):
        Evidence(**{**GOOD, **change})


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
