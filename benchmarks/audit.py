"""Calibration, power, sharpness, speed and memory of `audits.audit_privacy`, in one table.

    python benchmarks/audit.py [--scale quick|full] [--only SECTION …] [--case TEXT] [--method TEXT]
                               [--repeats N] [-j N] [--seed N] [--resume] [--out DIR] [--write-readme]

Sections: rows (lower bounds against the best that a fixed event could show), encodings (the same for
mechanisms as other tools write them), broken (samples to refute
published mistakes, against the ideal number), ladder (Laplace with too little noise), budget (how often
mistakes are refuted with few samples), speed (against drawing and counting in plain NumPy), memory (vectors
of 1,000 numbers), private (true claims at many samples), null (false alarms on tight private mechanisms, see
`null_cases.py`).

Lines are printed, and appended to DIR/audit.csv as they come. A section that is run again replaces its lines;
with `--resume` the lines of the same settings are kept and only those missing are run. Seconds are processor
time of one core; `-j` spreads the audits of `null` over processes, and changes no number but their seconds.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from dataclasses import replace
from pathlib import Path

if __name__ == "__main__":
    # Beside each other the scripts would hide packages of the same names.
    sys.path[0] = str(Path(__file__).resolve().parents[1])
    # One thread a process, also in those that are started: before NumPy is imported.
    os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")

from benchmarks import plots, tables
from benchmarks.sections import SCALES, SECTIONS, Scale, tasks

HERE = Path(__file__).resolve().parent


def run(
    sections: list[str],
    scale: Scale,
    path: Path,
    *,
    seed: int = 0,
    jobs: int = 1,
    resume: bool = False,
    case: str = "",
    method: str = "",
) -> list[tables.Line]:
    """Measure the sections, their cases whose name holds `case`, into the CSV at `path`; return its lines."""
    planned = {
        name: [t for t in tasks(name, scale, seed, jobs) if case in t.case and method in t.method]
        for name in sections
    }
    keys = {task.key for found in planned.values() for task in found}
    # Lines of other sections and cases stay; of these only the ones that this run would measure again.
    lines = [
        line
        for line in tables.read(path)
        if line.section not in sections
        or case not in line.case
        or method not in line.method
        or (resume and line.key in keys)
    ]
    done = {line.key for line in lines}
    tables.rewrite(path, lines)
    for name, found in planned.items():
        started = time.perf_counter()
        for task in found:
            if task.key in done:
                continue
            line = task.measure()
            print(line.text(), flush=True)
            tables.append(path, line)
            lines.append(line)
        print(f"{name}: {time.perf_counter() - started:.0f} s", file=sys.stderr, flush=True)
    return lines


def main(arguments: list[str] | None = None) -> int:
    """Run the sections, print their lines as they come, draw the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--scale", choices=list(SCALES), default="quick", help="how much is measured")
    parser.add_argument("--only", nargs="+", choices=SECTIONS, default=list(SECTIONS), metavar="SECTION")
    parser.add_argument("--case", default="", help="only cases whose name holds this text")
    parser.add_argument("--method", default="", help="only methods whose name holds this text")
    parser.add_argument("--repeats", type=int, help="null audits a line, in place of the scale's number")
    parser.add_argument("-j", "--jobs", type=int, default=1, help="processes for the null audits")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--resume", action="store_true", help="keep the lines of the same settings")
    parser.add_argument("--out", type=Path, default=HERE.parent / "reports" / "benchmarks")
    parser.add_argument(
        "--write-readme", action="store_true", help="run nothing: fill docs/benchmarks.md from OUT/audit.csv"
    )
    options = parser.parse_args(arguments)
    path = options.out / "audit.csv"
    if options.write_readme:
        lines = tables.read(path)
        tables.rewrite(HERE / "audit.csv", lines)
        tables.fill(HERE.parent / "docs" / "benchmarks.md", lines)
        plots.draw(lines, HERE)
        return 0
    scale = SCALES[options.scale]
    if options.repeats:
        scale = replace(scale, null=options.repeats)
    lines = run(
        options.only,
        scale,
        path,
        seed=options.seed,
        jobs=options.jobs,
        resume=options.resume,
        case=options.case,
        method=options.method,
    )
    plots.draw(lines, options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
