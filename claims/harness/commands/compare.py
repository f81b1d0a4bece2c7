"""What changed between two runs: claims, verdicts, and evidence whose intervals no longer meet."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from audits.evidence import Evidence
from claims.harness.commands.options import AsJson
from claims.harness.run.result import ClaimResult
from claims.harness.run.store import read_run


def compare_command(
    run_a: Annotated[Path, typer.Argument()],
    run_b: Annotated[Path, typer.Argument()],
    json: AsJson = False,
) -> None:
    """What changed between two runs; exit status 1 where a verdict changed."""
    from claims.harness.run.serialise import print_json

    changes = compare_runs(run_a, run_b)
    if json:
        print_json({"format": "dpclaims-compare/1", **changes})
    else:
        print("\n".join(changes["lines"]))
    raise typer.Exit(1 if changes["verdicts"] else 0)


def compare_runs(first: Path, second: Path) -> dict[str, Any]:
    """The differences of two stored runs.

    Returns a document with `added`, `removed` (ids), `verdicts` (changed ones), `evidence` (numbers whose
    intervals are disjoint, which for exact numbers means any change) and `lines`, the same in words.
    Raises ValueError where a folder is no run, or a run is broken or unfinished.
    """
    a, b = ({r.id: r for r in read_run(folder).claims} for folder in (first, second))
    both = sorted(a.keys() & b.keys())
    verdicts = [
        {"id": i, "before": a[i].verdict, "after": b[i].verdict, "expected": b[i].expected}
        for i in both
        if a[i].verdict != b[i].verdict
    ]
    evidence = [change for i in both for change in _moved(a[i], b[i])]
    added, removed = sorted(b.keys() - a.keys()), sorted(a.keys() - b.keys())
    counted = (
        f"{len(both)} claims in both, {len(verdicts)} verdicts changed, {len(evidence)} numbers moved beyond "
        "their intervals"
    )
    lines = [
        *_in_words(verdicts, evidence),
        *(f"only in {second}: {i}" for i in added),
        *(f"only in {first}: {i}" for i in removed),
    ]
    lines.append(counted)
    return {"added": added, "removed": removed, "verdicts": verdicts, "evidence": evidence, "lines": lines}


def _in_words(verdicts: Sequence[dict[str, Any]], evidence: Sequence[dict[str, Any]]) -> list[str]:
    """A line for each verdict that changed, what regressed first, and for each claim whose numbers moved."""
    lines: list[str] = []
    for word, ok in (("regressed", False), ("as expected now", True)):
        for v in verdicts:
            if (v["after"] == v["expected"]) is ok:
                lines.append(f"{word}: {v['id']}: {v['before'] or 'crashed'} → {v['after'] or 'crashed'}")
    moved: dict[str, list[dict[str, Any]]] = {}
    for each in evidence:
        moved.setdefault(each["id"], []).append(each)
    for claim_id, (first, *others) in moved.items():
        more = f", and {len(others)} more numbers" if others else ""
        numbers = f"{first['before']:.4g} → {first['after']:.4g}"
        lines.append(f"moved: {claim_id}: {first['quantity']} {first['point']}: {numbers}{more}")
    return lines


def _moved(before: ClaimResult, after: ClaimResult) -> list[dict[str, Any]]:
    old = _named(before.evidence)
    return [
        {
            "id": before.id,
            "quantity": new.quantity,
            "point": dict(new.point),
            "before": old[name].estimate,
            "after": new.estimate,
        }
        for name, new in _named(after.evidence).items()
        if name in old and (new.high < old[name].low or old[name].high < new.low)
    ]


def _named(evidence: Sequence[Evidence]) -> dict[tuple[str, int], Evidence]:
    """Each piece by quantity, method and point, and its number among those that have the same."""
    seen = Counter[str]()
    found: dict[tuple[str, int], Evidence] = {}
    for piece in evidence:
        name = json.dumps([piece.quantity, piece.method, dict(piece.point)], sort_keys=True)
        seen[name] += 1
        found[name, seen[name]] = piece
    return found
