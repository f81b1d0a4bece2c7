"""Which functions of `implementations` a claim executes, and what its run costs: who can notice a bug at all.

A claim that never executes a function cannot notice a bug in it. What a claim executes is measured once a
tier, in a process of its own (another claim may have filled a cache that hides a call), and kept under the
digest of the claim's sources.
"""

from __future__ import annotations

import cProfile
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from claims.harness.claim import Claim
from claims.harness.closure import Sources
from claims.harness.index import cache_folder
from claims.harness.mutation.forked import each_forked
from claims.harness.run.runner import Settings, evaluate
from claims.harness.run.temporary import write_whole


@dataclass(frozen=True, slots=True)
class Reach:
    """What a claim executes at a tier.

    functions  "module:function" and "module:Class.method" of `implementations`
    seconds    processor time of the run
    """

    functions: frozenset[str]
    seconds: float


def reaches(
    claims: Sequence[Claim],
    tier: str,
    sources: Sources,
    *,
    jobs: int = 1,
    notify: Callable[[str], None] = lambda line: None,
) -> dict[str, Reach]:
    """The reach of every claim at a tier, by id; what is not kept from before is measured."""
    found: dict[str, Reach] = {}
    missing: list[Claim] = []
    for claim in claims:
        kept = _kept(claim, tier, sources)
        if kept is None:
            missing.append(claim)
        else:
            found[claim.id] = kept
    if missing:
        notify(f"measuring what {len(missing)} claims execute at tier {tier}")
    for claim, reach in _measured(missing, tier, jobs):
        found[claim.id] = reach
        _keep(claim, tier, sources, reach)  # at once: a run that is stopped goes on from here
    return found


def measure(claim: Claim, tier: str) -> Reach:
    """The reach of one claim, by running it in this process; a claim that crashes has reached what it has."""
    codes, seconds = executed(claim, tier)
    return Reach(functions_of(codes, "implementations"), seconds)


def executed(claim: Claim, tier: str) -> tuple[list[object], float]:
    """The code objects that a run of the claim executes, and its processor time."""
    profile = cProfile.Profile(builtins=False)
    before = time.process_time()
    with profile:
        evaluate(claim, Settings(tier=tier))
    seconds = time.process_time() - before
    return [entry.code for entry in profile.getstats()], seconds


def functions_of(codes: Sequence[object], package: str) -> frozenset[str]:
    """ "module:function" of the code objects that belong to a package; an inner function as its outer one."""
    files = {
        str(module.__file__): name
        for name, module in list(sys.modules.items())
        if f"{name}.".startswith(f"{package}.") and getattr(module, "__file__", None)
    }
    return frozenset(
        f"{module}:{getattr(code, 'co_qualname', '').partition('.<locals>')[0]}"
        for code in codes
        if (module := files.get(getattr(code, "co_filename", ""))) is not None
    )


def _measured(claims: Sequence[Claim], tier: str, jobs: int) -> Iterator[tuple[Claim, Reach]]:
    """The reach of each claim, measured in a process of its own, as it ends; of one that dies, nothing."""

    def send(claim: Claim, connection: Connection) -> None:
        connection.send(measure(claim, tier))

    for number, messages in each_forked(claims, send, jobs=jobs):
        yield claims[number], messages[0] if messages else Reach(frozenset(), 0.0)


def _file(claim: Claim, tier: str) -> Path:
    return cache_folder() / "reach" / f"{claim.id.replace('/', '--').replace(':', '-')}.{tier}.json"


def _kept(claim: Claim, tier: str, sources: Sources) -> Reach | None:
    with suppress(OSError, ValueError, KeyError, TypeError):
        document = json.loads(_file(claim, tier).read_text(encoding="utf-8"))
        if document["sources"] == sources.digest(claim.module):
            return Reach(frozenset(document["functions"]), float(document["seconds"]))
    return None


def _keep(claim: Claim, tier: str, sources: Sources, reach: Reach) -> None:
    """Keep a reach; a folder that cannot be written is no obstacle."""
    document = {
        "sources": sources.digest(claim.module),
        "functions": sorted(reach.functions),
        "seconds": reach.seconds,
    }
    with suppress(OSError):
        write_whole(_file(claim, tier), json.dumps(document).encode())
