r"""Algorithm 1, traced: its comparisons and its noise cost what the text's scales say at the real distance.

The program is recorded on a dataset, and replayed on its neighbour with every answer frozen (`audits.trace`).
AboveThreshold shows when it halts and nothing else, so that its comparisons are taken together: the
probability of the transcript that was seen, by quadrature over the noise of the threshold that all of them
share, on both datasets. The answers are sums with Gaussian noise, at the distance that the means really have.
The users stand at the origin, and one of them moves by 2τ, so that every user is kept for sure on both
datasets, and her score is lower: n against n − 2(n − 1)/n.

How it is checked. The log-ratio of the transcript against `halting_law`, the distance of the means against
2τ/n and the noise against line 14 written out here; the ledger of all queries against ε; nothing else of the
output may depend on the data.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from claims import CONFIRMED, Evidence, Kind, Point, at_most, grid
from claims.asi2024 import PAPER
from claims.asi2024.algorithm_1 import CLAIM as ALGORITHM
from implementations.asi2024.above_threshold import halting_law_of_noise
from implementations.asi2024.outlier_removal import OutlierRemovingMean, printed_plan

TAU, FAR = 1.0, 2.0
ROUNDING = 1e-5
"""Of quadratures."""


def check(point: Point) -> Iterator[Evidence]:
    from audits.trace import trace_privacy

    n, queries, epsilon, delta = point.n, point.T, point.epsilon, point.delta

    def program(data: np.ndarray, rng: np.random.Generator) -> list[object]:
        runs = OutlierRemovingMean(printed_plan(n, queries, epsilon, delta, TAU), 1, rng)
        answers: list[object] = []
        for _ in range(queries):
            answer = runs.answer(data)
            answers.append((answer.values, answer.running))
            if not answer.running.any():
                break  # Algorithm 1 halts: a comparison after that is not released
        return answers

    data = np.zeros((n, 2))
    moved = data.copy()
    moved[0, 0] = FAR * TAU
    result = trace_privacy(
        program, [(data, moved)], epsilon=epsilon, delta=delta, adjacency=PAPER.adjacency,
        seed=int(point.rng.integers(2**31)), seeds=1, black_box=False,
    )  # fmt: skip
    total = math.inf if result.epsilon_ledger is None else result.epsilon_ledger
    yield at_most("ε of the ledger over ε", total / epsilon, 1.0)
    sigma = TAU / (n * epsilon) * math.sqrt(
        8.0 * queries * (epsilon / 2.0 + math.log(queries / delta)) * (epsilon / 2.0 + math.log(1.0 / delta))
    )  # fmt: skip
    answered = max((x.times for x in result.ledger if x.ratio > 0.0), default=0)
    ratio = math.sqrt(math.fsum(x.ratio**2 for x in result.ledger))
    stated = math.sqrt(answered) * FAR * TAU / n / sigma
    yield at_most("relative distance of √Σ(moved/σ)²", abs(ratio / stated - 1.0), ROUNDING)
    found = max((x.largest for x in result.ledger if "comparison" in x.law), default=math.inf)
    yield at_most(
        "distance of the transcript's log-ratio", transcript_error(found, n, queries, epsilon), ROUNDING
    )
    yield at_most("values that depend on the data without noise, or of which that is not known",
                  len(result.findings) + len(result.lost), 0)  # fmt: skip


def transcript_error(found: float, n: int, queries: int, epsilon: float) -> float:
    """Distance of a log-ratio from the nearest of all transcripts: halts at t, or not at all."""
    budget = epsilon / 2.0
    laws = [
        halting_law_of_noise([score] * queries, 4.0 * n / 5.0, 2.0 / budget, 4.0 / budget)
        for score in (n, n - 2.0 * (n - 1) / n)
    ]
    ratios = np.abs(np.log(laws[0]) - np.log(laws[1]))
    return float(np.min(np.abs(ratios - found)))


LEDGER = ALGORITHM.reading(
    "ledger",
    kind=Kind.PRIVACY,
    title="The draws of Algorithm 1 cost what their scales say on concentrated data",
    statement=r"When one of $n$ users at one point moves by $2\tau$, the transcript of AboveThreshold has "
    r"the log-ratio of `halting_law`, each answer costs that of the Gaussian of line 14 at distance "
    r"$2\tau/n$, and nothing else of the output depends on the data.",
    expected=CONFIRMED,
    check=check,
    largest_resolution=None,
    smoke=grid(n=60, T=3, epsilon=1.0, delta=1e-2),
    ci=grid(n=[60, 200], T=[1, 5], epsilon=[0.5, 1.0], delta=[1e-6, 1e-2]),
)
CLAIMS = [LEDGER]
