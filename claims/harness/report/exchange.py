"""A run for other tools: a JUnit file, one test a claim, and a Markdown table for the page of a CI job."""

from __future__ import annotations

import os
import xml.etree.ElementTree as ET
from pathlib import Path

from claims.harness.report.describe import describe
from claims.harness.run.result import ClaimResult, RunResult
from claims.harness.run.temporary import temporary_name


def write_junit(file: Path, run: RunResult) -> None:
    """Write the run as JUnit's XML: a verdict that differs is a failure, a crash an error.

    Raises ValueError where the file cannot be written.
    """
    failures = sum(not c.ok and c.error is None for c in run.claims)
    errors = sum(c.error is not None for c in run.claims) + len(run.problems)
    counts = {"tests": len(run.claims) + len(run.problems), "failures": failures, "errors": errors}
    suite = ET.Element("testsuite", {"name": "dpclaims", **{k: str(v) for k, v in counts.items()}})
    for claim in run.claims:
        paper, _, name = claim.id.partition("/")
        case = ET.SubElement(
            suite, "testcase", {"classname": paper, "name": name, "time": f"{claim.seconds:.3f}"}
        )
        if claim.error is not None:
            ET.SubElement(case, "error", {"message": claim.error.strip().splitlines()[-1]}).text = claim.error
        elif not claim.ok:
            ET.SubElement(case, "failure", {"message": _difference(claim)}).text = _deciding(claim)
        else:
            ET.SubElement(case, "system-out").text = _deciding(claim)
    for problem in run.problems:
        case = ET.SubElement(suite, "testcase", {"classname": "files", "name": problem.split(" ")[0]})
        ET.SubElement(case, "error", {"message": problem})
    _write(file, ET.tostring(suite, encoding="unicode", xml_declaration=True) + "\n", append=False)


def append_summary(file: Path, run: RunResult) -> None:
    """Append the run as a Markdown table, unexpected verdicts first; ValueError if that cannot be done."""
    rows = sorted(run.claims, key=lambda c: (c.ok, c.id))
    expected = sum(c.ok for c in run.claims)
    lines = [
        f"### dpclaims: {expected} of {len(run.claims)} claims as expected",
        "",
        "| claim | verdict | expected | deciding evidence |",
        "|---|---|---|---|",
        *(
            f"| {'' if c.ok else '**'}{c.id}{'' if c.ok else '**'} | {c.verdict or 'crashed'} | {c.expected} "
            f"| {_deciding(c).replace('|', chr(92) + '|')} |"
            for c in rows
        ),
        *(f"\n{problem}" for problem in run.problems),
        "",
    ]
    _write(file, "\n".join(lines) + "\n", append=True)


def _deciding(claim: ClaimResult) -> str:
    if claim.error is not None:
        return claim.error.strip().splitlines()[-1]
    return describe(claim.evidence[0]) if claim.evidence else ""


def _difference(claim: ClaimResult) -> str:
    return f"{claim.verdict} where {claim.expected} was expected"


def _write(file: Path, text: str, *, append: bool) -> None:
    temporary = file.with_name(temporary_name(file.name))
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        before = file.read_bytes() if append and file.exists() else b""
        try:
            with temporary.open("wb") as stream:
                stream.write(before + text.encode())
                stream.flush()
                os.fsync(stream.fileno())
            os.replace(temporary, file)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise ValueError(f"{str(file)!r} cannot be written: {error.strerror}") from error
