"""Planted leaks: is what a passed audit lists as caught caught, and what does the list cost?

    python benchmarks/planting.py [RUNS] [WORD]

For each mechanism an audit passes and lists what it would have caught. Each leak on the list is then built
into the mechanism, fresh draws and all, and audited RUNS times in full: the share that is refuted. Prints the
table of docs/benchmarks.md.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from audits.privacy import audit_privacy, each
from audits.privacy.after.leaks import PlantedLeak, battery
from audits.privacy.after.planting import Leaky, Source
from audits.privacy.bet.method import Job
from audits.privacy.bet.sequential import Sequential
from audits.privacy.draw.datasets import Dataset, kept_apart
from audits.privacy.draw.draws import Drawer
from audits.privacy.options import Options
from audits.privacy.outputs.encoder import Encoder
from audits.privacy.outputs.outputs import Encoded

Rng = np.random.Generator
LOOK_AT = 4096


def laplace(data: int, size: int, rng: Rng) -> Any:
    """Noise for ε = 1."""
    return data + rng.laplace(size=size)


def gaussian_columns(data: int, size: int, rng: Rng) -> Any:
    """Four columns that hide the dataset well."""
    values = rng.normal(size=(size, 4))
    values[:, 0] += 0.2 * data
    return values


def geometric(data: int, size: int, rng: Rng) -> Any:
    """Two-sided geometric noise for ε = 1."""
    sums = rng.geometric(1.0 - np.exp(-1.0), (size, 2))
    return data + sums[:, 0] - sums[:, 1]


def words(data: int, size: int, rng: Rng) -> Any:
    """Randomised response over three words, ε = 0.7."""
    return np.array(["no", "perhaps", "yes"])[(data + rng.choice(3, size, p=[0.5, 0.25, 0.25])) % 3]


@each
def lists(data: int, rng: Rng) -> Any:
    """Lists of one to three noisy numbers."""
    return (data + rng.laplace(scale=4.0, size=rng.integers(1, 4))).tolist()


MECHANISMS: tuple[tuple[str, Callable[..., Any], int], ...] = (
    ("Laplace noise", laplace, 100_000),
    ("geometric noise", geometric, 100_000),
    ("randomised response", words, 100_000),
    ("four Gaussian columns", gaussian_columns, 20_000),
    ("lists", lists, 5_000),
)


def audited(mechanism: Callable[..., Any], samples: int, seed: int, planting: bool) -> Any:
    """An audit as the command has it."""
    return audit_privacy(
        mechanism,
        [(0, 1)],
        epsilon=1.0,
        adjacency=lambda a, b: True,
        alpha=0.001,
        seed=seed,
        max_samples=samples,
        planting=planting,
        precision=None,
        confirm=True,
    )


def fresh(mechanism: Callable[..., Any]) -> Source:
    """Fresh outputs of a mechanism, as columns."""
    drawer = Drawer(mechanism)
    columns = drawer.encoder()

    def source(data: Dataset, size: int, rng: Rng, where: str) -> Encoded:
        return columns.widen(columns.encode(drawer.draw(data, size, rng, where), where))

    return source


def caught(mechanism: Callable[..., Any], leak: PlantedLeak, size: float, samples: int, seed: int) -> bool:
    """Whether an audit of all samples refutes the mechanism with the leak in it."""
    rng = np.random.default_rng(seed)
    request = Job(
        Options(epsilon=1.0, delta=0.0, alpha=0.001, max_samples=samples, confirm=True),
        cast(Drawer, Leaky(fresh(mechanism), leak, size, rng.spawn(1)[0])),
        [kept_apart((0, 1))],
        rng,
    )
    return Sequential(request).run().refuted


def main(arguments: list[str]) -> int:
    """Measure and print."""
    runs = int(arguments[0]) if arguments else 200
    print("| mechanism | samples | leak that was listed | caught | s of the audit, of planting |")
    print("| --- | --- | --- | --- | --- |")
    for name, mechanism, samples in MECHANISMS:
        if len(arguments) > 1 and arguments[1] not in name:
            continue
        start = time.process_time()
        audited(mechanism, samples, 0, False)
        plain = time.process_time() - start
        start = time.process_time()
        result = audited(mechanism, samples, 0, True)
        spent = time.process_time() - start - plain
        rng = np.random.default_rng(0)
        encoder = Encoder()
        looks = [encoder.encode(_raw(mechanism(data, LOOK_AT, rng)), "a look") for data in (0, 1)]
        kinds = battery(encoder.widen(looks[0]), encoder.widen(looks[1]), encoder)
        # Places differ from sample to sample, kinds do not.
        for leak, one in zip(kinds, result.planted, strict=True):
            if one.caught is None:
                continue
            refuted = sum(caught(mechanism, leak, one.caught, samples, seed) for seed in range(1, runs + 1))
            cost = f"{plain:.2f}, {max(spent, 0.0):.2f}"
            leaked, share = one.said(one.caught), f"{refuted / runs:.1%} of {runs}"
            print(f"| {name} | {samples:,} | {leaked} | {share} | {cost} |", flush=True)
    return 0


def _raw(outputs: Any) -> Any:
    if isinstance(outputs, np.ndarray):
        return outputs
    found = np.empty(len(outputs), dtype=object)
    found[:] = outputs
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
