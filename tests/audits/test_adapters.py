"""Adapters: library objects as mechanisms; a stand-in shows each kind."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from audits import adapters, audit_privacy
from claims.harness.commands.audit import audit_target
from claims.harness.commands.targets import is_library_object

PAIR = (np.array([1.0, 0.0]), np.array([0.0, 0.0]))


def seeded_sum(data: Any, epsilon: float, bounds: Any, random_state: Any) -> float:
    return float(np.clip(data, *bounds).sum() + random_state.laplace(scale=1 / epsilon))


class Mean:
    """An estimator as scikit-learn has them."""

    def __init__(self, epsilon: float = 1.0, random_state: Any = None) -> None:
        self.epsilon, self.random_state = epsilon, random_state

    def fit(self, X: Any, y: Any = None) -> Mean:
        self.mean_ = X.mean(axis=0) + self.random_state.laplace(scale=1 / self.epsilon, size=X.shape[1:])
        self.classes_ = np.array(["a", "b"])
        self._secret_ = self.exact = X.sum()
        self.helper_ = object()
        return self


def test_a_function_that_takes_a_seed_can_be_replayed() -> None:
    mechanism, claim = adapters.adapted(seeded_sum, 1.0, {"bounds": (0, 1)})
    assert claim == 1.0
    draws = [mechanism(PAIR[0], 5, np.random.default_rng(3)) for _ in range(2)]
    assert np.array_equal(*draws)
    # The noise is that of ε = 1: a false alarm has probability 1e-6, a miss of 0.4 is far rarer.
    result = audit_privacy(mechanism, [PAIR], epsilon=0.4, adjacency="replace", alpha=1e-6)
    assert result.verdict == "refuted"
    assert result.seed == 0


def test_a_function_gets_the_claim_or_the_epsilon_of_its_own() -> None:
    def told(data: int, epsilon: float) -> str:
        return f"{data!r} {epsilon:g}"

    for claim, options, expected in (
        (1.0, {}, ("7 1", 1.0)),
        (None, {"epsilon": 2.0}, ("7 2", 2.0)),
        (1.0, {"epsilon": 2.0}, ("7 2", 1.0)),
    ):
        mechanism, claimed = adapters.adapted(told, claim, options)
        assert (mechanism(7.0, 1, np.random.default_rng(0))[0], claimed) == expected
    assert adapters.adapted(told, 1.0, {})[0](0.5, 1, np.random.default_rng(0))[0] == "0.5 1"


def test_an_estimator_releases_what_ends_in_an_underscore_and_begins_with_none() -> None:
    mechanism, _ = adapters.adapted(Mean, 1.0, {})
    outputs = mechanism(np.zeros((4, 2)), 3, np.random.default_rng(0))
    assert set(outputs[0]) == {"mean_", "classes_"}
    assert outputs[0]["mean_"].shape == (2,)

    class Silent:
        def fit(self, X: Any) -> Silent:
            return self

    mechanism, _ = adapters.adapted(Silent, 1.0, {})
    with pytest.raises(ValueError, match="no public attribute"):
        mechanism(np.zeros((2, 1)), 1, np.random.default_rng(0))


def test_an_estimator_says_what_data_it_needs() -> None:
    class Labelled(Mean):
        def fit(self, X: Any, y: Any) -> Labelled:
            super().fit(X)
            return self

    rng = np.random.default_rng(0)
    mechanism, _ = adapters.adapted(Labelled, 1.0, {"release": "mean_"})
    with pytest.raises(ValueError, match="needs labels: give --schema features=2,classes=2"):
        mechanism(np.zeros((3, 1)), 1, rng)
    with pytest.raises(ValueError, match="a table: give --schema features=2"):
        mechanism(np.zeros(3), 1, rng)
    assert set(mechanism((np.zeros((3, 1)), np.zeros(3)), 1, rng)[0]) == {"mean_"}
    mechanism, _ = adapters.adapted(Mean, 1.0, {"release": "mean_,median_"})
    with pytest.raises(ValueError, match="no public attribute 'median_'; it has classes_, mean_"):
        mechanism(np.zeros((3, 1)), 1, rng)


def test_what_is_no_mechanism() -> None:
    with pytest.raises(ValueError, match="TARGET must be a function"):
        adapters.adapted(3.0, 1.0, {})
    for nothing in ({}, {"epsilon": None}, {"epsilon": "much"}):
        with pytest.raises(ValueError, match="no epsilon"):
            adapters.adapted(seeded_sum, None, nothing)
    with pytest.raises(ValueError, match="has no 'nothing'"):
        adapters.named("json.nothing")
    with pytest.raises(ValueError, match="there is no"):
        adapters.named("no_such_library.mean")
    with pytest.raises(ValueError, match="dotted name"):
        adapters.named("json")
    assert adapters.named("json.dumps") is json.dumps


LIBRARY = """
import numpy as np
def noisy_sum(data, epsilon=1.0, bounds=(0, 1), random_state=None):
    return float(np.clip(data, *bounds).sum() + random_state.laplace(scale=1 / epsilon))
"""


@pytest.mark.parametrize("python", [None, pytest.param(sys.executable, marks=pytest.mark.slow)])
def test_the_command_audits_a_function_by_its_name(
    python: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Bounds of width 2, noise for a width of 1: refuted where a value is replaced by another extreme, and
    where one is added at the bound 2. The noise has ε = 2 for the claimed 1: 1,500 samples give e-values of
    10¹³ and more where 10⁸ decides, so that a miss is far rarer than 1e-6."""
    (tmp_path / "mylib.py").write_text(LIBRARY)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    if python is not None:
        site = tmp_path / "wrapper"
        site.write_text(f'#!/bin/sh\nexport PYTHONPATH={tmp_path}\nexec {sys.executable} "$@"\n')
        site.chmod(0o755)
        python = str(site)
    options = {"epsilon": 1.0, "alpha": 1e-6, "set_options": ["bounds=0,2"], "max_samples": 1_500}
    status = audit_target("mylib.noisy_sum", json=True, python=python, **options)  # type: ignore[arg-type]
    found = json.loads(capsys.readouterr().out)
    sys.modules.pop("mylib", None)
    assert found.pop("format") == "dpclaims-audit/1"
    assert set(found) == {"replace", "add", "remove"}
    assert {row["verdict"] for row in found.values()} == {"refuted"}
    assert status == 1


def test_which_targets_are_objects_of_a_library(tmp_path: Path) -> None:
    assert is_library_object("diffprivlib.tools.mean")
    assert not is_library_object("json.decoder")
    assert not is_library_object("case.py")
    assert not is_library_object("package.module:name")


def test_the_first_fit_of_an_estimator_says_what_is_released(capsys: pytest.CaptureFixture[str]) -> None:
    mechanism, _ = adapters.adapted(Mean, 1.0, {})
    mechanism(np.zeros((4, 2)), 3, np.random.default_rng(0))
    assert capsys.readouterr().err == "released by Mean: classes_, mean_\n"
    mechanism(np.zeros((4, 2)), 3, np.random.default_rng(0))
    assert capsys.readouterr().err == ""
    mechanism, _ = adapters.adapted(Mean, 1.0, {"release": "mean_"})
    mechanism(np.zeros((4, 2)), 1, np.random.default_rng(0))
    assert capsys.readouterr().err == "released by Mean: mean_\n"
