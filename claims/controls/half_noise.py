r"""Half noise: a wrong privacy claim that the suite must refute.

Algorithm 1 of song2021 with σ = L√T/(nμ*(ε, δ)), which is what somebody calibrates who takes L/n for the
sensitivity of the averaged gradient, and forgets that a replaced record is subtracted and added: 2L/n. Its
exact privacy is 2μ*, known, so this control says whether the sampled audit sees what is there.

How it is checked. By a sampled audit on a pair of Huber regressions on which averaging hides nothing; it must
refute.
"""

from __future__ import annotations

from collections.abc import Iterator

from claims import (
    REFUTED,
    Adjacency,
    Claim,
    Evidence,
    Finding,
    Kind,
    Point,
    Weight,
    audit_privacy,
    grid,
    reported,
)
from claims.controls import PAPER
from implementations import losses
from implementations.privacy import gaussian_epsilon, mu_star
from implementations.song2021 import dp_gd
from implementations.song2021.worst_pairs import huber_pair


def check(point: Point) -> Iterator[Evidence]:
    """Audit of the mechanism with half the noise on the Huber pair, and its exact ε."""
    algorithm = dp_gd.mechanism(
        losses.huber(1.0), epsilon=point.epsilon, delta=point.delta, steps=point.steps,
        learning_rate=point.n / (point.n - 1), noise="calibrated",
        adjacency=Adjacency.ADD_REMOVE,  # the bug: half of the sensitivity audited
    )  # fmt: skip
    result = audit_privacy(
        algorithm, [huber_pair(point.n, 1.0, far=100.0)], epsilon=point.epsilon, delta=point.delta,
        adjacency=PAPER.adjacency, alpha=point.alpha, rng=point.rng, max_samples=point.samples,
    )  # fmt: skip
    yield result.evidence()
    exact = gaussian_epsilon(point.delta, 2.0 * mu_star(point.epsilon, point.delta))
    yield reported("exact ε of all steps", exact, claimed=point.epsilon)


POINTS = grid(n=50, epsilon=1.0, delta=1e-2, steps=5, samples=100_000)
CLAIM = Claim(
    PAPER,
    "Half noise",
    "this project",
    kind=Kind.PRIVACY,
    title="Control: half the noise",
    statement=r"DP-GD with $\sigma=L\sqrt T/(n\mu^*(\varepsilon,\delta))$ is "
    r"$(\varepsilon,\delta)$-differentially private under replacement of one record. (False by construction: "
    r"the sensitivity is $2L/n$.)",
    expected=REFUTED,
    finding=Finding(
        Weight.CORNER, what=("false by construction: half the sensitivity"), favour="", survives=""
    ),
    check=check,
    smoke=POINTS,
    ci=POINTS,
)
