"""What audits cost that do not stop early: processor seconds, and the memory of large outputs."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pandas as pd
from scipy import sparse

from audits.privacy import audit_privacy
from audits.privacy.claims import Approximate
from benchmarks.cases import Case, Rng, any_two


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


def cost(name: str, mechanism: Any, samples: int, asked: float) -> tuple[Case, int, float]:
    """A mechanism that keeps ε = 1, δ = 10⁻⁵; its samples, and the processor seconds that are asked for."""
    return Case(name, mechanism, [(0, 1)], claim=Approximate(1.0, 1e-5)), samples, asked


COSTS = (
    cost("one number", lambda data, size, rng: data + rng.laplace(size=size), 10**4, 0.06),
    cost("20 columns", columns(20), 10**5, 1.5),
    cost("200 columns", columns(200), 10**5, 6.0),
    cost("unique strings", strings, 10**5, 2.0),
)


@dataclass(frozen=True, slots=True)
class Large:
    """Outputs that hold much, each from the record and a generator; the record is in one number of them."""

    name: str
    output: Callable[[int, Rng], Any]
    samples: int = 2000
    asked: float = 1.0


def noise(record: int, rng: Rng, *shape: int) -> Any:
    """Gaussian noise of scale 4, the record in its first number."""
    found = rng.normal(scale=4.0, size=shape)
    found.flat[0] += record
    return found


def people(record: int, rng: Rng) -> Any:
    """A table of 100 people with columns of several types."""
    wages = noise(record, rng, 100)
    ages, places = rng.integers(100, size=100), rng.choice(["north", "east", "south", "west"], size=100)
    return pd.DataFrame({"age": ages, "place": places, "wage": wages, "married": ages > 30})


def some_of_many(record: int, rng: Rng) -> Any:
    """Noisy counts of 20 of 10⁴ categories."""
    keys = rng.choice(10**4, 20, replace=False)
    return pd.Series(noise(record, rng, 20), index=[f"category {key}" for key in keys])


def page(record: int, rng: Rng) -> str:
    """A text of 50 lines with a number in each."""
    return "\n".join(f"On day {j} the sum was {x:.3f}." for j, x in enumerate(noise(record, rng, 50)))


LARGE = (
    Large("array of 1,000 numbers, 100,000 of them", lambda x, rng: noise(x, rng, 1000), 10**5, 4.0),
    Large("array of 1,000 numbers", lambda x, rng: noise(x, rng, 1000)),
    Large("array of 12,500 numbers", lambda x, rng: noise(x, rng, 12_500)),
    Large("image of 100 × 100 × 3", lambda x, rng: noise(x, rng, 100, 100, 3)),
    Large("DataFrame of 50 × 100", lambda x, rng: pd.DataFrame(noise(x, rng, 50, 100))),
    Large("DataFrame of 1 × 100", lambda x, rng: pd.DataFrame(noise(x, rng, 1, 100))),
    Large("DataFrame of 100 people", people),
    Large("Series of 20 of 10⁴ categories", some_of_many),
    Large(
        "attributes of an estimator",
        lambda x, rng: {"coef_": noise(x, rng, 1000), "n_iter_": 7, "loss": "log"},
    ),
    Large("sparse matrix of 1000 × 1000", lambda x, rng: sparse.random(1000, 1000, 1e-3, random_state=rng)),
    Large("lists of 10 × 10 × 10", lambda x, rng: noise(x, rng, 10, 10, 10).tolist()),
    Large("text of a page", page),
    Large("one of 10⁵ categories", lambda x, rng: f"category {rng.integers(10**5)}"),
)


def alone(name: str, seed: int) -> dict[str, Any]:
    """What an audit of large outputs took in a process of its own, as the line of a CSV has it: the value is
    GiB at the peak, libraries included."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        return process.submit(_alone, name, seed).result()


def _alone(name: str, seed: int) -> dict[str, Any]:
    large = next(large for large in LARGE if large.name == name)

    def mechanism(data: int, size: int, rng: Rng) -> Any:
        return [large.output(data, rng) for _ in range(size)]

    options: dict[str, Any] = {"epsilon": 1.0, "delta": 1e-5, "max_samples": large.samples, "seed": seed}
    start = time.process_time()
    try:
        found = audit_privacy(mechanism, [(1, 0)], adjacency=any_two, stop_early=False, **options)
        verdict, samples = str(found.verdict), found.samples
    except ValueError:
        verdict, samples = "refused", 0
    # `getrusage` hands the peak of the process that started this one down to it: Linux's own record does not.
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    peak = next(line for line in lines if line.startswith("VmHWM"))
    seconds = round(time.process_time() - start, 3)
    return {"verdict": verdict, "drawn": samples, "value": float(peak.split()[1]) / 2**20, "seconds": seconds}
