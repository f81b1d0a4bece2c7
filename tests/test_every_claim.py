"""The conformance suite over everything that is found: there is nothing to extend here.

A true claim is called refuted at smoke with probability 1e-6 at most; one that passes by sampling may also
miss its resolution, which the sizes of its smoke tier make as unlikely. What `dpclaims run --tier smoke` has
stored below reports/runs is not computed again, if it comes from these very sources.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from claims.harness.closure import Sources, roots_of
from claims.harness.conformance import RULES, Context, baseline_exponents, named_by_bugs, smoke
from claims.harness.discover import Catalogue, discover
from claims.harness.places import RUNS
from claims.harness.run.runner import Settings, finished, run_claims

ROOT = Path(__file__).resolve().parents[1]
SOURCES = Sources(roots_of())
CATALOGUE: Catalogue = discover()
IDS = [claim.id for claim in CATALOGUE.claims]


@cache
def _known() -> tuple[frozenset[str], frozenset[tuple[str, str]]]:
    return named_by_bugs(), baseline_exponents([p.key for p in CATALOGUE.papers])


@pytest.mark.parametrize("claim_id", IDS)
def test_every_claim_conforms(claim_id):
    (claim,) = [c for c in CATALOGUE.claims if c.id == claim_id]
    bugs, exponents = _known()
    result = finished(claim, Settings(tier="smoke"), SOURCES, ROOT / RUNS) or smoke(claim, SOURCES)
    context = Context(result=result, catalogue=CATALOGUE.claims, bugs=bugs, exponents=exponents)
    problems = {name: rule(claim, context) for name, rule in RULES.items() if name != "bug"}
    # A busy machine is no fault of the claim: three times the time is.
    if result.seconds < 30.0:
        problems.pop("seconds")
    assert not {name: text for name, text in problems.items() if text is not None}


def test_no_file_is_broken():
    assert [p.sentence for p in CATALOGUE.problems] == []


@pytest.mark.slow
def test_the_same_bits_for_one_and_two_workers(tmp_path):
    # One claim of each form and kind: what all share is the runner.
    from claims.harness.run.store import claim_folder

    chosen = {(c.check is None, c.kind): c for c in reversed(CATALOGUE.claims)}.values()
    for jobs in (1, 2):
        run_claims(list(chosen), Settings(tier="smoke"), jobs=jobs, out=tmp_path / str(jobs) / "run")
    for claim in chosen:
        one, two = (
            (claim_folder(tmp_path / str(jobs) / "run", claim.id) / "result.json").read_bytes()
            for jobs in (1, 2)
        )
        assert one == two, claim.id
