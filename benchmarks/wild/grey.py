"""The grey box on the cases: `python -m benchmarks.wild.grey [PATTERN…] [--envs DIR]`.

Each case is traced in the environment of its release, as `dpclaims trace` does it, and `grey.json` keeps
what was found, beside the verdict of the black box in `table.json`. A case whose release cannot be installed
is said so.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import numpy as np

from audits import remote
from audits.environments import environment
from audits.trace import TraceResult, trace_privacy
from audits.trace.result import short
from benchmarks.wild.case import Case, all_cases, commit
from benchmarks.wild.run import TIMEOUT, cpu_seconds
from benchmarks.wild.table import HOME, greys


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.wild.grey", description=__doc__)
    parser.add_argument("pattern", nargs="*", help="ids or globs, e.g. 'diffprivlib==0.6.6/*'")
    parser.add_argument("--envs", type=Path, help="where environments are kept (default: a cache folder)")
    options = parser.parse_args()
    rows = greys()
    for case in all_cases():
        if options.pattern and not any(fnmatch(case.id, p) for p in options.pattern):
            continue
        rows[case.id] = traced(case, options.envs)
        print(line(rows[case.id]), flush=True)
        save(rows)
    return 0


def traced(case: Case, envs: Path | None = None) -> dict[str, Any]:
    """What the grey box says of a case, as a row."""
    row: dict[str, Any] = {"id": case.id, "digest": case.digest(), "commit": commit()}
    try:
        python = environment(case.packages, python=case.python, dependencies=case.dependencies, folder=envs)
        alone = _alone(python, case)
        before = cpu_seconds()
        program: Any = remote(python, case.file, case.function, timeout=TIMEOUT)
        try:
            result = trace_privacy(
                program,
                program.pairs,
                epsilon=case.epsilon,
                delta=case.delta,
                adjacency=program.adjacency if case.adjacency == "own" else case.adjacency,
                primitives=case.primitives,
            )
        finally:
            program.close()
    except Exception as error:  # whatever ends one trace, the other cases are traced
        return row | {"verdict": "not traced", "failed": f"{type(error).__name__}: {error}"}
    seconds = {"cpu_seconds": round(cpu_seconds() - before, 2), "library_seconds": round(alone, 2)}
    return row | _said(result) | seconds


def _alone(python: Path, case: Case) -> float:
    """Processor seconds in which the library is loaded and runs once on D and once on D′, without a trace."""
    before = cpu_seconds()
    program: Any = remote(python, case.file, case.function, timeout=TIMEOUT)
    rng = np.random.default_rng(0)
    try:
        for data in next(iter(program.pairs(rng))):
            program(data, 1, rng)
    except Exception:
        pass  # the trace says what the program raises, under its own name
    finally:
        program.close()
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


def line(row: Mapping[str, Any]) -> str:
    """A row for a terminal."""
    if row.get("failed"):
        return f"{row['verdict']:15} {row['id']}: {row['failed']}"
    total = row["epsilon_ledger"]
    cost = "unknown" if total is None else f"{total:.4g}"
    return (
        f"{row['verdict']:15} {row['id']}: {row['at']} ledger {cost}, {row['draws']} draws, "
        f"{row['lost']} lost, "
        f"{row['cpu_seconds']:.1f} CPU s ({row['library_seconds']:.1f} the library alone) {row['text'][:150]}"
    )


def save(rows: Mapping[str, Mapping[str, Any]]) -> None:
    """Write the rows of the cases that there are, in their order."""
    order = [case.id for case in all_cases()]
    found = [rows[name] for name in order if name in rows]
    (HOME / "grey.json").write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    raise SystemExit(main())
