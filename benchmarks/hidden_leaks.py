"""Leaks of single numbers that no tail and no wide interval shows: samples against an ideal test.

    python benchmarks/hidden_leaks.py [RUNS]

Prints the table of README.md; ε = 1 is claimed, α = 0.05. *Ideal* is the number at which the best event,
known beforehand, shows more than that.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from audits.privacy import audit_privacy
from benchmarks.reachable import reachable_epsilon

Rng = np.random.Generator
MOST = 10**6


@dataclass(frozen=True, slots=True)
class Leak:
    """A mechanism on the datasets 0 and 1, and the shares (p, q) of its best event."""

    name: str
    mechanism: Callable[[float, int, Rng], Any]
    shares: tuple[float, float]

    def ideal(self) -> int:
        """Samples at which the event itself shows more than ε = 1."""
        p, q = self.shares
        high = 2
        while reachable_epsilon(np.array([p, 1.0 - p]), np.array([q, 1.0 - q]), high) <= 1.0:
            high *= 2
        low = high // 2
        while high - low > 1:
            middle = (low + high) // 2
            shown = reachable_epsilon(np.array([p, 1.0 - p]), np.array([q, 1.0 - q]), middle) > 1.0
            low, high = (low, middle) if shown else (middle, high)
        return high


def _period(data: float, size: int, rng: Rng) -> Any:
    """Noise of a scale of 5 with the dataset in the half of the period of 0.01 that an output lies in."""
    return 0.01 * (np.floor(rng.laplace(scale=5.0, size=size) / 0.01) + 0.5 * (rng.random(size) + data))


def _mode(data: float, size: int, rng: Rng) -> Any:
    """Gaussian noise and, with probability 0.01, an output within 1e-4 of a place that tells the dataset."""
    return np.where(
        rng.random(size) < 0.01, 0.3 + 0.7 * data + 1e-4 * rng.random(size), rng.normal(0.0, 3.0, size)
    )


def _value(data: float, size: int, rng: Rng) -> Any:
    """Laplace noise for ε = 1 and, with probability 5e-4, the true value itself."""
    return np.where(rng.random(size) < 5e-4, data, data + rng.laplace(size=size))


MODE_SHARE = 1e-4 / (3.0 * np.sqrt(2.0 * np.pi))
LEAKS = (
    Leak("half of a period of 0.01", _period, (1.0, 0.0)),
    Leak("narrow mode of weight 0.01", _mode, (0.01 + MODE_SHARE, MODE_SHARE)),
    Leak("the true value with probability 5e-4", _value, (5e-4, 0.0)),
)


def samples(leak: Leak, seed: int) -> float:
    """Samples to refutation; infinite where it does not come to that."""
    result = audit_privacy(
        leak.mechanism, [(0.0, 1.0)], epsilon=1.0, adjacency=lambda a, b: True, seed=seed, max_samples=MOST
    )
    return result.samples if result.refuted else np.inf


def main(runs: int = 20) -> int:
    """Measure and print."""
    print("| leak | ideal | median | worst |\n| --- | --- | --- | --- |")
    for leak in LEAKS:
        found = [samples(leak, seed) for seed in range(runs)]
        ideal = leak.ideal()
        print(
            f"| {leak.name} | {ideal:,} | {np.median(found):,.0f} ({np.median(found) / ideal:.1f} ×) "
            f"| {max(found):,.0f} |",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
