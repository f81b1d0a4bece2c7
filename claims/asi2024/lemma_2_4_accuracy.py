r"""Lemma 2.4, accuracy: with probability 1 − γ AboveThreshold errs by at most α = 8·log(2T/γ)/ε.

A run errs if it answers ⊤ to a score below Δ − α or halts at a score above Δ + α. The noise of a query
exceeds α/2 with probability γ/(2T), the noise of the threshold with probability (γ/2T)²; a union over T
queries gives less than γ.

How it is checked. Exactly, for all sequences of T scores. A score between Δ − α and Δ + α never errs, and
halting there spares the rest, so the worst scores are just above Δ + α or just below Δ − α. After a score
just below the run has erred or has halted rightly, so the worst sequences are j scores just above with one
just below after them, j = 0..T − 1, or T scores just above: T + 1 sequences, each by quadrature. The
implementation's α must be the printed one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from claims import CONFIRMED, Claim, Evidence, Kind, Point, at_most, equals, grid
from claims.asi2024 import PAPER
from implementations.asi2024.above_threshold import accuracy, halting_law


def failure(queries: int, alpha: float, epsilon: float) -> float:
    """The largest probability to err by more than α over all sequences of T scores."""
    high = halting_law([alpha] * queries, 0.0, epsilon)
    # T scores just above: every halt is an error
    worst = float(high[:-1].sum())
    for above in range(queries):
        law = halting_law([alpha] * above + [-alpha], 0.0, epsilon)
        # error: a halt at one of the high scores, or no halt at the low one
        worst = max(worst, float(law[:above].sum() + law[-1]))
    return worst


def check(point: Point) -> Iterator[Evidence]:
    """The exact failure probability of the worst sequence at the printed α, which the programs take."""
    alpha = 8.0 * math.log(2.0 * point.T / point.gamma) / point.epsilon
    yield equals("α of the implementation", accuracy(point.T, point.gamma, point.epsilon), alpha)
    yield at_most(
        "probability to err by more than α",
        failure(point.T, alpha, point.epsilon),
        point.gamma,
    )


CLAIM = Claim(
    PAPER,
    "Lemma 2.4, accuracy",
    "section 2.1.1",
    name="lemma-2.4-accuracy",
    kind=Kind.BOUND,
    title="AboveThreshold errs by at most 8·log(2T/γ)/ε",
    statement=r"For all $T$, $\gamma\in(0,1)$, $\varepsilon>0$ and any $T$ queries, with probability at "
    r"least "
    r"$1-\gamma$ AboveThreshold halts at a $k\in[T+1]$ with $a_t=\top$ and $q_t\ge\Delta-\alpha$ for "
    r"$t<k$, and "
    r"$q_k\le\Delta+\alpha$ or $k=T+1$, where $\alpha=8\log(2T/\gamma)/\varepsilon$.",
    expected=CONFIRMED,
    check=check,
    smoke=grid(T=(1, 10), gamma=(0.001, 0.9), epsilon=(1.0,)),
    ci=grid(T=(1, 2, 5, 10, 20), gamma=(1e-6, 0.01, 0.5, 0.99), epsilon=(0.1, 1.0, 5.0)),
)
