"""The privacy loss of each row of a trace: which pair of laws it is, at the real distance of its
arguments."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from audits.trace.losses import Loss, between, finite

Array = NDArray[np.float64]
Row = Mapping[str, Any]

BITS = 32
"""As in `watch.session`: an element of a draw is (place of the draw) · 2³² + (place in the draw)."""
MOST_SCALED = 64
"""Entries of one draw whose scales are compared."""
GRID = 2001
"""Points of the quadrature over shared noise."""
RECOGNISED = 0.02
"""Largest distance of quantiles, in units of the interquartile range, at which a sampled law is
recognised."""


TAILS, RIGHT_TAILS = ("normal", "laplace", "logistic", "gumbel"), ("exponential",)
"""Laws whose density falls so fast that the ratio of two of different scales has no bound: in both tails, or
in the right one."""
HEAVY = ("cauchy", "standard_cauchy", "standard_t")
"""Laws of which two of different scales have a bounded ratio of densities."""
APART = ("comparison", "coins", "enumerated", "threshold")
"""Kinds of rows that are no draws."""
SHAPED = ("beta", "poisson", "geometric", "negative_binomial", "chisquare", "dirichlet", "binomial")
"""As in `watch.rows`: laws that are drawn from as they are."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One row of the ledger.

    where     file, line, function.
    law       in words; distance: how far the arguments are apart, in words.
    losses    None: the loss is not known, and `why` says so.
    sampled   the law was recognised from samples: its scale is known to about a hundredth.
    stated    the loss is what the library says of itself, and not what its noise has.
    draws     those whose noise it is.
    """

    where: tuple[str, int, str]
    law: str
    distance: str
    losses: tuple[Loss, ...] | None
    why: str = ""
    sampled: bool = False
    stated: bool = False
    draws: tuple[int, ...] = ()


def entries(
    rows: Sequence[Row],
    place: int | None,
    records: int | None,
    sampled: Mapping[tuple[str, int], float] | None = None,
) -> list[Entry]:
    """The entries of all rows that cost something.

    place     that of the record that differs; records: how many D has.
    sampled   lines whose draws it reaches through one fresh coin alone, see `watch.sampling`.
    """
    draws = {row["index"]: row for row in rows if row["kind"] not in APART}
    coins = _coins(rows, draws, place, records)
    found: list[Entry] = []
    groups: dict[int, list[Entry]] = defaultdict(list)
    for row in draws.values():
        entry = _entry(row, draws)
        if entry is None:
            continue
        stated = ", by its own " in entry.law
        entry = replace(entry, stated=stated, draws=(int(row["index"]), *row.get("parents", ())))
        factor = (sampled or {}).get(entry.where[:2])
        own = [k for k, coin in enumerate(coins) if coin.at <= int(row["at"])]
        if factor is None or not own or entry.losses is None:
            found.append(entry)
        else:
            groups[own[-1]].append(_moved_farther(entry, factor))
    for k, group in groups.items():
        found += _amplified(group, coins[k].rate)
    found += [_fallen(row) for row in rows if row["kind"] == "coins"]
    found += [_threshold(row) for row in rows if row["kind"] == "threshold"]
    found += [_enumerated(row) for row in rows if row["kind"] == "enumerated"]
    found += _comparisons([row for row in rows if row["kind"] == "comparison"], draws)
    return found


def _threshold(row: Row) -> Entry:
    """A comparison that shows, with a probability that counts as δ, what only one dataset has."""
    where, name = _where(row), "noise against a threshold"
    if row.get("unknown"):
        return Entry(where, name, "", None, str(row["unknown"]))
    bits, known = _bits(row), {drawn["index"]: drawn for drawn in row["drawn"]}
    total = 0.0
    for place in row["places"]:
        bit = bits[place] if row["turned"] else replace(bits[place], above=not bits[place].above)
        ids = [i for i in (bit.first[0], bit.second[0]) if i is not None]
        laws = {i: _element(i, known) for i in ids}
        if len(ids) != 1 or laws[ids[0]] is None:
            return Entry(
                where, name, "", None, "the law of noise that is compared with a threshold is not known"
            )
        above = _probability(replace(bit, above=True), laws, 0)
        total += above if bit.above else 1.0 - above
    return Entry(
        where, name, f"shows what one dataset lacks with probability {total:.3g}", (Loss("pure", 0.0, total),)
    )


def _enumerated(row: Row) -> Entry:
    """A program of coins, all paths of which were run: the laws of its output."""
    p, q = (np.asarray(side, dtype=float) for side in row["probabilities"])
    words = f"probabilities differ by up to {float(np.max(np.abs(p - q))):.4g}"
    return Entry(_where(row), f"coins, {p.size} outputs", words, (finite(p, q),))


def _fallen(row: Row) -> Entry:
    """Coins that must fall otherwise on D′ for the output to be that on D: the ratio of their
    probabilities."""
    if row["logs"] is None:
        return Entry(
            _where(row), "coins", "", None, "the probability of the coins' other outcomes is not known"
        )
    ratio = float(row["logs"][0] - row["logs"][1])
    return Entry(
        _where(row), "coins that fall otherwise", f"log-ratio {ratio:.4g}", (Loss("pure", abs(ratio)),)
    )


def _where(row: Row) -> tuple[str, int, str]:
    return cast(tuple[str, int, str], tuple(row["where"]))


def _entry(row: Row, draws: Mapping[int, Row]) -> Entry | None:
    if row.get("unknown"):
        return Entry(_where(row), row["law"], "", None, str(row["unknown"]))
    if row["kind"] == "mechanism":
        return _mechanism(row)
    if row.get("filled") is not None:
        return _filled(row)
    if row.get("kept") is not None:
        return _kept(row)
    if row.get("factors") is not None:
        return Entry(_where(row), f"{row['law']} of two scales", "", scaled(row, row["factors"]))
    if row["unlike"] and row["law"] in ("choice", "multinomial"):
        return _choice(row)
    if row["unlike"] and row["law"] == "binomial" and row["unlike"] == ["p"]:
        return _choice(row)
    if row["unlike"] and row["law"] in (*SHAPED, "integers"):
        return _shaped(row)
    shift = row.get("shift")
    if shift is None or not np.any(np.asarray(shift) != 0.0):
        return None
    shift = np.asarray(shift, dtype=float)
    if not np.isfinite(shift).all():
        return Entry(_where(row), row["law"], "not finite", None, "the argument is not finite")
    return _additive(row, shift)


def _additive(row: Row, shift: Array) -> Entry:
    """Noise of one law that is moved by `shift`, each entry independent of the others."""
    law, params = _law(row)
    where = _where(row)
    sampled = row["kind"] == "derived" and sum_of(row["recipe"]) is None
    moved = shift[shift != 0.0]
    l1, l2 = float(np.abs(shift).sum()), float(np.sqrt((shift**2).sum()))
    distance = f"{l1:.6g}" if moved.size == 1 else f"L1 {l1:.6g}, L2 {l2:.6g}"
    if law == "normal":
        scale = _spread(params["scale"], shift)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = float(np.sqrt(np.nansum((shift / scale) ** 2)))
        return Entry(
            where, f"normal, sd {_one(scale)}", distance, (Loss("gaussian", ratio),), sampled=sampled
        )
    if law == "laplace":
        scale = _spread(params["scale"], shift)
        with np.errstate(divide="ignore"):  # a scale of 0: the loss is infinite
            ratios = np.abs(shift / scale)[shift != 0.0]
        losses = tuple(Loss("laplace", float(r)) for r in ratios)
        return Entry(where, f"laplace, scale {_one(scale)}", distance, losses, sampled=sampled)
    if law == "discrete laplace":
        ratios = np.abs(moved) * params["rate"]
        losses = tuple(Loss("pure", float(r)) for r in ratios)
        return Entry(where, f"discrete laplace, rate {params['rate']:.4g}", distance, losses, sampled=sampled)
    if law == "multivariate_normal":
        ratio = math.sqrt(float(shift.ravel() @ np.linalg.solve(np.asarray(params["cov"]), shift.ravel())))
        return Entry(where, "multivariate normal", distance, (Loss("gaussian", ratio),))
    if law == "integers":
        why = "a whole number of a range is added: it may be a part of noise that is made of more"
        return Entry(where, law, distance, None, why)
    losses_: list[Loss] = []
    for place, amount in zip(*np.nonzero(np.atleast_1d(shift))[:1], moved, strict=False):
        frozen = _frozen(law, params, int(place), np.atleast_1d(shift).shape)
        if frozen is None:
            return Entry(where, law, distance, None, f"the law {law} is not one that the ledger knows")
        losses_.append(between(frozen, _Moved(frozen, -float(amount))))
    return Entry(where, law, distance, tuple(losses_), sampled=sampled)


class _Accepted:
    """The law of a number, given that it lies in an interval."""

    def __init__(self, law: Any, low: float, high: float) -> None:
        self._law, self.dist = law, law.dist
        self._below, self._mass = float(law.cdf(low)), float(law.cdf(high) - law.cdf(low))

    def cdf(self, x: Any) -> Any:
        return np.clip((self._law.cdf(x) - self._below) / self._mass, 0.0, 1.0)

    def sf(self, x: Any) -> Any:
        return 1.0 - self.cdf(x)

    def ppf(self, x: Any) -> Any:
        return self._law.ppf(self._below + np.asarray(x) * self._mass)


def _kept(row: Row) -> Entry:
    """A sum with noise that was drawn again until it was accepted."""
    kept, name = row["kept"], f"{row['law']}, drawn again until accepted"
    law, params = _law(row)
    frozen = _frozen(law, params, 0, tuple(row["shape"]))
    if frozen is None or hasattr(frozen.dist, "pmf") or kept["factor"] == 0.0:
        return Entry(_where(row), name, "", None, f"the law of {law} that is accepted is not known")
    sums = [_Moved(frozen, argument, abs(kept["factor"])) for argument in kept["arguments"]]
    pair = [_Accepted(each, kept["low"], kept["high"]) for each in sums]
    words = f"{abs(kept['arguments'][0] - kept['arguments'][1]):.6g}"
    return Entry(_where(row), name, words, (between(*pair, ends=(kept["low"], kept["high"])),))


class _Moved:
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
    law, params = _law(row)
    other = row["params_other"] if row["kind"] == "noise" else params
    shape = tuple(row["shape"])
    moved = np.broadcast_to(np.asarray(0.0 if row.get("shift") is None else row["shift"], float), shape)
    sizes = [abs(factor) for factor in factors]
    losses: list[Loss] = []
    if not all(0.0 < size < math.inf for size in sizes) or moved.size > MOST_SCALED:
        return None
    for place in range(moved.size):
        frozen = [_frozen(law, given, place, shape) for given in (params, other)]
        if frozen[0] is None or frozen[1] is None or hasattr(frozen[0].dist, "pmf"):
            return None
        by = -float(moved.ravel()[place]) * sizes[1]
        losses.append(between(_Moved(frozen[0], 0.0, sizes[0]), _Moved(frozen[1], by, sizes[1])))
    return tuple(losses)


def shown_noise(
    row: Row, factors: Sequence[float], by: float, sides: Sequence[float]
) -> tuple[Loss, bool] | None:
    """The loss of factor · noise + rest on D and on D′, the noise being the first entry of a row and the
    rests `by` apart, and whether no ε bounds it; None where the law of the noise is not known.

    sides   values of the noise on D between which the number is shown; outside, only the side is.
    """
    if row["kind"] != "noise" or min(abs(f) for f in factors) == 0.0 or factors[0] * factors[1] < 0.0:
        return None
    frozen = [_frozen(row["law"], row[name], 0, tuple(row["shape"])) for name in ("params", "params_other")]
    if frozen[0] is None or frozen[1] is None or hasattr(frozen[0].dist, "pmf"):
        return None
    sign = math.copysign(1.0, factors[0])
    laws = _Moved(frozen[0], 0.0, abs(factors[0])), _Moved(frozen[1], sign * by, abs(factors[1]))
    seen = abs(factors[0]) * sides[0], abs(factors[0]) * sides[1]
    spreads = [float(law.ppf(0.75) - law.ppf(0.25)) for law in laws]
    tail = math.inf in sides if row["law"] in RIGHT_TAILS else not all(map(math.isfinite, sides))
    unbounded = row["law"] in (*TAILS, *RIGHT_TAILS) and tail and not math.isclose(*spreads, rel_tol=1e-6)
    return between(*laws, seen=seen), unbounded


def _law(row: Row) -> tuple[str, Mapping[str, Any]]:
    """Name and parameters of the law of a row; that of a function of noise is recognised from samples."""
    if row["kind"] != "derived":
        return row["law"], row["params"]
    return sum_of(row["recipe"]) or recognised(row.get("samples"))


def sum_of(recipe: Any) -> tuple[str, Mapping[str, Any]] | None:
    """The law of a sum or difference of two independent draws, where it is a well-known one."""
    if recipe is None:
        return None
    first, second = recipe["laws"]
    a, b = first["params"], second["params"]
    sign = first["factor"] * second["factor"] * (-1.0 if recipe["function"] == "subtract" else 1.0)
    equal = abs(first["factor"]) == abs(second["factor"])
    if first["law"] == second["law"] == "normal":
        return "normal", {"scale": math.hypot(a["scale"] * first["factor"], b["scale"] * second["factor"])}
    if first["law"] == second["law"] == "exponential" and sign < 0.0 and equal and a == b:
        return "laplace", {"scale": a["scale"] * abs(first["factor"])}
    whole = sign < 0.0 and equal and abs(first["factor"]) == 1.0
    if first["law"] == second["law"] == "geometric" and whole and a == b:
        return "discrete laplace", {"rate": -math.log1p(-a["p"])}
    return None


def recognised(samples: Any) -> tuple[str, Mapping[str, Any]]:
    """The law that sorted samples are of: normal, laplace, logistic, gumbel, discrete laplace, centred at
    0."""
    from scipy import stats

    unknown: tuple[str, Mapping[str, Any]] = ("of unknown law", {})
    if samples is None:
        return unknown
    x = np.sort(np.asarray(samples, dtype=float))
    if not np.isfinite(x).all() or x[0] == x[-1]:
        return unknown
    levels = (np.arange(x.size) + 0.5) / x.size
    if np.all(x == np.rint(x)):
        mean = float(np.mean(np.abs(x)))
        # E|X| of the two-sided geometric law with ratio a is 2a/(1 − a²).
        ratio = (math.sqrt(1.0 + mean**2) - 1.0) / mean if mean > 0.0 else 0.0
        if 0.0 < ratio < 1.0:
            law = stats.dlaplace(-math.log(ratio))
            if float(np.max(np.abs(law.cdf(x) - np.searchsorted(x, x, "right") / x.size))) < 0.02:
                return "discrete laplace", {"rate": -math.log(ratio)}
        return unknown
    quartiles = np.quantile(x, [0.25, 0.75])
    width = float(quartiles[1] - quartiles[0])
    best: tuple[float, str, float] = (math.inf, "", 0.0)
    for name, law in (("normal", stats.norm), ("laplace", stats.laplace), ("logistic", stats.logistic)):
        unit = law.ppf(levels)
        inner = (levels > 0.02) & (levels < 0.98)
        scale = float(np.sum(unit[inner] * x[inner]) / np.sum(unit[inner] ** 2))
        error = float(np.max(np.abs(x[inner] - scale * unit[inner]))) / width
        best = min(best, (error, name, scale))
    error, name, scale = best
    return (name, {"scale": scale}) if error < 4 * RECOGNISED else unknown


def _frozen(law: str, params: Mapping[str, Any], place: int = 0, shape: tuple[int, ...] = ()) -> Any:
    """The law as one of SciPy's, None where it is not known; its parameters at an entry of the draw."""
    from scipy import stats

    def at(name: str, default: float = 1.0) -> float:
        value = params.get(name, default)
        array = np.asarray(default if value is None else value, dtype=float)
        return float(np.ravel(np.broadcast_to(array, shape))[place]) if array.ndim else float(array)

    try:
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
        return known[law]() if law in known else None
    except (TypeError, ValueError, IndexError):
        return None


def _spread(scale: Any, shift: Array) -> Array:
    return np.broadcast_to(np.asarray(scale, dtype=float), shift.shape)


def _one(scale: Array) -> str:
    low, high = float(np.min(scale)), float(np.max(scale))
    return f"{low:.6g}" if low == high else f"{low:.4g} to {high:.4g}"


# --- Choices -----------------------------------------------------------------------------------------------


def _choice(row: Row) -> Entry:
    """A choice whose probabilities depend on the data."""
    name = "pvals" if row["law"] == "multinomial" else "p"
    p, q = (np.asarray(params.get(name), dtype=float) for params in (row["params"], row["params_other"]))
    where = _where(row)
    if p.shape != q.shape:
        return Entry(where, row["law"], "other candidates", None, "the number of candidates differs")
    distance = f"probabilities differ by up to {float(np.max(np.abs(p - q))):.4g}"
    times = int(np.prod(row["shape"])) if row["shape"] else 1
    if row["law"] == "binomial":
        count = np.broadcast_to(
            np.asarray(row["params"]["n"], dtype=float), p.shape if p.ndim else tuple(row["shape"])
        )
        losses: list[Loss] = []
        for a, b, n in zip(*np.broadcast_arrays(p, q, count), strict=True) if count.ndim else [(p, q, count)]:
            if a != b:
                losses += [finite([a, 1.0 - a], [b, 1.0 - b])] * int(n)
        return Entry(where, "binomial", distance, tuple(losses))
    if row["law"] == "multinomial":
        times = int(np.max(row["params"]["n"]))
    return Entry(where, row["law"], distance, (finite(p, q),) * times)


def _filled(row: Row) -> Entry:
    """A uniform number in an interval that was chosen: its density is constant between the ends of all
    intervals."""
    laws = row["filled"]
    edges = np.unique([end for law in laws for interval in law["intervals"] for end in interval])
    masses = []
    for law in laws:
        found = np.zeros(len(edges) - 1)
        for chance, (low, high) in zip(law["chances"], law["intervals"], strict=True):
            inside = (edges[:-1] >= low) & (edges[1:] <= high)
            found += chance * np.where(inside, np.diff(edges), 0.0) / (high - low)
        masses.append(found)
    words = f"probabilities differ by up to {float(np.max(np.abs(masses[0] - masses[1]))):.4g}"
    return Entry(_where(row), "uniform in a chosen interval", words, (finite(*masses),))


def _shaped(row: Row) -> Entry:
    """A draw of a law whose shape depends on the data."""
    where, law, shape = _where(row), row["law"], tuple(row["shape"])
    words = "; ".join(
        f"{name} {np.ravel(row['params'][name])[0]:.6g} and {np.ravel(row['params_other'][name])[0]:.6g}"
        for name in row["unlike"]
    )
    losses: list[Loss] = []
    for place in range(int(np.prod(shape or (1,)))):
        pair = [_frozen(law, params, place, shape) for params in (row["params"], row["params_other"])]
        if None in pair:
            return Entry(where, law, words, None, f"the law {law} is not one that the ledger knows")
        losses.append(between(*pair))
    return Entry(where, law, words, tuple(losses))


# --- Mechanisms --------------------------------------------------------------------------------------------


def _mechanism(row: Row) -> Entry | None:
    """A mechanism that adds the noise itself: by its map, by its scale, or by its own claim at the real
    distance."""
    where, params = _where(row), row["params"]
    law = row["law"].replace("mechanism ", "").replace("primitive ", "")
    mapped = row.get("mapped")
    if mapped is not None:
        return _by_map(where, law, mapped)
    amount, words = _distance(row)
    if amount == 0.0:
        return None
    if amount is None:
        return Entry(where, law, words, None, f"the distance of the arguments of {law} is not known: {words}")
    name = law.lower()
    scale = params.get("scale", params.get("sigma", params.get("std", params.get("stddev", params.get("b")))))
    if "laplace" in name and not any(key in params for key in ("scale", "b", "sigma")):
        deviation = params.get("std", params.get("stddev"))
        scale = None if deviation is None else deviation / math.sqrt(2.0)
    if scale and "gauss" in name and "discrete" not in name:
        return Entry(where, f"{law}, sd {scale:.6g}", words, (Loss("gaussian", amount / scale),))
    if scale and "normal" in name:
        return Entry(where, f"{law}, sd {scale:.6g}", words, (Loss("gaussian", amount / scale),))
    if scale and "laplace" in name and params.get("delta", 0.0) == 0.0:
        return Entry(where, f"{law}, scale {scale:.6g}", words, (Loss("laplace", amount / scale),))
    epsilon = params.get("epsilon")
    if epsilon is None:
        return Entry(where, law, words, None, f"{law} says neither its ε nor its scale")
    sensitivity = params.get("sensitivity", params.get("l1_sensitivity"))
    # At a sensitivity of 0 no noise is drawn, and the argument has moved: the loss is infinite.
    ratio = 1.0 if sensitivity is None else amount / sensitivity if sensitivity else math.inf
    delta = params.get("delta", 0.0) or 0.0
    said = f"{law}, by its own claim ε {epsilon:.6g}" + (f", δ {delta:.3g}" if delta else "")
    if sensitivity is not None:
        said += f" at distance {sensitivity:.6g}"
    if delta and "gauss" in name and "discrete" not in name:
        return Entry(where, said, words, (_gaussian_of(epsilon, delta, ratio),))
    return Entry(where, said, words, (Loss("pure", epsilon * ratio, min(1.0, delta * max(1.0, ratio))),))


def _gaussian_of(epsilon: float, delta: float, ratio: float) -> Loss:
    """A Gaussian mechanism that is (ε, δ)-private, as its own claim says: the Gaussian that just is."""
    from audits.trace.losses import gaussian_epsilon

    low, high = 1e-9, 100.0
    for _ in range(80):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if gaussian_epsilon(middle, delta) <= epsilon else (low, middle)
    return Loss("gaussian", low * ratio)


def _by_map(where: tuple[str, int, str], law: str, mapped: Mapping[str, Any]) -> Entry | None:
    distance, cost, measure = mapped["distance"], mapped["cost"], str(mapped["measure"])
    if distance == 0:
        return None
    words = "not known" if distance is None else f"{distance:.6g}"
    if cost is None:
        return Entry(where, law, words, None, f"the map of the measurement says nothing at distance {words}")
    said = f"{law}, by its own map {cost if isinstance(cost, list) else f'{cost:.6g}'}"
    if isinstance(cost, list):
        return Entry(where, said, words, (Loss("pure", cost[0], cost[1]),))
    if "ZeroConcentrated" in measure:
        return Entry(where, f"{said} (zero-concentrated)", words, (Loss("gaussian", math.sqrt(2.0 * cost)),))
    return Entry(where, said, words, (Loss("pure", cost),))


def _distance(row: Row) -> tuple[float | None, str]:
    """(distance of the arguments, in words): of numbers the L1 distance, of scores the largest change."""
    params, other = row["params"], row["params_other"]
    if "utility" in params and "utility" in other:
        a, b = np.asarray(params["utility"]), np.asarray(other["utility"])
        if a.shape != b.shape:
            return None, "the number of candidates differs"
        if a.size == 0:
            return 0.0, "no scores"
        # exp(ε·u/s) for monotone scores, exp(ε·u/(2s)) for others: what counts is how far scores move apart.
        spread = float(np.max(a - b) - np.min(a - b))
        apart = spread if params.get("monotonic") else spread / 2.0
        return apart, f"scores move apart by {spread:.6g}"
    total, parts = 0.0, 0
    for a, b in zip(row["argument"], row["argument_other"], strict=False):
        step = _apart(a, b)
        if step is None:
            return None, "an argument is no number"
        total, parts = total + step, parts + (step > 0.0)
    if len(row["argument"]) != len(row["argument_other"]):
        return None, "the number of arguments differs"
    return total, f"{total:.6g}"


def _apart(a: Any, b: Any) -> float | None:
    if isinstance(a, str) and isinstance(b, str):
        if a.startswith("<") and a == b:
            return None  # an object that cannot be compared
        return float(a != b)
    if isinstance(a, dict) or isinstance(b, dict):
        return 0.0 if str(a) == str(b) else None
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        if len(a) != len(b):
            return 1.0
        steps = [_apart(x, y) for x, y in zip(a, b, strict=True)]
        return None if any(s is None for s in steps) else float(sum(cast(list[float], steps)))
    if a is None or b is None:
        return 0.0 if a is b else None
    try:
        x, y = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    except (TypeError, ValueError):
        return None
    if x.shape != y.shape:
        return 1.0
    moved = np.where((x == y) | (np.isnan(x) & np.isnan(y)), 0.0, np.abs(x - y))
    return float(moved.sum()) if np.isfinite(moved).all() else None


# --- Comparisons -------------------------------------------------------------------------------------------


def _comparisons(rows: Sequence[Row], draws: Mapping[int, Row]) -> list[Entry]:
    """What comparisons with noise show: bits, places, transcripts that share a noisy threshold."""
    found: list[Entry] = []
    atoms: list[_Bit] = []
    for row in rows:
        if row["law"] in ("argmax", "argmin", "search"):
            entry = _cell(row, draws) if row["law"] == "search" else _place(row, draws)
            if entry is not None:
                ids = np.unique(np.concatenate([np.ravel(p["ids"]) for p in row["pieces"]]))
                found.append(replace(entry, draws=tuple(int(i) >> BITS for i in ids if i >= 0)))
        else:
            atoms += _bits(row)
    groups = _connected(atoms)
    for group in groups:
        if all(_same(bit) for bit in group):
            continue
        ids = {i >> BITS for bit in group for i in (bit.first[0], bit.second[0]) if i is not None}
        found.append(replace(_transcript(group, draws), draws=tuple(sorted(ids))))
    return _joined(found)


@dataclass(frozen=True, slots=True)
class _Bit:
    """One comparison: (factor·noise + argument) of the first against the second, on D and on D′."""

    where: tuple[str, int, str]
    above: bool
    first: tuple[Any, ...]
    second: tuple[Any, ...]


def _bits(row: Row) -> list[_Bit]:
    parts: list[list[tuple[Any, ...]]] = []
    size = int(np.size(row["outcome"]))
    for piece, other in zip(row["pieces"], row["pieces_other"], strict=True):
        a, b = (
            np.broadcast_to(np.asarray(p["argument"], dtype=float), np.shape(row["outcome"])).ravel()
            for p in (piece, other)
        )
        if piece["ids"] is None:
            parts.append([(None, 0.0, float(x), float(y)) for x, y in zip(a, b, strict=True)])
        else:
            ids, factors = np.ravel(piece["ids"]), np.ravel(piece["factor"])
            parts.append(
                [
                    (int(i) if i >= 0 else None, float(f), float(x), float(y))
                    for i, f, x, y in zip(ids, factors, a, b, strict=True)
                ]
            )
    greater = row["name"].startswith("greater")
    outcomes = np.ravel(np.asarray(row["outcome"], dtype=bool))
    # `above`: the first was seen to be the larger.
    return [_Bit(_where(row), bool(outcomes[i]) == greater, parts[0][i], parts[1][i]) for i in range(size)]


def _same(bit: _Bit) -> bool:
    change = (bit.first[2] - bit.first[3]) - (bit.second[2] - bit.second[3])
    size = max(1.0, abs(bit.first[2]), abs(bit.second[2]))
    return abs(change) <= 1e-12 * size


def _connected(bits: Sequence[_Bit]) -> list[list[_Bit]]:
    """Comparisons that share noise, directly or through others."""
    parent: dict[int, int] = {}

    def root(x: int) -> int:
        while parent.setdefault(x, x) != x:
            x = parent[x]
        return x

    for bit in bits:
        ids = [i for i in (bit.first[0], bit.second[0]) if i is not None]
        for other in ids[1:]:
            parent[root(ids[0])] = root(other)
        if ids:
            root(ids[0])
    groups: dict[int, list[_Bit]] = defaultdict(list)
    for bit in bits:
        ids = [i for i in (bit.first[0], bit.second[0]) if i is not None]
        if ids:
            groups[root(ids[0])].append(bit)
    return list(groups.values())


def _element(element: int, draws: Mapping[int, Row]) -> Any:
    row = draws.get(element >> BITS)
    if row is None:
        return None
    law, params = _law(row)
    return _frozen(law, params, element & ((1 << BITS) - 1), tuple(row["shape"]))


def _transcript(group: Sequence[_Bit], draws: Mapping[int, Row]) -> Entry:
    """The log-ratio of the outcomes seen, given D and given D′, of comparisons that share at most one
    noise."""
    last = group[-1]
    where, many = last.where, len(group)
    uses: dict[int, int] = defaultdict(int)
    for bit in group:
        for i in (bit.first[0], bit.second[0]):
            if i is not None:
                uses[i] += 1
    laws = {i: _element(i, draws) for i in uses}
    if any(law is None for law in laws.values()):
        return Entry(where, "comparison", "", None, "the law of the noise that is compared is not known")
    words = f"{many} comparison{'s' if many > 1 else ''} with noise"
    if many == 1 and len(uses) == 1:
        p, q = (_probability(last, laws, side) for side in (0, 1))
        return Entry(
            where, words, f"probability {p:.4g} on D, {q:.4g} on D′", (finite([p, 1 - p], [q, 1 - q]),)
        )
    if len(uses) == 1:
        chances = [_interval(group, laws, side) for side in (0, 1)]
        loss = abs(math.log(chances[0] / chances[1])) if min(chances) > 0.0 else math.inf
        words = f"{many} comparisons of one noise"
        return Entry(
            where, words, f"probability {chances[0]:.4g} on D, {chances[1]:.4g} on D′", (Loss("pure", loss),)
        )
    shared = [i for i, times in uses.items() if times > 1]
    hub = max(uses, key=lambda i: uses[i])
    if len(shared) > 1 or not all(hub in (bit.first[0], bit.second[0]) for bit in group):
        return Entry(where, words, "", None, "the comparisons share more than one noise")
    logs = [_log_transcript(group, laws, hub, side) for side in (0, 1)]
    loss = abs(logs[0] - logs[1]) if math.isfinite(logs[0]) or math.isfinite(logs[1]) else 0.0
    return Entry(where, words, f"log-ratio of the outcomes {logs[0] - logs[1]:.4g}", (Loss("pure", loss),))


def _probability(bit: _Bit, laws: Mapping[int, Any], side: int) -> float:
    """P(the first is the larger) where one of the two is noise."""
    first, second = bit.first, bit.second
    if first[0] is not None:
        # factor·z + argument > other  ⇔  z > (other − argument)/factor, for a positive factor
        level, law, factor = second[2 + side] - first[2 + side], laws[first[0]], first[1]
    else:
        assert second[0] is not None
        level, law, factor = second[2 + side] - first[2 + side], laws[second[0]], -second[1]
    if factor == 0.0:
        return float(level < 0.0)
    return float(law.sf(level / factor)) if factor > 0.0 else float(law.cdf(level / factor))


def _interval(group: Sequence[_Bit], laws: Mapping[int, Any], side: int) -> float:
    """P(all outcomes) of comparisons of one noise with numbers: it lies in an interval."""
    low, high, law = -math.inf, math.inf, None
    for bit in group:
        noise, other = (bit.first, bit.second) if bit.first[0] is not None else (bit.second, bit.first)
        assert noise[0] is not None
        law = laws[noise[0]]
        if noise[1] == 0.0:
            continue
        level = (other[2 + side] - noise[2 + side]) / noise[1]
        above = bit.above if bit.first[0] is not None else not bit.above
        if above == (noise[1] > 0.0):
            low = max(low, level)
        else:
            high = min(high, level)
    return max(0.0, float(law.cdf(high) - law.cdf(low))) if law is not None and high > low else 0.0


def _log_transcript(group: Sequence[_Bit], laws: Mapping[int, Any], hub: int, side: int) -> float:
    """log P(outcomes): the integral over the shared noise of the product of what is left."""
    law = laws[hub]
    levels = np.concatenate(
        [np.logspace(-9, -2, 300), np.linspace(0.01, 0.99, GRID), 1 - np.logspace(-2, -9, 300)]
    )
    edges = np.asarray(law.ppf(levels), dtype=float)
    points = 0.5 * (edges[1:] + edges[:-1])
    with np.errstate(divide="ignore"):
        total = np.log(np.maximum(np.diff(np.asarray(law.cdf(edges))), 1e-300))
        for bit in group:
            total = total + np.log(np.maximum(_given(bit, laws, hub, side, points), 0.0))
        return float(np.logaddexp.reduce(total))


def _given(bit: _Bit, laws: Mapping[int, Any], hub: int, side: int, points: Array) -> Array:
    """P(outcome of a comparison | shared noise), at each point of it."""
    mine, other = (bit.first, bit.second) if bit.first[0] == hub else (bit.second, bit.first)
    value = mine[1] * points + mine[2 + side]
    above = bit.above if bit.first[0] == hub else not bit.above
    level = value - other[2 + side]
    if other[0] is None or other[1] == 0.0:
        larger = (level > 0.0).astype(float)
    else:
        law, factor = laws[other[0]], other[1]
        larger = np.asarray(law.cdf(level / factor) if factor > 0.0 else law.sf(level / factor))
    return larger if above else 1.0 - larger


def _cell(row: Row, draws: Mapping[int, Row]) -> Entry | None:
    """A place among edges that depend on the data: its probabilities on D and on D′."""
    piece, other = row["pieces"][0], row["pieces_other"][0]
    first, second = (np.ravel(np.asarray(p["argument"], dtype=float)) for p in (piece, other))
    if first.shape == second.shape and np.allclose(first, second, rtol=1e-12, atol=0.0):
        return None
    law = _element(int(np.ravel(piece["ids"])[0]), draws)
    if law is None:
        return Entry(_where(row), "draw by cumulative probabilities", "", None, "its law is not known")
    p, q = (np.diff(np.concatenate([[0.0], np.asarray(law.cdf(x)), [1.0]])) for x in (first, second))
    words = f"probabilities differ by up to {float(np.max(np.abs(p - q))):.4g}"
    loss = finite(np.where(p < 1e-12, 0.0, p), np.where(q < 1e-12, 0.0, q))
    return Entry(_where(row), "draw by cumulative probabilities", words, (loss,))


def _place(row: Row, draws: Mapping[int, Row]) -> Entry | None:
    """The place of the largest of noisy scores: its law on D and on D′ by quadrature."""
    piece, other = row["pieces"][0], row["pieces_other"][0]
    ids = [int(i) for i in np.ravel(piece["ids"])]
    first, second = (np.ravel(np.asarray(p["argument"], dtype=float)) for p in (piece, other))
    if np.array_equal(first, second):
        return None
    words = f"scores differ by up to {float(np.max(np.abs(first - second))):.6g}"
    laws = [_element(i, draws) if i >= 0 else None for i in ids]
    if any(law is None for law in laws):
        return Entry(
            _where(row), row["law"], words, None, "the law of the noise that is compared is not known"
        )
    sign = -1.0 if row["law"] == "argmin" else 1.0
    factors = np.ravel(np.asarray(piece["factor"], dtype=float))
    p, q = (_largest(laws, factors, sign, scores) for scores in (first, second))
    return Entry(_where(row), f"{row['law']} of {len(ids)} noisy scores", words, (finite(p, q),))


def _largest(laws: Sequence[Any], factors: Array, sign: float, scores: Array) -> Array:
    """P(i has the largest of sign·(factor·noise + score)) for each i."""
    spread = max(
        float(law.ppf(1 - 1e-9) - law.ppf(1e-9)) * abs(f) for law, f in zip(laws, factors, strict=True)
    )
    low, high = float(np.min(sign * scores)) - spread, float(np.max(sign * scores)) + spread
    edges = np.linspace(low, high, 20_001)
    below = np.array(
        [
            law.cdf((edges - sign * s) / (sign * f))
            if sign * f > 0
            else law.sf((edges - sign * s) / (sign * f))
            for law, f, s in zip(laws, factors, scores, strict=True)
        ]
    )
    with np.errstate(divide="ignore"):
        logs = np.log(np.maximum(below, 1e-300))
    middle = 0.5 * (logs[:, 1:] + logs[:, :-1])
    mass = np.diff(below, axis=1)
    found = np.array([(mass[i] * np.exp(middle.sum(axis=0) - middle[i])).sum() for i in range(len(laws))])
    return found / found.sum()


def _joined(found: Sequence[Entry]) -> list[Entry]:
    return list(found)


# --- Subsampling -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Coin:
    """From draw `at` on, the record takes part with probability `rate`, until the next coin."""

    at: int
    rate: float


def _coins(
    rows: Sequence[Row], draws: Mapping[int, Row], place: int | None, records: int | None
) -> list[_Coin]:
    """Random subsets of the records: a comparison of a uniform number for each record with one rate."""
    found: list[_Coin] = []
    if place is None or records is None:
        return found
    for row in rows:
        if row["kind"] == "comparison" and np.shape(row["outcome"])[:1] == (records,):
            rate = _rate(row, draws, place)
            if rate is not None:
                found.append(_Coin(int(row["at"]), rate))
    found += _coins_in_loops(rows, draws, records)
    for row in draws.values():
        params = row["params"]
        places = row["law"] == "choice" and params.get("a") == records and params.get("p") is None
        if places and params.get("replace") is False and row["shape"]:
            found.append(_Coin(int(row["index"]) + 1, row["shape"][0] / records))
        bits = row["law"] == "binomial" and tuple(row["shape"])[:1] == (records,) and not row["unlike"]
        if bits and np.ndim(params["p"]) == 0 and params["n"] == 1:
            found.append(_Coin(int(row["index"]) + 1, float(row["params"]["p"])))
    return sorted(found, key=lambda coin: coin.at)


def _rate(row: Row, draws: Mapping[int, Row], place: int = 0) -> float | None:
    """With what probability a comparison of a uniform number shows "takes part"; None for any other."""
    bits = _bits(row)
    if not bits or row["law"] != "compare":
        return None
    bit = bits[min(place, len(bits) - 1)]
    ids = [i for i in (bit.first[0], bit.second[0]) if i is not None]
    laws = {i: _element(i, draws) for i in ids}
    if len(ids) != 1 or laws[ids[0]] is None or not all(_same(b) for b in bits):
        return None
    chance = _probability(replace(bit, above=True), laws, 0)
    # True is "takes part": of u < rate that is the second being the larger.
    return chance if row["name"].startswith("greater") else 1.0 - chance


def _coins_in_loops(rows: Sequence[Row], draws: Mapping[int, Row], records: int) -> list[_Coin]:
    """A uniform number for each record that is compared with one rate in a loop over the records."""
    single: dict[Any, list[Row]] = defaultdict(list)
    for row in rows:
        if row["kind"] == "comparison" and row["law"] == "compare" and np.shape(row["outcome"]) == ():
            single[tuple(row["where"])].append(row)
    found: list[_Coin] = []
    for unordered in single.values():
        group = sorted(unordered, key=lambda row: int(row["at"]))
        for k in range(0, len(group) - records + 1, records):
            rates = {_rate(row, draws) for row in group[k : k + records]}
            rate = rates.pop()
            if not rates and rate is not None:
                found.append(_Coin(int(group[k + records - 1]["at"]), rate))
    return found


def _moved_farther(entry: Entry, factor: float) -> Entry:
    """An entry whose argument the record moves farther than it is moved between D and D′."""
    losses = entry.losses or ()
    if factor == 1.0:
        return entry
    if any(loss.kind == "pair" for loss in losses):
        factor = math.inf
    return replace(entry, losses=tuple(replace(loss, ratio=loss.ratio * factor) for loss in losses))


def _amplified(group: Sequence[Entry], rate: float) -> list[Entry]:
    """The entries of all draws that depend on a record through one coin: it takes part in all of them, or in
    none.

    So it is the composition of the draws that is amplified: Gaussians compose to one Gaussian, and pure
    losses add up. What is composed of several kinds has its full cost.
    """
    losses = [loss for entry in group for loss in entry.losses or ()]
    if not 0.0 < rate < 1.0 or not losses or any(not math.isfinite(loss.ratio) for loss in losses):
        return list(group)
    if all(loss.kind == "gaussian" and loss.delta == 0.0 for loss in losses):
        whole = Loss("gaussian", math.sqrt(math.fsum(loss.ratio**2 for loss in losses)), rate=rate)
    elif len(losses) == 1:
        whole = replace(losses[0], rate=rate)
    elif all(loss.delta == 0.0 and loss.kind != "gaussian" for loss in losses):
        whole = Loss("pure", math.fsum(loss.largest for loss in losses), rate=rate)
    else:
        return list(group)
    words = f", record takes part with probability {rate:.4g}"
    first = replace(group[0], losses=(whole,), law=group[0].law + words)
    return [first, *(replace(e, losses=(), law=f"{e.law}, with the draw above") for e in group[1:])]
