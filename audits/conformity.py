"""Whether samples are drawn from a declared law, by a test that may be looked at any time.

Each sample becomes a number in [0, 1] that is uniform under the law: F(x), or for a law with atoms
F(x−) + V·(F(x) − F(x−)) with a uniform V. Bets against uniformity multiply a wealth that begins at 1, whose
mean is 1 under the law at all times: it passes 1/α with probability α at most, however often one looks and
however long one goes on [Ville 1939]. The bets, each with the same share of the wealth:

* densities 1 + θ·Pⱼ(x), Pⱼ the Legendre polynomials of degree 1 to 4, means over θ [Neyman 1937]: small
  errors of location, scale, skewness and tails;
* histograms of 2, 4, …, 256 equal bins, the density learned from earlier samples [Krichevsky and Trofimov
  1981]: any other shape, values that are favoured or avoided;
* a small share of samples from a density whose bins halve towards 0 and 1: some that are farther out than
  the law allows;
* of a law without atoms, values that occur again: rounding, clamping, a stuck generator.

It is blind to dependence between samples, to what happens within bins of 1/256 but for repeated values, and
to a grid so fine that no value occurs twice. Parameters of the law must not be estimated from the samples.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from audits.laws import Finite
from implementations.checks import numbers, probability, whole_number

Array = NDArray[np.float64]

DEGREES = range(1, 5)
THETAS = np.concatenate([side * 0.95 * 2.0 ** -np.arange(8.0) for side in (1.0, -1.0)])
"""The θ that are bet on, in shares of the largest for which the density is positive."""
CONTAMINATION = 10.0 ** -np.arange(1.0, 7.0)
DEPTHS = range(1, 9)
FARTHEST = 48
"""The last bin towards 0 or 1 begins at 2^−48: doubles tell no more of 1 − F(x)."""
STREAM = 1939
"""What sets the draws of this test apart from those of a user's generator with the same seed."""
CELL = 4.0
"""Times the precision of the samples' type: what is added to the probability of each value of a law without
atoms, for the rounding of F and the steps of generators."""
FACTORS = (1.02, 1.05, 1.1, 1.2, 1.5, 2.0, 4.0)
"""Scales that are planted, to learn what a pass is worth; shifts are one less, in normal scores."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LawResult:
    """What the samples say of the law.

    verdict   "refuted" where the wealth passed 1/alpha, else "not-refuted".
    e_value   the largest wealth.
    samples   how many there are; `after` is when the wealth was largest.
    bet       the bet that won most.
    scale     the smallest planted factor of the scale that these samples would have shown, ∞ for none; and
    shift     the smallest planted shift, in standard deviations of a normal law with the same quantiles.
    """

    verdict: str
    e_value: float
    alpha: float
    samples: int
    after: int
    bet: str
    scale: float
    shift: float

    def summary(self) -> str:
        """The answer in a line."""
        if self.verdict == "refuted":
            return (
                f"REFUTED: the samples are not drawn from the law: wealth {self.e_value:.3g} ≥ 1/α = "
                f"{1 / self.alpha:.3g} after {self.after:,} of {self.samples:,} samples, by {self.bet}"
            )
        shown = [f"{words} {value:g}" for words, value in (("a scale wrong by the factor", self.scale),
                 ("a shift of normal scores by", self.shift)) if value < math.inf]  # fmt: skip
        return (
            f"NOT REFUTED: wealth {self.e_value:.3g} < 1/α = {1 / self.alpha:.3g}, {self.samples:,} samples; "
            + (f"would have shown {' or '.join(shown)}" if shown else "too few to show a scale wrong by 4")
        )


def check_law(samples: ArrayLike, law: Any, *, alpha: float = 0.05, seed: int = 0) -> LawResult:
    """Test independent samples, in the order in which they were drawn, against a law.

    samples  numbers, one dimension. More may be appended and the test called again: all looks together refute
             a true law with probability alpha at most.
    law      of `audits.laws` (Gaussian, Laplace, Finite over numbers, Mixture), a frozen law of
             SciPy, continuous or discrete, or a distribution function of a law without atoms.
    seed     of the draws V for laws with atoms.

    Raises ValueError for bad input.

    >>> from audits.laws import Gaussian
    >>> draws = np.random.default_rng(0).normal(size=2_000)
    >>> check_law(draws, Gaussian(0.0, 1.0)).verdict, check_law(draws, Gaussian(0.0, 1.2)).verdict
    ('not-refuted', 'refuted')
    """
    probability(alpha=alpha)
    whole_number(0, seed=seed)
    values = numbers("samples", samples)
    if values.ndim != 1 or not values.size:
        raise ValueError(f"samples must be a list of one or more numbers, got shape {values.shape}")
    below, above = _distribution(law, values)
    uniform = below + np.random.default_rng([seed, STREAM]).random(values.size) * (above - below)
    atoms = isinstance(law, Finite) or hasattr(law, "pmf")
    impossible = np.flatnonzero(above == below) if atoms else np.zeros(0, dtype=int)
    looks = np.ceil(1.15 ** np.arange(math.ceil(math.log(values.size, 1.15)))).astype(int)
    looks = np.unique([*looks, values.size])
    again = np.zeros(values.size) if atoms else _repeats(np.asarray(samples), law)
    wealth = np.column_stack([_bets(uniform, looks), again[looks - 1]])
    whole = np.logaddexp.reduce(wealth, axis=1) - math.log(wealth.shape[1])
    best = int(np.argmax(whole))
    largest, after, bet = float(whole[best]), int(looks[best]), BETS[int(np.argmax(wealth[best]))]
    if impossible.size:
        largest, after = math.inf, int(impossible[0]) + 1
        bet = f"the value {values[impossible[0]]:g}, which has probability 0"
    found = (math.inf, math.inf) if largest >= -math.log(alpha) else _shown(uniform, alpha)
    return LawResult(
        verdict="refuted" if largest >= -math.log(alpha) else "not-refuted",
        e_value=math.exp(min(largest, 700.0)), alpha=alpha, samples=values.size, after=after, bet=bet,
        scale=found[0], shift=found[1],
    )  # fmt: skip


BETS = (
    *(f"a smooth density of degree {j}" for j in DEGREES), *(f"a histogram of {2**d} bins" for d in DEPTHS),
    "samples far out", "values that occur again",
)  # fmt: skip


def _bets(uniform: Array, looks: NDArray[np.int_]) -> Array:
    """The logarithm of the wealth of each bet but the last, at each look."""
    from scipy.special import eval_legendre

    found: list[Array] = []
    for j in DEGREES:
        # |Pⱼ| ≤ 1 on [−1, 1], with mean 0.
        of_theta = [np.cumsum(np.log1p(t * eval_legendre(j, 2.0 * uniform - 1.0)))[looks - 1] for t in THETAS]
        found.append(np.logaddexp.reduce(of_theta) - math.log(THETAS.size))
    for d in DEPTHS:
        bins = np.minimum((uniform * 2**d).astype(int), 2**d - 1)
        found.append(_histogram(bins, 2**d, looks))
    near = np.clip(np.minimum(uniform, 1.0 - uniform), 2.0**-FARTHEST, 0.5)
    place = np.clip(np.floor(-np.log2(near)).astype(int), 1, FARTHEST)
    # Contamination: a share η comes from a density with the same mass in each bin, which halve outwards.
    masses = 2.0 ** -np.minimum(np.arange(1, FARTHEST + 1) + 1.0, FARTHEST)
    excess = 0.5 / FARTHEST / masses[place - 1] - 1.0
    of_share = [np.cumsum(np.log1p(share * excess))[looks - 1] for share in CONTAMINATION]
    found.append(np.logaddexp.reduce(of_share) - math.log(CONTAMINATION.size))
    return np.column_stack(found)


def _histogram(bins: NDArray[np.int_], size: int, looks: NDArray[np.int_]) -> Array:
    """log ∏ (cᵢ + 1/2)/(i + B/2)·B at each look, with cᵢ earlier samples in the same of B equal bins."""
    from scipy.special import gammaln

    counts = np.array([np.bincount(bins[:n], minlength=size) for n in looks])
    learned = np.sum(gammaln(counts + 0.5) - gammaln(0.5), axis=1)
    return learned - gammaln(looks + 0.5 * size) + gammaln(0.5 * size) + looks * math.log(size)


def _repeats(samples: NDArray[Any], law: Any) -> Array:
    """The logarithm of the wealth after each sample of bets on values that occurred before.

    A value of the samples' own type stands for the numbers around it, which have a probability: the set of
    values that were seen has their sum, q, at most. The next sample is in it with a probability that is
    learned, r: the bet pays r/q if it is, (1 − r)/(1 − q) if not.
    """
    kind = samples.dtype if samples.dtype.kind == "f" else np.dtype(np.float64)
    values = samples.astype(kind)
    up, down = (np.nextafter(values, kind.type(end)) for end in (np.inf, -np.inf))
    mass = np.abs(_cdf(law)(up.astype(float)) - _cdf(law)(down.astype(float))) + CELL * np.finfo(kind).eps
    first = np.zeros(values.size, dtype=bool)
    first[np.unique(values, return_index=True)[1]] = True
    i = np.arange(values.size)
    seen = np.concatenate([[0.0], np.cumsum(np.where(first, mass, 0.0))[:-1]])
    rate = (np.concatenate([[0.0], np.cumsum(~first)[:-1]]) + 0.5) / (i + 1.0)
    seen = np.minimum(seen, 0.999)
    rate = np.where(seen < 0.5, np.maximum(rate, seen), seen)  # no bet where repeats are likely
    with np.errstate(divide="ignore"):
        paid = np.where(first, np.log1p(-rate) - np.log1p(-seen), np.log(rate) - np.log(seen))
    return np.cumsum(paid)


def _shown(uniform: Array, alpha: float) -> tuple[float, float]:
    """The smallest factor and shift that these samples show when their normal scores are changed by it."""
    from scipy.special import ndtr, ndtri

    scores = ndtri(np.clip(uniform, 1e-15, 1.0 - 1e-15))
    shown: list[float] = []
    changed: tuple[Callable[[float], Array], ...] = (lambda f: scores * f, lambda f: scores + (f - 1.0))
    for change in changed:
        found = (f for f in FACTORS if _end(ndtr(change(f))) >= -math.log(alpha))
        shown.append(next(found, math.inf))
    return shown[0], round(shown[1] - 1.0, 6)


def _end(uniform: Array) -> float:
    bets = _bets(uniform, np.array([uniform.size]))[0]
    return float(np.logaddexp.reduce(bets)) - math.log(bets.size + 1)


# --- Laws ---------------------------------------------------------------------------------------------------


def _cdf(law: Any) -> Callable[[Array], Array]:
    found = law if callable(law) and not hasattr(law, "cdf") else getattr(law, "cdf", None)
    if found is None:
        raise ValueError(f"law must have a distribution function `cdf`, or be one, got {law!r}")
    return lambda x: np.asarray(cast(Any, found)(x), dtype=np.float64)


def _distribution(law: Any, values: Array) -> tuple[Array, Array]:
    """P(X < x) and P(X ≤ x) for each value; ValueError where the law has no distribution function."""
    if isinstance(law, Finite):
        places = numbers("outcomes of the law", list(law.outcomes))
        order = np.argsort(places)
        total = np.concatenate([[0.0], np.cumsum(np.asarray(law.probabilities)[order])])
        total[-1] = 1.0
        below, above = (total[np.searchsorted(places[order], values, side=s)] for s in ("left", "right"))
    else:
        above = _cdf(law)(values)
        pmf = getattr(law, "pmf", None)
        below = above if pmf is None else np.maximum(above - np.asarray(pmf(values)), 0.0)
    if above.shape != values.shape:
        raise ValueError(f"the law's cdf must give one number a sample, got shape {above.shape}")
    ordered = above[np.argsort(values, kind="stable")]
    if not (
        np.isfinite(above).all() and (np.diff(ordered) >= -1e-12).all() and (np.abs(above - 0.5) <= 0.5).all()
    ):
        raise ValueError("the law's cdf must rise from 0 to 1 over the samples, and does not")
    return below, above
