"""A Dask cluster: only workers with the same sources and libraries compute; every end has its sentence."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from claims.harness.run import cluster, runner
from claims.harness.run.runner import Settings, run_claims
from claims.harness.run.store import claim_folder, read_claim, read_run
from tests.harness.synthetic import claim, measure_mean

distributed = pytest.importorskip("distributed", reason="needs the cluster extra")
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # Dask warns of its own future
ROOT = Path(__file__).resolve().parents[2]
RESULT = "song2021/lemma-b.2"


@contextmanager
def _process(*arguments: str, path: Path = ROOT) -> Iterator[subprocess.Popen]:
    """A command of Dask with the sources below `path`."""
    program = [sys.executable, "-m", *arguments, "--no-dashboard"]
    environment = os.environ | {"PYTHONPATH": str(path)}
    process = subprocess.Popen(program, env=environment, cwd=path, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@contextmanager
def _cluster(
    folder: Path, *, workers: int = 1, path: Path = ROOT
) -> Iterator[tuple[str, list[subprocess.Popen]]]:
    """Scheduler and workers of one thread as processes; yields the address, and the processes."""
    file = folder / "scheduler.json"
    one = ["--scheduler-file", str(file), "--nthreads", "1", "--no-nanny", "--local-directory", str(folder)]
    here = ["--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(file)]
    with ExitStack() as stack:
        started = [stack.enter_context(_process("distributed.cli.dask_scheduler", *here))]
        for _ in range(workers):
            started.append(stack.enter_context(_process("distributed.cli.dask_worker", *one, path=path)))
        with distributed.Client(scheduler_file=str(file), timeout="60s", set_as_default=False) as client:
            client.wait_for_workers(workers, timeout=60)
            address = str(client.scheduler.address)
        yield address, started


def _copy(folder: Path) -> Path:
    """The three packages and the tests' claims, to be changed."""
    for name in ("claims", "audits", "implementations"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def test_a_worker_with_another_line_in_a_claim_stores_nothing(tmp_path, dpclaims, monkeypatch):
    monkeypatch.chdir(tmp_path)
    other = _copy(tmp_path / "other")
    file = other / "claims" / "song2021" / "lemma_b_2.py"
    file.write_text(file.read_text() + "\nONE_LINE = 1\n")
    with _cluster(tmp_path, path=other) as (address, _):
        status, _, err = dpclaims("run", RESULT, "--tier", "smoke", "--scheduler", address, "--out", "run")
    assert status == 2
    assert "has other sources of claims.song2021.lemma_b_2" in err
    assert "Traceback" not in err
    assert not list((tmp_path / "run" / "claims").iterdir())


def test_a_worker_with_the_same_sources_elsewhere_and_one_thread_is_used(tmp_path, dpclaims, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with _cluster(tmp_path, path=_copy(tmp_path / "same")) as (address, _):
        monkeypatch.setattr(runner, "in_this_process", None)
        status, _, err = dpclaims(
            "run", RESULT, "--tier", "smoke", "--scheduler", address, "--out", "far/run"
        )
        assert status == 0, err
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    assert dpclaims("run", RESULT, "--tier", "smoke", "--out", "near/run")[0] == 0
    for name in ("rows.parquet", "result.json"):
        far, near = (claim_folder(Path(where) / "run", RESULT) / name for where in ("far", "near"))
        assert far.read_bytes() == near.read_bytes()


def _slow(point):
    time.sleep(0.5)
    return measure_mean(point)


def test_a_scheduler_that_dies_is_said_and_finished_claims_are_kept(tmp_path, capfd):
    points = [{"n": k} for k in range(40)]
    claims = [claim("theorem-1"), claim("theorem-2", measure=_slow, points=points, chunk=50)]
    with _cluster(tmp_path, workers=2) as (address, processes):

        def kill(event, result):
            if event == "claim":
                processes[0].send_signal(signal.SIGKILL)

        started = time.monotonic()
        with pytest.raises(ChildProcessError, match="is gone"):
            run_claims(claims, Settings(tier="smoke"), out=tmp_path / "run", scheduler=address, notify=kill)
    assert time.monotonic() - started < 90
    assert read_claim(tmp_path / "run", "demo/theorem-1") is not None
    assert "Traceback" not in capfd.readouterr().err


def test_other_libraries_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(cluster, "versions", lambda: {"numpy": "0.1", "scipy": "0.1", "scikit-learn": "0.1"})
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None, protocol="tcp"
        ) as here,
        pytest.raises(ValueError, match=r"has numpy 0\.1, this process has"),
    ):
        run_claims([claim()], Settings(tier="smoke"), out=tmp_path / "run", scheduler=here.scheduler_address)
    with pytest.raises(ValueError, match="not finished"):
        read_run(tmp_path / "run")
