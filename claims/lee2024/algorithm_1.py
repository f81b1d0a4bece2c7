r"""Algorithm 1, the programs: the parameters are those that are printed, and every sampler draws from
exp(−η(L + (μ/2)‖θ‖²)) and counts what it does.

Theorem 2.2 is about that law. A program that draws from another law, with a regulariser about another
centre, fewer steps or a lost acceptance step, would leave every lemma about the law as it is; so the programs
are held against the text here, piece by piece and from both directions. What the paper leaves open: η and μ
have six readings (`theorem-2.2-privacy` says which is private), and the samplers are not printed but cited;
the schedules are those of Chen, Chewi, Salim and Wibisono (2022, Theorem 3) and of Gopi, Lee and Liu (2022).

How it is checked. Exactly (`algorithm-1`): η, μ, ημ and μ_G in each reading; the potential; step sizes and
numbers of steps; function values and acceptance against a count that the loss keeps itself. By sampling
(`:laws`): every coordinate of the exact sampler against quadrature, with tilts, unsorted and far kinks, and
pairs of coordinates for independence; one step of the proximal sampler from a fixed y, in one, two and three
dimensions; whole chains of both samplers from a start far from the law."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator

import numpy as np

from claims import CONFIRMED, CONSISTENT, Claim, Evidence, Kind, Point, drawn_from, equals, grid, mean_equals
from claims.lee2024 import PAPER
from implementations.lee2024 import (
    gopi_lee_liu_sampler,
    low_rank,
    product_sampler,
    proximal_sampler,
    regularised_exponential,
)
from implementations.lee2024.proximal_sampler import Schedule

Array = np.ndarray
CAPITAL_G, CAPITAL_C = 2.0, 3.0
KNOTS = np.array([[1.5, -1.0, 0.2], [0.0, 2.0, -2.0], [5.0, 6.0, 5.5]])
WEIGHTS = np.array([[0.7, 2.0, 0.3], [0.0, 1.0, 4.0], [8.0, 2.0, 5.0]])
TILT = np.array([0.8, -1.7, 3.0])
"""Three coordinates: kinks that are not sorted, a kink without weight, and kinks in the far tail."""


# --- Exactly -------------------------------------------------------------------------------------------


def printed(n: int, epsilon: float, delta: float, rank: int) -> dict[tuple[str, str], tuple[float, float]]:
    """(η, μ) as printed, for each reading of the two formulas."""
    log = math.log(1.0 / delta)
    etas = {"log-above": math.sqrt(rank * log), "log-below": math.sqrt(rank / log)}
    found: dict[tuple[str, str], tuple[float, float]] = {}
    for temperature, root in etas.items():
        eta = n * epsilon * root / (CAPITAL_G * CAPITAL_C)
        mu = 8.0 * eta * CAPITAL_G**2 / (n**2 * epsilon**2)
        for regulariser, factor in (("plain", 1.0), ("log", log), ("squared", eta)):
            found[temperature, regulariser] = eta, mu * factor
    return found


def parameters(point: Point) -> Iterator[Evidence]:
    n, rank = point.n, point.k
    for (temperature, regulariser), (eta, mu) in printed(n, point.epsilon, point.delta, rank).items():
        p = regularised_exponential.parameters(
            n=n, epsilon=point.epsilon, delta=point.delta, rank=rank, lipschitz=CAPITAL_G, radius=CAPITAL_C,
            inverse_temperature=temperature, regulariser=regulariser,
        )  # fmt: skip
        place = {**point.axes, "η": temperature, "μ": regulariser}
        yield equals("η over the printed one", p.eta / eta, 1.0, point=place)
        yield equals("μ over the printed one", p.mu / mu, 1.0, point=place)
        yield equals("ημ over the printed one", p.strength / (eta * mu), 1.0, point=place)
        gaussian = 2.0 * CAPITAL_G / n * math.sqrt(eta / mu)
        found = p.gaussian_mu(n=n, lipschitz=CAPITAL_G)
        yield equals("μ_G over (2G/n)√(η/μ)", found / gaussian, 1.0, point=place)


def value(x: Array) -> Array:
    """The potential of the three coordinates, one term at a time, (size, 3) → (size,)."""
    total = x @ TILT
    for j, m in np.ndindex(KNOTS.shape):
        total = total + WEIGHTS[j, m] * np.abs(x[:, j] - KNOTS[j, m])
    return total


def potential_value(rng: np.random.Generator) -> Iterator[Evidence]:
    x = 4.0 * rng.standard_normal((500, 3))
    found = product_sampler.potential(KNOTS, WEIGHTS, TILT)(x)
    yield equals("largest error of the potential", float(np.abs(found - value(x)).max()), 0.0, error=1e-10)


def counted_chains(rng: np.random.Generator) -> Iterator[Evidence]:
    """A run of the proximal sampler whose loss counts the points and the full batches that it is asked at."""
    size, k, slope, strength, tolerance = 300, 2, 1.3, 0.4, 0.05
    asked: list[int] = []

    def values(x: Array) -> Array:
        asked.append(len(x))
        return slope * np.abs(x[:, 0] - 1.0)

    h = proximal_sampler.default_step_size(lipschitz=slope, dimension=k)
    yield equals("step size of the proximal sampler, 1/(4L²k)", h, 1.0 / (4.0 * slope**2 * k))
    steps = proximal_sampler.steps_needed(
        lipschitz=slope, strength=strength, step_size=h, tolerance=tolerance
    )
    yield equals("steps of the proximal sampler", steps, steps_printed(slope, strength, h, tolerance))
    found = proximal_sampler.sample(
        values, size, rng, dimension=k, lipschitz=slope, strength=strength,
        schedule=Schedule(steps=steps, tolerance=tolerance),
    )  # fmt: skip
    yield equals("function values of the proximal sampler", found.evaluations, sum(asked))
    # A step begins with f at all means and at all first proposals; all first proposals are never refused.
    yield equals("full batches of the proximal sampler", asked.count(size), 2 * steps)
    proposals = found.evaluations - size * steps
    yield equals("accepted proposals over proposals", found.acceptance, size * steps / proposals)


def steps_printed(lipschitz: float, strength: float, h: float, tolerance: float) -> int:
    """Relative entropy L²/(2λ), divided by (1 + hλ)² a step, must fall to 2·tolerance²."""
    start = lipschitz**2 / (2.0 * strength)
    return max(1, math.ceil(math.log(start / (2.0 * tolerance**2)) / math.log((1.0 + h * strength) ** 2)))


def counted_queries(rng: np.random.Generator) -> Iterator[Evidence]:
    """A run of the sampler of Gopi, Lee and Liu, counted in the same way; and its cut probabilities."""
    size, slope, strength, tolerance = 200, 1.0, 1.5, 0.05
    asked: list[int] = []

    def losses(x: Array, index: Array) -> Array:
        asked.append(len(x))
        return slope * np.abs(x[:, 0] - index)

    steps, h = gopi_lee_liu_sampler.schedule(lipschitz=slope, strength=strength, tolerance=tolerance)
    yield equals(
        "step size, 1/(8L²·log(2T/δ))", h, 1.0 / (8.0 * slope**2 * math.log(2.0 * steps / tolerance))
    )
    yield equals("steps of that step size", steps, steps_printed(slope, strength, h, tolerance))
    found = gopi_lee_liu_sampler.sample(
        losses, 3, size, rng, dimension=1, lipschitz=slope, strength=strength, tolerance=tolerance
    )
    yield equals("function values of the sampler of Gopi, Lee and Liu", found.queries, sum(asked))
    yield equals("steps that it says it took", found.steps, steps)
    # The first attempt of a step asks all chains at x and at z; all of them are never refused.
    yield equals("full batches of the sampler of Gopi, Lee and Liu", asked.count(size), 2 * steps)
    calls = iter(range(10**9))
    _, (_, cut, tried) = gopi_lee_liu_sampler.inner_loop(
        lambda x, index: np.full(len(x), 5.0 if next(calls) % 2 == 0 else 0.0), 3, np.zeros((size, 1)), rng,
        strength=strength, step_size=h,
    )  # fmt: skip
    # A loss that falls by 5 from x to z makes every ratio at least 6: accepted at once, and cut.
    yield equals("cut probabilities where every ratio is above 2", cut, size)
    yield equals("attempts where every ratio is above 2", tried, size)
    # The first attempt finds f larger by 5 at x than at z: all ratios are −4; after it f is 0, the ratio 1.
    once = iter(range(10**9))
    _, (_, cut, tried) = gopi_lee_liu_sampler.inner_loop(
        lambda x, index: np.full(len(x), 5.0 if next(once) == 1 else 0.0), 3, np.zeros((size, 1)), rng,
        strength=strength, step_size=h,
    )  # fmt: skip
    yield equals("cut probabilities where every first ratio is below 0", cut, size)
    yield equals("attempts are twice the chains or more", int(tried >= 2 * size), 1)
    falling = gopi_lee_liu_sampler.sample(
        lambda x, index: np.full(len(x), 5.0 if next(calls) % 2 == 0 else 0.0), 3, size, rng, dimension=1,
        lipschitz=slope, strength=strength, tolerance=tolerance,
    )  # fmt: skip
    yield equals("share of cut probabilities where every ratio is above 2", falling.cut, 1.0)


def completion(rng: np.random.Generator) -> Iterator[Evidence]:
    basis = np.linalg.qr(rng.standard_normal((5, 2)))[0]
    x = rng.standard_normal((200, 2))
    full = low_rank.embed(x, basis, rng, strength=0.3)
    error = float(np.abs(full @ basis - x).max())
    yield equals("largest error of the coordinates in the subspace", error, 0.0, error=1e-9)


PROGRAMS = {
    "potential": potential_value,
    "proximal sampler": counted_chains,
    "sampler of Gopi, Lee and Liu": counted_queries,
    "completion": completion,
}


def check(point: Point) -> Iterator[Evidence]:
    if "program" in point:
        yield from PROGRAMS[point.program](np.random.default_rng(41))
    else:
        yield from parameters(point)


# --- Laws ----------------------------------------------------------------------------------------------

Draw = tuple[str, Array, Callable[[Array], Array]]
"""Quantity, draws, and the distribution function that they should have."""


def law(
    log_density: Callable[[Array], Array], low: float, high: float, breaks: Array
) -> Callable[..., Array]:
    from audits import laws

    return laws.distribution_function(log_density, low, high, breaks=[float(b) for b in breaks])


def normal(mean: float, variance: float) -> Callable[[Array], Array]:
    from scipy.special import ndtr

    return lambda x: np.asarray(ndtr((x - mean) / math.sqrt(variance)))


def uniform(x: Array) -> Array:
    return np.clip(x, 0.0, 1.0)


def of_exact(point: Point) -> Iterator[Draw]:
    strength = 0.6
    target = product_sampler.potential(KNOTS, WEIGHTS, TILT)
    drawn = product_sampler.sample(target, point.size, point.rng, strength=strength)
    ranks = []
    for j in range(3):

        def log_density(x: Array, j: int = j) -> Array:
            distances = np.abs(x[:, None] - KNOTS[j])
            return -TILT[j] * x - (WEIGHTS[j] * distances).sum(axis=1) - 0.5 * strength * x**2

        reach = 12.0 / math.sqrt(strength)
        centre = float(np.median(drawn[:, j]))
        distribution = law(log_density, centre - reach, centre + reach, KNOTS[j])
        ranks.append(distribution(drawn[:, j]))
        yield f"coordinate {j + 1} of the exact sampler", drawn[:, j], distribution
    # Kinks without weight leave the Gaussian law: only the masses of the intervals matter here.
    halves = np.array([[-0.8, 0.0, 0.8]]) / math.sqrt(strength)
    flat = product_sampler.potential(halves, np.zeros((1, 3)))
    plain = product_sampler.sample(flat, point.size, point.rng, strength=strength)[:, 0]
    yield "exact sampler, kinks without weight", plain, normal(0.0, 1.0 / strength)
    for i, j in ((0, 1), (1, 2)):
        # Two independent uniform ranks have a uniform sum modulo 1, two equal or linked ones do not.
        yield (
            f"ranks of coordinates {i + 1} and {j + 1}, added modulo 1",
            (ranks[i] + ranks[j]) % 1.0,
            uniform,
        )


def of_step(point: Point) -> Iterator[Draw]:
    """x | y of the proximal sampler for y fixed: density ∝ exp(−f(x) − (λ/2)‖x‖² − ‖x − y‖²/(2h))."""
    slope, strength, h = 2.0, 0.7, 0.9
    variance = 1.0 / (strength + 1.0 / h)

    def drawn(f: Callable[[Array], Array], y: list[float]) -> Array:
        rows = np.tile(y, (point.size, 1))
        return proximal_sampler.restricted_gaussian(
            f, rows, point.rng, lipschitz=slope, strength=strength, step_size=h
        )[0]

    for y in (1.4, -2.0):
        mean = variance / h * y

        def along(x: Array, mean: float = mean) -> Array:
            return -slope * np.abs(x - 0.5) - (x - mean) ** 2 / (2.0 * variance)

        distribution = law(along, -10.0, 10.0, np.array([0.5]))
        one = drawn(lambda x: slope * np.abs(x[:, 0] - 0.5), [y])
        yield f"a step of the proximal sampler, y = {y:g}", one[:, 0], distribution
        two = drawn(lambda x: slope * np.abs(x[:, 0] - 0.5), [y, 2.0])
        yield f"the same in the plane, y₁ = {y:g}", two[:, 0], distribution
        yield "the same, the other coordinate", two[:, 1], normal(variance / h * 2.0, variance)

    def radial(r: Array) -> Array:
        return 2.0 * np.log(np.maximum(r, 1e-300)) - slope * r - r**2 / (2.0 * variance)

    norms = np.linalg.norm(drawn(lambda x: slope * np.linalg.norm(x, axis=1), [0.0, 0.0, 0.0]), axis=1)
    yield "norm of a step in three dimensions, y = 0", norms, law(radial, 1e-9, 12.0, np.array([]))


def of_chains(point: Point) -> Iterator[Draw]:
    """Whole chains that start at N(0, 1/λ), far from the law; the tolerance is far below the resolution."""
    slope, strength, centre = 1.0, 0.5, 3.0
    chains = point.size // 10

    def log_density(x: Array) -> Array:
        return -slope * np.abs(x - centre) - 0.5 * strength * x**2

    distribution = law(log_density, -15.0, 15.0, np.array([centre]))
    h = proximal_sampler.default_step_size(lipschitz=slope, dimension=2)
    steps = proximal_sampler.steps_needed(lipschitz=slope, strength=strength, step_size=h, tolerance=1e-3)
    ends = proximal_sampler.sample(
        lambda x: slope * np.abs(x[:, 0] - centre), chains, point.rng, dimension=2, lipschitz=slope,
        strength=strength, schedule=Schedule(steps=steps, tolerance=1e-3),
    ).points  # fmt: skip
    yield "chain of the proximal sampler", ends[:, 0], distribution
    yield "chain of the proximal sampler, flat coordinate", ends[:, 1], normal(0.0, 1.0 / strength)
    # The sampler of Gopi, Lee and Liu knows a mean of three losses, of slopes 0, L/2 and L.
    drawn = gopi_lee_liu_sampler.sample(
        lambda x, index: np.asarray(index * 0.5 * slope * np.abs(x[:, 0] - centre), dtype=np.float64),
        3, chains // 4, point.rng, dimension=2, lipschitz=slope, strength=0.8, tolerance=1e-2,
    ).points  # fmt: skip

    def strong(x: Array) -> Array:
        return -0.5 * slope * np.abs(x - centre) - 0.4 * x**2

    yield "chain of Gopi, Lee and Liu", drawn[:, 0], law(strong, -12.0, 12.0, np.array([centre]))
    yield "chain of Gopi, Lee and Liu, flat coordinate", drawn[:, 1], normal(0.0, 1.0 / 0.8)


def of_starts(point: Point) -> Iterator[Draw]:
    """The first points that a chain asks its loss at; and chains of few long steps, where noise of another
    size would stay visible.

    From x ~ N(0, 1/λ) the mean of the first proposals is (v/h)·(x + √h·ξ), v = 1/(λ + 1/h), and x | y is
    N(0, 1/λ) again for a flat loss.
    """
    slope, strength = 0.04, 0.4  # at λ = 1 a start of variance λ or 1/λ² would be the same
    asked: list[Array] = []

    def kept(x: Array) -> Array:
        asked.append(x)
        return slope * np.abs(x[:, 0])

    h = 7.5
    steps = proximal_sampler.steps_needed(lipschitz=slope, strength=strength, step_size=h, tolerance=1e-3)
    ends = proximal_sampler.sample(
        kept, point.size, point.rng, dimension=2, lipschitz=slope, strength=strength,
        schedule=Schedule(steps=steps, tolerance=1e-3, step_size=h),
    ).points  # fmt: skip
    variance = 1.0 / (strength + 1.0 / h)
    yield "first means of the proximal sampler", asked[0][:, 1], normal(
        0.0, (variance / h) ** 2 * (1.0 / strength + h)
    )  # fmt: skip
    yield "few long steps of the proximal sampler", ends[:, 1], normal(0.0, 1.0 / strength)
    points: list[Array] = []

    def losses(x: Array, index: Array) -> Array:
        points.append(x)
        return slope * np.abs(x[:, 0])

    ends = gopi_lee_liu_sampler.sample(
        losses, 2, point.size, point.rng, dimension=2, lipschitz=slope, strength=strength, tolerance=1e-3
    ).points
    yield "first points of Gopi, Lee and Liu", points[0][:, 1], normal(0.0, 1.0 / strength)
    points.clear()  # a single short step, which hardly forgets where it started
    gopi_lee_liu_sampler.sample(
        losses, 2, point.size, point.rng, dimension=2, lipschitz=0.4, strength=strength, tolerance=0.5
    )
    yield "points of a single short step", points[0][:, 1], normal(0.0, 1.0 / strength)
    yield "few long steps of Gopi, Lee and Liu", ends[:, 1], normal(0.0, 1.0 / strength)


def of_completion(point: Point) -> Iterator[Draw]:
    """The complement of the subspace is N(0, I/λ), whatever the coordinates inside are."""
    basis = np.linalg.qr(point.rng.standard_normal((4, 4)))[0]
    full = low_rank.embed(np.full((point.size, 2), 7.0), basis[:, :2], point.rng, strength=0.3)
    for j in (2, 3):
        yield f"direction {j + 1}, outside the subspace", full @ basis[:, j], normal(0.0, 1.0 / 0.3)


def ratio(point: Point) -> Iterator[Evidence]:
    """ρ at a distance that makes its second and third terms large: they need fresh indices."""
    near, far = np.full((4 * point.size, 1), 0.0), np.full((4 * point.size, 1), 1.2)
    found, _ = gopi_lee_liu_sampler.unbiased_ratio(
        lambda x, index: np.where(index == 0, 1.0, -0.5) * x[:, 0], 2, near, far, point.rng
    )
    yield mean_equals(
        "mean of the ratio over exp(F(z) − F(x))", found / math.exp(0.3), 1.0, alpha=point.alpha,
        largest_resolution=0.2,
    )  # fmt: skip


def acceptance(point: Point) -> Iterator[Evidence]:
    """The share of first proposals that is accepted for a flat loss: e^{−L²s/2}·(1 − v/s)^{k/2}.

    Every s > v keeps the law; s = √(kv)/L + v is what makes the sampler fast. For the sampler of Gopi, Lee
    and Liu a flat loss has the ratio 1, so half of the attempts are accepted.
    """
    levels = point.split(2)
    slope, strength, h, k, size = 1.5, 0.7, 0.2, 3, point.size
    asked: list[int] = []

    def flat(x: Array) -> Array:
        asked.append(len(x))
        return np.zeros(len(x))

    proximal_sampler.restricted_gaussian(
        flat, np.zeros((size, k)), point.rng, lipschitz=slope, strength=strength, step_size=h
    )
    variance = 1.0 / (strength + 1.0 / h)
    s = math.sqrt(k * variance) / slope + variance
    share = math.exp(-0.5 * slope**2 * s) * (1.0 - variance / s) ** (0.5 * k)
    yield mean_equals(
        "share of first proposals accepted, proximal sampler", np.arange(size) < size - asked[2], share,
        alpha=levels[0], method="clopper-pearson", largest_resolution=0.05,
    )  # fmt: skip
    asked.clear()
    gopi_lee_liu_sampler.inner_loop(
        lambda x, index: flat(x), 2, np.zeros((size, k)), point.rng, strength=strength, step_size=h
    )
    # The batches of one attempt shrink with every term of ρ; a second attempt starts larger again.
    second = next(after for before, after in itertools.pairwise(asked) if after > before)
    yield mean_equals(
        "share of first attempts accepted, Gopi, Lee and Liu", np.arange(size) < size - second, 0.5,
        alpha=levels[1], method="clopper-pearson", largest_resolution=0.05,
    )  # fmt: skip


JUDGED = {"ratio": ratio, "acceptance": acceptance}
PARTS = {
    "exact sampler": of_exact,
    "step of the proximal sampler": of_step,
    "chains": of_chains,
    "starts": of_starts,
    "completion": of_completion,
}


def check_laws(point: Point) -> Iterator[Evidence]:
    if point.program in JUDGED:
        yield from JUDGED[point.program](point)
        return
    found = list(PARTS[point.program](point))
    for alpha, (quantity, draws, distribution) in zip(point.split(len(found)), found, strict=True):
        yield drawn_from(quantity, draws, distribution, alpha=alpha)


CLAIM = Claim(
    PAPER,
    "Algorithm 1",
    "section 2",
    kind=Kind.IDENTITY,
    title="Parameters and counts of the samplers",
    statement=r"""The implementation takes $\eta=n\varepsilon\sqrt{k\log(1/\delta)}/(GC)$, or with the
logarithm below the fraction, and $\mu=8\eta G^2/(n^2\varepsilon^2)$, also times $\log(1/\delta)$ or $\eta$;
its samplers take the step sizes and steps of their theorems and as many function values as they say.""",
    expected=CONFIRMED,
    check=check,
    smoke=[*grid(n=(1, 50), epsilon=0.3, delta=1e-5, k=(1, 4)), *grid(program=tuple(PROGRAMS))],
    ci=[
        *grid(n=(1, 7, 1000), epsilon=(0.01, 0.49), delta=(1e-9, 0.3), k=(1, 12)),
        *grid(program=tuple(PROGRAMS)),
    ],
)
LAWS = CLAIM.reading(
    "laws",
    title="The samplers follow the law of Algorithm 1",
    statement=r"""The exact sampler, the proximal sampler and the sampler of Gopi, Lee and Liu draw from
$\exp(-\eta(L(\theta;D)+\frac\mu2\|\theta\|^2))$: every coordinate, pairs of coordinates, single steps
and whole chains.""",
    expected=CONSISTENT,
    check=check_laws,
    smoke=grid(program=(*PARTS, *JUDGED), size=20_000),
    ci=grid(program=(*PARTS, *JUDGED), size=80_000),
    largest_resolution=0.25,
)
CLAIMS = [LAWS]
