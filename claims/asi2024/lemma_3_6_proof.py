r"""Lemma 3.6, proof: the steps of appendix B.4 that do not hold.

* "By Theorem 2.4, $\{a_i\}$ and $\{a_i'\}$ are $(\varepsilon/2,0)$-indistinguishable." Theorem 2.4 is about
  queries of sensitivity 1, and the concentration score has sensitivity $2-2/n$ (concentration-score). The
  loss of the halting time comes as near to $(1-1/n)\varepsilon$ as one likes; with two queries, one of
  which falls and one of which rises when the user is replaced, it is above $\varepsilon/2$ already.
* A displacement of $\tau\log(1/\zeta')/n$ needs a variance with $\log^2(1/\zeta')$; the printed one has
  $\log(1/\zeta')\log(1/\delta')$ (`:noise`). T answers then are
  $c\varepsilon\sqrt{\log(1/\zeta')/(4\log(1/\delta'))}$ standard deviations apart, c the constant of Lemma
  3.5, which grows with T without limit.
* Lemma 3.5 is used with $\zeta'=\delta/(2(e^\varepsilon+1+T))$ and so asks for
  $40\log(2T/\zeta')/\varepsilon=40\log(4T(e^\varepsilon+1+T)/\delta)/\varepsilon$ users; the lemma has
  $40\log(4T/\delta)/\varepsilon$ (`:users`). As $\varepsilon<10$, the two differ by a constant factor.

What survives. The three steps with sensitivity 2, with $\log^2(1/\zeta')$ and with more users are
lemma-3.6:corrected.

How it is checked. Exactly. The halting time by quadrature on datasets of clusters; T Gaussian answers by the
Gaussian privacy curve; the two numbers of users by their formulas.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from claims import REFUTED, Claim, Evidence, Finding, Kind, Point, Weight, at_least, at_most, grid, reported
from claims.asi2024 import PAPER
from claims.asi2024.lemma_2_4_privacy import score_loss


def check(point: Point) -> Iterator[Evidence]:
    """The exact loss of the halting time of AboveThreshold(ε/2) on datasets of clusters."""
    loss = score_loss(point.n, point.T, point.epsilon / 2.0)
    note = "users at 0 and 1.5τ, one at 0.75τ or at −2τ; the last query has the two exchanged"
    yield at_most("loss of the halting time", loss, point.epsilon / 2.0, note=note)


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


def check_users(point: Point) -> Iterator[Evidence]:
    """The users that the proof asks for against those that the lemma has."""
    zeta = failure_chance(point.epsilon, point.delta, point.T)
    asked = 40.0 * math.log(2.0 * point.T / zeta) / point.epsilon
    stated = 40.0 * math.log(4.0 * point.T / point.delta) / point.epsilon
    yield at_least("users of the lemma over those of its proof", stated / asked, 1.0)
    yield reported("users that are missing", asked - stated)


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
            r"With budget $\varepsilon/4$ in line 5 of Algorithm 1 the step is right: CONFIRMED "
            "(`lemma-2.4-privacy:score`)."
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
            r"$\varepsilon/2$, and $3\cdot10^{-7}$ is stated; a smaller constant puts the failure off "
            "to a larger $T$."
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
USERS = CLAIM.reading(
    "users",
    title="The lemma has the users that its proof asks for",
    statement=r"$n\ge40\log(4T/\delta)/\varepsilon$ gives $n\ge40\log(2T/\zeta')/\varepsilon$ with "
    r"$\zeta'=\delta/(2(e^\varepsilon+1+T))$, the condition under which Lemma 3.5 is used.",
    expected=REFUTED,
    finding=Finding(
        Weight.CONSTANT,
        what=(
            r"The proof applies Lemma 3.5 with $\zeta'$ and so needs "
            r"$40\log(4T(e^\varepsilon+1+T)/\delta)/\varepsilon$ users; the lemma has "
            r"$40\log(4T/\delta)/\varepsilon$, $40\log(e^\varepsilon+1+T)/\varepsilon$ fewer: 105 of "
            r"805 at $T=10$, $\varepsilon=1$, $\delta=10^{-6}$."
        ),
        favour=(
            "Up to a constant factor in $n$ the two conditions are the same, and later results state "
            "theirs up to constants: CONFIRMED with "
            r"$40\log(4T(e^\varepsilon+1+T)/\delta)/\varepsilon$."
        ),
        survives="The step with the larger $n$.",
    ),
    check=check_users,
    smoke=grid(T=(10,), epsilon=(1.0,), delta=(1e-6,)),
    ci=grid(T=(1, 10, 10_000), epsilon=(0.1, 1.0, 9.0), delta=(1e-3, 1e-6)),
)
CLAIMS = [NOISE, USERS]
