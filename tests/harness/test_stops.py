"""How commands end that are not let to their end: by signals, a dead parent, a full disk."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import textwrap
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from audits.privacy.draw.processes import in_processes
from claims.harness.commands import main
from claims.harness.commands.published import claim_case
from claims.harness.commands.stopping import Signalled, signals_raise
from claims.harness.exchange import append_summary, write_junit
from claims.harness.mutation.forked import each_forked
from claims.harness.run import store
from claims.harness.run.runner import Settings, run_claims
from claims.harness.run.store import read_run
from tests.harness.synthetic import claim

ROOT = Path(__file__).resolve().parents[2]
linux = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


def _start(code: str, *arguments: str, **options) -> subprocess.Popen:
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), *arguments],
        env=environment, text=True, **(pipes | options),
    )  # fmt: skip


# ---------------------------------------------------------------- the death of the parent

PARENT = """
    import os, sys, time
    from pathlib import Path
    marks = Path(sys.argv[1])

    def stay(*arguments):
        (marks / str(os.getpid())).touch()
        time.sleep(120)

    {body}
"""
PARENTS = {
    "run -j 2": """
    from claims.harness.run.runner import Settings, run_claims
    from tests.harness.synthetic import claim
    made = [claim(f"theorem-{k}", measure=stay) for k in range(2)]
    run_claims(made, Settings(tier="smoke"), out=marks / "run", jobs=2)
    """,
    "mutants": """
    from claims.harness.mutation.forked import each_forked
    list(each_forked([1, 2], stay, jobs=2))
    """,
    "audit -j 2": """
    from audits.privacy.draw.processes import in_processes
    in_processes(stay, 2, 2)
    """,
}


@linux
@pytest.mark.slow
@pytest.mark.parametrize("name", PARENTS)
def test_workers_end_with_a_parent_that_is_killed(tmp_path, name):
    body = textwrap.dedent(PARENTS[name]).replace("\n", "\n    ")
    silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = _start(PARENT.format(body=body), str(tmp_path), **silent)
    deadline = time.monotonic() + 90
    while len(workers := [int(f.name) for f in tmp_path.iterdir() if f.name.isdigit()]) < 2:
        assert time.monotonic() < deadline
        assert process.poll() is None
        time.sleep(0.05)
    process.kill()
    process.wait()
    deadline = time.monotonic() + 10
    while any(_lives(pid) for pid in workers):
        assert time.monotonic() < deadline, "workers outlive their parent"
        time.sleep(0.05)


def _lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


# ---------------------------------------------------------------- signals


@contextmanager
def heeded(number: int):
    """What starts the tests may ignore a signal, as nohup or a job in the background does: here it counts."""
    outer = signal.signal(number, signal.SIG_DFL)
    try:
        yield signal.SIG_DFL
    finally:
        signal.signal(number, outer)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_a_signal_is_one_sentence_with_what_was_done_and_its_own_status(monkeypatch, capsys, number):
    def stopped(**options):
        try:
            os.kill(os.getpid(), number)
            time.sleep(5)
        except BaseException as stop:
            stop.add_note("3 of 7 bugs were tried, 2 caught")
            raise

    monkeypatch.setattr(main, "app", stopped)
    with heeded(number) as before:
        assert main.main() == 128 + number
        after = signal.getsignal(number)
    assert capsys.readouterr().err == (
        f"dpclaims: stopped by {signal.Signals(number).name}; 3 of 7 bugs were tried, 2 caught\n"
    )
    assert after == before


def test_what_is_ignored_stays_ignored():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with signals_raise():
            os.kill(os.getpid(), signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.mark.slow
def test_a_report_says_how_far_it_came(tmp_path):
    pytest.importorskip("papermill")
    run_claims([claim()], Settings(tier="smoke"), out=tmp_path / "run")
    program = "import dpclaims; dpclaims.main()"
    arguments = ("report", "--run", "run", "--out", "site")
    process = _start(program, *arguments, cwd=tmp_path, start_new_session=True)
    deadline = time.monotonic() + 120
    while not list(tmp_path.glob(".*-site")):  # its temporary folder is there
        assert time.monotonic() < deadline
        time.sleep(0.02)
    time.sleep(0.5)
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 128 + signal.SIGTERM
    assert "Traceback" not in err
    (last,) = [line for line in err.splitlines() if "stopped by SIGTERM" in line]
    assert "notebooks were executed, the report is as it was" in last
    assert not list(tmp_path.glob(".*-site*"))
    assert not (tmp_path / "site").exists()


def test_a_stop_in_a_cell_of_a_notebook_stops_its_report(tmp_path):
    pytest.importorskip("papermill")
    from nbformat.v4 import new_code_cell, new_notebook

    from claims.harness.report.notebooks import Job, execute

    cells = ["from claims.harness.commands.stopping import Signalled", "raise Signalled(15)"]
    notebook = new_notebook(cells=[new_code_cell(text, metadata={"tags": []}) for text in cells])
    notebook.metadata["papermill"] = {}
    job = Job(notebook="claim", path="stopped", parameters={})
    with pytest.raises(Signalled) as caught:
        list(execute([job], {"claim": notebook}, run=tmp_path, workers=1))
    assert caught.value.number == signal.SIGTERM


def test_a_stop_reaches_through_forked_work():
    def work(task, connection):
        connection.send(task)

    found = each_forked(range(4), work, jobs=2)
    next(found)
    with pytest.raises(Signalled):
        found.throw(Signalled(signal.SIGTERM))
    assert in_processes(lambda k: k * k, 3, 2) == [0, 1, 4]


# ---------------------------------------------------------------- a full disk


def _full(*arguments, **options):
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("place", ["write_synced", "_publish"])
def test_a_full_disk_leaves_nothing_half_written(tmp_path, monkeypatch, place):
    made = [claim("theorem-1"), claim("theorem-2")]
    run_claims(made[:1], Settings(tier="smoke"), out=tmp_path / "run")
    before = {f: f.read_bytes() for f in tmp_path.rglob("*") if f.is_file()}
    monkeypatch.setattr(store, place, _full)
    with pytest.raises(OSError, match="No space left"):
        run_claims(made, Settings(tier="smoke"), out=tmp_path / "run")
    monkeypatch.undo()
    left = {f: f.read_bytes() for f in tmp_path.rglob("*") if f.is_file() and f.name != "provenance.json"}
    assert left == {f: b for f, b in before.items() if f.name != "provenance.json"}
    assert not list(tmp_path.rglob(".*"))
    assert run_claims(made, Settings(tier="smoke"), out=tmp_path / "run")["demo/theorem-1"].cached
    assert len(read_run(tmp_path / "run").claims) == 2


def test_a_summary_that_cannot_be_written_leaves_the_file_as_it_was(tmp_path, monkeypatch):
    run = run_claims([claim()], Settings(tier="smoke"), out=tmp_path / "run")
    cases = [claim_case(found, "") for found in run.claims]
    file = tmp_path / "summary.md"
    file.write_text("before\n")
    monkeypatch.setattr(os, "fsync", _full)
    with pytest.raises(ValueError, match="No space left"):
        append_summary(file, "run", cases)
    with pytest.raises(ValueError, match="No space left"):
        write_junit(tmp_path / "junit.xml", "run", cases)
    assert file.read_text() == "before\n"
    assert {f.name for f in tmp_path.iterdir()} == {"run", "summary.md"}
