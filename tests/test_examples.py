"""The examples: audits of third-party libraries as shipped, and of the mechanism in the README.

The libraries come with the `interop` extra. Every audit runs at α = 1e-6, its false-alarm probability. That
each has teeth shows on the same mechanism with a smaller claim, or with the slip that the example plants.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import runpy
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from audits import GaussianDP, audit_canaries
from audits.privacy import AuditResult, audit_privacy
from claims.harness.commands.asked import Asked
from claims.harness.commands.audit import audit_target
from claims.harness.commands.targets import Target, load_any

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
ALPHA = 1e-6

# Example, the library that it needs, samples a side.
LIBRARIES = [
    pytest.param("diffprivlib_histogram", "diffprivlib", 2_500, marks=pytest.mark.slow),
    ("opendp_noisy_max", "opendp", 5_000),
    ("dp_accounting_dp_sgd", "dp_accounting", 100_000),
]


@pytest.fixture(autouse=True)
def forget_modules(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield
    for path in EXAMPLES.glob("*.py"):
        sys.modules.pop(path.stem, None)


def example(name: str, library: str) -> Target:
    pytest.importorskip(
        library, reason=f"{library} cannot be imported; it comes with the interop extra", exc_type=ImportError
    )
    return load(name)


@functools.cache  # dp-accounting takes seconds to calibrate
def load(name: str) -> Target:
    file, _, function = name.partition(":")
    return load_any(f"{EXAMPLES / file}.py" + (f":{function}" if function else ""), Asked())[1]


def module_of(target: Target) -> Any:
    return types.SimpleNamespace(**target.mechanism.__globals__)


def audited(target: Target, samples: int, epsilon: float | None = None) -> AuditResult:
    assert target.epsilon is not None
    return audit_privacy(
        target.mechanism,
        target.pairs,
        epsilon=target.epsilon if epsilon is None else epsilon,
        delta=target.delta or 0.0,
        adjacency=target.adjacency,
        alpha=ALPHA,
        seed=1,
        max_samples=samples,
    )


@pytest.mark.parametrize(("name", "library", "samples"), LIBRARIES)
def test_libraries_keep_what_they_promise(name: str, library: str, samples: int) -> None:
    result = audited(example(name, library), samples)
    assert result.verdict == "not-refuted", result.summary()


@pytest.mark.parametrize(("name", "library", "samples"), LIBRARIES)
def test_a_promise_of_a_quarter_of_that_is_refuted(name: str, library: str, samples: int) -> None:
    # The true ε of each pair is 0.98 or more: missed with probability far below 1e-6.
    result = audited(example(name, library), samples, epsilon=0.25)
    assert result.verdict == "refuted", result.summary()


@pytest.mark.slow
def test_a_histogram_needs_twice_the_budget_where_a_record_is_replaced() -> None:
    target = example("diffprivlib_histogram", "diffprivlib")
    # What `each` wraps stands in another module than the wrapper.
    module = types.SimpleNamespace(**runpy.run_path(str(EXAMPLES / "diffprivlib_histogram.py")))
    replaced = dataclasses.replace(
        target, pairs=[(module.DATA, module.REPLACED)], adjacency="replace", epsilon=2.0
    )
    assert audited(replaced, 2_500).verdict == "not-refuted"
    assert audited(replaced, 2_500, epsilon=1.0).verdict == "refuted"


def test_the_slip_in_the_noise_of_dp_sgd_is_caught() -> None:
    target = example("dp_accounting_dp_sgd", "dp_accounting")
    slip = dataclasses.replace(target, mechanism=module_of(target).too_little_noise)
    result = audited(slip, 100_000)
    assert result.verdict == "refuted"


def test_the_score_of_dp_sgd_is_the_log_likelihood_ratio() -> None:
    target = example("dp_accounting_dp_sgd", "dp_accounting")
    module = module_of(target)
    from scipy import stats

    outputs = np.random.default_rng(0).normal(size=(50, module.STEPS))
    absent = stats.norm.pdf(outputs, 0.0, module.SIGMA)
    present = (1 - module.RATE) * absent + module.RATE * stats.norm.pdf(outputs, 1.0, module.SIGMA)
    np.testing.assert_allclose(module.score(outputs), np.log(present / absent).sum(axis=1), rtol=1e-10)


@pytest.mark.slow
def test_canaries_find_the_slip_in_a_training_run() -> None:
    # N(1, 1) at its exact μ: above 1 with probability 1e-6. The slip is μ = 5.5.
    module = types.SimpleNamespace(**runpy.run_path(str(EXAMPLES / "dp_sgd_canaries.py")))
    found = []
    for noise in (np.sqrt(module.STEPS) / module.MU, 1.0 / module.MU):
        rng = np.random.default_rng(1)
        coins = rng.random(module.CANARIES) < 0.5
        scores = module.train(noise, coins, rng)
        alpha = 1e-6 if noise > 1.0 else 0.05
        found.append(audit_canaries(scores, coins, claim=GaussianDP(module.MU), alpha=alpha))
    assert [result.verdict for result in found] == ["not-refuted", "refuted"]


def test_the_mechanism_of_the_readme(capsys: pytest.CaptureFixture[str]) -> None:
    target = str(EXAMPLES / "my_mechanism.py")
    assert audit_target(target, alpha=ALPHA, max_samples=50_000) == 0
    assert "NOT REFUTED" in capsys.readouterr().out
    # Half the noise: ε = 2.
    assert audit_target(f"{target}:too_little_noise", alpha=ALPHA, max_samples=50_000, json=True) == 1
    assert json.loads(capsys.readouterr().out)["epsilon_lower"] >= 1.0
