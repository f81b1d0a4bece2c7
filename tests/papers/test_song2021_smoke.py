"""The claims about song2021 that this file names carry their verdicts at smoke size, and lose them to
planted bugs.
"""

import pytest

from claims.harness.discover import load
from claims.harness.commands.mutants import mutants, planted
from claims.harness.run.runner import Settings, run_claims

CLAIMS = (
    "song2021/theorem-2.6",
    "song2021/theorem-2.6:corrected",
    "song2021/theorem-2.6:add-remove",
    "song2021/theorem-3.1",
    "song2021/theorem-3.1:private",
    "song2021/theorem-3.1:corrected",
    "song2021/lemma-b.2",
    "song2021/theorem-b.1",
    "song2021/theorem-b.1-proof",
    "song2021/theorem-b.1-proof:corrected",
    "song2021/section-6-privacy",
    "song2021/section-6-privacy:poisson-add-remove",
    "song2021/section-6-privacy:fixed-size-batches",
    "song2021/section-6-figure-2",
    "controls/half-noise",
    "controls/wrong-exponent",
)
SHARE = 1e-5


def verdicts(ids, folder, tier="smoke"):
    chosen = [c for c in load(*ids) if c.id in ids]
    assert len(chosen) == len(ids)
    result = run_claims(chosen, Settings(tier=tier), share=SHARE, out=folder, cache=False)
    assert [c.error for c in result.claims] == [None] * len(result.claims)
    return {c.id: (c.verdict, c.expected) for c in result.claims}


@pytest.mark.parametrize("claim_id", CLAIMS)
def test_the_evidence_carries_the_expected_verdict(claim_id, tmp_path):
    # A true claim is called refuted with probability at most SHARE; a CONSISTENT one may also miss its
    # resolution, which the sizes of the smoke tier make as unlikely.
    verdict, expected = verdicts([claim_id], tmp_path / "run")[claim_id]
    assert verdict is expected


@pytest.mark.parametrize(
    ("name", "tier"),
    [
        ("song2021-half-noise", "smoke"),
        ("song2021-slow-rate", "smoke"),
        ("song2021-scale-upside-down", "smoke"),
        pytest.param("song2021-norm-calibrated", "ci", marks=pytest.mark.slow),
    ],
)
def test_a_planted_bug_changes_the_verdict(name, tier, tmp_path):
    (mutant,) = mutants([name])
    with planted(mutant):
        found = verdicts(mutant.caught_by, tmp_path / "run", tier)
    assert all(str(verdict) not in (str(expected), "INCONCLUSIVE") for verdict, expected in found.values())
