"""One algorithm of each paper at parameters that the reader chooses: what the notebook `explore_rate` runs.

The functions `song2021`, `levy2021`, `ghazi2023`, `lee2024` and `asi2024` take a `Setting`, a number of
trials and a generator. Each returns the excess risks (trials,) of independent runs, the value that the
theorem states at the setting, and the risk of an answer that does not look at the data: where the stated
value is above that risk, the rate cannot be seen. A constant that the theorem does not print is taken as 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from claims.asi2024._hard_losses import excess_risks
from claims.ghazi2023._rates import noise_factor, users_about
from claims.harness.parameters import choice, real, whole
from implementations import losses
from implementations.asi2024.dp_sgd import mean_plan, printed_parameters
from implementations.ghazi2023 import phased_erm
from implementations.ghazi2023.feasible import Ball
from implementations.ghazi2023.reading import Guarantee, Reading
from implementations.interfaces import Adjacency, Array
from implementations.lee2024 import product_sampler, regularised_exponential
from implementations.levy2021 import winsorized_mean_highd
from implementations.privacy import PrivacyBudget
from implementations.song2021 import dp_gd

if TYPE_CHECKING:
    import pandas as pd

LOSSES = {"pinball": losses.pinball(0.3), "absolute": losses.absolute(), "huber": losses.huber(0.1)}
GAMMA = 1e-3
"""The failure probability of levy2021's algorithm."""
STEPS = 256
"""The steps T of asi2024's algorithm."""
Runs = tuple[Array, float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One point: n records or users, m items a user, d dimensions, the claim (ε, δ)."""

    loss: str
    n: int
    m: int
    d: int
    epsilon: float
    delta: float


def song2021(at: Setting, trials: int, rng: np.random.Generator) -> Runs:
    """Algorithm 1 on d coordinates of weight 1/d whose optimum has norm 1; T = n²ε² steps (Theorem 3.1)."""
    steps = math.ceil((at.n * at.epsilon) ** 2)
    if steps > 200_000:
        raise ValueError(f"n·epsilon must be ≤ 447 for song2021: T = n²ε² steps are run, got {steps:,}")
    sigma = dp_gd.noise_scale(
        epsilon=at.epsilon,
        delta=at.delta,
        n=at.n,
        steps=steps,
        lipschitz=1.0,
        noise="printed",
        adjacency=Adjacency.REPLACE,
    )
    eta = dp_gd.learning_rate(radius=1.0, lipschitz=1.0, rank=at.d, noise=sigma, steps=steps)
    targets, weights = np.full((1, at.d), -1.0 / math.sqrt(at.d)), np.full((1, at.d), 1.0 / at.d)
    loss = LOSSES[at.loss]
    theta = dp_gd.run(
        dp_gd.coordinate_gradient(loss, targets, weights),
        np.zeros((trials, at.d)),
        steps=steps,
        learning_rate=eta,
        noise=dp_gd.gaussian_noise((trials, at.d), sigma, rng),
    ).printed
    best = dp_gd.coordinate_risk(loss, targets, weights, targets)
    stated = math.sqrt(1.0 + 2.0 * at.d * math.log(1.0 / at.delta)) / (at.epsilon * at.n)
    trivial = float(dp_gd.coordinate_risk(loss, targets, weights, np.zeros((1, at.d)))[0] - best[0])
    return dp_gd.coordinate_risk(loss, targets, weights, theta) - best, stated, trivial


def levy2021(at: Setting, trials: int, rng: np.random.Generator) -> Runs:
    """Algorithm 2 on users with m standard normal items: squared distance to the mean of the law.

    The output is close in law to mean + noise (Theorem 2), so the mean over the users is drawn exactly, the
    noise is that of the algorithm, and n may be large.
    """
    tau = 2.0 * (math.sqrt(at.d) + math.sqrt(2.0 * math.log(at.n / GAMMA))) / math.sqrt(at.m)
    plan = winsorized_mean_highd.highd_plan(at.n, at.d, at.epsilon, at.delta, tau, 100.0, GAMMA)
    failure = winsorized_mean_highd.highd_failure(plan, at.n, GAMMA)
    if failure > 0.05:
        raise ValueError(f"n must be larger for levy2021: its range fails with probability {failure:.2g}")
    means = rng.standard_normal((trials, at.d)) / math.sqrt(at.n * at.m)
    risks = (winsorized_mean_highd.noisy_mean(means, plan, at.n, rng) ** 2).sum(axis=1)
    logs = math.log(at.d * at.n / GAMMA) * math.log(1.0 / at.delta)
    noise = 102_400.0 * at.d * tau**2 * logs / (at.n * at.epsilon) ** 2
    return risks, noise + at.d / (at.n * at.m), float(at.d)  # the answer 0 is off by √d at most


def ghazi2023(at: Setting, trials: int, rng: np.random.Generator) -> Runs:
    """Algorithm 3 with projected answers on linear losses about the slope that is hardest (Theorem 4.1).

    The statement hides logarithms and constants, K: they are computed from the printed formulas.
    """
    beta, radius = 1.0 / (at.n * at.m), 0.5
    phases = phased_erm.phase_count(at.n, at.m)
    logs = noise_factor(at.n, at.m, phases, at.epsilon, at.delta, beta)
    stated = logs * math.sqrt(at.d) / (at.n * math.sqrt(at.m))
    slope = np.eye(1, at.d)[0] * min(0.8, stated)
    users = users_about(slope, at.n, at.m, trials, 0.0, rng)
    regulariser = phased_erm.printed_regulariser(1.0, 1.0, at.n, at.m, at.d)
    theta = phased_erm.phased_erm(
        users,
        [Ball(np.zeros(at.d), radius)],
        np.zeros(at.d),
        Guarantee(at.epsilon, at.delta, beta),
        regulariser,
        rng,
        reading=Reading(variant="corrected"),
    )[-1].theta
    best = -radius * users.mean / np.linalg.norm(users.mean, axis=1, keepdims=True)
    return users.excess(theta, best), stated, 2.0 * radius  # RG, G = 1: the most that an answer can cost


def lee2024(at: Setting, trials: int, rng: np.random.Generator) -> Runs:
    """Algorithm 1, exactly sampled, on losses of rank d whose minimiser is z = (C/√d)·(1, …, 1).

    All records agree, so that the risk is (1/√d)·Σ|θ_j − z_j|, with G = C = 1; its η and μ are those that
    make the algorithm private (`lee2024/theorem-2.2-privacy:corrected`).
    """
    chosen = regularised_exponential.parameters(
        n=at.n,
        epsilon=at.epsilon,
        delta=at.delta,
        rank=at.d,
        lipschitz=1.0,
        radius=1.0,
        inverse_temperature="log-below",
        regulariser="log",
    )
    slope = 1.0 / math.sqrt(at.d)
    best = np.full((at.d, 1), 1.0 / math.sqrt(at.d))
    law = product_sampler.potential(best, np.full((at.d, 1), chosen.eta * slope))
    theta = product_sampler.sample(law, trials, rng, strength=chosen.strength)
    stated = math.sqrt(at.d * math.log(1.0 / at.delta)) / (at.n * at.epsilon)
    return slope * np.abs(theta - best[:, 0]).sum(axis=1), stated, 1.0  # the answer 0 costs GC


def asi2024(at: Setting, trials: int, rng: np.random.Generator) -> Runs:
    """Algorithm 2 on the linear losses that its noise hides best; every item of every user is the same.

    The printed T = m²n² + mn√d steps are out of reach. On these losses the noise counts as σ/√T, which
    depends on T through logarithms only. There is no error of sampling, so that the stated value here is the
    theorem's second term, that of the noise, without 1/√(nm).
    """
    setting = printed_parameters(at.n, at.m, at.d, PrivacyBudget(at.epsilon, at.delta), 1.0, 1.0, steps=STEPS)
    plan = mean_plan(at.n, at.m, at.d, at.epsilon, at.delta, setting)
    spread = plan.noise / math.sqrt(STEPS)
    slope = 0.75 * spread * math.sqrt(at.d)  # the length of the losses' gradient, G = 1 at most
    if slope > 1.0:
        raise ValueError(f"n must be larger for asi2024: its noise hides slopes of {slope:.2g}, G is 1")
    risks = excess_risks(plan, at.d, STEPS, spread, 0.75, trials, rng)
    logs = math.log(at.n * at.d * at.m / at.delta)
    stated = math.sqrt(at.d) * logs / (at.n * math.sqrt(at.m) * at.epsilon)
    return risks, stated, 1.0  # RG: the most that an answer can cost


@dataclass(frozen=True, slots=True)
class Experiment:
    """An algorithm, its losses, the sizes n and m by default, and the exponents that the theorem states."""

    run: Callable[[Setting, int, np.random.Generator], Runs]
    algorithm: str
    losses: tuple[str, ...]
    n: int
    m: int
    stated: Mapping[str, float]


EXPERIMENTS = {
    "song2021": Experiment(song2021, "dp_gd", tuple(LOSSES), 300, 1, {"n": -1.0, "d": 0.5, "epsilon": -1.0}),
    "levy2021": Experiment(levy2021, "winsorized_mean", ("squared",), 100_000, 100, {}),
    "ghazi2023": Experiment(
        ghazi2023, "phased_erm", ("linear",), 10**8, 10**17, {"n": -1.0, "m": -0.5, "d": 0.5}
    ),
    "lee2024": Experiment(
        lee2024, "regularised_exponential", ("absolute",), 10_000, 1, {"n": -1.0, "d": 0.5, "epsilon": -1.0}
    ),
    "asi2024": Experiment(
        asi2024, "dp_sgd", ("linear",), 10**6, 10_000, {"n": -1.0, "m": -0.5, "d": 0.5, "epsilon": -1.0}
    ),
}


def setting(
    paper: str,
    algorithm: str = "",
    loss: str = "",
    *,
    n: float = 0,
    m: float = 0,
    d: float = 2,
    epsilon: float = 1.0,
    delta: float = 1e-5,
) -> Setting:
    """The largest point of a sweep; "" and 0 take the paper's own, `EXPERIMENTS`.

    Raises ValueError, in a sentence that names the parameter, for bad input.

    >>> setting("lee2024", n=500).n
    500
    """
    chosen = EXPERIMENTS[choice("paper", paper, EXPERIMENTS)]
    choice("algorithm", algorithm or chosen.algorithm, [chosen.algorithm])
    found = Setting(
        loss=choice("loss", loss or chosen.losses[0], chosen.losses),
        n=whole("n", n or chosen.n, least=8),
        m=whole("m", m or chosen.m),
        d=whole("d", d, most=4096),
        epsilon=real("epsilon", epsilon),
        delta=real("delta", delta, below=1.0),
    )
    if chosen.m == 1 and found.m != 1:
        raise ValueError(f"m must be 1 for {paper}, whose records are the people, got {found.m}")
    return found


def sweep(paper: str, base: Setting, axis: str, trials: int, seed: int) -> pd.DataFrame:
    """Runs at five values of the parameter `axis`, from that of `base` downwards (d: upwards), a row a trial.

    Columns: the axis; the excess risk `risk`; `stated`, the theorem's value; `trivial`, that without data.
    Raises ValueError for bad input, and where the algorithm cannot run at one of the values.
    """
    import pandas as pd

    experiment = EXPERIMENTS[choice("paper", paper, EXPERIMENTS)]
    trials = whole("trials", trials, least=10, most=10_000)
    axes = ["n", "d", "epsilon"] if experiment.m == 1 else ["n", "m", "d", "epsilon"]
    ratio = {"n": 0.8 if paper == "song2021" else 0.5, "m": 0.1, "d": 2.0, "epsilon": 0.7}
    factor = ratio[choice("sweep", axis, axes)]
    values = [getattr(base, axis) * factor**k for k in range(5)]
    rng = np.random.default_rng(whole("seed", seed, least=0))
    rows: list[dict[str, float]] = []
    for value in sorted({value if axis == "epsilon" else max(1, round(value)) for value in values}):
        risks, stated, trivial = experiment.run(replace(base, **{axis: value}), trials, rng)
        rows += [{axis: value, "risk": risk, "stated": stated, "trivial": trivial} for risk in risks]
    return pd.DataFrame(rows)


def means(rows: pd.DataFrame, axis: str) -> pd.DataFrame:
    """A row a value of the axis: the mean risk, its standard error, and both beside the stated value."""
    import pandas as pd

    grouped = rows.groupby(axis)
    found = pd.DataFrame({"excess risk": grouped["risk"].mean(), "standard error": grouped["risk"].sem()})
    found["stated"] = grouped["stated"].first()
    found["without the data"] = grouped["trivial"].first()
    found["share of the stated"] = found["excess risk"] / found["stated"]
    return found
