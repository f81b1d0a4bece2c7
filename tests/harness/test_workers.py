"""Two runs at once, and a Dask cluster: the same bits as one process alone."""

from __future__ import annotations

import threading

import pytest

from claims.harness.run.runner import Settings, run_claims
from claims.harness.run.store import claim_folder, read_run
from tests.harness.synthetic import claim


def _claims():
    return [claim(f"theorem-{k}", points=[{"n": j} for j in range(3)]) for k in range(3)]


def _run(folder, **options):
    return run_claims(_claims(), Settings(tier="smoke"), out=folder, **options)


def _rows(folder):
    return [(claim_folder(folder, c.id) / "rows.parquet").read_bytes() for c in _claims()]


def test_two_runs_at_once_leave_one_whole_run(tmp_path):
    threads = [threading.Thread(target=_run, args=(tmp_path / "both",)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    _run(tmp_path / "alone" / "run")
    assert all(c.ok for c in read_run(tmp_path / "both").claims)
    assert _rows(tmp_path / "both") == _rows(tmp_path / "alone" / "run")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # Dask and tornado warn of their own future
def test_a_dask_cluster_gives_the_same_bits(tmp_path):
    distributed = pytest.importorskip("distributed", reason="needs the cluster extra")
    _run(tmp_path / "alone" / "run")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None
    ) as cluster:
        _run(tmp_path / "cluster" / "run", scheduler=cluster.scheduler_address)
    assert _rows(tmp_path / "alone" / "run") == _rows(tmp_path / "cluster" / "run")


def test_a_scheduler_that_does_not_answer_is_named(tmp_path):
    pytest.importorskip("distributed", reason="needs the cluster extra")
    with pytest.raises(ValueError, match="does not answer"):
        _run(tmp_path / "run", scheduler="nonsense://nowhere")
    _run(tmp_path / "run")  # also where everything is stored already
    with pytest.raises(ValueError, match="does not answer"):
        _run(tmp_path / "run", scheduler="nonsense://nowhere")
