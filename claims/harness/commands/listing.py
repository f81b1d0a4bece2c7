"""`dpclaims list`: every claim, or the printed statements that fall, as text, a table or JSON."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from claims.harness.index import Entry, index
from claims.harness.places import matches, near_miss
from claims.harness.words import Kind


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
    found = index(folders)
    claims = _chosen(found.claims, patterns, found.problems)
    for paper, sentence in found.problems:
        if not patterns or any(matches(paper, pattern.split("/")[0]) for pattern in patterns):
            print(f"dpclaims: {sentence}", file=sys.stderr)
    claims = [c for c in claims if kind is None or c.kind == kind]
    if fallen:
        claims = [c for c in claims if has_fallen(c)]
    if markdown:
        print(fallen_table(claims, found.claims))
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


def _chosen(
    claims: Sequence[Entry], patterns: Sequence[str], problems: Sequence[tuple[str, str]]
) -> list[Entry]:
    """Those that match one of the patterns; ValueError where a pattern matches nothing."""
    for pattern in patterns:
        if not any(matches(c.id, pattern) for c in claims):
            raise ValueError(near_miss(pattern, [c.id for c in claims], problems))
    return [c for c in claims if not patterns or any(matches(c.id, p) for p in patterns)]


def listed(claim: Entry, last: str | None) -> dict[str, Any]:
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


def has_fallen(claim: Entry) -> bool:
    """Whether this is a printed statement (or a printed step of a proof) that is known to fall."""
    return claim.role in ("printed", "proof") and claim.expected == "REFUTED"


def fallen_table(fallen: Sequence[Entry], everything: Sequence[Entry]) -> str:
    """A Markdown table: the printed statement, what is wrong with it, what survives of it."""
    lines = ["| printed statement | what is wrong | what survives |", "|---|---|---|"]
    for claim in fallen:
        readings = [c for c in everything if c.expected != "REFUTED" and _same_result(c, claim)]
        survivors = [
            f"`:{c.variant}`: {c.finding or c.title}" if c.variant else f"the statement itself, `{c.name}`"
            for c in readings
        ]
        survives = "; ".join(survivors) or claim.survives or "said on its page"
        lines.append(f"| `{claim.id}` {claim.title} | {claim.finding} | {survives} |")
    return "\n".join(lines)


def _same_result(one: Entry, other: Entry) -> bool:
    """A step of a proof is mended in a reading of its own or in one of its result."""
    return one.paper == other.paper and one.name in (other.name, other.name.removesuffix("-proof"))
