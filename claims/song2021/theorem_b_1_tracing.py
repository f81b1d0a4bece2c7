r"""Theorem B.1, the attack: where the lower bound speaks, an accurate estimator tells who was in the data.

The theorem says that accuracy below α/10 and privacy exclude each other for n ≤ d/(10(e^ε − 1)α). Its proof
counts how far every record moves the output at its own coordinate. Run as an attack this is a test of
membership: the owner of a record (e_j, y) accepts where the estimate at coordinate j takes the part of his
label, (2y − 1)(2θ_j − 1) > 0. An (ε, δ)-private estimator has P(accept | member) ≤ e^ε·P(accept | replaced) +
δ and the same for the refusals, whatever the attack does.

What the text leaves open is the record that stands in for a removed one: here X = 0, which D_{p,α} has with
probability 1 − α. The attack is strongest where n is about 2d: with more records a coordinate is rarely
without a label, with fewer the majority is not below α/10. So ε = 1/21, the
largest of Corollary B.4: the largest n of the theorem is 2.05·d there.

How it is checked. `audits.tracing`, one run for each score, with the instance of the implementation at the
largest n of the theorem and its largest δ. The majority of the labels has an excess risk below α/10 there,
and the attack shows that its ε is more than ten times that of the theorem; the
Laplace mechanism, the exponential mechanism and randomised response of `theorem-b.1` stay within (ε, δ)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from audits import tracing
from claims import CONSISTENT, Claim, Evidence, Kind, Point, at_least, grid, mean_at_most, reported
from claims.song2021 import PAPER
from implementations.song2021 import hard_instance

PRESENCE = 1.0
ATTACKED = ("laplace", "exponential", "randomised response")
"""The constant has no output to attack; the others take long for one output and are audited there."""


def draw(point: Point, n: int) -> Callable[[np.random.Generator], tracing.Target]:
    """Datasets of records (coordinate, label) of D_{p,α}; the replacement has X = 0, coordinate −1."""

    def target(rng: np.random.Generator) -> tracing.Target:
        p = hard_instance.draw_parameter(1, point.d, rng)
        sample = hard_instance.draw_sample(p, PRESENCE, n, rng)
        single = hard_instance.Sample(sample.zeros[0], sample.ones[0], n)
        problem = hard_instance.dataset(single)
        records = np.column_stack([problem.features.argmax(axis=1), problem.targets])

        def score(theta: np.ndarray, who: int) -> float:
            coordinate, label = records[who]
            return float((2.0 * label - 1.0) * (2.0 * theta[int(coordinate)] - 1.0))

        return tracing.Target(records, np.array([-1.0, 0.0]), score)

    return target


def released(estimate: Any, point: Point, n: int) -> Callable[[np.ndarray, np.random.Generator], np.ndarray]:
    """An estimator on records, through their counts."""
    delta = hard_instance.delta_limit(point.epsilon)

    def mechanism(records: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        some = records[records[:, 0] >= 0.0]
        ones = np.bincount(some[:, 0].astype(int), weights=some[:, 1], minlength=point.d).astype(int)
        counts = np.bincount(some[:, 0].astype(int), minlength=point.d)
        sample = hard_instance.Sample((counts - ones)[None], ones[None], n)
        return estimate(sample, point.epsilon, delta, rng)[0]

    return mechanism


def check(point: Point) -> Iterator[Evidence]:
    rng, epsilon = point.rng, point.epsilon
    n, delta = hard_instance.size_limit(point.d, epsilon, PRESENCE), hard_instance.delta_limit(epsilon)
    private = {name: hard_instance.private_estimators()[name] for name in ATTACKED}
    levels = iter(point.split(len(private) + 2))
    p = hard_instance.draw_parameter(400, point.d, rng)
    sample = hard_instance.draw_sample(p, PRESENCE, n, rng)
    theta = hard_instance.majority(sample, epsilon, delta, rng)
    yield mean_at_most(
        "excess/α of the majority", hard_instance.excess_risk(theta, p, PRESENCE) / PRESENCE, 0.1,
        alpha=next(levels), point=point.axes, largest_resolution=0.1,
    )  # fmt: skip
    attacked = tracing.run_attack(
        draw(point, n), released(hard_instance.majority, point, n), point.open_trials, rng
    )
    found = attacked.audit(0.0, delta=delta, alpha=next(levels))
    yield at_least(
        "lower bound of ε by tracing, majority", found.epsilon_lower, 10.0 * epsilon, point=point.axes
    )
    yield reported("share of members accepted, majority", found.true_positives / found.members)
    yield reported("share of replaced records accepted, majority", found.false_positives / found.non_members)
    for name, estimate in private.items():
        trials = point.trials_each
        hidden = tracing.run_attack(draw(point, n), released(estimate, point, n), trials, rng)
        audit = hidden.audit(0.0, delta=delta, alpha=next(levels))
        yield audit.check_private(epsilon, point={**point.axes, "estimator": name})


CLAIM = Claim(
    PAPER,
    "Theorem B.1",
    "appendix B",
    name="theorem-b.1-tracing",
    kind=Kind.EXPERIMENT,
    title="The attack behind Theorem B.1",
    statement=r"""On $\mathcal D_{p,1}$ with $n=\lfloor d/(10(e^\varepsilon-1))\rfloor$ the majority of the
labels, whose excess risk is below $\frac1{10}$, lets a test of membership succeed beyond $10\varepsilon$, and
the private estimators let it succeed no more often than $(\varepsilon,\delta)$ allows.""",
    expected=CONSISTENT,
    check=check,
    smoke=grid(d=8, epsilon=1 / 21, open_trials=3000, trials_each=1000),
    ci=grid(d=(8, 32), epsilon=1 / 21, open_trials=6000, trials_each=2500),
    largest_resolution=10 / 21,  # ten times ε, as much as the majority is asked to give away
)
