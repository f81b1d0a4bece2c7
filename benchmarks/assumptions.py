"""How often assumptions of an audit are found to fail: where mechanisms break them, and where they do not.

    python benchmarks/assumptions.py [AUDITS]

Prints the two table of docs/benchmarks.md. AUDITS (default 60) is the number of audits of each mechanism.
"""

from __future__ import annotations

import enum
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from audits.privacy import assumptions
from audits.privacy.bet.method import Job
from audits.privacy.draw.datasets import kept_apart
from audits.privacy.draw.draws import Drawer, each
from audits.privacy.options import Options
from benchmarks.null_cases import null_cases

Rng = np.random.Generator
Mechanism = Callable[[Any, int, Rng], Any]


def _half(data: float, size: int, rng: Rng) -> Any:
    return data + np.sqrt(0.5) * rng.laplace() + np.sqrt(0.5) * rng.laplace(size=size)


def _autocorrelated(rho: float) -> Mechanism:
    def mechanism(data: float, size: int, rng: Rng) -> Any:
        from scipy.signal import lfilter

        steps = rng.normal(size=size) * np.sqrt(1.0 - rho * rho)
        steps[0] = rng.normal()
        return data + lfilter([1.0], [1.0, -rho], steps)

    return mechanism


def _global_seed(data: float, size: int, rng: Rng) -> Any:
    np.random.seed(0)  # noqa: NPY002
    return data + np.random.laplace(size=size)  # noqa: NPY002


def _cached(data: float, size: int, rng: Rng) -> Any:
    return data + np.random.default_rng(7).laplace(size=size)


def _in_place(data: Any, size: int, rng: Rng) -> Any:
    data[0] = 0.0
    return data.sum() + rng.laplace(size=size)


def _shared_symbol(data: float, size: int, rng: Rng) -> Any:
    return np.where(rng.random(size) < 0.5, rng.choice(["a", "b", "c"]), rng.choice(["a", "b", "c"], size))


DEPENDENT: dict[str, Mechanism] = {
    "one shared draw a call": lambda d, n, rng: np.full(n, d + rng.laplace()),
    "half of the variance shared": _half,
    "a tenth of the variance shared": lambda d, n, rng: (
        d + np.sqrt(0.1) * rng.laplace() + np.sqrt(0.9) * rng.laplace(size=n)
    ),
    "autocorrelation 0.9": _autocorrelated(0.9),
    "autocorrelation 0.5": _autocorrelated(0.5),
    "autocorrelation 0.3": _autocorrelated(0.3),
    "vectors, one shared draw a call": lambda d, n, rng: d + np.tile(rng.normal(size=5), (n, 1)),
    "vectors, half shared": lambda d, n, rng: d + rng.normal(size=5) + rng.normal(size=(n, 5)),
    "one column of twenty shared": lambda d, n, rng: np.hstack(
        [rng.normal(size=(n, 19)), np.full((n, 1), d + rng.normal())]
    ),
    "a shared scale": lambda d, n, rng: d + rng.exponential() * rng.normal(size=n),
    "symbols, half shared": _shared_symbol,
    "NumPy's global seed set in each call": _global_seed,
    "a generator of its own with one seed": _cached,
    "data changed in place": _in_place,
}


class Level(enum.IntEnum):
    """What is a number and a name."""

    LOW = 1
    HIGH = 2


LETTERS = np.array(list("abcdefghijklmnopqrstuvwxyz"))
WORDS = np.array(["".join(word) for word in np.random.default_rng(0).choice(LETTERS, (5000, 6))])

INDEPENDENT: dict[str, Mechanism] = {
    "constant": lambda d, n, rng: np.zeros(n),
    "rare atom": lambda d, n, rng: np.where(rng.random(n) < 0.002, 5.0, 0.0),
    "fair coin": lambda d, n, rng: rng.random(n) < 0.5,
    "Cauchy": lambda d, n, rng: rng.standard_cauchy(n),
    "mixture of a number and None": lambda d, n, rng: np.where(rng.random(n) < 0.3, None, rng.normal(size=n)),
    "vectors of 3": lambda d, n, rng: rng.normal(size=(n, 3)),
    "vectors of 200": lambda d, n, rng: rng.normal(size=(n, 200)),
    "sparse vectors": lambda d, n, rng: rng.poisson(0.05, size=(n, 10)),
    "geometric": lambda d, n, rng: rng.geometric(0.3, n),
    "many symbols": lambda d, n, rng: rng.integers(0, 500, n).astype(str),
    "one of 5,000 words": lambda d, n, rng: WORDS[rng.integers(0, len(WORDS), n)].tolist(),
    "words of three letters": lambda d, n, rng: ["".join(w) for w in rng.choice(LETTERS, (n, 3))],
    "members of an enumeration, or None": lambda d, n, rng: [
        [None, *Level][k] for k in rng.binomial(2, 0.7, n)
    ],
    "integers, or now and then a half": lambda d, n, rng: np.array(
        [1.5 if u < 0.02 else 1 for u in rng.random(n)]
    ),
    "lists": lambda d, n, rng: [[1.0] * int(k) for k in rng.poisson(2.0, n)],
    "one output a call": each(lambda d, rng: rng.normal()),
}


def assumption(mechanism: Mechanism, pair: Any, rng: Rng) -> str:
    """The assumption that is found to fail, in a sentence; "" for none."""
    request = Job(
        Options(epsilon=1.0, delta=0.0, alpha=0.05, max_samples=10**6),
        Drawer(mechanism),
        [kept_apart(pair)],
        rng,
    )
    tests = assumptions.Assumptions(request, rng)
    tests.test(0)
    return tests.broken


def share(mechanism: Mechanism, pair: Any, audits: int, seed: int) -> tuple[float, float]:
    """The share of audits in which an assumption is found to fail, and the seconds each takes."""
    failed, start = 0, time.process_time()
    for i in range(audits):
        failed += bool(assumption(mechanism, pair, np.random.default_rng([seed, i])))
    return failed / audits, (time.process_time() - start) / audits


def independent() -> dict[str, tuple[Mechanism, Any]]:
    """Mechanisms of independent outputs, with a pair of datasets: kinds of outputs, and the null cases."""
    found = {name: (mechanism, (0.0, 1.0)) for name, mechanism in INDEPENDENT.items()}
    return found | {case.name: (case.mechanism, case.pairs[0]) for case in null_cases()}


def main(audits: int = 60) -> int:
    """Measure and print."""
    print("| dependent | found | ms |\n| --- | --- | --- |")
    whole = 0.0
    for name, mechanism in DEPENDENT.items():
        pair = (np.ones(2), np.zeros(2)) if mechanism is _in_place else (0.0, 1.0)
        found, seconds = share(mechanism, pair, audits, 0)
        whole += found / len(DEPENDENT)
        print(f"| {name} | {found:.1%} | {1e3 * seconds:.0f} |", flush=True)
    print(f"| all | {whole:.1%} | |")
    total, failed, spent = 0, 0.0, 0.0
    for name, (mechanism, pair) in independent().items():
        found, seconds = share(mechanism, pair, audits, 1)
        total, failed, spent = total + audits, failed + found * audits, spent + seconds * audits
        if found:
            print(f"{name}: {found:.1%}")
    print(
        f"\n{total:,} audits of {len(independent())} independent mechanisms: {failed:.0f} called dependent "
        f"({failed / total:.2%}), {1e3 * spent / total:.0f} ms each"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
