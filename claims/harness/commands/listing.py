"""`dpclaims list`: every claim, or the printed statements that fall, as text, a table or JSON."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from audits.evidence import Verdict
from claims.harness.claim import Claim, Kind
from claims.harness.discover import broken, discover, select


def list_command(
    patterns: Sequence[str],
    *,
    kind: str | None,
    fallen: bool,
    markdown: bool,
    folders: Sequence[Path],
    json: bool,
) -> None:
    """Print the list; files that are broken are named on stderr and hide nobody else."""
    from claims.harness.run.last import last_verdicts

    if kind is not None and kind not in set(Kind):
        raise ValueError(f"--kind must be one of {', '.join(Kind)}, got {kind!r}")
    if markdown and not fallen:
        raise ValueError("--markdown writes the table of --fallen; give both")
    catalogue = discover(folders)
    for problem in broken(catalogue, patterns):
        print(f"dpclaims: {problem.sentence}", file=sys.stderr)
    claims = [c for c in select(catalogue, patterns) if kind is None or c.kind == kind]
    if fallen:
        claims = [c for c in claims if has_fallen(c)]
    if markdown:
        print(fallen_table(claims, catalogue.claims))
        return
    last = last_verdicts([c.id for c in claims])
    if json:
        from claims.harness.run.serialise import dumps

        print(dumps({"claims": [listed(c, last.get(c.id)) for c in claims]}), end="")
        return
    width = max((len(c.id) for c in claims), default=0)
    print(f"{'id':{width}}  {'kind':11}  {'expected':12}  {'last verdict':12}  title")
    for claim in claims:
        verdict = last.get(claim.id) or "-"
        print(f"{claim.id:{width}}  {claim.kind:11}  {claim.expected:12}  {verdict:12}  {claim.title}")


def listed(claim: Claim, last: str | None) -> dict[str, Any]:
    """One entry of `list --json`."""
    return {
        "id": claim.id,
        "kind": claim.kind,
        "role": claim.role,
        "title": claim.title,
        "expected": claim.expected,
        "finding": claim.finding,
        "verdict": last,
    }


def has_fallen(claim: Claim) -> bool:
    """Whether this is a printed statement (or a printed step of a proof) that is known to fall."""
    return claim.role in ("printed", "proof") and claim.expected is Verdict.REFUTED


def fallen_table(fallen: Sequence[Claim], everything: Sequence[Claim]) -> str:
    """A Markdown table: the printed statement, what is wrong with it, what survives of it."""
    lines = ["| printed statement | what is wrong | what survives |", "|---|---|---|"]
    for claim in fallen:
        survivors = [
            f"`:{c.variant}`" + (f": {c.finding}" if c.finding else "")
            for c in everything
            if c.variant and c.expected is not Verdict.REFUTED and _same_result(c, claim) and c.finding
        ]
        survives = "; ".join(survivors) or "nothing"
        lines.append(f"| `{claim.id}` {claim.title} | {claim.finding} | {survives} |")
    return "\n".join(lines)


def _same_result(one: Claim, other: Claim) -> bool:
    """A step of a proof is mended in a reading of its own or in one of its result."""
    return one.paper.key == other.paper.key and one.name in (other.name, other.name.removesuffix("-proof"))
