"""Discovery by file, patterns, and the template of CONTRIBUTING."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from audits.evidence import Verdict
from claims.harness.discover import discover, load, matches, select
from claims.harness.run.runner import Settings, run_claims
from tests.harness.synthetic import claim

ROOT = Path(__file__).resolve().parents[2]


def test_every_claim_is_complete():
    for found in discover():
        assert found.title
        assert len(found.statement) > 40, found.id
        assert len(found.how) > 20, found.id
        assert found.source.paper == found.id.split("/")[0]


def test_a_printed_result_that_falls_has_a_corrected_reading():
    claims = {c.id: c for c in discover()}
    for claim_id, found in claims.items():
        printed = ":" not in claim_id and not claim_id.startswith("controls/")
        if printed and found.expected is Verdict.REFUTED:
            # A broken step of a proof is mended in the corrected reading of its result.
            result = claim_id.removesuffix("-proof")
            assert any(other.startswith((f"{claim_id}:", f"{result}:")) for other in claims), claim_id


def test_patterns():
    claims = [claim("theorem-1"), claim("theorem-1:corrected"), claim("lemma-2")]
    ids = [c.id for c in claims]
    assert [c.id for c in select(claims, [])] == ids
    assert [c.id for c in select(claims, ["demo/theorem-1"])] == ids[:2]
    assert [c.id for c in select(claims, ["demo/theorem-1:corrected"])] == ids[1:2]
    assert [c.id for c in select(claims, ["*/lemma*", "demo/theorem-1:*"])] == ids[1:]
    assert not matches("demo/theorem-10", "demo/theorem-1")
    with pytest.raises(ValueError, match="did you mean 'demo/lemma-2'"):
        select(claims, ["demo/lema-2"])


def test_load_is_sorted_and_public():
    import claims

    ids = [c.id for c in claims.load("song2021/*")]
    assert ids == sorted(ids)
    assert [c.id for c in load("song2021/*")] == ids


def test_the_template_of_contributing_works(tmp_path, monkeypatch):
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    template = re.search(r"```python\n(\"\"\"Theorem 9.*?)```", text, re.DOTALL).group(1)
    package = tmp_path / "doe2020"
    package.mkdir()
    (package / "theorem_9.py").write_text(template, encoding="utf-8")
    import claims

    monkeypatch.setattr(claims, "__path__", [*claims.__path__, str(tmp_path)])
    found = discover(tmp_path)
    monkeypatch.delitem(sys.modules, "claims.doe2020.theorem_9")
    result = run_claims(found, Settings(tier="smoke"), share=1e-4, out=tmp_path / "run")
    assert result["doe2020/theorem-9"].verdict is Verdict.CONFIRMED


@pytest.mark.parametrize(
    ("content", "says"),
    [("x = (", "cannot be imported"), ("x = 1", "neither CLAIM nor CLAIMS")],
)
def test_a_broken_claim_file_is_named(tmp_path, monkeypatch, content, says):
    import claims

    package = tmp_path / "broken"
    package.mkdir()
    name = f"r{abs(hash(content)) % 1000}"
    (package / f"{name}.py").write_text(content)
    monkeypatch.setattr(claims, "__path__", [*claims.__path__, str(tmp_path)])
    with pytest.raises(ValueError, match=says):
        discover(tmp_path)
