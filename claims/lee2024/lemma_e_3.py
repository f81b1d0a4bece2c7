r"""Lemma E.3: for X ∼ e^{−f} with f (1/η)-strongly convex and g G-Lipschitz,
Pr[g(X) − E g(X) ≥ t] ≤ exp(−t²/(2ηG²)) (Ledoux 2006).

In the text at hand, where superscripts inside exponents are lost in other places, the exponent reads
t²/(2ηG); the units ask for G², and the paper uses G = 1, where both agree.

How it is checked. In closed form for linear g and the Gaussian law, and by quadrature for laws with kinks
and for g = |x|, up to t where the probability is 1e-12."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from claims import CONFIRMED, Claim, Evidence, Kind, Point, at_most, grid
from claims.lee2024 import PAPER


def tails(eta: float, g: float) -> Iterator[tuple[str, float, float]]:
    """Name, t, Pr[g(X) − E g(X) ≥ t]."""
    from scipy.special import ndtr

    sd = math.sqrt(eta)
    multiples = (0.1, 0.5, 1.0, 2.0, 4.0, 6.0)
    for z in multiples:
        yield "linear g, Gaussian law", z * g * sd, float(ndtr(-z))
        if z < 4.0:
            # |X| has mean sd·√(2/π)
            t = z * g * sd
            yield "g = G|x|, Gaussian law", t, 2.0 * float(ndtr(-(math.sqrt(2.0 / math.pi) + z)))
    x = np.linspace(-14.0, 14.0, 400_001) * sd
    for kink in (0.5, 3.0):
        density = np.exp(-(x**2) / (2.0 * eta) - kink / sd * np.abs(x - sd))
        density /= density.sum()
        mean = float(density @ x)
        for z in (0.5, 1.0, 2.0, 3.0):
            for sign in (1.0, -1.0):
                inside = sign * (x - mean) >= z * sd
                yield f"linear g, kink {kink:g}", z * g * sd, float(density[inside].sum())


def concentration(t: float, eta: float, g: float) -> float:
    """exp(−t²/(2ηG²))."""
    return math.exp(-(t**2) / (2.0 * eta * g**2))


def check(point: Point) -> Iterator[Evidence]:
    eta, g = point.eta, point.lipschitz
    for name, t, probability in tails(eta, g):
        yield at_most(
            f"Pr[g(X) − E g(X) ≥ {t:.3g}], {name}", probability, concentration(t, eta, g),
            error=1e-4 * probability, point=point.axes,
        )  # fmt: skip


CLAIM = Claim(
    PAPER,
    "Lemma E.3",
    "appendix E.1",
    kind=Kind.BOUND,
    title="Gaussian concentration",
    statement=r"""For $X\sim e^{-f}$, $f$ $(1/\eta)$-strongly convex and $g$ $G$-Lipschitz:
$\Pr[g(X)-\mathbb Eg(X)\ge t]\le e^{-t^2/(2\eta G^2)}$.""",
    expected=CONFIRMED,
    check=check,
    smoke=grid(eta=1.0, lipschitz=(0.5, 3.0)),
    ci=grid(eta=(0.1, 1.0, 9.0), lipschitz=(0.5, 1.0, 3.0, 20.0)),
)
