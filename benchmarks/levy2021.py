"""Speed of the user-level mean estimators on one core: user-coordinates a second.

Run it as `python benchmarks/levy2021.py`; `--json` prints one document. A machine is compared with itself:
every rate is also given as a multiple of that of sorting the same numbers, which any exact median needs.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable

import numpy as np
from threadpoolctl import threadpool_limits

from implementations.hadamard import hadamard_transform
from implementations.levy2021.winsorized_mean_1d import winsorized_mean_1d
from implementations.levy2021.winsorized_mean_highd import winsorized_mean_highd

TARGET = 5e6
"""User-coordinates a second that the estimators are meant to reach."""


def seconds(work: Callable[[], object], repeats: int = 5) -> float:
    """Best of a few runs, in CPU seconds of this process: other work on the machine does not count."""
    best = float("inf")
    for _ in range(repeats):
        begin = time.process_time()
        work()
        best = min(best, time.process_time() - begin)
    return best


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
            return winsorized_mean_highd(data, 1.0, 1e-6, 0.2 * d**0.5, 1e3, 1e-3, rng)

        add(f"Algorithm 2, n = {n:,}, d = {d}", data, highd)
    y = rng.normal(size=(2000, 512))
    add("Hadamard transform, d = 512", y, lambda: hadamard_transform(y))
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    with threadpool_limits(1):
        rows = measure()
    if parser.parse_args().json:
        print(json.dumps(rows, indent=2, ensure_ascii=False))
    else:
        for row in rows:
            rate, relative = float(row["coordinates_per_second"]), float(row["relative_to_sort"])
            print(f"{row['case']:<40} {rate / 1e6:7.1f} M/s   {relative:5.2f} × sorting")
        slowest = min(float(r["coordinates_per_second"]) for r in rows)
        print(f"slowest {slowest / 1e6:.1f} M/s, target {TARGET / 1e6:.0f} M/s")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
