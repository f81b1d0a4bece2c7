"""One case: environment, worker, audit, and the line of the table that comes of it."""

from __future__ import annotations

import os
import resource
from pathlib import Path
from typing import Any

from audits import audit_privacy, remote
from audits.environments import environment
from benchmarks.wild.case import Case, commit

ALPHA = 1e-4
SEEDS = (0, 1)
"""The second is for a case whose premises fail at the first, as those of one in a thousand do by chance.
The premises are tested before the first bet, on outputs of their own, so that this costs nothing of α."""
TIMEOUT = 300.0
"""Seconds that a worker may take for one answer; the first imports the library."""


def run_case(case: Case, *, envs: Path | None = None, jobs: int = 1) -> dict[str, Any]:
    """The result of a case as a row; where it could not be audited, the row says why."""
    row: dict[str, Any] = case.described() | {"digest": case.digest(), "commit": commit()}
    try:
        python = environment(case.packages, python=case.python, dependencies=case.dependencies, folder=envs)
    except ValueError as error:
        return row | {"verdict": "not installed", "failed": str(error)}
    try:
        return row | _audited(case, python, jobs)
    except ValueError as error:
        return row | {"verdict": "not audited", "failed": str(error)}


def _audited(case: Case, python: Path, jobs: int) -> dict[str, Any]:
    before = cpu_seconds()
    mechanism = remote(python, case.file, case.function, timeout=TIMEOUT)
    try:
        if mechanism.pairs is None:
            raise ValueError(f"{case.file.name}: no pairs for {case.function}")
        for seed in SEEDS:
            result = audit_privacy(
                mechanism,
                mechanism.pairs,
                epsilon=case.epsilon,
                delta=case.delta,
                adjacency=mechanism.adjacency if case.adjacency == "own" else case.adjacency,
                alpha=ALPHA,
                seed=seed,
                max_samples=case.max_samples,
                time_limit=case.time_limit,
                errors=case.errors,
                jobs=jobs,
            )
            if not result.premise:
                break
    finally:
        mechanism.close()
    found, bits = result.to_dict(), result.footprints
    if case.footprints and bits is not None and bits.epsilon_lower > case.epsilon:
        found |= {"verdict": "refuted", "epsilon_lower": bits.epsilon_lower, "event": bits.event}
    keep = (
        "verdict",
        "epsilon_lower",
        "epsilon_estimate",
        "samples",
        "seconds",
        "pair",
        "direction",
        "event",
        "simplest",
    )
    return {name: found[name] for name in keep} | {
        "resolution": found["resolution"]["epsilon"],
        "cpu_seconds": cpu_seconds() - before,
        "seed": result.seed,
        "replayable": result.replayable,
        "note": result.note,
        "versions": {
            "python": mechanism.python_version,
            "numpy": mechanism.libraries.get("numpy", ""),
        },
    }


def cpu_seconds() -> float:
    """Processor time of this process and of the workers that have ended."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return sum(os.times()[:2]) + ended.ru_utime + ended.ru_stime
