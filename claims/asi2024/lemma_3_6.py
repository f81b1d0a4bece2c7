r"""Lemma 3.6: for n ≥ 40·log(4T/δ)/ε the transcripts of Algorithm 1 on neighbours are (ε,
δ)-indistinguishable.

Three things go wrong in the proof. (a) "By Theorem 2.4, $\{a_i\}$ and $\{a_i'\}$ are $(\varepsilon/2,0)$-
indistinguishable": the score has sensitivity $2-2/n$, so AboveThreshold alone costs up to
$\varepsilon(1-1/n)$ (lemma-3.6-proof). (b) $4n/5-\alpha\ge2n/3$ needs
$n\ge120\log(2T/\zeta)/\varepsilon$ (lemma-3.5-proof). (c) A displacement of $\tau\log(1/\zeta')/n$ needs a
variance with $\log^2(1/\zeta')$, the printed one has $\log(1/\zeta')\log(1/\delta')$.

(a) breaks the lemma, for every n. Most users stand at 0, some at 1.5τ, one at 0.75τ (near all) in $\mathcal
D$ and at −2τ (near none, within 2τ of most) in $\mathcal D'$; in the last query the two change places.
Nobody is removed, so the answers are Gaussian with means 2.75τ/n apart, and the halting time has the law of
AboveThreshold. Halting at the last query alone is $e^{0.9\varepsilon}$ times likelier, for thirty queries;
what the answers add to it is more than δ leaves. Where the early scores are low and the last one is at the
threshold, four queries suffice. At ε = 1 and $\delta\ge10^{-3}$ no violation was found.

The smallest change that the proof needs (`:corrected`, `corrected_plan`): budget ε/4 for AboveThreshold,
noise of $\sigma=9\tau(k+2)\sqrt T/(n\mu^*(\varepsilon/2,\delta/2))$ with
$\Pr[\mathrm{Poisson}(6)>k]\le\delta/(4T)$, and $n\ge15+240\log(2T/\zeta)/\varepsilon$,
$\zeta=\delta/(4(1+e^\varepsilon))$. Proof. For a pair of neighbours call a query low if the smaller score
is below 2n/3, and let a changed algorithm halt at low queries. With probability 1 − ζ no noise of
AboveThreshold exceeds its part of α, and then the unchanged one halts there too, as $4n/5-\alpha\ge2n/3+2$.
In the changed one the answers ⊤, ⊥ cost less than ε/2 (sensitivity below 2), and the means of queries that
are not low couple within $9\tau(k+2)/n$ but for probability δ/(4T) (lemma-3.5), so that T of them
cost (ε/2, δ/2 + δ/4), adaptively chosen queries included. The change of the algorithm costs
$(1+e^\varepsilon)\zeta=\delta/4$.

How it is checked. Exactly: the halting times by quadrature, the answers by the Gaussian privacy curve,
summed over halting times. The corrected plan by its budget, term by term, from the numbers that the
implementation uses, and on the same datasets. Programs are audited in theorem-3.2-privacy.

What it does not see. `:corrected` takes the constant 9 and the Poisson mean 6 from Lemmas 3.5 and 3.3, as the
program does: were one of them too small, nothing here would show it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np

from audits.judge import at_least, at_most, equals
from claims import CONFIRMED, REFUTED, Claim, Evidence, Finding, Kind, Plot, Point, Weight, grid
from claims.asi2024 import PAPER
from claims.asi2024._transcripts import transcript_delta, users_of, worst_alternating, worst_two_heights
from claims.asi2024.lemma_3_5 import poisson_tail
from implementations.asi2024.above_threshold import accuracy, query_scale, threshold_scale
from implementations.asi2024.clusters import TranscriptPair
from implementations.asi2024.outlier_removal import Plan, corrected_plan, corrected_users, printed_plan


def check(point: Point) -> Iterator[Evidence]:
    """The exact δ of whole transcripts at ε, at the least n of the condition times a factor."""
    n = point.factor * users_of("lemma 3.6", point.T, point.epsilon, point.delta)
    plan = printed_plan(n, point.T, point.epsilon, point.delta, 1.0)
    found, early = worst_alternating(n, point.T, plan, point.epsilon)
    late = early
    if point.T > 1:
        found, early, late = max((found, early, late), worst_two_heights(n, plan, point.epsilon))
    note = (
        f"n = {n}, scores {early:g}/ε above 4n/5, {late:g}/ε in the last query; users at 0 and 1.5τ, one at "
        "0.75τ or −2τ"
    )
    yield at_most("exact δ of the transcripts at ε", found, point.delta, decides=False, note=note)


def displacement(plan: Plan, delta: float) -> float:
    """9τ(k + 2)/n: how far apart the means of neighbours are at most, but for probability δ/(4T) each."""
    k = next(k for k in itertools.count(6) if poisson_tail(k) <= delta / (4.0 * plan.queries))
    return 9.0 * plan.tau / plan.n * (k + 2)


def spent(plan: Plan, epsilon: float, delta: float) -> float:
    """δ that T answers, their couplings and the noise of AboveThreshold spend beside ε/2 + ε/2."""
    from implementations.privacy import gaussian_delta

    zeta = delta / (4.0 * (1.0 + math.exp(epsilon)))
    moved = displacement(plan, delta)
    answers = gaussian_delta(epsilon / 2.0, moved * math.sqrt(plan.queries) / plan.noise)
    return float(answers) + delta / 4.0 + (1.0 + math.exp(epsilon)) * zeta


def made(n: int, queries: int, epsilon: float, delta: float) -> int:
    """1 where a corrected plan is made for n users, 0 where it is refused."""
    try:
        corrected_plan(n, queries, epsilon, delta, 1.0)
    except ValueError:
        return 0
    return 1


def delta_by_sum(pair: TranscriptPair, epsilon: float) -> float:
    """δ of a pair of transcripts, by summing over halting times and a fine grid of the answers' shift."""
    x = np.linspace(-12.0, 13.5, 200_001)[:, None]
    p = pair.halting * np.exp(-0.5 * x**2) / math.sqrt(2.0 * math.pi)
    q = pair.halting_of_neighbour * np.exp(-0.5 * (x - pair.mu) ** 2) / math.sqrt(2.0 * math.pi)
    width = float(x[1, 0] - x[0, 0])
    return max(float(np.maximum(a - math.exp(epsilon) * b, 0.0).sum()) * width for a, b in ((p, q), (q, p)))


def check_instrument(epsilon: float) -> Iterator[Evidence]:
    """The δ of transcripts whose halting times are far apart, and what four queries show of the printed "
    "plan."""
    unlike = TranscriptPair(
        halting=np.array([0.5, 0.3, 0.1, 0.1]),
        halting_of_neighbour=np.array([0.001, 0.3, 0.199, 0.5]),
        mu=np.array([0.0, 0.7, 1.5, 1.5]),
    )
    ratio = transcript_delta(unlike, epsilon) / delta_by_sum(unlike, epsilon)
    yield equals("δ of two unlike laws over its sum over a grid", ratio, 1.0, error=1e-6)
    n = users_of("lemma 3.6", 4, 1.0, 1e-6)
    found, _, _ = worst_two_heights(n, printed_plan(n, 4, 1.0, 1e-6, 1.0), 1.0)
    yield at_least("δ over the stated one, printed plan, four queries at two heights", found / 1e-6, 1.0)


def check_corrected(point: Point) -> Iterator[Evidence]:
    """Every term of the proof at the least n, and the datasets on which the printed algorithm falls."""
    epsilon, delta, queries = point.epsilon, point.delta, point.T
    n = corrected_users(queries, epsilon, delta)
    plan = corrected_plan(n, queries, epsilon, delta, 1.0)
    zeta = delta / (4.0 * (1.0 + math.exp(epsilon)))
    scales = threshold_scale(plan.budget), query_scale(plan.budget)
    yield at_most(
        "loss of AboveThreshold", (2.0 - 2.0 / n) * (1.0 / scales[0] + 2.0 / scales[1]), epsilon / 2.0
    )
    least = plan.threshold - accuracy(queries, zeta, plan.budget) - 2.0 * n / 3.0
    yield at_least("least score after ⊤, above 2n/3", least, 2.0)
    yield at_most("δ spent", spent(plan, epsilon, delta), delta)
    yield at_least("δ spent, least", spent(plan, epsilon, delta), 0.999 * delta, note="no noise is wasted")
    stated = math.ceil(15.0 + 240.0 * math.log(2.0 * queries / zeta) / epsilon)
    yield equals("least n", n, stated)
    yield equals("plans that are made for a user fewer", made(n - 1, queries, epsilon, delta), 0)
    yield equals("budget of AboveThreshold", plan.budget, epsilon / 4.0)
    yield equals("threshold", plan.threshold, 0.8 * n)
    found, _ = worst_alternating(n, queries, plan, epsilon)
    if queries > 1:
        found = max(found, worst_two_heights(n, plan, epsilon)[0])
    yield at_most("exact δ on the datasets of the counterexample", found, delta, decides=False)
    if queries == 1:
        yield from check_instrument(epsilon)


CLAIM = Claim(
    PAPER,
    "Lemma 3.6",
    "section 3, appendix B.4",
    kind=Kind.PRIVACY,
    title="Algorithm 1 is (ε, δ)-private for n ≥ 40·log(4T/δ)/ε",
    statement=r"For $0<\varepsilon<10$, $0<\delta<1$, all neighbouring $\mathcal D,\mathcal D'$ of "
    r"$n\ge40\log(4T/\delta)/\varepsilon$ users and adaptive queries, the outputs of Algorithm 1 are "
    r"$(\varepsilon,\delta)$-indistinguishable.",
    uses=("lemma-2.4-privacy", "lemma-2.4-accuracy", "lemma-3.5"),
    expected=REFUTED,
    finding=Finding(
        Weight.THEOREM,
        what=(
            "Replacing a user changes the concentration score by up to $2-2/n$, since she is counted "
            r"in her row and in her column. AboveThreshold with budget $\varepsilon/2$ therefore costs "
            r"nearly $\varepsilon$, and the answers cost more: at $\varepsilon=1$, $\delta=10^{-6}$, "
            r"$T=10$ and $n=702\ge40\log(4T/\delta)/\varepsilon$ two neighbouring datasets have a "
            r"$\delta$ above $1.2\cdot10^{-4}$, more than 120 times the stated one. It hardly falls with "
            r"the stated one: $5.1\cdot10^{-5}$ at $T=30$ for $10^{-9}$, $2.5\cdot10^{-5}$ at $T=100$ "
            r"for $10^{-12}$. Four queries suffice for a violation. The halting time gives it away, which "
            "Algorithm 2 does not show: Theorem 4.1 is not touched."
        ),
        favour=(
            "Read with a hidden constant in $n$ nothing changes, since the violation is there for "
            r"every $n$; read with $2\varepsilon$ in place of $\varepsilon$ no violation is known. At "
            r"$\varepsilon=1$ and $\delta=10^{-3}$ no violation was found at the printed $\varepsilon$ "
            r"either, nor for one query: the lemma falls for small $\delta$ and $T\ge4$."
        ),
        survives=(
            r"With budget $\varepsilon/4$ for AboveThreshold, noise with all constants, and six times "
            r"the users, Algorithm 1 is $(\varepsilon,\delta)$-DP (`:corrected`)."
        ),
    ),
    check=check,
    smoke=[
        *grid(factor=(1,), T=(4,), epsilon=(1.0,), delta=(1e-6,)),
        *grid(factor=(1,), T=(30,), epsilon=(1.0,), delta=(1e-6, 1e-9)),
    ],
    ci=[
        *grid(factor=(1, 10), T=(1, 4, 10, 30), epsilon=(0.1, 1.0, 9.0), delta=(1e-3, 1e-6, 1e-9)),
        *grid(factor=1, T=100, epsilon=1.0, delta=(1e-6, 1e-12)),
    ],
    plots=[
        Plot(
            kind="curve",
            title="Exact δ of the transcripts of Algorithm 1 at ε = 1",
            x="T",
            y="value",
            x_label="queries T",
            y_label="δ at ε",
            claimed="delta",
            series="delta",
            log_x=True,
            log_y=True,
            select={"epsilon": 1.0, "factor": 1, "quantity": "exact δ of the transcripts at ε"},
        )
    ],
)
CORRECTED = CLAIM.reading(
    "corrected",
    title="Algorithm 1 with budget ε/4, explicit noise and n ≥ 15 + 240·log(2T/ζ)/ε is (ε, δ)-private",
    statement=r"For $0<\varepsilon<10$, $0<\delta<1$, $\zeta=\delta/(4(1+e^\varepsilon))$ and "
    r"$n\ge15+240\log(2T/\zeta)/\varepsilon$, Algorithm 1 with AboveThreshold at budget $\varepsilon/4$ and "
    r"noise $\sigma=9\tau(k+2)\sqrt T/(n\mu^*(\varepsilon/2,\delta/2))$, "
    r"$\Pr[\mathrm{Poisson}(6)>k]\le\delta/(4T)$, is $(\varepsilon,\delta)$-DP.",
    expected=CONFIRMED,
    summary="budget ε/4, noise from the explicit displacement, six times the users; argument on the page, "
    "its arithmetic checked",
    rests_on=("asi2024/lemma-2.4-privacy:score", "asi2024/lemma-2.4-accuracy", "asi2024/lemma-3.5"),
    check=check_corrected,
    smoke=grid(T=(1, 30), epsilon=(0.5,), delta=(1e-6,)),
    ci=[
        *grid(T=(1, 3, 30), epsilon=(0.01, 0.1, 1.0, 9.9), delta=(0.9, 1e-3, 1e-9)),
        *grid(T=100, epsilon=(0.01, 9.9), delta=(0.9, 1e-9)),
    ],
    plots=(),
)
CLAIMS = [CORRECTED]
