"""The bugs that are tried, each with the claims that can notice it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from claims.harness.claim import Claim
from claims.harness.closure import Sources, roots_of
from claims.harness.discover import Catalogue
from claims.harness.mutation import mechanical
from claims.harness.mutation.named import bug_folders, named
from claims.harness.mutation.plant import Mutant, bug_of
from claims.harness.mutation.reach import reaches
from claims.harness.places import near_miss

TIERS = ("smoke", "ci")
"""A bug that the small tier does not show is given the larger one."""


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


def named_bugs(patterns: Sequence[str], catalogue: Catalogue, sources: Sources) -> list[Bug]:
    """The named bugs, each with the claims that must notice it; where it names none, with all that import its
    module.

    Raises ValueError, naming file and bug, where one cannot be planted or names a claim that does not exist.
    """
    found = named(patterns, bug_folders(catalogue.folders))
    return [_named_bug(mutant, catalogue, sources) for mutant in found]


def _named_bug(mutant: Mutant, catalogue: Catalogue, sources: Sources) -> Bug:
    bug_of(mutant)  # before any claim runs
    known = {claim.id: claim for claim in catalogue.claims}
    for claim_id in mutant.caught_by:
        if claim_id not in known:
            raise ValueError(f"{mutant.place}: {near_miss(claim_id, list(known), ())}")
    listed = [known[claim_id] for claim_id in sorted(mutant.caught_by)]
    return Bug(
        name=mutant.name,
        text=mutant.bug,
        make=lambda: mutant,
        claims=tuple(listed or holders(mutant.replaces.partition(":")[0], catalogue, sources)),
        paper=mutant.name.split("-")[0],
        algorithm=mutant.replaces.partition(":")[0].removeprefix("implementations."),
        operator="named",
    )


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
    papers = [p for p in known if not patterns or any(fnmatchcase(p, x.split("/")[0]) for x in patterns)]
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
            name=site.name,
            text=site.text,
            make=lambda site=site: mechanical.as_mutant(site),
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
    """The claims that execute each function, cheap ones first; at the larger tier where none does before."""
    holding = {site.module: holders(site.module, catalogue, sources) for site in places}
    functions = {site.function: site.module for site in places}
    found: dict[str, tuple[Claim, ...]] = {}
    for tier in TIERS:
        missing = [f for f in functions if not found.get(f)]
        asked = {c.id: c for f in missing for c in holding[functions[f]]}
        reached = reaches(list(asked.values()), tier, jobs=jobs, notify=notify)
        for function in missing:
            mine = [c for c in holding[functions[function]] if function in reached[c.id].functions]
            found[function] = tuple(sorted(mine, key=lambda c: (reached[c.id].seconds, c.id)))
    return found


def holders(module: str, catalogue: Catalogue, sources: Sources) -> list[Claim]:
    """The claims of papers whose imports lead to this module."""
    return [c for c in catalogue.claims if c.paper.key != "controls" and module in sources.closure(c.module)]
