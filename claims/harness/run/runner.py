"""The runner: it owns the loop, the workers, the cache and the error budget."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from audits.evidence import combine
from audits.foreign.calls import Failed, called, required
from claims.harness.claim import Claim
from claims.harness.closure import Sources, import_paths, roots_of
from claims.harness.discover import Catalogue, broken, discover, select
from claims.harness.places import OWN, RUNS
from claims.harness.run.cells import ALPHA, Outcome, Settings, cells_of, compute, conclude
from claims.harness.run.premises import held_by_premises
from claims.harness.run.provenance import data_digest, machine, numerics, versions
from claims.harness.run.result import ClaimResult, RunResult
from claims.harness.run.store import (
    Stored,
    prepare_folder,
    read_claim,
    replace_result,
    result_key,
    write_claim,
    write_provenance,
)
from claims.harness.run.workers import Task, in_local_workers, in_this_process, one_thread
from claims.harness.words import ROOM

if TYPE_CHECKING:
    import pandas as pd

Notify = Callable[[str, "ClaimResult | None"], None]


@dataclass(slots=True)
class _Pending:
    """A claim whose cells are under way, and the key of its result."""

    task: Task
    key: str
    outcomes: list[Outcome] = field(default_factory=list[Outcome])

    @property
    def claim(self) -> Claim:
        return self.task.claim


def run(
    *patterns: str,
    tier: str = "ci",
    seed: int = 0,
    alpha: float = ALPHA,
    jobs: int = 1,
    out: Path | str | None = None,
    cache: bool = True,
    data: Path | str | None = None,
    scheduler: str | None = None,
    claims: Sequence[Path | str] = (),
    notify: Notify | None = None,
) -> RunResult:
    """Check the claims that match the patterns (all without one), and store the run.

    tier       "smoke", "ci" or "full": how much work.
    seed       master seed; same seed, same bits, whatever `jobs` and `scheduler`.
    alpha      the probability that the run calls any true claim refuted. Every claim may spend a thousandth
               of it, whichever of them the patterns choose and however many there are, so that neither
               changes a result.
    jobs       worker processes, each with one BLAS thread.
    out        the run folder; by default below reports/runs, named after the parameters, so that the same
               call resumes a run that was stopped.
    cache      reuse results of the same sources and parameters, from runs in the same place, too.
    data       file or folder for the claims that read one; by default DPCLAIMS_DATA, else the stand-ins.
    scheduler  address of a Dask scheduler that runs the cells instead of local processes.
    claims     folders with papers of other people.
    notify     called with (event, result): ("claim", result), or (a warning, None).

    Raises ValueError for bad parameters, more claims than a run has room for and unreadable data before
    anything is computed; ChildProcessError where a worker or a cluster dies. Claims that are finished stay
    stored.
    """
    catalogue = discover(claims)
    chosen = select(catalogue, patterns)
    if data is None:
        data = os.environ.get("DPCLAIMS_DATA") or None
    settings = Settings(tier=tier, seed=seed, alpha=alpha, data=None if data is None else Path(data))
    return run_claims(
        chosen,
        settings,
        catalogue=replace(catalogue, problems=tuple(broken(catalogue, patterns))),
        jobs=jobs,
        out=None if out is None else Path(out),
        cache=cache,
        scheduler=scheduler,
        notify=notify,
    )


def run_claims(
    claims: Sequence[Claim],
    settings: Settings,
    *,
    catalogue: Catalogue | None = None,
    jobs: int = 1,
    out: Path | None = None,
    cache: bool = True,
    scheduler: str | None = None,
    notify: Notify | None = None,
) -> RunResult:
    """Check the given claims.

    catalogue  where they were found: all claims, among them those that the given ones rest on, the folders
               with papers of other people, and what is broken, which goes into the result.
    """
    if jobs < 1:
        raise ValueError(f"jobs must be ≥ 1, got {jobs}")
    if len(claims) > ROOM:
        raise ValueError(
            f"a run has room for {ROOM} claims, {len(claims)} are chosen: name patterns of fewer"
        )
    known = catalogue or Catalogue(claims=tuple(claims), papers=(), problems=(), folders=())
    problems = tuple(problem.sentence for problem in known.problems)
    places = [f for f in known.folders if f != OWN]
    data = _checked_data(claims, settings)
    if scheduler is not None:
        from claims.harness.run.cluster import connected

        with connected(scheduler):  # also where all results are stored
            pass
    folder = out or RUNS / _run_name(claims, settings, data)
    prepare_folder(folder)
    sources = Sources(roots_of(*places))
    states = {c.id: _pending(c, settings, sources, data) for c in claims}
    provenance = _provenance(claims, settings, data, states)
    write_provenance(folder, provenance)
    say: Notify = notify or (lambda event, result: None)
    for sentence in problems:
        say(sentence, None)

    under_way = _Run(settings, folder, places, sources, data, states, say)
    if cache:
        under_way.take_stored()
    under_way.compute(jobs, scheduler)
    final = under_way.hold_by_premises([c.id for c in claims], known.claims)
    provenance["finished"] = _now()
    write_provenance(folder, provenance)
    return RunResult(folder=folder, provenance=provenance, claims=tuple(final), problems=problems)


@dataclass(slots=True)
class _Run:
    """A run under way: what it computes from, where it keeps results, and those that it has."""

    settings: Settings
    folder: Path
    places: Sequence[Path]
    sources: Sources
    data: str | None
    states: Mapping[str, _Pending]
    say: Notify
    results: dict[str, ClaimResult] = field(default_factory=dict[str, ClaimResult])

    def take_stored(self) -> None:
        """Take results of the same keys, from this run's folder or from runs beside it."""
        others = sorted(p.parent for p in self.folder.parent.glob("*/claims") if p.parent != self.folder)
        for state in self.states.values():
            found = _stored([self.folder, *others], state.claim, state.key, self.say)
            if found is not None:
                where, stored = found
                if where != self.folder:
                    write_claim(self.folder, state.key, stored.result, stored.rows)
                self._tell(replace(stored.result, cached=True))

    def compute(self, jobs: int, scheduler: str | None) -> None:
        """Compute and store the claims that have no result; whatever ends this, finished claims are kept."""
        waiting = [s for s in self.states.values() if s.claim.id not in self.results]
        changed: list[str] = []
        for state in self._finished(waiting, jobs, scheduler):
            if state.claim.module and self.sources.changed(state.claim.module):
                changed.append(state.claim.id)
            else:
                result, rows = _conclude(state.claim, state.outcomes, self.settings)
                write_claim(self.folder, state.key, result, rows)
                self._tell(result)
        if changed:
            raise ValueError(
                f"the sources of {', '.join(changed)} changed during the run, so nothing of it is kept; "
                "all others are: repeat the run"
            )

    def hold_by_premises(self, ids: Sequence[str], known: Sequence[Claim]) -> list[ClaimResult]:
        """The results in this order, no verdict stronger than those of its premises."""
        ordered = [self.results[claim_id] for claim_id in ids]
        final = held_by_premises(ordered, known)
        for before, after in zip(ordered, final, strict=True):
            if (before.verdict, before.caveat) != (after.verdict, after.caveat):
                replace_result(self.folder, self.states[after.id].key, after)
                self.say(f"{after.id} is {after.verdict}: {after.caveat}", None)
        return final

    def _finished(self, states: Sequence[_Pending], jobs: int, scheduler: str | None) -> Iterator[_Pending]:
        """Compute the cells, and yield each claim when all of its cells are in."""
        pending = {state.claim.id: state for state in states}
        tasks = [state.task for state in states]
        for outcome in _execute(tasks, self.places, jobs, scheduler):
            state = pending[outcome.cell.claim]
            state.outcomes.append(outcome)
            if len(state.outcomes) == len(state.task.cells):
                yield state

    def _tell(self, result: ClaimResult) -> None:
        self.results[result.id] = result
        self.say("claim", result)


def evaluate(claim: Claim, settings: Settings) -> tuple[ClaimResult, pd.DataFrame]:
    """One claim from beginning to end in this process: its result and its rows; nothing is stored."""
    with one_thread():
        outcomes = [compute(claim, cell, settings) for cell in cells_of(claim, settings.tier)]
        return _conclude(claim, outcomes, settings)


def finished(claim: Claim, settings: Settings, sources: Sources, runs: Path = RUNS) -> ClaimResult | None:
    """The stored result of this claim in any run below `runs`, if it was computed from just these sources and
    settings; None where there is none.
    """
    state = _pending(claim, settings, sources, _checked_data([claim], settings))
    folders = sorted(p.parent for p in runs.glob("*/claims"))
    stored = _stored(folders, claim, state.key, lambda event, result: None)
    return None if stored is None else stored[1].result


def _pending(claim: Claim, settings: Settings, sources: Sources, data: str | None) -> _Pending:
    """The cells of a claim, and the digest of everything that its result is computed from."""
    digest = sources.digest(claim.module) if claim.module else ""
    key = result_key(
        claim=claim.id,
        sources=digest,
        versions=numerics(),
        tier=settings.tier,
        seed=settings.seed,
        share=settings.share,
        data=data if claim.check_data is not None else None,
    )
    cells = list(cells_of(claim, settings.tier))
    return _Pending(Task(claim=claim, settings=settings, cells=cells, digest=digest), key)


def _checked_data(claims: Sequence[Claim], settings: Settings) -> str | None:
    """The digest of the data that the claims read, None where none of them does; ValueError if unusable."""
    readers = [c for c in claims if c.check_data is not None]
    if settings.data is not None:
        for claim in readers:
            assert claim.check_data is not None
            required(f"{claim.id}: its check of the data", claim.check_data, settings.data)
    return data_digest(settings.data) if readers else None


def _run_name(claims: Sequence[Claim], settings: Settings, data: str | None) -> str:
    digest = result_key(claims=[c.id for c in claims], alpha=settings.alpha, data=data)[:10]
    return f"{settings.tier}-seed{settings.seed}-{digest}"


def _provenance(
    claims: Sequence[Claim], settings: Settings, data: str | None, states: Mapping[str, _Pending]
) -> dict[str, Any]:
    return {
        "claims": [c.id for c in claims],
        "tier": settings.tier,
        "seed": settings.seed,
        "alpha": settings.alpha,
        "alpha_per_claim": settings.share,
        "sources": {claim_id: state.task.digest for claim_id, state in states.items()},
        "versions": versions(),
        "machine": machine(),
        "data": None if settings.data is None else {"name": settings.data.name, "sha256": data},
        "started": _now(),
        "finished": None,
    }


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _stored(folders: Sequence[Path], claim: Claim, key: str, say: Notify) -> tuple[Path, Stored] | None:
    """The first of these runs that holds a finished result of this key; what is broken is named."""
    for folder in folders:
        try:
            stored = read_claim(folder, claim.id, key)
        except ValueError as error:
            say(f"{error}; recomputed", None)
            continue
        # A crash is not a result: it is tried again.
        if stored is not None and stored.result.error is None:
            return folder, stored
    return None


# --- Workers -------------------------------------------------------------------------------------------


def _execute(
    tasks: Sequence[Task], places: Sequence[Path], jobs: int, scheduler: str | None
) -> Iterator[Outcome]:
    """Compute all cells and yield their outcomes in whatever order they finish."""
    if not tasks:
        return iter(())
    if scheduler is not None:
        from claims.harness.run.cluster import on_cluster

        # A worker has this project's packages where they are installed there.
        return on_cluster(scheduler, tasks, [str(place) for place in places], numerics())
    jobs = min(jobs, sum(len(task.cells) for task in tasks))
    if jobs <= 1:
        return in_this_process(tasks)
    return in_local_workers(tasks, jobs, import_paths(roots_of(*places)))


def _conclude(
    claim: Claim, outcomes: Sequence[Outcome], settings: Settings
) -> tuple[ClaimResult, pd.DataFrame]:
    """Judge a claim whose cells are all in; a crash in a cell or in judge() is the result then."""
    import pandas as pd

    ordered = sorted(outcomes, key=lambda o: (o.cell.index, o.cell.chunk))
    error = next((o.error for o in ordered if o.error is not None), None)
    started = time.perf_counter()
    rows, evidence = pd.DataFrame(), ()
    if error is None:
        with one_thread():
            found = called(conclude, claim, ordered, settings.share)
        if type(found) is Failed:
            error = found.traceback
        else:
            evidence, rows = found
    resolutions = [e.resolution for e in evidence if e.resolution is not None]
    return ClaimResult(
        id=claim.id,
        kind=claim.kind.value,
        role=claim.role,
        finding=claim.finding,
        summary=claim.summary,
        rests_on=tuple(claim.rests_on),
        verdict=None if error is not None else combine(evidence),
        expected=claim.expected,
        evidence=evidence,
        resolution=max(resolutions, default=None),
        alpha_spent=math.fsum(e.alpha_spent for e in evidence),
        seconds=math.fsum(o.seconds for o in ordered) + time.perf_counter() - started,
        error=error,
    ), rows
