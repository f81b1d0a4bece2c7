r"""Learning with pure DP, utility: the selection of appendix A finds a candidate of small empirical risk.

Reconstructed (Levy et al. 2021, appendix A; the appendix was not at hand). The selection draws K ~
Geometric(γ) candidates out of k and scores each by Algorithm 1 at ε/3, with the interval of
theorem-1-utility:corrected: the mean loss plus Laplace noise of scale b = 36τ/(nε), unless the private range
misses the data, which has probability at most β = (B/τ)
exp(−nε/24). The best candidate is never drawn with probability γ(1 − 1/k)/(γ + (1 − γ)/k); K has the mean
1/γ; and if the best candidate is drawn and no score is off by more than t, the chosen candidate has an excess
of at most 2t. Hence

    P(excess risk > 2t) ≤ γ(1 − 1/k)/(γ + (1 − γ)/k) + (e^{−t/b} + β)/γ.

With γ = s/k this is about s + (k/s)·(e^{−t/b} + β): an excess of Õ(τ log k/(nε)) with n of order log(kB/τ)/ε.

With the printed interval (b = 24τ/(nε)) the scores have the defect of Theorem 1: where 60 % of the users
stand just right of the edge of a bin and the others 2τ to the left, the score of the best candidate is 0.4τ
too high whatever n is, and candidates that are worse by 0.3τ win.

How it is checked. Exactly: the law of the chosen candidate (with the printed constants the program has this
law, sampler-laws) on users who agree, with a best candidate and k − 1 others just above 2t, the worst that
the statement allows; with k/2 as good; and on the users at the edge of a bin. The first term from both ends:
at a large gap it is the probability of a wrong candidate, exactly and in runs of the program (binomial
limits).
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from audits.judge import at_most, equals, mean_at_most, mean_equals
from claims import CONSISTENT, Claim, Evidence, Kind, Point, grid
from claims.levy2021 import PAPER, _oracle
from implementations.levy2021 import finite_class
from implementations.levy2021.concentration import Concentration

TAU, BOUND = 1.0, 16.0
HALF = 3.0
"""Half the length of the interval of Theorem 1 in units of τ, corrected; printed is 2."""


def missed(k: int, stop: float) -> float:
    """Probability that Geometric(stop) draws out of k candidates never give a certain one."""
    return stop * (1.0 - 1.0 / k) / (stop + (1.0 - stop) / k)


def at_an_edge(n: int, k: int) -> np.ndarray:
    """Losses (n, k): the best candidate's across the edge of a bin, and 0.3τ worse for all others."""
    best = np.repeat([1e-6, 1e-6 - 2.0 * TAU], [round(0.6 * n), n - round(0.6 * n)])
    return np.column_stack((best, np.full((n, k - 1), best.mean() + 0.3 * TAU)))


def wrong_candidate(point: Point, gap: float, good: int) -> float:
    """Exact probability of a candidate with an excess of `gap`, where `good` of k candidates have none."""
    values = np.where(np.arange(point.k) < good, -0.5 * gap, 0.5 * gap)
    users = np.tile(values, (point.n, 1))
    law = _oracle.selection(users, point.epsilon / 3.0, TAU, BOUND, point.share / point.k, HALF)
    return float(law[good:].sum())


def bound_at_an_edge(point: Point) -> float:
    """The stated bound of P(excess > 2t) at 2t = 0.3τ, for intervals of centre ± 3τ."""
    stop, rate = point.share / point.k, point.n * point.epsilon / TAU
    mistaken = math.exp(-0.15 * TAU * rate / (12.0 * HALF)) + BOUND / TAU * math.exp(-rate / 24.0)
    return missed(point.k, stop) + mistaken / stop


def check_edge(point: Point) -> Iterator[Evidence]:
    """Users at the edge of a bin: the exact law against the bound, and the program against both."""
    stop, losses = point.share / point.k, at_an_edge(point.n, point.k)
    claimed = bound_at_an_edge(point)
    law = _oracle.selection(losses, point.epsilon / 3.0, TAU, BOUND, stop, HALF)
    wrong = float(law[1:].sum())
    quantity = "P(excess risk > 0.3τ), users at the edge of a bin"
    chosen = finite_class.learn_finite_class(
        losses, point.epsilon, Concentration(TAU, BOUND), stop, 1500, point.rng, constants="corrected"
    )
    low, high = point.split(2)
    method = "clopper-pearson"
    yield mean_at_most(f"{quantity}, of the program", chosen != 0, claimed, alpha=high, method=method)
    yield at_most(quantity, wrong, claimed)
    yield mean_equals(f"{quantity}, of the program", chosen != 0, wrong, alpha=low, method=method)


def check_program(point: Point) -> Iterator[Evidence]:
    """The program itself where no score is mistaken: the gap is 80 or more scales 36τ/(nε) of the noise."""
    values = 0.5 * point.gap * np.where(np.arange(point.k) == 0, -1.0, 1.0)
    stop = point.share / point.k
    chosen = finite_class.learn_finite_class(
        np.tile(values, (point.n, 1)), point.epsilon, Concentration(TAU, BOUND), stop, point.runs, point.rng,
        constants="corrected",
    )  # fmt: skip
    quantity = f"P(wrong candidate) of the program at a gap of {point.gap:g}τ"
    yield equals("runs of the program that have a candidate", chosen.size, point.runs)
    yield mean_equals(
        quantity, chosen != 0, missed(point.k, stop), alpha=point.alpha, method="clopper-pearson"
    )


def check(point: Point) -> Iterator[Evidence]:
    if "runs" in point:
        yield from check_program(point)
        return
    if "edge" in point:
        yield from check_edge(point)
        return
    n, k, stop = point.n, point.k, point.share / point.k
    scale = 36.0 * TAU / (n * point.epsilon)
    beta = BOUND / TAU * math.exp(-n * point.epsilon / 24.0)
    for times in (1.0, 3.0, 10.0):
        claimed = missed(k, stop) + (math.exp(-times) + beta) / stop
        if claimed < 1.0:
            excess = 2.0 * times * scale
            for good in {1, k // 2}:
                quantity = f"P(excess risk > {2 * times:g} noise scales), {good} of {k} good"
                wrong = wrong_candidate(point, excess * (1.0 + 1e-9), good)
                yield at_most(quantity, wrong, claimed)
    # Scores that cannot be mistaken: what is left is that the best candidate is never drawn. The law is
    # exact there up to rounding; the range may miss the data.
    wrong = wrong_candidate(point, 20.0, 1)
    quantity = "P(wrong candidate) at a gap of 20τ"
    yield equals(quantity, wrong, missed(k, stop), error=1e-9 + beta / stop)


PROGRAM = [
    *grid(n=60, k=4, epsilon=12.0, share=0.5, runs=10_000, gap=4.0),
    *grid(n=60, k=40, epsilon=12.0, share=0.5, runs=3000, gap=4.0),
    *grid(n=60, k=4, epsilon=12_000.0, share=0.5, runs=3000, gap=0.01),
]
"""Few draws, and many: 80 on average, of which none may be left out; and scores that differ by little."""

EDGE = grid(n=1000, k=2, epsilon=(1.0, 4.0), share=0.1, edge=1)

CLAIM = Claim(
    PAPER,
    "Learning with pure DP, utility",
    "appendix A (reconstructed)",
    name="pure-learner-utility",
    kind=Kind.BOUND,
    title="The pure-DP selection has a small excess empirical risk",
    uses=("theorem-1-utility",),
    statement=r"If the users' mean losses are $\tau$-concentrated for each of $k$ candidates, the selection "
    r"with stopping probability $\gamma$ has "
    r"$P(\text{excess}>2t)\le\frac{\gamma(1-1/k)}{\gamma+(1-\gamma)/k}+\frac1\gamma\big("
    r"e^{-tn\varepsilon/(36\tau)}+\frac B\tau e^{-n\varepsilon/24}\big)$ (reconstructed; scores with the "
    r"interval $\pm3\tau$).",
    expected=CONSISTENT,
    check=check,
    smoke=[*grid(n=1000, k=(2, 8), epsilon=1.0, share=0.1), *EDGE[:1], *PROGRAM],
    ci=[*grid(n=(400, 1000), k=(2, 8, 20), epsilon=(1.0, 4.0), share=(0.02, 0.1, 0.5)), *EDGE, *PROGRAM],
    # In runs the first term is 0.273 at γ = ⅛; it would be 0.158 at half of γ and 0.429 at twice γ.
    largest_resolution=0.1,
)
