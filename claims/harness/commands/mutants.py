"""`dpclaims mutants`: plants bugs in the reference implementations and keeps the score of the claims.

A bug is caught where a claim that executes it loses its expected verdict to another decided one, or
crashes; INCONCLUSIVE does not count. Each bug lives in a process of its own, which is ended where a claim
does not end.
"""

from __future__ import annotations

import importlib
import json as json_text
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import claims.mutants
from audits.evidence import Verdict
from claims.harness.claim import Claim
from claims.harness.closure import Sources, roots_of
from claims.harness.discover import Catalogue, discover, select
from claims.harness.mutation import mechanical
from claims.harness.mutation.forked import allow, each_forked
from claims.harness.mutation.plant import planted
from claims.harness.mutation.reach import reaches
from claims.harness.places import nearest
from claims.harness.run.runner import Settings, evaluate, work_of
from claims.mutants.mutant import Mutant

FOLDER = Path(claims.mutants.__path__[0])
TIERS = ("smoke", "ci")
"""A bug that the small tier does not show is given the larger one."""
PATIENCE = 60.0
"""Processor seconds after which no further claim is tried at the larger tier: the bug counts as missed."""
EXCUSED = 5.0
"""Processor seconds after which no further claim is tried on a bug that has a reason to survive."""
LIMITS = {"smoke": 30, "ci": 150}
"""Processor seconds of one claim at a tier, after which it does not end: no claim takes a third of them."""
TRUST = 0.1
"""The seconds of a claim that a named bug of the same function names count so much in the order of claims."""
HEAVY = ("scipy.stats", "scipy.optimize", "scipy.integrate", "statsmodels.api", "pandas", "sklearn")
"""What most claims import when they run."""


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
        near = nearest(patterns[0], [m.name for m in found])
        hint = f"did you mean {near!r}?" if near else "names begin with a paper, say 'song2021-*'"
        raise ValueError(f"no mutant matches {', '.join(patterns)!r}; {hint}")
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
    patterns: Sequence[str],
    catalogue: Catalogue,
    *,
    sample: int | None,
    seed: int,
    jobs: int = 1,
    sources: Sources | None = None,
    notify: Callable[[str], None] = lambda line: None,
) -> list[Bug]:
    """The mechanical bugs of the papers that match ("shared": what all papers use), or a random part of them,
    each with the claims that execute its function, cheap ones first.
    """
    import numpy as np

    known = [*(p.key for p in catalogue.papers), "shared"]
    papers = [p for p in known if not patterns or any(fnmatchcase(p, x) for x in patterns)]
    places = [
        site
        for module in mechanical.modules()
        if _paper_of(module) in papers
        for site in mechanical.sites(module)
    ]
    if not places:
        raise ValueError(f"no paper with implementations matches {', '.join(patterns)!r}; known: {known}")
    if sample is not None and sample < len(places):
        chosen = np.random.default_rng(seed).choice(len(places), size=sample, replace=False)
        places = [places[k] for k in sorted(chosen)]
    executing = _executing(places, catalogue, sources or Sources(roots_of()), jobs=jobs, notify=notify)
    return [
        Bug(
            name=f"{site.function.removeprefix('implementations.')}#{site.key}",
            text=f"{site.operator}: {site.line} → {site.change}",
            make=lambda site=site: mechanical.as_mutant(site, ()),
            claims=executing[site.function],
            paper=_paper_of(site.module),
            algorithm=site.module.removeprefix("implementations."),
            operator=site.operator,
        )
        for site in places
    ]


def _paper_of(module: str) -> str:
    """The paper of a module of `implementations`; "shared" where it stands above the papers."""
    return module.split(".")[1] if module.count(".") > 1 else "shared"


def _executing(
    places: Sequence[mechanical.Site],
    catalogue: Catalogue,
    sources: Sources,
    *,
    jobs: int,
    notify: Callable[[str], None],
) -> dict[str, tuple[Claim, ...]]:
    """The claims that execute each function; at the larger tier where none does before.

    Cheap claims come first, and among them those that are known to notice some bug of this function.
    """
    knowing: dict[str, set[str]] = {}
    for mutant in named():
        knowing.setdefault(mutant.replaces, set()).update(mutant.caught_by)
    holders = {
        site.module: [
            c
            for c in catalogue.claims
            if c.paper.key != "controls" and site.module in sources.closure(c.module)
        ]
        for site in places
    }
    functions = {site.function: site.module for site in places}
    found: dict[str, tuple[Claim, ...]] = {}
    for tier in TIERS:
        missing = [f for f in functions if not found.get(f)]
        asked = {c.id: c for f in missing for c in holders[functions[f]]}
        reached = reaches(list(asked.values()), tier, sources, jobs=jobs, notify=notify)
        for function in missing:
            trusted = knowing.get(function, set())
            mine = [
                (reached[c.id].seconds * (TRUST if c.id in trusted else 1.0), c.id, c)
                for c in holders[functions[function]]
                if function in reached[c.id].functions
            ]
            found[function] = tuple(claim for _, _, claim in sorted(mine, key=lambda each: each[:2]))
    return found


def score(
    bugs: Sequence[Bug],
    *,
    jobs: int = 1,
    sources: Sources | None = None,
    notify: Callable[[str], None] = lambda line: None,
) -> list[dict[str, Any]]:
    """One row a bug: whether it was caught, by which claim, and the verdicts that were seen."""
    reasons, known = survivors(), sources or Sources(roots_of())
    rows: dict[str, dict[str, Any]] = {}
    for bug in bugs:
        for claim in bug.claims:
            if claim.module:
                known.closure(claim.module)  # read once here, not again in every process
    for module in HEAVY:  # loaded once here, not again in every process
        importlib.import_module(module)

    def attempt(bug: Bug, connection: Connection) -> None:
        _try(bug, connection, known, excused=bool(_reason(bug.name, reasons)))

    try:
        for number, messages in each_forked(bugs, attempt, jobs=jobs):
            row = _row(bugs[number], messages, reasons)
            rows[bugs[number].name] = row
            notify(f"[{len(rows)}/{len(bugs)}] {'caught' if row['caught'] else 'MISSED'} {row['name']}")
    except BaseException as stop:
        caught = sum(row["caught"] for row in rows.values())
        stop.add_note(f"{len(rows)} of {len(bugs)} bugs were tried, {caught} caught")
        raise
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
    if jobs < 1:
        raise ValueError(f"--jobs must be ≥ 1, got {jobs}")

    def notify(line: str) -> None:
        print(line, file=sys.stderr, flush=True)

    sources = Sources(roots_of())
    bugs = (
        mechanical_bugs(
            patterns, catalogue, sample=sample, seed=seed, jobs=jobs, sources=sources, notify=notify
        )
        if machine
        else named_bugs(patterns, catalogue)
    )
    rows = score(bugs, jobs=jobs, sources=sources, notify=notify)
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


def _try(bug: Bug, connection: Connection, sources: Sources, *, excused: bool) -> None:
    """In a process of its own: plant the bug, run the claims until one notices, send what was seen.

    What is excused is only tried at the small tier and for a short time, in case a claim notices it today.
    """
    seen: list[dict[str, str]] = []
    try:
        with planted(bug.make()):
            for tier in TIERS[:1] if excused else TIERS:
                for claim in bug.claims:
                    if excused and time.process_time() > EXCUSED:
                        return
                    if tier != TIERS[0]:
                        if claim.tier(tier) == claim.tier(TIERS[0]):
                            continue
                        if time.process_time() > PATIENCE and bug.operator != "named":
                            return
                    allow(LIMITS[tier])
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


def _reason(name: str, reasons: dict[str, str]) -> str:
    return reasons.get(name.rpartition("#")[2], "") if "#" in name else ""


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
        "reason": _reason(bug.name, reasons),
        "verdicts": verdicts,
    }
