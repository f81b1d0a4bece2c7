"""The result of one claim and of one run, as objects and as the JSON that people script against."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from audits.evidence import Evidence, Verdict
from claims.harness.finding import Finding, finding_from_json
from claims.harness.ids import check_id
from claims.harness.run.serialise import evidence_from_json, evidence_to_json, number, optional
from claims.harness.words import Kind

FORMAT = "dpclaims-run/1"
PASSED, DIFFERS, BAD_INPUT, UNDECIDED, CRASHED = range(5)
"""Exit statuses, see `dpclaims --help`."""


class NotebookFailed(RuntimeError):
    """A notebook of the report raised an error that is nobody's bad input."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimResult:
    """What a run found about one claim; where it crashed, `verdict` is None and `error` the traceback.

    rests_on  ids of the claims that it takes for granted; caveat what their verdicts mean for its own.
    """

    id: str
    kind: str
    role: str
    finding: Finding | None
    summary: str
    verdict: Verdict | None
    expected: Verdict
    evidence: Sequence[Evidence]
    resolution: float | None
    alpha_spent: float
    seconds: float
    cached: bool = False
    error: str | None = None
    rests_on: Sequence[str] = ()
    caveat: str = ""

    @property
    def ok(self) -> bool:
        """Whether the verdict is the expected one."""
        return self.verdict is self.expected

    def to_json(self) -> dict[str, Any]:
        """The object of interfaces: one entry of "claims" in `run --json`."""
        return {
            "id": self.id,
            "kind": self.kind,
            "role": self.role,
            "finding": None if self.finding is None else self.finding.to_json(),
            "finding_text": self.summary if self.finding is None else self.finding.what,
            "rests_on": list(self.rests_on),
            "caveat": self.caveat,
            "verdict": self.verdict,
            "expected": self.expected,
            "ok": self.ok,
            "evidence": [evidence_to_json(e) for e in self.evidence],
            "resolution": self.resolution,
            "alpha_spent": self.alpha_spent,
            "seconds": round(self.seconds, 3),
            "cached": self.cached,
            "error": self.error,
        }


def result_from_json(document: Mapping[str, Any]) -> ClaimResult:
    """The inverse of `ClaimResult.to_json`; KeyError or ValueError on a document of another form."""
    verdict = document["verdict"]
    return ClaimResult(
        id=check_id(document["id"]),
        kind=Kind(document["kind"]).value,
        role=document["role"],
        finding=finding_from_json(document["finding"]),
        summary=document["finding_text"] if document["finding"] is None else "",
        rests_on=tuple(map(check_id, document["rests_on"])),
        caveat=document["caveat"],
        verdict=None if verdict is None else Verdict(verdict),
        expected=Verdict(document["expected"]),
        evidence=tuple(evidence_from_json(e) for e in document["evidence"]),
        resolution=optional(document["resolution"]),
        alpha_spent=number(document["alpha_spent"]),
        seconds=number(document["seconds"]),
        cached=bool(document["cached"]),
        error=document["error"],
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """A finished run: its folder, its provenance, the results in the order of their ids, broken files."""

    folder: Path
    provenance: Mapping[str, Any]
    claims: Sequence[ClaimResult]
    problems: Sequence[str] = ()

    @property
    def exit_status(self) -> int:
        """0 as expected · 1 a verdict differs · 3 only undecided ones differ · 4 a claim crashed."""
        if self.problems or any(c.error is not None for c in self.claims):
            return CRASHED
        unexpected = [c for c in self.claims if not c.ok]
        if not unexpected:
            return PASSED
        undecided = all(c.verdict is Verdict.INCONCLUSIVE for c in unexpected)
        return UNDECIDED if undecided else DIFFERS

    def __getitem__(self, claim_id: str) -> ClaimResult:
        for claim in self.claims:
            if claim.id == claim_id:
                return claim
        raise KeyError(f"the run has no claim {claim_id!r}")

    def to_json(self) -> dict[str, Any]:
        """The document of `run --json`."""
        return {
            "format": FORMAT,
            "run": dict(self.provenance),
            "claims": [c.to_json() for c in self.claims],
        }
