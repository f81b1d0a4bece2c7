r"""Table 1: this paper's algorithm against Levy et al. (2021) and the non-private mean.

Section 1.1: earlier work needs n to grow with d or m, or smooth losses; this paper asks for n ≥ Ω̃_ε(1) users
only, at the same rates √d/(n√m) (plus 1/√(nm) for SCO). What Õ hides decides who wins at sizes that exist. At
m = 1 users are items, and the rates are those of the rows of Bassily et al. (2014, 2019) and Feldman et al.
(2020); both are run there as well.

The problem, ε = 1, δ = 10⁻⁶, samples in the unit ball: squared loss, excess population risk ½‖θ̂ − E x‖².
Here: Algorithm 2 (G = 2, μ = 1). Levy et al.: WinsorizedMeanHighD with the constants that survive.

Where Levy et al. have enough users (855 at d = 1, 5,500 at d = 16, 150,000 at d = 4,096, for m = 10⁶), their
risk is 20 to 1,700 times smaller. In dimensions beyond that only this paper's algorithm answers.

How it is checked. The least n of either in closed form: this paper's does not depend on d. The mean squared
error of the programs against σ²d (or the variance of d Laplace noises) plus the sampling error, both ways, by
sampling; the answers of WinsorizedMeanHighD are drawn from the law that they follow up to total variation
10⁻³, and where n is too small for that there is no answer, and the risk is that of guessing. Ratios are
reported.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from audits.judge import equals, mean_equals, reported
from claims import CONSISTENT, Budget, Claim, Evidence, Kind, Plot, Point, Tier, grid
from claims.ghazi2023 import PAPER
from claims.ghazi2023._guards import accepted
from claims.ghazi2023.algorithm_1 import kappa_and_sigma
from implementations.ghazi2023 import sc_output_pert
from implementations.levy2021 import winsorized_mean_highd
from implementations.levy2021.winsorized_mean_1d import users_needed

EPSILON, DELTA, BETA, FAILURE = 1.0, 1e-6, 1e-3, 1e-3
HALF = 0.5
"""Root of the variance of a sample in all coordinates together."""


def radius_of_users(n: int, m: float, d: int, gamma: float) -> float:
    """τ within which all n user means lie of their expectation with probability 1 − γ (Gaussian norms)."""
    return HALF / math.sqrt(m) * (1.0 + math.sqrt(2.0 * math.log(n / gamma) / d))


def levy_plan(n: int, m: float, d: int) -> winsorized_mean_highd.Plan:
    gamma = FAILURE / 4.0
    tau = radius_of_users(n, m, d, gamma)
    return winsorized_mean_highd.highd_plan(n, d, EPSILON, DELTA, tau, 1.0, gamma, "corrected")


def least_users(algorithm: str, m: float, d: int) -> int:
    """Least n with which an algorithm answers: 4κ + 2 for a certificate; a failure of 10⁻³ at most."""
    if algorithm == "ghazi2023":
        return 4 * kappa_and_sigma(EPSILON, DELTA, 1.0)[0] + 2
    n = 2
    for _ in range(50):
        plan = levy_plan(n, m, d)
        share = (FAILURE / 2.0) / plan.dimension
        needed = users_needed(share, plan.epsilon, plan.tau, plan.bound, plan.constants)
        if needed <= n:
            break
        n = needed
    return n


def sample_mean(slope: float, n: int, m: float, d: int, trials: int, rng: np.random.Generator) -> np.ndarray:
    """The mean of nm samples about slope·e₁, in each trial (trials, d)."""
    mean = HALF / math.sqrt(m * n * d) * rng.standard_normal((trials, d))
    mean[:, 0] += slope
    return mean


def private_mean(mean: np.ndarray, n: int, m: float, rng: np.random.Generator) -> np.ndarray:
    """WinsorizedMeanHighD on these users; NaN where they are too few."""
    trials, d = mean.shape
    if n < least_users("levy2021", m, d):
        return np.full((trials, d), np.nan)
    return winsorized_mean_highd.noisy_mean(mean, levy_plan(n, m, d), n, rng)


def ghazi_mean(mean: np.ndarray, n: int, m: float, rng: np.random.Generator) -> np.ndarray:
    """Algorithm 2 for the squared loss."""
    p = sc_output_pert.parameters(EPSILON, DELTA, BETA, 2.0, 1.0, n, m)
    spread = np.full(len(mean), 2.0 * radius_of_users(n, m, mean.shape[1], 1e-6))
    return sc_output_pert.sc_output_pert(mean, spread, n, p, 1.0, rng, quadratic=True)[0]


Answer = Callable[[np.ndarray, int, float, np.random.Generator], np.ndarray]
MEANS: dict[str, Answer] = {
    "ghazi2023": ghazi_mean,
    "levy2021": private_mean,
    "no privacy": lambda mean, n, m, rng: mean,
}


def measure(point: Point) -> dict[str, Any]:
    """½‖θ̂ − E x‖², at most that of a point of the ball."""
    m = 10.0**point.log10_m
    mean = sample_mean(0.3, point.n, m, point.d, point.trials, point.rng)
    answer = MEANS[point.algorithm](mean, point.n, m, point.rng)
    error = 0.5 * ((answer - 0.3 * np.eye(1, point.d)[0]) ** 2).sum(axis=1)
    return {"risk": np.where(np.isnan(error), 0.5, error), "m": np.full(point.trials, m)}


def expected_risk(algorithm: str, n: int, m: float, d: int) -> float | None:
    """½(noise + sampling error) of the mean by formulas; None where there is no answer."""
    sampling = HALF**2 / (n * m)
    if algorithm == "no privacy":
        return 0.5 * sampling
    if n < least_users(algorithm, m, d):
        return None
    if algorithm == "ghazi2023":
        target = 20.0 * math.sqrt(math.log(1.0 / BETA)) / (n * math.sqrt(m))
        return 0.5 * (sampling + d * kappa_and_sigma(EPSILON, DELTA, target)[1] ** 2)
    plan = levy_plan(n, m, d)
    return 0.5 * (sampling + winsorized_mean_highd.highd_variance(plan, n) * d / plan.dimension)


def judge(rows: Any, budget: Budget) -> Iterator[Evidence]:
    dimensions = (1, 16, 256, 4096, 2**16)
    least, p = (
        least_users("ghazi2023", 1e6, 1),
        sc_output_pert.parameters(EPSILON, DELTA, BETA, 2.0, 1.0, 9, 1),
    )
    for n, taken in ((least - 1, 0), (least, 1)):
        found = accepted(lambda n=n: sc_output_pert.certified(np.zeros(1), n, p, 1.0, quadratic=True))
        yield equals("numbers of users that the program certifies at this paper's least n", found, taken)
    for d in dimensions:
        yield reported("least n of WinsorizedMeanHighD", least_users("levy2021", 1e6, d), point={"d": d})
    axes = ["n", "log10_m", "d", "algorithm"]
    judged = [
        (dict(zip(axes, key, strict=True)), cell["risk"].to_numpy()) for key, cell in rows.groupby(axes)
    ]
    risk = {tuple(point.values()): float(values.mean()) for point, values in judged}
    # Over its formula the risk has mean 1 at every n and m, so that these are judged together.
    ratios: dict[tuple[str, int], list[np.ndarray]] = {}
    for point, values in judged:
        n, m, d = int(point["n"]), 10.0 ** float(point["log10_m"]), int(point["d"])
        formula = expected_risk(point["algorithm"], n, m, d)
        if formula is not None:
            ratios.setdefault((point["algorithm"], d), []).append(values / formula)
    alphas = budget.split(len(ratios))
    for alpha, ((algorithm, d), values) in zip(alphas, ratios.items(), strict=True):
        words = f"mean risk over noise plus sampling error, {algorithm}"
        yield mean_equals(words, np.concatenate(values), 1.0, alpha=alpha, point={"d": d})
    for point, _ in judged:
        if point["algorithm"] == "ghazi2023":
            place = tuple(point.values())[:-1]
            words = "risk of this paper over that of Levy et al."
            yield reported(words, risk[(*place, "ghazi2023")] / risk[(*place, "levy2021")], point=point)


def _plot(title: str, d: int) -> Plot:
    return Plot(
        kind="loglog",
        title=title,
        x="m",
        y="risk",
        x_label="samples a user, m",
        y_label="excess population risk",
        series="algorithm",
        select={"d": d, "n": 24_000},
    )


M = (4.0, 8.0, 12.0, 16.0, 20.0)
CLAIM = Claim(
    PAPER,
    "Table 1",
    "section 1.1",
    kind=Kind.EXPERIMENT,
    title="The mean, by this paper and by Levy et al.",
    statement=r"For the mean this paper needs a number of users that does not depend on $d$; the "
    r"risk is noise $\tilde O_\varepsilon(\sqrt d/(n\sqrt m))$ plus sampling error.",
    expected=CONSISTENT,
    summary="with enough users for them, Levy et al. have noise smaller by orders of magnitude; for large d "
    "only this paper's algorithms answer",
    measure=measure,
    judge=judge,
    largest_resolution=0.5,
    plots=[
        _plot("Mean in 16 dimensions, 24,000 users", 16),
        _plot("Mean in 4,096 dimensions, 24,000 users: too many for Levy et al.", 4096),
    ],
    smoke=Tier(grid(n=24_000, log10_m=(0.0, *M[1::2]), d=(16, 4096), algorithm=tuple(MEANS)), trials=400),
    ci=Tier(
        grid(n=(2000, 24_000, 240_000), log10_m=(0.0, *M), d=(1, 16, 4096), algorithm=tuple(MEANS)),
        trials=200,
    ),
)
