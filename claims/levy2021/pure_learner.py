r"""Learning with pure DP: a finite class is learnt under user-level ε-DP by private selection (appendix A).

Best of a geometric number of ε₀-DP candidates is 3ε₀-DP (Liu and Talwar 2019, Theorem 3.2), used here with ε₀
= ε/3 (Levy et al. 2021, appendix A; reconstructed, the appendix was not at hand).

For all laws of one draw a closed form decides. With γ the stopping probability, h_i the chance of an outcome
better than i and p_i that of i, the best of K has mass γ p_i / ((γ + (1 − γ)h_i)(γ + (1 − γ)h_{i+1})). p_i
changes by a factor of at most e^{ε₀}; so does h, but h ≤ 1, and (γ + (1 − γ)h)/(γ + (1 − γ)h′) is largest at
h = 1, h′ = e^{−ε₀}. Hence the loss is at most ε₀ + 2 log 1/(γ + (1 − γ)e^{−ε₀}) < 3ε₀.

How it is checked. Exactly: the closed form against ε, and against the implemented law. A search besides,
which can refute: pairs P, P′ of ε₀-DP laws on k ordered outcomes that are extreme (each ratio e^{±ε₀},
every pattern of signs), three stopping probabilities; how much of 3ε₀ is reached is reported. The first
line is the argument itself; the program enters by the second. The score of one draw is the output of
Algorithm 1, ε₀-DP by theorem-1-privacy."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np

from claims import CONFIRMED, Claim, Evidence, Kind, Point, at_most, equals, grid, reported
from claims.levy2021 import PAPER
from implementations.levy2021 import finite_class

STOPS = (1e-6, 0.01, 0.5)


def closed_form(p: np.ndarray, stop: float) -> np.ndarray:
    """Law of the best of K draws by the formula of the docstring; outcomes ordered from best to worst."""
    head = np.concatenate(([0.0], np.cumsum(p)))
    kept = stop + (1.0 - stop) * head
    return stop * p / (kept[:-1] * kept[1:])


def extreme_pairs(step: float, outcomes: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Pairs of laws on ordered outcomes with every ratio e^{±step}, for every pattern of signs.

    The raised outcomes carry 1/(1 + e^step), so that both laws add up to 1; one outcome may be rare.
    """
    share = 1.0 / (1.0 + math.exp(step))
    for pattern in itertools.product((False, True), repeat=outcomes):
        up = np.array(pattern)
        if up.all() or not up.any():
            continue
        for weights in (np.ones(outcomes), *np.where(np.eye(outcomes) == 1.0, 1e-6, 1.0)):
            p = np.where(
                up, weights * share / weights[up].sum(), weights * (1.0 - share) / weights[~up].sum()
            )
            q = p * np.exp(np.where(up, step, -step))
            yield p, q / q.sum()


def check(point: Point) -> Iterator[Evidence]:
    step = point.epsilon / 3.0
    largest = max(step - 2.0 * math.log(stop + (1.0 - stop) * math.exp(-step)) for stop in STOPS)
    yield at_most("privacy loss of the selection, all laws of a draw", largest, point.epsilon)
    searched, mismatch = 0.0, 0.0
    for (p, q), stop in itertools.product(extreme_pairs(step, point.outcomes), STOPS):
        a, b = finite_class.best_of_geometric(p, stop), finite_class.best_of_geometric(q, stop)
        mismatch = max(mismatch, float(np.abs(a - closed_form(p, stop)).max()))
        loss = np.log(np.maximum(a, 1e-300)) - np.log(np.maximum(b, 1e-300))
        searched = max(searched, float(np.abs(loss).max()))
    yield equals("error of the implemented law against the closed form", mismatch, 0.0, error=1e-9)
    # The implemented law carries rounding errors of 1e-10 relative to the rarest outcome.
    yield at_most(
        "privacy loss of the selection over extreme laws", searched, point.epsilon, error=1e-6, decides=False
    )
    yield reported("part of ε that extreme laws reach", searched / point.epsilon)


GRID = grid(epsilon=(0.3, 3.0, 9.0), outcomes=(2, 3, 5))

CLAIM = Claim(
    PAPER,
    "Learning with pure DP",
    "appendix A (reconstructed)",
    name="pure-learner",
    kind=Kind.PRIVACY,
    title="Private selection from private candidates is 3ε₀-DP",
    uses=("theorem-1-privacy",),
    statement=r"The best of a geometric number of $\varepsilon/3$-DP candidates is $\varepsilon$-DP in one "
    r"user.",
    expected=CONFIRMED,
    check=check,
    smoke=GRID,
    ci=GRID,
)
