"""Power, sharpness, false alarms and costs of `audits.audit_privacy`, one CSV and one table a subject.

    python -m benchmarks.measure sharpness --seeds 3          lower bounds against the best fixed event
    python -m benchmarks.measure mistakes --only svt          samples to refute, against the ideal number
    python -m benchmarks.measure seen                         what an audit promises to see, one leak a kind
    python -m benchmarks.measure alarms --seeds 50            true and tight claims that are called refuted
    python -m benchmarks.measure costs                        processor seconds and memory
    python -m benchmarks.measure --tables                     the tables of docs/benchmarks.md, from the CSVs

A line of a CSV is one audit: row, method, samples at most, seed, and what was found. What a CSV holds is not
measured again, so a run that was cut off goes on; delete lines to measure them anew. Seconds are
processor time of one core.
"""

from __future__ import annotations

import argparse
import math
import os
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

# One thread a process: before NumPy is imported.
os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")

import numpy as np
import pandas as pd

from audits.bounds import clopper_pearson
from audits.privacy import AuditResult, audit_privacy
from benchmarks.cases import Case, of_control
from benchmarks.reachable import ALPHA, ideal_samples, reachable
from implementations.controls import classical_rows, laplace_control

HERE = Path(__file__).resolve().parent
KEY = ["row", "method", "samples", "seed"]
METHODS = ("clopper-pearson", "sequential")
SHARP = {"clopper-pearson": 0.98, "sequential": 0.93}
"""Mean share of what is reachable that is asked for at 10⁶ samples."""
MOST, TIMES, LEAST = 4 * 10**6, 100, 20_000
"""An audit of a false claim gives up after `TIMES` the ideal number of samples, within these limits."""


@dataclass(frozen=True, slots=True)
class Job:
    """One audit: its key, the number that the figure is held against, and what runs it."""

    row: str
    method: str
    samples: int
    seed: int
    reference: float
    audit: Callable[[int], Any]

    @property
    def key(self) -> tuple[str, str, int, int]:
        """What tells lines of a CSV apart."""
        return self.row, self.method, self.samples, self.seed


def measure(jobs: Iterator[Job], path: Path) -> None:
    """Run each job that the CSV at `path` does not hold, and append its line as soon as it is known."""
    path.parent.mkdir(parents=True, exist_ok=True)
    done = set(read(path)[KEY].itertuples(index=False, name=None)) if path.exists() else set()
    for job in jobs:
        if job.key in done:
            continue
        start = time.process_time()
        found = job.audit(job.seed)
        if isinstance(found, AuditResult):
            told = {"verdict": found.verdict, "drawn": found.samples, "value": found.lower}
            found = told | {"seconds": round(time.process_time() - start, 3)}
        line = dict(zip(KEY, job.key, strict=True)) | {"reference": job.reference} | found
        frame = pd.DataFrame([line])
        print(frame.to_string(index=False, header=False), flush=True)
        frame.to_csv(path, mode="a", header=not path.exists(), index=False, float_format="%.6g")


def read(path: Path) -> pd.DataFrame:
    """The lines of a CSV."""
    return pd.read_csv(path, keep_default_na=False, dtype={"row": str, "method": str, "verdict": str})


def audit(case: Case, seed: int, **options: Any) -> AuditResult:
    """An audit of a case on its pairs."""
    settings: dict[str, Any] = {"claim": case.claim, "adjacency": case.adjacency, "errors": case.errors}
    settings |= {"alpha": ALPHA, "seed": seed, "simplest": False}
    return audit_privacy(case.mechanism, case.pairs, **(settings | options))


def at_most(ideal: float) -> int:
    """Samples at which an audit of a false claim gives up."""
    return int(np.clip(TIMES * ideal, LEAST, MOST))


def sharpness(seeds: int, only: str) -> Iterator[Job]:
    """Lower bounds of both methods on the twelve classical rows."""
    samples = 10**6
    for seed in range(seeds):
        for row in [of_control(row, row.pair) for row in classical_rows() if only in row.name]:
            best = reachable(row, samples)
            for method in METHODS:
                run = partial(audit, row, method=method, max_samples=samples, stop_early=False)
                yield Job(row.name, method, samples, seed, best, run)


def refuted(seeds: int, cases: Sequence[Case]) -> Iterator[Job]:
    """Samples that it takes to refute."""
    known = [(case, float(ideal_samples(case) or math.nan)) for case in cases]
    for seed in range(seeds):
        for case, ideal in known:
            most = at_most(ideal)
            yield Job(case.name, "sequential", most, seed, ideal, partial(audit, case, max_samples=most))


def mistakes(seeds: int, only: str) -> Iterator[Job]:
    """Published mistakes, too little noise, and mistakes of practitioners."""
    from benchmarks.mistakes import MISTAKES

    published = [row for row in classical_rows() if not row.private]
    noise = [laplace_control(1.0 - off) for off in (0.02, 0.05, 0.1, 0.2, 0.5)]
    cases = [*map(of_control, [*published, *noise]), *MISTAKES]
    return refuted(seeds, [case for case in cases if only in case.name])


def seen(seeds: int, only: str) -> Iterator[Job]:
    """What an audit promises to see: a leak of every kind, see `seen.py`."""
    from benchmarks.seen import LEAKS

    return refuted(seeds, [leak for leak in LEAKS if only in leak.name])


def alarms(seeds: int, only: str) -> Iterator[Job]:
    """True and tight claims: an audit that refutes one is a false alarm."""
    from benchmarks.null_cases import null_cases

    for seed in range(seeds):
        for case in [case for case in null_cases() if only in case.name]:
            for size in case.sizes:
                if seed % size.fewer == 0:
                    run = partial(audit, case, max_samples=size.samples, method=size.method)
                    yield Job(case.name, size.method, size.samples, seed, ALPHA, run)


def costs(seeds: int, only: str) -> Iterator[Job]:
    """Processor seconds of audits that do not stop early, and the memory of large outputs."""
    from benchmarks.costs import COSTS, LARGE, alone

    audit(COSTS[0][0], 0, max_samples=2000)  # The first audit pays for imports.
    for seed in range(seeds):
        for case, samples, asked in [cost for cost in COSTS if only in cost[0].name]:
            run = partial(audit, case, max_samples=samples, stop_early=False)
            yield Job(case.name, "sequential", samples, seed, asked, run)
        for large in [large for large in LARGE if only in large.name]:
            yield Job(large.name, "GiB", large.samples, seed, large.asked, partial(alone, large.name))


# --- Tables ------------------------------------------------------------------------------------------


def markdown(table: pd.DataFrame) -> str:
    """A table in Markdown, its index first."""
    lines = [[table.index.name or "", *map(str, table.columns)], ["---"] * (1 + len(table.columns))]
    lines += [[str(name), *map(str, row)] for name, row in zip(table.index, table.to_numpy(), strict=True)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def sharpness_table(lines: pd.DataFrame) -> str:
    """Mean, least and largest share of what is reachable, fixed size beside sequential."""
    lines = lines.assign(share=lines["value"] / lines["reference"])
    grouped = lines.groupby(["row", "method"], sort=False)
    cells = grouped["share"].agg(["mean", "min", "max"])
    text = cells.apply(lambda x: f"{x['mean']:.3f} ({x['min']:.3f} to {x['max']:.3f})", axis=1).unstack()
    first = lines.groupby("row", sort=False)
    table = pd.DataFrame({"samples": first["samples"].first().map("{:,}".format)})
    table["reachable ε"] = first["reference"].first().map("{:.3f}".format)
    table["fixed size"], table["sequential"] = text["clopper-pearson"], text["sequential"]
    met = sum(share >= SHARP[method] for (_, method), share in cells["mean"].items())
    asked = f"lines with the mean that is asked for: {met} of {len(cells)}"
    return f"seeds: {lines['seed'].nunique()}; {asked}.\n\n{markdown(table)}"


def refuted_table(lines: pd.DataFrame) -> str:
    """Median samples to refutation over the ideal number, the share of runs that refute, seconds."""
    never = lines["verdict"] != "refuted"
    lines = lines.assign(ratio=(lines["drawn"] / lines["reference"]).mask(never, np.inf), found=~never)
    rows = lines.groupby("row", sort=False)
    median = rows["ratio"].median()
    table = pd.DataFrame({"ideal samples": rows["reference"].first().map("{:,.0f}".format)})
    table["median / ideal"] = median.map(lambda x: f"{x:.1f}" if math.isfinite(x) else "never")
    table["refuted"] = rows["found"].mean().map("{:.0%}".format)
    table["median s"] = rows["seconds"].median().map("{:.2f}".format)
    most = int((rows["found"].mean() > 0.5).sum())
    told = (
        f"refuted in most runs: {most} of {len(table)}; median over rows: {median.median():.1f} × the ideal"
    )
    return f"seeds: {lines['seed'].nunique()}; {told} number.\n\n{markdown(table)}"


def alarms_table(lines: pd.DataFrame) -> str:
    """Audits, false alarms and the 95 % interval of their share, by method; then the rows above α."""
    lines = lines.assign(alarm=lines["verdict"] == "refuted")
    counts = lines.groupby("method", sort=False)["alarm"].agg(["size", "sum"])
    table = pd.DataFrame({"audits": counts["size"], "false alarms": counts["sum"]})
    table["share, 95 % interval"] = [_interval(k, n) for n, k in counts.to_numpy()]
    by_row = lines.groupby(["row", "method", "samples"], sort=False)["alarm"].agg(["size", "sum"])
    above = [
        key
        for key, (n, k) in zip(by_row.index, by_row.to_numpy(), strict=True)
        if clopper_pearson(k, n, 0.025)[0] > ALPHA
    ]
    told = f"lines whose interval lies above α = {ALPHA}: {len(above)} of {len(by_row)}"
    return f"{told}{''.join(f'; {key}' for key in above)}.\n\n{markdown(table)}"


def _interval(hits: int, audits: int) -> str:
    low, high = clopper_pearson(hits, audits, 0.025)
    return f"{hits / audits:.4f} [{low:.4f}, {high:.4f}]"


def costs_table(lines: pd.DataFrame) -> str:
    """Two tables of medians: processor seconds beside what is asked for, then memory of large outputs."""
    tables: list[str] = []
    for large, some in lines.groupby(lines["method"] == "GiB"):
        rows = some.groupby("row", sort=False)
        table = pd.DataFrame({"samples": rows["samples"].first().map("{:,}".format)})
        table["asked for, at most"] = (
            rows["reference"].first().map(("{:g} GiB" if large else "{:g} s").format)
        )
        if large:
            table["GiB"] = rows["value"].median().map("{:.2f}".format)
            table["verdict"] = rows["verdict"].first()
        table["seconds"] = rows["seconds"].median().map("{:.2f}".format)
        tables.append(markdown(table))
    return "\n".join(tables)


SUBJECTS: dict[str, tuple[Callable[[int, str], Iterator[Job]], Callable[[pd.DataFrame], str]]] = {
    "sharpness": (sharpness, sharpness_table),
    "mistakes": (mistakes, refuted_table),
    "seen": (seen, refuted_table),
    "alarms": (alarms, alarms_table),
    "costs": (costs, costs_table),
}


def fill(text: str, folder: Path = HERE) -> str:
    """The text with each table between `<!-- SUBJECT -->` and `<!-- end -->`, from the CSVs of a folder."""
    from benchmarks import peers

    tables: dict[str, Callable[[pd.DataFrame], str]] = {name: both[1] for name, both in SUBJECTS.items()}
    for subject, table in (tables | {"peers": peers.table}).items():
        path = folder / f"{subject}.csv"
        found = table(read(path)) if path.exists() else "Not measured.\n"
        pattern = rf"(<!-- {subject} -->\n).*?(<!-- end -->)"
        text = re.sub(pattern, lambda match, found=found: match[1] + found + match[2], text, flags=re.DOTALL)
    return text


def main(arguments: list[str] | None = None) -> int:
    """Measure one subject, or write the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("subject", nargs="?", choices=SUBJECTS)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", default="", help="rows whose name holds this text")
    parser.add_argument("--out", type=Path, default=HERE, help="folder of the CSV")
    parser.add_argument("--tables", action="store_true", help="write the tables of docs/benchmarks.md")
    asked = parser.parse_args(arguments)
    if asked.subject:
        jobs = SUBJECTS[asked.subject][0](asked.seeds, asked.only)
        path = asked.out / f"{asked.subject}.csv"
        measure(jobs, path)
        print(SUBJECTS[asked.subject][1](read(path)))
    if asked.tables:
        page = HERE.parent / "docs" / "benchmarks.md"
        page.write_text(fill(page.read_text(encoding="utf-8"), asked.out), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
