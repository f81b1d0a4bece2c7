r"""Lemma 2.4, privacy: AboveThreshold with budget ε is (ε, 0)-private for scores of sensitivity 1.

Given the noise ρ of the threshold, answers are independent. Substitute ρ by ρ + s, s the sensitivity: the
density of ρ changes by at most $e^{s/b_1}$, no ⊤ becomes less likely, and the one ⊥ changes by at most
$e^{2s/b_2}$. With $b_1=2/\varepsilon$ and $b_2=4/\varepsilon$ the loss is at most $s\varepsilon$.

For scores of sensitivity s the loss is $s\varepsilon$. The concentration score (2) has sensitivity $2-2/n$: a
replaced user has $n-1$ pairs with others, and the double sum counts each of them twice, once in her row and
once in her column; all users at one place with one of them moved away attain it. So AboveThreshold costs
$(2-2/n)\varepsilon$ on it (`:score`), and the loss comes as near to that as one likes (lemma-3.6-proof).

Lemma 2.4, accuracy: with probability 1 − γ AboveThreshold errs by at most α = 8·log(2T/γ)/ε.

A run errs if it answers ⊤ to a score below Δ − α or halts at a score above Δ + α. The noise of a query
exceeds α/2 with probability γ/(2T), the noise of the threshold with probability (γ/2T)²; a union over T
queries gives less than γ.

How it is checked. The loss that the substitution allows is evaluated from the scales that the
implementation uses. The law of the halting time is computed by quadrature over the noise of the threshold,
for scores that fall by s on all queries but the last and rise by s there, at all heights of a grid; it must
stay below the loss and come near it. The sensitivity of the score is that of all datasets of up to five
users on a grid of the line, and of the pair that attains it beyond. For the score it is computed on
datasets of clusters. That the program draws this law is in algorithm-4. The accuracy exactly, for all
sequences of T scores. A score between Δ − α and Δ + α never errs, and halting there spares the rest, so the
worst scores are just above Δ + α or just below Δ − α. After a score just below the run has erred or has
halted rightly, so the worst sequences are j scores just above with one just below after them, j = 0..T − 1,
or T scores just above: T + 1 sequences, each by quadrature. The implementation's α must be the printed
one.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np

from audits.judge import at_least, at_most, equals
from claims import CONFIRMED, Claim, Evidence, Kind, Point, grid
from claims.asi2024 import PAPER
from claims.asi2024._transcripts import near_and_far
from implementations.asi2024 import clusters
from implementations.asi2024.above_threshold import accuracy, halting_law, query_scale, threshold_scale
from implementations.asi2024.concentration import concentration_score


def substitution_loss(sensitivity: float, epsilon: float) -> float:
    """s/b₁ + 2s/b₂: the privacy loss that the substitution of the threshold's noise allows."""
    return sensitivity / threshold_scale(epsilon) + 2.0 * sensitivity / query_scale(epsilon)


def loss_of(first: list[float], second: list[float], threshold: float, epsilon: float) -> float:
    """Largest log-ratio, in either direction, of the probabilities of a halting time."""
    p, q = (halting_law(scores, threshold, epsilon) for scores in (first, second))
    return float(np.abs(np.log(p / q)).max())


def worst_loss(queries: int, sensitivity: float, epsilon: float) -> float:
    """Largest loss over heights of the scores relative to the threshold, T queries that fall and then
    rise."""
    scale = 1.0 / epsilon
    heights = [0.0, -2.0 * scale, 5.0 * scale]
    losses = []
    for early in heights:
        for late in (0.0, 4.0 * scale, 20.0 * scale):
            one = [early + sensitivity] * (queries - 1) + [late]
            two = [early] * (queries - 1) + [late + sensitivity]
            losses.append(loss_of(one, two, 0.0, epsilon))
    return max(losses)


def check(point: Point) -> Iterator[Evidence]:
    """The substitution decides; the exact law stays below it and, for many queries, comes near it."""
    epsilon, queries = point.epsilon, point.T
    yield at_most("privacy loss at sensitivity 1", substitution_loss(1.0, epsilon), epsilon)
    exact = worst_loss(queries, 1.0, epsilon)
    yield at_most("exact loss of the halting time", exact, epsilon, decides=False)
    if queries >= 100:
        yield at_least("exact loss of the halting time, least", exact, 0.95 * epsilon)


def score_loss(n: int, queries: int, epsilon: float) -> float:
    """Exact loss of AboveThreshold at 4n/5 on datasets of clusters, queries that fall and then rise."""
    near, far = near_and_far(n, 0.887)
    high, low = clusters.score(near, 1.0), clusters.score(far, 1.0)
    first, second = [high] * (queries - 1) + [low], [low] * (queries - 1) + [high]
    return loss_of(first, second, 4.0 * n / 5.0, epsilon)


EXHAUSTIVE = 5


def largest_change(n: int) -> float:
    """Largest change of the score at τ = 1 under replacement of the first user.

    For n ≤ 5 over all datasets on {0, 1/2, …, 3}, otherwise for all users at 0, one of whom moves to 3.
    """
    places = np.arange(7) / 2.0
    if n > EXHAUSTIVE:
        pair = np.zeros((2, n, 1))
        pair[1, 0, 0] = 3.0
        return float(np.ptp(concentration_score(pair, 1.0)))
    worst = 0.0
    for others in itertools.combinations_with_replacement(places, n - 1):
        data = np.array([(first, *others) for first in places])[:, :, None]
        worst = max(worst, float(np.ptp(concentration_score(data, 1.0))))
    return worst


def check_score(point: Point) -> Iterator[Evidence]:
    """The sensitivity 2 − 2/n of the concentration score, and the loss (2 − 2/n)·ε."""
    yield equals("largest change of the score", largest_change(point.n), 2.0 - 2.0 / point.n)
    if point.n <= EXHAUSTIVE:
        return
    claimed = (2.0 - 2.0 / point.n) * point.epsilon
    allowed = substitution_loss(2.0 - 2.0 / point.n, point.epsilon)
    yield at_most("privacy loss at the score's sensitivity", allowed, claimed)
    loss = score_loss(point.n, point.T, point.epsilon)
    yield at_most("loss of the halting time", loss, claimed, decides=False)


CLAIM = Claim(
    PAPER,
    "Lemma 2.4, privacy",
    "section 2.1.1, Algorithm 4",
    name="lemma-2.4-privacy",
    kind=Kind.PRIVACY,
    title="AboveThreshold is (ε, 0)-private",
    statement=r"For all $\varepsilon>0$, $T$ and $\Delta$, and adaptively chosen queries of sensitivity 1, "
    r"AboveThreshold (threshold noise $\mathrm{Lap}(2/\varepsilon)$, query noise "
    r"$\mathrm{Lap}(4/\varepsilon)$) is $(\varepsilon,0)$-DP.",
    expected=CONFIRMED,
    check=check,
    smoke=grid(T=(1, 10), epsilon=(0.1, 1.0)),
    ci=grid(T=(1, 2, 10, 100), epsilon=(0.01, 0.1, 1.0, 5.0)),
)
SCORE = CLAIM.reading(
    "score",
    title="AboveThreshold is ((2 − 2/n)ε, 0)-private for the concentration score",
    statement=r"The largest change of the score (2) under replacement of one of $n$ users is exactly "
    r"$2-2/n$, and AboveThreshold with budget $\varepsilon$ is $((2-2/n)\varepsilon,0)$-DP where its queries "
    r"are concentration scores (2) of $n$ users; budget $\varepsilon/4$ costs less than $\varepsilon/2$.",
    expected=CONFIRMED,
    check=check_score,
    smoke=[*grid(n=(3, 4), T=(1,), epsilon=(1.0,)), *grid(n=(100,), T=(2, 20), epsilon=(1.0,))],
    ci=[
        *grid(n=(2, 3, 4, 5), T=(1,), epsilon=(1.0,)),
        *grid(n=(100, 1000), T=(2, 20, 100), epsilon=(0.1, 1.0, 5.0)),
    ],
)


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


def check_accuracy(point: Point) -> Iterator[Evidence]:
    """The exact failure probability of the worst sequence at the printed α, which the programs take."""
    alpha = 8.0 * math.log(2.0 * point.T / point.gamma) / point.epsilon
    yield equals("α of the implementation", accuracy(point.T, point.gamma, point.epsilon), alpha)
    yield at_most(
        "probability to err by more than α",
        failure(point.T, alpha, point.epsilon),
        point.gamma,
    )


ACCURACY = Claim(
    PAPER,
    "Lemma 2.4, accuracy",
    "section 2.1.1",
    name="lemma-2.4-accuracy",
    kind=Kind.BOUND,
    title="AboveThreshold errs by at most 8·log(2T/γ)/ε",
    statement=r"For all $T$, $\gamma\in(0,1)$, $\varepsilon>0$ and any $T$ queries, with probability at "
    r"least $1-\gamma$ AboveThreshold halts at a $k\in[T+1]$ with $a_t=\top$ and $q_t\ge\Delta-\alpha$ for "
    r"$t<k$, and $q_k\le\Delta+\alpha$ or $k=T+1$, where $\alpha=8\log(2T/\gamma)/\varepsilon$.",
    expected=CONFIRMED,
    check=check_accuracy,
    smoke=grid(T=(1, 10), gamma=(0.001, 0.9), epsilon=(1.0,)),
    ci=grid(T=(1, 2, 5, 10, 20), gamma=(1e-6, 0.01, 0.5, 0.99), epsilon=(0.1, 1.0, 5.0)),
)
CLAIMS = [SCORE, ACCURACY]
