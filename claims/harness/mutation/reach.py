"""Which functions of `implementations` a claim executes, and what its run costs: who can notice a bug at all.

A claim that never executes a function cannot notice a bug in it. What a claim executes is measured in a
process of its own: another claim may have filled a cache that hides a call.
"""

from __future__ import annotations

import cProfile
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection

from claims.harness.claim import Claim
from claims.harness.mutation.forked import each_forked
from claims.harness.run.runner import Settings, evaluate


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
    *,
    jobs: int = 1,
    notify: Callable[[str], None] = lambda line: None,
) -> dict[str, Reach]:
    """The reach of every claim at a tier, by id, each measured in a process of its own; of one that dies,
    nothing."""
    if claims:
        notify(f"measuring what {len(claims)} claims execute at tier {tier}")

    def send(claim: Claim, connection: Connection) -> None:
        codes, seconds = executed(claim, tier)
        connection.send(Reach(functions_of(codes, "implementations"), seconds))

    nothing = Reach(frozenset(), 0.0)
    return {
        claims[number].id: messages[0] if messages else nothing
        for number, messages in each_forked(claims, send, jobs=jobs)
    }


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
