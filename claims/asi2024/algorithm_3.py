r"""Algorithm 3 (localisation), line by line: phases, users, parameters, starts and the noise of each phase.

The parameters stand in the proof of Theorem 4.11: $E_i$, $D_i$, $\hat R_j=\sqrt{2D_{j-1}/\mu}$ and the
setting of Theorem 4.1 for $n_j$ users and $\hat R_j$. A phase starts where the last one ended, on users of
its own; a phase that halts ends at its own start.

How it is checked. The schedule against the printed formulas, written out here a second time: the number of
phases for natural and binary logarithms, their users, which must be disjoint, and all four parameters, with
$G$, $\mu$ and $C$ different from 1 and 2. The run, exactly, against the loop of Algorithm 2 written out in
algorithm-2, phase after phase, for gradients that differ from phase to phase and noise of 10⁻²⁰⁰; one run
halts in the second phase. The noise of a phase by sampling: one step on gradients 0 moves the output by η
times the noise that line 4 of Algorithm 2 has for the users and the radius of this phase (`:noise`), phase
by phase and for two phases in one run, whose noises must be independent (`:phases-together`).

Theorem 4.11, privacy: that of the whole needs that of a phase, users that serve once, and no more noise or
budget than line 4 gives. Later phases see earlier users through their output only.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from claims import CONFIRMED, CONSISTENT, Claim, Evidence, Kind, Point, at_most, equals, grid, mean_equals
from claims.asi2024 import PAPER
from claims.asi2024.algorithm_2 import printed_run, project, slope
from implementations.asi2024.dp_sgd import AVERAGES, Parameters, UserGradients, mean_plan
from implementations.asi2024.localised import LossClass, Phase, localised_sgd, phase_count, schedule, targets
from implementations.interfaces import Array
from implementations.privacy import PrivacyBudget

DELTA, LIPSCHITZ, CONVEXITY, CONSTANT = 1e-5, 0.7, 0.4, 2.5


def check(point: Point) -> Iterator[Evidence]:
    """Every phase of the schedule, for both logarithms and for the printed and a stated T."""
    n, m, d, epsilon = point.n, point.m, point.d, point.epsilon
    for name, base, steps in (("natural", math.e, None), ("binary", 2.0, 50)):
        k = math.ceil(math.log(math.log(n * m, base), base))
        found = schedule(
            n, m, d, PrivacyBudget(epsilon, DELTA), LossClass(LIPSCHITZ, CONVEXITY), constant=CONSTANT,
            logarithm=name, steps=None if steps is None else lambda users, steps=steps: steps + users,
        )  # fmt: skip
        yield equals(f"number of phases, {name}", len(found), k)
        wrong = [items for items in range(2, 400) if phase_count(1, items, name) != least_phases(items, base)]
        yield equals(f"numbers of 2 to 399 items with another number of phases, {name}", len(wrong), 0)
        taken, worst = 0, dict[str, float]()
        goal = optimal(n / 2.0 ** (k + 1), m, d, epsilon)
        ratio = 2.0 * LIPSCHITZ**2 / CONVEXITY / (16.0 * goal)
        for i, phase in enumerate(found, start=1):
            users = n // 2 ** (k + 1 - i)
            yield equals(f"users of phase {i}, {name}", phase.users, users)
            yield equals(f"first user of phase {i}, {name}", phase.first, taken)
            taken += users
            before = 16.0 * optimal(n / 2.0 ** (k + 2 - i), m, d, epsilon) * ratio ** (2.0 ** (1 - i))
            reach = math.sqrt(2.0 * before / CONVEXITY)
            t = math.ceil((users * m) ** 2 + users * m * math.sqrt(d)) if steps is None else steps + users
            log = math.log(m * users * d / DELTA)
            private = math.sqrt(m) * users * epsilon / (t * math.sqrt(d) * log)
            eta = min(private, t**-0.75, math.sqrt(users * m) / t)
            stated = Parameters(
                steps=t, step_size=eta * reach / LIPSCHITZ, radius=d**0.25 * reach / math.sqrt(t),
                tau=LIPSCHITZ * (math.log(users * d * m * t / DELTA) + epsilon) / math.sqrt(m),
            )  # fmt: skip
            for symbol, field in (("T", "steps"), ("η", "step_size"), ("r", "radius"), ("τ", "tau")):
                over = getattr(phase.parameters, field) / getattr(stated, field)
                worst[symbol] = max(worst.get(symbol, 0.0), abs(over - 1.0))
        for symbol, error in worst.items():
            yield at_most(f"largest relative error of {symbol} over the phases, {name}", error, 1e-9)
        yield at_most(f"users of all phases, {name}", taken, n)
        goals = targets(
            n, m, d, PrivacyBudget(epsilon, DELTA), LossClass(LIPSCHITZ, CONVEXITY), k, constant=CONSTANT
        )
        yield equals(f"number of E_i, {name}", len(goals.optimal), k + 1)
        yield equals(f"number of D_i, {name}", len(goals.reached), k + 1)
        error = 0.0
        for i, (e, reached) in enumerate(zip(goals.optimal, goals.reached, strict=True)):
            share = optimal(n / 2.0 ** (k + 1 - i), m, d, epsilon)
            error = max(error, abs(e / share - 1.0), abs(reached / (16.0 * share * ratio ** (0.5**i)) - 1.0))
        yield at_most(f"largest relative error of E_i and D_i, {name}", error, 1e-9)


def least_phases(items: int, base: float) -> int:
    """The least k ≥ 1 with base^(base^k) ≥ mn, which is ⌈log log mn⌉ where that is positive."""
    return next(k for k in range(1, 9) if base ** (base**k) >= items)


def optimal(users: float, m: int, d: int, epsilon: float) -> float:
    """E_i for n_i users: (4C²G²/μ)(1/(n_i m) + d·log²(n_i dm/δ)/(n_i²ε²m))."""
    log = math.log(users * d * m / DELTA)
    terms = 1.0 / (users * m) + d * log**2 / (users**2 * epsilon**2 * m)
    return 4.0 * CONSTANT**2 * LIPSCHITZ**2 / CONVEXITY * terms


def phases_of(tau: float, step_size: float, steps: int) -> list[Phase]:
    """Three phases of 4, 8 and 16 users, each with another step size and number of steps."""
    setting = Parameters(steps=steps, step_size=step_size, radius=1.0, tau=tau)
    return [
        Phase(first, users, replace(setting, steps=steps + k, step_size=step_size * (k + 1.0)))
        for k, (first, users) in enumerate(((0, 4), (4, 8), (12, 16)))
    ]


def check_run(point: Point) -> Iterator[Evidence]:
    """The output without noise, and with one run that halts in the second phase."""
    starts = np.array([[0.1, 0.2], [-0.7, 0.1], [0.4, -0.6]])
    for average in AVERAGES:
        for halted in (None, 1):

            def gradients(phase: Phase, halted: int | None = halted) -> UserGradients:
                queries = [0]

                def users(theta: Array) -> Array:
                    tilt = np.array([0.1 * phase.first, -0.05 * phase.users])
                    values = np.repeat((slope(theta) + tilt)[:, None, :], phase.users, axis=1)
                    if halted is not None and phase.first == 4 and queries[0] == 1:
                        values[halted, :, 0] += 1000.0 * np.arange(phase.users)
                    queries[0] += 1
                    return values

                return users

            plan = phases_of(1e-200, 0.2, 3)
            out = localised_sgd(
                gradients, plan, starts, 2, PrivacyBudget(300.0, 0.01), project, point.rng, average=average
            )
            worst = 0.0
            for run, start in enumerate(starts):
                place = start
                for phase in plan:
                    tilt = np.array([0.1 * phase.first, -0.05 * phase.users])
                    if run == halted and phase.first == 4:
                        continue  # the phase ends where it began
                    place, _ = printed_run(
                        lambda theta, tilt=tilt: slope(theta) + tilt, place, phase.parameters.steps,
                        phase.parameters.step_size, project, average,
                    )  # fmt: skip
                worst = max(worst, float(np.abs(out.theta[run] - place).max()))
            text = f"average {average}, {'no run' if halted is None else 'one run'} halts"
            yield at_most(f"largest error of the output, {text}", worst, 1e-12)
            wrong = int((out.running != (np.arange(3) != halted)).sum())
            yield equals(f"runs wrongly said to have halted or not, {text}", wrong, 0)


def check_noise(point: Point) -> Iterator[Evidence]:
    """Second moment of one step on gradients 0, phase by phase, over that of the printed plan."""
    m, d, epsilon, delta = 3, 2, 30.0, 0.01
    phases = [replace(p, parameters=replace(p.parameters, steps=1)) for p in phases_of(0.5, 0.2, 1)]
    for phase, alpha in zip(phases, point.split(len(phases)), strict=True):
        zeros = np.zeros((phase.users, d))
        out = localised_sgd(
            lambda chosen, zeros=zeros: lambda theta: zeros, [phase], np.zeros((point.samples, d)), m,
            PrivacyBudget(epsilon, delta), lambda x: x, point.rng, average="after",
        )  # fmt: skip
        scale = phase.parameters.step_size * line_noise(phase, m, d, epsilon, delta)
        moment = ((out.theta[out.running] / scale) ** 2).mean(axis=1)
        yield mean_equals(f"second moment of one step, {phase.users} users", moment, 1.0, alpha=alpha)


def check_together(point: Point) -> Iterator[Evidence]:
    """Two phases with noise in one list: the second moment of each, and their independence.

    With gradients 0 and no projection one step moves the iterate by η times the noise: the output is the
    sum of both noises, and where the second phase starts shows the first.
    """
    m, d, epsilon, delta = 3, 2, 30.0, 0.01
    phases = [replace(p, parameters=replace(p.parameters, steps=1)) for p in phases_of(0.5, 0.2, 1)[:2]]
    seen: list[Array] = []

    def gradients(phase: Phase) -> UserGradients:
        def users(theta: Array) -> Array:
            seen.append(theta.copy())
            return np.zeros((phase.users, d))

        return users

    out = localised_sgd(
        gradients, phases, np.zeros((point.samples, d)), m, PrivacyBudget(epsilon, delta), lambda x: x,
        point.rng, average="after",
    )  # fmt: skip
    kept = out.running
    scales = [phase.parameters.step_size * line_noise(phase, m, d, epsilon, delta) for phase in phases]
    parts = (seen[1][kept] / scales[0], (out.theta - seen[1])[kept] / scales[1])
    levels = point.split(6)
    for name, part in zip(("first", "second"), parts, strict=True):
        moment = (part**2).mean(axis=1)
        yield mean_equals(f"second moment of the {name} of two phases", moment, 1.0, alpha=levels.pop())
        pair = (part[:, 0] * part[:, 1] > 0.0).astype(float)
        yield mean_equals(
            f"P(equal signs), two coordinates of the {name} phase", pair, 0.5, alpha=levels.pop(),
            method="clopper-pearson",
        )  # fmt: skip
    for column in range(d):
        pair = (parts[0][:, column] * parts[1][:, column] > 0.0).astype(float)
        yield mean_equals(
            f"P(equal signs), coordinate {column + 1} of two phases", pair, 0.5, alpha=levels.pop(),
            method="clopper-pearson",
        )  # fmt: skip


def check_privacy(point: Point) -> Iterator[Evidence]:
    """Each user serves in one phase, and the plan of each phase has all of ε and δ, no more."""
    n, m, d, epsilon = point.n, point.m, point.d, point.epsilon
    budget = PrivacyBudget(epsilon, DELTA)
    phases = schedule(
        n, m, d, budget, LossClass(LIPSCHITZ, CONVEXITY), constant=CONSTANT, steps=lambda users: 50
    )
    serves = np.zeros(n, dtype=int)
    for phase in phases:
        serves[phase.first : phase.first + phase.users] += 1
        yield equals("last user of a phase in the data", int(phase.first + phase.users <= n), 1)
        plan = mean_plan(phase.users, m, d, epsilon, DELTA, phase.parameters)
        # line 4 of Algorithm 2 with this phase's users and T: ε, and δ/(2Tmn_jd)
        noise = line_noise(phase, m, d, epsilon, DELTA)
        yield equals("noise of a phase over that of line 4 at ε and δ", plan.noise / noise, 1.0)
        yield equals("budget of the check over ε/2", plan.budget / (epsilon / 2.0), 1.0)
    yield at_most("phases that a user serves in", int(serves.max()), 1)


def line_noise(phase: Phase, m: int, d: int, epsilon: float, delta: float) -> float:
    """Standard deviation of line 14 of Algorithm 1 as line 4 of Algorithm 2 calls it, written out."""
    t = phase.parameters.steps
    log = math.log(2.0 * t * m * phase.users * d / delta)
    logs = (epsilon / 2.0 + math.log(t) + log) * (epsilon / 2.0 + log)
    return phase.parameters.tau * math.sqrt(8.0 * t * logs) / (phase.users * epsilon)


CLAIM = Claim(
    PAPER,
    "Algorithm 3",
    "section 4.1, appendix C.5",
    kind=Kind.IDENTITY,
    title="Localisation, line by line: the schedule",
    statement=r"$k=\lceil\log\log mn\rceil$ phases of $n_i=n/2^{k+1-i}$ users of their own, with "
    r"$\hat R_j=\sqrt{2D_{j-1}/\mu}$ and the parameters of Theorem 4.1 for $n_j$ and $\hat R_j$.",
    role="program",
    expected=CONFIRMED,
    check=check,
    smoke=grid(n=(100, 1000), m=(1, 20), d=(1, 7), epsilon=(0.5, 5.0)),
    ci=grid(n=(50, 100, 1000, 10**6), m=(1, 20, 10**6), d=(1, 7, 100), epsilon=(0.1, 0.5, 5.0)),
)
RUN = CLAIM.reading(
    "run",
    title="Localisation, line by line: the run",
    statement=r"Without noise the output is that of Algorithm 2 on the users and with the parameters of each "
    r"phase, each started at the output of the last.",
    check=check_run,
    smoke=grid(),
    ci=grid(),
)
NOISE = CLAIM.reading(
    "noise",
    title="Localisation, line by line: the noise of a phase",
    statement=r"An answer of phase $j$ has noise of variance $8\tau_j^2T_j\log(e^{\varepsilon/2}T_j/\delta')"
    r"\log(e^{\varepsilon/2}/\delta')/(n_j^2\varepsilon^2)$, $\delta'=\delta/(2T_jmn_jd)$.",
    expected=CONSISTENT,
    check=check_noise,
    smoke=grid(samples=(60_000,)),
    ci=grid(samples=(200_000,)),
    largest_resolution=0.05,
)
TOGETHER = CLAIM.reading(
    "phases-together",
    title="Localisation, line by line: the noise of phases that follow each other",
    statement=r"In a run of two phases each has the noise of its own line 4, with all of $\varepsilon$ and "
    r"$\delta$, independent of the other phase's and between coordinates.",
    expected=CONSISTENT,
    check=check_together,
    smoke=grid(samples=(60_000,)),
    ci=grid(samples=(200_000,)),
    largest_resolution=0.05,
)
PRIVACY = Claim(
    PAPER,
    "Theorem 4.11, privacy",
    "section 4.1, Algorithm 3",
    name="theorem-4.11-privacy",
    kind=Kind.PRIVACY,
    title="Algorithm 3 is as private as its phases",
    statement=r"Every user serves in at most one phase of Algorithm 3, and each phase is Algorithm 2 with "
    r"$\varepsilon$ and $\delta$: if Algorithm 2 is user-level $(\varepsilon,\delta)$-DP, so is Algorithm 3.",
    uses=("theorem-4.1-privacy",),
    expected=CONFIRMED,
    summary="parallel composition: what Algorithm 2 keeps, Algorithm 3 keeps",
    check=check_privacy,
    smoke=grid(n=(100, 1000), m=(1, 20), d=(2,), epsilon=(0.5, 5.0)),
    ci=grid(n=(50, 100, 1000, 10**5), m=(1, 20, 10**6), d=(1, 7), epsilon=(0.1, 0.5, 5.0)),
)
CLAIMS = [RUN, NOISE, TOGETHER, PRIVACY]
