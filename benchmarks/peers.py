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

    python -m benchmarks.peers --canaries --runs 20 --jax-privacy FOLDER --opake FOLDER --privacy-guard FOLDER

holds `audit_canaries` against them on the same scores of one training run: 1,000 canaries, mechanisms
whose ε at δ = 10⁻⁵ is known, appended to peers_canaries.csv. "GDP" converts a bound of μ to ε; its truth is
the ε of the least μ for which the mechanism is μ-GDP. PrivacyGuard, from a clone, does not choose the number
of guesses: 50 at each end, for both.
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

from audits.bounds import clopper_pearson
from benchmarks.measure import METHODS, audit, markdown
from benchmarks.reachable import ALPHA, reachable

CSV = Path(__file__).resolve().with_name("peers.csv")
FIELDS = ["row", "samples", "method", "seed", "epsilon_lower", "reachable", "seconds"]
CANARIES = CSV.with_name("peers_canaries.csv")
TAIL, DELTA = 0.01, 1e-5
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
        low, high = clopper_pearson(hits[0], n, ALPHA / 4)[0], clopper_pearson(hits[1], n, ALPHA / 4)[1]
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
        most = reachable(row, n)
        rng = np.random.default_rng(seed)
        first, second = (columns(row.mechanism(data, n, rng)) for data in row.pairs[0])
        methods: dict[str, Callable[[], float]] = {
            "DP-Sniper": partial(sniper, first, second),
            "jax-privacy": partial(canary, module, first, second),
            **{method: partial(ours, row, method, n, seed) for method in METHODS},
        }
        for method, run in methods.items():
            if (row.name, n, method, seed) not in done:
                start = time.process_time()
                found = round(run(), 4), round(most, 4), round(time.process_time() - start, 2)
                line = pd.DataFrame([(row.name, n, method, seed, *found)], columns=FIELDS)
                line.to_csv(CSV, mode="a", header=not CSV.exists(), index=False)


def ours(row: Any, method: str, samples: int, seed: int) -> float:
    """The lower bound of `audit_privacy`."""
    return audit(row, seed, max_samples=samples, method=method, stop_early=False).epsilon_lower


# --- One training run -----------------------------------------------------------------------------------


def responses(coins: Any, rng: np.random.Generator) -> Any:
    """Randomised response with ε = 2."""
    return np.where(rng.random(coins.size) < 1.0 / (1.0 + np.exp(-2.0)), coins, ~coins) * 1.0


def gaussian(mu: float, coins: Any, rng: np.random.Generator) -> Any:
    return mu * coins + rng.normal(size=coins.size)


def all_or_nothing(coins: Any, rng: np.random.Generator) -> Any:
    """With probability 0.1 each coin, right with probability 0.9; else noise: ε = log 9, and μ-GDP with
    Φ(Φ⁻¹(0.01) + μ) = 0.09, as the trade-off curve has its corners at (0.01, 0.09) and (0.91, 0.99)."""
    right = rng.random(coins.size) < (0.9 if rng.random() < 0.1 else 0.5)
    return np.where(right, coins, ~coins) * 1.0


def sampled(coins: Any, rng: np.random.Generator) -> Any:
    """N(3, 1) for a fifth of the canaries that are in, else N(0, 1)."""
    return gaussian(3.0, coins & (rng.random(coins.size) < 0.2), rng)


def epsilon_of(delta_at: Callable[[float], float]) -> float:
    """The ε at which δ(ε) = DELTA."""
    from scipy.optimize import brentq

    if delta_at(0.0) <= DELTA:
        return 0.0
    return float(brentq(lambda e: delta_at(e) - DELTA, 0.0, 100.0))  # type: ignore[arg-type]


def truths() -> dict[str, tuple[Callable[..., Any], float, float]]:
    """Mechanism, its ε, and the ε of its μ (NaN where it is μ-GDP for no μ that is known), by name."""
    from scipy.special import ndtri

    from audits import Gaussian, Mixture, hockey_stick
    from audits.privacy.claims import GaussianDP

    one, other = Gaussian(0.0, 1.0), Mixture([0.8, 0.2], [Gaussian(0.0, 1.0), Gaussian(3.0, 1.0)])
    both = [partial(hockey_stick, other, one), partial(hockey_stick, one, other)]
    of_mu = {mu: epsilon_of(GaussianDP(mu).delta) for mu in (1.0, 2.0, 4.0)}
    corner = epsilon_of(GaussianDP(float(ndtri(0.09) - ndtri(0.01))).delta)
    # Randomised response has its one corner at (1 − p, p).
    response = epsilon_of(GaussianDP(-2.0 * float(ndtri(1.0 / (1.0 + np.exp(2.0))))).delta)
    return {
        "randomised response, ε = 2": (responses, 2.0, response),
        **{f"N({mu:g}, 1) and N(0, 1)": (partial(gaussian, mu), truth, truth) for mu, truth in of_mu.items()},
        "a fifth of N(3, 1)": (sampled, max(map(epsilon_of, both)), np.nan),
        "all coins, in a tenth of the runs": (all_or_nothing, float(np.log(9.0)), corner),
    }


def of_ours(guesses: tuple[int, int] | None = None) -> dict[str, Callable[..., float]]:
    from audits.canaries import audit_canaries
    from audits.privacy.claims import Approximate, GaussianDP

    options = {"alpha": ALPHA, "guesses": guesses}

    def gdp(scores: Any, coins: Any) -> float:
        mu = audit_canaries(scores, coins, claim=GaussianDP(1.0), **options).lower
        return epsilon_of(GaussianDP(mu).delta) if mu else 0.0

    name = "audit_canaries" + ", 50 + 50 guesses" * (guesses is not None)
    return {
        name: lambda scores, coins: (
            audit_canaries(scores, coins, claim=Approximate(1.0, DELTA), **options).lower
        ),
        f"{name}, GDP": gdp,
    }


def of_jax(module: Any) -> dict[str, Callable[..., float]]:
    def bound(name: str, strategy: Any, scores: Any, coins: Any) -> float:
        auditor = module.CanaryScoreAuditor(scores[coins], scores[~coins])
        return float(getattr(auditor, name)(ALPHA, DELTA, threshold_strategy=strategy))

    split = module.Split(threshold_estimation_frac=0.5, seed=0)
    return {
        f"jax-privacy, {words}{gdp}": partial(bound, f"epsilon_one_run{kind}", strategy)
        for words, strategy in (("Bonferroni", module.Bonferroni()), ("Split", split))
        for gdp, kind in (("", ""), (", GDP", "_fdp"))
    }


def of_opake(folder: Path) -> dict[str, Callable[..., float]]:
    """Its estimator alone: the package around it loads PyTorch."""
    import types

    sys.path.insert(0, str(folder))
    package = types.ModuleType("opake.api.auditing")
    package.__path__ = [str(folder / "opake" / "api" / "auditing")]
    sys.modules["opake.api.auditing"] = package
    estimate = importlib.import_module("opake.api.auditing.one_run._estimate")
    curve = importlib.import_module("opake.api.auditing.one_run._roc").get_tn_fn_counts

    def bound(method: str, scores: Any, coins: Any) -> float:
        inside, outside = scores[coins], scores[~coins]
        thresholds, tn, fn = curve(inside, outside)
        made = estimate.OneRunEstimate(
            n_in=inside.size, n_out=outside.size, thresholds=thresholds, tn_counts=tn, fn_counts=fn,
            tp_counts=(fn[-1] - fn)[::-1], fp_counts=(tn[-1] - tn)[::-1], in_scores=inside,
            out_scores=outside,
        )  # fmt: skip
        return float(getattr(made, method)().epsilon_at(delta=DELTA, significance=ALPHA))

    return {"opake": partial(bound, "eps_delta"), "opake, GDP": partial(bound, "gdp")}


def of_privacy_guard(folder: Path) -> dict[str, Callable[..., float]]:
    sys.path.insert(0, str(folder))
    node = importlib.import_module("privacy_guard.analysis.mia.fdp_analysis_node").FDPAnalysisNode

    def bound(scores: Any, coins: Any) -> float:
        order = np.argsort(scores, kind="stable")
        right = int(coins[order[-50:]].sum() + (~coins[order[:50]]).sum())
        return float(node(coins.size, right, 100, threshold=ALPHA, delta=DELTA).run_analysis().eps)

    return {"PrivacyGuard, 50 + 50 guesses, GDP": bound}


def one_run(methods: dict[str, Callable[..., float]], runs: int, only: str, canaries: int = 1_000) -> None:
    """Mean bound and how many of the runs were above the truth, for each mechanism and method."""
    for name, (mechanism, epsilon, of_mu) in truths().items():
        if only not in name:
            continue
        for method, bound in methods.items():
            truth = of_mu if "GDP" in method else epsilon
            start, found = time.process_time(), []
            for seed in range(runs):
                rng = np.random.default_rng(seed)
                coins = rng.random(canaries) < 0.5
                found.append(bound(mechanism(coins, rng), coins))
            line = {
                "mechanism": name, "method": method, "runs": runs, "truth": round(truth, 3),
                "mean bound": round(float(np.mean(found)), 3),
                "above": "" if np.isnan(truth) else int(np.sum(np.array(found) > truth + 1e-3)),
                "seconds a run": round((time.process_time() - start) / runs, 3),
            }  # fmt: skip
            pd.DataFrame([line]).to_csv(CANARIES, mode="a", header=not CANARIES.exists(), index=False)


def table(lines: pd.DataFrame) -> str:
    """Mean shares of what is reachable, and seconds, by method and samples."""
    lines = lines.assign(**{"share of reachable": lines["epsilon_lower"] / lines["reachable"]})
    mean = lines.groupby(["method", "samples"], sort=False)[["share of reachable", "seconds"]].mean()
    return markdown(mean.map("{:.2f}".format).reset_index("samples").sort_values("samples", kind="stable"))


def main(arguments: Sequence[str]) -> int:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--jax-privacy", type=Path)
    parser.add_argument("--samples", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--canaries", action="store_true")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--only", default="", metavar="TEXT", help="Mechanisms with this in their name.")
    parser.add_argument("--opake", type=Path)
    parser.add_argument("--privacy-guard", type=Path)
    asked = parser.parse_args(arguments)
    if asked.canaries:
        methods = of_ours() | (of_jax(load(asked.jax_privacy)) if asked.jax_privacy else {})
        methods |= of_opake(asked.opake) if asked.opake else {}
        if asked.privacy_guard:
            methods |= of_ours((50, 50)) | of_privacy_guard(asked.privacy_guard)
        one_run(methods, asked.runs, asked.only)
        print(pd.read_csv(CANARIES).to_string(index=False))
        return 0
    if asked.jax_privacy:
        measure(load(asked.jax_privacy), asked.samples, asked.seeds)
    print(table(pd.read_csv(CSV)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
