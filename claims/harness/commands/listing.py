"""`dpclaims list`: every claim, or the printed statements that fall, as text, a table or JSON."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer

from claims.harness.claim import Claim
from claims.harness.commands.options import AsJson, Folders, Patterns
from claims.harness.ids import result_of
from claims.harness.report.terminal import as_text
from claims.harness.standing import Standing, by_weight, has_fallen, readings_of, slip_of, standing
from claims.harness.words import Kind


def list_command(
    pattern: Patterns = None,
    kind: Annotated[str | None, typer.Option("--kind", help=f"One of {', '.join(Kind)}.")] = None,
    fallen: Annotated[bool, typer.Option("--fallen", help="Printed statements that fall.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="With --fallen: as a table.")] = False,
    claims: Folders = None,
    json: AsJson = False,
) -> None:
    """Every claim: id, kind, expected verdict, last verdict, title."""
    from claims.harness.discover import broken, discover, select
    from claims.harness.run.serialise import print_json
    from claims.harness.run.store import last_verdicts

    _check_asked(kind, fallen=fallen, markdown=markdown, json=json)
    catalogue = discover(claims or [])
    everything, found = catalogue.claims, select(catalogue, pattern or [])
    for problem in broken(catalogue, pattern or []):
        print(f"dpclaims: {problem.sentence}", file=sys.stderr)
    # Of each paper its own results first, then what is claimed about programs that check them.
    chosen = sorted(
        (c for c in found if kind is None or c.kind == kind), key=lambda c: (c.paper.key, c.role == "program")
    )
    if fallen:
        chosen = by_weight([c for c in chosen if has_fallen(c)])
    last = last_verdicts([c.id for c in chosen])
    if markdown:
        print(fallen_table(chosen, everything))
    elif json:
        print_json({"format": "dpclaims-list/1", "claims": [listed(c, last.get(c.id)) for c in chosen]})
    elif fallen:
        print(fallen_text(chosen, everything), end="")
    else:
        _print_table(chosen, last)


def _check_asked(kind: str | None, *, fallen: bool, markdown: bool, json: bool) -> None:
    """ValueError where the options contradict each other, or the kind is none."""
    if kind is not None and kind not in set(Kind):
        raise ValueError(f"--kind must be one of {', '.join(Kind)}, got {kind!r}")
    if markdown and not fallen:
        raise ValueError("--markdown writes the table of --fallen; give both")
    if markdown and json:
        raise ValueError("--json and --markdown are two forms of the list; give one of them")


def _print_table(claims: Sequence[Claim], last: Mapping[str, str]) -> None:
    width = max((len(c.id) for c in claims), default=0)
    print(f"{'id':{width}}  {'kind':11}  {'expected':12}  {'last verdict':12}  title")
    for claim in claims:
        verdict = last.get(claim.id) or "-"
        print(
            f"{claim.id:{width}}  {claim.kind:11}  {claim.expected:12}  {verdict:12}  {as_text(claim.title)}"
        )


def listed(claim: Claim, last: str | None) -> dict[str, Any]:
    """One entry of `list --json`; `finding_text` is what `finding` was in version 0.4."""
    finding = claim.finding
    return {
        "id": claim.id,
        "kind": claim.kind,
        "role": claim.role,
        "title": claim.title,
        "expected": claim.expected,
        "finding": None if finding is None else finding.to_json(),
        "finding_text": claim.summary if finding is None else finding.what,
        "rests_on": list(claim.rests_on),
        "uses": dict(claim.noted),
        "verdict": last,
    }


def fallen_text(fallen: Sequence[Claim], everything: Sequence[Claim]) -> str:
    """A few lines for each slip: weight, id, what is wrong, the friendliest reading; consequences below."""
    lines: list[str] = []
    known = {e.id: e for e in fallen}
    for claim in fallen:
        assert claim.finding is not None
        follows = slip_of(claim, known).id != claim.id
        indent = "    follows  " if follows else f"{claim.finding.weight:9}  "
        lines.append(f"{indent}{claim.id}  {as_text(claim.title)}{_letter(claim, everything)}")
        if not follows:
            lines.append(f"           {as_text(claim.finding.what)}")
            lines.append(f"           in their favour: {as_text(claim.finding.favour)}")
    return "".join(f"{line}\n" for line in [*lines, _counted(everything)])


def _counted(everything: Sequence[Claim]) -> str:
    """How many printed results of how many papers stand how, controls left out."""
    own = [e for e in everything if e.role not in ("control", "program")]
    results: dict[str, list[Claim]] = {}
    for entry in own:
        results.setdefault(result_of(entry.id), []).append(entry)
    counts = Counter(map(standing, results.values()))
    words = "; ".join(f"{s}: {counts[s]}" for s in Standing if counts[s])
    return f"{len(results)} printed results of {len({e.paper.key for e in own})} papers: {words}"


def _letter(claim: Claim, everything: Sequence[Claim]) -> str:
    """What is said beside a reading that falls while the printed statement passes."""
    if claim.role != "reading":
        return ""
    found = standing(readings_of(result_of(claim.id), everything))
    return f" ({result_of(claim.id)} {found})" if found is Standing.LETTER_ONLY else ""


def fallen_table(fallen: Sequence[Claim], everything: Sequence[Claim]) -> str:
    """A Markdown table, the heaviest finding first: what is wrong, the friendliest reading, what survives."""
    lines = [
        "| weight | statement | what is wrong | friendliest reading | what survives |",
        "|---|---|---|---|---|",
    ]
    known = {e.id: e for e in fallen}
    for claim in fallen:
        assert claim.finding is not None
        slip = slip_of(claim, known)
        if slip.id != claim.id:
            lines.append(f"| ↳ | `{claim.id}` {claim.title} | follows from `{slip.id}` | | |")
            continue
        cells = [claim.finding.weight, f"`{claim.id}` {claim.title}{_letter(claim, everything)}"]
        lines.append(
            f"| {' | '.join([*cells, claim.finding.what, claim.finding.favour, claim.finding.survives])} |"
        )
    return "\n".join(lines)
