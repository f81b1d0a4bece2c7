"""The runner: it owns the loop, the workers, the cache and the error budget."""

from __future__ import annotations

import math
import os
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from audits.evidence import combine
from claims.harness.claim import Claim
from claims.harness.closure import PACKAGES, Sources, import_paths, roots_of
from claims.harness.discover import ROOM, Catalogue, broken, claims_of, discover, select
from claims.harness.places import OWN, RUNS
from claims.harness.run.cells import Cell, Outcome, Work, cells_of, compute, conclude
from claims.harness.run.partial import read_cells, remove_cells, write_cells
from claims.harness.run.premises import held_by_premises
from claims.harness.run.provenance import data_digest, machine, versions
from claims.harness.run.result import ClaimResult, RunResult, as_cached
from claims.harness.run.seal import can_seal
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
from claims.harness.words import TIERS

if TYPE_CHECKING:
    import pandas as pd

ALPHA = 0.001
"""Default probability that a run calls any true claim refuted."""
NUMERICS = ("numpy", "scipy")
"""The libraries whose versions change results."""
RETRIES = 3
SAVE_EVERY = 2.0
"""Seconds of computing after which the finished cells of a claim are kept: a killed run loses no more."""

Notify = Callable[[str, "ClaimResult | None"], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The parameters of a run that change its results."""

    tier: str = "ci"
    seed: int = 0
    alpha: float = ALPHA
    data: Path | None = None

    def __post_init__(self) -> None:
        if self.tier not in TIERS:
            raise ValueError(f"tier must be one of {', '.join(TIERS)}, got {self.tier!r}")
        if not 0.0 < self.alpha < 1.0:
            raise ValueError(f"alpha must be in (0, 1), got {self.alpha}")
        if self.seed < 0:
            raise ValueError(f"seed must be ≥ 0, got {self.seed}")
        if self.data is not None and not self.data.exists():
            raise ValueError(f"data (--data or DPCLAIMS_DATA) {str(self.data)!r} does not exist")

    @property
    def share(self) -> float:
        """What each claim may spend: a run has room for `ROOM` claims, however many there are."""
        return self.alpha / ROOM


@dataclass(slots=True)
class _Pending:
    """A claim whose cells are under way."""

    claim: Claim
    work: Work
    digest: str
    key: str
    cells: list[Cell]
    outcomes: list[Outcome] = field(default_factory=list[Outcome])
    unsaved: list[Outcome] = field(default_factory=list[Outcome])

    def left(self) -> list[Cell]:
        """The cells that are still to be computed."""
        done = {(o.cell.index, o.cell.chunk) for o in self.outcomes}
        return [c for c in self.cells if (c.index, c.chunk) not in done]


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
    cache      reuse results, and cells, of the same sources and parameters from runs of this user.
    data       file or folder for the claims that read one; by default DPCLAIMS_DATA, else the stand-ins.
    scheduler  address of a Dask scheduler that runs the cells instead of local processes.
    claims     folders with papers of other people.
    notify     called with (event, result): ("cell", None), ("claim", result), or (a warning, None).

    Raises ValueError for bad parameters, more claims than a run has room for and unreadable data before
    anything is computed; ChildProcessError where a worker or a cluster dies. What is finished stays stored:
    claims, and the cells of claims that are not finished.
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
        from claims.harness.run.cluster import require_scheduler

        require_scheduler(scheduler)  # also where all results are stored
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
    provenance["sources"] = {claim_id: state.digest for claim_id, state in states.items()}
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
        """Take results and cells of the same keys, from this run's folder or from runs beside it."""
        others = sorted(p.parent for p in self.folder.parent.glob("*/claims") if p.parent != self.folder)
        for state in self.states.values():
            stored = _lookup(self.folder, others, state, self.say)
            if stored is not None:
                remove_cells(self.folder, state.claim.id)
                self._tell(as_cached(stored.result))
                continue
            state.outcomes += read_cells(self.folder, state.key, state.claim.id, state.cells)
            for _ in state.outcomes:
                self.say("cell", None)

    def compute(self, jobs: int, scheduler: str | None) -> None:
        """Compute and store the claims that have no result; whatever ends this, finished cells are kept."""
        waiting = [s for s in self.states.values() if s.claim.id not in self.results]
        changed: list[_Pending] = []
        try:
            for state in self._finished(waiting, jobs, scheduler):
                if state.claim.module and self.sources.changed(state.claim.module):
                    changed.append(state)
                else:
                    self._keep(state, *_conclude(state.claim, state.outcomes, state.work))
        except BaseException:
            # What a full disk does not take is lost; the reason why the run ends is told in any case.
            with suppress(OSError):
                for state in waiting:
                    self._save(state)
            raise
        for state in changed:
            self.say(f"{state.claim.id}: its sources changed during the run; it is computed again", None)
            self._keep(state, *_compute_afresh(state, self.settings, self.places, self.data))

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
        """Compute the cells that are left, and yield each claim when all of its cells are in."""
        yield from (state for state in states if not state.left())
        pending = {state.claim.id: state for state in states if state.left()}
        tasks = [
            Task(claim=state.claim, work=state.work, cells=state.left(), digest=state.digest)
            for state in pending.values()
        ]
        for outcome in _execute(tasks, self.places, jobs, scheduler):
            state = pending[outcome.cell.claim]
            state.outcomes.append(outcome)
            state.unsaved.append(outcome)
            self.say("cell", None)
            if len(state.outcomes) == len(state.cells):
                state.unsaved.clear()
                yield state
            elif math.fsum(o.seconds for o in state.unsaved) >= SAVE_EVERY:
                self._save(state)

    def _keep(self, state: _Pending, result: ClaimResult, rows: pd.DataFrame) -> None:
        """Store a result in place of the cells that it was computed from."""
        write_claim(self.folder, state.key, result, rows)
        remove_cells(self.folder, state.claim.id)
        self._tell(result)

    def _save(self, state: _Pending) -> None:
        """Keep the finished cells of a claim, unless its sources are no longer those of its key."""
        if state.unsaved and not (state.claim.module and self.sources.changed(state.claim.module)):
            write_cells(self.folder, state.key, state.claim.id, state.unsaved)
        state.unsaved.clear()

    def _tell(self, result: ClaimResult) -> None:
        self.results[result.id] = result
        self.say("claim", result)


def evaluate(claim: Claim, work: Work) -> tuple[ClaimResult, pd.DataFrame]:
    """One claim from beginning to end in this process: its result and its rows; nothing is stored."""
    with one_thread():
        outcomes = [compute(claim, cell, work) for cell in cells_of(claim, work.tier)]
        return _conclude(claim, outcomes, work)


def work_of(claim: Claim, settings: Settings, sources: Sources) -> Work:
    """What a claim may use in a run with these settings."""
    return Work(
        tier=settings.tier,
        seed=settings.seed,
        share=settings.share,
        data=settings.data,
        closure=sources.closure(claim.module) if claim.module else None,
        packages=tuple(dict.fromkeys((*PACKAGES, claim.module.split(".")[0]))),
    )


def finished(claim: Claim, settings: Settings, sources: Sources, runs: Path = RUNS) -> ClaimResult | None:
    """The stored result of this claim in any run below `runs`, if it was computed from just these sources and
    settings; None where there is none.
    """
    state = _pending(claim, settings, sources, _checked_data([claim], settings))
    folders = sorted(p.parent for p in runs.glob("*/claims"))
    stored = _stored(folders, claim, state.key, lambda event, result: None)
    return None if stored is None else stored[1].result


def count_cells(claims: Sequence[Claim], tier: str) -> int:
    """How many cells a run of these claims has; the length of the progress bar."""
    return sum(1 for c in claims for _ in cells_of(c, tier))


def _pending(claim: Claim, settings: Settings, sources: Sources, data: str | None) -> _Pending:
    work = work_of(claim, settings, sources)
    digest = sources.digest(claim.module) if claim.module else ""
    key = _key(claim, digest, settings, data)
    return _Pending(claim, work, digest, key, list(cells_of(claim, settings.tier)))


def _checked_data(claims: Sequence[Claim], settings: Settings) -> str | None:
    """The digest of the data that the claims read, None where none of them does; ValueError if unusable."""
    readers = [c for c in claims if c.check_data is not None]
    if settings.data is not None:
        for claim in readers:
            assert claim.check_data is not None
            claim.check_data(settings.data)
    return data_digest(settings.data) if readers else None


def _key(claim: Claim, digest: str, settings: Settings, data: str | None) -> str:
    """The digest of everything that the result of a claim is computed from."""
    return result_key(
        claim=claim.id,
        sources=digest,
        versions=_libraries(),
        tier=settings.tier,
        seed=settings.seed,
        share=settings.share,
        data=data if claim.check_data is not None else None,
    )


def _libraries() -> dict[str, str]:
    found = versions()
    return {name: found[name] for name in NUMERICS}


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
        "sources": {claim_id: state.digest for claim_id, state in states.items()},
        "versions": versions(),
        "machine": machine(),
        "data": None if settings.data is None else {"name": settings.data.name, "sha256": data},
        "started": _now(),
        "finished": None,
    }


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _lookup(folder: Path, others: Sequence[Path], state: _Pending, say: Notify) -> Stored | None:
    """A finished result of the same key, in this run or in one beside it, from where it is copied."""
    found = _stored([folder, *others], state.claim, state.key, say, trusted=folder)
    if found is None:
        return None
    where, stored = found
    if where != folder:
        write_claim(folder, state.key, stored.result, stored.rows)
    return stored


def _stored(
    folders: Sequence[Path], claim: Claim, key: str, say: Notify, trusted: Path | None = None
) -> tuple[Path, Stored] | None:
    """The first of these runs that holds a finished result of this key from a run of this user's own.

    What is broken is named. Where no seal can be made, only the folder `trusted` is believed, without one.
    """
    for folder in folders:
        try:
            stored = read_claim(folder, claim.id, key)
        except ValueError as error:
            say(f"{error}; recomputed", None)
            continue
        # A crash is not a result: it is tried again.
        if stored is None or stored.result.error is not None:
            continue
        if stored.own or (folder == trusted and not can_seal()):
            return folder, stored
        if folder == trusted:
            say(f"{claim.id} in {folder} was not computed by you here; recomputed", None)
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
        return on_cluster(scheduler, tasks, [str(place) for place in places], _libraries())
    if jobs == 1:
        return in_this_process(tasks)
    return in_local_workers(tasks, jobs, import_paths(roots_of(*places)))


def _conclude(claim: Claim, outcomes: Sequence[Outcome], work: Work) -> tuple[ClaimResult, pd.DataFrame]:
    """Judge a claim whose cells are all in; a crash in a cell or in judge() is the result then."""
    import pandas as pd

    ordered = sorted(outcomes, key=lambda o: (o.cell.index, o.cell.chunk))
    error = next((o.error for o in ordered if o.error is not None), None)
    started = time.perf_counter()
    rows, evidence = pd.DataFrame(), ()
    if error is None:
        try:
            with one_thread():
                evidence, rows = conclude(claim, ordered, work)
        except Exception:
            error = traceback.format_exc()
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


def _compute_afresh(
    state: _Pending, settings: Settings, places: Sequence[Path], data: str | None
) -> tuple[ClaimResult, pd.DataFrame]:
    """A claim whose sources changed, computed in a new process that imports them as they are now.

    The state gets the digest and the key of the sources as they are now.
    """
    from joblib.externals.loky import ProcessPoolExecutor

    claim = state.claim
    assert claim.file is not None
    for _ in range(RETRIES):
        before = Sources(roots_of(*places))
        state.digest = before.digest(claim.module)
        work = work_of(claim, settings, before)
        with ProcessPoolExecutor(max_workers=1) as pool:
            paths = import_paths(before.roots)
            found = pool.submit(_afresh, claim.module, claim.file, claim.id, work, paths).result()
        if not before.changed(claim.module):
            state.key = _key(claim, state.digest, settings, data)
            return found
    raise ValueError(f"{claim.id}: its sources keep changing; repeat the run when they are settled")


def _afresh(
    module: str, file: Path, claim_id: str, work: Work, paths: Sequence[str]
) -> tuple[ClaimResult, pd.DataFrame]:
    import importlib
    import sys

    sys.path += [path for path in paths if path not in sys.path]
    paper = importlib.import_module(module.rpartition(".")[0]).PAPER
    claims = {c.id: c for c in claims_of(module, file, paper)}
    if claim_id not in claims:
        raise ValueError(f"{file} no longer holds {claim_id}")
    return evaluate(claims[claim_id], work)
