"""Programs, claims and outputs that end a command before its verdict: no status 0 or 1 without one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
COMMAND = [sys.executable, "-P", "-c", "import dpclaims; dpclaims.main()"]
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the command has no parent process here")


def _run(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """The command in `folder`, whose standard output is a pipe."""
    known = os.environ | {"PYTHONPATH": str(ROOT)} | environment
    return subprocess.run([*COMMAND, *arguments], cwd=folder, env=known, capture_output=True, timeout=120)


# ---------------------------------------------------------------- claims

PAPER = """
from claims import Adjacency, Paper
PAPER = Paper("bad2000", reference="Nobody (2000)", adjacency=Adjacency.REPLACE)
"""
CLAIM = '''
"""How it is checked."""
import os, signal, sys, threading, time
from os import _exit as really_leave
from bad2000 import PAPER
from claims import CONFIRMED, Claim, Kind, Tier, equals

class Own(BaseException):
    pass

def check(point):
    {line}
    yield equals("fact", 1.0, 1.0)

ONCE = Tier([{{"n": 1}}], trials=1)
CLAIM = Claim(PAPER, "Theorem {number}", "section 1", name={name!r}, kind=Kind.IDENTITY, title="Title",
              statement="It is so.", expected=CONFIRMED, smoke=ONCE, ci=ONCE, check=check)
'''
MISBEHAVING = {
    "exits": ("sys.exit(0)", "called exit(0)"),
    "leaves": ("os._exit(0)", "called exit(0)"),
    "own": ("raise Own('words')", "Own: words"),
    "generator": ("raise GeneratorExit('words')", "GeneratorExit: words"),
    "interrupt": ("raise KeyboardInterrupt('words')", "KeyboardInterrupt: words"),
    "large": ("raise ValueError('\\x1b[31m' + 'x' * 10**7)", "ValueError: \\u001b[31mxxx"),
    "good": ("threading.Thread(target=time.sleep, args=(1e6,)).start()", "CONFIRMED"),
}


def _paper(folder: Path, lines: dict[str, str]) -> None:
    paper = folder / "papers" / "bad2000"
    paper.mkdir(parents=True)
    (paper / "__init__.py").write_text(PAPER)
    for number, (name, line) in enumerate(lines.items(), 1):
        (paper / f"{name}.py").write_text(CLAIM.format(line=line, name=name, number=number).lstrip())


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_claim_that_ends_its_process_has_crashed_and_all_others_run(tmp_path, jobs):
    _paper(tmp_path, {name: line for name, (line, _) in MISBEHAVING.items()})
    began = time.monotonic()
    done = _run(tmp_path, "run", "bad2000/*", "--claims", "papers", "--tier", "smoke", "-j", jobs)
    out, err = done.stdout.decode(), done.stderr.decode()
    assert done.returncode == 4, err
    for name, (_, words) in MISBEHAVING.items():
        (line,) = [line for line in out.splitlines() if f"bad2000/{name} " in line]
        assert words in line
    assert len(list((tmp_path / "reports").rglob("result.json"))) == len(MISBEHAVING)
    assert len(out) + len(err) < 10_000
    assert "\x1b" not in out + err
    assert time.monotonic() - began < 60  # the thread of "good" sleeps for days


def test_check_says_of_such_a_claim_that_it_crashed(tmp_path):
    _paper(tmp_path, {name: MISBEHAVING[name][0] for name in ("exits", "own", "interrupt")})
    done = _run(tmp_path, "check", "papers")
    assert done.returncode == 1, done.stderr
    assert done.stdout.decode().count("crashed") == 3


# ---------------------------------------------------------------- programs

NOISY = "return sum(data) + rng.laplace(scale=0.1, size=size)"
PROGRAM = """
import atexit, os, sys, threading, time
from os import _exit as really_leave
import numpy as np
{top}
epsilon, adjacency, pairs = 1.0, "replace", [((0.0, 1.0), (0.0, 0.0))]
def mechanism(data, size, rng):
    {line}
    return sum(data) + rng.laplace(scale=0.1, size=size)
"""
REFUTED, ENDED = "epsilon-lower", "ended"
PROGRAMS = [  # name, command, top of the module, first line of the mechanism, status, words
    ("import leaves", "audit", "os._exit(0)", "", 2, "called exit(0)"),
    ("import leaves", "trace", "os._exit(0)", "", 2, "called exit(0)"),
    ("import really leaves", "audit", "really_leave(0)", "", 4, "before there was a verdict"),
    ("a call leaves", "audit", "", "os._exit(0)", 2, "called exit(0)"),
    ("a call really leaves", "audit", "", "really_leave(1)", 4, "before there was a verdict"),
    ("a call really leaves", "trace", "", "really_leave(0)", 4, "before there was a verdict"),
    ("another program", "audit", "", "os.execv('/bin/true', ['true'])", 4, "before there was a verdict"),
    ("killed", "audit", "", "os.kill(os.getpid(), 9)", 128 + 9, "killed by SIGKILL before there was"),
    ("leaves at the end", "audit", "atexit.register(really_leave, 0)", "", 1, "REFUTED"),
    ("a thread", "audit", "threading.Thread(target=time.sleep, args=(1e6,)).start()", "", 1, "left behind"),
    ("a thread", "trace", "", "threading.Thread(target=time.sleep, args=(1e6,)).start()", 1, "left behind"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("command", "top", "line", "status", "words"), [case[1:] for case in PROGRAMS], ids=[f"{c[1]}: {c[0]}" for c in PROGRAMS]
)  # fmt: skip
def test_a_program_that_ends_the_command_gives_no_verdict(tmp_path, command, top, line, status, words):
    (tmp_path / "program.py").write_text(PROGRAM.format(top=top, line=line or "pass"))
    limits = {"audit": ["--max-samples", "2000"], "trace": []}[command]
    done = _run(tmp_path, command, "program.py", *limits)
    said = (done.stdout + done.stderr).decode()
    assert done.returncode == status, said
    assert words in said
    assert "Traceback" not in said
    assert len(said) < 5_000
