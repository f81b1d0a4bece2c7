"""`dpclaims mutants`: plants bugs in the reference implementations and prints the score of the claims."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer

from claims.harness.commands.options import AsJson, Folders, Jobs, Patterns, Seed


def mutants_command(
    pattern: Patterns = None,
    mechanical: Annotated[
        bool, typer.Option("--mechanical", help="Mechanical bugs of these papers, not the named ones.")
    ] = False,
    sample: Annotated[int | None, typer.Option(help="Only so many mechanical bugs, at random.")] = None,
    claims: Folders = None,
    seed: Seed = 0,
    jobs: Jobs = 1,
    json: AsJson = False,
) -> None:
    """Plant each bug, run the claims, print the score and the survivors."""
    from claims.harness.closure import Sources, roots_of
    from claims.harness.discover import discover
    from claims.harness.mutation.bugs import mechanical_bugs, named_bugs
    from claims.harness.mutation.score import score, summary
    from claims.harness.run.serialise import print_json

    if sample is not None and (sample < 1 or not mechanical):
        raise ValueError(f"--sample takes a number ≥ 1 of mechanical bugs (--mechanical), got {sample}")
    catalogue = discover(claims or [])

    def notify(line: str) -> None:
        print(line, file=sys.stderr, flush=True)

    sources = Sources(roots_of(*catalogue.folders))
    asked = pattern or []
    if mechanical:
        bugs = mechanical_bugs(
            asked, catalogue, sample=sample, seed=seed, jobs=jobs, sources=sources, notify=notify
        )
    else:
        bugs = named_bugs(asked, catalogue, sources)
    rows = score(bugs, jobs=jobs, notify=notify)
    caught = sum(row["caught"] for row in rows)
    excused = sum(bool(row["reason"]) and not row["caught"] for row in rows)
    if json:
        document = {
            "format": "dpclaims-mutants/1",
            "mutants": rows,
            "caught": caught,
            "total": len(rows),
            "excused": excused,
        }
        print_json(document | {"summary": summary(rows)})
    else:
        _print_score(rows, summary(rows))
        print(f"{caught} of {len(rows)} bugs caught, {excused} with a reason to survive")
    raise typer.Exit(0 if caught + excused == len(rows) else 1)


def _print_score(rows: Sequence[dict[str, Any]], groups: Mapping[str, Mapping[str, Any]]) -> None:
    """One line a bug, then how many were caught by paper, algorithm and operator."""
    for row in rows:
        mark = "caught" if row["caught"] else "excused" if row["reason"] else "MISSED"
        by = f" by {row['by']}" if row["by"] else f" ({row['reason']})" if row["reason"] else ""
        print(f"{mark:7}  {row['name']}{by}: {row['bug']}")
    for group, counts in groups.items():
        for name, (hits, total) in sorted(counts.items()):
            print(f"{group:9}  {name:40}  {hits} of {total}")
