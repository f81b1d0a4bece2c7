r"""Theorem B.1, programs: the instance D_{p,α} that is drawn, and the private estimators held against the
bound.

Theorem B.1, Corollary B.4 and Theorem 3.3 are judged on data that `implementations` draws and by estimators
that it calls private. Both are programs, and both have laws in closed form.

The instance. Given p, the records at coordinate j with Y = 1 are Binomial(n, αp_j/d), those with Y = 0
Binomial(n, α(1 − p_j)/d), any two of these 2d counts have covariance −n·q·q′, and p has E[2P(1 − P)] =
β/(1 + 2β), β = 1/80. The two risks are sums over records, computed here a second time from the records.

The estimators. A replaced record moves the differences s = ones − zeros by at most 2 in ℓ₁, which a flipped
label attains. s > 0 with Laplace noise of scale 2/ε is reported with probability 1 − ½e^{−εs/2}, with
Gaussian noise of deviation 2/μ with Φ(μs/2), by the exponential mechanism with 1/(1 + e^{−εs/2}),
independently over coordinates. Randomised response keeps a record with odds e^ε against each of the 2d
others. One step of Algorithm 1 from 0 ends at η·ones/n − ηb, a Gaussian.

How it is checked. `:instance`: first and second moments of the counts, the prior and the risks, n and δ of
the theorem. `:estimators`: the probabilities above from both sides, in d = 1 and, for independence, in d = 2;
one step of Algorithm 1 against its Gaussian law; the estimators without privacy exactly.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from claims import CONSISTENT, Evidence, Kind, Point, equals, grid, mean_equals
from claims.song2021._oracle import gaussian_draws, same
from claims.song2021.theorem_b_1 import CLAIM as THEOREM
from implementations.interfaces import Array, Mechanism
from implementations.privacy import mu_star
from implementations.song2021 import hard_instance
from implementations.song2021.hard_instance import Sample

BETA = 1.0 / 80.0


# --- The instance ------------------------------------------------------------------------------------------


def check_counts(point: Point) -> Iterator[Evidence]:
    """Means of the 2d counts, and of all their products, against the multinomial law."""
    n, d, presence, p = 7, 2, 0.6, np.array([0.3, 0.9])
    sample = hard_instance.draw_sample(np.tile(p, (point.drawn, 1)), presence, n, point.rng)
    counts = np.concatenate([sample.zeros, sample.ones], axis=1)
    cells = presence / d * np.concatenate([1.0 - p, p])
    pairs = [(j, k) for j, k in product(range(2 * d), repeat=2) if j <= k]
    alpha = point.split(2 * d + len(pairs) + 4)
    options = {"largest_resolution": 0.1, "method": "student-t"}
    yield equals("records of the sample", sample.n, n, decides=False)
    for k, cell in enumerate(cells):
        quantity = f"mean number of records of kind {k + 1} over its mean"
        yield mean_equals(quantity, counts[:, k] / (n * cell), 1.0, alpha=alpha.pop(), **options)
    for j, k in pairs:
        expected = n * (n - 1) * cells[j] * cells[k] + (n * cells[k] if j == k else 0.0)
        products = counts[:, j] * counts[:, k] / expected
        quantity = f"mean product of the counts of kinds {j + 1} and {k + 1} over its mean"
        yield mean_equals(quantity, products, 1.0, alpha=alpha.pop(), **options)
    prior = hard_instance.draw_parameter(4 * point.drawn, 1, point.rng)[:, 0]
    spread = 2.0 * prior * (1.0 - prior) * (1.0 + 2.0 * BETA) / BETA
    yield mean_equals("E[2P(1 − P)] over β/(1 + 2β)", spread, 1.0, alpha=alpha.pop(), **options)
    above = (prior > 0.5).astype(float)
    yield mean_equals("P(P > ½)", above, 0.5, alpha=alpha.pop(), **options)
    pairs_of = hard_instance.draw_parameter(2 * point.drawn, 2, point.rng) > 0.5
    for words, one, other in (
        ("two coordinates", pairs_of[:, 0], pairs_of[:, 1]),
        ("two draws", pairs_of[: point.drawn, 0], pairs_of[point.drawn :, 0]),
    ):
        alike = (one == other).astype(float)
        yield mean_equals(
            f"P({words} of P lie on one half)", alike, 0.5, alpha=alpha.pop(), method="clopper-pearson"
        )


def check_risks(point: Point) -> Iterator[Evidence]:
    """Both excess risks from the records themselves, the least one over {0, ½, 1}ᵈ."""
    rng, d, n, presence = point.rng, 3, 12, 0.7
    sample = hard_instance.draw_sample(rng.random((1, d)), presence, n, rng)
    counts = Sample(sample.zeros[0], sample.ones[0], n)
    problem, theta = hard_instance.dataset(counts), rng.normal(0.4, 0.6, d)
    x, y = problem.features, problem.targets
    yield same("zeros and ones of the records", [x[y == 0.0].sum(axis=0), x[y == 1.0].sum(axis=0)],
               [counts.zeros, counts.ones])  # fmt: skip
    yield same("norms of the features", np.linalg.norm(x, axis=1), x.sum(axis=1))
    yield equals("records of the dataset", len(y), n, decides=False)
    least = min(float(np.abs(x @ np.array(t) - y).mean()) for t in product((0.0, 0.5, 1.0), repeat=d))
    excess = float(np.abs(x @ theta - y).mean()) - least
    yield same("excess empirical risk", hard_instance.empirical_excess(theta, counts), excess)
    p = rng.random(d)
    # X₀ = 0 gives Y₀ = 0 and no error.
    fresh = sum(presence / d * q * (abs(theta[j] - label) - abs(p[j] - label))
                for j in range(d) for label, q in ((0.0, 1.0 - p[j]), (1.0, p[j])))  # fmt: skip
    yield same("excess population risk", hard_instance.excess_risk(theta, p, presence), fresh)
    for epsilon, alpha in ((0.03, 0.2), (1.0, 1.0)):
        limit = math.floor(200 / (10.0 * math.expm1(epsilon) * alpha))
        yield equals("n of the theorem", hard_instance.size_limit(200, epsilon, alpha), limit, decides=False)
        yield same("δ of the theorem", 1000.0 * hard_instance.delta_limit(epsilon), math.expm1(epsilon))


def check_instance(point: Point) -> Iterator[Evidence]:
    yield from check_counts(point) if "drawn" in point else check_risks(point)


# --- The private estimators --------------------------------------------------------------------------------


def shares_of_ones(epsilon: float, delta: float, signed: int) -> dict[str, float]:
    """P(θ_j = 1) of the estimators that report a noisy sign, where ones − zeros is `signed` ≥ 0."""
    from scipy.special import expit, ndtr

    return {
        "laplace": 1.0 - 0.5 * math.exp(-0.5 * epsilon * signed),
        "gaussian": float(ndtr(0.5 * mu_star(epsilon, delta) * signed)),
        # a bit has probability ∝ e^{(ε/2)·its count}
        "exponential": float(expit(0.5 * epsilon * signed)),
    }


def program(estimate: hard_instance.Estimator, epsilon: float, delta: float) -> Mechanism:
    """An estimator as a mechanism on datasets (1 + 2d,) of counts: X = 0, zeros by coordinate, ones."""

    def estimated(data: Array, size: int, rng: np.random.Generator) -> Array:
        d = len(data) // 2
        zeros, ones = (np.tile(counts.astype(int), (size, 1)) for counts in (data[1 : 1 + d], data[1 + d :]))
        theta = estimate(Sample(zeros, ones, int(data.sum())), epsilon, delta, rng)
        return theta[:, 0] if d == 1 else theta

    return estimated


def check_laws(point: Point) -> Iterator[Evidence]:
    """Probabilities of the outputs, from both sides."""
    epsilon, delta, rng, size = point.epsilon, point.delta, point.rng, point.sampled
    estimators = hard_instance.private_estimators()
    noisy = ("laplace", "gaussian", "exponential")
    alpha = point.split(2 * len(noisy) + 2 * len(noisy) + 4)

    def share(quantity: str, events: Array, stated: float) -> Evidence:
        return mean_equals(
            quantity, events.astype(float), stated, alpha=alpha.pop(), method="clopper-pearson",
            largest_resolution=0.02,
        )  # fmt: skip

    for name in noisy:
        run = program(estimators[name], epsilon, delta)
        for signed in (1, 3):
            law = shares_of_ones(epsilon, delta, signed)[name]
            ones = run(np.array([0, 1, 1 + signed]), size, rng) == 1.0
            yield share(f"P(θ = 1) of the estimator {name}, {signed} more ones than zeros", ones, law)
        tied = run(np.array([2, 1, 3, 1, 3]), 2 * size, rng)
        yield share(f"P(θ₁ = θ₂) of the estimator {name} at two ties", tied[:, 0] == tied[:, 1], 0.5)
        again = tied[:size, 0] == tied[size:, 0]
        yield share(f"P(two runs agree) of the estimator {name} at a tie", again, 0.5)
    response = program(estimators["randomised response"], epsilon, delta)
    other = 1.0 / (math.exp(epsilon) + 4.0)  # e^ε : 1 : 1 : 1 : 1 over the five records of d = 2
    for record, output, stated in (
        ((0, 1, 0, 0, 0), (0.0, 0.5), math.exp(epsilon) * other),
        ((0, 0, 1, 0, 0), (1.0, 0.5), other),
        ((0, 0, 0, 1, 0), (0.5, 0.5), other),
        ((1, 0, 0, 0, 0), (0.5, 0.5), math.exp(epsilon) * other),
    ):
        hits = (response(np.array(record), size, rng) == output).all(axis=1)
        yield share(f"P(θ = {output}) of randomised response on the record {record}", hits, stated)


def check_descent(point: Point) -> Iterator[Evidence]:
    """One step on three coordinates: θ̄ = η·ones/n − ηb, σ = 2/(nμ) and η of Theorem 3.1 for ‖θ*‖ = √(d/2)."""
    epsilon, delta, rng, n = point.epsilon, point.delta, point.rng, 11
    zeros, ones = np.array([2.0, 1.0, 0.0]), np.array([4.0, 2.0, 1.0])
    data = np.array([1, *zeros, *ones])
    sigma = 2.0 / (n * mu_star(epsilon, delta))
    eta = math.sqrt(1.5 / (1.0 / 3.0 + 3.0 * sigma**2))  # L = 1/√3, rank 3, T = 1
    draws = program(hard_instance.descent(1), epsilon, delta)(data, point.descents, rng)
    yield from gaussian_draws(
        "one step on three coordinates", draws, eta * ones / n, (eta * sigma) ** 2 * np.eye(3),
        alpha=point.alpha,
    )  # fmt: skip
    quiet = program(hard_instance.descent(4, noise="none"), epsilon, delta)(data, 2, rng)[0]
    path = [np.zeros(3)]
    for _ in range(4):  # η = √(1.5/(4/3)), |⟨θ, x⟩ − y| has the slopes ±1
        pull = (zeros * np.sign(path[-1]) + ones * np.sign(path[-1] - 1.0)) / n
        path.append(path[-1] - math.sqrt(1.125) * pull)
    yield same("four steps without noise", quiet, np.mean(path[1:], axis=0))


def check_open(point: Point) -> Iterator[Evidence]:
    """The majority, and the constant, on three coordinates; every estimator on batches of two axes."""
    counts = Sample(np.array([2, 0, 1]), np.array([1, 3, 1]), 9)
    for name, estimate, stated in (
        ("majority", hard_instance.non_private_estimators()["majority"], [0.0, 1.0, 0.5]),
        ("constant", hard_instance.private_estimators()["constant"], [0.5, 0.5, 0.5]),
    ):
        yield same(f"output of the estimator {name}", estimate(counts, 1.0, 0.1, point.rng), stated)
    batch = Sample(np.ones((2, 4, 3), dtype=int), np.ones((2, 4, 3), dtype=int), 6)
    for name, estimate in hard_instance.private_estimators().items():
        shape = estimate(batch, 1.0, 0.1, point.rng).shape
        yield same(f"shape of the outputs of the estimator {name}", shape, (2, 4, 3))
    named = hard_instance.private_estimators() | hard_instance.non_private_estimators()
    for name, estimate in (
        ("DP-GD, 16 steps", hard_instance.descent(16)),
        ("DP-GD, 128 steps", hard_instance.descent(128)),
        ("gradient descent", hard_instance.descent(512, noise="none")),
    ):
        outputs = [e(batch, 1.0, 0.1, np.random.default_rng(1)) for e in (named[name], estimate)]
        yield same(f"the estimator {name} against descent of so many steps", *outputs)


def check_estimators(point: Point) -> Iterator[Evidence]:
    if "sampled" in point:
        yield from check_laws(point)
    elif "descents" in point:
        yield from check_descent(point)
    else:
        yield from check_open(point)


def estimators(sampled: int, *levels: tuple[float, float]) -> list[dict[str, Any]]:
    """Laws at ε other than 1, where ε and its powers differ."""
    laws = [
        point
        for epsilon, delta in levels
        for point in (
            *grid(delta=delta, sampled=sampled, epsilon=epsilon),
            *grid(delta=delta, descents=sampled, epsilon=epsilon),
        )
    ]
    return [*laws, *grid(part="open")]


ESTIMATORS = THEOREM.reading(
    "estimators",
    kind=Kind.PRIVACY,
    role="program",
    title="The private estimators that are held against the bound",
    statement=r"Replacing a record moves the differences of the counts of a coordinate by at most 2 in "
    r"$\ell_1$. Their signs under $\mathrm{Lap}(2/\varepsilon)$, the exponential mechanism, randomised "
    r"response and the constant are $\varepsilon$-differentially private; their signs under "
    r"$N(0,4/\mu^*(\varepsilon,\delta)^2)$ and Algorithm 1 with calibrated noise are "
    r"$(\varepsilon,\delta)$-differentially private.",
    expected=CONSISTENT,
    check=check_estimators,
    # Probabilities and Kolmogorov distances. Noise that is 5 % off must be seen: it moves the law of the
    # squared norm of two coordinates by 0.036.
    largest_resolution=0.036,
    smoke=estimators(40_000, (0.7, 1e-4)),
    ci=estimators(100_000, (0.7, 1e-4), (1.6, 0.01)),
    full=estimators(1_000_000, (0.5, 1e-6), (0.9, 1e-3), (2.0, 0.01)),
    fits_exponents=False,
    plots=(),
)
INSTANCE = THEOREM.reading(
    "instance",
    kind=Kind.IDENTITY,
    role="program",
    title="The instance that is drawn is the printed one",
    statement=r"$n$ records of $\mathcal D_{p,\alpha}$ by coordinate and label are multinomial with cells "
    r"$\frac\alpha dp_j$ and $\frac\alpha d(1-p_j)$; $\mathbb E[2P(1-P)]=\beta/(1+2\beta)$ for the prior, "
    r"$\beta=1/80$; the excess risks are those of the records.",
    expected=CONSISTENT,
    check=check_instance,
    # Relative: half of the cells, a variance or a covariance of the counts would be missed at 0.5.
    largest_resolution=0.1,
    smoke=[*grid(drawn=100_000), *grid(risks=(1, 2, 3))],
    ci=[*grid(drawn=400_000), *grid(risks=(1, 2, 3))],
    full=[*grid(drawn=1_000_000), *grid(risks=tuple(range(20)))],
    fits_exponents=False,
    plots=(),
)
CLAIMS = [ESTIMATORS, INSTANCE]
