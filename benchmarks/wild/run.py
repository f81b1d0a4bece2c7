"""One case: its environment, the black box or the grey box on it, and the row that comes of it."""

from __future__ import annotations

import os
import resource
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from audits import audit_privacy, remote
from audits.environments import environment
from audits.trace import TraceResult, trace_privacy
from audits.trace.result import short
from benchmarks.wild.case import Case, commit

ALPHA = 1e-4
SEEDS = (0, 1)
"""The second is for a case whose premises fail at the first, as those of one in a thousand do by chance.
The premises are tested before the first bet, on outputs of their own, so that this costs nothing of α."""
TIMEOUT = 300.0
"""Seconds that a worker may take for one answer; the first imports the library."""
KEPT = (
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
"""What a row of the black box keeps of its result."""


def run_case(
    case: Case, box: Callable[[Case, Path], dict[str, Any]], envs: Path | None = None
) -> dict[str, Any]:
    """The result of a case as a row; where there is none, the row says why, and the other cases go on."""
    row: dict[str, Any] = {"id": case.id, "digest": case.digest(), "commit": commit()}
    wanted: dict[str, Any] = {"python": case.python, "dependencies": case.dependencies == "yes"}
    try:
        python = environment((case.library, *case.requirements), folder=envs, **wanted)
    except ValueError as error:
        return row | {"verdict": "not installed", "failed": str(error)}
    try:
        return row | box(case, python)
    except Exception as error:
        return row | {"verdict": "not audited", "failed": f"{type(error).__name__}: {error}"}


def program_of(case: Case, python: Path) -> Any:
    """The function of the case in its own Python, to be closed."""
    return closing(remote(python, case.file, case.function, timeout=TIMEOUT))


def claim_of(case: Case, program: Any) -> dict[str, Any]:
    """The claim of a case, as both boxes take it."""
    adjacency = program.adjacency if case.adjacency == "own" else case.adjacency
    return {"epsilon": case.epsilon, "delta": case.delta, "adjacency": adjacency}


def audited(case: Case, python: Path) -> dict[str, Any]:
    """What the black box says."""
    before = cpu_seconds()
    with program_of(case, python) as program:
        for seed in SEEDS:
            options = claim_of(case, program) | {"max_samples": case.max_samples, "time_limit": 900.0}
            result = audit_privacy(program, program.pairs, alpha=ALPHA, seed=seed, **options)
            if not result.premise:
                break
    found, bits = result.to_dict(), result.footprints
    if case.footprints and bits is not None and bits.epsilon_lower > case.epsilon:
        found |= {"verdict": "refuted", "epsilon_lower": bits.epsilon_lower, "event": bits.event}
    return {name: found[name] for name in KEPT} | {
        "resolution": found["resolution"]["epsilon"],
        "cpu_seconds": cpu_seconds() - before,
        "seed": result.seed,
        "replayable": result.replayable,
        "note": result.note,
        "versions": {"python": program.python_version, "numpy": program.libraries.get("numpy", "")},
    }


def traced(case: Case, python: Path) -> dict[str, Any]:
    """What the grey box says."""
    alone = _alone(case, python)
    before = cpu_seconds()
    with program_of(case, python) as program:
        claim = claim_of(case, program)
        result = trace_privacy(program, program.pairs, primitives=case.primitives, **claim)
    seconds = {"cpu_seconds": round(cpu_seconds() - before, 2), "library_seconds": round(alone, 2)}
    return _said(result) | seconds


def _alone(case: Case, python: Path) -> float:
    """Processor seconds in which the library is loaded and runs once on D and once on D′, without a trace."""
    before = cpu_seconds()
    rng = np.random.default_rng(0)
    with program_of(case, python) as program:
        try:
            for data in next(iter(program.pairs(rng))):
                program(data, 1, rng)
        except Exception:
            pass  # the trace says what the program raises, under its own name
    return cpu_seconds() - before


def _said(result: TraceResult) -> dict[str, Any]:
    if result.findings:
        first = result.findings[0]
        at, text = f"{short(first.file)}:{first.line}", first.text
    elif result.verdict == "ledger-exceeds" and result.ledger:
        at, text = f"{short(result.ledger[0].file)}:{result.ledger[0].line}", result.ledger[0].law
    else:
        at, text = "", result.lost[0].text if result.lost else ""
    total = result.epsilon_ledger
    return {
        "verdict": result.verdict,
        "at": at,
        "text": text,
        "cause": [
            {
                "at": f"{short(step['file'])}:{step['line']}",
                "role": step["role"],
                "text": step["text"].replace(step["file"], short(step["file"])),
            }
            for step in result.to_dict()["cause"]
        ],
        "epsilon_ledger": None if total is None or total == float("inf") else total,
        "draws": result.draws,
        "lost": len(result.lost),
    }


def cpu_seconds() -> float:
    """Processor time of this process and of the workers that have ended."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return sum(os.times()[:2]) + ended.ru_utime + ended.ru_stime
