"""Speed of asi2024's outlier-removing mean on one core: users a second for each answered query.

Run it as `python benchmarks/asi2024.py`; `--json` prints one document. The score needs all pairs where
users are spread out, and one look at the mean where they are concentrated: both are timed, and the users
given as clusters.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

if __name__ == "__main__":
    # Beside each other the scripts would hide packages of the same names.
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmarks import speed
from implementations.asi2024.outlier_removal import OutlierRemovingMean, Plan
from implementations.interfaces import Array

REPEATS = 5


def seconds(values: Array, trials: int, weights: Array | None = None) -> float:
    """Best of a few answers, in CPU seconds of this process: other work on the machine does not count."""
    n = values.shape[-2] if weights is None else int(weights.sum())
    plan = Plan(n=n, queries=REPEATS, tau=1.0, budget=1.0, threshold=-1e9, noise=1.0)
    run = OutlierRemovingMean(plan, trials, np.random.default_rng(0))
    return speed.seconds(lambda: run.answer(values, weights), REPEATS)


def measure() -> list[dict[str, float | str]]:
    """One row for each case: seconds for one query of all trials, and users a second."""
    rng = np.random.default_rng(0)
    rows: list[dict[str, float | str]] = []
    for trials, n, d in ((64, 200, 8), (8, 1000, 8), (1, 4000, 2)):
        near, far = rng.normal(0.0, 0.01, (trials, n, d)), rng.normal(0.0, 1.0, (trials, n, d))
        for name, values in (("concentrated", near), ("spread out", far)):
            spent = seconds(values, trials)
            case = f"{name}, {trials} trials, n = {n}, d = {d}"
            rows.append({"case": case, "seconds": spent, "users_per_second": trials * n / spent})
    weights = np.array([9e5, 9e4, 1e4])
    spent = seconds(np.array([[0.0], [1.5], [3.0]]), 1000, weights)
    users = 1000 * float(weights.sum())
    case = "three clusters, 1000 trials, n = 1,000,000"
    rows.append({"case": case, "seconds": spent, "users_per_second": users / spent})
    return rows


def _line(row: dict[str, float | str]) -> str:
    return f"{row['case']:45s} {row['seconds']:9.4f} s {row['users_per_second']:12.3g} users/s"


if __name__ == "__main__":
    speed.main(measure, _line, __doc__)
