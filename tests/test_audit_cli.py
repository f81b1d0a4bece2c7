"""`dpclaims audit`: targets, exit statuses, JSON, and one clear sentence for every bad input."""

from __future__ import annotations

import json
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from claims.harness.commands.audit import audit_target
from claims.harness.exchange import Outputs

REPOSITORY = Path(__file__).resolve().parents[1]
HEADER = "import numpy as np\n"
MECHANISM = """
def mechanism(data, size, rng):
    return sum(data) + rng.laplace(scale=1.0, size=size)
"""
PAIRS = "pairs = [((0.0, 1.0), (0.0, 0.0))]\n"
ADJACENCY = "adjacency = 'replace'\n"
EPSILON = "epsilon = 1.0\n"
CLAIM = PAIRS + ADJACENCY + EPSILON
GOOD = HEADER + MECHANISM + CLAIM


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Writes a file of the folder that is the current one, and gives its path."""
    # Loading a file adds its folder to the path and itself to the modules, as `python file.py` would.
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.chdir(tmp_path)
    before = {*sys.modules}

    def writer(text: str, name: str = "noisy.py") -> str:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
        return str(tmp_path / name)

    yield writer
    for name in {*sys.modules} - before:
        if name.partition(".")[0] in ("noisy", "noise_of_mine", "mypack"):
            del sys.modules[name]


def body(*lines: str) -> str:
    """A file whose mechanism has these lines."""
    return HEADER + "def mechanism(data, size, rng):\n" + "".join(f"    {x}\n" for x in lines) + CLAIM


BARE = GOOD.replace(ADJACENCY, "")
NEIGHBOUR = """
from noise_of_mine import mechanism
def pairs(rng): yield (0.0, float(rng.random())), (0.0, 0.0)
"""
UNSEEDED = """
import numpy as np
from audits import each, unseeded
mechanism = unseeded(each(lambda data: sum(data) + np.random.default_rng().laplace()))
"""
ONE_OUTPUT = "def mechanism(data, rng): return sum(data) + rng.normal(scale=2.0)\n" + PAIRS + ADJACENCY
SHARED = body("return np.full(size, rng.laplace())")
FAILS = body("if data[1] and rng.random() < 0.5:", "    raise RuntimeError", "return rng.normal(size=size)")
FAILED = r"witness  output = raised RuntimeError: probability 0\."
MORE = ["missed", "lower bound", "event"]
PASSED = r"^NOT REFUTED.*no proof.*\n  would have caught  noise \d+ % too small, a value"
REFUTED = r"^REFUTED: ε ≥ \S+, claimed 0.5 \(δ = 0, conf.* 99.9998 %\).*  witness .*so ε ≥ .*  pair .*samples"
REPLAY = "replay.*--epsilon 0.5 --delta 0 --alpha 1e-06 --max-samples 1000000 --method seq"
PREMISE = "^UNDECIDED.*An assumption fails: the outputs of one call are not independent"
RUNS: list[tuple[str, dict[str, Any], int, str]] = [
    (GOOD, {}, 0, PASSED),
    (GOOD, {"verbose": True}, 0, "".join(rf"(?=.*\n  {label} )" for label in MORE)),
    (GOOD, {"epsilon": 0.5}, 1, REFUTED),
    (GOOD, {"epsilon": 0.5}, 1, REPLAY),
    (GOOD, {"max_samples": 200, "resolution": 1.01}, 3, "^UNDECIDED: 200 samples .* Give --max-samples 2000"),
    (NEIGHBOUR + ADJACENCY + EPSILON, {"max_samples": 2_000}, 0, "^NOT REFUTED"),
    (UNSEEDED + CLAIM, {"max_samples": 2_000}, 0, "no seed: it cannot be replayed"),
    (ONE_OUTPUT, {"epsilon": 2.0, "delta": 1e-3, "max_samples": 2_000}, 0, "^NOT REFUTED"),
    (ONE_OUTPUT, {"rho": 0.125, "max_samples": 2_000}, 0, "^NOT REFUTED: no violation of ρ = 0.125"),
    (ONE_OUTPUT, {"max_samples": 2_000}, 2, "^$"),
    (SHARED, {}, 3, PREMISE),
    # The option stands in for a missing adjacency.
    (BARE, {"adjacency": "replace", "max_samples": 300}, 0, "^NOT REFUTED"),
    # A failure on one dataset only is a leak, asked for or not.
    (FAILS, {"errors": "raise", "max_samples": 5_000}, 1, FAILED),
    (FAILS, {"errors": "symbol", "max_samples": 5_000}, 1, FAILED),
]


@pytest.mark.parametrize(("text", "options", "status", "said"), RUNS, ids=[str(run[1:]) for run in RUNS])
def test_what_an_audit_prints_and_its_status(text, options, status, said, write, capsys):
    # False alarm of each audit at α = 1e-6: 1e-6.
    write(HEADER + MECHANISM, "noise_of_mine.py")
    options = {"alpha": 1e-6, "max_samples": 50_000 if status == 0 else 1_000_000} | options
    assert audit_target(write(text), **options) == status
    out = capsys.readouterr().out
    assert re.search(said, out, re.DOTALL), out
    for label in () if "verbose" in options else MORE:
        assert not re.search(rf"^  {label} ", out, re.MULTILINE)


# --- Targets ----------------------------------------------------------------------------------------------

PACKAGE = """
import numpy as np, warnings
def mean(data, epsilon, bounds=(0, 1), rng=None):
    warnings.simplefilter("always")
    warnings.warn("privacy  leaks")
    return float(np.clip(data, *bounds).mean() + rng.laplace(scale=1 / (epsilon * len(data))))
def noisy_max(counts, epsilon, rng):
    return int(np.argmax(np.add(counts, rng.exponential(scale=2 / epsilon, size=len(counts)))))
def shifted(value: float, epsilon, rng, sensitivity=1):
    return value + rng.laplace(scale=sensitivity / epsilon)
async def later(data, epsilon): return 1.0
def several(data, epsilon): yield 1.0
def argmax(values, epsilon): return 1
def needs(data, epsilon, bounds, scale): return 1.0
def moved(data, epsilon): raise AttributeError("gone")
class Sums:
    def release(self, data, epsilon, rng):
        return float(np.clip(data, 0, 1).sum()) + rng.laplace(scale=1 / epsilon)
class Scaled:
    def __init__(self, scale): self.scale = scale
    def release(self, data, epsilon): return 1.0
class Model:
    def fit(self, X, y): return self
def make_noise(domain, scale): raise TypeError("no domain")
"""
THREE = {"adjacency": "replace", "set_options": ["bounds=0,1"], "schema": "n=3"}
GUESSED = r"\n  data guessed: `data` as 5 records in \[0, 1\]; for other data give --schema"
TARGETS: dict[str, tuple[dict[str, Any], str]] = {
    "mypack.core:mean": ({"adjacency": "replace"}, GUESSED),
    "mypack/core.py:mean": (THREE, r"D = \[\S+ \S+ \S+\]"),
    "mypack.core.noisy_max": ({"schema": "counts=3"}, r"under add \(.*all counts 1"),
    "mypack/core.py:shifted": ({"schema": "value=1", "set_options": ["sensitivity=1"]}, r"D′ = -?\d+\.0"),
    "mypack.core.Sums.release": ({"schema": "n=3"}, "Sums.release under add"),
    "mypack.sums": ({"epsilon": None, "adjacency": None}, "mypack.sums:mechanism"),
    "mypack.sums:noisy": (
        {"epsilon": None, "adjacency": None, "set_options": ["scale=2"]},
        "mypack.sums:noisy",
    ),
}


@pytest.fixture
def package(write):
    """A package with functions, and with a module that has pairs."""
    write("", "mypack/__init__.py")
    write(PACKAGE, "mypack/core.py")
    noisy = MECHANISM.replace("mechanism", "noisy").replace("rng)", "rng, scale)").replace("1.0", "scale")
    write(GOOD + noisy, "mypack/sums.py")


@pytest.mark.parametrize("target", TARGETS)
def test_functions_methods_and_modules_are_audited(target, package, capsys):
    options, said = TARGETS[target]
    # So few samples decide nothing.
    options = {"epsilon": 1.0, "adjacency": "add", "max_samples": 100, "alpha": 1e-6} | options
    assert audit_target(target, **options) == 3
    captured = capsys.readouterr()
    assert re.search(said, captured.out), captured.out
    if said == GUESSED:
        audit_target(target, json=True, **options)
        assert json.loads(capsys.readouterr().out)["replace"]["guessed"] in captured.out


def test_what_repeats_an_audit_is_the_whole_command(write, capsys):
    path = write(GOOD)
    assert audit_target(path, max_samples=300, time_limit=60.0, adjacency="replace") == 0
    again = re.search(r"^  replay (.*)", capsys.readouterr().out, re.MULTILINE)
    assert again is not None
    assert shlex.split(again[1])[:3] == ["dpclaims", "audit", path]
    for option in ("--adjacency replace", "--time-limit 60", "--max-samples 300", "--seed 0"):
        assert option in again[1]


# --- Bad input --------------------------------------------------------------------------------------------

LINES = r"""
epsilon = -1                         | epsilon must be a number in .*, got -1
epsilon = None                       | no epsilon to audit against
mechanism = 3                        | must be a function .* got 3
del mechanism                        | no 'mechanism' in it: write .* audit .*noisy.py:release$
def other(): 0\ndel mechanism        | no 'mechanism' in it: name a function that it has, as .*noisy.py:other$
adjacency = None                     | no 'adjacency' in it.* or --adjacency replace or add-remove
adjacency = 'close'                  | adjacency must be .*got 'close'
pairs = None                         | no 'pairs' in it.* or --schema
pairs = 3                            | pairs must hold or yield pairs .* got 3
pairs = [((1, 2), (3, 4))]           | not a neighbouring pair.*one different record
def pairs(rng): raise KeyError('oh') | pairs\(rng\) raised KeyError\('oh'\)
def mechanism(:                      | raised SyntaxError
import no_such_module_here           | raised ModuleNotFoundError.*\(line 8\)
raise SystemExit(1)                  | called exit\(1\)
"""
"""Last lines of a file that is good without them."""
BODIES = r"""
raise SystemExit(1)                                        | called exit\(1\)
import os; os._exit(1)                                     | mechanism
"""
OPTIONS = r"""
epsilon     | float("nan")    | --epsilon .* got nan
max_samples | 5               | --max-samples must be .* got 5
time_limit  | 0.0             | --time-limit must be a number of seconds > 0
method      | "gdp"           | --method must be one of .*, got 'gdp'
jobs        | 0               | --jobs must be a whole number of processes from 1 to 1024, got 0
adjacency   | "both"          | --adjacency must be one of
adjacency   | "add"           | its pairs are neighbours by 'replace'
set_options | ["bounds=0,1"]  | --set bounds: mechanism takes data, rng, size
schema      | "counts=1"      | counts must be a whole number ≥ 2
"""
NAMES = r"""
no_such_file.py             | no such file: no_such_file.py
no.such.module:f            | raised ModuleNotFoundError
no.such.module.f            | there is no 'no' here
noisy.py:not a name         | TARGET must be file.py
:name                       | TARGET must be file.py
mypack.core.nothing         | has no 'nothing'
mypack.core.noisy_max       | audit mypack.core.noisy_max --adjacency add .*--schema counts=5, or .* n=5
mypack.core:shifted         | `value` of shifted may be one number or records.* --schema value=1, or .*n=5
mypack.core:needs           | needs needs bounds, scale: give --set bounds=… --set scale=…
mypack.core.argmax          | `values` of argmax may be counts or records
mypack/core.py:later        | later does not return .* asyncio.run\(later\(data\)\)
mypack.core:several         | several does not return .* list\(several\(data\)\)
mypack.core.moved           | mechanism raised AttributeError\(gone\)
mypack.core.Scaled          | Scaled is a class without fit: audit one of its methods
mypack.core.Scaled.release  | needs an object of Scaled, which takes scale
mypack.core.Model           | give --schema features=2,classes=2
mypack.core.make_noise      | make_noise carries a claim of its own, or builds .* `dpclaims map
"""


def rows(table: str) -> list[list[str]]:
    return [re.split(r" +\| ", line) for line in table.strip().splitlines()]


BAD: list[tuple[str, dict[str, Any], str]] = [
    *((GOOD + line.replace(r"\n", "\n") + "\n", {}, said) for line, said in rows(LINES)),
    *((body(line), {}, said) for line, said in rows(BODIES)),
    *((GOOD, {name: eval(value)}, said) for name, value, said in rows(OPTIONS)),
    *((name, {"epsilon": 1.0, "adjacency": "add"}, said) for name, said in rows(NAMES)),
]


@pytest.mark.parametrize(("text", "options", "sentence"), BAD, ids=[said for _, _, said in BAD])
def test_bad_input_is_one_sentence_and_status_2(text, options, sentence, write, package, capsys):
    target = write(text) if "\n" in text else text
    assert audit_target(target, **({"max_samples": 2_000, "json": True} | options)) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert _one_sentence(captured.err), captured.err
    assert re.search(sentence, captured.err.strip()), captured.err


def _one_sentence(text: str) -> bool:
    """Whether there is one sentence, but for lines of progress."""
    lines = [line for line in text.splitlines() if not re.match(r"dpclaims: (outputs are drawn|ε ≥)", line)]
    return len(lines) == 1 and lines[0].startswith("dpclaims: ")


# --- How an audit ends ------------------------------------------------------------------------------------

ENDS_EARLY = """
import dpclaims
from claims.harness.commands import watch
watch.GRACE = 3.0
dpclaims.main()
"""
"""The command, with three seconds in place of those that it gives a call to come back."""
SLOWLY = body("import time; time.sleep(0.01)", "return sum(data) + rng.laplace(scale=1.0, size=size)")
THEN_NEVER = "import time\ncalls = []\n" + body(
    "calls.append(size)",
    "while len(calls) > 64 + 80:",
    "    time.sleep(0.1)",
    "return sum(data) + rng.laplace(scale=1.0, size=size)",
)
LIBRARY = "import time\nloaded = []\n" + body(
    "time.sleep(0.0 if loaded else 2.0)  # a library that is imported late",
    "loaded.append(1)",
    "return sum(data) + rng.laplace(scale=1.0, size=size)",
)
NEVER = body("import time; time.sleep(10000)")
LIMITS = {
    "stuck": (THEN_NEVER, "6 s were too short"),
    "late import": (LIBRARY, "6 s were too short"),
    "never returns": (NEVER, ""),
}
"""A mechanism, and the note of its audit."""


def _started(target: str, *options: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", ENDS_EARLY, "audit", target, "--epsilon", "1.02", *options]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=REPOSITORY, stdout=pipe, stderr=pipe, text=True)


def _undecided(out: str, least: float = 0.1) -> str:
    """The note of an audit that was cut off with a bound."""
    document = json.loads(out)
    assert document["verdict"] == "undecided"
    assert document["epsilon_lower"] >= least
    return document["note"]


@pytest.mark.parametrize(
    "number",
    [signal.SIGTERM, *(pytest.param(n, marks=pytest.mark.slow) for n in (signal.SIGINT, signal.SIGHUP))],
)
def test_a_signal_prints_the_bound_reached(number, write):
    running = _started(write(SLOWLY), "--json", "--max-samples", "100000000")
    assert running.stderr is not None
    try:
        # Progress says that there is a bound by now; earlier lines tell of assumptions, or of a bound of 0.
        lines = iter(running.stderr.readline, "")
        assert any(re.search(r"ε ≥ 0\.[1-9]", line) for line in lines)
        running.send_signal(number)
        out, _ = running.communicate(timeout=60)
    finally:
        running.kill()
        running.communicate()
    assert running.returncode == 3
    assert number.name in _undecided(out)


@pytest.mark.parametrize("name", [*list(LIMITS)[:2], pytest.param("never returns", marks=pytest.mark.slow)])
def test_the_time_limit_prints_the_bound_reached(name, write):
    text, note = LIMITS[name]
    running = _started(write(text), "--time-limit", "6", "--json", "--max-samples", "1000000000")
    out, err = running.communicate(timeout=120)
    assert running.returncode == 3, err
    assert note in _undecided(out, 0.1 if note else 0.0)
    assert note or "outputs are drawn" in err


@pytest.mark.parametrize("failure", ["raise RuntimeError('no more')", "return np.full(size, np.nan)"])
def test_a_mechanism_that_fails_in_the_middle_leaves_the_bound_reached(failure, write, capsys):
    lines = ("calls.append(size)", "if sum(calls) > 50_000:", f"    {failure}")
    late = body(*lines, "return sum(data) + rng.laplace(size=size)")
    target = write("calls = []\n" + late + "epsilon = 1.02\n")
    assert audit_target(target, json=True) == 2
    captured = capsys.readouterr()
    # The true ε is 1, and 20,000 samples of each dataset show more than half of it.
    assert "Bad input ended the audit" in _undecided(captured.out, 0.5)
    assert _one_sentence(captured.err)


def test_no_bad_manners_of_a_mechanism_spoil_the_document(write):
    """It prints in all ways, forks and reseeds."""
    rude = body(
        "import os, subprocess",
        "print('one'); os.write(1, b'two'); np.random.seed(0); os.fork()",
        "if size > 100: subprocess.run(['echo', 'three'])",
        "return sum(data) + rng.laplace(size=size)",
    )
    running = _started(write(rude), "--json", "--max-samples", "3000")
    out, err = running.communicate(timeout=120)
    assert running.returncode == 0, err
    assert json.loads(out)["verdict"] == "not-refuted"
    for word in ("one", "two", "three"):
        assert word in err


@pytest.mark.parametrize(("rest", "status"), [("| head -n 1; exit ${PIPESTATUS[0]}", 0), ("> /dev/full", 4)])
def test_a_reader_that_leaves_changes_no_verdict(rest, status, write):
    command = f"{sys.executable} -m dpclaims audit {write(GOOD)} --epsilon 2 --max-samples 2000 {rest}"
    found = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert found.returncode == status, found.stderr
    assert "Traceback" not in found.stderr


def test_a_crash_is_no_refutation(write, dpclaims, monkeypatch):
    import audits.privacy

    def broken(*args: Any, **options: Any) -> None:
        raise ZeroDivisionError("a bug of ours")

    monkeypatch.setattr(audits.privacy, "audit_privacy", broken)
    status, _, err = dpclaims("audit", write(GOOD))
    assert status == 4
    assert "ZeroDivisionError: a bug of ours" in err
    assert "says nothing of what it checks" in err


def test_the_document_and_the_files_for_other_tools(write, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    file = write(body("print('hello')", "return sum(data) + rng.laplace(scale=0.2, size=size)"))
    (tmp_path / "out").mkdir()
    outputs = Outputs(tmp_path / "out" / "junit.xml", tmp_path / "summary.md")
    assert audit_target(file, json=True, outputs=outputs, max_samples=20_000, seed=3) == 1
    captured = capsys.readouterr()
    document = json.loads(captured.out)
    assert " ".join(document) == (
        "format verdict epsilon_claimed delta epsilon_lower confidence e_value samples seconds pair "
        "direction event resolution method seed versions alpha epsilon_estimate largest_e_value "
        "max_samples premise premise_samples footprints planted simplest note pairs "
        "epsilon_shown claim lower tested_at"
    )
    assert document["format"] == "dpclaims-audit/1"
    assert " ".join(document["simplest"]) == "event first second epsilon confidence samples alike unit"
    assert set(document["simplest"]["first"]) == {"estimate", "low", "high"}
    assert (document["verdict"], document["seed"], document["alpha"]) == ("refuted", 3, 0.001)
    assert "hello" in captured.err  # what the mechanism prints is kept out of the document
    (case,) = ElementTree.parse(tmp_path / "out" / "junit.xml").getroot()
    fields = {p.attrib["name"]: p.attrib["value"] for p in case.iter("property")}
    assert (fields["verdict"], int(fields["samples"])) == ("refuted", document["samples"])
    assert float(fields["epsilon_lower"]) == document["epsilon_lower"]
    assert "resolution" in fields
    assert case.find("failure") is not None
    assert "| refuted |" in (tmp_path / "summary.md").read_text(encoding="utf-8")
    assert f"::error file={Path(file).name},line=" in captured.err
    # Said before the audit: its result would go with it.
    with pytest.raises(ValueError, match=r"--junit '.*junit.xml' cannot be written: '.*' is in the way"):
        Outputs(Path(file) / "junit.xml")
    with pytest.raises(ValueError, match=r"--summary '\.' is a folder: name a file in it"):
        Outputs(summary=Path(""))
