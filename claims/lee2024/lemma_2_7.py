r"""Lemma 2.7: Var_π f ≲ (G_k²/μ + 1)(k + μ‖x*‖²) for convex f with Assumption 2.1, π ∝ exp(−f − (μ/2)‖x‖²),
x* = argmin f.

It falls: no constant will do. Let f(x) = max(0, G·‖x₂‖ − a·x₁) with k = 1, x* = 0, G_1 = G = √μ and a² =
√μ·G·√(d)/2. Under π the norm of x₂ is near √(d/μ), so f is near G√(d/μ) − a·x₁ > 0 and x₁ is nearly
N(a/μ, 1/μ): Var f ≥ about a²/μ = √d/2, while the printed bound is 2 for every d. The proof leans on Lemma
2.6.

What survives (`:corrected`), with constants: let B = 2k + 2G_k·√(2d/μ + ‖x*‖²) + μ‖x*‖². Then

    Var_π f ≤ (1 + 2G_k²/μ)(4k + 2B) + 2G_k²/μ.

Proof. Integration by parts gives E⟨∇h, Q(x − x*)⟩ = k; convexity gives ⟨∇f(x), x − x*⟩ ≥ 0, so
E⟨∇₁f, x₁ − x₁*⟩ ≥ −G_k·E‖x₂ − x₂*‖, and 2⟨x₁, x₁ − x₁*⟩ = ‖x₁‖² + ‖x₁ − x₁*‖² − ‖x₁*‖² turns this into
μ·E‖x₁‖² ≤ 2k + 2G_k·E‖x₂ − x₂*‖ + μ‖x*‖²; the same with Q = I bounds E‖x₂ − x₂*‖² by 2d/μ + ‖x*‖². So
μ·E‖x₁‖² ≤ B. Given x₂, Lemma 2.5 as corrected bounds the variance by 4k + 2μ‖E[x₁|x₂]‖². The second term of
the variance decomposition is at most (1/μ)E‖∂₂g‖² with ‖∂₂g‖² ≤ 2G_k² + 2G_k²·Var(f|x₂), as in the paper.
The wedge above shows that the term G_k√(d/μ) has to be there.

How it is checked. By quadrature at k = 1 over wedges and cones; for ≲, the ratio of Var f to the printed
bound is followed up in d: a constant would have to be above it. The claimed constant of the printed form
is taken as 10, far above what the proof's steps give for the families that do satisfy it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from audits.judge import at_most, equals
from claims import CONFIRMED, REFUTED, Claim, Evidence, Finding, Kind, Plot, Point, Weight, grid
from claims.lee2024 import PAPER, _oracle

ALLOWED = 10.0
"""The constant that ≲ is given here; the ratio grows like √d/4, so any other falls as well, at a larger
d."""


NAMES = ("wedge", "wedge, a/2", "wedge, 2a", "wedge, √μ", "sum, √μ", "sum, a", "larger, a")
"""max(0, b·r − a·x₁), a·|x₁ − c| + b·r and max(a·|x₁ − c|, b·r), with a² = b·√(dμ)/2 or as it is named."""


def families(d: int, mu: float, across: float) -> list[_oracle.Family]:
    """Functions with G_1 = across."""
    steep = math.sqrt(0.5 * across * math.sqrt(d * mu))
    found = [_oracle.wedge(a, across) for a in (steep, 0.5 * steep, 2.0 * steep, math.sqrt(mu))]
    found += [_oracle.separable(a, across, 1.0 / math.sqrt(mu)) for a in (math.sqrt(mu), steep)]
    found.append(_oracle.larger(steep, across, 1.0 / math.sqrt(mu)))
    return [replace(f, name=name) for f, name in zip(found, NAMES, strict=True)]


def variances(point: Point) -> Iterator[tuple[_oracle.Family, float, float]]:
    """The function, Var f, and the numerical error."""
    for f in families(point.d, point.mu, point.ratio * math.sqrt(point.mu)):
        results = [
            _oracle.moments(f, _oracle.nodes(f, d=point.d, mu=point.mu, panels=panels))[1]
            for panels in (6, 10)
        ]
        yield f, results[1], abs(results[1] - results[0])


def check(point: Point) -> Iterator[Evidence]:
    for f, variance, error in variances(point):
        printed = (f.across**2 / point.mu + 1.0) * (1.0 + point.mu * f.minimiser**2)
        yield at_most(
            f"{f.name}: Var f over the printed bound", variance / printed, ALLOWED,
            error=error / printed, point=point.axes,
        )  # fmt: skip


def check_corrected(point: Point) -> Iterator[Evidence]:
    mu, d = point.mu, point.d
    for f, variance, error in variances(point):
        square, g = f.minimiser**2, f.across
        b = 2.0 + 2.0 * g * math.sqrt(2.0 * d / mu + square) + mu * square
        claimed = (1.0 + 2.0 * g**2 / mu) * (4.0 + 2.0 * b) + 2.0 * g**2 / mu
        yield at_most(f"Var f, f = {f.name}", variance, claimed, error=error, point=point.axes)
    yield equals(
        "Var f for b = 0 against that on the line", without_tail(d, mu), 1.0, error=1e-6, decides=False
    )
    yield equals("second term at d = 2, b = ½, μ = 1", second_term(0.5, 2, 1.0), half_line(), error=1e-9)


def second_term(across: float, d: int, mu: float) -> float:
    """Var over x₂ of E[f | x₂] for f = |x₁| + across·‖x₂‖."""
    f = _oracle.separable(1.0, across, 0.0)
    at = _oracle.nodes(f, d=d, mu=mu)
    return across**2 * (_oracle.mean(f, at, lambda x, r: r**2) - _oracle.mean(f, at, lambda x, r: r) ** 2)


def without_tail(d: int, mu: float) -> float:
    """Var f of f = |x₁| in d dimensions over that on the line, which must be 1."""
    flat = _oracle.separable(1.0, 0.0, 0.0)
    alone = _oracle.moments(flat, _oracle.nodes(flat, d=d, mu=mu))[1]
    return alone / _oracle.moments(flat, _oracle.nodes(flat, d=1, mu=mu))[1]


def half_line() -> float:
    """b²·Var R for b = ½ and R of density ∝ e^{−r²/2 − r/2}, r > 0: N(−½, 1) cut to the half-line."""
    from scipy.special import ndtr

    hazard = math.exp(-0.125) / math.sqrt(2.0 * math.pi) / float(ndtr(-0.5))
    return 0.25 * (1.0 - hazard * (hazard - 0.5))


CLAIM = Claim(
    PAPER,
    "Lemma 2.7",
    "section 2",
    kind=Kind.BOUND,
    title="Rank-dependent variance",
    statement=r"""For convex $f$ with Assumption 2.1,
$\pi\propto\exp(-f-\frac\mu2\|x\|^2)$ and $x^*=\arg\min f$:
$\operatorname{Var}_\pi f\lesssim(G_k^2/\mu+1)(k+\mu\|x^*\|^2)$, with one
constant for all $d$.""",
    uses=("lemma-2.5", "lemma-2.6"),
    expected=REFUTED,
    check=check,
    smoke=grid(d=(10, 10_000), mu=1.0, ratio=1.0),
    ci=grid(d=(2, 10, 100, 1000, 10_000, 100_000), mu=(0.1, 1.0), ratio=(0.1, 1.0)),
    plots=[
        Plot(
            kind="loglog", title="Variance over the printed bound", x="d", y="value", x_label="dimension d",
            y_label="Var f over the bound", series="quantity", claimed="claimed",
            select={"mu": 1.0, "ratio": 1.0},
        )
    ],
    finding=Finding(
        Weight.THEOREM,
        what=r"""For $f=\max(0,\|x_2\|-ax_1)$ with $a^2=\sqrt d/2$, $k=\mu=G_1=1$ and $x^*=0$ the variance is
about $\sqrt d/2$ and the printed bound 2 for every $d$: the ratio grows like $\sqrt d/4$, so no constant will
do. The proof uses Lemma 2.6.""",
        favour=r"""Where $G_k\le G/(n\varepsilon\sqrt d)$, as Theorem 2.2 asks, the term that is missing is at
most $1/\sqrt{\log(1/\delta)}$ for the private reading of $\mu$: there the lemma holds up to a constant, by
`:corrected`, and so it does for $G_k=0$.""",
        survives=r"""The bound with $\mu\|x^*\|^2+G_k\sqrt{d/\mu+\|x^*\|^2}$ in place of $\mu\|x^*\|^2$; the
new term has to be there. Lemma 2.8 holds as printed.""",
        follows_from="lee2024/lemma-2.6",
    ),
)  # fmt: skip
CORRECTED = CLAIM.reading(
    "corrected",
    statement=r"""With $B=2k+2G_k\sqrt{2d/\mu+\|x^*\|^2}+\mu\|x^*\|^2$:
$\operatorname{Var}_\pi f\le(1+2G_k^2/\mu)(4k+2B)+2G_k^2/\mu$.""",
    expected=CONFIRMED,
    check=check_corrected,
    plots=(),
    summary=r"A term $G_k\sqrt{d/\mu}$ is added, and it is needed.",
)
CLAIMS = [CORRECTED]
