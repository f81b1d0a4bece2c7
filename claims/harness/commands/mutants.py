"""`dpclaims mutants`: plants bugs in the reference implementations and keeps the score of the claims.

A bug is caught where a claim whose sources hold it loses its expected verdict to another decided one, or
crashes; INCONCLUSIVE does not count. Each bug lives in a process of its own, which is ended where a claim
does not end.
"""

from __future__ import annotations

import importlib
import json as json_text
import multiprocessing
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

import claims.mutants
from audits.evidence import Verdict
from claims.harness.claim import Claim
from claims.harness.closure import Sources, roots_of
from claims.harness.discover import Catalogue, discover, select
from claims.harness.mutation import mechanical
from claims.harness.mutation.plant import planted
from claims.harness.run.runner import Settings, evaluate, work_of
from claims.mutants.mutant import Mutant

FOLDER = Path(claims.mutants.__path__[0])
TIERS = ("smoke", "ci")
"""A bug that the small tier does not show is given the larger one."""
LONGEST = 300.0
"""Seconds after which a bug counts as one that does not end; no claim takes a tenth of it without a bug."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bug:
    """A bug to try: its name and text, how to make it, the claims to run, and what it is counted under."""

    name: str
    text: str
    make: Callable[[], Mutant]
    claims: tuple[Claim, ...]
    paper: str
    algorithm: str
    operator: str


def named(patterns: Sequence[str] = ()) -> list[Mutant]:
    """All named bugs whose name matches one of the patterns, sorted by name; ValueError where none does."""
    found: list[Mutant] = []
    for file in sorted(FOLDER.glob("[a-z]*.py")):
        found += getattr(importlib.import_module(f"claims.mutants.{file.stem}"), "MUTANTS", [])
    found.sort(key=lambda m: m.name)
    chosen = [m for m in found if not patterns or any(fnmatchcase(m.name, p) for p in patterns)]
    if not chosen:
        raise ValueError(f"no mutant matches {', '.join(patterns)!r}; known: {[m.name for m in found]}")
    return chosen


def named_bugs(patterns: Sequence[str], catalogue: Catalogue) -> list[Bug]:
    """The named bugs, each with the claims that must notice it."""
    bugs: list[Bug] = []
    for mutant in named(patterns):
        module = mutant.replaces.partition(":")[0]
        bugs.append(
            Bug(
                name=mutant.name,
                text=mutant.bug,
                make=lambda mutant=mutant: mutant,
                claims=tuple(c for c in select(catalogue, mutant.caught_by) if c.id in mutant.caught_by),
                paper=mutant.name.split("-")[0],
                algorithm=module.removeprefix("implementations."),
                operator="named",
            )
        )
    return bugs


def mechanical_bugs(
    patterns: Sequence[str], catalogue: Catalogue, *, sample: int | None, seed: int
) -> list[Bug]:
    """The mechanical bugs of the papers that match, or a random part of them, each with the claims whose
    import closure holds it, cheap ones first.
    """
    import numpy as np

    papers = [p.key for p in catalogue.papers if not patterns or any(fnmatchcase(p.key, x) for x in patterns)]
    sources = Sources(roots_of())
    places = [
        site
        for module in mechanical.modules()
        if module.split(".")[1] in papers or (not patterns and module.count(".") == 1)
        for site in mechanical.sites(module)
    ]
    if not places:
        raise ValueError(f"no paper with implementations matches {', '.join(patterns)!r}; known: {papers}")
    if sample is not None and sample < len(places):
        chosen = np.random.default_rng(seed).choice(len(places), size=sample, replace=False)
        places = [places[k] for k in sorted(chosen)]
    bugs: list[Bug] = []
    for site in places:
        holders = [
            c
            for c in catalogue.claims
            if c.paper.key != "controls" and site.module in sources.closure(c.module)
        ]
        holders.sort(key=_cost)
        bugs.append(
            Bug(
                name=f"{site.function.removeprefix('implementations.')}#{site.key}",
                text=f"{site.operator}: {site.line} → {site.change}",
                make=lambda site=site: mechanical.as_mutant(site, ()),
                claims=tuple(holders),
                paper=site.module.split(".")[1] if site.module.count(".") > 1 else "shared",
                algorithm=site.module.removeprefix("implementations."),
                operator=site.operator,
            )
        )
    return bugs


def score(
    bugs: Sequence[Bug], *, jobs: int = 1, notify: Callable[[str], None] = lambda line: None
) -> list[dict[str, Any]]:
    """One row a bug: whether it was caught, by which claim, and the verdicts that were seen."""
    if jobs < 1:
        raise ValueError(f"jobs must be ≥ 1, got {jobs}")
    reasons, sources = survivors(), Sources(roots_of())
    rows: dict[str, dict[str, Any]] = {}
    for bug in bugs:
        for claim in bug.claims:
            if claim.module:
                sources.closure(claim.module)  # read once here, not again in every process
    waiting = list(enumerate(bugs))[::-1]
    running: dict[Connection, tuple[int, Any, float]] = {}
    context = multiprocessing.get_context(
        "fork" if "fork" in multiprocessing.get_all_start_methods() else None
    )
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                number, bug = waiting.pop()
                mine, theirs = context.Pipe(duplex=False)
                process = context.Process(target=_try, args=(bug, theirs, sources), daemon=True)
                process.start()
                theirs.close()
                running[mine] = (number, process, time.monotonic())
            for connection in _finished(running):
                number, process, _ = running.pop(connection)
                seen = _received(connection)
                process.kill()
                process.join()
                row = _row(bugs[number], seen, reasons)
                rows[bugs[number].name] = row
                notify(f"[{len(rows)}/{len(bugs)}] {'caught' if row['caught'] else 'MISSED'} {row['name']}")
    finally:
        for _, process, _ in running.values():
            process.kill()
    return [rows[bug.name] for bug in bugs if bug.name in rows]


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
    return dict(json_text.loads(file.read_text(encoding="utf-8")))


def mutants_command(
    patterns: Sequence[str], *, machine: bool, sample: int | None, seed: int, jobs: int, json: bool
) -> int:
    """Plant the bugs, print the score and the survivors; 0 where every bug without a reason is caught."""
    from claims.harness.run.serialise import dumps

    if sample is not None and (sample < 1 or not machine):
        raise ValueError(f"--sample takes a number ≥ 1 of mechanical bugs (--mechanical), got {sample}")
    catalogue = discover()
    bugs = (
        mechanical_bugs(patterns, catalogue, sample=sample, seed=seed)
        if machine
        else named_bugs(patterns, catalogue)
    )
    rows = score(bugs, jobs=jobs, notify=lambda line: print(line, file=sys.stderr, flush=True))
    caught = sum(row["caught"] for row in rows)
    excused = sum(bool(row["reason"]) and not row["caught"] for row in rows)
    if json:
        document = {"mutants": rows, "caught": caught, "total": len(rows), "excused": excused}
        print(dumps(document | {"summary": summary(rows)}), end="")
    else:
        for row in rows:
            mark = "caught" if row["caught"] else "excused" if row["reason"] else "MISSED"
            by = f" by {row['by']}" if row["by"] else f" ({row['reason']})" if row["reason"] else ""
            print(f"{mark:7}  {row['name']}{by}: {row['bug']}")
        for group, counts in summary(rows).items():
            for name, (hits, total) in sorted(counts.items()):
                print(f"{group:9}  {name:40}  {hits} of {total}")
        print(f"{caught} of {len(rows)} bugs caught, {excused} with a reason to survive")
    return 0 if caught + excused == len(rows) else 1


def _cost(claim: Claim) -> tuple[int, str]:
    work = claim.smoke
    assert not isinstance(work, Sequence)
    return len(work.points) * (work.trials + 1), claim.id


def _try(bug: Bug, connection: Connection, sources: Sources) -> None:
    """In a process of its own: plant the bug, run the claims until one notices, send what was seen."""
    seen: list[dict[str, str]] = []
    try:
        with planted(bug.make()):
            for tier in TIERS:
                for claim in bug.claims:
                    if tier != TIERS[0] and claim.tier(tier) == claim.tier(TIERS[0]):
                        continue
                    connection.send(("at", claim.id, tier))
                    verdict = _verdict(claim, tier, sources)
                    seen.append(
                        {"claim": claim.id, "tier": tier, "verdict": verdict, "expected": claim.expected}
                    )
                    connection.send(("seen", seen[-1]))
                    if noticed(verdict, claim.expected):
                        return
    except Exception:
        connection.send(("broken", traceback.format_exc()))


def noticed(verdict: str, expected: str) -> bool:
    """Whether a verdict gives a bug away: another decided one, or a crash."""
    return verdict not in (expected, Verdict.INCONCLUSIVE)


def _verdict(claim: Claim, tier: str, sources: Sources) -> str:
    settings = Settings(tier=tier)
    result, _ = evaluate(claim, work_of(claim, settings, sources))
    return str(result.verdict or "crashed")


def _finished(running: dict[Connection, tuple[int, Any, float]]) -> list[Connection]:
    """The connections of processes that have ended, or whose time is up."""
    sentinels = {process.sentinel: connection for connection, (_, process, _) in running.items()}
    ended = [sentinels[s] for s in wait(list(sentinels), timeout=1.0)]  # type: ignore[index]
    now = time.monotonic()
    late = [c for c, (_, _, started) in running.items() if now - started > LONGEST and c not in ended]
    return [*ended, *late]


def _received(connection: Connection) -> list[tuple[Any, ...]]:
    found: list[tuple[Any, ...]] = []
    with suppress(EOFError, OSError):
        while connection.poll():
            found.append(connection.recv())
    connection.close()
    return found


def _row(bug: Bug, messages: Sequence[tuple[Any, ...]], reasons: dict[str, str]) -> dict[str, Any]:
    verdicts = [m[1] for m in messages if m[0] == "seen"]
    by = next((v["claim"] for v in verdicts if noticed(v["verdict"], v["expected"])), None)
    broken = next((m[1] for m in messages if m[0] == "broken"), None)
    begun = [m for m in messages if m[0] == "at"]
    if by is None and broken is None and len(begun) > len(verdicts):
        by = begun[-1][1]  # the claim did not end, or its process died
        verdicts.append({"claim": by, "tier": begun[-1][2], "verdict": "did not end", "expected": ""})
    if broken is not None:
        raise ValueError(f"{bug.name} cannot be planted: {broken.strip().splitlines()[-1]}")
    return {
        "name": bug.name,
        "bug": bug.text,
        "paper": bug.paper,
        "algorithm": bug.algorithm,
        "operator": bug.operator,
        "caught": by is not None,
        "by": by,
        "reason": reasons.get(bug.name.rpartition("#")[2], "") if "#" in bug.name else "",
        "verdicts": verdicts,
    }
