"""Lower bounds for private means of Gaussians: the printed ones, the corrected ones, and mechanisms against
them.

All are the same inequality in other units: a user-level algorithm on m samples of N(χ, σ²I) a user is an
item-level one at σ/√m (Lemma D.3), and truncation at 100√d·σ changes nothing that a computer could see
(Lemma D.2).

The proof, in units σ = 1. Let χ be uniform on [−ψ, ψ]^d, f the estimate projected onto that box (its error
does not grow), Zᵢ = Σ_j (ψ² − χ_j²)(f_j − χ_j)(x_ij − χ_j). Integration by parts in each χ_j gives
Σᵢ E Zᵢ = E Σ_j 2χ_j f_j ≥ dψ²/3 − α² ≥ dψ²/6 if α² ≤ dψ²/6. With xᵢ replaced by an independent copy in the
input, Z′ᵢ has mean 0 and E|Z′ᵢ| ≤ ψ²α. Privacy gives E Zᵢ ≤ sinh(ε)·ψ²α + 2·(the mean of the largest values
of |Zᵢ| on an event of probability δ, times δ); |Zᵢ| ≤ 2ψ³√d·‖xᵢ − χ‖, so the last term is at most
4ψ³√d·δ(√d + √(2 ln(1/δ)) + 1). Hence n·(sinh(ε)ψ²α + 4ψ³√d·δ(…)) ≥ dψ²/6. With δ(√d + √(2 ln(1/δ)) + 1) ≤
√d/(34ψn) the second part is at most (1/6 − sinh(1)/24)·dψ², and n ≥ d/(24αε) follows for ε ≤ 1, since
sinh(ε) ≤ sinh(1)·ε. The printed condition on δ is weaker by a factor √d: it bounds Zᵢ by ψ²·√d, as if the
output did not depend on xᵢ.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from claims import Evidence, Point, at_least, at_most, equals, mean_equals, reported, undecided
from implementations.ghazi2023 import hard_instances
from implementations.privacy import mu_star


@dataclass(frozen=True, slots=True)
class Statement:
    """α² ≤ dσ²ψ²/(cap·m) implies n ≥ dσ/(factor·α·ε·√m)."""

    cap: float
    factor: float


ITEM = Statement(6.0, 24.0)
TRUNCATED = Statement(12.0, 50.0)


@dataclass(frozen=True, slots=True)
class Case:
    """One mechanism at one point: what it costs and whether it satisfies the hypotheses."""

    n: int
    d: float
    m: float
    epsilon: float
    delta: float
    psi: float
    error: float

    def admitted(self, statement: Statement, largest_delta: float) -> bool:
        limit = self.d * self.psi**2 / (statement.cap * self.m)
        return self.delta <= largest_delta and self.error <= limit and self.delta <= 0.5

    def least_users(self, statement: Statement) -> float:
        """dσ/(factor·α·ε·√m) with σ = 1: the number of users that the statement asks for."""
        return self.d / (statement.factor * math.sqrt(self.error) * self.epsilon * math.sqrt(self.m))


def spends_delta(n: int, d: float, m: float, epsilon: float, delta: float, psi: float) -> Case | None:
    """The mechanism that shows ⌊δn⌋ users; None where it may show nobody."""
    if hard_instances.shown_users(n, delta) < 1:
        return None
    error = hard_instances.name_and_shame_error(n, m, int(d), 1.0, delta)
    return Case(n, d, m, epsilon, delta, psi, error)


def adds_noise(n: int, d: float, m: float, epsilon: float, delta: float, psi: float) -> Case:
    """Clipped user means with Gaussian noise, its error bounded below: sampling error and noise for the box
    only.

    User means differ from χ by √(d/m); to clip at less would cost more. The sensitivity of the average is
    at least 2√(d/m)·(1/n), and the noise in d coordinates at least d·(2√(d/m)/(n·μ*))². A bound of the
    error from below makes the lower bound easier to break, never harder.
    """
    mu = float(mu_star(epsilon, delta))
    error = d / (n * m) + d * (2.0 * math.sqrt(d / m) / (n * mu)) ** 2
    return Case(n, d, m, epsilon, delta, psi, error)


USERS, DIMENSION, EPSILON = 1000, 10**7, 0.1


def printed(statement: Statement, cell: Point) -> Iterator[Evidence]:
    """Showing k of 1000 users, k the least number above `cap`, at d = 10⁷ and ε = 0.1; then a grid."""
    k, m = int(statement.cap) + 1, cell.m
    delta, psi = k / USERS, math.sqrt((statement.cap + 0.1) / k)
    case = spends_delta(USERS, DIMENSION, m, EPSILON, delta, psi)
    assert case is not None
    allowed = hard_instances.admitted_delta(psi, USERS, DIMENSION)
    limit = DIMENSION * psi**2 / (statement.cap * m)
    point = {"n": USERS, "d": DIMENSION, "m": m, "psi": psi, "delta": delta, "epsilon": EPSILON}
    yield reported("δ of the mechanism", delta, claimed=allowed, point=point)
    yield reported("its error α² against dσ²ψ²/c", case.error, claimed=limit, point=point)
    asked = "n against what the statement asks for"
    if case.admitted(statement, allowed):
        note = f"the mean of {k} of {USERS} users at random, no noise: (0, {delta:g})-DP"
        yield at_least(asked, USERS, case.least_users(statement), point=point, note=note)
    else:
        yield undecided("the mechanism is not admitted", case.error, "it breaks a hypothesis", point=point)
    worst, at = 1.0, {}
    for epsilon in (1.0, 0.1, 0.01):
        for size in (20, 200, 2000, 20_000):
            for log10_d in np.arange(2.0, 14.1, 0.5):
                dim = round(10.0 ** float(log10_d))
                for k in (7, 13, 20, 100):
                    psi = math.sqrt((statement.cap + 0.1) / k)
                    if k > size / 2 or psi >= 1.0:
                        continue
                    other = spends_delta(size, dim, m, epsilon, k / size, psi)
                    if other is None or not other.admitted(
                        statement, hard_instances.admitted_delta(psi, size, dim)
                    ):
                        continue
                    ratio = size / other.least_users(statement)
                    if ratio < worst:
                        worst, at = ratio, {"n": size, "d": dim, "epsilon": epsilon, "delta": k / size}
    yield reported("least n over what the statement asks for, on a grid", worst, point=at)


def corrected(statement: Statement, point: Point) -> Iterator[Evidence]:
    """The numbers of the proof, and every mechanism at the largest corrected δ for all ψ that it can use."""
    n, d, m, epsilon = point.n, point.d, point.m, point.epsilon
    share = 1.0 / 6.0 - math.sinh(1.0) / 24.0
    admitted = broken = 0
    proof = slack = 0.0
    for psi in np.concatenate((np.geomspace(1e-3, 0.999, 16), [1.0 / 40.0, 1.0 / 35.0])):
        delta = hard_instances.corrected_delta(float(psi), n, d)
        if delta <= 0.0:
            continue
        spend = (
            4.0
            * n
            * psi
            * math.sqrt(d)
            * delta
            * (math.sqrt(d) + math.sqrt(2.0 * math.log(1.0 / delta)) + 1.0)
        )
        proof = max(proof, spend / d)
        if delta < 0.5:  # 4nψ√d·δ(…)/d is 4/34 where the condition is met with equality
            slack = max(slack, abs(spend / d * 34.0 / 4.0 - 1.0))
        cases = [
            spends_delta(n, d, m, epsilon, delta, float(psi)),
            adds_noise(n, d, m, epsilon, delta, float(psi)),
        ]
        for case in cases:
            if case is not None and case.admitted(statement, delta):
                admitted += 1
                broken += n < case.least_users(statement)
    yield at_most("n·4ψ√d·δ(√d + √(2 ln(1/δ)) + 1)/d against 1/6 − sinh(1)/24", proof, share)
    yield equals(
        "δ of the Gaussian mechanism over the δ that it is made for", gaussian_delta(n, d, m, epsilon), 1.0
    )
    yield at_most("relative slack of the largest corrected δ", slack, 1e-9)
    yield at_most("sinh(ε)/ε against sinh(1)", math.sinh(epsilon) / epsilon, math.sinh(1.0))
    yield at_most("the mean of ‖N‖ on the top δ, against δ(√d + √(2 ln(1/δ)) + 1)", top_share(d), 1.0)
    yield from of_the_text()
    note = f"{admitted} of the mechanisms tried satisfy the hypotheses"
    yield at_most("mechanisms that break the corrected statement", broken, 0, decides=False, note=note)


def gaussian_delta(n: int, d: int, m: float, epsilon: float) -> float:
    """The exact δ at ε of the noise in `adds_noise`, over the 10⁻³ for which it is made."""
    from scipy.special import ndtr

    noise = adds_noise(n, d, m, epsilon, 1e-3, 0.5).error - d / (n * m)
    mu = 2.0 * math.sqrt(d / m) / n / math.sqrt(noise / d)
    return float(ndtr(-epsilon / mu + mu / 2.0) - math.exp(epsilon) * ndtr(-epsilon / mu - mu / 2.0)) / 1e-3


def of_the_text() -> Iterator[Evidence]:
    """The admitted δ of Theorem D.4, cut at 1/2, and ⌊δn⌋, against their formulas."""
    worst = 0.0
    for psi in (0.05, 0.9):
        for n in (3, 50, 10**6):
            for d in (1.0, 100.0, 1e6, 1e12):
                ratio = 100.0 * psi * n / math.sqrt(d)
                delta = 0.5 if ratio <= 1.0 else min(0.5, 1.0 / (ratio * math.sqrt(math.log(ratio))))
                worst = max(worst, abs(hard_instances.admitted_delta(psi, n, d) / delta - 1.0))
    yield at_most("relative distance of the admitted δ to its formula", worst, 1e-12)
    cases = [(14, 0.5), (14, 0.49), (10, 0.3), (1000, 0.0019), (7, 1.0 / 7.0), (49, 1.0 / 49.0)]
    wrong = sum(
        hard_instances.shown_users(n, delta) != math.floor(Fraction(delta).limit_denominator(10**6) * n)
        for n, delta in cases
    )
    yield at_most("cases in which the users shown are not ⌊δn⌋", wrong, 0)


def top_share(d: int) -> float:
    """The largest E[‖N‖; top δ]/(δ(√d + √(2 ln(1/δ)) + 1)) over δ ≤ 1/2, N standard normal in ℝᵈ: exact chi
    laws.

    E[‖N‖; ‖N‖ > q] = √2·Γ((d + 1)/2)/Γ(d/2)·P(χ_{d+1} > q).
    """
    from scipy.special import gammaln
    from scipy.stats import chi

    mean = math.sqrt(2.0) * math.exp(float(gammaln((d + 1) / 2.0) - gammaln(d / 2.0)))
    worst = 0.0
    for delta in np.geomspace(1e-250, 0.5, 25):
        q = float(chi.isf(delta, d))
        top = mean * float(chi.sf(q, d + 1))
        worst = max(worst, top / (delta * (math.sqrt(d) + math.sqrt(2.0 * math.log(1.0 / delta)) + 1.0)))
    return worst


def mechanism(point: Point) -> Iterator[Evidence]:
    """The mean of k = n/2 users at random: each user is shown with probability k/n, and the error is
    dσ²/(km).
    """
    n, m, rng, alpha = point.n, point.m, point.rng, point.split(3)
    size, d, sigma = 40_000, 3, 1.5
    k = hard_instances.shown_users(n, 0.5)
    yield at_most("users shown, k", k, 0.5 * n)
    for share, user in zip(alpha, (0, n - 1), strict=False):
        data = np.zeros((n, 1))
        data[user] = 1.0
        shown = hard_instances.name_and_shame(data, 0.5, size, rng)[:, 0] > 0.0
        yield mean_equals(
            f"share of the runs that show user {user}", shown.astype(float), k / n, alpha=share,
            method="clopper-pearson", support=(0.0, 1.0),
        )  # fmt: skip
    error = hard_instances.name_and_shame_error(n, m, d, sigma, 0.5)
    yield equals("error of the implementation over dσ²/(km)", error * k * m / (d * sigma**2), 1.0)
    runs: list[float] = []
    for _ in range(4000):
        means = sigma / math.sqrt(m) * rng.standard_normal((n, d))
        runs.append(float((hard_instances.name_and_shame(means, 0.5, 1, rng) ** 2).sum() / error))
    yield mean_equals("squared error of runs over dσ²/(km)", runs, 1.0, alpha=alpha[2])
