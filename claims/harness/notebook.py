"""What the notebooks `claim`, `paper` and `suite` call: a check is run, or taken from a run that has it.

A run folder that the environment variable DPCLAIMS_RUN names is taken where it was made with the same tier,
seed and α. Else the check runs: in the folder reports/runs where there is one, so that what was computed is
used again, else in a temporary folder. So a notebook needs no run and leaves nothing behind.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from claims.harness.claim import Budget, Claim
from claims.harness.parameters import Refused, only_known, whole
from claims.harness.run.result import ClaimResult, RunResult
from claims.harness.words import ROOM

if TYPE_CHECKING:
    import pandas as pd

    from audits.evidence import Evidence, Verdict
    from claims.harness.report.plots import Picture

RUN = "DPCLAIMS_RUN"
Judge = Callable[["pd.DataFrame", Budget], Sequence["Evidence"]]


@dataclass(frozen=True, slots=True)
class Block:
    """One thing shown in a notebook: Markdown or an SVG figure."""

    mime: str
    text: str

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {self.mime: self.text, "text/plain": ""}


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """One claim, checked.

    result  what the run found; rows what it measured; share the α that the claim may spend.
    source  "computed", or the run that it was taken from.
    """

    claim: Claim
    result: ClaimResult
    rows: pd.DataFrame
    share: float
    source: str

    @property
    def statement(self) -> Block:
        """What the claim says, and where it is printed."""
        claim = self.claim
        text = f"**{claim.result}**, {claim.place}. {claim.paper.reference}\n\n{claim.statement.strip()}"
        return Block("text/markdown", f"## {claim.title}\n\n{text}\n\n*{self.source}*")

    def judge(self, rows: pd.DataFrame, budget: Budget) -> list[Evidence]:
        """The evidence in the rows, the deciding piece first.

        A claim that is decided point by point gave its evidence with its rows; there is nothing to add.
        """
        from audits.evidence import no_coarser
        from audits.judge import deciding_first

        if self.claim.judge is None or self.result.error is not None:
            return list(self.result.evidence)
        found = self.claim.judge(rows.copy(), budget)
        return list(deciding_first(no_coarser(e, self.claim.largest_resolution) for e in found))

    def table(self, evidence: Sequence[Evidence], digits: int = 4) -> pd.DataFrame:
        """Evidence as a table."""
        import pandas as pd

        from claims.harness.report import numbers

        whole("digits", digits, 1, 15)
        return pd.DataFrame(
            [
                {
                    "quantity": e.quantity,
                    "at": numbers.point_text(e.point, digits),
                    "measured": numbers.estimate_text(e, digits),
                    "interval": numbers.interval_text(e, digits),
                    "claimed": numbers.number_text(e.claimed, digits),
                    "says": "" if e.verdict is None else e.verdict.value,
                }
                for e in evidence
            ]
        )

    def say(self, verdict: Verdict) -> Block:
        """The verdict, and what the premises of the claim leave of it."""
        if self.result.error is not None:
            from claims.harness.report.numbers import hide_paths

            last = hide_paths(self.result.error.strip().splitlines()[-1])
            return Block("text/markdown", f"**CRASHED**: {last}")
        caveat = f" {self.result.caveat}." if self.result.caveat else ""
        return Block("text/markdown", f"**{verdict}**, expected {self.result.expected}.{caveat}")

    def figures(self, evidence: Sequence[Evidence]) -> list[Any]:
        """The claim's plots; a plot of fewer than three abscissae is a table."""
        from claims.harness.report.plots import pictures_of

        found = [each for p in pictures_of(self.claim, evidence, self.rows) for each in _shown(p)]
        return found or [Block("text/markdown", "There is nothing to plot: see the table of evidence.")]


def check(claim: str, *, tier: str, seed: int, alpha: float, data: str = "") -> Checked:
    """Check one claim, see the module; ValueError, in a sentence, for bad input."""
    from claims.harness.run.runner import run as run_claims

    with _in_a_sentence():
        if claim not in _catalogue():
            from claims.harness.places import near_miss

            raise ValueError(near_miss(claim, list(_catalogue()), []))
        given = _given_run(tier, seed, alpha)
        if given is not None and claim in given.provenance["claims"]:
            return _taken(given, claim, alpha, "taken from the run")
        with _place() as folder:
            run = run_claims(claim, tier=tier, seed=seed, alpha=alpha, data=data or None, out=folder)
            source = "taken from reports/runs" if run[claim].cached else "computed here"
            return _taken(run, claim, alpha, source)


def check_all(paper: str = "", *, tier: str, seed: int, alpha: float, data: str = "") -> RunResult:
    """Check all claims of a paper, or of all papers; what a run has is taken from there."""
    from claims.harness.run.runner import run as run_claims

    with _in_a_sentence():
        run = _given_run(tier, seed, alpha)
        if run is None:
            asked, jobs = [paper] if paper else [], os.cpu_count() or 1
            with _place() as folder:
                run = run_claims(
                    *asked, tier=tier, seed=seed, alpha=alpha, data=data or None, jobs=jobs, out=folder
                )
        chosen = tuple(r for r in run.claims if not paper or r.id.split("/")[0] == paper)
        if not chosen:
            raise ValueError(f"the run has no claim of the paper {paper!r}")
        return replace(run, claims=chosen)


def results_table(run: RunResult, digits: int = 4) -> pd.DataFrame:
    """Every printed result of a run: how it stands, why, and its readings with their verdicts."""
    import pandas as pd

    from claims.harness.report.shown import results_of

    whole("digits", digits, 1, 15)
    results = results_of(run, _catalogue())
    rows = [
        {
            "paper": r.paper,
            "result": r.id,
            "standing": r.standing.value,
            "what was found": r.why,
            "readings": ", ".join(f"{each.name}: {each.verdict}" for each in r.readings),
            "α spent": f"{r.alpha_spent:.{digits}g}",
        }
        for r in results
    ]
    columns = ["paper", "result", "standing", "what was found", "readings", "α spent"]
    return pd.DataFrame(rows, columns=columns)


def paper_map(paper: str) -> Block:
    """What the proofs of a paper use, as a tree; how its results stand is what is expected of them."""
    from claims.harness.map import legend, map_of, tree

    found = map_of(paper, list(_catalogue().values()))
    if not any(found.uses.values()):
        return Block("text/markdown", f"No claim of {paper} says what its proof uses.")
    return Block("text/markdown", "\n".join([*legend(found), "", "```text", *tree(found), "```"]))


@cache
def _catalogue() -> dict[str, Claim]:
    """All claims by their ids: what a kernel has imported does not change."""
    from claims.harness.discover import discover

    return {claim.id: claim for claim in discover().claims}


def _given_run(tier: str, seed: int, alpha: float) -> RunResult | None:
    """The run that the environment names, if it was made with these settings."""
    run = _read(Path(folder)) if (folder := os.environ.get(RUN)) else None
    if run is None:
        return None
    made = tuple(run.provenance[name] for name in ("tier", "seed", "alpha"))
    return run if made == (tier, seed, alpha) else None


@cache
def _read(folder: Path) -> RunResult:
    """A finished run, read once for all notebooks of a kernel."""
    from claims.harness.run.store import read_run

    return read_run(folder)


def _taken(run: RunResult, claim: str, alpha: float, source: str) -> Checked:
    from claims.harness.run.store import read_claim

    stored = read_claim(run.folder, claim)
    assert stored is not None
    return Checked(
        claim=_catalogue()[claim], result=stored.result, rows=stored.rows, share=alpha / ROOM, source=source
    )


@contextmanager
def _place() -> Iterator[Path | None]:
    """Where a notebook's run is kept: None for the default place, where that is there already."""
    from claims.harness.places import RUNS

    if RUNS.is_dir() and os.access(RUNS, os.W_OK):
        yield None
        return
    with TemporaryDirectory(prefix="dpclaims-") as folder:
        yield Path(folder) / "run"


@contextmanager
def _in_a_sentence() -> Iterator[None]:
    """Bad input is a sentence; sentences in tables are not cut."""
    import pandas as pd

    pd.set_option("display.max_colwidth", None)
    try:
        only_known()
        yield
    except ValueError as error:
        raise Refused(str(error)) from None


def _shown(picture: Picture) -> Iterator[Any]:
    """A picture below its title, above its caption."""
    import pandas as pd

    yield Block("text/markdown", f"**{picture.title}**")
    if picture.svg:
        yield Block("image/svg+xml", picture.svg)
    elif not picture.problem:
        yield pd.DataFrame(picture.rows, columns=list(picture.head))
    if picture.caption or picture.problem:
        yield Block("text/markdown", picture.problem or picture.caption)
