"""42 mistakes that practitioners make, each as it stands in code, with the exact law that it leads to.

The law is that of what the mechanism releases, or of what of it tells the datasets apart, cut into cells.
They were written without sight of the learners, and stay as they are.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from audits.privacy import each
from audits.privacy.claims import Approximate, Curve, GaussianDP, ZeroConcentrated
from benchmarks.cases import Array, Case, Laws, Rng, masses

CELLS, PARTS = 1500, 600
"""Cells of a number; and of several numbers together, those of like ratios put together."""


# --- Laws ---------------------------------------------------------------------------------------------------


def cells(first: Any, second: Any) -> Laws:
    """Two frozen laws of SciPy on the real line, cut into cells finer where either has its mass."""
    levels = np.linspace(0.0, 1.0, CELLS // 2 + 1)[1:-1]
    tails = np.geomspace(1e-7, 1e-3, 40)
    levels = np.sort(np.concatenate([tails, levels, 1.0 - tails]))
    edges = np.unique(np.concatenate([first.ppf(levels), second.ppf(levels)]))
    return tuple(np.diff(law.cdf(edges), prepend=0.0, append=1.0) for law in (first, second))  # type: ignore[return-value]


def counted(first: Any, second: Any, most: int = 200) -> Laws:
    """Two laws on the integers up to `most` in size."""
    k = np.arange(-most, most + 1)
    return np.asarray(first.pmf(k)), np.asarray(second.pmf(k))


def together(*laws: Laws) -> Laws:
    """The law of independent parts; cells of like ratios become one, which changes no event of ratios."""
    p, q = np.ones(1), np.ones(1)
    for first, second in laws:
        p, q = np.outer(p, first).ravel(), np.outer(q, second).ravel()
        with np.errstate(divide="ignore", invalid="ignore"):
            order = np.argsort(np.nan_to_num(np.log(p) - np.log(q)), kind="stable")
        p, q = p[order], q[order]
        weight = np.cumsum(p + q)
        part = np.minimum((weight / weight[-1] * PARTS).astype(int), PARTS - 1)
        p, q = (np.bincount(part, side, PARTS).astype(np.float64) for side in (p, q))
    return p, q


def laplace(
    first: float, second: float, scale: float = 1.0, other: float | None = None
) -> Callable[[], Laws]:
    """Laplace noise of a scale (of another on the second dataset) about two numbers."""
    return lambda: cells(stats.laplace(first, scale), stats.laplace(second, other or scale))


def gaussian(distance: float, sigma: float) -> Callable[[], Laws]:
    """Gaussian noise about two points in any dimension: the projection on their line tells everything."""
    return lambda: cells(stats.norm(0.0, sigma), stats.norm(distance, sigma))


def apart() -> Laws:
    """Datasets that every output tells apart."""
    return masses([1.0, 0.0], [0.0, 1.0])


def noisy_order(first: Any, second: Any, release: Callable[[Any], Laws | Array]) -> Laws:
    """What `release` makes of three or more Laplace laws about the numbers of each dataset."""
    return release(np.asarray(first, float)), release(np.asarray(second, float))  # type: ignore[return-value]


GRID = np.linspace(-40.0, 40.0, 16_001)


def best_two(centres: Array) -> Array:
    """P(the first and the second of noisy numbers are i and j), Laplace noise of scale 1."""
    step = GRID[1] - GRID[0]
    below = [stats.laplace(c).cdf(GRID) for c in centres]
    density = [stats.laplace(c).pdf(GRID) for c in centres]
    found: list[float] = []
    for i, j in itertools.permutations(range(len(centres)), 2):
        rest = np.prod([below[k] for k in range(len(centres)) if k not in (i, j)], axis=0)
        found.append(float(np.sum(density[j] * (1.0 - below[i]) * rest) * step))
    return np.array(found)


def best_and_value(centres: Array, scale: float = 2.0) -> Array:
    """P(the largest noisy number is the i-th and lies in a cell), Laplace noise of a scale."""
    fine = [stats.laplace(c, scale) for c in centres]
    step = GRID[1] - GRID[0]
    below = [law.cdf(GRID) for law in fine]
    found: list[Array] = []
    for i, law in enumerate(fine):
        rest = np.prod([below[k] for k in range(len(fine)) if k != i], axis=0)
        found.append((law.pdf(GRID) * rest * step).reshape(-1)[:16_000].reshape(800, 20).sum(axis=1))
    return np.concatenate(found)


def above(queries: Array, noise: float, threshold: float | None, stops: bool) -> Array:
    """The law of the answers of a sparse vector: Laplace noise on each query and on the threshold 0 (None for
    none there); it stops at the first answer above, or answers all."""
    grid = np.zeros(1) if threshold is None else GRID
    weight = (
        np.ones(1) if threshold is None else stats.laplace(0.0, threshold).pdf(grid) * (GRID[1] - GRID[0])
    )
    over = [1.0 - stats.laplace(q, noise).cdf(grid) for q in queries]
    if stops:
        quiet = np.cumprod([1.0 - o for o in over], axis=0)
        found = [over[0], *(quiet[k - 1] * over[k] for k in range(1, len(over))), quiet[-1]]
    else:
        found = [
            np.prod([o if b else 1.0 - o for o, b in zip(over, bits, strict=True)], axis=0)
            for bits in itertools.product((False, True), repeat=len(over))
        ]
    return np.array([float(np.sum(weight * f)) for f in found])


# --- Mechanisms ---------------------------------------------------------------------------------------------


def lap(size: Any, rng: Rng, scale: float = 1.0) -> Any:
    """Laplace noise."""
    return rng.laplace(0.0, scale, size)


def unnoised_zero(data: Any, size: int, rng: Rng) -> Any:
    """A sum with Laplace noise; an empty group is answered with 0 at once."""
    return np.zeros(size) if data.sum() == 0 else data.sum() + lap(size, rng)


def rare_path(data: Any, size: int, rng: Rng) -> Any:
    """A mean over one of ten partitions: that of the partition which is too small has no noise."""
    which = rng.integers(10, size=size)
    answers = data[which % len(data)].astype(float)
    return np.where(which == 0, answers, answers + lap(size, rng))


def first_two(data: Any, size: int, rng: Rng) -> Any:
    """The two candidates of largest noisy count, with the noise of one."""
    noisy = data.sum(axis=0) + lap((size, data.shape[1]), rng)
    return np.argsort(-noisy, axis=1)[:, :2]


def winner_and_count(data: Any, size: int, rng: Rng) -> Any:
    """The candidate of largest noisy count, and that count."""
    noisy = data.sum(axis=0) + lap((size, data.shape[1]), rng, 2.0)
    return np.stack([noisy.argmax(axis=1), noisy.max(axis=1)], axis=1)


def sparse_vector(noise: float, threshold: float | None, stops: bool) -> Callable[..., Any]:
    """Answers of a sparse vector, see `above`; a query is a column of the data."""

    def mechanism(data: Any, size: int, rng: Rng) -> Any:
        queries = data.sum(axis=0)
        limit = 0.0 if threshold is None else lap((size, 1), rng, threshold)
        over = queries + lap((size, len(queries)), rng, noise) >= limit
        if not stops:
            return over.astype(np.int64)
        return np.where(over.any(axis=1), over.argmax(axis=1), len(queries))

    return mechanism


def exponential(data: Any, size: int, rng: Rng) -> Any:
    """exp(ε·u) in place of exp(ε·u/2)."""
    weight = np.exp(data.sum(axis=0))
    return rng.choice(data.shape[1], size, p=weight / weight.sum())


def response(keep: float, kinds: int) -> Callable[..., Any]:
    """Randomised response: the truth with probability `keep`, else another answer."""

    def mechanism(data: Any, size: int, rng: Rng) -> Any:
        other = (data[0] + rng.integers(1, kinds, size)) % kinds
        return np.where(rng.random(size) < keep, data[0], other)

    return mechanism


def unary(data: Any, size: int, rng: Rng) -> Any:
    """A one-hot vector whose bits are flipped with the whole ε each."""
    one = np.arange(6) == data[0]
    return np.where(rng.random((size, 6)) < math.e / (1.0 + math.e), one, ~one).astype(np.int64)


def truncated(data: Any, size: int, rng: Rng) -> Any:
    """Noise outside of [−3, 3] is drawn again."""
    noise = lap(size, rng)
    while (wrong := np.abs(noise) > 3.0).any():
        noise[wrong] = lap(int(wrong.sum()), rng)
    return data.sum() + noise


def same_noise(data: Any, size: int, rng: Rng) -> Any:
    """A histogram with one draw of noise for all bins."""
    return np.bincount(data, minlength=3) + lap((size, 1), rng)


def present_keys(data: Any, rng: Rng) -> dict[str, float]:
    """A group-by: noisy counts of the groups that occur."""
    return {str(k): float(np.sum(data == k) + rng.laplace()) for k in np.unique(data)}


def batch_clipped(data: Any, size: int, rng: Rng) -> Any:
    """The mean gradient is clipped to norm 1, and noise added for a clipped record of a batch of ten."""
    mean = data.mean(axis=0)
    mean = mean / max(1.0, float(np.linalg.norm(mean)))
    return mean + rng.normal(0.0, 3.73 * 0.2, (size, data.shape[1]))


def coordinates_clipped(data: Any, size: int, rng: Rng) -> Any:
    """Coordinates are clipped to [−1, 1], noise is that for vectors of norm 1 (a record is removed)."""
    return np.clip(data, -1, 1).sum(axis=0) + rng.normal(0.0, 1.1, (size, data.shape[1]))


def subsampled(data: Any, size: int, rng: Rng) -> Any:
    """Each record is taken with probability ½, where the claim has it at ¼."""
    return rng.binomial(1, 0.5, (size, len(data))) @ data + lap(size, rng)


def with_batch_size(data: Any, size: int, rng: Rng) -> Any:
    """A noisy sum over a sample of the records, and how many were sampled."""
    taken = rng.random((size, len(data))) < 0.9
    return np.stack([taken @ data + lap(size, rng), taken.sum(axis=1)], axis=1)


def until_plausible(data: Any, size: int, rng: Rng) -> Any:
    """A noisy count is drawn again until it lies between 0 and the number of records."""
    noisy = len(data) + lap(size, rng)
    while (wrong := (noisy < 0.0) | (noisy > len(data))).any():
        noisy[wrong] = len(data) + lap(int(wrong.sum()), rng)
    return noisy


def plausible_law(n: int) -> Any:
    """P(x ≤ t) of a Laplace variable about n within [0, n]."""
    law = stats.laplace(n)
    return lambda t: np.clip((law.cdf(t) - law.cdf(0.0)) / (law.cdf(n) - law.cdf(0.0)), 0.0, 1.0)


def on_edges(first: Any, second: Any, edges: Array) -> Laws:
    """Two distribution functions on the cells between some edges, which may hold atoms from above."""
    return tuple(np.diff(cdf(edges), prepend=0.0) for cdf in (first, second))  # type: ignore[return-value]


def decimals(data: Any, size: int, rng: Rng) -> Any:
    """A noisy sum with as many decimals as the data have."""
    some = max(len(str(float(x)).split(".")[1]) for x in data)
    return np.round(data.sum() + lap(size, rng), some)


def clamped_to_data(data: Any, size: int, rng: Rng) -> Any:
    """A noisy mean, clamped to the smallest and the largest value in the data."""
    return np.clip(data.mean() + lap(size, rng, 1.0 / len(data)), data.min(), data.max())


def clamped_laws() -> Laws:
    """Two atoms each at the ends of the data: they lie at different places."""
    low, high = stats.laplace(0.5, 0.1), stats.laplace(0.55, 0.1)
    edges = np.linspace(0.0, 1.0, 400)
    first, second = np.diff(low.cdf(edges)), np.diff(high.cdf(edges))
    ends = low.cdf(0.0), low.sf(1.0), high.cdf(0.0), high.sf(1.5)
    # The second dataset alone has outputs in (1, 1.5) and an atom at 1.5; the first alone has an atom at 1.
    return masses(
        [*first, ends[0], ends[1], 0.0, 0.0], [*second, ends[2], 0.0, high.cdf(1.5) - high.cdf(1.0), ends[3]]
    )


def bounds_from_data(data: Any, size: int, rng: Rng) -> Any:
    """Noise of the range that is seen in the data."""
    return data.mean() + lap(size, rng, np.ptp(data) / len(data))


def normalised(data: Any, size: int, rng: Rng) -> Any:
    """Values are divided by the largest in the data, and then summed with noise for values up to 1."""
    return (data / data.max()).sum() + lap(size, rng)


def imputed(data: Any, size: int, rng: Rng) -> Any:
    """Missing values are replaced by the mean of the others, then summed with noise for values up to 1."""
    return np.nan_to_num(data, nan=float(np.nanmean(data))).sum() + lap(size, rng)


def floored(data: Any, size: int, rng: Rng) -> Any:
    """Discrete noise as the whole part of Laplace noise, cut towards 0: 0 is too likely."""
    return data.sum() + np.trunc(lap(size, rng)).astype(np.int64)


def trunc_law(centre: int) -> Array:
    """Its law on −30, …, 30."""
    k = np.abs(np.arange(-30, 31) - centre)
    return np.where(k == 0, 1.0 - math.exp(-1.0), 0.5 * (np.exp(-k) - np.exp(-k - 1.0)))


def one_sided(data: Any, size: int, rng: Rng) -> Any:
    """Noise that only adds."""
    return data.sum() + rng.geometric(1.0 - math.exp(-1.0), size) - 1


def two_queries(data: Any, size: int, rng: Rng) -> Any:
    """A count and a sum of values in [0, 1], each with the whole ε."""
    return np.stack([len(data) + lap(size, rng), data.sum() + lap(size, rng)], axis=1)


def stable_or_none(data: Any, rng: Rng) -> float | None:
    """The median as it is where the data look stable, by a test without noise."""
    ordered = np.sort(data)
    middle = len(ordered) // 2
    stable = ordered[middle + 1] - ordered[middle - 1] < 0.5
    return float(ordered[middle]) if stable else None


def summed(scale: float) -> Callable[..., Any]:
    """A sum with Laplace noise of a scale."""
    return lambda data, size, rng: data.sum() + lap(size, rng, scale)


def mean_of(scale: float) -> Callable[..., Any]:
    """A noisy sum, divided by the true number of records."""
    return lambda data, size, rng: (data.sum() + lap(size, rng, scale)) / len(data)


def normal_sum(sigma: float) -> Callable[..., Any]:
    """A sum of records with Gaussian noise."""
    return lambda data, size, rng: data.sum(axis=0) + rng.normal(0.0, sigma, (size, *data.shape[1:]))


def repeated_normal(times: int, sigma: float) -> Callable[..., Any]:
    """The same sum released several times, each with the noise of one."""
    return lambda data, size, rng: data.sum() + rng.normal(0.0, sigma, (size, times))


# --- The list -----------------------------------------------------------------------------------------------

ONE, NONE = np.r_[1.0, np.zeros(9)], np.zeros(10)
UP = np.zeros((3, 6))
MOVED = np.vstack([np.zeros((2, 6)), np.ones((1, 6))])
SPLIT = np.vstack([np.zeros((2, 6)), [1.0, 1.0, 1.0, -1.0, -1.0, -1.0]])
UNIT = laplace(0.0, 1.0)
LAST = math.log(1.0 + 0.25 * (math.e - 1.0))
E = math.e


def mixture(scale: float, share: float) -> Laws:
    """Laplace noise about 0, and about 1 with some probability."""
    p, q = cells(stats.laplace(0.0, scale), stats.laplace(1.0, scale))
    return p, (1.0 - share) * p + share * q


def mistake(
    name: str,
    mechanism: Any,
    pair: tuple[Any, Any],
    adjacency: str,
    laws: Callable[[], Laws],
    *,
    epsilon: float = 1.0,
    delta: float = 0.0,
) -> Case:
    """A mistake, with a pair of datasets on which it shows."""
    return Case(name, mechanism, [pair], adjacency, laws, Approximate(epsilon, delta))


def one_record(name: str, mechanism: Any, laws: Callable[[], Laws], **claim: float) -> Case:
    """A mistake that shows where one of ten records is 1, or 0 as all others."""
    return mistake(name, mechanism, (ONE, NONE), "replace", laws, **claim)


def flipped(data: Any, size: int, rng: Rng) -> NDArray[np.bool_]:
    """Permute-and-flip at ε = 2 among two candidates, the better of which is `data`, by 1 (McKenna and
    Sheldon 2020): the worse is taken with probability e^(−1)/2."""
    return (rng.random(size) < 0.5 * math.exp(-1.0)) ^ bool(data)


def normal(scale: float) -> Callable[..., Any]:
    """Gaussian noise on a number."""
    return lambda data, size, rng: data + rng.normal(scale=scale, size=size)


def in_units() -> tuple[Case, ...]:
    """Claims in other units than ε and δ."""
    off = {"pairs": [(1.0, 0.0)]}
    noise: dict[str, Any] = off | {"mechanism": normal(0.9)}
    noise["laws"] = lambda: cells(stats.norm(1.0, 0.9), stats.norm(0.0, 0.9))
    much: dict[str, Any] = noise | {"mechanism": normal(0.5)}
    much["laws"] = lambda: cells(stats.norm(1.0, 0.5), stats.norm(0.0, 0.5))
    worse = 0.5 * math.exp(-1.0)
    return (
        Case("μ = 1: Gaussian noise 10 % too small", claim=GaussianDP(1.0), **noise),
        Case("δ(ε): Gaussian noise 10 % too small", claim=Curve(GaussianDP(1.0).delta), **noise),
        Case("ρ = 0.5: Gaussian noise 10 % too small", claim=ZeroConcentrated(0.5), **noise),
        Case("ρ = 0.5: Gaussian noise 50 % too small", claim=ZeroConcentrated(0.5), **much),
        Case(
            "ρ = 0.5: permute-and-flip for the exponential mechanism",
            mechanism=flipped,
            laws=lambda: (np.array([1.0 - worse, worse]), np.array([worse, 1.0 - worse])),
            claim=ZeroConcentrated(0.5),
            **off,
        ),
    )


MISTAKES = (
    *in_units(),
    one_record("sensitivity 10 % too small", summed(0.9), laplace(0, 1, 0.9)),
    one_record("sensitivity 20 % too small", summed(0.8), laplace(0, 1, 0.8)),
    mistake(
        "clipping off by one: 11 values for 10",
        summed(10.0),
        (np.r_[11.0, NONE], np.r_[0.0, NONE]),
        "replace",
        laplace(0, 11, 10.0),
    ),
    mistake(
        "a value outside of its bounds is not clipped",
        summed(1.0),
        (1.5 * ONE, NONE),
        "replace",
        laplace(0, 1.5),
    ),
    mistake("a record replaced, noise for one removed", summed(1.0), (ONE, -ONE), "replace", laplace(-1, 1)),
    one_record("scale ε in place of 1/ε", summed(0.5), laplace(0, 1, 0.5), epsilon=0.5),
    one_record(
        "standard deviation of Laplace noise for its scale",
        summed(1.0 / math.sqrt(2.0)),
        laplace(0, 1, 1.0 / math.sqrt(2.0)),
    ),
    mistake(
        "true number of records in a mean",
        mean_of(1.0),
        (np.ones(2), np.ones(1)),
        "add-remove",
        laplace(1.0, 1.0, 0.5, 1.0),
    ),
    mistake(
        "budget not split over two queries",
        two_queries,
        (np.ones(5), np.ones(4)),
        "add-remove",
        lambda: together(UNIT(), UNIT()),
    ),
    one_record(
        "budget of ten queries for one",
        lambda d, n, rng: d.sum() + lap((n, 10), rng),
        lambda: together(*[UNIT()] * 10),
    ),
    one_record("Gaussian: 2·ln(1.25/δ) forgotten", normal_sum(1.0), gaussian(1.0, 1.0), delta=1e-5),
    one_record(
        "Gaussian noise for a claim without δ", normal_sum(math.sqrt(2.0)), gaussian(1.0, math.sqrt(2.0))
    ),
    one_record(
        "Gaussian: δ for 1 − δ in the formula",
        normal_sum(math.sqrt(2.0 * math.log(1.25 / 0.9))),
        gaussian(1.0, math.sqrt(2.0 * math.log(1.25 / 0.9))),
        delta=0.1,
    ),
    one_record(
        "variance for standard deviation",
        lambda d, n, rng: d.mean() + rng.normal(0.0, 0.373**2, n),
        gaussian(0.1, 0.373**2),
        epsilon=0.5,
        delta=1e-3,
    ),
    one_record(
        "eight releases with the noise of one",
        repeated_normal(8, 2.5),
        gaussian(math.sqrt(8.0), 2.5),
        delta=1e-3,
    ),
    mistake(
        "16 coordinates, Laplace noise by Euclidean sensitivity",
        lambda d, n, rng: d.sum(axis=0) + lap((n, 16), rng, 1.0),
        (np.full((1, 16), 0.25), np.zeros((1, 16))),
        "replace",
        lambda: together(*[laplace(0, 0.25)()] * 16),
    ),
    mistake(
        "coordinates clipped, not the norm",
        coordinates_clipped,
        (np.ones((3, 9)), np.ones((2, 9))),
        "add-remove",
        gaussian(3.0, 1.1),
        delta=1e-2,
    ),
    mistake(
        "the mean of a batch is clipped, not each gradient",
        batch_clipped,
        (np.r_[np.full((1, 5), 20.0), np.zeros((9, 5))], np.zeros((10, 5))),
        "replace",
        gaussian(1.0, 3.73 * 0.2),
        delta=1e-5,
    ),
    one_record("no noise where the sum is 0", unnoised_zero, apart),
    mistake(
        "no noise on one path of ten",
        rare_path,
        (np.r_[1.0, np.zeros(19)], np.zeros(20)),
        "replace",
        lambda: masses([0.1, 0.0, 0.9], [0.0, 0.1, 0.9]),
    ),
    mistake(
        "groups that do not occur are not listed",
        each(present_keys),
        (np.array([0, 0, 1]), np.array([0, 0, 0])),
        "replace",
        apart,
    ),
    mistake(
        "one draw of noise for all bins",
        same_noise,
        (np.array([0, 0, 1, 2]), np.array([0, 1, 1, 2])),
        "replace",
        apart,
    ),
    one_record(
        "noise from a seed that is the data's",
        lambda d, n, rng: d.sum() + np.random.default_rng(int(d.sum())).laplace() + np.zeros(n),
        apart,
    ),
    mistake(
        "rounded to the decimals of the data",
        decimals,
        (np.array([0.5, 0.25]), np.array([0.5, 0.5])),
        "replace",
        # One output in ten of those with two decimals happens to have one.
        lambda: masses([0.1, 0.9], [1.0, 0.0]),
    ),
    mistake(
        "rounded before the noise",
        lambda d, n, rng: np.round(d.sum()) + lap(n, rng, 0.5),
        (np.array([0.3, 0.3]), np.array([0.3, 0.0])),
        "replace",
        laplace(0, 1, 0.5),
    ),
    one_record("noise cut off and drawn again", truncated, lambda: truncated_laws()),
    one_record("whole part of Laplace noise", floored, lambda: (trunc_law(1), trunc_law(0))),
    one_record(
        "noise that only adds",
        one_sided,
        lambda: counted(stats.geom(1 - 1 / E, loc=0), stats.geom(1 - 1 / E, loc=-1)),
    ),
    mistake(
        "a noisy count drawn again until plausible",
        until_plausible,
        (np.ones(4), np.ones(3)),
        "add-remove",
        lambda: on_edges(plausible_law(4), plausible_law(3), np.linspace(0.0, 4.0, 401)),
    ),
    mistake(
        "a mean clamped to the range of the data",
        clamped_to_data,
        (np.r_[np.zeros(5), np.ones(5)], np.r_[np.zeros(5), np.ones(4), 1.5]),
        "replace",
        clamped_laws,
    ),
    mistake(
        "bounds read from the data",
        bounds_from_data,
        (np.r_[0.5, np.ones(9)], np.r_[0.2, np.ones(9)]),
        "replace",
        laplace(0.95, 0.92, 0.05, 0.08),
    ),
    mistake(
        "values divided by the largest in the data",
        normalised,
        (np.ones(8), np.r_[np.ones(7), 1.5]),
        "replace",
        laplace(8.0, 7.0 / 1.5 + 1.0),
    ),
    mistake(
        "missing values filled with the mean",
        imputed,
        (np.r_[1.0, 1.0, np.full(3, np.nan)], np.r_[1.0, 0.0, np.full(3, np.nan)]),
        "replace",
        laplace(5.0, 2.5),
    ),
    mistake(
        "exponential mechanism without the factor 2",
        exponential,
        (np.vstack([UP[:, :5], [1, 0, 0, 0, 0]]), np.vstack([UP[:, :5], [0, 1, 1, 1, 1]])),
        "replace",
        lambda: masses([E / (E + 4), *[1 / (E + 4)] * 4], [1 / (1 + 4 * E), *[E / (1 + 4 * E)] * 4]),
    ),
    mistake(
        "two winners with the noise of one",
        first_two,
        (np.vstack([UP[:, :4], [1, 1, 0, 0]]), np.vstack([UP[:, :4], [0, 0, 1, 1]])),
        "replace",
        lambda: noisy_order([1, 1, 0, 0], [0, 0, 1, 1], best_two),
        epsilon=2.0,
    ),
    mistake(
        "the winner and its count from the same noise",
        winner_and_count,
        (MOVED, UP),
        "replace",
        lambda: noisy_order(np.ones(6), np.zeros(6), best_and_value),
    ),
    mistake(
        "sparse vector that answers all",
        sparse_vector(2.0, 2.0, False),
        (SPLIT, UP),
        "replace",
        lambda: (above(SPLIT.sum(axis=0), 2.0, 2.0, False), above(UP.sum(axis=0), 2.0, 2.0, False)),
    ),
    mistake(
        "randomised response of two answers for four",
        response(E / (1.0 + E), 4),
        (np.array([0]), np.array([2])),
        "replace",
        lambda: masses(
            [E, 1 / 3, 1 / 3, 1 / 3] / np.array(1 + E), [1 / 3, 1 / 3, E, 1 / 3] / np.array(1 + E)
        ),
    ),
    mistake(
        "whole ε for each bit of a one-hot vector",
        unary,
        (np.array([0]), np.array([3])),
        "replace",
        lambda: together(*[masses([E, 1] / np.array(1 + E), [1, E] / np.array(1 + E))] * 2),
    ),
    one_record(
        "sampling rate of a quarter, half in truth", subsampled, lambda: mixture(1.0, 0.5), epsilon=LAST
    ),
    mistake(
        "size of the sample released",
        with_batch_size,
        (np.ones(4), np.ones(3)),
        "add-remove",
        lambda: batch_laws(),
    ),
    mistake(
        "exact median where a test without noise allows it",
        each(stable_or_none),
        (np.array([0.0, 0.1, 0.2, 0.3, 0.9]), np.array([0.0, 0.1, 0.2, 0.9, 0.9])),
        "replace",
        apart,
    ),
)


def truncated_laws() -> Laws:
    """Laplace noise within [−3, 3] about 1 and about 0."""
    edges = np.linspace(-3.0, 4.0, 701)
    mass = 1.0 - math.exp(-3.0)

    def about(centre: float) -> Callable[[Array], Array]:
        law = stats.laplace(centre)
        low = law.cdf(centre - 3.0)
        return lambda t: np.clip((law.cdf(t) - low) / mass, 0.0, 1.0)

    return on_edges(about(1.0), about(0.0), edges)


def batch_laws() -> Laws:
    """A binomial size k, and k with Laplace noise: given the size, the noisy sum tells nothing."""
    return counted(stats.binom(4, 0.9), stats.binom(3, 0.9), 6)
