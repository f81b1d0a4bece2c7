"""Claims at the tier smoke: the same bits whatever computes them, and in whatever order sets are read.

One claim of each paper, kind and form; `make bits` takes every claim, and more ways to compute it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from claims.harness.discover import load
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
# The second differs from the first in all ways at once, so that two runs find what eight would.
WAYS = {
    "one process, one thread, hash seed 1": ("one", {"PYTHONHASHSEED": "1"} | ONE),
    "two processes, two threads, hash seed 2": ("jobs", {"PYTHONHASHSEED": "2"} | TWO),
}
ALL = os.environ.get("DPCLAIMS_BITS") == "all"
CLAIMS = load() if ALL else list({(c.paper.key, c.kind, c.check is None): c for c in load()}.values())
if ALL:
    WAYS |= {
        "two threads": ("one", {"PYTHONHASHSEED": "1"} | TWO),
        "a Dask cluster, hash seed 3": ("dask", {"PYTHONHASHSEED": "3"} | ONE),
    }


@pytest.mark.slow
def test_claims_have_the_same_bits_whatever_computes_them(tmp_path):
    script = tmp_path / "program.py"
    script.write_text(PROGRAM)
    for number, (how, variables) in enumerate(WAYS.values()):
        environment = os.environ | {"PYTHONPATH": str(ROOT)} | variables
        out = tmp_path / str(number) / "run"  # apart, so that none finds the results of another
        done = subprocess.run(
            [sys.executable, str(script), how, str(out), *(c.id for c in CLAIMS)],
            capture_output=True, text=True, env=environment, cwd=tmp_path, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr[-2000:]
    different = [
        f"{claim.id}: {name} by {way}"
        for claim in CLAIMS
        for number, way in enumerate(WAYS)
        for name in ("rows.parquet", "result.json")
        if _bytes(tmp_path / "0", claim.id, name) != _bytes(tmp_path / str(number), claim.id, name)
    ]
    assert different == []


def _bytes(folder: Path, claim_id: str, name: str) -> bytes:
    return (claim_folder(folder / "run", claim_id) / name).read_bytes()
