"""How the rates of Theorems 4.1 and 4.11 are judged: both run on the same design and the same columns.

The columns of `rows` are the axes n, m, d, epsilon, and `risk`, `rate` (the corrected form with its
logarithms, by the printed formulas) and `plain` (the risk with the logarithms divided out).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from audits.rates import family
from claims import Evidence, at_least, reported

if TYPE_CHECKING:
    import pandas as pd

AXES = ("n", "m", "d", "epsilon")


def log_of_items(n: float, m: float, d: float, steps: float, delta: float) -> float:
    """log(ndmT/δ), the logarithm in τ less ε."""
    return math.log(n * m * d * steps / delta)


def spread(n: int, m: int, d: int, epsilon: float, delta: float, steps: int) -> float:
    """σ/√T of n users as printed, G = 1: √8·log(ndme^εT/δ)·√(log(e^{ε/2}T/δ′)·log(e^{ε/2}/δ′))/(n√mε).

    δ′ = δ/(2Tmnd) is what line 4 of Algorithm 2 passes to Algorithm 1.
    """
    inner = math.log(2.0) + log_of_items(n, m, d, steps, delta)
    logs = (epsilon / 2.0 + math.log(steps) + inner) * (epsilon / 2.0 + inner)
    tau = (log_of_items(n, m, d, steps, delta) + epsilon) / math.sqrt(m)
    return tau * math.sqrt(8.0 * logs) / (n * epsilon)


def exponents(
    rows: pd.DataFrame, claimed: Mapping[str, float], tolerance: float, fitted: float, sloped: float
) -> Iterator[Evidence]:
    """Exponents with the logarithms divided out, and the slope against the form with its logarithms.

    fitted, sloped  error probabilities of the two.
    """
    yield from family.exponents(rows, "plain", claimed, tolerance, alpha=fitted, equivalence_alpha=1e-3)
    yield from family.against_form(rows, "risk", "rate", 0.1, alpha=sloped, equivalence_alpha=1e-3)
    ratio = rows["risk"] / rows["plain"]
    # The ratio depends on the cell alone; rounding must not give the rows of a cell several values.
    logs = ratio.groupby([rows[name] for name in AXES]).transform("first")
    yield from family.logarithms(rows.assign(logs=logs), "risk", "rate", "logs")


def constants(rows: pd.DataFrame, form: str, least: float | None = None) -> Iterator[Evidence]:
    """The least and the largest mean risk over the form; the largest against `least`, a two-point bound."""
    means = rows.groupby(list(AXES))[["risk", "rate"]].mean()
    ratio = means["risk"] / means["rate"]
    yield reported(f"least risk over {form}", float(ratio.min()))
    yield reported(f"largest risk over {form}", float(ratio.max()))
    if least is not None:
        yield at_least("largest ratio against the two-point bound", float(ratio.max()), least, decides=False)
