"""Private means of adaptive queries with outliers removed (Algorithm 1 of asi2024).

What the text leaves open, and what stands here:

* *One AboveThreshold or one a query.* Line 5 calls AboveThreshold inside the loop, with its own budget ε/2.
  The proof of Lemma 3.6 takes all answers from one run ("a_j = ⊥ for all j ≥ i", a budget of ε/2 in all),
  so the threshold has one noise for all queries: `instance="one"`. `instance="fresh"` draws it again at
  every query.
* *What is returned on halting.* Line 17 prints "Output: g_i = 0; Halt", Algorithm 2 tests for ⊥. An answer
  has density, so the vector 0 is as recognisable as ⊥. `Answer.running` says which runs answered, the
  vector of a run that halted is 0, and it stays 0 for every later query.
* *The budget of the score.* Line 5 passes ε/2, which is right for scores of sensitivity 1. The score (2) has
  sensitivity 2 − 2/n (replace one user: both her row and her column change). `printed_plan` does as printed;
  `corrected_plan` passes ε/4.
* *Which log the noise has.* `printed_plan` has the printed variance; `corrected_plan` derives its noise
  from the largest displacement that the coupling of Lemma 3.5 allows, with all constants.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from implementations.asi2024.above_threshold import AboveThreshold
from implementations.asi2024.concentration import (
    concentration_score,
    neighbour_counts,
    selection_probabilities,
)
from implementations.checks import numbers, one_of, positive, probability
from implementations.interfaces import Array
from implementations.privacy import mu_star

INSTANCES = ("one", "fresh")


@dataclass(frozen=True, slots=True)
class Plan:
    """The numbers that a run of Algorithm 1 needs.

    n, queries  users, and the number T of queries that the noise is made for.
    tau         concentration radius τ.
    budget      ε of AboveThreshold.
    threshold   Δ of AboveThreshold.
    noise       standard deviation of each coordinate of ν.
    """

    n: int
    queries: int
    tau: float
    budget: float
    threshold: float
    noise: float

    def __post_init__(self) -> None:
        positive(n=self.n, queries=self.queries, tau=self.tau, budget=self.budget, noise=self.noise)
        numbers("threshold", np.asarray(self.threshold))


def printed_noise(n: int, queries: int, epsilon: float, delta: float, tau: float) -> float:
    """Line 14: standard deviation τ·√(8T·log(e^{ε/2}T/δ)·log(e^{ε/2}/δ))/(nε)."""
    positive(n=n, queries=queries, epsilon=epsilon, tau=tau)
    probability(delta=delta)
    first = 0.5 * epsilon + math.log(queries) - math.log(delta)
    second = 0.5 * epsilon - math.log(delta)
    return tau * math.sqrt(8.0 * queries * first * second) / (n * epsilon)


def printed_plan(n: int, queries: int, epsilon: float, delta: float, tau: float) -> Plan:
    """Algorithm 1 as printed: AboveThreshold with budget ε/2 at 4n/5, and the noise of line 14."""
    return Plan(
        n=n,
        queries=queries,
        tau=tau,
        budget=epsilon / 2.0,
        threshold=4.0 * n / 5.0,
        noise=printed_noise(n, queries, epsilon, delta, tau),
    )


def flips(zeta: float, mean: float = 6.0) -> int:
    """The least k with P(Poisson(mean) > k) ≤ ζ.

    With Σ|p − p′| ≤ mean over the users that two neighbouring datasets share, more than k of them are kept in
    one dataset and not in the other with probability at most ζ: no sum of independent Bernoulli variables
    with
    that mean has a heavier tail beyond mean + 1 (Hoeffding 1956, Theorem 4).
    """
    from scipy.stats import poisson

    probability(zeta=zeta)
    positive(mean=mean)
    k = max(int(poisson.isf(zeta, mean)) - 1, math.ceil(mean))
    while poisson.sf(k, mean) > zeta:
        k += 1
    return k


def displacement_bound(n: int, tau: float, zeta: float) -> float:
    """Bound 9τ·(k(ζ) + 2)/n on ‖g − g′‖ of Lemma 3.5 with explicit constants, probability ≥ 1 − ζ, n ≥ 4.

    Premise: both scores are ≥ 2n/3. Then at least 2n/3 users are kept for sure in each dataset, any two kept
    users of one dataset are within 6τ, and g, g′ move from the mean of the users kept in both by at most
    6τ·|A|/(2n/3) each, with A the users kept in one only: those that flip (`flips`) and the replaced one
    twice.
    """
    positive(n=n, tau=tau)
    return 9.0 * tau * (flips(zeta) + 2) / n


def corrected_users(queries: int, epsilon: float, delta: float) -> int:
    """Least n of `corrected_plan`: 15 + 240·log(2T/ζ)/ε with ζ = δ/(4(1 + e^ε)).

    2n/15 ≥ 2 + α keeps the score of both neighbours ≥ 2n/3 wherever AboveThreshold, with budget ε/4 and noise
    within α = 32·log(2T/ζ)/ε, says ⊤.
    """
    positive(queries=queries, epsilon=epsilon)
    probability(delta=delta)
    zeta = delta / (4.0 * (1.0 + math.exp(epsilon)))
    return math.ceil(15.0 + 240.0 * math.log(2.0 * queries / zeta) / epsilon)


def corrected_plan(n: int, queries: int, epsilon: float, delta: float, tau: float) -> Plan:
    """Algorithm 1 with the smallest changes for which the printed proof of Lemma 3.6 goes through.

    AboveThreshold has budget ε/4, so that scores of sensitivity < 2 cost at most ε/2. The noise makes T means
    that move by at most `displacement_bound` (but for probability δ/(4T) each) (ε/2, δ/2)-indistinguishable.
    Failures of AboveThreshold's noise take the remaining (1 + e^ε)·ζ = δ/4. Raises ValueError where n is
    below
    `corrected_users`.
    """
    least = corrected_users(queries, epsilon, delta)
    if n < least:
        raise ValueError(f"n must be at least {least} for T = {queries}, ε = {epsilon}, δ = {delta}, got {n}")
    moved = displacement_bound(n, tau, delta / (4.0 * queries))
    return Plan(
        n=n,
        queries=queries,
        tau=tau,
        budget=epsilon / 4.0,
        threshold=4.0 * n / 5.0,
        noise=moved * math.sqrt(queries) / float(mu_star(epsilon / 2.0, delta / 2.0)),
    )


@dataclass(frozen=True, slots=True)
class Query:
    """A query's values with what Algorithm 1 computes from them before it draws anything.

    score (…) is the concentration score, kept (…, rows) the probabilities p, both of values (…, rows, d);
    weights
    (rows,) says how many users each row stands for. A query that comes again and again need be looked at
    once.
    """

    values: Array
    weights: Array
    score: Array
    kept: Array


def look(values: Array, tau: float, weights: ArrayLike | None = None) -> Query:
    """Lines 4, 8, 9 and 10 of Algorithm 1 on values (…, rows, d)."""
    x = numbers("values", values)
    if x.ndim < 2:
        raise ValueError(f"values must have shape (…, users, d), got {x.shape}")
    w = np.ones(x.shape[-2]) if weights is None else np.asarray(weights, dtype=float)
    counts = neighbour_counts(x, 2.0 * tau, w)
    return Query(
        values=x,
        weights=w,
        score=concentration_score(x, tau, w),
        kept=selection_probabilities(counts, int(w.sum())),
    )


@dataclass(frozen=True, slots=True)
class Answer:
    """Answers to one query: values (trials, d), zero in runs that halted; running (trials,) booleans."""

    values: Array
    running: NDArray[np.bool_]


class OutlierRemovingMean:
    """`trials` independent runs of Algorithm 1, which answer adaptively chosen queries side by side.

    Raises ValueError for more queries than the plan's noise is made for.
    """

    __slots__ = ("_above", "_instance", "_rng", "asked", "plan", "running", "trials")

    def __init__(self, plan: Plan, trials: int, rng: np.random.Generator, *, instance: str = "one") -> None:
        one_of(INSTANCES, instance=instance)
        positive(trials=trials)
        self.plan, self.trials, self.asked = plan, trials, 0
        self._rng, self._instance = rng, instance
        self._above = AboveThreshold(plan.budget, plan.threshold, trials, rng)
        self.running: NDArray[np.bool_] = np.ones(trials, dtype=bool)

    def answer(self, query: Query | Array, weights: ArrayLike | None = None) -> Answer:
        """Lines 3 to 18 on the users' values q_i(Z): (trials, n, d), or (n, d) for one and the same dataset.

        weights (rows,) says how many users with this very value each row stands for; each is kept or dropped
        on her own. Without weights every row is one user. A `Query` has been looked at before.
        """
        plan = self.plan
        if self.asked >= plan.queries:
            raise ValueError(f"the noise is made for {plan.queries} queries, got one more")
        seen = query if isinstance(query, Query) else look(query, plan.tau, weights)
        users, shape = int(seen.weights.sum()), seen.values.shape
        if users != plan.n or (len(shape) == 3 and shape[0] != self.trials) or len(shape) > 3:
            raise ValueError(
                f"values must hold {plan.n} users in {self.trials} trials or for all of them, "
                f"got {users} users and shape {shape}"
            )
        self.asked += 1
        if self._instance == "fresh" and self.asked > 1:
            self._above = AboveThreshold(plan.budget, plan.threshold, self.trials, self._rng)
        self.running = self.running & self._above.answer(seen.score)  # line 5
        means = kept_mean(seen, self.trials, self._rng)  # lines 6 to 13
        noise = plan.noise * self._rng.standard_normal(means.shape)  # line 14
        return Answer(np.where(self.running[:, None], means + noise, 0.0), self.running)


def kept_mean(query: Query, trials: int, rng: np.random.Generator) -> Array:
    """Mean of a random subset S of the users, (trials, d); 0 where S is empty (lines 6 to 13)."""
    x, w, p = query.values, query.weights, query.kept
    if (p == 1.0).all():
        return np.broadcast_to(np.einsum("...nd,n->...d", x, w) / w.sum(), (trials, x.shape[-1]))
    shape = (trials, x.shape[-2])
    if (w == 1.0).all():
        kept = (rng.random(shape) < p).astype(float)
    else:
        kept = rng.binomial(w.astype(np.int64), p, size=shape).astype(float)
    total = kept @ x if x.ndim == 2 else np.einsum("tn,tnd->td", kept, x)
    return total / np.maximum(kept.sum(axis=-1, keepdims=True), 1.0)
