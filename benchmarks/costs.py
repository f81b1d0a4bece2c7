"""What audits cost that do not stop early: processor seconds of true claims, and the memory of a wide one."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from audits.privacy import audit_privacy

Rng = np.random.Generator


def any_two(first: Any, second: Any) -> bool:
    """The datasets 0 and 1 are neighbours."""
    return True


@dataclass(frozen=True, slots=True)
class Cost:
    """A mechanism that keeps ε = 1, δ = 10⁻⁵; its samples, and the processor seconds that are asked for."""

    name: str
    mechanism: Any
    samples: int
    asked: float
    pair: tuple[int, int] = (0, 1)
    adjacency: Callable[[Any, Any], bool] = any_two
    epsilon: float = 1.0
    delta: float = 1e-5


def columns(width: int) -> Any:
    """Gaussian noise of scale 4 in many columns, the record in the first one."""

    def mechanism(data: int, size: int, rng: Rng) -> Any:
        outputs = rng.normal(scale=4.0, size=(size, width))
        outputs[:, 0] += data
        return outputs

    return mechanism


def strings(data: int, size: int, rng: Rng) -> Any:
    """A text that never comes twice; it tells nothing of the data."""
    return [f"{x:.17g}" for x in rng.normal(size=size)]


COSTS = (
    Cost("one number", lambda data, size, rng: data + rng.laplace(size=size), 10**4, 0.06),
    Cost("20 columns", columns(20), 10**5, 1.5),
    Cost("200 columns", columns(200), 10**5, 6.0),
    Cost("unique strings", strings, 10**5, 2.0),
)
WIDE = "memory of 1,000 columns"


def peak_of_wide_audit(seed: int) -> float:
    """GiB at the peak of an audit of Gaussian noise in 1,000 columns, in a process of its own."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as alone:
        return alone.submit(_wide_audit, seed).result()


def _wide_audit(seed: int) -> float:
    options: dict[str, Any] = {"epsilon": 1.0, "delta": 1e-5, "max_samples": 10**5, "seed": seed}
    audit_privacy(columns(1000), [(1, 0)], adjacency=any_two, **options)
    # `getrusage` hands the peak of the process that started this one down to it: Linux's own record does not.
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    peak = next(line for line in lines if line.startswith("VmHWM"))
    return float(peak.split()[1]) / 2**20
