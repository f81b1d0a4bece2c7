r"""Lemma 2.5: Var_π f ≤ 4d + (μ/2)‖x̄‖² for convex f, π ∝ exp(−f − (μ/2)‖x‖²), x̄ = E_π x.

It falls. For f(x) = ⟨a, x⟩ the law is N(−a/μ, I/μ), so Var f = ‖a‖²/μ = μ‖x̄‖², which exceeds 4d +
(μ/2)‖x̄‖² as soon as μ‖x̄‖² > 8d: a = 3, d = 1, μ = 1 gives 9 against 8.5. A minimum does not help:
a·max(0, c − x) with c far away is the same. In the proof Var ‖x‖² ≤ 2·Var‖x − x̄‖² + 8·E⟨x̄, x − x̄⟩² is
right, but 8d/μ² + 8‖x̄‖²/μ is then written as 4d/μ² + ‖x̄‖²/μ.

What survives (`:corrected`): Var_π f ≤ 4d + 2μ‖x̄‖². By Brascamp and Lieb, for V = f + (μ/2)‖x‖²,
Var((μ/2)‖x‖²) ≤ (1/μ)·E‖μx‖² = μ·E‖x‖² ≤ d + μ‖x̄‖²; by Lemma 2.4 Var V ≤ d; and
Var f ≤ 2·Var V + 2·Var((μ/2)‖x‖²). The coefficient of μ‖x̄‖² cannot be below 1, by the linear f.

How it is checked. Linear f in closed form, d from 1 to 1,000 and ‖a‖ over five decades; hinges, wedges
and cones by quadrature, where the numerical error is counted, and the wedge with the worst ratio by a search
over both of its slopes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from claims import CONFIRMED, REFUTED, Claim, Evidence, Finding, Kind, Point, Weight, at_most, grid
from claims.lee2024 import PAPER, _oracle

STRENGTHS = (0.01, 0.1, 1.0, 3.0, 10.0, 100.0)


def variances(d: int, mu: float) -> Iterator[tuple[str, float, float, float]]:
    """Name of f, Var f, ‖x̄‖² and the numerical error."""
    for a in STRENGTHS:
        yield f"⟨a, x⟩, ‖a‖ = {a:g}", a**2 / mu, (a / mu) ** 2, 0.0
    families = [_oracle.hinge(a, 20.0) for a in (3.0, 6.0)]
    families += [_oracle.wedge(a, b) for a, b in ((3.0, 1.0), (1.0, 5.0), (10.0, 3.0))]
    families += [_oracle.larger(a, 1.0, c) for a, c in ((1.0, 5.0), (5.0, 1.0))]
    for f in families:
        results = []
        for panels in (6, 10):
            at = _oracle.nodes(f, d=d, mu=mu, panels=panels)
            results.append((_oracle.moments(f, at)[1], _oracle.mean(f, at, lambda x, r: x) ** 2))
        (rough, _), (variance, square) = results
        yield f.name, variance, square, abs(variance - rough) + 1e-9 * variance


def claimed_variance(d: int, mu: float, square: float, coefficient: float) -> float:
    """4d + coefficient·μ‖x̄‖²."""
    return 4.0 * d + coefficient * mu * square


def bounded(coefficient: float) -> Callable[[Point], Iterator[Evidence]]:
    """Var f against 4d + coefficient·μ‖x̄‖²."""

    def check(point: Point) -> Iterator[Evidence]:
        for name, variance, square, error in variances(point.d, point.mu):
            claimed = claimed_variance(point.d, point.mu, square, coefficient)
            yield at_most(f"Var f, f = {name}", variance, claimed, error=error, point=point.axes)

        def ratio(f: _oracle.Family, panels: int) -> float:
            at = _oracle.nodes(f, d=point.d, mu=point.mu, panels=panels)
            square = _oracle.mean(f, at, lambda x, r: x) ** 2
            return _oracle.moments(f, at)[1] / claimed_variance(point.d, point.mu, square, coefficient)

        if point.d > 1:
            found, largest, error = _oracle.worst_wedge(ratio, mu=point.mu)
            yield at_most(
                "Var f over the bound, worst wedge found", largest, 1.0, error=error, point=point.axes,
                note=f"a = {found.along:.3g}, b = {found.across:.3g}", decides=coefficient > 1.0,
            )  # fmt: skip

    return check


CLAIM = Claim(
    PAPER,
    "Lemma 2.5",
    "section 2",
    kind=Kind.BOUND,
    title="Variance under a regularised law",
    statement=r"""For convex $f$ and $\pi\propto\exp(-f-\frac\mu2\|x\|^2)$ with mean $\bar x$:
$\operatorname{Var}_\pi f\le4d+\frac\mu2\|\bar x\|^2$.""",
    uses=("lemma-2.4",),
    expected=REFUTED,
    check=bounded(0.5),
    smoke=grid(d=(1, 10), mu=1.0),
    ci=grid(d=(1, 10, 1000), mu=(0.1, 1.0, 10.0)),
    finding=Finding(
        Weight.CONSTANT,
        what=r"""For $f(x)=\langle a,x\rangle$ with $\|a\|=3$ and $d=\mu=1$ the law is $N(-3,1)$:
$\operatorname{Var}f=9$, and the bound is $4+\frac12\cdot9=8.5$. The proof arrives at
$\operatorname{Var}\|x\|^2\le8d/\mu^2+8\|\bar x\|^2/\mu$ and goes on with $4d/\mu^2+\|\bar x\|^2/\mu$: a
factor 2 is lost in one term, 8 in the other.""",
        favour=r"""The lemma is only used under $\lesssim$ (Lemma 2.7), where constants do not matter; with a
constant it is confirmed (`:corrected`).""",
        survives=r"""$\operatorname{Var}_\pi f\le4d+2\mu\|\bar x\|^2$; the coefficient of $\mu\|\bar x\|^2$
cannot be below 1.""",
    ),
)
CORRECTED = CLAIM.reading(
    "corrected",
    statement=r"""For convex $f$ and $\pi\propto\exp(-f-\frac\mu2\|x\|^2)$ with mean $\bar x$:
$\operatorname{Var}_\pi f\le4d+2\mu\|\bar x\|^2$.""",
    expected=CONFIRMED,
    check=bounded(2.0),
    summary=r"The coefficient of $\mu\|\bar x\|^2$ becomes 2; below 1 it cannot be.",
)
CLAIMS = [CORRECTED]
