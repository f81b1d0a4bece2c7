"""How often each answer is given beside a baseline, and where two forms are compared.

    python -m benchmarks.rates_answers [TABLES]

Beside a baseline the tolerance is 0.05 and α = 0.001; two forms are compared at the level 0.05. One row a
case and answer, 1,500 tables by default. Written to benchmarks/rates_answers.csv.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from audits.rates import Exponent, compare_exponents, compare_forms
from audits.rates.cells import cells_of, log_risk
from audits.rates.regression import exponent_of, regress
from benchmarks.rates import SEVEN, TOLERANCE, TWELVE, Make, Rng, Table, scatter

OUT = Path(__file__).with_suffix(".csv")


def beside(shift: float, make: Make) -> Callable[[Rng], str]:
    """The answer where the exponent of n has moved by `shift` since the baseline."""

    def exponent(table: Table, power: float) -> Exponent:
        moved = {**table, "risk": table["risk"] * np.asarray(table["n"]) ** power}
        cells = cells_of(moved, "risk", ["n"])
        return exponent_of(
            regress(np.column_stack([np.ones(cells.risk.size), np.log(cells.axes["n"])]), log_risk(cells)), 1
        )

    def answer(rng: Rng) -> str:
        new, old = exponent(make(rng), shift), exponent(make(rng), 0.0)
        return compare_exponents(new, old, tolerance=TOLERANCE, alpha=0.001, worse="higher").answer

    return answer


def told_apart(law: Callable[[Any], Any], spread: float, sizes: Any) -> Callable[[Rng], str]:
    """Which of log(n)/n and n^−0.86 is called better where this law is right."""

    def answer(rng: Rng) -> str:
        table = {"n": sizes, "risk": law(sizes) * np.exp(spread * rng.normal(size=sizes.size))}
        return compare_forms(table, "risk", "log(n)/n", "n**-0.86").better or "open"

    return answer


def logarithm(n: Any) -> Any:
    return np.log(n) / n


FINE, FEW = scatter(0.02, TWELVE), scatter(0.1, SEVEN[::2])
ANSWERS: dict[str, Callable[[Rng], str]] = {
    **{f"12 cells, 2 %, exponent moved by {s:g}": beside(s, FINE) for s in (0.0, 0.05, -0.05, 0.1, -0.1)},
    **{f"4 cells, 10 %, exponent moved by {s:g}": beside(s, FEW) for s in (0.0, 0.05, 0.5, -0.5)},
    **{
        f"{name} is right, {spread:.0%}, n up to {sizes[-1]:g}": told_apart(law, spread, sizes)
        for name, law in (("log(n)/n", logarithm), ("n^-0.86", lambda n: n**-0.86))
        for spread in (0.01, 0.05)
        for sizes in (SEVEN, np.geomspace(100.0, 1e7, 12))
    },
}


def main(tables: int = 1500) -> None:
    found: list[list[Any]] = []
    for case, answer in ANSWERS.items():
        rng = np.random.default_rng(zlib.crc32(case.encode()))
        given = [answer(rng) for _ in range(tables)]
        found += [[case, tables, word, f"{given.count(word) / tables:.4f}"] for word in sorted(set(given))]
        print(
            case, *(f"{word} {share}" for name, _, word, share in found if name == case), sep="; ", flush=True
        )
    pd.DataFrame(found, columns=["case", "tables", "answer", "share"]).to_csv(OUT, index=False)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
