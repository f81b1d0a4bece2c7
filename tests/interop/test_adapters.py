"""The adapters on the library that they are for; what they say of bad input: tests/audits/test_adapters.py.

Audits run at α = 1e-6, their false-alarm probability; what they are to refute they miss far less often.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from audits import adapters, audit_privacy
from claims.harness.commands.audit import audit_target

# The libraries warn of their own and other libraries' future; pytest would make errors of that.
pytestmark = pytest.mark.filterwarnings("ignore")

Command = Callable[..., tuple[int, Any]]


def library(name: str) -> None:
    pytest.importorskip(
        name, reason=f"{name} cannot be imported; the interop extra has it", exc_type=ImportError
    )


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Command:
    """Audits a target by its name: (exit status, JSON document)."""

    def call(target: str, *set_options: str, **options: Any) -> tuple[int, Any]:
        chosen: dict[str, Any] = {"alpha": 1e-6, "max_samples": 1500, "json": True}
        status = audit_target(target, set_options=set_options, **chosen | options)
        said = capsys.readouterr()
        return status, json.loads(said.out) if said.out else said.err

    return call


# --- diffprivlib: functions ---------------------------------------------------------------------------------


def test_a_function(command: Command) -> None:
    library("diffprivlib")
    status, found = command("diffprivlib.tools.mean", "bounds=0,1", epsilon=1.0, adjacency="replace")
    assert status == 0
    assert found["replace"]["verdict"] == "not-refuted"
    assert found["replace"]["seed"] == 0  # it takes a seed, so that the run can be replayed


def test_the_stock_shows_what_a_plausible_pair_hides(command: Command) -> None:
    """`nanmean` scales its noise by the size of the array, not by the number of values that are not NaN."""
    library("diffprivlib")
    nan = {"epsilon": 1.0, "adjacency": "replace", "max_samples": 4000}
    status, found = command("diffprivlib.tools.nanmean", "bounds=0,1", schema="n=10,nan=1", **nan)
    assert status == 1
    event = found["replace"]["simplest"]
    assert event["epsilon"] > 1.0
    assert event["event"].startswith("output ")
    status, _ = command("diffprivlib.tools.nanmean", "bounds=0,1", schema="n=10", **nan)
    assert status == 0


# --- scikit-learn's interface -------------------------------------------------------------------------------


def test_an_estimator(command: Command) -> None:
    library("diffprivlib")
    shape = {"schema": "n=4,features=1", "epsilon": 1.0, "max_samples": 300, "adjacency": "replace"}
    status, found = command("diffprivlib.models.StandardScaler", "bounds=0,1", "release=mean_,var_", **shape)
    assert status == 0, found
    # Labels of its own records are nothing that k-means protects.
    assert command("diffprivlib.models.KMeans", "bounds=0,1", "n_clusters=2", **shape)[0] == 1


def test_logistic_regression_fits() -> None:
    """With the scikit-learn that this extra installs, which is not the latest."""
    library("diffprivlib")
    mechanism, _ = adapters.adapted(
        adapters.named("diffprivlib.models.LogisticRegression"), 1.0, {"data_norm": 2.0}
    )
    X, y = np.array([[0.0], [0.1], [0.2], [0.3]]), np.array([0, 0, 1, 1])
    outputs = mechanism((X, y), 3, np.random.default_rng(0))
    assert all(np.isfinite(output["coef_"]).all() for output in outputs)
    changed = np.vstack([[[1.0]], X[1:]])
    options: dict[str, Any] = {"epsilon": 1.0, "adjacency": "replace", "alpha": 1e-6, "max_samples": 200}
    result = audit_privacy(mechanism, [((X, y), (changed, y))], **options)
    assert result.verdict != "refuted", result.summary()
