r"""Table 1: this paper's algorithm, Ghazi et al.'s, Levy et al.'s and no privacy, on one problem.

Printed, logarithms omitted: excess risk $1/\sqrt{nm}+\sqrt d/(n\sqrt m\varepsilon)$ for this work,
$1/\sqrt{nm}+\sqrt d/(n\sqrt m\varepsilon^{2.5})$ for Ghazi et al., both with $n\ge1/\varepsilon$ users;
section 1 has $1/\sqrt{nm}+d/(n\sqrt m\varepsilon)$ for Levy et al. (Bassily and Sun's algorithm, the first
row, is not implemented here.)

The problem: linear losses $\langle z,\theta\rangle$ on the ball of diameter 1, every user's mean gradient
Gaussian about $s\,e_1$, with s at the scale of the noise of one of the three algorithms. All see users
of one law: Algorithm 2 with T = 256 answers and the step size of theorem-4.1-utility:corrected, Phased-ERM of
ghazi2023 in its corrected variant, Algorithm 3 of levy2021 with averaged SGD of two steps, and the
minimiser of the empirical risk, which is not private. What the logarithms hide is reported: the factor of
each over the printed form of this work. m is so large that the noise of the two others does not cover the
ball.

The least number of users: for this work that with which AboveThreshold lets agreeing users pass all T queries
with probability 0.99; for Levy et al. that with which the printed failure probability of T answers is at
most 0.01 at B/τ = 200; for Ghazi et al. 8κ + 2, below which the corrected Δ does not exist.

Running time (`:work`) is counted, not measured, so that it is a function of n, m and d: gradients of items
for this work, $T\cdot nm$ with the printed $T=m^2n^2+mn\sqrt d$, and pairs of users for its scores;
$\lceil\sqrt{nm}\rceil\cdot nm$ gradients for Levy et al., where the smooth part $HR^2/T$ of their bound is
$GR/\sqrt{nm}$ for $H=G/R$; empirical minimisers on different datasets for Ghazi et al.
(ghazi2023/section-6-runtime); nm gradients without privacy.

The slope made for this work is 8σ√(d/T), so that a run that stays at its start has an excess risk of
4σ√(d/T) = 4√8·form, twice the bound, and one that goes the wrong way four times the bound.

How it is checked. This work's excess risk on the problem made for it must be at most the printed form with
the logarithms of the noise written out and the constant 2√8, by sampling; its least number of users must
lie between 1/ε and 80·log(200·T)/ε, exactly. The rows of other papers are reported and not judged. The work
of this paper's program by its own number of steps, exactly, and its exponent in nm, which makes it
polynomial.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from audits.judge import at_least, at_most, equals, mean_at_most, reported
from claims import CONFIRMED, CONSISTENT, Budget, Claim, Evidence, Kind, Plot, Point, Tier, grid
from claims.asi2024 import PAPER
from claims.asi2024.theorem_4_1_utility import STEPS, corrected_rate
from implementations import domains
from implementations.asi2024 import dp_sgd
from implementations.asi2024.above_threshold import halting_law
from implementations.asi2024.outlier_removal import look
from implementations.ghazi2023 import del_output_pert, phased_erm, sc_output_pert
from implementations.ghazi2023.deletion_sensitivity import table_counts
from implementations.ghazi2023.feasible import Ball
from implementations.ghazi2023.quadratic import Summary
from implementations.ghazi2023.reading import Guarantee, Reading
from implementations.interfaces import Array
from implementations.levy2021 import first_order
from implementations.levy2021.concentration import Concentration
from implementations.privacy import PrivacyBudget

if TYPE_CHECKING:
    import pandas as pd


ALGORITHMS = ("this work", "Ghazi et al.", "Levy et al.", "no privacy")


def least_users(queries: int, epsilon: float) -> int:
    """Least n with which n agreeing users pass `queries` checks with probability at least 0.99."""
    low, high = 0, 1
    while not _passes(high, queries, epsilon):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _passes(middle, queries, epsilon) else (middle, high)
    return high


def _passes(n: int, queries: int, epsilon: float) -> bool:
    return float(halting_law([float(n)] * queries, 0.8 * n, epsilon / 2.0)[-1]) >= 0.99


LEVY_STEPS, LEVY_GAMMA = 2, 1e-6
STEEP = 8.0
"""The slope made for this work over σ√(d/T): a run that learns nothing has twice the risk that is allowed."""


def levy_noise(n: int, m: float, d: int, epsilon: float, delta: float) -> tuple[float, float]:
    """τ and ν of levy2021: radius of user means of variance 1/(4md) a coordinate, noise of an answer."""
    tau = 0.5 * math.sqrt(2.0 * math.log(2.0 * d * n / LEVY_GAMMA) / m)
    budget = epsilon / (2.0 * math.sqrt(2.0 * LEVY_STEPS * math.log(2.0 / delta)))
    logs = math.log(d * n / LEVY_GAMMA) * math.log(2.0 * LEVY_STEPS / delta)
    return tau, math.sqrt(102_400.0 * d * tau**2 * logs) / (n * budget)


def levy_users(queries: int, epsilon: float, delta: float) -> int:
    """Least n at which T answers of levy2021 fail with probability at most 0.01, d = 1, B/τ = 200."""
    exponent = math.log(200.0 / (0.01 / queries - 2.0 * LEVY_GAMMA))
    budget = epsilon / (2.0 * math.sqrt(2.0 * queries * math.log(2.0 / delta)))
    return math.ceil(exponent * 24.0 * math.sqrt(math.log(2.0 * queries / delta)) / budget)


def ghazi_users(epsilon: float, delta: float) -> int:
    """8κ + 2 of the corrected Phased-ERM, κ for the budget of a phase at nm = 10⁹."""
    phases = phased_erm.phase_count(10**9, 1.0)
    return 8 * del_output_pert.parameters(epsilon / phases, delta / phases, 1.0).kappa + 2


def ghazi_scale(n: int, m: float, d: int, epsilon: float, delta: float) -> float:
    """The slope at which Phased-ERM's last phase has noise of the size of the ball."""
    phases = phased_erm.phase_count(n, m)
    strength = phased_erm.printed_regulariser(1.0, 1.0, n, m, d)
    beta = 1.0 / (n * m * phases)
    sigma = sc_output_pert.parameters(epsilon / phases, delta / phases, beta, 2.0, strength, n, m).sigma
    return min(0.5, sigma * strength * math.sqrt(d))


def this_work(
    mean: Array, n: int, m: float, d: int, epsilon: float, delta: float, rng: np.random.Generator
) -> Array:
    """θ̂ of Algorithm 2 where all users agree with their mean up to far less than τ."""
    whole = round(m)
    setting = dp_sgd.printed_parameters(n, whole, d, PrivacyBudget(epsilon, delta), 1.0, 1.0, steps=STEPS)
    plan = dp_sgd.mean_plan(n, whole, d, epsilon, delta, setting)
    spread = math.sqrt(8.0 / d) * corrected_rate(n, whole, d, epsilon, delta)
    step = dp_sgd.Parameters(
        steps=STEPS, step_size=1.0 / (spread * math.sqrt(d) * STEPS), radius=setting.radius, tau=setting.tau
    )
    query = look(mean[:, None, :], setting.tau, [n])
    ball = domains.ball(0.5)
    return dp_sgd.dp_sgd(
        lambda theta: query, np.zeros_like(mean), plan, step, ball.project, rng, average="after"
    ).theta


def levy(
    slope: float, sd: float, n: int, m: float, d: int, budget: PrivacyBudget, trials: int,
    rng: np.random.Generator,
) -> Array:  # fmt: skip
    """θ̂ of levy2021's Algorithm 3 with averaged SGD on users of their own with the same law."""
    users = sd * rng.standard_normal((trials, n, d))
    users[:, :, 0] += slope
    tau, noise = levy_noise(n, m, d, budget.epsilon, budget.delta)
    ball = domains.ball(0.5)
    method = first_order.averaged_sgd(ball.project, 0.0, 1.0, noise, LEVY_STEPS)
    return first_order.winsorized_first_order(
        lambda theta: users, method, np.zeros((trials, d)), LEVY_STEPS, budget,
        Concentration(tau, 1.0, LEVY_GAMMA), rng,
    )  # fmt: skip


def slope_of(problem: str, n: int, m: float, d: int, epsilon: float, delta: float) -> float:
    """s at the scale of the noise of the algorithm that the problem is made for."""
    if problem == "this work":
        scale = STEEP * math.sqrt(8.0) * corrected_rate(n, round(m), d, epsilon, delta)
    elif problem == "Ghazi et al.":
        scale = ghazi_scale(n, m, d, epsilon, delta)
    else:
        scale = levy_noise(n, m, d, epsilon, delta)[1] / math.sqrt(LEVY_STEPS)
    return min(scale, 0.5)


def measure(point: Point) -> dict[str, Any]:
    """Excess population risks, a row a trial and algorithm; or the least numbers of users."""
    if "queries" in point:
        queries, epsilon = point.queries, point.epsilon
        return {
            "least": float(least_users(queries, epsilon)),
            "least_levy": float(levy_users(queries, epsilon, point.delta)),
            "least_ghazi": float(ghazi_users(epsilon, point.delta)),
        }
    n, m, d, rng = point.n, 10.0**point.log10_m, point.d, point.rng
    epsilon, delta = point.epsilon, point.delta
    form = corrected_rate(n, round(m), d, epsilon, delta)
    slope = slope_of(point.problem, n, m, d, epsilon, delta)
    sd = 0.5 / math.sqrt(m * d)
    mean = sd / math.sqrt(n) * rng.standard_normal((point.trials, d))
    mean[:, 0] += slope
    # the users' spread is far below every threshold of either algorithm: a bound of it for all trials
    spread = sd * (math.sqrt(d) + math.sqrt(2.0 * math.log(n * point.trials * 1e6)))
    users = Summary(mean, np.full(point.trials, spread), n, 0.0, 1.0, m)
    ball = [Ball(np.zeros(d), 0.5)]
    strength = phased_erm.printed_regulariser(1.0, 1.0, n, m, d)
    other = phased_erm.phased_erm(
        users, ball, np.zeros(d), Guarantee(epsilon, delta, 1.0 / (n * m)), strength, rng,
        reading=Reading(variant="corrected"),
    )[-1].theta  # fmt: skip
    # each trial of levy2021 needs all n users, so fewer are run
    few = max(4, point.trials // 50)
    answers = {
        "this work": this_work(mean, n, m, d, epsilon, delta, rng),
        "Ghazi et al.": other,
        "Levy et al.": levy(slope, sd, n, m, d, PrivacyBudget(epsilon, delta), few, rng),
        "no privacy": -0.5 * mean / np.linalg.norm(mean, axis=1, keepdims=True),
    }
    # population risk ⟨s·e₁, θ⟩, least at −e₁/2; a phase that fails has no answer and the largest risk
    risks = {name: slope * (theta[:, 0] + 0.5) for name, theta in answers.items()}
    printed = 1.0 / math.sqrt(n * m) + math.sqrt(d) / (n * math.sqrt(m) * epsilon)
    found = np.concatenate([np.where(np.isnan(r), slope, r) for r in risks.values()])
    return {
        "algorithm": np.repeat(list(risks), [r.size for r in risks.values()]),
        "risk": found,
        "factor": found / printed,
        "bound": np.full(found.size, 2.0 * math.sqrt(8.0) * form + 1.0 / math.sqrt(n * m)),
    }


def judge(rows: pd.DataFrame, budget: Budget) -> Iterator[Evidence]:
    """This work against the written-out form, cell by cell; the others are reported; the numbers of users."""
    counted = rows["least"].notna() if "least" in rows else rows["n"].isna()
    for row in rows[counted].to_dict("records"):
        queries, epsilon = int(row["queries"]), float(row["epsilon"])
        point = {"queries": queries, "epsilon": epsilon}
        quantity = "least n that passes all queries with probability 0.99, times ε"
        found = float(row["least"]) * epsilon
        yield at_least(quantity, found, 1.0, point=point)
        yield at_most(quantity, found, 80.0 * math.log(200.0 * queries) + epsilon, point=point)
        yield reported("least n of Levy et al., times ε", float(row["least_levy"]) * epsilon, point=point)
        yield reported("least n of Ghazi et al., times ε", float(row["least_ghazi"]) * epsilon, point=point)
    axes = ["n", "log10_m", "d", "epsilon", "problem"]
    cells = list(rows[~counted].groupby(axes))
    alpha = budget.split(len(cells))[0]
    for key, cell in cells:
        point = dict(zip(axes, key, strict=True))
        ours = cell[cell["algorithm"] == "this work"]
        if point["problem"] == "this work":  # on the steeper problems its risk is all but 0
            ratio = ours["risk"] / ours["bound"]
            yield mean_at_most(
                "risk of this work over the written-out form", ratio, 1.0, alpha=alpha, point=point
            )
        for name, runs in cell.groupby("algorithm"):
            factor = float(runs["factor"].mean())
            yield reported(f"risk over 1/√(nm) + √d/(n√mε), {name}", factor, point=point)


def check_work(point: Point) -> Iterator[Evidence]:
    """log₁₀ of what each algorithm evaluates."""
    n, m, d = point.n, point.m, point.d
    items = n * m
    if point.algorithm == "this work":
        steps = dp_sgd.printed_parameters(n, m, d, PrivacyBudget(1.0, 1e-6), 1.0, 1.0).steps
        yield equals(
            "log₁₀ of what is evaluated",
            math.log10(steps) + math.log10(items),
            math.log10(math.ceil(items**2 + items * math.sqrt(d)) * items),
        )
        exponent = math.log(steps * items / math.sqrt(d)) / math.log(items)
        yield at_most("exponent of nm in the gradients over √d", exponent, 4.0)
        yield reported("log₁₀ of the pairs of users of all scores", math.log10(steps) + 2.0 * math.log10(n))
    elif point.algorithm == "Levy et al.":
        yield reported(
            "log₁₀ of what is evaluated", math.log10(math.ceil(math.sqrt(items))) + math.log10(items)
        )
    elif point.algorithm == "Ghazi et al.":
        kappa = del_output_pert.parameters(1.0, 1e-6, 1.0).kappa
        yield reported("log₁₀ of what is evaluated", math.log10(table_counts(n, kappa)[1]))
    else:
        yield reported("log₁₀ of what is evaluated", math.log10(items))


def _tier(
    n: tuple[int, ...], d: tuple[int, ...], queries: tuple[int, ...], trials: int, more: list[Any]
) -> Tier:
    problems = grid(
        n=n, log10_m=(22.0,), d=d, epsilon=(1.0,), delta=(0.1,),
        problem=("this work", "Ghazi et al.", "Levy et al."),
    )  # fmt: skip
    return Tier([*problems, *more, *grid(queries=queries, epsilon=(0.1, 1.0), delta=(0.1,))], trials=trials)


_BASE = {"n": 96_000, "log10_m": 22.0, "d": 4, "epsilon": 1.0, "delta": 0.1, "problem": "this work"}
_SWEEPS: list[Any] = [
    *(_BASE | {"log10_m": log10_m} for log10_m in (20.0, 24.0)),
    *(_BASE | {"d": d} for d in (1, 16)),
    *(_BASE | {"epsilon": epsilon} for epsilon in (0.25, 0.5)),
]


def _risk_plot(problem: str, x: str, label: str, fixed: dict[str, Any]) -> Plot:
    return Plot(
        kind="curve",
        title=f"Excess risk where the slope suits {problem}",
        x=x,
        y="risk",
        x_label=label,
        y_label="excess risk",
        series="algorithm",
        log_x=x != "log10_m",
        log_y=True,
        select={"problem": problem} | fixed,
    )


CLAIM = Claim(
    PAPER,
    "Table 1",
    "section 1.1",
    kind=Kind.EXPERIMENT,
    title="Excess risk and users of this work, Ghazi et al., Levy et al. and no privacy",
    statement=r"The row of this work: up to logarithms its excess risk is $1/\sqrt{nm}+\sqrt d/(n\sqrt "
    r"m\varepsilon)$ with $n\ge1/\varepsilon$ users. The rows of other papers are reported beside it and not "
    r"judged.",
    expected=CONSISTENT,
    summary="with the logarithms written out; what they hide is reported for each algorithm",
    measure=measure,
    judge=judge,
    smoke=_tier((48_000,), (4,), (1, 16), 200, [_BASE | {"epsilon": 0.5}]),
    ci=_tier((48_000, 96_000, 192_000), (4,), (1, 16, 256), 300, _SWEEPS),
    largest_resolution=0.5,
    plots=[
        *(
            _risk_plot(problem, "n", "users n, with d = 4, m = 10²²", {"d": 4, "log10_m": 22.0})
            for problem in ("this work", "Ghazi et al.", "Levy et al.")
        ),
        _risk_plot("this work", "d", "dimension d, n = 96,000, m = 10²²", {"n": 96_000, "log10_m": 22.0}),
        _risk_plot("this work", "log10_m", "log₁₀ of the items m, n = 96,000, d = 4", {"n": 96_000, "d": 4}),
    ],
)
WORK = CLAIM.reading(
    "work",
    title="What this work, Ghazi et al., Levy et al. and no privacy evaluate",
    statement=r"This work evaluates $(m^2n^2+mn\sqrt d)nm$ gradients, a polynomial; the enumeration of Ghazi "
    r"et al. evaluates empirical minimisers on $\sum_{s\le4\kappa+1}\binom ns$ datasets, $\varepsilon=1$, "
    r"$\delta=10^{-6}$.",
    expected=CONFIRMED,
    summary="counted from the printed numbers of steps, and from the enumeration of ghazi2023",
    measure=None,
    judge=None,
    check=check_work,
    smoke=grid(n=(100, 10_000), m=(10,), d=(10,), algorithm=ALGORITHMS),
    ci=[
        *grid(n=(100, 1000, 10_000, 100_000), m=(10,), d=(10,), algorithm=ALGORITHMS),
        *grid(n=(1000,), m=(1, 100, 1000), d=(10,), algorithm=ALGORITHMS),
        *grid(n=(1000,), m=(10,), d=(1, 100, 10_000), algorithm=ALGORITHMS),
    ],
    largest_resolution=None,
    plots=[
        Plot(
            kind="curve",
            title="Gradients, for Ghazi et al. empirical minimisers, that are evaluated",
            x=axis,
            y="value",
            x_label=label,
            y_label="log₁₀ of their number",
            series="algorithm",
            log_x=True,
            log_y=True,
            select={"quantity": "log₁₀ of what is evaluated"} | fixed,
        )
        for axis, label, fixed in (
            ("n", "users n, with m = d = 10", {"m": 10, "d": 10}),
            ("m", "items m of a user, with n = 1000, d = 10", {"n": 1000, "d": 10}),
            ("d", "dimension d, with n = 1000, m = 10", {"n": 1000, "m": 10}),
        )
    ],
)
CLAIMS = [WORK]
