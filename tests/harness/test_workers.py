"""Two runs at once leave one whole run."""

from __future__ import annotations

import threading

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
