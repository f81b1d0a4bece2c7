"""Every exponent that a claim judges has a planted bug that changes it, and only its claim answers for it."""

from __future__ import annotations

import pytest

from claims.harness.commands.rates import baseline_file, read_baseline
from claims.harness.conformance import baseline_exponents
from claims.mutants import levy2021_axes, song2021_axes


def test_every_judged_exponent_of_song2021_has_a_bug():
    judged: dict[str, set[str]] = {}
    for claim, axis in baseline_exponents(["song2021"]):
        judged.setdefault(claim.removeprefix("song2021/"), set()).add(axis)
    assert {claim: set(axes) for claim, axes in song2021_axes.BY_CLAIM.items()} == judged


def test_every_judged_exponent_of_levy2021_has_a_bug():
    # Claims of levy2021 also fit exponents that no theorem states: these have no verdict.
    judged = {
        (claim.removeprefix("levy2021/"), axis)
        for (claim, axis, _), exponent in read_baseline(baseline_file("levy2021")).items()
        if exponent.claimed is not None
    }
    assert judged <= {(claim, axis) for claim, axes in levy2021_axes.BY_CLAIM.items() for axis in axes}


@pytest.mark.parametrize(("paper", "bugs"), [("song2021", song2021_axes), ("levy2021", levy2021_axes)])
def test_a_bug_of_an_axis_names_its_claim_alone(paper, bugs):
    expected = [f"{paper}/{claim}" for claim, axes in bugs.BY_CLAIM.items() for _ in axes]
    assert [m.caught_by for m in bugs.MUTANTS] == [(claim,) for claim in expected]
