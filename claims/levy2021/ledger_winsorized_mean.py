r"""Algorithms 1 and 3, traced: what their draws cost at the real distance of the data is within the budget.

The program is recorded on a dataset, and replayed on its neighbour with every draw and every noisy value
frozen (`audits.trace`). Algorithm 1 draws the bin of its interval by cumulative probabilities, whose loss is
exact, and
adds Laplace noise to the mean of the clipped data, whose loss is the distance of the two means over the
scale.
Three datasets: the users fill four bins evenly, and one of them moves from one end to the other, or all but
one stand in one bin. Algorithm 3 spends ε₀ = ε/(2√(2T·log(2/δ))) and δ₀ = δ/(2T) on each of its T answers;
the ledger of T answers on one dataset composes exactly.

How it is checked. The largest loss of the bin, over all bins, is at most ε/2 and the loss of the mean at most
ε/2, ε₀ for ε in Algorithm 3; the loss of the mean is (distance of the clipped means)/(8τ/(nε)) with the
formula written out here; and nothing else of the output depends on the data.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from claims import CONFIRMED, Evidence, Kind, Point, at_most, grid
from claims.levy2021 import PAPER
from claims.levy2021.theorem_1_privacy import CLAIM as THEOREM_1
from claims.levy2021.theorem_3_privacy import CLAIM as THEOREM_3
from implementations.levy2021.adaptive_queries import answer_adaptively
from implementations.levy2021.concentration import Concentration
from implementations.levy2021.winsorized_mean_1d import winsorized_mean_1d
from implementations.privacy import PrivacyBudget

TAU, BOUND = 1.0, 4.0
ROUNDING = 1e-6
"""Of sums and quadratures."""


def evenly(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Users in the middle of each of the four bins, and the same with one moved from the first to the
    last."""
    data = np.repeat([-3.0, -1.0, 1.0, 3.0], n // 4)
    moved = data.copy()
    moved[0] = 3.0
    return data, moved


def traced(program: Any, pair: Any, point: Point, delta: float) -> Any:
    from audits.trace import trace_privacy

    return trace_privacy(
        program, [pair], epsilon=point.epsilon, delta=delta, adjacency=PAPER.adjacency,
        seed=int(point.rng.integers(2**31)), seeds=1, black_box=False,
    )  # fmt: skip


def cost(result: Any, law: str) -> float:
    """ε of the lines of the ledger whose law begins so; infinite where one is not known."""
    found = [x.epsilon for x in result.ledger if x.law.startswith(law)]
    return math.fsum(math.inf if x is None else x for x in found)


def check_mean(point: Point) -> Iterator[Evidence]:
    n, epsilon = point.n, point.epsilon
    result = traced(
        lambda data, rng: winsorized_mean_1d(data, epsilon, TAU, BOUND, rng), evenly(n), point, 0.0
    )
    total = math.inf if result.epsilon_ledger is None else result.epsilon_ledger
    yield at_most("ε of the ledger over ε", total / epsilon, 1.0 + ROUNDING)
    yield at_most("loss of the bin over ε/2", cost(result, "draw by") / (epsilon / 2.0), 1.0 + ROUNDING)
    # Clipped to an interval of length 4τ about −1 or 1, the two means differ by 2τ/n; about ±3 by 4τ/n.
    noise = cost(result, "laplace") / epsilon
    stated = min((abs(noise - moved / 8.0) for moved in (2.0, 4.0)), default=math.inf)
    yield at_most("distance of the loss of the mean from 2/8 or 4/8 of ε", stated, ROUNDING)
    yield at_most("values that depend on the data without noise, or of which that is not known",
                  len(result.findings) + len(result.lost), 0)  # fmt: skip


def check_answers(point: Point) -> Iterator[Evidence]:
    n, epsilon, delta, queries = point.n, point.epsilon, point.delta, point.T
    concentration = Concentration(TAU, BOUND, 0.1)

    def program(data: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        answers = answer_adaptively(
            data[:, None], lambda seen: lambda values: values, queries, PrivacyBudget(epsilon, delta),
            concentration, rng,
        )  # fmt: skip
        return np.array(answers)

    result = traced(program, evenly(n), point, delta)
    total = math.inf if result.epsilon_ledger is None else result.epsilon_ledger
    yield at_most("ε of the ledger over ε", total / epsilon, 1.0 + ROUNDING)
    # ε′ of a coordinate is ε₀/√(8·log(1/δ₀)) in one dimension (line 3 of Algorithm 2).
    answer = epsilon / (2.0 * math.sqrt(2.0 * queries * math.log(2.0 / delta)))
    part = answer / math.sqrt(8.0 * math.log(2.0 * queries / delta))
    largest = max((x.largest for x in result.ledger), default=0.0)
    yield at_most("largest loss of a draw over ε′/2", largest / (part / 2.0), 1.0 + ROUNDING)
    yield at_most("values that depend on the data without noise, or of which that is not known",
                  len(result.findings) + len(result.lost), 0)  # fmt: skip


WHOLE = THEOREM_1.reading(
    "ledger",
    result="Algorithms 1 and 3",
    role="program",
    title="The draws of Algorithm 1 cost at most its budget",
    statement=r"When one of $n$ users moves across the known interval, the bin of PrivateRange costs at most "
    r"$\varepsilon/2$, the noisy mean at most $\varepsilon/2$, and nothing else of the output "
    r"depends on the data.",
    expected=CONFIRMED,
    kind=Kind.PRIVACY,
    check=check_mean,
    largest_resolution=None,
    smoke=grid(n=40, epsilon=1.0),
    ci=grid(n=[40, 400], epsilon=[0.1, 1.0, 2.0]),
)
ANSWERS = THEOREM_3.reading(
    "ledger",
    result="Algorithms 1 and 3",
    role="program",
    title="The draws of T adaptive answers cost at most the budget of Algorithm 3",
    statement=r"$T$ answers of Algorithm 2, each with the budget of line 2 of Algorithm 3, cost at most "
    r"$\varepsilon$ at $\delta$ together on one path, and no draw more than $\varepsilon'/2$.",
    expected=CONFIRMED,
    kind=Kind.PRIVACY,
    check=check_answers,
    largest_resolution=None,
    smoke=grid(n=40, epsilon=1.0, delta=1e-3, T=3),
    ci=grid(n=40, epsilon=[0.3, 1.0], delta=[1e-6, 1e-3], T=[1, 10]),
)
CLAIMS = [WHOLE, ANSWERS]
