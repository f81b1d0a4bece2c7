r"""Lemma 3.6, proof: the steps of appendix B.4 that do not hold.

* "By Theorem 2.4, $\{a_i\}$ and $\{a_i'\}$ are $(\varepsilon/2,0)$-indistinguishable." Theorem 2.4 is about
  queries of sensitivity 1, and the concentration score has sensitivity $2-2/n$ (lemma-2.4-privacy:score). The
  loss of the halting time comes as near to $(1-1/n)\varepsilon$ as one likes; with two queries, one of
  which falls and one of which rises when the user is replaced, it is above $\varepsilon/2$ already.
* "For any b" the answers are to be close given E and $\{a_i\}=b$ (`:conditioning`). Where a query may
  depend on the answers before it, the later a tell of them. Let everybody agree at the first query, and let
  the user who is replaced be near all at all later queries in one dataset and near none in the other, the
  other way round where the first answer was below a level. Given that no query halts, the odds of a first
  answer above the level are multiplied in one dataset and divided in the other by what the score does to
  "no halt". It is the order of the argument that fails: the answers given the past are close, and so are the
  $a_i$ given all answers, and the two factors multiply.
* A displacement of $\tau\log(1/\zeta')/n$ needs a variance with $\log^2(1/\zeta')$; the printed one has
  $\log(1/\zeta')\log(1/\delta')$ (`:noise`). T answers then are
  $c\varepsilon\sqrt{\log(1/\zeta')/(4\log(1/\delta'))}$ standard deviations apart, c the constant of Lemma
  3.5, which grows with T without limit.

What survives. The steps with sensitivity 2 and with $\log^2(1/\zeta')$ are lemma-3.6:corrected.

How it is checked. Exactly. Halting times by quadrature on datasets of clusters; T Gaussian answers by the
Gaussian privacy curve.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from claims import REFUTED, Claim, Evidence, Finding, Kind, Point, Weight, at_most, grid
from claims.asi2024 import PAPER
from claims.asi2024._transcripts import near_and_far, share_for, users_of
from claims.asi2024.lemma_2_4_privacy import score_loss
from implementations.asi2024 import clusters
from implementations.asi2024.above_threshold import halting_law
from implementations.asi2024.outlier_removal import printed_plan


def check(point: Point) -> Iterator[Evidence]:
    """The exact loss of the halting time of AboveThreshold(ε/2) on datasets of clusters."""
    loss = score_loss(point.n, point.T, point.epsilon / 2.0)
    note = "users at 0 and 1.5τ, one at 0.75τ or at −2τ; the last query has the two exchanged"
    yield at_most("loss of the halting time", loss, point.epsilon / 2.0, note=note)


def tilt(n: int, queries: int, epsilon: float, height: float) -> float:
    """P(no query halts | the first answer is high) over the same of its neighbour, low: nearly e^{ε/2}."""
    plan = printed_plan(n, queries, epsilon, 0.5, 1.0)
    high, low = (
        clusters.score(data, 1.0) for data in near_and_far(n, share_for(n, plan.threshold + height / epsilon))
    )
    first, later = [float(n)], queries - 1  # all users agree at the first query
    chances = [halting_law(first + [score] * later, plan.threshold, plan.budget)[-1] for score in (high, low)]
    return float(chances[0] / chances[1])


def conditional_delta(epsilon: float, ratio: float, share: float) -> float:
    """δ at ε/2 of "the first answer is high", which has probability `share`, given that no query halts."""
    here = share * ratio / (share * ratio + 1.0 - share)
    there = share / (share + (1.0 - share) * ratio)
    return here - math.exp(epsilon / 2.0) * there


def check_conditioning(point: Point) -> Iterator[Evidence]:
    """The event that the first answer is high, at the worst of its levels and of the heights of the score."""
    n = users_of("lemma 3.6", point.T, point.epsilon, point.delta)
    ratio = max(tilt(n, point.T, point.epsilon, height) for height in (-8.0, 0.0))
    found = max(conditional_delta(point.epsilon, ratio, share / 200.0) for share in range(1, 200))
    zeta = failure_chance(point.epsilon, point.delta, point.T)
    stated = point.delta / (2.0 * math.exp(point.epsilon / 2.0)) + point.T * zeta
    note = f"n = {n}; given no halt the odds of a high first answer differ by {ratio:.4g} either way"
    yield at_most("δ at ε/2 given that no query halts", found, stated, note=note)


def failure_chance(epsilon: float, delta: float, queries: int) -> float:
    """ζ′ = δ/(2(e^ε + 1 + T))."""
    return delta / (2.0 * (math.exp(epsilon) + 1.0 + queries))


def deviations(epsilon: float, zeta: float, step: float) -> float:
    """What T answers are apart in deviations: each τ·log(1/ζ′)/n, noise τ√(4T·log(1/ζ′)·log(1/δ′))/(nε)."""
    displacement, inner = math.log(1.0 / zeta), math.log(1.0 / step)
    return displacement * epsilon / math.sqrt(4.0 * displacement * inner)


def check_noise(point: Point) -> Iterator[Evidence]:
    """The Gaussian step of the proof, with `deviations`."""
    from implementations.privacy import gaussian_delta

    step = point.delta / (2.0 * math.exp(point.epsilon / 2.0))
    mu = deviations(point.epsilon, failure_chance(point.epsilon, point.delta, point.T), step)
    yield at_most(
        "δ of T Gaussian answers at ε/2", float(gaussian_delta(point.epsilon / 2.0, mu)), step,
        note="with the constant 1 for ≲; μ = ε·√(log(1/ζ′)/(4·log(1/δ′)))",
    )  # fmt: skip


CLAIM = Claim(
    PAPER,
    "Lemma 3.6",
    "appendix B.4",
    name="lemma-3.6-proof",
    kind=Kind.PRIVACY,
    title="The answers of AboveThreshold are (ε/2, 0)-indistinguishable",
    statement=r"$\{a_i\}$ and $\{a_i'\}$, the answers of AboveThreshold with budget $\varepsilon/2$ to the "
    r"concentration scores of neighbouring datasets, are $(\varepsilon/2,0)$-indistinguishable.",
    expected=REFUTED,
    finding=Finding(
        Weight.PROOF,
        what=(
            "Theorem 2.4 asks for queries of sensitivity 1, and the concentration score has $2-2/n$. "
            r"With 100 users, $\varepsilon=2$ and 20 queries one halting time is $e^{1.8}$ times "
            "likelier on one dataset than on its neighbour, and $e^1$ is stated."
        ),
        favour=(
            r"With budget $\varepsilon/4$ in line 5 of Algorithm 1 the step is right, by the exact law of "
            "the halting time (`lemma-2.4-privacy:score`)."
        ),
        survives=r"The answers are $((1-1/n)\varepsilon,0)$-indistinguishable.",
        follows_from="asi2024/lemma-3.6",
    ),
    check=check,
    smoke=grid(n=(100,), T=(2, 20), epsilon=(2.0,)),
    ci=grid(n=(100, 1000), T=(2, 20, 100), epsilon=(0.2, 2.0, 9.0)),
)
NOISE = CLAIM.reading(
    "noise",
    title="The printed variance covers a displacement of τ·log(1/ζ′)/n",
    statement=r"$T$ means with displacement $\tau\log(1/\zeta')/n$ and variance "
    r"$4\tau^2T\log(1/\zeta')\log(1/\delta')/(n^2\varepsilon^2)$, $\zeta'=\delta/(2(e^\varepsilon+1+T))$, "
    r"$\delta'=\delta/(2e^{\varepsilon/2})$, are $(\varepsilon/2,\delta')$-indistinguishable.",
    expected=REFUTED,
    finding=Finding(
        Weight.PROOF,
        what=(
            r"The displacement is of order $\tau\log(1/\zeta')/n$, so that the variance needs "
            r"$\log^2(1/\zeta')$ where the printed one has a single one. With the constant 1 in Lemma "
            r"3.5, $\varepsilon=1$, $\delta=10^{-6}$ and $T=100$ the answers have $\delta=0.073$ at "
            r"$\varepsilon/2$, and $3\cdot10^{-7}$ is stated; as the distance in standard "
            r"deviations grows like $\sqrt{\log T}$, a smaller constant puts the failure off to a larger $T$."
        ),
        favour=(
            "For bounded $T$ a larger constant in the variance makes the step right. No attack on "
            "Algorithm 1 through its noise alone is known: the step fails, and not by this the lemma."
        ),
        survives=r"The step with $\log^2(1/\zeta')$ in the variance (`lemma-3.6:corrected`).",
    ),
    check=check_noise,
    smoke=grid(T=(100,), epsilon=(1.0,), delta=(1e-6,)),
    ci=grid(T=(1, 100, 10_000), epsilon=(0.1, 1.0, 9.0), delta=(1e-3, 1e-6, 1e-9)),
)
CONDITIONING = CLAIM.reading(
    "conditioning",
    title="The answers are close given all of AboveThreshold's answers",
    statement=r"For adaptive queries and every $b\in\{\top,\bot\}^T$, given $E$ and $\{a_i\}=b$ the answers "
    r"$\{g_i+\nu_i\}$ of neighbours are $(\varepsilon/2,\delta'+T\zeta')$-indistinguishable.",
    expected=REFUTED,
    finding=Finding(
        Weight.PROOF,
        what=(
            r"Where a query may depend on the answers before it, AboveThreshold's later answers tell of the "
            r"earlier noise, and given them that noise is no longer Gaussian. Let all users agree at the "
            r"first query, and let the score of later ones be high on $\mathcal D$ and low on $\mathcal D'$ "
            r"where the first answer was above a level, the other way round below it. At $\varepsilon=1$, "
            r"$\delta=10^{-6}$, $T=10$, $n=702$ the first answer is above a suitable level with probability "
            r"0.35 on $\mathcal D$ and 0.17 on $\mathcal D'$, given that no query halts: $\delta=0.07$ at "
            r"$\varepsilon/2$, and $\delta'+T\zeta'=6.7\cdot10^{-7}$ is stated."
        ),
        favour=(
            "The step is right for queries that are fixed beforehand, and the argument for adaptive ones "
            "needs another order only: each answer given the past, and AboveThreshold's answers given all "
            "answers. Both are as close as is stated, and the two factors multiply; nothing else changes."
        ),
        survives="Lemma 3.6 as far as its other steps carry it: this one costs nothing once it is reordered.",
    ),
    check=check_conditioning,
    smoke=grid(T=(10,), epsilon=(1.0,), delta=(1e-6,)),
    ci=grid(T=(10, 30), epsilon=(0.1, 1.0, 9.0), delta=(1e-3, 1e-6)),
)
CLAIMS = [NOISE, CONDITIONING]
