"""Other methods on the same rows and samples: lower bounds as shares of what the best fixed event shows.

    python -m benchmarks.peers --jax-privacy FOLDER [--samples 10000 100000] [--seeds 3]

FOLDER holds the package jax_privacy, as `pip install --no-deps --target FOLDER jax-privacy` puts it; its
module `auditing` alone is loaded, so JAX need not be there. Results are appended to peers.csv; what is there
is not measured again.

* DP-Sniper (Bichsel, Steffen, Bogunovic, Vechev, S&P 2021), written from the paper: a logistic regression on
  half of the samples; the event is {score ≥ t}, of which the lesser dataset has a share c = 0.01; two
  Clopper–Pearson bounds on the other half. Both orders of the datasets, each at α/2.
* jax-privacy 2.0: `CanaryScoreAuditor.epsilon_clopper_pearson` on the scores of the same regression, with a
  threshold chosen by the strategy `Split`.
* `audit_privacy`, both methods, with all the samples.
"""

from __future__ import annotations

import argparse
import importlib.util
import itertools
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.reachable import reachable_epsilon

CSV = Path(__file__).resolve().with_name("peers.csv")
FIELDS = ["row", "samples", "method", "seed", "epsilon_lower", "reachable", "seconds"]
ALPHA, TAIL = 0.05, 0.01
ROWS = (
    "sensitivity 10 % too small",
    "budget of ten queries for one",
    "noise cut off and drawn again",
    "the winner and its count from the same noise",
    "whole ε for each bit of a one-hot vector",
    "sampling rate of a quarter, half in truth",
)


def columns(outputs: Any) -> Any:
    """Outputs as rows of numbers."""
    found = np.asarray(outputs, dtype=np.float64)
    return found.reshape(len(found), -1)


def scores(first: Any, second: Any) -> tuple[Any, Any]:
    """Scores of the second halves of both datasets, by a logistic regression on the first halves."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    half = len(first) // 2
    x = np.concatenate([first[:half], second[:half]])
    scaler = StandardScaler().fit(x)
    model = LogisticRegression().fit(scaler.transform(x), np.repeat([1, 0], half))
    a, b = (model.decision_function(scaler.transform(side)) for side in (first, second))
    return a, b


def sniper(first: Any, second: Any) -> float:
    """The lower bound of DP-Sniper."""
    from scipy.stats import beta

    half, best = len(first) // 2, 0.0
    a, b = scores(first, second)
    for more, less in ((a, b), (-b, -a)):
        # Ties with the threshold are in the event with the probability that makes its share c (section IV).
        cut = np.quantile(less[:half], 1.0 - TAIL, method="inverted_cdf")
        over, at = (np.mean(less[:half] > cut), np.mean(less[:half] == cut))
        part = float(np.clip((TAIL - over) / at, 0.0, 1.0)) if at > 0 else 0.0
        rng = np.random.default_rng(0)
        hits = [
            int(np.sum((side > cut) | ((side == cut) & (rng.random(len(side)) < part))))
            for side in (more[half:], less[half:])
        ]
        n = len(more) - half
        low = beta.ppf(ALPHA / 4, hits[0], n - hits[0] + 1) if hits[0] else 0.0
        high = beta.ppf(1 - ALPHA / 4, hits[1] + 1, n - hits[1]) if hits[1] < n else 1.0
        best = max(best, float(np.log(low / high)) if low > 0 else 0.0)
    return best


def canary(module: Any, first: Any, second: Any) -> float:
    """The lower bound of jax-privacy, on scores that were learned on half of the samples."""
    a, b = scores(first, second)
    half = len(a) // 2
    auditor = module.CanaryScoreAuditor(a[half:], b[half:])
    return float(
        auditor.epsilon_clopper_pearson(
            ALPHA, one_sided=False, threshold_strategy=module.Split(threshold_estimation_frac=0.5, seed=0)
        )
    )


def load(folder: Path) -> Any:
    """The module `auditing` of jax-privacy."""
    spec = importlib.util.spec_from_file_location("jax_auditing", folder / "jax_privacy" / "auditing.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["jax_auditing"] = module
    spec.loader.exec_module(module)
    return module


def measure(module: Any, sizes: Sequence[int], seeds: int) -> None:
    """Every method on every row; appends what the CSV does not hold yet."""
    from benchmarks.mistakes import MISTAKES

    done = set() if not CSV.exists() else set(pd.read_csv(CSV)[FIELDS[:4]].itertuples(index=False, name=None))
    rows = [mistake for mistake in MISTAKES if mistake.name in ROWS]
    for row, n, seed in itertools.product(rows, sizes, range(seeds)):
        p, q = row.laws()
        most = max(reachable_epsilon(p, q, n, alpha=ALPHA), reachable_epsilon(q, p, n, alpha=ALPHA))
        rng = np.random.default_rng(seed)
        first, second = (columns(row.mechanism(data, n, rng)) for data in row.pair)
        methods: dict[str, Callable[[], float]] = {
            "DP-Sniper": partial(sniper, first, second),
            "jax-privacy": partial(canary, module, first, second),
            "sequential": partial(ours, row, "sequential", n, seed),
            "clopper-pearson": partial(ours, row, "clopper-pearson", n, seed),
        }
        for method, run in methods.items():
            if (row.name, n, method, seed) not in done:
                start = time.process_time()
                found = round(run(), 4), round(most, 4), round(time.process_time() - start, 2)
                line = pd.DataFrame([(row.name, n, method, seed, *found)], columns=FIELDS)
                line.to_csv(CSV, mode="a", header=not CSV.exists(), index=False)


def ours(row: Any, method: str, samples: int, seed: int) -> float:
    """The lower bound of `audit_privacy`."""
    from benchmarks.measure import audit

    options = {"alpha": ALPHA, "max_samples": samples, "method": method, "stop_early": False}
    return audit(row, seed, **options).epsilon_lower


def table(lines: pd.DataFrame) -> str:
    """Mean shares of what is reachable, and seconds, by method and samples."""
    from benchmarks.measure import markdown

    lines = lines.assign(**{"share of reachable": lines["epsilon_lower"] / lines["reachable"]})
    found = (
        lines.groupby(["method", "samples"], sort=False)[["share of reachable", "seconds"]].mean().round(3)
    )
    return markdown(found.reset_index("samples").sort_values("samples", kind="stable"))


def main(arguments: Sequence[str]) -> int:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--jax-privacy", type=Path)
    parser.add_argument("--samples", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--seeds", type=int, default=3)
    asked = parser.parse_args(arguments)
    if asked.jax_privacy:
        measure(load(asked.jax_privacy), asked.samples, asked.seeds)
    print(table(pd.read_csv(CSV)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
