"""Whether a claim can fail at all: mechanical bugs in what it executes, until it loses its verdict to one."""

from __future__ import annotations

from multiprocessing.connection import Connection

import numpy as np

from audits.evidence import Verdict
from claims.harness.claim import Claim
from claims.harness.conformance import smoke
from claims.harness.mutation import mechanical
from claims.harness.mutation.forked import each_forked
from claims.harness.mutation.mechanical import Site
from claims.harness.mutation.plant import planted_everywhere
from claims.harness.mutation.reach import executed, functions_of
from claims.harness.mutation.score import seen_of

TRIES = 16
"""Bugs that are tried in the algorithms, and as many in the claim's own paper where those change nothing."""
SECONDS = 20
"""Processor time of a try: twice what the smallest tier of a claim may take."""


def first_noticed(claim: Claim, *, jobs: int = 1) -> Site | None:
    """The first of some random bugs that turns the claim's smoke verdict into another decided one, or None.

    An exact counterexample that is lost counts, as in `score`.

    A crash does not count: it says that the program is broken, not that the check can tell. Bugs are planted
    in the functions of `implementations` that the claim executes, then in those of the claim's own paper.
    """
    paper = claim.module.rpartition(".")[0] or claim.module

    def list_functions(_: None, connection: Connection) -> None:
        codes = executed(claim, "smoke")[0]
        for package in ("implementations", paper):
            connection.send(functions_of(codes, package))

    def attempt(site: Site, connection: Connection) -> None:
        with planted_everywhere(mechanical.as_mutant(site)):
            connection.send(seen_of(claim, smoke(claim)))

    rng = np.random.default_rng(0)
    for _, packages in each_forked([None], list_functions, jobs=1):
        for functions in packages:
            modules = sorted({name.partition(":")[0] for name in functions})
            places = [site for module in modules for site in mechanical.sites(module, functions)]
            chosen = rng.choice(len(places), size=min(TRIES, len(places)), replace=False)
            tried = [places[k] for k in chosen]
            for number, messages in each_forked(tried, attempt, jobs=jobs, processor_seconds=SECONDS):
                if messages and messages[0] not in ("", claim.expected, Verdict.INCONCLUSIVE):
                    return tried[number]
    return None
