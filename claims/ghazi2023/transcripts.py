r"""Algorithms 3 to 6, whole transcripts: every θ̂ᵢ of a run is the one that the text makes of data and noise.

algorithm-3 to algorithm-6 compare the parameters of each phase with the text. That says nothing of a program
that forgets the centre of the phase before, optimises over 𝒦 instead of 𝒦ᵢ, hands on θ*ᵢ for θ̂ᵢ, takes the
users of another phase, or draws one noise for all. Here whole runs are followed, line by line, with the text
written down a second time.

Read as in algorithm-3 to algorithm-6: 𝒦ᵢ = 𝒦 ∩ B(θ̂ᵢ₋₁, Rᵢ); "an arbitrary element" of 𝒦′ is the nearest
to θ₀, which as printed is often outside of 𝒦 where the optimum is on its boundary; the
corrected forms project θ̂ᵢ onto 𝒦 (or 𝒦′), take half-open batches, ⌊log₂(n/N₀)⌋ phases, R′ = σ(√d + √(2
log(1/β))) (plus 30G√(log(2/β))/(μ√(nm))), and in Algorithm 6 λ with the second term.

How it is checked. Each algorithm, printed and corrected, is run on random linear or quadratic losses in one
and two dimensions with λ such that the noise of the first phase is of the size of the sets: 𝒦 and the ball
about θ̂ᵢ₋₁ are active in some phases and not in others, θ̂ᵢ leaves 𝒦, sets 𝒦ᵢ are empty, one user is just too
far off for a certificate, or just not. In every phase λᵢ, Rᵢ, σᵢ, nᵢ are those of the text; θ*ᵢ must satisfy
the optimality conditions of the projection onto 𝒦ᵢ; θ̂ᵢ must be θ*ᵢ + σᵢz, projected where corrected, z from
a generator of the same seed; and exactly the trials answer that the text lets answer.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from claims import CONFIRMED, Claim, Evidence, Kind, Point, at_least, at_most, equals, grid
from claims.ghazi2023 import PAPER, _replay
from implementations.ghazi2023 import phased_erm, phased_sco, strongly_convex_erm, strongly_convex_sco
from implementations.ghazi2023.feasible import Ball, project
from implementations.ghazi2023.phases import Phase
from implementations.ghazi2023.quadratic import Kink, Summary, Users
from implementations.ghazi2023.reading import Guarantee, Reading, Variant
from implementations.ghazi2023.strongly_convex_erm import Localised

TRIALS, EPSILON, DELTA, BETA, CONSTANT = 8, 1.0, 0.1, 0.05, 64.0


def data(n: int, m: float, d: int, curvature: float, rng: np.random.Generator) -> _replay.Data:
    """Users about a slope of norm up to ½, G = 1; 𝒦 a ball of radius 0.8 off the origin."""
    slope = rng.normal(size=(TRIALS, 1, d))
    slope *= 0.5 * rng.uniform(size=(TRIALS, 1, 1)) / np.linalg.norm(slope, axis=2, keepdims=True)
    linear = slope + 0.3 / math.sqrt(m) * rng.normal(size=(TRIALS, n, d))
    region = [(np.full((TRIALS, d), 0.1), 0.8)]
    return _replay.Data(linear=linear, curvature=curvature, lipschitz=1.0, m=m, region=region)


def summary(x: _replay.Data) -> Summary:
    """The users as Algorithms 3 and 5 take them."""
    return Users(x.linear, x.curvature, x.lipschitz, x.m).summary()


def batches(n: int, phases: int, corrected: bool) -> list[list[int]]:
    """Line 12 of Algorithm 4 in integers: the users of each phase, counted from 0."""
    return [
        [
            ell - 1
            for ell in range(1, n + 1)
            if (ell * 2**i > n or (ell * 2**i == n and not corrected)) and ell * 2 ** (i - 1) <= n
        ]
        for i in range(1, phases + 1)
    ]


def follow(
    phases: Sequence[Phase],
    parts: Sequence[_replay.Data],
    start: np.ndarray,
    base: float,
    call: tuple[float, float, float],
    corrected: bool,
    rng: np.random.Generator,
    seen: _replay.Distances,
) -> None:
    """All phases of Algorithm 3 or 4, with the users and region `parts` and the budget `call` of each."""
    seen.note("T", abs(len(phases) - len(parts)))
    centre = start
    for i, (phase, part) in enumerate(zip(phases, parts, strict=False), start=1):
        _replay.phase(phase, base * 4.0**i, part, centre, call, corrected, rng, seen)
        centre = phase.theta


def edge_cases(x: _replay.Data, call: tuple[float, float, float], regulariser: float, user: int) -> None:
    """Two trials in which one user's gradient is 3 % beyond what is certified at this λᵢ, and 3 % below."""
    outer = _replay.Call(
        epsilon=call[0], delta=call[1], beta=call[2], lipschitz=2.0 * x.lipschitz, mu=regulariser
    )
    for trial, share in ((-1, 1.03), (-2, 0.97)):
        _replay.at_the_edge(x, outer, x.curvature + regulariser, trial, user, share)


def smallest_batch(epsilon: float, delta: float) -> float:
    """N₀ of line 3 of Algorithm 4."""
    return CONSTANT * math.log(1.0 / delta) / epsilon


def steps_of_sco(n: int, epsilon: float, delta: float, corrected: bool) -> int:
    """T of line 4 of Algorithm 4, with N₀ of line 3."""
    ratio = n / smallest_batch(epsilon, delta)
    return math.floor(math.log2(ratio)) if corrected else math.ceil(math.log(ratio))


def parts_of_sco(x: _replay.Data, steps: int, corrected: bool) -> list[_replay.Data]:
    users = batches(x.shape[1], steps, corrected)
    return [replace(x, linear=x.linear[:, rows[0] : rows[-1] + 1]) for rows in users]


def base_for(n: int, m: float, call: tuple[float, float, float]) -> float:
    """λ at which the noise of the first phase is 0.2, a quarter of the radius of 𝒦."""
    unit = _replay.Call(epsilon=call[0], delta=call[1], beta=call[2], lipschitz=2.0, mu=1.0)
    return unit.sigma(n, m) / (4.0 * 0.2)


def run_erm(d: int, variant: Variant, rng: np.random.Generator, seen: _replay.Distances) -> None:
    """Algorithm 3; in two trials the certificate of phase 1 just fails and just holds."""
    n, m = 4000, 1.6e9
    x = data(n, m, d, 0.3 * (d - 1), rng)
    steps = math.ceil(math.log(n * m))
    call = (EPSILON / steps, DELTA / steps, BETA / steps)
    base = base_for(n, m, call)
    edge_cases(x, call, 4.0 * base, 7)
    start = x.region[0][0] + 0.79 / math.sqrt(d) * rng.choice([-1.0, 1.0], size=(TRIALS, d))
    seed = int(rng.integers(2**31))
    phases = phased_erm.phased_erm(
        summary(x), x.balls, start, Guarantee(EPSILON, DELTA, BETA), base, np.random.default_rng(seed),
        reading=Reading(variant=variant, uncertified="nan"),
    )  # fmt: skip
    again = np.random.default_rng(seed)
    follow(phases, [x] * steps, start, base, call, variant == "corrected", again, seen)


def run_sco(d: int, variant: Variant, rng: np.random.Generator, seen: _replay.Distances) -> None:
    """Algorithm 4; in two trials the certificate of phase 2 just fails and just holds."""
    n, m = 1200, 4e8
    x = data(n, m, d, 0.3 * (d - 1), rng)
    corrected = variant == "corrected"
    steps = steps_of_sco(n, EPSILON, DELTA, corrected)
    call = (EPSILON, DELTA, BETA / steps)
    base = base_for(n // 2, m, call)
    seen.note(
        "N₀", abs(phased_sco.smallest_batch(EPSILON, DELTA, CONSTANT) / smallest_batch(EPSILON, DELTA) - 1.0)
    )
    for part in parts_of_sco(x, steps, corrected)[1:2]:
        edge_cases(part, call, 16.0 * base, 40)
    start = x.region[0][0] - 0.79 / math.sqrt(d) * rng.choice([-1.0, 1.0], size=(TRIALS, d))
    seed = int(rng.integers(2**31))
    phases = phased_sco.phased_sco(
        Users(x.linear, x.curvature, x.lipschitz, m), x.balls, start, Guarantee(EPSILON, DELTA, BETA), base,
        CONSTANT, np.random.default_rng(seed), reading=Reading(variant=variant, uncertified="nan"),
    )  # fmt: skip
    again = np.random.default_rng(seed)
    follow(phases, parts_of_sco(x, steps, corrected), start, base, call, corrected, again, seen)


def localised(
    x: _replay.Data,
    done: Localised,
    corrected: bool,
    room: float,
    rng: np.random.Generator,
    seen: _replay.Distances,
) -> tuple[_replay.Data, np.ndarray, float]:
    """Lines 3 to 5 of Algorithms 5 and 6: the users on 𝒦′, its element nearest to θ₀ (the centre of a ball
    that may be outside of 𝒦), and R′; `room` is the second part of R′ in Algorithm 6."""
    d = x.shape[2]
    call = _replay.Call(epsilon=EPSILON / 2, delta=DELTA / 2, beta=BETA, lipschitz=1.0, mu=x.curvature)
    sigma = _replay.first_answer(x, call, done.first, corrected, rng, seen)
    log = math.log(1.0 / BETA)
    reach = math.sqrt(d) + math.sqrt(2.0 * log) if corrected else math.sqrt(d * log)
    radius = sigma * reach + room
    seen.note("σᵢ", abs(done.sigma / sigma - 1.0))
    seen.note("R′", abs(done.radius / radius - 1.0))
    last = float(np.abs(np.nan_to_num(done.theta - done.phases[-1].theta)).max())
    seen.note("θ̂ᵢ", last + float((np.isnan(done.theta) != np.isnan(done.phases[-1].theta)).sum()))
    smaller = replace(x, region=[*x.region, (done.first, radius)])
    return smaller, project(done.first, smaller.balls), radius


def run_strong_erm(d: int, variant: Variant, rng: np.random.Generator, seen: _replay.Distances) -> None:
    """Algorithm 5; n√m so large that the sets of the printed form are not empty."""
    n, m = 20_000, 1e20
    corrected = variant == "corrected"
    x = data(n, m, d, 0.5, rng)
    seed = int(rng.integers(2**31))
    done = strongly_convex_erm.strongly_convex_erm(
        summary(x), x.balls, Guarantee(EPSILON, DELTA, BETA), np.random.default_rng(seed),
        reading=Reading(variant=variant, uncertified="nan"),
    )  # fmt: skip
    again = np.random.default_rng(seed)
    x, start, radius = localised(x, done, corrected, 0.0, again, seen)
    steps = math.ceil(math.log(n * m))
    call = (EPSILON / 2 / steps, DELTA / 2 / steps, BETA / steps)
    base = math.sqrt(d) / (radius * n * math.sqrt(m))
    follow(done.phases, [x] * steps, start, base, call, corrected, again, seen)


def run_strong_sco(d: int, variant: Variant, rng: np.random.Generator, seen: _replay.Distances) -> None:
    """Algorithm 6."""
    n, m = 3000, 1e12
    corrected = variant == "corrected"
    x = data(n, m, d, 0.5, rng)
    seed = int(rng.integers(2**31))
    done = strongly_convex_sco.strongly_convex_sco(
        Users(x.linear, x.curvature, x.lipschitz, m), x.balls, Guarantee(EPSILON, DELTA, BETA), CONSTANT,
        np.random.default_rng(seed), reading=Reading(variant=variant, uncertified="nan"),
    )  # fmt: skip
    again = np.random.default_rng(seed)
    log = math.log(1.0 / BETA) if not corrected else 900.0 * math.log(2.0 / BETA)
    room = math.sqrt(log) / (x.curvature * math.sqrt(n * m))
    x, start, radius = localised(x, done, corrected, room, again, seen)
    steps = steps_of_sco(n, EPSILON / 2, DELTA / 2, corrected)
    base = math.sqrt(d) / (n * math.sqrt(m)) + (1.0 / math.sqrt(n * m) if corrected else 0.0)
    follow(
        done.phases, parts_of_sco(x, steps, corrected), start, base / radius,
        (EPSILON / 2, DELTA / 2, BETA / steps), corrected, again, seen,
    )  # fmt: skip


RUNS = {"3": run_erm, "4": run_sco, "5": run_strong_erm, "6": run_strong_sco}


def lost_parts(rng: np.random.Generator) -> int:
    """Parts of the users' losses that a batch or a summary of them does not have."""
    linear = rng.normal(size=(2, 9, 3))
    users = Users(linear, 0.7, 1.3, 5.0, Kink(0.4, rng.normal(size=3)))
    part = users.batch(slice(2, 6))
    whole, seen = users.summary(), part.summary()
    same = [
        np.array_equal(part.linear, linear[:, 2:6]),
        *(each.kink is users.kink for each in (part, whole, seen)),
        *((each.curvature, each.lipschitz, each.m) == (0.7, 1.3, 5.0) for each in (part, whole, seen)),
        (whole.n, seen.n, seen.d, seen.trials) == (9, 4, 3, 2),
        bool(np.allclose(seen.mean, linear[:, 2:6].mean(axis=1))),
        bool(np.allclose(seen.spread, _replay.spread_of(linear[:, 2:6]))),
    ]
    return len(same) - sum(same)


def three_balls(trials: int, rng: np.random.Generator) -> float:
    """How far `project` is from the nearest point of three balls in space, at the most.

    Balls about cₖ of radius ‖p − cₖ‖ have p on all three surfaces, and v = p + Σ aₖ(p − cₖ) with aₖ ≥ 0 has p
    as its nearest point; where an aₖ is 0 the other balls decide. The answer is recognised by its optimality,
    as its distance to p is a multiple of the rounding that grows without limit as the three normals come to
    lie in a plane.
    """
    worst = 0.0
    for k in range(trials):
        p, centres = rng.normal(size=3), rng.normal(size=(3, 3))
        weights = rng.exponential(size=3) * (np.arange(3) >= k % 3)
        v = p + weights @ (p - centres)
        balls = [Ball(c[None], float(np.linalg.norm(p - c)) * (1.0 + 1e-13)) for c in centres]
        sized = [(c, ball.radius) for c, ball in zip(centres, balls, strict=True)]
        worst = max(worst, _replay.projection_error(v, project(v[None], balls)[0], sized))
    return worst


def check(point: Point) -> Iterator[Evidence]:
    yield at_most("distance to the nearest point in three balls", three_balls(60, point.rng), 1e-6)
    yield equals("parts of a loss that a batch or a summary loses", lost_parts(point.rng), 0)
    refused = 0
    for algorithm, run in RUNS.items():
        variants: tuple[Variant, ...] = ("printed", "corrected")
        for variant in variants:
            seen = _replay.Distances()
            for _ in range(point.runs):
                run(point.d, variant, point.rng, seen)
            refused += seen.refused
            for line, distance in seen.of.items():
                yield at_most(
                    f"distance of {line} to the text, Algorithm {algorithm} {variant}", distance, 1e-6
                )
    yield at_least("phases without an answer by the text, which were met", refused, 1)


CLAIM = Claim(
    PAPER,
    "Algorithms 3 to 6",
    "sections 4 and 5, appendix B",
    name="transcripts",
    kind=Kind.IDENTITY,
    title="The phased algorithms are the text, phase by phase",
    statement=r"In Algorithms 3 to 6, $\hat\theta_i=\theta^*_i+\mathcal N(0,\sigma_i^2I)$, $\theta^*_i$ the "
    r"minimiser over $\mathcal K_i=\mathcal K\cap\mathcal B(\hat\theta_{i-1},R_i)$ of "
    r"$\mathcal L+\frac{\lambda_i}2\|\theta-\hat\theta_{i-1}\|^2$ on the users of phase $i$.",
    role="program",
    expected=CONFIRMED,
    check=check,
    smoke=grid(d=(1, 2), runs=1),
    ci=grid(d=(1, 2, 3), runs=3),
)
