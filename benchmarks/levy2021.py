"""Speed of the user-level mean estimators on one core: user-coordinates a second.

Run it as `python benchmarks/levy2021.py`; `--json` prints one document. A machine is compared with itself:
every rate is also given as a multiple of that of sorting the same numbers, which any exact median needs.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

from implementations.levy2021.concentration import Concentration
from implementations.privacy import PrivacyBudget

if __name__ == "__main__":
    # Beside each other the scripts would hide packages of the same names.
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmarks import speed
from benchmarks.speed import seconds
from implementations.hadamard import hadamard_transform
from implementations.levy2021.winsorized_mean_1d import winsorized_mean_1d
from implementations.levy2021.winsorized_mean_highd import winsorized_mean_highd

TARGET = 5e6
"""User-coordinates a second that the estimators are meant to reach."""


def measure() -> list[dict[str, float | str]]:
    """One row for each case: user-coordinates a second, and the same relative to sorting."""
    rng = np.random.default_rng(0)
    rows: list[dict[str, float | str]] = []

    def add(case: str, x: np.ndarray, work: Callable[[], object]) -> None:
        rate = x.size / seconds(work)
        flat = np.ascontiguousarray(np.swapaxes(x, -1, -2)) if x.ndim == 3 else x
        sorting = x.size / seconds(lambda: np.sort(flat, axis=-1))
        rows.append({"case": case, "coordinates_per_second": rate, "relative_to_sort": rate / sorting})

    x = rng.normal(0.0, 0.3, (500, 2000))
    add("Algorithm 1, n = 2,000, B/τ = 2^60", x, lambda: winsorized_mean_1d(x, 0.1, 1.0, 2.0**60, rng))
    for n, d in ((1000, 1), (2000, 64), (2000, 100), (4000, 512)):
        data = rng.normal(0.0, 0.1, (max(1, 1_000_000 // (n * d)), n, d))

        def highd(data: np.ndarray = data, d: int = d) -> object:
            return winsorized_mean_highd(
                data, PrivacyBudget(1.0, 1e-6), Concentration(0.2 * d**0.5, 1e3, 1e-3), rng
            )

        add(f"Algorithm 2, n = {n:,}, d = {d}", data, highd)
    y = rng.normal(size=(2000, 512))
    add("Hadamard transform, d = 512", y, lambda: hadamard_transform(y))
    return rows


def _line(row: dict[str, float | str]) -> str:
    rate, relative = float(row["coordinates_per_second"]), float(row["relative_to_sort"])
    return f"{row['case']:<40} {rate / 1e6:7.1f} M/s   {relative:5.2f} × sorting"


if __name__ == "__main__":
    found = speed.main(measure, _line, __doc__)
    if found:
        slowest = min(float(row["coordinates_per_second"]) for row in found)
        print(f"slowest {slowest / 1e6:.1f} M/s, target {TARGET / 1e6:.0f} M/s")
