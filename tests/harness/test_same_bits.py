"""Every claim at the tier smoke: the same bits whatever computes it, and in whatever order sets are read.

The first way is that of `dpclaims run --tier smoke -j 2`: what it has stored below reports/runs is taken, if
it comes from these very sources, and computed where it is missing. `make bits` takes more ways.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from claims.harness.discover import load
from claims.harness.places import RUNS
from claims.harness.run.store import claim_folder

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
import sys
from claims.harness.run.runner import run

how, out, *ids = sys.argv[1:]
options = {"jobs": 2} if how == "jobs" else {}
if how == "dask":
    from distributed import LocalCluster

    if __name__ == "__main__":
        with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
            run(*ids, tier="smoke", out=out, scheduler=cluster.scheduler_address, cache=False)
elif __name__ == "__main__":
    run(*ids, tier="smoke", out=out, cache=False, **options)
"""
ONE, TWO = ({"OMP_NUM_THREADS": n, "OPENBLAS_NUM_THREADS": n, "MKL_NUM_THREADS": n} for n in "12")
# They differ in all ways at once, so that two runs find what eight would.
FIRST = ("jobs", {"PYTHONHASHSEED": "2"} | TWO)
WAYS = {"one process, one thread, hash seed 1": ("one", {"PYTHONHASHSEED": "1"} | ONE)}
if os.environ.get("DPCLAIMS_BITS") == "all":
    WAYS |= {
        "two threads": ("one", {"PYTHONHASHSEED": "1"} | TWO),
        "a Dask cluster, hash seed 3": ("dask", {"PYTHONHASHSEED": "3"} | ONE),
    }
BY_PAPER: dict[str, list[str]] = {}
for claim in load():
    BY_PAPER.setdefault(claim.paper.key, []).append(claim.id)


@pytest.mark.slow
@pytest.mark.parametrize("paper", BY_PAPER)
def test_claims_have_the_same_bits_whatever_computes_them(paper, tmp_path):
    different: list[str] = []
    for number, (way, how) in enumerate(WAYS.items()):
        folder = tmp_path / str(number) / "run"  # apart, so that none finds the results of another
        computed(BY_PAPER[paper], how, folder)
        stored = {i: same_sources(folder, i) for i in BY_PAPER[paper]}
        missing = [i for i, first in stored.items() if first is None]
        computed(missing, FIRST, tmp_path / "first" / "run")
        for i, first in stored.items():
            first = first or claim_folder(tmp_path / "first" / "run", i)
            other = claim_folder(folder, i)
            different += [
                f"{i}: {name} by {way}"
                for name in ("rows.parquet", "result.json")
                if (first / name).read_bytes() != (other / name).read_bytes()
            ]
    assert different == []


def computed(ids: list[str], way: tuple[str, dict[str, str]], out: Path) -> None:
    """The claims, computed in that way in a process of its own, into the run folder `out`."""
    if not ids or out.exists():
        return
    how, variables = way
    out.parent.mkdir()
    script = out.parent / "program.py"
    script.write_text(PROGRAM)
    done = subprocess.run(
        [sys.executable, str(script), how, str(out), *ids],
        capture_output=True, text=True, env=os.environ | {"PYTHONPATH": str(ROOT)} | variables,
        cwd=out.parent, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]


def same_sources(folder: Path, claim_id: str) -> Path | None:
    """The folder below reports/runs that holds this claim by the key that it has in run `folder`, if any."""

    def key(run: Path) -> str | None:
        manifest = claim_folder(run, claim_id) / "manifest.json"
        return json.loads(manifest.read_text())["key"] if manifest.is_file() else None

    runs = [run for run in sorted((ROOT / RUNS).glob("*")) if key(run) == key(folder)]
    return claim_folder(runs[0], claim_id) if runs else None
