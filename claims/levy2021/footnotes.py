r"""Footnotes 2 and 3, and the two forms of the condition of Theorem 4.

Theorem 4 asks for n = Ω(min{∛(d²mH²R²/(GḠε⁴)), HR√m/(σε)}) "or, equivalently, H = O(√(n²σ²ε²/(R²m) +
GḠn³ε⁴/(d²R²m)))". A minimum of two powers of H is at most n where one of them is: H² is at most the larger
of n²σ²ε²/(R²m) and GḠn³ε⁴/(d²mR²), and the larger of two numbers is between a half of their sum and the sum.
So the two are equivalent up to a factor √2 in H (`theorem-4-condition`).

Footnote 2 says that O(n^{3/2})-smooth losses suffice "keeping all other problem parameters fixed", and n >
poly(d, m, 1/ε) for losses that are not smooth. The condition has H up to √(GḠ)·n^{3/2}ε²/(dR√m). The Moreau
envelope of a G-Lipschitz loss that is within Δ of it is H = G²/(2Δ)-smooth; with Δ the statistical rate
R√(GḠ/(mn)) this is H = G²√(mn)/(2R√(GḠ)), which the condition allows from n = dmG/(2Ḡε²) on: a polynomial,
as stated. But the gradients of the envelope need not be sub-Gaussian with the same σ (`footnote-2`): ∇e(θ) =
θ − prox_h(θ − z), and a prox, being any 1-Lipschitz gradient of a convex function, can turn the length of z,
of which d coordinates tell, into one coordinate. **What survives.** Smoothing by convolution, which averages
gradients of the loss itself.

Footnote 3 says that the guarantees extend to users with different numbers of samples, with m replaced by
their median. A median is a function of the users: if it sets the radius τ ∝ 1/√m, it is a release. Of three
users with 1, 1 and 10⁶ samples, one of the first is replaced by one with 10⁶: the median goes from 1 to 10⁶,
and the scale of Laplace noise ∝ 1/√m by 10³: at ε = 1 the exact δ is above 0.98 (`footnote-3`). With a
public m, users of fewer samples left out and those of more cut to m, the guarantee is kept; [46], which the
footnote cites, is not at hand.

How it is checked. In rational arithmetic on perfect squares and cubes; the hockey-stick of two Laplace laws
in closed form.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from statistics import median

import numpy as np

from audits.judge import at_least, at_most, equals
from claims import CONFIRMED, REFUTED, Claim, Evidence, Finding, Kind, Point, Weight, grid
from claims.levy2021 import PAPER

F = Fraction


def asked(
    h_square: Fraction, m: int, d: int, epsilon: Fraction, g: Fraction, least: Fraction
) -> tuple[Fraction, Fraction]:
    """The cube of ∛(d²mH²R²/(GḠε⁴)) and the square of HR√m/(σε), which n³ and n² must reach."""
    return F(d) ** 2 * m * h_square / (g * least * epsilon**4), h_square * m / epsilon**2


def check_condition(point: Point) -> Iterator[Evidence]:
    """Both forms at the edge: n fulfils the condition exactly where H² is at most the larger of the two."""
    epsilon, g = F(point.epsilon), F(point.G)
    least = min(g, F(point.d))  # min{G, σ√d} with d the square of √d, so that it is rational
    # (n²σ²ε²/(R²m), GḠn³ε⁴/(d²mR²)), σ = R = 1: what H² may be by either branch of the minimum
    n2, n3 = F(point.n**2), F(point.n**3)
    squares = n2 * epsilon**2 / point.m, g * least * n3 * epsilon**4 / (F(point.d) ** 4 * point.m)
    edge = max(squares)
    for share, holds in ((F(99, 100), True), (F(1), True), (F(101, 100), False)):
        cube, square = asked(share * edge, point.m, point.d**2, epsilon, g, least)
        found = F(point.n) ** 3 >= cube or F(point.n) ** 2 >= square
        yield equals(f"n is enough for H² = {share}·edge", found, holds)
    ratio = edge / sum(squares)
    yield at_least("edge over the sum under the printed root", ratio, F(1, 2))
    yield at_most("edge over the sum under the printed root, most", ratio, F(1))
    # footnote 2: the square of H = G²√(mn)/(2√(GḠ)) against the second branch, at n = dmG/(2Ḡε²)
    n = F(point.d**2) * point.m * g / (2 * least * epsilon**2)
    smooth = g**4 * point.m * n / (4 * g * least)
    allowed = g * least * n**3 * epsilon**4 / (F(point.d) ** 4 * point.m)
    yield equals("H² of the envelope over what is allowed, at n = dmG/(2Ḡε²)", smooth / allowed, F(1))


def scale_divergence(ratio: float, epsilon: float) -> float:
    """δ at ε of Laplace noise of scale 1 against scale `ratio` > 1 at the same place: the event |x| ≤ t."""
    t = max(0.0, (math.log(ratio) - epsilon) / (1.0 - 1.0 / ratio))
    return -math.expm1(-t) + math.exp(epsilon) * math.expm1(-t / ratio)


def check_median(point: Point) -> Iterator[Evidence]:
    """Noise ∝ 1/√median on two neighbouring lists of numbers of samples."""
    sizes = [1] * (point.n // 2 + 1) + [point.most] * (point.n // 2)
    other = [point.most, *sizes[1:]]
    medians = float(median(sizes)), float(median(other))
    found = scale_divergence(math.sqrt(medians[1] / medians[0]), point.epsilon)
    note = (
        f"{point.n} users; the median goes from {medians[0]:g} to {medians[1]:g} when one of them is replaced"
    )
    yield at_least("exact δ at ε of the noise alone", found, point.delta, note=note)


def envelope_variance(d: int) -> float:
    """Var of w = 0.1y₁ + 0.15(y₁ + |y|)²/|y|, y ~ N(0, I), where a coin says so and 0 else; by quadrature."""
    from numpy.polynomial.hermite_e import hermegauss
    from scipy.stats import chi2

    nodes, weights = hermegauss(60)
    rest = chi2.ppf((np.arange(400) + 0.5) / 400, d - 1)  # |y|² − y₁²
    length = np.sqrt(nodes[:, None] ** 2 + rest)
    w = 0.1 * nodes[:, None] + 0.15 * (nodes[:, None] + length) ** 2 / length
    first, second = (float(weights @ (w**k).mean(axis=1)) / math.sqrt(2.0 * math.pi) for k in (1, 2))
    return 0.5 * second - 0.25 * first**2


def check_envelope(point: Point) -> Iterator[Evidence]:
    variance = envelope_variance(point.d)
    note = f"d = {point.d}: standard deviation {math.sqrt(variance):.3g}σ"
    yield at_most("variance of the first coordinate over σ²", variance, 1.0, note=note)


CLAIM = Claim(
    PAPER,
    "Footnotes 2 and 3",
    "section 5, Theorem 4, and footnote 2",
    name="theorem-4-condition",
    kind=Kind.IDENTITY,
    title="The two forms of the condition on n and H, and smoothed losses",
    statement=r"$n\ge\min\{\sqrt[3]{d^2mH^2R^2/(G\bar G\varepsilon^4)},HR\sqrt m/(\sigma\varepsilon)\}$ if "
    r"and only if $H^2$ is at most the larger of $n^2\sigma^2\varepsilon^2/(R^2m)$ and $G\bar "
    r"Gn^3\varepsilon^4/(d^2R^2m)$; and a Moreau envelope within the statistical rate fulfils it from "
    r"$n=dmG/(2\bar G\varepsilon^2)$ on.",
    expected=CONFIRMED,
    summary="equivalent up to √2; polynomial, as footnote 2 says",
    check=check_condition,
    smoke=grid(n=(10, 1000), m=(1, 40), d=(1, 3), epsilon=("1", "1/10"), G=("1", "20")),
    ci=grid(n=(10, 1000, 10**6), m=(1, 40), d=(1, 3, 30), epsilon=("1", "1/10"), G=("1/10", "1", "20")),
)
MEDIAN = Claim(
    PAPER,
    "Footnotes 2 and 3",
    "section 2, footnote 3",
    name="footnote-3",
    kind=Kind.PRIVACY,
    title="The median of the numbers of samples is a function of the users",
    statement=r"Where users have $m_1,\dots,m_n$ samples, one replaced user can move the median from $1$ to "
    r"any $M$; noise of a scale $\propto1/\sqrt{\mathrm{median}}$ then has at $\varepsilon$ a $\delta$ near "
    r"$1$. The $m$ that stands for the median in footnote 3 must be public, or released privately.",
    expected=CONFIRMED,
    summary="a remark for those who implement the footnote: m must be public",
    check=check_median,
    smoke=grid(n=3, most=10**6, epsilon=1.0, delta=0.9),
    ci=grid(n=(3, 101), most=(10**4, 10**6), epsilon=(0.1, 1.0), delta=0.8),
)
ENVELOPE = Claim(
    PAPER,
    "Footnotes 2 and 3",
    "section 1.1, footnote 2",
    name="footnote-2",
    kind=Kind.BOUND,
    title="Claimed: Moreau envelopes have sub-Gaussian gradients with the same σ",
    statement=r"Where the gradients of convex losses are $\sigma^2$-sub-Gaussian (A4), so are those of "
    r"their Moreau envelopes: each coordinate has a variance of at most $\sigma^2$, in every dimension.",
    expected=REFUTED,
    finding=Finding(
        Weight.RANGE,
        what="Footnote 2 removes smoothness by the Moreau envelope, and A4 is not inherited with the same "
        "σ. Let ℓ_z = h + ⟨z, ·⟩ with prox_h = ∇(½·0.1|y|² + ½·0.15(y₁ + |y|)²), a gradient that is "
        "1-Lipschitz, and z = 0 or N(0, σ²I), with probability ½ each. The gradients of ℓ_z are "
        "σ²-sub-Gaussian; that of the envelope at 0 is −prox_h(−z), whose first coordinate has the standard "
        "deviation 0.81σ, 2.4σ and 7.5σ at d = 100, 1,000 and 10,000",
        favour="With smoothing by convolution, which averages the gradients of the loss itself, A4 is "
        "inherited: the footnote names the envelope as an example",
        survives="the footnote with smoothing by convolution in the place of the envelope",
    ),
    check=check_envelope,
    smoke=grid(d=(100, 10_000)),
    ci=grid(d=(100, 1_000, 10_000)),
)
CLAIMS = [MEDIAN, ENVELOPE]
