"""The pytest plugin, run on small test files of its own: budget, fixtures, marker, summary, pytest-xdist."""

from __future__ import annotations

import math
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from dpclaims_pytest import split_budget

pytest_plugins = "pytester"

REPOSITORY = Path(__file__).resolve().parents[1]

MECHANISMS = """
import numpy as np
import pytest

PAIRS = [((1.0,), (0.0,))]

def laplace(data, size, rng):
    return data[0] + rng.laplace(size=size)

def raw(data, size, rng):
    return data[0] + rng.laplace(scale=0.2, size=size)
"""


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch):
    """Runs pytest on one file, in a process of its own, with this plugin and pytest-xdist alone.

    The plugin is named, as where the distribution is not installed; nothing else is loaded, for speed.
    """
    monkeypatch.setenv("PYTHONPATH", str(REPOSITORY))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)

    def runner(body: str, *arguments: str) -> Any:
        pytester.makepyfile(test_it=MECHANISMS + body)
        plugins = ("-p", "no:cacheprovider", "-p", "dpclaims_pytest", "-p", "xdist.plugin")
        return pytester.runpytest_subprocess(*plugins, *arguments)

    return runner


def _fields(file: Path, test: str) -> dict[str, str]:
    """The properties of one test in JUnit's XML."""
    cases = [c for c in ElementTree.parse(file).getroot().iter("testcase") if c.attrib["name"] == test]
    return {p.attrib["name"]: p.attrib["value"] for p in cases[0].iter("property")}


THREE = """
def test_private(assert_private):
    result = assert_private(laplace, PAIRS, 1.0, adjacency="replace", max_samples=20_000)
    assert result.verdict == "not-refuted"

def test_broken(assert_private):
    assert_private(raw, PAIRS, 1.0, adjacency="replace", max_samples=20_000)

def test_broken_is_caught(assert_private):
    with pytest.raises(AssertionError, match="REFUTED"):
        assert_private(raw, PAIRS, epsilon=1.0, delta=1e-6, adjacency="replace", max_samples=20_000)

def test_nothing_private():
    pass
"""


def test_verdicts_and_summary_with_and_without_workers(run: Any, pytester: pytest.Pytester) -> None:
    # ε = 5 goes unnoticed in 20,000 samples with probability far below 1e-6; a false alarm of
    # test_private has probability 1e-3/6 over seeds, and its seed is fixed by its name.
    found = []
    for workers in ([], ["-n", "2"]):
        result = run(THREE, "--junitxml=report.xml", *workers)
        result.assert_outcomes(passed=3, failed=1)
        text = result.stdout.str()
        assert "audits of differential privacy" in text
        assert re.search(
            r"not-refuted\s+test_it.py::test_private: claimed ε = 1, δ = 0: ε ≥ .* samples a side", text
        )
        assert re.search(r"refuted\s+test_it.py::test_broken: ", text)
        assert re.search(r"refuted\s+test_it.py::test_broken_is_caught: .*δ = 1e-06", text)
        # Three tests with one audit each spend half of their thirds.
        assert "3 audits spent α = 0.0005 of 0.001 (--dp-alpha)" in text
        # The failure says what was found and how to replay it.
        assert re.search(r"AssertionError: REFUTED: ε ≥ .*, claimed 1 \(δ = 0, confidence", text)
        assert "pair: D = (1.0,)   D′ = (0.0,)" in text
        assert re.search(r"replay: .*--seed \d+", text)
        fields = _fields(pytester.path / "report.xml", "test_private")
        assert fields["dp_audit.verdict"] == "not-refuted"
        assert float(fields["dp_audit.epsilon_lower"]) <= 1.0 < float(fields["dp_audit.resolution"])
        assert int(fields["dp_audit.samples"]) == 20_000
        found.append(sorted(line for line in result.outlines if ": claimed ε" in line))
    assert len(found[0]) == 3
    assert found[0] == found[1]


@pytest.mark.slow
def test_workers_that_all_run_everything_share_the_budget(run: Any) -> None:
    body = """
def test_private(assert_private):
    assert_private(laplace, PAIRS, 1.0, adjacency="replace", max_samples=4_000)
"""
    result = run(body, "--dist", "each", "--tx", "2*popen")
    result.assert_outcomes(passed=2)
    assert "2 audits spent α = 0.0005 of 0.001 (--dp-alpha)" in result.stdout.str()


def test_the_budget_is_what_the_option_says_and_the_sum_stays_within_it(run: Any) -> None:
    body = """
@pytest.mark.parametrize("k", range(3))
def test_many(assert_private, k):
    for _ in range(5):
        assert_private(laplace, PAIRS, 2.0, adjacency="replace", max_samples=4_000)

@pytest.mark.dp_audit(alpha=0.004)
def test_marked(assert_private):
    result = assert_private(laplace, PAIRS, 2.0, adjacency="replace", max_samples=4_000)
    assert result.confidence == pytest.approx(1 - 0.002)
"""
    result = run(body, "--dp-alpha", "0.01", "--strict-markers")
    result.assert_outcomes(passed=4)
    # The marked test spends half of its 0.004, the others 1/2 + 1/6 + 1/12 + 1/20 + 1/30 = 5/6 of 0.002 each.
    assert "16 audits spent α = 0.007 of 0.01 (--dp-alpha)" in result.stdout.str()


def test_misuse_fails_with_a_reason(run: Any) -> None:
    body = """
def test_found_at_run_time(request):
    request.getfixturevalue("assert_private")(laplace, PAIRS, 1.0, adjacency="replace")

def test_alpha(assert_private):
    assert_private(laplace, PAIRS, 1.0, adjacency="replace", alpha=0.1)

def test_pair(assert_private):
    assert_private(laplace, [((1, 2), (3, 4))], 1.0, adjacency="replace")

def test_undecided_is_no_pass(assert_private):
    assert_private(laplace, PAIRS, 1.0, adjacency="replace", max_samples=200, resolution=1.01)
"""
    result = run(body)
    result.assert_outcomes(failed=4)
    for sentence in (
        "has no share of --dp-alpha, split before the first test runs: it must name assert_private",
        "alpha is set by --dp-alpha",
        "is not a neighbouring pair",
        "AssertionError: UNDECIDED",
    ):
        assert sentence in result.stdout.str()


def test_budgets_that_cannot_be_are_errors(run: Any) -> None:
    result = run("@pytest.mark.dp_audit(alpha=0.05)\ndef test_it(assert_private): pass")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert "dp_audit markers ask for α = 0.05 in sum, but --dp-alpha is 0.001" in result.stdout.str()
    result = run("def test_it(): pass", "--dp-alpha=nan")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "--dp-alpha must be in (0, 1), got nan" in result.stderr.str()


def test_rates_that_hold_and_rates_that_do_not(run: Any) -> None:
    # 1 % of scatter on 6 cells: s.e. 0.0034, and ± 0.05 leaves it with probability < 1e-6.
    body = """
n = np.repeat(2.0 ** np.arange(6, 14), 30)
few = 100 * 2.0 ** np.arange(6)
risk = few**-1.001 * np.exp(0.01 * np.random.default_rng(0).normal(size=6))

def risks(exponent, spread):
    noise = np.random.default_rng(0).lognormal(0.0, spread, n.size)
    return {"n": n, "risk": n**exponent * noise}

CLAIM = {"risk": "risk", "axes": ["n"], "claimed": {"n": -1.0}, "tolerance": 0.05}

def test_holds(assert_rate):
    assert_rate(risks(-1.0, 0.01), **CLAIM)

@pytest.mark.parametrize("k", range(24))
def test_holds_beside_many_tests(assert_rate, k):
    assert_rate({"n": few, "risk": risk}, **CLAIM)

def test_fails(assert_rate):
    assert_rate(risks(-0.5, 0.01), **CLAIM)

def test_cannot_be_decided(assert_rate):
    with pytest.raises(AssertionError, match="INCONCLUSIVE"):
        assert_rate(risks(-1.0, 2.0), **CLAIM)
    with pytest.raises(AssertionError, match="exponent of n: .*INCONCLUSIVE.* of n"):
        assert_rate({"n": few[:4], "risk": risk[:4]}, **(CLAIM | {"tolerance": 0.001}))

def test_claims_nothing(assert_rate):
    with pytest.raises(ValueError, match="nothing is asserted"):
        assert_rate({"n": few, "risk": risk}, risk="risk", axes=["n"])

def test_audits_nothing(): pass
"""
    result = run(body)
    result.assert_outcomes(passed=28, failed=1)
    text = result.stdout.str()
    assert re.search(r"consistent\s+test_it.py::test_holds: exponent of n: \S+ .*, claimed -1", text)
    assert re.search(r"refuted\s+test_it.py::test_fails: exponent of n: -0.5", text)


def test_the_plain_functions_work_under_given() -> None:
    # Laplace noise of scale 1 keeps ε = 1.5; each call refutes it with probability 1e-7 at most.
    from hypothesis import given, settings
    from hypothesis import strategies as st

    from dpclaims import assert_private, assert_rate

    def noisy(data: Any, size: int, rng: Any) -> Any:
        return data[0] + rng.laplace(size=size)

    seen = []

    @settings(max_examples=4, database=None, derandomize=True)
    @given(st.floats(0.1, 1.0))
    def keeps_its_claim(value: float) -> None:
        pair = ((value,), (0.0,))
        seen.append(
            assert_private(noisy, [pair], 1.5, adjacency="replace", alpha=1e-7, max_samples=2_000).alpha
        )

    keeps_its_claim()
    assert seen == pytest.approx([1e-7] * len(seen))
    with pytest.raises(AssertionError, match="REFUTED"):
        assert_private(noisy, [((1.0,), (0.0,))], 0.2, adjacency="replace", max_samples=20_000)
    sizes = [100.0, 200.0, 400.0, 800.0, 1600.0]
    table = {"n": sizes, "risk": [3.0 / n for n in sizes]}
    assert assert_rate(table, risk="risk", axes=["n"], claimed={"n": -1.0})["n"].exponent.estimate < 0.0
    with pytest.raises(AssertionError, match="REFUTED"):
        assert_rate(table, risk="risk", axes=["n"], claimed={"n": -0.5})


def test_nothing_heavy_is_imported_at_start_up() -> None:
    code = (
        "import sys, dpclaims_pytest; "
        "print([m for m in ('numpy', 'scipy', 'pandas', 'audits.privacy') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "[]"


class Item:
    """As much of a collected test as the split looks at."""

    def __init__(self, nodeid: str, fixtures: tuple[str, ...], marker: Any = None) -> None:
        self.nodeid, self.fixturenames, self._marker = nodeid, fixtures, marker

    def get_closest_marker(self, name: str) -> Any:
        return None if self._marker is None else self._marker.mark


def test_split_of_the_budget() -> None:
    items: list[Any] = [
        Item("a", ("assert_private",), pytest.mark.dp_audit(alpha=0.2)),
        Item("b", ("tmp_path",)),
        Item("c", ("assert_rate",)),
        Item("d", ("assert_private", "assert_rate")),
    ]
    split = split_budget(0.5, items)
    assert split.problem is None
    assert split.shares == pytest.approx({"a": 0.2, "c": 0.15, "d": 0.15})
    assert math.fsum(split.shares.values()) <= 0.5
    assert split_budget(0.1, items).problem is not None
    assert split_budget(0.1, []).shares == {}


@pytest.mark.parametrize(
    ("marker", "sentence"),
    [
        (pytest.mark.dp_audit(alpha=2), "α in (0, 1), got dp_audit(alpha=2)"),
        (pytest.mark.dp_audit(alpha=float("nan")), "got dp_audit(alpha=nan)"),
        (pytest.mark.dp_audit(0.1), "got dp_audit(0.1)"),
        (pytest.mark.dp_audit(alpha=0.1, beta=1), "got dp_audit(alpha=0.1, beta=1)"),
        (
            pytest.mark.dp_audit(alpha=0.5),
            "leave nothing for the other audits, but --dp-alpha is 0.5: raise it",
        ),
        (pytest.mark.dp_audit(alpha=0.6), "ask for α = 0.6 in sum"),
    ],
)
def test_a_split_that_cannot_be(marker: Any, sentence: str) -> None:
    items: list[Any] = [Item("a", ("assert_private",), marker), Item("b", ("assert_private",))]
    problem = split_budget(0.5, items).problem
    assert problem is not None
    assert sentence in problem


CLASH = """
def test_that_does_not_use_the_plugin():
    import audits
    assert audits.MINE

def test_that_does(assert_private):
    assert_private(laplace, PAIRS, 1.0, adjacency="replace", max_samples=1000)
"""


def test_a_project_with_a_folder_of_our_name_keeps_its_pytest(pytester, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(REPOSITORY))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    for name in ("audits", "claims"):
        pytester.mkpydir(name)
        (pytester.path / name / "__init__.py").write_text("MINE = True\n")
    pytester.makeconftest(f"import sys; sys.path.insert(0, {str(pytester.path)!r})")
    pytester.makepyfile(test_it=MECHANISMS + CLASH)
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", "-p", "dpclaims_pytest")
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*package 'claims' at * belongs to another distribution*"])


PLAIN = """
import unittest
from unittest import TestCase
from dpclaims import GaussianDP, PrivacyAssertions, assert_law, assert_private
from dpclaims import Gaussian, Laplace

class TestMean(PrivacyAssertions, TestCase):
    def setUp(self):
        self.rng = np.random.default_rng(0)

    def test_noise(self):
        self.assert_law(self.rng.laplace(size=1_000), Laplace(0.0, 1.0))

    def test_too_little_noise(self):
        with self.assertRaisesRegex(AssertionError, "REFUTED"):
            self.assert_private(raw, PAIRS, 1.0, adjacency="replace", max_samples=20_000)

def test_a_function_and_another():
    draws = np.random.default_rng(1).normal(size=1_000)
    assert assert_law(draws, Gaussian(0.0, 1.0)).alpha == pytest.approx(1e-3 / 3 / 2)
    with pytest.raises(AssertionError, match="REFUTED"):
        assert_law(draws, Gaussian(0.0, 2.0))

if __name__ == "__main__":
    unittest.main()
"""


def test_functions_and_test_cases_share_the_budget(run: Any, pytester: pytest.Pytester) -> None:
    # Three tests have a third of α each; the last checks two laws: 1/2 + 1/2 + 1/2 + 1/6 thirds.
    result = run(PLAIN)
    result.assert_outcomes(passed=3)
    text = result.stdout.str()
    assert "4 audits spent α = 0.000556 of 0.001 (--dp-alpha)" in text
    assert re.search(r"refuted +test_it.py::TestMean::test_too_little_noise: claimed ε = 1", text)
    # Under unittest alone the checks of the process share 0.001: 1/2 + 1/6.
    done = subprocess.run(
        [sys.executable, "test_it.py"], cwd=pytester.path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "Ran 2 tests" in done.stderr


def test_a_function_in_another_module_needs_the_marker(run: Any, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(helper="from audits import assert_law\n\ndef check(x, law): assert_law(x, law)")
    body = """
import helper, sys
from scipy.stats import norm
DRAWS = np.random.default_rng(1).normal(size=300)
def test_unmarked(): helper.check(DRAWS, norm)
@pytest.mark.dp_audit
def test_marked(): helper.check(DRAWS, norm)
"""
    result = run(body, "-p", "pytester", "--import-mode=prepend")
    result.assert_outcomes(passed=1, failed=1)
    assert "test_unmarked has no share of --dp-alpha" in result.stdout.str()
