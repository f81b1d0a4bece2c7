r"""Algorithm 2 (DP-SGD), line by line: iterates, average, halts, parameters, and the points of the smoothing.

The loop is written out here a second time, one run at a time. Its first iterate is θ₁ = θ₀, line 7 projects
$\theta_t-\eta\bar g_t$, line 14 averages θ₁ … θ_T (`average="before"`) or θ₂ … θ_{T+1} ("after", as in
Proposition 4.10), and a run that halts at any step returns θ₀ whatever came before.

How it is checked. With noise of 10⁻²⁰⁰ and an AboveThreshold with budget 10⁹ every line is deterministic:
the points at which gradients are asked, the output and the halts of the program against the loop written
out here, for losses whose gradient depends on θ, several starts at once, users who fall apart at one step
in one of the runs or in all of them. The probability that T scores at the threshold pass, against the
integral of Algorithm 4, for one AboveThreshold and for one a step (`:halting`). Theorem 4.1's parameters and
line 4's plan against the printed formulas, in each regime of the minimum (`:parameters`). The points of the
smoothing against the uniform law of the ball, and against each other over runs, users, items and steps
(`:smoothing`).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator

import numpy as np

from audits.judge import at_most, drawn_from, equals, mean_equals
from claims import CONFIRMED, CONSISTENT, Claim, Evidence, Kind, Point, grid
from claims.asi2024 import PAPER
from claims.asi2024.algorithm_4 import passing
from implementations import domains
from implementations.asi2024.dp_sgd import (
    AVERAGES,
    Parameters,
    dp_sgd,
    mean_plan,
    printed_parameters,
    smoothed_gradients,
)
from implementations.asi2024.outlier_removal import Plan
from implementations.interfaces import Array
from implementations.privacy import PrivacyBudget

USERS, RADIUS = 5, 0.8
OFFSETS = np.array([[0.3, -0.2], [-0.1, 0.4], [0.0, 0.1], [0.2, 0.2], [-0.4, -0.5]])
"""What each user's gradient has beside that of the mean; they do not add up to 0."""


def slope(theta: Array) -> Array:
    """A gradient field that is no gradient of a line: (trials, 2) → (trials, 2), longer than 1 in places."""
    x, y = theta[..., 0], theta[..., 1]
    return np.stack([2.0 * x + np.sin(3.0 * y), 1.5 * y**3 - x], axis=-1)


def project(theta: Array) -> Array:
    """The nearest point of the disc of radius 0.8 about the origin."""
    length = np.sqrt((theta**2).sum(axis=-1, keepdims=True))
    return np.where(length > RADIUS, theta * RADIUS / np.where(length > 0.0, length, 1.0), theta)


def printed_run(
    gradient: Callable[[Array], Array | None],
    start: Array,
    steps: int,
    step_size: float,
    nearest: Callable[[Array], Array],
    average: str,
) -> tuple[Array, list[Array]]:
    """Lines 1 to 14 without noise: the output and the points that were asked; `gradient` gives None for ⊥."""
    iterates, asked = [start], []
    for t in range(steps):
        asked.append(iterates[t])
        answer = gradient(iterates[t])
        if answer is None:
            return start, asked
        iterates.append(nearest(iterates[t] - step_size * answer))
    chosen = iterates[:steps] if average == "before" else iterates[1:]
    return sum(chosen, np.zeros_like(start)) / steps, asked


def silent_plan(steps: int) -> Plan:
    """Algorithm 1 without noise: AboveThreshold is sure, and an answer is the mean of the kept users."""
    return Plan(n=USERS, queries=steps, tau=10.0, budget=1e9, threshold=0.8 * USERS, noise=1e-200)


def check(point: Point) -> Iterator[Evidence]:
    """The program against the loop, for runs side by side of which none, one or all halt."""
    steps, eta = point.T, point.eta
    setting = Parameters(steps=steps, step_size=eta, radius=1.0, tau=10.0)
    starts = np.array([[0.1, 0.2], [-0.7, 0.1], [0.4, -0.6], [0.0, 0.75]])
    halts = {"no run": {}, "one run": {2: steps - 1}, "all runs": {0: 1, 1: steps - 1, 2: 0, 3: 1}}
    for (name, when), average, instance in itertools.product(halts.items(), AVERAGES, ("one", "fresh")):
        asked: list[Array] = []

        def users(theta: Array, asked: list[Array] = asked, when: dict[int, int] = when) -> Array:
            values = slope(theta)[:, None, :] + OFFSETS
            for run, step in when.items():
                if step == len(asked):
                    values[run, :, 0] += 1000.0 * np.arange(USERS)  # nobody is near anybody
            asked.append(theta.copy())
            return values

        out = dp_sgd(
            users,
            starts,
            silent_plan(steps),
            setting,
            domains.ball(RADIUS).project,
            point.rng,
            average=average,
            instance=instance,
        )
        worst = points = 0.0
        for run, start in enumerate(starts):
            count = [0]

            def gradient(
                theta: Array, run: int = run, count: list[int] = count, when: dict[int, int] = when
            ) -> Array | None:
                count[0] += 1
                return None if when.get(run, -1) == count[0] - 1 else slope(theta) + OFFSETS.mean(axis=0)

            stated, seen = printed_run(gradient, start, steps, eta, project, average)
            worst = max(worst, float(np.abs(out.theta[run] - stated).max()))
            points = max(
                points, *(float(np.abs(asked[t][run] - theta).max()) for t, theta in enumerate(seen))
            )
        text = f"{name} halts, average {average}, {instance}"
        yield at_most(f"largest error of the output, {text}", worst, 1e-12)
        yield at_most(f"largest error of a point that is asked, {text}", points, 1e-12)
        wrong = int((out.running != np.array([run not in when for run in range(4)])).sum())
        yield equals(f"runs wrongly said to have halted or not, {text}", wrong, 0)
        if name != "all runs":
            yield equals(f"number of queries, {text}", len(asked), steps)


def check_halting(point: Point) -> Iterator[Evidence]:
    """P(no halt) with all scores at the threshold, for one AboveThreshold and for one a step."""
    steps, epsilon = point.T, point.epsilon
    plan = Plan(n=USERS, queries=steps, tau=10.0, budget=epsilon, threshold=float(USERS), noise=1.0)
    setting = Parameters(steps=steps, step_size=0.1, radius=1.0, tau=10.0)
    zeros = np.zeros((USERS, 1))
    chances = {"one": passing([0.0] * steps, epsilon), "fresh": passing([0.0], epsilon) ** steps}
    for (instance, chance), alpha in zip(chances.items(), point.split(2), strict=True):
        out = dp_sgd(
            lambda theta: zeros, np.full((point.samples, 1), 9.0), plan, setting, lambda x: x, point.rng,
            instance=instance,
        )  # fmt: skip
        yield mean_equals(
            f"P(no halt), {instance}", out.running.astype(float), chance, alpha=alpha,
            method="clopper-pearson",
        )  # fmt: skip
        home = int((out.theta[~out.running] != 9.0).sum())
        yield equals(f"runs that halted and are not at θ₀, {instance}", home, 0)
        away = int((out.theta[out.running] == 9.0).sum())
        yield equals(f"runs that did not halt and are at θ₀, {instance}", away, 0)


def check_parameters(point: Point) -> Iterator[Evidence]:
    """T, η, r, τ and the plan of line 4 for every combination of the axes, by the printed formulas."""
    n, m, d, epsilon, delta = point.n, point.m, point.d, point.epsilon, 1e-5
    reach, lipschitz = 3.0, 0.7
    worst: dict[str, float] = {}
    for root, steps in itertools.product(("m", "whole"), (None, 7, 5000)):
        t = math.ceil(m**2 * n**2 + m * n * d**0.5) if steps is None else steps
        log = math.log(m * n * d / delta)
        signal = (m * n * epsilon) ** 0.5 if root == "whole" else m**0.5 * n * epsilon
        eta = min(signal / (t * d**0.5 * log), 1.0 / t**0.75, (n * m) ** 0.5 / t) * reach / lipschitz
        tau = lipschitz * (math.log(n * d * m * t / delta) + epsilon) / m**0.5
        found = printed_parameters(
            n, m, d, PrivacyBudget(epsilon, delta), lipschitz, reach, steps=steps, root=root
        )
        inner = delta / (2.0 * t * m * n * d)
        logs = (epsilon / 2.0 + math.log(t / inner)) * (epsilon / 2.0 + math.log(1.0 / inner))
        plan = mean_plan(n, m, d, epsilon, delta, found)
        stated = {
            "T": (found.steps, t), "η": (found.step_size, eta), "τ": (found.tau, tau),
            "r": (found.radius, d**0.25 * reach / t**0.5), "n of line 4": (plan.n, n),
            "T of line 4": (plan.queries, t), "τ of line 4": (plan.tau, tau),
            "budget of line 4": (plan.budget, epsilon / 2.0),
            "threshold of line 4": (plan.threshold, 0.8 * n),
            "noise of line 4": (plan.noise, tau * (8.0 * t * logs) ** 0.5 / (n * epsilon)),
        }  # fmt: skip
        for name, (mine, printed) in stated.items():
            worst[name] = max(worst.get(name, 0.0), abs(mine / printed - 1.0))
    for name, error in worst.items():
        yield at_most(f"largest relative error of {name}, both roots and several T", error, 1e-9)


def check_smoothing(point: Point) -> Iterator[Evidence]:
    """The points θ + y at which items are asked, d = 3, and the mean over a user's items."""
    runs, radius, rng = point.samples, 0.6, point.rng
    ways = (False, True)
    for shared, share in zip(ways, point.split(2), strict=True):
        seen: list[Array] = []

        def item(points: Array, items: Array, seen: list[Array] = seen) -> Array:
            seen.append(points.copy())
            return np.cos(points) * items

        items = rng.normal(size=(2, 3, 1))
        theta = rng.normal(size=(runs, 3))
        gradients = smoothed_gradients(item, items, radius, rng, shared=shared)
        answers = [gradients(theta), gradients(theta)]
        stated = [(np.cos(points) * items).sum(axis=2) / 3.0 for points in seen]
        error = max(float(np.abs(a - b).max()) for a, b in zip(answers, stated, strict=True))
        yield at_most(f"largest error of equation (3), shared={shared}", error, 1e-12)
        y = [(points - theta[:, None, None, :]) / radius for points in seen]
        length = np.sqrt((y[0] ** 2).sum(axis=-1))
        yield at_most(f"longest y over r, shared={shared}", float(length.max()), 1.0 + 1e-9)
        apart = float(np.abs(y[0][:, 0] - y[0][:, 1]).max())
        if shared:
            yield at_most("distance of the points of two users, shared", apart, 1e-9)
        levels = [share / 12.0] * 12

        def ball(x: Array) -> Array:
            """P(one coordinate of a uniform point of the unit ball of ℝ³ ≤ x)."""
            t = np.clip(x, -1.0, 1.0)
            return 0.25 * (2.0 + 3.0 * t - t**3)

        name = f"shared={shared}"
        yield drawn_from(
            f"(‖y‖/r)³, {name}", length[:, 0, 0] ** 3, lambda x: np.clip(x, 0.0, 1.0), alpha=levels.pop()
        )
        for k in range(3):
            yield drawn_from(f"coordinate {k + 1} of y/r, {name}", y[0][:, 1, 2, k], ball, alpha=levels.pop())
        half = runs // 2
        pairs = {
            "two items": y[0][:, 0, 0, 0] * y[0][:, 0, 1, 0],
            "two steps": y[0][:, 0, 0, 0] * y[1][:, 0, 0, 0],
            "two runs": y[0][:half, 0, 0, 0] * y[0][half : 2 * half, 0, 0, 0],
        } | ({} if shared else {"two users": y[0][:, 0, 0, 0] * y[0][:, 1, 0, 0]})
        for what, product in pairs.items():
            yield mean_equals(
                f"P(equal signs of y), {what}, {name}", (product > 0.0).astype(float), 0.5,
                alpha=levels.pop(), method="clopper-pearson",
            )  # fmt: skip
        half_ball = length**3 > 0.5  # (‖y‖/r)³ is uniform
        again = np.sqrt((y[1] ** 2).sum(axis=-1)) ** 3 > 0.5
        lengths = {
            "two items": half_ball[:, 0, 0] == half_ball[:, 0, 1],
            "two steps": half_ball[:, 0, 0] == again[:, 0, 0],
            "two runs": half_ball[:half, 0, 0] == half_ball[half : 2 * half, 0, 0],
        } | ({} if shared else {"two users": half_ball[:, 0, 0] == half_ball[:, 1, 0]})
        for what, same in lengths.items():
            yield mean_equals(
                f"P(both in the inner half of the ball, or neither), {what}, {name}", same.astype(float), 0.5,
                alpha=levels.pop(), method="clopper-pearson",
            )  # fmt: skip


CLAIM = Claim(
    PAPER,
    "Algorithm 2",
    "section 4",
    kind=Kind.IDENTITY,
    title="DP-SGD, line by line: iterates, average and halts",
    statement=r"Without noise the program asks gradients at $\theta_1=\theta_0$ and "
    r"$\theta_{t+1}=\Pi(\theta_t-\eta\bar g_t)$, returns $\frac1T\sum_t\theta_t$ over the stated $t$, and "
    r"$\theta_0$ for a run that has halted.",
    role="program",
    expected=CONFIRMED,
    check=check,
    smoke=grid(T=(4,), eta=(0.3,)),
    ci=grid(T=(3, 20), eta=(0.01, 0.3, 2.0)),
)
HALTING = CLAIM.reading(
    "halting",
    title="DP-SGD, line by line: how often runs halt",
    statement=r"With scores at the threshold a run of $T$ steps is not halted with the probability that "
    r"Algorithm 4 gives for one AboveThreshold, or for a new one at each step.",
    expected=CONSISTENT,
    check=check_halting,
    smoke=grid(T=(3,), epsilon=(0.7,), samples=(40_000,)),
    ci=grid(T=(3, 8), epsilon=(0.7, 3.0), samples=(100_000,)),
    largest_resolution=0.03,
)
PARAMETERS = CLAIM.reading(
    "parameters",
    title="DP-SGD, line by line: the parameters of Theorem 4.1",
    statement=r"$T=m^2n^2+mn\sqrt d$, $r=d^{1/4}\hat R/\sqrt T$, "
    r"$\eta=\frac{\hat R}G\min\{\frac{\sqrt mn\varepsilon}{T\sqrt d\log(mnd/\delta)},T^{-3/4},"
    r"\frac{\sqrt{nm}}T\}$ (or $\sqrt{mn\varepsilon}$), $\tau=G\log(ndme^\varepsilon T/\delta)/\sqrt m$; "
    r"line 4 runs Algorithm 1 with $\varepsilon$, $\delta/(2Tmnd)$ and $\tau$.",
    check=check_parameters,
    smoke=grid(n=(3, 40), m=(1, 6), d=(1, 5), epsilon=(0.2, 9.0)),
    ci=grid(n=(1, 3, 40, 1000), m=(1, 6, 100), d=(1, 5, 64), epsilon=(0.01, 0.2, 9.0)),
)
SMOOTHING = CLAIM.reading(
    "smoothing",
    title="DP-SGD, line by line: the points of the smoothing",
    statement=r"At each step the program asks item $j$ of user $i$ at $\theta+y$ with $y$ uniform in the "
    r"ball of radius $r$, drawn anew for each run and step, for each item, and for each user unless shared.",
    expected=CONSISTENT,
    check=check_smoothing,
    smoke=grid(samples=(20_000,)),
    ci=grid(samples=(100_000,)),
    largest_resolution=0.04,
)
CLAIMS = [HALTING, PARAMETERS, SMOOTHING]
