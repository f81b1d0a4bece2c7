r"""Algorithm 2 (SCOutputPert), line by line: Δ, the certificate that stands for the enumeration, the noise.

Line 3 sets Δ = 10G√(log(1/β))/(μn√m), line 4 runs Algorithm 1 on θ*(·) with it. Enumeration is out of
reach, so the program answers on the branch that appendix C proves stable: where the largest gradient γ of a
user at θ* shows Δ̄_{4κ} θ* ≤ Δ, Algorithm 1 has |S| = 0 and never returns ⊥ (theorem-3.3-utility). What is
certified when it is not stable would break privacy, and so would a refusal that shows: whether there is a
certificate depends on the users without noise. So a dataset without one is an error, no output. lemma-c.1
decides that the factors are right: r/(n − r) + (r + 1)/(n − r − 1) in general, n/((n − r)(n − r − 1)) for
Hessian μI and gradients about their mean, both times γ/μ, with r = 4κ. Here the program is held to them.

How it is checked. Δ of both targets against the text over a grid of n, m, β. The largest gradient norm
against a loop over the users. The threshold: gradients a part in 10⁹ below it must be certified, above it
not, for both factors, at the smallest n and beyond. The outputs of a run against θ* + σz, z from a
generator of the same seed, certified and refused trials side by side. By default a dataset without a
certificate, or with fewer users than 4κ + 2 (8κ + 2 for the corrected Δ), gets an error.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from claims import CONFIRMED, Claim, Evidence, Kind, Point, at_most, equals, grid
from claims.ghazi2023 import PAPER
from claims.ghazi2023._guards import accepted
from claims.ghazi2023.algorithm_1 import line_3
from implementations.ghazi2023 import sc_output_pert

G, MU, BETA = 1.7, 0.3, 0.05


def printed_target(lipschitz: float, mu: float, n: int, m: float, beta: float) -> float:
    """Δ of line 3."""
    return 10.0 * lipschitz * math.sqrt(math.log(1.0 / beta)) / (mu * n * math.sqrt(m))


def largest_gradient(threshold: float, n: int, kappa: int, quadratic: bool) -> float:
    """γ at which the factor of appendix C times γ/μ equals Δ, for r = 4κ deletions."""
    r = 4 * kappa
    general = r / (n - r) + (r + 1) / (n - r - 1)
    return threshold * MU / (n / ((n - r) * (n - r - 1)) if quadratic else general)


def norms_differ(rng: np.random.Generator) -> float:
    """The largest distance of the implementation's γ to a loop over the users."""
    gradients = rng.normal(size=(5, 7, 3)) + 2.0
    worst = 0.0
    for centred in (True, False):
        found = sc_output_pert.largest_norm(gradients, centred=centred)
        for trial, users in enumerate(gradients):
            shift = np.sum(users, axis=0) / len(users) if centred else np.zeros(3)
            worst = max(worst, abs(found[trial] - max(math.dist(g, shift) for g in users)))
    return worst


def unguarded(p: sc_output_pert.del_output_pert.Parameters, kappa: int) -> int:
    """Calls that must be refused and are not: too few users, no certificate in one of two trials."""
    rng, zero = np.random.default_rng(0), np.zeros((2, 1))

    def run(gamma: np.ndarray, n: int, quadratic: bool) -> object:
        return sc_output_pert.sc_output_pert(zero, gamma, n, p, MU, rng, quadratic=quadratic)

    def target(n: int, variant: sc_output_pert.Target) -> object:
        return sc_output_pert.parameters(p.epsilon, p.delta, BETA, G, MU, n, 1.0, variant)

    far = largest_gradient(p.target, 40 * kappa, kappa, True) * np.array([0.5, 2.0])
    return accepted(
        lambda: run(far, 40 * kappa, True),
        lambda: run(far[::-1], 40 * kappa, False),
        lambda: run(0.0 * far, 4 * kappa + 1, True),
        lambda: run(0.0 * far, 4 * kappa + 1, False),
        lambda: target(8 * kappa + 1, "corrected"),
        lambda: target(4 * kappa + 1, "certificate"),
    )


def check(point: Point) -> Iterator[Evidence]:
    epsilon, delta, rng = point.epsilon, point.delta, point.rng
    kappa = line_3(epsilon, delta, 1.0)[0]
    target = noise = drawn = 0.0
    wrong = 0
    for n in (8 * kappa + 2, 8 * kappa + 3, 40 * kappa):
        for m, beta in ((1.0, 0.05), (2.5, 0.9), (1e12, 1e-9)):
            # corrected: a union over the n^{4κ+1} pairs of a subset and a user (theorem-3.1:corrected)
            log_term = (4 * kappa + 1) * math.log(n) + math.log(1.0 / beta)
            union = 10.0 * G * math.sqrt(log_term) / (MU * n * math.sqrt(m))
            own = (printed_target(G, MU, n, m, beta), union)
            variants: tuple[sc_output_pert.Target, ...] = ("printed", "corrected")
            for variant, delta_of in zip(variants, own, strict=True):
                p = sc_output_pert.parameters(epsilon, delta, beta, G, MU, n, m, variant)
                target = max(target, abs(p.target / delta_of - 1.0))
                noise = max(noise, abs(p.sigma / line_3(epsilon, delta, delta_of)[1] - 1.0))
    for n in (4 * kappa + 2, 4 * kappa + 3, 40 * kappa):
        p = sc_output_pert.parameters(epsilon, delta, BETA, G, MU, n, 9.0)
        threshold = printed_target(G, MU, n, 9.0, BETA)
        sigma = line_3(epsilon, delta, threshold)[1]
        for quadratic in (True, False):
            edge = largest_gradient(threshold, n, kappa, quadratic)
            gamma = edge * np.array([0.0, 0.3, 1.0 - 1e-9, 1.0 + 1e-9, 3.0])
            allowed = np.array([True, True, True, False, False])
            found = sc_output_pert.certified(gamma, n, p, MU, quadratic=quadratic)
            wrong += int((found != allowed).sum())
            minimiser = rng.normal(size=(5, 2))
            seed = int(rng.integers(2**31))
            theta, good = sc_output_pert.sc_output_pert(
                minimiser,
                gamma,
                n,
                p,
                MU,
                np.random.default_rng(seed),
                quadratic=quadratic,
                uncertified="nan",
            )
            text = minimiser + sigma * np.random.default_rng(seed).standard_normal((5, 2))
            wrong += int((good != allowed).sum() + (np.isnan(theta).any(axis=1) == allowed).sum())
            drawn = max(drawn, float(np.abs(theta - text)[allowed].max()) / sigma)
    yield at_most("relative distance of Δ to line 3, both targets", target, 1e-12)
    yield at_most("relative distance of σ to line 3 of Algorithm 1", noise, 1e-12)
    yield at_most("distance of γ to the largest gradient norm of a user", norms_differ(rng), 1e-12)
    yield at_most("trials that are certified against appendix C, refused or answered against it", wrong, 0)
    yield at_most("distance of the outputs to θ* + σz, in σ", drawn, 1e-9)
    yield equals(
        "inputs outside the text, or without a certificate, that get an output", unguarded(p, kappa), 0
    )


CLAIM = Claim(
    PAPER,
    "Algorithm 2",
    "section 3.2, appendix C",
    kind=Kind.IDENTITY,
    title="SCOutputPert: Δ, certificate and noise are those of the text",
    statement=r"Algorithm 2 calls Algorithm 1 with $\Delta=10G\sqrt{\log(1/\beta)}/(\mu n\sqrt m)$; where "
    r"the users' gradients at $\theta^*$ certify $\bar\Delta_{4\kappa}\theta^*\le\Delta$ it returns "
    r"$\theta^*+\mathcal N(0,\sigma^2I)$.",
    expected=CONFIRMED,
    check=check,
    smoke=grid(epsilon=1.0, delta=0.5),
    ci=grid(epsilon=(0.2, 1.0), delta=(1e-6, 0.1, 0.5)),
)
