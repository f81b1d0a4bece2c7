r"""Algorithm 1, traced: the noise of all steps costs what the calibration says, on the pair that attains it.

The program is recorded on a dataset, and replayed on its neighbour with every noisy gradient frozen
(`audits.trace`). What each step's gradient has really moved by, over the noise that was really drawn, gives
the privacy loss of the step; the steps compose exactly to N(0, 1) against N(√T·2/(nσ), 1) on the Huber pair,
whose
outlier keeps its slope whatever the iterate is. The printed σ of Theorem 2.6 takes L/n for the sensitivity,
and its ledger is above ε there: `theorem-2.6` has the counterexample.

How it is checked. The ledger at δ against ε, and against the closed form with σ written out a second time; no
output may depend on the data but through the noise.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from claims import CONFIRMED, Adjacency, Evidence, Kind, Point, at_most, grid
from claims.song2021 import PAPER
from claims.song2021._oracle import stated_noise
from claims.song2021.algorithm_1 import CLAIM as ALGORITHM
from implementations import losses
from implementations.privacy import gaussian_epsilon
from implementations.song2021 import dp_gd
from implementations.song2021.worst_pairs import huber_pair

ROUNDING = 1e-6
"""Of bisections and sums."""


def check(point: Point) -> Iterator[Evidence]:
    from audits.trace import trace_privacy

    n, steps, epsilon, delta = point.n, point.steps, point.epsilon, point.delta
    algorithm = dp_gd.mechanism(
        losses.huber(1.0), epsilon=epsilon, delta=delta, steps=steps, learning_rate=n / (n - 1),
        noise=point.noise, adjacency=Adjacency.REPLACE,
    )  # fmt: skip
    result = trace_privacy(
        algorithm, [huber_pair(n, 1.0, far=100.0)], epsilon=epsilon, delta=delta, adjacency=PAPER.adjacency,
        seed=int(point.rng.integers(2**31)), seeds=1, black_box=False,
    )  # fmt: skip
    total = math.inf if result.epsilon_ledger is None else result.epsilon_ledger
    yield at_most("ε of the ledger over ε", total / epsilon, 1.0 + ROUNDING)
    sigma = stated_noise(point.noise, epsilon, delta, n, steps, 1.0)
    exact = gaussian_epsilon(delta, 2.0 * math.sqrt(steps) / (n * sigma))
    yield at_most("relative distance of the ledger from the closed form", abs(total / exact - 1.0), ROUNDING)
    yield at_most("values that depend on the data without noise, or of which that is not known",
                  len(result.findings) + len(result.lost), 0)  # fmt: skip


LEDGER = ALGORITHM.reading(
    "ledger",
    kind=Kind.PRIVACY,
    title="The draws of DP-GD cost what the calibration of their noise says",
    statement=r"On the Huber pair the $T$ noisy gradients of Algorithm 1 have moved by $2L/n$ each, and cost "
    r"$\varepsilon$ at $\delta$ with the calibrated $\sigma$, less with the corrected one; nothing else of "
    r"the output depends on the data.",
    expected=CONFIRMED,
    check=check,
    largest_resolution=None,
    smoke=grid(noise=["calibrated", "corrected"], n=50, steps=5, epsilon=1.0, delta=1e-5),
    ci=grid(
        noise=["calibrated", "corrected"], n=50, steps=[1, 5, 20], epsilon=[0.5, 1.0], delta=[1e-8, 1e-5]
    ),
)
CLAIMS = [LEDGER]
