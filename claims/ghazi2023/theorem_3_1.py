r"""Theorem 3.1: an (ε, δ)-DP algorithm outputs θ*(x^π) + N(0, σ²I) with probability at least 1 − β.

The theorem says that such an algorithm exists, with σ = O(G√(log n·log(1/δ)/ε + log(1/β))/(μn√m) ·
log(1/δ)^{1.5}/ε²). It is DelOutputPert (Algorithm 1) on θ*(·) with

    Δ = 10G√((4κ + 1)·ln n + ln(1/β))/(μn√m),   n ≥ 8κ + 2.

Theorem 3.6 for each of the at most n^{4κ+1} pairs of a set |S| ≤ 4κ and a further user, at failure
probability β/n^{4κ+1} < 1/e each, bounds every move by 5G√(…)/(μ(n − |S| − 1)√m), and n − 4κ − 1 ≥ n/2: so
Δ̄_{4κ} θ* ≤ Δ with probability at least 1 − β, and then Algorithm 1 returns θ* + noise
(theorem-3.3-utility), with its privacy (theorem-3.3-privacy). With 4κ + 1 ≤ 36·log(1/δ)/ε and σ ≤
543·Δ·log(1/δ)^{1.5}/ε² (section-6-runtime, theorem-3.3-noise) the hidden constant is at most 32,600, and n
≥ 72·log(1/δ)/ε is enough.

The Δ that line 3 of Algorithm 2 prints is smaller, and does not give this (algorithm-2-utility).

How it is checked. The number of pairs in integers, n − 4κ − 1 ≥ n/2, the Δ of the implementation against
the union, and the two hidden constants, at corners of the range of (ε, δ, n, β). `:permutations`: the share
of random permutations of fixed datasets with Δ̄_{4κ} θ* ≤ Δ (closed form in one dimension, no certificate;
the certificate of appendix C in two) by exact binomial bounds.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from audits.judge import at_most, equals, mean_at_least
from claims import CONFIRMED, CONSISTENT, Claim, Evidence, Kind, Point, Tier, grid
from claims.ghazi2023 import PAPER
from claims.ghazi2023.algorithm_1 import kappa_and_sigma
from implementations.ghazi2023 import sc_output_pert
from implementations.ghazi2023.deletion_sensitivity import mean_sensitivity

G, MU = 1.7, 0.3
NOISE, USERS = 32_600.0, 72.0
"""The constants that the theorem hides: of σ, and of the least n."""


def check(point: Point) -> Iterator[Evidence]:
    epsilon, delta = point.epsilon, point.delta
    kappa, level = kappa_and_sigma(epsilon, delta, 1.0)[0], math.log(1.0 / point.delta)
    least = 8 * kappa + 2
    yield at_most("(8κ + 2)·ε/log(1/δ), the C of n ≥ C·log(1/δ)/ε", least * epsilon / level, USERS)
    for n in (least, least + 1, 10 * least):
        subsets, chosen = 0, 1  # chosen: the subsets of s users
        for s in range(4 * kappa + 1):
            subsets, chosen = subsets + chosen * (n - s), chosen * (n - s) // (s + 1)
        yield at_most("log10 of the pairs of a set |S| ≤ 4κ and a user, over that of n^{4κ+1}",
                      math.log10(subsets) / ((4 * kappa + 1) * math.log10(n)), 1.0)  # fmt: skip
        yield at_most("5/(n − 4κ − 1) over 10/n", 0.5 * n / (n - 4 * kappa - 1), 1.0)
        for m, beta in ((1.0, 0.99), (1e6, 0.05), (3.0, 1e-12)):
            p = sc_output_pert.parameters(epsilon, delta, beta, G, MU, n, m, "corrected")
            union = 10.0 * G * math.sqrt((4 * kappa + 1) * math.log(n) + math.log(1.0 / beta))
            yield equals("Δ over that of the union", p.target * MU * n * math.sqrt(m) / union, 1.0)
            stated = (
                G * math.sqrt(math.log(n) * level / epsilon + math.log(1.0 / beta)) / (MU * n * math.sqrt(m))
            )
            yield at_most("σ over the σ of the theorem", p.sigma * epsilon**2 / (stated * level**1.5), NOISE)


def datasets(n: int, m: int) -> dict[str, np.ndarray]:
    """Items (nm, d) of norm ≤ 1: two values, a rare value, two values with a rare one, a plane."""
    total = n * m
    signs = np.where(np.arange(total) % 2 == 0, 1.0, -1.0)
    rare = np.where(np.arange(total) < max(1, total // 50), 1.0, -0.02)
    angles = np.arange(total) * 2.399963
    return {
        "signs": signs[:, None],
        "rare": rare[:, None],
        "circle": np.stack([np.cos(angles), np.sin(angles)], axis=1),
    }


def succeeded(
    items: np.ndarray,
    p: sc_output_pert.del_output_pert.Parameters,
    n: int,
    trials: int,
    rng: np.random.Generator,
) -> np.ndarray:
    """For each random permutation whether Δ̄_{4κ} of the mean is shown to be at most Δ: (trials,)."""
    out = []
    for _ in range(trials):
        users = rng.permutation(items).reshape(n, -1, items.shape[1]).mean(axis=1)
        if items.shape[1] == 1:
            out.append(float(mean_sensitivity(users[:, 0], 4 * p.kappa)) <= p.target)
        else:
            gamma = sc_output_pert.largest_norm(users[None], centred=True)
            out.append(bool(sc_output_pert.certified(gamma, n, p, 1.0, quadratic=True)[0]))
    return np.array(out, dtype=float)


def permuted(point: Point) -> Iterator[Evidence]:
    n, m, beta = point.n, point.m, point.beta
    p = sc_output_pert.parameters(point.epsilon, point.delta, beta, 2.0, 1.0, n, m, "corrected")
    alphas = point.split(3)
    for alpha, (name, items) in zip(alphas, datasets(n, m).items(), strict=True):
        values = succeeded(items, p, n, point.trials, point.rng)
        yield mean_at_least(
            f"success probability, {name}",
            values,
            1.0 - beta,
            alpha=alpha,
            method="clopper-pearson",
            support=(0.0, 1.0),
        )


CLAIM = Claim(
    PAPER,
    "Theorem 3.1",
    "section 3",
    kind=Kind.BOUND,
    title="A private algorithm returns the minimiser plus Gaussian noise with probability 1 − β",
    statement=r"For $\beta\in(0,1)$ and $n\ge72\log(1/\delta)/\varepsilon$ there is an "
    r"$(\varepsilon,\delta)$-DP algorithm that outputs $\theta^*(x^\pi)+\mathcal N(0,\sigma^2I)$ with "
    r"probability $\ge1-\beta$ over a random permutation, $\sigma\le32600\,\frac{G\sqrt{\log "
    r"n\log(1/\delta)/\varepsilon+\log(1/\beta)}}{\mu n\sqrt "
    r"m}\cdot\frac{\log(1/\delta)^{1.5}}{\varepsilon^2}$.",
    uses=("corollary-3.7", "theorem-3.3-privacy", "theorem-3.3-utility", "theorem-3.3-noise"),
    expected=CONFIRMED,
    summary="an existence statement, and true; line 3 of Algorithm 2 has another Δ",
    rests_on=(
        "ghazi2023/theorem-3.6",
        "ghazi2023/theorem-3.3-privacy",
        "ghazi2023/theorem-3.3-utility",
    ),
    check=check,
    smoke=grid(epsilon=1.0, delta=0.5),
    ci=grid(epsilon=(0.05, 0.4, 1.0), delta=(1e-9, 0.01, 0.5)),
)
PERMUTATIONS = CLAIM.reading(
    "permutations",
    title="Random permutations of fixed datasets are stable at the Δ of the union",
    statement=r"For $n\ge8\kappa+2$ and $\Delta=10G\sqrt{(4\kappa+1)\ln n+\ln(1/\beta)}/(\mu n\sqrt m)$: "
    r"$\bar\Delta_{4\kappa}\theta^*(x^\pi)\le\Delta$ with probability $\ge1-\beta$, on two-valued items, a "
    r"rare value and a circle.",
    expected=CONSISTENT,
    summary="Δ from a union over users and subsets",
    check=permuted,
    largest_resolution=0.2,
    smoke=Tier(grid(epsilon=1.0, delta=0.5, beta=0.9, n=42, m=16), trials=300),
    ci=Tier(grid(epsilon=1.0, delta=0.5, beta=(0.2, 0.05), n=(42, 100), m=16), trials=1500),
)
CLAIMS = [PERMUTATIONS]
