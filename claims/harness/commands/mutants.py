"""`dpclaims mutants`: plants bugs in the reference implementations and prints the score of the claims."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from claims.harness.closure import Sources, roots_of
from claims.harness.discover import discover
from claims.harness.mutation.bugs import mechanical_bugs, named_bugs
from claims.harness.mutation.score import score, summary


def mutants_command(
    patterns: Sequence[str],
    *,
    folders: Sequence[Path],
    machine: bool,
    sample: int | None,
    seed: int,
    jobs: int,
    json: bool,
) -> int:
    """Plant the bugs, print the score and the survivors; 0 where every bug without a reason is caught."""
    from claims.harness.run.serialise import print_json

    if sample is not None and (sample < 1 or not machine):
        raise ValueError(f"--sample takes a number ≥ 1 of mechanical bugs (--mechanical), got {sample}")
    if jobs < 1:
        raise ValueError(f"--jobs must be ≥ 1, got {jobs}")
    catalogue = discover(folders)

    def notify(line: str) -> None:
        print(line, file=sys.stderr, flush=True)

    sources = Sources(roots_of(*catalogue.folders))
    bugs = (
        mechanical_bugs(
            patterns, catalogue, sample=sample, seed=seed, jobs=jobs, sources=sources, notify=notify
        )
        if machine
        else named_bugs(patterns, catalogue, sources)
    )
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
        _print_score(rows)
        print(f"{caught} of {len(rows)} bugs caught, {excused} with a reason to survive")
    return 0 if caught + excused == len(rows) else 1


def _print_score(rows: Sequence[dict[str, Any]]) -> None:
    """One line a bug, then how many were caught by paper, algorithm and operator."""
    for row in rows:
        mark = "caught" if row["caught"] else "excused" if row["reason"] else "MISSED"
        by = f" by {row['by']}" if row["by"] else f" ({row['reason']})" if row["reason"] else ""
        print(f"{mark:7}  {row['name']}{by}: {row['bug']}")
    for group, counts in summary(rows).items():
        for name, (hits, total) in sorted(counts.items()):
            print(f"{group:9}  {name:40}  {hits} of {total}")
