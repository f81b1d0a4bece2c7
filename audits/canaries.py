"""One training run with canaries: a lower bound of its privacy from who was included and who looks it.

A fair coin each decides which of the canaries the run includes; a score tells, from what the run released,
how much each looks included. Of m canaries the k of the most extreme scores are guessed, the others abstained
from, and C guesses are right. Two theorems bound P(C ≥ v) under a claim; docs/statistics.md proves both.

* (ε, δ) [Steinke, Nasr and Jagielski 2023]: P(C ≥ v) ≤ P(W ≥ v) + m·δ·g, where W is binomial with k trials of
  probability p = 1/(1 + e^−ε), and g is the mean over r < k of (1 − p)·max_w P(binomial(r, p) = w).
* A trade-off curve [Mahloujifar, Melis and Chaudhuri 2024]: with f the largest P(E) that the claim allows
  where Q(E) is given, Σ_{c ≥ i} c·P(C = c)/m ≤ f(Σ_{c ≥ i − 1} (k − c)·P(C = c)/m) for every i.

Both bound the same probability, so the smaller bound holds and choosing costs nothing. How many to guess at
each end is paid for: a fifth of the canaries, chosen at random, decides it and is counted no more.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from audits.privacy.claims import Approximate, Claim, Pure
from implementations.checks import numbers, probability, whole_number

Array = NDArray[np.float64]

FEWEST = 20
"""Canaries that an audit needs at least: fewer show next to nothing."""
LEARNING = 0.2
"""Share of the canaries that decides how many are guessed. Three twentieths and a quarter are no sharper."""
CAUTION = 0.03
"""Quantile of the posterior law of the share of right guesses, by which numbers of guesses are compared."""
SHARES = np.concatenate([[0.0], np.geomspace(0.01, 1.0, 15)])
"""Shares of the canaries that may be guessed at each end."""
COIN = 1e-6
"""Fair coins are refused with this probability at most, as coins that are not fair."""
LARGEST = 30.0
"""The largest ε that is looked at: 10⁵ canaries that are all guessed right show ε ≥ 10."""
STREAM = 20_230_515
"""What sets the draws of an audit apart from those of a user's generator with the same seed."""
LEAST = 1e-6
"""The least value of a claim that is looked at; several Rényi orders cannot all have ε = 0."""
TOUCHING = 1.0 / (1.0 + np.exp(-np.linspace(-16.0, 16.0, 257)))
"""Where the lines touch that stand for a trade-off curve."""


@dataclass(frozen=True, slots=True)
class Guesses:
    """The canaries of the `plus` highest scores are guessed to be in, those of the `minus` lowest, out."""

    plus: int
    minus: int
    correct: int

    @property
    def count(self) -> int:
        return self.plus + self.minus


@dataclass(frozen=True, slots=True, kw_only=True)
class CanaryResult:
    """What a run with canaries shows of a claim.

    verdict    "refuted", "not-refuted", or "undecided" where even perfect guesses would not refute the claim.
    lower      lower bound of the claim's parameter, with confidence 1 − alpha.
    reachable  what `lower` would be were all guesses right.
    guesses    those that showed most.
    """

    verdict: str
    claim: Claim
    lower: float
    reachable: float
    alpha: float
    canaries: int
    guesses: Guesses
    seed: int

    def summary(self) -> str:
        """The answer in two lines."""
        unit, made = self.claim.unit, self.guesses
        head = self.verdict.replace("-", " ").upper()
        few = "; no more than the claim even then: it takes more canaries" * (self.verdict == "undecided")
        return (
            f"{head}: {unit} ≥ {self.lower:.4g}, claimed {self.claim.value:g} (confidence "
            f"{100 * (1 - self.alpha):g} %).\n"
            f"  {self.canaries} canaries, {made.count} guessed ({made.plus} included, {made.minus} "
            f"not), {made.correct} of them right; were all right, {unit} ≥ {self.reachable:.4g}{few}"
        )

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain values."""
        return {
            "verdict": self.verdict,
            "claim": {"unit": self.claim.unit, "value": self.claim.value, "text": repr(self.claim)},
            "lower": self.lower, "reachable": self.reachable, "confidence": 1.0 - self.alpha,
            "canaries": self.canaries, "guesses_included": self.guesses.plus,
            "guesses_excluded": self.guesses.minus, "correct": self.guesses.correct, "seed": self.seed,
        }  # fmt: skip


def audit_canaries(
    scores: ArrayLike,
    included: ArrayLike,
    *,
    claim: Claim,
    alpha: float = 0.05,
    guesses: tuple[int, int] | None = None,
    seed: int = 0,
) -> CanaryResult:
    """A lower bound of the privacy parameter from a run that includes each canary by a fair coin.

    scores    one number a canary, greater where it looks more included, from the outputs of the run alone.
              The canaries of several runs may stand in one list, if each run tossed its own coins.
    included  whether each canary was in the run: coins tossed one by one, not exactly half of the canaries.
    claim     privacy where one canary is added or removed: Approximate(1.0, 1e-5), GaussianDP(1.0) …
    alpha     probability that a claim that holds is refuted, and that `lower` lies above the truth.
    guesses   (k_plus, k_minus): how many are guessed to be in and out, fixed before the coins are known.
              None lets a fifth of the canaries decide.
    seed      decides which they are, and breaks ties of scores: an order of rows could tell who was included.

    Raises ValueError for bad input, fewer than 20 canaries, and coins that are not fair.

    Steinke, Nasr and Jagielski: Privacy Auditing with One (1) Training Run, 2023; Mahloujifar, Melis and
    Chaudhuri: Auditing f-Differential Privacy in One Run, 2024.

    >>> from audits.privacy.claims import Pure
    >>> coins = np.random.default_rng(0).random(200) < 0.5
    >>> audit_canaries(coins + 0.0, coins, claim=Pure(1.0)).verdict
    'refuted'
    """
    probability(alpha=alpha)
    whole_number(0, seed=seed)
    if not hasattr(claim, "edge"):
        raise ValueError(f"claim must be one such as Approximate(1.0, 1e-5), got {claim!r}")
    values, coins = _checked(scores, included)
    # A stream of its own: the coins may come from default_rng(seed), too.
    rng = np.random.default_rng([seed, STREAM])
    # Sorted by score, ties at random; then some are set aside at random.
    coins = coins[np.lexsort((rng.random(values.size), values))]
    if guesses is None:
        aside = np.zeros(coins.size, dtype=bool)
        aside[rng.permutation(coins.size)[: round(LEARNING * coins.size)]] = True
        learning, coins = coins[aside], coins[~aside]
        plus, minus = _most_telling(learning, coins.size, alpha)
    else:
        plus, minus = _fixed(guesses, coins.size)
    made = Guesses(plus, minus, int(coins[coins.size - plus :].sum() + (~coins[:minus]).sum()))
    lower = _lower(claim, coins.size, made, alpha)
    reachable = _lower(claim, coins.size, Guesses(plus, minus, made.count), alpha)
    verdict = "refuted" if lower > claim.value else "not-refuted" if reachable > claim.value else "undecided"
    return CanaryResult(
        verdict=verdict, claim=claim, lower=lower, reachable=reachable, alpha=alpha, canaries=values.size,
        guesses=made, seed=seed,
    )  # fmt: skip


def _most_telling(coins: NDArray[np.bool_], m: int, alpha: float) -> tuple[int, int]:
    """How many of m further canaries to guess to be in, and out: where the binomial limit of the share of
    right guesses promises to be highest. `coins` are in the order of their scores."""
    from scipy.stats import beta

    n = coins.size
    right_out = np.concatenate([[0], np.cumsum(~coins)])
    right_in = np.concatenate([[0], np.cumsum(coins[::-1])])
    plus, minus = (part.ravel() for part in np.meshgrid(SHARES, SHARES))
    few, many = np.rint(plus * n).astype(int), np.rint(minus * n).astype(int)
    possible = (few + many <= n) & (few + many > 0) & (np.floor(plus * m) + np.floor(minus * m) <= m)
    plus, minus, few, many = plus[possible], minus[possible], few[possible], many[possible]
    right = right_in[few] + right_out[many]
    share = beta.ppf(CAUTION, right + 0.5, few + many - right + 0.5)
    k = np.floor(plus * m) + np.floor(minus * m)
    best = int(np.argmax(beta.ppf(alpha, k * share, k * (1.0 - share) + 1.0)))
    return int(plus[best] * m), int(minus[best] * m)


def _fixed(guesses: tuple[int, int], m: int) -> tuple[int, int]:
    plus, minus = guesses
    whole_number(0, guesses_plus=plus, guesses_minus=minus)
    if not 0 < plus + minus <= m:
        raise ValueError(f"guesses must be 1 to {m} together, got {guesses}")
    return int(plus), int(minus)


def _checked(scores: ArrayLike, included: ArrayLike) -> tuple[Array, NDArray[np.bool_]]:
    """Scores and coins."""
    values, coins = numbers("scores", scores), numbers("included", included)
    if values.shape != coins.shape:
        raise ValueError(f"scores and included must have one shape, got {values.shape} and {coins.shape}")
    if values.ndim != 1:
        raise ValueError(f"scores must be one list, got shape {values.shape}")
    if not np.isin(coins, (0.0, 1.0)).all():
        wrong = coins[~np.isin(coins, (0.0, 1.0))][0]
        raise ValueError(f"included must be 0 or 1 for each canary, got {wrong:g}")
    if coins.size < FEWEST:
        raise ValueError(f"an audit needs {FEWEST} canaries at least, got {coins.size}")
    from scipy.stats import binomtest

    ones = int(coins.sum())
    if binomtest(ones, coins.size).pvalue < COIN:
        raise ValueError(
            f"included must come from a fair coin for each canary, but {ones} of {coins.size} are included"
        )
    return values, coins == 1.0


def _lower(claim: Claim, m: int, made: Guesses, alpha: float) -> float:
    """The lower bound of the claim's parameter: the larger of the bounds of the two theorems."""
    if isinstance(claim, Pure):
        return _by_epsilon(0.0, made, alpha)  # the other theorem is never sharper then
    lower = _by_epsilon(m * claim.failure, made, alpha) if isinstance(claim, Approximate) else 0.0
    if not _impossible(claim.at(max(lower, LEAST)), m, made, alpha):
        return lower
    high = max(1.0, 2.0 * lower)
    while high < 1e6 and _impossible(claim.at(high), m, made, alpha):
        lower, high = high, 2.0 * high
    while high - lower > 1e-4 * high:
        middle = 0.5 * (lower + high)
        lower, high = (middle, high) if _impossible(claim.at(middle), m, made, alpha) else (lower, middle)
    return lower


def _by_epsilon(spent: float, made: Guesses, alpha: float) -> float:
    """The largest ε that the first theorem refutes, with m·δ = `spent`.

    A claim of ε implies every larger one, so that what is refuted at the larger one is refuted here.
    """
    from scipy.optimize import brentq
    from scipy.special import betainc, gammaln, xlogy

    k, v, r = made.count, made.correct, np.arange(made.count)

    def over(epsilon: float, spent: float = 0.0) -> float:
        p = 1.0 / (1.0 + math.exp(-epsilon))
        tail = float(betainc(v, k - v + 1, p)) if v else 1.0
        if not spent:
            return tail - alpha
        mode = np.floor((r + 1) * p)
        choices = gammaln(r + 1) - gammaln(mode + 1) - gammaln(r - mode + 1)
        gain = (1.0 - p) * np.mean(np.exp(choices + xlogy(mode, p) + xlogy(r - mode, 1.0 - p)))
        return tail + spent * float(gain) - alpha

    if over(0.0) > 0.0:
        return 0.0
    high = float(brentq(over, 0.0, LARGEST)) if over(LARGEST) > 0.0 else LARGEST
    if not spent:
        return high
    for low in np.linspace(high, 0.0, 101)[1:]:
        if over(low, spent) <= 0.0:
            return float(brentq(over, low, high, args=(spent,)))
        high = float(low)
    return 0.0


def _impossible(claim: Claim, m: int, made: Guesses, level: float) -> bool:
    """Whether P(C ≥ correct) = level contradicts the claim by the second theorem: the least probability that
    the counts from `correct` down to 0 must then have is more than 1.

    Lines that touch the curve lie above it, so that nothing is asked that the claim does not ask.
    """
    edge, slope = (np.asarray(part) for part in claim.edge(TOUCHING))
    height = edge - slope * TOUCHING
    rising = slope > 1e-12
    slope, height = 1.0 / slope[rising], height[rising] / slope[rising]
    k, v = made.count, made.correct
    right, wrong = level * v / m, level * (k - v) / m
    for i in range(v - 1, -1, -1):
        needed = max(wrong, float(np.max(right * slope - height)))
        if needed <= wrong or right + wrong > k / m:
            break
        right += i / (k - i) * (needed - wrong)
        wrong = needed
    return right + wrong > k / m
