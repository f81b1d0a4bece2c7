"""What other tools read: JUnit, the Markdown summary, GitHub's annotations; whatever texts are in them."""

from __future__ import annotations

import json
import math
import os
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from claims.harness import exchange
from claims.harness.commands.published import claim_case, publish_run
from claims.harness.exchange import Case, Outputs
from claims.harness.run.runner import Settings, run_claims
from tests.harness.synthetic import claim

CASE = Case(
    group="dpclaims.audit", name="m.py:f", title="m.py:f", outcome=exchange.PASSED, verdict="not-refuted",
    message="fine", numbers={"epsilon_lower": 0.5, "samples": 10, "resolution": math.inf, "delta": 0.0},
)  # fmt: skip
FAILED = replace(CASE, outcome=exchange.FAILED, verdict="refuted", message="ε ≥ 2", place=("m.py", 3))
OPEN = replace(CASE, outcome=exchange.UNDECIDED, verdict="undecided", message="too few", place=("m.py", 3))
CRASHED = replace(CASE, outcome=exchange.ERROR, verdict="crashed", message="no file")


def test_junit_counts_and_fields(tmp_path):
    exchange.write_junit(tmp_path / "j.xml", "dpclaims audit", [CASE, FAILED, OPEN, CRASHED])
    suite = ElementTree.parse(tmp_path / "j.xml").getroot()
    counts = {name: suite.attrib[name] for name in ("tests", "failures", "errors", "skipped")}
    assert counts == {"tests": "4", "failures": "1", "errors": "1", "skipped": "1"}
    tags = [{child.tag for child in case} - {"properties"} for case in suite]
    assert tags == [{"system-out"}, {"failure"}, {"skipped"}, {"error"}]
    fields = {p.attrib["name"]: p.attrib["value"] for p in suite[0].iter("property")}
    assert fields == {
        "verdict": "not-refuted", "epsilon_lower": "0.5", "samples": "10", "resolution": "inf",
        "delta": "0.0",
    }  # fmt: skip
    assert (suite[1].attrib["file"], suite[1].attrib["line"]) == ("m.py", "3")


def test_the_summary_is_appended_with_what_failed_first(tmp_path):
    file = tmp_path / "s.md"
    file.write_text("before\n")
    exchange.append_summary(file, "audits", [CASE, replace(FAILED, expected="not-refuted")])
    lines = file.read_text(encoding="utf-8").splitlines()
    assert lines[:2] == ["before", "### audits"]
    assert lines[3] == "| what | verdict | expected | why |"
    assert lines[5] == "| **m.py:f** | refuted | not-refuted | ε ≥ 2 |"
    assert lines[6] == "| m.py:f | not-refuted |  | fine |"


HOSTILE = "a\x1b[2J]]></failure>|b\n::error::c\x00 100 %"


def test_sarif_has_what_did_not_pass(tmp_path):
    # What the schema of SARIF 2.1.0 asks of a result; the schema itself is 120 kB and is not kept here.
    exchange.write_sarif(tmp_path / "s.sarif", "dpclaims audit", [CASE, FAILED, OPEN, CRASHED])
    document = json.loads((tmp_path / "s.sarif").read_text(encoding="utf-8"))
    (run,) = document["runs"]
    assert (document["version"], run["tool"]["driver"]["name"]) == ("2.1.0", "dpclaims audit")
    assert [result["level"] for result in run["results"]] == ["error", "warning", "error"]
    assert {r["ruleId"] for r in run["results"]} == {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    (where,) = run["results"][0]["locations"]
    assert where["physicalLocation"] == {"artifactLocation": {"uri": "m.py"}, "region": {"startLine": 3}}
    assert run["results"][2]["locations"] == []
    assert run["results"][0]["message"]["text"] == "m.py:f: ε ≥ 2"
    assert run["results"][0]["properties"]["resolution"] == "inf"


def test_no_text_breaks_out_of_its_place(tmp_path):
    case = replace(FAILED, message=HOSTILE, title=HOSTILE, place=("a,b:c.py", 1))
    exchange.write_junit(tmp_path / "j.xml", "x", [case])
    failure = ElementTree.parse(tmp_path / "j.xml").getroot().find("testcase/failure")
    assert failure is not None
    assert "]]></failure>" in (failure.text or "")
    exchange.write_sarif(tmp_path / "s.sarif", "x", [replace(case, place=("a b:é.py", 1))])
    (result,) = json.loads((tmp_path / "s.sarif").read_text(encoding="utf-8"))["runs"][0]["results"]
    assert "]]></failure>" in result["message"]["text"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "a%20b%3A%C3%A9.py"
    exchange.append_summary(tmp_path / "s.md", "x", [case])
    table = (tmp_path / "s.md").read_text(encoding="utf-8")
    assert "\x1b" not in table
    assert len(table.splitlines()) == 6
    (line,) = exchange.annotation_lines([case])
    assert line.count("\n") == 0
    assert line.startswith("::error file=a%2Cb%3Ac.py,line=1,title=")
    assert line.endswith("100 %25")


@pytest.mark.parametrize(("where", "lines"), [("true", 1), ("", 0)])
def test_a_verdict_that_differs_is_annotated_where_github_runs(tmp_path, monkeypatch, capsys, where, lines):
    monkeypatch.setenv("GITHUB_ACTIONS", where)
    run = run_claims([claim()], Settings(tier="smoke"), out=tmp_path / "run")
    (found,) = run.claims
    other = next(verdict for verdict in type(found.expected) if verdict is not found.expected)
    wrong = replace(run, claims=[replace(found, verdict=other)])
    case = claim_case(wrong.claims[0], "")
    assert (case.outcome, case.verdict, case.expected) == (exchange.FAILED, other, found.expected)
    publish_run(wrong, [], Outputs())
    publish_run(run, [], Outputs())
    captured = capsys.readouterr()
    assert captured.err.count("::error title=") == lines
    assert captured.out == ""


def test_a_device_is_written_to_and_stays_one(tmp_path):
    # A rename would put a file in its place; here it would only take the place of the link.
    link = tmp_path / "report.xml"
    link.symlink_to(os.devnull)
    exchange.write_junit(Outputs(junit=link).junit, "audit", [])
    exchange.append_summary(link, "x", [])
    assert link.is_symlink()
    assert link.is_char_device()


def test_files_are_named_from_the_current_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert exchange.from_here(tmp_path / "a" / "b.py") == "a/b.py"
    assert exchange.from_here(Path("/elsewhere/b.py")) == ""
    assert exchange.from_here("") == ""
    monkeypatch.chdir(Path(__file__).parent)
    assert exchange.line_of(test_junit_counts_and_fields)[0] == "test_exchange.py"
    assert exchange.line_of(len) == ("", 0)
