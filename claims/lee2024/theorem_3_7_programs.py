r"""Theorem 3.7, the programs: the instance ‖θ − z‖₁ with its copies and its padding, and the private
mechanisms that are held against the bound, do what their texts say.

The lower bound is about the risk of an ℓ₁ instance. A risk that is a sum where it should be a mean, a record
copied once less or noise of another size would move both what is measured and what it is held against; so
each program is held against the text by itself. The mechanisms are ours, the instance is printed: the average
of ‖θ − z_i‖₁ over n records, every record copied k times with n − k⌊n/k⌋ zeros appended, half zeros and half
ones (and a record of halves for an odd rest) as padding.

How it is checked. Exactly (`theorem-3.7-programs`): risks in rational arithmetic, the median against every
grid point, the records of the copied and of the padded dataset one by one, the projection. By sampling
(`:laws`): the noisy mean inside and at the ends of the cube, the noisy sign, and each coordinate of the
exponential mechanism, against their closed forms with the Gaussian parameter that is computed here by root
finding, and two coordinates of each for independence; all where noise of half or twice the size would be
seen."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np

from audits.judge import at_most, drawn_from, equals, mean_equals
from claims import CONFIRMED, CONSISTENT, Claim, Evidence, Kind, Point, grid
from claims.lee2024 import PAPER
from implementations.lee2024 import l1_instance

Array = np.ndarray


# --- Exactly -------------------------------------------------------------------------------------------


def risk_exactly(theta: list[Fraction], data: Array) -> Fraction:
    """(1/n)·Σ_i Σ_j |θ_j − z_ij| for records of multiples of ½."""
    total = Fraction(0)
    for record in data.tolist():
        total += sum((abs(t - Fraction(z)) for t, z in zip(theta, record, strict=True)), Fraction(0))
    return total / len(data)


def risks(point: Point, rng: np.random.Generator) -> Iterator[Evidence]:
    n, d = point.n, point.d
    for kinds in ((0.0, 1.0), (0.0, 0.5, 1.0)):
        data = rng.choice(kinds, (n, d))
        best = l1_instance.minimiser(data)
        least = risk_exactly([Fraction(float(b)) for b in best], data)
        thetas = rng.integers(-8, 16, (6, d)) / 8.0
        for row in (*thetas, best):
            exact = risk_exactly([Fraction(float(t)) for t in row], data)
            found = float(l1_instance.risk(row, data))
            yield equals("risk", found, float(exact), error=1e-12 * d, point=point.axes)
            excess = float(l1_instance.excess_risk(row, data))
            yield equals("excess risk", excess, float(exact - least), error=1e-12 * d, point=point.axes)
            yield at_most("risk of the median", least, exact)
            if 0.5 not in kinds:
                bits = l1_instance.excess_risk_of_bits(row, data.sum(axis=0), n)
                yield equals("excess risk from counts", float(bits), float(exact - least), error=1e-12 * d)
        inside = l1_instance.clip_to_cube(thetas)
        nearest = np.minimum(np.maximum(thetas, 0.0), 1.0)
        yield equals("largest error of the projection", float(np.abs(inside - nearest).max()), 0.0)


def datasets(point: Point, rng: np.random.Generator) -> Iterator[Evidence]:
    n, d = point.n, point.d
    for k in (1, 2, 5):
        records = rng.random((max(n // k, 1), d))
        size = max(n, k)
        copied = l1_instance.copy_and_append(records, size, k)
        wrong = sum(
            int((copied[i * k : (i + 1) * k] != record).any()) for i, record in enumerate(records)
        ) + int(copied[len(records) * k :].any())
        yield equals("records that are not copied in place", wrong, 0, point={**point.axes, "k": k})
        yield equals("records after copying", len(copied), size)
    data = rng.random((n, d))
    for rest in (0, 1, 6, 7):
        padded = l1_instance.pad(data, n + rest)
        tail = padded[n:]
        yield equals("records before the padding that changed", int((padded[:n] != data).sum()), 0)
        for value, count in ((0.0, rest // 2), (1.0, rest // 2), (0.5, rest % 2)):
            found = int((tail == value).all(axis=1).sum())
            yield equals(f"padding with {value:g}", found, count, point={**point.axes, "rest": rest})


def check(point: Point) -> Iterator[Evidence]:
    rng = np.random.default_rng(47)
    yield from risks(point, rng)
    yield from datasets(point, rng)


# --- Laws ----------------------------------------------------------------------------------------------

Draw = tuple[str, Array, Callable[[Array], Array]]


def gaussian_parameter(epsilon: float, delta: float) -> float:
    """The μ with Φ(−ε/μ + μ/2) − e^ε·Φ(−ε/μ − μ/2) = δ, by root finding."""
    from scipy.optimize import brentq
    from scipy.special import ndtr

    def excess(mu: float) -> float:
        x = epsilon / mu
        return float(ndtr(-x + mu / 2.0) - math.exp(epsilon) * ndtr(-x - mu / 2.0)) - delta

    return float(brentq(excess, 1e-3, 20.0))  # pyright: ignore


def of_exponential(point: Point, ones: Array, n: int) -> Iterator[Draw]:
    """η = nε√(d/log(1/δ))/d and ημ = 8η²d·log(1/δ)/(nε)²: G = C = √d, rank d."""
    from audits import laws

    d, epsilon, delta = ones.size, point.epsilon, point.delta
    log = math.log(1.0 / delta)
    eta = n * epsilon * math.sqrt(d / log) / d
    strength = 8.0 * eta**2 * d * log / (n * epsilon) ** 2
    drawn = l1_instance.exponential_mechanism(ones, n, point.size, point.rng, epsilon=epsilon, delta=delta)
    for j in (0, d - 1):
        share = float(ones[j]) / n

        def log_density(x: Array, share: float = share) -> Array:
            loss = (1.0 - share) * np.abs(x) + share * np.abs(1.0 - x)
            return -eta * loss - 0.5 * strength * x**2

        reach = 12.0 / math.sqrt(strength)
        distribution = laws.distribution_function(log_density, -reach, reach, breaks=[0.0, 1.0])
        yield f"coordinate {j + 1} of the exponential mechanism", drawn[:, j], distribution


def check_laws(point: Point) -> Iterator[Evidence]:
    from scipy.special import ndtr

    n, d, epsilon, delta = point.n, point.d, point.epsilon, point.delta
    spread = math.sqrt(d) / gaussian_parameter(epsilon, delta)
    # The first count lies near 0, so that its mean is clipped often; signs want counts near n/2.
    ones = np.clip(np.linspace(0.5 * spread, 0.5 * n + spread, d), 0.0, n)
    near = n / 2.0 + spread * np.linspace(-1.0, 0.7, d)
    levels = iter(point.split(9))
    mean = l1_instance.noisy_mean(ones, n, point.size, point.rng, epsilon=epsilon, delta=delta)
    ranks = np.zeros(point.size)
    outside = int(((mean < 0.0) | (mean > 1.0)).sum())
    yield equals("coordinates of the noisy mean outside [0, 1]", outside, 0, point=point.axes)
    sign = l1_instance.noisy_median_sign(near, n, point.size, point.rng, epsilon=epsilon, delta=delta)
    for j in (0, d - 1):
        centre = float(ones[j])

        # The mass that was clipped lies at the ends 0 and 1: spread out there, the law is continuous.
        def law(x: Array, centre: float = centre) -> Array:
            inside = ndtr((n * np.clip(x, 0.0, 1.0) - centre) / spread)
            low, high = float(ndtr(-centre / spread)), float(ndtr((centre - n) / spread))
            below = low * np.clip(1.0 + x, 0.0, 1.0)
            above = 1.0 - high + high * np.clip(x - 1.0, 0.0, 1.0)
            return np.where(x < 0.0, below, np.where(x > 1.0, above, inside))

        drawn, u = mean[:, j], point.rng.random(point.size)
        moved = np.where(drawn == 0.0, -u, np.where(drawn == 1.0, 1.0 + u, drawn))
        yield drawn_from(f"coordinate {j + 1} of the noisy mean", moved, law, alpha=next(levels))
        ranks = ranks + law(moved)
        share = float(ndtr((float(near[j]) - n / 2.0) / spread))
        yield mean_equals(
            f"P(coordinate {j + 1} of the noisy sign is 1)", sign[:, j], share, alpha=next(levels),
            method="clopper-pearson", largest_resolution=0.06,
        )  # fmt: skip
    both = sign[:, 0] * sign[:, -1]
    product = float(np.prod(ndtr((near[[0, -1]] - n / 2.0) / spread)))
    yield mean_equals(
        "P(both coordinates of the noisy sign are 1)", both, product, alpha=next(levels),
        method="clopper-pearson", largest_resolution=0.06,
    )  # fmt: skip
    exponential = list(of_exponential(point, ones, n))
    for quantity, draws, distribution in exponential:
        yield drawn_from(quantity, draws, distribution, alpha=next(levels))
    # Noise that coordinates share leaves each law as it is; ranks added modulo 1 are uniform if it is not.
    pairs = {
        "the exponential mechanism": sum(law(draws) for _, draws, law in exponential),
        "the noisy mean": ranks,
    }
    for name, total in pairs.items():
        quantity = f"ranks of two coordinates of {name}, added modulo 1"
        yield drawn_from(quantity, total % 1.0, lambda x: np.clip(x, 0.0, 1.0), alpha=next(levels))


CLAIM = Claim(
    PAPER,
    "Theorem 3.7",
    "section 3.2",
    name="theorem-3.7-programs",
    kind=Kind.IDENTITY,
    title="Risk, copies and padding of the ℓ₁ instance",
    statement=r"""The implementation has the risk $\frac1n\sum_i\|\theta-z_i\|_1$, least at the median, copies
each record $k$ times and appends zeros, pads with as many zeros as ones, and projects onto $[0,1]^d$.""",
    role="program",
    expected=CONFIRMED,
    check=check,
    smoke=grid(n=(5, 12), d=3),
    ci=grid(n=(2, 5, 12, 37), d=(1, 3, 10)),
)
LAWS = CLAIM.reading(
    "laws",
    title="Laws of the mechanisms of the sandwich",
    statement=r"""The noisy mean is the clipped mean plus $N(0,d/(n\mu)^2)$, the noisy sign is 1 with
probability $\Phi((c-n/2)\mu/\sqrt d)$ for $c$ ones, $\mu=\mu^*(\varepsilon,\delta)$, and the exponential
mechanism has density $\propto e^{-\eta(L+\frac\mu2\|\theta\|^2)}$ for the private reading.""",
    expected=CONSISTENT,
    check=check_laws,
    smoke=grid(n=40, d=3, epsilon=0.5, delta=0.01, size=20_000),
    ci=grid(n=(40, 400), d=(3, 12), epsilon=(0.2, 0.5), delta=0.01, size=100_000),
    largest_resolution=0.1,
)
CLAIMS = [LAWS]
