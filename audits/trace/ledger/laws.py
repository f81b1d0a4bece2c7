"""The laws of draws and of functions of noise, as those of SciPy."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audits.trace.ledger.losses import Loss, between
from audits.trace.records import Row, Term

Array = NDArray[np.float64]
RECOGNISED = 0.08
"""Largest distance of quantiles, in units of the interquartile range, at which a sampled law is
recognised."""
MOST_SCALED = 64
"""Entries of one draw whose scales are compared."""
HEAVY = ("cauchy", "standard_cauchy", "standard_t")
"""Laws of which two of different scales have a bounded ratio of densities."""


def law_of(row: Row) -> tuple[str, Mapping[str, Any]]:
    """Name and parameters of the law of a row; that of a function of noise is recognised from samples."""
    if row.kind != "derived":
        return row.law, row.params
    return sum_of(row.terms) or recognised(row.samples)


def is_sampled(row: Row) -> bool:
    """Whether the law of a row is recognised from samples."""
    return row.kind == "derived" and sum_of(row.terms) is None


def sum_of(terms: Sequence[Term]) -> tuple[str, Mapping[str, Any]] | None:
    """The law of a sum of two independent draws, where it is a well-known one."""
    if not terms:
        return None
    first, second = terms
    a, b = first.params, second.params
    laws, difference = (first.law, second.law), first.factor == -second.factor
    if laws == ("normal", "normal"):
        return "normal", {"scale": math.hypot(a["scale"] * first.factor, b["scale"] * second.factor)}
    if laws == ("exponential", "exponential") and difference and a == b:
        return "laplace", {"scale": a["scale"] * abs(first.factor)}
    if laws == ("geometric", "geometric") and difference and abs(first.factor) == 1.0 and a == b:
        return "discrete laplace", {"rate": -math.log1p(-a["p"])}
    return None


def recognised(samples: Any) -> tuple[str, Mapping[str, Any]]:
    """The law that sorted samples are of: normal, laplace, logistic or discrete laplace, centred at 0."""
    from scipy import stats

    unknown: tuple[str, Mapping[str, Any]] = ("of unknown law", {})
    x = np.zeros(1) if samples is None else np.sort(np.asarray(samples, dtype=float))
    if not np.isfinite(x).all() or x[0] == x[-1]:
        return unknown
    if np.all(x == np.rint(x)):
        mean = float(np.mean(np.abs(x)))
        # E|X| of the two-sided geometric law with ratio a is 2a/(1 − a²).
        ratio = (math.sqrt(1.0 + mean**2) - 1.0) / mean
        law = stats.dlaplace(-math.log(ratio))
        close = float(np.max(np.abs(law.cdf(x) - np.searchsorted(x, x, "right") / x.size))) < 0.02
        return ("discrete laplace", {"rate": -math.log(ratio)}) if close else unknown
    levels = (np.arange(x.size) + 0.5) / x.size
    width = float(np.subtract(*np.quantile(x, [0.75, 0.25])))
    inner = (levels > 0.02) & (levels < 0.98)
    best: tuple[float, str, float] = (math.inf, "", 0.0)
    for name, law in (("normal", stats.norm), ("laplace", stats.laplace), ("logistic", stats.logistic)):
        unit = law.ppf(levels[inner])
        scale = float(np.sum(unit * x[inner]) / np.sum(unit**2))
        best = min(best, (float(np.max(np.abs(x[inner] - scale * unit))) / width, name, scale))
    return (best[1], {"scale": best[2]}) if best[0] < RECOGNISED else unknown


def frozen(law: str, params: Mapping[str, Any], place: int = 0, shape: tuple[int, ...] = ()) -> Any:
    """The law as one of SciPy's, None where it is not known; its parameters at an entry of the draw."""
    from scipy import stats

    def at(name: str, default: float = 1.0) -> float:
        value = params.get(name, default)
        array = np.asarray(default if value is None else value, dtype=float)
        return float(np.ravel(np.broadcast_to(array, shape))[place]) if array.ndim else float(array)

    known: dict[str, Any] = {
        "normal": lambda: stats.norm(0.0, at("scale")),
        "laplace": lambda: stats.laplace(0.0, at("scale")),
        "logistic": lambda: stats.logistic(0.0, at("scale")),
        "gumbel": lambda: stats.gumbel_r(0.0, at("scale")),
        "uniform": lambda: stats.uniform(at("low", 0.0), at("high") - at("low", 0.0)),
        "exponential": lambda: stats.expon(0.0, at("scale")),
        "gamma": lambda: stats.gamma(at("shape"), scale=at("scale")),
        "standard_t": lambda: stats.t(at("df")),
        "standard_cauchy": lambda: stats.cauchy(),
        "cauchy": lambda: stats.cauchy(0.0, at("scale")),
        "geometric": lambda: stats.geom(at("p")),
        "poisson": lambda: stats.poisson(at("lam")),
        "integers": lambda: stats.randint(at("low"), at("high")),
        "binomial": lambda: stats.binom(at("n"), at("p")),
        "negative_binomial": lambda: stats.nbinom(at("n"), at("p")),
        "beta": lambda: stats.beta(at("a"), at("b")),
        "chisquare": lambda: stats.chi2(at("df")),
        "discrete laplace": lambda: stats.dlaplace(at("rate")),
    }
    try:
        return known[law]() if law in known else None
    except (TypeError, ValueError, IndexError):
        return None


def is_continuous(law: Any) -> bool:
    """Whether a law is known and has a density."""
    return law is not None and not hasattr(law.dist, "pmf")


class Moved:
    """The law of factor · X + by, X being of a law of SciPy and the factor positive."""

    def __init__(self, law: Any, by: float, factor: float = 1.0) -> None:
        self._law, self._by, self._factor = law, by, factor
        self.dist = law.dist

    def _back(self, x: Any) -> Any:
        return (np.asarray(x) - self._by) / self._factor

    def pmf(self, x: Any) -> Any:
        return self._law.pmf(self._back(x))

    def cdf(self, x: Any) -> Any:
        return self._law.cdf(self._back(x))

    def sf(self, x: Any) -> Any:
        return self._law.sf(self._back(x))

    def ppf(self, x: Any) -> Any:
        return self._factor * self._law.ppf(x) + self._by


def scaled(row: Row, factors: Sequence[float]) -> tuple[Loss, ...] | None:
    """The losses of noise whose scale depends on the data, an entry each; None where its law is not known.

    factors   what the noise is multiplied by on D and on D′.
    """
    law, params = law_of(row)
    other = row.others if row.kind == "noise" else params
    moved = np.broadcast_to(np.asarray(0.0 if row.shift is None else row.shift, float), row.shape)
    one, two = (abs(factor) for factor in factors)
    if not (0.0 < one < math.inf and 0.0 < two < math.inf) or moved.size > MOST_SCALED:
        return None
    losses: list[Loss] = []
    for place in range(moved.size):
        first, second = (frozen(law, given, place, row.shape) for given in (params, other))
        if not is_continuous(first) or second is None:
            return None
        losses.append(between(Moved(first, 0.0, one), Moved(second, -float(moved.ravel()[place]) * two, two)))
    return tuple(losses)
