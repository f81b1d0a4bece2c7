r"""Theorem B.1: on the distribution D_{p,α} every private algorithm has excess risk at least α/10.

D_{p,α} on {0,1}ᵈ × {0,1}: X = 0 with probability 1 − α, else a uniform basis vector; Z ~ ∏ Bernoulli(p_j);
Y = ⟨Z, X⟩. For every (ε, δ)-differentially private M there is a p ∈ [0, 1]ᵈ with (Song et al. 2021, app. B)

    E|⟨M(D), X₀⟩ − Y₀| − E|⟨p, X₀⟩ − Y₀| ≥ α/10 for D ~ D_{p,α}ⁿ, if n ≤ d/(10(e^ε − 1)α), δ ≤ (e^ε − 1)/1000.

(The scan of the condition on δ shows a numerator of the size of e^ε − 1 over 1000; whether a factor α stands
there cannot be seen. The larger δ is taken here.)

No sampling can decide "every private algorithm": the verdict is CONSISTENT at best. The average over the
prior of the proof, Beta(1/80, 1/80)ᵈ, is at least α/10 if the proof is right, which is stronger than "there
is a p" (an average below α/10 would refute the proof, not yet the theorem). Privacy is what costs: where ε is
small enough that coordinates are seen often (e^ε − 1 ≪ 1/20), estimators without privacy lie below α/10 on
the same data. Beyond the n of the theorem the corrected proof still shows α·((0.9 − 4n(e^ε − 1)α/d)/4.1) −
160α²δn/d, which is positive up to 2.2 times that n.

The proof (`theorem-b.1-proof`). Its explicit steps, in rational arithmetic with β = 1/80: E[2P(1 − P)] =
β/(1 + 2β), Var P = 1/(4(1 + 2β)), (1 − 8β)/(4 + 8β) = 0.9/4.1, and the step into the last line

    α·(0.9 − 4n(e^ε − 1)α/d)/4.1 − 160αδn/d ≥ α/10 for n ≤ d/(10(e^ε − 1)α).

At the largest n the second term is 16·δ/(e^ε − 1). The condition on δ is not fully legible. The last display
of the text has the numerators 0.9 − 0.4, 160α and α, which is the step with δ ≤ α(e^ε − 1)/1000: then the
term is 160α/10⁴, and 0.5/4.1 − 0.016 = 0.10595 ≥ 1/10 for every α. Without the α the term would be
0.016, too much for α < 0.729. The theorem survives that reading too (`:corrected`): Lemma B.3 applied
conditionally on X_i = e_j, an event of probability α/d that M's neighbouring inputs share, gives α·2δ in
place of 2δ per record, so the term is 160α²δn/d ≤ 0.016α. Corollary B.4 needs δ ≤ ε/(1000n) only, which is at
most α(e^ε − 1)/1000 for its α.

How much the sandwich holds. The private estimators lie far above α/10: at α = 1 and the n of the theorem the
Laplace estimator returns coins, with 0.476 of at most ½, and with 8 times the budget it would still pass. The
evidence says how large a budget a cheater may spend. What carries the theorem is the proof; "every private
algorithm" is its argument, not a measurement.

How it is checked. The instance as printed, at the largest δ and n of the theorem and at other n, with p drawn
from the prior: every private estimator at hand must lie above α/10 and above the bound of the corrected
proof, one without privacy below it. The threshold n*(d, ε), where the mean excess of an estimator crosses
α/10, is located by bisection and must grow at least like d and like 1/ε. The proof by rational arithmetic.
`:estimators` holds the private estimators against their laws and audits them, `:instance` the instance.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from audits.judge import (
    at_least,
    cells,
    constant,
    decisive,
    equals,
    mean_at_least,
    reported,
    sample_mean,
    undecided,
)
from audits.rates import family
from claims import CONFIRMED, CONSISTENT, Budget, Claim, Evidence, Kind, Plot, Point, Side, Tier, grid
from claims.song2021 import PAPER
from implementations.song2021 import hard_instance

if TYPE_CHECKING:
    import pandas as pd

THRESHOLD_OF = "laplace"
"""The best private estimator: its threshold is located."""
RESOLUTION = 0.1
"""Of the excess over α, as the bound 0.1 of the theorem itself: an estimator without any error is caught."""
TOLERANCE = 0.1
"""A forgotten root moves an exponent by ½: exponents are held within a fifth of that."""


def proof_bound(n: float, d: int, epsilon: float, delta: float, presence: float) -> float:
    """What the corrected proof shows for any n: α((0.9 − 4n(e^ε − 1)α/d)/4.1) − 160α²δn/d, at least 0.

    presence  α, the probability that X ≠ 0.
    """
    load = n * presence / d
    return max(0.0, presence * ((0.9 - 4.0 * math.expm1(epsilon) * load) / 4.1 - 160.0 * delta * load))


def measure(point: Point) -> dict[str, Any]:
    """Excess risks over α of all estimators, one row per estimator and trial; or thresholds n*."""
    if "repeats" in point:
        return {"threshold": [threshold(point) for _ in range(point.repeats)]}
    d, epsilon, presence = point.d, point.epsilon, point.presence
    limit = hard_instance.size_limit(d, epsilon, presence)
    n = max(1, round(limit * point.load))
    delta = hard_instance.delta_limit(epsilon)
    p = hard_instance.draw_parameter(point.trials, d, point.rng)
    sample = hard_instance.draw_sample(p, presence, n, point.rng)
    columns: dict[str, list[Any]] = {"estimator": [], "private": [], "excess": []}
    kinds = ((1, hard_instance.private_estimators()), (0, hard_instance.non_private_estimators()))
    for private, estimators in kinds:
        for name, estimate in estimators.items():
            theta = estimate(sample, epsilon, delta, point.rng)
            columns["estimator"] += [name] * point.trials
            columns["private"] += [private] * point.trials
            columns["excess"] += (hard_instance.excess_risk(theta, p, presence) / presence).tolist()
    rows = len(columns["excess"])
    proven = proof_bound(n, d, epsilon, delta, presence) / presence
    return {**columns, "n": [n] * rows, "bound": [max(proven, 0.1 if n <= limit else 0.0)] * rows}


def threshold(point: Point, coordinates: int = 4096) -> float:
    """n at which the mean excess of the best private estimator is α/10, by bisection on log n.

    Coordinates are exchangeable and nearly independent: `coordinates` of them are drawn at each n. The noise
    of the risk is what scatters n*; repeats show it.
    """
    d, epsilon, presence, rng = point.d, point.epsilon, point.presence, point.rng
    estimate = hard_instance.private_estimators()[THRESHOLD_OF]
    trials = max(1, coordinates // d)

    def excess(n: int) -> float:
        p = hard_instance.draw_parameter(trials, d, rng)
        sample = hard_instance.draw_sample(p, presence, n, rng)
        theta = estimate(sample, epsilon, hard_instance.delta_limit(epsilon), rng)
        return float(hard_instance.excess_risk(theta, p, presence).mean()) / presence

    limit = hard_instance.size_limit(d, epsilon, presence)
    low, high = math.log(limit), math.log(1e3 * d / (epsilon * presence))
    for _ in range(9):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if excess(round(math.exp(middle))) > 0.1 else (low, middle)
    return math.exp(0.5 * (low + high))


AXES = ["d", "epsilon", "presence", "load", "n", "bound"]


def judge(rows: pd.DataFrame, budget: Budget) -> Iterator[Evidence]:
    """Private estimators above the bound, others below it somewhere; n* against d and 1/ε."""
    runs, located = (rows, rows[:0]) if "repeats" not in rows else (
        rows[rows["repeats"].isna()], rows[rows["repeats"].notna()]
    )  # fmt: skip
    parts = cells(runs[runs["bound"] > 0.0], AXES)
    share, separated = budget.share(0.5) / len(parts), False
    for point, part in parts:
        bound = point.pop("bound")
        yield private_evidence(part, bound, point, share)
        yield constant_evidence(part, bound, point)
        yield from overspending_evidence(point, bound)
        other = non_private_evidence(part, point)
        yield other
        separated = separated or other.high < 0.1
    if not separated:
        yield undecided(
            "estimators without privacy below α/10", 0.0, "the bound says nothing at these points"
        )
    if len(located):
        yield from threshold_evidence(located, budget.share(0.5))


def by_estimator(part: pd.DataFrame, private: int) -> list[tuple[str, pd.Series]]:
    kept = part[part["private"] == private]
    return [(str(name), group["excess"]) for name, group in kept.groupby("estimator", sort=False)]


def private_evidence(part: pd.DataFrame, bound: float, point: dict[str, Any], alpha: float) -> Evidence:
    """The private estimator nearest to the bound; every one is tested."""
    private = by_estimator(part, 1)
    checks = [
        mean_at_least(
            f"excess/α of the best of {len(private)} private estimators", values, bound,
            alpha=alpha / len(private), point={**point, "estimator": name}, largest_resolution=RESOLUTION,
        )
        for name, values in private
    ]  # fmt: skip
    return decisive(checks, lambda e: -e.estimate)


def constant_evidence(part: pd.DataFrame, bound: float, point: dict[str, Any]) -> Evidence:
    """By what factor a larger lower bound would still hold for these estimators."""
    private = by_estimator(part, 1)
    return constant(
        "least excess of a private estimator over the bound", [x.mean() / bound for _, x in private],
        [float(x.std()) / math.sqrt(len(x)) / bound for _, x in private], len(private[0][1]),
        least=True, claimed=1.0,
        points=[{**point, "estimator": name} for name, _ in private],
        note="a bound larger by this factor would pass; interval simultaneous over the estimators",
    )  # fmt: skip


def overspending_evidence(point: dict[str, Any], bound: float) -> Iterator[Evidence]:
    """How many times ε the Laplace estimator may spend and still lie above the bound, exactly, p ∈ {0, 1}ᵈ.

    A coordinate is seen K ~ Binomial(n, α/d) times, all alike, and is wrong with probability ½e^{−εK/2}: its
    mean is ½(1 − (α/d)(1 − e^{−ε/2}))ⁿ.
    """
    share, n = point["presence"] / point["d"], point["n"]

    def excess(times: float) -> float:
        return 0.5 * (1.0 - share * -math.expm1(-0.5 * times * point["epsilon"])) ** n

    factors = [2.0**k for k in range(11) if excess(2.0**k) >= bound]
    if factors:
        note = "p in {0, 1}^d, closed form: this much privacy a cheater may lose unseen"
        quantity = "times ε that the Laplace estimator may spend and still lie above the bound"
        yield reported(quantity, factors[-1], point=point, note=note)


def non_private_evidence(part: pd.DataFrame, point: dict[str, Any]) -> Evidence:
    """The best estimator without privacy, for scale."""
    name, values = min(by_estimator(part, 0), key=lambda item: float(item[1].mean()))
    found = sample_mean(
        "excess/α of the best estimator without privacy", values, point={**point, "estimator": name}
    )
    note = "below 0.1: the bound separates private estimators from this one" if found.high < 0.1 else ""
    return replace(found, claimed=0.1, note=note)


def threshold_evidence(rows: pd.DataFrame, alpha: float) -> Iterator[Evidence]:
    """n* against d and ε: at least d¹ and ε⁻¹, and never below the n of the theorem."""
    yield from family.exponents(
        rows, "threshold", {"d": 1.0, "epsilon": -1.0}, TOLERANCE, side=Side.LOWER, vanishing=("epsilon",),
        alpha=alpha, equivalence_alpha=0.01, named="{} in n*",
    )  # fmt: skip
    limits = [hard_instance.size_limit(r["d"], r["epsilon"], r["presence"]) for r in rows.to_dict("records")]
    ratio = rows["threshold"].to_numpy() / np.array(limits, dtype=float)
    yield Evidence(
        quantity=f"n* of the estimator {THRESHOLD_OF} over d/(10(e^ε − 1)α)", claimed=1.0,
        estimate=float(np.median(ratio)), low=float(ratio.min()), high=float(ratio.max()), confidence=0.99,
        method="order statistics", samples=len(ratio),
        note="median and range: the factor between the lower bound and the best private estimator",
    )  # fmt: skip


# --- The proof ---------------------------------------------------------------------------------------------


def proof_steps(beta: Fraction) -> dict[str, tuple[Fraction, Fraction]]:
    """(computed, printed) of the moments and constants that the proof uses, for the prior Beta(β, β)."""
    mean_square = (beta + 1) / (2 * (2 * beta + 1))
    spread = 2 * (Fraction(1, 2) - mean_square)
    variance = mean_square - Fraction(1, 4)
    printed = (1 - 8 * beta) / (4 + 8 * beta)
    return {
        "E[2P(1 − P)]": (spread, beta / (1 + 2 * beta)),
        "Var P": (variance, 1 / (4 * (1 + 2 * beta))),
        "Var P − 2β/(1 + 2β)": (variance - 2 * beta / (1 + 2 * beta), printed),
    }


def last_line(presence: Fraction, reading: str) -> Fraction:
    """The left side of the last step of the proof over α, with β = 1/80, at the largest n and δ.

    reading  "with-alpha": δ ≤ α(e^ε − 1)/1000; "corrected": δ ≤ (e^ε − 1)/1000 and Lemma B.3 applied given
             X_i = e_j, so that each record adds 2αδ and not 2δ.
    """
    beta = Fraction(1, 80)
    load = Fraction(1, 10) / presence  # n(e^ε − 1)/d
    delta = Fraction(1, 1000) * (presence if reading == "with-alpha" else 1)  # δ/(e^ε − 1)
    per_record = 2 * delta * (presence if reading == "corrected" else 1)
    first = (1 - 8 * beta - 4 * load * presence) / (4 + 8 * beta)
    return first - per_record * load / beta


def check_proof(point: Point) -> Iterator[Evidence]:
    """The moments at a rational β, and the last step at a rational α."""
    method = "exact rational arithmetic"
    if "beta" in point:
        for name, (computed, printed) in proof_steps(Fraction(point.beta)).items():
            yield equals(name, computed, printed, method=method)
        return
    for reading, words in (("with-alpha", "with α"), ("corrected", "without α, given X")):
        left = last_line(Fraction(point.presence), reading)
        quantity = f"left side of the last step over α, condition on δ {words}"
        yield at_least(quantity, left, Fraction(1, 10), method=method)


def risk(d: int, epsilon: float, presence: float, load: float = 1.0) -> dict[str, int | float]:
    return {"d": d, "epsilon": epsilon, "presence": presence, "load": load}


def thresholds(repeats: int) -> list[dict[str, Any]]:
    return grid(d=(8, 16, 32, 64, 128), epsilon=(0.01, 0.03, 0.1), presence=1.0, repeats=repeats)


SANDWICH = [risk(64, 0.02, 1.0, load) for load in (0.03, 0.1, 0.3, 1.5, 2.0, 2.2, 3.0, 10.0, 30.0, 100.0)]
CI = [
    *(risk(d, e, a) for d, e, a in ((4, 0.02, 1.0), (16, 0.02, 1.0), (64, 0.02, 1.0), (64, 0.02, 0.5))),
    *(risk(d, e, a) for d, e, a in ((64, 0.01, 0.1), (64, 0.05, 1.0), (64, 0.3, 0.3), (256, 1.0, 1.0))),
    risk(512, 3.0, 1.0),
    *SANDWICH,
    *thresholds(2),
]
FULL = [
    *(risk(d, e, a) for d in (1, 4, 64, 256) for e in (0.005, 0.02, 0.05, 0.09) for a in (0.02, 0.3, 1.0)),
    *(risk(1024, e, a) for e in (0.5, 1.0, 3.0) for a in (0.1, 1.0)),
    *SANDWICH,
    *thresholds(16),
]
BETAS = grid(beta=("1/80", "2/3", "1", "7/2", "40"))
CLAIM = Claim(
    PAPER,
    "Theorem B.1",
    "appendix B",
    kind=Kind.LOWER_BOUND,
    title="Every private algorithm errs by α/10 on D_{p,α}",
    uses=("lemma-b.2", "lemma-b.3"),
    statement=r"For every $(\varepsilon,\delta)$-differentially private $M:(\mathbb R^d\times\mathbb "
    r"R)^n\to\mathbb R^d$ and $\alpha\in(0,1]$ with $n\le d/(10(e^\varepsilon-1)\alpha)$ and "
    r"$\delta\le(e^\varepsilon-1)/1000$ there is $p\in[0,1]^d$ with $\mathbb E|\langle "
    r"M(D),X_0\rangle-Y_0|-\mathbb E|\langle p,X_0\rangle-Y_0|\ge\alpha/10$ for independent "
    r"$(X_i,Y_i)\sim\mathcal D_{p,\alpha}$.",
    expected=CONSISTENT,
    measure=measure,
    judge=judge,
    smoke=Tier([risk(32, 0.02, 1.0), risk(16, 0.02, 0.25), risk(64, 0.5, 1.0)], trials=200),
    ci=Tier(CI, trials=400),
    full=Tier(FULL, trials=4000, chunk=500),
    fits_exponents=True,
    plots=[
        Plot(
            kind="curve",
            title="Excess risk over α on D_{p,α}: private and other estimators, and the bound of the proof",
            x="n",
            y="excess",
            x_label="n",
            y_label="excess risk / α",
            claimed="bound",
            series="estimator",
            log_x=True,
            select={"d": 64, "epsilon": 0.02, "presence": 1.0},
        )
    ],
)
PROOF = Claim(
    PAPER,
    "Theorem B.1",
    "appendix B",
    name="theorem-b.1-proof",
    kind=Kind.IDENTITY,
    title="Constants in the proof of Theorem B.1",
    statement=r"With $\beta=1/80$: $\mathbb E[2P(1-P)]=\beta/(1+2\beta)$, $\mathrm{Var}P=1/(4(1+2\beta))$, "
    r"and for $n\le d/(10(e^\varepsilon-1)\alpha)$, $\delta\le\alpha(e^\varepsilon-1)/1000$: "
    r"$\alpha\,(0.9-4n(e^\varepsilon-1)\alpha/d)/4.1-160\,\alpha\delta n/d\ge\alpha/10$; with "
    r"$\delta\le(e^\varepsilon-1)/1000$ the same for $160\,\alpha^2\delta n/d$ (Lemma B.3 given $X_i=e_j$).",
    expected=CONFIRMED,
    summary="with α in the condition on δ, as the last display has it, and without, where X is given",
    rests_on=("song2021/lemma-b.2", "song2021/lemma-b.3"),
    check=check_proof,
    smoke=[*BETAS, *grid(presence=("1/2", "1"))],
    ci=[*BETAS, *grid(presence=("1/100", "1/2", "18/25", "73/100", "1"))],
)
CLAIMS = [PROOF]
