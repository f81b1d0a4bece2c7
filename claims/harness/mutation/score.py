"""Plants bugs and keeps the score of the claims.

A bug is caught where a claim that executes it loses its expected verdict to another decided one, or
crashes; INCONCLUSIVE does not count, but where an exact counterexample is lost. Each bug lives in a process
of its own, which is ended where its claims do not end.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Sequence
from multiprocessing.connection import Connection
from typing import Any

from audits.evidence import Verdict
from claims.harness.claim import Claim
from claims.harness.mutation.bugs import TIERS, Bug
from claims.harness.mutation.forked import each_forked
from claims.harness.mutation.named import FOLDER
from claims.harness.mutation.plant import planted
from claims.harness.run.result import ClaimResult
from claims.harness.run.runner import Settings, evaluate

PATIENCE = 60.0
"""Processor seconds after which no further claim is tried at the larger tier: the bug counts as missed."""
LOST = "counterexample lost"
"""What is seen of a claim that an exact counterexample refutes, where with the bug it refutes nothing."""


def score(
    bugs: Sequence[Bug],
    *,
    jobs: int = 1,
    notify: Callable[[str], None] = lambda line: None,
) -> list[dict[str, Any]]:
    """One row a bug: whether it was caught, by which claim, and the verdicts that were seen."""
    reasons = survivors()
    rows: dict[int, dict[str, Any]] = {}

    def attempt(bug: Bug, connection: Connection) -> None:
        if not _reason(bug.name, reasons):
            _try(bug, connection)

    try:
        for number, messages in each_forked(bugs, attempt, jobs=jobs):
            row = rows[number] = row_of(bugs[number], messages, reasons)
            word = "caught" if row["caught"] else "excused" if row["reason"] else "MISSED"
            notify(f"[{len(rows)}/{len(bugs)}] {word} {row['name']}")
    except BaseException as stop:
        caught = sum(row["caught"] for row in rows.values())
        stop.add_note(f"{len(rows)} of {len(bugs)} bugs were tried, {caught} caught")
        raise
    return [rows[number] for number in sorted(rows)]


def summary(rows: Iterable[dict[str, Any]]) -> dict[str, dict[str, list[int]]]:
    """[caught, all] by paper, algorithm and operator; bugs with a reason to survive are left out."""
    found: dict[str, dict[str, list[int]]] = {"paper": {}, "algorithm": {}, "operator": {}}
    for row in rows:
        if row["reason"] and not row["caught"]:
            continue
        for group, counts in found.items():
            count = counts.setdefault(row[group], [0, 0])
            count[0] += row["caught"]
            count[1] += 1
    return found


def survivors() -> dict[str, str]:
    """Why a mechanical bug may survive, by the end of its name: `claims/mutants/survivors.json`."""
    file = FOLDER / "survivors.json"
    if not file.exists():
        return {}
    return dict(json.loads(file.read_text(encoding="utf-8")))


def _try(bug: Bug, connection: Connection) -> None:
    """In a process of its own: plant the bug, run the claims until one notices, send what was seen."""
    try:
        with planted(bug.make()):
            for tier in TIERS:
                for claim in bug.claims:
                    if tier != TIERS[0]:
                        if claim.tier(tier) == claim.tier(TIERS[0]):
                            continue
                        if time.process_time() > PATIENCE and bug.operator != "named":
                            return
                    seen = {"claim": claim.id, "tier": tier, "expected": claim.expected}
                    connection.send(seen | {"verdict": "did not end"})  # which stays where the process ends
                    verdict = seen_of(claim, evaluate(claim, Settings(tier=tier))[0]) or "crashed"
                    connection.send(seen | {"verdict": verdict})
                    if noticed(verdict, claim.expected):
                        return
    except Exception as error:
        connection.send(str(error) or type(error).__name__)


def noticed(verdict: str, expected: str) -> bool:
    """Whether a verdict gives a bug away: another decided one, or a crash."""
    return verdict not in (expected, Verdict.INCONCLUSIVE)


def seen_of(claim: Claim, result: ClaimResult) -> str:
    """The verdict of a run with a bug, `LOST` where it took away an exact counterexample; "" for a crash.

    One dataset that contradicts nothing confirms no statement, so that a claim whose only counterexample is
    gone is INCONCLUSIVE. Where no sample is involved, the bug alone has done it. A claim that its premises
    alone lower to CONSISTENT is CONFIRMED by itself, with or without a bug.
    """
    lowered = claim.rests_on and claim.expected is Verdict.CONSISTENT
    if lowered and result.verdict is Verdict.CONFIRMED:
        return str(claim.expected)
    exact = not any(e.samples for e in result.evidence)
    if claim.expected is Verdict.REFUTED and result.verdict is Verdict.INCONCLUSIVE and exact:
        return LOST
    return str(result.verdict or "")


def _reason(name: str, reasons: dict[str, str]) -> str:
    return reasons.get(name.rpartition("#")[2], "") if "#" in name else ""


def row_of(bug: Bug, messages: Sequence[Any], reasons: dict[str, str]) -> dict[str, Any]:
    """What is said of a bug, from the messages of its process: a text says why it cannot be planted."""
    if broken := [message for message in messages if isinstance(message, str)]:
        raise ValueError(f"{bug.name} cannot be planted: {broken[0]}")
    verdicts = list({(m["claim"], m["tier"]): m for m in messages}.values())
    by = next((v["claim"] for v in verdicts if noticed(v["verdict"], v["expected"])), None)
    return {
        "name": bug.name,
        "bug": bug.text,
        "paper": bug.paper,
        "algorithm": bug.algorithm,
        "operator": bug.operator,
        "caught": by is not None,
        "by": by,
        "reason": _reason(bug.name, reasons),
        "verdicts": verdicts,
    }
