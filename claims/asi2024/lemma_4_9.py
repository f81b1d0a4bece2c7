r"""Lemma 4.9: iterates of Algorithm 2 on data that differ in one item are within Gη√T + GηT/(nm).

The lemma is printed with a total variation on the left, which no length can bound: after one step the answer
of Algorithm 1 has moved by $2G/(nm)$ and has Gaussian noise, whatever η is. Its proof bounds the distance of
the iterates under a coupling with equal noise, and the proof of Theorem 4.1 multiplies it by G: a distance is
meant, and claimed here.

The constants are too small: the averaged gradient moves by up to $2G/(nm)$ where an item is replaced, not
$G/(nm)$ as the proof has it, and the factor 2 before $\sqrt T$ is lost between the proof and the statement.
For linear losses the last iterates are $2G\eta T/(nm)$ apart, which is more than the bound once $T>(nm)^2$,
as the printed $T=m^2n^2+mn\sqrt d$ is.

What survives (`:corrected`): with equal noise and nobody removed all iterates are within
$2G\eta\sqrt T+4G\eta T/(nm)$, by lemma-4.8 with $a_t=2G/(nm)$.

How it is checked. Exactly: the distance from the program itself, run twice from one seed, so that the noise
is equal; the recursion's bound from lemma-4.8.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from audits.judge import at_least, at_most, equals
from claims import CONFIRMED, REFUTED, Claim, Evidence, Finding, Kind, Point, Weight, grid
from claims.asi2024 import PAPER
from claims.asi2024.lemma_4_8 import bound as stability_bound
from implementations.asi2024.dp_sgd import Parameters, dp_sgd
from implementations.asi2024.outlier_removal import Plan, kept_mean, look
from implementations.interfaces import Array


def stability(eta: float, steps: int, n: int, m: int) -> float:
    """The printed bound at G = 1."""
    return eta * math.sqrt(steps) + eta * steps / (n * m)


def users(n: int, m: int, moved: bool) -> Array:
    """Mean gradients of n users whose items all have gradient 1; one item has −1 if `moved`."""
    items = np.ones((n, m, 1))
    if moved:
        items[0, 0, 0] = -1.0
    return items.mean(axis=1)


def gradient_change(point: Point) -> float:
    """How far the program's averaged gradient moves where one item's gradient turns round, nobody removed."""
    means = [
        kept_mean(look(users(point.n, point.m, moved), 2.0), 1, point.rng)[0, 0] for moved in (False, True)
    ]
    return abs(float(means[0] - means[1]))


def distances(point: Point, average: str) -> Array:
    """Distances of the outputs of two runs from one seed, whose data differ in one item; 8 trials, no
    halting."""
    n, m, steps = point.n, point.m, point.T
    plan = Plan(n=n, queries=steps, tau=1.0, budget=1.0, threshold=-1e12, noise=0.5)
    setting = Parameters(steps=steps, step_size=point.eta, radius=1.0, tau=1.0)
    seed = int(point.rng.integers(2**62))
    outputs = []
    for moved in (False, True):
        query = look(users(n, m, moved), 2.0)
        out = dp_sgd(
            lambda theta, query=query: query, np.zeros((8, 1)), plan, setting, lambda theta: theta,
            np.random.default_rng(seed), average=average,
        )  # fmt: skip
        outputs.append(out.theta)
    return np.abs(outputs[0] - outputs[1])[:, 0]


def check(point: Point) -> Iterator[Evidence]:
    """The last iterate on linear losses, from the average of one run: its distance grows like t."""
    average = float(distances(point, "after").max())
    # iterate t has distance t·d, their average (T + 1)/2·d, so the last is 2T/(T + 1) times the average
    last = average * 2.0 * point.T / (point.T + 1.0)
    claimed = stability(point.eta, point.T, point.n, point.m)
    note = "linear losses; the program, run twice with one seed"
    yield at_most("‖θ_T − θ′_T‖ with equal noise", last, claimed, decides=False, note=note)


def check_corrected(point: Point) -> Iterator[Evidence]:
    """The gradient's change, which with lemma-4.8 gives the bound; and the program."""
    n, m = point.n, point.m
    moved = gradient_change(point)
    yield equals("largest change of the averaged gradient", moved, 2.0 / (n * m))
    claimed = 2.0 * point.eta * math.sqrt(point.T) + 4.0 * point.eta * point.T / (n * m)
    recursion = stability_bound(point.T, point.eta, moved)
    yield at_most("bound of lemma-4.8 for that change", recursion, claimed)
    found = distances(point, "after")
    yield at_most("‖θ̂ − θ̂′‖ with equal noise", float(found.max()), claimed, decides=False)
    drift = point.eta * moved * (point.T + 1.0) / 2.0
    yield at_least("least distance over that of the mean shift", float(found.min()) / drift, 1.0 - 1e-6)


CLAIM = Claim(
    PAPER,
    "Lemma 4.9",
    "section 4, appendix C.3",
    kind=Kind.BOUND,
    title="Distance of the iterates of Algorithm 2 when one item is replaced",
    statement=r"With equal noise, $\|\theta_T-\theta_T'\|\le G\eta\sqrt T+G\eta T/(nm)$.",
    uses=("theorem-3.2-utility", "lemma-3.7", "lemma-4.6", "lemma-4.8"),
    expected=REFUTED,
    finding=Finding(
        Weight.CONSTANT,
        what=(
            "Replacing one item moves the averaged gradient by up to $2G/(nm)$, not $G/(nm)$, and the "
            r"factor 2 before $\sqrt T$ is lost between the proof and the statement. For linear losses "
            r"the iterates are $2G\eta T/(nm)$ apart, more than the bound once $T>(nm)^2$: 0.50 "
            r"against 0.39 for $nm=8$, $T=200$, $\eta=0.01$, $G=1$."
        ),
        favour=(
            "Theorem 4.1 uses the lemma up to constants, where this does no harm: two runs from one seed "
            r"stay within $2G\eta\sqrt T+4G\eta T/(nm)$ (`:corrected`)."
        ),
        survives=r"$2G\eta\sqrt T+4G\eta T/(nm)$.",
    ),
    check=check,
    smoke=grid(n=(4,), m=(2,), T=(200,), eta=(0.01,)),
    ci=grid(n=(4, 8), m=(1, 2), T=(400, 1000), eta=(0.01,)),
)
CORRECTED = CLAIM.reading(
    "corrected",
    title="Distance of the iterates with the constants of the proof",
    statement=r"With equal noise and nobody removed, $\|\theta_t-\theta_t'\|\le2G\eta\sqrt T+4G\eta "
    r"T/(nm)$ for all $t\le T$.",
    expected=CONFIRMED,
    summary="as a distance, with 2Gη√T + 4GηT/(nm)",
    rests_on=("asi2024/lemma-4.8",),
    check=check_corrected,
    smoke=grid(n=(4,), m=(2,), T=(50,), eta=(0.01,)),
    ci=grid(n=(4, 50), m=(1, 3), T=(10, 400), eta=(0.01, 1.0)),
)
CLAIMS = [CORRECTED]
