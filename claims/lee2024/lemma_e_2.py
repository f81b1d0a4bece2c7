r"""Lemma E.2: for ψ μ-strongly convex and f_i G-Lipschitz there is a sampler within total variation δ of
exp(−E f_i − ψ) in Θ(G²/μ·log²(G²(d/μ + C²)/δ)) steps, each with O(1) values of f_i in expectation (Gopi,
Lee and Liu 2022).

Implemented without the bounded domain, for ψ = (λ/2)‖x‖², where the Gaussian part is exact: so neither d nor
C stands in the steps of `schedule`, and the printed log²(G²(d/μ + C²)/δ), which holds for any start in the
domain, is not what is checked. `theorem-2.2-oracle-proof` has the domain.

How it is checked. Chains of the implementation against the law by quadrature, Kolmogorov–Smirnov with δ
allowed, for functions that pull apart. The proximal sampler with exact rejection is
under the same test with nothing allowed but its stated tolerance, and with nothing allowed after nine steps
from exact draws; the exact product sampler with nothing allowed at all. The values of f_i per
step must be below 12 (an attempt takes 2e on average and is accepted about half of the time)."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from audits import laws
from claims import CONSISTENT, Claim, Evidence, Kind, Point, drawn_from, grid, mean_at_most, mean_equals
from claims.lee2024 import PAPER
from implementations.lee2024 import gopi_lee_liu_sampler, low_rank, product_sampler, proximal_sampler
from implementations.lee2024.proximal_sampler import Schedule

TARGETS = np.array([-1.0, -0.2, 0.4, 2.0])


def law(lipschitz: float, strength: float) -> laws.Distribution:
    """exp(−mean L|x − a_i| − (λ/2)x²) by quadrature."""

    def log_density(x: np.ndarray) -> np.ndarray:
        return -lipschitz * np.abs(x[:, None] - TARGETS).mean(axis=1) - 0.5 * strength * x**2

    reach = 9.0 / math.sqrt(strength) + 3.0
    return laws.distribution_function(log_density, -reach, reach, breaks=list(TARGETS))


def mean_loss(lipschitz: float) -> proximal_sampler.Values:
    return lambda x: lipschitz * np.abs(x[:, :1] - TARGETS).mean(axis=1)


def exact(point: Point, size: int) -> np.ndarray:
    weights = np.full((1, TARGETS.size), point.lipschitz / TARGETS.size)
    potential = product_sampler.potential(TARGETS[None], weights)
    return product_sampler.sample(potential, size, point.rng, strength=point.strength)


def check(point: Point) -> Iterator[Evidence]:
    from scipy.special import gammainc

    g, strength, rng = point.lipschitz, point.strength, point.rng
    target = law(g, strength)
    levels = iter(point.split(10))
    place = {"lipschitz": g, "strength": strength}
    drawn = gopi_lee_liu_sampler.sample(
        lambda x, index: g * np.abs(x[:, 0] - TARGETS[index]), TARGETS.size, point.chains, rng, dimension=1,
        lipschitz=g, strength=strength, tolerance=point.tolerance,
    )  # fmt: skip
    yield drawn_from(
        "sampler of Gopi, Lee and Liu", drawn.points, target, alpha=next(levels), allowed=point.tolerance,
        point=place,
    )  # fmt: skip
    # The ratio is unbiased at any distance of x and z, also at one that the step size never allows.
    near, far = np.full((point.draws, 1), 0.4), np.full((point.draws, 1), 0.4 + 1.0 / g)
    ratio, _ = gopi_lee_liu_sampler.unbiased_ratio(
        lambda x, index: g * np.abs(x[:, 0] - TARGETS[index]), TARGETS.size, near, far, rng
    )
    expected = math.exp(float(mean_loss(g)(far[:1])[0] - mean_loss(g)(near[:1])[0]))
    yield mean_equals(
        "mean of the ratio over exp(F(z) − F(x))", ratio / expected, 1.0, alpha=next(levels), point=place,
        largest_resolution=0.2,
    )  # fmt: skip
    per_step = drawn.queries / (point.chains * drawn.steps)
    yield mean_at_most(
        "values of f per step of a chain", [per_step, per_step + 1e-9], 12.0, alpha=next(levels),
        point=place, largest_resolution=1.0,
    )  # fmt: skip
    h = proximal_sampler.default_step_size(lipschitz=g, dimension=1)
    steps = proximal_sampler.steps_needed(
        lipschitz=g, strength=strength, step_size=h, tolerance=point.tolerance
    )
    # Many chains: with noise of variance h² in place of h the law is narrower by a quarter only.
    chains = proximal_sampler.sample(
        mean_loss(g), 8 * point.chains, rng, dimension=1, lipschitz=g, strength=strength,
        schedule=Schedule(steps=steps, tolerance=point.tolerance),
    )  # fmt: skip
    yield drawn_from(
        "proximal sampler", chains.points, target, alpha=next(levels), allowed=point.tolerance, point=place
    )
    draws = exact(point, point.draws)[:, 0]
    yield drawn_from("exact sampler", draws, target, alpha=next(levels), point=place)

    basis = np.linalg.qr(rng.standard_normal((4, 4)))[0]
    full = low_rank.embed(draws[:20_000, None], basis[:, :1], rng, strength=strength)
    inside, outside = (f"low-rank completion, in the {where}" for where in ("subspace", "complement"))
    yield drawn_from(inside, full @ basis[:, 0], target, alpha=next(levels), point=place)
    # the norm of the complement: its square over 1/λ is χ² with three degrees of freedom
    square = strength * ((full @ basis[:, 1:]) ** 2).sum(axis=1)
    yield drawn_from(outside, square, lambda x: gammainc(1.5, x / 2.0), alpha=next(levels), point=place)

    # Slope ±3 everywhere and a long step: the envelope of the rejection is tight here.
    def steep(x: np.ndarray) -> np.ndarray:
        return 3.0 * np.abs(x[:, 0] - 0.5)

    def step(x: np.ndarray, generator: np.random.Generator) -> np.ndarray:
        return proximal_sampler.step(steep, x, generator, lipschitz=3.0, strength=strength, step_size=0.5)[0]

    one_kink = product_sampler.potential(np.array([[0.5]]), np.array([[3.0]]))
    state = product_sampler.sample(one_kink, 4 * point.chains, rng, strength=strength)
    for _ in range(9):
        state = step(state, rng)
    reach = 9.0 / math.sqrt(strength) + 3.0
    below = laws.distribution_function(
        lambda x: -3.0 * np.abs(x - 0.5) - 0.5 * strength * x**2, -reach, reach, breaks=[0.5]
    )
    for name, values, distribution in (
        ("x", state[:, 0], below),
        ("|x − 1/2|", np.abs(state[:, 0] - 0.5), lambda x: below(0.5 + x) - below(0.5 - x)),
    ):
        yield drawn_from(
            f"{name} after nine steps of the proximal sampler from exact draws", values, distribution,
            alpha=next(levels), point=place,
        )  # fmt: skip


CLAIM = Claim(
    PAPER,
    "Lemma E.2",
    "appendix E.1",
    kind=Kind.BOUND,
    title="Samplers follow their law",
    statement=r"""The sampler of Gopi, Lee and Liu is within total variation $\delta$ of $\exp(-\mathbb
E_if_i-\frac\lambda2\|x\|^2)$ after $\Theta(\frac{G^2}\lambda\log^2)$ steps of $O(1)$ function values; the
exact and the proximal sampler follow the same law.""",
    expected=CONSISTENT,
    check=check,
    smoke=grid(lipschitz=1.0, strength=0.8, tolerance=0.02, chains=600, draws=20_000),
    ci=[
        *grid(lipschitz=1.0, strength=0.8, tolerance=0.01, chains=2500, draws=200_000),
        *grid(
            lipschitz=2.0, strength=0.8, tolerance=0.01, chains=1000, draws=200_000
        ),  # four times the steps
    ],
    largest_resolution=1.0,
)
