r"""Theorem 3.3, noise: σ = O(Δ·log(1/δ)^{1.5}/ε²) and r = O(log(1/δ)/ε), with explicit constants 543 and 35.

Write ℓ = ln(1/δ) ≥ ln 2, L = ln(1/δ̄) = ℓ + ln(e^{ε/2} + 2) ≤ ℓ(1 + ln(√e + 2)/ln 2) ≤ 2.868ℓ for ε ≤ 1. Then
κ ≤ 2 + 2L/ε, so κε ≤ 2 + 5.736ℓ ≤ 8.622ℓ; ln(2/δ̄) = L + ln 2 ≤ 3.868ℓ; and
σ = 32·κ·√ln(2/δ̄)·Δ/ε ≤ 32·8.622·√3.868·Δℓ^{1.5}/ε² ≤ 543·Δℓ^{1.5}/ε². r = 4κ ≤ 34.5·ℓ/ε. As δ → 0 the
constant falls to 64. The text hides it; it decides from which n the rates of sections 4 and 5 mean anything.

How it is checked. σ and κ of the implementation against line 3 of Algorithm 1 and against these bounds,
exactly, on a fine grid of (ε, δ) with the corners of the range; the largest ratio is reported.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from claims import CONFIRMED, Claim, Evidence, Kind, Point, at_most, equals, grid, reported
from claims.ghazi2023 import PAPER
from implementations.ghazi2023 import del_output_pert

CONSTANT, REACH = 543.0, 34.5


def check(point: Point) -> Iterator[Evidence]:
    noise, reach, printed = [], [], []
    for epsilon in np.geomspace(1e-3, 1.0, point.steps):
        for log_delta in np.geomspace(math.log(2.0), 700.0, point.steps):
            epsilon, delta = float(epsilon), min(0.5, math.exp(-float(log_delta)))
            p = del_output_pert.parameters(epsilon, delta, 2.5)
            level = math.log(1.0 / delta)
            noise.append(p.sigma * epsilon**2 / (2.5 * level**1.5))
            reach.append(4 * p.kappa * epsilon / level)
            delta_bar = delta / (math.exp(epsilon / 2) + 2)
            kappa = 1 + math.ceil(math.log(1 / delta_bar) / (epsilon / 2))
            sigma = 2 * math.sqrt(math.log(2 / delta_bar)) * 8 * kappa * 2.5 / (epsilon / 2)
            printed.append(p.sigma / sigma)
    yield at_most("σ·ε²/(Δ·log(1/δ)^1.5), the largest", max(noise), CONSTANT)
    yield at_most("4κ·ε/log(1/δ), the largest", max(reach), REACH)
    yield equals("σ over line 3, the largest", max(printed), 1.0)
    yield equals("σ over line 3, the least", min(printed), 1.0)
    yield reported("σ·ε²/(Δ·log(1/δ)^1.5), the least", min(noise))


CLAIM = Claim(
    PAPER,
    "Theorem 3.3",
    "section 3.1, Algorithm 1",
    name="theorem-3.3-noise",
    kind=Kind.BOUND,
    title="The noise of DelOutputPert, with its constant",
    statement=r"For $\varepsilon\in(0,1]$, $\delta\in(0,1/2]$: $\sigma\le543\,\Delta\log(1/\delta)^{1.5}/"
    r"\varepsilon^2$ and $r=4\kappa\le34.5\log(1/\delta)/\varepsilon$.",
    expected=CONFIRMED,
    check=check,
    smoke=grid(steps=30),
    ci=grid(steps=300),
)
