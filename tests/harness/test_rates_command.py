"""`dpclaims rates`: what counts as a regression, and what a baseline file must look like."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from audits.evidence import Evidence
from claims.harness.commands.rates import (
    compare,
    fit_csv,
    parse_claimed,
    read_baseline,
    write_baseline,
)
from claims.harness.mutation.named import named
from claims.harness.mutation.plant import planted

NAME = ("demo/theorem-1", "n", "")


def _exponent(estimate, error=0.01, freedom=20.0, worse="either"):
    return Evidence(
        quantity="exponent of n", estimate=estimate, low=estimate - 3 * error, high=estimate + 3 * error,
        confidence=0.99, method="tost", samples=10, claimed=-1.0, axis="n", worse=worse,
        standard_error=error, degrees_of_freedom=freedom,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("new", "error", "worse", "status"),
    [
        (-1.0, 0.01, "higher", "same"),
        (-0.93, 0.01, "higher", "same"),  # beyond the tolerance, but not significantly
        (-0.80, 0.01, "higher", "regressed"),
        (-0.80, 0.20, "higher", "same"),  # too noisy to say
        (-1.20, 0.01, "higher", "moved"),  # faster is no regression of an upper bound
        (-1.20, 0.01, "either", "regressed"),
        (-1.20, 0.01, "lower", "regressed"),
        (-0.80, 0.01, "lower", "moved"),
    ],
)
def test_a_regression_is_significant_and_in_the_bad_direction(new, error, worse, status):
    rows = compare({NAME: _exponent(new, error, worse=worse)}, {NAME: _exponent(-1.0)}, 0.05)
    assert [r["status"] for r in rows] == [status]


def test_new_and_missing_exponents_are_named():
    assert compare({NAME: _exponent(-1.0)}, {}, 0.05)[0]["status"] == "new"
    assert compare({}, {NAME: _exponent(-1.0)}, 0.05)[0]["status"] == "missing"


def test_a_baseline_survives_its_file(tmp_path):
    file = tmp_path / "baseline.json"
    write_baseline(file, {NAME: _exponent(-1.0, freedom=float("inf"))})
    again = read_baseline(file)[NAME]
    assert (again.estimate, again.standard_error, again.degrees_of_freedom) == (-1.0, 0.01, float("inf"))
    assert json.loads(file.read_text())["provenance"]["tier"] == "ci"
    assert [f.name for f in tmp_path.iterdir()] == ["baseline.json"]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "not JSON"),
        ("[]", "not a baseline"),
        ('{"format": "dpclaims-baseline/2", "exponents": [{}]}', "malformed"),
        ('{"format": "dpclaims-baseline/2"}', "malformed"),
    ],
)
def test_a_malformed_baseline_is_named(tmp_path, content, says):
    file = tmp_path / "baseline.json"
    file.write_text(content)
    with pytest.raises(ValueError, match=says) as caught:
        read_baseline(file)
    assert str(file) in str(caught.value)


def test_claimed_exponents_are_parsed():
    assert parse_claimed(None, ["n"]) is None
    assert parse_claimed("n=-1,m=-.5", ["n", "m"]) == {"n": -1.0, "m": -0.5}
    for text in ("n", "n=x", "=1", "d=1"):
        with pytest.raises(ValueError, match="--claimed"):
            parse_claimed(text, ["n"])


@pytest.mark.parametrize("json_wanted", [True, False])
def test_what_is_wrong_with_a_fit_of_ones_own_is_said(tmp_path, capsys, json_wanted):
    file = tmp_path / "cells.csv"
    sizes = [100 * 2**k for k in range(7)]
    file.write_text("n,risk\n" + "".join(f"{n},{1 / n + 1e-3}\n" for n in sizes))
    status = fit_csv(
        file, risk="risk", axes=["n"], claimed="n=-1", tolerance=0.05, side="tight", json=json_wanted
    )
    assert status == 3  # INCONCLUSIVE: a floor, so that no exponent holds at both ends
    out = capsys.readouterr().out
    if json_wanted:
        diagnosis = json.loads(out)["exponents"][0]["diagnosis"]
        assert diagnosis["plainly_curved"]
        assert diagnosis["warnings"][-1] == "7 cells only"
        assert diagnosis["decades"] == pytest.approx(1.806, abs=1e-3)
        assert diagnosis["pull"]["cell"]["n"] in sizes
    else:
        assert "plainly no power law: the local exponent goes from -0.98" in out
        assert "7 cells only" in out


@pytest.mark.slow
def test_rates_pass_and_a_mutant_of_the_reference_regresses(dpclaims, tmp_path, monkeypatch):
    committed = Path(__file__).resolve().parents[2] / "reports" / "baseline" / "asi2024.json"
    monkeypatch.chdir(tmp_path)
    pattern = "asi2024/theorem-4.1-utility*"
    status, out, err = dpclaims("rates", pattern, "--baseline", str(committed))
    assert status == 0, out + err
    (mutant,) = named(["asi2024-radius-of-one-item"])
    (tmp_path / "planted").mkdir()
    monkeypatch.chdir(tmp_path / "planted")
    with planted(mutant):
        status, out, _ = dpclaims("rates", pattern, "--baseline", str(committed))
    assert status == 1
    assert "regressed" in out
