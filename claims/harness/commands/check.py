"""`dpclaims check`: the conformance suite for authors."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from claims.harness.claim import Claim
from claims.harness.commands.options import AsJson, Folders, Jobs
from claims.harness.run.result import BAD_INPUT, DIFFERS, PASSED, ClaimResult

if TYPE_CHECKING:
    from claims.harness.discover import Catalogue, Problem


def check_command(
    pattern: Annotated[
        list[str] | None, typer.Argument(metavar="[PATTERN… | DIR]", help="Ids, globs, or one folder.")
    ] = None,
    claims: Folders = None,
    jobs: Jobs = 1,
    json: AsJson = False,
) -> None:
    """What the tests ask of every claim: docstring, statement, smoke verdict, time, bits, planted bug."""
    from claims.harness.conformance import RULES
    from claims.harness.discover import discover
    from claims.harness.run.serialise import print_json

    patterns = pattern or []
    places = [Path(p) for p in patterns if Path(p).is_dir() and "*" not in p]
    catalogue = discover([*(claims or []), *places])
    chosen, problems = _chosen(catalogue, places, [p for p in patterns if Path(p) not in places])
    rows = [*_broken_rules(catalogue, chosen, jobs)]
    rows += [{"claim": p.paper, "rule": "file", "problem": p.sentence} for p in problems]
    if json:
        document = {"format": "dpclaims-check/1", "claims": [c.id for c in chosen], "problems": rows}
        print_json(document)
    else:
        for row in rows:
            print(f"problem  {row['claim']}: {row['problem']}")
        several = "" if len(chosen) == 1 else "s"
        print(f"{len(chosen)} claim{several} checked by {len(RULES)} rules, {len(rows)} problems")
    raise typer.Exit(BAD_INPUT if problems else DIFFERS if rows else PASSED)


def _chosen(
    catalogue: Catalogue, places: Sequence[Path], patterns: Sequence[str]
) -> tuple[list[Claim], list[Problem]]:
    """The claims of the patterns, or of the folders where there are no patterns, and what is broken there."""
    from claims.harness.discover import broken, select

    if patterns or not places:
        return select(catalogue, patterns), broken(catalogue, patterns)
    inside = [p.resolve() for p in places]
    claims = [c for c in catalogue.claims if c.file and any(f in c.file.parents for f in inside)]
    problems = [p for p in catalogue.problems if any(str(f) in p.sentence for f in inside)]
    if not claims and not problems:
        raise ValueError(f"{', '.join(map(str, places))} holds no claim; `dpclaims new` writes one")
    return claims, problems


def _broken_rules(catalogue: Catalogue, claims: Sequence[Claim], jobs: int) -> Iterator[dict[str, Any]]:
    """One row for each rule that a claim breaks."""
    from claims.harness.conformance import RULES, Context, baseline_exponents
    from claims.harness.mutation.named import bug_folders, noticing

    results = _smoke_all(claims, jobs)
    named = frozenset(noticing(bug_folders(catalogue.folders)))
    bugs = named | _noticing(claims, named, jobs)
    exponents = baseline_exponents([p.key for p in catalogue.papers])
    for claim in claims:
        context = Context(
            result=results[claim.id], catalogue=catalogue.claims, bugs=bugs, exponents=exponents
        )
        for name, rule in RULES.items():
            if (problem := rule(claim, context)) is not None:
                yield {"claim": claim.id, "rule": name, "problem": problem}


def _noticing(claims: Sequence[Claim], named: frozenset[str], jobs: int) -> frozenset[str]:
    """The claims that no named bug names, and that lose their verdict to a mechanical one."""
    from claims.harness.mutation.notice import first_noticed

    found: set[str] = set()
    waiting = [c for c in claims if c.id not in named and c.role != "control"]
    for number, claim in enumerate(waiting, 1):
        site = first_noticed(claim, jobs=jobs)
        if site is not None:
            found.add(claim.id)
        seen = "no bug noticed" if site is None else f"notices {site.function}: {site.operator}"
        print(f"[{number}/{len(waiting)}] {claim.id} {seen}", file=sys.stderr, flush=True)
    return frozenset(found)


def _smoke_all(claims: Sequence[Claim], jobs: int) -> dict[str, ClaimResult]:
    """The claims at tier smoke, which with two jobs are computed in two processes: bits must agree."""
    from claims.harness.conformance import smoke
    from claims.harness.run.workers import in_workers

    if jobs == 1:
        results = {}
        for number, claim in enumerate(claims, 1):
            results[claim.id] = smoke(claim)
            print(f"[{number}/{len(claims)}] {claim.id}", file=sys.stderr, flush=True)
        return results
    return {result.id: result for result in in_workers(smoke, [(claim,) for claim in claims], jobs)}
