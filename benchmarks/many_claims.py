"""What listing, running and reporting cost as the number of claims grows: linear, or more?

    python -m benchmarks.many_claims [SIZE …]        default 50 150 450; a run takes 1,000 claims at most

Synthetic papers of fifty claims. Each claim has rows, a plot and a page with its notebook. Printed are
processor seconds of all processes, in all and for one claim.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
EACH = 50
"""Claims of one paper."""
PAPER = '''"""A synthetic paper."""
from claims import Adjacency, Paper

PAPER = Paper("{key}", reference="Nobody (2000), A title", adjacency=Adjacency.REPLACE)
'''
CLAIMS = '''"""Claims of nobody: the mean of draws of scale 1/n."""
from audits.judge import cells
from claims import CONSISTENT, Claim, Kind, Plot, grid, mean_equals

from . import PAPER


def _measure(point):
    return {{"trial": range(50), "error": point.rng.standard_normal(50) / point.n}}


def _judge(rows, budget):
    for point, part in cells(rows, ["n"]):
        yield mean_equals("mean", part["error"], 0.0, alpha=budget.share(0.25), point=point)


def _claim(k):
    return Claim(
        PAPER, f"Theorem {{k}}", "section 1", kind=Kind.BOUND, title="A demonstration",
        statement=r"$\\mathbb E\\,X_n = 0$.", expected=CONSISTENT, measure=_measure, judge=_judge,
        smoke=grid(n=(1, 2, 4, 8)), ci=grid(n=(1, 2, 4, 8)),
        plots=[Plot(kind="loglog", title="Error", x="n", y="error", x_label="n", y_label="error")],
    )


CLAIMS = [_claim(k) for k in range({count})]
'''


def write_papers(folder: Path, counts: Sequence[int], claims: str = CLAIMS) -> None:
    """Papers many0000, many0001, … below `folder`, with as many claims as `counts` says."""
    for k, count in enumerate(counts):
        paper = folder / f"many{k:04d}"
        paper.mkdir(parents=True)
        (paper / "__init__.py").write_text(PAPER.format(key=paper.name), encoding="utf-8")
        (paper / "theorems.py").write_text(claims.format(count=count), encoding="utf-8")


def dpclaims(place: Path, *arguments: str) -> tuple[subprocess.CompletedProcess[str], float]:
    """The finished command in the folder `place`, and its processor seconds with those of its workers."""
    environment = os.environ | {"PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(place / "cache")}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-m", "dpclaims", *arguments], capture_output=True, text=True, env=environment,
        cwd=place, check=False,
    )  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def seconds(place: Path, *arguments: str) -> float:
    """Processor seconds that a dpclaims command takes; RuntimeError where it fails."""
    done, spent = dpclaims(place, *arguments)
    if done.returncode:
        raise RuntimeError(
            f"dpclaims {' '.join(arguments)} ended with {done.returncode}: {done.stderr[-500:]}"
        )
    return spent


def measured(size: int) -> dict[str, float]:
    """Processor seconds of list, run and report for `size` claims."""
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        write_papers(place / "papers", [min(EACH, size - k) for k in range(0, size, EACH)])
        papers = ("--claims", "papers")
        return {
            "list, first": seconds(place, "list", *papers),
            "list": seconds(place, "list", *papers),
            "run": seconds(place, "run", "many*", "--tier", "smoke", "--out", "run", *papers),
            "report": seconds(place, "report", "--run", "run", "--out", "site", *papers),
        }


def main(arguments: Sequence[str]) -> int:
    """Print a line a size and command."""
    for size in [int(text) for text in arguments] or [50, 150, 450]:
        for command, spent in measured(size).items():
            print(
                f"{size:5d} claims  {command:12s} {spent:8.2f} s  {spent / size:7.4f} s a claim", flush=True
            )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
