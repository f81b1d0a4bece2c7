r"""Lemma 3.6, transcripts: what of a transcript tells neighbours apart, and which queries do it best.

A transcript is a halting time and the answers before it. On the datasets of lemma-3.6 (users at 0 and 1.5τ,
one at 0.75τ or at −2τ, nobody removed) a query is *near* if the first dataset has the user at 0.75τ and the
second at −2τ, or *far* the other way round. The answers' means are 2.75τ/n apart either way, the scores
differ by 2 − 2/n in one direction or the other. The answers add to what the halting time shows.

The first claim shows the halting times on both datasets, and against T the least δ of the halting time at
ε/2, which is 0 in the proof of Lemma 3.6, and of the whole transcript at ε, which is δ. The halting time is
a function of the transcript, so that at ε its δ cannot be larger. `:search` looks at all $2^T$ sequences of
near and far queries and several heights of the scores above the threshold, where the corrected plan must
keep its δ; the worst sequence of the printed plan is shown beside it. With one height for all queries it
breaks Lemma 3.6 with five queries, with another height for the last query (lemma-3.6) with four.

How it is checked. Exactly: halting times by quadrature, answers by the Gaussian privacy curve.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from claims import (
    CONFIRMED,
    Budget,
    Claim,
    Evidence,
    Kind,
    Plot,
    Point,
    at_least,
    at_most,
    equals,
    grid,
    reported,
)
from claims.asi2024 import PAPER
from claims.asi2024._transcripts import (
    alternating,
    near_and_far,
    printed,
    share_for,
    transcript_delta,
    users_of,
    worst_alternating,
    worst_two_heights,
)
from implementations.asi2024 import clusters
from implementations.asi2024.outlier_removal import Plan, corrected_plan, corrected_users

if TYPE_CHECKING:
    import pandas as pd

HEIGHTS = (0.0, 4.0, 8.0, 12.0, 18.0)
"""Scores above the threshold, in units of 1/ε."""
DATASETS = ("near, last far", "far, last near")


def measure(point: Point) -> dict[str, Any]:
    """Halting times of the pair whose last query turns round, or the least δ of parts of its transcript."""
    n = users_of("lemma 3.6", point.T, point.epsilon, point.delta)
    plan = printed(n, point.T, point.epsilon, point.delta)
    _, height = worst_alternating(n, point.T, plan, point.epsilon)
    share = share_for(n, plan.threshold + height / point.epsilon)
    pair = clusters.transcript_pair(*alternating(n, point.T, share), plan)
    if point.page == "halting times":
        return {
            "dataset": np.repeat(DATASETS, point.T),
            "query": np.tile(np.arange(1, point.T + 1), 2),
            "probability": np.concatenate([pair.halting[:-1], pair.halting_of_neighbour[:-1]]),
            "total": np.full(2 * point.T, pair.halting.sum() + pair.halting_of_neighbour.sum()),
        }
    silent = replace(pair, mu=np.zeros_like(pair.mu))
    parts = {
        "halting time, at ε/2": transcript_delta(silent, point.epsilon / 2.0),
        "whole transcript, at ε": transcript_delta(pair, point.epsilon),
    }
    return {
        "part": np.array(list(parts)),
        "value": np.array(list(parts.values())),
        "alone": np.full(len(parts), transcript_delta(silent, point.epsilon)),
        "claimed": np.full(len(parts), point.delta),
    }


def judge(rows: pd.DataFrame, budget: Budget) -> Iterator[Evidence]:
    """Probabilities add up; the whole transcript shows at least what the halting time shows."""
    halts = rows[rows["page"] == "halting times"]
    for queries, cell in halts.groupby("T"):
        total = float(cell["total"].iloc[0])
        yield equals("total probability of both laws", total, 2.0, point={"T": queries}, error=1e-9)
    for queries, cell in rows[rows["page"] == "δ"].groupby("T"):
        for part, value in zip(cell["part"], cell["value"], strict=True):
            yield reported(f"δ of the {part}", float(value), point={"T": queries})
        whole = float(cell.loc[cell["part"] == "whole transcript, at ε", "value"].iloc[0])
        quantity = "δ of the transcript at ε against that of its halting time"
        yield at_least(quantity, whole, float(cell["alone"].iloc[0]), point={"T": queries})


def worst_sequence(n: int, plan: Plan, epsilon: float) -> tuple[float, str]:
    """The largest exact δ over all sequences of near and far queries and heights, and the sequence."""
    found: list[tuple[float, str]] = []
    for height in HEIGHTS:
        share = share_for(n, plan.threshold + height / epsilon)
        if not 0.7 < share < 1.0:
            continue
        near, far = near_and_far(n, share)
        # a sequence and its mirror image exchange the two datasets, so the first query may be near
        for rest in itertools.product((False, True), repeat=plan.queries - 1):
            turned = (False, *rest)
            here = [far if turn else near for turn in turned]
            there = [near if turn else far for turn in turned]
            pair = clusters.transcript_pair(here, there, plan)
            name = "".join("f" if turn else "n" for turn in turned) + f" at {height:g}/ε"
            found.append((transcript_delta(pair, epsilon), name))
    return max(found)


def unlike() -> clusters.TranscriptPair:
    """Laws of two transcripts whose halting times are far apart, so that levels below 0 matter."""
    return clusters.TranscriptPair(
        halting=np.array([0.5, 0.3, 0.1, 0.1]),
        halting_of_neighbour=np.array([0.001, 0.3, 0.199, 0.5]),
        mu=np.array([0.0, 0.7, 1.5, 1.5]),
    )


def delta_by_sum(pair: clusters.TranscriptPair, epsilon: float) -> float:
    """δ of a pair of transcripts, by summing over halting times and a fine grid of the answers' shift."""
    x = np.linspace(-12.0, 13.5, 200_001)[:, None]
    p = pair.halting * np.exp(-0.5 * x**2) / math.sqrt(2.0 * math.pi)
    q = pair.halting_of_neighbour * np.exp(-0.5 * (x - pair.mu) ** 2) / math.sqrt(2.0 * math.pi)
    width = float(x[1, 0] - x[0, 0])
    return max(float(np.maximum(a - math.exp(epsilon) * b, 0.0).sum()) * width for a, b in ((p, q), (q, p)))


def check_search(point: Point) -> Iterator[Evidence]:
    """The corrected plan on the worst sequence; what it is for the printed plan is shown."""
    epsilon, delta, queries = point.epsilon, point.delta, point.T
    n = corrected_users(queries, epsilon, delta)
    found, name = worst_sequence(n, corrected_plan(n, queries, epsilon, delta, 1.0), epsilon)
    yield at_most("largest δ over all sequences, corrected plan", found, delta, note=f"n = {n}, {name}")
    yield equals(
        "δ of two unlike laws over its sum over a grid",
        transcript_delta(unlike(), epsilon) / delta_by_sum(unlike(), epsilon),
        1.0,
        error=1e-6,
    )
    n = users_of("lemma 3.6", queries, epsilon, delta)
    if queries == 4:
        two, _, _ = worst_two_heights(n, printed(n, queries, epsilon, delta), epsilon)
        yield at_least("δ over the stated one, printed plan, four queries at two heights", two / delta, 1.0)
    found, name = worst_sequence(n, printed(n, queries, epsilon, delta), epsilon)
    yield reported(
        "largest δ over all sequences, printed plan", found, claimed=delta, note=f"n = {n}, {name}"
    )


CLAIM = Claim(
    PAPER,
    "Lemma 3.6, transcripts",
    "section 3, appendix B.4",
    name="lemma-3.6-transcripts",
    kind=Kind.PRIVACY,
    title="Halting times and answers of Algorithm 1 on neighbours",
    statement=r"For $T$ queries on neighbours that differ in one user's place, whose scores change their "
    r"order at the last query: the least $\delta$ at $\varepsilon$ of the whole transcript is at least that "
    r"of the halting time alone.",
    expected=CONFIRMED,
    summary="the answers add to what the halting time shows",
    measure=measure,
    judge=judge,
    smoke=grid(page=("halting times", "δ"), T=(30,), epsilon=(1.0,), delta=(1e-6,)),
    ci=[
        *grid(page=("halting times",), T=(30,), epsilon=(1.0,), delta=(1e-6,)),
        *grid(page=("δ",), T=(1, 2, 3, 5, 10, 20, 30, 50, 100), epsilon=(1.0,), delta=(1e-6,)),
    ],
    plots=[
        Plot(
            kind="curve",
            title="Halting times of Algorithm 1 on two neighbours, T = 30, ε = 1",
            x="query",
            y="probability",
            x_label="query at which the run halts",
            y_label="probability",
            series="dataset",
            log_y=True,
            select={"page": "halting times", "T": 30},
        ),
        Plot(
            kind="curve",
            title="Least δ of the halting time at ε/2, and of the whole transcript at ε = 1",
            x="T",
            y="value",
            x_label="queries T",
            y_label="least δ",
            claimed="claimed",
            series="part",
            log_x=True,
            log_y=True,
            select={"page": "δ"},
        ),
    ],
)
SEARCH = CLAIM.reading(
    "search",
    title="The corrected Algorithm 1 on all sequences of near and far queries",
    statement=r"On all $2^T$ sequences of near and far queries, with one score for all of them from "
    r"$4n/5$ to "
    r"$4n/5+18/\varepsilon$, the transcripts of the corrected plan are "
    r"$(\varepsilon,\delta)$-indistinguishable.",
    expected=CONFIRMED,
    summary="the worst sequences of the printed plan are shown beside it",
    measure=None,
    judge=None,
    check=check_search,
    smoke=grid(T=(1, 4), epsilon=(1.0,), delta=(1e-6,)),
    ci=grid(T=(1, 2, 6), epsilon=(0.1, 1.0, 5.0), delta=(1e-6,)),
    plots=(),
)
CLAIMS = [SEARCH]
