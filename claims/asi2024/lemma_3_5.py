r"""Lemma 3.5: given scores of at least 2n/3 on both datasets, the means couple within O(τ·log(1/ζ)/n).

The lemma is stated given E and E′. E is the event that the noise of AboveThreshold is at most α, so that a
query answered ⊤ has a score of at least $4n/5-\alpha$. The text says that this is at least 2n/3 "by the
value of α and the precondition $n\ge40\log(2T/\zeta)/\varepsilon$". But AboveThreshold runs with budget
ε/2, so $\alpha=16\log(2T/\zeta)/\varepsilon$ may be 0.4n, and $4n/5-\alpha=0.4n$. A score of n/2 is then
compatible with E: two clusters of n/2 users each, immensely far apart. Every user sees n/2 others, is kept
with probability 0, and the mean is the empty one, 0. In the neighbour one cluster has n/2 + 1 users, who
are kept with probability 6/n each, so that the mean is immense with probability
$1-(1-6/n)^{n/2+1}\approx1-e^{-3}$. No coupling brings the two within any bound.

What the lemma says, read with the premise that stands beside it: if both scores are at least 2n/3 and n ≥
4, the means couple within $9\tau(k(\zeta)+2)/n$ with probability 1 − ζ, where k(ζ) is the quantile of the
Poisson law of mean 6. Proof: some $Z^*$ has 2n/3 users H within τ; all of them see each other within 2τ and
are kept for sure. A kept user sees more than n/2 within 2τ, so one of H, and is within 3τ of $Z^*$: kept
users of one dataset are within 6τ of each other. Let C be the users kept in both, A and A′ those kept in
one. Then $g$ differs from the mean of C by at most $6\tau|A|/|S|$, with $|S|\ge2n/3$, and $g'$ likewise, so
$\|g-g'\|\le9\tau(|A|+|A'|)/n$. The replaced user counts at most twice, and of the others more than k(ζ)
flip with probability at most ζ (lemma-3.3:corrected, lemma-3.4).

What it does not see. The constant 9 is that of the argument: the largest displacement per flip that the
search meets is 2.6τ/n, so that a smaller constant would pass the search, and only the argument says that 9
is enough.

How it is checked. The counterexample exactly, with the law of the mean. The bound that survives: the
constants that the implementation uses against the argument, and the largest displacement per flip over all
datasets of nine users on a grid of the line whose scores are at least 2n/3, with all selections that have
positive probability.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np

from audits.judge import at_least, at_most, equals
from claims import CONFIRMED, REFUTED, Claim, Evidence, Finding, Kind, Point, Weight, grid
from claims.asi2024 import PAPER
from claims.asi2024._transcripts import half_and_half
from implementations.asi2024 import clusters
from implementations.asi2024.above_threshold import accuracy
from implementations.asi2024.concentration import neighbour_counts, selection_probabilities
from implementations.asi2024.outlier_removal import displacement_bound, flips, printed_plan
from implementations.interfaces import Array


def check_proof(point: Point) -> Iterator[Evidence]:
    """4n/5 − α against 2n/3 at the least n of the precondition, and two far clusters whose score E allows."""
    # the least even n ≥ 40·log(2T/ζ)/ε
    n = 2 * math.ceil(20.0 * math.log(2.0 * point.T / point.zeta) / point.epsilon)
    plan = printed_plan(n, point.T, point.epsilon, 0.5, 1.0)
    lowest = plan.threshold - accuracy(point.T, point.zeta, plan.budget)
    yield at_least(
        "4n/5 − α", lowest, 2.0 * n / 3.0, note=f"n = {n}; even with budget ε it would take 60·log(2T/ζ)/ε"
    )
    even, odd = half_and_half(n, 1e9)
    scores = [clusters.score(data, 1.0) for data in (even, odd)]
    if min(scores) < lowest:
        raise ValueError(f"E must allow the scores {scores}, its least is {lowest}")
    kept = clusters.kept_probabilities(even, 1.0)
    mass, values = clusters.mean_law(odd, 1.0)
    far = float(mass[np.abs(values[:, 0]) > 1e8].sum()) if not kept.any() else 0.0
    note = f"two clusters of n/2 users, 2·10⁹τ apart; E allows scores from {lowest:.4g}, theirs is n/2"
    yield at_most("P(‖g − g′‖ > 10⁸τ) under any coupling", far, point.zeta, note=note)


def displacement_per_flip(n: int, rng: np.random.Generator, draws: int) -> float:
    """Largest ‖g − g′‖·n/τ per user kept in one dataset only, over datasets on a grid with both scores ≥
    2n/3.

    All multisets of n − 1 common users on {−2, −1, …, 3} and all pairs of replaced users on {−4, …, 5} are
    looked at;
    for those that qualify `draws` selections of the users kept by chance are tried beside none and all.
    """
    common = np.array(list(itertools.combinations_with_replacement(np.arange(-2.0, 4.0), n - 1)))
    moved = np.arange(-4.0, 6.0)
    data = np.concatenate(
        [
            np.repeat(common, moved.size, axis=0),
            np.tile(moved, len(common))[:, None],
        ],
        axis=1,
    )
    close = neighbour_counts(data[:, :, None], 1.0).mean(axis=1)
    p = selection_probabilities(neighbour_counts(data[:, :, None], 2.0), n)
    shape = (len(common), moved.size, n)
    data, close, p = data.reshape(shape), close.reshape(shape[:2]), p.reshape(shape)
    worst = 0.0
    for u in [np.full(n, 1e-9), np.full(n, 1.0 - 1e-9), *rng.random((draws, n))]:
        kept = u < p
        size = np.maximum(kept.sum(axis=2), 1)
        mean = (kept * data).sum(axis=2) / size
        for a, b in itertools.combinations(range(moved.size), 2):
            both = (close[:, a] >= 2.0 * n / 3.0) & (close[:, b] >= 2.0 * n / 3.0)
            if not both.any():
                continue
            differ = (kept[both, a, :-1] != kept[both, b, :-1]).sum(axis=1)
            differ = differ + kept[both, a, -1] + kept[both, b, -1]
            jump = np.abs(mean[both, a] - mean[both, b])
            worst = max(worst, _largest_ratio(n * jump, differ))
    return worst


def _largest_ratio(jump: Array, differ: Array) -> float:
    if (jump[differ == 0] > 1e-12).any():
        return math.inf
    some = differ > 0
    return float((jump[some] / differ[some]).max()) if some.any() else 0.0


def check_coupling(point: Point) -> Iterator[Evidence]:
    """The constants of `displacement_bound`, and the search over small datasets."""
    if "draws" in point:
        found = displacement_per_flip(point.n, point.rng, point.draws)
        yield at_most("largest n·‖g − g′‖/τ per flip found", found, 9.0, decides=False)
        yield at_least("the search finds displacements", found, 1.0)
        return
    # 6τ per user kept in one dataset only, over at least 2n/3 kept users; k(ζ) flips and the replaced one
    # twice
    argued = 6.0 / (2.0 * point.n / 3.0) * (flips(point.zeta) + 2.0)
    yield equals("bound on ‖g − g′‖/τ", displacement_bound(point.n, 0.7, point.zeta) / 0.7, argued)
    k = flips(point.zeta)
    yield at_most("P(more than k(ζ) flips)", poisson_tail(k), point.zeta)
    if k > 6:  # the quantile may not be below the mean, where Hoeffding's comparison does not hold
        yield at_least("P(more than k(ζ) − 1 flips)", poisson_tail(k - 1), point.zeta)
    yield at_least("k(ζ) against the mean", k, 6)


def poisson_tail(k: int) -> float:
    """P(Poisson(6) > k) = 1 − Σ_{j ≤ k} e^{−6}6^j/j!, summed from the small end."""
    return math.fsum(math.exp(-6.0 + j * math.log(6.0) - math.lgamma(j + 1.0)) for j in range(k + 1, k + 200))


_POINTS = [*grid(n=(10, 1000), zeta=(0.9, 0.5, 1e-9)), {"n": 6, "draws": 4}]

CLAIM = Claim(
    PAPER,
    "Lemma 3.5",
    "section 3, appendix B.3",
    kind=Kind.BOUND,
    title="Means of neighbours with scores ≥ 2n/3 couple within O(τ·log(1/ζ)/n)",
    statement=r"For $n\ge4$ and neighbouring $\mathcal D,\mathcal D'$ whose scores are both at least $2n/3$, "
    r"as the text says that $E$ and $E'$ give, some coupling of $g_i,g_i'$ has "
    r"$\|x-y\|\lesssim\tau\log(1/\zeta)/n$ with probability at least $1-\zeta$: "
    r"$\|x-y\|\le9\tau(k(\zeta)+2)/n$ with $\Pr[\mathrm{Poisson}(6)>k(\zeta)]\le\zeta$.",
    uses=("lemma-3.3", "lemma-3.4"),
    expected=CONFIRMED,
    summary="with 9τ(k(ζ) + 2)/n; argument on the page, its arithmetic checked",
    rests_on=("asi2024/lemma-3.3:corrected", "asi2024/lemma-3.4"),
    check=check_coupling,
    smoke=_POINTS,
    ci=[
        *grid(n=(4, 10, 100, 1000), zeta=(0.9, 0.5, 1e-3, 1e-9)),
        {"n": 6, "draws": 4},
        {"n": 9, "draws": 20},
    ],
)
PROOF = Claim(
    PAPER,
    "Lemma 3.5",
    "section 3, before Lemma 3.5",
    name="lemma-3.5-proof",
    kind=Kind.BOUND,
    title="E implies scores of at least 2n/3",
    statement=r"For $n\ge40\log(2T/\zeta)/\varepsilon$, $4n/5-\alpha\ge2n/3$ with $\alpha$ of Lemma 2.4 for "
    r"the budget $\varepsilon/2$ of Algorithm 1.",
    expected=REFUTED,
    finding=Finding(
        Weight.CONSTANT,
        what=(
            r"Algorithm 1 runs AboveThreshold with budget $\varepsilon/2$, so that "
            r"$\alpha=16\log(2T/\zeta)/\varepsilon$; at $n=40\log(2T/\zeta)/\varepsilon$ this gives "
            r"$4n/5-\alpha=0.4n$, not $2n/3$. Two clusters of $n/2$ users have score $n/2$ and keep nobody; "
            "with one user moved a cluster of $n/2+1$ is kept in part, and the mean jumps by the distance of "
            "the clusters with probability near $0.95$, so that no coupling of Lemma 3.5 exists."
        ),
        favour=(
            r"With $n\ge120\log(2T/\zeta)/\varepsilon$ the step is right, and conditions on $n$ elsewhere "
            r"are "
            r"stated up to constants. The text puts the premise of scores $\ge2n/3$ beside the lemma; under "
            "it the lemma holds (`lemma-3.5`)."
        ),
        survives=(
            r"$n\ge120\log(2T/\zeta)/\varepsilon$ gives $4n/5-\alpha\ge2n/3$; with budget "
            r"$\varepsilon$ for AboveThreshold it would be 60."
        ),
    ),
    check=check_proof,
    smoke=grid(T=(1,), epsilon=(1.0,), zeta=(1e-3,)),
    ci=grid(T=(1, 100), epsilon=(0.1, 1.0, 9.0), zeta=(1e-6, 1e-2, 0.5)),
)
CLAIMS = [PROOF]
