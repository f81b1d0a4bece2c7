"""Whether a claim can fail at all: mechanical bugs in what it executes, until it loses its verdict to one."""

from __future__ import annotations

import cProfile
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection

import numpy as np

from audits.evidence import Verdict
from claims.harness.claim import Claim
from claims.harness.closure import Sources
from claims.harness.mutation import mechanical
from claims.harness.mutation.forked import each_forked
from claims.harness.mutation.mechanical import Site
from claims.harness.mutation.plant import reference_of
from claims.harness.run.runner import Settings, evaluate, work_of

TRIES = 16
"""Bugs that are tried in the algorithms, and as many in the claim's own paper where those change nothing."""
SECONDS = 20
"""Processor time of a try: twice what the smallest tier of a claim may take."""


def first_noticed(claim: Claim, sources: Sources, *, jobs: int = 1, seed: int = 0) -> Site | None:
    """The first of some random bugs that turns the claim's smoke verdict into another decided one, or None.

    A crash does not count: it says that the program is broken, not that the check can tell. Bugs are planted
    in the functions of `implementations` that the claim executes, then in those of the claim's own paper.
    """
    paper = claim.module.rpartition(".")[0] or claim.module

    def list_executed(_: None, connection: Connection) -> None:
        profile = cProfile.Profile(builtins=False)
        with profile:
            _verdict(claim, sources)
        codes = [entry.code for entry in profile.getstats()]
        for package in ("implementations", paper):
            connection.send(sorted(_functions(codes, package)))

    def attempt(site: Site, connection: Connection) -> None:
        with planted_everywhere(site):
            connection.send(_verdict(claim, sources))

    rng = np.random.default_rng(seed)
    for _, executed in each_forked([None], list_executed, jobs=1):
        for functions in executed:
            modules = sorted({name.partition(":")[0] for name in functions})
            places = [site for module in modules for site in mechanical.sites(module, functions)]
            chosen = rng.choice(len(places), size=min(TRIES, len(places)), replace=False)
            tried = [places[k] for k in chosen]
            for number, messages in each_forked(tried, attempt, jobs=jobs, processor_seconds=SECONDS):
                if messages and messages[0] not in ("", claim.expected, Verdict.INCONCLUSIVE):
                    return tried[number]
    return None


@contextmanager
def planted_everywhere(site: Site) -> Iterator[None]:
    """While this is open, the function of a site has its bug for everybody who holds it.

    A claim holds its `check` as an object, which a new name in the module would not reach: the function keeps
    its identity and gets the other code.
    """
    reference = reference_of(site.function)
    code = reference.__code__
    by = mechanical.as_mutant(site, ()).by
    assert by is not None
    reference.__code__ = by.__code__
    try:
        yield
    finally:
        reference.__code__ = code


def _verdict(claim: Claim, sources: Sources) -> str:
    """The claim's verdict at smoke; "" where it crashed."""
    result, _ = evaluate(claim, work_of(claim, Settings(tier="smoke"), sources))
    return str(result.verdict or "")


def _functions(codes: Sequence[object], package: str) -> set[str]:
    """ "module:function" of the code objects that belong to a package; an inner function as its outer one."""
    files = {
        str(module.__file__): name
        for name, module in list(sys.modules.items())
        if name.partition(".")[0] == package.partition(".")[0] and f"{name}.".startswith(f"{package}.")
        and getattr(module, "__file__", None)
    }  # fmt: skip
    found: set[str] = set()
    for code in codes:
        module = files.get(getattr(code, "co_filename", ""))
        if module is not None:
            found.add(f"{module}:{getattr(code, 'co_qualname', '').partition('.<locals>')[0]}")
    return found
