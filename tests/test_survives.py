"""Programs, claims and outputs that end a command before its verdict: no status 0 or 1 without one."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from dpclaims import command as dpclaims_command
from tests.harness.synthetic import claim_file, write_paper

ROOT = Path(__file__).resolve().parents[1]
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the commands are forked")


FORKS = """
import json, os, sys
import dpclaims, claims.harness.commands.main, audits.privacy, audits.trace
for line in iter(sys.stdin.readline, ""):
    folder, arguments = json.loads(line)
    if (child := os.fork()) == 0:
        os.chdir(folder)
        for number, name in enumerate((os.devnull, "out", "err")):
            os.dup2(os.open(name, os.O_RDWR | os.O_CREAT | os.O_TRUNC), number)
        sys.argv = ["dpclaims", *arguments]
        dpclaims.main()
        sys.exit()
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


@pytest.fixture(scope="module")
def run():
    """status, output, errors = run(folder, *arguments): the command as a process that begins and ends as any
    other, but is forked where all is imported: to import takes longer than most commands."""
    with subprocess.Popen(
        [sys.executable, "-P", "-c", FORKS], env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
    ) as forks:  # fmt: skip

        def call(folder: Path, *arguments: str) -> tuple[int, str, str]:
            forks.stdin.write(json.dumps([str(folder), arguments]) + "\n")
            status = int(forks.stdout.readline())
            return status, (folder / "out").read_text(), (folder / "err").read_text()

        yield call
        forks.stdin.close()


# ---------------------------------------------------------------- claims

MISBEHAVING = {
    "exits": ("sys.exit(0)", "called exit(0)"),
    "leaves": ("os._exit(0)", "called exit(0)"),
    "own": ("class Own(BaseException): pass\n    raise Own('words')", "Own: words"),
    "generator": ("raise GeneratorExit('words')", "GeneratorExit: words"),
    "interrupt": ("raise KeyboardInterrupt('words')", "KeyboardInterrupt: words"),
    "large": ("raise ValueError('\\x1b[31m' + 'x' * 10**7)", "ValueError: xxx"),
    "good": ("pass", "CONFIRMED"),
}


def _paper(folder: Path, lines: dict[str, str]) -> None:
    write_paper(
        folder / "papers", "bad2000", **{name: claim_file(name, line=line) for name, line in lines.items()}
    )


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_claim_that_ends_its_process_has_crashed_and_all_others_run(run, tmp_path, jobs):
    _paper(tmp_path, {name: line for name, (line, _) in MISBEHAVING.items()})
    status, out, err = run(tmp_path, "run", "bad2000/*", "--claims", "papers", "--tier", "smoke", "-j", jobs)
    assert status == 4, err
    for name, (_, words) in MISBEHAVING.items():
        (line,) = [line for line in out.splitlines() if f"bad2000/{name} " in line]
        assert words in line
    assert len(list((tmp_path / "reports").rglob("result.json"))) == len(MISBEHAVING)
    assert len(out) + len(err) < 10_000
    assert "\x1b" not in out + err


def test_check_says_of_such_a_claim_that_it_crashed(run, tmp_path):
    _paper(tmp_path, {name: MISBEHAVING[name][0] for name in ("exits", "own", "interrupt")})
    status, out, err = run(tmp_path, "check", "papers")
    assert status == 1, err
    assert out.count("crashed") == 3


def test_a_worker_that_is_killed_ends_the_run_and_what_is_finished_is_kept(run, tmp_path):
    _paper(tmp_path, {"good": "pass", "killed": "time.sleep(2.0); os.kill(os.getpid(), signal.SIGKILL)"})
    status, out, err = run(tmp_path, "run", "bad2000/*", "--claims", "papers", "--tier", "smoke", "-j", "2")
    assert status == 4, out + err
    assert "a worker died" in err
    assert "Traceback" not in err
    assert [file.parent.name for file in (tmp_path / "reports").rglob("result.json")] == ["bad2000__good"]


# ---------------------------------------------------------------- programs

PROGRAM = """
import os, sys, threading, time
import numpy as np
{top}
epsilon, adjacency, pairs = 1.0, "replace", [((0.0, 1.0), (0.0, 0.0))]
def mechanism(data, size, rng):
    {line}
    return sum(data) + rng.laplace(scale=0.1, size=size)
"""
PROGRAMS = [  # name, command, top of the module, first line of the mechanism, status, words
    ("import leaves", "audit", "os._exit(0)", "", 2, "called exit(0)"),
    ("import leaves", "trace", "os._exit(0)", "", 2, "called exit(0)"),
    ("a call leaves", "audit", "", "os._exit(0)", 2, "called exit(0)"),
    ("a thread", "audit", "threading.Thread(target=time.sleep, args=(1e6,)).start()", "", 1, ""),
    ("a thread", "trace", "", "threading.Thread(target=time.sleep, args=(1e6,)).start()", 1, ""),
    ("a call leaves", "trace", "", "os._exit(0)", 2, "ends with a call of os._exit(0)"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("command", "top", "line", "status", "words"),
    [case[1:] for case in PROGRAMS],
    ids=[f"{command}: {name}" for name, command, *_ in PROGRAMS],
)
def test_a_program_that_ends_the_command_gives_no_verdict(run, tmp_path, command, top, line, status, words):
    (tmp_path / "program.py").write_text(PROGRAM.format(top=top, line=line or "pass"))
    limits = {"audit": ["--max-samples", "2000"], "trace": []}[command]
    got, *texts = run(tmp_path, command, "program.py", *limits)
    said = "".join(texts)
    assert got == status, said
    assert words in said
    assert "Traceback" not in said
    assert len(said) < 5_000


# ---------------------------------------------------------------- stopped at any moment

FAILS = """
import os, signal
calls = []
epsilon, adjacency, pairs = 1.0, "replace", [((0.0, 1.0), (0.0, 0.0))]
def mechanism(data, size, rng):
    calls.append(size)
    if len(calls) == {call}:
        os.kill(os.getpid(), signal.{name})
    {line}
"""
ENDINGS = {
    "fails": "raise ValueError('did not converge')",
    "draws": "return sum(data) + rng.laplace(size=size)",
}


@pytest.mark.parametrize("call", [1, 2, 3, 5, 8, 13])
@pytest.mark.parametrize("ending", ENDINGS)
def test_an_audit_that_is_stopped_is_undecided(tmp_path, dpclaims, ending, call):
    """A mechanism that fails is called again, to see on which dataset it does: also there it is stopped."""
    name = ["SIGTERM", "SIGINT", "SIGHUP"][call % 3]
    (tmp_path / f"stops_{ending}.py").write_text(FAILS.format(call=call, name=name, line=ENDINGS[ending]))
    outer = {n: signal.signal(n, signal.SIG_DFL) for n in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)}
    try:
        status, out, err = dpclaims("audit", str(tmp_path / f"stops_{ending}.py"), "--max-samples", "10000")
    finally:
        for number, handler in outer.items():
            signal.signal(number, handler)
    assert status == 3, err
    assert f"Stopped by {name}." in out
    assert "Traceback" not in err


# ---------------------------------------------------------------- encodings


@pytest.mark.parametrize(("arguments", "status"), [(["list", "song2021/*"], 0), (["nothing"], 2)])
def test_no_encoding_changes_a_status(monkeypatch, arguments, status):
    pipe = io.BytesIO()
    monkeypatch.setattr(sys, "argv", ["dpclaims", *arguments])
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(pipe, encoding="ascii", errors="strict"))
    assert dpclaims_command() == status
    assert (len(pipe.getvalue()) > 0) == (status == 0)


# ---------------------------------------------------------------- modules that lie in the current folder

TRAPS = [
    "ast", "asyncio", "click", "csv", "email", "enum", "joblib", "json", "logging", "multiprocessing",
    "numpy", "pandas", "pickle", "queue", "random", "rich", "scipy", "select", "socket", "statsmodels",
    "string", "threading", "typer", "warnings",
]  # fmt: skip


LINES = [  # command line, status
    ("run bad2000/* --claims ../papers --tier smoke -j 2", 0),
    ("check ../papers -j 2", 1),
    ("audit ../program.py -j 2 --max-samples 5000", 1),
    ("trace ../program.py", 1),
    ("rates --csv ../table.csv --risk risk --axis n --claimed n=-1", 2),
    ("mutants nobody --claims ../papers", 2),
    ("compare reports/nowhere ../nowhere", 2),
    ("report --run reports/nowhere", 2),
    ("map ../program.py:mechanism --budget 1", 2),
    ("canaries ../table.csv --epsilon 1", 2),
]
ALL = """
import json, sys, dpclaims
for line, status in json.loads(sys.argv[1]):
    sys.argv = ["dpclaims", *line.split()]
    assert dpclaims.command() == status, line
"""


def test_modules_of_the_current_folder_are_not_imported(tmp_path):
    """One process for all commands, as each imports more than those before; workers are their own."""
    _paper(tmp_path, {"good": "pass", "fine": "pass"})
    (tmp_path / "program.py").write_text(PROGRAM.format(top="", line="pass"))
    (tmp_path / "table.csv").write_text("n,risk\n1,1.0\n2,0.5\n")
    here = tmp_path / "here"
    here.mkdir()
    for name in TRAPS:
        (here / f"{name}.py").write_text(f"open({str(tmp_path / 'trap')!r}, 'w').write({name!r})\n")
    known = os.environ | {"PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, "-P", "-c", ALL, json.dumps(LINES)], cwd=here, env=known, check=True)
    assert not (tmp_path / "trap").exists(), (tmp_path / "trap").read_text()
