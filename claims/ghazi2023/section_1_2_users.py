r"""Section 1.2, how many users are needed: "n ≥ Ω̃_ε(log(1/α))" for risk α, and the abstract: "no
dependence on the dimension and only a logarithmic dependence on the desired excess error"; the risk
"does not converge to zero if we fix n and let m → ∞" in earlier work; "no user-level DP algorithm was
known without a smoothness assumption".

Dimension. Theorem 4.1 asks for n of the order log(1/δ)·log(m)/ε, and its risk is at least √d/(n√m) in
units of RG: α needs m ≥ d/(αn)², so that log m contains log d. The least n with 4κ + 2 ≤ n for the
budget of one phase grows from 954 at d = 1 to 3,634 at d = 10¹⁰ and 37,286 at d = 10¹⁰⁰ (α = 0.01, (1,
10⁻⁶)). With ⌈log₄(n√m/√d)⌉ phases, which are enough (`theorem-4.1:repaired`), the dimension is gone
(`:corrected`): their number is ⌈log₄(1/α)⌉ at that m.

Fixed n. For fixed n the condition n ≥ Ω̃(log(1/δ)log(m)/ε) holds up to a largest m only, so that the
bounds of Theorems 4.1 and 5.1 stop at a positive risk, as those of earlier work do: at n = 24,000 and
(1, 0.1) at m = 10¹⁰⁰. Phases whose number does not depend on m repair it (`:fixed-phases`): regularisers
λ·q^i with q = (n√m/√d)^{1/T} for a fixed T. The noise of the last phase is what it has to be, and the
sum Σ λᵢ₊₁·dσᵢ² gets a factor q/4, that is (n√m/√d)^{1/T}: the risk is at most of the order
(√d/(n√m))^{1−1/T}, which tends to 0.

Smoothness. Each user is one record with the loss that is the mean of hers, so every item-level algorithm
for non-smooth losses is user-level private; it ignores m. With regularised minimisers of the sensitivity
4G/(λᵢn), in as many phases ⌈log n⌉ with a share of the budget each, the bound is K₀·RG√d/n, K₀ =
4/μ*(ε/T, δ/T), which at n = 10⁶ and (1, 10⁻⁶) is smaller than the bound of Theorem 4.1 up to m of the
order 10¹³.

What survives. Of the first two sentences, what their readings say; of the third, that no algorithm
without smoothness was known whose risk falls with m.

How it is checked. The least n and the largest m from the κ of the program, by bisection; K from the
printed formulas; `:fixed-phases`: the three terms of the proof of Theorem 4.1 with these regularisers, m
up to 10³⁰⁰.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator
from functools import partial

from audits.judge import at_least, at_most, reported
from claims import CONFIRMED, REFUTED, Claim, Evidence, Finding, Kind, Point, Weight, grid
from claims.ghazi2023 import PAPER
from claims.ghazi2023 import _rates as rates
from claims.ghazi2023.theorem_4_1 import last_log10_m
from implementations.ghazi2023 import del_output_pert, phased_erm
from implementations.privacy import mu_star


def needed(phases: int, epsilon: float, delta: float) -> int:
    """4κ + 2 for the budget of one of so many phases."""
    return 4 * del_output_pert.parameters(epsilon / phases, delta / phases, 1.0).kappa + 2


def least_users(alpha: float, log10_d: float, epsilon: float, delta: float, fewer: bool) -> int:
    """The least n that is enough for all phases at the least m ≥ 1 with √d/(n√m) ≤ α, by bisection."""

    def enough(n: int) -> bool:
        log_m = max(0.0, log10_d * math.log(10.0) - 2.0 * math.log(alpha * n))
        if fewer:
            phases = phased_erm.fewer_phases(n, math.exp(log_m), 1 if log10_d == 0.0 else 10.0**log10_d)
        else:
            phases = math.ceil(math.log(n) + log_m)
        return n >= needed(max(1, phases), epsilon, delta)

    return bisect_left(range(10**8), True, lo=2, key=enough)


def check_dimension(fewer: bool, point: Point) -> Iterator[Evidence]:
    budget = (point.epsilon, point.delta, fewer)
    first = least_users(point.alpha_risk, 0.0, *budget)
    found = least_users(point.alpha_risk, point.log10_d, *budget)
    yield reported("least n at d = 1", first)
    yield at_most("least n over that at d = 1", found / first, 1.0, point=point.axes)


def check_fixed(point: Point) -> Iterator[Evidence]:
    largest = last_log10_m(point.n, point.epsilon)
    yield at_least("log10 of the largest m that n users allow", largest, 1000.0, point=point.axes)


def bound(n: float, log_root: float, phases: int) -> float:
    """log of λR² + G√dσ_T + Σ λᵢ₊₁dσᵢ² in units of RG, λᵢ = λqⁱ, λ = e^{−L}, L = log(n√m/√d), q =
    e^{L/T}, K = 1."""
    step = log_root / phases
    terms = [-log_root, -step * phases] + [
        step * (i + 1) - 2.0 * step * i - log_root for i in range(1, phases)
    ]
    largest = max(terms)
    return largest + math.log(sum(math.exp(t - largest) for t in terms))


def check_fixed_phases(point: Point) -> Iterator[Evidence]:
    phases, n, epsilon, delta = point.phases, point.n, point.epsilon, point.delta
    yield at_least(
        "n over 4κ + 2 of one of T phases", n / needed(phases, epsilon, delta), 1.0, point=point.axes
    )
    log_root = math.log(n) + 0.5 * point.log10_m * math.log(10.0)
    claimed = math.log(phases + 1) - (1.0 - 1.0 / phases) * log_root
    yield at_most(
        "log of the bound, K = 1", bound(n, log_root, phases), claimed, error=1e-9, point=point.axes
    )


def check_smoothness(point: Point) -> Iterator[Evidence]:
    """The bound that ignores m over that of Theorem 4.1, in units of RG√d/n."""
    n, epsilon, delta = round(point.n), point.epsilon, point.delta
    m = 10.0**point.log10_m
    item_phases, phases = math.ceil(math.log(n)), math.ceil(math.log(n * m))
    ignoring = 4.0 / float(mu_star(epsilon / item_phases, delta / item_phases))
    printed = rates.noise_factor(n, m, phases, epsilon, delta, 1.0 / (n * m)) / math.sqrt(m)
    yield reported("K₀, ignoring m", ignoring)
    yield at_least(
        "bound that ignores m over the bound of Theorem 4.1", ignoring / printed, 1.0, point=point.axes
    )


CLAIM = Claim(
    PAPER,
    "Section 1.2",
    "abstract, section 1.2",
    name="section-1.2-dimension",
    kind=Kind.BOUND,
    title="Claimed: the number of users does not depend on the dimension",
    statement=r"The number of users that Theorem 4.1 needs for excess risk $\alpha$ is "
    r"$\tilde O_\varepsilon(\log(1/\alpha))$ and has no dependence on the dimension.",
    expected=REFUTED,
    finding=Finding(
        Weight.LOGARITHM,
        what="Risk α needs m ≥ d/(αn)², and n is of the order log(m)·log(1/δ)/ε: log m contains log d. "
        "For α = 0.01 at (1, 10⁻⁶) the least n with 4κ + 2 ≤ n for each phase of Algorithm 3 is "
        "954 at d = 1, 3,634 at d = 10¹⁰ and 37,286 at d = 10¹⁰⁰.",
        favour="For given m, and up to logarithms of d, the sentence is right, and earlier work needs "
        "√d: nothing is said against the comparison.",
        survives="n of the order log(d/α)·log(1/δ)/ε; and the sentence itself, with ⌈log₄(n√m/√d)⌉ "
        "phases (`:corrected`).",
    ),
    check=partial(check_dimension, False),
    smoke=grid(alpha_risk=0.01, log10_d=10.0, epsilon=1.0, delta=1e-6),
    ci=grid(alpha_risk=0.01, log10_d=(10.0, 100.0), epsilon=(0.1, 1.0), delta=1e-6),
)
FEWER = CLAIM.reading(
    "corrected",
    title="With fewer phases the number of users does not depend on the dimension",
    statement=r"With $\lceil\log_4(n\sqrt m/\sqrt d)\rceil$ phases in Algorithm 3 the least $n$ with "
    r"$4\kappa+2\le n$ for each phase, at the least $m$ that excess risk $\alpha$ needs, is no "
    r"larger in any dimension than at $d=1$.",
    expected=CONFIRMED,
    summary="no dependence on the dimension, with ⌈log₄(n√m/√d)⌉ phases",
    check=partial(check_dimension, True),
)
FIXED_N = Claim(
    PAPER,
    "Section 1.2",
    "section 1.2",
    name="section-1.2-fixed-n",
    kind=Kind.BOUND,
    title="Claimed: the risk tends to 0 as m grows at a fixed number of users",
    statement=r"For a fixed number of users $n\ge\tilde\Omega_\varepsilon(1)$ the excess risk of Theorem "
    r"4.1 tends to 0 as $m\to\infty$; computed as: up to $m=10^{1000}$.",
    expected=REFUTED,
    finding=Finding(
        Weight.LOGARITHM,
        what="Theorems 4.1 and 5.1 ask for n ≥ Ω̃(log(1/δ)log(m)/ε), so that at fixed n their bounds end "
        "at a largest m, and with it at a positive risk: at n = 24,000 and (1, 0.1) near m = 10¹⁰⁰, "
        "where T = ⌈log(nm)⌉ phases no longer leave 4κ + 2 ≤ n.",
        favour="m = 10¹³⁷ is out of reach, and earlier bounds stop at a much larger risk. With a number "
        "of phases that does not depend on m the risk does tend to 0 (`:fixed-phases`).",
        survives="The statement for m up to e^{cnε/log(1/δ)}; for all m with regularisers that grow by "
        "(n√m/√d)^{1/T} in a fixed number T of phases, at the rate (√d/(n√m))^{1−1/T}.",
    ),
    check=check_fixed,
    smoke=grid(n=24_000, epsilon=1.0),
    ci=grid(n=(24_000, 100_000), epsilon=1.0),
)
FIXED_PHASES = FIXED_N.reading(
    "fixed-phases",
    title="A fixed number of phases: the risk tends to 0 as m grows",
    statement=r"With $T$ phases, $\lambda_i=\lambda q^i$, $q=(n\sqrt m/\sqrt d)^{1/T}$, "
    r"$\lambda=G\sqrt d/(Rn\sqrt m)$, the bound of the proof of Theorem 4.1 is at most "
    r"$K^2(T+1)\,RG\,(\sqrt d/(n\sqrt m))^{1-1/T}$ for every $m$, with the $K$ of one phase.",
    expected=CONFIRMED,
    summary="a number of phases that does not depend on m",
    check=check_fixed_phases,
    smoke=grid(n=24_000, epsilon=1.0, delta=0.1, phases=(2, 5), log10_m=(10, 300)),
    ci=grid(n=24_000, epsilon=1.0, delta=0.1, phases=(2, 5, 10), log10_m=(0, 10, 100, 300)),
)
SMOOTHNESS = Claim(
    PAPER,
    "Section 1.2",
    "section 1.2",
    name="section-1.2-smoothness",
    kind=Kind.BOUND,
    title="Claimed: no user-level private algorithm was known without smoothness",
    statement=r"No user-level private algorithm without a smoothness assumption precedes the paper; computed "
    r"as: the bound of Theorem 4.1 is below that of an item-level algorithm on the users' mean losses.",
    expected=REFUTED,
    finding=Finding(
        Weight.CORNER,
        what="Each user is one record whose loss is the mean of hers, so that every item-level algorithm "
        "for non-smooth losses (Bassily et al. 2014) is a user-level one. It ignores m, and at n = "
        "10⁶ and (1, 10⁻⁶) its bound is below that of Theorem 4.1 until m = 4·10¹³.",
        favour="What is meant is an algorithm whose risk falls with m; none was known.",
        survives='That sentence, with "whose risk falls with m".',
    ),
    check=check_smoothness,
    smoke=grid(n=1e6, log10_m=12.0, epsilon=1.0, delta=1e-6),
    ci=grid(n=1e6, log10_m=(0.0, 12.0, 15.0), epsilon=1.0, delta=1e-6),
)
CLAIMS = [FEWER, FIXED_N, FIXED_PHASES, SMOOTHNESS]
