"""Every exponent that song2021 judges has a planted bug that changes it; its claim alone answers for it."""

from __future__ import annotations

from claims.harness.conformance import baseline_exponents
from claims.mutants.song2021_axes import BY_CLAIM, MUTANTS


def test_every_judged_exponent_of_song2021_has_a_bug():
    judged: dict[str, set[str]] = {}
    for claim, axis in baseline_exponents(["song2021"]):
        judged.setdefault(claim.removeprefix("song2021/"), set()).add(axis)
    assert {claim: set(axes) for claim, axes in BY_CLAIM.items()} == judged


def test_a_bug_of_an_axis_names_its_claim_alone():
    expected = [f"song2021/{claim}" for claim, axes in BY_CLAIM.items() for _ in axes]
    assert [m.caught_by for m in MUTANTS] == [(claim,) for claim in expected]
