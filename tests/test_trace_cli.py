"""`dpclaims trace`: exit status, words, JSON, JUnit, other Pythons, bad input; and the assertion of
pytest."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from typer.testing import CliRunner

from claims.harness.commands.main import app

pytest_plugins = "pytester"

FILE = """
import numpy as np

def clean(data, size, rng):
    return data.mean() + rng.laplace(scale=1 / len(data), size=size)

def leaks(data, size, rng):
    total = data.sum()
    return [(data.mean() + rng.laplace(scale=1 / len(data)), total) for _ in range(size)]

def halved(data, size, rng):
    return data.mean() + rng.laplace(scale=0.5 / len(data), size=size)

def one_output(data, rng):
    return data.mean() + rng.laplace(scale=1 / len(data))

def unseen(data, size, rng):
    import time
    return [data.mean() + 1e-9 * time.perf_counter_ns() for _ in range(size)]

pairs = [(np.array([1.0, 0.0, 0.0, 1.0]), np.array([0.0, 0.0, 0.0, 1.0]))]
adjacency = "replace"
epsilon = 1.0
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "programs.py"
    path.write_text(FILE, encoding="utf-8")
    return path


def run(*arguments: object):
    return CliRunner().invoke(app, ["trace", *map(str, arguments)])


@pytest.mark.parametrize(
    ("name", "status", "first", "also"),
    [
        (
            "clean",
            0,
            "NOTHING FOUND against (ε = 1, δ = 0) on 1 pair, ",
            "This is no proof that it is private",
        ),
        ("one_output", 0, "NOTHING FOUND against (ε = 1, δ = 0) on 1 pair, ", "0 lost"),
        ("leaks", 1, "LEAK at ", "programs.py:8: output[0][1] is 2 on D"),
        (
            "halved",
            1,
            "LEDGER EXCEEDS THE CLAIM: the draws of one run cost ε = 2",
            "black box: an audit of the output",
        ),
        ("unseen", 3, "LOST: nothing is known", "a source that is not watched"),
    ],
)
def test_what_a_trace_prints_and_its_status(
    file: Path, name: str, status: int, first: str, also: str
) -> None:
    result = run(f"{file}:{name}", "--seeds", 2)
    assert result.exit_code == status, result.output
    assert result.stdout.startswith(first)
    assert also in result.stdout


def test_a_leak_of_a_library_is_named_by_the_librarys_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Records that dpclaims itself holds were found to have the value first: its own file was named.
    (tmp_path / "leaky_library.py").write_text(
        "import numpy as np\n"
        "def leaky(values, epsilon=1.0):\n"
        "    total = float(np.sum(values))\n"
        "    return total + 0.0 * np.random.laplace(scale=1 / epsilon), len(values)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    result = run("leaky_library.leaky", "--epsilon", 1)
    assert result.exit_code == 1, result.output
    places = [line.split(": ")[0] for line in result.stdout.splitlines() if line.startswith("LEAK at ")]
    assert places
    assert all("leaky_library.py:" in place for place in places), places


def test_the_document(file: Path) -> None:
    documents = [
        json.loads(run(f"{file}:leaks", "--seeds", 3, "--json", *more).stdout)
        for more in ((), ("--python", sys.executable), ())
    ]
    document, there, again = documents
    for known in documents:
        del known["seconds"]
    assert again == document
    for name in ("verdict", "findings", "ledger", "draws"):
        assert there[name] == document[name], name
    assert next(iter(document)) == "format"
    assert document["format"] == "dpclaims-trace/1"
    assert document["verdict"] == "leak"
    assert (document["findings"][0]["line"], document["findings"][0]["kind"]) == (8, "output")
    assert document["ledger"][0]["line"] == 9
    assert document["ledger"][0]["epsilon"] == pytest.approx(1.0)
    assert {"pairs", "draws", "lost", "seed", "versions", "black_box"} <= set(document)


@pytest.mark.parametrize(("name", "line"), [("leaks", 8), ("halved", 12)])
def test_an_annotation_stands_at_the_leak_or_at_the_draw_that_costs_most(
    file: Path, monkeypatch: pytest.MonkeyPatch, name: str, line: int
) -> None:
    monkeypatch.chdir(file.parent)  # annotations are about files below the current folder
    assert run(f"{file}:{name}", "--seeds", 1, "--junit", "junit.xml").exit_code == 1
    suite = ElementTree.parse("junit.xml").getroot()
    (case,) = suite
    assert suite.attrib["failures"] == "1"
    assert int(case.attrib["line"]) == line
    failure = case.find("failure")
    assert failure is not None
    assert ("programs.py:8" in failure.attrib["message"]) == (name == "leaks")


def test_a_plot(file: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="plots need Matplotlib")
    bare = tmp_path / "ledger"
    assert run(f"{file}:clean", "--seeds", 1, "--plot", bare).exit_code == 0
    assert bare.read_bytes().startswith(b"\x89PNG")  # the file that was named, not ledger.png


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["{}:clean", "--epsilon", "-1"], "epsilon"),
        (["{}:clean", "--seeds", "0"], "seeds"),
        (["{}:clean", "--primitive", "nothing.here"], "nothing.here"),
        (["{}:clean", "--plot", "."], "--plot '.' is a folder: name a file in it"),
        (["{}:clean", "--plot", "{}/x.png"], "is in the way"),
    ],
)
def test_bad_input(file: Path, dpclaims, arguments: list[str], words: str) -> None:
    status, out, err = dpclaims("trace", *[part.format(file) for part in arguments])
    assert (status, out) == (2, "")
    assert words in err
    assert "Traceback" not in err


def test_the_plain_function_names_the_line() -> None:
    from dpclaims import assert_ledger

    def program(data, rng):
        released = data.mean() + rng.laplace(scale=0.25)
        return released, data.max()

    pair = (np.array([1.0, 0.0, 0.0, 0.5]), np.array([0.0, 0.0, 0.0, 0.5]))
    with pytest.raises(AssertionError, match=r"LEAK at .*test_trace_cli\.py:\d+: output\[1\]"):
        assert_ledger(program, [pair], 1.0, 0.0, "replace")
    result = assert_ledger(lambda data, rng: program(data, rng)[0], [pair], 1.0, 0.0, "replace")
    assert result.verdict == "nothing-found"
    with pytest.raises(ValueError, match="adjacency"):
        assert_ledger(program, [pair], 1.0)


def test_the_fixture(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import numpy as np
        PAIR = (np.array([1.0, 0.0, 0.0, 0.5]), np.array([0.0, 0.0, 0.0, 0.5]))

        def test_clean(assert_ledger):
            def program(data, rng):
                return data.mean() + rng.laplace(scale=0.25)
            assert_ledger(program, [PAIR], 1.0, 0.0, "replace")

        def test_leak(assert_ledger):
            assert_ledger(lambda data, rng: data.max(), [PAIR], 1.0, 0.0, "replace")
        """
    )
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*LEAK at *test_the_fixture.py:10*"])


ENDS = """
import time
import numpy as np
pairs, adjacency, epsilon = [(np.array([1.0, 0.0]), np.array([0.0, 0.0]))], "replace", 1.0

class Own(BaseException):
    pass

def raises(data, rng):
    raise Own("\\x1b[31m" + "x" * 10_000_000)

def adds(data, rng):
    return data.sum() + "a"

def sleeps(data, rng):
    time.sleep(1e6)
"""


@pytest.mark.parametrize(
    ("name", "status", "words"),
    [
        ("raises", 2, "the program ends with Own: \ufffd[31mxxx"),
        ("adds", 2, "on both datasets"),
        ("sleeps", 3, "the time limit of"),
    ],
)
def test_a_program_that_does_not_end_well(tmp_path: Path, name: str, status: int, words: str) -> None:
    path = tmp_path / "ends.py"
    path.write_text(ENDS)
    command = [sys.executable, "-c", "import dpclaims; dpclaims.main()", "trace", f"{path}:{name}"]
    found = subprocess.run(
        [*command, "--time-limit", "4"], capture_output=True, text=True, timeout=120, check=False
    )
    assert found.returncode == status, found.stdout + found.stderr
    assert words in found.stdout + found.stderr
    assert "\x1b" not in found.stderr
    assert "Traceback" not in found.stderr
    assert len(found.stderr) < 2000


def test_a_module_states_its_claim_in_its_unit_and_the_ledger_sums_in_it(tmp_path: Path) -> None:
    file = tmp_path / "claimed.py"
    claim = "from dpclaims import ZeroConcentrated\nclaim = ZeroConcentrated(0.5)\n"
    file.write_text(FILE.replace("laplace", "normal").replace("epsilon = 1.0", claim), encoding="utf-8")
    kept = json.loads(run(f"{file}:one_output", "--json").stdout)
    assert (kept["unit"], kept["epsilon_claimed"], kept["verdict"]) == ("ρ", 0.5, "nothing-found")
    assert kept["epsilon_ledger"] == pytest.approx(0.5, rel=1e-6)  # (Δ/σ)²/2 with Δ = σ
    less = run(f"{file}:one_output", "--mu", 0.9, "--seeds", 1)
    assert less.exit_code == 1
    assert "cost μ = 1, claimed 0.9" in less.stdout
