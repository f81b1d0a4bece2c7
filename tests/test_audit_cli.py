"""`dpclaims audit`: targets, exit statuses, JSON, and one clear sentence for every bad input."""

from __future__ import annotations

import json
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from claims.harness.commands.audit import audit_target
from claims.harness.exchange import Outputs

REPOSITORY = Path(__file__).resolve().parents[1]
EXAMPLE = str(REPOSITORY / "examples" / "my_mechanism.py")

HEADER = "import numpy as np\n"
MECHANISM = """
def mechanism(data, size, rng):
    return sum(data) + rng.laplace(scale=1.0, size=size)
"""
PAIRS = "pairs = [((0.0, 1.0), (0.0, 0.0))]\n"
ADJACENCY = "adjacency = 'replace'\n"
EPSILON = "epsilon = 1.0\n"
GOOD = HEADER + MECHANISM + PAIRS + ADJACENCY + EPSILON

Write = Callable[[str], str]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Write]:
    # Loading a file adds its folder to the path and itself to the modules, as `python file.py` would.
    monkeypatch.setattr(sys, "path", list(sys.path))

    def writer(text: str) -> str:
        path = tmp_path / "noisy.py"
        path.write_text(text, encoding="utf-8")
        return str(path)

    yield writer
    for name in ("noisy", "noise_of_mine", "mypack", "mypack.sums"):
        sys.modules.pop(name, None)


def test_a_private_mechanism_is_not_refuted_and_that_is_no_proof(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    # False alarm of the audit at α = 1e-6: 1e-6.
    assert audit_target(write(GOOD), alpha=1e-6, max_samples=50_000) == 0
    out = capsys.readouterr().out
    assert "NOT REFUTED" in out
    assert "no proof" in out
    assert re.search(
        r"^  would have caught  noise \d+ % too small, a value released once in", out, re.MULTILINE
    )
    for label in ("caught", "not caught", "too small", "lower bound", "event"):
        assert not re.search(rf"^  {label} ", out, re.MULTILINE)
    assert audit_target(write(GOOD), alpha=1e-6, max_samples=50_000, verbose=True) == 0
    out = capsys.readouterr().out
    for label in ("caught", "not caught", "too small", "lower bound", "event"):
        assert re.search(rf"^  {label} ", out, re.MULTILINE)


def test_a_broken_mechanism_is_refuted_with_its_pair_and_event(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    assert audit_target(write(GOOD), epsilon=0.5, alpha=1e-6) == 1
    out = capsys.readouterr().out
    head, witness = out.splitlines()[:2]
    shown = re.match(r"REFUTED: ε ≥ (\S+), claimed 0.5 \(δ = 0, confidence 99.9998 %\)", head)
    assert shown is not None
    assert float(shown[1]) > 0.5
    assert witness.startswith("  witness")
    assert f"so ε ≥ {shown[1]}" in witness
    for word in ("pair", "samples", "replay"):
        assert word in out


def test_undecided_where_the_resolution_is_out_of_reach(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    assert audit_target(write(GOOD), alpha=1e-6, max_samples=200, resolution=1.01) == 3
    assert "UNDECIDED" in capsys.readouterr().out


def test_json_is_one_document_with_exactly_the_agreed_fields(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    noisy_module = GOOD.replace("    return", "    print('hello')\n    return")
    assert audit_target(write(noisy_module), json=True, max_samples=2_000, seed=3) == 0
    captured = capsys.readouterr()
    document = json.loads(captured.out)
    assert list(document) == [
        "format",
        "verdict",
        "epsilon_claimed",
        "delta",
        "epsilon_lower",
        "confidence",
        "e_value",
        "samples",
        "seconds",
        "pair",
        "direction",
        "event",
        "resolution",
        "method",
        "seed",
        "versions",
        "alpha",
        "epsilon_estimate",
        "largest_e_value",
        "max_samples",
        "premise",
        "premise_samples",
        "footprints",
        "planted",
        "simplest",
        "note",
        "pairs",
        "pairs_followed",
        "epsilon_shown",
    ]
    assert (document["verdict"], document["seed"], document["epsilon_claimed"]) == ("not-refuted", 3, 1.0)
    assert "hello" in captured.err  # what the mechanism prints is kept out of the document


def test_the_same_seed_gives_the_same_result_on_any_number_of_threads(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    target, found = write(GOOD), []
    for jobs in (1, 3):
        audit_target(target, json=True, max_samples=400_000, jobs=jobs, seed=5)
        document = json.loads(capsys.readouterr().out)
        found.append({k: v for k, v in document.items() if k != "seconds"})
    assert found[0] == found[1]


def test_targets_with_a_name_in_a_file_and_in_a_package(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = write(GOOD.replace("def mechanism", "def noisy_sum"))
    assert audit_target(f"{target}:noisy_sum", max_samples=2_000, alpha=1e-6) == 0
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mypack").mkdir()
    (tmp_path / "mypack" / "__init__.py").write_text("")
    (tmp_path / "mypack" / "sums.py").write_text(GOOD)
    assert audit_target("mypack.sums:mechanism", max_samples=2_000, alpha=1e-6) == 0


def test_a_module_may_import_its_neighbour_and_generate_its_pairs(write: Write, tmp_path: Path) -> None:
    (tmp_path / "noise_of_mine.py").write_text(HEADER + MECHANISM)
    text = (
        "from noise_of_mine import mechanism\n"
        "def pairs(rng):\n    yield (0.0, float(rng.random())), (0.0, 0.0)\n" + ADJACENCY + EPSILON
    )
    assert audit_target(write(text), max_samples=2_000, alpha=1e-6) == 0


def test_each_and_unseeded_say_that_there_is_no_replay(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (
        HEADER + "from audits import each, unseeded\n"
        "def one(data):\n    return sum(data) + np.random.default_rng().laplace()\n"
        "mechanism = unseeded(each(one))\n" + PAIRS + ADJACENCY + EPSILON
    )
    assert audit_target(write(text), json=True, max_samples=300, alpha=1e-6) == 0
    assert json.loads(capsys.readouterr().out)["seed"] is None


@pytest.mark.parametrize(("asked", "relation"), [("replace", "replace"), ("add", "add-remove")])
def test_the_option_stands_in_for_a_missing_adjacency(
    asked: str, relation: str, write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    bare = HEADER + MECHANISM + "pairs = [((0, 1), (0, 0))]\n" + EPSILON
    if asked == "add":
        bare = bare.replace("((0, 1), (0, 0))", "((0, 1), (0,))")
    settings: dict[str, Any] = {"adjacency": asked, "json": True, "max_samples": 300, "alpha": 1e-6}
    assert audit_target(write(bare), **settings) == 0
    first = json.loads(capsys.readouterr().out)[asked]
    assert audit_target(write(bare + f"adjacency = {relation!r}\n"), **settings) == 0
    second = json.loads(capsys.readouterr().out)[asked]
    assert [first[name] for name in ("pair", "event")] == [second[name] for name in ("pair", "event")]
    assert audit_target(write(bare), max_samples=300) == 2
    assert "or --adjacency replace or add-remove" in capsys.readouterr().err


def test_add_remove_is_both_of_its_relations(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    text = write(GOOD)
    options: dict[str, Any] = {"json": True, "max_samples": 300, "alpha": 1e-6}
    assert audit_target(text, adjacency="add-remove", **options) == 0
    assert {"add", "remove"} < json.loads(capsys.readouterr().out).keys()


def test_what_repeats_an_audit_is_the_whole_command(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(GOOD)
    assert audit_target(path, max_samples=300, time_limit=60.0, adjacency="replace") == 0
    line = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("  replay"))
    again = shlex.split(line)[1:]
    assert again[:3] == ["dpclaims", "audit", path]
    for option in ("--adjacency replace", "--time-limit 60.0", "--max-samples 300", "--seed 0"):
        assert option in " ".join(again)
    done = subprocess.run([sys.executable, "-m", *again], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("given", [["--max-samples", "1e5"], ["--max-samples=1e5"]])
def test_a_value_that_is_no_number_is_shown(given: list[str]) -> None:
    command = [sys.executable, "-m", "dpclaims", "audit", "file.py", *given]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "got '1e5'" in done.stderr


BAD_MODULES = {
    "no mechanism": (GOOD.replace("def mechanism", "def other"), "no 'mechanism' in it"),
    "not callable": (HEADER + "mechanism = 3\n" + PAIRS + ADJACENCY, "must be a function .* got 3"),
    "no pairs": (HEADER + MECHANISM + ADJACENCY + EPSILON, "no 'pairs' in it"),
    "no adjacency": (HEADER + MECHANISM + PAIRS + EPSILON, "no 'adjacency' in it"),
    "unknown adjacency": (GOOD + "adjacency = 'close'\n", "adjacency must be .*got 'close'"),
    "no epsilon": (HEADER + MECHANISM + PAIRS + ADJACENCY, "no epsilon to audit against"),
    "negative epsilon": (GOOD + "epsilon = -1\n", "epsilon must be finite and ≥ 0, got -1"),
    "epsilon in words": (GOOD + "epsilon = 'one'\n", "epsilon must be a number, got 'one'"),
    "delta one": (GOOD + "delta = 1.0\n", r"delta must be in \[0, 1\), got 1.0"),
    "delta nan": (GOOD + "delta = float('nan')\n", r"delta must be in \[0, 1\), got nan"),
    "no pair": (GOOD + "pairs = []\n", "pairs must hold at least one pair"),
    "not a pair": (GOOD + "pairs = [(1, 2, 3)]\n", "pairs must hold tuples"),
    "not adjacent": (GOOD + "pairs = [((1, 2), (3, 4))]\n", "not a neighbouring pair.*one different record"),
    "other lengths": (GOOD + "pairs = [((1, 2), (1,))]\n", "as many records in both, got 2 and 1"),
    "raises": (
        GOOD.replace("return", "raise RuntimeError('oh no')\n    return"),
        r"mechanism raised RuntimeError\(oh no\)",
    ),
    "raises a ValueError": (
        GOOD.replace("return", "raise ValueError('oh no')\n    return"),
        r"mechanism raised ValueError\(oh no\)",
    ),
    "too few": (GOOD.replace("size=size", "size=size // 2"), "must return .* outputs along the first axis"),
    "a single value": (GOOD.replace("size=size", ""), "mechanism must return an array"),
    "nan": (GOOD.replace("return", "return np.nan *"), "must not return NaN"),
    "other types": (
        HEADER
        + "def mechanism(data, size, rng):\n"
        + "    return np.full(size, 'a') if data[1] else rng.random(size)\n"
        + PAIRS
        + ADJACENCY
        + EPSILON,
        "mechanism must return",
    ),
    "other shapes": (
        HEADER
        + "def mechanism(data, size, rng):\n    return rng.random((size, 2 + int(data[1])))\n"
        + PAIRS
        + ADJACENCY
        + EPSILON,
        "mechanism must return",
    ),
    "syntax": ("def mechanism(:\n", "raised SyntaxError"),
    "import": ("import no_such_module_here\n", r"raised ModuleNotFoundError.*\(line 1\)"),
    "exit": ("raise SystemExit(1)\n", r"called exit\(1\)"),
    "pairs raise": (
        GOOD + "def pairs(rng):\n    yield (0,), (1,)\n    raise KeyError('oh no')\n",
        r"pairs\(rng\) raised KeyError\('oh no'\)",
    ),
    "pairs are a number": (GOOD + "pairs = 3\n", "pairs must hold or yield pairs .* got 3"),
    "mechanism exits": (GOOD.replace("return", "raise SystemExit(1)\n    return"), r"called exit\(1\)"),
    "score": (GOOD + "score = 1\n", "score must be a function"),
    "score of another shape": (
        GOOD + "def score(outputs):\n    return outputs[:1]\n",
        "score must return",
    ),
}


@pytest.mark.parametrize("case", BAD_MODULES)
def test_a_bad_module_is_one_sentence_and_status_2(
    case: str, write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    text, sentence = BAD_MODULES[case]
    assert audit_target(write(text), max_samples=2_000, json=True) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert _one_sentence(captured.err)
    assert _matches(sentence, captured.err)


BAD_OPTIONS: dict[str, tuple[dict[str, Any], str]] = {
    "epsilon": ({"epsilon": -0.5}, "--epsilon must be a number in .* got -0.5"),
    "epsilon nan": ({"epsilon": float("nan")}, "--epsilon .* got nan"),
    "epsilon inf": ({"epsilon": float("inf")}, "--epsilon .* got inf"),
    "delta": ({"delta": 1.0}, r"--delta must be in \[0, 1\), got 1.0"),
    "alpha": ({"alpha": 0.0}, r"--alpha must be in \(0, 1\), got 0.0"),
    "samples": ({"max_samples": 0}, "--max-samples must be .* got 0"),
    "too few samples": ({"max_samples": 5}, "--max-samples must be .* got 5"),
    "time": ({"time_limit": 0.0}, "--time-limit must be a number of seconds > 0"),
    "method": ({"method": "magic"}, "--method must be one of .* got 'magic'"),
    "method gone": ({"method": "gdp"}, "--method must be one of .* is gone, got 'gdp'"),
    "seed": ({"seed": -1}, "--seed must be a whole number ≥ 0, got -1"),
    "jobs": ({"jobs": 0}, "--jobs must be a whole number of processes from 1 to 1024, got 0"),
    "resolution": ({"resolution": 0.5}, "resolution must be an ε above the claimed one"),
}


@pytest.mark.parametrize("case", BAD_OPTIONS)
def test_a_bad_option_is_one_sentence_and_status_2(
    case: str, write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    options, sentence = BAD_OPTIONS[case]
    assert audit_target(write(GOOD), **options) == 2
    error = capsys.readouterr().err
    assert _one_sentence(error)
    assert _matches(sentence, error)


@pytest.mark.parametrize(
    ("target", "sentence"),
    [
        ("no_such_file.py", "no such file: no_such_file.py"),
        ("no.such.module:f", "raised ModuleNotFoundError"),
        ("what is this", "TARGET must be file.py"),
        ("noisy.py:not a name", "TARGET must be file.py"),
        (":name", "TARGET must be file.py"),
        ("some/folder", "no such file"),
    ],
)
def test_a_bad_target_is_one_sentence_and_status_2(
    target: str, sentence: str, write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    assert audit_target(target) == 2
    error = capsys.readouterr().err
    assert _one_sentence(error)
    assert sentence in error


def test_a_crash_is_no_refutation(
    write: Write, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import audits.privacy

    def broken(*args: Any, **options: Any) -> None:
        raise ZeroDivisionError("a bug of ours")

    monkeypatch.setattr(audits.privacy, "audit_privacy", broken)
    assert audit_target(write(GOOD)) == 4
    assert "says nothing of the mechanism" in capsys.readouterr().err


def test_the_command_itself() -> None:
    # The slip has ε = 2: at α = 0.05 it is missed in 50,000 samples with probability far below 1e-6.
    command = [
        sys.executable,
        "-m",
        "dpclaims",
        "audit",
        f"{EXAMPLE}:too_little_noise",
        "--max-samples",
        "50000",
    ]
    done = subprocess.run(
        [*command, "--json"], cwd=REPOSITORY, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 1, done.stderr
    assert json.loads(done.stdout)["verdict"] == "refuted"
    bad = subprocess.run(
        [*command, "--epsilon", "-1"],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert bad.returncode == 2
    assert _one_sentence(bad.stderr)


SLOWLY = """
import time
def mechanism(data, size, rng):
    time.sleep(0.2)
    return sum(data) + rng.laplace(scale=1.0, size=size)
"""
THEN_NEVER = """
import time
calls = []
def mechanism(data, size, rng):
    calls.append(size)
    while len(calls) > 64 + 80:
        time.sleep(0.1)
    return sum(data) + rng.laplace(scale=1.0, size=size)
"""
DEAF = THEN_NEVER.replace(
    "        time.sleep(0.1)",
    "        try:\n            time.sleep(0.1)\n        except BaseException:\n            pass",
)
LIBRARY = """
import time
loaded = []
def mechanism(data, size, rng):
    if not loaded:
        time.sleep(2.0)  # a library that is imported late
        loaded.append(1)
    return sum(data) + rng.laplace(scale=1.0, size=size)
"""
NEVER = "import time\ndef mechanism(data, size, rng):\n    time.sleep(10000)\n"


def _command(target: str, *options: str) -> list[str]:
    return [sys.executable, "-m", "dpclaims", "audit", target, "--epsilon", "1.02", *options]


def _finished(target: str, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        _command(target, *options), cwd=REPOSITORY, capture_output=True, text=True, check=False, timeout=120
    )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_prints_the_bound_reached(number: signal.Signals, write: Write) -> None:
    target = write(HEADER + SLOWLY.replace("0.2", "0.01") + PAIRS + ADJACENCY)
    running = subprocess.Popen(
        _command(target, "--json", "--max-samples", "100000000"),
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
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
    document = json.loads(out)
    assert document["verdict"] == "undecided"
    assert document["epsilon_lower"] > 0.1
    assert number.name in document["note"]


@pytest.mark.parametrize("text", [THEN_NEVER, LIBRARY])
def test_the_time_limit_prints_the_bound_reached(text: str, write: Write) -> None:
    options = ("--time-limit", "6", "--json", "--max-samples", "1000000000")
    done = _finished(write(HEADER + text + PAIRS + ADJACENCY), *options)
    assert done.returncode == 3, done.stderr
    document = json.loads(done.stdout)
    assert document["verdict"] == "undecided"
    assert document["epsilon_lower"] > 0.1
    assert "time limit" in document["note"]


def test_a_call_that_cannot_be_stopped_ends_with_its_process_and_the_bound(write: Write) -> None:
    options = ("--time-limit", "6", "--max-samples", "1000000000", "--json")
    done = _finished(write(HEADER + DEAF + PAIRS + ADJACENCY), *options)
    assert done.returncode == 3
    assert "cannot be stopped; ε ≥" in done.stderr
    document = json.loads(done.stdout)
    assert document["verdict"] == "undecided"
    assert document["epsilon_lower"] > 0.1
    assert "cannot be stopped" in document["note"]


@pytest.mark.parametrize("failure", ["raise RuntimeError('no more')", "return np.full(size, np.nan)"])
def test_a_mechanism_that_fails_in_the_middle_leaves_the_bound_reached(
    failure: str, write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    late = (
        "calls = []\ndef mechanism(data, size, rng):\n    calls.append(size)\n"
        f"    if sum(calls) > 50_000:\n        {failure}\n"
        "    return sum(data) + rng.laplace(size=size)\n"
    )
    target = write(HEADER + late + PAIRS + ADJACENCY + "epsilon = 1.02\n")
    assert audit_target(target, json=True) == 2
    captured = capsys.readouterr()
    document = json.loads(captured.out)
    assert document["verdict"] == "undecided"
    # The true ε is 1, and 20,000 samples of each dataset show more than half of it.
    assert 0.5 < document["epsilon_lower"] <= 1.02
    assert document["samples"] > 10_000
    assert "Bad input ended the audit" in document["note"]
    assert _one_sentence(captured.err)


@pytest.mark.slow
def test_a_mechanism_that_never_returns_is_stopped(write: Write) -> None:
    # A first output may take 15 seconds beyond the limit; here it may take 3.
    code = (
        "import dpclaims\nfrom claims.harness.commands import watch\n"
        "watch.FIRST_OUTPUT = 3.0\ndpclaims.main()\n"
    )
    options = _command(write(NEVER + PAIRS + ADJACENCY), "--time-limit", "1", "--json")[3:]
    done = subprocess.run(
        [sys.executable, "-c", code, *options], cwd=REPOSITORY, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 3, done.stderr
    assert json.loads(done.stdout)["verdict"] == "undecided"
    assert "no output yet" in done.stderr


def test_progress_goes_to_stderr_with_the_bound_so_far(write: Write) -> None:
    done = _finished(
        write(HEADER + SLOWLY.replace("0.2", "0.02") + PAIRS + ADJACENCY), "--max-samples", "200000"
    )
    assert "dpclaims: the assumptions are tested" in done.stderr or "dpclaims: ε ≥" in done.stderr
    assert "NOT REFUTED" in done.stdout
    assert "dpclaims: " not in done.stdout


def test_no_bad_manners_of_a_mechanism_spoil_the_document(write: Write) -> None:
    rude = GOOD.replace(
        "    return",
        "    import os, subprocess\n"
        "    print('one')\n    os.write(1, b'two')\n    np.random.seed(0)\n    os.fork()\n"
        "    if size > 100: subprocess.run(['echo', 'three'])\n    return",
    )
    done = _finished(write(rude), "--json", "--max-samples", "3000")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["verdict"] == "not-refuted"
    for word in ("one", "two", "three"):
        assert word in done.stderr


def test_dependent_outputs_are_undecided_with_the_premise(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    shared = GOOD.replace("rng.laplace(scale=1.0, size=size)", "np.full(size, rng.laplace())")
    assert audit_target(write(shared)) == 3
    out = capsys.readouterr().out
    assert "UNDECIDED" in out
    assert "An assumption fails: the outputs of one call are not independent" in out


def test_a_refutation_has_its_size_its_words_and_its_replay(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    assert audit_target(write(GOOD), epsilon=0.5, json=True) == 1
    document = json.loads(capsys.readouterr().out)
    # The true ε is 1; α = 0.001 is the default.
    assert 0.85 < document["epsilon_lower"] <= 1.0
    assert document["alpha"] == 0.001
    assert audit_target(write(GOOD), epsilon=0.5) == 1
    out = capsys.readouterr().out
    assert "replay" in out
    assert "--epsilon 0.5 --delta 0 --alpha 0.001 --max-samples 1000000 --method sequential --seed 0" in out


def test_failures_are_outputs_when_asked_for(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    fails = (
        "def mechanism(data, size, rng):\n"
        "    if data[1] and rng.random() < 0.5:\n        raise RuntimeError('no')\n"
        "    return rng.normal(size=size)\n"
    )
    target = write(HEADER + fails + PAIRS + ADJACENCY + EPSILON)
    # A failure on one dataset only is a leak, asked for or not.
    for errors in ("raise", "symbol"):
        assert audit_target(target, errors=errors, max_samples=5000) == 1
        assert "witness  output = raised RuntimeError: probability 0." in capsys.readouterr().out


def _one_sentence(text: str) -> bool:
    return text.startswith("dpclaims: ") and text.count("\n") == 1


def _matches(pattern: str, text: str) -> bool:
    return re.search(pattern, text) is not None


@pytest.mark.parametrize(
    "end", ["os._exit(0)", "os._exit(1)", "sys.exit(0)", "(_ for _ in ()).throw(GeneratorExit())"]
)
def test_a_mechanism_that_ends_its_process_is_no_verdict(
    end: str, write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write(f"import os, sys\ndef mechanism(data, size, rng):\n    {end}\n" + PAIRS + ADJACENCY)
    assert audit_target(file, epsilon=1.0) == 2
    assert "mechanism" in capsys.readouterr().err


@pytest.mark.parametrize(("rest", "status"), [("| head -n 1; exit ${PIPESTATUS[0]}", 0), ("> /dev/full", 4)])
def test_a_reader_that_leaves_changes_no_verdict(rest: str, status: int, write: Write) -> None:
    command = f"{sys.executable} -m dpclaims audit {write(GOOD)} --epsilon 2 --max-samples 2000 {rest}"
    found = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert found.returncode == status, found.stderr
    assert "Traceback" not in found.stderr


def test_a_thread_that_is_left_behind_keeps_no_verdict_waiting(write: Write) -> None:
    file = write(
        "import threading, time\n" + GOOD + "threading.Thread(target=time.sleep, args=(600,)).start()\n"
    )
    found = subprocess.run(
        [sys.executable, "-m", "dpclaims", "audit", file, "--epsilon", "2", "--max-samples", "2000"],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert found.returncode == 0, found.stderr
    assert "threads that are left behind are ended: 1" in found.stderr
    assert "NOT REFUTED" in found.stdout


def test_the_files_for_other_tools(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    file = write(GOOD.replace("scale=1.0", "scale=0.2"))
    outputs = Outputs(tmp_path / "out" / "junit.xml", tmp_path / "summary.md")
    assert audit_target(file, json=True, outputs=outputs, max_samples=20_000) == 1
    captured = capsys.readouterr()
    document = json.loads(captured.out)
    assert document["format"] == "dpclaims-audit/1"
    (case,) = ElementTree.parse(tmp_path / "out" / "junit.xml").getroot()
    fields = {p.attrib["name"]: p.attrib["value"] for p in case.iter("property")}
    assert fields["verdict"] == "refuted"
    assert float(fields["epsilon_lower"]) == document["epsilon_lower"]
    assert int(fields["samples"]) == document["samples"]
    assert "resolution" in fields
    assert case.find("failure") is not None
    assert "| refuted |" in (tmp_path / "summary.md").read_text(encoding="utf-8")
    assert f"::error file={Path(file).name},line=" in captured.err
    # Said before the audit: its result would go with it.
    with pytest.raises(ValueError, match=r"--junit '.*junit.xml' cannot be written: '.*' is in the way"):
        Outputs(Path(file) / "junit.xml")
    with pytest.raises(ValueError, match=r"--summary '\.' is a folder: name a file in it"):
        Outputs(summary=Path(""))
