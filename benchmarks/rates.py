"""Intervals and verdicts of fitted exponents on simulated tables, beside four other ways to get them.

    python -m benchmarks.rates [TABLES] [WORD]

One row a kind of table and method; a kind whose name holds WORD, 600 tables by default. The share of tables
whose 95 % and 99.8 % interval misses the true exponent; the share of false verdicts where the true exponent
is off by exactly the tolerance, 0.05 (at most 2.5 % REFUTED, 5 % CONSISTENT are nominal); the share where no
answer is given; the median half width of the 95 % interval. Written to benchmarks/rates.csv.
"""

from __future__ import annotations

import itertools
import math
import sys
import warnings
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from audits.evidence import Verdict
from audits.rates import Exponent, fit_rate

Rng = np.random.Generator
Table = dict[str, Any]
Make = Callable[[Rng], Table]

OUT = Path(__file__).with_suffix(".csv")
TRUTH, TOLERANCE = -1.0, 0.05
SEVEN, TWELVE = np.geomspace(100.0, 6400.0, 7), np.geomspace(10.0, 1e4, 12)
COLUMNS = ("kind", "method", "tables", "missed_95", "missed_998", "refuted", "consistent", "none", "width")


# --- Kinds of tables: the mean risk is n⁻¹, times √d where there is an axis d ----------------------------


def trials(draw: Callable[[Rng, int], Any], count: int = 40, sizes: Any = SEVEN) -> Make:
    """Independent trials of mean 1, scaled by n⁻¹."""

    def make(rng: Rng) -> Table:
        n = np.repeat(sizes, count)
        return {"n": n, "risk": draw(rng, n.size) / n}

    return make


def scatter(spread: Any, sizes: Any = SEVEN, df: float = math.inf) -> Make:
    """One row a cell, with normal (or Student's t) scatter of the logarithm."""

    def make(rng: Rng) -> Table:
        noise = rng.standard_t(df, sizes.size) if math.isfinite(df) else rng.normal(size=sizes.size)
        return {"n": sizes, "risk": np.exp(spread * noise) / sizes}

    return make


def uneven(rng: Rng) -> Table:
    """Ever fewer trials along the axis."""
    n = np.repeat(SEVEN, [400, 200, 100, 60, 40, 30, 20])
    return {"n": n, "risk": rng.exponential(size=n.size) / n}


def two_axes(count: int, spread: float) -> Make:
    """Trials on a grid of two axes, and scatter of the cells beyond that of the trials."""

    def make(rng: Rng) -> Table:
        n, d = (a.ravel() for a in np.meshgrid(SEVEN, [1.0, 2.0, 4.0]))
        mean = np.sqrt(d) / n * np.exp(spread * rng.normal(size=n.size))
        n, d, mean = (np.repeat(a, count) for a in (n, d, mean))
        return {"n": n, "d": d, "risk": mean * rng.gamma(2.0, 0.5, n.size)}

    return make


def told_errors(rng: Rng) -> Table:
    """Means with their standard errors, from 1 % to 10 %, and nothing else."""
    error = np.geomspace(0.01, 0.1, 7)
    return {"n": SEVEN, "risk": (1.0 + error * rng.normal(size=7)) / SEVEN, "error": error / SEVEN}


def datasets(rng: Rng) -> Table:
    """Ten datasets, four cells each; their own deviation is named as a trial."""
    shared = np.repeat(0.1 * rng.normal(size=10), 4)
    n = np.exp(np.linspace(math.log(10.0), math.log(1e4), 40))
    risk = np.exp(shared + 0.02 * rng.normal(size=40)) / n
    return {"n": n, "risk": risk, "trial": np.repeat(np.arange(10), 4)}


def noisy_excess(level: float) -> Make:
    """An excess risk with normal noise of one size everywhere: some means of 40 trials are below 0."""

    def make(rng: Rng) -> Table:
        n = np.repeat(SEVEN, 40)
        return {"n": n, "risk": 1.0 / n + level * rng.normal(size=n.size)}

    return make


def seeds(count: int, spread: Callable[[Rng, int], Any], named: bool = True, sizes: Any = SEVEN) -> Make:
    """The same seeds at all sizes; `spread` gives deviations (count, sizes) relative to the mean risk."""

    def make(rng: Rng) -> Table:
        risk = (1.0 + spread(rng, count)) / sizes
        table = {"n": np.tile(sizes, count), "risk": risk.ravel()}
        return table | ({"seed": np.repeat(np.arange(count), sizes.size)} if named else {})

    return make


def slopes(rng: Rng, count: int) -> Any:
    """Seeds whose slopes differ, with little noise beside."""
    along = np.log(SEVEN) - np.log(SEVEN).mean()
    return 0.1 * rng.normal(size=(count, 1)) * along + 0.02 * rng.normal(size=(count, SEVEN.size))


def shifts(rng: Rng, count: int) -> Any:
    """Easy and hard seeds: each is off by one factor at all sizes."""
    return 0.3 * rng.normal(size=(count, 1)) + 0.05 * rng.normal(size=(count, SEVEN.size))


def nested(rng: Rng, count: int) -> Any:
    """The squared error of a mean of the first n of one sample: m̄_n² n is χ²₁, dependent over n."""
    n = SEVEN.round().astype(int)
    steps = rng.normal(size=(count, n.size)) * np.sqrt(np.diff(n, prepend=0))
    return np.cumsum(steps, axis=1) ** 2 / n - 1.0


def apart(rng: Rng, count: int) -> Any:
    """Trials that share nothing but a number."""
    return rng.exponential(size=(count, SEVEN.size)) - 1.0


KINDS: dict[str, Make] = {
    "exponential, 7 × 40": trials(lambda r, k: r.exponential(size=k)),
    "exponential, 7 × 5": trials(lambda r, k: r.exponential(size=k), 5),
    "exponential, 4 × 40": trials(lambda r, k: r.exponential(size=k), sizes=SEVEN[::2]),
    "exponential, 12 × 3": trials(lambda r, k: r.exponential(size=k), 3, TWELVE),
    "chi-square of one, 7 × 40": trials(lambda r, k: r.normal(size=k) ** 2),
    "log-normal, 7 × 100": trials(lambda r, k: r.lognormal(-1.125, 1.5, k), 100),
    "Pareto 2.5, 7 × 200": trials(lambda r, k: 1.5 * r.pareto(2.5, k), 200),
    "normal 5 %, 7 × 10": trials(lambda r, k: 1.0 + 0.05 * r.normal(size=k), 10),
    "uneven trials": uneven,
    "scatter 10 %, 4 cells": scatter(0.1, SEVEN[::2]),
    "scatter 10 %, 7 cells": scatter(0.1),
    "scatter 2 %, 12 cells": scatter(0.02, TWELVE),
    "scatter grows, 12 cells": scatter(np.linspace(0.02, 0.4, 12), TWELVE),
    "scatter falls, 12 cells": scatter(np.linspace(0.4, 0.02, 12), TWELVE),
    "scatter of t₃, 12 cells": scatter(0.1, TWELVE, 3.0),
    "standard errors told": told_errors,
    "two axes, trials": two_axes(15, 0.0),
    "two axes, scatter": two_axes(15, 0.1),
    "datasets with cells of their own": datasets,
    "below 0, a little": noisy_excess(6e-4),
    "below 0, often": noisy_excess(1.5e-3),
    "slopes differ, 10 seeds": seeds(10, slopes),
    "slopes differ, 40 seeds": seeds(40, slopes),
    "nested data, 10 seeds": seeds(10, nested),
    "nested data, 40 seeds": seeds(40, nested),
    "shifts, 10 seeds": seeds(10, shifts),
    "independent, 5 seeds": seeds(5, apart),
    "independent, 10 seeds": seeds(10, apart),
    "slopes differ, 40 not named": seeds(40, slopes, named=False),
    "nested data, 40 not named": seeds(40, nested, named=False),
    "shifts, 10 not named": seeds(10, shifts, named=False),
}


# --- Methods: an exponent, and a verdict where the method is ours ----------------------------------------

Found = tuple[Exponent, Verdict | None]


def ours(table: Table, rng: Rng) -> Found:
    """`fit_rate`, the true exponent off by the tolerance; what it recognises in a table it recognises."""
    axes = [a for a in ("n", "d") if a in table]
    error = "error" if "error" in table else None
    claimed = {"n": TRUTH - TOLERANCE}
    fit = fit_rate(table, "risk", axes, claimed, TOLERANCE, equivalence_alpha=0.05, standard_error=error)["n"]
    return fit.exponent, fit.verdict


def means(table: Table) -> tuple[Any, Any, Any]:
    """Design, log of the mean risk and relative standard error of each cell."""
    columns = [table[a] for a in ("n", "d") if a in table]
    grid, cell = np.unique(np.column_stack(columns), axis=0, return_inverse=True)
    count = np.bincount(cell.ravel())
    mean = np.bincount(cell.ravel(), table["risk"]) / count
    square = np.bincount(cell.ravel(), (table["risk"] - mean[cell.ravel()]) ** 2)
    error = table.get("error", np.sqrt(square / np.maximum(count - 1, 1) / count))
    keep = mean > 0.0
    design = np.column_stack([np.ones(len(grid)), np.log(grid)])[keep]
    return design, np.log(mean[keep]), (error / mean)[keep]


def ols(table: Table, rng: Rng) -> Found:
    return _least_squares(*means(table)[:2], robust=False)


def hc3(table: Table, rng: Rng) -> Found:
    return _least_squares(*means(table)[:2])


def wls(table: Table, rng: Rng) -> Found:
    """Weights from the errors of the cells alone, HC3."""
    design, y, error = means(table)
    return _least_squares(design, y, 1.0 / np.maximum(error, 1e-3) ** 2)


def _least_squares(design: Any, y: Any, weights: Any = 1.0, robust: bool = True) -> Found:
    from statsmodels.regression.linear_model import WLS

    line: Any = WLS(y, design, weights=weights).fit()
    error = line.HC3_se[1] if robust else line.bse[1]
    return Exponent(estimate=line.params[1], standard_error=error, degrees_of_freedom=line.df_resid), None


def bootstrap(table: Table, rng: Rng, draws: int = 400) -> Found:
    """The standard deviation over draws of the cells with exponential weights, Student's t."""
    design, y, _ = means(table)
    w = rng.exponential(size=(draws, y.size))
    gram, right = np.einsum("bi,ij,ik->bjk", w, design, design), np.einsum("bi,ij,i->bj", w, design, y)
    found = np.linalg.solve(gram, right[:, :, None])[:, 1, 0]
    estimate = np.linalg.lstsq(design, y)[0][1]
    freedom = y.size - design.shape[1]
    return Exponent(estimate=estimate, standard_error=found.std(), degrees_of_freedom=freedom), None


METHODS: dict[str, Callable[[Table, Rng], Found]] = {
    "ours": ours, "OLS": ols, "HC3": hc3, "WLS + HC3": wls, "bootstrap": bootstrap,
}  # fmt: skip


# --- The table --------------------------------------------------------------------------------------------


def verdict_of(exponent: Exponent) -> Verdict:
    """Two one-sided tests at 5 % for a pass, a 95 % interval for a refutation, as `fit_rate` has them."""
    low, high = exponent.interval(0.025)
    claimed = TRUTH - TOLERANCE
    if low > claimed + TOLERANCE or high < claimed - TOLERANCE:
        return Verdict.REFUTED
    low, high = exponent.interval(0.05)
    inside = claimed - TOLERANCE <= low and high <= claimed + TOLERANCE
    return Verdict.CONSISTENT if inside else Verdict.INCONCLUSIVE


def row(kind: str, method: str, tables: int) -> list[Any]:
    rng = np.random.default_rng(zlib.crc32(kind.encode()))
    missed = np.zeros(2)
    counts = dict.fromkeys(Verdict, 0)
    none, widths = 0, []
    for _ in range(tables):
        table = KINDS[kind](rng)
        try:
            exponent, verdict = METHODS[method](table, np.random.default_rng(0))
        except ValueError:  # no answer
            none += 1
            continue
        for i, level in enumerate((0.025, 0.001)):
            low, high = exponent.interval(level)
            missed[i] += not low <= TRUTH <= high
            if i == 0:
                widths.append(0.5 * (high - low))
        counts[verdict or verdict_of(exponent)] += 1
    given = max(tables - none, 1)
    shares = [*(missed / given), counts[Verdict.REFUTED] / given, counts[Verdict.CONSISTENT] / given]
    width = float(np.median(widths)) if widths else math.nan
    return [kind, method, tables, *(f"{s:.4f}" for s in shares), f"{none / tables:.4f}", f"{width:.4f}"]


def main(tables: int = 600, word: str = "") -> None:
    warnings.simplefilter("ignore")  # of HC3 where a cell has leverage 1
    found = []
    for kind, method in itertools.product([k for k in KINDS if word in k], METHODS):
        found.append(row(kind, method, tables))
        print(" ".join(f"{cell:>9}" if i > 1 else f"{cell:28}" for i, cell in enumerate(found[-1])))
    if not word:
        pd.DataFrame(found, columns=COLUMNS).to_csv(OUT, index=False)


if __name__ == "__main__":
    main(*(int(a) if a.isdigit() else a for a in sys.argv[1:]))  # type: ignore[arg-type]
