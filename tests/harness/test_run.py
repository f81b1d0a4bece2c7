"""The runner: seeds, chunks, workers, budget, crashes."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from audits.evidence import Evidence, Verdict
from audits.judge import at_most, reported
from claims.harness.run.cells import generator
from claims.harness.run.result import CRASHED, DIFFERS, PASSED, UNDECIDED
from claims.harness.run.runner import Settings, run_claims
from claims.harness.run.serialise import dumps, evidence_from_json, evidence_to_json
from claims.harness.run.store import read_claim, read_run
from claims.harness.words import ROOM
from tests.harness.synthetic import claim


def _run(claims, folder: Path, **options):
    return run_claims(claims, Settings(tier="smoke"), out=folder, **options)


def test_rows_hold_axes_chunks_and_every_trial(tmp_path):
    _run([claim()], tmp_path / "run")
    rows = read_claim(tmp_path / "run", "demo/theorem-1").rows
    assert list(rows.columns) == ["n", "chunk", "trials", "value"]
    assert rows.groupby(["n", "chunk"])["value"].size().tolist() == [20, 20, 10] * 2
    rng = generator(0, "demo/theorem-1", {"n": 2}, 1)
    np.testing.assert_array_equal(rows.query("n == 2 and chunk == 1")["value"], 2 + rng.standard_normal(20))


def test_seeds_differ_in_every_name_and_only_there():
    point = {"n": 1, "d": 2}
    base = (0, "demo/t", point, 0)
    other = [(1, *base[1:]), (0, "demo/u", point, 0), (0, "demo/t", {"n": 1, "d": 3}, 0), (*base[:3], 1)]
    draws = {tuple(generator(*cell).integers(2**60, size=2)) for cell in [base, *other]}
    assert len(draws) == 5
    again = generator(0, "demo/t", {"d": 2, "n": 1}, 0).integers(2**60, size=2)
    assert tuple(again) in draws


def test_a_crashing_claim_is_stored_with_its_traceback_and_the_others_go_on(tmp_path):
    def explode(point):
        raise RuntimeError("no such luck")

    result = _run([claim("theorem-1", measure=explode), claim("theorem-2")], tmp_path / "run")
    assert result.exit_status == CRASHED
    assert "no such luck" in result["demo/theorem-1"].error
    assert result["demo/theorem-1"].verdict is None
    assert result["demo/theorem-2"].verdict is Verdict.CONFIRMED
    assert "RuntimeError" in read_run(tmp_path / "run")["demo/theorem-1"].error
    # It is tried again.
    again = _run([claim("theorem-1")], tmp_path / "run")
    assert (again.exit_status, again["demo/theorem-1"].cached) == (PASSED, False)


@pytest.mark.parametrize(
    ("verdict", "expected", "status"),
    [
        (Verdict.CONFIRMED, Verdict.CONFIRMED, PASSED),
        (Verdict.REFUTED, Verdict.CONFIRMED, DIFFERS),
        (Verdict.CONFIRMED, Verdict.REFUTED, DIFFERS),
        (Verdict.INCONCLUSIVE, Verdict.REFUTED, UNDECIDED),
    ],
)
def test_exit_status(tmp_path, verdict, expected, status):
    def judge(rows, budget):
        return [replace(reported("fact", 1.0), verdict=verdict)]

    assert _run([claim(judge=judge, expected=expected)], tmp_path / "run").exit_status == status


def test_overspending_the_error_budget_is_a_crash(tmp_path):
    def judge(rows, budget):
        fact = replace(reported("q", 0.0), verdict=Verdict.REFUTED)
        return [replace(fact, samples=3, alpha_spent=budget.alpha * 1.01)]

    result = _run([claim(judge=judge, expected=Verdict.REFUTED)], tmp_path / "run")
    assert "error budget" in result["demo/theorem-1"].error


@pytest.mark.parametrize(
    ("measured", "message"),
    [
        ({}, "no columns"),
        ({"n": 1.0}, "axes"),
        ({"a": [1, 2], "b": [1, 2, 3]}, "one length"),
        ({"a": np.zeros((2, 2))}, "one length"),
        ({"a": [object()]}, "numbers or strings"),
    ],
)
def test_measures_of_a_wrong_shape_are_named(tmp_path, measured, message):
    result = _run([claim(measure=lambda point: measured)], tmp_path / "run")
    assert message in result["demo/theorem-1"].error


def test_the_room_of_a_run_is_that_of_the_error_budget(tmp_path):
    assert Settings(alpha=0.001).share * ROOM == pytest.approx(0.001)
    with pytest.raises(ValueError, match="room for 1000 claims, 1001 are chosen"):
        run_claims([claim()] * (ROOM + 1), Settings(tier="smoke"), out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_data_reaches_only_the_claims_that_read_it(tmp_path):
    seen = {}

    def measure(point):
        seen[point.n] = point.data
        return {"value": 1.0}

    data = tmp_path / "data"
    data.write_text("1\n")
    claims = [
        claim("theorem-1", measure=measure, points=[{"n": 1}], check_data=lambda path: None),
        claim("theorem-2", measure=measure, points=[{"n": 2}]),
    ]
    run_claims(claims, Settings(tier="smoke", data=data), out=tmp_path / "run")
    assert seen == {1: data, 2: None}


def test_json_has_the_promised_keys_and_no_bare_infinity(tmp_path):
    def judge(rows, budget):
        return [at_most("ε", float("inf"), 1.0)]

    document = json.loads(
        dumps(_run([claim(judge=judge, expected=Verdict.REFUTED)], tmp_path / "run").to_json()),
        parse_constant=lambda name: pytest.fail(f"bare {name} in JSON"),
    )
    assert set(document) == {"format", "run", "claims"}
    entry = document["claims"][0]
    assert {
        "id", "kind", "role", "finding", "finding_text", "rests_on", "caveat", "verdict", "expected", "ok",
        "evidence", "resolution", "alpha_spent", "seconds", "cached", "error",
    } == set(entry)  # fmt: skip
    assert {
        "quantity", "estimate", "low", "high", "confidence", "method", "samples", "bound", "point",
    } <= set(entry["evidence"][0])  # fmt: skip
    assert entry["evidence"][0]["estimate"] == "inf"


def test_evidence_survives_json():
    evidence = Evidence(
        quantity="exponent of n", estimate=-1.0, low=-1.1, high=float("inf"), confidence=0.99,
        method="tost", samples=10, claimed=-1.0, axis="n", worse="higher",
        point={"n": 3, "loss": "hinge"}, verdict=Verdict.CONSISTENT,
        resolution=0.1, alpha_spent=1e-5, standard_error=0.02, note="n",
    )  # fmt: skip
    assert evidence_from_json(json.loads(dumps(evidence_to_json(evidence)))) == evidence
