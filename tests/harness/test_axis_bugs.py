"""Every exponent that a claim judges has a planted bug that changes it, and only its claim answers for it."""

from __future__ import annotations

from claims.harness.commands.rates import baseline_file, read_baseline
from claims.harness.conformance import baseline_exponents
from claims.harness.mutation.named import named


def _bugs_of_axes(paper: str) -> list[tuple[str, str]]:
    """(claim, axis) of each bug of an axis."""
    bugs = [m for m in named([f"{paper}-*"]) if m.axis is not None]
    assert [m.name for m in bugs if len(m.caught_by) != 1] == []
    return [(m.caught_by[0], str(m.axis)) for m in bugs]


def test_every_judged_exponent_of_song2021_has_one_bug():
    assert sorted(_bugs_of_axes("song2021")) == sorted(baseline_exponents(["song2021"]))


def test_every_judged_exponent_of_levy2021_has_one_bug():
    # Claims of levy2021 also fit exponents that no theorem states: these have no verdict.
    judged = {
        (claim, axis)
        for (claim, axis, _), exponent in read_baseline(baseline_file("levy2021")).items()
        if exponent["claimed"] is not None
    }
    found = _bugs_of_axes("levy2021")
    assert judged <= set(found)
    assert len(found) == len(set(found))
