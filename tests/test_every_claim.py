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
from claims.harness.conformance import RULES, Context, baseline_exponents, smoke
from claims.harness.discover import Catalogue, discover
from claims.harness.places import RUNS
from claims.harness.run.runner import Settings, finished

ROOT = Path(__file__).resolve().parents[1]
SOURCES = Sources(roots_of())
CATALOGUE: Catalogue = discover()
IDS = [claim.id for claim in CATALOGUE.claims]


@cache
def _exponents() -> frozenset[tuple[str, str]]:
    return baseline_exponents([p.key for p in CATALOGUE.papers])


@pytest.mark.parametrize("claim_id", IDS)
def test_every_claim_conforms(claim_id):
    (claim,) = [c for c in CATALOGUE.claims if c.id == claim_id]
    result = finished(claim, Settings(tier="smoke"), SOURCES, ROOT / RUNS) or smoke(claim)
    context = Context(result=result, catalogue=CATALOGUE.claims, bugs=frozenset(), exponents=_exponents())
    # A slow or busy machine is no fault of the claim: what takes long is told by `dpclaims check`.
    rules = {name: rule for name, rule in RULES.items() if name not in ("bug", "seconds")}
    problems = {name: rule(claim, context) for name, rule in rules.items()}
    assert not {name: text for name, text in problems.items() if text is not None}


def test_no_file_is_broken():
    assert [p.sentence for p in CATALOGUE.problems] == []
