"""Speed of the reference implementations of lee2024, on one core: `python -m benchmarks.lee2024`.

Wanted are 2·10⁶ coordinates of the exact sampler, 10⁶ chain-steps of the proximal sampler and 300 traces
at n = 8 a second. Measured, the best of several runs on one core of a busy machine: 2.26·10⁶, 1.97·10⁶ and
2,700.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

if __name__ == "__main__":
    # Beside each other the scripts would hide packages of the same names.
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmarks.speed import seconds
from implementations.lee2024 import coalitions, fingerprinting, product_sampler, proximal_sampler


def coordinates_per_second() -> float:
    """The exact sampler on two knots a coordinate."""
    rng = np.random.default_rng(0)
    law = product_sampler.potential(np.tile([-1.0, 1.0], (100, 1)), np.full((100, 2), 3.0))
    return 400_000 / seconds(lambda: product_sampler.sample(law, 4000, rng, strength=0.5))


def chain_steps_per_second() -> float:
    """A step of the proximal sampler on |x| in one dimension."""
    rng = np.random.default_rng(0)
    y = rng.standard_normal((100_000, 1))
    return 100_000 / seconds(
        lambda: proximal_sampler.restricted_gaussian(
            lambda x: np.abs(x[:, 0]), y, rng, lipschitz=1.0, strength=1.0, step_size=0.25
        )
    )


def traces_per_second() -> float:
    """Trace′ at n = 8, security 0.1: 28,045 columns, all of them read or half of them."""
    rng = np.random.default_rng(0)
    code = fingerprinting.generate(8, 0.1, rng)
    pirate = coalitions.average_then_round(code.words)
    return 1.0 / seconds(lambda: fingerprinting.accused(code, pirate, threshold="tardos"), 50)


def main() -> None:
    """Print the three figures."""
    print(f"exact sampler      {coordinates_per_second():,.0f} coordinates/s")
    print(f"proximal sampler   {chain_steps_per_second():,.0f} chain-steps/s")
    print(f"tracing, n = 8     {traces_per_second():,.0f} traces/s")


if __name__ == "__main__":
    main()
