"""`audits.remote`: mechanisms of another Python, and one sentence where a worker dies, is slow or lies.

The other Python is this one, which shows everything but the age of the syntax; the last tests run the worker
in an old interpreter where there is one.
"""

from __future__ import annotations

import dataclasses
import enum
import gc
import io
import shutil
import subprocess
import sys
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from audits import adapters, audit_privacy, bridge_worker, remote, values
from audits.bridge import Remote
from audits.environments import interpreter
from audits.privacy.draw.datasets import Dataset
from audits.privacy.draw.draws import Drawer
from audits.privacy.draw.processes import WorkerFailed
from audits.trace.record.ended import OutOfTime
from audits.trace.records import Asked, Report, written
from claims.harness.commands.audit import audit_target

HEADER = """
import os, random, sys, time
import numpy as np
pairs = [(np.array([0.0, 1.0]), np.array([0.0, 0.0]))]
adjacency = "replace"
epsilon = 1.0
"""
NOISY = """
def mechanism(data, size, rng):
    return data.sum() + rng.laplace(scale=1.0, size=size)
"""
FIRST, SECOND = np.array([0.0, 1.0]), np.array([0.0, 0.0])
PAIRS = [(FIRST, SECOND)]

Write = Callable[[str], str]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def writer(text: str) -> str:
        path = tmp_path / "noisy.py"
        path.write_text(HEADER + text, encoding="utf-8")
        return str(path)

    return writer


def there(value: Any) -> Any:
    """A value that went through the protocol."""
    blocks: list[bytes] = []
    tree = values.encode(value, blocks)
    stream = bridge_worker.frame({"value": tree}, blocks)
    position = 0

    def read(n: int) -> bytes:
        nonlocal position
        position += n
        return stream[position - n : position]

    answer = bridge_worker.read_frame(read)
    assert answer is not None
    return values.decode(answer[0]["value"], answer[1])


ARRAYS = (
    np.array([np.nan, -0.0, 5e-324]),
    np.array(["a", "ßß"]),
    np.array([(1, 2.5)], dtype=[("k", "i8"), ("v", "f8")]),
    np.array([None, "x", 2**80, (1, 2)], dtype=object),
    np.array([(1.5, "x"), (2.5, None)], dtype=[("v", "f8"), ("s", "O")]),
    np.zeros((0, 3)),
    np.array(7.0),
    np.asfortranarray(np.ones((2, 2))),
)


def test_values_and_arrays_come_back_as_they_were() -> None:
    # What values are made of is told apart, and comes back, in test_values.py; here they cross the protocol.
    value = [-(2**200), {2: ("ε", 1e-320)}, {frozenset({1})}, np.float64(0.1), b"\x00\xff", Decimal("1.10")]
    assert values.digest(there(value)) == values.digest(value)
    for array in ARRAYS:
        back = there(array)
        assert (back.dtype, back.shape) == (array.dtype, array.shape)
        same = [x.tolist() if array.dtype.hasobject else x.tobytes() for x in (back, array)]
        assert same[0] == same[1]


def test_frames_of_data_keep_columns_and_index() -> None:
    import pandas as pd

    frame = pd.DataFrame({"a": [1, 2], "b": ["x", None]}, index=[5, 7])
    pd.testing.assert_frame_equal(there(frame), frame)


class Colour(enum.Enum):
    RED = 1


@dataclasses.dataclass
class Answer:
    count: float
    label: str


def test_members_of_enumerations_and_dataclasses_come_back_as_what_they_hold() -> None:
    assert there([Colour.RED, Answer(1.5, "a")]) == ["Colour.RED", {"count": 1.5, "label": "a"}]


def test_an_object_cannot_be_sent_and_code_cannot_be_received() -> None:
    with pytest.raises(TypeError, match="cannot go from one Python to another"):
        there(object())
    with pytest.raises(ValueError, match="no value"):
        values.decode({"code": "import os"}, [])
    evil = np.array([object()], dtype=object)
    stream = io.BytesIO()
    np.save(stream, np.array([1, 2], dtype=object), allow_pickle=True)
    with pytest.raises(ValueError, match="pickle"):
        values.decode({"array": 0}, [stream.getvalue()])
    with pytest.raises(TypeError):
        there(evil)


def test_audits_of_a_remote_mechanism_find_what_is_there(write: Write) -> None:
    # The noise is that of ε = 1: false alarms at most α = 1e-6, a miss of ε = 0.5 far rarer.
    mechanism = remote(sys.executable, write(NOISY))
    assert (mechanism.epsilon, mechanism.delta, mechanism.adjacency) == (1.0, None, "replace")
    assert mechanism.libraries["numpy"] == np.__version__
    good = audit_privacy(mechanism, PAIRS, epsilon=1.0, adjacency="replace", alpha=1e-6, max_samples=20_000)
    assert good.verdict == "not-refuted"
    assert mechanism.pairs is not None
    bad = audit_privacy(mechanism, mechanism.pairs, epsilon=0.5, adjacency=mechanism.adjacency, alpha=1e-6)
    assert bad.verdict == "refuted"
    assert bad.seed == 0
    mechanism.close()


EACH = """
from audits import each
def one(data, rng):
    print("chatter"); os.write(1, b"from below")
    return float(data.sum() + np.random.laplace() + random.random())
mechanism = each(one)
"""


def test_the_same_bits_for_any_number_of_workers_and_prints_stay_out(write: Write) -> None:
    # The library draws from the generators of its process, which every worker has for itself.
    draws = []
    for jobs in (1, 3):
        mechanism = remote(sys.executable, write(EACH))
        assert mechanism.one_by_one
        drawer = Drawer(mechanism, jobs=jobs)
        data = Dataset(FIRST)
        first = drawer.draw(data, 3000, np.random.default_rng(5), "D")
        second = drawer.draw(data, 100, np.random.default_rng(6), "D")
        draws.append(np.concatenate([first, second]))
        mechanism.close()
    assert draws[0].tobytes() == draws[1].tobytes()
    assert len(np.unique(draws[0])) == 3100


def test_a_library_in_one_state_in_all_workers_is_drawn_on_one(write: Write) -> None:
    # Each worker's generator starts from one seed: two workers would repeat each other's draws.
    mechanism = remote(
        sys.executable,
        write(
            "from audits import each, unseeded\nstate = np.random.RandomState(1)\n"
            "mechanism = unseeded(each(lambda data: float(data.sum() + state.laplace())))\n"
        ),
    )
    assert not mechanism.replayable
    drawer = Drawer(mechanism, jobs=2)
    outputs = drawer.draw(Dataset(FIRST), 2000, np.random.default_rng(0), "D")
    assert drawer.jobs == 1
    assert len(np.unique(outputs)) == 2000
    mechanism.close()


def test_a_mechanism_that_changes_its_data_is_told(write: Write) -> None:
    changing = (
        "def mechanism(data, size, rng):\n    data += 1.0\n    return data.sum() + rng.laplace(size=size)\n"
    )
    mechanism = remote(sys.executable, write(changing))
    result = audit_privacy(mechanism, PAIRS, epsilon=1.0, adjacency="replace", max_samples=5000)
    assert result.verdict == "undecided"
    assert "changes its data" in result.premise
    assert FIRST.tolist() == [0.0, 1.0]
    mechanism.close()


def test_errors_keep_their_names(write: Write) -> None:
    text = "def mechanism(data, size, rng):\n    return 1 // 0\n"
    mechanism = remote(sys.executable, write(text))
    with pytest.raises(ValueError, match="mechanism raised ZeroDivisionError"):
        audit_privacy(mechanism, PAIRS, epsilon=1.0, adjacency="replace", max_samples=100)
    mechanism.close()
    leaky = (
        "def mechanism(data, size, rng):\n    if data.sum() > 0:\n        raise KeyError('leak')\n"
        "    return np.zeros(size)\n"
    )
    mechanism = remote(sys.executable, write(leaky))
    result = audit_privacy(mechanism, PAIRS, epsilon=1.0, adjacency="replace", errors="symbol")
    assert result.verdict == "refuted"
    assert "raised KeyError" in result.event
    mechanism.close()


@pytest.mark.parametrize(
    ("body", "timeout", "words"),
    [
        (
            "print('last gasp', flush=True); os._exit(7)",
            60.0,
            "ended (7) before it answered; its last words: last gasp",
        ),
        ("import signal; os.kill(os.getpid(), signal.SIGKILL)", 60.0, "was killed by signal 9"),
        ("time.sleep(60)", 0.8, "did not answer within 0.8 s"),
        ("[write_to(fd) for fd in range(3, 9)]; time.sleep(60)", 60.0, "sent what is no answer"),
    ],
)
@pytest.mark.parametrize("errors", ["raise", "symbol"])
def test_a_worker_that_dies_is_slow_or_lies_is_one_sentence(
    write: Write, body: str, timeout: float, words: str, errors: str
) -> None:
    text = (
        "def write_to(fd):\n    try:\n        os.write(fd, b'0' * 64)\n    except OSError:\n        pass\n"
        f"def mechanism(data, size, rng):\n    {body}\n    return np.zeros(size)\n"
    )
    # Loading takes longer than a call may: the interpreter has to start.
    mechanism = remote(sys.executable, write(text))
    mechanism._all[0]._timeout = timeout  # pyright: ignore[reportPrivateUsage]
    with pytest.raises(WorkerFailed) as caught:
        audit_privacy(mechanism, PAIRS, epsilon=1.0, adjacency="replace", max_samples=100, errors=errors)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "of pair 0" in str(caught.value)
    assert len(mechanism._all) == 1  # nothing was drawn from a second worker  # pyright: ignore[reportPrivateUsage]
    mechanism.close()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("import no_such_library\n", "ModuleNotFoundError: No module named 'no_such_library'"),
        ("x = 1\n", "no function 'mechanism'"),
        ("raise SystemExit(3)\n", "SystemExit: 3"),
    ],
)
def test_a_file_that_cannot_be_loaded_is_one_sentence(write: Write, text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        remote(sys.executable, write(text))


def test_bad_arguments(write: Write, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="python must be a file"):
        remote(tmp_path / "python", write(NOISY))
    with pytest.raises(ValueError, match="file must be a file"):
        remote(sys.executable, tmp_path / "none.py")
    with pytest.raises(ValueError, match="timeout"):
        remote(sys.executable, write(NOISY), timeout=0.0)
    not_python = tmp_path / "true"
    not_python.write_text("#!/bin/sh\nexit 0\n")
    not_python.chmod(0o755)
    with pytest.raises(ValueError, match="ended"):
        remote(not_python, write(NOISY))


def test_workers_end_with_the_mechanism(write: Write) -> None:
    mechanism = remote(sys.executable, write(NOISY))
    process = mechanism._all[0]._process  # pyright: ignore[reportPrivateUsage]
    assert process.poll() is None
    del mechanism
    gc.collect()
    assert process.poll() is not None


# --- The command, old interpreters -----------------------------------------------------------


def test_the_command_runs_the_file_elsewhere(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    assert audit_target(write(NOISY), epsilon=0.4, alpha=1e-6, python=sys.executable) == 1
    assert "in Python 3." in capsys.readouterr().out
    assert audit_target(write("pairs = None\ndel pairs\n" + NOISY), python=sys.executable) == 2
    assert "no 'pairs'" in capsys.readouterr().err
    assert audit_target(write(NOISY), python="3.99") == 2
    assert "no Python 3.99 was found" in capsys.readouterr().err


OLD = ["3.6", "3.7", "3.8"]


@pytest.mark.parametrize("version", OLD)
@pytest.mark.parametrize("module", [bridge_worker, adapters, values])
def test_what_runs_elsewhere_compiles_in_an_old_interpreter(
    version: str, module: ModuleType, tmp_path: Path
) -> None:
    try:
        python = interpreter(version)
    except ValueError as error:
        pytest.skip(str(error))
    script = str(module.__file__)
    out = str(tmp_path / "worker.pyc")
    code = f"import py_compile; py_compile.compile({script!r}, cfile={out!r}, doraise=True)"
    answer = subprocess.run([str(python), "-c", code], capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr


@pytest.mark.slow
def test_an_environment_of_an_old_interpreter_draws(write: Write, tmp_path: Path) -> None:
    from audits.environments import environment

    for version in OLD:
        try:
            interpreter(version)
            python = environment(["numpy<1.20"], python=version, folder=tmp_path / "environments")
        except ValueError as error:
            reason = str(error)
            continue
        mechanism = remote(python, write(EACH))
        assert mechanism.python_version.startswith(version)
        outputs = mechanism(FIRST, 200, np.random.default_rng(0))
        assert len(np.unique(outputs)) == 200
        mechanism.close()
        again = environment(["numpy<1.20"], python=version, folder=tmp_path / "environments")
        assert again == python
        shutil.rmtree(tmp_path / "environments")
        return
    pytest.skip(f"no old environment can be made here: {reason}")


def test_adapters_can_be_imported_where_the_package_is_not_installed(write: Write, tmp_path: Path) -> None:
    file = write(
        """
import audits
from audits import adapters

def total(data, epsilon, random_state):
    return data.sum() + random_state.laplace(scale=1 / epsilon)

assert not hasattr(audits, "audit_privacy")  # it is the stand-in of the worker
from dpclaims import each
assert each is audits.each
mechanism, _ = adapters.adapted(total, 1.0, {})
"""
    )
    # An interpreter that finds no package but those of this environment, without the path to this project.
    bare = tmp_path / "bare"
    bare.write_text(
        f"#!{sys.executable} -IS\n"
        "import runpy, sys\n"
        f"sys.path[:] = [p for p in {sys.path!r} if p and p != {str(Path(__file__).parents[2])!r}]\n"
        "sys.argv = sys.argv[1:]\n"
        "if sys.argv[0] == '-u': del sys.argv[0]\n"
        "runpy.run_path(sys.argv[0], run_name='__main__')\n"
    )
    bare.chmod(0o755)
    mechanism = remote(str(bare), file)
    outputs = mechanism(FIRST, 4, np.random.default_rng(0))
    mechanism.close()
    assert np.shape(outputs) == (4,)


def test_what_a_trace_has_told_before_its_time_is_over_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    answers: list[object] = [written([Report((0, 0, k)) for k in range(n)]) for n in (1, 2)]

    def ask(self: Remote, question: object, asked: list[object]) -> tuple[dict[str, object], object]:
        if not answers:
            raise OutOfTime
        return {}, answers.pop(0)

    monkeypatch.setattr(Remote, "_ask", ask)
    remote = object.__new__(Remote)
    remote._timeout = 60.0
    kept: list[Report] = []
    with pytest.raises(OutOfTime):
        remote.trace([Asked(0, 1, (0, 0, k)) for k in range(5)], (), kept)
    assert [report.seed for report in kept] == [(0, 0, 0), (0, 0, 0), (0, 0, 1)]
