"""The yardstick of the audit benchmark: the best fixed event of the exact laws."""

from __future__ import annotations

import importlib.util
import math
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from implementations.controls import classical_rows, gaussian_control, laplace_control

ROWS = {row.name: row for row in classical_rows()}


@pytest.fixture(scope="module")
def yardstick() -> ModuleType:
    path = Path(__file__).resolve().parents[1] / "benchmarks" / "reachable.py"
    spec = importlib.util.spec_from_file_location("reachable", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def best_tail(survival: tuple, delta: float, samples: int) -> float:
    """Half lines {x ≥ t} scanned with SciPy's binomial intervals, apart from the module under test."""
    from scipy import stats

    above, below = survival
    low = stats.beta.ppf(0.025, samples * above, samples * (1 - above) + 1)
    high = stats.beta.ppf(0.975, samples * below + 1, samples * (1 - below))
    with np.errstate(invalid="ignore", divide="ignore"):
        return float(np.nanmax(np.log((low - delta) / high)))


# Figures of the published comparison of auditors, three digits; half a unit of the last digit of slack,
# one unit for the Gaussian, whose printed figures come from a coarser scan of events.
@pytest.mark.parametrize(
    ("samples", "laplace", "gaussian"),
    [(1e4, 0.939, 0.381), (1e5, 0.981, 0.594), (1e6, 0.994, 0.767), (1e7, 0.998, 0.893)],
)
def test_laplace_and_gaussian_reach_the_known_figures(
    yardstick: ModuleType, samples: float, laplace: float, gaussian: float
) -> None:
    from scipy import stats

    found = yardstick.reachable(laplace_control(), samples)
    assert found == pytest.approx(laplace, abs=6e-4)
    t = np.linspace(-6, 7, 4001)
    tails = stats.laplace.sf(t, 1.0), stats.laplace.sf(t, 0.0)
    assert found == pytest.approx(best_tail(tails, 0.0, int(samples)), abs=1e-4)

    control = gaussian_control()
    sigma = 3.730631634816464  # smallest σ of ε = 1, δ = 1e-5 (Balle and Wang 2018)
    found = yardstick.reachable(control, samples)
    assert found == pytest.approx(gaussian, abs=1.5e-3)
    t = np.linspace(-5 * sigma, 7 * sigma, 4001)
    tails = stats.norm.sf(t, 1.0, sigma), stats.norm.sf(t, 0.0, sigma)
    assert found == pytest.approx(best_tail(tails, 1e-5, int(samples)), abs=1e-3)


@pytest.mark.parametrize(
    ("name", "ideal"),
    [("nm3", 424), ("nm4", 339), ("svt3", 2059), ("svt4", 1945), ("svt5", 40), ("svt6", 315)],
)
def test_ideal_samples_of_the_broken_rows(yardstick: ModuleType, name: str, ideal: int) -> None:
    # Printed figures come from scans of fewer events, so ours may need up to 2 % fewer samples, never more.
    found = yardstick.ideal_samples(ROWS[name])
    assert 0.98 * ideal <= found <= ideal


def test_private_rows_are_never_exposed(yardstick: ModuleType) -> None:
    for name in ("laplace", "nm1", "svt1"):
        assert yardstick.ideal_samples(ROWS[name], limit=10**8) is None


def test_reachable_rises_with_samples_towards_the_true_epsilon(yardstick: ModuleType) -> None:
    for row in ROWS.values():
        figures = [yardstick.reachable(row, 10.0**k) for k in (3, 5, 7, 9)]
        assert figures == sorted(figures)
        assert figures[-1] <= row.true_epsilon


def test_an_event_certain_under_both_shows_nothing(yardstick: ModuleType) -> None:
    assert yardstick.reachable_epsilon(np.array([1.0]), np.array([1.0]), 1000) == 0.0
    only_first = yardstick.reachable_epsilon(np.array([0.5, 0.5]), np.array([0.0, 1.0]), 1e6)
    # The upper bound of a probability never seen is 1 − (α/2)^(1/n) ≈ 3.69/n.
    assert only_first == pytest.approx(math.log(0.5 * 1e6 / 3.689), abs=0.01)
