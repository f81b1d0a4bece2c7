"""The runner: it owns the loop, the seeds, the workers, the cache and the error budget."""

from __future__ import annotations

import os
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from audits.evidence import Verdict, combine
from claims._claim import TIERS, Claim, Measure, Point
from claims._discover import discover, select
from claims._provenance import data_digest, machine, source_digest, versions
from claims._result import ClaimResult, RunResult, as_cached
from claims._seeds import generator
from claims._store import (
    Stored,
    prepare_folder,
    read_claim,
    result_key,
    write_claim,
    write_provenance,
)

if TYPE_CHECKING:
    import pandas as pd

ALPHA = 0.001
"""Default probability that a run calls any true claim refuted."""
RUNS = Path("reports") / "runs"
"""Where runs are kept unless --out names a folder, relative to the current folder."""

Report = Callable[[str, "ClaimResult | None"], None]


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """The smallest unit of work: one chunk of one grid point of one claim."""

    claim: str
    index: int
    chunk: int
    point: Point


@dataclass(slots=True)
class _Pending:
    """A claim whose cells are under way."""

    claim: Claim
    key: str
    cells: int
    tables: dict[tuple[int, int], dict[str, Any]] = field(default_factory=dict)
    seconds: float = 0.0
    error: str | None = None
    done: int = 0


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
    report: Report | None = None,
) -> RunResult:
    """Check the claims that match the patterns (all without one), and store the run.

    tier       "smoke", "ci" or "full": how much work.
    seed       master seed; same seed, same bits, whatever `jobs` and `scheduler`.
    alpha      the probability that the run calls any true claim of the catalogue refuted. Every claim may
               spend an equal share of it, whichever of them the patterns choose, so that the choice changes
               no result.
    jobs       worker processes, each with one BLAS thread.
    out        the run folder; by default below reports/runs, named after the parameters, so that the same
               call resumes a run that was stopped.
    cache      reuse finished results of the same sources and parameters.
    data       file or folder for the claims that read one; by default DPCLAIMS_DATA, else the stand-ins.
    scheduler  address of a Dask scheduler that runs the cells instead of local processes.
    report     called with (event, result): ("cell", None), ("claim", result), or (a warning, None).

    Raises ValueError for bad parameters and unreadable data before anything is computed, and where the
    sources change meanwhile; ChildProcessError where a worker dies. What is finished stays stored.
    """
    catalogue = discover()
    chosen = select(catalogue, patterns)
    if data is None:
        data = os.environ.get("DPCLAIMS_DATA") or None
    settings = Settings(tier=tier, seed=seed, alpha=alpha, data=None if data is None else Path(data))
    return run_claims(
        chosen,
        settings,
        share=alpha / len(catalogue),
        jobs=jobs,
        out=None if out is None else Path(out),
        cache=cache,
        scheduler=scheduler,
        report=report,
    )


def run_claims(
    claims: Sequence[Claim],
    settings: Settings,
    *,
    share: float,
    jobs: int = 1,
    out: Path | None = None,
    cache: bool = True,
    scheduler: str | None = None,
    report: Report | None = None,
) -> RunResult:
    """Check the given claims; `share` is what each of them may spend of the error budget."""
    if jobs < 1:
        raise ValueError(f"jobs must be ≥ 1, got {jobs}")
    say: Report = report or (lambda event, result: None)
    identity = _identity(claims, settings, share)
    folder = out or RUNS / _run_name(claims, settings, identity)
    prepare_folder(folder)
    provenance = _provenance(claims, settings, identity, share)
    write_provenance(folder, provenance)

    others = sorted(p.parent for p in folder.parent.glob("*/claims") if p.parent != folder)
    results: dict[str, ClaimResult] = {}
    pending: dict[str, _Pending] = {}
    for claim in claims:
        key = result_key(claim=claim.id, **_identity_of(claim, identity))
        stored = _lookup(folder, others, claim, key, say) if cache else None
        if stored is None:
            pending[claim.id] = _Pending(claim=claim, key=key, cells=count_cells([claim], settings.tier))
        else:
            results[claim.id] = as_cached(stored.result)
            say("claim", results[claim.id])

    cells = [c for p in pending.values() for c in _cells(p.claim, settings, share)]
    for cell, table, seconds, error in _execute(cells, pending, settings.seed, jobs, scheduler):
        state = pending[cell.claim]
        state.done += 1
        state.seconds += seconds
        state.error = state.error or error
        if table is not None:
            state.tables[cell.index, cell.chunk] = table
        say("cell", None)
        if state.done == state.cells:
            result, rows = _conclude(state, settings, share)
            _check_sources(identity)
            write_claim(folder, state.key, result, rows)
            results[cell.claim] = result
            say("claim", result)

    provenance["finished"] = _now()
    write_provenance(folder, provenance)
    return RunResult(
        folder=folder, provenance=provenance, claims=tuple(results[c.id] for c in claims if c.id in results)
    )


def _check_sources(identity: Mapping[str, Any]) -> None:
    """A result must not be stored under the digest of sources that did not compute it."""
    if source_digest() != identity["source"]:
        raise ValueError(
            "the sources changed while the run was under way; repeat it, what was finished is kept"
        )


def count_cells(claims: Sequence[Claim], tier: str) -> int:
    """How many cells a run of these claims has; the length of the progress bar."""
    return sum(len(c.tiers[tier].points) * len(c.tiers[tier].chunks()) for c in claims)


def _identity(claims: Sequence[Claim], settings: Settings, share: float) -> dict[str, Any]:
    """What every result of the run depends on: it goes into the keys of the store."""
    wants_data = [c for c in claims if c.check_data is not None]
    if settings.data is not None:
        for claim in wants_data:
            assert claim.check_data is not None
            claim.check_data(settings.data)
    return {
        "source": source_digest(),
        "versions": versions(),
        "tier": settings.tier,
        "seed": settings.seed,
        "share": share,
        "data": data_digest(settings.data) if wants_data else None,
    }


def _identity_of(claim: Claim, identity: Mapping[str, Any]) -> dict[str, Any]:
    """The same for one claim: a data file changes nothing for a claim that reads none."""
    return {**identity, "data": identity["data"] if claim.check_data is not None else None}


def _run_name(claims: Sequence[Claim], settings: Settings, identity: Mapping[str, Any]) -> str:
    digest = result_key(claims=[c.id for c in claims], **identity)[:10]
    return f"{settings.tier}-seed{settings.seed}-{digest}"


def _provenance(
    claims: Sequence[Claim], settings: Settings, identity: Mapping[str, Any], share: float
) -> dict[str, Any]:
    return {
        "claims": [c.id for c in claims],
        "tier": settings.tier,
        "seed": settings.seed,
        "alpha": settings.alpha,
        "alpha_per_claim": share,
        "source": identity["source"],
        "versions": identity["versions"],
        "machine": machine(),
        "data": None if settings.data is None else {"name": settings.data.name, "sha256": identity["data"]},
        "started": _now(),
        "finished": None,
    }


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _lookup(folder: Path, others: Sequence[Path], claim: Claim, key: str, say: Report) -> Stored | None:
    """A finished result of the same key, in this run or in one beside it; what is broken is named."""
    for run_folder in [folder, *others]:
        try:
            stored = read_claim(run_folder, claim.id, key)
        except ValueError as error:
            say(f"{error}; recomputed", None)
            continue
        # A crash is not a result: it is tried again.
        if stored is not None and stored.result.error is None:
            if run_folder != folder:
                write_claim(folder, key, stored.result, stored.rows)
            return stored
    return None


def _cells(claim: Claim, settings: Settings, share: float) -> Iterator[Cell]:
    tier = claim.tiers[settings.tier]
    data = settings.data if claim.check_data is not None else None
    for index, axes in enumerate(tier.points):
        for chunk, trials in enumerate(tier.chunks()):
            point = Point(axes=dict(axes), trials=trials, alpha=share, data=data)
            yield Cell(claim=claim.id, index=index, chunk=chunk, point=point)


Outcome = tuple[Cell, "dict[str, Any] | None", float, "str | None"]


def _execute(
    cells: Sequence[Cell],
    pending: Mapping[str, _Pending],
    seed: int,
    jobs: int,
    scheduler: str | None,
) -> Iterator[Outcome]:
    """Run the cells and yield their outcomes in whatever order they finish."""
    if jobs == 1 and scheduler is None:
        for cell in cells:
            yield measure_cell(pending[cell.claim].claim.measure, cell, seed)
        return
    import joblib
    from joblib.externals.loky.process_executor import BrokenProcessPool

    tasks = (joblib.delayed(measure_cell)(pending[c.claim].claim.measure, c, seed) for c in cells)
    with _backend(scheduler):
        # With Dask the cluster decides how many cells run at once.
        options: dict[str, Any] = {"n_jobs": jobs if scheduler is None else -1, "batch_size": 1}
        outcomes: Any = joblib.Parallel(return_as="generator_unordered", **options)(tasks)
        try:
            yield from outcomes
        except BrokenProcessPool as error:
            raise ChildProcessError("a worker died, killed or out of memory") from error


@contextmanager
def _backend(scheduler: str | None) -> Iterator[None]:
    import joblib

    if scheduler is None:
        with joblib.parallel_config(backend="loky", inner_max_num_threads=1):
            yield
        return
    try:
        from distributed import Client
    except ImportError as error:
        raise ValueError("--scheduler needs Dask: pip install 'dpclaims[cluster]'") from error
    try:
        client = Client(scheduler, timeout="10s")
    except (OSError, ValueError) as error:
        raise ValueError(f"--scheduler {scheduler!r} does not answer: {error}") from error
    with client, joblib.parallel_config(backend="dask"):
        yield


def measure_cell(measure: Measure, cell: Cell, seed: int) -> Outcome:
    """Measure one cell, with one BLAS thread; an exception becomes its traceback."""
    from threadpoolctl import threadpool_limits

    started = time.perf_counter()
    try:
        with threadpool_limits(1):
            rng = generator(seed, cell.claim, cell.point.axes, cell.chunk)
            table = _columns(cell, measure(cell.point, rng))
    except Exception:
        return cell, None, time.perf_counter() - started, traceback.format_exc()
    return cell, table, time.perf_counter() - started, None


def _columns(cell: Cell, measured: Mapping[str, Any]) -> dict[str, Any]:
    """The rows of a cell as equal-length columns: axes, chunk, trials, then what was measured."""
    import numpy as np

    taken = {*cell.point.axes, "chunk", "trials"} & set(measured)
    if taken:
        raise ValueError(f"{cell.claim}: measure() returns the columns {sorted(taken)}, which are axes")
    if not measured:
        raise ValueError(f"{cell.claim}: measure() returned no columns")
    values = {name: np.asarray(value) for name, value in measured.items()}
    lengths = {name: value.shape for name, value in values.items() if value.ndim}
    if len(set(lengths.values())) > 1 or any(value.ndim > 1 for value in values.values()):
        raise ValueError(f"{cell.claim}: measure() must return columns of one length, got {lengths}")
    size = next(iter(lengths.values()), (1,))[0]
    # A scalar beside arrays holds for all rows of the cell.
    columns = {name: value if value.ndim else np.repeat(value, size) for name, value in values.items()}
    for name, value in columns.items():
        if value.dtype.kind not in "biufU":
            raise ValueError(f"{cell.claim}: column {name!r} must hold numbers or strings, got {value.dtype}")
    fixed = {**cell.point.axes, "chunk": cell.chunk, "trials": cell.point.trials}
    return {name: np.repeat(value, size) for name, value in fixed.items()} | columns


def _conclude(state: _Pending, settings: Settings, share: float) -> tuple[ClaimResult, pd.DataFrame]:
    """Judge a claim whose cells are all in; a crash in a cell or in judge() is the result then."""
    import pandas as pd
    from threadpoolctl import threadpool_limits

    claim = state.claim
    rows = pd.DataFrame()
    evidence: tuple[Any, ...] = ()
    verdict: Verdict | None = None
    error = state.error
    started = time.perf_counter()
    if error is None:
        try:
            rows = pd.concat([pd.DataFrame(state.tables[k]) for k in sorted(state.tables)], ignore_index=True)
            with threadpool_limits(1):
                evidence = tuple(claim.judge(rows.copy(), share))
            _check_budget(claim, evidence, share)
            verdict = combine(evidence)
        except Exception:
            evidence, error = (), traceback.format_exc()
    resolutions = [e.resolution for e in evidence if e.resolution is not None]
    return ClaimResult(
        id=claim.id,
        kind=claim.kind.value,
        verdict=verdict,
        expected=claim.expected,
        evidence=evidence,
        resolution=max(resolutions, default=None),
        alpha_spent=float(sum(e.alpha_spent for e in evidence)),
        seconds=state.seconds + time.perf_counter() - started,
        error=error,
    ), rows


def _check_budget(claim: Claim, evidence: Sequence[Any], share: float) -> None:
    spent = sum(e.alpha_spent for e in evidence)
    if spent > share * (1 + 1e-9):
        raise ValueError(f"{claim.id}: judge() spent {spent:.3g} of an error budget of {share:.3g}")
